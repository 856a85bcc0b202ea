"""The director's forms for the tables of a round."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

from django import forms
from django.utils.translation import gettext_lazy as _

from tournaments.models import Player
from tournaments.rules.regulation import Composition

LARGEST_ID = 2**63 - 1  # what the database's keys hold


class IdsField(forms.TypedMultipleChoiceField):
    """Ids ticked on a page, as whole numbers; whether they belong there is for the service."""

    def __init__(self, **kwargs: Any) -> None:
        super().__init__(coerce=int, required=False, **kwargs)

    def valid_value(self, value: Any) -> bool:
        text = str(value)
        return text.isascii() and text.isdigit() and int(text) <= LARGEST_ID

    def to_python(self, value: Any) -> Any:
        return super().to_python(value)[:500] if value else []


class ReasonField(forms.CharField):
    """Why the director departs from what is usual; the service says when it must be given."""

    def __init__(self, **kwargs: Any) -> None:
        more: dict[str, Any] = {"label": _("Reason"), "max_length": 200, "required": False}
        super().__init__(**(more | kwargs))


class EditionForm(forms.Form):
    """Which state of the seating the director was looking at."""

    edition = forms.IntegerField(widget=forms.HiddenInput, min_value=0, max_value=2**31 - 1)


class DrawForm(forms.Form):
    """How many tables of how many; whether to go on without some results."""

    edition = forms.IntegerField(
        widget=forms.HiddenInput, required=False, min_value=0, max_value=2**31 - 1
    )
    sizes = forms.ChoiceField(label=_("Tables"), widget=forms.RadioSelect, required=False)
    reason = ReasonField(help_text=_("Asked when the tables are not the usual ones."))
    provisional = forms.BooleanField(label=_("Go on with the provisional standing"), required=False)

    def __init__(self, compositions: Sequence[Composition], *args: Any, **kwargs: Any) -> None:
        super().__init__(*args, **kwargs)
        sizes: Any = self.fields["sizes"]
        sizes.choices = [(written(c), written(c)) for c in compositions]
        if compositions:
            sizes.initial = written(compositions[0])

    def chosen(self) -> list[int] | None:
        """The sizes ticked, or None for the usual ones."""
        text = self.cleaned_data.get("sizes")
        return [int(size) for size in text.split("-")] if text else None


def written(composition: Composition) -> str:
    """The sizes as a form sends them: 5-5-4."""
    return "-".join(str(size) for size in composition.sizes)


class EditForm(EditionForm):
    """One change by hand of a draft: which, of whom, to where, why."""

    action = forms.ChoiceField(
        choices=[(name, name) for name in ("swap", "move", "add_table", "seat", "unseat")]
    )
    seat = IdsField()
    table = forms.IntegerField(required=False, min_value=0, max_value=1000)
    player = forms.IntegerField(required=False, min_value=1, max_value=LARGEST_ID)
    reason = ReasonField()


class RefereeForm(forms.Form):
    """Who referees one table."""

    referee = forms.ModelChoiceField(
        label=_("Referee"),
        queryset=Player.objects.none(),
        required=False,
        empty_label=_("nobody yet"),
    )
    reason = ReasonField(
        help_text=_("Asked when a free FIGF referee is passed over, or at a single table.")
    )

    def __init__(
        self, people: Sequence[Player], qualified: Sequence[Player], *args: Any, **kwargs: Any
    ) -> None:
        super().__init__(*args, **kwargs)
        field: Any = self.fields["referee"]
        field.queryset = Player.objects.filter(pk__in=[p.pk for p in people])
        able = {p.pk for p in qualified}
        field.label_from_instance = lambda p: f"{p} (FIGF)" if p.pk in able else str(p)
