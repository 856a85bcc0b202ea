"""Two judges of the best run, each straight from the clauses and each in its own way.

*By force*: every legal run is walked, piece of track by piece, and every set of them for all the
trains is tried. *By solver*: each train is a circuit in a graph of places and hexsides, and CP-SAT
proves the most that they earn together. Neither reads the engine's routes, nor the other's; what
they share is `Web`, the track of the board. A hexside is the set of the two hexes that it parts.
"""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Iterator
from dataclasses import dataclass
from typing import Any

from ortools.sat.python import cp_model

from pbem.engine.actions import Route
from pbem.engine.state import State

Place = tuple[str, int]  # a hex and the number of a node on it
Side = frozenset[str]
Corner = Place | Side
Leg = tuple[str, ...]


class Web:
    """What lies on a board, as one corporation sees it: which track meets at each corner."""

    def __init__(self, state: State, symbol: str) -> None:
        self.state, self.symbol = state, symbol
        self.phase = state.title.phases[state.phase].id
        self.joined: dict[tuple[str, Corner], list[Corner]] = defaultdict(list)
        for hex_id, laid in state.board.items():
            for path in laid.paths:
                one, other = (self._corner(hex_id, end) for end in path)
                if one is not None and other is not None:
                    self.joined[hex_id, one].append(other)
                    self.joined[hex_id, other].append(one)

    def _corner(self, hex_id: str, end: int) -> Corner | None:
        """Where a piece of track ends; None beyond the map."""
        if end < 0:
            return (hex_id, ~end)
        beyond = self.state.title.hexes[hex_id].neighbors[end]
        return None if beyond is None else frozenset({hex_id, beyond.id})

    def places(self) -> list[Place]:
        return sorted({corner for _, corner in self.joined if isinstance(corner, tuple)})

    def tokens(self, place: Place) -> tuple[str, ...]:
        return self.state.stations.get(place, ())

    def ends_here(self, place: Place) -> bool:
        """R-4, R-5 — a red area, or a city all of whose slots are others'."""
        node = self.state.board[place[0]].tile.nodes[place[1]]
        if node.kind == "offboard":
            return True
        tokens = self.tokens(place)
        return node.kind == "city" and len(tokens) >= node.slots and self.symbol not in tokens

    def area(self, place: Place) -> str:
        """R-5 — the hexes of one red area are one place."""
        node = self.state.board[place[0]].tile.nodes[place[1]]
        return node.group or f"{place[0]}:{place[1]}"

    def value(self, place: Place) -> int:
        """R-8 — as printed on the tile now in play; a red area by the phase."""
        return self.state.board[place[0]].tile.nodes[place[1]].values[self.phase]

    def reaches(self) -> list[int]:
        """R-2, R-15 — how many places each train counts: a diesel more than there are."""
        kinds = self.state.title.trains
        owned = self.state.corporations[self.symbol].trains
        return [kinds[kind].reach or len(self.places()) for kind in owned]


# --- by force -------------------------------------------------------------------------------------


@dataclass(frozen=True)
class Trip:
    """A legal run of one train."""

    legs: tuple[Leg, ...]
    stops: tuple[Place, ...]
    sides: frozenset[Side]
    value: int

    @property
    def key(self) -> frozenset[Leg]:
        return one_way(self.legs)


def one_way(legs: tuple[Leg, ...]) -> frozenset[Leg]:
    """The legs of a run, whichever way and in whichever order they are told."""
    return frozenset(min(leg, leg[::-1]) for leg in legs)


def key_of(route: Route) -> frozenset[Leg]:
    return one_way(route.legs)


def trips(state: State, symbol: str, longest: int | None = None) -> list[Trip]:
    """R-1..R-13 — every legal run of at most `longest` places (as many as the longest train
    counts), told from one of its two ends."""
    web = Web(state, symbol)
    most = max(web.reaches(), default=0) if longest is None else longest
    found = []
    for place in web.places():
        for trip in _onward(web, most, place[0], place, ((place[0],),), (place,), frozenset()):
            served = any(symbol in web.tokens(stop) for stop in trip.stops)
            if trip.stops[0] < trip.stops[-1] and served:
                found.append(trip)
    return found


def _onward(
    web: Web,
    most: int,
    hex_id: str,
    corner: Corner,
    legs: tuple[Leg, ...],
    stops: tuple[Place, ...],
    sides: frozenset[Side],
) -> Iterator[Trip]:
    """Every way on from a corner of this hex; the last leg is not finished."""
    for far in web.joined.get((hex_id, corner), ()):
        if isinstance(far, frozenset):
            if far in sides:  # the side that one came by is among them
                continue
            (across,) = far - {hex_id}
            further = (*legs[:-1], (*legs[-1], across))
            yield from _onward(web, most, across, far, further, stops, sides | {far})
            continue
        if web.area(far) in map(web.area, stops) or len(stops) == most:
            continue
        there = (*stops, far)
        yield Trip(legs, there, sides, sum(map(web.value, there)))
        if not web.ends_here(far):
            yield from _onward(web, most, hex_id, far, (*legs, (hex_id,)), there, sides)


@dataclass(frozen=True)
class Forced:
    """The most that all trains earn, with the run of each that runs, in the order owned."""

    value: int
    runs: tuple[tuple[str, Trip], ...]


def best_by_force(state: State, symbol: str) -> Forced:
    """R-7, R-14, R-15 — every set of runs without a common hexside, one for each train or none.

    A set is given up only when even the best run of each train left would not beat the best set.
    """
    kinds = state.corporations[symbol].trains
    reaches = Web(state, symbol).reaches()
    numbers: dict[Side, int] = {}
    every = []
    for trip in sorted(trips(state, symbol), key=lambda one: -one.value):
        bits = sum(1 << numbers.setdefault(side, len(numbers)) for side in trip.sides)
        every.append((trip, bits))
    choices = [[(t, bits) for t, bits in every if len(t.stops) <= reach] for reach in reaches]
    alone = [max((trip.value for trip, _ in choice), default=0) for choice in choices]
    best = Forced(0, ())

    def fill(number: int, used: int, value: int, chosen: tuple[tuple[str, Trip], ...]) -> None:
        nonlocal best
        if value > best.value:
            best = Forced(value, chosen)
        if number == len(choices):
            return
        after = sum(alone[number + 1 :])
        for trip, bits in choices[number]:
            if value + trip.value + after <= best.value:
                break  # worth less from here on
            if not used & bits:
                fill(number + 1, used | bits, value + trip.value, (*chosen, (kinds[number], trip)))
        if value + after > best.value:
            fill(number + 1, used, value, chosen)

    fill(0, 0, 0, ())
    return best


# --- by solver ------------------------------------------------------------------------------------

Node = Place | tuple[Side, str]  # a place, or a hexside with the hex that is entered by it
HOME = 0  # where every circuit begins and ends, off the map


def near(web: Web) -> set[tuple[str, Corner]]:
    """The corners joined to an own token by whatever track: no run leaves them."""
    seen: set[tuple[str, Corner]] = set()
    todo: list[tuple[str, Corner]] = [
        (place[0], place) for place in web.places() if web.symbol in web.tokens(place)
    ]
    while todo:
        here = todo.pop()
        if here in seen:
            continue
        seen.add(here)
        hex_id, corner = here
        todo += [(hex_id, far) for far in web.joined.get(here, ())]
        if isinstance(corner, frozenset):
            todo += [(other, corner) for other in corner - {hex_id}]
    return seen


def arcs(web: Web) -> Iterator[tuple[Node, Node]]:
    """Each piece of track near an own token, both ways: out of a hexside one goes into the hex that
    is entered, out of the hex by another of its corners."""
    for hex_id, corner in near(web):
        for far in web.joined.get((hex_id, corner), ()):
            start: Node = corner if isinstance(corner, tuple) else (corner, hex_id)
            if isinstance(far, tuple):
                yield start, far
            else:
                (across,) = far - {hex_id}
                yield start, (far, across)


class Model:
    """Every train as one circuit from `HOME` over some places and hexsides and back, or none."""

    def __init__(self, web: Web) -> None:
        self.web = web
        self.ways = sorted(set(arcs(web)), key=repr)
        self.nodes = sorted({node for way in self.ways for node in way}, key=repr)
        self.places = [node for node in self.nodes if isinstance(node[0], str)]
        self.number = {node: n for n, node in enumerate(self.nodes, 1)}
        self.model = cp_model.CpModel()
        self.crossings: dict[Side, list[Any]] = defaultdict(list)
        reaches = sorted(web.reaches())
        self.earned = [self.train(reach) for reach in reaches]
        for both_ways in self.crossings.values():
            self.model.add_at_most_one(both_ways)
        for n in range(1, len(reaches)):
            if reaches[n] == reaches[n - 1]:  # which of two like trains runs for more is the same
                self.model.add(self.earned[n - 1] >= self.earned[n])
        self.model.maximize(sum(self.earned))

    def train(self, reach: int) -> Any:
        """The run of one train, and what it earns."""
        model, web, number = self.model, self.web, self.number
        runs = model.new_bool_var("")
        visits = {node: model.new_bool_var("") for node in self.nodes}
        begins = {place: model.new_bool_var("") for place in self.places}
        ends = {place: model.new_bool_var("") for place in self.places}
        model.add_circuit(
            [(HOME, HOME, ~runs)]
            + [(number[node], number[node], ~visits[node]) for node in self.nodes]
            + [(HOME, number[place], begins[place]) for place in self.places]
            + [(number[place], HOME, ends[place]) for place in self.places]
            + [(number[a], number[b], model.new_bool_var("")) for a, b in self.ways]
        )
        for node, visited in visits.items():
            model.add_implication(visited, runs)  # no circuit but by way of `HOME`
            if not isinstance(node[0], str):
                self.crossings[node[0]].append(visited)
        stops = sum(visits[place] for place in self.places)
        own = sum(visits[place] for place in self.places if web.symbol in web.tokens(place))
        model.add(stops >= 2 * runs)
        model.add(own >= runs)
        model.add(stops <= reach)
        areas: dict[str, list[Any]] = defaultdict(list)
        for place in self.places:
            areas[web.area(place)].append(visits[place])
            if web.ends_here(place):
                model.add(visits[place] <= begins[place] + ends[place])
        for one_place in areas.values():
            model.add_at_most_one(one_place)
        first = sum(number[place] * begins[place] for place in self.places)
        last = sum(number[place] * ends[place] for place in self.places)
        model.add(first <= last)  # a run is told from one of its ends
        return sum(web.value(place) * visits[place] for place in self.places)


def best_by_solver(state: State, symbol: str, seconds: float = 600) -> int:
    """R-1..R-15 — the optimum, proven; raises `TimeoutError` when it is not within the time."""
    web = Web(state, symbol)
    if not web.reaches():
        return 0
    solver = cp_model.CpSolver()
    solver.parameters.num_workers = 1
    solver.parameters.random_seed = 1
    solver.parameters.max_time_in_seconds = seconds
    status = solver.solve(Model(web).model)
    if status != cp_model.OPTIMAL:
        raise TimeoutError(solver.status_name(status))
    return round(solver.objective_value)
