"""1830/D — what a run earned is paid out or withheld, and how the price moves for it.

The PRR earns 210 in each of these tests unless told: the figure of the regulation's own example.
"""

from __future__ import annotations

import pytest

from pbem.engine import Game, MalformedAction, Reason
from pbem.engine.actions import parse
from pbem.engine.facts import title
from pbem.engine.state import Corporation, Operating, Step

from . import positions
from .positions import (
    cash,
    check_invariants,
    company,
    operating_round,
    play,
    price,
    refused,
    trains,
)

PRESETS = ("figf", "18xx")


def earned(amount: int = 210, pool: int = 0, preset: str = "figf", **held: int) -> Game:
    """The PRR has run for this much and is about to pay or to withhold; 6, 2 and 1 tenths are held
    by players 1, 2 and 3 unless told, one tenth is left in the offering."""
    game = positions.after_auction(4, preset)
    company(game.state, "PRR", 100, pool, **(held or {"p1": 6, "p2": 2, "p3": 1}))
    trains(game.state, "PRR", "2")
    cash(game.state, "PRR", 500)
    operating_round(game, "PRR", step=Step.DIVIDEND)
    assert isinstance(game.state.round, Operating)
    game.state.round.earned = amount
    return game


def prr(game: Game) -> Corporation:
    return game.state.corporations["PRR"]


def gains(game: Game, kind: str) -> dict[str, int]:
    """What players and the PRR gain by paying or withholding, and what the bank loses by it."""
    before = dict(game.state.cash) | {"PRR": prr(game).cash, "bank": game.state.bank}
    play(game, f"PRR dividend {kind}")
    after = dict(game.state.cash) | {"PRR": prr(game).cash, "bank": game.state.bank}
    check_invariants(game.state)
    return {who: after[who] - before[who] for who in after if after[who] != before[who]}


@pytest.mark.parametrize("preset", PRESETS)
def test_each_tenth_is_paid_a_tenth(preset: str) -> None:
    """1830/D-1, FIGF-X-11 — 210 paid: 126 to who holds 60%, 42 to 20%, 21 to 10%; the tenth in the
    offering gets nothing."""
    game = earned(preset=preset)
    assert gains(game, "pay") == {"1": 126, "2": 42, "3": 21, "bank": -189}


@pytest.mark.parametrize("preset", PRESETS)
def test_the_pools_part_goes_to_the_treasury(preset: str) -> None:
    """1830/D-1 — 60% sold: 3 and 1 tenths held, 2 in the pool, 4 in the offering."""
    game = earned(pool=2, preset=preset, p1=3, p2=1)
    assert gains(game, "pay") == {"1": 63, "2": 21, "PRR": 42, "bank": -126}


def test_all_is_paid_or_nothing() -> None:
    """1830/D-1 — there is no half dividend."""
    game = earned()
    with pytest.raises(MalformedAction):
        game.apply(parse("PRR dividend half"))


@pytest.mark.parametrize("preset", PRESETS)
def test_what_is_withheld_goes_whole_to_the_treasury(preset: str) -> None:
    """1830/D-2 — shareholders get nothing."""
    game = earned(preset=preset)
    assert gains(game, "withhold") == {"PRR": 210, "bank": -210}


def test_every_value_on_map_and_tiles_is_a_multiple_of_ten() -> None:
    """1830/D-3 — so that a tenth of a revenue is whole dollars."""
    printed = title("1830")
    laid = [*printed.tiles.values(), *(one.printed.tile for one in printed.hexes.values())]
    values = [value for tile in laid for node in tile.nodes for value in node.values.values()]
    assert len(values) > 300
    assert all(value % 10 == 0 for value in values)


@pytest.mark.parametrize(
    ("kind", "row", "column", "to"),
    [
        ("pay", 0, 6, (0, 7)),  # 100 → 112
        ("withhold", 0, 6, (0, 5)),  # 100 → 90
        ("pay", 3, 12, (2, 12)),  # the right end of a row, 130: one up, 155
        ("withhold", 3, 0, (4, 0)),  # the left end of a row, 39: one down, 32
        ("pay", 0, 18, (0, 18)),  # 350, the top right corner: nowhere
        ("withhold", 7, 0, (7, 0)),  # 10, the bottom of the first column: nowhere
    ],
)
def test_the_price_moves_at_once(kind: str, row: int, column: int, to: tuple[int, int]) -> None:
    """1830/D-4, P-4 — right for a dividend, left for none; before anything else is done."""
    game = earned()
    price(game.state, "PRR", row, column)
    play(game, f"PRR dividend {kind}")
    cell = game.state.cell(prr(game))
    assert (cell.row, cell.column) == to
    assert isinstance(game.state.round, Operating)
    assert game.state.round.step is Step.TRAINS
    check_invariants(game.state)


def test_the_smallest_dividend_moves_the_price_right() -> None:
    """1830/D-4, P-4 — any amount above nothing: 10, which is one dollar for each tenth."""
    game = earned(10)
    assert gains(game, "pay") == {"1": 6, "2": 2, "3": 1, "bank": -9}
    assert game.state.price(prr(game)) == 112


@pytest.mark.parametrize("preset", PRESETS)
def test_a_first_turn_without_a_train_moves_the_price_left(preset: str) -> None:
    """1830/D-5 — nobody is asked: 100 becomes 90, and no money moves."""
    game = positions.after_auction(4, preset)
    company(game.state, "PRR", 100, p1=6)
    operating_round(game, "PRR")
    money = dict(game.state.cash)
    play(game, "PRR pass")  # no tile
    assert isinstance(game.state.round, Operating)
    assert game.state.round.step is Step.TRAINS
    assert game.state.price(prr(game)) == 90
    assert game.state.cash == money
    assert prr(game).cash == 1000
    check_invariants(game.state)


def test_a_train_without_a_route_earns_nothing() -> None:
    """1830/D-5, R-15, FIGF-X-10 — there is no run to claim, and the price falls."""
    game = positions.after_auction()
    company(game.state, "PRR", 100, p1=6)
    trains(game.state, "PRR", "2")
    play(operating_round(game, "PRR"), "PRR pass")
    assert isinstance(game.state.round, Operating)
    assert game.state.round.step is Step.TRAINS
    assert game.state.price(prr(game)) == 90


def test_a_run_of_nothing_is_withheld() -> None:
    """1830/D-5, FIGF-X-10 — a president who claims no run cannot pay out nothing."""
    game = positions.after_auction()
    company(game.state, "PRR", 100, p1=6)
    trains(game.state, "PRR", "2")
    play(operating_round(game, "PRR", step=Step.RUN), "PRR run")
    assert game.state.price(prr(game)) == 90
    reason, data = refused(game, "PRR dividend pay")
    assert reason is Reason.WRONG_STEP
    assert data == {"step": "trains"}


@pytest.mark.parametrize("step", [Step.TRACK, Step.TOKEN, Step.RUN, Step.TRAINS])
def test_a_dividend_comes_after_the_run_and_once(step: Step) -> None:
    """1830/D-1, O-5 — step 5, neither before nor again."""
    game = earned()
    assert isinstance(game.state.round, Operating)
    game.state.round.step = step
    reason, data = refused(game, "PRR dividend pay")
    assert reason is Reason.WRONG_STEP
    assert data == {"step": step.name.lower()}


def test_what_was_earned_is_paid_or_withheld_not_skipped() -> None:
    """1830/D-1, D-2, O-6 — there is no third way."""
    reason, data = refused(earned(), "PRR pass")
    assert reason is Reason.NOTHING_TO_PASS
    assert data == {"actor": "PRR"}


def test_nobody_else_decides() -> None:
    """1830/D-1, O-7 — not the president in his own name, nor another corporation."""
    game = earned()
    assert refused(game, "B&O dividend pay")[0] is Reason.NOT_OPERATING
    assert refused(game, "1 dividend pay")[0] is Reason.NOT_OPERATING
