"""Tables that come in and go out: what is read, what is refused in words, what cannot do harm."""

from __future__ import annotations

import io
import os
import time
import zipfile
from collections.abc import Iterator, Sequence
from datetime import date, datetime, timedelta
from decimal import Decimal
from typing import Any

import pytest
from django.core.files.uploadedfile import SimpleUploadedFile
from django.core.files.uploadhandler import TemporaryFileUploadHandler
from django.http import HttpRequest
from django.test import RequestFactory
from django.test.client import BOUNDARY, MULTIPART_CONTENT, encode_multipart
from django.utils import translation
from openpyxl import Workbook
from openpyxl.worksheet.formula import ArrayFormula

from figf import spreadsheets
from figf.errors import Refused
from figf.spreadsheets import Column, Row, Sheet, csv_response, decimal, read, read_text

COLUMNS = (
    Column("surname", "Surname", ("cognome", "surname"), required=True),
    Column("name", "First name", ("nome", "first name", "name")),
    Column("town", "Town", ("città", "town")),
)
POINTS = (
    Column("player", "Player", ("giocatore", "player")),
    Column("points", "Points", ("punti", "points"), required=True),
)


@pytest.fixture(autouse=True)
def in_english(nobody_s_language: None) -> Iterator[None]:
    """What is refused is told here by its English words."""
    with translation.override("en"):
        yield


def csv_file(text: str | bytes, encoding: str = "utf-8") -> SimpleUploadedFile:
    return SimpleUploadedFile(
        "soci.csv", text if isinstance(text, bytes) else text.encode(encoding)
    )


def workbook(*rows: Sequence[Any], edit: Any = None) -> bytes:
    """An XLSX of these rows, as a spreadsheet would save it."""
    made = Workbook()
    for row in rows:
        made.active.append(row)
    if edit:
        edit(made)
    saved = io.BytesIO()
    made.save(saved)
    return saved.getvalue()


def xlsx_file(*rows: Sequence[Any], edit: Any = None) -> SimpleUploadedFile:
    return SimpleUploadedFile("soci.xlsx", workbook(*rows, edit=edit))


def repacked(content: bytes, **changed: bytes) -> bytes:
    """The same XLSX, some of its parts replaced or added; the name's slashes are written `__`."""
    parts = {name.replace("__", "/"): data for name, data in changed.items()}
    made = io.BytesIO()
    with (
        zipfile.ZipFile(io.BytesIO(content)) as old,
        zipfile.ZipFile(made, "w", zipfile.ZIP_DEFLATED) as new,
    ):
        for name in old.namelist():
            new.writestr(name, parts.pop(name, old.read(name)))
        for name, data in parts.items():
            new.writestr(name, data)
    return made.getvalue()


SHEET = "xl/worksheets/sheet1.xml"
NAMESPACE = "http://schemas.openxmlformats.org/spreadsheetml/2006/main"


def sheet_of(inside: str, before: str = "") -> bytes:
    data = f'<worksheet xmlns="{NAMESPACE}"><sheetData>{inside}</sheetData></worksheet>'
    return f'<?xml version="1.0"?>{before}{data}'.encode()


def with_sheet(inside: str, before: str = "") -> SimpleUploadedFile:
    """An XLSX whose sheet is written by hand, as no spreadsheet would."""
    content = repacked(
        workbook(["Cognome"]), **{SHEET.replace("/", "__"): sheet_of(inside, before)}
    )
    return SimpleUploadedFile("soci.xlsx", content)


def cells(sheet: Sheet) -> list[list[str]]:
    return [list(row.cells.values()) for row in sheet.rows]


def refused(upload: SimpleUploadedFile, columns: Sequence[Column] = COLUMNS) -> Refused:
    with pytest.raises(Refused) as caught:
        read(upload, columns)
    assert caught.value.field == "file"
    assert str(caught.value.text)
    return caught.value


# --- CSV ------------------------------------------------------------------------------------------


@pytest.mark.parametrize("encoding", ["utf-8", "utf-8-sig", "cp1252", "utf-16"])
@pytest.mark.parametrize("separator", [";", ",", "\t"])
@pytest.mark.parametrize("end", ["\n", "\r\n", "\r"])
def test_a_csv_is_read_however_it_was_saved(encoding: str, separator: str, end: str) -> None:
    lines = ["Cognome;Nome;Città", "D’Angelo;Nicolò;Forlì", "Èrcoli;Zoè;Cantù"]
    text = end.join(lines).replace(";", separator) + end
    sheet = read(csv_file(text, encoding), COLUMNS)
    assert cells(sheet) == [["D’Angelo", "Nicolò", "Forlì"], ["Èrcoli", "Zoè", "Cantù"]]
    assert [row.line for row in sheet.rows] == [2, 3]


def test_titles_are_known_by_their_letters_and_stand_in_any_order() -> None:
    sheet = read(csv_file("FIRST-NAME;Anno;  cognóme \nIvo;1970;Bo\n"), COLUMNS)
    assert sheet == Sheet((Row(2, {"surname": "Bo", "name": "Ivo", "town": ""}),), ("Anno",))


def test_blank_lines_are_nobodys_and_the_others_keep_their_number() -> None:
    sheet = read(csv_file("\n  \n;;\nCognome;Nome\n\nBo;Ivo\n;\nRe;Ada"), COLUMNS)
    assert [(row.line, row.cells["surname"]) for row in sheet.rows] == [(6, "Bo"), (8, "Re")]


def test_quotes_hold_separators_quotes_and_nothing_else() -> None:
    sheet = read(csv_file('Cognome;Città\n"De ""Gigi""";"Roma; EUR"\n'), COLUMNS)
    assert cells(sheet) == [['De "Gigi"', "", "Roma; EUR"]]


def test_a_cell_of_two_lines_is_a_fault_and_the_next_row_keeps_its_place() -> None:
    """Two quotation marks out of place would otherwise swallow the rows between them."""
    sheet = read(csv_file('Cognome;Nome\nBo;"Ivo\nRe;Ada"\nLo;Eva\n'), COLUMNS)
    assert [(row.line, bool(row.faults)) for row in sheet.rows] == [(2, True), (4, False)]


@pytest.mark.parametrize("text", ['Cognome\n"Bo\nRe\n', 'Cognome\n"Bo"Re\n'])
def test_a_quotation_mark_left_open_is_refused_with_its_line(text: str) -> None:
    refusal = refused(csv_file(text))
    assert refusal.reason == "file_broken"
    assert "Line 2" in str(refusal.text)


def test_what_cannot_be_seen_is_gone_and_spaces_are_one() -> None:
    sheet = read(csv_file("Cognome;Nome\nDe\u200b\u00a0 Santis\u202e; Anna  Rita\x07 \n"), COLUMNS)
    assert cells(sheet) == [["De Santis", "Anna Rita", ""]]


def test_letters_are_composed() -> None:
    sheet = read(csv_file("Cognome\nNicolo\u0300\n"), COLUMNS)
    assert cells(sheet)[0][0] == "Nicolò"


def test_a_formula_in_a_csv_is_a_fault_of_its_row_by_the_name_of_the_cell() -> None:
    sheet = read(csv_file("Cognome;Nome;Altro\nBo;=1+1;=2\n'=Re;Ada;\n"), COLUMNS)
    assert sheet.rows[0].faults == ("Cell B2 holds a formula: write its value.",)
    assert sheet.rows[1] == Row(3, {"surname": "=Re", "name": "Ada", "town": ""})


def test_a_cell_has_three_hundred_characters_at_most() -> None:
    sheet = read(csv_file(f"Cognome;Nome\n{'a' * 300};b\nBo;{'b' * 301}\n"), COLUMNS)
    assert [len(row.faults) for row in sheet.rows] == [0, 1]
    assert "B3" in sheet.rows[1].faults[0]


REFUSALS: dict[str, tuple[bytes, str]] = {
    "nothing": (b"", "file_empty"),
    "NUL bytes": (b"Cognome\nB\x00o\n", "not_a_table"),
    "UTF-16 without its mark": ("Cognome\nBo\n".encode("utf-16-le"), "not_a_table"),
    "a PDF": (b"%PDF-1.7\n%\xe2\xe3\xcf\xd3\n1 0 obj\n", "not_a_table"),
    "an old XLS": (b"\xd0\xcf\x11\xe0\xa1\xb1\x1a\xe1" + bytes(600), "not_a_table"),
    "a PNG": (b"\x89PNG\r\n\x1a\n" + bytes(60), "not_a_table"),
    "a JPEG": (b"\xff\xd8\xff\xe0\x00\x10JFIF", "not_a_table"),
    "a page of the web": (b"<html><body><table><tr><td>Cognome", "not_a_table"),
    "half a UTF-16": (b"\xff\xfeC\x00o", "file_broken"),
    "no known encoding": (b"Cognome\nB\x81o\n", "file_broken"),
    "only titles": (b"Cognome;Nome\n", "no_rows"),
    "only blank lines": (b"\n\n  \n;;;\n", "no_rows"),
    "without the surname": (b"Nome;Club\nIvo;X\n", "column_missing"),
    "without titles": (b"Bo;Ivo\nRe;Ada\n", "column_missing"),
    "one column twice": (b"Cognome;Nome;First name\nBo;Ivo;I\n", "column_twice"),
    "2001 rows": (b"Cognome\n" + b"Bo\n" * 2001, "too_many_rows"),
    "41 columns": (b"Cognome" + b";x" * 40 + b"\nBo\n", "too_many_columns"),
    "a cell like a book": (b'Cognome\n"' + b"a" * 200_000 + b'"\n', "file_broken"),
    "a ZIP of something else": (b"PK\x05\x06" + bytes(18), "not_a_table"),
    "no ZIP after all": (b"PK\x03\x04" + os.urandom(400), "file_broken"),
}


@pytest.mark.parametrize(("content", "reason"), REFUSALS.values(), ids=REFUSALS)
def test_what_is_no_table_is_refused_in_words(content: bytes, reason: str) -> None:
    assert refused(csv_file(content)).reason == reason


def test_a_missing_column_is_named_beside_those_that_were_found() -> None:
    text = str(refused(csv_file("Nome;Club\nIvo;X\n")).text)
    assert "“Surname”" in text
    assert "“Nome”, “Club”" in text


def test_two_thousand_rows_of_forty_columns_are_a_table() -> None:
    titles = ";".join(["Cognome", *(f"c{n}" for n in range(39))])
    sheet = read(csv_file(titles + "\n" + ("Bo" + ";x" * 39 + "\n") * 2000), COLUMNS)
    assert len(sheet.rows) == 2000


def test_what_has_no_title_is_left_aside_by_its_letter() -> None:
    sheet = read(csv_file("Cognome;;Note\nBo;Ivo;x;y\n"), COLUMNS)
    assert sheet.ignored == ("Note", "B", "D")


# --- typed ----------------------------------------------------------------------------------------


def test_lines_without_titles_are_in_the_order_of_the_columns() -> None:
    sheet = read_text("Bo Ivo;120\n\nRe Ada;80,0\n", POINTS)
    assert cells(sheet) == [["Bo Ivo", "120"], ["Re Ada", "80,0"]]
    assert [row.line for row in sheet.rows] == [1, 3]


def test_lines_with_titles_say_their_own_order() -> None:
    assert cells(read_text("Punti\tGiocatore\n120\tBo Ivo\n", POINTS)) == [["Bo Ivo", "120"]]


@pytest.mark.parametrize("text", ["", "  \n", "a\0b", "x" * (5 * 1024 * 1024 + 1)])
def test_lines_that_are_none_are_refused_where_they_were_typed(text: str) -> None:
    with pytest.raises(Refused) as caught:
        read_text(text, POINTS)
    assert caught.value.field == ("file" if len(text) > 100 else "text")


# --- XLSX -----------------------------------------------------------------------------------------


def test_an_xlsx_is_known_by_what_it_is_and_not_by_its_name() -> None:
    upload = SimpleUploadedFile("soci.csv", workbook(["Cognome", "Nome"], ["D'Angelo", "Nicolò"]))
    assert cells(read(upload, COLUMNS)) == [["D'Angelo", "Nicolò", ""]]


def test_numbers_and_days_become_what_a_reader_sees() -> None:
    titles = ["Cognome", "Nome", "Città"]
    values = [1830, 1830.0, 12.5, True, date(2026, 3, 14), datetime(2026, 3, 14, 9, 30)]  # noqa: DTZ001 - a cell has no zone
    upload = xlsx_file(titles, values[:3], values[3:], ["Bo", timedelta(hours=1), None])
    assert cells(read(upload, COLUMNS)) == [
        ["1830", "1830", "12.5"],
        ["TRUE", "2026-03-14", "2026-03-14 09:30"],
        ["Bo", "1:00:00", ""],
    ]


def test_a_formula_or_an_error_is_a_fault_of_its_row_by_the_name_of_the_cell() -> None:
    def edit(book: Any) -> None:
        book.active["B2"] = "=SUM(1,2)"
        book.active["A3"] = ArrayFormula("A3", "=1")
        book.active["A4"] = "#REF!"

    upload = xlsx_file(["Cognome", "Nome"], ["Bo", ""], ["", "Ada"], ["", "Eva"], edit=edit)
    assert [row.faults for row in read(upload, COLUMNS).rows] == [
        ("Cell B2 holds a formula: write its value.",),
        ("Cell A3 holds a formula: write its value.",),
        ("Cell A4 holds an error.",),
    ]


def test_the_first_sheet_that_can_be_seen_is_read() -> None:
    def edit(book: Any) -> None:
        book.active.sheet_state = "hidden"
        other = book.create_sheet("Soci")
        other.append(["Cognome"])
        other.append(["Bo"])
        book.active = 1

    assert cells(read(xlsx_file(["Cognome"], ["Nascosto"], edit=edit), COLUMNS))[0][0] == "Bo"


def test_rows_and_columns_far_out_are_found_whatever_the_sheet_says_of_its_size() -> None:
    def edit(book: Any) -> None:
        book.active["D7"] = "Cognome"
        book.active["D20"] = "Bo"

    content = workbook(edit=edit)
    with zipfile.ZipFile(io.BytesIO(content)) as archive:
        sheet = archive.read(SHEET).replace(b'ref="D7:D20"', b'ref="A1"')
    assert b'ref="A1"' in sheet
    upload = SimpleUploadedFile("x", repacked(content, **{SHEET.replace("/", "__"): sheet}))
    assert read(upload, COLUMNS).rows == (Row(20, {"surname": "Bo", "name": "", "town": ""}),)


@pytest.mark.parametrize("rows", [[], [["Cognome", "Nome"]]])
def test_an_xlsx_without_rows_is_refused(rows: list[list[str]]) -> None:
    assert refused(xlsx_file(*rows)).reason == "no_rows"


@pytest.mark.parametrize("cut", [0.1, 0.5, 0.9, 0.99])
def test_a_truncated_xlsx_is_refused(cut: float) -> None:
    content = workbook(["Cognome"], *[[f"Bo {n}"] for n in range(200)])
    assert refused(csv_file(content[: int(len(content) * cut)])).reason == "file_broken"


BROKEN_SHEETS = {
    "no XML": ("<row><c", ""),
    "a string that is not there": ('<row r="1"><c r="A1" t="s"><v>99</v></c></row>', ""),
    "a cell nowhere": ('<row r="1"><c r="ZZZZZ1" t="str"><v>x</v></c></row>', ""),
    "a row that is no number": ('<row r="uno"><c r="A1"><v>1</v></c></row>', ""),
    "entities that swell": (
        '<row r="1"><c r="A1" t="str"><v>&b;</v></c></row>',
        '<!DOCTYPE x [<!ENTITY a "aaaaaaaaaa"><!ENTITY b "&a;&a;&a;&a;">]>',
    ),
    "an entity from outside": (
        '<row r="1"><c r="A1" t="str"><v>&x;</v></c></row>',
        '<!DOCTYPE x [<!ENTITY x SYSTEM "file:///etc/passwd">]>',
    ),
}


@pytest.mark.parametrize(("inside", "before"), BROKEN_SHEETS.values(), ids=BROKEN_SHEETS)
def test_a_workbook_that_no_spreadsheet_would_write_is_refused(inside: str, before: str) -> None:
    assert refused(with_sheet(inside, before)).reason == "file_broken"


def test_a_document_of_another_program_is_no_table() -> None:
    made = io.BytesIO()
    with zipfile.ZipFile(made, "w") as archive:
        archive.writestr("[Content_Types].xml", "<Types/>")
        archive.writestr("word/document.xml", "<document/>")
    assert refused(csv_file(made.getvalue())).reason == "not_a_table"


def test_an_xlsx_that_unpacks_to_more_than_a_table_is_refused_before_it_is_read() -> None:
    """One part packed a thousand to one; or fifty-five megabytes packed thirty to one."""
    book = workbook(["Cognome"], ["Bo"])
    zeros = repacked(book, xl__media__a=bytes(30 * 1024 * 1024))
    block = os.urandom(30_000)
    words = b"".join(block + os.urandom(500) for _ in range(300))
    many = repacked(book, **{f"xl__media__{n}": words for n in range(6)})
    assert len(zeros) < len(many) < spreadsheets.MAX_SIZE
    for content in (zeros, many):
        begun = time.process_time()
        assert refused(csv_file(content)).reason == "file_too_large"
        assert time.process_time() - begun < 1


def test_a_zip_that_lies_about_its_size_is_not_unpacked() -> None:
    """The part says that it holds 100 bytes; what it packs would be twenty million."""
    book = workbook(["Cognome"], ["Bo"])
    bomb = sheet_of('<row r="1"><c r="A1" t="str"><v>' + "a" * 20_000_000 + "</v></c></row>")
    content = repacked(book, **{SHEET.replace("/", "__"): bomb})
    true_size, lie = len(bomb).to_bytes(4, "little"), (100).to_bytes(4, "little")
    assert content.count(true_size) >= 2  # in the part's own head, and in the directory
    refusal = refused(csv_file(content.replace(true_size, lie)))
    assert refusal.reason == "file_broken"


@pytest.mark.parametrize(
    "inside",
    [
        '<row r="999999999999"><c r="A999999999999" t="str"><v>x</v></c></row>',
        '<row r="1"><c r="A1" t="str"><v>Cognome</v></c></row>'
        + "".join(f'<row r="{n}"><c r="XFD{n}"/></row>' for n in range(2, 3000)),
    ],
    ids=["a row beyond every sheet", "cells at the far edge"],
)
def test_a_sheet_that_pretends_to_be_immense_is_left_at_once(inside: str) -> None:
    begun = time.process_time()  # not what others do on the machine meanwhile
    assert refused(with_sheet(inside)).reason in {"no_rows", "too_many_columns"}
    assert time.process_time() - begun < 3


# --- numbers --------------------------------------------------------------------------------------


@pytest.mark.parametrize(
    ("text", "number"),
    [
        ("12", "12"),
        ("12,5", "12.5"),
        ("12.5", "12.5"),
        ("1.234,5", "1234.5"),
        ("1,234.5", "1234.5"),
        ("1 234", "1234"),
        ("1\u00a0234,50", "1234.50"),
        ("1.234.567", "1234567"),
        (" 7 ", "7"),
        ("-3", "-3"),
        ("−3,5", "-3.5"),
        ("+4", "4"),
        ("0.125", "0.125"),
        ("120,0", "120"),
    ],
)
def test_a_number_is_read_as_people_write_it(text: str, number: str) -> None:
    assert decimal(text) == Decimal(number)


@pytest.mark.parametrize(
    "text",
    [
        *("", "-", "abc", "1.234", "12,", ",5", "1.23.4", "1 23", "12 30", "1e4", "0x10", "٧", "½"),
        *("1.2.3,4", "1,2,3", "--3", "9" * 40, "NaN", "Infinity", "1.234.56", "€ 10"),
    ],
)
def test_what_is_no_number_or_two_is_refused(text: str) -> None:
    with pytest.raises(ValueError, match="no number"):
        decimal(text)


# --- what goes out --------------------------------------------------------------------------------

DANGEROUS = ["=1+1", "+39 055", "-Bo", "@Re", "'=Lo", "''-x", "D'Angelo", "'ndrangolo"]


def test_a_table_that_goes_out_comes_back_as_it_was() -> None:
    rows = [["Cognome", "Nome", "Città"], *([text, 'À; "b"', "c"] for text in DANGEROUS)]
    answer = csv_response("soci", rows[0], rows[1:])
    assert answer["Content-Type"] == "text/csv; charset=utf-8"
    assert answer["Content-Disposition"] == 'attachment; filename="soci.csv"'
    assert answer.content.startswith(b"\xef\xbb\xbfCognome;Nome;")
    sheet = read(csv_file(answer.content), COLUMNS)
    assert cells(sheet) == rows[1:]
    assert all(not row.faults for row in sheet.rows)


def test_no_text_of_a_table_that_goes_out_begins_like_a_formula_and_our_numbers_stay_numbers() -> (
    None
):
    values = ["=1", "+1", "-1", "@a", "\tb", "\rc", -5, Decimal("-2.50"), None, date(2026, 3, 14)]
    with translation.override("it"):
        body = csv_response("x.csv", ["a"], [values]).content.decode("utf-8-sig")
    written = body.split("\r\n", 1)[1].split(";")
    assert written[:4] == ["'=1", "'+1", "'-1", "'@a"]
    assert written[4].strip('"').startswith("'")
    assert body.endswith(";-5;-2,50;;2026-03-14\r\n")
    with translation.override("en"):
        english = csv_response("x.csv", ["a"], [values]).content.decode("utf-8-sig")
    assert english.endswith(";-5;-2.50;;2026-03-14\r\n")


# --- uploads --------------------------------------------------------------------------------------


def test_of_a_large_upload_little_more_than_the_limit_is_kept(monkeypatch: Any) -> None:
    """Fifty megabytes come in; neither memory nor disk ever holds more than five and a bit."""
    kept = 0
    receive = TemporaryFileUploadHandler.receive_data_chunk

    def counting(self: Any, raw_data: bytes, start: int) -> Any:
        nonlocal kept
        kept += len(raw_data)
        return receive(self, raw_data, start)

    monkeypatch.setattr(TemporaryFileUploadHandler, "receive_data_chunk", counting)
    request = upload_of(50)
    upload: Any = request.FILES["file"]
    assert spreadsheets.MAX_SIZE < upload.size == kept < spreadsheets.MAX_SIZE + 100_000
    assert request.POST["after"] == "still read"
    assert refused(upload).reason == "file_too_large"
    upload.close()


def test_an_upload_at_the_limit_is_whole() -> None:
    upload: Any = upload_of(5).FILES["file"]
    assert upload.size == spreadsheets.MAX_SIZE
    upload.close()


def upload_of(megabytes: int) -> HttpRequest:
    large = SimpleUploadedFile("x.csv", b"Cognome\n" * (megabytes * 1024 * 1024 // 8))
    body = encode_multipart(BOUNDARY, {"file": large, "after": "still read"})
    return RequestFactory().generic("POST", "/", body, MULTIPART_CONTENT)
