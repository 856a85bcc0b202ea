"""The roll of honour: who has won what, and who owes the prize."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

from django.contrib import messages
from django.http import HttpRequest, HttpResponse
from django.shortcuts import get_object_or_404, redirect, render
from django.utils import timezone
from django.utils.translation import gettext as _
from django.views.decorators.http import require_POST, require_safe

from figf.errors import Refused
from figf.spreadsheets import csv_response
from figf.web import add_refusal, posted, secretary_only, signed_in
from rankings import services
from rankings.forms.honours import HonourForm
from rankings.models import Honour
from rankings.rules.honours import MEDALS, owed_by
from tournaments.models import Event, Player
from tournaments.services import struck_off


@require_safe
def roll(request: HttpRequest) -> HttpResponse:
    """The champions of every season, from the last back (A-13)."""
    return render(request, "rankings/roll.html", {"seasons": _seasons(), "medals": MEDALS})


def _seasons() -> list[dict[str, Any]]:
    return [
        {
            "season": each.season,
            "honours": each.honours,
            "vacant": each.vacant,
            "winners": [
                {
                    "event": won.event,
                    "players": won.players,
                    "owed": owed_by("pbem" if won.event.kind == Event.Kind.PBEM else "event"),
                }
                for won in each.winners
            ],
        }
        for each in services.roll_of_honour()
    ]


@require_safe
def roll_csv(request: HttpRequest) -> HttpResponse:
    """The roll of honour, for a spreadsheet: a line for whoever has won something."""
    header = [_("Season"), _("Award"), _("Title or event"), _("Surname"), _("First name")]
    header += [_("Team"), _("Note")]
    rows: list[Sequence[object]] = []
    for each in services.roll_of_honour():
        year = each.season.year
        for honour in each.honours:
            what = [year, honour.get_award_display(), honour.title or ""]
            rows += [[*what, *who, honour.note] for who in _winners(honour)]
        for won in each.winners:
            what = [year, _("First of an event"), won.event]
            rows += [[*what, *_named(player), "", ""] for player in won.players]
    return csv_response("albo", header, rows)


def _winners(honour: Honour) -> list[tuple[object, ...]]:
    """Surname, first name and team of whoever has it: each of the four of a team."""
    if honour.team is None:
        return [(*_named(honour.player), "")]
    struck = struck_off()
    members = [each.player for each in honour.team.members.all()]
    return [(*_named(None if p.pk in struck else p), honour.team) for p in members]


def _named(player: Player | None) -> tuple[str, str]:
    """Surname and first name; of who is struck off, that he is (O-16)."""
    return (player.surname, player.name) if player else (_("a player struck off"), "")


@secretary_only
def honour_new(request: HttpRequest) -> HttpResponse:
    """A line by hand: of the seasons of the history, or by a decision of the federation."""
    form = HonourForm(posted(request), initial={"season": request.GET.get("stagione")})
    if request.method == "POST" and form.is_valid():
        data = form.cleaned_data
        try:
            services.record_honour(
                data["season"],
                data["award"],
                data["player"],
                signed_in(request),
                timezone.now(),
                title=data["title"],
                note=data["note"],
            )
        except Refused as refusal:
            add_refusal(form, refusal)
        else:
            messages.success(request, _("It is written in the roll of honour."))
            return redirect("roll_of_honour")
    status = 422 if form.errors else 200
    return render(request, "rankings/honour_new.html", {"form": form}, status=status)


@require_POST
@secretary_only
def honour_withdraw(request: HttpRequest, pk: int) -> HttpResponse:
    try:
        services.withdraw_honour(
            get_object_or_404(Honour, pk=pk), signed_in(request), timezone.now()
        )
    except Refused as refusal:
        messages.error(request, str(refusal.text))
    else:
        messages.success(request, _("The line is taken off."))
    return redirect("roll_of_honour")
