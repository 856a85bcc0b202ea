"""FIGF's percentile against the regulation, the vectors, real games and a second computation."""

from __future__ import annotations

import csv
import json
from collections import Counter
from collections.abc import Iterable, Iterator, Sequence
from dataclasses import replace
from decimal import Decimal
from fractions import Fraction
from itertools import groupby
from pathlib import Path
from typing import Any

import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

from tournaments.rules.figf import (
    FIGF_2006,
    HIGHEST,
    READINGS,
    FigfReadings,
    Why,
    adjusted_total,
    base,
    check,
    credited_holder,
    in_range,
    rounded,
    score,
    seconds,
    shared_bonus,
    substitute,
    table_places,
    total_of,
)
from tournaments.rules.regulation import (
    Exclusion,
    Illegal,
    Reason,
    Score,
    Seat,
    Table,
    half_up,
)

VECTORS: dict[str, Any] = json.loads(
    Path(__file__).with_name("figf_vectors.json").read_text(encoding="utf-8")
)
PERCENTILES = [case for case in VECTORS["cases"] if case["id"].startswith("PCT-")]

# A busy machine is no reason to fail.
patient = settings(deadline=None, suppress_health_check=[HealthCheck.too_slow])


def table(*seats: Seat | int, **decided: Any) -> Table:
    """A table of the seats A, B, C…; a bare number is the total of an ordinary seat."""
    named = (
        seat if isinstance(seat, Seat) else Seat(key, seat)
        for key, seat in zip("ABCDEFGHIJ", seats, strict=False)
    )
    return Table(tuple(named), fewest=3, most=10, **decided)


def percentiles(of: Table, readings: FigfReadings = READINGS) -> list[str]:
    """The percentiles in seat order, as the page has them; a dash where there is none."""
    return ["–" if s.points is None else str(s.points) for s in score(of, readings)]


def as_vector(line: Score) -> dict[str, object]:
    """A score as the vectors write it, decimals as text with their zeros."""

    def text(number: Decimal | None) -> str | None:
        return None if number is None else str(number)

    return {
        "player": line.key,
        "place": line.place,
        "base": text(line.base),
        "bonus": text(line.bonus),
        "percentile": text(line.points),
        "win": line.win,
        "credited": line.credited,
    }


def from_vector(seats: Iterable[dict[str, Any]]) -> Table:
    """The table of a vector. `replaces` is the holder before, and no affair of the count."""
    read = [{name: value for name, value in seat.items() if name != "replaces"} for seat in seats]
    return Table(tuple(Seat(key=seat.pop("player"), **seat) for seat in read), fewest=3, most=10)


# --- the regulation's own examples, and the catalogue's -------------------------------------------


def test_the_example_of_the_regulation_gives_1540_960_880() -> None:
    """C-01, C-02: 000:31."""
    assert percentiles(table(7500, 7200, 6600)) == ["1540.00", "960.00", "880.00"]


def test_a_lead_of_120_gives_1620() -> None:
    """C-02: 000:30."""
    assert percentiles(table(10000, 8800, 100))[0] == "1620.00"


@pytest.mark.parametrize(
    ("item", "totals", "expected"),
    [
        (
            "C-01",
            (9876, 8765, 7654, 6543, 5432, 4321),
            ["1612.49", "887.51", "775.01", "662.52", "550.02", "437.53"],
        ),
        ("C-05", (8000, 9000, 1000), ["888.89", "1611.11", "111.11"]),
        ("C-05", (8000, 7201, 4000), ["1599.87", "900.13", "500.00"]),
        ("C-06", (7000, 7000, 3500), ["1500.00", "1500.00", "500.00"]),
        ("C-07", (8000, 6000, 6000, 4000), ["1750.00", "750.00", "750.00", "500.00"]),
        ("C-08", (8000, 6000, 0), ["1750.00", "750.00", "0.00"]),
        ("C-08", (500, 0, 0), ["2500.00", "0.00", "0.00"]),
    ],
)
def test_worked_examples_of_the_catalogue(
    item: str, totals: tuple[int, ...], expected: list[str]
) -> None:
    assert percentiles(table(*totals)) == expected, item


@pytest.mark.parametrize("case", PERCENTILES, ids=lambda case: case["id"])
def test_vectors_of_the_percentile(case: dict[str, Any]) -> None:
    """C-01, C-02, C-05, C-06, C-08, C-09, C-10, C-11 and the refusals of C-03."""
    given_table = from_vector(case["input"]["seats"])
    if isinstance(case["expected"], dict):
        with pytest.raises(Illegal) as refused:
            score(given_table, READINGS)
        assert refused.value.reason == case["expected"]["error"]
        assert [refused.value.rule] == case["rules"]
    else:
        assert [as_vector(line) for line in score(given_table, READINGS)] == case["expected"]


def test_the_vectors_are_all_there() -> None:
    """Counted on the file with grep: 20 of the percentile, six of them refusals."""
    refusals = [case for case in PERCENTILES if isinstance(case["expected"], dict)]
    assert (len(PERCENTILES), len(refusals)) == (20, 6)


def season_tables() -> Iterator[dict[str, Any]]:
    for event in VECTORS["season"]["events"]:
        for prova in event["prove"]:
            for play_round in prova["rounds"]:
                yield from play_round["tables"]


def test_every_table_of_the_vectors_season() -> None:
    """C-04, C-09, C-10, C-11, C-12, C-13 among 68 tables, as `meta.season_tables` counts them."""
    tables = list(season_tables())
    assert len(tables) == VECTORS["meta"]["season_tables"] == 68
    for played in tables:
        scores = score(from_vector(played["seats"]), READINGS)
        assert [as_vector(line) for line in scores] == played["results"]


# --- C-03: what may be entered --------------------------------------------------------------------


@pytest.mark.parametrize(
    ("stocks", "cash", "total", "expected"),
    [
        (6100, 1400, 7500, 7500),
        (6100, 1400, None, 7500),
        (None, None, 7500, 7500),
        (None, 1400, 7500, 7500),
        (0, 0, None, 0),
        (0, 7500, 7500, 7500),
    ],
)
def test_a_total_is_typed_or_is_stocks_plus_cash(
    stocks: int | None, cash: int | None, total: int | None, expected: int
) -> None:
    """C-03."""
    assert total_of(stocks, cash, total) == expected


@pytest.mark.parametrize(
    ("stocks", "cash", "total", "reason", "rule"),
    [
        (6100, 1400, 7501, Reason.PARTS_DO_NOT_ADD, "C-03"),
        (6100, 1400, 7499, Reason.PARTS_DO_NOT_ADD, "C-03"),
        (None, 7501, 7500, Reason.PARTS_DO_NOT_ADD, "C-03"),
        (0, 0, 1, Reason.PARTS_DO_NOT_ADD, "C-03"),
        (None, None, None, Reason.TOTAL_MISSING, "C-03"),
        (6100, None, None, Reason.TOTAL_MISSING, "C-03"),
        (None, 1400, None, Reason.TOTAL_MISSING, "C-03"),
        (6100.0, 1400, 7500, Reason.TOTAL_NOT_INTEGER, "C-03"),
        (6100, 1400, "7500", Reason.TOTAL_NOT_INTEGER, "C-03"),
        (None, None, True, Reason.TOTAL_NOT_INTEGER, "C-03"),
        (7600, -100, 7500, Reason.TOTAL_NEGATIVE, "C-08"),
        (None, None, -1, Reason.TOTAL_NEGATIVE, "C-08"),
    ],
)
def test_a_total_that_does_not_stand_is_refused_at_its_seat(
    stocks: Any, cash: Any, total: Any, reason: Reason, rule: str
) -> None:
    """C-03, C-08."""
    with pytest.raises(Illegal) as refused:
        total_of(stocks, cash, total, seat=4)
    assert (refused.value.reason, refused.value.rule, refused.value.seat) == (reason, rule, 4)


@patient
@given(
    st.integers(min_value=0, max_value=20_000),
    st.integers(min_value=0, max_value=20_000),
    st.integers(min_value=-3, max_value=3),
)
def test_three_amounts_stand_exactly_when_they_add_up(stocks: int, cash: int, slip: int) -> None:
    """C-03."""
    total = max(0, stocks + cash + slip)
    if stocks + cash == total:
        assert total_of(stocks, cash, total) == total
    else:
        with pytest.raises(Illegal, match="parts_do_not_add"):
            total_of(stocks, cash, total)


@pytest.mark.parametrize(
    ("refused_table", "reason", "rule", "seat", "data"),
    [
        (table(5, -1, -2), Reason.TOTAL_NEGATIVE, "C-08", 1, {"key": "B"}),
        (table(5, 1, Seat("C", 2.0)), Reason.TOTAL_NOT_INTEGER, "C-03", 2, {"key": "C"}),  # type: ignore[arg-type]
        (table(5, 4, Seat("A", 3)), Reason.DUPLICATE_PLAYER, "C-03", 2, {"key": "A"}),
        (table(5, 4), Reason.SEAT_COUNT, "C-03", None, {"seats": 2, "fewest": 3, "most": 10}),
        (table(0, 0, 0), Reason.WINNER_TOTAL_ZERO, "C-08", None, {}),
    ],
)
def test_a_refusal_says_which_seat_and_which_rule(
    refused_table: Table, reason: Reason, rule: str, seat: int | None, data: dict[str, object]
) -> None:
    """C-03, C-08."""
    with pytest.raises(Illegal) as refused:
        score(refused_table, READINGS)
    no = refused.value
    assert (no.reason, no.rule, no.seat) == (reason, rule, seat)
    assert no.data.items() >= data.items()
    of_an_amount = reason in {Reason.TOTAL_NEGATIVE, Reason.TOTAL_NOT_INTEGER}
    assert no.field == ("total" if of_an_amount else "")


@pytest.mark.parametrize(
    ("fewest", "most", "seats", "legal"),
    [
        (2, 6, 2, False),
        (2, 6, 3, True),
        (2, 6, 6, True),
        (2, 6, 7, False),
        (4, 5, 3, False),
        (4, 5, 4, True),
        (3, 5, 6, False),
    ],
)
def test_a_table_has_three_seats_at_least_and_as_many_as_its_title_admits(
    fewest: int, most: int, seats: int, legal: bool
) -> None:
    """C-03. 1830 is played by two to six, and two are never enough in an event."""
    tried = Table(tuple(Seat(key, 100) for key in range(seats)), fewest, most)
    if legal:
        check(tried)
    else:
        with pytest.raises(Illegal, match="seat_count"):
            check(tried)


# --- C-04 to C-07: places, rounding, ties ---------------------------------------------------------


def test_places_follow_totals_that_rounding_cannot_tell_apart() -> None:
    """C-04. 999 999 of a million is 999.999, published as 1000.00, and is second all the same."""
    first, second, third, fourth = score(table(1_000_000, 999_999, 500_001, 500_000), READINGS)
    assert [str(line.base) for line in (first, second, third, fourth)] == [
        "1000.00",
        "1000.00",
        "500.00",
        "500.00",
    ]
    assert [line.place for line in (first, second, third, fourth)] == [1, 2, 3, 4]
    assert (str(first.points), first.win) == ("1500.00", True)
    assert (str(second.points), second.win) == ("1000.00", False)


def test_equal_totals_share_the_place_and_the_next_is_skipped() -> None:
    """C-04."""
    assert list(table_places({"A": 6, "B": 9, "C": 6, "D": 1}).values()) == [2, 1, 2, 4]


def test_the_bonus_is_taken_from_the_rounded_second() -> None:
    """C-05. Two thirds: 666.67 published, hence 1833.33; from 666.666… it would not add up."""
    assert percentiles(table(3, 2, 1)) == ["1833.33", "666.67", "333.33"]


@pytest.mark.parametrize(
    ("decimals", "expected"),
    [
        (0, ["1600", "900", "501"]),
        (1, ["1599.9", "900.1", "500.5"]),
        (2, ["1599.87", "900.13", "500.50"]),
        (3, ["1599.875", "900.125", "500.500"]),
    ],
)
def test_the_decimals_are_a_reading(decimals: int, expected: list[str]) -> None:
    """C-05. 7201/8000 is 900.125 and 4004/8000 is 500.5, exactly."""
    readings = replace(READINGS, percentile_decimals=decimals)  # type: ignore[arg-type]
    assert percentiles(table(8000, 7201, 4004), readings) == expected


@pytest.mark.parametrize(
    ("answer", "two", "three"),
    [
        ("full_each", "1500.00", "1500.00"),
        ("split", "1250.00", "1166.67"),
        ("none", "1000.00", "1000.00"),
    ],
)
def test_equal_firsts_are_a_reading_and_all_have_won(answer: Any, two: str, three: str) -> None:
    """C-06."""
    readings = replace(READINGS, tied_winners_bonus=answer)
    assert percentiles(table(7000, 3500, 7000), readings) == [two, "500.00", two]
    assert percentiles(table(7000, 7000, 7000), readings) == [three] * 3
    assert [line.win for line in score(table(7000, 3500, 7000), readings)] == [True, False, True]
    assert shared_bonus(3, readings) == Decimal(three) - 1000


def test_equal_seconds_take_nothing_from_the_lead() -> None:
    """C-07."""
    assert seconds({"A": 2, "B": 1, "C": 2, "D": 4}) == ("A", "C")
    assert percentiles(table(6000, 8000, 6000, 4000))[1] == "1750.00"


# --- C-09 to C-13: what referees decide, and who is credited --------------------------------------


def test_a_handicap_can_turn_the_order_and_never_goes_below_zero() -> None:
    """C-09."""
    turned = table(Seat("A", 8000, handicap=-1000), 7500, 6000)
    assert percentiles(turned) == ["933.33", "1566.67", "800.00"]
    assert [line.place for line in score(turned, READINGS)] == [2, 1, 3]
    assert adjusted_total(Seat("B", 500, handicap=-900)) == 0
    assert adjusted_total(Seat("B", 500, handicap=250)) == 750


def test_handicaps_that_leave_nobody_anything_void_the_percentile() -> None:
    """C-08, C-09."""
    with pytest.raises(Illegal, match="winner_total_zero"):
        score(table(Seat("A", 500, handicap=-500), 0, 0), READINGS)


FIRST_OUT = (Seat("A", 9000, excluded=True), 8000, 6000)
SECOND_OUT = (8000, Seat("B", 7900, excluded=True), 6000)
FIRST_OUT_TIED = (Seat("A", 8000, excluded=True), 8000, 4000)


@pytest.mark.parametrize(
    ("seats", "answer", "expected", "places", "wins"),
    [
        (FIRST_OUT, "recompute", ["–", "1750.00", "750.00"], [None, 1, 2], "B"),
        (SECOND_OUT, "recompute", ["1750.00", "–", "750.00"], [1, None, 2], "A"),
        (FIRST_OUT_TIED, "recompute", ["–", "2000.00", "500.00"], [None, 1, 2], "B"),
        (FIRST_OUT, "keep_reference", ["–", "888.89", "666.67"], [None, 2, 3], ""),
        (SECOND_OUT, "keep_reference", ["1512.50", "–", "750.00"], [1, None, 3], "A"),
        (FIRST_OUT_TIED, "keep_reference", ["–", "1500.00", "500.00"], [None, 1, 3], "B"),
    ],
)
def test_an_excluded_player_leaves_or_stays_as_a_measure(
    seats: tuple[Seat | int, ...],
    answer: Any,
    expected: list[str],
    places: list[int | None],
    wins: str,
) -> None:
    """C-10. Whether by the regulation's reading or, against it, by the director's decision."""
    other = {"recompute": "keep_reference", "keep_reference": "recompute"}
    by_reading = table(*seats), replace(READINGS, excluded_from_game=answer)
    by_decision = (
        table(*seats, exclusion=answer),
        replace(READINGS, excluded_from_game=other[answer]),  # type: ignore[arg-type]
    )
    for decided, readings in (by_reading, by_decision):
        scores = score(decided, readings)
        assert percentiles(decided, readings) == expected
        assert [line.place for line in scores] == places
        assert [line.key for line in scores if line.win] == list(wins)
        assert [line.credited for line in scores] == [text != "–" for text in expected]


@pytest.mark.parametrize("answer", ["recompute", "keep_reference"])
def test_nobody_left_is_a_void_game(answer: Any) -> None:
    """C-10."""
    everybody = (Seat(key, 8, excluded=True) for key in "ABC")
    with pytest.raises(Illegal) as refused:
        score(table(*everybody, exclusion=answer), READINGS)
    assert (refused.value.reason, refused.value.rule) == (Reason.NOBODY_LEFT, "C-10")


@pytest.mark.parametrize(("gap", "expected"), [(0, "1500.00"), (1000, "2500.00")])
def test_the_only_player_left_leads_by_a_reading(gap: Any, expected: str) -> None:
    """C-10."""
    alone = table(8000, Seat("B", 7900, excluded=True), Seat("C", 6000, excluded=True))
    readings = replace(READINGS, sole_remaining_gap=gap)
    assert percentiles(alone, readings) == [expected, "–", "–"]


REFEREE_FIRST = (Seat("A", 8000, unscored=True), 6000, 4000)
REFEREE_SECOND = (8000, Seat("B", 6000, unscored=True), 4000)


@pytest.mark.parametrize(
    ("seats", "answer", "expected", "places"),
    [
        (REFEREE_FIRST, "kept_as_reference", ["–", "750.00", "500.00"], [1, 2, 3]),
        (REFEREE_SECOND, "kept_as_reference", ["1750.00", "–", "500.00"], [1, 2, 3]),
        (REFEREE_FIRST, "removed", ["–", "1833.33", "666.67"], [None, 1, 2]),
        (REFEREE_SECOND, "removed", ["2000.00", "–", "500.00"], [1, None, 2]),
    ],
)
def test_a_seat_finished_by_a_referee_scores_for_nobody(
    seats: tuple[Seat | int, ...], answer: Any, expected: list[str], places: list[int | None]
) -> None:
    """C-11."""
    readings = replace(READINGS, unscored_seat=answer)
    assert percentiles(table(*seats), readings) == expected
    assert [line.place for line in score(table(*seats), readings)] == places


def test_who_equals_the_referees_seat_at_the_top_has_won() -> None:
    """C-06, C-11."""
    scores = score(table(Seat("A", 8000, unscored=True), 8000, 4000), READINGS)
    assert [(line.place, line.win, str(line.points)) for line in scores] == [
        (1, False, "None"),
        (1, True, "1500.00"),
        (3, False, "500.00"),
    ]


def test_an_excluded_player_stays_a_measure_beside_a_referee_who_does_not() -> None:
    """C-10, C-11."""
    seats = (Seat("A", 9000, unscored=True), Seat("B", 8000, excluded=True), 6000)
    readings = replace(READINGS, unscored_seat="removed", excluded_from_game="keep_reference")
    assert percentiles(table(*seats), readings) == ["–", "–", "750.00"]


def test_cinderella_wins_for_the_absent_player_or_for_nobody() -> None:
    """C-12."""
    left = table(Seat("A", 8000, cinderella=True), 6000, 4000)
    credited = score(left, READINGS)
    assert percentiles(left) == ["1750.00", "750.00", "500.00"]
    assert (credited[0].win, credited[0].credited) == (True, True)

    nobody = replace(READINGS, cinderella_credit="none")
    assert percentiles(left, nobody) == ["–", "750.00", "500.00"]
    assert [line.place for line in score(left, nobody)] == [1, 2, 3]
    gone = replace(nobody, unscored_seat="removed")
    assert percentiles(left, gone) == ["–", "1833.33", "666.67"]


def test_the_last_holder_is_credited_with_the_vectors_season() -> None:
    """C-13. P39 concludes P09's game and is credited; a referee concludes P10's and nobody is."""
    replaced = [
        (seat, line)
        for played in season_tables()
        for seat, line in zip(played["seats"], played["results"], strict=True)
        if "replaces" in seat
    ]
    assert [seat["replaces"] for seat, _ in replaced] == ["P09", "P10"]
    for seat, line in replaced:
        last = None if seat.get("unscored") else seat["player"]
        holders = substitute([seat["replaces"]], last)
        assert holders == (seat["replaces"], last)
        assert credited_holder(holders) == (line["player"] if line["credited"] else None)


def test_a_substitute_is_not_seated_already() -> None:
    """C-13."""
    others = {"P23", "P32"}
    for newcomer in ("P23", "P09"):
        with pytest.raises(Illegal) as refused:
            substitute(["P09"], newcomer, at_table=others)
        assert (refused.value.reason, refused.value.rule) == (Reason.ALREADY_SEATED, "C-13")
        assert refused.value.data == {"key": newcomer}
    with pytest.raises(Illegal, match="seated_in_round"):
        substitute(["P09"], "P39", at_table=others, in_round={"P39"})
    granted = substitute(["P09"], "P39", in_round={"P39"}, second_table_granted=True)
    assert granted == ("P09", "P39")
    assert substitute(granted, None, at_table=others) == ("P09", "P39", None)


# --- C-16, C-17 -----------------------------------------------------------------------------------


@pytest.mark.parametrize(
    ("percentile", "win", "legal"),
    [
        ("0.00", False, True),
        ("-0.01", False, False),
        ("1000.00", False, True),
        ("1000.01", False, False),
        ("1499.99", True, False),
        ("1500.00", True, True),
        ("2500.00", True, True),
        ("2500.01", True, False),
        (None, False, True),
        (None, True, False),
    ],
)
def test_the_range_of_a_percentile(percentile: str | None, win: bool, legal: bool) -> None:
    """C-16."""
    number = None if percentile is None else Decimal(percentile)
    assert in_range(number, win, READINGS) is legal


def test_the_least_of_a_winner_follows_the_reading_of_ties() -> None:
    """C-06, C-16."""
    for answer in ("split", "none"):
        readings = replace(READINGS, tied_winners_bonus=answer)
        assert in_range(Decimal(1000), True, readings)
        assert not in_range(Decimal("999.99"), True, readings)
    assert HIGHEST == 2500


def test_a_void_game_is_a_dash_for_everybody_whatever_was_counted() -> None:
    """C-17."""
    scores = score(table(0, -1, void=True), READINGS)
    assert percentiles(table(0, -1, void=True)) == ["–", "–"]
    assert [(line.place, line.base, line.bonus) for line in scores] == [(None, None, None)] * 2
    assert not any(line.win or line.credited for line in scores)
    assert [step.rule for line in scores for step in line.steps] == ["C-17", "C-17"]


# --- why ------------------------------------------------------------------------------------------


def told(line: Score) -> list[tuple[str, str, dict[str, object]]]:
    return [(step.rule, step.kind.value, dict(step.values)) for step in line.steps]


def test_a_score_retells_its_own_count() -> None:
    """C-01, C-02, C-04, C-05, C-09: every figure a page needs, in the order of the rules."""
    winner, second, _ = score(table(Seat("A", 9500, handicap=-500), 8000, 100), READINGS)
    reference = ("C-01", "reference", {"best": 9000, "firsts": ("A",)})
    assert told(winner) == [
        ("C-09", "handicap", {"total": 9500, "handicap": -500, "adjusted": 9000}),
        reference,
        ("C-04", "place", {"place": 1, "total": 9000}),
        ("C-01", "base", {"total": 9000, "best": 9000, "exact": Fraction(1000)}),
        (
            "C-02",
            "gap",
            {"seconds": ("B",), "percentile": Decimal("888.89"), "gap": Decimal("111.11")},
        ),
        (
            "C-02",
            "win_bonus",
            {"win": 500, "gap": Decimal("111.11"), "bonus": Decimal("611.11")},
        ),
    ]
    assert told(second) == [
        reference,
        ("C-04", "place", {"place": 2, "total": 8000}),
        ("C-01", "base", {"total": 8000, "best": 9000, "exact": Fraction(8000, 9)}),
        ("C-05", "rounded", {"exact": Fraction(8000, 9), "rounded": Decimal("888.89")}),
    ]


def test_a_score_tells_ties_and_decisions() -> None:
    """C-06, C-07, C-10, C-11, C-12."""
    shared = score(table(7000, 7000, 3500), READINGS)
    assert told(shared[1])[-1] == (
        "C-06",
        "shared_first",
        {"firsts": ("A", "B"), "bonus": Decimal("500.00")},
    )
    equal = score(table(8000, 6000, 6000), READINGS)
    assert told(equal[0])[-2] == (
        "C-07",
        "gap",
        {"seconds": ("B", "C"), "percentile": Decimal("750.00"), "gap": Decimal("250.00")},
    )
    out = score(table(*FIRST_OUT), READINGS)
    assert told(out[0]) == [("C-10", "excluded", {"reading": "recompute"})]
    kept = score(table(*FIRST_OUT, exclusion="keep_reference"), READINGS)
    assert told(kept[0]) == [("C-10", "excluded", {"reading": "keep_reference"})]
    assert told(kept[1])[0] == ("C-01", "reference", {"best": 9000, "firsts": ("A",)})
    sole = score(table(8, Seat("B", 7, excluded=True), Seat("C", 6, excluded=True)), READINGS)
    assert told(sole[0])[-2] == ("C-10", "sole", {"gap": Decimal("0.00")})
    referee = score(table(*REFEREE_FIRST), READINGS)
    assert told(referee[0])[0] == ("C-11", "referee_seat", {"reading": "kept_as_reference"})
    assert told(referee[0])[-1][1] == "base"
    left = score(table(Seat("A", 8000, cinderella=True), 6000, 4000), READINGS)
    assert told(left[0])[0] == ("C-12", "cinderella", {"reading": "absent_player"})


def test_kinds_of_steps_are_all_told_somewhere() -> None:
    """C-17 and all the others: no sentence is declared that no score can say."""
    seen = {step.kind for line in score(table(1, void=True), READINGS) for step in line.steps}
    for seats in (
        (Seat("A", 9500, handicap=-500), 8000, 100),
        (7000, 7000, 3500),
        FIRST_OUT,
        REFEREE_FIRST,
        (Seat("A", 1, cinderella=True), 0, 0),
        (8, Seat("B", 7, excluded=True), Seat("C", 6, excluded=True)),
    ):
        seen |= {step.kind for line in score(table(*seats), READINGS) for step in line.steps}
    assert seen == set(Why)


# --- readings -------------------------------------------------------------------------------------


def test_the_readings_are_those_of_the_vectors() -> None:
    """A-06, B-03, B-13, C-05, C-06, C-10, C-11, C-12, G-03, as `meta.readings` names them."""
    declared = VECTORS["meta"]["readings"]
    assert declared["seating_24"] == "printed 6x4"
    assert declared["event_tie"] == ["best_percentile", "lower_ranking", "ex_aequo"]
    assert declared["lower_ranking"] == "fewer ranking points wins; unranked = 0"
    answers = declared | {
        "seating_24": "printed",
        "event_tie": "criteria",
        "lower_ranking": "fewer_points",
    }
    names = FigfReadings.__dataclass_fields__
    assert len(names) == 10
    assert {name: getattr(READINGS, name) for name in names} == {n: answers[n] for n in names}


@pytest.mark.parametrize(
    ("name", "answer"),
    [
        ("percentile_decimals", 4),
        ("tied_winners_bonus", "half"),
        ("excluded_from_game", "ignore"),
        ("unscored_seat", "first"),
        ("cinderella_credit", "referee"),
        ("sole_remaining_gap", 500),
        ("fe_counts", "tables"),
        ("seating_24", "sixes"),
        ("event_tie", "lots"),
        ("lower_ranking", "older"),
    ],
)
def test_an_answer_that_the_question_does_not_admit_is_refused(name: str, answer: object) -> None:
    with pytest.raises(ValueError, match=name):
        replace(READINGS, **{name: answer})  # type: ignore[arg-type]


def test_an_amended_regulation_scores_by_its_own_readings() -> None:
    """C-06. The old slug keeps the old result."""
    amended = replace(
        FIGF_2006, slug="figf-2027", readings=replace(READINGS, tied_winners_bonus="split")
    )
    tied = table(7000, 7000, 3500)
    old = [str(line.points) for line in FIGF_2006.score(tied, FIGF_2006.readings)]
    new = [str(line.points) for line in amended.score(tied, amended.readings)]
    assert (old, new) == (["1500.00", "1500.00", "500.00"], ["1250.00", "1250.00", "500.00"])


# --- properties -----------------------------------------------------------------------------------

TOTALS = st.one_of(
    st.integers(min_value=0, max_value=12),  # ties, zeros and awkward fractions
    st.integers(min_value=0, max_value=20_000),
    st.integers(min_value=0, max_value=10**15),
)


@st.composite
def tables(draw: st.DrawFn, fewest: int = 3, flags: bool = True) -> Table:
    """Tables that can be scored: somebody is left, and somebody left has something."""
    totals = draw(st.lists(TOTALS, min_size=fewest, max_size=8))
    seats = []
    for key, total in zip("ABCDEFGH", totals, strict=False):
        role = draw(st.sampled_from(["", "", "", "excluded", "unscored", "cinderella"]))
        marked: dict[str, Any] = {role: True} if flags and role else {}
        handicap = draw(st.integers(min_value=-2000, max_value=2000)) if flags else 0
        seats.append(Seat(key, total, handicap, **marked))
    exclusion: Exclusion | None = draw(st.sampled_from([None, "recompute", "keep_reference"]))
    if not any(not seat.excluded and adjusted_total(seat) for seat in seats):
        seats[0] = Seat("A", 1)
    return Table(tuple(seats), fewest=3, most=8, exclusion=exclusion if flags else None)


@st.composite
def any_readings(draw: st.DrawFn) -> FigfReadings:
    """All the answers together; a seat that is removed may leave nobody, so it is not drawn."""
    return FigfReadings(
        percentile_decimals=draw(st.sampled_from([0, 1, 2, 3])),
        tied_winners_bonus=draw(st.sampled_from(["full_each", "split", "none"])),
        excluded_from_game=draw(st.sampled_from(["recompute", "keep_reference"])),
        unscored_seat="kept_as_reference",
        cinderella_credit=draw(st.sampled_from(["absent_player", "none"])),
        sole_remaining_gap=draw(st.sampled_from([0, 1000])),
        fe_counts="prove",
        seating_24="printed",
        event_tie="criteria",
        lower_ranking="fewer_points",
    )


def without_why(scores: Iterable[Score]) -> dict[object, Score]:
    return {line.key: replace(line, steps=()) for line in scores}


def cents(totals: Sequence[int]) -> list[int]:
    """The percentiles in hundredths, by whole numbers only: the second computation.

    Half up is (2a + b) // 2b; the first has 1500 and what the greatest of the others lacks to 1000.
    """
    best = max(totals)
    bases = [(2 * 1000 * 100 * total + best) // (2 * best) for total in totals]
    result = []
    for position, total in enumerate(totals):
        if total < best:
            result.append(bases[position])
        else:
            result.append(250_000 - max(bases[:position] + bases[position + 1 :]))
    return result


def in_cents(scores: Iterable[Score]) -> list[int | None]:
    """Hundredths of the published percentiles, read from their digits."""
    return [None if s.points is None else int(f"{s.points:.2f}".replace(".", "")) for s in scores]


@patient
@given(tables(flags=False))
def test_a_second_computation_agrees(played: Table) -> None:
    """C-01, C-02, C-05, C-06, C-07, C-08."""
    totals = [seat.total for seat in played.seats]
    assert in_cents(score(played, READINGS)) == cents(totals)


@patient
@given(tables(), any_readings())
def test_every_score_is_in_range_and_adds_up(played: Table, readings: FigfReadings) -> None:
    """C-05, C-16."""
    for line in score(played, readings):
        assert in_range(line.points, line.win, readings)
        assert line.credited is (line.points is not None) is (line.bonus is not None)
        if line.points is not None and line.base is not None and line.bonus is not None:
            assert line.base + line.bonus == line.points
            assert 0 <= line.base <= 1000
            for number in (line.base, line.bonus, line.points):
                assert number.as_tuple().exponent == -readings.percentile_decimals


@patient
@given(tables(), st.data())
def test_the_order_of_the_seats_never_matters(played: Table, data: st.DataObject) -> None:
    """C-04."""
    shuffled = replace(played, seats=tuple(data.draw(st.permutations(played.seats))))
    assert without_why(score(shuffled, READINGS)) == without_why(score(played, READINGS))
    assert [line.key for line in score(shuffled, READINGS)] == [s.key for s in shuffled.seats]


@patient
@given(tables(), st.integers(min_value=1, max_value=10**6))
def test_the_currency_never_matters(played: Table, rate: int) -> None:
    """C-01: a percentile is a ratio."""
    exchanged = replace(
        played,
        seats=tuple(
            replace(seat, total=seat.total * rate, handicap=seat.handicap * rate)
            for seat in played.seats
        ),
    )
    assert without_why(score(exchanged, READINGS)) == without_why(score(played, READINGS))


@patient
@given(tables(fewest=4, flags=False), st.data())
def test_exclusion_is_the_removal_of_the_seat(played: Table, data: st.DataObject) -> None:
    """C-10."""
    out = data.draw(st.sampled_from(played.seats))
    rest = tuple(seat for seat in played.seats if seat != out)
    if not any(seat.total for seat in rest):
        rest = (replace(rest[0], total=1), *rest[1:])
    everybody = (*rest, replace(out, excluded=True))
    *others, excluded = score(replace(played, seats=everybody), READINGS)
    assert others == list(score(replace(played, seats=rest), READINGS))
    assert (excluded.place, excluded.points, excluded.win) == (None, None, False)


@patient
@given(tables())
def test_places_agree_with_the_adjusted_totals(played: Table) -> None:
    """C-04, C-09."""
    ranked = [
        (line.place, max(seat.total + seat.handicap, 0))
        for seat, line in zip(played.seats, score(played, READINGS), strict=True)
        if line.place is not None
    ]
    for place, total in ranked:
        others = [other for _, other in ranked]
        if played.exclusion != "keep_reference":
            assert place == 1 + sum(other > total for other in others)
        assert all((place < p) is (total > t) for p, t in ranked)


@patient
@given(tables(), any_readings())
def test_a_winner_is_credited_and_first(played: Table, readings: FigfReadings) -> None:
    """C-06, C-10, C-11, C-12."""
    for line in score(played, readings):
        assert line.win is (line.credited and line.place == 1)


# --- real games -----------------------------------------------------------------------------------


def real_games(cases: Path) -> list[list[dict[str, str]]]:
    path = cases / "real" / "18xx_percentiles.csv"
    with path.open(encoding="utf-8", newline="") as file:
        rows = list(csv.DictReader(file))
    return [list(game) for _, game in groupby(rows, key=lambda row: row["fixture_path"])]


def test_the_base_percentile_of_every_real_row(cases: Path) -> None:
    """C-01. Four decimals, as published with the games; the few debts included."""
    compared = 0
    for game in real_games(cases):
        values = [int(row["final_value"]) for row in game]
        for row, value in zip(game, values, strict=True):
            assert half_up(base(value, max(values)), 4) == Decimal(row["percentile_exact"])
            compared += 1
    assert compared == 1379


def test_real_tables_are_scored_or_refused_by_their_rule(cases: Path) -> None:
    """C-03, C-04, C-08. Counted on the file with awk: 394 games, 83 of two seats, 5 with debts."""
    refused: list[tuple[Illegal, list[int]]] = []
    scored_rows = 0
    games = real_games(cases)
    for game in games:
        values = [int(row["final_value"]) for row in game]
        played = Table(tuple(Seat(i, value) for i, value in enumerate(values)), fewest=2, most=20)
        try:
            scores = score(played, READINGS)
        except Illegal as no:
            refused.append((no, values))
            continue
        scored_rows += len(game)
        assert in_cents(scores) == cents(values)
        for line, row, value in zip(scores, game, values, strict=True):
            shared = [int(r["rank"]) for r in game if int(r["final_value"]) == value]
            assert line.place == min(shared), row
    assert len(games) == 394
    assert Counter((refusal.reason.value, refusal.rule) for refusal, _ in refused) == {
        ("seat_count", "C-03"): 83,
        ("total_negative", "C-08"): 5,
    }
    for refusal, values in refused:
        if refusal.seat is not None:
            assert values[refusal.seat] < 0 <= min(values[: refusal.seat])
    assert scored_rows == 1189


def test_rounding_never_turns_the_order_of_a_real_table(cases: Path) -> None:
    """C-05: two decimals keep apart every two real totals that differ."""
    for game in real_games(cases):
        values = [int(row["final_value"]) for row in game if int(row["final_value"]) >= 0]
        published = {value: rounded(base(value, max(values)), READINGS) for value in values}
        assert len(set(published.values())) == len(set(values))
