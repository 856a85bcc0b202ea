"""The tile of an operating turn: chosen on the drawn board, or named by hex, number and side."""

from __future__ import annotations

import re
from collections.abc import Iterator
from dataclasses import dataclass
from functools import cached_property

from django.utils.safestring import SafeString
from django.utils.translation import gettext as _
from django.utils.translation import pgettext_lazy

from pbem.board import tiles
from pbem.board.geometry import Grid
from pbem.board.run_check import place_name
from pbem.board.spoken import WAYS
from pbem.engine import Game as Engine
from pbem.engine import MalformedAction, from_dict
from pbem.engine.actions import LayTile
from pbem.engine.errors import IllegalAction, Reason
from pbem.engine.lays import Gain, best_lays
from pbem.engine.state import Step as TurnStep
from pbem.engine.title import Hex, Laid
from pbem.engine.track import cost
from pbem.forms.steps import Barred, Offer, Step, come_to, refusal, step_of
from pbem.rules.commands import Command, Fault, Faulty, Plain
from pbem.rules.orientation import SIDES, rotation_of
from pbem.texts import words

LAY_WORK = 10_000  # steps of the search for each tile; the recorded games take 6,000 at most
# Of the reasons why no tile can be laid on a hex, the one told is the last that any tile came to.
LAST = (
    Reason.FIXED_HEX,
    Reason.NOT_AN_UPGRADE,
    Reason.COLOUR_NOT_YET,
    Reason.NO_TILE_LEFT,
    Reason.HEX_BLOCKED,
    Reason.TRACK_INTO_NOTHING,
    Reason.TRACK_NOT_KEPT,
    Reason.NO_MONEY,
    Reason.NOT_CONNECTED,
    Reason.NO_TRAIN_FOR_UPGRADE,
    Reason.NEW_TRACK_UNUSED,
)


SHORT = {  # X-06, by rotation
    "SW": pgettext_lazy("side of a hex, short", "SW"),
    "W": pgettext_lazy("side of a hex, short", "W"),
    "NW": pgettext_lazy("side of a hex, short", "NW"),
    "NE": pgettext_lazy("side of a hex, short", "NE"),
    "E": pgettext_lazy("side of a hex, short", "E"),
    "SE": pgettext_lazy("side of a hex, short", "SE"),
}


@dataclass(frozen=True, slots=True)
class Choice:
    """A tile as it could be laid: its picture, its words, the side of its number, cost, gain."""

    value: str
    tile: str
    side: str
    picture: SafeString
    words: str
    cost: str
    gain: str
    power: str
    chosen: bool


@dataclass(frozen=True, slots=True)
class Side:
    """A side of a hex in the drawing of the orientations."""

    words: str
    rotation: int
    x: int
    y: int
    inner_x: int
    inner_y: int


class Track(Step):
    """X-05 and X-06: the tile of the turn, with the power of a private where it takes its place.

    `hex` and `lay` are chosen; `free_hex`, `free_tile`, `free_side` and `free_private` are what
    somebody writes by himself, and count before them.
    """

    template = "pbem/_move_map_track.html"
    names = ("hex", "lay", "free_hex", "free_tile", "free_side", "free_private")

    @cached_property
    def commands(self) -> list[Command]:
        if self.free:
            return [self._written()]
        hex_id, lay = self.said("hex"), read(self.symbol, self.said("lay"))
        if not hex_id:
            return []
        if lay is None or lay.hex != hex_id:
            return [Faulty("lay", Fault.INCOMPLETE, hex_id)]
        return [Plain(lay)]

    @property
    def free(self) -> tuple[str, ...]:
        """What was written instead of chosen, or nothing."""
        said = tuple(self.said(name) for name in ("free_hex", "free_tile", "free_side"))
        return said if any(said) else ()

    def _written(self) -> Command:
        hex_id, tile, side = self.free
        told = " ".join(one for one in self.free if one)
        if not (hex_id and tile and side):
            return Faulty("lay", Fault.INCOMPLETE, told)
        rotation, private = rotation_of(side), self.said("free_private") or None
        lay = None if rotation is None else f"{hex_id.upper()} {tile} {rotation} {private or ''}"
        action = read(self.symbol, lay or "")
        return Faulty("lay", Fault.UNREADABLE, told) if action is None else Plain(action)

    # --- what is shown ---

    @cached_property
    def at(self) -> Engine:
        return come_to(self.before, self.symbol, TurnStep.TRACK)

    @property
    def at_its_tile(self) -> bool:
        return step_of(self.at, self.symbol) is TurnStep.TRACK

    @property
    def free_hex(self) -> str:
        return self.said("free_hex")

    @property
    def free_tile(self) -> str:
        return self.said("free_tile")

    @property
    def free_side(self) -> str:
        return self.said("free_side")

    @property
    def picture(self) -> SafeString | str:
        """The tile that was written, as it would lie."""
        title, lay = self.state.title, self.lay if self.free else None
        if lay is None or lay.tile not in title.tiles or not title.tiles[lay.tile].count:
            return ""
        return tiles.picture(title.name, lay.tile, lay.rotation)

    @property
    def sides(self) -> list[Side]:
        """X-06 drawn: the six sides round a hex, by name and by number."""
        grid = Grid(self.state.title.pointy)
        found = []
        for rotation, side in enumerate(SIDES):
            (x, y), (inner_x, inner_y) = grid.towards(rotation, 51), grid.towards(rotation, 28)
            spots = (round(one) for one in (x, y + 4, inner_x, inner_y + 5))
            found.append(Side(str(SHORT[side]), rotation, *spots))
        return found

    @cached_property
    def shown(self) -> bool:
        return self.filled or step_of(self.at, self.symbol) is TurnStep.TRACK

    @cached_property
    def gains(self) -> list[Gain]:
        """Each legal tile of the turn, and what it adds to the best run."""
        if step_of(self.at, self.symbol) is not TurnStep.TRACK:
            return []
        found = best_lays(self.at, self.symbol, LAY_WORK)
        return [one for one in found if not is_extra(self.at, one.lay)]

    @cached_property
    def best(self) -> dict[str, Gain]:
        """The best of each hex, the best hex first."""
        found: dict[str, Gain] = {}
        for one in sorted(self.gains, key=lambda one: (-one.gain, one.cost, one.lay.hex)):
            found.setdefault(one.lay.hex, one)
        return found

    @cached_property
    def hexes(self) -> list[Offer]:
        """The hexes where a tile can be laid."""
        return [
            Offer(
                hex_id,
                f"{place_name(self.state, hex_id)}: {_gain_words(one.gain)}"
                + (f", {self.money(one.cost)}" if one.cost else ""),
                hex_id == self.hex,
            )
            for hex_id, one in self.best.items()
        ]

    @cached_property
    def others(self) -> list[Offer]:
        """The hexes where none can: chosen, they say why."""
        return [
            Offer(one.id, place_name(self.state, one.id), one.id == self.hex)
            for one in sorted(self.state.title.hexes.values(), key=_by_name)
            if one.id not in self.best and not one.fixed
        ]

    @property
    def hex(self) -> str:
        """The hex that is looked at."""
        hex_id = self.said("hex").upper()
        return hex_id if hex_id in self.state.title.hexes and not self.free else ""

    @cached_property
    def hex_name(self) -> str:
        return place_name(self.state, self.hex)

    @cached_property
    def lay(self) -> LayTile | None:
        """The tile that is to be laid, legal or not."""
        command = self.commands[0] if self.commands else None
        action = command.action if isinstance(command, Plain) else None
        return action if isinstance(action, LayTile) else None

    @cached_property
    def choices(self) -> list[Choice]:
        """The tiles that can be laid there, each rotation that leaves another track once."""
        here = [one for one in self.gains if one.lay.hex == self.hex]
        chosen = self._seen(self.lay) if self.lay and self.lay in [o.lay for o in here] else None
        found: dict[object, Choice] = {}
        for one in sorted(here, key=lambda one: (-one.gain, one.lay.tile, one.lay.rotation)):
            seen = self._seen(one.lay)
            if seen not in found or one.lay == self.lay:
                found[seen] = self.choice(one.lay, one.cost, one.gain, chosen=seen == chosen)
        return list(found.values())

    def choice(self, lay: LayTile, price: int, gain: int, *, chosen: bool) -> Choice:
        title = self.state.title
        return Choice(
            written(lay),
            lay.tile,
            str(SHORT[SIDES[lay.rotation]]),
            tiles.picture(title.name, lay.tile, lay.rotation),
            track_words(title.tiles[lay.tile].at(lay.rotation), pointy=title.pointy),
            self.money(price) if price else "",
            _gain_words(gain),
            lay.private or "",
            chosen,
        )

    def _seen(self, lay: LayTile) -> object:
        laid = self.state.title.tiles[lay.tile].at(lay.rotation)
        return lay.hex, lay.tile, lay.private, frozenset(map(frozenset, laid.paths))

    # --- what cannot be laid ---

    @cached_property
    def barred(self) -> list[Barred]:
        """The tiles that might come on the hex that is looked at and cannot, and why."""
        if not self.hex:
            return []
        legal = {one.lay.tile for one in self.gains if one.lay.hex == self.hex}
        return [
            Barred(_("Tile %(tile)s") % {"tile": tile}, why)
            for tile in self._following(self.state.title.hexes[self.hex])
            if tile not in legal and (why := self._why(self.hex, tile))
        ]

    @cached_property
    def why(self) -> str:
        """N2 of what players ask for: why no tile at all can be laid on it, and who is to blame."""
        if not self.hex or self.choices or step_of(self.at, self.symbol) is not TurnStep.TRACK:
            return ""
        hexagon = self.state.title.hexes[self.hex]
        owned = [one for one in hexagon.blocked_by if self.state.owners.get(one) in self.state.cash]
        if owned:
            return " ".join([self._blocked(hexagon, one) for one in owned])
        tried = self._following(hexagon) or ["57"]
        reasons = [one for tile in tried for one in self._refusals(self.hex, tile)]
        return words(max(reasons, key=_rank), self.turn.names) if reasons else ""

    def _blocked(self, hexagon: Hex, private: str) -> str:
        owner = self.state.owners[private]
        return _(
            "%(hex)s is blocked by %(private)s, which belongs to %(owner)s, until a corporation "
            "buys it or it closes."
        ) % {
            "hex": place_name(self.state, hexagon.id),
            "private": self.private_name(private),
            "owner": self.called(owner),
        }

    def _following(self, hexagon: Hex) -> list[str]:
        old = self.state.board[hexagon.id].tile
        follows = old.upgrades if old.count else hexagon.first_tiles
        return sorted(follows, key=lambda one: (len(one), one))

    def _refusals(self, hex_id: str, tile: str) -> Iterator[IllegalAction]:
        for rotation in range(6):
            error = refusal(self.at.check, LayTile(self.symbol, hex_id, tile, rotation))
            if isinstance(error, IllegalAction):
                yield error

    def _why(self, hex_id: str, tile: str) -> str:
        reasons = list(self._refusals(hex_id, tile))
        return words(max(reasons, key=_rank), self.turn.names) if reasons else ""

    @property
    def powers(self) -> list[Offer]:
        """The privates of the corporation whose tile takes the place of the turn's (V-8)."""
        chosen = self.said("free_private")
        return [
            Offer(name, self.private_name(name), name == chosen)
            for name, owner in self.state.owners.items()
            if owner == self.symbol and self.state.title.privates[name].tile_lay
        ]


class Extra(Step):
    """X-05: the second tile, of who owns the private that gives one (B20, Z-05)."""

    template = "pbem/_move_map_extra.html"
    names = ("extra",)

    @cached_property
    def commands(self) -> list[Command]:
        said = self.said("extra")
        lay = read(self.symbol, said)
        if not said:
            return []
        return [Faulty("lay", Fault.UNREADABLE, said) if lay is None else Plain(lay)]

    @cached_property
    def shown(self) -> bool:
        return bool(self.choices) or self.filled

    @cached_property
    def choices(self) -> list[Choice]:
        chosen, state = read(self.symbol, self.said("extra")), self.state
        found = []
        drawn = Track(self.turn)
        for option in self.before.options(self.symbol):
            lay = option.action
            if isinstance(lay, LayTile) and is_extra(self.before, lay):
                price = cost(state, state.title.hexes[lay.hex])
                found.append(drawn.choice(lay, price, 0, chosen=lay == chosen))
        return found


def read(symbol: str, said: str) -> LayTile | None:
    """The lay that a field holds; None if it holds none."""
    hex_id, tile, rotation, *private = said.split() if len(said.split()) in {3, 4} else ("", "", "")
    if not re.fullmatch(r"\d", rotation, re.ASCII):
        return None
    told: dict[str, object] = {"hex": hex_id, "tile": tile, "rotation": int(rotation)}
    told |= {"private": private[0]} if private else {}
    try:
        action = from_dict({"type": LayTile.verb, "actor": symbol} | told)
    except MalformedAction:
        return None
    return action if isinstance(action, LayTile) else None


def written(lay: LayTile) -> str:
    """A lay as its field holds it."""
    return " ".join([lay.hex, lay.tile, str(lay.rotation), *([lay.private] if lay.private else [])])


def is_extra(at: Engine, lay: LayTile) -> bool:
    """Whether a lay is extra to the turn's."""
    power = at.title.privates[lay.private].tile_lay if lay.private else None
    return bool(power and power.extra)


def track_words(laid: Laid, *, pointy: bool) -> str:
    """The track of a tile as it lies, for who does not see it: what each stop is joined to."""
    ways = WAYS[pointy]
    said = []
    for node, edges in enumerate(laid.from_node):
        to = ", ".join(str(ways[edge]) for edge in sorted(edges))
        stop = _("city") if laid.tile.nodes[node].is_city else _("town")
        said.append(f"{stop}: {to}" if to else stop)
    said += [f"{ways[a]}–{ways[b]}" for a, b in sorted(laid.paths) if b >= 0]
    return "; ".join(said)


def _gain_words(gain: int) -> str:
    return f"{gain:+d}" if gain else "±0"


def _rank(error: IllegalAction) -> int:
    return LAST.index(error.reason) if error.reason in LAST else -1


def _by_name(hexagon: Hex) -> tuple[str, int]:
    return hexagon.id[0], int(hexagon.id[1:]) if hexagon.id[1:].isdecimal() else 0
