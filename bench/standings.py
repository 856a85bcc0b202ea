"""What do the standings cost? From the root: `python bench/standings.py [SEASONS EVENTS PLAYERS]`.

Makes a calendar out of a fixed seed (20 seasons of 10 events of 60 players, unless told; from 3 to
100 seasons), each event replacing the one of two years before with its number. Of the rules alone:
the ranking brought on by one event, beside the whole ranking made again, and the absolute of a
season beside a plain sum of the same points. Of the services, with the history in an SQLite file of
its own: queries and time of the ranking and of the absolute, with 3 seasons in the books and with
all. Best of 15 runs; only the ratios and the counts matter. Exit status 1 if two ways to the same
standing differ, or if more seasons take other queries; 2 if the arguments are no such numbers.
"""

import os
import platform
import sqlite3
import sys
from collections import deque
from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from datetime import UTC, date, datetime, timedelta
from pathlib import Path
from random import Random
from tempfile import TemporaryDirectory
from time import perf_counter
from typing import Any

sys.path.insert(0, str(Path(__file__).resolve().parents[1]))

import django
from django.core.management import call_command
from django.db import connection
from django.db.models import F
from django.test.utils import CaptureQueriesContext

from rankings.rules import absolute, two_years
from rankings.rules.readings import readings_of
from rankings.rules.two_years import Edition, EventId, Moment, Outcome, Outcomes
from tournaments.rules.regulation import PlayerId
from tournaments.rules.standing import points

os.environ["DJANGO_SETTINGS_MODULE"] = "figf.tests.settings"
os.environ.pop("DATABASE_URL", None)  # nobody's books are written into
os.environ.pop("REDIS_URL", None)
django.setup()

from rankings import services  # noqa: E402
from tournaments.models import Event, EventPlace, Player, Season  # noqa: E402
from tournaments.rules import registry  # noqa: E402

RUNS = 15
FEW, MOST = 3, 100  # seasons; three are what the ranking of one day reads
LAST = 2025
FACTOR = 3  # of every event: two prove
SEED = 2006


@dataclass(frozen=True)
class Books:
    """The history: events numbered through from 1, players from 1; the last season is open."""

    calendar: tuple[Edition, ...]
    closes: Mapping[int, date]
    outcomes: Outcomes
    events: int  # of each season

    @property
    def end(self) -> Moment:
        """When the last event of all was over."""
        return self.calendar[-1].moment

    def of_season(self, year: int) -> list[Edition]:
        return [edition for edition in self.calendar if edition.year == year]


def invented(seasons: int, events: int, players: int) -> Books:
    """In every event all play, in a new order; a fifth of them win a game."""
    random = Random(SEED)
    years = range(LAST - seasons + 1, LAST + 1)
    calendar: list[Edition] = []
    outcomes: dict[EventId, Mapping[PlayerId, Outcome]] = {}
    for key in range(1, seasons * events + 1):
        season, number = divmod(key - 1, events)
        ends_on = date(years[season], 1, 7) + timedelta(days=340 * number // events)
        replaces = key - 2 * events if season >= two_years.YEARS else None
        calendar.append(Edition(key, years[season], number + 1, ends_on, replaces=replaces))
        order = random.sample(range(1, players + 1), players)
        won = set(random.sample(order, -(-players // 5)))
        outcomes[key] = {
            player: Outcome(place, points(place, FACTOR), int(player in won))
            for place, player in enumerate(order, start=1)
        }
    closes = {year: date(year, 12, 31) for year in years[:-1]}
    return Books(tuple(calendar), closes, outcomes, events)


def best(work: Callable[[], Any]) -> float:
    """The shortest of the runs, in seconds."""
    times = []
    for _ in range(RUNS):
        started = perf_counter()
        work()
        times.append(perf_counter() - started)
    return min(times)


def say(*lines: str) -> None:
    sys.stdout.write("".join(line + "\n" for line in lines))
    sys.stdout.flush()


# --- the rules ------------------------------------------------------------------------------------


def ranking(books: Books) -> bool:
    """One event more: from the state before, or from nothing."""

    def again(until: Moment) -> tuple[tuple[Any, ...], dict[Any, int]]:
        window = two_years.window(books.calendar, books.closes, until)
        return window, two_years.points(window, books.outcomes)

    def history() -> Iterator[two_years.State]:
        return two_years.history(books.calendar, books.closes, books.outcomes)

    states = list(history())
    equal = all((state.window, dict(state.points)) == again(state.moment) for state in states)
    on = best(lambda: deque(history(), maxlen=0)) / len(states)
    whole = best(lambda: again(books.end))
    say(
        f"the ranking brought on by one event      {on * 1e6:8,.0f} µs",
        f"the whole ranking made again             {whole * 1e6:8,.0f} µs, "
        f"{whole / on:.1f} times as much",
        f"  in each of {len(states)} states the two are {'equal' if equal else 'DIFFERENT'}",
    )
    return equal


def last_season(books: Books) -> tuple[absolute.Season, dict[Any, int]]:
    """The season, and the ranking that tells equals apart in it (G-06)."""
    season = absolute.Season(tuple(books.outcomes[int(e.key)] for e in books.of_season(LAST)))
    window = two_years.window(books.calendar, books.closes, books.end, keeps=LAST)
    return season, two_years.points(window, books.outcomes)


def championship(books: Books) -> bool:
    """A season's absolute, with its drop, its criteria and its reasons; or the sum alone."""
    (season, before), readings = last_season(books), readings_of(LAST)

    def summed() -> dict[Any, int]:
        found: dict[Any, int] = {}
        for event in season.events:
            for player, outcome in (event or {}).items():
                found[player] = found.get(player, 0) + outcome.points
        return found

    rows = absolute.standing(season, before, readings)
    equal = {row.key: row.total + row.dropped for row in rows} == summed()
    ours = best(lambda: absolute.standing(season, before, readings))
    plain = best(summed)
    say(
        f"the absolute of a season                 {ours * 1e6:8,.0f} µs",
        f"a plain sum of the same points           {plain * 1e6:8,.0f} µs, of which the absolute "
        f"is {ours / plain:.1f} times",
        f"  totals and what was dropped make the sum: {'yes' if equal else 'NO'}",
    )
    return equal


# --- the services ---------------------------------------------------------------------------------


def write_people(count: int) -> None:
    Player.objects.bulk_create(
        Player(pk=n, surname=f"Viaggiatore {n:03}", sort_key=f"viaggiatore {n:03}")
        for n in range(1, count + 1)
    )


def write(books: Books, years: Sequence[int]) -> None:
    """These seasons as seasons of the history, and the links to those that are in the books."""
    for year in years:
        closed = datetime(year, 12, 31, 12, tzinfo=UTC) if year in books.closes else None
        Season.objects.create(pk=year, year=year, closed_at=closed)
        editions = books.of_season(year)
        Event.objects.bulk_create(
            Event(
                pk=each.key,
                season_id=year,
                ordinal=each.ordinal,
                name=f"Raduno {each.ordinal}",
                regulation=registry.DEFAULT,
                status=Event.Status.CLOSED,
                starts_on=each.ends_on,
                ends_on=each.ends_on,
                imported=True,
            )
            for each in editions
        )
        EventPlace.objects.bulk_create(
            EventPlace(
                event_id=each.key, player_id=player, place=o.place, points=o.points, wins=o.wins
            )
            for each in editions
            for player, o in books.outcomes[int(each.key)].items()
        )
    back = two_years.YEARS * books.events
    first = Event.objects.order_by("pk").values_list("pk", flat=True)[0]
    Event.objects.filter(pk__gte=first + back).update(replaces=F("pk") - back)


@dataclass(frozen=True)
class Cost:
    queries: int
    seconds: float

    def __format__(self, _spec: str) -> str:
        return f"{self.queries:3} queries {self.seconds * 1e3:7.1f} ms  "


def cost(work: Callable[[], Any]) -> Cost:
    with CaptureQueriesContext(connection) as captured:
        work()
    return Cost(len(captured), best(work))


def agree(books: Books) -> bool:
    """Whether the services say what the rules say of the history in memory."""
    window = two_years.window(books.calendar, books.closes, books.end)
    ranked = {row.player.pk: row.points for row in services.ranking_on(books.end.day).rows}
    rows = {each.row for each in services.absolute_of(Season.objects.get(year=LAST)).rows}
    return ranked == two_years.points(window, books.outcomes) and rows == set(
        absolute.standing(*last_season(books), readings_of(LAST))
    )


def in_the_books(books: Books, seasons: int, players: int) -> bool:
    """Few seasons in the books, then all of them: the standings of the last day are the same."""
    last = Season(pk=LAST, year=LAST)
    works: dict[str, Callable[[], Any]] = {
        "ranking_on(the last day)": lambda: services.ranking_on(books.end.day),
        "absolute_of(the last season)": lambda: services.absolute_of(last),
    }
    years = range(LAST, LAST - seasons, -1)
    write_people(players)
    write(books, years[:FEW])
    equal = agree(books)
    few = {name: cost(work) for name, work in works.items()}
    write(books, years[FEW:])
    equal = equal and agree(books)
    many = {name: cost(work) for name, work in works.items()}
    same = all(few[name].queries == many[name].queries for name in works)
    say("", f"{'with seasons in the books':30}{FEW:12}{seasons:24}")
    for name in works:
        ratio = many[name].seconds / few[name].seconds
        say(f"{name:30}{few[name]}{many[name]}  {ratio:5.2f} times the time")
    say(
        f"  the queries are {'as many' if same else 'NOT AS MANY'}; "
        f"with what the rules alone say they are {'equal' if equal else 'DIFFERENT'}"
    )
    return same and equal


def sizes(arguments: Sequence[str]) -> tuple[int, int, int] | None:
    """Seasons, events and players; None if the arguments are not three, or make no history."""
    if not arguments:
        return 20, 10, 60
    if len(arguments) != 3 or not all(word.isascii() and word.isdigit() for word in arguments):
        return None
    seasons, events, players = map(int, arguments)
    sensible = FEW <= seasons <= MOST and events and players
    return (seasons, events, players) if sensible else None


def main() -> int:
    """Print the ratios of the rules, then the table of the services."""
    asked = sizes(sys.argv[1:])
    if asked is None:
        say(f"python bench/standings.py [SEASONS EVENTS PLAYERS]: from {FEW} to {MOST} seasons")
        return 2
    seasons, events, players = asked
    books = invented(seasons, events, players)
    say(
        f"{seasons} seasons of {events} events of {players} players, seed {SEED}; "
        f"{platform.python_implementation()} {platform.python_version()}, "
        f"SQLite {sqlite3.sqlite_version}; best of {RUNS}",
    )
    rules = [ranking(books), championship(books)]
    with TemporaryDirectory(prefix="figf-bench-") as folder:
        connection.settings_dict["NAME"] = str(Path(folder) / "figf.sqlite3")
        call_command("migrate", verbosity=0)
        try:
            pages = in_the_books(books, seasons, players)
        finally:
            connection.close()
    return 0 if all(rules) and pages else 1


if __name__ == "__main__":
    raise SystemExit(main())
