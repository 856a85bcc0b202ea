"""A table's result from a game exported by 18xx.games: real files, and files that are not."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import pytest
from django.core.files.uploadedfile import SimpleUploadedFile
from django.urls import reverse

from figf.tests.cast import (
    Cast,
    Page,
    make_cast,
    make_event,
    make_title,
    record,
    reread,
    tables_of,
    visitor,
)
from tournaments.models import Result, Table
from tournaments.rules.game_files import Ending, FileFault, GameFile, read
from tournaments.rules.regulation import Illegal

db = pytest.mark.django_db
both = pytest.mark.both


@pytest.fixture
def cast() -> Cast:
    return make_cast()


def game(**changed: Any) -> bytes:
    """A game of 1830 that 18xx.games could have exported: 7500, 7200, 6600, and a debt of 40."""
    told = {
        "id": 4711,
        "title": "1830",
        "players": [{"id": n, "name": name} for n, name in enumerate(NAMES)],
        "actions": [],
        "status": "finished",
        "game_end_reason": "bank",
        "result": {"0": 7200, "1": 7500, "2": -40, "3": 6600},
    }
    return json.dumps(told | changed).encode()


NAMES = ["Passeggero", "Bruno Binario", "Qualcuno", "Altro"]


def fault(data: bytes) -> Illegal:
    with pytest.raises(Illegal) as raised:
        read(data)
    return raised.value


# --- reading --------------------------------------------------------------------------------------

# What each recorded game says, read off its file by hand: title, ending, and worth by player.
RECORDED: dict[str, tuple[str, str, list[int]]] = {
    "1830/1830_game_end_bank.json": ("1830", "bank", [12025, 13048, 12109]),
    "1830/26855.json": ("1830", "bankruptcy", [1831, 2127, 310, 2212]),
    "1830/rl_game.json": ("1830", "other", [7576, 7453, 4074, 5855]),
    "1830/rl_manual_game.json": ("1830", "other", [1658, 1967, 345, 720]),
    "1830/rl_manual_game_bankrupcy.json": ("1830", "bankruptcy", [40, 560, 651, 470]),
    "1849/1849_game_end_bank.json": ("1849", "bank", [8786, 8564, -750]),
    "1856/51745.json": ("1856", "by_hand", [1668, 648, 1140, 1694]),
    "1856/hotseat001.json": ("1856", "by_hand", [698, 756, 735]),
    "1856/hotseat004.json": ("1856", "by_hand", [1004, 953, 953]),
    "1856/hotseat005.json": ("1856", "bankruptcy", [508, 280, 280, 608, 388]),
    "1856/move_up_price_sr1.json": ("1856", "by_hand", [270, 270, 270, 270, 275, 275]),
    "1870/1870_game_end_bankrupt.json": ("1870", "bankruptcy", [2410, 1324, 5092, 568]),
    "1870/40469_white-to-yellow_price_protect_allowed.json": (
        "1870",
        "by_hand",
        [2561, 2346, 4240, 2346],
    ),
}
REFUSED = {
    "1830/rl_random_seed81.json": FileFault.UNFINISHED,
    "1870/34110.json": FileFault.TWO_PLAYERS,
    "1830/static.json": FileFault.NOT_A_GAME,
    "1856/51745.truth.json.gz": FileFault.NOT_JSON,
}


@pytest.mark.parametrize("name", RECORDED)
def test_a_recorded_game_says_who_is_worth_what(cases: Path, name: str) -> None:
    """C-03, C-08"""
    file = read((cases / name).read_bytes())
    title, ending, worth = RECORDED[name]
    assert (file.title, str(file.ending)) == (title, ending)
    assert [player.total - player.debt for player in file.players] == worth
    assert all(player.total >= 0 for player in file.players)


@pytest.mark.parametrize("name", REFUSED)
def test_a_file_that_is_no_finished_game_is_refused(cases: Path, name: str) -> None:
    assert fault((cases / name).read_bytes()).reason == REFUSED[name]


def test_files_that_were_cut_renamed_or_changed_are_refused() -> None:
    """C-03, B-07"""
    assert fault(game()[:-20]).reason == FileFault.NOT_JSON
    assert fault(b"\xff\xfe\x00").reason == FileFault.NOT_JSON
    assert fault(b"[" * 100_000).reason == FileFault.NOT_JSON
    assert fault(b" " * 8_000_001).reason == FileFault.TOO_LARGE
    strange: list[Any] = [[], {}, {"title": 1830}, {"title": "1830", "players": "x", "actions": []}]
    for told in strange:
        assert fault(json.dumps(told).encode()).reason == FileFault.NOT_A_GAME
    assert fault(game(players=[{"id": 1}, {"id": 2}, {"id": 3}])).reason == FileFault.NOT_A_GAME
    two = [{"id": 1, "name": "A"}, {"id": 2, "name": "B"}]
    assert fault(game(players=two)).reason == FileFault.TWO_PLAYERS
    results: list[Any] = [None, {}, [1, 2]]
    for result in results:
        assert fault(game(result=result)).reason == FileFault.UNFINISHED
    assert fault(game(result={"9": 1, "8": 2, "7": 3, "6": 4})).reason == FileFault.OTHER_RESULT
    assert fault(game(result={"0": 1, "1": 2, "2": 3})).reason == FileFault.OTHER_RESULT
    for worth in (1.5, "7500", True, None, 10**9):
        wrong = {"0": worth, "1": 2, "2": 3, "3": 4}
        assert fault(game(result=wrong)).reason == FileFault.BAD_VALUE


def test_a_game_around_one_screen_is_read_by_its_names() -> None:
    people = [{"name": name} for name in NAMES]
    by_name = dict(zip(NAMES, [5, 6, 7, 8], strict=True))
    file: GameFile = read(game(players=people, result=by_name, manually_ended=True))
    assert [(player.name, player.total) for player in file.players] == list(by_name.items())
    assert file.ending == Ending.BY_HAND
    same = [{"name": "A"}, {"name": "A"}, {"name": "B"}]
    assert fault(game(players=same, result={"A": 1, "B": 2})).reason == FileFault.SAME_NAME


# --- the pages ------------------------------------------------------------------------------------


def waiting_table() -> Table:
    event = make_event(players=4)
    return tables_of(event)[0]


def upload(client: Any, table: Table, data: bytes) -> Any:
    address = reverse("table_file", args=[table.pk])
    return client.post(address, {"file": SimpleUploadedFile("game.json", data)})


def confirm(client: Any, table: Table, page: Any, chosen: list[int], **more: Any) -> Any:
    """Send the second page back with who of the file sits at each seat."""
    seats = [seat.pk for seat in table.seats.all()]
    data = {f"seat-{pk}": n for pk, n in zip(seats, chosen, strict=True)}
    sealed = page.context["sealed"]
    address = reverse("table_file", args=[table.pk])
    return client.post(address, {"sealed": sealed, **data, **more})


@db
@both
def test_a_file_is_read_matched_and_confirmed(cast: Cast) -> None:
    """C-03, C-08: 7500, 7200, 6600, 0 are 1540, 960, 880, 0; 1830 without moves is no such end."""
    table = waiting_table()
    client = visitor(cast.alice)
    page = upload(client, table, game(title="18 Chesapeake"))
    text = Page(page).text
    assert "18 Chesapeake, 4711 on 18xx.games" in text
    assert "Qualcuno ended 40 below nothing" in text
    assert "no engine here knows this title" in text
    seats = list(table.seats.all())
    bruno = next(n for n, seat in enumerate(seats) if seat.holder().player == cast.bruno.player)
    assert page.context["form"].fields[f"seat-{seats[bruno].pk}"].initial == 1
    chosen = [0, 2, 3]
    chosen.insert(bruno, 1)
    missing = confirm(client, table, page, chosen)
    assert missing.status_code == 422  # another title: it has to be said that it is the same
    twice = confirm(client, table, page, [1, 1, 2, 3], other_title="on")
    assert twice.status_code == 422
    assert "sits elsewhere already" in twice.content.decode()
    assert not Result.objects.exists()
    done = confirm(client, table, page, chosen, other_title="on")
    assert done.status_code == 302
    result = reread(table).confirmed()
    assert result is not None
    assert (result.source, result.replayed) == ("18xx.games 4711", None)
    worth = {line.total: line.points for line in result.lines.all()}
    assert worth == {7500: 154000, 7200: 96000, 6600: 88000, 0: 0}
    assert (
        "Read from a file: 18xx.games 4711." in Page(visitor().get(table.get_absolute_url())).text
    )
    again = confirm(client, table, page, chosen, other_title="on")
    assert again.status_code == 302  # the same click twice
    assert Result.objects.count() == 1


@db
def test_a_recorded_game_is_replayed_to_the_same_result(cast: Cast, cases: Path) -> None:
    table = waiting_table()
    data = (cases / "1830" / "26855.json").read_bytes()
    client = visitor(cast.alice)
    page = upload(client, table, data)
    assert "replayed move by move: the result is the same" in Page(page).text
    assert confirm(client, table, page, [0, 1, 2, 3]).status_code == 302
    result = reread(table).confirmed()
    assert result is not None
    assert (result.source, result.replayed) == ("18xx.games 26855", True)
    changed = json.loads(data) | {"result": {"1627": 9999, "82": 2127, "117": 310, "330": 2212}}
    other = make_event(players=4)
    page = upload(client, tables_of(other)[0], json.dumps(changed).encode())
    assert "the game ends with another result than the file says" in Page(page).text
    assert confirm(client, tables_of(other)[0], page, [0, 1, 2, 3]).status_code == 422


@db
@both
def test_what_is_unusual_has_to_be_said(cast: Cast) -> None:
    """C-06, C-14: the referee sends, a shared first place is counted twice, an end by hand."""
    table = waiting_table()
    Table.objects.filter(pk=table.pk).update(referee=cast.judge)
    client = visitor(cast.carla)
    tied = {"0": 7500, "1": 7500, "2": 10, "3": 6600}
    page = upload(client, table, game(title="1830 ", result=tied, manually_ended=True))
    fields = page.context["form"].fields
    assert {"by_hand", "tie_checked"} <= set(fields)
    doubts = {name: "on" for name in fields if not name.startswith("seat-")}
    assert confirm(client, table, page, [0, 1, 2, 3]).status_code == 422
    assert confirm(client, table, page, [0, 1, 2, 3], **doubts).status_code == 302
    sent = reread(table).draft()
    assert sent is not None
    assert sent.source == "18xx.games 4711"
    assert not Result.objects.filter(state="confirmed").exists()


@db
@both
def test_a_result_that_is_there_is_corrected_with_a_reason(cast: Cast) -> None:
    """C-15: what was counted before is shown, and why it changes is asked."""
    table = waiting_table()
    client = visitor(cast.alice)
    record(table, 1, 2, 3, 4)
    page = upload(client, table, game(title="18 Chesapeake"))
    assert "this table has a result already" in Page(page).text
    refused = confirm(client, table, page, [0, 1, 2, 3], other_title="on")
    assert refused.status_code == 422
    assert "Say why the result is corrected." in Page(refused).text
    done = confirm(client, table, page, [0, 1, 2, 3], other_title="on", reason="Era un foglio")
    assert done.status_code == 302
    result = reread(table).confirmed()
    assert result is not None
    assert (result.version, result.reason) == (2, "Era un foglio")


@db
@both
def test_a_game_of_another_title_of_the_federation_is_refused(cast: Cast) -> None:
    """C-03."""
    table = waiting_table()
    make_title("1870")
    answer = upload(visitor(cast.alice), table, game(title="1870"))
    assert answer.status_code == 422
    assert "The file is of a game of 1870, and this table plays 1830." in Page(answer).text


@db
@both
def test_only_who_counts_the_table_may_send_a_file(cast: Cast) -> None:
    table = waiting_table()
    address = reverse("table_file", args=[table.pk])
    for user, status in ((None, 302), (cast.bruno, 404), (cast.alice, 200), (cast.sara, 200)):
        assert visitor(user).get(address).status_code == status
    client = visitor(cast.alice)
    assert upload(client, table, b"nulla").status_code == 422
    five = [{"id": n, "name": str(n)} for n in range(5)]
    many = upload(client, table, game(players=five, result={str(n): n for n in range(5)}))
    assert "has 5 players, and this table 4" in many.content.decode()
    assert client.post(address, {"sealed": "x"}).status_code == 302
    assert client.post(address).status_code == 422
    page = upload(client, table, game())
    other = tables_of(make_event(players=4))[0]
    moved = client.post(reverse("table_file", args=[other.pk]), {"sealed": page.context["sealed"]})
    assert moved.status_code == 302
    assert not Result.objects.exists()
