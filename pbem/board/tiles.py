"""A tile by itself, for the list of a title's tiles and for a lay."""

from __future__ import annotations

from dataclasses import replace
from functools import cache

from django.utils.safestring import SafeString, mark_safe

from . import spoken
from .faces import Face
from .furniture import furniture, moved
from .geometry import RADIUS, number
from .map import field_of, tracks
from .sheet import Place, sheet

EDGE = 2.0  # round the tile


@cache
def picture(title: str, tile: str, rotation: int = 0) -> SafeString:
    """The tile of a title, drawn as it is on the map; its words stand beside it."""
    printed, face = sheet(title), replace(_face(title, tile), rotation=rotation)
    x, y = at = printed.centre(face.hex)
    broad, tall = (50.0, RADIUS) if printed.grid.pointy else (RADIUS, 50.0)
    box = (x - broad - EDGE, y - tall - EDGE, 2 * (broad + EDGE), 2 * (tall + EDGE))
    return mark_safe(  # noqa: S308 - numbers, and what `furniture` has escaped
        f'<svg class="map tile-picture" viewBox="{" ".join(map(number, box))}" aria-hidden="true">'
        f"{field_of(face)}{''.join(tracks([face]))}"
        f'<g transform="{moved(at)}">{furniture(face)}</g></svg>'
    )


def told(title: str, tile: str) -> str:
    """The tile in words, as it is drawn: its cities, their values, its track."""
    face = _face(title, tile)
    return spoken.told({tile: face})[tile].removeprefix(f"{face.hex}. ")


@cache
def _face(title: str, tile: str) -> Face:
    ground = next(place.id for place in sheet(title).places.values() if _is_plain(place))
    return Face(title, ground, tile=tile)


def _is_plain(place: Place) -> bool:
    """Whether a hex has nothing of its own that would be drawn on a tile."""
    own = (place.name, place.terrain, place.port, place.homes, place.blocked_by, place.banks)
    return not (
        any(own) or place.fixed or place.printed.nodes or place.future_label or place.destination_of
    )
