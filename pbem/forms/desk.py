"""The station master's tools, and the referees' word: one small form for each thing."""

from __future__ import annotations

from typing import Any

from django import forms
from django.utils.translation import gettext_lazy as _

from figf.models import User
from pbem.forms.tables import ReasonForm
from pbem.services.offices import LONGEST_DOUBT

LARGEST_NUMBER = 2**31 - 1


class PauseForm(ReasonForm):
    """Why the clock stops, and whose."""

    every = forms.BooleanField(
        label=_("All the games that I keep"),
        required=False,
        help_text=_("For holidays, or when the site is down."),
    )
    field_order = ["reason", "every"]


class ResumeForm(forms.Form):
    every = forms.BooleanField(label=_("All the games that I keep"), required=False)


class RollBackForm(ReasonForm):
    """Before which move the game goes back; `voids` is how many moves he was told it undoes."""

    number = forms.TypedChoiceField(
        label=_("Back to before move"),
        coerce=int,
        error_messages={"invalid_choice": _("This move does not stand any more: choose again.")},
    )
    voids = forms.IntegerField(
        min_value=1, max_value=LARGEST_NUMBER, required=False, widget=forms.HiddenInput
    )
    field_order = ["number", "reason", "voids"]

    def __init__(self, data: Any = None, *, moves: list[tuple[int, str]]) -> None:
        super().__init__(data)
        numbers: Any = self.fields["number"]
        numbers.choices = moves

    def clean_reason(self) -> str:
        reason: str = self.cleaned_data["reason"].strip()
        if not reason:
            raise forms.ValidationError(_("Say why the game goes back."))
        return reason


class OfficeForm(forms.Form):
    """The log-in that keeps the game from now on."""

    to = forms.EmailField(
        label=_("Address of the new station master"),
        help_text=_("That of his log-in. Who plays at the table, or waits for a seat, cannot."),
        max_length=254,
    )
    user: User

    def clean_to(self) -> str:
        address: str = self.cleaned_data["to"]
        found = User.objects.filter(email__iexact=address.strip()).first()
        if found is None:
            raise forms.ValidationError(_("No log-in has this address."))
        self.user = found
        return address


class CommentForm(forms.Form):
    """Which comment is hidden, or shown again."""

    number = forms.IntegerField(min_value=1, max_value=LARGEST_NUMBER)


class WordsForm(forms.Form):
    words = forms.CharField(
        label=_("Your word"),
        max_length=LONGEST_DOUBT,
        required=False,
        widget=forms.Textarea(attrs={"rows": 4}),
    )


class AnswerForm(WordsForm):
    """What is answered to a referee."""

    doubt = forms.IntegerField(min_value=1, max_value=2**63 - 1, widget=forms.HiddenInput)
