"""1830/L-3, L-4, L-15, K-4, N-9 — what track connects: by hand, and against every walk there is.

The search of `reach.py` answers in three steps, quick, upper and exact. Here is the plain one: from
each token every walk, a step at a time, that uses no hexside twice. On some hundred boards of
crowded track both must say the same.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterator
from random import Random

import pytest

from pbem.engine.facts import title
from pbem.engine.game import start
from pbem.engine.reach import Place, Reach, reach
from pbem.engine.state import State
from pbem.engine.title import Hex, Laid, Tile, kept
from pbem.engine.track import runs_over_new_track
from pbem.tests.positions import lay, token

TITLE = title("1830")
HEXES = TITLE.hexes
Side = tuple[str, int]  # a hex and one of its edges


# --- the plain search -----------------------------------------------------------------------------


def across(side: Side) -> Side | None:
    """The same hexside, seen from the other hex."""
    other = HEXES[side[0]].neighbors[side[1]]
    return (other.id, (side[1] + 3) % 6) if other else None


def track(state: State) -> dict[str, list[tuple[int, int]]]:
    """For each hex its pieces of track, both ways round, turned as the tile lies; ~n is a node."""
    turned: dict[str, list[tuple[int, int]]] = {}
    for hex_id, laid in state.board.items():
        pieces = [
            tuple((end + laid.rotation) % 6 if end >= 0 else end for end in path)
            for path in laid.tile.paths
        ]
        turned[hex_id] = [(a, b) for a, b in pieces] + [(b, a) for a, b in pieces]
    return turned


def goes_on(state: State, place: Place, symbol: str) -> bool:
    """A walk passes towns, and cities with a free place or an own token; never a red area."""
    node = state.board[place[0]].tile.nodes[place[1]]
    if node.kind == "offboard":
        return False
    tokens = state.stations.get(place, ())
    return node.kind == "town" or symbol in tokens or len(tokens) < node.slots


class Walks:
    """All that any walk of a corporation comes to, found by making every walk."""

    def __init__(self, state: State, symbol: str) -> None:
        self.state = state
        self.symbol = symbol
        self.track = track(state)
        self.nodes: set[Place] = set(state.corporations[symbol].tokens)
        self.crossed: set[Side] = set()
        self.route = False
        for place in list(self.nodes):
            self.start = place
            self.from_node(place, frozenset())

    def from_node(self, place: Place, used: frozenset[Side]) -> None:
        for end, edge in self.track[place[0]]:
            if end == ~place[1]:
                self.leave((place[0], edge), used)

    def leave(self, side: Side, used: frozenset[Side]) -> None:
        other = across(side)
        if other is None or side in used or other in used:
            return
        self.crossed |= {side, other}
        used |= {side, other}
        for edge, end in self.track[other[0]]:
            if edge != other[1]:
                continue
            if end >= 0:
                self.leave((other[0], end), used)
                continue
            place = (other[0], ~end)
            self.nodes.add(place)
            self.route |= place != self.start
            if goes_on(self.state, place, self.symbol):
                self.from_node(place, used)


# --- boards ---------------------------------------------------------------------------------------

EMPTY = start("1830", ["1", "2", "3"]).state


def around(middle: Hex, size: int) -> list[Hex]:
    found = [middle]
    for hexagon in found:
        found += [one for one in hexagon.neighbors if one and one not in found]
        if len(found) >= size:
            break
    return found[:size]


def some_tile(rng: Random, hexagon: Hex, upgrades: int) -> Tile:
    tile = TITLE.tiles[rng.choice(sorted(hexagon.first_tiles))]
    for _ in range(upgrades):
        if tile.upgrades:
            tile = TITLE.tiles[rng.choice(tile.upgrades)]
    return tile


def some_rotation(rng: Random, state: State, hexagon: Hex, tile: Tile) -> Laid | None:
    """The tile turned so that no track ends at nothing, mostly so that much of it meets track."""
    fitting = [
        laid
        for laid in map(tile.at, range(6))
        if all(hexagon.neighbors[edge] for edge in laid.edges)
    ]
    rng.shuffle(fitting)
    if fitting and rng.random() < 0.85:
        return max(
            fitting,
            key=lambda laid: sum(
                (edge + 3) % 6 in state.board[other.id].edges
                for edge in laid.edges
                if (other := hexagon.neighbors[edge])
            ),
        )
    return fitting[0] if fitting else None


def crowded_board(seed: int, upgrades: tuple[int, ...] = (1, 2, 2)) -> State:
    """Tiles of all colours side by side on a part of the map, with tokens of the PRR and of
    others, who fill some cities."""
    rng = Random(seed)
    state = EMPTY.copy()
    area = around(HEXES[rng.choice(sorted(HEXES))], rng.choice((15, 25, 40)))
    for hexagon in area:
        if not hexagon.fixed and rng.random() < 0.92:
            tile = some_tile(rng, hexagon, rng.choice(upgrades))
            laid = some_rotation(rng, state, hexagon, tile)
            if laid:
                state.board[hexagon.id] = laid
    cities = [(one.id, city) for one in area for city in state.board[one.id].cities]
    rng.shuffle(cities)
    for number, place in enumerate(cities):
        slots = state.board[place[0]].tile.nodes[place[1]].slots
        who = ["PRR"] if number < rng.choice((1, 1, 2, 3)) else []
        who = [*who, "CPR", "NYC"][: rng.choice((len(who), slots))]
        for symbol in who:
            token(state, symbol, *place)
    return state


# --- both say the same ----------------------------------------------------------------------------


def test_the_search_finds_what_every_walk_finds() -> None:
    """1830/L-3, L-4, L-15, K-4, N-9, R-4..R-6 — nodes, hexsides, whether there is a route, on 400
    boards; quick, upper and exact answers all occur, the exact ones both ways."""
    seen: Counter[str] = Counter()
    for seed in range(400):
        state = crowded_board(seed)
        every, found = Walks(state, "PRR"), Reach(state, "PRR")
        assert {
            (hexagon.id, edge)
            for hexagon in HEXES.values()
            for edge in range(6)
            if found.crosses(state, hexagon, edge)
        } == every.crossed, seed
        assert set(found.places(state)) == every.nodes, seed
        assert found.has_route(state) == every.route, seed
        homes = {hex_id for hex_id, _ in state.corporations["PRR"].tokens}
        reached = {hex_id for hex_id, _ in every.crossed} | homes
        assert {one.id for one in found.hexes(state)} == reached, seed
        seen["quick"] += len(found.nodes)
        seen["upper"] += bool(found.upper(state).nodes)
        seen.update("exact yes" if known else "exact no" for known in found._exact.values())
    assert seen["quick"] > 1000
    assert seen["upper"] == 400
    assert min(seen["exact yes"], seen["exact no"]) > 20, seen


def test_each_node_is_asked_for_by_itself() -> None:
    """1830/K-4 — `reaches`, asked first, gives the same answers."""
    for seed in range(700, 720):
        state = crowded_board(seed)
        every = Walks(state, "PRR").nodes
        for hexagon in HEXES.values():
            for node in range(len(state.board[hexagon.id].tile.nodes)):
                place = (hexagon.id, node)
                assert Reach(state, "PRR").reaches(state, place) == (place in every), (seed, place)


def test_a_route_between_own_tokens_is_found_behind_a_loop() -> None:
    """1830/N-9 — Montreal and Albany, both the corporation's own and joined by one way only; from
    Montreal a loop of track comes back against it."""
    state = EMPTY.copy()
    for one in ("B18 20 5", "C17 23 0", "C19 47 1", "D16 29 3", "D18 41 4", "D20 70 5", "E19 63 4"):
        hex_id, tile, rotation = one.split()
        lay(state, hex_id, tile, int(rotation))
    state.board["E21"] = TITLE.tiles["70"].at(5)
    for hex_id in ("A19", "E19"):
        token(state, "CPR", hex_id)
    assert Walks(state, "CPR").route
    assert Reach(state, "CPR").has_route(state)
    assert set(Reach(state, "CPR").places(state)) == {("A19", 0), ("E19", 0)}


# --- by hand --------------------------------------------------------------------------------------


def reached(state: State, symbol: str) -> set[str]:
    return {hex_id for hex_id, _ in reach(state, symbol).places(state)}


def test_one_token_alone_has_no_route() -> None:
    """1830/N-9 — Altoona, with track to both sides and nothing beyond."""
    state = EMPTY.copy()
    token(state, "PRR", "H12")
    assert reached(state, "PRR") == {"H12"}
    assert not reach(state, "PRR").has_route(state)
    lay(state, "H10", "57", 1)
    assert reached(state, "PRR") == {"H12", "H10"}
    assert reach(state, "PRR").has_route(state)


def test_a_loop_to_the_same_city_is_no_route() -> None:
    """1830/N-9, R-3 — out of Pittsburgh by G11, back by G9: one revenue place."""
    state = EMPTY.copy()
    lay(state, "H10", "15", 0)  # 0, 1, 2, 3
    lay(state, "G11", "7", 0)  # 0-1: H10 to G9
    lay(state, "G9", "7", 4)  # 4-5: G11 to H10
    token(state, "NYC", "H10")
    assert reached(state, "NYC") == {"H10"}
    assert reach(state, "NYC").crosses(state, HEXES["G9"], 4)  # all of the loop
    assert not reach(state, "NYC").has_route(state)


def test_a_red_area_makes_a_route_and_ends_it() -> None:
    """1830/L-15, N-9, R-5 — Montreal to the Maritime Provinces is a route; C23 beyond is not
    reached."""
    state = EMPTY.copy()
    token(state, "CPR", "A19")
    lay(state, "B20", "58", 2)
    lay(state, "B22", "9", 1)
    assert reached(state, "CPR") == {"A19", "B20", "B24"}
    assert reach(state, "CPR").has_route(state)
    assert not any(reach(state, "CPR").crosses(state, HEXES["C23"], edge) for edge in range(6))


@pytest.mark.parametrize(("others", "passed"), [(0, True), (1, True), (2, False)])
def test_a_city_is_passed_while_it_has_a_free_place(others: int, passed: bool) -> None:
    """1830/L-15, K-4, R-4 — Pittsburgh with two places: beyond it lies the town in F10."""
    state = EMPTY.copy()
    token(state, "PRR", "H12")
    lay(state, "H10", "15", 1)
    lay(state, "G11", "8", 0)  # 0-2: H10 to F10
    lay(state, "F10", "58", 5)
    for symbol in ("NYC", "CPR")[:others]:
        token(state, symbol, "H10")
    assert ("F10" in reached(state, "PRR")) == passed
    assert "H10" in reached(state, "PRR")  # it is come to in any case


def test_the_home_of_who_has_not_begun_blocks_nobody() -> None:
    """1830/L-15, R-10 — Boston is kept for the B&M: from Providence (F22) track goes on through it
    to D22, until the B&M's token lies there."""
    state = EMPTY.copy()
    lay(state, "F22", "57", 1)  # 1-4: to Mansfield (F24), printed track to Boston
    token(state, "NYNH", "F22")
    assert reached(state, "NYNH") == {"F22", "F24", "E23"}
    assert reach(state, "NYNH").crosses(state, HEXES["D22"], 4)  # by D24, printed
    token(state, "B&M", "E23")
    assert reached(state, "NYNH") == {"F22", "F24", "E23"}
    assert not reach(state, "NYNH").crosses(state, HEXES["D22"], 4)


def test_the_bypass_of_altoona_leads_past_the_city() -> None:
    """1830/L-15, R-9 — the PRR fills Altoona; from Pittsburgh the NYC comes to it, and beside it
    to Lancaster (H16)."""
    state = EMPTY.copy()
    for hex_id, tile in (("H10", "57"), ("H14", "9"), ("H16", "57")):
        lay(state, hex_id, tile, 1)  # 1-4
    token(state, "PRR", "H12")
    token(state, "NYC", "H10")
    assert reached(state, "NYC") == {"H10", "H12", "H16"}


# --- the Italian variant, by every run ------------------------------------------------------------


class Runs:
    """Whether any run goes over track of `new` that `old` lacks, found by making every run: from
    each revenue place outwards, no place and no hexside twice."""

    def __init__(self, state: State, symbol: str, hexagon: Hex, old: Laid, new: Laid) -> None:
        self.state = state.copy()
        self.state.board[hexagon.id] = new
        self.symbol = symbol
        self.track = track(self.state)
        fresh = [(hexagon.id, *path) for path in new.paths if path not in old.path_set]
        self.fresh = {*fresh, *((hex_id, b, a) for hex_id, a, b in fresh)}

    def any(self) -> bool:
        return any(
            self.stop((hex_id, node), frozenset(), frozenset(), own=False, over=False)
            for hex_id, laid in self.state.board.items()
            for node in range(len(laid.tile.nodes))
        )

    def stop(
        self,
        place: Place,
        used: frozenset[Side],
        stops: frozenset[object],
        own: bool,
        over: bool,
    ) -> bool:
        here = self.state.board[place[0]].tile.nodes[place[1]].group or place
        if here in stops:
            return False
        own = own or self.symbol in self.state.stations.get(place, ())
        if own and over and stops:
            return True
        if stops and not goes_on(self.state, place, self.symbol):
            return False
        return any(
            self.leave((place[0], edge), used, stops | {here}, own, over)
            for end, edge in self.track[place[0]]
            if end == ~place[1]
        )

    def leave(
        self, side: Side, used: frozenset[Side], stops: frozenset[object], own: bool, over: bool
    ) -> bool:
        other = across(side)
        if other is None or side in used or other in used:
            return False
        used |= {side, other}
        for edge, end in self.track[other[0]]:
            if edge == other[1]:
                now = over or (other[0], edge, end) in self.fresh
                if end >= 0:
                    found = self.leave((other[0], end), used, stops, own, now)
                else:
                    found = self.stop((other[0], ~end), used, stops, own, now)
                if found:
                    return True
        return False


def upgrades(state: State) -> Iterator[tuple[Hex, Laid, Laid]]:
    """Each tile without a city that may come on another, turned each way that fits."""
    for hexagon in HEXES.values():
        old = state.board[hexagon.id]
        if hexagon.fixed or not old.tile.count or old.tile.has_city:
            continue
        for new in (TITLE.tiles[tile].at(turn) for tile in old.tile.upgrades for turn in range(6)):
            if kept(old, new) is not None and all(hexagon.neighbors[edge] for edge in new.edges):
                yield hexagon, old, new


def test_the_variant_finds_what_every_run_finds() -> None:
    """FIGF-P-02, 1830/R-1..R-6 — on crowded boards, for each upgrade of plain track."""
    seen: Counter[bool] = Counter()
    for seed in range(1000, 1015):
        state = crowded_board(seed, upgrades=(0, 1, 1, 2))
        for hexagon, old, new in upgrades(state):
            found = runs_over_new_track(state, "PRR", hexagon, old, new)
            every = Runs(state, "PRR", hexagon, old, new)
            assert found == every.any(), (seed, hexagon, new.tile.id)
            seen[found] += 1
    assert min(seen[True], seen[False]) > 20, seen
