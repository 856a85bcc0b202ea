"""What may be done now: candidates, filtered by the check that `apply` itself makes."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from dataclasses import dataclass, replace
from typing import Any

from . import auction, track, trains
from .actions import (
    Action,
    Bankrupt,
    Bid,
    BuyPrivate,
    BuyShare,
    BuyTrain,
    DiscardTrain,
    Dividend,
    ExchangePrivate,
    LayTile,
    Par,
    Pass,
    PlaceToken,
    Route,
    Run,
    SellShares,
)
from .errors import allowed
from .reach import reach
from .routes import onward
from .state import Auction, Corporation, Operating, State, Step, Stock

SOURCES = ("ipo", "pool")


@dataclass(frozen=True, slots=True)
class Option:
    """An action that is legal now; with `most`, at every price from its own up to that one."""

    action: Action
    most: int | None = None

    def at(self, price: int) -> Action:
        """The action at another price of the range."""
        return replace(self.action, price=price)  # type: ignore[call-arg]

    def covers(self, action: Action) -> bool:
        """Whether this option is that action, at some price of its range.

        >>> option = Option(Bid("1", "CS", 45), most=300)
        >>> option.covers(Bid("1", "CS", 300)), option.covers(Bid("1", "CS", 301))
        (True, False)
        """
        if self.most is None or type(action) is not type(self.action):
            return action == self.action
        least, price = self.action.price, action.price  # type: ignore[attr-defined]
        return bool(least <= price <= self.most and self.at(price) == action)


def options(state: State, actor: str, check: Callable[[State, Action], Any]) -> Iterator[Option]:
    """The candidates of the round that pass the check, ranges as far as they pass it."""
    if state.over:
        return

    def passes(action: Action) -> bool:
        return allowed(check, state, action)

    for option in candidates(state, actor):
        if not passes(option.action):
            continue
        if option.most is None or passes(option.at(option.most)):
            yield option
            continue
        # a higher price may be beyond a rule that the candidate did not reckon with (FIGF-Q-01)
        legal, beyond = option.action.price, option.most  # type: ignore[attr-defined]
        while beyond - legal > 1:
            middle = (legal + beyond) // 2
            legal, beyond = (middle, beyond) if passes(option.at(middle)) else (legal, middle)
        yield replace(option, most=legal)


def candidates(state: State, actor: str) -> Iterator[Option]:
    """Every action that could be legal for this actor, and some that are not."""
    now = state.round
    if actor in state.cash:
        yield from _exchanges(state, actor)
    if isinstance(now, Auction):
        yield from _in_auction(state, now, actor)
    elif isinstance(now, Stock):
        yield from _in_stock_round(state, actor)
    elif actor in state.corporations:
        yield from _operating(state, now, state.corporations[actor])
    else:
        yield from _sales(state, actor)
        yield Option(Bankrupt(actor))


def _exchanges(state: State, player: str) -> Iterator[Option]:
    for name, owner in state.owners.items():
        if owner == player and state.title.privates[name].exchange:
            for source in SOURCES:
                yield Option(ExchangePrivate(player, name, source))


def _in_auction(state: State, now: Auction, player: str) -> Iterator[Option]:
    if player not in state.cash:
        return
    if now.naming:
        for price in state.title.par_cells:
            yield Option(Par(player, now.naming, price))
        return
    for name in state.unsold:
        private = state.title.privates[name]
        if name == state.unsold[0] and not now.contest:
            yield Option(Bid(player, name, auction.price(state, now, private)))
        else:
            least = auction.least_bid(state, now, private)
            most = auction.free_cash(state, now, player, name)
            yield Option(Bid(player, name, least), most)
    yield Option(Pass(player))


def _in_stock_round(state: State, player: str) -> Iterator[Option]:
    if player not in state.cash:
        return
    yield from _sales(state, player)
    for one in state.corporations.values():
        if one.par:
            for source in SOURCES:
                yield Option(BuyShare(player, one.id, source))
        else:
            for price in state.title.par_cells:
                yield Option(Par(player, one.id, price))
    for name, owner in state.owners.items():
        if owner in state.cash:
            yield Option(BuyPrivate(player, name, 1), state.cash[player])
    yield Option(Pass(player))


def _sales(state: State, player: str) -> Iterator[Option]:
    for one in state.corporations.values():
        for shares in range(1, one.held.get(player, 0) + 1):
            yield Option(SellShares(player, one.id, shares))


def _operating(state: State, now: Operating, one: Corporation) -> Iterator[Option]:
    if now.choosing:
        _, hex_id = now.choosing
        for city in state.board[hex_id].cities:
            yield Option(PlaceToken(one.id, hex_id, city))
        return
    if now.discarding:
        for kind in sorted(set(one.trains)):
            yield Option(DiscardTrain(one.id, kind))
        return
    if now.order[now.index] != one.id:
        return
    yield from _lays(state, now, one)
    yield from _tokens(state, now, one)
    if now.step is Step.RUN:
        yield from _runs(state, one)
    yield Option(Dividend(one.id, "pay"))
    yield Option(Dividend(one.id, "withhold"))
    if now.step is Step.TRAINS:
        yield from _trains(state, now, one)
    for name, owner in state.owners.items():
        prices = state.title.privates[name].corporation_price
        if owner in state.cash and prices:
            yield Option(BuyPrivate(one.id, name, prices[0]), min(prices[1], one.cash))
    yield Option(Pass(one.id))


def _lays(state: State, now: Operating, one: Corporation) -> Iterator[Option]:
    for name, owner in state.owners.items():
        power = state.title.privates[name].tile_lay
        if owner == one.id and power:
            for tile in sorted(power.tiles):
                for rotation in range(6):
                    yield Option(LayTile(one.id, power.hex, tile, rotation, name))
    if now.step is not Step.TRACK:
        return
    for hexagon in reach(state, one.id).hexes(state):
        old = state.board[hexagon.id].tile
        for name in sorted(old.upgrades if old.count else hexagon.first_tiles):
            if allowed(track.check_tile, state, hexagon, state.title.tiles[name]):  # not six times
                for rotation in range(6):
                    yield Option(LayTile(one.id, hexagon.id, name, rotation))


def _tokens(state: State, now: Operating, one: Corporation) -> Iterator[Option]:
    if now.step is not Step.TOKEN:
        return
    for hex_id, city in sorted(reach(state, one.id).places(state)):
        yield Option(PlaceToken(one.id, hex_id, city))
    for name, owner in state.owners.items():
        token = state.title.privates[name].token
        if owner == one.id and token:
            for city in state.board[token.hex].cities:
                yield Option(PlaceToken(one.id, token.hex, city, name))


def _runs(state: State, one: Corporation) -> Iterator[Option]:
    """No run at all, and for the first train each run of two stops that has an own token."""
    yield Option(Run(one.id, ()))
    if one.trains:
        for place in one.tokens:
            if place[1] >= 0:
                for leg in onward(state, place):
                    yield Option(Run(one.id, (Route(one.trains[0], (leg,)),)))


def _trains(state: State, now: Operating, one: Corporation) -> Iterator[Option]:
    for train in trains.on_sale(state):
        yield Option(BuyTrain(one.id, train.id, "bank", train.price))
        for kind, off in train.trade_in.items():
            yield Option(BuyTrain(one.id, train.id, "bank", train.price - off, kind))
    for kind in sorted(set(state.pool)):
        yield Option(BuyTrain(one.id, kind, "pool", state.title.trains[kind].price))
    for other in state.corporations.values():
        if other is one:
            continue
        for kind in sorted(set(other.trains)):
            least, most = trains.price_range(state, now, one, state.title.trains[kind], other)
            yield Option(BuyTrain(one.id, kind, other.id, least), most)
