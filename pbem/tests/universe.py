"""Everything that anybody could try at a position: finite, and made without asking the rules."""

from __future__ import annotations

from collections.abc import Iterator

from pbem.engine.actions import (
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
    Run,
    SellShares,
)
from pbem.engine.state import State

PARS = (60, 67, 71, 76, 82, 90, 100, 112)


def universe(state: State, actor: str, everywhere: bool = True) -> Iterator[Action]:
    """All hexes, tiles and rotations; all shares and sources; all trains and sellers; amounts at
    the ends of what could be their ranges and one beyond. Of runs, none but the empty one.

    Not `everywhere`: tiles and tokens in a few hexes only, for whoever could lay none anyway.
    """
    yield Pass(actor)
    yield Bankrupt(actor)
    for symbol in state.corporations:
        yield from (Par(actor, symbol, price) for price in PARS)
        yield from (BuyShare(actor, symbol, source) for source in ("ipo", "pool"))
        yield from (SellShares(actor, symbol, shares) for shares in range(11))
    for name, private in state.title.privates.items():
        yield from (ExchangePrivate(actor, name, source) for source in ("ipo", "pool"))
        amounts = {0, 1, -(-private.face // 2) - 1, -(-private.face // 2), 2 * private.face}
        amounts |= {2 * private.face + 1, *(purse(state, actor))}
        yield from (BuyPrivate(actor, name, price) for price in sorted(amounts))
        amounts = {private.face - 5, private.face, private.face + 4, private.face + 5}
        amounts |= {bid + step for bid in bids(state, name) for step in (4, 5)}
        amounts |= purse(state, actor)
        yield from (Bid(actor, name, price) for price in sorted(amounts))
    hexes = list(state.title.hexes) if everywhere else ["B20", "E11", "F16", "H10"]
    yield from _as_corporation(state, actor, hexes)


def purse(state: State, actor: str) -> set[int]:
    """What the actor has, less what he may have bid elsewhere, and one more of each."""
    cash = state.cash[actor] if actor in state.cash else state.corporations[actor].cash
    amounts = {cash}
    for private in state.title.privates:
        mine = getattr(state.round, "bids", {}).get(private, {}).get(actor)
        amounts |= {amount - mine for amount in amounts} if mine else set()
    return amounts | {amount + 1 for amount in amounts}


def bids(state: State, private: str) -> list[int]:
    return list(getattr(state.round, "bids", {}).get(private, {}).values())


def _as_corporation(state: State, actor: str, hexes: list[str]) -> Iterator[Action]:
    yield from _on_the_map(state, actor, hexes)
    yield Run(actor, ())
    yield from (Dividend(actor, kind) for kind in ("pay", "withhold"))
    yield from (DiscardTrain(actor, kind) for kind in state.title.trains)
    yield from _purchases(state, actor)


def _on_the_map(state: State, actor: str, hexes: list[str]) -> Iterator[Action]:
    for hex_id in hexes:
        for private in (None, *state.title.privates):
            yield from (PlaceToken(actor, hex_id, city, private) for city in (0, 1))
        for tile in state.title.tiles:
            yield from (LayTile(actor, hex_id, tile, turned) for turned in range(6))
    for hex_id in ("B20", "F16", "H10"):
        for tile in ("3", "4", "57", "58"):
            for private in ("SV", "CS", "DH"):
                yield from (LayTile(actor, hex_id, tile, turned, private) for turned in range(6))


def _purchases(state: State, actor: str) -> Iterator[Action]:
    one = state.corporations.get(actor)
    helped = one.cash + state.cash.get(one.president or "", 0) if one else 0
    for kind, train in state.title.trains.items():
        amounts = {0, 1, train.price - 300, train.price - 1, train.price, train.price + 1}
        amounts |= {one.cash, one.cash + 1, helped, helped + 1} if one else set()
        for source in ("bank", "pool", *state.corporations):
            yield from (BuyTrain(actor, kind, source, price) for price in sorted(amounts))
            for traded in state.title.trains:
                yield BuyTrain(actor, kind, source, train.price - 300, traded)
