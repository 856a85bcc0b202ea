"""FIGF, chapter 8.2: the championship of a title (*classifica di specialità*).

The best three percentiles of a title in the year are added up (000:83-84); equals are told apart by
the first of the two lists (000:88-91).
"""

from __future__ import annotations

from collections.abc import Collection, Iterable, Mapping, Sequence
from dataclasses import dataclass
from decimal import Decimal

from rankings.rules.readings import SeasonReadings
from rankings.rules.ties import Claim, Criterion, placed, reasons
from rankings.rules.two_years import EventId
from tournaments.rules.regulation import Credit, PlayerId, Sentence, Step, gettext_noop

COUNTED = 3  # best results of the year (000:84)

# G-01, G-04: the list that speaks of percentiles is that of the standing that adds percentiles.
CRITERIA = (Criterion.DISCARDED, Criterion.BEST, Criterion.RANKING)


class Sum(Sentence):
    """The sentences of a specialty's row, whatever decides its place."""

    BEST_THREE = (
        "specialty_best",
        gettext_noop("The best %(counted)s results of the year: %(parts)s = %(total)s."),
    )
    ONE = "specialty_one", gettext_noop("The only result of the year: %(total)s.")
    ALL = "specialty_all", gettext_noop("All results of the year: %(parts)s = %(total)s.")


@dataclass(frozen=True, slots=True)
class Result:
    """One result of a player in a title: what was credited to him, at which event.

    `event` and `round` only say where it comes from; the `moment` of the event orders equals.
    """

    event: EventId
    prova: int
    round: int
    points: Decimal


@dataclass(frozen=True, slots=True)
class Row:
    """One row: `counted` and `discarded` from the best down; `steps` say why he is there."""

    key: PlayerId
    place: int
    total: Decimal
    counted: tuple[Result, ...]
    discarded: tuple[Result, ...]
    steps: tuple[Step, ...]


def counting(
    credited: Mapping[EventId, Sequence[Credit]], prove: Mapping[EventId, Collection[int]]
) -> list[tuple[EventId, Credit]]:
    """E-05, E-08 — a result is of its event's season; cups and friendly games give none.

    `credited` are those of the official events of one season, whenever its games were played, and
    `prove` the numbers of each event's prove of the title asked for. Refuses nothing.

    >>> played = {"e1": [Credit("a", 1, 1, Decimal("900.00")), Credit("a", 2, 1, None)]}
    >>> [credit.prova for _event, credit in counting(played, {"e1": {1}})]
    [1]
    """
    return [
        (event, credit)
        for event, his in credited.items()
        for credit in his
        if credit.prova in prove.get(event, ())
    ]


def results(
    credited: Iterable[tuple[EventId, Credit]], readings: SeasonReadings
) -> dict[PlayerId, list[Result]]:
    """E-03, E-04 — each game played is one result, also of a double round, and by correspondence.

    `credited` are those of one title, with their event (`counting`). A percentile is defined for a
    table; a game that credits nothing is no result. By "prova", the rounds of a double one are
    added up. Refuses nothing.

    >>> from rankings.rules.readings import READINGS
    >>> double = [("e6", Credit("a", 1, 1, Decimal("900.00"))),
    ...           ("e6", Credit("a", 1, 2, Decimal("1600.00"))), ("e7", Credit("a", 2, 1, None))]
    >>> [str(result.points) for result in results(double, READINGS)["a"]]
    ['900.00', '1600.00']
    """
    found: dict[PlayerId, list[Result]] = {}
    for event, credit in credited:
        if credit.points is None:
            continue
        his = found.setdefault(credit.player, [])
        same = [r for r in his if (r.event, r.prova) == (event, credit.prova)]
        if readings.specialty_unit == "prova" and same:
            his.remove(same[0])
            added = same[0].points + credit.points
            his.append(Result(event, credit.prova, same[0].round, added))
        else:
            his.append(Result(event, credit.prova, credit.round, credit.points))
    return found


def best(his: Sequence[Result]) -> tuple[tuple[Result, ...], tuple[Result, ...]]:
    """E-02 — the best three results of the year count, or as many as there are.

    Those that count and those discarded, each from the best down. Refuses nothing.

    >>> four = [Result("e1", 1, 1, Decimal(points)) for points in (700, 1600, 800, 900)]
    >>> [[int(result.points) for result in part] for part in best(four)]
    [[1600, 900, 800], [700]]
    """
    ordered = sorted(his, key=lambda result: -result.points)
    return tuple(ordered[:COUNTED]), tuple(ordered[COUNTED:])


def standing(
    of: Mapping[PlayerId, Sequence[Result]],
    ranking: Mapping[PlayerId, int],
    readings: SeasonReadings,
) -> tuple[Row, ...]:
    """E-01, G-01 — the standing of a title adds up what each has obtained in it in the year.

    Equals: the discarded scores, the highest percentile of the title and year, bonus included, the
    lower ranking (`ranking`, after the last event that counts; who is absent has 0). By place; who
    shares one is in the order of the keys. A title that nobody played has no rows (E-06). Refuses
    nothing.

    >>> from rankings.rules.readings import READINGS
    >>> played = {"a": [Result("e1", 1, 1, Decimal("1500.00")), Result("e2", 1, 1, Decimal("100"))],
    ...           "b": [Result("e1", 1, 1, Decimal("1601.00"))]}
    >>> [(row.place, row.key, str(row.total)) for row in standing(played, {}, READINGS)]
    [(1, 'b', '1601.00'), (2, 'a', '1600.00')]
    """
    parts = {key: best(his) for key, his in of.items() if his}
    claims = [
        Claim(
            key,
            sum((result.points for result in counted), Decimal(0)),
            tuple((name, _figures(name, key, counted, discarded, ranking)) for name in CRITERIA),
        )
        for key, (counted, discarded) in parts.items()
    ]
    lower = readings.lower_ranking
    rows = [
        Row(
            claim.key,
            place,
            Decimal(claim.total),
            *parts[claim.key],
            (_sum(claim, *parts[claim.key]), *steps),
        )
        for claim, place, steps in zip(
            claims, placed(claims, lower), reasons(claims, lower, "G-01"), strict=True
        )
    ]
    return tuple(sorted(rows, key=lambda row: (row.place, isinstance(row.key, str), row.key)))


def _figures(
    name: Criterion,
    key: PlayerId,
    counted: Sequence[Result],
    discarded: Sequence[Result],
    ranking: Mapping[PlayerId, int],
) -> tuple[Decimal | int, ...]:
    if name == Criterion.DISCARDED:
        return tuple(result.points for result in discarded)
    if name == Criterion.BEST:
        return (counted[0].points,)
    return (ranking.get(key, 0),)


def _sum(claim: Claim, counted: Sequence[Result], discarded: Sequence[Result]) -> Step:
    parts = tuple(result.points for result in counted)
    if discarded:
        return Step.of("E-02", Sum.BEST_THREE, counted=COUNTED, parts=parts, total=claim.total)
    if len(parts) == 1:
        return Step.of("E-01", Sum.ONE, total=claim.total)
    return Step.of("E-01", Sum.ALL, parts=parts, total=claim.total)


def champions(rows: Sequence[Row], *, closed: bool) -> tuple[PlayerId, ...]:
    """E-06, E-10 — the champion is the first, once the season is closed; level firsts all are.

    Nobody of a title that was not played: it is not awarded. Refuses nothing.

    >>> champions((), closed=True)
    ()
    """
    return tuple(row.key for row in rows if row.place == 1) if closed else ()
