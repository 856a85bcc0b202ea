"""An event as one file: taken to a hall without internet, and brought back."""

from __future__ import annotations

import json
from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from types import MappingProxyType

from django.contrib import messages
from django.contrib.auth.decorators import login_required
from django.http import HttpRequest, HttpResponse
from django.shortcuts import get_object_or_404, redirect, render
from django.utils import timezone
from django.utils.text import slugify
from django.utils.translation import gettext as _
from django.utils.translation import ngettext
from django.views.decorators.cache import never_cache

from figf.errors import Refused
from figf.models import User
from figf.web import add_refusal, posted, seal, secretary_only, signed_in
from tournaments import services
from tournaments.forms.event_files import ConfirmEventFileForm, EventFileForm
from tournaments.models import Event, Player
from tournaments.views.standings import RankingBefore, RankingOn


@login_required
@never_cache
def event_file(request: HttpRequest, pk: int, ranking_before: RankingBefore) -> HttpResponse:
    """What the file of the event is for, and which ones left and came; the button writes one."""
    events = Event.objects.run_by(request.user).select_related("season", "director")
    event = get_object_or_404(events.distinct(), pk=pk)
    refusal = None
    if request.method == "POST":
        try:
            if "stay" in request.POST:
                return _stay(request, event)
            return _download(event, ranking_before(event.starts_on), signed_in(request))
        except Refused as found:
            refusal = found
    travels = services.travels_of(event)
    context = {"event": event, "travels": travels, "away": travels.away, "refusal": refusal}
    status = 422 if refusal else 200
    return render(request, "tournaments/event_file.html", context, status=status)


def _stay(request: HttpRequest, event: Event) -> HttpResponse:
    services.keep_event_here(event, signed_in(request), timezone.now())
    messages.success(request, _("The event stayed here: no file of it is waited for."))
    return redirect("event_file", pk=event.pk)


def _download(event: Event, ranking: RankingOn, by: User) -> HttpResponse:
    """The file, with the minute in its name: two of one day are told apart."""
    now = timezone.now()
    told = services.event_file(event, ranking.points, ranking.as_of, by, now)
    at = f"{timezone.localtime(now):%Y-%m-%d-%H%M}"
    name = f"figf-{slugify(event.name)[:60] or 'evento'}-{at}.json"
    return HttpResponse(
        json.dumps(told, ensure_ascii=False, indent=1),
        content_type="application/json; charset=utf-8",
        headers={"Content-Disposition": f'attachment; filename="{name}"'},
    )


# --- the import -----------------------------------------------------------------------------------


@secretary_only
@never_cache
def event_import(request: HttpRequest) -> HttpResponse:
    """The file; then what would become of it, and who is who; then, at a button, all of it."""
    if request.method == "POST" and "sealed" in request.POST:
        return _confirmed(request)
    form = EventFileForm(posted(request), request.FILES or None)
    if request.method == "POST" and form.is_valid():
        try:
            return _report(request, form.doc)
        except Refused as refusal:
            add_refusal(form, refusal)
    return _start(request, form)


def _start(request: HttpRequest, form: EventFileForm, wrong: str = "") -> HttpResponse:
    context = {"form": form, "wrong": wrong}
    status = 422 if form.errors or wrong else 200
    return render(request, "tournaments/event_import.html", context, status=status)


@dataclass(frozen=True, slots=True)
class Choice:
    """A person of the file who is like somebody here; value, words and whether it is chosen."""

    person: services.JudgedPerson
    options: tuple[tuple[str, str, bool], ...]
    wrong: bool


def _choices(
    report: services.FileReport, chosen: Mapping[str, int], refusal: Refused | None
) -> Iterator[Choice]:
    """Who of the file is to be said; one of the same name is proposed, and may be somebody else."""
    for person in report.to_choose:
        mine = chosen.get(person.key)
        if mine is None and person.likeness == services.Likeness.NAME:
            mine = person.players[0].pk
        new = services.SOMEBODY_NEW
        options = [("", _("choose"), mine is None)]
        options += [(str(p.pk), _called(p), mine == p.pk) for p in person.players]
        options.append((str(new), _("somebody else, to be registered"), mine == new))
        wrong = refusal is not None and refusal.field == f"player-{person.key}"
        yield Choice(person, tuple(options), wrong)


def _called(player: Player) -> str:
    known = [str(player), str(player.club or ""), player.town]
    return ", ".join(part for part in known if part)


def _report(
    request: HttpRequest,
    doc: services.EventDoc,
    *,
    chosen: Mapping[str, int] = MappingProxyType({}),
    refusal: Refused | None = None,
    form: ConfirmEventFileForm | None = None,
) -> HttpResponse:
    report = services.check_event_file(doc, chosen)
    refusal = refusal or report.refusal
    sealed = ""
    if report.contested or (report.refusal is None and not report.nothing):
        told = {"file": doc.raw, "seen": report.fingerprint}
        sealed = seal(told, ConfirmEventFileForm.PURPOSE, signed_in(request))
    told_event = doc.event
    context = {
        "report": report,
        "doc": doc,
        "told": told_event,
        "choices": list(_choices(report, chosen, refusal)),
        "form": form,
        "known": [p for p in report.of_event if p.likeness == services.Likeness.KEY],
        "asked": [p for p in report.of_event if p.choice],
        "new": [p for p in report.of_event if p.likeness == services.Likeness.NEW],
        "beside": len(report.people) - len(report.of_event),
        "enrolled": sum(entry["status"] == "enrolled" for entry in doc.entries),
        "tables": len(doc.tables()),
        "closed": told_event["status"] == Event.Status.CLOSED,
        "sealed": sealed,
        "refusal": refusal,
    }
    status = 422 if refusal else 200
    return render(request, "tournaments/event_import_report.html", context, status=status)


def _confirmed(request: HttpRequest) -> HttpResponse:
    user = signed_in(request)
    form = ConfirmEventFileForm(user, request.POST)
    if not form.is_valid():
        wrong = [str(error) for errors in form.errors.values() for error in errors]
        return _start(request, EventFileForm(), " ".join(wrong))
    doc, chosen = form.doc(), form.chosen()
    seen = form.cleaned_data["sealed"]["seen"]
    try:
        instead = form.instead()
        done = services.import_event_file(
            doc, user, timezone.now(), chosen=chosen, seen=seen, instead=instead
        )
    except Refused as refusal:
        return _report(request, doc, chosen=chosen, refusal=refusal, form=form)
    messages.success(request, _told(done))
    return redirect(done.event)


def _told(done: services.FileImport) -> str:
    if done.nothing:
        return _("All of this file was here already: nothing was written.")
    text = _("The event was read in from the file.")
    if done.rounds:
        rounds = ngettext("%(n)d round was brought.", "%(n)d rounds were brought.", done.rounds) % {
            "n": done.rounds
        }
        text = f"{text} {rounds}"
    return text
