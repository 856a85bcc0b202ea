"""Where things lie on a hex: its corners, the middles of its sides, the curves of its track.

A hex measures 100 from side to side and lies around (0, 0); y grows to the south. Edges count as in
the facts: clockwise from south-west where a corner points north, from south where a side does.
"""

from __future__ import annotations

from dataclasses import dataclass
from math import atan2, cos, hypot, pi, radians, sin, sqrt

Point = tuple[float, float]

APOTHEM = 50.0
RADIUS = 2 * APOTHEM / sqrt(3)  # from the middle to a corner
BULGE = 27.0  # how far a track that passes by a city swings out


@dataclass(frozen=True, slots=True)
class Grid:
    """How the hexes of a map stand: `pointy` has a corner to the north."""

    pointy: bool

    def centre(self, x: int, y: int) -> Point:
        """The middle of the hex at doubled coordinates."""
        if self.pointy:
            return x * APOTHEM, y * 1.5 * RADIUS
        return x * 1.5 * RADIUS, y * APOTHEM

    def towards(self, edge: float, length: float) -> Point:
        """The point so far from the middle in the direction of an edge; half edges are corners."""
        bearing = radians((210 if self.pointy else 180) + 60 * edge)
        return length * sin(bearing), -length * cos(bearing)

    def side(self, edge: int) -> Point:
        """The middle of a side, where its track comes in."""
        return self.towards(edge, APOTHEM)

    def corner(self, edge: int) -> Point:
        """The corner after an edge, clockwise."""
        return self.towards(edge + 0.5, RADIUS)

    def holds(self, x: float, y: float) -> float:
        """How far a point is outside of the hex; negative inside."""
        return max(
            x * sin(bearing) - y * cos(bearing) - APOTHEM
            for bearing in (radians((210 if self.pointy else 180) + 60 * edge) for edge in range(6))
        )

    def between(self, a: int, b: int, around: bool = False) -> Curve:
        """The track from side to side: straight, or an arc that meets both squarely.

        With `around` it swings out instead, to pass by a city in the middle.
        """
        start, end = self.side(a), self.side(b)
        if around:
            return bow(start, end, BULGE)
        apart = (b - a) % 6
        if apart == 3:
            return Curve(start, end)
        if apart in {1, 5}:
            centre = self.corner(a if apart == 1 else b)
        else:
            centre = self.towards(a + 1 if apart == 2 else b + 1, 2 * APOTHEM)
        return arc(start, end, centre)


@dataclass(frozen=True, slots=True)
class Curve:
    """A straight line, or an arc about `centre`."""

    start: Point
    end: Point
    centre: Point | None = None

    @property
    def clockwise(self) -> bool:
        """Whether an arc turns to the right as it goes."""
        cx, cy = self.centre or (0.0, 0.0)
        (ax, ay), (bx, by) = self.start, self.end
        return (ax - cx) * (by - cy) - (ay - cy) * (bx - cx) > 0

    @property
    def radius(self) -> float:
        """Of an arc; 0 for a straight line."""
        if self.centre is None:
            return 0.0
        return hypot(self.start[0] - self.centre[0], self.start[1] - self.centre[1])

    def at(self, share: float) -> Point:
        """The point after this share of the way, 0 to 1."""
        if self.centre is None:
            return (
                self.start[0] + (self.end[0] - self.start[0]) * share,
                self.start[1] + (self.end[1] - self.start[1]) * share,
            )
        cx, cy = self.centre
        angle = atan2(self.start[1] - cy, self.start[0] - cx) + self._turn() * share
        return cx + self.radius * cos(angle), cy + self.radius * sin(angle)

    def heading(self, share: float) -> Point:
        """The direction there, of length 1."""
        if self.centre is None:
            dx, dy = self.end[0] - self.start[0], self.end[1] - self.start[1]
            length = hypot(dx, dy) or 1.0
            return dx / length, dy / length
        x, y = self.at(share)
        rx, ry = (x - self.centre[0]) / self.radius, (y - self.centre[1]) / self.radius
        return (-ry, rx) if self.clockwise else (ry, -rx)

    def part(self, begin: float, finish: float) -> Curve:
        """The stretch between two shares of the way, backwards too."""
        return Curve(self.at(begin), self.at(finish), self.centre)

    def reversed(self) -> Curve:
        return Curve(self.end, self.start, self.centre)

    def beside(self, offset: float) -> Curve:
        """The parallel so far to the right."""
        if not offset:
            return self
        ends = []
        for share in (0.0, 1.0):
            (x, y), (dx, dy) = self.at(share), self.heading(share)
            ends.append((x - dy * offset, y + dx * offset))
        return Curve(ends[0], ends[1], self.centre)

    def length(self) -> float:
        if self.centre is None:
            return hypot(self.end[0] - self.start[0], self.end[1] - self.start[1])
        return abs(self._turn()) * self.radius

    def drawn(self, begun: bool = False, at: Point = (0.0, 0.0)) -> str:
        """As a piece of SVG path, moved by `at`; `begun` if the pen is at its start already."""
        first = "" if begun else f"M{spot(self.start, at)}"
        if self.centre is None:
            return f"{first}L{spot(self.end, at)}"
        size = number(self.radius)
        return f"{first}A{size} {size} 0 0 {int(self.clockwise)} {spot(self.end, at)}"

    def _turn(self) -> float:
        cx, cy = self.centre or (0.0, 0.0)
        first = atan2(self.start[1] - cy, self.start[0] - cx)
        last = atan2(self.end[1] - cy, self.end[0] - cx)
        return (last - first + pi) % (2 * pi) - pi


def arc(start: Point, end: Point, centre: Point) -> Curve:
    return Curve(start, end, centre)


def bow(start: Point, end: Point, sagitta: float) -> Curve:
    """An arc from point to point that swings out so far, to the left of the way."""
    (ax, ay), (bx, by) = start, end
    chord = hypot(bx - ax, by - ay)
    radius = (chord * chord / 4 + sagitta * sagitta) / (2 * sagitta)
    back = radius - sagitta
    nx, ny = -(by - ay) / chord, (bx - ax) / chord
    return Curve(start, end, ((ax + bx) / 2 + nx * back, (ay + by) / 2 + ny * back))


def number(value: float) -> str:
    """A length as it is written: to a tenth, without what says nothing.

    >>> number(28.867), number(-0.04), number(50.0), number(0.5)
    ('28.9', '0', '50', '.5')
    """
    text = f"{value:.1f}".removesuffix(".0")
    if text in {"-0", "0"}:
        return "0"
    return text.replace("0.", ".", 1) if text.startswith(("0.", "-0.")) else text


def spot(point: Point, at: Point = (0.0, 0.0)) -> str:
    """A point as a path writes it: `28.9-50`."""
    x, y = number(point[0] + at[0]), number(point[1] + at[1])
    return f"{x}{y}" if y.startswith("-") else f"{x} {y}"
