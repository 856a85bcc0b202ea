"""The log of a game by correspondence as it stands, and the position it has come to.

Nothing in the log is changed: a roll-back is a row, and what it covers stands no more.
"""

from __future__ import annotations

from collections import OrderedDict
from collections.abc import Iterable, Mapping
from threading import Lock
from typing import Any

from pbem.engine import RULES, from_dict, start
from pbem.engine import Game as Engine
from pbem.models import Action, Game

ROLLBACK = "rollback"
MOST_HEADS = 200  # positions kept by a process
Row = tuple[int, Mapping[str, Any]]


def standing(rows: Iterable[Row]) -> list[Row]:
    """Of the rows of a log, those that no roll-back covers, in order.

    >>> rows = [(1, {"type": "pass"}), (2, {"type": "bid"}), (3, {"type": "rollback", "to": 1})]
    >>> standing([*rows, (4, {"type": "par"})])
    [(1, {'type': 'pass'}), (4, {'type': 'par'})]
    """
    kept: list[Row] = []
    for seq, payload in rows:
        if payload["type"] != ROLLBACK:
            kept.append((seq, payload))
            continue
        while kept and kept[-1][0] > payload["to"]:
            kept.pop()
    return kept


def players_of(game: Game) -> tuple[str, ...]:
    """The engine's players: the positions of the seats, as the dice put them."""
    if game.order:
        return tuple(str(position) for position in game.order)
    return tuple(str(seat.position) for seat in game.table.seats.order_by("position"))


def beginning(game: Game) -> Engine:
    """The position before the first action."""
    return start(game.title, players_of(game), game.preset, game.options)


def rows_of(game: Game, after: int = 0) -> list[Row]:
    """The rows of its log beyond one of them, in order."""
    rows = Action.objects.filter(game=game, seq__gt=after).order_by("seq")
    return list(rows.values_list("seq", "payload"))


class _Heads:
    """The latest positions of games, so that a move is played on what the last one left.

    A key never goes stale: the log up to a row never changes. For many threads.
    """

    def __init__(self, most: int) -> None:
        self.most = most
        self.lock = Lock()
        self.kept: OrderedDict[str, tuple[int, Engine]] = OrderedDict()

    def get(self, key: str) -> tuple[int, Engine] | None:
        with self.lock:
            found = self.kept.get(key)
            if found is not None:
                self.kept.move_to_end(key)
            return found

    def keep(self, key: str, seq: int, position: Engine) -> None:
        with self.lock:
            before = self.kept.get(key)
            if before is None or before[0] <= seq:
                self.kept[key] = (seq, position)
                self.kept.move_to_end(key)
            while len(self.kept) > self.most:
                self.kept.popitem(last=False)


heads = _Heads(MOST_HEADS)


def _key(game: Game) -> str:
    return f"{game.pk} {game.seed} {RULES} {game.order}"


def head(game: Game) -> Engine:
    """The position that the game has come to at its `seq`: the caller's own."""
    key = _key(game)
    found = heads.get(key)
    if found is not None and found[0] == game.seq:
        return found[1].copy()
    position = None
    if found is not None and found[0] < game.seq:
        rows = rows_of(game, found[0])
        if all(payload["type"] != ROLLBACK for _seq, payload in rows):
            position = found[1].copy()
    if position is None:
        position = beginning(game)
        rows = standing(rows_of(game))
    for seq, payload in rows:
        if seq <= game.seq:
            position.apply(from_dict(payload))
    position.log.clear()
    heads_keep(game, position)
    return position


def heads_keep(game: Game, position: Engine) -> None:
    """Remember the position that the game has come to, for the next move."""
    kept = position.copy()
    kept.log.clear()
    heads.keep(_key(game), game.seq, kept)


def position_at(game: Game, seq: int) -> tuple[Engine, int]:
    """The position that the log had come to with one of its rows, and how many actions then
    stood."""
    position = beginning(game)
    rows = standing(row for row in rows_of(game) if row[0] <= seq)
    for _seq, payload in rows:
        position.apply(from_dict(payload))
    position.log.clear()
    return position, len(rows)
