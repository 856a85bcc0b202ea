"""The words of every refusal and of every step of an explanation: translatable, in one home.

The rules return a `Reason` or a `Step` with figures and no prose; a test proves that none lacks its
words. A regulation may bring its own as `Sentence`s. Figures are written in the reader's language.
"""

from __future__ import annotations

from collections.abc import Hashable, Mapping, Sequence
from decimal import Decimal
from enum import StrEnum
from fractions import Fraction
from types import MappingProxyType
from typing import TYPE_CHECKING

from django.utils.formats import number_format
from django.utils.translation import gettext as _
from django.utils.translation import gettext_lazy

from tournaments.rules.figf import Why
from tournaments.rules.regulation import ByHand, Illegal, PlayerId, Reason, Sentence, Step
from tournaments.rules.standing import Stood
from tournaments.rules.tables import Laid, Sat

if TYPE_CHECKING:
    from django.utils.functional import _StrPromise

CROWD = 6  # names that a sentence can hold

REFUSALS: dict[Reason, _StrPromise] = {
    Reason.TOTAL_NOT_INTEGER: gettext_lazy(
        "Enter a whole number, in figures only: no letters, no decimals."
    ),
    Reason.TOTAL_NEGATIVE: gettext_lazy(
        "The amount cannot be negative: who ends in debt is entered with 0."
    ),
    Reason.TOTAL_MISSING: gettext_lazy("Enter both shares and cash, or the total alone."),
    Reason.PARTS_DO_NOT_ADD: gettext_lazy("Shares plus cash do not give the total."),
    Reason.SEAT_COUNT: gettext_lazy(
        "This table has %(seats)s seats: its title admits from %(fewest)s to %(most)s."
    ),
    Reason.DUPLICATE_PLAYER: gettext_lazy("The same player sits twice at this table."),
    Reason.NOBODY_LEFT: gettext_lazy(
        "Everybody is excluded from the classification: declare the game void."
    ),
    Reason.WINNER_TOTAL_ZERO: gettext_lazy(
        "The first of the table has zero: percentiles cannot be computed. Check the figures; if "
        "they are right, the director declares the game void."
    ),
    Reason.ALREADY_SEATED: gettext_lazy("Already seated at this table."),
    Reason.SEATED_IN_ROUND: gettext_lazy("Already seated at another table of this round."),
    Reason.TOO_FEW_PLAYERS: gettext_lazy(
        "At least %(fewest)s players are needed: present are %(players)s."
    ),
    Reason.NO_PARTITION: gettext_lazy(
        "Tables of %(fewest)s to %(most)s cannot seat %(players)s players: change the title, or "
        "who plays."
    ),
    Reason.NO_ALTERNATIVE: gettext_lazy(
        "The printed table has no alternative for %(players)s players."
    ),
    Reason.REFEREE_AT_OWN_TABLE: gettext_lazy(
        "The referee must sit at another table: choose somebody else."
    ),
    Reason.REFEREE_MISSING: gettext_lazy("Choose the referee of table %(table)s."),
    Reason.DIRECTOR_NOT_REFEREE: gettext_lazy(
        "The technical director must be a FIGF referee on that day."
    ),
    Reason.DATES_REVERSED: gettext_lazy("The last day comes before the first."),
    Reason.OUTSIDE_SEASON: gettext_lazy("The event does not begin in the season's year."),
    Reason.ROUNDS: gettext_lazy("A prova is played in a single or a double round."),
    Reason.TOO_MANY_ROUNDS: gettext_lazy("A prova is played in %(most)s rounds at most."),
    Reason.TITLE_SEATS: gettext_lazy("From how many players to how many?"),
    Reason.STATUS_STEP: gettext_lazy(
        "The event cannot go there from its present status: reload the page to see where it can."
    ),
    Reason.NO_PROVE: gettext_lazy("The event has no prove: add its titles first."),
    Reason.NO_CONTRIBUTION: gettext_lazy(
        "The contribution is not fixed for this season yet: the statement stays open."
    ),
    Reason.SUSPENDED: gettext_lazy(
        "Disqualified up to and including %(until)s: enrol for a later event."
    ),
    Reason.SUSPENDED_OPEN: gettext_lazy(
        "Disqualified, and the last event to skip is not in the calendar yet: ask the secretary."
    ),
    Reason.EXPELLED: gettext_lazy("Expelled from the federation: no enrolment is possible."),
    Reason.BLACKLISTED: gettext_lazy(
        "On the black list: only live events can be entered, none by correspondence."
    ),
    Reason.BAD_PLACE_OR_FE: gettext_lazy(
        "There are no event points for place %(place)s with an event factor of %(factor)s."
    ),
}

STEPS: dict[tuple[StrEnum, str], _StrPromise] = {
    (Why.HANDICAP, ""): gettext_lazy(
        "Counted %(total)s, handicap %(handicap)s: the total that counts is %(adjusted)s."
    ),
    (Why.EXCLUDED, "recompute"): gettext_lazy(
        "Excluded from the classification of this game, which is reckoned as if this seat were "
        "not there."
    ),
    (Why.EXCLUDED, "keep_reference"): gettext_lazy(
        "Excluded from the classification of this game; by the director's decision the total "
        "stays as the measure for the others."
    ),
    (Why.REFEREE_SEAT, "kept_as_reference"): gettext_lazy(
        "A referee finished the game on this seat: it keeps its place as a measure and nobody is "
        "credited with it."
    ),
    (Why.REFEREE_SEAT, "removed"): gettext_lazy(
        "A referee finished the game on this seat, which does not count."
    ),
    (Why.CINDERELLA, "absent_player"): gettext_lazy(
        "Cinderella played on for the absent player, who is credited with the result."
    ),
    (Why.CINDERELLA, "none"): gettext_lazy(
        "Cinderella played on for the absent player; nobody is credited with the result."
    ),
    (Why.REFERENCE, ""): gettext_lazy("First of the table: %(firsts)s, with %(best)s."),
    (Why.PLACE, ""): gettext_lazy("A total of %(total)s gives place %(place)s."),
    (Why.BASE, ""): gettext_lazy("Base percentile: %(total)s ÷ %(best)s × 1000 = %(exact)s."),
    (Why.ROUNDED, ""): gettext_lazy("Rounded once, half up, to two decimals: %(rounded)s."),
    (Why.SHARED_FIRST, ""): gettext_lazy(
        "First place is shared by %(firsts)s: the second has 1000 too, so the bonus is %(bonus)s "
        "each, without a lead."
    ),
    (Why.GAP, ""): gettext_lazy(
        "Lead over the second (%(seconds)s): 1000 − %(percentile)s = %(gap)s."
    ),
    (Why.SOLE, ""): gettext_lazy("Nobody else is left in the classification: the lead is %(gap)s."),
    (Why.WIN_BONUS, ""): gettext_lazy("Bonus of the first: %(win)s + %(gap)s = %(bonus)s."),
    (Why.VOID, ""): gettext_lazy("The game is void: no percentile for anybody."),
    (Laid.PRINTED, ""): gettext_lazy("Row of the printed table for %(players)s players."),
    (Laid.STARRED, ""): gettext_lazy(
        "Starred alternative of the printed table for %(players)s players."
    ),
    (Laid.STARRED_ONLY, ""): gettext_lazy(
        "The title seats five at most: the starred row for %(players)s players."
    ),
    (Laid.TWENTY_FOUR, ""): gettext_lazy(
        "The printed table has six tables of four for %(players)s players."
    ),
    (Laid.FIVES, ""): gettext_lazy(
        "Against the printed row for %(players)s players: as few tables as can be, as in the "
        "other rows."
    ),
    (Laid.EXTENSION, ""): gettext_lazy(
        "For %(players)s players, beyond 25, the printed table is silent: proposed by its own "
        "pattern."
    ),
    (Laid.FEWER_SEATS, ""): gettext_lazy(
        "The title seats %(most)s at most: as few tables as can be for %(players)s players."
    ),
    (Sat.RANKED, ""): gettext_lazy(
        "Ranking: %(points)s points, place %(place)s among those present."
    ),
    (Sat.RANKED_ALPHABETICAL, ""): gettext_lazy(
        "Ranking: %(points)s points, place %(place)s among those present; by surname among equals."
    ),
    (Sat.UNRANKED, ""): gettext_lazy("Not in the ranking: last, by surname."),
    (Sat.STANDING, ""): gettext_lazy(
        "Event standing: %(total)s, place %(place)s among those present."
    ),
    (Sat.STANDING_BEST, ""): gettext_lazy(
        "Event standing: %(total)s, place %(place)s among those present; among equals, by the best "
        "percentile, here %(best)s."
    ),
    (Sat.STANDING_RANKING, ""): gettext_lazy(
        "Event standing: %(total)s, place %(place)s among those present; among equals, by the "
        "lower ranking, here %(ranking)s."
    ),
    (Sat.STANDING_ALPHABETICAL, ""): gettext_lazy(
        "Event standing: %(total)s, place %(place)s among those present; level on everything, by "
        "surname."
    ),
    (Sat.NO_PERCENTILE, ""): gettext_lazy(
        "No percentile so far: after those with a total, before the newcomers."
    ),
    (Sat.NEWCOMER, ""): gettext_lazy("Newcomer: after those who played, by surname."),
    (ByHand.BY_HAND, ""): gettext_lazy("Placed by hand by the director."),
    (Stood.SUM, ""): gettext_lazy("Sum of the percentiles."),
    (Stood.TOTAL, ""): gettext_lazy("Sum of the percentiles: %(total)s, place %(place)s."),
    (Stood.ADDED, ""): gettext_lazy(
        "Sum of the percentiles: %(parts)s = %(total)s, place %(place)s."
    ),
    (Stood.POINTS, ""): gettext_lazy(
        "Event points of place %(place)s: base %(base)s × event factor %(factor)s = %(exact)s."
    ),
    (Stood.WHOLE, ""): gettext_lazy("Event points are the nearest whole number: %(points)s."),
    (Stood.NO_POINTS, ""): gettext_lazy(
        "Event points go to the first %(last)s places: place %(place)s has none."
    ),
    (Stood.BEHIND_BEST, ""): gettext_lazy(
        "Same total as %(others)s: after, by the best percentile, %(own)s against %(other)s."
    ),
    (Stood.BEHIND_RANKING, "fewer_points"): gettext_lazy(
        "Same total and best percentile as %(others)s: after, by the lower ranking, %(own)s "
        "against %(other)s."
    ),
    (Stood.BEHIND_RANKING, "better_place"): gettext_lazy(
        "Same total and best percentile as %(others)s: after, by the place in the ranking, %(own)s "
        "against %(other)s."
    ),
    (Stood.SHARED, "criteria"): gettext_lazy(
        "Same total, best percentile and ranking as %(others)s: the place is shared."
    ),
    (Stood.SHARED, "ex_aequo"): gettext_lazy("Same total as %(others)s: the place is shared."),
    (Stood.AHEAD_BEST, ""): gettext_lazy(
        "Same total as %(others)s: before, by the best percentile, %(own)s against %(other)s."
    ),
    (Stood.AHEAD_RANKING, "fewer_points"): gettext_lazy(
        "Same total and best percentile as %(others)s: before, by the lower ranking, %(own)s "
        "against %(other)s."
    ),
    (Stood.AHEAD_RANKING, "better_place"): gettext_lazy(
        "Same total and best percentile as %(others)s: before, by the place in the ranking, "
        "%(own)s against %(other)s."
    ),
}


def refusal(illegal: Illegal) -> str:
    """The words of a refusal, with its figures."""
    reason = illegal.reason
    words = _(reason.words) if isinstance(reason, Sentence) else str(REFUSALS[reason])
    return words % {name: number(value) for name, value in illegal.data.items()}


def explain(step: Step, names: Mapping[PlayerId, str] = MappingProxyType({})) -> str:
    """One step of "why", in the reader's language; `names` says who the keys are."""
    values, kind = dict(step.values), step.kind
    if isinstance(kind, Sentence):
        words = _(kind.words)
    else:
        words = str(STEPS[kind, str(values.get("reading", ""))])
    text = words % {name: _figure(name, value, names) for name, value in values.items()}
    return text.replace("….", "…")  # a figure that never ends ends the sentence


def _figure(name: str, value: Hashable, names: Mapping[PlayerId, str]) -> str:
    if name == "parts" and isinstance(value, tuple):
        return " + ".join(map(number, value))
    if isinstance(value, tuple):
        return _named([names[key] for key in value])
    if name == "handicap" and isinstance(value, int):
        return f"{value:+d}".replace("-", "−")
    return number(value)


def _named(people: Sequence[str]) -> str:
    """People by name, of a crowd the first ones and how many more."""
    if len(people) <= CROWD:
        return ", ".join(people)
    first, more = ", ".join(people[: CROWD - 1]), len(people) - CROWD + 1
    return _("%(first)s and %(n)d others") % {"first": first, "n": more}


def rounds(n: int) -> str:
    """How many rounds a prova has, as people say it."""
    if n > 2:
        return _("%(n)d rounds") % {"n": n}
    return _("double round") if n == 2 else _("single round")


def number(value: object) -> str:
    """A figure as the reader writes it: 1540, 887,51, 888,88889… (a fraction that never ends).

    Whole percentiles lose their ``,00`` (C-05); totals are not grouped, as on the counting sheet.
    """
    if isinstance(value, Fraction):
        return _fraction(value)
    if isinstance(value, Decimal):
        return number_format(value.to_integral() if value == value.to_integral() else value)
    return str(value)


def _fraction(value: Fraction) -> str:
    hundred_thousandths = value * 100_000
    if hundred_thousandths.denominator == 1:
        return number(Decimal(int(hundred_thousandths)).scaleb(-5).normalize() + Decimal(0))
    cut = Decimal(int(hundred_thousandths)).scaleb(-5)
    return _("%(number)s…") % {"number": number_format(cut)}
