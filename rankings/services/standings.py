"""The ranking and the two championships, as they stand or stood: read, and never written."""

from __future__ import annotations

from collections.abc import Collection, Iterable, Mapping, Sequence
from dataclasses import dataclass, field
from datetime import date
from types import MappingProxyType
from typing import Generic, NamedTuple, Protocol, TypeAlias, TypeVar

from rankings.rules import absolute, specialty, two_years
from rankings.rules.readings import readings_of
from rankings.rules.ties import without
from rankings.rules.two_years import Departure, Edition, EventId, Moment, Outcome
from rankings.services.ledger import DAY, Ledger, ledger
from tournaments.models import Event, Player, Removal, Season, Title
from tournaments.rules.regulation import PlayerId, places
from tournaments.services import struck_off

# --- the ranking ----------------------------------------------------------------------------------


@dataclass(frozen=True, slots=True)
class RankingOn:
    """The points of whoever has any, by player, and the day since which they are so."""

    as_of: date | None = None
    points: Mapping[int, int] = field(default_factory=lambda: MappingProxyType({}))


def ranking_before(day: date) -> RankingOn:
    """The ranking by which an event that begins on `day` is seated; empty when there is none.

    Ruling B-08: the latest state before the event's start, whatever produced it.
    """
    book, eve = ledger({day.year, (day - DAY).year}), Moment(day - DAY)
    points = {int(key): total for key, total in book.ranking(eve).items()}
    return RankingOn(_changed(book, eve), MappingProxyType(points))


def _changed(book: Ledger, until: Moment) -> date | None:
    """The last day, no later than `until`, on which an event entered the window or left it."""
    return max((day for day in _changes(book) if day <= until.day), default=None)


def _changes(book: Ledger) -> set[date]:
    heirs = {each.replaces: each for each in book.calendar if each.replaces is not None}
    days = set()
    for event in two_years.counted(book.calendar):
        gone = two_years.departure(event, heirs.get(event.key), book.closes).moment
        days.add(event.ends_on)
        if gone is not None:
            days.add(max(gone, event.moment).day)
    return days


def ranking_dates(today: date, book: Ledger | None = None) -> list[date]:
    """The days on which the ranking changed in the last years, up to `today`, the last first."""
    book = book or ledger({today.year})
    return sorted((day for day in _changes(book) if day <= today), reverse=True)


@dataclass(frozen=True, slots=True)
class Contribution:
    """What one event gives to a player's ranking, and when it will leave."""

    event: Event
    outcome: Outcome
    leaves: Departure
    heir: Event | None

    @property
    def worth(self) -> int:
        return self.outcome.worth


@dataclass(frozen=True, slots=True)
class Ranked:
    """A line of the ranking (H-10): `before` is his place in the state before, None if in none.

    `expiring` are the points that leave when the next event is closed.
    """

    player: Player
    place: int
    points: int
    contributions: tuple[Contribution, ...]
    before: int | None
    expiring: int = 0

    @property
    def wins(self) -> int:
        return sum(each.outcome.wins for each in self.contributions)

    @property
    def event_points(self) -> int:
        return sum(each.outcome.points for each in self.contributions)

    @property
    def moved(self) -> int | None:
        """Places gained since the state before; None for who was not in it."""
        return None if self.before is None else self.before - self.place


@dataclass(frozen=True, slots=True)
class RankingPage:
    """The ranking on a day, whole: its lines, the day of its last change and what it is made of.

    `next` is the event that changes it next, and `leaving` what leaves with that; `previous` the
    day of the state before.
    """

    as_of: date | None
    rows: tuple[Ranked, ...]
    window: tuple[Event, ...]
    previous: date | None
    next: Event | None
    leaving: Event | None


def ranking_on(day: date, book: Ledger | None = None) -> RankingPage:
    """The ranking as it stood at the end of `day`, by what is known today (H-08)."""
    book = book or ledger({day.year})
    struck = struck_off()
    until = Moment(day)
    as_of = _changed(book, until)
    if as_of is None:
        return RankingPage(None, (), (), None, *_next(book, until))
    previous = _changed(book, Moment(as_of - DAY))
    now = _without(book.ranking(until), struck)
    earlier = _without(book.ranking(Moment(as_of - DAY)), struck)
    stood = dict(zip(earlier, places(list(earlier.values())), strict=True))
    people = Player.objects.select_related("club").in_bulk([int(key) for key in now])
    window = two_years.window(book.calendar, book.closes, until)
    heirs = {each.replaces: each for each in book.calendar if each.replaces is not None}
    editions = {each.key: each for each in book.calendar}
    leaves = {
        key: two_years.departure(editions[key], heirs.get(key), book.closes) for key in window
    }
    following, leaving = _next(book, until)
    gives: dict[PlayerId, list[Contribution]] = {key: [] for key in now}
    for key in window:
        gone = leaves[key]
        heir = book.events.get(int(gone.heir)) if gone.heir is not None else None
        for player, outcome in book.outcomes[int(key)].items():
            if player in gives and outcome.worth:
                gives[player].append(Contribution(book.events[int(key)], outcome, gone, heir))
    rows = [
        Ranked(
            people[int(key)],
            place,
            now[key],
            tuple(gives[key]),
            stood.get(key),
            sum(c.worth for c in gives[key] if leaving is not None and c.event.pk == leaving.pk),
        )
        for key, place in zip(now, places(list(now.values())), strict=True)
    ]
    rows.sort(key=lambda row: (row.place, row.player.sort_key, row.player.pk))
    events = tuple(book.events[int(key)] for key in window)
    return RankingPage(as_of, tuple(rows), events, previous, following, leaving)


def _next(book: Ledger, until: Moment) -> tuple[Event | None, Event | None]:
    """The first event still to be closed, and what leaves the window with it."""
    coming = [e for e in book.calendar if e.held == "open" and e.moment > until]
    first = min(coming, key=lambda edition: edition.moment, default=None)
    if first is None:
        return None, None
    leaving = book.events.get(int(first.replaces)) if first.replaces is not None else None
    return book.events[int(first.key)], leaving


def _without(points: Mapping[PlayerId, int], struck: set[int]) -> dict[PlayerId, int]:
    return {key: total for key, total in points.items() if int(key) not in struck}


@dataclass(frozen=True, slots=True)
class Past:
    """A player's ranking after one change: day, event if one brought it about, place and points.

    `place` is None while he has no points; `of` is how many have some.
    """

    day: date
    event: Event | None
    place: int | None
    points: int
    of: int


def ranking_history(player: Player, today: date, book: Ledger | None = None) -> list[Past]:
    """A player's ranking from his first points until `today`; empty if he never had any (H-08)."""
    book = book or ledger()
    struck = struck_off()
    found: list[Past] = []
    for state in two_years.history(book.calendar, book.closes, book.outcomes):
        if state.moment.day > today:
            break
        points = _without(state.points, struck)
        mine = points.get(player.pk, 0)
        if mine or found:
            place = 1 + sum(total > mine for total in points.values()) if mine else None
            event = None if state.after is None else book.events[int(state.after)]
            found.append(Past(state.moment.day, event, place, mine, len(points)))
    return found


# --- the absolute championship --------------------------------------------------------------------


class HasPlace(Protocol):
    """A row of a championship, as its rule made it."""

    @property
    def place(self) -> int: ...


R = TypeVar("R", bound=HasPlace)


@dataclass(frozen=True, slots=True)
class Row(Generic[R]):
    """A row with its player; None is one struck off after the season was closed (O-16).

    `before` is his place before the last event, None if he had none.
    """

    row: R
    player: Player | None
    before: int | None

    @property
    def moved(self) -> int | None:
        """Places gained with the last event; None for who was not there."""
        return None if self.before is None else self.before - self.row.place


AbsoluteRow: TypeAlias = Row[absolute.Row]
SpecialtyRow: TypeAlias = Row[specialty.Row]


@dataclass(frozen=True, slots=True)
class AbsolutePage:
    """The absolute of a season: its planned events in order, of which the `closed` ones count.

    `cancelled` are held no more; `last` is the last one that counts.
    """

    rows: tuple[AbsoluteRow, ...]
    events: tuple[Event, ...]
    closed: frozenset[int]
    cancelled: tuple[Event, ...]
    last: Event | None
    complete: bool


def absolute_of(
    season: Season, after: Event | None = None, book: Ledger | None = None
) -> AbsolutePage:
    """The absolute championship (F-01..F-08), now or as it stood after an event of it."""
    book = book or ledger({season.year})
    editions = book.of_season(season.year)
    planned = [each for each in editions if each.held != "off"]
    counted = [each for each in planned if each.held == "closed"]
    if after is not None:
        counted = [e for e in counted if e.moment <= _moment(book, after)]
    last = counted[-1] if counted else None
    out = _taken_out(season)
    rows = _absolute(season, book, planned, counted, out)
    earlier = _absolute(season, book, planned, counted[:-1], out) if counted[1:] else ()
    stood = {row.key: row.place for row in earlier}
    people = _people(row.key for row in rows)
    told = [Row(row, people.get(int(row.key)), stood.get(row.key)) for row in rows]
    told.sort(key=lambda each: (each.row.place, _sorted_by(each.player)))
    return AbsolutePage(
        tuple(told),
        tuple(book.events[int(each.key)] for each in planned),
        frozenset(int(each.key) for each in counted),
        tuple(book.events[int(each.key)] for each in editions if each.held == "off"),
        None if last is None else book.events[int(last.key)],
        bool(planned) and len(counted) == len(planned),
    )


def _moment(book: Ledger, event: Event) -> Moment:
    return next(each.moment for each in book.calendar if each.key == event.pk)


def _absolute(
    season: Season, book: Ledger, planned: Sequence[Edition], counted: Sequence[Edition], out: Out
) -> tuple[absolute.Row, ...]:
    """The rows after the events `counted`, those of who was taken out of it left out (O-13)."""
    if not counted:
        return ()
    done = {each.key for each in counted}
    events: list[absolute.Standing] = [
        without(book.outcomes[each.key], out.absolute) if each.key in done else None
        for each in planned
    ]
    index = {int(each.key): n for n, each in enumerate(planned)}
    sanctioned = frozenset((player, index[event]) for player, event in out.events if event in index)
    cancelled = len(book.of_season(season.year)) - len(planned)
    year = absolute.Season(tuple(events), cancelled, sanctioned)
    ranking = book.ranking(counted[-1].moment, keeps=season.year)
    return absolute.standing(year, ranking, readings_of(season.year))


class Out(NamedTuple):
    """Who was taken out by a decision: of the absolute, and of which events (player, event)."""

    absolute: set[int]
    events: list[tuple[int, int]]


def _taken_out(season: Season) -> Out:
    removals = Removal.objects.filter(lifted_at=None, event__season=season)
    events = [(player, event) for player, event in removals.values_list("player_id", "event_id")]
    return Out(removed_from(season).get("absolute", set()), events)


def removed_from(season: Season) -> dict[str, set[int]]:
    """Who was taken out of which championship of the season by a decision (O-13, E-09).

    By "absolute", or the code of a title.
    """
    found = Removal.objects.filter(level=Removal.Level.CHAMPIONSHIP, season=season, lifted_at=None)
    out: dict[str, set[int]] = {}
    for championship, player in found.values_list("championship", "player_id"):
        out.setdefault(championship, set()).add(player)
    return out


def _people(keys: Iterable[PlayerId]) -> dict[int, Player]:
    """The players of a standing who may be named: who was struck off has no name (O-16)."""
    found = Player.objects.select_related("club").in_bulk([int(key) for key in keys])
    struck = struck_off()
    return {pk: player for pk, player in found.items() if pk not in struck}


# --- the championships of the titles --------------------------------------------------------------


@dataclass(frozen=True, slots=True)
class SpecialtyPage:
    """The standing of a title in a season; `events` are those closed where it was played."""

    title: Title
    rows: tuple[SpecialtyRow, ...]
    events: Mapping[int, Event]
    last: Event | None


def specialties_of(season: Season) -> list[Title]:
    """E-07 — the titles that have a championship in the season: those of the register.

    Also one that is not played any more, if it has been: its standing may be empty (E-06).
    """
    played = Title.objects.filter(prove__event__season=season)
    return list((Title.objects.filter(specialty=True) | played.filter(specialty=True)).distinct())


def specialty_of(season: Season, title: Title, book: Ledger | None = None) -> SpecialtyPage:
    """The championship of a title in the season (E-01..E-10), as it stands now."""
    return specialties(season, [title], book)[title.code]


def specialties(
    season: Season, titles: Sequence[Title], book: Ledger | None = None
) -> dict[str, SpecialtyPage]:
    """Those of several titles, by code, from one ledger."""
    book = book or ledger({season.year}, credited={season.year})
    counted = [each for each in book.of_season(season.year) if each.held == "closed"]
    out = removed_from(season)
    now: dict[str, tuple[specialty.Row, ...]] = {}
    earlier: dict[str, dict[PlayerId, int]] = {}
    for title in titles:
        gone = out.get(title.code, set())
        prove = _prove_of(book, title)
        played = [n for n, e in enumerate(counted) if prove[e.key] and int(e.key) in book.credits]
        before = counted[: played[-1]] if played else []
        now[title.code] = _specialty(season, title, book, counted, gone)
        stood = _specialty(season, title, book, before, gone)
        earlier[title.code] = {row.key: row.place for row in stood}
    people = _people({row.key for rows in now.values() for row in rows})
    last = book.events[int(counted[-1].key)] if counted else None
    found = {}
    for title in titles:
        told = [
            Row(row, people.get(int(row.key)), earlier[title.code].get(row.key))
            for row in now[title.code]
        ]
        told.sort(key=lambda each: (each.row.place, _sorted_by(each.player)))
        events = {
            pk: event
            for pk, event in book.events.items()
            if event.season_id == season.pk
            and pk in book.credits
            and any(prova.title_id == title.pk for prova in event.prove.all())
        }
        found[title.code] = SpecialtyPage(title, tuple(told), events, last)
    return found


def _sorted_by(player: Player | None) -> str:
    return player.sort_key if player is not None else "\uffff"


def _specialty(
    season: Season, title: Title, book: Ledger, counted: Sequence[Edition], out: Collection[int]
) -> tuple[specialty.Row, ...]:
    if not counted:
        return ()
    readings = readings_of(season.year)
    credited = {each.key: book.credits.get(int(each.key), []) for each in counted}
    results = specialty.results(specialty.counting(credited, _prove_of(book, title)), readings)
    ranking = book.ranking(counted[-1].moment, keeps=season.year)
    return specialty.standing(without(results, out), ranking, readings)


def _prove_of(book: Ledger, title: Title) -> dict[EventId, set[int]]:
    """The numbers of the prove of a title, by event."""
    return {
        pk: {prova.order for prova in event.prove.all() if prova.title_id == title.pk}
        for pk, event in book.events.items()
    }
