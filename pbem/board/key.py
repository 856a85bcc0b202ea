"""The key at the foot of a map: the signs that are on it, and what each means."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from typing import TYPE_CHECKING

from django.utils.html import escape
from django.utils.translation import gettext as _
from django.utils.translation import pgettext_lazy

from .furniture import SIGNS, dots, dotted, moved, outline
from .geometry import number
from .layout import wide
from .sheet import Place, Sheet
from .spoken import COLOURS

if TYPE_CHECKING:
    from django.utils.functional import _StrPromise

ROW = 27.0
SIZE = 12.0  # of the letters
GAP = 14.0  # between two signs


@dataclass(frozen=True, slots=True)
class Sign:
    """A sign drawn about (0, 0), so wide, and its meaning."""

    drawn: str
    wide: float
    words: str


def key(printed: Sheet, width: float, *, played: bool) -> tuple[str, float]:
    """The key as a drawing from (0, 0) on, and how high it is; `played` if the map is of a game."""
    head = printed.title
    parts = [f'<text class="key-head" x="0" y="{number(ROW / 2 + 7)}">{escape(head)}</text>']
    left, top = wide(head, 20) * 1.25 + GAP, 0.0
    for sign in _signs(printed, played):
        size = sign.wide + 6 + wide(sign.words, SIZE) * 1.08
        if left + size > width and left:
            left, top = 0.0, top + ROW
        at = moved((left + sign.wide / 2, top + ROW / 2))
        x, y = number(left + sign.wide + 6), number(top + ROW / 2 + 4.2)
        parts.append(
            f'<g transform="{at}">{sign.drawn}</g>'
            f'<text class="key" x="{x}" y="{y}">{escape(sign.words)}</text>'
        )
        left += size + GAP
    return "".join(parts), top + ROW


def _signs(printed: Sheet, played: bool) -> Iterator[Sign]:
    """What is on this map, tiles first."""
    places = printed.places.values()
    on = {tile.colour for tile in printed.tiles.values()}
    on |= {place.printed.colour for place in places}
    for colour, words in COLOURS.items():
        if colour in on:
            field = f'<path class="f {colour}" d="{outline(printed.grid, 11)}"/>'
            yield Sign(field + dots(colour, (0.0, 0.0)), 20, str(words))
    kinds = {"city", "town", "home", "end"} | {place.terrain for place in places}
    kinds |= {piece.gauge for tile in printed.tiles.values() for piece in tile.pieces}
    for kind, there in (
        ("force", played),
        ("private", any(place.blocked_by for place in places)),
        ("option", any(place.may_be_home for place in places)),
        ("wall", any(place.impassable for place in places)),
        ("port", any(_port(place) for place in places)),
        ("destination", any(place.destination_of for place in places)),
        ("future", any(place.future_label for place in places)),
    ):
        if there:
            kinds.add(kind)
    for kind, (drawn, broad, told) in KEY.items():
        if kind in kinds:
            yield Sign(drawn, broad, str(told))
        if kind == "end":
            yield from _steps(printed)


def _steps(printed: Sheet) -> Iterator[Sign]:
    """The boxes of the values that change, numbered as they follow, each with its phase."""
    begins = {
        colour: phase
        for place in printed.places.values()
        for node in place.printed.nodes
        for (colour, _value), (phase, _same) in zip(node.steps, node.begins, strict=False)
    }
    order = sorted((printed.phases.index(one), colour) for colour, one in begins.items())
    for n, (phase, colour) in enumerate(order, 1):
        box = (
            f'<rect class="step {colour}" x="-10" y="-7.5" width="20" height="15"/>'
            f'<text class="step-of on-{colour}" x="0" y="4">{n}</text>'
        )
        words = _("value from phase %(phase)s") % {"phase": printed.phases[phase]}
        yield Sign(box, 20, words)


def _port(place: Place) -> bool:
    return place.port or any(node.optional for node in place.printed.nodes)


KEY: Mapping[str, tuple[str, float, _StrPromise]] = {
    "city": ('<circle class="slot" r="8"/>', 16, pgettext_lazy("key", "city")),
    "town": ('<circle class="town" r="5"/>', 10, pgettext_lazy("key", "small town")),
    "home": (
        '<circle class="slot" r="10.5"/><circle class="home" r="7.5"/>',
        21,
        pgettext_lazy("key", "home"),
    ),
    "end": (
        '<path class="wedge" d="M-12-5L12 0L-12 5Z"/>',
        24,
        pgettext_lazy("key", "terminus"),
    ),
    "force": (
        (
            '<rect class="force" x="-9" y="-9" width="18" height="13"/>'
            '<path class="pointer" d="M-4 10L0 5L4 10Z"/>'
        ),
        18,
        pgettext_lazy("key", "value in force"),
    ),
    "mountain": (
        f'<path class="cost-sign" d="{SIGNS["mountain"]}"/>',
        14,
        pgettext_lazy("key", "mountain"),
    ),
    "water": (f'<path class="cost-sign" d="{SIGNS["water"]}"/>', 14, pgettext_lazy("key", "water")),
    "river": (f'<path class="cost-sign" d="{SIGNS["river"]}"/>', 14, pgettext_lazy("key", "river")),
    "lake": (f'<path class="cost-sign" d="{SIGNS["lake"]}"/>', 14, pgettext_lazy("key", "lake")),
    "private": (
        f'<path class="block-sign" d="{SIGNS["private"]}"/>',
        12,
        pgettext_lazy("key", "blocked by a private"),
    ),
    "option": (
        f'<path class="option-sign" d="{SIGNS["option"]}"/>',
        12,
        pgettext_lazy("key", "possible home"),
    ),
    "wall": ('<path class="wall-sign" d="M-10 0H10"/>', 26, pgettext_lazy("key", "impassable")),
    "port": (f'<path class="port-sign" d="{SIGNS["port"]}"/>', 13, pgettext_lazy("key", "port")),
    "destination": (
        f'<path class="goal-sign" d="{SIGNS["destination"]}"/>',
        10,
        pgettext_lazy("key", "destination"),
    ),
    "future": (
        dotted("future", (0.0, 0.0), "L", "brown", 12),
        20,
        pgettext_lazy("key", "future label"),
    ),
    "narrow": (
        '<path class="narrow" d="M-14 0H14"/>',
        28,
        pgettext_lazy("key", "narrow gauge"),
    ),
    "dual": (
        '<path class="dual" d="M-14 0H14"/><path class="dual-in" d="M-14 0H14"/>',
        28,
        pgettext_lazy("key", "both gauges"),
    ),
}
