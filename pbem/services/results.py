"""What a finished game is worth to its event: the counting sheet goes to the director by itself."""

from __future__ import annotations

from datetime import datetime

from django.db import transaction
from django.utils.translation import gettext as _

from figf.errors import Refused
from figf.models import LogEntry, User
from pbem.models import Game
from pbem.services.logs import head
from tournaments.models import Result, Table
from tournaments.services import Facts, Origin, send_draft

PARTS = {"stocks", "cash"}


def report(game: Game, now: datetime) -> Result | None:
    """C-11, C-13, C-14 — send the totals of a game that has just ended, by its station master.

    Runs in the transaction in which the game ends, under its lock. Who is credited follows from who
    holds the seats. Where the event does not take the result, or a shared first place is to be
    looked at by somebody (C-06), the log says why and nothing else happens: `send_result` repeats.
    """
    try:
        with transaction.atomic():
            return _send(game, now, tie_checked=False)
    except Refused as refusal:
        LogEntry.objects.record(None, "report_refused", game, now, reason=refusal.reason)
        return None


@transaction.atomic
def send_result(game_pk: int, by: User, now: datetime, *, tie_checked: bool = False) -> Result:
    """The station master sends the result of a finished game again.

    Locks the game. Refuses a game that is not over (`game_not_over`), one that no engine counted
    (`no_engine`: the sheet is typed), and what `tournaments.services.send_draft` refuses.
    """
    Game.objects.select_for_update(of=("self",), no_key=True).get(pk=game_pk)
    game = Game.objects.with_people().get(pk=game_pk)
    result = _send(game, now, tie_checked=tie_checked)
    LogEntry.objects.record(by, "send_result", game, now)
    return result


def _send(game: Game, now: datetime, *, tie_checked: bool) -> Result:
    table = Table.objects.with_everything().get(pk=game.table_id)
    facts = _facts(game, table)
    if game.station_master is None:
        raise Refused("no_station_master", _("This game has no station master."), rule="S-01")
    return send_draft(
        game.table_id,
        facts,
        table.last_version(),
        game.station_master,
        now,
        tie_checked=tie_checked,
        origin=Origin(_("game by correspondence no. %(n)d") % {"n": game.pk}, replayed=True),
    )


def _facts(game: Game, table: Table) -> dict[int, Facts]:
    """Cash and shares of each seat, as the engine counts them; their sum is its result."""
    if not game.has_engine:
        raise Refused("no_engine", _("No engine counts this title: the counting sheet is typed."))
    position = head(game)
    if not position.state.over:
        raise Refused("game_not_over", _("This game is not over."))
    if not {field.name for field in table.event.rules.fields} >= PARTS:
        raise Refused(
            "counted_otherwise",
            _("The regulation of this event does not count cash and shares: type the sheet."),
        )
    worth = position.result()
    facts: dict[int, Facts] = {}
    for seat in table.seats.all():
        player = str(seat.position)
        cash = position.state.cash[player]
        facts[seat.pk] = {"stocks": worth[player] - cash, "cash": cash}
    return facts
