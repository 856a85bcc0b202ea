"""1830/R — the stops that a corporation's trains may come to, and the track between them."""

from __future__ import annotations

from dataclasses import dataclass, field

from .reach import Place, Spot, passable, spot
from .state import State
from .title import Hex


@dataclass(frozen=True, slots=True)
class Leg:
    """Track from one stop to the next: `end` numbers that stop, `sides` has a bit for each hexside
    crossed, `hexes` are those passed, both ends included."""

    end: int
    sides: int
    hexes: tuple[str, ...]


@dataclass(slots=True)
class Stop:
    """A place that runs may come to: `spot` numbers the place it is, which several hexes may share
    (1830/R-5); `through` says whether a run may go on beyond it; `sides` are the hexsides by which
    it is left or entered."""

    place: Place
    spot: int
    value: int
    through: bool
    sides: int = 0
    legs: list[Leg] = field(default_factory=list)


class Network:
    """All track that leads on from a corporation's tokens, stop by stop; stops begin with its
    tokens, which are `tokens` in number. Hexsides are numbered anew, to keep their sets small."""

    def __init__(self, state: State, symbol: str) -> None:
        self.stops: list[Stop] = []
        self._state = state
        self._symbol = symbol
        self._phase = state.title.phases[state.phase].id
        self._numbers: dict[Place, int] = {}
        self._spots: dict[Spot, int] = {}
        self._sides: dict[int, int] = {}  # a hexside → its bit
        for place in sorted(state.corporations[symbol].tokens):
            if place[1] >= 0:
                self._number(place)
        self.tokens = len(self.stops)
        for stop in self.stops:  # the list grows while it is walked
            if stop.through:
                self._walk(stop)

    @property
    def all_sides(self) -> int:
        """Every hexside of the network."""
        return (1 << len(self._sides)) - 1

    @property
    def side_count(self) -> int:
        return len(self._sides)

    def _number(self, place: Place) -> int:
        number = self._numbers.get(place)
        if number is None:
            state = self._state
            number = self._numbers[place] = len(self.stops)
            where = self._spots.setdefault(spot(state, place), len(self._spots))
            self.stops.append(
                Stop(
                    place,
                    where,
                    value=state.board[place[0]].tile.nodes[place[1]].values[self._phase],
                    through=passable(state, place, self._symbol),
                )
            )
        return number

    def _walk(self, stop: Stop) -> None:
        """Every stretch of track from this stop to another; no hexside twice (R-3, R-6)."""
        board, sides = self._state.board, self._sides
        hex_id, node = stop.place
        # still to be followed: leaving a hex by an edge, the sides used, the first, the hexes
        todo: list[tuple[Hex, int, int, int, tuple[str, ...]]] = [
            (self._state.title.hexes[hex_id], edge, 0, 0, (hex_id,))
            for edge in board[hex_id].from_node[node]
        ]
        while todo:
            hexagon, edge, used, first, passed = todo.pop()
            other = hexagon.neighbors[edge]
            if other is None:
                continue
            back = (edge + 3) % 6
            side = min(hexagon.base + edge, other.base + back)  # the same from both of its hexes
            bit = sides.get(side)
            if bit is None:
                bit = sides[side] = 1 << len(sides)
            if used & bit:
                continue
            first = first or bit
            passed = (*passed, other.id)
            for end in board[other.id].from_edge[back]:
                if end >= 0:
                    todo.append((other, end, used | bit, first, passed))
                    continue
                number = self._number((other.id, ~end))
                reached = self.stops[number]
                if reached.spot != stop.spot:
                    stop.legs.append(Leg(number, used | bit, passed))
                    stop.sides |= first
                    reached.sides |= bit
