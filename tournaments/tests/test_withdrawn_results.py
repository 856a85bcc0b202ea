"""A result confirmed by mistake is taken back, and everything is as if it had not been entered.

Percentiles by hand: 7500, 7200, 6600 and 0 are worth 1540, 960, 880 and 0 (C-01, C-02).
"""

from __future__ import annotations

from datetime import timedelta
from typing import Any

import pytest
from django.urls import reverse
from django.utils import translation
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

from figf.errors import Refused
from figf.models import Email, LogEntry
from figf.tests.cast import (
    NOW,
    Cast,
    Page,
    at_once,
    make_cast,
    make_event,
    record,
    tables_of,
    totals,
    visitor,
)
from tournaments import services
from tournaments.models import Event, Result, Table
from tournaments.tests.test_seating import refusal

pytestmark = pytest.mark.django_db
both = pytest.mark.both
threads = pytest.mark.django_db(transaction=True)
LATER = NOW + timedelta(hours=1)
WHY = "Era il tavolo 2"


@pytest.fixture
def cast() -> Cast:
    return make_cast()


def numbers(event: Event) -> list[Any]:
    """Every number that the standing of the event, of its prova and of its round has."""
    standings = [
        services.standing_of(event, {}),
        services.standing_of(event, {}, prova=1),
        services.standing_of(event, {}, prova=1, number=1),
    ]
    return [(s.rows, s.points, s.points_why, s.wins, s.missing, s.unseated) for s in standings]


def withdraw(table: Table, cast: Cast, reason: str = WHY) -> Result:
    return services.withdraw_result(table, cast.alice, LATER, reason)


@both
def test_a_withdrawn_result_is_a_version_without_lines_and_the_table_waits_again(
    cast: Cast,
) -> None:
    """C-15: nothing that was written goes away."""
    event = make_event(players=8)
    table = tables_of(event)[0]
    first = record(table, 7500, 7200, 6600, 0)
    withdrawn = withdraw(table, cast)
    assert (withdrawn.version, withdrawn.state) == (2, Result.State.WITHDRAWN)
    assert (withdrawn.by, withdrawn.at, withdrawn.reason) == (cast.alice, LATER, WHY)
    assert not withdrawn.lines.exists()
    first.refresh_from_db()
    assert first.state == Result.State.SUPERSEDED
    assert [line.total for line in first.lines.all()] == [7500, 7200, 6600, 0]
    found = Table.objects.with_everything().get(pk=table.pk)
    assert found.status == Table.Status.PLAYING
    assert (found.confirmed(), found.draft()) == (None, None)
    entry = LogEntry.objects.about(table).filter(verb="withdraw_result").get()
    assert (entry.actor, entry.data) == (cast.alice, {"version": 2})


@settings(
    max_examples=12,
    deadline=None,
    suppress_health_check=[HealthCheck.function_scoped_fixture],
)
@given(
    amounts=st.lists(st.integers(0, 9999), min_size=4, max_size=4).filter(any),
    corrected=st.booleans(),
)
def test_entering_and_withdrawing_restores_every_number_of_the_standing(
    cast: Cast, amounts: list[int], corrected: bool
) -> None:
    """D-01..D-05: of the event, of its prova and of its round; also of a corrected result."""
    event = Event.objects.first() or make_event(players=8)
    one, two = tables_of(event)
    if not Result.objects.filter(table=two).exists():
        record(two, 7500, 7200, 6600, 0)
    before = numbers(event)
    version = Table.objects.with_everything().get(pk=one.pk).last_version()
    record(one, *amounts, version=version, tie_checked=True)
    assert numbers(event) != before
    if corrected:
        record(one, 1, 2, 3, 10_000, version=version + 1, reason="x")
    services.withdraw_result(one, cast.alice, LATER, WHY)
    assert numbers(event) == before


@both
def test_after_a_withdrawal_the_result_is_written_as_the_first_without_a_reason(
    cast: Cast,
) -> None:
    """C-01: 7500, 7200, 6600 and 0, at last at the right table."""
    event = make_event(players=8)
    table = tables_of(event)[0]
    record(table, 9999, 1, 1, 1)
    withdraw(table, cast)
    with translation.override("en"):
        stale = refusal(lambda: record(table, 7500, 7200, 6600, 0, version=1))
    assert (stale.reason, "withdrawn meanwhile" in str(stale.text)) == ("stale", True)
    again = record(table, 7500, 7200, 6600, 0, version=2)
    assert (again.version, again.state, again.reason) == (3, Result.State.CONFIRMED, "")
    assert [line.points for line in again.lines.order_by("seat__position")] == [
        154000,
        96000,
        88000,
        0,
    ]


@both
def test_what_the_referee_had_sent_goes_with_the_result_and_is_sent_again(cast: Cast) -> None:
    """C-14"""
    event = make_event(players=8)
    table = tables_of(event)[0]
    figures = totals(table, 7500, 7200, 6600, 0)
    services.send_draft(table.pk, figures, 0, cast.carla, NOW)
    record(table, 7500, 7200, 6600, 0, version=1)
    withdraw(table, cast)
    assert Table.objects.with_everything().get(pk=table.pk).draft() is None
    sent = services.send_draft(table.pk, figures, 3, cast.carla, LATER)
    assert (sent.version, sent.state) == (4, Result.State.DRAFT)


@both
def test_what_cannot_be_withdrawn_is_refused_and_nothing_is_written(cast: Cast) -> None:
    """C-15, C-17"""
    event = make_event(players=4)
    (table,) = tables_of(event)
    nothing = refusal(lambda: withdraw(table, cast))
    assert (nothing.reason, nothing.rule) == ("no_result", "C-15")
    record(table, 7500, 7200, 6600, 0)
    unsaid = refusal(lambda: withdraw(table, cast, " "))
    assert (unsaid.reason, unsaid.rule, unsaid.field) == ("reason_missing", "C-15", "reason")
    services.void_table(table, "x", cast.alice, NOW)
    assert refusal(lambda: withdraw(table, cast)).reason == "game_void"
    services.unvoid_table(table, cast.alice, NOW)
    services.close_event(event, cast.alice, NOW)
    before = Result.objects.count()
    closed = refusal(lambda: withdraw(table, cast))
    assert (closed.reason, closed.rule) == ("event_not_running", "C-15")
    assert Result.objects.count() == before


@both
def test_who_was_in_the_result_is_told_why_it_was_withdrawn(cast: Cast) -> None:
    event = make_event(players=4)
    (table,) = tables_of(event)
    record(table, 7500, 7200, 6600, 0)
    Email.objects.all().delete()
    withdraw(table, cast)
    mail = Email.objects.get()
    assert mail.to == cast.bruno.email
    assert f"ritirato: {WHY}." in mail.body
    assert "7500" in mail.body
    assert "avvisa il Direttore" not in mail.body


@threads
def test_two_hands_withdraw_once(cast: Cast) -> None:
    event = make_event(players=4)
    (table,) = tables_of(event)
    record(table, 7500, 7200, 6600, 0)
    outcome = at_once(
        lambda: withdraw(table, cast),
        lambda: withdraw(table, cast),
        lambda: services.withdraw_result(table, cast.sara, LATER, "Altro"),
    )
    refused = [each for each in outcome if isinstance(each, Refused)]
    assert {each.reason for each in refused} <= {"no_result"}
    assert Result.objects.filter(state=Result.State.WITHDRAWN).count() == 1


# --- pages ----------------------------------------------------------------------------------------


@both
def test_the_director_withdraws_a_result_by_the_page_and_everybody_reads_why(cast: Cast) -> None:
    event = make_event(players=8)
    table = tables_of(event)[0]
    record(table, 7500, 7200, 6600, 0)
    alice = visitor(cast.alice)
    assert "Withdraw the result" in Page(alice.get(reverse("table_result", args=[table.pk]))).text
    address = reverse("result_withdraw", args=[table.pk])
    answer = alice.post(address, {"reason": ""}, follow=True)
    assert "Say why the result is withdrawn." in Page(answer).text
    answer = alice.post(address, {"reason": WHY}, follow=True)
    assert "Table 1: result withdrawn. It waits for its result again." in Page(answer).text
    page = Page(visitor().get(table.get_absolute_url()))
    assert f": {WHY}." in page.text
    assert "1540" not in page.text
    board = Page(visitor().get(reverse("waiting_tables", args=[event.pk])))
    assert reverse("table", args=[table.pk]) in board.links
    record(table, 7500, 7200, 6600, 0, version=2)
    assert "result withdrawn" in Page(visitor().get(table.get_absolute_url())).text
    for user in (cast.bruno, cast.carla, cast.dino):
        assert visitor(user).post(address, {"reason": WHY}).status_code == 404
    assert visitor().post(address, {"reason": WHY}).status_code == 302
    table.refresh_from_db()
    assert table.status == Table.Status.CONFIRMED
