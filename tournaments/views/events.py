"""The calendar and the event: for the public, and the director's desk."""

from __future__ import annotations

from django.http import HttpRequest, HttpResponse
from django.shortcuts import get_object_or_404, render
from django.utils.translation import gettext as _
from django.views.decorators.http import require_safe

from tournaments.models import Event


@require_safe
def event_list(request: HttpRequest) -> HttpResponse:
    """The calendar, season by season."""
    events = (
        Event.objects.visible_to(request.user)
        .select_related("season", "director")
        .prefetch_related("prove__title")
        .order_by("-season__year", "ordinal")
    )
    return render(request, "tournaments/event_list.html", {"events": events})


@require_safe
def event_detail(request: HttpRequest, pk: int) -> HttpResponse:
    """One event: its line, its rounds with their tables, who still has to report."""
    events = Event.objects.visible_to(request.user).with_tables()
    event = get_object_or_404(events.distinct(), pk=pk)
    manages = event.is_run_by(request.user)
    return render(
        request,
        "tournaments/event.html",
        {"event": event, "manages": manages, "stations": _stations(event)},
    )


def _stations(event: Event) -> list[dict[str, str]]:
    """The event's line (A-15): each station past, current or still to come."""
    labels = [
        (Event.Status.DRAFT, _("Planned")),
        (Event.Status.ENROLLING, _("Enrolment")),
        (Event.Status.RUNNING, _("Playing")),
        (Event.Status.CONCLUDED, _("Results")),
        (Event.Status.CLOSED, _("Closed")),
    ]
    order = [status for status, _label in labels]
    now = order.index(Event.Status(event.status)) if event.status in order else -1
    return [
        {
            "label": label,
            "state": "past" if i < now else "current" if i == now else "future",
        }
        for i, (_status, label) in enumerate(labels)
    ]
