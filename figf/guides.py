"""The guide: one page a task, written in `docs/it` and `docs/en`, shown on the site too.

A page is plain Markdown, so that it can be read where the code is kept: its title, one sentence,
then steps. There an address (`/eventi/`) and an article (`B-08`) stand between backquotes; here
they become links, and a picture leads to itself at full size.
"""

from __future__ import annotations

import re
from collections.abc import Mapping
from dataclasses import dataclass
from functools import cache
from typing import TYPE_CHECKING

from django.conf import settings
from django.templatetags.static import static
from django.urls import Resolver404, resolve, reverse
from django.utils.translation import gettext_lazy as _
from markdown import Markdown

if TYPE_CHECKING:
    from django.utils.functional import _StrPromise

PAGES: Mapping[str, tuple[str, ...]] = {
    "direttori": (
        "direttore",
        "prima-dell-evento",
        "in-sala",
        "risultati",
        "imprevisti",
        "omologazione",
        "senza-internet",
        "capostazione",
    ),
    "giocatori": (
        "entrare",
        "iscriversi",
        "tavolo-e-risultato",
        "classifiche",
        "la-tua-scheda",
        "per-corrispondenza",
        "rivedere-una-partita",
        "i-tuoi-dati",
    ),
    "segretari": (
        "primi-passi",
        "libro-dei-giocatori",
        "dati-personali",
        "stagione",
        "supercoppa",
        "squadre",
        "passate-stagioni",
        "posta-e-registro",
        "copie-di-sicurezza",
    ),
    "programmi": ("api",),
}
READERS: Mapping[str, _StrPromise] = {
    "direttori": _("For technical directors"),
    "giocatori": _("For players"),
    "segretari": _("For secretaries"),
    "programmi": _("For other programs"),
}
SLUGS = tuple(slug for slugs in PAGES.values() for slug in slugs)


@dataclass(frozen=True, slots=True)
class Page:
    """A page of the guide, as the site shows it."""

    slug: str
    title: str
    summary: str
    body: str  # HTML


def source(slug: str, language: str) -> str:
    """The Markdown of a page."""
    path = settings.BASE_DIR / "docs" / language / f"{slug}.md"
    return str(path.read_text(encoding="utf-8"))


@cache
def page(slug: str, language: str) -> Page:
    """A page in a language, its links leading inside the site."""
    text = source(slug, language)
    title, summary, _rest = text.removeprefix("# ").split("\n\n", 2)
    body = Markdown(extensions=["toc"], output_format="html").convert(text)
    body = body.replace('src="../images/', f'loading="lazy" src="{static("docs/")}')
    body = re.sub(r'<img [^>]*src="([^"]+)"[^>]*>', r'<a href="\1">\g<0></a>', body)
    body = re.sub(r'href="([\w-]+)\.md(#[\w-]+)?"', _to_page, body)
    body = re.sub(r"<code>(/[\w/.-]*)</code>", _to_address, body)
    body = re.sub(r"<code>([A-Z]-\d\d)</code>", _to_article, body)
    return Page(slug, title, " ".join(summary.split()), body)


def _to_page(found: re.Match[str]) -> str:
    return f'href="{reverse("guide_page", args=[found[1]])}{found[2] or ""}"'


def _to_address(found: re.Match[str]) -> str:
    try:
        resolve(found[1])
    except Resolver404:
        return found[0]
    return f'<a href="{found[1]}">{found[0]}</a>'


def _to_article(found: re.Match[str]) -> str:
    return f'<a class="article" href="{reverse("regulation")}#{found[1]}">{found[1]}</a>'
