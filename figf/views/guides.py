"""The guide: one page a task."""

from __future__ import annotations

from django.http import Http404, HttpRequest, HttpResponse
from django.shortcuts import render
from django.views.decorators.http import require_safe

from figf.guides import PAGES, READERS, SLUGS, page
from figf.web import reader_language


@require_safe
def guides(request: HttpRequest) -> HttpResponse:
    """Every page of the guide, by who it is for."""
    groups = [
        (readers, READERS[readers], [page(slug, reader_language()) for slug in slugs])
        for readers, slugs in PAGES.items()
    ]
    return render(request, "guides/index.html", {"groups": groups})


@require_safe
def guide_page(request: HttpRequest, slug: str) -> HttpResponse:
    """One task."""
    if slug not in SLUGS:
        raise Http404
    following = SLUGS[SLUGS.index(slug) + 1 :][:1]
    context = {
        "page": page(slug, reader_language()),
        "following": page(following[0], reader_language()) if following else None,
    }
    return render(request, "guides/page.html", context)
