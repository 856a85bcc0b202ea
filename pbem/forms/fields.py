"""What was typed into a form, field by field, as far as it can be read."""

from __future__ import annotations

import re
from collections.abc import Mapping
from typing import Any

LONGEST = 300  # characters of one field: the stops of a long route


class Fields:
    """The fields of a form as they were sent, or as they were kept of one that was sent before."""

    def __init__(self, data: Mapping[str, Any] | None) -> None:
        self.data = data or {}

    def said(self, name: str) -> str:
        """A field without the space around it; empty if it was not sent."""
        value = self.data.get(name, "")
        if not isinstance(value, str):
            return ""
        return "".join(one if one.isprintable() else " " for one in value).strip()[:LONGEST]

    def kept(self, names: list[str]) -> dict[str, str]:
        """Those of these fields in which something stands."""
        return {name: said for name in names if (said := self.said(name))}


def dollars(text: str) -> int | None:
    """The sum that somebody wrote; None if it is none.

    >>> dollars("180"), dollars("$ 1.100"), dollars("80 $"), dollars("-5"), dollars("")
    (180, 1100, 80, None, None)
    """
    found = re.fullmatch(r"\$?\s*(\d{1,3}(?:[.,' ]\d{3})+|\d{1,6})\s*\$?", text, re.ASCII)
    return int(re.sub(r"\D", "", found[1])) if found else None
