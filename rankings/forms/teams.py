"""The team championship: what is typed of a team, its titles, and the officer's decisions."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from datetime import date
from typing import Any

from django import forms
from django.core.exceptions import ValidationError
from django.utils.html import format_html
from django.utils.translation import gettext, ngettext
from django.utils.translation import gettext_lazy as _

from figf.errors import Refused
from figf.templatetags.figf import article
from rankings.models import TeamMember
from rankings.rules import teams as rules
from tournaments.forms.events import DayField
from tournaments.models import Player, Season, Title

Group = tuple[str, Sequence[Player]]  # a heading, and who is offered under it


def refuse(form: forms.Form, refusal: Refused) -> None:
    """Say a refusal at the box that it concerns, or above the form, with a link to its article."""
    field = refusal.field if refusal.field in form.fields else None
    text = format_html("{} {}", refusal.text, article(refusal.rule))
    form.add_error(field, ValidationError(text))


class ChampionshipForm(forms.Form):
    """The year in which a championship is to be played."""

    season = forms.ModelChoiceField(
        label=_("Season"),
        queryset=Season.objects.filter(closed_at=None).exclude(cups__kind="teams"),
        empty_label=None,
        help_text=_("The year of the games: teams enrol until the end of the year before."),
        error_messages={
            "required": _("Choose a season."),
            "invalid_choice": _("This season is not in the list: load the page again."),
        },
    )


class TeamForm(forms.Form):
    """A team: its name, and four players of those offered.

    `groups` are offered in each of the four boxes. `late` adds the officer's leave for a team that
    comes after the term.
    """

    name = forms.CharField(label=_("Name of the team"), max_length=120, required=False)
    cerca = forms.CharField(
        label=_("Somebody who is not in the lists"),
        max_length=80,
        required=False,
        widget=forms.TextInput(attrs={"class": "form-control", "autocomplete": "off"}),
    )
    seen = forms.CharField(max_length=64, required=False, widget=forms.HiddenInput)
    reopen = forms.BooleanField(label=_("Reopen the enrolment for this team"), required=False)

    def __init__(
        self, groups: Sequence[Group], *args: Any, club: str = "", late: bool = False, **more: Any
    ) -> None:
        super().__init__(*args, **more)
        self.people = {player.pk: player for _heading, found in groups for player in found}
        offered = [(heading, [_offered(player) for player in found]) for heading, found in groups]
        for seat in range(rules.TEAM_SIZE):
            self.fields[rules.box(seat)] = forms.TypedChoiceField(
                label=gettext("Player %(n)d") % {"n": seat + 1},
                choices=[("", "—"), *offered],
                coerce=int,
                empty_value=None,
                required=False,
                error_messages={
                    "invalid_choice": _("This player is not on the books any more: choose again.")
                },
            )
        if club:
            self.fields["name"].help_text = gettext("Left empty, it is called %(club)s.") % {
                "club": club
            }
        if not late:
            del self.fields["reopen"]
        if "seen" not in self.initial:
            del self.fields["seen"]
        self.order_fields(["name", *self.boxes(), "cerca", "reopen"])

    def show(self, edition: str) -> None:
        """A stale form takes the edition that is there now: saving again replaces it knowingly."""
        self.data = self.data.copy()  # type: ignore[attr-defined]
        self.data["seen"] = edition  # type: ignore[index]

    @staticmethod
    def boxes() -> list[str]:
        return [rules.box(seat) for seat in range(rules.TEAM_SIZE)]

    def clean(self) -> dict[str, Any]:
        """Who is missing is told at his box (L-01)."""
        data = super().clean() or {}
        for box in self.boxes():
            if box not in self.errors and data.get(box) is None:
                text = gettext("A team has four players: choose them all.")
                refuse(self, Refused("team_size", text, rule="L-01", field=box))
        return data

    def members(self) -> list[Player]:
        return [self.people[self.cleaned_data[box]] for box in self.boxes()]


def _offered(player: Player) -> tuple[int, str]:
    return player.pk, f"{player} ({player.club})" if player.club else str(player)


class TitlesForm(forms.Form):
    """Who of a team plays which of the titles."""

    def __init__(
        self, members: Iterable[TeamMember], titles: Sequence[Title], *args: Any, **more: Any
    ) -> None:
        super().__init__(*args, **more)
        self.titles = {title.pk: title for title in titles}
        self.boxes = {f"title_{member.player_id}": member for member in members}
        for box, member in self.boxes.items():
            self.fields[box] = forms.TypedChoiceField(
                label=str(member.player),
                choices=[("", "—"), *((title.pk, title.name) for title in titles)],
                coerce=int,
                initial=member.title_id,
                error_messages={
                    "required": _("Choose a title."),
                    "invalid_choice": _("This title is not played any more: choose again."),
                },
            )

    def chosen(self) -> dict[int, Title]:
        return {
            member.player_id: self.titles[self.cleaned_data[box]]
            for box, member in self.boxes.items()
        }

    def repeated(self) -> list[str]:
        """The boxes whose title another before them has."""
        seen: set[int] = set()
        found = []
        for box in self.boxes:
            title = self.cleaned_data[box]
            if title in seen:
                found.append(box)
            seen.add(title)
        return found


class RejectionForm(forms.Form):
    """Why a team is rejected."""

    team = forms.IntegerField(widget=forms.HiddenInput)
    reason = forms.CharField(label=_("Reason"), max_length=200, required=False)


class TablesBackForm(forms.Form):
    """Why the tables are taken back."""

    reason = forms.CharField(label=_("Reason"), max_length=200, required=False)


class AdmissionForm(forms.Form):
    """What an admission may need: a reason not to wait, and a choice between level teams."""

    note = forms.CharField(
        label=_("Why the absolute is used as it stands"), max_length=200, required=False
    )
    preferred = forms.TypedMultipleChoiceField(
        label=_("Admitted of the teams that are level"),
        widget=forms.CheckboxSelectMultiple(attrs={"class": "form-check-input"}),
        coerce=int,
        required=False,
        error_messages={"invalid_choice": _("These teams have changed: load the page again.")},
    )

    def __init__(
        self,
        level: Sequence[tuple[int, str]],
        *args: Any,
        waits: bool = False,
        choose: int = 0,
        **more: Any,
    ) -> None:
        super().__init__(*args, **more)
        if level:
            box: Any = self.fields["preferred"]
            box.choices = level
            text = ngettext(
                "Choose one of these: one place is left.",
                "Choose %(n)d of these: %(n)d places are left.",
                choose,
            )
            box.help_text = text % {"n": choose}
        else:
            del self.fields["preferred"]
        if not waits:
            del self.fields["note"]


class TablesForm(forms.Form):
    """Who directs the games, and from when to when they are played."""

    director = forms.ModelChoiceField(
        label=_("Technical director"),
        queryset=Player.objects.none(),
        empty_label="—",
        error_messages={
            "required": _("Choose who directs the games."),
            "invalid_choice": _("The technical director must be a FIGF referee on that day."),
        },
    )
    starts_on = DayField(label=_("First day"))
    ends_on = DayField(label=_("Last day"))

    def __init__(self, year: int, today: date, *args: Any, **more: Any) -> None:
        first = min(max(today, date(year, 1, 1)), date(year, 12, 31))
        more["initial"] = {"starts_on": first, "ends_on": date(year, 12, 31)}
        super().__init__(*args, **more)
        box: Any = self.fields["director"]
        referees = Player.objects.on_the_books().filter(referee_terms__isnull=False)
        box.queryset = referees.distinct()
