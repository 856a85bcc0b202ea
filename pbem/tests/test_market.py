"""Group P of the rules: the stock market, and how markers move and stand on it."""

from __future__ import annotations

import pytest

from pbem.engine import Game, Reason, parse
from pbem.engine.facts import title
from pbem.engine.market import in_operating_order, move
from pbem.engine.state import Operating, Step

from .positions import (
    after_auction,
    check_invariants,
    company,
    lay,
    operating_of,
    operating_round,
    play,
    price,
    refused,
    stock_round,
    trains,
)

both = pytest.mark.parametrize("preset", ["figf", "18xx"])

# The chart as it is printed; y, o, b: the zones; p: the six par prices (R59). Each row begins in
# the column told by the dots before it.
CHART = [
    line.split()
    for line in """
    60y 67  71  76  82  90  100p 112 126 142 160 180 200 225 250 275 300 325 350
    53y 60y 66  70  76  82  90p  100 112 126 142 160 180 200 220 240 260 280 300
    46y 55y 60y 65  70  76  82p  90  100 111 125 140 155 170 185 200
    39o 48y 54y 60y 66  71  76p  82  90  100 110 120 130
    32o 41o 48y 55y 62  67  71p  76  82  90  100
    25b 34o 42o 50y 58y 65  67p  71  75  80
    18b 27b 36o 45o 54y 63  67   69  70
    10b 20b 30b 40o 50y 60y 67   68
    .   10b 20b 30b 40o 50y 60y
    .   .   10b 20b 30b 40o 50y
    .   .   .   10b 20b 30b 40o
    """.strip().splitlines()
]
SPACES = {
    (row, column): text
    for row, line in enumerate(CHART)
    for column, text in enumerate(line)
    if text != "."
}
ZONES = {"y": "yellow", "o": "orange", "b": "brown"}


def expected(place: tuple[int, int], way: str) -> tuple[int, int]:
    """1830/P-2, in words of the chart: where one step leads."""
    row, column = place
    steps = {"right": (0, 1), "left": (0, -1), "up": (-1, 0), "down": (1, 0)}
    beyond = {"right": "up", "left": "down"}
    to = (row + steps[way][0], column + steps[way][1])
    if to in SPACES:
        return to
    return expected(place, beyond[way]) if way in beyond else place


def where(game: Game, symbol: str) -> tuple[int, int]:
    """The row and the column in which a corporation's marker stands."""
    cell = game.state.cell(game.state.corporations[symbol])
    return cell.row, cell.column


def order(game: Game, *symbols: str) -> list[str]:
    return in_operating_order(game.state, symbols)


# --- the chart ------------------------------------------------------------------------------------


def test_the_chart_is_as_printed() -> None:
    """1830/P-1, P-8, S-8, R59 — 120 spaces, their prices, zones and the six par prices; none closes
    a corporation, and the lowest price is 10."""
    cells = title("1830").cells
    assert len(cells) == len(SPACES) == 120
    for cell in cells:
        text = SPACES[cell.row, cell.column]
        assert cell.price == int(text.rstrip("yobp"))
        assert cell.zone == ZONES.get(text[-1])
        assert cell.par == text.endswith("p")
    assert min(cell.price for cell in cells) == 10


@pytest.mark.parametrize("way", ["right", "left", "up", "down"])
def test_each_step_leads_to_the_next_space_or_over_the_edge(way: str) -> None:
    """1830/P-1, P-2 — right beyond a row: one up; left beyond it: one down; beyond the column: no
    move."""
    cells = title("1830").cells
    for cell in cells:
        to = cells[getattr(cell, way)]
        assert (to.row, to.column) == expected((cell.row, cell.column), way)


@pytest.mark.parametrize(
    ("at", "way", "to"),
    [
        ((4, 10), "right", (3, 10)),  # 100, the end of its row → 110
        ((3, 0), "left", (4, 0)),  # 39 → 32
        ((0, 18), "right", (0, 18)),  # 350: nothing above
        ((1, 18), "right", (0, 18)),  # 300 → 350
        ((7, 0), "left", (7, 0)),  # 10: nothing below
        ((8, 1), "left", (8, 1)),  # 10, the first of its row: nothing below
        ((0, 6), "up", (0, 6)),
        ((10, 6), "down", (10, 6)),
    ],
)
def test_at_the_edges_of_the_chart(at: tuple[int, int], way: str, to: tuple[int, int]) -> None:
    """1830/P-2 — the same by hand."""
    game = after_auction()
    price(game.state, "B&O", *at)
    move(game.state, game.state.corporations["B&O"], way)
    assert where(game, "B&O") == to


# --- sales ----------------------------------------------------------------------------------------


@both
@pytest.mark.parametrize(
    ("at", "sold", "to"),
    [
        ((0, 6), 1, (1, 6)),  # 100 → 90
        ((0, 6), 5, (5, 6)),  # 100 → 67
        ((5, 6), 4, (9, 6)),  # 67 → 50
        ((9, 6), 3, (10, 6)),  # 50 → 40, the bottom
        ((2, 14), 2, (2, 14)),  # 185, the bottom of its column
        ((7, 0), 5, (7, 0)),  # 10
    ],
)
def test_the_price_falls_one_row_for_each_tenth_after_payment(
    preset: str, at: tuple[int, int], sold: int, to: tuple[int, int]
) -> None:
    """1830/P-3, S-18, P-8 — as far as the column goes; the last price closes nothing."""
    game = stock_round(after_auction(preset=preset))
    nyc = company(game.state, "NYC", p1=5, p2=5)
    price(game.state, "NYC", *at)
    before, each = game.state.cash["1"], game.state.price(nyc)
    play(game, f"1 sell NYC {sold}")
    assert where(game, "NYC") == to
    assert game.state.cash["1"] == before + sold * each
    assert nyc.floated
    check_invariants(game.state)


def test_the_presidents_certificate_counts_as_two() -> None:
    """1830/P-3, C-4 — sold whole, with a successor: from 100 to 82."""
    game = stock_round(after_auction())
    company(game.state, "NYC", p1=2, p2=2)
    play(game, "1 sell NYC 2")
    assert where(game, "NYC") == (2, 6)
    check_invariants(game.state)


# --- dividends ------------------------------------------------------------------------------------


def running(preset: str, at: tuple[int, int] = (0, 6)) -> Game:
    """The B&O of 2 with a 2-train, about to run between Baltimore (30) and Washington (20)."""
    game = after_auction(preset=preset)
    company(game.state, "B&O", p2=4, p3=2)
    trains(game.state, "B&O", "2")
    lay(game.state, "J14", "57", 0)
    price(game.state, "B&O", *at)
    return operating_round(game, "B&O", step=Step.RUN)


@both
@pytest.mark.parametrize(
    ("kind", "at", "to"),
    [
        ("pay", (0, 6), (0, 7)),  # 100 → 112
        ("withhold", (0, 6), (0, 5)),  # 100 → 90
        ("pay", (4, 10), (3, 10)),  # the end of the row: 100 → 110
        ("withhold", (3, 0), (4, 0)),  # its beginning: 39 → 32
        ("pay", (0, 18), (0, 18)),  # 350 is the highest
        ("withhold", (8, 1), (8, 1)),  # 10 the lowest
    ],
)
def test_what_is_paid_moves_to_the_right_what_is_withheld_to_the_left(
    preset: str, kind: str, at: tuple[int, int], to: tuple[int, int]
) -> None:
    """1830/P-4, P-2, D-4 — at once."""
    game = play(running(preset, at), f"B&O run 2:I15-J14\nB&O dividend {kind}")
    assert where(game, "B&O") == to
    assert isinstance(game.state.round, Operating)
    check_invariants(game.state)


@both
def test_a_train_that_does_not_run_moves_to_the_left(preset: str) -> None:
    """1830/P-4, D-5 — nothing earned is nothing paid: 100 → 90, without a question."""
    game = play(running(preset), "B&O run")
    assert where(game, "B&O") == (0, 5)
    check_invariants(game.state)


@both
def test_a_corporation_without_a_train_moves_to_the_left(preset: str) -> None:
    """1830/P-4, D-5, R-15 — in its first turn too."""
    game = after_auction(preset=preset)
    company(game.state, "B&O", p2=4, p3=2)
    play(operating_round(game, "B&O"), "B&O pass")
    while operating_of(game).step < Step.TRAINS:
        play(game, "B&O pass")
    assert where(game, "B&O") == (0, 5)
    check_invariants(game.state)


# --- the end of a stock round ---------------------------------------------------------------------


def end_of_stock_round(game: Game) -> Game:
    """Everybody passes."""
    for _ in game.state.players:
        play(game, f"{game.actor} pass")
    return game


@both
def test_who_is_wholly_in_players_hands_moves_up_at_the_end_of_a_stock_round(preset: str) -> None:
    """1830/P-5, P-2, R58 — the NYC and the PRR rise, run or not; not the CPR, a tenth of which is
    in the pool, nor the C&O, of which one is in the offering; the B&M has nothing above it."""
    game = stock_round(after_auction(preset=preset))
    company(game.state, "NYC", 67, p1=6, p2=4)
    company(game.state, "PRR", 82, p3=5, p4=5)
    company(game.state, "CPR", 76, p1=5, p2=4, pool=1)
    company(game.state, "C&O", 90, p3=5, p4=4)
    company(game.state, "B&M", 100, p3=6, p4=4)
    end_of_stock_round(game)
    assert where(game, "NYC") == (4, 6)  # 67 → 71
    assert where(game, "PRR") == (1, 6)  # 82 → 90
    assert where(game, "CPR") == (3, 6)
    assert where(game, "C&O") == (1, 6)
    assert where(game, "B&M") == (0, 6)
    check_invariants(game.state)


@both
def test_those_who_rise_together_keep_their_order(preset: str) -> None:
    """1830/P-5, P-6, R54 — NYC and PRR from 90, in this order of arrival, under the B&O at 100; and
    the CPR, highest, first of all."""
    game = stock_round(after_auction(preset=preset))
    company(game.state, "PRR", 90, p1=5, p2=5)
    company(game.state, "NYC", 90, p3=5, p4=5)
    company(game.state, "CPR", 90, p1=5, p3=5)
    for symbol, space in (("NYC", (1, 6)), ("PRR", (1, 6)), ("CPR", (1, 7))):
        price(game.state, symbol, *space)
    end_of_stock_round(game)
    assert [where(game, one) for one in ("NYC", "PRR", "CPR")] == [(0, 6), (0, 6), (0, 7)]
    assert order(game, "PRR", "NYC", "B&O", "CPR") == ["CPR", "B&O", "NYC", "PRR"]
    assert operating_of(game).order == ["CPR", "NYC", "PRR"]
    check_invariants(game.state)


# --- who stands before whom -----------------------------------------------------------------------


def test_a_marker_that_enters_a_space_goes_below_those_that_stand_there() -> None:
    """1830/P-6 — the CPR falls from 100 to 90, where the NYC and the PRR have been; then the NYC
    falls, and comes back by a rise: it is now the last."""
    game = stock_round(after_auction())
    company(game.state, "CPR", 100, p1=5, p2=3)
    company(game.state, "NYC", 90, p1=5, p2=3)
    company(game.state, "PRR", 90, p1=5, p2=3)
    play(game, "1 sell CPR 1")
    assert order(game, "CPR", "PRR", "NYC") == ["NYC", "PRR", "CPR"]
    play(game, "1 sell NYC 1")
    move(game.state, game.state.corporations["NYC"], "up")
    assert order(game, "CPR", "PRR", "NYC") == ["PRR", "CPR", "NYC"]
    check_invariants(game.state)


@pytest.mark.parametrize(
    ("at", "way", "times"), [((0, 18), "right", 1), ((0, 6), "up", 1), ((7, 0), "down", 3)]
)
def test_a_marker_that_does_not_move_keeps_its_place(
    at: tuple[int, int], way: str, times: int
) -> None:
    """1830/P-6, P-2, R57 — the NYC came first, has nowhere to go, and is still before the PRR."""
    game = after_auction()
    for symbol in ("NYC", "PRR"):
        company(game.state, symbol, p1=5, p2=5)
        price(game.state, symbol, *at)
    move(game.state, game.state.corporations["NYC"], way, times)
    assert order(game, "PRR", "NYC") == ["NYC", "PRR"]
    check_invariants(game.state)


def test_a_sale_at_the_bottom_of_a_column_keeps_its_place() -> None:
    """1830/P-6, P-3, R57 — NYC and PRR stand at 40, the NYC above; a tenth of it is sold."""
    game = stock_round(after_auction())
    for symbol in ("NYC", "PRR"):
        company(game.state, symbol, p1=5, p2=5)
        price(game.state, symbol, 10, 6)
    play(game, "1 sell NYC 1")
    assert where(game, "NYC") == (10, 6)
    assert order(game, "PRR", "NYC") == ["NYC", "PRR"]
    check_invariants(game.state)


@both
def test_the_zone_of_the_moment_counts(preset: str) -> None:
    """1830/P-7, S-12 — 1 has 60% of the NYC, which stands at 41 (orange): he may buy a seventh
    tenth, not at 48 (yellow), and again when it has fallen back."""
    game = stock_round(after_auction(preset=preset))
    nyc = company(game.state, "NYC", p1=6, p2=2)
    price(game.state, "NYC", 4, 1)
    buy = parse("1 buy NYC ipo")
    assert buy in [option.action for option in game.options()]
    move(game.state, nyc, "up")
    assert where(game, "NYC") == (3, 1)
    assert buy not in [option.action for option in game.options()]
    assert refused(game, "1 buy NYC ipo")[0] == Reason.HOLDING_LIMIT
    move(game.state, nyc, "down")
    assert buy in [option.action for option in game.options()]
    check_invariants(game.state)
