"""The types that all federations share: places, rounding, steps, refusals, readings."""

from __future__ import annotations

import json
import pickle
from collections.abc import Mapping, Sequence
from dataclasses import FrozenInstanceError, dataclass, replace
from decimal import ROUND_HALF_UP, Decimal, localcontext
from enum import StrEnum
from fractions import Fraction
from typing import Any, Literal

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from tournaments.rules.regulation import (
    Composition,
    Credit,
    Entrant,
    Illegal,
    Labels,
    Placed,
    Placing,
    PlayerId,
    Readings,
    Reason,
    Regulation,
    Score,
    Seat,
    Sentence,
    Sitting,
    Step,
    Table,
    deal,
    half_up,
    places,
)


class Kind(StrEnum):
    LEAD = "lead"


@pytest.mark.parametrize(
    ("values", "expected"),
    [
        ([], []),
        ([7], [1]),
        ([8, 6, 6, 4], [1, 2, 2, 4]),
        ([4, 6, 8, 6], [4, 2, 1, 2]),
        ([5, 5, 5], [1, 1, 1]),
        ([(1, 0), (1, 2), (0, 9)], [2, 1, 3]),
        ([Decimal("0.5"), Decimal("0.50")], [1, 1]),
    ],
)
def test_equal_values_share_the_place_and_the_next_is_skipped(
    values: list[Decimal], expected: list[int]
) -> None:
    """C-04."""
    assert places(values) == expected


@settings(deadline=None)
@given(st.lists(st.integers(min_value=-5, max_value=5)))
def test_a_place_is_one_more_than_the_values_above(values: list[int]) -> None:
    """C-04."""
    assert places(values) == [1 + sum(other > value for other in values) for value in values]


@pytest.mark.parametrize(
    ("value", "decimals", "expected"),
    [
        (Fraction(1, 2), 0, "1"),
        (Fraction(-1, 2), 0, "-1"),
        (Fraction(-1, 1000), 2, "0.00"),
        (Fraction(7201, 8), 2, "900.13"),
        (Fraction(7201, 8), 3, "900.125"),
        (Fraction(2000, 3), 2, "666.67"),
        (Fraction(1000, 3), 2, "333.33"),
        (960, 2, "960.00"),
        (0, 2, "0.00"),
        (Fraction(5, 1000), 2, "0.01"),
        (Fraction(4999, 1_000_000), 2, "0.00"),
    ],
)
def test_a_half_goes_away_from_zero_and_the_zeros_stay(
    value: Fraction | int, decimals: int, expected: str
) -> None:
    """C-05."""
    assert str(half_up(value, decimals)) == expected


@settings(deadline=None)
@given(
    st.decimals(min_value=-(10**9), max_value=10**9, places=4),
    st.integers(min_value=0, max_value=4),
)
def test_half_up_is_what_the_decimal_library_calls_so(number: Decimal, decimals: int) -> None:
    """C-05."""
    expected = number.quantize(Decimal(1).scaleb(-decimals), ROUND_HALF_UP)
    assert half_up(Fraction(number), decimals) == expected


def test_half_up_is_exact_whatever_the_decimal_context() -> None:
    """C-05."""
    with localcontext() as context:
        context.prec = 3
        rounded = half_up(Fraction(10**40 + 1, 3), 2)
    assert str(rounded) == "3" * 40 + ".67"


def test_a_refusal_carries_its_article_its_seat_and_its_figures() -> None:
    refusal = Illegal(Reason.SEAT_COUNT, "C-03", seats=2, fewest=3, most=6)
    assert isinstance(refusal, ValueError)
    assert (refusal.reason, refusal.rule, refusal.seat) == ("seat_count", "C-03", None)
    assert (refusal.field, refusal.data) == ("", {"seats": 2, "fewest": 3, "most": 6})
    copied = pickle.loads(pickle.dumps(refusal))
    assert (str(copied), copied.data) == ("seat_count (C-03)", refusal.data)


def test_a_step_gives_its_figures_by_name() -> None:
    step = Step.of("C-02", Kind.LEAD, gap=Decimal("40.00"), seconds=("B",))
    assert step["gap"] == Decimal("40.00")
    words = "lead of %(gap)s"
    assert words % step == "lead of 40.00"
    assert step == Step("C-02", Kind.LEAD, (("gap", Decimal("40.00")), ("seconds", ("B",))))
    with pytest.raises(KeyError):
        step["base"]


def test_a_step_comes_back_from_json_as_it_was() -> None:
    step = Step.of("B-12", Kind.LEAD, place=2, total=Decimal("960.00"), name="Bo")
    stored = json.dumps(step.to_json())
    assert stored == (
        '{"rule": "B-12", "kind": "lead",'
        ' "values": {"place": 2, "total": {"decimal": "960.00"}, "name": "Bo"}}'
    )
    read = Step.from_json(json.loads(stored), Kind)
    assert read == step
    assert (read.kind, str(read["total"])) == (Kind.LEAD, "960.00")
    nothing = Step.of("B-09", Kind.LEAD)
    assert Step.from_json(nothing.to_json(), Kind) == nothing


@pytest.mark.parametrize("figure", [Fraction(1, 3), ("A", "B"), None, True, 0.5])
def test_a_step_with_a_figure_that_json_would_change_is_not_stored(figure: Any) -> None:
    with pytest.raises(TypeError, match="is not stored"):
        Step.of("C-01", Kind.LEAD, figure=figure).to_json()


def test_a_step_of_an_unknown_kind_is_not_read() -> None:
    with pytest.raises(ValueError, match="'lag'"):
        Step.from_json({"rule": "B-12", "kind": "lag", "values": {}}, Kind)


@pytest.mark.parametrize("sizes", [[4, 3], [3, 4]])
def test_blocks_of_the_order_fill_the_tables_and_the_largest_is_table_one(sizes: list[int]) -> None:
    """B-11. Blocks, not a snake."""
    assert deal(list("ABCDEFG"), sizes) == (("A", "B", "C", "D"), ("E", "F", "G"))


@pytest.mark.parametrize("sizes", [[], [3, 3], [4, 4]])
def test_players_are_dealt_to_as_many_seats_only(sizes: list[int]) -> None:
    """B-11."""
    with pytest.raises(ValueError, match="7 players"):
        deal(list("ABCDEFG"), sizes)


@settings(deadline=None)
@given(st.lists(st.integers(min_value=1, max_value=9)))
def test_dealing_keeps_everybody_in_order(sizes: list[int]) -> None:
    """B-11."""
    tables = deal(range(sum(sizes)), sizes)
    assert [player for table in tables for player in table] == list(range(sum(sizes)))
    assert [len(table) for table in tables] == sorted(sizes, reverse=True)


def test_seats_tables_and_scores_are_values() -> None:
    seat = Seat("A", 7500)
    score = Score("A", 1, None, win=True, credited=True, steps=())
    table = Table((seat,), 3, 6)
    assert {seat: 1, table: 2, score: 3} == {
        Seat("A", 7500): 1,
        Table((Seat("A", 7500),), 3, 6): 2,
        replace(score): 3,
    }
    for value, name in ((seat, "total"), (table, "void"), (score, "place")):
        with pytest.raises(FrozenInstanceError):
            setattr(value, name, 0)


class Told(Sentence):
    LEFT = "told_left", "%(players)s are left."


def test_a_sentence_is_its_text_and_brings_its_words() -> None:
    kinds: Any = Told
    assert kinds("told_left") is Told.LEFT
    assert str(Told.LEFT) == "told_left"
    assert Told.LEFT.words % {"players": 3} == "3 are left."
    refusal = Illegal(Told.LEFT, "C-03", players=3, unfinished=True)
    assert (str(refusal), refusal.unfinished, refusal.data) == (
        "told_left (C-03)",
        True,
        {"players": 3},
    )


@dataclass(frozen=True, slots=True)
class Half(Readings):
    draw: Literal["half", "none"]
    tie_breaks: tuple[str, ...] = ("discs",)


def test_readings_admit_the_answers_of_their_type_only() -> None:
    assert Half("none").draw == "none"
    with pytest.raises(ValueError, match="draw: 'all'"):
        Half("all")  # type: ignore[arg-type]


def test_a_regulation_of_another_federation_has_its_own_readings() -> None:
    def score(table: Table, readings: Half) -> tuple[Score, ...]:
        half = Decimal("0.5") if readings.draw == "half" else Decimal(0)
        return tuple(
            Score(seat.key, 1, half, win=False, credited=True, steps=()) for seat in table.seats
        )

    def pairs(players: int, fewest: int, most: int, readings: Half) -> tuple[Composition, ...]:
        return (Composition((2,) * (players // 2), Step.of("B-01", Kind.LEAD)),)

    def by_seed(entrants: Sequence[Entrant], readings: Half) -> tuple[Placed, ...]:
        return tuple(Placed(entrant.key, Step.of("B-08", Kind.LEAD)) for entrant in entrants)

    def by_points(
        credited: Sequence[Credit], ranking: Mapping[PlayerId, int], readings: Half
    ) -> tuple[Placing, ...]:
        points = {credit.player: credit.points or Decimal(0) for credit in credited}
        held = places(list(points.values()))
        rows = [
            Placing(key, place, points[key], points[key], (((1, 1), points[key]),), ())
            for key, place in zip(points, held, strict=True)
        ]
        return tuple(sorted(rows, key=lambda row: row.place))

    def in_order(
        order: Sequence[Placed], sizes: Sequence[int], met: Sequence[Sitting], readings: Half
    ) -> tuple[tuple[Placed, ...], ...]:
        return deal(order, sizes)

    draws = Regulation(
        slug="draws-1",
        title="Draws",
        source="this test",
        readings=Half("half"),
        fewest_seats=2,
        most_seats=2,
        fields=(),
        labels=Labels(points="Points"),
        total=lambda facts, seat: facts["discs"] or seat,
        score=score,
        compositions=pairs,
        order=by_seed,
        deal=in_order,
        standings=by_points,
        summary=Step.of("B-01", Kind.LEAD),
    )
    amended = replace(draws, slug="draws-2", readings=Half("none"))
    table = Table((Seat(1, 32), Seat(2, 32)), 2, 2)
    assert [s.points for s in draws.score(table, draws.readings)] == [Decimal("0.5")] * 2
    assert [s.points for s in amended.score(table, amended.readings)] == [0, 0]
    order = draws.order([Entrant(n, "Bo") for n in (1, 2, 3, 4)], draws.readings)
    (tables,) = draws.compositions(4, 2, 2, draws.readings)
    dealt = draws.deal(order, tables.sizes, [], draws.readings)
    assert [[placed.key for placed in table] for table in dealt] == [[1, 2], [3, 4]]
    credited = [
        Credit(line.key, 1, 1, line.points, line.win) for line in draws.score(table, draws.readings)
    ]
    standing = draws.standings([*credited, Credit(3, 1, 1, Decimal(1), win=True)], {}, Half("half"))
    assert [(row.place, row.key) for row in standing] == [(1, 3), (2, 1), (2, 2)]
    assert (draws.award, draws.factor, draws.bye) == (None, None, None)
