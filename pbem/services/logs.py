"""The log of a game by correspondence as it stands, and the position it has come to.

Nothing in the log is changed: a roll-back is a row, and what it covers stands no more.
"""

from __future__ import annotations

from bisect import bisect_right
from collections import OrderedDict
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass
from operator import itemgetter
from threading import Lock
from typing import Any

from pbem.engine import RULES, from_dict, start
from pbem.engine import Game as Engine
from pbem.models import Action, Game

ROLLBACK = "rollback"
EACH = 25  # actions from one kept position to the next
MOST_REELS = 40  # games whose positions a process keeps: some ten megabytes
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


@dataclass(slots=True)
class Reel:
    """The log of a game as it stands at one of its rows, and how far its positions are known.

    `rows` are those that stand, `kept` the positions after every `EACH` of them, from the
    beginning, `last` the one after all. Nobody changes a position that is kept.
    """

    seq: int
    digest: str  # of the row `seq`
    rows: tuple[Row, ...]
    kept: tuple[Engine, ...]
    last: Engine

    def at(self, n: int) -> Engine:
        """The position after `n` of the rows that stand: the caller's own."""
        if n == len(self.rows):
            return self.last.copy()
        position = self.kept[n // EACH].copy()
        for _seq, payload in self.rows[n - n % EACH : n]:
            position.apply(from_dict(payload))
        return position

    def count(self, seq: int) -> int:
        """How many of the rows up to one of the log still stand."""
        return bisect_right(self.rows, seq, key=itemgetter(0))


class _Reels:
    """The latest reels used: a game's position is what the last move left, a few actions on.

    For many threads. What a transaction wrote and then took back is noticed by the digest of the
    last row, and not used.
    """

    def __init__(self, most: int) -> None:
        self.most = most
        self.lock = Lock()
        self.kept: OrderedDict[str, Reel] = OrderedDict()

    def get(self, key: str) -> Reel | None:
        with self.lock:
            found = self.kept.get(key)
            if found is not None:
                self.kept.move_to_end(key)
            return found

    def keep(self, key: str, reel: Reel) -> None:
        with self.lock:
            self.kept[key] = reel
            self.kept.move_to_end(key)
            while len(self.kept) > self.most:
                self.kept.popitem(last=False)


reels = _Reels(MOST_REELS)


def reel(game: Game) -> Reel:
    """The log of the game at its `seq`, from memory as far as it is there."""
    key = f"{game.pk} {game.seed} {RULES} {game.order}"
    found = reels.get(key)
    if found is None or found.seq > game.seq:
        found = _beginning(game)
    rows = _written(game, found.seq)
    if found.seq:
        if rows and (rows[0][0], rows[0][2]) == (found.seq, found.digest):
            rows = rows[1:]
        else:
            found, rows = _beginning(game), _written(game, 1)
    if rows:
        found = _extended(found, rows)
        reels.keep(key, found)
    return found


def _written(game: Game, first: int) -> list[tuple[int, Mapping[str, Any], str]]:
    rows = Action.objects.filter(game=game, seq__gte=first, seq__lte=game.seq).order_by("seq")
    return list(rows.values_list("seq", "payload", "digest"))


def _beginning(game: Game) -> Reel:
    position = beginning(game)
    return Reel(0, "", (), (position,), position)


def _extended(found: Reel, rows: Sequence[tuple[int, Mapping[str, Any], str]]) -> Reel:
    """The same log some rows further."""
    stands, kept, position = list(found.rows), list(found.kept), found.last.copy()
    for seq, payload, _digest in rows:
        if payload["type"] == ROLLBACK:
            stands = standing([*stands, (seq, payload)])
            del kept[len(stands) // EACH + 1 :]
            position = kept[-1].copy()
            for _seq, again in stands[len(stands) - len(stands) % EACH :]:
                position.apply(from_dict(again))
        else:
            stands.append((seq, payload))
            position.apply(from_dict(payload))
        position.log.clear()
        if payload["type"] != ROLLBACK and len(stands) % EACH == 0:
            kept.append(position.copy())
    seq, _payload, digest = rows[-1]
    return Reel(seq, digest, tuple(stands), tuple(kept), position)


def head(game: Game) -> Engine:
    """The position that the game has come to at its `seq`: the caller's own."""
    return reel(game).last.copy()


def position_at(game: Game, seq: int) -> Engine:
    """The position that the log had come to with one of its rows: the caller's own."""
    found = reel(game)
    return found.at(found.count(seq))
