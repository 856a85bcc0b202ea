"""The Italian catalogue says everything that the site says, and nothing is said without it."""

import ast
import re
from collections.abc import Iterable, Iterator
from gettext import GNUTranslations
from html.parser import HTMLParser
from io import BytesIO, StringIO
from pathlib import Path
from typing import Any

import pytest
from babel.messages.catalog import Catalog, Message
from django.conf import settings
from django.core.management import CommandError, call_command
from django.template import Context, Engine
from django.template.base import Lexer, TokenType
from django.templatetags.i18n import BlockTranslateNode, TranslateNode
from django.utils import translation

from figf.management.commands import messages

TEMPLATES = Path(settings.BASE_DIR) / "templates"
SOURCES = messages.sources()

# Words that only one of the two languages has, and that few sentences can do without.
ITALIAN = {
    *("che", "con", "degli", "dei", "del", "della", "delle", "dello", "gli", "il", "nel", "nella"),
    *("non", "più", "questa", "questo", "sono"),
}
ENGLISH = {
    *("and", "are", "been", "from", "has", "have", "is", "of", "that", "the", "there", "this"),
    *("was", "were", "with", "you", "your"),
}

# What stands in a template as it is in every language.
SAME_EVERYWHERE = re.compile(
    r"FIGF|GNU|SHA-256|Python|\b[A-Z]-\d\d\b|[\w\ue000-]+\.(?:json|py|csv)|&\w+;"
)
# The mark of the line from which mails take their subject: nobody reads it.
SUBJECT = "Oggetto:"
SHOWN_ATTRIBUTES = {"alt", "aria-label", "aria-description", "label", "placeholder", "title"}
UNSHOWN = {"script", "style", "code", "pre"}


@pytest.fixture(scope="module")
def catalogue() -> Catalog:
    return messages.read()


def nothing(found: Iterable[object]) -> None:
    """Fail with the whole list, a line each, if anything was found."""
    lines = [str(one) for one in found]
    assert not lines, "\n" + "\n".join(lines)


def relative(path: Path) -> str:
    return path.relative_to(settings.BASE_DIR).as_posix()


def entries(catalogue: Catalog) -> Iterator[tuple[str, str]]:
    """Every English text of the catalogue with its Italian, plurals apart."""
    for message in messages.messages(catalogue):
        yield from messages.translations(message)


# --- the catalogue as it is committed -------------------------------------------------------------


def test_the_catalogue_is_complete_and_compiled() -> None:
    """`manage.py messages` brings it up to date; the translations are then to be written."""
    nothing(messages.all_problems())


def test_the_texts_of_the_code_are_english(catalogue: Catalog) -> None:
    nothing([text for text, _ in entries(catalogue) if words(text) & ITALIAN])


def test_the_translations_are_italian(catalogue: Catalog) -> None:
    nothing([italian for _, italian in entries(catalogue) if words(italian) & ENGLISH])


def test_nobody_shouts(catalogue: Catalog) -> None:
    nothing([pair for pair in entries(catalogue) if "!" in "".join(pair)])


def words(text: str) -> set[str]:
    return set(re.findall(r"\w+", re.sub(r"<[^>]*>|%\(\w+\)[sd]", "", text).lower()))


def served(message: Message) -> list[str]:
    """What Django gives for an entry in the present language; if it has a plural, for 1, 2, 0."""
    text, context = message.id, message.context
    if isinstance(text, str):
        return [translation.pgettext(context, text) if context else translation.gettext(text)]
    one, many = text
    if context:
        return [translation.npgettext(context, one, many, n) for n in (1, 2, 0)]
    return [translation.ngettext(one, many, n) for n in (1, 2, 0)]


def for_1_2_0(forms: list[str]) -> list[str]:
    return forms if len(forms) == 1 else [forms[0], forms[1], forms[1]]


def test_django_serves_our_italian_before_its_own(catalogue: Catalog) -> None:
    with translation.override("it"):
        assert translation.gettext("Log out") == "Esci"  # for Django: "Annulla l'accesso"
        for message in messages.messages(catalogue):
            forms = [italian for _, italian in messages.translations(message)]
            assert served(message) == for_1_2_0(forms)


def test_django_serves_the_ids_as_english(catalogue: Catalog) -> None:
    with translation.override("en"):
        for message in messages.messages(catalogue):
            forms = [english for english, _ in messages.translations(message)]
            assert served(message) == for_1_2_0(forms)


# --- what is found in the code and in the templates -----------------------------------------------


def found_in(path: Path, text: str) -> list[tuple[object, list[str], str | None]]:
    path.write_text(text, encoding="utf-8")
    return list(messages.texts_of(path))


def test_python_gives_every_call_that_marks_a_text(tmp_path: Path) -> None:
    code = """
# Translators: of a clock
a = pgettext("countdown", "in {}")
b = _("one sentence "
      'in two pieces')
c = ngettext("%(n)d seat", "%(n)d seats", n)
d = npgettext_lazy("hall", "door", "doors", n)
e = f"{LABELS[fact]} – {player or _('a referee')}"
f = _("the player's \\"own\\" — è")
g = _(variable), __("not ours"), other("nor this")
"""
    assert found_in(tmp_path / "code.py", code) == [
        ("in {}", ["of a clock"], "countdown"),
        ("one sentence in two pieces", [], None),
        (("%(n)d seat", "%(n)d seats"), [], None),
        (("door", "doors"), [], "hall"),
        ('the player\'s "own" — è', [], None),
        ("a referee", [], None),
    ]


def test_templates_give_every_tag_that_marks_a_text(tmp_path: Path) -> None:
    template = """{% load i18n %}
<p title='it\\'s "odd"'>an apostrophe's enough to upset a reader of Python (or "two
{% translate "the player's own" %} {% translate 'He said "yes"' context "story" %}
  {# Translators: of a clock, as in the hall's own #}
  {% translate "late" context "countdown" %}
{% blocktranslate trimmed count n=list|length with who=x.y|default:_("nobody") context "hall" %}
  {{ n }} seat of
  {{ who }}
{% plural %}
  {{ n }} seats of
  {{ who }}
{% endblocktranslate %}
{% blocktranslate %}Two
lines, 100% of "both"{% endblocktranslate %}
{{ player|default:_("a referee")|upper }} {% include "x.html" with label=_("Tables") %}
{% translate "100%" as all %}{% comment %}{% translate "not this" %}{% endcomment %}
"""
    assert found_in(tmp_path / "page.html", template) == [
        ("the player's own", [], None),
        ('He said "yes"', [], "story"),
        ("late", ["of a clock, as in the hall's own"], "countdown"),
        ("nobody", [], None),
        (("%(n)s seat of %(who)s", "%(n)s seats of %(who)s"), [], "hall"),
        ('Two\nlines, 100%% of "both"', [], None),
        ("a referee", [], None),
        ("Tables", [], None),
        ("100%%", [], None),
    ]


@pytest.mark.parametrize("path", [path for path in SOURCES if path.suffix != ".py"], ids=relative)
def test_templates_look_up_what_was_found_in_them(path: Path) -> None:
    """Django's own reading of the template, and ours, agree on every id: escapes, spaces, all."""
    found = {(context, text) for text, _notes, context in messages.texts_of(path)}
    for quoted in re.findall(r"""\b_\((".*?"|'.*?')\)""", path.read_text(encoding="utf-8")):
        assert (None, quoted[1:-1]) in found
    name = path.relative_to(TEMPLATES).as_posix()
    nodes: Any = Engine.get_default().get_template(name).nodelist
    for node in nodes.get_nodes_by_type(TranslateNode):
        text = str(node.filter_expression.var.literal).replace("%", "%%")
        context = node.message_context and node.message_context.resolve(Context())
        assert (context, text) in found
    for node in nodes.get_nodes_by_type(BlockTranslateNode):
        forms = [node.render_token_list(part)[0] for part in (node.singular, node.plural) if part]
        context = node.message_context and node.message_context.resolve(Context())
        assert (context, forms[0] if len(forms) == 1 else tuple(forms)) in found


def test_the_apps_and_the_templates_are_searched() -> None:
    names = set(map(relative, SOURCES))
    assert {
        "tournaments/texts.py",
        "templates/base.html",
        "templates/emails/invitation.txt",
    } <= names
    assert not any(re.search(r"\.venv|/tests/|/migrations/", name) for name in names)


def test_one_text_with_two_plurals_is_refused(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    (tmp_path / "a.py").write_text('ngettext("seat", "seats", n), ngettext("seat", "chairs", n)')
    monkeypatch.setattr(messages, "sources", lambda: [tmp_path / "a.py"])
    monkeypatch.setattr(settings, "BASE_DIR", tmp_path)
    with pytest.raises(CommandError, match="'seat' has another plural"):
        messages.offered()


@pytest.mark.parametrize(
    ("name", "text"),
    [
        ("bad.html", "{% blocktranslate %}{% if x %}{% endblocktranslate %}"),
        ("bad.py", "_('a text'"),
    ],
)
def test_a_file_that_cannot_be_read_is_named(tmp_path: Path, name: str, text: str) -> None:
    with pytest.raises(CommandError, match=name):
        found_in(tmp_path / name, text)


# --- what is told to be wrong ---------------------------------------------------------------------


def catalogue_of(*texts: tuple[object, object]) -> messages.Italian:
    made = messages.Italian()
    for text, italian in texts:
        made.add(text, italian, locations=[("page.html", 0)])  # type: ignore[arg-type]
    return made


@pytest.mark.parametrize(
    ("english", "italian", "problem"),
    [
        ("%(n)d seats", "%(n)d posti", None),
        ("%(n)d seats", "%(m)d posti", "placeholders differ"),
        ("%(n)d seats", "%(n)s posti", "placeholders differ"),
        ("%(n)d seats", "posti", "placeholders differ"),
        ("%(n)s of %(n)s", "%(n)s", None),
        ("in {}", "tra", "placeholders differ"),
        ("in {} or {}", "tra {}", "placeholders differ"),
        ("%(n)s%% of it", "il %(n)s%%", None),
        ("%(n)s%% of it", "il %(n)s%", "stray % sign"),
        ('<a href="%(u)s">go</a>', '<a href="%(u)s">vai</a>', None),
        ('<a href="%(u)s">go</a>', '<b href="%(u)s">vai</b>', "tags differ"),
        ("two\nlines", "due\nrighe", None),
        ("a line\n", "una riga", "spaces or line ends at the edges differ"),
        ("seat", "", "empty"),
        (("seat", "seats"), ("posto", "posti"), None),
        (("seat", "seats"), ("posto", ""), "empty"),
        (("%(n)s seat", "%(n)s seats"), ("%(n)s posto", "posti"), "placeholders differ"),
    ],
)
def test_a_faulty_translation_is_named(
    english: object, italian: object, problem: str | None
) -> None:
    texts, written = catalogue_of((english, None)), catalogue_of((english, italian))
    name = english if isinstance(english, str) else english[0]  # type: ignore[index]
    assert messages.problems(texts, written) == ([f"{problem}: {name!r}"] if problem else [])


def test_missing_obsolete_and_fuzzy_entries_are_named() -> None:
    texts = catalogue_of(("seat", None), ("table", None), (("day", "days"), None))
    texts.add("day", context="theme", locations=[("base.html", 0)])
    written = catalogue_of(("table", "tavolo"), ("chair", "sedia"), ("day", "giorno"))
    written.get("table").flags.add("fuzzy")  # type: ignore[union-attr]
    assert messages.problems(texts, written) == [
        "fuzzy: 'table'",
        "missing: 'day' (page.html)",
        "missing: 'day' in the context 'theme' (base.html)",
        "missing: 'seat' (page.html)",
        "obsolete: 'chair'",
        "obsolete: 'day'",
    ]


def test_bringing_up_to_date_keeps_what_is_unchanged_and_guesses_nothing() -> None:
    before = catalogue_of(
        ("seat", "posto"), ("A table.", "Un tavolo."), (("day", "days"), ("g", "gg"))
    )
    texts = catalogue_of(("seat", None), ("A table", None), (("day", "dayes"), None))
    after = messages.updated(texts, before)
    assert {message.id: message.string for message in messages.messages(after)} == {
        "seat": "posto",
        "A table": None,
        ("day", "dayes"): ("", ""),
    }


# --- the command ----------------------------------------------------------------------------------


@pytest.fixture
def elsewhere(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    monkeypatch.setattr(messages, "PO", tmp_path / "it" / "django.po")
    monkeypatch.setattr(messages, "MO", tmp_path / "it" / "django.mo")
    monkeypatch.setattr(messages, "offered", lambda: catalogue_of(("seat", None), ("table", None)))
    return tmp_path / "it"


def test_the_command_writes_the_same_bytes_until_a_text_changes(elsewhere: Path) -> None:
    call_command("messages", stdout=StringIO())
    first = messages.PO.read_bytes(), messages.MO.read_bytes()
    assert b"Date" not in first[0] + first[1]
    call_command("messages", stdout=StringIO())
    assert (messages.PO.read_bytes(), messages.MO.read_bytes()) == first


def test_the_command_takes_out_what_is_no_more_and_says_so(elsewhere: Path) -> None:
    elsewhere.mkdir()
    messages.PO.write_text(
        'msgid "chair"\nmsgstr "sedia"\n\nmsgid "seat"\nmsgstr "posto"\n\n'
        '#~ msgid "door"\n#~ msgstr "porta"\n'
    )
    told = StringIO()
    call_command("messages", stdout=told)
    assert told.getvalue().splitlines() == [
        "taken out: 'chair', which was 'sedia'",
        "empty: 'table'",
        "2 texts, 1 to look at.",
    ]
    written = messages.PO.read_text(encoding="utf-8")
    assert 'msgid "seat"\nmsgstr "posto"' in written
    assert "chair" not in written
    assert "#~" not in written
    assert GNUTranslations(BytesIO(messages.MO.read_bytes())).gettext("seat") == "posto"


def test_the_check_writes_nothing_and_lists_everything(elsewhere: Path) -> None:
    with pytest.raises(CommandError, match=r"missing: 'seat' \(page.html\)\nmissing: 'table'"):
        call_command("messages", check=True)
    assert not elsewhere.exists()
    elsewhere.mkdir()
    good = catalogue_of(("seat", "posto"), ("table", "tavolo"))
    messages.PO.write_bytes(messages.as_po(good))
    with pytest.raises(CommandError, match=r"django\.mo is not what django\.po compiles to"):
        call_command("messages", check=True)
    messages.MO.write_bytes(messages.as_mo(good))
    call_command("messages", check=True)


def test_a_catalogue_left_in_pieces_by_a_merge_is_not_read(elsewhere: Path) -> None:
    elsewhere.mkdir()
    messages.PO.write_text('<<<<<<< ours\nmsgid "seat"\nmsgstr "posto"\n=======\n')
    with pytest.raises(CommandError, match="cannot be read"):
        call_command("messages", stdout=StringIO())


# --- nothing is said outside the catalogue --------------------------------------------------------


class Shown(HTMLParser):
    """Collects what a page shows: its text, and the attributes that are read to people."""

    def __init__(self) -> None:
        super().__init__(convert_charrefs=False)
        self.texts: list[str] = []
        self.hidden_by: list[str] = []

    def handle_starttag(self, tag: str, attributes: list[tuple[str, str | None]]) -> None:
        tag = tag.strip("\ue000")
        if tag in UNSHOWN:
            self.hidden_by.append(tag)
        self.texts += [value for name, value in attributes if name in SHOWN_ATTRIBUTES and value]

    def handle_endtag(self, tag: str) -> None:
        if self.hidden_by and self.hidden_by[-1] == tag:
            self.hidden_by.pop()

    def handle_data(self, data: str) -> None:
        if not self.hidden_by:
            self.texts.append(data)


def untranslated(template: str, *, html: bool = True) -> list[str]:
    """The words that a template shows in the language in which it was written."""
    pieces, skipping = [], ""
    for token in Lexer(template).tokenize():
        words = token.contents.split() if token.token_type == TokenType.BLOCK else [""]
        if skipping:
            skipping = "" if words[0] == f"end{skipping}" else skipping
        elif words[0] in {"blocktranslate", "comment"}:
            skipping = words[0]
        elif token.token_type == TokenType.TEXT:
            pieces.append(token.contents)
        if token.token_type != TokenType.TEXT:
            pieces.append("\ue000")  # something stands here: it parts no word and makes none
    texts = ["".join(pieces)]
    if html:
        page = Shown()
        page.feed(texts[0])
        page.close()
        texts = page.texts
    texts = [SAME_EVERYWHERE.sub("", text).replace("\ue000", " ") for text in texts]
    return [" ".join(text.split()) for text in texts if re.search(r"[^\W\d_]", text)]


@pytest.mark.parametrize(
    ("template", "shown"),
    [
        ("<p>{% translate 'Seats' %} · FIGF</p>", []),
        ("<p>Seats</p>", ["Seats"]),
        ("<p>{{ n }} seats</p>", ["seats"]),
        ("{% blocktranslate %}<b>Seats</b>{% endblocktranslate %}", []),
        ("<p{% if x %} class='a b'{% endif %} title='Open'>{{ n }}</p>", ["Open"]),
        ("<p title='{% translate 'Open' %}' class='seat'>12</p>", []),
        ("<code>python3 dice.py</code> <a>draw-{{ pk }}.json</a> dice.py", []),
        ("<script>const seats = 1;</script>{# seats #}", []),
        ("{% comment %}Seats{% endcomment %}<pre>x</pre> y", ["y"]),
        (
            "{% if a %}<code{% if b %} class='c'{% endif %}>x</code>{% else %}not{% endif %}",
            ["not"],
        ),
        ("caffè", ["caffè"]),
        ("<p>&nbsp;–</p>", []),
    ],
)
def test_a_text_outside_the_catalogue_is_seen(template: str, shown: list[str]) -> None:
    assert untranslated(template) == shown


@pytest.mark.parametrize("path", sorted(TEMPLATES.rglob("*.html")), ids=relative)
def test_pages_show_only_texts_of_the_catalogue(path: Path) -> None:
    nothing(untranslated(path.read_text(encoding="utf-8")))


@pytest.mark.parametrize("path", sorted(TEMPLATES.rglob("*.txt")), ids=relative)
def test_mails_show_only_texts_of_the_catalogue(path: Path) -> None:
    text = path.read_text(encoding="utf-8").replace(SUBJECT, "", 1)
    nothing(untranslated(text, html=False))


SHOWN_ARGUMENTS = {"label", "help_text", "empty_label", "verbose_name", "short_description"}
SHOWN_CALLS = {
    "ValidationError": 0,
    "Refused": 1,
    "success": 1,
    "info": 1,
    "warning": 1,
    "error": 1,
}


def said(tree: ast.AST) -> Iterator[ast.expr]:
    """The arguments that reach people: words of refusals and messages, labels, help."""
    for node in ast.walk(tree):
        if isinstance(node, ast.Call):
            name = node.func.attr if isinstance(node.func, ast.Attribute) else ""
            name = node.func.id if isinstance(node.func, ast.Name) else name
            of_a_logger = ast.unparse(node.func).startswith("logger.")
            if name in SHOWN_CALLS and not of_a_logger:
                yield from node.args[SHOWN_CALLS[name] : SHOWN_CALLS[name] + 1]
            yield from (word.value for word in node.keywords if word.arg in SHOWN_ARGUMENTS)


@pytest.mark.parametrize("path", [path for path in SOURCES if path.suffix == ".py"], ids=relative)
def test_the_code_says_only_texts_of_the_catalogue(path: Path) -> None:
    bare = [
        ast.unparse(words)
        for words in said(ast.parse(path.read_text(encoding="utf-8")))
        if isinstance(words, ast.JoinedStr)
        or (isinstance(words, ast.Constant) and re.search(r"[^\W\d_]", str(words.value or "")))
    ]
    nothing(bare)
