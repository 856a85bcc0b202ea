"""The championships and the ranking as the vectors have them, and whatever the results."""

from __future__ import annotations

import json
from dataclasses import replace
from datetime import date, timedelta
from decimal import Decimal
from pathlib import Path
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from rankings.rules import absolute, honours, specialty, ties, two_years
from rankings.rules.absolute import Season
from rankings.rules.readings import READINGS, SINCE, readings_of
from rankings.rules.ties import Claim, Criterion
from rankings.rules.two_years import Edition, Moment, Outcome
from tournaments.rules.regulation import Credit

VECTORS = Path(__file__).parents[2] / "tournaments" / "tests" / "figf_vectors.json"
CASES = {case["id"]: case for case in json.loads(VECTORS.read_text("utf-8"))["cases"]}


def cases(*prefixes: str) -> list[Any]:
    return [
        pytest.param(case["input"], case["expected"], id=name)
        for name, case in CASES.items()
        if name.startswith(prefixes)
    ]


# --- vectors --------------------------------------------------------------------------------------


@pytest.mark.parametrize(("told", "expected"), cases("SPE-"))
def test_a_specialty_stands_as_the_vectors_say(told: Any, expected: Any) -> None:
    """E-01, E-02, E-06, G-01, G-05, G-06, G-07"""
    of = {
        key: [specialty.Result(n, 1, 1, Decimal(x)) for n, x in enumerate(his)]
        for key, his in told["results"].items()
    }
    rows = specialty.standing(of, told["ranking"], READINGS)
    assert [
        {
            "place": row.place,
            "player": row.key,
            "total": str(row.total),
            "counted": [str(result.points) for result in row.counted],
            "discarded": [str(result.points) for result in row.discarded],
        }
        for row in rows
    ] == expected


def year(told: Any) -> Season:
    events: Any = tuple(
        None
        if event is None
        else {row["player"]: Outcome(row["place"], row["points"]) for row in event}
        for event in told["events"]
    )
    return Season(events, told.get("cancelled", 0))


@pytest.mark.parametrize(("told", "expected"), cases("ABS-", "TBA-"))
def test_the_absolute_stands_as_the_vectors_say(told: Any, expected: Any) -> None:
    """F-01, F-02, F-03, F-04, F-05, F-07, G-02, G-06; the vectors show ten places."""
    rows = absolute.standing(year(told), told["ranking"], READINGS)
    assert [
        {
            "place": row.place,
            "player": row.key,
            "total": row.total,
            "scores": list(row.scores),
            "dropped": row.dropped,
            "countback": list(row.countback[:10]),
        }
        for row in rows
    ] == expected


@pytest.mark.parametrize(("told", "expected"), cases("RNK-0"))
def test_the_window_is_that_of_the_vectors(told: Any, expected: Any) -> None:
    """H-03, H-04, H-05: by default the same ordinal corresponds."""
    calendar = []
    for season, names in told["seasons"].items():
        old = told["seasons"].get(str(int(season) - 2), [])
        for number, name in enumerate(names, start=1):
            here = int(season) == told["year"]
            same = old[number - 1] if number <= len(old) else None
            calendar.append(
                Edition(
                    name,
                    int(season),
                    number,
                    date(int(season), 2 * number, 1),
                    "closed" if not here or name in told["played"] else "open",
                    told["links"].get(name, same) if here else None,
                )
            )
    closes = {told["year"]: date(told["year"], 12, 1)} if told.get("closed") else {}
    until = Moment(date(told["year"], 12, 30))
    assert list(two_years.window(calendar, closes, until)) == expected


@pytest.mark.parametrize(("told", "expected"), cases("RNK-1"))
def test_the_ranking_adds_up_as_the_vectors_say(told: Any, expected: Any) -> None:
    """H-01, H-02, H-07"""
    outcomes = {
        event: {
            player: Outcome(1, told["points"][event].get(player, 0), wins.get(player, 0))
            for player in {**told["points"][event], **wins}
        }
        for event, wins in told["wins"].items()
    }
    assert two_years.points(told["window"], outcomes) == expected


# --- readings -------------------------------------------------------------------------------------

DOUBLE = [
    (6, Credit("a", 1, 1, Decimal("900.00"))),
    (6, Credit("a", 1, 2, Decimal("1600.00"))),
    (6, Credit("a", 2, 1, Decimal("700.00"))),
]


def test_a_double_round_is_two_results_or_one() -> None:
    """E-03, E-04"""
    games = specialty.results(DOUBLE, READINGS)["a"]
    assert [result.points for result in games] == [900, 1600, 700]
    prove = specialty.results(DOUBLE, replace(READINGS, specialty_unit="prova"))["a"]
    assert [result.points for result in prove] == [2500, 700]


def test_a_cancelled_event_may_stay_planned() -> None:
    """F-04: then it is the zero that everybody drops."""
    season = Season(({"a": Outcome(1, 75)}, {"a": Outcome(2, 54)}), cancelled=1)
    (row,) = absolute.standing(season, {}, READINGS)
    assert (row.total, row.dropped) == (75, 54)
    kept = replace(READINGS, planned_includes_cancelled="yes")
    (row,) = absolute.standing(season, {}, kept)
    assert (row.total, row.dropped) == (129, 0)


def test_an_event_lost_by_a_sanction_may_be_kept_from_the_drop() -> None:
    """F-06"""
    events: Any = ({"a": Outcome(1, 75)}, {"b": Outcome(1, 75)}, {"a": Outcome(3, 39)})
    season = Season(events, sanctioned=frozenset({("a", 1)}))
    totals = {row.key: row.total for row in absolute.standing(season, {}, READINGS)}
    assert totals["a"] == 114
    counts = replace(READINGS, sanctioned_event="counts")
    totals = {row.key: row.total for row in absolute.standing(season, {}, counts)}
    assert totals["a"] == 75


def test_victories_may_be_games_and_the_dropped_event_may_not_count() -> None:
    """G-02: a won an event and b three games; or the win of a is in the event he drops."""
    events: Any = ({"a": Outcome(1, 50, 1), "b": Outcome(2, 50, 3)}, {"c": Outcome(1, 10)}, None)
    assert [r.key for r in absolute.standing(Season(events), {}, READINGS)] == ["a", "b", "c"]
    games = replace(READINGS, victories="games")
    assert [r.key for r in absolute.standing(Season(events), {}, games)] == ["b", "a", "c"]
    dropped: Any = (
        {"a": Outcome(1, 20), "b": Outcome(2, 20)},
        {"a": Outcome(2, 75), "b": Outcome(1, 75)},
    )
    level = absolute.standing(
        Season(dropped), {}, replace(READINGS, countback_includes_dropped="no")
    )
    assert [(row.place, row.key) for row in level] == [(1, "b"), (2, "a")]


def test_lower_ranking_may_be_the_better_place() -> None:
    """G-06"""
    events: Any = ({"a": Outcome(1, 75), "b": Outcome(1, 75)},)
    ranking: Any = {"a": 40, "b": 10}
    assert [r.key for r in absolute.standing(Season(events), ranking, READINGS)] == ["b", "a"]
    better = replace(READINGS, lower_ranking="better_place")
    assert [r.key for r in absolute.standing(Season(events), ranking, better)] == ["a", "b"]


def test_readings_are_those_of_the_season() -> None:
    assert readings_of(2006) is READINGS
    assert SINCE[0][0] == 0
    with pytest.raises(ValueError, match="specialty_unit"):
        replace(READINGS, specialty_unit="round")  # type: ignore[arg-type]


# --- what leaves the window, and when -------------------------------------------------------------

OLD = Edition("old", 2004, 1, date(2004, 4, 4))


def heir(held: Any, ends_on: date = date(2006, 4, 2)) -> Edition:
    return Edition("new", 2006, 1, ends_on, held, "old")


def in_window(day: date, *others: Edition, closes: dict[int, date] | None = None) -> bool:
    return "old" in two_years.window([OLD, *others], closes or {}, Moment(day))


def test_an_event_stays_until_its_correspondent_is_closed() -> None:
    """H-03"""
    assert in_window(date(2006, 4, 1), heir("closed"))
    assert not in_window(date(2006, 4, 2), heir("closed"))
    assert in_window(date(2006, 12, 30), heir("open"))


def test_the_correspondent_of_a_cancelled_event_leaves_when_the_season_ends() -> None:
    """H-06, H-05: not at once; when the season is closed, at the latest on 31 December."""
    assert in_window(date(2006, 12, 30), heir("off"))
    assert not in_window(date(2006, 12, 31), heir("off"))
    assert not in_window(date(2006, 12, 12), closes={2006: date(2006, 12, 12)})
    assert not in_window(date(2006, 12, 31), closes={2006: date(2007, 2, 1)})


def test_a_late_correspondent_keeps_it_beyond_the_year() -> None:
    """H-05 by its ruling: it leaves with the late event, which counts from its own end."""
    late = heir("closed", date(2007, 1, 20))
    assert in_window(date(2006, 12, 31), late)
    assert in_window(date(2007, 1, 19), heir("open", date(2007, 1, 20)))
    assert not in_window(date(2007, 1, 20), late)


def test_before_leftovers_are_removed() -> None:
    """G-06: the ranking of the championships keeps what leaves with the season's end."""
    last = Edition("last", 2006, 2, date(2006, 12, 31))
    assert "old" not in two_years.window([OLD, last], {}, Moment(date(2006, 12, 31)))
    assert "old" in two_years.window([OLD, last], {}, last.moment, keeps=2006)


# --- whatever the results -------------------------------------------------------------------------

PLAYERS = "abcdef"
outcomes = st.builds(
    Outcome,
    st.integers(1, 12),
    st.sampled_from([0, 1, 3, 18, 36, 54, 75, 100]),
    st.integers(0, 3),
)
standings = st.dictionaries(st.sampled_from(PLAYERS), outcomes)


@st.composite
def calendars(draw: st.DrawFn) -> tuple[list[Edition], dict[int, date]]:
    """Five seasons of up to four events, some open or off, most of them with a correspondent."""
    calendar: list[Edition] = []
    for year in range(2001, 2006):
        for number in range(1, draw(st.integers(0, 4)) + 1):
            free = [
                e.key
                for e in calendar
                if e.year == year - 2 and e.key not in {each.replaces for each in calendar}
            ]
            late = 40 if draw(st.integers(0, 9)) == 0 else 0
            calendar.append(
                Edition(
                    f"{year}-{number}",
                    year,
                    number,
                    date(year, draw(st.integers(1, 12)), draw(st.integers(1, 28)))
                    + timedelta(days=late),
                    draw(st.sampled_from(["closed", "closed", "closed", "open", "off"])),
                    draw(st.sampled_from([None, *free])),
                )
            )
    closed = draw(st.sets(st.sampled_from([2003, 2004])))
    closes = {
        year: date(year, 12, 10) + timedelta(days=draw(st.integers(0, 40))) for year in closed
    }
    return calendar, closes


@given(calendars(), st.data())
def test_each_state_is_what_a_count_from_nothing_gives(
    told: tuple[list[Edition], dict[int, date]], data: st.DataObject
) -> None:
    """H-08: step by step or from nothing, and whatever the order in which events are given."""
    calendar, closes = told
    gives: Any = {edition.key: data.draw(standings) for edition in calendar}
    states = list(two_years.history(calendar, closes, gives))
    shuffled = data.draw(st.permutations(calendar))
    assert list(two_years.history(shuffled, closes, gives)) == states
    for state in states:
        window = two_years.window(shuffled, closes, state.moment)
        assert set(window) == set(state.window)
        assert two_years.points(window, gives) == dict(state.points)
    for day in (date(2003, 1, 1), date(2005, 7, 1), date(2009, 1, 1)):
        last = [state for state in states if state.moment <= Moment(day)]
        found = two_years.points(two_years.window(calendar, closes, Moment(day)), gives)
        assert found == (dict(last[-1].points) if last else {})


@given(st.lists(st.one_of(st.none(), standings), min_size=1, max_size=6), st.data())
def test_the_absolute_does_not_depend_on_the_order_of_players_or_events(
    events: list[Any], data: st.DataObject
) -> None:
    """F-01, F-02: a total is that of all the events but the worst, counted another way."""
    ranking: Any = data.draw(st.dictionaries(st.sampled_from(PLAYERS), st.integers(0, 3)))
    rows = {row.key: row for row in absolute.standing(Season(tuple(events)), ranking, READINGS)}
    other: Any = [
        None if event is None else dict(data.draw(st.permutations(list(event.items()))))
        for event in data.draw(st.permutations(events))
    ]
    again = {row.key: row for row in absolute.standing(Season(tuple(other)), ranking, READINGS)}
    assert {k: (r.place, r.total, r.dropped) for k, r in rows.items()} == {
        k: (r.place, r.total, r.dropped) for k, r in again.items()
    }
    for key, row in rows.items():
        his = sorted(
            event[key].points if key in event else 0 for event in events if event is not None
        )
        drops = None not in events and len(events) > 1
        assert row.total == sum(his[1:] if drops else his)
        better = [r for r in rows.values() if r.total > row.total]
        assert row.place >= 1 + len(better)


results = st.lists(st.integers(0, 250000), max_size=6)


@given(st.dictionaries(st.sampled_from(PLAYERS), results))
def test_a_better_result_never_costs_a_place(of: dict[str, list[int]]) -> None:
    """E-02, G-01, G-05: one more result, or a better one, leaves him where he was or higher."""

    def places(told: dict[str, list[int]]) -> dict[Any, int]:
        named: Any = {
            key: [specialty.Result(n, 1, 1, Decimal(x) / 100) for n, x in enumerate(his)]
            for key, his in told.items()
        }
        return {row.key: row.place for row in specialty.standing(named, {}, READINGS)}

    before = places(of)
    for key, his in of.items():
        if his:
            assert places({**of, key: [*his, 100]})[key] <= before[key]
            better = [his[0] + 1, *his[1:]]
            assert places({**of, key: better})[key] <= before[key]


@given(st.lists(st.tuples(st.integers(0, 3), st.lists(st.integers(0, 2), max_size=3)), max_size=8))
def test_who_is_told_apart_says_why(told: list[tuple[int, list[int]]]) -> None:
    """G-07, G-08: every row that shares a total names all that it needs, and nobody else does."""
    claims = [
        Claim(n, total, ((Criterion.DISCARDED, tuple(figures)),))
        for n, (total, figures) in enumerate(told)
    ]
    places = ties.placed(claims, "fewer_points")
    told_apart = ties.reasons(claims, "fewer_points", "G-01")
    for claim, place, steps in zip(claims, places, told_apart, strict=True):
        equal = [c for c in claims if c.total == claim.total and c.key != claim.key]
        assert bool(steps) == bool(equal)
        for step in steps:
            keys: Any = step["others"]
            others = [places[key] for key in keys]
            if step.kind == ties.Tie.SHARED:
                assert set(others) == {place}
            elif step.kind == ties.Tie.AHEAD_DISCARDED:
                assert min(others) > place
                assert step["own"] > step["other"]  # type: ignore[operator]
            else:
                assert max(others) < place
                assert step["own"] < step["other"]  # type: ignore[operator]


def test_a_result_is_of_the_season_of_its_event_and_of_the_title_asked_for() -> None:
    """E-05, E-08, G-04: the list of a specialty speaks of percentiles, that of the absolute not."""
    credited: Any = {6: [credit for _event, credit in DOUBLE]}
    found = specialty.counting(credited, {6: {1}, 7: {1}})
    assert [credit.prova for _event, credit in found] == [1, 1]
    assert specialty.counting(credited, {}) == []
    assert specialty.CRITERIA == (Criterion.DISCARDED, Criterion.BEST, Criterion.RANKING)
    assert absolute.CRITERIA == (Criterion.PLACES, Criterion.DISCARDED, Criterion.RANKING)


def test_prizes_are_owed_by_the_organiser_or_by_the_federation() -> None:
    """A-13"""
    owed: list[tuple[honours.Award, str]] = [
        ("event", "organiser"),
        ("pbem", "federation"),
        ("absolute", "federation"),
        ("specialty", "federation"),
        ("supercoppa", "federation"),
        ("teams", "federation"),
    ]
    assert [(award, honours.owed_by(award)) for award, _who in owed] == owed


def test_both_firsts_are_champions_and_nobody_before_the_close() -> None:
    """E-10, F-08, G-07, E-06"""
    events: Any = ({"a": Outcome(1, 75), "b": Outcome(1, 75), "c": Outcome(3, 39)},)
    rows = absolute.standing(Season(events), {}, READINGS)
    assert absolute.champions(rows, closed=True) == ("a", "b")
    assert absolute.champions(rows, closed=False) == ()
    assert specialty.champions((), closed=True) == ()
    assert ties.without({"a": 1, "b": 2}, {"a"}) == {"b": 2}  # O-13, E-09
