"""The ranking: written whole, read as of a day, and everything a table of it may get wrong."""

from __future__ import annotations

import io
from collections.abc import Iterator, Mapping
from contextlib import contextmanager
from datetime import UTC, date, datetime
from typing import Any

import pytest
from django.core.files.uploadedfile import SimpleUploadedFile
from django.test import Client
from django.utils import timezone
from openpyxl import Workbook

from figf import web
from figf.errors import Refused
from figf.models import LogEntry
from figf.tests.cast import (
    DAY,
    NOW,
    TODAY,
    Cast,
    Page,
    at_once,
    make_cast,
    make_player,
    visitor,
)
from rankings import services
from rankings.models import Ranking, RankingLine
from rankings.services import RankingOn, RankingRow, ranking_at, record_ranking
from tournaments.models import Ban, Player, Removal
from tournaments.services import register_player

db = pytest.mark.django_db
both = pytest.mark.both


@pytest.fixture
def cast() -> Cast:
    return make_cast()


@pytest.fixture
def sara(cast: Cast) -> Client:
    return visitor(cast.sara)


def write(points: Mapping[int, int], as_of: date = TODAY, now: datetime = NOW) -> Ranking:
    return record_ranking(as_of, points, "typed", make_cast().sara, now)


@contextmanager
def nothing_written() -> Iterator[None]:
    def state() -> list[int]:
        return [m._default_manager.count() for m in (Ranking, RankingLine, LogEntry, Player)]

    before = state()
    yield
    assert state() == before


def reason_of(deed: Any) -> str:
    with nothing_written(), pytest.raises(Refused) as caught:
        deed()
    return caught.value.reason


# --- the states -----------------------------------------------------------------------------------


@db
@both
def test_the_ranking_of_a_day_is_the_latest_state_until_then(cast: Cast) -> None:
    """B-08, H-09: whatever was written last of the latest date; nothing before the first."""
    bruno, alice = cast.bruno.player.pk, cast.director.pk
    write({bruno: 100, alice: 40}, TODAY - 10 * DAY)
    write({bruno: 7}, TODAY - 30 * DAY)  # written later, of an earlier day
    write({bruno: 90, alice: 50}, TODAY - 10 * DAY)  # a correction
    assert ranking_at(TODAY) == RankingOn(TODAY - 10 * DAY, {bruno: 90, alice: 50})
    assert ranking_at(TODAY - 10 * DAY) == ranking_at(TODAY)
    assert ranking_at(TODAY - 11 * DAY) == RankingOn(TODAY - 30 * DAY, {bruno: 7})
    assert ranking_at(TODAY - 31 * DAY) == RankingOn()
    assert RankingOn() == RankingOn(None, {})
    with pytest.raises(TypeError):
        ranking_at(TODAY).points[bruno] = 1  # type: ignore[index]
    with pytest.raises(TypeError):
        RankingOn().points[bruno] = 1  # type: ignore[index]


@db
@both
def test_a_state_is_logged_with_who_wrote_it(cast: Cast) -> None:
    state = record_ranking(TODAY, {cast.director.pk: 1}, "imported", cast.sara, NOW, " dal sito ")
    assert (state.by, state.at, state.note, state.source) == (
        *(cast.sara, NOW, "dal sito", "imported"),
    )
    entry = LogEntry.objects.about(state).get()
    assert (entry.verb, entry.actor, entry.data) == ("record_ranking", cast.sara, {"players": 1})


@db
@both
def test_a_state_that_cannot_be_is_refused(cast: Cast) -> None:
    bruno = cast.bruno.player.pk
    for points, reason in [
        ({}, "no_points"),
        ({bruno: 0}, "bad_points"),
        ({bruno: -5}, "bad_points"),
        ({bruno: 1_000_001}, "bad_points"),
        ({bruno: 5, 999_999: 5}, "unknown_player"),
    ]:
        assert reason_of(lambda points=points: write(points)) == reason
    assert reason_of(lambda: write({bruno: 1}, TODAY + DAY)) == "future_date"
    write({bruno: 1}, TODAY)
    assert reason_of(lambda: write({bruno: 1}, TODAY)) == "same_ranking"
    write({bruno: 1}, TODAY - DAY)  # of another day it is another state


@db
@both
def test_today_is_todays_date_in_rome(cast: Cast) -> None:
    """At half past eleven in the evening, Greenwich time, Rome has begun the next day."""
    late = datetime(2026, 3, 14, 23, 30, tzinfo=UTC)
    write({cast.director.pk: 1}, date(2026, 3, 15), late)
    assert reason_of(lambda: write({cast.director.pk: 1}, date(2026, 3, 16), late)) == "future_date"


@pytest.mark.django_db(transaction=True)
def test_the_same_state_written_twice_at_once_is_there_once(cast: Cast) -> None:
    points = {cast.director.pk: 10}

    def deed() -> Ranking:
        return record_ranking(TODAY, points, "typed", cast.sara, NOW)

    done = at_once(deed, deed)
    assert sorted(getattr(one, "reason", "") for one in done) == ["", "same_ranking"]
    assert Ranking.objects.count() == 1


# --- its page -------------------------------------------------------------------------------------


def rows_of(answer: Any) -> list[tuple[int, str, int]]:
    return [(row.place, str(row.player), row.points) for row in answer.context["rows"]]


@db
@both
def test_equal_points_share_the_place_and_are_in_alphabetical_order(cast: Cast) -> None:
    """H-10."""
    zeno, anna = make_player("Zeno"), make_player("Àbaco", "Anna")
    write({zeno.pk: 80, cast.bruno.player.pk: 120, anna.pk: 80, cast.judge.pk: 10})
    answer = visitor().get("/ranking/")
    assert rows_of(answer) == [
        (1, "Binario Bruno", 120),
        (2, "Àbaco Anna", 80),
        (2, "Zeno", 80),
        (4, "Carrozza Carla", 10),
    ]
    page = Page(answer).text
    assert "As of 14 March 2026" in page
    assert "Find me" not in page
    mine = visitor(cast.bruno).get("/ranking/")
    assert 'class="me" id="me"' in mine.content.decode()
    assert "#me" in Page(mine).links
    assert "#me" not in Page(visitor(cast.alice).get("/ranking/")).links  # has no points


@db
@both
def test_the_ranking_of_another_day_is_asked_for_by_its_date(cast: Cast) -> None:
    bruno = cast.bruno.player.pk
    write({bruno: 7}, date(2025, 12, 31))
    write({bruno: 9}, date(2026, 1, 31))
    client = visitor()
    assert rows_of(client.get("/ranking/")) == [(1, "Binario Bruno", 9)]
    assert rows_of(client.get("/ranking/?al=2026-01-30")) == [(1, "Binario Bruno", 7)]
    assert {"?al=2026-01-31", "?al=2025-12-31"} <= set(Page(client.get("/ranking/")).links)
    before = client.get("/ranking/?al=2025-01-01")
    assert rows_of(before) == []
    assert "no ranking yet on 1 January 2025" in Page(before).text
    for wrong in ("31/01/2026", "2026-02-30", "x", "9" * 400, "\0"):
        answer = client.get("/ranking/", {"al": wrong})
        assert answer.status_code == 422
        assert "no day of the calendar" in Page(answer).text
        assert client.get("/ranking.csv", {"al": wrong}).status_code == 302
    assert b";7\r\n" in client.get("/ranking.csv?al=2026-01-30").content


@db
@both
def test_without_a_ranking_the_page_says_how_people_are_seated() -> None:
    """H-09: with nothing to begin from, everybody is seated alphabetically."""
    page = Page(visitor().get("/ranking/")).text
    assert "There is no ranking yet" in page
    assert "alphabetical order" in page


@db
@both
def test_who_is_radiated_appears_nowhere_and_the_others_move_up(cast: Cast) -> None:
    """H-10, O-16. Who is only suspended stays."""
    made: dict[str, Any] = {"made_by": cast.sara, "made_at": NOW, "ruling": "13.2"}
    players = [make_player(f"Tolto{n}") for n in range(3)]
    write({players[0].pk: 300, players[1].pk: 200, players[2].pk: 100, cast.judge.pk: 5})
    Removal.objects.bulk_create([Removal(player=players[0], level="all", **made)])
    Ban.objects.bulk_create(
        [
            Ban(player=players[1], scope="all", starts_on=TODAY, **made),
            Ban(player=players[2], scope="all", count=2, starts_on=TODAY, **made),
        ]
    )
    expected = [(1, "Tolto2", 100), (2, "Carrozza Carla", 5)]
    assert rows_of(visitor().get("/ranking/")) == expected
    assert "Tolto0" not in visitor().get("/ranking.csv").content.decode()


# --- the next state, from a table -----------------------------------------------------------------


def judged(*rows: RankingRow) -> list[tuple[str, list[str], int]]:
    report = services.judge_ranking(rows)
    return [(str(j.verdict), [str(p) for p in j.players], j.points) for j in report.rows]


@db
@both
def test_a_player_is_found_by_the_letters_of_his_name_in_either_order(cast: Cast) -> None:
    make_player("D'Angelo", "Nicolò")
    found = ("found", ["D'Angelo Nicolò"], 12)
    for row in (
        RankingRow(1, "d’angelo", "NICOLO", points="12,0"),
        RankingRow(1, player="DAngelo  Nicolò", points="12"),
        RankingRow(1, player="Nicolò D'Angelo", points="12.00"),
    ):
        assert judged(row) == [found]


@db
@both
def test_who_is_not_on_the_books_is_rejected_with_those_whom_it_perhaps_means(cast: Cast) -> None:
    make_player("Pellegrino", "Franco")
    assert judged(
        RankingRow(1, "Pelegrino", "Franco", points="5"), RankingRow(2, player="Zzz", points="5")
    ) == [("rejected", ["Pellegrino Franco"], 5), ("rejected", [], 5)]


@db
@both
@pytest.mark.parametrize(
    "points", ["", "x", "12,5", "12.5", "0", "-3", "0,4", "1.234", "1e3", "1000001", "9" * 40]
)
def test_points_are_whole_numbers_from_one_up(cast: Cast, points: str) -> None:
    [(verdict, _players, _points)] = judged(RankingRow(1, "Binario", "Bruno", points=points))
    assert verdict == "rejected"


@db
@both
def test_a_player_has_one_row(cast: Cast) -> None:
    rows = [RankingRow(n, player="Binario Bruno", points="5") for n in (1, 2)]
    assert [verdict for verdict, *_ in judged(*rows)] == ["found", "rejected"]
    assert (
        reason_of(lambda: services.import_ranking(rows, TODAY, "typed", cast.sara, NOW, chosen={}))
        == "rows_rejected"
    )


@db
@both
def test_of_several_players_of_one_name_one_is_chosen_and_only_once(cast: Cast) -> None:
    one, other = make_player("Rossi", "Mario"), make_player("Rossi", "Mario")
    rows = [RankingRow(n, player="Rossi Mario", points=str(n)) for n in (1, 2)]
    assert [verdict for verdict, *_ in judged(*rows)] == ["several", "several"]

    def record(chosen: Mapping[int, int]) -> Ranking:
        return services.import_ranking(rows, TODAY, "typed", cast.sara, NOW, chosen=chosen)

    assert reason_of(lambda: record({1: one.pk})) == "choose_player"
    assert reason_of(lambda: record({1: one.pk, 2: cast.director.pk})) == "choose_player"
    assert reason_of(lambda: record({1: one.pk, 2: one.pk})) == "player_twice"
    record({1: other.pk, 2: one.pk})
    assert ranking_at(TODAY).points == {other.pk: 1, one.pk: 2}


def send(client: Client, **form: Any) -> Any:
    return client.post("/ranking/nuova/", {"as_of": "2026-03-14", "note": "", **form})


def upload(content: bytes, name: str = "r.csv") -> SimpleUploadedFile:
    return SimpleUploadedFile(name, content)


def xlsx(*rows: list[Any]) -> bytes:
    book = Workbook()
    for row in rows:
        book.active.append(row)
    saved = io.BytesIO()
    book.save(saved)
    return saved.getvalue()


def confirm(client: Client, report: Any, **chosen: Any) -> Any:
    form = {"sealed": Page(report).boxes["sealed"], **chosen}
    return client.post("/ranking/nuova/", form)


@db
@both
def test_lines_typed_are_shown_and_then_recorded(cast: Cast, sara: Client) -> None:
    with nothing_written():
        report = send(sara, text="Binario Bruno;120\nAlice Direttissima;80,0\n", note="a mano")
    assert report.status_code == 200
    assert report.context["found"] == 2
    answer = confirm(sara, report)
    assert (answer.status_code, answer["Location"]) == (302, "/ranking/?al=2026-03-14")
    state = Ranking.objects.get()
    assert (state.as_of, state.source, state.note) == (TODAY, "typed", "a mano")
    assert ranking_at(TODAY).points == {cast.bruno.player.pk: 120, cast.director.pk: 80}
    with nothing_written():
        again = confirm(sara, report)
    assert again.status_code == 422
    assert "recorded already" in Page(again).text


@db
@both
def test_an_xlsx_is_recorded_and_its_other_columns_are_named(cast: Cast, sara: Client) -> None:
    content = xlsx(["Cognome", "Nome", "Punti", "Vittorie"], ["Binario", "Bruno", 120.0, 3])
    report = send(sara, file=upload(content, "r.xlsx"))
    assert "Columns left aside: Vittorie" in Page(report).text
    assert confirm(sara, report).status_code == 302
    assert Ranking.objects.get().source == "imported"


@db
@both
def test_namesakes_are_chosen_on_the_page(cast: Cast, sara: Client) -> None:
    make_player("Rossi", "Mario")
    other = register_player("Rossi", "Mario", cast.sara, NOW, town="Forlì")
    report = send(sara, text="Rossi Mario;5\n")
    assert "Rossi Mario, Forlì" in Page(report).text
    for chosen in ("", "x", str(cast.director.pk), "9" * 30):
        with nothing_written():
            answer = confirm(sara, report, **{"player-1": chosen})
        assert answer.status_code == 422
        assert "say which Rossi Mario" in Page(answer).text
    assert confirm(sara, report, **{"player-1": other.pk}).status_code == 302
    assert ranking_at(TODAY).points == {other.pk: 5}


@db
@both
def test_books_that_have_changed_meanwhile_show_the_report_again(cast: Cast, sara: Client) -> None:
    report = send(sara, text="Binario Bruno;120\n")
    make_player("Binario", "Bruno")
    with nothing_written():
        answer = confirm(sara, report)
    assert answer.status_code == 422
    assert "The books have changed meanwhile" in Page(answer).text
    assert answer.context["several"] == 1


@db
@both
def test_one_row_rejected_leaves_nothing_to_confirm(cast: Cast, sara: Client) -> None:
    report = send(sara, text="Binario Bruno;12,5\nIgnoto Ugo;5\n;7\n")
    page = Page(report)
    assert report.status_code == 200
    assert "sealed" not in page.boxes
    assert "3 rows are rejected" in page.text
    assert "/giocatori/#add" in page.links


@db
@both
def test_what_was_typed_comes_back_under_its_report(cast: Cast, sara: Client) -> None:
    """To be put right and looked at again, without the browser's own way back."""
    lines = "Binario Bruno;12,5\nIgnoto <Ugo>;5\n"
    report = send(sara, text=lines, note="a mano", as_of="2026-03-12")
    boxes = Page(report).boxes
    assert (boxes["as_of"], boxes["note"]) == ("2026-03-12", "a mano")
    assert "\nBinario Bruno;12,5\nIgnoto &lt;Ugo&gt;;5</textarea>" in report.content.decode()
    again = send(sara, text="Binario Bruno;12\n", note=boxes["note"], as_of=boxes["as_of"])
    assert ">\nBinario Bruno;12</textarea>" in again.content.decode()  # also where all is well
    make_player("Binario", "Bruno")
    changed = confirm(sara, again)
    assert changed.status_code == 422
    assert ">\nBinario Bruno;12</textarea>" in changed.content.decode()
    filed = send(sara, file=upload(b"Giocatore;Punti\nIgnoto;5\n"), note="dal sito")
    assert Page(filed).boxes["note"] == "dal sito"
    assert ">\n</textarea>" in filed.content.decode()


@db
@both
@pytest.mark.parametrize(
    "form",
    [
        {},
        {"text": "  \n"},
        {"text": "Binario Bruno;1", "as_of": ""},
        {"text": "Binario Bruno;1", "as_of": "31/02/2026"},
        {"text": "Binario Bruno;1", "as_of": "9999-12-31"},
        {"text": "Binario Bruno;1", "note": "x" * 201},
        {"text": "Cognome;Nome\nBinario;Bruno"},
        {"text": '"Binario;1'},
        {"text": "Binario\0;1"},
        {"text": "Punti;Giocatore"},
        {"text": "a;1\n" * 2001},
        {"text": "x" * 200_001},
        {"file": upload(b"")},
        {"file": upload(b"Punti\n5\n"), "text": "Binario Bruno;1"},
        {"file": upload(b"\x89PNG\r\n\x1a\n")},
        {"file": upload(xlsx(["Punti"], ["5"])[:300], "r.xlsx")},
        {"file": upload(b"Cognome;Punti\nBo;5\n" * 350_000)},
        {"file": "a text"},
    ],
    ids=lambda form: str(form)[:40],
)
def test_what_is_no_ranking_is_refused_in_words(
    cast: Cast, sara: Client, form: dict[str, Any]
) -> None:
    if "file" in form and not isinstance(form["file"], str):
        form["file"].seek(0)
    with nothing_written():
        answer = send(sara, **form)
    assert answer.status_code == 422
    said = [str(e) for errors in answer.context["form"].errors.values() for e in errors]
    assert said
    assert " ".join(said[0].split()) in Page(answer).text


@db
@both
def test_what_was_carried_is_taken_from_nobody_else(cast: Cast, sara: Client) -> None:
    kept = {"rows": [], "seen": "", "as_of": "2026-03-14", "source": "typed", "note": ""}
    foreign = web.seal(kept, "import_ranking", cast.alice)
    other = web.seal(kept, "import_players", cast.sara)
    for forged in ("", "x:y:z", foreign, other):
        with nothing_written():
            answer = sara.post("/ranking/nuova/", {"sealed": forged})
        assert answer.status_code == 422
        assert 'role="alert"' in answer.content.decode()


@db
@both
def test_only_a_secretary_records(cast: Cast) -> None:
    for user, status in ((None, 302), (cast.bruno, 404), (cast.alice, 404), (cast.dino, 404)):
        client = visitor(user)
        with nothing_written():
            assert client.get("/ranking/nuova/").status_code == status
            assert send(client, text="Binario Bruno;1").status_code == status
        assert "/ranking/nuova/" not in Page(client.get("/ranking/")).links
        assert client.post("/ranking/").status_code == 405


@db
@both
@pytest.mark.parametrize("language", ["it", "en"])
def test_what_is_taken_away_comes_back_as_it_was(cast: Cast, language: str) -> None:
    dangerous = make_player("-D'Àngelo", "=Zoè")
    write({cast.bruno.player.pk: 120, dangerous.pk: 80, cast.judge.pk: 80})
    client = visitor(cast.sara, language)
    exported = client.get("/ranking.csv")
    assert exported["Content-Type"] == "text/csv; charset=utf-8"
    report = send(client, file=upload(exported.content))
    assert report.context["found"] == 3
    with nothing_written():
        assert confirm(client, report).status_code == 422  # it is recorded already
    later = send(client, file=upload(exported.content), as_of="2026-03-15")
    assert confirm(client, later).status_code == 302
    assert ranking_at(TODAY).points == ranking_at(TODAY + DAY).points
    assert timezone.localdate() > TODAY  # the pages read the clock
