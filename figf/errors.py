"""The one exception that the web turns into words: the regulation, or the site, says no."""

from __future__ import annotations

from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from django.utils.functional import _StrPromise


class Refused(Exception):
    """A service refuses: nothing was written, and the reader is told what, why and what to do.

    `reason` is a stable code for tests and programs; `text` the words for the person, already
    translatable; `rule` the id of the article that says so (``C-03``), or empty where no article
    does; `field` the name of the form field concerned, or empty.
    """

    def __init__(
        self, reason: str, text: str | _StrPromise, *, rule: str = "", field: str = ""
    ) -> None:
        super().__init__(reason)
        self.reason = reason
        self.text = text
        self.rule = rule
        self.field = field

    def __str__(self) -> str:
        return f"{self.reason}: {self.text}"
