"""The standings of the seasons: the ranking, the absolute, the specialties."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from datetime import date
from itertools import accumulate
from typing import Any, Protocol, TypeVar

from django.contrib import messages
from django.http import Http404, HttpRequest, HttpResponse, JsonResponse
from django.shortcuts import get_object_or_404, redirect, render
from django.urls import reverse
from django.utils import timezone
from django.utils.text import slugify
from django.utils.translation import gettext as _
from django.utils.translation import pgettext
from django.views.decorators.http import require_safe

from figf.errors import Refused
from figf.models import LogEntry
from figf.spreadsheets import csv_response
from figf.web import secretary_only, signed_in
from rankings import charts, services
from rankings.models import Publication
from rankings.rules.two_years import Leaving
from tournaments import texts
from tournaments.models import Club, Event, Player, Season, Title
from tournaments.rules.regulation import PlayerId, Step
from tournaments.services import struck_off

RACERS = 6  # lines that a drawing can tell apart
DAYS = range(1980, 2101)  # years of which a ranking may be asked for
DATES = 8  # earlier states that the page links; any other by its date


class HasPlayer(Protocol):
    """A row of whatever standing; None is somebody who has no name any more."""

    @property
    def player(self) -> Player | None: ...


Row = TypeVar("Row", bound=HasPlayer)


# --- what every standing's page does --------------------------------------------------------------


@dataclass(frozen=True, slots=True)
class Filter:
    """What the reader looks for: part of a name, a club; and the clubs that there are."""

    name: str
    club: int | None
    clubs: tuple[Club, ...]

    @property
    def asked(self) -> bool:
        return bool(self.name) or self.club is not None


def _filter(request: HttpRequest, rows: Sequence[Row]) -> tuple[Filter, list[Row]]:
    """The rows asked for (``nome``, ``circolo``), each in its place."""
    name = " ".join(request.GET.get("nome", "").split())[:80]
    asked = request.GET.get("circolo", "")
    clubs = {row.player.club for row in rows if row.player and row.player.club}
    club = int(asked) if asked.isascii() and asked.isdigit() and len(asked) < 9 else None
    words = name.casefold().split()

    def wanted(player: Player | None) -> bool:
        if player is None:
            return not words and club is None
        whole = f"{player.surname} {player.name}".casefold()
        return all(word in whole for word in words) and club in (None, player.club_id)

    found = [row for row in rows if wanted(row.player)]
    return Filter(name, club, tuple(sorted(clubs, key=lambda each: each.name))), found


def _me(request: HttpRequest) -> Player | None:
    return getattr(request.user, "player", None)


def _season(year: int) -> Season:
    return get_object_or_404(Season, year=year)


def _told(steps: Sequence[Step], people: Mapping[PlayerId, str]) -> list[dict[str, str]]:
    return [{"rule": step.rule, "text": texts.explain(step, people)} for step in steps]


def _names(rows: Sequence[Any]) -> dict[PlayerId, str]:
    """What the steps of a standing's rows call its players."""
    return {
        row.row.key: str(row.player) if row.player else _("a player struck off") for row in rows
    }


# --- the seasons ----------------------------------------------------------------------------------


@require_safe
def standings(request: HttpRequest) -> HttpResponse:
    """Where every standing is found: those of the last season with a closed event (A-16)."""
    held = Season.objects.filter(events__in=Event.objects.official().public())
    played = held.filter(events__status=Event.Status.CLOSED)
    season = played.order_by("-year").first() or held.order_by("-year").first()
    if season is None:
        return render(request, "rankings/season.html", {"season": None})
    return _season_page(request, season)


@require_safe
def season(request: HttpRequest, year: int) -> HttpResponse:
    return _season_page(request, _season(year))


def _season_page(
    request: HttpRequest, season: Season, refusal: Refused | None = None
) -> HttpResponse:
    book = services.ledger({season.year}, credited={season.year})
    absolute = services.absolute_of(season, book=book)
    titles = services.specialties_of(season)
    pages = services.specialties(season, titles, book)
    held = Season.objects.filter(events__in=Event.objects.official().public())
    honours = _honours(season)
    context = {
        "season": season,
        "seasons": held.distinct().order_by("-year"),
        "absolute": absolute,
        "this_year": timezone.localdate().year,
        "first": absolute.rows[:3],
        "specialties": [
            (pages[t.code], pages[t.code].rows[:1], honours.get(t.code, [])) for t in titles
        ],
        "chart": _race(absolute, _me(request)),
        "cups": season.cups.order_by("kind"),
        "opened": LogEntry.objects.about(season).filter(verb="reopen_season").first(),
        "refusal": refusal,
    }
    return render(request, "rankings/season.html", context, status=422 if refusal else 200)


def _honours(season: Season) -> dict[str, list[str]]:
    """The specialty champions of a season by title, as they may be named."""
    struck = struck_off()
    found: dict[str, list[str]] = {}
    for each in season.honours.filter(award="specialty").select_related("title", "player"):
        if each.title is not None and each.player_id not in struck:
            found.setdefault(each.title.code, []).append(str(each.player))
    return found


def _race(page: services.AbsolutePage, me: Player | None) -> charts.Chart[int] | None:
    """The race of the season: its first players, and the reader."""
    rows = [each for each in page.rows[:RACERS] if each.player is not None]
    mine = [
        e for e in page.rows if me is not None and e.player is not None and e.player.pk == me.pk
    ]
    if mine and mine[0] not in rows:
        rows = [*rows[: RACERS - 1], mine[0]]
    done = [n for n, event in enumerate(page.events) if event.pk in page.closed]
    totals = []
    for each in rows:
        sums = list(accumulate(each.row.scores[n] for n in done))
        totals.append([*sums[:-1], each.row.total] if sums else [])
    columns = [str(page.events[n].ordinal) for n in done]
    named = [(each.player.pk, each.player.surname) for each in rows if each.player is not None]
    return charts.race(named, totals, columns)


@secretary_only
def season_close(request: HttpRequest, year: int) -> HttpResponse:
    """What the close of a season would bring; then close it, or open it again with a reason."""
    season, by, now = _season(year), signed_in(request), timezone.now()
    if request.method != "POST":
        if season.closed_at is not None:
            return redirect("season", year=year)
        context = {"season": season, "closing": services.closing_of(season, now)}
        return render(request, "rankings/season_close.html", context)
    try:
        if "reopen" in request.POST:
            services.reopen_season(season, request.POST.get("reason", "")[:200], by, now)
            messages.success(request, _("The season is open again: nobody is champion of it."))
        else:
            services.close_season(season, by, now)
            messages.success(request, _("The season is closed, and its champions are proclaimed."))
    except Refused as refusal:
        return _season_page(request, season, refusal)
    return redirect("season", year=year)


# --- the ranking ----------------------------------------------------------------------------------


@require_safe
def ranking(request: HttpRequest) -> HttpResponse:
    """The ranking, as it is or as it was on a day; equal points share the place (H-10)."""
    day, wrong = _day(request)
    today = timezone.localdate()
    on, book = day or today, services.ledger({today.year})
    page = services.ranking_on(on, book if on.year == today.year else None)
    chosen, rows = _filter(request, page.rows)
    context = {
        "page": page,
        "rows": rows,
        "filter": chosen,
        "me": _me(request),
        "day": day,
        "forecast": day is not None and day > today,
        "keep": {"al": day.isoformat() if day else ""},
        "wrong": wrong,
        "dates": services.ranking_dates(today, book)[:DATES],
        "replaced": Leaving.REPLACED,
        "publications": Publication.objects.filter(kind=Publication.Kind.RANKING)[:3],
    }
    return render(request, "rankings/ranking.html", context, status=422 if wrong else 200)


def _day(request: HttpRequest) -> tuple[date | None, str]:
    """The day asked for, if any; and what is wrong with it."""
    asked = request.GET.get("al", "")
    if not asked:
        return None, ""
    try:
        day = date.fromisoformat(asked)
    except ValueError:
        return None, _("This is no day of the calendar: write it as 2026-03-14.")
    if day.year not in DAYS:
        years = {"first": DAYS[0], "last": DAYS[-1]}
        return None, _("Choose a day of the years from %(first)d to %(last)d.") % years
    return day, ""


@require_safe
def ranking_csv(request: HttpRequest) -> HttpResponse:
    day, wrong = _day(request)
    if wrong:
        return redirect(reverse("ranking", query={"al": request.GET["al"]}))
    page = services.ranking_on(day or timezone.localdate())
    header = [
        _("Place"),
        _("Surname"),
        _("First name"),
        _("Club"),
        _("Points"),
        _("Event points"),
        _("Games won"),
        *(f"{event.name} ({event.season.year})" for event in page.window),
    ]
    rows = []
    for row in page.rows:
        gives = {each.event.pk: each.worth for each in row.contributions}
        rows.append(
            [
                row.place,
                row.player.surname,
                row.player.name,
                row.player.club or "",
                row.points,
                row.event_points,
                row.wins,
                *(gives.get(event.pk, 0) for event in page.window),
            ]
        )
    return csv_response("ranking", header, rows)


@require_safe
def ranking_json(request: HttpRequest) -> HttpResponse:
    day, wrong = _day(request)
    if wrong:
        return JsonResponse({"error": wrong}, status=422)
    page = services.ranking_on(day or timezone.localdate())
    return JsonResponse(
        {
            "version": 1,
            "standing": "ranking",
            "as_of": page.as_of,
            "rows": services.ranking_rows(page),
        }
    )


@require_safe
def ranking_player(request: HttpRequest, pk: int) -> HttpResponse:
    """A player's ranking over time: every change, and a drawing of it."""
    player = _ranked_player(pk)
    today = timezone.localdate()
    past = services.ranking_history(player, today)
    drawn = [(each.day, each.points, each.event.name if each.event else "") for each in past]
    context = {
        "player": player,
        "past": list(reversed(past)),
        "best": min((each for each in past if each.place), key=_best, default=None),
        "most": max((each.points for each in past), default=0),
        "chart": charts.over_time(drawn, today),
    }
    return render(request, "rankings/ranking_player.html", context)


def _ranked_player(pk: int) -> Player:
    """Who may be named in a standing (O-16)."""
    players = Player.objects.exclude(pk__in=struck_off()).select_related("club")
    return get_object_or_404(players, pk=pk)


@require_safe
def ranking_player_csv(request: HttpRequest, pk: int) -> HttpResponse:
    """A player's ranking over time, for a spreadsheet: a line a change, the last first."""
    player = _ranked_player(pk)
    header = [_("Day"), _("Place"), _("Players"), _("Points"), pgettext("an event", "After")]
    rows = [
        [each.day, each.place, each.of, each.points, each.event or _("end of the season")]
        for each in reversed(services.ranking_history(player, timezone.localdate()))
    ]
    return csv_response(f"ranking-{slugify(str(player))}", header, rows)


def _best(past: services.Past) -> tuple[int, date]:
    return past.place or 0, past.day


# --- the absolute ---------------------------------------------------------------------------------


@require_safe
def absolute(request: HttpRequest, year: int) -> HttpResponse:
    """The absolute championship of a season, now or as it stood after an event (``dopo``)."""
    season = _season(year)
    page = _absolute_asked(request, season)
    people = _names(page.rows)
    chosen, rows = _filter(request, page.rows)
    context = {
        "season": season,
        "page": page,
        "rows": [(each, _told(each.row.steps, people), list(_scores(page, each))) for each in rows],
        "filter": chosen,
        "me": _me(request),
        "after": request.GET.get("dopo", ""),
        "keep": {"dopo": request.GET.get("dopo", "")},
        "counted": [event for event in page.events if event.status == Event.Status.CLOSED],
        "chart": _race(page, _me(request)),
        "publications": Publication.objects.filter(season=season, kind="absolute")[:3],
    }
    return render(request, "rankings/absolute.html", context)


def _absolute_asked(request: HttpRequest, season: Season) -> services.AbsolutePage:
    asked = request.GET.get("dopo", "")
    if not asked:
        return services.absolute_of(season)
    if not (asked.isascii() and asked.isdigit() and len(asked) < 9):
        raise Http404
    closed = Event.objects.official().filter(season=season, status=Event.Status.CLOSED)
    return services.absolute_of(season, get_object_or_404(closed, pk=int(asked)))


@dataclass(frozen=True, slots=True)
class Score:
    """What a cell of the absolute shows; `played` is false of an event still to come."""

    event: Event
    points: int
    there: bool
    dropped: bool
    played: bool


def _scores(page: services.AbsolutePage, each: services.AbsoluteRow) -> Iterator[Score]:
    for n, event in enumerate(page.events):
        yield Score(
            event,
            each.row.scores[n],
            n not in each.row.absent,
            n == each.row.drop,
            event.pk in page.closed,
        )


@require_safe
def absolute_csv(request: HttpRequest, year: int) -> HttpResponse:
    season = _season(year)
    page = _absolute_asked(request, season)
    header = [
        _("Place"),
        _("Surname"),
        _("First name"),
        _("Club"),
        *(event.name for event in page.events),
        _("Dropped"),
        _("Total"),
        _("Events won"),
    ]
    rows = [
        [
            each.row.place,
            *_columns(each.player),
            *("" if not s.there else s.points for s in _scores(page, each)),
            each.row.dropped,
            each.row.total,
            each.row.countback[0] if each.row.countback else 0,
        ]
        for each in page.rows
    ]
    return csv_response(f"assoluta-{year}", header, rows)


def _columns(player: Player | None) -> list[object]:
    """Surname, first name and club; nothing of who has no name any more (O-16)."""
    return ["", "", ""] if player is None else [player.surname, player.name, player.club or ""]


@require_safe
def absolute_json(request: HttpRequest, year: int) -> HttpResponse:
    season = _season(year)
    page = _absolute_asked(request, season)
    return JsonResponse(
        {
            "version": 1,
            "standing": "absolute",
            "season": year,
            "closed": season.closed_at is not None,
            "events": [{"event": e.pk, "name": e.name} for e in page.events],
            "rows": services.absolute_rows(page),
        }
    )


# --- the specialties ------------------------------------------------------------------------------


@require_safe
def specialty(request: HttpRequest, year: int, code: str) -> HttpResponse:
    season, title = _season(year), get_object_or_404(Title, code=code, specialty=True)
    page = services.specialty_of(season, title)
    people = _names(page.rows)
    chosen, rows = _filter(request, page.rows)
    context = {
        "season": season,
        "page": page,
        "title": title,
        "titles": services.specialties_of(season),
        "rows": [(each, _told(each.row.steps, people), _results(page, each)) for each in rows],
        "filter": chosen,
        "me": _me(request),
        "publications": Publication.objects.filter(season=season, title=title)[:3],
        "champions": _honours(season).get(title.code, []),
    }
    return render(request, "rankings/specialty.html", context)


def _results(page: services.SpecialtyPage, each: services.SpecialtyRow) -> list[dict[str, Any]]:
    """Each result with its event, those discarded last."""
    return [
        {"event": page.events[int(result.event)], "result": result, "counts": counts}
        for counts, results in ((True, each.row.counted), (False, each.row.discarded))
        for result in results
    ]


@require_safe
def specialty_csv(request: HttpRequest, year: int, code: str) -> HttpResponse:
    season, title = _season(year), get_object_or_404(Title, code=code, specialty=True)
    page = services.specialty_of(season, title)
    header = [_("Place"), _("Surname"), _("First name"), _("Club"), _("Total")]
    header += [_("Result %(n)d") % {"n": n} for n in (1, 2, 3)] + [_("Discarded")]
    rows = [
        [
            each.row.place,
            *_columns(each.player),
            each.row.total,
            *[r.points for r in each.row.counted],
            *[""] * (3 - len(each.row.counted)),
            " ".join(f"{r.points:.2f}" for r in each.row.discarded),
        ]
        for each in page.rows
    ]
    return csv_response(f"specialita-{slugify(code)}-{year}", header, rows)


@require_safe
def specialty_json(request: HttpRequest, year: int, code: str) -> HttpResponse:
    season, title = _season(year), get_object_or_404(Title, code=code, specialty=True)
    page = services.specialty_of(season, title)
    return JsonResponse(
        {
            "version": 1,
            "standing": "specialty",
            "title": code,
            "season": year,
            "closed": season.closed_at is not None,
            "rows": services.specialty_rows(page),
        }
    )
