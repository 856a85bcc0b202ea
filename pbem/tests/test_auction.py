"""Groups G and A of the rules: the table set up, and the opening auction of the privates."""

from __future__ import annotations

import pytest

from pbem.engine import Game, MalformedAction, start
from pbem.engine.actions import Action, Bid, from_dict, parse
from pbem.engine.errors import Reason
from pbem.engine.state import Auction, Stock
from pbem.engine.trains import on_sale

from .positions import after_auction, auction_of, check_invariants, play, refused

both = pytest.mark.parametrize("preset", ["figf", "18xx"])
PARS = [67, 71, 76, 82, 90, 100]  # 1830/S-8


def auction(players: int = 4, preset: str = "figf") -> Game:
    """The very beginning: players "1", "2"… with nothing but their cash (600 each, if four)."""
    return start("1830", [str(n + 1) for n in range(players)], preset)


def passes(game: Game, *players: int) -> Game:
    """These players pass one after the other."""
    return play(game, "\n".join(f"{player} pass" for player in players))


# --- the table ------------------------------------------------------------------------------------


@both
@pytest.mark.parametrize(
    ("players", "cash", "limit"),
    [(2, 1200, 28), (3, 800, 20), (4, 600, 16), (5, 480, 13), (6, 400, 11)],
)
def test_players_begin_with_2400_among_them_and_their_certificate_limit(
    players: int, cash: int, limit: int, preset: str
) -> None:
    """1830/G-1, G-2, FIGF-Z-10 — 2400 out of a bank of 12,000, shared equally."""
    state = auction(players, preset).state
    assert list(state.cash.values()) == [cash] * players
    assert state.bank == 12000 - 2400
    assert state.certificate_limit == limit
    check_invariants(state)


@pytest.mark.parametrize("players", [0, 1, 7])
def test_fewer_than_two_players_or_more_than_six_do_not_begin(players: int) -> None:
    """1830/G-1 — 2 to 6 players."""
    with pytest.raises(MalformedAction):
        auction(players)


def test_the_first_seat_begins_and_turns_go_clockwise() -> None:
    """1830/G-3, A-2 — seats are as they were given; one action is one turn."""
    game = start("1830", ["bea", "aldo", "carla"])
    assert isinstance(game.state.round, Auction)
    turns = []
    for _ in range(4):
        turns.append(game.actor)
        play(game, f"{game.actor} pass")
    assert turns == ["bea", "aldo", "carla", "bea"]


def test_the_first_trains_are_2s_four_a_corporation_and_tiles_are_yellow() -> None:
    """FIGF-Z-15, 1830/G-4 — phase 2 begins the game."""
    state = auction().state
    begun = state.title.phases[state.phase]
    assert [train.id for train in on_sale(state)] == ["2"]
    assert (begun.id, begun.limit, begun.rounds) == ("2", 4, 1)
    assert begun.colours == {"yellow"}


@pytest.mark.parametrize("price", [45.5, "45", True, None])
def test_money_is_whole_dollars(price: object) -> None:
    """1830/G-6 — anything else is no price; here where 45 would be one."""
    said = {"type": "bid", "actor": "1", "private": "CS", "price": price}
    with pytest.raises(MalformedAction) as refusal:
        from_dict(said)
    assert refusal.value.where == "price"
    with pytest.raises(MalformedAction):
        parse("1 bid CS 45.5")


# --- a turn: to buy the cheapest, to bid on another, to pass --------------------------------------


def test_the_privates_stand_in_rising_face_value() -> None:
    """1830/A-1, FIGF-Z-21 — face values, and what each pays."""
    game = auction()
    printed = [(one, game.title.privates[one]) for one in game.state.unsold]
    assert [(one, private.face, private.revenue) for one, private in printed] == [
        ("SV", 20, 5),
        ("CS", 40, 10),
        ("DH", 70, 15),
        ("MH", 110, 20),
        ("CA", 160, 25),
        ("BO", 220, 30),
    ]


@both
def test_the_cheapest_is_bought_for_the_bank_at_its_price(preset: str) -> None:
    """1830/A-2, A-6, G-6, G-8 — paid to the bank, handed over, and the next player's turn."""
    game = play(auction(preset=preset), "1 bid SV 20")
    state = game.state
    assert (state.cash["1"], state.bank, state.owners) == (580, 9620, {"SV": "1"})
    assert state.certificates("1") == 1
    assert (state.unsold[0], game.actor) == ("CS", "2")
    play(game, "2 bid CS 40")
    assert state.cash["2"] == 560
    check_invariants(state)


@pytest.mark.parametrize("price", [15, 19, 21, 25])
def test_nobody_bids_on_the_cheapest(price: int) -> None:
    """1830/A-2 — it is bought at its current price, no more and no less."""
    reason, data = refused(auction(), f"1 bid SV {price}")
    assert (reason, data) == (Reason.PRICE_IS_FIXED, {"private": "SV", "price": 20})


def test_who_is_not_in_turn_neither_bids_nor_buys_nor_passes() -> None:
    """1830/A-2 — a turn is one player's."""
    game = auction()
    for line in ("2 bid SV 20", "3 bid CS 45", "4 pass"):
        reason, data = refused(game, line)
        assert (reason, data) == (Reason.NOT_YOUR_TURN, {"actor": line[0], "turn": "1"})


def test_what_is_sold_is_no_longer_on_sale() -> None:
    """1830/A-2 — only unsold privates."""
    game = play(auction(), "1 bid SV 20")
    assert refused(game, "2 bid SV 25") == (Reason.NOT_ON_SALE, {"private": "SV"})


@both
def test_a_bid_is_five_above_the_face_value_or_the_last_bid_and_then_any_whole_amount(
    preset: str,
) -> None:
    """1830/A-3, Z-1, FIGF-V-03, FIGF-V-05 — DH 70: 75 at least; after 76, 81; 88 is as good."""
    game = auction(preset=preset)
    too_low = Reason.BID_TOO_LOW
    assert refused(game, "1 bid DH 74") == (too_low, {"private": "DH", "minimum": 75})
    play(game, "1 bid DH 76")
    assert refused(game, "2 bid DH 80") == (too_low, {"private": "DH", "minimum": 81})
    play(game, "2 bid DH 88")
    assert refused(game, "3 bid DH 92") == (too_low, {"private": "DH", "minimum": 93})
    play(game, "3 bid DH 93")
    assert game.state.cash == dict.fromkeys("1234", 600)  # nothing is paid yet
    check_invariants(game.state)


def test_the_options_name_every_bid_from_the_least_to_all_the_money() -> None:
    """1830/A-3, A-4 — a range a private; of the cheapest the one price."""
    options = auction().options()
    bids = [(one.action, one.most) for one in options if isinstance(one.action, Bid)]
    assert {bid.private: (bid.price, most) for bid, most in bids} == {
        "SV": (20, None),
        "CS": (45, 600),
        "DH": (75, 600),
        "MH": (115, 600),
        "CA": (165, 600),
        "BO": (225, 600),
    }


@both
def test_money_that_is_bid_is_tied_up(preset: str) -> None:
    """1830/A-4, A-5, FIGF-V-04 — of 600, bids of 300 and 290 leave 10: not enough for the SV."""
    game = play(auction(preset=preset), "1 bid DH 300")
    passes(game, 2, 3, 4)
    play(game, "1 bid CS 290")
    passes(game, 2, 3, 4)
    assert refused(game, "1 bid SV 20") == (Reason.NO_MONEY, {"cash": 10, "price": 20})
    assert refused(game, "1 bid MH 115") == (Reason.NO_MONEY, {"cash": 10, "price": 115})
    assert game.state.cash["1"] == 600


def test_who_raises_his_own_bid_adds_the_difference() -> None:
    """1830/A-4, A-5 — from 300 on the DH to 600, with 600 in all; 605 is too much."""
    game = passes(play(auction(), "1 bid DH 300"), 2, 3, 4)
    least = {"private": "DH", "minimum": 305}
    assert refused(game, "1 bid DH 304") == (Reason.BID_TOO_LOW, least)
    assert refused(game, "1 bid DH 605") == (Reason.NO_MONEY, {"cash": 600, "price": 605})
    play(game, "1 bid DH 600")
    assert auction_of(game).bids == {"DH": {"1": 600}}


# --- what follows a purchase ----------------------------------------------------------------------


@both
def test_one_bidder_gets_the_new_cheapest_at_once_for_his_bid(preset: str) -> None:
    """1830/A-6, A-7, A-9 — again and again: CS to 3, DH to 1; then MH has no bid and 3 has turn."""
    game = play(auction(preset=preset), "1 bid DH 80\n2 pass\n3 bid CS 45\n4 pass\n1 pass")
    play(game, "2 bid SV 20")
    state = game.state
    assert state.owners == {"SV": "2", "CS": "3", "DH": "1"}
    assert state.cash == {"1": 520, "2": 580, "3": 555, "4": 600}
    assert state.unsold == ["MH", "CA", "BO"]
    assert game.actor == "3"  # after 2, who bought, whoever got the others
    check_invariants(state)


def contest(preset: str = "figf") -> Game:
    """1 (75) and 2 (80) fight for the DH, after 4's turn; 3 has got the CS for 45."""
    return play(auction(preset=preset), "1 bid DH 75\n2 bid DH 80\n3 bid CS 45\n4 bid SV 20")


@both
def test_two_bidders_alone_fight_for_it_and_the_lowest_speaks(preset: str) -> None:
    """1830/A-8, Z-2, FIGF-V-05, R32 — nobody else, on nothing else, by 5 at least."""
    game = contest(preset)
    assert game.actor == "1"
    turn = {"actor": "3", "turn": "1"}
    assert refused(game, "3 bid DH 85") == (Reason.NOT_YOUR_TURN, turn)
    assert refused(game, "2 bid DH 85")[0] == Reason.NOT_YOUR_TURN
    for line in ("1 bid MH 115", "1 bid BO 300"):
        assert refused(game, line) == (Reason.NOT_IN_THIS_AUCTION, {"private": "DH"})
    least = {"private": "DH", "minimum": 85}
    assert refused(game, "1 bid DH 84") == (Reason.BID_TOO_LOW, least)
    play(game, "1 bid DH 85")
    assert game.actor == "2"
    check_invariants(game.state)


@both
def test_the_last_one_left_pays_his_bid_and_the_turn_order_goes_on(preset: str) -> None:
    """1830/A-8, A-9, Z-2 — 2 drops out and has all his money again; the next turn is 1's, after
    4 whose purchase began it all."""
    game = play(contest(preset), "1 bid DH 86\n2 pass")
    state = game.state
    assert state.owners["DH"] == "1"
    assert (state.cash["1"], state.cash["2"]) == (600 - 86, 600)
    assert (game.actor, state.unsold[0]) == ("1", "MH")
    play(game, "1 pass\n2 bid CA 600")
    check_invariants(state)


@both
def test_who_drops_out_of_a_contest_does_not_come_back(preset: str) -> None:
    """1830/A-8, Z-2 — 75, 80 and 85 for the DH: 1 raises, 2 drops out, 3 raises, and it is 1 who
    speaks, lowest of the two that are left."""
    game = play(auction(preset=preset), "1 bid DH 75\n2 bid DH 80\n3 bid DH 85\n4 bid SV 20")
    assert game.actor == "1"  # CS has no bid: settling stops, and it is the next turn
    play(game, "1 bid CS 40")
    spoken = []
    for line in ("1 bid DH 100", "2 pass", "3 bid DH 105"):
        spoken.append(game.actor)
        play(game, line)
    assert spoken == ["1", "2", "3"]
    assert game.actor == "1"
    assert refused(game, "2 bid DH 110") == (
        Reason.NOT_YOUR_TURN,
        {"actor": "2", "turn": "1"},
    )
    play(game, "1 pass")
    assert game.state.owners["DH"] == "3"
    assert game.state.cash == {"1": 560, "2": 600, "3": 495, "4": 580}
    assert game.actor == "2"  # 1's purchase of the CS brought it about
    check_invariants(game.state)


def test_a_contest_is_fought_with_money_that_no_other_bid_ties_up() -> None:
    """1830/A-4, A-8 — 1 has 500 of his 600 on the MH: 100 for the DH, and no more."""
    game = play(auction(), "1 bid DH 75\n2 bid DH 80\n3 pass\n4 pass\n1 bid MH 500")
    play(game, "2 bid SV 20\n3 bid CS 40")
    assert refused(game, "1 bid DH 101") == (Reason.NO_MONEY, {"cash": 100, "price": 101})
    play(game, "1 bid DH 100\n2 pass")
    assert game.state.owners == {"SV": "2", "CS": "3", "DH": "1", "MH": "1"}
    assert game.state.cash["1"] == 0
    check_invariants(game.state)


# --- everybody passes -----------------------------------------------------------------------------


@both
def test_when_all_pass_the_first_private_falls_by_five_and_bids_stay(preset: str) -> None:
    """1830/A-10, R33 — only in a row: 4's bid begins the count again."""
    game = passes(auction(preset=preset), 1, 2, 3)
    passes(play(game, "4 bid CS 45"), 1, 2, 3)
    fixed = Reason.PRICE_IS_FIXED
    assert refused(game, "4 bid SV 15") == (fixed, {"private": "SV", "price": 20})
    passes(game, 4)
    assert game.actor == "1"  # the same turn order
    assert refused(game, "1 bid SV 20") == (fixed, {"private": "SV", "price": 15})
    least = {"private": "CS", "minimum": 50}
    assert refused(game, "1 bid CS 45") == (Reason.BID_TOO_LOW, least)
    assert refused(game, "1 bid DH 74")[1]["minimum"] == 75  # nothing but the first falls
    play(game, "1 bid SV 15")
    assert game.state.cash == {"1": 585, "2": 600, "3": 600, "4": 555}
    check_invariants(game.state)


@both
def test_at_nothing_the_player_next_in_turn_takes_it(preset: str) -> None:
    """1830/A-11, A-7, R34 — 3 bids on the CS; four times all pass, from 4 on; then it is 4's turn,
    who takes the SV for nothing; the CS goes to 3; and 1 is next."""
    game = play(auction(preset=preset), "1 pass\n2 pass\n3 bid CS 45")
    for price in (20, 15, 10, 5):
        assert refused(game, "4 bid SV 1")[1]["price"] == price
        passes(game, 4, 1, 2, 3)
    state = game.state
    assert state.owners == {"SV": "4", "CS": "3"}
    assert state.cash == {"1": 600, "2": 600, "3": 555, "4": 600}
    assert game.actor == "1"
    check_invariants(state)


@both
def test_taking_the_first_for_nothing_may_end_the_auction(preset: str) -> None:
    """1830/A-11, A-7, A-15 — all the others have one bid each; the turn is 2's, who takes the SV,
    and all is sold; 1 names the par, and the first stock round begins left of 2."""
    game = play(auction(preset=preset), "1 bid CS 45\n2 bid DH 75\n3 bid MH 115\n4 bid CA 165")
    play(game, "1 bid BO 225")
    for _ in range(4):
        passes(game, 2, 3, 4, 1)
    play(game, "1 par B&O 67")
    assert game.state.owners == {"SV": "2", "CS": "1", "DH": "2", "MH": "3", "CA": "4", "BO": "1"}
    assert game.state.cash == {"1": 330, "2": 525, "3": 485, "4": 435}
    assert game.actor == "3"
    check_invariants(game.state)


@both
def test_once_the_first_is_sold_a_full_round_of_passes_pays_the_owners_once(preset: str) -> None:
    """1830/A-12, R33 — SV 5 to 1, CS 10 to 2; no price falls, nothing else happens; 3 goes on."""
    game = play(auction(preset=preset), "1 bid SV 20\n2 bid CS 40\n3 bid MH 115\n4 pass")
    passes(game, 1, 2)
    assert game.state.cash == {"1": 580, "2": 560, "3": 600, "4": 600}
    passes(game, 3)  # 4, 1, 2, 3: all of them
    assert game.state.cash == {"1": 585, "2": 570, "3": 600, "4": 600}
    assert (game.state.bank, game.actor) == (9600 + 60 - 15, "4")
    assert isinstance(game.state.round, Auction)
    assert refused(game, "4 bid DH 65") == (
        Reason.PRICE_IS_FIXED,
        {"private": "DH", "price": 70},
    )
    passes(game, 4, 1, 2)
    assert game.state.cash["1"] == 585  # three are no full round
    passes(game, 3)
    assert game.state.cash["1"] == 590
    assert game.state.round.bids == {"MH": {"3": 115}}
    check_invariants(game.state)


# --- free shares, and the end ---------------------------------------------------------------------

UP_TO_MH = "1 bid SV 20\n2 bid CS 40\n3 bid DH 70\n4 bid MH 110"


@both
@pytest.mark.parametrize("won_by_bid", [False, True])
def test_who_gets_the_camden_gets_a_tenth_of_the_pennsylvania(
    preset: str, won_by_bid: bool
) -> None:
    """1830/A-13, C-8, X-6, FIGF-Z-08, R17 — free, of a corporation without par or president; it
    counts as a certificate and is worth nothing; the private stays open."""
    game = auction(preset=preset)
    if won_by_bid:  # 1 gets SV by turn and CA for 165
        play(game, "1 bid CA 165\n2 bid SV 20\n3 bid CS 40\n4 bid DH 70\n1 pass\n2 bid MH 110")
        cash, faces, certificates = 600 - 165, 160, 2
    else:
        play(game, UP_TO_MH + "\n1 bid CA 160")
        cash, faces, certificates = 600 - 20 - 160, 20 + 160, 3
    state = game.state
    prr = state.corporations["PRR"]
    assert (prr.held, prr.ipo, prr.president, prr.par) == ({"1": 1}, 9, None, None)
    assert state.cash["1"] == cash
    assert state.certificates("1") == certificates  # the privates, and the share
    assert state.owners["CA"] == "1"
    assert state.worth("1") == cash + (faces if preset == "18xx" else 0)
    check_invariants(state)


def naming(preset: str = "figf") -> Game:
    """2 has just bought the B&O private, and must name the par."""
    return play(auction(preset=preset), UP_TO_MH + "\n1 bid CA 160\n2 bid BO 220")


@both
@pytest.mark.parametrize("par", PARS)
def test_who_gets_the_b_and_o_private_names_its_par(preset: str, par: int) -> None:
    """1830/A-14, S-8, C-1, FIGF-Z-09 — the president's certificate is free; 20% does not float."""
    game = play(naming(preset), f"2 par B&O {par}")
    state = game.state
    one = state.corporations["B&O"]
    assert (one.held, one.ipo, one.president) == ({"2": 2}, 8, "2")
    assert (one.par, state.price(one), one.floated, one.cash) == (par, par, False, 0)
    assert state.cash["2"] == 600 - 40 - 220
    assert state.certificates("2") == 3  # CS, BO, and the president's certificate
    assert isinstance(state.round, Stock)
    check_invariants(state)


@both
def test_nothing_goes_on_before_the_par_is_named(preset: str) -> None:
    """1830/A-14, S-8, FIGF-Z-09 — by the buyer, of the B&O, one of the six prices."""
    game = naming(preset)
    assert game.actor == "2"
    assert isinstance(game.state.round, Auction)
    pending = (Reason.DECISION_PENDING, {"decision": "par", "actor": "2"})
    for line in ("2 pass", "3 pass", "2 par NYC 100"):
        assert refused(game, line) == pending
    other = {"actor": "3", "turn": "2"}
    assert refused(game, "3 par B&O 100") == (Reason.NOT_YOUR_TURN, other)
    for price in (80, 112, 60):
        data = {"price": price, "pars": PARS}
        assert refused(game, f"2 par B&O {price}") == (Reason.NOT_A_PAR, data)
    assert [option.action for option in game.options()] == [
        parse(f"2 par B&O {par}") for par in (100, 90, 82, 76, 71, 67)
    ]


@both
def test_a_private_won_in_a_contest_also_brings_its_par(preset: str) -> None:
    """1830/A-8, A-14, A-15, Z-3 — 2 wins the B&O of 1; the auction ended in 3's turn, so the first
    stock round is begun by 4."""
    game = play(auction(preset=preset), "1 bid BO 225\n2 bid BO 230\n3 bid SV 20\n4 bid CS 40")
    play(game, "1 bid DH 70\n2 bid MH 110\n3 bid CA 160\n1 pass")
    assert game.actor == "2"
    play(game, "2 par B&O 67")
    assert game.state.cash["2"] == 600 - 110 - 230
    assert isinstance(game.state.round, Stock)
    assert game.actor == "4"
    check_invariants(game.state)


@both
def test_the_first_stock_round_begins_left_of_whose_turn_ended_the_auction(preset: str) -> None:
    """1830/A-15, Z-3 — 2 buys the CA, and 1's bid gets the B&O: 3 begins (left of 2), not 2 (left
    of 1, who got the last)."""
    game = play(auction(preset=preset), "1 bid BO 225\n2 bid SV 20\n3 bid CS 40\n4 bid DH 70")
    play(game, "1 bid MH 110\n2 bid CA 160\n1 par B&O 82")
    assert isinstance(game.state.round, Stock)
    assert game.actor == "3"
    assert after_auction(preset=preset).actor == "3"  # 2 buys the last at its face value
    check_invariants(game.state)


@both
@pytest.mark.parametrize(
    "line",
    ["1 par PRR 100", "1 buy PRR ipo", "1 sell PRR 1", "4 exchange MH ipo", "1 private DH 100"],
)
def test_no_share_is_bought_or_sold_during_the_auction(preset: str, line: str) -> None:
    """1830/A-16, G-4 — not even the PRR's by who has one; nor privates between players (V-3)."""
    game = play(auction(preset=preset), UP_TO_MH + "\n1 bid CA 160")
    assert refused(game, line) == (Reason.WRONG_ROUND, {"round": "auction"})


def test_every_action_of_an_auction_prints_and_parses() -> None:
    """1830/A-2 — as a line and as JSON."""
    said: list[Action] = naming().log
    assert [parse(str(one)) for one in said] == said
    assert [from_dict(one.to_dict()) for one in said] == said
