"""1830/L-3, K-4, N-9 — what a corporation reaches from its tokens by track.

A walk begins at a token, goes on through cities that are not full of others' tokens, ends at a red
area, and uses no hexside twice, hence no piece of track twice and no reversal (R-3, R-6). Finding
whether such a walk exists is hard in general and easy on real maps, so there are three answers,
each asked for only if the one before does not settle the matter:

* *quick*: a search that remembers, for each hexside entered, only the first walk that came there.
  What it finds is reached.
* *upper*: a search that lets a hexside be used again. What it does not find is not reached.
* *exact*: for a place between the two, every walk that could still lead there.
"""

from __future__ import annotations

from collections.abc import Iterator

from .state import State
from .title import Hex

Place = tuple[str, int]  # a hex and the number of a node on it
Spot = Place | str  # the same, or the name of the area that several hexes are


def spot(state: State, place: Place) -> Spot:
    """1830/R-5 — where a run stops: hexes of one red area are one place."""
    return state.board[place[0]].tile.nodes[place[1]].group or place


def passable(state: State, place: Place, symbol: str) -> bool:
    """1830/R-4, R-5, K-4 — whether track goes on beyond a node: not through a terminus, nor a city
    full of others' tokens."""
    node = state.board[place[0]].tile.nodes[place[1]]
    if node.terminal:
        return False
    tokens = state.stations.get(place, ())
    return not node.slots or len(tokens) < node.slots or symbol in tokens


def reach(state: State, symbol: str) -> Reach:
    """What the corporation reaches on the board as it is; kept until the board changes."""
    found = state.reaches.get(symbol)
    if found is None:
        found = state.reaches[symbol] = Reach(state, symbol)
    return found


class Reach:
    """The quick answer, computed once; the others when somebody asks."""

    def __init__(self, state: State, symbol: str) -> None:
        self.symbol = symbol
        self.tokens = [place for place in state.corporations[symbol].tokens if place[1] >= 0]
        self.homes = {hex_id for hex_id, _ in state.corporations[symbol].tokens}
        self.nodes: set[Place] = set(self.tokens)
        self.entered: set[int] = set()  # the numbers of the hexsides entered by
        self._route = False
        self._upper: _Upper | None = None
        self._exact: dict[int | Place, bool] = {}
        self._search(state)

    def _search(self, state: State) -> None:
        hexes, board, entered = state.title.hexes, state.board, self.entered
        # what is still to be followed: leaving a hex by an edge, the sides used, the last node
        todo: list[tuple[Hex, int, int, Place]] = []
        for place in self.tokens:
            hexagon = hexes[place[0]]
            todo += [(hexagon, edge, 0, place) for edge in board[place[0]].from_node[place[1]]]
        while todo:
            hexagon, edge, used, origin = todo.pop()
            other = hexagon.neighbors[edge]
            if other is None:
                continue
            back = (edge + 3) % 6
            side = other.base + back
            if side in entered:
                continue
            entered.add(side)
            used |= hexagon.sides[edge] | other.sides[back]
            laid = board[other.id]
            for end in laid.from_edge[back]:
                if end >= 0:
                    if not used & other.sides[end]:
                        todo.append((other, end, used, origin))
                    continue
                place = (other.id, ~end)
                self.nodes.add(place)
                if place != origin:
                    self._route = True
                if passable(state, place, self.symbol):
                    todo += [
                        (other, way, used, place)
                        for way in laid.from_node[~end]
                        if not used & other.sides[way]
                    ]

    # --- the questions --------------------------------------------------------------------------

    def crosses(self, state: State, hexagon: Hex, edge: int) -> bool:
        """Whether a walk crosses this hexside, one way or the other."""
        other = hexagon.neighbors[edge]
        if other is None:
            return False
        here, there = hexagon.base + edge, other.base + (edge + 3) % 6
        if here in self.entered or there in self.entered:
            return True
        return any(
            side in self.upper(state).entered and self._walk_to(state, side)
            for side in (here, there)
        )

    def reaches(self, state: State, place: Place) -> bool:
        """Whether a walk comes to this node."""
        if place in self.nodes:
            return True
        return place in self.upper(state).nodes and self._walk_to(state, place)

    def places(self, state: State) -> Iterator[Place]:
        """Every node reached."""
        yield from self.nodes
        for place in self.upper(state).nodes - self.nodes:
            if self._walk_to(state, place):
                yield place

    def hexes(self, state: State) -> list[Hex]:
        """Every hex of which a side is crossed, or that has an own token."""
        return [
            hexagon
            for hexagon in state.title.hexes.values()
            if hexagon.id in self.homes
            or any(self.crosses(state, hexagon, edge) for edge in range(6))
        ]

    def has_route(self, state: State) -> bool:
        """1830/N-9, R-1 — whether two revenue places are joined, one with an own token: then some
        train could run. Where a token reaches nothing but other own tokens the quick search may
        miss it, since each of them is reached already."""
        return (
            self._route
            or any(place not in self.tokens for place in self.places(state))
            or any(
                self._search_for(state, place, [other for other in self.tokens if other != place])
                for place in self.tokens[1:]
            )
        )

    # --- the slower answers ---------------------------------------------------------------------

    def upper(self, state: State) -> _Upper:
        if self._upper is None:
            self._upper = _Upper(state, self)
        return self._upper

    def _walk_to(self, state: State, target: int | Place) -> bool:
        known = self._exact.get(target)
        if known is None:
            known = self._exact[target] = self._search_for(state, target, self.tokens)
        return known

    def _search_for(self, state: State, target: int | Place, tokens: list[Place]) -> bool:
        """Every walk from one of these tokens, as long as it could still lead to the target."""
        upper = self.upper(state)
        useful = upper.leading_to(target)
        hexes, board = state.title.hexes, state.board
        seen: set[tuple[int, int]] = set()
        todo: list[tuple[Hex, int, int]] = [
            (hexes[place[0]], edge, 0)
            for place in tokens
            for edge in board[place[0]].from_node[place[1]]
        ]
        while todo:
            hexagon, edge, used = todo.pop()
            other = hexagon.neighbors[edge]
            if other is None or used & hexagon.sides[edge]:
                continue
            back = (edge + 3) % 6
            side = other.base + back
            if side not in useful:
                continue
            used |= hexagon.sides[edge] | other.sides[back]
            if side == target:
                return True
            if (side, used) in seen:
                continue
            seen.add((side, used))
            laid = board[other.id]
            for end in laid.from_edge[back]:
                if end >= 0:
                    todo.append((other, end, used))
                    continue
                place = (other.id, ~end)
                if place == target:
                    return True
                if passable(state, place, self.symbol):
                    todo += [(other, way, used) for way in laid.from_node[~end]]
        return False


class _Upper:
    """What would be reached if a hexside could be used twice: never too little."""

    def __init__(self, state: State, reach: Reach) -> None:
        self.nodes: set[Place] = set(reach.tokens)
        self.entered: set[int] = set()
        self.before: dict[int | Place, set[int]] = {}  # what may be entered just before
        hexes, board = state.title.hexes, state.board
        todo: list[tuple[Hex, int, int]] = [
            (hexes[place[0]], edge, -1)
            for place in reach.tokens
            for edge in board[place[0]].from_node[place[1]]
        ]
        while todo:
            hexagon, edge, came = todo.pop()
            other = hexagon.neighbors[edge]
            if other is None:
                continue
            back = (edge + 3) % 6
            side = other.base + back
            self.before.setdefault(side, set()).add(came)
            if side in self.entered:
                continue
            self.entered.add(side)
            laid = board[other.id]
            for end in laid.from_edge[back]:
                if end >= 0:
                    todo.append((other, end, side))
                    continue
                place = (other.id, ~end)
                self.nodes.add(place)
                self.before.setdefault(place, set()).add(side)
                if passable(state, place, reach.symbol):
                    todo += [(other, way, side) for way in laid.from_node[~end] if way != back]

    def leading_to(self, target: int | Place) -> set[int]:
        """The hexsides from which the target may still be reached, itself included."""
        found: set[int] = {target} if isinstance(target, int) else set()
        todo = list(self.before.get(target, ()))
        while todo:
            side = todo.pop()
            if side >= 0 and side not in found:
                found.add(side)
                todo += self.before.get(side, ())
        return found
