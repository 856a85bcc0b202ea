"""The result of a table: its public page, and the counting sheet of who runs the event."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any

from django.contrib import messages
from django.contrib.auth.decorators import login_required
from django.http import HttpRequest, HttpResponse
from django.shortcuts import get_object_or_404, redirect, render
from django.utils import timezone
from django.utils.translation import gettext as _
from django.views.decorators.cache import never_cache
from django.views.decorators.http import require_POST, require_safe

from figf.errors import Refused
from figf.web import posted, signed_in
from tournaments import services, texts
from tournaments.forms.results import ResultForm
from tournaments.models import Result, Table
from tournaments.rules import registry
from tournaments.rules.regulation import Reason


@require_safe
def table_detail(request: HttpRequest, pk: int) -> HttpResponse:
    """The public page of a table: who, how much, which percentile, and why."""
    tables = Table.objects.visible_to(request.user).with_everything()
    table = get_object_or_404(tables.distinct(), pk=pk)
    result = table.confirmed()
    return render(
        request,
        "tournaments/table.html",
        {
            "table": table,
            "result": result,
            "rows": _rows(result, table) if result else [],
            "earlier": [r for r in table.results.all() if result and r.version < result.version],
            "regulation": registry.REGULATIONS[table.event.regulation],
            "manages": table.event.is_run_by(request.user),
        },
    )


def _rows(result: Result, table: Table) -> list[dict[str, Any]]:
    scores, names = services.scores_of(result, table), services.names_in(result)
    rows = [
        {
            "line": line,
            "name": line.player or _("a referee"),
            "score": scores[line.seat_id],
            "steps": [
                {"rule": step.rule, "text": texts.explain(step, names)}
                for step in scores[line.seat_id].steps
            ],
        }
        for line in result.lines.all()
    ]
    return sorted(rows, key=lambda row: (row["line"].place or 99, row["line"].seat.position))


@login_required
@never_cache
def table_result(request: HttpRequest, pk: int) -> HttpResponse:
    """The counting sheet of one table, for who runs its event."""
    table = get_object_or_404(
        Table.objects.run_by(request.user).with_everything().distinct(), pk=pk
    )
    form = _result_form(request, table)
    if request.method == "POST" and form.is_valid():
        try:
            result = services.record_table(
                table.pk,
                form.typed,
                form.cleaned_data["version"],
                signed_in(request),
                timezone.now(),
                reason=form.cleaned_data.get("reason", ""),
                tie_checked=form.cleaned_data["tie_checked"],
            )
        except Refused as refusal:
            form.refuse(refusal)
            table = Table.objects.with_everything().get(pk=pk)
        else:
            said = (
                _("Table %(number)d: result corrected.")
                if result.reason
                else _("Table %(number)d: result confirmed.")
            )
            messages.success(request, said % {"number": table.number})
            return redirect(result.table)
    return render(
        request,
        "tournaments/table_result.html",
        _sheet(table, form),
        status=422 if form.errors else 200,
    )


@require_POST
@login_required
def table_preview(request: HttpRequest, pk: int) -> HttpResponse:
    """What the sheet is worth while it is typed: the fragment that the page swaps in."""
    table = get_object_or_404(
        Table.objects.run_by(request.user).with_everything().distinct(), pk=pk
    )
    form = _result_form(request, table)
    form.is_valid()
    return render(request, "tournaments/_table_outcome.html", _sheet(table, form, live=True))


def _result_form(request: HttpRequest, table: Table) -> ResultForm:
    confirmed = table.confirmed()
    only = request.GET.get("totals") == "1" or (
        "totals" not in request.GET
        and confirmed is not None
        and all("total" in line.facts for line in confirmed.lines.all())
    )
    return ResultForm(
        table,
        posted(request),
        initial={"version": table.last_version()},
        totals_only=only,
        confirmed=confirmed,
    )


def _sheet(table: Table, form: ResultForm, *, live: bool = False) -> dict[str, Any]:
    """What the sheet shows: each seat with its boxes, what they are worth, what is refused.

    While it is typed (`live`), a seat with one box still empty is not yet a mistake.
    """
    count = services.count_table(table, form.typed)
    confirmed = table.confirmed()
    whole = count.refusals.get(None)
    renewed = form.stale or "version" in form.errors
    return {
        "table": table,
        "event": table.event,
        "form": form,
        "confirmed": confirmed,
        # A stale sheet takes the version that is there now: the next confirmation is a knowing one.
        "version": table.last_version() if renewed else form["version"].value(),
        "rows": list(_sheet_rows(form, count, live=live)),
        "faults": list(_faults(form, count)),
        "refused": texts.refusal(whole) if whole else "",
        "refused_rule": whole.rule if whole else "",
        "missing": len(form.seats) - len(count.totals),
        "complete": bool(count.scores),
        "shared_first": count.firsts() > 1,
        "theirs": _rows(confirmed, table) if confirmed and form.stale else [],
    }


def _faults(form: ResultForm, count: services.Count) -> Iterator[dict[str, Any]]:
    """Everything that keeps the sheet from being recorded, each with the box where to mend it.

    The service stops at the first; the reader hears of a tie and of a missing reason together.
    """
    if not form.errors:
        return
    found = {
        name: (str(error), form.rules.get(name, ""))
        for name, errors in form.errors.items()
        for error in errors
    }
    if count.firsts() > 1 and not form.cleaned_data.get("tie_checked"):
        found.setdefault(
            "tie_checked",
            (_("First place is shared: count again, and say that the tie is right."), "C-06"),
        )
    if "reason" in form.fields and not form.cleaned_data.get("reason", "").strip():
        found.setdefault("reason", (_("Say why the result is corrected."), "C-15"))
    for name, (text, rule) in found.items():
        shown = name in form.fields and name != "version"
        yield {
            "text": text,
            "rule": rule,
            "box": form[name].id_for_label if shown else "",
            "who": form.who(name),
        }


def _sheet_rows(form: ResultForm, count: services.Count, *, live: bool) -> Iterator[dict[str, Any]]:
    for seat in form.seats:
        boxes = form.boxes(seat)
        unread, rule = next(
            ((str(b.errors[0]), form.rules.get(b.name, "C-03")) for b in boxes if b.errors),
            ("", ""),
        )
        illegal = count.refusals.get(seat.pk)
        if illegal and illegal.reason == Reason.TOTAL_MISSING and (live or unread):
            illegal = None  # still being typed, or a box that could not be read
        yield {
            "seat": seat,
            "holder": seat.holder(),
            "boxes": boxes,
            "total": count.totals.get(seat.pk),
            "score": count.scores.get(seat.pk),
            "first": seat.pk in count.scores and count.scores[seat.pk].win,
            "refusal": texts.refusal(illegal) if illegal else unread,
            "rule": illegal.rule if illegal else rule,
        }
