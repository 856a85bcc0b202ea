"""What the federation registers: clubs, titles, seasons, players and the referees among them."""

from __future__ import annotations

from datetime import date, datetime
from decimal import Decimal

from django.db import transaction
from django.utils.translation import gettext as _

from figf.errors import Refused
from figf.models import LogEntry, User
from tournaments.models import Club, Player, RefereeTerm, Season, Title
from tournaments.rules import names


@transaction.atomic
def register_club(name: str, town: str, by: User, now: datetime) -> Club:
    """A club on the books. Refuses a name already there (`club_exists`)."""
    club, created = Club.objects.get_or_create(name=" ".join(name.split()), defaults={"town": town})
    if not created:
        raise Refused("club_exists", _("This club is already on the books."), field="name")
    LogEntry.objects.record(by, "register_club", club, now)
    return club


@transaction.atomic
def register_title(code: str, name: str, fewest: int, most: int, by: User, now: datetime) -> Title:
    """A railway title and its seats (A-05). Refuses impossible seats (`title_seats`)."""
    if not 2 <= fewest <= most:
        raise Refused(
            "title_seats", _("From how many players to how many?"), rule="A-05", field="most"
        )
    title = Title.objects.create(code=code, name=name, min_players=fewest, max_players=most)
    LogEntry.objects.record(by, "register_title", title, now)
    return title


@transaction.atomic
def open_season(year: int, contribution: Decimal | int | None, by: User, now: datetime) -> Season:
    """A season, with what organisers owe the federation for each entrant (A-12)."""
    season = Season.objects.create(year=year, contribution=contribution)
    LogEntry.objects.record(by, "open_season", season, now)
    return season


@transaction.atomic
def register_player(
    surname: str,
    name: str,
    by: User,
    now: datetime,
    *,
    club: Club | None = None,
    town: str = "",
    nationality: str = "IT",
    email: str = "",
) -> Player:
    """A person on the books. Refuses an empty surname (`surname_missing`)."""
    surname, name = " ".join(surname.split()), " ".join(name.split())
    if not surname:
        raise Refused("surname_missing", _("Write the surname."), field="surname")
    player = Player.objects.create(
        surname=surname,
        name=name,
        sort_key=names.sort_key(surname, name),
        club=club,
        town=town,
        nationality=nationality,
        email=email.strip().lower(),
    )
    LogEntry.objects.record(by, "register_player", player, now)
    return player


@transaction.atomic
def appoint_referee(
    player: Player, starts_on: date, by: User, now: datetime, *, ends_on: date | None = None
) -> RefereeTerm:
    """`player` holds the qualification of referee (*Arbitro*) from a day on."""
    term = RefereeTerm.objects.create(player=player, starts_on=starts_on, ends_on=ends_on)
    LogEntry.objects.record(by, "appoint_referee", player, now, term=term.pk)
    return term
