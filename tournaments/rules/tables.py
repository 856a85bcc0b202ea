"""FIGF, chapter 7 of the regulation of 2006: how many tables, and who sits at which.

The number of tables is a printed table (000:33-58), here as data; what the text leaves open is a
field of `FigfReadings`. `compositions` and `order`, at the end, apply the items to the players who
are present; `blocks` then cuts the order into the tables.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable, Mapping, Sequence
from decimal import Decimal
from enum import StrEnum
from types import MappingProxyType
from typing import TYPE_CHECKING, TypeAlias

from tournaments.rules.names import sort_key
from tournaments.rules.regulation import (
    Composition,
    Entrant,
    Illegal,
    Placed,
    Reason,
    Sitting,
    Step,
    deal,
    places,
)

if TYPE_CHECKING:
    from tournaments.rules.figf import FigfReadings

Sizes: TypeAlias = tuple[int, ...]
Row: TypeAlias = tuple[int, int, int, int]  # tables of 3, of 4, of 5, of 6

FEWEST_SEATS = 3  # whatever the title admits
FIVE = 5  # the most at a table, but for the tables of six of the printed rows 6 and 11

PRINTED: Mapping[int, Row] = MappingProxyType(
    {
        3: (1, 0, 0, 0),
        4: (0, 1, 0, 0),
        5: (0, 0, 1, 0),
        6: (0, 0, 0, 1),
        7: (1, 1, 0, 0),
        8: (0, 2, 0, 0),
        9: (0, 1, 1, 0),
        10: (0, 0, 2, 0),
        11: (0, 0, 1, 1),
        12: (0, 3, 0, 0),
        13: (0, 2, 1, 0),
        14: (0, 1, 2, 0),
        15: (0, 0, 3, 0),
        16: (0, 4, 0, 0),
        17: (0, 3, 1, 0),
        18: (0, 2, 2, 0),
        19: (0, 1, 3, 0),
        20: (0, 0, 4, 0),
        21: (0, 4, 1, 0),
        22: (0, 3, 2, 0),
        23: (0, 2, 3, 0),
        24: (0, 6, 0, 0),
        25: (0, 0, 5, 0),
    }
)
STARRED: Mapping[int, Row] = MappingProxyType({6: (2, 0, 0, 0), 11: (1, 2, 0, 0)})


class Laid(StrEnum):
    """The sentences that explain the number of tables; the comment names the figures of each."""

    PRINTED = "laid_printed"  # players
    STARRED = "laid_starred"  # players
    STARRED_ONLY = "laid_starred_only"  # players
    TWENTY_FOUR = "laid_twenty_four"  # players
    FIVES = "laid_fives"  # players
    EXTENSION = "laid_extension"  # players
    FEWER_SEATS = "laid_fewer_seats"  # players, most


class Sat(StrEnum):
    """The sentences that explain a place in the seating order; places are among those present."""

    RANKED = "sat_ranked"  # place, points
    RANKED_ALPHABETICAL = "sat_ranked_alphabetical"  # place, points
    UNRANKED = "sat_unranked"  # nothing
    STANDING = "sat_standing"  # place, total
    STANDING_BEST = "sat_standing_best"  # place, total, best
    STANDING_RANKING = "sat_standing_ranking"  # place, total, ranking
    STANDING_ALPHABETICAL = "sat_standing_alphabetical"  # place, total
    NO_PERCENTILE = "sat_no_percentile"  # nothing
    NEWCOMER = "sat_newcomer"  # nothing


# --- the items: how many tables -------------------------------------------------------------------


def printed(players: int) -> Composition:
    """B-01 — up to 25 players, the tables are those of the printed row for their number.

    `players` from 3 to 25; KeyError for others, which `compositions` never asks.

    >>> printed(19).sizes, printed(11).sizes
    ((5, 5, 5, 4), (6, 5))
    """
    return Composition(sizes(PRINTED[players]), Step.of("B-01", Laid.PRINTED, players=players))


def starred(players: int, most: int) -> tuple[Composition, ...]:
    """B-02 — 6 and 11 players have a starred row, for when a table of six cannot be.

    The footnote of the star is lost; the starred rows are exactly those with a table of six, and
    1849 admits five at most. Of a title that admits six, the starred row is the director's choice;
    of one that admits five, the only row. Empty for any other number of players. Refuses nothing.

    >>> [(way.sizes, way.step.kind.name) for way in starred(11, 5)]
    [((4, 4, 3), 'STARRED_ONLY')]
    >>> starred(12, 6)
    ()
    """
    if players not in STARRED:
        return ()
    kind = Laid.STARRED if most > FIVE else Laid.STARRED_ONLY
    return (Composition(sizes(STARRED[players]), Step.of("B-02", kind, players=players)),)


def twenty_four(readings: FigfReadings) -> tuple[Composition, ...]:
    """B-03 — 24 players make six tables of four, as printed; the director may choose fives.

    No reason is known for that row, which breaks the pattern of the others (B-04). It is binding
    all the same; a choice against it is recorded. By "fives" the pattern comes first. Refuses
    nothing.

    >>> from tournaments.rules.figf import READINGS
    >>> [way.sizes for way in twenty_four(READINGS)]
    [(4, 4, 4, 4, 4, 4), (5, 5, 5, 5, 4)]
    """
    row = Composition(sizes(PRINTED[24]), Step.of("B-03", Laid.TWENTY_FOUR, players=24))
    fives = Composition(pattern(24), Step.of("B-03", Laid.FIVES, players=24))
    return (row, fives) if readings.seating_24 == "printed" else (fives, row)


def pattern(players: int) -> Sizes:
    """B-04 — the printed rows have as few tables of at most five as can be, fives before fours.

    So are those of 4, 5, 8, 9, 10 and 12 to 25 players, but for 24. ValueError where the pattern
    does not exist: 3, 6, 7 and 11 players, too few for that many fours.

    >>> pattern(23)
    (5, 5, 5, 4, 4)
    """
    tables = -(-players // FIVE)
    fives = players - 4 * tables
    if fives < 0:
        raise ValueError(f"no pattern for {players} players")
    return sizes((0, tables - fives, fives, 0))


def extension(players: int) -> Composition:
    """B-05 — beyond 25 players the table is silent, and its pattern (B-04) is proposed.

    The anomaly of 24 is not repeated. `players` > 25. Refuses nothing.

    >>> extension(26).sizes
    (5, 5, 4, 4, 4, 4)
    """
    return Composition(pattern(players), Step.of("B-05", Laid.EXTENSION, players=players))


def fewer_seats(players: int, most: int) -> tuple[Composition, ...]:
    """B-06 — a title of at most four plays at as few tables as can be, fours before threes.

    Not in the text. A title of at most three needs a multiple of three. Empty where the players
    cannot be so divided: five with at most four. Refuses nothing.

    >>> [way.sizes for way in fewer_seats(10, 4)], fewer_seats(5, 4), fewer_seats(10, 3)
    ([(4, 3, 3)], (), ())
    """
    tables = -(-players // most)
    fours = players - FEWEST_SEATS * tables
    if fours < 0:
        return ()
    step = Step.of("B-06", Laid.FEWER_SEATS, players=players, most=most)
    return (Composition(sizes((tables - fours, fours, 0, 0)), step),)


def check_players(players: int) -> None:
    """B-07 — three players at least are needed.

    Refuses: TOO_FEW_PLAYERS.

    >>> check_players(2)
    Traceback (most recent call last):
    tournaments.rules.regulation.Illegal: too_few_players (B-07)
    """
    if players < FEWEST_SEATS:
        raise Illegal(Reason.TOO_FEW_PLAYERS, "B-07", players=players, fewest=FEWEST_SEATS)


# --- the items: who sits before whom --------------------------------------------------------------


def first_round(entrants: Iterable[Entrant]) -> tuple[Placed, ...]:
    """B-08 — the first round is seated in strict order of ranking.

    The ranking is its latest state before the event begins; whoever hands the players in knows it.
    Who has no points in it comes last (B-09). Refuses nothing.

    >>> [placed.key for placed in first_round([Entrant(1, "Bo", ranking=9), Entrant(2, "Ercoli"),
    ...                                        Entrant(3, "Riva", ranking=80)])]
    [3, 1, 2]
    """
    players = list(entrants)
    ranked = sorted((player for player in players if player.ranking > 0), key=by_ranking)
    points = [player.ranking for player in ranked]
    holders = Counter(points)
    in_order = [
        Placed(
            player.key,
            Step.of("B-08", Sat.RANKED, place=place, points=player.ranking)
            if holders[player.ranking] == 1
            else Step.of("B-10", Sat.RANKED_ALPHABETICAL, place=place, points=player.ranking),
        )
        for player, place in zip(ranked, places(points), strict=True)
    ]
    return (*in_order, *unranked(player for player in players if player.ranking <= 0))


def unranked(entrants: Iterable[Entrant]) -> tuple[Placed, ...]:
    """B-09 — who is not in the ranking comes last, in alphabetical order of surname.

    Not in the ranking is to have no points in it. The alphabet is that of `names.sort_key`: letter
    by letter, without case, accents, spaces or apostrophes; then the first name, then the key.
    Refuses nothing.

    >>> [placed.key for placed in unranked([Entrant(1, "De Santis"), Entrant(2, "dall'Aglio")])]
    [2, 1]
    """
    step = Step.of("B-09", Sat.UNRANKED)
    return tuple(Placed(player.key, step) for player in sorted(entrants, key=by_surname))


def by_ranking(entrant: Entrant) -> tuple[object, ...]:
    """B-10 — equal ranking points go by surname, as for those whom the ranking does not know.

    A key to sort by: the more points the earlier. Refuses nothing.

    >>> pair = [Entrant("a", "Rossi", "Ugo", ranking=80), Entrant("d", "Rossi", "Ada", ranking=80)]
    >>> [entrant.name for entrant in sorted(pair, key=by_ranking)]
    ['Ada', 'Ugo']
    """
    return -entrant.ranking, *by_surname(entrant)


def sizes(row: Row) -> Sizes:
    """B-11 — where tables differ in size, table 1 is the largest, and so on.

    A row of the table, which counts the tables of three, four, five and six, as the size of each.
    Refuses nothing.

    >>> sizes((0, 1, 3, 0))
    (5, 5, 5, 4)
    """
    return tuple(
        size for size, tables in zip((6, 5, 4, 3), row[::-1], strict=True) for _ in range(tables)
    )


def later_round(entrants: Iterable[Entrant], readings: FigfReadings) -> tuple[Placed, ...]:
    """B-12 — every later round, within a prova and across prove, follows the event's standing.

    Who took part without a percentile counts as 0 for seating only, after those with a total; then
    come the newcomers (B-13). The event has no list of tie-breaks: the best single percentile, then
    the lower ranking, then the alphabet, because seats need an order. Refuses nothing.

    >>> from tournaments.rules.figf import READINGS
    >>> played = [Entrant("c", "Riva", played=True, total=Decimal("880.00")),
    ...           Entrant("b", "Sala", played=True, total=Decimal("1540.00"))]
    >>> [placed.key for placed in later_round([Entrant("h", "Bo"), *played], READINGS)]
    ['b', 'c', 'h']
    """
    players = list(entrants)
    played = sorted(
        (player for player in players if player.played),
        key=lambda player: (*merits(player, readings), *by_surname(player)),
    )
    standing = [player for player in played if player.total is not None]
    without = [player for player in played if player.total is None]
    no_percentile = Step.of("B-13", Sat.NO_PERCENTILE)
    return (
        *(Placed(player.key, step) for player, step in explained(standing, readings)),
        *(Placed(player.key, no_percentile) for player in without),
        *newcomers(player for player in players if not player.played),
    )


def newcomers(entrants: Iterable[Entrant]) -> tuple[Placed, ...]:
    """B-13 — who did not play the earlier rounds comes last, in alphabetical order.

    However high his ranking: the sentence knows no exception. Refuses nothing.

    >>> [placed.key for placed in newcomers([Entrant("g", "Zoli", ranking=120),
    ...                                      Entrant("h", "Bo")])]
    ['h', 'g']
    """
    step = Step.of("B-13", Sat.NEWCOMER)
    return tuple(Placed(player.key, step) for player in sorted(entrants, key=by_surname))


def one_short(size: int, absent: int, fewest: int) -> bool:
    """B-16 — who does not appear when his table starts: it plays short, if enough remain.

    `size` seats were published, `absent` of them stay empty; enough are the `fewest` that an event
    of the title admits, three at least in FIGF (A-05). Otherwise the tables not yet started are
    seated anew. Who does not appear gets no result, and Cinderella is only for who sat down and
    left. Refuses nothing.

    >>> one_short(4, absent=1, fewest=3), one_short(3, absent=1, fewest=3)
    (True, False)
    """
    return size - absent >= fewest


# --- a round --------------------------------------------------------------------------------------


def compositions(
    players: int, fewest: int, most: int, readings: FigfReadings
) -> tuple[Composition, ...]:
    """Every way to divide the players that the items admit, and first the one to use.

    `fewest` and `most` are the seats that the title admits; a row with another table is left out.
    Refuses: TOO_FEW_PLAYERS; NO_PARTITION if nothing is left.

    >>> from tournaments.rules.figf import READINGS
    >>> [way.sizes for way in compositions(6, 2, 6, READINGS)]
    [(6,), (3, 3)]
    >>> [way.sizes for way in compositions(6, 3, 5, READINGS)]
    [(3, 3)]
    """
    check_players(players)
    fewest = max(FEWEST_SEATS, fewest)
    found: tuple[Composition, ...]
    if most < FIVE:
        found = fewer_seats(players, most)
    elif players > max(PRINTED):
        found = (extension(players),)
    elif players == 24:
        found = twenty_four(readings)
    else:
        found = (printed(players), *starred(players, most))
    admitted = tuple(way for way in found if fewest <= min(way.sizes) and max(way.sizes) <= most)
    if not admitted:
        raise Illegal(Reason.NO_PARTITION, "B-06", players=players, fewest=fewest, most=most)
    return admitted


def composition(
    players: int, fewest: int, most: int, readings: FigfReadings, *, starred: bool = False
) -> Composition:
    """The way to use, or the starred one.

    Refuses what `compositions` refuses, and NO_ALTERNATIVE where no row is starred.

    >>> from tournaments.rules.figf import READINGS
    >>> composition(11, 3, 6, READINGS, starred=True).sizes
    (4, 4, 3)
    """
    ways = compositions(players, fewest, most, readings)
    if not starred:
        return ways[0]
    for way in ways:
        if way.step.kind in {Laid.STARRED, Laid.STARRED_ONLY}:
            return way
    raise Illegal(Reason.NO_ALTERNATIVE, "B-02", players=players)


def order(entrants: Sequence[Entrant], readings: FigfReadings) -> tuple[Placed, ...]:
    """The seating order of those present: by ranking, or by event standing once anybody played.

    The same whatever the order they are handed in, and total: no two are ever level.
    """
    if any(entrant.played for entrant in entrants):
        return later_round(entrants, readings)
    return first_round(entrants)


def blocks(
    order: Sequence[Placed], sizes: Sequence[int], _met: Sequence[Sitting], _readings: FigfReadings
) -> tuple[tuple[Placed, ...], ...]:
    """The order cut into tables (`regulation.deal`): whom anybody has met does not matter."""
    return deal(order, sizes)


def by_surname(entrant: Entrant) -> tuple[object, ...]:
    """A key to sort by: the alphabet of people, then the key; numbers come before texts."""
    alphabet = sort_key(entrant.surname, entrant.name)
    return alphabet, isinstance(entrant.key, str), entrant.key


def merits(entrant: Entrant, readings: FigfReadings) -> tuple[Decimal, Decimal, int]:
    """What orders an event's standing when seats follow it: the smaller the earlier.

    Total, best single percentile, ranking: the lower one goes first (G-06).
    """
    fewer = readings.lower_ranking == "fewer_points"
    return (
        -(entrant.total or Decimal(0)),
        -(entrant.best or Decimal(0)),
        entrant.ranking if fewer else -entrant.ranking,
    )


def explained(
    standing: Sequence[Entrant], readings: FigfReadings
) -> Iterable[tuple[Entrant, Step]]:
    """Each of the standing with the criterion that it took to tell him from his neighbours.

    Who is level on everything shares the place, and sits by surname.
    """
    found = [merits(player, readings) for player in standing]
    held = places([tuple(-figure for figure in figures) for figures in found])
    for at, (player, place) in enumerate(zip(standing, held, strict=True)):
        neighbours = found[max(0, at - 1) : at] + found[at + 1 : at + 2]
        shared = max((level(found[at], other) for other in neighbours), default=0)
        told_by, extra = (
            (Sat.STANDING, {}),
            (Sat.STANDING_BEST, {"best": player.best or Decimal(0)}),
            (Sat.STANDING_RANKING, {"ranking": player.ranking}),
            (Sat.STANDING_ALPHABETICAL, {}),
        )[shared]
        rule = "B-13" if shared else "B-12"
        yield player, Step.of(rule, told_by, place=place, total=player.total, **extra)


def level(one: Sequence[object], other: Sequence[object]) -> int:
    """How many figures, from the first, two players have in common."""
    return next((i for i, (a, b) in enumerate(zip(one, other, strict=True)) if a != b), len(one))
