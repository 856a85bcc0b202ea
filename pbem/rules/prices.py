"""Prices that nobody refuses and that the referees look at (*prezzo "politico"*)."""

from __future__ import annotations

from fractions import Fraction

from pbem.engine.actions import Action, BuyTrain
from pbem.engine.state import State
from pbem.engine.trains import is_failing

POLITICAL = Fraction(1, 2)  # of the face value: below it, the referees are told


def political_price(price: int, face: int, share: Fraction = POLITICAL) -> bool:
    """Q-02 — "a prezzo politico": less than half of the train's face value.

    Both in dollars, from 1 (X-13). Half exactly is none. It is told to the referees and refused by
    nobody.

    >>> political_price(89, 180), political_price(90, 180)
    (True, False)
    """
    return price < face * share


def sold_at_political_price(state: State, action: Action) -> bool:
    """Whether an action, legal in `state`, sells a train at such a price to a corporation that
    another player presides over (Q-02).

    Not what saves a president from bankruptcy, whose price the regulation itself keeps low (Q-05).
    """
    if not isinstance(action, BuyTrain) or action.source not in state.corporations:
        return False
    buyer, seller = state.corporations[action.actor], state.corporations[action.source]
    return (
        buyer.president != seller.president
        and political_price(action.price, state.title.trains[action.train].price)
        and not is_failing(state, buyer)
    )
