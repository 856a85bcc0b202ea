"""What is typed to open a game by correspondence, to gather its players, to put them in order."""

from __future__ import annotations

import re
from datetime import datetime, timedelta
from typing import Any

from django import forms
from django.utils import timezone
from django.utils.translation import gettext, gettext_lazy

from figf.models import User
from pbem.services import OPEN_FOR
from tournaments.forms.events import MomentField
from tournaments.models import Player, Title

_ = gettext_lazy
LIST = "people"  # the datalist of a page that has such fields
MOST_SEATS = 6
MOST_RESERVES = 4
ANSWERS_IN = timedelta(days=3)
LONGEST_WORD = 60
FOUND_AT_MOST = 6


class PlayerField(forms.CharField):
    """A player on the books, by his name or by his number: what the list proposes has both."""

    def __init__(self, **kwargs: Any) -> None:
        attrs = {"list": LIST, "autocomplete": "off"}
        super().__init__(max_length=200, widget=forms.TextInput(attrs=attrs), **kwargs)

    def clean(self, value: Any) -> Any:
        text = " ".join(str(super().clean(value)).split())
        return self._found(text) if text else None

    def _found(self, text: str) -> Player:
        known = Player.objects.on_the_books().select_related("club", "user")
        number = re.search(r"(?<![0-9])[0-9]{1,9}$", text)
        if number:
            player = known.filter(pk=int(number[0])).first()
            if player is None:
                raise forms.ValidationError(_("Nobody on the books has this number."))
            return player
        found = list(known.called(text)[:FOUND_AT_MOST])
        if not found:
            raise forms.ValidationError(_("Nobody on the books is called so."))
        if len(found) > 1:
            several = "; ".join(player.told_apart() for player in found)
            raise forms.ValidationError(
                gettext("Several are called so, write the number: %(who)s.") % {"who": several}
            )
        return found[0]


class MasterField(forms.ModelChoiceField):  # type: ignore[type-arg]
    """An open log-in, by its name."""

    def label_from_instance(self, obj: User) -> str:
        return obj.name


class OpenForm(forms.Form):
    """How a game is opened at a table that there is."""

    station_master = MasterField(
        label=_("Station master"),
        queryset=User.objects.none(),
        empty_label=None,
        help_text=_("Who keeps the game. He never plays at it, and is no reserve."),
    )
    preset = forms.ChoiceField(
        label=_("Rules"),
        choices=[
            ("figf", _("of the federation")),
            ("18xx", _("of 18xx.games")),
        ],
        help_text=_("Where the rulebooks leave a point open."),
    )
    answer_by = MomentField(
        label=_("Players answer by"),
        help_text=_("Time of Rome. Who has not answered by then may lose his seat to a reserve."),
    )
    password = forms.CharField(
        label=_("Word of the table"),
        max_length=LONGEST_WORD,
        required=False,
        help_text=_("Asked with every move, if there is one: tell it to the players yourself."),
        widget=forms.TextInput(attrs={"autocomplete": "off"}),
    )

    def __init__(self, *args: Any, master: User, now: datetime, **kwargs: Any) -> None:
        kwargs["initial"] = {
            "station_master": master.pk,
            "answer_by": timezone.localtime(now + ANSWERS_IN),
        }
        super().__init__(*args, **kwargs)
        field: Any = self.fields["station_master"]
        field.queryset = User.objects.filter(is_active=True).order_by("name", "pk")
        for n in range(1, MOST_RESERVES + 1):
            self.fields[f"reserve{n}"] = PlayerField(
                label=gettext("Reserve %(n)d") % {"n": n}, required=False
            )

    @property
    def reserves(self) -> list[Player]:
        """Those named, in their order."""
        return self._named("reserve", MOST_RESERVES)

    def _named(self, prefix: str, most: int) -> list[Player]:
        named = (self.cleaned_data.get(f"{prefix}{n}") for n in range(1, most + 1))
        return [player for player in named if player is not None]


class InviteForm(OpenForm):
    """A game by invitation: also what is played, and by whom, in the order of the seats."""

    title = forms.ModelChoiceField(
        label=_("Title"), queryset=Title.objects.all(), to_field_name="code", empty_label=None
    )

    def __init__(self, *args: Any, **kwargs: Any) -> None:
        super().__init__(*args, **kwargs)
        for n in range(1, MOST_SEATS + 1):
            self.fields[f"player{n}"] = PlayerField(
                label=gettext("Player %(n)d") % {"n": n}, required=n <= 2
            )
        seats = [f"player{n}" for n in range(1, MOST_SEATS + 1)]
        self.order_fields(["title", *seats])

    @property
    def players(self) -> list[Player]:
        return self._named("player", MOST_SEATS)


class AnswerForm(forms.Form):
    """Whether he will play."""

    answer = forms.ChoiceField(choices=[("yes", ""), ("no", "")])


class ReserveForm(forms.Form):
    player = PlayerField(label=_("One more reserve"))


class SilentForm(forms.Form):
    silent = forms.IntegerField(min_value=1, max_value=2**31 - 1)


class ReasonForm(forms.Form):
    reason = forms.CharField(
        label=_("Reason"), max_length=200, required=False, help_text=_("Everybody reads it.")
    )


class ThrowForm(forms.Form):
    """Until when each may add his word to the dice."""

    closes_at = MomentField(
        label=_("The dice are thrown at"),
        help_text=_("Time of Rome, at least five minutes from now: until then each adds his word."),
    )

    def __init__(self, *args: Any, now: datetime, **kwargs: Any) -> None:
        kwargs["initial"] = {"closes_at": timezone.localtime(now + OPEN_FOR)}
        super().__init__(*args, **kwargs)


class OutsideForm(forms.Form):
    """What an outside dice server threw."""

    rolls = forms.CharField(
        label=_("Values thrown"),
        max_length=400,
        help_text=_(
            "One throw a line: first one value for each player, in the order of the seats; then, "
            "where some are level, one for each of those who throw again, the highest first."
        ),
        widget=forms.Textarea(attrs={"rows": 3, "autocomplete": "off"}),
    )
    source = forms.CharField(label=_("Dice server"), max_length=200, required=False)
    receipt = forms.CharField(
        label=_("Receipt"),
        max_length=4000,
        required=False,
        widget=forms.Textarea(attrs={"rows": 3}),
    )

    def clean_rolls(self) -> list[list[int]]:
        lines = [line for line in self.cleaned_data["rolls"].splitlines() if line.strip()]
        values = [re.split(r"[\s,;]+", line.strip(" ,;\t")) for line in lines]
        if any(not re.fullmatch(r"-?[0-9]{1,6}", one) for line in values for one in line):
            raise forms.ValidationError(_("Write whole numbers, separated by spaces: 6 3 3 1."))
        return [[int(one) for one in line] for line in values]


class WordForm(forms.Form):
    password = forms.CharField(
        label=_("Another word of the table"),
        max_length=LONGEST_WORD,
        required=False,
        help_text=_("Empty: no word is asked for any more."),
        widget=forms.TextInput(attrs={"autocomplete": "off"}),
    )


class TieForm(forms.Form):
    """The result is sent again; a shared first place has been looked at."""

    tie_checked = forms.BooleanField(
        label=_("First place is shared: I have counted again"), required=False
    )


class FilterForm(forms.Form):
    """Which games are listed; what makes no sense is as if it had not been asked."""

    stato = forms.ChoiceField(required=False, choices=[("raduno", ""), ("concluse", "")])
    evento = forms.IntegerField(required=False, min_value=1, max_value=2**31 - 1)
    titolo = forms.SlugField(required=False, max_length=20)
    giocatore = forms.CharField(required=False, max_length=80)

    def asked(self) -> dict[str, Any]:
        self.is_valid()
        return {name: self.cleaned_data.get(name) or "" for name in self.fields}
