"""A game: a position and the log that led to it. The one way in is `Game.apply`."""

from __future__ import annotations

import re
from collections.abc import Callable, Mapping, Sequence
from typing import Any

from . import auction, notation, operating, powers, stock, track, trains
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
from .errors import IllegalAction, MalformedAction, Reason
from .facts import title
from .options import Option, options
from .state import Auction, Corporation, Operating, State, Stock
from .title import Title

RULES = 1  # the version of these rules, stored with every game
# Rounds one after the other in which nobody can do anything: no private pays, nothing has floated,
# nobody has the money of a par. No game comes to it, but a position written by hand may.
MOST_IDLE_ROUNDS = 200
Rule = tuple[Callable[..., Any], Callable[..., None]]  # a check, and what is then done

RULEBOOK: Mapping[tuple[type, type[Action]], Rule] = {
    (Auction, Bid): (auction.check_bid, auction.bid),
    (Auction, Pass): (auction.check_pass, auction.do_pass),
    (Auction, Par): (auction.check_par, auction.par),
    (Auction, ExchangePrivate): (powers.check_exchange, powers.exchange),
    (Stock, Par): (stock.check_par, stock.par),
    (Stock, BuyShare): (stock.check_buy, stock.buy),
    (Stock, SellShares): (stock.check_sell, stock.sell),
    (Stock, BuyPrivate): (stock.check_buy_private, stock.buy_private),
    (Stock, ExchangePrivate): (powers.check_exchange, powers.exchange),
    (Stock, Pass): (stock.check_pass, stock.do_pass),
    (Operating, LayTile): (track.check_lay, track.lay),
    (Operating, PlaceToken): (track.check_token, track.place_token),
    (Operating, Run): (operating.check_run, operating.run),
    (Operating, Dividend): (operating.check_dividend, operating.dividend),
    (Operating, BuyTrain): (trains.check_buy, trains.buy),
    (Operating, DiscardTrain): (trains.check_discard, trains.discard),
    (Operating, BuyPrivate): (operating.check_buy_private, operating.buy_private),
    (Operating, Pass): (operating.check_pass, operating.do_pass),
    (Operating, SellShares): (trains.check_sale, trains.sell),
    (Operating, Bankrupt): (trains.check_bankrupt, trains.bankrupt),
    (Operating, ExchangePrivate): (powers.check_exchange, powers.exchange),
}
# In an operating round these come from a player, not from the corporation that operates.
PLAYERS_OWN = (SellShares, Bankrupt, ExchangePrivate)


def start(
    name: str,
    players: Sequence[str],
    preset: str = "figf",
    options: Mapping[str, Any] | None = None,
) -> Game:
    """1830/G-1..G-3 — a new game of the title, the players in seat order; the first begins.

    `preset` is "figf" or "18xx"; `options` sets single switches otherwise. Raises `MalformedAction`
    if the title, a switch, the number of players or a player's id is not one.

    >>> game = start("1830", ["1", "2", "3"])
    >>> game.state.cash["1"], game.actor
    (800, '1')
    """
    printed = title(name, preset, options)
    if isinstance(players, str) or not all(isinstance(player, str) for player in players):
        raise MalformedAction("players", players, "a list of different ids")
    seated = tuple(players)
    if len(seated) not in printed.seats:
        raise MalformedAction("players", len(seated), "a number of players of this title")
    for player in seated:
        taken = player in printed.companies or player in printed.privates
        if (
            taken
            or player == "-"
            or not re.fullmatch(r"[^\s(){}=]{1,40}", player)
            or (not player.isprintable())
        ):
            raise MalformedAction("players", player, "an id without spaces that no company has")
    if len(set(seated)) < len(seated):
        raise MalformedAction("players", seated, "a list of different ids")
    cash, _ = printed.seats[len(seated)]
    state = State(
        title=printed,
        players=seated,
        cash=dict.fromkeys(seated, cash),
        bank=printed.bank - cash * len(seated),
        corporations={symbol: Corporation(one) for symbol, one in printed.companies.items()},
        owners={},
        unsold=sorted(printed.privates, key=lambda one: printed.privates[one].face),
        board={hexagon.id: hexagon.printed for hexagon in printed.hexes.values()},
        supply={tile.id: tile.count for tile in printed.tiles.values()},
        stations={},
        depot={train.id: train.count for train in printed.trains.values()},
        pool=[],
        markers=[],
        homes={one.id: (one.home, one.home_city) for one in printed.companies.values()},
        phase=0,
        round=Auction(),
    )
    return Game(state)


class Game:
    """A game in play: `state` is the position, `log` the actions that led to it from the start.

    Nothing outside the engine writes to `state`; `apply` is the only way on, `copy` the way to try.
    """

    __slots__ = ("log", "state")

    def __init__(self, state: State, log: Sequence[Action] = ()) -> None:
        self.state = state
        self.log = list(log)

    def __eq__(self, other: object) -> bool:
        return isinstance(other, Game) and self.state == other.state

    __hash__ = None  # type: ignore[assignment]

    def __repr__(self) -> str:
        return f"<Game of {self.title.name}, {len(self.log)} actions, {self.actor or 'over'}>"

    @property
    def title(self) -> Title:
        return self.state.title

    @property
    def actor(self) -> str | None:
        """Who acts next: a player's id, or a corporation's symbol in an operating round."""
        return None if self.state.over else speaker(self.state)[0]

    @property
    def player(self) -> str | None:
        """The player who decides next, for himself or as a president."""
        return None if self.state.over else speaker(self.state)[1]

    def check(self, action: Action) -> None:
        """Raise what `apply` would raise; change nothing."""
        check(self.state, action)

    def apply(self, action: Action) -> None:
        """Play the action wholly, or raise `MalformedAction` or `IllegalAction` and change nothing.

        What follows by itself follows at once: passes of who can do nothing in a stock round, steps
        with nothing to do or to decline, the end of a round, of the game. A tile can always be
        declined, so that step waits; so does every turn of the auction.
        """
        state = self.state
        now = state.round
        _, do = check(state, action)
        do(state, now, action)
        if type(now) is Operating and not isinstance(action, PLAYERS_OWN):
            now.begun = True
        go_on(state)
        self.log.append(action)

    def digest(self) -> str:
        """Sixteen hexadecimal digits of the position, for whoever writes the log."""
        return notation.digest(self.state)

    def __str__(self) -> str:
        """The position in lines, as `notation.from_text` reads it."""
        return notation.to_text(self.state)

    def copy(self) -> Game:
        """A game of its own at the same position, for looking ahead; its log begins here."""
        return Game(self.state.copy())

    def options(self, actor: str | None = None) -> list[Option]:
        """What a player or a corporation may do now, out of turn included (V-9). By default what
        may be done by who acts next and, where that is a corporation, by the player who decides
        for it: in a forced purchase he sells, or is bankrupt, himself. Each option passes the very
        check that `apply` makes; amounts are ranges. Of runs, which are too many to list, only the
        shortest are named. Whose agreement an option needs, `consent` tells.
        """
        if actor is None and self.state.over:
            return []
        actors = dict.fromkeys(speaker(self.state)) if actor is None else [actor]
        return [option for one in actors for option in options(self.state, one, check)]

    def consent(self, action: Action) -> str | None:
        """1830/V-2, V-3, N-5 — the player who must agree before this action is applied: who owns
        the private, or presides over the corporation that sells the train. None if nobody else.

        The engine takes an agreement for granted: to ask for it is the caller's business.
        """
        state = self.state
        owner: str | None = None
        if isinstance(action, BuyPrivate):
            owner = state.owners.get(action.private)
        elif isinstance(action, BuyTrain) and action.source in state.corporations:
            owner = state.corporations[action.source].president
        buyer = state.corporations.get(action.actor)
        return owner if owner != (buyer.president if buyer else action.actor) else None

    def result(self) -> dict[str, int]:
        """1830/X-4 — each player's worth: the final values once the game is over."""
        return {player: self.state.worth(player) for player in self.state.players}


def speaker(state: State) -> tuple[str, str]:
    """Who acts next, and the player who decides for it."""
    now = state.round
    if isinstance(now, Operating):
        return operating.speaker(state, now)
    if isinstance(now, Auction):
        player = auction.speaker(state, now)
        return player, player
    return state.players[now.turn], state.players[now.turn]


def check(state: State, action: Action) -> Rule:
    """The rule that the action falls under, once its check has let it through."""
    if state.over:
        raise IllegalAction(Reason.GAME_OVER, "1830/X", ended=state.over)
    now = state.round
    if not isinstance(action, Action):
        raise MalformedAction("action", action, "an action")
    rule = RULEBOOK.get((type(now), type(action)))
    if rule is None:
        raise IllegalAction(Reason.WRONG_ROUND, "1830/G-4", round=type(now).__name__.lower())
    if type(now) is Operating:
        if not isinstance(action, PLAYERS_OWN):
            operating.check_turn(state, now, action)
        elif not isinstance(action, ExchangePrivate):
            operating.check_pending(state, now, action)
    rule[0](state, now, action)
    return rule


def go_on(state: State) -> None:
    """Go on until somebody has a choice, or the game is over."""
    for _ in range(MOST_IDLE_ROUNDS):
        if state.over:
            return
        now = state.round
        if isinstance(now, Auction):
            if not auction.advance(state, now):
                return
            auction.finish(state, now)
            state.round = Stock(state.priority)
        elif isinstance(now, Stock):
            if not stock.advance(state, now):
                return
            stock.finish(state, now)
            state.round = operating.begin_set(state)
        else:
            if not operating.advance(state, now):
                return
            if state.number < state.rounds:
                state.number += 1
                state.round = operating.begin(state)
            elif state.broken:  # 1830/X-2: the set has been played to its end
                state.over = "bank"
            else:
                state.turn += 1
                state.round = Stock(state.priority)
    state.over = "stalemate"
