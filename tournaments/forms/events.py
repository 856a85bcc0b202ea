"""The calendar: events, their prove, their status, seasons."""

from __future__ import annotations

import re
from collections.abc import Mapping
from datetime import date, datetime
from decimal import Decimal
from typing import Any

from django import forms
from django.db.models import Q, QuerySet
from django.utils.translation import gettext
from django.utils.translation import gettext_lazy as _

from figf.templatetags.figf import day, euro, moment
from tournaments import services, texts
from tournaments.models import Event, Player, Prova, Season, Title
from tournaments.rules import registry

LARGEST_SUM = Decimal("9999.99")  # what the database's columns hold
MOST_PLACES = 999
SECRETARY_ONLY = ("season", "kind", "regulation", "director", "replaces")
REGIONS = (
    *("Abruzzo", "Basilicata", "Calabria", "Campania", "Emilia-Romagna", "Friuli-Venezia Giulia"),
    *("Lazio", "Liguria", "Lombardia", "Marche", "Molise", "Piemonte", "Puglia", "Sardegna"),
    *("Sicilia", "Toscana", "Trentino-Alto Adige", "Umbria", "Valle d'Aosta", "Veneto"),
)


class DayField(forms.DateField):
    """A day, as browsers send it or as Italians write it."""

    def __init__(self, **kwargs: Any) -> None:
        super().__init__(
            widget=forms.DateInput(attrs={"type": "date"}, format="%Y-%m-%d"),
            input_formats=["%Y-%m-%d", "%d/%m/%Y", "%d.%m.%Y"],
            error_messages={"invalid": _("This is no day of the calendar: check it.")},
            **kwargs,
        )


class MomentField(forms.DateTimeField):
    """A day and an hour, in the time of Rome."""

    def __init__(self, **kwargs: Any) -> None:
        super().__init__(
            widget=forms.DateTimeInput(attrs={"type": "datetime-local"}, format="%Y-%m-%dT%H:%M"),
            input_formats=["%Y-%m-%dT%H:%M", "%Y-%m-%dT%H:%M:%S", "%d/%m/%Y %H:%M"],
            error_messages={"invalid": _("Write a day and an hour, in the time of Rome.")},
            **kwargs,
        )


class WholeField(forms.IntegerField):
    """A whole number, which may be longer than any that can be true."""

    def to_python(self, value: Any) -> Any:
        if re.fullmatch(r"[+-]?[0-9]{19,}", str(value).strip()):
            raise forms.ValidationError(_("This number is too large to be true."))
        return super().to_python(value)


class EuroField(forms.CharField):
    """An amount of money as people type it: 10, 10,50, 10.50 or € 10; empty is None.

    Whether it may be negative is for the service to say.
    """

    def __init__(self, **kwargs: Any) -> None:
        widget = forms.TextInput(attrs={"inputmode": "decimal", "autocomplete": "off"})
        super().__init__(required=False, widget=widget, **kwargs)

    def prepare_value(self, value: Any) -> Any:
        return euro(value) if isinstance(value, Decimal) else value

    def clean(self, value: Any) -> Any:
        text = str(super().clean(value)).replace("€", "").replace("−", "-").strip()
        if not text:
            return None
        written = re.fullmatch(r"[+-]?([0-9]+)(?:[.,][0-9]{1,2})?", text)
        if not written:
            raise forms.ValidationError(_("Write an amount in euro, such as 10 or 10,50."))
        beyond = len(written[1].lstrip("0")) > 15
        amount = Decimal(0 if beyond else text.replace(",", "."))
        if beyond or abs(amount) > LARGEST_SUM:
            raise forms.ValidationError(_("This amount is too large to be true."))
        return amount


class ReplacesField(forms.CharField):
    """The event of two years before: what H-04 proposes, one of the list, or none.

    Any event is taken, for the service to say why it is not possible.
    """

    widget = forms.Select

    def clean(self, value: Any) -> Any:
        text = super().clean(value)
        if text in {"", services.PROPOSED}:
            return text or None
        found = None
        if text.isascii() and text.isdigit() and len(text) < 19:
            found = Event.objects.select_related("season").filter(pk=int(text)).first()
        if found is None:
            raise forms.ValidationError(_("Choose an event of the list, or none."))
        return found


class EventForm(forms.Form):
    """What the calendar says of an event. Who is no secretary changes what concerns the day."""

    season = forms.ModelChoiceField(
        label=_("Season"), queryset=Season.objects.all(), empty_label=None
    )
    name = forms.CharField(label=_("Name"), max_length=120)
    kind = forms.ChoiceField(label=_("Kind"), choices=Event.Kind.choices)
    regulation = forms.ChoiceField(label=_("Regulation"), choices=registry.choices)
    starts_on = DayField(label=_("First day"))
    ends_on = DayField(label=_("Last day"))
    town = forms.CharField(label=_("Town"), max_length=80, required=False)
    region = forms.CharField(
        label=_("Region"),
        max_length=40,
        required=False,
        widget=forms.TextInput(attrs={"list": "regions"}),
    )
    venue = forms.CharField(
        label=_("Venue"), max_length=200, required=False, help_text=_("Hall, street and number.")
    )
    organiser = forms.CharField(label=_("Organiser"), max_length=120, required=False)
    organiser_contact = forms.CharField(
        label=_("How to reach the organiser"),
        max_length=120,
        required=False,
        help_text=_("Everybody can read it: write no private address."),
    )
    director = forms.ModelChoiceField(
        label=_("Technical director"),
        queryset=Player.objects.all(),
        required=False,
        help_text=_("A FIGF referee on the first day (A-08), unless its regulation asks for none."),
    )
    fee = EuroField(label=_("Fee, in euro"))
    capacity = WholeField(
        label=_("Places"),
        min_value=2,
        max_value=MOST_PLACES,
        required=False,
        help_text=_("Empty: no limit. Who comes after the last place is put on a waiting list."),
    )
    enrolment_closes_at = MomentField(
        label=_("Enrolment closes"), required=False, help_text=_("Time of Rome. Empty: never.")
    )
    replaces = ReplacesField(label=_("It replaces in the ranking"), required=False)
    seen = forms.CharField(widget=forms.HiddenInput, required=False, max_length=16)

    def __init__(
        self,
        *args: Any,
        secretary: bool,
        event: Event | None = None,
        season: Season | None = None,
        **kwargs: Any,
    ) -> None:
        """`event` is the one to amend; `season` where a new one is put, unless something else is
        chosen: by either the lists are made."""
        self.event = event
        self.rule = ""  # the article behind a refusal
        self.looked = False  # not sent yet: only what H-04 proposes was asked for
        initial: dict[str, Any] = {
            "season": season and season.pk,
            "regulation": registry.DEFAULT,
            "replaces": services.PROPOSED,
        }
        if event is not None:
            initial = {name: getattr(event, name) for name in self.base_fields if name != "seen"}
            initial |= {
                "season": event.season_id,
                "director": event.director_id,
                "replaces": event.replaces_id or "",
                "seen": services.edition_of(event),
            }
        kwargs["initial"] = initial | dict(kwargs.get("initial") or {})
        super().__init__(*args, **kwargs)
        if not secretary:
            for name in SECRETARY_ONLY:
                del self.fields[name]
        else:
            self._offer()

    def _offer(self) -> None:
        """Referees to direct it, and what it may replace, for the season and kind chosen."""
        season, kind = self._chosen_season(), str(self._said("kind") or Event.Kind.LIVE)
        rules = registry.REGULATIONS.get(str(self._said("regulation")))
        director: Any = self.fields["director"]
        people = self._referees(season) if rules is None or rules.refereed else self._everybody()
        director.queryset = self._known()
        director.widget.choices = [("", _("nobody yet")), *people]
        replaces: Any = self.fields["replaces"]
        self.proposed: Event | None = None
        self.offered: list[Event] = []
        if season is not None and rules is not None and rules.ranked:
            town, name = str(self._said("town") or ""), str(self._said("name") or "")
            self.proposed = services.proposal(season, kind, town, name, self.event)
            self.offered = services.candidates(season, kind, self.event)
        present = self.event.replaces if self.event is not None else None
        if present is not None and present not in self.offered:
            self.offered.append(present)  # or saving anything else would break the link
        replaces.widget.choices = [
            (services.PROPOSED, self._proposal_in_words()),
            ("", _("none")),
            *[(old.pk, numbered(old)) for old in self.offered],
        ]

    def _proposal_in_words(self) -> str:
        if self.proposed is None:
            return gettext("automatic (H-04): no event of two years before")
        return gettext("automatic (H-04): %(event)s") % {"event": numbered(self.proposed)}

    def _everybody(self) -> list[tuple[int, str]]:
        return [(player.pk, str(player)) for player in self._known()]

    def _known(self) -> QuerySet[Player]:
        """Everybody on the books, and the present director."""
        known = Player.objects.on_the_books()
        if self.event is not None and self.event.director_id is not None:
            return known | Player.objects.filter(pk=self.event.director_id)
        return known

    def _referees(self, season: Season | None) -> list[tuple[int, str]]:
        """Who holds the qualification on some day of the season; and the present director."""
        held = Q()
        if season is not None:
            first, last = date(season.year, 1, 1), date(season.year, 12, 31)
            held = Q(referee_terms__starts_on__lte=last) & (
                Q(referee_terms__ends_on=None) | Q(referee_terms__ends_on__gte=first)
            )
        people = Player.objects.on_the_books().filter(held, referee_terms__isnull=False)
        if self.event is not None and self.event.director_id is not None:
            people |= Player.objects.filter(pk=self.event.director_id)
        return [(player.pk, str(player)) for player in people.distinct()]

    def _said(self, name: str) -> Any:
        """What a box holds now: typed, or as it was at the beginning."""
        return self[name].value() if name in self.fields else self.initial.get(name)

    def _chosen_season(self) -> Season | None:
        seasons: Any = self.fields["season"]
        try:
            found = seasons.clean(self._said("season"))
        except forms.ValidationError:
            return None
        return found if isinstance(found, Season) else None

    def clean_starts_on(self) -> date:
        first: date = self.cleaned_data["starts_on"]
        event = self.event
        if "season" not in self.fields and event and first.year != event.starts_on.year:
            raise forms.ValidationError(_("Only a secretary moves an event to another year."))
        return first

    def changes(self) -> dict[str, Any]:
        """What was typed, as services want it."""
        return {name: value for name, value in self.cleaned_data.items() if name != "seen"}

    def take_present(self, event: Event) -> list[tuple[str, str]]:
        """After a stale form: what stands now and differs from what was typed, with its labels.

        The form takes the edition that is there: sending it again replaces it knowingly.
        """
        self.event = event
        sent: Any = self.data
        data = sent.copy()
        data["seen"] = services.edition_of(event)
        self.data = data
        return [
            (str(self.fields[name].label), written(event, name))
            for name, typed in self.changes().items()
            if typed != services.PROPOSED and typed != getattr(event, name)
        ]


def numbered(event: Event) -> str:
    """An event as the list of two years before calls it: season, number, name, town."""
    town = f", {event.town}" if event.town else ""
    return f"{event.season.year} / {event.ordinal}: {event.name}{town}"


def written(event: Event, name: str) -> str:
    """A field of an event in words, or a dash."""
    value = getattr(event, name)
    if name in {"kind", "regulation"}:
        value = getattr(event, f"get_{name}_display")()
    if isinstance(value, datetime):
        return moment(value)
    if isinstance(value, date):
        return day(value)
    if isinstance(value, Decimal):
        return euro(value)
    return "–" if value in (None, "") else str(value)


# --- prove ----------------------------------------------------------------------------------------


class ProvaForm(forms.Form):
    """One change of the prove of an event: which, and of what."""

    do = forms.ChoiceField(
        choices=[(name, name) for name in ("add", "amend", "remove", "up", "down")],
        error_messages={
            "required": _("Press one of the buttons."),
            "invalid_choice": _("Press one of the buttons."),
        },
    )
    prova = forms.IntegerField(widget=forms.HiddenInput, required=False, min_value=1)
    title = forms.ModelChoiceField(label=_("Title"), queryset=Title.objects.all(), required=False)
    rounds = WholeField(label=_("Rounds"), required=False, widget=forms.Select)
    seen = forms.CharField(widget=forms.HiddenInput, required=False, max_length=16)

    def __init__(self, event: Event, *args: Any, prova: Prova | None = None, **kwargs: Any) -> None:
        initial: dict[str, Any] = {"rounds": 1, "seen": services.prove_edition(event)}
        if prova is not None:
            initial |= {"prova": prova.pk, "title": prova.title_id, "rounds": prova.rounds}
            kwargs["auto_id"] = f"id_%s-{prova.pk}"
        kwargs["initial"] = initial
        super().__init__(*args, **kwargs)
        title: Any = self.fields["title"]
        rounds: Any = self.fields["rounds"]
        self.most = event.rules.most_rounds
        for field in (title, rounds):
            field.widget.attrs["class"] = "form-select"
        title.widget.choices = self._titles(event, prova)
        rounds.widget.choices = [(n, texts.rounds(n)) for n in range(1, self.most + 1)]

    def _titles(self, event: Event, prova: Prova | None) -> list[Any]:
        """Those played on the first day of the event, then the others."""
        played: list[tuple[Any, str]] = [] if prova else [("", gettext("choose"))]
        others: list[tuple[Any, str]] = []
        for title in Title.objects.all():
            (played if title.is_played(event.starts_on) else others).append((title.pk, title.name))
        return [*played, (gettext("Not played on that day"), others)] if others else played

    def clean(self) -> dict[str, Any]:
        data = super().clean() or {}
        if data.get("do") in {"add", "amend"}:
            if not data.get("title") and "title" not in self.errors:
                self.add_error("title", _("Choose a title."))
            if data.get("rounds") is None and "rounds" not in self.errors:
                words = _("Choose a single or a double round.")
                self.add_error("rounds", words if self.most == 2 else _("Choose how many rounds."))
        return data


# --- status, contribution, seasons ----------------------------------------------------------------

# What a person decides on the page of the status; the rest follows from tables and results.
STEPS: Mapping[str, tuple[str, ...]] = {
    Event.Status.DRAFT: (Event.Status.ENROLLING, Event.Status.CANCELLED),
    Event.Status.ENROLLING: (Event.Status.DRAFT, Event.Status.CANCELLED),
    Event.Status.RUNNING: (Event.Status.CANCELLED,),
    Event.Status.CANCELLED: (Event.Status.DRAFT,),
}


class StatusForm(forms.Form):
    status = forms.ChoiceField(
        label=_("Status"),
        error_messages={
            "required": _("Press one of the buttons."),
            "invalid_choice": _("The event cannot go there from its present status."),
        },
    )
    reason = forms.CharField(
        label=_("Reason of the cancellation"),
        max_length=200,
        required=False,
        help_text=_("Everybody can read it; those enrolled get it by mail."),
    )

    def __init__(self, event: Event, *args: Any, **kwargs: Any) -> None:
        super().__init__(*args, **kwargs)
        status: Any = self.fields["status"]
        status.choices = [(step, step) for step in STEPS.get(event.status, ())]


class ContributionForm(forms.Form):
    state = forms.ChoiceField(
        label=_("Contribution"),
        choices=Event.Contribution.choices,
        widget=forms.RadioSelect,
        error_messages={"required": _("Choose whether it is due, paid or exempt.")},
    )


class SeasonForm(forms.Form):
    """A season to open."""

    year = WholeField(label=_("Year"), min_value=0)
    contribution = EuroField(
        label=_("Contribution for each entrant, in euro"), help_text=_("Empty: not fixed yet.")
    )


class SeasonContributionForm(forms.Form):
    """What organisers owe for each entrant of a season that is open."""

    season = forms.ModelChoiceField(queryset=Season.objects.all(), widget=forms.HiddenInput)
    contribution = EuroField(label=_("Contribution for each entrant, in euro"))

    def __init__(self, *args: Any, **kwargs: Any) -> None:
        super().__init__(*args, **kwargs)
        self.fields["contribution"].widget.attrs["class"] = "form-control"
