"""1830/O, D, V — the operating round (*turno operativo*): whose turn, its steps, the dividends."""

from __future__ import annotations

from . import auction, market, routes, track, trains
from .actions import Action, BuyPrivate, DiscardTrain, Dividend, Pass, PlaceToken, Run
from .errors import IllegalAction, MalformedAction, Reason
from .reach import reach
from .state import Corporation, Operating, State, Step
from .title import SHARE


def begin_set(state: State) -> Operating:
    """1830/G-4 — as many operating rounds as the phase says when the set begins."""
    state.rounds = state.title.phases[state.phase].rounds
    state.number = 1
    return begin(state)


def begin(state: State) -> Operating:
    """1830/O-1, O-3 — privates pay, then the floated corporations stand in order."""
    auction.pay_privates(state)
    floated = [one.id for one in state.corporations.values() if one.floated]
    return Operating(market.in_operating_order(state, floated))


def operator(state: State, turn: Operating) -> Corporation:
    """The corporation whose turn it is."""
    return state.corporations[turn.order[turn.index]]


def speaker(state: State, turn: Operating) -> tuple[str, str]:
    """Who acts next, and the player who decides: a pending choice comes before the operator."""
    if turn.choosing:
        return turn.choosing[0], turn.chooser or ""
    symbol = turn.discarding[0] if turn.discarding else turn.order[turn.index]
    return symbol, state.corporations[symbol].president or ""


def check_turn(state: State, turn: Operating, action: Action) -> None:
    """1830/O-3, O-7 — only the corporation that operates; first what is to be decided."""
    if action.actor not in state.corporations:
        if action.actor not in state.cash:
            raise MalformedAction("actor", action.actor, "a player or a corporation")
        raise IllegalAction(
            Reason.NOT_OPERATING,
            "1830/O-3",
            corporation=action.actor,
            operating=turn.order[turn.index],
        )
    check_pending(state, turn, action)
    if not (turn.choosing or turn.discarding) and action.actor != turn.order[turn.index]:
        raise IllegalAction(
            Reason.NOT_OPERATING,
            "1830/O-3",
            corporation=action.actor,
            operating=turn.order[turn.index],
        )


def check_pending(state: State, turn: Operating, action: Action) -> None:
    """1830/F-3, N-8 — a city that is to be chosen, or trains to be discarded, come first."""
    if not (turn.choosing or turn.discarding):
        return
    symbol, _ = speaker(state, turn)
    if action.actor != symbol or not isinstance(action, PlaceToken | DiscardTrain):
        raise IllegalAction(
            Reason.DECISION_PENDING,
            "1830/F-3" if turn.choosing else "1830/N-8",
            decision="city" if turn.choosing else "discard",
            actor=symbol,
        )


def advance(state: State, turn: Operating) -> bool:
    """Go on to the next step in which somebody has a choice; whether the round is finished."""
    while turn.index < len(turn.order):
        if turn.choosing or turn.discarding:
            return False
        corporation = operator(state, turn)
        if _waits(state, turn, corporation):
            return False
        if turn.step is Step.OVER:
            next_turn(turn)
        elif turn.step is not Step.DIVIDEND:
            turn.step = Step(turn.step + 1)
        else:
            withhold(state, turn, corporation)
    return True


def _waits(state: State, turn: Operating, corporation: Corporation) -> bool:
    """Whether the corporation has something to do, or to decline, in the step it has come to."""
    match turn.step:
        case Step.HOME:
            if not corporation.operated:
                corporation.operated = True
                track.place_home(state, turn, corporation)
            return turn.choosing is not None
        case Step.TRACK:
            return True
        case Step.TOKEN:
            return track.can_place(state, turn, corporation)
        case Step.RUN:
            return bool(corporation.trains) and reach(state, corporation.id).has_route(state)
        case Step.DIVIDEND:
            return turn.earned > 0
        case Step.TRAINS:
            return trains.can_buy(state, corporation)
        case Step.PRIVATES:
            return any(private_on_offer(state, corporation, name) for name in state.owners)
        case _:
            return False


def private_on_offer(state: State, corporation: Corporation, name: str) -> bool:
    """1830/V-2 — whether the corporation could buy this private of a player at its least price."""
    price = state.title.privates[name].corporation_price
    return (
        state.title.phases[state.phase].privates_for_corporations
        and state.owners[name] in state.cash
        and price is not None
        and price[0] <= corporation.cash
    )


def next_turn(turn: Operating) -> None:
    """The next corporation in the order."""
    turn.index += 1
    turn.step = Step.HOME
    turn.laid = turn.tokened = turn.begun = False
    turn.power_hex = None
    turn.earned = 0
    turn.raised = None


# --- running --------------------------------------------------------------------------------------


def check_run(state: State, turn: Operating, action: Run) -> None:
    """1830/O-5, R — the routes claimed must be legal; they need not be the best (R-16)."""
    if turn.step is not Step.RUN:
        raise IllegalAction(Reason.WRONG_STEP, "1830/O-5", step=turn.step.name.lower())
    routes.earnings(state, action)


def run(state: State, turn: Operating, action: Run) -> None:
    turn.earned = routes.earnings(state, action)
    turn.step = Step.DIVIDEND


def check_dividend(state: State, turn: Operating, action: Dividend) -> None:
    """1830/D-1, D-2 — all or nothing."""
    if action.kind not in {"pay", "withhold"}:
        raise MalformedAction("kind", action.kind, "pay or withhold")
    if turn.step is not Step.DIVIDEND:
        raise IllegalAction(Reason.WRONG_STEP, "1830/O-5", step=turn.step.name.lower())


def dividend(state: State, turn: Operating, action: Dividend) -> None:
    corporation = operator(state, turn)
    if action.kind == "withhold":
        withhold(state, turn, corporation)
    else:
        pay_out(state, turn, corporation)


def withhold(state: State, turn: Operating, corporation: Corporation) -> None:
    """1830/D-2, D-5, P-4 — all to the treasury, or nothing earned: one left."""
    state.bank_pays(corporation, turn.earned)
    market.move(state, corporation, "left")
    turn.earned = 0
    turn.step = Step.TRAINS


def pay_out(state: State, turn: Operating, corporation: Corporation) -> None:
    """1830/D-1, P-4 — a tenth for each 10%, the pool's to the treasury: one right."""
    each = turn.earned * SHARE // 100
    for player, held in corporation.held.items():
        state.bank_pays(player, each * held)
    state.bank_pays(corporation, each * corporation.pool)
    market.move(state, corporation, "right")
    turn.earned = 0
    turn.step = Step.TRAINS


# --- the rest of the turn -------------------------------------------------------------------------


def check_pass(state: State, turn: Operating, action: Pass) -> None:
    """1830/O-6 — to skip a step; not the run, not the dividend, not a train that must be bought."""
    if turn.step in {Step.RUN, Step.DIVIDEND}:
        raise IllegalAction(Reason.NOTHING_TO_PASS, "1830/O-6", actor=action.actor)
    if turn.step is Step.TRAINS and trains.must_buy(state, operator(state, turn)):
        raise IllegalAction(Reason.MUST_BUY_TRAIN, "1830/N-9", corporation=action.actor)


def do_pass(state: State, turn: Operating, action: Pass) -> None:
    if turn.power_hex and turn.step is Step.TOKEN:
        turn.power_hex = None  # declines the free token; another may still be placed
    else:
        turn.step = Step(turn.step + 1)


def check_buy_private(state: State, turn: Operating, action: BuyPrivate) -> None:
    """1830/V-2, FIGF-Z-01 — a corporation buys a player's private, at half to double face."""
    private = state.title.privates.get(action.private)
    if private is None:
        raise MalformedAction("private", action.private, "a private")
    if private.corporation_price is None:
        raise IllegalAction(Reason.PRIVATE_NOT_FOR_CORPORATIONS, "1830/V-2", private=private.id)
    if not state.title.phases[state.phase].privates_for_corporations:
        raise IllegalAction(Reason.PRIVATE_NOT_FOR_CORPORATIONS, "1830/H", private=private.id)
    if state.owners.get(private.id) not in state.cash:
        raise IllegalAction(Reason.PRIVATE_NOT_HELD, "1830/V-2", private=private.id)
    least, most = private.corporation_price
    cash = state.corporations[action.actor].cash
    if not least <= action.price <= most:
        raise IllegalAction(
            Reason.PRICE_OUT_OF_RANGE, "1830/V-2", price=action.price, least=least, most=most
        )
    if action.price > cash:
        raise IllegalAction(Reason.NO_MONEY, "1830/V-2", cash=cash, price=action.price)
    if turn.step is Step.TRAINS:
        after = state.copy()
        buy_private(after, turn, action)
        trains.check_spending(state, turn, operator(state, turn), after)


def buy_private(state: State, turn: Operating, action: BuyPrivate) -> None:
    corporation = state.corporations[action.actor]
    corporation.cash -= action.price
    state.cash[state.owners[action.private]] += action.price
    state.owners[action.private] = corporation.id
