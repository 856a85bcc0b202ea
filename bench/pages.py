"""What the public pages cost, with few seasons in the books and with all of them.

    python bench/pages.py [SEASONS EVENTS PLAYERS]     by default 20 seasons, 10 events, 40 players

A made-up federation is written with tables and results, each season but the last closed by its
service, in a SQLite file of its own. Every page goes through the whole of Django, as a visitor
without a log-in asks for it; beside it stands a bare page (a view that answers two letters, through
the same client and middleware) in the same run. Times are the processor's, the best of a few: what
one core answers a second, whatever else the machine is doing.

Exit status: 0; 1 if a page asks the database more often with all seasons than with few, or does not
answer; 2 if the arguments are no such numbers.
"""

import platform
import sqlite3
import sys
from collections.abc import Callable, Iterator, Sequence
from contextlib import contextmanager
from dataclasses import dataclass
from datetime import UTC, date, datetime, timedelta
from functools import partial
from pathlib import Path
from random import Random
from tempfile import TemporaryDirectory
from time import process_time
from typing import Any

sys.path.insert(0, str(Path(__file__).resolve().parents[1]))

from django.core.management import call_command
from django.db import connection
from django.http import HttpRequest, HttpResponse
from django.test import Client, override_settings
from django.test.utils import CaptureQueriesContext
from django.urls import NoReverseMatch, path, reverse
from django.utils import timezone

from bench.standings import FEW, RUNS, say, sizes  # which sets Django up, on SQLite
from figf import urls
from figf.models import User
from rankings.services import close_season
from tournaments.models import (
    Entry,
    Event,
    Holder,
    Player,
    Prova,
    Result,
    ResultLine,
    Round,
    Season,
    Seat,
    Table,
    Title,
)
from tournaments.rules import registry
from tournaments.rules.regulation import Seat as Sat
from tournaments.rules.regulation import Table as Played

SEATS = 5
TITLES = ("1830", "1849", "1856", "1870")
PROVE = 2  # of an event, of one round each
SEED = 2006
RULES = registry.REGULATIONS[registry.DEFAULT]


def bare(_request: HttpRequest) -> HttpResponse:
    return HttpResponse("ok")


urlpatterns = [path("bare/", bare, name="bare"), *urls.urlpatterns]


# --- the books ------------------------------------------------------------------------------------


class Federation:
    """A history until last year, whose last season is open and whose last event is under way."""

    def __init__(self, seasons: int, events: int, players: int) -> None:
        self.random = Random(SEED)
        self.last = timezone.localdate().year - 1
        self.years = range(self.last - seasons + 1, self.last + 1)
        self.events = events
        self.by = User.objects.create_user("sara@example.org", None, "Sara Sportello")
        names = [f"Viaggiatore {n:03}" for n in range(1, players + 1)]
        self.players = Player.objects.bulk_create(
            Player(surname=name, sort_key=name.casefold()) for name in names
        )
        self.titles = Title.objects.bulk_create(
            Title(code=code, name=code, min_players=3, max_players=6) for code in TITLES
        )

    def write(self) -> None:
        for year in self.years:
            season = Season.objects.create(year=year)
            for ordinal in range(1, self.events + 1):
                self._event(season, ordinal)
            if year != self.last:
                close_season(season, self.by, datetime(year, 12, 31, 12, tzinfo=UTC))

    def _event(self, season: Season, ordinal: int) -> None:
        """Two prove; of the last event of all the second is being played."""
        day = date(season.year, 1, 7) + timedelta(days=340 * (ordinal - 1) // self.events)
        under_way = (season.year, ordinal) == (self.last, self.events)
        event = Event.objects.create(
            season=season,
            ordinal=ordinal,
            name=f"Raduno {ordinal}",
            regulation=registry.DEFAULT,
            status=Event.Status.RUNNING if under_way else Event.Status.CLOSED,
            starts_on=day,
            ends_on=day,
            director=self.players[0],
            replaces=Event.objects.filter(season__year=season.year - 2, ordinal=ordinal).first(),
        )
        at = datetime(day.year, day.month, day.day, 15, tzinfo=UTC)
        Entry.objects.bulk_create(
            Entry(event=event, player=player, enrolled_at=at, present=True)
            for player in self.players
        )
        for order in range(1, PROVE + 1):
            title = self.titles[(ordinal + order) % len(TITLES)]
            prova = Prova.objects.create(event=event, title=title, order=order)
            self._round(prova, at, played=not under_way or order < PROVE)

    def _round(self, prova: Prova, at: datetime, *, played: bool) -> None:
        """Tables of five, at random."""
        seated = Round.objects.create(
            prova=prova, number=1, status=Round.Status.PUBLISHED, published_at=at
        )
        status = Table.Status.CONFIRMED if played else Table.Status.PLAYING
        order = self.random.sample(self.players, len(self.players))
        groups = [order[start : start + SEATS] for start in range(0, len(order), SEATS)]
        tables = Table.objects.bulk_create(
            Table(round=seated, number=n, status=status, started_at=at)
            for n in range(1, len(groups) + 1)
        )
        seats = Seat.objects.bulk_create(
            Seat(table=table, position=position)
            for table, group in zip(tables, groups, strict=True)
            for position in range(1, len(group) + 1)
        )
        Holder.objects.bulk_create(
            Holder(seat=seat, player=player) for seat, player in zip(seats, order, strict=True)
        )
        if played:
            self._results(tables, seats, order, at)

    def _results(
        self, tables: Sequence[Table], seats: Sequence[Seat], order: Sequence[Player], at: datetime
    ) -> None:
        results = Result.objects.bulk_create(
            Result(table=table, version=1, state=Result.State.CONFIRMED, by=self.by, at=at)
            for table in tables
        )
        lines: list[ResultLine] = []
        for n, result in enumerate(results):
            chairs = slice(n * SEATS, (n + 1) * SEATS)
            lines += self._lines(result, seats[chairs], order[chairs])
        ResultLine.objects.bulk_create(lines)

    def _lines(
        self, result: Result, seats: Sequence[Seat], players: Sequence[Player]
    ) -> Iterator[ResultLine]:
        """What the regulation says of totals at random."""
        totals = self.random.sample(range(1500, 9000), len(seats))
        sat = tuple(Sat(p.pk, total) for p, total in zip(players, totals, strict=True))
        scores = RULES.score(Played(sat, len(sat), len(sat)), RULES.readings)
        for seat, player, total, score in zip(seats, players, totals, scores, strict=True):
            yield ResultLine(
                result=result,
                seat=seat,
                player=player,
                facts={"cash": total // 3, "stocks": total - total // 3},
                total=total,
                place=score.place,
                points=None if score.points is None else int(score.points * 100),
                win=score.win,
            )


@contextmanager
def in_the_books(seasons: int, events: int, players: int) -> Iterator[None]:
    """A database with that many seasons, for as long as this lasts."""
    with TemporaryDirectory(prefix="figf-bench-") as folder:
        connection.settings_dict["NAME"] = str(Path(folder) / "figf.sqlite3")
        try:
            call_command("migrate", verbosity=0)
            Federation(seasons, events, players).write()
            yield
        finally:
            connection.close()


# --- the pages ------------------------------------------------------------------------------------


def pages() -> Iterator[tuple[str, str, list[Any]]]:
    """What is measured: what it is, and the name and arguments of its address."""
    closed = Event.objects.filter(status=Event.Status.CLOSED).order_by("starts_on")
    last = Season.objects.latest("year").year
    under_way = Event.objects.get(status=Event.Status.RUNNING)
    settled = closed.filter(season__year=last - 1).last()
    counted = closed.last()
    yield "bare page", "bare", []
    yield "home", "home", []
    yield "event, under way", "event", [under_way.pk]
    yield "standing, event under way", "event_standing", [under_way.pk]
    yield "standing, event closed", "event_standing", [counted.pk if counted else 0]
    yield "standing, season closed", "event_standing", [settled.pk if settled else 0]
    yield "player's card", "player", [Player.objects.earliest("pk").pk]
    yield "ranking", "ranking", []
    yield "ranking of a player", "ranking_player", [Player.objects.earliest("pk").pk]
    yield "season", "season", [last]
    yield "absolute, season open", "absolute", [last]
    yield "absolute, season closed", "absolute", [last - 1]
    yield "specialty", "specialty", [last, TITLES[0]]
    yield "roll of honour", "roll_of_honour", []


@dataclass(frozen=True)
class Cost:
    queries: int
    seconds: float
    status: int


def best(work: Callable[[], Any]) -> float:
    """The least of the processor's seconds that it took, of several runs."""
    times = []
    for _ in range(RUNS):
        started = process_time()
        work()
        times.append(process_time() - started)
    return min(times)


def measured() -> dict[str, Cost]:
    """The pages that there are, each read once before it is measured."""
    client, found = Client(headers={"accept-language": "it"}), {}
    for said, name, arguments in pages():
        try:
            address = reverse(name, args=arguments)
        except NoReverseMatch:
            say(f"{said}: there is no page named {name}; skipped")
            continue
        status = client.get(address).status_code
        with CaptureQueriesContext(connection) as captured:
            client.get(address)
        found[said] = Cost(len(captured), best(partial(client.get, address)), status)
    return found


def compare(few: dict[str, Cost], every: dict[str, Cost], seasons: int) -> bool:
    """Print the table; whether all answered, and none asked more with all seasons in the books."""
    say(
        "",
        f"{'':28}{f'{FEW} seasons':>12}{f'{seasons} seasons':>12}",
        f"{'':28}{'queries':>12}{'queries':>12}{'ms':>9}{'a second':>11}{'in bare pages':>16}",
    )
    good = True
    plain = every["bare page"].seconds
    for said, cost in every.items():
        before = few[said]
        grows = cost.queries > before.queries
        broken = {cost.status, before.status} != {200}
        good = good and not grows and not broken
        say(
            f"{said:28}{before.queries:12}{cost.queries:12}{cost.seconds * 1e3:9.1f}"
            f"{1 / cost.seconds:11.1f}{cost.seconds / plain:16.1f}"
            f"{'  THE QUERIES GROW' if grows else ''}{'  DOES NOT ANSWER' if broken else ''}"
        )
    return good


def main() -> int:
    asked = (20, 10, 40) if not sys.argv[1:] else sizes(sys.argv[1:])
    if asked is None or asked[2] % SEATS:
        say(
            f"python bench/pages.py [SEASONS EVENTS PLAYERS]: at least {FEW} seasons, "
            f"and players for tables of {SEATS}"
        )
        return 2
    seasons, events, players = asked
    say(
        f"{seasons} seasons of {events} events of {players} players ({PROVE} rounds of "
        f"{players // SEATS} tables of {SEATS} each), seed {SEED}; "
        f"{platform.python_implementation()} {platform.python_version()}, "
        f"SQLite {sqlite3.sqlite_version}; best of {RUNS}",
    )
    with override_settings(ROOT_URLCONF=__name__, ALLOWED_HOSTS=["testserver"]):
        with in_the_books(FEW, events, players):
            few = measured()
        with in_the_books(seasons, events, players):
            every = measured()
    return 0 if compare(few, every, seasons) else 1


if __name__ == "__main__":
    raise SystemExit(main())
