"""What a regulation is, in plain values: players in, tables out; seats in, scores out.

A federation is one module beside this one (`figf`); `registry` lists the regulations it publishes.
Nothing here knows a rule, a database or a language: refusals are a `Reason` with data, explanations
are `Step`s with figures, and the words belong to the pages.
"""

from __future__ import annotations

from collections.abc import Callable, Hashable, Mapping, Sequence
from dataclasses import dataclass, field
from decimal import Decimal
from enum import StrEnum
from fractions import Fraction
from itertools import islice
from math import floor
from types import MappingProxyType
from typing import (
    Any,
    Generic,
    Literal,
    Protocol,
    Self,
    TypeAlias,
    TypeVar,
    get_args,
    get_origin,
    get_type_hints,
)

PlayerId: TypeAlias = int | str
Exclusion: TypeAlias = Literal["recompute", "keep_reference"]
Facts: TypeAlias = Mapping[str, int | None]  # what was typed for a seat; None is an empty box


# --- words ----------------------------------------------------------------------------------------


def gettext_noop(text: str) -> str:
    """Marks an English text for the catalogue, and leaves it as it is.

    Django's is out of reach here; `manage.py messages` knows both by this name.

    >>> gettext_noop("Shares")
    'Shares'
    """
    return text


class Sentence(StrEnum):
    """A kind of step, or a reason to refuse, that brings its words: text first, then the words.

    The words are English, marked for the catalogue, and may hold the figures by name.

    >>> class Told(Sentence):
    ...     BYE = "draughts_bye", "Without an opponent: %(points)s points."
    >>> Told.BYE == "draughts_bye", Told.BYE.words % {"points": 2}
    (True, 'Without an opponent: 2 points.')
    """

    words: str

    def __new__(cls, text: str, words: str) -> Self:
        member = str.__new__(cls, text)
        member._value_ = text
        member.words = words
        return member


class ByHand(StrEnum):
    """The sentence of a seat that the director gave; no rule leads there."""

    BY_HAND = "sat_by_hand"  # nothing


# --- what goes in ---------------------------------------------------------------------------------


@dataclass(frozen=True, slots=True)
class Seat:
    """One seat of a finished game, as counted at the table.

    `key` names who is credited with it; nothing reads it but to tell seats apart. A referee's seat
    has no player and needs a key all the same. `total` is what the regulation made of what was
    typed for it, which is in `facts`; the handicap is signed, in the same unit, and not in it yet.
    """

    key: PlayerId
    total: int
    handicap: int = 0
    excluded: bool = False  # from the classification of this game
    unscored: bool = False  # a referee played it to the end
    cinderella: bool = False  # its player left, Cinderella played it to the end
    facts: Facts = field(default_factory=lambda: MappingProxyType({}), hash=False)


@dataclass(frozen=True, slots=True)
class Table:
    """One finished table: its seats in order, and what was decided about it.

    `fewest` and `most` are the seats that an event of its title admits. `exclusion` is the
    director's decision for this table alone on what becomes of an excluded player's total; None
    leaves it to the regulation. Of a `void` game nothing is read but who sat at it.
    """

    seats: tuple[Seat, ...]
    fewest: int
    most: int
    exclusion: Exclusion | None = None
    void: bool = False


@dataclass(frozen=True, slots=True)
class Entrant:
    """Somebody present, who is to be seated.

    `ranking` are his points in the ranking handed in, 0 if he is not in it. `played` says that he
    took part in an earlier round of the event; `total` is what he has there so far, None if he was
    credited with nothing (excluded, substituted), and `best` is his highest single percentile.
    """

    key: PlayerId
    surname: str
    name: str = ""
    ranking: int = 0
    played: bool = False
    total: Decimal | None = None
    best: Decimal | None = None


@dataclass(frozen=True, slots=True)
class Credit:
    """What one table with a confirmed result credits to one player.

    `prova` and `round` are numbers from 1; a round's is its number within its prova. `points` are
    those of the score, a percentile in FIGF; None is the dash of who sat there and is credited with
    nothing (excluded, substituted, finished by a referee, void, cancelled), and no such game is a
    `win`. Who did not play has no credit. `table` is its number in the round: those who share all
    three have met.
    """

    player: PlayerId
    prova: int
    round: int
    points: Decimal | None
    win: bool = False
    table: int = 0


@dataclass(frozen=True, slots=True)
class Sitting:
    """Who sat at one table of an earlier round of the event, in seat order."""

    prova: int
    round: int
    players: tuple[PlayerId, ...]


# --- what comes out -------------------------------------------------------------------------------


@dataclass(frozen=True, slots=True)
class Step:
    """One thing that one rule did to a seat, with its figures and without words.

    `step["gap"]` reads a figure, and therefore so do `{{ step.gap }}` in a template and
    `_("gap of %(gap)s") % step` in a catalogue of words. Unknown names raise KeyError.

    >>> kind = StrEnum("Kind", ["HANDICAP"]).HANDICAP
    >>> step = Step.of("C-09", kind, total=8000, handicap=-1000)
    >>> step["total"], "%(total)s, handicap %(handicap)s" % step
    (8000, '8000, handicap -1000')
    """

    rule: str  # the article's id: "C-09"
    kind: StrEnum  # which sentence tells it
    values: tuple[tuple[str, Hashable], ...] = ()

    @classmethod
    def of(cls, rule: str, kind: StrEnum, /, **values: Hashable) -> Step:
        return cls(rule, kind, tuple(values.items()))

    def __getitem__(self, name: str) -> Hashable:
        return dict(self.values)[name]

    def to_json(self) -> dict[str, Any]:
        """The step as JSON holds it, for whoever stores one; `from_json` reads it back.

        Raises TypeError for figures that are no int, str or Decimal.

        >>> kind = StrEnum("Kind", ["LEAD"]).LEAD
        >>> Step.of("B-12", kind, place=2, total=Decimal("960.00")).to_json()["values"]
        {'place': 2, 'total': {'decimal': '960.00'}}
        """
        values = {name: _to_json(value) for name, value in self.values}
        return {"rule": self.rule, "kind": str(self.kind), "values": values}

    @classmethod
    def from_json(cls, data: Mapping[str, Any], kind: Callable[[str], StrEnum]) -> Step:
        """The step that `to_json` wrote; `kind` is the enumeration that its kind belongs to.

        A database may return the figures in another order: they are found by name all the same.
        """
        values = {
            name: Decimal(value["decimal"]) if isinstance(value, Mapping) else value
            for name, value in data["values"].items()
        }
        return cls.of(data["rule"], kind(data["kind"]), **values)


def _to_json(value: Hashable) -> object:
    if isinstance(value, Decimal):
        return {"decimal": str(value)}
    if type(value) in (int, str):
        return value
    raise TypeError(f"{value!r} is not stored")


@dataclass(frozen=True, slots=True)
class Score:
    """What one seat is worth, and why.

    None is the dash of a standing: no place, no number. `points` are what the seat credits, in FIGF
    its percentile: `base` + `bonus`, exactly, where the regulation has these. A seat may hold a
    place and a base and still credit nobody. `steps` retell the whole count, in the order in which
    the rules were applied to this seat.
    """

    key: PlayerId
    place: int | None
    points: Decimal | None
    win: bool
    credited: bool
    steps: tuple[Step, ...]
    base: Decimal | None = None
    bonus: Decimal | None = None


@dataclass(frozen=True, slots=True)
class Composition:
    """One way to divide the players into tables, largest first, and the article it comes from.

    A table of one is a bye: nobody is left for him.
    """

    sizes: tuple[int, ...]
    step: Step


@dataclass(frozen=True, slots=True)
class Placed:
    """One place in the seating order: who, and why he comes there."""

    key: PlayerId
    step: Step


# What a player has in one round, (prova, round): None is a dash, and one not played is not there.
Part: TypeAlias = tuple[tuple[int, int], Decimal | None]


@dataclass(frozen=True, slots=True)
class Placing:
    """One row of a standing: who, in which place, what he has there and why.

    Ties are ties: rows may share a place, and the next is then skipped. `total` is what he is
    placed by, `best` the most that a single table credited to him, and `points` what he has in each
    round that he played, in order. `steps` say why he is there: his total, and what puts him
    behind, level with and ahead of the nearest of those who have the same.
    """

    key: PlayerId
    place: int
    total: Decimal
    best: Decimal
    points: tuple[Part, ...]
    steps: tuple[Step, ...]


# --- what is refused ------------------------------------------------------------------------------


class Reason(StrEnum):
    """Why a regulation refuses. Every member has its words in `texts.py`."""

    TOTAL_NOT_INTEGER = "total_not_integer"
    TOTAL_NEGATIVE = "total_negative"
    TOTAL_MISSING = "total_missing"
    PARTS_DO_NOT_ADD = "parts_do_not_add"
    SEAT_COUNT = "seat_count"
    DUPLICATE_PLAYER = "duplicate_player"
    NOBODY_LEFT = "nobody_left"
    WINNER_TOTAL_ZERO = "winner_total_zero"
    ALREADY_SEATED = "already_seated"
    SEATED_IN_ROUND = "seated_in_round"
    TOO_FEW_PLAYERS = "too_few_players"
    NO_PARTITION = "no_partition"
    NO_ALTERNATIVE = "no_alternative"
    REFEREE_AT_OWN_TABLE = "referee_at_own_table"
    REFEREE_MISSING = "referee_missing"
    DIRECTOR_NOT_REFEREE = "director_not_referee"
    DATES_REVERSED = "dates_reversed"
    OUTSIDE_SEASON = "outside_season"
    ROUNDS = "rounds"
    TOO_MANY_ROUNDS = "too_many_rounds"
    TITLE_SEATS = "title_seats"
    STATUS_STEP = "status_step"
    NO_PROVE = "no_prove"
    NO_CONTRIBUTION = "no_contribution"
    SUSPENDED = "suspended"
    SUSPENDED_OPEN = "suspended_open"
    EXPELLED = "expelled"
    BLACKLISTED = "blacklisted"
    BAD_PLACE_OR_FE = "bad_place_or_fe"


class Illegal(ValueError):
    """The regulation says no: why, by which article, and at which seat or argument.

    `seat` is the position in `Table.seats`, from 0, or None when the table as a whole is refused.
    `field` names the argument at fault ("ends_on"), if one is. `unfinished` is a seat with a box
    still to fill, which is no mistake while it is being typed. `data` holds the figures that the
    words need.

    >>> refusal = Illegal(Reason.TOTAL_NEGATIVE, "C-08", seat=1, field="cash", key="B", value=-1)
    >>> str(refusal), refusal.seat, refusal.field, refusal.data
    ('total_negative (C-08)', 1, 'cash', {'key': 'B', 'value': -1})
    """

    def __init__(
        self,
        reason: Reason | Sentence,
        rule: str,
        /,
        *,
        seat: int | None = None,
        field: str = "",
        unfinished: bool = False,
        **data: Any,
    ) -> None:
        super().__init__(reason, rule)
        self.reason = reason
        self.rule = rule
        self.seat = seat
        self.field = field
        self.unfinished = unfinished
        self.data = data

    def __str__(self) -> str:
        return f"{self.reason} ({self.rule})"


# --- the regulation -------------------------------------------------------------------------------


class FieldKind(StrEnum):
    """What a page may ask a referee for; none is negative."""

    MONEY = "money"  # a whole amount of the game's money
    COUNT = "count"  # how many there are of something
    CHOICE = "choice"  # one of a few answers


@dataclass(frozen=True, slots=True)
class Field:
    """One thing typed for a seat besides its total; `name` is its key among the `Facts`.

    `label` and the words of each of the `choices`, which come with the fact that they stand for,
    are English texts, marked for the catalogue.
    """

    name: str
    kind: FieldKind
    label: str
    choices: tuple[tuple[int, str], ...] = ()


@dataclass(frozen=True, slots=True)
class Labels:
    """What the pages call the figures of a seat: English texts, marked for the catalogue.

    An empty one is a figure that the regulation does not have: no page shows it.
    """

    points: str  # what a table credits
    total: str = ""
    base: str = ""
    bonus: str = ""


class Incident(StrEnum):
    """What can happen at a table and that a regulation may count with; a void game, all do."""

    HANDICAP = "handicap"  # on the total of a seat
    EXCLUSION = "exclude"  # of a player from the classification of the game
    SUBSTITUTE = "substitute"  # somebody else takes the seat over, with its score
    REFEREE = "referee"  # a referee plays the seat to the end, for nobody
    CINDERELLA = "cinderella"  # she does, for the player who has left


@dataclass(frozen=True, slots=True)
class Readings:
    """How a federation reads the rules that its text leaves open: one named field for each.

    A field's type is the `Literal` of the answers that the question admits, so that a page can
    list them. Raises ValueError for any other answer.
    """

    def __post_init__(self) -> None:
        for name, answers in get_type_hints(type(self)).items():
            if get_origin(answers) is Literal and getattr(self, name) not in get_args(answers):
                raise ValueError(f"{name}: {getattr(self, name)!r} is not one of {answers}")


R = TypeVar("R", bound=Readings)


@dataclass(frozen=True, slots=True)
class Regulation(Generic[R]):
    """How a federation runs an event. A value: store its slug, amend it with `replace()`.

    Call it with its own readings, `regulation.score(table, regulation.readings)`: a regulation that
    reads a rule otherwise is `replace(old, slug="…", readings=replace(old.readings, …))`, and the
    events of the old slug never move.

    Whatever is said in words is English and marked for the catalogue, or a `Step`; steps and
    refusals are of its own `Sentence`s, or of kinds that `texts` has words for.
    """

    slug: str  # what an event stores; never translated, never reused
    title: str
    source: str  # document, edition
    readings: R

    # A table. How many sit at it, whatever its title admits; None: as many as the title admits.
    fewest_seats: int
    most_seats: int | None
    fields: tuple[Field, ...]
    labels: Labels
    total: Callable[[Facts, int], int]  # what was typed for a seat, and its position: its total
    score: Callable[[Table, R], tuple[Score, ...]]  # one score per seat, in order

    # A round. How many at each table: players, fewest and most seats. The first is the one to use,
    # unless the director chooses another; Illegal if there is none.
    compositions: Callable[[int, int, int, R], tuple[Composition, ...]]
    # Who comes before whom. If anybody has played, it is a later round of the event.
    order: Callable[[Sequence[Entrant], R], tuple[Placed, ...]]
    # That order made into tables of such sizes, in seat order, knowing who sat with whom so far.
    # Each of the order has one seat, and may have another step there.
    deal: Callable[
        [Sequence[Placed], Sequence[int], Sequence[Sitting], R], tuple[tuple[Placed, ...], ...]
    ]

    # An event. How it stands: what its tables credited, and the ranking before it by player (absent
    # is 0). By place; ties as ties, and rows that share a place in the order of their keys.
    standings: Callable[[Sequence[Credit], Mapping[PlayerId, int], R], tuple[Placing, ...]]
    summary: Step  # what a standing adds up, in a sentence

    # What not every federation has. `award` is what the places of an event's standing are worth to
    # each player of it, in whole points: the standing, and the rounds of each prova that counts;
    # Illegal if there is none. `factor` is what those rounds multiply that worth by.
    award: Callable[[Sequence[Placing], Sequence[int], R], Mapping[PlayerId, int]] | None = None
    # What explains the worth of a place, by those rounds; None: the number alone is shown.
    award_why: Callable[[int, Sequence[int], R], tuple[Step, ...]] | None = None
    factor: Callable[[Sequence[int], R], int] | None = None
    kinds: tuple[type[StrEnum], ...] = ()  # of the steps of `compositions`, `order` and `deal`
    bye: Facts | None = None  # what is written for who sits at a table of one; None: there is none
    most_rounds: int = 1  # of a prova
    incidents: frozenset[Incident] = frozenset()
    total_alone: bool = False  # a seat may be typed as its total, without the fields
    recounted_ties: bool = False  # a shared first place is counted twice before it is confirmed
    refereed: bool = False  # a FIGF referee directs the event, and every table has a referee
    ranked: bool = False  # seated by the federation's ranking, whose calendar it is in
    seats_drawn: bool = False  # where each sits is drawn at the table, not the order of the names

    def kind(self, text: str) -> StrEnum:
        """The kind of a step that was stored, for `Step.from_json`; ValueError if none is such."""
        known: tuple[type[StrEnum], ...] = (*self.kinds, ByHand)
        for kinds in known:
            if text in {str(kind) for kind in kinds}:
                return kinds(text)
        raise ValueError(f"{text!r} is no kind of step of {self.slug}")

    def admits(self, players: int, fewest: int, most: int) -> bool:
        """Whether so many may sit at a table where from `fewest` to `most` do, byes included."""
        return fewest <= players <= most or (players == 1 and self.bye is not None)


# --- the shared drawer ----------------------------------------------------------------------------


class Comparable(Protocol):
    """Whatever can be put in order."""

    def __lt__(self, other: Any, /) -> bool: ...


C = TypeVar("C", bound=Comparable)
T = TypeVar("T")


def places(values: Sequence[C]) -> list[int]:
    """The place of each value, from 1, the greatest first.

    Equal values share the place and the next is skipped. An empty sequence has no places.

    >>> places([4000, 8000, 6000, 6000])
    [4, 1, 2, 2]
    """
    descending = sorted(values, reverse=True)
    return [1 + descending.index(value) for value in values]


def deal(order: Sequence[T], sizes: Sequence[int]) -> tuple[tuple[T, ...], ...]:
    """The order cut into tables: the first of it fill table 1, the next table 2, and so on.

    The largest table comes first, however `sizes` are given. Raises ValueError if they do not add
    up to the players.

    >>> deal("ABCDEFG", [3, 4])
    (('A', 'B', 'C', 'D'), ('E', 'F', 'G'))
    """
    if sum(sizes) != len(order):
        raise ValueError(f"{len(order)} players for {sum(sizes)} seats")
    players = iter(order)
    return tuple(tuple(islice(players, size)) for size in sorted(sizes, reverse=True))


def half_up(value: Fraction | int, decimals: int) -> Decimal:
    """`value` to so many decimals, a half going away from zero.

    Exact at any size: neither floats nor the decimal context take part. The zeros stay, so that
    numbers of one column line up. Raises nothing for `decimals` >= 0.

    >>> half_up(Fraction(7201, 8), 2)
    Decimal('900.13')
    >>> half_up(960, 2), half_up(Fraction(-1, 2), 0)
    (Decimal('960.00'), Decimal('-1'))
    """
    units = floor(abs(value) * 10**decimals + Fraction(1, 2))
    return Decimal(f"{units if value >= 0 else -units}E-{decimals}")
