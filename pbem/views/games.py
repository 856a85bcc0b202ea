"""The page of a game by correspondence: the board, the log, and the move of who is to act."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from datetime import datetime
from functools import cached_property
from typing import Any
from uuid import UUID, uuid4

from django.contrib import messages
from django.contrib.auth.decorators import login_required
from django.http import HttpRequest, HttpResponse, HttpResponseRedirect
from django.shortcuts import get_object_or_404, redirect, render
from django.utils import timezone
from django.utils.translation import gettext as _
from django.views.decorators.cache import never_cache
from django.views.decorators.http import require_POST

from figf.errors import Refused
from figf.models import User
from figf.web import signed_in
from pbem import services
from pbem.board import map as railway_map
from pbem.board import papers
from pbem.board.papers import Papers
from pbem.engine import Game as Engine
from pbem.forms.moves import MoveForm, move_form
from pbem.forms.stock import ExchangeForm
from pbem.models import Game, Move
from pbem.rules.commands import Command
from pbem.services import Asked, Begun, Gathering, Past, Preview, Request
from tournaments.models import Seat

FEW_MOVES, MOST_MOVES = 10, 2_000  # shown, and shown when all are asked for


@dataclass(frozen=True)
class Sending:
    """What came with a form besides its rows."""

    seen: int
    key: UUID
    comment: str
    ends: bool
    corrects: int | None
    password: str

    def sent(self, commands: Sequence[Command], typed: dict[str, Any]) -> services.Sent:
        """The whole form: its rows as commands, and as they were typed."""
        return services.Sent(
            commands,
            self.seen,
            self.key,
            typed,
            self.comment,
            self.ends,
            self.corrects,
            self.password,
        )


@dataclass
class GamePage:
    """A game as its page shows it to somebody. What nobody looks at is not computed."""

    game: Game
    user: object
    now: datetime
    typed: object = None  # what was sent and is to be shown again
    preview: Preview | None = None
    refusal: Refused | None = None
    sending: Sending | None = None
    all: bool = False  # every move is asked for
    swap: object = None  # what was sent of an exchange alone, and is to be shown again

    @cached_property
    def seat(self) -> Seat | None:
        return self.game.seat_of(self.user)

    @cached_property
    def names(self) -> dict[str, str]:
        return services.names_of_game(self.game)

    @cached_property
    def position(self) -> Engine | None:
        """None before it begins, and where no engine knows the title."""
        if not self.game.has_engine or self.game.started_at is None:
            return None
        return services.head(self.game)

    @cached_property
    def keeps(self) -> bool:
        return self.game.is_kept_by(self.user)

    @cached_property
    def judges(self) -> bool:
        """M-11 — whether he is a referee who does not play there."""
        user = self.user if isinstance(self.user, User) else None
        day = timezone.localdate(self.now)
        return user is not None and self.seat is None and services.is_referee(user, day)

    @cached_property
    def mine(self) -> bool:
        """Whether it is his turn."""
        return (
            self.position is not None
            and self.seat is not None
            and self.game.is_on
            and self.game.clock != Game.Clock.CONSENT
            and self.position.player == str(self.seat.position)
        )

    @property
    def awaited(self) -> str:
        """Of whom a move, or an answer, is awaited."""
        seat = self.game.to_act
        return "" if seat is None else self.names[str(seat.position)]

    @cached_property
    def correctable(self) -> Move | None:
        if self.seat is None or self.position is None or self.mine:
            return None
        return services.correctable(self.game, self.seat)

    @cached_property
    def corrects(self) -> Move | None:
        """The move that the form shown puts right."""
        asked = self.sending.corrects if self.sending else None
        move = self.correctable
        return move if move is not None and asked == move.number else None

    @cached_property
    def form(self) -> MoveForm | None:
        if self.seat is None or self.position is None:
            return None
        at = self.position
        if self.corrects is not None:
            at = services.position_at(self.game, self.corrects.before)
        elif not self.mine:
            return None
        typed = self.typed
        if typed is None and self.corrects is not None:
            typed = self.corrects.form.get("typed")
        if typed is None and self.draft is not None:
            typed = self.draft.form.get("typed")
        return move_form(at, str(self.seat.position), self.names, typed)  # type: ignore[arg-type]

    @cached_property
    def exchange(self) -> ExchangeForm | None:
        """Z-07 — the exchange of a private in the turns of others; a form of his has its own."""
        if self.seat is None or self.position is None or not self.game.is_on or self.form:
            return None
        player = str(self.seat.position)
        if self.position.player == player:
            return None
        form = ExchangeForm(self.position, player, self.names, self.swap)  # type: ignore[arg-type]
        return form if form.can_exchange else None

    @cached_property
    def draft(self) -> Move | None:
        """The last form that he sent in vain since the last move was played."""
        if self.seat is None or not self.mine:
            return None
        last = self.game.moves.filter(seat=self.seat).order_by("-pk").first()
        return last if last is not None and last.state == Move.State.STALE else None

    @cached_property
    def key(self) -> UUID:
        return self.sending.key if self.sending and self.preview else uuid4()

    @cached_property
    def papers(self) -> Papers | None:
        return None if self.position is None else papers.papers(self.position.state, self.names)

    @cached_property
    def map(self) -> str:
        if self.position is None:
            return ""
        return railway_map.svg(self.position.state, railway_map.Marks(), self.names)

    @cached_property
    def map_in_words(self) -> str:
        return "" if self.position is None else railway_map.told(self.position.state, self.names)

    @property
    def kind(self) -> str:
        """What the page is for now: a move of a kind, or to look."""
        return "watch" if self.form is None else self.form.kind

    @cached_property
    def history(self) -> list[Past]:
        if not self.game.has_engine:
            return []
        return services.history(self.game, self.names, MOST_MOVES if self.all else FEW_MOVES)

    @property
    def more_moves(self) -> bool:
        return not self.all and len(self.history) == FEW_MOVES

    @cached_property
    def gathering(self) -> Gathering | None:
        """Who was asked to play, as long as they are."""
        asked = self.game.clock == Game.Clock.GATHERING
        return services.gathering_of(self.game) if asked else None

    @cached_property
    def asked(self) -> Asked | None:
        """What the reader is asked, if he is."""
        return self.gathering.of(self.user) if self.gathering else None

    @cached_property
    def begun(self) -> Begun | None:
        return services.begun_of(self.game)

    @cached_property
    def called_off(self) -> str:
        """Why it will not be played."""
        off = self.game.clock == Game.Clock.CALLED_OFF
        return services.why_called_off(self.game) if off else ""

    @cached_property
    def requests(self) -> list[Request]:
        """What somebody is asked to agree to."""
        return services.requests(self.game, self.names, self.position)


@never_cache
def game(request: HttpRequest, pk: int) -> HttpResponse:
    page = GamePage(game_seen(request, pk), request.user, timezone.now())
    page.all = bool(request.GET.get("tutte"))
    if request.GET.get("correggi") and page.correctable is not None:
        number = page.correctable.number
        page.sending = Sending(page.game.seq, uuid4(), page.correctable.comment, True, number, "")
    return _page(request, page)


@login_required
@never_cache
def game_move(request: HttpRequest, pk: int) -> HttpResponse:
    """The move form: looked at first (`act=preview`), then sent (`act=send`).

    What would not be executed whole is shown once more, and sent by `act=anyway` alone.
    """
    received_at = timezone.now()
    user = signed_in(request)
    page = GamePage(game_seen(request, pk), user, received_at, request.POST)
    page.sending = sending_of(request, page.game)
    form = page.form
    if form is None or page.seat is None:
        messages.warning(request, _("It is not your turn."))
        return redirect(page.game)
    commands, told = form.commands(), page.sending
    sends = request.POST.get("act") in {"send", "anyway"}
    if not commands and told.corrects is None and form.kind in {"auction", "stock"}:
        page.refusal = nothing_sent()
        return _page(request, page, status=422 if sends else 200)
    page.preview = services.preview(
        page.game, page.seat, commands, page.names, ends=told.ends, corrects=page.corrects
    )
    unseen = page.preview.refused and request.POST.get("act") != "anyway"
    if not sends or told.seen != page.game.seq or unseen:
        return _page(request, page)
    sent = told.sent(commands, form.typed())
    return submitted(request, page, sent) or _page(request, page, status=422)


@require_POST
@login_required
@never_cache
def game_exchange(request: HttpRequest, pk: int) -> HttpResponse:
    """Z-07 — a private exchanged for a certificate while it is somebody else's turn."""
    received_at = timezone.now()
    user = signed_in(request)
    page = GamePage(game_seen(request, pk), user, received_at, swap=request.POST)
    told, form = sending_of(request, page.game), page.exchange
    if form is None:
        messages.warning(request, _("No private of yours can be exchanged here now."))
        return redirect(page.game)
    commands, typed = form.commands(), form.typed()
    if not commands:
        page.refusal = nothing_sent()
        return _page(request, page, status=422)
    sent = services.Sent(commands, told.seen, told.key, typed, ends=False, password=told.password)
    return submitted(request, page, sent) or _page(request, page, status=422)


def submitted(
    request: HttpRequest, page: GamePage, sent: services.Sent
) -> HttpResponseRedirect | None:
    """Send a form, received when its page was made, and go to the game; None if it was refused,
    and then the page knows why."""
    user = signed_in(request)
    try:
        move = services.submit(page.game.pk, sent, user, page.now, timezone.now())
    except Refused as refusal:
        page.refusal = refusal
        return None
    say(request, move)
    return HttpResponseRedirect(page.game.get_absolute_url())


def nothing_sent() -> Refused:
    """V-02 — to do nothing is a pass, and a pass is said."""
    return Refused("nothing_sent", _("Nothing is chosen: choose something, or pass."), rule="V-02")


def sending_of(request: HttpRequest, game: Game) -> Sending:
    """What came beside the rows; what makes no sense is as if it had not been said."""
    said = request.POST
    try:
        key = UUID(said.get("key", ""))
    except ValueError:
        key = uuid4()
    seen, corrects = said.get("seen", ""), said.get("corrects", "")
    return Sending(
        int(seen) if seen.isdecimal() and len(seen) < 10 else 0,
        key,
        said.get("comment", "").strip()[: services.LONGEST_COMMENT],
        not said.get("more"),
        int(corrects) if corrects.isdecimal() and len(corrects) < 10 else None,
        said.get("password", ""),
    )


def say(request: HttpRequest, move: Move) -> None:
    """What became of a form that was received."""
    match move.state:
        case Move.State.PLAYED if any(one["fate"] == "refused" for one in move.commands):
            messages.warning(
                request,
                _(
                    "Move %(n)s is sent, and executed in part: what was not executed may be put "
                    "right until the next player moves (Y-03)."
                )
                % {"n": move.number},
            )
        case Move.State.PLAYED if not move.game.has_engine:
            messages.success(
                request, _("Move %(n)s is sent to the whole table.") % {"n": move.number}
            )
        case Move.State.PLAYED:
            messages.success(
                request,
                _("Move %(n)s is played, and sent to the whole table.") % {"n": move.number},
            )
        case Move.State.STALE:
            messages.warning(
                request,
                _(
                    "Something was played before your move arrived, and it was not executed. "
                    "What you wrote is still here: look at it, and send it again."
                ),
            )
        case Move.State.LATE:
            messages.warning(
                request,
                _(
                    "Your time had expired: your move was not executed, and is kept for the "
                    "station master, who may open the turn again (T-06)."
                ),
            )
        case Move.State.OUT_OF_TURN:
            messages.warning(request, _("It is not your turn: your move was not executed."))
        case _:
            messages.info(request, _("Your move is received, and will be played in a moment."))


def game_seen(request: HttpRequest, pk: int) -> Game:
    """The game, if the reader may see it."""
    visible = Game.objects.visible_to(request.user).filter(pk=pk)
    return get_object_or_404(Game.objects.with_people().filter(pk__in=visible.values("pk")))


def _page(request: HttpRequest, page: GamePage, status: int = 200) -> HttpResponse:
    fragment = request.headers.get("HX-Target") == "move-preview"
    template = "pbem/_move_preview.html" if fragment else "pbem/game.html"
    answer = render(request, template, {"page": page, "game": page.game}, status=status)
    answer["X-Robots-Tag"] = "noindex"
    return answer
