"""Draughts, for two: what it takes to run events by another regulation, all of it in one module.

Won, drawn or lost give 2, 1 and 0 points, for an outcome that both players are typed with, and the
pieces that each has left. Who leads meets who is nearest and whom he has not met; of an odd number
the last who has not had one has a bye, worth a win. Equal totals are told apart by what their
opponents have.
"""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, replace
from decimal import Decimal
from typing import Literal

from tournaments.rules.names import sort_key
from tournaments.rules.regulation import (
    Composition,
    Credit,
    Entrant,
    Facts,
    Field,
    FieldKind,
    Illegal,
    Incident,
    Labels,
    Placed,
    Placing,
    PlayerId,
    Readings,
    Reason,
    Regulation,
    Score,
    Seat,
    Sentence,
    Sitting,
    Step,
    Table,
    gettext_noop,
    places,
)

WON, DRAWN, LOST = 2, 1, 0


@dataclass(frozen=True, slots=True)
class DraughtsReadings(Readings):
    """DR-04. What a bye is worth."""

    bye: Literal["win", "draw"]


class Why(Sentence):
    """How a game, a seat, a table and a place in the standing came about."""

    WON = "draughts_won", gettext_noop("Won, with %(pieces)s pieces left: %(points)s points.")
    DRAWN = "draughts_drawn", gettext_noop("Drawn, with %(pieces)s pieces left: %(points)s point.")
    LOST = "draughts_lost", gettext_noop("Lost, with %(pieces)s pieces left: no points.")
    BYE = "draughts_bye", gettext_noop("Nobody was left to play: %(points)s points.")
    VOID = "draughts_void", gettext_noop("The game is void: no points for anybody.")
    PAIRS = "draughts_pairs", gettext_noop("%(players)s players, two at a table.")
    ODD = "draughts_odd", gettext_noop("%(players)s players: one has nobody to play.")
    NAME = "draughts_name", gettext_noop("First round: by surname, number %(place)s.")
    TOTAL = "draughts_total", gettext_noop("So far %(total)s points, number %(place)s.")
    SUM = "draughts_sum", gettext_noop("Sum of the points of the games.")
    PLACE = "draughts_place", gettext_noop("%(total)s points, place %(place)s.")
    SHARED = (
        "draughts_shared",
        gettext_noop(
            "As many points as %(others)s, and opponents with %(own)s too: the place is shared."
        ),
    )
    APART = (
        "draughts_apart",
        gettext_noop(
            "As many points as %(others)s, told apart by those of the opponents: %(own)s."
        ),
    )


class Fault(Sentence):
    """What no sheet may say."""

    UNFINISHED = "draughts_unfinished", gettext_noop("Choose the outcome and count the pieces.")
    DISAGREE = "draughts_disagree", gettext_noop("One wins and the other loses, or both draw.")
    PIECES = "draughts_pieces", gettext_noop("A side has twelve pieces, and here %(pieces)s.")


# --- a table --------------------------------------------------------------------------------------


def pieces_left(facts: Facts, seat: int) -> int:
    """DR-01 — of a seat one types the outcome, and how many of its twelve pieces are left."""
    pieces = facts.get("pieces")
    if facts.get("outcome") is None or pieces is None:
        raise Illegal(Fault.UNFINISHED, "DR-01", seat=seat, unfinished=True)
    if not 0 <= pieces <= 12:
        raise Illegal(Fault.PIECES, "DR-01", seat=seat, pieces=pieces)
    return pieces


def score(table: Table, readings: DraughtsReadings) -> tuple[Score, ...]:
    """DR-02 — a win is worth two points, a draw one, a defeat nothing."""
    if table.void:
        return tuple(_line(seat, None, None, Step.of("DR-02", Why.VOID)) for seat in table.seats)
    if len(table.seats) == 1:
        points = WON if readings.bye == "win" else DRAWN
        step = Step.of("DR-04", Why.BYE, points=points)
        return (_line(table.seats[0], 1, points, step),)
    outcomes = [seat.facts["outcome"] or 0 for seat in table.seats]
    if sum(outcomes) != WON + LOST:
        raise Illegal(Fault.DISAGREE, "DR-02")
    return tuple(
        _line(seat, place, outcome, _told(seat, outcome))
        for seat, place, outcome in zip(table.seats, places(outcomes), outcomes, strict=True)
    )


def _told(seat: Seat, outcome: int) -> Step:
    kind = {WON: Why.WON, DRAWN: Why.DRAWN, LOST: Why.LOST}[outcome]
    return Step.of("DR-02", kind, pieces=seat.total, points=outcome)


def _line(seat: Seat, place: int | None, points: int | None, step: Step) -> Score:
    return Score(
        seat.key,
        place,
        None if points is None else Decimal(points),
        win=points == WON,
        credited=points is not None,
        steps=(step,),
    )


# --- a round --------------------------------------------------------------------------------------


def pairs(
    players: int, fewest: int, most: int, _readings: DraughtsReadings
) -> tuple[Composition, ...]:
    """DR-03 — two sit at a table; of an odd number one has a bye."""
    if fewest > most:
        raise Illegal(Reason.NO_PARTITION, "DR-03", players=players, fewest=fewest, most=most)
    if players == 0:
        raise Illegal(Reason.TOO_FEW_PLAYERS, "DR-03", players=players, fewest=2)
    odd = players % 2
    step = Step.of("DR-03", Why.ODD if odd else Why.PAIRS, players=players)
    return (Composition((2,) * (players // 2) + (1,) * odd, step),)


def order(entrants: Sequence[Entrant], _readings: DraughtsReadings) -> tuple[Placed, ...]:
    """DR-05 — first by surname; later by points, then by surname."""
    later = any(entrant.played for entrant in entrants)
    ordered = sorted(entrants, key=lambda e: (-(e.total or 0), sort_key(e.surname, e.name), e.key))
    return tuple(
        Placed(
            entrant.key,
            Step.of("DR-05", Why.TOTAL, total=entrant.total or Decimal(0), place=place)
            if later
            else Step.of("DR-05", Why.NAME, place=place),
        )
        for place, entrant in enumerate(ordered, start=1)
    )


def deal(
    order: Sequence[Placed],
    sizes: Sequence[int],
    met: Sequence[Sitting],
    _readings: DraughtsReadings,
) -> tuple[tuple[Placed, ...], ...]:
    """DR-06 — the first of the order plays the next whom he has not met, and so on down.

    Whoever has the bye is the last who has had none. Where everybody has met, they meet again.
    """
    left, alone = list(order), []
    if 1 in sizes:
        had = {sitting.players[0] for sitting in met if len(sitting.players) == 1}
        alone = [next((p for p in reversed(left) if p.key not in had), left[-1])]
        left.remove(alone[0])
    faced = {frozenset(sitting.players) for sitting in met}
    tables = next(_pairings(left, faced), None) or next(_pairings(left, set()))
    return (*tables, *([tuple(alone)] if alone else []))


def _pairings(
    left: Sequence[Placed], faced: set[frozenset[PlayerId]]
) -> Iterator[tuple[tuple[Placed, ...], ...]]:
    if not left:
        yield ()
        return
    first, *others = left
    for other in others:
        if frozenset({first.key, other.key}) not in faced:
            rest = [placed for placed in others if placed is not other]
            yield from (((first, other), *tables) for tables in _pairings(rest, faced))


# --- an event -------------------------------------------------------------------------------------


def standings(
    credited: Sequence[Credit], _ranking: Mapping[PlayerId, int], _readings: DraughtsReadings
) -> tuple[Placing, ...]:
    """DR-07 — by points; of equal points, by the sum of the points of those whom one has met."""
    his: dict[PlayerId, list[Credit]] = defaultdict(list)
    tables: dict[tuple[int, int, int], list[PlayerId]] = defaultdict(list)
    for credit in credited:
        if credit.points is not None:
            his[credit.player].append(credit)
            tables[credit.prova, credit.round, credit.table].append(credit.player)
    total = {
        key: sum((c.points or Decimal(0) for c in own), Decimal(0)) for key, own in his.items()
    }
    faced = {
        key: sum(
            (
                total[other]
                for c in own
                for other in tables[c.prova, c.round, c.table]
                if other != key
            ),
            Decimal(0),
        )
        for key, own in his.items()
    }
    rows = [
        Placing(
            key,
            place,
            total[key],
            max(c.points or Decimal(0) for c in his[key]),
            tuple(sorted(((c.prova, c.round), c.points) for c in his[key])),
            (),
        )
        for key, place in zip(his, places([(total[key], faced[key]) for key in his]), strict=True)
    ]
    rows.sort(key=lambda row: (row.place, row.key))
    return tuple(replace(row, steps=tuple(_why(row, rows, faced))) for row in rows)


def _why(
    row: Placing, rows: Sequence[Placing], faced: Mapping[PlayerId, Decimal]
) -> Iterator[Step]:
    yield Step.of("DR-07", Why.PLACE, total=row.total, place=row.place)
    own = faced[row.key]
    equal = [other for other in rows if other.total == row.total and other.key != row.key]
    for kind, others in (
        (Why.APART, [other.key for other in equal if other.place != row.place]),
        (Why.SHARED, [other.key for other in equal if other.place == row.place]),
    ):
        if others:
            yield Step.of("DR-07", kind, others=tuple(others), own=own)


DRAUGHTS = Regulation(
    slug="draughts-test",
    title="Draughts",
    source="Rules of the tests, for two",
    readings=DraughtsReadings(bye="win"),
    fewest_seats=2,
    most_seats=2,
    fields=(
        Field(
            "outcome",
            FieldKind.CHOICE,
            gettext_noop("Outcome"),
            choices=(
                (WON, gettext_noop("won")),
                (DRAWN, gettext_noop("drawn")),
                (LOST, gettext_noop("lost")),
            ),
        ),
        Field("pieces", FieldKind.COUNT, gettext_noop("Pieces left")),
    ),
    labels=Labels(points=gettext_noop("Points"), total=gettext_noop("Pieces left")),
    total=pieces_left,
    score=score,
    compositions=pairs,
    order=order,
    deal=deal,
    standings=standings,
    summary=Step.of("DR-07", Why.SUM),
    kinds=(Why,),
    bye={"outcome": WON, "pieces": 0},
    most_rounds=7,
    incidents=frozenset({Incident.SUBSTITUTE}),
)
