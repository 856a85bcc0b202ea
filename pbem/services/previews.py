"""What a move would do, before it is sent: the very execution, on a copy."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

from django.utils.translation import gettext as _

from pbem import texts
from pbem.engine import Game as Engine
from pbem.models import Game, Move
from pbem.rules.commands import Command, without_contradiction
from pbem.rules.turns import Outcome, execute
from pbem.services.logs import head, position_at
from pbem.services.told import Line, told
from tournaments.models import Seat


@dataclass(frozen=True)
class Preview:
    """`lines` as the log will write them; `after` is the position that would be left. `then` says
    how it goes on; `open` what would still have to be done. `cash` and `certificates` are those of
    the player, before and after."""

    lines: list[Line]
    after: Engine
    then: str
    open: str = ""
    cash: tuple[int, int] = (0, 0)
    certificates: tuple[int, int] = (0, 0)

    @property
    def refused(self) -> bool:
        return any(line.fate == "refused" for line in self.lines)


def preview(
    game: Game,
    seat: Seat,
    commands: Sequence[Command],
    names: texts.Names,
    *,
    ends: bool = True,
    corrects: Move | None = None,
) -> Preview:
    """L1 of what players ask for: the consequences of a move, before it is confirmed."""
    position = head(game) if corrects is None else position_at(game, corrects.before)
    before = position.copy()
    outcomes = [Outcome(one) for one in without_contradiction(commands)]
    done = execute(position, outcomes, str(seat.position), ends=ends)
    lines = told(before, done.outcomes, done.actions, names)
    asked = ", ".join(dict.fromkeys(names.get(who, who) for _n, _action, who in done.asked))
    if done.asked:
        then = _("%(who)s will be asked to agree; your turn stays open until then.") % {
            "who": asked
        }
    elif position.state.over:
        then = _("The game would be over.")
    elif not done.finished:
        then = _("Your turn would stay open.")
    else:
        then = _("Then it is the turn of %(who)s.") % {
            "who": names.get(position.player or "", position.player or "")
        }
    mine, states = str(seat.position), (before.state, position.state)
    return Preview(
        lines,
        position,
        then,
        texts.why(done.open, names),
        (states[0].cash[mine], states[1].cash[mine]),
        (states[0].certificates(mine), states[1].certificates(mine)),
    )
