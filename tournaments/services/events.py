"""An event from its draft to its last day: dates, director, prove, status."""

from __future__ import annotations

from datetime import date, datetime
from decimal import Decimal

from django.db import transaction
from django.utils.translation import gettext as _

from figf.errors import Refused
from figf.models import LogEntry, User
from tournaments.models import Event, Player, Prova, Season, Title
from tournaments.rules import registry


@transaction.atomic
def create_event(
    season: Season,
    name: str,
    starts_on: date,
    ends_on: date,
    by: User,
    now: datetime,
    *,
    kind: str = Event.Kind.LIVE,
    regulation_slug: str = registry.DEFAULT,
    town: str = "",
    venue: str = "",
    organiser: str = "",
    director: Player | None = None,
    fee: Decimal | None = None,
) -> Event:
    """A new event of the season, numbered after the last, as a draft.

    Refuses dates in the wrong order (`dates_reversed`, A-01), a live event that begins outside the
    season's year (`outside_season`, A-01) and a technical director who is not a FIGF referee on its
    first day (`director_not_referee`, A-08).
    """
    Season.objects.select_for_update(no_key=True).get(pk=season.pk)
    if ends_on < starts_on:
        raise Refused(
            "dates_reversed",
            _("The last day comes before the first."),
            rule="A-01",
            field="ends_on",
        )
    if kind != Event.Kind.PBEM and starts_on.year != season.year:
        raise Refused(
            "outside_season",
            _("The event does not begin in the season's year."),
            rule="A-01",
            field="starts_on",
        )
    if director is not None and not director.is_referee(starts_on):
        raise Refused(
            "director_not_referee",
            _("The technical director must be a FIGF referee on that day."),
            rule="A-08",
            field="director",
        )
    last = season.events.order_by("-ordinal").values_list("ordinal", flat=True).first() or 0
    event = Event.objects.create(
        season=season,
        ordinal=last + 1,
        name=name,
        kind=kind,
        regulation=regulation_slug,
        town=town,
        venue=venue,
        starts_on=starts_on,
        ends_on=ends_on,
        organiser=organiser,
        director=director,
        fee=fee,
    )
    LogEntry.objects.record(by, "create_event", event, now)
    return event


@transaction.atomic
def set_status(event: Event, status: str, by: User, now: datetime) -> Event:
    """Move an event along its line (A-15): draft, enrolling, running, concluded, closed."""
    event = Event.objects.select_for_update(of=("self",), no_key=True).get(pk=event.pk)
    before, event.status = event.status, status
    event.save(update_fields=["status"])
    LogEntry.objects.record(by, "set_status", event, now, before=before, after=status)
    return event


@transaction.atomic
def add_prova(event: Event, title: Title, by: User, now: datetime, *, rounds: int = 1) -> Prova:
    """One more title at the event, in one or two rounds.

    Refuses other numbers of rounds (`rounds`, A-04).
    """
    Event.objects.select_for_update(of=("self",), no_key=True).get(pk=event.pk)
    if rounds not in (1, 2):
        raise Refused(
            "rounds",
            _("A prova is played in a single or a double round."),
            rule="A-04",
            field="rounds",
        )
    prova = Prova.objects.create(
        event=event, title=title, order=event.prove.count() + 1, rounds=rounds
    )
    LogEntry.objects.record(by, "add_prova", event, now, prova=prova.pk)
    return prova
