"""A table's result from a game exported by 18xx.games."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

from django import forms
from django.utils.translation import gettext
from django.utils.translation import gettext_lazy as _

from tournaments.models import Seat
from tournaments.rules import names
from tournaments.rules.game_files import LARGEST_FILE, FilePlayer


class GameFileForm(forms.Form):
    """The file, dropped or chosen."""

    file = forms.FileField(
        label=_("Game exported by 18xx.games"),
        help_text=_(
            "On the page of the game there: “Clone/Export”, then the JSON, saved as a file. "
            "Drop it anywhere on this page, or choose it."
        ),
        widget=forms.ClearableFileInput(attrs={"accept": ".json,application/json"}),
    )

    def clean_file(self) -> bytes:
        file = self.cleaned_data["file"]
        data: bytes = file.read(LARGEST_FILE + 1)
        return data


class MatchForm(forms.Form):
    """Who of the file sits where, and that what is unusual was looked at."""

    def __init__(
        self,
        *args: Any,
        seats: Sequence[Seat],
        players: Sequence[FilePlayer],
        doubts: Sequence[str],
        corrects: bool,
        **kwargs: Any,
    ) -> None:
        super().__init__(*args, **kwargs)
        self.seats, self.players = seats, players
        choices = [("", "–"), *((n, f"{p.name}: {p.total}") for n, p in enumerate(players))]
        taken: set[int] = set()
        for seat in seats:
            guess = self._guess(seat, taken)
            self.fields[f"seat-{seat.pk}"] = forms.TypedChoiceField(
                label=self._called(seat),
                choices=choices,
                coerce=int,
                initial="" if guess is None else guess,
            )
        for name in doubts:
            self.fields[name] = forms.BooleanField(label=DOUBTS[name])
        if corrects:  # the service asks for it, but not of the same figures sent twice
            self.fields["reason"] = forms.CharField(
                label=_("Reason of the correction"), max_length=300, required=False
            )

    def _called(self, seat: Seat) -> str:
        player = seat.holder().player
        return str(player) if player else gettext("a referee")

    def _guess(self, seat: Seat, taken: set[int]) -> int | None:
        """Who of the file has the name of who sits there, or his surname."""
        player = seat.holder().player
        if player is None:
            return None
        whole = {names.letters(f"{player.surname}{player.name}")}
        whole |= {names.letters(f"{player.name}{player.surname}"), names.letters(player.surname)}
        for n, told in enumerate(self.players):
            if n not in taken and names.letters(told.name) in whole:
                taken.add(n)
                return n
        return None

    def clean(self) -> dict[str, Any]:
        data = super().clean() or {}
        chosen: dict[int, str] = {}
        for seat in self.seats:
            name = f"seat-{seat.pk}"
            if name in data and data[name] in chosen:
                self.add_error(name, _("This player of the file sits elsewhere already."))
            elif name in data:
                chosen[data[name]] = name
        return data

    def totals(self) -> dict[int, dict[str, int | None]]:
        """What is typed for each seat."""
        return {
            seat.pk: {"total": self.players[self.cleaned_data[f"seat-{seat.pk}"]].total}
            for seat in self.seats
        }


DOUBTS = {
    "by_hand": _("The game was ended by hand, and it was over."),
    "other_title": _("It is this title, under another name."),
    "disagrees": _("I have looked at what the engine says: the result is right."),
    "tie_checked": _("The shared first place was counted twice."),
}
