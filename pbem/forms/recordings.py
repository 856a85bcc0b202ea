"""What a reader sends in of games."""

from __future__ import annotations

from django import forms
from django.utils.translation import gettext_lazy as _

from pbem.services import LARGEST_FILE


class RecordingForm(forms.Form):
    """A game to be looked at: its file, dropped or chosen, and what of it is shown."""

    file = forms.FileField(
        label=_("Game exported by 18xx.games"),
        help_text=_(
            "On the page of the game there: “Clone/Export”, then the JSON, saved as a file. "
            "Drop it anywhere on this page, or choose it. At most 2 MB."
        ),
        widget=forms.ClearableFileInput(attrs={"accept": ".json,application/json"}),
    )
    label = forms.CharField(
        label=_("What to call it"),
        help_text=_("Whoever has the link reads it too. It may stay empty."),
        max_length=80,
        required=False,
    )
    keep_names = forms.BooleanField(
        label=_("Show the names of the file"),
        help_text=_(
            "Whoever has the link reads them: only with the agreement of who played. Otherwise the "
            "players are called by their seats, and their names are not kept."
        ),
        required=False,
    )
    keep_cut = forms.BooleanField(
        label=_("If the engine refuses an action, keep the game up to there"), required=False
    )

    def clean_file(self) -> bytes:
        file = self.cleaned_data["file"]
        data: bytes = file.read(LARGEST_FILE + 1)
        return data
