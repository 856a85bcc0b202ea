"""Group X of the rules: how a game ends, and what each player is worth."""

from __future__ import annotations

import pytest

from pbem.engine import Game
from pbem.engine.errors import Reason
from pbem.engine.state import Operating, Step, Stock

from .positions import (
    after_auction,
    cash,
    check_invariants,
    company,
    lay,
    operating_round,
    phase,
    play,
    price,
    refused,
    stock_round,
    trains,
)

both = pytest.mark.parametrize("preset", ["figf", "18xx"])


def bank(game: Game, amount: int) -> None:
    """Leave the bank exactly this much; 4 gets the rest."""
    cash(game.state, "4", game.state.cash["4"] + game.state.bank - amount)
    assert game.state.bank == amount


def late(preset: str = "figf") -> Game:
    """A stock round at 1's turn in phase 5: three operating rounds a set, no privates. The B&O,
    of 2 (40%) and 3 (20%), has a 5-train and runs between Baltimore (30) and Washington (20)."""
    game = stock_round(after_auction(preset=preset), "1")
    phase(game.state, "5")
    company(game.state, "B&O", p2=4, p3=2)
    cash(game.state, "B&O", 0)
    trains(game.state, "B&O", "5")
    lay(game.state, "J14", "57", 0)
    return game


def to_the_operating_rounds(game: Game) -> Game:
    """Everybody passes until the stock round is over."""
    while isinstance(game.state.round, Stock):
        play(game, f"{game.actor} pass")
    return game


def a_turn_of_the_b_and_o(game: Game) -> Game:
    """It does nothing but run, and pays: 5 a tenth."""
    return play(game, "B&O pass\nB&O run 5:I15-J14\nB&O dividend pay")


# --- bankruptcy -----------------------------------------------------------------------------------


def ruined(preset: str) -> Game:
    """The B&O of 1 must buy a train of 300; neither it nor he has a dollar, and his 20% of it
    cannot be sold. The NYC is to operate after it, in the first of three rounds."""
    game = after_auction(preset=preset)
    phase(game.state, "4")
    company(game.state, "B&O", p1=2, p2=2, p3=2)
    company(game.state, "NYC", 76, p4=6)
    lay(game.state, "J14", "57", 0)
    cash(game.state, "B&O", 0)
    cash(game.state, "1", 0)
    game = operating_round(game, "B&O", "NYC", step=Step.TRAINS)
    game.state.rounds = 3
    return game


@both
def test_a_bankruptcy_ends_the_game_at_once(preset: str) -> None:
    """1830/X-1, E-7 — nobody acts any more, and nothing is left to do."""
    assert ruined(preset).state.operating == "B&O"
    game = play(ruined(preset), "1 bankrupt")
    assert (game.state.over, game.state.bankrupt) == ("bankruptcy", "1")
    assert game.state.operating is None
    assert (game.actor, game.player, game.options(), game.options("4")) == (None, None, [], [])
    for line in ("NYC pass", "2 pass", "1 bankrupt", "4 exchange MH ipo"):
        assert refused(game, line) == (Reason.GAME_OVER, {"ended": "bankruptcy"})
    check_invariants(game.state)


@both
def test_open_privates_count_at_the_end_on_18xx_games_only(preset: str) -> None:
    """1830/X-4, X-6, Z-14, FIGF-C-03 — the game ends with the privates open. The B&O stands at 100;
    the share of the PRR, unparred, is worth nothing; the B&O's private belongs to 2."""
    game = play(ruined(preset), "1 bankrupt")
    open_ones = {"1": 20 + 160, "2": 40 + 220, "3": 70, "4": 110}  # face values
    if preset == "figf":
        open_ones = dict.fromkeys("1234", 0)
    # after the auction 2 has 600 - 40 - 220, 3 has 600 - 70, 4 has 600 - 110; the NYC is at 76
    assert game.result() == {
        "1": 200 + open_ones["1"],
        "2": 340 + 200 + open_ones["2"],
        "3": 530 + 200 + open_ones["3"],
        "4": 490 + 6 * 76 + open_ones["4"],
    }
    assert game.state.corporations["PRR"].held == {"1": 1}


@both
def test_a_private_that_a_corporation_owns_is_nobodys(preset: str) -> None:
    """1830/X-4, Z-14 — its assets count for nothing."""
    game = ruined(preset)
    game.state.owners |= {"SV": "B&O", "CA": "NYC"}
    assert play(game, "1 bankrupt").result()["1"] == 200


# --- what one is worth ----------------------------------------------------------------------------


@both
def test_the_score_is_cash_and_shares_at_the_market_price(preset: str) -> None:
    """1830/X-4, G-7 — 1 has 500, 30% of the NYC at 76, and 60% of the PRR, parred at 67 and now at
    100, as president; neither its money nor its trains are his."""
    game = stock_round(after_auction(preset=preset))
    phase(game.state, "5")
    cash(game.state, "1", 500)
    company(game.state, "NYC", 76, p2=4, p1=3)
    company(game.state, "PRR", 67, p1=6, p4=2)
    price(game.state, "PRR", 0, 6)
    cash(game.state, "PRR", 2000)
    trains(game.state, "PRR", "5")
    # 2 has 340 and 20% of the B&O at 100, 3 has 530, 4 has 490
    assert game.result() == {
        "1": 500 + 3 * 76 + 6 * 100,
        "2": 340 + 200 + 4 * 76,
        "3": 530,
        "4": 490 + 2 * 100,
    }
    check_invariants(game.state)


def test_who_is_worth_the_same_has_the_same_result() -> None:
    """1830/X-5 — 3 with money and 4 with shares: no order between them; the highest has won."""
    game = late()
    cash(game.state, "1", 0)
    cash(game.state, "2", 0)
    cash(game.state, "3", 400)  # and 20% of the B&O, at 100
    company(game.state, "NYC", 100, p1=3, p4=2)
    cash(game.state, "4", 400)
    assert game.result() == {"1": 300, "2": 400, "3": 600, "4": 600}


@both
def test_a_share_without_a_par_scores_nothing(preset: str) -> None:
    """1830/X-6, R17, A-13, V-9 — the PRR's of the Camden, the NYC's of the Mohawk."""
    game = stock_round(after_auction(preset=preset), "4")
    before = game.result()["4"]
    play(game, "4 exchange MH ipo")
    phase(game.state, "5")
    assert game.state.corporations["NYC"].held == {"4": 1}
    assert game.result()["4"] == before - (110 if preset == "18xx" else 0) == 490
    assert game.result()["1"] == 420
    check_invariants(game.state)


# --- the bank breaks ------------------------------------------------------------------------------


@both
@pytest.mark.parametrize(("left", "broken"), [(100, False), (99, True)])
def test_the_bank_breaks_below_zero_and_not_at_zero(preset: str, left: int, broken: bool) -> None:
    """1830/X-3, Z-13 — a sale for 100 in a stock round; unless it is broken, the game goes on after
    the set (in which nothing is paid)."""
    game = late(preset)
    company(game.state, "NYC", 100, p1=2, p2=2)
    bank(game, left)
    play(game, "1 sell NYC 1")
    assert (game.state.bank, game.state.broken) == (left - 100, broken)
    to_the_operating_rounds(game)
    while isinstance(game.state.round, Operating) and not game.state.over:
        play(game, "B&O pass\nB&O run")
    assert game.state.over == ("bank" if broken else None)
    check_invariants(game.state)


@both
def test_a_bank_broken_in_a_stock_round_ends_the_game_after_the_next_set(preset: str) -> None:
    """1830/X-2, R73 — the round goes on, the bank pays on; then three operating rounds, each of
    which pays 4 times 5 to 2, and no more."""
    game = late(preset)
    company(game.state, "NYC", 100, p1=2, p2=3)
    bank(game, 0)
    before = dict(game.state.cash)
    play(game, "1 sell NYC 1\n1 pass\n2 sell NYC 1")
    assert game.state.cash["1"] == before["1"] + 100
    assert game.state.cash["2"] == before["2"] + 90
    assert (game.state.broken, game.state.over) == (True, None)
    to_the_operating_rounds(game)
    for number in (1, 2, 3):
        assert (game.state.number, game.state.over) == (number, None)
        a_turn_of_the_b_and_o(game)
    assert game.state.over == "bank"
    assert game.state.cash["2"] == before["2"] + 90 + 3 * 20
    assert game.state.bank == -190 - 3 * 30
    assert refused(game, "3 pass") == (Reason.GAME_OVER, {"ended": "bank"})
    check_invariants(game.state)


@both
@pytest.mark.parametrize("broken_in", [1, 2, 3])
def test_a_bank_broken_in_an_operating_round_ends_the_game_after_the_set(
    preset: str, broken_in: int
) -> None:
    """1830/X-2, X-3, Z-13, R73 — the dividend is 30: from 30 to nothing is not below it, 29 are
    too few. Rounds 1 to 3 are played, in whichever it happened."""
    game = to_the_operating_rounds(late(preset))
    for number in (1, 2, 3):
        assert (game.state.number, game.state.over) == (number, None)
        bank(game, 29 if number == broken_in else 30)
        a_turn_of_the_b_and_o(game)
        assert game.state.broken == (number >= broken_in)
    assert game.state.over == "bank"
    check_invariants(game.state)


@both
def test_an_unbroken_bank_lets_the_next_stock_round_begin(preset: str) -> None:
    """1830/X-2, X-3, G-4 — three dividends, each of which empties the bank."""
    game = to_the_operating_rounds(late(preset))
    for _ in range(3):
        bank(game, 30)
        a_turn_of_the_b_and_o(game)
    assert (game.state.broken, game.state.over) == (False, None)
    assert (type(game.state.round), game.state.turn) == (Stock, 3)
    check_invariants(game.state)


@both
@pytest.mark.parametrize(("left", "broken"), [(900, False), (899, True)])
def test_what_comes_in_is_booked_before_what_goes_out(preset: str, left: int, broken: bool) -> None:
    """1830/X-3, S-16, R73 — the sixth share of the NYC brings 100, and then it floats for 1000:
    with 900 the bank has enough."""
    game = late(preset)
    nyc = company(game.state, "NYC", 100, p2=5)
    bank(game, left)
    play(game, "1 buy NYC ipo")
    assert nyc.cash == 1000
    assert (game.state.bank, game.state.broken) == (left - 900, broken)
    check_invariants(game.state)


# --- the privates close ---------------------------------------------------------------------------


def may_buy(preset: str, begun: str) -> Game:
    """The B&O of 2, with 1000 dollars, may buy a train; it owns the DH."""
    game = after_auction(preset=preset)
    phase(game.state, begun)
    company(game.state, "B&O", p2=4, p3=2)
    cash(game.state, "B&O", 1000)
    game.state.owners["DH"] = "B&O"
    return operating_round(game, "B&O", step=Step.TRAINS)


@both
def test_with_the_first_5_all_privates_close(preset: str) -> None:
    """FIGF-Z-03, 1830/V-4, H-2 — whoever owns them, for nothing: M&H and B&O too; a 4 closes none,
    and they count no more against the limit."""
    game = may_buy(preset, "3")
    game.state.depot["3"] = 0
    game.state.corporations["B&O"].bought_a_train = True  # so that it does not close the B&O (V-11)
    before = dict(game.state.cash)
    play(game, "B&O train 4 bank 300")
    assert set(game.state.owners) == {"SV", "CS", "DH", "MH", "CA", "BO"}
    game.state.depot["4"] = 0
    play(game, "B&O train 5 bank 450")
    assert game.state.owners == {}
    assert game.state.cash == before
    assert game.state.certificates("1") == 1  # the share that came with the Camden stays
    check_invariants(game.state)


@both
def test_the_b_and_o_and_the_mohawk_may_close_before(preset: str) -> None:
    """FIGF-Z-03, FIGF-Z-08, FIGF-Z-09, 1830/V-9, V-11 — the one with the B&O's first train, the
    other by its exchange; the Camden does not."""
    game = may_buy(preset, "3")
    play(game, "B&O train 3 bank 180")
    assert set(game.state.owners) == {"SV", "CS", "DH", "MH", "CA"}
    play(stock_round(game, "4"), "4 exchange MH ipo")
    assert set(game.state.owners) == {"SV", "CS", "DH", "CA"}
    check_invariants(game.state)


@both
def test_the_b_and_o_is_never_sold_to_a_corporation(preset: str) -> None:
    """FIGF-Z-09, 1830/V-2 — at no price."""
    refusal = refused(may_buy(preset, "3"), "B&O private BO 220")
    assert refusal == (Reason.PRIVATE_NOT_FOR_CORPORATIONS, {"private": "BO"})
