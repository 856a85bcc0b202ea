"""The result of a table: its public page, and the counting sheet of who runs the event."""

from __future__ import annotations

import hashlib
from collections.abc import Iterator
from datetime import datetime, timedelta
from statistics import median
from typing import Any

from django.contrib import messages
from django.contrib.auth.decorators import login_required
from django.http import Http404, HttpRequest, HttpResponse, QueryDict
from django.shortcuts import get_object_or_404, redirect, render
from django.utils import timezone
from django.utils.translation import gettext as _
from django.views.decorators.cache import never_cache
from django.views.decorators.http import require_POST, require_safe

from figf.errors import Refused
from figf.spreadsheets import csv_response
from figf.web import posted, signed_in
from tournaments import services, texts
from tournaments.forms.result_imports import in_words
from tournaments.forms.results import ResultForm
from tournaments.models import Event, EventFile, Result, ResultLine, Round, Seat, Table
from tournaments.rules.regulation import Field
from tournaments.views.history import with_tables_only


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
            "withdrawal": table.withdrawal(),
            "earlier": _history(
                [
                    earlier
                    for earlier in table.results.all()
                    if result
                    and earlier.version < result.version
                    and (manages or earlier.state != Result.State.DRAFT)
                ],
                result,
                table,
            ),
            "next": _next(table.event) if result and manages else None,
            "rules": table.event.rules,
            "manages": manages,
            "counts": not result and table.is_refereed_by(request.user),
        },
    )


@require_safe
def table_csv(request: HttpRequest, pk: int) -> HttpResponse:
    """The confirmed result of a table, for a spreadsheet; not found as long as there is none."""
    tables = Table.objects.visible_to(request.user).with_everything()
    table = get_object_or_404(tables.distinct(), pk=pk)
    result = table.confirmed()
    if result is None:
        raise Http404
    rules, struck = table.event.rules, services.struck_off()
    figures = [name for name in ("total", "base", "bonus", "points") if getattr(rules.labels, name)]
    header = [
        *(_("Place"), _("Surname"), _("First name"), _("Remarks")),
        *(_(field.label) for field in rules.fields),
        _("Handicap"),
        *(_(getattr(rules.labels, name)) for name in figures),
    ]
    rows = [
        [
            *(row["score"].place, *_named(row["line"], struck)),
            *(_fact(field, row["line"].facts) for field in rules.fields),
            row["line"].handicap or "",
            *(_figure(name, row) for name in figures),
        ]
        for row in _rows(result, table)
    ]
    return csv_response(f"tavolo-{pk}", header, rows)


def _named(line: ResultLine, struck: set[int]) -> tuple[object, ...]:
    """Surname and first name, and what else is to be known of who played (O-16)."""
    said = "" if line.role == ResultLine.Role.PLAYER else line.get_role_display()
    if line.player is None:
        return "", "", said
    if line.player_id in struck:
        return _("a player struck off"), "", said
    return line.player.surname, line.player.name, said


def _fact(field: Field, facts: dict[str, int]) -> object:
    """What was counted of a seat: a number stays one."""
    if field.name not in facts:
        return ""
    return in_words(field, facts[field.name]) if field.choices else facts[field.name]


def _figure(name: str, row: dict[str, Any]) -> object:
    return row["line"].total if name == "total" else getattr(row["score"], name)


def _history(earlier: list[Result], result: Result | None, table: Table) -> list[dict[str, Any]]:
    """The versions before `result`, the last first: each seat says what a later one changed of it.

    Places and points follow from the others': only what was typed or decided is a change.
    """

    def said(version: Result | None) -> dict[int, tuple[Any, ...]]:
        lines = version.lines.all() if version else ()
        return {
            line.seat_id: (line.facts, line.player_id, line.role, line.handicap) for line in lines
        }

    told, later = [], result
    for version in reversed(earlier):
        after = said(later)
        rows = [
            {
                "line": line,
                "facts": ", ".join(
                    f"{_(field.label)} {in_words(field, line.facts[field.name])}"
                    for field in table.event.rules.fields
                    if field.name in line.facts
                ),
                "changed": said(version)[line.seat_id] != after.get(line.seat_id),
            }
            for line in version.standing()
        ]
        told.append({"result": version, "rows": rows, "later": later})
        later = version
    return told


def _next(event: Event) -> Table | None:
    """The table to report next: the first of the board that has begun."""
    waiting = _waiting(event, timezone.now())
    return next((r["table"] for r in waiting if r["draft"] or r["minutes"] is not None), None)


def _rows(result: Result, table: Table) -> list[dict[str, Any]]:
    scores, names = services.scores_of(result, table), services.names_in(result)
    holders = {seat.pk: list(seat.holders.all()) for seat in table.seats.all()}
    rows = [
        {
            "line": line,
            "name": line.player or _("a referee"),
            "left": [
                str(before.player)
                for before in holders[line.seat_id][:-1]
                if before.player and before.player_id != line.player_id
            ],
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
    if request.method != "POST":
        if table.confirmed() and not confirms:
            return redirect(table)  # nothing is left for the referee to send
        try:
            services.refuse_closed(table)
        except Refused as closed:
            context = {
                "table": table,
                "event": table.event,
                "away": _away(table) if confirms else None,
                "confirms": confirms,
                "closed": closed,
            }
            return render(request, "tournaments/table_result.html", context)
    form = _result_form(request, table, confirms=confirms)
    form.is_valid()
    count = services.count_table(table, form.typed)
    if form.is_bound:
        form.weigh(count.refusals, live=False)
    if form.is_valid():
        try:
            result = _write(request, table, form, confirms=confirms)
        except Refused as refusal:
            table = Table.objects.with_everything().get(pk=pk)
            form = _refused(request, table, form, refusal, confirms=confirms)
            count = services.count_table(table, form.typed)
        else:
            messages.success(request, _said(result) % {"number": table.number})
            return redirect(result.table)
    return render(
        request,
        "tournaments/table_result.html",
        _sheet(table, form, count, confirms=confirms)
        | {"away": _away(table) if confirms else None},
        status=422 if form.errors else 200,
    )


def _away(table: Table) -> EventFile | None:
    return services.travels_of(table.event).away


def _refused(
    request: HttpRequest, table: Table, form: ResultForm, refusal: Refused, *, confirms: bool
) -> ResultForm:
    """The sheet given back with a refusal: what somebody else wrote meanwhile is beside the boxes.

    The seats of which nothing had been typed take the newer figures, so that nobody puts old ones
    back without having written them.
    """
    newest = table.confirmed() or table.draft()
    if newest is None or refusal.reason not in {"stale", "already_confirmed"}:
        form.refuse(refusal)
        return form
    if refusal.reason == "stale":
        seen = [r for r in table.results.all() if r.version == form.cleaned_data["version"]]
        data = form.with_newer(seen[0] if seen else None, newest)
        form = _result_form(request, table, confirms=confirms, data=data)
        form.is_valid()
    form.compare(newest)
    if refusal.reason == "stale" and not form.theirs:
        words = _(
            "Somebody else wrote this table's result meanwhile, and you had changed nothing: the "
            "newer figures are below. Check them before you go on."
        )
        refusal = Refused("stale", words)
    form.refuse(refusal)
    return form


@login_required
@never_cache
def result_withdraw(request: HttpRequest, pk: int) -> HttpResponse:
    """Take back a result confirmed by mistake; the page of the sheet has the button."""
    table = get_object_or_404(Table.objects.run_by(request.user).distinct(), pk=pk)
    if request.method != "POST":
        return redirect("table_result", pk=pk)
    reason = request.POST.get("reason", "")[:300]
    try:
        services.withdraw_result(table, signed_in(request), timezone.now(), reason)
    except Refused as refusal:
        messages.error(request, str(refusal.text))
        return redirect("table_result", pk=pk)
    said = _("Table %(number)d: result withdrawn. It waits for its result again.")
    messages.success(request, said % {"number": table.number})
    return redirect(table)


# What a board may leave out of a time, so that it changes no more often than it must.
STEP = 5  # minutes


@require_safe
@with_tables_only
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
    count = services.count_table(table, form.typed)
    form.weigh(count.refusals, live=True)
    context = _sheet(table, form, count, confirms=confirms, live=True)
    return render(request, "tournaments/_table_outcome.html", context)


def _result_form(
    request: HttpRequest, table: Table, *, confirms: bool, data: QueryDict | None = None
) -> ResultForm:
    confirmed, draft = table.confirmed(), table.draft()
    written = confirmed or draft
    only = table.event.rules.total_alone and (
        request.GET.get("totals") == "1"
        or (
            "totals" not in request.GET
            and written is not None
            and all("total" in line.facts for line in written.lines.all())
        )
    )
    return ResultForm(
        table,
        posted(request) if data is None else data,
        initial={"version": table.last_version()},
        totals_only=only,
        confirmed=confirmed if confirms else None,  # a referee sends no correction
        draft=draft,
    )


def _sheet(
    table: Table,
    form: ResultForm,
    count: services.Count,
    *,
    confirms: bool,
    live: bool = False,
) -> dict[str, Any]:
    """What the sheet shows: each seat with its boxes, what they are worth, what is refused.

    While it is typed (`live`), a seat with one box still empty is not yet a mistake.
    """
    confirmed, draft = table.confirmed(), table.draft()
    written = confirmed or draft
    whole = count.refusals.get(None)
    renewed = form.stale or "version" in form.errors
    return {
        "table": table,
        "event": table.event,
        "rules": table.event.rules,
        "form": form,
        "confirms": confirms,
        "confirmed": confirmed,
        "draft": draft,
        "written": written,
        # A stale sheet takes the version that is there now: the next confirmation is a knowing one.
        "version": table.last_version() if renewed else form["version"].value(),
        "rows": list(_sheet_rows(table, form, count, live=live)),
        "faults": list(_faults(form, count)),
        "refused": texts.refusal(whole) if whole else "",
        "refused_rule": whole.rule if whole else "",
        "missing": len(form.seats) - len(count.totals),
        "complete": bool(count.scores),
        "to_recount": count.to_recount,
        "doubtful": _doubtful(form, count) if table.event.rules.labels.total else [],
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
    if count.to_recount and not form.cleaned_data.get("tie_checked"):
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


def _sheet_rows(
    table: Table, form: ResultForm, count: services.Count, *, live: bool
) -> Iterator[dict[str, Any]]:
    for seat in form.seats:
        boxes = form.boxes(seat)
        wrong = [
            {"box": box, "text": error, "rule": form.rules.get(box.name, "C-03")}
            for box in boxes
            for error in box.errors
        ]
        illegal = count.refusals.get(seat.pk)
        if illegal and not form.is_bound:  # of figures that were written before
            wrong.append({"text": texts.refusal(illegal), "rule": illegal.rule})
        excluded = services.role_of(seat, table) == ResultLine.Role.EXCLUDED
        yield {
            "seat": seat,
            "holder": seat.holder(),
            "excluded": ResultLine.Role.EXCLUDED.label if excluded else "",
            "cells": [{"box": box, "theirs": form.theirs.get(box.name)} for box in boxes],
            "total": count.totals.get(seat.pk),
            "score": count.scores.get(seat.pk),
            "first": seat.pk in count.scores and count.scores[seat.pk].win,
            "wrong": wrong,
        }


def _doubtful(form: ResultForm, count: services.Count) -> list[str]:
    """Whose total may have a digit too many: more than ten times what is usual among the others."""
    if not count.scores:
        return []
    totals = count.totals

    def usual(but: Seat) -> float:
        return median([total for pk, total in totals.items() if pk != but.pk] or [0])

    return [
        str(seat.holder().player or _("a referee"))
        for seat in form.seats
        if totals[seat.pk] > 10 * usual(seat) > 0
    ]
