"""What one wants to be written to about one's games."""

from __future__ import annotations

from typing import Any

from django import forms
from django.utils.translation import gettext_lazy as _

from pbem.models import Preference


class PreferenceForm(forms.Form):
    """Which moves are mailed, and whether reminders are."""

    moves = forms.ChoiceField(
        label=_("Write to me"),
        choices=Preference.Moves.choices,
        widget=forms.RadioSelect,
    )
    reminders = forms.BooleanField(
        label=_("Remind me 24 hours and 6 hours before my time expires"),
        required=False,
        widget=forms.CheckboxInput(attrs={"class": "form-check-input"}),
    )

    def __init__(self, preference: Preference, data: Any = None) -> None:
        initial = {"moves": preference.moves, "reminders": preference.reminders}
        super().__init__(data, initial=initial)
