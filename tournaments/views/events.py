"""The event's page: for the public what it is and how it stands, for the director his desk."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any

from django.http import HttpRequest, HttpResponse
from django.shortcuts import get_object_or_404, render
from django.urls import reverse
from django.utils import timezone
from django.utils.translation import gettext as _
from django.utils.translation import ngettext
from django.views.decorators.http import require_safe

from tournaments import services
from tournaments.models import Entry, Event, Prova, Round, Table
from tournaments.views.history import past_event
from tournaments.views.standings import RankingBefore

TOP = 5  # rows of the standing on the event's page


@require_safe
def event_detail(request: HttpRequest, pk: int, ranking_before: RankingBefore) -> HttpResponse:
    """One event: its line, what comes next, the top of its standing, its rounds and tables."""
    events = Event.objects.visible_to(request.user).with_tables()
    event = get_object_or_404(events.distinct(), pk=pk)
    if event.imported:
        return past_event(request, event)
    manages = event.is_run_by(request.user)
    travels = services.travels_of(event) if manages else None
    formed = services.is_formed_cup(event)
    desk = _desk(event)
    player = getattr(request.user, "player", None)
    begun = event.status in {Status.RUNNING, Status.CONCLUDED, Status.CLOSED}
    context = {
        "event": event,
        "manages": manages,
        "away": travels.away if travels else None,
        "origin": travels.origin if travels else "",
        "formed": formed,
        "cup": event.kind == Event.Kind.CUP,
        "desk": desk,
        "stations": _stations(event, desk),
        "next": _next(event, desk, formed) if manages else None,
        "remarks": services.remarks(event) if manages and not event.is_off() else [],
        "rounds": [(p, [(n, p.seated(n)) for n in p.numbers()]) for p in event.prove.all()],
        "begun": begun,
        "top": _top(event, ranking_before) if begun else None,
        "factor": event.factor() if services.is_awarded(event) else None,
        "mine": desk.entries.get(player.pk) if player else None,
        "may_enrol": services.is_open_to_players(event, timezone.now()),
    }
    return render(request, "tournaments/event.html", context)


def _top(event: Event, ranking_before: RankingBefore) -> dict[str, Any] | None:
    """The first rows of the standing as it is now, with their players; None before any result."""
    standing = services.standing_of(event, ranking_before(event.starts_on).points)
    struck = services.struck_off()
    rows = [
        (row, None if row.key in struck else standing.players[int(row.key)])
        for row in standing.rows[:TOP]
    ]
    return {"rows": rows, "provisional": standing.provisional} if rows else None


@dataclass(frozen=True, slots=True)
class Desk:
    """How an event stands, counted once: people, and the round that is on or comes next."""

    entries: dict[int, Entry]  # by player, enrolled or waiting
    enrolled: int
    waiting: int
    present: int
    not_called: int
    current: tuple[Prova, int, Round | None] | None  # None: every round has all its results
    playing: tuple[Table, ...]  # tables that have started and have no result


def _desk(event: Event) -> Desk:
    entries = {
        entry.player_id: entry
        for entry in event.entries.with_people()
        if entry.status != Entry.Status.WITHDRAWN
    }
    enrolled = [e for e in entries.values() if e.status == Entry.Status.ENROLLED]
    published = [r for _p, _n, r in event.rounds() if r and r.status == Round.Status.PUBLISHED]
    return Desk(
        entries=entries,
        enrolled=len(enrolled),
        waiting=len(entries) - len(enrolled),
        present=sum(entry.present is True for entry in enrolled),
        not_called=sum(entry.present is None for entry in enrolled),
        current=next((found for found in event.rounds() if not _is_over(found[2])), None),
        playing=tuple(
            table
            for seated in published
            for table in seated.tables.all()
            if table.status == Table.Status.PLAYING and table.started_at is not None
        ),
    )


def _is_over(seated: Round | None) -> bool:
    if seated is None or seated.status != Round.Status.PUBLISHED:
        return False
    return all(table.status != Table.Status.PLAYING for table in seated.tables.all())


# --- the line -------------------------------------------------------------------------------------

Status = Event.Status


def _stations(event: Event, desk: Desk) -> list[dict[str, str]]:
    """The event's line (A-15), with the stations of the round that is on between its own."""
    stops = [
        ("draft", _("Planned"), ""),
        ("enrolling", _("Enrolment"), _people(desk.enrolled, desk.waiting)),
        ("present", _("Roll call"), _present(desk) if event.status != Status.DRAFT else ""),
        ("seated", _("Tables"), _round_name(desk)),
        ("published", _("Published"), ""),
        ("playing", _("Playing"), _playing(desk)),
        ("results", _("Results"), ""),
        ("closed", _("Closed"), ""),
    ]
    names = [name for name, _label, _note in stops]
    here = _station(event, desk)
    now = names.index(here) if here in names else -1
    return [
        {
            "label": label,
            "note": note,
            "state": "past" if i < now else "current" if i == now else "future",
        }
        for i, (_name, label, note) in enumerate(stops)
    ]


def _station(event: Event, desk: Desk) -> str:
    match event.status:
        case Status.DRAFT:
            return "draft"
        case Status.CONCLUDED:
            return "results"
        case Status.CLOSED:
            return "closed"
        case Status.ENROLLING | Status.RUNNING:
            return _station_of_round(event, desk)
    return ""


def _station_of_round(event: Event, desk: Desk) -> str:
    if desk.current is None:
        return "results" if event.status == Status.RUNNING else "enrolling"
    seated = desk.current[2]
    if seated is None:
        begun = desk.present > 0 or event.status == Status.RUNNING
        return "present" if begun else "enrolling"
    if seated.status == Round.Status.DRAFT:
        return "seated"
    started = any(table.started_at for table in seated.tables.all())
    return "playing" if started else "published"


def _people(enrolled: int, waiting: int) -> str:
    text = ngettext("%(n)d enrolled", "%(n)d enrolled", enrolled) % {"n": enrolled}
    if waiting:
        text += ngettext(", %(n)d waiting", ", %(n)d waiting", waiting) % {"n": waiting}
    return text


def _present(desk: Desk) -> str:
    return ngettext("%(n)d here", "%(n)d here", desk.present) % {"n": desk.present}


def _round_name(desk: Desk) -> str:
    if desk.current is None:
        return ""
    prova, number, _seated = desk.current
    if prova.rounds == 1:
        return str(prova.title)
    return _("%(title)s, round %(round)d") % {"title": prova.title, "round": number}


def _playing(desk: Desk) -> str:
    if not desk.playing:
        return ""
    n = len(desk.playing)
    return ngettext("%(n)d table", "%(n)d tables", n) % {"n": n}


# --- the one thing to do now ----------------------------------------------------------------------


@dataclass(frozen=True, slots=True)
class Step:
    """What hangs from the current station: a link, or a button that sends `data` to `url`."""

    label: str
    url: str
    post: bool = False
    data: tuple[tuple[str, str], ...] = ()
    note: str = ""


def _next(event: Event, desk: Desk, formed: bool) -> Step | None:
    match event.status:
        case Status.DRAFT:
            return _next_of_draft(event)
        case Status.ENROLLING | Status.RUNNING:
            return _next_of_round(event, desk, formed)
        case Status.CONCLUDED:
            url = reverse("event_standing", args=[event.pk])
            return Step(_("Look at the standing and close"), url)
    return None


def _next_of_draft(event: Event) -> Step:
    if not event.prove.all():
        return Step(_("Add the prove"), reverse("event_prove", args=[event.pk]))
    url = reverse("event_status", args=[event.pk])
    return Step(_("Open enrolment"), url, post=True, data=(("status", Status.ENROLLING),))


def _next_of_round(event: Event, desk: Desk, formed: bool) -> Step | None:
    if not event.prove.all():
        return Step(_("Add the prove"), reverse("event_prove", args=[event.pk]))
    if desk.current is None:
        url = reverse("event_standing", args=[event.pk])
        return Step(_("Look at the standing and close"), url)
    prova, number, seated = desk.current
    if seated is None and formed:
        return None
    if seated is None:
        return _next_to_seat(event, desk, prova, number)
    if seated.status == Round.Status.DRAFT:
        url = reverse("round_desk", args=[prova.pk, number])
        return Step(_("Check the tables and publish"), url)
    waiting = [t for t in seated.tables.all() if t.status == Table.Status.PLAYING]
    unstarted = [t for t in waiting if t.started_at is None]
    if any(table.misses_referee() for table in unstarted):
        return Step(_("Name the referees who are missing"), seated.get_absolute_url())
    if unstarted:
        return Step(_("Start the tables"), reverse("round_start", args=[seated.pk]), post=True)
    return Step(
        _("Enter the results"),
        reverse("table_result", args=[waiting[0].pk]),
        note=_tables_missing(desk.playing),
    )


def _next_to_seat(event: Event, desk: Desk, prova: Prova, number: int) -> Step:
    roll_call = Step(_("Roll call"), reverse("roll_call", args=[event.pk]))
    if event.status == Status.ENROLLING and desk.present < event.rules.fewest_seats:
        return roll_call
    url = reverse("round_desk", args=[prova.pk, number])
    return Step(
        _("Form the tables"), url, note=_("People may come and go: the roll call says who.")
    )


def _tables_missing(waiting: Sequence[Table]) -> str:
    n = len(waiting)
    return ngettext("%(n)d table has not reported", "%(n)d tables have not reported", n) % {"n": n}
