"""1830/R-1..R-15, FIGF-U-12 — the best run held against two oracles on small made-up boards.

`oracles` walks every run and tries every set of them; a solver finds the optimum in another way.
Three programs that agree on hundreds of boards were not wrong in the same place.
"""

from __future__ import annotations

from collections import Counter
from dataclasses import dataclass
from functools import cache

import pytest

from pbem.engine import Game, notation
from pbem.engine.actions import LayTile, PlaceToken, Run
from pbem.engine.best import Best, best_run
from pbem.engine.lays import best_lays
from pbem.engine.routes import earnings
from pbem.engine.state import Operating, State, Step
from pbem.engine.track import lay as lay_tile

from . import positions
from .oracles import Side, Trip, Web, best_by_force, best_by_solver, key_of, trips
from .small_maps import saturated, small_map

MAPS = range(400)
LAYS = range(1000, 1150)
BATCH = 50  # maps in one test


@dataclass
class Sample:
    """A board, who runs on it, and what the first oracle found."""

    state: State
    symbol: str
    value: int


@cache
def sample(seed: int) -> Sample:
    game = small_map(seed)
    symbol = operating(game.state).order[0]
    return Sample(game.state, symbol, best_by_force(game.state, symbol).value)


def operating(state: State) -> Operating:
    assert isinstance(state.round, Operating)
    return state.round


def batches(seeds: range) -> list[range]:
    return [seeds[n : n + BATCH] for n in range(0, len(seeds), BATCH)]


each_batch = pytest.mark.parametrize("seeds", batches(MAPS), ids=lambda seeds: f"from {seeds[0]}")


def assert_legal(state: State, best: Best) -> None:
    """The engine's validator and the oracle's walk both know every route, and the sum."""
    assert earnings(state, best.run) == best.value
    symbol = best.run.actor
    walked = {trip.key: trip for trip in trips(state, symbol)}
    reach = {kind: train.reach or 99 for kind, train in state.title.trains.items()}
    found = [walked[key_of(route)] for route in best.run.routes]
    owned = Counter(state.corporations[symbol].trains)
    assert not Counter(route.train for route in best.run.routes) - owned
    for route, trip in zip(best.run.routes, found, strict=True):
        assert len(trip.stops) <= reach[route.train]
    assert sum(len(trip.sides) for trip in found) == len(
        frozenset().union(*(trip.sides for trip in found))
    )
    assert sum(trip.value for trip in found) == best.value


# --- the best run ---------------------------------------------------------------------------------


@each_batch
def test_the_best_run_is_the_optimum_of_both_oracles(seeds: range) -> None:
    """1830/R-14 — the same value three times; and it is a run."""
    for seed in seeds:
        one = sample(seed)
        best = best_run(Game(one.state), one.symbol)
        assert best.proven
        assert best.value == one.value, f"small map {seed}, by force"
        assert best.value == best_by_solver(one.state, one.symbol), f"small map {seed}, by solver"
        assert_legal(one.state, best)


def test_trains_that_are_in_each_other_s_way_still_earn_the_most() -> None:
    """1830/R-7 — three or four trains on dense track: on most of these boards it is not best that
    each in turn, the longest first, runs for the most that the ones before it leave."""
    held_back = 0
    for seed in range(300):
        game = small_map(seed, crowded=True)
        state, symbol = game.state, operating(game.state).order[0]
        walked = trips(state, symbol)
        if len(walked) > 400:
            continue  # slow by force
        best = best_run(game, symbol)
        assert best.value == best_by_force(state, symbol).value, f"crowded map {seed}"
        assert_legal(state, best)
        held_back += best.value > one_by_one(walked, Web(state, symbol).reaches())
        for work in (0, 20, 200):
            cut = best_run(game, symbol, work=work)
            assert cut.value <= best.value <= cut.bound, f"crowded map {seed}, work {work}"
    assert held_back > 100


def one_by_one(walked: list[Trip], reaches: list[int]) -> int:
    """What the trains earn if each in turn runs for the most it still can."""
    earned, used = 0, frozenset[Side]()
    for reach in sorted(reaches, reverse=True):
        left = [trip for trip in walked if len(trip.stops) <= reach and not trip.sides & used]
        if left:
            best = max(left, key=lambda trip: trip.value)
            earned, used = earned + best.value, used | best.sides
    return earned


@pytest.mark.slow
@pytest.mark.parametrize("start", range(10_000, 18_000, 1_000))
def test_the_best_run_is_the_optimum_by_force_on_thousands_of_boards(start: int) -> None:
    """1830/R-14."""
    for seed in range(start, start + 1_000):
        game = small_map(seed)
        symbol = operating(game.state).order[0]
        if len(trips(game.state, symbol)) < 1_000:
            best = best_run(game, symbol)
            assert best.proven
            assert best.value == best_by_force(game.state, symbol).value, f"small map {seed}"
            assert_legal(game.state, best)


@each_batch
def test_the_best_run_is_always_the_same_one(seeds: range) -> None:
    """R-06 — asked twice, in a copy, and in the position written down and read again."""
    for seed in seeds:
        one = sample(seed)
        best = best_run(Game(one.state), one.symbol)
        again = notation.from_text(notation.to_text(one.state))
        assert best_run(Game(one.state), one.symbol) == best
        assert best_run(Game(one.state.copy()), one.symbol) == best
        assert best_run(Game(again), one.symbol) == best


@each_batch
def test_the_game_accepts_the_best_run(seeds: range) -> None:
    """1830/O-5 — as the action of the corporation that has come to its run."""
    for seed in seeds:
        one = sample(seed)
        now = operating(one.state)
        if now.choosing or now.step is not Step.RUN:
            continue
        before = one.state.copy()
        best = best_run(Game(one.state), one.symbol)
        assert one.state == before  # the search leaves the position as it was
        game = Game(one.state.copy())
        game.apply(best.run)
        if best.value:
            assert operating(game.state).earned == one.value


def test_every_corporation_is_asked_and_not_only_who_operates() -> None:
    """1830/R-15 — whoever's turn it is; without trains, or without a token, nothing."""
    for seed in MAPS[::10]:
        state = sample(seed).state
        for symbol, corporation in state.corporations.items():
            best = best_run(Game(state), symbol)
            assert best.proven
            assert best.value == best_by_force(state, symbol).value
            if not corporation.trains or not corporation.tokens:
                assert best.run == Run(symbol, ())


def test_the_boards_show_what_they_are_there_for() -> None:
    """Of the boards above enough have what the rules speak of."""
    seen: Counter[str] = Counter()
    for seed in MAPS:
        one = sample(seed)
        state, corporation = one.state, one.state.corporations[one.symbol]
        tiles = {laid.tile.id for laid in state.board.values() if laid.tile.count}
        walked = trips(state, one.symbol)
        seen["runs"] += bool(walked)
        seen["hundreds of runs"] += len(walked) > 100
        seen["several trains"] += len(corporation.trains) > 1
        seen["several trains run"] += len(best_run(Game(state), one.symbol).run.routes) > 1
        seen["a diesel"] += "D" in corporation.trains
        seen["a token without a city"] += ("E11", -1) in state.stations
        seen["its own"] += ("E11", -1) in corporation.tokens
        seen["both cities of a hex in a run"] += any(
            len({hex_id for hex_id, _ in trip.stops}) < len(trip.stops) for trip in walked
        )
        seen["New York"] += bool(tiles & {"54", "62"})
        seen["two cities"] += bool(tiles & {"59", "64", "65", "66", "67", "68"})
        seen["two towns"] += bool(tiles & {"1", "2", "55", "56", "69"})
        seen["crossing track"] += bool(tiles & {"16", "19", "20", "43", "44", "45", "46", "47"})
        for area in ({"I1", "J2"}, {"A9", "A11"}):
            ends = {hex_id for trip in walked for hex_id, _ in trip.stops}
            seen[f"both hexes of {min(area)}"] += ends >= area
        seen["Altoona passed outside"] += any(
            "H12" in leg[1:-1] for trip in walked for leg in trip.legs
        )
        seen["Altoona"] += any(("H12", 0) in trip.stops for trip in walked)
        seen["a full city"] += any(
            len(held) == state.board[hex_id].tile.nodes[city].slots and one.symbol not in held
            for (hex_id, city), held in state.stations.items()
            if city >= 0 and any((hex_id, city) in trip.stops for trip in walked)
        )
    wanted = {
        *("runs", "hundreds of runs", "several trains", "several trains run", "a diesel"),
        *("a token without a city", "its own", "both cities of a hex in a run", "New York"),
        *("two cities", "two towns", "crossing track", "both hexes of I1", "both hexes of A11"),
        *("Altoona passed outside", "Altoona", "a full city"),
    }
    assert {what for what in wanted if seen[what] < 3} == set(), seen


# --- a bound on the work --------------------------------------------------------------------------


@each_batch
def test_past_a_bound_of_work_the_run_is_legal_and_the_bound_honest(seeds: range) -> None:
    """FIGF-U-12 — never a run that is called best and is not, nor a bound below the optimum."""
    for seed in seeds:
        one = sample(seed)
        full = best_run(Game(one.state), one.symbol)
        for work in (0, 1, 2, 5, 20, 100, full.work - 1, full.work, full.work + 1):
            best = best_run(Game(one.state), one.symbol, work=max(0, work))
            assert best.value <= one.value <= best.bound, f"small map {seed}, work {work}"
            assert earnings(one.state, best.run) == best.value
            assert best.proven is (best.value == best.bound)
            if work >= full.work:
                assert best == full


@pytest.mark.parametrize(
    "seed", [5, *(pytest.param(seed, marks=pytest.mark.slow) for seed in (0, 1, 2, 3, 4))]
)
def test_on_a_saturated_board_the_bound_holds(seed: int) -> None:
    """Three diesels on a full board: the more work, the better; what is proven is the solver's."""
    state = saturated(seed, "D", "D", "D").state
    symbol = operating(state).order[0]
    known = best_by_solver(state, symbol)
    for work in (0, 1_000, 100_000, 1_000_000):
        best = best_run(Game(state), symbol, work=work)
        assert best.value <= known <= best.bound
        assert earnings(state, best.run) == best.value
        if work:
            assert best.value > 0


# --- what a tile would add ------------------------------------------------------------------------


def outcome(after: State, symbol: str) -> int:
    """The optimum once a tile lies. A token that is to choose its city (1830/F-3) chooses what is
    best for the corporation if that is for its own president to say, and else what is worst."""
    now = operating(after)
    if not now.choosing:
        return best_by_force(after, symbol).value
    values = []
    for option in Game(after).options(now.choosing[0]):
        assert isinstance(option.action, PlaceToken)
        chosen = Game(after.copy())
        chosen.apply(option.action)
        values.append(best_by_force(chosen.state, symbol).value)
    own = now.chooser == after.corporations[symbol].president
    return max(values) if own else min(values)


@pytest.mark.parametrize("seeds", batches(LAYS), ids=lambda seeds: f"from {seeds[0]}")
def test_a_lay_adds_what_the_best_run_after_it_is_more(seeds: range) -> None:
    """R-06, FIGF-U-10 — each legal lay once, what it costs, and the optimum after less before."""
    gains: Counter[bool] = Counter()
    for seed in seeds:
        game = small_map(seed, Step.TRACK)
        state, now = game.state, operating(game.state)
        if now.choosing:
            continue
        symbol = now.order[0]
        before = best_by_force(state, symbol).value
        found = best_lays(game, symbol)
        legal = [one.action for one in game.options() if isinstance(one.action, LayTile)]
        assert sorted(map(str, legal)) == sorted(str(one.lay) for one in found)
        for one in found:
            after = state.copy()
            money = after.corporations[symbol].cash
            lay_tile(after, operating(after), one.lay)
            assert one.cost == money - after.corporations[symbol].cash
            assert one.proven
            added = outcome(after, symbol) - before
            assert one.gain == added, f"small map {seed}, {one.lay}"
            gains[added > 0] += 1
    assert gains[True] > 20
    assert gains[False] > 20


def test_lays_are_told_at_any_step_as_if_the_tile_came_now() -> None:
    """What the corporation could lay if its turn began here; the game is left as it was."""
    for seed in LAYS[:20]:
        game, later = small_map(seed, Step.TRACK), small_map(seed, Step.RUN)
        symbol = operating(game.state).order[0]
        before = later.copy()
        if not operating(game.state).choosing:
            own = [one for one in best_lays(game, symbol) if one.lay.private is None]
            assert [one for one in best_lays(later, symbol) if one.lay.private is None] == own
        assert later == before


def test_asking_for_lays_leaves_the_game_as_it_was() -> None:
    for seed in LAYS[:10]:
        game = small_map(seed, Step.TRACK)
        before = game.copy()
        first = best_lays(game, operating(game.state).order[0])
        assert game == before
        assert best_lays(before, operating(game.state).order[0]) == first


def test_lays_past_a_bound_of_work_say_so() -> None:
    """A gain that is not proven is said to be so; those that are proven are right."""
    for seed in LAYS[:20]:
        game = small_map(seed, Step.TRACK)
        symbol = operating(game.state).order[0]
        right = {one.lay: one.gain for one in best_lays(game, symbol)}
        for work in (0, 10, 1000):
            found = best_lays(game, symbol, work=work)
            assert {one.lay for one in found} == right.keys()
            for one in found:
                assert not one.proven or one.gain == right[one.lay]


def test_who_has_no_train_gains_nothing_by_any_lay() -> None:
    """1830/R-15."""
    game = positions.turn_of("PRR")
    found = best_lays(game, "PRR")
    assert found
    assert {one.gain for one in found} == {0}
