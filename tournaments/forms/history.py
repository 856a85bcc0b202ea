"""The past as it is sent in: a table, or a few lines typed."""

from __future__ import annotations

import re

from django import forms
from django.utils.translation import gettext_lazy as _

from figf import spreadsheets
from figf.errors import Refused
from figf.web import add_refusal
from tournaments import services
from tournaments.forms.people import SealedForm

# What people write above the columns, in Italian and in English. Lines without titles are in this
# order, the last two columns apart.
HISTORY_COLUMNS = (
    spreadsheets.Column(
        "season", _("Season"), ("stagione", "season", "anno", "year"), required=True
    ),
    spreadsheets.Column(
        "number",
        _("No."),
        ("n.", "no.", "numero", "number", "nr", "n. evento", "numero evento", "event number"),
        required=True,
    ),
    spreadsheets.Column(
        "event",
        _("Event"),
        ("evento", "event", "nome evento", "nome dell'evento", "event name", "torneo"),
        required=True,
    ),
    spreadsheets.Column(
        "town", _("Town"), ("città", "town", "city", "luogo", "sede", "località", "comune")
    ),
    spreadsheets.Column(
        "starts_on",
        _("First day"),
        ("primo giorno", "first day", "data", "date", "dal", "from", "inizio", "start"),
        required=True,
    ),
    spreadsheets.Column(
        "ends_on", _("Last day"), ("ultimo giorno", "last day", "al", "to", "fine", "end")
    ),
    spreadsheets.Column("kind", _("Kind"), ("tipo", "kind", "genere", "type")),
    spreadsheets.Column(
        "player",
        _("Player"),
        ("giocatore", "player", "cognome e nome", "nominativo", "full name"),
    ),
    spreadsheets.Column(
        "place", _("Place"), ("posto", "place", "posizione", "pos.", "piazzamento", "position")
    ),
    spreadsheets.Column(
        "points",
        _("Event points"),
        ("punti evento", "event points", "punti", "points", "pt", "pts", "punteggio"),
    ),
    spreadsheets.Column(
        "wins",
        _("Games won"),
        ("partite vinte", "games won", "vittorie", "wins", "tavoli vinti", "tables won", "vinte"),
    ),
    spreadsheets.Column(
        "replaces", _("Replaces"), ("sostituisce", "replaces", "corrispondente", "rimpiazza")
    ),
    spreadsheets.Column(
        "surname", _("Surname"), ("cognome", "surname", "last name", "family name")
    ),
    spreadsheets.Column("name", _("First name"), ("nome", "name", "first name", "given name")),
)


class HistoryForm(forms.Form):
    """Either a file or some lines."""

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
        help_text=_("With the titles of the columns in the first line."),
    )

    def clean(self) -> None:
        file, text = self.cleaned_data.get("file"), self.cleaned_data.get("text")
        if {"file", "text"} & self.errors.keys():
            return
        if bool(file) == bool(text):
            self.add_error("text", _("Send a file or write the lines: one of the two."))
            return
        try:
            if file:
                self.sheet = spreadsheets.read(file, HISTORY_COLUMNS)
            else:
                self.sheet = spreadsheets.read_text(str(text), HISTORY_COLUMNS)
        except Refused as refusal:
            add_refusal(self, refusal)

    def rows(self) -> list[services.HistoryRow]:
        return [
            services.HistoryRow(row.line, **row.cells, faults=row.faults) for row in self.sheet.rows
        ]


class ConfirmHistoryForm(SealedForm):
    """The report of an import of the past, and who is who."""

    PURPOSE = "import_history"

    create_missing = forms.BooleanField(required=False)

    def rows(self) -> list[services.HistoryRow]:
        return [services.HistoryRow(*cells) for cells in self.cleaned_data["sealed"]["rows"]]

    def chosen(self) -> dict[int, int]:
        """By line, the player chosen for it; what is no number chooses nobody."""
        found = {}
        for name, value in self.data.items():
            line = re.fullmatch(r"player-([0-9]{1,8})", name)
            if line and re.fullmatch(r"[0-9]{1,18}", str(value)):
                found[int(line[1])] = int(str(value))
        return found


class RemoveForm(forms.Form):
    """Why an event of the history goes."""

    reason = forms.CharField(label=_("Reason"), max_length=200)
