"""FIGF, chapter 8.1 of the regulation of 2006: how an event stands, and what its places are worth.

Percentiles are added up, places are worth the printed points times the event factor (000:69-81);
what the text leaves open is a field of `FigfReadings`. `standings`, at the end, applies the items
to what the tables credited, and `award` to a standing. The rows that share a place are in the order
of their keys: the alphabet is the page's.
"""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Collection, Iterable, Iterator, Mapping, Sequence
from dataclasses import replace
from decimal import Decimal
from enum import StrEnum
from fractions import Fraction
from typing import TYPE_CHECKING, TypeAlias

from tournaments.rules.calendar import event_factor
from tournaments.rules.regulation import (
    Credit,
    Illegal,
    Part,
    Placing,
    PlayerId,
    Reason,
    Step,
    half_up,
    places,
)

if TYPE_CHECKING:
    from tournaments.rules.figf import FigfReadings

Merits: TypeAlias = tuple[Decimal | int, ...]  # the greater the earlier, figure by figure
Cancelled: TypeAlias = tuple[PlayerId, int | None]  # who, and the number of the prova; None: all

# The base points of each place, from the first (000:71-81).
BASE = (*map(Fraction, (25, 18, 13, 9, 6, 4, 3, 2, 1)), Fraction("0.4"))
LEAST_FACTOR = 2  # of an event with a single prova


class Stood(StrEnum):
    """The sentences that explain a place in a standing; the comment names the figures of each.

    `others` are the players with the same total whom it tells of; `own` and `other` are his figure
    and theirs. Ranking figures are points. `parts` are the percentiles that are added up, and
    `last` is the last place that is worth anything.
    """

    SUM = "stood_sum"  # nothing: of the standing as a whole
    TOTAL = "stood_total"  # place, total
    ADDED = "stood_added"  # place, total, parts
    BEHIND_BEST = "stood_behind_best"  # others, own, other
    BEHIND_RANKING = "stood_behind_ranking"  # others, own, other, reading
    SHARED = "stood_shared"  # others, reading
    AHEAD_BEST = "stood_ahead_best"  # others, own, other
    AHEAD_RANKING = "stood_ahead_ranking"  # others, own, other, reading
    POINTS = "stood_points"  # place, base, factor, exact
    WHOLE = "stood_whole"  # points
    NO_POINTS = "stood_no_points"  # place, last


# --- the items, in order --------------------------------------------------------------------------


def total(credited: Iterable[Credit]) -> Decimal | None:
    """D-01 — the standing of an event adds up the percentiles of the prove that it is made of.

    `credited` are those of one player; both rounds of a double round count. None if he is credited
    with nothing: he has no row, for the standing is of those who have a percentile. Refuses
    nothing.

    >>> total([Credit("a", 1, 1, Decimal("1540.00")), Credit("a", 2, 1, Decimal("700.00"))])
    Decimal('2240.00')
    >>> total([Credit("b", 1, 1, None)]) is None
    True
    """
    points = [credit.points for credit in credited if credit.points is not None]
    return sum(points, Decimal(0)) if points else None


def parts(credited: Iterable[Credit]) -> tuple[Part, ...]:
    """D-02 — who played only some prove is classified with what he has; the others add nothing.

    The percentiles of one player, round by round, in order. A game that credits nothing is a dash
    (None), also where the others of the prova add up; a round not played is left out. Two games of
    one round, which the station master may have granted (C-13), are added up. Refuses nothing.

    >>> parts([Credit("a", 2, 1, Decimal("700.00")), Credit("a", 1, 2, None)])
    (((1, 2), None), ((2, 1), Decimal('700.00')))
    """
    rounds: dict[tuple[int, int], list[Credit]] = defaultdict(list)
    for credit in credited:
        rounds[credit.prova, credit.round].append(credit)
    return tuple((number, total(rounds[number])) for number in sorted(rounds))


def of_round(
    credited: Iterable[Credit],
    prova: int,
    number: int,
    ranking: Mapping[PlayerId, int],
    readings: FigfReadings,
) -> tuple[Placing, ...]:
    """D-03 — standings are drawn from the single round up, across all its tables.

    Round `number` of a prova. Nothing says how to tell equals of a round or of a prova apart: as in
    the event. Empty where nobody has a percentile. Refuses nothing.

    >>> from tournaments.rules.figf import READINGS
    >>> played = [Credit("a", 1, 1, Decimal("900.00")), Credit("b", 1, 1, Decimal("1600.00")),
    ...           Credit("a", 1, 2, Decimal("1500.00")), Credit("c", 2, 1, Decimal("1500.00"))]
    >>> [(row.place, row.key) for row in of_round(played, 1, 1, {}, READINGS)]
    [(1, 'b'), (2, 'a')]
    >>> [(row.key, str(row.total)) for row in of_prova(played, 1, {}, READINGS)]
    [('a', '2400.00'), ('b', '1600.00')]
    """
    asked = [credit for credit in credited if (credit.prova, credit.round) == (prova, number)]
    return standings(asked, ranking, readings)


def of_prova(
    credited: Iterable[Credit],
    prova: int,
    ranking: Mapping[PlayerId, int],
    readings: FigfReadings,
) -> tuple[Placing, ...]:
    """The standing of a prova: its rounds added up (D-03)."""
    return standings([credit for credit in credited if credit.prova == prova], ranking, readings)


def points(place: int, factor: int) -> int:
    """D-05 — event points are the base points of the place times the event factor.

    25, 18, 13, 9, 6, 4, 3, 2, 1, 0.4, and from the 11th on nothing; any factor from 2 up. Refuses:
    BAD_PLACE_OR_FE.

    >>> [points(place, 3) for place in range(1, 12)]
    [75, 54, 39, 27, 18, 12, 9, 6, 3, 1, 0]
    >>> points(0, 3)
    Traceback (most recent call last):
    tournaments.rules.regulation.Illegal: bad_place_or_fe (D-05)
    """
    if place < 1 or factor < LEAST_FACTOR:
        raise Illegal(Reason.BAD_PLACE_OR_FE, "D-05", place=place, factor=factor)
    return nearest(BASE[place - 1] * factor) if place <= len(BASE) else 0


def nearest(exact: Fraction) -> int:
    """D-06 — event points are whole: the nearest integer.

    Only so does the 10th get 1 with a factor of 3 (1.2) and 2 with 4 (1.6), as printed; 0.4 times a
    whole number never ends in a half. Refuses nothing.

    >>> nearest(Fraction("1.2")), nearest(Fraction("1.6"))
    (1, 2)
    """
    return int(half_up(exact, 0))


def award(
    standing: Sequence[Placing], rounds_of_prove: Sequence[int], readings: FigfReadings
) -> dict[PlayerId, int]:
    """D-07, D-09 — who shares a place gets its points in full; fewer than ten get theirs, unscaled.

    By player, 0 from the 11th place on. `rounds_of_prove` are the rounds of each prova that counts,
    which make the event factor (A-06). Refuses: NO_PROVE.

    >>> from tournaments.rules.figf import READINGS
    >>> equal = [Credit("a", 1, 1, Decimal("1500.00")), Credit("b", 1, 1, Decimal("1500.00")),
    ...          Credit("c", 1, 1, Decimal("400.00"))]
    >>> award(standings(equal, {}, READINGS), [1, 1], READINGS)
    {'a': 75, 'b': 75, 'c': 39}
    """
    factor = event_factor(rounds_of_prove, readings)
    return {row.key: points(row.place, factor) for row in standing}


def award_why(
    place: int, rounds_of_prove: Sequence[int], readings: FigfReadings
) -> tuple[Step, ...]:
    """What explains the event points of a place: base times factor, and whole (D-05, D-06).

    Refuses what `award` and `points` refuse.

    >>> from tournaments.rules.figf import READINGS
    >>> [f"{step.rule} {step.kind}" for step in award_why(10, [1, 1], READINGS)]
    ['D-05 stood_points', 'D-06 stood_whole']
    >>> "%(base)s × %(factor)s = %(exact)s" % award_why(1, [1, 1], READINGS)[0]
    '25 × 3 = 75'
    """
    factor = event_factor(rounds_of_prove, readings)
    worth = points(place, factor)
    if place > len(BASE):
        return (Step.of("D-05", Stood.NO_POINTS, place=place, last=len(BASE)),)
    base = BASE[place - 1]
    exact = base * factor
    product = Step.of("D-05", Stood.POINTS, place=place, base=base, factor=factor, exact=exact)
    if exact == worth:
        return (product,)
    return product, Step.of("D-06", Stood.WHOLE, points=worth)


def cancel(credited: Iterable[Credit], cancelled: Collection[Cancelled]) -> tuple[Credit, ...]:
    """D-08 — who is cancelled from the event leaves its standing, and the others move up.

    For him only: what he played becomes a dash, and the percentiles of the others stay. Cancelled
    from a prova, named by its number, he keeps the other prove of the event. The credits keep their
    order; a cancellation of what nobody played changes nothing. Refuses nothing.

    >>> played = [Credit("a", 1, 1, Decimal("1540.00"), win=True), Credit("b", 1, 1, None),
    ...           Credit("a", 2, 1, Decimal("700.00"))]
    >>> [str(credit.points) for credit in cancel(played, [("a", 1)])]
    ['None', 'None', '700.00']
    >>> [str(credit.points) for credit in cancel(played, [("a", None)])]
    ['None', 'None', 'None']
    """
    gone = set(cancelled)
    return tuple(
        credit
        if gone.isdisjoint({(credit.player, None), (credit.player, credit.prova)})
        else replace(credit, points=None, win=False)
        for credit in credited
    )


def winners(standing: Sequence[Placing]) -> tuple[PlayerId, ...]:
    """D-10 — the winner of the event is the first, after the criteria for equals.

    Several if they are still level; nobody if the standing is empty. Refuses nothing.

    >>> from tournaments.rules.figf import READINGS
    >>> level = [Credit("a", 1, 1, Decimal("1500.00")), Credit("b", 1, 1, Decimal("1500.00"))]
    >>> winners(standings(level, {"a": 90, "b": 30}, READINGS)), winners(())
    (('b',), ())
    """
    return tuple(row.key for row in standing if row.place == 1)


def merits(total: Decimal, best: Decimal, ranking: int, readings: FigfReadings) -> Merits:
    """G-03 — of equal totals, the best single percentile comes first, then the lower ranking.

    The text has no list for events: this is what applies of the first one (000:88-91), since this
    standing too is a sum of percentiles. `best` is of this event, bonus included; `ranking` are the
    points before it, 0 for who has none (G-06). Who is level on everything shares the place. By
    "ex_aequo" the total alone counts. Refuses nothing.

    >>> from tournaments.rules.figf import READINGS
    >>> a = merits(Decimal("2000.00"), Decimal("1500.00"), 90, READINGS)
    >>> b = merits(Decimal("2000.00"), Decimal("1500.00"), 30, READINGS)
    >>> a < b, a > merits(Decimal("2000.00"), Decimal("1000.00"), 0, READINGS)
    (True, True)
    """
    if readings.event_tie == "ex_aequo":
        return (total,)
    fewer = readings.lower_ranking == "fewer_points"
    return total, best, -ranking if fewer else ranking


# --- an event -------------------------------------------------------------------------------------


def standings(
    credited: Iterable[Credit], ranking: Mapping[PlayerId, int], readings: FigfReadings
) -> tuple[Placing, ...]:
    """The standing of an event: the items above in turn, a row for each who has a percentile.

    `credited` are those of all its tables that have a result, in any order, cancellations apart
    (`cancel`); `ranking` is the ranking before the event, where who is absent has 0. Refuses
    nothing.

    >>> from tournaments.rules.figf import READINGS
    >>> played = [Credit("a", 1, 1, Decimal("1540.00")), Credit("b", 1, 1, Decimal("960.00")),
    ...           Credit("b", 2, 1, Decimal("1620.00")), Credit("c", 2, 1, None)]
    >>> [(row.place, row.key, str(row.total)) for row in standings(played, {}, READINGS)]
    [(1, 'b', '2580.00'), (2, 'a', '1540.00')]
    """
    of: dict[PlayerId, list[Credit]] = defaultdict(list)
    for credit in credited:
        of[credit.player].append(credit)
    rows = [
        Placing(key, 0, amount, best(his), parts(his), ())
        for key, his in of.items()
        if (amount := total(his)) is not None
    ]
    found = [merits(row.total, row.best, ranking.get(row.key, 0), readings) for row in rows]
    placed = [replace(row, place=place) for row, place in zip(rows, places(found), strict=True)]
    placed.sort(key=lambda row: (row.place, isinstance(row.key, str), row.key))
    return tuple(replace(row, steps=tuple(why(row, placed, ranking, readings))) for row in placed)


def best(credited: Iterable[Credit]) -> Decimal:
    """The highest single percentile of a player who has one.

    >>> best([Credit("a", 1, 1, Decimal("700.00")), Credit("a", 1, 2, Decimal("1540.00"))])
    Decimal('1540.00')
    """
    return max(credit.points for credit in credited if credit.points is not None)


def why(
    row: Placing,
    rows: Iterable[Placing],
    ranking: Mapping[PlayerId, int],
    readings: FigfReadings,
) -> Iterator[Step]:
    """What explains a row of these `rows`: its sum, and what told it from those with the same.

    Of those before and behind, the nearest: who is told apart from them is told from the rest.
    """
    added = tuple(amount for _round, amount in row.points if amount is not None)
    if len(added) > 1:
        yield Step.of("D-01", Stood.ADDED, place=row.place, total=row.total, parts=added)
    else:
        yield Step.of("D-01", Stood.TOTAL, place=row.place, total=row.total)
    equal = [other for other in rows if other.total == row.total and other.key != row.key]
    before = max((other.place for other in equal if other.place < row.place), default=0)
    behind = min((other.place for other in equal if other.place > row.place), default=0)

    def told(place: int, by_best: Stood, by_ranking: Stood) -> Iterator[Step]:
        others = [other for other in equal if other.place == place]
        keys = tuple(other.key for other in others)
        if not others:
            return
        if others[0].best != row.best:
            yield Step.of("G-03", by_best, others=keys, own=row.best, other=others[0].best)
        else:
            yield Step.of(
                "G-03",
                by_ranking,
                others=keys,
                own=ranking.get(row.key, 0),
                other=ranking.get(keys[0], 0),
                reading=readings.lower_ranking,
            )

    yield from told(before, Stood.BEHIND_BEST, Stood.BEHIND_RANKING)
    if level := tuple(other.key for other in equal if other.place == row.place):
        yield Step.of("D-07", Stood.SHARED, others=level, reading=readings.event_tie)
    yield from told(behind, Stood.AHEAD_BEST, Stood.AHEAD_RANKING)
