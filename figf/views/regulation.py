"""The regulation: its articles, the readings in force, its text."""

from __future__ import annotations

from functools import cache
from itertools import groupby

from django.http import HttpRequest, HttpResponse
from django.shortcuts import render
from django.template.loader import render_to_string
from django.utils.translation import gettext as _
from django.views.decorators.http import require_safe

from figf.readings import readings_of_events, readings_of_games, readings_of_seasons
from figf.regulation import CHAPTERS, general_text, pbem_text
from figf.web import reader_language
from tournaments.rules import registry


@require_safe
def regulation(request: HttpRequest) -> HttpResponse:
    """Every rule, with an address of its own."""
    context = {
        "regulation": registry.REGULATIONS[registry.DEFAULT],
        "chapters": CHAPTERS,
        "articles": _articles(reader_language()),
    }
    return render(request, "regulation/index.html", context)


@require_safe
def readings(request: HttpRequest) -> HttpResponse:
    """How the federation reads what its regulation leaves open, and how else it could."""
    kinds = [
        (_("Tables and events"), readings_of_events()),
        (_("Championships and cups"), readings_of_seasons()),
        (_("Games by correspondence"), readings_of_games()),
    ]
    return render(request, "regulation/readings.html", {"kinds": kinds})


@require_safe
def regulation_text(request: HttpRequest) -> HttpResponse:
    """The text as it was written, an address for each line."""
    context = {"general": general_text(), "text": _text(reader_language())}
    return render(request, "regulation/text.html", context)


@cache
def _articles(language: str) -> str:
    """The articles in the reader's language: the same for everybody as long as the site runs."""
    return render_to_string("regulation/_articles.html", {"chapters": CHAPTERS})


@cache
def _text(language: str) -> str:
    """The text likewise. Lines that are rows, one after the other, make a table."""
    blocks: list[dict[str, object]] = []
    for is_row, grouped in groupby(general_text(), key=lambda line: line.kind == "row"):
        some = list(grouped)
        blocks += [{"rows": some}] if is_row else [{"line": line} for line in some]
    return render_to_string(
        "regulation/_text.html", {"blocks": blocks, "pbem": pbem_text(language)}
    )
