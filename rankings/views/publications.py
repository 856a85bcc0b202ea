"""Official publications: the list, each as it was published, and the act of publishing."""

from __future__ import annotations

from decimal import Decimal
from typing import Any

from django.contrib import messages
from django.core.paginator import Paginator
from django.http import HttpRequest, HttpResponse
from django.shortcuts import get_object_or_404, redirect, render
from django.utils import timezone
from django.utils.translation import gettext as _
from django.views.decorators.http import require_safe

from figf.errors import Refused
from figf.spreadsheets import csv_response
from figf.web import add_refusal, secretary_only, signed_in
from rankings import services
from rankings.forms.honours import PublishForm
from rankings.models import Publication


@require_safe
def publication_list(request: HttpRequest) -> HttpResponse:
    found = Publication.objects.select_related("season", "title", "event", "replaced_by")
    page = Paginator(found, 40).get_page(request.GET.get("page"))
    latest = services.latest_publications()
    rows = [(each, services.state_of_publication(each, latest)) for each in page.object_list]
    return render(request, "rankings/publication_list.html", {"page": page, "rows": rows})


def _found(number: int) -> Publication:
    found = Publication.objects.select_related(
        "season", "title", "event", "replaces", "replaced_by", "by"
    )
    return get_object_or_404(found.prefetch_related("lines", "replaces__lines"), number=number)


@require_safe
def publication(request: HttpRequest, number: int) -> HttpResponse:
    """A standing as it was published, and what it corrects of the one before."""
    found = _found(number)
    people, lines = services.named(found), services.lines_of(found)
    context = {
        "publication": found,
        "rows": [(line, people.get(line.player)) for line in lines],
        "columns": _columns(found),
        "dropped": any(part.startswith("(") for line in lines for part in line.parts),
        "state": services.state_of_publication(found),
        "whole": found.kind in {Publication.Kind.RANKING, Publication.Kind.ABSOLUTE},
        "changes": [(each, people.get(each.player)) for each in services.changes(found)],
    }
    return render(request, "rankings/publication.html", context)


@require_safe
def publication_csv(request: HttpRequest, number: int) -> HttpResponse:
    found = _found(number)
    people = services.named(found)
    header = [_("Place"), _("Surname"), _("First name"), _("Total"), *_columns(found)]
    header.append(_("Not counted"))
    rows = []
    for line in services.lines_of(found):
        player = people.get(line.player)
        name = ["", ""] if player is None else [player.surname, player.name]
        out = [_cell(part) for part in line.parts if part.startswith("(")]
        total = _cell(f"{Decimal(line.total).scaleb(-2)}")
        rows.append([line.place, *name, total, *map(_cell, line.parts), sum(out) if out else ""])
    return csv_response(f"pubblicazione-{number}", header, rows)


def _columns(found: Publication) -> list[str]:
    """What heads its columns: the last one of an event are its points."""
    if found.kind == Publication.Kind.EVENT and found.columns:
        return [*found.columns[:-1], _("Event points")]
    return list(found.columns)


def _cell(part: str) -> Any:
    """A figure for a spreadsheet, without the brackets of what does not count."""
    figure = part.strip("()")
    return Decimal(figure) if figure else ""


@secretary_only
def publication_new(request: HttpRequest) -> HttpResponse:
    """Show what would be published; at the button, publish it."""
    data: Any = request.POST if request.method == "POST" else request.GET
    form = PublishForm(data)
    if not form.is_valid() and set(form.errors) != {"note"}:
        messages.error(request, _("This standing is not there: choose it again."))
        return redirect("standings")
    kind, by, now = form.cleaned_data["kind"], signed_in(request), timezone.now()
    sheet = None
    try:
        if request.method == "POST" and form.is_valid():
            note = form.cleaned_data["note"]
            found = services.publish(kind, by, now, note=note, **form.standing())
            messages.success(request, _("Published, as number %(n)d.") % {"n": found.number})
            return redirect(found)
        sheet = services.sheet_of(kind, now, **form.standing())
    except Refused as refusal:
        add_refusal(form, refusal)
    context = {"form": form, "sheet": sheet, "kind": Publication.Kind(kind).label}
    status = 422 if form.errors else 200
    return render(request, "rankings/publication_new.html", context, status=status)
