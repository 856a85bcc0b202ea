"""What every standing of a season is made of: the official events, and who did what in each.

Read once, in a number of queries that depends on nothing. Of closed seasons and of the history what
was written down is taken (`EventPlace`); the events of the others are computed from their confirmed
results, in the one order of events, each by the ranking of before it. So nothing is ever stale: a
standing is a function of the results, whatever the order in which they came (H-08).
"""

from __future__ import annotations

from collections.abc import Collection, Mapping, Sequence
from dataclasses import dataclass, field
from datetime import date, timedelta

from django.utils import timezone

from rankings.rules import two_years
from rankings.rules.two_years import Edition, EventId, Held, Moment, Outcome, Outcomes
from tournaments.models import Event, EventPlace, Season
from tournaments.rules.regulation import Credit, PlayerId
from tournaments.services import credits_of_events

DAY = timedelta(days=1)
BACK = 3  # years: a window may reach so far, where an event of two years before waits for its heir

HELD: Mapping[str, Held] = {
    Event.Status.CLOSED: "closed",
    Event.Status.ENROLLING: "open",
    Event.Status.RUNNING: "open",
    Event.Status.CONCLUDED: "open",
}


@dataclass(frozen=True, slots=True)
class Ledger:
    """The official events of some seasons, and what counts of them.

    `outcomes` and `credits` are of the closed events only; those of the history have no credits.
    """

    events: Mapping[int, Event]
    calendar: tuple[Edition, ...]
    closes: Mapping[int, date]
    outcomes: Outcomes
    credits: Mapping[int, list[Credit]] = field(default_factory=dict)

    def ranking(self, until: Moment, *, keeps: int | None = None) -> dict[PlayerId, int]:
        """The points of whoever has any (H-01..H-05); `keeps` as in `two_years.window`."""
        window = two_years.window(self.calendar, self.closes, until, keeps=keeps)
        return two_years.points(window, self.outcomes)

    def of_season(self, year: int) -> list[Edition]:
        """Its official events, in order, whatever became of them."""
        ordered = sorted(self.calendar, key=lambda edition: edition.moment)
        return [edition for edition in ordered if edition.year == year]


def ledger(years: Collection[int] | None = None, *, credited: Collection[int] = ()) -> Ledger:
    """The ledger of these seasons, and of those before them that their rankings need; None: of all.

    `credited` are the seasons of which the tables' credits are wanted too, if they are closed.
    """
    closes = {
        season.year: timezone.localdate(season.closed_at)
        for season in Season.objects.exclude(closed_at=None)
        if season.closed_at is not None
    }
    found = Event.objects.official().exclude(status=Event.Status.DRAFT).select_related("season")
    if years is not None:
        found = found.filter(season__year__range=(_since(years, closes), max(years)))
    events = {event.pk: event for event in found.prefetch_related("prove__title")}
    calendar = tuple(_edition(event) for event in events.values())
    closed = [events[int(edition.key)] for edition in two_years.counted(calendar)]
    stored = [event for event in closed if event.imported or event.season.year in closes]
    outcomes = _stored(stored)
    kept = {event.pk for event in stored}
    computed = [event for event in closed if event.pk not in kept]
    wanted = [
        event
        for event in closed
        if not event.imported and (event.pk not in kept or event.season.year in credited)
    ]
    credits_ = credits_of_events(wanted) if wanted else {}
    for event in computed:
        eve = Moment(event.starts_on - DAY)
        before = Ledger(events, calendar, closes, outcomes).ranking(eve)
        outcomes[event.pk] = _computed(event, credits_[event.pk], before)
    return Ledger(events, calendar, closes, outcomes, credits_)


def _since(years: Collection[int], closes: Mapping[int, date]) -> int:
    """The first season to read: an open one needs the rankings of before its events."""
    computed = Event.objects.official().filter(status=Event.Status.CLOSED, imported=False)
    since = min(years) - BACK
    for year in sorted(set(computed.values_list("season__year", flat=True)), reverse=True):
        if since <= year <= max(years) and year not in closes:
            since = min(since, year - BACK)
    return since


def _edition(event: Event) -> Edition:
    return Edition(
        event.pk,
        event.season.year,
        event.ordinal,
        event.ends_on,
        HELD.get(event.status, "off"),
        event.replaces_id,
    )


def _stored(events: Sequence[Event]) -> dict[EventId, Mapping[PlayerId, Outcome]]:
    found: dict[EventId, dict[PlayerId, Outcome]] = {event.pk: {} for event in events}
    rows = EventPlace.objects.filter(event__in=[event.pk for event in events])
    rows = rows.order_by("event", "place", "player_id")
    for event, player, place, points, wins in rows.values_list(
        "event_id", "player_id", "place", "points", "wins"
    ):
        found[event][player] = Outcome(place, points, wins)
    return dict(found)


def _computed(
    event: Event, credited: list[Credit], before: Mapping[PlayerId, int]
) -> dict[PlayerId, Outcome]:
    rules = event.rules
    rows = rules.standings(credited, before, rules.readings)
    rounds = [prova.rounds for prova in event.prove.all()]
    worth = rules.award(rows, rounds, rules.readings) if rules.award and rounds else {}
    wins: dict[PlayerId, int] = {}
    for credit in credited:
        wins[credit.player] = wins.get(credit.player, 0) + credit.win
    return {
        row.key: Outcome(row.place, worth.get(row.key, 0), wins.get(row.key, 0)) for row in rows
    }
