"""FIGF-U-10, FIGF-R-06 — what each tile that a corporation may lay would add to its best run."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass
from typing import cast

from . import operating, track
from .actions import LayTile, PlaceToken
from .best import Best, best_run
from .errors import MalformedAction, allowed
from .game import Game
from .state import Operating, State, Step
from .title import Laid, kept


@dataclass(frozen=True, slots=True)
class Gain:
    """A legal lay, what it costs, and by how much the best run of its corporation changes."""

    lay: LayTile
    cost: int
    gain: int
    proven: bool


def best_lays(game: Game, corporation: str, work: int | None = None) -> list[Gain]:
    """FIGF-U-10, FIGF-R-06 — every tile that the corporation may lay, hex by hex, with its gain.

    Those of its turn, if it is at the step of the tile; else those of such a step if it came now:
    the home token in its place, the position as it is. None for a corporation that has not floated,
    or whose home city is still to be chosen. `work` bounds the search of each run, as in
    `best_run`; a gain is proven if both runs are.

    Where the tile makes a token choose its city (1830/F-3), the gain is that of the city best for
    the corporation if its president chooses, and else of the worst.

    Raises `MalformedAction` if the title has no such corporation.
    """
    if corporation not in game.state.corporations:
        raise MalformedAction("corporation", corporation, "a corporation")
    before = at_its_tile(game, corporation)
    if before is None:
        return []
    now = best_run(before, corporation, work)
    # Lays that leave the same track on a hex are the same to every train: one search for all.
    found: dict[tuple[object, ...], tuple[int, bool]] = {}
    gains = []
    for lay in lays(before, corporation):
        hexagon = before.state.title.hexes[lay.hex]
        old, new = before.state.board[lay.hex], before.state.title.tiles[lay.tile].at(lay.rotation)
        same = (lay.hex, _as_seen(before.state, lay.hex, new), kept(old, new))
        if same not in found:
            untouched = (lay.hex, _as_seen(before.state, lay.hex, old), tuple(range(_nodes(old))))
            if same == untouched:
                found[same] = (0, True)
            else:
                after = _after(before, corporation, lay, work)
                found[same] = (after.value - now.value, now.proven and after.proven)
        gain, proven = found[same]
        gains.append(Gain(lay, track.cost(before.state, hexagon), gain, proven))
    return gains


def lays(game: Game, corporation: str) -> Iterator[LayTile]:
    """1830/L — the lays among the options of a corporation at its step of the tile."""
    for option in game.options(corporation):
        if isinstance(option.action, LayTile):
            yield option.action


def at_its_tile(game: Game, corporation: str) -> Game | None:
    """1830/O-5 — the position at the corporation's step of the tile: as it is, or as if it came
    now; None if it could not."""
    state, turn = game.state, game.state.round
    if (
        isinstance(turn, Operating)
        and turn.step is Step.TRACK
        and operating.operator(state, turn).id == corporation
        and not (turn.choosing or turn.discarding)
    ):
        return game
    if not state.corporations[corporation].floated or state.over:
        return None
    state = state.copy()
    turn = state.round = Operating([corporation])
    operating.advance(state, turn)
    return Game(state) if turn.step is Step.TRACK and not turn.choosing else None


def _nodes(laid: Laid) -> int:
    return len(laid.tile.nodes)


def _as_seen(state: State, hex_id: str, laid: Laid) -> tuple[object, ...]:
    """What of a laid tile counts for a run: its stops, and the track that another tile meets."""
    hexagon, board = state.title.hexes[hex_id], state.board
    phase = state.title.phases[state.phase].id
    met = {
        edge
        for edge in laid.edges
        if (other := hexagon.neighbors[edge]) and (edge + 3) % 6 in board[other.id].edges
    }
    track_met = frozenset(
        path for path in laid.paths if path[0] in met and (path[1] < 0 or path[1] in met)
    )
    return (track_met, tuple((node.values[phase], node.slots) for node in laid.tile.nodes))


def _after(game: Game, corporation: str, lay: LayTile, work: int | None) -> Best:
    """The best run once the tile lies; see `best_lays` for a token that is to choose."""
    after = game.copy()
    turn = cast(Operating, after.state.round)
    track.lay(after.state, turn, lay)
    if not turn.choosing:
        return best_run(after, corporation, work)
    symbol, hex_id = turn.choosing
    runs = []
    for city in after.state.board[hex_id].cities:
        if allowed(track.check_slot, after.state, symbol, (hex_id, city)):
            chosen = after.copy()
            track.place_token(
                chosen.state,
                cast(Operating, chosen.state.round),
                PlaceToken(symbol, hex_id, city),
            )
            runs.append(best_run(chosen, corporation, work))
    own = turn.chooser == after.state.corporations[corporation].president
    if not runs:
        return best_run(after, corporation, work)
    return (max if own else min)(runs, key=lambda best: best.value)
