"""What the director writes of a table: one small form for each thing that can have happened."""

from __future__ import annotations

from typing import Any

from django import forms
from django.utils.translation import gettext_lazy as _

from tournaments.forms.results import AmountField
from tournaments.forms.seating import LARGEST_ID
from tournaments.models import Table


class IdField(forms.IntegerField):
    """The id of something on the page; whether it belongs there is asked elsewhere."""

    def __init__(self, **kwargs: Any) -> None:
        super().__init__(min_value=1, max_value=LARGEST_ID, **kwargs)


class WordsField(forms.CharField):
    """A reason or a ruling; the service says when it must be given."""

    def __init__(self, length: int, **kwargs: Any) -> None:
        super().__init__(max_length=length, required=False, **kwargs)


class HandicapForm(forms.Form):
    """How much is given to the total of a seat, or taken from it; an empty box says nothing."""

    seat = IdField()
    was = forms.IntegerField(required=False, min_value=-(2**31), max_value=2**31 - 1)
    amount = AmountField(label=_("Handicap"), required=False)
    reason = WordsField(200, label=_("Reason"))

    def clean_amount(self) -> int:
        amount: int | None = self.cleaned_data["amount"]
        if amount is None:
            raise forms.ValidationError(_("Write the amount, or 0 to take the handicap back."))
        return amount


class ExcludeForm(forms.Form):
    """Who is excluded from the game, and by which ruling."""

    seat = IdField()
    player = IdField()
    ruling = WordsField(300, label=_("Ruling"))


class LiftForm(forms.Form):
    """Which exclusion is lifted."""

    removal = IdField()


class HoldingForm(forms.Form):
    """Which seat changes hands, and who held it when the page was opened."""

    seat = IdField()
    holding = IdField()


class SubstituteForm(HoldingForm):
    """Who sits down in whose place."""

    player = IdField(label=_("Substitute"), error_messages={"required": _("Choose who sits down.")})


class VoidForm(forms.Form):
    """Why the game is void."""

    reason = WordsField(200, label=_("Reason"))


class ExclusionForm(forms.Form):
    """What becomes of an excluded player's total at this table; "" leaves it to the rules."""

    exclusion = forms.ChoiceField(
        label=_("The excluded player's total"),
        choices=[("", ""), *Table.Exclusion.choices],
        required=False,
    )
    reason = WordsField(200, label=_("Reason"))


class NothingForm(forms.Form):
    """A button says it all."""


FORMS: dict[str, type[forms.Form]] = {
    "handicap": HandicapForm,
    "exclude": ExcludeForm,
    "lift": LiftForm,
    "substitute": SubstituteForm,
    "referee": HoldingForm,
    "cinderella": HoldingForm,
    "take_back": HoldingForm,
    "exclusion": ExclusionForm,
    "void": VoidForm,
    "unvoid": NothingForm,
}
