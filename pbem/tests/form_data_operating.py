"""Recorded operating turns as their players would have filled in the form, field by field."""

from __future__ import annotations

from collections.abc import Iterator

from pbem.engine import Action, Game
from pbem.engine.actions import (
    Bankrupt,
    BuyPrivate,
    BuyTrain,
    DiscardTrain,
    Dividend,
    ExchangePrivate,
    LayTile,
    Pass,
    PlaceToken,
    Run,
    SellShares,
)
from pbem.engine.state import Operating

from .turns_of_games import Turn, hexes_of

ROWS = {"private": 2, "sale": 5, "train": 4, "discard": 4, "later": 4}
# The order in which one form says things; what comes in another goes into a second (V-08).
PLACES = (
    *("city", "discard", "exchange", "private", "lay", "tile city", "extra", "token", "run"),
    *("dividend", "sale", "train", "later", "bankrupt", "private late"),
)


def operating_data(turn: Turn, position: Game) -> list[dict[str, str]]:
    """A turn of an operating round as the forms that say it, one after the other.

    `position` is where the turn begins. One form suffices for nearly all; what does not fit into
    it is in the next, and the field `more` says that one follows.
    """
    game = position.copy()
    forms = [_Form(game)]
    for n, action in enumerate(turn.actions):
        if not isinstance(action, Pass):
            rest = [one for one in turn.actions[n:] if not isinstance(one, Pass)]
            last = all(isinstance(one, BuyPrivate) for one in rest)
            if not forms[-1].takes(action, game, last=last):
                forms.append(_Form(game))
                assert forms[-1].takes(action, game, last=False), action
        game.apply(action)
    found = [one.data for one in forms]
    for one in found[:-1]:
        one["more"] = "1"
    if not turn.ends:
        found[-1]["more"] = "1"
    return found


class _Form:
    """A form that is being filled in, from the position where it is opened."""

    def __init__(self, game: Game) -> None:
        self.opened = game.copy()
        self.place = 0
        self.data: dict[str, str] = {}
        self.rows: dict[str, int] = {}

    def takes(self, action: Action, game: Game, *, last: bool) -> bool:
        """Write the action into the form, if it has still a place for it."""
        place = self._place(action, game, last=last)
        kind = place.removesuffix(" late")
        here = PLACES.index(place)
        row = self.rows.get(kind, 0) + 1
        if here < self.place or row > ROWS.get(kind, 1):
            return False
        self.place, self.rows[kind] = here, row
        for name, value in self._fields(action, place, row):
            self.data[name] = value
        return True

    def _place(self, action: Action, game: Game, *, last: bool) -> str:
        now = game.state.round
        assert isinstance(now, Operating)
        match action:
            case PlaceToken():
                if not now.choosing:
                    return "token"
                first = self.opened.state.round
                return "city" if isinstance(first, Operating) and first.choosing else "tile city"
            case DiscardTrain():
                first = self.opened.state.round
                due = isinstance(first, Operating) and first.discarding
                return "discard" if due else "later"
            case LayTile(private=name):
                power = game.title.privates[name].tile_lay if name else None
                return "extra" if power and power.extra else "lay"
            case BuyPrivate():
                early = self.place <= PLACES.index("private")
                return "private" if early or not last else "private late"
        return {
            ExchangePrivate: "exchange",
            Run: "run",
            Dividend: "dividend",
            SellShares: "sale",
            BuyTrain: "train",
            Bankrupt: "bankrupt",
        }[type(action)]

    def _fields(self, action: Action, place: str, row: int) -> Iterator[tuple[str, str]]:
        match action:
            case Run():
                yield from self._routes(action)
            case BuyPrivate(private=private, price=price):
                yield f"private{row}", private
                yield f"private{row}_price", str(price)
                if place == "private late":
                    yield f"private{row}_late", "1"
            case BuyTrain(train=train, source=source, exchange=exchange):
                yield f"train{row}", " ".join(filter(None, (train, source, exchange)))
                yield f"train{row}_price", str(action.price)
            case LayTile(hex=hex_id) if place == "lay":
                yield "hex", hex_id
                yield place, self._said(action)
            case PlaceToken() if place != "token":
                yield "city", f"{action.actor} {self._said(action)}"
            case _:
                yield f"{place}{row if place in ROWS else ''}", self._said(action)

    def _said(self, action: Action) -> str:
        match action:
            case LayTile(hex=hex_id, tile=tile, rotation=rotation, private=private):
                return " ".join(filter(None, (hex_id, tile, str(rotation), private)))
            case PlaceToken(hex=hex_id, city=city, private=private):
                return " ".join(filter(None, (f"{hex_id}:{city}", private)))
            case DiscardTrain(train=train):
                return f"{action.actor} {train}"
            case ExchangePrivate(private=private, source=source):
                return f"{private}:{source}"
            case Dividend(kind=kind):
                return kind
            case SellShares(corporation=corporation, shares=shares):
                return f"{corporation} {shares}"
        return "1"

    def _routes(self, run: Run) -> Iterator[tuple[str, str]]:
        if not run.routes:
            yield "amount", "0"
        left = list(enumerate(self.opened.state.corporations[run.actor].trains, 1))
        for route in run.routes:
            n, train = next(one for one in left if one[1] == route.train)
            left.remove((n, train))
            yield f"route{n}", " ".join(hexes_of(route))
