"""FIGF, chapter 10.1: the Supercoppa, two tables of five and a final (000:104-111).

It feeds no standing (000:105). Who falls where by the dice is `lots.order`; what the dice decide,
and what a table's result does, is here.
"""

from __future__ import annotations

from collections.abc import Collection, Iterable, Mapping, Sequence
from dataclasses import dataclass
from decimal import Decimal
from itertools import permutations
from typing import TypeVar

from tournaments.rules.regulation import Illegal, PlayerId, Sentence, Step, gettext_noop

PLAYERS = 10
SEATS = 5  # of each of the two tables, and of the final
GO_ON = 2  # of each table; the fifth finalist is the best third
FEWEST_SIDES = 12  # of the die: one throw is a pair of titles, the others put people in order

T = TypeVar("T")


class No(Sentence):
    """Why the Supercoppa cannot go on."""

    NOT_ENOUGH_PLAYERS = (
        "not_enough_players",
        gettext_noop("Not enough players: %(players)s, and the Supercoppa is played by ten."),
    )
    NOT_TEN = "not_ten", gettext_noop("The two tables are of ten players: here are %(players)s.")
    TOO_FEW_TITLES = (
        "too_few_titles",
        gettext_noop("The titles in use for the Supercoppa are %(titles)s: two are needed."),
    )
    SAME_TITLE = "same_title", gettext_noop("The final is played on another title.")
    TOO_FEW_FINALISTS = (
        "too_few_finalists",
        gettext_noop("Only %(players)s people have a percentile: the final is of five."),
    )
    NOT_FIRST = (
        "not_first",
        gettext_noop("The cup goes to a first of the final: choose among those who are level."),
    )


class Passed(Sentence):
    """Why somebody is in the final."""

    TWO = (
        "supercoppa_two",
        gettext_noop("Place %(place)s at table %(table)s: the first two go to the final."),
    )
    TWO_ABSOLUTE = (
        "supercoppa_two_absolute",
        gettext_noop(
            "Place %(place)s at table %(table)s, shared: among the first two by the better place "
            "in last year's absolute."
        ),
    )
    TWO_DIE = (
        "supercoppa_two_die",
        gettext_noop(
            "Place %(place)s at table %(table)s, shared, and level in last year's absolute: among "
            "the first two by the die."
        ),
    )
    THIRD = (
        "supercoppa_third",
        gettext_noop("Best third: percentile %(own)s against %(other)s."),
    )
    THIRD_ABSOLUTE = (
        "supercoppa_third_absolute",
        gettext_noop(
            "Best third: same percentile, %(own)s; by the better place in last year's absolute."
        ),
    )
    THIRD_DIE = (
        "supercoppa_third_die",
        gettext_noop(
            "Best third: same percentile, %(own)s, and level in last year's absolute; by the die."
        ),
    )
    THIRD_ALONE = "supercoppa_third_alone", gettext_noop("Best third: there is no other.")


# --- who plays ------------------------------------------------------------------------------------


def field(
    champions: Sequence[T], absolute: Sequence[T], unavailable: Collection[T] = ()
) -> tuple[T, ...]:
    """I-01 — the field is last year's champions, then others down the absolute, ten in all.

    `champions` come in order: of the absolute, then of the specialties in the order of the titles;
    who has several titles is one person, and those who share one are all in. Beyond ten, the first
    ten. `unavailable` are skipped (I-02). Refuses: NOT_ENOUGH_PLAYERS.

    >>> "".join(map(str, field("abacdbef", "agbhijk")))
    'abcdefghij'
    >>> field("a", "ab")
    Traceback (most recent call last):
    tournaments.rules.regulation.Illegal: not_enough_players (I-01)
    """
    found = available((*champions, *absolute), unavailable)[:PLAYERS]
    if len(found) < PLAYERS:
        raise Illegal(No.NOT_ENOUGH_PLAYERS, "I-01", players=len(found))
    return found


def available(people: Iterable[T], unavailable: Collection[T]) -> tuple[T, ...]:
    """I-02 — who declines, is disqualified or blacklisted is skipped: the next of the absolute.

    Not the second of his specialty, since the text names the order of the absolute alone. The
    people in order, each once. Refuses nothing.

    >>> available("abcab", {"b"})
    ('a', 'c')
    """
    return tuple(dict.fromkeys(key for key in people if key not in unavailable))


# --- what the dice decide -------------------------------------------------------------------------


def tables(order: Sequence[T]) -> tuple[tuple[T, ...], tuple[T, ...]]:
    """I-03 — two tables of five, drawn by dice: the five highest at table A, the others at B.

    `order` is that of the dice, the highest first: everybody throws once, equals throw again (how
    the dice are used is not in the text). Refuses: NOT_TEN.

    >>> ["".join(table) for table in tables("abcdefghij")]
    ['abcde', 'fghij']
    """
    if len(order) != PLAYERS:
        raise Illegal(No.NOT_TEN, "I-03", players=len(order))
    return tuple(order[:SEATS]), tuple(order[SEATS:])


def pairs(titles: Sequence[T]) -> tuple[tuple[T, T], ...]:
    """The ordered pairs of titles, semifinal and final, in the order in which the die reads them.

    Those that begin with the first title, then those with the second, and so on; in each, the final
    goes through the other titles in order. Of four titles there are twelve. Refuses:
    TOO_FEW_TITLES.

    >>> pairs(["1830", "1849", "1856"])[:3]
    (('1830', '1849'), ('1830', '1856'), ('1849', '1830'))
    """
    if len(titles) < 2:
        raise Illegal(No.TOO_FEW_TITLES, "I-05", titles=len(titles))
    return tuple(permutations(titles, 2))


def sides(titles: Sequence[T]) -> int:
    """How many sides the die has: as many as there are pairs, or a multiple if they are few.

    So each pair has the same chance. Refuses what `pairs` refuses.

    >>> sides(["1830", "1849", "1856", "1870"]), sides(["1830", "1849", "1856"]), sides("abcde")
    (12, 12, 20)
    """
    count = len(pairs(titles))
    return count * -(-FEWEST_SIDES // count)


def titles_drawn(throw: int, titles: Sequence[T]) -> tuple[T, T]:
    """I-05 — the title of the semifinals is drawn, for both tables; the final's is another one.

    One throw of the die of `sides` draws both: 1 is the first of the `pairs`, 2 the second, and
    beyond the last they begin again. With the four titles in use 1-3 are semifinals on 1830, with
    a final on 1849, 1856, 1870; 4-6 semifinals on 1849, with a final on 1830, 1856, 1870; and so
    on to 12. Refuses what `pairs` refuses. Raises ValueError for a throw below one.

    >>> four = ["1830", "1849", "1856", "1870"]
    >>> titles_drawn(1, four), titles_drawn(5, four), titles_drawn(12, four)
    (('1830', '1849'), ('1849', '1856'), ('1870', '1856'))
    """
    if throw < 1:
        raise ValueError(f"no die shows {throw}")
    drawn = pairs(titles)
    return drawn[(throw - 1) % len(drawn)]


def check_titles(semifinal: object, final: object) -> None:
    """What I-05 refuses of a final: the title of the semifinals.

    Refuses: SAME_TITLE.

    >>> check_titles("1830", "1830")
    Traceback (most recent call last):
    tournaments.rules.regulation.Illegal: same_title (I-05)
    """
    if semifinal == final:
        raise Illegal(No.SAME_TITLE, "I-05")


# --- the final ------------------------------------------------------------------------------------


@dataclass(frozen=True, slots=True)
class Semifinalist:
    """How somebody ended his semifinal, and his place in last year's absolute, if in it at all.

    Only who has a percentile of it: not who was excluded, nor a seat that a referee finished.
    """

    key: PlayerId
    table: str  # "A", "B"
    place: int
    percentile: Decimal
    absolute: int | None = None

    @property
    def rank(self) -> tuple[int, int]:
        """Place at his table, then in the absolute; who is not in it comes last."""
        return self.place, self._absolute

    @property
    def worth(self) -> tuple[Decimal, int]:
        """As thirds are compared: the percentile, then the place in the absolute."""
        return -self.percentile, self._absolute

    @property
    def _absolute(self) -> int:
        return self.absolute if self.absolute is not None else 2**31


@dataclass(frozen=True, slots=True)
class Final:
    """The five finalists, each with the reason; or none yet, and those who must throw a die."""

    finalists: tuple[tuple[PlayerId, Step], ...] = ()
    tied: tuple[PlayerId, ...] = ()


class _Tied(Exception):
    def __init__(self, keys: tuple[PlayerId, ...]) -> None:
        self.keys = keys


def finalists(people: Sequence[Semifinalist], thrown: Sequence[Sequence[PlayerId]] = ()) -> Final:
    """I-04 — the final is the first two of each table and the best third.

    The best third is who has the higher percentile, which can be compared across tables as money
    cannot; then the better place in last year's absolute, then the die. Who shares a place of a
    table is told apart by the last two. `thrown` are orders made by dice so far: the first that
    holds all the equals decides. The firsts come first, then the seconds, then the third. Refuses
    a table with less than two people, or both with no third: TOO_FEW_FINALISTS.

    >>> money = {"A": (8000, 7000, 6000), "B": (9000, 8500, 6700)}
    >>> played = [Semifinalist(f"{table}{n}", table, n, Decimal(total * 1000 // most))
    ...           for table, (most, *_) in money.items()
    ...           for n, total in enumerate(money[table], start=1)]
    >>> [key for key, _step in finalists(played).finalists]
    ['A1', 'B1', 'A2', 'B2', 'A3']
    """
    tables = sorted({each.table for each in people})
    try:
        through = {name: _first_two(_at(people, name), thrown) for name in tables}
        third = _best_third([_thirds(_at(people, name), through[name]) for name in tables], thrown)
    except _Tied as tied:
        return Final(tied=tied.keys)
    if third is None or any(len(two) < GO_ON for two in through.values()) or len(tables) != 2:
        raise Illegal(No.TOO_FEW_FINALISTS, "I-04", players=len(people))
    found = [through[name][n] for n in range(GO_ON) for name in tables]
    return Final((*((each.key, step) for each, step in found), third))


def _at(people: Sequence[Semifinalist], name: str) -> list[Semifinalist]:
    return [each for each in people if each.table == name]


def _first_two(
    people: Sequence[Semifinalist], thrown: Sequence[Sequence[PlayerId]]
) -> list[tuple[Semifinalist, Step]]:
    ordered = sorted(people, key=lambda each: each.rank)
    last = ordered[GO_ON - 1 : GO_ON]
    at_cut = [each for each in ordered if last and each.rank == last[0].rank]
    kind = Passed.TWO
    if any(each in at_cut for each in ordered[GO_ON:]):
        kind = Passed.TWO_DIE
        by_die = _by_die(at_cut, thrown)
        before = [each for each in ordered if each.rank < last[0].rank]
        ordered = [*before, *by_die, *(e for e in ordered if e.rank > last[0].rank)]
    found = []
    for each in ordered[:GO_ON]:
        why = kind if each in at_cut else Passed.TWO
        if why == Passed.TWO and any(e.place == each.place for e in ordered[GO_ON:]):
            why = Passed.TWO_ABSOLUTE
        found.append((each, Step.of("I-04", why, place=each.place, table=each.table)))
    return found


def _thirds(
    people: Sequence[Semifinalist], through: Sequence[tuple[Semifinalist, Step]]
) -> list[Semifinalist]:
    """Who comes next at a table: several if they share the place."""
    gone = {each.key for each, _step in through}
    left = [each for each in people if each.key not in gone]
    return [each for each in left if each.place == min(e.place for e in left)]


def _best_third(
    thirds: Iterable[Sequence[Semifinalist]], thrown: Sequence[Sequence[PlayerId]]
) -> tuple[PlayerId, Step] | None:
    ordered = sorted((e for table in thirds for e in table), key=lambda each: each.worth)
    if not ordered:
        return None
    best = ordered[0]
    level = [each for each in ordered if each.worth == best.worth]
    if len(level) > 1:
        best = _by_die(level, thrown)[0]
        return best.key, Step.of("I-04", Passed.THIRD_DIE, own=best.percentile)
    if len(ordered) == 1:
        return best.key, Step.of("I-04", Passed.THIRD_ALONE)
    other = ordered[1]
    if best.percentile == other.percentile:
        return best.key, Step.of("I-04", Passed.THIRD_ABSOLUTE, own=best.percentile)
    return best.key, Step.of("I-04", Passed.THIRD, own=best.percentile, other=other.percentile)


def _by_die(
    level: Sequence[Semifinalist], thrown: Sequence[Sequence[PlayerId]]
) -> list[Semifinalist]:
    keys = {each.key for each in level}
    order = next((list(order) for order in thrown if keys <= set(order)), None)
    if order is None:
        raise _Tied(tuple(each.key for each in level))
    return sorted(level, key=lambda each: order.index(each.key))


def winners(final: Mapping[T, int], decided: Collection[T] = ()) -> tuple[T, ...]:
    """I-07 — the winner of the final gets the cup; equal totals share it.

    `final` are the places of those who have a percentile of it. Equals are level unless the
    federation has `decided` among them by hand. Refuses: NOT_FIRST.

    >>> winners({"a": 2, "b": 1}), winners({"a": 1, "b": 1}), winners({"a": 1, "b": 1}, ["b"])
    (('b',), ('a', 'b'), ('b',))
    """
    best = min(final.values(), default=0)
    firsts = tuple(key for key, place in final.items() if place == best)
    if any(key not in firsts for key in decided):
        raise Illegal(No.NOT_FIRST, "I-07", field="winners")
    return tuple(key for key in firsts if key in decided) if decided else firsts
