"""The forty-eight hours of a move (*scadenza*): from when they run, and until when."""

from __future__ import annotations

from collections.abc import Iterator
from datetime import UTC, datetime, timedelta

ALLOWED = timedelta(hours=48)
REMINDERS = (timedelta(hours=24), timedelta(hours=6))  # T-11: before the deadline
COURTESY = timedelta(minutes=1)  # after it, before anybody says that it has passed


class NaiveTime(ValueError):
    """A time without a zone: nobody knows when it was."""


def due_at(previous_move: datetime) -> datetime:
    """T-01, T-03 — at most 48 hours for a move, from the last one that the previous player sent;
    for the first of a game, from when the order of play is published.

    Raises `NaiveTime` on a time without a zone. Forty-eight hours of real time, in UTC, whatever
    the clocks of Rome do meanwhile (T-02).

    >>> due_at(datetime.fromisoformat("2006-02-10T21:15:00+01:00")).isoformat()
    '2006-02-12T20:15:00+00:00'
    """
    return _in_utc(previous_move) + ALLOWED


def _in_utc(moment: datetime) -> datetime:
    """T-02 — hours are absolute: a moment with its zone, in UTC.

    >>> due_at(datetime.fromisoformat("2006-03-25T10:00:00+01:00")).isoformat()
    '2006-03-27T09:00:00+00:00'
    """
    if moment.tzinfo is None:
        raise NaiveTime(moment.isoformat())
    return moment.astimezone(UTC)


def in_time(received_at: datetime, due: datetime) -> bool:
    """T-07 — "fino ad un massimo di 48 ore": exactly at the deadline is in time.

    >>> due = datetime(2026, 3, 14, tzinfo=UTC)
    >>> in_time(due, due), in_time(due + timedelta(microseconds=1), due)
    (True, False)
    """
    return _in_utc(received_at) <= _in_utc(due)


def has_expired(due: datetime, now: datetime) -> bool:
    """T-05 — after the deadline, and a minute of courtesy, the station master moves for him.

    The minute is for moves on their way: it makes no late one good (T-06).
    """
    return not in_time(now, due + COURTESY)


def reminders_due(due: datetime, now: datetime) -> Iterator[timedelta]:
    """T-11 — a reminder 24 hours and 6 hours before the deadline, as long as it has not passed.

    >>> due = datetime(2026, 3, 14, 12, tzinfo=UTC)
    >>> [str(one) for one in reminders_due(due, due - timedelta(hours=7))]
    ['1 day, 0:00:00']
    """
    if in_time(now, due):
        yield from (before for before in REMINDERS if now >= due - before)
