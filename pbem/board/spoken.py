"""A hex in words, for whoever does not see the map: track, places, tokens, who reaches it.

All that the drawing shows of a hex is said here, from the same values.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping
from functools import lru_cache
from types import MappingProxyType
from typing import TYPE_CHECKING

from django.utils.translation import get_language, ngettext, pgettext_lazy
from django.utils.translation import gettext as _

from pbem.engine.state import State
from pbem.texts import NOBODY, Names

from . import faces
from .faces import Face
from .sheet import Node, Place, Print, Sheet, sheet
from .words import money

if TYPE_CHECKING:
    from django.utils.functional import _StrPromise

WAYS: Mapping[bool, tuple[_StrPromise, ...]] = {  # pointy → the edges in words
    True: (
        pgettext_lazy("side", "south-west"),
        pgettext_lazy("side", "west"),
        pgettext_lazy("side", "north-west"),
        pgettext_lazy("side", "north-east"),
        pgettext_lazy("side", "east"),
        pgettext_lazy("side", "south-east"),
    ),
    False: (
        pgettext_lazy("side", "south"),
        pgettext_lazy("side", "south-west"),
        pgettext_lazy("side", "north-west"),
        pgettext_lazy("side", "north"),
        pgettext_lazy("side", "north-east"),
        pgettext_lazy("side", "south-east"),
    ),
}
COLOURS: Mapping[str, _StrPromise] = {
    "yellow": pgettext_lazy("tile", "yellow"),
    "green": pgettext_lazy("tile", "green"),
    "brown": pgettext_lazy("tile", "brown"),
    "gray": pgettext_lazy("tile", "grey"),
}
PRINTED: Mapping[str, _StrPromise] = {
    "yellow": pgettext_lazy("printed", "yellow"),
    "gray": pgettext_lazy("printed", "grey"),
}
TERRAIN: Mapping[str, _StrPromise] = {
    "mountain": pgettext_lazy("terrain", "Mountain"),
    "water": pgettext_lazy("terrain", "Water"),
    "river": pgettext_lazy("terrain", "River"),
    "lake": pgettext_lazy("terrain", "Lake"),
}
KINDS: Mapping[str, _StrPromise] = {
    "city": pgettext_lazy("board", "City"),
    "town": pgettext_lazy("board", "Small town"),
}
AREAS: Mapping[str, _StrPromise] = {
    "red": pgettext_lazy("board", "Red area"),
    "gray": pgettext_lazy("board", "Grey area"),
    "blue": pgettext_lazy("board", "Port"),
}
GAUGES: Mapping[str, _StrPromise] = {
    "narrow": pgettext_lazy("track", "%(side)s (narrow gauge)"),
    "dual": pgettext_lazy("track", "%(side)s (both gauges)"),
}


def hex_words(state: State, hex_id: str, names: Names = NOBODY) -> str:
    """What there is on a hex of a position; `names` says how corporations and privates are called.

    Raises `KeyError` for a hex that is not on the map.
    """
    return _told(faces.faces(state)[hex_id], faces.reached(state).get(hex_id, ()), names)


def told(
    found: Mapping[str, Face],
    reached: Mapping[str, tuple[str, ...]] = MappingProxyType({}),
    names: Names = NOBODY,
) -> dict[str, str]:
    """The words of these hexes, by id; `reached` says who reaches each."""
    return {name: _told(face, reached.get(name, ()), names) for name, face in found.items()}


def lines(
    found: Mapping[str, Face],
    reached: Mapping[str, tuple[str, ...]] = MappingProxyType({}),
    names: Names = NOBODY,
) -> list[str]:
    """The same as a list: a line each, but one at the end for all hexes with nothing on them."""
    plain = [name for name, face in found.items() if not reached.get(name) and _is_plain(face)]
    said = [words for name, words in told(found, reached, names).items() if name not in plain]
    if plain:
        said.append(_("Plain, without a tile: %(hexes)s.") % {"hexes": ", ".join(plain)})
    return said


@lru_cache(maxsize=8192)
def _is_plain(face: Face) -> bool:
    """Whether nothing is said of a hex but its name and that no tile lies there."""
    return len(list(_sentences(face, (), {}))) == 2 and face.print.colour == "white"


def _told(face: Face, reached: tuple[str, ...], names: Names) -> str:
    if names:
        called = tuple((one, names[one]) for one in sorted(_named(face, reached)) if one in names)
    else:
        called = ()
    return _words(face, reached, called, get_language())


def _named(face: Face, reached: tuple[str, ...]) -> set[str]:
    place = sheet(face.title).places[face.hex]
    return {
        *reached,
        *face.blocks,
        *face.options,
        *place.destination_of,
        *(symbol for symbol, _city in face.homes),
        *(symbol for _city, held in face.tokens for symbol in held),
    }


@lru_cache(maxsize=8192)
def _words(
    face: Face,
    reached: tuple[str, ...],
    called: tuple[tuple[str, str], ...],
    _language: str | None,
) -> str:
    return " ".join(_sentences(face, reached, dict(called)))


def _sentences(face: Face, reached: tuple[str, ...], names: Names) -> Iterator[str]:
    map_sheet = sheet(face.title)
    place, lying = map_sheet.places[face.hex], face.print

    yield f"{place.id} {place.name}." if place.name else f"{place.id}."
    yield from _field(face, place, lying)
    yield from _nodes(face, lying, names)
    yield from _plain_track(face, lying)
    yield from _belonging(map_sheet, place, lying)
    yield from _undecided(face, lying, names)
    if face.blocks:
        yield _("Blocked by %(private)s.") % {"private": _listed(face.blocks, names)}
    if place.banks and not face.tile:
        yield _banks(face, place)
    if place.impassable:
        yield _("Impassable: %(sides)s.") % {"sides": _sides(face, place.impassable)}
    if place.port:
        yield _("Sign of a port.")
    if place.destination_of:
        yield _("Destination of %(corporations)s.") % {
            "corporations": _listed(place.destination_of, names)
        }
    if reached:
        yield _("Reached by %(corporations)s.") % {"corporations": _listed(reached, names)}


def _listed(symbols: Iterable[str], names: Names) -> str:
    return ", ".join(names.get(symbol, symbol) for symbol in symbols)


def _belonging(map_sheet: Sheet, place: Place, lying: Print) -> Iterator[str]:
    """The other hexes of the same place; the label, or the one that is to come."""
    group = lying.nodes[0].group if lying.nodes else None
    if group:
        others = [
            other.id
            for other in map_sheet.places.values()
            if other is not place and any(node.group == group for node in other.printed.nodes)
        ]
        yield _("One place with %(hexes)s.") % {"hexes": ", ".join(others)}
    if lying.label:
        yield _("Label %(label)s.") % {"label": lying.label}
    if coming := place.label_to_come(lying):
        label, colour = coming
        yield _("Label %(label)s from the %(colour)s tile on.") % {
            "label": label,
            "colour": COLOURS[colour],
        }


def _undecided(face: Face, lying: Print, names: Names) -> Iterator[str]:
    """1830/F-2 — homes and stations whose city is still to be chosen."""
    if face.options:
        yield _("Possible home of %(corporations)s.") % {
            "corporations": _listed(face.options, names)
        }
    for symbol, home in face.homes:
        if home is None and len(lying.nodes) > 1:
            yield _("Home of %(corporation)s, in a city to be chosen.") % {
                "corporation": names.get(symbol, symbol)
            }
    for city, held in face.tokens:
        if city < 0:
            yield _("Station of %(corporation)s, its city to be chosen.") % {
                "corporation": _listed(held, names)
            }


def _field(face: Face, place: Place, lying: Print) -> Iterator[str]:
    if face.tile:
        yield _("Tile %(tile)s, %(colour)s.") % {
            "tile": lying.id,
            "colour": COLOURS[lying.colour],
        }
    elif lying.colour in PRINTED:
        sentence = (
            _("Printed in %(colour)s, permanent.")
            if place.fixed
            else _("Printed in %(colour)s, no tile yet.")
        )
        yield sentence % {"colour": PRINTED[lying.colour]}
        if lying.nodes and not lying.pieces:
            yield _("Without track.")
    elif lying.colour == "white":
        yield _("No tile.")
    elif not lying.nodes:
        yield _("Outside the network.")
    if place.cost and not face.tile and place.terrain:
        yield _("%(terrain)s: %(cost)s.") % {
            "terrain": TERRAIN[place.terrain],
            "cost": money(place.cost, sheet(face.title).currency),
        }


def _nodes(face: Face, lying: Print, names: Names) -> Iterator[str]:
    """The places of a hex; what is not built yet is not said of each."""
    if len(lying.nodes) > 1 and not lying.pieces and all(_is_bare(node) for node in lying.nodes):
        count = len(lying.nodes)
        yield ngettext("%(count)d small town.", "%(count)d small towns.", count) % {"count": count}
        return
    for number in range(len(lying.nodes)):
        yield _node(face, lying, number, names)


def _is_bare(node: Node) -> bool:
    return not node.slots and not any(value for _phase, value in node.values)


def _node(face: Face, lying: Print, number: int, names: Names) -> str:
    """A city, a town or an area: its value, its track, who has a station there."""
    node, parts = lying.nodes[number], []
    kind = str(AREAS[lying.colour] if node.kind == "offboard" else KINDS[node.kind])
    if len(lying.nodes) > 1:
        kind += f" {number + 1}"
    sides = [
        _gauged(_side(face, edge), lying.gauge(edge, f"n{number}"))
        for edge in sorted(lying.edges(number))
    ]
    if lying.pieces or any(value for _phase, value in node.values):
        parts.append(_worth(face, node))
        parts.append(
            _("track to %(sides)s") % {"sides": ", ".join(sides)} if sides else _("without track")
        )
    if node.optional:
        parts.append(_("optional stop"))
    if node.slots:
        parts.append(_places(face, node, number, names))
    if not parts:
        return f"{kind}."
    return _("%(place)s: %(what)s.") % {"place": kind, "what": "; ".join(parts)}


def _places(face: Face, node: Node, number: int, names: Names) -> str:
    held = [symbol for city, symbols in face.tokens if city == number for symbol in symbols]
    homes = [
        symbol
        for symbol, city in face.homes
        if city == number or (city is None and len(face.print.nodes) == 1)
    ]
    parts = [names.get(symbol, symbol) for symbol in held]
    parts += [
        _("reserved for %(corporation)s") % {"corporation": names.get(symbol, symbol)}
        for symbol in homes
    ]
    free = node.slots - len(held) - len(homes)
    if free > 0:
        parts.append(ngettext("%(count)d free", "%(count)d free", free) % {"count": free})
    places = ngettext("%(count)d place", "%(count)d places", node.slots) % {"count": node.slots}
    return _("%(places)s, %(who)s") % {"places": places, "who": ", ".join(parts)}


def _worth(face: Face, node: Node) -> str:
    if node.steps:
        (_first, least), *later = node.begins
        values = ", ".join(
            [
                str(least),
                *(
                    _("%(value)s from phase %(phase)s") % {"value": value, "phase": phase}
                    for phase, value in later
                ),
            ]
        )
        if not face.phase:
            return _("worth %(value)s") % {"value": values}
        return _("worth %(value)s now, of %(values)s") % {
            "value": node.value(face.phase),
            "values": values,
        }
    value = node.value(face.phase) if face.phase else node.values[0][1]
    return _("worth %(value)s") % {"value": value} if value else _("worth nothing")


def _plain_track(face: Face, lying: Print) -> Iterator[str]:
    pairs = [
        _gauged(
            _("%(one)s to %(other)s") % {"one": _side(face, one), "other": _side(face, other)},
            gauge,
        )
        for one, other, gauge in sorted(
            (min(piece.a, piece.b), max(piece.a, piece.b), piece.gauge)
            for piece in lying.pieces
            if isinstance(piece.a, int) and isinstance(piece.b, int)
        )
    ]
    if pairs:
        yield _("Track: %(pairs)s.") % {"pairs": "; ".join(pairs)}


def _gauged(text: str, gauge: str | None) -> str:
    return str(GAUGES[gauge]) % {"side": text} if gauge and gauge in GAUGES else text


def _banks(face: Face, place: Place) -> str:
    """Which sides lie on which bank: first those on the side of what is there."""
    one, other = place.banks
    if set(other) == set(place.station_bank):
        one, other = other, one
    kinds = [node.kind for node in place.printed.nodes]
    if not place.station_bank or not kinds:
        sentence = _("On one bank %(one)s; on the other %(other)s.")
    elif kinds[0] == "city":
        sentence = _("On the bank of the city %(one)s; on the other %(other)s.")
    elif len(kinds) == 1:
        sentence = _("On the bank of the town %(one)s; on the other %(other)s.")
    else:
        sentence = _("On the bank of the towns %(one)s; on the other %(other)s.")
    return sentence % {"one": _sides(face, one), "other": _sides(face, other)}


def _sides(face: Face, edges: Iterable[int]) -> str:
    return ", ".join(_side(face, edge) for edge in sorted(edges))


def _side(face: Face, edge: int) -> str:
    return str(WAYS[sheet(face.title).grid.pointy][edge])
