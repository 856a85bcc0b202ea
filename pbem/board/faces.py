"""What lies on each hex of a position: plain values, from which it is drawn and told in words."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, replace

from pbem.engine.actions import LayTile
from pbem.engine.reach import reach
from pbem.engine.state import State
from pbem.engine.title import kept

from .sheet import Print, sheet


@dataclass(frozen=True, slots=True)
class Face:
    """A hex as it lies. `tile` is empty where nothing is laid; `phase` is empty on an empty map;
    `tokens` are (city, who), -1 for one whose city is yet to be chosen; `homes` those to come,
    `options` those that may choose it."""

    title: str
    hex: str
    tile: str = ""
    rotation: int = 0
    phase: str = ""
    tokens: tuple[tuple[int, tuple[str, ...]], ...] = ()
    homes: tuple[tuple[str, int | None], ...] = ()
    blocks: tuple[str, ...] = ()
    options: tuple[str, ...] = ()

    @property
    def print(self) -> Print:
        """What is printed there, turned as it lies."""
        printed = sheet(self.title)
        if not self.tile:
            return printed.places[self.hex].printed
        return printed.tiles[self.tile].turned(self.rotation)


def empty(title: str) -> dict[str, Face]:
    """The hexes as printed, by id: every home is to come, every private blocks."""
    return {
        name: Face(
            title,
            name,
            homes=place.homes,
            blocks=place.blocked_by,
            options=place.may_be_home,
        )
        for name, place in sheet(title).places.items()
    }


def faces(state: State, proposed: LayTile | None = None) -> dict[str, Face]:
    """The hexes of a position, by id; the proposed tile as if it lay, its tokens moved with it."""
    title = state.title.name
    phase = state.title.phases[state.phase].id
    places = sheet(title).places
    tokens: dict[str, list[tuple[int, tuple[str, ...]]]] = {}
    for (where, city), held in sorted(state.stations.items()):
        tokens.setdefault(where, []).append((city, held))
    homes: dict[str, list[tuple[str, int | None]]] = {}
    for symbol, home in state.homes.items():
        if not state.corporations[symbol].tokens:
            homes.setdefault(home[0], []).append((symbol, home[1]))
    found = {
        name: Face(
            title,
            name,
            laid.tile.id if laid.tile.count else "",
            laid.rotation,
            phase,
            tuple(tokens.get(name, ())),
            tuple(homes.get(name, ())),
            tuple(one for one in hexagon.blocked_by if blocks(state, one)),
            tuple(one for one in places[name].may_be_home if not state.corporations[one].tokens),
        )
        for name, hexagon in state.title.hexes.items()
        for laid in (state.board[name],)
    }
    if proposed is not None:
        found[proposed.hex] = _proposed(state, found[proposed.hex], proposed)
    return found


def blocks(state: State, private: str) -> bool:
    """1830/L-10 — whether a private keeps tiles off its hexes: while no corporation has it."""
    return private in state.unsold or state.owners.get(private) in state.cash


def _proposed(state: State, face: Face, lay: LayTile) -> Face:
    moved = kept(state.board[lay.hex], state.title.tiles[lay.tile].at(lay.rotation)) or ()
    tokens = tuple((old if old < 0 else moved[old] or 0, held) for old, held in face.tokens)
    homes = tuple((symbol, None if old is None else moved[old]) for symbol, old in face.homes)
    return replace(face, tile=lay.tile, rotation=lay.rotation, tokens=tokens, homes=homes)


def reached(state: State) -> Mapping[str, tuple[str, ...]]:
    """1830/L-3 — who reaches each hex by track, or stands on it, in the title's order."""
    by_number = list(state.title.hexes)  # the sides of a hex are numbered from six times its place
    found: dict[str, list[str]] = {}
    for symbol, corporation in state.corporations.items():
        if not corporation.tokens:
            continue
        walk = reach(state, symbol)
        sides = {side // 6 for side in walk.entered}
        for side in walk.upper(state).entered - walk.entered:
            if side // 6 not in sides:
                hexagon = state.title.hexes[by_number[side // 6]]
                if walk.crosses(state, hexagon, side % 6):
                    sides.add(side // 6)
        for name in {by_number[number] for number in sides} | walk.homes:
            found.setdefault(name, []).append(symbol)
    return {name: tuple(symbols) for name, symbols in found.items()}
