"""1830/N, H — the supply of trains, their purchase, limits, rust and discards, and the phases; what
the federation's regulation says of them (FIGF-X, Z), with its worked examples."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import pytest

from pbem.engine import Game, MalformedAction, Reason
from pbem.engine.actions import KINDS, BuyTrain, parse
from pbem.engine.state import Operating, Step

from . import positions
from .positions import (
    cash,
    check_invariants,
    company,
    lay,
    operating_round,
    phase,
    play,
    refused,
    stock_round,
    trains,
    turn_of,
)

PRESETS = ("figf", "18xx")
VECTORS = Path(__file__).parents[2] / "tournaments" / "tests" / "figf_vectors.json"


def vectors(prefix: str) -> list[dict[str, Any]]:
    """The regulation's worked examples whose ids begin so."""
    return [
        case
        for case in json.loads(VECTORS.read_text(encoding="utf-8"))["cases"]
        if case["id"].startswith(prefix)
    ]


def buyer(at: str = "2", *kinds: str, preset: str = "figf", money: int = 5000) -> Game:
    """The PRR, which has these trains, buys trains in this phase. It has no track, so need not."""
    game = turn_of("PRR", preset, at, kinds, Step.TRAINS)
    cash(game.state, "PRR", money)
    return game


def seller(game: Game, symbol: str, *kinds: str, president: str = "2") -> None:
    """A floated corporation of another player, with these trains; its treasury is empty."""
    company(game.state, symbol, 100, **{f"p{president}": 6})
    left = dict(game.state.depot)
    for kind in kinds:  # some may come from a depot that the phase has emptied
        game.state.depot[kind] = (left[kind] or 0) + 6
    trains(game.state, symbol, *kinds)
    game.state.depot.update(left)
    cash(game.state, symbol, 0)


def on_sale(game: Game) -> dict[str, int]:
    """What the bank offers for money alone: kind → price."""
    return {
        option.action.train: option.action.price
        for option in game.options()
        if isinstance(option.action, BuyTrain)
        and option.action.source == "bank"
        and option.action.exchange is None
    }


def end_turn(game: Game, symbol: str) -> Game:
    """Decline whatever the corporation may still do in its turn."""
    while game.actor == symbol:
        play(game, f"{symbol} pass")
    return game


def ident(game: Game) -> str:
    """The phase that the game is in."""
    return game.title.phases[game.state.phase].id


# --- N-1 to N-3: what is on sale ------------------------------------------------------------------


def test_the_supply_is_that_of_the_box() -> None:
    """1830/N-1, N-2, Z-8 — how many of each, and their prices; six diesels for the federation."""
    game = positions.after_auction()
    assert game.state.depot == {"2": 6, "3": 5, "4": 4, "5": 3, "6": 2, "D": 6}
    prices = {train.id: train.price for train in game.title.trains.values()}
    assert prices == {"2": 80, "3": 180, "4": 300, "5": 450, "6": 630, "D": 1100}


@pytest.mark.parametrize("preset", PRESETS)
@pytest.mark.parametrize(
    ("last", "price", "following"),
    [("2", 80, "3"), ("3", 180, "4"), ("4", 300, "5"), ("5", 450, "6")],
)
def test_a_kind_is_on_sale_when_all_before_it_are_sold(
    last: str, price: int, following: str, preset: str
) -> None:
    """1830/N-1 — while one of a kind is left the next cannot be bought."""
    game = buyer(last, preset=preset)
    game.state.depot[last] = 1
    assert on_sale(game) == {last: price}
    dearer = game.title.trains[following].price
    reason, data = refused(game, f"PRR train {following} bank {dearer}")
    assert reason is Reason.TRAIN_NOT_FOR_SALE
    assert data == {"train": following, "source": "bank"}
    play(game, f"PRR train {last} bank {price}")
    assert on_sale(game) == {following: dearer}
    assert game.state.corporations["PRR"].trains == [last]
    check_invariants(game.state)


@pytest.mark.parametrize("preset", PRESETS)
def test_diesels_are_on_sale_beside_the_second_6(preset: str) -> None:
    """1830/N-1, R21, FIGF-Z-19 — from the very moment the first 6 is sold, not before."""
    game = buyer("5", preset=preset)
    game.state.depot["5"] = 0
    assert on_sale(game) == {"6": 630}
    assert refused(game, "PRR train D bank 1100")[0] is Reason.TRAIN_NOT_FOR_SALE
    play(game, "PRR train 6 bank 630")
    assert on_sale(game) == {"6": 630, "D": 1100}
    play(game, "PRR train 6 bank 630")
    cash(game.state, "PRR", 5000)
    game.state.corporations["PRR"].trains.pop()
    assert on_sale(game) == {"D": 1100}


def test_the_table_may_play_with_a_third_6() -> None:
    """1830/N-1 — an option of the table: the printed two, and one more."""
    game = positions.after_auction(4, "18xx", third_six=True)
    assert game.state.depot["6"] == 3


@pytest.mark.parametrize("price", [79, 81, 160])
def test_the_bank_sells_at_the_printed_price(price: int) -> None:
    """1830/N-1 — neither more nor less."""
    reason, data = refused(buyer("2"), f"PRR train 2 bank {price}")
    assert reason is Reason.WRONG_PRICE
    assert data == {"train": "2", "price": 80}


def test_a_purchase_goes_from_the_treasury_to_the_bank() -> None:
    """1830/N-1, N-5, FIGF-X-12 — the president's money is not touched, nor enough."""
    game = buyer("2", money=80)
    bank = game.state.bank
    play(game, "PRR train 2 bank 80")
    assert game.state.corporations["PRR"].cash == 0
    assert game.state.bank == bank + 80
    assert game.state.depot["2"] == 5
    game = buyer("2", money=79)
    reason, data = refused(game, "PRR train 2 bank 80")
    assert reason is Reason.NO_MONEY
    assert data == {"cash": 79, "price": 80}
    check_invariants(game.state)


def test_six_diesels_and_no_more() -> None:
    """1830/N-2, Z-8, R22 — the federation's box: with the sixth the bank is out of trains."""
    game = buyer("D")
    game.state.depot.update({"6": 0, "D": 1})
    play(game, "PRR train D bank 1100")
    operating_round(game, "PRR", step=Step.TRAINS)
    assert on_sale(game) == {}
    assert refused(game, "PRR train D bank 1100")[0] is Reason.TRAIN_NOT_FOR_SALE


def test_diesels_without_end() -> None:
    """1830/N-2, Z-8 — on 18xx.games the seventh is sold like the first."""
    game = buyer("D", preset="18xx", money=9000)
    game.state.depot["6"] = 0
    for _ in range(7):
        play(game, "PRR train D bank 1100")
        game.state.corporations["PRR"].trains.clear()
    assert game.state.corporations["PRR"].cash == 9000 - 7 * 1100
    assert on_sale(game) == {"D": 1100}


def test_a_table_may_choose_how_many_diesels_there_are() -> None:
    """1830/Z-8 — a switch of its own, whatever the preset."""
    assert positions.after_auction(4, "figf", diesels=None).state.depot["D"] is None
    assert positions.after_auction(4, "18xx", diesels=6).state.depot["D"] == 6


@pytest.mark.parametrize("preset", PRESETS)
def test_without_a_train_on_sale_a_corporation_may_go_without(preset: str) -> None:
    """1830/N-9, N-10, R22 — the bank is empty and so is the pool: nothing must be bought, and a
    train of another corporation may be."""
    game = buyer("D", preset=preset, money=900)
    lay(game.state, "H10", "57", 1)
    game.state.depot.update({"6": 0, "D": 0})
    seller(game, "NYC", "5")
    alone = game.copy()
    play(alone, "PRR pass")
    assert alone.state.corporations["PRR"].trains == []
    play(game, "PRR train 5 NYC 900")
    assert game.state.corporations["PRR"].trains == ["5"]
    check_invariants(game.state)


@pytest.mark.parametrize("preset", PRESETS)
def test_the_pool_sells_at_the_printed_price(preset: str) -> None:
    """1830/N-3 — a 3 discarded in phase 4 and still there in 5, beside the bank's 5."""
    game = buyer("5", preset=preset, money=1000)
    game.state.pool.append("3")
    reason, data = refused(game, "PRR train 3 pool 90")
    assert reason is Reason.WRONG_PRICE
    assert data == {"train": "3", "price": 180}
    assert refused(game, "PRR train 3 bank 180")[0] is Reason.TRAIN_NOT_FOR_SALE
    play(game, "PRR train 3 pool 180")
    assert game.state.pool == []
    assert game.state.corporations["PRR"].trains == ["3"]
    assert game.state.corporations["PRR"].cash == 820
    assert ident(game) == "5"
    reason, data = refused(game, "PRR train 3 pool 180")
    assert reason is Reason.TRAIN_NOT_FOR_SALE
    assert data == {"train": "3", "source": "pool"}
    check_invariants(game.state)


@pytest.mark.parametrize("line", ["PRR train 7 bank 80", "PRR train 2 attic 80"])
def test_a_train_or_a_source_that_does_not_exist_makes_no_sense(line: str) -> None:
    """1830/N-1 — a fault of the sender."""
    with pytest.raises(MalformedAction):
        buyer("2").apply(parse(line))


@pytest.mark.parametrize("step", [Step.TRACK, Step.TOKEN, Step.RUN, Step.DIVIDEND])
def test_trains_are_bought_after_the_dividend(step: Step) -> None:
    """1830/N-12, O-5 — never before the run of the turn."""
    game = turn_of("PRR", step=step)
    reason, data = refused(game, "PRR train 3 bank 180")
    assert reason is Reason.WRONG_STEP
    assert data == {"step": step.name.lower()}


# --- N-4: a diesel for a train --------------------------------------------------------------------


@pytest.mark.parametrize("preset", PRESETS)
@pytest.mark.parametrize("given", ["5", "6"])
def test_a_train_given_up_for_a_diesel_goes_to_the_pool(given: str, preset: str) -> None:
    """1830/N-4, R21, FIGF-X-15 — a 5 or a 6 makes it 800; the bank gets 800 and the pool the train.

    1000 - 800 = 200 are left.
    """
    game = buyer("6", given, preset=preset, money=1000)
    play(game, f"PRR train D bank 800 exchange={given}")
    assert game.state.corporations["PRR"].trains == ["D"]
    assert game.state.corporations["PRR"].cash == 200
    assert game.state.pool == [given]
    assert ident(game) == "D"
    check_invariants(game.state)


@pytest.mark.parametrize("preset", PRESETS)
def test_a_4_given_up_for_the_first_diesel_is_gone_with_all_others(preset: str) -> None:
    """1830/N-4, N-7, R21 — the purchase makes all 4s rust, the one in the pool too."""
    game = buyer("6", "4", "5", preset=preset)
    seller(game, "NYC", "4")
    play(game, "PRR train D bank 800 exchange=4")
    assert game.state.corporations["PRR"].trains == ["5", "D"]
    assert game.state.corporations["NYC"].trains == []
    assert game.state.pool == []


def test_a_trade_is_made_even_at_the_limit() -> None:
    """1830/N-4, N-6 — two trains are the limit in phase 6; one goes and one comes, and again."""
    game = buyer("6", "5", "5")
    reason, data = refused(game, "PRR train D bank 1100")
    assert reason is Reason.TRAIN_LIMIT
    assert data == {"held": 2, "limit": 2}
    play(game, "PRR train D bank 800 exchange=5")
    assert game.state.corporations["PRR"].trains == ["5", "D"]
    play(game, "PRR train D bank 800 exchange=5")
    assert game.state.corporations["PRR"].trains == ["D", "D"]
    assert game.state.pool == ["5", "5"]
    check_invariants(game.state)


@pytest.mark.parametrize(
    ("line", "train", "exchange"),
    [
        ("PRR train D bank 800 exchange=D", "D", "D"),  # a diesel is no trade-in
        ("PRR train D bank 800 exchange=3", "D", "3"),  # nor a 3
        ("PRR train D bank 800 exchange=6", "D", "6"),  # nor what one does not have
        ("PRR train 6 bank 330 exchange=5", "6", "5"),  # only a diesel comes cheaper
        ("PRR train 5 NYC 150 exchange=5", "5", "5"),  # and only from the bank
    ],
)
def test_only_a_4_5_or_6_of_ones_own_brings_a_diesel_of_the_bank(
    line: str, train: str, exchange: str
) -> None:
    """1830/N-4, R21 — whatever else is offered in exchange is refused."""
    game = buyer("6", "5", "D")
    seller(game, "NYC", "5")
    reason, data = refused(game, line)
    assert reason is Reason.NO_TRADE_IN
    assert data == {"train": train, "exchange": exchange}


def test_a_diesel_at_800_says_what_is_given_up() -> None:
    """FIGF-X-15, 1830/N-4 — without it the price is 1100, and with it not 1100."""
    game = buyer("6", "5")
    assert refused(game, "PRR train D bank 800") == (
        Reason.WRONG_PRICE,
        {"train": "D", "price": 1100},
    )
    assert refused(game, "PRR train D bank 1100 exchange=5") == (
        Reason.WRONG_PRICE,
        {"train": "D", "price": 800},
    )


def test_a_trade_too_is_paid_from_the_treasury() -> None:
    """1830/N-4, N-5 — 799 do not reach, however rich the president."""
    game = buyer("6", "5", money=799)
    cash(game.state, "1", 3000)
    reason, data = refused(game, "PRR train D bank 800 exchange=5")
    assert reason is Reason.NO_MONEY
    assert data == {"cash": 799, "price": 800}


# --- N-5: from another corporation ----------------------------------------------------------------


@pytest.mark.parametrize("preset", PRESETS)
@pytest.mark.parametrize("president", ["1", "2"])
@pytest.mark.parametrize("price", [1, 80, 500])
def test_another_corporation_sells_at_any_price_from_one_dollar(
    price: int, president: str, preset: str
) -> None:
    """1830/N-5, FIGF-X-13, X-14 — under, at and over the printed price, whoever presides the seller
    (whose consent is the table's affair, not the engine's)."""
    game = buyer("3", preset=preset, money=500)
    seller(game, "NYC", "2", president=president)
    play(game, f"PRR train 2 NYC {price}")
    assert game.state.corporations["PRR"].trains == ["2"]
    assert game.state.corporations["NYC"].trains == []
    assert game.state.corporations["PRR"].cash == 500 - price
    assert game.state.corporations["NYC"].cash == price
    assert ident(game) == "3"
    check_invariants(game.state)


@pytest.mark.parametrize("price", [-1, 0, 501])
def test_the_treasury_alone_pays_and_at_least_one_dollar(price: int) -> None:
    """1830/N-5, FIGF-X-13 — nothing is not a price; the president does not help of his own will."""
    game = buyer("3", money=500)
    seller(game, "NYC", "2")
    cash(game.state, "1", 2000)
    reason, data = refused(game, f"PRR train 2 NYC {price}")
    assert reason is Reason.PRICE_OUT_OF_RANGE
    assert data == {"price": price, "least": 1, "most": 500}


@pytest.mark.parametrize("line", ["PRR train 3 NYC 100", "PRR train 2 PRR 1", "PRR train 2 CPR 1"])
def test_nobody_sells_what_he_does_not_have(line: str) -> None:
    """1830/N-5 — another kind, one's own train, a corporation without trains."""
    game = buyer("3", "2")
    seller(game, "NYC", "2")
    reason, data = refused(game, line)
    assert reason is Reason.TRAIN_NOT_FOR_SALE
    assert data == {"train": line.split()[2], "source": line.split()[3]}


def test_a_train_bought_in_a_turn_is_sold_again_in_the_next() -> None:
    """1830/N-5 — not before the seller has it, and at once when it has."""
    game = buyer("3")
    company(game.state, "NYC", 100, p2=6)
    operating_round(game, "PRR", "NYC", step=Step.TRAINS)
    play(game, "PRR train 3 bank 180\nPRR pass\nPRR pass\nNYC pass\nNYC train 3 PRR 1")
    assert game.state.corporations["NYC"].trains == ["3"]
    check_invariants(game.state)


# --- N-6: how many --------------------------------------------------------------------------------


@pytest.mark.parametrize("source", ["bank", "pool", "NYC"])
@pytest.mark.parametrize(
    ("at", "limit"), [("2", 4), ("3", 4), ("4", 3), ("5", 2), ("6", 2), ("D", 2)]
)
def test_trains_are_bought_up_to_the_limit(at: str, limit: int, source: str) -> None:
    """1830/N-6, H-1, FIGF-Z-15, Z-17, Z-18 — any number in a turn, from wherever, as many as the
    phase allows: 4, 4, 3, 2, 2, 2. At the limit nothing can be bought."""
    game = buyer(at)
    game.state.depot[at] = 6
    seller(game, "NYC", *[at] * 6)
    game.state.pool = [at] * 6
    line = f"PRR train {at} {source} {game.title.trains[at].price}"
    for held in range(1, limit + 1):
        play(game, line)
        assert game.state.corporations["PRR"].trains == [at] * held
        cash(game.state, "PRR", 5000)
    operating_round(game, "PRR", step=Step.TRAINS)
    reason, data = refused(game, line)
    assert reason is Reason.TRAIN_LIMIT
    assert data == {"held": limit, "limit": limit}


# --- N-7: rust ------------------------------------------------------------------------------------


@pytest.mark.parametrize("preset", PRESETS)
@pytest.mark.parametrize(
    ("at", "first", "rusting"), [("3", "4", "2"), ("5", "6", "3"), ("6", "D", "4")]
)
def test_the_first_of_a_kind_makes_an_older_one_rust(
    at: str, first: str, rusting: str, preset: str
) -> None:
    """1830/N-7, N-13, FIGF-Z-17, Z-19, Z-20 — 2s go with the first 4, 3s with the first 6, 4s with
    the first diesel: everywhere, the pool included, for nothing."""
    game = buyer(at, preset=preset)
    seller(game, "NYC", rusting, "5")
    seller(game, "CPR", rusting)
    game.state.pool = [rusting, "5"]
    game.state.depot[at] = 0 if at != "6" else 1
    money = game.state.bank + 5000
    play(game, f"PRR train {first} bank {game.title.trains[first].price}")
    assert game.state.corporations["NYC"].trains == ["5"]
    assert game.state.corporations["CPR"].trains == []
    assert game.state.pool == ["5"]
    assert game.state.depot[rusting] == 0
    assert game.state.corporations["NYC"].cash == game.state.corporations["CPR"].cash == 0
    assert game.state.bank + game.state.corporations["PRR"].cash == money
    check_invariants(game.state)


def test_the_second_of_a_kind_makes_nothing_rust() -> None:
    """1830/N-7 — a 2-train can only be left in phase 4 by a change of the rules; it would stay."""
    game = buyer("4")
    game.state.corporations["PRR"].trains = ["2"]
    play(game, "PRR train 4 bank 300")
    assert game.state.corporations["PRR"].trains == ["2", "4"]


def test_no_other_trains_rust() -> None:
    """1830/N-7 — neither 5, 6 nor diesel has anything that makes it rust."""
    title = positions.after_auction().title
    assert {one.id: one.rusts_on for one in title.trains.values() if one.rusts_on} == {
        "2": "4",
        "3": "6",
        "4": "D",
    }
    assert {one.id for one in title.trains.values() if one.permanent} == {"5", "6", "D"}


# --- N-8: discards --------------------------------------------------------------------------------


def above_the_limit(preset: str) -> Game:
    """The NYC is about to buy the first 5. The PRR at 76 (president 1) and the B&O at 100
    (president 2) have three trains each, which will be one too many."""
    game = positions.after_auction(4, preset)
    state = game.state
    company(state, "PRR", 76, p1=6)
    company(state, "B&O", 100, p2=6)
    company(state, "NYC", 67, p3=6)
    trains(state, "PRR", "3", "3", "4")
    trains(state, "B&O", "3", "4", "4")
    phase(state, "4")
    state.depot["4"] = 0
    cash(state, "NYC", 1000)
    return operating_round(game, "NYC", "B&O", "PRR", step=Step.TRAINS)


def test_corporations_discard_in_operating_order() -> None:
    """1830/N-8, Z-9, R24 — the federation's order: the B&O's price is higher. Each president
    chooses, at once, before the buyer goes on."""
    game = play(above_the_limit("figf"), "NYC train 5 bank 450")
    assert (game.actor, game.player) == ("B&O", "2")
    play(game, "B&O discard 3")
    assert (game.actor, game.player) == ("PRR", "1")
    play(game, "PRR discard 4")
    assert game.actor == "NYC"
    assert game.state.corporations["B&O"].trains == ["4", "4"]
    assert game.state.corporations["PRR"].trains == ["3", "3"]
    assert game.state.pool == ["3", "4"]
    check_invariants(game.state)


def test_corporations_discard_in_the_order_of_the_list() -> None:
    """1830/N-8, Z-9 — on 18xx.games the PRR comes first, whatever the prices."""
    game = play(above_the_limit("18xx"), "NYC train 5 bank 450")
    assert (game.actor, game.player) == ("PRR", "1")
    play(game, "PRR discard 3")
    assert (game.actor, game.player) == ("B&O", "2")
    play(game, "B&O discard 4")
    assert game.actor == "NYC"


@pytest.mark.parametrize(
    "line", ["NYC train 5 bank 450", "NYC pass", "PRR discard 3", "B&O pass", "NYC discard 5"]
)
def test_nothing_else_is_done_before_a_discard(line: str) -> None:
    """1830/N-8, R24 — not by the buyer, nor by who discards next."""
    game = play(above_the_limit("figf"), "NYC train 5 bank 450")
    reason, data = refused(game, line)
    assert reason is Reason.DECISION_PENDING
    assert data == {"decision": "discard", "actor": "B&O"}


def test_one_discards_a_train_that_one_has() -> None:
    """1830/N-8 — not one of another kind; and a kind that does not exist makes no sense."""
    game = play(above_the_limit("figf"), "NYC train 5 bank 450")
    reason, data = refused(game, "B&O discard 5")
    assert reason is Reason.NO_SUCH_TRAIN
    assert data == {"train": "5", "corporation": "B&O"}
    with pytest.raises(MalformedAction):
        game.apply(parse("B&O discard 7"))


@pytest.mark.parametrize("preset", PRESETS)
def test_the_buyer_goes_on_after_the_discards(preset: str) -> None:
    """1830/N-8, N-3, R23 — its turn has not ended, and what was discarded is in the pool."""
    game = play(above_the_limit(preset), "NYC train 5 bank 450")
    for _ in range(2):
        play(game, f"{game.actor} discard 3")
    assert game.actor == "NYC"
    play(game, "NYC train 3 pool 180")
    assert game.state.corporations["NYC"].trains == ["5", "3"]
    assert game.state.corporations["NYC"].cash == 1000 - 450 - 180
    assert game.state.pool == ["3"]
    check_invariants(game.state)


def test_the_buyer_may_be_above_the_limit_itself() -> None:
    """1830/N-6, N-8 — with three trains in phase 4 the first 5 cannot be bought; with two it can,
    and then one of three is too many."""
    game = buyer("4", "3", "3", "4")
    game.state.depot["4"] = 0
    assert refused(game, "PRR train 5 bank 450")[0] is Reason.TRAIN_LIMIT
    game = buyer("4", "3", "4")
    game.state.depot["4"] = 0
    play(game, "PRR train 5 bank 450")
    assert {str(option.action) for option in game.options()} == {
        f"PRR discard {kind}" for kind in "345"
    }
    play(game, "PRR discard 3")
    assert game.state.corporations["PRR"].trains == ["4", "5"]
    assert game.state.pool == ["3"]


def test_rusted_trains_do_not_count() -> None:
    """1830/N-8, H-2, R24 — of four trains two are 2s: two are left when the first 4 is bought."""
    game = buyer("3")
    seller(game, "NYC", "2", "2", "3", "3")
    game.state.depot["3"] = 0
    play(game, "PRR train 4 bank 300")
    assert game.actor == "PRR"
    assert game.state.corporations["NYC"].trains == ["3", "3"]
    assert game.state.pool == []


def test_whoever_is_at_the_new_limit_keeps_all() -> None:
    """1830/N-8 — three 3s are allowed in phase 4, a fourth is not."""
    game = buyer("3")
    seller(game, "NYC", "3", "3", "3")
    seller(game, "CPR", "3", "3", "3", "3", president="3")
    game.state.depot["3"] = 0
    play(game, "PRR train 4 bank 300")
    assert (game.actor, game.player) == ("CPR", "3")
    play(game, "CPR discard 3")
    assert game.actor == "PRR"
    assert game.state.pool == ["3"]


def test_whoever_is_two_above_the_limit_discards_twice() -> None:
    """1830/N-8 — down to the limit, from however far: four trains, as a table might set them up."""
    game = above_the_limit("18xx")
    game.state.corporations["PRR"].trains = ["4", "4", "3", "3"]
    game.state.corporations["B&O"].trains.clear()
    play(game, "NYC train 5 bank 450\nPRR discard 4")
    assert game.actor == "PRR"
    play(game, "PRR discard 3")
    assert game.actor == "NYC"
    assert game.state.corporations["PRR"].trains == ["4", "3"]
    assert game.state.pool == ["4", "3"]


# --- N-9 to N-13 ----------------------------------------------------------------------------------


@pytest.mark.parametrize("preset", PRESETS)
def test_with_a_route_a_train_must_be_owned(preset: str) -> None:
    """1830/N-9, Z-19, R19 — Pittsburgh beside Altoona is a run of two places, for the smallest
    train: the turn does not end without one."""
    game = buyer("3", preset=preset)
    lay(game.state, "H10", "57", 1)
    reason, data = refused(game, "PRR pass")
    assert reason is Reason.MUST_BUY_TRAIN
    assert data == {"corporation": "PRR"}
    play(game, "PRR train 3 bank 180\nPRR pass")


@pytest.mark.parametrize("preset", PRESETS)
def test_without_a_route_no_train_need_be_owned(preset: str) -> None:
    """1830/N-9, Z-19, R19 — no track; then track that leads back to the city it came from."""
    game = buyer("3", preset=preset)
    play(game.copy(), "PRR pass")
    lay(game.state, "H10", "15", 0)  # SW, W, NW, NE
    lay(game.state, "H8", "7", 3)  # from H10 (E) to G9 (NE)
    lay(game.state, "G9", "7", 5)  # from H8 (SW) to H10 (SE)
    positions.token(game.state, "PRR", "H10")
    play(game, "PRR pass")
    assert game.state.corporations["PRR"].trains == []


def test_a_full_city_is_a_place_to_end_at() -> None:
    """1830/N-9, R-4 — the NYC fills Pittsburgh: the run ends there, and a train must be owned."""
    game = buyer("3")
    lay(game.state, "H10", "57", 1)
    positions.token(game.state, "NYC", "H10")
    assert refused(game, "PRR pass")[0] is Reason.MUST_BUY_TRAIN


def test_a_red_area_or_a_town_is_a_place_to_run_to() -> None:
    """1830/N-9 — Boston has Mansfield beside it from the start, on printed track."""
    game = turn_of("B&M", step=Step.TRAINS)
    assert refused(game, "B&M pass")[0] is Reason.MUST_BUY_TRAIN


@pytest.mark.parametrize("preset", PRESETS)
@pytest.mark.parametrize("purchase", ["3 bank 180", "2 pool 80", "2 NYC 1"])
def test_bank_pool_or_another_corporation_meets_the_obligation(purchase: str, preset: str) -> None:
    """1830/N-10 — the treasury can pay for each."""
    game = buyer("3", preset=preset)
    lay(game.state, "H10", "57", 1)
    seller(game, "NYC", "2")
    game.state.pool = ["2"]
    play(game, f"PRR train {purchase}\nPRR pass")
    assert game.state.corporations["PRR"].trains == [purchase[0]]


def test_a_train_is_not_got_rid_of() -> None:
    """1830/N-11 — below the limit nothing is discarded; no action sells, scraps or lends one."""
    game = buyer("3", "3")
    reason, data = refused(game, "PRR discard 3")
    assert reason is Reason.WRONG_STEP
    assert data == {"step": "trains"}
    assert {verb for verb in KINDS if "train" in verb or "discard" in verb} == {"train", "discard"}


def test_a_train_runs_first_in_the_next_round() -> None:
    """1830/N-12 — bought in step 6, it does not run in that turn; in the next it earns 30."""
    game = buyer("3")
    lay(game.state, "H10", "57", 1)
    game.state.rounds = 2
    play(game, "PRR train 3 bank 180")
    reason, data = refused(game, "PRR run 3:H12-H10")
    assert reason is Reason.WRONG_STEP
    assert data == {"step": "trains"}
    play(game, "PRR pass\nPRR pass")  # no more trains, no private
    assert game.state.number == 2
    play(game, "PRR pass\nPRR pass\nPRR run 3:H12-H10")  # no tile, no token
    assert isinstance(game.state.round, Operating)
    assert game.state.round.earned == 30


@pytest.mark.parametrize("preset", PRESETS)
@pytest.mark.parametrize(
    ("at", "first"), [("2", "3"), ("3", "4"), ("4", "5"), ("5", "6"), ("6", "D")]
)
def test_the_first_of_a_kind_changes_the_phase(at: str, first: str, preset: str) -> None:
    """1830/N-13, H-1 — right after payment; the second of its kind changes nothing."""
    game = buyer(at, preset=preset)
    game.state.depot[at] = 0 if at != "6" else 1
    play(game, f"PRR train {first} bank {game.title.trains[first].price}")
    assert ident(game) == first
    cash(game.state, "PRR", 5000)
    if game.state.depot[first]:
        play(game, f"PRR train {first} bank {game.title.trains[first].price}")
    assert ident(game) == first


def test_a_train_from_the_pool_changes_no_phase() -> None:
    """1830/N-13 — a 4 is in the pool only when the first has been sold; even so nothing happens."""
    game = buyer("3")
    game.state.pool = ["4"]
    play(game, "PRR train 4 pool 300")
    assert ident(game) == "3"


# --- H: the phases --------------------------------------------------------------------------------


@pytest.mark.parametrize("preset", PRESETS)
@pytest.mark.parametrize(
    ("at", "colours", "rounds", "limit", "for_corporations", "closed"),
    [
        ("2", "yellow", 1, 4, False, False),
        ("3", "yellow green", 2, 4, True, False),
        ("4", "yellow green", 2, 3, True, False),
        ("5", "yellow green brown", 3, 2, False, True),
        ("6", "yellow green brown", 3, 2, False, True),
        ("D", "yellow green brown", 3, 2, False, True),
    ],
)
def test_the_table_of_phases(
    at: str,
    colours: str,
    rounds: int,
    limit: int,
    for_corporations: bool,
    closed: bool,
    preset: str,
) -> None:
    """1830/H-1, FIGF-Z-15..Z-20, Z-22 — tiles, rounds in a set, limit, privates, phase by phase."""
    game = buyer(at, preset=preset)
    one = game.title.phases[game.state.phase]
    assert one.colours == set(colours.split())
    assert (one.rounds, one.limit) == (rounds, limit)
    assert one.privates_for_corporations is for_corporations
    assert one.privates_closed is closed


def two_in_a_round(at: str, preset: str = "figf") -> Game:
    """The PRR buys trains in this phase, the B&O operates after it in the same round."""
    game = positions.after_auction(4, preset)
    company(game.state, "PRR", 100, p1=6)
    company(game.state, "B&O", 90, p2=6)
    phase(game.state, at)
    game.state.depot[at] = 0
    for symbol in ("PRR", "B&O"):
        cash(game.state, symbol, 2000)
    operating_round(game, "PRR", "B&O", step=Step.TRAINS)
    game.state.rounds = game.title.phases[game.state.phase].rounds
    return game


@pytest.mark.parametrize("preset", PRESETS)
def test_the_first_3_brings_green_tiles_and_the_sale_of_privates_at_once(preset: str) -> None:
    """1830/H-1, FIGF-Z-16, Z-01 — for the B&O too, in the same round: a green tile on yellow J14;
    and the PRR buys the SV at half its face."""
    game = two_in_a_round("2", preset)
    lay(game.state, "J14", "57", 0)
    assert refused(game, "PRR private SV 10")[0] is Reason.PRIVATE_NOT_FOR_CORPORATIONS
    play(game, "PRR train 3 bank 180")
    play(game, "PRR private SV 10")
    play(end_turn(game, "PRR"), "B&O lay J14 14 2")
    assert game.state.owners["SV"] == "PRR"
    assert game.state.board["J14"].tile.id == "14"
    check_invariants(game.state)


@pytest.mark.parametrize("preset", PRESETS)
def test_before_the_first_3_a_tile_stays_yellow(preset: str) -> None:
    """1830/H-1, FIGF-Z-15 — the same tile, had the PRR bought nothing."""
    game = two_in_a_round("2", preset)
    lay(game.state, "J14", "57", 0)
    play(game, "PRR pass")
    reason, data = refused(game, "B&O lay J14 14 2")
    assert reason is Reason.COLOUR_NOT_YET
    assert data == {"tile": "14", "colour": "green", "phase": "2"}


def test_the_first_5_brings_brown_tiles_at_once() -> None:
    """1830/H-1, FIGF-Z-18 — in the same round, for who operates next."""
    game = two_in_a_round("4")
    lay(game.state, "I15", "53", 0)
    del game.state.owners["BO"]  # which would block Baltimore until its corporation has a train
    without = end_turn(game.copy(), "PRR")
    assert refused(without, "B&O lay I15 61 0")[0] is Reason.COLOUR_NOT_YET
    play(game, "PRR train 5 bank 450")
    play(end_turn(game, "PRR"), "B&O lay I15 61 0")
    assert game.state.board["I15"].tile.id == "61"
    check_invariants(game.state)


@pytest.mark.parametrize("preset", PRESETS)
@pytest.mark.parametrize(
    ("at", "first", "now", "after"), [("2", "3", 1, 2), ("3", "4", 2, 2), ("4", "5", 2, 3)]
)
def test_a_set_is_as_long_as_when_it_began(
    at: str, first: str, now: int, after: int, preset: str
) -> None:
    """1830/G-4, H-1, FIGF-Z-16, Z-18 — the rounds of this set stay; those of the next, after a
    stock round, are the new phase's."""
    game = two_in_a_round(at, preset)
    play(game, f"PRR train {first} bank {game.title.trains[first].price}")
    assert game.state.rounds == now
    stock_round(game, "1", 3)
    while not isinstance(game.state.round, Operating):
        play(game, f"{game.player} pass")
    assert game.state.rounds == after


@pytest.mark.parametrize("preset", PRESETS)
def test_the_first_5_closes_all_privates_before_anyone_discards(preset: str) -> None:
    """1830/H-2, V-4, FIGF-Z-18 — payment, phase, rust and closing have happened when the first
    discard is asked for: whoever owns them, player or corporation, gets nothing."""
    game = above_the_limit(preset)
    game.state.owners["SV"] = "NYC"
    money = dict(game.state.cash)
    play(game, "NYC train 5 bank 450")
    assert isinstance(game.state.round, Operating)
    assert game.state.round.discarding
    assert game.state.corporations["NYC"].cash == 550
    assert game.state.corporations["NYC"].trains == ["5"]
    assert ident(game) == "5"
    assert game.state.owners == {}
    assert game.state.cash == money


def test_the_phase_rusts_before_anyone_discards() -> None:
    """1830/H-2 — at the first 4 the limit falls to three; the 2s are gone when it is counted."""
    game = buyer("3", "2", "3", "3")
    game.state.depot["3"] = 0
    play(game, "PRR train 4 bank 300")
    assert game.state.corporations["PRR"].trains == ["3", "3", "4"]
    assert isinstance(game.state.round, Operating)
    assert game.state.round.discarding == []


def test_higher_red_values_hold_for_later_runs_only() -> None:
    """1830/H-3, R-8 — the C&O ran to Chicago for 40 + 30; after the first 5 it runs for 70 + 30.

    F2 40 then 70, F6 (Cleveland) 30, joined by G5, G3: F6 (SW) - G5 (NE, W) - G3 (E, NW) - F2 (SE).
    """
    game = positions.after_auction()
    state = game.state
    company(state, "C&O", 100, p1=6)
    company(state, "PRR", 76, p2=6)
    trains(state, "C&O", "4")
    phase(state, "4")
    state.depot["4"] = 0
    cash(state, "PRR", 1000)
    lay(state, "G5", "8", 1)
    lay(state, "G3", "8", 2)
    operating_round(game, "C&O", "PRR", step=Step.RUN)
    state.rounds = 2
    before = state.cash["1"]
    play(game, "C&O run 4:F2-G3-G5-F6\nC&O dividend pay")
    assert state.cash["1"] == before + 6 * 7
    play(end_turn(game, "C&O"), "PRR pass\nPRR train 5 bank 450")
    assert state.cash["1"] == before + 6 * 7
    while state.number == 1:
        play(game, "PRR pass")
    while isinstance(state.round, Operating) and state.round.step < Step.RUN:
        play(game, "C&O pass")
    play(game, "C&O run 4:F2-G3-G5-F6")
    assert isinstance(state.round, Operating)
    assert state.round.earned == 100


# --- worked examples of the regulation ------------------------------------------------------------


@pytest.mark.parametrize("preset", PRESETS)
@pytest.mark.parametrize("case", vectors("PRIV"), ids=lambda case: case["id"])
def test_a_private_costs_a_corporation_half_to_double_its_face(
    case: dict[str, Any], preset: str
) -> None:
    """FIGF-X-02, Z-01 (PRIV), 1830/V-2 — the bounds are allowed, one dollar beyond is not."""
    game = buyer("3", preset=preset)
    (private,) = (
        one.id for one in game.title.privates.values() if one.face == case["input"]["face"]
    )
    least, most = case["expected"]
    for price in (least - 1, most + 1):
        reason, data = refused(game, f"PRR private {private} {price}")
        assert reason is Reason.PRICE_OUT_OF_RANGE
        assert data == {"price": price, "least": least, "most": most}
    for price in (least, most):
        again = play(game.copy(), f"PRR private {private} {price}")
        assert again.state.owners[private] == "PRR"
        assert again.state.corporations["PRR"].cash == 5000 - price
        check_invariants(again.state)


def test_the_certificate_limits_are_the_regulations() -> None:
    """FIGF-Z-10 (CERT), 1830/G-2 — 28, 20, 16, 13, 11 for two to six players."""
    (case,) = vectors("CERT")
    limits = [positions.after_auction(n).state.certificate_limit for n in case["input"]["players"]]
    assert limits == case["expected"]


def test_a_trainless_corporation_goes_on_buying_with_its_own_money() -> None:
    """1830/N-6, N-10, R18 — 900 buy two 5s at 450: the obligation ends with the first, the limit
    is two."""
    game = buyer("5", money=900)
    lay(game.state, "H10", "57", 1)
    play(game, "PRR train 5 bank 450\nPRR train 5 bank 450")
    assert game.state.corporations["PRR"].trains == ["5", "5"]
    assert game.state.corporations["PRR"].cash == 0
    check_invariants(game.state)
