"""Two players who may be one person: which two, and which of them stays."""

from __future__ import annotations

from typing import Any

from django import forms
from django.utils.translation import gettext_lazy as _

from tournaments.models import Player


class PairForm(forms.Form):
    """Two players, to be looked at side by side."""

    uno = forms.ModelChoiceField(
        label=_("One player"), queryset=Player.objects.none(), empty_label=_("choose")
    )
    altro = forms.ModelChoiceField(
        label=_("The other player"), queryset=Player.objects.none(), empty_label=_("choose")
    )

    def __init__(self, *args: Any, **kwargs: Any) -> None:
        super().__init__(*args, **kwargs)
        fields: Any = self.fields
        for name in ("uno", "altro"):
            fields[name].queryset = Player.objects.on_the_books().select_related("club")
            fields[name].label_from_instance = Player.told_apart

    def clean(self) -> None:
        said = self.cleaned_data
        if "uno" in said and said["uno"] == said.get("altro"):
            self.add_error("altro", _("Choose two different players."))


class MergeForm(forms.Form):
    """Which of the two stays; whether it was read that closed standings change."""

    resta = forms.TypedChoiceField(
        label=_("Who stays on the books"),
        coerce=int,
        widget=forms.RadioSelect,
        error_messages={"required": _("Choose who stays.")},
    )
    closed = forms.BooleanField(
        label=_("I know that the standings of closed seasons change"), required=False
    )

    def __init__(self, pair: tuple[Player, Player], *args: Any, closed: bool, **kwargs: Any):
        super().__init__(*args, **kwargs)
        choice: Any = self.fields["resta"]
        choice.choices = [(player.pk, player.told_apart()) for player in pair]
        if not closed:
            del self.fields["closed"]
