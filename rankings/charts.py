"""Where the points of the drawings go: a player's ranking and games over time, a season's race.

Plain numbers for a template that writes SVG: nothing here knows a database or a colour. Lines are
told apart by their dashes, their marks and the name at their end.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass
from datetime import date, timedelta
from itertools import pairwise
from typing import Generic, TypeVar

WIDTH, HEIGHT = 640, 320
LEFT, RIGHT, TOP, BOTTOM = 48, 128, 20, 36
NAME = 22  # the least height between two names at the right
SPACE = 44  # the least width between two years below the games of a player
MONTH = 88  # and between two months, where all of them are of two years
SHORT = timedelta(days=731)
MEAN_OF = 5  # games of which the moving mean is taken
MOST_GAMES = 120  # that have room for a mark each
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


@dataclass(frozen=True, slots=True)
class Played:
    """A game to be drawn: its percentile in hundredths, whether it was won, and its words."""

    day: date
    points: int
    won: bool
    words: str


@dataclass(frozen=True, slots=True)
class Games:
    """A mark for each game, evenly from the left; `mean` are the corners of the moving mean."""

    marks: tuple[tuple[Spot, bool], ...]
    mean: str
    columns: tuple[Tick, ...]
    levels: tuple[Tick, ...]
    width: int = WIDTH
    height: int = HEIGHT
    left: int = LEFT
    right: int = WIDTH - SPACE // 2
    bottom: int = HEIGHT - BOTTOM


def game_by_game(games: Sequence[Played], month: Callable[[date], str]) -> Games | None:
    """A player's percentiles in the order in which he played, and the mean of each five in a row.

    Of more than 120 games, the last ones. None with nothing to draw; what is below 0 is drawn at 0.
    `month` says a day's month and year, which stand below games of two years at most.

    >>> drawn = game_by_game([Played(date(2025, 3, 1), 154000, True, "a"),
    ...                       Played(date(2026, 3, 1), 96000, False, "b")], "{:%m/%Y}".format)
    >>> [(spot.x, spot.y, won) for spot, won in drawn.marks], drawn.mean
    ([(60, 81, True), (606, 157, False)], '')
    >>> [tick.label for tick in drawn.columns], [tick.label for tick in drawn.levels]
    (['03/2025', '03/2026'], ['0', '500', '1000', '1500', '2000'])
    """
    games = games[-MOST_GAMES:]
    if not games:
        return None
    heights = [max(game.points, 0) for game in games]
    top = levels(-(-max(heights) // 100))[-1]
    begin, room = LEFT + 12, WIDTH - SPACE // 2 - 12 - LEFT - 12

    def x(number: int) -> int:
        return begin + round(number * room / max(len(games) - 1, 1))

    marks = [
        (Spot(x(n), _height(height, top * 100), game.points, game.words), game.won)
        for n, (game, height) in enumerate(zip(games, heights, strict=True))
    ]
    means = [
        (x(n), _height(sum(heights[n + 1 - MEAN_OF : n + 1]), top * 100 * MEAN_OF))
        for n in range(MEAN_OF - 1, len(games))
    ]
    places = [(x(n), game.day) for n, game in enumerate(games)]
    short = games[-1].day - games[0].day <= SHORT
    columns = _months(places, month) if short else _years(places)
    path = " ".join(f"{at},{height}" for at, height in means) if means[1:] else ""
    return Games(tuple(marks), path, columns, _levels(top))


def _years(games: Sequence[tuple[int, date]]) -> tuple[Tick, ...]:
    """The years, each at its first game, where there is room for it.

    >>> days = [date(2020, 5, 1), date(2021, 5, 1), date(2024, 5, 1)]
    >>> [(tick.at, tick.label) for tick in _years(list(zip([60, 90, 606], days)))]
    [(60, '2020'), (606, '2024')]
    """
    ticks: list[Tick] = []
    for n, (at, day) in enumerate(games):
        new = n == 0 or day.year != games[n - 1][1].year
        if new and (not ticks or at - ticks[-1].at >= SPACE):
            ticks.append(Tick(at, str(day.year)))
    return tuple(ticks)


def _months(games: Sequence[tuple[int, date]], name: Callable[[date], str]) -> tuple[Tick, ...]:
    """The months of the first game and of the last, and between them those that have room.

    >>> days = [date(2026, 1, 3), date(2026, 2, 7), date(2026, 2, 8), date(2026, 3, 1)]
    >>> found = _months(list(zip([60, 242, 424, 606], days)), "{:%m/%Y}".format)
    >>> [(tick.at, tick.label) for tick in found]
    [(60, '01/2026'), (242, '02/2026'), (596, '03/2026')]
    """
    ticks = [Tick(games[0][0], name(games[0][1]))]
    end = min(games[-1][0], WIDTH - MONTH // 2)
    for (_at, before), (at, day) in pairwise(games[:-1]):
        new = (day.year, day.month) != (before.year, before.month)
        if new and at - ticks[-1].at >= MONTH and end - at >= MONTH:
            ticks.append(Tick(at, name(day)))
    return (*ticks, Tick(end, name(games[-1][1]))) if games[1:] else tuple(ticks)


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
