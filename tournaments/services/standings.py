"""How an event stands, from its confirmed results alone; closed, validated, and opened again."""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass
from datetime import datetime
from decimal import Decimal

from django.db import transaction
from django.utils import timezone
from django.utils.formats import date_format
from django.utils.translation import gettext as _

from figf.errors import Refused
from figf.models import LogEntry, User
from tournaments.models import (
    Event,
    EventPlace,
    Player,
    Removal,
    Result,
    ResultLine,
    Round,
    Table,
)
from tournaments.rules import calendar
from tournaments.rules.regulation import Credit, Illegal, Placing, PlayerId, Step
from tournaments.rules.standing import Cancelled, cancel
from tournaments.services.events import OFFICIAL, lock_seasons
from tournaments.services.refusals import refuse_closed_season, refuse_imported, refused

# --- what the tables credit -----------------------------------------------------------------------


@dataclass(frozen=True, slots=True)
class Standing:
    """A standing with what a page needs beside it.

    `rows` share places where nothing separates them, and are alphabetical within one. `points` are
    the event points by player, of the whole event only, if it `is_awarded` any, and `points_why`
    what explains those of a place; `wins` are the games won. `missing` are the tables that have not
    reported: until there are none, and none left to seat, it is provisional (D-04).
    """

    rows: tuple[Placing, ...]
    points: Mapping[PlayerId, int]
    points_why: Mapping[int, tuple[Step, ...]]
    wins: Mapping[PlayerId, int]
    players: Mapping[int, Player]
    missing: tuple[Table, ...]
    unseated: tuple[tuple[str, int], ...]  # title and number of the rounds without tables

    @property
    def provisional(self) -> bool:
        return bool(self.missing or self.unseated)


def credits_of(event: Event) -> list[Credit]:
    """What each table with a confirmed result credits to each player, cancellations applied (D-08).

    The single source of every standing. A table declared void credits nothing.
    """
    return credits_of_events([event])[event.pk]


def credits_of_events(events: Iterable[Event]) -> dict[int, list[Credit]]:
    """The credits of several events, by event, in as many queries as those of one.

    Who was struck off after a season was closed keeps the credits of its events: their standings
    stay as they are, and his name is not shown (O-16).
    """
    keys = [event.pk for event in events]
    found: dict[int, list[Credit]] = {pk: [] for pk in keys}
    prova = "result__table__round__prova"
    lines = (
        ResultLine.objects.filter(
            **{f"{prova}__event__in": keys},
            result__state=Result.State.CONFIRMED,
            player__isnull=False,
        )
        .exclude(result__table__status=Table.Status.VOID)
        .order_by("pk")
        .values_list(
            f"{prova}__event_id",
            "player_id",
            f"{prova}__order",
            "result__table__round__number",
            "points",
            "win",
            "result__table__number",
        )
    )
    for event_pk, player, order, number, points, win, table in lines:
        worth = None if points is None else Decimal(points).scaleb(-2)
        found[event_pk].append(Credit(player, order, number, worth, win, table))
    gone = _removed_from(keys)
    return {pk: list(cancel(credited, gone[pk])) for pk, credited in found.items()}


def _removed_from(keys: Sequence[int]) -> dict[int, list[Cancelled]]:
    """Who is out of which of these events, or of which prova of it by its number."""
    gone: dict[int, list[Cancelled]] = {pk: [] for pk in keys}
    removals = Removal.objects.filter(lifted_at=None)
    for pk, player in removals.filter(event__in=keys).values_list("event_id", "player_id"):
        gone[pk].append((player, None))
    of_prove = removals.filter(prova__event__in=keys)
    for pk, order, player in of_prove.values_list("prova__event_id", "prova__order", "player_id"):
        gone[pk].append((player, order))
    struck = list(removals.filter(level=Removal.Level.ALL).values_list("player_id", "made_at"))
    if struck:
        closes = dict(Event.objects.filter(pk__in=keys).values_list("pk", "season__closed_at"))
        for pk, closed_at in closes.items():
            gone[pk] += [(p, None) for p, at in struck if closed_at is None or at < closed_at]
    return gone


def is_awarded(event: Event) -> bool:
    """Whether its places are worth event points: not those of cups and friendly events (E-05).

    Nor where the regulation knows no such thing.
    """
    return event.rules.award is not None and event.kind in OFFICIAL


def standing_of(
    event: Event,
    ranking: Mapping[int, int],
    *,
    prova: int | None = None,
    number: int | None = None,
) -> Standing:
    """The standing of the event, of one `prova` of it by its order, or of one round (D-01..D-03).

    `ranking` is that of before the event, which separates equals (G-03). Writes nothing.
    """
    rules = event.rules
    credited = [
        credit
        for credit in credits_of(event)
        if prova in (None, credit.prova) and number in (None, credit.round)
    ]
    before: dict[PlayerId, int] = dict(ranking.items())
    rows = rules.standings(credited, before, rules.readings)
    rounds = list(event.prove.order_by("order").values_list("rounds", flat=True))
    points: Mapping[PlayerId, int] = {}
    points_why: Mapping[int, tuple[Step, ...]] = {}
    whole = prova is None and number is None
    if rules.award is not None and is_awarded(event) and whole and rounds:
        points = rules.award(rows, rounds, rules.readings)
        if rules.award_why is not None:
            points_why = {
                place: rules.award_why(place, rounds, rules.readings)
                for place in {row.place for row in rows}
            }
    wins: dict[PlayerId, int] = {}
    for credit in credited:
        wins[credit.player] = wins.get(credit.player, 0) + credit.win
    people = Player.objects.in_bulk([int(row.key) for row in rows])
    in_order = sorted(rows, key=lambda row: (row.place, people[int(row.key)].sort_key, row.key))
    missing, unseated = _not_reported(event, prova, number)
    return Standing(tuple(in_order), points, points_why, wins, people, missing, unseated)


def _not_reported(
    event: Event, prova: int | None, number: int | None
) -> tuple[tuple[Table, ...], tuple[tuple[str, int], ...]]:
    waiting = Table.objects.filter(
        round__prova__event=event,
        round__status=Round.Status.PUBLISHED,
        status=Table.Status.PLAYING,
    )
    published = {
        (seated.prova_id, seated.number)
        for seated in Round.objects.filter(prova__event=event, status=Round.Status.PUBLISHED)
    }
    unseated = []
    for each in event.prove.select_related("title").order_by("order"):
        for n in each.numbers():
            wanted = prova in (None, each.order) and number in (None, n)
            if wanted and (each.pk, n) not in published:
                unseated.append((str(each.title), n))
    if prova is not None:
        waiting = waiting.filter(round__prova__order=prova)
    if number is not None:
        waiting = waiting.filter(round__number=number)
    told = waiting.select_related("round__prova__title").order_by("round", "number")
    return tuple(told), tuple(unseated)


# --- closing --------------------------------------------------------------------------------------


@transaction.atomic
def close_event(event: Event, by: User, now: datetime) -> Event:
    """Close and validate an event (*omologa*): from now on it counts in every standing (D-11).

    Its standing stays what its results make of it; the close of its season writes it down. Closed
    before its last day, it has ended today: from its end it counts in the ranking (H-08).

    Locks season and event. Refuses an event closed already (`already_closed`, D-11) or not under
    way (`status_step`, A-15), a live one whose first day is to come (`not_begun`, A-01), a table
    without a result or a round without tables (`results_missing`, D-11), a technical director who
    was not a FIGF referee on the first day, where the regulation asks for one (`director_missing`,
    A-09), and an event that nobody played (`nobody_played`, D-11).
    """
    event = _locked(event)
    if event.status == Event.Status.CLOSED:
        raise Refused(
            "already_closed",
            _("The event is closed and validated already: nothing is left to do."),
            rule="D-11",
        )
    try:
        if event.status == Event.Status.RUNNING:  # complete from now on, and closed at once
            calendar.check_step(event.status, Event.Status.CONCLUDED)
        else:
            calendar.check_step(event.status, Event.Status.CLOSED)
    except Illegal as illegal:
        raise refused(illegal) from None
    _refuse_incomplete(standing_of(event, {}))
    if event.kind == Event.Kind.LIVE and timezone.localdate(now) < event.starts_on:
        raise Refused(
            "not_begun",
            _("The event begins on %(day)s: if it was played already, put its days right first.")
            % {"day": date_format(event.starts_on)},
            rule="A-01",
        )
    if event.misses_referee():
        raise Refused(
            "director_missing",
            _("The event is not valid: no FIGF referee is its technical director."),
            rule="A-09",
        )
    before, event.status = event.status, Event.Status.CLOSED
    event.ends_on = min(event.ends_on, max(event.starts_on, timezone.localdate(now)))
    event.save(update_fields=["status", "ends_on"])
    LogEntry.objects.record(
        by, "close_event", event, now, before=before, ended=event.ends_on.isoformat()
    )
    return event


def _refuse_incomplete(final: Standing) -> None:
    if final.missing:
        tables = ", ".join(table.called() for table in final.missing)
        raise Refused(
            "results_missing",
            _("Results are missing: %(tables)s.") % {"tables": tables},
            rule="D-11",
        )
    if final.unseated:
        rounds = ", ".join(f"{title}/{number}" for title, number in final.unseated)
        raise Refused(
            "results_missing",
            _("Rounds without tables: %(rounds)s. Play them, or take them out of the prove.")
            % {"rounds": rounds},
            rule="D-11",
        )
    if not final.rows:
        raise Refused("nobody_played", _("Nobody has a result at this event."), rule="D-11")


@transaction.atomic
def reopen_event(event: Event, reason: str, by: User, now: datetime) -> Event:
    """Open a closed event again, to correct a result: its places and points are no longer official.

    Locks season and event. Refuses an event that is not closed (`not_closed`, A-15), one of a
    closed season (`season_closed`, F-08) or of the history (`imported`, H-09), and no reason
    (`reason_missing`).
    """
    event = _locked(event)
    if event.status != Event.Status.CLOSED:
        raise Refused(
            "not_closed",
            _("The event is open already: its results can be corrected."),
            rule="A-15",
        )
    if event.is_official():
        refuse_closed_season(event.season)
    refuse_imported(event)
    if not reason.strip():
        raise Refused(
            "reason_missing", _("Say why the event is opened again."), rule="D-11", field="reason"
        )
    event.status = Event.Status.CONCLUDED
    event.save(update_fields=["status"])
    LogEntry.objects.record(by, "reopen_event", event, now, reason=reason.strip())
    return event


def _locked(event: Event) -> Event:
    """The event under the locks of its season, of itself and of its tables, in this order."""
    lock_seasons(event.season_id)
    Event.objects.select_for_update(of=("self",), no_key=True).get(pk=event.pk)
    tables = Table.objects.filter(round__prova__event=event).order_by("pk")
    list(tables.select_for_update(of=("self",), no_key=True).values_list("pk"))
    return Event.objects.select_related("season", "director").get(pk=event.pk)


# --- what a closed season keeps -------------------------------------------------------------------


def keep_places(event: Event, ranking: Mapping[int, int]) -> None:
    """Write down how a closed event stands (D-01, D-05). For the closing of its season.

    An event of the history has its places already.
    """
    if not event.imported:
        EventPlace.objects.bulk_create(places_of(event, standing_of(event, ranking)))


def places_of(event: Event, final: Standing) -> list[EventPlace]:
    """The rows that `keep_places` writes, not yet written: what is stored must be equal to them."""
    return [
        EventPlace(
            event=event,
            player_id=int(row.key),
            place=row.place,
            total=_hundredths(row.total),
            best=_hundredths(row.best),
            points=final.points.get(row.key, 0),
            wins=final.wins.get(row.key, 0),
        )
        for row in final.rows
    ]


def _hundredths(value: Decimal) -> int:
    return int(value * 100)


def differences(event: Event, ranking: Mapping[int, int]) -> list[str]:
    """How the places stored of a closed event differ from those computed now; none is right."""
    fields = ("place", "total", "best", "points", "wins")

    def told(rows: Sequence[EventPlace]) -> dict[int, tuple[int, ...]]:
        return {row.player_id: tuple(getattr(row, f) for f in fields) for row in rows}

    stored = told(list(event.places.all()))
    computed = told(places_of(event, standing_of(event, ranking)))
    return [
        f"{event.pk} {event}, player {pk}: stored {stored.get(pk)}, computed {computed.get(pk)}"
        for pk in sorted(stored.keys() | computed.keys())
        if stored.get(pk) != computed.get(pk)
    ]
