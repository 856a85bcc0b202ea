"""The rows of the standings as other programs read them: in the pages' exports, and in the API."""

from __future__ import annotations

from typing import Any

from rankings.services.standings import AbsolutePage, RankingPage, SpecialtyPage
from tournaments.models import Player


def called(player: Player | None) -> dict[str, Any]:
    """Id and name of a player; nulls of who has no name, or none any more (O-16)."""
    if player is None or player.forgotten_at is not None:
        return {"player": None, "name": None}
    return {"player": player.pk, "name": str(player)}


def who(player: Player | None) -> dict[str, Any]:
    """With the name of his club."""
    told = called(player)
    club = player.club if player and told["player"] else None
    return {**told, "club": str(club) if club else None}


def ranking_rows(page: RankingPage) -> list[dict[str, Any]]:
    """Each with the events that it is made of (H-10)."""
    return [
        {
            "place": row.place,
            **who(row.player),
            "points": row.points,
            "events": [
                {
                    "event": each.event.pk,
                    "name": each.event.name,
                    "points": each.outcome.points,
                    "games_won": each.outcome.wins,
                    "worth": each.worth,
                    "leaves_on": each.leaves.moment.day if each.leaves.moment else None,
                }
                for each in row.contributions
            ],
        }
        for row in page.rows
    ]


def absolute_rows(page: AbsolutePage) -> list[dict[str, Any]]:
    """Each with its points in every event; null where he was not there."""
    return [
        {
            "place": each.row.place,
            **who(each.player),
            "total": each.row.total,
            "scores": [
                None if n in each.row.absent else each.row.scores[n]
                for n in range(len(page.events))
            ],
            "dropped": each.row.dropped,
            "countback": list(each.row.countback),
        }
        for each in page.rows
    ]


def specialty_rows(page: SpecialtyPage) -> list[dict[str, Any]]:
    """Each with the percentiles that count and those that do not."""
    return [
        {
            "place": each.row.place,
            **who(each.player),
            "total": f"{each.row.total:.2f}",
            "counted": [f"{result.points:.2f}" for result in each.row.counted],
            "discarded": [f"{result.points:.2f}" for result in each.row.discarded],
        }
        for each in page.rows
    ]
