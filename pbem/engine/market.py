"""1830/P — the stock market: how markers move, and who stands before whom."""

from __future__ import annotations

from collections.abc import Iterable

from .state import Corporation, State


def move(state: State, corporation: Corporation, way: str, times: int = 1) -> None:
    """1830/P-2 — `times` steps "right", "left", "up" or "down", as far as the market goes.

    A marker that enters a space goes below those that stand there; one that cannot move keeps its
    place (P-6).
    """
    cells = state.title.cells
    cell = corporation.cell
    for _ in range(times):
        cell = getattr(cells[cell], way)
    if cell != corporation.cell:
        corporation.cell = cell
        state.markers.remove(corporation.id)
        state.markers.append(corporation.id)


def place(state: State, corporation: Corporation, price: int) -> None:
    """1830/S-8 — the par marker and the price marker go on the par price's space."""
    corporation.par = price
    corporation.cell = state.title.par_cells[price]
    state.markers.append(corporation.id)


def in_operating_order(state: State, symbols: Iterable[str]) -> list[str]:
    """1830/O-3 — highest price first; then further right, then upper row, then who came first."""

    def standing(symbol: str) -> tuple[int, int, int, int]:
        cell = state.cell(state.corporations[symbol])
        return (-cell.price, -cell.column, cell.row, state.markers.index(symbol))

    return sorted(symbols, key=standing)


def rise_of_the_sold_out(state: State) -> None:
    """1830/P-5 — at the end of a stock round, who is wholly in players' hands moves one up."""
    floated = [one.id for one in state.corporations.values() if one.floated]
    for symbol in in_operating_order(state, floated):
        corporation = state.corporations[symbol]
        if not corporation.ipo and not corporation.pool:
            move(state, corporation, "up")
