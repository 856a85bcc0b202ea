"""1830/S — the stock round (*turno azionario*): par, purchases, sales, private trades, passes."""

from __future__ import annotations

from . import auction, market, powers, shares
from .actions import BuyPrivate, BuyShare, ExchangePrivate, Par, Pass, SellShares
from .errors import IllegalAction, MalformedAction, Reason, allowed
from .state import PRESIDENCY, Corporation, State, Stock
from .title import Exchange, PrivateTrade


def corporation_named(state: State, symbol: str) -> Corporation:
    """The corporation of that symbol; `MalformedAction` if there is none."""
    corporation = state.corporations.get(symbol)
    if corporation is None:
        raise MalformedAction("corporation", symbol, "a corporation")
    return corporation


def check_turn(state: State, stock: Stock, player: str) -> None:
    """1830/S-1 — only the player whose turn it is."""
    if player not in state.cash and player not in state.corporations:
        raise MalformedAction("actor", player, "a player")
    turn = state.players[stock.turn]
    if player != turn:
        raise IllegalAction(Reason.NOT_YOUR_TURN, "1830/S-1", actor=player, turn=turn)


def check_obligation(state: State, player: str) -> None:
    """1830/S-15 — above a limit one must sell first, as far as sales bring one down."""
    above, over = shares.excess(state, player)
    if not (above or over) or state.turn == 1:
        return
    if any(
        allowed(shares.check_sale, state, player, one, 1)
        for one in state.corporations.values()
        if one.id in over or (above and not state.is_exempt(one))
    ):
        raise IllegalAction(
            Reason.MUST_SELL,
            "1830/S-15",
            held=state.certificates(player),
            limit=state.certificate_limit,
            corporations=over,
        )


def check_purchase(state: State, stock: Stock, player: str, corporation: Corporation) -> None:
    """What every purchase of shares asks: turn, no excess, not sold in this round (S-6)."""
    check_turn(state, stock, player)
    check_obligation(state, player)
    if corporation.id in stock.sold.get(player, ()):
        raise IllegalAction(Reason.SOLD_THIS_ROUND, "1830/S-6", corporation=corporation.id)


def check_par(state: State, stock: Stock, action: Par) -> None:
    """1830/S-8 — to buy the president's certificate at a par price one chooses."""
    corporation = corporation_named(state, action.corporation)
    check_purchase(state, stock, action.actor, corporation)
    if stock.bought is not None:
        raise IllegalAction(Reason.ONE_PURCHASE, "1830/S-4")
    if corporation.par:
        raise IllegalAction(Reason.ALREADY_PARRED, "1830/S-8", corporation=corporation.id)
    auction.check_par_price(state, action.price)
    cost = action.price * PRESIDENCY
    if cost > state.cash[action.actor]:
        raise IllegalAction(Reason.NO_MONEY, "1830/S-8", cash=state.cash[action.actor], price=cost)
    shares.check_gain(state, action.actor, corporation, PRESIDENCY)


def par(state: State, stock: Stock, action: Par) -> None:
    corporation = state.corporations[action.corporation]
    market.place(state, corporation, action.price)
    state.pay_bank(action.actor, action.price * PRESIDENCY)
    shares.take(state, action.actor, corporation, "ipo", PRESIDENCY)
    stock.bought = (corporation.id, "par")
    _acted(stock, action.actor)


def check_buy(state: State, stock: Stock, action: BuyShare) -> None:
    """1830/S-7, S-10..S-13 — to buy one certificate from the offering at par, or from the pool at
    the market price."""
    corporation = corporation_named(state, action.corporation)
    if action.source not in {"ipo", "pool"}:
        raise MalformedAction("source", action.source, "ipo or pool")
    check_purchase(state, stock, action.actor, corporation)
    if not corporation.par:
        raise IllegalAction(Reason.NOT_PARRED, "1830/S-10", corporation=corporation.id)
    if stock.bought is not None:
        check_several(state, stock, corporation, action.source)
    shares.check_source(corporation, action.source, 1)
    cost = share_price(state, corporation, action.source)
    if cost > state.cash[action.actor]:
        raise IllegalAction(Reason.NO_MONEY, "1830/S-7", cash=state.cash[action.actor], price=cost)
    shares.check_gain(state, action.actor, corporation, 1)


def share_price(state: State, corporation: Corporation, source: str) -> int:
    """1830/S-7 — par in the offering, the market price in the pool."""
    return (corporation.par or 0) if source == "ipo" else state.price(corporation)


def check_several(state: State, stock: Stock, corporation: Corporation, source: str) -> None:
    """1830/S-11 — a second purchase in one turn: of the same brown corporation, from the pool."""
    same, before = stock.bought or ("", "")
    sources = {"pool", "ipo"} if state.title.switches.multiple_brown_from_ipo else {"pool"}
    if (
        same != corporation.id
        or not state.cell(corporation).several_purchases
        or not {source, before} <= sources
    ):
        raise IllegalAction(Reason.ONE_PURCHASE, "1830/S-11")


def buy(state: State, stock: Stock, action: BuyShare) -> None:
    corporation = state.corporations[action.corporation]
    state.pay_bank(action.actor, share_price(state, corporation, action.source))
    shares.take(state, action.actor, corporation, action.source)
    stock.bought = (corporation.id, action.source)
    _acted(stock, action.actor)


def check_sell(state: State, stock: Stock, action: SellShares) -> None:
    """1830/S-5, S-18 — to sell a block, from the second stock round on."""
    corporation = corporation_named(state, action.corporation)
    check_turn(state, stock, action.actor)
    if state.turn == 1:
        raise IllegalAction(Reason.NO_SALES_YET, "1830/S-5")
    shares.check_sale(state, action.actor, corporation, action.shares)


def sell(state: State, stock: Stock, action: SellShares) -> None:
    corporation = state.corporations[action.corporation]
    shares.sell(state, action.actor, corporation, action.shares)
    sold = stock.sold.get(action.actor, frozenset())
    stock.sold[action.actor] = sold | {corporation.id}
    _acted(stock, action.actor)


def check_buy_private(state: State, stock: Stock, action: BuyPrivate) -> None:
    """1830/V-3, FIGF-Z-02 — to buy a private from another player, after the first stock round."""
    if action.private not in state.title.privates:
        raise MalformedAction("private", action.private, "a private")
    owner = state.owners.get(action.private)
    if owner is None or owner not in state.cash or owner == action.actor:
        raise IllegalAction(Reason.PRIVATE_NOT_HELD, "1830/V-3", private=action.private)
    if state.turn == 1:
        raise IllegalAction(Reason.NOT_BETWEEN_PLAYERS, "1830/V-3", private=action.private)
    if action.actor not in state.cash:
        raise MalformedAction("actor", action.actor, "a player")
    if state.title.switches.private_trade is PrivateTrade.PURCHASE:
        _check_as_purchase(state, stock, action)
    else:
        _check_beside_purchase(state, stock, action, owner)
    cash = state.cash[action.actor]
    if not 1 <= action.price <= cash:
        raise IllegalAction(
            Reason.PRICE_OUT_OF_RANGE, "1830/V-3", price=action.price, least=1, most=cash
        )


def _check_as_purchase(state: State, stock: Stock, action: BuyPrivate) -> None:
    """1830/V-3 — the buyer's turn, and its one purchase; never the B&O, as on 18xx.games."""
    check_turn(state, stock, action.actor)
    check_obligation(state, action.actor)
    if not state.title.privates[action.private].corporation_price:
        raise IllegalAction(Reason.NOT_BETWEEN_PLAYERS, "1830/V-3", private=action.private)
    if stock.bought is not None:
        raise IllegalAction(Reason.ONE_PURCHASE, "1830/V-3")


def _check_beside_purchase(state: State, stock: Stock, action: BuyPrivate, owner: str) -> None:
    """FIGF-Z-02, Z-10 — the turn of buyer or seller; the private counts as a certificate."""
    turn = state.players[stock.turn]
    if turn not in {action.actor, owner}:
        raise IllegalAction(Reason.NOT_YOUR_TURN, "FIGF-Z-02", actor=action.actor, turn=turn)
    check_obligation(state, action.actor)
    held = state.certificates(action.actor) + 1
    if held > state.certificate_limit:
        raise IllegalAction(
            Reason.CERTIFICATE_LIMIT, "FIGF-Z-10", held=held, limit=state.certificate_limit
        )


def buy_private(state: State, stock: Stock, action: BuyPrivate) -> None:
    seller = state.owners[action.private]
    state.cash[action.actor] -= action.price
    state.cash[seller] += action.price
    state.owners[action.private] = action.actor
    if state.title.switches.private_trade is PrivateTrade.PURCHASE:
        stock.bought = ("", "")
    _acted(stock, state.players[stock.turn])


def check_pass(state: State, stock: Stock, action: Pass) -> None:
    """1830/S-1, S-15 — to do nothing, or nothing more; not while one must sell."""
    check_turn(state, stock, action.actor)
    check_obligation(state, action.actor)


def do_pass(state: State, stock: Stock, action: Pass) -> None:
    _end_turn(state, stock)


def _acted(stock: Stock, player: str) -> None:
    """1830/S-3 — the priority will go to the left of who last bought or sold."""
    stock.acted = True
    stock.last_actor = player


def advance(state: State, stock: Stock) -> bool:
    """Pass over who can do nothing; whether the round is finished: everybody passed (1830/S-2)."""
    everybody = len(state.players)
    while stock.passes < everybody and not can_act(state, stock, state.players[stock.turn]):
        _end_turn(state, stock)
    return stock.passes == everybody


def _end_turn(state: State, stock: Stock) -> None:
    stock.passes = 0 if stock.acted else stock.passes + 1
    stock.acted = False
    stock.bought = None
    stock.turn = (stock.turn + 1) % len(state.players)


def finish(state: State, stock: Stock) -> None:
    """1830/S-3, P-5 — the sold-out rise; the priority goes left of who last bought or sold."""
    market.rise_of_the_sold_out(state)
    if stock.last_actor:
        state.priority = (state.players.index(stock.last_actor) + 1) % len(state.players)


# --- whether there is anything to do --------------------------------------------------------------


def can_sell(state: State, player: str) -> bool:
    """Whether any block may be sold in this stock round."""
    return state.turn > 1 and any(
        allowed(shares.check_sale, state, player, one, 1)
        for one in state.corporations.values()
        if player in one.held
    )


def can_act(state: State, stock: Stock, player: str) -> bool:
    """Whether the player whose turn it is has anything but a pass."""
    return (
        can_sell(state, player)
        or any(
            allowed(check_buy, state, stock, BuyShare(player, one.id, source))
            for one in state.corporations.values()
            if one.par and (stock.bought is None or stock.bought[0] == one.id)
            for source in ("ipo", "pool")
            if (one.ipo if source == "ipo" else one.pool)
        )
        or can_par(state, stock, player)
        or can_trade(state, stock, player)
        or can_exchange(state, stock, player)
    )


def can_exchange(state: State, stock: Stock, player: str) -> bool:
    """FIGF-Z-07 — whether the player may swap a private for a share: his stock turn waits for it.

    On 18xx.games it does not: there he may swap at any moment.
    """
    return state.title.switches.exchange is Exchange.BETWEEN_TURNS and any(
        allowed(powers.check_exchange, state, stock, ExchangePrivate(player, private, source))
        for private, owner in state.owners.items()
        if owner == player and state.title.privates[private].exchange
        for source in ("ipo", "pool")
    )


def can_par(state: State, stock: Stock, player: str) -> bool:
    """Whether some corporation can be parred at the lowest price."""
    lowest = min(state.title.par_cells)
    return (
        stock.bought is None
        and state.cash[player] >= lowest * PRESIDENCY
        and any(
            allowed(check_par, state, stock, Par(player, one.id, lowest))
            for one in state.corporations.values()
            if not one.par
        )
    )


def can_trade(state: State, stock: Stock, player: str) -> bool:
    """Whether a private can change hands in this player's turn, for one dollar: to him, or from him
    where the turn of either will do (FIGF-Z-02)."""
    return any(
        allowed(check_buy_private, state, stock, BuyPrivate(buyer, private, 1))
        for private, owner in state.owners.items()
        if owner in state.cash
        for buyer in (state.players if owner == player else (player,))
        if state.cash[buyer]
    )
