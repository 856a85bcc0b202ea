"""Every refusal and every step of an explanation has its words, in both languages."""

from __future__ import annotations

import re
from collections.abc import Callable, Iterator
from dataclasses import replace
from datetime import date
from decimal import Decimal
from fractions import Fraction

import pytest
from django.utils import translation

from tournaments import texts
from tournaments.rules.calendar import (
    Ban,
    CalendarEvent,
    check_dates,
    check_director,
    check_may_enrol,
    check_rounds,
    check_seats,
    check_step,
    contribution,
    event_factor,
)
from tournaments.rules.figf import (
    FIGF_2006,
    READINGS,
    Why,
    check,
    score,
    substitute,
    total_of,
)
from tournaments.rules.referees import check_appointed, check_referee
from tournaments.rules.regulation import (
    ByHand,
    Credit,
    Entrant,
    Illegal,
    PlayerId,
    Reason,
    Seat,
    Step,
    Table,
)
from tournaments.rules.standing import Stood, award_why, points, standings
from tournaments.rules.tables import Laid, Sat, composition, compositions, order

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
APRIL, MAY = date(2006, 4, 30), date(2006, 5, 1)
EVENT = CalendarEvent(1, MAY, MAY, (2006, 1), "pbem", name="Torneo 18")
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
    Reason.TOO_FEW_PLAYERS: lambda: compositions(2, 3, 6, READINGS),
    Reason.NO_PARTITION: lambda: compositions(5, 3, 4, READINGS),
    Reason.NO_ALTERNATIVE: lambda: composition(7, 3, 6, READINGS, starred=True),
    Reason.REFEREE_AT_OWN_TABLE: lambda: check_referee("A", ["A", "B", "C"]),
    Reason.REFEREE_MISSING: lambda: check_appointed(["A", None]),
    Reason.DIRECTOR_NOT_REFEREE: lambda: check_director(False),
    Reason.DATES_REVERSED: lambda: check_dates(MAY, APRIL, 2006, by_correspondence=False),
    Reason.OUTSIDE_SEASON: lambda: check_dates(APRIL, MAY, 2007, by_correspondence=False),
    Reason.ROUNDS: lambda: check_rounds(3),
    Reason.TOO_MANY_ROUNDS: lambda: check_rounds(8, most=7),
    Reason.TITLE_SEATS: lambda: check_seats(6, 3),
    Reason.STATUS_STEP: lambda: check_step("draft", "closed"),
    Reason.NO_PROVE: lambda: event_factor([], READINGS),
    Reason.NO_CONTRIBUTION: lambda: contribution(19, None),
    Reason.SUSPENDED: lambda: check_may_enrol([Ban("events", APRIL, 1)], EVENT, [EVENT]),
    Reason.SUSPENDED_OPEN: lambda: check_may_enrol([Ban("events", APRIL, 2)], EVENT, [EVENT]),
    Reason.EXPELLED: lambda: check_may_enrol([Ban("all", APRIL)], EVENT, [EVENT]),
    Reason.BLACKLISTED: lambda: check_may_enrol([Ban("web", APRIL)], EVENT, [EVENT]),
    Reason.BAD_PLACE_OR_FE: lambda: points(0, 3),
}
FIGURES = {  # the numbers and names that the words of a refusal must hold
    Reason.TOTAL_NEGATIVE: ["0"],
    Reason.SEAT_COUNT: ["2", "3", "6"],
    Reason.TOO_FEW_PLAYERS: ["3", "2"],
    Reason.NO_PARTITION: ["3", "4", "5"],
    Reason.NO_ALTERNATIVE: ["7"],
    Reason.TOO_MANY_ROUNDS: ["7"],
    Reason.REFEREE_MISSING: ["2"],
    Reason.SUSPENDED: ["18"],
    Reason.BAD_PLACE_OR_FE: ["0", "3"],
}


def steps() -> Iterator[Step]:
    """Real steps: each kind in each of its readings."""
    yield from score_steps()
    yield from (step for players in (6, 7, 11, 24, 26) for step in composition_steps(players))
    yield from order_steps()
    yield Step.of("B-15", ByHand.BY_HAND)  # no rule leads there
    yield from standing_steps()
    yield FIGF_2006.summary


def composition_steps(players: int) -> Iterator[Step]:
    for most in (4, 5, 6):
        yield from (way.step for way in compositions(players, 3, most, READINGS))


def order_steps() -> Iterator[Step]:
    """A first round with two level and one not in the ranking; a later round with everybody."""
    ada, bo, elio, gino = (
        Entrant(n, name, ranking=9) for n, name in enumerate(["Ada", "Bo", "Elio", "Gino"])
    )
    yield from (
        placed.step
        for placed in order(
            [ada, bo, replace(elio, ranking=80), replace(gino, ranking=0)], READINGS
        )
    )
    total, best = Decimal("2400.00"), Decimal("1540.00")
    rest = [replace(ada, key=5, played=True), replace(bo, key=6)]
    for told in (
        {"total": Decimal("2399.99")},
        {"total": total, "best": Decimal("1500.00")},
        {"total": total, "best": best, "ranking": 5},
        {"total": total, "best": best},
    ):
        one = replace(ada, played=True, total=total, best=best)
        other = replace(one, key=1, **told)
        yield from (placed.step for placed in order([one, other, *rest], READINGS))


def standing_steps() -> Iterator[Step]:
    """Four with one total, told apart by the best, by the ranking, by nothing; and a fifth."""
    credited = [
        Credit(key, prova, 1, Decimal(percentile))
        for key, first, second in (
            ("A", "1500.00", "500.00"),
            ("B", "1200.00", "800.00"),
            ("C", "800.00", "1200.00"),
            ("D", "1200.00", "800.00"),
            ("REF", "300.00", "200.00"),
        )
        for prova, percentile in ((1, first), (2, second))
    ]
    for reading in (
        READINGS,
        replace(READINGS, lower_ranking="better_place"),
        replace(READINGS, event_tie="ex_aequo"),
    ):
        for row in standings(credited, {"A": 900, "B": 30, "C": 30, "D": 80}, reading):
            yield from row.steps
    yield from standings([Credit("A", 1, 1, Decimal("900.00"))], {}, READINGS)[0].steps
    yield from (step for place in (1, 10, 11) for step in award_why(place, [1, 1], READINGS))


def score_steps() -> Iterator[Step]:
    """Real steps of real tables."""
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
    assert re.fullmatch(r"[A-ZÈ][^%{}]{8,}[.?]", words), words
    assert sorted(re.findall(r"\d+", words)) == sorted(FIGURES.get(reason, [])), words


def test_the_words_are_those_of_the_steps_that_the_rules_take_and_no_others() -> None:
    taken = {(step.kind, str(dict(step.values).get("reading", ""))) for step in STEPS}
    assert {kind for kind, _reading in taken} == {*Why, *Laid, *Sat, *ByHand, *Stood}
    assert set(texts.STEPS) == taken
    assert set(texts.REFUSALS) == set(Reason)


@pytest.mark.parametrize("language", LANGUAGES)
def test_a_step_read_back_from_json_is_explained_all_the_same(language: str) -> None:
    with translation.override(language):
        for step in STEPS:
            if isinstance(step.kind, Laid | Sat | ByHand):
                read = Step.from_json(step.to_json(), FIGF_2006.kind)
                assert texts.explain(read) == texts.explain(step, NAMES)


def test_no_two_kinds_of_step_share_their_words() -> None:
    """Members of two enumerations are equal if their texts are: each has its own."""
    kinds = [*Why, *Laid, *Sat, *ByHand, *Stood]
    assert len(set(kinds)) == len(kinds)


@pytest.mark.parametrize("language", LANGUAGES)
def test_every_step_has_words_that_take_its_figures(language: str) -> None:
    with translation.override(language):
        for step in STEPS:
            words = texts.explain(step, NAMES)
            assert re.fullmatch(r"[A-ZÈ][^%{}]{8,}[.…]", words), words
            for name, value in step.values:
                if isinstance(value, int) and name != "handicap":
                    assert re.search(rf"(?<!\d){value}(?!\d)", words), (step, words)
                if name == "parts" and isinstance(value, tuple):
                    assert " + ".join(map(texts.number, value)) in words
                elif isinstance(value, tuple):
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
