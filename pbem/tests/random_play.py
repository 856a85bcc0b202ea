"""Games played at random by what `options` offers, with a taste for what keeps a game going."""

from __future__ import annotations

import random
from collections.abc import Iterator

from pbem.engine import Game, Option, start
from pbem.engine.actions import (
    Action,
    Bid,
    BuyPrivate,
    BuyShare,
    BuyTrain,
    Dividend,
    ExchangePrivate,
    Par,
    Pass,
    PlaceToken,
    Run,
    SellShares,
)
from pbem.engine.state import Auction

# How much likelier than another a kind of action is; the auction has its own.
TASTE = {BuyShare: 12, BuyTrain: 6, Par: 1, SellShares: 0.15, Pass: 1, BuyPrivate: 0.6}
TASTE |= {PlaceToken: 2, ExchangePrivate: 0.1}
IN_AUCTION = {Pass: 0.4, Bid: 1}
LONGEST = 30_000  # actions: no game comes near it


def choose(game: Game, options: list[Option], rng: random.Random) -> Action:
    """One of the options; of a range a price, of runs one that earns if there is one."""
    auction = isinstance(game.state.round, Auction)
    taste = IN_AUCTION if auction else TASTE
    weights = []
    for option in options:
        weight = taste.get(type(option.action), 1)
        match option.action:
            case Pass(actor=actor) if actor in game.state.cash and not auction:
                weight = 8
            case Bid(private=private) if private == game.state.unsold[0]:
                weight = 3
            case Run(routes=()):
                weight = 0.01
            case Dividend(kind="withhold"):
                weight = 0.3
            case BuyShare(corporation=symbol) if not game.state.corporations[symbol].floated:
                weight = 40
        weights.append(weight)
    (option,) = rng.choices(options, weights)
    if option.most is None:
        return option.action
    least = option.action.price  # type: ignore[attr-defined]
    if auction and rng.random() < 0.9:  # who bids all he has can buy nothing for a long time
        return option.action
    return option.at(rng.choice([least, least, option.most, rng.randint(least, option.most)]))


def random_game(
    seed: int, players: int, preset: str = "figf"
) -> Iterator[tuple[Game, list[Option], Action]]:
    """Play a whole game, yielding it before each action, with the options and the one chosen."""
    rng = random.Random(f"{seed} {players} {preset}")
    game = start("1830", [str(n + 1) for n in range(players)], preset)
    while game.actor and len(game.log) < LONGEST:
        options = game.options()
        action = choose(game, options, rng)
        yield game, options, action
        game.apply(action)
    yield game, [], Pass("nobody")


def position(seed: int, players: int, actions: int, preset: str = "figf") -> Game:
    """The position of a random game after so many actions."""
    for game, _, _ in random_game(seed, players, preset):
        if len(game.log) == actions:
            return game
    raise ValueError(f"game {seed} of {players} is over before its action {actions}")
