"""Games played as people might: seeded, by what `options` offers, with plain sense and some luck.

python -m pbem.tests.sensible_play SEED PLAYERS PRESET > pbem/tests/games/NAME.json
"""

from __future__ import annotations

import json
import random
import sys
from collections.abc import Iterator
from dataclasses import dataclass

from pbem.engine import Game, Option, State, interchange, start
from pbem.engine.actions import (
    Action,
    Bid,
    BuyPrivate,
    BuyShare,
    BuyTrain,
    Dividend,
    ExchangePrivate,
    LayTile,
    Par,
    Pass,
    PlaceToken,
    Route,
    Run,
    SellShares,
)
from pbem.engine.reach import Place, passable, reach, spot
from pbem.engine.state import Auction, Corporation, Operating
from pbem.engine.title import Hex
from pbem.engine.trains import cheapest

LONGEST = 4000  # actions
TRIES = 3000  # steps of the search for a train's route


# --- routes ---------------------------------------------------------------------------------------


@dataclass(frozen=True)
class Leg:
    hexes: tuple[str, ...]
    end: Place
    sides: int


def legs_from(state: State, place: Place) -> Iterator[Leg]:
    """Each piece of track from a stop to the next."""
    hexes, board = state.title.hexes, state.board
    todo: list[tuple[Hex, int, tuple[str, ...], int]] = [
        (hexes[place[0]], edge, (place[0],), 0) for edge in board[place[0]].from_node[place[1]]
    ]
    while todo:
        hexagon, edge, passed, sides = todo.pop()
        other = hexagon.neighbors[edge]
        if other is None:
            continue
        back = (edge + 3) % 6
        sides |= hexagon.sides[edge] | other.sides[back]
        for end in board[other.id].from_edge[back]:
            if end < 0:
                yield Leg((*passed, other.id), (other.id, ~end), sides)
            elif not sides & other.sides[end]:
                todo.append((other, end, (*passed, other.id), sides))


def best_route(state: State, one: Corporation, kind: str, used: int) -> tuple[int, int, Route]:
    """What the search finds best for a train: its revenue, the hexsides it takes, the route."""
    phase = state.title.phases[state.phase].id
    reach_ = state.title.trains[kind].reach or 99
    ahead: dict[Place, list[Leg]] = {}
    best = (0, 0, Route(kind, ()))
    tries = 0
    for start_ in sorted(reach(state, one.id).nodes):
        todo: list[tuple[list[Place], int, tuple[tuple[str, ...], ...]]] = [([start_], used, ())]
        while todo and tries < TRIES:
            tries += 1
            stops, sides, legs = todo.pop()
            value = sum(
                state.board[hex_id].tile.nodes[node].values[phase] for hex_id, node in stops
            )
            if value > best[0] and legs and any(stop in one.tokens for stop in stops):
                best = (value, sides, Route(kind, legs))
            last = stops[-1]
            if len(stops) == reach_ or (legs and not passable(state, last, one.id)):
                continue
            if last not in ahead:
                ahead[last] = list(legs_from(state, last))
            spots = {spot(state, stop) for stop in stops}
            todo += [
                ([*stops, leg.end], sides | leg.sides, (*legs, leg.hexes))
                for leg in ahead[last]
                if not leg.sides & sides and spot(state, leg.end) not in spots
            ]
    return best


def good_run(state: State, one: Corporation) -> Run:
    """The longest trains first, each over what the others have left."""
    routes, used = [], 0
    for kind in sorted(one.trains, key=lambda name: -(state.title.trains[name].reach or 99)):
        value, sides, route = best_route(state, one, kind, used)
        if value:
            routes.append(route)
            used = sides
    return Run(one.id, tuple(routes))


# --- choices --------------------------------------------------------------------------------------


def choose(game: Game, options: list[Option], rng: random.Random) -> Action:
    """One of the options, by weight; a price of a range near its lower end, or a private's most."""
    weights = [max(0.0, weight(game, option, rng)) for option in options]
    if not any(weights):
        weights = [1.0] * len(options)
    (option,) = rng.choices(options, weights)
    action = option.action
    if isinstance(action, Run):
        return good_run(game.state, game.state.corporations[action.actor])
    if option.most is None:
        return action
    least = action.price  # type: ignore[attr-defined]
    if isinstance(action, BuyPrivate) and action.actor in game.state.corporations:
        return option.at(option.most)
    if isinstance(action, BuyTrain):
        return option.at(min(option.most, max(least, rng.choice([1, 50, 150, 300]))))
    return option.at(min(option.most, least + 5 * rng.choice([0, 0, 0, 1, 2])))


def weight(game: Game, option: Option, rng: random.Random) -> float:
    """How much one would like to do this."""
    state = game.state
    if isinstance(state.round, Auction):
        return in_auction(state, option.action)
    if isinstance(state.round, Operating):
        return operating(state, option)
    return in_stock_round(state, option.action)


def in_auction(state: State, action: Action) -> float:
    match action:
        case Bid(private=private, price=price):
            worth = state.title.privates[private].face * 1.3
            return 3 if private == state.unsold[0] else (2 if price < worth else 0)
        case Par(price=price):
            return 3 if price in (76, 82, 90, 100) else 1
        case _:
            return 2


def in_stock_round(state: State, action: Action) -> float:
    match action:
        case BuyShare(actor=actor, corporation=symbol):
            one = state.corporations[symbol]
            mine = one.president == actor
            if not one.floated:
                return 60 if mine else 25
            return (12 if mine else 8) if one.trains or not one.operated else 1
        case Par(actor=actor, price=price):
            # enough to float it, with some help
            room = state.cash[actor] >= price * 4
            return 8 if room and price in (67, 76, 82, 90) else 0
        case SellShares(actor=actor, corporation=symbol, shares=shares):
            one = state.corporations[symbol]
            if one.president == actor:
                return 0.01
            return (0.1 if one.trains or not one.operated else 2) / shares
        case BuyPrivate():
            return 0.1
        case ExchangePrivate():
            return 0.5
        case Pass():
            return 2
        case _:
            return 1


def operating(state: State, option: Option) -> float:
    match option.action:
        case LayTile(tile=tile, private=private):
            return 3 if private or state.title.tiles[tile].has_city else 1
        case PlaceToken(actor=actor, private=private):
            free = private is not None or state.corporations[actor].cash > 500
            return 2 if free else 0.2
        case Run():
            return 1
        case Dividend(actor=actor, kind=kind):
            return dividend(state, state.corporations[actor], kind)
        case BuyTrain(actor=actor):
            return train(state, option, state.corporations[actor])
        case BuyPrivate(actor=actor):
            return 3 if state.corporations[actor].cash > 350 else 0.1
        case SellShares(actor=actor, corporation=symbol):
            return 1 if state.corporations[symbol].president == actor else 4
        case ExchangePrivate():
            return 0.1
        case Pass(actor=actor):
            return 1.5 if actor in state.corporations else 1
        case _:
            return 1


def dividend(state: State, one: Corporation, kind: str) -> float:
    """Withhold where that pays for the train that it lacks."""
    least = cheapest(state)
    earned = state.round.earned if isinstance(state.round, Operating) else 0
    lacks = least is not None and one.cash < least.price <= one.cash + earned * 2
    wants = lacks and len(one.trains) < 2
    return 3 if (kind == "withhold") is wants else 0.2


def train(state: State, option: Option, one: Corporation) -> float:
    action = option.action
    assert isinstance(action, BuyTrain)
    if action.source not in ("bank", "pool"):
        seller = state.corporations[action.source]
        return 1 if seller.president == one.president or not one.trains else 0.05
    if not one.trains:
        return 20
    return 5 if len(one.trains) < 3 or action.exchange else 1


def sensible_game(seed: int, players: int, preset: str = "figf") -> Iterator[tuple[Game, Action]]:
    """Play a whole game, yielding it before each action with the one that is chosen."""
    rng = random.Random(f"{seed} {players} {preset}")
    game = start("1830", [str(n + 1) for n in range(players)], preset)
    while game.actor and len(game.log) < LONGEST:
        options = game.options()
        action = choose(game, options, rng)
        yield game, action
        game.apply(action)


def finished(seed: int, players: int, preset: str) -> Game:
    """The game once it is over."""
    *_, (game, _) = sensible_game(seed, players, preset)
    return game


if __name__ == "__main__":
    seed_, players_, preset_ = sys.argv[1:]
    names = dict(zip("123456", ("Anna", "Bruno", "Carla", "Dino", "Elena", "Fabio"), strict=True))
    told = interchange.export(finished(int(seed_), int(players_), preset_), names)
    actions = told.pop("actions")
    rest = json.dumps(told, ensure_ascii=False)[:-1]
    lines = ",\n".join(json.dumps(one, ensure_ascii=False) for one in actions)
    print(f'{rest}, "actions": [\n{lines}\n]}}')
