"""G-04 — of the two lists for equals, the first is the specialties', the second the absolute's.

So in the order of the text (000:83-86, then 88-96), and by what they speak of: percentiles are what
a specialty adds up, victories and second places what the absolute's points come from. The lists are
`specialty.CRITERIA` and `absolute.CRITERIA`; what a criterion compares and says is here.
"""

from __future__ import annotations

from collections.abc import Collection, Iterator, Mapping, Sequence
from dataclasses import dataclass
from decimal import Decimal
from enum import StrEnum
from itertools import zip_longest
from typing import Literal, TypeAlias, TypeVar

from tournaments.rules.regulation import PlayerId, Sentence, Step, gettext_noop, places

Figure: TypeAlias = Decimal | int
T = TypeVar("T")


class Criterion(StrEnum):
    """What may tell equals apart, each by the greater figure, figure by figure."""

    PLACES = "places"  # victories, second places, and so on
    DISCARDED = "discarded"  # discarded scores, the best first
    BEST = "best"  # the highest percentile
    RANKING = "ranking"  # the lower ranking


class Tie(Sentence):
    """The sentences of a row decided by a criterion: those before it, and those after it."""

    BEHIND_WINS = (
        "tie_behind_wins",
        gettext_noop("Same total as %(others)s: after, by victories, %(own)s against %(other)s."),
    )
    AHEAD_WINS = (
        "tie_ahead_wins",
        gettext_noop("Same total as %(others)s: before, by victories, %(own)s against %(other)s."),
    )
    BEHIND_PLACES = (
        "tie_behind_places",
        gettext_noop(
            "Same total as %(others)s: after, by places number %(nth)s, %(own)s against %(other)s."
        ),
    )
    AHEAD_PLACES = (
        "tie_ahead_places",
        gettext_noop(
            "Same total as %(others)s: before, by places number %(nth)s, %(own)s against %(other)s."
        ),
    )
    BEHIND_DISCARDED = (
        "tie_behind_discarded",
        gettext_noop(
            "Same total as %(others)s: after, by the discarded score, %(own)s against %(other)s."
        ),
    )
    AHEAD_DISCARDED = (
        "tie_ahead_discarded",
        gettext_noop(
            "Same total as %(others)s: before, by the discarded score, %(own)s against %(other)s."
        ),
    )
    BEHIND_BEST = (
        "tie_behind_best",
        gettext_noop(
            "Same total as %(others)s: after, by the best percentile, %(own)s against %(other)s."
        ),
    )
    AHEAD_BEST = (
        "tie_ahead_best",
        gettext_noop(
            "Same total as %(others)s: before, by the best percentile, %(own)s against %(other)s."
        ),
    )
    BEHIND_RANKING = (
        "tie_behind_ranking",
        gettext_noop(
            "Same total as %(others)s: after, by the ranking, where the lower comes first: "
            "%(own)s points against %(other)s."
        ),
    )
    AHEAD_RANKING = (
        "tie_ahead_ranking",
        gettext_noop(
            "Same total as %(others)s: before, by the ranking, where the lower comes first: "
            "%(own)s points against %(other)s."
        ),
    )
    BEHIND_PLACE = (
        "tie_behind_place",
        gettext_noop(
            "Same total as %(others)s: after, by the place in the ranking: %(own)s points against "
            "%(other)s."
        ),
    )
    AHEAD_PLACE = (
        "tie_ahead_place",
        gettext_noop(
            "Same total as %(others)s: before, by the place in the ranking: %(own)s points against "
            "%(other)s."
        ),
    )
    SHARED = (
        "tie_shared",
        gettext_noop("Same as %(others)s by every criterion: the place is shared."),
    )


SENTENCES: Mapping[Criterion, tuple[Tie, Tie]] = {
    Criterion.PLACES: (Tie.BEHIND_PLACES, Tie.AHEAD_PLACES),
    Criterion.DISCARDED: (Tie.BEHIND_DISCARDED, Tie.AHEAD_DISCARDED),
    Criterion.BEST: (Tie.BEHIND_BEST, Tie.AHEAD_BEST),
    Criterion.RANKING: (Tie.BEHIND_RANKING, Tie.AHEAD_RANKING),
}


@dataclass(frozen=True, slots=True)
class Claim:
    """What somebody claims a place with: his total, and his figures by each criterion, in order.

    The ranking's figure is in points, as the sentence says it; `merit` turns it round.
    """

    key: PlayerId
    total: Figure
    figures: tuple[tuple[Criterion, tuple[Figure, ...]], ...]


LowerRanking: TypeAlias = Literal["fewer_points", "better_place"]
Standing: TypeAlias = tuple[Figure, tuple[tuple[Figure, ...], ...]]  # total, then the merits


def merit(
    criterion: Criterion, figures: Sequence[Figure], lower: LowerRanking
) -> tuple[Figure, ...]:
    """G-05, G-06 — figures are compared in order, and one that is missing counts as nothing.

    The best discarded score first, then the next: a sum would reward who has many. The "lower
    ranking" is the one with fewer points, and who has none is not in it. The greater merit comes
    first. Refuses nothing.

    >>> merit(Criterion.DISCARDED, [700], "fewer_points") > merit(
    ...     Criterion.DISCARDED, [600, 600], "fewer_points")
    True
    >>> merit(Criterion.DISCARDED, [], "fewer_points") == merit(
    ...     Criterion.DISCARDED, [0], "fewer_points")
    True
    >>> merit(Criterion.RANKING, [10], "fewer_points") > merit(
    ...     Criterion.RANKING, [40], "fewer_points")
    True
    """
    if criterion == Criterion.RANKING:
        (points,) = figures
        return (-points if lower == "fewer_points" else points,)
    kept = list(figures)
    while kept and not kept[-1]:
        kept.pop()
    return tuple(kept)


def without(of: Mapping[PlayerId, T], out: Collection[PlayerId]) -> dict[PlayerId, T]:
    """E-09, O-13 — who was taken out of a championship is not in its standing; the others move up.

    `of` is whatever a standing is made of, by player. Of that championship alone: the other one and
    the ranking, which is no championship, keep him. Refuses nothing.

    >>> without({"a": 75, "b": 54}, {"a"})
    {'b': 54}
    """
    return {key: his for key, his in of.items() if key not in out}


def placed(claims: Sequence[Claim], lower: LowerRanking) -> list[int]:
    """G-07 — who is level by every criterion shares the place, and the next one is skipped.

    There is no further criterion, and never a draw. The place of each claim, in their order.
    Refuses nothing.

    >>> level = [Claim(key, 2400, ((Criterion.BEST, (1500,)),)) for key in "ab"]
    >>> placed([*level, Claim("c", 900, ((Criterion.BEST, (900,)),))], "fewer_points")
    [1, 1, 3]
    """
    return places([_standing(claim, lower) for claim in claims])


def _standing(claim: Claim, lower: LowerRanking) -> Standing:
    return claim.total, tuple(merit(name, figures, lower) for name, figures in claim.figures)


def reasons(claims: Sequence[Claim], lower: LowerRanking, rule: str) -> list[tuple[Step, ...]]:
    """G-08 — a row that a criterion decided says which, and by what figures.

    For each claim, in their order. Of those with the same total who come before and after, the
    nearest: who is told apart from them is told apart from the rest. `rule` is the article of the
    list. Nothing where no total is shared. Refuses nothing.

    >>> first = Claim("a", 57, ((Criterion.PLACES, (0, 1)),))
    >>> second = Claim("b", 57, ((Criterion.PLACES, (0, 0, 1)),))
    >>> [[step], _other] = reasons([first, second], "fewer_points", "G-02")
    >>> step.kind.name, step["nth"], step["own"], step["other"]
    ('AHEAD_PLACES', 2, 1, 0)
    """
    level: dict[Standing, list[Claim]] = {}  # who is level by everything, the greatest first
    stands = [_standing(claim, lower) for claim in claims]
    for claim, stood in sorted(zip(claims, stands, strict=True), key=lambda each: each[1])[::-1]:
        level.setdefault(stood, []).append(claim)
    order = list(level)
    at = {stood: n for n, stood in enumerate(order)}

    def nearest(n: int, total: Figure) -> list[Claim]:
        same = 0 <= n < len(order) and order[n][0] == total
        return level[order[n]] if same else []

    def steps(claim: Claim, stood: Standing) -> Iterator[Step]:
        before, behind = (nearest(at[stood] + n, claim.total) for n in (-1, 1))
        if before:
            yield _told_apart(claim, before, False, lower, rule)
        others = tuple(each.key for each in level[stood] if each.key != claim.key)
        if others:
            yield Step.of("G-07", Tie.SHARED, others=others)
        if behind:
            yield _told_apart(claim, behind, True, lower, rule)

    return [tuple(steps(claim, stood)) for claim, stood in zip(claims, stands, strict=True)]


def _told_apart(
    claim: Claim, others: Sequence[Claim], ahead: bool, lower: LowerRanking, rule: str
) -> Step:
    """The first criterion, and the first of its figures, by which he differs from `others`."""
    keys = tuple(each.key for each in others)
    for (criterion, own), (_name, other) in zip(claim.figures, others[0].figures, strict=True):
        if merit(criterion, own, lower) != merit(criterion, other, lower):
            break
    pairs = enumerate(zip_longest(own, other, fillvalue=0), start=1)
    nth, (mine, theirs) = next((n, pair) for n, pair in pairs if pair[0] != pair[1])
    kind = SENTENCES[criterion][ahead]
    if criterion == Criterion.PLACES and nth == 1:
        kind = Tie.AHEAD_WINS if ahead else Tie.BEHIND_WINS
    elif criterion == Criterion.PLACES:
        return Step.of(rule, kind, others=keys, own=mine, other=theirs, nth=nth)
    elif criterion == Criterion.RANKING and lower == "better_place":
        kind = Tie.AHEAD_PLACE if ahead else Tie.BEHIND_PLACE
    return Step.of(rule, kind, others=keys, own=mine, other=theirs)
