"""What the regulation refuses, as every service refuses: in words, with the article."""

from __future__ import annotations

from django.utils.translation import gettext as _

from figf.errors import Refused
from tournaments import texts
from tournaments.models import Event, Round, Season
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


def is_formed_cup(event: Event) -> bool:
    """Whether its tables are those of a cup, seated elsewhere: no draft of this event sized them.

    Who plays it and on which titles is then decided by the verbs of that cup alone.
    """
    return (
        event.kind == Event.Kind.CUP
        and Round.objects.filter(prova__event=event, sizes_step={}).exists()
    )


def refuse_formed_cup(event: Event) -> None:
    """Refuse to alter on the pages of an event what a cup has decided (`cup_formed`)."""
    if is_formed_cup(event):
        raise Refused(
            "cup_formed",
            _(
                "The tables of this cup are formed: who plays it, on which titles and at which "
                "tables is decided on the page of the cup."
            ),
        )
