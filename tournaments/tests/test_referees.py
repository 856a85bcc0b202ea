"""Who referees which table: proposals, the director's choice, what is refused."""

from __future__ import annotations

from collections import Counter
from itertools import product

import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

from tournaments.rules.referees import (
    check_appointed,
    check_referee,
    may_referee,
    passed_over,
    propose,
)
from tournaments.rules.regulation import Illegal, PlayerId, Reason

patient = settings(deadline=None, suppress_health_check=[HealthCheck.too_slow])


def seated(*tables: str) -> list[list[PlayerId]]:
    """Tables of players named by one letter each."""
    return [list(table) for table in tables]


@pytest.mark.parametrize(
    ("tables", "referees", "spare", "expected"),
    [
        # two referees at two tables change places
        (seated("ABC", "DEF"), "AD", "", ["D", "A"]),
        # a referee who does not play comes before those who do
        (seated("ABC", "DEF"), "AD", "R", ["R", "A"]),
        (seated("ABC", "DEF", "GHI"), "AD", "RS", ["R", "S", "A"]),
        # the only referee cannot have his own table, and has both of the others
        (seated("ABC", "DEF", "GHI"), "A", "", [None, "A", "A"]),
        # nobody, and nobody who suits
        (seated("ABC", "DEF"), "", "", [None, None]),
        (seated("ABC"), "ABC", "", [None]),
        ([], "A", "R", []),
        # who is named twice is one person
        (seated("ABC", "DEF"), "RR", "R", ["R", "R"]),
    ],
)
def test_a_table_gets_a_referee_who_sits_elsewhere(
    tables: list[list[PlayerId]], referees: str, spare: str, expected: list[PlayerId | None]
) -> None:
    """M-02, M-03."""
    assert list(propose(tables, list(referees), list(spare))) == expected


def test_others_change_so_that_nobody_stays_without() -> None:
    """M-02. Table 1 would take B, who comes first; table 2 can only have B, since both the others
    sit there."""
    tables = seated("XYZ", "ACD", "BEF")
    assert propose(tables, ["B", "A", "C"]) == ("A", "B", "C")


@st.composite
def rounds(draw: st.DrawFn) -> tuple[list[list[PlayerId]], list[PlayerId], list[PlayerId]]:
    """One to four tables of three, some of whose players are referees, and some spare ones."""
    count = draw(st.integers(min_value=1, max_value=4))
    players: list[PlayerId] = list(range(3 * count))
    tables = [players[at : at + 3] for at in range(0, len(players), 3)]
    referees = draw(st.lists(st.sampled_from(players), unique=True, max_size=4))
    spare = draw(st.lists(st.sampled_from([100, 101]), unique=True))
    return tables, referees, list(spare)


@patient
@given(rounds())
def test_the_proposal_is_the_most_even_of_all(
    given_round: tuple[list[list[PlayerId]], list[PlayerId], list[PlayerId]],
) -> None:
    """M-02, M-03: against every other way to name them, tried one by one."""
    tables, referees, spare = given_round
    found = propose(tables, referees, spare)
    assert found == propose(tables, referees, spare)
    candidates: list[list[PlayerId | None]] = [
        [name for name in (*spare, *referees) if name not in table] or [None] for table in tables
    ]
    assert all(named in names for named, names in zip(found, candidates, strict=True))

    def loads(named: tuple[PlayerId | None, ...]) -> list[int]:
        return sorted(Counter(n for n in named if n is not None).values(), reverse=True)

    evenest = min(sum(load**2 for load in loads(way)) for way in product(*candidates))
    assert sum(load**2 for load in loads(found)) == evenest
    tables_to_name = sum(named is not None for named in found)
    assert len({*spare} & {*found}) == min(len(spare), tables_to_name)


def test_nobody_referees_his_own_table() -> None:
    """M-03."""
    assert not may_referee("A", ["A", "B", "C"])
    assert may_referee("D", ["A", "B", "C"])
    check_referee("D", ["A", "B", "C"])
    with pytest.raises(Illegal) as refused:
        check_referee("A", ["A", "B", "C"])
    no = refused.value
    assert (no.reason, no.rule, no.field) == (Reason.REFEREE_AT_OWN_TABLE, "M-03", "referee")


def test_at_the_only_table_of_a_round_a_player_may_referee() -> None:
    """M-03: nobody sits elsewhere, and the director chooses with a reason."""
    check_referee("A", ["A", "B", "C"], alone=True)


def test_every_table_has_its_referee_before_play() -> None:
    """M-02."""
    check_appointed([])
    check_appointed(["A", "B"])
    with pytest.raises(Illegal) as refused:
        check_appointed(["A", None, None])
    no = refused.value
    assert (no.reason, no.rule, no.data) == (Reason.REFEREE_MISSING, "M-02", {"table": 2})


@pytest.mark.parametrize(
    ("chosen", "referees", "spare", "appointed", "expected"),
    [
        ("X", "ADG", "", "", ["D", "G"]),  # A sits at that table
        ("X", "ADG", "R", "", ["R", "D", "G"]),
        ("X", "ADG", "R", "RD", ["G"]),  # who has a table already is not free
        ("X", "A", "", "", []),
        ("D", "ADG", "R", "", []),  # a FIGF referee passes nobody over
        ("R", "ADG", "R", "", []),
        ("A", "ADG", "R", "", []),
        (None, "AD", "", "", ["D"]),
    ],
)
def test_the_referees_passed_over_are_named(
    chosen: PlayerId | None, referees: str, spare: str, appointed: str, expected: list[str]
) -> None:
    """M-02: the choice is the director's; it is shown and recorded."""
    found = passed_over(
        chosen, ["A", "B", "C"], list(referees), list(spare), appointed=set(appointed)
    )
    assert list(found) == expected
