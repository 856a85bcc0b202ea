"""The regulation on the site: articles, readings in force, the text they come from."""

import re
from dataclasses import fields
from pathlib import Path
from typing import get_args, get_type_hints

import pytest
from django.test import Client
from django.urls import reverse
from django.utils import translation

from figf.readings import OF_EVENTS, OF_GAMES, OF_SEASONS, readings_about
from figf.regulation import (
    BLOCKS,
    CHAPTERS,
    HEADINGS,
    SUBTITLES,
    TITLES,
    general_text,
    pbem_text,
    places,
    rules,
    sources,
    titles,
)
from pbem.rules.readings import PbemReadings
from rankings.rules.readings import SeasonReadings
from tournaments.rules.figf import FigfReadings

TEXTS = Path(__file__).resolve().parents[2] / "docs/regulation"
GENERAL = (TEXTS / "general.txt").read_text(encoding="utf-8").splitlines()
PBEM = (TEXTS / "pbem.txt").read_text(encoding="utf-8").splitlines()
NUMBERS = [number for chapter in CHAPTERS for number in rules()[chapter.letter]]
# What the paragraphs of a catalogue of headings begin with, found in the text by hand.
OPENINGS = {
    3: "L’attività agonistica",
    29: "Il percentile adottato dalla FIGF",
    60: "I Tavoli vengono formati in rigoroso ordine",
    86: "La classifica assoluta",
    150: "1. sono severamente vietati comportamenti antisportivi",
    207: "Anche se nel gioco originale è permesso, la FIGF non ammette il volontario fallimento",
    265: "1. Si ricorda a tutti i giocatori di inviare la mossa",
}


def read(client: Client, name: str, language: str = "it") -> str:
    client.cookies["django_language"] = language
    answer = client.get(reverse(name))
    assert answer.status_code == 200
    return answer.content.decode()


# --- the readings ---------------------------------------------------------------------------------


@pytest.mark.parametrize(
    ("readings", "words"),
    [(FigfReadings, OF_EVENTS), (SeasonReadings, OF_SEASONS), (PbemReadings, OF_GAMES)],
)
def test_every_reading_and_each_of_its_answers_has_its_words(readings: type, words: dict) -> None:
    answers = get_type_hints(readings)
    assert [field.name for field in fields(readings)] == list(words)
    for field, question in words.items():
        assert set(question.answers) == set(get_args(answers[field])), field
        assert set(question.rules) <= titles().keys()


@pytest.mark.django_db
def test_the_page_of_the_readings_shows_the_value_in_force_and_the_others(client: Client) -> None:
    """C-06, H-03: the answers are those of the code, found again by hand in its modules."""
    html = read(client, "readings", "en")
    section = html.partition('id="evento-tied_winners_bonus"')[2].partition("</section>")[0]
    in_force, _it_could_be, others = section.partition("It could be:")
    assert "Each of them, in full" in in_force
    assert "FIGF 2006" in in_force
    assert "They are divided among them." in others
    assert "Nobody." in others
    assert "Each of them, in full" not in others
    section = html.partition('id="stagione-specialty_unit"')[2].partition("</section>")[0]
    assert "Since the first season." in section


def test_an_article_tells_of_its_reading() -> None:
    """B-03 asks how 24 players sit; A-01 leaves nothing open."""
    assert [reading.anchor for reading in readings_about("B-03")] == ["evento-seating_24"]
    assert readings_about("A-01") == []


# --- the articles ---------------------------------------------------------------------------------


@pytest.mark.django_db
@pytest.mark.parametrize("language", ["it", "en"])
def test_every_rule_has_one_anchor_and_its_links_lead_somewhere(
    client: Client, language: str
) -> None:
    html = read(client, "regulation", language)
    assert re.findall(r'<article class="rule" id="([^"]+)"', html) == NUMBERS
    text, readings = read(client, "regulation_text", language), read(client, "readings", language)
    for page, target in ((text, "regulation_text"), (readings, "readings")):
        ids = set(re.findall(r'id="([^"]+)"', page))
        links = re.findall(rf'href="{reverse(target)}#([^"]+)"', html)
        assert len(links) > 15
        assert sorted(set(links) - ids) == []
        assert sorted(set(re.findall(r'href="#([^"]+)"', page)) - ids - {"main"}) == []


@pytest.mark.django_db
def test_who_applies_a_rule_is_said_as_the_map_says_it(client: Client) -> None:
    """P-03 is people's, B-08 the site's; what is still to be built says so."""
    html = read(client, "regulation", "en")
    pattern = re.compile(r'<article class="rule" id="([^"]+)">(.*?)</article>', re.DOTALL)
    articles = dict(pattern.findall(html))
    for number, article in articles.items():
        entry = rules()[number[0]][number]
        assert ("people apply it" in article) == ("human" in entry), number
        assert ("not on the site yet" in article) == ("later" in entry), number
    assert "people apply it" in articles["P-03"]
    assert "not on the site yet" not in articles["B-08"]
    assert "Reading chosen" in articles["B-10"]


# --- the text -------------------------------------------------------------------------------------


def test_the_text_is_whole_and_its_letters_are_right() -> None:
    assert [line.number for line in general_text() if line.kind != "heading"] == [
        number for number, text in enumerate(GENERAL, start=1) if text.strip()
    ]
    for text in (*GENERAL, *PBEM):
        assert not re.search("[ÃÂâ€\ufffd\u00a0\ufeff]", text)
    for number, opening in OPENINGS.items():
        assert GENERAL[number - 1].startswith(opening)
        assert number in HEADINGS
    assert all(GENERAL[number - 1].strip() for number in HEADINGS)


def test_every_line_by_correspondence_is_read_in_some_language() -> None:
    covered = [number for first, last, _of in BLOCKS for number in range(first, last + 1)]
    written = [number for number, text in enumerate(PBEM, start=1) if text.strip()]
    assert sorted(set(written) - set(covered)) == []
    assert len(covered) == len(set(covered))
    assert set(covered) >= TITLES | SUBTITLES
    shown = {line.number for of in ("it", "en") for _, lines in pbem_text(of) for line in lines}
    assert sorted(shown) == written


def test_sources_are_lines_of_the_text() -> None:
    """B-08 is lines 60 and 61; C-02 lines 30 and 31."""
    for number in NUMBERS:
        for document, first, last in sources(number):
            text = {"000": GENERAL, "001": PBEM}[document]
            assert 1 <= first <= last <= len(text)
            assert text[first - 1].strip()
    assert list(sources("B-08")) == [("000", 60, 61)]
    with translation.override("it"):
        assert places("V-02") == [("p86", "pbem 86–87")]
    with translation.override("en"):
        assert places("V-02") == [("p104", "pbem 104–105")]


@pytest.mark.django_db
def test_the_tables_and_the_articles_stand_in_the_text(client: Client) -> None:
    html = read(client, "regulation_text")
    assert '<tr id="r57"><th scope="row">24' in html
    assert re.search(r'id="r60">.*?href="/regolamento/#B-08"', html)
    assert "[9. Ranking]" in html
    assert 'lang="en"' not in html.partition("<main")[2].partition("</main>")[0]
