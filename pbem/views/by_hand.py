"""A game whose title no engine knows, on the same page: its moves as text, its state as a sheet.

And the station master's pages: what was executed of a move, whose turn it is, the sheet, the end.
"""

from __future__ import annotations

import hashlib
import json
from datetime import datetime
from functools import cached_property
from typing import Any
from uuid import UUID, uuid4

from django.contrib import messages
from django.contrib.auth.decorators import login_required
from django.http import HttpRequest, HttpResponse
from django.shortcuts import get_object_or_404, redirect, render
from django.utils import timezone
from django.utils.translation import gettext as _
from django.views.decorators.cache import never_cache

from figf.errors import Refused
from figf.models import User
from figf.web import add_refusal, posted, signed_in
from pbem import services
from pbem.board.printed import NAMES
from pbem.forms.by_hand import (
    CloseForm,
    HandForm,
    SheetForm,
    TickForm,
    TurnsForm,
    hand_form,
    printed,
)
from pbem.models import Game, Move
from pbem.rules.by_hand import Kind, Turns, read
from pbem.services import Line, Past
from pbem.views import games
from pbem.views.games import GamePage, Sending
from tournaments.models import Table

FEW_MOVES = 20


class HandPage(GamePage):
    """A game as its page shows it to somebody, its state kept by the station master."""

    doubts: tuple[tuple[str, str], ...] = ()
    preview_lines: tuple[Line, ...] = ()
    previewed = False

    @cached_property
    def turns(self) -> Turns:
        return services.turns_of(self.game)

    @cached_property
    def order(self) -> Any:
        return services.order_told(self.turns, self.names)

    @property
    def round_called(self) -> str:
        if self.turns.label:
            return self.turns.label
        return _("Operating round") if self.turns.kind is Kind.OPERATING else _("Stock round")

    @cached_property
    def players(self) -> list[tuple[str, str]]:
        """The seats in the order of play, each with who holds it."""
        return [(str(one), self.names[str(one)]) for one in self.game.order]

    @cached_property
    def mine(self) -> bool:
        return (
            self.seat is not None
            and self.game.is_on
            and self.game.clock != Game.Clock.CONSENT
            and self.game.to_act_id == self.seat.pk
        )

    @cached_property
    def correctable(self) -> Move | None:
        if self.seat is None or self.mine:
            return None
        return services.correctable(self.game, self.seat)

    @property
    def round_kind(self) -> Kind:
        """Of the form that is shown: a correction's is that of the move that it puts right."""
        if self.corrects is not None:
            return read(self.corrects.form["turn"]).kind
        return self.turns.kind

    @cached_property
    def hand(self) -> HandForm | None:
        if self.seat is None or not (self.mine or self.corrects):
            return None
        initial = None
        for source in (self.corrects, self.draft):
            if initial is None and source is not None:
                initial = source.form.get("typed")
        return hand_form(self.round_kind, self.game.title, self.players, self.typed, initial)

    @cached_property
    def history(self) -> list[Past]:
        most = None if self.all else FEW_MOVES
        return services.history_by_hand(self.game, self.names, most)

    @property
    def more_moves(self) -> bool:
        return not self.all and len(self.history) == FEW_MOVES

    @cached_property
    def to_tick(self) -> list[Move]:
        return services.to_be_ticked(self.game) if self.keeps else []

    @cached_property
    def since_sheet(self) -> int:
        """How many moves were played since the sheet was written (T-04)."""
        played = self.game.moves.filter(state=Move.State.PLAYED, kind=Move.Kind.OWN)
        if self.game.sheet_at is not None:
            played = played.filter(played_at__gt=self.game.sheet_at)
        return played.count()

    @cached_property
    def key(self) -> UUID:
        return self.sending.key if self.sending else uuid4()

    @property
    def has_title_page(self) -> bool:
        return self.game.title in NAMES

    @property
    def waits(self) -> bool:
        return services.waits_for_master(self.game)

    @cached_property
    def types_result(self) -> bool:
        """Whether the reader may type the result, now that it is over."""
        if self.game.clock != Game.Clock.OVER:
            return False
        return Table.objects.counted_by(self.user).filter(pk=self.game.table_id).exists()


def is_by_hand(pk: int) -> bool:
    """Whether the game has begun, and no engine plays it."""
    begun = Game.objects.filter(pk=pk, has_engine=False, started_at__isnull=False)
    return begun.exists()


@never_cache
def game(request: HttpRequest, pk: int) -> HttpResponse:
    """The page of a game, whichever way it is played."""
    if not is_by_hand(pk):
        return games.game(request, pk)
    page = HandPage(games.game_seen(request, pk), request.user, timezone.now())
    page.all = bool(request.GET.get("tutte"))
    if request.GET.get("correggi") and page.correctable is not None:
        last = page.correctable
        page.sending = Sending(page.game.seq, uuid4(), last.comment, True, last.number, "")
    return _page(request, page)


@login_required
@never_cache
def game_move(request: HttpRequest, pk: int) -> HttpResponse:
    """The move form: sent at once, unless something in it looks wrong, or a preview is asked."""
    received_at = timezone.now()
    if request.method != "POST":  # who had to log in again comes here: what he sent is not here
        messages.warning(request, _("Your move was not sent: fill in the form again."))
        return redirect("game", pk)
    if not is_by_hand(pk):
        return games.game_move(request, pk)
    user = signed_in(request)
    page = HandPage(games.game_seen(request, pk), user, received_at, request.POST)
    page.sending = told = games.sending_of(request, page.game)
    form = page.hand
    if form is None:
        messages.warning(request, _("It is not your turn."))
        return redirect(page.game)
    if not form.is_valid():
        return _page(request, page, status=422)
    commands, act = form.commands(), request.POST.get("act")
    page.doubts = tuple(form.doubts())
    if not commands and not page.turns.operating:
        page.refusal = games.nothing_sent()
        return _page(request, page, status=422)
    if not commands:
        page.doubts = ((_("No command."), _("The corporation would do nothing in its turn.")),)
    if act == "preview" or (page.doubts and act != "sure"):
        page.previewed = True
        page.preview_lines = tuple(services.preview_by_hand(commands, page.names))
        return _page(request, page)
    sent = told.sent(commands, form.typed())
    return games.submitted(request, page, sent) or _page(request, page, status=422)


def _page(request: HttpRequest, page: HandPage, status: int = 200) -> HttpResponse:
    context = {"page": page, "game": page.game}
    answer = render(request, "pbem/hand_game.html", context, status=status)
    answer["X-Robots-Tag"] = "noindex"
    return answer


# --- the station master's pages -------------------------------------------------------------------


def _kept(request: HttpRequest, pk: int) -> HandPage:
    """The game, for who keeps it; for anybody else the page is not there."""
    kept = Game.objects.kept_by(request.user).filter(has_engine=False, started_at__isnull=False)
    game = get_object_or_404(Game.objects.with_people().filter(pk__in=kept.values("pk")), pk=pk)
    return HandPage(game, request.user, timezone.now())


@login_required
@never_cache
def hand_tick(request: HttpRequest, pk: int, number: int) -> HttpResponse:
    """What of a move was executed, line by line."""
    page = _kept(request, pk)
    move = get_object_or_404(page.game.moves.select_related("seat"), number=number)
    if move.state != Move.State.PLAYED or move.kind == Move.Kind.REFEREE:
        return redirect(page.game)
    form = _tick_form(move, posted(request))
    if form.is_bound and request.POST.get("looked", _mark(move)) != _mark(move):
        form.add_error(None, _("This move was looked at meanwhile: check it again below."))
    if form.is_bound and form.is_valid():
        try:
            services.tick_move(move.pk, form.ticks(), signed_in(request), timezone.now())
        except Refused as refusal:
            add_refusal(form, refusal)
        else:
            messages.success(request, _("Written; the table reads it on the page of the game."))
            return redirect(page.game)
    past = services.past_by_hand(page.game, move, page.names)
    context = {
        "page": page,
        "game": page.game,
        "past": past,
        "move": move,
        "rows": [(line, *form.boxes(n)) for n, line in enumerate(past.lines)],
        "form": form,
        "looked": _mark(move),
    }
    status = 422 if form.errors else 200
    return render(request, "pbem/hand_tick.html", context, status=status)


def _mark(move: Move) -> str:
    """What had become of the move's lines: an old page does not write over what was said since."""
    return hashlib.sha256(json.dumps(move.commands, sort_keys=True).encode()).hexdigest()[:16]


def _tick_form(move: Move, data: Any) -> TickForm:
    outcomes = services.outcomes_of(move)
    indexes = [n for n, one in enumerate(outcomes) if services.may_tick(one)]
    initial = {}
    for n in indexes:
        fate = outcomes[n].fate.value
        initial[f"fate-{n}"] = "executed" if fate == "new" else fate
        initial[f"why-{n}"] = str(outcomes[n].why or "")
    return TickForm(indexes, data, initial)


@login_required
@never_cache
def hand_desk(request: HttpRequest, pk: int) -> HttpResponse:
    """The sheet of the state, the round and whose turn it is, the end: each a form of its own."""
    page = _kept(request, pk)
    game, act = page.game, request.POST.get("act", "")
    bound = {"turns": None, "sheet": None, "close": None} | {act: posted(request)}
    seen = game.sheet_at.isoformat() if game.sheet_at else ""
    desk: dict[str, Any] = {
        "turns": TurnsForm(page.turns, page.players, bound["turns"]),
        "sheet": SheetForm(bound["sheet"], initial={"seen": seen, "sheet": game.sheet}),
        "close": CloseForm(bound["close"]),
    }
    form = desk.get(act) if request.method == "POST" else None
    if form is not None and form.is_valid():
        try:
            _write(game, act, form, signed_in(request), timezone.now())
        except Refused as refusal:
            add_refusal(form, refusal)
        else:
            messages.success(request, _("Written; the table reads it on the page of the game."))
            return redirect(game)
    context = {"page": page, "game": game, "printed": printed(game.title)} | desk
    status = 422 if form is not None and form.errors else 200
    return render(request, "pbem/hand_desk.html", context, status=status)


def _write(game: Game, act: str, form: Any, by: User, now: datetime) -> None:
    said = form.cleaned_data
    match act:
        case "turns":
            services.set_turns(game.pk, form.turns(), said["player"], said["reason"], by, now)
        case "sheet":
            services.keep_sheet(game.pk, said["sheet"], said["seen"], by, now)
        case _:
            services.close_game(game.pk, said["reason"], by, now)
