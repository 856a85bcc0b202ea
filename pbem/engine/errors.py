"""What can be wrong with an action: it makes no sense, or the rulebook forbids it.

`MalformedAction` is a fault of the sender: an unknown hex, a price that is no number.
`IllegalAction` is a well-formed action that the rules do not allow here and now: it carries a
`Reason`, the clause of `1830` (or the article of the regulation) that says so, and the data for a
sentence such as "You hold 22 of 16: sell 6". No sentence is written here: `pbem/texts.py` has the
words.
"""

from __future__ import annotations

from collections.abc import Callable
from enum import StrEnum
from reprlib import Repr
from typing import Any

_SHORT = Repr()
_SHORT.maxstring = _SHORT.maxother = 60  # characters
_SHORT.maxlevel = 2


class EngineError(ValueError):
    """Anything that makes `Game.apply` refuse; the game is then as it was."""


class MalformedAction(EngineError):
    """An action that cannot be read: `where` names the field, `value` is what stood there."""

    def __init__(self, where: str, value: object, expected: str) -> None:
        self.where = where
        self.value = value
        self.expected = expected
        super().__init__(f"{where}: {self.shown} is not {expected}")

    @property
    def shown(self) -> str:
        """The value as one would write it in Python, in a few words however long or deep it is."""
        return _SHORT.repr(self.value)


class IllegalAction(EngineError):
    """A well-formed action that the rules refuse: `reason`, `clause`, and `data` to explain it.

    >>> str(IllegalAction(Reason.NO_MONEY, "1830/S-8", cash=100, price=134))
    'no_money (1830/S-8): cash=100, price=134'
    """

    def __init__(self, reason: Reason, clause: str, **data: Any) -> None:
        super().__init__(reason, clause, data)
        self.reason = reason
        self.clause = clause
        self.data = data

    def __str__(self) -> str:  # written only if somebody reads it: `options` drops most
        shown = ", ".join(f"{key}={value}" for key, value in self.data.items())
        return f"{self.reason} ({self.clause})" + (f": {shown}" if shown else "")


def allowed(check: Callable[..., Any], *arguments: Any) -> bool:
    """Whether a check lets an action through, for whoever does not ask why not."""
    try:
        check(*arguments)
    except IllegalAction:
        return False
    return True


class Reason(StrEnum):
    """Why the rules refuse an action; the data that comes with each is named beside it."""

    # whose turn, which step
    GAME_OVER = "game_over"
    NOT_YOUR_TURN = "not_your_turn"  # actor, turn
    WRONG_ROUND = "wrong_round"  # round
    WRONG_STEP = "wrong_step"  # step
    DECISION_PENDING = "decision_pending"  # decision, actor
    NOTHING_TO_PASS = "nothing_to_pass"  # actor
    # money
    NO_MONEY = "no_money"  # cash, price
    # the auction
    NOT_ON_SALE = "not_on_sale"  # private
    PRICE_IS_FIXED = "price_is_fixed"  # private, price
    BID_TOO_LOW = "bid_too_low"  # private, minimum
    NOT_IN_THIS_AUCTION = "not_in_this_auction"  # private
    # shares
    NO_SALES_YET = "no_sales_yet"
    NOT_PARRED = "not_parred"  # corporation
    ALREADY_PARRED = "already_parred"  # corporation
    NOT_A_PAR = "not_a_par"  # price, pars
    NO_SHARE_LEFT = "no_share_left"  # corporation, source
    ONE_PURCHASE = "one_purchase"
    SOLD_THIS_ROUND = "sold_this_round"  # corporation
    CERTIFICATE_LIMIT = "certificate_limit"  # held, limit
    HOLDING_LIMIT = "holding_limit"  # corporation, percent, limit
    MUST_SELL = "must_sell"  # held, limit, corporations
    NOT_HELD = "not_held"  # corporation, held, wanted
    POOL_LIMIT = "pool_limit"  # corporation, pool, limit
    NO_SUCCESSOR = "no_successor"  # corporation
    # operating
    NOT_OPERATING = "not_operating"  # corporation, operating
    # tiles
    FIXED_HEX = "fixed_hex"  # hex
    TILE_ALREADY_LAID = "tile_already_laid"
    NO_TOKEN_ON_MAP = "no_token_on_map"  # corporation
    NOT_AN_UPGRADE = "not_an_upgrade"  # hex, tile, old
    COLOUR_NOT_YET = "colour_not_yet"  # tile, colour, phase
    NO_TILE_LEFT = "no_tile_left"  # tile
    HEX_BLOCKED = "hex_blocked"  # hex, private
    TRACK_INTO_NOTHING = "track_into_nothing"  # hex, edge
    TRACK_NOT_KEPT = "track_not_kept"  # hex, tile, rotation
    NOT_CONNECTED = "not_connected"  # hex, corporation
    NEW_TRACK_UNUSED = "new_track_unused"  # hex, tile
    NO_TRAIN_FOR_UPGRADE = "no_train_for_upgrade"  # corporation
    # tokens
    NO_CITY = "no_city"  # hex
    NO_TOKEN_LEFT = "no_token_left"  # corporation
    TOKEN_ALREADY_PLACED = "token_already_placed"
    TOKEN_IN_HEX = "token_in_hex"  # hex
    NO_FREE_SLOT = "no_free_slot"  # hex, city
    HOME_RESERVED = "home_reserved"  # hex, corporation
    # running
    NO_SUCH_TRAIN = "no_such_train"  # train, corporation
    TRAIN_RUNS_ONCE = "train_runs_once"  # train
    NO_SUCH_TRACK = "no_such_track"  # leg
    TOO_FEW_STOPS = "too_few_stops"  # train
    TOO_MANY_STOPS = "too_many_stops"  # train, stops, reach
    STOP_TWICE = "stop_twice"  # stop
    TRACK_TWICE = "track_twice"  # leg, and the train where it is known
    NO_OWN_TOKEN = "no_own_token"  # train
    CITY_FULL = "city_full"  # stop
    THROUGH_TERMINUS = "through_terminus"  # stop
    LEGS_APART = "legs_apart"  # train
    # trains
    TRAIN_NOT_FOR_SALE = "train_not_for_sale"  # train, source
    TRAIN_LIMIT = "train_limit"  # held, limit
    WRONG_PRICE = "wrong_price"  # train, price
    PRICE_OUT_OF_RANGE = "price_out_of_range"  # least, most
    NO_TRADE_IN = "no_trade_in"  # train, exchange
    MUST_BUY_TRAIN = "must_buy_train"  # corporation
    MUST_BUY_CHEAPEST = "must_buy_cheapest"  # train
    NO_NEED_TO_SELL = "no_need_to_sell"  # missing
    MORE_THAN_NEEDED = "more_than_needed"  # missing
    KEEP_PRESIDENCY = "keep_presidency"  # corporation
    CAN_STILL_PAY = "can_still_pay"  # raised, price
    OWN_TRAIN_FIRST = "own_train_first"  # corporations
    # privates
    PRIVATE_NOT_HELD = "private_not_held"  # private
    PRIVATE_NOT_FOR_CORPORATIONS = "private_not_for_corporations"  # private
    NO_POWER = "no_power"  # private
    POWER_USED = "power_used"  # private
    BETWEEN_TURNS = "between_turns"  # private
    NOT_BETWEEN_PLAYERS = "not_between_players"  # private
