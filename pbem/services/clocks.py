"""The clocks of games by correspondence: the sweep, reminders, pauses. The database is the truth.

The sweep may run twice, late, or in four workers: each game is taken by one at a time, and a game
that raises stops no other.
"""

from __future__ import annotations

import logging
from collections.abc import Iterable
from datetime import datetime

from django.db import transaction
from django.utils.translation import gettext as _

from figf.errors import Refused
from figf.models import LogEntry, User
from figf.sweeps import each
from pbem.models import Game, Move
from pbem.rules.deadlines import REMINDERS, due_at, has_expired, reminders_due
from pbem.services import letters
from pbem.services.moves import lapse, locked, play, refuse_player
from pbem.services.tables import begin_due, nudge

logger = logging.getLogger(__name__)


def sweep(now: datetime) -> None:
    """What every minute asks: games whose dice are shown, moves received and not yet played, hours
    that are over, reminders."""
    begin_due(now)
    play_received(now)
    expire_turns(now)
    send_reminders(now)
    nudge(now)


def play_received(now: datetime) -> None:
    """Play what was received by a process that then died."""
    waiting = Move.objects.filter(state=Move.State.RECEIVED).order_by("received_at", "pk")
    pks = waiting.values_list("pk", flat=True)
    each(pks, lambda pk: play(pk, now), logger, "move %s: received, not played")


def expire_turns(now: datetime) -> None:
    """T-05 — whoever let 48 hours pass moves no more by himself."""
    due = Game.objects.due(now).values_list("pk", flat=True)
    each(due, lambda pk: expire(pk, now), logger, "game %s: turn not closed")


@transaction.atomic
def expire(pk: int, now: datetime) -> None:
    """T-05, T-10 — the hours of a game are over: a move is the station master's, silence is a no.

    What was received in time comes first. Locks the game; one that somebody else holds is left for
    the next sweep. Until the automatic player exists the turn waits for the station master.
    """
    held = Game.objects.select_for_update(skip_locked=True, of=("self",), no_key=True)
    if held.due(now).filter(pk=pk).first() is None:
        return
    received = Move.objects.filter(game=pk, state=Move.State.RECEIVED)
    for move in received.order_by("received_at", "pk").values_list("pk", flat=True):
        play(move, now)
    game = Game.objects.with_people().get(pk=pk)
    if game.clock == Game.Clock.CONSENT:
        lapse(game, now)
    elif game.clock == Game.Clock.RUNNING and game.due_at and has_expired(game.due_at, now):
        game.clock = Game.Clock.REVIEWING
        game.save(update_fields=["clock"])
        LogEntry.objects.record(None, "turn_expired", game, now, seat=game.to_act_id)
        letters.expired(game, now)


def send_reminders(now: datetime) -> None:
    """T-11 — 24 hours and 6 hours before the deadline, once each."""
    running = Game.objects.filter(clock__in=Game.RUNS, due_at__gte=now).with_people()
    soon = running.filter(due_at__lte=now + max(REMINDERS))
    each(soon, lambda game: _remind(game, now), logger, "game %s: not reminded")


@transaction.atomic
def _remind(game: Game, now: datetime) -> None:
    """What is due of one game; a mail that was written is not written again."""
    if game.due_at is not None:
        for before in reminders_due(game.due_at, now):
            letters.remind(game, before, now)


@transaction.atomic
def reopen_turn(pk: int, reason: str, by: User, now: datetime) -> Game:
    """T-06 — the station master gives a late player 48 hours more, and says why.

    Locks the game. Refuses who plays there (`plays_here`), no reason (`reason_missing`) and a turn
    that has not expired (`not_expired`).
    """
    game = locked(pk)
    refuse_player(game, by)
    if not reason.strip():
        raise Refused("reason_missing", _("Say why the turn is opened again."), field="reason")
    if game.clock != Game.Clock.REVIEWING:
        raise Refused("not_expired", _("The time of this turn has not expired."), rule="T-06")
    game.clock, game.due_at = Game.Clock.RUNNING, due_at(now)
    game.save(update_fields=["clock", "due_at"])
    LogEntry.objects.record(by, "reopen_turn", game, now, reason=reason.strip())
    letters.reopened(game, reason.strip(), now)
    return game


@transaction.atomic
def pause(pks: Iterable[int], reason: str, by: User, now: datetime) -> int:
    """T-11 — the clocks of these games stop; returns how many did.

    Locks each game. One at which `by` plays is passed over (S-01). Refuses no reason
    (`reason_missing`).
    """
    if not reason.strip():
        raise Refused("reason_missing", _("Say why the games are paused."), field="reason")
    stopped = 0
    for pk in sorted(pks):
        game = locked(pk)
        if game.clock not in Game.TIMED or game.due_at is None or game.seat_of(by) is not None:
            continue
        game.paused_from, game.paused_remaining = game.clock, game.due_at - now
        game.paused_why = reason.strip()[:200]
        game.clock, game.due_at = Game.Clock.PAUSED, None
        game.save()
        LogEntry.objects.record(by, "pause_game", game, now, reason=game.paused_why)
        letters.paused(game, now)
        stopped += 1
    return stopped


@transaction.atomic
def resume(pks: Iterable[int], by: User, now: datetime) -> int:
    """T-11 — the clocks go on with what remained; returns how many did.

    Locks each game. One at which `by` plays is passed over (S-01).
    """
    resumed = 0
    for pk in sorted(pks):
        game = locked(pk)
        remaining = game.paused_remaining
        if game.clock != Game.Clock.PAUSED or remaining is None or game.seat_of(by) is not None:
            continue
        if game.to_act_id is None:
            continue  # the station master first says who is next
        game.due_at = now + remaining
        game.clock = game.paused_from or Game.Clock.RUNNING
        game.consents.filter(answer="").update(due_at=game.due_at)
        game.paused_remaining, game.paused_from, game.paused_why = None, "", ""
        game.save()
        LogEntry.objects.record(by, "resume_game", game, now)
        letters.resumed(game, now)
        resumed += 1
    return resumed
