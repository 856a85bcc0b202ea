"""Whole games of our own, for who has not the recorded ones: see `sensible_play`.

Each has a word for what it is there for; together they show every kind of action and decision.
"""

from __future__ import annotations

import json
from functools import cache
from pathlib import Path
from typing import Any

FOLDER = Path(__file__).parent / "games"
OURS = sorted(path.stem for path in FOLDER.glob("*.json"))


@cache
def text_of(name: str) -> str:
    return (FOLDER / f"{name}.json").read_text(encoding="utf-8")


def file_of(name: str) -> dict[str, Any]:
    """The file, read anew: it may be changed."""
    return json.loads(text_of(name))
