"""What the roll of honour and the "what if" page ask for."""

from __future__ import annotations

from datetime import date
from typing import Any

from django import forms
from django.db.models import QuerySet
from django.utils.translation import gettext_lazy as _

from rankings.models import Honour, Publication
from tournaments.models import Event, Player, Prova, Season, Table, Title
from tournaments.services import struck_off

BY_HAND = [
    (Honour.Award.ABSOLUTE.value, Honour.Award.ABSOLUTE.label),
    (Honour.Award.SPECIALTY.value, Honour.Award.SPECIALTY.label),
    (Honour.Award.SUPERCOPPA.value, Honour.Award.SUPERCOPPA.label),
]


class HonourForm(forms.Form):
    """A line of the roll of honour that no standing here can tell."""

    season = forms.ModelChoiceField(Season.objects.order_by("-year"), label=_("Season"))
    award = forms.ChoiceField(choices=BY_HAND, label=_("Award"))
    title = forms.ModelChoiceField(
        Title.objects.filter(specialty=True), label=_("Title, of a specialty"), required=False
    )
    player = forms.ModelChoiceField(Player.objects.none(), label=_("Player"))
    note = forms.CharField(label=_("Note"), max_length=200, required=False)

    def __init__(self, *args: Any, **kwargs: Any) -> None:
        super().__init__(*args, **kwargs)
        players: Any = self.fields["player"]
        players.queryset = Player.objects.on_the_books().exclude(pk__in=struck_off())


class Measure:
    """What a decision does; the values of the form below."""

    STRIKE_OFF = "strike_off"
    EVENT = "event"
    PROVA = "prova"
    GAME = "game"
    CHAMPIONSHIP = "championship"


MEASURES = [
    (Measure.EVENT, _("Cancelled from the standing of an event")),
    (Measure.PROVA, _("Cancelled from a prova")),
    (Measure.GAME, _("Excluded from the classification of a game")),
    (Measure.CHAMPIONSHIP, _("Cancelled from a championship")),
    (Measure.STRIKE_OFF, _("Expelled")),
]


class WhatIfForm(forms.Form):
    """Whom a decision would concern, and what it would be."""

    chi = forms.ModelChoiceField(Player.objects.none(), label=_("Player"))
    misura = forms.ChoiceField(choices=MEASURES, label=_("Decision"))
    evento = forms.ModelChoiceField(
        Event.objects.none(), label=_("Event, if cancelled from one"), required=False
    )
    prova = forms.ModelChoiceField(
        Prova.objects.none(), label=_("Prova, if cancelled from one"), required=False
    )
    tavolo = forms.ModelChoiceField(
        Table.objects.none(), label=_("Table, if excluded from its game"), required=False
    )
    campionato = forms.ChoiceField(label=_("Championship, if cancelled from one"), required=False)

    WANTED = {
        Measure.EVENT: "evento",
        Measure.PROVA: "prova",
        Measure.GAME: "tavolo",
        Measure.CHAMPIONSHIP: "campionato",
    }

    def __init__(self, season: Season, *args: Any, titles: list[Title], **kwargs: Any) -> None:
        super().__init__(*args, **kwargs)
        fields: Any = self.fields
        if season.closed_at is not None:  # its standings stay; a name may leave them (O-16)
            fields["misura"].choices = MEASURES[-1:]
            for name in self.WANTED.values():
                del fields[name]
        events = Event.objects.official().filter(season=season, imported=False)
        played = events.filter(status__in=[Event.Status.CLOSED, Event.Status.CONCLUDED])
        people = Player.objects.on_the_books().exclude(pk__in=struck_off())
        fields["chi"].queryset = (
            people.filter(held_seats__seat__table__round__prova__event__in=played).distinct()
            | people.filter(event_places__event__season=season).distinct()
        )
        if season.closed_at is None:
            self._offer(played, titles)

    def _offer(self, played: QuerySet[Event], titles: list[Title]) -> None:
        fields: Any = self.fields
        fields["evento"].queryset = played.order_by("ordinal")
        prove = Prova.objects.filter(event__in=played).select_related("event", "title")
        fields["prova"].queryset = prove.order_by("event__ordinal", "order")
        fields["prova"].label_from_instance = lambda p: f"{p.event.name}: {p.order}. {p.title}"
        tables = Table.objects.filter(round__prova__event__in=played, status="confirmed")
        fields["tavolo"].queryset = tables.with_event().order_by(
            "round__prova__event__ordinal", "round__prova__order", "round__number", "number"
        )
        fields["tavolo"].label_from_instance = lambda t: f"{t.event.name}: {t.called()}"
        fields["campionato"].choices = [
            ("", "—"),
            ("absolute", _("Absolute championship")),
            *((title.code, _("Specialty %(title)s") % {"title": title}) for title in titles),
        ]

    def clean(self) -> dict[str, Any]:
        data = super().clean() or {}
        wanted = self.WANTED.get(data.get("misura", ""))
        if wanted and wanted not in self.errors and not data.get(wanted):
            self.add_error(wanted, _("Say of which."))
        return data


class PublishForm(forms.Form):
    """Which standing is published, and with what note."""

    kind = forms.CharField(widget=forms.HiddenInput)
    season = forms.ModelChoiceField(
        Season.objects.all(), required=False, widget=forms.HiddenInput, to_field_name="year"
    )
    title = forms.ModelChoiceField(
        Title.objects.all(), required=False, widget=forms.HiddenInput, to_field_name="code"
    )
    event = forms.ModelChoiceField(Event.objects.all(), required=False, widget=forms.HiddenInput)
    day = forms.DateField(required=False, widget=forms.HiddenInput)
    note = forms.CharField(label=_("Note"), max_length=200, required=False)

    WANTED = {
        Publication.Kind.RANKING: {"day"},
        Publication.Kind.ABSOLUTE: {"season"},
        Publication.Kind.SPECIALTY: {"season", "title"},
        Publication.Kind.EVENT: {"event"},
    }

    def clean(self) -> dict[str, Any]:
        data = super().clean() or {}
        given = {name for name in ("day", "season", "title", "event") if data.get(name)}
        if given != self.WANTED.get(data.get("kind", "")):
            self.add_error(None, _("This standing is not there: choose it again."))
        return data

    def standing(self) -> dict[str, Any]:
        """What names the standing, for the services."""
        data = self.cleaned_data
        day: date | None = data["day"]
        return {
            "season": data["season"],
            "title": data["title"],
            "event": data["event"],
            "day": day,
        }
