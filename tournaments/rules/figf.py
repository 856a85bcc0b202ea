"""FIGF, the regulation of 2006; here its chapter 6: what a finished table is worth.

The text gives four sentences and two examples (000:29-31). Each item of the chapter is a function
here, in the order of the items; `score`, at the end, applies them in turn to a table. What the text
leaves open is a field of `FigfReadings`, and `READINGS` is how the federation reads it.

Amounts are whole numbers of the game's money; percentiles are thousandths of the first's total.
"""

from __future__ import annotations

from collections.abc import Collection, Iterator, Mapping, Sequence
from dataclasses import dataclass
from decimal import Decimal
from enum import StrEnum
from fractions import Fraction
from typing import Any, Literal

from tournaments.rules.calendar import DOUBLE, event_factor
from tournaments.rules.regulation import (
    Exclusion,
    Facts,
    Field,
    FieldKind,
    Illegal,
    Incident,
    Labels,
    PlayerId,
    Readings,
    Reason,
    Regulation,
    Score,
    Seat,
    Step,
    Table,
    gettext_noop,
    half_up,
    places,
)
from tournaments.rules.standing import Stood, award, award_why, standings
from tournaments.rules.tables import FEWEST_SEATS, Laid, Sat, blocks, compositions, order

FULL = 1000  # the base percentile of the first (000:29)
WIN = 500  # what winning adds to it (000:30)
HIGHEST = FULL + WIN + FULL  # everybody else has zero


@dataclass(frozen=True, slots=True)
class FigfReadings(Readings):
    """Where the text is open: the item that asks, the answers it could get, and why ours.

    Every answer is implemented; `READINGS` holds the federation's.
    """

    # C-05. Decimals of a percentile: two keep the order of any real table, whole numbers would make
    # false ties.
    percentile_decimals: Literal[0, 1, 2, 3]

    # C-06. What winning adds (500) when several are first: "full_each", to each of them, since
    # each is first and no text withholds or divides it · "split", divided among them · "none".
    # Whatever the answer, each has won the game.
    tied_winners_bonus: Literal["full_each", "split", "none"]

    # C-10. A player excluded from the game's classification: "recompute", as if he had not been
    # there, since what others drew from his foul is not protected (000:173) · "keep_reference", his
    # total stays the measure, and if it is the first nobody wins. The director may decide otherwise
    # for one table (`Table.exclusion`).
    excluded_from_game: Exclusion

    # C-11. A seat that a referee finished: "kept_as_reference", since the text withholds the score
    # and does not cancel the seat (000:236) · "removed", as if it had not been there.
    unscored_seat: Literal["kept_as_reference", "removed"]

    # C-12. Who gets what Cinderella achieves: "absent_player", since it is he who takes that name
    # (000:218) · "none", and the seat is like a referee's.
    cinderella_credit: Literal["absent_player", "none"]

    # C-10. The lead of the only player left over a second who is not there: 0, no second and
    # therefore no difference · 1000, as over a second with nothing.
    sole_remaining_gap: Literal[0, 1000]

    # A-06. What the event factor counts: "prove", since a prova is a game "in a single or a double
    # round" (000:21) · "rounds", and a double round counts twice.
    fe_counts: Literal["prove", "rounds"]

    # B-03. The tables of 24 players: "printed", six of four, since the row is binding and anybody
    # can check it · "fives", four of five and one of four, as the pattern of the other rows would
    # have it. The director may choose the other one for a round.
    seating_24: Literal["printed", "fives"]

    # G-03. Equal totals in an event, for which the text has no list: "criteria", the first list as
    # far as it applies (000:88-91), best percentile and then lower ranking, since this standing too
    # is a sum of percentiles · "ex_aequo", the place is shared at once.
    event_tie: Literal["criteria", "ex_aequo"]

    # B-13, G-03, G-06. Who has the "lower ranking" among equals: "fewer_points", since the ranking
    # is defined as a score (000:98-101), and who is not in it has 0 · "better_place", who has more.
    lower_ranking: Literal["fewer_points", "better_place"]


READINGS = FigfReadings(
    percentile_decimals=2,
    tied_winners_bonus="full_each",
    excluded_from_game="recompute",
    unscored_seat="kept_as_reference",
    cinderella_credit="absent_player",
    sole_remaining_gap=0,
    fe_counts="prove",
    seating_24="printed",
    event_tie="criteria",
    lower_ranking="fewer_points",
)


class Why(StrEnum):
    """The sentences that explain a score; the comment names the figures of each."""

    HANDICAP = "handicap"  # total, handicap, adjusted
    EXCLUDED = "excluded"  # reading
    REFEREE_SEAT = "referee_seat"  # reading
    CINDERELLA = "cinderella"  # reading
    REFERENCE = "reference"  # best, firsts: the total of the first, and whose it is
    PLACE = "place"  # place, total
    BASE = "base"  # total, best, exact: a Fraction
    ROUNDED = "rounded"  # exact, rounded; only where rounding changes something
    SHARED_FIRST = "shared_first"  # firsts, bonus
    GAP = "gap"  # seconds, percentile, gap
    SOLE = "sole"  # gap
    WIN_BONUS = "win_bonus"  # win, gap, bonus
    VOID = "void"  # nothing


# --- the items, in order --------------------------------------------------------------------------


def base(total: int, best: int) -> Fraction:
    """C-01 — a player's total divided by that of the first of the table, times a thousand.

    `total` is the value of stocks plus cash; both are adjusted totals, and `best` > 0. Exact: the
    rounding is C-05. The first has 1000. Refuses nothing: a first with zero is refused by C-08.

    >>> base(7500, 7500), base(7200, 7500), base(6600, 7500)
    (Fraction(1000, 1), Fraction(960, 1), Fraction(880, 1))
    """
    return Fraction(FULL * total, best)


def bonus(
    place: Mapping[PlayerId, int], bases: Mapping[PlayerId, Decimal], readings: FigfReadings
) -> tuple[Decimal, tuple[Step, ...]]:
    """C-02 — the first gets 500 more, and the difference between 1000 and the second's percentile.

    `place` and `bases` are the table's places and rounded base percentiles; returned are the bonus
    of whoever is first, and the steps that lead to it. Several firsts: C-06. One player left: no
    second, and the lead is a reading (C-10). Refuses nothing.

    >>> lead = {"A": Decimal("1000.00"), "B": Decimal("880.00")}
    >>> amount, steps = bonus({"A": 1, "B": 2}, lead, READINGS)
    >>> amount, lead["A"] + amount
    (Decimal('620.00'), Decimal('1620.00'))
    """
    firsts = holding(1, place)
    if len(firsts) > 1:
        amount = shared_bonus(len(firsts), readings)
        return amount, (Step.of("C-06", Why.SHARED_FIRST, firsts=firsts, bonus=amount),)
    if behind := seconds(place):
        percentile = bases[behind[0]]
        gap = FULL - percentile
        rule = "C-07" if len(behind) > 1 else "C-02"
        step = Step.of(rule, Why.GAP, seconds=behind, percentile=percentile, gap=gap)
    else:
        gap = rounded(readings.sole_remaining_gap, readings)
        step = Step.of("C-10", Why.SOLE, gap=gap)
    amount = WIN + gap
    return amount, (step, Step.of("C-02", Why.WIN_BONUS, win=WIN, gap=gap, bonus=amount))


def total_of(
    stocks: int | None, cash: int | None, total: int | None, *, seat: int | None = None
) -> int:
    """C-03 — the total is stock value plus cash; typed together with them, it must agree.

    None is a box left empty, which is not a zero: the total alone is enough, and so are both parts
    without it. `seat` is the position that a refusal names.

    Refuses: TOTAL_NOT_INTEGER, TOTAL_NEGATIVE (a debt is entered as 0, C-08), TOTAL_MISSING,
    PARTS_DO_NOT_ADD, also for one part greater than the total.

    >>> total_of(6100, 1400, None), total_of(6100, 1400, 7500), total_of(None, None, 7500)
    (7500, 7500, 7500)
    >>> total_of(6100, 1400, 7600, seat=0)
    Traceback (most recent call last):
    tournaments.rules.regulation.Illegal: parts_do_not_add (C-03)
    """
    typed = {"stocks": stocks, "cash": cash, "total": total}
    for name, amount in typed.items():
        if amount is not None:
            check_amount(amount, seat=seat, field=name)
    parts = [part for part in (stocks, cash) if part is not None]
    complete = len(parts) == 2
    if total is None:
        if not complete:
            raise Illegal(Reason.TOTAL_MISSING, "C-03", seat=seat, unfinished=True)
        return sum(parts)
    if sum(parts) > total or (complete and sum(parts) < total):
        raise Illegal(
            Reason.PARTS_DO_NOT_ADD, "C-03", seat=seat, stocks=stocks, cash=cash, total=total
        )
    return total


def table_places(totals: Mapping[PlayerId, int]) -> dict[PlayerId, int]:
    """C-04 — places follow the adjusted totals, not the rounded percentiles.

    From 1; equal totals share the place and the next is skipped. Refuses nothing.

    >>> table_places({"A": 8000, "B": 6000, "C": 6000, "D": 4000})
    {'A': 1, 'B': 2, 'C': 2, 'D': 4}
    """
    return dict(zip(totals, places(list(totals.values())), strict=True))


def rounded(exact: Fraction | int, readings: FigfReadings) -> Decimal:
    """C-05 — each result is rounded once, to two decimals, half up, on the exact fraction.

    Never twice: the bonus is taken from the second's rounded percentile, so that what is published
    adds up to what is published. The zeros stay (960.00). Refuses nothing.

    >>> rounded(base(8000, 9000), READINGS), rounded(base(7201, 8000), READINGS)
    (Decimal('888.89'), Decimal('900.13'))
    """
    return half_up(exact, readings.percentile_decimals)


def shared_bonus(winners: int, readings: FigfReadings) -> Decimal:
    """C-06 — each of two or more equal firsts gets 1000 + 500 + 0: the second has 1000 too.

    `winners` >= 2 counts every first seat, also one that credits nobody. The answers "split" and
    "none" give 500 divided by them, rounded, and 0. Refuses nothing.

    >>> shared_bonus(2, READINGS)
    Decimal('500.00')
    """
    share = {"full_each": Fraction(WIN), "split": Fraction(WIN, winners), "none": Fraction(0)}
    return rounded(share[readings.tied_winners_bonus], readings)


def seconds(place: Mapping[PlayerId, int]) -> tuple[PlayerId, ...]:
    """C-07 — equal seconds are one second: the first's lead is taken from their common percentile.

    Meant for a single first. Empty when nobody is left behind him. Refuses nothing.

    >>> seconds({"A": 1, "B": 2, "C": 2, "D": 4}), seconds({"A": 1})
    (('B', 'C'), ())
    """
    return holding(2, place)


def reference(totals: Mapping[PlayerId, int]) -> int:
    """C-08 — zero is a legal total, worth zero; a table whose first has zero is not.

    Returns the total of the first, which measures all the others. A negative total was refused
    before any adjustment (`check`). Refuses: WINNER_TOTAL_ZERO.

    >>> reference({"A": 1, "B": 0, "C": 0})
    1
    >>> reference({"A": 0, "B": 0, "C": 0})
    Traceback (most recent call last):
    tournaments.rules.regulation.Illegal: winner_total_zero (C-08)
    """
    best = max(totals.values())
    if best == 0:
        raise Illegal(Reason.WINNER_TOTAL_ZERO, "C-08")
    return best


def adjusted_total(seat: Seat) -> int:
    """C-09 — a referee's handicap corrects the total, never below zero.

    Places and percentiles use the adjusted total; the counted one is kept beside it. The handicap
    is signed: positive gives, negative takes away. Refuses nothing.

    >>> adjusted_total(Seat("A", 8000, handicap=-1000)), adjusted_total(Seat("B", 500, -900))
    (7000, 0)
    """
    return max(0, seat.total + seat.handicap)


def classified(table: Table, readings: FigfReadings) -> tuple[Seat, ...]:
    """C-10 — the table is reckoned as if a player excluded from its classification were not there.

    Returns the seats that make the standing, in seat order. By "keep_reference" the excluded stay
    among them, as a measure and as a place that nobody else takes: if one of them is alone at the
    top, nobody wins. His own row is a dash either way. Refuses: NOBODY_LEFT, and the game is to be
    declared void.

    >>> seats = (Seat("A", 9000, excluded=True), Seat("B", 8000), Seat("C", 6000))
    >>> [seat.key for seat in classified(Table(seats, 3, 6), READINGS)]
    ['B', 'C']
    """
    counted = tuple(seat for seat in table.seats if is_reference(seat, readings))
    left = tuple(seat for seat in counted if not seat.excluded)
    if not left:
        raise Illegal(Reason.NOBODY_LEFT, "C-10")
    return left if exclusion(table, readings) == "recompute" else counted


def is_reference(seat: Seat, readings: FigfReadings) -> bool:
    """C-11 — a seat finished by a referee scores for nobody, and keeps its place and its measure.

    If it is alone at the top, nobody gets the bonus and nobody has won; if it is second, the
    first's lead is taken from it. Refuses nothing.

    >>> is_reference(Seat("REF", 8000, unscored=True), READINGS)
    True
    """
    return readings.unscored_seat == "kept_as_reference" or not is_unscored(seat, readings)


def is_unscored(seat: Seat, readings: FigfReadings) -> bool:
    """C-12 — Cinderella is the absent player: what she achieves is his, a victory included.

    Whether a seat scores for nobody: a referee's does not (C-11), Cinderella's does. By "none" hers
    is like a referee's. Refuses nothing.

    >>> is_unscored(Seat("A", 8000, cinderella=True), READINGS)
    False
    """
    return seat.unscored or (seat.cinderella and readings.cinderella_credit == "none")


def credited_holder(holders: Sequence[PlayerId | None]) -> PlayerId | None:
    """C-13 — the score goes in full to the player who concludes the game.

    `holders` are who held the seat, first to last, at least one; None is a referee. Who left gets
    nothing; if the last is a referee, nobody does, and the seat is `unscored` (C-11). Refuses
    nothing: who may take a seat over is asked of `substitute`.

    >>> credited_holder(["P09", "P39"]), credited_holder(["P10", None])
    ('P39', None)
    """
    return holders[-1]


def substitute(
    holders: Sequence[PlayerId | None],
    newcomer: PlayerId | None,
    *,
    at_table: Collection[PlayerId] = (),
    in_round: Collection[PlayerId] = (),
    second_table_granted: bool = False,
) -> tuple[PlayerId | None, ...]:
    """The seat's holders after `newcomer` takes it over (C-13); None is a referee, always admitted.

    `at_table` are the players who hold or have held any other seat of the game, `in_round` those
    seated at the other tables of the round: two results in one prova, which the station master may
    grant.

    Refuses: ALREADY_SEATED, SEATED_IN_ROUND.

    >>> substitute(["P09"], "P39", at_table={"P23", "P32"})
    ('P09', 'P39')
    >>> substitute(["P09"], "P23", at_table={"P23", "P32"})
    Traceback (most recent call last):
    tournaments.rules.regulation.Illegal: already_seated (C-13)
    """
    if newcomer is not None:
        if newcomer == holders[-1] or newcomer in at_table:
            raise Illegal(Reason.ALREADY_SEATED, "C-13", key=newcomer)
        if newcomer in in_round and not second_table_granted:
            raise Illegal(Reason.SEATED_IN_ROUND, "C-13", key=newcomer)
    return (*holders, newcomer)


def in_range(percentile: Decimal | None, win: bool, readings: FigfReadings) -> bool:
    """C-16 — from 0 to 2500; who has won has 1500 or more, who has not has 1000 or less.

    None is the dash of who has no percentile, and cannot have won. A loser reaches 1000.00 only by
    rounding. Where equal firsts do not get the full 500 each, a winner may have as little as 1000.
    A predicate for the database's checks: refuses nothing.

    >>> in_range(Decimal("1540.00"), True, READINGS), in_range(Decimal("1540.00"), False, READINGS)
    (True, False)
    """
    if percentile is None:
        return not win
    if not win:
        return 0 <= percentile <= FULL
    least = FULL + WIN if readings.tied_winners_bonus == "full_each" else FULL
    return least <= percentile <= HIGHEST


def void(seat: Seat) -> Score:
    """C-17 — a void game gives no percentile to anybody: a dash in the standing.

    Its totals are neither read nor checked. Refuses nothing.

    >>> void(Seat("A", 7500)).points is None
    True
    """
    return unclassified(seat, [Step.of("C-17", Why.VOID)])


# --- a table --------------------------------------------------------------------------------------


def score(table: Table, readings: FigfReadings) -> tuple[Score, ...]:
    """What each seat of a table is worth: the items above in turn, one score per seat, in order.

    Refuses what `check`, `classified` and `reference` refuse, each with its article and its seat.

    >>> seats = (Seat("A", 7500), Seat("B", 7200), Seat("C", 6600))
    >>> [(line.key, str(line.points)) for line in score(Table(seats, 3, 6), READINGS)]
    [('A', '1540.00'), ('B', '960.00'), ('C', '880.00')]
    """
    if table.void:
        return tuple(void(seat) for seat in table.seats)
    check(table)
    totals = {seat.key: adjusted_total(seat) for seat in classified(table, readings)}
    best = reference(totals)
    place = table_places(totals)
    exact = {key: base(total, best) for key, total in totals.items()}
    bases = {key: rounded(value, readings) for key, value in exact.items()}
    prize, prize_steps = bonus(place, bases, readings)
    reference_step = Step.of("C-01", Why.REFERENCE, best=best, firsts=holding(1, place))

    def line(seat: Seat) -> Score:
        key, steps = seat.key, list(marks(seat, table, readings))
        if seat.excluded or key not in totals:
            return unclassified(seat, steps)
        steps += [
            reference_step,
            Step.of("C-04", Why.PLACE, place=place[key], total=totals[key]),
            Step.of("C-01", Why.BASE, total=totals[key], best=best, exact=exact[key]),
        ]
        if Fraction(bases[key]) != exact[key]:
            steps.append(Step.of("C-05", Why.ROUNDED, exact=exact[key], rounded=bases[key]))
        credited = not is_unscored(seat, readings)
        win = credited and place[key] == 1
        if win:
            steps += prize_steps
        extra = prize if win else rounded(0, readings)
        return Score(
            key=key,
            place=place[key],
            points=bases[key] + extra if credited else None,
            win=win,
            credited=credited,
            steps=tuple(steps),
            base=bases[key],
            bonus=extra if credited else None,
        )

    return tuple(line(seat) for seat in table.seats)


def check(table: Table) -> None:
    """What C-03 and C-08 refuse in a form before anything is computed.

    Refuses: SEAT_COUNT (fewer than three, or than the title admits, or more), DUPLICATE_PLAYER (at
    the second of the two seats), TOTAL_NOT_INTEGER, TOTAL_NEGATIVE.

    >>> check(Table((Seat("A", 100), Seat("B", -1), Seat("C", 0)), 3, 6))
    Traceback (most recent call last):
    tournaments.rules.regulation.Illegal: total_negative (C-08)
    """
    fewest, seats = max(FEWEST_SEATS, table.fewest), len(table.seats)
    if not fewest <= seats <= table.most:
        raise Illegal(Reason.SEAT_COUNT, "C-03", seats=seats, fewest=fewest, most=table.most)
    seen: set[PlayerId] = set()
    for position, seat in enumerate(table.seats):
        if seat.key in seen:
            raise Illegal(Reason.DUPLICATE_PLAYER, "C-03", seat=position, key=seat.key)
        seen.add(seat.key)
        check_amount(seat.total, seat=position, key=seat.key, field="total")


def check_amount(amount: object, *, seat: int | None, field: str, **data: Any) -> None:
    """An amount of money as typed: a whole number (C-03), not negative (C-08).

    Floats and booleans are no whole numbers, not even 100.0. Refuses: TOTAL_NOT_INTEGER,
    TOTAL_NEGATIVE, naming `seat` and `field`.

    >>> check_amount(100.5, seat=0, field="total")
    Traceback (most recent call last):
    tournaments.rules.regulation.Illegal: total_not_integer (C-03)
    """
    if type(amount) is not int:
        raise Illegal(Reason.TOTAL_NOT_INTEGER, "C-03", seat=seat, field=field, **data)
    if amount < 0:
        raise Illegal(Reason.TOTAL_NEGATIVE, "C-08", seat=seat, field=field, **data)


def seat_total(facts: Facts, seat: int) -> int:
    """The total of what was typed for the seat in position `seat`: `total_of`, by field name.

    >>> seat_total({"stocks": 6100, "cash": 1400}, 0)
    7500
    """
    return total_of(facts.get("stocks"), facts.get("cash"), facts.get("total"), seat=seat)


def exclusion(table: Table, readings: FigfReadings) -> Exclusion:
    """What becomes of an excluded player's total: the director's decision, else the reading."""
    return table.exclusion or readings.excluded_from_game


def holding(wanted: int, place: Mapping[PlayerId, int]) -> tuple[PlayerId, ...]:
    """Who holds the place `wanted`, in seat order."""
    return tuple(key for key, held in place.items() if held == wanted)


def marks(seat: Seat, table: Table, readings: FigfReadings) -> Iterator[Step]:
    """What the referees wrote beside the seat, as steps."""
    if seat.handicap:
        yield Step.of(
            "C-09",
            Why.HANDICAP,
            total=seat.total,
            handicap=seat.handicap,
            adjusted=adjusted_total(seat),
        )
    if seat.excluded:
        yield Step.of("C-10", Why.EXCLUDED, reading=exclusion(table, readings))
    if seat.unscored:
        yield Step.of("C-11", Why.REFEREE_SEAT, reading=readings.unscored_seat)
    if seat.cinderella:
        yield Step.of("C-12", Why.CINDERELLA, reading=readings.cinderella_credit)


def unclassified(seat: Seat, steps: Sequence[Step]) -> Score:
    """A row of dashes, and why."""
    return Score(seat.key, None, None, win=False, credited=False, steps=tuple(steps))


FIGF_2006 = Regulation(
    slug="figf-2006",
    title="FIGF 2006",
    source="Regolamento Ufficiale FIGF, stagione 2006",
    readings=READINGS,
    fewest_seats=FEWEST_SEATS,
    most_seats=None,
    fields=(
        Field("stocks", FieldKind.MONEY, gettext_noop("Shares")),
        Field("cash", FieldKind.MONEY, gettext_noop("Cash")),
    ),
    labels=Labels(
        points=gettext_noop("Percentile"),
        total=gettext_noop("Total"),
        base=gettext_noop("Base"),
        bonus=gettext_noop("Bonus"),
    ),
    total=seat_total,
    score=score,
    compositions=compositions,
    order=order,
    deal=blocks,
    standings=standings,
    summary=Step.of("D-01", Stood.SUM),
    award=award,
    award_why=award_why,
    kinds=(Laid, Sat),
    factor=event_factor,
    most_rounds=DOUBLE,
    incidents=frozenset(Incident),
    total_alone=True,
    recounted_ties=True,
    refereed=True,
    ranked=True,
    seats_drawn=True,
)
