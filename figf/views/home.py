"""The first page, and what is of no page in particular: the language, the health."""

from __future__ import annotations

import hashlib
from typing import Any

from django.conf import settings
from django.db import connection
from django.db.models import Q
from django.http import HttpRequest, HttpResponse
from django.shortcuts import render
from django.utils import timezone
from django.views import i18n
from django.views.decorators.cache import never_cache
from django.views.decorators.http import require_safe

from figf import services
from figf.models import Draw, User
from pbem import services as pbem
from pbem.models import Game
from rankings.services import top_of
from tournaments.models import Entry, Event, Round, Table
from tournaments.services import is_open_to_players, struck_off

COMING = 8  # events on the board


@require_safe
def home(request: HttpRequest) -> HttpResponse:
    """The public boards: tables still playing, next events, latest results, top of the standings.

    The board asks again every half minute, saying what it has `seen`: no change, no answer, and
    nothing moves under the reader's eyes. So does, by itself, that of the reader's own games.
    """
    turns = pbem.turns_of_reader(request.user) if "seen" not in request.GET else None
    if turns is not None and "turns" in request.GET:
        if request.GET["turns"] == turns.seen:
            return HttpResponse(status=204)
        return render(request, "pbem/_turns.html", {"turns": turns})
    # A game by correspondence has boards of its own, until it is over and waits for its result.
    tables = Table.objects.waiting().filter(Q(game=None) | Q(game__clock=Game.Clock.OVER))
    waiting = list(
        tables.with_event()
        .prefetch_related("seats__holders__player", "results")
        .order_by("started_at", "pk")[:30]
    )
    mine = set(tables.run_by(request.user).values_list("pk", flat=True))
    counted = set(tables.counted_by(request.user).values_list("pk", flat=True))
    sitting = list(
        Round.objects.sitting_down()
        .select_related("prova__event", "prova__title")
        .order_by("published_at", "pk")[:10]
    )
    sitting_at = Table.objects.sat_at_by(request.user).filter(game=None)
    sits = list(sitting_at.with_event().order_by("pk"))
    rows = [(t.pk, t.pk in mine, t.pk in counted, t.draft() is not None) for t in waiting]
    board = rows, [r.pk for r in sitting], [(t.pk, t.started_at is None) for t in sits]
    seen = hashlib.sha256(repr(board).encode()).hexdigest()[:16]
    context: dict[str, Any] = {
        "waiting": waiting,
        "sitting": sitting,
        "mine": mine,
        "counted": counted,
        "sits": sits,
        "seen": seen,
    }
    if "seen" in request.GET:
        if request.GET["seen"] == context["seen"]:
            return HttpResponse(status=204)
        return render(request, "_playing_changed.html", context)
    now, today = timezone.now(), timezone.localdate()
    if request.user.is_authenticated:
        context["draws"] = Draw.objects.waiting_for(request.user, now)
    mine_of = _entries(request)
    coming = [
        (event, is_open_to_players(event, now), mine_of.get(event.pk))
        for event in Event.objects.coming(today)[:COMING]
    ]
    reported = Table.objects.reported().with_event()
    context |= {
        "turns": turns,
        "running": Event.objects.public().filter(status=Event.Status.RUNNING).order_by("starts_on"),
        "coming": coming,
        "reported": reported.prefetch_related("results__lines__player", "results__lines__seat")[:8],
        "struck": struck_off(),
        "top": top_of(today),
    }
    return render(request, "home.html", context)


def _entries(request: HttpRequest) -> dict[int, Entry]:
    """Where the reader is enrolled, or waits, by event."""
    if not request.user.is_authenticated:
        return {}
    held = Entry.objects.filter(player__user=request.user, event__status=Event.Status.ENROLLING)
    return {entry.event_id: entry for entry in held.exclude(status=Entry.Status.WITHDRAWN)}


@require_safe
@never_cache
def health(request: HttpRequest) -> HttpResponse:
    """Whether the site can reach its database: for the supervisor, not for people."""
    with connection.cursor() as cursor:
        cursor.execute("SELECT 1")
    return HttpResponse("ok\n", content_type="text/plain")


def set_language(request: HttpRequest) -> HttpResponse:
    """Django's own view; who is logged in gets his mails in that language too."""
    response = i18n.set_language(request)
    user: Any = request.user
    language = request.POST.get("language", "")
    if isinstance(user, User) and language in dict(settings.LANGUAGES):
        services.set_language(user, language)
    return response
