"""Games in the JSON that 18xx.games exports: read into actions, written back, snapshots compared.

The file names physical cards: train "3-2", share "PRR_5", tile "57-1". Here kinds are enough, so
the reader follows the cards: which train lies where, which share has left the offering, on which
hex a tile lies. Undo and redo are resolved as the peer does; messages are dropped; `program_*`
entries change nothing but stay in the list of what happened, for the automatic actions under them.

A file may come from anybody: whatever is in it, reading ends in a game, in a `MalformedAction` that
names the place, or in a `Refusal` of one entry; in time and memory that its size bounds.
"""

from __future__ import annotations

import json
from bisect import bisect_right
from collections.abc import Iterator, Mapping
from dataclasses import dataclass, field
from typing import Any, NoReturn

from .actions import (
    Action,
    Bankrupt,
    Bid,
    BuyPrivate,
    BuyShare,
    BuyTrain,
    DiscardTrain,
    Dividend,
    ExchangePrivate,
    LayTile,
    Par,
    Pass,
    PlaceToken,
    Route,
    Run,
    SellShares,
)
from .errors import EngineError, IllegalAction, MalformedAction
from .export import OPTIONS, OURS, export, optional_rules, set_aside
from .facts import TITLES
from .game import RULES, Game, start
from .snapshot import current, snapshot
from .state import Operating
from .title import SHARE

__all__ = [
    "Reader",
    "Refusal",
    "begin",
    "current",
    "effective",
    "export",
    "load",
    "replay",
    "snapshot",
]

MOST_BYTES = 5_000_000  # of a file
MOST_ACTIONS = 10_000  # of a game, automatic ones included
SEATS = 100  # of a file's players, before the title has its say
LONGEST = 60  # characters of a name
MOST_DIGITS = 3  # of the number of a card


def load(data: bytes) -> Any:
    """The JSON in a file of at most `MOST_BYTES`. Raises `MalformedAction` if there is none."""
    if len(data) > MOST_BYTES:
        raise MalformedAction("file", len(data), "a file of at most 5 MB")
    try:
        return json.loads(data.decode("utf-8-sig"), parse_constant=_no_number)
    except (ValueError, RecursionError):  # not UTF-8, not JSON, or nested without end
        raise MalformedAction("file", data[:LONGEST], "JSON in UTF-8") from None


def _no_number(constant: str) -> NoReturn:
    raise ValueError(constant)


def effective(actions: Any) -> list[Mapping[str, Any]]:
    """What remains of a file's actions once undo and redo are carried out and messages dropped.

    "undo" takes back the last action that is not itself taken back, or all after `action_id`;
    "redo" does again what the last undo took back.
    """
    if not isinstance(actions, list):
        raise MalformedAction("actions", actions, "a list of actions")
    if len(actions) > MOST_ACTIONS:
        raise MalformedAction("actions", len(actions), "a list of at most 10000 actions")
    first: dict[Any, int] = {}  # where an id stands first
    for number, one in enumerate(actions):
        if not isinstance(one, Mapping) or not isinstance(one.get("type"), str):
            raise MalformedAction(f"actions[{number}]", one, "an action")
        if _is_id(one.get("id")):
            first.setdefault(one["id"], number)
    kept: list[int] = []  # the places of those that stand, in order
    undone: list[list[int]] = []
    for number, one in enumerate(actions):
        kind = one["type"]
        if kind == "message":
            continue
        if kind == "undo":
            keep = _kept(kept, first, one.get("action_id"))
            undone.append(kept[keep:])
            del kept[keep:]
        elif kind == "redo":
            kept += undone.pop() if undone else []
        else:
            undone = []
            kept.append(number)
    return [actions[number] for number in kept]


def _kept(kept: list[int], first: Mapping[Any, int], target: Any) -> int:
    """How many actions an undo leaves: all but the last, or those up to the target's place, which
    may itself have been taken back."""
    if target is None:
        return max(0, len(kept) - 1)
    if not _is_id(target) or target not in first:
        return 0
    return bisect_right(kept, first[target])


def _is_id(value: Any) -> bool:
    return isinstance(value, int | str) and not isinstance(value, bool)


@dataclass
class Reader:
    """Reads a file's actions one by one, beside the game that they are applied to."""

    game: Game
    ids: dict[Any, str]  # a player's id or name in the file → the id here
    names: dict[str, str] = field(default_factory=dict)  # the id here → how the file calls him
    trains: dict[str, str] = field(default_factory=dict)  # card → bank, pool or corporation
    issued: set[str] = field(default_factory=set)  # shares that have left the offering
    tiles: dict[str, str] = field(default_factory=dict)  # card → hex

    def read(self, said: Mapping[str, Any]) -> Action | None:
        """The action that an entry stands for; None for a `program_*` entry.

        Raises `MalformedAction` if it stands for none.
        """
        if not isinstance(said, Mapping):
            raise MalformedAction("auto_actions", said, "an action")
        kind = said.get("type")
        reader = _READERS.get(kind) if isinstance(kind, str) else None
        if reader is None:
            if isinstance(kind, str) and kind.startswith("program_"):
                return None
            raise MalformedAction("type", kind, "a kind of action of this title")
        return reader(self, said)

    def actor(self, said: Mapping[str, Any]) -> str:
        entity = said.get("entity")
        if said.get("entity_type") == "player":
            return self.player(entity)
        if not isinstance(entity, str):
            raise MalformedAction("entity", entity, "who acts")
        if said.get("entity_type") == "company":
            owner = self.game.state.owners.get(entity)
            if owner is None:
                raise MalformedAction("entity", entity, "a private in play")
            return owner
        if entity not in self.game.state.corporations:
            raise MalformedAction("entity", entity, "a corporation")
        return entity

    def player(self, entity: Any) -> str:
        known = self.ids.get(entity) if _is_id(entity) else None
        if known is None:
            raise MalformedAction("entity", entity, "a player of this game")
        return known

    def follow(self, said: Mapping[str, Any], action: Action | None) -> None:
        """Note where the cards went, once the action is played."""
        match action:
            case BuyTrain():
                self.trains[said["train"]] = action.actor
                if action.exchange:
                    self.trains[said["exchange"]] = "pool"
            case DiscardTrain():
                self.trains[said["train"]] = "pool"
            case LayTile(hex=hex_id):
                self.tiles = {card: where for card, where in self.tiles.items() if where != hex_id}
                self.tiles[said["tile"]] = hex_id
            case BuyShare() | ExchangePrivate():
                self.issued.update(said["shares"])
            case Par():
                self.issued.add(f"{action.corporation}_0")
            case _:
                pass


def _text(said: Mapping[str, Any], key: str) -> str:
    value = said.get(key)
    if not isinstance(value, str) or len(value) > LONGEST:
        raise MalformedAction(key, value, "a name")
    return value


def _kind(said: Mapping[str, Any], key: str) -> str:
    """The kind of a card: "57" of the tile "57-1"."""
    kind, dash, number = _text(said, key).rpartition("-")
    if not dash or not _is_number(number):
        raise MalformedAction(key, said[key], "a card")
    return kind


def _is_number(text: str) -> bool:
    return text.isascii() and text.isdigit() and len(text) <= MOST_DIGITS


def _number(said: Mapping[str, Any], key: str) -> int:
    value = said.get(key)
    if not isinstance(value, int) or isinstance(value, bool) or abs(value) > 1_000_000:
        raise MalformedAction(key, value, "a whole number")
    return value


def _bid(reader: Reader, said: Mapping[str, Any]) -> Action:
    return Bid(reader.actor(said), _text(said, "company"), _number(said, "price"))


def _pass(reader: Reader, said: Mapping[str, Any]) -> Action:
    return Pass(reader.actor(said))


def _par(reader: Reader, said: Mapping[str, Any]) -> Action:
    value = _text(said, "share_price").split(",")[0]
    if not _is_number(value):
        raise MalformedAction("share_price", said["share_price"], "a price")
    return Par(reader.actor(said), _text(said, "corporation"), int(value))


def _shares(said: Mapping[str, Any]) -> tuple[str, list[str]]:
    """The corporation and the certificates of an entry."""
    named = said.get("shares")
    if not isinstance(named, list) or not 1 <= len(named) <= 20:
        raise MalformedAction("shares", named, "a list of shares")
    for one in named:
        if (
            not isinstance(one, str)
            or len(one) > LONGEST
            or not _is_number(one.rpartition("_")[2])
            or "_" not in one
        ):
            raise MalformedAction("shares", one, "a share")
    corporations = {one.rpartition("_")[0] for one in named}
    if len(corporations) > 1:
        raise MalformedAction("shares", named, "shares of one corporation")
    return corporations.pop(), named


def _buy_shares(reader: Reader, said: Mapping[str, Any]) -> Action:
    corporation, named = _shares(said)
    if len(named) > 1:
        raise MalformedAction("shares", named, "one share")
    source = "pool" if named[0] in reader.issued else "ipo"
    if said.get("entity_type") == "company":
        return ExchangePrivate(reader.actor(said), str(said["entity"]), source)
    return BuyShare(reader.actor(said), corporation, source)


def _sell_shares(reader: Reader, said: Mapping[str, Any]) -> Action:
    corporation, _ = _shares(said)
    percent = _number(said, "percent")
    if percent % SHARE or not 0 < percent <= 100:
        raise MalformedAction("percent", percent, "a multiple of 10")
    actor = reader.actor(said)
    if said.get("entity_type") == "corporation":
        actor = reader.game.state.corporations[actor].president or actor
    return SellShares(actor, corporation, percent // SHARE)


def _buy_company(reader: Reader, said: Mapping[str, Any]) -> Action:
    return BuyPrivate(reader.actor(said), _text(said, "company"), _number(said, "price"))


def _lay_tile(reader: Reader, said: Mapping[str, Any]) -> Action:
    private = str(said["entity"]) if said.get("entity_type") == "company" else None
    tile = _kind(said, "tile")
    return LayTile(reader.actor(said), _text(said, "hex"), tile, _number(said, "rotation"), private)


def _place_token(reader: Reader, said: Mapping[str, Any]) -> Action:
    private = str(said["entity"]) if said.get("entity_type") == "company" else None
    card, _, city = _text(said, "city").rpartition("-")
    if not _is_number(city):
        raise MalformedAction("city", said["city"], "a city of a tile")
    hex_id = reader.tiles.get(card)
    if hex_id is None:
        hex_id = card.rpartition("-")[0]  # a printed hex's tile is named after the hex
        if hex_id not in reader.game.title.hexes:
            raise MalformedAction("city", said["city"], "a city of a tile on the map")
    cities = reader.game.state.board[hex_id].cities
    if int(city) >= len(cities):
        raise MalformedAction("city", said["city"], "a city of a tile on the map")
    now = reader.game.state.round
    actor = reader.actor(said)
    if isinstance(now, Operating) and now.choosing:
        actor, private = now.choosing[0], None
    return PlaceToken(actor, hex_id, cities[int(city)], private)


def _run_routes(reader: Reader, said: Mapping[str, Any]) -> Action:
    told = said.get("routes")
    if not isinstance(told, list) or len(told) > 20:
        raise MalformedAction("routes", told, "a list of routes")
    routes = []
    for one in told:
        if not isinstance(one, Mapping):
            raise MalformedAction("routes", one, "a route")
        legs = one.get("connections")
        if not isinstance(legs, list) or len(legs) > 200:
            raise MalformedAction("connections", legs, "a list of legs")
        for leg in legs:
            if (
                not isinstance(leg, list)
                or len(leg) > 200
                or not all(isinstance(place, str) and len(place) < 10 for place in leg)
            ):
                raise MalformedAction("connections", leg, "a list of hexes")
        kind = _kind(one, "train")
        routes.append(Route(kind, tuple(tuple(leg) for leg in legs)))
    return Run(reader.actor(said), tuple(routes))


def _dividend(reader: Reader, said: Mapping[str, Any]) -> Action:
    kinds = {"payout": "pay", "withhold": "withhold"}
    kind = _text(said, "kind")
    if kind not in kinds:
        raise MalformedAction("kind", kind, "payout or withhold")
    return Dividend(reader.actor(said), kinds[kind])


def _buy_train(reader: Reader, said: Mapping[str, Any]) -> Action:
    kind = _kind(said, "train")
    source = reader.trains.get(said["train"], "bank")
    exchange = None if said.get("exchange") is None else _kind(said, "exchange")
    return BuyTrain(reader.actor(said), kind, source, _number(said, "price"), exchange)


def _discard_train(reader: Reader, said: Mapping[str, Any]) -> Action:
    return DiscardTrain(reader.actor(said), _kind(said, "train"))


def _bankrupt(reader: Reader, said: Mapping[str, Any]) -> Action:
    actor = reader.actor(said)
    corporation = reader.game.state.corporations.get(actor)
    return Bankrupt((corporation.president if corporation else None) or actor)


_READERS = {
    "bid": _bid,
    "pass": _pass,
    "par": _par,
    "buy_shares": _buy_shares,
    "sell_shares": _sell_shares,
    "buy_company": _buy_company,
    "lay_tile": _lay_tile,
    "place_token": _place_token,
    "run_routes": _run_routes,
    "dividend": _dividend,
    "buy_train": _buy_train,
    "discard_train": _discard_train,
    "bankrupt": _bankrupt,
}


# --- replaying ------------------------------------------------------------------------------------


class Refusal(ValueError):
    """The first entry of a file that cannot be played: its number among the effective ones, the
    number of its automatic action if it is one, and the error."""

    def __init__(self, entry: int, automatic: int | None, said: Any, error: EngineError) -> None:
        self.entry = entry
        self.automatic = automatic
        self.said = said
        self.error = error
        super().__init__(f"action {entry}: {error}")


def begin(file: Any) -> Reader:
    """The game of a file before its first action. Raises `MalformedAction`."""
    if not isinstance(file, Mapping):
        raise MalformedAction("file", file, "a game")
    title = file.get("title")
    if not isinstance(title, str):
        raise MalformedAction("title", title, "a title")
    if title not in TITLES:
        raise MalformedAction("title", title, "a title that has an engine")
    settings = _object(file, "settings")
    optional = settings.get("optional_rules") or []
    if not isinstance(optional, list) or not all(
        isinstance(one, str) and one in OPTIONS for one in optional
    ):
        raise MalformedAction("settings.optional_rules", optional, "options of this title")
    ours = _object(file, OURS)
    theirs = _players(file.get("players"))
    seats = _seats(ours, theirs)
    preset: Any = "18xx"
    options: Mapping[str, Any] = {OPTIONS[one]: True for one in optional}
    if ours:
        preset, options = ours.get("preset"), _object(ours, "options")
        if not isinstance(preset, str):
            raise MalformedAction(f"{OURS}.preset", preset, "a preset")
        rules = ours.get("rules")
        if type(rules) is not int or not 1 <= rules <= RULES:
            raise MalformedAction(f"{OURS}.rules", rules, "a version of these rules")
    game = start(title, seats, preset, options)
    if ours and sorted(set(optional)) != sorted(optional_rules(game.title)):
        raise MalformedAction("settings.optional_rules", optional, "what the options say")
    reader = Reader(
        game, _identities(theirs, seats), issued={card for _, card in set_aside(game.title)}
    )
    for seat, one in zip(seats, theirs, strict=True):
        reader.names[seat] = one["name"] if isinstance(one.get("name"), str) else seat
    return reader


def _object(said: Mapping[str, Any], key: str) -> Mapping[str, Any]:
    """An object that may be left out."""
    value = said.get(key)
    if value is None:
        return {}
    if not isinstance(value, Mapping):
        raise MalformedAction(key, value, "an object")
    return value


def _players(told: Any) -> list[Mapping[str, Any]]:
    """The players as the file names them, in seat order."""
    if not isinstance(told, list) or not 1 <= len(told) <= SEATS:
        raise MalformedAction("players", told, "a list of players")
    for number, one in enumerate(told):
        if not isinstance(one, Mapping) or not _is_id(one.get("id")):
            raise MalformedAction(f"players[{number}]", one, "a player with an id")
    if len({str(one["id"]) for one in told}) < len(told):
        raise MalformedAction("players", told, "a list of different players")
    return told


def _seats(ours: Mapping[str, Any], theirs: list[Mapping[str, Any]]) -> list[str]:
    """The ids of the players here: those that a game of ours had, else the peer's."""
    seats = ours.get("players")
    if seats is None:
        return [str(one["id"]) for one in theirs]
    if (
        not isinstance(seats, list)
        or len(seats) != len(theirs)
        or not all(isinstance(one, str) for one in seats)
    ):
        raise MalformedAction(f"{OURS}.players", seats, "an id for each player")
    return seats


def _identities(theirs: list[Mapping[str, Any]], seats: list[str]) -> dict[Any, str]:
    """What an action may call a player, old files by his name → his id here.

    The peer's id is taken as a number or as text; a name only if no other player is called so.
    """
    names = [one.get("name") for one in theirs if isinstance(one.get("name"), str)]
    known: dict[Any, str] = {}
    for one, seat in zip(theirs, seats, strict=True):
        name = one.get("name")
        if isinstance(name, str) and names.count(name) == 1:
            known[name] = seat
    for one, seat in zip(theirs, seats, strict=True):
        known[one["id"]] = known[str(one["id"])] = seat
    return known


def replay(file: Any, until: int | None = None) -> Iterator[tuple[Mapping[str, Any], Game]]:
    """Play a file, yielding each atomic entry with the game after it: an effective action, then
    each of its automatic actions. At most `until` of them.

    Raises `MalformedAction` for a file that is no game, `Refusal` at the first entry refused.
    """
    yield from play(begin(file), file, until)


BY_HAND = "end_game"  # how the peer says so: no action of the rules


def play(
    reader: Reader, file: Mapping[str, Any], until: int | None = None
) -> Iterator[tuple[Mapping[str, Any], Game]]:
    """`replay` by a reader that has begun this file. A game that somebody ended by hand stands as
    it was played."""
    count = 0
    for entry, one in enumerate(effective(file.get("actions"))):
        if one.get("type") == BY_HAND:
            return
        automatic = one.get("auto_actions") or []
        if not isinstance(automatic, list) or count + len(automatic) >= MOST_ACTIONS:
            error = MalformedAction("auto_actions", automatic, "a list of actions, not too long")
            raise Refusal(entry, None, one, error)
        for number, said in enumerate([one, *automatic]):
            if until is not None and count >= until:
                return
            count += 1
            try:
                action = reader.read(said)
                if action is not None:
                    reader.game.apply(action)
                    reader.follow(said, action)
            except (IllegalAction, MalformedAction) as error:
                raise Refusal(entry, number - 1 if number else None, said, error) from None
            yield said, reader.game
