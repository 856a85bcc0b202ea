"""The form of the opening auction: buy the cheapest, bid, raise, pass; name a par."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from functools import cached_property
from typing import Any

from pbem.board import papers
from pbem.engine import Game as Engine
from pbem.engine import auction
from pbem.engine.actions import Bid, Par, Pass
from pbem.engine.state import Auction
from pbem.forms.fields import Fields
from pbem.forms.rows import Choice, Unreadable, refusal, whole, why_not
from pbem.rules.commands import Command, Fault, Faulty, Plain
from pbem.texts import Names


@dataclass(frozen=True, slots=True)
class Lot:
    """A private still on sale, and what may be done about it now."""

    paper: papers.Private
    bought: bool  # at its price, and at once; else it is a bid
    least: int
    most: int
    amount: str  # what stands in its field
    mine: int  # my own bid on it
    chosen: bool
    why: str
    naming: str  # the corporation whose par must be named with it
    pars: tuple[Choice, ...] = ()

    @property
    def id(self) -> str:
        return self.paper.id


class AuctionForm:
    """V-03..V-05 — the fields `choice` (a private, or "pass"), `amount_…` and `par_…` of each
    private; or `par` alone, while one must be named (Z-09)."""

    kind = "auction"
    template = "pbem/_move_auction.html"
    has_map = False

    def __init__(
        self, position: Engine, player: str, names: Names, data: Mapping[str, Any] | None
    ) -> None:
        self.position = position
        self.state = position.state
        self.player = player
        self.names = names
        self.fields = Fields(data)
        if not isinstance(self.state.round, Auction):
            raise TypeError("a form for the auction alone")
        self.now: Auction = self.state.round

    # --- what was filled in ---

    def commands(self) -> list[Command]:
        if self.naming:
            return self._par("par", self.naming)
        chosen = self.fields.said("choice")
        if chosen == Pass.verb:
            return [Plain(Pass(self.player))]
        if not chosen:
            return self._amounts_alone()
        if chosen not in self.state.title.privates:
            return [Faulty("bid", Fault.UNREADABLE, chosen)]
        written = self.fields.said(f"amount_{chosen}")
        try:
            price = whole(written)
        except Unreadable:
            return [Faulty("bid", Fault.UNREADABLE, f"{chosen}, {written}")]
        if price is None:
            if not self._is_bought(chosen):
                return [Faulty("bid", Fault.PRICE_MISSING, chosen)]
            price = self._least(chosen)
        naming = self._naming(chosen)
        par = self._par(f"par_{chosen}", naming) if naming else []
        return [Plain(Bid(self.player, chosen, price)), *par]

    def _par(self, name: str, corporation: str) -> list[Command]:
        try:
            price = whole(self.fields.said(name))
        except Unreadable:
            said = f"{corporation}, {self.fields.said(name)}"
            return [Faulty("par", Fault.UNREADABLE, said)]
        return [] if price is None else [Plain(Par(self.player, corporation, price))]

    def _amounts_alone(self) -> list[Command]:
        """An amount that was changed, of a private that was not chosen."""
        return [
            Faulty("bid", Fault.INCOMPLETE, f"{name}, {written}")
            for name in self.state.unsold
            if (written := self.fields.said(f"amount_{name}")) not in {"", str(self._least(name))}
        ]

    def typed(self) -> dict[str, Any]:
        names = [f"{field}_{name}" for name in self.state.unsold for field in ("amount", "par")]
        return self.fields.kept(["choice", "par", *names])

    # --- what is offered ---

    @property
    def naming(self) -> str:
        """Z-09 — the corporation whose par is to be named before anything else."""
        return self.now.naming or ""

    @property
    def passes(self) -> bool:
        return self.fields.said("choice") == Pass.verb

    @property
    def cash(self) -> int:
        return self.state.cash[self.player]

    @property
    def tied(self) -> int:
        """V-04 — the money of one's own standing bids."""
        return sum(bids.get(self.player, 0) for bids in self.now.bids.values())

    @property
    def free(self) -> int:
        """V-04 — cash less one's own standing bids."""
        return self.cash - self.tied

    @property
    def contest(self) -> papers.Private | None:
        """V-05 — the private that is fought for."""
        return next((one for one in self._papers.values() if one.contested), None)

    @cached_property
    def _papers(self) -> dict[str, papers.Private]:
        every = papers.privates(self.state.title.name, self.state, self.names)
        return {one.id: one for one in every}

    @cached_property
    def lots(self) -> list[Lot]:
        """The privates still on sale, the cheapest first."""
        return [self._lot(name) for name in self.state.unsold]

    def _lot(self, name: str) -> Lot:
        least = self._least(name)
        error = refusal(self.position, Bid(self.player, name, least))
        naming = self._naming(name)
        return Lot(
            paper=self._papers[name],
            bought=self._is_bought(name),
            least=least,
            most=auction.free_cash(self.state, self.now, self.player, name),
            amount=self.fields.said(f"amount_{name}") or str(least),
            mine=self.now.bids.get(name, {}).get(self.player, 0),
            chosen=self.fields.said("choice") == name,
            why=why_not(error, self.names),
            naming=naming,
            pars=tuple(self.pars(f"par_{name}")) if naming else (),
        )

    def pars(self, name: str = "par") -> list[Choice]:
        """The pars that there are; none is chosen beforehand (ask B2)."""
        return [
            Choice(str(par), f"${par}", par, self.fields.said(name) == str(par))
            for par in sorted(self.state.title.par_cells)
        ]

    def _is_bought(self, name: str) -> bool:
        """The cheapest is bought at its price, unless it is fought for."""
        return not self.now.contest and name in self.state.unsold[:1]

    def _least(self, name: str) -> int:
        """V-03 — the price of the cheapest; of another five more than the last bid, or its face."""
        private = self.state.title.privates[name]
        least = auction.price if self._is_bought(name) else auction.least_bid
        return least(self.state, self.now, private)

    def _naming(self, name: str) -> str:
        """Z-09 — the corporation whose par I must name at once if I buy this private."""
        purchase = Bid(self.player, name, self._least(name))
        if not self._is_bought(name) or refusal(self.position, purchase):
            return ""
        after = self.position.copy()
        after.apply(purchase)
        now = after.state.round
        mine = isinstance(now, Auction) and now.namer == self.player
        return (now.naming or "") if isinstance(now, Auction) and mine else ""
