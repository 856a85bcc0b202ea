"""People registered twice: who may be, two of them side by side, and what was merged."""

from __future__ import annotations

from dataclasses import dataclass
from datetime import datetime
from typing import Any

from django.contrib import messages
from django.http import Http404, HttpRequest, HttpResponse
from django.shortcuts import get_object_or_404, redirect, render
from django.utils import timezone
from django.utils.translation import gettext as _
from django.views.decorators.http import require_POST

from figf.errors import Refused
from figf.models import User
from figf.web import add_refusal, posted, secretary_only, signed_in
from tournaments import services
from tournaments.forms.merges import MergeForm, PairForm
from tournaments.models import Event, Merge, Player
from tournaments.views.people import off_the_books
from tournaments.views.standings import RankingBefore


@secretary_only
def duplicates(request: HttpRequest) -> HttpResponse:
    """Pairs on the books who are alike, any two to be chosen by name, and the merges made."""
    chosen = request.GET if "altro" in request.GET else None
    form = PairForm(chosen, initial={"uno": request.GET.get("uno")})
    if form.is_bound and form.is_valid():
        said = form.cleaned_data
        return redirect("player_merge", said["uno"].pk, said["altro"].pk)
    merges = Merge.objects.select_related("kept__club", "gone__club", "by", "undone_by")
    context = {"form": form, "pairs": services.alike_pairs(), "merges": merges}
    wrong = form.is_bound and form.errors
    return render(request, "tournaments/duplicates.html", context, status=422 if wrong else 200)


@dataclass(frozen=True, slots=True)
class Side:
    """One of the two: what the books say of him, and what would move if the other stayed."""

    player: Player
    preview: services.Preview
    terms: list[Any]
    events: int
    games: int
    last: Event | None
    points: int


@secretary_only
def player_merge(
    request: HttpRequest,
    pk: int,
    other: int,
    ranking_before: RankingBefore,
    elsewhere: services.Elsewhere,
) -> HttpResponse:
    """Two players side by side, and the button that makes them one."""
    known = Player.objects.select_related("club", "user", "merged_into")
    pair = get_object_or_404(known, pk=pk), get_object_or_404(known, pk=other)
    if pk == other:
        raise Http404
    away = off_the_books(request, *pair, to="duplicates")
    if away is not None:
        return away
    sides = _sides(pair, ranking_before, elsewhere)
    seasons = sides[0].preview.seasons
    form = MergeForm(pair, posted(request), closed=bool(seasons))
    if request.method == "POST" and form.is_valid():
        try:
            kept = _merge(form, pair, signed_in(request), timezone.now(), elsewhere)
        except Refused as refusal:
            add_refusal(form, refusal)
        else:
            messages.success(request, _("They are one: %(player)s.") % {"player": kept})
            return redirect("duplicates")
    context = {
        "sides": sides,
        "form": form,
        "refusals": _always(sides),
        "seasons": seasons,
    }
    wrong = request.method == "POST"
    return render(request, "tournaments/player_merge.html", context, status=422 if wrong else 200)


def _always(sides: list[Side]) -> list[Refused]:
    """What refuses whoever stays."""
    first, second = (side.preview.refusals for side in sides)
    reasons = {each.reason for each in second}
    return [each for each in first if each.reason in reasons]


def _sides(
    pair: tuple[Player, Player], ranking_before: RankingBefore, elsewhere: services.Elsewhere
) -> list[Side]:
    points = ranking_before(timezone.localdate()).points
    sides = []
    for gone, kept in (pair, pair[::-1]):
        events = Event.objects.filter(entries__player=gone) | Event.objects.filter(
            places__player=gone
        )
        sides.append(
            Side(
                gone,
                services.merge_preview(kept, gone, elsewhere),
                list(gone.referee_terms.order_by("starts_on")),
                events.distinct().count(),
                gone.result_lines.filter(result__state="confirmed").count(),
                events.distinct().order_by("starts_on", "pk").last(),
                points.get(gone.pk, 0),
            )
        )
    return sides


def _merge(
    form: MergeForm,
    pair: tuple[Player, Player],
    by: User,
    now: datetime,
    elsewhere: services.Elsewhere,
) -> Player:
    kept, gone = pair if form.cleaned_data["resta"] == pair[0].pk else pair[::-1]
    closed = form.cleaned_data.get("closed", False)
    services.merge_players(kept, gone, by, now, closed=closed, elsewhere=elsewhere)
    return kept


@require_POST
@secretary_only
def merge_undo(request: HttpRequest, pk: int, elsewhere: services.Elsewhere) -> HttpResponse:
    merge = get_object_or_404(Merge.objects.select_related("kept", "gone"), pk=pk)
    try:
        services.undo_merge(merge, signed_in(request), timezone.now(), elsewhere=elsewhere)
    except Refused as refusal:
        messages.error(request, str(refusal.text))
    else:
        said = {"one": merge.kept, "other": merge.gone}
        messages.success(request, _("%(one)s and %(other)s are two again.") % said)
    return redirect("duplicates")
