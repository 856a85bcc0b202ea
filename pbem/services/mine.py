"""The games of one person, the most urgent first: what his home page shows. Nothing is written."""

from __future__ import annotations

import hashlib
from collections.abc import Iterable
from dataclasses import dataclass
from datetime import datetime
from enum import IntEnum
from typing import Any

from django.db.models import Q
from django.utils.translation import gettext as _

from figf.models import LogEntry
from pbem import texts
from pbem.engine import Game as Engine
from pbem.engine.state import Auction, Stock
from pbem.models import Consent, Game, Place
from pbem.rules.by_hand import Kind
from pbem.rules.by_hand import read as read_turns
from tournaments.models import Seat

MOST = 60  # of the games of one person


class Asks(IntEnum):
    """What a game wants of its reader; the last two want nothing."""

    MOVE = 1
    ANSWER = 2
    PLACE = 3
    EXPIRED = 4
    NOTHING = 5


@dataclass(frozen=True)
class Mine:
    """One game of his. `awaited` is whose move, or answer, it waits for; `doing` the round, and in
    an operating round the corporation; `due_at` until when, where there is an hour."""

    game: Game
    asks: Asks
    due_at: datetime | None
    awaited: str = ""
    doing: str = ""
    consent: Consent | None = None

    @property
    def waits_for_me(self) -> bool:
        return self.asks < Asks.EXPIRED


@dataclass(frozen=True)
class Turns:
    """The board of a person's games."""

    rows: list[Mine]

    @property
    def asked(self) -> int:
        """How many of them wait for him."""
        return sum(row.waits_for_me for row in self.rows)

    @property
    def seen(self) -> str:
        """What tells two boards apart."""
        said = [
            (row.game.pk, row.asks, row.due_at, row.awaited, row.doing, row.game.clock)
            for row in self.rows
        ]
        return hashlib.sha256(repr(said).encode()).hexdigest()[:16]


def turns_of_reader(user: Any) -> Turns:
    """Where it is his turn or his answer is awaited, by urgency; then his other games."""
    if not user.is_authenticated:
        return Turns([])
    places = {one.game_id: one for one in Place.objects.filter(player__user=user, answer="")}
    playing = Game.objects.running().played_by(user).values("pk")
    asked = Q(pk__in=[*places], clock=Game.Clock.GATHERING)
    found = list(
        Game.objects.with_people().filter(Q(pk__in=playing) | asked).order_by("due_at", "pk")[:MOST]
    )
    consents: dict[int, list[Consent]] = {}
    for one in Consent.objects.filter(game__in=found, answer="").order_by("due_at", "pk"):
        consents.setdefault(one.game_id, []).append(one)
    hours = answers_by(game.pk for game in found if game.clock == Game.Clock.GATHERING)
    rows = [
        _row(game, game.seat_of(user), consents.get(game.pk, ()), game.pk in places, hours)
        for game in found
    ]
    return Turns(sorted(rows, key=_urgency))


def _row(
    game: Game,
    seat: Seat | None,
    consents: Iterable[Consent],
    invited: bool,
    hours: dict[int, datetime],
) -> Mine:
    if game.clock == Game.Clock.GATHERING:
        return Mine(game, Asks.PLACE if invited else Asks.NOTHING, hours.get(game.pk))
    own = [one for one in consents if seat is not None and one.seat_id == seat.pk]
    doing, turn = doing_of(game), seat is not None and game.to_act_id == seat.pk
    awaited = _holder(game, game.to_act_id)
    if own:
        due = own[0].due_at if game.clock == Game.Clock.CONSENT else None
        return Mine(game, Asks.ANSWER, due, awaited, doing, own[0])
    if turn and (
        game.clock == Game.Clock.RUNNING
        or (game.clock == Game.Clock.PAUSED and game.paused_from == Game.Clock.RUNNING)
    ):
        return Mine(game, Asks.MOVE, game.due_at, awaited, doing)
    expired = turn and game.clock == Game.Clock.REVIEWING
    return Mine(game, Asks.EXPIRED if expired else Asks.NOTHING, game.due_at, awaited, doing)


def _holder(game: Game, seat_pk: int | None) -> str:
    """Who holds a seat, from what was read already."""
    held = (seat for seat in game.table.seats.all() if seat.pk == seat_pk)
    return next((str(seat.holder().player or _("a referee")) for seat in held), "")


def _urgency(row: Mine) -> tuple[bool, bool, float, int]:
    at = row.due_at.timestamp() if row.due_at else float("inf")
    return (not row.waits_for_me, row.asks is Asks.NOTHING, at, row.game.pk)


def answers_by(pks: Iterable[int]) -> dict[int, datetime]:
    """Until when the players of these games were asked to answer; the log has it."""
    opened = LogEntry.objects.filter(
        subject="pbem.game", subject_id__in=list(pks), verb="open_game"
    ).order_by("pk")
    return {one.subject_id: datetime.fromisoformat(one.data["answer_by"]) for one in opened}


# --- what a game is doing -------------------------------------------------------------------------


def stage(position: Engine) -> str:
    """Where a game has come to, short enough for its row: kept in `Game.status` while it runs.

    The round, its number, and who operates: "auction", "stock 3", "operating 2.1 PRR".
    """
    state = position.state
    if isinstance(state.round, Auction):
        return "auction"
    if isinstance(state.round, Stock):
        return f"stock {state.turn}"
    actor = position.actor if position.actor in state.corporations else state.operating
    return f"operating {state.turn}.{state.number} {actor or ''}".rstrip()


def doing_of(game: Game) -> str:
    """The round that a game is in, in the reader's language; nothing before it begins."""
    if game.started_at is None:
        return ""
    if not game.has_engine:
        now = read_turns(game.options.get("round"))
        label = now.label or (
            _("Operating round") if now.kind is Kind.OPERATING else _("Stock round")
        )
        return ", ".join(filter(None, [label, now.operating]))
    kind, _space, rest = (game.status or ("" if game.length else "auction")).partition(" ")
    number, _space, who = rest.partition(" ")
    match kind:
        case "auction":
            return texts.round_words("auction", 0, 0)
        case "stock":
            return texts.round_words("stock", int(number), 0)
        case "operating":
            turn, _dot, nth = number.partition(".")
            said = texts.round_words("operating", int(turn), int(nth))
            return ", ".join(filter(None, [said, who]))
    return ""
