"""Groups S (limits, par, floating, sales), C and G-7: certificates change hands."""

from __future__ import annotations

import pytest

from pbem.engine import Game, MalformedAction, from_dict
from pbem.engine.actions import SellShares
from pbem.engine.errors import Reason
from pbem.engine.state import PRESIDENCY, Step, Stock

from .positions import (
    after_auction,
    cash,
    check_invariants,
    company,
    has_floated,
    lay,
    operating_of,
    operating_round,
    phase,
    play,
    price,
    refused,
    stock_of,
    stock_round,
    token,
    trains,
)

both = pytest.mark.parametrize("preset", ["figf", "18xx"])
PARS = [67, 71, 76, 82, 90, 100]

# Spaces of the market by their zone, (row, column)
WHITE, YELLOW, ORANGE, BROWN = (3, 6), (3, 1), (3, 0), (7, 1)


def rich(preset: str = "figf", player: str = "1") -> Game:
    """The second stock round at this player's turn, each of four with 1000; 1 has SV and CA (and
    with it 10% of the PRR), 2 CS, BO and 20% of the B&O, 3 DH, 4 MH."""
    game = stock_round(after_auction(4, preset), player)
    for one in game.state.players:
        cash(game.state, one, 1000)
    return game


# --- certificates and par -------------------------------------------------------------------------


def test_a_presidents_certificate_is_two_tenths_and_one_certificate() -> None:
    """1830/G-7, G-8 — 3 has the DH, half of the NYC as president, and 20% of the CPR not."""
    state = rich().state
    company(state, "NYC", p3=5, p2=1)
    company(state, "CPR", p2=3, p3=2)
    assert state.certificates("3") == 1 + (1 + 3) + 2
    assert state.certificates("2") == 2 + 1 + 1 + (1 + 1)  # CS, BO; B&O; NYC; CPR
    check_invariants(state)


@both
@pytest.mark.parametrize("par", PARS)
def test_the_presidents_certificate_costs_twice_the_par_and_makes_president(
    preset: str, par: int
) -> None:
    """1830/S-8, S-9, C-1 — paid to the bank; both markers there, nothing in the treasury."""
    game = rich(preset, "3")
    bank = game.state.bank
    play(game, f"3 par NYC {par}")
    nyc = game.state.corporations["NYC"]
    assert (game.state.cash["3"], game.state.bank) == (1000 - 2 * par, bank + 2 * par)
    assert (nyc.par, game.state.price(nyc), nyc.cash, nyc.floated) == (par, par, 0, False)
    assert (nyc.held, nyc.ipo, nyc.president) == ({"3": PRESIDENCY}, 8, "3")
    check_invariants(game.state)


@both
def test_par_is_one_of_six_prices_and_named_once(preset: str) -> None:
    """1830/S-8 — and one must have twice as much."""
    game = rich(preset, "3")
    for wrong in (66, 68, 80, 112):
        data = {"price": wrong, "pars": PARS}
        assert refused(game, f"3 par NYC {wrong}") == (Reason.NOT_A_PAR, data)
    assert refused(game, "3 par B&O 67") == (Reason.ALREADY_PARRED, {"corporation": "B&O"})
    cash(game.state, "3", 199)
    short = {"cash": 199, "price": 200}
    assert refused(game, "3 par NYC 100") == (Reason.NO_MONEY, short)
    play(game, "3 par NYC 90")
    check_invariants(game.state)


def test_a_new_marker_goes_underneath() -> None:
    """1830/S-8, P-6 — the B&O stands at 100 first, then the NYC, then the PRR."""
    game = play(rich(player="3"), "3 par NYC 100\n3 pass\n4 par PRR 100")
    assert game.state.markers == ["B&O", "NYC", "PRR"]
    check_invariants(game.state)


# --- limits ---------------------------------------------------------------------------------------


@both
@pytest.mark.parametrize("source", ["ipo", "pool"])
@pytest.mark.parametrize(
    ("space", "allowed"), [(WHITE, False), (YELLOW, False), (ORANGE, True), (BROWN, True)]
)
def test_nobody_buys_above_sixty_per_cent_outside_the_orange_and_brown_zones(
    preset: str, source: str, space: tuple[int, int], allowed: bool
) -> None:
    """1830/S-12, P-7, R38, FIGF-Z-11, FIGF-Z-13 — the yellow zone does not help."""
    game = rich(preset)
    company(game.state, "NYC", p1=6, p2=2, pool=1)
    price(game.state, "NYC", *space)
    if allowed:
        play(game, f"1 buy NYC {source}")
        assert game.state.corporations["NYC"].held["1"] == 7
    else:
        data = {"corporation": "NYC", "percent": 70, "limit": 60}
        assert refused(game, f"1 buy NYC {source}") == (Reason.HOLDING_LIMIT, data)
    check_invariants(game.state)


def test_sixty_per_cent_may_be_held() -> None:
    """1830/S-12, FIGF-Z-11 — from 50 to 60%."""
    game = rich()
    company(game.state, "NYC", p1=5, p2=2)
    play(game, "1 buy NYC ipo")
    assert game.state.corporations["NYC"].held["1"] == 6
    check_invariants(game.state)


def full(preset: str = "figf") -> Game:
    """1 holds his 16 certificates: SV, CA, 5 of the NYC (60%), 5 of the PRR (60%), 4 of the CPR
    (50%); the C&O has a share in the offering and one in the pool."""
    game = rich(preset)
    company(game.state, "NYC", p1=6, p2=2)
    company(game.state, "PRR", p1=6, p2=2)
    company(game.state, "CPR", p1=5, p2=2)
    company(game.state, "C&O", 67, p2=6, p3=2, pool=1)
    return game


@both
def test_at_the_certificate_limit_nobody_buys(preset: str) -> None:
    """1830/S-13, G-2, FIGF-Z-10 — 16 of 16; with a sale there is room for one."""
    game = full(preset)
    limit = (Reason.CERTIFICATE_LIMIT, {"held": 17, "limit": 16})
    for line in ("1 buy C&O ipo", "1 buy C&O pool", "1 buy CPR ipo", "1 par ERIE 67"):
        assert refused(game, line) == limit
    play(game, "1 sell CPR 1\n1 par ERIE 67")
    assert game.state.certificates("1") == 16
    check_invariants(game.state)


@both
@pytest.mark.parametrize("space", [YELLOW, ORANGE, BROWN])
def test_certificates_of_the_coloured_zones_do_not_count(
    preset: str, space: tuple[int, int]
) -> None:
    """1830/S-13, R38, FIGF-Z-12, FIGF-Z-13 — so they are bought at the limit."""
    game = full(preset)
    price(game.state, "C&O", *space)
    play(game, "1 buy C&O pool")
    assert game.state.certificates("1") == 16
    price(game.state, "NYC", *space)
    assert game.state.certificates("1") == 11
    check_invariants(game.state)


@both
def test_a_sale_that_takes_the_price_into_the_yellow_zone_makes_room_at_once(preset: str) -> None:
    """1830/P-7, S-13 — the CPR from 66 (white) to 60 (yellow): its four certificates, three of
    them still held, count no more; 12 are left, and 1 buys in the same turn."""
    game = full(preset)
    price(game.state, "CPR", 1, 2)
    play(game, "1 sell CPR 1")
    assert game.state.certificates("1") == 12
    play(game, "1 buy C&O ipo")
    assert game.state.certificates("1") == 13
    check_invariants(game.state)


@both
def test_at_the_limit_a_purchase_that_makes_president_is_counted_after_the_swap(
    preset: str,
) -> None:
    """1830/S-13, C-4, R4 — 1 has 16 certificates, of 16. Of the NYC he has 30% against 30%: his
    fourth tenth makes him president, and the 40% are three certificates as the 30% were. A fourth
    tenth of the C&O, of which 2 has four too, would be a 17th certificate."""
    game = rich(preset)
    company(game.state, "NYC", p2=3, p1=3)  # 3 certificates
    company(game.state, "PRR", p1=6, p2=2)  # 5
    company(game.state, "CPR", p1=4, p2=2)  # 3
    company(game.state, "C&O", p2=4, p1=3)  # 3
    assert game.state.certificates("1") == 2 + 3 + 5 + 3 + 3 == 16
    limit = (Reason.CERTIFICATE_LIMIT, {"held": 17, "limit": 16})
    assert refused(game, "1 buy C&O ipo") == limit
    play(game, "1 buy NYC ipo")
    assert game.state.corporations["NYC"].president == "1"
    assert game.state.certificates("1") == 16
    check_invariants(game.state)


@both
def test_a_sale_leaves_at_most_half_in_the_pool(preset: str) -> None:
    """1830/S-14, FIGF-Z-14 — with 30% in it, two shares and not three."""
    game = rich(preset)
    company(game.state, "NYC", p1=4, p2=2, pool=3)
    too_many = {"corporation": "NYC", "pool": 60, "limit": 50}
    assert refused(game, "1 sell NYC 3") == (Reason.POOL_LIMIT, too_many)
    play(game, "1 sell NYC 2")
    assert game.state.corporations["NYC"].pool == 5
    assert refused(game, "1 sell NYC 1")[0] == Reason.POOL_LIMIT
    check_invariants(game.state)


# --- floating -------------------------------------------------------------------------------------


@both
def test_a_corporation_floats_at_once_when_the_sixth_tenth_leaves_the_offering(
    preset: str,
) -> None:
    """1830/S-16, G-6 — with 50% out nothing; then ten times par, at once, and once only."""
    game = rich(preset)
    nyc = company(game.state, "NYC", 76, p2=5)
    bank = game.state.bank
    play(game, "1 buy NYC ipo")
    assert (nyc.floated, nyc.cash) == (True, 760)
    assert game.state.bank == bank + 76 - 760
    play(game, "1 pass\n2 pass\n3 buy NYC ipo")
    assert nyc.cash == 760
    check_invariants(game.state)


def test_shares_in_the_pool_count_as_sold() -> None:
    """1830/S-16 — three tenths with players, two in the pool: from there a purchase changes
    nothing, from the offering it does."""
    game = rich()
    nyc = company(game.state, "NYC", p2=3, pool=2)
    play(game, "1 buy NYC pool")
    assert not has_floated(nyc)
    play(game, "1 pass\n2 buy NYC ipo")
    assert has_floated(nyc)
    check_invariants(game.state)


def test_a_corporation_that_floats_operates_from_the_next_round_on_and_for_good() -> None:
    """1830/S-16 — neither sales nor the lowest price end it."""
    game = rich()
    nyc = company(game.state, "NYC", p2=6)
    play(stock_round(game, "2"), "2 sell NYC 4\n2 pass\n3 pass\n4 pass\n1 pass\n2 pass")
    assert (nyc.held, nyc.pool) == ({"2": 2}, 4)
    assert nyc.floated
    assert operating_of(game).order == ["NYC"]
    check_invariants(game.state)


@both
def test_free_shares_count_as_sold(preset: str) -> None:
    """1830/S-16, A-13, A-14 — the Camden's share of the PRR and the B&O's presidency: the fourth
    tenth bought floats the B&O, the fifth (two of them the presidency) the PRR."""
    game = rich(preset, "3")
    prr, b_and_o = game.state.corporations["PRR"], game.state.corporations["B&O"]
    for symbol, bought in (("B&O", 4), ("PRR", 3)):
        one = game.state.corporations[symbol]
        if not one.par:
            play(stock_round(game, "3"), "3 par PRR 67")
        for _ in range(bought - 1):
            play(stock_round(game, "3"), f"3 buy {symbol} ipo")
        assert not has_floated(one)
        play(stock_round(game, "3"), f"3 buy {symbol} ipo")
        assert has_floated(one)
    assert (prr.held, prr.cash) == ({"1": 1, "3": 5}, 670)
    assert (b_and_o.held, b_and_o.cash) == ({"2": 2, "3": 4}, 1000)
    check_invariants(game.state)


@both
def test_the_mohawks_share_floats_the_new_york_central(preset: str) -> None:
    """1830/S-16, V-9, C-8 — five tenths out, the exchange takes the sixth from the offering; before
    par it counts too, once there is one."""
    game = rich(preset, "4")
    nyc = company(game.state, "NYC", 90, p2=5)
    play(game, "4 exchange MH ipo")
    assert (nyc.floated, nyc.cash) == (True, 900)
    game = play(rich(preset, "4"), "4 exchange MH ipo")
    nyc = game.state.corporations["NYC"]
    assert (nyc.held, nyc.president, nyc.floated) == ({"4": 1}, None, False)
    play(game, "4 par NYC 67")
    for _ in range(2):
        play(stock_round(game, "3"), "3 buy NYC ipo")
    assert not has_floated(nyc)  # 10 + 20 + 20%
    play(stock_round(game, "3"), "3 buy NYC ipo")
    assert has_floated(nyc)
    check_invariants(game.state)


# --- sales ----------------------------------------------------------------------------------------


@both
def test_a_block_is_paid_at_the_price_before_the_sale_then_the_price_falls(preset: str) -> None:
    """1830/S-18, P-3, S-21 — NYC at 100: three tenths bring 300, and it falls by three rows to 76;
    the CPR, at 90, is another block. All go to the pool."""
    game = rich(preset)
    nyc = company(game.state, "NYC", 100, p1=4, p2=4)
    cpr = company(game.state, "CPR", 90, p1=1, p2=2)
    bank = game.state.bank
    play(game, "1 sell NYC 3\n1 sell CPR 1")
    assert game.state.cash["1"] == 1000 + 300 + 90
    assert game.state.bank == bank - 390
    assert (game.state.price(nyc), game.state.price(cpr)) == (76, 82)
    assert (nyc.held, nyc.pool, nyc.ipo) == ({"1": 1, "2": 4}, 3, 2)
    assert (cpr.held, cpr.pool, cpr.ipo) == ({"2": 2}, 1, 7)
    check_invariants(game.state)


@both
def test_a_second_block_of_a_turn_is_paid_at_the_price_of_then(preset: str) -> None:
    """1830/S-19, Z-5 — one at 100, then two at 90."""
    game = rich(preset)
    company(game.state, "NYC", 100, p1=5, p2=2)
    play(game, "1 sell NYC 1")
    assert game.state.cash["1"] == 1100
    play(game, "1 sell NYC 2")
    assert game.state.cash["1"] == 1280
    check_invariants(game.state)


@both
def test_shares_of_an_unfloated_corporation_are_sold_like_others(preset: str) -> None:
    """1830/S-17 — three tenths out; at the market price, which moves."""
    game = rich(preset)
    nyc = company(game.state, "NYC", 82, p1=1, p2=2)
    play(game, "1 sell NYC 1")
    assert (game.state.cash["1"], game.state.price(nyc), nyc.floated) == (1082, 76, False)
    check_invariants(game.state)


@both
def test_a_share_without_a_par_is_not_sold(preset: str) -> None:
    """1830/S-17, R17, X-6 — the Camden's share of the PRR: no price, no sale, no value."""
    game = rich(preset)
    assert refused(game, "1 sell PRR 1") == (Reason.NOT_PARRED, {"corporation": "PRR"})
    assert game.state.price(game.state.corporations["PRR"]) == 0
    assert game.state.worth("1") == 1000 + (180 if preset == "18xx" else 0)  # SV, CA (Z-14)
    assert not any(isinstance(one.action, SellShares) for one in game.options())


@pytest.mark.parametrize("shares", [-1, 0, 4, 10])
def test_one_sells_what_one_has(shares: int) -> None:
    """1830/S-18 — from one tenth to the three that 1 has."""
    game = rich()
    company(game.state, "NYC", p2=4, p1=3)
    data = {"corporation": "NYC", "held": 30, "wanted": shares * 10}
    assert refused(game, f"1 sell NYC {shares}") == (Reason.NOT_HELD, data)
    assert refused(game, "1 sell B&O 1")[1] == {"corporation": "B&O", "held": 0, "wanted": 10}


def test_a_sale_names_no_buyer() -> None:
    """1830/S-21 — to the pool, never to a player, a corporation or the offering."""
    said = {"type": "sell", "actor": "1", "corporation": "NYC", "shares": 1}
    assert from_dict(said) == SellShares("1", "NYC", 1)
    for field in ("to", "source"):
        with pytest.raises(MalformedAction):
            from_dict(said | {field: "2"})


def sales(game: Game, symbol: str) -> list[int]:
    """The blocks of a corporation that who is in turn may sell."""
    actions = [option.action for option in game.options()]
    return [
        one.shares for one in actions if isinstance(one, SellShares) and one.corporation == symbol
    ]


@both
@pytest.mark.parametrize(
    ("mine", "other", "pool", "blocks"),
    [
        (5, 2, 0, [1, 2, 3, 4, 5]),  # 2 can succeed: everything may go
        (5, 2, 1, [1, 2, 3, 4]),  # as far as the pool takes it
        (5, 1, 0, [1, 2, 3]),  # nobody has 20%: the president keeps 20%
        (2, 1, 0, []),
        (2, 2, 0, [1, 2]),  # part or all of the president's certificate
        (2, 2, 4, [1]),
        (6, 4, 0, [1, 2, 3, 4, 5]),
    ],
)
def test_every_block_that_may_be_sold_is_an_option(
    preset: str, mine: int, other: int, pool: int, blocks: list[int]
) -> None:
    """1830/S-14, S-20, C-4, R6 — by what each holds, and what the pool has."""
    game = rich(preset)
    company(game.state, "NYC", p1=mine, p2=other, pool=pool)
    assert sales(game, "NYC") == blocks
    for shares in blocks:
        tried = play(game.copy(), f"1 sell NYC {shares}")
        check_invariants(tried.state)


# --- the presidency -------------------------------------------------------------------------------


@both
def test_only_more_than_the_president_holds_takes_the_presidency(preset: str) -> None:
    """1830/C-2, R2 — 3 buys up to 30% against 30%: nothing; 40% is more."""
    game = rich(preset, "3")
    nyc = company(game.state, "NYC", p1=3, p3=2)
    play(game, "3 buy NYC ipo")
    assert nyc.president == "1"
    play(stock_round(game, "3"), "3 buy NYC ipo")
    assert nyc.president == "3"
    check_invariants(game.state)


@both
@pytest.mark.parametrize(
    ("president", "others", "successor"),
    [
        ("3", ("1", "2", "4"), "4"),
        ("3", ("1", "2"), "1"),
        ("1", ("2", "4"), "2"),
        ("4", ("2", "3"), "2"),
        ("2", ("1", "4"), "4"),
    ],
)
def test_of_several_who_hold_most_the_first_to_the_left_of_the_old_president_follows(
    preset: str, president: str, others: tuple[str, ...], successor: str
) -> None:
    """1830/C-3, R2 — each of the others has 20%, the president sells down to 10%."""
    game = rich(preset, president)
    held = {f"p{player}": 2 for player in others}
    nyc = company(game.state, "NYC", **{f"p{president}": 3}, **held)
    play(game, f"{president} sell NYC 2")
    assert nyc.president == successor
    check_invariants(game.state)


@both
def test_who_holds_most_follows_before_who_sits_next(preset: str) -> None:
    """1830/C-2, C-3 — 4 sits next and has 20%, 2 has 30%."""
    game = rich(preset, "3")
    nyc = company(game.state, "NYC", p3=4, p4=2, p2=3)
    play(game, "3 sell NYC 3")
    assert nyc.president == "2"
    check_invariants(game.state)


@both
def test_the_certificates_are_exchanged_and_the_sold_part_goes_to_the_pool(preset: str) -> None:
    """1830/C-4, S-20, R5, R6 — 1 sells 30% of his 40%: 3, with 20% as two certificates, has now the
    president's; 1 has one, and the pool three of 10%, each bought for itself."""
    game = rich(preset)
    nyc = company(game.state, "NYC", 100, p1=4, p3=2)
    before = {one: game.state.certificates(one) for one in "13"}
    play(game, "1 sell NYC 3")
    assert (nyc.held, nyc.pool, nyc.president) == ({"1": 1, "3": 2}, 3, "3")
    # of 1, three certificates (20, 10, 10) have become one; of 3, two have become one
    assert game.state.certificates("1") == before["1"] - 2
    assert game.state.certificates("3") == before["3"] - 1
    play(game, "1 pass\n2 buy NYC pool")
    assert nyc.held["2"] == 1
    assert game.state.price(nyc) == 76  # the president's certificate counted as two: three rows
    check_invariants(game.state)


@both
def test_a_president_sells_all_he_has_if_another_has_twenty_per_cent(preset: str) -> None:
    """1830/C-4, S-20 — the president's certificate itself changes hands."""
    game = rich(preset)
    nyc = company(game.state, "NYC", p1=2, p4=2)
    play(game, "1 sell NYC 2")
    assert (nyc.held, nyc.pool, nyc.president) == ({"4": 2}, 2, "4")
    check_invariants(game.state)


@both
@pytest.mark.parametrize("shares", [1, 2])
def test_who_has_ten_per_cent_never_becomes_president(preset: str, shares: int) -> None:
    """1830/C-4, C-5, R6 — the others have 10% each: not a part of the 20% may be sold."""
    game = rich(preset)
    company(game.state, "NYC", p1=2, p2=1, p3=1, p4=1)
    stuck = (Reason.NO_SUCCESSOR, {"corporation": "NYC"})
    assert refused(game, f"1 sell NYC {shares}") == stuck
    assert sales(game, "NYC") == []


def test_the_exchange_of_certificates_is_tested_for_no_limit() -> None:
    """1830/C-6, S-15, S-3 — 2 has 16 certificates of 16, of the NYC three tenths as two; 1 buys his
    fourth tenth: 2 has three certificates for them, 17 in all, which is no action of his: the
    priority goes to the left of 1; and at his next turn he must sell."""
    game = rich()
    company(game.state, "NYC", p2=3, p1=3)  # 2 certificates
    company(game.state, "PRR", p2=6, p1=2)  # 5
    company(game.state, "CPR", p2=5, p1=2)  # 4
    company(game.state, "C&O", p1=3, p2=2)  # 2; and CS, BO, and the B&O
    assert game.state.certificates("2") == 2 + 5 + 4 + 2 + 3 == 16
    play(game, "1 buy NYC ipo\n1 pass")
    assert game.state.corporations["NYC"].president == "1"
    must = {"held": 17, "limit": 16, "corporations": []}
    assert refused(game, "2 pass") == (Reason.MUST_SELL, must)
    assert stock_of(game).last_actor == "1"
    check_invariants(game.state)


@both
def test_the_corporation_keeps_what_it_has_under_a_new_president(preset: str) -> None:
    """1830/C-7 — its trains, its cash, its tokens, its privates."""
    game = rich(preset)
    nyc = company(game.state, "NYC", p1=4, p2=3)
    trains(game.state, "NYC", "2", "2")
    token(game.state, "NYC", "E19")
    cash(game.state, "NYC", 333)
    game.state.owners["DH"] = "NYC"
    play(game, "1 sell NYC 2")
    assert nyc.president == "2"
    assert (nyc.trains, nyc.cash, nyc.tokens) == (["2", "2"], 333, [("E19", 0)])
    assert game.state.owners["DH"] == "NYC"
    check_invariants(game.state)


@both
def test_the_mohawks_share_may_make_president(preset: str) -> None:
    """1830/C-8, V-9 — 30% against 20%, at once; the certificate count is the same but for the swap:
    MH and two certificates become the president's and one."""
    game = rich(preset, "4")
    nyc = company(game.state, "NYC", p1=2, p4=2)
    before = game.state.certificates("4")
    play(game, "4 exchange MH ipo")
    assert (nyc.president, nyc.held) == ("4", {"1": 2, "4": 3})
    assert game.state.certificates("4") == before - 1
    check_invariants(game.state)


@both
def test_before_its_par_a_corporation_has_no_president(preset: str) -> None:
    """1830/C-8, C-1, FIGF-Z-08, R17 — the Camden's share gives nothing; who buys the presidency
    names the par."""
    game = rich(preset, "3")
    prr = game.state.corporations["PRR"]
    assert (prr.president, prr.par) == (None, None)
    play(game, "3 par PRR 71")
    assert (prr.president, prr.par, prr.held) == ("3", 71, {"1": 1, "3": 2})
    check_invariants(game.state)


def must_raise_300(preset: str) -> Game:
    """The B&O of 1 has a route (Baltimore, Washington), no train and no money, nor has 1; the
    cheapest train costs 300."""
    game = after_auction(preset=preset)
    phase(game.state, "4")
    company(game.state, "B&O", p1=3, p2=2, p3=1)
    lay(game.state, "J14", "57", 0)
    cash(game.state, "B&O", 0)
    cash(game.state, "1", 0)
    return operating_round(game, "B&O", step=Step.TRAINS)


@both
@pytest.mark.parametrize(("mine", "sold", "others"), [(5, 3, 4), (4, 2, 4)])
def test_in_a_forced_sale_the_presidency_of_another_corporation_moves_at_once(
    preset: str, mine: int, sold: int, others: int
) -> None:
    """1830/C-2, C-4, E-5, R1, R5 — 50 to 20% against 40%, and 40 to 20% against 40%, in the middle
    of the operating round, before anything else."""
    game = must_raise_300(preset)
    nyc = company(game.state, "NYC", 100, p1=mine, p2=others)
    play(game, f"1 sell NYC {sold}")
    assert (nyc.president, nyc.held, nyc.pool) == ("2", {"1": 2, "2": others}, sold)
    assert game.state.cash["1"] == sold * 100
    assert not isinstance(game.state.round, Stock)
    assert game.actor == "B&O"
    check_invariants(game.state)
