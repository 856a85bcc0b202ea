"""Our own whole games, replayed: the books balance and the laws hold at every action."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterator
from typing import Any

import pytest

from pbem.engine import Game, State, interchange
from pbem.engine.actions import (
    KINDS,
    Action,
    BuyPrivate,
    BuyShare,
    BuyTrain,
    Dividend,
    ExchangePrivate,
    LayTile,
    PlaceToken,
    SellShares,
)
from pbem.engine.state import Auction, Operating, Stock

from .our_games import OURS, file_of
from .positions import check_invariants

# What is printed, by phase id: the train limit (1830/N-6) and the trains that have rusted (N-7).
LIMITS = {"2": 4, "3": 4, "4": 3, "5": 2, "6": 2, "D": 2}
RUSTED = {"2": "", "3": "", "4": "2", "5": "2", "6": "23", "D": "234"}
PRINTED = {"2": 6, "3": 5, "4": 4, "5": 3, "6": 2}
CASH = {2: 1200, 3: 800, 4: 600, 5: 480, 6: 400}  # 1830/G-1


def steps(name: str) -> Iterator[tuple[State, Action, Game]]:
    """Each action of a game: the position before it, the action, the game after it."""
    file = file_of(name)
    before = interchange.begin(file).game.state.copy()
    for _, game in interchange.replay(file):
        yield before, game.log[-1], game
        before = game.state.copy()


def finished(name: str) -> Game:
    *_, (_, _, game) = steps(name)
    return game


@pytest.mark.parametrize("name", OURS)
def test_the_books_balance_after_every_action(name: str) -> None:
    for _, _, game in steps(name):
        check_invariants(game.state)


@pytest.mark.parametrize("name", OURS)
def test_everybody_begins_with_the_printed_cash(name: str) -> None:
    """1830/G-1, G-2 — 2,400 among the players, 9,600 in the bank."""
    state = interchange.begin(file_of(name)).game.state
    assert set(state.cash.values()) == {CASH[len(state.players)]}
    assert state.bank == 12_000 - 2_400


@pytest.mark.parametrize("name", OURS)
def test_phases_follow_the_trains(name: str) -> None:
    """1830/H-1, N-6, N-7, V-4 — phases never go back; nobody has a rusted train, nor more than the
    limit but to discard; from the first 5 on no private is open."""
    phases = list(LIMITS)
    for before, _, game in steps(name):
        state = game.state
        phase = state.title.phases[state.phase].id
        assert phases.index(phase) >= phases.index(before.title.phases[before.phase].id)
        trains = [kind for one in state.corporations.values() for kind in one.trains]
        assert not set(RUSTED[phase]) & set(trains + state.pool)
        pending = state.round.discarding if isinstance(state.round, Operating) else []
        for one in state.corporations.values():
            assert len(one.trains) <= LIMITS[phase] or one.id in pending
        assert phases.index(phase) < phases.index("5") or not state.owners


@pytest.mark.parametrize("name", OURS)
def test_a_dividend_is_a_tenth_for_each_tenth_and_the_rest_stays_in_the_bank(name: str) -> None:
    """1830/D-1, D-2 — to each player a tenth of the revenue for each 10%, to the treasury the
    pool's; withheld, all to the treasury. The game may go on by itself after it, but in the same
    turn: no other money moves."""
    paid = 0
    for before, action, game in steps(name):
        if not isinstance(action, Dividend) or not same_turn(before, game.state):
            continue
        paid += 1
        one, revenue = before.corporations[action.actor], before.round.earned  # type: ignore[union-attr]
        pay = action.kind == "pay"
        for player in before.players:
            gained = game.state.cash[player] - before.cash[player]
            assert gained == (revenue // 10 * one.held.get(player, 0) if pay else 0)
        gained = game.state.corporations[action.actor].cash - one.cash
        assert gained == (revenue // 10 * one.pool if pay else revenue)
    assert paid > 10


def same_turn(before: State, after: State) -> bool:
    """Whether the same corporation operates in the same round."""
    rounds = [(state.turn, state.number, state.round) for state in (before, after)]
    (turn, number, one), (turn_after, number_after, other) = rounds
    return (
        isinstance(one, Operating)
        and isinstance(other, Operating)
        and (turn, number, one.index) == (turn_after, number_after, other.index)
    )


@pytest.mark.parametrize("name", OURS)
def test_the_revenue_that_is_written_is_what_is_then_paid(name: str) -> None:
    """The file's own figures of each run add up to the dividend that follows it."""
    file = file_of(name)
    written = [
        sum(route["revenue"] for route in one["routes"])
        for one in file["actions"]
        if one["type"] == "run_routes" and one["routes"]
    ]
    earned = [
        before.round.earned  # type: ignore[union-attr]
        for before, action, _ in steps(name)
        if isinstance(action, Dividend)
    ]
    assert [revenue for revenue in written if revenue] == earned


@pytest.mark.parametrize("name", OURS)
def test_the_trains_of_the_bank_are_those_that_are_printed(name: str) -> None:
    """1830/N-1 — every card of a kind is sold before the next kind but the diesel, in its order."""
    file = file_of(name)
    sold = [
        one["train"] for one in file["actions"] if one["type"] == "buy_train" and one.get("variant")
    ]
    kinds = Counter(card.partition("-")[0] for card in sold)
    for kind, count in kinds.items():
        mine = [card for card in sold if card.partition("-")[0] == kind]
        assert mine == [f"{kind}-{n}" for n in range(count)]
        assert count <= PRINTED.get(kind, 6 if file["figf"]["preset"] == "figf" else 99)
    for earlier, later in zip("2345", "3456", strict=True):
        assert not kinds[later] or kinds[earlier] == PRINTED[earlier]
    assert not kinds["D"] or kinds["6"]


@pytest.mark.parametrize("name", OURS)
def test_the_result_is_cash_and_shares_at_their_price(name: str) -> None:
    """1830/X-4, Z-14 — counted anew from what is on the table; open privates count their face value
    on 18xx.games and nothing with the FIGF, and here none is open at the end."""
    file, game = file_of(name), finished(name)
    table = interchange.snapshot(game.state)
    prices = {symbol: one["price"] or 0 for symbol, one in table["corps"].items()}
    assert not any(one["companies"] for one in table["players"].values())
    for number, one in zip(file["players"], table["players"].values(), strict=True):
        shares = sum(percent // 10 * prices[symbol] for symbol, percent in one["shares"].items())
        assert file["result"][str(number["id"])] == one["cash"] + shares
    held = sum(
        percent // 10 * prices[symbol]
        for one in table["players"].values()
        for symbol, percent in one["shares"].items()
    )
    treasuries = sum(one["cash"] for one in table["corps"].values())
    assert sum(file["result"].values()) == 12_000 - table["bank"] - treasuries + held


@pytest.mark.parametrize("name", OURS)
def test_a_game_ends_by_bankruptcy_at_once_or_after_the_set_in_which_the_bank_breaks(
    name: str,
) -> None:
    """1830/X-1, X-2, E-7 — the bankrupt's cash goes to the bank."""
    file = file_of(name)
    state = finished(name).state
    assert file["status"] == "finished"
    assert name.startswith({"bank": "bank_", "bankrupt": "bankruptcy_"}[file["game_end_reason"]])
    if state.over == "bank":
        assert state.broken
        assert state.number == state.rounds == 3  # 1830/G-4: from phase 5 on
        assert state.bankrupt is None
    else:
        assert file["actions"][-1]["type"] == "bankrupt"
        assert state.cash[state.bankrupt or ""] == 0


def features(  # noqa: C901 - a list, and no maze
    before: State, action: Action, after: State
) -> Iterator[str]:
    """What is rare and worth having in a game."""
    now = before.round
    match action, now:
        case _, Auction(contest=str()):
            yield "a contest for a private"
        case LayTile(private=str(name)), _:
            yield f"a tile by {name}"
        case PlaceToken(private=str(name)), _:
            yield f"a token by {name}"
        case _, Operating(choosing=(_, _)):
            yield "the choice of a city"
        case SellShares(), Operating():
            yield "an emergency sale"
        case BuyTrain(actor=actor, price=price), _ if price > before.corporations[actor].cash:
            yield "the president's help"
        case BuyTrain(exchange=str()), _:
            yield "a trade-in"
        case BuyTrain(source="pool"), _:
            yield "a train of the pool"
        case BuyTrain(source=source), _ if source in before.corporations:
            yield "a train of another corporation"
        case BuyPrivate(), Stock():
            yield "a private between players"
        case BuyPrivate(), Operating():
            yield "a private for a corporation"
        case BuyShare(), Stock(bought=(_, _)):
            yield "several brown certificates"
        case ExchangePrivate(), _:
            yield f"a swap in the {type(now).__name__}"
        case _:
            pass
    for symbol, one in before.corporations.items():
        if one.president and one.president != after.corporations[symbol].president:
            yield f"a new president by {type(action).__name__}"
    if getattr(after.round, "discount", 0) > getattr(now, "discount", 0):
        yield "the first private falls"
    if before.phase != after.phase:
        yield f"phase {after.title.phases[after.phase].id}"


def test_together_the_games_have_everything_that_a_game_can_have() -> None:
    """Every kind of action, every phase, both ends, both presets, and what is rare."""
    kinds: set[type] = set()
    found: set[str] = set()
    tables: set[Any] = set()
    for name in OURS:
        for before, action, game in steps(name):
            kinds.add(type(action))
            found |= set(features(before, action, game.state))
        tables |= {game.title.preset, len(game.state.players), game.state.over}
    assert kinds == set(KINDS.values())
    assert tables >= {"figf", "18xx", 2, 3, 4, 6, "bank", "bankruptcy"}
    assert found >= {
        "a contest for a private",
        "the first private falls",
        "a tile by CS",
        "a tile by DH",
        "a token by DH",
        "the choice of a city",
        "an emergency sale",
        "the president's help",
        "a trade-in",
        "a train of the pool",
        "a train of another corporation",
        "a private between players",
        "a private for a corporation",
        "several brown certificates",
        "a swap in the Stock",
        "a swap in the Operating",
        "a new president by BuyShare",
        "a new president by SellShares",
        *(f"phase {phase}" for phase in ("3", "4", "5", "6", "D")),
    }
