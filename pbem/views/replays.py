"""Games looked at again, action by action: those played here, and those brought from elsewhere."""

from __future__ import annotations

import re
from dataclasses import dataclass
from functools import partial
from typing import Any

from django.contrib import messages
from django.contrib.auth.decorators import login_required
from django.db.models import QuerySet
from django.http import HttpRequest, HttpResponse
from django.shortcuts import get_object_or_404, redirect, render
from django.urls import reverse
from django.utils import timezone
from django.utils.translation import gettext as _
from django.views.decorators.cache import cache_control, never_cache
from django.views.decorators.http import conditional_page, require_POST
from django.views.decorators.vary import vary_on_headers

from figf.errors import Refused
from figf.web import add_refusal, posted, signed_in
from pbem import services
from pbem.forms import RecordingForm
from pbem.models import Game, Recording
from pbem.texts import Names
from pbem.views.positions import Look, shown, stations
from tournaments.models import Table

MOST_TRAINS = 10  # of one corporation, that somebody may try a run of
DIGITS = 9  # of a position: no game has as many actions
KEEPS = 600  # seconds for which a browser may keep a position that can never change


@dataclass(frozen=True)
class Replayed:
    """What a page replays: the game, how its players are called, and its addresses."""

    score: services.Score
    names: Names
    page: str
    fragment: str


# --- what is replayed -----------------------------------------------------------------------------


def _recording(key: str) -> tuple[Recording, Replayed]:
    recording = get_object_or_404(Recording.objects.without_actions(), key=key)
    return recording, Replayed(
        services.score_of(recording),
        services.names_of(recording),
        recording.get_absolute_url(),
        reverse("recording_position", args=[key]),
    )


def _game(request: HttpRequest, pk: int) -> tuple[Game, Replayed]:
    """A game by correspondence is seen by who sees its table."""
    tables = Table.objects.visible_to(request.user).filter(game=pk).distinct()
    table = get_object_or_404(tables.with_everything())
    game = table.game
    names = {str(seat.position): _holder(seat) for seat in table.seats.all()}
    return game, Replayed(
        services.score_of_game(game),
        names,
        reverse("game_replay", args=[pk]),
        reverse("game_position", args=[pk]),
    )


def _holder(seat: Any) -> str:
    player = seat.holder().player
    return str(player) if player else _("a referee")


def _look(request: HttpRequest) -> Look:
    """What of the game is asked for. A position begins with a whole number, or it is the first."""
    number = re.match(r"-?[0-9]+", request.GET.get("n", "").strip())
    n = int(number[0][:DIGITS]) if number else 0
    return Look(n, request.GET.get("mostra", ""), tuple(request.GET.getlist("treno")[:MOST_TRAINS]))


# --- pages ----------------------------------------------------------------------------------------


@cache_control(private=True, no_cache=True)
def recording(request: HttpRequest, key: str) -> HttpResponse:
    """A recorded game, for whoever has its address."""
    kept, replayed = _recording(key)
    return _page(request, replayed, {"recording": kept, "mine": kept.user_id == request.user.pk})


@cache_control(private=True, max_age=KEEPS)
@conditional_page
@vary_on_headers("Accept-Language", "Cookie")
def recording_position(request: HttpRequest, key: str) -> HttpResponse:
    """What of that page changes with the position."""
    return _fragment(request, _recording(key)[1])


@cache_control(private=True, no_cache=True)
def game_replay(request: HttpRequest, pk: int) -> HttpResponse:
    """A game by correspondence as far as it has come."""
    game, replayed = _game(request, pk)
    return _page(request, replayed, {"table": game.table})


@cache_control(private=True, no_cache=True)
@conditional_page
@vary_on_headers("Accept-Language", "Cookie")
def game_position(request: HttpRequest, pk: int) -> HttpResponse:
    return _fragment(request, _game(request, pk)[1])


def _page(request: HttpRequest, replayed: Replayed, context: dict[str, Any]) -> HttpResponse:
    film = services.film(replayed.score)
    found = shown(film, _look(request), replayed.names)
    said = {
        "replayed": replayed,
        "film": film,
        "at": found,
        "names": replayed.names.values(),
        "stations": stations(film),
    }
    answer = render(request, "pbem/replay.html", context | said)
    answer["X-Robots-Tag"] = "noindex"
    return answer


def _fragment(request: HttpRequest, replayed: Replayed) -> HttpResponse:
    found = shown(services.film(replayed.score), _look(request), replayed.names)
    answer = render(request, "pbem/_position.html", {"replayed": replayed, "at": found})
    answer["X-Robots-Tag"] = "noindex"
    return answer


# --- one's own recordings -------------------------------------------------------------------------


def _mine(request: HttpRequest) -> QuerySet[Recording]:
    return Recording.objects.without_actions().filter(user=signed_in(request))


@login_required
@never_cache
def recording_list(request: HttpRequest) -> HttpResponse:
    return render(request, "pbem/replay_list.html", {"recordings": _mine(request)})


@login_required
@never_cache
def recording_import(request: HttpRequest) -> HttpResponse:
    form = RecordingForm(posted(request), request.FILES or None)
    if request.method == "POST" and form.is_valid():
        told = form.cleaned_data
        try:
            found, new = services.import_recording(
                told.pop("file"),
                signed_in(request),
                timezone.now(),
                note=partial(messages.warning, request),
                **told,
            )
        except Refused as refusal:
            add_refusal(form, refusal)
        else:
            messages.success(
                request,
                _("The game is here: who has its address can see it.")
                if new
                else _("You had brought this file here already: this is its game, %(label)s.")
                % {"label": found.label or found.title},
            )
            return redirect(found)
    status = 422 if form.errors else 200
    return render(request, "pbem/replay_import.html", {"form": form}, status=status)


@require_POST
@login_required
def recording_delete(request: HttpRequest, key: str) -> HttpResponse:
    """One's own: of anybody else's the page is not there."""
    found = get_object_or_404(_mine(request), key=key)
    services.delete_recording(found, signed_in(request), timezone.now())
    messages.success(request, _("The recorded game was deleted: its address leads nowhere now."))
    return redirect("recording_list")
