"""The results of a round from a file: what would become of it first, then all of it at a button."""

from __future__ import annotations

from collections.abc import Collection, Iterator, Sequence
from dataclasses import astuple
from typing import Any

from django.contrib import messages
from django.contrib.auth.decorators import login_required
from django.forms import Form
from django.http import HttpRequest, HttpResponse
from django.shortcuts import get_object_or_404, redirect, render
from django.utils import timezone
from django.utils.translation import gettext as _
from django.utils.translation import ngettext
from django.views.decorators.cache import never_cache
from django.views.decorators.http import require_safe

from figf.errors import Refused
from figf.spreadsheets import csv_response
from figf.web import add_refusal, posted, seal, signed_in
from tournaments import services
from tournaments.forms.result_imports import (
    ConfirmResultsForm,
    RoundResultsForm,
    columns_of,
    facts_of,
    in_words,
)
from tournaments.models import Round


def _round(request: HttpRequest, pk: int) -> Round:
    """A published round of an event that the reader runs."""
    rounds = Round.objects.run_by(request.user).with_seating()
    return get_object_or_404(rounds.distinct(), pk=pk, status=Round.Status.PUBLISHED)


@login_required
@require_safe
def round_results_csv(request: HttpRequest, pk: int) -> HttpResponse:
    """The round's tables and people to be filled in; what is confirmed is there already."""
    seated = _round(request, pk)
    titles = [str(column.label) for column in columns_of(seated)]
    return csv_response(f"risultati-turno-{seated.pk}", titles, _to_fill_in(seated))


def _to_fill_in(seated: Round) -> Iterator[list[object]]:
    fields = facts_of(seated)
    for table in seated.tables.all():
        confirmed = table.confirmed()
        lines = {line.seat_id: line for line in confirmed.lines.all()} if confirmed else {}
        for seat in table.seats.all():
            player, line = seat.holder().player, lines.get(seat.pk)
            written = {"total": line.total, **line.facts} if line else {}
            yield [
                table.number,
                player.surname if player else _("a referee"),
                player.name if player else "",
                *(in_words(field, written.get(field.name)) for field in fields),
            ]


@login_required
@never_cache
def round_results_import(request: HttpRequest, pk: int) -> HttpResponse:
    """A table of results: first what would become of each row and table, then, at a button, all."""
    seated = _round(request, pk)
    if request.method == "POST" and "sealed" in request.POST:
        return _confirmed(request, seated)
    form = RoundResultsForm(seated, posted(request), request.FILES or None)
    if request.method == "POST" and form.is_valid():
        try:
            return _report(request, seated, form.rows(), ignored=form.sheet.ignored)
        except Refused as refusal:
            add_refusal(form, refusal)
    return _start(request, seated, form)


def _start(request: HttpRequest, seated: Round, form: Form, wrong: str = "") -> HttpResponse:
    context = {
        "round": seated,
        "event": seated.event,
        "form": form,
        "columns": columns_of(seated),
        "wrong": wrong,
    }
    status = 422 if form.errors or wrong else 200
    return render(request, "tournaments/round_results_import.html", context, status=status)


def _report(
    request: HttpRequest,
    seated: Round,
    rows: list[services.ResultRow],
    *,
    ignored: Sequence[str] = (),
    recounted: Collection[int] = (),
    refusal: Refused | None = None,
) -> HttpResponse:
    """The report; what confirms it, unless something is wrong, is the rows themselves, sealed."""
    report = services.judge_results(seated, rows)
    kept = [astuple(row)[:-1] for row in rows]  # without faults: no row has any
    sealed = ""
    if report.may_be_written():
        told = {"round": seated.pk, "rows": kept, "seen": report.fingerprint}
        sealed = seal(told, ConfirmResultsForm.PURPOSE, signed_in(request))
    verdicts = services.RowVerdict
    context = {
        "round": seated,
        "event": seated.event,
        "labels": seated.event.rules.labels,
        "report": report,
        "tables": list(_tables(report)),
        "recounted": recounted,
        "ignored": ignored,
        "refusal": refusal,
        "taken": len(report.rows_with(verdicts.TAKEN)),
        "same": len(report.rows_with(verdicts.SAME)),
        "empty": len(report.rows_with(verdicts.EMPTY)),
        "sealed": sealed,
    }
    return render(
        request,
        "tournaments/round_results_report.html",
        context,
        status=422 if refusal else 200,
    )


def _tables(report: services.RoundReport) -> Iterator[dict[str, Any]]:
    """Each table of which something is said or that still misses its result, as it would be."""
    for judged in report.tables:
        count = judged.count
        seats = [
            {
                "name": seat.holder().player or _("a referee"),
                "total": count.totals.get(seat.pk),
                "score": count.scores.get(seat.pk),
                "missing": seat in judged.missing,
            }
            for seat in judged.table.seats.all()
        ]
        yield {
            "judged": judged,
            "table": judged.table,
            "seats": sorted(seats, key=lambda row: (row["score"] and row["score"].place) or 99),
        }


def _confirmed(request: HttpRequest, seated: Round) -> HttpResponse:
    user = signed_in(request)
    form = ConfirmResultsForm(user, seated, request.POST)
    if not form.is_valid():
        wrong = "; ".join(map(str, form.errors["sealed"]))
        return _start(request, seated, RoundResultsForm(seated), wrong)
    rows, recounted = form.rows(), form.recounted()
    try:
        results = services.import_results(
            seated,
            rows,
            user,
            timezone.now(),
            seen=form.cleaned_data["sealed"]["seen"],
            tie_checked=recounted,
        )
    except Refused as refusal:
        seated = Round.objects.with_seating().get(pk=seated.pk)
        return _report(request, seated, rows, recounted=recounted, refusal=refusal)
    messages.success(
        request,
        ngettext("%(n)d result confirmed.", "%(n)d results confirmed.", len(results))
        % {"n": len(results)},
    )
    return redirect(seated.event)
