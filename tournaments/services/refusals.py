"""What the regulation refuses, as every service refuses: in words, with the article."""

from __future__ import annotations

from django.utils.translation import gettext as _

from figf.errors import Refused
from tournaments import texts
from tournaments.models import Event, Season
from tournaments.rules.regulation import Illegal


def refused(illegal: Illegal) -> Refused:
    """The refusal that the web shows for what a rule found illegal."""
    return Refused(
        str(illegal.reason), texts.refusal(illegal), rule=illegal.rule, field=illegal.field
    )


def refuse_closed_season(season: Season) -> None:
    """Refuse to touch what counts in a season whose champions are proclaimed (`season_closed`)."""
    if season.closed_at is not None:
        raise Refused(
            "season_closed",
            _("The season of %(year)d is closed and its champions proclaimed: open it again first.")
            % {"year": season.year},
            rule="F-08",
        )


def refuse_imported(event: Event) -> None:
    """Refuse what only an event with tables can do (`imported`)."""
    if event.imported:
        raise Refused(
            "imported",
            _("This event is of the history: its standing was imported, and it has no tables."),
            rule="H-09",
        )
