"""1830/R — runs and what they earn, on boards set by hand; then on every run of the recorded games,
held also against a second check of the same rules that is made in another way.

Edges count clockwise from the south-west: 0 SW, 1 W, 2 NW, 3 NE, 4 E, 5 SE. A tile at rotation r
has its track turned r edges on: 57 joins 0 and 3, so 57 at rotation 1 joins 1 and 4, west and east.
"""

from __future__ import annotations

import gzip
import json
import random
from collections import Counter, defaultdict
from collections.abc import Iterator
from dataclasses import dataclass
from itertools import pairwise, permutations
from pathlib import Path

import pytest

from pbem.engine import Game, IllegalAction, MalformedAction, Reason, State, interchange, routes
from pbem.engine.actions import Route, Run, parse
from pbem.engine.state import Operating, Step

from . import positions
from .positions import lay, operating_round, phase, play, token, trains

PRESETS = ("figf", "18xx")


def at_the_run(symbol: str, *kinds: str, preset: str = "figf") -> Game:
    """The corporation, six tenths of it player 1's, has its home token and comes to its run."""
    game = positions.after_auction(preset=preset)
    positions.company(game.state, symbol, 100, p1=6)
    trains(game.state, symbol, *kinds)
    return operating_round(game, symbol, step=Step.RUN)


def row_h(game: Game) -> None:
    """Pittsburgh (H10, 20), Altoona (H12, 10), Lancaster (H16, 20), joined from west to east."""
    lay(game.state, "H10", "57", 1)
    lay(game.state, "H14", "9", 1)
    lay(game.state, "H16", "57", 1)


def gulf_to_philadelphia(game: Game) -> list[str]:
    """Six places in a line, and the legs from west to east: the Gulf 30, Columbus 30 (two slots),
    Pittsburgh 20, Altoona 10, Lancaster 20, Philadelphia 40."""
    row_h(game)
    lay(game.state, "I3", "8", 1)
    lay(game.state, "H4", "14", 0)
    lay(game.state, "H6", "9", 1)
    lay(game.state, "H8", "9", 1)
    lay(game.state, "H18", "59", 1)
    return ["I1-I3-H4", "H4-H6-H8-H10", "H10-H12", "H12-H14-H16", "H16-H18"]


def ring_of_baltimore(game: Game) -> None:
    """Baltimore (I15, 60) and Washington (J14, 30) joined directly, and by I13; Baltimore also with
    Altoona (H12, 10)."""
    lay(game.state, "I15", "61", 4)  # SW, W, NW, E
    lay(game.state, "I13", "7", 4)  # from I15 (E) to J14 (SE)
    lay(game.state, "J14", "14", 2)  # SW, NW, NE, SE
    lay(game.state, "H14", "8", 5)  # from I15 (SE) to H12 (W)


def earned(game: Game, action: str | Run) -> int:
    """What a run earns, in a copy of the game."""
    after = game.copy()
    after.apply(parse(action) if isinstance(action, str) else action)
    positions.check_invariants(after.state)
    assert isinstance(after.state.round, Operating)
    assert after.state.round.step is Step.DIVIDEND
    return after.state.round.earned


def refused(game: Game, action: str | Run) -> IllegalAction:
    """The refusal of a run, which leaves the game as it was."""
    before = game.state.copy()
    with pytest.raises(IllegalAction) as caught:
        game.apply(parse(action) if isinstance(action, str) else action)
    assert game.state == before
    return caught.value


# --- one train, one run ---------------------------------------------------------------------------


@pytest.mark.parametrize("preset", PRESETS)
def test_a_run_joins_two_places_and_earns_both(preset: str) -> None:
    """1830/R-1 — Altoona 10 and Pittsburgh 20, one hexside apart."""
    game = at_the_run("PRR", "2", preset=preset)
    row_h(game)
    assert earned(game, "PRR run 2:H12-H10") == 30


def test_a_train_runs_once() -> None:
    """1830/R-1 — one 2-train does not run to both sides."""
    game = at_the_run("PRR", "2")
    row_h(game)
    error = refused(game, "PRR run 2:H12-H10 2:H12-H14-H16")
    assert error.reason is Reason.TRAIN_RUNS_ONCE
    assert error.data == {"train": "2", "corporation": "PRR"}


def test_only_a_train_that_is_owned_runs() -> None:
    """1830/R-1 — the 3-train is another corporation's."""
    game = at_the_run("PRR", "2")
    row_h(game)
    trains(game.state, "B&O", "3")
    error = refused(game, "PRR run 3:H12-H10")
    assert error.reason is Reason.NO_SUCH_TRAIN
    assert error.data == {"train": "3", "corporation": "PRR"}


@pytest.mark.parametrize(
    ("legs", "reason"), [((), Reason.TOO_FEW_STOPS), ((("H12",),), Reason.NO_SUCH_TRACK)]
)
def test_one_place_is_no_run(legs: tuple[tuple[str, ...], ...], reason: Reason) -> None:
    """1830/R-1 — at least two revenue places: not none, nor the token's own city alone."""
    game = at_the_run("PRR", "2")
    row_h(game)
    error = refused(game, Run("PRR", (Route("2", legs),)))
    assert (error.reason, error.clause) == (reason, "1830/R-1")


def test_a_run_needs_an_own_token() -> None:
    """1830/R-1 — Pittsburgh and Altoona earn nothing for the B&O, which has no token there."""
    game = at_the_run("B&O", "2")
    row_h(game)
    error = refused(game, "B&O run 2:H10-H12")
    assert (error.reason, error.clause) == (Reason.NO_OWN_TOKEN, "1830/R-1")
    assert error.data == {"train": "2"}


def test_a_run_may_begin_in_a_red_area_and_end_in_a_town() -> None:
    """1830/R-11 — the Maritime Provinces 20, Boston 30 with the one own token, Mansfield 10."""
    game = at_the_run("B&M", "3")
    lay(game.state, "C23", "9", 0)
    lay(game.state, "D22", "7", 3)
    assert earned(game, "B&M run 3:B24-C23-D22-D24-E23+E23-F24") == 60


def test_the_legs_of_a_run_form_one_line() -> None:
    """1830/R-1 — two stretches that do not meet are not one train's run."""
    game = at_the_run("PRR", "4")
    row_h(game)
    lay(game.state, "J14", "57", 0)
    token(game.state, "PRR", "I15")
    error = refused(game, "PRR run 4:H10-H12+I15-J14")
    assert error.reason is Reason.LEGS_APART
    assert error.data == {"train": "4"}


def test_a_hex_that_is_not_on_the_map_makes_no_sense() -> None:
    """1830/R-1 — Z99 is a fault of the sender, not of the player."""
    game = at_the_run("PRR", "2")
    with pytest.raises(MalformedAction, match="Z99"):
        game.apply(parse("PRR run 2:H12-Z99"))


@pytest.mark.parametrize("leg", ["H12-H14", "H12-H16", "H12-G11", "H10-H8", "H12-H12"])
def test_a_leg_follows_track_from_place_to_place(leg: str) -> None:
    """1830/R-1 — it does not end on plain track, nor jump over a hex, nor leave the track."""
    game = at_the_run("PRR", "2")
    row_h(game)
    assert refused(game, f"PRR run 2:{leg}").reason is Reason.NO_SUCH_TRACK


# --- how far --------------------------------------------------------------------------------------


@pytest.mark.parametrize("stops", range(2, 7))
@pytest.mark.parametrize(
    ("train", "most"), [("2", 2), ("3", 3), ("4", 4), ("5", 5), ("6", 6), ("D", 99)]
)
def test_a_train_counts_as_many_places_as_its_number(train: str, most: int, stops: int) -> None:
    """1830/R-2 — and not one more; a diesel counts any number."""
    game = at_the_run("PRR", train)
    legs = gulf_to_philadelphia(game)[::-1]
    token(game.state, "PRR", "H16")
    line = f"PRR run {train}:" + "+".join(legs[: stops - 1])
    if stops <= most:
        assert earned(game, line) == sum([40, 20, 10, 20, 30, 30][:stops])
    else:
        error = refused(game, line)
        assert error.reason is Reason.TOO_MANY_STOPS
        assert error.data == {"train": train, "stops": stops, "reach": most}


def test_towns_count_like_cities() -> None:
    """1830/R-2 — Boston, Mansfield and Providence are three places, too many for a 2-train."""
    game = at_the_run("B&M", "2")
    lay(game.state, "F22", "57", 1)
    error = refused(game, "B&M run 2:E23-F24+F24-F22")
    assert error.data == {"train": "2", "stops": 3, "reach": 2}
    assert earned(game, "B&M run 2:E23-F24") == 40


def test_no_place_is_passed_without_counting() -> None:
    """1830/R-2 — the track through Lancaster leads into the city: no leg goes on beyond it."""
    game = at_the_run("PRR", "2")
    gulf_to_philadelphia(game)
    assert refused(game, "PRR run 2:H12-H14-H16-H18").reason is Reason.NO_SUCH_TRACK


# --- nothing twice --------------------------------------------------------------------------------


def test_a_run_does_not_end_where_it_began() -> None:
    """1830/R-3, R66 — once round the ring from Baltimore; each half of the ring is a run."""
    game = at_the_run("B&O", "3")
    ring_of_baltimore(game)
    error = refused(game, "B&O run 3:I15-J14+J14-I13-I15")
    assert (error.reason, error.clause) == (Reason.STOP_TWICE, "1830/R-3")
    assert error.data["stop"] in {"I15:0", "J14:0"}
    assert earned(game, "B&O run 3:I15-J14") == 90
    assert earned(game, "B&O run 3:J14-I13-I15") == 90


def test_a_run_does_not_come_to_a_city_twice() -> None:
    """1830/R-3, R66, R68 — from Altoona to Baltimore, once round the ring and back to Baltimore."""
    game = at_the_run("B&O", "D")
    ring_of_baltimore(game)
    error = refused(game, "B&O run D:H12-H14-I15+I15-J14+J14-I13-I15")
    assert (error.reason, error.clause) == (Reason.STOP_TWICE, "1830/R-3")
    assert error.data == {"stop": "I15:0"}


def test_a_run_does_not_go_back_over_its_track() -> None:
    """1830/R-3 — Altoona, Pittsburgh and back is not a run of three places."""
    game = at_the_run("PRR", "3")
    row_h(game)
    error = refused(game, "PRR run 3:H12-H10+H10-H12")
    assert (error.reason, error.clause) == (Reason.TRACK_TWICE, "1830/R-3")
    assert error.data == {"train": "3", "leg": "H10-H12"}


def test_a_leg_does_not_cross_a_hexside_twice() -> None:
    """1830/R-3, R-6 — out of Pittsburgh, round three plain tiles and back by the way one came."""
    game = at_the_run("PRR", "2")
    lay(game.state, "H10", "57", 2)  # NW, SE
    lay(game.state, "G9", "7", 4)  # from H10 (SE) to G11 (E)
    lay(game.state, "G11", "24", 1)  # from G9 (W) to F12 (NE) and to G13 (E)
    lay(game.state, "F12", "7", 5)  # from G11 (SW) to G13 (SE)
    lay(game.state, "G13", "7", 1)  # from F12 (NW) to G11 (W)
    token(game.state, "PRR", "H10")
    leg = "H10-G9-G11-F12-G13-G11-G9-H10"
    error = refused(game, f"PRR run 2:{leg}")
    assert (error.reason, error.clause) == (Reason.TRACK_TWICE, "1830/R-3")
    assert error.data == {"leg": leg}


def test_a_run_may_use_both_cities_of_a_double_city() -> None:
    """1830/R-3 — Dunkirk and Buffalo are two places, joined by Hamilton: three times 50."""
    game = at_the_run("ERIE", "3")
    lay(game.state, "E11", "66", 0)  # one city SW and NE, the other W and NW
    lay(game.state, "D12", "7", 0)  # from E11 (SW) to D10 (W)
    lay(game.state, "D10", "64", 1)  # one of its cities E and SE
    assert earned(game, "ERIE run 3:E11-D12-D10+D10-E11") == 150


def test_a_run_may_use_both_cities_of_new_york() -> None:
    """1830/R-3 — New York 60, Reading & Allentown 10, Newark 60."""
    game = at_the_run("NYNH", "3")
    lay(game.state, "G19", "54", 0)  # one city SW and W, the other NW and NE
    lay(game.state, "G17", "2", 2)  # one of its towns NE and E
    lay(game.state, "F18", "7", 5)  # from G19 (SE) to G17 (SW)
    assert earned(game, "NYNH run 3:G19-G17+G17-F18-G19") == 130


@pytest.mark.parametrize(
    ("there", "back", "values"),
    [("I1-I3-H4", "H4-I5-J4-J2", (30, 40)), ("A9-B10", "B10-A11", (30, 30))],
)
def test_the_hexes_of_one_red_area_are_one_place(
    there: str, back: str, values: tuple[int, int]
) -> None:
    """1830/R-5 — from the Gulf to the Gulf, or from Canadian West to itself, is no run."""
    game = at_the_run("PRR", "3")
    lay(game.state, "H4", "63", 0)
    lay(game.state, "I3", "8", 1)
    lay(game.state, "I5", "8", 0)
    lay(game.state, "J4", "8", 1)
    lay(game.state, "B10", "14", 2)
    for hex_id in ("H4", "B10"):
        token(game.state, "PRR", hex_id)
    error = refused(game, f"PRR run 3:{there}+{back}")
    assert (error.reason, error.clause) == (Reason.STOP_TWICE, "1830/R-5")
    assert earned(game, f"PRR run 3:{there}") == sum(values)
    assert earned(game, f"PRR run 3:{back}") == sum(values)


def test_a_red_area_is_not_passed_through() -> None:
    """1830/R-5 — Chicago 40 ends the run from Toledo (20) as from Columbus (30)."""
    game = at_the_run("PRR", "3")
    lay(game.state, "F4", "57", 1)
    lay(game.state, "G3", "9", 2)
    lay(game.state, "H4", "14", 1)
    for hex_id in ("F4", "H4"):
        token(game.state, "PRR", hex_id)
    error = refused(game, "PRR run 3:F4-F2+F2-G3-H4")
    assert (error.reason, error.clause) == (Reason.THROUGH_TERMINUS, "1830/R-5")
    assert error.data == {"stop": "F2:0"}
    assert earned(game, "PRR run 3:F4-F2") == 60
    assert earned(game, "PRR run 3:F2-G3-H4") == 70


def test_a_run_does_not_turn_back_where_two_pieces_of_track_meet() -> None:
    """1830/R-6 — H14 leads from Altoona to Lancaster and to Baltimore, not between the two."""
    game = at_the_run("PRR", "2")
    lay(game.state, "H14", "23", 1)  # W and E, W and SE
    lay(game.state, "H16", "57", 1)
    lay(game.state, "I15", "53", 0)
    token(game.state, "PRR", "H16")
    assert refused(game, "PRR run 2:H16-H14-I15").reason is Reason.NO_SUCH_TRACK
    assert earned(game, "PRR run 2:H12-H14-H16") == 30
    assert earned(game, "PRR run 2:H12-H14-I15") == 60


# --- several trains -------------------------------------------------------------------------------


def test_trains_share_cities_and_their_runs_are_summed() -> None:
    """1830/R-7, R-14 — two 2-trains from Altoona: 10 + 20 to the west, 10 + 20 to the east."""
    game = at_the_run("PRR", "2", "2")
    row_h(game)
    assert earned(game, "PRR run 2:H12-H10 2:H12-H14-H16") == 60


def test_trains_do_not_share_track() -> None:
    """1830/R-7, R66 — the second train asks for the stretch that the first has used."""
    game = at_the_run("PRR", "2", "3")
    row_h(game)
    error = refused(game, "PRR run 2:H12-H10 3:H10-H12+H12-H14-H16")
    assert (error.reason, error.clause) == (Reason.TRACK_TWICE, "1830/R-7")
    assert error.data == {"train": "3", "leg": "H10-H12"}


def test_trains_do_not_share_the_end_where_two_pieces_overlap() -> None:
    """1830/R-7 — to Lancaster and to Baltimore by two pieces of H14 that begin at one hexside."""
    game = at_the_run("PRR", "2", "2")
    lay(game.state, "H14", "23", 1)
    lay(game.state, "H16", "57", 1)
    lay(game.state, "I15", "53", 0)
    error = refused(game, "PRR run 2:H12-H14-H16 2:H12-H14-I15")
    assert (error.reason, error.clause) == (Reason.TRACK_TWICE, "1830/R-7")
    assert error.data == {"train": "2", "leg": "H12-H14-I15"}


# --- cities full of tokens ------------------------------------------------------------------------


def b_and_o_at_pittsburgh(*kinds: str) -> Game:
    """The B&O in the row from the Gulf to Philadelphia, its token in Pittsburgh."""
    game = at_the_run("B&O", *kinds)
    gulf_to_philadelphia(game)
    token(game.state, "B&O", "H10")
    return game


def test_a_run_ends_at_a_full_city_and_does_not_pass_it() -> None:
    """1830/R-4 — the PRR's token fills Altoona for the B&O."""
    game = b_and_o_at_pittsburgh("3")
    token(game.state, "PRR", "H12")
    error = refused(game, "B&O run 3:H10-H12+H12-H14-H16")
    assert (error.reason, error.clause) == (Reason.CITY_FULL, "1830/R-4")
    assert error.data == {"stop": "H12:0"}
    assert earned(game, "B&O run 3:H10-H12") == 30


def test_an_own_token_lets_a_run_pass() -> None:
    """1830/R-4 — the B&O's token fills Pittsburgh: Columbus 30, Pittsburgh 20, Altoona 10."""
    game = b_and_o_at_pittsburgh("3")
    assert earned(game, "B&O run 3:H4-H6-H8-H10+H10-H12") == 60


def test_a_free_slot_lets_a_run_pass() -> None:
    """1830/R-4 — one foreign token in Columbus blocks nobody, a second does."""
    game = b_and_o_at_pittsburgh("3")
    token(game.state, "NYC", "H4")
    line = "B&O run 3:I1-I3-H4+H4-H6-H8-H10"
    assert earned(game, line) == 30 + 30 + 20
    token(game.state, "CPR", "H4")
    assert refused(game, line).data == {"stop": "H4:0"}


def test_a_home_without_its_token_blocks_nobody() -> None:
    """1830/R-10 — the PRR has never operated, so the B&O runs through Altoona: 20 + 10 + 20."""
    game = b_and_o_at_pittsburgh("3")
    assert earned(game, "B&O run 3:H10-H12+H12-H14-H16") == 50


def test_the_order_in_which_legs_are_named_is_of_no_account() -> None:
    """1830/R-4, R67 — the finished run is judged: through full Altoona in no order at all."""
    game = b_and_o_at_pittsburgh("4")
    legs = ["H4-H6-H8-H10", "H10-H12", "H12-H14-H16"]
    lines = ["B&O run 4:" + "+".join(order) for order in permutations(legs)]
    lines += [f"B&O run 4:{'+'.join('-'.join(leg.split('-')[::-1]) for leg in legs)}"]
    assert {earned(game, line) for line in lines} == {30 + 20 + 10 + 20}
    token(game.state, "PRR", "H12")
    assert {refused(game, line).reason for line in lines} == {Reason.CITY_FULL}


# --- Altoona --------------------------------------------------------------------------------------


def test_altoona_is_run_through_or_passed_outside() -> None:
    """1830/R-9 — 20 + 10 + 20 through the city, three places; 20 + 20 by the bypass, two."""
    game = at_the_run("PRR", "3")
    row_h(game)
    token(game.state, "PRR", "H16")
    assert earned(game, "PRR run 3:H10-H12+H12-H14-H16") == 50
    assert earned(game, "PRR run 3:H10-H12-H14-H16") == 40
    trains(game.state, "PRR", "2")
    assert earned(game, "PRR run 2:H10-H12-H14-H16") == 40


def test_the_bypass_of_altoona_is_never_blocked() -> None:
    """1830/R-9, R-2 — the PRR fills the city; the B&O passes outside with a 2-train."""
    game = b_and_o_at_pittsburgh("2")
    token(game.state, "PRR", "H12")
    assert earned(game, "B&O run 2:H10-H12-H14-H16") == 40


def test_the_bypass_and_the_city_share_their_ends() -> None:
    """1830/R-9, R-7, R-3 — two trains may not use both, nor one train."""
    game = at_the_run("PRR", "3", "2")
    row_h(game)
    token(game.state, "PRR", "H16")
    error = refused(game, "PRR run 3:H10-H12-H14-H16 2:H10-H12")
    assert (error.reason, error.clause) == (Reason.TRACK_TWICE, "1830/R-7")
    error = refused(game, "PRR run 3:H10-H12-H14-H16+H10-H12")
    assert (error.reason, error.clause) == (Reason.TRACK_TWICE, "1830/R-3")


# --- values ---------------------------------------------------------------------------------------

Lays = tuple[tuple[str, str, int], ...]
CHICAGO: Lays = (("F4", "57", 1),)
MARITIMES: Lays = (("C23", "9", 0), ("D22", "7", 3))
RED: list[tuple[str, Lays, str, int, int, int]] = [
    # leg, tiles, the own city at its end and what it is worth, the red area's two values
    ("F2-F4", CHICAGO, "F4", 20, 40, 70),
    ("I1-I3-H4", (("I3", "8", 1), ("H4", "57", 0)), "H4", 20, 30, 60),
    ("J2-I3-H4", (("I3", "9", 0), ("H4", "57", 0)), "H4", 20, 30, 60),
    ("A9-B10", (("B10", "57", 2),), "B10", 20, 30, 50),
    ("A11-B10", (("B10", "57", 0),), "B10", 20, 30, 50),
    ("B24-C23-D22-D24-E23", MARITIMES, "E23", 30, 20, 30),
    ("K13-J14", (("J14", "57", 0),), "J14", 20, 30, 40),
]


@pytest.mark.parametrize("number", ["2", "3", "4", "5", "6", "D"])
@pytest.mark.parametrize(("leg", "lays", "city", "value", "low", "high"), RED)
def test_a_red_area_is_worth_more_from_phase_five_on(
    leg: str, lays: Lays, city: str, value: int, low: int, high: int, number: str
) -> None:
    """1830/R-8, FIGF-Z-18 — the lower value in phases 2 to 4, the higher from 5 on."""
    game = at_the_run("PRR", "2")
    for one in lays:
        lay(game.state, *one)
    token(game.state, "PRR", city)
    phase(game.state, number)
    red = low if number in {"2", "3", "4"} else high
    assert earned(game, f"PRR run 2:{leg}") == value + red


@pytest.mark.parametrize(
    ("tiles", "value"),
    [
        ([("H10", "57", 1)], 20),
        ([("H10", "57", 1), ("H10", "14", 0)], 30),
        ([("H10", "57", 1), ("H10", "14", 0), ("H10", "63", 0)], 40),
    ],
)
def test_a_city_is_worth_what_its_tile_of_now_says(
    tiles: list[tuple[str, str, int]], value: int
) -> None:
    """1830/R-8 — Pittsburgh yellow 20, green 30, brown 40; Altoona's 10 besides."""
    game = at_the_run("PRR", "2")
    for one in tiles:
        lay(game.state, *one)
    assert earned(game, "PRR run 2:H12-H10") == 10 + value


GREY: list[tuple[str, Lays, str, int, int]] = [
    # leg, tiles, where the own token lies, the grey place's value, the other place's
    ("D2-D4", (("D4", "4", 1),), "D2", 20, 10),
    ("F6-G5-H4", (("G5", "9", 0), ("H4", "57", 0)), "F6", 30, 20),
    ("D14-E13-E11", (("E13", "8", 1), ("E11", "59", 4)), "D14", 20, 40),
    ("K15-J14", (("J14", "57", 2),), "K15", 20, 20),
    ("A19-B20", (("B20", "4", 2),), "A19", 40, 10),
    ("C15-B16", (("B16", "57", 0),), "B16", 10, 20),
    ("I19-H18", (("H18", "59", 5),), "H18", 10, 40),
    ("F24-E23", (), "E23", 10, 30),
]


@pytest.mark.parametrize(("leg", "lays", "city", "grey", "other"), GREY)
def test_grey_cities_and_towns_count_as_usual(
    leg: str, lays: Lays, city: str, grey: int, other: int
) -> None:
    """1830/R-12 — Lansing 20, Cleveland 30, Rochester 20, Richmond 20, Montreal 40; Kingston,
    Atlantic City and Mansfield 10."""
    game = at_the_run("PRR", "2")
    for one in lays:
        lay(game.state, *one)
    token(game.state, "PRR", city)
    assert earned(game, f"PRR run 2:{leg}") == grey + other


def test_a_city_without_a_tile_is_in_no_run() -> None:
    """1830/R-13 — Barrie lies beside Canadian West, and has no track."""
    game = at_the_run("PRR", "2")
    token(game.state, "PRR", "B10")
    error = refused(game, "PRR run 2:A9-B10")
    assert error.reason is Reason.NO_SUCH_TRACK


# --- what is claimed ------------------------------------------------------------------------------


def test_without_trains_nothing_is_run_and_nothing_earned() -> None:
    """1830/R-15, D-5 — track laid or not, the turn goes on to the trains and the price falls.

    From 100 (row 0, column 6) one left: 90.
    """
    game = positions.after_auction()
    positions.company(game.state, "PRR", 100, p1=6)
    operating_round(game, "PRR")
    row_h(game)
    money = game.state.corporations["PRR"].cash
    play(game, "PRR pass\nPRR pass")  # no tile, no token
    assert isinstance(game.state.round, Operating)
    assert game.state.round.step is Step.TRAINS
    assert game.state.corporations["PRR"].cash == money
    assert game.state.price(game.state.corporations["PRR"]) == 90
    positions.check_invariants(game.state)


@pytest.mark.parametrize("preset", PRESETS)
def test_less_than_the_best_may_be_claimed(preset: str) -> None:
    """1830/R-16 — a legal set of runs is enough: 60, 30, or none at all, which earns nothing."""
    game = at_the_run("PRR", "2", "2", preset=preset)
    row_h(game)
    assert earned(game, "PRR run 2:H12-H10 2:H12-H14-H16") == 60
    assert earned(game, "PRR run 2:H12-H10") == 30
    play(game, "PRR run")
    assert isinstance(game.state.round, Operating)
    assert game.state.round.step is Step.TRAINS  # nothing to pay out: withheld
    assert game.state.price(game.state.corporations["PRR"]) == 90


@pytest.mark.parametrize("preset", PRESETS)
def test_the_runs_that_are_offered_are_legal_and_different(preset: str) -> None:
    """1830/R-1, R68 — who looks for runs and who judges them never disagree."""
    game = at_the_run("PRR", "2", preset=preset)
    gulf_to_philadelphia(game)
    offered = [option.action for option in game.options() if isinstance(option.action, Run)]
    assert len(set(offered)) == len(offered)
    for action in offered[1:]:
        assert earned(game, action) > 0
    assert parse("PRR run 2:H12-H10") in offered
    assert parse("PRR run 2:H12-H14-H16") in offered
    assert parse("PRR run 2:H10-H12") not in offered  # the same run, the other way


# --- a second judge -------------------------------------------------------------------------------
#
# Straight from the clauses, by way of a graph. Its corners are revenue places (hex, number) and
# hexsides, a hexside being the set of the two hexes that it parts; each piece of track joins two
# corners. A run is then the set of the pieces it covers, and a legal one is a simple path in that
# graph between two places, whatever the order in which its legs are told. Neither the engine's
# numbering of hexsides nor its table of neighbours is used.

Corner = frozenset[str] | tuple[str, int]
STEPS = ((1, -1), (0, -2), (-1, -1), (-1, 1), (0, 2), (1, 1))  # rows and numbers for edges 0 to 5


def beyond(hex_id: str, edge: int) -> str:
    """The hex on the other side of an edge, by its name alone."""
    rows, numbers = STEPS[edge]
    return f"{chr(ord(hex_id[0]) + rows)}{int(hex_id[1:]) + numbers}"


@dataclass(frozen=True)
class Piece:
    hex: str
    ends: frozenset[Corner]


class Judge:
    """What lies on a board, and what a run over it is worth: None for an illegal one."""

    def __init__(self, state: State) -> None:
        self.state = state
        self.pieces = {
            hex_id: [frozenset(self.corner(hex_id, end) for end in path) for path in laid.paths]
            for hex_id, laid in state.board.items()
        }

    @staticmethod
    def corner(hex_id: str, end: int) -> Corner:
        return (hex_id, ~end) if end < 0 else frozenset((hex_id, beyond(hex_id, end)))

    def covered(self, leg: tuple[str, ...]) -> list[Piece] | None:
        """The pieces of track of a leg, which goes from a place to a place."""
        sides = [frozenset(pair) for pair in pairwise(leg)]
        if not sides:
            return None
        found = []
        for number, hex_id in enumerate(leg):
            beside = sides[max(0, number - 1) : number + 1]  # the hexsides it enters and leaves by
            at_an_end = number in {0, len(leg) - 1}
            fitting = [
                Piece(hex_id, ends)
                for ends in self.pieces.get(hex_id, ())
                if set(beside) <= ends and any(isinstance(one, tuple) for one in ends) == at_an_end
            ]
            if len(fitting) != 1:
                return None
            found += fitting
        return found

    def stops(self, route: Route) -> list[tuple[str, int]] | None:
        """R-1, R-3, R-6 — the places of a simple path, or None if the run is none: each hexside
        joins two pieces on either side of it, each place at most two, and all of them are met on
        the way from one end to the other."""
        legs = [self.covered(leg) for leg in route.legs]
        todo = [piece for leg in legs for piece in leg or ()]
        if None in legs or len(set(todo)) < len(todo):
            return None
        at: dict[Corner, list[Piece]] = defaultdict(list)
        for piece in todo:
            for corner in piece.ends:
                at[corner].append(piece)
        ends = [one for one, pieces in at.items() if len(pieces) == 1]
        if len(ends) != 2 or any(not self.joins(*each) for each in at.items()):
            return None
        line, left = [ends[0]], set(todo)
        while ahead := [piece for piece in at[line[-1]] if piece in left]:
            left.remove(ahead[0])
            line += ahead[0].ends - {line[-1]}
        return None if left else [one for one in line if isinstance(one, tuple)]

    @staticmethod
    def joins(corner: Corner, pieces: list[Piece]) -> bool:
        """Whether a run may have these pieces at this corner."""
        if isinstance(corner, tuple):
            return len(pieces) <= 2
        return len(pieces) == 2 and pieces[0].hex != pieces[1].hex

    def judge(self, run: Run) -> list[list[tuple[str, int]]] | None:
        """The places of each route of a legal run."""
        trains = self.state.title.trains
        owned = self.state.corporations[run.actor].trains
        if Counter(route.train for route in run.routes) - Counter(owned):
            return None
        told = []
        used: Counter[Corner] = Counter()
        for route in run.routes:
            stops = self.stops(route)
            if stops is None or not self.may_stop(run.actor, stops):
                return None
            reach = trains[route.train].reach
            if len(stops) < 2 or (reach is not None and len(stops) > reach):
                return None
            told.append(stops)
            used.update({frozenset(pair) for leg in route.legs for pair in pairwise(leg)})
        return None if any(times > 1 for times in used.values()) else told

    def may_stop(self, symbol: str, stops: list[tuple[str, int]]) -> bool:
        """R-1, R-4, R-5 — an own token, no place twice, none passed that ends a run."""
        nodes = [self.state.board[hex_id].tile.nodes[number] for hex_id, number in stops]
        tokens = [self.state.stations.get(place, ()) for place in stops]
        areas = [node.group for node in nodes if node.group]
        ends = [
            node.kind == "offboard"
            or (node.kind == "city" and len(there) >= node.slots and symbol not in there)
            for node, there in zip(nodes, tokens, strict=True)
        ]
        return (
            any(symbol in there for there in tokens)
            and len(set(areas)) == len(areas)
            and not any(ends[1:-1])
        )

    def value(self, run: Run) -> int | None:
        told = self.judge(run)
        if told is None:
            return None
        number = self.state.title.phases[self.state.phase].id
        board = self.state.board
        return sum(board[h].tile.nodes[n].values[number] for stops in told for h, n in stops)


def engine_value(state: State, run: Run) -> tuple[int | None, str]:
    """What the engine says of a run, and why if it refuses it."""
    try:
        return routes.earnings(state, run), ""
    except IllegalAction as error:
        return None, error.reason
    except MalformedAction:
        return None, "malformed"


@dataclass
class Recorded:
    """A run of a recorded game: the position before it, the run, what the truth says of it."""

    state: State
    run: Run
    total: int
    stops: list[list[tuple[str, int]]]


@pytest.fixture(scope="module")
def recorded(cases: Path) -> list[Recorded]:
    """Every run of every recorded game of 1830, with the position it was made in."""
    found = []
    for path in sorted((cases / "1830").glob("*.truth.json.gz")):
        truth = json.loads(gzip.decompress(path.read_bytes()))
        runs = {one["i"]: one for one in truth["runs"]}
        file = json.loads(path.with_name(path.name.replace(".truth.json.gz", ".json")).read_text())
        before: State | None = None
        for number, (_, game) in enumerate(interchange.replay(file)):
            if number in runs:
                run = game.log[-1]
                assert isinstance(run, Run)
                assert before is not None
                told = runs[number]
                stops = [
                    [(stop[0], stop[2]) for stop in route["stops"]] for route in told["routes"]
                ]
                found.append(Recorded(before, run, told["total"], stops))
            if number + 1 in runs:
                before = game.state.copy()
    assert found
    return found


def test_every_recorded_run_is_legal_and_worth_what_it_earned(recorded: list[Recorded]) -> None:
    """1830/R-1..R-14 — by the engine and by the second judge, with the very stops on record."""
    for one in recorded:
        judge = Judge(one.state)
        told = judge.judge(one.run)
        assert told is not None, str(one.run)
        for stops, known in zip(told, one.stops, strict=True):
            assert stops in (known, known[::-1])
        assert judge.value(one.run) == routes.earnings(one.state, one.run) == one.total


def further(judge: Judge, route: Route) -> Iterator[tuple[str, ...]]:
    """Legs that lead on from either end of a route, by any track that begins there."""
    for end in (route.legs[0], route.legs[-1]):
        for leg in (end, end[::-1]):
            for edge in range(6):
                passed: tuple[str, ...] = (leg[-1], beyond(leg[-1], edge))
                while passed and len(passed) < 9:
                    if judge.covered(passed):
                        yield passed
                        break
                    ways = [
                        next(iter(side - {passed[-1]}))
                        for ends in judge.pieces.get(passed[-1], ())
                        if frozenset(passed[-2:]) in ends
                        for side in ends - {frozenset(passed[-2:])}
                        if isinstance(side, frozenset)
                    ]
                    passed = (*passed, ways[0]) if ways else ()


def with_route(run: Run, number: int, *made: Route) -> Run:
    """The run with its route of that number replaced by others."""
    return Run(run.actor, (*run.routes[:number], *made, *run.routes[number + 1 :]))


def mutants(judge: Judge, one: Recorded, rng: random.Random) -> Iterator[Run]:
    """Runs a little beside the one on record: legal some, illegal most."""
    run, hexes, state = one.run, list(one.state.board), one.state
    number = rng.randrange(len(run.routes))
    route = run.routes[number]
    train, legs = route.train, list(route.legs)
    cut = rng.randrange(len(legs))
    leg = legs[cut]
    # a leg dropped, the legs shuffled, a leg turned round
    yield with_route(run, number, Route(train, (*legs[:cut], *legs[cut + 1 :])))
    yield with_route(run, number, Route(train, tuple(rng.sample(legs, len(legs)))))
    yield with_route(run, number, Route(train, (*legs[:cut], leg[::-1], *legs[cut + 1 :])))
    # a hex swapped for a neighbour, or for any other
    place = rng.randrange(len(leg))
    for other in (beyond(leg[place], rng.randrange(6)), rng.choice(hexes)):
        changed = (*leg[:place], other, *leg[place + 1 :])
        yield with_route(run, number, Route(train, (*legs[:cut], changed, *legs[cut + 1 :])))
    # a stop repeated: a leg told twice, there and back
    yield with_route(run, number, Route(train, (*legs, leg)))
    yield with_route(run, number, Route(train, (*legs, leg[::-1])))
    # two legs told as one, as if the stop between them were passed
    if len(legs) > 1:
        joined = (*legs[0], *legs[1][1:])
        yield with_route(run, number, Route(train, (joined, *legs[2:])))
    # a longer run by the same train, by another, by one that is not owned
    longer = sorted(set(further(judge, route)))
    for ahead in rng.sample(longer, min(3, len(longer))):
        yield with_route(run, number, Route(train, (*legs, ahead)))
        yield with_route(run, number, Route("D", (*legs, ahead)))
        yield with_route(run, number, Route(train, (ahead,)))
    for kind in state.title.trains:
        yield with_route(run, number, Route(kind, route.legs))
    # a train run twice, all routes by one train, each leg a route of its own, another's run
    yield Run(run.actor, (*run.routes, route))
    every = tuple(leg for each in run.routes for leg in each.legs)
    yield Run(run.actor, (Route(train, every),))
    yield Run(run.actor, tuple(Route(train, (each,)) for each in every))
    yield Run(rng.choice(list(state.corporations)), run.routes)


def test_the_engine_and_the_second_judge_agree_on_runs_that_are_not_on_record(
    recorded: list[Recorded],
) -> None:
    """1830/R-1..R-14, R66, R67, R68 — each recorded run altered in a score of ways: both say the
    same, and all that can be wrong with a run comes up. For every second one a diesel and a 2-train
    are lent, so that a longer run and a second train are judged by more than who owns them."""
    rng = random.Random(1830)
    reasons: Counter[str] = Counter()
    for number, one in enumerate(recorded):
        judge = Judge(one.state)
        corporation = one.state.corporations[one.run.actor]
        owned = corporation.trains
        corporation.trains = owned + ["D", "2"] * (number % 2)
        for run in mutants(judge, one, rng):
            value, reason = engine_value(one.state, run)
            assert judge.value(run) == value, f"{run}: {reason}"
            reasons[reason] += 1
        corporation.trains = owned
    assert reasons[""] > 300  # legal
    expected = {
        *(Reason.NO_SUCH_TRAIN, Reason.TRAIN_RUNS_ONCE, Reason.NO_SUCH_TRACK, Reason.STOP_TWICE),
        *(Reason.TRACK_TWICE, Reason.TOO_MANY_STOPS, Reason.NO_OWN_TOKEN, Reason.CITY_FULL),
        *(Reason.TOO_FEW_STOPS, Reason.LEGS_APART, Reason.THROUGH_TERMINUS),
    }
    assert expected <= reasons.keys(), expected - reasons.keys()
