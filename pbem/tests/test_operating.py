"""1830/O — the operating round: what it begins with, its order, the steps of a turn."""

from __future__ import annotations

import pytest

from pbem.engine.actions import parse
from pbem.engine.errors import MalformedAction, Reason
from pbem.engine.game import Game
from pbem.engine.state import Operating, Step, Stock
from pbem.tests.positions import (
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
    token,
    trains,
    turn_of,
)

PRESETS = ("figf", "18xx")
REVENUE = {"1": 5 + 25, "2": 10 + 30, "3": 15, "4": 20}  # SV and CA, CS and BO, DH, MH


def now(game: Game) -> Operating:
    assert isinstance(game.state.round, Operating)
    return game.state.round


def all_pass(game: Game) -> Game:
    """The stock round ends without an action."""
    turn = game.state.turn
    while isinstance(game.state.round, Stock) and game.state.turn == turn:
        play(game, f"{game.actor} pass")
    return game


# --- what it begins with --------------------------------------------------------------------------


@pytest.mark.parametrize("preset", PRESETS)
def test_an_operating_round_begins_with_the_revenue_of_the_privates(preset: str) -> None:
    """1830/O-1 — of every private, from the bank, before any corporation operates."""
    game = stock_round(after_auction(4, preset))
    company(game.state, "PRR", 100, p1=6)
    before, bank = dict(game.state.cash), game.state.bank
    all_pass(game)
    assert {one: game.state.cash[one] - before[one] for one in before} == REVENUE
    assert game.state.bank == bank - 105
    assert game.actor == "PRR"
    check_invariants(game.state)


@pytest.mark.parametrize(("at", "rounds"), [("2", 1), ("3", 2), ("4", 2)])
def test_without_a_floated_corporation_the_round_is_that_payment_only(at: str, rounds: int) -> None:
    """1830/O-1, O-2, G-4 — once in each round of the set, then the next stock round begins; the
    B&O is parred and has not floated."""
    game = stock_round(after_auction())
    phase(game.state, at)
    before = dict(game.state.cash)
    all_pass(game)
    assert isinstance(game.state.round, Stock)
    assert game.state.turn == 3
    paid = {one: game.state.cash[one] - before[one] for one in before}
    assert paid == {one: rounds * amount for one, amount in REVENUE.items()}
    check_invariants(game.state)


# --- the order ------------------------------------------------------------------------------------

NAMES = ("PRR", "NYC", "CPR", "C&O", "B&M")


def order_of(preset: str, *spaces: tuple[int, int]) -> list[str]:
    """The order of the round for PRR, NYC, CPR, C&O, B&M, whose markers came to these spaces (row
    and column) in this order."""
    game = stock_round(after_auction(4, preset))
    for symbol in NAMES[: len(spaces)]:
        company(game.state, symbol, 67, p1=2, p2=2, p3=2)
    for symbol, (row, column) in zip(NAMES, spaces, strict=False):
        price(game.state, symbol, row, column)
    return now(all_pass(game)).order


@pytest.mark.parametrize("preset", PRESETS)
@pytest.mark.parametrize(
    ("spaces", "order"),
    [
        # 70, 112, 90: the highest price first
        (((2, 4), (0, 7), (0, 5)), ["NYC", "CPR", "PRR"]),
        # 100 in columns 6, 8, 7: further right first, whichever row
        (((0, 6), (2, 8), (1, 7)), ["NYC", "CPR", "PRR"]),
        # the three 67 of column 6, rows 7, 6, 5: the upper row first
        (((7, 6), (6, 6), (5, 6)), ["CPR", "NYC", "PRR"]),
        # with the 67 of columns 1 and 5 besides, the rightmost column goes before the row
        (((0, 1), (7, 6), (4, 5), (5, 6), (6, 6)), ["C&O", "B&M", "NYC", "CPR", "PRR"]),
        # in one space, who arrived first
        (((0, 6), (0, 6), (0, 6)), ["PRR", "NYC", "CPR"]),
    ],
)
def test_corporations_operate_by_price(
    preset: str, spaces: tuple[tuple[int, int], ...], order: list[str]
) -> None:
    """1830/O-3, Z-6 — price, then further right, then upper row, then arrival."""
    assert order_of(preset, *spaces) == order


@pytest.mark.parametrize("preset", PRESETS)
def test_who_comes_back_to_a_space_stands_below(preset: str) -> None:
    """1830/O-3, P-6 — the PRR leaves the space and returns: the NYC is now before it."""
    game = stock_round(after_auction(4, preset))
    for symbol in ("PRR", "NYC"):
        company(game.state, symbol, 67, p1=2, p2=2, p3=2)
        price(game.state, symbol, 0, 6)
    price(game.state, "PRR", 0, 7)
    price(game.state, "PRR", 0, 6)
    assert now(all_pass(game)).order == ["NYC", "PRR"]


def test_only_floated_corporations_operate() -> None:
    """1830/O-3, S-16 — 60% of the PRR are out, 50% of the NYC."""
    game = stock_round(after_auction())
    company(game.state, "PRR", 67, p1=6)
    company(game.state, "NYC", 100, p2=5)
    assert now(all_pass(game)).order == ["PRR"]


def test_each_operates_once_then_the_round_is_over() -> None:
    """1830/O-3, O-6 — two turns of nothing, and the next stock round; without a train the price
    falls one left (D-5)."""
    game = stock_round(after_auction())
    company(game.state, "PRR", 100, p1=6)
    company(game.state, "NYC", 90, p2=6)
    for symbol in ("PRR", "NYC"):
        cash(game.state, symbol, 0)
    all_pass(game)
    assert now(game).order == ["PRR", "NYC"]
    play(game, "PRR pass\nNYC pass")
    assert isinstance(game.state.round, Stock)
    assert game.state.turn == 3
    prices = [game.state.price(game.state.corporations[one]) for one in ("PRR", "NYC")]
    assert prices == [90, 82]
    check_invariants(game.state)


def forced_sale(preset: str) -> Game:
    """The PRR must buy a 3-train for 180; it has nothing and player 1, its president, 30 dollars.

    The C&O has operated, the NYC (100) and the CPR (90) are to follow.
    """
    game = turn_of("PRR", preset)
    state = game.state
    company(state, "C&O", 100, p3=4, p1=2)
    company(state, "NYC", 100, p2=4, p1=2)
    company(state, "CPR", 90, p3=6)
    company(state, "PRR", 82, p1=6)
    for symbol, column in (("C&O", 7), ("NYC", 6), ("CPR", 5)):
        price(state, symbol, 0, column)  # 112, 100, 90
    lay(state, "H10", "57", 1)
    cash(state, "PRR", 0)
    cash(state, "1", 30)
    state.round = Operating(["C&O", "PRR", "NYC", "CPR"], index=1, step=Step.TRAINS)
    token(state, "C&O", "F6")
    trains(state, "C&O", "3")
    trains(state, "CPR", "3")
    trains(state, "NYC", "3")
    return game


@pytest.mark.parametrize("preset", PRESETS)
def test_an_emergency_sale_changes_the_order_of_who_is_to_follow(preset: str) -> None:
    """1830/O-4, E-10, asks R14 — 150 are lacking: 1 sells two NYC at 100, which falls two rows to
    82, below the CPR at 90."""
    game = forced_sale(preset)
    play(game, "1 sell NYC 2")
    assert game.state.price(game.state.corporations["NYC"]) == 82
    assert now(game).order == ["C&O", "PRR", "CPR", "NYC"]
    assert game.actor == "PRR"
    play(game, "PRR train 3 bank 180")
    assert game.actor == "CPR"
    check_invariants(game.state)


@pytest.mark.parametrize("preset", PRESETS)
def test_who_has_operated_does_not_operate_again(preset: str) -> None:
    """1830/O-4, asks R14 — 1 sells two C&O at 112, which falls to 90, below the NYC: it has had its
    turn."""
    game = forced_sale(preset)
    play(game, "1 sell C&O 2")
    assert game.state.price(game.state.corporations["C&O"]) == 90
    assert now(game).order == ["C&O", "PRR", "NYC", "CPR"]
    play(game, "PRR train 3 bank 180")
    seen = []
    number = game.state.number
    while isinstance(game.state.round, Operating) and game.state.number == number:
        if game.actor not in seen:
            seen.append(game.actor)
        play(game, f"{game.actor} " + ("run" if now(game).step is Step.RUN else "pass"))
    assert seen == ["NYC", "CPR"]


# --- the steps of a turn --------------------------------------------------------------------------


def at_each_step(preset: str) -> dict[Step, Game]:
    """A turn of the PRR that waits in each of its steps: it has a 2, a place for a token, a run."""
    game = turn_of("PRR", preset, kinds=("2",), step=Step.HOME)
    lay(game.state, "H10", "57", 1)
    found = {Step.TRACK: game.copy()}
    for line in ("PRR lay H14 9 1", "PRR token H10 0", "PRR run 2:H12-H10", "PRR dividend pay"):
        play(game, line)
        found[now(game).step] = game.copy()
    play(game, "PRR train 3 bank 180\nPRR pass")
    found[now(game).step] = game.copy()
    return found


LINES = {
    Step.TRACK: "PRR lay H16 57 1",
    Step.TOKEN: "PRR token H10 0",
    Step.RUN: "PRR run 2:H12-H10",
    Step.DIVIDEND: "PRR dividend pay",
    Step.TRAINS: "PRR train 3 bank 180",
}


@pytest.mark.parametrize("preset", PRESETS)
def test_a_turn_goes_through_its_steps_in_order(preset: str) -> None:
    """1830/O-5 — tile, token, run, dividend, trains; what belongs to another step is refused."""
    games = at_each_step(preset)
    assert list(games) == [
        *(Step.TRACK, Step.TOKEN, Step.RUN, Step.DIVIDEND, Step.TRAINS, Step.PRIVATES)
    ]
    for step, game in games.items():
        assert game.actor == "PRR"
        for other, line in LINES.items():
            if other is step:
                continue
            found = refused(game, line)
            done = {
                Step.TRACK: Reason.TILE_ALREADY_LAID,
                Step.TOKEN: Reason.TOKEN_ALREADY_PLACED,
            }
            wrong = done.get(other, Reason.WRONG_STEP) if step > other else Reason.WRONG_STEP
            assert found == (wrong, {"step": step.name.lower()}), (step, other)


def test_the_home_token_comes_first_of_all() -> None:
    """1830/O-5, K-2 — it lies when the corporation is asked for its tile."""
    game = turn_of("PRR", step=Step.HOME)
    assert now(game).step is Step.TRACK
    assert game.state.corporations["PRR"].tokens == [("H12", 0)]


@pytest.mark.parametrize("preset", PRESETS)
def test_a_private_may_be_bought_in_every_step(preset: str) -> None:
    """1830/O-5, V-2, asks R31 — and the turn stands where it stood."""
    for step, game in at_each_step(preset).items():
        play(game, "PRR private DH 35")
        assert game.state.owners["DH"] == "PRR"
        assert now(game).step is step
        check_invariants(game.state)


@pytest.mark.parametrize("preset", PRESETS)
def test_steps_may_be_skipped_but_for_run_and_dividend(preset: str) -> None:
    """1830/O-6 — a pass goes on from tile, token, trains and privates; trains run, if only over no
    route, and what they earn is paid or kept."""
    for step, game in at_each_step(preset).items():
        if step in {Step.RUN, Step.DIVIDEND}:
            assert refused(game, "PRR pass") == (Reason.NOTHING_TO_PASS, {"actor": "PRR"})
        else:
            play(game, "PRR pass")
            assert isinstance(game.state.round, Stock) or now(game).step > step


def test_a_run_over_nothing_earns_nothing() -> None:
    """1830/O-6, R-16, D-5 — no route claimed: nothing to pay, one left, on to the trains."""
    game = at_each_step("figf")[Step.RUN]
    before = game.state.corporations["PRR"].cash
    play(game, "PRR run")
    assert now(game).step is Step.TRAINS
    assert game.state.corporations["PRR"].cash == before
    assert game.state.price(game.state.corporations["PRR"]) == 90  # from 100


def test_a_train_that_must_be_bought_is_not_passed() -> None:
    """1830/O-6, N-9 — a route and no train."""
    game = turn_of("PRR", step=Step.TRAINS)
    lay(game.state, "H10", "57", 1)
    said = {"corporation": "PRR"}
    assert refused(game, "PRR pass") == (Reason.MUST_BUY_TRAIN, said)


@pytest.mark.parametrize(
    ("change", "step"),
    [
        (("no train",), Step.TRAINS),  # nothing to run, nothing to pay
        (("no route",), Step.TRAINS),
        (("no train", "no cash"), None),  # a 3 cannot be paid, nor a private: the turn is over
    ],
)
def test_a_step_without_a_choice_is_passed_over(change: tuple[str, ...], step: Step | None) -> None:
    """1830/O-6 — the turn goes on by itself; the price falls one left (D-5)."""
    game = turn_of("PRR", kinds=() if "no train" in change else ("2",))
    if "no cash" in change:
        cash(game.state, "PRR", 9)
    play(game, "PRR pass")
    if step is None:
        assert isinstance(game.state.round, Stock)
    else:
        assert now(game).step is step
    assert game.state.price(game.state.corporations["PRR"]) == 90


# --- who decides ----------------------------------------------------------------------------------


@pytest.mark.parametrize("preset", PRESETS)
def test_the_president_decides_for_his_corporation(preset: str) -> None:
    """1830/O-7 — the actor is the corporation, the player its president, the old or the new."""
    game = turn_of("PRR", preset)
    assert (game.actor, game.player) == ("PRR", "1")
    company(game.state, "PRR", 100, p1=3, p3=4)
    assert (game.actor, game.player) == ("PRR", "3")


@pytest.mark.parametrize("line", ["NYC pass", "NYC lay E19 57 0", "1 pass", "2 pass"])
def test_nobody_else_acts(line: str) -> None:
    """1830/O-3, O-7 — not another corporation, nor a player in his own name."""
    game = turn_of("PRR")
    company(game.state, "NYC", 90, p2=6)
    operating_round(game, "PRR", "NYC", step=Step.TRACK)
    said = {"corporation": line.split(maxsplit=1)[0], "operating": "PRR"}
    assert refused(game, line) == (Reason.NOT_OPERATING, said)


def test_who_is_neither_player_nor_corporation_makes_no_sense() -> None:
    """1830/O-7 — refused as senseless."""
    with pytest.raises(MalformedAction):
        turn_of("PRR").apply(parse("XYZ pass"))


@pytest.mark.parametrize("line", ["1 buy PRR ipo", "1 par NYC 100", "1 bid SV 20"])
def test_stock_is_not_traded_in_an_operating_round(line: str) -> None:
    """1830/O-5, G-4 — nor are there bids."""
    assert refused(turn_of("PRR"), line) == (Reason.WRONG_ROUND, {"round": "operating"})
