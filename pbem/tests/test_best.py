"""1830/R-14, FIGF-U-12 — the best run on boards set by hand, with what it earns worked out by hand.

Whether it is the best on other boards, `test_best_oracles` and `test_best_cases` ask of solvers.
"""

from __future__ import annotations

import pytest

from pbem.engine import Game, MalformedAction, best_run, routes
from pbem.engine.best import ceiling
from pbem.engine.network import Network
from pbem.engine.state import Step

from . import positions
from .positions import operating_round, phase, token, trains
from .test_routes import at_the_run, gulf_to_philadelphia, ring_of_baltimore, row_h

# West to east: the Gulf 30, Columbus 30, Pittsburgh 20, Altoona 10 with the token, Lancaster 20,
# Philadelphia 40.
ON_THE_LINE = [
    (("2",), 30),  # Altoona and either neighbour
    (("3",), 70),  # Altoona to Philadelphia; westwards 60
    (("4",), 90),  # Pittsburgh to Philadelphia, or the Gulf to Altoona
    (("5",), 120),  # Columbus to Philadelphia; the Gulf to Lancaster 110
    (("6",), 150),
    (("D",), 150),
    (("2", "2"), 60),  # one to either side
    (("2", "3"), 100),  # 70 to the east, 30 to the west
    (("3", "3"), 130),
    (("3", "4"), 160),  # the Gulf to Altoona 90, Altoona to Philadelphia 70
    (("4", "4"), 160),
    (("2", "D"), 150),  # the diesel runs it all; anything left to the other costs more
    (("2", "2", "2"), 60),  # two sides, and no third
]


@pytest.mark.parametrize(("kinds", "value"), ON_THE_LINE)
def test_on_a_line_the_best_run_is_the_one_found_by_hand(
    kinds: tuple[str, ...], value: int
) -> None:
    """1830/R-2, R-7, R-14 — all trains together, track not shared, stops shared."""
    game = at_the_run("PRR", *kinds)
    gulf_to_philadelphia(game)
    best = best_run(game, "PRR")
    assert (best.value, best.bound, best.proven) == (value, value, True)
    assert routes.earnings(game.state, best.run) == value
    game.apply(best.run)


@pytest.mark.parametrize(
    ("kinds", "value"),
    [
        # Altoona 10, Baltimore 60, Washington 30; beyond that the Deep South 30 and Richmond 20
        (("2",), 90),
        (("D",), 130),  # Altoona to the Deep South
        (("D", "D"), 240),  # and the other way round from Baltimore to Richmond, 110
        (("2", "2"), 180),  # Baltimore and Washington both ways
        # one after another 130, 110 and nothing; but three from Baltimore earn 120, 110 and 70
        (("D", "D", "D"), 300),
        (("2", "2", "2"), 250),
    ],
)
def test_the_best_runs_together_are_not_the_best_one_after_another(
    kinds: tuple[str, ...], value: int
) -> None:
    """1830/R-3, R-7 — no place twice in a run, no track twice in all."""
    game = at_the_run("B&O", *kinds)
    ring_of_baltimore(game)
    assert best_run(game, "B&O").value == value


def test_red_areas_pay_by_phase() -> None:
    """1830/R-8 — from phase 5 on the Gulf pays 60, not 30."""
    game = at_the_run("PRR", "6")
    gulf_to_philadelphia(game)
    phase(game.state, "5")
    assert best_run(game, "PRR").value == 180


def test_a_city_full_of_others_ends_the_run() -> None:
    """1830/R-4 — Pittsburgh (one slot) has another's token: it is an end to the west."""
    game = at_the_run("PRR", "6")
    gulf_to_philadelphia(game)
    token(game.state, "NYC", "H10", 0)
    assert best_run(game, "PRR").value == 20 + 10 + 20 + 40


@pytest.mark.parametrize("kinds", [(), ("4",)])
def test_without_trains_or_without_track_nothing_is_earned(kinds: tuple[str, ...]) -> None:
    """1830/R-13, R-15 — proven, and a run without routes."""
    game = at_the_run("PRR", *kinds)
    if not kinds:
        row_h(game)
    best = best_run(game, "PRR")
    assert (best.value, best.proven, best.run.routes) == (0, True, ())


def test_whoever_operates_any_corporation_may_be_asked_after() -> None:
    """The B&O's run while the PRR operates, and a corporation without a token."""
    game = at_the_run("PRR", "2")
    row_h(game)
    trains(game.state, "B&O", "2")
    assert best_run(game, "B&O").value == 0
    assert best_run(game, "NYC").value == 0
    with pytest.raises(MalformedAction, match="corporation"):
        best_run(game, "XYZ")


def test_a_token_without_its_city_starts_no_run() -> None:
    """1830/F-2 — the Erie's token on the trackless hex of its home."""
    game = positions.after_auction()
    positions.company(game.state, "ERIE", 100, p1=6)
    trains(game.state, "ERIE", "2")
    operating_round(game, "ERIE", step=Step.RUN)
    assert best_run(game, "ERIE").value == 0


def test_of_several_best_runs_it_is_always_the_same() -> None:
    """Asked again, on a copy, and with the tokens in another order."""
    game = at_the_run("PRR", "4", "2")
    gulf_to_philadelphia(game)
    token(game.state, "PRR", "H16", 0)
    first = best_run(game, "PRR")
    assert best_run(game, "PRR") == best_run(game.copy(), "PRR") == first
    game.state.corporations["PRR"].tokens.reverse()
    assert best_run(game, "PRR").run == first.run


@pytest.mark.parametrize("work", [0, 1, 5, 20, 60, 200])
def test_past_the_work_allowed_what_is_not_proven_is_said(work: int) -> None:
    """The run is legal, the bound is one: the 300 of three diesels lie between the two."""
    game = at_the_run("B&O", "D", "D", "D")
    ring_of_baltimore(game)
    best = best_run(game, "B&O", work)
    assert routes.earnings(game.state, best.run) == best.value <= 300 <= best.bound
    assert best.proven == (best.bound == best.value)


def test_with_enough_work_the_optimum_is_proven() -> None:
    """The same position, and a bound on the work that it does not need."""
    game = at_the_run("B&O", "D", "D", "D")
    ring_of_baltimore(game)
    best = best_run(game, "B&O", 100_000)
    assert best.proven
    assert best.work < 100_000


def reaches(game: Game, symbol: str, *stops: int) -> int:
    return ceiling(Network(game.state, symbol), stops)


def test_the_ceiling_is_what_sides_and_lengths_allow() -> None:
    """1830/R-2, R-3 — worked out by hand on the line of six places.

    Two stops: at most 40 and 30. Six stops, one train: each place once, 150. Six stops, two trains:
    eleven half-sides would be needed to visit all twice; the Gulf and Philadelphia have one side
    each, the four between have two, so each is passed once, and two ends of a train in one place
    make one visit more: 150 and, with the two ends left, the dearest of the four again: Columbus.
    """
    game = at_the_run("PRR")
    gulf_to_philadelphia(game)
    assert reaches(game, "PRR", 2) == 70
    assert reaches(game, "PRR", 6) == 150
    assert reaches(game, "PRR", 6, 6) == 180
