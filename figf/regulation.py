"""The published regulation beside its articles: its chapters, and the text that they come from.

The articles are the templates `regulation/_a.html` and following, one a chapter; what each comes
from and whether the site has it is in `rules.toml`; the text is `docs/regulation/`, untouched.
"""

from __future__ import annotations

import re
import tomllib
from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from functools import cache
from typing import TYPE_CHECKING, Any

from django.conf import settings
from django.template.loader import get_template
from django.utils.translation import gettext_lazy as _

from figf.web import reader_language

if TYPE_CHECKING:
    from django.utils.functional import _StrPromise

# --- the chapters ---------------------------------------------------------------------------------


@dataclass(frozen=True, slots=True)
class Chapter:
    """A group of articles: its letter, its paragraphs in the regulation, its title."""

    letter: str
    paragraphs: str
    title: _StrPromise

    @property
    def template(self) -> str:
        return f"regulation/_{self.letter.lower()}.html"

    @property
    def articles(self) -> int:
        return len(rules()[self.letter])


CHAPTERS = (
    Chapter("A", "1–5", _("Events and organisation")),
    Chapter("B", "7", _("Tables")),
    Chapter("C", "6", _("Percentile")),
    Chapter("D", "8.1", _("Event standing and event points")),
    Chapter("E", "8.2", _("Specialty championships")),
    Chapter("F", "8.3", _("Absolute championship")),
    Chapter("G", "8.4–8.5", _("Equals")),
    Chapter("H", "9", _("Ranking")),
    Chapter("I", "10.1", _("Supercoppa")),
    Chapter("L", "10.2", _("Team championship")),
    Chapter("M", "11", _("Referees")),
    Chapter("N", "12", _("Fair play")),
    Chapter("O", "13", _("Sanctions and appeals")),
    Chapter("P", "14", _("Side rules")),
    Chapter("Q", "15", _("Bankruptcy")),
    Chapter("R", "16", _("Cinderella, for who leaves the table")),
    Chapter("S", "17", _("Games by correspondence")),
    Chapter("T", "18", _("Time to move")),
    Chapter("U", "19", _("GNU, for who does not move")),
    Chapter("V", "20", _("The move: stock round")),
    Chapter("W", "20", _("The move: automatic moves")),
    Chapter("X", "20", _("The move: operating round")),
    Chapter("Y", "21", _("Irregular moves")),
    Chapter("Z", "–", _("1830 in short")),
)


@cache
def rules() -> Mapping[str, Mapping[str, Mapping[str, Any]]]:
    """`rules.toml`: the groups of rules, each rule with its home, or why it has none."""
    return tomllib.loads((settings.BASE_DIR / "figf/rules.toml").read_text(encoding="utf-8"))


def rule(number: str) -> Mapping[str, Any]:
    """What `rules.toml` says of a rule."""
    return rules()[number.partition("-")[0]][number]


@cache
def titles() -> Mapping[str, str]:
    """The articles of the published regulation with their titles, as the templates write them."""
    pages: list[Any] = [get_template(chapter.template) for chapter in CHAPTERS]
    texts = "".join(page.template.source for page in pages)
    heading = (
        r'<article class="rule" id="([^"]+)"><h3>.*{% translate "([^"]+)" context "article" %}'
    )
    return dict(re.findall(heading, texts))


# --- the text -------------------------------------------------------------------------------------

# The headings that the text has lost, and the line before which each stood.
HEADINGS = {
    3: "1. Attività agonistica ed eventi",
    11: "2. Organizzazione",
    17: "3. Premi e contributo alla FIGF",
    21: "4. Prove e titoli",
    25: "5. Fattore Evento",
    29: "6. Percentile",
    33: "7. Tavoli: 7.1 numero",
    60: "7.2 Formazione dei tavoli: primo turno",
    66: "7.3 Formazione dei tavoli: turni successivi",
    69: "8. Classifiche: 8.1 di evento",
    83: "8.2 Di specialità",
    86: "8.3 Assoluta",
    88: "8.4 Parità nelle classifiche di specialità",
    93: "8.5 Parità nella classifica assoluta",
    98: "9. Ranking",
    104: "10. Supercoppa e Campionato a squadre",
    107: "10.1 Supercoppa",
    113: "10.2 Campionato a squadre",
    130: "11. Arbitri: 11.1 designazione",
    134: "11.2 Compiti degli arbitri",
    142: "11.3 Collegio Arbitrale",
    147: "11.4 Commissione Arbitrale di Disciplina",
    150: "12. Norme di correttezza",
    169: "13. Sanzioni: 13.1 principi",
    176: "13.2 Le sanzioni",
    194: "13.3 Procedura",
    197: "14. Regole accessorie ed emendamenti",
    207: "15. Fallimento",
    215: "16. Algoritmo Cinderella",
    230: "17. Torneo per corrispondenza (pbem)",
    244: "18. Tempi di gioco",
    249: "19. Algoritmo GNU: A) turno azionario",
    254: "B) turno operativo",
    261: "20. La mossa",
    265: "21. Mosse non regolamentari",
}

# The text by correspondence: first and last line, and its language; "only" has no translation.
BLOCKS = (
    (1, 7, "it"),
    (9, 15, "en"),
    (17, 35, "it"),
    (37, 62, "en"),
    (64, 69, "it"),
    (71, 76, "en"),
    (78, 80, "it"),
    (82, 84, "en"),
    (86, 102, "it"),
    (104, 119, "en"),
    (121, 139, "only"),
    (141, 144, "it"),
    (146, 151, "en"),
    (153, 153, "it"),
    (155, 155, "en"),
    (157, 204, "only"),
)
TITLES = {1, 9, 17, 37, 64, 71, 78, 82, 141, 146, 153, 155}
SUBTITLES = {24, 29, 48, 54, 80, 84, 121}
DOCUMENTS = {"000": "r", "001": "p"}  # as rules.toml names them, and the letter of their anchors


@dataclass(frozen=True, slots=True)
class Line:
    """A line of the text: its number, what it is, and the articles drawn from it."""

    number: int
    text: str
    kind: str  # "heading", "title", "subtitle", "item", "row" or "text"
    articles: tuple[str, ...] = ()

    @property
    def cells(self) -> list[str]:
        return self.text.split("\t")


def sources(number: str) -> Iterator[tuple[str, int, int]]:
    """Where the text speaks of a rule: document, first and last line.

    >>> list(sources("B-08"))
    [('000', 60, 61)]
    """
    for part in filter(None, rule(number).get("source", "").split("; ")):
        document, _colon, lines = part.partition(":")
        for piece in lines.split(", "):
            first, _dash, last = piece.partition("-")
            yield document, int(first), int(last or first)


@cache
def _drawn_from() -> Mapping[tuple[str, int], tuple[str, ...]]:
    found: dict[tuple[str, int], list[str]] = {}
    for chapter in CHAPTERS:
        for number in rules()[chapter.letter]:
            for document, first, _last in sources(number):
                found.setdefault((document, first), []).append(number)
    return {where: tuple(numbers) for where, numbers in found.items()}


@cache
def _lines(document: str) -> tuple[str, ...]:
    name = {"000": "general", "001": "pbem"}[document]
    text = (settings.BASE_DIR / f"docs/regulation/{name}.txt").read_text(encoding="utf-8")
    return tuple(text.splitlines())


def _line(document: str, number: int, text: str, kind: str = "") -> Line:
    if not kind:
        item = re.match(r"-|[a-d][.)] |\d+[.)]", text)
        kind = "row" if "\t" in text else "item" if item else "text"
    return Line(number, text.strip(), kind, _drawn_from().get((document, number), ()))


@cache
def general_text() -> tuple[Line, ...]:
    """The official regulation, line by line, with the headings that it has lost."""
    lines: list[Line] = []
    for number, text in enumerate(_lines("000"), start=1):
        if number in HEADINGS:
            lines.append(Line(number, HEADINGS[number], "heading"))
        if text.strip():
            lines.append(_line("000", number, text, "title" if number == 1 else ""))
    return tuple(lines)


def readable(number: int, language: str) -> bool:
    """Whether a line of the text by correspondence is shown to a reader of that language.

    >>> readable(4, "it"), readable(4, "en"), readable(12, "en"), readable(160, "en")
    (True, False, True, True)
    """
    return any(first <= number <= last and of in (language, "only") for first, last, of in BLOCKS)


def pbem_text(language: str) -> list[tuple[str, list[Line]]]:
    """The regulation by correspondence, each part with its language: the reader's, where it is."""
    parts = []
    texts = _lines("001")
    for first, last, of in BLOCKS:
        if of in (language, "only"):
            lines = [
                _line("001", number, texts[number - 1], _pbem_kind(number))
                for number in range(first, last + 1)
                if texts[number - 1].strip()
            ]
            parts.append(("it" if of == "only" else of, lines))
    return parts


def _pbem_kind(number: int) -> str:
    return "title" if number in TITLES else "subtitle" if number in SUBTITLES else ""


def places(number: str) -> list[tuple[str, str]]:
    """The places of the text that a rule comes from: the anchor and the lines, for a reader.

    >>> places("B-08")
    [('r60', '60–61')]
    """
    language = reader_language()
    return [
        (
            f"{DOCUMENTS[document]}{first}",
            ("pbem " if document == "001" else "")
            + (str(first) if first == last else f"{first}–{last}"),
        )
        for document, first, last in sources(number)
        if document == "000" or readable(first, language)
    ]
