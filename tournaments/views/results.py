"""The result of a table: its public page, and the counting sheet of who runs the event."""

from __future__ import annotations

import hashlib
from collections.abc import Iterator
from datetime import datetime, timedelta
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
from tournaments.models import Event, Result, Round, Table
from tournaments.rules import registry
from tournaments.rules.regulation import Reason


@require_safe
def table_detail(request: HttpRequest, pk: int) -> HttpResponse:
    """The public page of a table: who, how much, which percentile, and why."""
    tables = Table.objects.visible_to(request.user).with_everything()
    table = get_object_or_404(tables.distinct(), pk=pk)
    result = table.confirmed()
    manages = table.event.is_run_by(request.user)
    return render(
        request,
        "tournaments/table.html",
        {
            "table": table,
            "result": result,
            "rows": _rows(result, table) if result else [],
            "draft": table.draft(),
            "earlier": [
                earlier
                for earlier in table.results.all()
                if result
                and earlier.version < result.version
                and (manages or earlier.state != Result.State.DRAFT)
            ],
            "regulation": registry.REGULATIONS[table.event.regulation],
            "manages": manages,
            "counts": not result and table.is_refereed_by(request.user),
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
    """The counting sheet of one table: its referee sends it, who runs the event confirms it (C-14).

    Whoever is both confirms.
    """
    tables = Table.objects.counted_by(request.user).with_everything()
    table = get_object_or_404(tables.distinct(), pk=pk)
    confirms = table.event.is_run_by(request.user)
    if request.method != "POST" and table.confirmed() and not confirms:
        return redirect(table)  # nothing is left for the referee to send
    form = _result_form(request, table, confirms=confirms)
    if request.method == "POST" and form.is_valid():
        try:
            result = _write(request, table, form, confirms=confirms)
        except Refused as refusal:
            form.refuse(refusal)
            table = Table.objects.with_everything().get(pk=pk)
        else:
            messages.success(request, _said(result) % {"number": table.number})
            return redirect(result.table)
    return render(
        request,
        "tournaments/table_result.html",
        _sheet(table, form, confirms=confirms),
        status=422 if form.errors else 200,
    )


# What a board may leave out of a time, so that it changes no more often than it must.
STEP = 5  # minutes


@require_safe
def waiting_tables(request: HttpRequest, pk: int) -> HttpResponse:
    """The tables of an event that still miss their result, the most urgent first.

    Those to be confirmed come before those that play, the longest playing first, and those that
    have not begun come last. The board asks again every half minute, saying what it has `seen`: no
    change, no answer.
    """
    event = get_object_or_404(Event.objects.visible_to(request.user).distinct(), pk=pk)
    manages = event.is_run_by(request.user) and event.accepts_results()
    rows = list(_waiting(event, timezone.now()))
    told = [
        (row["table"].pk, row["draft"] and row["draft"].pk, row["minutes"], manages) for row in rows
    ]
    names = [[str(seat.holder().player_id) for seat in r["table"].seats.all()] for r in rows]
    referees = [row["table"].referee_id for row in rows]
    seen = hashlib.sha256(repr((told, names, referees)).encode()).hexdigest()[:16]
    context = {"event": event, "rows": rows, "manages": manages, "seen": seen}
    if "seen" in request.GET:
        if request.GET["seen"] == seen:
            return HttpResponse(status=204)
        return render(request, "tournaments/_waiting_changed.html", context)
    context["rounds"] = {row["table"].round_id: row["table"].round for row in rows}.values()
    return render(request, "tournaments/waiting_tables.html", context)


def _waiting(event: Event, now: datetime) -> Iterator[dict[str, Any]]:
    if not event.accepts_results():
        return
    tables = Table.objects.with_everything().filter(
        round__prova__event=event,
        round__status=Round.Status.PUBLISHED,
        status=Table.Status.PLAYING,
    )
    never = now + timedelta(days=1)
    for table in sorted(
        tables,
        key=lambda t: (t.draft() is None, t.started_at or never, t.round_id, t.number),
    ):
        minutes = None
        if table.started_at is not None:
            minutes = max(0, int((now - table.started_at).total_seconds()) // 60) // STEP * STEP
        yield {
            "table": table,
            "draft": table.draft(),
            "minutes": minutes,
            "lasted": _lasted(minutes),
        }


def _lasted(minutes: int | None) -> str:
    if minutes is None:
        return ""
    if minutes < STEP:
        return _("just started")
    if minutes < 60:
        return _("%(minutes)d min") % {"minutes": minutes}
    if minutes % 60 == 0:
        return _("%(hours)d h") % {"hours": minutes // 60}
    return _("%(hours)d h %(minutes)d min") % {"hours": minutes // 60, "minutes": minutes % 60}


def _write(request: HttpRequest, table: Table, form: ResultForm, *, confirms: bool) -> Result:
    """What the button of the sheet is for: to confirm, or to send to the director."""
    data, by, now = form.cleaned_data, signed_in(request), timezone.now()
    if not confirms:
        return services.send_draft(
            table.pk, form.typed, data["version"], by, now, tie_checked=data["tie_checked"]
        )
    return services.record_table(
        table.pk,
        form.typed,
        data["version"],
        by,
        now,
        reason=data.get("reason", ""),
        tie_checked=data["tie_checked"],
    )


def _said(result: Result) -> str:
    if result.state == Result.State.DRAFT:
        return _("Table %(number)d: sent to the director, who confirms it.")
    if result.reason:
        return _("Table %(number)d: result corrected.")
    return _("Table %(number)d: result confirmed.")


@require_POST
@login_required
def table_preview(request: HttpRequest, pk: int) -> HttpResponse:
    """What the sheet is worth while it is typed: the fragment that the page swaps in."""
    tables = Table.objects.counted_by(request.user).with_everything()
    table = get_object_or_404(tables.distinct(), pk=pk)
    confirms = table.event.is_run_by(request.user)
    form = _result_form(request, table, confirms=confirms)
    form.is_valid()
    context = _sheet(table, form, confirms=confirms, live=True)
    return render(request, "tournaments/_table_outcome.html", context)


def _result_form(request: HttpRequest, table: Table, *, confirms: bool) -> ResultForm:
    confirmed, draft = table.confirmed(), table.draft()
    written = confirmed or draft
    only = request.GET.get("totals") == "1" or (
        "totals" not in request.GET
        and written is not None
        and all("total" in line.facts for line in written.lines.all())
    )
    return ResultForm(
        table,
        posted(request),
        initial={"version": table.last_version()},
        totals_only=only,
        confirmed=confirmed if confirms else None,  # a referee sends no correction
        draft=draft,
    )


def _sheet(table: Table, form: ResultForm, *, confirms: bool, live: bool = False) -> dict[str, Any]:
    """What the sheet shows: each seat with its boxes, what they are worth, what is refused.

    While it is typed (`live`), a seat with one box still empty is not yet a mistake.
    """
    count = services.count_table(table, form.typed)
    confirmed, draft = table.confirmed(), table.draft()
    written = confirmed or draft
    whole = count.refusals.get(None)
    renewed = form.stale or "version" in form.errors
    return {
        "table": table,
        "event": table.event,
        "form": form,
        "confirms": confirms,
        "confirmed": confirmed,
        "draft": draft,
        "written": written,
        # A stale sheet takes the version that is there now: the next confirmation is a knowing one.
        "version": table.last_version() if renewed else form["version"].value(),
        "rows": list(_sheet_rows(form, count, live=live)),
        "faults": list(_faults(form, count)),
        "refused": texts.refusal(whole) if whole else "",
        "refused_rule": whole.rule if whole else "",
        "missing": len(form.seats) - len(count.totals),
        "complete": bool(count.scores),
        "shared_first": count.firsts() > 1,
        "theirs": _rows(written, table) if written and form.stale else [],
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
