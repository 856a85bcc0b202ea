"""The word of the engine on the result of a game played elsewhere."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any

from pbem import texts
from pbem.engine import MalformedAction, interchange
from pbem.engine.facts import TITLES
from pbem.engine.title import OpenPrivates


@dataclass(frozen=True, slots=True)
class Verification:
    """What the engine says of the result of a file, player by player in their order.

    `agrees` is None where no engine knows the title. `worth` is what it found, `privates` how much
    of it are private companies still open, and `why` what it stumbled on.
    """

    agrees: bool | None = None
    worth: tuple[int, ...] = ()
    privates: tuple[int, ...] = ()
    why: str = ""


def verify(data: bytes, result: Sequence[int]) -> Verification:
    """Replay a finished game to its end and compare its `result`, in the order of its players.

    A game ended by hand is replayed as far as it goes, and so is one that the engine refuses
    somewhere, which then does not agree.
    """
    try:
        file = interchange.load(data)
        if not isinstance(file, dict) or file.get("title") not in TITLES:
            return Verification()
        reader = interchange.begin(file)
        for _said, _game in interchange.play(reader, file):
            pass
    except MalformedAction as error:
        return Verification(agrees=False, why=texts.words(error))
    except interchange.Refusal as refusal:
        return Verification(agrees=False, why=texts.words(refusal.error, reader.names))
    values = reader.game.result()
    worth = tuple(values[seat] for seat in reader.names)
    return Verification(worth == tuple(result), worth, _privates(reader))


def _privates(reader: interchange.Reader) -> tuple[int, ...]:
    """How much of each player's worth are private companies still open (C-03)."""
    state: Any = reader.game.state
    if state.title.switches.open_privates is not OpenPrivates.FACE_VALUE:
        return tuple(0 for _seat in reader.names)
    return tuple(
        sum(state.title.privates[one].face for one, owner in state.owners.items() if owner == seat)
        for seat in reader.names
    )
