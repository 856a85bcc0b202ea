"""1830/C, S-12..S-18 — certificates change hands: limits, sales, presidency, floating.

Stock rounds, the auction's free shares, swaps of privates and emergency sales all come here.
"""

from __future__ import annotations

from . import market
from .errors import IllegalAction, Reason
from .state import PRESIDENCY, Corporation, State
from .title import SHARE


def check_gain(state: State, player: str, corporation: Corporation, tenths: int) -> None:
    """1830/S-12, S-13 — a purchase may not lead above the holding or the certificate limit.

    A purchase that makes the buyer president is counted after the certificates are swapped
    (C-4): one of the two he gives counts no more.
    """
    check_holding(state, player, corporation, tenths)
    if state.is_exempt(corporation):
        return
    held = state.certificates(player) + 1
    if tenths == 1 and corporation.president not in (None, player):
        mine = corporation.held.get(player, 0) + 1
        held -= mine > corporation.held[corporation.president or ""]
    if held > state.certificate_limit:
        raise IllegalAction(
            Reason.CERTIFICATE_LIMIT, "1830/S-13", held=held, limit=state.certificate_limit
        )


def check_holding(
    state: State, player: str, corporation: Corporation, tenths: int, *, everywhere: bool = False
) -> None:
    """1830/S-12, FIGF-Z-11 — at most 60% of a corporation, but in orange and brown.

    Not even there where `everywhere` is said, as FIGF-Z-07 does of a private's share.
    """
    percent = (corporation.held.get(player, 0) + tenths) * SHARE
    limit = corporation.company.holding_limit
    exempt = corporation.cell >= 0 and state.cell(corporation).exempt_from_holding
    if percent > limit and (everywhere or not exempt):
        raise IllegalAction(
            Reason.HOLDING_LIMIT,
            "FIGF-Z-07" if exempt else "1830/S-12",
            corporation=corporation.id,
            percent=percent,
            limit=limit,
        )


def excess(state: State, player: str) -> tuple[int, list[str]]:
    """1830/S-15 — certificates above the limit, and corporations held above 60% of."""
    over = [
        one.id
        for one in state.corporations.values()
        if one.held.get(player, 0) * SHARE > one.company.holding_limit
        and not state.cell(one).exempt_from_holding
    ]
    return max(0, state.certificates(player) - state.certificate_limit), over


def check_source(corporation: Corporation, source: str, tenths: int) -> None:
    """The offering or the pool must have the tenths that are asked for."""
    left = corporation.ipo if source == "ipo" else corporation.pool
    if left < tenths:
        raise IllegalAction(
            Reason.NO_SHARE_LEFT, "1830/S-7", corporation=corporation.id, source=source
        )


def take(state: State, player: str, corporation: Corporation, source: str, tenths: int = 1) -> None:
    """Hand `tenths` over from the offering or the pool; presidency and floating follow (C-8)."""
    if source == "ipo":
        corporation.ipo -= tenths
    else:
        corporation.pool -= tenths
    corporation.held[player] = corporation.held.get(player, 0) + tenths
    if tenths == PRESIDENCY:
        corporation.president = player
    settle_presidency(state, corporation)
    float_if_sold(state, corporation)


def float_if_sold(state: State, corporation: Corporation) -> None:
    """1830/S-16 — as soon as 60% has left the offering the bank pays ten times par."""
    sold = (10 - corporation.ipo) * SHARE
    if corporation.par and not corporation.floated and sold >= corporation.company.float_percent:
        corporation.floated = True
        state.bank_pays(corporation, 10 * corporation.par)


def settle_presidency(state: State, corporation: Corporation) -> None:
    """1830/C-2, C-3 — who holds more than the president is president; among equals, the first
    clockwise from the old one."""
    old = corporation.president
    if old is None:
        return
    most = max(corporation.held.values())
    if most <= corporation.held.get(old, 0):
        return
    seat = state.players.index(old)
    around = state.players[seat + 1 :] + state.players[:seat]
    corporation.president = next(one for one in around if corporation.held.get(one, 0) == most)


def check_sale(state: State, player: str, corporation: Corporation, tenths: int) -> None:
    """1830/S-14, S-17, C-4, FIGF-Z-14 — a block that may be sold: parred, held, with room in the
    pool, and a successor where it reaches into the president's certificate."""
    held = corporation.held.get(player, 0)
    if corporation.cell < 0:
        raise IllegalAction(Reason.NOT_PARRED, "1830/S-17", corporation=corporation.id)
    if not 0 < tenths <= held:
        raise IllegalAction(
            Reason.NOT_HELD,
            "1830/S-18",
            corporation=corporation.id,
            held=held * SHARE,
            wanted=tenths * SHARE,
        )
    pool = (corporation.pool + tenths) * SHARE
    if pool > state.title.pool_limit:
        raise IllegalAction(
            Reason.POOL_LIMIT,
            "1830/S-14",
            corporation=corporation.id,
            pool=pool,
            limit=state.title.pool_limit,
        )
    if corporation.president == player and held - tenths < PRESIDENCY:
        others = (n for one, n in corporation.held.items() if one != player)
        if max(others, default=0) < PRESIDENCY:
            raise IllegalAction(Reason.NO_SUCCESSOR, "1830/C-4", corporation=corporation.id)


def sell(state: State, player: str, corporation: Corporation, tenths: int) -> None:
    """1830/S-18, P-3 — the price before the sale for each tenth, then one down for each."""
    state.bank_pays(player, state.price(corporation) * tenths)
    left = corporation.held[player] - tenths
    if left:
        corporation.held[player] = left
    else:
        del corporation.held[player]
    corporation.pool += tenths
    settle_presidency(state, corporation)
    market.move(state, corporation, "down", tenths)
