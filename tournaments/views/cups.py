"""The pages of an event that are closed once the tables of its cup are formed."""

from __future__ import annotations

from collections.abc import Callable
from functools import wraps
from typing import Any, TypeVar, cast

from django.http import HttpRequest, HttpResponse
from django.shortcuts import render

from figf.errors import Refused
from tournaments import services
from tournaments.models import Event

View = TypeVar("View", bound=Callable[..., HttpResponse])


def until_formed(view: View) -> View:
    """Refuse in words a page that would alter a cup whose tables are formed."""

    @wraps(view)
    def guarded(request: HttpRequest, pk: int, *args: Any, **kwargs: Any) -> HttpResponse:
        run = Event.objects.run_by(request.user).select_related("season")
        event = run.filter(pk=pk, kind=Event.Kind.CUP).first()
        if event is not None:
            try:
                services.refuse_formed_cup(event)
            except Refused as refusal:
                context = {"refusal": refusal, "event": event}
                return render(request, "tournaments/event_refused.html", context, status=422)
        return view(request, pk, *args, **kwargs)

    return cast(View, guarded)
