"""The years of the calendar, and what organisers owe in each."""

from __future__ import annotations

from datetime import datetime
from decimal import Decimal

from django.db import transaction
from django.utils.translation import gettext as _

from figf.errors import Refused
from figf.models import LogEntry, User
from tournaments.models import Season

FIRST_YEAR = 1980  # nobody played before
YEARS_AHEAD = 3  # calendars are not made longer before


@transaction.atomic
def open_season(year: int, contribution: Decimal | int | None, by: User, now: datetime) -> Season:
    """A season, with what organisers owe the federation for each entrant (A-12).

    Refuses a year that is there (`season_exists`) or that no calendar could be of (`season_year`),
    and a negative contribution (`contribution_negative`, A-12).
    """
    if not FIRST_YEAR <= year <= now.year + YEARS_AHEAD:
        raise Refused(
            "season_year",
            _("A season is a year from %(first)d to %(last)d.")
            % {"first": FIRST_YEAR, "last": now.year + YEARS_AHEAD},
            field="year",
        )
    _refuse_negative(contribution)
    season, created = Season.objects.get_or_create(
        year=year, defaults={"contribution": contribution}
    )
    if not created:
        raise Refused("season_exists", _("This season is open already."), field="year")
    LogEntry.objects.record(by, "open_season", season, now)
    return season


@transaction.atomic
def amend_season(
    season: Season, contribution: Decimal | int | None, by: User, now: datetime
) -> Season:
    """Fix what organisers owe for each entrant of the season, or leave it open again (A-12).

    Locks the season. Refuses a negative contribution (`contribution_negative`). The same amount
    again writes nothing.
    """
    season = Season.objects.select_for_update(no_key=True).get(pk=season.pk)
    _refuse_negative(contribution)
    if contribution != season.contribution:
        season.contribution = None if contribution is None else Decimal(contribution)
        season.save(update_fields=["contribution"])
        LogEntry.objects.record(by, "amend_season", season, now)
    return season


def _refuse_negative(contribution: Decimal | int | None) -> None:
    if contribution is not None and contribution < 0:
        raise Refused(
            "contribution_negative",
            _("The contribution cannot be negative."),
            rule="A-12",
            field="contribution",
        )
