"""FIGF's event standing and points against the printed table, the vectors and a second count."""

from __future__ import annotations

import json
from collections import Counter, defaultdict
from collections.abc import Mapping, Sequence
from dataclasses import replace
from decimal import Decimal
from fractions import Fraction
from itertools import pairwise
from pathlib import Path
from typing import Any

import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

from tournaments.rules.calendar import event_factor
from tournaments.rules.figf import FIGF_2006, READINGS, FigfReadings
from tournaments.rules.regulation import (
    Credit,
    Entrant,
    Illegal,
    Placing,
    PlayerId,
    Reason,
    Seat,
    Step,
    Table,
)
from tournaments.rules.standing import (
    BASE,
    Stood,
    award,
    award_why,
    cancel,
    merits,
    nearest,
    of_prova,
    of_round,
    parts,
    points,
    standings,
    total,
    winners,
)
from tournaments.rules.tables import order

VECTORS: dict[str, Any] = json.loads(
    Path(__file__).with_name("figf_vectors.json").read_text(encoding="utf-8")
)
POINTS = [case for case in VECTORS["cases"] if case["id"].startswith("PTS-")]
EVENTS = [case for case in VECTORS["cases"] if case["id"].startswith("EVT-")]
SEASON: list[dict[str, Any]] = VECTORS["season"]["events"]
EX_AEQUO = replace(READINGS, event_tie="ex_aequo")

patient = settings(deadline=None, suppress_health_check=[HealthCheck.too_slow])


def credited(results: Mapping[str, Sequence[str | None]]) -> list[Credit]:
    """What each got in the first, second… prova of an event; None is a dash."""
    return [
        Credit(player, prova, 1, None if percentile is None else Decimal(percentile))
        for player, obtained in results.items()
        for prova, percentile in enumerate(obtained, start=1)
    ]


def standing(
    results: Mapping[str, Sequence[str | None]],
    readings: FigfReadings = READINGS,
    **ranking: int,
) -> tuple[Placing, ...]:
    before: dict[PlayerId, int] = {}
    before.update(ranking)
    return standings(credited(results), before, readings)


def as_vector(rows: Sequence[Placing], prove: Sequence[int]) -> list[dict[str, object]]:
    """A standing with its points as the vectors write it, decimals as text with their zeros."""
    awarded = award(rows, prove, READINGS)
    return [
        {
            "place": row.place,
            "player": row.key,
            "total": str(row.total),
            "best": str(row.best),
            "points": awarded[row.key],
        }
        for row in rows
    ]


def places_of(rows: Sequence[Placing]) -> list[tuple[int, PlayerId]]:
    return [(row.place, row.key) for row in rows]


# --- event points ---------------------------------------------------------------------------------


@pytest.mark.parametrize("case", POINTS, ids=lambda case: case["id"])
def test_vectors_of_the_points(case: dict[str, Any]) -> None:
    """D-05, D-06."""
    factor = case["input"]["fe"]
    if isinstance(case["expected"], dict):
        with pytest.raises(Illegal) as refused:
            points(case["input"]["place"], factor)
        assert refused.value.reason == case["expected"]["error"]
        assert [refused.value.rule] == case["rules"]
    else:
        assert [points(place, factor) for place in range(1, 12)] == case["expected"]


def test_the_vectors_are_all_there() -> None:
    """Counted on the file with grep: nine of the points, one a refusal; five of the standing."""
    refusals = [case for case in POINTS if isinstance(case["expected"], dict)]
    assert (len(POINTS), len(refusals), len(EVENTS)) == (9, 1, 5)


@pytest.mark.parametrize(
    ("factor", "printed"),
    [
        (3, [75, 54, 39, 27, 18, 12, 9, 6, 3, 1]),
        (4, [100, 72, 52, 36, 24, 16, 12, 8, 4, 2]),
    ],
)
def test_the_points_are_those_of_the_printed_table(factor: int, printed: list[int]) -> None:
    """D-05, D-06: the two columns of 000:71-81."""
    assert [points(place, factor) for place in range(1, 11)] == printed


def test_the_base_points_are_those_of_the_printed_table() -> None:
    """D-05: 000:71-81; 0,4 exactly, which no float is."""
    assert list(BASE) == [25, 18, 13, 9, 6, 4, 3, 2, 1, Fraction(2, 5)]


def test_a_factor_of_six_has_no_column_and_is_computed() -> None:
    """D-05, D-06: the catalogue's row for six, which the vectors leave out; 0.4 × 6 is 2.4."""
    row = [points(place, 6) for place in range(1, 11)]
    assert row == [150, 108, 78, 54, 36, 24, 18, 12, 6, 2]


@pytest.mark.parametrize(
    ("exact", "whole"), [("0.8", 1), ("1.2", 1), ("1.6", 2), ("2.4", 2), ("2.8", 3), ("75", 75)]
)
def test_event_points_are_the_nearest_whole_number(exact: str, whole: int) -> None:
    """D-06."""
    assert nearest(Fraction(exact)) == whole


@pytest.mark.parametrize("factor", range(2, 60))
def test_the_tenth_never_falls_on_a_half(factor: int) -> None:
    """D-06: the way in which halves are rounded cannot matter."""
    assert (BASE[9] * factor * 2) % 2 != 1
    assert points(10, factor) == round(BASE[9] * factor)


@pytest.mark.parametrize(("place", "factor"), [(0, 3), (-1, 3), (1, 1), (11, 1), (1, 0), (1, -2)])
def test_a_place_or_a_factor_that_cannot_be_is_refused(place: int, factor: int) -> None:
    """D-05."""
    with pytest.raises(Illegal) as refused:
        points(place, factor)
    no = refused.value
    assert (no.reason, no.rule) == (Reason.BAD_PLACE_OR_FE, "D-05")
    assert no.data == {"place": place, "factor": factor}


def test_from_the_eleventh_on_there_are_no_points_whatever_the_factor() -> None:
    """D-05."""
    assert [points(place, factor) for place in (11, 12, 64) for factor in (2, 10, 99)] == [0] * 9


# --- the standing ---------------------------------------------------------------------------------


@pytest.mark.parametrize("case", EVENTS, ids=lambda case: case["id"])
def test_vectors_of_the_standing(case: dict[str, Any]) -> None:
    """D-01, D-02, D-05, D-07, G-03."""
    asked = case["input"]
    prove = [1] * (asked["fe"] - 1)
    rows = standings(credited(asked["results"]), asked["ranking"], READINGS)
    assert as_vector(rows, prove) == case["expected"]


FOUR = {
    "a": ("1540.00", "700.00"),
    "b": ("960.00", "1620.00"),
    "c": ("880.00",),
    "d": ("500.00", "500.00"),
}


def test_a_standing_adds_up_the_prove_and_shows_them() -> None:
    """D-01, D-02: the catalogue's example. A prova not played adds nothing and is not shown."""
    b, a, d, c = standing(FOUR)
    assert [str(row.total) for row in (b, a, d, c)] == ["2580.00", "2240.00", "1000.00", "880.00"]
    assert [row.key for row in (b, a, d, c)] == ["b", "a", "d", "c"]
    assert b.points == (((1, 1), Decimal("960.00")), ((2, 1), Decimal("1620.00")))
    assert c.points == (((1, 1), Decimal("880.00")),)
    assert (str(b.best), str(c.best)) == ("1620.00", "880.00")


def test_a_double_round_adds_both_rounds_and_each_is_shown() -> None:
    """D-01, D-02."""
    rounds = [Credit("a", 1, 2, Decimal("700.00")), Credit("a", 1, 1, Decimal("1540.00"))]
    (row,) = standings(rounds, {}, READINGS)
    assert (str(row.total), str(row.best)) == ("2240.00", "1540.00")
    assert row.points == (((1, 1), Decimal("1540.00")), ((1, 2), Decimal("700.00")))


def test_a_game_without_percentile_is_a_dash_and_takes_nothing_away() -> None:
    """D-01, D-02: who is excluded from one game keeps the others; with no other he has no row."""
    rows = standing({"a": (None, "700.00"), "b": ("0.00", None), "c": (None, None)})
    assert places_of(rows) == [(1, "a"), (2, "b")]
    assert rows[0].points == (((1, 1), None), ((2, 1), Decimal("700.00")))
    assert (str(rows[1].total), str(rows[1].best)) == ("0.00", "0.00")
    assert total(credited({"c": (None, None)})) is None


def test_two_games_of_one_round_are_one_part_and_two_percentiles() -> None:
    """D-02, G-03: by the station master's leave (C-13); the best is still a single one."""
    twice = [Credit("a", 1, 1, Decimal("900.00")), Credit("a", 1, 1, Decimal("800.00"))]
    assert parts(twice) == (((1, 1), Decimal("1700.00")),)
    (row,) = standings(twice, {}, READINGS)
    assert (str(row.total), str(row.best)) == ("1700.00", "900.00")
    dashed = [*twice, Credit("a", 1, 1, None)]
    assert parts(dashed) == parts(twice)


def test_a_standing_of_nobody_is_empty() -> None:
    """D-01, D-10."""
    assert standings([], {"a": 900}, READINGS) == ()
    assert award((), [1], READINGS) == {}
    assert winners(()) == ()


def test_rounds_and_prove_have_standings_of_their_own() -> None:
    """D-03: two tables in the first round of a double round; `c` joins in the second."""
    played = [
        Credit("a", 1, 1, Decimal("1540.00")),
        Credit("b", 1, 1, Decimal("960.00")),
        Credit("d", 1, 1, Decimal("1620.00")),
        Credit("b", 1, 2, Decimal("1500.00")),
        Credit("c", 1, 2, Decimal("1500.00")),
        Credit("a", 1, 2, None),
        Credit("c", 2, 1, Decimal("2000.00")),
    ]
    ranking: dict[PlayerId, int] = {"b": 10, "c": 20}
    first = of_round(played, 1, 1, ranking, READINGS)
    second = of_round(played, 1, 2, ranking, READINGS)
    prova = of_prova(played, 1, ranking, READINGS)
    assert places_of(first) == [(1, "d"), (2, "a"), (3, "b")]
    assert places_of(second) == [(1, "b"), (2, "c")]
    assert [(row.place, row.key, str(row.total)) for row in prova] == [
        (1, "b", "2460.00"),
        (2, "d", "1620.00"),
        (3, "a", "1540.00"),
        (4, "c", "1500.00"),
    ]
    assert prova[2].points == (((1, 1), Decimal("1540.00")), ((1, 2), None))
    assert places_of(of_prova(played, 2, ranking, READINGS)) == [(1, "c")]
    assert of_round(played, 2, 2, ranking, READINGS) == of_prova(played, 3, ranking, READINGS) == ()


# --- equals ---------------------------------------------------------------------------------------

LEVEL = {  # one total; `a` has the best percentile, `b`, `c` and `d` the same
    "d": ("1200.00", "800.00"),
    "c": ("800.00", "1200.00"),
    "b": ("1200.00", "800.00"),
    "a": ("1500.00", "500.00"),
    "e": ("300.00", "200.00"),
}


def test_equals_are_told_apart_by_the_best_and_then_by_the_lower_ranking() -> None:
    """G-03, D-07: who is not in the ranking has 0, and is the lowest."""
    assert places_of(standing(LEVEL, a=900, b=30, c=30, d=0)) == [
        (1, "a"),
        (2, "d"),
        (3, "b"),
        (3, "c"),
        (5, "e"),
    ]
    assert places_of(standing(LEVEL, c=1)) == [(1, "a"), (2, "b"), (2, "d"), (4, "c"), (5, "e")]


def test_the_criteria_are_readings() -> None:
    """G-03: the better placed instead of the lower, and no criterion at all."""
    better = replace(READINGS, lower_ranking="better_place")
    assert places_of(standing(LEVEL, better, a=0, b=30, c=90)) == [
        (1, "a"),
        (2, "c"),
        (3, "b"),
        (4, "d"),
        (5, "e"),
    ]
    assert places_of(standing(LEVEL, EX_AEQUO, a=0, b=30, c=90)) == [
        (1, "a"),
        (1, "b"),
        (1, "c"),
        (1, "d"),
        (5, "e"),
    ]
    figures = Decimal("2000.00"), Decimal("1200.00")
    assert merits(*figures, 30, READINGS) > merits(*figures, 90, READINGS)
    assert merits(*figures, 30, better) < merits(*figures, 90, better)
    assert merits(*figures, 30, EX_AEQUO) == merits(*figures, 90, EX_AEQUO)


def test_a_row_says_what_put_it_behind_level_and_ahead() -> None:
    """D-01, D-07, G-03: with the nearest of those who have the same total, both ways."""
    rows = standing(LEVEL, a=900, b=30, c=30, d=80)
    a, b, c, d, e = rows
    assert places_of(rows) == [(1, "a"), (2, "b"), (2, "c"), (4, "d"), (5, "e")]
    most, middle, same = Decimal("1500.00"), Decimal("1200.00"), Decimal("2000.00")

    def sum_of(place: int, total: Decimal, *parts: str) -> Step:
        added = tuple(map(Decimal, parts))
        return Step.of("D-01", Stood.ADDED, place=place, total=total, parts=added)

    assert a.steps == (
        sum_of(1, same, "1500.00", "500.00"),
        Step.of("G-03", Stood.AHEAD_BEST, others=("b", "c"), own=most, other=middle),
    )
    behind = Step.of("G-03", Stood.BEHIND_BEST, others=("a",), own=middle, other=most)
    ahead = Step.of(
        "G-03", Stood.AHEAD_RANKING, others=("d",), own=30, other=80, reading="fewer_points"
    )
    assert b.steps == (
        sum_of(2, same, *LEVEL["b"]),
        behind,
        Step.of("D-07", Stood.SHARED, others=("c",), reading="criteria"),
        ahead,
    )
    assert c.steps == (
        sum_of(2, same, *LEVEL["c"]),
        behind,
        Step.of("D-07", Stood.SHARED, others=("b",), reading="criteria"),
        ahead,
    )
    assert d.steps == (
        sum_of(4, same, *LEVEL["d"]),
        Step.of(
            "G-03",
            Stood.BEHIND_RANKING,
            others=("b", "c"),
            own=80,
            other=30,
            reading="fewer_points",
        ),
    )
    assert e.steps == (sum_of(5, Decimal("500.00"), "300.00", "200.00"),)


def test_the_sum_of_one_percentile_is_no_addition_and_a_dash_is_not_added() -> None:
    """D-01, D-02: 1540 alone; 700 and a dash."""
    played = [
        Credit("a", 1, 1, Decimal("1540.00")),
        Credit("b", 1, 1, Decimal("700.00")),
        Credit("b", 2, 1, None),
    ]
    a, b = standings(played, {}, READINGS)
    assert a.steps == (Step.of("D-01", Stood.TOTAL, place=1, total=Decimal("1540.00")),)
    assert b.steps == (Step.of("D-01", Stood.TOTAL, place=2, total=Decimal("700.00")),)


def test_the_points_of_a_place_are_explained_by_base_and_factor() -> None:
    """D-05, D-06: 25 × 3 = 75; 0.4 × 3 = 1.2, which is 1; nothing from the 11th on."""

    def product(place: int, base: str, exact: str) -> Step:
        worth, whole = Fraction(base), Fraction(exact)
        return Step.of("D-05", Stood.POINTS, place=place, base=worth, factor=3, exact=whole)

    assert award_why(1, [1, 1], READINGS) == (product(1, "25", "75"),)
    assert award_why(10, [1, 1], READINGS) == (
        product(10, "0.4", "1.2"),
        Step.of("D-06", Stood.WHOLE, points=1),
    )
    assert award_why(11, [1, 1], READINGS) == (Step.of("D-05", Stood.NO_POINTS, place=11, last=10),)


def test_without_criteria_a_row_says_with_whom_it_shares_the_place() -> None:
    """D-07."""
    first = standing(LEVEL, EX_AEQUO)[0]
    assert first.steps[1:] == (
        Step.of("D-07", Stood.SHARED, others=("b", "c", "d"), reading="ex_aequo"),
    )


def test_the_rows_of_a_shared_place_are_in_the_order_of_their_keys() -> None:
    """D-07: numbers as numbers, and before texts."""
    same = [Credit(key, 1, 1, Decimal("900.00")) for key in ("b", 10, "a", 9)]
    assert places_of(standings(same, {}, READINGS)) == [(1, 9), (1, 10), (1, "a"), (1, "b")]


def test_a_tenth_shared_is_worth_a_tenth_to_each_and_a_ninth_skips_it() -> None:
    """D-07: by hand, with a factor of 3."""
    nine = {f"p{n}": (f"{1500 - n}.00",) for n in range(9)}
    tenths = standing({**nine, "x": ("900.00",), "y": ("900.00",), "z": ("100.00",)})
    awarded = award(tenths, [1, 1], READINGS)
    assert [awarded[key] for key in ("p8", "x", "y", "z")] == [3, 1, 1, 0]
    del nine["p8"]
    ninths = standing({**nine, "x": ("900.00",), "y": ("900.00",), "z": ("100.00",)})
    awarded = award(ninths, [1, 1], READINGS)
    assert [awarded[key] for key in ("p7", "x", "y", "z")] == [6, 3, 3, 0]


def test_fewer_than_ten_get_the_points_of_the_places_that_exist() -> None:
    """D-09: seven, of whom the last gets 3 × 3."""
    seven = standing({f"p{n}": (f"{900 - n}.00",) for n in range(7)})
    assert list(award(seven, [1, 1], READINGS).values()) == [75, 54, 39, 27, 18, 12, 9]


def test_the_factor_is_that_of_the_prove() -> None:
    """D-05, A-06: a double round is one prova; no prova, no points."""
    one = standing({"a": ("1500.00",)})
    assert award(one, [2], READINGS) == {"a": 50}
    assert award(one, [2], replace(READINGS, fe_counts="rounds")) == {"a": 75}
    with pytest.raises(Illegal) as refused:
        award(one, [], READINGS)
    assert (refused.value.reason, refused.value.rule) == (Reason.NO_PROVE, "A-06")


def test_the_winner_is_the_first_and_equal_firsts_are_winners_both() -> None:
    """D-10."""
    assert winners(standing(FOUR)) == ("b",)
    assert winners(standing(LEVEL)) == ("a",)
    assert winners(standing(LEVEL, EX_AEQUO)) == ("a", "b", "c", "d")


# --- cancelled ------------------------------------------------------------------------------------


def test_who_is_cancelled_from_the_event_leaves_and_the_others_move_up() -> None:
    """D-08: the catalogue's example, with a factor of 3."""
    left = standings(cancel(credited(FOUR), [("b", None)]), {}, READINGS)
    assert award(left, [1, 1], READINGS) == {"a": 75, "d": 54, "c": 39}
    assert [str(row.total) for row in left] == ["2240.00", "1000.00", "880.00"]


def test_who_is_cancelled_from_a_prova_keeps_the_others() -> None:
    """D-08: by hand. He stays in the event with what is left, a dash where he was cancelled."""
    after = cancel(credited(FOUR), [("a", 1)])
    rows = standings(after, {}, READINGS)
    assert award(rows, [1, 1], READINGS) == {"b": 75, "d": 54, "c": 39, "a": 27}
    assert rows[-1].points == (((1, 1), None), ((2, 1), Decimal("700.00")))
    assert places_of(of_prova(after, 1, {}, READINGS)) == [(1, "b"), (2, "c"), (3, "d")]


def test_a_cancelled_victory_is_none_and_the_others_keep_theirs() -> None:
    """D-08, by the ruling: the ten points of the ranking go with the level cancelled."""
    won = [
        Credit("a", 1, 1, Decimal("1540.00"), win=True),
        Credit("b", 1, 1, Decimal("960.00")),
        Credit("a", 2, 1, Decimal("1500.00"), win=True),
    ]
    assert [credit.win for credit in cancel(won, [("a", 1)])] == [False, False, True]
    assert [credit.win for credit in cancel(won, [("a", None), ("a", 1)])] == [False] * 3
    assert cancel(won, [("b", 2), ("c", None)]) == tuple(won)
    assert cancel(won, []) == tuple(won)


# --- the season -----------------------------------------------------------------------------------


def tables_of(event: dict[str, Any]) -> list[tuple[int, int, dict[str, Any]]]:
    """Every table of an event with the numbers of its prova and round."""
    return [
        (prova_number, number, played)
        for prova_number, prova in enumerate(event["prove"], start=1)
        for number, play_round in enumerate(prova["rounds"], start=1)
        for played in play_round["tables"]
    ]


def season_credits(event: dict[str, Any]) -> list[Credit]:
    """What the tables of an event credit, from the totals counted at them.

    Who was replaced sat there for nothing; a referee is nobody.
    """
    people = {person["id"] for person in VECTORS["season"]["players"]}
    found: list[Credit] = []
    for prova, number, played in tables_of(event):
        seats = [dict(seat) for seat in played["seats"]]
        replaced = [seat.pop("replaces") for seat in seats if "replaces" in seat]
        seated = Table(tuple(Seat(seat.pop("player"), **seat) for seat in seats), 3, 6)
        found += [
            Credit(line.key, prova, number, line.points, line.win)
            for line in FIGF_2006.score(seated, FIGF_2006.readings)
            if line.key in people
        ]
        found += [Credit(player, prova, number, None) for player in replaced]
    return list(cancel(found, [(player, None) for player in event["removed_from_event"]]))


def season_rankings() -> list[dict[PlayerId, int]]:
    """The ranking before each event: the state that the one before it left."""
    return [
        {line["player"]: line["points"] for line in snapshot["ranking"]}
        for snapshot in VECTORS["season"]["rankings"]
    ]


RANKED = list(zip(SEASON, season_rankings(), strict=False))


def test_the_rankings_are_those_before_each_event() -> None:
    """Eight events; before the first, the state that nothing of the season has touched."""
    after = [snapshot["after"] for snapshot in VECTORS["season"]["rankings"]]
    assert len(SEASON) == 8
    assert after[:8] == [None, *(event["id"] for event in SEASON[:7])]


@pytest.mark.parametrize(("event", "ranking"), RANKED, ids=[event["id"] for event in SEASON])
def test_every_standing_of_the_season(event: dict[str, Any], ranking: dict[PlayerId, int]) -> None:
    """D-01, D-02, D-05, D-06, D-08, D-09, D-10, from the totals counted at the tables.

    Among them an excluded first (E3), a substitute and a referee's seat (E4), one cancelled from
    the event (E5), a double round (E6), seven players, Cinderella and a handicap (E7).
    """
    prove = [len(prova["rounds"]) for prova in event["prove"]]
    assert event_factor(prove, READINGS) == event["fe"]
    played = season_credits(event)
    rows = FIGF_2006.standings(played, ranking, FIGF_2006.readings)
    assert as_vector(rows, prove) == event["standing"]
    assert winners(rows) == (event["standing"][0]["player"],)
    assert Counter(credit.player for credit in played if credit.win) == event["wins"]


@pytest.mark.parametrize("event", SEASON, ids=lambda event: event["id"])
def test_every_row_of_the_season_shows_the_published_percentiles(event: dict[str, Any]) -> None:
    """D-02, D-08: what each has in each round, as the tables publish it; a dash is no percentile.

    The number of rows is that of those with a percentile, as the file has them.
    """
    expected: dict[str, list[tuple[tuple[int, int], str | None]]] = defaultdict(list)
    for prova, number, played in tables_of(event):
        for line in played["results"]:
            expected[line["player"]].append(((prova, number), line["percentile"]))
    for row in standings(season_credits(event), {}, READINGS):
        shown = [(part, None if value is None else str(value)) for part, value in row.points]
        assert shown == expected.pop(str(row.key))
    gone = {player for player, obtained in expected.items() if any(p for _, p in obtained)}
    assert gone == set(event["removed_from_event"])


def test_the_excluded_first_of_the_season_keeps_his_other_game() -> None:
    """D-02: E3, where P04 is excluded from the classification of a game of the second prova."""
    rows = standings(season_credits(SEASON[2]), {}, READINGS)
    (his,) = (row for row in rows if row.key == "P04")
    assert his.points == (((1, 1), Decimal("962.44")), ((2, 1), None))


def test_who_was_replaced_in_the_season_has_no_row() -> None:
    """D-01: E4, a single prova with 27 who enrolled and a substitute; two of them left."""
    event = SEASON[3]
    played = season_credits(event)
    rows = {row.key for row in standings(played, {}, READINGS)}
    assert len(event["entrants"]) == 27
    assert {credit.player for credit in played} == {*event["entrants"], "P39"}
    assert {*event["entrants"], "P39"} - rows == {"P09", "P10"}


@pytest.mark.parametrize(("event", "ranking"), RANKED, ids=[event["id"] for event in SEASON])
def test_every_round_and_prova_of_the_season(
    event: dict[str, Any], ranking: dict[PlayerId, int]
) -> None:
    """D-03: of a round, the published percentiles in order; of a prova, their sums."""
    played = season_credits(event)
    for number, prova in enumerate(event["prove"], start=1):
        sums: dict[str, Decimal] = defaultdict(Decimal)
        for turn, play_round in enumerate(prova["rounds"], start=1):
            published = {
                line["player"]: Decimal(line["percentile"])
                for table in play_round["tables"]
                for line in table["results"]
                if line["percentile"] is not None
                and line["player"] not in event["removed_from_event"]
            }
            rows = of_round(played, number, turn, ranking, READINGS)
            assert {row.key: row.total for row in rows} == published
            assert [row.total for row in rows] == sorted(published.values(), reverse=True)
            for player, percentile in published.items():
                sums[player] += percentile
        rows = of_prova(played, number, ranking, READINGS)
        assert {row.key: row.total for row in rows} == sums
        assert [row.total for row in rows] == sorted(sums.values(), reverse=True)


# --- properties -----------------------------------------------------------------------------------

PERCENTILES = st.one_of(
    st.sampled_from([Decimal(n) for n in ("0.00", "500.00", "1000.00", "1500.00", "2500.00")]),
    st.integers(min_value=0, max_value=250_000).map(lambda cents: Decimal(cents).scaleb(-2)),
)
CREDITS = st.lists(
    st.builds(
        Credit,
        player=st.sampled_from("abcdef"),
        prova=st.integers(min_value=1, max_value=3),
        round=st.integers(min_value=1, max_value=2),
        points=st.none() | PERCENTILES,
    ),
    max_size=20,
)
RANKINGS = st.dictionaries(st.sampled_from("abcdef"), st.integers(min_value=0, max_value=3))
READING = st.sampled_from(
    [
        replace(READINGS, event_tie=tie, lower_ranking=lower)
        for tie in ("criteria", "ex_aequo")
        for lower in ("fewer_points", "better_place")
    ]
)
CANCELLED = st.lists(st.tuples(st.sampled_from("abcdef"), st.none() | st.integers(1, 3)))


def cents(number: Decimal) -> int:
    """Hundredths, read from the digits."""
    return int(f"{number:.2f}".replace(".", ""))


@patient
@given(CREDITS, RANKINGS, READING)
def test_a_second_count_agrees(
    played: list[Credit], ranking: dict[PlayerId, int], readings: FigfReadings
) -> None:
    """D-01, D-07, G-03: in whole hundredths, a place is one more than those who come before."""
    obtained: dict[PlayerId, list[int]] = defaultdict(list)
    for credit in played:
        if credit.points is not None:
            obtained[credit.player].append(cents(credit.points))

    def comes_before(one: PlayerId, other: PlayerId) -> bool:
        mine, his = obtained[one], obtained[other]
        if sum(mine) != sum(his) or readings.event_tie == "ex_aequo":
            return sum(mine) > sum(his)
        if max(mine) != max(his):
            return max(mine) > max(his)
        if readings.lower_ranking == "fewer_points":
            return ranking.get(one, 0) < ranking.get(other, 0)
        return ranking.get(one, 0) > ranking.get(other, 0)

    rows = standings(played, ranking, readings)
    assert {row.key: (row.place, cents(row.total), cents(row.best)) for row in rows} == {
        key: (1 + sum(comes_before(other, key) for other in obtained), sum(his), max(his))
        for key, his in obtained.items()
    }
    for before, after in pairwise(rows):
        assert (before.place, before.key) < (after.place, after.key)


@patient
@given(CREDITS, RANKINGS, READING, st.data())
def test_the_order_of_entry_never_matters(
    played: list[Credit],
    ranking: dict[PlayerId, int],
    readings: FigfReadings,
    data: st.DataObject,
) -> None:
    """D-01."""
    shuffled = data.draw(st.permutations(played))
    assert standings(shuffled, ranking, readings) == standings(played, ranking, readings)


@patient
@given(CREDITS, RANKINGS, READING)
def test_the_parts_add_up_to_the_total(
    played: list[Credit], ranking: dict[PlayerId, int], readings: FigfReadings
) -> None:
    """D-01, D-02."""
    for row in standings(played, ranking, readings):
        values = [value for _, value in row.points if value is not None]
        assert sum(values) == row.total
        assert row.best in {credit.points for credit in played if credit.player == row.key}
        numbers = [number for number, _ in row.points]
        assert numbers == sorted({(c.prova, c.round) for c in played if c.player == row.key})


@patient
@given(CREDITS, RANKINGS, READING)
def test_who_has_no_percentile_changes_nothing(
    played: list[Credit], ranking: dict[PlayerId, int], readings: FigfReadings
) -> None:
    """D-01: with his dashes or without them, and cancelled or not."""
    rows = standings(played, ranking, readings)
    classified = {row.key for row in rows}
    kept = [credit for credit in played if credit.player in classified]
    assert standings(kept, ranking, readings) == rows
    absent = [(player, None) for player in "abcdef" if player not in classified]
    assert standings(cancel(played, absent), ranking, readings) == rows


@patient
@given(CREDITS, CANCELLED, RANKINGS, READING)
def test_a_cancellation_moves_nobody_elses_percentiles(
    played: list[Credit],
    cancelled: list[tuple[PlayerId, int | None]],
    ranking: dict[PlayerId, int],
    readings: FigfReadings,
) -> None:
    """D-08: the others keep totals and order among themselves, and no place gets worse."""
    named = {player for player, _ in cancelled}
    out = {player for player, prova in cancelled if prova is None}
    before = {row.key: row for row in standings(played, ranking, readings)}
    after = {row.key: row for row in standings(cancel(played, cancelled), ranking, readings)}
    assert not out & after.keys()
    assert before.keys() - after.keys() <= named
    others = [key for key in before if key not in named]
    assert others == [key for key in after if key not in named]
    for key in others:
        assert replace(before[key], place=0, steps=()) == replace(after[key], place=0, steps=())
        assert after[key].place <= before[key].place


@patient
@given(CREDITS, CANCELLED)
def test_a_cancellation_twice_is_a_cancellation(
    played: list[Credit], cancelled: list[tuple[PlayerId, int | None]]
) -> None:
    """D-08: one after the other, in any order, or all together."""
    once = cancel(played, cancelled)
    assert cancel(once, cancelled) == once
    one_by_one: tuple[Credit, ...] = tuple(played)
    for each in reversed(cancelled):
        one_by_one = cancel(one_by_one, [each])
    assert one_by_one == once


@patient
@given(CREDITS, RANKINGS, READING, st.lists(st.integers(1, 2), min_size=1, max_size=6))
def test_a_better_place_is_never_worth_less(
    played: list[Credit],
    ranking: dict[PlayerId, int],
    readings: FigfReadings,
    prove: list[int],
) -> None:
    """D-05, D-06, D-07, D-09: and the same place is worth the same."""
    rows = standings(played, ranking, readings)
    awarded = award(rows, prove, readings)
    assert list(awarded) == [row.key for row in rows]
    for better, worse in pairwise(rows):
        if better.place == worse.place:
            assert awarded[better.key] == awarded[worse.key]
        else:
            assert awarded[better.key] > awarded[worse.key]


@patient
@given(st.integers(min_value=1, max_value=64), st.integers(min_value=2, max_value=200))
def test_points_grow_with_the_factor_and_fall_with_the_place(place: int, factor: int) -> None:
    """D-05, D-06: within half a point of the exact product."""
    here = points(place, factor)
    assert points(place + 1, factor) <= here <= points(place, factor + 1)
    exact = BASE[place - 1] * factor if place <= 10 else Fraction(0)
    assert abs(here - exact) < Fraction(1, 2)


@patient
@given(CREDITS, RANKINGS, READING)
def test_every_row_tells_everybody_with_its_total_who_is_next_to_it(
    played: list[Credit], ranking: dict[PlayerId, int], readings: FigfReadings
) -> None:
    """G-03, D-07: what one row says ahead, the next says behind, with the figures turned round."""
    rows = standings(played, ranking, readings)
    by_key = {row.key: row for row in rows}
    opposite = {
        Stood.AHEAD_BEST: Stood.BEHIND_BEST,
        Stood.AHEAD_RANKING: Stood.BEHIND_RANKING,
        Stood.BEHIND_BEST: Stood.AHEAD_BEST,
        Stood.BEHIND_RANKING: Stood.AHEAD_RANKING,
        Stood.SHARED: Stood.SHARED,
    }
    for row in rows:
        first, *rest = row.steps
        assert (first["place"], first["total"]) == (row.place, row.total)
        equal = {other.key for other in rows if other.total == row.total} - {row.key}
        assert bool(rest) == bool(equal)
        for step in rest:
            others = step["others"]
            assert isinstance(others, tuple)
            assert set(others) <= equal
            kind = Stood(step.kind)
            for key in others:
                (answer,) = (
                    other
                    for other in by_key[key].steps
                    if other.kind == opposite[kind] and row.key in dict(other.values)["others"]  # type: ignore[operator]
                )
                assert (row.place == by_key[key].place) is (kind is Stood.SHARED)
                if kind is not Stood.SHARED:
                    assert (answer["own"], answer["other"]) == (step["other"], step["own"])
                    ahead = kind in {Stood.AHEAD_BEST, Stood.AHEAD_RANKING}
                    assert (row.place < by_key[key].place) is ahead


@patient
@given(CREDITS, RANKINGS, st.sampled_from(["fewer_points", "better_place"]))
def test_a_later_round_is_seated_as_the_event_stands(
    played: list[Credit], ranking: dict[PlayerId, int], lower: Any
) -> None:
    """D-01, G-03 and B-12: the seating and the standing tell equals apart by the same criteria."""
    readings = replace(READINGS, lower_ranking=lower)
    rows = standings(played, ranking, readings)
    entrants = [
        Entrant(
            row.key,
            str(row.key),
            ranking=ranking.get(row.key, 0),
            played=True,
            total=row.total,
            best=row.best,
        )
        for row in rows
    ]
    assert [placed.key for placed in order(entrants, readings)] == [row.key for row in rows]
