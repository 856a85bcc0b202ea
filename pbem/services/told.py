"""A move in the reader's words: what was done, what was not and why, what it brought about."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from dataclasses import dataclass

from django.utils.translation import gettext as _

from pbem import texts
from pbem.engine import Action
from pbem.engine import Game as Engine
from pbem.engine.actions import Pass, Run
from pbem.engine.changes import changes
from pbem.models import Game
from pbem.rules.turns import Fate, Outcome


@dataclass(frozen=True, slots=True)
class Line:
    """One command, or one thing that followed by itself (`fate` executed, no command).

    `why` is why it was not executed, or what it waits for; `note` what was done otherwise than
    said.
    """

    fate: Fate
    words: str
    outcomes: tuple[str, ...] = ()
    why: str = ""
    note: str = ""


def names_of_game(game: Game) -> dict[str, str]:
    """How the players are called, by the position of their seat."""
    return {
        str(seat.position): str(seat.holder().player or _("a referee"))
        for seat in game.table.seats.all()
    }


def told(
    before: Engine | None,
    outcomes: Sequence[Outcome],
    actions: Iterable[tuple[Action, int | None]],
    names: texts.Names,
) -> list[Line]:
    """A move as the log writes it, from the position before it: what was executed in the order in
    which it was, then what was not. Where no engine knows the title (`before` is None), what was
    written, in its order."""
    if before is None:
        return [_line(one, names) for one in outcomes]
    lines: list[Line] = []
    game = before.copy()
    for action, index in actions:
        state = game.state.copy()
        game.apply(action)
        brought = tuple(
            texts.outcome(change, names) for change in changes(state, game.state, action)
        )
        note = "" if index is None else _note(outcomes[index])
        if brought or index is not None or not isinstance(action, Pass | Run):
            lines.append(Line(Fate.EXECUTED, texts.deed(action, state, names), brought, note=note))
    lines += [_line(one, names) for one in outcomes if one.fate is not Fate.EXECUTED]
    return lines or [Line(Fate.EXECUTED, _("Nothing was done."))]


def _line(outcome: Outcome, names: texts.Names) -> Line:
    words = texts.wish(outcome.command, names)
    return Line(outcome.fate, words, why=texts.why(outcome.why, names))


def _note(outcome: Outcome) -> str:
    if outcome.note is None:
        return ""
    return _("The sum stated was another: it is $%(sum)s.") % {"sum": outcome.note}
