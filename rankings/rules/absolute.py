"""FIGF, chapter 8.3: the absolute championship (*classifica assoluta*).

The points of the year's events are added up but the worst (000:86); equals are told apart by the
second of the two lists (000:93-96).
"""

from __future__ import annotations

from collections.abc import Collection, Iterable, Mapping, Sequence
from dataclasses import dataclass, field, replace

from rankings.rules.readings import SeasonReadings
from rankings.rules.ties import Claim, Criterion, placed, reasons
from rankings.rules.two_years import Outcome
from tournaments.rules.regulation import PlayerId, Sentence, Step, gettext_noop

# G-02, G-04: the list that speaks of victories is that of the standing made of places.
CRITERIA = (Criterion.PLACES, Criterion.DISCARDED, Criterion.RANKING)


class Sum(Sentence):
    """The sentences of the absolute's row, whatever decides its place."""

    DROPPED = (
        "absolute_dropped",
        gettext_noop("Points of the events: %(parts)s, less the worst, %(dropped)s: %(total)s."),
    )
    ADDED = "absolute_added", gettext_noop("Points of the events: %(parts)s = %(total)s.")
    ONE = "absolute_one", gettext_noop("Points of the only event closed: %(total)s.")
    DROP_LATER = (
        "absolute_drop_later",
        gettext_noop(
            "The worst is dropped with the last of the %(planned)s planned events: today it would "
            "be %(dropped)s."
        ),
    )


# An event of the year in order: who is in its standing; None while it is still to be closed.
Standing = Mapping[PlayerId, Outcome] | None


@dataclass(frozen=True, slots=True)
class Season:
    """The events planned for the year, in order, and who was taken out of which by a sanction.

    `sanctioned` holds pairs of player and index of the event. `cancelled` are the events planned
    once and held no more.
    """

    events: tuple[Standing, ...]
    cancelled: int = 0
    sanctioned: frozenset[tuple[PlayerId, int]] = field(default_factory=frozenset)

    @property
    def complete(self) -> bool:
        return None not in self.events


@dataclass(frozen=True, slots=True)
class Row:
    """One row: `scores` of the events in order, of which the one at `drop` does not count.

    `dropped` is its points, 0 where nothing is dropped yet; `would_drop` is what would be dropped
    if the year ended now. `countback` counts his first places, his seconds, and so on. A score is 0
    also where he was not there (`absent`).
    """

    key: PlayerId
    place: int
    total: int
    scores: tuple[int, ...]
    drop: int | None
    dropped: int
    would_drop: int
    countback: tuple[int, ...]
    absent: frozenset[int]
    steps: tuple[Step, ...]


# --- the items, in order --------------------------------------------------------------------------


def total(scores: Sequence[int], drop: int | None) -> int:
    """F-01 — the absolute standing adds up the event points that a player has obtained.

    `drop` is the index of the one that does not count. Refuses nothing.

    >>> total([54, 75, 54], 0), total([75, 75, 0, 0], None)
    (129, 150)
    """
    return sum(scores) - (0 if drop is None else scores[drop])


def drop(scores: Sequence[int], never: Collection[int] = ()) -> int | None:
    """F-02, F-05 — the worst of all the events planned is dropped; one not played is worth 0.

    So who plays all drops his worst, and who missed one drops that nothing. Its index: of equals,
    the first. With a single event nothing is dropped. `never` are those that may not be. Refuses
    nothing.

    >>> drop([54, 75, 39]), drop([75, 75, 0, 27]), drop([75])
    (2, 2, None)
    """
    allowed = [index for index in range(len(scores)) if index not in never]
    if len(scores) < 2 or not allowed:
        return None
    return min(allowed, key=lambda index: scores[index])


def planned(season: Season, readings: SeasonReadings) -> int:
    """F-03, F-04 — nothing is dropped before the last planned event; a cancelled one is none.

    How many events the drop is reckoned on; by "yes" a cancelled event stays, a nothing for all.
    Refuses nothing.

    >>> from rankings.rules.readings import READINGS
    >>> planned(Season(({}, {}, None), cancelled=1), READINGS)
    3
    """
    if readings.planned_includes_cancelled == "yes":
        return len(season.events) + season.cancelled
    return len(season.events)


def untouchable(season: Season, key: PlayerId, readings: SeasonReadings) -> set[int]:
    """F-06 — an event lost by a sanction is a zero like any absence, and may be the one dropped.

    The events that he may not drop: none, but by "counts" those. Refuses nothing.

    >>> from rankings.rules.readings import READINGS
    >>> untouchable(Season(({}, {}), sanctioned=frozenset({("a", 1)})), "a", READINGS)
    set()
    """
    if readings.sanctioned_event == "drops":
        return set()
    return {index for player, index in season.sanctioned if player == key}


def listed(season: Season) -> list[PlayerId]:
    """F-07 — who was classified in at least one event of the year is listed, also with nothing.

    Refuses nothing.

    >>> listed(Season(({"a": Outcome(1, 75)}, None, {"b": Outcome(11, 0), "a": Outcome(2, 54)})))
    ['a', 'b']
    """
    return list(dict.fromkeys(player for event in season.events for player in event or ()))


def last_place(season: Season) -> int:
    """The last place that anybody took in the events of the year; 0 in none."""
    return max((o.place for event in season.events for o in (event or {}).values()), default=0)


def countback(
    outcomes: Sequence[Outcome | None], last: int, dropped: int | None, readings: SeasonReadings
) -> tuple[int, ...]:
    """G-02 — of equals, most victories come first, then most second places, and so on down.

    `outcomes` are his, in the order of the events, and `last` is as far down as anybody was placed,
    also where places are worth nothing. Victories are first places of events, also of the one
    dropped; by "games" they are games won. Refuses nothing.

    >>> from rankings.rules.readings import READINGS
    >>> countback([Outcome(1, 75), None, Outcome(2, 54)], 3, None, READINGS)
    (1, 1, 0)
    """
    counts = [0] * last
    won = 0
    for index, outcome in enumerate(outcomes):
        skipped = index == dropped and readings.countback_includes_dropped == "no"
        if outcome is not None and not skipped:
            counts[outcome.place - 1] += 1
            won += outcome.wins
    if readings.victories == "games" and counts:
        counts[0] = won
    return tuple(counts)


# --- the year -------------------------------------------------------------------------------------


def standing(
    season: Season, ranking: Mapping[PlayerId, int], readings: SeasonReadings
) -> tuple[Row, ...]:
    """The absolute standing: the items above in turn, a row for each who was classified.

    `ranking` is the one after the last event that counts; who is absent has 0 (G-06). By place; who
    shares one is in the order of the keys. Refuses nothing.

    >>> from rankings.rules.readings import READINGS
    >>> year = Season(({"a": Outcome(1, 75), "b": Outcome(2, 54)}, {"b": Outcome(1, 75)}))
    >>> [(row.place, row.key, row.total, row.dropped) for row in standing(year, {}, READINGS)]
    [(1, 'b', 75, 54), (2, 'a', 75, 0)]
    """
    gone, last = planned(season, readings) - len(season.events), last_place(season)
    rows: list[Row] = []
    claims: list[Claim] = []
    for key in listed(season):
        outcomes = [(event or {}).get(key) for event in season.events]
        scores = tuple(outcome.points if outcome else 0 for outcome in outcomes)
        worst = drop([*scores, *[0] * gone], untouchable(season, key, readings))
        would = None if worst is None or worst >= len(scores) else worst
        now = would if season.complete else None
        counts = countback(outcomes, last, now, readings)
        points = total(scores, now)
        figures = {
            Criterion.PLACES: counts,
            Criterion.DISCARDED: (0 if now is None else scores[now],),
            Criterion.RANKING: (ranking.get(key, 0),),
        }
        claims.append(Claim(key, points, tuple((name, figures[name]) for name in CRITERIA)))
        rows.append(
            Row(
                key,
                0,
                points,
                scores,
                now,
                0 if now is None else scores[now],
                0 if would is None else scores[would],
                counts,
                frozenset(index for index, outcome in enumerate(outcomes) if outcome is None),
                (),
            )
        )
    return _in_order(rows, claims, season, readings)


def _in_order(
    rows: Sequence[Row], claims: Sequence[Claim], season: Season, readings: SeasonReadings
) -> tuple[Row, ...]:
    lower = readings.lower_ranking
    found = [
        replace(
            row,
            place=place,
            steps=(*_sum(row, season, readings), *steps),
        )
        for row, place, steps in zip(
            rows, placed(claims, lower), reasons(claims, lower, "G-02"), strict=True
        )
    ]
    return tuple(sorted(found, key=lambda row: (row.place, isinstance(row.key, str), row.key)))


def _sum(row: Row, season: Season, readings: SeasonReadings) -> Iterable[Step]:
    parts = tuple(
        score for score, event in zip(row.scores, season.events, strict=True) if event is not None
    )
    if row.drop is not None:
        yield Step.of("F-02", Sum.DROPPED, parts=parts, dropped=row.dropped, total=row.total)
        return
    if len(parts) == 1:
        yield Step.of("F-01", Sum.ONE, total=row.total)
    else:
        yield Step.of("F-01", Sum.ADDED, parts=parts, total=row.total)
    if not season.complete:
        count = planned(season, readings)
        yield Step.of("F-03", Sum.DROP_LATER, planned=count, dropped=row.would_drop)


def champions(rows: Sequence[Row], *, closed: bool) -> tuple[PlayerId, ...]:
    """F-08 — the champion is the first, once all the planned events are closed or cancelled.

    Those who are level by every criterion are all champions (G-07). Refuses nothing.

    >>> champions((), closed=True)
    ()
    """
    return tuple(row.key for row in rows if row.place == 1) if closed else ()
