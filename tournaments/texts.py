"""The words of every refusal and of every step of an explanation: translatable, in one home.

The rules return a `Reason` or a `Step` with figures and no prose; a test proves that none lacks its
words. Figures are written in the reader's language.
"""

from __future__ import annotations

from collections.abc import Hashable, Mapping
from decimal import Decimal
from fractions import Fraction
from typing import TYPE_CHECKING

from django.utils.formats import number_format
from django.utils.translation import gettext as _
from django.utils.translation import gettext_lazy

from tournaments.rules.figf import Why
from tournaments.rules.regulation import Illegal, PlayerId, Reason, Step

if TYPE_CHECKING:
    from django.utils.functional import _StrPromise

REFUSALS: dict[Reason, _StrPromise] = {
    Reason.TOTAL_NOT_INTEGER: gettext_lazy("Enter a whole number."),
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
        "The first of the table has zero: percentiles cannot be computed."
    ),
    Reason.ALREADY_SEATED: gettext_lazy("Already seated at this table."),
    Reason.SEATED_IN_ROUND: gettext_lazy("Already seated at another table of this round."),
}

STEPS: dict[tuple[Why, str], _StrPromise] = {
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
}


def refusal(illegal: Illegal) -> str:
    """The words of a refusal, with its figures."""
    return str(REFUSALS[illegal.reason]) % {
        name: number(value) for name, value in illegal.data.items()
    }


def explain(step: Step, names: Mapping[PlayerId, str]) -> str:
    """One step of "why", in the reader's language; `names` says who the keys are."""
    values = dict(step.values)
    words = STEPS[Why(step.kind), str(values.get("reading", ""))]
    text = str(words) % {name: _figure(name, value, names) for name, value in values.items()}
    return text.replace("….", "…")  # a figure that never ends ends the sentence


def _figure(name: str, value: Hashable, names: Mapping[PlayerId, str]) -> str:
    if isinstance(value, tuple):
        return ", ".join(names[key] for key in value)
    if name == "handicap" and isinstance(value, int):
        return f"{value:+d}".replace("-", "−")
    return number(value)


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
