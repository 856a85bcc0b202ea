"""The position of a stored game after any of its actions, without replaying all of it.

A game is folded once from its first action, and a copy of the position kept every few actions.
These films stay in the memory of the process, the latest used ones, as many as a bound of positions
allows; any of them can be dropped at any moment.
"""

from __future__ import annotations

from bisect import bisect_right
from collections import OrderedDict
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from threading import Lock
from typing import Any

from pbem import texts
from pbem.engine import RULES, Action, EngineError, Game, from_dict, start
from pbem.engine.changes import changes
from pbem.engine.state import Operating, State

EACH = 25  # actions from one kept position to the next
MOST_POSITIONS = 400  # kept by a process: some fifteen long games, a few megabytes


@dataclass(frozen=True)
class Score:
    """What a game is replayed from, whatever keeps it. `key` belongs to this game alone, for ever;
    `load` reads its actions, of which there are `length` now."""

    key: str
    title: str
    preset: str
    options: Mapping[str, Any]
    players: tuple[str, ...]
    length: int
    load: Callable[[], Sequence[Mapping[str, Any]]]


@dataclass(frozen=True, slots=True)
class Part:
    """A round of a game: `first` is the position it begins with, `last` that after its last action.

    `kind` is auction, stock or operating; `turn` counts the sets, `number` the operating rounds in
    one. `phase` is the one it begins in.
    """

    kind: str
    turn: int
    number: int
    phase: str
    first: int
    last: int


@dataclass(frozen=True, slots=True)
class Entry:
    """An action in words: what was done, and what that brought about by itself."""

    deed: str
    outcomes: tuple[str, ...]


@dataclass(frozen=True)
class Film:
    """A game folded to its end, or to the first action that the engine does not take (`refused`).

    `actions[n]` leads from position n to n + 1. `turns[n]` says whose turn it is in position n, a
    player's id or a corporation's symbol, and in which round: two that differ are different turns.
    """

    actions: tuple[Action, ...]
    kept: tuple[Game, ...]
    parts: tuple[Part, ...]
    turns: tuple[tuple[int, str | None], ...]
    phases: tuple[tuple[int, str], ...]  # the position where each phase begins, and its id
    refused: EngineError | None

    @property
    def length(self) -> int:
        return len(self.actions)

    def at(self, n: int) -> Game:
        """The position after `n` actions, from 0 to `length`: a game of its own."""
        game = self.kept[n // EACH].copy()
        for action in self.actions[n - n % EACH : n]:
            game.apply(action)
        return game

    def part_of(self, n: int) -> int:
        """In which of `parts` a position is: where one ends and the next begins, in the latter."""
        return bisect_right([part.first for part in self.parts], n) - 1

    def log(self, first: int, last: int, names: texts.Names) -> list[Entry]:
        """The actions that lead from position `first` to `last`, in the reader's words."""
        game, told = self.at(first), []
        for action in self.actions[first:last]:
            before = game.state.copy()
            game.apply(action)
            brought = changes(before, game.state, action)
            told.append(
                Entry(
                    texts.deed(action, before, names),
                    tuple(texts.outcome(change, names) for change in brought),
                )
            )
        return told


# --- folded ---------------------------------------------------------------------------------------


def fold(score: Score) -> Film:
    """Play a game from its first action to its last, noting what its film needs."""
    game = start(score.title, score.players, score.preset, score.options)
    actions: list[Action] = []
    kept, refused = [game.copy()], None
    rounds, phases = [_round(game.state)], [(0, _phase(game.state))]
    begins, turns = [0], [(0, _turn(game))]
    for payload in score.load():
        try:
            action = from_dict(payload)
            game.apply(action)
        except EngineError as error:
            refused = error
            break
        actions.append(action)
        n = len(actions)
        if n % EACH == 0:
            kept.append(game.copy())
        if (now := _round(game.state)) != rounds[-1]:
            rounds.append(now)
            begins.append(n)
        if (phase := _phase(game.state)) != phases[-1][1]:
            phases.append((n, phase))
        turns.append((len(rounds), _turn(game)))
    return Film(
        tuple(actions),
        tuple(kept),
        tuple(_parts(rounds, begins, phases, len(actions))),
        tuple(turns),
        tuple(phases),
        refused,
    )


def _round(state: State) -> tuple[str, int, int]:
    """Which round is on; a game that is over stays in its last."""
    number = state.number if isinstance(state.round, Operating) else 1
    return type(state.round).__name__.lower(), state.turn, number


def _phase(state: State) -> str:
    return state.title.phases[state.phase].id


def _turn(game: Game) -> str | None:
    """Whose turn it is: in an operating round the corporation's, also while a player must act."""
    return game.state.operating or game.player


def _parts(
    rounds: Sequence[tuple[str, int, int]],
    begins: Sequence[int],
    phases: Sequence[tuple[int, str]],
    length: int,
) -> list[Part]:
    ends = [*begins[1:], length]
    starts = [n for n, _id in phases]
    return [
        Part(*told, phases[bisect_right(starts, first) - 1][1], first, last)
        for told, first, last in zip(rounds, begins, ends, strict=True)
    ]


# --- kept -----------------------------------------------------------------------------------------


class _Films:
    """The latest films used, together within a bound of kept positions. For many threads."""

    def __init__(self, most: int) -> None:
        self.most = most
        self.lock = Lock()
        self.kept: OrderedDict[tuple[str, int, int], Film] = OrderedDict()

    def of(self, score: Score) -> Film:
        key = (score.key, score.length, RULES)
        with self.lock:
            found = self.kept.get(key)
            if found is not None:
                self.kept.move_to_end(key)
                return found
        made = fold(score)  # two threads may both do it: neither waits for the other
        with self.lock:
            self.kept[key] = made
            self.kept.move_to_end(key)
            while len(self.kept) > 1 and self.size() > self.most:
                self.kept.popitem(last=False)
        return made

    def size(self) -> int:
        return sum(len(film.kept) for film in self.kept.values())


films = _Films(MOST_POSITIONS)


def film(score: Score) -> Film:
    """A game folded, from memory if it is there."""
    return films.of(score)


def position(score: Score, n: int) -> Game:
    """The position after `n` actions of a game; the nearest one if there is none so far."""
    found = film(score)
    return found.at(min(max(n, 0), found.length))
