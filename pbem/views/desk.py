"""The station master's desk: one board for all his games, and his tools for each.

FIGF referees read both (M-11); who plays at a table has no tools there (S-01).
"""

from __future__ import annotations

import hashlib
from collections.abc import Callable
from dataclasses import dataclass
from datetime import datetime
from functools import cached_property
from typing import Any

from django import forms
from django.contrib import messages
from django.contrib.auth.decorators import login_required
from django.http import Http404, HttpRequest, HttpResponse
from django.shortcuts import get_object_or_404, redirect, render
from django.utils import timezone
from django.utils.translation import gettext as _
from django.utils.translation import ngettext
from django.views.decorators.cache import never_cache
from django.views.decorators.http import require_POST, require_safe

from figf.errors import Refused
from figf.models import LogEntry, User
from figf.templatetags.figf import moment
from figf.web import add_refusal, posted, signed_in
from pbem import services
from pbem.forms.desk import (
    AnswerForm,
    CommentForm,
    OfficeForm,
    PauseForm,
    ResumeForm,
    RollBackForm,
    WordsForm,
)
from pbem.forms.tables import ReasonForm
from pbem.models import Consent, Game, Move
from pbem.services.desk import Board
from tournaments.models import Event, Player
from tournaments.services import struck_off

ENTRIES = 60  # of the log, on a game's page

# --- the board ------------------------------------------------------------------------------------


@require_safe
@login_required
@never_cache
def desk(request: HttpRequest) -> HttpResponse:
    """Every game that he keeps; a secretary and a referee may look at all.

    The board asks again every half minute, saying what it has `seen`: no change, no answer.
    """
    user, now = signed_in(request), timezone.now()
    sees_all = user.is_staff or services.is_referee(user, timezone.localdate(now))
    mine = Game.objects.filter(station_master=user)
    whose = request.GET.get("di", "")
    everything = sees_all and (whose == "tutti" or (whose != "miei" and not mine.exists()))
    games = Game.objects.all() if everything else mine
    event = _event(request)
    if event is not None:
        games = games.filter(table__round__prova__event=event)
    board = services.board(games, request.GET.get("stato", ""), request.GET.get("page"), now)
    seen = _seen(board)
    if request.GET.get("seen") == seen:
        return HttpResponse(status=204)
    context = {
        "board": board,
        "page": board.page,
        "seen": seen,
        "code": request.GET.get("stato", ""),
        "event": event,
        "everything": everything,
        "sees_all": sees_all,
        "gone": struck_off(),
        "poll": _poll(request, seen),
    }
    changed = "seen" in request.GET
    return render(request, "pbem/_desk_changed.html" if changed else "pbem/desk.html", context)


def _event(request: HttpRequest) -> Event | None:
    asked = request.GET.get("evento", "")
    pk = int(asked) if asked.isdecimal() and len(asked) < 10 else 0
    return Event.objects.filter(pk=pk).first() if pk else None


def _seen(board: Board) -> str:
    """What tells two boards apart."""
    rows = [
        (
            row.game.pk,
            row.need,
            row.game.seq,
            row.game.due_at,
            row.game.to_act_id,
            len(row.consents),
            len(row.kept),
            len(row.unreached),
        )
        for row in board.rows
    ]
    tabs = [(tab.code, tab.count) for tab in board.tabs]
    return hashlib.sha256(repr((rows, tabs)).encode()).hexdigest()[:16]


def _poll(request: HttpRequest, seen: str) -> str:
    query = request.GET.copy()
    query["seen"] = seen
    return f"?{query.urlencode()}"


# --- the tools of one game ------------------------------------------------------------------------


@dataclass(frozen=True)
class KeptMove:
    """A move that came and was not played, and its commands in words (T-06)."""

    move: Move
    who: str
    words: list[str]


@dataclass
class Tools:
    """A game as its station master, or a referee, looks at it."""

    game: Game
    user: User
    now: datetime
    action: str = ""
    form: forms.Form | None = None  # one that was sent and refused, or is to be confirmed
    voids: list[Move] | None = None  # what a roll-back would undo

    @cached_property
    def keeps(self) -> bool:
        return self.game.is_kept_by(self.user) and self.game.seat_of(self.user) is None

    @cached_property
    def names(self) -> dict[str, str]:
        return services.names_of_game(self.game)

    @cached_property
    def awaited(self) -> Player | None:
        seats = self.game.table.seats.all()
        return next((s.holder().player for s in seats if s.pk == self.game.to_act_id), None)

    @cached_property
    def kept(self) -> list[KeptMove]:
        return [
            KeptMove(move, self.names[str(move.seat.position)], services.wished(move, self.names))
            for move in services.not_played([self.game])
        ]

    @cached_property
    def late(self) -> list[KeptMove]:
        """Those of whoever let his time pass."""
        return [one for one in self.kept if one.move.seat_id == self.game.to_act_id]

    @cached_property
    def consents(self) -> list[tuple[Consent, str]]:
        found = (
            self.game.consents.filter(answer="").select_related("seat", "move").order_by("due_at")
        )
        return [(one, self.names[str(one.seat.position)]) for one in found]

    @cached_property
    def unreached(self) -> list[Player]:
        users = services.unreached_by_mail(self.now)
        players = [seat.holder().player for seat in self.game.table.seats.all()]
        return [one for one in players if one is not None and one.user_id in users]

    @cached_property
    def standing(self) -> list[Move]:
        """The moves that stand, the last first; a roll-back is none."""
        played = self.game.moves.filter(state=Move.State.PLAYED).select_related("seat")
        return list(played.exclude(kind=Move.Kind.REFEREE).order_by("-number"))

    @cached_property
    def commented(self) -> list[tuple[Move, str]]:
        """The moves with a comment: those reported first, then the last ones."""
        found = self.game.moves.exclude(comment="").exclude(number=None).select_related("seat")
        told = [(one, self.names[str(one.seat.position)]) for one in found.order_by("-number")]
        told.sort(key=lambda one: "comment_reported" not in one[0].form)
        return told[:30]

    @cached_property
    def doubts(self) -> list[Any]:
        return services.doubts_of(self.game)

    @cached_property
    def log(self) -> list[LogEntry]:
        return list(LogEntry.objects.about(self.game).select_related("actor")[:ENTRIES])

    @cached_property
    def choices(self) -> list[tuple[int, str]]:
        """The moves before which the game can go back."""
        return [
            (
                one.number or 0,
                f"{one.number} · {self.names[str(one.seat.position)]} · {moment(one.received_at)}",
            )
            for one in self.standing
        ]

    def blank(self, action: str, data: Any = None) -> forms.Form:
        kind = FORMS[action]
        form = RollBackForm(data, moves=self.choices) if kind is RollBackForm else kind(data)
        form.auto_id = f"{action}-%s"
        return form

    @cached_property
    def sheets(self) -> dict[str, forms.Form]:
        found = {name: self.blank(name) for name in FORMS}
        return found if self.form is None else found | {self.action: self.form}

    @property
    def sent(self) -> forms.Form | None:
        return self.form if self.form is not None and self.form.errors else None


FORMS: dict[str, type[forms.Form]] = {
    "reopen": ReasonForm,
    "pause": PauseForm,
    "resume": ResumeForm,
    "roll_back": RollBackForm,
    "office": OfficeForm,
    "hide": CommentForm,
    "show": CommentForm,
    "answer": AnswerForm,
}


@login_required
@never_cache
def game_tools(request: HttpRequest, pk: int) -> HttpResponse:
    """What there is to decide of a game; a POST does one thing, by its `action`."""
    tools = _tools(request, pk)
    if request.method != "POST":
        return _page(request, tools)
    tools.action = request.POST.get("action", "")
    if not tools.keeps or tools.action not in FORMS:
        raise Http404
    tools.form = tools.blank(tools.action, request.POST)
    if not tools.form.is_valid():
        return _page(request, tools)
    if tools.action == "roll_back" and not tools.form.cleaned_data["voids"]:
        return _confirm(request, tools, tools.form.cleaned_data)
    try:
        said = DEEDS[tools.action](tools, tools.form, tools.form.cleaned_data)
    except Refused as refusal:
        add_refusal(tools.form, refusal)
        return _page(request, tools)
    messages.success(request, said)
    kept_still = tools.action != "office" or tools.user.is_staff
    return redirect("game_tools" if kept_still else "game", pk=pk)


def _tools(request: HttpRequest, pk: int) -> Tools:
    game = get_object_or_404(Game.objects.with_people(), pk=pk)
    tools = Tools(game, signed_in(request), timezone.now())
    if not tools.keeps and not _judges(tools.user, game, tools.now):
        raise Http404
    return tools


def _judges(user: User, game: Game, now: datetime) -> bool:
    """M-11 — whether he is a referee who does not play there."""
    return services.is_referee(user, timezone.localdate(now)) and game.seat_of(user) is None


def _page(request: HttpRequest, tools: Tools) -> HttpResponse:
    context = {
        "tools": tools,
        "game": tools.game,
        "sent": tools.sent,
        "gone": struck_off(),
        "paused_for": _remaining(tools.game),
    }
    return render(request, "pbem/desk_game.html", context, status=422 if tools.sent else 200)


def _remaining(game: Game) -> int | None:
    """The whole hours that a paused clock has left."""
    left = game.paused_remaining
    return None if left is None else max(0, int(left.total_seconds() // 3600))


def _confirm(request: HttpRequest, tools: Tools, said: dict[str, Any]) -> HttpResponse:
    """What a roll-back would undo, to be looked at before it is done (asks L5)."""
    undone = tools.game.moves.filter(state=Move.State.PLAYED, number__gte=said["number"])
    tools.voids = list(undone.select_related("seat").order_by("number"))
    tools.form = tools.blank("roll_back", said | {"voids": len(tools.voids)})
    return _page(request, tools)


Deed = Callable[[Tools, Any, dict[str, Any]], str]


def _reopen(tools: Tools, _form: Any, said: dict[str, Any]) -> str:
    services.reopen_turn(tools.game.pk, said["reason"], tools.user, tools.now)
    return _("The turn is open again: 48 hours from now. Everybody has been told.")


def _pause(tools: Tools, _form: Any, said: dict[str, Any]) -> str:
    n = services.pause(_scope(tools, said["every"]), said["reason"], tools.user, tools.now)
    return ngettext("%(n)d clock is stopped.", "%(n)d clocks are stopped.", n) % {"n": n}


def _resume(tools: Tools, _form: Any, said: dict[str, Any]) -> str:
    n = services.resume(_scope(tools, said["every"]), tools.user, tools.now)
    return ngettext("%(n)d clock goes on.", "%(n)d clocks go on.", n) % {"n": n}


def _scope(tools: Tools, every: bool) -> list[int]:
    """The game, or all those that he is the station master of."""
    kept = Game.objects.filter(station_master=tools.user).running()
    mine = set(kept.values_list("pk", flat=True)) if every else set()
    return sorted({tools.game.pk} | mine)


def _roll_back(tools: Tools, _form: Any, said: dict[str, Any]) -> str:
    move = get_object_or_404(tools.game.moves, number=said["number"])
    services.roll_back(move, said["reason"], tools.user, tools.now, voids=said["voids"])
    return _("The game is back to before move %(n)s. Everybody has been told.") % {
        "n": said["number"]
    }


def _office(tools: Tools, form: Any, _said: dict[str, Any]) -> str:
    services.give_office(tools.game.pk, form.user, tools.user, tools.now)
    return _("%(who)s keeps the game from now on.") % {"who": form.user.name}


def _hide(tools: Tools, _form: Any, said: dict[str, Any]) -> str:
    move = get_object_or_404(tools.game.moves, number=said["number"])
    services.hide_comment(move, True, tools.user, tools.now)
    return _("The comment is hidden, and kept for the case.")


def _show(tools: Tools, _form: Any, said: dict[str, Any]) -> str:
    move = get_object_or_404(tools.game.moves, number=said["number"])
    services.hide_comment(move, False, tools.user, tools.now)
    return _("The comment is in sight again.")


def _answer(tools: Tools, _form: Any, said: dict[str, Any]) -> str:
    about = LogEntry.objects.about(tools.game).filter(verb="doubt_move")
    entry = get_object_or_404(about, pk=said["doubt"])
    services.answer_doubt(entry, said["words"], tools.user, tools.now)
    return _("Your answer is with the referee.")


DEEDS: dict[str, Deed] = {
    "reopen": _reopen,
    "pause": _pause,
    "resume": _resume,
    "roll_back": _roll_back,
    "office": _office,
    "hide": _hide,
    "show": _show,
    "answer": _answer,
}


# --- of one move ----------------------------------------------------------------------------------


@require_POST
@login_required
def comment_report(request: HttpRequest, pk: int, number: int) -> HttpResponse:
    """V-11 — "segnala commento", by a player of the table."""
    move = _move(pk, number)
    now = timezone.now()
    try:
        services.report_comment(move, signed_in(request), now, timezone.localdate(now))
    except Refused as refusal:
        messages.error(request, refusal.text)
    else:
        messages.success(request, _("The station master and the referees have been told."))
    return redirect(f"{move.game.get_absolute_url()}#move-{number}")


@login_required
@never_cache
def move_doubt(request: HttpRequest, pk: int, number: int) -> HttpResponse:
    """M-11 — "segnala errore", by a FIGF referee who does not play there."""
    move, user, now = _move(pk, number), signed_in(request), timezone.now()
    game = Game.objects.with_people().get(pk=pk)
    if not _judges(user, game, now):
        raise Http404
    form = WordsForm(posted(request))
    if request.method == "POST" and form.is_valid():
        try:
            words = form.cleaned_data["words"]
            services.doubt_move(move, words, user, now, timezone.localdate(now))
        except Refused as refusal:
            add_refusal(form, refusal)
        else:
            messages.success(request, _("The station master has been told."))
            return redirect("game_tools", pk=pk)
    context = {"game": game, "move": move, "form": form}
    return render(request, "pbem/desk_doubt.html", context, status=422 if form.errors else 200)


def _move(pk: int, number: int) -> Move:
    return get_object_or_404(Move.objects.select_related("game", "seat"), game=pk, number=number)
