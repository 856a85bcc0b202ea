"""What cups and publications say when two players become one, or one is to be forgotten."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any

from django.db.models import Q, QuerySet
from django.utils.translation import gettext as _
from django.utils.translation import gettext_lazy

from figf.errors import Refused
from rankings.models import Cup, CupAbsence, CupDraw, PublicationLine, Team, TeamMember
from tournaments.models import Player
from tournaments.services import Elsewhere, Renamed
from tournaments.services.registry import OVER


def _refusals(kept: Player, gone: Player) -> list[Refused]:
    """One person is in one team of a championship (L-02), and once among the ten (I-02)."""
    return [*_in_two_teams(kept, gone), *_twice_in_a_field(kept, gone)]


def _in_two_teams(kept: Player, gone: Player) -> Iterator[Refused]:
    cups = Cup.objects.select_related("season")
    for cup in cups.filter(pk__in=_teams(kept).values("cup")).filter(
        pk__in=_teams(gone).values("cup")
    ):
        yield Refused(
            "two_teams",
            _("Both are in teams of the championship of %(year)d.") % {"year": cup.season.year},
            rule="L-02",
        )


def _teams(player: Player) -> QuerySet[Team]:
    return Team.objects.exclude(status=Team.Status.REJECTED).filter(members__player=player)


def _twice_in_a_field(kept: Player, gone: Player) -> Iterator[Refused]:
    for cup in Cup.objects.exclude(frozen={}).select_related("season"):
        if {kept.pk, gone.pk} <= {row["player"] for row in _rows(cup)}:
            yield Refused(
                "twice_in_a_field",
                _("Both are in the field of the Supercoppa of %(year)d.")
                % {"year": cup.season.year},
                rule="I-02",
            )


def _rows(cup: Cup) -> list[dict[str, Any]]:
    return [*cup.frozen.get("field", ()), *cup.frozen.get("absent", ())]


def _renamed(kept: Player, gone: Player) -> list[Renamed]:
    """The fields of Supercoppe and their dice name people by their ids, and are read every time."""
    return [*_in_fields(kept, gone), *_in_draws(kept, gone)]


def _in_fields(kept: Player, gone: Player) -> Iterator[Renamed]:
    for cup in Cup.objects.exclude(frozen={}):
        if any(row["player"] == gone.pk for row in _rows(cup)):
            told = {
                part: [
                    row | {"player": kept.pk} if row["player"] == gone.pk else row for row in rows
                ]
                for part, rows in cup.frozen.items()
                if part in {"field", "absent"}
            }
            yield Renamed(cup, "frozen", cup.frozen | told)


def _in_draws(kept: Player, gone: Player) -> Iterator[Renamed]:
    for each in CupDraw.objects.exclude(players=[]):
        if gone.pk in each.players:
            players = [kept.pk if pk == gone.pk else pk for pk in each.players]
            yield Renamed(each, "players", players)


def _ties(player: Player) -> list[Refused]:
    """Cups under way in which he is: their tables are still to be formed, or to be played."""
    under_way = Cup.objects.filter(season__closed_at=None).filter(
        Q(event=None) | ~Q(event__status__in=OVER)
    )
    his = under_way.filter(pk__in=_teams(player).values("cup"))
    if his.exists() or any(
        row["player"] == player.pk for cup in under_way.exclude(frozen={}) for row in _rows(cup)
    ):
        text = _("%(player)s is in a cup that is not over.") % {"player": player}
        return [Refused("in_open_cup", text)]
    return []


ELSEWHERE = Elsewhere(
    refusals=_refusals,
    renamed=_renamed,
    ties=_ties,
    documents=(PublicationLine, CupAbsence),
    kinds={
        CupAbsence: gettext_lazy("absences from a Supercoppa"),
        CupDraw: gettext_lazy("dice of a Supercoppa"),
        PublicationLine: gettext_lazy("lines of publications"),
        TeamMember: gettext_lazy("places in teams"),
    },
    of_events={
        Cup: ("event",),
        CupDraw: ("cup__event",),
        TeamMember: ("team__cup__event",),
    },
)
