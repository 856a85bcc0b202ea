"""A position written down: as JSON, and as a few lines that a person can read and write.

Both say the same, key by key. In the text each key is a line, each corporation a line of its own;
lists are `(a b)`, maps `{a=1 b=2}`, nothing is `-`. What is not said is as at the start: hexes
without a tile, tiles not laid, corporations that nobody has bought of.
"""

from __future__ import annotations

import hashlib
import json
import re
from collections.abc import Callable, Iterable, Mapping
from typing import Any

from .errors import MalformedAction
from .facts import title
from .state import Auction, Corporation, Operating, State, Step, Stock

LONGEST = 100_000  # characters of a position in text
UNDECIDED = -1


def digest(state: State) -> str:
    """Sixteen hexadecimal digits that tell positions apart: a SHA-256 of the canonical JSON."""
    written = json.dumps(to_dict(state), sort_keys=True, separators=(",", ":"))
    return hashlib.sha256(written.encode()).hexdigest()[:16]


# --- writing --------------------------------------------------------------------------------------


def to_dict(state: State) -> dict[str, Any]:
    """The whole position in plain JSON; `from_dict` reads it back."""
    printed = state.title
    return {
        "title": printed.name,
        "preset": printed.preset,
        "options": dict(printed.options),
        "players": list(state.players),
        "cash": dict(state.cash),
        "bank": state.bank,
        "broken": state.broken,
        "phase": printed.phases[state.phase].id,
        "turn": state.turn,
        "number": state.number,
        "rounds": state.rounds,
        "priority": state.players[state.priority],
        "privates": dict(state.owners),
        "unsold": list(state.unsold),
        "used": sorted(state.used),
        "depot": dict(state.depot),
        "pool": list(state.pool),
        "markers": list(state.markers),
        "corporations": {one.id: _corporation(one) for one in state.corporations.values()},
        "board": {
            hex_id: f"{laid.tile.id}.{laid.rotation}"
            for hex_id, laid in state.board.items()
            if laid.tile.count
        },
        "homes": {
            symbol: city
            for symbol, (_, city) in state.homes.items()
            if city != printed.companies[symbol].home_city
        },
        "round": _round(state),
        "over": state.over,
        "bankrupt": state.bankrupt,
    }


def _corporation(one: Corporation) -> dict[str, Any]:
    return {
        "cash": one.cash,
        "par": one.par,
        "cell": one.cell,
        "ipo": one.ipo,
        "pool": one.pool,
        "president": one.president,
        "held": dict(one.held),
        "floated": one.floated,
        "operated": one.operated,
        "trained": one.bought_a_train,
        "trains": list(one.trains),
        "tokens": [f"{hex_id}.{city}" for hex_id, city in one.tokens],
    }


def _round(state: State) -> dict[str, Any]:
    now = state.round
    if isinstance(now, Auction):
        return {
            "kind": "auction",
            "turn": state.players[now.turn],
            "passes": now.passes,
            "discount": now.discount,
            "bids": {private: dict(bids) for private, bids in now.bids.items()},
            "contest": now.contest,
            "naming": now.naming,
            "namer": now.namer,
            "last": now.last_buyer,
        }
    if isinstance(now, Stock):
        return {
            "kind": "stock",
            "turn": state.players[now.turn],
            "passes": now.passes,
            "acted": now.acted,
            "bought": list(now.bought) if now.bought else None,
            "sold": {player: sorted(sold) for player, sold in now.sold.items()},
            "last": now.last_actor,
        }
    return {
        "kind": "operating",
        "order": list(now.order),
        "index": now.index,
        "step": now.step.name.lower(),
        "laid": now.laid,
        "tokened": now.tokened,
        "power": now.power_hex,
        "earned": now.earned,
        "discarding": list(now.discarding),
        "choosing": list(now.choosing) if now.choosing else None,
        "chooser": now.chooser,
        "raised": now.raised,
        "begun": now.begun,
    }


def to_text(state: State) -> str:
    """The whole position in lines; `from_text` reads it back."""
    lines = []
    for key, value in to_dict(state).items():
        if key != "corporations":
            lines.append(f"{key} {_word(value)}")
            continue
        for symbol, one in value.items():
            words = (f"{name}={_word(said)}" for name, said in one.items())
            lines.append(f"* {symbol} {' '.join(words)}")
    return "\n".join(lines) + "\n"


def _word(value: Any) -> str:
    match value:
        case None | "":
            return "-"
        case bool():
            return "yes" if value else "no"
        case Mapping():
            return "{" + " ".join(f"{key}={_word(one)}" for key, one in value.items()) + "}"
        case list():
            return "(" + " ".join(_word(one) for one in value) + ")"
        case _:
            return str(value)


# --- reading --------------------------------------------------------------------------------------


def from_text(text: str) -> State:
    """The position that `to_text` wrote. Raises `MalformedAction`, naming what cannot be read."""
    if len(text) > LONGEST:
        raise MalformedAction("position", f"{len(text)} characters", "a position")
    said: dict[str, Any] = {"corporations": {}}
    for line in filter(str.strip, text.splitlines()):
        key, _, rest = line.strip().partition(" ")
        if key == "*":
            symbol, _, words = rest.partition(" ")
            said["corporations"][symbol] = _value("{" + words + "}")
        else:
            said[key] = _value(rest)
    return from_dict(said)


def _value(text: str) -> Any:
    tokens = re.findall(r"[(){}=]|[^\s(){}=]+", text)
    value, rest = _read(tokens, 0)
    if rest != len(tokens):
        raise MalformedAction("position", text[:60], "a value, a list or a map")
    return value


def _read(tokens: list[str], at: int, depth: int = 0) -> tuple[Any, int]:
    """The value that begins at a token, and where it ends."""
    if at >= len(tokens) or depth > 4:
        raise MalformedAction("position", " ".join(tokens)[:60], "complete, and not so deep")
    first = tokens[at]
    at += 1
    if first == "(":
        values = []
        while at < len(tokens) and tokens[at] != ")":
            value, at = _read(tokens, at, depth + 1)
            values.append(value)
        return values, _closed(tokens, at)
    if first == "{":
        pairs: dict[str, Any] = {}
        while at < len(tokens) and tokens[at] != "}":
            name = tokens[at]
            if tokens[at + 1 : at + 2] != ["="]:
                raise MalformedAction("position", name, "followed by = and a value")
            pairs[name], at = _read(tokens, at + 2, depth + 1)
        return pairs, _closed(tokens, at)
    if first in ")}=":
        raise MalformedAction("position", first, "a value here")
    return (None if first == "-" else first), at


def _closed(tokens: list[str], at: int) -> int:
    if at >= len(tokens):
        raise MalformedAction("position", " ".join(tokens)[-60:], "closed")
    return at + 1


class _Reader:
    """Takes typed values out of a mapping, in the words of the text or of the JSON."""

    def __init__(self, where: str, said: Any) -> None:
        self.where = where
        self.said = self._mapping(where, said)

    @staticmethod
    def _mapping(where: str, value: Any) -> Mapping[str, Any]:
        if not isinstance(value, Mapping):
            raise MalformedAction(where, value, "a map")
        return value

    def _take(self, key: str) -> Any:
        if key not in self.said:
            raise MalformedAction(f"{self.where}.{key}", None, "a value")
        return self.said[key]

    def number(self, key: str) -> int:
        return _number(f"{self.where}.{key}", self._take(key))

    def number_or_none(self, key: str) -> int | None:
        value = self._take(key)
        return None if value is None else _number(f"{self.where}.{key}", value)

    def flag(self, key: str) -> bool:
        value = self._take(key)
        if value in (True, "yes"):
            return True
        if value in (False, "no"):
            return False
        raise MalformedAction(f"{self.where}.{key}", value, "yes or no")

    def name(self, key: str, known: Iterable[str]) -> str:
        value = self._take(key)
        if not isinstance(value, str) or value not in known:
            raise MalformedAction(f"{self.where}.{key}", value, "known")
        return value

    def name_or_none(self, key: str, known: Iterable[str]) -> str | None:
        return None if self._take(key) is None else self.name(key, known)

    def names(self, key: str, known: Iterable[str]) -> list[str]:
        value = self._take(key)
        if not isinstance(value, list) or not all(
            isinstance(one, str) and one in known for one in value
        ):
            raise MalformedAction(f"{self.where}.{key}", value, "a list of known names")
        return list(value)

    def map(self, key: str, known: Iterable[str]) -> Mapping[str, Any]:
        value = self._mapping(f"{self.where}.{key}", self._take(key))
        for one in value:
            if one not in known:
                raise MalformedAction(f"{self.where}.{key}", one, "known")
        return value

    def numbers(self, key: str, known: Iterable[str]) -> dict[str, int]:
        return {
            one: _number(f"{self.where}.{key}", value)
            for one, value in self.map(key, known).items()
        }


def _number(where: str, value: Any) -> int:
    if isinstance(value, str) and re.fullmatch(r"-?\d{1,9}", value, re.ASCII):
        return int(value)
    if not isinstance(value, int) or isinstance(value, bool) or abs(value) > 10**9:
        raise MalformedAction(where, value, "a whole number")
    return value


def from_dict(said: Any) -> State:
    """The position that `to_dict` wrote. Raises `MalformedAction`, naming what is wrong; a position
    that has lost or made money, shares or tiles is refused too."""
    top = _Reader("position", said)
    printed = title(top.name("title", _Anything()), top.name("preset", _Anything()), _options(top))
    players = top.names("players", _Anything())
    if len(players) not in printed.seats or len(set(players)) < len(players):
        raise MalformedAction("position.players", players, "two to six different players")
    holders = {*players, *printed.companies}
    owned = top.map("privates", printed.privates)
    state = State(
        title=printed,
        players=tuple(players),
        cash=dict.fromkeys(players, 0) | top.numbers("cash", players),
        bank=top.number("bank"),
        corporations={symbol: Corporation(one) for symbol, one in printed.companies.items()},
        owners={private: _Reader("privates", owned).name(private, holders) for private in owned},
        unsold=top.names("unsold", printed.privates),
        board={hexagon.id: hexagon.printed for hexagon in printed.hexes.values()},
        supply={tile.id: tile.count for tile in printed.tiles.values()},
        stations={},
        depot={
            train: None if left is None else _number("position.depot", left)
            for train, left in top.map("depot", printed.trains).items()
        },
        pool=top.names("pool", printed.trains),
        markers=top.names("markers", printed.companies),
        homes={one.id: (one.home, one.home_city) for one in printed.companies.values()},
        phase=[p.id for p in printed.phases].index(
            top.name("phase", [p.id for p in printed.phases])
        ),
        round=_read_round(top, players, printed.companies, printed.privates, printed.hexes),
        turn=top.number("turn"),
        number=top.number("number"),
        rounds=top.number("rounds"),
        priority=players.index(top.name("priority", players)),
        used=frozenset(top.names("used", printed.privates)),
        broken=top.flag("broken"),
        over=top.name_or_none("over", ("bank", "bankruptcy", "stalemate")),
        bankrupt=top.name_or_none("bankrupt", players),
    )
    _read_board(top, state)
    for symbol, one in top.map("corporations", printed.companies).items():
        _read_corporation(_Reader(symbol, one), state, state.corporations[symbol])
    _check(state)
    return state


class _Anything:
    """Every name without spaces is known."""

    def __contains__(self, one: object) -> bool:
        return isinstance(one, str) and len(one.split()) == 1 and len(one) <= 40

    def __iter__(self) -> Any:
        return iter(())


def _options(top: _Reader) -> dict[str, Any]:
    """The switches that were set otherwise, in the words of JSON."""
    spoken = {"yes": True, "no": False}
    options: dict[str, Any] = {}
    for key, value in top.map("options", _Anything()).items():
        number = isinstance(value, str) and value.isdigit() and len(value) < 6
        options[key] = int(value) if number else spoken.get(value, value)
    return options


def _read_board(top: _Reader, state: State) -> None:
    for hex_id, said in top.map("board", state.title.hexes).items():
        tile, _, rotation = str(said).rpartition(".")
        if tile not in state.supply or rotation not in {"0", "1", "2", "3", "4", "5"}:
            raise MalformedAction(f"board.{hex_id}", said, "a tile and its rotation")
        state.supply[tile] -= 1
        state.board[hex_id] = state.title.tiles[tile].at(int(rotation))
    for symbol, city in top.map("homes", state.title.companies).items():
        state.homes[symbol] = (state.homes[symbol][0], _number(f"homes.{symbol}", city))


def _read_corporation(read: _Reader, state: State, one: Corporation) -> None:
    one.cash = read.number("cash")
    one.par = read.number_or_none("par")
    one.cell = read.number("cell")
    one.ipo = read.number("ipo")
    one.pool = read.number("pool")
    one.president = read.name_or_none("president", state.players)
    one.held = read.numbers("held", state.players)
    one.floated = read.flag("floated")
    one.operated = read.flag("operated")
    one.bought_a_train = read.flag("trained")
    one.trains = read.names("trains", state.title.trains)
    if not -1 <= one.cell < len(state.title.cells) or (one.par is None) != (one.cell == -1):
        raise MalformedAction(f"{one.id}.cell", one.cell, "a space of the market")
    for said in read.names("tokens", _Anything()):
        hex_id, _, city = said.rpartition(".")
        number = _number(f"{one.id}.tokens", city)
        if hex_id not in state.board or not (
            number == UNDECIDED or number in state.board[hex_id].cities
        ):
            raise MalformedAction(f"{one.id}.tokens", said, "a city")
        one.tokens.append((hex_id, number))
        held = state.stations.get((hex_id, number), ())
        state.stations[hex_id, number] = tuple(sorted((*held, one.id)))


def _read_round(
    top: _Reader,
    players: list[str],
    companies: Iterable[str],
    privates: Iterable[str],
    hexes: Iterable[str],
) -> Auction | Stock | Operating:
    read = _Reader("round", top.said.get("round"))
    kinds: dict[str, Callable[[], Auction | Stock | Operating]] = {
        "auction": lambda: Auction(
            turn=players.index(read.name("turn", players)),
            passes=read.number("passes"),
            discount=read.number("discount"),
            bids={
                private: _Reader("round.bids", {"of": bids}).numbers("of", players)
                for private, bids in read.map("bids", privates).items()
            },
            contest=read.name_or_none("contest", privates),
            naming=read.name_or_none("naming", companies),
            namer=read.name_or_none("namer", players),
            last_buyer=read.name_or_none("last", players),
        ),
        "stock": lambda: Stock(
            turn=players.index(read.name("turn", players)),
            passes=read.number("passes"),
            acted=read.flag("acted"),
            bought=_pair(read, "bought"),
            sold={
                player: frozenset(_Reader("round.sold", {"of": sold}).names("of", companies))
                for player, sold in read.map("sold", players).items()
            },
            last_actor=read.name_or_none("last", players),
        ),
        "operating": lambda: Operating(
            order=read.names("order", companies),
            index=read.number("index"),
            step=Step[read.name("step", [step.name.lower() for step in Step]).upper()],
            laid=read.flag("laid"),
            tokened=read.flag("tokened"),
            power_hex=read.name_or_none("power", hexes),
            earned=read.number("earned"),
            discarding=read.names("discarding", companies),
            choosing=_pair(read, "choosing"),
            chooser=read.name_or_none("chooser", players),
            raised=read.number_or_none("raised"),
            begun=read.flag("begun"),
        ),
    }
    return kinds[read.name("kind", kinds)]()


def _pair(read: _Reader, key: str) -> tuple[str, str] | None:
    value = read.said.get(key)
    if value is None:
        return None
    if not isinstance(value, list) or len(value) != 2:
        raise MalformedAction(f"round.{key}", value, "a pair of names")
    first, second = ("" if one is None else str(one) for one in value)
    return first, second


def _check(state: State) -> None:
    """Refuse a position that has made or lost something."""
    money = state.bank + sum(state.cash.values())
    money += sum(one.cash for one in state.corporations.values())
    if money != state.title.bank:
        raise MalformedAction("position.bank", money, f"{state.title.bank} dollars in all")
    for one in state.corporations.values():
        tenths = one.ipo + one.pool + sum(one.held.values())
        if tenths != 10 or min([one.ipo, one.pool, *one.held.values()]) < 0:
            raise MalformedAction(f"{one.id}.held", tenths, "ten tenths in all")
        if one.floated and one.par is None:
            raise MalformedAction(f"{one.id}.floated", "yes", "a corporation with a par")
    if sorted(state.markers) != sorted(one.id for one in state.corporations.values() if one.par):
        raise MalformedAction("position.markers", state.markers, "each parred corporation once")
    now = state.round
    if isinstance(now, Operating) and not 0 <= now.index <= len(now.order):
        raise MalformedAction("round.index", now.index, "a place in the order")
    for tile, left in state.supply.items():
        if left < 0:
            raise MalformedAction("position.board", tile, "a tile that there are so many of")
