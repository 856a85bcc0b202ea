"""The position: everything that a table of 1830 has on it, as plain mutable values.

Only the modules of the rules write here, and only after their check has passed, so that an action
succeeds wholly or leaves the position as it was. Shares are counted in tenths of a corporation;
money in whole dollars. A president holds the president's certificate, which is two tenths.
"""

from __future__ import annotations

from dataclasses import dataclass, field
from enum import IntEnum
from typing import TYPE_CHECKING

from .title import Cell, Company, Laid, OpenPrivates, Title

if TYPE_CHECKING:
    from .reach import Reach

PRESIDENCY = 2  # tenths in a president's certificate


class Step(IntEnum):
    """1830/O-5 — the steps of an operating turn, in order; OVER is what comes after the last."""

    HOME = 0
    TRACK = 1
    TOKEN = 2
    RUN = 3
    DIVIDEND = 4
    TRAINS = 5
    PRIVATES = 6
    OVER = 7


@dataclass(slots=True)
class Corporation:
    """A share company in play. `cell` is where its marker stands (-1 before par); `ipo`, `pool`
    and `held` (by player) are tenths; `tokens` are (hex, city) in the order placed."""

    company: Company
    cash: int = 0
    par: int | None = None
    cell: int = -1
    ipo: int = 10
    pool: int = 0
    held: dict[str, int] = field(default_factory=dict)
    president: str | None = None
    floated: bool = False
    operated: bool = False  # has begun its first turn
    trains: list[str] = field(default_factory=list)
    tokens: list[tuple[str, int]] = field(default_factory=list)
    bought_a_train: bool = False

    @property
    def id(self) -> str:
        return self.company.id

    @property
    def unused(self) -> int:
        """How many tokens are still on the charter."""
        return len(self.company.tokens) - len(self.tokens)

    @property
    def next_token_price(self) -> int:
        """1830/K-1 — the price of the next token; there must be one."""
        return self.company.tokens[len(self.tokens)]

    def copy(self) -> Corporation:
        return Corporation(
            self.company,
            self.cash,
            self.par,
            self.cell,
            self.ipo,
            self.pool,
            self.held.copy(),
            self.president,
            self.floated,
            self.operated,
            self.trains.copy(),
            self.tokens.copy(),
            self.bought_a_train,
        )


@dataclass(slots=True)
class Auction:
    """1830/A — the opening auction. `bids` by private, then by player; `contest` is the private
    that its bidders fight for; `naming` is who must name a par (A-14)."""

    turn: int = 0  # the seat whose turn it is
    passes: int = 0  # in a row
    discount: int = 0  # on the first private
    bids: dict[str, dict[str, int]] = field(default_factory=dict)
    contest: str | None = None
    naming: str | None = None  # the corporation to par; the auction's turn is then its buyer's
    namer: str | None = None
    last_buyer: str | None = None

    def copy(self) -> Auction:
        return Auction(
            self.turn,
            self.passes,
            self.discount,
            {private: bids.copy() for private, bids in self.bids.items()},
            self.contest,
            self.naming,
            self.namer,
            self.last_buyer,
        )


@dataclass(slots=True)
class Stock:
    """1830/S — a stock round: whose turn, how many passed in a row, who sold what in it."""

    turn: int
    passes: int = 0
    acted: bool = False  # the player has bought, sold or traded in this turn
    bought: tuple[str, str] | None = None  # (corporation, source) in this turn; ("", "") a private
    sold: dict[str, frozenset[str]] = field(default_factory=dict)
    last_actor: str | None = None

    def copy(self) -> Stock:
        return Stock(
            self.turn, self.passes, self.acted, self.bought, self.sold.copy(), self.last_actor
        )


@dataclass(slots=True)
class Operating:
    """1830/O — an operating round: its order, who operates (`index`), how far the turn has come."""

    order: list[str]
    index: int = 0
    step: Step = Step.HOME
    laid: bool = False  # the turn's tile
    tokened: bool = False  # the turn's token
    power_hex: str | None = None  # where a power's tile was laid in this turn (V-8)
    earned: int = 0  # what the trains ran for, until it is paid or withheld
    discarding: list[str] = field(default_factory=list)  # corporations above the limit
    choosing: tuple[str, str] | None = None  # (corporation, hex): a token without its city (F-3)
    chooser: str | None = None  # the player who chooses it
    raised: int | None = None  # the last emergency sale: what one share less would have raised
    begun: bool = False  # the corporation has done something in this turn

    def copy(self) -> Operating:
        return Operating(
            self.order.copy(),
            self.index,
            self.step,
            self.laid,
            self.tokened,
            self.power_hex,
            self.earned,
            self.discarding.copy(),
            self.choosing,
            self.chooser,
            self.raised,
            self.begun,
        )


@dataclass(slots=True)
class State:
    """A position of a title among `players`, in seat order. `markers` lists the corporations in the
    order in which their price markers arrived where they stand (1830/P-6)."""

    title: Title
    players: tuple[str, ...]
    cash: dict[str, int]
    bank: int
    corporations: dict[str, Corporation]
    owners: dict[str, str]  # private → player or corporation, while it is in play
    unsold: list[str]  # privates still to be auctioned, cheapest first
    board: dict[str, Laid]
    supply: dict[str, int]  # tile → copies left
    stations: dict[tuple[str, int], tuple[str, ...]]  # (hex, city) → who has a token, sorted
    depot: dict[str, int | None]  # train → left in the bank
    pool: list[str]  # discarded trains
    markers: list[str]
    homes: dict[str, tuple[str, int | None]]  # company → its home as the tile there now is
    phase: int
    round: Auction | Stock | Operating
    turn: int = 1  # of the set: stock round and its operating rounds
    number: int = 1  # of the operating round in its set
    rounds: int = 1  # operating rounds in this set
    priority: int = 0  # the seat that begins the next stock round
    used: frozenset[str] = frozenset()  # privates whose tile has been laid
    broken: bool = False  # the bank
    over: str | None = None  # why the game ended: "bank", "bankruptcy" or "stalemate"
    bankrupt: str | None = None
    # What each corporation reaches on this very board: a new dictionary with every tile and token,
    # so that a copy may share it.
    reaches: dict[str, Reach] = field(default_factory=dict, compare=False, repr=False)

    def copy(self) -> State:
        """A position of its own, equal to this one."""
        return State(
            self.title,
            self.players,
            self.cash.copy(),
            self.bank,
            {symbol: one.copy() for symbol, one in self.corporations.items()},
            self.owners.copy(),
            self.unsold.copy(),
            self.board.copy(),
            self.supply.copy(),
            self.stations.copy(),
            self.depot.copy(),
            self.pool.copy(),
            self.markers.copy(),
            self.homes.copy(),
            self.phase,
            self.round.copy(),
            self.turn,
            self.number,
            self.rounds,
            self.priority,
            self.used,
            self.broken,
            self.over,
            self.bankrupt,
            self.reaches,
        )

    @property
    def operating(self) -> str | None:
        """1830/O-3 — the corporation whose turn it is, also while a player acts for it."""
        now = self.round
        if self.over or not isinstance(now, Operating) or now.index >= len(now.order):
            return None
        return now.order[now.index]

    # --- who holds what -------------------------------------------------------------------------

    def cell(self, corporation: Corporation) -> Cell:
        """Where a parred corporation's marker stands."""
        return self.title.cells[corporation.cell]

    def price(self, corporation: Corporation) -> int:
        """The market price of one tenth; 0 before par (1830/X-6)."""
        return self.title.cells[corporation.cell].price if corporation.cell >= 0 else 0

    def is_exempt(self, corporation: Corporation) -> bool:
        """1830/S-13 — whether its certificates do not count against the limit."""
        cell = corporation.cell
        return cell >= 0 and self.title.cells[cell].exempt_from_certificates

    def certificates(self, player: str) -> int:
        """1830/S-13, G-7, G-8 — what counts against the certificate limit."""
        count = sum(1 for owner in self.owners.values() if owner == player)
        for one in self.corporations.values():
            held = one.held.get(player, 0)
            if held and not self.is_exempt(one):
                count += held - (one.president == player)
        return count

    @property
    def certificate_limit(self) -> int:
        """1830/G-2, FIGF-Z-10 — how many certificates a player may hold, privates included."""
        return self.title.seats[len(self.players)][1]

    def worth(self, player: str) -> int:
        """1830/X-4 — cash, shares at market price, and open privates where they count (Z-14)."""
        total = self.cash[player]
        for one in self.corporations.values():
            if one.cell >= 0:
                total += one.held.get(player, 0) * self.title.cells[one.cell].price
        if self.title.switches.open_privates is OpenPrivates.FACE_VALUE:
            total += sum(
                self.title.privates[private].face
                for private, owner in self.owners.items()
                if owner == player
            )
        return total

    # --- money ----------------------------------------------------------------------------------

    def pay_bank(self, payer: str | Corporation, amount: int) -> None:
        """From a player or a corporation to the bank."""
        if isinstance(payer, Corporation):
            payer.cash -= amount
        else:
            self.cash[payer] -= amount
        self.bank += amount

    def bank_pays(self, payee: str | Corporation, amount: int) -> None:
        """From the bank, which goes on paying when it is empty (1830/X-2)."""
        if isinstance(payee, Corporation):
            payee.cash += amount
        else:
            self.cash[payee] += amount
        self.bank -= amount
        if self.bank < 0:
            self.broken = True
