"""What a decision would change: it is carried out, looked at and undone, in one transaction."""

from __future__ import annotations

from collections.abc import Callable
from datetime import datetime
from typing import TypeVar

from django.db import transaction

from figf.models import User
from tournaments import services
from tournaments.models import Event, Player, Prova, Season, Table

T = TypeVar("T")


def what_if(deed: Callable[[], object], look: Callable[[], T]) -> tuple[T, T]:
    """What `look` sees before and after the `deed`, of which nothing remains.

    The deed is the very verb that would be used: what it refuses is refused here (`Refused`).
    Inside, its locks are held for as long as `look` takes.
    """
    before = look()
    with transaction.atomic():
        deed()
        after = look()
        transaction.set_rollback(True)
    return before, after


def strike_off(player: Player, by: User, now: datetime) -> Callable[[], object]:
    """The deed of a radiation (O-16)."""
    return lambda: services.strike_off(player, "?", by, now)


def cancel_from_event(
    player: Player, event: Event, by: User, now: datetime, prova: Prova | None = None
) -> Callable[[], object]:
    """The deed of a cancellation from an event, or from a prova of it (O-12)."""

    def deed() -> None:
        with_opened(
            event,
            lambda: services.cancel(
                player,
                by,
                now,
                level="event" if prova is None else "prova",
                event=event if prova is None else None,
                prova=prova,
                ruling="?",
            ),
            by,
            now,
        )

    return deed


def exclude_from_game(
    player: Player, table: Table, by: User, now: datetime
) -> Callable[[], object]:
    """The deed of an exclusion from the classification of a game (C-10)."""
    return lambda: with_opened(
        table.event, lambda: services.exclude(table, player, "?", by, now), by, now
    )


def cancel_from_championship(
    player: Player, season: Season, championship: str, by: User, now: datetime
) -> Callable[[], object]:
    """The deed of a cancellation from a championship (O-13)."""
    return lambda: services.cancel_from_championship(player, season, championship, "?", by, now)


def with_opened(event: Event, deed: Callable[[], object], by: User, now: datetime) -> None:
    """Do it to an event that may be closed: it is opened for it, and closed again."""
    closed = event.status == Event.Status.CLOSED
    if closed:
        services.reopen_event(event, "?", by, now)
    deed()
    if closed:
        services.close_event(event, by, now)
