"""How a tile lies (*orientamento*): the side towards which its printed number points."""

from __future__ import annotations

from collections.abc import Mapping

# By rotation: a tile that is not turned has its number to the south-west, and turns clockwise.
SIDES = ("SW", "W", "NW", "NE", "E", "SE")
ITALIAN: Mapping[str, str] = {"SO": "SW", "O": "W", "NO": "NW"}


def rotation_of(text: str) -> int | None:
    """X-06 — the rotation, 0 to 5, that a side names; None if it names none.

    The text says that the printed number gives the orientation, but its picture is lost: here it
    lies on the side that the engine counts as the first. The six sides are accepted in English and
    in Italian, in any case, and so are the figures 0 to 5.

    >>> [rotation_of(one) for one in ("SO", "o", "NO", "ne", "E", "SE")]
    [0, 1, 2, 3, 4, 5]
    >>> rotation_of(" sw "), rotation_of("4"), rotation_of("6"), rotation_of("N"), rotation_of("")
    (0, 4, None, None, None)
    """
    said = text.strip().upper()
    if len(said) == 1 and said in "012345":
        return int(said)
    side = ITALIAN.get(said, said)
    return SIDES.index(side) if side in SIDES else None


def side_of(rotation: int) -> str:
    """The side that a rotation, 0 to 5, brings the number to (X-06).

    >>> side_of(0), side_of(4)
    ('SW', 'E')
    """
    return SIDES[rotation]
