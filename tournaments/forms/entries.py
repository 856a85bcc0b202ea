"""Enrolment, the roll call, and who comes on the spot."""

from __future__ import annotations

import re
from dataclasses import dataclass
from typing import Any

from django import forms
from django.utils.translation import gettext_lazy as _

from tournaments.models import Club, Entry, Event, Player, Title


class EnrolForm(forms.Form):
    """A player enrols himself: the games he brings (A-07), a note."""

    copies = forms.MultipleChoiceField(
        label=_("I bring a copy of"),
        widget=forms.CheckboxSelectMultiple(attrs={"class": "form-check-input"}),
        required=False,
    )
    note = forms.CharField(
        label=_("Note for the technical director"), max_length=200, required=False
    )

    def __init__(self, event: Event, *args: Any, **kwargs: Any) -> None:
        super().__init__(*args, **kwargs)
        prove = event.prove.select_related("title").order_by("title__code")
        self.titles: dict[str, Title] = {str(prova.title_id): prova.title for prova in prove}
        boxes: Any = self.fields["copies"]
        boxes.choices = [(pk, title.name) for pk, title in self.titles.items()]
        if not self.titles:
            del self.fields["copies"]

    def brought(self) -> list[Title]:
        return [self.titles[pk] for pk in self.cleaned_data.get("copies", [])]


class EntryForm(EnrolForm):
    """The director writes the same of somebody else."""

    copies = forms.MultipleChoiceField(
        label=_("Brings a copy of"),
        widget=forms.CheckboxSelectMultiple(attrs={"class": "form-check-input"}),
        required=False,
    )
    note = forms.CharField(label=_("Note"), max_length=200, required=False)


class OnTheSpotForm(forms.Form):
    """What is asked of whoever is added at the director's desk: here, and from which round."""

    present = forms.BooleanField(label=_("Here"), required=False)
    from_round = forms.TypedChoiceField(
        label=_("Plays from round"), coerce=int, empty_value=None, required=False
    )

    def __init__(self, rounds: range, *args: Any, **kwargs: Any) -> None:
        super().__init__(*args, **kwargs)
        choice: Any = self.fields["from_round"]
        choice.choices = [("", _("the next one"))] + [(str(n), str(n)) for n in rounds]


class AddForm(OnTheSpotForm):
    """Somebody on the books comes on the spot."""

    player = forms.ModelChoiceField(
        queryset=Player.objects.on_the_books(),
        error_messages={
            "required": _("Choose who comes."),
            "invalid_choice": _("This player is not on the books any more: search again."),
        },
    )


class NewcomerForm(OnTheSpotForm):
    """Somebody whom the books do not know comes on the spot."""

    surname = forms.CharField(label=_("Surname"), max_length=80)
    name = forms.CharField(label=_("First name"), max_length=80, required=False)
    club = forms.ModelChoiceField(
        label=_("Club"), queryset=Club.objects.all(), required=False, empty_label=_("none")
    )
    town = forms.CharField(label=_("Town"), max_length=80, required=False)
    another = forms.BooleanField(label=_("This is another person"), required=False)
    field_order = ["surname", "name", "club", "town", "present", "from_round", "another"]


@dataclass(frozen=True, slots=True)
class Tick:
    """What the list says of one person: here, absent or not called; whether he has paid."""

    here: bool | None
    paid: bool

    @classmethod
    def of(cls, entry: Entry) -> Tick:
        return cls(entry.present, entry.paid)

    def __str__(self) -> str:
        """As the page keeps it, to tell later what was changed on it."""
        called = {True: "here", False: "absent", None: "none"}[self.here]
        return f"{called},paid" if self.paid else called

    @classmethod
    def read(cls, text: str) -> Tick:
        """What `str` wrote. Raises ValueError for anything else."""
        called, comma, paid = text.partition(",")
        if called not in WRITTEN or (comma, paid) not in {("", ""), (",", "paid")}:
            raise ValueError(text)
        return cls(WRITTEN[called], bool(paid))


WRITTEN = {"here": True, "absent": False, "none": None}


class RollForm(forms.Form):
    """The roll call, or one row of it.

    Each row sends ``was-<entry>``, what the page showed, and its boxes ``here-``, ``absent-`` and
    ``paid-<entry>``. What is not changed on the page is not sent on, so that two pages open on the
    same list do not undo each other; a row named by ``tick`` is sent on as it is.
    """

    def clean(self) -> dict[str, Any]:
        self.rows: dict[int, Tick] = {}
        self.before: dict[int, Tick] = {}
        self.clashing: set[int] = set()
        for name, value in self.data.items():
            if name.startswith("was-"):
                self._read(name.removeprefix("was-"), str(value))
        if self.clashing:
            self.add_error(
                None, forms.ValidationError(_("Ticked both as here and as absent: choose one."))
            )
        return self.cleaned_data

    def _read(self, key: str, was: str) -> None:
        if not re.fullmatch(r"[0-9]{1,18}", key):
            raise self._broken()
        pk = int(key)
        try:
            self.before[pk] = Tick.read(was)
        except ValueError:
            raise self._broken() from None
        here, absent = f"here-{key}" in self.data, f"absent-{key}" in self.data
        if here and absent:
            self.clashing.add(pk)
        called = True if here else False if absent else None
        self.rows[pk] = Tick(called, f"paid-{key}" in self.data)

    def _broken(self) -> forms.ValidationError:
        return forms.ValidationError(_("This list cannot be read: load the page again."))

    def present(self) -> dict[int, bool | None]:
        """Who was called, taken back or marked absent."""
        return {
            pk: tick.here
            for pk, tick in self.rows.items()
            if self._told(pk) or tick.here is not self.before[pk].here
        }

    def paid(self) -> dict[int, bool]:
        """Whose payment was ticked or unticked."""
        return {
            pk: tick.paid
            for pk, tick in self.rows.items()
            if self._told(pk) or tick.paid is not self.before[pk].paid
        }

    def _told(self, pk: int) -> bool:
        return self.data.get("tick") == str(pk)
