"""The pages of the standings ask the database as often for a long history as for a short one."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from datetime import UTC, date, datetime, timedelta
from typing import NamedTuple

import pytest
from django.db import connection, transaction
from django.test import Client
from django.test.utils import CaptureQueriesContext
from django.urls import reverse
from django.utils import timezone

from figf.tests.cast import (
    make_cast,
    make_event,
    make_past,
    make_player,
    make_season,
    make_title,
    record,
    seats_of,
    tables_of,
    visitor,
)
from rankings import services
from rankings.models import Cup, Honour, Team, TeamMember
from tournaments import services as tournaments
from tournaments.models import Event, Player, Season

db = pytest.mark.django_db
both = pytest.mark.both


class Size(NamedTuple):
    seasons: int
    events: int  # of each season
    players: int


SHORT = Size(2, 2, 6)
LONG = Size(5, 4, 20)
TITLES = ("1830", "1856")


def last_year() -> int:
    """The last season of the histories: its events count in the ranking of today (H-05)."""
    return timezone.localdate().year - 1


# --- the histories --------------------------------------------------------------------------------


def make_history(size: Size) -> None:
    """Seasons until last year, all closed but the last, each event with all the players.

    Half of the events of the last two seasons have tables, all others are of the history; each
    replaces the one of two years before with its number. The standings of the last two seasons are
    published, and the closed seasons have a team of champions.
    """
    people = make_people(size.players)
    years = range(last_year() - size.seasons + 1, last_year() + 1)
    for year in years:
        for number in range(1, size.events + 1):
            tables = year >= years[-2] and 2 * number > size.events
            event = (play if tables else remember)(year, number, people)
            old = Event.objects.filter(season__year=year - 2, ordinal=number).first()
            Event.objects.filter(pk=event.pk).update(replaces=old)
        if year != years[-1]:
            close(make_season(year), people[:4])
    for year in years[-2:]:
        by, now, season = make_cast().sara, at(year, 12), make_season(year)
        services.publish("absolute", by, now, season=season)
        services.publish("specialty", by, now, season=season, title=make_title(TITLES[0]))
        services.publish("ranking", by, now, day=now.date())


def make_people(count: int) -> list[Player]:
    """Bruno and others, each with a club of his own."""
    cast = make_cast()
    people = [cast.bruno.player, *(make_player(f"Viaggiatore {n:02}") for n in range(1, count))]
    for n, player in enumerate(people):
        club = tournaments.register_club(f"Dopolavoro {n}", "", cast.sara, at(2020, 0))
        Player.objects.filter(pk=player.pk).update(club=club)
    return people


def remember(year: int, number: int, people: Sequence[Player]) -> Event:
    """An event of the history; who comes first is another each time."""
    order = turned(people, year + number)
    points = {player: 10 * (len(order) - n) for n, player in enumerate(order)}
    now = at(year, number)
    return make_past(points, now.date(), wins={order[0]: 1}, name=f"Raduno {number}", now=now)


def play(year: int, number: int, people: Sequence[Player]) -> Event:
    """An event with its tables and their results, closed."""
    now, sara = at(year, number), make_cast().sara
    event = make_event(
        players=turned(people, year + number),
        title=TITLES[number % len(TITLES)],
        name=f"Raduno {number}",
        now=now,
    )
    for table in tables_of(event):
        amounts = [5000 - 500 * n for n in range(len(seats_of(table)))]
        record(table, *amounts, by=sara, now=now)
    return tournaments.close_event(Event.objects.get(pk=event.pk), sara, now)


def close(season: Season, team: Sequence[Player]) -> None:
    """Close the season, of which these four are the champions of the teams too."""
    by, now = make_cast().sara, at(season.year, 12)
    services.close_season(season, by, now)
    cup = Cup.objects.create(kind=Cup.Kind.TEAMS, season=season, by=by, at=now)
    squad = Team.objects.create(cup=cup, name="Dopolavoro", status="admitted", by=by, at=now)
    for position, player in enumerate(team, start=1):
        TeamMember.objects.create(team=squad, player=player, position=position)
    Honour.objects.create(season=season, award=Honour.Award.TEAMS, team=squad, by=by, at=now)


def turned(people: Sequence[Player], by: int) -> list[Player]:
    begin = by % len(people)
    return [*people[begin:], *people[:begin]]


def at(year: int, number: int) -> datetime:
    """A moment of the year for each event; 12 is after them all."""
    return datetime(year, 1, 8, 15, tzinfo=UTC) + timedelta(days=28 * number)


# --- what they ask --------------------------------------------------------------------------------


def pages() -> Iterator[tuple[str, str]]:
    """Name and address of each page: of the season under way, and of the closed one before it."""
    last = last_year()
    yield "ranking", reverse("ranking")
    yield "ranking of a day", reverse("ranking") + f"?al={date(last, 12, 1)}"
    yield "roll of honour", reverse("roll_of_honour")
    for when, year in (("open", last), ("closed", last - 1)):
        yield f"season, {when}", reverse("season", args=[year])
        yield f"absolute, {when}", reverse("absolute", args=[year])
        yield f"specialty, {when}", reverse("specialty", args=[year, TITLES[0]])


def asked(client: Client, path: str) -> int:
    """How many queries a page takes, the second time that it is read."""
    client.get(path)
    with CaptureQueriesContext(connection) as captured:
        assert client.get(path).status_code == 200
    return len(captured)


def counts(size: Size) -> dict[tuple[str, str], int]:
    """The queries of each visitor's pages, with a history of that size which is then forgotten."""
    with transaction.atomic():
        make_history(size)
        expect_everybody(size)
        cast = make_cast()
        found = {
            (who, name): asked(visitor(user), path)
            for who, user in (("nobody", None), ("a player", cast.bruno), ("secretary", cast.sara))
            for name, path in pages()
        }
        transaction.set_rollback(True)
    return found


def expect_everybody(size: Size) -> None:
    """No page is the same for being empty: all players are in every standing."""
    for year in (last_year(), last_year() - 1):
        season, title = make_season(year), make_title(TITLES[0])
        assert len(services.absolute_of(season).rows) == size.players
        assert len(services.absolute_of(season).closed) == size.events
        assert len(services.specialty_of(season, title).rows) == size.players
    assert len(services.ranking_on(timezone.localdate()).rows) == size.players
    assert len(services.roll_of_honour()) == size.seasons


@db
@both
def test_a_long_history_takes_no_more_queries_than_a_short_one() -> None:
    """H-10, F-07, E-07, A-13: ranking, absolute, specialty, season, roll of honour.

    Two seasons of two events and six players, against five of four and twenty.
    """
    assert counts(LONG) == counts(SHORT)
