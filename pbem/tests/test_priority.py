"""S-02 — the order of play by the throws of a die."""

from __future__ import annotations

from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from pbem.rules.priority import SIDES, NotADie, RerollNeeded, deal, order_of_play

from .test_trains import vectors

ERRORS = {"reroll_needed": RerollNeeded, "not_a_d6": NotADie}


@pytest.mark.parametrize("case", vectors("DICE"), ids=lambda case: case["id"])
def test_the_vectors(case: dict[str, Any]) -> None:
    """S-02 (DICE-1..4)."""
    asked, expected = case["input"], case["expected"]
    if isinstance(expected, dict):
        with pytest.raises(ERRORS[expected["error"]]):
            order_of_play(asked["players"], asked["rolls"])
    else:
        assert order_of_play(asked["players"], asked["rolls"]) == expected


def test_who_throws_again_is_named() -> None:
    """S-02 — "per i giocatori interessati": the highest tie first, then the others."""
    with pytest.raises(RerollNeeded) as first:
        order_of_play("abcd", [{"a": 2, "b": 5, "c": 5, "d": 2}])
    assert first.value.tied == ("b", "c")
    with pytest.raises(RerollNeeded) as then:
        order_of_play("abcd", [{"a": 2, "b": 5, "c": 5, "d": 2}, {"b": 1, "c": 3}])
    assert then.value.tied == ("a", "d")


WRONG = [
    [{"a": 5, "b": 5, "c": 1}, {"a": 1, "c": 2}],  # not those who were level
    [{"a": 5, "b": 5, "c": 1}, {"a": 1, "b": 2, "c": 3}],
    [{"a": 5, "b": 4, "c": 1}, {"a": 1, "b": 2}],  # nobody was
    [{"a": 5, "b": 4}],
]


@pytest.mark.parametrize("rolls", WRONG)
def test_a_throw_of_the_wrong_people_is_refused(rolls: list[dict[str, int]]) -> None:
    """S-02 — a reroll decides only among the tied."""
    with pytest.raises(ValueError, match=r"throw|reroll"):
        order_of_play("abc", rolls)


@pytest.mark.parametrize("value", [0, 7, -1, 100])
def test_a_value_that_the_die_does_not_have(value: int) -> None:
    """S-02."""
    with pytest.raises(NotADie) as wrong:
        deal("ab", [3, value])
    assert wrong.value.value == value


def test_the_throws_of_one_draw_go_to_the_players_in_turn() -> None:
    """S-02 — 4 4 4 1 1, then 3 3 5 among the first three, 1 2 among two of them, 6 2 below; what is
    left over decides nothing (DICE-2 as one row of throws)."""
    row = [4, 4, 4, 1, 1, 3, 3, 5, 1, 2, 6, 2, 6, 6, 6]
    dealt = deal("abcde", row)
    assert dealt == [
        {"a": 4, "b": 4, "c": 4, "d": 1, "e": 1},
        {"a": 3, "b": 3, "c": 5},
        {"a": 1, "b": 2},
        {"d": 6, "e": 2},
    ]
    assert order_of_play("abcde", dealt) == ["c", "b", "a", "d", "e"]


@given(st.integers(2, 6), st.lists(st.integers(1, SIDES), min_size=60, max_size=60))
def test_whatever_is_thrown_the_order_has_everybody_once_and_the_higher_first(
    players: int, throws: list[int]
) -> None:
    """S-02."""
    names = "abcdef"[:players]
    try:
        dealt = deal(names, throws)
    except RerollNeeded:
        return
    order = order_of_play(names, dealt)
    assert sorted(order) == list(names)
    first = [dealt[0][one] for one in order]
    assert first == sorted(first, reverse=True)
