"""The mails of games by correspondence: every move at once, reminders, what stops the clocks."""

from __future__ import annotations

from collections.abc import Iterator
from datetime import datetime, timedelta
from typing import Any

from django.utils import translation

from figf import mail
from figf.models import User
from pbem.engine import Game as Engine
from pbem.models import Consent, Game, Move, Preference
from pbem.rules.turns import Execution
from pbem.services.told import names_of_game, told
from tournaments.models import Seat


def people(game: Game) -> Iterator[tuple[User, Seat | None]]:
    """The log-ins of a table: who holds its seats, then the station master without one."""
    seen: set[int] = set()
    for seat in game.table.seats.all():
        player = seat.holder().player
        if player is not None and player.user is not None:
            seen.add(player.user.pk)
            yield player.user, seat
    master = game.station_master
    if master is not None and master.pk not in seen:
        yield master, None


def _preferences(game: Game) -> dict[int, Preference]:
    users = [user.pk for user, _seat in people(game)]
    return {one.user_id: one for one in Preference.objects.filter(user__in=users)}


def announce(
    game: Game,
    move: Move,
    before: Engine,
    done: Execution,
    now: datetime,
    consent: Consent | None = None,
) -> None:
    """S-12 — every move goes at once to the station master and to the whole table, executed or not.

    A player may ask to be written to only when it is his turn; the station master may not.
    """
    wishes = _preferences(game)
    asked = list(game.consents.filter(answer="").select_related("seat"))
    key = f"move:{game.pk}:{move.number}:{game.seq}" + (f":{consent.pk}" if consent else "")
    for user, seat in people(game):
        wish = wishes.get(user.pk)
        turn = seat is not None and game.to_act_id == seat.pk
        mine = [one for one in asked if seat is not None and one.seat_id == seat.pk]
        only_turns = seat is not None and wish and wish.moves == Preference.Moves.TURN
        if only_turns and not turn and not mine:
            continue
        _send(
            f"{key}:{user.pk}",
            user,
            "pbem_move",
            game,
            now,
            move=move,
            consent=consent,
            mine=mine,
            turn=turn,
            before=before,
            done=done,
        )


def _send(key: str, user: User, template: str, game: Game, now: datetime, **more: Any) -> None:
    """One mail, its words in the language of who reads it."""
    before, done = more.pop("before", None), more.pop("done", None)
    with translation.override(user.language):
        names = names_of_game(game)
        lines = [] if done is None else told(before, done.outcomes, done.actions, names)
        to_act = "" if game.to_act is None else names[str(game.to_act.position)]
        mail.enqueue(
            key,
            user,
            template,
            now,
            game=game,
            table=game.table,
            lines=lines,
            to_act=to_act,
            **more,
        )


def _to_all(game: Game, occasion: str, template: str, now: datetime, **more: Any) -> None:
    for user, seat in people(game):
        turn = seat is not None and game.to_act_id == seat.pk
        _send(f"{occasion}:{user.pk}", user, template, game, now, turn=turn, **more)


def expired(game: Game, now: datetime) -> None:
    """T-05 — the time of a turn has passed."""
    stamp = f"{game.due_at:%Y%m%d%H%M}"
    _to_all(game, f"expired:{game.pk}:{game.seq}:{stamp}", "pbem_expired", now)


def reopened(game: Game, reason: str, now: datetime) -> None:
    """T-06 — a turn whose time had passed is opened again."""
    stamp = f"{game.due_at:%Y%m%d%H%M}"
    _to_all(game, f"reopened:{game.pk}:{game.seq}:{stamp}", "pbem_reopened", now, reason=reason)


def paused(game: Game, now: datetime) -> None:
    """T-11 — the clock stops."""
    _to_all(game, f"paused:{game.pk}:{now:%Y%m%d%H%M%S}", "pbem_paused", now)


def resumed(game: Game, now: datetime) -> None:
    """T-11 — the clock goes on."""
    _to_all(game, f"resumed:{game.pk}:{now:%Y%m%d%H%M%S}", "pbem_resumed", now)


def remind(game: Game, before: timedelta, now: datetime) -> None:
    """T-11 — so many hours are left to who is to move, or to answer; once each."""
    seat = game.to_act
    player = seat.holder().player if seat is not None else None
    if player is None or player.user is None:
        return
    wish = Preference.objects.filter(user=player.user).first()
    if wish is not None and not wish.reminders:
        return
    hours = int(before.total_seconds() // 3600)
    _send(
        f"reminder:{game.pk}:{game.seq}:{game.due_at:%Y%m%d%H%M}:{hours}",
        player.user,
        "pbem_reminder",
        game,
        now,
        hours=hours,
    )
