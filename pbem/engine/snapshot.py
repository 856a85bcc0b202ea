"""A position in the layout that recorded games of 18xx.games are compared in."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

from .auction import price
from .game import speaker
from .state import Auction, Corporation, Operating, State, Step, Stock
from .title import ErieCity
from .track import UNDECIDED
from .trains import on_sale


def snapshot(state: State, before: Mapping[str, Any] | None = None) -> dict[str, Any]:
    """The position in the layout that recorded games are compared in; `before` is the board of the
    state before, for the hexes changed."""
    now = state.round
    told: dict[str, Any] = {
        "turn": state.turn,
        "rnum": state.number if isinstance(now, Operating) else 1,
        "phase": state.title.phases[state.phase].id,
        "bank": state.bank,
        "cur": current(state),
        "pd": state.players[priority(state)],
        "players": {player: _player(state, player) for player in state.players},
        "corps": {one.id: _corporation(state, one) for one in state.corporations.values()},
        "tiles": {
            hex_id: [laid.tile.id, laid.rotation]
            for hex_id, laid in state.board.items()
            if before is not None and before[hex_id] is not laid
        },
        "depot": _depot(state),
    }
    if isinstance(now, Operating):
        told["order"] = now.order
    if isinstance(now, Auction):
        told["auction"] = _auction(state, now)
    return told


def current(state: State) -> str | None:
    """Who acts next, as the peer names them; None once the game is over."""
    if state.over:
        return None
    actor, _ = speaker(state)
    now = state.round
    if isinstance(now, Operating):
        if now.choosing and state.title.switches.erie_city is ErieCity.LAYER:
            actor = now.order[now.index]  # to the peer who lays the tile places the token
        elif private := placing(state):
            return f"company:{private}"
    return f"corporation:{actor}" if actor in state.corporations else f"player:{actor}"


def placing(state: State) -> str | None:
    """The private whose free token may be placed now: to the peer it is the private that acts."""
    now = state.round
    if not isinstance(now, Operating) or not now.power_hex or now.step is not Step.TOKEN:
        return None
    for private in state.title.privates.values():
        if private.token and private.token.hex == now.power_hex:
            return private.id
    return None


def priority(state: State) -> int:
    """The seat that would begin the next stock round, if everybody passed from here on."""
    now = state.round
    last = None
    if isinstance(now, Stock):
        last = now.last_actor
    elif isinstance(now, Auction):
        last = now.last_buyer
    if last is None:
        return state.priority
    return (state.players.index(last) + 1) % len(state.players)


def _player(state: State, player: str) -> dict[str, Any]:
    return {
        "cash": state.cash[player],
        "certs": state.certificates(player),
        "value": state.worth(player),
        "shares": {
            one.id: one.held[player] * 10
            for one in state.corporations.values()
            if player in one.held
        },
        "companies": [name for name, owner in state.owners.items() if owner == player],
    }


def _corporation(state: State, one: Corporation) -> dict[str, Any]:
    cell = state.cell(one) if one.par else None
    now = state.round
    held_up = isinstance(now, Operating) and now.choosing is not None and now.choosing[0] == one.id
    # while its city is chosen, a token is off the board to the peer
    tokens = [place for place in one.tokens if not (held_up and place[1] == UNDECIDED)]
    return {
        "cash": one.cash,
        "price": cell.price if cell else None,
        "coord": [cell.row, cell.column] if cell else None,
        "par": one.par,
        "ipo": one.ipo * 10,
        "mkt": one.pool * 10,
        "trains": one.trains,
        "tokens": [f"{place}:{max(city, 0)}" for place, city in tokens],
        "ntok": len(one.company.tokens) - len(tokens),
        "pres": one.president,
        "floated": one.floated,
    }


def _depot(state: State) -> dict[str, Any]:
    return {
        "avail": [train.id for train in on_sale(state)] + sorted(set(state.pool)),
        "left": [
            [kind, 1 if left is None else left]
            for kind, left in state.depot.items()
            if left is None or left
        ],
        "disc": state.pool,
    }


def _auction(state: State, now: Auction) -> dict[str, Any]:
    left = [[name, price(state, now, state.title.privates[name])] for name in state.unsold]
    return {
        "left": left,
        "bids": {
            name: [[who, bid] for who, bid in bids.items()] for name, bids in now.bids.items()
        },
    }
