"""Players and their log-ins."""

from __future__ import annotations

from typing import Any

from django import forms
from django.contrib.auth.password_validation import validate_password
from django.utils.translation import gettext_lazy as _

from figf.models import User
from tournaments.models import Club, Invitation, Player


class PlayerForm(forms.Form):
    surname = forms.CharField(label=_("Surname"), max_length=80)
    name = forms.CharField(label=_("First name"), max_length=80, required=False)
    club = forms.ModelChoiceField(
        label=_("Club"), queryset=Club.objects.all(), required=False, empty_label=_("none")
    )
    town = forms.CharField(label=_("Town"), max_length=80, required=False)
    email = forms.EmailField(label=_("E-mail address"), required=False)


class InviteForm(forms.Form):
    email = forms.EmailField(
        label=_("Send the invitation to"),
        help_text=_("The link can be used once, within seven days."),
    )


class ClaimForm(forms.Form):
    player = forms.ModelChoiceField(
        label=_("The player I am"), queryset=Player.objects.none(), empty_label=_("choose")
    )
    note = forms.CharField(
        label=_("Something by which the secretary recognises you"), max_length=300, required=False
    )

    def __init__(self, *args: Any, **kwargs: Any) -> None:
        super().__init__(*args, **kwargs)
        players: Any = self.fields["player"]
        players.queryset = Player.objects.filter(user=None)


class NewLogInForm(forms.Form):
    """A password for who comes by invitation and has no log-in yet."""

    def __init__(self, invited: Invitation | None, *args: Any, **kwargs: Any) -> None:
        super().__init__(*args, **kwargs)
        self.invited = invited

    password = forms.CharField(
        label=_("Password"),
        widget=forms.PasswordInput(attrs={"autocomplete": "new-password"}),
        help_text=_("At least ten characters, not a common password nor only digits."),
    )

    def clean_password(self) -> str:
        password: str = self.cleaned_data["password"]
        who = self.invited
        validate_password(password, User(email=who.email, name=str(who.player)) if who else None)
        return password
