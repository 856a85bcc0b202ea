"""Recorded turns as their players would have filled in the forms, field by field."""

from __future__ import annotations

from collections.abc import Sequence

from pbem.engine import Action, Game
from pbem.engine.actions import Bid, BuyPrivate, BuyShare, ExchangePrivate, Par, SellShares
from pbem.engine.state import Auction
from pbem.rules.turns import amount

from .turns_of_games import Turn

ROWS = 5
PLACES = {BuyShare: 1, Par: 1, BuyPrivate: 2, ExchangePrivate: 3}  # 0 and 4 are sales


def stock_data(turn: Turn, position: Game) -> list[dict[str, str]]:
    """A turn of the auction or of a stock round as the forms that say it, one after the other.

    `position` is where the turn begins. One form suffices for nearly all; what does not fit into
    it, or comes in another order, is in the next, and the field `more` says that one follows
    (V-08). A turn of the operating round in which a private is only exchanged can be told too.
    """
    if isinstance(position.state.round, Auction):
        return [_auction(turn)]
    acts = [one for one in turn.actions if one.verb != "pass"]
    if not acts:
        return [{"pass": "1"}]
    forms = [_form(part) for part in _parts(acts, position.copy())]
    for one in forms[:-1]:
        one["more"] = "1"
    if not turn.ends:
        forms[-1]["more"] = "1"
    return forms


def _auction(turn: Turn) -> dict[str, str]:
    form: dict[str, str] = {}
    for one in turn.actions:
        if isinstance(one, Bid):
            form |= {"choice": one.private, f"amount_{one.private}": str(one.price)}
        elif isinstance(one, Par):
            form |= {f"par_{form['choice']}" if form else "par": str(one.price)}
        else:
            form["choice"] = one.verb
    return form


Priced = tuple[Action, int]


def _parts(acts: Sequence[Action], game: Game) -> list[list[Priced]]:
    """The actions in the groups that one form can say, each with its sum."""
    parts: list[list[Priced]] = [[]]
    place = 0
    for one in acts:
        here = PLACES.get(type(one), 4 if place else 0)
        same = [other for other, _sum in parts[-1] if PLACES.get(type(other)) == here]
        sales = [other for other, _sum in parts[-1] if isinstance(other, SellShares)]
        full = len(sales) == ROWS if isinstance(one, SellShares) else bool(same)
        if isinstance(one, BuyShare) and same:
            full = same[-1] != one
        if here < place or full:
            parts.append([])
            here = PLACES.get(type(one), 0)
        place = here
        parts[-1].append((one, amount(game.state, one) or 0))
        game.apply(one)
    return parts


def _form(part: Sequence[Priced]) -> dict[str, str]:
    """One form; several certificates alike are one purchase."""
    form: dict[str, str] = {}
    sales = bought = spent = 0
    for one, sum_ in part:
        if isinstance(one, SellShares):
            sales += 1
            form |= {
                f"sale{sales}_corporation": one.corporation,
                f"sale{sales}_number": str(one.shares),
                f"sale{sales}_amount": str(sum_),
                f"sale{sales}_when": "after" if set(form) & {"buy", "trade", "exchange"} else "",
            }
        elif isinstance(one, BuyShare):
            bought, spent = bought + 1, spent + sum_
            form |= {"buy": f"{one.corporation}:{one.source}", "buy_amount": str(spent)}
            form |= {"buy_number": str(bought)} if bought > 1 else {}
        elif isinstance(one, Par):
            form |= {"buy": f"{one.corporation}:par", "buy_par": str(one.price)}
            form |= {"buy_amount": str(sum_)}
        elif isinstance(one, BuyPrivate):
            form |= {"trade": f"{one.private}:{one.actor}", "trade_price": str(one.price)}
        elif isinstance(one, ExchangePrivate):
            form |= {"exchange": f"{one.private}:{one.source}"}
    return form
