"""The box in the head of every page: where a name, a town, a title or an article leads."""

from __future__ import annotations

from django.http import HttpRequest, HttpResponse
from django.shortcuts import render
from django.views.decorators.http import require_safe

from figf.templatetags.figf import published_articles
from rankings import services
from tournaments.rules import names


@require_safe
def search(request: HttpRequest) -> HttpResponse:
    """What is found for ``q``: every word must be part of the name."""
    asked = " ".join(request.GET.get("q", "").replace("\0", "").split())[:80]
    context = {
        "asked": asked,
        "found": services.search(asked),
        "article": _article(asked),
        "most": services.AT_MOST,
    }
    return render(request, "players/search.html", context)


def _article(asked: str) -> str:
    """The number of the article asked for, however it is written: B-08, b08, B 08."""
    wanted = names.letters(asked)
    return next((rule for rule in published_articles() if names.letters(rule) == wanted), "")
