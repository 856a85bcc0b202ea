"""The operating turns of a recorded game: where each begins, and where its trains run."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass
from typing import Any

from pbem.engine import Game, State, interchange
from pbem.engine.actions import Run
from pbem.engine.state import Operating, Step


@dataclass
class Turn:
    """`number` atomic actions led to `game`, where `symbol` is to run; `run` is what it ran, None
    if it had no train or no route, so that the turn went on without. `begun` is the position in
    which it could still lay its tile."""

    number: int
    game: Game
    symbol: str
    run: Run | None
    begun: Game


def turns(file: Any) -> Iterator[Turn]:
    """Every turn of the game, in order; the positions are the caller's own."""
    before = interchange.begin(file).game.copy()
    begun = before
    played = 0  # actions in the log, which the programs of the file are not
    for number, (_, game) in enumerate(interchange.replay(file)):
        if len(game.log) == played:
            continue
        played, last = len(game.log), game.log[-1]
        then, after = _at(before.state), _at(game.state)
        if isinstance(last, Run):
            yield Turn(number, before, last.actor, last, begun)
        elif then and then[-1] <= Step.TOKEN:
            same = after is not None and after[:-1] == then[:-1]
            if not same or (after and after[-1] > Step.RUN):
                yield Turn(number + 1, game.copy(), then[0], None, begun)
        before = game.copy()
        if after and after[-1] is Step.TRACK and after != then:
            begun = before


def _at(state: State) -> tuple[str, int, int, int, Step] | None:
    """Whose turn it is, in which round, and how far it has come."""
    now = state.round
    if not isinstance(now, Operating) or now.index == len(now.order):
        return None
    return now.order[now.index], state.turn, state.number, now.index, now.step
