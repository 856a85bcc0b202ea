"""A title's map as it is printed, whether or not the engine plays the title.

It is read from the facts alone and only drawn: the engine reads what it plays by itself, strictly.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace
from functools import cache, cached_property
from typing import Any

from .geometry import Grid, Point
from .printed import facts

COLOURS = ("white", "yellow", "green", "brown", "gray")  # of tiles, in the order that they come

End = int | str  # of a piece of track: an edge 0 to 5, or "n0" for the first node


@dataclass(frozen=True, slots=True)
class Node:
    """A place that a run stops at. `values` are (phase, value); `steps` those printed, in order,
    each with the colour of its box; `secondary` where another hex of the group shows them."""

    kind: str  # city, town or offboard
    slots: int
    values: tuple[tuple[str, int], ...]
    steps: tuple[tuple[str, int], ...]
    group: str | None
    secondary: bool
    optional: bool

    def value(self, phase: str) -> int:
        """What it pays in a phase."""
        return dict(self.values)[phase]

    @property
    def begins(self) -> tuple[tuple[str, int], ...]:
        """Its values, each with the phase from which it holds."""
        found: list[tuple[str, int]] = []
        for phase, value in self.values:
            if not found or found[-1][1] != value:
                found.append((phase, value))
        return tuple(found)

    def step(self, phase: str) -> int | None:
        """Which of the printed steps is in force in a phase."""
        if not phase or not self.steps:
            return None
        now, began = -1, dict(self.begins)
        for name, _value in self.values:
            now += name in began
            if name == phase:
                return now
        return None


@dataclass(frozen=True, slots=True)
class Piece:
    """A piece of track between two ends, an edge first if there is one."""

    a: End
    b: End
    gauge: str = "standard"


@dataclass(frozen=True, slots=True)
class Print:
    """What is printed on a tile, or on a hex itself (then `id` is empty)."""

    id: str
    colour: str
    nodes: tuple[Node, ...]
    pieces: tuple[Piece, ...]
    label: str | None

    def turned(self, rotation: int) -> Print:
        """The same turned so many times by 60 degrees clockwise."""
        if not rotation:
            return self
        return replace(
            self,
            pieces=tuple(
                replace(one, a=_turn(one.a, rotation), b=_turn(one.b, rotation))
                for one in self.pieces
            ),
        )

    def edges(self, node: int) -> tuple[int, ...]:
        """The edges that a node's track leads to."""
        return tuple(one.a for one in self.pieces if one.b == f"n{node}" and isinstance(one.a, int))

    def gauge(self, a: End, b: End) -> str | None:
        """The gauge of the track between two ends; None if there is none."""
        for one in self.pieces:
            if {one.a, one.b} == {a, b}:
                return one.gauge
        return None


@dataclass(frozen=True, slots=True)
class Place:
    """A hex of the map. `banks` are the two sets of edges that its river parts; `station_bank` is
    the one that its city or town lies on. `may_be_home` are those that may
    choose it."""

    id: str
    x: int
    y: int
    name: str | None
    fixed: bool
    terrain: str | None
    cost: int
    printed: Print
    future_label: tuple[str, str] | None  # the label, and the colour that brings it
    impassable: tuple[int, ...]
    joined: tuple[int, ...]
    banks: tuple[tuple[int, ...], ...]
    station_bank: tuple[int, ...]
    port: bool
    homes: tuple[tuple[str, int | None], ...]
    may_be_home: tuple[str, ...]
    blocked_by: tuple[str, ...]
    destination_of: tuple[str, ...]
    first_tiles: tuple[str, ...]

    def label_to_come(self, lying: Print) -> tuple[str, str] | None:
        """The label that a tile brings, and its colour, while the one that lies is before it."""
        if not self.future_label or lying.colour not in COLOURS:
            return None
        to_come = COLOURS.index(lying.colour) < COLOURS.index(self.future_label[1])
        return self.future_label if to_come else None


@dataclass(frozen=True)
class Sheet:
    """The map of a title, its tiles, and who may stand on them: `colours` by corporation."""

    title: str
    grid: Grid
    deltas: tuple[tuple[int, int], ...]  # where the neighbours lie, by edge
    currency: Mapping[str, str]
    places: Mapping[str, Place]
    tiles: Mapping[str, Print]
    phases: tuple[str, ...]
    colours: Mapping[str, str | None]

    def centre(self, hex_id: str) -> Point:
        place = self.places[hex_id]
        return self.grid.centre(place.x, place.y)

    @cached_property
    def at(self) -> Mapping[tuple[int, int], str]:
        """The hexes by their doubled coordinates."""
        return {(place.x, place.y): hex_id for hex_id, place in self.places.items()}

    def edge(self, here: str, there: str) -> int:
        """The edge of one hex over which another lies; they must touch."""
        a, b = self.places[here], self.places[there]
        return self.deltas.index((b.x - a.x, b.y - a.y))


@cache
def sheet(title: str) -> Sheet:
    """What is printed of a title, read once. Raises `FileNotFoundError` for one that is not."""
    told = facts(title)
    phases = tuple(phase["id"] for phase in told["phases"])
    return Sheet(
        title=title,
        grid=Grid(told["grid"]["orientation"] == "pointy_top"),
        deltas=tuple((dx, dy) for dx, dy in told["grid"]["delta_xy"]),
        currency=told["currency"],
        places={
            one["id"]: _place(one, phases, told["corporations"]) for one in told["map"]["hexes"]
        },
        tiles={one["id"]: _print(one["id"], one, phases) for one in told["tiles"]},
        phases=phases,
        colours={one["id"]: one.get("color") for one in told["corporations"]},
    )


def _turn(end: End, rotation: int) -> End:
    return (end + rotation) % 6 if isinstance(end, int) else end


def _node(told: Mapping[str, Any], phases: tuple[str, ...]) -> Node:
    revenue = told.get("revenue") or 0
    if isinstance(revenue, dict):
        values = tuple((phase, revenue["by_phase"][phase]) for phase in phases)
        steps = tuple(revenue["printed_steps"].items())
    else:
        values, steps = tuple((phase, revenue) for phase in phases), ()
    return Node(
        kind=told["type"],
        slots=told.get("slots", 0),
        values=values,
        steps=steps,
        group=told.get("group"),
        secondary=bool(told.get("secondary_of_group")),
        optional=bool(told.get("optional_stop")),
    )


def _print(name: str, told: Mapping[str, Any], phases: tuple[str, ...]) -> Print:
    return Print(
        id=name,
        colour=told["color"],
        nodes=tuple(_node(one, phases) for one in told["nodes"]),
        pieces=tuple(
            Piece(one["a"], one["b"], one.get("gauge", "standard")) for one in told["paths"]
        ),
        label=told.get("label"),
    )


def _place(
    told: Mapping[str, Any], phases: tuple[str, ...], corporations: Sequence[Mapping[str, Any]]
) -> Place:
    terrain = told["terrain"] or {"kind": None, "cost": 0}
    river = told.get("river") or {"banks": (), "station_bank": None}
    future = told.get("future_label")
    return Place(
        id=told["id"],
        x=told["x"],
        y=told["y"],
        name=told["name"],
        fixed=told["fixed"],
        terrain=terrain["kind"],
        cost=terrain["cost"],
        printed=_print("", told, phases),
        future_label=(future["label"], future["color"]) if future else None,
        impassable=tuple(told["impassable_edges"]),
        joined=tuple(told.get("joined_edges", ())),
        banks=tuple(tuple(bank) for bank in river["banks"]),
        station_bank=tuple(river["station_bank"] or ()),
        port=bool(told.get("port")),
        homes=tuple((one["corporation"], one["node"]) for one in told.get("home_of", ())),
        may_be_home=tuple(
            one["id"] for one in corporations if told["id"] in one.get("home_options", ())
        ),
        blocked_by=tuple(told.get("blocked_by_private", ())),
        destination_of=tuple(told.get("destination_of", ())),
        first_tiles=tuple(told["first_tiles"]),
    )
