"""The alphabetical order of people, the same in every database."""

from __future__ import annotations

import unicodedata


def sort_key(surname: str, name: str = "") -> str:
    """Letter by letter: case, accents, spaces and apostrophes do not count (reading of B-09).

    The surname decides, then the first name. Letters that no accent explains (ø, ł) keep their
    own place after z.

    >>> sorted(["De Santis", "Èrcoli", "D'Angelo", "Bo", "dall'Aglio"], key=sort_key)
    ['Bo', "dall'Aglio", "D'Angelo", 'De Santis', 'Èrcoli']
    """
    return f"{_letters(surname)} {_letters(name)}".rstrip()


def _letters(text: str) -> str:
    decomposed = unicodedata.normalize("NFKD", text).casefold()
    return "".join(char for char in decomposed if char.isalnum())
