"""The run of an operating turn: the best one proposed, or routes train by train, and its income."""

from __future__ import annotations

import re
from dataclasses import dataclass
from functools import cached_property

from django.utils.translation import gettext as _

from pbem.board.ribbons import Ribbon
from pbem.board.run_check import Check, check, place_name
from pbem.engine import best_run
from pbem.engine.actions import Run
from pbem.engine.best import Best
from pbem.engine.market import move
from pbem.engine.reach import reach
from pbem.engine.routes import count
from pbem.engine.state import Operating
from pbem.engine.state import Step as TurnStep
from pbem.engine.title import SHARE
from pbem.forms.fields import dollars
from pbem.forms.steps import Step
from pbem.rules.commands import Command, Fault, Faulty, RunOrder

RUN_WORK = 200_000  # steps of the search; the recorded games take 6,000 at most
MOST_TRAINS = 8  # that a form has a route for


@dataclass(frozen=True, slots=True)
class Proposed:
    """A train of the best run: its number on the map, its stops by name with what each pays."""

    number: int
    colour: int
    train: str
    stops: tuple[tuple[str, int], ...]
    value: str


class Running(Step):
    """X-09 and X-10: the run, its sum, and whether it is paid out or withheld.

    `amount` is filled in with the best run's sum, which `amount_was` repeats: while both say the
    same the sum follows what is done before it. Without a route for any train the best run is
    meant.
    """

    template = "pbem/_move_operating_run.html"
    routes_named = [f"route{n}" for n in range(1, MOST_TRAINS + 1)]
    names = ("dividend", "amount", "amount_was", *routes_named)

    @cached_property
    def trains(self) -> list[str]:
        return self.turn.position.state.corporations[self.symbol].trains

    @cached_property
    def routes(self) -> tuple[tuple[str, tuple[str, ...]], ...]:
        """The hexes named for each train that has any."""
        known = {name.casefold(): name for name in self.turn.position.title.hexes}
        found = []
        for train, field in zip(self.trains, self.routes_named, strict=False):
            named = re.findall(r"\w+", self.said(field))
            if named:
                found.append((train, tuple(known.get(one.casefold(), one) for one in named)))
        return tuple(found)

    @property
    def untouched(self) -> bool:
        return self.said("amount") in {"", self.said("amount_was")}

    @cached_property
    def commands(self) -> list[Command]:
        dividend = self.said("dividend")
        said = self.said("amount")
        stated = None if self.untouched else dollars(said)
        if not self.untouched and stated is None:
            return [Faulty("run", Fault.UNREADABLE, said)]
        if self.routes:
            return [RunOrder(self.symbol, self.routes, stated, dividend)]
        if stated == 0:
            return [RunOrder(self.symbol, (), 0, dividend)]
        if stated is None and not dividend:
            return []
        return [RunOrder(self.symbol, None, stated, dividend)]

    # --- what is shown ---

    @cached_property
    def open(self) -> bool:
        """Whether the turn has still its run before it."""
        now = self.turn.position.state.round
        return isinstance(now, Operating) and now.step <= TurnStep.RUN

    @cached_property
    def shown(self) -> bool:
        return self.open or self.filled

    @cached_property
    def runs(self) -> bool:
        """Whether there is anything to run."""
        return bool(self.trains) and reach(self.state, self.symbol).has_route(self.state)

    @property
    def idle(self) -> str:
        """Why nothing runs."""
        if not self.trains:
            return _("It has no train: nothing runs.")
        return "" if self.runs else _("Its trains have no route: nothing runs.")

    @cached_property
    def best(self) -> Best:
        return best_run(self.before, self.symbol, RUN_WORK)

    @property
    def best_sum(self) -> str:
        return self.money(self.best.value)

    @cached_property
    def proposed(self) -> list[Proposed]:
        """The best run, train by train."""
        return [
            Proposed(
                n,
                (n - 1) % 6,
                one.route.train,
                tuple((place_name(self.state, stop[0]), value) for stop, value in one.stops),
                self.money(one.value),
            )
            for n, one in enumerate(count(self.state, self.best.run), 1)
        ]

    @cached_property
    def check(self) -> Check:
        """The routes that are named, counted."""
        said = [self.said(field) for field in self.routes_named]
        return check(self.state, self.symbol, said, self.turn.names)

    @property
    def rows(self) -> list[tuple[str, object]]:
        return [(f"route{n}", row) for n, row in enumerate(self.check.rows, 1)]

    @cached_property
    def run(self) -> Run:
        """The run that is drawn: the one named, as far as it is legal, or the best."""
        return self.check.run if self.routes else self.best.run

    @cached_property
    def ribbons(self) -> tuple[Ribbon, ...]:
        if not self.runs or self.stays:
            return ()
        return tuple(
            Ribbon(one.route.train, one.route.legs, one.value)
            for one in count(self.state, self.run)
        )

    @cached_property
    def value(self) -> int:
        """What it comes to."""
        if self.stays:
            return 0
        return (self.check.total or 0) if self.routes else self.best.value

    @property
    def stays(self) -> bool:
        """X-10: a zero was written, and no route."""
        return not self.untouched and dollars(self.said("amount")) == 0 and not self.routes

    @property
    def amount(self) -> str:
        """What stands in the field of the sum."""
        return str(self.value) if self.untouched else self.said("amount")

    @property
    def amount_was(self) -> str:
        return str(self.value) if self.untouched else self.said("amount_was")

    @property
    def dividend(self) -> str:
        return self.said("dividend")

    @property
    def longer_words(self) -> str:
        """That the run named earns less than the best."""
        total = self.check.total if self.routes else None
        if total is None or total >= self.best.value:
            return ""
        return _("The best possible run earns %(best)s: this one %(less)s less.") % {
            "best": self.money(self.best.value),
            "less": self.money(self.best.value - total),
        }

    @property
    def paid(self) -> str:
        """X-11: what paying it out brings to whom."""
        one, each = self.corporation, self.value * SHARE // 100
        told = [_("%(each)s for each share") % {"each": self.money(each)}]
        mine = one.held.get(self.player, 0)
        if mine:
            told.append(_("%(sum)s to you") % {"sum": self.money(each * mine)})
        if one.pool:
            told.append(_("%(sum)s to the treasury") % {"sum": self.money(each * one.pool)})
        return ", ".join([*told, self._price("right")])

    @property
    def withheld(self) -> str:
        kept = _("treasury %(sum)s") % {"sum": self.money(self.corporation.cash + self.value)}
        return f"{kept}, {self._price('left')}"

    def _price(self, way: str) -> str:
        """Where the marker goes."""
        after = self.state.copy()
        one = after.corporations[self.symbol]
        was = after.price(one)
        move(after, one, way)
        told = {"was": self.money(was), "now": self.money(after.price(one))}
        return _("price from %(was)s to %(now)s") % told

    # --- what is said loudly ---

    @property
    def warning(self) -> str:
        """X-10: that trains which could earn something do not run."""
        if not self.open or not self.runs or not self.best.value:
            return ""
        told = {"corporation": self.symbol, "sum": self.money(self.best.value)}
        if not self.commands:
            return (
                _(
                    "The trains of %(corporation)s do not run: nothing is earned, though the best "
                    "run is worth %(sum)s. Choose whether it is paid out or withheld."
                )
                % told
            )
        if self.stays:
            return (
                _(
                    "With 0 the trains of %(corporation)s do not run, though the best run is worth "
                    "%(sum)s. Send it only if that is what you want."
                )
                % told
            )
        return ""
