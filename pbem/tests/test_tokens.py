"""1830/K — tokens; 1830/F — the Erie, whose home is printed with two cities and no track."""

from __future__ import annotations

import pytest

from pbem.engine.actions import LayTile, PlaceToken, parse
from pbem.engine.errors import IllegalAction, MalformedAction, Reason
from pbem.engine.facts import title
from pbem.engine.game import Game
from pbem.engine.reach import reach
from pbem.engine.state import Operating, Step
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
TITLE = title("1830")
HOMES = {  # 1830/K-2: the printed home, and the edges of track of its city
    "PRR": ("H12", 0, {1, 4}),
    "NYC": ("E19", 0, set()),
    "CPR": ("A19", 0, {0, 5}),
    "B&O": ("I15", 0, {0, 4}),
    "C&O": ("F6", 0, {0, 5}),
    "NYNH": ("G19", 0, {3}),
    "B&M": ("E23", 0, {3, 5}),
}


def with_track(game: Game, *tiles: str) -> Game:
    """The same game with these tiles on the board: "H10 57 1"."""
    for one in tiles:
        hex_id, tile, rotation = one.split()
        lay(game.state, hex_id, tile, int(rotation))
    return game


def turn(game: Game) -> Operating:
    now = game.state.round
    assert isinstance(now, Operating)
    return now


def places(game: Game) -> set[tuple[str, int]]:
    """Where the options say that a token may be placed."""
    named = [one.action for one in game.options() if isinstance(one.action, PlaceToken)]
    return {(one.hex, one.city) for one in named}


# --- how many, and what they cost -----------------------------------------------------------------


@pytest.mark.parametrize(
    ("symbols", "prices"),
    [
        (("PRR", "NYC", "CPR"), (0, 40, 100, 100)),
        (("B&O", "C&O", "ERIE"), (0, 40, 100)),
        (("NYNH", "B&M"), (0, 40)),
    ],
)
def test_each_corporation_has_its_tokens(symbols: tuple[str, ...], prices: tuple[int, ...]) -> None:
    """1830/K-1 — the first free, the second at 40, the others at 100."""
    for symbol in symbols:
        assert TITLE.companies[symbol].tokens == prices


def test_tokens_cost_40_then_100_then_are_gone() -> None:
    """1830/K-1, K-7 — the PRR in Pittsburgh, Lancaster and Columbus; it has no fifth."""
    game = with_track(turn_of("PRR"), "H14 9 1", "H16 57 1", "H10 57 1", "H8 9 1", "H6 9 1")
    with_track(game, "H4 14 1")  # 1, 2, 4, 5: Columbus, joined to H6
    bank = game.state.bank
    for hex_id, spent in (("H10", 40), ("H16", 140), ("H4", 240)):
        operating_round(game, "PRR", step=Step.TOKEN)
        play(game, f"PRR token {hex_id} 0")
        assert game.state.corporations["PRR"].cash == 1000 - spent
        assert game.state.bank == bank + spent
        assert game.state.stations[hex_id, 0] == ("PRR",)
        check_invariants(game.state)
    assert game.state.corporations["PRR"].tokens == [(h, 0) for h in ("H12", "H10", "H16", "H4")]
    operating_round(game, "PRR", step=Step.TOKEN)
    assert refused(game, "PRR token H10 0") == (Reason.NO_TOKEN_LEFT, {"corporation": "PRR"})


@pytest.mark.parametrize(("placed", "price"), [(1, 40), (2, 100), (3, 100)])
def test_a_token_is_paid_from_the_corporations_cash(placed: int, price: int) -> None:
    """1830/K-7, K-1 — a dollar short, and it is refused, however rich the president."""
    game = with_track(turn_of("PRR"), "H10 57 1")
    for hex_id in ("D2", "D14")[: placed - 1]:
        token(game.state, "PRR", hex_id)
    cash(game.state, "PRR", price - 1)
    cash(game.state, "1", 2000)
    operating_round(game, "PRR", step=Step.TOKEN)
    said = {"cash": price - 1, "price": price}
    assert refused(game, "PRR token H10 0") == (Reason.NO_MONEY, said)
    cash(game.state, "PRR", price)
    play(game, "PRR token H10 0")
    assert game.state.corporations["PRR"].cash == 0


# --- the home token -------------------------------------------------------------------------------


@pytest.mark.parametrize("symbol", HOMES)
def test_the_home_token_is_placed_free_at_the_start_of_the_first_turn(symbol: str) -> None:
    """1830/K-2, asks R45 — in the printed city, whether or not there is track, before the tile;
    the NYNH's is the city with track towards F20 (edge 3)."""
    hex_id, city, edges = HOMES[symbol]
    game = turn_of(symbol, step=Step.HOME)
    assert game.state.corporations[symbol].tokens == [(hex_id, city)]
    assert game.state.stations == {(hex_id, city): (symbol,)}
    assert set(game.state.board[hex_id].from_node[city]) == edges
    assert game.state.corporations[symbol].cash == 1000
    assert turn(game).step is Step.TRACK
    check_invariants(game.state)


def test_track_may_be_built_at_home_in_the_first_turn() -> None:
    """1830/K-2, L-3, asks R45 — the token lies before the tile is laid."""
    game = play(turn_of("NYC", at="2", step=Step.HOME), "NYC lay E19 57 0")
    check_invariants(game.state)


def test_a_home_token_comes_with_the_first_turn_not_with_flotation() -> None:
    """1830/K-2, R-10, asks R46 — both have floated; the NYC's token lies once the PRR has done."""
    game = turn_of("PRR", at="2", step=Step.HOME)
    company(game.state, "NYC", 90, p2=6)
    operating_round(game, "PRR", "NYC")
    assert game.state.corporations["NYC"].floated
    assert set(game.state.stations) == {("H12", 0)}
    cash(game.state, "PRR", 0)
    play(game, "PRR pass")
    assert game.actor == "NYC"
    assert set(game.state.stations) == {("H12", 0), ("E19", 0)}


def test_the_home_token_is_placed_once() -> None:
    """1830/K-2 — in its second turn the corporation goes straight to its tile."""
    game = turn_of("PRR", step=Step.HOME)
    operating_round(game, "PRR")
    assert game.state.corporations["PRR"].tokens == [("H12", 0)]
    assert turn(game).step is Step.TRACK


def to_montreal() -> Game:
    """The NYC at its token step, joined by D20, C19 and B18 to Montreal (A19), home of the CPR."""
    game = with_track(turn_of("NYC"), "E19 57 0", "D20 8 0", "C19 9 2", "B18 8 3")
    return operating_round(game, "NYC", step=Step.TOKEN)


def test_a_home_of_one_place_is_kept() -> None:
    """1830/K-3 — nobody enters Montreal before the CPR has its token there, nor after."""
    game = to_montreal()
    said = {"hex": "A19", "corporation": "CPR"}
    assert refused(game, "NYC token A19 0") == (Reason.HOME_RESERVED, said)
    assert places(game) == set()
    token(game.state, "CPR", "A19")
    full = {"hex": "A19", "city": 0}
    assert refused(game, "NYC token A19 0") == (Reason.NO_FREE_SLOT, full)


@pytest.mark.parametrize("preset", PRESETS)
@pytest.mark.parametrize(
    ("others", "begun", "why"),
    [
        (0, False, None),  # one of two: the other is left for the NYC
        (1, False, Reason.HOME_RESERVED),  # the last
        (0, True, None),  # the NYC has one, the other is anybody's
        (1, True, Reason.NO_FREE_SLOT),
    ],
)
def test_of_two_places_at_home_one_is_kept(
    preset: str, others: int, begun: bool, why: Reason | None
) -> None:
    """1830/K-3, asks R45, R47 — Albany, turned green before the NYC has begun."""
    game = with_track(turn_of("CPR", preset), "E19 14 0", "D20 8 0", "C19 9 2", "B18 8 3")
    for symbol in ["NYNH"][:others] + ["NYC"][:begun]:
        token(game.state, symbol, "E19")
    operating_round(game, "CPR", step=Step.TOKEN)
    if why:
        assert refused(game, "CPR token E19 0")[0] is why
        return
    play(game, "CPR token E19 0")
    assert "CPR" in game.state.stations["E19", 0]
    if not begun:  # and the NYC comes to its own
        operating_round(game, "NYC")
        assert game.state.stations["E19", 0] == ("CPR", "NYC")
    check_invariants(game.state)


def test_a_kept_home_moves_with_its_track() -> None:
    """1830/K-3, L-11, asks R45 — New York, before the NYNH has begun: on 54 its city is the one
    with edges 2 and 3; the other is free."""
    game = with_track(turn_of("NYC"), "E19 57 0", "F18 9 0", "G17 2 2")  # to G19 by its edge 1
    play(game, "NYC lay G19 54 0")
    said = {"hex": "G19", "corporation": "NYNH"}
    assert refused(game, "NYC token G19 1") == (Reason.HOME_RESERVED, said)
    play(game, "NYC token G19 0")
    operating_round(game, "NYNH")
    assert game.state.stations["G19", 1] == ("NYNH",)
    check_invariants(game.state)


# --- further tokens -------------------------------------------------------------------------------


def test_a_turn_has_one_token() -> None:
    """1830/K-4 — the second is refused."""
    game = with_track(turn_of("PRR", kinds=("2",)), "H10 57 1", "H14 9 1", "H16 57 1")
    play(game, "PRR pass\nPRR token H10 0")
    assert refused(game, "PRR token H16 0")[0] is Reason.TOKEN_ALREADY_PLACED


def test_a_token_is_placed_after_the_tile() -> None:
    """1830/K-4, O-5 — not in the step of tiles, nor once the trains have run."""
    game = with_track(turn_of("PRR", kinds=("2",)), "H10 57 1")
    assert refused(game, "PRR token H10 0") == (Reason.WRONG_STEP, {"step": "track"})
    play(game, "PRR pass\nPRR pass")
    assert refused(game, "PRR token H10 0") == (Reason.WRONG_STEP, {"step": "run"})


def test_a_token_needs_track_to_an_own_one() -> None:
    """1830/K-4 — Columbus is joined to nothing; Pittsburgh, at a dead end, is."""
    game = with_track(turn_of("PRR"), "H10 57 1", "H4 57 1")
    operating_round(game, "PRR", step=Step.TOKEN)
    said = {"hex": "H4", "corporation": "PRR"}
    assert refused(game, "PRR token H4 0") == (Reason.NOT_CONNECTED, said)
    play(game, "PRR token H10 0")


@pytest.mark.parametrize(("others", "free"), [(0, True), (1, True), (2, False)])
def test_no_token_beyond_or_into_a_full_city(others: int, free: bool) -> None:
    """1830/K-4, L-15 — Pittsburgh with two places; beyond it Columbus."""
    game = with_track(turn_of("PRR"), "H10 14 0", "H8 9 1", "H6 9 1", "H4 14 1")
    for symbol in ("NYC", "CPR")[:others]:
        token(game.state, symbol, "H10")
    operating_round(game, "PRR", step=Step.TOKEN)
    if free:
        assert places(game) == {("H10", 0), ("H4", 0)}
        play(game.copy(), "PRR token H4 0")
        play(game, "PRR token H10 0")
        check_invariants(game.state)
    else:
        assert refused(game, "PRR token H4 0")[0] is Reason.NOT_CONNECTED
        said = {"hex": "H10", "city": 0}
        assert refused(game, "PRR token H10 0") == (Reason.NO_FREE_SLOT, said)


def test_the_token_step_is_passed_over_where_no_token_can_be_placed() -> None:
    """1830/K-4, O-6 — no city, no money, no token: the turn goes on to the trains by itself."""
    for change in ("city", "money", "token"):
        game = turn_of("PRR")
        if change != "city":
            with_track(game, "H10 57 1")
        if change == "money":
            cash(game.state, "PRR", 39)
        if change == "token":
            for hex_id in ("D2", "D14", "K15"):
                token(game.state, "PRR", hex_id)
        play(game, "PRR pass")
        assert turn(game).step is Step.TRAINS, change


@pytest.mark.parametrize(
    ("hex_id", "tile", "track"),
    [
        ("H18", "59 1", ("H14 9 1", "H16 57 1")),  # cities at 1 and at 3
        ("H18", "68 1", ("H14 9 1", "H16 57 1")),  # 1-4 and 2-5
        ("G19", "54 0", ()),  # cities 0-1 and 2-3
    ],
)
def test_not_two_tokens_in_one_hex(hex_id: str, tile: str, track: tuple[str, ...]) -> None:
    """1830/K-5 — not in the other city of a double tile either, be it reached or not."""
    game = with_track(turn_of("PRR", at="5"), *track, f"{hex_id} {tile}")
    token(game.state, "PRR", hex_id, 0)
    game.state.corporations["NYNH"].operated = True  # so that no home is kept
    operating_round(game, "PRR", step=Step.TOKEN)
    for city in (0, 1):
        found = refused(game, f"PRR token {hex_id} {city}")
        assert found == (Reason.TOKEN_IN_HEX, {"hex": hex_id})


@pytest.mark.parametrize(
    "line",
    [
        "B20 0",  # a town, reached
        "B24 0",  # a red area, reached
        "B22 0",  # plain track
        "C19 0",  # an empty hex
        "H10 1",  # a city that the hex does not have
    ],
)
def test_tokens_lie_in_cities_only(line: str) -> None:
    """1830/K-6 — not in towns, red areas, or where there is no city."""
    game = with_track(turn_of("CPR"), "B20 58 2", "B22 9 1")  # Montreal to the Provinces
    operating_round(game, "CPR", step=Step.TOKEN)
    said = {"hex": line.split(maxsplit=1)[0]}
    assert refused(game, f"CPR token {line}") == (Reason.NO_CITY, said)


def test_a_city_number_that_makes_no_sense_is_refused_as_such() -> None:
    """1830/K-6 — a tile has at most six of anything."""
    game = operating_round(turn_of("PRR"), "PRR", step=Step.TOKEN)
    for line in ("PRR token H10 6", "PRR token H10 -1", "PRR token Z1 0"):
        with pytest.raises(MalformedAction):
            game.apply(parse(line))


@pytest.mark.parametrize("hex_id", ["D14", "D2", "K15"])
def test_grey_cities_take_tokens(hex_id: str) -> None:
    """1830/K-6 — Rochester, Lansing, Richmond."""
    if hex_id == "D14":
        game = with_track(turn_of("NYC"), "E19 57 1", "E17 9 1", "E15 9 1", "E13 7 3")  # 3-4
    elif hex_id == "D2":
        game = with_track(turn_of("C&O"), "G5 7 2", "F4 57 2", "E3 9 2")  # 2-5
    else:
        game = with_track(turn_of("B&O"), "J14 14 2")  # 2, 3, 5, 0: Baltimore 3, Richmond 5
    operating_round(game, game.actor or "", step=Step.TOKEN)
    play(game, f"{game.actor} token {hex_id} 0")
    check_invariants(game.state)


def test_a_printed_city_without_track_is_not_reached() -> None:
    """1830/K-8 — track ends before Lancaster (H16) and before the double city H18: no token."""
    game = with_track(turn_of("PRR"), "H14 9 1")
    operating_round(game, "PRR", step=Step.TOKEN)
    assert refused(game, "PRR token H16 0")[0] is Reason.NOT_CONNECTED
    with_track(game, "H16 57 1")
    for city in (0, 1):
        assert refused(game, f"PRR token H18 {city}")[0] is Reason.NOT_CONNECTED
    play(game, "PRR token H16 0")


def test_nothing_takes_a_token_away() -> None:
    """1830/K-7, C-7 — not a new president, not the loss of all trains when the first 4 is sold."""
    game = turn_of("PRR", kinds=("2",), step=Step.TRAINS)
    company(game.state, "PRR", 100, p1=3, p2=5)
    assert game.state.corporations["PRR"].president == "2"
    game.state.depot["3"] = 0
    play(game, "PRR train 4 bank 300")
    assert game.state.corporations["PRR"].trains == ["4"]
    assert game.state.corporations["PRR"].tokens == [("H12", 0)]
    assert game.state.stations == {("H12", 0): ("PRR",)}


# --- the Erie -------------------------------------------------------------------------------------

UNDECIDED = -1
TO_E11 = ("H10 15 1", "G11 9 0", "F12 8 0")  # Altoona, Pittsburgh, G11, F12, E11 by its edge 5


def erie_and_prr(preset: str, erie_begun: bool, at: str = "3") -> Game:
    """The turn of the PRR (player 1), joined to E11 by its edge 5; the Erie (player 2) has begun,
    its token on the trackless hex, or not."""
    game = turn_of("PRR", preset, at)
    company(game.state, "ERIE", 90, p2=6)
    with_track(game, *TO_E11)
    if erie_begun:
        operating_round(game, "ERIE")
        assert game.state.stations["E11", UNDECIDED] == ("ERIE",)
    return operating_round(game, "PRR", "ERIE", step=Step.TRACK)


def test_the_eries_home_has_two_cities_and_no_track() -> None:
    """1830/F-1, F-7 — printed yellow, OO; no other corporation's home is to be chosen."""
    e11 = TITLE.hexes["E11"]
    assert e11.colour == "yellow"
    assert e11.printed.tile.label == "OO"
    assert len(e11.printed.cities) == 2
    assert e11.printed.paths == ()
    chosen = [one.id for one in TITLE.companies.values() if one.home_city is None]
    assert chosen == ["ERIE"]
    assert TITLE.companies["ERIE"].home == "E11"


@pytest.mark.parametrize("preset", PRESETS)
def test_the_erie_begins_on_the_hex_without_a_question(preset: str) -> None:
    """1830/F-2, FIGF-X-08 — no tile there: nothing to choose, the turn goes on to the tile, which
    may be 59 in E11, in any of the orientations that fit, and nothing elsewhere."""
    game = turn_of("ERIE", preset, step=Step.HOME)
    assert turn(game).choosing is None
    assert turn(game).step is Step.TRACK
    assert game.state.stations == {("E11", UNDECIDED): ("ERIE",)}
    laid = [one.action for one in game.options() if isinstance(one.action, LayTile)]
    lays = {(one.hex, one.rotation) for one in laid}
    # 59 has edges 0 and 2, turned r and r + 2; no track may leave E11 to the west, by edge 1
    assert lays == {("E11", 0), ("E11", 2), ("E11", 3), ("E11", 4)}
    assert refused(game, "ERIE lay E13 9 1")[0] is Reason.NOT_CONNECTED
    check_invariants(game.state)


@pytest.mark.parametrize("preset", PRESETS)
@pytest.mark.parametrize(("at", "tile"), [("3", "59 3"), ("5", "64 0")])
@pytest.mark.parametrize("city", [0, 1])
def test_on_a_green_or_brown_tile_the_erie_chooses_its_city_first(
    preset: str, at: str, tile: str, city: int
) -> None:
    """1830/F-2, Z-18, FIGF-X-08 — its president chooses, before anything else of the turn."""
    game = with_track(turn_of("PRR", preset, at), f"E11 {tile}")
    company(game.state, "ERIE", 90, p2=6)
    game.state.owners["DH"] = "ERIE"  # that a power could be used first
    operating_round(game, "ERIE")
    assert turn(game).choosing == ("ERIE", "E11")
    assert (game.actor, game.player) == ("ERIE", "2")
    pending = (Reason.DECISION_PENDING, {"decision": "city", "actor": "ERIE"})
    for line in (
        "ERIE pass",
        "ERIE lay F16 57 0 private=DH",
        "ERIE private SV 10",
        "PRR pass",
        "ERIE token H12 0",
        "2 sell B&O 1",
    ):
        assert refused(game, line) == pending, line
    assert places(game) == {("E11", 0), ("E11", 1)}
    play(game, f"ERIE token E11 {city}")
    assert game.state.stations["E11", city] == ("ERIE",)
    assert game.state.corporations["ERIE"].tokens == [("E11", city)]
    assert game.state.corporations["ERIE"].cash == 900
    assert turn(game).step is Step.TRACK
    check_invariants(game.state)


@pytest.mark.parametrize(("preset", "chooser"), [("figf", "2"), ("18xx", "1")])
@pytest.mark.parametrize("city", [0, 1])
def test_the_first_green_tile_gives_the_token_its_city(
    preset: str, chooser: str, city: int
) -> None:
    """1830/F-3, Z-12, FIGF-X-08, asks R44 — the PRR lays the tile: the Erie's president chooses
    where the FIGF plays, the PRR's on 18xx.games; the PRR's turn then goes on."""
    game = erie_and_prr(preset, erie_begun=True)
    play(game, "PRR lay E11 59 3")
    assert (game.actor, game.player) == ("ERIE", chooser)
    pending = (Reason.DECISION_PENDING, {"decision": "city", "actor": "ERIE"})
    assert refused(game, "PRR token H10 0") == pending
    assert refused(game, "PRR pass") == pending
    assert game.state.stations["E11", UNDECIDED] == ("ERIE",)
    assert places(game) == {("E11", 0), ("E11", 1)}
    play(game, f"ERIE token E11 {city}")
    assert game.state.stations["E11", city] == ("ERIE",)
    assert ("E11", UNDECIDED) not in game.state.stations
    assert game.state.corporations["ERIE"].tokens == [("E11", city)]
    assert game.actor == "PRR"
    assert turn(game).step is Step.TOKEN
    check_invariants(game.state)


@pytest.mark.parametrize("preset", PRESETS)
def test_the_erie_lays_its_own_first_tile(preset: str) -> None:
    """1830/F-3, FIGF-X-08 — its president chooses in either way of playing, and its turn goes
    on; the choice is neither its token of the turn nor paid."""
    game = turn_of("ERIE", preset, step=Step.HOME)
    play(game, "ERIE lay E11 59 3")
    assert (game.actor, game.player) == ("ERIE", "1")
    play(game, "ERIE token E11 1")
    assert game.state.corporations["ERIE"].tokens == [("E11", 1)]
    assert game.state.corporations["ERIE"].cash == 1000
    assert not turn(game).tokened
    check_invariants(game.state)


@pytest.mark.parametrize("preset", PRESETS)
def test_nobody_enters_e11_before_the_erie(preset: str) -> None:
    """1830/F-4, F-5, asks R43 — another may lay the tile and upgrade it, but not place a token, in
    neither city; nothing is to be chosen, for no token lies there."""
    game = erie_and_prr(preset, erie_begun=False, at="5")
    play(game, "PRR lay E11 59 3")  # cities at 3 and at 5
    assert turn(game).choosing is None
    said = (Reason.HOME_RESERVED, {"hex": "E11", "corporation": "ERIE"})
    for city in (0, 1):
        assert refused(game, f"PRR token E11 {city}") == said
    assert places(game) == {("H10", 0)}
    operating_round(game, "PRR", "ERIE", step=Step.TRACK)
    play(game, "PRR lay E11 66 3")  # 0-3 and 1-2, turned: 3-0 and 4-5
    for city in (0, 1):
        assert refused(game, f"PRR token E11 {city}") == said
    check_invariants(game.state)


@pytest.mark.parametrize("preset", PRESETS)
def test_once_the_erie_is_there_the_other_city_is_anybodys(preset: str) -> None:
    """1830/Z-16, F-6 — the Erie in the city at edge 3; the PRR, come by 5, takes the other in the
    same turn."""
    game = erie_and_prr(preset, erie_begun=True)
    play(game, "PRR lay E11 59 3\nERIE token E11 0")
    assert places(game) == {("H10", 0), ("E11", 1)}
    play(game, "PRR token E11 1")
    assert game.state.stations["E11", 0] == ("ERIE",)
    assert game.state.stations["E11", 1] == ("PRR",)
    check_invariants(game.state)


@pytest.mark.parametrize("preset", PRESETS)
def test_two_others_wait_and_the_first_takes_the_second_city(preset: str) -> None:
    """1830/Z-16, K-4 — nothing is kept for anybody else; who comes after finds it full."""
    game = erie_and_prr(preset, erie_begun=True)
    play(game, "PRR lay E11 59 3\nERIE token E11 0\nPRR token E11 1")
    token(game.state, "NYC", "H10")
    operating_round(game, "NYC", step=Step.TOKEN)
    assert refused(game, "NYC token E11 1")[0] is Reason.NO_FREE_SLOT


def test_the_eries_token_blocks_its_own_city_only() -> None:
    """1830/F-6, L-12 — on brown 64 (0-2 and 3-4) the NYC goes from Rochester (D14) by D12 through
    the second city to E13; to F10 and D10, beyond the first, it does not come."""
    game = with_track(turn_of("NYC", at="5"), "E11 64 0", "D12 8 4")  # 4-0: Rochester to E11
    token(game.state, "ERIE", "E11", 0)
    token(game.state, "NYC", "D14")
    found = reach(game.state, "NYC")
    hexes = game.state.title.hexes
    assert found.reaches(game.state, ("E11", 1))
    assert not found.reaches(game.state, ("E11", 0))
    assert found.crosses(game.state, hexes["E13"], 1)
    assert not found.crosses(game.state, hexes["F10"], 3)
    assert not found.crosses(game.state, hexes["D10"], 5)


@pytest.mark.parametrize("hex_id", ["E11", "D10", "E5", "H18"])
def test_no_other_token_comes_to_lie_without_track(hex_id: str) -> None:
    """1830/F-7, K-8 — the printed double cities have no track to come by."""
    game = operating_round(turn_of("PRR"), "PRR", step=Step.TOKEN)
    for city in (0, 1):
        with pytest.raises(IllegalAction):
            game.check(parse(f"PRR token {hex_id} {city}"))
