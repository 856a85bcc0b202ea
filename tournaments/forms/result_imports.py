"""The results of a round, sent as a table."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from typing import Any

from django import forms
from django.utils.text import Truncator
from django.utils.translation import gettext, override
from django.utils.translation import gettext_lazy as _

from figf import spreadsheets
from figf.errors import Refused
from figf.models import User
from figf.web import add_refusal
from tournaments import services
from tournaments.forms.people import SealedForm, TableForm
from tournaments.forms.results import box_for, total_of
from tournaments.models import Round
from tournaments.rules.regulation import Field, FieldKind

# What people write above the columns, in Italian and in English.
SURNAME_TITLES = (
    *("cognome", "surname", "last name", "family name", "giocatore", "player", "nominativo"),
    *("cognome e nome", "surname and name"),
)
SHOWN = 40  # characters of a cell that could not be read
FACT_TITLES = {
    "stocks": ("azioni", "valore azioni", "shares", "stocks", "stock value"),
    "cash": ("contante", "contanti", "cassa", "cash"),
    "total": ("totale", "total"),
}


def facts_of(seated: Round) -> list[Field]:
    """What a row may hold of a seat: the regulation's own fields, and the total if it is enough."""
    rules = seated.event.rules
    alone = rules.total_alone or not rules.fields
    return [*rules.fields, *([total_of(rules)] if alone else [])]


def in_words(field: Field, fact: int | None) -> object:
    """A fact as a file holds it: a number, or the answer."""
    if field.kind == FieldKind.CHOICE and fact is not None:
        return gettext(dict(field.choices)[fact])
    return fact


def columns_of(seated: Round) -> list[spreadsheets.Column]:
    """The columns that a table of results may have, by the regulation of its event."""
    return [
        spreadsheets.Column(
            "table",
            _("Table"),
            ("tavolo", "table", "tavolo n.", "n. tavolo", "numero tavolo", "table no.", "table n."),
            required=True,
        ),
        spreadsheets.Column(
            "player",
            _("Surname"),
            SURNAME_TITLES,
            required=True,
        ),
        spreadsheets.Column("name", _("First name"), ("nome", "name", "first name", "given name")),
        *(
            spreadsheets.Column(field.name, _(field.label), titles_of(field))
            for field in facts_of(seated)
        ),
    ]


def titles_of(field: Field) -> tuple[str, ...]:
    """What people write above the column of a field: what we know, or what it is called."""
    with override("it"):
        italian = gettext(field.label).casefold()
    known = FACT_TITLES.get(field.name, ())
    return tuple(dict.fromkeys((*known, italian, field.label.casefold(), field.name)))


class RoundResultsForm(TableForm):
    """A table of results."""

    def __init__(self, seated: Round, *args: Any, **kwargs: Any) -> None:
        super().__init__(*args, **kwargs)
        self.seated = seated

    def clean(self) -> None:
        if "file" not in self.cleaned_data:
            return
        try:
            self.sheet = spreadsheets.read(self.cleaned_data["file"], columns_of(self.seated))
        except Refused as refusal:
            add_refusal(self, refusal)

    def rows(self) -> list[services.ResultRow]:
        fields = facts_of(self.seated)
        return [_row(row, fields) for row in self.sheet.rows]


def _row(row: spreadsheets.Row, fields: Sequence[Field]) -> services.ResultRow:
    amounts: dict[str, int | None] = {}
    faults = list(row.faults)
    for field in fields:
        try:
            amounts[field.name] = box_for(field).clean(row.cells[field.name])
        except forms.ValidationError as error:
            amounts[field.name] = None
            told = {
                "column": gettext(field.label),
                "written": Truncator(row.cells[field.name]).chars(SHOWN),
                "why": " ".join(error.messages),
            }
            faults.append(gettext("%(column)s “%(written)s”: %(why)s") % told)
    who = f"{row.cells['player']} {row.cells['name']}".strip()
    return services.ResultRow(row.line, row.cells["table"], who, amounts, tuple(faults))


class ConfirmResultsForm(SealedForm):
    """The report of an import of results, come back for the round that it was made for."""

    PURPOSE = "import_results"

    def __init__(self, user: User, seated: Round, *args: Any, **kwargs: Any) -> None:
        super().__init__(user, *args, **kwargs)
        self.seated = seated

    def clean_sealed(self) -> Any:
        data = super().clean_sealed()
        if data["round"] != self.seated.pk:
            raise forms.ValidationError(_("This is the report of another round: begin again."))
        return data

    def rows(self) -> list[services.ResultRow]:
        return [services.ResultRow(*cells) for cells in self.cleaned_data["sealed"]["rows"]]

    def recounted(self) -> set[int]:
        """The tables whose shared first place was counted again, whatever else was sent so."""
        sent: Iterable[str] = self.data.getlist("recounted")  # type: ignore[attr-defined]
        return {int(pk) for pk in sent if pk.isascii() and pk.isdecimal() and len(pk) < 16}
