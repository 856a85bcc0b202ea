"""1830/R — runs and what they earn: the check of the routes that somebody claims."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterator, Sequence
from dataclasses import dataclass, replace
from heapq import heappop, heappush
from itertools import pairwise

from .actions import Route, Run
from .errors import IllegalAction, MalformedAction, Reason
from .reach import Place, passable, spot
from .state import Corporation, State
from .title import Hex

MOST_READINGS = 5_000  # ways in which hexes that somebody names are tried


@dataclass(frozen=True, slots=True)
class Stretch:
    """A leg as it lies on the board: from stop to stop, over hexsides (a bit each)."""

    start: Place
    end: Place
    sides: int


@dataclass(frozen=True, slots=True)
class Counted:
    """A route as it is counted: its stops in order from one end to the other, with what each pays,
    as far as they can be told; and what is wrong with it, if anything is."""

    route: Route
    stops: tuple[tuple[Place, int], ...]
    wrong: IllegalAction | None

    @property
    def value(self) -> int:
        return sum(value for _, value in self.stops)

    @property
    def hexes(self) -> str:
        """The stops by the names of their hexes, as the log writes them."""
        return "–".join(hex_id for (hex_id, _), _ in self.stops)


@dataclass(frozen=True, slots=True)
class Longer:
    """What a route would come to if it went on from one of its ends by a leg: the stop, what that
    pays, and why it may not; a legal one has no reason."""

    end: Place
    leg: tuple[str, ...]
    stop: Place
    value: int
    wrong: IllegalAction | None


def earnings(state: State, action: Run) -> int:
    """1830/R-1..R-14 — what the routes earn together, if every one of them is legal.

    Raises `IllegalAction` with the rule that the first wrong route breaks; the order of the legs
    of a route is of no account. `MalformedAction` for a name that is not a hex.
    """
    total = 0
    for counted in count(state, action):
        if counted.wrong:
            raise counted.wrong
        total += counted.value
    return total


def count(state: State, action: Run) -> Iterator[Counted]:
    """1830/R-1..R-14 — each route judged in turn, beside the legal ones before it."""
    corporation = state.corporations[action.actor]
    owned = Counter(corporation.trains)
    used = 0
    for route in action.routes:
        wrong = None
        stops: list[Place] = []
        try:
            _check_train(corporation, owned, route)
            stretches = [trace(state, leg) for leg in route.legs]
            sides = _check_track(route, stretches, used)
            stops = in_line(route, stretches)
            check_stops(state, corporation, route, stops)
            owned[route.train] -= 1
            used |= sides
        except IllegalAction as error:
            wrong = error
            stops = stops or _line_of(state, route)
        yield Counted(route, tuple((stop, worth(state, stop)) for stop in stops), wrong)


def _line_of(state: State, route: Route) -> list[Place]:
    """The stops of a route, legal or not, if its legs are track and form a line."""
    try:
        return in_line(route, [trace(state, leg) for leg in route.legs])
    except IllegalAction:
        return []


def _check_train(corporation: Corporation, left: Counter[str], route: Route) -> None:
    """1830/R-1 — the corporation's trains, each once."""
    if not left[route.train]:
        missing = route.train not in corporation.trains
        raise IllegalAction(
            Reason.NO_SUCH_TRAIN if missing else Reason.TRAIN_RUNS_ONCE,
            "1830/R-1",
            train=route.train,
            corporation=corporation.id,
        )


def _check_track(route: Route, stretches: list[Stretch], used: int) -> int:
    """1830/R-3, R-7 — no hexside twice, neither by this train nor by one before it: its sides."""
    own = 0
    for leg, stretch in zip(route.legs, stretches, strict=True):
        if (used | own) & stretch.sides:
            clause = "1830/R-3" if own & stretch.sides else "1830/R-7"
            raise IllegalAction(Reason.TRACK_TWICE, clause, train=route.train, leg="-".join(leg))
        own |= stretch.sides
    return own


def longer(state: State, action: Run, number: int) -> list[Longer]:
    """1830/R — the routes one stop longer than the action's `number`-th (from 0), each with the
    rule that it breaks beside the other legal ones. None where the track ends, or the route is no
    line."""
    route = action.routes[number]
    legal = {n for n, one in enumerate(count(state, action)) if n == number or not one.wrong}
    stops = _line_of(state, route)
    taken = {way for leg in route.legs for way in (leg[:2], leg[:-3:-1])}  # by which it ends
    found = []
    for end in (*stops[:1], *stops[-1:]):
        for leg in onward(state, end):
            if leg[:2] in taken:
                continue  # back over the track it came by
            going_on = replace(route, legs=(*route.legs, leg))
            routes = (*action.routes[:number], going_on, *action.routes[number + 1 :])
            after = list(count(state, Run(action.actor, routes)))
            wrong = next(
                (one.wrong for n, one in enumerate(after) if one.wrong and n in legal), None
            )
            stop = trace(state, leg).end
            found.append(Longer(end, leg, stop, worth(state, stop), wrong))
    return found


def onward(state: State, place: Place) -> Iterator[tuple[str, ...]]:
    """1830/R-1, R-6 — each stretch of track from a stop to the next, as the hexes it passes."""
    todo: list[tuple[Hex, int, int, tuple[str, ...]]] = [
        (state.title.hexes[place[0]], edge, 0, (place[0],))
        for edge in state.board[place[0]].from_node[place[1]]
    ]
    while todo:
        hexagon, edge, used, passed = todo.pop()
        other = hexagon.neighbors[edge]
        if other is None or used & hexagon.sides[edge]:
            continue
        back = (edge + 3) % 6
        used |= hexagon.sides[edge] | other.sides[back]
        for end in state.board[other.id].from_edge[back]:
            if end >= 0:
                todo.append((other, end, used, (*passed, other.id)))
            else:
                yield (*passed, other.id)


def read(state: State, symbol: str, train: str, named: Sequence[str]) -> Route:
    """1830/R-1 — the route of a corporation's train through these hexes, in order from end to end.

    Its stops must be named. A hex that it passes without a stop may be named or left out: where
    both are possible a hex named is a stop, so that a route without H12 takes the track beside
    Altoona (R-9). Of several such routes, the first legal one that leaves out the fewest hexes; of
    none that is legal, the first.

    Raises `IllegalAction` (`no_such_track`) with the first two names that no track joins, and
    `MalformedAction` for a name that is not a hex.
    """
    for name in named:
        if name not in state.title.hexes:
            raise MalformedAction("leg", name, "a hex of the map")
    if len(named) < 2:
        return Route(train, ())
    first: Route | None = None
    farthest = tried = 0
    # left out, passed, in the order found; then the names reached, the stop there, the legs so far
    todo: list[tuple[int, int, int, int, Place, tuple[tuple[str, ...], ...]]] = [
        (0, 0, node, 0, (named[0], node), ())
        for node in range(len(state.board[named[0]].tile.nodes))
    ]
    while todo and tried < MOST_READINGS:
        left_out, passed, _, reached, place, legs = heappop(todo)
        farthest = max(farthest, reached)
        if reached < len(named) - 1:
            for further, stop, leg in _legs_to(state, place, named, reached):
                tried += 1
                between = further - reached - 1
                skipped = left_out + len(leg) - 2 - between
                heappush(todo, (skipped, passed + between, tried, further, stop, (*legs, leg)))
            continue
        route = Route(train, legs)
        first = first or route
        if not next(count(state, Run(symbol, (route,)))).wrong:
            return route
    if first is None:
        apart = "-".join(named[farthest : farthest + 2])
        raise IllegalAction(Reason.NO_SUCH_TRACK, "1830/R-1", leg=apart)
    return first


def _legs_to(
    state: State, place: Place, named: Sequence[str], reached: int
) -> Iterator[tuple[int, Place, tuple[str, ...]]]:
    """The legs from the stop at the `reached`-th name to a later name, through those between."""
    for leg in onward(state, place):
        for n in range(reached + 1, min(len(named), reached + len(leg))):
            inside = iter(leg[1:-1])
            if named[n] == leg[-1] and all(name in inside for name in named[reached + 1 : n]):
                yield n, trace(state, leg).end, leg


def worth(state: State, stop: Place) -> int:
    """1830/R-8 — what a stop of a run pays in the phase in force."""
    hex_id, node = stop
    return state.board[hex_id].tile.nodes[node].values[state.title.phases[state.phase].id]


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
