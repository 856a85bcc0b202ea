"""The calendar, and the pages by which it is made: events, prove, status, contribution, seasons."""

from __future__ import annotations

from typing import Any

from django.contrib import messages
from django.contrib.auth.decorators import login_required
from django.db.models import Count, Q, QuerySet
from django.forms import BaseForm
from django.http import Http404, HttpRequest, HttpResponse
from django.shortcuts import get_object_or_404, redirect, render
from django.utils import timezone
from django.utils.translation import gettext as _
from django.views.decorators.cache import never_cache
from django.views.decorators.http import require_safe

from figf.errors import Refused
from figf.spreadsheets import csv_response
from figf.web import add_refusal, posted, secretary_only, signed_in
from tournaments import services, texts
from tournaments.forms.events import (
    REGIONS,
    STEPS,
    ContributionForm,
    EventForm,
    ProvaForm,
    SeasonContributionForm,
    SeasonForm,
    StatusForm,
)
from tournaments.models import Entry, Event, Season
from tournaments.views.cups import until_formed
from tournaments.views.history import with_tables_only

DEFAULT_CONTRIBUTION = 2  # euro (000:19)


# --- the calendar ---------------------------------------------------------------------------------


@require_safe
def event_list(request: HttpRequest) -> HttpResponse:
    """The calendar of one season: the present one, unless `stagione` asks for another."""
    seasons = list(Season.objects.all())
    season = _asked_season(request, seasons)
    events = [(event, _factor(event)) for event in (_events(request, season) if season else [])]
    context = {
        "seasons": seasons,
        "season": season,
        "events": events,
        "elsewhere": Event.objects.coming(timezone.localdate()).exclude(season=season),
        "planned": services.planned_events(season)[season.pk] if season else 0,
    }
    return render(request, "tournaments/event_list.html", context)


@require_safe
def calendar_csv(request: HttpRequest) -> HttpResponse:
    """The calendar of one season, to take away."""
    season = _asked_season(request, list(Season.objects.all()))
    titles = [
        *(_("Season"), _("No."), _("Event"), _("Kind"), _("State"), _("Reason"), _("First day")),
        *(_("Last day"), _("Town"), _("Region"), _("Venue"), _("Prove"), _("FE")),
        *(_("Technical director"), _("Organiser"), _("Fee"), _("Places"), _("Enrolled")),
        *(_("Waiting"), _("Event of two years before")),
    ]
    rows = [
        [
            *(event.season.year, event.ordinal, event.name, event.get_kind_display()),
            *(event.get_status_display(), event.status_note, event.starts_on, event.ends_on),
            *(event.town, event.region, event.venue, _prove_in_words(event), _factor(event)),
            *(event.director, event.organiser, event.fee, event.capacity),
            *(event.enrolled, event.waiting, event.replaces),
        ]
        for event in (_events(request, season) if season else [])
    ]
    name = _("calendar")
    return csv_response(f"{name}-{season.year}" if season else name, titles, rows)


def _asked_season(request: HttpRequest, seasons: list[Season]) -> Season | None:
    """The season that `stagione` names, or this year's, or the newest; none if none is open."""
    wanted = request.GET.get("stagione")
    if wanted is not None:
        found = next((season for season in seasons if str(season.year) == wanted), None)
        if found is None:
            raise Http404
        return found
    today = timezone.localdate()
    present = next((season for season in seasons if season.year == today.year), None)
    return present or (seasons[0] if seasons else None)


def _events(request: HttpRequest, season: Season) -> QuerySet[Any]:
    """What the calendar shows of each event, with how many are `enrolled` and `waiting`.

    Drafts only to who may see them.
    """
    enrolled = Q(entries__status=Entry.Status.ENROLLED)
    waiting = Q(entries__status=Entry.Status.WAITING)
    return (
        Event.objects.visible_to(request.user)
        .filter(season=season)
        .select_related("season", "director", "replaces__season")
        .prefetch_related("prove__title")
        .annotate(
            enrolled=Count("entries", filter=enrolled, distinct=True),
            waiting=Count("entries", filter=waiting, distinct=True),
        )
        .order_by("ordinal")
    )


def _factor(event: Event) -> int | None:
    """What its places are multiplied by; nothing where they are worth no points (E-05)."""
    return event.factor() if services.is_awarded(event) else None


def _prove_in_words(event: Event) -> str:
    return ", ".join(
        f"{prova.title.code} ×{prova.rounds}" if prova.rounds > 1 else prova.title.code
        for prova in event.prove.all()
    )


# --- an event -------------------------------------------------------------------------------------


@secretary_only
@never_cache
def event_new(request: HttpRequest) -> HttpResponse:
    """A new event: then its prove. `look` shows what H-04 proposes for what was typed so far."""
    seasons = list(Season.objects.all())
    season = _asked_season(request, seasons)
    if season is None:
        return render(request, "tournaments/event_form.html", {"form": None})
    if "look" in request.POST:
        form = EventForm(secretary=True, season=season, initial=request.POST.dict())
        form.looked = True
        return _event_page(request, form)
    form = EventForm(posted(request), secretary=True, season=season)
    if request.method == "POST" and form.is_valid():
        data = form.changes()
        data["regulation_slug"] = data.pop("regulation")
        try:
            event = services.create_event(**data, by=signed_in(request), now=timezone.now())
        except Refused as refusal:
            _refuse(form, refusal)
        else:
            messages.success(
                request,
                _("%(event)s is event number %(n)d of the season, as a draft. Now its prove.")
                % {"event": event, "n": event.ordinal},
            )
            return redirect("event_prove", pk=event.pk)
    return _event_page(request, form)


@login_required
@never_cache
@with_tables_only
def event_edit(request: HttpRequest, pk: int) -> HttpResponse:
    """What the calendar says of an event, amended."""
    event = _run_event(request, pk)
    secretary = signed_in(request).is_staff
    if "look" in request.POST and secretary:
        form = EventForm(secretary=True, event=event, initial=request.POST.dict())
        form.looked = True
        return _event_page(request, form)
    form = EventForm(posted(request), secretary=secretary, event=event)
    present: list[tuple[str, str]] = []
    if request.method == "POST" and form.is_valid():
        try:
            services.amend_event(
                event,
                signed_in(request),
                timezone.now(),
                seen=form.cleaned_data["seen"],
                **form.changes(),
            )
        except Refused as refusal:
            _refuse(form, refusal)
            if refusal.reason == "stale":
                present = form.take_present(_run_event(request, pk))
        else:
            messages.success(request, _("Saved."))
            _warn(request, pk)
            return redirect("event", pk=pk)
    return _event_page(request, form, present)


def _event_page(
    request: HttpRequest, form: EventForm, present: list[tuple[str, str]] | None = None
) -> HttpResponse:
    event = form.event
    context = {
        "form": form,
        "event": event,
        "present": present,
        "remarks": services.remarks(event) if event else [],
        "regions": REGIONS,
        "heading": _("The event was not saved"),
    }
    failed = form.is_bound and form.errors
    return render(request, "tournaments/event_form.html", context, status=422 if failed else 200)


# --- its prove ------------------------------------------------------------------------------------


@login_required
@never_cache
@with_tables_only
@until_formed
def event_prove(request: HttpRequest, pk: int) -> HttpResponse:
    """The titles of an event, in their order; each change is a form of its own."""
    event = _run_event(request, pk)
    form = ProvaForm(event, posted(request))
    refusal: Refused | None = None
    if request.method == "POST" and form.is_valid():
        try:
            _change_prove(request, event, form.cleaned_data)
        except Refused as error:
            refusal = error
        else:
            return redirect("event_prove", pk=pk)
    failed = bool(refusal) or (form.is_bound and not form.is_valid())
    return _prove_page(request, event, form if failed else None, refusal)


def _change_prove(request: HttpRequest, event: Event, data: dict[str, Any]) -> None:
    by, now, seen = signed_in(request), timezone.now(), data["seen"]
    if data["do"] == "add":
        services.add_prova(event, data["title"], by, now, rounds=data["rounds"], seen=seen)
        return
    prova = event.prove.filter(pk=data["prova"] or 0).first()
    if prova is None:
        raise Refused("prova_gone", _("This prova is there no more."))
    if data["do"] == "amend":
        services.amend_prova(prova, data["title"], by, now, rounds=data["rounds"], seen=seen)
    elif data["do"] == "remove":
        services.remove_prova(prova, by, now, seen=seen)
    else:
        services.move_prova(prova, by, now, up=data["do"] == "up", seen=seen)


def _prove_page(
    request: HttpRequest, event: Event, failed: ProvaForm | None, refusal: Refused | None
) -> HttpResponse:
    """`failed` is the form that was refused: its row keeps what was chosen, marked as it was."""
    counted = event.prove.select_related("title").annotate(laid_rounds=Count("play_rounds"))
    prove = list(counted.order_by("order"))  # what is counted loses the order of the model
    at_fault = failed.data.get("prova", "") if failed else ""
    adding = failed is not None and failed.data.get("do") == "add"
    if failed is not None and not adding and at_fault.isdigit():
        failed.auto_id = f"id_%s-{at_fault}"  # its faults lead to its row
    rows = []
    free = [not prova.laid_rounds for prova in prove]
    for index, prova in enumerate(prove):
        form = ProvaForm(event, prova=prova)
        if failed is not None and not adding and at_fault == str(prova.pk):
            form = _kept(form, failed)
        rows.append(
            {
                "prova": prova,
                "rounds": texts.rounds(prova.rounds),
                "form": form,
                "seated": not free[index],
                "up": index > 0 and free[index - 1],
                "down": index + 1 < len(prove) and free[index + 1],
                "played": prova.title.is_played(event.starts_on),
            }
        )
    add = ProvaForm(event)
    context = {
        "event": event,
        "factored": services.is_awarded(event) and event.rules.factor is not None,
        "rows": rows,
        "add": _kept(add, failed) if failed is not None and adding else add,
        "failed": failed,
        "refusal": refusal,
        "remarks": services.remarks(event),
        "changing": services.prove_may_change(event),
    }
    return render(
        request,
        "tournaments/event_prove.html",
        context,
        status=422 if failed is not None or refusal is not None else 200,
    )


def _kept(form: ProvaForm, failed: ProvaForm) -> ProvaForm:
    """A form of the page as it is now, with what was chosen in the one that was refused."""
    for name in ("title", "rounds"):
        form.initial[name] = failed.data.get(name, "")
    return form


# --- its status -----------------------------------------------------------------------------------


@login_required
@never_cache
@with_tables_only
def event_status(request: HttpRequest, pk: int) -> HttpResponse:
    """Where the event stands, and the steps that a person decides: a POST takes one."""
    event = _run_event(request, pk)
    form = StatusForm(event, posted(request))
    refusal: Refused | None = None
    if request.method == "POST" and form.is_valid():
        try:
            event = services.set_status(
                event,
                form.cleaned_data["status"],
                signed_in(request),
                timezone.now(),
                reason=form.cleaned_data["reason"],
            )
        except Refused as error:
            refusal = error
        else:
            messages.success(
                request, _("State: %(status)s.") % {"status": event.get_status_display()}
            )
            if event.status == Event.Status.ENROLLING:
                _warn(request, pk)
            return redirect("event", pk=pk)
    context = {
        "event": event,
        "form": form,
        "refusal": refusal,
        "steps": STEPS.get(event.status, ()),
        "concerned": event.entries.exclude(status=Entry.Status.WITHDRAWN).count(),
        "remarks": services.remarks(event),
    }
    failed = refusal is not None or (form.is_bound and not form.is_valid())
    return render(request, "tournaments/event_status.html", context, status=422 if failed else 200)


# --- what its organiser owes ----------------------------------------------------------------------


@login_required
@never_cache
@with_tables_only
def event_contribution(request: HttpRequest, pk: int) -> HttpResponse:
    """The statement of the contribution to FIGF (A-12); a secretary writes its state."""
    event = _run_event(request, pk)
    secretary = signed_in(request).is_staff
    if request.method == "POST" and not secretary:
        raise Http404
    form = ContributionForm(posted(request), initial={"state": event.contribution_state})
    if request.method == "POST" and form.is_valid():
        state = form.cleaned_data["state"]
        try:
            services.set_contribution(event, state, signed_in(request), timezone.now())
        except Refused as refusal:
            add_refusal(form, refusal)
        else:
            messages.success(request, _("Saved."))
            return redirect("event_contribution", pk=pk)
    owed, open_because = None, None
    try:
        owed = services.contribution_of(event)
    except Refused as refusal:
        open_because = refusal
    context = {
        "event": event,
        "form": form if secretary and event.kind != Event.Kind.CUP else None,
        "cup": event.kind == Event.Kind.CUP,
        "enrolled": event.entries.enrolled().count(),
        "owed": owed,
        "open_because": open_because,
        "today": timezone.localdate(),
    }
    return render(
        request,
        "tournaments/event_contribution.html",
        context,
        status=422 if form.errors else 200,
    )


# --- seasons --------------------------------------------------------------------------------------


@secretary_only
@never_cache
def season_list(request: HttpRequest) -> HttpResponse:
    """The seasons with their contribution; a POST opens one, or amends the one it names."""
    amending = "season" in request.POST
    opening = SeasonForm(
        None if amending else posted(request),
        initial={"year": _next_year(), "contribution": str(DEFAULT_CONTRIBUTION)},
    )
    amended = SeasonContributionForm(posted(request)) if amending else None
    if request.method == "POST":
        form: Any = amended or opening
        if form.is_valid():
            data, by, now = form.cleaned_data, signed_in(request), timezone.now()
            try:
                if amended is not None:
                    services.amend_season(data["season"], data["contribution"], by, now)
                else:
                    services.open_season(data["year"], data["contribution"], by, now)
            except Refused as refusal:
                add_refusal(form, refusal)
            else:
                messages.success(request, _("Saved."))
                return redirect("season_list")
    return _season_page(request, opening, amended)


def _season_page(
    request: HttpRequest, opening: SeasonForm, amended: SeasonContributionForm | None
) -> HttpResponse:
    rows = []
    seasons = Season.objects.all()
    planned = services.planned_events(*seasons)
    for season in seasons:
        form: BaseForm = SeasonContributionForm(
            initial={"season": season.pk, "contribution": season.contribution},
            auto_id=f"id_%s-{season.pk}",
        )
        at_fault = amended is not None and amended.data.get("season") == str(season.pk)
        if amended is not None and at_fault:
            form = amended
        rows.append(
            {
                "season": season,
                "form": form,
                "planned": planned[season.pk],
                "at_fault": at_fault,
            }
        )
    lost = amended is not None and not any(row["at_fault"] for row in rows)
    failed = opening.errors or (amended is not None and amended.errors)
    context = {"rows": rows, "form": opening, "lost": lost and failed}
    return render(request, "tournaments/season_list.html", context, status=422 if failed else 200)


def _next_year() -> int:
    newest = Season.objects.first()
    return newest.year + 1 if newest else timezone.localdate().year


# --- shared ---------------------------------------------------------------------------------------


def _run_event(request: HttpRequest, pk: int) -> Event:
    """An event that the reader runs (A-08); of another, as if it were not there."""
    events = Event.objects.run_by(request.user).select_related(
        "season", "director", "replaces__season"
    )
    return get_object_or_404(events, pk=pk)


def _warn(request: HttpRequest, pk: int) -> None:
    """Say on the next page what is unusual about the event, and allowed."""
    for remark in services.remarks(_run_event(request, pk)):
        messages.warning(request, str(remark))


def _refuse(form: EventForm, refusal: Refused) -> None:
    add_refusal(form, refusal)
    form.rule = refusal.rule
