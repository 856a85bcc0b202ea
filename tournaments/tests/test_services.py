"""The verbs of an event: what each writes, mails and logs, and what it refuses, by which article.

C-14 and C-15 are here: a result is entered and confirmed, then corrected by a new version.
"""

from __future__ import annotations

import hashlib
import json
from collections.abc import Callable
from datetime import date, datetime
from functools import partial
from pathlib import Path
from typing import Any

import pytest
from django.db import IntegrityError, transaction

from figf.errors import Refused
from figf.models import Email, LogEntry, User
from figf.tests.cast import (
    DAY,
    HOUR,
    MINUTE,
    NOW,
    PASSWORD,
    TODAY,
    Cast,
    at_once,
    make_cast,
    make_draft,
    make_event,
    make_member,
    make_player,
    make_season,
    make_title,
    make_user,
    meanwhile,
    percentiles,
    record,
    reread,
    seats_of,
    tables_of,
    token_in,
    totals,
)
from tournaments import services
from tournaments.models import (
    Claim,
    Entry,
    Event,
    Holder,
    Invitation,
    Player,
    Removal,
    Result,
    ResultLine,
    Round,
    Seat,
    Table,
)

db = pytest.mark.django_db
both = pytest.mark.both
VECTORS: dict[str, Any] = json.loads(
    Path(__file__).with_name("figf_vectors.json").read_text(encoding="utf-8")
)


@pytest.fixture
def cast() -> Cast:
    return make_cast()


def make_table(players: int = 3, **more: Any) -> Table:
    """The first table of an event under way; Bruno sits first."""
    return tables_of(make_event(players=players, **more))[0]


def counts() -> dict[str, int]:
    """How many rows of each kind: to tell that a refusal wrote nothing."""
    kinds = (
        Result,
        ResultLine,
        LogEntry,
        Email,
        Event,
        Round,
        Table,
        Seat,
        Holder,
        Entry,
        Player,
        Invitation,
        Claim,
        User,
    )
    return {kind.__name__: kind._default_manager.count() for kind in kinds}


def refused(deed: Callable[..., object], *given: Any, **more: Any) -> Refused:
    """The refusal of `deed`, having checked that nothing was written."""
    before = counts()
    with pytest.raises(Refused) as refusal:
        deed(*given, **more)
    assert counts() == before
    return refusal.value


# --- the result of a table ------------------------------------------------------------------------


@db
@both
def test_the_example_of_the_regulation_is_recorded_confirmed_logged_and_mailed(cast: Cast) -> None:
    """C-14; 7500, 7200, 6600 are worth 1540, 960, 880 (PCT-01)."""
    table = make_table()
    services.record_table(
        table.pk,
        {
            seat.pk: {"stocks": stocks, "cash": cash}
            for seat, stocks, cash in zip(
                seats_of(table), [6100, 7200, 0], [1400, 0, 6600], strict=True
            )
        },
        0,
        cast.alice,
        NOW,
    )
    table = reread(table)
    result = table.confirmed()
    assert result
    assert (result.version, result.state, result.by, result.at) == (1, "confirmed", cast.alice, NOW)
    assert table.status == Table.Status.CONFIRMED
    lines = list(result.lines.order_by("seat__position"))
    assert [line.facts for line in lines] == [
        {"stocks": 6100, "cash": 1400},
        {"stocks": 7200, "cash": 0},
        {"stocks": 0, "cash": 6600},
    ]
    # Points are hundredths: 1540.00 is 154000.
    assert [(line.total, line.place, line.points, line.win) for line in lines] == [
        (7500, 1, 154000, True),
        (7200, 2, 96000, False),
        (6600, 3, 88000, False),
    ]
    assert [line.player for line in lines] == [s.holder().player for s in seats_of(table)]
    entry = LogEntry.objects.about(table).get()
    assert (entry.verb, entry.actor, entry.at) == ("record_table", cast.alice, NOW)
    assert entry.data == {"version": 1}
    mail = Email.objects.get(key=f"result:{table.pk}:1:{cast.bruno.player.pk}")
    assert mail.to == "bruno@example.org"
    assert f"/tavoli/{table.pk}/" in mail.body
    assert "1540" in mail.body
    assert Email.objects.filter(key__startswith="result:").count() == 1  # the others have no log-in


@db
def test_hundredths_are_exact_where_percentiles_end_in_them() -> None:
    """PCT-23: 9876 8765 7654 6543 5432 4321 → 1612.49 887.51 775.01 662.52 550.02 437.53."""
    table = make_table(6, sizes=[6])
    points = [
        line.points
        for line in record(table, 9876, 8765, 7654, 6543, 5432, 4321).lines.order_by("seat")
    ]
    assert points == [161249, 88751, 77501, 66252, 55002, 43753]


SERVED = [
    case
    for case in VECTORS["cases"]
    if case["id"].startswith("PCT-") and case["id"] not in {"PCT-12", "PCT-13", "PCT-14"}
]  # the three have seats that no seated table can have


@db
@both
def test_the_vectors_hold_through_the_service_and_the_database(cast: Cast) -> None:
    sizes = [len(case["input"]["seats"]) for case in SERVED]
    tables = tables_of(make_event(players=sum(sizes), sizes=sizes, title="1856"))
    assert len(SERVED) >= 15
    for table, case in zip(tables, SERVED, strict=True):
        seats = case["input"]["seats"]
        for seat, given in zip(seats_of(table), seats, strict=True):
            if given.get("handicap"):
                give_handicap(seat, given["handicap"])
            if given.get("excluded"):
                exclude(table, seat, cast)
            if given.get("unscored"):
                hand_over(seat, None, "referee")
        amounts = [given["total"] for given in seats]
        if "error" in case["expected"]:
            refusal = refused(record, table, *amounts)
            assert refusal.reason == case["expected"]["error"], case["id"]
            continue
        result = record(table, *amounts, tie_checked=True)
        for line, expected in zip(result.lines.order_by("seat"), case["expected"], strict=True):
            points = None if line.points is None else f"{line.points / 100:.2f}"
            assert (line.place, points, line.win) == (
                expected["place"],
                expected["percentile"],
                expected["win"],
            ), case["id"]


@db
@both
def test_the_same_click_twice_is_one_result(cast: Cast) -> None:
    table = make_table()
    first = record(table, 7500, 7200, 6600)
    before = counts()
    assert record(table, 7500, 7200, 6600, now=NOW + MINUTE).pk == first.pk
    assert counts() == before


@db
@both
def test_a_version_that_somebody_else_has_passed_is_refused(cast: Cast) -> None:
    table = make_table()
    record(table, 7500, 7200, 6600)
    by_another = refused(record, table, 7500, 7200, 6600, by=cast.sara)
    other_figures = refused(record, table, 7500, 7200, 6500)
    ahead = refused(record, table, 7500, 7200, 6500, version=2, reason="x")
    assert {by_another.reason, other_figures.reason, ahead.reason} == {"stale"}
    assert percentiles(Result.objects.get()) == ["1540.00", "960.00", "880.00"]


@db
@both
def test_a_correction_says_why_and_replaces_what_it_corrects(cast: Cast) -> None:
    """C-15. 7500, 7200 and 6000: the third has 6000 / 7500 = 800."""
    table = make_table()
    first = record(table, 7500, 7200, 6600)
    for silence in ("", "  \n"):
        silent = refused(record, table, 7500, 7200, 6000, version=1, reason=silence)
        assert (silent.reason, silent.rule, silent.field) == ("reason_missing", "C-15", "reason")
    second = record(
        table,
        7500,
        7200,
        6000,
        version=1,
        reason=" Cassa contata male ",
        by=cast.sara,
        now=NOW + HOUR,
    )
    first.refresh_from_db()
    assert (first.state, percentiles(first)) == ("superseded", ["1540.00", "960.00", "880.00"])
    assert (second.version, second.state, second.reason) == (2, "confirmed", "Cassa contata male")
    assert percentiles(second) == ["1540.00", "960.00", "800.00"]
    entry = LogEntry.objects.about(table).latest("pk")
    assert (entry.verb, entry.actor, entry.data) == ("correct_table", cast.sara, {"version": 2})
    mail = Email.objects.get(key=f"result:{table.pk}:2:{cast.bruno.player.pk}")
    assert "Cassa contata male" in mail.body


@db(transaction=True)
@both
def test_of_many_who_confirm_at_once_one_wins_and_nothing_is_half_written(cast: Cast) -> None:
    table = make_table()
    people = [cast.alice, cast.sara, *[make_user(f"s{n}", "S", secretary=True) for n in range(4)]]
    before = counts()
    outcome = at_once(
        *[partial(record, table, 7500, 7200, 6600 - n, by=by) for n, by in enumerate(people)]
    )
    won = [result for result in outcome if isinstance(result, Result)]
    lost = [error for error in outcome if not isinstance(error, Result)]
    assert len(won) == 1
    assert [getattr(error, "reason", error) for error in lost] == ["stale"] * 5
    after = counts()
    assert {name: after[name] - before[name] for name in after if after[name] != before[name]} == {
        "Result": 1,
        "ResultLine": 3,
        "LogEntry": 1,
        "Email": 1,
    }
    assert reread(table).confirmed() == won[0]


@db(transaction=True)
@both
def test_of_two_corrections_at_once_one_wins(cast: Cast) -> None:
    table = make_table()
    record(table, 7500, 7200, 6600)
    outcome = at_once(
        *[
            partial(record, table, 7500, 7200, 6000 + n, version=1, reason="ricontato", by=by)
            for n, by in enumerate([cast.alice, cast.sara])
        ]
    )
    assert sorted(type(what).__name__ for what in outcome) == ["Refused", "Result"]
    assert [r.state for r in reread(table).results.all()] == ["superseded", "confirmed"]


@db
@both
def test_two_confirmed_results_of_a_table_are_impossible_in_the_database(cast: Cast) -> None:
    table = make_table()
    record(table, 7500, 7200, 6600)
    with pytest.raises(IntegrityError), transaction.atomic():
        Result.objects.create(
            table=table, version=2, state="confirmed", by=cast.sara, at=NOW, reason="x"
        )


@db
@both
def test_results_are_written_only_while_the_event_is_played(cast: Cast) -> None:
    """C-15."""
    table = make_table()
    for status in ("draft", "enrolling", "closed", "cancelled", "invalid"):
        Event.objects.filter(pk=table.event.pk).update(status=status)
        refusal = refused(record, table, 7500, 7200, 6600)
        assert (refusal.reason, refusal.rule) == ("event_not_running", "C-15"), status


@db
def test_results_may_be_corrected_until_the_event_is_closed(cast: Cast) -> None:
    table = make_table()
    record(table, 7500, 7200, 6600)
    services.set_status(table.event, Event.Status.CONCLUDED, cast.sara, NOW)
    assert record(table, 7500, 7200, 6000, version=1, reason="ricontato").version == 2


@db
@both
def test_a_table_with_an_empty_seat_is_incomplete(cast: Cast) -> None:
    """C-03. An empty box is not a zero."""
    table = make_table()
    typed: dict[int, services.Facts] = dict(totals(table, 7500, 7200, 6600))
    last = seats_of(table)[-1].pk
    for missing in ({}, {"total": None}, {"stocks": None, "cash": None}):
        given = {**typed, last: missing}
        refusal = refused(services.record_table, table.pk, given, 0, cast.alice, NOW)
        assert (refusal.reason, refusal.rule) == ("incomplete", "C-03")
    del typed[last]
    refusal = refused(services.record_table, table.pk, typed, 0, cast.alice, NOW)
    assert refusal.reason == "incomplete"
    assert refused(services.record_table, table.pk, {}, 0, cast.alice, NOW).reason == ("incomplete")


@db
def test_what_the_regulation_refuses_is_refused_with_article_and_seat(cast: Cast) -> None:
    table = make_table()
    second = seats_of(table)[1].pk
    attempts: list[tuple[dict[str, Any], str, str]] = [
        ({"stocks": 7000, "cash": None}, "total_missing", "C-03"),
        ({"total": 7000, "stocks": 6000, "cash": 900}, "parts_do_not_add", "C-03"),
        ({"total": -1}, "total_negative", "C-08"),
        ({"stocks": 10, "cash": -1}, "total_negative", "C-08"),
        ({"total": 100.5}, "total_not_integer", "C-03"),
        ({"total": "100"}, "total_not_integer", "C-03"),
        ({"total": True}, "total_not_integer", "C-03"),
    ]
    for facts, reason, rule in attempts:
        typed: dict[int, Any] = {**totals(table, 7500, 7200, 6600), second: facts}
        refusal = refused(services.record_table, table.pk, typed, 0, cast.alice, NOW)
        assert (refusal.reason, refusal.rule, refusal.field) == (reason, rule, f"seat-{second}")


@db
def test_a_first_with_nothing_and_a_winner_over_bankrupts() -> None:
    """C-08: all at zero is refused (PCT-10); 1, 0, 0 is 2500, 0, 0 (PCT-09)."""
    table = make_table()
    refusal = refused(record, table, 0, 0, 0, tie_checked=True)
    assert (refusal.reason, refusal.rule, refusal.field) == ("winner_total_zero", "C-08", "")
    assert percentiles(record(table, 1, 0, 0)) == ["2500.00", "0.00", "0.00"]


@db
@both
def test_a_shared_first_place_is_counted_twice() -> None:
    """C-06, PCT-05: 7000, 7000, 3500 → 1500, 1500, 500; places 1, 1, 3."""
    table = make_table()
    refusal = refused(record, table, 7000, 7000, 3500)
    assert (refusal.reason, refusal.rule) == ("tie_unchecked", "C-06")
    result = record(table, 7000, 7000, 3500, tie_checked=True)
    assert percentiles(result) == ["1500.00", "1500.00", "500.00"]
    lines = result.lines.order_by("seat")
    assert [(line.place, line.win) for line in lines] == [(1, True), (1, True), (3, False)]


@db
def test_equal_seconds_need_no_second_count() -> None:
    """C-07, PCT-07: 8000, 6000, 6000, 4000 → 1750, 750, 750, 500."""
    table = make_table(4)
    assert percentiles(record(table, 8000, 6000, 6000, 4000)) == [
        "1750.00",
        "750.00",
        "750.00",
        "500.00",
    ]


@db
def test_a_seat_of_another_table_counts_for_nothing(cast: Cast) -> None:
    table, other = tables_of(make_event(players=8))
    typed = {**totals(table, 7500, 7200, 6600, 6000), **totals(other, 1, 2, 3, 4)}
    services.record_table(table.pk, typed, 0, cast.alice, NOW)
    assert ResultLine.objects.count() == 4
    assert reread(other).confirmed() is None
    del typed[seats_of(table)[0].pk]
    refusal = refused(
        services.record_table, other.pk, totals(table, 1, 2, 3, 4), 0, cast.alice, NOW
    )
    assert refusal.reason == "incomplete"


@db
@both
def test_a_total_too_large_for_the_database_is_refused_and_not_a_fault() -> None:
    for table, amounts in zip(
        tables_of(make_event(players=6, sizes=[3, 3])),
        [(2**31 - 1, 1, 0), (10**12, 1, 0)],
        strict=True,
    ):
        try:
            result = record(table, *amounts)
        except Refused as refusal:
            assert refusal.field  # noqa: PT017 - refused or kept whole, but never a fault
        else:
            assert [line.total for line in result.lines.order_by("seat")] == list(amounts)


# --- who is credited ------------------------------------------------------------------------------


def hand_over(seat: Seat, player: Player | None, why: str) -> None:
    """`player` (None: a referee) takes the seat over. No service does it yet: the rows as they
    are to be written."""
    seat.holders.update(ends_at=NOW)
    Holder.objects.create(seat=seat, player=player, why=why, starts_at=NOW)


def exclude(table: Table, seat: Seat, cast: Cast) -> Removal:
    player = seat.holder().player
    assert player
    return Removal.objects.create(
        player=player,
        level="game",
        table=table,
        ruling="12.13",
        made_by=cast.alice,
        made_at=NOW,
    )


def give_handicap(seat: Seat, amount: int) -> None:
    Seat.objects.filter(pk=seat.pk).update(handicap=amount, handicap_reason="12.13")


def lines_of(result: Result) -> list[tuple[Player | None, str, int | None, int | None]]:
    found = result.lines.select_related("player").order_by("seat__position")
    return [(line.player, line.role, line.place, line.points) for line in found]


@db
@both
def test_a_substitute_who_ends_the_game_is_credited_and_written_to(cast: Cast) -> None:
    """C-13: 7500 of the seat that Bruno left are the substitute's 1540."""
    table = make_table()
    newcomer = make_member("elsa", "Espresso", "Elsa", cast.sara)
    hand_over(seats_of(table)[0], newcomer.player, "substitute")
    result = record(table, 7500, 7200, 6600)
    assert lines_of(result)[0] == (newcomer.player, "player", 1, 154000)
    assert not result.lines.filter(player=cast.bruno.player).exists()
    keys = Email.objects.filter(key__startswith="result:").values_list("to", flat=True)
    assert list(keys) == ["elsa@example.org"]


@db
@both
def test_a_seat_that_a_referee_ends_keeps_its_place_and_credits_nobody() -> None:
    """C-11, PCT-19: a referee's 8000, then 6000, 4000 → –, 750, 500."""
    table = make_table()
    hand_over(seats_of(table)[0], None, "referee")
    result = record(table, 8000, 6000, 4000)
    assert lines_of(result)[0] == (None, "referee", 1, None)
    assert percentiles(result) == ["–", "750.00", "500.00"]
    assert not result.lines.filter(win=True).exists()
    assert not Email.objects.filter(key__startswith="result:").exists()


@db
@both
def test_cinderella_is_the_absent_player(cast: Cast) -> None:
    """C-12: she wins, he is credited, with the mark."""
    table = make_table()
    hand_over(seats_of(table)[0], cast.bruno.player, "cinderella")
    result = record(table, 7500, 7200, 6600)
    assert lines_of(result)[0] == (cast.bruno.player, "cinderella", 1, 154000)
    assert result.lines.get(player=cast.bruno.player).win


@db
@both
def test_an_excluded_player_is_as_if_he_had_not_been_there(cast: Cast) -> None:
    """C-10, PCT-15: 9000 excluded, 8000, 6000 → –, 1750, 750."""
    table = make_table()
    exclude(table, seats_of(table)[0], cast)
    result = record(table, 9000, 8000, 6000)
    assert lines_of(result)[0] == (cast.bruno.player, "excluded", None, None)
    assert percentiles(result) == ["–", "1750.00", "750.00"]


@db
@both
def test_the_director_may_keep_the_excluded_total_as_the_measure(cast: Cast) -> None:
    """C-10: 9000 stays the measure: 8000 / 9000 = 888.89, 6000 / 9000 = 666.67; nobody wins."""
    table = make_table()
    exclude(table, seats_of(table)[0], cast)
    Table.objects.filter(pk=table.pk).update(exclusion="keep_reference", exclusion_reason="000:172")
    result = record(table, 9000, 8000, 6000)
    assert percentiles(result) == ["–", "888.89", "666.67"]
    assert not result.lines.filter(win=True).exists()


@db
def test_an_exclusion_lifted_or_of_another_table_excludes_nobody(cast: Cast) -> None:
    table, other = tables_of(make_event(players=8))
    made = exclude(table, seats_of(table)[0], cast)
    Removal.objects.filter(pk=made.pk).update(lifted_at=NOW)
    exclude(other, seats_of(table)[1], cast)
    assert percentiles(record(table, 8000, 6000, 6000, 4000)) == [
        "1750.00",
        "750.00",
        "750.00",
        "500.00",
    ]


@db
def test_a_table_with_everybody_excluded_is_to_be_declared_void(cast: Cast) -> None:
    """C-10, PCT-18."""
    table = make_table()
    for seat in seats_of(table):
        exclude(table, seat, cast)
    refusal = refused(record, table, 8, 7, 6)
    assert (refusal.reason, refusal.rule) == ("nobody_left", "C-10")


@db
@both
def test_a_handicap_turns_the_order_and_the_counted_total_is_kept() -> None:
    """C-09, PCT-21: 8000 with −1000, 7500, 6000 → 933.33, 1566.67, 800.00."""
    table = make_table()
    give_handicap(seats_of(table)[0], -1000)
    result = record(table, 8000, 7500, 6000)
    assert percentiles(result) == ["933.33", "1566.67", "800.00"]
    line = result.lines.order_by("seat")[0]
    assert (line.total, line.handicap, line.place) == (8000, -1000, 2)


@db
def test_a_written_result_keeps_its_meaning_whatever_happens_to_the_seats(cast: Cast) -> None:
    """Handicap, role and player are copied: the page of version 1 tells version 1."""
    table = make_table()
    result = record(table, 8000, 7500, 6000)  # 7500 / 8000 = 937.5; 2500 − 937.5 = 1562.5; 750
    first, second, third = seats_of(table)
    give_handicap(first, -1000)
    exclude(table, second, cast)
    hand_over(third, None, "referee")
    table = reread(table)
    written = table.confirmed()
    assert written == result
    scores = services.scores_of(written, table)
    assert [str(scores[seat.pk].points) for seat in (first, second, third)] == [
        "1562.50",
        "937.50",
        "750.00",
    ]


@db
def test_a_player_at_two_seats_of_a_table_is_refused(cast: Cast) -> None:
    """C-03, PCT-13."""
    table = make_table()
    hand_over(seats_of(table)[2], cast.bruno.player, "substitute")
    refusal = refused(record, table, 7500, 7200, 6600)
    assert (refusal.reason, refusal.rule) == ("duplicate_player", "C-03")


@db
@both
def test_counting_a_table_writes_nothing(cast: Cast) -> None:
    table = make_table()
    before = counts()
    count = services.count_table(table, totals(table, 7500, 7200, 6600))
    assert [str(score.points) for score in count.scores.values()] == [
        "1540.00",
        "960.00",
        "880.00",
    ]
    partial = services.count_table(table, {seats_of(table)[0].pk: {"total": 7500}})
    assert (list(partial.totals.values()), partial.scores, partial.to_recount) == (
        [7500],
        {},
        False,
    )
    assert counts() == before


# --- events ---------------------------------------------------------------------------------------


def create(cast: Cast, **changed: Any) -> Event:
    given: dict[str, Any] = {
        "season": make_season(),
        "name": "Festa",
        "starts_on": TODAY,
        "ends_on": TODAY,
        "by": cast.sara,
        "now": NOW,
        "director": cast.director,
    }
    return services.create_event(**{**given, **changed})


@db
@both
def test_a_new_event_is_a_draft_numbered_after_the_last_of_its_season(cast: Cast) -> None:
    first, second = create(cast), create(cast, name="Seconda festa")
    other = create(
        cast, season=make_season(2027), starts_on=date(2027, 1, 2), ends_on=date(2027, 1, 3)
    )
    assert [(e.ordinal, e.status) for e in (first, second, other)] == [
        (1, "draft"),
        (2, "draft"),
        (1, "draft"),
    ]
    entry = LogEntry.objects.about(first).get()
    assert (entry.verb, entry.actor, entry.at) == ("create_event", cast.sara, NOW)


@db(transaction=True)
@both
def test_events_made_at_once_have_different_numbers(cast: Cast) -> None:
    make_season()
    made = at_once(*[partial(create, cast, name=f"Festa {n}") for n in range(4)])
    assert sorted(event.ordinal for event in made) == [1, 2, 3, 4]


@db
@both
def test_dates_that_make_no_sense_are_refused(cast: Cast) -> None:
    """A-01."""
    make_season()
    new_year = date(2027, 1, 1)
    attempts: list[tuple[dict[str, Any], str, str]] = [
        ({"ends_on": date(2026, 3, 13)}, "dates_reversed", "ends_on"),
        ({"starts_on": date(2025, 12, 31)}, "outside_season", "starts_on"),
        ({"starts_on": new_year, "ends_on": new_year}, "outside_season", "starts_on"),
    ]
    for changed, reason, field in attempts:
        refusal = refused(create, cast, **changed)
        assert (refusal.reason, refusal.rule, refusal.field) == (reason, "A-01", field)


@db
def test_an_event_may_end_next_year_and_the_pbem_tournament_may_begin_before(cast: Cast) -> None:
    """A-01: the year is that of the start; the pbem tournament's is the director's choice."""
    assert create(cast, starts_on=date(2026, 12, 31), ends_on=date(2027, 1, 1)).pk
    assert create(cast, kind=Event.Kind.PBEM, starts_on=date(2025, 11, 1)).pk


@db
@both
def test_the_technical_director_is_a_referee_on_the_first_day(cast: Cast) -> None:
    """A-08. A term covers its first and its last day."""
    make_season()
    refusal = refused(create, cast, director=cast.bruno.player)
    assert (refusal.reason, refusal.rule, refusal.field) == (
        "director_not_referee",
        "A-08",
        "director",
    )
    services.appoint_referee(cast.bruno.player, TODAY, cast.sara, NOW, ends_on=date(2026, 3, 20))
    bruno = Player.objects.get(pk=cast.bruno.player.pk)
    for day, good in [(13, False), (14, True), (20, True), (21, False)]:
        when = {"starts_on": date(2026, 3, day), "ends_on": date(2026, 3, 22)}
        if good:
            assert create(cast, director=bruno, **when).director == bruno
        else:
            assert refused(create, cast, director=bruno, **when).rule == "A-08"


@db
@both
def test_an_event_moves_along_its_line_and_the_log_says_from_where(cast: Cast) -> None:
    event = make_draft()
    services.add_prova(event, make_title(), cast.sara, NOW)
    services.set_status(event, Event.Status.ENROLLING, cast.sara, NOW)
    entry = LogEntry.objects.about(event).get(verb="set_status")
    assert entry.data == {"before": "draft", "after": "enrolling"}


@db
@both
def test_a_prova_is_played_in_one_or_two_rounds_and_they_are_numbered(cast: Cast) -> None:
    """A-04."""
    event, title = make_draft(), make_title()
    for rounds in (0, 3):
        refusal = refused(services.add_prova, event, title, cast.sara, NOW, rounds=rounds)
        assert (refusal.reason, refusal.rule) == ("rounds", "A-04")
    made = [services.add_prova(event, title, cast.sara, NOW, rounds=n) for n in (1, 2)]
    assert [(prova.order, prova.rounds) for prova in made] == [(1, 1), (2, 2)]


# --- seating --------------------------------------------------------------------------------------


def ready(cast: Cast, players: int, title: str = "1849") -> tuple[Any, list[Player]]:
    """An event with a prova and enrolled players, not seated yet."""
    event = make_draft()
    prova = services.add_prova(event, make_title(title), cast.sara, NOW, rounds=2)
    services.set_status(event, Event.Status.ENROLLING, cast.sara, NOW)
    people = [make_player(f"Passeggero {n:02}") for n in range(players)]
    for player in people:
        services.enrol(event, player, cast.sara, NOW)
    return prova, people


@db
@both
def test_a_round_is_seated_as_given_and_published(cast: Cast) -> None:
    prova, people = ready(cast, 7)
    seated = services.seat_round(
        prova, 1, [people[:4], people[4:]], cast.alice, NOW, referees=[None, cast.judge]
    )
    assert (seated.number, seated.status) == (1, "published")
    assert seated.order_used == [player.pk for player in people]
    tables = tables_of(prova.event)
    assert [[s.holder().player for s in seats_of(t)] for t in tables] == [people[:4], people[4:]]
    assert [(t.number, t.referee, t.started_at, t.status) for t in tables] == [
        (1, None, NOW, "playing"),
        (2, cast.judge, NOW, "playing"),
    ]
    assert [s.position for s in seats_of(tables[0])] == [1, 2, 3, 4]
    assert LogEntry.objects.about(seated).get().actor == cast.alice


@db
@both
def test_a_seating_against_the_rules_is_refused_whole(cast: Cast) -> None:
    """C-03; an 1849 is played by three to five (A-05), whatever the title never by two."""
    prova, people = ready(cast, 9)
    stranger = make_player("Estraneo")
    attempts = {
        "seated_twice": [people[:4], people[3:7]],
        "not_enrolled": [[*people[:3], stranger]],
    }
    for reason, tables in attempts.items():
        refusal = refused(services.seat_round, prova, 1, tables, cast.alice, NOW)
        assert (refusal.reason, refusal.rule) == (reason, "C-03")
    nobody: list[Player] = []
    for tables in ([people[:2]], [people[:6]], [people[:4], people[4:6]], [nobody]):
        refusal = refused(services.seat_round, prova, 1, tables, cast.alice, NOW)
        assert (refusal.reason, refusal.rule) == ("seat_count", "C-03")


@db
def test_a_title_for_two_is_played_by_three_at_an_event(cast: Cast) -> None:
    """1830 admits two players (A-05), and a table of an event never fewer than three (B-07)."""
    prova, people = ready(cast, 3, "1830")
    assert (
        refused(services.seat_round, prova, 1, [people[:2]], cast.alice, NOW).reason == "seat_count"
    )
    assert services.seat_round(prova, 1, [people], cast.alice, NOW).pk


@db
def test_the_same_round_is_not_seated_twice_and_a_prova_has_its_rounds_only(cast: Cast) -> None:
    prova, people = ready(cast, 4)
    services.seat_round(prova, 1, [people], cast.alice, NOW)
    services.seat_round(prova, 2, [people], cast.alice, NOW)
    for number in (1, 3, 0):
        refused(services.seat_round, prova, number, [people], cast.alice, NOW)


# --- the books ------------------------------------------------------------------------------------


@db
@both
def test_people_clubs_and_titles_are_put_on_the_books(cast: Cast) -> None:
    player = services.register_player(
        "  De  Rossi\n", " Anna ", cast.sara, NOW, email=" Anna@Example.ORG "
    )
    assert (player.surname, player.name, player.email) == ("De Rossi", "Anna", "anna@example.org")
    assert (player.sort_key, player.user) == ("derossi anna", None)
    club = services.register_club(" Dopolavoro   Scambi ", "Valbinario", cast.sara, NOW)
    assert club.name == "Dopolavoro Scambi"
    assert not services.register_title("1835", "1835", 3, 7, cast.sara, NOW).cup_title
    assert services.register_title("1870", "1870", 2, 6, cast.sara, NOW, cup_title=True).cup_title
    verbs = set(LogEntry.objects.values_list("verb", flat=True))
    assert {"register_player", "register_club", "register_title"} <= verbs


@db
@both
def test_what_cannot_be_on_the_books_is_refused(cast: Cast) -> None:
    services.register_club("Dopolavoro", "", cast.sara, NOW)
    assert (
        refused(services.register_club, " Dopolavoro ", "", cast.sara, NOW).reason == "club_exists"
    )
    assert (
        refused(services.register_player, " \n", "Anna", cast.sara, NOW).reason == "surname_missing"
    )
    for fewest, most in ((1, 6), (4, 3)):
        refusal = refused(services.register_title, "x", "x", fewest, most, cast.sara, NOW)
        assert (refusal.reason, refusal.rule) == ("title_seats", "A-05")


@db
def test_two_players_may_have_the_same_name(cast: Cast) -> None:
    first, second = make_player("Rossi", "Mario"), make_player("Rossi", "Mario")
    assert first.pk != second.pk


# --- a log-in meets a player: invitations ---------------------------------------------------------


def invite(player: Player, cast: Cast, now: datetime = NOW) -> str:
    """Invite `player`; returns the secret that only the mail holds."""
    services.invite(player, "Elsa@Example.org", cast.sara, now)
    return token_in("inviti/")


@pytest.fixture
def elsa(cast: Cast) -> Player:
    """On the books, without a log-in."""
    return make_player("Espresso", "Elsa")


@db
@both
def test_an_invitation_joins_a_log_in_once(cast: Cast, elsa: Player) -> None:
    token = invite(elsa, cast)
    assert Email.objects.latest("pk").to == "elsa@example.org"
    services.accept_invitation(token, cast.dino, NOW + HOUR)
    elsa.refresh_from_db()
    assert elsa.user == cast.dino
    spent = Invitation.objects.get()
    assert (spent.used_at, spent.used_by) == (NOW + HOUR, cast.dino)
    assert (
        refused(services.accept_invitation, token, cast.sara, NOW + 2 * HOUR).reason
        == "link_invalid"
    )
    entry = LogEntry.objects.about(elsa).latest("pk")
    assert (entry.verb, entry.actor, entry.data) == (
        "accept_invitation",
        cast.dino,
        {"invitation": spent.pk},
    )


@db
@both
def test_an_invitation_lasts_seven_days(cast: Cast, elsa: Player) -> None:
    token = invite(elsa, cast)
    late = NOW + 7 * DAY + MINUTE
    assert refused(services.accept_invitation, token, cast.dino, late).reason == ("link_invalid")
    assert services.accept_invitation(token, cast.dino, NOW + 7 * DAY) == elsa


@db
@both
def test_a_newer_invitation_withdraws_the_older(cast: Cast, elsa: Player) -> None:
    old, new = invite(elsa, cast), invite(elsa, cast, NOW + HOUR)
    assert (
        refused(services.accept_invitation, old, cast.dino, NOW + 2 * HOUR).reason == "link_invalid"
    )
    assert services.accept_invitation(new, cast.dino, NOW + 2 * HOUR) == elsa


@db
def test_the_database_keeps_only_the_digest_of_an_invitation(cast: Cast, elsa: Player) -> None:
    token = invite(elsa, cast)
    made = Invitation.objects.get()
    assert made.digest == hashlib.sha256(token.encode()).hexdigest()
    assert len(token) >= 43  # 32 bytes
    for forged in ("", "x", made.digest, token[:-1]):
        with pytest.raises(Refused, match="link_invalid"):
            services.accept_invitation(forged, cast.dino, NOW)
    assert token not in json.dumps(list(LogEntry.objects.values_list("data", flat=True)))


@db
@both
def test_an_invitation_makes_a_log_in_on_the_invited_address(cast: Cast, elsa: Player) -> None:
    token = invite(elsa, cast)
    user = services.accept_invitation_with_new_login(token, PASSWORD, "en", NOW)
    assert (user.email, user.name, user.language) == ("elsa@example.org", "Elsa Espresso", "en")
    assert (user.is_staff, user.is_superuser) == (False, False)
    assert user.check_password(PASSWORD)
    elsa.refresh_from_db()
    assert elsa.user == user


@db
@both
def test_a_spent_invitation_or_a_taken_address_makes_no_log_in(cast: Cast, elsa: Player) -> None:
    token = invite(elsa, cast)
    make_user("elsa", "Another")
    assert (
        refused(services.accept_invitation_with_new_login, token, PASSWORD, "it", NOW).reason
        == "email_taken"
    )
    services.accept_invitation(token, cast.dino, NOW)
    User.objects.filter(email="elsa@example.org").update(email="moved@example.org")
    assert (
        refused(services.accept_invitation_with_new_login, token, PASSWORD, "it", NOW).reason
        == "link_invalid"
    )


@db(transaction=True)
@both
def test_of_two_who_accept_one_invitation_at_once_one_is_joined(cast: Cast, elsa: Player) -> None:
    token = invite(elsa, cast)
    before = User.objects.count()
    outcome = at_once(
        lambda: services.accept_invitation(token, cast.dino, NOW),
        lambda: services.accept_invitation(token, cast.sara, NOW),
        lambda: services.accept_invitation_with_new_login(token, PASSWORD, "it", NOW),
    )
    refusals = [error for error in outcome if isinstance(error, Exception)]
    assert [getattr(error, "reason", error) for error in refusals] == ["link_invalid"] * 2
    elsa.refresh_from_db()
    assert elsa.user == Invitation.objects.get().used_by
    joined_is_new = elsa.user not in {cast.dino, cast.sara}
    assert User.objects.count() == before + joined_is_new


@db(transaction=True)
@both
def test_an_invitation_accepted_while_a_newer_one_is_sent_makes_nobody_wait_for_the_other(
    cast: Cast,
) -> None:
    """Each locks the player and the invitation: in one order, or they wait for each other."""
    for n in range(10):
        player, user = make_player(f"Passeggero {n}"), make_user(f"passeggero{n}", "P")
        token = invite(player, cast)
        outcome = at_once(
            partial(services.accept_invitation, token, user, NOW),
            partial(services.invite, player, "elsa@example.org", cast.sara, NOW),
        )
        faults = [e for e in outcome if isinstance(e, Exception) and not isinstance(e, Refused)]
        assert faults == []
        player.refresh_from_db()
        assert (player.user == user) == isinstance(outcome[0], Player)


@db
@both
def test_who_is_joined_already_is_neither_invited_nor_joined_again(
    cast: Cast, elsa: Player
) -> None:
    assert refused(invite, cast.bruno.player, cast).reason == "player_has_login"
    token = invite(elsa, cast)
    assert refused(services.accept_invitation, token, cast.bruno, NOW).reason == "user_has_player"


@db(transaction=True)
def test_one_log_in_that_accepts_for_two_players_at_once_is_refused_the_second(
    cast: Cast, elsa: Player
) -> None:
    """The first has joined and not committed yet, when the second asks."""
    first, second = invite(elsa, cast), invite(make_player("Freccia", "Fabio"), cast)
    outcome = meanwhile(
        lambda: services.accept_invitation(first, cast.dino, NOW),
        lambda: services.accept_invitation(second, cast.dino, NOW),
    )
    assert getattr(outcome, "reason", outcome) == "user_has_player"
    assert Player.objects.filter(user=cast.dino).count() == 1


# --- a log-in meets a player: requests ------------------------------------------------------------


@db
@both
def test_a_name_alone_never_joins(cast: Cast) -> None:
    namesake = make_player("Deviatoio", "Dino")
    assert Player.objects.filter(user=cast.dino).count() == 0
    made = services.claim(namesake, cast.dino, " Sono io ", NOW)
    namesake.refresh_from_db()
    assert (namesake.user, made.accepted, made.note) == (None, None, "Sono io")


@db
@both
@pytest.mark.parametrize("accepted", [True, False])
def test_a_secretary_decides_a_request_and_the_answer_goes_by_mail(
    cast: Cast, elsa: Player, accepted: bool
) -> None:
    made = services.claim(elsa, cast.dino, "", NOW)
    services.decide_claim(made, accepted, cast.sara, NOW + HOUR)
    made.refresh_from_db()
    elsa.refresh_from_db()
    assert (made.accepted, made.decided_at, made.decided_by) == (accepted, NOW + HOUR, cast.sara)
    assert elsa.user == (cast.dino if accepted else None)
    assert Email.objects.get(key=f"claim:{made.pk}").to == "dino@example.org"
    entry = LogEntry.objects.about(elsa).latest("pk")
    assert (entry.actor, entry.data) == (cast.sara, {"claim": made.pk, "accepted": accepted})
    assert (
        refused(services.decide_claim, made, True, cast.sara, NOW + 2 * HOUR).reason
        == "claim_decided"
    )


@db
@both
def test_one_request_at_a_time_and_none_from_or_for_who_is_joined(cast: Cast, elsa: Player) -> None:
    assert (
        refused(services.claim, cast.alice.player, cast.dino, "", NOW).reason == "player_has_login"
    )
    assert refused(services.claim, elsa, cast.bruno, "", NOW).reason == "user_has_player"
    made = services.claim(elsa, cast.dino, "", NOW)
    assert refused(services.claim, elsa, cast.dino, "", NOW).reason == "claim_open"
    services.decide_claim(made, False, cast.sara, NOW)
    assert services.claim(elsa, cast.dino, "ancora", NOW).pk


@db(transaction=True)
@both
@pytest.mark.parametrize("secretary", [False, True])
def test_of_two_requests_for_one_player_accepted_at_once_one_is_joined(
    cast: Cast, elsa: Player, secretary: bool
) -> None:
    """Also when the second is that of the very secretary who answers the first."""
    rival = cast.sara if secretary else make_user("rivale", "Rivale")
    first, second = (services.claim(elsa, user, "", NOW) for user in (cast.dino, rival))
    outcome = meanwhile(
        lambda: services.decide_claim(first, True, cast.sara, NOW + HOUR),
        lambda: services.decide_claim(second, True, cast.sara, NOW + HOUR),
    )
    assert getattr(outcome, "reason", outcome) == "player_has_login"
    elsa.refresh_from_db()
    assert elsa.user == cast.dino
    second.refresh_from_db()
    assert (second.decided_at, second.accepted) == (None, None)  # still to be answered
    assert not Email.objects.filter(key=f"claim:{second.pk}").exists()


@db(transaction=True)
@both
def test_a_request_answered_by_two_secretaries_at_once_has_one_answer(
    cast: Cast, elsa: Player
) -> None:
    made = services.claim(elsa, cast.dino, "", NOW)
    outcome = meanwhile(
        lambda: services.decide_claim(made, False, cast.sara, NOW + HOUR),
        lambda: services.decide_claim(made, True, cast.alice, NOW + HOUR),
    )
    assert getattr(outcome, "reason", outcome) == "claim_decided"
    made.refresh_from_db()
    elsa.refresh_from_db()
    assert (made.accepted, elsa.user) == (False, None)


@db(transaction=True)
@both
def test_of_two_requests_sent_at_once_one_is_kept(cast: Cast, elsa: Player) -> None:
    outcome = at_once(*[lambda: services.claim(elsa, cast.dino, "", NOW)] * 2)
    assert sorted(getattr(what, "reason", "made") for what in outcome) == ["claim_open", "made"]
    assert Claim.objects.filter(user=cast.dino).count() == 1
