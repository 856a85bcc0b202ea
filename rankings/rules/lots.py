"""Lots: people put in order by throws of dice, so that anybody can retell how."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from itertools import groupby

from tournaments.rules.regulation import PlayerId


class TooFewThrows(ValueError):
    """The throws ran out before everybody was told apart: others have to be made."""


@dataclass(frozen=True, slots=True)
class Lot:
    """One person and what he threw: his first die, and one more for each time he was level."""

    key: PlayerId
    throws: tuple[int, ...]


def order(people: Sequence[PlayerId], throws: Sequence[int]) -> tuple[Lot, ...]:
    """The people by their dice, the highest first.

    `throws` are read in sequence: everybody throws once, in the order of `people`; then those who
    threw the same throw again among themselves until told apart, the highest of them first, in the
    order of `people` as well. What is left over is not read. Nobody: nobody. Refuses with
    `TooFewThrows` when the throws run out.

    >>> [(lot.key, lot.throws) for lot in order("abc", [2, 5, 2, 1, 6, 3])]
    [('b', (5,)), ('c', (2, 6)), ('a', (2, 1))]
    >>> order("ab", [4, 4, 1])
    Traceback (most recent call last):
    rankings.rules.lots.TooFewThrows: 3 throws for 2 people
    """
    dice = iter(throws)
    try:
        return tuple(_told_apart([Lot(key, ()) for key in people], dice))
    except StopIteration:
        raise TooFewThrows(f"{len(throws)} throws for {len(people)} people") from None


def _told_apart(level: Sequence[Lot], dice: Iterator[int]) -> list[Lot]:
    """Those who are level so far, each with one more throw at least."""
    thrown = [Lot(lot.key, (*lot.throws, next(dice))) for lot in level]
    thrown.sort(key=lambda lot: -lot.throws[-1])  # stable: equals stay as they were
    found: list[Lot] = []
    for _value, group in groupby(thrown, key=lambda lot: lot.throws[-1]):
        equals = list(group)
        found += equals if len(equals) == 1 else _told_apart(equals, dice)
    return found
