"""The ranking as it is sent in: a table, or a few lines typed."""

from __future__ import annotations

import re
from datetime import date

from django import forms
from django.utils.translation import gettext_lazy as _

from figf import spreadsheets
from figf.errors import Refused
from figf.web import add_refusal
from rankings import services
from rankings.models import Ranking
from tournaments.forms.events import DayField
from tournaments.forms.people import SealedForm

POINTS = spreadsheets.Column(
    "points", _("Points"), ("punti", "points", "punteggio", "pt", "pts"), required=True
)
WHOLE = spreadsheets.Column(
    "player",
    _("Player"),
    ("giocatore", "player", "cognome e nome", "nome e cognome", "nominativo", "full name"),
)
COLUMNS = (
    WHOLE,
    POINTS,
    spreadsheets.Column(
        "surname", _("Surname"), ("cognome", "surname", "last name", "family name")
    ),
    spreadsheets.Column("name", _("First name"), ("nome", "name", "first name", "given name")),
)


class RankingForm(forms.Form):
    """A date, and either a file or some lines."""

    as_of = DayField(label=_("As of"), help_text=_("The day on which these points held."))
    file = forms.FileField(
        label=_("CSV or XLSX file"),
        required=False,
        allow_empty_file=True,  # what is wrong with it is said by who reads it
        widget=forms.FileInput(attrs={"accept": ".csv,.xlsx,text/csv"}),
    )
    text = forms.CharField(
        label=_("Or the lines themselves"),
        required=False,
        max_length=200_000,
        widget=forms.Textarea(attrs={"rows": 8, "spellcheck": "false"}),
        help_text=_("One player a line: Surname Name;points."),
    )
    note = forms.CharField(label=_("Note"), max_length=200, required=False)

    def clean(self) -> None:
        file, text = self.cleaned_data.get("file"), self.cleaned_data.get("text")
        if {"file", "text"} & self.errors.keys():
            return
        if bool(file) == bool(text):
            self.add_error("text", _("Send a file or write the lines: one of the two."))
            return
        try:
            if file:
                self.sheet = spreadsheets.read(file, COLUMNS)
            else:
                self.sheet = spreadsheets.read_text(str(text), COLUMNS)
        except Refused as refusal:
            add_refusal(self, refusal)

    @property
    def source(self) -> Ranking.Source:
        return Ranking.Source.IMPORTED if self.cleaned_data["file"] else Ranking.Source.TYPED

    def rows(self) -> list[services.RankingRow]:
        return [
            services.RankingRow(row.line, **row.cells, faults=row.faults) for row in self.sheet.rows
        ]


class ConfirmForm(SealedForm):
    """The report of a ranking, and which of several players he means."""

    PURPOSE = "import_ranking"

    @property
    def as_of(self) -> date:
        return date.fromisoformat(self.cleaned_data["sealed"]["as_of"])

    def rows(self) -> list[services.RankingRow]:
        return [services.RankingRow(*cells) for cells in self.cleaned_data["sealed"]["rows"]]

    def chosen(self) -> dict[int, int]:
        """By line, the player chosen for it; what is no number chooses nobody."""
        found = {}
        for name, value in self.data.items():
            line = re.fullmatch(r"player-([0-9]{1,8})", name)
            if line and re.fullmatch(r"[0-9]{1,18}", str(value)):
                found[int(line[1])] = int(str(value))
        return found
