"""1830/L — tiles: which may come where, what they must reach, what they cost; FIGF-P-02.

Edges count clockwise from south-west: 0 SW, 1 W, 2 NW, 3 NE, 4 E, 5 SE. The Pennsylvania (PRR)
begins in Altoona, H12, whose printed track leads west to H10 (Pittsburgh) and east to H14.
"""

from __future__ import annotations

from itertools import product

import pytest

from pbem.engine.actions import LayTile, parse
from pbem.engine.errors import IllegalAction, MalformedAction, Reason
from pbem.engine.facts import title
from pbem.engine.game import Game
from pbem.engine.state import Step
from pbem.tests.positions import (
    cash,
    check_invariants,
    company,
    lay,
    operating_round,
    play,
    refused,
    token,
    turn_of,
)

PRESETS = ("figf", "18xx")
TILES = title("1830").tiles
HEXES = title("1830").hexes
PLAIN, TOWN, TOWNS, CITY = {"7", "8", "9"}, {"3", "4", "58"}, {"1", "2", "55", "56", "69"}, {"57"}


def reason(game: Game, line: str) -> Reason:
    return refused(game, line)[0]


def rotations(game: Game, line: str) -> set[int]:
    """The rotations with which the tile of this line keeps the old track: whether it is reached is
    asked only afterwards."""
    return {turn for turn in range(6) if reason(game, f"{line} {turn}") is Reason.NOT_CONNECTED}


def legal(game: Game, line: str) -> bool:
    try:
        game.check(parse(line))
    except IllegalAction:
        return False
    return True


def lies(game: Game, hex_id: str) -> tuple[str, int]:
    here = game.state.board[hex_id]
    return here.tile.id, here.rotation


# --- one tile a turn ------------------------------------------------------------------------------


def test_a_turn_has_one_yellow_tile_on_an_empty_hex() -> None:
    """1830/L-1 — a second tile is refused, also after the step has passed."""
    game = play(turn_of("PRR"), "PRR lay H10 57 1")
    assert lies(game, "H10") == ("57", 1)
    assert game.state.supply["57"] == 4 - 1
    assert reason(game, "PRR lay H14 9 1") is Reason.TILE_ALREADY_LAID
    check_invariants(game.state)


def test_a_turn_has_one_replacement_instead() -> None:
    """1830/L-1, L-2 — the replaced tile returns to the supply."""
    game = turn_of("PRR")
    lay(game.state, "H10", "57", 1)
    play(game, "PRR lay H10 14 0")
    assert lies(game, "H10") == ("14", 0)
    assert game.state.supply["57"] == 4
    assert game.state.supply["14"] == 3 - 1
    assert reason(game, "PRR lay H14 9 1") is Reason.TILE_ALREADY_LAID
    check_invariants(game.state)


def test_a_printed_yellow_hex_takes_a_green_tile() -> None:
    """1830/L-1 — Boston, printed with track to 3 and 5, takes 53 turned so as to keep it."""
    game = play(turn_of("B&M"), "B&M lay E23 53 1")  # 0, 2, 4 turned once: 1, 3, 5
    assert lies(game, "E23") == ("53", 1)
    check_invariants(game.state)


def test_a_tile_is_laid_in_its_step_only() -> None:
    """1830/L-1, O-5 — not once the corporation has passed on to its token."""
    game = turn_of("PRR")
    lay(game.state, "H10", "57", 1)  # so that a token could be placed
    play(game, "PRR pass")
    assert refused(game, "PRR lay H14 9 1") == (Reason.WRONG_STEP, {"step": "token"})


@pytest.mark.parametrize(
    ("line", "where"),
    [
        ("PRR lay Z99 57 1", "hex"),
        ("PRR lay H10 570 1", "tile"),
        ("PRR lay H10 57 6", "rotation"),
        ("PRR lay H10 57 -1", "rotation"),
    ],
)
def test_what_is_no_tile_or_no_hex_makes_no_sense(line: str, where: str) -> None:
    """1830/L-1 — refused as senseless, not as forbidden."""
    with pytest.raises(MalformedAction) as refusal:
        turn_of("PRR").apply(parse(line))
    assert refusal.value.where == where


# --- colours and supply ---------------------------------------------------------------------------

COLOURS_BY_PHASE = {
    "2": {"yellow"},
    "3": {"yellow", "green"},
    "4": {"yellow", "green"},
    "5": {"yellow", "green", "brown"},
    "6": {"yellow", "green", "brown"},
    "D": {"yellow", "green", "brown"},
}


@pytest.mark.parametrize("at", COLOURS_BY_PHASE)
@pytest.mark.parametrize(
    ("standing", "tile", "colour"),
    [(None, "57 1", "yellow"), ("57 1", "14 0", "green"), ("14 0", "63 0", "brown")],
)
def test_colours_come_with_the_phases(
    at: str, standing: str | None, tile: str, colour: str
) -> None:
    """1830/L-2 — yellow always, green from phase 3, brown from phase 5."""
    game = turn_of("PRR", at=at)
    if standing:
        lay(game.state, "H10", standing.split()[0], int(standing.split()[1]))
    if colour in COLOURS_BY_PHASE[at]:
        play(game, f"PRR lay H10 {tile}")
    else:
        said = {"tile": tile.split(maxsplit=1)[0], "colour": colour, "phase": at}
        assert refused(game, f"PRR lay H10 {tile}") == (Reason.COLOUR_NOT_YET, said)


@pytest.mark.parametrize(
    ("standing", "tile"),
    [
        (None, "14"),  # white to green
        (None, "63"),  # white to brown
        ("57", "63"),  # yellow to brown
        ("57", "57"),  # yellow to yellow
        ("14", "15"),  # green to green
        ("14", "57"),  # back
        ("63", "63"),  # brown to brown
    ],
)
def test_no_colour_is_skipped_nor_laid_twice(standing: str | None, tile: str) -> None:
    """1830/L-2 — white, yellow, green, brown, one after the other."""
    game = turn_of("PRR", at="5")
    if standing:
        lay(game.state, "H10", standing, 1)
    said = {"hex": "H10", "tile": tile, "old": standing or "H10"}
    for rotation in range(6):
        line = f"PRR lay H10 {tile} {rotation}"
        assert refused(game, line) == (Reason.NOT_AN_UPGRADE, said)


def test_a_tile_of_which_no_copy_is_left_is_not_laid() -> None:
    """1830/L-2, L-16 — the four 57s lie elsewhere."""
    game = turn_of("PRR")
    for hex_id in ("B10", "F4", "H4", "J14"):
        lay(game.state, hex_id, "57", 0)
    assert refused(game, "PRR lay H10 57 1") == (Reason.NO_TILE_LEFT, {"tile": "57"})


def test_a_replaced_tile_may_be_laid_again() -> None:
    """1830/L-2, L-16 — the last 57 comes back and serves the next corporation."""
    game = turn_of("PRR", kinds=("2",))
    state = game.state
    for hex_id in ("B10", "F4", "H4"):
        lay(state, hex_id, "57", 0)
    lay(state, "H10", "57", 1)
    cash(state, "PRR", 0)
    company(state, "NYC", 100, p2=6)
    operating_round(game, "PRR", "NYC", step=Step.TRACK)
    assert state.supply["57"] == 0
    play(game, "PRR lay H10 14 0\nPRR run")
    play(game, "NYC lay E19 57 0")
    assert state.supply["57"] == 0
    check_invariants(state)


# --- reach ----------------------------------------------------------------------------------------


def by_the_north(symbol: str, preset: str = "figf", at: str = "3", train: str = "") -> Game:
    """Track from Cleveland (F6) by G7, F8 and the town in F10 to G11, which it enters by edge 2;
    there an 8 leads on by edge 0 to H10 (Pittsburgh), still empty."""
    game = turn_of(symbol, preset, at, (train,) if train else ())
    lay(game.state, "G7", "2", 1)  # towns 1-4 and 2-3: F6 to F8 by the second
    lay(game.state, "F8", "8", 4)  # 4-0: F10 to G7
    lay(game.state, "F10", "58", 5)  # 5-1: G11 to F8
    lay(game.state, "G11", "8", 0)  # 0-2: H10 to F10
    return game


def test_a_tile_must_be_joined_to_a_token() -> None:
    """1830/L-3 — H10 and H14 lie at the ends of Altoona's track; G9 does not."""
    game = turn_of("PRR")
    said = {"hex": "G9", "corporation": "PRR"}
    assert refused(game, "PRR lay G9 9 0") == (Reason.NOT_CONNECTED, said)
    assert legal(game, "PRR lay H10 57 1")
    assert legal(game, "PRR lay H14 9 1")


def test_a_tile_on_the_right_hex_must_be_turned_to_the_track() -> None:
    """1830/L-3 — H10 is reached by its edge 4, which 57 (0-3) has turned once or four times."""
    game = turn_of("PRR")
    joined = {turn for turn in range(6) if legal(game, f"PRR lay H10 57 {turn}")}
    assert joined == {1, 4}


@pytest.mark.parametrize("rotation", range(6))
def test_any_orientation_serves_a_token_that_has_no_track_yet(rotation: int) -> None:
    """1830/L-3 — the New York Central at Albany in its first turn."""
    game = play(turn_of("NYC", at="2"), f"NYC lay E19 57 {rotation}")
    assert lies(game, "E19") == ("57", rotation)
    check_invariants(game.state)


@pytest.mark.parametrize("preset", PRESETS)
def test_a_city_full_of_others_stops_the_path(preset: str) -> None:
    """1830/L-3, L-15 — H8 lies beyond Pittsburgh: full of others' tokens it is not passed; with a
    free place it is."""
    game = turn_of("PRR", preset)
    lay(game.state, "H10", "57", 1)  # 1-4: H8 to H12, one place
    assert legal(game, "PRR lay H8 9 1")
    token(game.state, "NYC", "H10")
    assert reason(game, "PRR lay H8 9 1") is Reason.NOT_CONNECTED
    lay(game.state, "H10", "14", 0)  # two places
    assert legal(game, "PRR lay H8 9 1")
    token(game.state, "CPR", "H10")
    assert reason(game, "PRR lay H8 9 1") is Reason.NOT_CONNECTED


def test_a_full_city_with_an_own_token_is_passed() -> None:
    """1830/L-3, R-4 — the PRR has one of the two places of Pittsburgh, the NYC the other."""
    game = turn_of("PRR")
    lay(game.state, "H10", "14", 0)
    token(game.state, "NYC", "H10")
    token(game.state, "PRR", "H10")
    play(game, "PRR lay H8 9 1")
    check_invariants(game.state)


def test_the_full_city_itself_may_be_upgraded() -> None:
    """1830/L-3, L-15 — the path comes to it, though it does not go through."""
    game = turn_of("PRR")
    lay(game.state, "H10", "57", 1)
    token(game.state, "NYC", "H10")
    play(game, "PRR lay H10 14 0")
    assert game.state.stations["H10", 0] == ("NYC",)
    check_invariants(game.state)


def test_the_path_does_not_reverse_at_a_hexside() -> None:
    """1830/L-3, R-6 — on 24 two pieces meet at edge 0: who comes by 2 goes out by 0, not by 3."""
    game = by_the_north("C&O")
    lay(game.state, "G11", "24", 0)  # 0-3 and 0-2
    assert reason(game, "C&O lay F12 9 0") is Reason.NOT_CONNECTED  # beyond edge 3
    assert legal(game, "C&O lay H10 57 0")  # beyond edge 0


def test_the_path_does_not_lead_through_a_red_area() -> None:
    """1830/L-15 — the CPR comes to the Maritime Provinces (B24) from B22; C23, on their other
    side, it does not reach by them."""
    game = turn_of("CPR")
    lay(game.state, "B20", "58", 2)  # 2-4: Montreal to B22
    lay(game.state, "B22", "9", 1)  # 1-4: B20 to B24
    assert reason(game, "CPR lay C23 9 0") is Reason.NOT_CONNECTED  # 0-3: B24 by edge 3
    lay(game.state, "B22", "8", 5)  # 5-1: B20 to C23
    assert reason(game, "CPR lay C23 9 0") is Reason.NOT_CONNECTED  # turned away from B22
    assert legal(game, "CPR lay C23 8 0")  # 0-2: B22 by edge 2


def test_length_and_trains_do_not_matter() -> None:
    """1830/L-4 — without any train, four revenue places away, at what is a dead end."""
    game = by_the_north("C&O", at="2")
    assert game.state.corporations["C&O"].trains == []
    play(game, "C&O lay H10 57 0")  # Cleveland, Akron & Canton, Erie, Pittsburgh
    check_invariants(game.state)


def test_a_tile_may_make_no_run_possible() -> None:
    """1830/L-13 — a curve out of Altoona that ends before an empty hex."""
    game = play(turn_of("PRR", at="2"), "PRR lay H14 8 1")  # 1-3: G15
    check_invariants(game.state)


def test_without_a_token_on_the_map_nothing_is_laid() -> None:
    """1830/L-14 — not even in the home hex."""
    game = turn_of("NYC")
    game.state.corporations["NYC"].tokens.clear()
    game.state.stations.clear()
    assert refused(game, "NYC lay E19 57 0") == (Reason.NO_TOKEN_ON_MAP, {"corporation": "NYC"})


# --- fit ------------------------------------------------------------------------------------------


@pytest.mark.parametrize(
    ("line", "edge"),
    [
        ("B22 9 0", 3),  # 0-3: the north edge of the map
        ("I17 9 0", 0),  # 0-3: the sea
        ("G11 9 2", 5),  # 2-5: the north side of Altoona, grey, without track
        ("F8 8 5", 1),  # 5-1: the east side of Cleveland, grey, without track
        ("H2 9 0", 0),  # 0-3: the north-east side of the Gulf, red, without track
        ("C17 8 0", 2),  # 0-2: impassable, B16
        ("C11 8 3", 5),  # 3-5: impassable, D12
        ("D12 8 0", 2),  # 0-2: the same from its other side
        ("C13 8 4", 0),  # 4-0: impassable, D12
        ("D12 9 0", 3),  # 0-3: the same from its other side
        ("F8 8 0", 2),  # 0-2: impassable, E7
        ("E7 58 5", 5),  # 5-1: the same from its other side
    ],
)
def test_no_track_ends_at_nothing(line: str, edge: int) -> None:
    """1830/L-5 — the map's edge, a grey or red side without track, an impassable side."""
    said = {"hex": line.split(maxsplit=1)[0], "edge": edge}
    assert refused(turn_of("PRR"), f"PRR lay {line}") == (Reason.TRACK_INTO_NOTHING, said)


def test_track_may_end_at_the_blank_side_of_a_tile() -> None:
    """1830/L-5 — 9 in H14 leads to H16, whose 57 (0-3) has no track on that side."""
    game = turn_of("PRR")
    lay(game.state, "H16", "57", 0)
    play(game, "PRR lay H14 9 1")


@pytest.mark.parametrize("hex_id", ["H12", "F6", "D14", "A17", "F2", "K13", "F24"])
def test_grey_and_red_hexes_take_no_tile(hex_id: str) -> None:
    """1830/L-5, L-6 — nobody's tile, whatever it is."""
    game = turn_of("PRR", at="5")
    for tile in TILES:
        line = f"PRR lay {hex_id} {tile} 0"
        assert refused(game, line) == (Reason.FIXED_HEX, {"hex": hex_id})


# --- which tile on which hex ----------------------------------------------------------------------


@pytest.mark.parametrize(
    ("hex_id", "first"),
    [
        ("G11", PLAIN),
        ("I11", PLAIN),  # a mountain
        ("C19", PLAIN),  # water
        ("B20", TOWN),
        ("D4", TOWN),
        ("E7", TOWN),
        ("F10", TOWN),
        ("F20", TOWNS),
        ("G7", TOWNS),
        ("G17", TOWNS),
        *((hex_id, CITY) for hex_id in ("B10", "B16", "E19", "F4", "F16", "F22")),
        *((hex_id, CITY) for hex_id in ("H4", "H10", "H16", "J14")),
        *((hex_id, {"59"}) for hex_id in ("D10", "E5", "E11", "H18")),
        ("E23", {"53"}),
        ("I15", {"53"}),
        ("G19", {"54"}),
    ],
)
def test_each_kind_of_hex_has_its_tiles(hex_id: str, first: set[str]) -> None:
    """1830/L-6 — plain track, one town, two towns, city, OO, B, NY: no other tile comes first."""
    game = turn_of("PRR", at="5")
    others = {
        tile
        for tile in TILES
        if not legal(game, f"PRR lay {hex_id} {tile} 0")
        and reason(game, f"PRR lay {hex_id} {tile} 0") is Reason.NOT_AN_UPGRADE
    }
    assert others == TILES.keys() - first


# --- what an upgrade keeps ------------------------------------------------------------------------


@pytest.mark.parametrize(
    ("tile", "fits"),
    [  # each must have the gentle curve 0-2
        ("16", {0, 5}),  # 0-2, 1-3
        ("19", {4}),  # 0-3, 2-4: the curve 2-4 turned four times
        ("23", {2}),  # 0-3, 0-4
        ("24", {0}),  # 0-3, 0-2
        ("25", {0, 2}),  # 0-2, 0-4
        ("28", {2}),  # 0-4, 0-5
        ("29", {0}),  # 0-2, 0-1
    ],
)
def test_an_upgrade_of_8_keeps_its_curve(tile: str, fits: set[int]) -> None:
    """1830/L-7 — the rotations that keep 0-2, worked out by hand."""
    game = turn_of("PRR")
    lay(game.state, "G9", "8", 0)  # track may leave G9 by all six sides; the PRR is far from it
    assert rotations(game, f"PRR lay G9 {tile}") == fits
    wrong = min(set(range(6)) - fits)
    said = {"hex": "G9", "tile": tile, "rotation": wrong}
    assert refused(game, f"PRR lay G9 {tile} {wrong}") == (Reason.TRACK_NOT_KEPT, said)


@pytest.mark.parametrize("tile", ["18", "20", "26", "27"])
def test_8_is_not_replaced_by_a_tile_without_its_curve(tile: str) -> None:
    """1830/L-7 — 18, 20, 26 and 27 have no gentle curve."""
    game = turn_of("PRR")
    lay(game.state, "G9", "8", 0)
    assert rotations(game, f"PRR lay G9 {tile}") == set()
    assert reason(game, f"PRR lay G9 {tile} 0") is Reason.NOT_AN_UPGRADE


@pytest.mark.parametrize(
    ("hex_id", "standing", "tile", "fits"),
    [
        ("H8", "9", "20", {0, 2, 3, 5}),  # 0-3 and 1-4; 0-3 by either
        ("H8", "7", "27", {0}),  # 0-3, 0-1
        ("H8", "7", "28", {1}),  # 0-4, 0-5: the second turned once is 1-0
        ("H8", "24", "43", {0}),  # 0-3, 0-2, 1-3, 1-2: only so both 0-3 and 0-2
        ("H8", "20", "47", {0, 3}),  # 0-3, 1-4, 1-3, 0-4
        ("H4", "57", "14", {0, 2, 3, 5}),  # a city with 0, 1, 3, 4 keeps 0 and 3
        ("H4", "57", "15", {0, 3}),  # a city with 0, 1, 2, 3
    ],
)
def test_an_upgrade_keeps_every_piece(
    hex_id: str, standing: str, tile: str, fits: set[int]
) -> None:
    """1830/L-7 — plain track and cities, worked out by hand."""
    game = turn_of("PRR", at="5")
    lay(game.state, hex_id, standing, 0)  # track may leave H8 and H4 by all six sides
    assert rotations(game, f"PRR lay {hex_id} {tile}") == fits


@pytest.mark.parametrize(
    ("tile", "fits"),
    [  # 0 in one city and 2 in the other
        ("64", {2, 4}),  # cities 0-2 and 3-4: turned 5-0 | 2-4, and 4-0 | 1-2
        ("65", {0, 4}),  # 0-4 and 2-3
        ("66", {0, 5}),  # 0-3 and 1-2
        ("67", {0, 2}),  # 0-3 and 2-4
        ("68", {2, 5}),  # 0-3 and 1-4
    ],
)
def test_a_brown_double_city_never_joins_what_was_apart(tile: str, fits: set[int]) -> None:
    """1830/L-7, L-12, asks R49 — 59 with its cities at 0 and at 2; a rotation that would bring
    both into one city, or lose one, is refused."""
    game = turn_of("PRR", at="5")
    lay(game.state, "D10", "59", 0)
    assert rotations(game, f"PRR lay D10 {tile}") == fits
    for wrong in set(range(6)) - fits:
        assert reason(game, f"PRR lay D10 {tile} {wrong}") is Reason.TRACK_NOT_KEPT


@pytest.mark.parametrize("tile", [t.id for t in TILES.values() if t.colour == "brown"])
def test_brown_tiles_have_no_upgrade(tile: str) -> None:
    """1830/L-7 — whatever tile it is."""
    game = turn_of("PRR", at="6")
    lay(game.state, "H8", tile, 0)
    for other in TILES:
        assert reason(game, f"PRR lay H8 {other} 0") is Reason.NOT_AN_UPGRADE


@pytest.mark.parametrize("tile", sorted(TOWN | TOWNS))
def test_town_tiles_have_no_upgrade(tile: str) -> None:
    """1830/L-7, FIGF-P-02 (ITALIAN I-1 A) — so whether the variant counts towns as cities does not
    matter in 1830."""
    game = turn_of("PRR", at="6")
    lay(game.state, "F10", tile, 0)
    for other in TILES:
        assert reason(game, f"PRR lay F10 {other} 0") is Reason.NOT_AN_UPGRADE


# --- tokens on an upgrade -------------------------------------------------------------------------


def test_a_token_stays_in_the_city_that_keeps_its_track() -> None:
    """1830/L-11, L-12 — New York: the NYNH stands where edge 3 is; 54 has 0-1 in its first city
    and 2-3 in its second, and so has 62."""
    game = turn_of("NYNH", at="5")
    play(game, "NYNH lay G19 54 0")
    assert game.state.stations == {("G19", 1): ("NYNH",)}
    operating_round(game, "NYNH", step=Step.TRACK)
    play(game, "NYNH lay G19 62 0")
    assert game.state.stations == {("G19", 1): ("NYNH",)}
    assert game.state.corporations["NYNH"].tokens == [("G19", 1)]
    check_invariants(game.state)


@pytest.mark.parametrize(
    ("hex_id", "standing", "at"),
    [("D10", "59", "5"), ("H18", "59", "5"), ("H10", "57", "3"), ("H10", "14", "5")],
)
def test_every_upgrade_has_the_same_tokens_before_and_after(
    hex_id: str, standing: str, at: str
) -> None:
    """1830/L-11, L-12, asks R48 — for every upgrade and rotation: the same tokens, each in the
    city that has its old edges, no place lost."""
    begin = turn_of("PRR", at=at)
    lay(begin.state, hex_id, standing, 1)
    old = begin.state.board[hex_id]
    for city, symbol in zip(old.cities, ("NYC", "PRR"), strict=False):
        token(begin.state, symbol, hex_id, city)
    tried = 0
    for tile, turn in product(old.tile.upgrades, range(6)):
        line = f"PRR lay {hex_id} {tile} {turn}"
        if not legal(begin, line):
            continue
        game = play(begin.copy(), line)
        tried += 1
        new = game.state.board[hex_id]
        for city, symbol in zip(old.cities, ("NYC", "PRR"), strict=False):
            (now,) = (c for h, c in game.state.corporations[symbol].tokens if h == hex_id)
            assert set(old.from_node[city]) <= set(new.from_node[now])
            assert new.tile.nodes[now].slots >= old.tile.nodes[city].slots
        check_invariants(game.state)
    assert tried >= 2


# --- cost -----------------------------------------------------------------------------------------


def with_track(game: Game, *tiles: str) -> Game:
    """The same game with these tiles on the board: "H10 57 1"."""
    for one in tiles:
        hex_id, tile, rotation = one.split()
        lay(game.state, hex_id, tile, int(rotation))
    return game


TERRAIN = [
    ("CPR", (), "B18 8 1", 80),  # water; 1-3: Montreal to B16
    ("NYC", ("E19 57 1",), "E17 9 1", 120),  # mountain; 1-4: Albany to E15
    ("PRR", ("H10 15 2",), "I11 9 2", 120),  # mountain; 2-5: Pittsburgh to J12
    ("C&O", ("G5 7 2",), "F4 57 2", 80),  # water, a city; 2-5: G5 to E3
    ("NYNH", (), "G19 54 0", 80),  # printed yellow: paid with the green tile
    ("C&O", ("G5 7 2", "F4 14 2"), "E5 59 0", 80),
    ("NYC", ("D12 9 1",), "D10 59 2", 80),  # from its token in Rochester, D14
    ("B&M", (), "E23 53 1", 0),  # printed yellow, on plain ground
    ("B&O", (), "I15 53 0", 0),
    ("PRR", (), "H10 57 1", 0),
    ("PRR", (), "H14 9 1", 0),
]


@pytest.mark.parametrize(("symbol", "track", "lay_", "price"), TERRAIN)
def test_the_first_tile_pays_for_the_terrain(
    symbol: str, track: tuple[str, ...], lay_: str, price: int
) -> None:
    """1830/L-9 — 80 for water, 120 for mountains, to the bank; with a dollar less it is refused."""
    game = with_track(turn_of(symbol), *track)
    game.state.owners.clear()  # no private blocks
    if symbol == "NYC" and "D10" in lay_:
        token(game.state, "NYC", "D14")
    line = f"{symbol} lay {lay_}"
    if price:
        cash(game.state, symbol, price - 1)
        said = {"cash": price - 1, "price": price}
        assert refused(game, line) == (Reason.NO_MONEY, said)
    cash(game.state, symbol, price)
    bank = game.state.bank
    play(game, line)
    assert game.state.corporations[symbol].cash == 0
    assert game.state.bank == bank + price
    check_invariants(game.state)


@pytest.mark.parametrize(
    ("symbol", "track", "lay_"),
    [
        ("CPR", ("B18 8 1",), "B18 24 1"),  # 1-4, 1-3
        ("C&O", ("G5 7 2", "F4 57 2"), "F4 14 2"),
        ("NYC", ("E19 57 1", "E17 9 1"), "E17 20 1"),  # 1-4, 2-5
    ],
)
def test_later_upgrades_are_free(symbol: str, track: tuple[str, ...], lay_: str) -> None:
    """1830/L-9 — the terrain has been paid with the first tile."""
    game = with_track(turn_of(symbol, "18xx"), *track)
    cash(game.state, symbol, 0)
    play(game, f"{symbol} lay {lay_}")
    assert game.state.corporations[symbol].cash == 0
    check_invariants(game.state)


def test_brown_new_york_is_free() -> None:
    """1830/L-9 — 54 has paid for the water, 62 does not pay again."""
    game = turn_of("NYNH", at="5")
    play(game, "NYNH lay G19 54 0")
    assert game.state.corporations["NYNH"].cash == 1000 - 80
    operating_round(game, "NYNH", step=Step.TRACK)
    play(game, "NYNH lay G19 62 0")
    assert game.state.corporations["NYNH"].cash == 1000 - 80


# --- blocked hexes --------------------------------------------------------------------------------

BLOCKED = {
    "G15": ("SV", "9"),
    "B20": ("CS", "58"),
    "F16": ("DH", "57"),
    "D18": ("MH", "9"),
    "H18": ("CA", "59"),
    "I13": ("BO", "9"),
    "I15": ("BO", "53"),
}


@pytest.mark.parametrize("hex_id", BLOCKED)
@pytest.mark.parametrize("owner", ["1", "2"])
def test_a_players_private_blocks_its_hex(hex_id: str, owner: str) -> None:
    """1830/L-10, V-6, FIGF-Z-04, asks R30 — even for a corporation of its owner (player 1 is the
    president); SV has no other effect than this."""
    game = turn_of("PRR")
    private, tile = BLOCKED[hex_id]
    game.state.owners[private] = owner
    said = {"hex": hex_id, "private": private}
    for rotation in range(6):
        line = f"PRR lay {hex_id} {tile} {rotation}"
        assert refused(game, line) == (Reason.HEX_BLOCKED, said)


def test_a_private_blocks_upgrades_too() -> None:
    """1830/L-10 — the B&O private, open while the B&O has no train, in I13 and in Baltimore."""
    game = with_track(turn_of("B&O"), "I13 8 0")
    blocked = {"hex": "I13", "private": "BO"}
    assert refused(game, "B&O lay I13 24 0") == (Reason.HEX_BLOCKED, blocked)
    blocked = {"hex": "I15", "private": "BO"}
    assert refused(game, "B&O lay I15 53 0") == (Reason.HEX_BLOCKED, blocked)


@pytest.mark.parametrize("hex_id", [hex_id for hex_id, (p, _) in BLOCKED.items() if p != "BO"])
@pytest.mark.parametrize("owner", ["PRR", "NYC", None])
def test_a_corporations_or_a_closed_private_blocks_nothing(hex_id: str, owner: str | None) -> None:
    """1830/L-10, V-12, asks R30 — the block ends when a corporation buys the private, or when it
    closes: what then refuses these tiles is only that the PRR does not reach them."""
    game = turn_of("PRR")
    private, tile = BLOCKED[hex_id]
    if owner:
        game.state.owners[private] = owner
    else:
        del game.state.owners[private]
    found = {reason(game, f"PRR lay {hex_id} {tile} {turn}") for turn in range(6)}
    assert Reason.NOT_CONNECTED in found
    assert Reason.HEX_BLOCKED not in found


def test_baltimore_is_free_once_the_private_has_closed() -> None:
    """1830/L-10, V-11 — by the first train of the B&O."""
    game = turn_of("B&O", at="3", step=Step.TRAINS)
    play(game, "B&O train 3 bank 180\nB&O pass")
    operating_round(game, "B&O", step=Step.TRACK)
    play(game, "B&O lay I15 53 0")  # printed 0, 4; 53 has 0, 2, 4
    check_invariants(game.state)


# --- what an upgrade must reach: the permissive rule, and the Italian variant ---------------------


def crossroads(symbol: str, preset: str, train: str | None = "2", at: str = "3") -> Game:
    """G11 with an 8 (0-2) in the middle.

    South of it, by edge 0, Pittsburgh (H10), open to H8, G9, G11 and Altoona; north, by edge 2, the
    town in F10 and on to Cleveland; north-east, by edge 3, F12 leads to a city of E11.
    """
    game = by_the_north(symbol, preset, at, train or "")
    return with_track(
        game,
        "H10 15 1",  # 1, 2, 3, 4
        "F12 8 0",  # 0-2: G11 to E11
        "E11 59 3",  # cities at 3 and at 5, the second towards F12
    )


def without(game: Game, *hexes: str) -> Game:
    """The same game with these hexes empty again."""
    state = game.state
    for hex_id in hexes:
        state.supply[state.board[hex_id].tile.id] += 1
        state.board[hex_id] = state.title.hexes[hex_id].printed
    state.reaches = {}
    return game


@pytest.mark.parametrize("preset", PRESETS)
def test_8_to_24_for_who_arrives_by_edge_0(preset: str) -> None:
    """FIGF-P-02, 1830/L-8, Z-7 — ITALIAN.md: the new stretch is 0-3; the PRR comes by 0 and
    reaches a city beyond 3. Its 2-train would be too short for Altoona, Pittsburgh and E11: the
    range counts as unlimited (I-3 A)."""
    game = play(crossroads("PRR", preset), "PRR lay G11 24 0")
    assert lies(game, "G11") == ("24", 0)
    check_invariants(game.state)


@pytest.mark.parametrize("preset", PRESETS)
def test_8_to_24_for_who_arrives_by_edge_3(preset: str) -> None:
    """FIGF-P-02, 1830/Z-7 — ITALIAN.md: or it comes by 3, with a revenue place beyond 0."""
    game = crossroads("NYC", preset)
    token(game.state, "NYC", "E11", 1)
    play(game, "NYC lay G11 24 0")


@pytest.mark.parametrize("preset", PRESETS)
def test_8_to_24_for_who_arrives_by_edge_2(preset: str) -> None:
    """FIGF-P-02, 1830/Z-7 — ITALIAN.md: the C&O comes by 2 and can only go 2-0; a run
    between Pittsburgh and E11 would use 0-3, but has no token of its own."""
    game = crossroads("C&O", preset)
    if preset == "figf":
        said = {"hex": "G11", "tile": "24"}
        assert refused(game, "C&O lay G11 24 0") == (Reason.NEW_TRACK_UNUSED, said)
    else:
        play(game, "C&O lay G11 24 0")


@pytest.mark.parametrize("preset", PRESETS)
@pytest.mark.parametrize("line", ["PRR lay G11 16 0", "PRR lay G9 20 2"])
def test_the_blocking_upgrade(preset: str, line: str) -> None:
    """FIGF-P-02, 1830/Z-7 — ITALIAN.md: 8 → 16 (new 1-3) and 9 → 20 (new 0-3) by a corporation that
    cannot use the second track."""
    game = with_track(without(crossroads("PRR", preset), "F12"), "G9 9 2")  # 2-5: F8 to H10
    if preset == "figf":
        _, _, hex_id, tile, _ = line.split()
        assert refused(game, line) == (Reason.NEW_TRACK_UNUSED, {"hex": hex_id, "tile": tile})
    else:
        play(game, line)


@pytest.mark.parametrize("preset", PRESETS)
def test_8_to_16_for_who_uses_the_second_track(preset: str) -> None:
    """FIGF-P-02, 1830/Z-7 — Pittsburgh is joined to G9, this to G11: 1-3 leads on to E11."""
    game = with_track(crossroads("PRR", preset), "G9 7 4")  # 4-5: G11 to H10
    play(game, "PRR lay G11 16 0")


@pytest.mark.parametrize("preset", PRESETS)
def test_new_track_that_is_a_dead_end(preset: str) -> None:
    """FIGF-P-02, 1830/Z-7 — ITALIAN.md I-2 A: reached, but no run: without F12, or with F12 and no
    revenue place beyond it."""
    game = without(crossroads("PRR", preset), "E11")
    for position in (game, without(game.copy(), "F12")):
        if preset == "figf":
            assert reason(position, "PRR lay G11 24 0") is Reason.NEW_TRACK_UNUSED
        else:
            assert legal(position, "PRR lay G11 24 0")


@pytest.mark.parametrize("preset", PRESETS)
def test_a_corporation_without_a_train(preset: str) -> None:
    """FIGF-P-02, 1830/Z-7 — ITALIAN.md I-3 A: it must own one, of any kind."""
    game = crossroads("PRR", preset, train=None)
    if preset == "figf":
        said = {"corporation": "PRR"}
        assert refused(game, "PRR lay G11 24 0") == (Reason.NO_TRAIN_FOR_UPGRADE, said)
    else:
        assert legal(game, "PRR lay G11 24 0")
    for kind in ("2", "3", "4", "5", "6", "D"):
        game.state.corporations["PRR"].trains = [kind]
        assert legal(game, "PRR lay G11 24 0")


@pytest.mark.parametrize("preset", PRESETS)
def test_a_loop_back_to_the_same_city_is_no_run(preset: str) -> None:
    """FIGF-P-02, 1830/R-3 — 29 adds 0-1: out of Pittsburgh by G11, back by G9; nothing else."""
    game = with_track(without(crossroads("PRR", preset), "F10"), "G9 7 4")
    if preset == "figf":
        assert reason(game, "PRR lay G11 29 0") is Reason.NEW_TRACK_UNUSED
    else:
        assert legal(game, "PRR lay G11 29 0")


@pytest.mark.parametrize("preset", PRESETS)
def test_the_run_does_not_pass_a_full_city(preset: str) -> None:
    """FIGF-P-02, 1830/R-4 — the C&O, joined to G11 by edge 2, could run over 0-3 from its token in
    Columbus (H4), through Pittsburgh, to E11: while Pittsburgh has a free place."""
    game = with_track(crossroads("C&O", preset), "H8 9 1", "H6 9 1", "H4 57 1")
    token(game.state, "C&O", "H4")
    token(game.state, "NYC", "H10")
    assert legal(game, "C&O lay G11 24 0")
    token(game.state, "CPR", "H10")
    assert legal(game, "C&O lay G11 24 0") == (preset == "18xx")


@pytest.mark.parametrize("preset", PRESETS)
def test_a_run_may_end_in_a_full_city(preset: str) -> None:
    """FIGF-P-02, 1830/R-4 — the city of E11 beyond the new stretch is the NYC's alone."""
    game = crossroads("PRR", preset)
    token(game.state, "NYC", "E11", 1)
    assert legal(game, "PRR lay G11 24 0")


@pytest.mark.parametrize("preset", PRESETS)
def test_new_track_between_old_edges_is_new(preset: str) -> None:
    """FIGF-P-02, 1830/Z-7 — ITALIAN.md I-4 A: 29 (0-2, 0-1) → 39 adds 1-2 and no edge. With
    G9 a run goes from Pittsburgh by G9 over 1-2 to F10; without G9 nothing uses it."""
    game = with_track(crossroads("PRR", preset, at="5"), "G11 29 0", "G9 7 4")
    assert legal(game, "PRR lay G11 39 0")
    without(game, "G9")
    assert legal(game, "PRR lay G11 39 0") == (preset == "18xx")


@pytest.mark.parametrize("preset", PRESETS)
@pytest.mark.parametrize(
    ("at", "hex_id", "standing", "line"),
    [
        ("3", "H10", "57 1", "PRR lay H10 14 0"),  # the example of ITALIAN.md
        ("5", "H10", "15 1", "PRR lay H10 63 0"),
        ("5", "H18", "59 1", "PRR lay H18 65 5"),  # 1 and 3; turned: 5-3 and 1-2
    ],
)
def test_city_tiles_ask_no_new_track_and_no_train(
    preset: str, at: str, hex_id: str, standing: str, line: str
) -> None:
    """FIGF-P-02, 1830/L-8, Z-7 — ITALIAN.md I-5 A: the city is reached, that is enough."""
    game = with_track(turn_of("PRR", preset, at), f"{hex_id} {standing}")
    if hex_id == "H18":
        with_track(game, "H14 9 1", "H16 57 1")  # Altoona to Philadelphia, by its edge 1
    assert game.state.corporations["PRR"].trains == []
    play(game, line)
    check_invariants(game.state)


@pytest.mark.parametrize("preset", PRESETS)
def test_a_first_tile_needs_no_train(preset: str) -> None:
    """FIGF-P-02 — the variant speaks of replacing: a yellow tile may lead nowhere."""
    game = turn_of("PRR", preset, at="2")
    assert legal(game, "PRR lay H14 9 1")


@pytest.mark.parametrize("preset", PRESETS)
def test_a_train_does_not_help_who_is_not_joined(preset: str) -> None:
    """1830/L-8, Z-7 — permissive still means joined: the CPR in Montreal is not."""
    game = crossroads("CPR", preset)
    assert reason(game, "CPR lay G11 24 0") is Reason.NOT_CONNECTED


# --- what the options say -------------------------------------------------------------------------


@pytest.mark.parametrize("preset", PRESETS)
@pytest.mark.parametrize("symbol", ["PRR", "C&O"])
def test_the_options_name_every_legal_tile(preset: str, symbol: str) -> None:
    """1830/L-1..L-16 — every tile of the game, on every hex, turned every way, is tried: what
    passes is what the options name, no less and no more."""
    game = crossroads(symbol, preset)
    named = {one.action for one in game.options() if isinstance(one.action, LayTile)}
    tried = (LayTile(symbol, *one) for one in product(HEXES, TILES, range(6)))
    passed = set()
    for action in tried:
        try:
            game.check(action)
        except IllegalAction:
            continue
        passed.add(action)
    assert named == passed
    assert len(passed) > 20
