"""A game of ours in the JSON that 18xx.games exports.

There every action names physical cards (train "3-2", share "PRR_5", tile "57-1"); here kinds are
enough, so `Cards` deals them out as the peer does and follows them through the game. What the peer
has no field for stands under the key "figf", which it ignores and `interchange` honours.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterator, Mapping
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
    Run,
    SellShares,
)
from .game import RULES, Game, start
from .reach import Place
from .routes import count
from .snapshot import placing
from .state import PRESIDENCY, Auction, Operating, State, Stock
from .title import SHARE, ErieCity, Title

OURS = "figf"  # the key for what the peer has no field for
OPTIONS = {"multiple_brown_from_ipo": "multiple_brown_from_ipo", "optional_6_train": "third_six"}
ENDS = {"bank": "bank", "bankruptcy": "bankrupt"}


def export(game: Game, names: Mapping[str, str] | None = None) -> dict[str, Any]:
    """The game in the peer's JSON; `names` says how players are called, by default as their ids.

    `interchange.replay` makes the same game of it, state by state. Raises `ValueError` for a game
    whose log does not lead from its start to where it stands, such as a copy.
    """
    title, players = game.title, game.state.players
    again = start(title.name, players, title.preset, title.options)
    numbers = peer_ids(players)
    cards = Cards(title)
    actions = []
    for number, action in enumerate(game.log, 1):
        again.check(action)
        said = _SAYINGS[type(action)](again.state, cards, action)
        said["entity"] = numbers.get(said["entity"], said["entity"])
        actions.append({"type": said.pop("type"), "id": number, **said})
        before = {one.id: one.president for one in again.state.corporations.values()}
        again.apply(action)
        cards.follow(again.state, action, said, before)
    if again != game:
        raise ValueError("the log of this game does not lead from its start to where it stands")
    names = names or {}
    return {
        "id": "hs_figf",
        "mode": "hotseat",
        "description": "",
        "user": {"id": 0, "name": "figf"},
        "players": [{"id": numbers[one], "name": names.get(one, one)} for one in players],
        "min_players": min(title.seats),
        "max_players": max(title.seats),
        "title": title.name,
        "settings": {"optional_rules": optional_rules(title), "seed": ""},
        "actions": actions,
        **_standing(game, numbers),
        OURS: {
            "rules": RULES,
            "preset": title.preset,
            "options": dict(title.options),
            "players": list(players),
        },
    }


def peer_ids(players: tuple[str, ...]) -> dict[str, int]:
    """Player → number, as the peer knows players: his id if it is one, else a number not taken.

    >>> peer_ids(("7", "anna", "01"))
    {'7': 7, 'anna': 0, '01': 1}
    """
    numbers = {
        one: int(one)
        for one in players
        if one.isdecimal() and len(one) < 16 and str(int(one)) == one
    }
    free = (n for n in range(len(players) * 2) if n not in numbers.values())
    return {one: numbers[one] if one in numbers else next(free) for one in players}


def optional_rules(title: Title) -> list[str]:
    """The peer's names of the table's options that are on."""
    return [theirs for theirs, ours in OPTIONS.items() if getattr(title.switches, ours)]


def _standing(game: Game, numbers: Mapping[str, int]) -> dict[str, Any]:
    """How far the game has come, as the peer sums it up."""
    state = game.state
    rounds = {Auction: "Initial Auction", Stock: "Stock Round", Operating: "Operating Round"}
    told: dict[str, Any] = {
        "loaded": True,
        "turn": state.turn,
        "round": rounds[type(state.round)],
        "status": "finished" if state.over else "active",
        "acting": [numbers[game.player]] if game.player else [],
        "result": {},
    }
    if state.over:
        best = sorted(game.result().items(), key=lambda one: -one[1])
        told["result"] = {str(numbers[player]): value for player, value in best}
        told["game_end_reason"] = ENDS.get(state.over, state.over)
    return told


# --- the cards ------------------------------------------------------------------------------------


class Cards:
    """Which physical card lies where. Of several that would do the peer's pages offer the first:
    of the pool what came first, of a corporation's trains the lowest, of a tile what lay longest.
    """

    def __init__(self, title: Title) -> None:
        self.sold: Counter[str] = Counter()  # trains of each kind that have left the bank
        self.trains: dict[str, list[str]] = {"pool": [], **{one: [] for one in title.companies}}
        self.shares: dict[tuple[str, str], list[str]] = {
            (symbol, "ipo"): [f"{symbol}_{n}" for n in range(9)] for symbol in title.companies
        }
        self.tiles = {
            tile.id: [f"{tile.id}-{n}" for n in range(tile.count)] for tile in title.tiles.values()
        }
        self.laid: dict[str, str] = {}  # hex → card
        self.promised = dict(set_aside(title))  # private → share
        for card in self.promised.values():
            self.shares[card.rpartition("_")[0], "ipo"].remove(card)

    # --- which card an action names ---------------------------------------------------------------

    def train(self, source: str, kind: str) -> str:
        """The card of this kind that would be bought of the bank, the pool or a corporation."""
        if source == "bank":
            return f"{kind}-{self.sold[kind]}"
        cards = self.of_kind(source, kind)
        return cards[0] if source == "pool" else min(cards, key=lambda card: (len(card), card))

    def of_kind(self, holder: str, kind: str) -> list[str]:
        return [card for card in self.trains[holder] if card.rpartition("-")[0] == kind]

    def share(self, symbol: str, source: str) -> str:
        """The next ordinary certificate of the offering or the pool."""
        return self.ordinary(symbol, source)[0]

    def ordinary(self, symbol: str, holder: str) -> list[str]:
        return [card for card in self.shares.get((symbol, holder), ()) if not card.endswith("_0")]

    def block(self, symbol: str, player: str, tenths: int) -> list[str]:
        """The certificates of a block for sale, the president's last: it may be one tenth too many,
        which is a partial sale of the president's certificate."""
        cards = self.ordinary(symbol, player)[:tenths]
        return cards if len(cards) == tenths else [*cards, f"{symbol}_0"]

    def city(self, state: State, place: Place) -> str:
        hex_id, node = place
        card = self.laid.get(hex_id, f"{hex_id}-0")  # what is printed is named after the hex
        return f"{card}-{state.board[hex_id].cities.index(node)}"

    # --- where the cards go -----------------------------------------------------------------------

    def follow(
        self,
        state: State,
        action: Action,
        said: Mapping[str, Any],
        before: Mapping[str, str | None],
    ) -> None:
        """Note where the cards went: `state` is after the action, `before` who presided."""
        match action:
            case BuyTrain(actor=actor, train=kind, source=source):
                if source == "bank":
                    self.sold[kind] += 1
                else:
                    self.trains[source].remove(said["train"])
                self.trains[actor].append(said["train"])
                if action.exchange:
                    self._give_up(actor, said["exchange"])
            case DiscardTrain(actor=actor):
                self._give_up(actor, said["train"])
            case LayTile(hex=hex_id, tile=kind):
                if hex_id in self.laid:
                    old = self.laid[hex_id]
                    self.tiles[old.rpartition("-")[0]].append(old)
                self.tiles[kind].remove(said["tile"])
                self.laid[hex_id] = said["tile"]
            case Par(actor=actor, corporation=symbol):
                self._move([f"{symbol}_0"], "ipo", actor)
            case BuyShare(actor=actor, source=source) | ExchangePrivate(actor=actor, source=source):
                self._move(said["shares"], source, actor)
                self._swap(state, said, before)
            case SellShares(actor=actor):
                self._move(said["shares"], actor, "pool")
                self._swap(state, said, before)
            case _:
                pass
        self._keep_promises(state)
        self._scrap(state)

    def _give_up(self, actor: str, card: str) -> None:
        self.trains[actor].remove(card)
        self.trains["pool"].append(card)

    def _move(self, cards: list[str], source: str, target: str) -> None:
        symbol = cards[0].rpartition("_")[0]
        for card in cards:
            self.shares[symbol, source].remove(card)
            self.shares.setdefault((symbol, target), []).append(card)

    def _swap(
        self, state: State, said: Mapping[str, Any], before: Mapping[str, str | None]
    ) -> None:
        """1830/C-4 — two ordinary certificates for the president's. Where the old president has
        sold into it they go to the pool, which gives him back the tenth that he did not sell."""
        symbol = said["shares"][0].rpartition("_")[0]
        one, old = state.corporations[symbol], before[symbol]
        new, card = one.president, f"{symbol}_0"
        if old is None or new is None or new == old:
            return
        sold = card in said["shares"]
        target = old if one.held.get(old, 0) >= PRESIDENCY else "pool"
        self._move(self.ordinary(symbol, new)[:PRESIDENCY], new, target)
        self._move([card], "pool" if sold else old, new)
        if sold and len(said["shares"]) * SHARE == said["percent"]:  # one tenth was kept
            self._move([self.share(symbol, "pool")], "pool", old)

    def _keep_promises(self, state: State) -> None:
        """1830/A-13 — the share set aside goes to the private's first owner."""
        for private in list(self.promised):
            if private in state.owners:
                card = self.promised.pop(private)
                symbol = card.rpartition("_")[0]
                self.shares.setdefault((symbol, state.owners[private]), []).append(card)

    def _scrap(self, state: State) -> None:
        """1830/N-7 — rusted trains go; what a holder has none left of has rusted."""
        for holder, cards in self.trains.items():
            kinds = state.pool if holder == "pool" else state.corporations[holder].trains
            cards[:] = [card for card in cards if card.rpartition("-")[0] in kinds]


def set_aside(title: Title) -> Iterator[tuple[str, str]]:
    """Each private that comes with an ordinary share, and that share: the peer's first."""
    for private in title.privates.values():
        if private.free_share and not private.free_share.president:
            yield private.id, f"{private.free_share.corporation}_1"


# --- one kind of action after the other: `state` is the position before it ------------------------


def _player(kind: str, actor: str, /, **more: Any) -> dict[str, Any]:
    return {"type": kind, "entity": actor, "entity_type": "player", **more}


def _corporation(kind: str, actor: str, /, **more: Any) -> dict[str, Any]:
    return {"type": kind, "entity": actor, "entity_type": "corporation", **more}


def _company(kind: str, private: str, /, **more: Any) -> dict[str, Any]:
    return {"type": kind, "entity": private, "entity_type": "company", **more}


def _either(state: State, kind: str, actor: str, /, **more: Any) -> dict[str, Any]:
    says = _corporation if actor in state.corporations else _player
    return says(kind, actor, **more)


def _bid(state: State, cards: Cards, action: Bid) -> dict[str, Any]:
    return _player("bid", action.actor, company=action.private, price=action.price)


def _pass(state: State, cards: Cards, action: Pass) -> dict[str, Any]:
    if private := placing(state):
        return _company("pass", private)
    return _either(state, "pass", action.actor)


def _par(state: State, cards: Cards, action: Par) -> dict[str, Any]:
    cell = state.title.cells[state.title.par_cells[action.price]]
    price = f"{cell.price},{cell.row},{cell.column}"
    return _player("par", action.actor, corporation=action.corporation, share_price=price)


def _buy_share(state: State, cards: Cards, action: BuyShare) -> dict[str, Any]:
    shares = [cards.share(action.corporation, action.source)]
    return _player("buy_shares", action.actor, shares=shares, percent=SHARE)


def _sell_shares(state: State, cards: Cards, action: SellShares) -> dict[str, Any]:
    shares = cards.block(action.corporation, action.actor, action.shares)
    return _player("sell_shares", action.actor, shares=shares, percent=action.shares * SHARE)


def _exchange(state: State, cards: Cards, action: ExchangePrivate) -> dict[str, Any]:
    swap = state.title.privates[action.private].exchange
    assert swap is not None  # noqa: S101 - the action was legal
    shares = [cards.share(swap.corporation, action.source)]
    return _company("buy_shares", action.private, shares=shares, percent=SHARE)


def _buy_private(state: State, cards: Cards, action: BuyPrivate) -> dict[str, Any]:
    bought = {"company": action.private, "price": action.price}
    return _either(state, "buy_company", action.actor, **bought)


def _lay_tile(state: State, cards: Cards, action: LayTile) -> dict[str, Any]:
    tile = {"hex": action.hex, "tile": cards.tiles[action.tile][0], "rotation": action.rotation}
    if action.private:
        return _company("lay_tile", action.private, **tile)
    return _corporation("lay_tile", action.actor, **tile)


def _place_token(state: State, cards: Cards, action: PlaceToken) -> dict[str, Any]:
    place, now = (action.hex, action.city), state.round
    kept = sum(  # the first slots are for who is at home there and is still to come
        home == place and symbol != action.actor and not state.corporations[symbol].operated
        for symbol, home in state.homes.items()
    )
    slot = len(state.stations.get(place, ())) + kept
    token = {"city": cards.city(state, place), "slot": slot, "tokener": action.actor}
    if action.private:
        return _company("place_token", action.private, **token)
    actor = action.actor
    layer = state.title.switches.erie_city is ErieCity.LAYER
    if isinstance(now, Operating) and now.choosing and layer:
        actor = now.order[now.index]
    return _corporation("place_token", actor, **token)


def _run_routes(state: State, cards: Cards, action: Run) -> dict[str, Any]:
    ran: Counter[str] = Counter()
    routes = []
    for counted in count(state, action):
        route = counted.route
        hexes = [hex_id for (hex_id, _), _ in counted.stops]
        routes.append(
            {
                "train": cards.of_kind(action.actor, route.train)[ran[route.train]],
                "connections": [list(leg) for leg in route.legs],
                "hexes": hexes,
                "revenue": counted.value,
                "revenue_str": "-".join(hexes),
                "nodes": [f"{hex_id}-{node}" for (hex_id, node), _ in counted.stops],
            }
        )
        ran[route.train] += 1
    return _corporation("run_routes", action.actor, routes=routes, extra_revenue=0)


def _dividend(state: State, cards: Cards, action: Dividend) -> dict[str, Any]:
    kind = "payout" if action.kind == "pay" else "withhold"
    return _corporation("dividend", action.actor, kind=kind)


def _buy_train(state: State, cards: Cards, action: BuyTrain) -> dict[str, Any]:
    card = cards.train(action.source, action.train)
    said = _corporation("buy_train", action.actor, train=card, price=action.price)
    if action.source == "bank":
        said["variant"] = action.train
    if action.exchange:
        said["exchange"] = cards.of_kind(action.actor, action.exchange)[0]
    return said


def _discard_train(state: State, cards: Cards, action: DiscardTrain) -> dict[str, Any]:
    card = cards.of_kind(action.actor, action.train)[0]
    return _corporation("discard_train", action.actor, train=card)


def _bankrupt(state: State, cards: Cards, action: Bankrupt) -> dict[str, Any]:
    now = state.round
    assert isinstance(now, Operating)  # noqa: S101 - the action was legal
    return _corporation("bankrupt", now.order[now.index])


_SAYINGS: dict[type[Action], Any] = {
    Bid: _bid,
    Pass: _pass,
    Par: _par,
    BuyShare: _buy_share,
    SellShares: _sell_shares,
    ExchangePrivate: _exchange,
    BuyPrivate: _buy_private,
    LayTile: _lay_tile,
    PlaceToken: _place_token,
    Run: _run_routes,
    Dividend: _dividend,
    BuyTrain: _buy_train,
    DiscardTrain: _discard_train,
    Bankrupt: _bankrupt,
}
