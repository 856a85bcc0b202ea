"""What the views of every app share: who is asking, and how a refusal reaches a form."""

from __future__ import annotations

from collections.abc import Callable
from datetime import timedelta
from functools import wraps
from typing import Any, TypeVar, cast

from django.conf import settings
from django.contrib.auth.decorators import login_required
from django.core import signing
from django.forms import BaseForm
from django.http import Http404, HttpRequest, HttpResponse, HttpResponseNotAllowed, QueryDict
from django.shortcuts import render
from django.utils.translation import get_language
from django.utils.translation import gettext as _

from figf.errors import Refused
from figf.models import User

View = TypeVar("View", bound=Callable[..., HttpResponse])


def only_known_methods(
    get_response: Callable[[HttpRequest], HttpResponse],
) -> Callable[[HttpRequest], HttpResponse]:
    """Pages are looked at and sent: no other method does anything; what is refused says so."""

    def answer(request: HttpRequest) -> HttpResponse:
        if request.method in {"GET", "HEAD", "POST", "OPTIONS"}:
            response = get_response(request)
        else:
            response = HttpResponseNotAllowed(["GET", "HEAD", "POST"])
        if response.status_code == 405 and not response.content:
            page = render(request, "405.html", status=405)
            page["Allow"] = response.get("Allow", "")
            return page
        return response

    return answer


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


def reader_language() -> str:
    """Of the two languages that everything is written in, the reader's."""
    return "en" if get_language() == "en" else "it"


SEAL_LASTS = timedelta(hours=2)


def seal(data: Any, purpose: str, user: User) -> str:
    """What a page carries from one step to the next, for this person to bring back unaltered.

    Anybody can read it, nobody can change it. Refuses what a form could not send back
    (`file_too_large`).
    """
    sealed = signing.dumps(data, salt=_salt(purpose, user), compress=True)
    if len(sealed) > settings.DATA_UPLOAD_MAX_MEMORY_SIZE * 9 // 10:
        raise Refused("file_too_large", _("The table is too large: divide it."), field="file")
    return sealed


def unseal(sealed: str, purpose: str, user: User) -> Any:
    """What `seal` closed, for the same purpose and person, at most two hours ago.

    Refuses anything else (`seal_broken`).
    """
    try:
        return signing.loads(sealed, salt=_salt(purpose, user), max_age=SEAL_LASTS)
    except signing.BadSignature:
        raise Refused(
            "seal_broken", _("This page is more than two hours old, or not yours: begin again.")
        ) from None


def _salt(purpose: str, user: User) -> str:
    return f"figf.seal:{purpose}:{user.pk}"
