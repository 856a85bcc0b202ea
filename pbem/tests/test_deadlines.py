"""T — the forty-eight hours of a move."""

from __future__ import annotations

from datetime import UTC, datetime, timedelta
from typing import Any
from zoneinfo import ZoneInfo

import pytest

from pbem.rules.deadlines import NaiveTime, due_at, has_expired, in_time, reminders_due

from .test_trains import vectors

ROME = ZoneInfo("Europe/Rome")
DUE = datetime(2026, 3, 14, 12, tzinfo=UTC)
MICROSECOND, HOUR = timedelta(microseconds=1), timedelta(hours=1)


@pytest.mark.parametrize("case", vectors("DL"), ids=lambda case: case["id"])
def test_the_vectors(case: dict[str, Any]) -> None:
    """T-01, T-02 (DL-1..3)."""
    sent = datetime.fromisoformat(case["input"]["previous_move"])
    if case["expected"] == {"error": "naive_datetime"}:
        with pytest.raises(NaiveTime):
            due_at(sent)
    else:
        assert due_at(sent) == datetime.fromisoformat(case["expected"])


@pytest.mark.parametrize(
    ("sent", "due"),
    [
        ("2026-03-28T10:00", "2026-03-30T11:00"),  # in the night of the 29th an hour is skipped
        ("2026-10-24T10:00", "2026-10-26T09:00"),  # in that of the 25th of October one comes twice
        ("2026-01-10T10:00", "2026-01-12T10:00"),
    ],
)
def test_the_hours_are_real_ones_whatever_the_clocks_of_rome_do(sent: str, due: str) -> None:
    """T-02."""
    at = datetime.fromisoformat(sent).replace(tzinfo=ROME)
    assert due_at(at).astimezone(ROME).isoformat()[:16] == due


def test_exactly_at_the_deadline_is_in_time() -> None:
    """T-07 — "fino ad un massimo di 48 ore"."""
    assert in_time(DUE, DUE)
    assert not in_time(DUE + MICROSECOND, DUE)
    assert in_time(DUE.astimezone(ROME), DUE)


def test_nobody_says_that_it_has_passed_before_a_minute_has() -> None:
    """T-05 — the minute is of courtesy, and makes no late move good (T-06)."""
    minute = timedelta(minutes=1)
    assert not has_expired(DUE, DUE + minute)
    assert has_expired(DUE, DUE + minute + MICROSECOND)
    assert not in_time(DUE + minute, DUE)


def test_the_reminders_are_two() -> None:
    """T-11 — at 24 and at 6 hours, and none once the deadline has passed."""
    day, six = timedelta(hours=24), timedelta(hours=6)
    said = [
        (DUE - day - MICROSECOND, []),
        (DUE - day, [day]),
        (DUE - six, [day, six]),
        (DUE, [day, six]),
        (DUE + MICROSECOND, []),
    ]
    for now, expected in said:
        assert list(reminders_due(DUE, now)) == expected
