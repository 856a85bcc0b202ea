"""Whole games played at random: nothing is ever lost, and somebody can always go on."""

from __future__ import annotations

import pytest

from pbem.engine import Game

from .positions import check_invariants
from .random_play import random_game

PRESETS = ("figf", "18xx")


def play_to_the_end(seed: int, players: int, preset: str) -> Game:
    """Invariants and a non-empty list of options at every step; the ends of ranges are legal."""
    for game, options, _action in random_game(seed, players, preset):
        check_invariants(game.state)
        if game.actor is None:
            break
        assert options
        for option in options:
            if option.most is not None:
                game.check(option.at(option.most))
    return game


@pytest.mark.parametrize("players", [2, 3, 4, 5, 6])
@pytest.mark.parametrize("seed", [1, 2])
def test_a_game_played_at_random_comes_to_its_end(seed: int, players: int) -> None:
    """1830/X-1, X-2, R16 — every unfinished position has an option; twenty games."""
    for preset in PRESETS:
        game = play_to_the_end(seed, players, preset)
        state = game.state
        assert state.over in {"bank", "bankruptcy"}
        assert game.options() == []
        # what players and corporations hold, and the bank, is what there was
        assert sum(state.cash.values()) + state.bank <= state.title.bank
        if state.over == "bankruptcy":
            assert state.bankrupt
            assert state.cash[state.bankrupt] == 0
        else:
            assert state.broken
