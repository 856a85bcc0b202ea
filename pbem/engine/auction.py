"""1830/A — the opening auction of the private companies (*asta delle private*)."""

from __future__ import annotations

from . import market, shares
from .actions import Bid, Par, Pass
from .errors import IllegalAction, MalformedAction, Reason
from .state import PRESIDENCY, Auction, State
from .title import Private


def speaker(state: State, auction: Auction) -> str:
    """1830/A-8, A-14 — who speaks: who must name a par, the lowest bidder of a contest, or the
    player whose turn it is."""
    if auction.namer:
        return auction.namer
    if auction.contest:
        bids = auction.bids[auction.contest]
        return min(bids, key=bids.__getitem__)
    return state.players[auction.turn]


def price(state: State, auction: Auction, private: Private) -> int:
    """1830/A-1, A-10 — what the cheapest costs; only the first private ever falls."""
    return private.face - (auction.discount if private.id == first_private(state) else 0)


def first_private(state: State) -> str:
    return next(iter(state.title.privates))


def least_bid(state: State, auction: Auction, private: Private) -> int:
    """1830/A-3 — the face value and one step more, or the highest bid and one step more."""
    highest = max(auction.bids.get(private.id, {}).values(), default=private.face)
    return highest + state.title.bid_step


def free_cash(state: State, auction: Auction, player: str, private: str) -> int:
    """1830/A-4 — cash that is not set aside for bids on other privates."""
    return state.cash[player] - sum(
        bids[player] for other, bids in auction.bids.items() if other != private and player in bids
    )


def check_bid(state: State, auction: Auction, action: Bid) -> None:
    """1830/A-2..A-8 — a bid on a private, or the purchase of the cheapest."""
    private = state.title.privates.get(action.private)
    if private is None:
        raise MalformedAction("private", action.private, "a private")
    _check_turn(state, auction, action.actor)
    if private.id not in state.unsold:
        raise IllegalAction(Reason.NOT_ON_SALE, "1830/A-2", private=private.id)
    if auction.contest and private.id != auction.contest:
        raise IllegalAction(Reason.NOT_IN_THIS_AUCTION, "1830/A-8", private=auction.contest)
    if private.id == state.unsold[0] and not auction.contest:
        least = price(state, auction, private)
        if action.price != least:
            raise IllegalAction(Reason.PRICE_IS_FIXED, "1830/A-2", private=private.id, price=least)
    else:
        least = least_bid(state, auction, private)
        if action.price < least:
            raise IllegalAction(Reason.BID_TOO_LOW, "1830/A-3", private=private.id, minimum=least)
    cash = free_cash(state, auction, action.actor, private.id)
    if action.price > cash:
        raise IllegalAction(Reason.NO_MONEY, "1830/A-4", cash=cash, price=action.price)


def bid(state: State, auction: Auction, action: Bid) -> None:
    if action.private == state.unsold[0] and not auction.contest:
        auction.passes = 0
        auction.last_buyer = action.actor
        _next(state, auction)
        _hand_over(state, auction, action.private, action.actor, action.price)
        _settle(state, auction)
        return
    auction.bids.setdefault(action.private, {})[action.actor] = action.price
    if not auction.contest:
        auction.passes = 0
        _next(state, auction)


def check_pass(state: State, auction: Auction, action: Pass) -> None:
    """1830/A-2, A-8 — to pass; in a contest, to drop out of it."""
    _check_turn(state, auction, action.actor)


def do_pass(state: State, auction: Auction, action: Pass) -> None:
    if auction.contest:
        bids = auction.bids[auction.contest]
        del bids[action.actor]
        if len(bids) == 1:
            auction.contest = None
            _settle(state, auction)
        return
    auction.passes += 1
    _next(state, auction)
    if auction.passes == len(state.players):
        auction.passes = 0
        _all_passed(state, auction)


def check_par(state: State, auction: Auction, action: Par) -> None:
    """1830/A-14 — who gets the B&O private names the par of its corporation at once."""
    if auction.namer is None:
        raise IllegalAction(Reason.WRONG_ROUND, "1830/A-16", round="auction")
    if action.actor != auction.namer:
        raise IllegalAction(
            Reason.NOT_YOUR_TURN, "1830/A-14", actor=action.actor, turn=auction.namer
        )
    if action.corporation != auction.naming:
        raise IllegalAction(
            Reason.DECISION_PENDING, "1830/A-14", decision="par", actor=auction.namer
        )
    check_par_price(state, action.price)


def check_par_price(state: State, amount: int) -> None:
    """1830/S-8 — par is one of the prices marked on the market."""
    if amount not in state.title.par_cells:
        raise IllegalAction(
            Reason.NOT_A_PAR, "1830/S-8", price=amount, pars=sorted(state.title.par_cells)
        )


def par(state: State, auction: Auction, action: Par) -> None:
    corporation = state.corporations[action.corporation]
    market.place(state, corporation, action.price)
    shares.take(state, action.actor, corporation, "ipo", PRESIDENCY)
    auction.naming = auction.namer = None
    _settle(state, auction)


def _check_turn(state: State, auction: Auction, actor: str) -> None:
    if actor not in state.cash:
        raise MalformedAction("actor", actor, "a player")
    if auction.namer:
        raise IllegalAction(
            Reason.DECISION_PENDING, "1830/A-14", decision="par", actor=auction.namer
        )
    turn = speaker(state, auction)
    if actor != turn:
        raise IllegalAction(Reason.NOT_YOUR_TURN, "1830/A-2", actor=actor, turn=turn)


def _next(state: State, auction: Auction) -> None:
    auction.turn = (auction.turn + 1) % len(state.players)


def _hand_over(state: State, auction: Auction, name: str, buyer: str, amount: int) -> None:
    """1830/A-6, A-13, A-14, FIGF-Z-08 — pay the bank; private and free share to the buyer."""
    state.pay_bank(buyer, amount)
    state.owners[name] = buyer
    state.unsold.remove(name)
    auction.bids.pop(name, None)
    share = state.title.privates[name].free_share
    if share and share.president:
        auction.naming, auction.namer = share.corporation, buyer
    elif share:
        shares.take(state, buyer, state.corporations[share.corporation], "ipo")


def _settle(state: State, auction: Auction) -> None:
    """1830/A-6..A-9 — bids on what is now the cheapest decide it, again and again."""
    while state.unsold and not auction.naming:
        bids = auction.bids.get(state.unsold[0])
        if not bids:
            return
        if len(bids) > 1:
            auction.contest = state.unsold[0]
            return
        ((buyer, amount),) = bids.items()
        _hand_over(state, auction, state.unsold[0], buyer, amount)


def _all_passed(state: State, auction: Auction) -> None:
    """1830/A-10..A-12 — the first private falls by 5, and at nothing must be taken; once it is
    sold, the owners are paid."""
    first = state.title.privates[first_private(state)]
    if first.id not in state.unsold:
        pay_privates(state)
        return
    auction.discount += state.title.bid_step
    if auction.discount >= first.face:
        buyer = state.players[auction.turn]
        auction.last_buyer = buyer
        _next(state, auction)
        _hand_over(state, auction, first.id, buyer, 0)
        _settle(state, auction)


def pay_privates(state: State) -> None:
    """1830/O-1 — every open private pays its revenue to its owner."""
    for name, owner in state.owners.items():
        state.bank_pays(state.corporations.get(owner) or owner, state.title.privates[name].revenue)


def advance(state: State, auction: Auction) -> bool:
    """Whether the auction is finished: the last private is sold and no par is to be named."""
    return not state.unsold and auction.naming is None


def finish(state: State, auction: Auction) -> None:
    """1830/A-15 — the first stock round begins left of whose turn ended the auction."""
    last = state.players.index(auction.last_buyer) if auction.last_buyer else -1
    state.priority = (last + 1) % len(state.players)
