"""An event from its draft to its last day: what the calendar says of it, and its status."""

from __future__ import annotations

import hashlib
from collections.abc import Collection, Sequence
from datetime import date, datetime, timedelta
from decimal import Decimal
from typing import Literal, NamedTuple, TypeAlias, TypedDict, Unpack

from django.db import transaction
from django.db.models import Q
from django.utils import timezone
from django.utils.translation import gettext as _

from figf import mail
from figf.errors import Refused
from figf.models import LogEntry, User
from tournaments.models import Entry, Event, Player, Season
from tournaments.rules import calendar, registry
from tournaments.rules.regulation import Illegal
from tournaments.services.entries import fill_places
from tournaments.services.refusals import (
    refuse_closed_season,
    refuse_formed_cup,
    refuse_imported,
    refused,
)

PROPOSED: Literal["proposed"] = "proposed"  # let H-04 choose the event of two years before
Replaced: TypeAlias = Event | Literal["proposed"] | None

OFFICIAL = (Event.Kind.LIVE, Event.Kind.PBEM)  # what counts in the standings (000:105)


class EventChanges(TypedDict, total=False):
    """What `amend_event` may change, by the names of the event's fields."""

    season: Season
    name: str
    kind: str
    regulation: str
    town: str
    region: str
    venue: str
    starts_on: date
    ends_on: date
    organiser: str
    organiser_contact: str
    director: Player | None
    fee: Decimal | None
    capacity: int | None
    enrolment_closes_at: datetime | None
    replaces: Replaced


FIELDS: Sequence[str] = tuple(EventChanges.__annotations__)
# What a closed event was counted with, and what tables already seated were seated for.
COUNTED = ("season", "kind", "regulation", "starts_on", "ends_on", "director", "replaces")
SEATED_FOR = ("kind", "regulation")


class Remark(NamedTuple):
    """Something unusual about an event, allowed all the same, and the article that says so."""

    text: str
    rule: str

    def __str__(self) -> str:
        return f"{self.text} ({self.rule})"


# --- the calendar's line --------------------------------------------------------------------------


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
    region: str = "",
    venue: str = "",
    organiser: str = "",
    organiser_contact: str = "",
    director: Player | None = None,
    fee: Decimal | None = None,
    capacity: int | None = None,
    enrolment_closes_at: datetime | None = None,
    replaces: Replaced = None,
) -> Event:
    """A new event of the season, numbered after the last, as a draft.

    Locks the season: numbers are given, and events of two years before replaced, one at a time.
    `replaces` may be `PROPOSED`: what H-04 proposes, if anything. Refuses a season that is closed
    (`season_closed`, F-08), and what `refuse_senseless` and `refuse_replacing` refuse.
    """
    for locked in lock_seasons(season.pk):
        refuse_closed_season(locked)
    event = Event(ordinal=next_ordinal(season))
    _assign(
        event,
        {
            "season": season,
            "name": name,
            "kind": kind,
            "regulation": regulation_slug,
            "town": town,
            "region": region,
            "venue": venue,
            "starts_on": starts_on,
            "ends_on": ends_on,
            "organiser": organiser,
            "organiser_contact": organiser_contact,
            "director": director,
            "fee": fee,
            "capacity": capacity,
            "enrolment_closes_at": enrolment_closes_at,
            "replaces": replaces,
        },
    )
    refuse_senseless(event, FIELDS)
    refuse_replacing(event)
    event.save()
    LogEntry.objects.record(by, "create_event", event, now)
    return event


@transaction.atomic
def amend_event(
    event: Event,
    by: User,
    now: datetime,
    *,
    seen: str | None = None,
    **changes: Unpack[EventChanges],
) -> Event:
    """Change what the calendar says of an event; the log names the fields that changed.

    Locks the seasons concerned, then the event. `seen` is the `edition_of` that the page showed:
    refuses if somebody changed the event meanwhile (`stale`). Refuses as `create_event`, and what
    counts in the standings once its season is closed, into one too (`season_closed`, F-08), or once
    the event is closed (`event_closed`, A-15), kind and regulation once tables are seated
    (`tables_seated`), season of a cup whose tables are formed (`cup_formed`), a regulation with
    fewer rounds than a prova has (`rounds`, A-04), and season or kind of an event that another
    replaces (`is_replaced`, H-04).
    In another season it takes the number after the last; who waits is called in when there are more
    places. Nothing changed: nothing written.
    """
    locked = {event.season_id, changes.get("season", event.season).pk}
    seasons = lock_seasons(*locked)
    event = (
        Event.objects.select_for_update(of=("self",), no_key=True)
        .select_related("season", "director", "replaces__season")
        .get(pk=event.pk)
    )
    if event.season_id not in locked or (seen is not None and seen != edition_of(event)):
        raise Refused(
            "stale",
            _(
                "Somebody has changed this event meanwhile. What stands now is written below: "
                "send the form again to put yours in its place."
            ),
        )
    before = {name: getattr(event, name) for name in FIELDS}
    if "season" in changes and changes["season"] != event.season:
        event.ordinal = next_ordinal(changes["season"])
    _assign(event, changes)
    changed = [name for name in FIELDS if getattr(event, name) != before[name]]
    if not changed:
        return event
    if set(COUNTED) & set(changed):
        for season in seasons:
            refuse_closed_season(season)
    _refuse_settled(event, changed)
    refuse_senseless(event, changed)
    if {"season", "kind", "regulation", "replaces"} & set(changed):
        refuse_replacing(event)
    event.save()
    LogEntry.objects.record(by, "amend_event", event, now, fields=changed)
    if "capacity" in changed:
        fill_places(event, by, now)
    return event


def edition_of(event: Event) -> str:
    """A mark of what the calendar says of an event: a page that shows another one is stale."""
    columns = {field.name: field.attname for field in Event._meta.concrete_fields}
    values = [str(getattr(event, columns[name])) for name in FIELDS]
    return hashlib.sha256(repr(values).encode()).hexdigest()[:16]


def next_ordinal(season: Season) -> int:
    """The number after the last of the season's events."""
    last = season.events.order_by("-ordinal").values_list("ordinal", flat=True).first()
    return (last or 0) + 1


def remarks(event: Event) -> list[Remark]:
    """What is unusual about an event and not refused, for who runs it to read."""
    found = []
    if event.kind == Event.Kind.PBEM:
        if calendar.pbem_too_early(event.season.year):
            text = _("Before the season of %(year)d the tournament by correspondence was no event.")
            found.append(Remark(text % {"year": calendar.FIRST_PBEM_SEASON}, "A-14"))
        others = event.season.events.filter(kind=Event.Kind.PBEM).exclude(pk=event.pk)
        if others.exclude(status__in=(Event.Status.CANCELLED, Event.Status.INVALID)).exists():
            text = _("The season has another event by correspondence: usually there is one a year.")
            found.append(Remark(text, "A-14"))
    for prova in event.prove.select_related("title"):
        if not prova.title.is_played(event.starts_on):
            text = _("%(title)s is not among the titles played on the first day of the event.")
            found.append(Remark(text % {"title": prova.title.name}, "A-05"))
    if event.misses_referee():
        text = _(
            "No FIGF referee is technical director on the first day: without one the event cannot "
            "be closed and is not valid."
        )
        found.append(Remark(text, "A-09"))
    return found


def planned_events(*seasons: Season) -> dict[int, int]:
    """N, how many official events are planned for each of the seasons (A-03), by their keys."""
    events = Event.objects.filter(
        season__in=seasons, kind__in=OFFICIAL, regulation__in=registry.ranked()
    )
    found: dict[int, list[str]] = {season.pk: [] for season in seasons}
    for season_pk, status in events.values_list("season_id", "status"):
        found[season_pk].append(status)
    return {season_pk: calendar.planned(statuses) for season_pk, statuses in found.items()}


def _assign(event: Event, changes: EventChanges) -> None:
    """Put the changes on the event, words tidied and the proposal of H-04 found; saves nothing."""
    for name, value in changes.items():
        if name != "replaces":
            setattr(event, name, " ".join(value.split()) if isinstance(value, str) else value)
    if "replaces" in changes:
        wanted = changes["replaces"]
        if wanted == PROPOSED:
            wanted = None
            if event.rules.ranked:
                wanted = proposal(event.season, event.kind, event.town, event.name, event)
        event.replaces = wanted


def lock_seasons(*keys: int) -> list[Season]:
    """The seasons, locked in the order of their keys and before any event: no ring of waiting."""
    found = Season.objects.select_for_update(no_key=True).filter(pk__in=keys)
    return list(found.order_by("pk"))


def refuse_senseless(event: Event, changed: Collection[str]) -> None:
    """Of what `changed`, refuse what no event may be.

    No name (`name_missing`), dates in the wrong order, outside the season or years away from it
    (`dates_reversed`, `outside_season`, `dates_too_far`, A-01), a technical director who is not a
    FIGF referee on the first day, where the regulation asks for one (`director_not_referee`, A-08),
    fewer places than a table has (`places`), enrolment closed after the last day
    (`closes_after_end`) or more than a year before the first (`closes_too_early`), a negative fee
    (`fee_negative`), an event of that name and day that is there already (`event_exists`).
    """
    touched = set(changed)
    if not event.name:
        raise Refused("name_missing", _("Write the name."), field="name")
    if touched & {"season", "kind", "starts_on", "ends_on"}:
        refuse_dates(event)
    if touched & {"director", "starts_on", "regulation"} and event.director is not None:
        try:
            calendar.check_director(not event.misses_referee())
        except Illegal as illegal:
            raise refused(illegal) from None
    if event.fee is not None and event.fee < 0:
        raise Refused("fee_negative", _("The fee cannot be negative."), field="fee")
    fewest = event.rules.fewest_seats
    if event.capacity is not None and event.capacity < fewest:
        raise Refused(
            "places",
            _("At least %(n)d places: a table has so many players or more.") % {"n": fewest},
            rule="B-07",
            field="capacity",
        )
    if event.enrolment_closes_at and touched & {"enrolment_closes_at", "starts_on", "ends_on"}:
        _refuse_closing(event, event.enrolment_closes_at)
    if touched & {"season", "name", "starts_on"}:
        twins = event.season.events.filter(name__iexact=event.name, starts_on=event.starts_on)
        if twins.exclude(pk=event.pk).exists():
            raise Refused(
                "event_exists",
                _("The season has an event of this name on that day already."),
                field="name",
            )


def refuse_dates(event: Event) -> None:
    """Of what `refuse_senseless` refuses, what A-01 says of the days."""
    year = event.season.year
    by_correspondence = event.kind == Event.Kind.PBEM
    try:
        calendar.check_dates(
            event.starts_on, event.ends_on, year, by_correspondence=by_correspondence
        )
    except Illegal as illegal:
        raise refused(illegal) from None
    for field, day in (("starts_on", event.starts_on), ("ends_on", event.ends_on)):
        if abs(day.year - year) > 1:
            raise Refused(
                "dates_too_far",
                _("This day is years away from the season: check its year."),
                rule="A-01",
                field=field,
            )


def _refuse_rounds(event: Event) -> None:
    most = event.rules.most_rounds
    try:
        for rounds in event.prove.values_list("rounds", flat=True):
            calendar.check_rounds(rounds, most)
    except Illegal as illegal:
        refusal = refused(illegal)
        refusal.field = "regulation"
        raise refusal from None


def _refuse_closing(event: Event, closes_at: datetime) -> None:
    day = timezone.localdate(closes_at)
    if day > event.ends_on:
        raise Refused(
            "closes_after_end",
            _("Enrolment cannot close after the last day of the event."),
            rule="A-10",
            field="enrolment_closes_at",
        )
    if day < event.starts_on - timedelta(days=366):
        raise Refused(
            "closes_too_early",
            _("Enrolment would close more than a year before the event: check the year."),
            rule="A-10",
            field="enrolment_closes_at",
        )


def _refuse_settled(event: Event, changed: Sequence[str]) -> None:
    """What may no longer change: what was counted, seated for, replaced, or has its prove."""
    counted = next((name for name in COUNTED if name in changed), "")
    if event.status == Event.Status.CLOSED and counted:
        raise Refused(
            "event_closed",
            _("The event is closed: what its standings were counted with no longer changes."),
            rule="A-15",
            field=counted,
        )
    for name in SEATED_FOR:
        if name in changed and event.prove.filter(play_rounds__isnull=False).exists():
            raise Refused(
                "tables_seated",
                _("Tables are seated already: discard them first, or leave this as it is."),
                rule="A-15",
                field=name,
            )
    if "season" in changed:
        refuse_formed_cup(event)
    if "regulation" in changed:
        _refuse_rounds(event)
    linking = ("season", "kind") if event.rules.ranked else ("season", "kind", "regulation")
    moved = next((name for name in linking if name in changed), "")
    if moved:
        heir = Event.objects.filter(replaces=event).first()
        if heir is not None:
            raise Refused(
                "is_replaced",
                _("%(event)s replaces this event in the ranking: unlink it there first.")
                % {"event": heir},
                rule="H-04",
                field=moved,
            )


# --- the event of two years before ----------------------------------------------------------------


def candidates(season: Season, kind: str, event: Event | None = None) -> list[Event]:
    """The events that one of this kind may replace (H-04), taken ones apart; none for cups.

    They are official, of two years before, and were to be held (A-03). `event` is the one that asks
    if it exists already: what it replaces itself is not taken.
    """
    if kind not in OFFICIAL:
        return []
    free = Q(replaced_by=None)
    if event is not None and event.pk is not None:
        free |= Q(replaced_by=event.pk)
    official = Event.objects.filter(kind__in=OFFICIAL, regulation__in=registry.ranked())
    held = official.filter(free, season__year=season.year - 2).exclude(
        status__in=calendar.UNPLANNED
    )
    return list(held.select_related("season").order_by("ordinal"))


def proposal(
    season: Season,
    kind: str,
    town: str,
    name: str,
    event: Event | None = None,
) -> Event | None:
    """The event of two years before that H-04 proposes: of the same kind, or none."""
    free = {old.pk: old for old in candidates(season, kind, event) if old.kind == kind}
    same_season = event is not None and event.season_id == season.pk
    key = calendar.corresponding(
        town,
        event.ordinal if event is not None and same_season else next_ordinal(season),
        name,
        [calendar.Candidate(old.pk, old.town, old.ordinal, old.name) for old in free.values()],
    )
    return free[int(key)] if key is not None else None


def refuse_replacing(event: Event) -> None:
    """Refuse a link that H-04 does not admit.

    From or to an event that does not count in the standings (`not_official`), to one that is not of
    two years before (`not_two_years_before`) or that another has replaced (`already_replaced`).
    """
    old = event.replaces
    if old is None:
        return
    if not (_is_official(event) and _is_official(old)):
        raise Refused(
            "not_official",
            _("Only events of the ranking replace one another: no cup, no friendly event."),
            rule="H-04",
            field="replaces",
        )
    if old.season.year != event.season.year - 2:
        raise Refused(
            "not_two_years_before",
            _("%(event)s is not an event of two seasons before.") % {"event": old},
            rule="H-04",
            field="replaces",
        )
    other = Event.objects.filter(replaces=old).exclude(pk=event.pk).first()
    if other is not None:
        raise Refused(
            "already_replaced",
            _("%(old)s is replaced by %(event)s already: choose another, or none.")
            % {"old": old, "event": other},
            rule="H-04",
            field="replaces",
        )


def _is_official(event: Event) -> bool:
    return event.kind in OFFICIAL and event.rules.ranked


# --- status ---------------------------------------------------------------------------------------


@transaction.atomic
def set_status(event: Event, status: str, by: User, now: datetime, *, reason: str = "") -> Event:
    """Move an event along its line (A-15), or off it; `reason` becomes its `status_note`.

    Locks the season, then the event. Refuses an event of a season that is closed (`season_closed`,
    F-08) or of the history (`imported`, H-09), steps that the line does not have (`status_step`),
    to open enrolment without prove (`no_prove`, A-06), to hide as a draft an event that somebody is
    enrolled in (`somebody_enrolled`) and to cancel without a reason (`reason_missing`). Who is
    enrolled or waiting is told of a cancellation by mail.
    """
    lock_seasons(event.season_id)
    event = (
        Event.objects.select_for_update(of=("self",), no_key=True)
        .select_related("season")
        .get(pk=event.pk)
    )
    before, reason = event.status, " ".join(reason.split())
    if event.is_official():
        refuse_closed_season(event.season)
    refuse_imported(event)
    try:
        calendar.check_step(before, status)
        if status == Event.Status.ENROLLING:
            calendar.check_prove(event.prove.count())
    except Illegal as illegal:
        raise refused(illegal) from None
    if status == Event.Status.CANCELLED and not reason:
        raise Refused(
            "reason_missing",
            _("Say why the event is cancelled: those enrolled will read it."),
            rule="A-15",
            field="reason",
        )
    back = (before, status) == (Event.Status.ENROLLING, Event.Status.DRAFT)
    if back and event.entries.exclude(status=Entry.Status.WITHDRAWN).exists():
        raise Refused(
            "somebody_enrolled",
            _("Somebody is enrolled: cancel the event instead, and they will be told."),
            rule="A-15",
            field="status",
        )
    event.status, event.status_note = status, reason
    event.save(update_fields=["status", "status_note"])
    said = {"reason": reason} if reason else {}
    entry = LogEntry.objects.record(
        by, "set_status", event, now, before=before, after=status, **said
    )
    if status == Event.Status.CANCELLED:
        _announce_cancelled(event, entry, now)
    return event


def _announce_cancelled(event: Event, entry: LogEntry, now: datetime) -> None:
    """Tell who is enrolled or waiting, and the director, but not who cancelled it himself."""
    entries = event.entries.exclude(status=Entry.Status.WITHDRAWN).select_related("player__user")
    people = [each.player for each in entries.order_by("pk")]
    if event.director is not None and event.director not in people:
        people.append(event.director)
    for player in people:
        if player.user is not None and player.user != entry.actor:
            mail.enqueue(
                f"cancelled:{event.pk}:{entry.pk}:{player.pk}",
                player.user,
                "event_cancelled",
                now,
                event=event,
            )


# --- what the organiser owes ----------------------------------------------------------------------


def contribution_of(event: Event) -> Decimal:
    """What the organiser owes FIGF: so much for each person enrolled (A-12).

    Refuses a cup, which has no organiser (`cup_owes_nothing`), and while the season's amount is not
    fixed (`no_contribution`).
    """
    if event.kind == Event.Kind.CUP:
        raise Refused("cup_owes_nothing", _("No contribution is owed for a cup."), rule="A-12")
    try:
        return calendar.contribution(event.entries.enrolled().count(), event.season.contribution)
    except Illegal as illegal:
        raise refused(illegal) from None


@transaction.atomic
def set_contribution(event: Event, state: str, by: User, now: datetime) -> Event:
    """A secretary writes whether the contribution is due, paid or exempt.

    Locks the event. Refuses other states (`contribution_state`), as paid what nobody has fixed
    (`no_contribution`, A-12), and of a cup any state (`cup_owes_nothing`, A-12). The same state
    again writes nothing.
    """
    event = (
        Event.objects.select_for_update(of=("self",), no_key=True)
        .select_related("season")
        .get(pk=event.pk)
    )
    if state not in Event.Contribution.values:
        raise Refused(
            "contribution_state",
            _("Choose whether it is due, paid or exempt."),
            rule="A-12",
            field="state",
        )
    if state == Event.Contribution.PAID or event.kind == Event.Kind.CUP:
        contribution_of(event)
    before = event.contribution_state
    if state != before:
        event.contribution_state = state
        event.save(update_fields=["contribution_state"])
        LogEntry.objects.record(by, "set_contribution", event, now, before=before, after=state)
    return event
