"""The secretary's trays: the outbox, and the log of who did what."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Mapping
from typing import Any

from django.apps import apps
from django.contrib import messages
from django.core.paginator import Paginator
from django.db.models import Model, QuerySet
from django.http import Http404, HttpRequest, HttpResponse
from django.shortcuts import get_object_or_404, redirect, render
from django.utils import timezone, translation
from django.utils.text import capfirst
from django.utils.translation import gettext as _
from django.views.decorators.http import require_POST, require_safe

from figf import mail
from figf.models import Draw, Email, LogEntry, User
from figf.texts import HELD
from figf.web import secretary_only, signed_in
from rankings.models import Cup, Publication, Team
from tournaments.models import (
    Ban,
    Club,
    Entry,
    Event,
    Holder,
    Player,
    Prova,
    Removal,
    Round,
    Season,
    Table,
    Title,
)


@require_safe
@secretary_only
def outbox(request: HttpRequest) -> HttpResponse:
    """The state of every mail; where mail goes to files, what they say."""
    page = Paginator(Email.objects.order_by("-pk"), 50).get_page(request.GET.get("page"))
    return render(request, "outbox.html", {"page": page, "in_files": mail.in_files()})


@require_safe
@secretary_only
def outbox_mail(request: HttpRequest, pk: int) -> HttpResponse:
    """One mail as it was written to the file. Elsewhere it is private, and this page is not."""
    if not mail.in_files():
        raise Http404
    return render(
        request, "outbox_mail.html", {"mail": get_object_or_404(Email, pk=pk, emptied_at=None)}
    )


@require_POST
@secretary_only
def outbox_send_again(request: HttpRequest, pk: int) -> HttpResponse:
    failed = get_object_or_404(Email, pk=pk, sent_at=None, emptied_at=None)
    mail.send_again(failed, signed_in(request), timezone.now())
    messages.success(request, _("The mail will leave within a minute."))
    return redirect("outbox")


# --- the log --------------------------------------------------------------------------------------


def _round_called(found: Round) -> str:
    named = {"event": found.event, "title": found.prova.title, "n": found.number}
    return _("%(event)s, %(title)s, round %(n)d") % named


# What the log calls by name, as long as it is there, and with which rows it is read.
NAMED: dict[type[Model], tuple[tuple[str, ...], Callable[[Any], str]]] = {
    Club: ((), str),
    Cup: (("season",), lambda cup: f"{cup.get_kind_display()} {cup.season}"),
    Draw: ((), str),
    Event: ((), str),
    Player: ((), str),
    Prova: (("event", "title"), lambda prova: f"{prova.event}, {prova.title}"),
    Publication: ((), str),
    Round: (("prova__event", "prova__title"), _round_called),
    Season: ((), str),
    Table: (
        ("round__prova__event", "round__prova__title"),
        lambda table: f"{table.event}, {table.called()}",
    ),
    Team: ((), str),
    Title: ((), str),
    User: ((), str),
}
LINKED = (Event, Publication, Round, Table)


@require_safe
@secretary_only
def log(request: HttpRequest) -> HttpResponse:
    """Who did what to what, the last first; what is there no more is a number."""
    entries = LogEntry.objects.select_related("actor")
    page = Paginator(entries, 50).get_page(request.GET.get("page"))
    names = _names(page.object_list)
    rows = [
        (entry, names.get((entry.subject, entry.subject_id)), _held(entry))
        for entry in page.object_list
    ]
    return render(request, "log.html", {"page": page, "rows": rows})


# What an id of the data is of, where its key is not the name of a model of these apps.
APPS = ("tournaments", "rankings", "figf")
CALLED = {"term": "RefereeTerm"}


def _held(entry: LogEntry) -> list[tuple[str, str]]:
    """What the entry holds besides, as its reader calls it; nothing of what is empty."""
    model = apps.get_model(entry.subject)
    return [
        (_label(key), _value(model, key, value))
        for key, value in entry.data.items()
        if value is not None and value not in ("", [], {})
    ]


def _label(key: str) -> str:
    if key in HELD:
        return str(HELD[key])
    model = id_of(key)
    return str(model._meta.verbose_name) if model else key.replace("_", " ")


def id_of(key: str) -> type[Model] | None:
    """The model of which an id under this key is."""
    wanted = CALLED.get(key, key).lower()
    known = [apps.get_app_config(label).models for label in APPS]
    return next((models[wanted] for models in known if wanted in models), None)


def _value(model: type[Model], key: str, value: Any) -> str:
    """A value in words: names of fields and choices as the pages call them."""
    if isinstance(value, bool):
        return _("yes") if value else _("no")
    if isinstance(value, dict):
        return ", ".join(f"{one}: {other}" for one, other in value.items())
    if isinstance(value, list):
        return ", ".join(_value(model, key, each) for each in value)
    if not isinstance(value, str):
        return str(value)
    if key in {"fields", "changed"}:
        return _field(model, value)
    of_choice = [dict(each.flatchoices).get(value) for each in _chosen(model)]
    return str(next(filter(None, of_choice), value))


def _field(model: type[Model], called: str) -> str:
    """A field, by its name or, as the administration calls it, by its label in no language."""
    with translation.override(None):
        known = {str(capfirst(each.verbose_name)): each for each in model._meta.fields}
    known |= {each.name: each for each in model._meta.fields}
    return str(known[called].verbose_name) if called in known else called


def _chosen(model: type[Model]) -> list[Any]:
    """The fields of which a status, a level or a reason may be: the subject's own come first."""
    return [
        each
        for of in (model, Entry, Holder, Removal, Ban)
        for each in of._meta.fields
        if each.choices
    ]


def _names(entries: Iterable[LogEntry]) -> Mapping[tuple[str, int], dict[str, Any]]:
    """What the entries speak of: its kind, its name and its page. One query for each kind."""
    asked: dict[str, set[int]] = {}
    for entry in entries:
        asked.setdefault(entry.subject, set()).add(entry.subject_id)
    found = {}
    for label, keys in asked.items():
        model = apps.get_model(label)
        if model in NAMED:
            related, called = NAMED[model]
            rows = QuerySet[Any](model)
            if related:
                rows = rows.select_related(*related)
            for pk, row in rows.in_bulk(keys).items():
                url = row.get_absolute_url() if isinstance(row, LINKED) else ""
                kind = model._meta.verbose_name
                found[label, pk] = {"kind": kind, "name": called(row), "url": url}
    return found
