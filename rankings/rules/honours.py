"""FIGF, chapter 3: prizes, and who owes them (000:17-18, 111, 127-128)."""

from __future__ import annotations

from typing import Literal, TypeAlias

Award: TypeAlias = Literal["event", "pbem", "absolute", "specialty", "supercoppa", "teams"]

MEDALS = 4  # one for each player of the winning team (000:127)


def owed_by(award: Award) -> Literal["organiser", "federation"]:
    """A-13 — the organiser owes the prizes of his event, the federation all the others.

    Those of the championships, of the tournament by correspondence, the cup of the Supercoppa, and
    to the winning team a cup and a medal for each of its four players. Refuses nothing.

    >>> owed_by("event"), owed_by("pbem")
    ('organiser', 'federation')
    """
    return "organiser" if award == "event" else "federation"
