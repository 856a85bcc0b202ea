"""Games by correspondence as lists, and their tables before they begin."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from datetime import datetime
from typing import Any

from django import forms
from django.contrib import messages
from django.contrib.auth.decorators import login_required
from django.core.paginator import Paginator
from django.db.models import Q
from django.http import HttpRequest, HttpResponse
from django.shortcuts import get_object_or_404, redirect, render
from django.utils import timezone
from django.utils.translation import gettext as _
from django.views.decorators.cache import never_cache
from django.views.decorators.http import require_safe

from figf.errors import Refused
from figf.models import User
from figf.web import add_refusal, posted, signed_in
from pbem import services
from pbem.forms.tables import (
    AnswerForm,
    FilterForm,
    InviteForm,
    OpenForm,
    OutsideForm,
    ReasonForm,
    ReserveForm,
    SilentForm,
    ThrowForm,
    TieForm,
    WordForm,
)
from pbem.models import Game
from pbem.services import Opening
from tournaments.models import Event, Player, Seat, Table, Title
from tournaments.services import struck_off

ON_A_PAGE = 30

# --- the list -------------------------------------------------------------------------------------


@dataclass(frozen=True, slots=True)
class Row:
    game: Game
    to_act: Seat | None  # with its holders

    @property
    def players(self) -> list[Player | None]:
        return [seat.holder().player for seat in self.game.table.seats.all()]


@require_safe
@never_cache
def game_list(request: HttpRequest) -> HttpResponse:
    """Games running, to begin, over; by event, by title, by player."""
    asked = FilterForm(request.GET).asked()
    event = Event.objects.visible_to(request.user).filter(pk=asked["evento"] or 0).first()
    page = Paginator(_listed(request, asked), ON_A_PAGE).get_page(request.GET.get("page"))
    context = {
        "page": page,
        "rows": [Row(game, _to_act(game)) for game in page.object_list],
        "asked": asked,
        "event": event,
        "free": services.tables_without_game(event) if event and _runs(event, request) else [],
        "invites": event and _runs(event, request) and event.kind in services.BY_INVITATION,
        "titles": Title.objects.values_list("code", flat=True),
        "gone": struck_off(),
    }
    return render(request, "pbem/table_list.html", context)


def _listed(request: HttpRequest, asked: dict[str, Any]) -> Any:
    seen = Game.objects.visible_to(request.user).order_by()
    games = Game.objects.filter(pk__in=seen.values("pk"))
    match asked["stato"]:
        case "raduno":
            games = games.filter(clock__in=[Game.Clock.GATHERING, Game.Clock.DRAWING])
            games = games.order_by("-opened_at", "-pk")
        case "concluse":
            games = games.filter(clock__in=[Game.Clock.OVER, Game.Clock.CALLED_OFF])
            games = games.order_by("-started_at", "-pk")
        case _:
            games = games.running().filter(started_at__isnull=False).order_by("due_at", "pk")
    if asked["evento"]:
        games = games.filter(table__round__prova__event=asked["evento"])
    if asked["titolo"]:
        games = games.filter(title=asked["titolo"])
    if asked["giocatore"]:
        known = Player.objects.on_the_books().called(asked["giocatore"])
        named = known.exclude(pk__in=struck_off()).values("pk")
        held = Seat.objects.filter(holders__player__in=named, holders__ends_at=None)
        games = games.filter(table__in=held.values("table"))
    return games.with_people()


def _to_act(game: Game) -> Seat | None:
    seats = game.table.seats.all()
    return next((seat for seat in seats if seat.pk == game.to_act_id), None)


def _runs(event: Event, request: HttpRequest) -> bool:
    return event.is_run_by(request.user)


# --- a game is opened -----------------------------------------------------------------------------


@login_required
@never_cache
def table_game_open(request: HttpRequest, pk: int) -> HttpResponse:
    """A game at a table of an event, for who runs it; where there is one, it is shown."""
    tables = Table.objects.run_by(request.user).with_everything().distinct()
    table = get_object_or_404(tables.exclude(round__prova__event__kind=Event.Kind.LIVE), pk=pk)
    found = Game.objects.filter(table=table).exclude(clock=Game.Clock.CALLED_OFF).first()
    if found is not None:
        return redirect(found)
    by, now = signed_in(request), timezone.now()
    form = OpenForm(posted(request), master=by, now=now)
    game = _sent(form, lambda: services.open_table(table, _opening(form), by, now))
    if game is not None:
        messages.success(request, _("The game is open: the players have been asked by mail."))
        return redirect("game_table", pk=game.pk) if game.is_kept_by(by) else redirect(game)
    return _opening_page(request, "pbem/table_open.html", form, table=table, event=table.event)


@login_required
@never_cache
def game_invite(request: HttpRequest, pk: int) -> HttpResponse:
    """A game by invitation, in an event whose games are made so; for who runs it."""
    events = Event.objects.run_by(request.user).filter(kind__in=services.BY_INVITATION)
    event = get_object_or_404(events.select_related("season"), pk=pk)
    by, now = signed_in(request), timezone.now()
    form = InviteForm(posted(request), master=by, now=now)

    def invite() -> Game:
        title = form.cleaned_data["title"]
        return services.invite(event, title, form.players, _opening(form), by, now)

    game = _sent(form, invite)
    if game is not None:
        messages.success(request, _("The game is open: the players have been asked by mail."))
        return redirect("game_table", pk=game.pk) if game.is_kept_by(by) else redirect(game)
    return _opening_page(request, "pbem/table_invite.html", form, event=event)


def _opening(form: OpenForm) -> Opening:
    said = form.cleaned_data
    return Opening(
        said["station_master"], said["answer_by"], said["preset"], said["password"], form.reserves
    )


def _opening_page(request: HttpRequest, template: str, form: OpenForm, **more: Any) -> HttpResponse:
    more |= {"form": form, "people": services.people_to_ask()}
    return render(request, template, more, status=422 if form.errors else 200)


FIRST_OF = {"players": "player1", "reserves": "reserve1"}  # the box that speaks for them all


def _sent(form: forms.Form, do: Callable[[], Any]) -> Any:
    """What `do` gives once the form is sent and sound; None, and the refusal on the form."""
    if not form.is_bound or not form.is_valid():
        return None
    try:
        return do()
    except Refused as refusal:
        refusal.field = FIRST_OF.get(refusal.field, refusal.field)
        add_refusal(form, refusal)
        form.rule = refusal.rule  # type: ignore[attr-defined]
        return None


# --- who will play --------------------------------------------------------------------------------


@login_required
@never_cache
def game_answer(request: HttpRequest, pk: int) -> HttpResponse:
    """Who was asked says yes or no; opened, it leads to the game's page."""
    game = get_object_or_404(_visible(request), pk=pk)
    form = AnswerForm(posted(request))
    if request.method == "POST" and form.is_valid():
        yes = form.cleaned_data["answer"] == "yes"
        try:
            services.will_play(pk, yes, signed_in(request), timezone.now())
        except Refused as refusal:
            messages.error(request, refusal.text)
        else:
            said = _("You will play.") if yes else _("You will not play: your seat is free.")
            messages.success(request, said)
    return redirect(game)


def _visible(request: HttpRequest) -> Any:
    """The games that he sees, those also for which he is asked."""
    user = request.user
    seen = Game.objects.visible_to(user).order_by().values("pk")
    asked = Game.objects.filter(places__player__user=user.pk or 0).values("pk")
    return Game.objects.with_people().filter(Q(pk__in=seen) | Q(pk__in=asked))


# --- the station master's page of a table ---------------------------------------------------------

Deed = Callable[[int, Any, User, datetime], object]


def _silent(pk: int, form: SilentForm, by: User, now: datetime) -> object:
    player = get_object_or_404(Player, pk=form.cleaned_data["silent"])
    return services.declare_silent(pk, player, by, now)


def _reserve(pk: int, form: ReserveForm, by: User, now: datetime) -> object:
    return services.call_reserve(pk, form.cleaned_data["player"], by, now)


def _confirm(pk: int, _form: forms.Form, by: User, now: datetime) -> object:
    return services.confirm_all(pk, by, now)


def _throw(pk: int, form: ThrowForm, by: User, now: datetime) -> object:
    return services.throw(pk, form.cleaned_data["closes_at"], by, now)


def _outside(pk: int, form: OutsideForm, by: User, now: datetime) -> object:
    said = form.cleaned_data
    return services.record_throws(pk, said["rolls"], said["source"], said["receipt"], by, now)


def _call_off(pk: int, form: ReasonForm, by: User, now: datetime) -> object:
    return services.call_off(pk, form.cleaned_data["reason"], by, now)


def _word(pk: int, form: WordForm, by: User, now: datetime) -> object:
    return services.set_password(pk, form.cleaned_data["password"], by, now)


def _send(pk: int, form: TieForm, by: User, now: datetime) -> object:
    return services.send_result(pk, by, now, tie_checked=form.cleaned_data["tie_checked"])


DEEDS: dict[str, tuple[type[forms.Form], Deed]] = {
    "silent": (SilentForm, _silent),
    "reserve": (ReserveForm, _reserve),
    "confirm": (forms.Form, _confirm),
    "throw": (ThrowForm, _throw),
    "outside": (OutsideForm, _outside),
    "call_off": (ReasonForm, _call_off),
    "word": (WordForm, _word),
    "send": (TieForm, _send),
}


def _said(action: str) -> str:
    return {
        "silent": _("He was silent: his seat is free."),
        "reserve": _("The reserve is asked by mail."),
        "confirm": _("Everybody will play: you may throw the dice."),
        "throw": _("The dice are promised: each has been asked for his word."),
        "outside": _("The order is settled: the game has begun."),
        "call_off": _("The game is called off: everybody has been told."),
        "word": _("The word of the table is another."),
        "send": _("The result is with the director."),
    }[action]


@login_required
@never_cache
def game_table(request: HttpRequest, pk: int) -> HttpResponse:
    """What the station master does before a game begins, and of its word and result.

    Each thing is a small form; all of them send to this address, with what they do as `action`.
    """
    kept = Game.objects.kept_by(request.user)
    game = get_object_or_404(Game.objects.with_people().filter(pk__in=kept.values("pk")), pk=pk)
    by, now = signed_in(request), timezone.now()
    action = request.POST.get("action", "")
    if request.method != "POST" or action not in DEEDS:
        return _desk(request, game, now)
    form = _form(action, now, request.POST)
    deed = DEEDS[action][1]
    if _sent(form, lambda: deed(pk, form, by, now)) is None:
        return _desk(request, game, now, action, form)
    messages.success(request, _said(action))
    return redirect("game_table", pk=pk)


def _form(action: str, now: datetime, data: Any = None) -> forms.Form:
    kind = DEEDS[action][0]
    return ThrowForm(data, now=now) if kind is ThrowForm else kind(data)


def _desk(
    request: HttpRequest,
    game: Game,
    now: datetime,
    action: str = "",
    sent: forms.Form | None = None,
) -> HttpResponse:
    found = {name: _form(name, now) for name in DEEDS}
    if sent is not None:
        found[action] = sent
    gathering = services.gathering_of(game)
    context = {
        "game": game,
        "gathering": gathering,
        "late": gathering.is_late(now),
        "begun": services.begun_of(game),
        "reason": services.why_called_off(game) if game.clock == "called_off" else "",
        "forms": found,
        "sent": sent,
        "people": services.people_to_ask() if game.clock == "gathering" else [],
        "table": Table.objects.with_everything().get(pk=game.table_id),
    }
    status = 200 if sent is None else 422
    return render(request, "pbem/table_desk.html", context, status=status)
