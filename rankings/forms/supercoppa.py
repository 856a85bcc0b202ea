"""What the secretary writes of a Supercoppa: one small form for each thing that can be done."""

from __future__ import annotations

from collections.abc import Callable, Iterable
from typing import Any

from django import forms
from django.utils.translation import gettext_lazy as _

from rankings.models import Cup
from rankings.services import Supercoppa
from tournaments.forms.events import DayField, MomentField
from tournaments.forms.incidents import IdField, NothingForm
from tournaments.models import Player, RefereeTerm, Season


class OpenForm(forms.Form):
    """The year, and whether it waits for the standings of the year before."""

    season = forms.ModelChoiceField(
        label=_("Season in which it is played"),
        queryset=Season.objects.none(),
        empty_label=None,
        error_messages={"invalid_choice": _("Choose a season of the list.")},
    )
    provisional = forms.BooleanField(
        label=_("Provisional"),
        required=False,
        help_text=_("Without waiting for the season before to be closed."),
    )
    note = forms.CharField(
        label=_("Reason"),
        max_length=200,
        required=False,
        help_text=_("Asked when it is provisional. Everybody can read it."),
    )

    def __init__(self, *args: Any, **kwargs: Any) -> None:
        super().__init__(*args, **kwargs)
        taken = Cup.objects.filter(kind=Cup.Kind.SUPERCOPPA).values("season")
        field: Any = self.fields["season"]
        field.queryset = Season.objects.filter(closed_at=None).exclude(pk__in=taken)


class PlayerField(forms.TypedChoiceField):
    """One of a few people; anybody else is refused in words."""

    def __init__(self, **kwargs: Any) -> None:
        super().__init__(
            coerce=int,
            error_messages={"invalid_choice": _("Choose somebody of the list.")},
            **kwargs,
        )


def named(people: Iterable[Player]) -> list[tuple[str, str]]:
    return [(str(player.pk), str(player)) for player in people]


class UnavailableForm(forms.Form):
    """Who of the field does not play, and why."""

    player = PlayerField(label=_("Who does not play"))
    reason = forms.CharField(
        label=_("Reason"), max_length=200, help_text=_("Everybody can read it.")
    )

    def __init__(self, stands: Supercoppa, *args: Any, **kwargs: Any) -> None:
        super().__init__(*args, **kwargs)
        absent = {each.candidate.player.pk for each in stands.field.absent}
        field: Any = self.fields["player"]
        field.choices = [
            ("", _("Choose")),
            *named(c.player for c in stands.field.people if c.player.pk not in absent),
        ]


class AvailableForm(forms.Form):
    """Who plays after all."""

    player = IdField(widget=forms.HiddenInput)


class PromiseForm(forms.Form):
    """Until when the people concerned may send their word."""

    closes_at = MomentField(
        label=_("Words accepted until"),
        help_text=_("Time of Rome. At this hour the dice are thrown."),
    )


class ReasonForm(forms.Form):
    """Why a step is taken back."""

    reason = forms.CharField(
        label=_("Reason"), max_length=200, help_text=_("Everybody can read it.")
    )


class TablesForm(forms.Form):
    """Who directs the event, and when it is played."""

    director = forms.ModelChoiceField(
        label=_("Technical director"),
        queryset=Player.objects.none(),
        help_text=_("A FIGF referee on the first day (A-08)."),
        error_messages={"invalid_choice": _("Choose somebody of the list.")},
    )
    starts_on = DayField(label=_("First day"))
    ends_on = DayField(label=_("Last day"))

    def __init__(self, *args: Any, **kwargs: Any) -> None:
        super().__init__(*args, **kwargs)
        director: Any = self.fields["director"]
        referees = RefereeTerm.objects.values("player")
        director.queryset = Player.objects.on_the_books().filter(pk__in=referees)


class FinalForm(forms.Form):
    """The five whom the page showed, by their ids: a correction may have changed them."""

    seen = forms.CharField(
        widget=forms.HiddenInput,
        max_length=200,
        error_messages={"required": _("The page was not sent whole: try again.")},
    )

    def clean_seen(self) -> list[int]:
        keys = self.cleaned_data["seen"].split(",")
        if not all(key.isascii() and key.isdigit() for key in keys):
            raise forms.ValidationError(_("The page was not sent whole: try again."))
        return [int(key) for key in keys]


class WinnerForm(forms.Form):
    """Whom of several who are level the federation gives the cup to; nobody ticked: to all."""

    winners = forms.TypedMultipleChoiceField(
        label=_("The federation gives the cup to"),
        coerce=int,
        required=False,
        widget=forms.CheckboxSelectMultiple,
        help_text=_("Nobody ticked: all of them have it, ex aequo."),
        error_messages={"invalid_choice": _("Choose somebody of the list.")},
    )
    note = forms.CharField(
        label=_("How it was decided"),
        max_length=200,
        required=False,
        help_text=_("Asked when it is not shared. Everybody can read it."),
    )

    def __init__(self, stands: Supercoppa, *args: Any, **kwargs: Any) -> None:
        super().__init__(*args, **kwargs)
        field: Any = self.fields["winners"]
        field.choices = named(stands.winners)


Maker = Callable[..., forms.Form]

FORMS: dict[str, tuple[Maker, bool]] = {  # by address; whether it asks how things stand
    "assenza": (UnavailableForm, True),
    "rientro": (AvailableForm, False),
    "sorteggio": (PromiseForm, False),
    "rinuncia-al-sorteggio": (ReasonForm, False),
    "tavoli": (TablesForm, False),
    "ritiro-dei-tavoli": (ReasonForm, False),
    "spareggio": (PromiseForm, False),
    "finale": (FinalForm, False),
    "ritiro-della-finale": (NothingForm, False),
    "vincitore": (WinnerForm, True),
    "ritiro-del-vincitore": (ReasonForm, False),
    "ritiro": (NothingForm, False),
}
