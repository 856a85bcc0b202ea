"""1830/V — the private companies: revenue, sale, closing, powers; FIGF-Z-01..Z-09.

After the auction of `positions` player 1 has SV and CA, 2 has CS and BO, 3 has DH, 4 has MH.
"""

from __future__ import annotations

import pytest

from pbem.engine.actions import ExchangePrivate, LayTile, PlaceToken
from pbem.engine.errors import Reason
from pbem.engine.facts import title
from pbem.engine.game import Game, start
from pbem.engine.state import Operating, Step, Stock
from pbem.tests.positions import (
    after_auction,
    cash,
    check_invariants,
    company,
    has_floated,
    lay,
    operating_round,
    phase,
    play,
    price,
    refused,
    stock_round,
    token,
    turn_of,
)

PRESETS = ("figf", "18xx")
TITLE = title("1830")


def with_track(game: Game, *tiles: str) -> Game:
    """The same game with these tiles on the board: "H10 57 1"."""
    for one in tiles:
        hex_id, tile, rotation = one.split()
        lay(game.state, hex_id, tile, int(rotation))
    return game


def owned(game: Game, *privates: str, by: str = "PRR") -> Game:
    """The same game with these privates in a corporation's or another player's hands."""
    for private in privates:
        game.state.owners[private] = by
    return game


def step(game: Game) -> Step:
    now = game.state.round
    assert isinstance(now, Operating)
    return now.step


# --- revenue --------------------------------------------------------------------------------------


def test_the_owner_gets_the_revenue_at_the_start_of_each_operating_round() -> None:
    """1830/V-1, O-1 — SV 5, CS 10, DH 15, MH 20, CA 25, BO 30; CS here belongs to the PRR."""
    game = after_auction()
    company(game.state, "PRR", 100, p1=6)
    owned(game, "CS")
    before = dict(game.state.cash)
    stock_round(game)
    while isinstance(game.state.round, Stock):
        play(game, f"{game.actor} pass")
    gained = {player: game.state.cash[player] - before[player] for player in before}
    assert gained == {"1": 5 + 25, "2": 30, "3": 15, "4": 20}
    assert game.state.corporations["PRR"].cash == 1000 + 10
    check_invariants(game.state)


# --- sale to a corporation ------------------------------------------------------------------------

RANGES = {"SV": (10, 40), "CS": (20, 80), "DH": (35, 140), "MH": (55, 220), "CA": (80, 320)}


@pytest.mark.parametrize("preset", PRESETS)
@pytest.mark.parametrize("at", ["3", "4"])
@pytest.mark.parametrize("private", RANGES)
def test_a_corporation_buys_at_half_to_double_face(preset: str, at: str, private: str) -> None:
    """1830/V-2, FIGF-Z-01, X-02 — in phases 3 and 4, of any player; the price goes to him."""
    least, most = RANGES[private]
    game = turn_of("PRR", preset, at)
    seller = game.state.owners[private]
    before = game.state.cash[seller]
    for wrong in (least - 1, most + 1):
        said = {"price": wrong, "least": least, "most": most}
        found = refused(game, f"PRR private {private} {wrong}")
        assert found == (Reason.PRICE_OUT_OF_RANGE, said)
    for amount in (least, most):
        other = play(game.copy(), f"PRR private {private} {amount}")
        assert other.state.owners[private] == "PRR"
        assert other.state.cash[seller] == before + amount
        assert other.state.corporations["PRR"].cash == 1000 - amount
        check_invariants(other.state)


@pytest.mark.parametrize("preset", PRESETS)
@pytest.mark.parametrize("at", ["2", "5", "6", "D"])
def test_no_private_is_sold_to_a_corporation_in_other_phases(preset: str, at: str) -> None:
    """1830/V-2, FIGF-Z-01 — not before the first 3-train; from the first 5 there are none."""
    game = turn_of("PRR", preset, at)
    said = {"private": "SV"}
    assert refused(game, "PRR private SV 20") == (Reason.PRIVATE_NOT_FOR_CORPORATIONS, said)


@pytest.mark.parametrize("preset", PRESETS)
@pytest.mark.parametrize("symbol", ["PRR", "B&O"])
def test_the_baltimore_and_ohio_is_never_sold_to_a_corporation(preset: str, symbol: str) -> None:
    """1830/V-2, FIGF-Z-09 — not even to its own."""
    game = turn_of(symbol, preset)
    said = {"private": "BO"}
    found = refused(game, f"{symbol} private BO 220")
    assert found == (Reason.PRIVATE_NOT_FOR_CORPORATIONS, said)


def test_a_corporation_pays_from_its_own_cash() -> None:
    """1830/V-2 — a dollar short, and it is refused."""
    game = turn_of("PRR")
    cash(game.state, "PRR", 19)
    said = {"cash": 19, "price": 20}
    assert refused(game, "PRR private SV 20") == (Reason.NO_MONEY, said)
    play(game, "PRR private SV 19")


def test_only_the_corporation_whose_turn_it_is_buys() -> None:
    """1830/V-2 — the NYC waits for its own turn, and no corporation buys in a stock round."""
    game = turn_of("PRR")
    company(game.state, "NYC", 90, p2=6)
    operating_round(game, "PRR", "NYC", step=Step.TRACK)
    said = {"corporation": "NYC", "operating": "PRR"}
    assert refused(game, "NYC private SV 20") == (Reason.NOT_OPERATING, said)


def test_a_private_never_leaves_a_corporation() -> None:
    """1830/V-2, FIGF-Z-02 — no other corporation and no player can have it."""
    game = owned(turn_of("PRR"), "SV", by="NYC")
    said = {"private": "SV"}
    assert refused(game, "PRR private SV 20") == (Reason.PRIVATE_NOT_HELD, said)
    for preset in PRESETS:
        other = owned(stock_round(after_auction(4, preset)), "SV", by="NYC")
        assert refused(other, "1 private SV 20") == (Reason.PRIVATE_NOT_HELD, said)


def test_a_private_bought_stays_with_its_corporation() -> None:
    """1830/V-2, C-7 — when the president changes."""
    game = play(turn_of("PRR"), "PRR private SV 10")
    company(game.state, "PRR", 100, p1=3, p2=5)
    assert game.state.corporations["PRR"].president == "2"
    assert game.state.owners["SV"] == "PRR"


def test_a_private_is_bought_at_any_moment_of_the_turn() -> None:
    """1830/V-2, O-5, FIGF-X-04, asks R31 — one in each step, one after the trains; no step is gone
    back to, none is skipped."""
    game = with_track(turn_of("PRR", kinds=("2",)), "H10 57 1")
    play(game, "PRR private SV 10")
    assert step(game) is Step.TRACK
    play(game, "PRR pass\nPRR private CS 20")
    assert step(game) is Step.TOKEN
    play(game, "PRR pass\nPRR private DH 35")
    assert step(game) is Step.RUN
    play(game, "PRR run 2:H12-H10\nPRR private MH 55")
    assert step(game) is Step.DIVIDEND
    play(game, "PRR dividend withhold\nPRR train 3 bank 180")
    assert step(game) is Step.TRAINS
    play(game, "PRR pass")
    assert step(game) is Step.PRIVATES  # CA is still to be had
    play(game, "PRR private CA 80")
    assert isinstance(game.state.round, Stock)  # the turn, and the round, is over
    # Altoona 10 and Pittsburgh 20 were earned
    assert game.state.corporations["PRR"].cash == 1000 + 30 - 10 - 20 - 35 - 55 - 180 - 80
    assert {name for name, owner in game.state.owners.items() if owner == "PRR"} == set(RANGES)
    check_invariants(game.state)


def test_two_privates_do_not_open_the_run_again() -> None:
    """1830/V-2, asks R31 — after the trains have run, two purchases; a second run is refused."""
    game = with_track(turn_of("PRR", kinds=("2",)), "H10 57 1")
    play(game, "PRR pass\nPRR pass\nPRR run 2:H12-H10\nPRR dividend pay")
    play(game, "PRR private SV 10\nPRR private DH 35")
    assert refused(game, "PRR run 2:H12-H10") == (Reason.WRONG_STEP, {"step": "trains"})


def test_the_turn_ends_by_itself_when_no_private_can_be_bought() -> None:
    """1830/V-2, O-6 — 9 dollars do not reach the 10 that SV costs at least."""
    game = turn_of("PRR", kinds=("3", "3", "3", "3"))
    cash(game.state, "PRR", 9)
    play(game, "PRR pass")
    assert isinstance(game.state.round, Stock)


# --- sale to another player -----------------------------------------------------------------------


@pytest.mark.parametrize("preset", PRESETS)
def test_no_private_changes_hands_in_the_first_stock_round(preset: str) -> None:
    """1830/V-3, FIGF-Z-02 — refused as such, whoever buys."""
    game = stock_round(after_auction(4, preset), turn=1)
    said = {"private": "DH"}
    assert refused(game, "1 private DH 70") == (Reason.NOT_BETWEEN_PLAYERS, said)


@pytest.mark.parametrize("preset", PRESETS)
@pytest.mark.parametrize("amount", [1, 69, 300])
def test_a_private_is_sold_to_a_player_at_any_price(preset: str, amount: int) -> None:
    """1830/V-3, FIGF-Z-02 — on the buyer's turn, from 1 dollar to all that he has."""
    game = stock_round(after_auction(4, preset))
    cash(game.state, "1", 300)
    seller = game.state.cash["3"]
    for wrong in (0, 301):
        said = {"price": wrong, "least": 1, "most": 300}
        assert refused(game, f"1 private DH {wrong}") == (Reason.PRICE_OUT_OF_RANGE, said)
    play(game, f"1 private DH {amount}")
    assert game.state.owners["DH"] == "1"
    assert (game.state.cash["1"], game.state.cash["3"]) == (300 - amount, seller + amount)
    check_invariants(game.state)


def test_a_private_is_bought_on_the_sellers_turn_where_the_figf_plays() -> None:
    """1830/V-3, FIGF-Z-02 — 3 owns DH, 1 buys it in the turn of 3; not in that of 2."""
    game = stock_round(after_auction(4, "figf"), "3")
    play(game.copy(), "1 private DH 70")
    stock_round(game, "2")
    said = {"actor": "1", "turn": "2"}
    assert refused(game, "1 private DH 70") == (Reason.NOT_YOUR_TURN, said)
    other = stock_round(after_auction(4, "18xx"), "3")
    said = {"actor": "1", "turn": "3"}
    assert refused(other, "1 private DH 70") == (Reason.NOT_YOUR_TURN, said)


@pytest.mark.parametrize("preset", PRESETS)
def test_a_private_is_the_purchase_of_the_turn_on_18xx_games_only(preset: str) -> None:
    """1830/V-3, S-4, FIGF-Z-02 — after it a share may be bought where the FIGF plays."""
    game = stock_round(after_auction(4, preset))
    company(game.state, "PRR", 67, p2=2, p1=1)  # with a share to sell the turn of 1 goes on
    play(game, "1 private DH 50")
    if preset == "figf":
        play(game, "1 buy PRR ipo")
    else:
        assert refused(game, "1 buy PRR ipo")[0] is Reason.ONE_PURCHASE
        assert refused(game, "1 private CS 40")[0] is Reason.ONE_PURCHASE


def test_the_b_and_o_private_is_sold_between_players_only_where_the_figf_plays() -> None:
    """1830/V-3, FIGF-Z-02, Z-09 — on 18xx.games nobody can buy it."""
    play(stock_round(after_auction(4, "figf")), "1 private BO 100")
    other = stock_round(after_auction(4, "18xx"))
    said = {"private": "BO"}
    assert refused(other, "1 private BO 100") == (Reason.NOT_BETWEEN_PLAYERS, said)


@pytest.mark.parametrize("preset", PRESETS)
def test_a_private_sold_in_this_round_may_be_bought_back(preset: str) -> None:
    """1830/V-3 — S-6 speaks of shares."""
    game = stock_round(after_auction(4, preset))
    play(game, "1 private DH 50")
    while game.actor != "3":
        play(game, f"{game.actor} pass")
    play(game, "3 private DH 60")
    assert game.state.owners["DH"] == "3"
    check_invariants(game.state)


@pytest.mark.parametrize("preset", PRESETS)
def test_players_do_not_trade_privates_in_an_operating_round(preset: str) -> None:
    """1830/V-3, FIGF-Z-02 — in neither way of playing."""
    game = turn_of("PRR", preset)
    assert refused(game, "1 private DH 70")[0] is Reason.NOT_OPERATING


# --- closing --------------------------------------------------------------------------------------


@pytest.mark.parametrize("preset", PRESETS)
def test_all_privates_close_at_the_first_5(preset: str) -> None:
    """1830/V-4, asks R29 — wherever they are, without compensation; tiles and tokens laid by their
    powers stay, the powers are gone."""
    game = turn_of("PRR", preset, at="4")
    owned(game, "DH", "CS")
    cash(game.state, "PRR", 2000)
    play(game, "PRR lay F16 57 0 private=DH\nPRR token F16 0 private=DH")
    game.state.depot["4"] = 0
    players = dict(game.state.cash)
    play(game, "PRR train 5 bank 450")
    assert game.state.owners == {}
    assert game.state.cash == players
    assert game.state.board["F16"].tile.id == "57"
    assert game.state.stations["F16", 0] == ("PRR",)
    assert game.state.corporations["PRR"].cash == 2000 - 120 - 450
    said = {"private": "CS"}
    found = refused(game, "PRR lay B20 58 0 private=CS")
    assert found == (Reason.PRIVATE_NOT_HELD, said)
    for source in ("ipo", "pool"):
        found = refused(game, f"4 exchange MH {source}")
        assert found == (Reason.PRIVATE_NOT_HELD, {"private": "MH"})
    check_invariants(game.state)


def test_a_closed_private_pays_no_more() -> None:
    """1830/V-4, V-1 — the next operating round brings nobody anything."""
    game = after_auction()
    phase(game.state, "5")
    before = dict(game.state.cash)
    stock_round(game)
    while isinstance(game.state.round, Stock) and game.state.turn == 2:
        play(game, f"{game.actor} pass")
    assert game.state.turn == 3
    assert game.state.cash == before


@pytest.mark.parametrize("source", ["bank", "pool", "PRR"])
def test_the_b_and_o_private_closes_with_its_corporations_first_train(source: str) -> None:
    """1830/V-11, FIGF-Z-09, asks R29 — of whatever source; the other privates stay open."""
    game = turn_of("B&O", step=Step.TRAINS)
    if source == "PRR":
        company(game.state, "PRR", 90, p3=6)
        game.state.depot["3"] = 4
        game.state.corporations["PRR"].trains = ["3"]
    if source == "pool":
        game.state.pool.append("3")
    play(game, f"B&O train 3 {source} 180")
    assert set(game.state.owners) == {"SV", "CS", "DH", "MH", "CA"}
    check_invariants(game.state)


def test_the_b_and_o_private_stays_open_for_the_train_of_another() -> None:
    """1830/V-11 — the PRR buys the first 3; the B&O has none."""
    game = turn_of("PRR", at="2", step=Step.TRAINS)
    play(game, "PRR train 2 bank 80")
    assert game.state.owners["BO"] == "2"


def test_the_b_and_o_private_does_not_follow_the_presidency() -> None:
    """1830/V-11, A-14 — 2 got the president's certificate and the par with it; 3 outbids him in
    shares, the private stays with 2."""
    game = after_auction()
    assert game.state.corporations["B&O"].president == "2"
    assert game.state.corporations["B&O"].par == 100
    company(game.state, "B&O", p2=2, p3=3)
    assert game.state.corporations["B&O"].president == "3"
    assert game.state.owners["BO"] == "2"


def test_the_share_of_camden_and_amboy_stays_when_the_private_is_sold() -> None:
    """1830/V-10, A-13 — player 1 got 10% of the PRR with it."""
    game = after_auction()
    assert game.state.corporations["PRR"].held == {"1": 1}
    assert game.state.corporations["PRR"].par is None
    stock_round(game, "2")
    play(game, "2 private CA 100")
    assert game.state.owners["CA"] == "2"
    assert game.state.corporations["PRR"].held == {"1": 1}
    other = play(turn_of("NYC"), "NYC private CA 80")
    assert other.state.corporations["PRR"].held == {"1": 1}


# --- whose powers ---------------------------------------------------------------------------------


@pytest.mark.parametrize("owner", ["1", "NYC"])
@pytest.mark.parametrize("line", ["PRR lay B20 58 0 private=CS", "PRR lay F16 57 0 private=DH"])
def test_tile_powers_are_of_the_owning_corporation(owner: str, line: str) -> None:
    """1830/V-5 — not of one whose president owns the private himself, nor of another's."""
    private = line[-2:]
    game = owned(turn_of("PRR"), private, by=owner)
    assert refused(game, line) == (Reason.PRIVATE_NOT_HELD, {"private": private})


@pytest.mark.parametrize(
    "line",
    [
        "PRR lay G15 9 0 private=SV",
        "PRR lay D18 9 0 private=MH",
        "PRR lay H18 59 0 private=CA",
        "PRR lay B20 9 0 private=CS",  # no tile of this power
        "PRR lay F16 57 0 private=CS",  # not its hex
        "PRR lay F16 14 0 private=DH",
        "PRR lay H10 57 1 private=DH",
    ],
)
def test_other_privates_and_other_places_have_no_power(line: str) -> None:
    """1830/V-5, V-6, FIGF-Z-04 — SV has no benefit at all; CS and DH lay their own tiles only."""
    game = owned(turn_of("PRR"), "SV", "MH", "CA", "CS", "DH")
    assert refused(game, line) == (Reason.NO_POWER, {"private": line[-2:]})


def test_what_each_private_can_do() -> None:
    """1830/V-5..V-11, FIGF-Z-04 — as printed on its card."""
    powers = {
        one.id: {
            name
            for name in ("tile_lay", "token", "exchange", "free_share", "closes_with")
            if getattr(one, name)
        }
        for one in TITLE.privates.values()
    }
    assert powers == {
        "SV": set(),
        "CS": {"tile_lay"},
        "DH": {"tile_lay", "token"},
        "MH": {"exchange"},
        "CA": {"free_share"},
        "BO": {"free_share", "closes_with"},
    }
    assert [one.blocks for one in TITLE.privates.values() if one.id == "SV"] == [("G15",)]


@pytest.mark.parametrize("preset", PRESETS)
@pytest.mark.parametrize("line", ["PRR lay B20 58 0 private=CS", "PRR lay F16 57 0 private=DH"])
def test_powers_are_used_in_the_owners_operating_turn_only(preset: str, line: str) -> None:
    """1830/V-5, asks R27 — not in a stock round, nor in another's turn, neither by the owner nor by
    who operates."""
    game = owned(stock_round(after_auction(4, preset)), "CS", "DH")
    assert refused(game, line) == (Reason.WRONG_ROUND, {"round": "stock"})
    game = owned(turn_of("NYC", preset), "CS", "DH")
    company(game.state, "PRR", 90, p2=6)
    operating_round(game, "NYC", "PRR", step=Step.TRACK)
    said = {"corporation": "PRR", "operating": "NYC"}
    assert refused(game, line) == (Reason.NOT_OPERATING, said)
    assert refused(game, line.replace("PRR", "NYC", 1))[0] is Reason.PRIVATE_NOT_HELD


def test_a_private_bought_in_the_turn_is_used_at_once() -> None:
    """1830/V-5, V-8, asks R28 — also in the first turn, where the home token is another thing."""
    game = turn_of("PRR", step=Step.HOME)
    play(game, "PRR private DH 35\nPRR lay F16 57 0 private=DH\nPRR token F16 0 private=DH")
    assert game.state.corporations["PRR"].tokens == [("H12", 0), ("F16", 0)]
    assert game.state.corporations["PRR"].cash == 1000 - 35 - 120
    check_invariants(game.state)


# --- Champlain & St. Lawrence ---------------------------------------------------------------------


@pytest.mark.parametrize(
    ("tile", "fits"),
    [  # B20 has the edge of the map at 3
        ("3", {0, 1, 4, 5}),  # r and r + 1
        ("4", {1, 2, 4, 5}),  # r and r + 3
        ("58", {0, 2, 4, 5}),  # r and r + 2
    ],
)
def test_champlain_lays_its_tile_where_nothing_leads(tile: str, fits: set[int]) -> None:
    """1830/V-7, FIGF-Z-05 — 3, 4 or 58 in B20, connected or not, free, turned as it fits."""
    game = owned(turn_of("PRR"), "CS")
    for rotation in range(6):
        line = f"PRR lay B20 {tile} {rotation} private=CS"
        if rotation in fits:
            other = play(game.copy(), line)
            assert other.state.board["B20"].tile.id == tile
            assert other.state.corporations["PRR"].cash == 1000
            check_invariants(other.state)
        else:
            found = refused(game, line)
            assert found == (Reason.TRACK_INTO_NOTHING, {"hex": "B20", "edge": 3})


@pytest.mark.parametrize("first", ["PRR lay B20 58 0 private=CS", "PRR lay H10 57 1"])
def test_champlains_tile_is_on_top_of_the_turns_own(first: str) -> None:
    """1830/V-7, FIGF-Z-05 — before it or after it: two tiles."""
    both = ["PRR lay B20 58 0 private=CS", "PRR lay H10 57 1"]
    second = next(line for line in both if line != first)
    game = owned(turn_of("PRR"), "CS")
    play(game, first + "\n" + second)
    assert game.state.board["B20"].tile.id == "58"
    assert game.state.board["H10"].tile.id == "57"
    assert refused(game, "PRR lay H14 9 1")[0] is Reason.TILE_ALREADY_LAID
    assert refused(game, "PRR lay B20 3 0 private=CS") == (Reason.POWER_USED, {"private": "CS"})
    check_invariants(game.state)


def test_champlain_serves_at_any_time_of_the_turn() -> None:
    """1830/V-7 — in the steps of token, run, dividend, trains and privates; the step goes on."""
    game = owned(with_track(turn_of("PRR", kinds=("2",)), "H10 57 1"), "CS")
    for line in ("PRR pass", "PRR pass", "PRR run 2:H12-H10", "PRR dividend pay", "PRR pass"):
        play(game, line)
        before = step(game)
        other = play(game.copy(), "PRR lay B20 58 0 private=CS")
        assert step(other) is before
    assert before is Step.PRIVATES


def test_champlain_is_used_once_and_any_turn_will_do() -> None:
    """1830/V-7 — not used in this turn, it may be in the next; then it is spent, also if the tile
    were gone."""
    game = owned(turn_of("PRR"), "CS")
    operating_round(game, "PRR", step=Step.TRACK)
    play(game, "PRR lay B20 4 1 private=CS")
    operating_round(game, "PRR", step=Step.TRACK)
    found = refused(game, "PRR lay B20 58 0 private=CS")
    assert found == (Reason.POWER_USED, {"private": "CS"})


def test_champlain_needs_an_empty_hex() -> None:
    """1830/V-7 — B20 already has a tile, and town tiles are not replaced."""
    game = owned(with_track(turn_of("PRR"), "B20 58 0"), "CS")
    found = refused(game, "PRR lay B20 3 0 private=CS")
    assert found == (Reason.POWER_USED, {"private": "CS"})


# --- Delaware & Hudson ----------------------------------------------------------------------------


@pytest.mark.parametrize("rotation", range(6))
def test_delaware_lays_its_tile_where_nothing_leads(rotation: int) -> None:
    """1830/V-8, FIGF-Z-06 — 57 in F16, connected or not, for the 120 of the mountain, as the tile
    of the turn."""
    game = owned(turn_of("PRR"), "DH")
    play(game, f"PRR lay F16 57 {rotation} private=DH")
    assert game.state.corporations["PRR"].cash == 1000 - 120
    assert refused(game, "PRR lay H10 57 1")[0] is Reason.TILE_ALREADY_LAID
    check_invariants(game.state)


def test_delaware_pays_for_the_mountain() -> None:
    """1830/V-8, L-9 — 119 are not enough."""
    game = owned(turn_of("PRR"), "DH")
    cash(game.state, "PRR", 119)
    said = {"cash": 119, "price": 120}
    assert refused(game, "PRR lay F16 57 0 private=DH") == (Reason.NO_MONEY, said)


def test_delawares_tile_is_the_tile_of_the_turn() -> None:
    """1830/V-8, FIGF-Z-06, asks R28 — not after another, nor in a later step."""
    game = owned(turn_of("PRR"), "DH")
    other = play(game.copy(), "PRR lay H10 57 1")
    assert refused(other, "PRR lay F16 57 0 private=DH")[0] is Reason.TILE_ALREADY_LAID
    with_track(game, "H10 57 1")
    play(game, "PRR pass")
    found = refused(game, "PRR lay F16 57 0 private=DH")
    assert found == (Reason.WRONG_STEP, {"step": "token"})


def test_delawares_token_is_free_and_the_token_of_the_turn() -> None:
    """1830/V-8, FIGF-Z-06, asks R28 — it is the corporation's next token: the one of 40; the token
    after it costs 100."""
    game = owned(with_track(turn_of("PRR"), "H10 57 1"), "DH")
    play(game, "PRR lay F16 57 0 private=DH\nPRR token F16 0 private=DH")
    assert game.state.stations["F16", 0] == ("PRR",)
    assert game.state.corporations["PRR"].cash == 1000 - 120
    assert refused(game, "PRR token H10 0")[0] is Reason.TOKEN_ALREADY_PLACED
    operating_round(game, "PRR", step=Step.TOKEN)
    play(game, "PRR token H10 0")
    assert game.state.corporations["PRR"].cash == 1000 - 120 - 100
    check_invariants(game.state)


def test_another_token_may_be_placed_instead_of_delawares() -> None:
    """1830/V-8, K-4, asks R28 — the turn has one token: the paid one in Pittsburgh, or, the free
    one declined, that one still."""
    game = owned(with_track(turn_of("PRR"), "H10 57 1"), "DH")
    play(game, "PRR lay F16 57 0 private=DH")
    other = play(game.copy(), "PRR token H10 0")
    assert other.state.corporations["PRR"].cash == 1000 - 120 - 40
    assert refused(other, "PRR token F16 0 private=DH")[0] is Reason.TOKEN_ALREADY_PLACED
    play(game, "PRR pass\nPRR token H10 0")
    assert game.state.corporations["PRR"].cash == 1000 - 120 - 40


def test_delawares_token_is_free_in_the_turn_of_its_tile_only() -> None:
    """1830/V-8, asks R28 — in a later turn it is paid for and needs track."""
    game = owned(with_track(turn_of("PRR"), "H10 57 1"), "DH")
    play(game, "PRR lay F16 57 0 private=DH")
    operating_round(game, "PRR", step=Step.TOKEN)
    found = refused(game, "PRR token F16 0 private=DH")
    assert found == (Reason.POWER_USED, {"private": "DH"})
    assert refused(game, "PRR token F16 0")[0] is Reason.NOT_CONNECTED
    with_track(game, "H14 8 1", "G15 9 0")  # Altoona to G15, and on to F16 by its edge 0
    play(game, "PRR token F16 0")
    assert game.state.corporations["PRR"].cash == 1000 - 120 - 40


def test_delawares_free_token_is_declined_by_a_pass() -> None:
    """1830/V-8, O-6 — with nowhere else to place one, the turn goes on."""
    game = owned(turn_of("PRR"), "DH")
    play(game, "PRR lay F16 57 0 private=DH\nPRR pass")
    assert step(game) is Step.TRAINS
    assert ("F16", 0) not in game.state.stations


def test_delaware_gives_no_token_to_who_has_none_left() -> None:
    """1830/V-8, K-1 — the NYNH has placed both."""
    game = owned(turn_of("NYNH"), "DH", by="NYNH")
    token(game.state, "NYNH", "D14")
    play(game, "NYNH lay F16 57 0 private=DH")
    assert step(game) > Step.TOKEN
    check_invariants(game.state)


def test_delawares_power_is_void_once_the_hex_has_a_tile() -> None:
    """1830/V-8 — laid by somebody else or by the corporation itself; tokens come there by track."""
    game = owned(with_track(turn_of("PRR"), "F16 57 0", "G15 9 0", "H14 8 1"), "DH")
    found = refused(game, "PRR lay F16 57 0 private=DH")
    assert found == (Reason.POWER_USED, {"private": "DH"})
    play(game, "PRR pass")
    found = refused(game, "PRR token F16 0 private=DH")
    assert found == (Reason.POWER_USED, {"private": "DH"})
    play(game, "PRR token F16 0")
    assert game.state.corporations["PRR"].cash == 1000 - 40


def test_delawares_hex_is_free_to_others_once_a_corporation_owns_it() -> None:
    """1830/V-12, L-10 — the PRR has bought it; the NYC, joined to F16, lays there and pays."""
    game = with_track(turn_of("NYC"), "E19 57 1", "E17 8 4")  # 4-0: Albany to F16, by its edge 3
    said = {"hex": "F16", "private": "DH"}
    assert refused(game, "NYC lay F16 57 0") == (Reason.HEX_BLOCKED, said)
    owned(game, "DH")
    play(game, "NYC lay F16 57 0")
    assert game.state.corporations["NYC"].cash == 1000 - 120


@pytest.mark.parametrize("preset", PRESETS)
def test_champlain_and_delaware_serve_in_one_turn(preset: str) -> None:
    """1830/Z-17 — a corporation without any track uses both; F16 is its tile, B20 extra."""
    game = owned(turn_of("NYC", preset, step=Step.HOME), "CS", "DH", by="NYC")
    play(game, "NYC lay F16 57 0 private=DH\nNYC lay B20 58 0 private=CS")
    assert step(game) is Step.TOKEN
    play(game, "NYC token F16 0 private=DH")
    assert game.state.corporations["NYC"].tokens == [("E19", 0), ("F16", 0)]
    check_invariants(game.state)


@pytest.mark.parametrize("preset", PRESETS)
def test_the_home_token_comes_before_delaware(preset: str) -> None:
    """1830/Z-18, O-5 — in its first turn the NYC has its home token before it can do anything: the
    power's token is its second."""
    game = owned(turn_of("NYC", preset, step=Step.HOME), "DH", by="NYC")
    assert game.state.corporations["NYC"].tokens == [("E19", 0)]
    play(game, "NYC lay F16 57 0 private=DH\nNYC token F16 0 private=DH")
    assert game.state.corporations["NYC"].tokens == [("E19", 0), ("F16", 0)]


def test_the_options_name_the_powers_of_the_turn() -> None:
    """1830/V-7, V-8, asks R27 — offered to who owns them, when they can be used."""
    game = owned(turn_of("PRR"), "CS", "DH")

    def powers() -> set[tuple[str, str]]:
        named = [o.action for o in game.options() if isinstance(o.action, LayTile | PlaceToken)]
        return {(type(one).verb, one.private) for one in named if one.private}

    assert powers() == {("lay", "CS"), ("lay", "DH")}
    play(game, "PRR lay F16 57 0 private=DH")
    assert powers() == {("lay", "CS"), ("token", "DH")}
    play(game, "PRR token F16 0 private=DH")
    assert powers() == {("lay", "CS")}


# --- Mohawk & Hudson ------------------------------------------------------------------------------


@pytest.mark.parametrize("preset", PRESETS)
@pytest.mark.parametrize("source", ["ipo", "pool"])
def test_mohawk_becomes_a_share_of_the_new_york_central(preset: str, source: str) -> None:
    """1830/V-9, FIGF-Z-07 — 10% from the offering or the pool, for nothing; the private is gone."""
    game = stock_round(after_auction(4, preset), "4")
    nyc = company(game.state, "NYC", 100, pool=2, p1=2)
    before = game.state.cash["4"], game.state.certificates("4")
    play(game, f"4 exchange MH {source}")
    assert "MH" not in game.state.owners
    assert nyc.held == {"1": 2, "4": 1}
    assert (nyc.ipo, nyc.pool) == ((5, 2) if source == "ipo" else (6, 1))
    assert (game.state.cash["4"], game.state.certificates("4")) == before
    check_invariants(game.state)


@pytest.mark.parametrize("preset", PRESETS)
def test_mohawk_needs_a_share_that_is_there(preset: str) -> None:
    """1830/V-9, asks R26 — none in the pool, and the last of the offering has gone."""
    game = stock_round(after_auction(4, preset), "4")
    company(game.state, "NYC", 100, p1=5, p2=5)
    for source in ("ipo", "pool"):
        said = {"corporation": "NYC", "source": source}
        assert refused(game, f"4 exchange MH {source}") == (Reason.NO_SHARE_LEFT, said)


@pytest.mark.parametrize("preset", PRESETS)
def test_mohawk_does_not_lead_above_60_percent(preset: str) -> None:
    """1830/V-9, S-12, FIGF-Z-07 — 50% may become 60%, 60% not 70%: never where the FIGF plays, on
    18xx.games unless the price is orange or brown."""
    game = stock_round(after_auction(4, preset), "4")
    company(game.state, "NYC", 100, p4=5)
    play(game.copy(), "4 exchange MH ipo")
    company(game.state, "NYC", 100, p4=6)
    said = {"corporation": "NYC", "percent": 70, "limit": 60}
    assert refused(game, "4 exchange MH ipo") == (Reason.HOLDING_LIMIT, said)
    price(game.state, "NYC", 4, 1)  # 41, orange
    if preset == "figf":
        assert refused(game, "4 exchange MH ipo") == (Reason.HOLDING_LIMIT, said)
    else:
        play(game, "4 exchange MH ipo")
        assert game.state.corporations["NYC"].held["4"] == 7


def test_a_stock_turn_waits_for_who_can_still_swap_the_mohawk() -> None:
    """1830/V-9, FIGF-Z-07 — in his stock turn, although he can buy and sell nothing: in the first
    stock round, with ten dollars. On 18xx.games, where he may at any moment, he is passed over."""
    for preset, following in (("figf", "4"), ("18xx", "1")):
        game = stock_round(after_auction(4, preset), "3", turn=1)
        company(game.state, "NYC", 100, p1=2)
        cash(game.state, "4", 10)
        play(game, "3 pass")
        assert game.actor == following


def test_mohawk_is_not_tested_for_the_certificate_limit() -> None:
    """1830/V-9, S-13, C-6 — at 16 of 16, one certificate goes and one comes."""
    game = stock_round(after_auction(), "4")
    for symbol, others in (("PRR", 6), ("NYC", 3), ("CPR", 6)):
        company(game.state, symbol, 100, p4=others, p1=2 if symbol != "NYC" else 5)
    # MH, five papers of the PRR, three of the NYC, five of the CPR: 14; two more of the C&O
    company(game.state, "C&O", 100, p1=3, p4=2)
    assert game.state.certificates("4") == 16
    play(game, "4 exchange MH ipo")
    assert game.state.certificates("4") == 16


@pytest.mark.parametrize("preset", PRESETS)
def test_mohawk_serves_before_the_new_york_central_is_parred(preset: str) -> None:
    """1830/V-9, C-8, FIGF-Z-07 — from the offering, also in the first stock round; the share gives
    no presidency."""
    game = stock_round(after_auction(4, preset), "4", turn=1)
    play(game, "4 exchange MH ipo")
    nyc = game.state.corporations["NYC"]
    assert (nyc.held, nyc.ipo, nyc.president, nyc.par) == ({"4": 1}, 9, None, None)
    check_invariants(game.state)


def test_mohawks_share_counts_toward_floating() -> None:
    """1830/V-9, S-16 — with it 60% have left the offering: the bank pays ten times par."""
    game = stock_round(after_auction(), "4")
    nyc = company(game.state, "NYC", 82, p1=5)
    assert not has_floated(nyc)
    play(game, "4 exchange MH ipo")
    assert has_floated(nyc)
    assert nyc.cash == 820
    check_invariants(game.state)


def test_mohawks_share_may_bring_the_presidency() -> None:
    """1830/V-9, C-2, C-8 — 3 against 3 is nothing, 4 against 3 is."""
    game = stock_round(after_auction(), "4")
    nyc = company(game.state, "NYC", 82, p1=3, p4=3)
    assert nyc.president == "1"
    play(game, "4 exchange MH ipo")
    assert nyc.president == "4"
    check_invariants(game.state)


def test_mohawk_opens_its_hex() -> None:
    """1830/V-9, L-10 — it is closed: D18 is no longer blocked."""
    game = with_track(turn_of("NYC"), "E19 15 2")  # 2, 3, 4, 5: D18 by edge 2
    said = {"hex": "D18", "private": "MH"}
    assert refused(game, "NYC lay D18 9 2") == (Reason.HEX_BLOCKED, said)
    play(game, "4 exchange MH ipo\nNYC lay D18 9 2")


@pytest.mark.parametrize("preset", PRESETS)
def test_mohawk_is_no_purchase_and_no_action(preset: str) -> None:
    """1830/V-9, S-3, C-6 — in his turn 4 also buys; out of his turn, and if nobody else acts, the
    priority stays where it was."""
    game = stock_round(after_auction(4, preset), "4")
    company(game.state, "NYC", 100, p1=3)
    play(game.copy(), "4 exchange MH ipo\n4 buy NYC ipo")
    stock_round(game, "2")
    play(game, "4 exchange MH ipo")
    assert game.actor == "2"
    while isinstance(game.state.round, Stock) and game.state.turn == 2:
        play(game, f"{game.actor} pass")
    assert game.state.priority == 1  # player 2, as before


@pytest.mark.parametrize("preset", PRESETS)
def test_mohawk_belongs_to_a_player(preset: str) -> None:
    """1830/V-5, V-9 — not to another player, nor to a corporation's president."""
    game = stock_round(after_auction(4, preset), "1")
    said = {"private": "MH"}
    assert refused(game, "1 exchange MH ipo") == (Reason.PRIVATE_NOT_HELD, said)
    owned(game, "MH")
    for player in ("1", "4"):
        assert refused(game, f"{player} exchange MH ipo") == (Reason.PRIVATE_NOT_HELD, said)
    assert refused(game, "2 exchange CS ipo") == (Reason.NO_POWER, {"private": "CS"})


@pytest.mark.parametrize("preset", PRESETS)
def test_mohawk_waits_for_the_end_of_the_auction(preset: str) -> None:
    """1830/V-9, A-16 — no share changes hands before the first stock round."""
    game = start("1830", ["1", "2", "3", "4"], preset)
    play(game, "1 bid SV 20\n2 bid CS 40\n3 bid DH 70\n4 bid MH 110")
    assert refused(game, "4 exchange MH ipo") == (Reason.WRONG_ROUND, {"round": "auction"})


@pytest.mark.parametrize("preset", PRESETS)
def test_mohawk_is_swapped_between_the_turns_of_a_stock_round(preset: str) -> None:
    """1830/V-9, Z-20, FIGF-Z-07, asks R26 — before 1 has done anything; once he has sold and still
    has the turn, only on 18xx.games; then again."""
    game = stock_round(after_auction(4, preset), "1")
    company(game.state, "CPR", 100, p1=5)
    assert ExchangePrivate("4", "MH", "ipo") in [one.action for one in game.options("4")]
    play(game.copy(), "4 exchange MH ipo")
    play(game, "1 sell CPR 1")
    assert game.actor == "1"
    if preset == "18xx":
        play(game.copy(), "4 exchange MH ipo")
    else:
        said = {"private": "MH"}
        assert refused(game, "4 exchange MH ipo") == (Reason.BETWEEN_TURNS, said)
        named = [one.action for one in game.options("4")]
        assert ExchangePrivate("4", "MH", "ipo") not in named
    play(game, "1 pass\n4 exchange MH ipo")


@pytest.mark.parametrize("preset", PRESETS)
def test_mohawk_is_swapped_at_any_point_of_the_owners_turn(preset: str) -> None:
    """1830/V-9, Z-20, FIGF-Z-07 — also after he has sold."""
    game = stock_round(after_auction(4, preset), "4")
    company(game.state, "CPR", 100, p4=5)
    play(game, "4 sell CPR 1\n4 exchange MH ipo")
    assert game.actor == "4"


@pytest.mark.parametrize("preset", PRESETS)
def test_mohawk_is_swapped_between_the_turns_of_an_operating_round(preset: str) -> None:
    """1830/V-9, Z-20, FIGF-Z-07, asks R26 — before the first corporation has done anything, and
    before the second; in the middle of a turn only on 18xx.games."""
    game = turn_of("PRR", preset, step=Step.HOME)
    company(game.state, "CPR", 90, p2=6)
    operating_round(game, "PRR", "CPR")
    play(game.copy(), "4 exchange MH ipo")
    for line in ("PRR lay H10 57 1", "PRR token H10 0"):
        play(game, line)
        if preset == "18xx":
            play(game.copy(), "4 exchange MH ipo")
        else:
            said = {"private": "MH"}
            assert refused(game, "4 exchange MH ipo") == (Reason.BETWEEN_TURNS, said)
    while game.actor == "PRR":
        play(game, "PRR train 3 bank 180" if step(game) is Step.TRAINS else "PRR pass")
    assert game.actor == "CPR"
    play(game, "4 exchange MH ipo")
    assert game.actor == "CPR"
    check_invariants(game.state)


def test_a_corporation_floated_by_mohawk_waits_for_the_next_round() -> None:
    """1830/V-9, S-16 — swapped in an operating round: the NYC does not operate in it."""
    game = turn_of("PRR")
    company(game.state, "NYC", 82, p2=5)
    operating_round(game, "PRR")
    play(game, "4 exchange MH ipo")
    now = game.state.round
    assert isinstance(now, Operating)
    assert game.state.corporations["NYC"].floated
    assert now.order == ["PRR"]
