"""What an action brought about beside itself: what the rules do by themselves, told for the log.

`changes` compares the position before an action with the one after it. What the action says of
itself (who bought what, for how much) is not among them.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from enum import StrEnum
from typing import Any

from .actions import Action, Bankrupt, Bid, Dividend, ExchangePrivate, Pass, PlaceToken
from .state import Auction, Operating, State, Stock
from .title import SHARE


class What(StrEnum):
    """A kind of change, with the data that come with it."""

    WON = "won"  # player, private, price: by a standing bid, or when the others have passed
    CHEAPER = "cheaper"  # private, price: nobody wanted it
    GIVEN = "given"  # player, corporation, percent: with a private
    PAID = "paid"  # each: who → dividend
    SOLD = "sold"  # player, corporation, percent: in a bankruptcy
    PRICE = "price"  # corporation, before, after
    PRESIDENT = "president"  # corporation, player
    FLOATED = "floated"  # corporation, price: its capital
    PHASE = "phase"  # phase
    RUSTED = "rusted"  # train, who: the corporations that lose it
    CLOSED = "closed"  # privates
    PRIORITY = "priority"  # player
    INCOME = "income"  # each: who → what his privates pay
    HOME = "home"  # corporation, hex
    BROKEN = "broken"  # the bank
    OVER = "over"  # reason; each: who → his final worth


@dataclass(frozen=True, slots=True)
class Change:
    """One thing that an action brought about."""

    what: What
    data: Mapping[str, Any]


def changes(before: State, after: State, action: Action) -> list[Change]:
    """All that the action brought about, in the order in which it happens at a table."""
    found: list[Change] = []
    for part in (_privates, _dividends, _shares, _markets, _trains, _rounds, _end):
        found += part(before, after, action)
    return found


def _privates(before: State, after: State, action: Action) -> Iterator[Change]:
    """1830/A-6..A-13 — privates that found a buyer, and what comes with them."""
    if not isinstance(before.round, Auction):
        return
    if isinstance(after.round, Auction) and after.round.discount != before.round.discount:
        first = after.title.privates[before.unsold[0]]
        data = {"private": first.id, "price": first.face - after.round.discount}
        yield Change(What.CHEAPER, data)
    for private, owner in after.owners.items():
        if private in before.owners:
            continue
        bought = isinstance(action, Bid) and (action.private, action.actor) == (private, owner)
        if not bought:  # by a bid, or for nothing
            price = before.round.bids.get(private, {}).get(owner, 0)
            yield Change(What.WON, {"player": owner, "private": private, "price": price})
        gift = after.title.privates[private].free_share
        if gift and not gift.president:
            data = {"player": owner, "corporation": gift.corporation, "percent": SHARE}
            yield Change(What.GIVEN, data)


def _dividends(before: State, after: State, action: Action) -> Iterator[Change]:
    """1830/D-1 — who receives how much; the pool's shares pay the treasury."""
    if not isinstance(action, Dividend) or action.kind != "pay":
        return
    one = before.corporations[action.actor]
    earned = before.round.earned if isinstance(before.round, Operating) else 0
    each = earned * SHARE // 100
    paid = {player: each * one.held[player] for player in before.players if one.held.get(player)}
    if one.pool:
        paid[one.id] = each * one.pool
    yield Change(What.PAID, {"each": paid})


def _shares(before: State, after: State, action: Action) -> Iterator[Change]:
    """1830/E-7 — what a bankrupt sells."""
    if isinstance(action, Bankrupt):
        for one in before.corporations.values():
            now = after.corporations[one.id]
            sold = one.held.get(action.actor, 0) - now.held.get(action.actor, 0)
            if sold > 0:
                data = {"player": action.actor, "corporation": one.id, "percent": sold * SHARE}
                yield Change(What.SOLD, data)


def _markets(before: State, after: State, action: Action) -> Iterator[Change]:
    """1830/P, C-4, S-16 — prices, presidents, corporations that float."""
    both = [(one, after.corporations[one.id]) for one in before.corporations.values()]
    for was, now in both:
        if was.cell >= 0 and was.cell != now.cell:
            data = {"before": before.price(was), "after": after.price(now)}
            yield Change(What.PRICE, {"corporation": was.id, **data})
    for was, now in both:
        if was.president and now.president and was.president != now.president:
            yield Change(What.PRESIDENT, {"corporation": was.id, "player": now.president})
    for was, now in both:
        if now.floated and not was.floated and now.par:
            yield Change(What.FLOATED, {"corporation": now.id, "price": now.par * 10})


def _trains(before: State, after: State, action: Action) -> Iterator[Change]:
    """1830/H, N-7, V-4 — a new phase, the trains that rust, the privates that close."""
    if after.phase != before.phase:
        yield Change(What.PHASE, {"phase": after.title.phases[after.phase].id})
        left = _owned(after)
        for kind, who in _owned(before).items():
            if kind not in left and after.title.trains[kind].rusts_on:
                yield Change(What.RUSTED, {"train": kind, "who": list(who)})
    swapped = action.private if isinstance(action, ExchangePrivate) else None
    closed = [one for one in before.owners if one not in after.owners and one != swapped]
    if closed:
        yield Change(What.CLOSED, {"privates": closed})


def _owned(state: State) -> dict[str, Counter[str]]:
    """Each kind of train that somebody has, or the pool, and who."""
    found: dict[str, Counter[str]] = {}
    for one in state.corporations.values():
        for kind in one.trains:
            found.setdefault(kind, Counter())[one.id] += 1
    for kind in state.pool:
        found.setdefault(kind, Counter())
    return found


def _rounds(before: State, after: State, action: Action) -> Iterator[Change]:
    """1830/S-3, O-1, K-2 — the priority deal, what privates pay, the home token."""
    ended = (type(before.round), before.turn) != (type(after.round), after.turn)
    if ended and isinstance(before.round, Auction | Stock) and not after.over:
        yield Change(What.PRIORITY, {"player": after.players[after.priority]})
    rounds = _begun(before, after) or int(_all_passed(before, action))
    income: Counter[str] = Counter()
    for private, owner in after.owners.items():
        income[owner] += after.title.privates[private].revenue * rounds
    if +income:
        yield Change(What.INCOME, {"each": dict(income)})
    placed = action.actor if isinstance(action, PlaceToken) else None
    for one in after.corporations.values():
        if one.tokens and not before.corporations[one.id].tokens and one.id != placed:
            yield Change(What.HOME, {"corporation": one.id, "hex": one.tokens[0][0]})


def _all_passed(before: State, action: Action) -> bool:
    """1830/A-12 — everybody has passed in the auction, and some private is sold already."""
    now = before.round
    return (
        isinstance(now, Auction)
        and isinstance(action, Pass)
        and now.contest is None
        and now.passes + 1 == len(before.players)
        and bool(before.owners)
    )


def _begun(before: State, after: State) -> int:
    """How many operating rounds the action led into; one in which nobody operates ends at once."""
    if isinstance(after.round, Operating):
        same = isinstance(before.round, Operating)
        return int(not same or (before.turn, before.number) != (after.turn, after.number))
    if isinstance(before.round, Stock) and after.turn > before.turn:
        return (after.turn - before.turn) * after.rounds
    return 0


def _end(before: State, after: State, action: Action) -> Iterator[Change]:
    """1830/X — the bank, and the end."""
    if after.broken and not before.broken:
        yield Change(What.BROKEN, {})
    if after.over and not before.over:
        worth = {player: after.worth(player) for player in after.players}
        yield Change(What.OVER, {"reason": after.over, "each": worth})
