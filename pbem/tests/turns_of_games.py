"""The turns of recorded games, as their players would have filled in the form."""

from __future__ import annotations

import json
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

from pbem.engine import Action, Game, from_dict, interchange, start
from pbem.engine.actions import Dividend, Pass, Route, Run
from pbem.engine.state import Operating, State, Stock
from pbem.rules.commands import Command, Plain, RunOrder
from pbem.services.recordings import seated_file

from .our_games import file_of


@dataclass
class Turn:
    """What one player did in one turn: `actions` as they were recorded, `commands` as he would
    have meant them. `ends` is false where the turn goes on (V-08)."""

    player: str
    whose: tuple[Any, ...] = ()
    actions: list[Action] = field(default_factory=list)
    ends: bool = True

    @property
    def commands(self) -> list[Command]:
        found: list[Command] = []
        acts = [one for one in self.actions if not isinstance(one, Pass)]
        for n, one in enumerate(acts):
            if isinstance(one, Run):
                after = acts[n + 1] if n + 1 < len(acts) else None
                kind = after.kind if isinstance(after, Dividend) else ""
                found.append(run_order(one, kind))
            elif not isinstance(one, Dividend):
                found.append(Plain(one))
        passed = [one for one in self.actions if isinstance(one, Pass)]
        return found or [Plain(one) for one in passed[:1]]


def run_order(run: Run, dividend: str) -> RunOrder:
    routes = tuple((one.train, hexes_of(one)) for one in run.routes)
    return RunOrder(run.actor, routes, None if routes else 0, dividend)


def hexes_of(route: Route) -> tuple[str, ...]:
    """The hexes of a route from one end to the other, as somebody would name them."""
    ways = [way for leg in route.legs for way in (leg, leg[::-1])]
    for first in ways:
        rest = [leg for leg in route.legs if leg not in {first, first[::-1]}]
        line = _line(list(first), rest)
        if line:
            return tuple(line)
    raise ValueError(f"no line: {route}")


def _line(line: list[str], legs: list[tuple[str, ...]]) -> list[str] | None:
    """The line gone on with by all of these legs, if one can."""
    if not legs:
        return line
    for n, leg in enumerate(legs):
        for way in (leg, leg[::-1]):
            if way[0] == line[-1]:
                found = _line([*line, *way[1:]], legs[:n] + legs[n + 1 :])
                if found:
                    return found
    return None


def _whose(state: State, player: str | None) -> tuple[Any, ...]:
    now = state.round
    if isinstance(now, Operating):
        operator = state.corporations[state.operating] if state.operating else None
        between = bool(operator and operator.president != player)
        return ("operating", state.turn, state.number, state.operating, player, between)
    return (type(now).__name__, state.turn, player)


def turns(game: Game, actions: Sequence[Mapping[str, Any]]) -> list[Turn]:
    """The turns of a game from its beginning. `game` is played to the end."""
    found: list[Turn] = []
    for payload in actions:
        action = from_dict(payload)
        player = game.player or ""
        out_of_turn = action.actor in game.state.cash and action.actor != player
        now = game.state.round
        who = action.actor if out_of_turn else player
        here = (*_whose(game.state, who), out_of_turn)
        fresh = isinstance(now, Stock) and not now.acted and not out_of_turn
        if not found or here != found[-1].whose or fresh or here[0] == "Auction":
            found.append(Turn(who, here))
        found[-1].actions.append(action)
        game.apply(action)
    for one, between, later in zip(found, found[1:], found[2:], strict=False):
        if between.whose[-1] and one.whose == later.whose:
            one.ends = False  # somebody exchanged a private in the middle of it
    return found


def recorded_turns(name: str) -> tuple[list[Turn], Game]:
    """The turns of a game of our own, and the position that they begin from."""
    return _turns_of(file_of(name))


def turns_of_file(path: Path) -> tuple[list[Turn], Game]:
    """The same of a recorded game, its players called by their seats."""
    return _turns_of(json.loads(path.read_text(encoding="utf-8")))


def _turns_of(file: dict[str, Any]) -> tuple[list[Turn], Game]:
    seated = seated_file(file)
    for _said, found in interchange.replay(seated):
        game = found
    actions = [action.to_dict() for action in game.log]
    return turns(beginning_of(game), actions), beginning_of(game)


def beginning_of(game: Game) -> Game:
    """The game of that title, players and switches, before its first action."""
    title = game.title
    return start(title.name, game.state.players, title.preset, title.options)
