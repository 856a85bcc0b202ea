"""Players and their log-ins."""

from __future__ import annotations

from collections.abc import Iterable
from typing import Any

from django import forms
from django.contrib.auth.password_validation import validate_password
from django.utils.translation import gettext_lazy as _

from figf import spreadsheets
from figf.errors import Refused
from figf.models import User
from figf.web import add_refusal, unseal
from tournaments import services
from tournaments.forms.events import DayField
from tournaments.models import Club, Invitation, Player, RefereeTerm
from tournaments.rules.countries import COUNTRIES


class PersonForm(forms.Form):
    """What the books say of somebody."""

    surname = forms.CharField(label=_("Surname"), max_length=80)
    name = forms.CharField(label=_("First name"), max_length=80, required=False)
    club = forms.ModelChoiceField(
        label=_("Club"), queryset=Club.objects.all(), required=False, empty_label=_("none")
    )
    town = forms.CharField(label=_("Town"), max_length=80, required=False)
    nationality = forms.CharField(
        label=_("Nationality"),
        max_length=2,
        required=False,
        initial="IT",
        help_text=_("Two letters: IT, SM, CH. Left empty it is Italian."),
    )
    email = forms.EmailField(label=_("E-mail address"), required=False, max_length=254)

    def clean_nationality(self) -> str:
        code = self.cleaned_data["nationality"].upper() or "IT"
        if code not in COUNTRIES:
            raise forms.ValidationError(_("This is no country: write two letters, such as IT."))
        return str(code)


class PlayerForm(PersonForm):
    """Somebody new; when he is like others, whether he is `another` person is asked."""

    another = forms.BooleanField(
        label=_("This is another person"), required=False, widget=forms.HiddenInput
    )

    def ask(self) -> None:
        """Show the question, unticked: it was not answered, or for another name."""
        self.fields["another"].widget = forms.CheckboxInput()


class AmendForm(PersonForm):
    """A player as he is on the books, to be put right."""

    seen = forms.CharField(widget=forms.HiddenInput, required=False)

    def __init__(self, player: Player, *args: Any, **kwargs: Any) -> None:
        shown = {name: getattr(player, name) for name in PersonForm.base_fields}
        kwargs["initial"] = shown | {"seen": services.as_seen(player)}
        super().__init__(*args, **kwargs)

    def take_theirs(self, player: Player) -> None:
        """What was typed stays; to send it again is to replace knowingly what is there now."""
        self.data = self.data.copy()  # type: ignore[attr-defined]  # a QueryDict is to be copied
        self.data["seen"] = services.as_seen(player)  # type: ignore[index]  # the copy is mutable


class AppointForm(forms.Form):
    starts_on = DayField(label=_("Referee from"))
    ends_on = DayField(label=_("Until, if it is known"), required=False)


class EndForm(forms.Form):
    """The last day of one of a player's terms as referee."""

    term = forms.ModelChoiceField(queryset=RefereeTerm.objects.none(), widget=forms.HiddenInput)
    ends_on = DayField(label=_("Last day"))

    def __init__(self, player: Player, *args: Any, **kwargs: Any) -> None:
        super().__init__(*args, **kwargs)
        terms: Any = self.fields["term"]
        terms.queryset = player.referee_terms.all()


# --- many players at once -------------------------------------------------------------------------

# What people write above the columns, in Italian and in English.
PLAYER_COLUMNS = (
    spreadsheets.Column(
        "surname", _("Surname"), ("cognome", "surname", "last name", "family name"), required=True
    ),
    spreadsheets.Column("name", _("First name"), ("nome", "name", "first name", "given name")),
    spreadsheets.Column(
        "club", _("Club"), ("club", "associazione", "circolo", "società", "association")
    ),
    spreadsheets.Column(
        "town", _("Town"), ("città", "town", "city", "comune", "paese", "località", "residenza")
    ),
    spreadsheets.Column(
        "nationality", _("Nationality"), ("nazionalità", "nationality", "nazione", "country")
    ),
    spreadsheets.Column(
        "email",
        _("E-mail address"),
        ("email", "posta", "mail", "indirizzo email", "posta elettronica", "email address"),
    ),
)


class TableForm(forms.Form):
    """A table to be read: CSV or XLSX."""

    file = forms.FileField(
        label=_("CSV or XLSX file"),
        allow_empty_file=True,  # what is wrong with it is said by who reads it
        widget=forms.FileInput(attrs={"accept": ".csv,.xlsx,text/csv"}),
    )


class ImportForm(TableForm):
    """A table of players."""

    def clean(self) -> None:
        if "file" not in self.cleaned_data:
            return
        try:
            self.sheet = spreadsheets.read(self.cleaned_data["file"], PLAYER_COLUMNS)
        except Refused as refusal:
            add_refusal(self, refusal)

    def rows(self) -> list[services.PlayerRow]:
        return [
            services.PlayerRow(row.line, **row.cells, faults=row.faults) for row in self.sheet.rows
        ]


class SealedForm(forms.Form):
    """A report that the secretary read, come back as it was, sealed for her and one `PURPOSE`."""

    PURPOSE = ""

    sealed = forms.CharField(widget=forms.HiddenInput)

    def __init__(self, user: User, *args: Any, **kwargs: Any) -> None:
        super().__init__(*args, **kwargs)
        self.user = user

    def clean_sealed(self) -> Any:
        try:
            return unseal(self.cleaned_data["sealed"], self.PURPOSE, self.user)
        except Refused as refusal:
            raise forms.ValidationError(str(refusal.text)) from None


class ConfirmForm(SealedForm):
    """The report of an import of players, and what she chose for its rows."""

    PURPOSE = "import_players"

    def rows(self) -> list[services.PlayerRow]:
        return [services.PlayerRow(*cells) for cells in self.cleaned_data["sealed"]["rows"]]

    def another(self) -> set[int]:
        """The lines of people who are somebody else, whatever else was sent under that name."""
        sent: Iterable[str] = self.data.getlist("another")  # type: ignore[attr-defined]
        return {int(line) for line in sent if line.isascii() and line.isdecimal() and len(line) < 9}


# --- log-ins --------------------------------------------------------------------------------------


class InviteForm(forms.Form):
    email = forms.EmailField(
        label=_("Send the invitation to"),
        help_text=_("The link can be used once, within seven days."),
    )


class ClaimForm(forms.Form):
    player = forms.ModelChoiceField(
        label=_("The player I am"), queryset=Player.objects.none(), empty_label=_("choose")
    )
    note = forms.CharField(
        label=_("Something by which the secretary recognises you"), max_length=300, required=False
    )

    def __init__(self, *args: Any, **kwargs: Any) -> None:
        super().__init__(*args, **kwargs)
        players: Any = self.fields["player"]
        players.queryset = Player.objects.on_the_books().filter(user=None)


class NewLogInForm(forms.Form):
    """A password for who comes by invitation and has no log-in yet."""

    def __init__(self, invited: Invitation | None, *args: Any, **kwargs: Any) -> None:
        super().__init__(*args, **kwargs)
        self.invited = invited

    password = forms.CharField(
        label=_("Password"),
        widget=forms.PasswordInput(attrs={"autocomplete": "new-password"}),
        help_text=_("At least ten characters, not a common password nor only digits."),
    )

    def clean_password(self) -> str:
        password: str = self.cleaned_data["password"]
        who = self.invited
        validate_password(password, User(email=who.email, name=str(who.player)) if who else None)
        return password
