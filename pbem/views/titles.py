"""The titles as they are printed: map, market, papers."""

from django.http import HttpRequest, HttpResponse
from django.shortcuts import render

from pbem.board import map as maps
from pbem.board import papers
from pbem.board.printed import NAMES


def title_list(request: HttpRequest) -> HttpResponse:
    """The titles that the site can show."""
    abouts = [papers.about(name) for name in NAMES]
    return render(request, "pbem/titles.html", {"titles": abouts})


def title_page(request: HttpRequest, name: str) -> HttpResponse:
    """One title, from its facts alone."""
    context = {
        "title": papers.about(name),
        "papers": papers.printed(name),
        "map": maps.empty(name),
        "told": maps.empty_told(name),
    }
    return render(request, "pbem/titles_page.html", context)
