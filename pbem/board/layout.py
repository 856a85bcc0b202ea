"""Where each thing of a hex is drawn: track, cities, and the words and figures in the room left.

Whatever is written takes the place where it covers least: first nothing of a city, then no other
writing, then no track. All is a function of what is printed, so it is worked out once.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass
from functools import cache, lru_cache
from itertools import product
from math import hypot

from .geometry import RADIUS, Curve, Grid, Point
from .sheet import End, Place, Print, sheet

SLOT = 15.0  # the radius of a place for a station
APART = 15.5  # from the middle of a city to that of each of its two places
WEDGE = 30.0  # how far the track into an area reaches

Box = tuple[float, float]  # width and height


@dataclass(frozen=True, slots=True)
class Site:
    """Where a node is drawn; `across` is the direction of the track through a town's bar."""

    kind: str
    at: Point
    slots: tuple[Point, ...] = ()
    across: Point | None = None


@dataclass(frozen=True, slots=True)
class Line:
    """A piece of track as drawn."""

    a: End
    b: End
    gauge: str
    curve: Curve
    tapering: bool  # into an area, where a run ends


@dataclass(frozen=True, slots=True)
class Layout:
    """A hex ready to be drawn. `spots` has the middle of whatever is written, by its kind:
    id, tile, name, label, terrain, private, port, destination, future, home; value0, value1."""

    sites: tuple[Site, ...]
    lines: tuple[Line, ...]
    spots: dict[str, Point]
    river: tuple[Point, Point, Point] | None = None  # from, bend, to

    def way(self, a: End, b: End) -> Curve:
        """The track from one end to the other, in that direction; there must be some."""
        for line in self.lines:
            if (line.a, line.b) == (a, b):
                return line.curve
            if (line.a, line.b) == (b, a):
                return line.curve.reversed()
        raise LookupError(f"no track {a}-{b}")


@lru_cache(maxsize=8192)
def layout(title: str, hex_id: str, tile: str, rotation: int) -> Layout:
    """The hex with a tile on it, or as printed if `tile` is empty."""
    printed = sheet(title)
    place = printed.places[hex_id]
    lying = printed.tiles[tile].turned(rotation) if tile else place.printed
    sites, lines = _track(printed.grid, lying)
    river = _river(printed.grid, place) if place.banks and not tile else None
    room = _Room(printed.grid, sites, lines, river)
    spots = dict(_written(printed.grid, room, place, lying, sites))
    return Layout(sites, lines, spots, river)


def lines_of(name: str) -> list[str]:
    """A name in one line or two, as even as may be.

    >>> lines_of("Albany"), lines_of("Philadelphia & Trenton"), lines_of("St. Thomas")
    (['Albany'], ['Philadelphia', '& Trenton'], ['St. Thomas'])
    """
    words = name.split()
    if len(name) <= 11 or len(words) == 1:
        return [name]
    cuts = [cut for cut in range(1, len(words)) if words[cut - 1] != "&" and words[cut] != "-"]
    cut = min(cuts, key=lambda n: max(len(" ".join(words[:n])), len(" ".join(words[n:]))))
    return [" ".join(words[:cut]), " ".join(words[cut:])]


def wide(text: str, size: float) -> float:
    """About how wide a text is in the condensed letters of the map."""
    return sum(0.26 if letter in " .,'Iil1&-" else 0.47 for letter in text) * size


# --- track ----------------------------------------------------------------------------------------


def _track(grid: Grid, lying: Print) -> tuple[tuple[Site, ...], tuple[Line, ...]]:
    through = [_through(grid, lying, number) for number in range(len(lying.nodes))]
    shares = _shares(through)
    sites = tuple(
        _site(grid, lying, number, way, share)
        for number, (way, share) in enumerate(zip(through, shares, strict=True))
    )
    lines = []
    for piece in lying.pieces:
        tapering = False
        if isinstance(piece.a, int) and isinstance(piece.b, int):
            served = [{piece.a, piece.b} <= set(lying.edges(n)) for n in range(len(lying.nodes))]
            curve = grid.between(piece.a, piece.b, around=any(served))
        elif isinstance(piece.a, int) and isinstance(piece.b, str):
            number = int(piece.b[1:])
            way, share = through[number], shares[number]
            tapering = lying.nodes[number].kind == "offboard"
            if tapering:
                curve = Curve(grid.side(piece.a), grid.towards(piece.a, 50 - WEDGE))
            elif way is None:
                curve = Curve(grid.side(piece.a), sites[number].at)
            elif piece.a == lying.edges(number)[0]:
                curve = way.part(0, share)
            else:
                curve = way.part(1, share)
        else:
            raise ValueError(f"track between nodes: {piece}")
        lines.append(Line(piece.a, piece.b, piece.gauge, curve, tapering))
    return sites, tuple(lines)


def _through(grid: Grid, lying: Print, number: int) -> Curve | None:
    """The curve that a node lies on, where its track is one line from side to side."""
    edges, node = lying.edges(number), lying.nodes[number]
    if len(edges) != 2 or node.kind == "offboard":
        return None
    if len(lying.nodes) == 1 and node.kind == "city":
        return None
    return grid.between(*edges)


def _shares(through: Sequence[Curve | None]) -> list[float]:
    """How far along its curve each node lies: halfway, or where two nodes keep clear."""
    if sum(1 for way in through if way) < 2:
        return [0.5] * len(through)
    tries = (0.5, 0.42, 0.58, 0.34, 0.66, 0.27, 0.73)
    samples = [[way.at(n / 12) for n in range(13)] if way else [] for way in through]

    def worth(shares: Iterable[float]) -> float:
        points = [way.at(share) for way, share in zip(through, shares, strict=True) if way]
        (ax, ay), (bx, by) = points[0], points[1]
        clear = min(hypot(ax - bx, ay - by), 36)
        for n, (x, y) in enumerate(points[:2]):
            clear += min(20, *(hypot(x - ox, y - oy) for ox, oy in samples[1 - n]))
        return clear - 20 * sum(abs(share - 0.5) for share in shares)

    return list(max(product(tries, repeat=len(through)), key=worth))


def _site(grid: Grid, lying: Print, number: int, way: Curve | None, share: float) -> Site:
    node, edges = lying.nodes[number], lying.edges(number)
    if way is not None:
        at, across = way.at(share), way.heading(share)
    else:
        across = None
        if len(lying.nodes) == 1:
            at = (0.0, 0.0)
        elif edges:
            at = grid.towards(edges[0], 25)
        elif node.kind == "city":
            at = ((-22.0, 22.0)[number], 0.0)
        else:
            at = ((-20.0, 20.0)[number], (-4.0, 4.0)[number])
    if node.kind == "town":
        return Site(node.kind, at, across=across)
    return Site(node.kind, at, tuple(_slots(at, node.slots, across or (1.0, 0.0))))


def _slots(at: Point, count: int, along: Point) -> Iterator[Point]:
    x, y = at
    dx, dy = along[0] * APART, along[1] * APART
    if count == 1:
        yield at
    elif count == 2:
        ends = sorted([(x - dx, y - dy), (x + dx, y + dy)])
        yield from ends
    elif count == 3:
        yield from ((x, y - 18), (x - APART, y + 9), (x + APART, y + 9))
    elif count == 4:
        yield from (
            (x - APART, y - APART),
            (x + APART, y - APART),
            (x - APART, y + APART),
            (x + APART, y + APART),
        )


def _river(grid: Grid, place: Place) -> tuple[Point, Point, Point]:
    """From the one corner where the banks meet to the other, clear of the city on its bank."""
    first = set(place.banks[0])
    a, b = (grid.corner(edge) for edge in range(6) if (edge in first) != ((edge + 1) % 6 in first))
    bend = (0.0, 0.0)
    if place.station_bank:
        x = sum(grid.side(edge)[0] for edge in place.station_bank)
        y = sum(grid.side(edge)[1] for edge in place.station_bank)
        away = 56 / hypot(x, y)  # twice as far as it passes from the middle
        bend = (-x * away - (a[0] + b[0]) / 2, -y * away - (a[1] + b[1]) / 2)
    return a, bend, b


# --- writing --------------------------------------------------------------------------------------

CELL, CELLS = 3.0, 44  # the room of a hex is counted in cells, a bit each
HALF = CELL * CELLS / 2


def _bit(column: int, row: int) -> int:
    return 1 << (row * CELLS + column)


def _disc(at: Point, radius: float) -> int:
    found = 0
    for row in range(int((at[1] - radius + HALF) / CELL), int((at[1] + radius + HALF) / CELL) + 1):
        for column in range(
            int((at[0] - radius + HALF) / CELL), int((at[0] + radius + HALF) / CELL) + 1
        ):
            x, y = (column + 0.5) * CELL - HALF, (row + 0.5) * CELL - HALF
            if 0 <= row < CELLS and 0 <= column < CELLS and hypot(x - at[0], y - at[1]) <= radius:
                found |= _bit(column, row)
    return found


@cache
def _outside(grid: Grid) -> int:
    return sum(
        _bit(column, row)
        for column in range(CELLS)
        for row in range(CELLS)
        if grid.holds((column + 0.5) * CELL - HALF, (row + 0.5) * CELL - HALF) > -3
    )


@cache
def _everywhere(grid: Grid) -> tuple[Point, ...]:
    """Where something may be written: a lattice over the hex."""
    step = 1.5 * CELL
    return tuple(
        (column * step, row * step)
        for row in range(-12, 13)
        for column in range(-12, 13)
        if grid.holds(column * step, row * step) < -5
    )


class _Room:
    """What is taken of a hex, and the search for what is free."""

    def __init__(
        self,
        grid: Grid,
        sites: Sequence[Site],
        lines: Sequence[Line],
        river: tuple[Point, Point, Point] | None,
    ) -> None:
        self.grid = grid
        self.cities = self.tracks = self.written = 0
        for site in sites:
            if site.kind == "town":
                self.cities |= _disc(site.at, 8)
            for slot in site.slots:
                self.cities |= _disc(slot, SLOT + 2)
        for line in lines:
            steps = max(2, int(line.curve.length() / 4))
            for step in range(steps + 1):
                self.tracks |= _disc(line.curve.at(step / steps), 5)
        if river:
            (ax, ay), (bx, by), (cx, cy) = river
            for t in (n / 16 for n in range(17)):
                u = 1 - t
                x = u * u * ax + 2 * u * t * bx + t * t * cx
                y = u * u * ay + 2 * u * t * by + t * t * cy
                self.tracks |= _disc((x, y), 5)

    def take(self, at: Point, box: Box) -> Point:
        self.written |= self._mask(at, box)
        return at

    def prefer(self, at: Point, box: Box) -> Point:
        """Its usual place, unless a city is there."""
        if self._mask(at, box) & self.cities:
            return self.find(box, [at], 0.3)
        return self.take(at, box)

    def find(
        self, box: Box, wishes: Sequence[Point], pull: float = 0.4, within: float = 99.0
    ) -> Point:
        """The best middle for a box: near one of the wishes, covering as little as may be."""
        outside = _outside(self.grid)
        best, least = wishes[0], float("inf")
        for x, y in (*wishes, *_everywhere(self.grid)):
            far = min(hypot(x - wx, y - wy) for wx, wy in wishes)
            cost = pull * far
            if cost >= least or far > within:
                continue
            mask = self._mask((x, y), box)
            cost += 14 * (mask & self.cities).bit_count()
            cost += 2.5 * (mask & self.tracks).bit_count()
            cost += 10 * (mask & self.written).bit_count()
            cost += 8 * (mask & outside).bit_count()
            if cost < least:
                best, least = (x, y), cost
        return self.take(best, box)

    def _mask(self, at: Point, box: Box) -> int:
        left = max(0, round((at[0] - box[0] / 2 + HALF) / CELL))
        right = min(CELLS, max(left + 1, round((at[0] + box[0] / 2 + HALF) / CELL)))
        top = max(0, round((at[1] - box[1] / 2 + HALF) / CELL))
        foot = min(CELLS, max(top + 1, round((at[1] + box[1] / 2 + HALF) / CELL)))
        return _rows(foot - top) * ((1 << (right - left)) - 1) << (top * CELLS + left)


@cache
def _rows(count: int) -> int:
    return sum(1 << (row * CELLS) for row in range(count))


def _written(
    grid: Grid, room: _Room, place: Place, lying: Print, sites: Sequence[Site]
) -> Iterator[tuple[str, Point]]:
    """Where everything is written, what matters most first."""
    top, low = ((0.0, -46.0), (0.0, 46.0)) if grid.pointy else ((-19.0, -42.5), (19.0, 42.5))
    yield "id", room.prefer(top, (wide(place.id, 9) + 5, 14))
    if lying.id:
        yield "tile", room.prefer(low, (wide(lying.id, 9) + 16, 9))
    yield from _values(room, lying, sites)
    if place.name and not (lying.nodes and all(node.secondary for node in lying.nodes)):
        rows = lines_of(place.name)
        box = (max(wide(row, 10.5) for row in rows) + 3, 11.0 * len(rows) + 2)
        away = 24.0 + 5.5 * len(rows) if any(site.slots for site in sites) else 22.0
        wishes = [(0.0, away), (0.0, -away), (0.0, away + 5), (0.0, -away - 5)]
        yield "name", room.find(box, wishes, 0.5)
    corners = [grid.towards(edge + 0.5, 0.66 * RADIUS) for edge in range(6)]
    if lying.label:
        yield "label", room.find((wide(lying.label, 15) + 3, 14.0), corners, 0.3)
    if len(lying.nodes) > 1 and any(node is None for _symbol, node in place.homes):
        yield "home", room.find((25.0, 25.0), [(0.0, 0.0), (0.0, 25.0), (0.0, -25.0)], 0.3)
    for kind, box in _signs(place, lying):
        plain = kind == "terrain" and not lying.nodes
        yield kind, room.find(box, [(0.0, 0.0)] if plain else corners, 0.3)


def _values(room: _Room, lying: Print, sites: Sequence[Site]) -> Iterator[tuple[str, Point]]:
    for number, (node, site) in enumerate(zip(lying.nodes, sites, strict=True)):
        most = max(value for _phase, value in node.values)
        if node.secondary or not most:
            continue
        if node.steps:
            wishes = [(0.0, 8.0), (0.0, -2.0)] if node.kind == "offboard" else _around(site, 27)
            yield f"value{number}", room.find((20.0 * len(node.steps) + 2, 24.0), wishes)
        else:
            far = {"town": 19.0, "city": 27.0}.get(node.kind, 0.0)
            box = (13.0 + 4 * len(str(most)), 19.0)
            yield f"value{number}", room.find(box, _around(site, far), 0.9)


def _signs(place: Place, lying: Print) -> Iterator[tuple[str, Box]]:
    """The signs of a hex, and how much room each takes with what stands beside it."""
    if place.cost and not lying.id:
        yield "terrain", (wide(str(place.cost), 11) + 19, 13.0)
    if place.blocked_by:
        yield "private", (wide("+".join(place.blocked_by), 10) + 15, 13.0)
    if place.port or any(node.optional for node in lying.nodes):
        yield "port", (13.0, 14.0)
    if place.destination_of:
        yield "destination", (wide(" ".join(place.destination_of), 9) + 13, 11.0)
    if place.future_label and not lying.label:
        yield "future", (wide(place.future_label[0], 12) + 18, 12.0)


def _around(site: Site, far: float) -> list[Point]:
    """Twelve places round a node, the upper right first."""
    x, y = site.at
    found = []
    for dx, dy in (
        *((0.5, -0.866), (0.866, -0.5), (0, -1), (-0.5, -0.866), (-0.866, -0.5), (0.5, 0.866)),
        *((0.866, 0.5), (1, 0), (0, 1), (-0.5, 0.866), (-0.866, 0.5), (-1, 0)),
    ):
        found.append((x + dx * far, y + dy * far))
    return found
