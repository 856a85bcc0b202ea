"""Events, their prove, who may not enrol, and the event of two years before."""

from __future__ import annotations

import json
from dataclasses import replace
from datetime import date
from decimal import Decimal
from functools import partial
from itertools import product
from pathlib import Path
from typing import Any, Literal

import pytest

from tournaments.rules.calendar import (
    NEXT,
    Ban,
    CalendarEvent,
    Candidate,
    Kind,
    Scope,
    blocks,
    check_dates,
    check_director,
    check_may_enrol,
    check_rounds,
    check_seats,
    check_step,
    contribution,
    corresponding,
    event_factor,
    event_seats,
    pbem_too_early,
    planned,
)
from tournaments.rules.figf import FIGF_2006, READINGS
from tournaments.rules.regulation import Illegal, Reason

VECTORS: dict[str, Any] = json.loads(
    Path(__file__).with_name("figf_vectors.json").read_text(encoding="utf-8")
)
FACTORS = [case for case in VECTORS["cases"] if case["id"].startswith("FE-")]


# --- events and prove -----------------------------------------------------------------------------


@pytest.mark.parametrize(
    ("starts_on", "ends_on", "by_correspondence"),
    [
        (date(2006, 5, 6), date(2006, 5, 7), False),
        (date(2006, 5, 6), date(2006, 5, 6), False),
        (date(2006, 1, 1), date(2006, 1, 1), False),
        (date(2006, 12, 31), date(2007, 1, 1), False),
        (date(2005, 11, 1), date(2006, 9, 30), True),
        (date(2007, 1, 15), date(2007, 6, 1), True),
    ],
)
def test_an_event_begins_in_its_season_and_ends_when_it_will(
    starts_on: date, ends_on: date, by_correspondence: bool
) -> None:
    """A-01. The tournament by correspondence may begin in another year."""
    check_dates(starts_on, ends_on, 2006, by_correspondence=by_correspondence)


@pytest.mark.parametrize(
    ("starts_on", "ends_on", "by_correspondence", "reason", "field"),
    [
        (date(2006, 5, 7), date(2006, 5, 6), False, Reason.DATES_REVERSED, "ends_on"),
        (date(2006, 5, 7), date(2006, 5, 6), True, Reason.DATES_REVERSED, "ends_on"),
        (date(2005, 12, 31), date(2006, 1, 1), False, Reason.OUTSIDE_SEASON, "starts_on"),
        (date(2007, 1, 1), date(2007, 1, 2), False, Reason.OUTSIDE_SEASON, "starts_on"),
    ],
)
def test_other_dates_are_refused_at_their_box(
    starts_on: date, ends_on: date, by_correspondence: bool, reason: Reason, field: str
) -> None:
    """A-01."""
    with pytest.raises(Illegal) as refused:
        check_dates(starts_on, ends_on, 2006, by_correspondence=by_correspondence)
    assert (refused.value.reason, refused.value.rule, refused.value.field) == (
        reason,
        "A-01",
        field,
    )


@pytest.mark.parametrize(
    ("status", "counts"),
    [
        ("draft", False),
        ("enrolling", True),
        ("running", True),
        ("concluded", True),
        ("closed", True),
        ("cancelled", False),
        ("invalid", False),
    ],
)
def test_the_planned_events_are_those_to_be_held(status: str, counts: bool) -> None:
    """A-03, F-04: a draft is not in the calendar yet, an event called off no more."""
    assert planned([status]) == counts
    assert planned(["closed", status, status]) == 1 + 2 * counts


def test_no_event_is_planned_in_an_empty_calendar() -> None:
    """A-03."""
    assert planned([]) == 0


def test_a_prova_has_one_round_or_two() -> None:
    """A-04."""
    check_rounds(1)
    check_rounds(2)
    for rounds in (-1, 0, 3):
        with pytest.raises(Illegal) as refused:
            check_rounds(rounds)
        no = refused.value
        assert (no.reason, no.rule, no.field) == (Reason.ROUNDS, "A-04", "rounds")


def test_a_prova_of_another_federation_has_as_many_rounds_as_it_says() -> None:
    """A-04."""
    check_rounds(7, most=7)
    for rounds in (0, 8):
        with pytest.raises(Illegal) as refused:
            check_rounds(rounds, most=7)
        assert (refused.value.reason, refused.value.data) == (Reason.TOO_MANY_ROUNDS, {"most": 7})


@pytest.mark.parametrize(
    ("fewest", "most", "expected"), [(2, 6, (3, 6)), (3, 5, (3, 5)), (4, 4, (4, 4)), (2, 2, (3, 2))]
)
def test_a_title_seats_three_at_least_in_an_event(
    fewest: int, most: int, expected: tuple[int, int]
) -> None:
    """A-05, B-07: 1830 is published for two to six. A title for two seats nobody."""
    assert event_seats(fewest, most, FIGF_2006) == expected


def test_another_federation_has_limits_of_its_own() -> None:
    """A-05."""
    pairs = replace(FIGF_2006, fewest_seats=2, most_seats=2)
    assert event_seats(2, 6, pairs) == (2, 2)
    assert event_seats(3, 5, pairs) == (3, 2)  # a title that two cannot play seats nobody
    bye = replace(pairs, bye={})
    assert [bye.admits(players, 2, 2) for players in (0, 1, 2, 3)] == [False, True, True, False]
    assert not pairs.admits(1, 2, 2)


@pytest.mark.parametrize(("fewest", "most"), [(1, 6), (0, 0), (6, 5), (3, 2)])
def test_seats_that_make_no_sense_are_refused(fewest: int, most: int) -> None:
    """A-05."""
    for check in (check_seats, partial(event_seats, rules=FIGF_2006)):
        with pytest.raises(Illegal) as refused:
            check(fewest, most)
        no = refused.value
        assert (no.reason, no.rule, no.field) == (Reason.TITLE_SEATS, "A-05", "most")


@pytest.mark.parametrize("case", FACTORS, ids=lambda case: case["id"])
def test_vectors_of_the_event_factor(case: dict[str, Any]) -> None:
    """A-06, each prova in a double round, which changes nothing."""
    rounds = [2] * case["input"]["prove"]
    if isinstance(case["expected"], dict):
        with pytest.raises(Illegal) as refused:
            event_factor(rounds, READINGS)
        assert (refused.value.reason, refused.value.rule) == (case["expected"]["error"], "A-06")
    else:
        assert event_factor(rounds, READINGS) == case["expected"]


def test_every_event_of_the_season_has_its_factor() -> None:
    """A-06."""
    for event in VECTORS["season"]["events"]:
        rounds = [len(prova["rounds"]) for prova in event["prove"]]
        assert event_factor(rounds, READINGS) == event["fe"], event["id"]


def test_what_the_factor_counts_is_a_reading() -> None:
    """A-06: one title in a double round, and one beside it."""
    by_rounds = replace(READINGS, fe_counts="rounds")
    assert (event_factor([2], READINGS), event_factor([2], by_rounds)) == (2, 3)
    assert (event_factor([2, 1], READINGS), event_factor([2, 1], by_rounds)) == (3, 4)


def test_the_technical_director_is_a_figf_referee() -> None:
    """A-08."""
    check_director(True)
    with pytest.raises(Illegal) as refused:
        check_director(False)
    no = refused.value
    assert (no.reason, no.rule, no.field) == (Reason.DIRECTOR_NOT_REFEREE, "A-08", "director")


def test_the_contribution_is_so_much_for_each_enrolled() -> None:
    """A-12: the vector FEE-1, at 2 euro as 000:19 fixes for 2006."""
    (case,) = (case for case in VECTORS["cases"] if case["id"] == "FEE-1")
    assert contribution(case["input"]["enrolled"], Decimal("2.00")) == case["expected"] == 38
    assert str(contribution(3, Decimal("2.50"))) == "7.50"
    assert contribution(0, Decimal("2.00")) == 0


def test_a_season_without_a_contribution_leaves_the_statement_open() -> None:
    """A-12."""
    with pytest.raises(Illegal) as refused:
        contribution(19, None)
    assert (refused.value.reason, refused.value.rule) == (Reason.NO_CONTRIBUTION, "A-12")


@pytest.mark.parametrize(("year", "early"), [(1999, True), (2000, True), (2001, False)])
def test_the_tournament_by_correspondence_is_an_event_since_2001(year: int, early: bool) -> None:
    """A-14."""
    assert pbem_too_early(year) is early


STATUSES = ("draft", "enrolling", "running", "concluded", "closed", "cancelled", "invalid")
STEPS = {
    "draft → enrolling, cancelled",
    "enrolling → draft, running, cancelled",
    "running → enrolling, concluded, cancelled, invalid",
    "concluded → running, closed, invalid",
    "closed → concluded",
    "cancelled → draft",
    "invalid → concluded",
}


def test_an_event_takes_the_steps_that_there_are_and_no_others() -> None:
    """A-15."""
    allowed = {
        (before, after)
        for before, _, afters in (step.partition(" → ") for step in STEPS)
        for after in afters.split(", ")
    }
    assert set(NEXT) == set(STATUSES)
    for before, after in product(STATUSES, repeat=2):
        if (before, after) in allowed:
            check_step(before, after)
            continue
        with pytest.raises(Illegal) as refused:
            check_step(before, after)
        no = refused.value
        assert (no.reason, no.rule, no.field) == (Reason.STATUS_STEP, "A-15", "status")
        assert no.data == {"before": before, "after": after}


def test_no_step_leads_from_or_to_what_is_no_status() -> None:
    """A-15."""
    for before, after in (("draft", "played"), ("played", "draft")):
        with pytest.raises(Illegal, match="status_step"):
            check_step(before, after)


# --- who may not enrol ----------------------------------------------------------------------------


def event(
    number: int, month: int, kind: Kind = "live", *, day: int = 10, **other: Any
) -> CalendarEvent:
    starts_on = date(2006, month, day)
    return CalendarEvent(
        number,
        starts_on,
        other.pop("ends_on", starts_on),
        (2006, number),
        kind,
        name=f"E{number}",
        **other,
    )


# The tournament by correspondence, E4, begins in May and lasts until November.
CALENDAR = [
    event(1, 2),
    event(2, 3),
    event(3, 4),
    event(4, 5, "pbem", ends_on=date(2006, 11, 30)),
    event(5, 6),
    event(6, 9),
    event(7, 10),
    event(8, 12),
]


def closed_to(ban: Ban, calendar: list[CalendarEvent]) -> list[object]:
    return [each.key for each in calendar if blocks(ban, each, calendar)]


def test_a_disqualification_covers_the_next_events() -> None:
    """A-18, O-09: P16 of the vectors, two events after the fifth."""
    expected = [int(key[-1]) for key in VECTORS["season"]["suspended"]["events"]]
    ban = Ban("events", date(2006, 6, 11), count=2)
    assert closed_to(ban, CALENDAR) == expected == [6, 7]
    assert closed_to(ban, CALENDAR[::-1]) == [7, 6]


@pytest.mark.parametrize(
    ("starts_on", "count", "expected"),
    [
        (date(2006, 3, 10), 1, [2]),  # from its day on
        (date(2006, 3, 11), 1, [3]),
        (date(2006, 3, 11), 2, [3, 4]),  # the tournament by correspondence is one of the events
        (date(2006, 10, 1), 3, [7, 8]),  # as many as there are
        (date(2006, 12, 11), 3, []),
        (date(2006, 4, 10), None, [3, 4, 5, 6, 7, 8]),  # until it is lifted
    ],
)
def test_a_disqualification_runs_from_its_communication(
    starts_on: date, count: int | None, expected: list[int]
) -> None:
    """A-18, O-09."""
    assert closed_to(Ban("events", starts_on, count), CALENDAR) == expected


def test_an_event_cancelled_is_not_counted_and_the_next_one_is() -> None:
    """A-18, O-09."""
    calendar = [replace(each, cancelled=each.key == 6) for each in CALENDAR]
    assert closed_to(Ban("events", date(2006, 6, 11), count=2), calendar) == [7, 8]


def test_a_disqualification_goes_on_into_the_next_season() -> None:
    """A-18, O-09."""
    next_year = CalendarEvent(9, date(2007, 2, 1), date(2007, 2, 2), (2007, 1), "live")
    calendar = [next_year, *CALENDAR]
    assert closed_to(Ban("events", date(2006, 12, 1), count=2), calendar) == [9, 8]


def test_events_of_one_day_go_by_their_number() -> None:
    """A-18, O-09."""
    pair = [event(11, 9, day=20), event(10, 9, day=20)]
    assert closed_to(Ban("events", date(2006, 9, 15), count=1), pair) == [10]


def test_an_event_that_the_calendar_lacks_is_counted_with_it() -> None:
    """A-18, O-09."""
    ban = Ban("events", date(2006, 6, 11), count=2)
    calendar = [each for each in CALENDAR if each.key != 6]
    assert [blocks(ban, each, calendar) for each in CALENDAR[5:]] == [True, True, True]
    assert closed_to(ban, calendar) == [7, 8]


@pytest.mark.parametrize(
    ("month", "day", "closed"),
    [
        (6, 10, False),  # before the ban
        (6, 12, True),
        (9, 30, True),
        (10, 12, True),  # the last day of the last event covered
        (10, 13, False),
    ],
)
def test_a_cup_is_closed_while_the_disqualification_runs(
    month: int, day: int, closed: bool
) -> None:
    """A-18, O-09. It is not counted."""
    calendar = [replace(e, ends_on=date(2006, 10, 12)) if e.key == 7 else e for e in CALENDAR]
    cup = event(20, month, "cup", day=day)
    ban = Ban("events", date(2006, 6, 11), count=2)
    assert blocks(ban, cup, calendar) is closed
    assert closed_to(ban, [cup, *calendar])[-2:] == [6, 7]


def test_a_cup_stays_closed_until_enough_events_are_in_the_calendar() -> None:
    """A-18, O-09."""
    cup = CalendarEvent(20, date(2007, 6, 1), date(2007, 6, 2), (2007, 20), "cup")
    assert blocks(Ban("events", date(2006, 9, 1), count=4), cup, CALENDAR)
    assert not blocks(Ban("events", date(2006, 9, 1), count=3), cup, CALENDAR)


@pytest.mark.parametrize(
    ("scope", "expected"),
    [
        ("events", ["live", "pbem", "cup"]),
        ("web", ["pbem", "cup"]),
        ("all", ["live", "pbem", "cup", "friendly"]),
    ],
)
def test_each_ban_reaches_its_kinds_of_event(scope: Scope, expected: list[str]) -> None:
    """A-18: a friendly event only for who is expelled, a live one never for the black list."""
    kinds: list[Kind] = ["live", "pbem", "cup", "friendly"]
    ban = Ban(scope, date(2006, 1, 1))
    assert [kind for kind in kinds if blocks(ban, event(1, 6, kind), [])] == expected


@pytest.mark.parametrize(("scope", "closed"), [("events", False), ("web", True), ("all", True)])
def test_an_event_under_way_is_closed_by_the_black_list_and_by_expulsion(
    scope: Scope, closed: bool
) -> None:
    """A-18, O-09: a disqualification is for following events only."""
    assert blocks(Ban(scope, date(2006, 7, 1)), CALENDAR[3], CALENDAR) is closed
    assert not blocks(Ban(scope, date(2006, 12, 1)), CALENDAR[3], CALENDAR)


JUNE = date(2006, 6, 11)


@pytest.mark.parametrize(
    ("bans", "number", "reason", "data"),
    [
        ([Ban("events", JUNE, 2)], 6, Reason.SUSPENDED, {"until": "E7"}),
        ([Ban("events", JUNE, 2)], 7, Reason.SUSPENDED, {"until": "E7"}),
        ([Ban("events", JUNE, 1), Ban("events", JUNE, 3)], 6, Reason.SUSPENDED, {"until": "E8"}),
        ([Ban("events", JUNE, 4)], 6, Reason.SUSPENDED_OPEN, {}),
        ([Ban("events", JUNE)], 6, Reason.SUSPENDED_OPEN, {}),
        ([Ban("all", JUNE, 1)], 6, Reason.SUSPENDED, {"until": "E6"}),
        ([Ban("all", JUNE)], 6, Reason.EXPELLED, {}),
        ([Ban("web", JUNE)], 4, Reason.BLACKLISTED, {}),
        ([Ban("events", JUNE, 2), Ban("all", JUNE), Ban("web", JUNE)], 7, Reason.EXPELLED, {}),
        ([Ban("events", date(2006, 5, 1)), Ban("web", JUNE)], 4, Reason.BLACKLISTED, {}),
    ],
)
def test_an_enrolment_is_refused_for_the_gravest_reason(
    bans: list[Ban], number: int, reason: Reason, data: dict[str, str]
) -> None:
    """A-18."""
    with pytest.raises(Illegal) as refused:
        check_may_enrol(bans, CALENDAR[number - 1], CALENDAR)
    no = refused.value
    assert (no.reason, no.rule, no.field, no.data) == (reason, "A-18", "player", data)


@pytest.mark.parametrize(
    ("bans", "number"),
    [
        ([], 6),
        ([Ban("events", JUNE, 2)], 8),
        ([Ban("events", JUNE, 2)], 5),
        ([Ban("web", JUNE)], 6),
        ([Ban("all", JUNE)], 5),  # it was over
    ],
)
def test_anybody_else_may_enrol(bans: list[Ban], number: int) -> None:
    """A-18."""
    check_may_enrol(bans, CALENDAR[number - 1], CALENDAR)


def test_a_disqualified_player_is_told_when_a_cup_opens_again() -> None:
    """A-18."""
    with pytest.raises(Illegal) as refused:
        check_may_enrol([Ban("events", JUNE, 2)], event(20, 8, "cup"), CALENDAR)
    assert (refused.value.reason, refused.value.data) == (Reason.SUSPENDED, {"until": "E7"})


# --- the event of two years before ----------------------------------------------------------------

BEFORE = [
    Candidate("A", "Modena", 1, "Trofeo Ghirlandina 2004"),
    Candidate("B", "Roma", 2, "II Coppa Capitale"),
    Candidate("C", "", 3, "Torneo pbem '04"),
    Candidate("D", "Milano", 4, "Raduno d'autunno"),
    Candidate("E", "Milano", 5, "Raduno d'inverno"),
]


@pytest.mark.parametrize(
    ("town", "ordinal", "name", "expected"),
    [
        ("Modena", 4, "Trofeo Ghirlandina 2006", "A"),
        ("Ferrara", 4, "3° TROFEO GHIRLANDINA", "A"),  # the series goes where it will
        ("Ostia", 1, "IV Coppa Capitale", "B"),
        ("", 1, "Torneo pbem 2006", "C"),
        ("MODENA", 3, "Festa dei treni", "A"),  # the same town
        ("Milano", 4, "Festa dei treni", "D"),  # of two in one town, the nearest number
        ("Milano", 9, "Festa dei treni", "E"),
        ("Roma", 1, "Raduno d'inverno 2006", "E"),  # the series before the town
        ("Bari", 2, "Festa dei treni", "B"),  # neither: the same number
        ("", 3, "Festa dei treni", "C"),  # no town is nobody's town
        ("Bari", 6, "Festa dei treni", None),
        ("Bari", 1, "2006", "A"),  # a name that is only a number is no series
    ],
)
def test_an_event_corresponds_to_its_series_its_town_or_its_number(
    town: str, ordinal: int, name: str, expected: str | None
) -> None:
    """H-04."""
    assert corresponding(town, ordinal, name, BEFORE) == expected


def test_an_event_that_is_taken_is_not_proposed() -> None:
    """H-04: each is replaced once."""
    taken = [replace(each, taken=each.key in {"A", "D"}) for each in BEFORE]
    assert corresponding("Modena", 2, "Trofeo Ghirlandina 2006", taken) == "B"
    assert corresponding("Modena", 1, "Trofeo Ghirlandina 2006", taken) is None
    assert corresponding("Milano", 4, "Festa dei treni", taken) == "E"
    assert corresponding("Modena", 1, "Trofeo Ghirlandina 2006", []) is None


@pytest.mark.parametrize(
    ("one", "other", "same"),
    [
        ("Città di Èrcoli 2004", "CITTA DI ERCOLI 2006", True),
        ("3rd Meeting", "4th meeting", True),
        ("3ª edizione", "5ª Edizione", True),
        ("Trofeo XL", "Trofeo XIX", True),
        ("Trofeo d'autunno", "Trofeo d'inverno", False),
        ("Mille miglia", "Miglia", False),
        ("2004", "2006", False),
    ],
)
def test_a_series_is_a_name_without_its_year_and_number(one: str, other: str, same: bool) -> None:
    """H-04."""
    expected: Literal["X"] | None = "X" if same else None
    assert corresponding("", 9, other, [Candidate("X", "", 1, one)]) == expected
