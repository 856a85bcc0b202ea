"""The ranking's page, and where a secretary writes its next state."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import astuple, dataclass
from datetime import date
from typing import Any

from django.contrib import messages
from django.http import HttpRequest, HttpResponse
from django.shortcuts import redirect, render
from django.urls import reverse
from django.utils import timezone
from django.utils.translation import gettext as _
from django.views.decorators.http import require_safe

from figf.errors import Refused
from figf.spreadsheets import csv_response
from figf.web import add_refusal, posted, seal, secretary_only, signed_in
from rankings import services
from rankings.forms import ConfirmForm, RankingForm
from rankings.models import Ranking
from tournaments.models import Player
from tournaments.rules.regulation import places
from tournaments.services import struck_off

STATES = 12  # earlier ones that the page links; any other by its date


@dataclass(frozen=True, slots=True)
class Ranked:
    """A row of the page."""

    place: int
    player: Player
    points: int


@require_safe
def ranking(request: HttpRequest) -> HttpResponse:
    """The ranking, as it is or as it was on a day; equal points share the place (H-10)."""
    day, wrong = _day(request)
    state = Ranking.objects.on(day or timezone.localdate())
    rows = _ranked(state)
    own = request.user.pk  # None for who is not logged in, as for a player without a log-in
    context = {
        "state": state,
        "rows": rows,
        "me": next((row.player for row in rows if own and row.player.user_id == own), None),
        "day": day,
        "wrong": wrong,
        "dates": Ranking.objects.order_by("-as_of")
        .values_list("as_of", flat=True)
        .distinct()[:STATES],
    }
    return render(request, "rankings/ranking.html", context, status=422 if wrong else 200)


@require_safe
def ranking_csv(request: HttpRequest) -> HttpResponse:
    day, wrong = _day(request)
    if wrong:
        return redirect("ranking")
    rows = _ranked(Ranking.objects.on(day or timezone.localdate()))
    titles = [_("Place"), _("Surname"), _("First name"), _("Club"), _("Points")]
    return csv_response(
        "ranking",
        titles,
        (
            (row.place, row.player.surname, row.player.name, row.player.club or "", row.points)
            for row in rows
        ),
    )


def _day(request: HttpRequest) -> tuple[date | None, str]:
    """The day asked for, if any; and what is wrong with it."""
    asked = request.GET.get("al", "")
    if not asked:
        return None, ""
    try:
        return date.fromisoformat(asked), ""
    except ValueError:
        return None, _("This is no day of the calendar: write it as 2026-03-14.")


def _ranked(state: Ranking | None) -> list[Ranked]:
    if state is None:
        return []
    lines = list(
        state.lines.exclude(player__in=struck_off())
        .select_related("player__club")
        .order_by("-points", "player__sort_key", "player_id")
    )
    shared = places([line.points for line in lines])
    return [
        Ranked(place, line.player, line.points) for place, line in zip(shared, lines, strict=True)
    ]


# --- the next state -------------------------------------------------------------------------------


@secretary_only
def ranking_new(request: HttpRequest) -> HttpResponse:
    """Points of a day, from a file or typed: first what each row says, then, at a button, all."""
    if request.method == "POST" and "sealed" in request.POST:
        return _confirmed(request)
    form = RankingForm(
        posted(request), request.FILES or None, initial={"as_of": timezone.localdate()}
    )
    if request.method == "POST" and form.is_valid():
        data = form.cleaned_data
        carried = {
            "as_of": data["as_of"].isoformat(),
            "source": str(form.source),
            "note": data["note"],
            "text": data["text"],
        }
        try:
            services.refuse_future(data["as_of"], timezone.now())
            return _report(request, form.rows(), carried, ignored=form.sheet.ignored)
        except Refused as refusal:
            add_refusal(form, refusal)
    return _start(request, form)


def _start(request: HttpRequest, form: RankingForm, wrong: str = "") -> HttpResponse:
    status = 422 if form.errors or wrong else 200
    context = {"form": form, "wrong": wrong}
    return render(request, "rankings/ranking_new.html", context, status=status)


def _report(
    request: HttpRequest,
    rows: Sequence[services.RankingRow],
    carried: Mapping[str, Any],
    *,
    ignored: Sequence[str] = (),
    chosen: Mapping[int, int] | None = None,
    refusal: Refused | None = None,
) -> HttpResponse:
    """What each row says; what confirms it, unless one is rejected, is the rows themselves."""
    report = services.judge_ranking(rows)
    rejected = report.count(services.Verdict.REJECTED)
    kept = {
        **carried,
        "rows": [astuple(row)[:-1] for row in rows],  # without faults: no row has any
        "seen": report.fingerprint,
    }
    context = {
        "as_of": date.fromisoformat(carried["as_of"]),
        "rows": [
            (j, [(p, (chosen or {}).get(j.row.line) == p.pk) for p in j.players])
            for j in report.rows
        ],
        "ignored": ignored,
        "refusal": refusal,
        "found": report.count(services.Verdict.FOUND),
        "several": report.count(services.Verdict.SEVERAL),
        "rejected": rejected,
        "sealed": "" if rejected else seal(kept, ConfirmForm.PURPOSE, signed_in(request)),
        "form": RankingForm(
            initial={name: carried.get(name, "") for name in ("as_of", "text", "note")}
        ),
    }
    status = 422 if refusal else 200
    return render(request, "rankings/ranking_report.html", context, status=status)


def _confirmed(request: HttpRequest) -> HttpResponse:
    user = signed_in(request)
    form = ConfirmForm(user, request.POST)
    if not form.is_valid():
        return _start(request, RankingForm(), "; ".join(map(str, form.errors["sealed"])))
    carried, chosen = form.cleaned_data["sealed"], form.chosen()
    try:
        state = services.import_ranking(
            form.rows(),
            form.as_of,
            carried["source"],
            user,
            timezone.now(),
            chosen=chosen,
            seen=carried["seen"],
            note=carried["note"],
        )
    except Refused as refusal:
        return _report(request, form.rows(), carried, chosen=chosen, refusal=refusal)
    messages.success(request, _("The ranking is recorded."))
    return redirect(f"{reverse('ranking')}?al={state.as_of.isoformat()}")
