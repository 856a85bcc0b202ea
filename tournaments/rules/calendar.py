"""FIGF, chapters 1 to 5 of the regulation of 2006: events, their prove, who may enrol.

Days are dates, statuses and kinds are the texts that an event stores; nothing here knows today.
"""

from __future__ import annotations

import re
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass
from datetime import date
from decimal import Decimal
from types import MappingProxyType
from typing import TYPE_CHECKING, Any, Literal, TypeAlias

from tournaments.rules.names import letters
from tournaments.rules.regulation import Illegal, PlayerId, Reason

if TYPE_CHECKING:
    from tournaments.rules.figf import FigfReadings
    from tournaments.rules.regulation import Regulation

Kind: TypeAlias = Literal["live", "pbem", "cup", "friendly"]
Scope: TypeAlias = Literal["events", "web", "all"]

FIRST_PBEM_SEASON = 2001  # 000:9
UNPLANNED = frozenset({"draft", "cancelled", "invalid"})
DOUBLE = 2  # rounds of a prova, the most that FIGF has
FEWEST_OF_A_TITLE = 2  # as published; an event of FIGF never seats fewer than three

# Which statuses follow which.
NEXT: Mapping[str, frozenset[str]] = MappingProxyType(
    {
        "draft": frozenset({"enrolling", "cancelled"}),
        "enrolling": frozenset({"draft", "running", "cancelled"}),
        "running": frozenset({"enrolling", "concluded", "cancelled", "invalid"}),
        "concluded": frozenset({"running", "closed", "invalid"}),
        "closed": frozenset({"concluded"}),
        "cancelled": frozenset({"draft"}),
        "invalid": frozenset({"concluded"}),
    }
)


@dataclass(frozen=True, slots=True)
class CalendarEvent:
    """An event as the calendar has it.

    `ordinal_key` orders events that begin on one day: season and number. `cancelled` is an event
    that is not held.
    """

    key: PlayerId
    starts_on: date
    ends_on: date
    ordinal_key: tuple[int, ...]
    kind: Kind
    cancelled: bool = False
    name: str = ""

    @property
    def official(self) -> bool:
        """Whether it counts in the standings: cups and friendly events do not (000:105)."""
        return self.kind in {"live", "pbem"}


@dataclass(frozen=True, slots=True)
class Ban:
    """A player may not enrol, from the day the decision was communicated to him.

    `scope`: a disqualification from "events", the black list ("web") or expulsion ("all"). `count`
    is the number of events that it covers; None lasts until it is lifted, and a lifted ban is not
    handed in.
    """

    scope: Scope
    starts_on: date
    count: int | None = None


@dataclass(frozen=True, slots=True)
class Candidate:
    """An event of two years before, which a new one may correspond to; `taken` if another does."""

    key: PlayerId
    town: str
    ordinal: int
    name: str
    taken: bool = False


# --- events and prove -----------------------------------------------------------------------------


def check_dates(starts_on: date, ends_on: date, year: int, *, by_correspondence: bool) -> None:
    """A-01 — an event ends no earlier than it begins, and begins in the year of its season.

    The tournament by correspondence may begin in another year: it belongs to the season in whose
    calendar it is put. Refuses: DATES_REVERSED, OUTSIDE_SEASON.

    >>> check_dates(date(2006, 12, 30), date(2007, 1, 1), 2006, by_correspondence=False)
    >>> check_dates(date(2006, 5, 7), date(2006, 5, 6), 2006, by_correspondence=False)
    Traceback (most recent call last):
    tournaments.rules.regulation.Illegal: dates_reversed (A-01)
    """
    if ends_on < starts_on:
        raise Illegal(Reason.DATES_REVERSED, "A-01", field="ends_on")
    if starts_on.year != year and not by_correspondence:
        raise Illegal(Reason.OUTSIDE_SEASON, "A-01", field="starts_on", year=year)


def planned(statuses: Iterable[str]) -> int:
    """A-03 — the events planned for the year are those of its calendar that are to be held.

    `statuses` are those of the season's official events. A draft is not in the calendar yet; an
    event cancelled or not valid is in it no more (F-04). Refuses nothing.

    >>> planned(["closed", "running", "enrolling", "cancelled", "invalid", "draft"])
    3
    """
    return sum(status not in UNPLANNED for status in statuses)


def check_rounds(rounds: int, most: int = DOUBLE) -> None:
    """A-04 — a prova is one game of one title, in a single or a double round.

    Other federations may have as many as `most`. Refuses: ROUNDS, TOO_MANY_ROUNDS.

    >>> check_rounds(3, most=7)
    >>> check_rounds(3)
    Traceback (most recent call last):
    tournaments.rules.regulation.Illegal: rounds (A-04)
    """
    if not 1 <= rounds <= most:
        reason = Reason.ROUNDS if most == DOUBLE else Reason.TOO_MANY_ROUNDS
        raise Illegal(reason, "A-04", field="rounds", most=most)


def event_seats(fewest: int, most: int, rules: Regulation[Any]) -> tuple[int, int]:
    """A-05 — a title says how many sit at a table; an event never seats fewer than three (B-07).

    Three are FIGF's: other federations have limits of their own. A title that is none of theirs
    leaves the fewest above the most, and no players can be divided so. Refuses what `check_seats`
    refuses.

    >>> from tournaments.rules.figf import FIGF_2006
    >>> event_seats(2, 6, FIGF_2006), event_seats(3, 5, FIGF_2006)
    ((3, 6), (3, 5))
    """
    check_seats(fewest, most)
    limit = most if rules.most_seats is None else rules.most_seats
    return max(rules.fewest_seats, fewest), min(limit, most)


def check_seats(fewest: int, most: int) -> None:
    """What A-05 refuses of a title: seats in the wrong order, or for one alone.

    Refuses: TITLE_SEATS.

    >>> check_seats(6, 3)
    Traceback (most recent call last):
    tournaments.rules.regulation.Illegal: title_seats (A-05)
    """
    if not FEWEST_OF_A_TITLE <= fewest <= most:
        raise Illegal(Reason.TITLE_SEATS, "A-05", field="most")


def event_factor(rounds_of_prove: Sequence[int], readings: FigfReadings) -> int:
    """A-06 — the event factor is the number of prove plus one.

    `rounds_of_prove` are the rounds of each prova that counts: not one cancelled before play or not
    valid. A double round is one prova (000:21); by "rounds" it counts twice. Refuses: NO_PROVE.

    >>> from tournaments.rules.figf import READINGS
    >>> event_factor([1, 1, 1], READINGS), event_factor([2], READINGS)
    (4, 2)
    """
    check_prove(len(rounds_of_prove))
    count = len(rounds_of_prove) if readings.fe_counts == "prove" else sum(rounds_of_prove)
    return count + 1


def check_prove(prove: int) -> None:
    """What A-06 refuses of an event that is to be played: to have no prove.

    Refuses: NO_PROVE.

    >>> check_prove(0)
    Traceback (most recent call last):
    tournaments.rules.regulation.Illegal: no_prove (A-06)
    """
    if prove == 0:
        raise Illegal(Reason.NO_PROVE, "A-06")


def check_director(is_referee: bool) -> None:
    """A-08 — the technical director represents FIGF and must be a FIGF referee.

    `is_referee` on the first day of the event. Refuses: DIRECTOR_NOT_REFEREE.

    >>> check_director(False)
    Traceback (most recent call last):
    tournaments.rules.regulation.Illegal: director_not_referee (A-08)
    """
    if not is_referee:
        raise Illegal(Reason.DIRECTOR_NOT_REFEREE, "A-08", field="director")


def contribution(enrolled: int, amount: Decimal | None) -> Decimal:
    """A-12 — the organiser pays FIGF so much for each person enrolled, absent ones included.

    `amount` is that of the season: 2 euro in 2006; None until it is fixed. Refuses:
    NO_CONTRIBUTION.

    >>> contribution(19, Decimal("2.00"))
    Decimal('38.00')
    """
    if amount is None:
        raise Illegal(Reason.NO_CONTRIBUTION, "A-12")
    return enrolled * amount


def pbem_too_early(year: int) -> bool:
    """A-14 — since the season of 2001 the tournament by correspondence is one of the events.

    Whether a season comes before that, which is a warning. Refuses nothing.

    >>> pbem_too_early(2000), pbem_too_early(2001)
    (True, False)
    """
    return year < FIRST_PBEM_SEASON


def check_step(before: str, after: str) -> None:
    """A-15 — an event goes from draft to enrolment, play, complete results and closing, or is off.

    Not in the text, and needed by it: only closed events feed the ranking. `NEXT` says which steps
    there are, also back. Refuses: STATUS_STEP.

    >>> check_step("draft", "enrolling")
    >>> check_step("draft", "closed")
    Traceback (most recent call last):
    tournaments.rules.regulation.Illegal: status_step (A-15)
    """
    if after not in NEXT.get(before, frozenset()):
        raise Illegal(Reason.STATUS_STEP, "A-15", field="status", before=before, after=after)


# --- who may not enrol ----------------------------------------------------------------------------

# The kinds of event that each ban reaches. Cups are played by correspondence (000:104).
REACH: Mapping[Scope, frozenset[Kind]] = MappingProxyType(
    {
        "events": frozenset({"live", "pbem", "cup"}),
        "web": frozenset({"pbem", "cup"}),
        "all": frozenset({"live", "pbem", "cup", "friendly"}),
    }
)


def check_may_enrol(
    bans: Iterable[Ban], event: CalendarEvent, calendar: Sequence[CalendarEvent]
) -> None:
    """A-18 — who is expelled, on the black list or disqualified may not enrol.

    `bans` are those of one player that were not lifted, `calendar` the events that a
    disqualification may count, of whatever season. The black list closes games and events by
    correspondence, by whatever channel one enrols, and never a live event. How far a
    disqualification reaches is O-09. Refuses, the gravest first: EXPELLED, BLACKLISTED, SUSPENDED
    (`until`, the last event to skip), SUSPENDED_OPEN where that one is not in the calendar yet.

    >>> event = CalendarEvent(6, date(2006, 9, 2), date(2006, 9, 3), (2006, 6), "live", name="Roma")
    >>> check_may_enrol([Ban("web", date(2006, 7, 1))], event, [event])
    >>> check_may_enrol([Ban("events", date(2006, 7, 1), count=1)], event, [event])
    Traceback (most recent call last):
    tournaments.rules.regulation.Illegal: suspended (A-18)
    """
    closing = [ban for ban in bans if blocks(ban, event, calendar)]
    if any(ban.scope == "all" and ban.count is None for ban in closing):
        raise Illegal(Reason.EXPELLED, "A-18", field="player")
    if any(ban.scope == "web" for ban in closing):
        raise Illegal(Reason.BLACKLISTED, "A-18", field="player")
    if closing:
        covered = [covers(ban, [*calendar, event]) for ban in closing]
        if any(len(events) != ban.count for ban, events in zip(closing, covered, strict=True)):
            raise Illegal(Reason.SUSPENDED_OPEN, "A-18", field="player")
        last = max((events[-1] for events in covered), key=in_calendar)
        raise Illegal(Reason.SUSPENDED, "A-18", field="player", until=last.name)


def blocks(ban: Ban, event: CalendarEvent, calendar: Sequence[CalendarEvent]) -> bool:
    """Whether a ban closes an event.

    One with a `count` closes the official events that it covers, and a cup that begins before the
    last of them is over: as long as the calendar holds fewer, any cup. One without closes whatever
    it reaches.

    >>> cup = CalendarEvent(9, date(2006, 8, 1), date(2006, 12, 1), (2006, 9), "cup")
    >>> blocks(Ban("events", date(2006, 7, 1), count=1), cup, [])
    True
    """
    if not reaches(ban, event) or ban.count is None:
        return reaches(ban, event)
    covered = covers(ban, [*calendar, event])
    if event.official:
        return event.key in {each.key for each in covered}
    return len(covered) < ban.count or event.starts_on <= max(each.ends_on for each in covered)


def reaches(ban: Ban, event: CalendarEvent) -> bool:
    """Whether a ban concerns an event of that kind, at that time.

    A disqualification is for following events, those that begin from its first day on; the black
    list and expulsion, which have no count, close also an event under way.
    """
    following = ban.scope == "events" or ban.count is not None
    day = event.starts_on if following else event.ends_on
    return event.kind in REACH[ban.scope] and day >= ban.starts_on


def covers(ban: Ban, calendar: Sequence[CalendarEvent]) -> list[CalendarEvent]:
    """The official events that a ban covers, in order: as many of its `count` as there are yet.

    The next ones that begin, whatever their season; an event that is cancelled does not count, and
    the one after it does. Without a count, all of them.
    """
    once = {event.key: event for event in calendar}.values()
    counted = [
        event for event in once if event.official and not event.cancelled and reaches(ban, event)
    ]
    return sorted(counted, key=in_calendar)[: ban.count]


def in_calendar(event: CalendarEvent) -> tuple[date, tuple[int, ...]]:
    """A key to sort by: the day on which an event begins, then season and number."""
    return event.starts_on, event.ordinal_key


# --- the event of two years before ----------------------------------------------------------------


def corresponding(
    town: str, ordinal: int, name: str, candidates: Sequence[Candidate]
) -> PlayerId | None:
    """H-04 — the event of two years before that a new one replaces in the ranking: a proposal.

    Of the candidates not taken yet: one of the same series or town, else the one with the same
    number in its season, else none, and the director decides. Several of a kind: the same series
    goes before the same town, then the number nearest to its own. Refuses nothing.

    >>> before = [Candidate("04A", "Modena", 1, "Trofeo Ghirlandina 2004"),
    ...           Candidate("04B", "Roma", 2, "Trofeo Capitale 2004")]
    >>> corresponding("Roma", 1, "Terzo raduno", before), corresponding("Bari", 1, "Raduno", before)
    ('04B', '04A')
    """
    free = [each for each in candidates if not each.taken]
    kin = [each for each in free if same_series(each.name, name) or same_town(each.town, town)]
    if kin:
        nearest = min(
            kin,
            key=lambda each: (
                not same_series(each.name, name),
                not same_town(each.town, town),
                abs(each.ordinal - ordinal),
                each.ordinal,
            ),
        )
        return nearest.key
    return next((each.key for each in free if each.ordinal == ordinal), None)


def same_town(one: str, other: str) -> bool:
    """Whether two towns are written with the same letters; no town is no town's."""
    return letters(one) == letters(other) != ""


def same_series(one: str, other: str) -> bool:
    """Whether two names differ by their year or number only, in figures or Roman numerals.

    >>> same_series("IX Trofeo d'Autunno '04", "11° trofeo d'autunno 2006")
    True
    """
    return series(one) == series(other) != ""


NUMBER = re.compile(r"[\W\d]*\d(?:[\W\d]*|[aoªº]|st|nd|rd|th)", re.IGNORECASE)
ROMAN = re.compile(r"(?:xl|l?x{0,3})(?:ix|iv|v?i{0,3})[°ªº.]?", re.IGNORECASE)


def series(name: str) -> str:
    """A name's letters, without the words that only number it."""
    words = name.split()
    return "".join(
        letters(word) for word in words if not (NUMBER.fullmatch(word) or ROMAN.fullmatch(word))
    )
