"""The Supercoppa of each year: a page for everybody, and the secretary's buttons on it."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping
from datetime import datetime
from decimal import Decimal
from typing import Any

from django.contrib import messages
from django.forms import Form
from django.http import Http404, HttpRequest, HttpResponse
from django.shortcuts import get_object_or_404, redirect, render
from django.urls import reverse
from django.utils import timezone
from django.utils.translation import gettext as _
from django.utils.translation import ngettext, pgettext
from django.views.decorators.cache import never_cache
from django.views.decorators.http import require_safe

from figf.errors import Refused
from figf.models import Draw, User
from figf.spreadsheets import csv_response
from figf.templatetags.figf import moment
from figf.web import add_refusal, secretary_only, signed_in
from rankings import services
from rankings.forms.supercoppa import FORMS, OpenForm
from rankings.models import Cup, Honour
from rankings.rules.supercoppa import PLAYERS, pairs
from rankings.services import Stage, Supercoppa
from tournaments import texts
from tournaments.models import Player, Table
from tournaments.services import struck_off

# --- the years ------------------------------------------------------------------------------------


@require_safe
def supercoppa_list(request: HttpRequest) -> HttpResponse:
    """The years of the Supercoppa with who has each cup; a secretary opens the next."""
    return _list(request, OpenForm())


@secretary_only
@never_cache
def supercoppa_open(request: HttpRequest) -> HttpResponse:
    """Open the Supercoppa of a year; the page of the years has the form."""
    if request.method != "POST":
        return redirect("supercoppa_list")
    form = OpenForm(request.POST)
    if form.is_valid():
        try:
            cup = services.open_supercoppa(
                form.cleaned_data["season"],
                signed_in(request),
                timezone.now(),
                provisional=form.cleaned_data["provisional"],
                note=form.cleaned_data["note"],
            )
        except Refused as refusal:
            _add(form, refusal)
        else:
            messages.success(request, _("The Supercoppa is open: here is its field."))
            return redirect("supercoppa", cup.season.year)
    return _list(request, form)


def _list(request: HttpRequest, form: OpenForm) -> HttpResponse:
    cups = Cup.objects.filter(kind=Cup.Kind.SUPERCOPPA)
    have = Honour.objects.filter(award=Honour.Award.SUPERCOPPA).select_related("player", "season")
    struck = struck_off()
    years: dict[int, dict[str, Any]] = {
        cup.season.year: {"cup": cup, "winners": []}
        for cup in cups.select_related("season", "draw", "event")
    }
    for honour in have:
        row = years.setdefault(honour.season.year, {"cup": None, "winners": []})
        row["winners"].append(_name(honour.player, struck))
    seasons: Any = form.fields["season"]
    context = {
        "years": sorted(years.items(), reverse=True),
        "form": form,
        "may_open": request.user.is_staff and seasons.queryset.exists(),
    }
    return render(
        request, "rankings/supercoppa_list.html", context, status=422 if form.errors else 200
    )


# --- a year ---------------------------------------------------------------------------------------


@require_safe
def supercoppa(request: HttpRequest, year: int) -> HttpResponse:
    """The Supercoppa of a year: its line, who plays and why, dice, tables, winner."""
    return _page(request, services.supercoppa_of(_cup(year), timezone.now()), {})


@require_safe
def supercoppa_csv(request: HttpRequest, year: int) -> HttpResponse:
    """Who plays the Supercoppa of a year and how it went, for a spreadsheet: a line each."""
    stands, struck = services.supercoppa_of(_cup(year), timezone.now()), struck_off()
    semifinals = dict(zip(TABLES, stands.semifinals, strict=False))
    final = {_("Final"): stands.final} if stands.final is not None else {}
    header = [_("No."), _("Player"), pgettext("in the field", "Why")]
    header += [_("Semifinal"), _("Place"), _("Percentile"), _("Final"), _("Place"), _("Percentile")]
    rows = []
    for number, candidate in enumerate(stands.field.people, start=1):
        row = _row(number, candidate, struck)
        played = [*_played(semifinals, candidate.player), *_played(final, candidate.player)]
        rows.append([number, row["name"], ", ".join(row["why"]), *played])
    return csv_response(f"supercoppa-{year}", header, rows)


def _played(tables: Mapping[str, Table], player: Player) -> list[object]:
    """At which of these tables he sits, and his place and percentile there if it has reported."""
    for called, table in tables.items():
        if any(seat.holder().player == player for seat in table.seats.all()):
            result = table.confirmed()
            lines = result.standing() if result is not None else []
            line = next((line for line in lines if line.player_id == player.pk), None)
            if line is None or line.points is None:
                return [called, "", ""]
            return [called, line.place, Decimal(line.points).scaleb(-2)]
    return ["", "", ""]


@secretary_only
@never_cache
def supercoppa_deed(request: HttpRequest, year: int, deed: str) -> HttpResponse:
    """One step forward, or back; the page of the year has the forms."""
    cup = _cup(year)
    if deed not in FORMS:
        raise Http404
    if request.method != "POST":
        return redirect("supercoppa", year)
    now = timezone.now()
    form = _form(deed, services.supercoppa_of(cup, now), request.POST)
    if form.is_valid():
        try:
            done = DEEDS[deed](cup, form.cleaned_data, signed_in(request), now)
        except Refused as refusal:
            _add(form, refusal)
        else:
            messages.success(request, done)
            return redirect("supercoppa_list") if deed == "ritiro" else redirect("supercoppa", year)
    found = Cup.objects.filter(pk=cup.pk).exists()
    if not found:
        return redirect("supercoppa_list")
    return _page(request, services.supercoppa_of(_cup(year), now), {deed: form})


def _cup(year: int) -> Cup:
    cups = Cup.objects.select_related("season", "draw", "event__season", "event__director")
    return get_object_or_404(cups, kind=Cup.Kind.SUPERCOPPA, season__year=year)


def _form(deed: str, stands: Supercoppa, data: Any = None) -> Form:
    maker, asks = FORMS[deed]
    more = {"auto_id": f"id_{deed}_%s"}
    return maker(stands, data, **more) if asks else maker(data, **more)


def _add(form: Any, refusal: Refused) -> None:
    add_refusal(form, refusal)
    form.rule = refusal.rule


# --- what each deed does, and says ----------------------------------------------------------------


def _unavailable(cup: Cup, data: Mapping[str, Any], by: User, now: datetime) -> str:
    player = get_object_or_404(Player, pk=data["player"])
    services.mark_unavailable(cup, player, data["reason"], by, now)
    return _("%(player)s does not play.") % {"player": player}


def _available(cup: Cup, data: Mapping[str, Any], by: User, now: datetime) -> str:
    player = get_object_or_404(Player, pk=data["player"])
    services.mark_available(cup, player, by, now)
    return _("%(player)s plays.") % {"player": player}


def _promise(cup: Cup, data: Mapping[str, Any], by: User, now: datetime) -> str:
    services.draw_tables(cup, data["closes_at"], by, now)
    return _("The dice are promised, and the ten are asked for a word.")


def _give_up(cup: Cup, data: Mapping[str, Any], by: User, now: datetime) -> str:
    services.take_back_draw(cup, data["reason"], by, now)
    return _("The dice are given up: the field is open again.")


def _form_tables(cup: Cup, data: Mapping[str, Any], by: User, now: datetime) -> str:
    days = data["starts_on"], data["ends_on"]
    services.form_tables(cup, data["director"], *days, by, now)
    return _("The two tables are formed, and who has a log-in is told.")


def _take_back_tables(cup: Cup, data: Mapping[str, Any], by: User, now: datetime) -> str:
    services.take_back_tables(cup, data["reason"], by, now)
    return _("The tables are taken back.")


def _die(cup: Cup, data: Mapping[str, Any], by: User, now: datetime) -> str:
    services.draw_final(cup, data["closes_at"], by, now)
    return _("The dice are promised among those who are level.")


def _form_final(cup: Cup, data: Mapping[str, Any], by: User, now: datetime) -> str:
    services.form_final(cup, by, now, seen=data["seen"])
    return _("The final is formed, and who has a log-in is told.")


def _take_back_final(cup: Cup, _data: Mapping[str, Any], by: User, now: datetime) -> str:
    services.take_back_final(cup, by, now)
    return _("The final is taken back.")


def _conclude(cup: Cup, data: Mapping[str, Any], by: User, now: datetime) -> str:
    decided = list(Player.objects.filter(pk__in=data["winners"]))
    services.conclude_supercoppa(cup, by, now, decided=decided, note=data["note"])
    return _("The winner is in the roll of honour.")


def _take_back_winner(cup: Cup, data: Mapping[str, Any], by: User, now: datetime) -> str:
    services.take_back_winner(cup, data["reason"], by, now)
    return _("The name is off the cup.")


def _withdraw(cup: Cup, _data: Mapping[str, Any], by: User, now: datetime) -> str:
    services.withdraw_supercoppa(cup, by, now)
    return _("The Supercoppa of %(year)d is not there any more.") % {"year": cup.season.year}


Deed = Callable[[Cup, Mapping[str, Any], User, datetime], str]
DEEDS: dict[str, Deed] = {
    "assenza": _unavailable,
    "rientro": _available,
    "sorteggio": _promise,
    "rinuncia-al-sorteggio": _give_up,
    "tavoli": _form_tables,
    "ritiro-dei-tavoli": _take_back_tables,
    "spareggio": _die,
    "finale": _form_final,
    "ritiro-della-finale": _take_back_final,
    "vincitore": _conclude,
    "ritiro-del-vincitore": _take_back_winner,
    "ritiro": _withdraw,
}


# --- the page -------------------------------------------------------------------------------------

TABLES = "A (1)", "B (2)"  # as the rule calls them, and as their own pages do


def _page(request: HttpRequest, stands: Supercoppa, sent: Mapping[str, Form]) -> HttpResponse:
    struck = struck_off()
    manages = request.user.is_staff
    runs = stands.event is not None and stands.event.is_run_by(request.user)
    may = set(_possible(stands)) if manages else set()
    forms = {deed.replace("-", "_"): sent.get(deed) or _form(deed, stands) for deed in may}
    missing = services.missing_of(stands.field) if stands.cup.draw else []
    fault = next(iter(sent.values()), None)
    context = {
        "cup": stands.cup,
        "year": stands.cup.season.year,
        "before": stands.cup.season.year - 1,
        "stands": stands,
        "stations": _stations(stands),
        "next": _next(stands, may) if manages else None,
        "field": [_row(n, c, struck) for n, c in enumerate(stands.field.people, start=1)],
        "reserves": [_row(0, candidate, struck) for candidate in stands.field.next],
        "absent": [
            {"row": _row(0, each.candidate, struck), "reason": each.reason, "by": each.absence}
            for each in stands.field.absent
        ],
        "missing": bool(missing),
        "short": texts.refusal(stands.field.illegal) if stands.field.illegal else "",
        "pairs": list(_pairs(stands)),
        "order": list(_order(stands, struck)),
        "semifinals": [
            _table(table, struck, _("Table %(name)s") % {"name": name})
            for name, table in zip(TABLES, stands.semifinals, strict=False)
        ],
        "final": _table(stands.final, struck, _("Table of the final")) if stands.final else None,
        "runs": runs,
        "enters": runs and stands.event is not None and stands.event.accepts_results(),
        "word": _word(request.user, stands.cup),
        "would_go": [_name(each.player, struck) for each in stands.finalists],
        "five": ",".join(str(each.player.pk) for each in stands.finalists),
        "finalists": [
            {"name": _name(each.player, struck), "why": texts.explain(each.step)}
            for each in stands.finalists
        ],
        "tied": [_name(player, struck) for player in stands.tied],
        "no_final": texts.refusal(stands.no_final) if stands.no_final else "",
        "winners": [
            {"name": _name(each.player, struck), "note": each.note} for each in stands.honours
        ],
        "firsts": [_name(player, struck) for player in stands.winners],
        "manages": manages,
        "forms": forms,
        "fault": fault,
    }
    return render(request, "rankings/supercoppa.html", context, status=422 if fault else 200)


def _word(user: Any, cup: Cup) -> Draw | None:
    """The dice of this cup that wait for the reader's word."""
    if not user.is_authenticated:
        return None
    keys = [cup.draw_id, *cup.other_draws.values_list("draw", flat=True)]
    return Draw.objects.waiting_for(user, timezone.now()).filter(pk__in=filter(None, keys)).first()


def _name(player: Player | None, struck: set[int]) -> str:
    """Who was struck off is named nowhere (O-16)."""
    if player is None or player.pk in struck:
        return _("struck off")
    return str(player)


def _row(number: int, candidate: services.Candidate, struck: set[int]) -> dict[str, Any]:
    why = []
    if candidate.champion:
        why.append(_("Absolute Champion"))
    why += [_("Specialty Champion %(title)s") % {"title": title} for title in candidate.specialties]
    if candidate.place is not None and not why:
        why.append(_("Place %(place)d of the absolute") % {"place": candidate.place})
    return {
        "number": number,
        "player": candidate.player,
        "name": _name(candidate.player, struck),
        "why": why,
        "place": candidate.place,
    }


def _pairs(stands: Supercoppa) -> Iterator[dict[str, Any]]:
    """What each throw of the first die means."""
    if len(stands.titles) < 2:
        return
    drawn = stands.drawn
    every = pairs(stands.titles)
    sides = stands.cup.draw.sides if stands.cup.draw else len(every)
    for n, (semifinal, final) in enumerate(every):
        throws = range(n + 1, max(sides, n + 1) + 1, len(every))
        yield {
            "throws": throws,
            "semifinal": semifinal,
            "final": final,
            "drawn": drawn is not None and drawn.throw in throws,
        }


def _order(stands: Supercoppa, struck: set[int]) -> Iterator[dict[str, Any]]:
    if stands.drawn is None:
        return
    for n, (candidate, throws) in enumerate(stands.drawn.order):
        yield {
            "name": _name(candidate.player, struck),
            "throws": throws,
            "table": TABLES[0] if n < PLAYERS // 2 else TABLES[1],
        }


def _table(table: Table, struck: set[int], called: str) -> dict[str, Any]:
    result = table.confirmed() if table.status == Table.Status.CONFIRMED else None
    if result is not None:
        rows = [
            {
                "place": line.place,
                "name": _name(line.player, struck) if line.player else _("a referee"),
                "percentile": line.credited,
            }
            for line in result.standing()
        ]
    else:
        players = [seat.holder().player for seat in table.seats.all()]
        rows = [
            {"place": None, "name": _name(p, struck) if p else _("a referee"), "percentile": None}
            for p in players
        ]
    return {
        "table": table,
        "called": called,
        "referee": _name(table.referee, struck),
        "result": result,
        "rows": rows,
    }


STAGES = (Stage.FIELD, Stage.DRAW, Stage.SEMIFINALS, Stage.FINAL, Stage.WINNER)


def _stations(stands: Supercoppa) -> list[dict[str, str]]:
    labels = {
        Stage.FIELD: (_("Field"), _people(stands)),
        Stage.DRAW: (_("Dice"), _dice(stands)),
        Stage.SEMIFINALS: (_("Semifinals"), _title(stands, "semifinal")),
        Stage.FINAL: (_("Final"), _title(stands, "final")),
        Stage.WINNER: (_("Winner"), ""),
    }
    now = STAGES.index(stands.stage)
    return [
        {
            "label": labels[stage][0],
            "note": labels[stage][1],
            "state": "past" if n < now else "current" if n == now else "future",
        }
        for n, stage in enumerate(STAGES)
    ]


def _people(stands: Supercoppa) -> str:
    n = len(stands.field.people)
    return ngettext("%(n)d player", "%(n)d players", n) % {"n": n}


def _dice(stands: Supercoppa) -> str:
    if stands.cup.draw is None:
        return ""
    if stands.drawn is not None:
        return _("thrown")
    return _("until %(at)s") % {"at": moment(stands.cup.draw.closes_at)}


def _title(stands: Supercoppa, which: str) -> str:
    return str(getattr(stands.drawn, which)) if stands.drawn is not None else ""


def _possible(stands: Supercoppa) -> Iterator[str]:
    """The deeds that the page offers, as things stand; each verb says no by itself."""
    return {
        Stage.FIELD: _of_field,
        Stage.DRAW: _of_draw,
        Stage.SEMIFINALS: _of_semifinals,
        Stage.FINAL: _of_final,
        Stage.WINNER: _of_winner,
    }[stands.stage](stands)


def _of_field(stands: Supercoppa) -> Iterator[str]:
    yield from ("assenza", "rientro")
    if stands.field.illegal is None and len(stands.titles) > 1:
        yield "sorteggio"
    if not stands.draws:
        yield "ritiro"


def _of_draw(stands: Supercoppa) -> Iterator[str]:
    yield from ("assenza", "rientro")
    broken = bool(services.missing_of(stands.field))
    yield "tavoli" if stands.drawn is not None and not broken else "rinuncia-al-sorteggio"


def _of_semifinals(stands: Supercoppa) -> Iterator[str]:
    off = stands.event is not None and stands.event.is_off()
    if off or not any(table.results.all() for table in stands.semifinals):
        yield "ritiro-dei-tavoli"
    if stands.tied and not off and all(draw.revealed_at for draw in stands.thrown):
        yield "spareggio"
    if stands.finalists and not off:
        yield "finale"


def _of_final(stands: Supercoppa) -> Iterator[str]:
    if stands.final is not None and not stands.final.results.all():
        yield "ritiro-della-finale"
    if stands.winners:
        yield "vincitore"


def _of_winner(_stands: Supercoppa) -> Iterator[str]:
    yield "ritiro-del-vincitore"


def _next(stands: Supercoppa, may: set[str]) -> dict[str, Any] | None:
    """What hangs from the current station: a button, or the way to its form."""
    label = {
        "sorteggio": _("Promise the dice"),
        "tavoli": _("Form the tables"),
        "spareggio": _("Promise a die"),
        "finale": _("Form the final"),
        "vincitore": _("Write the winner"),
    }
    deed = next((deed for deed in label if deed in may), None)
    if deed is None:
        return None
    alone = deed == "finale" or (deed == "vincitore" and len(stands.winners) == 1)
    address = reverse("supercoppa_deed", args=[stands.cup.season.year, deed])
    return {
        "label": label[deed],
        "url": address if alone else f"#{deed}",
        "post": alone,
        "final": deed == "finale",
    }
