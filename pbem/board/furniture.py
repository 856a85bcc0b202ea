"""What stands on a hex: its cities and towns, the stations in them, all that is written there."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from functools import lru_cache
from math import atan2

from django.utils.html import escape

from . import liveries
from .faces import Face
from .geometry import RADIUS, Grid, Point, number, spot
from .layout import (
    BESIDE,
    COST,
    NAME,
    PIPS,
    ROW,
    SLOT,
    SMALL,
    SPREAD,
    Layout,
    Site,
    layout,
    lines_of,
    sign_box,
    wide,
)
from .sheet import Node, Place, Sheet, sheet

SIGNS = {  # drawn about (0, 0), ten wide
    "mountain": "M-6 4-1.5-4.5 1 0 2.5-2 6 4Z",
    "water": "M-6-2q1.5-2 3 0t3 0 3 0 3 0M-6 2q1.5-2 3 0t3 0 3 0 3 0",
    "river": "M-6 0q1.5-2.5 3 0t3 0 3 0 3 0",
    "lake": "M-6-3q1.5-2 3 0t3 0 3 0 3 0M-6 0q1.5-2 3 0t3 0 3 0 3 0M-6 3q1.5-2 3 0t3 0 3 0 3 0",
    "port": "M0-6.5V5.5M-3.5-2.5H3.5M-5.5 1.5Q-5 5.5 0 6 5 5.5 5.5 1.5",
    "private": "M-4.5-1H4.5V5H-4.5ZM-2.8-1V-3Q-2.8-5.5 0-5.5T2.8-3V-1",
    "option": "M-5 0A5 5 0 1 1 5 0A5 5 0 1 1-5 0",
    "destination": "M-3 6V-5.5L4.5-2.5-3 .5",
}


def outline(grid: Grid, size: float = RADIUS, at: Point = (0.0, 0.0)) -> str:
    """The six sides as a path, so far from the middle to a corner."""
    corners = [grid.towards(edge + 0.5, size) for edge in range(6)]
    return "M" + "L".join(spot(corner, at) for corner in corners) + "Z"


def moved(at: Point) -> str:
    return f"translate({number(at[0])} {number(at[1])})"


@lru_cache(maxsize=4096)
def furniture(face: Face) -> str:
    """All of a hex that stands on its ground, about its middle."""
    printed = sheet(face.title)
    place, lying = printed.places[face.hex], face.print
    plan = layout(face.title, face.hex, face.tile, face.rotation)
    spots = plan.spots
    parts = [f'<path class="touch" d="{outline(printed.grid)}"/>', *map(_site, plan.sites)]
    parts.append(_text("id", spots["id"], place.id))
    if "name" in spots:
        parts.append(_lines("name", spots["name"], lines_of(place.name or "")))
    for n, node in enumerate(lying.nodes):
        if f"value{n}" in spots:
            parts.append(_value(node, spots[f"value{n}"], face.phase))
    if "tile" in spots:
        parts.append(dotted("id", spots["tile"], lying.id, lying.colour, 10))
    if "pips" in spots:
        parts.append(dots(lying.colour, spots["pips"]))
    if "label" in spots:
        parts.append(_text("label", spots["label"], lying.label or ""))
    if coming := place.label_to_come(lying):
        label, colour = coming
        parts.append(dotted("future", spots["future"], label, colour, 12))
    parts += _signs(face, place, spots)
    parts.append(_stations(printed, face, plan))
    return "".join(parts)


def _signs(face: Face, place: Place, spots: Mapping[str, Point]) -> Iterator[str]:
    if "terrain" in spots and place.terrain:
        yield sign("cost", spots["terrain"], place.terrain, [str(place.cost)], COST)
    if face.blocks:
        yield sign("block", spots["private"], "private", ["+".join(face.blocks)], SMALL)
    if "port" in spots:
        yield sign("port", spots["port"], "port")
    if "destination" in spots:
        yield sign("goal", spots["destination"], "destination", place.destination_of, SMALL)
    if face.options:
        yield sign("option", spots["option"], "option", ["+".join(face.options)], SMALL)


def _site(site: Site) -> str:
    if site.kind == "town":
        if site.across is None:
            return (
                f'<circle class="town" cx="{number(site.at[0])}" cy="{number(site.at[1])}" r="6"/>'
            )
        (x, y), (dx, dy) = site.at, site.across
        a, b = (x - dy * 11, y + dx * 11), (x + dy * 11, y - dx * 11)
        d = f"M{spot(a)}L{spot(b)}"
        return f'<path class="stop-bed" d="{d}"/><path class="stop" d="{d}"/>'
    if not site.slots:
        return ""
    ring = "L".join(spot(slot) for slot in _ring(site.slots))
    parts = []
    if len(site.slots) > 1:
        d = f"M{ring}Z"
        parts.append(f'<path class="quay" d="{d}"/><path class="quay-in" d="{d}"/>')
    kind = "slot" if len(site.slots) == 1 else "berth"
    for x, y in site.slots:
        parts.append(
            f'<circle class="{kind}" cx="{number(x)}" cy="{number(y)}" r="{number(SLOT)}"/>'
        )
    return "".join(parts)


def _ring(slots: Sequence[Point]) -> list[Point]:
    """The places of a city in the order round it."""
    cx = sum(x for x, _y in slots) / len(slots)
    cy = sum(y for _x, y in slots) / len(slots)
    return sorted(slots, key=lambda one: atan2(one[1] - cy, one[0] - cx))


def _stations(printed: Sheet, face: Face, plan: Layout) -> str:
    """The tokens in their places, then the letters of who is to come home."""
    parts = []
    taken: dict[int, int] = {}
    for city, held in face.tokens:
        parts += [
            liveries.drawn(symbol, printed.colours.get(symbol), _free(plan, city, taken))
            for symbol in held
        ]
    parts += [
        _home(symbol, _free(plan, -1 if home is None else home, taken), home is None)
        for symbol, home in face.homes
    ]
    return "".join(parts)


def _free(plan: Layout, city: int, taken: dict[int, int]) -> Point:
    """The next free place of a city; beside the cities for a token that has none yet."""
    n = taken.get(city, 0)
    taken[city] = n + 1
    if 0 <= city < len(plan.sites) and n < len(plan.sites[city].slots):
        return plan.sites[city].slots[n]
    x, y = plan.spots.get("home", (0.0, 0.0))
    return x + 8 * n, y


def _home(symbol: str, at: Point, loose: bool) -> str:
    """The letters of who is to come home; on a ground of their own if the city is to be chosen."""
    x, y, size = number(at[0]), number(at[1]), liveries.letters_size(symbol) * 0.9
    radius = "10.5" if loose else "12.2"
    ground = f'<circle class="home-ground" cx="{x}" cy="{y}" r="12"/>' if loose else ""
    return (
        f'{ground}<circle class="home" cx="{x}" cy="{y}" r="{radius}"/>'
        f'<text class="home-of" x="{x}" y="{number(at[1] + size * 0.35)}" '
        f'font-size="{number(size)}">{escape(symbol)}</text>'
    )


def _text(kind: str, at: Point, text: str) -> str:
    size = {"id": 10.0, "label": 15.0}[kind]
    x, y = number(at[0]), number(at[1] + size * 0.35)
    return f'<text class="{kind}" x="{x}" y="{y}">{escape(text)}</text>'


def _lines(kind: str, at: Point, lines: Sequence[str]) -> str:
    x, top = number(at[0]), at[1] + 0.35 * NAME - ROW / 2 * (len(lines) - 1)
    return "".join(
        f'<text class="{kind}" x="{x}" y="{number(top + ROW * n)}">{escape(line)}</text>'
        for n, line in enumerate(lines)
    )


def _value(node: Node, at: Point, phase: str) -> str:
    if node.steps:
        return _steps(node, at, phase)
    value = str(node.value(phase) if phase else node.values[0][1])
    return figure("value", at, value)


def figure(kind: str, at: Point, value: str) -> str:
    """A value in its round frame."""
    half = 5.0 + 2.0 * len(value)
    return (
        f'<rect class="{kind}" x="{number(at[0] - half)}" y="{number(at[1] - 8)}" '
        f'width="{number(2 * half)}" height="16" rx="8"/>'
        f'<text class="{kind}-of" x="{number(at[0])}" y="{number(at[1] + 4)}">{value}</text>'
    )


def _steps(node: Node, at: Point, phase: str) -> str:
    """The values of an area, in the order of the phases; that in force framed and pointed at."""
    now, parts = node.step(phase), []
    at = (at[0], at[1] - 3)  # the pointer hangs below
    left = at[0] - 10 * len(node.steps)
    for n, (colour, value) in enumerate(node.steps):
        x, current = left + 20 * n, n == now
        parts.append(
            f'<rect class="step {colour}{" now" if current else ""}" x="{number(x)}" '
            f'y="{number(at[1] - 7.5)}" width="20" height="15"/>'
            f'<text class="step-of{" now-of" if current else ""} on-{colour}" '
            f'x="{number(x + 10)}" y="{number(at[1] + 4)}">{value}</text>'
        )
    if now is not None:
        x, top, foot = left + 20 * now, at[1] - 7.5, at[1] + 7.5
        parts.append(
            f'<rect class="force" x="{number(x)}" y="{number(top)}" width="20" height="15"/>'
            f'<path class="pointer" d="M{spot((x + 6, foot + 6))}L{spot((x + 10, foot + 1))}'
            f'L{spot((x + 14, foot + 6))}Z"/>'
        )
    return "".join(parts)


def dots(colour: str, at: Point) -> str:
    """As many dots in a row as the colour of a tile has: it is told by them too."""
    count = PIPS[colour]
    d = "".join(
        f"M{spot((at[0] + 3.6 * (n - count / 2) + 0.4, at[1]))}"
        "a1.4 1.4 0 1 0 2.8 0 1.4 1.4 0 1 0-2.8 0"
        for n in range(count)
    )
    return f'<path class="pip" d="{d}"/>'


def dotted(kind: str, at: Point, text: str, colour: str, size: float) -> str:
    """A text after the dots of a colour."""
    row, span = 3.6 * PIPS[colour], wide(text, size)
    left = at[0] - (row + 1.5 + span) / 2
    x, y = number(left + row + 1.5 + span / 2), number(at[1] + 0.35 * size)
    return (
        f"{dots(colour, (left + row / 2, at[1]))}"
        f'<text class="{kind}" x="{x}" y="{y}">{escape(text)}</text>'
    )


def sign(kind: str, at: Point, name: str, rows: Sequence[str] = (), size: float = 0.0) -> str:
    """A sign about a point, and what stands beside it, under it where they are close."""
    d, x = SIGNS[name], at[0]
    texts = []
    if rows:
        left, right = SPREAD.get(name, SPREAD["mountain"])
        broad, _high = sign_box(name if name in SPREAD else "mountain", rows, size)
        x = at[0] - broad / 2 + 2.5 - left
        top = at[1] + size * 0.35 - size / 2 * (len(rows) - 1)
        for n, row in enumerate(rows):
            middle = x + right + BESIDE + wide(row, size) / 2
            texts.append(
                f'<text class="{kind}" x="{number(middle)}" y="{number(top + size * n)}">'
                f"{escape(row)}</text>"
            )
    drawn = f'<path class="{kind}-sign" transform="{moved((x, at[1]))}" d="{d}"/>'
    return "".join(texts) + drawn
