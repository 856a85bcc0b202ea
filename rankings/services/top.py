"""The top of the standings, as the first page shows it: read from one ledger."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from datetime import date

from rankings.rules import two_years
from rankings.rules.two_years import Moment
from rankings.services.ledger import ledger
from rankings.services.standings import AbsoluteRow, absolute_of
from tournaments.models import Event, Player
from tournaments.rules.regulation import PlayerId, places
from tournaments.services import struck_off


@dataclass(frozen=True, slots=True)
class First:
    """One of the first of a standing: his place and his points."""

    player: Player
    place: int
    points: int


@dataclass(frozen=True, slots=True)
class Top:
    """The first of the ranking, of the last event closed, and of the absolute of its season."""

    ranking: tuple[First, ...] = ()
    event: Event | None = None
    of_event: tuple[First, ...] = ()
    absolute: tuple[AbsoluteRow, ...] = ()


def top_of(day: date, most: int = 5) -> Top:
    """The first `most` of each on `day`; who shares the last place with another may be left out.

    Empty where no official event was closed in the last years. Radiated players are not named
    (O-16): they leave the ranking, and the event without them.
    """
    book = ledger({day.year})
    counted = [e for e in two_years.counted(book.calendar) if e.moment <= Moment(day)]
    if not counted:
        return Top()
    last = max(counted, key=lambda edition: edition.moment)
    event = book.events[int(last.key)]
    struck = struck_off()
    points = {key: n for key, n in book.ranking(Moment(day)).items() if int(key) not in struck}
    stood = dict(zip(points, places(list(points.values())), strict=True))
    outcomes = book.outcomes[last.key]
    reached = {key: o.place for key, o in outcomes.items() if int(key) not in struck}
    people = Player.objects.in_bulk({int(key) for key in (*stood, *reached)})
    return Top(
        _first(stood, points, people, most),
        event,
        _first(reached, {key: o.points for key, o in outcomes.items()}, people, most),
        absolute_of(event.season, book=book).rows[:most],
    )


def _first(
    stood: Mapping[PlayerId, int],
    points: Mapping[PlayerId, int],
    people: Mapping[int, Player],
    most: int,
) -> tuple[First, ...]:
    rows = [First(people[int(key)], place, points[key]) for key, place in stood.items()]
    rows.sort(key=lambda row: (row.place, row.player.sort_key, row.player.pk))
    return tuple(rows[:most])
