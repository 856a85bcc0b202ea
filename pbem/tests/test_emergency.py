"""1830/E — the train that must be bought when the treasury does not reach: the president's money,
forced sales, bankruptcy; FIGF-Q, X-16 — what the federation allows and forbids in it.

In every position the PRR (president: player 1) has a route, Altoona to Pittsburgh, and no train.
Unless told, five of its tenths lie in the pool, so that none of player 1's two can be sold; in
phase 4 the cheapest train is a 4 for 300, in phase 6 a 6 for 630.
"""

from __future__ import annotations

from typing import Any

import pytest

from pbem.engine import Game, Reason
from pbem.engine.actions import Bankrupt, BuyPrivate, BuyTrain, SellShares
from pbem.engine.state import Corporation, Operating, Step

from . import positions
from .positions import (
    cash,
    check_invariants,
    company,
    lay,
    operating_round,
    phase,
    play,
    price,
    refused,
    trains,
)
from .test_trains import vectors

PRESETS = ("figf", "18xx")


def in_need(at: str = "4", treasury: int = 0, purse: int = 0, preset: str = "figf") -> Game:
    """The PRR comes to buy a train, its treasury and its president's purse as told."""
    game = positions.after_auction(4, preset)
    company(game.state, "PRR", 100, pool=5, p1=2)
    phase(game.state, at)
    lay(game.state, "H10", "57", 1)
    cash(game.state, "PRR", treasury)
    cash(game.state, "1", purse)
    return operating_round(game, "PRR", step=Step.TRAINS)


def stake(
    game: Game, symbol: str, at: tuple[int, int] = (0, 6), pool: int = 0, **held: int
) -> None:
    """Another corporation in which shares are held, its marker at this row and column: 0, 6 is 100,
    and below it stand 90, 82, 76, 71 and three times 67."""
    company(game.state, symbol, 67, pool, **held)
    price(game.state, symbol, *at)


def offered(game: Game, symbol: str, kind: str, president: str = "2") -> None:
    """A corporation of this player has a train to sell, and nothing in its treasury."""
    stake(game, symbol, (0, 6), **{f"p{president}": 6})
    left = game.state.depot[kind]
    game.state.depot[kind] = 6
    trains(game.state, symbol, kind)
    game.state.depot[kind] = left
    cash(game.state, symbol, 0)


def prr(game: Game) -> Corporation:
    return game.state.corporations["PRR"]


def now(game: Game) -> Operating:
    assert isinstance(game.state.round, Operating)
    return game.state.round


def may(game: Game, line: str) -> Game:
    """The game after an action that is allowed, played in a copy."""
    after = play(game.copy(), line)
    check_invariants(after.state)
    return after


def ranges(game: Game, symbol: str) -> tuple[int, int] | None:
    """The least and the most that the PRR may pay this corporation for its train now."""
    for option in game.options("PRR"):
        if isinstance(option.action, BuyTrain) and option.action.source == symbol:
            return option.action.price, option.most or option.action.price
    return None


# --- E-1: when ------------------------------------------------------------------------------------


@pytest.mark.parametrize("preset", PRESETS)
def test_no_private_money_while_the_treasury_reaches_the_cheapest(preset: str) -> None:
    """1830/E-1, R8 — 200 buy the 3 in the pool: the president does not top up for the bank's 4, and
    sells nothing."""
    game = in_need(treasury=200, purse=500, preset=preset)
    stake(game, "NYC", p2=4, p1=2)
    game.state.pool = ["3"]
    reason, data = refused(game, "PRR train 4 bank 300")
    assert reason is Reason.NO_MONEY
    assert data == {"cash": 200, "price": 300}
    assert refused(game, "1 sell NYC 1") == (Reason.NO_NEED_TO_SELL, {"missing": 0})
    after = may(game, "PRR train 3 pool 180")
    assert after.state.cash["1"] == 500
    assert prr(after).cash == 20


@pytest.mark.parametrize("preset", PRESETS)
def test_no_private_money_where_no_train_need_be_owned(preset: str) -> None:
    """1830/E-1, N-9, R19 — without a route the president neither helps nor sells nor fails."""
    game = in_need(treasury=200, purse=500, preset=preset)
    stake(game, "NYC", p2=4, p1=2)
    game.state.board["H10"] = game.title.hexes["H10"].printed
    game.state.supply["57"] += 1
    game.state.reaches = {}
    assert refused(game, "PRR train 4 bank 300")[0] is Reason.NO_MONEY
    assert refused(game, "1 sell NYC 1") == (Reason.NO_NEED_TO_SELL, {"missing": 0})
    assert refused(game, "1 bankrupt") == (Reason.NO_NEED_TO_SELL, {"missing": 0})
    may(game, "PRR pass")


def test_no_private_money_for_a_second_train() -> None:
    """1830/E-1 — a corporation with a train buys another with its own money or not at all."""
    game = in_need(treasury=200, purse=500)
    trains(game.state, "PRR", "5")
    assert refused(game, "PRR train 4 bank 300")[0] is Reason.NO_MONEY
    assert refused(game, "1 bankrupt") == (Reason.NO_NEED_TO_SELL, {"missing": 0})


# --- E-2: how -------------------------------------------------------------------------------------


@pytest.mark.parametrize("preset", PRESETS)
def test_the_treasury_gives_all_and_the_president_the_rest(preset: str) -> None:
    """1830/E-2, E-6 — 50 of the PRR and 250 of his 400: he keeps 150. One train, no more."""
    game = in_need(treasury=50, purse=400, preset=preset)
    bank = game.state.bank
    play(game, "PRR train 4 bank 300")
    assert prr(game).cash == 0
    assert prr(game).trains == ["4"]
    assert game.state.cash["1"] == 150
    assert game.state.bank == bank + 300
    check_invariants(game.state)


@pytest.mark.parametrize("preset", PRESETS)
def test_with_help_only_the_cheapest_of_the_bank_is_bought(preset: str) -> None:
    """1830/E-2, R9 — a 6 for 630, however rich the president, not the diesel for 1100."""
    game = in_need("6", treasury=50, purse=3000, preset=preset)
    assert refused(game, "PRR train D bank 1100") == (Reason.MUST_BUY_CHEAPEST, {"train": "6"})
    assert may(game, "PRR train 6 bank 630").state.cash["1"] == 3000 - 580


@pytest.mark.parametrize("preset", PRESETS)
def test_the_cheapest_may_lie_in_the_pool(preset: str) -> None:
    """1830/E-2, R8 — a discarded 4 for 300 comes before the bank's 6 for 630."""
    game = in_need("6", treasury=50, purse=3000, preset=preset)
    game.state.pool = ["4", "5"]
    assert refused(game, "PRR train 6 bank 630") == (Reason.MUST_BUY_CHEAPEST, {"train": "4"})
    assert refused(game, "PRR train 5 pool 450") == (Reason.MUST_BUY_CHEAPEST, {"train": "4"})
    assert may(game, "PRR train 4 pool 300").state.cash["1"] == 3000 - 250


def test_the_president_s_whole_money_may_not_reach() -> None:
    """1830/E-4 — 50 and 200 are not 300: he must sell before the train is bought."""
    game = in_need(treasury=50, purse=200)
    reason, data = refused(game, "PRR train 4 bank 300")
    assert reason is Reason.NO_MONEY
    assert data == {"cash": 250, "price": 300}


# --- E-3: another corporation's train -------------------------------------------------------------


@pytest.mark.parametrize("preset", PRESETS)
@pytest.mark.parametrize("president", ["1", "2"])
def test_another_s_train_costs_up_to_its_printed_price_with_help(
    president: str, preset: str
) -> None:
    """1830/E-3, Z-10, R9 — the NYC's 3 for 1 to 180: the PRR's 100 and 80 of the president's; not
    181."""
    game = in_need(treasury=100, purse=500, preset=preset)
    offered(game, "NYC", "3", president)
    assert ranges(game, "NYC") == (1, 180)
    after = may(game, "PRR train 3 NYC 180")
    assert prr(after).cash == 0
    assert after.state.corporations["NYC"].cash == 180
    assert after.state.cash["1"] == 420
    reason, data = refused(game, "PRR train 3 NYC 181")
    assert reason is Reason.PRICE_OUT_OF_RANGE
    assert data == {"price": 181, "least": 1, "most": 180}


@pytest.mark.parametrize("preset", PRESETS)
def test_another_s_train_costs_what_the_treasury_can_pay_alone(preset: str) -> None:
    """1830/E-3, Z-10 — 250 for a 3 whose printed price is 180, all of them the PRR's own."""
    game = in_need(treasury=250, purse=500, preset=preset)
    offered(game, "NYC", "3")
    assert ranges(game, "NYC") == (1, 250)
    after = may(game, "PRR train 3 NYC 250")
    assert prr(after).cash == 0
    assert after.state.cash["1"] == 500
    assert refused(game, "PRR train 3 NYC 251")[0] is Reason.PRICE_OUT_OF_RANGE


@pytest.mark.parametrize("preset", PRESETS)
def test_shares_are_not_sold_for_a_train_that_costs_less(preset: str) -> None:
    """1830/E-3, E-5, FIGF-X-16 — two shares sold at 100 make 350; without the last it were 250.

    So another corporation's train now costs from 251 on: not a 3, a 4 at most 300.
    """
    game = in_need(treasury=50, purse=100, preset=preset)
    offered(game, "B&M", "3")
    offered(game, "CPR", "4")
    stake(game, "NYC", p2=5, p1=3)
    play(game, "1 sell NYC 2")
    reason, data = refused(game, "PRR train 3 B&M 180")
    assert reason is Reason.PRICE_OUT_OF_RANGE
    assert data == {"price": 180, "least": 251, "most": 180}
    assert ranges(game, "CPR") == (251, 300)
    may(game, "PRR train 4 CPR 251")
    may(game, "PRR train 4 bank 300")


# --- E-4, E-5: forced sales -----------------------------------------------------------------------


@pytest.mark.parametrize("preset", PRESETS)
def test_the_president_sells_until_he_has_enough(preset: str) -> None:
    """1830/E-4, E-5, E-6 — 150 lack: one NYC at 100, which falls to 90, then one CPR at 71; the
    train is bought and 21 are left. The blocks come in the order he likes.

    50 + 100 + 100 + 71 = 321, less 300.
    """
    game = in_need(treasury=50, purse=100, preset=preset)
    stake(game, "NYC", p2=5, p1=1)
    stake(game, "CPR", (4, 6), p2=5, p1=1)
    may(game, "1 sell CPR 1\n1 sell NYC 1\nPRR train 4 bank 300")
    play(game, "1 sell NYC 1")
    assert game.state.price(game.state.corporations["NYC"]) == 90
    assert refused(game, "PRR train 4 bank 300") == (
        Reason.NO_MONEY,
        {"cash": 250, "price": 300},
    )
    play(game, "1 sell CPR 1\nPRR train 4 bank 300")
    assert game.state.cash["1"] == 21
    assert prr(game).cash == 0
    check_invariants(game.state)


def test_nothing_is_sold_when_the_money_is_there() -> None:
    """1830/E-4, R11 — 50 and 250 are 300: no sale; nor one more after the sale that was enough."""
    game = in_need(treasury=50, purse=250)
    stake(game, "NYC", p2=5, p1=3)
    assert refused(game, "1 sell NYC 1") == (Reason.NO_NEED_TO_SELL, {"missing": 0})
    cash(game.state, "1", 249)
    play(game, "1 sell NYC 1")
    assert refused(game, "1 sell NYC 1") == (Reason.NO_NEED_TO_SELL, {"missing": 0})


def test_nobody_but_the_president_sells() -> None:
    """1830/E-4 — player 2 has shares, but it is not he who needs the money."""
    game = in_need()
    stake(game, "NYC", p2=5, p1=3)
    reason, data = refused(game, "2 sell NYC 1")
    assert reason is Reason.NOT_YOUR_TURN
    assert data == {"actor": "2", "turn": "1"}


@pytest.mark.parametrize("step", [Step.TRACK, Step.TOKEN, Step.RUN, Step.DIVIDEND])
def test_nothing_is_sold_before_the_train_is_due(step: Step) -> None:
    """1830/E-1, N-9 — the obligation is that of step 6."""
    game = in_need()
    stake(game, "NYC", p2=5, p1=3)
    now(game).step = step
    assert refused(game, "1 sell NYC 1") == (Reason.NO_NEED_TO_SELL, {"missing": 0})
    assert refused(game, "1 bankrupt") == (Reason.NO_NEED_TO_SELL, {"missing": 0})


@pytest.mark.parametrize("preset", PRESETS)
def test_privates_raise_no_money_from_other_players(preset: str) -> None:
    """1830/E-4, E-7, V-3 — player 1 has the SV and the CA: nobody buys them in an operating round,
    and he is bankrupt with them."""
    game = in_need(preset=preset)
    assert game.state.owners["SV"] == game.state.owners["CA"] == "1"
    assert refused(game, "2 private SV 20")[0] is Reason.NOT_OPERATING
    may(game, "1 bankrupt")


@pytest.mark.parametrize("preset", PRESETS)
def test_a_block_is_paid_at_the_price_before_and_then_the_price_falls(preset: str) -> None:
    """1830/E-5, S-18, P-3 — three at 100 are 300; three rows down stand 76."""
    game = in_need(preset=preset)
    stake(game, "NYC", p2=5, p1=3)
    play(game, "1 sell NYC 3")
    nyc = game.state.corporations["NYC"]
    assert game.state.cash["1"] == 300
    assert (game.state.cell(nyc).row, game.state.cell(nyc).column) == (3, 6)
    assert game.state.price(nyc) == 76
    assert nyc.pool == 3
    check_invariants(game.state)


@pytest.mark.parametrize("preset", PRESETS)
def test_the_pool_takes_no_more_than_half(preset: str) -> None:
    """1830/E-5, S-14, R12 — four are in the pool: a second would make 60%."""
    game = in_need(preset=preset)
    stake(game, "NYC", p2=3, p1=3, pool=4)
    reason, data = refused(game, "1 sell NYC 2")
    assert reason is Reason.POOL_LIMIT
    assert data == {"corporation": "NYC", "pool": 60, "limit": 50}
    may(game, "1 sell NYC 1")


@pytest.mark.parametrize("preset", PRESETS)
@pytest.mark.parametrize(("mine", "others", "spare"), [(5, 3, 2), (4, 4, 0), (3, 1, 1), (2, 1, 0)])
def test_the_president_keeps_the_corporation_that_buys(
    mine: int, others: int, spare: int, preset: str
) -> None:
    """1830/E-5, R12, FIGF-X-16 — of the PRR he sells what leaves nobody above him, and himself the
    20% certificate. Equal holdings do not move it (C-2).

    His other shares are player 2's here; the treasury is such that every block is needed.
    """
    game = in_need(preset=preset)
    company(game.state, "PRR", p1=mine, p2=others)
    for sold in range(1, mine + 1):
        cash(game.state, "PRR", 300 - 100 * sold if sold < 3 else 0)
        if sold <= spare:
            after = may(game, f"1 sell PRR {sold}")
            assert prr(after).president == "1"
        else:
            reason, data = refused(game, f"1 sell PRR {sold}")
            assert reason in {Reason.KEEP_PRESIDENCY, Reason.NO_SUCCESSOR}
            assert data == {"corporation": "PRR"}


@pytest.mark.parametrize("preset", PRESETS)
@pytest.mark.parametrize(("mine", "treasury", "sold"), [(5, 0, 3), (4, 100, 2)])
def test_another_corporation_s_presidency_changes_at_once(
    mine: int, treasury: int, sold: int, preset: str
) -> None:
    """1830/E-5, C-2, C-4, R1 — the NYC: 50 to 20 against 40, and 40 = 40 to 20 against 40. The
    presidency has passed before anything else is done; the PRR still operates."""
    game = in_need(treasury=treasury, preset=preset)
    stake(game, "NYC", p1=mine, p2=4)
    assert game.state.corporations["NYC"].president == "1"
    play(game, f"1 sell NYC {sold}")
    nyc = game.state.corporations["NYC"]
    assert nyc.president == "2"
    assert nyc.held == {"1": 2, "2": 4}
    assert game.state.certificates("2") == 2 + 1 + 3  # CS and BO; the B&O's 20%; 20% and two 10%s
    assert game.actor == "PRR"
    play(game, "PRR train 4 bank 300")
    check_invariants(game.state)


def test_a_presidency_goes_only_to_who_has_a_fifth() -> None:
    """1830/E-5, C-4 — nobody else holds 20% of the NYC: one share can go, not the second."""
    game = in_need()
    stake(game, "NYC", p1=3, p2=1, p3=1, pool=1)
    assert refused(game, "1 sell NYC 2") == (Reason.NO_SUCCESSOR, {"corporation": "NYC"})
    may(game, "1 sell NYC 1")


@pytest.mark.parametrize("preset", PRESETS)
def test_no_more_is_sold_than_needed(preset: str) -> None:
    """1830/E-5, R11, FIGF-X-16 — 150 lack: two at 100 are needed, for one does not do; three are
    one too many."""
    game = in_need(treasury=150, preset=preset)
    stake(game, "NYC", p2=5, p1=3)
    assert refused(game, "1 sell NYC 3") == (Reason.MORE_THAN_NEEDED, {"missing": 150})
    may(game, "1 sell NYC 2")
    may(game, "1 sell NYC 1")


@pytest.mark.parametrize("preset", PRESETS)
def test_shares_are_sold_in_the_first_operating_round_too(preset: str) -> None:
    """1830/E-5, S-5 — that nothing is sold in the first stock round has nothing to do with it."""
    game = in_need(preset=preset)
    stake(game, "NYC", p2=5, p1=3)
    game.state.turn = 1
    may(game, "1 sell NYC 3\nPRR train 4 bank 300")


def test_one_sells_what_one_has() -> None:
    """1830/E-5, S-18, S-17 — not more than is held, nor of a corporation without a price."""
    game = in_need()
    stake(game, "NYC", p2=5, p1=1)
    assert refused(game, "1 sell NYC 2") == (
        Reason.NOT_HELD,
        {"corporation": "NYC", "held": 10, "wanted": 20},
    )
    assert refused(game, "1 sell CPR 1")[0] is Reason.NOT_PARRED


@pytest.mark.parametrize("preset", PRESETS)
def test_a_sale_reorders_who_has_not_operated_yet(preset: str) -> None:
    """1830/E-10, O-4, R14 — the NYC falls from 100 to 76, below the B&M at 90, and now comes after
    it. The CPR has operated and stays first, though it too falls, to 82."""
    game = in_need(preset=preset)
    stake(game, "CPR", p2=4, p1=2)
    stake(game, "NYC", p2=4, p1=3)
    stake(game, "B&M", (0, 5), p3=6)
    now(game).order = ["CPR", "PRR", "NYC", "B&M"]
    now(game).index = 1
    play(game, "1 sell CPR 2")
    assert now(game).order == ["CPR", "PRR", "NYC", "B&M"]
    cash(game.state, "1", 0)
    play(game, "1 sell NYC 3")
    assert now(game).order == ["CPR", "PRR", "B&M", "NYC"]
    assert game.actor == "PRR"
    play(game, "PRR train 4 bank 300")
    while game.actor == "PRR":
        play(game, "PRR pass")
    assert game.actor == "B&M"


# --- E-7, E-8: bankruptcy -------------------------------------------------------------------------


@pytest.mark.parametrize(("preset", "worth"), [("figf", 240), ("18xx", 420)])
def test_a_bankrupt_player_sells_all_he_may_and_the_game_ends(preset: str, worth: int) -> None:
    """1830/E-7, Z-11, Z-14, X-1, R16, FIGF-Q-08 — 20 + 30 + two NYC at 50 are 150 of 300.

    The third NYC does not fit into the pool; it keeps its market price, which falls from 50 to 40.
    Left: no cash, 2 PRR at 100 and 1 NYC at 40, 240; on 18xx.games also the SV (20) and CA (160).
    """
    game = in_need(treasury=20, purse=30, preset=preset)
    stake(game, "NYC", (5, 3), pool=3, p2=4, p1=3)
    play(game, "1 bankrupt")
    state = game.state
    assert (state.over, state.bankrupt) == ("bankruptcy", "1")
    assert state.cash["1"] == 0
    assert state.corporations["NYC"].held == {"2": 4, "1": 1}
    assert state.corporations["NYC"].pool == 5
    assert state.price(state.corporations["NYC"]) == 40
    assert prr(game).held == {"1": 2}
    assert prr(game).trains == []
    assert prr(game).cash == 20
    assert game.result()["1"] == worth
    assert game.actor is None
    assert game.options() == game.options("1") == []
    assert refused(game, "PRR pass") == (Reason.GAME_OVER, {"ended": "bankruptcy"})
    check_invariants(state)


@pytest.mark.parametrize("preset", PRESETS)
def test_a_bankrupt_player_loses_presidencies(preset: str) -> None:
    """1830/E-7, E-5, C-2 — he sells all three NYC, of which another has two; of the PRR he keeps
    what makes him president."""
    game = in_need("6", preset=preset)
    stake(game, "NYC", p1=3, p2=2, p3=2)
    play(game, "1 bankrupt")
    assert game.state.corporations["NYC"].held == {"2": 2, "3": 2}
    assert game.state.corporations["NYC"].president == "2"
    assert prr(game).president == "1"
    check_invariants(game.state)


@pytest.mark.parametrize("preset", PRESETS)
@pytest.mark.parametrize(("purse", "raised"), [(100, 300), (250, 450), (400, 600)])
def test_who_can_pay_is_not_bankrupt(purse: int, raised: int, preset: str) -> None:
    """1830/E-8, R15, FIGF-Q-01 — two NYC at 100 and his cash reach 300, or his cash alone does."""
    game = in_need(purse=purse, preset=preset)
    stake(game, "NYC", p2=5, p1=2)
    assert refused(game, "1 bankrupt") == (
        Reason.CAN_STILL_PAY,
        {"raised": raised, "price": 300},
    )


@pytest.mark.parametrize("preset", PRESETS)
def test_one_dollar_less_is_bankruptcy(preset: str) -> None:
    """1830/E-7, R15 — 99 and two NYC at 100: 299."""
    game = in_need(purse=99, preset=preset)
    stake(game, "NYC", p2=5, p1=2)
    after = may(game, "1 bankrupt")
    assert "1" not in after.state.corporations["NYC"].held  # all that could be sold is sold


def test_what_may_not_be_sold_does_not_count() -> None:
    """1830/E-7, E-5, R15 — of three NYC at 100 one fits into the pool; 199 and 100 do not reach."""
    game = in_need(purse=199)
    stake(game, "NYC", p2=3, pool=4, p1=3)
    may(game, "1 bankrupt")
    cash(game.state, "1", 200)
    assert refused(game, "1 bankrupt")[1] == {"raised": 300, "price": 300}


def test_nobody_else_declares_bankruptcy() -> None:
    """1830/E-7 — only the president who must buy."""
    game = in_need()
    reason, data = refused(game, "2 bankrupt")
    assert reason is Reason.NOT_YOUR_TURN
    assert data == {"actor": "2", "turn": "1"}


def test_nobody_sells_himself_into_bankruptcy() -> None:
    """FIGF-Q-01, 1830/E-8 — 195 lack: two NYC in one block bring 200, one after the other 190. The
    federation's engine refuses the single share; with 190 lacking it is allowed."""
    game = in_need(treasury=105)
    stake(game, "NYC", p2=5, p1=2)
    assert refused(game, "1 sell NYC 1") == (
        Reason.CAN_STILL_PAY,
        {"raised": 305, "price": 300},
    )
    may(game, "1 sell NYC 2\nPRR train 4 bank 300")
    cash(game.state, "PRR", 110)
    may(game, "1 sell NYC 1\n1 sell NYC 1\nPRR train 4 bank 300")


@pytest.mark.parametrize("preset", PRESETS)
@pytest.mark.parametrize("purse", [0, 60, 299, 300])
def test_there_is_always_something_that_may_be_done(purse: int, preset: str) -> None:
    """1830/E-7, E-8, R15, R16 — by the corporation or by its president: buy, sell or go bankrupt,
    each exactly where it should be.

    With one NYC at 50: 249 in the purse do not reach, 250 do, 300 need no sale.
    """
    game = in_need(purse=purse, preset=preset)
    stake(game, "NYC", (5, 3), p2=5, p1=1)
    offers = [option.action for option in game.options()]
    assert [one for one in offers if isinstance(one, Bankrupt)] == (
        [Bankrupt("1")] if purse < 250 else []
    )
    assert [one for one in offers if isinstance(one, SellShares)] == (
        [SellShares("1", "NYC", 1)] if purse < 300 else []
    )
    assert [one for one in offers if isinstance(one, BuyTrain)] == (
        [BuyTrain("PRR", "4", "bank", 300)] if purse == 300 else []
    )


# --- FIGF-Q: what comes before bankruptcy ---------------------------------------------------------


def test_one_s_own_corporation_s_train_comes_before_bankruptcy() -> None:
    """FIGF-Q-04, 1830/Z-10 — player 1 presides the NYC too, which has a 4: with 100 where 630 are
    asked he buys that one, for 1 to 100."""
    game = in_need("6", treasury=60, purse=40)
    offered(game, "NYC", "4", president="1")
    stake(game, "NYC", pool=5, p1=2, p3=1)
    assert refused(game, "1 bankrupt") == (Reason.OWN_TRAIN_FIRST, {"corporations": ["NYC"]})
    assert ranges(game, "NYC") == (1, 100)
    after = may(game, "PRR train 4 NYC 100")
    assert prr(after).trains == ["4"]
    assert after.state.cash["1"] == 0


def test_one_s_own_corporation_s_train_comes_before_an_offered_one() -> None:
    """FIGF-Q-04, Q-05 — another's offer counts only "otherwise": if he has no train of his own."""
    game = in_need("6", treasury=60, purse=40)
    offered(game, "NYC", "4", president="1")
    stake(game, "NYC", pool=5, p1=2, p3=1)
    offered(game, "CPR", "5", president="2")
    assert refused(game, "PRR train 5 CPR 60") == (
        Reason.OWN_TRAIN_FIRST,
        {"corporations": ["NYC"]},
    )
    may(game, "PRR train 4 NYC 1")
    game.state.corporations["NYC"].trains.clear()
    may(game, "PRR train 5 CPR 60")


def test_the_corporation_that_would_save_one_is_not_given_away() -> None:
    """FIGF-Q-04, Q-01 — player 1 presides the NYC with five against five of player 3: a share of it
    sold, and the presidency with its train would be player 3's."""
    game = in_need("6", treasury=60, purse=40)
    offered(game, "NYC", "4", president="1")
    stake(game, "NYC", p1=5, p3=5)
    assert refused(game, "1 sell NYC 1") == (
        Reason.OWN_TRAIN_FIRST,
        {"corporations": ["NYC"]},
    )
    may(game, "PRR train 4 NYC 100")


def test_the_treasury_that_a_train_needs_does_not_buy_a_private() -> None:
    """FIGF-Q-01, 1830/E-8 — 50 in the treasury and 130 in the purse are the 180 of a 3: the CS for
    20 would leave 160. On 18xx.games nobody minds."""
    for preset in PRESETS:
        game = in_need("3", treasury=50, purse=130, preset=preset)
        game.state.owners["CS"] = "3"
        line = "PRR private CS 20"
        if preset == "figf":
            reason, data = refused(game, line)
            assert (reason, data) == (Reason.CAN_STILL_PAY, {"raised": 180, "price": 180})
            # with 50 and 160 there are 30 to spare: the CS may cost 20, its least, to 30
            cash(game.state, "1", 160)
            offers = [one for one in game.options() if isinstance(one.action, BuyPrivate)]
            (offer,) = (one for one in offers if one.action.to_dict()["private"] == "CS")
            assert (offer.action, offer.most) == (BuyPrivate("PRR", "CS", 20), 30)
        else:
            may(game, line)
        cash(game.state, "1", 150)
        may(game, line)


def test_on_18xx_games_one_s_own_trains_save_nobody() -> None:
    """1830/E-7, Z-10 — the peer asks for no rescue."""
    game = in_need("6", treasury=60, purse=40, preset="18xx")
    offered(game, "NYC", "4", president="1")
    stake(game, "NYC", pool=5, p1=2, p3=1)
    may(game, "1 bankrupt")


def test_shares_sold_for_the_bank_s_train_do_not_bar_the_rescue() -> None:
    """FIGF-Q-04, R16 — three CPR at 100 were sold, and 630 are still out of reach: his NYC's 4 is
    to be had from 1 on, else there would be nothing that he may do."""
    game = in_need("6")
    offered(game, "NYC", "4", president="1")
    stake(game, "NYC", pool=5, p1=2, p3=1)
    stake(game, "CPR", p2=4, p1=3)
    play(game, "1 sell CPR 3")
    assert ranges(game, "NYC") == (1, 300)
    assert refused(game, "1 bankrupt")[0] is Reason.OWN_TRAIN_FIRST
    may(game, "PRR train 4 NYC 1")


def test_who_has_nothing_at_all_cannot_buy_of_himself_either() -> None:
    """FIGF-Q-04, N-5 — a price of at least 1, and neither treasury nor purse nor shares."""
    game = in_need("6")
    offered(game, "NYC", "4", president="1")
    stake(game, "NYC", pool=5, p1=2, p3=1)
    assert ranges(game, "NYC") is None
    may(game, "1 bankrupt")


def test_who_can_pay_may_leave_his_own_trains_where_they_are() -> None:
    """FIGF-Q-04 — it binds only who would fail."""
    game = in_need("4", treasury=60, purse=400)
    offered(game, "NYC", "3", president="1")
    offered(game, "CPR", "3", president="2")
    may(game, "PRR train 4 bank 300")
    assert ranges(game, "NYC") == ranges(game, "CPR") == (1, 180)


@pytest.mark.parametrize("case", vectors("BNK"), ids=lambda case: case["id"])
def test_an_offered_train_has_a_highest_price(case: dict[str, Any]) -> None:
    """FIGF-Q-05, Q-06 (BNK), 1830/Z-10 — to avoid bankruptcy: 1 for a train that is not permanent;
    for one that is, its face and the treasury at most. With an empty treasury: no lawful price."""
    face, treasury, most = case["input"]["face"], case["input"]["treasury"], case["expected"]
    game = in_need("6", treasury)
    (kind,) = (
        train.id
        for train in game.title.trains.values()
        if train.price == face and train.permanent is case["input"]["permanent"]
    )
    offered(game, "NYC", kind)
    assert ranges(game, "NYC") == ((1, most) if most else None)
    if most:
        after = may(game, f"PRR train {kind} NYC {most}")
        assert prr(after).cash == treasury - most
    reason, data = refused(game, f"PRR train {kind} NYC {most + 1}")
    assert reason is Reason.PRICE_OUT_OF_RANGE
    assert data == {"price": most + 1, "least": 1, "most": most}


def test_the_president_pays_the_one_dollar_if_the_treasury_cannot() -> None:
    """FIGF-Q-05 — a 4 for 1 from his own purse; a 5 never with his money (Q-06)."""
    game = in_need("6", treasury=0, purse=200)
    offered(game, "NYC", "4")
    offered(game, "CPR", "5", president="3")
    assert ranges(game, "NYC") == (1, 1)
    assert ranges(game, "CPR") is None
    assert may(game, "PRR train 4 NYC 1").state.cash["1"] == 199


def test_a_rescue_price_is_not_for_who_can_pay() -> None:
    """FIGF-Q-05, 1830/E-3 — with 700 in the purse the bank's 6 is within reach: an offered 4 costs
    what is agreed, up to 300."""
    game = in_need("6", treasury=0, purse=700)
    offered(game, "NYC", "4")
    assert ranges(game, "NYC") == (1, 300)


def test_on_18xx_games_an_offered_train_costs_up_to_its_face() -> None:
    """1830/E-3, Z-10 — also for who would be bankrupt without it."""
    game = in_need("6", treasury=200, purse=200, preset="18xx")
    offered(game, "NYC", "4")
    assert ranges(game, "NYC") == (1, 300)
