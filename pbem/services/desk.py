"""The station master's board: all his games, the most urgent first. Nothing is written here."""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from dataclasses import dataclass, field
from datetime import datetime, timedelta
from typing import TYPE_CHECKING, Any

from django.core.paginator import Page, Paginator
from django.db.models import Case, Count, Exists, IntegerChoices, Max, OuterRef, Value, When
from django.utils.translation import gettext_lazy, pgettext_lazy

from figf.models import Email, User
from pbem import texts
from pbem.models import Consent, Game, GameQuerySet, Move
from pbem.rules import turns
from tournaments.models import Holder, Player

if TYPE_CHECKING:
    from django.utils.functional import _StrPromise

ON_A_PAGE = 50
FRESH = timedelta(days=30)  # a mail that did not arrive before that says nothing of today
NOT_PLAYED = (Move.State.LATE, Move.State.OUT_OF_TURN, Move.State.STALE)


class Need(IntegerChoices):
    """What a game asks of its station master, the most urgent first: of several, the first."""

    EXPIRED = 1, gettext_lazy("time expired")
    NEXT = 2, gettext_lazy("who is next is to be said")
    CONTESTED = 3, gettext_lazy("contested")
    CONSENT = 4, gettext_lazy("an answer is awaited")
    NOT_PLAYED = 5, gettext_lazy("a move was not played")
    MAIL = 6, gettext_lazy("mail does not arrive")
    BEGINNING = 7, gettext_lazy("getting ready")
    RUNNING = 8, pgettext_lazy("game", "running")
    PAUSED = 9, pgettext_lazy("game", "paused")
    OVER = 10, pgettext_lazy("game", "over")


SIGNALS = {
    Need.EXPIRED: "stop",
    Need.NEXT: "stop",
    Need.CONTESTED: "stop",
    Need.CONSENT: "caution",
    Need.NOT_PLAYED: "caution",
    Need.MAIL: "caution",
    Need.BEGINNING: "info",
    Need.RUNNING: "clear",
}
CODES = {
    Need.EXPIRED: "scaduti",
    Need.NEXT: "da-indicare",
    Need.CONTESTED: "contestate",
    Need.CONSENT: "consensi",
    Need.NOT_PLAYED: "non-giocate",
    Need.MAIL: "posta",
    Need.BEGINNING: "preparazione",
    Need.RUNNING: "in-corso",
    Need.PAUSED: "in-pausa",
    Need.OVER: "finite",
}


@dataclass
class Row:
    """A game on the board. `awaited` are the players whose move, or answer, it waits for; `kept`
    the moves that came and were not played; `unreached` the players whose mail does not arrive."""

    game: Game
    need: Need
    awaited: list[Player] = field(default_factory=list)
    consents: list[Consent] = field(default_factory=list)
    kept: list[Move] = field(default_factory=list)
    unreached: list[Player] = field(default_factory=list)

    @property
    def signal(self) -> str:
        return SIGNALS.get(self.need, "")

    @property
    def label(self) -> str:
        return str(self.need.label)


@dataclass(frozen=True)
class Tab:
    """One of the board's filters, and how many games it shows."""

    need: Need
    count: int

    @property
    def code(self) -> str:
        return CODES[self.need]

    @property
    def label(self) -> str | _StrPromise:
        return self.need.label


@dataclass(frozen=True)
class Board:
    """One page of the board; `tabs` are the filters that show something, `live` all but those that
    are over."""

    rows: list[Row]
    page: Page[Any]
    tabs: list[Tab]
    live: int


def board(games: GameQuerySet, code: str, number: str | None, now: datetime) -> Board:
    """S-01 — these games, by what they ask; `code` is a filter, without it those not over."""
    unreached = unreached_by_mail(now)
    asked = games.annotate(need=_need(unreached))
    counts = dict(asked.values_list("need").annotate(n=Count("pk")).order_by("need"))
    tabs = [Tab(need, counts[need]) for need in Need if counts.get(need)]
    wanted = next((need for need, called in CODES.items() if called == code), None)
    shown = asked.exclude(need=Need.OVER) if wanted is None else asked.filter(need=wanted)
    order = ("-pk",) if wanted is Need.OVER else ("need", "due_at", "pk")
    live = sum(n for need, n in counts.items() if need != Need.OVER)
    pages = Paginator(shown.order_by(*order).values_list("pk", "need"), ON_A_PAGE)
    pages.count = live if wanted is None else counts.get(wanted, 0)  # known already
    page = pages.get_page(number)
    rows = _rows(dict(page.object_list), unreached)
    return Board(rows, page, tabs, live)


def _need(unreached: Iterable[int]) -> Case:
    clock = Game.Clock
    held = Holder.objects.filter(
        seat__table=OuterRef("table"), ends_at=None, player__user__in=list(unreached)
    )
    return Case(
        When(clock__in=[clock.OVER, clock.CALLED_OFF], then=Value(Need.OVER)),
        When(clock=clock.REVIEWING, then=Value(Need.EXPIRED)),
        When(clock=clock.PAUSED, to_act=None, paused_why="", then=Value(Need.NEXT)),
        When(clock=clock.CONTESTED, then=Value(Need.CONTESTED)),
        When(clock=clock.CONSENT, then=Value(Need.CONSENT)),
        When(Exists(_not_played(game=OuterRef("pk"))), then=Value(Need.NOT_PLAYED)),
        *([When(Exists(held), then=Value(Need.MAIL))] if unreached else []),
        When(clock__in=[clock.GATHERING, clock.DRAWING], then=Value(Need.BEGINNING)),
        When(clock=clock.PAUSED, then=Value(Need.PAUSED)),
        default=Value(Need.RUNNING),
    )


def _not_played(**of: Any) -> Any:
    """T-06 — moves kept for information: not played, and nothing has been since they came."""
    since = Move.objects.filter(game=OuterRef("game"), played_at__gte=OuterRef("received_at"))
    return Move.objects.filter(~Exists(since), state__in=NOT_PLAYED, **of)


def not_played(games: Iterable[Game | int]) -> list[Move]:
    """The moves of these games that came and were not played, since the last one that was."""
    found = _not_played(game__in=list(games)).select_related("seat", "sent_by")
    return list(found.order_by("received_at", "pk"))


def unreached_by_mail(now: datetime) -> set[int]:
    """The log-ins whose last mail that left, or should have, did not arrive."""
    failed = Email.objects.filter(failed_at__gte=now - FRESH, emptied_at=None).values("to")
    last = Email.objects.filter(to__in=failed).values("to")
    addresses = [
        one["to"]
        for one in last.annotate(failed=Max("failed_at"), sent=Max("sent_at"))
        if one["sent"] is None or one["sent"] < one["failed"]
    ]
    if not addresses:
        return set()
    return set(User.objects.filter(email__in=addresses).values_list("pk", flat=True))


def _rows(needs: Mapping[int, int], unreached: set[int]) -> list[Row]:
    games = Game.objects.with_people().in_bulk(list(needs))
    rows = {pk: Row(games[pk], Need(need)) for pk, need in needs.items() if pk in games}
    asked = Consent.objects.filter(game__in=rows, answer="").select_related("move__seat")
    for consent in asked.order_by("due_at", "pk"):
        rows[consent.game_id].consents.append(consent)
    for move in not_played(rows):
        rows[move.game_id].kept.append(move)
    for row in rows.values():
        _people(row, unreached)
    return list(rows.values())


def _people(row: Row, unreached: set[int]) -> None:
    """Who is awaited and who is not reached, from what was read already."""
    asked: set[int | None] = {consent.seat_id for consent in row.consents} or {row.game.to_act_id}
    for seat in row.game.table.seats.all():
        player = seat.holder().player
        if player is not None and seat.pk in asked:
            row.awaited.append(player)
        if player is not None and player.user_id is not None and player.user_id in unreached:
            row.unreached.append(player)


def wished(move: Move, names: texts.Names) -> list[str]:
    """What a move that was not played asked for, a command a line."""
    return [texts.wish(turns.from_dict(one).command, names) for one in move.commands]
