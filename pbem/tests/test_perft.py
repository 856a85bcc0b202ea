"""Exactly the options succeed: everything that could be tried is tried, at many positions."""

from __future__ import annotations

from collections.abc import Iterator

import pytest

from pbem.engine import EngineError, Game, Option, start
from pbem.engine.actions import Action, Run

from .positions import after_auction, check_invariants
from .random_play import position
from .universe import universe


def everybody(game: Game) -> list[str]:
    return [*game.state.players, *game.state.corporations]


def succeeds(game: Game, action: Action) -> bool:
    """Whether `apply` lets the action through, tried on a copy; a refusal changes nothing."""
    copy = game.copy()
    try:
        copy.apply(action)
    except EngineError:
        assert copy == game
        return False
    check_invariants(copy.state)
    return True


def passes(game: Game, action: Action) -> bool:
    """The same by the check that `apply` makes, without the copy."""
    try:
        game.check(action)
    except EngineError:
        return False
    return True


def options_of(game: Game, actor: str) -> list[Option]:
    return [one for one in game.options(actor) if not is_a_run(one.action)]


def is_a_run(action: Action) -> bool:
    return isinstance(action, Run) and bool(action.routes)


def hold_options_against_everything(game: Game) -> None:
    """Both ends of each option succeed, one beyond does not; what else succeeds is an option."""
    for actor in everybody(game):
        options = options_of(game, actor)
        for option in options:
            assert succeeds(game, option.action)
            if option.most is not None:
                least = option.action.price  # type: ignore[attr-defined]
                assert least <= option.most
                assert succeeds(game, option.at(option.most))
                assert not succeeds(game, option.at(option.most + 1))
                assert not succeeds(game, option.at(least - 1))
        for action in universe(game.state, actor, everywhere=actor == game.actor):
            if passes(game, action):
                assert any(option.covers(action) for option in options), action
                assert succeeds(game, action)


def sequences(game: Game, depth: int) -> Iterator[Game]:
    """Every position that so many options lead to, a range of amounts counting once."""
    if not depth or game.actor is None:
        yield game
        return
    for option in options_of(game, game.actor):
        following = game.copy()
        following.apply(option.action)
        yield from sequences(following, depth - 1)


def test_four_options_deep_in_the_auction_there_are_as_many_as_counted_by_hand() -> None:
    """1830/A-2..A-9 — four players with 600 each, everybody can pay for every least bid.

    A turn buys the cheapest, bids on one of the five others, or passes. As long as nobody has bid
    on what becomes the cheapest, the next has one private less: 7 options, 6 after a purchase. A
    bid on CS settles it when SV is bought, and so on. The count below follows the rules alone.
    """
    game = start("1830", ["1", "2", "3", "4"])
    for depth in range(1, 5):
        assert sum(1 for _ in sequences(game, depth)) == counted(depth)


def counted(depth: int) -> int:
    """The number of option sequences in the auction, by a model of its own."""
    return bidding((0, 1, 2, 3, 4, 5), {}, 0, depth)


Bids = dict[int, tuple[int, ...]]  # private → its bidders, the lowest first


def bidding(left: tuple[int, ...], bids: Bids, turn: int, depth: int) -> int:
    """A turn: the purchase of the cheapest, a bid on each of the others, a pass. Nobody runs out
    of money in four turns, and nobody bids enough to."""
    if depth == 0:
        return 1
    total = bidding(left, bids, turn + 1, depth - 1)
    total += settled(left[1:], bids, turn + 1, depth - 1)
    for private in left[1:]:
        others = tuple(one for one in bids.get(private, ()) if one != turn % 4)
        total += bidding(left, bids | {private: (*others, turn % 4)}, turn + 1, depth - 1)
    return total


def settled(left: tuple[int, ...], bids: Bids, turn: int, depth: int) -> int:
    """Bids on what is now the cheapest: one takes it, several fight for it."""
    while bids.get(left[0]):
        if len(bids[left[0]]) > 1:
            return fight(left, bids, turn, depth)
        left = left[1:]
    return bidding(left, bids, turn, depth)


def fight(left: tuple[int, ...], bids: Bids, turn: int, depth: int) -> int:
    """The lowest bidder raises above the highest, or drops out; the last has it."""
    if depth == 0:
        return 1
    lowest, *others = bids[left[0]]
    raised = fight(left, bids | {left[0]: (*others, lowest)}, turn, depth - 1)
    return raised + settled(left, bids | {left[0]: tuple(others)}, turn, depth - 1)


def some(games: Iterator[Game], wanted: int) -> list[Game]:
    """About so many of them, evenly spread."""
    found = list(games)
    return found[:: max(1, len(found) // wanted)]


PRESETS = ["figf", "18xx"]
MIDDLES = [
    # seed, players, actions, preset: operating rounds in phases 3, 4, 5 and D, a stock round in 4
    (0, 3, 150, "18xx"),
    (0, 3, 300, "figf"),
    (1, 5, 450, "18xx"),
    (1, 4, 450, "figf"),
    (0, 2, 900, "18xx"),
]


@pytest.mark.parametrize("preset", PRESETS)
def test_in_the_auction_exactly_the_options_succeed(preset: str) -> None:
    """1830/A — at the start, and at a part of the positions two options deep."""
    game = start("1830", ["1", "2", "3", "4"], preset)
    hold_options_against_everything(game)
    for one in some(sequences(game, 2), 12):
        hold_options_against_everything(one)


@pytest.mark.parametrize("preset", PRESETS)
def test_in_the_first_stock_round_exactly_the_options_succeed(preset: str) -> None:
    """1830/S — no sales yet; at a part of the positions two options deep."""
    game = after_auction(4, preset)
    hold_options_against_everything(game)
    for one in some(sequences(game, 2), 12):
        hold_options_against_everything(one)


@pytest.mark.parametrize(("seed", "players", "actions", "preset"), MIDDLES)
def test_in_the_middle_of_a_game_exactly_the_options_succeed(
    seed: int, players: int, actions: int, preset: str
) -> None:
    """At a position of a random game and at some of those two options deep."""
    game = position(seed, players, actions, preset)
    hold_options_against_everything(game)
    for one in some(sequences(game, 2), 4):
        hold_options_against_everything(one)


@pytest.mark.slow
@pytest.mark.parametrize("preset", PRESETS)
def test_deeper_in_the_beginning_exactly_the_options_succeed(preset: str) -> None:
    """1830/A, S — at a part of the positions four options deep in the auction, three in the first
    stock round; `bench/perft.py` goes to all of them."""
    for one in some(sequences(start("1830", ["1", "2", "3", "4"], preset), 4), 60):
        hold_options_against_everything(one)
    for one in some(sequences(after_auction(4, preset), 3), 60):
        hold_options_against_everything(one)


@pytest.mark.slow
@pytest.mark.parametrize(("seed", "players", "actions", "preset"), MIDDLES)
def test_more_positions_of_the_middle_have_exactly_their_options(
    seed: int, players: int, actions: int, preset: str
) -> None:
    """At a part of the positions two options deep."""
    for one in some(sequences(position(seed, players, actions, preset), 2), 60):
        hold_options_against_everything(one)
