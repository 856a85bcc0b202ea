"""1830/R-14, FIGF-U-12 — on every operating turn of real games the best run is at least what was
run; where it is more, it is a run by whoever judges it; and both oracles find the same."""

from __future__ import annotations

from pathlib import Path
from types import ModuleType
from typing import Any

import pytest

from pbem.engine.best import best_run
from pbem.engine.routes import earnings

from .oracles import best_by_force, best_by_solver
from .our_games import OURS
from .our_games import file_of as our_file
from .test_best_oracles import assert_legal
from .test_cases import compare, each_game, file_of, truth_of
from .turns import Turn, turns

__all__ = ["compare"]  # a fixture


def assert_best(turn: Turn) -> int:
    """How much the best run of a turn earns: proven, legal, and what both oracles find."""
    state, symbol = turn.game.state, turn.symbol
    best = best_run(turn.game, symbol)
    assert best.proven
    assert_legal(state, best)
    assert best.value == best_by_force(state, symbol).value == best_by_solver(state, symbol)
    if turn.run:
        assert best.value >= earnings(state, turn.run)
        game = turn.game.copy()
        game.apply(best.run)  # the position is the one in which it ran
    else:
        assert best.value == 0
    return best.value


@each_game
def test_on_every_turn_of_a_recorded_game_the_best_run_is_at_least_what_ran(
    path: Path, compare: ModuleType
) -> None:
    """And every operating turn that the peer counts is among them, with a run or without."""
    truth = truth_of(compare, path)
    ran = {one["i"]: one["total"] for one in truth["runs"]}
    count = 0
    for turn in turns(file_of(path)):
        count += 1
        if turn.run:
            assert assert_best(turn) >= ran.pop(turn.number)
        else:
            assert_best(turn)
    assert not ran
    assert count == sum(map(len, truth["op_history"].values()))


@pytest.mark.parametrize("name", OURS)
def test_on_every_turn_of_a_game_of_ours_the_best_run_is_at_least_what_ran(name: str) -> None:
    found: list[Any] = [(turn.run is not None, assert_best(turn)) for turn in turns(our_file(name))]
    assert any(value for ran, value in found if ran)
