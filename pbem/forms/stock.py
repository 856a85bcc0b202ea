"""The form of the stock turn: five rows of sales, a purchase, a private traded or exchanged.

What is offered is what the engine lets through; what it does not is shown with its reason. A sale
in the same form may make a purchase possible, and the other way round: such things may be chosen.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from functools import cached_property
from typing import Any

from django.utils.translation import gettext as _
from django.utils.translation import ngettext

from pbem.board import papers
from pbem.engine import Game as Engine
from pbem.engine.actions import (
    BuyPrivate,
    BuyShare,
    ExchangePrivate,
    Par,
    Pass,
    SellShares,
)
from pbem.engine.errors import IllegalAction, Reason
from pbem.engine.state import PRESIDENCY, State, Stock
from pbem.engine.stock import share_price
from pbem.engine.title import SHARE
from pbem.forms.fields import Fields
from pbem.forms.rows import Choice, Unreadable, is_one_of, refusal, whole, why_not
from pbem.rules.commands import Command, Fault, Faulty, Plain
from pbem.texts import Names, words

ROWS = range(1, 6)  # V-08
# What a sale before it may put right, and what a purchase before a sale may.
BY_A_SALE = {
    Reason.NO_MONEY,
    Reason.PRICE_OUT_OF_RANGE,
    Reason.CERTIFICATE_LIMIT,
    Reason.MUST_SELL,
}
BY_A_PURCHASE = {Reason.POOL_LIMIT, Reason.NO_SUCCESSOR, Reason.MUST_SELL}
SOURCES = ("ipo", "pool")
PRESIDENT = "par"  # in the place of a source


@dataclass(frozen=True, slots=True)
class Held:
    """What one has of a corporation; `counts` says whether its certificates count (Z-12)."""

    corporation: str
    percent: int
    president: bool
    counts: bool


@dataclass(frozen=True, slots=True)
class Sale:
    """A row of sales, as it was filled in."""

    n: int
    corporations: tuple[Choice, ...]
    numbers: tuple[Choice, ...]
    amount: str
    after: bool

    @property
    def filled(self) -> bool:
        return bool(self.amount) or any(
            one.chosen for one in (*self.corporations, *self.numbers) if one.value
        )


@dataclass(frozen=True, slots=True)
class Line:
    """A corporation on the list of what may be bought; a place that is None has nothing."""

    charter: papers.Charter
    held: int
    offering: Choice | None = None
    pool: Choice | None = None
    president: Choice | None = None

    @property
    def choices(self) -> list[Choice]:
        return [one for one in (self.president, self.offering, self.pool) if one]


class ExchangeForm:
    """Z-07 — the swap of a private for a certificate, by itself: the field `exchange`."""

    def __init__(
        self, position: Engine, player: str, names: Names, data: Mapping[str, Any] | None
    ) -> None:
        self.position = position
        self.player = player
        self.names = names
        self.fields = Fields(data)

    @property
    def state(self) -> State:
        return self.position.state

    def commands(self) -> list[Command]:
        chosen = self.fields.said("exchange")
        if not chosen:
            return []
        private, _colon, source = chosen.partition(":")
        if private not in self.state.title.privates or source not in {"", *SOURCES}:
            return [Faulty("exchange", Fault.UNREADABLE, chosen)]
        if not source:
            return [Faulty("exchange", Fault.SOURCE_MISSING, private)]
        return [Plain(ExchangePrivate(self.player, private, source))]

    def typed(self) -> dict[str, Any]:
        return self.fields.kept(["exchange"])

    @cached_property
    def exchanges(self) -> list[Choice]:
        """For each private of his that may become a share, each place where one may be."""
        return [
            Choice(
                f"{name}:{source}",
                self._exchange_words(name, source),
                chosen=self.fields.said("exchange") == f"{name}:{source}",
                why=why_not(
                    refusal(self.position, ExchangePrivate(self.player, name, source)), self.names
                ),
            )
            for name, owner in self.state.owners.items()
            if owner == self.player and self.state.title.privates[name].exchange
            for source in SOURCES
        ]

    def _exchange_words(self, name: str, source: str) -> str:
        swap = self.state.title.privates[name].exchange
        told = {"private": name, "corporation": swap.corporation if swap else ""}
        if source == "ipo":
            return _("%(private)s for 10%% of %(corporation)s from the Initial Offering") % told
        return _("%(private)s for 10%% of %(corporation)s from the Bank Pool") % told

    @property
    def exchanged(self) -> str:
        return self.fields.said("exchange")

    @property
    def can_exchange(self) -> bool:
        return any(not one.why for one in self.exchanges)


class StockForm(ExchangeForm):
    """V-02, V-06..V-09, V-12, V-14 — the fields of a stock turn.

    `pass`; for each row n of sales `sale…n_corporation`, `_number` of tenths, `_amount`, `_when`;
    `buy` (corporation:ipo, :pool, or :par for the president's certificate), `buy_par`,
    `buy_number`, `buy_amount`; `trade` (private:buyer) and `trade_price`; `exchange`.
    """

    kind = "stock"
    template = "pbem/_move_stock.html"
    has_map = False

    def __init__(
        self, position: Engine, player: str, names: Names, data: Mapping[str, Any] | None
    ) -> None:
        super().__init__(position, player, names, data)
        if not isinstance(position.state.round, Stock):
            raise TypeError("a form for a stock round alone")
        self.now: Stock = position.state.round

    # --- what was filled in ---

    def commands(self) -> list[Command]:
        sales = [(self.fields.said(f"sale{n}_when") == "after", self._sale(n)) for n in ROWS]
        return [
            *([Plain(Pass(self.player))] if self.fields.said("pass") else []),
            *(one for after, one in sales if one and not after),
            *self._purchases(),
            *self._trade(),
            *super().commands(),
            *(one for after, one in sales if one and after),
        ]

    def _sale(self, n: int) -> Command | None:
        """V-08, V-09 — a row of sales; None if it is empty."""
        names = ("corporation", "number", "amount")
        corporation, number, amount = (self.fields.said(f"sale{n}_{name}") for name in names)
        said = ", ".join(filter(None, (corporation, number, amount)))
        if not said:
            return None
        if corporation and corporation not in self.state.corporations:
            return Faulty("sell", Fault.UNREADABLE, said)
        try:
            shares, stated = whole(number), whole(amount)
        except Unreadable:
            return Faulty("sell", Fault.UNREADABLE, said)
        if not corporation or shares is None:
            return Faulty("sell", Fault.INCOMPLETE, said)
        return Plain(SellShares(self.player, corporation, shares), stated)

    def _purchases(self) -> list[Command]:
        """V-06, V-07, Z-13 — the purchase, of several certificates where the market lets one."""
        chosen, par, number, amount = (
            self.fields.said(name) for name in ("buy", "buy_par", "buy_number", "buy_amount")
        )
        corporation, _colon, source = chosen.partition(":")
        said = ", ".join(filter(None, (chosen, par, number, amount)))
        about = "par" if par or source == PRESIDENT else "buy"
        if not chosen:
            return [Faulty(about, Fault.INCOMPLETE, said)] if par or amount else []
        try:
            price, certificates, stated = whole(par), whole(number) or 1, whole(amount)
        except Unreadable:
            return [Faulty(about, Fault.UNREADABLE, said)]
        if corporation not in self.state.corporations or not 1 <= certificates <= 10:
            return [Faulty(about, Fault.UNREADABLE, said)]
        if source == PRESIDENT and certificates == 1:
            if price is None:
                return [Faulty(about, Fault.PAR_MISSING, corporation)]
            return [Plain(Par(self.player, corporation, price), stated)]
        if not source:
            return [Faulty(about, Fault.SOURCE_MISSING, said)]
        if source not in SOURCES or par:
            return [Faulty(about, Fault.UNREADABLE, said)]
        if stated is not None and stated % certificates == 0:
            stated //= certificates
        return [Plain(BuyShare(self.player, corporation, source), stated)] * certificates

    def _trade(self) -> list[Command]:
        """Z-02 — a private bought of another player, or sold to him."""
        chosen, written = self.fields.said("trade"), self.fields.said("trade_price")
        private, _colon, buyer = chosen.partition(":")
        said = ", ".join(filter(None, (private, written)))
        if not chosen:
            return [Faulty("private", Fault.INCOMPLETE, said)] if written else []
        try:
            price = whole(written)
        except Unreadable:
            return [Faulty("private", Fault.UNREADABLE, said)]
        if private not in self.state.title.privates or buyer not in self.state.cash:
            return [Faulty("private", Fault.UNREADABLE, said)]
        if price is None:
            return [Faulty("private", Fault.PRICE_MISSING, said)]
        return [Plain(BuyPrivate(buyer, private, price))]

    def typed(self) -> dict[str, Any]:
        rows = ("corporation", "number", "amount", "when")
        sales = [f"sale{n}_{name}" for n in ROWS for name in rows]
        once = ("buy", "buy_par", "buy_number", "buy_amount", "trade", "trade_price", "exchange")
        return self.fields.kept(["pass", *sales, *once])

    # --- where one stands ---

    @property
    def cash(self) -> int:
        return self.state.cash[self.player]

    @property
    def certificates(self) -> int:
        return self.state.certificates(self.player)

    @property
    def limit(self) -> int:
        return self.state.certificate_limit

    @cached_property
    def holdings(self) -> list[Held]:
        return [
            Held(
                one.id,
                one.held[self.player] * SHARE,
                one.president == self.player,
                not self.state.is_exempt(one),
            )
            for one in self.state.corporations.values()
            if one.held.get(self.player)
        ]

    @property
    def privates(self) -> list[str]:
        return [name for name, owner in self.state.owners.items() if owner == self.player]

    @property
    def passes(self) -> bool:
        return bool(self.fields.said("pass"))

    @property
    def goes_on(self) -> bool:
        """Whether he has already done something in this turn."""
        return self.now.acted

    @cached_property
    def must_sell(self) -> str:
        """N1 of what players ask for: that one is above a limit, and how much is to be sold."""
        error = refusal(self.position, Pass(self.player))
        return words(error, self.names) if error is not None else ""

    # --- sales ---

    @cached_property
    def sellable(self) -> dict[str, int]:
        """How many tenths of each corporation may be sold now."""
        most: dict[str, int] = {}
        for option in self._options:
            if isinstance(option, SellShares):
                most[option.corporation] = max(most.get(option.corporation, 0), option.shares)
        return most

    @cached_property
    def _options(self) -> list[Any]:
        return [one.action for one in self.position.options()]

    @cached_property
    def _held(self) -> list[Choice]:
        """What one has, for the rows of sales; what cannot be sold has its reason."""
        return [self._to_sell(one) for one in self.holdings]

    def _to_sell(self, held: Held) -> Choice:
        price = self.state.price(self.state.corporations[held.corporation])
        most = self.sellable.get(held.corporation, 0) * SHARE
        told = {
            "corporation": held.corporation,
            "percent": held.percent,
            "most": most,
            "price": price,
        }
        if 0 < most < held.percent:
            told_as = _("%(corporation)s %(percent)s%%, at most %(most)s%%, at $%(price)s")
        else:
            told_as = _("%(corporation)s %(percent)s%%, at $%(price)s")
        error = refusal(self.position, SellShares(self.player, held.corporation, 1))
        return Choice(
            held.corporation,
            told_as % told,
            price,
            why=why_not(error, self.names),
            later=is_one_of(error, BY_A_PURCHASE),
        )

    @property
    def can_sell(self) -> bool:
        return any(not one.shut for one in self._held) or any(one.filled for one in self.sales)

    @property
    def unsold(self) -> list[tuple[str, str]]:
        """Of what one has: what cannot be sold now, and why."""
        return [(one.value, one.why) for one in self._held if one.why]

    @cached_property
    def sales(self) -> list[Sale]:
        return [self._row(n) for n in ROWS]

    def _row(self, n: int) -> Sale:
        corporation, number = (
            self.fields.said(f"sale{n}_corporation"),
            self.fields.said(f"sale{n}_number"),
        )
        most = max((one.percent for one in self.holdings), default=0) // SHARE
        numbers = [
            Choice(
                str(tenths),
                ngettext("%(n)s certificate of 10%%", "%(n)s certificates of 10%%", tenths)
                % {"n": tenths},
            )
            for tenths in range(1, most + 1)
        ]
        offered = [one for one in self._held if not one.shut]
        return Sale(
            n,
            tuple(_marked(offered, corporation)),
            tuple(_marked(numbers, number)),
            self.fields.said(f"sale{n}_amount"),
            self.fields.said(f"sale{n}_when") == "after",
        )

    # --- purchases ---

    @cached_property
    def lines(self) -> list[Line]:
        """The corporations in operating order, and where a certificate of each may be bought."""
        return [
            self._line(charter)
            for charter in papers.charters(self.state.title.name, self.state, self.names)
        ]

    def _line(self, charter: papers.Charter) -> Line:
        one = self.state.corporations[charter.id]
        held = one.held.get(self.player, 0) * SHARE
        if not one.par:
            lowest = min(self.state.title.par_cells)
            error = refusal(self.position, Par(self.player, one.id, lowest))
            from_ = _("from $%(price)s") % {"price": lowest * PRESIDENCY}
            return Line(charter, held, president=self._to_buy(one.id, PRESIDENT, from_, 0, error))
        places: list[Choice | None] = []
        for source in SOURCES:
            price = share_price(self.state, one, source)
            error = refusal(self.position, BuyShare(self.player, one.id, source))
            empty = not (one.ipo if source == "ipo" else one.pool)
            cell = self._to_buy(one.id, source, f"${price}", price, error)
            places.append(None if empty and not cell.chosen else cell)
        return Line(charter, held, *places)

    def _to_buy(
        self, corporation: str, source: str, told: str, price: int, error: IllegalAction | None
    ) -> Choice:
        value = f"{corporation}:{source}"
        return Choice(
            value,
            told,
            price,
            self.fields.said("buy") == value,
            why_not(error, self.names),
            bool(self.sellable) and is_one_of(error, BY_A_SALE),
        )

    @property
    def buys_nothing(self) -> bool:
        return not any(one.chosen for line in self.lines for one in line.choices)

    @property
    def can_buy(self) -> bool:
        return any(not one.shut for line in self.lines for one in line.choices)

    @property
    def unbought(self) -> Iterator[tuple[str, str, str]]:
        """What cannot be bought now: corporation, place, why."""
        places = {
            "ipo": _("Initial Offering"),
            "pool": _("Bank Pool"),
            PRESIDENT: _("President's certificate"),
        }
        for line in self.lines:
            for one in line.choices:
                if one.why:
                    yield line.charter.id, places[one.value.partition(":")[2]], one.why

    @property
    def why_no_purchase(self) -> str:
        """The one reason for which nothing can be bought, if there is one for everything."""
        whys = {one.why for line in self.lines for one in line.choices}
        return whys.pop() if len(whys) == 1 else ""

    @cached_property
    def pars(self) -> list[Choice]:
        """The pars, if some president's certificate may be bought."""
        if not any(line.president for line in self.lines) and not self.fields.said("buy_par"):
            return []
        every = [
            Choice(
                str(par),
                _("$%(par)s: $%(cost)s in all") % {"par": par, "cost": par * PRESIDENCY},
                par * PRESIDENCY,
            )
            for par in sorted(self.state.title.par_cells)
        ]
        return list(_marked(every, self.fields.said("buy_par")))

    @cached_property
    def numbers(self) -> list[Choice]:
        """Z-13 — how many may be bought in one turn, where that can be more than one."""
        several = [
            one.pool
            for one in self.state.corporations.values()
            if one.par and self.state.cell(one).several_purchases
        ]
        most = max(several, default=0)
        if most < 2 and not self.fields.said("buy_number"):
            return []
        every = [Choice(str(n), str(n)) for n in range(2, most + 1)]
        return list(_marked(every, self.fields.said("buy_number")))

    @property
    def amount(self) -> str:
        return self.fields.said("buy_amount")

    # --- privates ---

    @cached_property
    def trades(self) -> list[Choice]:
        """Z-02 — the privates of others that he may buy, and his own that others may."""
        found = [
            self._trade_of(name, owner, buyer)
            for name, owner in self.state.owners.items()
            if owner in self.state.cash
            for buyer in (self.state.players if owner == self.player else (self.player,))
            if buyer != owner
        ]
        return list(_marked(found, self.fields.said("trade")))

    def _trade_of(self, name: str, owner: str, buyer: str) -> Choice:
        error = refusal(self.position, BuyPrivate(buyer, name, 1))
        mine = buyer == self.player
        other = owner if mine else buyer
        told = {
            "private": name,
            "face": self.state.title.privates[name].face,
            "who": self.names.get(other, other),
        }
        if mine:
            said = _("buy %(private)s (face value $%(face)s) from %(who)s") % told
        else:
            said = _("sell %(private)s (face value $%(face)s) to %(who)s") % told
        return Choice(
            f"{name}:{buyer}",
            said,
            why=why_not(error, self.names),
            later=mine and bool(self.sellable) and is_one_of(error, BY_A_SALE),
        )

    @property
    def can_trade(self) -> bool:
        return any(not one.shut for one in self.trades) or bool(self.price)

    @property
    def untraded(self) -> list[str]:
        return list(dict.fromkeys(one.why for one in self.trades if one.why))

    @property
    def price(self) -> str:
        return self.fields.said("trade_price")


def _marked(choices: list[Choice], said: str) -> Iterator[Choice]:
    """The choices, with what was said marked; also what is none of them, to be seen again."""
    for one in choices:
        yield Choice(one.value, one.words, one.price, one.value == said, one.why, one.later)
    if said and said not in {one.value for one in choices}:
        yield Choice(said, said, chosen=True)
