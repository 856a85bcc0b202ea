"""`manage.py messages`: bring the Italian catalogue up to date with the code and the templates.

It finds every text that the code and the templates offer for translation, writes them to
``figf/locale/it/LC_MESSAGES/django.po``, keeps the translations of those that are unchanged, takes
out the texts that are no more, and compiles the catalogue to ``django.mo``. A text whose English
was changed, even by a comma, is a new text: nothing is guessed. With ``--check`` nothing is
written, and whatever is not in order is listed with status 1.

Babel does the work, so it runs where the tests' requirements are installed; GNU gettext is not
needed.
"""

from __future__ import annotations

import ast
import io
import re
import tokenize
from collections import Counter
from collections.abc import Collection, Iterable, Iterator, Mapping
from pathlib import Path
from typing import Any

from babel.messages import extract
from babel.messages.catalog import Catalog, Message
from babel.messages.mofile import write_mo
from babel.messages.pofile import PoFileError, read_po, write_po
from django.apps import apps
from django.conf import settings
from django.core.management.base import BaseCommand, CommandError, CommandParser
from django.utils.translation.template import templatize

PO = Path(settings.LOCALE_PATHS[0]) / "it" / "LC_MESSAGES" / "django.po"
MO = PO.with_suffix(".mo")

SINGULAR, PLURAL = (1,), (1, 2)
IN_CONTEXT, PLURAL_IN_CONTEXT = ((1, "c"), 2), ((1, "c"), 2, 3)
KEYWORDS: dict[str, Any] = {
    "_": SINGULAR,
    "gettext": SINGULAR,
    "gettext_lazy": SINGULAR,
    "gettext_noop": SINGULAR,
    "ngettext": PLURAL,
    "ngettext_lazy": PLURAL,
    "pgettext": IN_CONTEXT,
    "pgettext_lazy": IN_CONTEXT,
    "npgettext": PLURAL_IN_CONTEXT,
    "npgettext_lazy": PLURAL_IN_CONTEXT,
}
COMMENTS = ("Translators:",)  # what follows is a note for whoever translates
OUTSIDE = {"tests", "migrations"}  # folders whose texts no visitor reads


class Italian(Catalog):
    """A catalogue whose head holds no date and no name: it changes only when a text does."""

    def __init__(self) -> None:
        super().__init__(
            locale="it",
            domain="django",
            charset="utf-8",
            header_comment="# The Italian of every text of the site. Write the translations here;\n"
            "# `manage.py messages` does the rest.",
            fuzzy=False,
        )

    @property
    def mime_headers(self) -> list[tuple[str, str]]:
        return [
            ("Language", "it"),
            ("MIME-Version", "1.0"),
            ("Content-Type", "text/plain; charset=utf-8"),
            ("Content-Transfer-Encoding", "8bit"),
            ("Plural-Forms", self.plural_forms),
        ]

    @mime_headers.setter
    def mime_headers(self, headers: object) -> None:
        """What a file says in its head does not count."""


# --- what the code and the templates offer for translation ----------------------------------------


def sources() -> list[Path]:
    """The Python files of our apps and every template, in order."""
    root = Path(settings.BASE_DIR)
    ours = [Path(app.path) for app in apps.get_app_configs() if Path(app.path).parent == root]
    code = [path for app in ours for path in app.rglob("*.py")]
    folders = [folder / "templates" for folder in (root, *ours)]
    templates = [path for folder in folders for path in folder.rglob("*") if path.is_file()]
    return sorted(
        path for path in [*code, *templates] if not OUTSIDE & set(path.relative_to(root).parts)
    )


def texts_of(path: Path) -> Iterator[tuple[Any, list[str], str | None]]:
    """The texts of one file: id (with its plural, if any), notes for translators, context.

    Raises `CommandError` on a file that cannot be read as Python, or as a template.
    """
    text = path.read_text(encoding="utf-8")
    method = _python if path.suffix == ".py" else _template
    try:
        found = extract.extract(
            method, io.BytesIO(text.encode()), KEYWORDS, COMMENTS, strip_comment_tags=True
        )
        for _line, message, notes, context in found:
            yield message, notes, context
    except (SyntaxError, tokenize.TokenError) as error:
        raise CommandError(f"{path}: {error}") from error


def _python(
    file: Any, keywords: Any, comments: Collection[str], options: Any
) -> Iterator[tuple[int, Any, list[str], Any]]:
    """Babel's own reading of Python, and what it does not see: the calls inside f-strings."""
    yield from extract.extract_python(file, keywords, comments, options)
    for node in ast.walk(ast.parse(file.getvalue())):
        if isinstance(node, ast.FormattedValue):
            inside = io.BytesIO(ast.unparse(node.value).encode())
            yield from extract.extract_python(inside, keywords, comments, options)


def _template(
    file: Any, keywords: Any, comments: Collection[str], options: Any
) -> Iterator[tuple[int, Any, list[str], Any]]:
    """A template by way of Django, which turns it into calls amid blotted-out text.

    In brackets, indentation and line ends mean nothing: the whole is tokens of Python.
    """
    calls = f"(\n{templatize(file.getvalue().decode())}\n)"
    yield from extract.extract_python(io.BytesIO(calls.encode()), keywords, comments, options)


def offered() -> Italian:
    """Every text offered for translation, none translated.

    Raises `CommandError` when one text is given two different plurals: a catalogue holds one.
    """
    catalogue = Italian()
    for path in sources():
        name = path.relative_to(settings.BASE_DIR).as_posix()
        for text, notes, context in texts_of(path):
            catalogue.add(text, locations=[(name, 0)], auto_comments=notes, context=context)
            kept = catalogue.get(text, context)
            if kept is None or (isinstance(text, tuple) and kept.id != text):
                raise CommandError(f"{name}: {text[0]!r} has another plural elsewhere.")
    return catalogue


# --- the catalogue --------------------------------------------------------------------------------


def read() -> Catalog:
    """The catalogue as it is written; an empty one if there is none yet."""
    if not PO.exists():
        return Italian()
    try:
        return read_po(io.BytesIO(PO.read_bytes()), locale="it", abort_invalid=True)
    except PoFileError as error:
        raise CommandError(f"{PO} cannot be read: {error}") from error


def updated(texts: Catalog, before: Catalog) -> Italian:
    """`texts`, with the translations and the translators' comments that `before` has for them."""
    catalogue = Italian()
    for text in messages(texts):
        known = before.get(text.id, text.context)
        same = known is not None and known.id == text.id
        catalogue.add(
            text.id,
            known.string if known and same else None,
            locations=text.locations,
            flags=known.flags if known and same else (),
            auto_comments=text.auto_comments,
            user_comments=known.user_comments if known and same else (),
            context=text.context,
        )
    return catalogue


def as_po(catalogue: Catalog) -> bytes:
    """The catalogue as a text: sorted by id, a paragraph a line, files named without lines."""
    out = io.BytesIO()
    write_po(out, catalogue, width=0, sort_output=True, ignore_obsolete=True, include_lineno=False)
    return out.getvalue().rstrip() + b"\n"


def as_mo(catalogue: Catalog) -> bytes:
    """The catalogue as Django loads it: the same bytes for the same translations."""
    same = Italian()
    for text in messages(catalogue):
        same.add(text.id, text.string, flags=text.flags, context=text.context)
    out = io.BytesIO()
    write_mo(out, same)
    return out.getvalue()


def messages(catalogue: Iterable[Message]) -> Iterator[Message]:
    """The entries of a catalogue without its head."""
    return (message for message in catalogue if message.id)


# --- what is not in order -------------------------------------------------------------------------


def problems(texts: Catalog, catalogue: Catalog) -> list[str]:
    """What is wrong with `catalogue` for a site that offers `texts`: a line for each fault."""
    found = []
    for text in messages(texts):
        known = catalogue.get(text.id, text.context)
        if known is None or known.id != text.id:
            found.append(f"missing: {title(text)} ({text.locations[0][0]})")
    for known in messages(catalogue):
        text_now = texts.get(known.id, known.context)
        if text_now is None or text_now.id != known.id:
            found.append(f"obsolete: {title(known)}")
        elif not all((pairs := dict(translations(known))).values()):
            found.append(f"empty: {title(known)}")
        elif known.fuzzy:
            found.append(f"fuzzy: {title(known)}")
        else:
            found += [f"{fault}: {title(known)}" for fault in faults(pairs)]
    found += [f"obsolete: {title(old)}" for old in catalogue.obsolete.values()]
    return sorted(found)


def translations(message: Message) -> Iterator[tuple[str, str]]:
    """Each English form of an entry with its Italian; the Italian is empty where it lacks."""
    if isinstance(message.id, str):
        yield message.id, str(message.string or "")
    else:
        yield from zip(message.id, [*(message.string or ()), "", ""], strict=False)


PERCENT = re.compile(r"%%|%\(\w+\)[a-z]|%[sd]")
BRACES = re.compile(r"\{\w*\}")
TAG = re.compile(r"</?\w[^>]*>")


def faults(pairs: Mapping[str, str]) -> list[str]:
    """What a translation must have in common with its text, and has not."""
    found = []
    for english, italian in pairs.items():
        if placeholders(english) != placeholders(italian):
            found.append("placeholders differ")
        if PERCENT.search(english) and "%" in PERCENT.sub("", italian):
            found.append("stray % sign")
        if Counter(TAG.findall(english)) != Counter(TAG.findall(italian)):
            found.append("tags differ")
        if _edges(english) != _edges(italian):
            found.append("spaces or line ends at the edges differ")
    return found


def placeholders(text: str) -> Counter[str]:
    """``%(name)s``, ``%s``, ``{}``, ``{name}``; those with a name may be repeated at will."""
    count = Counter(mark for mark in PERCENT.findall(text) if mark != "%%")
    count += Counter(BRACES.findall(text))
    return Counter({mark: 1 if len(mark) > 2 else times for mark, times in count.items()})


def _edges(text: str) -> tuple[str, str]:
    body = text.strip()
    return text.partition(body)[0], text.rpartition(body)[2]


def title(message: Message) -> str:
    """An entry as the lists name it: its English, with its context if it has one."""
    english = message.id if isinstance(message.id, str) else message.id[0]
    return repr(english) + (f" in the context {message.context!r}" if message.context else "")


def all_problems() -> list[str]:
    """`problems` of what is committed, the compiled catalogue included."""
    catalogue = read()
    found = problems(offered(), catalogue)
    if not MO.exists() or MO.read_bytes() != as_mo(catalogue):
        found.append(f"{MO.name} is not what {PO.name} compiles to")
    return found


class Command(BaseCommand):
    help = "Bring the Italian catalogue up to date with the code and the templates, and compile it."
    requires_system_checks: list[str] = []  # noqa: RUF012 - Django's own shape

    def add_arguments(self, parser: CommandParser) -> None:
        parser.add_argument(
            "--check", action="store_true", help="write nothing: list what is not in order"
        )

    def handle(self, *args: Any, check: bool = False, **options: Any) -> None:
        if check:
            if found := all_problems():
                raise CommandError("\n".join(["The catalogue is not in order.", *found]))
            return
        texts, before = offered(), read()
        after = updated(texts, before)
        PO.parent.mkdir(parents=True, exist_ok=True)
        PO.write_bytes(as_po(after))
        MO.write_bytes(as_mo(after))
        for old in messages(before):
            kept = after.get(old.id, old.context)
            if kept is None or kept.id != old.id:
                self.stdout.write(f"taken out: {title(old)}, which was {old.string!r}")
        found = problems(texts, after)
        self.stdout.write("\n".join([*found, f"{len(after)} texts, {len(found)} to look at."]))
