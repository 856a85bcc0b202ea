"""What is asked before a person is forgotten."""

from __future__ import annotations

from django import forms
from django.utils.translation import gettext_lazy as _


class ForgetForm(forms.Form):
    confirm = forms.CharField(
        label=_("Write the surname, to confirm"),
        max_length=80,
        widget=forms.TextInput(attrs={"autocomplete": "off"}),
    )
