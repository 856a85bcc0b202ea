"""The administration pages: what the federation registers. The rest is written by services."""

from collections import Counter
from typing import Any

from django import forms
from django.contrib import admin
from django.db.models import Count, QuerySet
from django.http import HttpRequest
from django.utils import timezone
from django.utils.translation import gettext, ngettext
from django.utils.translation import gettext_lazy as _

from figf.admin import Recorded
from tournaments import texts
from tournaments.models import Club, Season, Table, Title
from tournaments.rules import calendar, registry
from tournaments.rules.regulation import Illegal
from tournaments.services import seasons

MOST_PLAYERS = 20  # no title of the family comes near


class TitleForm(forms.ModelForm):
    class Meta:
        model = Title
        fields = [
            *("code", "name", "min_players", "max_players", "active_from", "active_to"),
            *("specialty", "cup_title"),
        ]
        help_texts = {
            "code": _("Short, as the standings call it: 1830."),
            "min_players": _("As published; at an event a table has three at least (B-07)."),
            "active_from": _("First day on which events play it; empty: always."),
            "active_to": _("Last day on which events play it; empty: still."),
            "specialty": _("A championship of its own (A-05)."),
            "cup_title": _("In use for Supercoppa and teams."),
        }

    def clean(self) -> dict[str, Any]:
        data = super().clean() or {}
        fewest, most = data.get("min_players"), data.get("max_players")
        if fewest is not None and most is not None:
            try:
                calendar.check_seats(fewest, most)
            except Illegal as illegal:
                self.add_error("max_players", f"{texts.refusal(illegal)} ({illegal.rule})")
        if most is not None and most > MOST_PLAYERS:
            text = gettext("No table has more than %(n)d players.") % {"n": MOST_PLAYERS}
            self.add_error("max_players", text)
        if fewest is not None and most is not None and not self.errors:
            self._refuse_breaking(fewest, most)
        begin, end = data.get("active_from"), data.get("active_to")
        if begin and end and end < begin:
            self.add_error("active_to", gettext("The last day comes before the first."))
        return data

    def clean_code(self) -> str:
        code: str = self.cleaned_data["code"]
        if code != self.initial.get("code") and self._tables().exists():
            raise forms.ValidationError(
                gettext("It has been played: its standings are at the address of this code.")
            )
        return code

    def _refuse_breaking(self, fewest: int, most: int) -> None:
        """Tables seated within the numbers of before stay within those of now (B-07)."""
        was = self.initial.get("min_players", fewest), self.initial.get("max_players", most)
        seated = self._tables().annotate(players=Count("seats"))
        counted = Counter(seated.values_list("round__prova__event__regulation", "players"))
        broken = 0
        for (regulation, players), tables in counted.items():
            rules = registry.REGULATIONS[regulation]
            before, after = (
                rules.admits(players, *calendar.event_seats(least, top, rules))
                for least, top in (was, (fewest, most))
            )
            broken += tables if before and not after else 0
        if broken:
            text = ngettext(
                "%(n)d table seated already would have too few or too many players.",
                "%(n)d tables seated already would have too few or too many players.",
                broken,
            )
            self.add_error(
                "min_players" if fewest > was[0] else "max_players", text % {"n": broken}
            )

    def _tables(self) -> QuerySet[Table]:
        """Those at which it is played, or was."""
        title = self.instance.pk
        return Table.objects.filter(round__prova__title=title) if title else Table.objects.none()


@admin.register(Title)
class TitleAdmin(Recorded):
    form = TitleForm
    list_display = [
        *("code", "name", "min_players", "max_players", "active_from", "active_to"),
        *("specialty", "cup_title"),
    ]
    list_filter = ["specialty", "cup_title"]
    search_fields = ["code", "name"]
    fieldsets = [
        (None, {"fields": ["code", "name"]}),
        (_("Players at a table"), {"fields": [("min_players", "max_players")]}),
        (_("When it is played"), {"fields": [("active_from", "active_to")]}),
        (_("Where it counts"), {"fields": ["specialty", "cup_title"]}),
    ]

    def has_delete_permission(self, request: HttpRequest, obj: Title | None = None) -> bool:
        """One that Supercoppas are drawn among stays, for those that were (I-05)."""
        drawn = obj is not None and obj.cup_title
        return not drawn and super().has_delete_permission(request, obj)


@admin.register(Club)
class ClubAdmin(Recorded):
    list_display = ["name", "town"]
    search_fields = ["name", "town"]


class SeasonForm(forms.ModelForm):
    class Meta:
        model = Season
        fields = ["year", "contribution"]
        help_texts = {"contribution": _("Euro for each entrant; empty: not fixed yet (A-12).")}

    def clean_year(self) -> int:
        year: int = self.cleaned_data["year"]
        last = timezone.localdate().year + seasons.YEARS_AHEAD
        if not seasons.FIRST_YEAR <= year <= last:
            raise forms.ValidationError(
                gettext("A season is a year from %(first)d to %(last)d.")
                % {"first": seasons.FIRST_YEAR, "last": last}
            )
        if self.instance.pk and year != self.initial["year"] and self.instance.events.exists():
            raise forms.ValidationError(gettext("This season has events: its year cannot change."))
        return year

    def clean_contribution(self) -> Any:
        contribution = self.cleaned_data["contribution"]
        if contribution is not None and contribution < 0:
            raise forms.ValidationError(gettext("The contribution cannot be negative."))
        return contribution


@admin.register(Season)
class SeasonAdmin(Recorded):
    form = SeasonForm
    list_display = ["year", "contribution"]
