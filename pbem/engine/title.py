"""A title of the family as frozen values: its facts from a file, its disputed rules as switches.

`titles/1830.json` holds what is printed on the map, the tiles and the cards (`facts-18xx/1`);
`Switches` holds what the rulebooks leave open, one enumeration a question, each value naming the
reading. `facts.title` reads the file and makes the value.

The words: a *hex* is a place of the map; a *tile* a printed piece, in several copies; a `Laid` tile
is one with its rotation, its track turned with it. An *edge* 0–5 counts clockwise from south-west
(pointy hexes) or south (flat ones); a *side* is one edge of one hex, numbered over the whole map.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, fields, replace
from enum import Enum
from functools import cache, cached_property
from typing import Any, NewType

from .errors import MalformedAction

End = NewType("End", int)  # of a piece of track: an edge 0–5, or ~n for the tile's n-th node
SHARE = 10  # percent: the unit shares are counted in


class Contest(Enum):
    """1830/Z-2 — who speaks in the auction of a private with two or more bids."""

    LOWEST_BIDDER = "the lowest bidder speaks, dropping out is final"


class Upgrades(Enum):
    """1830/Z-7, FIGF-P-02 — what a corporation must reach to replace a tile."""

    PERMISSIVE = "some track of the new tile, old or new"
    ITALIAN = "for a tile without a city: a run of its own trains over some new track"


class ErieCity(Enum):
    """1830/Z-12, FIGF-X-08 — who chooses the city of a token that lay on trackless cities."""

    LAYER = "the corporation that lays the tile"
    OWNER = "the president of the token's corporation"


class Exchange(Enum):
    """1830/Z-20, FIGF-Z-07 — when a private may be swapped for a share."""

    ANY_TIME = "at any moment"
    BETWEEN_TURNS = "in the owner's stock turn, or between other turns"


class PrivateTrade(Enum):
    """1830/V-3, FIGF-Z-02 — privates sold between players, in stock rounds after the first."""

    PURCHASE = "on the buyer's turn, as its one purchase"
    EITHER_TURN = "on the turn of either, beside its purchase"


class DiscardOrder(Enum):
    """1830/Z-9 — in which order corporations above the train limit discard."""

    LISTED = "the order of the title's list"
    OPERATING = "operating order"


class Rescue(Enum):
    """1830/Z-10, FIGF-Q-04, Q-05, Q-06 — trains of other corporations in a forced purchase."""

    FACE_VALUE = "with the president's money, up to the printed price"
    FIGF = "the same; before bankruptcy one's own corporations' trains, then offered ones"


class OpenPrivates(Enum):
    """1830/Z-14, FIGF-C-03 — what a private still open is worth at the end."""

    FACE_VALUE = "its face value"
    NOTHING = "nothing"


class BankBreaks(Enum):
    """1830/Z-13 — when the bank is broken."""

    BELOW_ZERO = "by a payment that takes it below zero"


@dataclass(frozen=True, slots=True)
class Switches:
    """The disputed points of a title, decided: the table that closes the rules of 1830.

    The defaults are those of the FIGF; `EIGHTEEN_XX` are those of 18xx.games.
    """

    contest: Contest = Contest.LOWEST_BIDDER
    upgrades: Upgrades = Upgrades.ITALIAN
    diesels: int | None = 6  # 1830/Z-8: how many; None is without limit
    rescue: Rescue = Rescue.FIGF
    erie_city: ErieCity = ErieCity.OWNER
    open_privates: OpenPrivates = OpenPrivates.NOTHING
    exchange: Exchange = Exchange.BETWEEN_TURNS
    private_trade: PrivateTrade = PrivateTrade.EITHER_TURN
    discard_order: DiscardOrder = DiscardOrder.OPERATING
    bank_breaks: BankBreaks = BankBreaks.BELOW_ZERO
    multiple_brown_from_ipo: bool = False  # 1830/S-11: the table's option
    third_six: bool = False  # the table's option: one more 6-train

    def with_options(self, options: Mapping[str, Any]) -> Switches:
        """These switches with some set otherwise: names are the fields', values their names.

        Raises `MalformedAction` for a switch or a value that does not exist.
        """
        known = {one.name: getattr(self, one.name) for one in fields(self)}
        changed: dict[str, Any] = {}
        for name, value in options.items():
            if name not in known:
                raise MalformedAction("options", name, "a switch of this title")
            standing = known[name]
            if isinstance(standing, Enum):
                kind = type(standing)
                if not isinstance(value, str) or value not in kind.__members__:
                    raise MalformedAction(f"options.{name}", value, " or ".join(kind.__members__))
                changed[name] = kind[value]
            elif isinstance(standing, bool):
                if not isinstance(value, bool):
                    raise MalformedAction(f"options.{name}", value, "true or false")
                changed[name] = value
            else:
                number = isinstance(value, int) and not isinstance(value, bool) and 0 <= value < 100
                if value is not None and not number:
                    raise MalformedAction(f"options.{name}", value, "a number, or null")
                changed[name] = value
        return replace(self, **changed)


FIGF = Switches()
EIGHTEEN_XX = Switches(
    upgrades=Upgrades.PERMISSIVE,
    diesels=None,
    rescue=Rescue.FACE_VALUE,
    erie_city=ErieCity.LAYER,
    open_privates=OpenPrivates.FACE_VALUE,
    exchange=Exchange.ANY_TIME,
    private_trade=PrivateTrade.PURCHASE,
    discard_order=DiscardOrder.LISTED,
)
PRESETS = {"figf": FIGF, "18xx": EIGHTEEN_XX}


# --- what is printed ------------------------------------------------------------------------------


@dataclass(frozen=True, slots=True)
class Node:
    """A place that a run stops at: `kind` city, town or offboard.

    `values` by phase id; `slots` for tokens; a run must end at a `terminal`; nodes of one `group`
    are one place (1830/R-5).
    """

    kind: str
    slots: int
    values: Mapping[str, int]
    terminal: bool = False
    group: str | None = None

    @property
    def is_city(self) -> bool:
        return self.kind == "city"


@dataclass(frozen=True, slots=True, eq=False)
class Tile:
    """A printed tile, or what is printed on a hex (then `count` is 0 and `id` the hex's).

    `paths` are pairs of ends at rotation 0, an edge first; `upgrades` names the tiles that may
    replace it (1830/L-7). `rotations` are those that differ to the eye.
    """

    id: str
    colour: str
    count: int
    nodes: tuple[Node, ...]
    paths: tuple[tuple[End, End], ...]
    label: str | None
    rotations: int
    upgrades: tuple[str, ...] = ()

    @cache  # noqa: B019 - a title lives as long as the program
    def at(self, rotation: int) -> Laid:
        """The tile turned `rotation` times 60 degrees clockwise, 0 to 5."""
        turned = tuple(
            tuple(End((end + rotation) % 6 if end >= 0 else end) for end in path)
            for path in self.paths
        )
        return Laid(self, rotation, turned)  # type: ignore[arg-type]

    @property
    def has_city(self) -> bool:
        return any(node.is_city for node in self.nodes)


@dataclass(frozen=True, eq=False)
class Laid:
    """A tile as it lies: track turned, with what leads where. Two are equal only if identical."""

    tile: Tile
    rotation: int
    paths: tuple[tuple[End, End], ...]

    @cached_property
    def from_edge(self) -> tuple[tuple[End, ...], ...]:
        """For each edge 0–5, where the track that begins there leads."""
        return tuple(
            tuple(other for path in self.paths for end, other in (path, path[::-1]) if end == edge)
            for edge in range(6)
        )

    @cached_property
    def from_node(self) -> tuple[tuple[End, ...], ...]:
        """For each node, the edges that its track leads to."""
        return tuple(
            tuple(a for a, b in self.paths if b == ~node) for node in range(len(self.tile.nodes))
        )

    @cached_property
    def edges(self) -> frozenset[int]:
        """The edges with track."""
        return frozenset(end for path in self.paths for end in path if end >= 0)

    @cached_property
    def path_set(self) -> frozenset[tuple[End, End]]:
        return frozenset(self.paths) | {(b, a) for a, b in self.paths if a >= 0 and b >= 0}

    @cached_property
    def cities(self) -> tuple[int, ...]:
        """The numbers of the nodes that are cities."""
        return tuple(n for n, node in enumerate(self.tile.nodes) if node.is_city)


@dataclass(eq=False)
class Hex:
    """A place of the map. `neighbors` has None where no track may go: the edge of the map, an
    impassable side, a grey or red side without track (1830/L-5). `sides` numbers its six sides."""

    id: str
    x: int
    y: int
    name: str | None
    colour: str
    fixed: bool
    cost: int
    terrain: str | None
    first_tiles: frozenset[str]
    printed: Laid
    base: int  # its sides are numbered base + edge over the whole map
    sides: tuple[int, ...]  # a bit each: 1 << (base + edge)
    blocked_by: tuple[str, ...]
    homes: tuple[tuple[str, int | None], ...]
    neighbors: tuple[Hex | None, ...] = ()

    def __repr__(self) -> str:
        return f"<Hex {self.id}>"


@dataclass(frozen=True, slots=True)
class Cell:
    """A space of the stock market; `right`, `left`, `up`, `down` number the cells one move leads
    to (itself where there is no move, 1830/P-2)."""

    number: int
    row: int
    column: int
    price: int
    zone: str | None  # yellow, orange, brown
    par: bool
    right: int
    left: int
    up: int
    down: int

    @property
    def exempt_from_certificates(self) -> bool:
        """1830/S-13, FIGF-Z-12 — certificates in a coloured zone do not count against the limit."""
        return self.zone is not None

    @property
    def exempt_from_holding(self) -> bool:
        """1830/S-12 — orange and brown: more than 60% may be held."""
        return self.zone in {"orange", "brown"}

    @property
    def several_purchases(self) -> bool:
        """1830/S-11, FIGF-Z-13 — brown: several certificates a turn."""
        return self.zone == "brown"


@dataclass(frozen=True, slots=True)
class Phase:
    """A phase, which begins with the first train `trigger`: `rounds` a set, `limit` of trains."""

    number: int
    id: str
    trigger: str | None
    limit: int
    colours: frozenset[str]
    rounds: int
    privates_for_corporations: bool
    privates_closed: bool


@dataclass(frozen=True, slots=True)
class Train:
    """A kind of train: `reach` stops (None: any number), `count` copies (None: no limit)."""

    id: str
    price: int
    count: int | None
    reach: int | None
    rusts_on: str | None
    beside_from: int | None  # the number of the phase from which it is sold beside other kinds
    trade_in: Mapping[str, int]  # kind given up → reduction
    permanent: bool


@dataclass(frozen=True, slots=True)
class TileLay:
    """A power to lay one of `tiles` in `hex` without reaching it; `extra` to the turn's tile, or
    in its place."""

    hex: str
    tiles: frozenset[str]
    extra: bool


@dataclass(frozen=True, slots=True)
class FreeToken:
    """A power to place the turn's token in `hex`, free, in the turn the power's tile was laid."""

    hex: str


@dataclass(frozen=True, slots=True)
class ShareExchange:
    """A player's power to swap the private for 10% of `corporation`, from the offering or pool."""

    corporation: str


@dataclass(frozen=True, slots=True)
class FreeShare:
    """What the first buyer also gets: 10% of `corporation`, or its president's certificate."""

    corporation: str
    president: bool


@dataclass(frozen=True, slots=True)
class Private:
    """A private company: its face value, its revenue, and its powers, which are a closed set."""

    id: str
    name: str
    face: int
    revenue: int
    blocks: tuple[str, ...]
    corporation_price: tuple[int, int] | None  # least and most; None: never to a corporation
    tile_lay: TileLay | None = None
    token: FreeToken | None = None
    exchange: ShareExchange | None = None
    free_share: FreeShare | None = None
    closes_with: str | None = None  # the corporation whose first train closes it


@dataclass(frozen=True, slots=True)
class Company:
    """A share company as printed: token prices (the first is the home), home hex and city."""

    id: str
    name: str
    colour: str | None
    tokens: tuple[int, ...]
    home: str
    home_city: int | None  # None: chosen among the cities of the hex
    float_percent: int
    holding_limit: int


@dataclass(frozen=True, eq=False)
class Title:
    """All that is printed of one title, and how its disputed points are decided."""

    name: str
    preset: str
    options: Mapping[str, Any]
    switches: Switches
    bank: int
    seats: Mapping[int, tuple[int, int]]  # players → starting cash, certificate limit
    hexes: Mapping[str, Hex]
    tiles: Mapping[str, Tile]
    cells: tuple[Cell, ...]
    par_cells: Mapping[int, int]  # price → cell
    phases: tuple[Phase, ...]
    trains: Mapping[str, Train]
    privates: Mapping[str, Private]
    companies: Mapping[str, Company]
    pointy: bool
    borders: tuple[tuple[str, str], ...] = ()
    pool_limit: int = 50  # percent: 1830/S-14
    bid_step: int = 5  # 1830/A-3

    def __eq__(self, other: object) -> bool:
        """The same title decided in the same way; what is printed is then the same."""
        return isinstance(other, Title) and (self.name, self.preset, self.switches) == (
            other.name,
            other.preset,
            other.switches,
        )

    def __hash__(self) -> int:
        return hash((self.name, self.preset, self.switches))

    def __repr__(self) -> str:
        return f"<Title {self.name} {self.preset}>"


@cache
def kept(old: Laid, new: Laid) -> tuple[int | None, ...] | None:
    """1830/L-7, L-11 — where each node of `old` is found on `new`; None if old track is lost.

    A node without track (the two cities printed on E11) has no place of its own: its entry is
    None, to be chosen, unless there is one city only. Two old cities never become one (L-12).
    """
    where: dict[int, int] = {}
    for a, b in old.paths:
        if b >= 0:
            if (a, b) not in new.path_set:
                return None
            continue
        found = [~end for end in new.from_edge[a] if end < 0]
        if len(found) != 1 or where.setdefault(~b, found[0]) != found[0]:
            return None
    if len(set(where.values())) != len(where):
        return None
    if len(old.tile.nodes) == len(new.tile.nodes) == 1:
        where.setdefault(0, 0)
    return tuple(where.get(node) for node in range(len(old.tile.nodes)))
