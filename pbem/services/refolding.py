"""Whether the log of a game still leads to what was written beside it."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass

from pbem.engine import EngineError, from_dict
from pbem.models import Action, Game
from pbem.services.logs import ROLLBACK, beginning


@dataclass(frozen=True, slots=True)
class Difference:
    """A row after which the position is another than when it was played, or that is refused now."""

    seq: int
    what: str


def differences(game: Game) -> Iterator[Difference]:
    """Every row of a log whose digest is not that of the position that it leads to.

    A row that the engine refuses is told, and the rest of the log with it is not looked at.
    """
    positions = [(0, beginning(game))]
    rows = Action.objects.filter(game=game).order_by("seq")
    for seq, payload, digest in rows.values_list("seq", "payload", "digest"):
        if payload["type"] == ROLLBACK:
            while positions[-1][0] > payload["to"]:
                positions.pop()
            position = positions[-1][1]
        else:
            position = positions[-1][1].copy()
            try:
                position.apply(from_dict(payload))
            except EngineError as error:
                yield Difference(seq, str(error))
                return
            positions.append((seq, position))
        if digest and position.digest() != digest:
            yield Difference(seq, f"digest {digest} was written")
