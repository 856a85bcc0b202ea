"""What the public reads of people: a player's card, two players side by side, the clubs."""

from __future__ import annotations

from collections.abc import Iterable
from typing import Any

from django.core.paginator import Paginator
from django.http import Http404, HttpRequest, HttpResponse
from django.shortcuts import get_object_or_404, redirect, render
from django.utils import timezone
from django.utils.text import slugify
from django.utils.translation import gettext as _
from django.views.decorators.http import require_safe

from figf.spreadsheets import csv_response
from figf.templatetags.figf import month
from rankings import charts, services
from tournaments.models import Club, Event, Player
from tournaments.rules import names
from tournaments.services import struck_off

ON_A_PAGE = 50  # games
FOUND_AT_MOST = 20  # players to choose another from


def _player(pk: int) -> Player:
    """Who has a card, or was merged into somebody who has; who is radiated or forgotten has none.

    O-16: a radiated player's name appears nowhere.
    """
    known = Player.objects.filter(forgotten_at=None).exclude(pk__in=struck_off())
    return get_object_or_404(known.select_related("club"), pk=pk)


@require_safe
def player(request: HttpRequest, pk: int) -> HttpResponse:
    """The public card of a player. ``con`` is part of the name of another, to meet him with."""
    his = _player(pk)
    if his.merged_into_id is not None:
        return redirect("player", his.merged_into_id, permanent=True)
    asked = " ".join(request.GET.get("con", "").split())[:80]
    others = _others(his, asked)
    if len(others) == 1:
        return redirect("head_to_head", pk, others[0].pk)
    today = timezone.localdate()
    card = services.card_of(his, today)
    context = {
        "player": his,
        "card": card,
        "now": card.past[-1] if card.past else None,
        "page": Paginator(card.entries, ON_A_PAGE).get_page(request.GET.get("page")),
        "asked": asked,
        "others": others,
        "ranking": charts.over_time(
            [(each.day, each.points, each.event.name if each.event else "") for each in card.past],
            today,
        ),
        "chart": charts.game_by_game(_played(card.games), month),
        "mean_of": charts.MEAN_OF,
    }
    return render(request, "players/card.html", context)


def _others(his: Player, asked: str) -> list[Player]:
    """Whom the words asked may mean, but for himself."""
    if not names.letters(asked):
        return []
    return list(services.everybody().exclude(pk=his.pk).called(asked)[:FOUND_AT_MOST])


def _played(games: Iterable[services.Game]) -> list[charts.Played]:
    """The games of the drawing, the oldest first: those that gave a percentile."""
    drawn = [
        charts.Played(
            game.day, int(game.points * 100), game.won, f"{game.event_name}, {game.title}"
        )
        for game in games
        if game.points is not None and game.is_percentile
    ]
    return drawn[::-1]


@require_safe
def player_results_csv(request: HttpRequest, pk: int) -> HttpResponse:
    """Everything that he played, for a spreadsheet: a line a game, or an event of the history."""
    his = _player(pk)
    if his.merged_into_id is not None:
        return redirect("player_results_csv", his.merged_into_id, permanent=True)
    header = [
        *(_("Day"), _("Event"), _("Kind"), _("Title"), _("Round"), _("Table"), _("Total")),
        *(_("Place at the table"), _("Percentile"), _("Game won")),
        *(_("Place in the event"), _("Event points"), _("Games won")),
    ]
    rows = [_row(each) for each in services.entries_of(his)]
    return csv_response(f"risultati-{slugify(str(his))}", header, rows)


def _row(entry: services.Entry) -> list[object]:
    where: list[object] = [entry.day, entry.event_name, Event.Kind(entry.kind).label]
    if isinstance(entry, services.PastEvent):
        return [*where, *[""] * 7, entry.place, entry.points, entry.wins]
    given = ["" if value is None else value for value in (entry.event_place, entry.event_points)]
    table = [entry.title, entry.round or "", entry.number, entry.total]
    worth = ["" if value is None else value for value in (entry.place, entry.points)]
    return [*where, *table, *worth, int(entry.won), *given, ""]


@require_safe
def head_to_head(request: HttpRequest, pk: int, other: int) -> HttpResponse:
    """Two players, and every game that both sat in at one table."""
    his, theirs = _player(pk), _player(other)
    kept = [each.merged_into_id or each.pk for each in (his, theirs)]
    if kept != [pk, other]:
        return redirect("head_to_head", *kept, permanent=True)
    if pk == other:
        raise Http404
    meetings = services.head_to_head(his, theirs)
    context = {
        "player": his,
        "other": theirs,
        "score": services.score_of(each.ahead for each in meetings),
        "page": Paginator(meetings, ON_A_PAGE).get_page(request.GET.get("page")),
    }
    return render(request, "players/head_to_head.html", context)


# --- clubs ----------------------------------------------------------------------------------------


@require_safe
def club_list(request: HttpRequest) -> HttpResponse:
    return render(request, "players/club_list.html", {"clubs": services.clubs()})


@require_safe
def club(request: HttpRequest, pk: int) -> HttpResponse:
    """A club: who belongs to it, how they stand, what it has won."""
    found = get_object_or_404(Club, pk=pk)
    context: dict[str, Any] = {
        "club": found,
        "card": services.club_card(found, timezone.localdate()),
        "me": getattr(request.user, "player", None),
    }
    return render(request, "players/club.html", context)
