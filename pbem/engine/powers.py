"""1830/V-9 — a private that becomes a share (the Mohawk & Hudson), in any round."""

from __future__ import annotations

from . import shares
from .actions import ExchangePrivate
from .errors import IllegalAction, MalformedAction, Reason
from .state import Auction, Operating, State, Step, Stock
from .title import Exchange


def check_exchange(state: State, now: Auction | Stock | Operating, action: ExchangePrivate) -> None:
    """1830/V-9, Z-20, FIGF-Z-07 — its owner, a player, swaps it for 10% of its corporation.

    At most 60% after it, where the FIGF plays whatever the zone. The certificate limit is not
    tested, for one certificate leaves and one comes. Between turns, or in the owner's own stock
    turn, where the FIGF plays; whenever he likes on 18xx.games.
    """
    private = state.title.privates.get(action.private)
    if private is None:
        raise MalformedAction("private", action.private, "a private")
    if action.actor not in state.cash:
        raise MalformedAction("actor", action.actor, "a player")
    if action.source not in {"ipo", "pool"}:
        raise MalformedAction("source", action.source, "ipo or pool")
    if private.exchange is None:
        raise IllegalAction(Reason.NO_POWER, "1830/V-9", private=private.id)
    if state.owners.get(private.id) != action.actor:
        raise IllegalAction(Reason.PRIVATE_NOT_HELD, "1830/V-9", private=private.id)
    if isinstance(now, Auction):
        raise IllegalAction(Reason.WRONG_ROUND, "1830/A-16", round="auction")
    if state.title.switches.exchange is Exchange.BETWEEN_TURNS and not _between_turns(
        state, now, action.actor
    ):
        raise IllegalAction(Reason.BETWEEN_TURNS, "FIGF-Z-07", private=private.id)
    corporation = state.corporations[private.exchange.corporation]
    shares.check_source(corporation, action.source, 1)
    everywhere = state.title.switches.exchange is Exchange.BETWEEN_TURNS
    shares.check_holding(state, action.actor, corporation, 1, everywhere=everywhere)


def _between_turns(state: State, now: Stock | Operating, player: str) -> bool:
    if isinstance(now, Stock):
        return not now.acted or state.players[now.turn] == player
    return not now.begun and now.step <= Step.TRACK


def exchange(state: State, now: Auction | Stock | Operating, action: ExchangePrivate) -> None:
    private = state.title.privates[action.private]
    del state.owners[private.id]
    if private.exchange:
        corporation = state.corporations[private.exchange.corporation]
        shares.take(state, action.actor, corporation, action.source)
