"""The secretary's trays: the outbox, and the log of who did what."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Mapping
from typing import Any

from django.apps import apps
from django.conf import settings
from django.contrib import messages
from django.core.paginator import Paginator
from django.db.models import Model, QuerySet
from django.http import Http404, HttpRequest, HttpResponse
from django.shortcuts import get_object_or_404, redirect, render
from django.utils import timezone
from django.utils.translation import gettext as _
from django.views.decorators.http import require_POST, require_safe

from figf import mail
from figf.models import Draw, Email, LogEntry, User
from figf.web import secretary_only, signed_in
from rankings.models import Cup, Publication, Team
from tournaments.models import Club, Event, Player, Prova, Round, Season, Table, Title


@require_safe
@secretary_only
def outbox(request: HttpRequest) -> HttpResponse:
    """The state of every mail; where mail goes to files, what they say."""
    page = Paginator(Email.objects.order_by("-pk"), 50).get_page(request.GET.get("page"))
    return render(request, "outbox.html", {"page": page, "in_files": _mail_in_files()})


@require_safe
@secretary_only
def outbox_mail(request: HttpRequest, pk: int) -> HttpResponse:
    """One mail as it was written to the file. Elsewhere it is private, and this page is not."""
    if not _mail_in_files():
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


def _mail_in_files() -> bool:
    return bool(settings.EMAIL_BACKEND.endswith("filebased.EmailBackend"))


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
    rows = [(entry, names.get((entry.subject, entry.subject_id))) for entry in page.object_list]
    return render(request, "log.html", {"page": page, "rows": rows})


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
