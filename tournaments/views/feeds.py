"""The calendar for other programs: iCalendar files, which a phone or a mail program subscribes."""

from __future__ import annotations

from collections.abc import Iterable
from datetime import datetime, timedelta
from urllib.parse import urlsplit

from django.conf import settings
from django.http import Http404, HttpRequest, HttpResponse
from django.shortcuts import get_object_or_404
from django.utils import timezone
from django.utils.translation import gettext as _
from django.views.decorators.http import require_safe
from icalendar import Calendar
from icalendar import Event as Entry

from tournaments.models import Event

BACK = timedelta(days=366)  # how long a past event stays in the feed
DAY = timedelta(days=1)


@require_safe
def calendar_ics(request: HttpRequest) -> HttpResponse:
    """Every public event, from those of a year ago on; or those of a season (``stagione``)."""
    events = Event.objects.public().prefetch_related("prove__title").order_by("starts_on", "pk")
    wanted = request.GET.get("stagione")
    if wanted is None:
        found = events.filter(ends_on__gte=timezone.localdate() - BACK)
        return _answer(found, "figf", timezone.now())
    if not (wanted.isascii() and wanted.isdigit() and len(wanted) == 4):
        raise Http404
    return _answer(events.filter(season__year=int(wanted)), f"figf-{wanted}", timezone.now())


@require_safe
def event_ics(request: HttpRequest, pk: int) -> HttpResponse:
    """One event, to put into one's own calendar."""
    events = Event.objects.public().filter(pk=pk).prefetch_related("prove__title")
    event = get_object_or_404(events)
    return _answer([event], f"figf-{event.starts_on}", timezone.now())


def _answer(events: Iterable[Event], name: str, now: datetime) -> HttpResponse:
    calendar = Calendar()
    calendar.add("prodid", "-//FIGF//figf//IT")
    calendar.add("version", "2.0")
    calendar.add("x-wr-calname", _("FIGF events"))
    calendar.add("x-published-ttl", "PT12H")
    for event in events:
        calendar.add_component(_entry(event, now))
    return HttpResponse(
        calendar.to_ical(),
        content_type="text/calendar; charset=utf-8",
        headers={"Content-Disposition": f'inline; filename="{name}.ics"'},
    )


def _entry(event: Event, now: datetime) -> Entry:
    """Whole days, the last one included: an event has no hours until its rounds are published."""
    url = f"{settings.SITE_URL}{event.get_absolute_url()}"
    entry = Entry()
    entry.add("uid", f"{event.key}@{urlsplit(settings.SITE_URL).hostname}")
    entry.add("dtstamp", now)
    entry.add("dtstart", event.starts_on)
    entry.add("dtend", event.ends_on + DAY)
    entry.add("summary", event.name)
    entry.add("status", "CANCELLED" if event.is_off() else "CONFIRMED")
    entry.add("url", url)
    where = ", ".join(filter(None, (event.venue, event.town)))
    if where:
        entry.add("location", where)
    titles = ", ".join(prova.title.name for prova in event.prove.all())
    entry.add("description", "\n".join(filter(None, (titles, event.status_note, url))))
    return entry
