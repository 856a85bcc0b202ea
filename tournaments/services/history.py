"""The federation's past: events played before it kept its books here (H-09).

An event of the history has places, points and games won, and no tables. What is wrong in it is put
right by removing it and importing it again.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from datetime import date, datetime

from django.db import transaction
from django.db.models import ProtectedError
from django.utils import timezone
from django.utils.translation import gettext as _

from figf.errors import Refused
from figf.models import LogEntry, User
from tournaments.models import Event, EventPlace, Player, Season
from tournaments.rules import registry
from tournaments.services.events import (
    FIELDS,
    lock_seasons,
    next_ordinal,
    refuse_replacing,
    refuse_senseless,
)
from tournaments.services.refusals import refuse_closed_season
from tournaments.services.registry import one_line


@dataclass(frozen=True, slots=True)
class PastPlace:
    """What a player has of a past event; `place` from 1, `points` and `wins` from 0."""

    player: Player
    place: int
    points: int = 0
    wins: int = 0


@transaction.atomic
def record_past_event(
    season: Season,
    name: str,
    starts_on: date,
    ends_on: date,
    rows: Sequence[PastPlace],
    by: User,
    now: datetime,
    *,
    ordinal: int | None = None,
    kind: str = Event.Kind.LIVE,
    town: str = "",
    replaces: Event | None = None,
) -> Event:
    """Write down an event of the history, closed, with its places, points and games won (H-09).

    Locks the season. Refuses a season that is closed (`season_closed`, F-08), an event that is not
    over (`future_date`), a number that another event of the season has (`ordinal_taken`, A-01),
    nobody (`nobody_played`), a player twice (`player_twice`), places below one or points and games
    won below nothing (`bad_place`), and what `create_event` refuses of dates, names and links.
    """
    [season] = lock_seasons(season.pk)
    refuse_closed_season(season)
    if ordinal is None:
        ordinal = next_ordinal(season)
    elif season.events.filter(ordinal=ordinal).exists():
        raise Refused(
            "ordinal_taken",
            _("Another event of the season has number %(n)d.") % {"n": ordinal},
            rule="A-01",
        )
    event = Event(
        season=season,
        ordinal=ordinal,
        name=one_line(name),
        kind=kind,
        regulation=registry.DEFAULT,
        status=Event.Status.CLOSED,
        imported=True,
        town=one_line(town),
        starts_on=starts_on,
        ends_on=ends_on,
        replaces=replaces,
    )
    refuse_senseless(event, FIELDS)
    refuse_replacing(event)
    if ends_on > timezone.localdate(now):
        raise Refused("future_date", _("This day is still to come."), rule="H-09", field="ends_on")
    _refuse_rows(rows)
    event.save()
    EventPlace.objects.bulk_create(
        EventPlace(event=event, player=r.player, place=r.place, points=r.points, wins=r.wins)
        for r in rows
    )
    LogEntry.objects.record(by, "record_past_event", event, now, players=len(rows))
    return event


def _refuse_rows(rows: Sequence[PastPlace]) -> None:
    if not rows:
        raise Refused("nobody_played", _("Nobody has a result at this event."), rule="D-11")
    if len({row.player.pk for row in rows}) < len(rows):
        raise Refused("player_twice", _("A player has two places in the event."), rule="H-09")
    if any(row.place < 1 or row.points < 0 or row.wins < 0 for row in rows):
        raise Refused(
            "bad_place",
            _("Places go from 1 up, points and games won from 0 up."),
            rule="D-05",
        )


@transaction.atomic
def remove_past_event(event: Event, reason: str, by: User, now: datetime) -> None:
    """Take an event of the history out of the books, to import it again or to do without (H-09).

    Its season and its players stay, and the season's log says what it was. Locks the season and the
    event. Refuses an event that was not imported (`not_imported`), one of a season that is closed
    (`season_closed`, F-08), that another replaces (`is_replaced`, H-04) or that something else
    refers to (`in_use`), and no reason (`reason_missing`).
    """
    [season] = lock_seasons(event.season_id)
    event = Event.objects.select_for_update(of=("self",), no_key=True).get(pk=event.pk)
    if not event.imported:
        raise Refused(
            "not_imported",
            _("This event was not imported: cancel it instead."),
            rule="H-09",
        )
    refuse_closed_season(season)
    heir = Event.objects.filter(replaces=event).first()
    if heir is not None:
        raise Refused(
            "is_replaced",
            _("%(event)s replaces this event in the ranking: unlink it there first.")
            % {"event": heir},
            rule="H-04",
        )
    reason = one_line(reason)
    if not reason:
        raise Refused(
            "reason_missing", _("Say why the event is removed."), rule="H-09", field="reason"
        )
    said = {"event": event.name, "number": event.ordinal, "players": event.places.count()}
    try:
        event.delete()
    except ProtectedError:
        raise Refused(
            "in_use",
            _("Something else on the books refers to this event: it stays."),
            rule="H-09",
        ) from None
    LogEntry.objects.record(by, "remove_past_event", season, now, **said, reason=reason)
