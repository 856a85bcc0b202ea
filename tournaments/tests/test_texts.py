"""Every refusal and every step of an explanation has its words, in both languages."""

from __future__ import annotations

import re
from collections.abc import Callable, Iterator
from dataclasses import replace
from decimal import Decimal
from fractions import Fraction

import pytest
from django.utils import translation

from tournaments import texts
from tournaments.rules.figf import (
    READINGS,
    Why,
    check,
    score,
    substitute,
    total_of,
)
from tournaments.rules.regulation import Illegal, PlayerId, Reason, Seat, Step, Table

LANGUAGES = ["it", "en"]
NAMES: dict[PlayerId, str] = {
    "A": "Alice",
    "B": "Bruno",
    "C": "Carla",
    "D": "Dino",
    "REF": "un arbitro",
}


def table(*seats: Seat, void: bool = False) -> Table:
    return Table(seats, 3, 6, void=void)


THREE = (Seat("A", 9876), Seat("B", 8765), Seat("C", 7654))
REFUSED: dict[Reason, Callable[[], object]] = {
    Reason.TOTAL_NOT_INTEGER: lambda: check(table(Seat("A", 1.5), *THREE[1:])),  # type: ignore[arg-type]
    Reason.TOTAL_NEGATIVE: lambda: check(table(Seat("A", -1), *THREE[1:])),
    Reason.TOTAL_MISSING: lambda: total_of(100, None, None),
    Reason.PARTS_DO_NOT_ADD: lambda: total_of(100, 10, 120),
    Reason.SEAT_COUNT: lambda: check(table(*THREE[1:])),
    Reason.DUPLICATE_PLAYER: lambda: check(table(*THREE, THREE[0])),
    Reason.NOBODY_LEFT: lambda: score(
        table(*(replace(seat, excluded=True) for seat in THREE)), READINGS
    ),
    Reason.WINNER_TOTAL_ZERO: lambda: score(
        table(*(replace(seat, total=0) for seat in THREE)), READINGS
    ),
    Reason.ALREADY_SEATED: lambda: substitute(["A"], "B", at_table={"B"}),
    Reason.SEATED_IN_ROUND: lambda: substitute(["A"], "B", in_round={"B"}),
}


def steps() -> Iterator[Step]:
    """Real steps of real tables: each kind in each of its readings."""
    a, b, c = THREE
    tables = [
        table(*THREE),
        table(replace(a, handicap=-1000), b, c),
        table(replace(a, excluded=True), b, c),
        table(Seat("REF", 9000, unscored=True), b, c),
        table(replace(a, cinderella=True), b, c),
        table(a, replace(b, total=9876), c),
        table(a, b, replace(c, total=8765)),
        table(a, replace(b, excluded=True), replace(c, excluded=True)),
        table(*THREE, void=True),
    ]
    readings = [
        READINGS,
        replace(READINGS, excluded_from_game="keep_reference"),
        replace(READINGS, unscored_seat="removed"),
        replace(READINGS, cinderella_credit="none"),
    ]
    for reading in readings:
        for each in tables:
            for line in score(each, reading):
                yield from line.steps


STEPS = list(steps())


@pytest.mark.parametrize("language", LANGUAGES)
@pytest.mark.parametrize("reason", list(Reason))
def test_every_reason_has_words_that_take_its_figures(reason: Reason, language: str) -> None:
    with pytest.raises(Illegal) as illegal:
        REFUSED[reason]()
    assert illegal.value.reason == reason
    with translation.override(language):
        words = texts.refusal(illegal.value)
    assert re.fullmatch(r"[A-ZÈ][^%{}]{8,}[.]", words), words
    if reason is Reason.SEAT_COUNT:  # two seats, of three to six
        assert re.findall(r"\d+", words) == ["2", "3", "6"]


def test_the_words_are_those_of_the_steps_that_the_rules_take_and_no_others() -> None:
    taken = {(Why(step.kind), str(dict(step.values).get("reading", ""))) for step in STEPS}
    assert {kind for kind, _reading in taken} == set(Why)
    assert set(texts.STEPS) == taken
    assert set(texts.REFUSALS) == set(Reason)


@pytest.mark.parametrize("language", LANGUAGES)
def test_every_step_has_words_that_take_its_figures(language: str) -> None:
    with translation.override(language):
        for step in STEPS:
            words = texts.explain(step, NAMES)
            assert re.fullmatch(r"[A-ZÈ][^%{}]{8,}[.…]", words), words
            for name, value in step.values:
                if isinstance(value, int) and name != "handicap":
                    assert re.search(rf"(?<!\d){value}(?!\d)", words), (step, words)
                if isinstance(value, tuple):
                    assert ", ".join(NAMES[str(key)] for key in value) in words


@pytest.mark.parametrize("words", [*texts.REFUSALS.values(), *texts.STEPS.values()])
def test_no_words_are_the_same_in_the_two_languages(words: object) -> None:
    with translation.override("en"):
        english = str(words)
    with translation.override("it"):
        assert str(words) != english


def test_figures_are_written_as_the_reader_writes_them() -> None:
    """PCT-23: 8765 ÷ 9876 × 1000 = 887.505062…, which is 887.51; the zeros of 960.00 go (C-05)."""
    base, rounded = Fraction(1000 * 8765, 9876), Decimal("887.51")
    figures = [base, rounded, Decimal("960.00"), Fraction(7201, 8), Fraction(960), 12345, 0]
    with translation.override("it"):
        assert [texts.number(value) for value in figures] == [
            "887,50506…",
            "887,51",
            "960",
            "900,125",
            "960",
            "12345",
            "0",
        ]
    with translation.override("en"):
        assert [texts.number(value) for value in figures] == [
            "887.50506…",
            "887.51",
            "960",
            "900.125",
            "960",
            "12345",
            "0",
        ]


@pytest.mark.parametrize(("handicap", "written"), [(-1000, "−1000"), (500, "+500")])
def test_a_handicap_is_written_with_its_sign(handicap: int, written: str) -> None:
    step = Step.of("C-09", Why.HANDICAP, total=8000, handicap=handicap, adjusted=8000 + handicap)
    for language in LANGUAGES:
        with translation.override(language):
            words = texts.explain(step, {})
        assert written in words
        assert "8000" in words
        assert str(8000 + handicap) in words
