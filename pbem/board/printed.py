"""What a title's file says, for pages: also of titles whose mechanisms the engine does not play."""

from __future__ import annotations

import json
from collections.abc import Mapping
from functools import cache
from typing import Any

from pbem.engine.facts import FOLDER

NAMES = tuple(sorted(path.stem for path in FOLDER.glob("*.json")))


@cache
def facts(name: str) -> Mapping[str, Any]:
    """The file of the title `name`, one of `NAMES`, as it stands (`facts-18xx/1`)."""
    found: Mapping[str, Any] = json.loads((FOLDER / f"{name}.json").read_text(encoding="utf-8"))
    return found
