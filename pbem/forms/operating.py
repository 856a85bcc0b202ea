"""The form of the operating turn: its steps in order, each on what those before it leave."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from functools import cached_property
from hashlib import sha256
from typing import Any

from django.utils.safestring import SafeString
from django.utils.translation import get_language
from django.utils.translation import gettext as _

from pbem.board import faces, spoken
from pbem.board import map as railway_map
from pbem.board.printed import facts
from pbem.board.words import money
from pbem.engine import Game as Engine
from pbem.engine.actions import LayTile
from pbem.engine.reach import reach
from pbem.engine.state import Corporation, Operating
from pbem.engine.trains import must_buy
from pbem.forms.fields import Fields
from pbem.forms.purchases import Bankruptcy, Discards, Exchange, Privates, Sales, Trains
from pbem.forms.running import Running
from pbem.forms.stations import City, Token
from pbem.forms.steps import Step
from pbem.forms.track import Extra, Track
from pbem.rules.commands import Command
from pbem.rules.turns import Outcome, execute
from pbem.texts import Names


@dataclass(frozen=True, slots=True)
class Head:
    """X-01: whose turn it is, and with what."""

    corporation: str
    plate: SafeString
    name: str
    president: str
    treasury: str
    cash: str
    trains: str
    phase: str
    limit: int
    price: str
    duty: str


class OperatingForm:
    """X-01..X-17: the fields of each step are told in its class.

    `names` of all fields are those of the steps, `whole` (the whole map) and `map_key` (the map
    that the reader has before him).
    """

    kind = "operating"
    template = "pbem/_move_operating.html"
    moving = "pbem/_move_operating_steps.html"  # what follows every change of a field
    has_map = True

    def __init__(
        self, position: Engine, player: str, names: Names, data: Mapping[str, Any] | None
    ) -> None:
        self.position = position
        self.player = player
        self.names = names
        self.fields = Fields(data)
        self.symbol = position.state.operating or ""
        self.track = Track(self)
        self.city = City(self)
        self.token = Token(self)
        self.running = Running(self)
        self.privates = Privates(self)
        self.steps: list[Step] = []
        now = position.state.round
        choosing = isinstance(now, Operating) and now.choosing is not None
        if choosing:
            self.steps.append(self.city)
        if isinstance(now, Operating) and now.discarding:
            self.steps.append(Discards(self, "discard"))
        if self.is_own:
            self.steps += [Exchange(self), self.privates, self.track]
            self.steps += [] if choosing else [self.city]
            self.steps += [Extra(self), self.token, self.running, Sales(self), Trains(self)]
            self.steps += [Discards(self, "later"), Bankruptcy(self)]
        self._left: dict[int, Engine] = {}

    @property
    def is_own(self) -> bool:
        """Whether it is the turn of a corporation of his, and not only a choice in another's."""
        return bool(self.symbol) and self.corporation.president == self.player

    @property
    def corporation(self) -> Corporation:
        return self.position.state.corporations[self.symbol]

    # --- what is sent ---

    def commands(self) -> list[Command]:
        """What was filled in, in the order of the turn; what is meant for its end last."""
        found = [command for step in self.steps for command in step.commands]
        return [*found, *(self.privates.late if self.is_own else [])]

    def typed(self) -> dict[str, Any]:
        names = [name for step in self.steps for name in step.names]
        return self.fields.kept([*names, "whole"])

    def left_by(self, step: Step) -> Engine:
        """The position that the steps before this one leave."""
        return self._left_by(self.steps[: self.steps.index(step)] if step in self.steps else [])

    @property
    def end(self) -> Engine:
        """The position that all of them leave, but for what is meant for the end of the turn."""
        return self._left_by(self.steps)

    def _left_by(self, steps: Sequence[Step]) -> Engine:
        commands = [command for one in steps for command in one.commands]
        if len(commands) not in self._left:
            game = self.position.copy()
            if commands:
                execute(game, [Outcome(one) for one in commands], self.player, ends=False)
            self._left[len(commands)] = game
        return self._left[len(commands)]

    # --- what is shown ---

    @property
    def shown(self) -> list[Step]:
        return [step for step in self.steps if step.shown]

    @property
    def warnings(self) -> list[str]:
        """What the preview says loudly."""
        return [self.running.warning] if self.is_own and self.running.warning else []

    def money(self, amount: int) -> str:
        return money(amount, facts(self.position.title.name)["currency"])

    @cached_property
    def head(self) -> Head:
        state, one = self.position.state, self.corporation
        if not self.is_own and self.position.actor in state.corporations:
            one = state.corporations[self.position.actor]  # in the turn of another
        president = one.president or ""
        phase = state.title.phases[state.phase]
        return Head(
            corporation=one.id,
            plate=railway_map.plate(one.id, one.company.colour),
            name=one.company.name,
            president=_("you")
            if president == self.player
            else self.names.get(president, president),
            treasury=self.money(one.cash),
            cash=self.money(state.cash[self.player]),
            trains=", ".join(one.trains) or _("none"),
            phase=phase.id,
            limit=phase.limit,
            price=self.money(state.price(one)),
            duty=self._duty(one),
        )

    def _duty(self, one: Corporation) -> str:
        """What the rules oblige it to."""
        if must_buy(self.position.state, one):
            return _("It has a route and no train: it must buy one in this turn.")
        if not one.trains and not reach(self.position.state, one.id).has_route(self.position.state):
            return _("It has no train and no route: it must buy one as soon as it has a route.")
        return ""

    # --- the map ---

    @property
    def whole(self) -> bool:
        return bool(self.fields.said("whole"))

    @cached_property
    def drawn(self) -> Engine:
        """The position that the map shows: with the tile and the station that are chosen."""
        return self.running.before if self.is_own else self.position

    @cached_property
    def marks(self) -> railway_map.Marks:
        if not self.is_own:
            choosing = self.city.choosing
            return railway_map.Marks(focus=frozenset({choosing[1]} if choosing else ()))
        lays = {hex_id: f"{one.gain:+d}" for hex_id, one in self.track.best.items()}
        lays = {hex_id: note if note != "+0" else "" for hex_id, note in lays.items()}
        proposed = self.proposed
        runs = self.running.ribbons
        focus = {hex_id for run in runs for leg in run.legs for hex_id in leg}
        focus |= lays.keys() | {hex_id for hex_id, _city in self.corporation.tokens}
        focus |= {proposed.hex} if proposed else set()
        focus |= {self.track.hex} if self.track.hex else set()
        if proposed:
            lays.pop(proposed.hex, None)
        return railway_map.Marks(
            runs=runs,
            lays=lays,
            proposed=proposed,
            focus=frozenset() if self.whole else frozenset(focus),
        )

    @cached_property
    def proposed(self) -> LayTile | None:
        """The tile of the form, if it lies on the board that is drawn."""
        lay = self.track.lay
        laid = self.drawn.state.board.get(lay.hex) if lay else None
        if lay is None or laid is None:
            return None
        was = self.position.state.board[lay.hex]
        same = (laid.tile.id, laid.rotation) == (lay.tile, lay.rotation)
        return lay if same and laid != was else None

    @cached_property
    def map_key(self) -> str:
        """What the map depends on: one that the reader has already is not sent again."""
        marks = self.marks
        told = (self.drawn.digest(), get_language(), marks.runs, marks.proposed, self.whole)
        more = (sorted(marks.lays.items()), sorted(marks.focus))
        return sha256(repr((told, more)).encode()).hexdigest()[:16]

    @property
    def has_same_map(self) -> bool:
        return self.fields.said("map_key") == self.map_key

    @cached_property
    def map(self) -> SafeString:
        return railway_map.svg(self.drawn.state, self.marks, self.names)

    @property
    def map_columns(self) -> int:
        """How many hexes stand beside one another on the map, for the width that it needs."""
        hexes = self.position.title.hexes
        places = [hexes[name].x for name in self.marks.focus or hexes]
        return (max(places) - min(places)) // 2 + 2

    @cached_property
    def map_lines(self) -> list[str]:
        """J2 of what players ask for: the map in words."""
        state = self.drawn.state
        return spoken.lines(faces.faces(state), faces.reached(state), self.names)


class ChoiceForm(OperatingForm):
    """A city to be chosen (F-3, X-08), or a train to be discarded (N-8): in the turn of another, or
    before one's own goes on, which is then told below."""

    kind = "choice"
    template = "pbem/_move_choice.html"
