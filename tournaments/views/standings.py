"""How an event stands: for everybody, with the why of each row; and its closing."""

from __future__ import annotations

from collections.abc import Callable, Collection, Iterator, Mapping
from datetime import date
from typing import Any, Protocol

from django.contrib import messages
from django.contrib.auth.decorators import login_required
from django.http import Http404, HttpRequest, HttpResponse
from django.shortcuts import get_object_or_404, redirect, render
from django.utils import timezone
from django.utils.text import slugify
from django.utils.translation import gettext as _
from django.views.decorators.cache import never_cache
from django.views.decorators.http import require_safe

from figf.errors import Refused
from figf.models import LogEntry
from figf.spreadsheets import csv_response
from figf.web import signed_in
from tournaments import services, texts
from tournaments.models import Event, Player, Prova
from tournaments.rules.regulation import PlayerId
from tournaments.views.history import past_rows, past_standing, with_tables_only


class RankingOn(Protocol):
    """The points by player of the ranking that seats an event, and the day they are of."""

    @property
    def as_of(self) -> date | None: ...

    @property
    def points(self) -> Mapping[int, int]: ...


RankingBefore = Callable[[date], RankingOn]  # the ranking of before a day


@require_safe
def event_standing(request: HttpRequest, pk: int, ranking_before: RankingBefore) -> HttpResponse:
    """The standing of the event, or of the prova or round asked for."""
    return _standing(request, _event(request, pk), ranking_before)


def _event(request: HttpRequest, pk: int) -> Event:
    events = Event.objects.visible_to(request.user).select_related("season", "director")
    return get_object_or_404(events.prefetch_related("prove__title").distinct(), pk=pk)


def _standing(
    request: HttpRequest,
    event: Event,
    ranking_before: RankingBefore,
    refusal: Refused | None = None,
) -> HttpResponse:
    prova, number = _part(request, event)
    if event.imported:
        return render(request, "tournaments/standing_past.html", past_standing(request, event))
    ranking = ranking_before(event.starts_on).points
    standing = services.standing_of(event, ranking, prova=prova, number=number)
    shown = _shown(event, prova, number)
    struck = services.struck_off()
    me = getattr(request.user, "player", None)
    manages = event.is_run_by(request.user)
    travels = services.travels_of(event) if manages else None
    parts = _parts(event, prova, number)
    context = {
        "event": event,
        "standing": standing,
        "summary": texts.explain(event.rules.summary),
        "rows": list(_rows(standing, shown, struck)),
        "shown": shown,
        "parts": parts,
        "whole": prova is None,
        "awarded": prova is None and services.is_awarded(event),
        "part": next((part["label"] for part in parts if part["here"]), ""),
        "query": next((part["query"] for part in parts if part["here"]), ""),
        "reopened": _reopened(event) if manages else None,
        "now": timezone.now(),
        "me": me if me and me.pk in standing.players and me.pk not in struck else None,
        "manages": manages,
        "away": travels.away if travels else None,
        "origin": travels.origin if travels else "",
        "closable": manages and event.status in {Event.Status.RUNNING, Event.Status.CONCLUDED},
        "closed": event.status == Event.Status.CLOSED,
        "refusal": refusal,
    }
    return render(request, "tournaments/standing.html", context, status=422 if refusal else 200)


def _reopened(event: Event) -> LogEntry | None:
    """Who opened the event again last, and why."""
    entries = LogEntry.objects.about(event).filter(verb="reopen_event")
    return entries.select_related("actor").first()


def _part(request: HttpRequest, event: Event) -> tuple[int | None, int | None]:
    """Which prova (``prova=2``) and round (``turno=1``) of it is asked for; not found if none."""
    asked = [request.GET.get(name, "") for name in ("prova", "turno")]
    if not any(asked):
        return None, None
    if any(text and not (text.isascii() and text.isdigit() and len(text) < 4) for text in asked):
        raise Http404
    order, number = (int(text) if text else None for text in asked)
    prova = next((p for p in event.prove.all() if p.order == order), None)
    if prova is None or (number is not None and number not in prova.numbers()):
        raise Http404
    return order, number


def _shown(event: Event, prova: int | None, number: int | None) -> list[tuple[Prova, int]]:
    """The rounds that have a column: all, or those of the part asked for."""
    rounds = [(p, n) for p in event.prove.all() for n in p.numbers()]
    return [(p, n) for p, n in rounds if prova in (None, p.order) and number in (None, n)]


def _parts(event: Event, prova: int | None, number: int | None) -> list[dict[str, Any]]:
    """What there is a standing of: the event, each prova, each round of a double one."""
    parts = [{"label": _("Event"), "query": "", "here": prova is None}]
    for each in event.prove.all():
        label = f"{each.order}. {each.title}"
        query = f"?prova={each.order}"
        parts.append({"label": label, "query": query, "here": prova == each.order and not number})
        if each.rounds > 1:
            parts += [
                {
                    "label": _("%(prova)s, round %(n)d") % {"prova": label, "n": n},
                    "query": f"{query}&turno={n}",
                    "here": (prova, number) == (each.order, n),
                }
                for n in each.numbers()
            ]
    return parts


def _rows(
    standing: services.Standing, shown: list[tuple[Prova, int]], struck: Collection[int]
) -> Iterator[dict[str, Any]]:
    """The rows of the page. Who is struck off keeps his place and has no name (O-16)."""
    names: dict[PlayerId, str] = {
        pk: _("a player struck off") if pk in struck else str(player)
        for pk, player in standing.players.items()
    }
    for row in standing.rows:
        by_round = dict(row.points)
        yield {
            "row": row,
            "player": None if row.key in struck else standing.players[int(row.key)],
            "parts": [by_round.get((prova.order, n), "") for prova, n in shown],
            "points": standing.points.get(row.key),
            "wins": standing.wins.get(row.key, 0),
            # what a phone has no column for: each round that was played, and the games won
            "played": [
                (prova, n, by_round[prova.order, n])
                for prova, n in shown
                if (prova.order, n) in by_round
            ],
            "steps": [
                {"rule": step.rule, "text": texts.explain(step, names)} for step in row.steps
            ],
            "points_why": [
                {"rule": step.rule, "text": texts.explain(step)}
                for step in standing.points_why.get(row.place, ())
            ],
        }


@require_safe
def event_standing_csv(
    request: HttpRequest, pk: int, ranking_before: RankingBefore
) -> HttpResponse:
    """The standing of the event, or of the prova or round asked for, for a spreadsheet."""
    event = _event(request, pk)
    prova, number = _part(request, event)
    if event.imported:
        return _past_csv(event)
    ranking = ranking_before(event.starts_on).points
    standing = services.standing_of(event, ranking, prova=prova, number=number)
    shown = _shown(event, prova, number)
    awarded = prova is None and services.is_awarded(event)
    header = [
        _("Place"),
        _("Surname"),
        _("First name"),
        *(_called(each, n) for each, n in shown),
        _("Total"),
        *([_("Event points")] if awarded else []),
        _("Games won"),
    ]
    rows = [
        [
            row["row"].place,
            *_named(row["player"]),
            *("" if part is None else part for part in row["parts"]),
            row["row"].total,
            *([row["points"] or 0] if awarded else []),
            row["wins"],
        ]
        for row in _rows(standing, shown, services.struck_off())
    ]
    asked = [str(part) for part in (prova, number) if part is not None]
    name = "-".join(["classifica", slugify(event.name), *(["prova", *asked] if asked else [])])
    return csv_response(name, header, rows)


def _past_csv(event: Event) -> HttpResponse:
    header = [_("Place"), _("Surname"), _("First name"), _("Event points"), _("Games won")]
    rows = [[row.place, *_named(row.player), row.points, row.wins] for row in past_rows(event)]
    return csv_response(f"classifica-{slugify(event.name)}", header, rows)


def _named(player: Player | None) -> tuple[str, str]:
    """Surname and first name; of who is struck off, that he is (O-16)."""
    return (player.surname, player.name) if player else (_("a player struck off"), "")


def _called(prova: Prova, number: int) -> str:
    """A round as a column calls it: its title, and its number where there are two."""
    if prova.rounds == 1:
        return str(prova.title)
    return _("%(prova)s, round %(n)d") % {"prova": prova.title, "n": number}


@login_required
@never_cache
@with_tables_only
def event_close(request: HttpRequest, pk: int, ranking_before: RankingBefore) -> HttpResponse:
    """Close and validate, or open again; the page of the standing has the buttons."""
    event = get_object_or_404(Event.objects.run_by(request.user).distinct(), pk=pk)
    if request.method != "POST":
        return redirect("event_standing", pk=pk)
    by, now = signed_in(request), timezone.now()
    try:
        if "reopen" in request.POST:
            services.reopen_event(event, request.POST.get("reason", "")[:200], by, now)
            if services.is_awarded(event):
                said = _("The event is open again: its points are not official.")
            else:
                said = _("The event is open again.")
            messages.success(request, said)
        else:
            services.close_event(event, by, now)
            messages.success(request, _("The event is closed and validated."))
    except Refused as refusal:
        return _standing(request, _event(request, pk), ranking_before, refusal)
    return redirect("event_standing", pk=pk)
