"""The commands of a move form (*comandi della mossa*), each a row that somebody filled in.

A command is what was meant, not yet what the engine does: the best run depends on the tile laid
before it, the train handed in for a diesel on what the corporation then has. `turns` turns each
into actions when its turn comes.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from enum import StrEnum
from typing import Any

from pbem.engine import Action, from_dict
from pbem.engine.errors import MalformedAction

MOST_COMMANDS = 40  # of one form


class Fault(StrEnum):
    """What is wrong with a command before the rules of the game are asked."""

    CONTRADICTION = "contradiction"  # V-02: a pass, and something else
    SOURCE_MISSING = "source_missing"  # V-06, X-12: from where
    PRICE_MISSING = "price_missing"
    PAR_MISSING = "par_missing"  # Z-09
    INCOMPLETE = "incomplete"  # a row half filled in
    UNREADABLE = "unreadable"  # a name that is none
    ROUTES_NEEDED = "routes_needed"  # X-09, Y-05: an amount that is not that of the best run
    DIVIDEND_MISSING = "dividend_missing"
    TRAIN_TO_NAME = "train_to_name"  # several could be handed in
    WRONG_SUM = "wrong_sum"  # V-07, where a clear intention is not enough (Y-05)
    TURN_OVER = "turn_over"  # the turn ended with the command before
    CONSENT_REFUSED = "consent_refused"
    CONSENT_LAPSED = "consent_lapsed"  # T-10


@dataclass(frozen=True, slots=True)
class Plain:
    """A command that is one action; `stated` is the sum that the sender gave for it, if any.

    `late` asks for a private to be bought at the end of the turn (X-04).
    """

    action: Action
    stated: int | None = None
    late: bool = False

    def to_dict(self) -> dict[str, Any]:
        said: dict[str, Any] = {"do": "action", "action": self.action.to_dict()}
        if self.stated is not None:
            said["stated"] = self.stated
        return said | ({"late": True} if self.late else {})


@dataclass(frozen=True, slots=True)
class RunOrder:
    """To run the trains, and what becomes of the income (X-09).

    `routes` has the hexes named for each train, or is None: then `stated` is the whole, and the
    best run is meant. `dividend` is "pay", "withhold" or, not said, empty.
    """

    corporation: str
    routes: tuple[tuple[str, tuple[str, ...]], ...] | None
    stated: int | None
    dividend: str

    def to_dict(self) -> dict[str, Any]:
        said: dict[str, Any] = {"do": "run", "corporation": self.corporation}
        if self.routes is not None:
            said["routes"] = [[train, list(hexes)] for train, hexes in self.routes]
        if self.stated is not None:
            said["stated"] = self.stated
        return said | {"dividend": self.dividend}


@dataclass(frozen=True, slots=True)
class Faulty:
    """A row that is no command: `about` is its kind (an action's verb), `fault` what it lacks."""

    about: str
    fault: Fault
    said: str = ""

    def to_dict(self) -> dict[str, Any]:
        return {"do": "fault", "about": self.about, "fault": self.fault.value, "said": self.said}


@dataclass(frozen=True, slots=True)
class Written:
    """A row as it was filled in, where no engine knows the title: the station master reads it.

    `row` is its kind, by the verb of the action that it would be; `said` its fields, in order, as
    they were typed or chosen, each with its name.
    """

    row: str
    said: tuple[tuple[str, str], ...] = ()

    def to_dict(self) -> dict[str, Any]:
        return {"do": "text", "row": self.row, "said": [list(one) for one in self.said]}


Command = Plain | RunOrder | Faulty | Written


def verb(command: Command) -> str:
    """What kind of command it is: an action's verb."""
    if isinstance(command, Plain):
        return command.action.verb
    if isinstance(command, Written):
        return command.row
    return "run" if isinstance(command, RunOrder) else command.about


def read(said: Mapping[str, Any]) -> Command:
    """The command that `to_dict` wrote. Raises `MalformedAction`."""
    match said.get("do"):
        case "action":
            return Plain(
                from_dict(said["action"]), _amount(said.get("stated")), bool(said.get("late"))
            )
        case "run":
            routes = said.get("routes")
            return RunOrder(
                str(said["corporation"]),
                None if routes is None else tuple(_route(one) for one in routes),
                _amount(said.get("stated")),
                str(said.get("dividend", "")),
            )
        case "fault":
            return Faulty(str(said["about"]), Fault(said["fault"]), str(said.get("said", "")))
        case "text":
            return Written(
                str(said["row"]), tuple((str(name), str(value)) for name, value in said["said"])
            )
        case other:
            raise MalformedAction("do", other, "a kind of command")


def _amount(value: object) -> int | None:
    if value is None:
        return None
    if not isinstance(value, int) or isinstance(value, bool):
        raise MalformedAction("stated", value, "a whole number")
    return value


def _route(value: Any) -> tuple[str, tuple[str, ...]]:
    train, hexes = value
    return str(train), tuple(str(one) for one in hexes)


def without_contradiction(commands: Sequence[Command]) -> list[Command]:
    """V-02 — a pass ticked together with another command contradicts it: none is executed.

    >>> from pbem.engine import parse
    >>> both = [Plain(parse("1 pass")), Plain(parse("1 buy PRR ipo"))]
    >>> [command.fault.value for command in without_contradiction(both)]
    ['contradiction', 'contradiction']
    """
    if len(commands) > 1 and any(verb(one) == "pass" for one in commands):
        return [Faulty(verb(one), Fault.CONTRADICTION, told(one)) for one in commands]
    return list(commands)


def told(command: Command) -> str:
    """The command in a line, as `parse` reads it where it is an action."""
    if isinstance(command, Plain):
        return str(command.action)
    if isinstance(command, Written):
        return " ".join([command.row, *(value for _name, value in command.said)])
    return command.said if isinstance(command, Faulty) else f"{command.corporation} run"
