"""An event that comes as a file: the file, then who of it is who here."""

from __future__ import annotations

import re
from typing import Any

from django import forms
from django.utils.translation import gettext_lazy as _

from figf.errors import Refused
from figf.spreadsheets import MAX_SIZE
from figf.web import add_refusal
from tournaments import services
from tournaments.forms.people import SealedForm


class EventFileForm(forms.Form):
    """The file of an event."""

    file = forms.FileField(
        label=_("File of the event"),
        allow_empty_file=True,  # what is wrong with it is said by who reads it
        widget=forms.FileInput(attrs={"accept": ".json,application/json"}),
        help_text=_("It was written on the page of the event, and ends in .json."),
    )

    def clean(self) -> None:
        if "file" not in self.cleaned_data:
            return
        try:
            self.doc = services.read_event_file(self.cleaned_data["file"].read(MAX_SIZE + 1))
        except Refused as refusal:
            add_refusal(self, refusal)


class ConfirmEventFileForm(SealedForm):
    """The report on a file, come back with who is who."""

    PURPOSE = "import_event"

    counts = forms.BooleanField(required=False)
    reason = forms.CharField(max_length=200, required=False)

    def doc(self) -> services.EventDoc:
        return services.doc_of(self.cleaned_data["sealed"]["file"])

    def chosen(self) -> dict[str, int]:
        """By key of the file, the player chosen for it; what is no number chooses nobody."""
        found = {}
        data: Any = self.data
        for name, value in data.items():
            box = re.fullmatch(r"player-([0-9a-f-]{36})", name)
            if box and re.fullmatch(r"[0-9]{1,18}", str(value)):
                found[box[1]] = int(str(value))
        return found

    def instead(self) -> str:
        """Why the file counts against what was written here; empty where nobody said that it does.

        Refuses the box without a reason (`reason_missing`).
        """
        if not self.cleaned_data["counts"]:
            return ""
        if not self.cleaned_data["reason"]:
            words = _("Say why the file counts: what was written here goes.")
            raise Refused("reason_missing", words, field="reason")
        return str(self.cleaned_data["reason"])
