"""The moves of a game in words, the last first: what its page shows."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass

from pbem import texts
from pbem.engine import from_dict
from pbem.models import Action, Game, Move
from pbem.rules import turns
from pbem.rules.turns import Fate
from pbem.services.logs import Reel, reel
from pbem.services.told import Line, Request, answers_to, told


@dataclass(frozen=True)
class Past:
    """A move that was played, in words. `n` is the position after it, for the replay; a move rolled
    back has neither lines nor that. `answers` are what was agreed to, or not."""

    move: Move
    who: str
    lines: list[Line]
    n: int | None
    answers: Sequence[Request] = ()


def history(game: Game, names: texts.Names, most: int = 10) -> list[Past]:
    """The last moves, those rolled back among them, the latest first."""
    moves = list(
        game.moves.exclude(number=None)
        .select_related("seat", "sent_by", "replaces")
        .prefetch_related("consents__seat")
        .order_by("-number")[:most]
    )
    return [*_told(game, names, moves)] if moves else []


def _told(game: Game, names: texts.Names, moves: list[Move]) -> Iterator[Past]:
    found = reel(game)
    begun = min(move.before for move in moves)
    rows = Action.objects.filter(game=game, seq__gt=begun).values_list("seq", "move")
    owner, first = dict(rows), found.count(begun)
    later = [(n, owner[found.rows[n][0]]) for n in range(first, len(found.rows))]
    for move in moves:
        mine = [n for n, pk in later if pk == move.pk]
        if move.state != Move.State.PLAYED or move.kind == Move.Kind.REFEREE:
            yield Past(move, names[str(move.seat.position)], [], None)
            continue
        lines, answers = list(_lines(found, move, mine, names)), answers_to(move, game, names)
        n = mine[-1] + 1 if mine else None
        yield Past(move, names[str(move.seat.position)], lines, n, answers)


def _lines(found: Reel, move: Move, mine: list[int], names: texts.Names) -> Iterator[Line]:
    """A move in words: what was executed, also later after an answer, then what was not."""
    outcomes = [turns.from_dict(one) for one in move.commands]
    did = dict(zip(mine, move.form.get("did", []), strict=False))
    pieces: list[list[int]] = []
    for n in mine:
        if pieces and pieces[-1][-1] == n - 1:
            pieces[-1].append(n)
        else:
            pieces.append([n])
    if not pieces:
        yield from told(found.at(found.count(move.before)), outcomes, [], names)
    for piece in pieces:
        actions = [(from_dict(found.rows[n][1]), did.get(n)) for n in piece]
        for line in told(found.at(piece[0]), outcomes, actions, names):
            if line.fate is Fate.EXECUTED or piece is pieces[-1]:
                yield line
