"""Where each thing of a hex is drawn: track, cities, and the words and figures in the room left.

Whatever is written takes the place where it covers least: first nothing of a city, then no other
writing, then no track. All is a function of what is printed, so it is worked out once.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from functools import cache, lru_cache
from itertools import product
from math import hypot
from operator import itemgetter

from .geometry import RADIUS, Curve, Grid, Point
from .sheet import End, Place, Print, sheet

SLOT = 15.0  # the radius of a place for a station
APART = 15.5  # from the middle of a city to that of each of its two places
WEDGE, SHORT = 30.0, 22.0  # how far the track into an area reaches, and one with a station

PIPS = {"yellow": 1, "green": 2, "brown": 3, "gray": 4}  # dots, that tell the colour of a tile
NAME, ROW, COST, SMALL = 11.5, 11.5, 11.5, 10.0  # of letters; ROW of a name's lines
BESIDE = 3.0  # between a sign and its text
SPREAD = {  # how far each sign reaches to the left and right of its middle
    "mountain": (-6.0, 6.0),
    "private": (-4.5, 4.5),
    "destination": (-3.0, 4.5),
    "option": (-5.0, 5.0),
}
BREADTH = {
    **dict.fromkeys(" .,'Iijl", 0.22),
    **dict.fromkeys("1frt-", 0.31),
    **dict.fromkeys("MWmw&", 0.62),
}
CORNERS = {"id", "tile", "pips"}  # they keep their place unless a city or track is there
CLEAR = 12.0  # what it may cost to write everything on a hex before other orders are tried

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
    id, tile, pips, name, label, terrain, private, port, destination, option, future, home; value0,
    value1."""

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
    river = _river(printed.grid, place) if place.banks and not tile else None
    bank = _bank(printed.grid, place, 1) if river and len(lying.nodes) > 1 else (0.0, 0.0)
    sites, lines = _track(printed.grid, lying, bank)
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
    return sum(BREADTH.get(letter, 0.46) for letter in text) * size


# --- track ----------------------------------------------------------------------------------------


def _track(grid: Grid, lying: Print, bank: Point) -> tuple[tuple[Site, ...], tuple[Line, ...]]:
    through = [_through(grid, lying, number) for number in range(len(lying.nodes))]
    shares = _shares(through)
    sites = tuple(
        _site(grid, lying, number, way, share, bank)
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
                long = SHORT if lying.nodes[number].slots else WEDGE
                curve = Curve(grid.side(piece.a), grid.towards(piece.a, 50 - long))
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


def _site(
    grid: Grid, lying: Print, number: int, way: Curve | None, share: float, bank: Point
) -> Site:
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
            at = ((-24.5, 24.5)[number], 0.0)
        else:  # both on the bank that is theirs
            x, y = (-20.0, 20.0)[number], (-4.0, 4.0)[number]
            at = (x + 14 * bank[0], y + 14 * bank[1])
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
        x, y = _bank(grid, place, 56)  # twice as far as it passes from the middle
        bend = (-x - (a[0] + b[0]) / 2, -y - (a[1] + b[1]) / 2)
    return a, bend, b


def _bank(grid: Grid, place: Place, length: float) -> Point:
    """So far from the middle towards the bank that a city or town lies on."""
    x = sum(grid.side(edge)[0] for edge in place.station_bank)
    y = sum(grid.side(edge)[1] for edge in place.station_bank)
    far = hypot(x, y)
    return (x * length / far, y * length / far) if far else (0.0, 0.0)


def _bent(river: tuple[Point, Point, Point], t: float) -> Point:
    """The point of a river after this share of its way."""
    (ax, ay), (bx, by), (cx, cy) = river
    u = 1 - t
    return (
        u * u * ax + 2 * u * t * bx + t * t * cx,
        u * u * ay + 2 * u * t * by + t * t * cy,
    )


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


def _beyond(stream: Sequence[Point], home: Point) -> int:
    """The cells on the other side of a river from a city or town."""

    def left(x: float, y: float) -> bool:
        n = min(range(len(stream) - 1), key=lambda n: hypot(x - stream[n][0], y - stream[n][1]))
        (ax, ay), (bx, by) = stream[n], stream[n + 1]
        return (bx - ax) * (y - ay) - (by - ay) * (x - ax) > 0

    side = left(*home)
    return sum(
        _bit(column, row)
        for column in range(CELLS)
        for row in range(CELLS)
        if left((column + 0.5) * CELL - HALF, (row + 0.5) * CELL - HALF) != side
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


@dataclass(frozen=True, slots=True)
class _Item:
    """Something to be written: its box, where it would best stand, and how strongly."""

    kind: str
    box: Box
    wishes: tuple[Point, ...]
    pull: float


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
        self.cities = self.tracks = self.beyond = 0
        for site in sites:
            if site.kind == "town":
                self.cities |= _disc(site.at, 8)
            for slot in site.slots:
                self.cities |= _disc(slot, SLOT + 2)
        for line in lines:
            steps = max(2, int(line.curve.length() / 4))
            for step in range(steps + 1):
                disc = _disc(line.curve.at(step / steps), 5)
                if line.tapering:  # it would not be seen that a run ends here
                    self.cities |= disc
                else:
                    self.tracks |= disc
        if river:
            stream = [_bent(river, n / 16) for n in range(17)]
            for point in stream:
                self.tracks |= _disc(point, 5)
            if sites:
                self.beyond = _beyond(stream, sites[0].at)

    def places(self, item: _Item) -> list[tuple[float, int, Point]]:
        """Where it may stand, the cheapest first: its cost there before other writing, its cells.

        Cities cost most, then what is outside or beyond the river, then track.
        """
        outside = _outside(self.grid)
        track = 5.0 if item.kind == "name" else 2.5
        beyond = 0 if item.kind in {"terrain", "id"} else self.beyond
        usual = _mask(item.wishes[0], item.box)
        if item.kind in CORNERS and not usual & (self.cities | self.tracks | beyond):
            return [(0.0, usual, item.wishes[0])]
        found = []
        for far, mask, at in _tried(self.grid, item.box, item.wishes):
            cost = item.pull * far
            if mask & self.cities:
                cost += 14 * (mask & self.cities).bit_count()
            if mask & self.tracks:
                cost += track * (mask & self.tracks).bit_count()
            if mask & outside:
                cost += 8 * (mask & outside).bit_count()
            if mask & beyond:
                cost += 4 * (mask & beyond).bit_count()
            found.append((cost, mask, at))
        return sorted(found, key=itemgetter(0))


@lru_cache(maxsize=1024)
def _tried(grid: Grid, box: Box, wishes: tuple[Point, ...]) -> tuple[tuple[float, int, Point], ...]:
    """Where a box may stand: how far from the nearest wish, its cells, its middle."""
    return tuple(
        (min(hypot(x - wx, y - wy) for wx, wy in wishes), _mask((x, y), box), (x, y))
        for x, y in (*wishes, *_everywhere(grid))
    )


def _mask(at: Point, box: Box) -> int:
    """The cells that a box covers."""
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
    """Where everything is written: the order of placing in which least is covered."""
    top, low = ((0.0, -46.0), (0.0, 46.0)) if grid.pointy else ((-18.0, -42.5), (18.0, 42.5))
    corner = [_Item("id", (wide(place.id, 10) + 5, 12.0), (top,), 0.3)]
    if lying.id:
        corner.append(_Item("tile", (wide(lying.id, 10) + 16, 10.0), (low,), 0.3))
    elif lying.colour in PIPS:
        corner.append(_Item("pips", (3.6 * PIPS[lying.colour] + 3, 6.0), (low,), 0.3))
    items = [*corner, *_items(grid, place, lying, sites)]
    places = {item.kind: room.places(item) for item in items}
    kinds = [item.kind for item in items[len(corner) :]]
    first = [kind for kind in kinds if kind == "name"]
    rest = [kind for kind in kinds if kind != "name"]
    best: dict[str, Point] = {}
    least = float("inf")
    for order in (kinds, first + rest, rest + first, kinds[::-1]):
        cost, found = _placed(places, [*(item.kind for item in corner), *order])
        if cost < least:
            best, least = found, cost
        if least < CLEAR:
            break
    return iter(best.items())


def _placed(
    places: Mapping[str, list[tuple[float, int, Point]]], order: Sequence[str]
) -> tuple[float, dict[str, Point]]:
    """One after the other, then each once more among all the others."""
    spots: dict[str, Point] = {}
    costs: dict[str, float] = {}
    masks: dict[str, int] = {}
    for _turn in range(3):
        before = dict(spots)
        for kind in order:
            written = 0
            for other, mask in masks.items():
                if other != kind:
                    written |= mask
            least = float("inf")
            for cost, mask, at in places[kind]:
                if cost >= least:
                    break
                whole = cost + 10 * (mask & written).bit_count()
                if whole < least:
                    least, spots[kind], masks[kind] = whole, at, mask
            costs[kind] = least
        if before == spots:
            break
    return sum(costs.values()), spots


def _items(grid: Grid, place: Place, lying: Print, sites: Sequence[Site]) -> Iterator[_Item]:
    """What is written besides the corners, what matters most first."""
    yield from _values(lying, sites)
    if len(lying.nodes) > 1 and any(node is None for _symbol, node in place.homes):
        middle = ((0.0, 0.0), (0.0, 26.0), (0.0, -26.0))
        yield _Item("home", (24.0, 24.0), middle, 0.3)
    if place.name and not (lying.nodes and all(node.secondary for node in lying.nodes)):
        rows = lines_of(place.name)
        box = (max(wide(row, NAME) for row in rows) + 3, ROW * len(rows) + 1)
        away = 18.5 + ROW / 2 * len(rows) if any(site.slots for site in sites) else 22.0
        wishes = ((0.0, away), (0.0, -away), (0.0, away + 5), (0.0, -away - 5))
        yield _Item("name", box, wishes, 0.5)
    corners = tuple(grid.towards(edge + 0.5, 0.66 * RADIUS) for edge in (2, 3, 1, 4, 0, 5))
    if lying.label:
        yield _Item("label", (wide(lying.label, 15) + 8, 16.0), corners, 0.3)
    for kind, box in _signs(place, lying):
        plain = kind == "terrain" and not lying.nodes
        yield _Item(kind, box, ((0.0, 0.0),) if plain else corners, 0.3)


def _values(lying: Print, sites: Sequence[Site]) -> Iterator[_Item]:
    for number, (node, site) in enumerate(zip(lying.nodes, sites, strict=True)):
        most = max(value for _phase, value in node.values)
        if node.secondary or not most:
            continue
        kind = f"value{number}"
        if node.steps:
            plain = node.kind == "offboard" and not site.slots
            middle = ((0.0, 8.0), (0.0, -2.0))
            near = middle if plain else _around(site, 27)
            yield _Item(kind, (20.0 * len(node.steps) + 2, 24.0), near, 0.4)
        else:
            far = {"town": 19.0, "city": 27.0}.get(node.kind, 0.0)
            yield _Item(kind, (13.0 + 4 * len(str(most)), 19.0), _around(site, far), 0.9)


def _signs(place: Place, lying: Print) -> Iterator[tuple[str, Box]]:
    """The signs of a hex, and how much room each takes with what stands beside it."""
    if place.cost and not lying.id:
        yield "terrain", sign_box("mountain", [str(place.cost)], COST)
    if place.blocked_by:
        yield "private", sign_box("private", ["+".join(place.blocked_by)], SMALL)
    if place.port or any(node.optional for node in lying.nodes):
        yield "port", (15.0, 16.0)
    if place.destination_of:
        yield "destination", sign_box("destination", place.destination_of, SMALL)
    if place.may_be_home:
        yield "option", sign_box("option", ["+".join(place.may_be_home)], SMALL)
    if coming := place.label_to_come(lying):
        yield "future", (wide(coming[0], 12) + 3.6 * PIPS[coming[1]] + 5, 12.0)


def sign_box(sign: str, rows: Sequence[str], size: float) -> Box:
    """How much room a sign takes with the rows of text beside it."""
    left, right = SPREAD[sign]
    text = max(wide(row, size) for row in rows)
    return right - left + BESIDE + text + 5, max(14.0, size * len(rows) + 4)


def _around(site: Site, far: float) -> tuple[Point, ...]:
    """Twelve places round a node, the upper right first."""
    x, y = site.at
    found = []
    for dx, dy in (
        *((0.5, -0.866), (0.866, -0.5), (0, -1), (-0.5, -0.866), (-0.866, -0.5), (0.5, 0.866)),
        *((0.866, 0.5), (1, 0), (0, 1), (-0.5, 0.866), (-0.866, 0.5), (-1, 0)),
    ):
        found.append((x + dx * far, y + dy * far))
    return tuple(found)
