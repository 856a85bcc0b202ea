"""Tables that people send in, as CSV or XLSX, and those that they take away, as CSV.

What comes in is text and nothing else: nobody's formula, macro or link is followed. A file that
cannot be read is `Refused` whole; a cell that cannot be taken is a fault of its row, so that a page
can show every fault at once.
"""

from __future__ import annotations

import csv
import io
import re
import unicodedata
import zipfile
from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from datetime import date, datetime, time
from decimal import Decimal
from typing import TYPE_CHECKING, Any, Literal, TypeAlias

from django.core.files.base import File
from django.core.files.uploadhandler import FileUploadHandler
from django.http import HttpResponse
from django.utils.formats import get_format
from django.utils.translation import gettext as _
from django.utils.translation import ngettext
from openpyxl import load_workbook
from openpyxl.utils import get_column_letter

from figf.errors import Refused

if TYPE_CHECKING:
    from django.utils.functional import _StrPromise

MEGABYTE = 1024 * 1024
MAX_SIZE = 5 * MEGABYTE  # of the file as it is sent
MAX_UNPACKED = 50 * MEGABYTE  # of all that an XLSX, which is a ZIP, holds
MAX_RATIO = 100  # between a part of an XLSX and what it is packed to: a sheet comes to twenty
MAX_ROWS = 2_000
MAX_COLUMNS = 40
MAX_LENGTH = 300  # characters of a cell
MAX_CELLS = 1_000_000  # of an XLSX, the empty ones between others included
LAST_LINE = 1_048_576  # of a sheet: what says it lies further down is no sheet

SEPARATORS = ";\t,"  # of a CSV; the first wins where two would do
RISKY = re.compile(r"'*[=+\-@\t\r\n]")  # could be taken for a formula, escaped already or not
ESCAPED = re.compile(r"'+[=+\-@\t\r\n]")

Kind: TypeAlias = Literal["", "formula", "error"]
Cell: TypeAlias = tuple[str, Kind]  # as it was found, and what it is other than text
Line: TypeAlias = tuple[int, list[Cell]]  # its number in the file, from 1


@dataclass(frozen=True, slots=True)
class Column:
    """A column that a page understands.

    `titles` are what people write above it, in whatever language, compared by their letters: case,
    accents, spaces and hyphens do not count. `label` is what a message calls it.
    """

    key: str
    label: str | _StrPromise
    titles: tuple[str, ...]
    required: bool = False


@dataclass(frozen=True, slots=True)
class Row:
    """A row that holds something: where it stands in the file, and its cells by column.

    Each column has its cell, empty if the file has no such column. `faults` are sentences.
    """

    line: int
    cells: Mapping[str, str]
    faults: tuple[str, ...] = ()


@dataclass(frozen=True, slots=True)
class Sheet:
    """What was read, in the order of the file, and the titles of the columns left aside."""

    rows: tuple[Row, ...]
    ignored: tuple[str, ...] = ()


# --- reading --------------------------------------------------------------------------------------


def read(upload: File[Any], columns: Sequence[Column]) -> Sheet:
    """The rows of an uploaded file, whatever its name says it is.

    Takes CSV (UTF-8, UTF-16 with its mark, or else Windows-1252; semicolons, commas or tabs) and
    the first visible sheet of an XLSX. Blank lines are nobody's; the first other line holds the
    titles. Refuses what is empty, too large, or no table (`file_empty`, `file_too_large`,
    `not_a_table`), broken (`file_broken`), too long or too wide (`too_many_rows`,
    `too_many_columns`), without a column that must be there (`column_missing`), with one twice
    (`column_twice`), or without any row (`no_rows`).
    """
    if upload.size > MAX_SIZE:
        raise _too_large()
    if not upload.size:
        raise _refused("file_empty", _("The file is empty."))
    beginning = upload.read(8)
    upload.seek(0)
    if beginning.startswith(b"PK"):
        return _sheet(_workbook(upload), columns)
    return _sheet(_delimited(_decoded(upload.read()), columns), columns)


def read_text(text: str, columns: Sequence[Column]) -> Sheet:
    """The rows of a pasted text. Without titles, its cells are in the order of `columns`.

    Refuses as `read` does, on the field `text`.
    """
    if len(text) > MAX_SIZE:
        raise _too_large()
    try:
        return _sheet(_delimited(text, columns), columns, may_lack_titles=True)
    except Refused as refusal:
        refusal.field = "text"
        raise


def _refused(reason: str, text: str) -> Refused:
    return Refused(reason, text, field="file")


def _too_large() -> Refused:
    return _refused(
        "file_too_large",
        _("The file is too large: at most %(n)d MB. Divide it.") % {"n": MAX_SIZE // MEGABYTE},
    )


def _not_a_table() -> Refused:
    return _refused(
        "not_a_table", _("This is neither a CSV nor an XLSX: save the table in one of the two.")
    )


# --- CSV ------------------------------------------------------------------------------------------

MARKS = {b"\xef\xbb\xbf": "utf-8-sig", b"\xff\xfe": "utf-16", b"\xfe\xff": "utf-16"}
ELSE = (b"%PDF", b"\xd0\xcf\x11\xe0", b"\x89PNG", b"\xff\xd8\xff", b"GIF8", b"{\\rtf")


def _decoded(content: bytes) -> str:
    if content.startswith(ELSE):
        raise _not_a_table()
    marked = next((name for mark, name in MARKS.items() if content.startswith(mark)), "")
    for encoding in [marked] if marked else ["utf-8", "cp1252"]:
        try:
            text = content.decode(encoding)
        except UnicodeDecodeError:
            continue
        if "\0" in text or text.lstrip().startswith("<"):  # no text at all, or a page of the web
            raise _not_a_table()
        return text
    raise _refused(
        "file_broken",
        _("The letters of this file cannot be read: save it as CSV in UTF-8, or as XLSX."),
    )


def _delimited(text: str, columns: Sequence[Column]) -> Iterator[Line]:
    if "\0" in text:
        raise _not_a_table()
    first = next((line for line in text.splitlines() if line.strip()), "")
    reader = csv.reader(
        io.StringIO(text, newline=""), delimiter=_separator(first, columns), strict=True
    )
    while True:
        line = reader.line_num + 1
        try:
            cells = next(reader)
        except StopIteration:
            return
        except csv.Error as error:
            if "field limit" in str(error):  # a quotation mark left open swallows what follows
                raise _refused(
                    "file_broken",
                    _(
                        "A cell of line %(line)d is too long: at most %(n)d characters. Or a "
                        "quotation mark is not closed there."
                    )
                    % {"line": line, "n": MAX_LENGTH},
                ) from None
            raise _refused(
                "file_broken",
                _("Line %(line)d cannot be read: look at its quotation marks.") % {"line": line},
            ) from None
        yield line, [(cell, "formula" if cell.startswith("=") else "") for cell in cells]


def _separator(first: str, columns: Sequence[Column]) -> str:
    """What divides the cells: whatever shows most titles that are known, or else most cells."""

    def worth(separator: str) -> tuple[int, int]:
        try:
            cells = next(csv.reader([first], delimiter=separator), [])
        except csv.Error:
            return 0, 0
        return sum(_column_of(cell, columns) is not None for cell in cells), len(cells)

    return max(SEPARATORS, key=worth)


# --- XLSX -----------------------------------------------------------------------------------------


def _workbook(upload: File[Any]) -> Iterator[Line]:
    try:
        _refuse_bomb(upload)
        yield from _first_sheet(upload)
    except Refused:
        raise
    except Exception:  # noqa: BLE001 - of a broken file a library may make anything
        raise _refused(
            "file_broken",
            _("This XLSX cannot be read: open it in a spreadsheet, save it anew, and try again."),
        ) from None


def _refuse_bomb(upload: File[Any]) -> None:
    """By what the ZIP says of its parts: more than a part says of itself, `zipfile` never reads."""
    with zipfile.ZipFile(upload) as archive:
        parts = archive.infolist()
    unpacked = sum(part.file_size for part in parts)
    swollen = any(part.file_size > max(MEGABYTE, MAX_RATIO * part.compress_size) for part in parts)
    if unpacked > MAX_UNPACKED or swollen:
        raise _refused(
            "file_too_large",
            _("This XLSX unpacks to far more than a table: copy the table alone to a new one."),
        )
    if not any(part.filename.startswith("xl/") for part in parts):
        raise _not_a_table()  # a ZIP, or the document of another program


def _first_sheet(upload: File[Any]) -> Iterator[Line]:
    upload.seek(0)
    workbook = load_workbook(upload, read_only=True, data_only=False, keep_links=False)
    try:
        sheet = next((s for s in workbook.worksheets if s.sheet_state == "visible"), None)
        if sheet is None:
            raise _not_a_table()
        sheet.reset_dimensions()  # what a sheet says of its own size is often wrong
        seen = 0
        for line, cells in enumerate(sheet.iter_rows(max_row=LAST_LINE), start=1):
            seen += len(cells)
            if seen > MAX_CELLS:
                raise _refused(
                    "too_many_columns",
                    _("The sheet is too large: copy the table alone to a new one."),
                )
            if any(cell.value is not None for cell in cells):
                yield line, [_cell(cell) for cell in cells]
    finally:
        workbook.close()


def _cell(cell: Any) -> Cell:
    if cell.data_type == "f":
        return "", "formula"
    if cell.data_type == "e":
        return str(cell.value), "error"
    return _as_text(cell.value), ""


def _as_text(value: object) -> str:
    """What a cell shows, more or less: 1830, 12.5, 2026-03-14."""
    match value:
        case None:
            return ""
        case bool():
            return str(value).upper()
        case float() if value.is_integer():
            return str(int(value))
        case datetime() if value.time() == time():
            return value.date().isoformat()
        case datetime():
            return value.isoformat(" ", "minutes")
    return str(value)


# --- what the lines mean --------------------------------------------------------------------------


@dataclass
class _Titles:
    """Which cell of a line belongs to which column, by what the first line says."""

    known: dict[int, Column] = field(default_factory=dict)
    said: dict[int, str] = field(default_factory=dict)  # every title, as it is written
    ignored: list[str] = field(default_factory=list)


def _sheet(
    lines: Iterable[Line], columns: Sequence[Column], *, may_lack_titles: bool = False
) -> Sheet:
    titles: _Titles | None = None
    rows: list[Row] = []
    for number, cells in lines:
        texts = [_clean(raw) for raw, _kind in cells]
        if not any(texts) and not any(kind for _raw, kind in cells):
            continue
        if any(texts[MAX_COLUMNS:]):
            raise _refused(
                "too_many_columns",
                _("Line %(line)d has more than %(n)d columns.")
                % {"line": number, "n": MAX_COLUMNS},
            )
        if titles is None:
            titles = _titles(texts, columns)
            if titles.known or not may_lack_titles:
                _refuse_missing(titles, columns)
                continue
            titles = _Titles(known=dict(enumerate(columns)))
        if len(rows) == MAX_ROWS:
            raise _refused(
                "too_many_rows",
                _("The table has more than %(n)d rows: divide it.") % {"n": MAX_ROWS},
            )
        rows.append(_row(number, cells, texts, titles, columns))
    if not rows:
        raise _refused("no_rows", _("There is no row under the titles of the columns."))
    return Sheet(tuple(rows), tuple(titles.ignored if titles else ()))


def _titles(texts: Sequence[str], columns: Sequence[Column]) -> _Titles:
    found = _Titles()
    for at, text in enumerate(texts):
        title = text[:40]
        if not title:
            continue
        found.said[at] = title
        column = _column_of(title, columns)
        if column is None:
            found.ignored.append(title)
            continue
        first = next((i for i, known in found.known.items() if known is column), None)
        if first is not None:
            raise _refused(
                "column_twice",
                _("Two columns say the same: “%(one)s” and “%(other)s”. Keep one.")
                % {"one": found.said[first], "other": title},
            )
        found.known[at] = column
    return found


def _refuse_missing(titles: _Titles, columns: Sequence[Column]) -> None:
    present = set(titles.known.values())
    missing = [str(column.label) for column in columns if column.required and column not in present]
    if missing:
        raise _refused(
            "column_missing",
            ngettext(
                "No column says %(missing)s. Found in the first line: %(found)s.",
                "These columns are missing: %(missing)s. Found in the first line: %(found)s.",
                len(missing),
            )
            % {
                "missing": _quoted(missing),
                "found": _quoted(titles.said.values()) or "–",
            },
        )


def _quoted(titles: Iterable[str]) -> str:
    return ", ".join(_("“%(title)s”") % {"title": title} for title in titles)


def _column_of(title: str, columns: Sequence[Column]) -> Column | None:
    wanted = _letters(title)
    return next((c for c in columns if wanted in map(_letters, c.titles)), None) if wanted else None


def _letters(text: str) -> str:
    decomposed = unicodedata.normalize("NFKD", text).casefold()
    return "".join(char for char in decomposed if char.isalnum())


def _row(
    number: int,
    cells: Sequence[Cell],
    texts: Sequence[str],
    titles: _Titles,
    columns: Sequence[Column],
) -> Row:
    values = {column.key: "" for column in columns}
    faults = []
    for at, (raw, kind) in enumerate(cells):
        column = titles.known.get(at)
        if column is None:
            letter = get_column_letter(at + 1)
            if texts[at] and at not in titles.said and letter not in titles.ignored:
                titles.ignored.append(letter)  # a column without a title
            continue
        where = {"cell": f"{get_column_letter(at + 1)}{number}", "n": MAX_LENGTH}
        if kind == "formula":
            faults.append(_("Cell %(cell)s holds a formula: write its value.") % where)
        elif kind == "error":
            faults.append(_("Cell %(cell)s holds an error.") % where)
        elif len(texts[at]) > MAX_LENGTH:
            faults.append(_("Cell %(cell)s is longer than %(n)d characters.") % where)
        elif len(raw.strip().splitlines()) > 1:
            faults.append(_("Cell %(cell)s holds more than one line.") % where)
        else:
            values[column.key] = texts[at]
    return Row(number, values, tuple(faults))


def _clean(raw: str) -> str:
    """One line of visible characters; the quote that `csv_response` puts before a cell is gone."""
    if ESCAPED.match(raw):
        raw = raw[1:]
    hidden = {"Cc", "Cf", "Cs"}
    composed = unicodedata.normalize("NFC", raw)
    visible = (" " if unicodedata.category(char) in hidden else char for char in composed)
    return " ".join("".join(visible).split())


# --- numbers --------------------------------------------------------------------------------------

NUMBERS = [
    re.compile(pattern, re.ASCII)
    for pattern in (
        r"(?P<whole>\d{1,3}(?:\.\d{3})+|\d{1,3}(?: \d{3})+|\d+),(?P<part>\d+)",  # 1.234,5
        r"(?P<whole>\d{1,3}(?:,\d{3})+|\d{1,3}(?: \d{3})+|\d+)\.(?P<part>\d+)",  # 1,234.5
        r"(?P<whole>\d{1,3}(?:\.\d{3}){2,}|\d{1,3}(?: \d{3})+|\d+)(?P<part>)",  # 1 234
    )
]
UNCLEAR = re.compile(r"[1-9]\d{0,2}\.\d{3}", re.ASCII)


def decimal(text: str) -> Decimal:
    """A number as people write it, in Italy first.

    12,5 and 12.5 are the same; 1.234,5 and 1 234,5 too. Raises ValueError for anything else, and
    for 1.234 alone, which is one thing in Italy and another one abroad.
    """
    bare = " ".join(text.split()).replace("−", "-")
    digits = bare[bare[:1] in {"-", "+"} :]
    found = next(filter(None, (pattern.fullmatch(digits) for pattern in NUMBERS)), None)
    if found is None or UNCLEAR.fullmatch(digits) or len(digits) > 30:
        raise ValueError(f"no number: {text!r}")
    whole = re.sub(r"\D", "", found["whole"])
    return Decimal(f"{'-' if bare[0] == '-' else ''}{whole}.{found['part'] or 0}")


# --- writing --------------------------------------------------------------------------------------


def csv_response(
    name: str, titles: Sequence[object], rows: Iterable[Sequence[object]]
) -> HttpResponse:
    """A table to take away, as the file `name`: Excel opens it at a double click, `read` reads it.

    Texts that a spreadsheet could take for a formula get a quote in front; our own numbers stay
    numbers, with the decimals of the page's language.
    """
    answer = HttpResponse(
        content_type="text/csv; charset=utf-8",
        headers={"Content-Disposition": f'attachment; filename="{name.removesuffix(".csv")}.csv"'},
    )
    answer.write("\ufeff")  # without it Excel does not know UTF-8
    writer = csv.writer(answer, delimiter=SEPARATORS[0])
    for row in [titles, *rows]:
        writer.writerow([_written(value) for value in row])
    return answer


def _written(value: object) -> str:
    match value:
        case None:
            return ""
        case Decimal():
            return f"{value:f}".replace(".", get_format("DECIMAL_SEPARATOR"))
        case int() | date():
            return str(value)
    text = str(value)
    return f"'{text}" if RISKY.match(text) else text


# --- what is too large to be received -------------------------------------------------------------


class FirstMegabytes(FileUploadHandler):
    """Lets through a file to a little beyond `MAX_SIZE`; what comes after is kept nowhere.

    The handlers that come after it see a file that is too large, as the form will; neither memory
    nor disk holds more.
    """

    def receive_data_chunk(self, raw_data: bytes, start: int) -> bytes | None:
        return raw_data if start <= MAX_SIZE else None

    def file_complete(self, file_size: int) -> None:
        """Whoever comes after has the file."""
