"""The stock market as it lies on the table: its spaces, their zones, the markers in their order.

It is drawn, because where a space stands says where a marker goes from it; in a box that scrolls on
a phone, so that the figures stay large. What the drawing shows is also said: `standing` gives each
corporation's price and zone in operating order, for a table beside it.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from functools import cache, lru_cache
from itertools import groupby

from django.utils.html import format_html, format_html_join
from django.utils.safestring import SafeString
from django.utils.translation import gettext as _

from pbem.engine.market import in_operating_order
from pbem.engine.state import State

from .liveries import BLANK, PLATES, ink
from .printed import facts
from .sheet import sheet
from .words import colour, money, said

WIDE, HIGH = 60, 46  # of a space without markers
NARROWEST = 50  # pixels of a space where the whole does not fit
HEAD, PLATE = 24, 21  # the line of the price, and a marker under it


@dataclass(frozen=True, slots=True)
class Space:
    """A space of the market: `zones` as the file names them, `par` from when it may be chosen."""

    row: int
    column: int
    price: int
    zones: tuple[str, ...]
    par: str | None


@dataclass(frozen=True, slots=True)
class Marker:
    """A corporation on the market, `place` its turn in operating order from 1."""

    place: int
    corporation: str
    price: str
    row: int
    column: int
    zone: str  # in words, empty on white
    floated: bool


@dataclass(frozen=True, slots=True)
class Zone:
    """A zone of the legend: its sign, its name and what it means."""

    name: str
    words: str
    effects: tuple[str, ...]
    sign: SafeString


@cache
def spaces(name: str) -> tuple[Space, ...]:
    """The spaces printed on a title's market, row by row."""
    return tuple(
        Space(cell["row"], cell["col"], cell["price"], tuple(cell["zones"]), cell.get("par"))
        for cell in facts(name)["market"]["cells"]
    )


def zones(name: str) -> tuple[Zone, ...]:
    """What each zone of a title's market means, in words."""
    return tuple(
        Zone(zone, colour(zone), tuple(map(said, about["effect"])), sign(name, zone))
        for zone, about in facts(name)["market"]["zones"].items()
    )


def standing(state: State) -> tuple[Marker, ...]:
    """1830/O-3 — the corporations that have a price, in the order in which they would operate."""
    currency = facts(state.title.name)["currency"]
    zones_of = {(one.row, one.column): one.zones for one in spaces(state.title.name)}
    parred = [one.id for one in state.corporations.values() if one.cell >= 0]
    markers = []
    for place, symbol in enumerate(in_operating_order(state, parred), 1):
        corporation = state.corporations[symbol]
        cell = state.cell(corporation)
        markers.append(
            Marker(
                place,
                symbol,
                money(cell.price, currency),
                cell.row,
                cell.column,
                ", ".join(colour(zone) for zone in zones_of[cell.row, cell.column]),
                corporation.floated,
            )
        )
    return tuple(markers)


def svg(state: State) -> SafeString:
    """The market with the markers on it; in a space the first to operate is on top."""
    markers = standing(state)
    on: dict[tuple[int, int], list[Marker]] = {}
    for marker in markers:
        on.setdefault((marker.row, marker.column), []).append(marker)
    if not markers:
        return _drawing(state.title.name, on, _("Stock market, without markers."))
    told = "; ".join(
        f"{one.corporation} {one.price}" + (f" ({one.zone})" if one.zone else "") for one in markers
    )
    words = _("Stock market. In operating order: %(markers)s.") % {"markers": told}
    return _drawing(state.title.name, on, words)


def empty(name: str) -> SafeString:
    """The market as printed."""
    about = facts(name)["market"]
    prices = ", ".join(
        money(price, facts(name)["currency"]) for price in sorted(about["par_prices"])
    )
    words = _("Stock market, empty. Pars: %(prices)s.") % {"prices": prices}
    return _drawing(name, {}, words)


def rows(name: str) -> tuple[str, ...]:
    """The market in words, a row from left to right in each: price, par and zones of each space."""
    return tuple(
        "; ".join(" ".join([str(one.price), *_marks(one)]) for one in row)
        for _row, row in groupby(spaces(name), key=lambda one: one.row)
    )


def _marks(one: Space) -> Iterator[str]:
    if one.par is not None:
        yield _par(one)
    if one.zones:
        yield f"({', '.join(map(colour, one.zones))})"


def _drawing(name: str, on: Mapping[tuple[int, int], Sequence[Marker]], words: str) -> SafeString:
    """Rows are as high as the most markers in one space of theirs need."""
    printed = spaces(name)
    rows = 1 + max(one.row for one in printed)
    columns = 1 + max(one.column for one in printed)
    heights = [HIGH] * rows
    for (row, _column), stack in on.items():
        heights[row] = max(heights[row], HEAD + PLATE * len(stack) + 1)
    tops = [sum(heights[:row]) for row in range(rows)]
    parts = [
        (
            one.column * WIDE,
            tops[one.row],
            _space(
                name, one, heights[one.row], tuple(on.get((one.row, one.column), ())), _par(one)
            ),
        )
        for one in printed
    ]
    return format_html(
        '<svg class="market" width="{}" viewBox="-1 -1 {} {}" role="img" aria-label="{}">'
        "{}{}</svg>",
        columns * NARROWEST,
        columns * WIDE + 2,
        sum(heights) + 2,
        words,
        format_html_join("", '<g transform="translate({} {})">{}</g>', parts),
        format_html_join("", "{}", ((line,) for line in _ledge(printed, tops))),
    )


def _par(one: Space) -> str:
    """What a space says of the par that it is, with the train that allows it if there is one."""
    if one.par is None:
        return ""
    train = one.par.removeprefix("from first ")
    return _("par") if train == one.par else _("par %(train)s") % {"train": train}


@lru_cache(maxsize=4096)
def _space(name: str, one: Space, high: int, stack: tuple[Marker, ...], par: str) -> SafeString:
    """One space of the market; most are as they were a move before, so it is kept."""
    return format_html(
        '<g class="{}"><rect width="{}" height="{}"/>{}'
        '<text class="market-price" x="7" y="18">{}</text>{}{}{}</g>',
        " ".join(["market-space", *(f"market-{zone}" for zone in one.zones)]),
        WIDE,
        high,
        format_html(
            '<rect class="market-frame" x="3" y="3" width="{}" height="{}"/>', WIDE - 6, high - 6
        )
        if par
        else "",
        one.price,
        format_html_join(
            "",
            '<g transform="translate({} 12)">{}</g>',
            ((WIDE - 9, sign(name, zone)) for zone in one.zones),
        ),
        format_html('<text class="market-note" x="7" y="{}">{}</text>', high - 9, par)
        if par and not stack
        else "",
        format_html_join("", "{}", ((_plate(name, two, n),) for n, two in enumerate(stack))),
    )


def _plate(name: str, one: Marker, n: int) -> SafeString:
    """The marker that operates as the n-th of its space, under those that go before it."""
    fill = PLATES.get(sheet(name).colours[one.corporation] or "", BLANK)
    return format_html(
        '<g class="market-marker" transform="translate(4 {})"><title>{} {}</title>'
        '<rect width="{}" height="{}" rx="{}" fill="{}"/>'
        '<text x="{}" y="14" fill="{}">{}</text></g>',
        HEAD + PLATE * n,
        one.corporation,
        one.price,
        WIDE - 8,
        PLATE - 2,
        (PLATE - 2) / 2,
        fill,
        WIDE / 2 - 4,
        ink(fill),
        one.corporation,
    )


# What tells a zone without its colour; one that frees certificates has a dot for each freedom.
SHAPES = {
    "closed": "M-4-4 4 4M4-4-4 4",
    "end": "M-4 6V-6L4-3-4 0",
    "blue": "M-4-5V5M4-5V5M-4 0H4",
    "below_ledge": "M-5-5H5M0-2V5M-3 2 0 5 3 2",
}


def sign(name: str, zone: str) -> SafeString:
    """The sign of a zone, around the point 0, 0 and to its left: dots or a shape."""
    if zone in SHAPES:
        return format_html('<path class="market-sign" d="{}"/>', SHAPES[zone])
    dots = len(facts(name)["market"]["zones"][zone]["effect"])
    return format_html_join(
        "", '<circle class="market-dot" cx="{}" r="2.75"/>', ((-8 * n,) for n in range(dots))
    )


def _ledge(printed: Sequence[Space], tops: Sequence[int]) -> Iterator[SafeString]:
    """The heavy line between the spaces over it and those under it: steps, down and to the left."""
    under = {(one.row, one.column): "below_ledge" in one.zones for one in printed}
    for (row, column), below in under.items():
        x, y = column * WIDE, tops[row]
        if below and not under.get((row - 1, column), True):
            yield format_html('<path class="market-ledge" d="M{} {}h{}"/>', x, y, WIDE)
        if below and not under.get((row, column - 1), True):
            high = tops[row + 1] - y
            yield format_html('<path class="market-ledge" d="M{} {}v{}"/>', x, y, high)
