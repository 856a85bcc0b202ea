"""Games in the JSON that 18xx.games exports: read into actions, written back, snapshots compared.

The file names physical cards: train "3-2", share "PRR_5", tile "57-1". Here kinds are enough, so
the reader follows the cards: which train lies where, which share has left the offering, on which
hex a tile lies. Undo and redo are resolved as the peer does; messages are dropped; `program_*`
entries change nothing but stay in the list of what happened, for the automatic actions under them.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from dataclasses import dataclass, field
from typing import Any

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
from .auction import price
from .errors import IllegalAction, MalformedAction
from .game import Game, speaker, start
from .state import Auction, Corporation, Operating, State, Step, Stock
from .track import UNDECIDED
from .trains import on_sale

MOST_ACTIONS = 20_000
OPTIONS = {"multiple_brown_from_ipo": "multiple_brown_from_ipo", "optional_6_train": "third_six"}
SEATS = 100  # of a file's players, before the title has its say


def effective(actions: Any) -> list[Mapping[str, Any]]:
    """What remains of a file's actions once undo and redo are carried out and messages dropped.

    "undo" takes back the last action that is not itself taken back, or all after `action_id`;
    "redo" does again what the last undo took back.
    """
    if not isinstance(actions, list) or len(actions) > MOST_ACTIONS:
        raise MalformedAction("actions", type(actions).__name__, "a list of actions, not too long")
    done: list[tuple[Any, Mapping[str, Any]]] = []
    undone: list[list[tuple[Any, Mapping[str, Any]]]] = []
    for number, one in enumerate(actions):
        if not isinstance(one, Mapping) or not isinstance(one.get("type"), str):
            raise MalformedAction(f"actions[{number}]", one, "an action")
        kind = one["type"]
        if kind == "message":
            continue
        if kind == "undo":
            target = one.get("action_id")
            keep = len(done) - 1
            if target is not None:
                keep = max((n + 1 for n, (i, _) in enumerate(done) if i == target), default=0)
            if done:
                undone.append(done[keep:])
                done = done[:keep]
        elif kind == "redo":
            if undone:
                done += undone.pop()
        else:
            undone = []
            done.append((one.get("id"), one))
    return [one for _, one in done]


@dataclass
class Reader:
    """Reads a file's actions one by one, beside the game that they are applied to."""

    game: Game
    ids: dict[Any, str]  # a player's id or name in the file → the id here
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
        known = self.ids.get(entity) if isinstance(entity, str | int) else None
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
            case LayTile():
                self.tiles[said["tile"]] = action.hex
            case BuyShare() | ExchangePrivate():
                self.issued.update(said["shares"])
            case Par():
                self.issued.add(f"{action.corporation}_0")
            case _:
                pass


def _text(said: Mapping[str, Any], key: str) -> str:
    value = said.get(key)
    if not isinstance(value, str) or len(value) > 60:
        raise MalformedAction(key, value, "a name")
    return value


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
    if not value.isascii() or not value.isdigit() or len(value) > 6:
        raise MalformedAction("share_price", value, "a price")
    return Par(reader.actor(said), _text(said, "corporation"), int(value))


def _shares(said: Mapping[str, Any]) -> tuple[str, list[str]]:
    """The corporation and the certificates of an entry."""
    named = said.get("shares")
    if not isinstance(named, list) or not 1 <= len(named) <= 20:
        raise MalformedAction("shares", named, "a list of shares")
    for one in named:
        if not isinstance(one, str) or "_" not in one or len(one) > 60:
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
    if percent % 10 or not 0 < percent <= 100:
        raise MalformedAction("percent", percent, "a multiple of 10")
    actor = reader.actor(said)
    if said.get("entity_type") == "corporation":
        actor = reader.game.state.corporations[actor].president or actor
    return SellShares(actor, corporation, percent // 10)


def _buy_company(reader: Reader, said: Mapping[str, Any]) -> Action:
    return BuyPrivate(reader.actor(said), _text(said, "company"), _number(said, "price"))


def _lay_tile(reader: Reader, said: Mapping[str, Any]) -> Action:
    private = str(said["entity"]) if said.get("entity_type") == "company" else None
    tile = _text(said, "tile").rpartition("-")[0]
    return LayTile(reader.actor(said), _text(said, "hex"), tile, _number(said, "rotation"), private)


def _place_token(reader: Reader, said: Mapping[str, Any]) -> Action:
    private = str(said["entity"]) if said.get("entity_type") == "company" else None
    card, _, city = _text(said, "city").rpartition("-")
    if not city.isascii() or not city.isdigit() or len(city) > 2:
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
        kind = _text(one, "train").rpartition("-")[0]
        routes.append(Route(kind, tuple(tuple(leg) for leg in legs)))
    return Run(reader.actor(said), tuple(routes))


def _dividend(reader: Reader, said: Mapping[str, Any]) -> Action:
    kinds = {"payout": "pay", "withhold": "withhold"}
    kind = _text(said, "kind")
    if kind not in kinds:
        raise MalformedAction("kind", kind, "payout or withhold")
    return Dividend(reader.actor(said), kinds[kind])


def _buy_train(reader: Reader, said: Mapping[str, Any]) -> Action:
    card = _text(said, "train")
    source = reader.trains.get(card, "bank")
    exchange = said.get("exchange")
    if exchange is not None:
        exchange = _text(said, "exchange").rpartition("-")[0]
    kind = card.rpartition("-")[0]
    return BuyTrain(reader.actor(said), kind, source, _number(said, "price"), exchange)


def _discard_train(reader: Reader, said: Mapping[str, Any]) -> Action:
    return DiscardTrain(reader.actor(said), _text(said, "train").rpartition("-")[0])


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

    def __init__(
        self, entry: int, automatic: int | None, said: Mapping[str, Any], error: ValueError
    ) -> None:
        self.entry = entry
        self.automatic = automatic
        self.said = said
        self.error = error
        super().__init__(f"action {entry}: {error}")


def begin(file: Any) -> Reader:
    """The game of a file before its first action. Raises `MalformedAction`."""
    if not isinstance(file, Mapping):
        raise MalformedAction("file", type(file).__name__, "a game")
    name = file.get("title")
    players = file.get("players")
    if not isinstance(name, str):
        raise MalformedAction("title", name, "a title")
    if not isinstance(players, list) or not 1 <= len(players) <= SEATS:
        raise MalformedAction("players", players, "a list of players")
    settings = file.get("settings") or {}
    if not isinstance(settings, Mapping):
        raise MalformedAction("settings", settings, "an object")
    optional = settings.get("optional_rules") or []
    if not isinstance(optional, list) or not all(one in OPTIONS for one in optional):
        raise MalformedAction("settings.optional_rules", optional, "options of this title")
    ids: dict[Any, str] = {}
    seats = []
    for number, one in enumerate(players):
        if not isinstance(one, Mapping) or not isinstance(one.get("id"), str | int):
            raise MalformedAction(f"players[{number}]", one, "a player with an id")
        seat = str(one["id"])
        seats.append(seat)
        ids[one["id"]] = ids[seat] = seat
        if isinstance(one.get("name"), str):
            ids.setdefault(one["name"], seat)
    game = start(name, seats, "18xx", {OPTIONS[one]: True for one in optional})
    given = {  # the peer sets a corporation's first ordinary share aside for its private
        f"{private.free_share.corporation}_1"
        for private in game.title.privates.values()
        if private.free_share and not private.free_share.president
    }
    return Reader(game, ids, issued=given)


def replay(file: Any, until: int | None = None) -> Iterator[tuple[Mapping[str, Any], Game]]:
    """Play a file, yielding each atomic entry with the game after it: an effective action, then
    each of its automatic actions. At most `until` of them.

    Raises `MalformedAction` for a file that is no game, `Refusal` at the first entry refused.
    """
    reader = begin(file)
    count = 0
    for entry, one in enumerate(effective(file.get("actions"))):
        automatic = one.get("auto_actions") or []
        if not isinstance(automatic, list) or len(automatic) > 1000:
            raise Refusal(entry, None, one, MalformedAction("auto_actions", 0, "a list"))
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


# --- a state as the peer would tell it ------------------------------------------------------------


def snapshot(state: State, before: Mapping[str, Any] | None = None) -> dict[str, Any]:
    """The position in the layout that recorded games are compared in; `before` is the board of the
    state before, for the hexes changed."""
    now = state.round
    told: dict[str, Any] = {
        "turn": state.turn,
        "rnum": state.number if isinstance(now, Operating) else 1,
        "phase": state.title.phases[state.phase].id,
        "bank": state.bank,
        "cur": current(state),
        "pd": state.players[priority(state)],
        "players": {player: _player(state, player) for player in state.players},
        "corps": {one.id: _corporation(state, one) for one in state.corporations.values()},
        "tiles": {
            hex_id: [laid.tile.id, laid.rotation]
            for hex_id, laid in state.board.items()
            if before is not None and before[hex_id] is not laid
        },
        "depot": _depot(state),
    }
    if isinstance(now, Operating):
        told["order"] = now.order
    if isinstance(now, Auction):
        told["auction"] = _auction(state, now)
    return told


def current(state: State) -> str | None:
    if state.over:
        return None
    actor, _ = speaker(state)
    now = state.round
    if isinstance(now, Operating) and now.power_hex and now.step is Step.TOKEN:
        # the peer lets the private decide, while its token may be placed
        for private in state.title.privates.values():
            if private.token and private.token.hex == now.power_hex:
                return f"company:{private.id}"
    return f"corporation:{actor}" if actor in state.corporations else f"player:{actor}"


def priority(state: State) -> int:
    """The seat that would begin the next stock round, if everybody passed from here on."""
    now = state.round
    last = None
    if isinstance(now, Stock):
        last = now.last_actor
    elif isinstance(now, Auction):
        last = now.last_buyer
    if last is None:
        return state.priority
    return (state.players.index(last) + 1) % len(state.players)


def _player(state: State, player: str) -> dict[str, Any]:
    return {
        "cash": state.cash[player],
        "certs": state.certificates(player),
        "value": state.worth(player),
        "shares": {
            one.id: one.held[player] * 10
            for one in state.corporations.values()
            if player in one.held
        },
        "companies": [name for name, owner in state.owners.items() if owner == player],
    }


def _corporation(state: State, one: Corporation) -> dict[str, Any]:
    cell = state.cell(one) if one.par else None
    now = state.round
    held_up = isinstance(now, Operating) and now.choosing is not None and now.choosing[0] == one.id
    # while its city is chosen, a token is off the board to the peer
    tokens = [place for place in one.tokens if not (held_up and place[1] == UNDECIDED)]
    return {
        "cash": one.cash,
        "price": cell.price if cell else None,
        "coord": [cell.row, cell.column] if cell else None,
        "par": one.par,
        "ipo": one.ipo * 10,
        "mkt": one.pool * 10,
        "trains": one.trains,
        "tokens": [f"{place}:{max(city, 0)}" for place, city in tokens],
        "ntok": len(one.company.tokens) - len(tokens),
        "pres": one.president,
        "floated": one.floated,
    }


def _depot(state: State) -> dict[str, Any]:
    return {
        "avail": [train.id for train in on_sale(state)] + sorted(set(state.pool)),
        "left": [
            [kind, 1 if left is None else left]
            for kind, left in state.depot.items()
            if left is None or left
        ],
        "disc": state.pool,
    }


def _auction(state: State, now: Auction) -> dict[str, Any]:
    left = [[name, price(state, now, state.title.privates[name])] for name in state.unsold]
    return {
        "left": left,
        "bids": {
            name: [[who, bid] for who, bid in bids.items()] for name, bids in now.bids.items()
        },
    }
