"""What a decision would change in the standings, before anybody takes it."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

from django.contrib.auth.decorators import login_required
from django.http import Http404, HttpRequest, HttpResponse
from django.shortcuts import get_object_or_404, render
from django.utils import timezone
from django.utils.translation import gettext as _
from django.views.decorators.cache import never_cache
from django.views.decorators.http import require_safe

from figf.errors import Refused
from figf.web import add_refusal, signed_in
from rankings import services
from rankings.forms.honours import Measure, WhatIfForm
from tournaments.models import Event, Player, Season
from tournaments.services import standing_of

Rows = dict[int, tuple[int, str]]  # by player: his place and total


@require_safe
@login_required
@never_cache
def what_if(request: HttpRequest, year: int) -> HttpResponse:
    """Before and after, side by side; for secretaries and referees. Nothing is written."""
    user = signed_in(request)
    player = getattr(user, "player", None)
    if not user.is_staff and not (player and player.is_referee(timezone.localdate())):
        raise Http404
    season = get_object_or_404(Season, year=year)
    titles = services.specialties_of(season)
    form = WhatIfForm(season, request.GET or None, titles=titles)
    tables: list[dict[str, Any]] = []
    if request.GET and form.is_valid():
        try:
            tables = _before_and_after(season, form.cleaned_data, request)
        except Refused as refusal:
            add_refusal(form, refusal)
    context = {"season": season, "form": form, "tables": tables, "asked": bool(request.GET)}
    status = 422 if form.errors else 200
    return render(request, "rankings/what_if.html", context, status=status)


def _deed(
    season: Season, data: dict[str, Any], request: HttpRequest
) -> tuple[Callable[[], object], Event | None]:
    """The verb that the form asks for, and the event whose standing it touches first."""
    player, by, now = data["chi"], signed_in(request), timezone.now()
    if data["misura"] == Measure.EVENT:
        return services.cancel_from_event(player, data["evento"], by, now), data["evento"]
    if data["misura"] == Measure.PROVA:
        prova = data["prova"]
        return services.cancel_from_event(player, prova.event, by, now, prova), prova.event
    if data["misura"] == Measure.GAME:
        table = data["tavolo"]
        return services.exclude_from_game(player, table, by, now), table.event
    if data["misura"] == Measure.CHAMPIONSHIP:
        championship = data["campionato"]
        return services.cancel_from_championship(player, season, championship, by, now), None
    return services.strike_off(player, by, now), None


def _before_and_after(
    season: Season, data: dict[str, Any], request: HttpRequest
) -> list[dict[str, Any]]:
    deed, event = _deed(season, data, request)
    today = timezone.localdate()

    events = _events(season, event)

    def look() -> dict[str, Rows]:
        found: dict[str, Rows] = {}
        for each in events:
            before = services.ranking_before(each.starts_on).points
            rows = standing_of(Event.objects.get(pk=each.pk), before).rows
            found[each.name] = {int(row.key): (row.place, f"{row.total:.2f}") for row in rows}
        page = services.absolute_of(season)
        found[_("Absolute championship")] = {
            int(each.row.key): (each.row.place, str(each.row.total)) for each in page.rows
        }
        found[_("Ranking")] = {
            row.player.pk: (row.place, str(row.points)) for row in services.ranking_on(today).rows
        }
        pages = services.specialties(season, services.specialties_of(season))
        for title in pages.values():
            name = _("Specialty %(title)s") % {"title": title.title}
            found[name] = {
                int(row.row.key): (row.row.place, f"{row.row.total:.2f}") for row in title.rows
            }
        return found

    before, after = services.what_if(deed, look)
    keys = {pk for rows in (*before.values(), *after.values()) for pk in rows}
    people = Player.objects.in_bulk(keys)
    return [
        {"name": name, "rows": rows}
        for name in before
        if (rows := _changed(before[name], after.get(name, {}), people))
    ]


def _events(season: Season, event: Event | None) -> list[Event]:
    """The events whose standings may change: the one concerned, else all of an open season."""
    if event is not None:
        return [event]
    if season.closed_at is not None:
        return []
    played = Event.objects.official().filter(season=season, imported=False)
    return list(played.filter(status=Event.Status.CLOSED).order_by("ordinal"))


def _changed(before: Rows, after: Rows, people: dict[int, Player]) -> list[dict[str, Any]]:
    """The players whose place or total changes, from the top."""
    changed = [pk for pk in before.keys() | after.keys() if before.get(pk) != after.get(pk)]
    changed.sort(key=lambda pk: ((before.get(pk) or after[pk])[0], people[pk].sort_key))
    return [
        {"player": people[pk], "before": before.get(pk), "after": after.get(pk)} for pk in changed
    ]
