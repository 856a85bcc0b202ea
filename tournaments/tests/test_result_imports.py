"""The results of a round from a file: shown first, then all confirmed together or not at all.

Percentiles by hand: 7500, 7200, 6600 and 0 are worth 1540, 960, 880 and 0 (C-01, C-02).
"""

from __future__ import annotations

from functools import partial
from io import BytesIO
from typing import Any

import pytest
from django.core import signing
from django.core.files.uploadedfile import SimpleUploadedFile
from django.test import Client
from openpyxl import Workbook

from figf import web
from figf.errors import Refused
from figf.models import Email
from figf.tests.cast import (
    NOW,
    Cast,
    Page,
    at_once,
    make_cast,
    make_event,
    make_player,
    percentiles,
    record,
    reread,
    seats_of,
    tables_of,
    totals,
    visitor,
)
from tournaments import services
from tournaments.models import Event, Holder, Result, Round, Table
from tournaments.tests.test_views import nothing_written

db = pytest.mark.django_db
both = pytest.mark.both

TITLES = "Tavolo;Cognome;Nome;Azioni;Contante;Totale"


@pytest.fixture
def cast() -> Cast:
    return make_cast()


@pytest.fixture
def tables(cast: Cast) -> list[Table]:
    """Two tables of three, in one round of Alice's event under way."""
    names = ["Abete", "Betulla", "Cedro", "Dattero", "Edera", "D'Ontano"]
    people = [make_player(name, f"Nome {n}") for n, name in enumerate(names)]
    return tables_of(make_event(players=people, sizes=[3, 3]))


@pytest.fixture
def alice(cast: Cast) -> Client:
    return visitor(cast.alice)


FIRST = ["1;Abete;Nome 0;6100;1400;", "1;Betulla;Nome 1;;;7.200", "1;Cedro;Nome 2;5000;1600;6600"]
SECOND = ["2;Dattero;Nome 3;;;4000", "2;Edera;Nome 4;;;3000", "2;D'Ontano;Nome 5;;;1000"]


def at(tables: list[Table]) -> str:
    return f"/turni/{tables[0].round_id}/risultati/"


def post(client: Client, tables: list[Table], lines: list[str] | bytes, name: str = "r.csv") -> Any:
    data = lines if isinstance(lines, bytes) else "\r\n".join([TITLES, *lines]).encode()
    return client.post(at(tables), {"file": SimpleUploadedFile(name, data)})


def confirm(client: Client, tables: list[Table], report: Any, *recounted: object) -> Any:
    form = {
        "sealed": str(Page(report).boxes["sealed"]),
        "recounted": [str(pk) for pk in recounted],
    }
    return client.post(at(tables), form)


def verdicts(report: Any) -> list[str]:
    return [str(judged.verdict) for judged in report.context["report"].rows]


def of_tables(report: Any) -> list[str]:
    return [str(judged.verdict) for judged in report.context["report"].tables]


# --- shown, then written --------------------------------------------------------------------------


@db
@both
def test_a_file_is_first_shown_and_then_confirmed(
    cast: Cast, tables: list[Table], alice: Client
) -> None:
    with nothing_written():
        report = post(alice, tables, [*FIRST, *SECOND])
    assert report.status_code == 200
    assert (verdicts(report), of_tables(report)) == (["taken"] * 6, ["ready"] * 2)
    text = Page(report).text
    for figure in ("1540", "960", "880", "7500"):
        assert figure in text
    answer = confirm(alice, tables, report)
    assert (answer.status_code, answer["Location"]) == (302, f"/eventi/{tables[0].event.pk}/")
    results = [reread(table).confirmed() for table in tables]
    assert [r and r.by for r in results] == [cast.alice] * 2
    assert results[0]
    assert results[1]
    assert percentiles(results[0]) == ["1540.00", "960.00", "880.00"]
    # 4000, 3000, 1000: bases 1000, 750, 250, and the first gets 500 + 250 more.
    assert percentiles(results[1]) == ["1750.00", "750.00", "250.00"]
    facts = [line.facts for line in results[0].lines.order_by("seat__position")]
    assert facts == [
        {"stocks": 6100, "cash": 1400},
        {"total": 7200},
        {"stocks": 5000, "cash": 1600},
    ]


@db
@both
def test_an_xlsx_with_whole_names_in_one_column_is_read(tables: list[Table], alice: Client) -> None:
    book = Workbook()
    sheet: Any = book.active
    sheet.append(["Table", "Player", "Total"])
    sheet.append(["Tavolo 1", "nome 0 ABETE", 7500])
    sheet.append([1, "Betulla Nome 1", 7200.0])
    sheet.append([1.0, "cedro nome 2", "6600"])
    kept = BytesIO()
    book.save(kept)
    report = post(alice, tables, kept.getvalue(), "r.xlsx")
    assert (verdicts(report), of_tables(report)) == (["taken"] * 3, ["ready", "left"])
    assert confirm(alice, tables, report).status_code == 302
    assert reread(tables[0]).confirmed()
    assert reread(tables[1]).confirmed() is None


@db
@both
def test_the_table_to_fill_in_has_tables_and_names_and_is_read_back(
    tables: list[Table], alice: Client
) -> None:
    wicked = make_player("=1+1", "@Ugo")
    Holder.objects.filter(seat=seats_of(tables[1])[2]).update(player=wicked)
    record(tables[0], 7500, 7200, 6600)
    answer = alice.get(f"/turni/{tables[0].round_id}/risultati.csv")
    assert answer["Content-Type"].startswith("text/csv")
    content = answer.content.decode("utf-8-sig")
    assert "1;Abete;Nome 0;;;7500" in content
    assert "2;Edera;Nome 4;;;" in content
    assert "2;'=1+1;'@Ugo;;;" in content
    filled = content.replace("Nome 3;;;", "Nome 3;;;4000").replace("Nome 4;;;", "Nome 4;;;3000")
    filled = filled.replace("'@Ugo;;;", "'@Ugo;;;1000")
    report = post(alice, tables, filled.encode("utf-8-sig"))
    assert verdicts(report) == ["same"] * 3 + ["taken"] * 3
    assert confirm(alice, tables, report).status_code == 302
    assert [len(reread(table).results.all()) for table in tables] == [1, 1]


@db
@both
def test_a_table_left_empty_is_left_for_later(tables: list[Table], alice: Client) -> None:
    empty = [line.rpartition(";")[0] + ";" for line in SECOND]
    report = post(alice, tables, [*FIRST, *empty])
    assert (verdicts(report), of_tables(report)) == (
        ["taken"] * 3 + ["empty"] * 3,
        ["ready", "left"],
    )
    report = post(alice, tables, empty)
    assert "There is no new result to write." in Page(report).text
    assert "sealed" not in Page(report).boxes


@db
@both
def test_a_draft_of_the_referee_is_confirmed_and_told_where_it_differs(
    cast: Cast, tables: list[Table], alice: Client
) -> None:
    for table, amounts in zip(tables, [(7500, 7200, 6600), (4000, 3000, 999)], strict=True):
        services.send_draft(table.pk, totals(table, *amounts), 0, cast.carla, NOW)
    lines = [FIRST[0].replace("6100;1400;", ";;7500"), FIRST[1], "1;Cedro;Nome 2;;;6600", *SECOND]
    report = post(alice, tables, lines)
    assert [judged.contradicts for judged in report.context["report"].tables] == [False, True]
    assert Page(report).text.count("The referee sent other totals") == 1
    assert confirm(alice, tables, report).status_code == 302
    told = [reread(table).confirmed() for table in tables]
    assert [r and (r.version, r.entered_by) for r in told] == [(2, cast.carla), (2, cast.alice)]


# --- what is wrong --------------------------------------------------------------------------------

WRONG: dict[str, tuple[list[str], str, str]] = {  # the rows, verdict of the last, what is said
    "no such table": (["9;Abete;Nome 0;;;1"], "no_table", "no table “9”"),
    "no table": ([";Abete;Nome 0;;;1"], "no_table", "no table"),
    "a table in words": (["uno;Abete;Nome 0;;;1"], "no_table", "no table “uno”"),
    "a negative table": (["-1;Abete;Nome 0;;;1"], "no_table", "no table"),
    "a broken number": (["1.1;Abete;Nome 0;;;1"], "no_table", "no table"),
    "digits of another script": (["١;Abete;Nome 0;;;1"], "no_table", "no table"),
    "huge": ([f"{'9' * 40};Abete;Nome 0;;;1"], "no_table", "no table"),
    "another table": (["2;Abete;Nome 0;;;1"], "not_there", "He sits at table 1."),
    "nobody": (["1;Nessuno;;;;1"], "not_there", "Abete Nome 0, Betulla Nome 1"),
    "no name": (["1;;;;;1"], "not_there", "The player is missing."),
    "only a surname": (["1;Abete;;;;1"], "not_there", "Nobody of that name"),
    "twice": ([*FIRST, FIRST[0]], "twice", "He is in row 2 too."),
    "letters": ([*FIRST[:2], "1;Cedro;Nome 2;;;abc"], "amount", "Total “abc”: "),
    "decimals": ([*FIRST[:2], "1;Cedro;Nome 2;;;66,5"], "amount", "Total “66,5”: "),
    "too large": ([*FIRST[:2], "1;Cedro;Nome 2;;;99999999999"], "amount", "“99999999999”: "),
    "far too long": (
        [*FIRST[:2], f"1;Cedro;Nome 2;;;{'x' * 60}"],
        "amount",
        f"Total “{'x' * 39}…”: ",
    ),
    "too large together": (
        [*FIRST[:2], "1;Cedro;Nome 2;1000000000;1000000001;"],
        "amount",
        "too large",
    ),
    "negative": ([*FIRST[:2], "1;Cedro;Nome 2;;;-5"], "amount", "-5: The amount cannot"),
    "half a seat": ([*FIRST[:2], "1;Cedro;Nome 2;100;;"], "amount", "both shares and cash"),
    "parts that do not add up": ([*FIRST[:2], "1;Cedro;Nome 2;1;1;3"], "amount", "total"),
    "a formula": ([*FIRST[:2], "1;Cedro;Nome 2;;;=1+1"], "amount", "holds a formula"),
}


@db
@both
def test_a_wrong_row_is_told_and_nothing_can_be_confirmed(
    tables: list[Table], alice: Client
) -> None:
    for what, (lines, verdict, words) in WRONG.items():
        with nothing_written():
            report = post(alice, tables, lines)
        assert report.status_code == 200, what
        assert verdicts(report)[-1] == verdict, what
        page = Page(report)
        assert words in page.text, what
        assert "sealed" not in page.boxes, what
        assert page.inline == []


@db
@both
def test_a_table_with_missing_seats_or_refused_as_a_whole_stops_everything(
    tables: list[Table], alice: Client
) -> None:
    zeros = [line.rpartition(";")[0] + ";0" for line in SECOND]
    for lines, told in (
        ([*FIRST, *SECOND[:2]], ["ready", "incomplete"]),
        ([*FIRST, *SECOND[:2], "2;D'Ontano;Nome 5;;;"], ["ready", "incomplete"]),
        ([*FIRST, *zeros], ["ready", "refused"]),
    ):
        report = post(alice, tables, lines)
        assert of_tables(report) == told
        assert "sealed" not in Page(report).boxes
    rows = [services.ResultRow(2, "1", "Abete Nome 0", {"total": 5})]
    seated = Round.objects.with_seating().get(pk=tables[0].round_id)
    seen = services.judge_results(seated, rows).fingerprint
    with nothing_written(), pytest.raises(Refused) as refusal:
        services.import_results(seated, rows, make_cast().alice, NOW, seen=seen)
    assert refusal.value.reason == "incomplete"


@db
@both
def test_a_confirmed_table_is_told_and_not_corrected_from_a_file(
    tables: list[Table], alice: Client
) -> None:
    record(tables[0], 7500, 7200, 6000)
    with nothing_written():
        report = post(alice, tables, [*FIRST, *SECOND])
    assert verdicts(report)[:3] == ["same", "same", "confirmed"]
    assert "with 6000: correct it on the table's sheet" in Page(report).text
    assert "sealed" not in Page(report).boxes


@db
@both
def test_the_words_of_one_and_of_many_are_told_apart_and_the_quotes_are_the_language_s(
    cast: Cast, tables: list[Table]
) -> None:
    italian = visitor(cast.alice, "it")
    text = " ".join(Page(post(italian, tables, FIRST)).text.split())
    assert "1 tavolo completo" in text
    assert "3 righe prese" in text
    answer = post(italian, tables, b"Cognome;Totale\r\nAbete;5\r\n")
    assert "Nessuna colonna si chiama «Tavolo»" in Page(answer).text
    assert "ci sono: «Cognome», «Totale»." in Page(answer).text


@db
@both
def test_two_of_one_name_at_a_table_are_not_guessed(cast: Cast, alice: Client) -> None:
    people = [make_player("Verdi", "Ugo"), make_player("Rossi", "Ivo")]
    people.append(services.register_player("Verdi", "Ugo", cast.sara, NOW, another=True))
    tables = tables_of(make_event(players=people))
    report = post(alice, tables, ["1;Verdi;Ugo;;;5"])
    assert verdicts(report) == ["not_there"]
    assert "Two seats of this table have that name" in Page(report).text


@db
@both
def test_a_referee_s_seat_is_found_by_his_office(tables: list[Table], alice: Client) -> None:
    seat = seats_of(tables[0])[2]
    Holder.objects.filter(seat=seat).update(player=None, why="referee")
    content = alice.get(f"/turni/{tables[0].round_id}/risultati.csv").content.decode()
    assert "1;a referee;;;;" in content
    report = post(alice, tables, [*FIRST[:2], "1;Un arbitro;;;;6600"])
    assert verdicts(report) == ["taken"] * 3


# --- files that are none --------------------------------------------------------------------------


@db
@both
@pytest.mark.parametrize(
    ("data", "reason"),
    [
        (b"", "The file is empty."),
        (b"\x89PNG\r\n", "neither a CSV nor an XLSX"),
        (b"PK\x03\x04broken", "cannot be read"),
        (f"{TITLES}\r\n".encode(), "no row under the titles"),
        (b"Cognome;Totale\r\nAbete;5\r\n", "No column says"),
        (b"Tavolo;Totale\r\n1;5\r\n", "No column says"),
        (b"Tavolo;Cognome;Giocatore\r\n1;a;b\r\n", "Two columns say the same"),
        (b'Tavolo;Cognome;Totale\r\n1;"Abete;5\r\n', "quotation marks"),
        (f"{TITLES}\r\n1;{'x' * 140_000};;;;5\r\n".encode(), "A cell of line 2 is too long"),
        (("Tavolo;Cognome\r\n" + "1;A\r\n" * 2001).encode(), "more than 2000 rows"),
    ],
)
def test_a_file_that_cannot_be_read_is_refused_in_words(
    tables: list[Table], alice: Client, data: bytes, reason: str
) -> None:
    with nothing_written():
        answer = post(alice, tables, data)
    assert answer.status_code == 422
    assert reason in Page(answer).text


@db
@both
def test_no_file_is_refused(tables: list[Table], alice: Client) -> None:
    with nothing_written():
        for form in ({}, {"file": "text"}, {"other": "x"}):
            assert alice.post(at(tables), form).status_code == 422


# --- the second step ------------------------------------------------------------------------------


@db
@both
def test_a_seal_that_is_not_good_confirms_nothing(
    cast: Cast, tables: list[Table], alice: Client
) -> None:
    [elsewhere] = tables_of(make_event(players=3, name="Altrove"))
    report = post(alice, tables, FIRST)
    sealed = str(Page(report).boxes["sealed"])
    data = {"round": tables[0].round_id, "rows": [], "seen": ""}
    foreign = web.seal(data, "import_results", cast.sara)
    other = web.seal(data, "import_players", cast.alice)
    plain = signing.dumps(data)
    for forged in ("", "x", "a:b:c", sealed[:-1], f"x{sealed}", sealed * 2, foreign, other, plain):
        with nothing_written():
            answer = alice.post(at(tables), {"sealed": forged})
        assert answer.status_code == 422
        assert 'role="alert"' in answer.content.decode()
    with nothing_written():
        answer = alice.post(at([elsewhere]), {"sealed": sealed})
    assert answer.status_code == 422
    assert "the report of another round" in Page(answer).text


@db
@both
def test_a_tie_needs_the_tick(tables: list[Table], alice: Client) -> None:
    """C-06."""
    tied = [f"1;{name};;;7000" for name in ("Abete;Nome 0", "Betulla;Nome 1")]
    report = post(alice, tables, [*tied, FIRST[2], *SECOND])
    assert "recounted" in Page(report).boxes
    for wrong in ((), (tables[1].pk,), ("x", "9" * 400, "-1")):
        with nothing_written():
            answer = confirm(alice, tables, report, *wrong)
        assert answer.status_code == 422
        assert "First place is shared at table 1" in Page(answer).text
        assert "/regolamento/#C-06" in Page(answer).links
    assert confirm(alice, tables, answer, tables[0].pk).status_code == 302
    result = reread(tables[0]).confirmed()
    assert result
    assert percentiles(result)[:2] == ["1500.00", "1500.00"]


@db
@both
def test_what_changed_meanwhile_is_shown_and_nothing_is_written(
    cast: Cast, tables: list[Table], alice: Client
) -> None:
    report = post(alice, tables, [*FIRST, *SECOND])
    services.send_draft(tables[1].pk, totals(tables[1], 4000, 3000, 1000), 0, cast.carla, NOW)
    with nothing_written():
        answer = confirm(alice, tables, report)
    assert answer.status_code == 422
    assert "The tables have changed meanwhile" in Page(answer).text
    assert confirm(alice, tables, answer).status_code == 302  # looked at again, and confirmed
    report = post(alice, tables, FIRST)
    assert verdicts(report) == ["same"] * 3


@db
@both
def test_a_result_confirmed_meanwhile_stops_all(tables: list[Table], alice: Client) -> None:
    report = post(alice, tables, [*FIRST, *SECOND])
    record(tables[1], 9, 8, 7)
    with nothing_written():
        answer = confirm(alice, tables, report)
    assert answer.status_code == 422
    assert "sealed" not in Page(answer).boxes
    assert reread(tables[0]).confirmed() is None


@db
@both
def test_a_report_replayed_writes_nothing_more(tables: list[Table], alice: Client) -> None:
    report = post(alice, tables, [*FIRST, *SECOND])
    assert confirm(alice, tables, report).status_code == 302
    with nothing_written():
        assert confirm(alice, tables, report).status_code == 302  # the same click twice
    record(tables[0], 7500, 7200, 6000, version=1, reason="ricontato")
    with nothing_written():
        assert confirm(alice, tables, report).status_code == 422


@db
@both
def test_an_event_not_being_played_takes_no_file(tables: list[Table], alice: Client) -> None:
    report = post(alice, tables, FIRST)
    for status in ("enrolling", "closed", "cancelled"):
        Event.objects.filter(pk=tables[0].event.pk).update(status=status)
        start = Page(alice.get(at(tables)))
        assert "only while the event is under way" in start.text
        assert "file" not in start.boxes
        assert any("#reopen" in link for link in start.links) is (status == "closed")
        with nothing_written():
            answer = confirm(alice, tables, report)
        assert answer.status_code == 422
        assert "only while the event is under way" in Page(answer).text


@db
@both
def test_one_table_refused_in_the_end_leaves_none_written(
    cast: Cast, tables: list[Table], monkeypatch: pytest.MonkeyPatch
) -> None:
    """All in one transaction: what the second is refused for takes the first back."""
    done: list[Result] = []

    def second_refused(*given: Any, **more: Any) -> Result:
        if done:
            raise Refused("event_not_running", "x")
        done.append(services.record_table(*given, **more))
        return done[0]

    monkeypatch.setattr("tournaments.services.result_imports.record_table", second_refused)
    seated = Round.objects.with_seating().get(pk=tables[0].round_id)
    rows = [
        services.ResultRow(n, str(table.number), str(seat.holder().player), {"total": 10 * n})
        for n, (table, seat) in enumerate((t, s) for t in tables for s in seats_of(t))
    ]
    seen = services.judge_results(seated, rows).fingerprint
    with nothing_written(), pytest.raises(Refused):
        services.import_results(seated, rows, cast.alice, NOW, seen=seen)
    assert done


@db(transaction=True)
@both
def test_the_file_and_the_sheet_at_once_leave_one_result_a_table(
    cast: Cast, tables: list[Table]
) -> None:
    seated = Round.objects.with_seating().get(pk=tables[0].round_id)
    rows = [
        services.ResultRow(n, str(table.number), str(seat.holder().player), {"total": 10 * n})
        for n, (table, seat) in enumerate((t, s) for t in tables for s in seats_of(t))
    ]
    seen = services.judge_results(seated, rows).fingerprint
    by_file, by_hand = at_once(
        partial(services.import_results, seated, rows, cast.alice, NOW, seen=seen),
        partial(record, tables[1], 9, 8, 7, by=cast.sara),
    )
    won = {"file": isinstance(by_file, tuple), "hand": isinstance(by_hand, Result)}
    assert sum(won.values()) == 1
    assert getattr(by_hand if won["file"] else by_file, "reason", "") in {"stale", "round_changed"}
    assert Result.objects.filter(state="confirmed").count() == (2 if won["file"] else 1)


@db(transaction=True)
@both
def test_two_files_at_once_are_one(cast: Cast, tables: list[Table]) -> None:
    seated = Round.objects.with_seating().get(pk=tables[0].round_id)
    rows = [
        services.ResultRow(n, str(table.number), str(seat.holder().player), {"total": 10 * n})
        for n, (table, seat) in enumerate((t, s) for t in tables for s in seats_of(t))
    ]
    seen = services.judge_results(seated, rows).fingerprint
    mails = Email.objects.count()
    outcome = at_once(
        *[
            partial(services.import_results, seated, rows, by, NOW, seen=seen)
            for by in (cast.alice, cast.sara)
        ]
    )
    assert sorted(type(what).__name__ for what in outcome) == ["Refused", "tuple"]
    assert Result.objects.count() == 2
    assert Email.objects.count() == mails  # who plays here has no log-in


# --- who ------------------------------------------------------------------------------------------


@db
@both
@pytest.mark.parametrize(
    ("who", "status"),
    [(None, 302), ("dino", 404), ("bruno", 404), ("carla", 404), ("alice", 200), ("sara", 200)],
)
def test_only_who_runs_the_event_sends_a_file(
    cast: Cast, tables: list[Table], who: str | None, status: int
) -> None:
    """Carla referees a table, and directs an event of her own."""
    make_event(players=3, director=cast.judge, name="Di Carla")
    client = visitor(getattr(cast, who) if who else None)
    assert client.get(at(tables)).status_code == status
    assert client.get(f"/turni/{tables[0].round_id}/risultati.csv").status_code == status
    with nothing_written():
        report = post(client, tables, FIRST)
    assert report.status_code == status
    if status == 200:
        assert confirm(client, tables, report).status_code == 302


@db
def test_rounds_that_do_not_exist_are_not_found(cast: Cast, tables: list[Table]) -> None:
    client = visitor(cast.sara)
    for pk in ("0", "999999", "9" * 30):
        assert client.get(f"/turni/{pk}/risultati/").status_code == 404
        assert client.post(f"/turni/{pk}/risultati/", {"sealed": "x"}).status_code == 404
        assert client.get(f"/turni/{pk}/risultati.csv").status_code == 404
    Round.objects.filter(pk=tables[0].round_id).update(status="draft", published_at=None)
    assert client.get(at(tables)).status_code == 404
