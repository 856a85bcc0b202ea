"""Many events of the past at once, from a table: judged, then written whole or not at all (H-09).

A row is a player at an event; what it says of the event is the same on all rows of that event.
"""

from __future__ import annotations

import hashlib
import re
from collections.abc import Callable, Collection, Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, replace
from datetime import date, datetime
from enum import StrEnum
from itertools import islice, pairwise
from types import MappingProxyType
from typing import TypeAlias, TypeVar, cast

from django.contrib.contenttypes.models import ContentType
from django.db import transaction
from django.utils import timezone
from django.utils.translation import gettext as _

from figf.errors import Refused
from figf.models import LogEntry, User
from figf.spreadsheets import decimal
from tournaments.models import Event, Player, Season
from tournaments.rules import calendar, likeness, names
from tournaments.rules import standing as scale
from tournaments.rules.regulation import places
from tournaments.services.events import Remark, lock_seasons, refuse_dates
from tournaments.services.history import PastPlace, record_past_event
from tournaments.services.refusals import refuse_closed_season
from tournaments.services.registry import lock_players, one_line, write_player
from tournaments.services.seasons import FIRST_YEAR, open_season

EventKey: TypeAlias = tuple[int, int]  # season and number
Person: TypeAlias = tuple[str, str]  # surname and first name
T = TypeVar("T")

NEW_PLAYER = 0  # chosen for a row: somebody new, although he is like others
MOST_EVENTS = 999  # of a season: beyond, it is a slip of the pen; so are the others
MOST_PLACES = 999
MOST_POINTS = 9_999
MOST_WINS = 99
FACTORS = range(scale.LEAST_FACTOR, 11)  # that events had: of one prova, up to nine
FEW = 3  # players whom a row perhaps means
NAME, TOWN, PERSON = 120, 80, 80  # characters of their columns

KINDS: Mapping[str, str] = MappingProxyType(
    {
        **dict.fromkeys(("", "live", "dalvivo", "vivo"), Event.Kind.LIVE),
        **dict.fromkeys(
            ("pbem", "percorrispondenza", "corrispondenza", "bycorrespondence", "correspondence"),
            Event.Kind.PBEM,
        ),
    }
)
NO_EVENT = frozenset({"-", "–", "—", "nessuno", "none", "no"})
DAY = re.compile(r"(?P<y>\d{4})-(?P<m>\d{1,2})-(?P<d>\d{1,2})", re.ASCII)
ITALIAN_DAY = re.compile(r"(?P<d>\d{1,2})[/.-](?P<m>\d{1,2})[/.-](?P<y>\d{4})", re.ASCII)


@dataclass(frozen=True, slots=True)
class HistoryRow:
    """A row of the table: an event, repeated on each of its rows, and a player with his place.

    What it says of the event may be left empty after its first row, but for season and number.
    """

    line: int
    season: str = ""
    number: str = ""
    event: str = ""
    town: str = ""
    starts_on: str = ""
    ends_on: str = ""
    kind: str = ""
    player: str = ""
    place: str = ""
    points: str = ""
    wins: str = ""
    replaces: str = ""
    surname: str = ""
    name: str = ""
    faults: tuple[str, ...] = ()

    @property
    def who(self) -> str:
        return self.player or f"{self.surname} {self.name}".strip()

    @property
    def person(self) -> Person:
        """Surname and first name; of a whole name, the last word is the first name."""
        if self.surname or not self.player:
            return one_line(self.surname), one_line(self.name)
        surname, _space, name = one_line(self.player).rpartition(" ")
        return (surname, name) if surname else (name, "")


class HistoryVerdict(StrEnum):
    """Whom a row means: a player, one of several, nobody on the books; or it cannot be taken."""

    FOUND = "found"
    SEVERAL = "several"
    UNKNOWN = "unknown"
    REJECTED = "rejected"


@dataclass(frozen=True, slots=True)
class JudgedPlace:
    """A row and what an import would make of it.

    `players` are those of that name; of somebody unknown, those like him. `first` is the line of
    the first row with the same name, which is chosen for once; `likes` the lines with another name
    that is like this one. `why` says why it cannot be taken, `remarks` what is odd.
    """

    row: HistoryRow
    verdict: HistoryVerdict
    place: int = 0
    points: int = 0
    wins: int = 0
    players: tuple[Player, ...] = ()
    first: int = 0
    likes: tuple[int, ...] = ()
    why: tuple[str, ...] = ()
    remarks: tuple[Remark, ...] = ()

    @property
    def choice(self) -> bool:
        """Whether somebody has to say who this is."""
        if self.verdict == HistoryVerdict.UNKNOWN:
            return bool(self.players)
        return self.verdict == HistoryVerdict.SEVERAL


@dataclass(frozen=True, slots=True)
class JudgedEvent:
    """An event of the table, with its rows.

    `replaces` is an event of the books, or of the table by its season and number; `proposed` says
    that the table does not name it. With `faults` nothing of the table is imported.
    """

    year: int
    number: int
    name: str
    town: str
    starts_on: date | None
    ends_on: date | None
    kind: str
    rows: tuple[JudgedPlace, ...]
    replaces: Event | EventKey | None = None
    replaces_name: str = ""
    proposed: bool = False
    faults: tuple[Remark, ...] = ()
    remarks: tuple[Remark, ...] = ()

    @property
    def key(self) -> EventKey:
        return self.year, self.number

    @property
    def pbem(self) -> bool:
        return self.kind == Event.Kind.PBEM

    @property
    def sound(self) -> bool:
        return not self.faults and all(r.verdict != HistoryVerdict.REJECTED for r in self.rows)


@dataclass(frozen=True, slots=True)
class HistoryReport:
    """What an import would do: events with their rows, and `strays`, the rows of no event.

    `opened` are the years of the seasons that it would open; `to_be_linked` those of seasons whose
    events are on the books already, and may replace some of the table's (H-04).
    """

    events: tuple[JudgedEvent, ...]
    strays: tuple[JudgedPlace, ...] = ()
    opened: tuple[int, ...] = ()
    to_be_linked: tuple[int, ...] = ()

    @property
    def rows(self) -> list[JudgedPlace]:
        return [*(row for event in self.events for row in event.rows), *self.strays]

    @property
    def unknown(self) -> list[Person]:
        """The people who are not on the books, once each, as their first row calls them."""
        found: dict[str, Person] = {}
        for judged in self.rows:
            if judged.verdict == HistoryVerdict.UNKNOWN:
                found.setdefault(names.letters(judged.row.who), judged.row.person)
        return list(found.values())

    def count(self, verdict: HistoryVerdict) -> int:
        return sum(judged.verdict == verdict for judged in self.rows)

    def may_be_written(self) -> bool:
        return not self.strays and all(event.sound for event in self.events)

    @property
    def fingerprint(self) -> str:
        """A word that changes when the books make the report another one."""
        told = [
            (
                event.key,
                event.replaces.pk if isinstance(event.replaces, Event) else event.replaces,
                event.faults,
                [(j.row.line, str(j.verdict), [p.pk for p in j.players]) for j in event.rows],
            )
            for event in self.events
        ]
        return hashlib.sha256(repr((told, self.opened)).encode()).hexdigest()


# --- judging --------------------------------------------------------------------------------------


def judge_history(rows: Sequence[HistoryRow], today: date) -> HistoryReport:
    """What `import_history` would make of each row and event, by the books as they are now.

    Each row is in one event or a stray: the counts add up to the rows read.
    """
    grouped: dict[EventKey, list[HistoryRow]] = {}
    lost = []
    for row in rows:
        year, number = whole(row.season, today.year), whole(row.number, MOST_EVENTS)
        if year is not None and year >= FIRST_YEAR and number:
            grouped.setdefault((year, number), []).append(row)
        else:
            lost.append(row)
    people = _People([*(row for _key, of in sorted(grouped.items()) for row in of), *lost])
    strays = [_stray(people.judge(row), today) for row in lost]
    books = _Calendar(grouped)
    said = [_event(key, of, people, books, today) for key, of in sorted(grouped.items())]
    opened = sorted({year for year, _number in grouped} - books.seasons.keys())
    return HistoryReport(
        tuple(books.linked(said, grouped)),
        tuple(strays),
        tuple(opened),
        books.to_be_linked(grouped),
    )


def _stray(judged: JudgedPlace, today: date) -> JudgedPlace:
    why = _(
        "Season “%(season)s”, number “%(number)s”: a season is a year from %(first)d to %(last)d, "
        "and its events have numbers from 1 up."
    ) % {
        "season": judged.row.season[:40],
        "number": judged.row.number[:40],
        "first": FIRST_YEAR,
        "last": today.year,
    }
    return replace(judged, verdict=HistoryVerdict.REJECTED, why=(why,))


class _People:
    """Everybody on the books, and in the table, to be found by name and by who is like them."""

    def __init__(self, rows: Sequence[HistoryRow]) -> None:
        self.by_name: dict[str, dict[int, Player]] = {}
        self.by_likeness: dict[str, list[Player]] = {}
        for player in Player.objects.on_the_books().select_related("club"):
            for written in {f"{player.surname}{player.name}", f"{player.name}{player.surname}"}:
                self.by_name.setdefault(names.letters(written), {})[player.pk] = player
            for key in likeness.keys(player.surname, player.name):
                self.by_likeness.setdefault(key, []).append(player)
        self.first: dict[str, HistoryRow] = {}  # by letters, the first row of that name
        self.unknown: dict[str, list[HistoryRow]] = {}  # by likeness, first rows of nobody
        for row in rows:
            letters = names.letters(row.who)
            if self.first.setdefault(letters, row) is row and letters not in self.by_name:
                for key in likeness.keys(*row.person):
                    self.unknown.setdefault(key, []).append(row)

    def judge(self, row: HistoryRow) -> JudgedPlace:
        """Whom the row means; place, points and games won are for who knows the event."""
        letters = names.letters(row.who)
        if not letters:
            why = (*row.faults, _("There is no name."))
            return JudgedPlace(row, HistoryVerdict.REJECTED, why=why)
        first = self.first[letters].line
        found = tuple(self.by_name.get(letters, {}).values())
        if found:
            verdict = HistoryVerdict.FOUND if len(found) == 1 else HistoryVerdict.SEVERAL
            return JudgedPlace(row, verdict, players=found, first=first)
        if any(len(part) > PERSON for part in row.person):
            long = _("The name is longer than %(n)d characters.") % {"n": PERSON}
            return JudgedPlace(row, HistoryVerdict.REJECTED, why=(long,))
        likes = tuple(other.line for other in self._alike(row, self.unknown, _written))
        players = tuple(self._alike(row, self.by_likeness, _registered))
        return JudgedPlace(row, HistoryVerdict.UNKNOWN, players=players, first=first, likes=likes)

    def _alike(
        self, row: HistoryRow, kept: Mapping[str, Sequence[T]], called: Callable[[T], Person]
    ) -> Iterator[T]:
        near = dict.fromkeys(
            each for key in likeness.keys(*row.person) for each in kept.get(key, ())
        )
        own = names.letters(row.who)
        others = (each for each in near if names.letters("".join(called(each))) != own)
        return islice((o for o in others if names.alike(row.person, called(o))), FEW)


def _written(row: HistoryRow) -> Person:
    return row.person


def _registered(player: Player) -> Person:
    return player.surname, player.name


# --- judging an event -----------------------------------------------------------------------------


def _event(
    key: EventKey, rows: Sequence[HistoryRow], people: _People, books: _Calendar, today: date
) -> JudgedEvent:
    """An event of the table by its rows alone; what it replaces is for who knows all of them."""
    faults: list[Remark] = []
    name = _agreed(rows, "event", names.letters, faults)
    town = _agreed(rows, "town", names.letters, faults)
    kind_said = _agreed(rows, "kind", kind_of, faults)
    kind = kind_of(kind_said)
    if kind is None:
        told = _("“%(text)s” is no kind of event: write “live” or “pbem”.") % {"text": kind_said}
        faults.append(Remark(told, "A-14"))
    if not name:
        faults.append(Remark(_("The name of the event is missing."), "A-01"))
    for text, most in ((name, NAME), (town, TOWN)):
        if len(text) > most:
            told = _("“%(text)s” is longer than %(n)d characters.") % {"text": text[:40], "n": most}
            faults.append(Remark(told, ""))
    starts_on = _first_day(rows, faults)
    ends_on = _last_day(rows, starts_on, faults)
    judged, odd = _placed(rows, people, faults)
    event = JudgedEvent(
        *key, name, town, starts_on, ends_on, kind or Event.Kind.LIVE, judged, remarks=tuple(odd)
    )
    faults += books.faults(event, today)
    return replace(event, faults=tuple(faults))


def _agreed(
    rows: Sequence[HistoryRow],
    column: str,
    meaning: Callable[[str], object],
    faults: list[Remark],
) -> str:
    """What the first row that says anything in a column says; the others must mean the same."""
    first = next((row for row in rows if getattr(row, column)), None)
    if first is None:
        return ""
    said: str = getattr(first, column)
    for row in rows:
        text: str = getattr(row, column)
        if text and meaning(text) != meaning(said):
            told = _("Rows %(one)d and %(other)d say two things of one event: “%(a)s” and “%(b)s”.")
            figures = {"one": first.line, "other": row.line, "a": said[:40], "b": text[:40]}
            faults.append(Remark(told % figures, "A-01"))
            break
    return said


def _first_day(rows: Sequence[HistoryRow], faults: list[Remark]) -> date | None:
    text = _agreed(rows, "starts_on", _day_meant, faults)
    if not text:
        faults.append(Remark(_("The first day of the event is missing."), "A-01"))
    return _day(text, faults)


def _last_day(
    rows: Sequence[HistoryRow], starts_on: date | None, faults: list[Remark]
) -> date | None:
    """Left empty, it is the first."""
    text = _agreed(rows, "ends_on", _day_meant, faults)
    return _day(text, faults) if text else starts_on


def _day(text: str, faults: list[Remark]) -> date | None:
    found = day_of(text)
    if text and found is None:
        told = _("“%(text)s” is no day of the calendar: write it as 2004-03-06 or 06/03/2004.")
        faults.append(Remark(told % {"text": text[:40]}, "A-01"))
    return found


def _day_meant(text: str) -> object:
    return day_of(text) or text


def day_of(text: str) -> date | None:
    """2004-03-06, 6/3/2004, 06.03.2004; nothing else is a day."""
    found = DAY.fullmatch(text) or ITALIAN_DAY.fullmatch(text)
    if found is None:
        return None
    try:
        return date(int(found["y"]), int(found["m"]), int(found["d"]))
    except ValueError:
        return None


def kind_of(text: str) -> str | None:
    """Live, where nothing is said; None for what is no kind of event."""
    return KINDS.get(names.letters(text))


def whole(text: str, most: int) -> int | None:
    """A whole number from 0 to `most`; a decimal comma is taken if nothing comes after it."""
    try:
        amount = decimal(text)
    except ValueError:
        return None
    return int(amount) if amount == amount.to_integral() and 0 <= amount <= most else None


@dataclass(frozen=True, slots=True)
class _Amounts:
    """What a row says of how its player did; no place is one to be found by the points."""

    place: int | None
    points: int
    wins: int
    pointless: bool
    why: tuple[str, ...]


def _amounts(row: HistoryRow) -> _Amounts:
    why = []
    place = whole(row.place, MOST_PLACES) if row.place else None
    if row.place and not place:
        told = _("“%(text)s” is no place: places are whole numbers from 1 up.")
        why.append(told % {"text": row.place[:40]})
    points = whole(row.points, MOST_POINTS) if row.points else 0
    if points is None:
        told = _("“%(text)s” are no event points: they are whole numbers from 0 up.")
        why.append(told % {"text": row.points[:40]})
    wins = whole(row.wins, MOST_WINS) if row.wins else 0
    if wins is None:
        told = _("“%(text)s” are no games won: they are whole numbers from 0 up.")
        why.append(told % {"text": row.wins[:40]})
    return _Amounts(place or None, points or 0, wins or 0, not row.points, tuple(why))


def _placed(
    rows: Sequence[HistoryRow], people: _People, faults: list[Remark]
) -> tuple[tuple[JudgedPlace, ...], list[Remark]]:
    """The rows of an event with their places, and what is odd about the whole of them.

    Without a place, that of the points among all the rows; equal points share it, and who has none
    comes after.
    """
    amounts = [_amounts(row) for row in rows]
    by_points = places([each.points for each in amounts])
    judged = []
    taken: dict[int | str, int] = {}  # by player, or by the name of nobody, the line that has him
    for row, each, derived in zip(rows, amounts, by_points, strict=True):
        found = people.judge(row)
        why = [*found.why, *each.why, *(row.faults if not found.why else ())]
        who: int | str | None = None
        if found.verdict == HistoryVerdict.FOUND:
            who = found.players[0].pk
        elif found.verdict == HistoryVerdict.UNKNOWN:
            who = names.letters(row.who)
        if who is not None and taken.setdefault(who, row.line) != row.line:
            why.append(_("The same player is in row %(line)d.") % {"line": taken[who]})
        place = each.place or derived
        silent = each.place is None and each.pointless
        judged.append(
            replace(
                found,
                verdict=HistoryVerdict.REJECTED if why else found.verdict,
                place=place,
                points=each.points,
                wins=each.wins,
                why=tuple(why),
                remarks=() if silent or why else tuple(_unusual(place, each.points)),
            )
        )
    sound = [each for each in judged if each.verdict != HistoryVerdict.REJECTED]
    faults += _level(sound)
    return tuple(judged), list(_odd(sound))


def _worth(place: int) -> set[int]:
    """What the regulation gives to a place, by whatever factor."""
    return {scale.points(place, factor) for factor in FACTORS}


def _unusual(place: int, points: int) -> Iterator[Remark]:
    if points not in _worth(place):
        told = _("No event factor gives place %(place)d %(points)d points.")
        yield Remark(told % {"place": place, "points": points}, "D-05")


def _level(rows: Sequence[JudgedPlace]) -> Iterator[Remark]:
    """Who shares a place has its points (D-07): of two rows that differ one is wrong."""
    first: dict[int, JudgedPlace] = {}
    for row in rows:
        other = first.setdefault(row.place, row)
        if other.points != row.points:
            told = _("Rows %(one)d and %(other)d have place %(place)d and different points.")
            figures = {"one": other.row.line, "other": row.row.line, "place": row.place}
            yield Remark(told % figures, "D-07")


def _odd(rows: Sequence[JudgedPlace]) -> Iterator[Remark]:
    """What is odd about the places of an event as a whole, and may be so all the same."""
    ordered = sorted(rows, key=lambda each: (each.place, each.row.line))
    if ordered and ordered[0].place > 1:
        yield Remark(_("Nobody is first."), "D-10")
    for before, after in pairwise(ordered):
        if after.place > before.place and after.points > before.points:
            told = _("Row %(after)d comes after row %(before)d and has more points.")
            yield Remark(told % {"after": after.row.line, "before": before.row.line}, "D-05")
            break
    told_of = [each for each in ordered if each.points]
    if any(each.remarks for each in ordered) or not told_of:
        return
    if not any(
        all(scale.points(each.place, factor) == each.points for each in told_of)
        for factor in FACTORS
    ):
        yield Remark(_("No single event factor gives all these points."), "D-05")


# --- judging the calendar -------------------------------------------------------------------------


class _Calendar:
    """The seasons and events of the books that a table has to do with."""

    def __init__(self, keys: Iterable[EventKey]) -> None:
        years = {year for year, _number in keys}
        self.seasons = {season.year: season for season in Season.objects.all()}
        concerned = years | {year - 2 for year in years} | {year + 2 for year in years}
        found = Event.objects.filter(season__year__in=concerned).select_related("season")
        self.events = {(event.season.year, event.ordinal): event for event in found}
        official = set(Event.objects.official().values_list("pk", flat=True))
        self.planned = {
            key: event
            for key, event in self.events.items()
            if event.pk in official and event.status not in calendar.UNPLANNED
        }
        heirs = {event.replaces_id: event.name for event in self.events.values()}
        self.heirs = {
            key: heirs[event.pk] for key, event in self.events.items() if event.pk in heirs
        }

    def faults(self, event: JudgedEvent, today: date) -> Iterator[Remark]:
        """What season and dates do not admit."""
        season = self.seasons.get(event.year, Season(year=event.year))
        checks: list[Callable[[], None]] = [lambda: refuse_closed_season(season)]
        starts_on, ends_on = event.starts_on, event.ends_on
        if starts_on is not None and ends_on is not None:
            like = Event(season=season, kind=event.kind, starts_on=starts_on, ends_on=ends_on)
            checks.append(lambda: refuse_dates(like))
        for check in checks:
            try:
                check()
            except Refused as refusal:
                yield Remark(str(refusal.text), refusal.rule)
        if ends_on is not None and ends_on > today:
            yield Remark(_("The event is not over: only past events are imported."), "H-09")
        there = self.events.get(event.key)
        if there is not None:
            told = _("The season has event number %(n)d already: %(event)s.")
            yield Remark(told % {"n": event.number, "event": there.name}, "A-01")
        elif any(self._twin(event, other) for other in self.events.values()):
            told = _("The season has an event of this name on that day already.")
            yield Remark(told, "A-01")

    @staticmethod
    def _twin(event: JudgedEvent, other: Event) -> bool:
        return (other.season.year, other.starts_on) == (event.year, event.starts_on) and (
            other.name.casefold() == event.name.casefold()
        )

    def linked(
        self, events: Sequence[JudgedEvent], grouped: Mapping[EventKey, Sequence[HistoryRow]]
    ) -> Iterator[JudgedEvent]:
        """The events with what each replaces: what the table says, or else what H-04 proposes."""
        told = {event.key: event for event in events}
        faults: dict[EventKey, list[Remark]] = {key: list(told[key].faults) for key in told}
        said = {key: _agreed(grouped[key], "replaces", _link_meant, faults[key]) for key in told}
        links: dict[EventKey, EventKey] = {}
        taken = dict(self.heirs)
        for event in events:
            if said[event.key] and said[event.key].casefold() not in NO_EVENT:
                try:
                    links[event.key] = self._named(event, said[event.key], told, taken)
                except Refused as refusal:
                    faults[event.key].append(Remark(str(refusal.text), refusal.rule))
        named = set(links)
        for event in events:
            if not said[event.key]:
                proposal = self._proposed(event, told, taken)
                if proposal is not None:
                    links[event.key] = proposal
                    taken[proposal] = event.name
        seen: dict[tuple[int, str, date | None], EventKey] = {}
        for event in events:
            own = (event.year, event.name.casefold(), event.starts_on)
            if seen.setdefault(own, event.key) != event.key:
                twin = _("The season has an event of this name on that day already.")
                faults[event.key].append(Remark(twin, "A-01"))
            old = links.get(event.key)
            yield replace(
                event,
                replaces=None if old is None else self.planned.get(old, old),
                replaces_name="" if old is None else self._name(old, told),
                proposed=old is not None and event.key not in named,
                faults=tuple(faults[event.key]),
            )

    def _named(
        self,
        event: JudgedEvent,
        text: str,
        told: Mapping[EventKey, JudgedEvent],
        taken: dict[EventKey, str],
    ) -> EventKey:
        number = whole(text, MOST_EVENTS)
        old = (event.year - 2, number or 0)
        if old not in told and old not in self.planned:
            words = _("“%(text)s” is no event of the season of %(year)d that could be replaced.")
            raise Refused("no_such_event", words % {"text": text[:40], "year": old[0]}, rule="H-04")
        if old in taken:
            raise Refused(
                "already_replaced",
                _("%(old)s is replaced by %(event)s already: choose another, or none.")
                % {"old": self._name(old, told), "event": taken[old]},
                rule="H-04",
            )
        taken[old] = event.name
        return old

    def _proposed(
        self,
        event: JudgedEvent,
        told: Mapping[EventKey, JudgedEvent],
        taken: Collection[EventKey],
    ) -> EventKey | None:
        of_the_books = {key: (e.town, e.name, e.kind) for key, e in self.planned.items()}
        of_the_table = {key: (e.town, e.name, e.kind) for key, e in told.items()}
        keys = [
            key
            for key, (_town, _name, kind) in (of_the_table | of_the_books).items()
            if key[0] == event.year - 2 and kind == event.kind and key not in taken
        ]
        found = of_the_table | of_the_books
        candidates = [
            calendar.Candidate(n, found[key][0], key[1], found[key][1])
            for n, key in enumerate(sorted(keys))
        ]
        chosen = calendar.corresponding(event.town, event.number, event.name, candidates)
        return None if chosen is None else sorted(keys)[int(chosen)]

    def _name(self, key: EventKey, told: Mapping[EventKey, JudgedEvent]) -> str:
        name = self.planned[key].name if key in self.planned else told[key].name
        return f"{key[0]}/{key[1]}, {name}"

    def to_be_linked(self, keys: Collection[EventKey]) -> tuple[int, ...]:
        """The years whose events could replace some of these, and are on the books already."""
        years = {year for year, _number in keys}
        found = {
            year
            for (year, _number), event in self.planned.items()
            if event.replaces_id is None and not event.imported
        }
        return tuple(sorted(y for y in found - years if y - 2 in years))


def _link_meant(text: str) -> object:
    return "-" if text.casefold() in NO_EVENT else whole(text, MOST_EVENTS) or text


# --- importing ------------------------------------------------------------------------------------


@transaction.atomic
def import_history(
    rows: Sequence[HistoryRow],
    by: User,
    now: datetime,
    *,
    chosen: Mapping[int, int] = MappingProxyType({}),
    seen: str | None = None,
    create_missing: bool = False,
) -> list[Event]:
    """Write down the past that a table says, whole or not at all (H-09).

    Seasons that are missing are opened. `chosen` says, by line, which of several players is meant,
    or of those like somebody unknown; `NEW_PLAYER` is somebody new. What is chosen for the first
    row of a name holds for the rows that choose nothing. `create_missing`: who is not on the books
    is registered, without a log-in. `seen` is the fingerprint of the report that was read.

    Locks the seasons, then the register of players. Refuses when the report has become another one
    (`books_changed`), when something cannot be taken (`rows_rejected`), when somebody is still to
    be chosen (`choose_player`) or registered (`unknown_players`), when one player has two places in
    an event (`player_twice`), and what `record_past_event` refuses.
    """
    registers = ContentType.objects.select_for_update(no_key=True)
    registers.get(app_label="tournaments", model="season")
    lock_seasons(*Season.objects.values_list("pk", flat=True))
    lock_players()
    report = judge_history(rows, timezone.localdate(now))
    if seen is not None and seen != report.fingerprint:
        raise Refused(
            "books_changed",
            _("The books have changed meanwhile, and nothing was imported: look at it again."),
        )
    if not report.may_be_written():
        raise Refused(
            "rows_rejected", _("Something cannot be taken: nothing was imported."), rule="H-09"
        )
    meant = {each.row.line: _meant(each, chosen, create_missing) for each in report.rows}
    _refuse_twice(report, meant)
    everybody: dict[int | str, Player] = {
        player.pk: player for each in report.rows for player in each.players
    }
    new: dict[str, Person] = {}
    for each in report.rows:
        who = meant[each.row.line]
        if isinstance(who, str):
            new.setdefault(who, each.row.person)
    for letters, (surname, name) in new.items():
        everybody[letters] = write_player(surname, name, by, now, None, "", "IT", "")
    for year in report.opened:
        open_season(year, None, by, now)
    seasons = {season.year: season for season in Season.objects.all()}
    written: dict[EventKey, Event] = {}
    for event in report.events:
        old = event.replaces
        written[event.key] = record_past_event(
            seasons[event.year],
            event.name,
            cast(date, event.starts_on),
            cast(date, event.ends_on),
            [
                PastPlace(everybody[meant[each.row.line]], each.place, each.points, each.wins)
                for each in event.rows
            ],
            by,
            now,
            ordinal=event.number,
            kind=event.kind,
            town=event.town,
            replaces=written[old] if isinstance(old, tuple) else old,
        )
    LogEntry.objects.record(
        by, "import_history", by, now, read=len(rows), events=len(written), registered=len(new)
    )
    return list(written.values())


def _meant(judged: JudgedPlace, chosen: Mapping[int, int], create_missing: bool) -> int | str:
    """Whom a row means: a player by his key, or somebody to be registered by his letters."""
    row = judged.row
    if judged.verdict == HistoryVerdict.FOUND:
        return judged.players[0].pk
    choice = chosen.get(row.line, chosen.get(judged.first))
    if any(player.pk == choice for player in judged.players):
        return int(choice or 0)
    told = {"line": row.line, "who": row.who}
    if judged.verdict == HistoryVerdict.SEVERAL or (judged.players and choice != NEW_PLAYER):
        raise Refused("choose_player", _("Row %(line)d: say which %(who)s it is.") % told)
    if not create_missing:
        raise Refused(
            "unknown_players",
            _("Row %(line)d: %(who)s is not on the books. Register who is missing, or nobody.")
            % told,
        )
    return names.letters(row.who)


def _refuse_twice(report: HistoryReport, meant: Mapping[int, int | str]) -> None:
    for event in report.events:
        taken: set[int | str] = set()
        for judged in event.rows:
            who = meant[judged.row.line]
            if who in taken:
                raise Refused(
                    "player_twice",
                    _("Row %(line)d: this %(who)s has his place in the event from another row.")
                    % {"line": judged.row.line, "who": judged.row.who},
                )
            taken.add(who)
