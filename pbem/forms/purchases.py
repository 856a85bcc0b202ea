"""What is bought, sold, handed in and given up in an operating turn."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import replace
from functools import cached_property

from django.utils.translation import gettext as _

from pbem.engine import Action
from pbem.engine import Game as Engine
from pbem.engine.actions import (
    Bankrupt,
    BuyPrivate,
    BuyTrain,
    DiscardTrain,
    ExchangePrivate,
    SellShares,
)
from pbem.engine.errors import EngineError
from pbem.engine.state import Operating
from pbem.engine.state import Step as TurnStep
from pbem.engine.title import SHARE
from pbem.engine.trains import cheapest, check_buy, in_emergency, missing, on_sale
from pbem.forms.fields import dollars
from pbem.forms.steps import Barred, Offer, Row, Step, come_to, impossible, refusal, step_of
from pbem.rules.commands import Command, Fault, Faulty, Plain
from pbem.texts import FROM, words

PRIVATES, SALES, TRAINS, DISCARDS = 2, 5, 4, 4  # rows


class Exchange(Step):
    """Z-07: a private that its owner, the president, swaps for a share between two turns."""

    template = "pbem/_move_operating_exchange.html"
    names = ("exchange",)

    @cached_property
    def commands(self) -> list[Command]:
        said = self.said("exchange")
        private, _colon, source = said.partition(":")
        if not said:
            return []
        if source not in {"ipo", "pool"} or private not in self.turn.position.title.privates:
            return [Faulty("exchange", Fault.UNREADABLE, said)]
        return [Plain(ExchangePrivate(self.player, private, source))]

    @cached_property
    def offers(self) -> list[Offer]:
        found = []
        for option in self.before.options(self.player):
            action = option.action
            if isinstance(action, ExchangePrivate):
                swap = self.state.title.privates[action.private].exchange
                value = f"{action.private}:{action.source}"
                told = _("%(private)s for %(percent)s%% of %(corporation)s %(source)s") % {
                    "private": self.private_name(action.private),
                    "percent": SHARE,
                    "corporation": swap.corporation if swap else "",
                    "source": FROM[action.source],
                }
                found.append(Offer(value, told, value == self.said("exchange")))
        return found

    @cached_property
    def shown(self) -> bool:
        return bool(self.offers) or self.filled


class Privates(Step):
    """X-02..X-04: privates bought of players, at their place or at the end of the turn."""

    template = "pbem/_move_operating_privates.html"
    names = [
        f"private{n}{field}" for n in range(1, PRIVATES + 1) for field in ("", "_price", "_late")
    ]

    @cached_property
    def commands(self) -> list[Command]:
        return [one for one in self.all if not is_late(one)]

    @cached_property
    def late(self) -> list[Command]:
        return [one for one in self.all if is_late(one)]

    @cached_property
    def all(self) -> list[Command]:
        rows = (self._command(n) for n in range(1, PRIVATES + 1))
        return [one for one in rows if one is not None]

    def _command(self, n: int) -> Command | None:
        private, said = self.said(f"private{n}"), self.said(f"private{n}_price")
        told = f"{private} {said}".strip()
        if not told:
            return None
        if not private:
            return Faulty("private", Fault.INCOMPLETE, told)
        if private not in self.turn.position.title.privates:
            return Faulty("private", Fault.UNREADABLE, told)
        if not said:
            return Faulty("private", Fault.PRICE_MISSING, told)
        price = dollars(said)
        if price is None:
            return Faulty("private", Fault.UNREADABLE, told)
        late = bool(self.said(f"private{n}_late"))
        return Plain(BuyPrivate(self.symbol, private, price), late=late)

    # --- what is shown ---

    @cached_property
    def shown(self) -> bool:
        return bool(self.offered or self.barred or self.filled)

    @cached_property
    def offered(self) -> list[tuple[str, int, int]]:
        """The privates of players that it may buy in this phase, or in that of the end of this
        turn, with the least and the most that each may cost.

        Its treasury may reach them only after the run: they are offered all the same (X-04).
        """
        states = (self.state, self.turn.end.state)
        if not any(one.title.phases[one.phase].privates_for_corporations for one in states):
            return []
        return [
            (private, *prices)
            for private, owner in self.state.owners.items()
            if owner in self.state.cash
            and (prices := self.state.title.privates[private].corporation_price)
        ]

    def _offers(self, chosen: str) -> list[Offer]:
        found = []
        for private, least, most in self.offered:
            owner = self.state.owners[private]
            told = {
                "private": self.private_name(private),
                "owner": self.called(owner),
                "least": self.money(least),
                "most": self.money(most),
            }
            if owner == self.player:
                said = _("%(private)s, yours: %(least)s to %(most)s") % told
            else:
                said = _("%(private)s, of %(owner)s: %(least)s to %(most)s") % told
            found.append(Offer(private, said, private == chosen))
        if chosen and not any(one.chosen for one in found):
            found.append(impossible(chosen))
        return found

    @property
    def rows(self) -> list[Row]:
        return [
            Row(
                n,
                tuple(self._offers(self.said(f"private{n}"))),
                self.said(f"private{n}_price"),
                late=bool(self.said(f"private{n}_late")),
                filled=bool(self.said(f"private{n}") or self.said(f"private{n}_price")),
            )
            for n in range(1, PRIVATES + 1)
        ]

    @cached_property
    def barred(self) -> list[Barred]:
        offered = {private for private, _least, _most in self.offered}
        found = []
        for private, owner in self.state.owners.items():
            if owner in self.state.cash and private not in offered:
                prices = self.state.title.privates[private].corporation_price or (1, 1)
                why = self.why_not(BuyPrivate(self.symbol, private, prices[0]))
                found.append(Barred(self.private_name(private), why))
        return found

    @property
    def asks(self) -> bool:
        """Whether one of them belongs to somebody else, who must agree."""
        return any(self.state.owners[private] != self.player for private, *_prices in self.offered)


class Sales(Step):
    """X-16: what the president sells for a train that must be bought."""

    template = "pbem/_move_operating_sales.html"
    names = [f"sale{n}" for n in range(1, SALES + 1)]

    @cached_property
    def commands(self) -> list[Command]:
        found: list[Command] = []
        for name in self.names:
            said = self.said(name)
            symbol, _space, shares = said.partition(" ")
            if not said:
                continue
            whole = shares.isdecimal() and len(shares) < 3
            if whole and symbol in self.turn.position.state.corporations:
                found.append(Plain(SellShares(self.player, symbol, int(shares))))
            else:
                found.append(Faulty("sell", Fault.UNREADABLE, said))
        return found

    # --- what is shown ---

    @cached_property
    def at(self) -> Engine:
        return come_to(self.before, self.symbol, TurnStep.TRAINS)

    @cached_property
    def shown(self) -> bool:
        return self.filled or self.missing > 0

    @cached_property
    def missing(self) -> int:
        """What treasury and president lack for the cheapest train, before any sale."""
        state = self.at.state
        if step_of(self.at, self.symbol) is not TurnStep.TRAINS:
            return 0
        one = state.corporations[self.symbol]
        return missing(state, one) if in_emergency(state, one) else 0

    @property
    def told(self) -> str:
        """What is missing, and for what."""
        state = self.at.state
        least, one = cheapest(state), state.corporations[self.symbol]
        if least is None:
            return ""
        return _(
            "%(corporation)s must buy a train. The cheapest, a %(train)s-train, costs %(price)s; "
            "the treasury has %(treasury)s and you have %(cash)s: %(missing)s is missing."
        ) % {
            "corporation": self.symbol,
            "train": least.id,
            "price": self.money(least.price),
            "treasury": self.money(one.cash),
            "cash": self.money(state.cash[self.player]),
            "missing": self.money(self.missing),
        }

    @property
    def rows(self) -> list[Row]:
        """Each row on what the rows before it leave."""
        found, game = [], self.at.copy()
        for n, name in enumerate(self.names, 1):
            said = self.said(name)
            found.append(Row(n, tuple(self._offers(game, said)), filled=bool(said)))
            command = next((one for one in self.commands if _says(one, said)), None)
            if isinstance(command, Plain):
                _try(game, command.action)
        return found

    def _offers(self, game: Engine, chosen: str) -> Iterator[Offer]:
        known = False
        for option in game.options(self.player):
            action = option.action
            if isinstance(action, SellShares):
                value = f"{action.corporation} {action.shares}"
                known = known or value == chosen
                yield Offer(value, self._words(game, action), value == chosen)
        if chosen and not known:
            yield impossible(chosen)

    def _words(self, game: Engine, action: SellShares) -> str:
        price = game.state.price(game.state.corporations[action.corporation])
        return _("%(percent)s%% of %(corporation)s for %(price)s") % {
            "percent": action.shares * SHARE,
            "corporation": action.corporation,
            "price": self.money(price * action.shares),
        }

    @cached_property
    def barred(self) -> list[Barred]:
        """Of what he holds, what he cannot sell at all, and why."""
        found = []
        state = self.at.state
        sold = {
            one.action.to_dict()["corporation"]
            for one in self.at.options(self.player)
            if isinstance(one.action, SellShares)
        }
        for one in state.corporations.values():
            if one.held.get(self.player) and one.id not in sold:
                error = refusal(self.at.check, SellShares(self.player, one.id, 1))
                if error is not None:
                    found.append(Barred(one.id, words(error, self.turn.names)))
        return found


class Trains(Step):
    """X-12..X-15: trains of the bank, of the pool, of other corporations; one handed in.

    `train1` says "kind source", with a third word for the kind handed in; `train1_price` may stay
    empty where bank and pool fix it.
    """

    template = "pbem/_move_operating_trains.html"
    names = [f"train{n}{field}" for n in range(1, TRAINS + 1) for field in ("", "_price")]

    @cached_property
    def commands(self) -> list[Command]:
        rows = (self.command(n) for n in range(1, TRAINS + 1))
        return [one for one in rows if one is not None]

    def command(self, n: int) -> Command | None:
        said, price = self.said(f"train{n}"), self.said(f"train{n}_price")
        told = f"{said} {price}".strip()
        if not told:
            return None
        kind, source, exchange = [*said.split(), "", "", ""][:3]
        if not kind:
            return Faulty("train", Fault.INCOMPLETE, told)
        train = self.turn.position.title.trains.get(kind)
        known = source in {"bank", "pool"} or source in self.turn.position.state.corporations
        if train is None or not known:
            fault = Fault.UNREADABLE if train is None or source else Fault.SOURCE_MISSING
            return Faulty("train", fault, told)
        if exchange and exchange not in self.turn.position.title.trains:
            return Faulty("train", Fault.UNREADABLE, told)
        paid = dollars(price)
        if price and paid is None:
            return Faulty("train", Fault.UNREADABLE, told)
        if paid is None:
            if source not in {"bank", "pool"}:
                return Faulty("train", Fault.PRICE_MISSING, told)
            paid = train.price - (train.trade_in.get(exchange, 0) if exchange else 0)
        return Plain(BuyTrain(self.symbol, kind, source, paid, exchange or None))

    # --- what is shown ---

    @cached_property
    def at(self) -> Engine:
        return come_to(self.before, self.symbol, TurnStep.TRAINS)

    @cached_property
    def positions(self) -> list[Engine]:
        """The position that each row begins with."""
        found, game = [], self.at.copy()
        for n in range(1, TRAINS + 1):
            found.append(game.copy())
            command = self.command(n)
            if isinstance(command, Plain):
                _try(game, command.action)
        return found

    @cached_property
    def open(self) -> bool:
        return step_of(self.at, self.symbol) is TurnStep.TRAINS

    @property
    def closed(self) -> str:
        """Why nothing can be bought."""
        return "" if self.open else _("Nothing can be bought with the money that there is.")

    @property
    def treasury(self) -> str:
        return self.money(self.at.state.corporations[self.symbol].cash)

    @property
    def trains(self) -> str:
        """The trains that it has, and how many it may have."""
        state = self.at.state
        held = state.corporations[self.symbol].trains
        return _("%(trains)s; the limit is %(limit)s") % {
            "trains": ", ".join(held) or _("none"),
            "limit": state.title.phases[state.phase].limit,
        }

    @property
    def rows(self) -> list[Row]:
        found = []
        for n, game in enumerate(self.positions, 1):
            said, price = self.said(f"train{n}"), self.said(f"train{n}_price")
            offers = tuple(self._offers(game, said))
            found.append(Row(n, offers, price, self._hint(game, said), filled=bool(said or price)))
        return found

    def _offers(self, game: Engine, chosen: str) -> Iterator[Offer]:
        known = False
        for action, most in self._options(game):
            value = written(action)
            known = known or value == chosen
            told = f"{self._called(game, action)}: {self._price(action, most)}"
            yield Offer(value, told, value == chosen)
        if chosen and not known:
            yield impossible(chosen)

    def _options(self, game: Engine) -> list[tuple[BuyTrain, int | None]]:
        """What may be bought, each with the most of its range if it has one."""
        if step_of(game, self.symbol) is not TurnStep.TRAINS:
            return []
        return [
            (one.action, one.most)
            for one in game.options(self.symbol)
            if isinstance(one.action, BuyTrain)
        ]

    def _called(self, game: Engine, action: BuyTrain) -> str:
        if action.exchange:
            return _("%(train)s-train from the bank, handing in a %(exchange)s-train") % {
                "train": action.train,
                "exchange": action.exchange,
            }
        if action.source == "bank":
            return _("%(train)s-train from the bank") % {"train": action.train}
        if action.source == "pool":
            return _("%(train)s-train from the bank pool") % {"train": action.train}
        president = game.state.corporations[action.source].president or ""
        told = {
            "train": action.train,
            "corporation": action.source,
            "president": self.called(president),
        }
        if president == self.player:
            return _("%(train)s-train of %(corporation)s, yours too") % told
        return _("%(train)s-train of %(corporation)s (%(president)s is asked)") % told

    def _price(self, action: BuyTrain, most: int | None) -> str:
        least = self.money(action.price)
        if most in {None, action.price}:
            return least
        return _("%(least)s to %(most)s") % {"least": least, "most": self.money(most or 0)}

    def _hint(self, game: Engine, said: str) -> str:
        """What may be paid for the train of a row."""
        return next(
            (
                self._price(action, most)
                for action, most in self._options(game)
                if written(action) == said
            ),
            "",
        )

    @cached_property
    def barred(self) -> list[Barred]:
        """The trains that there are and cannot be bought, and why."""
        game, state = self.at, self.at.state
        now = state.round
        if state.operating != self.symbol or not isinstance(now, Operating):
            return []
        turn = replace(now, step=TurnStep.TRAINS)
        legal = {written(action) for action, _most in self._options(game)}
        found = []
        for action in self._candidates(game):
            if written(action) not in legal:
                error = refusal(check_buy, state, turn, action)
                if error is not None:
                    found.append(Barred(self._called(game, action), words(error, self.turn.names)))
        return found

    def _candidates(self, game: Engine) -> Iterator[BuyTrain]:
        state = game.state
        for train in on_sale(state):
            yield BuyTrain(self.symbol, train.id, "bank", train.price)
            for kind, off in train.trade_in.items():
                if kind in state.corporations[self.symbol].trains:
                    yield BuyTrain(self.symbol, train.id, "bank", train.price - off, kind)
        for kind in sorted(set(state.pool)):
            yield BuyTrain(self.symbol, kind, "pool", state.title.trains[kind].price)
        for other in state.corporations.values():
            if other.id != self.symbol:
                for kind in sorted(set(other.trains)):
                    yield BuyTrain(self.symbol, kind, other.id, 1)


class Discards(Step):
    """1830/N-8: trains above the limit, discarded by the president of who has them.

    At the beginning, where somebody else's purchase made it due (`discard1`…), and after the
    purchases of this turn (`later1`…).
    """

    template = "pbem/_move_operating_discards.html"

    def __init__(self, turn: object, prefix: str) -> None:
        super().__init__(turn)  # type: ignore[arg-type]
        self.prefix = prefix
        self.names = [f"{prefix}{n}" for n in range(1, DISCARDS + 1)]

    @cached_property
    def commands(self) -> list[Command]:
        found: list[Command] = []
        for name in self.names:
            said = self.said(name)
            symbol, _space, train = said.partition(" ")
            if not said:
                continue
            state = self.turn.position.state
            if symbol in state.corporations and train in state.title.trains:
                found.append(Plain(DiscardTrain(symbol, train)))
            else:
                found.append(Faulty("discard", Fault.UNREADABLE, said))
        return found

    @cached_property
    def shown(self) -> bool:
        return bool(self.rows)

    @cached_property
    def rows(self) -> list[Row]:
        """A row for each train that he must discard, and for each that he said."""
        found, game = [], self.before.copy()
        for n, name in enumerate(self.names, 1):
            said, due = self.said(name), self._due(game)
            if not (said or due):
                break
            offers = [
                Offer(
                    f"{due} {train}",
                    _("%(train)s-train of %(corporation)s") % {"train": train, "corporation": due},
                    f"{due} {train}" == said,
                )
                for train in (sorted(set(game.state.corporations[due].trains)) if due else ())
            ]
            if said and not any(one.chosen for one in offers):
                offers.append(impossible(said))
            found.append(Row(n, tuple(offers), filled=bool(said)))
            symbol, _space, train = said.partition(" ")
            if not _try(game, DiscardTrain(symbol, train)):
                break
        return found

    def _due(self, game: Engine) -> str:
        """The corporation that must discard now, if he decides for it."""
        now = game.state.round
        waits = isinstance(now, Operating) and now.discarding and game.player == self.player
        return now.discarding[0] if waits and isinstance(now, Operating) else ""

    @property
    def told(self) -> str:
        state = self.before.state
        return _("More trains than the limit of %(limit)s: which is discarded into the pool?") % {
            "limit": state.title.phases[state.phase].limit
        }


class Bankruptcy(Step):
    """1830/E-7: the president who cannot pay, whatever he sells."""

    template = "pbem/_move_operating_bankruptcy.html"
    names = ("bankrupt",)

    @cached_property
    def commands(self) -> list[Command]:
        return [Plain(Bankrupt(self.player))] if self.said("bankrupt") else []

    @cached_property
    def at(self) -> Engine:
        return come_to(self.before, self.symbol, TurnStep.TRAINS)

    @cached_property
    def shown(self) -> bool:
        return self.filled or refusal(self.at.check, Bankrupt(self.player)) is None

    @property
    def chosen(self) -> bool:
        return self.filled


def is_late(command: Command) -> bool:
    return isinstance(command, Plain) and command.late


def written(action: BuyTrain) -> str:
    """A purchase as its field holds it, without its price."""
    return " ".join([action.train, action.source, *([action.exchange] if action.exchange else [])])


def _says(command: Command, said: str) -> bool:
    if not isinstance(command, Plain) or not isinstance(command.action, SellShares):
        return False
    return f"{command.action.corporation} {command.action.shares}" == said


def _try(game: Engine, action: Action) -> bool:
    """Apply what can be applied."""
    try:
        game.apply(action)
    except EngineError:
        return False
    return True
