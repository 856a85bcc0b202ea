"""What the views of every app share: who is asking, and how a refusal reaches a form."""

from __future__ import annotations

from collections.abc import Callable
from functools import wraps
from typing import Any, TypeVar, cast

from django.contrib.auth.decorators import login_required
from django.forms import BaseForm
from django.http import Http404, HttpRequest, HttpResponse, QueryDict

from figf.errors import Refused
from figf.models import User

View = TypeVar("View", bound=Callable[..., HttpResponse])


def secretary_only(view: View) -> View:
    """Let through only who keeps the federation's books.

    A stranger is asked to log in; for who is logged in and is no secretary, the page is not there.
    """

    @wraps(view)
    def guarded(request: HttpRequest, *args: Any, **kwargs: Any) -> HttpResponse:
        if request.user.is_authenticated and not request.user.is_staff:
            raise Http404
        return view(request, *args, **kwargs)

    return cast(View, login_required(guarded))


def signed_in(request: HttpRequest) -> User:
    """The log-in behind a request that a decorator has already let through."""
    if not isinstance(request.user, User):
        raise TypeError("the view lets anonymous people through")
    return request.user


def posted(request: HttpRequest) -> QueryDict | None:
    """What a form is bound to: also an empty POST is one, to be refused in words."""
    return request.POST if request.method == "POST" else None


def add_refusal(form: BaseForm, refusal: Refused) -> None:
    """Show a service's refusal on the field it concerns, or above the form."""
    form.add_error(refusal.field if refusal.field in form.fields else None, str(refusal.text))
