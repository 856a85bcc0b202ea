"""Clubs, their players and their teams, for the tests of the team championship."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from datetime import UTC, datetime

from figf.tests.cast import (
    NOW,
    SEATS,
    Federation,
    make_cast,
    make_player,
    make_season,
    make_title,
)
from rankings import services
from rankings.models import Cup, Team
from tournaments import services as tournaments
from tournaments.models import Club, Player, Title


def make_club(name: str, now: datetime = NOW) -> Club:
    found = Club.objects.filter(name=name).first()
    return found or tournaments.register_club(name, name, make_cast(now).sara, now)


def make_members(club: Club | None, *surnames: str, now: datetime = NOW) -> list[Player]:
    """New players of a club, or of none."""
    players = [make_player(surname, now=now) for surname in surnames]
    Player.objects.filter(pk__in=[player.pk for player in players]).update(club=club)
    return list(Player.objects.filter(pk__in=[p.pk for p in players]).order_by("pk"))


def make_four(name: str, now: datetime = NOW) -> tuple[Club, list[Player]]:
    """A club and four of its players: Modena 1, Modena 2…"""
    club = make_club(name, now)
    return club, make_members(club, *(f"{name} {n}" for n in range(1, 5)), now=now)


def make_titles(now: datetime = NOW) -> list[Title]:
    """The four titles of the games (L-09)."""
    for code in SEATS:
        make_title(code, now)
    Title.objects.filter(code__in=SEATS).update(cup_title=True)
    return services.cup_titles()


def make_cup(year: int = 2027, now: datetime = NOW) -> Cup:
    return services.open_teams(make_season(year, now), make_cast(now).sara, now)


def enrol(cup: Cup, name: str, now: datetime = NOW) -> Team:
    """A club made for the purpose enrols four of its players."""
    club, four = make_four(name, now)
    return services.submit_team(cup, club, "", four, make_cast(now).sara, now)


def assign(team: Team, titles: Sequence[Title], now: datetime = NOW) -> Team:
    """Each of the four plays a title, in their order."""
    members = list(team.members.all())
    chosen: Mapping[int, Title] = {
        member.player_id: title for member, title in zip(members, titles, strict=True)
    }
    return services.assign_titles(team, chosen, make_cast(now).sara, now)


# --- for the tests that visit every page ----------------------------------------------------------


def enrolling(found: Federation) -> Cup:
    """The championship of the next year, where Bruno's club has enrolled a team."""
    year = found.event.season.year + 1
    cup = Cup.objects.filter(kind=Cup.Kind.TEAMS, season__year=year).first()
    if cup is not None:
        return cup
    now = datetime(year - 1, 3, 1, 12, tzinfo=UTC)
    cup = make_cup(year, now)
    club = make_club("Dopolavoro Ferroviario", now)
    three = make_members(club, "Scambista", "Casellante", "Fuochista", now=now)
    bruno = found.cast.bruno.player
    Player.objects.filter(pk=bruno.pk).update(club=club)
    bruno.refresh_from_db()
    services.submit_team(cup, club, "I Fuochisti", [bruno, *three], found.cast.sara, now)
    return cup


def his_address(found: Federation) -> tuple[int, int]:
    """Where the team of Bruno's club is: year and key."""
    cup = enrolling(found)
    return cup.season.year, cup.teams.get().pk


def admitting(found: Federation) -> Cup:
    """That of two years ago, past its term: six level teams for five places."""
    year = found.event.season.year - 2
    cup = Cup.objects.filter(kind=Cup.Kind.TEAMS, season__year=year).first()
    if cup is not None:
        return cup
    before = datetime(year - 1, 12, 1, 12, tzinfo=UTC)
    cup = make_cup(year, before)
    for n in range(1, 7):
        services.accept_team(enrol(cup, f"Fermata {n}", before), found.cast.sara, before)
    return cup


def admitted_address(found: Federation) -> tuple[int, int]:
    """A team admitted, whose tables are still to be formed: that of three years ago."""
    year = found.event.season.year - 3
    cup = Cup.objects.filter(kind=Cup.Kind.TEAMS, season__year=year).first()
    if cup is None:
        before = datetime(year - 1, 12, 1, 12, tzinfo=UTC)
        make_titles(before)
        cup = make_cup(year, before)
        for n in range(1, 4):
            services.accept_team(enrol(cup, f"Deviatoio {n}", before), found.cast.sara, before)
        after = datetime(year, 1, 2, 12, tzinfo=UTC)
        services.admit_teams(cup, found.cast.sara, after, note="Si gioca subito")
    return year, cup.teams.earliest("pk").pk


def playing(found: Federation) -> Cup:
    """The championship of the year, at its games: three teams, one of them with a guest."""
    year = found.event.season.year
    cup = Cup.objects.filter(kind=Cup.Kind.TEAMS, season__year=year).first()
    if cup is not None:
        return cup
    sara = found.cast.sara
    before = datetime(year - 1, 12, 1, 12, tzinfo=UTC)
    after = datetime(year, 1, 2, 12, tzinfo=UTC)
    titles = make_titles(before)
    cup = make_cup(year, before)
    for name in ("Binario Unico", "Porto Vecchio"):
        enrol(cup, name, before)
    club = make_club("Valico", before)
    three = make_members(club, "Valico 1", "Valico 2", "Valico 3", now=before)
    guest = make_members(None, "Viandante", now=before)
    services.submit_team(cup, club, "", [*three, *guest], sara, before)
    for team in services.teams_of(cup):
        services.accept_team(team, sara, after)
    services.admit_teams(cup, sara, after, note="Si gioca subito")
    for team in services.teams_of(cup):
        assign(team, titles, after)
    services.form_team_tables(cup, found.cast.director, sara, after)
    return Cup.objects.get(pk=cup.pk)
