"""The map, drawn like a printed railway map: of a position, or of a title as it is printed.

`svg` and `empty` are pure. Colours stand in `board.css`, by class, so that day and night differ;
those of the corporations, which are printed, are attributes. Nothing is told by colour alone: tiles
have so many dots (yellow one, green two, brown three, grey four), the value in force of an area a
frame and a pointer, each kind of outline its own form. What is drawn is also said: each hex has its
words as a title, and `told` gives them as a list, for the picture is one image to a reader.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from functools import cache, lru_cache
from math import hypot

from django.utils.html import escape
from django.utils.safestring import SafeString, mark_safe
from django.utils.translation import gettext as _

from pbem.engine.actions import LayTile
from pbem.engine.state import State
from pbem.texts import NOBODY, Names

from . import faces, liveries, spoken
from .faces import Face
from .furniture import figure, furniture, moved, outline
from .geometry import RADIUS, Curve, Grid, Point, number, spot
from .key import key
from .layout import layout, wide
from .ribbons import Ribbon, Stripe, stripes
from .sheet import Sheet, sheet

MARGIN = 24.0  # round the whole map
BROAD = 1500.0  # a map of so many hexes in a row that it needs a wider box to be read
AROUND = 34.0  # round the hexes that are looked at


@dataclass(frozen=True)
class Marks:
    """What is drawn over the map: runs; hexes where a tile may be laid, each with a short note; the
    tile proposed; hexes changed since the reader last looked; the hexes that he looks at."""

    runs: tuple[Ribbon, ...] = ()
    lays: Mapping[str, str] = field(default_factory=dict)
    proposed: LayTile | None = None
    changed: frozenset[str] = frozenset()
    focus: frozenset[str] = frozenset()


def svg(state: State, marks: Marks = Marks(), names: Names = NOBODY) -> SafeString:
    """The map of a position, with what is marked on it."""
    found = faces.faces(state, marks.proposed)
    words = spoken.told(found, faces.reached(state), names)
    title = _("Map of %(title)s, phase %(phase)s.") % {
        "title": state.title.name,
        "phase": state.title.phases[state.phase].id,
    }
    return _drawing(" ".join([title, *_said(marks)]), found, words, marks)


def empty(title: str) -> SafeString:
    """The map of a title as it is printed, its engine or not."""
    found = faces.empty(title)
    words = spoken.told(found)
    return _drawing(_("Map of %(title)s, empty.") % {"title": title}, found, words)


def _said(marks: Marks) -> Iterator[str]:
    """The marks in words, for the name of the picture."""
    for n, run in enumerate(marks.runs, 1):
        yield _run_words(n, run) + "."
    if marks.proposed:
        yield _("Proposed: tile %(tile)s on %(hex)s.") % {
            "tile": marks.proposed.tile,
            "hex": marks.proposed.hex,
        }
    if marks.lays:
        lays = ", ".join(f"{name} {note}".strip() for name, note in sorted(marks.lays.items()))
        yield _("Tiles may be laid on: %(hexes)s.") % {"hexes": lays}
    if marks.changed:
        yield _("Changed: %(hexes)s.") % {"hexes": ", ".join(sorted(marks.changed))}


def _run_words(number: int, run: Ribbon) -> str:
    return _("Run %(number)s, %(train)s-train: %(value)s") % {
        "number": number,
        "train": run.train,
        "value": run.value,
    }


def told(state: State, names: Names = NOBODY) -> SafeString:
    """The map of a position in words, hex by hex, for whoever does not see it; closed at first."""
    return _list(spoken.lines(faces.faces(state), faces.reached(state), names))


def empty_told(title: str) -> SafeString:
    """The map of a title in words, as it is printed."""
    return _list(spoken.lines(faces.empty(title)))


def _list(words: Iterable[str]) -> SafeString:
    lines = "".join(f"<li>{escape(said)}</li>" for said in words)
    return mark_safe(  # noqa: S308 - escaped piece by piece
        '<label class="map-zoom no-print" id="map-zoom" hx-preserve="true">'
        f'<input class="form-check-input" type="checkbox"> {escape(_("Enlarge the map"))}</label>'
        f'<details class="map-words"><summary>{escape(_("The map in words"))}</summary>'
        f"<ul>{lines}</ul></details>"
    )


def plate(symbol: str, colour: str | None) -> SafeString:
    """A corporation's plate alone, for a table; its colour as the facts name it."""
    return mark_safe(  # noqa: S308 - escaped piece by piece
        '<svg class="map-plate" viewBox="-16 -16 32 32" role="img" aria-label="'
        f'{escape(symbol)}">{liveries.drawn(symbol, colour)}</svg>'
    )


# --- the whole ------------------------------------------------------------------------------------


def _drawing(
    title: str,
    found: Mapping[str, Face],
    words: Mapping[str, str],
    marks: Marks = Marks(),
) -> SafeString:
    printed = sheet(next(iter(found.values())).title)
    frame = _frame(printed, marks.focus)
    shown = {name: face for name, face in found.items() if _in(printed.centre(name), frame)}
    whole = ""
    if len(shown) == len(found):
        played = any(face.phase for face in found.values())
        legend, high = key(printed, frame[2] - 2 * MARGIN, played=played)
        at = frame[0] + MARGIN, frame[1] + frame[3] - 8
        frame = frame[0], frame[1], frame[2], frame[3] + high + 6
        whole = f'{_neatline(frame)}<g transform="{moved(at)}">{legend}</g>'
    box = " ".join(map(number, frame))
    kind = "map broad" if frame[2] > BROAD else "map"
    name = f"{title} {_('Hex by hex: see The map in words, below it.')}"
    parts = [
        f'<svg class="{kind}" viewBox="{box}" role="img" aria-label="{escape(name)}">',
        '<g aria-hidden="true">',
        whole,
    ]
    parts += [_shore(printed.title)]
    parts += [field_of(face) for face in shown.values()]
    parts += [_rivers(printed, shown), _joints(printed, shown)]
    parts += tracks(shown.values())
    parts += _ribbons(printed, found, marks.runs)
    for name, face in shown.items():
        told = escape(words.get(name, ""))
        parts.append(
            f'<g data-hex="{escape(name)}" transform="{moved(printed.centre(name))}">'
            f"<title>{told}</title>{furniture(face)}</g>"
        )
    parts += _outlines(printed, shown, marks)
    parts += _badges(printed, found, marks.runs)
    parts.append("</g></svg>")
    return mark_safe("".join(parts))  # noqa: S308 - escaped piece by piece


def _frame(printed: Sheet, focus: frozenset[str]) -> tuple[float, float, float, float]:
    """The box of the map, or of the hexes looked at: left, top, width, height."""
    looked = focus & printed.places.keys()
    margin = AROUND if looked else MARGIN
    centres = [printed.centre(name) for name in looked or printed.places]
    tall, broad = (RADIUS, 50.0) if printed.grid.pointy else (50.0, RADIUS)
    left = min(x for x, _y in centres) - broad - margin
    top = min(y for _x, y in centres) - tall - margin
    right = max(x for x, _y in centres) + broad + margin
    foot = max(y for _x, y in centres) + tall + margin
    return left, top, right - left, foot - top


def _neatline(frame: tuple[float, float, float, float]) -> str:
    """The double line round a printed map."""
    left, top, width, height = frame
    return "".join(
        f'<rect class="{kind}" x="{number(left + inset)}" y="{number(top + inset)}" '
        f'width="{number(width - 2 * inset)}" height="{number(height - 2 * inset)}"/>'
        for kind, inset in (("neat", 2.0), ("neat-in", 7.0))
    )


def _in(centre: Point, frame: tuple[float, float, float, float]) -> bool:
    left, top, width, height = frame
    return (
        left - RADIUS < centre[0] < left + width + RADIUS
        and top - RADIUS < centre[1] < top + height + RADIUS
    )


# --- the ground: fields, rivers, track ------------------------------------------------------------


@lru_cache(maxsize=4096)
def field_of(face: Face) -> str:
    """The ground of a hex, where it lies on the map."""
    printed = sheet(face.title)
    place, lying = printed.places[face.hex], face.print
    terrain = f" t-{place.terrain}" if place.terrain and lying.colour == "white" else ""
    d = outline(printed.grid, RADIUS, printed.centre(face.hex))
    return f'<path class="f {lying.colour}{terrain}" d="{d}"/>'


@lru_cache(maxsize=4096)
def _track(face: Face) -> tuple[tuple[str, str], ...]:
    """The lines of a hex by kind, each a piece of a path."""
    plan = layout(face.title, face.hex, face.tile, face.rotation)
    at = sheet(face.title).centre(face.hex)
    found = []
    for line in plan.lines:
        if line.tapering:
            found.append(("wedge", _wedge(line.curve, at)))
            if line.gauge != "standard":
                found.append(("wedge-in", line.curve.drawn(at=at)))
        else:
            kind = "rail" if line.gauge == "standard" else line.gauge
            found.append((kind, line.curve.drawn(at=at)))
    return tuple(found)


def tracks(shown: Iterable[Face]) -> Iterator[str]:
    """All track of a kind is one line, so that no seam shows where two hexes meet."""
    lines: dict[str, list[str]] = {
        "rail": [],
        "narrow": [],
        "dual": [],
        "wedge": [],
        "wedge-in": [],
    }
    for face in shown:
        for kind, drawn in _track(face):
            lines[kind].append(drawn)
    lines["bed"] = [*lines["rail"], *lines["narrow"], *lines["dual"]]
    lines["dual-in"] = lines["dual"]
    for kind in ("bed", "rail", "narrow", "dual", "dual-in", "wedge", "wedge-in"):
        if lines[kind]:
            yield f'<path class="{kind}" d="{"".join(lines[kind])}"/>'


@cache
def _shore(title: str) -> str:
    """The edge of the land: every side with no hex beyond."""
    printed = sheet(title)
    sides = []
    for place in printed.places.values():
        centre = printed.centre(place.id)
        for edge, (dx, dy) in enumerate(printed.deltas):
            if (place.x + dx, place.y + dy) not in printed.at:
                sides.append(_edge(printed.grid, edge).drawn(at=centre))
    return f'<path class="shore" d="{"".join(sides)}"/>'


def _wedge(curve: Curve, at: Point) -> str:
    (x, y), (dx, dy) = curve.start, curve.heading(0)
    a, b = (x - dy * 6, y + dx * 6), (x + dy * 6, y - dx * 6)
    return f"M{spot(a, at)}L{spot(curve.end, at)}L{spot(b, at)}Z"


def _rivers(printed: Sheet, shown: Mapping[str, Face]) -> str:
    parts = []
    for name, face in shown.items():
        river = layout(face.title, name, face.tile, face.rotation).river
        if river:
            a, bend, b = (spot(point, printed.centre(name)) for point in river)
            parts.append(f"M{a}Q{bend} {b}")
    return f'<path class="stream" d="{"".join(parts)}"/>' if parts else ""


def _joints(printed: Sheet, shown: Iterable[str]) -> str:
    """The sides that differ: thick where nothing passes, none inside of one area."""
    walls: list[str] = []
    inner: list[str] = []
    for name in shown:
        place, centre = printed.places[name], printed.centre(name)
        walls += [_edge(printed.grid, edge).drawn(at=centre) for edge in place.impassable]
        inner += [
            _edge(printed.grid, edge).part(0.03, 0.97).drawn(at=centre) for edge in place.joined
        ]
    parts = f'<path class="inner" d="{"".join(inner)}"/>' if inner else ""
    return parts + (f'<path class="wall" d="{"".join(walls)}"/>' if walls else "")


def _edge(grid: Grid, edge: int) -> Curve:
    """A side from corner to corner."""
    return Curve(grid.corner((edge + 5) % 6), grid.corner(edge))


# --- what is marked -------------------------------------------------------------------------------


def _outlines(printed: Sheet, shown: Mapping[str, Face], marks: Marks) -> list[str]:
    """Changed: a notch at each corner. A legal lay: a dashed line. Proposed: a double line."""
    grid, parts = printed.grid, []
    for name in sorted(marks.changed & shown.keys()):
        at = printed.centre(name)
        notches = []
        for edge in range(6):
            corner = grid.towards(edge + 0.5, 54)
            before, after = grid.towards(edge + 0.27, 48), grid.towards(edge + 0.73, 48)
            notches.append(f"M{spot(before, at)}L{spot(corner, at)}L{spot(after, at)}")
        parts.append(f'<path class="changed" d="{"".join(notches)}"/>')
    for name, note in sorted(marks.lays.items()):
        if name in shown:
            at = printed.centre(name)
            parts.append(
                f'<g transform="{moved(at)}"><path class="lay" d="{outline(grid, 53)}"/>'
                + (_note(grid, note) if note else "")
                + "</g>"
            )
    if marks.proposed and marks.proposed.hex in shown:
        at, d = printed.centre(marks.proposed.hex), outline(grid, 56)
        parts.append(
            f'<g transform="{moved(at)}"><path class="proposed" d="{d}"/>'
            f'<path class="proposed-in" d="{d}"/></g>'
        )
    return parts


def _note(grid: Grid, note: str) -> str:
    x, y = (0.0, 45.0) if grid.pointy else (0.0, 41.0)
    half = wide(note, 12) / 2 + 5
    return (
        f'<rect class="note" x="{number(x - half)}" y="{number(y - 8)}" '
        f'width="{number(2 * half)}" height="16" rx="3"/>'
        f'<text class="note-of" x="{number(x)}" y="{number(y + 4.2)}">{escape(note)}</text>'
    )


def _ribbons(printed: Sheet, found: Mapping[str, Face], runs: Sequence[Ribbon]) -> list[str]:
    return [
        f'<path class="run run-{n % 6}" d="{stripe.path}"/>'
        for n, stripe in enumerate(stripes(printed, found, runs))
    ]


def _badges(printed: Sheet, found: Mapping[str, Face], runs: Sequence[Ribbon]) -> list[str]:
    """The number of each run near its beginning, and the value of each stop that it counts."""
    parts: list[str] = []
    counted: dict[tuple[str, int], int] = {}
    numbered: list[Point] = []
    for n, (run, stripe) in enumerate(zip(runs, stripes(printed, found, runs), strict=True)):
        for name, node in stripe.stops:
            again = counted[name, node] = counted.get((name, node), -1) + 1
            value = str(found[name].print.nodes[node].value(found[name].phase))
            x, y = _value_at(found[name], node, printed.centre(name))
            parts.append(
                f'<g class="run-{n % 6}">{figure("counted", (x + 18 * again, y), value)}</g>'
            )
        for x, y in _clear(printed, found, stripe, numbered):
            numbered.append((x, y))
            parts.append(
                f'<g class="run-{n % 6}"><title>{escape(_run_words(n + 1, run))}</title>'
                f'<circle class="end" cx="{number(x)}" cy="{number(y)}" r="10"/>'
                f'<text class="end-of" x="{number(x)}" y="{number(y + 4.5)}">{n + 1}</text></g>'
            )
    return parts


def _clear(
    printed: Sheet, found: Mapping[str, Face], stripe: Stripe, numbered: Sequence[Point]
) -> list[Point]:
    """Where the number of a run stands: clear of other numbers, and of names if that can be."""
    best: list[tuple[int, Point]] = []
    for (x, y), *hexes in stripe.spots:
        taken = [(other, 21) for other in numbered]
        for name in hexes:
            face, centre = found[name], printed.centre(name)
            spots = layout(face.title, name, face.tile, face.rotation).spots
            taken += [
                ((centre[0] + spots[kind][0], centre[1] + spots[kind][1]), 26)
                for kind in ("name", "value0", "value1")
                if kind in spots
            ]
        best.append((sum(1 for (tx, ty), far in taken if hypot(x - tx, y - ty) < far), (x, y)))
    return [min(best, key=lambda one: one[0])[1]] if best else []


def _value_at(face: Face, number: int, centre: Point) -> Point:
    """Where the value of a node in force stands on the map."""
    plan = layout(face.title, face.hex, face.tile, face.rotation)
    x, y = plan.spots.get(f"value{number}", plan.sites[number].at)
    node = face.print.nodes[number]
    now = node.step(face.phase)
    if now is not None:
        x, y = x + 20 * now + 10 - 10 * len(node.steps), y - 3
    return centre[0] + x, centre[1] + y
