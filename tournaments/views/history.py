"""The federation's past: sent as a table, looked at, imported; and the events that it made."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from dataclasses import astuple, dataclass
from functools import wraps
from typing import Any, TypeVar, cast

from django.contrib import messages
from django.http import HttpRequest, HttpResponse
from django.shortcuts import get_object_or_404, redirect, render
from django.urls import reverse
from django.utils import timezone
from django.utils.translation import gettext as _
from django.utils.translation import ngettext
from django.views.decorators.cache import never_cache
from django.views.decorators.http import require_safe

from figf.errors import Refused
from figf.spreadsheets import csv_response
from figf.web import add_refusal, posted, seal, secretary_only, signed_in
from tournaments import services
from tournaments.forms.history import (
    HISTORY_COLUMNS,
    ConfirmHistoryForm,
    HistoryForm,
    RemoveForm,
)
from tournaments.models import Event, Player

View = TypeVar("View", bound=Callable[..., HttpResponse])

# --- the import -----------------------------------------------------------------------------------

# Three rows of a table, in the order of the columns, as somebody would write them.
EXAMPLE = [
    row.split(";")
    for row in (
        "2004;1;Trofeo della Lanterna;Genova;06/03/2004;07/03/2004;live;1;75;2;-;Rossi;Niccolò",
        "2004;1;;;;;;2;54;1;;D'Angelo;Rocco",
        "2004;2;Torneo pbem 2004;;10/01/2004;20/12/2004;pbem;;50;3;;Èrcoli;Dino",
    )
]


@require_safe
@secretary_only
def history_template(request: HttpRequest) -> HttpResponse:
    """The titles of the columns that the import understands, and nothing under them."""
    titles = [str(column.label) for column in HISTORY_COLUMNS if column.key != "player"]
    return csv_response("stagioni-da-riempire", titles, [])


@secretary_only
@never_cache
def history_import(request: HttpRequest) -> HttpResponse:
    """A table of past events: first what each row says, then, at a button, all of it."""
    if request.method == "POST" and "sealed" in request.POST:
        return _confirmed(request)
    form = HistoryForm(posted(request), request.FILES or None)
    if request.method == "POST" and form.is_valid():
        text = form.cleaned_data["text"]
        try:
            return _report(request, form.rows(), text, ignored=form.sheet.ignored)
        except Refused as refusal:
            add_refusal(form, refusal)
    return _start(request, form)


def _start(request: HttpRequest, form: HistoryForm, wrong: str = "") -> HttpResponse:
    status = 422 if form.errors or wrong else 200
    context = {"form": form, "wrong": wrong, "columns": HISTORY_COLUMNS, "example": EXAMPLE}
    return render(request, "tournaments/history_import.html", context, status=status)


@dataclass(frozen=True, slots=True)
class _Line:
    """A row of the report, and what may be chosen for it: value, words, whether it is chosen."""

    judged: services.JudgedPlace
    options: tuple[tuple[str, str, bool], ...] = ()

    @property
    def first(self) -> bool:
        return self.judged.first == self.judged.row.line


def _line(judged: services.JudgedPlace, chosen: Mapping[int, int]) -> _Line:
    if not judged.choice:
        return _Line(judged)
    mine = chosen.get(judged.row.line)
    again = judged.first != judged.row.line
    nothing = _("as in row %(line)d") % {"line": judged.first} if again else _("choose")
    options = [("", nothing, mine is None)]
    options += [(str(p.pk), _called(p), mine == p.pk) for p in judged.players]
    if judged.verdict == services.HistoryVerdict.UNKNOWN:
        new = services.NEW_PLAYER
        options.append((str(new), _("somebody else, to be registered"), mine == new))
    return _Line(judged, tuple(options))


def _called(player: Player) -> str:
    known = [str(player), str(player.club or ""), player.town]
    return ", ".join(part for part in known if part)


def _report(
    request: HttpRequest,
    rows: Sequence[services.HistoryRow],
    text: str,
    *,
    ignored: Sequence[str] = (),
    chosen: Mapping[int, int] | None = None,
    create_missing: bool = False,
    refusal: Refused | None = None,
) -> HttpResponse:
    """What each row says; what confirms it, unless one is rejected, is the rows themselves."""
    report = services.judge_history(rows, timezone.localdate())
    sealed = ""
    if report.may_be_written():
        kept = {
            "text": text,
            "rows": [astuple(row)[:-1] for row in rows],  # without faults: no row has any
            "seen": report.fingerprint,
        }
        sealed = seal(kept, ConfirmHistoryForm.PURPOSE, signed_in(request))
    verdicts = services.HistoryVerdict
    context = {
        "report": report,
        "read": len(rows),
        "events": [
            (event, [_line(judged, chosen or {}) for judged in event.rows])
            for event in report.events
        ],
        "faulty": [event for event in report.events if event.faults],
        "rejected": [j for j in report.rows if j.verdict == verdicts.REJECTED],
        "found": report.count(verdicts.FOUND),
        "several": report.count(verdicts.SEVERAL),
        "unknown": report.count(verdicts.UNKNOWN),
        "ignored": ignored,
        "refusal": refusal,
        "create_missing": create_missing,
        "sealed": sealed,
        "form": HistoryForm(initial={"text": text}),
    }
    status = 422 if refusal else 200
    return render(request, "tournaments/history_report.html", context, status=status)


def _confirmed(request: HttpRequest) -> HttpResponse:
    user = signed_in(request)
    form = ConfirmHistoryForm(user, request.POST)
    if not form.is_valid():
        return _start(request, HistoryForm(), "; ".join(map(str, form.errors["sealed"])))
    kept, chosen = form.cleaned_data["sealed"], form.chosen()
    create_missing = form.cleaned_data["create_missing"]
    try:
        events = services.import_history(
            form.rows(),
            user,
            timezone.now(),
            chosen=chosen,
            seen=kept["seen"],
            create_missing=create_missing,
        )
    except Refused as refusal:
        return _report(
            request,
            form.rows(),
            kept["text"],
            chosen=chosen,
            create_missing=create_missing,
            refusal=refusal,
        )
    messages.success(
        request,
        ngettext("%(n)d past event imported.", "%(n)d past events imported.", len(events))
        % {"n": len(events)},
    )
    newest = max(event.season.year for event in events)
    return redirect(f"{reverse('event_list')}?stagione={newest}")


# --- an event of the history ----------------------------------------------------------------------


def past_event(request: HttpRequest, event: Event, refusal: Refused | None = None) -> HttpResponse:
    """The page of an event of the history: its places, points and games won, and no tables."""
    context = past_standing(request, event) | {
        "removable": getattr(request.user, "is_staff", False) and event.season.closed_at is None,
        "refusal": refusal,
    }
    return render(request, "tournaments/event_past.html", context, status=422 if refusal else 200)


def past_standing(request: HttpRequest, event: Event) -> dict[str, Any]:
    """What the pages of such an event show of its standing."""
    rows = past_rows(event)
    own = getattr(request.user, "player", None)
    return {
        "event": event,
        "rows": rows,
        "me": own if own and any(row.player == own for row in rows) else None,
        "now": timezone.now(),
    }


@dataclass(frozen=True, slots=True)
class PastRow:
    """A place of an event of the history; without a player, of somebody struck off (O-16)."""

    place: int
    player: Player | None
    points: int
    wins: int


def past_rows(event: Event) -> list[PastRow]:
    struck = services.struck_off()
    kept = event.places.select_related("player").order_by("place", "player__sort_key", "player")
    return [
        PastRow(
            each.place,
            None if each.player_id in struck else each.player,
            each.points,
            each.wins,
        )
        for each in kept
    ]


@secretary_only
@never_cache
def past_event_remove(request: HttpRequest, pk: int) -> HttpResponse:
    """Take an event of the history out of the books; its page has the button."""
    event = get_object_or_404(Event.objects.select_related("season"), pk=pk, imported=True)
    if request.method != "POST":
        return redirect(event)
    form = RemoveForm(request.POST)
    reason = form.cleaned_data["reason"] if form.is_valid() else ""
    try:
        services.remove_past_event(event, reason, signed_in(request), timezone.now())
    except Refused as refusal:
        return past_event(request, event, refusal)
    messages.success(request, _("%(event)s is no more in the history.") % {"event": event})
    return redirect(f"{reverse('event_list')}?stagione={event.season.year}")


def with_tables_only(view: View) -> View:
    """Refuse in words a page that an event of the history has nothing for: it has no tables."""

    @wraps(view)
    def guarded(request: HttpRequest, pk: int, *args: Any, **kwargs: Any) -> HttpResponse:
        event = Event.objects.public().filter(pk=pk, imported=True).first()
        if event is not None:
            try:
                services.refuse_imported(event)
            except Refused as refusal:
                context = {"refusal": refusal, "event": event}
                return render(request, "tournaments/event_refused.html", context, status=422)
        return view(request, pk, *args, **kwargs)

    return cast(View, guarded)
