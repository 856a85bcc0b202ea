"""What players and corporations do: one frozen value a kind of action.

Every action has its `actor`: a player's id, or a corporation's symbol when its president acts for
it. Each prints and parses back, as JSON (`to_dict`, `from_dict`) and as a line that a person can
write (`str`, `parse`):

>>> parse("PRR lay H10 57 1")
LayTile(actor='PRR', hex='H10', tile='57', rotation=1, private=None)
>>> str(BuyTrain("B&O", "D", "bank", 800, exchange="4"))
'B&O train D bank 800 exchange=4'
>>> from_dict({"type": "sell", "actor": "2", "corporation": "NYC", "shares": 2})
SellShares(actor='2', corporation='NYC', shares=2)
"""

from __future__ import annotations

import re
from collections.abc import Mapping
from dataclasses import MISSING, dataclass, fields
from typing import Any, ClassVar

from .errors import MalformedAction

LONGEST = 40  # characters of a name
LONGEST_LINE = 10_000
MOST_DOLLARS = 1_000_000
MOST_ROUTES = 20
MOST_HEXES = 200  # in one leg


@dataclass(frozen=True, slots=True)
class Action:
    """What an actor does; never made itself."""

    verb: ClassVar[str] = ""
    actor: str

    def to_dict(self) -> dict[str, Any]:
        """Plain JSON, without what is not said: `from_dict` reads it back."""
        said = {one.name: getattr(self, one.name) for one in fields(self)}
        return {"type": self.verb} | {k: v for k, v in said.items() if v is not None}

    def __str__(self) -> str:
        words = [self.actor, self.verb]
        for one in fields(self)[1:]:
            value = getattr(self, one.name)
            if one.default is MISSING:
                words.append(str(value))
            elif value is not None:
                words.append(f"{one.name}={value}")
        return " ".join(words)


@dataclass(frozen=True, slots=True)
class Bid(Action):
    """1830/A-2 — in the auction: a bid on a private; on the cheapest, its purchase."""

    verb: ClassVar[str] = "bid"
    private: str
    price: int


@dataclass(frozen=True, slots=True)
class Pass(Action):
    """To do nothing more: in the auction, a stock turn, or a step of an operating turn."""

    verb: ClassVar[str] = "pass"


@dataclass(frozen=True, slots=True)
class Par(Action):
    """1830/S-8 — to buy a president's certificate at the par price (*quotazione*) one names."""

    verb: ClassVar[str] = "par"
    corporation: str
    price: int


@dataclass(frozen=True, slots=True)
class BuyShare(Action):
    """1830/S-7 — to buy one 10% certificate, from the offering ("ipo") or the pool ("pool")."""

    verb: ClassVar[str] = "buy"
    corporation: str
    source: str


@dataclass(frozen=True, slots=True)
class SellShares(Action):
    """1830/S-18 — to sell one block of `shares` times 10% to the pool."""

    verb: ClassVar[str] = "sell"
    corporation: str
    shares: int


@dataclass(frozen=True, slots=True)
class ExchangePrivate(Action):
    """1830/V-9 — to swap a private for the 10% share it may become, from "ipo" or "pool"."""

    verb: ClassVar[str] = "exchange"
    private: str
    source: str


@dataclass(frozen=True, slots=True)
class BuyPrivate(Action):
    """1830/V-2, V-3 — to buy a private from the player who owns it; the actor is the buyer."""

    verb: ClassVar[str] = "private"
    private: str
    price: int


@dataclass(frozen=True, slots=True)
class LayTile(Action):
    """1830/L-1 — to lay or replace a tile; `private` names the power that is used, if any."""

    verb: ClassVar[str] = "lay"
    hex: str
    tile: str
    rotation: int
    private: str | None = None


@dataclass(frozen=True, slots=True)
class PlaceToken(Action):
    """1830/K-4 — to place a token in the hex's `city`-th node; also the choice of 1830/F-3."""

    verb: ClassVar[str] = "token"
    hex: str
    city: int
    private: str | None = None


@dataclass(frozen=True, slots=True)
class Route:
    """1830/R-1 — one train's run: legs from stop to stop, each the hexes passed in order.

    >>> str(Route("3", (("I15", "I17", "I19"), ("I15", "J14"))))
    '3:I15-I17-I19+I15-J14'
    """

    train: str
    legs: tuple[tuple[str, ...], ...]

    def __str__(self) -> str:
        return f"{self.train}:" + "+".join("-".join(leg) for leg in self.legs)


@dataclass(frozen=True, slots=True)
class Run(Action):
    """1830/R-1 — to run trains; no route at all is a turn that earns nothing."""

    verb: ClassVar[str] = "run"
    routes: tuple[Route, ...]

    def to_dict(self) -> dict[str, Any]:
        routes = [
            {"train": route.train, "legs": [list(leg) for leg in route.legs]}
            for route in self.routes
        ]
        return {"type": self.verb, "actor": self.actor, "routes": routes}

    def __str__(self) -> str:
        return " ".join([self.actor, self.verb, *map(str, self.routes)])


@dataclass(frozen=True, slots=True)
class Dividend(Action):
    """1830/D-1, D-2 — to pay out ("pay") or withhold ("withhold") what the trains earned."""

    verb: ClassVar[str] = "dividend"
    kind: str


@dataclass(frozen=True, slots=True)
class BuyTrain(Action):
    """1830/N-1..N-5 — to buy a train from "bank", "pool" or a corporation, at `price`; `exchange`
    names the kind given up for a diesel (N-4)."""

    verb: ClassVar[str] = "train"
    train: str
    source: str
    price: int
    exchange: str | None = None


@dataclass(frozen=True, slots=True)
class DiscardTrain(Action):
    """1830/N-8 — to discard a train above the limit into the pool."""

    verb: ClassVar[str] = "discard"
    train: str


@dataclass(frozen=True, slots=True)
class Bankrupt(Action):
    """1830/E-7 — a president who cannot pay for a train that must be bought; the actor is he."""

    verb: ClassVar[str] = "bankrupt"


KINDS: dict[str, type[Action]] = {
    kind.verb: kind
    for kind in (
        *(Bid, Pass, Par, BuyShare, SellShares, ExchangePrivate, BuyPrivate, LayTile, PlaceToken),
        *(Run, Dividend, BuyTrain, DiscardTrain, Bankrupt),
    )
}


def from_dict(said: Mapping[str, Any]) -> Action:
    """The action that `Action.to_dict` wrote. Raises `MalformedAction`, naming the field."""
    if not isinstance(said, Mapping):
        raise MalformedAction("action", said, "an object")
    verb = said.get("type")
    kind = KINDS.get(verb) if isinstance(verb, str) else None
    if kind is None:
        raise MalformedAction("type", verb, "a kind of action")
    known = {one.name: one for one in fields(kind)}
    for name in said.keys() - known.keys() - {"type"}:
        raise MalformedAction(str(name), said[name], f"a field of {verb}")
    values: dict[str, Any] = {}
    for name, one in known.items():
        value = said.get(name)
        if value is None and one.default is None:
            continue
        if name == "routes":
            values[name] = _routes(value)
        elif one.type == "int":
            values[name] = _number(name, value)
        else:
            values[name] = _name(name, value)
    return kind(**values)


def parse(line: object) -> Action:
    """The action that `str(action)` wrote. Raises `MalformedAction`."""
    said_words = line.split() if isinstance(line, str) and len(line) < LONGEST_LINE else []
    if len(said_words) < 2:
        raise MalformedAction("action", line, "an actor, a kind of action and what it needs")
    actor, verb, *words = said_words
    kind = KINDS.get(verb)
    if kind is None:
        raise MalformedAction("type", verb, "a kind of action")
    said: dict[str, Any] = {"type": verb, "actor": actor}
    if kind is Run:
        said["routes"] = [_route_of(word) for word in words]
        return from_dict(said)
    named = [word for word in words if "=" in word]
    placed = [word for word in words if "=" not in word]
    needed = [one for one in fields(kind)[1:] if one.default is MISSING]
    if len(placed) != len(needed):
        raise MalformedAction(verb, line, f"{verb} with " + ", ".join(one.name for one in needed))
    for one, word in zip(needed, placed, strict=True):
        number = one.type == "int" and re.fullmatch(r"-?\d{1,9}", word, re.ASCII)
        said[one.name] = int(word) if number else word
    optional = {one.name for one in fields(kind)} - {one.name for one in needed} - {"actor"}
    for name, _, value in (word.partition("=") for word in named):
        if name not in optional:
            raise MalformedAction(name, value, f"a field of {verb}")
        said[name] = value
    return from_dict(said)


def _number(name: str, value: object) -> int:
    if not isinstance(value, int) or isinstance(value, bool) or abs(value) > MOST_DOLLARS:
        raise MalformedAction(name, value, "a whole number")
    return value


def _name(name: str, value: object) -> str:
    if not isinstance(value, str) or not value or len(value) > LONGEST or len(value.split()) != 1:
        raise MalformedAction(name, value, "a name")
    return value


def _routes(value: object) -> tuple[Route, ...]:
    if not isinstance(value, list | tuple) or len(value) > MOST_ROUTES:
        raise MalformedAction("routes", value, "a list of routes")
    routes = []
    for one in value:
        if not isinstance(one, Mapping) or one.keys() != {"train", "legs"}:
            raise MalformedAction("routes", one, "a train and its legs")
        legs = one["legs"]
        if not isinstance(legs, list | tuple) or len(legs) > MOST_HEXES:
            raise MalformedAction("legs", legs, "a list of legs")
        for leg in legs:
            if not isinstance(leg, list | tuple) or not 1 <= len(leg) <= MOST_HEXES:
                raise MalformedAction("legs", leg, "a list of hexes")
        routes.append(
            Route(
                _name("train", one["train"]),
                tuple(tuple(_name("hex", place) for place in leg) for leg in legs),
            )
        )
    return tuple(routes)


def _route_of(word: str) -> dict[str, Any]:
    train, _, legs = word.partition(":")
    return {"train": train, "legs": [leg.split("-") for leg in legs.split("+")]}
