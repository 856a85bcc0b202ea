"""1830/N, E, H — trains: who may buy which, phases, rust, the forced purchase, bankruptcy."""

from __future__ import annotations

from . import market, shares
from .actions import Bankrupt, BuyTrain, DiscardTrain, SellShares
from .errors import IllegalAction, MalformedAction, Reason, allowed
from .reach import reach
from .state import PRESIDENCY, Corporation, Operating, State, Step
from .title import DiscardOrder, Rescue, Train


def on_sale(state: State) -> list[Train]:
    """1830/N-1 — the kinds on sale in the bank: the first that is left, and a diesel beside it
    from the first 6 on."""
    found: list[Train] = []
    for train in state.title.trains.values():
        beside = train.beside_from is not None and state.phase >= train.beside_from
        if state.depot[train.id] != 0 and (not found or beside):
            found.append(train)
    return found


def cheapest(state: State) -> Train | None:
    """1830/E-2 — the cheapest train of bank and pool; None if neither has one."""
    trains = [*on_sale(state), *(state.title.trains[name] for name in state.pool)]
    return min(trains, key=lambda train: train.price, default=None)


def must_buy(state: State, corporation: Corporation) -> bool:
    """1830/N-9 — without a train, with a route, and with a train on sale."""
    return (
        not corporation.trains
        and reach(state, corporation.id).has_route(state)
        and cheapest(state) is not None
    )


def in_emergency(state: State, corporation: Corporation) -> bool:
    """1830/E-1 — obliged to buy, and the treasury does not reach the cheapest."""
    least = cheapest(state)
    return least is not None and corporation.cash < least.price and must_buy(state, corporation)


def can_buy(state: State, corporation: Corporation) -> bool:
    """Whether the step of trains waits: something can be bought, or must be."""
    room = len(corporation.trains) < state.title.phases[state.phase].limit
    least = cheapest(state)
    if room:
        if least and corporation.cash >= least.price:
            return True
        if corporation.cash and any(
            other.trains for other in state.corporations.values() if other is not corporation
        ):
            return True
    if any(
        train.price - off <= corporation.cash
        for train in on_sale(state)
        for kind, off in train.trade_in.items()
        if kind in corporation.trains
    ):
        return True
    return must_buy(state, corporation)


def check_buy(state: State, turn: Operating, action: BuyTrain) -> None:
    """1830/N-1..N-6, E-1..E-3 — a train from the bank, the pool or another corporation."""
    train = state.title.trains.get(action.train)
    if train is None:
        raise MalformedAction("train", action.train, "a kind of train")
    corporation = state.corporations[action.actor]
    if turn.step is not Step.TRAINS:
        raise IllegalAction(Reason.WRONG_STEP, "1830/O-5", step=turn.step.name.lower())
    seller = state.corporations.get(action.source)
    if seller is None and action.source not in {"bank", "pool"}:
        raise MalformedAction("source", action.source, "bank, pool or a corporation")
    if (
        seller is corporation
        or (seller is not None and train.id not in seller.trains)
        or (action.source == "pool" and train.id not in state.pool)
        or (action.source == "bank" and train not in on_sale(state))
    ):
        raise IllegalAction(
            Reason.TRAIN_NOT_FOR_SALE, "1830/N-1", train=train.id, source=action.source
        )
    limit = state.title.phases[state.phase].limit
    if action.exchange is not None:
        _check_trade_in(corporation, train, action)
    elif len(corporation.trains) >= limit:
        raise IllegalAction(
            Reason.TRAIN_LIMIT, "1830/N-6", held=len(corporation.trains), limit=limit
        )
    if seller is None:
        price = train.price - (train.trade_in[action.exchange] if action.exchange else 0)
        if action.price != price:
            raise IllegalAction(Reason.WRONG_PRICE, "1830/N-1", train=train.id, price=price)
        _check_money(state, corporation, price)
    else:
        _check_seller(state, corporation, seller)
        least, most = price_range(state, turn, corporation, train, seller)
        if not least <= action.price <= most:
            raise IllegalAction(
                Reason.PRICE_OUT_OF_RANGE,
                "1830/N-5",
                price=action.price,
                least=least,
                most=most,
            )


def _check_trade_in(corporation: Corporation, train: Train, action: BuyTrain) -> None:
    """1830/N-4 — a diesel of the bank, for a train that the corporation gives up."""
    if (
        action.source != "bank"
        or action.exchange not in train.trade_in
        or action.exchange not in corporation.trains
    ):
        raise IllegalAction(
            Reason.NO_TRADE_IN, "1830/N-4", train=train.id, exchange=action.exchange
        )


def _check_seller(state: State, corporation: Corporation, seller: Corporation) -> None:
    """FIGF-Q-04, Q-05 — to be saved from bankruptcy, first by a corporation of one's own."""
    own = own_trains(state, corporation)
    if own and seller.id not in own and is_failing(state, corporation):
        raise IllegalAction(Reason.OWN_TRAIN_FIRST, "FIGF-Q-04", corporations=own)


def _check_money(state: State, corporation: Corporation, price: int) -> None:
    """1830/E-1, E-2 — from the treasury; with the president's help the cheapest only."""
    if price <= corporation.cash:
        return
    if not in_emergency(state, corporation):
        raise IllegalAction(Reason.NO_MONEY, "1830/E-1", cash=corporation.cash, price=price)
    least = cheapest(state)
    if least and price > least.price:
        raise IllegalAction(Reason.MUST_BUY_CHEAPEST, "1830/E-2", train=least.id)
    cash = corporation.cash + state.cash[corporation.president or ""]
    if price > cash:
        raise IllegalAction(Reason.NO_MONEY, "1830/E-4", cash=cash, price=price)


def price_range(
    state: State,
    turn: Operating,
    corporation: Corporation,
    train: Train,
    seller: Corporation,
) -> tuple[int, int]:
    """1830/N-5, E-3, FIGF-Q-05, Q-06 — the least and the most that another corporation may be paid.

    The treasury alone pays any price. In a forced purchase the president may help, up to the
    printed price, and not with money raised by a sale that the price did not need. Where only that
    train would save him from bankruptcy, whatever he has sold for the bank's, one offered by
    another player costs 1 (*non permanente*), or at most the printed price and the treasury
    (*permanente*).
    """
    most = corporation.cash
    least = 1
    if in_emergency(state, corporation):
        president = corporation.president or ""
        most = max(most, min(train.price, corporation.cash + state.cash[president]))
        if not is_failing(state, corporation):
            least = 1 if turn.raised is None else turn.raised + 1
        elif seller.president != president:
            most = min(most, min(train.price, corporation.cash) if train.permanent else 1)
    return least, most


def is_failing(state: State, corporation: Corporation) -> bool:
    """FIGF-Q-04, Q-05 — obliged to buy, and bankrupt but for a train of another corporation."""
    return (
        state.title.switches.rescue is Rescue.FIGF
        and in_emergency(state, corporation)
        and cannot_pay(state, corporation)
    )


def own_trains(state: State, corporation: Corporation) -> list[str]:
    """FIGF-Q-04 — its president's other corporations that have a train."""
    return [
        other.id
        for other in state.corporations.values()
        if other is not corporation and other.president == corporation.president and other.trains
    ]


def buy(state: State, turn: Operating, action: BuyTrain) -> None:
    """Payment, then phase, rust, closing and discards (H-2); the president pays what lacks."""
    corporation = state.corporations[action.actor]
    seller = state.corporations.get(action.source)
    help_needed = max(0, action.price - corporation.cash)
    if help_needed:
        president = corporation.president or ""
        state.cash[president] -= help_needed
        corporation.cash += help_needed
    if seller is not None:
        corporation.cash -= action.price
        seller.cash += action.price
        seller.trains.remove(action.train)
    else:
        state.pay_bank(corporation, action.price)
        if action.source == "pool":
            state.pool.remove(action.train)
        else:
            left = state.depot[action.train]
            state.depot[action.train] = left - 1 if left is not None else None
    if action.exchange is not None:
        corporation.trains.remove(action.exchange)
        state.pool.append(action.exchange)
    corporation.trains.append(action.train)
    turn.raised = None
    _close_with(state, corporation)
    if action.source == "bank":
        _begin_phase(state, turn, action.train)


def _close_with(state: State, corporation: Corporation) -> None:
    """1830/V-11, FIGF-Z-09 — a private that closes with its corporation's first train."""
    if not corporation.bought_a_train:
        corporation.bought_a_train = True
        for private in state.title.privates.values():
            if private.closes_with == corporation.id:
                state.owners.pop(private.id, None)


def _begin_phase(state: State, turn: Operating, kind: str) -> None:
    """1830/H-1, H-2, N-7, FIGF-Z-03, Z-16, Z-17, Z-18, Z-19, Z-20 — the first train of a kind.

    Trains rust, privates close, and who is above the new limit is to discard.
    """
    following = state.phase + 1
    phases = state.title.phases
    if following == len(phases) or phases[following].trigger != kind:
        return
    state.phase = following
    rusting = [train.id for train in state.title.trains.values() if train.rusts_on == kind]
    for corporation in state.corporations.values():
        corporation.trains = [one for one in corporation.trains if one not in rusting]
    state.pool = [one for one in state.pool if one not in rusting]
    for one in rusting:
        state.depot[one] = 0
    if phases[following].privates_closed:
        state.owners.clear()
    limit = phases[following].limit
    above = [one.id for one in state.corporations.values() if len(one.trains) > limit]
    if state.title.switches.discard_order is DiscardOrder.OPERATING:
        above.sort(key=[*turn.order, *above].index)  # of this round, as it now stands
    turn.discarding = above


def check_discard(state: State, turn: Operating, action: DiscardTrain) -> None:
    """1830/N-8 — who is above the limit gives a train of its president's choice to the pool."""
    if action.train not in state.title.trains:
        raise MalformedAction("train", action.train, "a kind of train")
    if not turn.discarding:
        raise IllegalAction(Reason.WRONG_STEP, "1830/N-8", step=turn.step.name.lower())
    if action.actor != turn.discarding[0]:
        raise IllegalAction(
            Reason.DECISION_PENDING, "1830/N-8", decision="discard", actor=turn.discarding[0]
        )
    if action.train not in state.corporations[action.actor].trains:
        raise IllegalAction(
            Reason.NO_SUCH_TRAIN, "1830/N-8", train=action.train, corporation=action.actor
        )


def discard(state: State, turn: Operating, action: DiscardTrain) -> None:
    corporation = state.corporations[action.actor]
    corporation.trains.remove(action.train)
    state.pool.append(action.train)
    if len(corporation.trains) <= state.title.phases[state.phase].limit:
        turn.discarding.pop(0)


# --- the president's money ------------------------------------------------------------------------


def missing(state: State, corporation: Corporation) -> int:
    """1830/E-4 — what treasury and president lack for the cheapest train."""
    least = cheapest(state)
    cash = corporation.cash + state.cash[corporation.president or ""]
    return max(0, (least.price if least else 0) - cash)


def check_sale(state: State, turn: Operating, action: SellShares) -> None:
    """1830/E-4, E-5, FIGF-Q-01 — the president sells for the train, no more than needed, keeps the
    presidency of the corporation that buys, and does not sell himself into bankruptcy."""
    operating = state.corporations[turn.order[turn.index]]
    sold = state.corporations.get(action.corporation)
    if sold is None:
        raise MalformedAction("corporation", action.corporation, "a corporation")
    if turn.step is not Step.TRAINS or not in_emergency(state, operating):
        raise IllegalAction(Reason.NO_NEED_TO_SELL, "1830/E-4", missing=0)
    if action.actor != operating.president:
        raise IllegalAction(
            Reason.NOT_YOUR_TURN, "1830/E-4", actor=action.actor, turn=operating.president
        )
    lacking = missing(state, operating)
    if not lacking:
        raise IllegalAction(Reason.NO_NEED_TO_SELL, "1830/E-4", missing=0)
    check_legal_sale(state, operating, action.actor, sold, action.shares)
    if state.price(sold) * (action.shares - 1) >= lacking:
        raise IllegalAction(Reason.MORE_THAN_NEEDED, "1830/E-5", missing=lacking)
    if state.title.switches.rescue is Rescue.FIGF:
        after = state.copy()
        shares.sell(after, action.actor, after.corporations[sold.id], action.shares)
        _check_still_saved(state, operating, after)


def _check_still_saved(state: State, operating: Corporation, after: State) -> None:
    """FIGF-Q-01, Q-04 — nothing may be done that leads who could pay, or buy of a corporation of
    his own, into bankruptcy: `after` is the position that it would lead to."""
    failing = cannot_pay(after, after.corporations[operating.id])
    if failing and not cannot_pay(state, operating):
        raise _can_still_pay(state, operating, "FIGF-Q-01")
    own = own_trains(state, operating)
    if failing and own and not own_trains(after, after.corporations[operating.id]):
        raise IllegalAction(Reason.OWN_TRAIN_FIRST, "FIGF-Q-04", corporations=own)


def check_spending(state: State, turn: Operating, operating: Corporation, after: State) -> None:
    """FIGF-Q-01 — a corporation that must buy a train does not spend what it needs for it."""
    if (
        state.title.switches.rescue is Rescue.FIGF
        and turn.step is Step.TRAINS
        and must_buy(state, operating)
    ):
        _check_still_saved(state, operating, after)


def _can_still_pay(state: State, corporation: Corporation, clause: str) -> IllegalAction:
    least = cheapest(state)
    return IllegalAction(
        Reason.CAN_STILL_PAY,
        clause,
        raised=corporation.cash + liquidity(state, corporation),
        price=least.price if least else 0,
    )


def check_legal_sale(
    state: State, operating: Corporation, player: str, sold: Corporation, tenths: int
) -> None:
    """1830/E-5 — the limits of any sale; and the operating corporation keeps its president."""
    shares.check_sale(state, player, sold, tenths)
    if sold is operating and tenths > _spare(operating):
        raise IllegalAction(Reason.KEEP_PRESIDENCY, "1830/E-5", corporation=operating.id)


def _spare(operating: Corporation) -> int:
    """How many tenths the president may sell and remain president."""
    others = (n for one, n in operating.held.items() if one != operating.president)
    least = max(PRESIDENCY, max(others, default=0))
    return operating.held[operating.president or ""] - least


def sell(state: State, turn: Operating, action: SellShares) -> None:
    operating = state.corporations[turn.order[turn.index]]
    sold = state.corporations[action.corporation]
    lost = state.price(sold)
    shares.sell(state, action.actor, sold, action.shares)
    turn.raised = operating.cash + state.cash[action.actor] - lost
    rest = turn.order[turn.index + 1 :]
    turn.order[turn.index + 1 :] = market.in_operating_order(state, rest)  # 1830/O-4


def most_saleable(state: State, operating: Corporation, player: str, sold: Corporation) -> int:
    """The largest block that the president may legally sell, needed or not; smaller ones he may
    sell too."""
    blocks = range(sold.held.get(player, 0), 0, -1)
    return next(
        (n for n in blocks if allowed(check_legal_sale, state, operating, player, sold, n)), 0
    )


def liquidity(state: State, operating: Corporation) -> int:
    """1830/E-7 — the president's cash and all that he may legally sell."""
    player = operating.president or ""
    return state.cash[player] + sum(
        most_saleable(state, operating, player, one) * state.price(one)
        for one in state.corporations.values()
    )


def cannot_pay(state: State, corporation: Corporation) -> bool:
    """1830/E-7 — treasury, cash and sales together do not reach the cheapest train."""
    least = cheapest(state)
    return least is not None and (corporation.cash + liquidity(state, corporation) < least.price)


def check_bankrupt(state: State, turn: Operating, action: Bankrupt) -> None:
    """1830/E-7, E-8, FIGF-Q-01, Q-04 — only who cannot pay, whatever he sells; and not while a
    corporation of his own could sell the train."""
    corporation = state.corporations[turn.order[turn.index]]
    if action.actor not in state.cash:
        raise MalformedAction("actor", action.actor, "a player")
    if action.actor != corporation.president:
        raise IllegalAction(
            Reason.NOT_YOUR_TURN, "1830/E-7", actor=action.actor, turn=corporation.president
        )
    if turn.step is not Step.TRAINS or not in_emergency(state, corporation):
        raise IllegalAction(Reason.NO_NEED_TO_SELL, "1830/E-7", missing=0)
    if not cannot_pay(state, corporation):
        raise _can_still_pay(state, corporation, "1830/E-8")
    own = own_trains(state, corporation)
    money = corporation.cash + liquidity(state, corporation)
    if own and money and is_failing(state, corporation):
        raise IllegalAction(Reason.OWN_TRAIN_FIRST, "FIGF-Q-04", corporations=own)


def bankrupt(state: State, turn: Operating, action: Bankrupt) -> None:
    """1830/E-7, X-1, Z-11 — he sells all he may, his cash goes to the bank, the game ends."""
    operating = state.corporations[turn.order[turn.index]]
    parred = [one.id for one in state.corporations.values() if one.par]
    for symbol in market.in_operating_order(state, parred):
        sold = state.corporations[symbol]
        most = most_saleable(state, operating, action.actor, sold)
        if most:
            shares.sell(state, action.actor, sold, most)
    state.pay_bank(action.actor, state.cash[action.actor])
    state.bankrupt = action.actor
    state.over = "bankruptcy"
