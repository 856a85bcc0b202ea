"""What the views of every app share: who is asking, and how a refusal reaches a form."""

from __future__ import annotations

from collections.abc import Callable
from typing import TypeVar

from django.contrib.admin.views.decorators import staff_member_required
from django.forms import BaseForm
from django.http import HttpRequest, HttpResponse

from figf.errors import Refused
from figf.models import User

View = TypeVar("View", bound=Callable[..., HttpResponse])


def secretary_only(view: View) -> View:
    """Let through only who keeps the federation's books; others are asked to log in."""
    return staff_member_required(view, login_url="login")


def signed_in(request: HttpRequest) -> User:
    """The log-in behind a request that a decorator has already let through."""
    if not isinstance(request.user, User):
        raise TypeError("the view lets anonymous people through")
    return request.user


def add_refusal(form: BaseForm, refusal: Refused) -> None:
    """Show a service's refusal on the field it concerns, or above the form."""
    form.add_error(refusal.field if refusal.field in form.fields else None, str(refusal.text))
