"""The team championship: for everybody how it stands, for clubs their team, for the officer all."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from typing import Any

from django.contrib import messages
from django.contrib.auth.decorators import login_required
from django.contrib.auth.views import redirect_to_login
from django.db.models import Q
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
from figf.models import User
from figf.spreadsheets import csv_response
from figf.templatetags.figf import day
from figf.web import posted, signed_in
from rankings import services
from rankings.forms.teams import (
    AdmissionForm,
    ChampionshipForm,
    Group,
    RejectionForm,
    TablesBackForm,
    TablesForm,
    TeamForm,
    TitlesForm,
    refuse,
)
from rankings.models import Cup, Team, TeamMember
from rankings.rules import teams as rules
from tournaments import services as events
from tournaments import texts
from tournaments.models import Club, Event, Player, ResultLine, Table
from tournaments.rules import names
from tournaments.rules.regulation import PlayerId

STAGES = ("enrolment", "acceptance", "admission", "games", "winner")
FEWEST_LETTERS = 2
FOUND_AT_MOST = 20
NO_CLUB = "stranieri"  # in the address: a team of guests alone
Status = Team.Status


# --- the years ------------------------------------------------------------------------------------


@never_cache
def teams_list(request: HttpRequest) -> HttpResponse:
    """The championships from the last back; a secretary opens the next."""
    staff = request.user.is_authenticated and request.user.is_staff
    form = ChampionshipForm(posted(request)) if staff else None
    if request.method == "POST":
        if form is None:
            return _not_yours(request)
        if form.is_valid():
            try:
                cup = services.open_teams(
                    form.cleaned_data["season"], signed_in(request), timezone.now()
                )
            except Refused as refusal:
                refuse(form, refusal)
            else:
                messages.success(request, _opened(cup))
                return redirect("teams", cup.season.year)
    cups = Cup.objects.filter(kind=Cup.Kind.TEAMS).select_related("season", "event")
    rows = [_listed(cup) for cup in cups]
    context = {"rows": rows, "form": form}
    status = 422 if form is not None and form.errors else 200
    return render(request, "rankings/teams_list.html", context, status=status)


def _opened(cup: Cup) -> str:
    if not _is_late(cup):
        return _("The championship is open to enrolment.")
    return _(
        "The championship is open. Its term has passed (%(term)s): only a secretary may enrol "
        "teams."
    ) % {"term": day(rules.term(cup.season.year))}


def _not_yours(request: HttpRequest) -> HttpResponse:
    if request.user.is_authenticated:
        raise Http404
    return redirect_to_login(request.get_full_path())


def _listed(cup: Cup) -> dict[str, Any]:
    teams = services.teams_of(cup)
    champions = services.champions_of(cup, teams)
    stage = _stage(cup, teams, champions.winners)
    return {
        "cup": cup,
        "teams": len(teams),
        "winners": champions.winners,
        "disputed": champions.disputed,
        "stage": _stage_names()[stage],
    }


# --- the championship of a year -------------------------------------------------------------------


@never_cache
def teams(request: HttpRequest, year: int) -> HttpResponse:
    """The championship; what the officer decides is sent here, by its `action`."""
    cup = _cup(year)
    if request.method != "POST":
        return _page(request, cup)
    if not (request.user.is_authenticated and request.user.is_staff):
        return _not_yours(request)
    act = ACTIONS.get(request.POST.get("action", ""))
    if act is None:
        return _page(request, cup, Sent(refusal=_malformed()))
    sent = act(request, cup)
    if sent.refusal is None and sent.form is None:
        messages.success(request, sent.said)
        return redirect("teams_list") if sent.gone else redirect("teams", year)
    return _page(request, _cup(year), sent)


@dataclass(slots=True)
class Sent:
    """What came of something sent: words if it is done, else what refuses it, or its form.

    `gone` says that the championship is there no more.
    """

    said: str = ""
    refusal: Refused | None = None
    form: Form | None = None
    action: str = ""
    team: int = 0
    gone: bool = False


def _malformed() -> Refused:
    return Refused("malformed", _("The page was not sent whole: try again."))


def _cup(year: int) -> Cup:
    cups = Cup.objects.select_related("season", "event__director")
    return get_object_or_404(cups, kind=Cup.Kind.TEAMS, season__year=year)


def _team(cup: Cup, text: str) -> Team | None:
    if not (text.isascii() and text.isdigit() and len(text) < 19):
        return None
    return Team.objects.select_related("cup__season").filter(cup=cup, pk=int(text)).first()


def _accept(request: HttpRequest, cup: Cup) -> Sent:
    team = _team(cup, request.POST.get("team", ""))
    if team is None:
        return Sent(refusal=_gone())
    try:
        services.accept_team(team, signed_in(request), timezone.now())
    except Refused as refusal:
        return Sent(refusal=refusal)
    return Sent(_("%(team)s is accepted.") % {"team": team})


def _reject(request: HttpRequest, cup: Cup) -> Sent:
    team = _team(cup, request.POST.get("team", ""))
    if team is None:
        return Sent(refusal=_gone())
    form = RejectionForm(request.POST, auto_id=f"id_%s_{team.pk}")
    if form.is_valid():
        try:
            reason = form.cleaned_data["reason"]
            services.reject_team(team, reason, signed_in(request), timezone.now())
        except Refused as refusal:
            refuse(form, refusal)
        else:
            return Sent(_("%(team)s is rejected.") % {"team": team})
    return Sent(form=form, action="reject", team=team.pk)


def _gone() -> Refused:
    return Refused("team_gone", _("This team has withdrawn: load the page again."))


def _admit(request: HttpRequest, cup: Cup) -> Sent:
    form = _admission_form(cup, services.teams_of(cup), request)
    if form.is_valid():
        data = form.cleaned_data
        try:
            admitted = services.admit_teams(
                cup,
                signed_in(request),
                timezone.now(),
                note=data.get("note", ""),
                preferred=data.get("preferred", ()),
            )
        except Refused as refusal:
            if refusal.field not in form.fields:
                return Sent(refusal=refusal)
            refuse(form, refusal)
        else:
            n = len(admitted)
            text = ngettext("%(n)d team is admitted.", "%(n)d teams are admitted.", n)
            return Sent(text % {"n": n})
    return Sent(form=form, action="admit")


def _form_tables(request: HttpRequest, cup: Cup) -> Sent:
    form = TablesForm(cup.season.year, timezone.localdate(), request.POST)
    if form.is_valid():
        data = form.cleaned_data
        try:
            services.form_team_tables(
                cup,
                data["director"],
                signed_in(request),
                timezone.now(),
                starts_on=data["starts_on"],
                ends_on=data["ends_on"],
            )
        except Refused as refusal:
            if refusal.field not in form.fields:
                return Sent(refusal=refusal)
            refuse(form, refusal)
        else:
            return Sent(_("The four tables are formed."))
    return Sent(form=form, action="form")


def _conclude(request: HttpRequest, cup: Cup) -> Sent:
    try:
        services.conclude_teams(cup, signed_in(request), timezone.now())
    except Refused as refusal:
        return Sent(refusal=refusal)
    return Sent(_("The winner is proclaimed."))


def _withdraw(request: HttpRequest, cup: Cup) -> Sent:
    try:
        services.withdraw_teams(cup, signed_in(request), timezone.now())
    except Refused as refusal:
        return Sent(refusal=refusal)
    text = _("The team championship of %(year)d is not there any more.")
    return Sent(text % {"year": cup.season.year}, gone=True)


def _take_back_admission(request: HttpRequest, cup: Cup) -> Sent:
    try:
        services.take_back_admission(cup, signed_in(request), timezone.now())
    except Refused as refusal:
        return Sent(refusal=refusal)
    return Sent(_("The admission is taken back."))


def _take_back_tables(request: HttpRequest, cup: Cup) -> Sent:
    form = TablesBackForm(request.POST)
    if form.is_valid():
        try:
            reason = form.cleaned_data["reason"]
            services.take_back_team_tables(cup, reason, signed_in(request), timezone.now())
        except Refused as refusal:
            if refusal.field not in form.fields:
                return Sent(refusal=refusal)
            refuse(form, refusal)
        else:
            return Sent(_("The tables are taken back."))
    return Sent(form=form, action="take_back_tables")


ACTIONS: dict[str, Callable[[HttpRequest, Cup], Sent]] = {
    "accept": _accept,
    "reject": _reject,
    "admit": _admit,
    "form": _form_tables,
    "conclude": _conclude,
    "withdraw": _withdraw,
    "take_back_admission": _take_back_admission,
    "take_back_tables": _take_back_tables,
}


# --- the page -------------------------------------------------------------------------------------


def _page(request: HttpRequest, cup: Cup, sent: Sent | None = None) -> HttpResponse:
    sent = sent or Sent()
    found = services.teams_of(cup)
    before = services.year_before(cup)
    champions = services.champions_of(cup, found)
    winners = champions.winners
    stage = _stage(cup, found, winners)
    struck = events.struck_off()
    staff = bool(getattr(request.user, "is_staff", False))
    me = getattr(request.user, "player", None)
    games = _games(cup)
    ranked = services.ranked_teams(cup, found, before.absolute)
    faults = services.irregular_teams(found) if cup.event is None and not winners else {}
    mine = _mine(found, request.user, me)
    context = {
        "cup": cup,
        "year": cup.season.year,
        "before": before,
        "term": rules.term(cup.season.year),
        "most": rules.MOST_TEAMS,
        "stage": stage,
        "stations": _stations(cup, found, stage, winners),
        "winners": winners,
        "me": me,
        "mine": mine,
        "acts": mine is not None and services.may_amend(signed_in(request), mine),
        "late": cup.event is None and stage in {"acceptance", "admission"},
        "board": [
            {
                **_board_row(team, row, before.absolute, struck, me),
                "faults": faults.get(team.pk, []),
            }
            for team, row in _rows(found, ranked)
        ],
        "games": games,
        "seated": list(_seated(found, games, struck)),
        "standing": list(_standing(cup, found, games, struck, me)) if games else [],
        "playing": [table for table in games if table.status == Table.Status.PLAYING],
        "may_enrol": stage == "enrolment" and request.user.is_authenticated,
        "staff": staff,
        "event_open": cup.event is not None
        and cup.event.is_run_by(request.user)
        and cup.event.accepts_results(),
        "proclaimed": bool(winners) and stage == "winner",
        "champions": champions,
        "refusal": sent.refusal,
        "struck": struck,
        **(_office(cup, found, before, stage, sent, faults, champions.disputed) if staff else {}),
        **(_way_back(cup, found, champions, sent) if staff else {}),
    }
    status = 422 if sent.refusal is not None or sent.form is not None else 200
    return render(request, "rankings/teams.html", context, status=status)


def _mine(found: Sequence[Team], user: Any, me: Player | None) -> Team | None:
    """The team of the reader: where he plays, of his club, or that he enrolled."""
    if not isinstance(user, User):
        return None
    alive = [team for team in found if team.status != Status.REJECTED]
    if me is not None:
        for team in alive:
            if any(member.player_id == me.pk for member in team.members.all()):
                return team
        for team in alive:
            if me.club_id is not None and team.club_id == me.club_id:
                return team
    return next((team for team in alive if team.by_id == user.pk), None)


def _way_back(
    cup: Cup, found: Sequence[Team], champions: services.Champions, sent: Sent
) -> dict[str, Any]:
    """What the secretary may still undo."""
    statuses = {team.status for team in found}
    tables = None
    unplayed = cup.event is not None and (cup.event.is_off() or not services.has_results(cup))
    if unplayed and not champions.proclaimed:
        tables = sent.form if sent.action == "take_back_tables" else None
        tables = tables or TablesBackForm(auto_id="id_back_%s")
    return {
        "may_withdraw": cup.event is None
        and not champions.proclaimed
        and statuses <= {Status.REJECTED},
        "may_take_back": cup.event is None
        and not champions.proclaimed
        and bool(statuses & {Status.ADMITTED, Status.EXCLUDED}),
        "tables_back": tables,
    }


def _office(
    cup: Cup,
    found: Sequence[Team],
    before: services.YearBefore,
    stage: str,
    sent: Sent,
    faults: Mapping[int, list[Refused]],
    disputed: bool,
) -> dict[str, Any]:
    """What the officer has to decide now."""
    context: dict[str, Any] = {"vetting": [], "next": _next(cup, found, stage, disputed)}
    for team in found:
        if team.status == Status.SUBMITTED and cup.event is None:
            form: Form = RejectionForm(initial={"team": team.pk}, auto_id=f"id_%s_{team.pk}")
            if sent.form is not None and sent.action == "reject" and sent.team == team.pk:
                form = sent.form
            told = faults.get(team.pk, [])
            context["vetting"].append({"team": team, "form": form, "faults": told})
    if stage == "admission" and _too_few(found):
        context["too_few"] = rules.FEWEST_TEAMS
    elif stage == "admission":
        given = sent.form if sent.action == "admit" else None
        context["admission"] = given or _admission_form(cup, found)
        context["waits"] = not before.final and not cup.provisional
    if stage == "games" and cup.event is None:
        given = sent.form if sent.action == "form" else None
        context["tables"] = given or TablesForm(cup.season.year, timezone.localdate())
        context["silent"] = [
            team
            for team in found
            if team.status == Status.ADMITTED
            and any(member.title_id is None for member in team.members.all())
        ]
    return context


def _too_few(found: Sequence[Team]) -> bool:
    return sum(team.status != Status.REJECTED for team in found) < rules.FEWEST_TEAMS


def _next(cup: Cup, found: Sequence[Team], stage: str, disputed: bool) -> dict[str, str]:
    """What hangs from the present station, for the officer: a link, or an action at once."""
    match stage:
        case "enrolment" | "acceptance":
            if any(team.status == Status.SUBMITTED for team in found):
                return {"label": _("Vet the teams"), "url": "#vetting"}
            return {}
        case "admission":
            if _too_few(found):
                return {
                    "label": _("Enrol a team"),
                    "url": reverse("team_new", args=[cup.season.year]),
                }
            return {"label": _("Admit the teams"), "url": "#admission"}
        case "games":
            if cup.event is None:
                return {"label": _("Form the tables"), "url": "#tables"}
            if services.games_over(cup):
                label = _("Proclaim again") if disputed else _("Proclaim the winner")
                return {"label": label, "action": "conclude"}
            return {"label": _("Enter the results"), "url": "#games"}
    return {}


def _admission_form(
    cup: Cup, found: Sequence[Team], request: HttpRequest | None = None
) -> AdmissionForm:
    before = services.year_before(cup)
    ranked = services.ranked_teams(cup, found, before.absolute, ())
    called = {team.pk: team.name for team in found}
    level = [(int(row.key), called[int(row.key)]) for row in ranked if row.admitted is None]
    waits = not before.final and not cup.provisional
    choose = rules.to_choose(ranked)
    return AdmissionForm(level, request.POST if request else None, waits=waits, choose=choose)


def _stage(cup: Cup, found: Sequence[Team], winners: Sequence[Team]) -> str:
    """Where the championship stands: one of `STAGES`."""
    statuses = {team.status for team in found}
    if cup.event is not None:
        over = winners and cup.event.status == Event.Status.CLOSED
        return "winner" if over else "games"
    if winners:
        return "winner"  # of the history: it has no games here
    if timezone.localdate() <= rules.term(cup.season.year):
        return "enrolment"
    if Status.SUBMITTED in statuses:
        return "acceptance"
    admitted = sum(team.status == Status.ADMITTED for team in found)
    free = Status.EXCLUDED in statuses and admitted < rules.MOST_TEAMS
    if Status.ACCEPTED in statuses or free or admitted < rules.FEWEST_TEAMS:
        return "admission"
    return "games"


def _stage_names() -> dict[str, str]:
    return {
        "enrolment": _("Enrolment"),
        "acceptance": _("Acceptance"),
        "admission": _("Admission"),
        "games": _("Games"),
        "winner": pgettext("stage", "Winner"),
    }


def _stations(
    cup: Cup, found: Sequence[Team], stage: str, winners: Sequence[Team]
) -> list[dict[str, str]]:
    alive = [team for team in found if team.status != Status.REJECTED]
    waiting = sum(team.status == Status.SUBMITTED for team in found)
    admitted = sum(team.status == Status.ADMITTED for team in found)
    notes = {
        "enrolment": ngettext("%(n)d team", "%(n)d teams", len(alive)) % {"n": len(alive)},
        "acceptance": _("%(n)d to be vetted") % {"n": waiting} if waiting else "",
        "admission": _("%(n)d admitted") % {"n": admitted} if admitted else "",
        "games": "",
        "winner": ", ".join(team.name for team in winners) if stage == "winner" else "",
    }
    here = STAGES.index(stage)
    return [
        {
            "label": label,
            "note": notes[name],
            "state": "past" if n < here else "current" if n == here else "future",
        }
        for n, (name, label) in enumerate(_stage_names().items())
    ]


def _rows(
    found: Sequence[Team], ranked: Sequence[rules.Admission]
) -> Iterator[tuple[Team, rules.Admission | None]]:
    """The teams by rank, those rejected last."""
    by_key = {team.pk: team for team in found}
    for row in ranked:
        yield by_key[int(row.key)], row
    for team in found:
        if team.status == Status.REJECTED:
            yield team, None


def _board_row(
    team: Team,
    row: rules.Admission | None,
    absolute: rules.Absolute,
    struck: set[int],
    me: Player | None,
) -> dict[str, Any]:
    members = [_member(member, absolute, struck) for member in team.members.all()]
    return {
        "team": team,
        "rank": row.rank if row else None,
        "points": row.points if row else None,
        "places": row.places if row else None,
        "members": members,
        "steps": [
            {"rule": step.rule, "text": texts.explain(step)} for step in (row.steps if row else ())
        ],
        "me": me is not None and any(each["key"] == me.pk for each in members),
    }


def _member(member: TeamMember, absolute: rules.Absolute, struck: set[int]) -> dict[str, Any]:
    """One of the four; who was struck off has no name (O-16)."""
    key = member.player_id
    return {
        "key": key,
        "name": "–" if key in struck else str(member.player),
        "guest": member.guest,
        "title": member.title,
        "points": absolute.points.get(key, 0),
        "place": absolute.places.get(key),
    }


def _games(cup: Cup) -> list[Table]:
    """The tables of the championship, in the order of their titles."""
    if cup.event_id is None:
        return []
    found = Table.objects.with_everything().filter(round__prova__event=cup.event_id)
    return list(found.order_by("round__prova__order", "number"))


def _seated(
    found: Sequence[Team], games: Sequence[Table], struck: set[int]
) -> Iterator[dict[str, Any]]:
    """Who is at each table and for which team: a seat is its team's whoever holds it."""
    sides = {
        member.player_id: team.name
        for team in found
        if team.status == Status.ADMITTED
        for member in team.members.all()
    }
    for table in games:
        seats = {seat.pk: seat for seat in table.seats.all()}
        result = table.confirmed()
        held: list[tuple[int, Player | None, ResultLine | None]]
        if result is not None:
            held = [(line.seat_id, line.player, line) for line in result.standing()]
        else:
            held = [(pk, seat.holder().player, None) for pk, seat in seats.items()]
        people = [
            {
                "name": _holder_name(player, struck),
                "team": sides.get(seats[pk].holders.all()[0].player_id or 0, ""),
                "percentile": line.credited if line is not None and line.points is not None else "",
            }
            for pk, player, line in held
        ]
        yield {"table": table, "people": people}


def _holder_name(player: Player | None, struck: set[int]) -> str:
    if player is None:
        return _("a referee")
    return "–" if player.pk in struck else str(player)


def _standing(
    cup: Cup, found: Sequence[Team], games: Sequence[Table], struck: set[int], me: Player | None
) -> Iterator[dict[str, Any]]:
    by_key = {team.pk: team for team in found}
    called: dict[PlayerId, str] = {team.pk: team.name for team in found}
    played = services.games_of(cup, found)
    rows = services.team_standing(cup, found)
    for row in sorted(rows, key=lambda row: (row.place, called[row.key])):
        team = by_key[int(row.key)]
        of_title = {member.title_id: member for member in team.members.all()}
        cells = []
        for table in games:
            prova = table.round.prova
            member = of_title.get(prova.title_id)
            game = played[row.key].get(prova.order)
            cells.append(
                {
                    "table": table,
                    "title": prova.title,
                    "name": _name_of(member, struck),
                    "game": game,
                    "percentile": game.percentile if game else None,
                }
            )
        yield {
            "row": row,
            "team": team,
            "cells": cells,
            "steps": [
                {"rule": step.rule, "text": texts.explain(step, called)} for step in row.steps
            ],
            "me": me is not None and any(m.player_id == me.pk for m in team.members.all()),
        }


def _name_of(member: TeamMember | None, struck: set[int]) -> str:
    return "–" if member is None or member.player_id in struck else str(member.player)


@require_safe
def teams_csv(request: HttpRequest, year: int) -> HttpResponse:
    """The teams, their admission and their games, for a spreadsheet."""
    cup = _cup(year)
    found = services.teams_of(cup)
    before = services.year_before(cup)
    struck = events.struck_off()
    ranked = services.ranked_teams(cup, found, before.absolute)
    games = _games(cup)
    stood = {line["team"].pk: line for line in _standing(cup, found, games, struck, None)}
    titles = [
        *(_("Place"), _("Team"), _("Club"), _("State"), _("Reason")),
        *(_("Points in the absolute"), _("Places in the absolute")),
        *(_("Player %(n)d") % {"n": n + 1} for n in range(rules.TEAM_SIZE)),
        *(str(table.title) for table in games),
        *((_("Total"), _("Games won")) if games else ()),
    ]
    lines = []
    for team, row in _rows(found, ranked):
        line = stood.get(team.pk)
        people = [_member(member, before.absolute, struck) for member in team.members.all()]
        told = [f"{p['name']} (STRANIERO)" if p["guest"] else p["name"] for p in people]
        place: int | None = line["row"].place if line else None
        cells = [cell["percentile"] for cell in line["cells"]] if line else [None] * len(games)
        total = [line["row"].total, line["row"].wins] if line else [None, None]
        lines.append(
            [
                *(place if games else row.rank if row else None, team.name, team.club),
                *(team.get_status_display(), team.reason),
                *((row.points, row.places) if row else (None, None)),
                *told,
                *cells,
                *(total if games else ()),
            ]
        )
    lines.sort(key=lambda line: (line[0] is None, line[0] or 0))
    return csv_response(f"squadre-{year}", titles, lines)


# --- a team ---------------------------------------------------------------------------------------


@login_required
@never_cache
def team_new(request: HttpRequest, year: int) -> HttpResponse:
    """A club enrols its team, or four guests theirs: first which club, then the four."""
    cup, user = _cup(year), signed_in(request)
    me = getattr(user, "player", None)
    asked = request.GET.get("circolo", "")
    club, chosen = _club(asked), bool(asked)
    if not asked and me is not None and me.club is not None and not user.is_staff:
        club, chosen = me.club, True
    if request.method != "POST" and club is not None:
        enrolled = cup.teams.filter(club=club).exclude(status=Status.REJECTED).first()
        if enrolled is not None:
            return _to_team(request, enrolled)
    context: dict[str, Any] = {
        "cup": cup,
        "year": year,
        "me": me,
        "club": club,
        "chosen": chosen,
        "clubs": _free_clubs(cup) if user.is_staff else [],
        "no_club": NO_CLUB,
        "staff": user.is_staff,
        "late": _is_late(cup),
        "closed": cup.event_id is not None or (_is_late(cup) and not user.is_staff),
        "may": user.is_staff or (me is not None and (club is None or club.pk == me.club_id)),
    }
    if not chosen or not context["may"]:
        return render(request, "rankings/team_new.html", context)
    form = _team_form(request, cup, club)
    if form.is_bound and form.is_valid():
        members = form.members()
        try:
            services.submit_team(
                cup,
                club,
                form.cleaned_data["name"],
                members,
                user,
                timezone.now(),
                reopen=form.cleaned_data.get("reopen", False),
            )
        except Refused as refusal:
            _refuse_all(form, refusal, services.judge_team(cup, club, members))
        else:
            messages.success(request, _("The team is enrolled: the federation will vet it."))
            return redirect("teams", year)
    context["form"] = form
    status = 422 if form.is_bound and form.errors else 200
    return render(request, "rankings/team_new.html", context, status=status)


def _to_team(request: HttpRequest, team: Team) -> HttpResponse:
    """Who opens the form for a club that has its team is sent to that."""
    messages.info(request, _("%(club)s has its team already: here it is.") % {"club": team.club})
    year = team.cup.season.year
    if team.cup.event_id is None and services.may_amend(signed_in(request), team):
        return redirect("team_edit", year, team.pk)
    return redirect(reverse("teams", args=[year]) + f"#team-{team.pk}")


def _club(text: str) -> Club | None:
    """The club of the address; none for a team of guests. Not found, if there is no such club."""
    if text in {"", NO_CLUB}:
        return None
    if not (text.isascii() and text.isdigit() and len(text) < 19):
        raise Http404
    return get_object_or_404(Club, pk=int(text))


def _free_clubs(cup: Cup) -> list[Club]:
    taken = cup.teams.exclude(status=Status.REJECTED).exclude(club=None)
    return list(Club.objects.exclude(pk__in=taken.values("club")))


def _is_late(cup: Cup) -> bool:
    return timezone.localdate() > rules.term(cup.season.year)


def _team_form(
    request: HttpRequest, cup: Cup, club: Club | None, team: Team | None = None
) -> TeamForm:
    """The form of a team; `look` only searches, and keeps what was typed."""
    staff = signed_in(request).is_staff
    looked = request.method == "POST" and "look" in request.POST
    data = None if looked else posted(request)
    initial: dict[str, Any] = {}
    if team is not None:
        initial |= {"name": team.name, "seen": services.edition_of_team(team)}
        for seat, member in enumerate(team.members.all()):
            initial[rules.box(seat)] = member.player_id
    if looked:
        initial |= {key: value for key, value in request.POST.items() if "\0" not in value}
    groups = _offered(request, cup, club, team)
    late = staff and _is_late(cup)
    called = club.name if club is not None else ""
    return TeamForm(groups, data, initial=initial, club=called, late=late)


def _offered(request: HttpRequest, cup: Cup, club: Club | None, team: Team | None) -> list[Group]:
    """Who may sensibly be chosen: the club's, guests without a club or of the last absolute.

    And who was searched for.
    """
    known = Player.objects.on_the_books().exclude(pk__in=events.struck_off())
    known = known.select_related("club")
    own = list(known.filter(club=club)) if club is not None else []
    taken = cup.teams.exclude(status=Status.REJECTED).exclude(club=None)
    active = [int(key) for key in services.year_before(cup).absolute.places]
    free = known.filter(Q(pk__in=active) | Q(club=None)).exclude(club__in=taken.values("club"))
    if club is not None:
        free = free.exclude(club=club)
    wanted = {member.player_id for member in team.members.all()} if team is not None else set()
    wanted |= {
        int(text)
        for box in TeamForm.boxes()
        if (text := request.POST.get(box, "")).isascii() and text.isdigit() and len(text) < 19
    }
    me = getattr(request.user, "player", None)
    if club is None and me is not None:
        wanted.add(me.pk)
    guests = list(free)
    listed = {player.pk for player in [*own, *guests]}
    found = [p for p in _searched(request, known) if p.pk not in listed]
    listed |= {player.pk for player in found}
    others = [*found, *known.filter(pk__in=wanted - listed)]
    groups = [
        (str(club) if club is not None else "", own),
        (_("Guests (STRANIERI): of no enrolled club"), guests),
        (_("Found by name"), others),
    ]
    return [(heading, people) for heading, people in groups if people]


def _searched(request: HttpRequest, known: Any) -> list[Player]:
    typed = request.POST.get("cerca", "").replace("\0", "").strip()[:80]
    key = names.letters(typed)
    if len(key) < FEWEST_LETTERS:
        return []
    like = Q(sort_key__startswith=key) | Q(sort_key__contains=f" {key}")
    return list(known.filter(like)[:FOUND_AT_MOST])


def _refuse_all(form: TeamForm, refusal: Refused, faults: Sequence[Refused]) -> None:
    """What refuses a team, and all else that is wrong with it, each at its box."""
    told = list(faults)
    if not any(fault.reason == refusal.reason for fault in faults):
        told = [refusal, *faults] if refusal.field == "name" else [refusal]
    for each in told:
        refuse(form, each)


def _own_team(request: HttpRequest, year: int, pk: int) -> Team:
    """A team for which the reader may act."""
    cup = _cup(year)
    team = next((team for team in services.teams_of(cup) if team.pk == pk), None)
    if team is None:
        raise Http404
    team.cup = cup
    if not services.may_amend(signed_in(request), team):
        raise Http404
    return team


@login_required
@never_cache
def team_edit(request: HttpRequest, year: int, pk: int) -> HttpResponse:
    """A team before its tables: other players, another name, or no team at all."""
    team, user = _own_team(request, year, pk), signed_in(request)
    cup = team.cup
    changing = cup.event_id is None and team.status != Status.REJECTED
    form = _team_form(request, cup, team.club, team) if changing else None
    refusal = None
    if "withdraw" in request.POST:
        try:
            services.withdraw_team(team, user, timezone.now())
        except Refused as refused:
            refusal = refused
        else:
            messages.success(request, _("The team has withdrawn."))
            return redirect("teams", year)
    elif form is not None and form.is_bound and form.is_valid():
        members = form.members()
        try:
            services.amend_team(
                team,
                form.cleaned_data["name"],
                members,
                user,
                timezone.now(),
                reopen=form.cleaned_data.get("reopen", False),
                seen=form.cleaned_data.get("seen") or None,
            )
        except Refused as refused:
            if refused.reason == "stale":
                form.show(services.edition_of_team(team))
            _refuse_all(form, refused, services.judge_team(cup, team.club, members, team))
        else:
            messages.success(request, _("The team is saved."))
            return redirect("teams", year)
    elif form is None and request.method == "POST":
        refusal = _settled(team)
    if refusal is not None and form is not None:
        form = TeamForm(
            _offered(request, cup, team.club, team),
            initial=form.initial,
            late=user.is_staff and _is_late(cup),
        )
    context = {
        "cup": cup,
        "year": year,
        "team": team,
        "form": form,
        "refusal": refusal,
        "late": _is_late(cup) and not user.is_staff,
        "settled": _settled(team) if form is None else None,
        "faults": services.irregular_teams(services.teams_of(cup)).get(team.pk)
        if changing and not (form is not None and form.is_bound)
        else None,
    }
    wrong = refusal is not None or (form is not None and form.is_bound and form.errors)
    return render(request, "rankings/team_edit.html", context, status=422 if wrong else 200)


def _settled(team: Team) -> Refused:
    """Why a team can be changed no more."""
    if team.status == Status.REJECTED:
        text = _("This team was rejected: the club may enrol another.")
        return Refused("team_rejected", text, rule="L-02")
    text = _("The tables are formed: teams no longer change.")
    return Refused("tables_formed", text, rule="L-09")


@login_required
@never_cache
def team_titles(request: HttpRequest, year: int, pk: int) -> HttpResponse:
    """Who of an admitted team plays which title, until the tables are formed (L-09)."""
    team, user = _own_team(request, year, pk), signed_in(request)
    if team.cup.event_id is not None or team.status != Status.ADMITTED:
        return redirect("teams", year)
    members = list(team.members.all())
    form = TitlesForm(members, services.cup_titles(), posted(request))
    if form.is_bound and form.is_valid():
        try:
            services.assign_titles(team, form.chosen(), user, timezone.now())
        except Refused as refusal:
            for box in form.repeated() or [""]:
                refuse(form, Refused(refusal.reason, refusal.text, rule=refusal.rule, field=box))
        else:
            messages.success(request, _("It is written who plays what."))
            return redirect("teams", year)
    context = {"cup": team.cup, "year": year, "team": team, "form": form}
    status = 422 if form.is_bound and form.errors else 200
    return render(request, "rankings/team_titles.html", context, status=status)
