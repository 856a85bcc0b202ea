"""FIGF's tables and seating order against the printed rows, the vectors and a second count."""

from __future__ import annotations

import json
from collections import defaultdict
from collections.abc import Iterator
from dataclasses import replace
from decimal import Decimal
from itertools import combinations_with_replacement, pairwise
from pathlib import Path
from typing import Any

import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

from tournaments.rules.figf import READINGS
from tournaments.rules.names import sort_key
from tournaments.rules.regulation import Composition, Entrant, Illegal, Reason, Step, deal
from tournaments.rules.tables import (
    PRINTED,
    STARRED,
    Laid,
    Sat,
    composition,
    compositions,
    one_short,
    order,
    pattern,
)

VECTORS: dict[str, Any] = json.loads(
    Path(__file__).with_name("figf_vectors.json").read_text(encoding="utf-8")
)
SEATINGS = [case for case in VECTORS["cases"] if case["id"].startswith("SEAT-")]
ORDERS = [case for case in VECTORS["cases"] if case["id"].startswith("ORD-")]
FIVES = replace(READINGS, seating_24="fives")

patient = settings(deadline=None, suppress_health_check=[HealthCheck.too_slow])


def ways(players: int, fewest: int = 3, most: int = 6) -> list[tuple[tuple[int, ...], str, object]]:
    """Every composition: its sizes, its article, its sentence."""
    found = compositions(players, fewest, most, READINGS)
    return [(way.sizes, way.step.rule, way.step.kind) for way in found]


# --- how many tables ------------------------------------------------------------------------------


@pytest.mark.parametrize("case", SEATINGS, ids=lambda case: case["id"])
def test_vectors_of_the_tables(case: dict[str, Any]) -> None:
    """B-01, B-02, B-03, B-05, B-06, B-07."""
    asked = case["input"]

    def found() -> Composition:
        return composition(
            asked["players"],
            3,
            asked.get("max_players", 6),
            READINGS,
            starred=asked.get("starred", False),
        )

    if isinstance(case["expected"], dict):
        with pytest.raises(Illegal) as refused:
            found()
        assert refused.value.reason == case["expected"]["error"]
        assert [refused.value.rule] == case["rules"]
    else:
        assert list(found().sizes) == case["expected"]


def test_the_vectors_are_all_there() -> None:
    """Counted on the file with grep: 42 seatings, four of them refusals, and four orders."""
    refusals = [case for case in SEATINGS if isinstance(case["expected"], dict)]
    assert (len(SEATINGS), len(refusals), len(ORDERS)) == (42, 4, 4)


def test_the_rows_are_those_of_the_regulation() -> None:
    """B-01, B-02: 000:36-58 as the catalogue writes them, tables of 3, 4, 5 and 6."""
    printed = (
        "3:1000 4:0100 5:0010 6:0001 7:1100 8:0200 9:0110 10:0020 11:0011 12:0300 13:0210 14:0120 "
        "15:0030 16:0400 17:0310 18:0220 19:0130 20:0040 21:0410 22:0320 23:0230 24:0600 25:0050"
    )
    for data, text in ((PRINTED, printed), (STARRED, "6:2000 11:1200")):
        written = " ".join(f"{n}:{''.join(map(str, row))}" for n, row in data.items())
        assert written == text


@pytest.mark.parametrize("players", [*range(3, 6), *range(7, 11), *range(12, 24), 25])
def test_a_printed_row_without_a_star_is_the_only_way(players: int) -> None:
    """B-01."""
    ((found, rule, kind),) = ways(players)
    assert sum(found) == players
    assert (rule, kind) == ("B-01", Laid.PRINTED)


@pytest.mark.parametrize("most", [6, 7, 8])
def test_the_starred_row_is_offered_beside_the_table_of_six(most: int) -> None:
    """B-02."""
    assert ways(6, most=most) == [((6,), "B-01", Laid.PRINTED), ((3, 3), "B-02", Laid.STARRED)]
    assert ways(11, most=most) == [
        ((6, 5), "B-01", Laid.PRINTED),
        ((4, 4, 3), "B-02", Laid.STARRED),
    ]


def test_a_title_of_five_has_only_the_starred_row() -> None:
    """B-02: 1849."""
    assert ways(6, most=5) == [((3, 3), "B-02", Laid.STARRED_ONLY)]
    assert ways(11, most=5) == [((4, 4, 3), "B-02", Laid.STARRED_ONLY)]
    assert composition(11, 3, 5, READINGS, starred=True).sizes == (4, 4, 3)


@pytest.mark.parametrize(("players", "most"), [(7, 6), (12, 6), (24, 6), (26, 6), (6, 4), (11, 4)])
def test_no_other_number_has_an_alternative_with_a_star(players: int, most: int) -> None:
    """B-02."""
    with pytest.raises(Illegal) as refused:
        composition(players, 3, most, READINGS, starred=True)
    no = refused.value
    assert (no.reason, no.rule, no.data) == (
        Reason.NO_ALTERNATIVE,
        "B-02",
        {"players": players},
    )


def test_twenty_four_make_six_tables_of_four_and_may_make_fives() -> None:
    """B-03. Whichever comes first is a reading; both are offered, by the same article."""
    printed = ((4, 4, 4, 4, 4, 4), "B-03", Laid.TWENTY_FOUR)
    fives = ((5, 5, 5, 5, 4), "B-03", Laid.FIVES)
    assert ways(24) == ways(24, most=5) == [printed, fives]
    otherwise = compositions(24, 3, 6, FIVES)
    assert [(way.sizes, way.step.rule, way.step.kind) for way in otherwise] == [fives, printed]


@pytest.mark.parametrize("players", [4, 5, 8, 9, 10, *range(12, 24), 25])
def test_the_printed_rows_have_a_pattern(players: int) -> None:
    """B-04. Found here by trying: the fewest tables of four and five that seat them all."""
    tried = (
        tables
        for count in range(1, players)
        for tables in combinations_with_replacement((5, 4), count)
        if sum(tables) == players
    )
    assert pattern(players) == next(tried) == composition(players, 3, 6, READINGS).sizes


@pytest.mark.parametrize("players", [3, 6, 7, 11])
def test_four_numbers_are_too_few_for_the_pattern(players: int) -> None:
    """B-04."""
    with pytest.raises(ValueError, match=f"no pattern for {players} players"):
        pattern(players)


def test_the_row_of_24_is_the_one_that_breaks_the_pattern() -> None:
    """B-03, B-04."""
    assert pattern(24) == (5, 5, 5, 5, 4)


@pytest.mark.parametrize(("players", "fives", "fours"), [(29, 5, 1), (36, 4, 4), (64, 12, 1)])
def test_beyond_25_the_pattern_is_proposed_and_says_so(
    players: int, fives: int, fours: int
) -> None:
    """B-05."""
    expected = (5,) * fives + (4,) * fours
    assert ways(players) == ways(players, most=5) == [(expected, "B-05", Laid.EXTENSION)]


def test_a_title_of_four_plays_at_fours_and_threes() -> None:
    """B-06, also where the printed row would have served: 8, and 30 beyond it."""
    for players, expected in {
        3: (3,),
        4: (4,),
        6: (3, 3),
        7: (4, 3),
        8: (4, 4),
        11: (4, 4, 3),
        30: (4, 4, 4, 4, 4, 4, 3, 3),
    }.items():
        assert ways(players, most=4) == [(expected, "B-06", Laid.FEWER_SEATS)]


@pytest.mark.parametrize(
    ("players", "fewest", "most"),
    [
        (5, 3, 4),
        (4, 3, 3),
        (5, 3, 3),
        (3, 2, 2),
        (7, 4, 6),  # the row has a table of three
        (3, 4, 6),
        (7, 4, 4),
        (9, 5, 5),
        (4, 5, 4),
    ],
)
def test_players_who_cannot_be_divided_are_refused(players: int, fewest: int, most: int) -> None:
    """B-06."""
    with pytest.raises(Illegal) as refused:
        compositions(players, fewest, most, READINGS)
    no = refused.value
    assert (no.reason, no.rule) == (Reason.NO_PARTITION, "B-06")
    assert no.data == {"players": players, "fewest": max(3, fewest), "most": most}


def test_a_row_that_the_title_does_not_admit_is_left_out() -> None:
    """B-01, B-02, B-03: of a title of four to six, 6 and 11 lose the star; of five or six, 24."""
    assert [way[0] for way in ways(6, fewest=4)] == [(6,)]
    assert [way[0] for way in ways(11, fewest=4)] == [(6, 5)]
    assert [way[0] for way in ways(10, fewest=5)] == [(5, 5)]
    with pytest.raises(Illegal, match="no_partition"):
        ways(24, fewest=5)


@pytest.mark.parametrize("players", [0, 1, 2])
def test_three_players_are_needed_whatever_the_title(players: int) -> None:
    """B-07."""
    with pytest.raises(Illegal) as refused:
        compositions(players, 2, 6, READINGS)
    no = refused.value
    assert (no.reason, no.rule) == (Reason.TOO_FEW_PLAYERS, "B-07")
    assert no.data == {"players": players, "fewest": 3}


@patient
@given(
    st.integers(min_value=0, max_value=120),
    st.integers(min_value=1, max_value=6),
    st.integers(min_value=2, max_value=9),
)
def test_every_way_seats_everybody_within_the_title(players: int, fewest: int, most: int) -> None:
    """B-01, B-05, B-06, B-07, B-11."""
    found: tuple[Composition, ...] = ()
    try:
        found = compositions(players, fewest, most, READINGS)
    except Illegal:
        assert fewest > 3 or most < 5 or players < 3
    for way in found:
        assert sum(way.sizes) == players
        assert all(max(3, fewest) <= size <= most for size in way.sizes)
        assert list(way.sizes) == sorted(way.sizes, reverse=True)
        assert Step.from_json(json.loads(json.dumps(way.step.to_json())), Laid) == way.step
    assert len({way.sizes for way in found}) == len(found) <= 2


@pytest.mark.parametrize(
    ("size", "absent", "fewest", "plays"),
    [(5, 1, 3, True), (4, 1, 3, True), (3, 1, 3, False), (5, 2, 4, False), (6, 3, 3, True)],
)
def test_a_table_plays_short_if_enough_remain(
    size: int, absent: int, fewest: int, plays: bool
) -> None:
    """B-16."""
    assert one_short(size, absent, fewest) is plays


# --- who sits before whom -------------------------------------------------------------------------


def keys(entrants: list[Entrant]) -> list[Any]:
    return [placed.key for placed in order(entrants, READINGS)]


def whys(entrants: list[Entrant]) -> dict[Any, Step]:
    return {placed.key: placed.step for placed in order(entrants, READINGS)}


@pytest.mark.parametrize("case", ORDERS, ids=lambda case: case["id"])
def test_vectors_of_the_order(case: dict[str, Any]) -> None:
    """B-08, B-09, B-10, B-11, B-12, B-13."""
    totals = case["input"].get("event_totals", {})
    entrants = [
        Entrant(
            player["id"],
            player["surname"],
            player["name"],
            ranking=case["input"]["ranking"].get(player["id"], 0),
            played=player["id"] in totals,
            total=Decimal(totals[player["id"]]) if player["id"] in totals else None,
            best=Decimal(totals[player["id"]]) if player["id"] in totals else None,
        )
        for player in case["input"]["players"]
    ]
    found = keys(entrants)
    if isinstance(case["expected"][0], list):
        tables = deal(found, composition(len(found), 3, 6, READINGS).sizes)
        assert [list(table) for table in tables] == case["expected"]
    else:
        assert found == case["expected"]


def season_rounds() -> Iterator[Any]:
    """Each round of the season: its name, who is present, its limits, and the round itself.

    Totals and best percentiles are added up here from the published ones of the earlier rounds.
    """
    season = VECTORS["season"]
    people = {person["id"]: person for person in season["players"]}
    snapshots = [
        {line["player"]: line["points"] for line in snapshot["ranking"]}
        for snapshot in season["rankings"]
    ]
    for event, ranking in zip(season["events"], snapshots, strict=False):
        seated: set[str] = set()
        credited: dict[str, list[Decimal]] = defaultdict(list)
        number = 0
        for prova in event["prove"]:
            limits = season["titles"][prova["title"]]
            for play_round in prova["rounds"]:
                number += 1
                entrants = [
                    Entrant(
                        key,
                        people[key]["surname"],
                        people[key]["name"],
                        ranking=ranking.get(key, 0),
                        played=key in seated,
                        total=sum(credited[key], Decimal(0)) if credited[key] else None,
                        best=max(credited[key], default=None),
                    )
                    for key in sorted(play_round["order"], key=lambda key: key[::-1])
                ]
                yield f"{event['id']}/{number}", entrants, limits, play_round
                for table in play_round["tables"]:
                    for line in table["results"]:
                        seated.add(line["player"])
                        if line["percentile"] is not None:
                            credited[line["player"]].append(Decimal(line["percentile"]))


ROUNDS = list(season_rounds())


def test_the_rounds_of_the_season_are_all_there() -> None:
    """Counted on the file: 2, 3, 2, 1, 2, 2, 2 and 3 in the eight events."""
    assert len(ROUNDS) == 17


@pytest.mark.parametrize("seated", ROUNDS, ids=lambda seated: seated[0])
def test_every_round_of_the_season_is_seated_as_the_vectors_have_it(seated: Any) -> None:
    """B-01, B-02, B-03, B-05, B-08, B-09, B-10, B-12, B-13."""
    _name, entrants, limits, play_round = seated
    sizes = composition(len(entrants), limits["min"], limits["max"], READINGS).sizes
    assert list(sizes) == play_round["sizes"]
    assert keys(entrants) == play_round["order"]
    for table, players in zip(play_round["tables"], deal(keys(entrants), sizes), strict=True):
        held_first = [seat.get("replaces", seat["player"]) for seat in table["seats"]]
        assert list(players) == held_first


def test_the_first_round_tells_ranked_level_and_unranked_apart() -> None:
    """B-08, B-09, B-10. Places are among those present; the next after two equals is skipped."""
    present = [
        Entrant(1, "Bo", "Lia"),
        Entrant(2, "Rossi", "Ugo", ranking=80),
        Entrant(3, "Zoli", "Tea", ranking=120),
        Entrant(4, "Rossi", "Ada", ranking=80),
        Entrant(5, "Gatti", "Ugo", ranking=6),
        Entrant(6, "Albani", "Ivo", ranking=0),
    ]
    assert keys(present) == [3, 4, 2, 5, 6, 1]
    assert whys(present) == {
        3: Step.of("B-08", Sat.RANKED, place=1, points=120),
        4: Step.of("B-10", Sat.RANKED_ALPHABETICAL, place=2, points=80),
        2: Step.of("B-10", Sat.RANKED_ALPHABETICAL, place=2, points=80),
        5: Step.of("B-08", Sat.RANKED, place=4, points=6),
        6: Step.of("B-09", Sat.UNRANKED),
        1: Step.of("B-09", Sat.UNRANKED),
    }


def played(key: int, total: str | None, best: str = "0", ranking: int = 0) -> Entrant:
    """Somebody who took part in an earlier round; his surname is the reverse of his number."""
    return Entrant(
        key,
        surname=f"S{9 - key}",
        ranking=ranking,
        played=True,
        total=None if total is None else Decimal(total),
        best=None if total is None else Decimal(best),
    )


def test_a_later_round_tells_by_what_each_was_seated() -> None:
    """B-12, B-13. Who is told from one neighbour by the best and from the other by the ranking is
    seated by the ranking; the alphabet is last, and shares the place."""
    present = [
        Entrant(8, "Bo", ranking=500),
        played(1, "2000.00", "1500.00"),
        played(2, "1900.00", "1500.00", ranking=40),
        played(3, "1900.00", "1400.00", ranking=40),
        played(4, "1900.00", "1400.00", ranking=80),
        played(5, "900.00", "900.00", ranking=7),
        played(6, "900.00", "900.00", ranking=7),
        played(7, None, ranking=7),
    ]
    assert keys(present) == [1, 2, 3, 4, 6, 5, 7, 8]
    equal = Step.of("B-13", Sat.STANDING_ALPHABETICAL, place=5, total=Decimal("900.00"))
    total = Decimal("1900.00")
    assert whys(present) == {
        1: Step.of("B-12", Sat.STANDING, place=1, total=Decimal("2000.00")),
        2: Step.of("B-13", Sat.STANDING_BEST, place=2, total=total, best=Decimal("1500.00")),
        3: Step.of("B-13", Sat.STANDING_RANKING, place=3, total=total, ranking=40),
        4: Step.of("B-13", Sat.STANDING_RANKING, place=4, total=total, ranking=80),
        6: equal,
        5: equal,
        7: Step.of("B-13", Sat.NO_PERCENTILE),
        8: Step.of("B-13", Sat.NEWCOMER),
    }


def test_who_has_no_percentile_comes_after_a_total_of_zero_and_by_the_lower_ranking() -> None:
    """B-13, and its ruling: as 0, for seating only."""
    present = [played(1, None, ranking=9), played(2, None), played(3, "0.00", ranking=90)]
    assert keys(present) == [3, 2, 1]


def test_a_round_after_one_that_credited_nobody_is_a_later_round() -> None:
    """B-12, B-13: the only who played comes first, however the others are ranked."""
    assert keys([Entrant(1, "Bo", ranking=500), played(2, None)]) == [2, 1]


def test_the_lower_ranking_is_a_reading() -> None:
    """B-13, G-06."""
    level = [played(1, "900.00", ranking=80), played(2, "900.00", ranking=40)]
    better = replace(READINGS, lower_ranking="better_place")
    assert keys(level) == [2, 1]
    assert [placed.key for placed in order(level, better)] == [1, 2]


def test_namesakes_are_told_by_their_key() -> None:
    """B-09. Numbers as numbers: 9 before 10."""
    assert keys([Entrant(10, "Rossi", "Ugo"), Entrant(9, "rossi", "Ugo")]) == [9, 10]
    assert keys([Entrant("b", "Rossi"), Entrant("a", "Rossi")]) == ["a", "b"]
    assert keys([Entrant("a", "Rossi"), Entrant(9, "Rossi")]) == [9, "a"]


def test_nobody_is_seated_in_no_order() -> None:
    """B-08."""
    assert order([], READINGS) == ()


PERCENTILES = st.sampled_from([Decimal(n) for n in ("0.00", "900.00", "960.00", "1540.00")])


@st.composite
def people(draw: st.DrawFn) -> list[Entrant]:
    """Players who are level on anything as often as not."""
    entrants = []
    for key in range(draw(st.integers(min_value=0, max_value=9))):
        took_part = draw(st.booleans())
        credited = took_part and draw(st.booleans())
        entrants.append(
            Entrant(
                key,
                draw(st.sampled_from(["Rossi", "Bo", "D'Angelo"])),
                ranking=draw(st.integers(min_value=0, max_value=2)),
                played=took_part,
                total=draw(PERCENTILES) if credited else None,
                best=draw(PERCENTILES) if credited else None,
            )
        )
    return entrants


@patient
@given(people(), st.randoms(use_true_random=False))
def test_the_order_seats_everybody_once_and_never_depends_on_how_they_come(
    entrants: list[Entrant], chance: Any
) -> None:
    """B-08, B-12."""
    found = order(entrants, READINGS)
    assert sorted(placed.key for placed in found) == [entrant.key for entrant in entrants]
    shuffled = list(entrants)
    chance.shuffle(shuffled)
    assert order(shuffled, READINGS) == found
    for placed in found:
        assert Step.from_json(json.loads(json.dumps(placed.step.to_json())), Sat) == placed.step


@patient
@given(people())
def test_each_sits_before_the_next_for_a_reason(entrants: list[Entrant]) -> None:
    """B-08, B-09, B-10, B-12, B-13, by comparing each pair of neighbours in words of its own."""
    by_key = {entrant.key: entrant for entrant in entrants}
    found = [by_key[key] for key in keys(entrants)]
    later = any(entrant.played for entrant in entrants)
    for before, after in pairwise(found):
        names = sort_key(before.surname), sort_key(after.surname)
        if not later:
            assert before.ranking >= after.ranking
            level = before.ranking == after.ranking
        elif before.played != after.played:
            assert before.played
            level = False
        elif not before.played:
            level = True
        elif (before.total is None) != (after.total is None):
            assert before.total is not None
            level = False
        else:
            mine = (before.total or 0, before.best or 0, -before.ranking)
            theirs = (after.total or 0, after.best or 0, -after.ranking)
            assert mine >= theirs
            level = mine == theirs
        if level:
            assert names[0] < names[1] or (names[0] == names[1] and before.key < after.key)  # type: ignore[operator]
