"""The public pages of the titles: map, market and papers, from the facts alone."""

from __future__ import annotations

import json
from html.parser import HTMLParser
from typing import Any

import pytest
from django.urls import NoReverseMatch, resolve, reverse
from pytest_django import DjangoAssertNumQueries

from figf.tests.cast import NOW, Page, make_cast, make_event, visitor
from pbem.board.printed import NAMES
from pbem.board.words import RULES
from pbem.engine.facts import FOLDER
from tournaments.services import register_title

db = pytest.mark.django_db
both = pytest.mark.both
each_title = pytest.mark.parametrize("name", NAMES)
VOID = {"br", "hr", "img", "input", "link", "meta", "wbr"}
PARTS = ("map", "market", "trains", "privates", "corporations", "tiles", "start")


class Strict(HTMLParser):
    """Every element that is opened is closed, in order; every id is there once."""

    def __init__(self, text: str) -> None:
        super().__init__()
        self.open: list[str] = []
        self.ids: list[str] = []
        self.faults: list[str] = []
        self.feed(text)
        self.close()
        self.faults += self.open

    def handle_starttag(self, tag: str, attrs: list[tuple[str, str | None]]) -> None:
        self.handle_startendtag(tag, attrs)
        if tag not in VOID:
            self.open.append(tag)

    def handle_startendtag(self, tag: str, attrs: list[tuple[str, str | None]]) -> None:
        self.ids += [value or "" for name, value in attrs if name == "id"]
        self.faults += [f"{tag} {name}" for name, _value in attrs if name == "style"]

    def handle_endtag(self, tag: str) -> None:
        if not self.open or self.open.pop() != tag:
            self.faults.append(f"/{tag}")


def printed(name: str) -> Any:
    return json.loads((FOLDER / f"{name}.json").read_text(encoding="utf-8"))


@db
@both
@each_title
@pytest.mark.parametrize("language", ["it", "en"])
def test_a_title_s_page_is_whole_and_asks_nothing_of_the_database(
    name: str, language: str, django_assert_num_queries: DjangoAssertNumQueries
) -> None:
    client = visitor(None, language)
    with django_assert_num_queries(0):
        answer = client.get(reverse("title_page", args=[name]))
    assert answer.status_code == 200
    page = Strict(answer.content.decode())
    assert page.faults == []
    assert len(set(page.ids)) == len(page.ids)
    assert set(PARTS) <= set(page.ids)


@db
@each_title
def test_a_title_s_page_has_all_that_is_printed(name: str) -> None:
    page = Page(visitor().get(reverse("title_page", args=[name])))
    file = printed(name)
    text = " ".join(page.text.split())
    for one in (*file["privates"], *file["corporations"]):
        assert one["name"] in text
    for key in ("title", "subtitle", "designer"):
        assert file[key] in text
    for train in file["trains"]:
        assert str(train["price"]) in text
    for tile in file["tiles"]:
        assert f"{tile['id']} " in text
    assert text.count("Cash of each") == 1
    for seat in file["setup"]["players"].values():
        assert str(seat["cash"]) in text


@db
@each_title
def test_a_title_s_page_says_in_words_what_it_draws(name: str) -> None:
    """The market, every tile, what a map or a table does not show, the later limits."""
    page = Page(visitor().get(reverse("title_page", args=[name])))
    text = " ".join(page.text.split())
    assert "The market in words" in text
    for tile in printed(name)["tiles"]:
        assert f"Tile {tile['id']}, " in text
    for told in RULES[name].values():
        for rule in told.values():
            assert str(rule) in text
    later = "cert_limit_later" in printed(name)["setup"]
    assert ("or fewer" in text) == later
    assert "one A3 sheet" in text


@db
def test_the_titles_are_listed_with_what_the_site_does_of_them() -> None:
    answer = visitor().get(reverse("title_list"))
    assert Strict(answer.content.decode()).faults == []
    page = Page(answer)
    for name in NAMES:
        assert reverse("title_page", args=[name]) in page.links
        assert printed(name)["subtitle"] in page.text
    assert page.text.count("map, facts and replay of games") == 1
    assert page.text.count("map and facts") == len(NAMES) - 1


@db
@pytest.mark.parametrize("name", ["1831", "18", "1830x", "..", "1830.json"])
def test_a_title_that_is_not_printed_has_no_page(name: str) -> None:
    assert visitor().get(f"/titoli/{name}/").status_code == 404
    with pytest.raises(NoReverseMatch):
        reverse("title_page", args=[name])


def test_the_addresses_are_in_italian() -> None:
    assert resolve("/titoli/").url_name == "title_list"
    assert reverse("title_page", args=["1849"]) == "/titoli/1849/"


@db
def test_an_event_leads_to_the_papers_of_what_it_plays() -> None:
    """Where the title has some: nothing is linked for one that has not."""
    event = make_event()
    page = Page(visitor().get(event.get_absolute_url()))
    assert "/titoli/1830/" in page.links
    prova = event.prove.get()
    prova.title = register_title("1835", "1835", 3, 7, make_cast().sara, NOW)
    prova.save(update_fields=["title"])
    page = Page(visitor().get(event.get_absolute_url()))
    assert not [link for link in page.links if link.startswith("/titoli/18")]
