"""The steps of an operating turn as fields of its form: what each offers, and what it commands.

A step is looked at on the position that the earlier fields of the same form leave, so that a
station follows the tile that is being laid, and a train the money of the run.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass
from functools import cached_property
from typing import Any, Protocol

from django.utils.translation import gettext as _

from pbem.board.printed import facts
from pbem.board.words import money
from pbem.engine import Action
from pbem.engine import Game as Engine
from pbem.engine.actions import Pass, Run
from pbem.engine.errors import EngineError
from pbem.engine.state import Corporation, Operating, State
from pbem.engine.state import Step as TurnStep
from pbem.forms.fields import Fields
from pbem.rules.commands import Command
from pbem.texts import Names, words


@dataclass(frozen=True, slots=True)
class Offer:
    """Something that can be chosen: what is sent, what is read, whether it is chosen now."""

    value: str
    words: str
    chosen: bool = False


def impossible(said: str) -> Offer:
    """What was chosen and is not offered any more: shown again, so that nothing is lost."""
    return Offer(said, _("%(said)s (not possible)") % {"said": said}, chosen=True)


@dataclass(frozen=True, slots=True)
class Barred:
    """Something that cannot be chosen, and why."""

    words: str
    why: str


@dataclass(frozen=True, slots=True)
class Row:
    """A row of a step that has several alike: its number, its offers, what was typed beside."""

    number: int
    offers: tuple[Offer, ...]
    price: str = ""
    hint: str = ""
    late: bool = False
    filled: bool = False


class Turn(Protocol):
    """What a step sees of the form that it belongs to."""

    position: Engine
    player: str
    names: Names
    fields: Fields
    symbol: str

    @property
    def end(self) -> Engine: ...

    def left_by(self, step: Step) -> Engine: ...


class Step:
    """A step of the form. `names` are its fields; `template` draws it, if it is `shown`."""

    template = ""
    names: Sequence[str] = ()

    def __init__(self, turn: Turn) -> None:
        self.turn = turn
        self.symbol = turn.symbol
        self.player = turn.player
        self.said = turn.fields.said

    @cached_property
    def commands(self) -> list[Command]:
        """What was filled in."""
        return []

    @cached_property
    def shown(self) -> bool:
        return True

    @cached_property
    def before(self) -> Engine:
        """The position that the earlier steps leave. Not to be changed."""
        return self.turn.left_by(self)

    @property
    def state(self) -> State:
        return self.before.state

    @property
    def corporation(self) -> Corporation:
        return self.state.corporations[self.symbol]

    @property
    def filled(self) -> bool:
        """Whether anything stands in its fields."""
        return any(self.said(name) for name in self.names)

    # --- how things are called ---

    def money(self, amount: int) -> str:
        return money(amount, facts(self.state.title.name)["currency"])

    def called(self, who: str) -> str:
        return self.turn.names.get(who, who)

    def private_name(self, private: str) -> str:
        name = self.state.title.privates[private].name
        return f"{private} ({name})"

    def why_not(self, action: Action) -> str:
        """Why an action is impossible on the position before this step; empty if it is not."""
        try:
            self.before.check(action)
        except EngineError as error:
            return words(error, self.turn.names)
        return ""


def come_to(game: Engine, symbol: str, step: TurnStep) -> Engine:
    """The position at a step of the corporation's turn, those before it declined; as far as it
    goes where somebody must decide first, or the turn ends before it."""
    at = game.copy()
    while at.state.operating == symbol:
        now = at.state.round
        if not isinstance(now, Operating) or now.choosing or now.discarding or now.step >= step:
            break
        declined = Run(symbol, ()) if now.step is TurnStep.RUN else Pass(symbol)
        try:
            at.apply(declined)
        except EngineError:
            break
    return at


def step_of(game: Engine, symbol: str) -> TurnStep | None:
    """The step that a corporation's turn has come to; None if it is not at any: the turn is over,
    or somebody must decide first."""
    now = game.state.round
    if game.state.operating != symbol or not isinstance(now, Operating):
        return None
    return None if now.choosing or now.discarding else now.step


def refusal(check: Callable[..., Any], *said: Any) -> EngineError | None:
    """What a check of the engine raises."""
    try:
        check(*said)
    except EngineError as error:
        return error
    return None
