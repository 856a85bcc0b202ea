"""FIGF, chapter 9 of the regulation of 2006: the two-year ranking (*Ranking FIGF*).

The text is five lines (000:98-102). The ranking adds up what the events of a window are worth: each
enters it when it ends, and leaves it when the event that corresponds to it two years later does.
`window` and `points` find a state from nothing; `history` goes from each state to the next.

Moments put everything in one order: the end of an event, then its season and number; a season
closes after all that ended on that day (rulings A-01, H-05, H-08).
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from datetime import date
from enum import StrEnum
from itertools import groupby
from types import MappingProxyType
from typing import Literal, NamedTuple, TypeAlias

from tournaments.rules.regulation import PlayerId

EventId: TypeAlias = int | str
Held: TypeAlias = Literal["closed", "open", "off"]

GAME_WON = 10  # points for each (000:101)
YEARS = 2  # how long an event stays (000:100)
AFTER_ALL = (9999, 9999)  # a season closes when all that ended on its day has ended


class Moment(NamedTuple):
    """A point of the one order of events: day, then season and number in it."""

    day: date
    number: tuple[int, int] = AFTER_ALL


@dataclass(frozen=True, slots=True)
class Edition:
    """An official event as the ranking sees it.

    `held`: "closed" and validated, still "open" (to be played or to be closed), or "off" (a draft,
    cancelled, not valid). `replaces` is the event of two years before that corresponds to it.
    """

    key: EventId
    year: int
    ordinal: int
    ends_on: date
    held: Held = "closed"
    replaces: EventId | None = None

    @property
    def moment(self) -> Moment:
        return Moment(self.ends_on, (self.year, self.ordinal))


@dataclass(frozen=True, slots=True)
class Outcome:
    """What a player has of one event: his place in it, its points, the games he won there."""

    place: int
    points: int
    wins: int = 0

    @property
    def worth(self) -> int:
        """In points of the ranking (H-01, H-02)."""
        return self.points + games_won(self.wins)


Outcomes: TypeAlias = Mapping[EventId, Mapping[PlayerId, Outcome]]
Closes: TypeAlias = Mapping[int, date]  # by year, the day on which its season was closed


class Leaving(StrEnum):
    """Why an event leaves the window."""

    REPLACED = "replaced"  # its corresponding event was closed
    SEASON = "season"  # no event corresponds to it, and the season ended


class Departure(NamedTuple):
    """When an event leaves, and why; `moment` is None while nobody knows: its heir is open.

    `heir` is the event that corresponds to it, closed or still open.
    """

    moment: Moment | None
    why: Leaving
    heir: EventId | None = None


@dataclass(frozen=True, slots=True)
class State:
    """The ranking between one change and the next: `window` in order, `points` of who has any.

    `after` is the event whose end brought it about; None for the close of a season.
    """

    moment: Moment
    after: EventId | None
    window: tuple[EventId, ...]
    points: Mapping[PlayerId, int]


# --- the items, in order --------------------------------------------------------------------------


def points(window: Iterable[EventId], outcomes: Outcomes) -> dict[PlayerId, int]:
    """H-01 — the ranking adds up the points of the events of the window, those of the absolute.

    By player, of who has any: there is no drop here. Refuses nothing.

    >>> points(["05A"], {"05A": {"x": Outcome(4, 36), "z": Outcome(1, 100, wins=2),
    ...                          "w": Outcome(11, 0)}})
    {'x': 36, 'z': 120}
    """
    found: dict[PlayerId, int] = {}
    for event in window:
        for player, outcome in outcomes.get(event, {}).items():
            found[player] = found.get(player, 0) + outcome.worth
    return {player: total for player, total in found.items() if total}


def games_won(wins: int) -> int:
    """H-02 — ten points for each game won in an official event, also beyond the tenth place.

    Each table of a double round is a game, and each of several firsts has won it. Refuses nothing.

    >>> games_won(2)
    20
    """
    return GAME_WON * wins


def window(
    calendar: Sequence[Edition], closes: Closes, until: Moment, *, keeps: int | None = None
) -> tuple[EventId, ...]:
    """H-03 — after each event its points enter, and those of its corresponding event leave.

    The events whose points count at the moment `until`, in order; `calendar` are the official
    events of all seasons. Of the season `keeps`, the close is left out: what would leave by it
    stays (G-06). Refuses nothing.

    >>> calendar = [Edition("04A", 2004, 1, date(2004, 3, 7)),
    ...             Edition("04B", 2004, 2, date(2004, 9, 5)),
    ...             Edition("05A", 2005, 1, date(2005, 3, 6)),
    ...             Edition("06A", 2006, 1, date(2006, 3, 5), replaces="04A")]
    >>> window(calendar, {}, Moment(date(2006, 1, 1)))
    ('04A', '04B', '05A')
    >>> window(calendar, {}, Moment(date(2006, 3, 5)))
    ('04B', '05A', '06A')
    >>> window(calendar, {}, Moment(date(2006, 12, 31)))
    ('05A', '06A')
    """
    heirs = {each.replaces: each for each in calendar if each.replaces is not None}
    found = []
    for event in sorted(calendar, key=lambda each: each.moment):
        if event.held != "closed" or event.moment > until:
            continue
        gone = departure(event, heirs.get(event.key), closes)
        kept = gone.why == Leaving.SEASON and event.year + YEARS == keeps
        if kept or gone.moment is None or gone.moment > until:
            found.append(event.key)
    return tuple(found)


def departure(event: Edition, heir: Edition | None, closes: Closes) -> Departure:
    """H-05, H-06 — what corresponds to no event played leaves when the season ends, and not before.

    The season is that of two years later; it ends when it is closed, at the latest on 31 December.
    Then an event leaves without an `heir`, or whose heir was cancelled. One whose heir is still to
    be played or closed waits for it, also beyond that day (ruling H-05). Refuses nothing.

    >>> old = Edition("04A", 2004, 1, date(2004, 3, 7))
    >>> departure(old, Edition("06A", 2006, 1, date(2006, 3, 5), "off", "04A"), {}).moment.day
    datetime.date(2006, 12, 31)
    >>> departure(old, Edition("06A", 2006, 1, date(2006, 3, 5), "open", "04A"), {}).moment is None
    True
    """
    year = event.year + YEARS
    last = date(year, 12, 31)
    if heir is not None and heir.held == "closed":
        return Departure(max(heir.moment, event.moment), Leaving.REPLACED, heir.key)
    if heir is not None and heir.held == "open" and year not in closes:
        return Departure(None, Leaving.REPLACED, heir.key)
    return Departure(Moment(min(closes.get(year, last), last)), Leaving.SEASON)


def counted(calendar: Iterable[Edition]) -> tuple[Edition, ...]:
    """H-07 — outside are cups and friendly games, and events that were not valid.

    Whoever gathers the calendar hands in the official events only; of these, in order, the ones
    that were closed. Refuses nothing.

    >>> counted([Edition("b", 2006, 2, date(2006, 5, 7)), Edition("c", 2006, 3, date(2006, 6, 4),
    ...          "off"), Edition("a", 2006, 1, date(2006, 3, 5))])[0].key
    'a'
    """
    return tuple(
        sorted((e for e in calendar if e.held == "closed"), key=lambda event: event.moment)
    )


def history(calendar: Sequence[Edition], closes: Closes, outcomes: Outcomes) -> Iterator[State]:
    """H-08 — a state after every event and every close of a season that changes it, in order.

    Each is made of the one before, by adding what enters and taking away what leaves: whatever the
    order in which events were closed. Equal to `window` and `points` at that moment. Refuses
    nothing.

    >>> calendar = [Edition("05A", 2005, 1, date(2005, 3, 6)),
    ...             Edition("07A", 2007, 1, date(2007, 3, 4), replaces="05A")]
    >>> outcomes = {"05A": {"x": Outcome(4, 36)},
    ...             "07A": {"x": Outcome(11, 0, wins=1), "y": Outcome(1, 75)}}
    >>> [dict(state.points) for state in history(calendar, {}, outcomes)]
    [{'x': 36}, {'x': 10, 'y': 75}, {}]
    """
    heirs = {each.replaces: each for each in calendar if each.replaces is not None}
    changes: list[tuple[Moment, EventId, int]] = []
    for event in counted(calendar):
        changes.append((event.moment, event.key, 1))
        gone = departure(event, heirs.get(event.key), closes).moment
        if gone is not None:
            changes.append((max(gone, event.moment), event.key, -1))
    ended = {event.moment: event.key for event in counted(calendar)}
    present: dict[EventId, None] = {}
    found: dict[PlayerId, int] = {}
    for moment, together in groupby(sorted(changes, key=_when), key=lambda change: change[0]):
        for _moment, event_id, sign in together:
            if sign > 0:
                present[event_id] = None
            else:
                del present[event_id]
            for player, outcome in outcomes.get(event_id, {}).items():
                found[player] = found.get(player, 0) + sign * outcome.worth
                if not found[player]:
                    del found[player]
        yield State(moment, ended.get(moment), tuple(present), MappingProxyType(dict(found)))


def _when(change: tuple[Moment, EventId, int]) -> tuple[Moment, int]:
    """By moment; of one moment, what enters before what leaves."""
    return change[0], -change[2]
