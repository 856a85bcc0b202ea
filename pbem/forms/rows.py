"""What the rows of a move form share: numbers to be read, choices that are offered."""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass

from pbem.engine import Action, Game, IllegalAction
from pbem.engine.errors import Reason
from pbem.forms.fields import dollars
from pbem.texts import Names, words


class Unreadable(ValueError):
    """What stands in a field of numbers is none."""


def whole(text: str) -> int | None:
    """The number that was written; None if there is none. Raises `Unreadable`.

    >>> whole("$ 75"), whole("")
    (75, None)
    """
    number = dollars(text)
    if text and number is None:
        raise Unreadable(text)
    return number


@dataclass(frozen=True, slots=True)
class Choice:
    """Something that may be chosen: `price` is what it costs or brings, for the amount beside it.

    `why` says why it is impossible as things are; `later` that what stands before it in the same
    form may make it possible.
    """

    value: str
    words: str
    price: int = 0
    chosen: bool = False
    why: str = ""
    later: bool = False

    @property
    def shut(self) -> bool:
        return bool(self.why) and not self.later


def refusal(position: Game, action: Action) -> IllegalAction | None:
    """Why the engine would not let an action through now, if it would not."""
    try:
        position.check(action)
    except IllegalAction as error:
        return error
    return None


def why_not(error: IllegalAction | None, names: Names) -> str:
    return "" if error is None else words(error, names)


def is_one_of(error: IllegalAction | None, reasons: Iterable[Reason]) -> bool:
    return error is not None and error.reason in reasons
