"""Group S of the rules, its turns: who may do what in a stock round, and what follows."""

from __future__ import annotations

import pytest

from pbem.engine import Game, parse
from pbem.engine.actions import SellShares
from pbem.engine.errors import Reason
from pbem.engine.state import Operating, Step, Stock

from .positions import (
    after_auction,
    cash,
    check_invariants,
    company,
    operating_of,
    phase,
    play,
    price,
    refused,
    stock_round,
)

both = pytest.mark.parametrize("preset", ["figf", "18xx"])

# Spaces of the market: (row, column) → price and zone
WHITE_76, YELLOW_60, YELLOW_48 = (3, 6), (2, 2), (4, 2)
ORANGE_39, BROWN_20 = (3, 0), (7, 1)


def rich(preset: str = "figf", player: str = "1", turn: int = 2, players: int = 4) -> Game:
    """A stock round at this player's turn, everybody with 1000; of four, 1 has SV and CA."""
    game = stock_round(after_auction(players, preset), player, turn)
    for one in game.state.players:
        cash(game.state, one, 1000)
    return game


def everybody_passes(game: Game) -> Game:
    """As many passes as there are players, from whoever is in turn."""
    for _ in game.state.players:
        play(game, f"{game.actor} pass")
    return game


def done(game: Game, player: str) -> Game:
    """The player's turn is over: he passes, if there is still anything he could do."""
    return play(game, f"{player} pass") if game.actor == player else game


# --- the order of the game, turns and passes ------------------------------------------------------


@both
def test_after_the_auction_come_stock_and_operating_rounds_in_turn(preset: str) -> None:
    """1830/G-4 — the first stock round; one operating round, in which no corporation has floated
    and the privates pay (O-2); the second stock round."""
    game = after_auction(preset=preset)
    before = dict(game.state.cash)
    assert isinstance(game.state.round, Stock)
    everybody_passes(game)
    assert isinstance(game.state.round, Stock)
    assert game.state.turn == 2
    # SV 5 and CA 25 to 1, CS 10 and BO 30 to 2, DH 15 to 3, MH 20 to 4
    paid = {"1": 30, "2": 40, "3": 15, "4": 20}
    assert game.state.cash == {player: before[player] + paid[player] for player in before}
    check_invariants(game.state)


def operating_rounds(game: Game) -> int:
    """Play an operating round set to its end, everybody passing, and count its rounds."""
    seen = set()
    while isinstance(game.state.round, Operating):
        seen.add(game.state.number)
        play(game, f"{game.actor} pass")
    return len(seen)


@both
@pytest.mark.parametrize(
    ("begun", "rounds"), [("2", 1), ("3", 2), ("4", 2), ("5", 3), ("6", 3), ("D", 3)]
)
def test_a_set_has_as_many_operating_rounds_as_its_phase_says(
    begun: str, rounds: int, preset: str
) -> None:
    """1830/G-4 — 1 in phase 2, 2 in phases 3 and 4, 3 from phase 5; then a stock round."""
    game = rich(preset)
    phase(game.state, begun)
    company(game.state, "B&O", p2=6)
    cash(game.state, "B&O", 0)
    everybody_passes(game)
    assert game.actor == "B&O"
    assert operating_rounds(game) == rounds
    assert (type(game.state.round), game.state.turn) == (Stock, 3)
    check_invariants(game.state)


def test_a_new_phase_does_not_lengthen_the_set_that_has_begun() -> None:
    """1830/G-4 — the first 3-train is bought in the only round of a set of phase 2."""
    game = rich()
    company(game.state, "B&O", p2=6)
    game.state.depot["2"] = 0
    everybody_passes(game)
    operating_of(game).step = Step.TRAINS
    play(game, "B&O train 3 bank 180")
    assert game.state.title.phases[game.state.phase].id == "3"
    assert operating_rounds(game) == 1
    assert isinstance(game.state.round, Stock)
    check_invariants(game.state)


@both
def test_turns_go_clockwise_from_the_player_with_the_priority(preset: str) -> None:
    """1830/S-1 — 3 has it, left of 2 who bought the last private; the others wait."""
    game = after_auction(preset=preset)
    for line in ("1 buy B&O ipo", "2 buy B&O ipo", "4 pass", "1 par NYC 67"):
        turn = {"actor": line[0], "turn": "3"}
        assert refused(game, line) == (Reason.NOT_YOUR_TURN, turn)
    turns = []
    for line in ("3 buy B&O ipo", "4 pass", "1 buy B&O ipo", "2 buy B&O ipo", "3 pass"):
        turns.append(game.actor)
        play(game, line)
    assert turns == ["3", "4", "1", "2", "3"]
    check_invariants(game.state)


@both
def test_the_round_ends_when_all_pass_one_after_the_other(preset: str) -> None:
    """1830/S-2 — who passed acts again when the turn comes back; then all four must pass, who
    acted last among them."""
    game = after_auction(preset=preset)
    play(game, "3 pass\n4 pass\n1 pass\n2 buy B&O ipo\n3 buy B&O ipo")
    play(game, "4 pass\n1 pass\n2 pass")
    assert (game.state.turn, game.actor) == (1, "3")
    play(game, "3 pass")
    assert game.state.turn == 2


@both
def test_priority_goes_to_the_left_of_who_last_bought_or_sold(preset: str) -> None:
    """1830/S-3 — purchases by 3 and then 4: 1 begins; then a sale by 1: 2 begins."""
    game = play(after_auction(preset=preset), "3 pass\n4 pass\n1 pass\n2 pass")
    assert (game.state.turn, game.actor) == (2, "3")  # nobody acted: it does not move
    company(game.state, "NYC", p2=2, p1=1)
    play(game, "3 buy NYC ipo\n3 pass\n4 buy NYC ipo\n4 pass")
    everybody_passes(game)
    assert (game.state.turn, game.actor) == (3, "1")
    play(game, "1 sell NYC 1\n1 pass")
    everybody_passes(game)
    assert (game.state.turn, game.actor) == (4, "2")
    check_invariants(game.state)


@both
def test_the_exchange_of_the_mohawk_is_a_turn_of_stock_but_no_action(preset: str) -> None:
    """1830/S-1, S-3, V-9 — its owner 4 exchanges and passes, the others pass: the round is over
    and the priority has not moved from 3."""
    game = play(after_auction(preset=preset), "3 pass\n4 exchange MH ipo")
    assert game.actor == "4"
    assert game.state.corporations["NYC"].held == {"4": 1}
    play(game, "4 pass\n1 pass\n2 pass")
    assert (game.state.turn, game.actor) == (2, "3")
    check_invariants(game.state)


@both
def test_with_the_exchange_of_the_mohawk_one_may_also_buy(preset: str) -> None:
    """1830/S-1, S-4 — it is not the turn's purchase."""
    game = rich(preset, "4")
    company(game.state, "NYC", p1=2)
    play(game, "4 exchange MH ipo\n4 buy NYC ipo")
    assert game.state.corporations["NYC"].held == {"1": 2, "4": 2}
    check_invariants(game.state)


# --- sales and the one purchase -------------------------------------------------------------------


@both
def test_one_sells_buys_and_sells_again_even_what_was_just_bought(preset: str) -> None:
    """1830/S-4, S-6, Z-4, R39, FIGF-V-12 — any number of sales, before and after one purchase."""
    game = rich(preset)
    company(game.state, "NYC", 100, p2=3)
    company(game.state, "PRR", 76, p1=4, p2=2)
    company(game.state, "CPR", 90, p1=2, p3=2)
    play(game, "1 sell PRR 1\n1 sell CPR 2\n1 buy NYC ipo\n1 sell PRR 1\n1 sell NYC 1")
    # PRR 76, CPR 90 twice, the NYC bought at 100, PRR one lower at 71, the NYC sold at 100
    assert game.state.cash["1"] == 1000 + 76 + 180 - 100 + 71 + 100
    assert refused(game, "1 buy ERIE ipo")[0] == Reason.NOT_PARRED
    for line in ("1 buy B&O ipo", "1 par ERIE 67"):
        assert refused(game, line)[0] == Reason.ONE_PURCHASE
    check_invariants(game.state)


@both
@pytest.mark.parametrize("first", ["1 par ERIE 67", "1 buy B&O ipo", "1 buy NYC pool"])
def test_one_purchase_is_all_there_is_in_a_turn(preset: str, first: str) -> None:
    """1830/S-4, S-7 — whatever was bought first."""
    game = rich(preset)
    company(game.state, "NYC", pool=2, p2=2)
    company(game.state, "CPR", p1=1, p2=2)  # so that he has something to sell, and his turn lasts
    play(game, first)
    for second in ("1 par C&O 67", "1 buy B&O ipo", "1 buy NYC pool", "1 buy NYC ipo"):
        assert refused(game, second) == (Reason.ONE_PURCHASE, {})
    check_invariants(game.state)


@both
def test_nothing_is_sold_in_the_first_stock_round(preset: str) -> None:
    """1830/S-5, R39 — shares are bought in it, and sold from the second on."""
    game = rich(preset, turn=1)
    company(game.state, "NYC", p1=4, p2=2)
    assert refused(game, "1 sell NYC 1") == (Reason.NO_SALES_YET, {})
    assert not any(isinstance(one.action, SellShares) for one in game.options())
    play(game, "1 buy NYC ipo")
    play(stock_round(game, "1", turn=2), "1 sell NYC 1")
    check_invariants(game.state)


@both
def test_who_sold_does_not_buy_the_same_corporation_for_the_rest_of_the_round(
    preset: str,
) -> None:
    """1830/S-6, R39 — neither in this turn nor in a later one; others may; so may he next time."""
    game = rich(preset)
    company(game.state, "NYC", p1=2, p2=4)
    company(game.state, "CPR", p1=2, p2=4)
    play(game, "1 sell NYC 1")
    lines = ("1 buy NYC ipo", "1 buy NYC pool")
    for line in lines:
        assert refused(game, line) == (Reason.SOLD_THIS_ROUND, {"corporation": "NYC"})
    play(game, "1 pass\n2 buy NYC pool\n2 pass\n3 pass\n4 pass")
    for line in lines:
        assert refused(game, line)[0] == Reason.SOLD_THIS_ROUND
    play(game, "1 sell NYC 1\n1 sell CPR 1\n1 buy B&O ipo")  # all that is allowed
    done(game, "1")
    play(game, "2 pass\n3 pass\n4 pass")
    for symbol in ("NYC", "CPR"):
        sold = (Reason.SOLD_THIS_ROUND, {"corporation": symbol})
        assert refused(game, f"1 buy {symbol} ipo") == sold
    play(stock_round(game, turn=3), "1 buy NYC pool")
    check_invariants(game.state)


def test_shares_of_the_offering_cost_par_and_those_of_the_pool_the_market_price() -> None:
    """1830/S-7, S-9 — both are paid to the bank, none to the corporation: NYC parred at 100 stands
    at 76."""
    game = rich()
    nyc = company(game.state, "NYC", 100, pool=1, p1=2)
    price(game.state, "NYC", *WHITE_76)
    bank = game.state.bank
    play(game, "1 buy NYC ipo\n1 pass\n2 buy NYC pool")
    assert (game.state.cash["1"], game.state.cash["2"]) == (900, 924)
    assert (game.state.bank, nyc.cash) == (bank + 176, 0)
    assert (nyc.held, nyc.ipo, nyc.pool) == ({"1": 3, "2": 1}, 6, 0)
    check_invariants(game.state)


@pytest.mark.parametrize(("source", "cost"), [("ipo", 100), ("pool", 76)])
def test_what_is_not_there_or_too_dear_is_not_bought(source: str, cost: int) -> None:
    """1830/S-7 — of the NYC nothing is left; of the PRR, parred at 100 and now at 76, there is."""
    game = rich()
    company(game.state, "NYC", p1=4, p2=4, p3=2)
    company(game.state, "PRR", 100, p1=3, p2=2, pool=2)
    price(game.state, "PRR", *WHITE_76)
    gone = {"corporation": "NYC", "source": source}
    assert refused(game, f"1 buy NYC {source}") == (Reason.NO_SHARE_LEFT, gone)
    cash(game.state, "1", cost - 1)
    short = {"cash": cost - 1, "price": cost}
    assert refused(game, f"1 buy PRR {source}") == (Reason.NO_MONEY, short)
    cash(game.state, "1", cost)
    play(game, f"1 buy PRR {source}")
    assert game.state.cash["1"] == 0
    check_invariants(game.state)


@both
@pytest.mark.parametrize("source", ["ipo", "pool"])
def test_before_its_par_no_other_share_of_a_corporation_is_bought(preset: str, source: str) -> None:
    """1830/S-7, S-10, R17 — not even of the PRR, of which 1 has the Camden's share: the first
    purchase is the president's certificate."""
    game = rich(preset)
    for symbol in ("PRR", "ERIE"):
        unparred = (Reason.NOT_PARRED, {"corporation": symbol})
        assert refused(game, f"1 buy {symbol} {source}") == unparred
    play(game, "1 par PRR 67")
    assert game.state.corporations["PRR"].held == {"1": 3}
    check_invariants(game.state)


# --- the brown zone -------------------------------------------------------------------------------


def brown(preset: str = "figf", **options: object) -> Game:
    """NYC and PRR, parred at 67, stand in the brown zone at 20, four tenths of each in the pool."""
    game = stock_round(after_auction(4, preset, **options), "1")
    for symbol in ("NYC", "PRR"):
        company(game.state, symbol, 67, pool=4, p2=2, p3=2)
        price(game.state, symbol, *BROWN_20)
    cash(game.state, "1", 1000)
    return game


@both
def test_of_a_brown_corporation_several_shares_of_the_pool_are_bought_in_a_turn(
    preset: str,
) -> None:
    """1830/S-11, R37, R38, FIGF-Z-13 — of one corporation, from the pool alone."""
    game = play(brown(preset), "1 buy NYC pool\n1 buy NYC pool\n1 buy NYC pool")
    assert (game.state.cash["1"], game.state.corporations["NYC"].pool) == (940, 1)
    for line in ("1 buy PRR pool", "1 buy NYC ipo", "1 buy B&O ipo", "1 par ERIE 67"):
        assert refused(game, line) == (Reason.ONE_PURCHASE, {})
    play(game, "1 buy NYC pool")
    check_invariants(game.state)


@both
def test_the_pool_is_not_mixed_with_the_offering(preset: str) -> None:
    """1830/S-11, R37, FIGF-Z-13 — after a share of the offering no second, from neither."""
    game = play(brown(preset), "1 buy NYC ipo")
    for line in ("1 buy NYC ipo", "1 buy NYC pool"):
        assert refused(game, line) == (Reason.ONE_PURCHASE, {})


@both
def test_a_table_may_open_the_offering_to_the_brown_zone(preset: str) -> None:
    """1830/S-11, R37 — an option: several from the offering (67 each), and mixed; still of one
    corporation."""
    game = brown(preset, multiple_brown_from_ipo=True)
    play(game, "1 buy NYC ipo\n1 buy NYC pool\n1 buy NYC ipo")
    assert game.state.cash["1"] == 1000 - 67 - 20 - 67
    assert refused(game, "1 buy PRR ipo") == (Reason.ONE_PURCHASE, {})
    check_invariants(game.state)


@both
@pytest.mark.parametrize("space", [WHITE_76, YELLOW_48, ORANGE_39])
def test_outside_the_brown_zone_one_share_is_bought(preset: str, space: tuple[int, int]) -> None:
    """1830/S-11, R38, FIGF-Z-12, FIGF-Z-13 — neither yellow nor orange will do."""
    game = brown(preset)
    price(game.state, "NYC", *space)
    play(game, "1 buy NYC pool")
    assert refused(game, "1 buy NYC pool") == (Reason.ONE_PURCHASE, {})


# --- above a limit --------------------------------------------------------------------------------


def overloaded(preset: str = "figf") -> Game:
    """1 holds 17 certificates, of 16: the private SV and CA, and of NYC, PRR and CPR 6, 6 and 5
    tenths as president (5, 5, 4 certificates) and one of the C&O."""
    game = rich(preset)
    company(game.state, "NYC", p1=6, p2=2)
    company(game.state, "PRR", 90, p1=6, p2=2)
    company(game.state, "CPR", 82, p1=5, p2=2)
    company(game.state, "C&O", 76, p1=1, p2=3)
    return game


@both
def test_who_is_above_the_certificate_limit_sells_before_anything_else(preset: str) -> None:
    """1830/S-15, R35 — 17 of 16: he neither buys nor passes, and has nothing but sales; what he
    sells is his choice."""
    game = overloaded(preset)
    must = (Reason.MUST_SELL, {"held": 17, "limit": 16, "corporations": []})
    for line in ("1 pass", "1 buy B&O ipo", "1 par ERIE 67", "1 private DH 70"):
        assert refused(game, line) == must
    actions = [option.action for option in game.options()]
    assert {type(action) for action in actions} == {SellShares}
    sales = [action for action in actions if isinstance(action, SellShares)]
    assert {sale.corporation for sale in sales} == {"NYC", "PRR", "CPR", "C&O"}
    play(game, "1 sell C&O 1")
    assert game.state.certificates("1") == 16
    play(game, "1 pass")
    assert game.actor == "2"
    check_invariants(game.state)


@both
def test_a_corporation_that_left_the_yellow_zone_counts_again(preset: str) -> None:
    """1830/S-13, S-15, P-7, R35, FIGF-Z-12 — with the PRR in the yellow zone 12 of 16 count; once
    it has risen out of it, 17: at his next turn 1 must sell."""
    game = overloaded(preset)
    price(game.state, "PRR", *YELLOW_48)
    assert game.state.certificates("1") == 12
    play(game, "1 pass")
    price(game.state, "PRR", *WHITE_76)
    assert game.state.certificates("1") == 17
    stock_round(game, "1")
    assert refused(game, "1 pass")[0] == Reason.MUST_SELL
    play(game, "1 sell PRR 2\n1 pass")
    check_invariants(game.state)


def unsaleable(preset: str = "figf") -> Game:
    """1 holds 18 certificates of 16, none of them saleable: all the privates, and three tenths as
    president of six corporations, whose pools are full."""
    game = rich(preset)
    game.state.owners = dict.fromkeys(game.state.owners, "1")
    for symbol in ("PRR", "NYC", "CPR", "B&O", "C&O", "ERIE"):
        company(game.state, symbol, pool=5, p1=3, p2=1)
    return game


@both
def test_who_can_sell_nothing_may_pass_and_keeps_what_is_too_much(preset: str) -> None:
    """1830/S-13, S-15, R36 — but he does not buy what counts; and once there is room in a pool he
    must sell."""
    game = unsaleable(preset)
    limit = {"held": 19, "limit": 16}
    assert refused(game, "1 par B&M 67") == (Reason.CERTIFICATE_LIMIT, limit)
    assert refused(game, "1 sell NYC 1") == (
        Reason.POOL_LIMIT,
        {"corporation": "NYC", "pool": 60, "limit": 50},
    )
    done(play(game, "1 pass\n2 buy NYC pool"), "2")
    play(game, "3 pass\n4 pass")
    assert refused(game, "1 pass") == (
        Reason.MUST_SELL,
        {"held": 18, "limit": 16, "corporations": []},
    )
    done(play(game, "1 sell NYC 1"), "1")
    assert (game.state.certificates("1"), game.actor) == (17, "2")
    check_invariants(game.state)


@both
def test_nobody_need_sell_what_does_not_count(preset: str) -> None:
    """1830/S-13, S-15, R36 — with nothing else to sell, the yellow B&M does not bring him down."""
    game = unsaleable(preset)
    company(game.state, "B&M", 67, p1=3, p2=2)
    price(game.state, "B&M", *YELLOW_48)
    assert game.state.certificates("1") == 18
    play(game, "1 pass")
    assert game.actor == "2"
    check_invariants(game.state)


@both
def test_above_sixty_per_cent_one_sells_when_the_price_has_left_the_orange_zone(
    preset: str,
) -> None:
    """1830/S-12, S-15, P-7, Z-15, FIGF-Z-13 — 1 holds 80% of the NYC: nothing in the orange zone;
    at his next turn out of it he sells that corporation before anything else, in what blocks he
    likes. His certificates, 4 of 16, are not too many."""
    game = rich(preset)
    company(game.state, "NYC", p1=8, p2=2)
    company(game.state, "CPR", p1=1, p2=2)
    price(game.state, "NYC", *ORANGE_39)
    play(game, "1 pass")
    price(game.state, "NYC", *YELLOW_60)
    stock_round(game, "1")
    must = (Reason.MUST_SELL, {"held": 4, "limit": 16, "corporations": ["NYC"]})
    # SV, CA, a share of the PRR and of the CPR; the NYC, in the yellow zone, does not count
    assert game.state.certificates("1") == 4
    assert refused(game, "1 pass") == must
    assert refused(game, "1 buy CPR ipo") == must
    play(game, "1 sell NYC 1")  # 70%, at 54
    assert refused(game, "1 pass") == must
    play(game, "1 sell NYC 1\n1 pass")  # 60%, at 48
    check_invariants(game.state)


@both
def test_a_sale_that_takes_the_price_into_the_orange_zone_is_enough(preset: str) -> None:
    """1830/S-12, S-15, P-7, Z-15 — 80% at 48, one tenth sold: 70% at 41 may be held.
    That nobody could follow him as president does not keep him from selling so far (C-4)."""
    game = rich(preset)
    company(game.state, "NYC", p1=8, p2=1, p3=1)
    price(game.state, "NYC", *YELLOW_48)
    assert refused(game, "1 pass")[0] == Reason.MUST_SELL
    play(game, "1 sell NYC 1\n1 pass")
    assert game.state.corporations["NYC"].held["1"] == 7
    check_invariants(game.state)


# --- privates between players ---------------------------------------------------------------------


@both
def test_a_private_changes_hands_at_any_price_on_the_buyers_turn(preset: str) -> None:
    """1830/S-7, S-22, V-3, FIGF-Z-02 — 1 buys the DH of 3, for a dollar or for all he has."""
    for paid in (1, 1000):
        game = rich(preset)
        play(game, f"1 private DH {paid}")
        assert game.state.owners["DH"] == "1"
        assert (game.state.cash["1"], game.state.cash["3"]) == (1000 - paid, 1000 + paid)
        check_invariants(game.state)
    data = {"price": 1001, "least": 1, "most": 1000}
    assert refused(rich(preset), "1 private DH 1001") == (Reason.PRICE_OUT_OF_RANGE, data)


@both
def test_no_private_changes_hands_in_the_first_stock_round(preset: str) -> None:
    """1830/S-22, V-3, FIGF-Z-02 — from the second on."""
    game = rich(preset, turn=1)
    early = (Reason.NOT_BETWEEN_PLAYERS, {"private": "DH"})
    assert refused(game, "1 private DH 70") == early


@both
def test_only_a_players_private_is_bought_of_him(preset: str) -> None:
    """1830/S-22, V-2, V-3 — not one's own, nor one that a corporation owns or that is closed."""
    game = rich(preset)
    game.state.owners["DH"] = "B&O"
    del game.state.owners["MH"]
    for private in ("SV", "DH", "MH"):
        missing = (Reason.PRIVATE_NOT_HELD, {"private": private})
        assert refused(game, f"1 private {private} 50") == missing


def test_in_the_figf_a_private_is_also_sold_on_the_sellers_turn_beside_the_purchase() -> None:
    """FIGF-Z-02, 1830/S-3, S-22, V-3, V-10 — 1 is in turn and sells the SV to 3 and the CA to 4
    (what came with it stays), buys the DH, and buys a share; who does neither waits."""
    game = rich()
    other = {"actor": "2", "turn": "1"}
    assert refused(game, "2 private DH 70") == (Reason.NOT_YOUR_TURN, other)
    play(game, "3 private SV 20\n1 buy B&O ipo\n4 private CA 300\n1 private DH 65")
    assert game.state.owners == {"SV": "3", "CS": "2", "DH": "1", "MH": "4", "CA": "4", "BO": "2"}
    assert game.state.cash == {
        "1": 1000 + 20 - 100 + 300 - 65,
        "2": 1000,
        "3": 1000 - 20 + 65,
        "4": 700,
    }
    assert game.state.corporations["PRR"].held == {"1": 1}
    play(game, "1 pass")
    everybody_passes(game)
    assert game.actor == "2"  # left of 1, in whose turn it all happened
    check_invariants(game.state)


def test_in_the_figf_who_has_nothing_but_a_private_still_has_his_turn_to_sell_it() -> None:
    """FIGF-Z-02, 1830/S-1 — 3 has the DH, no share and no money: the turn comes to him."""
    game = rich()
    cash(game.state, "3", 0)
    play(game, "1 pass\n2 pass")
    assert game.actor == "3"
    play(game, "4 private DH 100\n3 buy B&O ipo")
    assert (game.state.owners["DH"], game.state.cash["3"]) == ("4", 0)
    check_invariants(game.state)


def test_in_the_figf_the_b_and_o_is_sold_between_players_too() -> None:
    """FIGF-Z-02, FIGF-Z-09, 1830/V-11 — it is to corporations that it is never sold; the
    presidency of the B&O does not follow."""
    game = play(rich(), "1 private BO 200")
    assert game.state.owners["BO"] == "1"
    assert game.state.corporations["B&O"].president == "2"
    check_invariants(game.state)


def test_in_the_figf_a_private_counts_at_the_certificate_limit() -> None:
    """FIGF-Z-10, 1830/G-8, S-13 — 16 of 16: 1 buys none, on nobody's turn, but sells one."""
    game = play(overloaded(), "1 sell C&O 1")
    full = (Reason.CERTIFICATE_LIMIT, {"held": 17, "limit": 16})
    assert refused(game, "1 private DH 70") == full
    play(game, "3 private SV 20\n1 private DH 70")
    assert game.state.certificates("1") == 16
    check_invariants(game.state)


@both
def test_a_private_sold_in_this_round_may_be_bought_back(preset: str) -> None:
    """1830/V-3, S-22, S-6 — what is said of shares is not said of privates."""
    game = rich(preset, "2")
    done(play(game, "2 private SV 50"), "2")
    play(game, "3 pass\n4 pass\n1 private SV 20")
    assert game.state.owners["SV"] == "1"
    check_invariants(game.state)


def test_on_18xx_games_a_private_is_the_buyers_purchase_in_his_own_turn() -> None:
    """1830/V-3, S-4, S-7 — not on the seller's turn, not beside another, and never the B&O."""
    game = rich("18xx")
    company(game.state, "CPR", p3=2, p1=1, p2=1)  # both have something to sell: their turns last
    assert refused(game, "3 private SV 20") == (Reason.NOT_YOUR_TURN, {"actor": "3", "turn": "1"})
    assert refused(game, "1 private BO 220") == (Reason.NOT_BETWEEN_PLAYERS, {"private": "BO"})
    play(game, "1 private DH 70")
    for line in ("1 private MH 110", "1 buy B&O ipo", "1 par ERIE 67"):
        assert refused(game, line) == (Reason.ONE_PURCHASE, {})
    play(game, "1 pass\n2 buy B&O ipo")
    assert refused(game, "2 private MH 110") == (Reason.ONE_PURCHASE, {})
    check_invariants(game.state)


@both
def test_what_a_player_may_do_is_listed_as_the_rules_say(preset: str) -> None:
    """1830/S-1, S-7, R6 — 3 in the second round, with no shares and the DH."""
    game = rich(preset, "3")
    company(game.state, "NYC", 100, pool=1, p1=2)
    said = {str(option.action): option.most for option in game.options()}
    pars = (100, 90, 82, 76, 71, 67)
    expected: dict[str, int | None] = {"3 pass": None, "3 buy NYC ipo": None}
    expected |= {"3 buy NYC pool": None, "3 buy B&O ipo": None}
    expected |= {
        f"3 par {one} {par}": None
        for one in ("PRR", "CPR", "C&O", "ERIE", "NYNH", "B&M")
        for par in pars
    }
    of_others = ["SV", "CA", "CS", "MH"] + (["BO"] if preset == "figf" else [])
    expected |= {f"3 private {private} 1": 1000 for private in of_others}
    assert said == expected
    assert all(option.covers(parse(str(option.action))) for option in game.options())
