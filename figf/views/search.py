"""The box in the head of every page: where a name, a town, a title or a word leads."""

from __future__ import annotations

from collections.abc import Iterator

from django.core.paginator import Paginator
from django.http import HttpRequest, HttpResponse
from django.shortcuts import render
from django.urls import reverse
from django.utils.translation import gettext as _
from django.utils.translation import pgettext
from django.views.decorators.http import require_safe

from figf import guides
from figf.regulation import CHAPTERS, titles
from figf.web import reader_language
from rankings import services
from tournaments.rules import names

ON_A_PAGE = 300  # players


@require_safe
def search(request: HttpRequest) -> HttpResponse:
    """What is found for ``q``: every word must be part of the name. Without one, all the players.

    By the words of their titles also articles of the regulation, pages of the site and guides.
    """
    asked = " ".join(request.GET.get("q", "").replace("\0", "").split())[:80]
    if not asked:
        players = Paginator(services.everybody(), ON_A_PAGE).get_page(request.GET.get("page"))
        return render(request, "players/search.html", {"asked": asked, "page": players})
    words = asked.split()
    found, articles = services.search(asked), _articles(asked)
    context = {
        "asked": asked,
        "found": found,
        "pages": services.having(words, _pages()),
        "chapters": services.having(words, ((each, str(each.title)) for each in CHAPTERS)),
        "articles": articles[: services.AT_MOST],
        "more": found.more or len(articles) > services.AT_MOST,
        "most": services.AT_MOST,
    }
    return render(request, "players/search.html", context)


def _articles(asked: str) -> list[tuple[str, str]]:
    """Number and title of the articles with these words, or of the one with this number.

    However the number is written: B-08, b08, B 08.
    """
    told = {number: pgettext("article", text) for number, text in titles().items()}
    wanted = names.letters(asked)
    one = [number for number in told if names.letters(number) == wanted]
    found = one or services.having(asked.split(), told.items())
    return [(number, told[number]) for number in found]


def _pages() -> Iterator[tuple[tuple[str, str], str]]:
    """The site's own pages: address and name of each, with the other words that it answers to."""
    for name, title, others in (
        ("event_list", _("Events"), pgettext("words to search", "calendar")),
        ("standings", _("Standings"), pgettext("words to search", "championships absolute")),
        ("ranking", _("Ranking"), pgettext("words to search", "general standing")),
        ("supercoppa_list", _("Supercoppa"), pgettext("words to search", "super cup")),
        ("teams_list", _("Team championship"), pgettext("words to search", "teams")),
        ("roll_of_honour", _("Roll of honour"), pgettext("words to search", "champions winners")),
        ("publication_list", _("Publications"), ""),
        ("draw_list", _("Draws"), pgettext("words to search", "dice die draw")),
        ("regulation", _("Regulation"), pgettext("words to search", "rules articles")),
        ("readings", _("Readings chosen"), ""),
        ("regulation_text", _("The text of the regulation"), ""),
        ("referee_list", _("FIGF referees"), pgettext("words to search", "referee")),
        ("club_list", pgettext("of players", "Clubs"), pgettext("words to search", "club")),
        ("search", _("Players"), pgettext("words to search", "player")),
        (
            "title_list",
            pgettext("of games", "Titles"),
            pgettext("words to search", "games map market tiles trains"),
        ),
        (
            "recording_list",
            _("My recorded games"),
            pgettext("words to search", "18xx.games import bring replay game"),
        ),
        ("guides", _("Guide"), pgettext("words to search", "help instructions")),
        ("api_docs", _("Data for programs (API)"), ""),
    ):
        yield (reverse(name), title), f"{title} {others}"
    for slug in guides.SLUGS:
        title = guides.page(slug, reader_language()).title
        yield (reverse("guide_page", args=[slug]), title), title
