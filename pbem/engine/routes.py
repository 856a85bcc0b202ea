"""1830/R — runs and what they earn: the check of the routes that somebody claims."""

from __future__ import annotations

from collections import Counter
from dataclasses import dataclass
from itertools import pairwise

from .actions import Route, Run
from .errors import IllegalAction, MalformedAction, Reason
from .reach import Place, passable, spot
from .state import Corporation, State


@dataclass(frozen=True, slots=True)
class Stretch:
    """A leg as it lies on the board: from stop to stop, over hexsides (a bit each)."""

    start: Place
    end: Place
    sides: int


def earnings(state: State, action: Run) -> int:
    """1830/R-1..R-14 — what the routes earn together, if every one of them is legal.

    Raises `IllegalAction` with the rule that the first wrong route breaks; the order of the legs
    of a route is of no account.
    """
    corporation = state.corporations[action.actor]
    owned = Counter(corporation.trains)
    used = total = 0
    for route in action.routes:
        if not owned[route.train]:
            missing = route.train not in corporation.trains
            raise IllegalAction(
                Reason.NO_SUCH_TRAIN if missing else Reason.TRAIN_RUNS_ONCE,
                "1830/R-1",
                train=route.train,
                corporation=corporation.id,
            )
        owned[route.train] -= 1
        stretches = [trace(state, leg) for leg in route.legs]
        own = 0
        for leg, stretch in zip(route.legs, stretches, strict=True):
            if (used | own) & stretch.sides:
                clause = "1830/R-3" if own & stretch.sides else "1830/R-7"
                raise IllegalAction(
                    Reason.TRACK_TWICE, clause, train=route.train, leg="-".join(leg)
                )
            own |= stretch.sides
        used |= own
        stops = in_line(route, stretches)
        check_stops(state, corporation, route, stops)
        total += worth(state, stops)
    return total


def worth(state: State, stops: list[Place]) -> int:
    """1830/R-8 — what the stops of a run pay in the phase in force."""
    phase = state.title.phases[state.phase].id
    return sum(state.board[hex_id].tile.nodes[node].values[phase] for hex_id, node in stops)


def trace(state: State, leg: tuple[str, ...]) -> Stretch:
    """The track of a leg: from a node of the first hex, straight through, to a node of the last."""
    board, hexes = state.board, state.title.hexes
    for name in leg:
        if name not in hexes:
            raise MalformedAction("leg", name, "a hex of the map")
    sides = 0
    came: int | None = None  # the edge by which the hex was entered
    start: Place | None = None
    for name, following in pairwise(leg):
        hexagon, other = hexes[name], hexes[following]
        if other not in hexagon.neighbors:
            raise _no_track(leg)
        edge = hexagon.neighbors.index(other)
        laid = board[name]
        if came is None:
            start = _node_at(state, name, edge, leg)
        elif (came, edge) not in laid.path_set:
            raise _no_track(leg)
        came = (edge + 3) % 6
        crossed = hexagon.sides[edge] | other.sides[came]
        if sides & crossed:
            raise IllegalAction(Reason.TRACK_TWICE, "1830/R-3", leg="-".join(leg))
        sides |= crossed
    if came is None or start is None:
        raise _no_track(leg)
    return Stretch(start, _node_at(state, leg[-1], came, leg), sides)


def _node_at(state: State, name: str, edge: int, leg: tuple[str, ...]) -> Place:
    for end in state.board[name].from_edge[edge]:
        if end < 0:
            return (name, ~end)
    raise _no_track(leg)


def _no_track(leg: tuple[str, ...]) -> IllegalAction:
    return IllegalAction(Reason.NO_SUCH_TRACK, "1830/R-1", leg="-".join(leg))


def in_line(route: Route, stretches: list[Stretch]) -> list[Place]:
    """The stops of a route from one end to the other.

    Raises `IllegalAction` if a stop comes twice (R-3) or the legs do not form one line.
    """
    beside: dict[Place, list[Place]] = {}
    for stretch in stretches:
        beside.setdefault(stretch.start, []).append(stretch.end)
        beside.setdefault(stretch.end, []).append(stretch.start)
    for place, others in beside.items():
        if len(others) > 2 or place in others or len(set(others)) < len(others):
            raise _twice(place)
    ends = [place for place, others in beside.items() if len(others) == 1]
    if not stretches:
        raise IllegalAction(Reason.TOO_FEW_STOPS, "1830/R-1", train=route.train)
    if not ends:
        raise _twice(stretches[0].start)
    line = [ends[0]]
    before: Place | None = None
    while True:
        onward = [place for place in beside[line[-1]] if place != before]
        if not onward:
            break
        before = line[-1]
        line.append(onward[0])
    if len(line) < len(beside):
        raise IllegalAction(Reason.LEGS_APART, "1830/R-1", train=route.train)
    return line


def _twice(place: Place, clause: str = "1830/R-3") -> IllegalAction:
    return IllegalAction(Reason.STOP_TWICE, clause, stop=f"{place[0]}:{place[1]}")


def check_stops(state: State, corporation: Corporation, route: Route, stops: list[Place]) -> None:
    """1830/R-1, R-2, R-4, R-5 — how many stops, an own token, none passed that ends a run."""
    reach = state.title.trains[route.train].reach
    if reach is not None and len(stops) > reach:
        raise IllegalAction(
            Reason.TOO_MANY_STOPS, "1830/R-2", train=route.train, stops=len(stops), reach=reach
        )
    spots = [spot(state, place) for place in stops]
    if len(set(spots)) < len(spots):
        raise _twice(stops[-1], "1830/R-5")
    if not any(corporation.id in state.stations.get(place, ()) for place in stops):
        raise IllegalAction(Reason.NO_OWN_TOKEN, "1830/R-1", train=route.train)
    for place in stops[1:-1]:
        if not passable(state, place, corporation.id):
            terminal = state.board[place[0]].tile.nodes[place[1]].terminal
            raise IllegalAction(
                Reason.THROUGH_TERMINUS if terminal else Reason.CITY_FULL,
                "1830/R-5" if terminal else "1830/R-4",
                stop=f"{place[0]}:{place[1]}",
            )
