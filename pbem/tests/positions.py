"""Positions of 1830 to begin a test from: a real auction, then the table set by hand, consistently.

Money moves to and from the bank, shares from the offering, trains from the depot, tiles from the
supply, so that `check_invariants` holds in every position made here.
"""

from __future__ import annotations

from collections import Counter
from typing import Any

import pytest

from pbem.engine.actions import parse
from pbem.engine.errors import IllegalAction, Reason
from pbem.engine.game import Game, go_on, start
from pbem.engine.shares import float_if_sold, settle_presidency
from pbem.engine.state import PRESIDENCY, Auction, Corporation, Operating, State, Step, Stock


def play(game: Game, lines: str) -> Game:
    """Apply one action a line, as a person writes them; empty lines are left out."""
    for line in lines.splitlines():
        if line.strip():
            game.apply(parse(line.strip()))
    return game


def refused(game: Game, line: str) -> tuple[Reason, dict[str, Any]]:
    """Why the rules refuse this action, and the data that come with it; nothing has changed."""
    before = game.copy()
    with pytest.raises(IllegalAction) as refusal:
        game.apply(parse(line))
    assert game == before
    return refusal.value.reason, refusal.value.data


def auction_of(game: Game) -> Auction:
    """The auction that the game is in."""
    assert isinstance(game.state.round, Auction)
    return game.state.round


def stock_of(game: Game) -> Stock:
    """The stock round that the game is in."""
    assert isinstance(game.state.round, Stock)
    return game.state.round


def operating_of(game: Game) -> Operating:
    """The operating round that the game is in."""
    assert isinstance(game.state.round, Operating)
    return game.state.round


def has_floated(one: Corporation) -> bool:
    """Whether it floats by now: asked anew each time, where mypy would remember the attribute."""
    return one.floated


def after_auction(players: int = 4, preset: str = "figf", **options: object) -> Game:
    """The first stock round, the six privates bought in turn at face value, the B&O parred at 100.

    Players are "1", "2"…; with four: 1 has SV and CA, 2 has CS and BO, 3 has DH, 4 has MH.
    """
    game = start("1830", [str(n + 1) for n in range(players)], preset, options)
    for number, private in enumerate(game.title.privates.values()):
        play(game, f"{number % players + 1} bid {private.id} {private.face}")
    return play(game, f"{game.player} par B&O 100")


def cash(state: State, who: str, amount: int) -> None:
    """Give a player or a corporation exactly this much, the bank the difference."""
    corporation = state.corporations.get(who)
    if corporation:
        state.bank += corporation.cash - amount
        corporation.cash = amount
    else:
        state.bank += state.cash[who] - amount
        state.cash[who] = amount


def company(state: State, symbol: str, par: int = 100, pool: int = 0, **held: int) -> Corporation:
    """A corporation parred and held: `company(state, "PRR", 76, p1=3, p2=2)` gives player 1 three
    tenths, and the presidency to whom holds most (of equals, who is named first). It floats if
    60% is out, with its capital."""
    one = state.corporations[symbol]
    if one.par is None:
        one.par = par
        one.cell = state.title.par_cells[par]
        state.markers.append(symbol)
    one.held = {player[1:]: tenths for player, tenths in held.items() if tenths}
    one.pool = pool
    one.ipo = 10 - pool - sum(one.held.values())
    most = max(one.held.values())
    assert most >= PRESIDENCY, "somebody must hold the president's certificate"
    one.president = next(player for player, tenths in one.held.items() if tenths == most)
    settle_presidency(state, one)
    float_if_sold(state, one)
    return one


def price(state: State, symbol: str, row: int, column: int) -> None:
    """Put a price marker on a space of the market, below those that stand there."""
    one = state.corporations[symbol]
    one.cell = next(c.number for c in state.title.cells if (c.row, c.column) == (row, column))
    state.markers.remove(symbol)
    state.markers.append(symbol)


def trains(state: State, symbol: str, *kinds: str) -> None:
    """Give a corporation these trains out of the depot, without a change of phase."""
    one = state.corporations[symbol]
    one.trains = list(kinds)
    one.bought_a_train = bool(kinds)
    for kind, count in Counter(kinds).items():
        left = state.depot[kind]
        if left is not None:
            assert left >= count, f"no {kind}-train left"
            state.depot[kind] = left - count


def phase(state: State, ident: str) -> None:
    """The phase `ident`: earlier trains are gone from the depot, privates are closed from 5."""
    number = next(p.number for p in state.title.phases if p.id == ident)
    state.phase = number
    for train in state.title.trains:
        if train == ident:
            break
        state.depot[train] = 0
    left = state.depot[ident]
    if number and left:
        state.depot[ident] = left - 1
    if state.title.phases[number].privates_closed:
        state.owners.clear()


def lay(state: State, hex_id: str, tile: str, rotation: int) -> None:
    """Put a tile on a hex that has no token, whatever the rules say of it."""
    old = state.board[hex_id].tile
    if old.count:
        state.supply[old.id] += 1
    assert state.supply[tile], f"no tile {tile} left"
    state.supply[tile] -= 1
    state.board[hex_id] = state.title.tiles[tile].at(rotation)
    state.reaches = {}


def token(state: State, symbol: str, hex_id: str, city: int = 0) -> None:
    """Place a corporation's next token; from its first on it counts as having operated."""
    one = state.corporations[symbol]
    one.operated = True
    one.tokens.append((hex_id, city))
    held = state.stations.get((hex_id, city), ())
    state.stations[hex_id, city] = tuple(sorted((*held, symbol)))
    state.reaches = {}


def stock_round(game: Game, player: str = "1", turn: int = 2) -> Game:
    """A stock round (the second, unless told) at the beginning of a player's turn."""
    state = game.state
    state.turn = turn
    state.round = Stock(state.players.index(player))
    state.priority = state.players.index(player)
    return game


def operating_round(game: Game, *order: str, step: Step = Step.HOME) -> Game:
    """An operating round of these corporations, the first of which has come to `step`.

    With HOME what happens at the start of its turn happens: home token, first choices. With
    another step the home token of the first is placed, and it waits there whatever it may do.
    """
    state = game.state
    state.turn = max(state.turn, 2)
    state.round = Operating(list(order), step=step)
    one = state.corporations[order[0]]
    if step is Step.HOME:
        go_on(state)
    elif not one.tokens:
        token(state, one.id, one.company.home, one.company.home_city or 0)
    return game


def turn_of(
    symbol: str,
    preset: str = "figf",
    at: str = "3",
    kinds: tuple[str, ...] = (),
    step: Step = Step.TRACK,
) -> Game:
    """The turn of a corporation at a step: player 1 presides it with 60%, its home token is placed,
    it has 1000 dollars and trains of these kinds; the game is in the phase `at`."""
    game = after_auction(4, preset)
    state = game.state
    company(state, symbol, 100, p1=6)
    trains(state, symbol, *kinds)
    phase(state, at)
    cash(state, symbol, 1000)
    return operating_round(game, symbol, step=step)


def check_invariants(state: State) -> None:
    """Nothing is made and nothing lost: money, shares, tiles, tokens, trains."""
    money = state.bank + sum(state.cash.values())
    money += sum(one.cash for one in state.corporations.values())
    assert money == state.title.bank
    assert min(state.cash.values()) >= 0
    stations: dict[tuple[str, int], list[str]] = {}
    for one in state.corporations.values():
        assert one.ipo + one.pool + sum(one.held.values()) == 10
        assert min([one.ipo, one.pool, *one.held.values()]) >= 0
        assert one.pool * 10 <= state.title.pool_limit
        assert one.cash >= 0
        if one.president:
            assert one.held[one.president] == max(one.held.values()) >= PRESIDENCY
        assert len(one.tokens) <= len(one.company.tokens)
        for place in one.tokens:
            stations.setdefault(place, []).append(one.id)
    assert {place: sorted(held) for place, held in stations.items()} == {
        place: sorted(held) for place, held in state.stations.items()
    }
    for (hex_id, city), held in stations.items():
        if city >= 0:
            assert len(held) <= state.board[hex_id].tile.nodes[city].slots
    laid = Counter(one.tile.id for one in state.board.values() if one.tile.count)
    for tile in state.title.tiles.values():
        assert laid[tile.id] + state.supply[tile.id] == tile.count
    assert sorted(state.markers) == sorted(one.id for one in state.corporations.values() if one.par)
