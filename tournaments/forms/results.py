"""The counting sheet of a table."""

from __future__ import annotations

import re
from typing import Any

from django import forms
from django.utils.translation import gettext_lazy as _

from figf.errors import Refused
from tournaments import texts
from tournaments.models import Result, Seat, Table
from tournaments.rules import registry
from tournaments.rules.regulation import Reason

LARGEST = 1_000_000_000  # two of them still fit the database's whole numbers

FIELD_LABELS = {"stocks": _("Shares"), "cash": _("Cash"), "total": _("Total")}


class AmountField(forms.Field):
    """An amount of the game's money as people type it: 7500, 7.500, 7 500 or 7'500; empty is None.

    Whether it may be negative is for the regulation to say.
    """

    widget = forms.TextInput

    def clean(self, value: Any) -> int | None:
        text = str(value or "").strip().replace("−", "-")
        if not text:
            return None
        if re.fullmatch(r"[+-]?\d{1,3}(?:[.\s'’]\d{3})+", text):
            text = re.sub(r"[.\s'’]", "", text)
        if not re.fullmatch(r"[+-]?[0-9]{1,12}", text):
            raise forms.ValidationError(texts.REFUSALS[Reason.TOTAL_NOT_INTEGER])
        amount = int(text)
        if abs(amount) > LARGEST:
            raise forms.ValidationError(_("This amount is too large to be true."))
        return amount


class ResultForm(forms.Form):
    """The counting sheet of one table: the regulation's fields for each seat, or the totals.

    Fields are named ``<fact>-<seat>``. `typed` gives what was written by seat, as services want it.
    """

    version = forms.IntegerField(widget=forms.HiddenInput, min_value=0, max_value=32767)
    tie_checked = forms.BooleanField(label=_("Recount"), required=False)

    def __init__(
        self,
        table: Table,
        *args: Any,
        totals_only: bool = False,
        confirmed: Result | None = None,
        draft: Result | None = None,
        **kwargs: Any,
    ) -> None:
        super().__init__(*args, **kwargs)
        self.stale = False
        self.rules: dict[str, str] = {}  # the article behind an error, by field
        self.seats: list[Seat] = list(table.seats.all())
        parts = [field.name for field in registry.REGULATIONS[table.event.regulation].fields]
        self.facts = ["total"] if totals_only else parts
        before = confirmed or draft
        written: dict[int, dict[str, int]] = {
            line.seat_id: {"total": line.total, **line.facts}
            for line in (before.lines.all() if before else ())
        }
        for seat in self.seats:
            for fact in self.facts:
                name = f"{fact}-{seat.pk}"
                self.fields[name] = AmountField(
                    label=FIELD_LABELS[fact],
                    required=False,
                    initial=written.get(seat.pk, {}).get(fact),
                )
                who = seat.holder().player or _("a referee")
                self.fields[name].widget.attrs |= {
                    "inputmode": "numeric",
                    "autocomplete": "off",
                    "maxlength": "14",
                    "enterkeyhint": "next",
                    "autofocus": seat == self.seats[0]
                    and fact == self.facts[0]
                    and not self.is_bound,
                    "aria-describedby": f"refusal-{seat.pk}",
                    "aria-label": f"{FIELD_LABELS[fact]} – {who}",
                }
        if confirmed:
            self.fields["reason"] = forms.CharField(
                label=_("Reason of the correction"),
                max_length=300,
                required=False,
            )

    @property
    def typed(self) -> dict[int, dict[str, int | None]]:
        """What was typed, by seat, or what was written before; an unreadable box is empty."""

        def amount(name: str) -> int | None:
            return self.cleaned_data.get(name) if self.is_bound else self.fields[name].initial

        return {
            seat.pk: {fact: amount(f"{fact}-{seat.pk}") for fact in self.facts}
            for seat in self.seats
        }

    def boxes(self, seat: Seat) -> list[forms.BoundField]:
        return [self[f"{fact}-{seat.pk}"] for fact in self.facts]

    def refuse(self, refusal: Refused) -> None:
        """Put a service's refusal on the first box of the seat, or above the sheet.

        A stale sheet takes the version that is there now: confirming again replaces it knowingly.
        """
        name = f"{self.facts[0]}-{refusal.field.removeprefix('seat-')}"
        field = name if name in self.fields else refusal.field or None
        if refusal.reason == "tie_unchecked":
            field = "tie_checked"
        self.rules[field or "__all__"] = refusal.rule
        self.add_error(field, str(refusal.text))
        self.stale = refusal.reason in {"stale", "already_confirmed"}

    def who(self, name: str) -> str:
        """Whom the box `name` is about, for a list of faults: a player, or the box itself."""
        seat = next((seat for seat in self.seats if name.endswith(f"-{seat.pk}")), None)
        if seat is not None:
            return str(seat.holder().player or _("a referee"))
        return str(self.fields[name].label or "") if name in self.fields else ""
