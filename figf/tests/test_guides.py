"""The guide: every page in both languages, alike, and every link and picture of it is there."""

import re
from pathlib import Path

import pytest
from django.contrib.staticfiles import finders
from django.test import Client
from django.urls import Resolver404, resolve, reverse
from django.utils import translation

from figf.guides import PAGES, READERS, SLUGS, page, source
from figf.regulation import titles

ROOT = Path(__file__).resolve().parents[2]
LANGUAGES = ("it", "en")
EACH = [(slug, language) for slug in SLUGS for language in LANGUAGES]


def headings(text: str) -> list[int]:
    return [len(marks) for marks in re.findall(r"^(#+) ", text, re.MULTILINE)]


def test_each_page_has_its_readers_once_and_is_written_in_both_languages() -> None:
    assert PAGES.keys() == READERS.keys()
    assert len(SLUGS) == len(set(SLUGS))
    for language in LANGUAGES:
        written = {path.stem for path in (ROOT / "docs" / language).glob("*.md")}
        assert written == set(SLUGS)


@pytest.mark.parametrize("slug", SLUGS)
def test_the_two_languages_of_a_page_have_the_same_shape(slug: str) -> None:
    italian, english = source(slug, "it"), source(slug, "en")
    assert headings(italian) == headings(english)
    assert headings(italian)[0] == 1
    assert headings(italian).count(1) == 1
    for mark in (r"^\d+\. ", r"^- ", r"\]\(([\w-]+\.md[^)]*)\)", r"`([A-Z]-\d\d)`", r"`(/[^`]*)`"):
        assert re.findall(mark, italian, re.MULTILINE) == re.findall(mark, english, re.MULTILINE)
    pictures = r"!\[[^]]+\]\(\.\./images/([\w-]+)\.(it|en)\.png\)"
    theirs = [name for name, _language in re.findall(pictures, english)]
    assert re.findall(pictures, italian) == [(name, "it") for name in theirs]
    assert re.findall(pictures, english) == [(name, "en") for name in theirs]


@pytest.mark.parametrize(("slug", "language"), EACH)
def test_every_link_leads_somewhere_and_every_picture_is_there(slug: str, language: str) -> None:
    text = source(slug, language)
    for link in re.findall(r"(?<!!)\[[^]]+\]\(([^)]+)\)", text):
        assert link.removesuffix(".md") in SLUGS
    for alternative, image in re.findall(r"!\[([^]]*)\]\(([^)]+)\)", text):
        assert len(alternative) > 20
        assert (ROOT / "docs" / language / image).resolve().is_file()
        assert finders.find(image.replace("../images/", "docs/"))
    for address in re.findall(r"`(/[\w/.-]*)`", text):
        try:
            resolve(address)
        except Resolver404:
            pytest.fail(f"{address} is no address")
    assert set(re.findall(r"`([A-Z]-\d\d)`", text)) <= titles().keys()


def test_the_site_turns_addresses_articles_and_pages_into_links() -> None:
    body = page("iscriversi", "it").body
    assert '<a href="/eventi/"><code>/eventi/</code></a>' in body
    assert '<a class="article" href="/regolamento/#A-18">A-18</a>' in body
    assert '<a href="/guida/entrare/">Entrare</a>' in body
    assert 'src="../' not in page("in-sala", "en").body


def test_a_picture_opens_whole() -> None:
    written = re.findall(r"!\[([^]]+)\]\(\.\./images/standing", source("omologazione", "en"))
    shown = page("omologazione", "en").body
    link = r'<a href="(/static/docs/standing\.en\.png)"><img alt="([^"]+)"[^>]* src="\1"></a>'
    assert [alternative for _address, alternative in re.findall(link, shown)] == written


def test_the_pictures_are_small_and_none_is_left_over() -> None:
    shown = {
        name
        for slug, language in EACH
        for name in re.findall(r"\.\./images/([\w.-]+)", source(slug, language))
    }
    readme = re.findall(r"docs/images/([\w.-]+)", (ROOT / "README.md").read_text(encoding="utf-8"))
    files = {path.name: path.stat().st_size for path in (ROOT / "docs/images").iterdir()}
    assert files.keys() == shown | set(readme)
    assert all(files[name] < 120_000 for name in shown)
    assert sum(files.values()) < 2_000_000


def test_the_index_where_the_code_is_kept_names_every_page() -> None:
    index = (ROOT / "docs/README.md").read_text(encoding="utf-8")
    links = re.findall(r"\[([^]]+)\]\((it|en)/([\w-]+)\.md\)", index)
    assert sorted((slug, language) for _title, language, slug in links) == sorted(EACH)
    for title, language, slug in links:
        assert title == page(slug, language).title


@pytest.mark.django_db
@pytest.mark.parametrize("language", LANGUAGES)
def test_the_site_shows_the_index_and_each_page(client: Client, language: str) -> None:
    with translation.override(language):
        client.cookies["django_language"] = language
        index = client.get(reverse("guides")).content.decode()
        for slug in SLUGS:
            address = reverse("guide_page", args=[slug])
            assert f'href="{address}"' in index
            shown = client.get(address).content.decode()
            assert shown.count("<h1") == 1
            assert page(slug, language).body in shown
    assert client.get(reverse("guide")).content.decode().count("<h1") == 1
    assert client.get("/guida/nessuna/").status_code == 404
