"""The order of play at a table of correspondence, by throws of a die (*priorità iniziale*)."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from itertools import groupby

SIDES = 6


class RerollNeeded(Exception):
    """Players are still tied when the throws are at an end: `tied` throw again."""

    def __init__(self, tied: tuple[str, ...]) -> None:
        super().__init__(tied)
        self.tied = tied


class NotADie(Exception):
    """A throw that a six-sided die does not have."""

    def __init__(self, value: object) -> None:
        super().__init__(value)
        self.value = value


def order_of_play(players: Sequence[str], rolls: Sequence[Mapping[str, int]]) -> list[str]:
    """S-02 — priority and seats by a six-sided die: the highest first; the tied throw again.

    `rolls` are the throws in the order in which they were made: the first has everybody, each later
    one has exactly the players of one tie, the highest tie first. A reroll decides only among the
    tied: they keep their place against the others.

    Raises `NotADie` on a value outside 1–6, `ValueError` on a reroll of the wrong people,
    `RerollNeeded` while a tie is left.

    >>> order_of_play("abcd", [{"a": 6, "b": 6, "c": 3, "d": 4}, {"a": 2, "b": 5}])
    ['b', 'a', 'd', 'c']
    """
    for roll in rolls:
        for value in roll.values():
            if value not in range(1, SIDES + 1):
                raise NotADie(value)
    left = iter(rolls)
    order = list(_ordered(tuple(players), left))
    if next(left, None) is not None:
        raise ValueError("a reroll that no tie asked for")
    return order


def _ordered(tied: tuple[str, ...], rolls: Iterator[Mapping[str, int]]) -> Iterator[str]:
    roll = next(rolls, None)
    if roll is None:
        raise RerollNeeded(tied)
    if roll.keys() != set(tied):
        raise ValueError("a throw of the wrong people")
    ranked = sorted(tied, key=lambda one: -roll[one])  # stable: the tied stay as they were
    for _value, group in groupby(ranked, key=lambda one: roll[one]):
        same = tuple(group)
        if len(same) == 1:
            yield same[0]
        else:
            yield from _ordered(same, rolls)


def deal(players: Sequence[str], throws: Sequence[int]) -> list[dict[str, int]]:
    """The throws of one draw as they belong to the players: all in turn, then each tie in turn.

    What is left over decides nothing. Raises `RerollNeeded` if they do not suffice, `NotADie`.

    >>> deal("ab", [3, 3, 5, 1, 6, 6])
    [{'a': 3, 'b': 3}, {'a': 5, 'b': 1}]
    """
    rolls: list[dict[str, int]] = []
    used, tied = 0, tuple(players)
    while used + len(tied) <= len(throws):
        rolls.append(dict(zip(tied, throws[used : used + len(tied)], strict=True)))
        used += len(tied)
        try:
            order_of_play(players, rolls)
        except RerollNeeded as needed:
            tied = needed.tied
        else:
            return rolls
    raise RerollNeeded(tied)
