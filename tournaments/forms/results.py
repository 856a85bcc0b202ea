"""The counting sheet of a table."""

from __future__ import annotations

import re
from collections.abc import Mapping, Sequence
from typing import Any

from django import forms
from django.http import QueryDict
from django.utils.translation import gettext
from django.utils.translation import gettext_lazy as _

from figf.errors import Refused
from tournaments import texts
from tournaments.models import Result, Seat, Table
from tournaments.rules.regulation import Field, FieldKind, Illegal, Reason, Regulation

LARGEST = 1_000_000_000  # two of them still fit the database's whole numbers


class AmountField(forms.Field):
    """An amount of the game's money as people type it: 7500, 7.500, 7,500, 7 500 or 7'500.

    Empty is None. Whether it may be negative is for the regulation to say.
    """

    widget = forms.TextInput

    def clean(self, value: Any) -> int | None:
        text = str(value or "").strip().replace("−", "-")
        if not text:
            return None
        if re.fullmatch(r"[+-]?\d{1,3}(?P<apart>[.,\s'’])\d{3}(?:(?P=apart)\d{3})*", text):
            text = re.sub(r"[.,\s'’]", "", text)
        if not re.fullmatch(r"[+-]?[0-9]+", text):
            raise forms.ValidationError(texts.REFUSALS[Reason.TOTAL_NOT_INTEGER])
        if len(text) > 12 or abs(int(text)) > LARGEST:
            raise forms.ValidationError(_("This amount is too large to be true."))
        return int(text)


class AnswerField(forms.Field):
    """One of a few answers: a page sends its number, a file holds its words; empty is None."""

    widget = forms.Select

    def __init__(self, answers: Sequence[tuple[int, str]], **kwargs: Any) -> None:
        super().__init__(**kwargs)
        self.answers = answers
        select: Any = self.widget
        select.choices = [("", "–"), *((number, _(words)) for number, words in answers)]

    def clean(self, value: Any) -> int | None:
        text = "" if value is None else str(value).strip().casefold()
        if not text:
            return None
        for number, words in self.answers:
            if text in {str(number), words.casefold(), gettext(words).casefold()}:
                return number
        told = ", ".join(gettext(words) for _number, words in self.answers)
        raise forms.ValidationError(_("Choose one of these: %(answers)s.") % {"answers": told})


def box_for(field: Field, **kwargs: Any) -> forms.Field:
    """The box in which one thing is typed for a seat, by what the regulation says of it."""
    label = _(field.label)
    if field.kind == FieldKind.CHOICE:
        return AnswerField(field.choices, label=label, required=False, **kwargs)
    return AmountField(label=label, required=False, **kwargs)


def written_in(result: Result | None) -> dict[int, dict[str, int]]:
    """What a written result says of each seat, its total included."""
    lines = result.lines.all() if result else ()
    return {line.seat_id: {"total": line.total, **line.facts} for line in lines}


def total_of(rules: Regulation[Any]) -> Field:
    """The total of a seat as a thing that is typed."""
    return Field("total", FieldKind.MONEY, rules.labels.total)


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
        self.theirs: dict[str, str] = {}  # what somebody else wrote where it differs, by field
        self.rules: dict[str, str] = {}  # the article behind an error, by field
        self.seats: list[Seat] = list(table.seats.all())
        rules = table.event.rules
        self.totals_only = totals_only or not rules.fields
        fields = [total_of(rules)] if self.totals_only else rules.fields
        self.facts = [field.name for field in fields]
        written = written_in(confirmed or draft)
        for seat in self.seats:
            for field in fields:
                box = box_for(field, initial=written.get(seat.pk, {}).get(field.name))
                who = seat.holder().player or _("a referee")
                if field.kind != FieldKind.CHOICE:
                    box.widget.attrs |= {
                        "inputmode": "numeric",
                        "autocomplete": "off",
                        "maxlength": "14",
                        "enterkeyhint": "next",
                    }
                box.widget.attrs |= {
                    "autofocus": seat == self.seats[0] and field == fields[0] and not self.is_bound,
                    "aria-describedby": f"refusal-{seat.pk}",
                    "aria-label": f"{box.label} – {who}",
                }
                self.fields[f"{field.name}-{seat.pk}"] = box
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

    def weigh(self, refusals: Mapping[int | None, Illegal], *, live: bool) -> None:
        """Put what the regulation refuses of a seat on the box that it names, or on the first.

        A seat with one box still empty or not to be read is no further mistake.
        """
        for seat in self.seats:
            illegal = refusals.get(seat.pk)
            if illegal is None:
                continue
            if illegal.unfinished and (live or any(box.errors for box in self.boxes(seat))):
                continue
            fact = illegal.field if illegal.field in self.facts else self.facts[0]
            self.rules[f"{fact}-{seat.pk}"] = illegal.rule
            self.add_error(f"{fact}-{seat.pk}", texts.refusal(illegal))

    def with_newer(self, seen: Result | None, newest: Result) -> QueryDict:
        """What was typed; a seat still as it was `seen` has what the `newest` result says of it."""
        data = QueryDict(mutable=True)
        data.update(self.data)
        before, after = written_in(seen), written_in(newest)
        for pk, mine in self.typed.items():
            old, new = before.get(pk, {}), after.get(pk, {})
            if all(mine[fact] == old.get(fact) and fact in new for fact in self.facts):
                for fact in self.facts:
                    data[f"{fact}-{pk}"] = str(new[fact])
        return data

    def compare(self, newest: Result) -> None:
        """Mark the boxes that differ from what somebody else wrote, each with theirs beside it."""
        theirs = written_in(newest)
        for seat in self.seats:
            for fact, mine in self.typed[seat.pk].items():
                other, name = theirs.get(seat.pk, {}).get(fact), f"{fact}-{seat.pk}"
                if other is None or other == mine:
                    continue
                box = self.fields[name]
                answers = dict(box.answers) if isinstance(box, AnswerField) else {}
                self.theirs[name] = gettext(answers[other]) if answers else str(other)
                box.widget.attrs["aria-describedby"] += f" theirs-{name}"

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
            player = str(seat.holder().player or _("a referee"))
            return f"{player}, {self.fields[name].label}" if len(self.facts) > 1 else player
        return str(self.fields[name].label or "") if name in self.fields else ""
