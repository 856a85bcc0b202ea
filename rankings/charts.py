"""Where the points of two drawings go: a player's ranking over time, and the race of a season.

Plain numbers for a template that writes SVG: nothing here knows a database or a colour. Lines are
told apart by their dashes, their marks and the name at their end.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from datetime import date
from itertools import pairwise
from typing import Generic, TypeVar

WIDTH, HEIGHT = 640, 320
LEFT, RIGHT, TOP, BOTTOM = 48, 128, 20, 36
NAME = 22  # the least height between two names at the right
MARKS = ("circle", "square", "triangle", "diamond", "plus", "cross")

K = TypeVar("K")


@dataclass(frozen=True, slots=True)
class Spot:
    """A point of a line: where it is, and the figures that it stands for."""

    x: int
    y: int
    value: int
    label: str = ""


@dataclass(frozen=True, slots=True)
class Drawn(Generic[K]):
    """A line with the name at its end, at a height where no other name is."""

    key: K
    name: str
    spots: tuple[Spot, ...]
    mark: str
    number: int
    name_y: int

    @property
    def thread(self) -> tuple[int, int]:
        """Where the thread to its name begins: at the right of its last mark."""
        return self.spots[-1].x + 6, self.spots[-1].y

    @property
    def path(self) -> str:
        """The corners of the line, as SVG writes them."""
        return " ".join(f"{spot.x},{spot.y}" for spot in self.spots)


@dataclass(frozen=True, slots=True)
class Tick:
    """A mark of an axis: where it is, and its words."""

    at: int
    label: str


@dataclass(frozen=True, slots=True)
class Chart(Generic[K]):
    """A drawing of `width` × `height`: its lines, and the marks of its axes."""

    lines: tuple[Drawn[K], ...]
    columns: tuple[Tick, ...]
    levels: tuple[Tick, ...]
    width: int = WIDTH
    height: int = HEIGHT
    left: int = LEFT
    right: int = WIDTH - RIGHT
    bottom: int = HEIGHT - BOTTOM

    @property
    def names(self) -> int:
        """Where the names begin, to which a thread leads from the end of each line."""
        return self.right + 20


def levels(most: int) -> list[int]:
    """Four or five round figures from 0 to `most` or a little more.

    >>> levels(265), levels(0), levels(9)
    ([0, 100, 200, 300], [0, 1], [0, 2, 4, 6, 8, 10])
    """
    step = 1
    for power in range(7):
        for unit in (1, 2, 5):
            if step * 5 < most:
                step = unit * 10**power
    top = -(-max(most, 1) // step) * step
    return list(range(0, top + 1, step))


def _height(value: int, top: int) -> int:
    return HEIGHT - BOTTOM - round(value * (HEIGHT - BOTTOM - TOP) / top)


def over_time(points: Sequence[tuple[date, int, str]], today: date) -> Chart[None] | None:
    """A player's points in the ranking, which stay as they are until the next change.

    Each of `points` is a day, a figure and its words, in order; the last one holds until `today`.
    None with nothing to draw.
    """
    if not points:
        return None
    first, last = points[0][0], max(today, points[-1][0])
    days = max((last - first).days, 1)
    top = levels(max(value for _day, value, _words in points))[-1]

    def x(day: date) -> int:
        return LEFT + round((day - first).days * (WIDTH - LEFT - RIGHT) / days)

    spots: list[Spot] = []
    for (day, value, words), (_before, stood, _words) in zip(
        points, [points[0], *points], strict=False
    ):
        if spots:
            spots.append(Spot(x(day), _height(stood, top), stood))
        spots.append(Spot(x(day), _height(value, top), value, words))
    end = points[-1][1]
    spots.append(Spot(x(last), _height(end, top), end))
    line = Drawn(None, str(end), tuple(spots), MARKS[0], 0, _height(end, top))
    years = [date(year, 1, 1) for year in range(first.year + 1, last.year + 1)]
    columns = [Tick(x(day), str(day.year)) for day in years] or [Tick(LEFT, str(first.year))]
    return Chart((line,), _thinned(columns), _levels(top))


def race(
    names: Sequence[tuple[K, str]], totals: Sequence[Sequence[int]], columns: Sequence[str]
) -> Chart[K] | None:
    """How the totals of some players grew, event by event; `totals` of each, as many as `columns`.

    None where there is nothing to draw: nobody, or no event.
    """
    if not names or not columns:
        return None
    top = levels(max(value for each in totals for value in each))[-1]
    gap = (WIDTH - LEFT - RIGHT) // max(len(columns), 1)
    ends = _apart([_height(each[-1], top) for each in totals])
    lines = []
    for number, ((key, name), his) in enumerate(zip(names, totals, strict=True)):
        spots = [Spot(LEFT, _height(0, top), 0)]
        spots += [
            Spot(LEFT + gap * (n + 1), _height(value, top), value, columns[n])
            for n, value in enumerate(his)
        ]
        mark = MARKS[number % len(MARKS)]
        lines.append(Drawn(key, name, tuple(spots), mark, number, ends[number]))
    ticks = [Tick(LEFT + gap * (n + 1), name) for n, name in enumerate(columns)]
    return Chart(tuple(lines), tuple(ticks), _levels(top), right=LEFT + gap * len(columns))


def _levels(top: int) -> tuple[Tick, ...]:
    return tuple(Tick(_height(value, top), str(value)) for value in levels(top))


def _thinned(ticks: Sequence[Tick], most: int = 10) -> tuple[Tick, ...]:
    """So many at most, evenly: a career of thirty years has no room for each."""
    every = -(-len(ticks) // most)
    return tuple(ticks[::every]) if every else ()


def _apart(heights: Sequence[int]) -> list[int]:
    """The heights of the names at the right, moved so that none covers another; within the drawing.

    >>> _apart([100, 100, 104])
    [100, 122, 144]
    """
    order = sorted(range(len(heights)), key=lambda n: heights[n])
    found = list(heights)
    for above, below in pairwise(order):
        found[below] = max(found[below], found[above] + NAME)
    over = found[order[-1]] - (HEIGHT - BOTTOM) if order else 0
    return [height - over for height in found] if over > 0 else found
