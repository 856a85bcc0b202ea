"""A table's result from a game exported by 18xx.games: read, matched with the seats, written."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import astuple
from typing import Any

from django.contrib import messages
from django.contrib.auth.decorators import login_required
from django.http import HttpRequest, HttpResponse
from django.shortcuts import get_object_or_404, redirect, render
from django.utils import timezone
from django.utils.translation import gettext as _
from django.views.decorators.cache import never_cache

from figf.errors import Refused
from figf.web import add_refusal, posted, seal, signed_in, unseal
from tournaments import services, texts
from tournaments.forms.game_files import GameFileForm, MatchForm
from tournaments.models import Table, Title
from tournaments.rules import game_files
from tournaments.rules.game_files import Ending, FilePlayer, GameFile
from tournaments.rules.regulation import Illegal

Verify = Callable[[bytes, Sequence[int]], Any]  # `agrees`, `worth`, `privates`, `why`


@login_required
@never_cache
def table_file(request: HttpRequest, pk: int, verify: Verify) -> HttpResponse:
    """The file; then who of it sits where; then the result, as if its totals had been typed."""
    tables = Table.objects.counted_by(request.user).with_everything()
    table = get_object_or_404(tables.distinct(), pk=pk)
    rules = table.event.rules
    try:
        services.refuse_closed(table)
    except Refused:
        return redirect("table_result", pk=pk)
    if not (rules.total_alone or not rules.fields):
        return redirect("table_result", pk=pk)  # its regulation asks for more than a total
    if request.method == "POST" and "sealed" in request.POST:
        return _matched(request, table)
    form = GameFileForm(posted(request), request.FILES or None)
    if request.method == "POST" and form.is_valid():
        try:
            file = game_files.read(form.cleaned_data["file"])
            others = Title.objects.exclude(pk=table.title.pk).values_list("code", flat=True)
            game_files.check_table(file, len(table.seats.all()), table.title.code, list(others))
            return _match(request, table, _carried(table, file, form.cleaned_data["file"], verify))
        except Illegal as illegal:
            form.add_error("file", f"{texts.refusal(illegal)}")
    context = {"table": table, "event": table.event, "form": form}
    status = 422 if form.errors else 200
    return render(request, "tournaments/table_file.html", context, status=status)


def _carried(table: Table, file: GameFile, data: bytes, verify: Verify) -> dict[str, Any]:
    """What goes from the page of the file to the page of the seats."""
    said = verify(data, [player.total - player.debt for player in file.players])
    return {
        "version": table.last_version(),
        "title": file.title,
        "game": file.game,
        "ending": str(file.ending),
        "players": [list(astuple(player)) for player in file.players],
        "agrees": said.agrees,
        "worth": list(said.worth),
        "privates": list(said.privates),
        "why": said.why,
    }


def _purpose(table: Table) -> str:
    """What the seal is for: the page of one table is not taken at another."""
    return f"game_file:{table.pk}"


def _doubts(table: Table, carried: dict[str, Any]) -> list[str]:
    """What the director has to say that he has looked at."""
    doubts = []
    if carried["ending"] == Ending.BY_HAND:
        doubts.append("by_hand")
    if not game_files.same_title(carried["title"], table.title.code):
        doubts.append("other_title")
    if carried["agrees"] is False:
        doubts.append("disagrees")
    totals = sorted(player[2] for player in carried["players"])
    if table.event.rules.recounted_ties and totals[-1] == totals[-2]:
        doubts.append("tie_checked")
    return doubts


def _match(
    request: HttpRequest,
    table: Table,
    carried: dict[str, Any],
    data: Any = None,
    refusal: Refused | None = None,
) -> HttpResponse:
    form = _form(table, carried, data)
    if refusal is not None:
        form.is_valid()
        add_refusal(form, refusal)
    players = [FilePlayer(*player) for player in carried["players"]]
    empty = [0] * len(players)
    context = {
        "table": table,
        "event": table.event,
        "form": form,
        "told": carried,
        "players": list(zip(players, carried["privates"] or empty, strict=True)),
        "sealed": seal(carried, _purpose(table), signed_in(request)),
        "confirms": table.event.is_run_by(request.user),
        "present": table.confirmed(),
        "found": list(zip(players, carried["worth"], strict=False)),
    }
    status = 422 if form.errors else 200
    return render(request, "tournaments/table_file_match.html", context, status=status)


def _form(table: Table, carried: dict[str, Any], data: Any) -> MatchForm:
    return MatchForm(
        data,
        seats=list(table.seats.all()),
        players=[FilePlayer(*player) for player in carried["players"]],
        doubts=_doubts(table, carried),
        corrects=table.confirmed() is not None,
    )


def _matched(request: HttpRequest, table: Table) -> HttpResponse:
    by = signed_in(request)
    try:
        carried = unseal(request.POST["sealed"], _purpose(table), by)
    except Refused as refusal:
        messages.error(request, str(refusal.text))
        return redirect("table_file", pk=table.pk)
    form = _form(table, carried, request.POST)
    if not form.is_valid():
        return _match(request, table, carried, request.POST)
    origin = services.Origin(f"18xx.games {carried['game']}".strip()[:80], carried["agrees"])
    now, tied = timezone.now(), bool(form.cleaned_data.get("tie_checked"))
    sheet = table.pk, form.totals(), carried["version"], by, now
    try:
        if table.event.is_run_by(request.user):
            reason = form.cleaned_data.get("reason", "")
            result = services.record_table(*sheet, reason=reason, tie_checked=tied, origin=origin)
        else:
            result = services.send_draft(*sheet, tie_checked=tied, origin=origin)
    except Refused as refusal:
        return _match(request, table, carried, request.POST, refusal)
    messages.success(request, _("The result was read from the file."))
    return redirect(result.table)
