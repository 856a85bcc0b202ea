"""The words of every refusal of the engine and of every action: translatable, in one home.

The engine gives a `Reason` with figures, or an action, and no prose; a test proves that none lacks
its words. A reason has one sentence, or one for each reading that its data tell apart. Each says
what is wrong and what to do about it.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping
from types import MappingProxyType
from typing import TYPE_CHECKING, Any

from django.utils.translation import gettext as _
from django.utils.translation import gettext_lazy, gettext_noop, ngettext, pgettext_lazy

from pbem.engine import actions
from pbem.engine.changes import Change, What
from pbem.engine.errors import EngineError, IllegalAction, MalformedAction, Reason
from pbem.engine.routes import count
from pbem.engine.state import PRESIDENCY, Auction, Operating, State, Stock
from pbem.engine.stock import share_price
from pbem.engine.title import SHARE
from pbem.engine.track import cost
from pbem.rules.commands import Command, Fault, Faulty, RunOrder, Written, verb

if TYPE_CHECKING:
    from django.utils.functional import _StrPromise

Names = Mapping[str, str]  # the id of a player (or a private, or a corporation) → how it is called
NOBODY: Names = MappingProxyType({})
NAMED = {"actor", "turn", "owner", "player", "president", "corporation", "operating", "private"}

REFUSALS: dict[tuple[Reason, str], _StrPromise] = {
    # whose turn, which step
    (Reason.GAME_OVER, ""): gettext_lazy("The game is over: nothing more can be played in it."),
    (Reason.NOT_YOUR_TURN, ""): gettext_lazy(
        "It is the turn of %(turn)s: %(actor)s must wait for it to end."
    ),
    (Reason.WRONG_ROUND, "auction"): gettext_lazy(
        "The privates are being auctioned: bid, buy the cheapest or pass."
    ),
    (Reason.WRONG_ROUND, "stock"): gettext_lazy("A stock round is on: buy, sell or pass."),
    (Reason.WRONG_ROUND, "operating"): gettext_lazy(
        "An operating round is on: wait for the stock round."
    ),
    (Reason.WRONG_STEP, ""): gettext_lazy(
        "The turn has come to the step “%(step)s”: do what belongs to it."
    ),
    (Reason.DECISION_PENDING, "par"): gettext_lazy(
        "First %(actor)s must name the par of the corporation that comes with the private."
    ),
    (Reason.DECISION_PENDING, "city"): gettext_lazy(
        "First the city must be chosen in which the station of %(actor)s stands."
    ),
    (Reason.DECISION_PENDING, "discard"): gettext_lazy(
        "First %(actor)s must discard a train: it has more than the limit."
    ),
    (Reason.NOTHING_TO_PASS, ""): gettext_lazy(
        "%(actor)s cannot pass here: run the trains, or decide on the dividend."
    ),
    # money
    (Reason.NO_MONEY, ""): gettext_lazy(
        "This costs $%(price)s and there is only $%(cash)s for it: choose something cheaper."
    ),
    # the auction
    (Reason.NOT_ON_SALE, ""): gettext_lazy(
        "%(private)s has been sold already: choose another private."
    ),
    (Reason.PRICE_IS_FIXED, ""): gettext_lazy(
        "%(private)s is the cheapest private and costs exactly $%(price)s: offer that."
    ),
    (Reason.BID_TOO_LOW, ""): gettext_lazy(
        "The least bid on %(private)s is $%(minimum)s: offer that or more."
    ),
    (Reason.NOT_IN_THIS_AUCTION, ""): gettext_lazy(
        "Only %(private)s is fought for now: raise the bid on it, or pass."
    ),
    # shares
    (Reason.NO_SALES_YET, ""): gettext_lazy(
        "No shares are sold in the first stock round: buy or pass."
    ),
    (Reason.NOT_PARRED, ""): gettext_lazy(
        "%(corporation)s has no par yet: first its president's certificate must be bought."
    ),
    (Reason.ALREADY_PARRED, ""): gettext_lazy(
        "%(corporation)s has its par already: buy an ordinary certificate of it."
    ),
    (Reason.NOT_A_PAR, ""): gettext_lazy("$%(price)s is no par: choose one of %(pars)s."),
    (Reason.NO_SHARE_LEFT, ""): gettext_lazy(
        "No certificate of %(corporation)s is left %(inside)s: look elsewhere."
    ),
    (Reason.ONE_PURCHASE, ""): gettext_lazy(
        "One purchase a turn, and this turn has had its own: sell, or pass."
    ),
    (Reason.SOLD_THIS_ROUND, ""): gettext_lazy(
        "You sold %(corporation)s in this stock round: buy it in the next."
    ),
    (Reason.CERTIFICATE_LIMIT, ""): gettext_lazy(
        "That would make %(held)s certificates, and the limit is %(limit)s: sell first, or pass."
    ),
    (Reason.HOLDING_LIMIT, ""): gettext_lazy(
        "That would make %(percent)s%% of %(corporation)s, and the limit is %(limit)s%%: choose "
        "another."
    ),
    (Reason.MUST_SELL, "certificates"): gettext_lazy(
        "You hold %(held)s of %(limit)s certificates: sell %(excess)s."
    ),
    (Reason.MUST_SELL, "holding"): gettext_lazy(
        "You hold too much of %(corporations)s: sell down to the limit."
    ),
    (Reason.MUST_SELL, "both"): gettext_lazy(
        "You hold %(held)s of %(limit)s certificates, and too much of %(corporations)s: sell."
    ),
    (Reason.NOT_HELD, ""): gettext_lazy(
        "You hold %(held)s%% of %(corporation)s, not %(wanted)s%%: sell a part of what you hold."
    ),
    (Reason.POOL_LIMIT, ""): gettext_lazy(
        "The bank pool would hold %(pool)s%% of %(corporation)s, and the limit is %(limit)s%%: "
        "sell less."
    ),
    (Reason.NO_SUCCESSOR, ""): gettext_lazy(
        "Nobody else holds enough of %(corporation)s to be its president: keep that certificate."
    ),
    # operating
    (Reason.NOT_OPERATING, ""): gettext_lazy(
        "%(operating)s is operating: %(corporation)s must wait for its turn."
    ),
    # tiles
    (Reason.FIXED_HEX, ""): gettext_lazy("What is printed on %(hex)s stays: choose another hex."),
    (Reason.TILE_ALREADY_LAID, ""): gettext_lazy(
        "This turn has had its tile: go on to the step “%(step)s”."
    ),
    (Reason.NO_TOKEN_ON_MAP, ""): gettext_lazy(
        "%(corporation)s has no station on the map, and so lays no tile: pass."
    ),
    (Reason.NOT_AN_UPGRADE, "first"): gettext_lazy(
        "Tile %(tile)s cannot be the first on %(hex)s: choose one of its kind."
    ),
    (Reason.NOT_AN_UPGRADE, "next"): gettext_lazy(
        "Tile %(tile)s does not follow tile %(old)s, which lies on %(hex)s: choose another."
    ),
    (Reason.COLOUR_NOT_YET, ""): gettext_lazy(
        "Tile %(tile)s is %(colour)s, a colour that does not come in phase %(phase)s: choose "
        "another."
    ),
    (Reason.NO_TILE_LEFT, ""): gettext_lazy("No tile %(tile)s is left: choose another."),
    (Reason.HEX_BLOCKED, ""): gettext_lazy(
        "%(hex)s is blocked: %(private)s still belongs to a player. Choose another hex."
    ),
    (Reason.TRACK_INTO_NOTHING, ""): gettext_lazy(
        "On %(hex)s track would end at side %(edge)s, beyond which none can follow: turn the tile."
    ),
    (Reason.TRACK_NOT_KEPT, ""): gettext_lazy(
        "With rotation %(rotation)s tile %(tile)s does not keep the old track of %(hex)s: turn it."
    ),
    (Reason.NOT_CONNECTED, ""): gettext_lazy(
        "No track joins %(hex)s to a station of %(corporation)s: choose a hex that it reaches."
    ),
    (Reason.NEW_TRACK_UNUSED, ""): gettext_lazy(
        "No run could use the new track of tile %(tile)s on %(hex)s: turn it, or choose another."
    ),
    (Reason.NO_TRAIN_FOR_UPGRADE, ""): gettext_lazy(
        "%(corporation)s has no train, and so replaces no tile without a city: lay a first tile."
    ),
    # tokens
    (Reason.NO_CITY, ""): gettext_lazy("%(hex)s has no such city: choose one of another hex."),
    (Reason.NO_TOKEN_LEFT, ""): gettext_lazy("%(corporation)s has placed all its stations: pass."),
    (Reason.TOKEN_ALREADY_PLACED, ""): gettext_lazy(
        "This turn has had its station: go on to the step “%(step)s”."
    ),
    (Reason.TOKEN_IN_HEX, ""): gettext_lazy(
        "The corporation has a station on %(hex)s already: choose another hex."
    ),
    (Reason.NO_FREE_SLOT, ""): gettext_lazy(
        "The city on %(hex)s is full of stations: choose another."
    ),
    (Reason.HOME_RESERVED, ""): gettext_lazy(
        "The room left on %(hex)s is kept for %(corporation)s, at home there: choose another city."
    ),
    # running
    (Reason.NO_SUCH_TRAIN, ""): gettext_lazy(
        "%(corporation)s has no %(train)s-train: choose one that it has."
    ),
    (Reason.TRAIN_RUNS_ONCE, ""): gettext_lazy(
        "Each train runs once, and %(corporation)s has fewer %(train)s-trains: leave a route out."
    ),
    (Reason.NO_SUCH_TRACK, ""): gettext_lazy("No track leads along %(leg)s: correct the route."),
    (Reason.TOO_FEW_STOPS, ""): gettext_lazy(
        "The route of the %(train)s-train joins no two stops: lengthen it, or leave it out."
    ),
    (Reason.TOO_MANY_STOPS, ""): gettext_lazy(
        "The %(train)s-train makes at most %(reach)s stops, not %(stops)s: shorten its route."
    ),
    (Reason.STOP_TWICE, ""): gettext_lazy(
        "A route stops twice at %(stop)s, or its legs branch there: correct it."
    ),
    (Reason.TRACK_TWICE, ""): gettext_lazy(
        "The track of %(leg)s is used twice: correct the route."
    ),
    (Reason.NO_OWN_TOKEN, ""): gettext_lazy(
        "The route of the %(train)s-train has no station of the corporation: lead it by one."
    ),
    (Reason.CITY_FULL, ""): gettext_lazy(
        "A route leads through %(stop)s, full of others' stations: end it there."
    ),
    (Reason.THROUGH_TERMINUS, ""): gettext_lazy(
        "A route leads beyond %(stop)s, where every route ends: end it there."
    ),
    (Reason.LEGS_APART, ""): gettext_lazy(
        "The legs of the %(train)s-train do not make one line: correct its route."
    ),
    # trains
    (Reason.TRAIN_NOT_FOR_SALE, ""): gettext_lazy(
        "No %(train)s-train can be bought %(source)s now: choose another."
    ),
    (Reason.TRAIN_LIMIT, ""): gettext_lazy(
        "The corporation has %(held)s trains, and the limit is %(limit)s: go on without another."
    ),
    (Reason.WRONG_PRICE, ""): gettext_lazy(
        "The %(train)s-train costs exactly $%(price)s: offer that."
    ),
    (Reason.PRICE_OUT_OF_RANGE, "range"): gettext_lazy(
        "$%(price)s is not allowed: offer from $%(least)s to $%(most)s."
    ),
    (Reason.PRICE_OUT_OF_RANGE, "none"): gettext_lazy(
        "There is no price at which this can be bought now: choose something else."
    ),
    (Reason.NO_TRADE_IN, ""): gettext_lazy(
        "A %(exchange)s-train cannot be given up for this %(train)s-train: buy it without."
    ),
    (Reason.MUST_BUY_TRAIN, ""): gettext_lazy(
        "%(corporation)s has a route and no train: it must buy one."
    ),
    (Reason.MUST_BUY_CHEAPEST, ""): gettext_lazy(
        "With the president's money only the cheapest train is bought: choose a %(train)s-train."
    ),
    (Reason.NO_NEED_TO_SELL, ""): gettext_lazy(
        "There is no train to be bought that lacks the president's money: go on with the turn."
    ),
    (Reason.MORE_THAN_NEEDED, ""): gettext_lazy(
        "Only $%(missing)s is missing, and one share less would do: sell less."
    ),
    (Reason.KEEP_PRESIDENCY, ""): gettext_lazy(
        "%(corporation)s, which operates, must keep its president: sell less of it."
    ),
    (Reason.CAN_STILL_PAY, ""): gettext_lazy(
        "$%(raised)s can be raised and the train costs $%(price)s: sell what is needed and buy it."
    ),
    (Reason.OWN_TRAIN_FIRST, ""): gettext_lazy(
        "The president has trains in %(corporations)s: buy one of those first."
    ),
    # privates
    (Reason.PRIVATE_NOT_HELD, ""): gettext_lazy(
        "%(private)s does not belong to whom it would have to: choose another private."
    ),
    (Reason.PRIVATE_NOT_FOR_CORPORATIONS, "never"): gettext_lazy(
        "%(private)s is never sold to a corporation: choose another private."
    ),
    (Reason.PRIVATE_NOT_FOR_CORPORATIONS, "now"): gettext_lazy(
        "In this phase no private is sold to a corporation: leave %(private)s where it is."
    ),
    (Reason.NO_POWER, ""): gettext_lazy(
        "%(private)s does not give this power: do it without, or choose another."
    ),
    (Reason.POWER_USED, ""): gettext_lazy(
        "The power of %(private)s cannot be used any more: do it without."
    ),
    (Reason.BETWEEN_TURNS, ""): gettext_lazy(
        "%(private)s is swapped in its owner's stock turn or between two turns: wait until then."
    ),
    (Reason.NOT_BETWEEN_PLAYERS, ""): gettext_lazy(
        "Players cannot sell %(private)s to one another in this round: choose something else."
    ),
}

# What `MalformedAction.expected` may say.
EXPECTED = frozenset(
    {
        gettext_noop("a card"),
        gettext_noop("a city"),
        gettext_noop("a city of a tile"),
        gettext_noop("a city of a tile on the map"),
        gettext_noop("a corporation"),
        gettext_noop("a corporation with a par"),
        gettext_noop("a file of at most 5 MB"),
        gettext_noop("a game"),
        gettext_noop("a hex of the map"),
        gettext_noop("a kind of action"),
        gettext_noop("a kind of action of this title"),
        gettext_noop("a kind of train"),
        gettext_noop("a list of actions"),
        gettext_noop("a list of actions, not too long"),
        gettext_noop("a list of at most 10000 actions"),
        gettext_noop("a list of different ids"),
        gettext_noop("a list of different players"),
        gettext_noop("a list of hexes"),
        gettext_noop("a list of known names"),
        gettext_noop("a list of legs"),
        gettext_noop("a list of players"),
        gettext_noop("a list of routes"),
        gettext_noop("a list of shares"),
        gettext_noop("a map"),
        gettext_noop("a multiple of 10"),
        gettext_noop("a name"),
        gettext_noop("a number of players of this title"),
        gettext_noop("a number, or null"),
        gettext_noop("a pair of names"),
        gettext_noop("a place in the order"),
        gettext_noop("a player"),
        gettext_noop("a player of this game"),
        gettext_noop("a player or a corporation"),
        gettext_noop("a player with an id"),
        gettext_noop("a position"),
        gettext_noop("a preset"),
        gettext_noop("a price"),
        gettext_noop("a private"),
        gettext_noop("a private in play"),
        gettext_noop("a rotation from 0 to 5"),
        gettext_noop("a route"),
        gettext_noop("a share"),
        gettext_noop("a space of the market"),
        gettext_noop("a switch of this title"),
        gettext_noop("a tile"),
        gettext_noop("a tile and its rotation"),
        gettext_noop("a tile that there are so many of"),
        gettext_noop("a title"),
        gettext_noop("a title that has an engine"),
        gettext_noop("a train and its legs"),
        gettext_noop("a value"),
        gettext_noop("a value here"),
        gettext_noop("a value, a list or a map"),
        gettext_noop("a version of these rules"),
        gettext_noop("a whole number"),
        gettext_noop("an action"),
        gettext_noop("an actor, a kind of action and what it needs"),
        gettext_noop("an id for each player"),
        gettext_noop("an id without spaces that no company has"),
        gettext_noop("an object"),
        gettext_noop("bank, pool or a corporation"),
        gettext_noop("closed"),
        gettext_noop("complete, and not so deep"),
        gettext_noop("followed by = and a value"),
        gettext_noop("ipo or pool"),
        gettext_noop("JSON in UTF-8"),
        gettext_noop("each parred corporation once"),
        gettext_noop("known"),
        gettext_noop("one share"),
        gettext_noop("options of this title"),
        gettext_noop("pay or withhold"),
        gettext_noop("payout or withhold"),
        gettext_noop("shares of one corporation"),
        gettext_noop("ten tenths in all"),
        gettext_noop("the number of a city"),
        gettext_noop("true or false"),
        gettext_noop("two to six different players"),
        gettext_noop("what the options say"),
        gettext_noop("who acts"),
        gettext_noop("yes or no"),
    }
)

STEPS = {
    "home": gettext_lazy("home station"),
    "track": gettext_lazy("track"),
    "token": gettext_lazy("station"),
    "run": gettext_lazy("run of the trains"),
    "dividend": gettext_lazy("dividend"),
    "trains": gettext_lazy("purchase of trains"),
    "privates": gettext_lazy("purchase of privates"),
    "over": gettext_lazy("end of the turn"),
}


def round_words(kind: str, turn: int, number: int) -> str:
    """A round, as players call it: the stock round by its number, the operating round by that of
    its set and its own. `kind` is auction, stock or operating."""
    if kind == "auction":
        return _("Opening auction")
    if kind == "stock":
        return _("Stock round %(n)d") % {"n": turn}
    return _("Operating round %(turn)d.%(n)d") % {"turn": turn, "n": number}


COLOURS = {
    "yellow": gettext_lazy("yellow"),
    "green": gettext_lazy("green"),
    "brown": gettext_lazy("brown"),
    "gray": gettext_lazy("grey"),
}
FROM = {
    "ipo": gettext_lazy("from the initial offering"),
    "pool": gettext_lazy("from the bank pool"),
    "bank": gettext_lazy("from the bank"),
}
INSIDE = {
    "ipo": gettext_lazy("in the initial offering"),
    "pool": gettext_lazy("in the bank pool"),
}


# --- refusals -------------------------------------------------------------------------------------


def words(error: EngineError, names: Names = NOBODY) -> str:
    """What is wrong and what to do, in the reader's language; `names` says who the ids are."""
    if isinstance(error, IllegalAction):
        sentence = REFUSALS[error.reason, _reading(error)]
        return sentence % {
            name: _figure(name, value, names) for name, value in figures(error).items()
        }
    if isinstance(error, MalformedAction):
        expected = _(error.expected) if error.expected in EXPECTED else error.expected
        return _("Correct the field “%(where)s”: %(value)s is not %(expected)s.") % {
            "where": error.where,
            "value": error.shown,
            "expected": expected,
        }
    return str(error)


def figures(error: IllegalAction) -> dict[str, Any]:
    """The data of a refusal, and what follows from them."""
    data = dict(error.data)
    if error.reason is Reason.MUST_SELL:
        data["excess"] = data["held"] - data["limit"]
    if error.reason is Reason.NO_SHARE_LEFT:
        data["inside"] = INSIDE[data["source"]]
    return data


def _reading(error: IllegalAction) -> str:
    """Which sentence of several: most reasons have one."""
    data = error.data
    match error.reason:
        case Reason.WRONG_ROUND:
            return str(data["round"])
        case Reason.DECISION_PENDING:
            return str(data["decision"])
        case Reason.MUST_SELL if data["held"] <= data["limit"]:
            return "holding"
        case Reason.MUST_SELL:
            return "both" if data["corporations"] else "certificates"
        case Reason.NOT_AN_UPGRADE:
            return "first" if data["old"] == data["hex"] else "next"
        case Reason.PRICE_OUT_OF_RANGE:
            return "range" if data["least"] <= data["most"] else "none"
        case Reason.PRIVATE_NOT_FOR_CORPORATIONS:
            return "now" if error.clause == "1830/H" else "never"
        case _:
            return ""


def _figure(name: str, value: Any, names: Names) -> str:
    """A value as the reader calls it."""
    if name == "step":
        return str(STEPS[value])
    if name == "colour":
        return str(COLOURS[value])
    if name == "source":
        return _from(value)
    if isinstance(value, list):
        return ", ".join(map(str, value))
    return str(names.get(value, value) if name in NAMED else value)


def _from(source: str) -> str:
    """Where something is bought: of the offering, the pool, the bank or a corporation."""
    if source in FROM:
        return str(FROM[source])
    return _("from %(seller)s") % {"seller": source}


# --- what an action brought about -----------------------------------------------------------------

CHANGES: dict[tuple[What, str], _StrPromise] = {
    (What.WON, ""): gettext_lazy("%(player)s gets %(private)s for $%(price)s."),
    (What.CHEAPER, ""): gettext_lazy("Nobody wants %(private)s: it now costs $%(price)s."),
    (What.GIVEN, ""): gettext_lazy("%(player)s receives %(percent)s%% of %(corporation)s with it."),
    (What.PAID, ""): gettext_lazy("Dividends: %(each)s."),
    (What.SOLD, ""): gettext_lazy("%(player)s gives up %(percent)s%% of %(corporation)s."),
    (What.PRICE, "up"): gettext_lazy("%(corporation)s rises from $%(before)s to $%(after)s."),
    (What.PRICE, "down"): gettext_lazy("%(corporation)s falls from $%(before)s to $%(after)s."),
    (What.PRICE, "same"): gettext_lazy("%(corporation)s moves in the market, at $%(after)s still."),
    (What.PRESIDENT, ""): gettext_lazy("%(player)s becomes president of %(corporation)s."),
    (What.FLOATED, ""): gettext_lazy("%(corporation)s floats, with a capital of $%(price)s."),
    (What.PHASE, ""): gettext_lazy("Phase %(phase)s begins."),
    (What.RUSTED, ""): gettext_lazy("The %(train)s-trains rust."),
    (What.RUSTED, "who"): gettext_lazy("The %(train)s-trains rust: %(who)s lose theirs."),
    (What.CLOSED, ""): gettext_lazy("These private companies close: %(privates)s."),
    (What.PRIORITY, ""): gettext_lazy("The priority deal goes to %(player)s."),
    (What.INCOME, ""): gettext_lazy("Private companies pay: %(each)s."),
    (What.HOME, ""): gettext_lazy("%(corporation)s places its home station in %(hex)s."),
    (What.BROKEN, ""): gettext_lazy("The bank is broken."),
    (What.OVER, ""): gettext_lazy("The game is over: %(each)s."),
}


def outcome(change: Change, names: Names = NOBODY) -> str:
    """Something that an action brought about, in the reader's language."""
    sentence = str(CHANGES[change.what, _change_reading(change)])
    data = dict(change.data)
    if "each" in data:
        told = (f"{names.get(who, who)} ${amount}" for who, amount in data["each"].items())
        data["each"] = ", ".join(told)
    return sentence % {name: _figure(name, value, names) for name, value in data.items()}


def _change_reading(change: Change) -> str:
    data = change.data
    if change.what is What.PRICE:
        if data["after"] == data["before"]:
            return "same"
        return "up" if data["after"] > data["before"] else "down"
    return "who" if change.what is What.RUSTED and data["who"] else ""


# --- actions --------------------------------------------------------------------------------------


def deed(action: actions.Action, state: State, names: Names = NOBODY) -> str:
    """An action in words, for the log: who did what, for how much. `state` is the position before
    it, in which it is legal."""
    sentence, data = _DEEDS[type(action)](action, state)
    said = {"actor": action.actor, **data}
    parts = [sentence, *(part for part in (said.pop("and", ()) or ()) if part)]
    figures = {name: _figure(name, value, names) for name, value in said.items()}
    return ", ".join(part % figures for part in parts) + "."


Deed = tuple[str, dict[str, Any]]


def _bid(action: actions.Bid, state: State) -> Deed:
    now = state.round
    bought = isinstance(now, Auction) and not now.contest and action.private == state.unsold[0]
    data = {"private": action.private, "price": action.price}
    if bought:
        return _("%(actor)s buys %(private)s for $%(price)s"), data
    return _("%(actor)s bids $%(price)s on %(private)s"), data


def _pass(_action: actions.Pass, state: State) -> Deed:
    now = state.round
    if isinstance(now, Auction) and now.contest:
        return _("%(actor)s drops out of the auction of %(private)s"), {"private": now.contest}
    if isinstance(now, Operating):
        return _("%(actor)s goes on from the step “%(step)s”"), {"step": now.step.name.lower()}
    if isinstance(now, Stock) and now.acted:
        return _("%(actor)s ends the turn"), {}
    return _("%(actor)s passes"), {}


def _par(action: actions.Par, state: State) -> Deed:
    data = {"corporation": action.corporation, "price": action.price}
    if isinstance(state.round, Auction):
        return _("%(actor)s sets the par of %(corporation)s at $%(price)s"), data
    data["cost"] = action.price * PRESIDENCY
    return _(
        "%(actor)s buys the president's certificate of %(corporation)s for $%(cost)s, at a par of "
        "$%(price)s"
    ), data


def _buy_share(action: actions.BuyShare, state: State) -> Deed:
    one = state.corporations[action.corporation]
    price = share_price(state, one, action.source)
    data = {"corporation": one.id, "source": action.source, "price": price, "percent": SHARE}
    return _("%(actor)s buys %(percent)s%% of %(corporation)s %(source)s for $%(price)s"), data


def _sell_shares(action: actions.SellShares, state: State) -> Deed:
    price = state.price(state.corporations[action.corporation]) * action.shares
    percent = action.shares * SHARE
    data = {"corporation": action.corporation, "percent": percent, "price": price}
    return _("%(actor)s sells %(percent)s%% of %(corporation)s for $%(price)s"), data


def _exchange(action: actions.ExchangePrivate, state: State) -> Deed:
    swap = state.title.privates[action.private].exchange
    symbol = swap.corporation if swap else ""
    data = {"private": action.private, "corporation": symbol, "source": action.source}
    return _("%(actor)s swaps %(private)s for %(percent)s%% of %(corporation)s %(source)s"), {
        **data,
        "percent": SHARE,
    }


def _buy_private(action: actions.BuyPrivate, state: State) -> Deed:
    owner = state.owners[action.private]
    data = {"private": action.private, "owner": owner, "price": action.price}
    return _("%(actor)s buys %(private)s from %(owner)s for $%(price)s"), data


def _lay_tile(action: actions.LayTile, state: State) -> Deed:
    price = cost(state, state.title.hexes[action.hex])
    data = {"tile": action.tile, "hex": action.hex, "rotation": action.rotation, "price": price}
    data |= {"private": action.private, "and": _paid(price, action.private)}
    return _("%(actor)s lays tile %(tile)s on %(hex)s with rotation %(rotation)s"), data


def _place_token(action: actions.PlaceToken, state: State) -> Deed:
    one, now = state.corporations[action.actor], state.round
    cities = state.board[action.hex].cities
    data: dict[str, Any] = {"hex": action.hex, "city": cities.index(action.city) + 1}
    if isinstance(now, Operating) and now.choosing:
        return _("%(actor)s has its station in city %(city)s of %(hex)s"), data
    price = 0 if action.private else one.next_token_price
    data |= {"price": price, "private": action.private, "and": _paid(price, action.private)}
    if len(cities) > 1:
        return _("%(actor)s places a station in city %(city)s of %(hex)s"), data
    return _("%(actor)s places a station on %(hex)s"), data


def _paid(price: int, private: str | None) -> tuple[str, ...]:
    """What is added where something may cost, or be by a private's power."""
    return (
        _("for $%(price)s") if price else "",
        _("by the power of %(private)s") if private else "",
    )


def _run(action: actions.Run, state: State) -> Deed:
    if not action.routes:
        return _("%(actor)s runs no train"), {}
    counted = list(count(state, action))
    routes = (f"{one.route.train}: {one.hexes}" for one in counted)
    data = {"price": sum(one.value for one in counted), "routes": "; ".join(routes)}
    return _("%(actor)s runs for $%(price)s (%(routes)s)"), data


def _dividend(action: actions.Dividend, state: State) -> Deed:
    earned = state.round.earned if isinstance(state.round, Operating) else 0
    if action.kind == "withhold":
        return _("%(actor)s withholds $%(price)s"), {"price": earned}
    data = {"price": earned, "each": earned * SHARE // 100}
    return _("%(actor)s pays out $%(price)s, $%(each)s a share"), data


def _buy_train(action: actions.BuyTrain, state: State) -> Deed:
    one = state.corporations[action.actor]
    lent = max(0, action.price - one.cash)
    data = {"train": action.train, "source": action.source, "price": action.price}
    data |= {"exchange": action.exchange, "lent": lent, "president": one.president or ""}
    parts = (
        _("giving up a %(exchange)s-train") if action.exchange else "",
        _("of which %(president)s pays $%(lent)s") if lent else "",
    )
    sentence = _("%(actor)s buys a %(train)s-train %(source)s for $%(price)s")
    return sentence, {**data, "and": parts}


def _discard_train(action: actions.DiscardTrain, _state: State) -> Deed:
    return _("%(actor)s discards a %(train)s-train"), {"train": action.train}


def _bankrupt(_action: actions.Bankrupt, _state: State) -> Deed:
    return _("%(actor)s is bankrupt"), {}


_DEEDS: dict[type[actions.Action], Callable[..., Deed]] = {
    actions.Bid: _bid,
    actions.Pass: _pass,
    actions.Par: _par,
    actions.BuyShare: _buy_share,
    actions.SellShares: _sell_shares,
    actions.ExchangePrivate: _exchange,
    actions.BuyPrivate: _buy_private,
    actions.LayTile: _lay_tile,
    actions.PlaceToken: _place_token,
    actions.Run: _run,
    actions.Dividend: _dividend,
    actions.BuyTrain: _buy_train,
    actions.DiscardTrain: _discard_train,
    actions.Bankrupt: _bankrupt,
}


# --- commands of a form ---------------------------------------------------------------------------

FAULTS: dict[Fault, _StrPromise] = {
    Fault.CONTRADICTION: gettext_lazy(
        "A pass contradicts any other command: choose one or the other."
    ),
    Fault.SOURCE_MISSING: gettext_lazy("It does not say from where: say it."),
    Fault.PRICE_MISSING: gettext_lazy("It does not say at what price: state the sum."),
    Fault.PAR_MISSING: gettext_lazy("It names no par: choose one."),
    Fault.INCOMPLETE: gettext_lazy("It is only half filled in: complete it, or empty it."),
    Fault.UNREADABLE: gettext_lazy("It cannot be read: look at what was written."),
    Fault.ROUTES_NEEDED: gettext_lazy(
        "The best run earns another sum: name the stops of each train."
    ),
    Fault.DIVIDEND_MISSING: gettext_lazy("It does not say whether to pay out or to withhold."),
    Fault.TRAIN_TO_NAME: gettext_lazy("Several trains could be handed in: name the one."),
    Fault.WRONG_SUM: gettext_lazy("The sum is another: state the right one."),
    Fault.TURN_OVER: gettext_lazy("The turn had ended with what was done before."),
    Fault.CONSENT_REFUSED: gettext_lazy("Who was asked does not agree."),
    Fault.CONSENT_LAPSED: gettext_lazy("No answer came in 48 hours: that is a no."),
}
ROWS: dict[str, _StrPromise] = {
    "bid": gettext_lazy("Bid on, or purchase of, a private"),
    "pass": gettext_lazy("Pass"),
    "par": gettext_lazy("President's certificate"),
    "buy": gettext_lazy("Purchase of a certificate"),
    "sell": gettext_lazy("Sale of certificates"),
    "exchange": gettext_lazy("Exchange of a private"),
    "private": gettext_lazy("Purchase of a private"),
    "lay": gettext_lazy("Tile"),
    "token": gettext_lazy("Station"),
    "run": gettext_lazy("Run of the trains"),
    "train": gettext_lazy("Purchase of a train"),
    "discard": gettext_lazy("Train discarded"),
    "bankrupt": gettext_lazy("Bankruptcy"),
    "other": gettext_lazy("Other commands"),
}
SAID: dict[tuple[str, str], _StrPromise] = {
    ("deed", "buy"): gettext_lazy("bought"),
    ("deed", "bid"): gettext_lazy("bid on"),
    ("source", "corporation"): gettext_lazy("from another corporation"),
    ("when", "after"): gettext_lazy("after the purchase"),
    ("dividend", "pay"): gettext_lazy("paid out"),
    ("dividend", "withhold"): gettext_lazy("withheld"),
}  # what is chosen in a row, where no engine knows the title
SIDES: dict[str, _StrPromise] = {  # towards which the number of a tile lies
    "N": pgettext_lazy("side", "north"),
    "NE": pgettext_lazy("side", "north-east"),
    "E": pgettext_lazy("side", "east"),
    "SE": pgettext_lazy("side", "south-east"),
    "S": pgettext_lazy("side", "south"),
    "SW": pgettext_lazy("side", "south-west"),
    "W": pgettext_lazy("side", "west"),
    "NW": pgettext_lazy("side", "north-west"),
}


def wish(command: Command, names: Names = NOBODY) -> str:
    """A command that was not executed: which row of the form, and what stood in it."""
    row = str(ROWS[verb(command)])
    said = _said(command, names)
    return f"{row}: {said}" if said else row


def _said(command: Command, names: Names) -> str:
    """What of a command is to be read, in the order of its fields."""
    if isinstance(command, RunOrder):
        trains = [f"{train} {'–'.join(hexes)}" for train, hexes in command.routes or ()]
        sum_ = [] if command.stated is None else [f"${command.stated}"]
        return ", ".join([command.corporation, *trains, *sum_])
    if isinstance(command, Faulty):
        return command.said
    if isinstance(command, Written):
        return ", ".join(_field(name, value, names) for name, value in command.said)
    action = command.action
    told: list[str] = []
    for name, value in action.to_dict().items():
        if name == "price":
            told.append(f"${value}")
        elif name == "shares":
            told.append(f"{value * SHARE}%")
        elif name == "source":
            told.append(_from(value))
        elif name == "exchange" and value is not None:
            told.append(_("giving up a %(exchange)s-train") % {"exchange": value})
        elif name not in {"type", "actor"} and not isinstance(value, list) and value is not None:
            told.append(_figure(name, value, names))
    return ", ".join(told)


def _field(name: str, value: str, names: Names) -> str:
    """A field of a row that was filled in by hand. Sums have no sign: each title has its own."""
    if (name, value) in SAID:
        return str(SAID[name, value])
    match name:
        case "price":
            return _("sum %(sum)s") % {"sum": value}
        case "par":
            return _("par %(price)s") % {"price": value}
        case "certificates":
            return ngettext("%(n)s certificate", "%(n)s certificates", int(value)) % {"n": value}
        case "tile":
            return _("no. %(tile)s") % {"tile": value}
        case "side":
            return _("number towards %(side)s") % {"side": SIDES[value]}
        case "source":
            return _from(value)
        case "from":
            return _("from %(seller)s") % {"seller": names.get(value, value)}
        case "exchange":
            return _("handing in %(train)s") % {"train": value}
        case _:
            return value


def why(reason: EngineError | Fault | str | None, names: Names = NOBODY) -> str:
    """Why a command was not executed, in the reader's language, or the station master's words."""
    if reason is None:
        return ""
    if isinstance(reason, Fault):
        return str(FAULTS[reason])
    return reason if isinstance(reason, str) else words(reason, names)
