"""Forms of the base app: they parse and shape; services decide."""

from __future__ import annotations

from collections.abc import Iterable
from typing import Any

from django import forms
from django.conf import settings
from django.contrib.auth.forms import AuthenticationForm, PasswordResetForm
from django.utils import timezone
from django.utils.translation import gettext_lazy as _

from figf import dice, mail
from figf.models import User


class LogInForm(AuthenticationForm):
    """E-mail address and password; the words for a failure never say which of the two was wrong."""

    error_messages = {
        "invalid_login": _("Address and password do not match. Check both and try again."),
        "inactive": _("This log-in is closed."),
    }

    def __init__(self, *args: Any, **kwargs: Any) -> None:
        super().__init__(*args, **kwargs)
        self.fields["username"].widget = forms.EmailInput(
            attrs={"autofocus": True, "autocomplete": "username"}
        )


class PasswordResetByOutboxForm(PasswordResetForm):
    """Django's form, whose mail goes through the outbox like every other.

    A log-in without a password may ask for its first one.
    """

    def get_users(self, email: str) -> Iterable[User]:
        return User.objects.filter(email__iexact=email.strip(), is_active=True)

    def send_mail(  # type: ignore[override]  # only the context is ours
        self, _subject: str, _template: str, context: dict[str, Any], *_rest: Any, **_names: Any
    ) -> None:
        user = context["user"]
        now = timezone.now()
        mail.enqueue(
            f"password-reset:{user.pk}:{now:%Y%m%dT%H%M}",  # one a minute is enough
            user,
            "password_reset",
            now,
            uid=context["uid"],
            token=context["token"],
            name=user.name,
        )


class AccountForm(forms.Form):
    """Name and language; who is on the books is called as he is there."""

    name = forms.CharField(label=_("Name"), max_length=80)
    language = forms.ChoiceField(
        label=_("Language"),
        choices=settings.LANGUAGES,
        help_text=_("The language of the mails that the site sends you."),
    )

    def __init__(self, user: User, *args: Any, joined: bool, **kwargs: Any) -> None:
        kwargs["initial"] = {"name": user.name, "language": user.language}
        super().__init__(*args, **kwargs)
        if joined:
            del self.fields["name"]


class EmailChangeForm(forms.Form):
    new_email = forms.EmailField(label=_("New address"), max_length=254)


class WordForm(forms.Form):
    word = forms.CharField(
        label=_("Your word"),
        max_length=dice.WORD_LENGTH,
        required=False,
        help_text=_("Anything at all, up to 80 characters. Silence counts as the empty word."),
        widget=forms.TextInput(attrs={"autocomplete": "off"}),
    )


class PeopleField(forms.ModelMultipleChoiceField):  # type: ignore[type-arg]
    """Log-ins concerned by a draw, in the order of the list."""

    def label_from_instance(self, obj: User) -> str:
        return f"{obj.name} ({obj.email})"


class DrawForm(forms.Form):
    purpose = forms.CharField(
        label=_("What it decides"),
        max_length=120,
        help_text=_(
            "Write it whole: who throws, in which order. It is published with the promise."
        ),
    )
    people = PeopleField(
        label=_("People concerned"),
        queryset=User.objects.none(),
        help_text=_("Each may add a word, in this order. Hold Ctrl to choose more than one."),
    )
    count = forms.IntegerField(label=_("Dice"), min_value=1, max_value=200, initial=6)
    sides = forms.IntegerField(label=_("Sides of each"), min_value=2, max_value=100, initial=6)
    closes_at = forms.DateTimeField(
        label=_("Words accepted until"),
        help_text=_("Time of Rome. At this hour the dice are thrown."),
        widget=forms.DateTimeInput(attrs={"type": "datetime-local"}, format="%Y-%m-%dT%H:%M"),
    )

    def __init__(self, *args: Any, **kwargs: Any) -> None:
        super().__init__(*args, **kwargs)
        people: Any = self.fields["people"]
        people.queryset = User.objects.filter(is_active=True).order_by("name", "pk")


class ReceiptForm(forms.Form):
    purpose = forms.CharField(label=_("What it decides"), max_length=120)
    source = forms.CharField(label=_("Dice server"), max_length=200)
    sides = forms.IntegerField(label=_("Sides of each"), min_value=2, max_value=100, initial=6)
    throws = forms.CharField(
        label=_("Values thrown"), help_text=_("In order, separated by spaces: 6 3 3 1.")
    )
    receipt = forms.CharField(
        label=_("Receipt"),
        widget=forms.Textarea(attrs={"rows": 6}),
        help_text=_("Paste the server's message whole, with its link or number."),
    )

    def clean_throws(self) -> list[int]:
        try:
            return [int(part) for part in self.cleaned_data["throws"].replace(",", " ").split()]
        except ValueError:
            raise forms.ValidationError(
                _("Only whole numbers separated by spaces, such as 6 3 3 1.")
            ) from None
