"""The pages of events, tables and people: who may do what, and what a wrong form gets back."""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import contextmanager
from datetime import UTC, datetime
from typing import Any

import pytest
from django.db import connection
from django.http import HttpResponse
from django.test import Client
from django.test.utils import CaptureQueriesContext

from figf.models import Email, LogEntry, User
from figf.services import open_draw
from figf.tests.cast import (
    DAY,
    NOW,
    PASSWORD,
    Cast,
    Page,
    make_cast,
    make_draft,
    make_event,
    make_federation,
    make_player,
    make_title,
    make_user,
    record,
    reread,
    seats_of,
    tables_of,
    token_in,
    visitor,
)
from tournaments import services
from tournaments.models import (
    Claim,
    Event,
    Invitation,
    Player,
    Result,
    ResultLine,
    Round,
    Table,
)

db = pytest.mark.django_db
both = pytest.mark.both
OUT = {302, 403, 404}  # asked to log in, forbidden, or as if it were not there


@pytest.fixture
def cast() -> Cast:
    return make_cast()


@pytest.fixture
def table(cast: Cast) -> Table:
    """Three seats, Bruno's first, of Alice's event under way."""
    return tables_of(make_event(players=3))[0]


def sheet(table: Table, *amounts: Any, version: Any = 0, **more: Any) -> dict[str, Any]:
    """The form of the totals as the page sends it."""
    boxes = {
        f"total-{seat.pk}": str(amount)
        for seat, amount in zip(seats_of(table), amounts, strict=True)
    }
    return {"version": str(version), **boxes, **more}


def send(client: Client, table: Table, form: dict[str, Any], parts: str = "1") -> HttpResponse:
    return client.post(f"/tavoli/{table.pk}/risultato/?totals={parts}", form)  # type: ignore[return-value]


@contextmanager
def nothing_written() -> Iterator[None]:
    def state() -> list[Any]:
        return [
            *[
                model._default_manager.count()
                for model in (Result, ResultLine, LogEntry, Email, Player, Claim, Invitation)
            ],
            list(Result.objects.order_by("pk").values_list()),
        ]

    before = state()
    yield
    assert state() == before


def words_of_refusal(response: Any) -> list[str]:
    """What the page says is wrong, wherever it says it; to be seen, not only kept in the form."""
    said = [str(e) for errors in response.context["form"].errors.values() for e in errors]
    text = Page(response).text
    return [words for words in said if " ".join(words.split()) in text]


# --- the result sheet -----------------------------------------------------------------------------


@db
@both
def test_the_director_enters_a_result_and_sees_it_explained(cast: Cast, table: Table) -> None:
    """C-14: 7500, 7200, 6600 → 1540, 960, 880 (PCT-01)."""
    client = visitor(cast.alice)
    page = Page(client.get(f"/tavoli/{table.pk}/risultato/"))
    assert page.boxes["version"] == "0"
    assert f"stocks-{seats_of(table)[0].pk}" in page.boxes
    answer = send(client, table, sheet(table, 7500, "7.200", " 6 600 "))
    assert (answer.status_code, answer["Location"]) == (302, f"/tavoli/{table.pk}/")
    result = reread(table).confirmed()
    assert result
    assert result.by == cast.alice
    shown = Page(client.get(answer["Location"])).text
    for figure in ("1540", "960", "880", "+540"):
        assert figure in shown
    again = Page(client.get(f"/tavoli/{table.pk}/risultato/"))
    assert again.boxes["version"] == "1"
    assert again.boxes[f"total-{seats_of(table)[1].pk}"] == "7200"


@db
@both
def test_stocks_and_cash_are_added(cast: Cast, table: Table) -> None:
    form: dict[str, Any] = {"version": "0"}
    for seat, stocks, cash in zip(seats_of(table), (6100, 7200, 0), (1400, 0, 6600), strict=True):
        form |= {f"stocks-{seat.pk}": str(stocks), f"cash-{seat.pk}": str(cash)}
    assert send(visitor(cast.alice), table, form, parts="0").status_code == 302
    assert [line.total for line in ResultLine.objects.order_by("seat")] == [7500, 7200, 6600]


@db
@both
@pytest.mark.parametrize("who", ["alice", "sara"])
def test_the_director_of_the_event_and_a_secretary_may_write_results(
    cast: Cast, table: Table, who: str
) -> None:
    """A-08."""
    client = visitor(getattr(cast, who))
    assert client.get(f"/tavoli/{table.pk}/risultato/").status_code == 200
    assert send(client, table, sheet(table, 7500, 7200, 6600)).status_code == 302


@db
@both
@pytest.mark.parametrize("who", [None, "bruno", "dino"])
def test_whoever_does_not_run_the_event_finds_no_sheet(
    cast: Cast, table: Table, who: str | None
) -> None:
    """A-08: neither who plays nor who merely has a log-in; the table's referee has (C-14)."""
    client = visitor(getattr(cast, who) if who else None)
    expected = 404 if who else 302
    with nothing_written():
        assert client.get(f"/tavoli/{table.pk}/risultato/").status_code == expected
        assert send(client, table, sheet(table, 7500, 7200, 6600)).status_code == expected
        answer = client.post(f"/tavoli/{table.pk}/anteprima/", sheet(table, 1, 1, 1))
        assert answer.status_code == expected
    assert "/risultato/" not in " ".join(Page(client.get(f"/tavoli/{table.pk}/")).links)
    assert "/risultato/" not in " ".join(Page(client.get(f"/eventi/{table.event.pk}/")).links)


@db
@both
def test_the_director_of_another_event_finds_no_sheet(cast: Cast, table: Table) -> None:
    """A-08. Carla directs an event of her own, and not Alice's."""
    own = tables_of(make_event(players=3, director=cast.judge, name="Di Carla"))[0]
    Table.objects.filter(pk=table.pk).update(referee=None)  # who referees is not a stranger
    client = visitor(cast.carla)
    with nothing_written():
        assert send(client, table, sheet(table, 7500, 7200, 6600)).status_code == 404
    assert send(client, own, sheet(own, 7500, 7200, 6600)).status_code == 302


WRONG: dict[str, tuple[Any, ...]] = {
    "letters": ("abc", 7200, 6600),
    "decimals": ("7500.5", 7200, 6600),
    "decimals with a comma": ("7500,5", 7200, 6600),
    "negative": (-1, 7200, 6600),
    "a minus of typesetters": ("−1", 7200, 6600),
    "huge": ("9" * 12, 7200, 6600),
    "longer than any number": ("9" * 5000, 7200, 6600),
    "just too large": (2_000_000_001, 7200, 6600),
    "empty": ("", 7200, 6600),
    "all empty": ("", "", ""),
    "spaces": ("   ", 7200, 6600),
    "an exponent": ("1e4", 7200, 6600),
    "hexadecimal": ("0x10", 7200, 6600),
    "digits of another script": ("٧٥٠٠", 7200, 6600),
    "a null byte": ("75\x0000", 7200, 6600),
    "markup": ("<b>7500</b>", 7200, 6600),
    "all zero": (0, 0, 0),
    "an unchecked tie": (7500, 7500, 6600),
}


@db
@both
def test_a_wrong_sheet_is_refused_in_words_writes_nothing_and_is_kept(
    cast: Cast, table: Table
) -> None:
    client = visitor(cast.alice)
    for what, amounts in WRONG.items():
        with nothing_written():
            answer = send(client, table, sheet(table, *amounts))
        assert answer.status_code == 422, what
        assert words_of_refusal(answer), what
        page = Page(answer)
        for seat, amount in zip(seats_of(table), amounts, strict=True):
            kept = page.boxes[f"total-{seat.pk}"] or ""
            assert kept.replace("\ufffd", "\x00") == str(amount), what  # how a null is parsed
        assert page.inline == []


@db
@both
def test_a_sheet_without_fields_or_with_strange_ones_is_refused_in_words(
    cast: Cast, table: Table
) -> None:
    client = visitor(cast.alice)
    whole = sheet(table, 7500, 7200, 6600)
    last = f"total-{seats_of(table)[-1].pk}"
    forms = {
        "a seat missing": {k: v for k, v in whole.items() if k != last},
        "a seat of nobody": {**{k: v for k, v in whole.items() if k != last}, "total-999999": "1"},
        "only the version": {"version": "0"},
        "no version": {k: v for k, v in whole.items() if k != "version"},
        "a version in letters": {**whole, "version": "x"},
        "a negative version": {**whole, "version": "-1"},
        "a huge version": {**whole, "version": "9" * 30},
    }
    for what, form in forms.items():
        with nothing_written():
            answer = send(client, table, form)
        assert answer.status_code == 422, what
        assert words_of_refusal(answer), what


@db
@both
def test_a_sheet_sent_empty_is_refused(cast: Cast, table: Table) -> None:
    with nothing_written():
        assert send(visitor(cast.alice), table, {}).status_code == 422


@db
def test_a_sheet_refused_for_its_version_can_be_sent_again(cast: Cast, table: Table) -> None:
    """Whatever a broken browser sent, the page given back has the version that is there."""
    client = visitor(cast.alice)
    form = sheet(table, 7500, 7200, 6600, version="x")
    page = Page(send(client, table, form))
    again = {**form, "version": page.boxes["version"]}
    assert send(client, table, again).status_code == 302


@db
@both
def test_parts_whose_sum_is_too_large_are_refused_and_not_a_fault(cast: Cast, table: Table) -> None:
    """Each box may hold two thousand millions; their sum is more than the column does."""
    form: dict[str, Any] = {"version": "0"}
    for seat, amount in zip(seats_of(table), (2_000_000_000, 10, 5), strict=True):
        form |= {f"stocks-{seat.pk}": str(amount), f"cash-{seat.pk}": str(amount)}
    with nothing_written():
        answer = send(visitor(cast.alice), table, form, parts="0")
    assert answer.status_code == 422
    assert words_of_refusal(answer)


@db
@both
def test_half_a_seat_is_refused_at_that_seat(cast: Cast, table: Table) -> None:
    """C-03: shares without cash are not a total."""
    first, second, third = seats_of(table)
    form = {
        "version": "0",
        f"stocks-{first.pk}": "100",
        f"cash-{first.pk}": "1",
        f"stocks-{second.pk}": "100",
        f"cash-{second.pk}": "",
        f"stocks-{third.pk}": "50",
        f"cash-{third.pk}": "5",
    }
    with nothing_written():
        answer = send(visitor(cast.alice), table, form, parts="0")
    assert answer.status_code == 422
    assert "Enter both shares and cash, or the total alone." in words_of_refusal(answer)
    assert f"stocks-{second.pk}" in answer.context["form"].errors  # type: ignore[attr-defined]


@db
@both
def test_the_same_sheet_sent_twice_is_one_result(cast: Cast, table: Table) -> None:
    client, form = visitor(cast.alice), sheet(table, 7500, 7200, 6600)
    assert [send(client, table, form).status_code for _ in range(2)] == [302, 302]
    assert Result.objects.count() == 1


@db
@both
def test_a_sheet_of_an_old_version_shows_what_the_other_wrote_beside_what_was_typed(
    cast: Cast, table: Table
) -> None:
    record(table, 9000, 8000, 7000, by=cast.sara)
    client = visitor(cast.alice)
    form = sheet(table, 7500, 7200, 6600, reason="ricontato")
    with nothing_written():
        answer = send(client, table, form)
    assert answer.status_code == 422
    page = Page(answer)
    assert "Somebody else wrote" in page.text
    assert "Sara Sportello" in page.text
    for figure in ("9000", "8000", "7000"):
        assert figure in page.text
    assert page.boxes[f"total-{seats_of(table)[0].pk}"] == "7500"
    assert page.boxes["version"] == "1"  # to confirm again is now a knowing act
    assert send(client, table, {**form, "version": page.boxes["version"]}).status_code == 302
    assert [r.state for r in reread(table).results.all()] == ["superseded", "confirmed"]


@db
@both
def test_a_correction_without_its_reason_is_refused_and_with_it_written(
    cast: Cast, table: Table
) -> None:
    """C-15."""
    record(table, 7500, 7200, 6600)
    client = visitor(cast.alice)
    with nothing_written():
        answer = send(client, table, sheet(table, 7500, 7200, 6000, version=1, reason=" "))
    assert answer.status_code == 422
    assert "Say why the result is corrected." in words_of_refusal(answer)
    with nothing_written():
        long = send(client, table, sheet(table, 7500, 7200, 6000, version=1, reason="z" * 301))
    assert long.status_code == 422
    form = sheet(table, 7500, 7200, 6000, version=1, reason="Cassa contata male")
    assert send(client, table, form).status_code == 302
    shown = Page(visitor().get(f"/tavoli/{table.pk}/")).text
    assert "Cassa contata male" in shown
    assert "800" in shown


@db
@both
def test_a_shared_first_place_asks_for_a_second_count(cast: Cast, table: Table) -> None:
    """C-06."""
    client = visitor(cast.alice)
    answer = send(client, table, sheet(table, 7000, 7000, 3500))
    assert answer.status_code == 422
    page = Page(answer)
    assert "tie_checked" in page.boxes
    assert "/regolamento/#C-06" in page.links
    form = sheet(table, 7000, 7000, 3500, tie_checked="1")
    assert send(client, table, form).status_code == 302
    assert [line.points for line in ResultLine.objects.order_by("seat")] == [150000, 150000, 50000]


@db
@both
def test_a_sheet_of_an_event_not_being_played_is_refused_in_words(cast: Cast, table: Table) -> None:
    client = visitor(cast.alice)
    for status in ("enrolling", "closed", "cancelled"):
        Event.objects.filter(pk=table.event.pk).update(status=status)
        with nothing_written():
            answer = send(client, table, sheet(table, 7500, 7200, 6600))
        assert answer.status_code == 422
        assert "Results can be written only while the event is under way." in (
            words_of_refusal(answer)
        )
        links = Page(client.get(f"/tavoli/{table.pk}/")).links
        assert "/risultato/" not in " ".join(links)


@db
@both
def test_the_live_count_writes_nothing_and_says_what_is_missing(cast: Cast, table: Table) -> None:
    client = visitor(cast.alice)
    path = f"/tavoli/{table.pk}/anteprima/?totals=1"
    with nothing_written():
        whole = client.post(path, sheet(table, 7500, 7200, 6600))
        part = client.post(path, sheet(table, 7500, "", ""))
        wrong = client.post(path, sheet(table, "abc", -5, ""))
        tie = client.post(path, sheet(table, 7000, 7000, 3500))
        empty = client.post(path, {})
    assert {a.status_code for a in (whole, part, wrong, tie, empty)} == {200}
    assert "<html" not in whole.content.decode()
    for figure in ("1540", "960", "880"):
        assert figure in Page(whole).text
    assert "2 seats missing" in Page(part).text
    assert "negative" in Page(wrong).text
    assert "tie_checked" in Page(tie).boxes
    assert client.get(path).status_code == 405


@db
@both
def test_two_wrong_amounts_of_one_seat_are_both_named_at_their_boxes(
    cast: Cast, table: Table
) -> None:
    first, second, third = seats_of(table)
    form = {"version": "0", f"stocks-{first.pk}": "abc", f"cash-{first.pk}": "-5"}
    for seat in (second, third):
        form |= {f"stocks-{seat.pk}": "50", f"cash-{seat.pk}": "5"}
    client = visitor(cast.alice)
    answer = send(client, table, form, parts="0")
    wrong = {f"stocks-{first.pk}", f"cash-{first.pk}"}
    assert set(answer.context["form"].errors) == wrong  # type: ignore[attr-defined]
    live = client.post(f"/tavoli/{table.pk}/anteprima/?totals=0", form)
    for page in (Page(answer), Page(live)):
        assert "Shares: Enter a whole number" in page.text
        assert "Cash: The amount cannot be negative" in page.text
    name = str(first.holder().player)
    assert f"{name}, Shares : Enter" in Page(answer).text
    assert f"{name}, Cash : The amount" in Page(answer).text
    assert f'data-wrong="stocks-{first.pk} cash-{first.pk} "' in live.content.decode()


@db
@both
def test_amounts_are_read_as_people_write_them_and_refused_for_what_they_are(
    cast: Cast, table: Table
) -> None:
    client = visitor(cast.alice)
    said = {
        "99999999999999": "This amount is too large to be true.",
        "500 EUR": "Enter a whole number, in figures only: no letters, no decimals.",
        "７５００": "Enter a whole number, in figures only: no letters, no decimals.",
        "1,234.567": "Enter a whole number, in figures only: no letters, no decimals.",
    }
    for typed, words in said.items():
        answer = send(client, table, sheet(table, typed, 7200, 6600))
        assert words_of_refusal(answer) == [words], typed
    assert send(client, table, sheet(table, "7,500", "7.200", "6'600")).status_code == 302
    assert [line.total for line in ResultLine.objects.order_by("seat")] == [7500, 7200, 6600]


@db
@both
def test_a_table_that_is_all_zero_says_what_to_do(cast: Cast, table: Table) -> None:
    client = visitor(cast.alice)
    live = client.post(f"/tavoli/{table.pk}/anteprima/?totals=1", sheet(table, 0, 0, 0))
    assert "if they are right, the director declares the game void" in Page(live).text
    assert f"/tavoli/{table.pk}/fatti/" in Page(live).links


@db
@both
def test_a_total_ten_times_the_others_is_questioned_and_not_refused(
    cast: Cast, table: Table
) -> None:
    """The median of 7200 and 6600 is 6900: 69000 is ten times as much, 69001 more."""
    client, path = visitor(cast.alice), f"/tavoli/{table.pk}/anteprima/?totals=1"
    name = str(seats_of(table)[0].holder().player)
    for total, asked in ((69000, False), (69001, True), ("", False)):
        text = Page(client.post(path, sheet(table, total, 7200, 6600))).text
        assert (f"check the digits {name}: more than ten times" in text) is asked
    assert "check the digits" not in Page(client.post(path, sheet(table, 10, 0, 0))).text
    assert send(client, table, sheet(table, 69001, 7200, 6600)).status_code == 302


@db
@both
def test_a_sheet_that_cannot_be_written_says_so_at_once_and_where_to_go(
    cast: Cast, table: Table
) -> None:
    client, path = visitor(cast.alice), f"/tavoli/{table.pk}/risultato/"

    def told(words: str, link: str) -> None:
        page = Page(client.get(path))
        assert words in page.text
        assert link in page.links
        assert not [name for name in page.boxes if name.startswith(("total-", "stocks-"))]

    Table.objects.filter(pk=table.pk).update(status="void")
    told("This game is void", f"/tavoli/{table.pk}/fatti/#void")
    Table.objects.filter(pk=table.pk).update(status="playing")
    Round.objects.filter(pk=table.round_id).update(status="draft", published_at=None)
    told("are not published", f"/turni/{table.round_id}/")
    Round.objects.filter(pk=table.round_id).update(status="published", published_at=NOW)
    Event.objects.filter(pk=table.event.pk).update(status="closed")
    told("reopen the event first", f"/eventi/{table.event.pk}/classifica/#reopen")


@db
@both
def test_an_excluded_player_is_marked_on_the_sheet(cast: Cast, table: Table) -> None:
    client, path = visitor(cast.alice), f"/tavoli/{table.pk}/risultato/"
    assert "excluded" not in Page(client.get(path)).text
    services.exclude(table, cast.bruno.player, "Ordinanza 3", cast.alice, NOW)
    assert Page(client.get(path)).text.count("excluded from this classification") == 1


@db
@both
def test_after_a_result_the_next_table_is_one_key_away_and_after_the_last_the_standing(
    cast: Cast,
) -> None:
    event = make_event(players=9, sizes=[3, 3, 3])
    one, two, three = tables_of(event)
    Table.objects.filter(pk=three.pk).update(started_at=None)
    client = visitor(cast.alice)
    assert send(client, one, sheet(one, 7500, 7200, 6600)).status_code == 302
    answer = client.get(f"/tavoli/{one.pk}/")
    assert f'href="/tavoli/{two.pk}/risultato/" autofocus>Next: ' in answer.content.decode()
    assert "autofocus" not in client.get(f"/tavoli/{one.pk}/").content.decode()
    assert "Next: " not in Page(visitor().get(f"/tavoli/{one.pk}/")).text
    record(two, 7500, 7200, 6600)
    page = Page(client.get(f"/tavoli/{two.pk}/"))
    assert "Next: " not in page.text  # the third has not begun
    record(three, 7500, 7200, 6600)
    board = Page(client.get(f"/eventi/{event.pk}/in-gioco/"))
    assert "To the standing, where the event is closed" in board.text
    assert f"/eventi/{event.pk}/classifica/" in board.links


@db
@both
def test_earlier_versions_are_the_last_first_with_what_changed(cast: Cast, table: Table) -> None:
    client = visitor(cast.alice)
    for version, cash in enumerate((1000, 2000)):
        form: dict[str, Any] = {"version": str(version), "reason": "ricontato"}
        for seat, total in zip(seats_of(table), (7500, 7200, 6600), strict=True):
            each = cash if seat == seats_of(table)[0] else 100
            form |= {f"stocks-{seat.pk}": str(total - each), f"cash-{seat.pk}": str(each)}
        assert send(client, table, form, parts="0").status_code == 302
    record(table, 7500, 7200, 6000, version=2, reason="terza")
    text = Page(client.get(f"/tavoli/{table.pk}/")).text
    old = text[text.index("2 earlier versions") :]
    assert old.index("Version 2,") < old.index("Version 1,")
    assert "7500 (Shares 6500, Cash 1000) changed in version 2" in old
    assert old.count("changed in version 2") == 1
    assert "6600 (Shares 6500, Cash 100) changed in version 3" in old


@db
def test_other_methods_than_looking_and_sending_are_refused_with_a_page(
    cast: Cast, table: Table
) -> None:
    client, path = visitor(cast.alice), f"/tavoli/{table.pk}/risultato/"
    for method in (client.put, client.patch, client.delete):
        with nothing_written():
            answer = method(path)
        assert (answer.status_code, answer["Allow"]) == (405, "GET, HEAD, POST")
        assert "This address is not opened in this way" in Page(answer).text
    answer = client.get(f"/tavoli/{table.pk}/anteprima/")
    assert (answer.status_code, answer["Allow"]) == (405, "POST")
    assert "This address is not opened in this way" in Page(answer).text


@db
def test_who_must_log_in_again_reads_that_the_figures_are_kept(cast: Cast, table: Table) -> None:
    path = f"/tavoli/{table.pk}/risultato/"
    kept = "Figures that you had typed on the counting sheet are kept in this browser"
    answer = visitor().post(f"{path}?totals=1", sheet(table, 1, 2, 3))
    assert kept in Page(visitor().get(answer["Location"])).text
    assert kept not in Page(visitor().get("/accesso/")).text
    strict = Client(enforce_csrf_checks=True, HTTP_ACCEPT_LANGUAGE="en")
    refused = strict.post(f"{path}?totals=1", sheet(table, 1, 2, 3))
    assert refused.status_code == 403
    assert f"{path}?totals=1" in Page(refused).links
    assert "is kept in this browser" in Page(refused).text


@db
def test_tables_that_do_not_exist_are_not_found(cast: Cast) -> None:
    client = visitor(cast.sara)
    for pk in ("0", "999999", "9" * 30):
        for page in ("", "risultato/"):
            assert client.get(f"/tavoli/{pk}/{page}").status_code == 404
        assert client.post(f"/tavoli/{pk}/anteprima/").status_code == 404
        assert client.get(f"/eventi/{pk}/").status_code == 404
    for pk in ("-1", "x", "1.0"):
        assert client.get(f"/tavoli/{pk}/").status_code == 404


@db
def test_a_form_of_another_site_is_refused(cast: Cast, table: Table) -> None:
    client = Client(enforce_csrf_checks=True)
    client.force_login(cast.alice, backend="django.contrib.auth.backends.ModelBackend")
    with nothing_written():
        assert send(client, table, sheet(table, 7500, 7200, 6600)).status_code == 403


# --- what is shown, and to whom -------------------------------------------------------------------


@db
@both
def test_a_draft_is_seen_by_who_runs_it_only(cast: Cast) -> None:
    draft = make_draft(name="Ancora in bozza")
    title = make_title()
    prova = services.add_prova(draft, title, cast.sara, NOW)
    services.set_status(draft, Event.Status.ENROLLING, cast.sara, NOW)
    people = [make_player(f"P{n}") for n in range(3)]
    for player in people:
        services.enrol(draft, player, cast.sara, NOW)
    services.seat_round(prova, 1, [people], cast.alice, NOW)
    Event.objects.filter(pk=draft.pk).update(status=Event.Status.DRAFT)
    [table] = tables_of(draft)
    for user in (None, cast.dino, cast.bruno, cast.carla):
        client = visitor(user)
        assert client.get(f"/eventi/{draft.pk}/").status_code == 404
        assert client.get(f"/tavoli/{table.pk}/").status_code == 404
        for path in ("/", "/eventi/"):
            assert "Ancora in bozza" not in client.get(path).content.decode()
    for user in (cast.alice, cast.sara):
        client = visitor(user)
        assert client.get(f"/eventi/{draft.pk}/").status_code == 200
        assert client.get(f"/tavoli/{table.pk}/").status_code == 200
        assert "Ancora in bozza" in client.get("/eventi/").content.decode()


@db
def test_a_round_not_published_is_seen_by_who_runs_the_event_only(cast: Cast, table: Table) -> None:
    Round.objects.filter(pk=table.round_id).update(status=Round.Status.DRAFT, published_at=None)
    for user in (None, cast.dino, cast.bruno):
        client = visitor(user)
        assert client.get(f"/tavoli/{table.pk}/").status_code == 404
        assert f"/tavoli/{table.pk}/" not in Page(client.get(f"/eventi/{table.event.pk}/")).links
        assert f"/tavoli/{table.pk}/" not in Page(client.get("/")).links
    assert visitor(cast.alice).get(f"/tavoli/{table.pk}/").status_code == 200


@db
def test_an_event_without_director_is_seen_by_all_and_run_by_secretaries(cast: Cast) -> None:
    event = make_draft(name="Di nessuno")
    Event.objects.filter(pk=event.pk).update(director=None, status=Event.Status.ENROLLING)
    for user in (None, cast.dino, cast.alice, cast.sara):
        assert visitor(user).get(f"/eventi/{event.pk}/").status_code == 200
        assert "Di nessuno" in visitor(user).get("/eventi/").content.decode()
    event.refresh_from_db()
    assert [event.is_run_by(u) for u in (cast.dino, cast.alice, cast.sara)] == [False, False, True]


@db
@both
def test_the_first_page_shows_tables_still_playing_and_the_sheet_to_who_runs_them(
    cast: Cast, table: Table
) -> None:
    sheet_link = f"/tavoli/{table.pk}/risultato/"
    for user in (None, cast.bruno):
        links = Page(visitor(user).get("/")).links
        assert f"/tavoli/{table.pk}/" in links
        assert sheet_link not in links
    assert sheet_link in Page(visitor(cast.alice).get("/")).links
    record(table, 7500, 7200, 6600)
    after = Page(visitor(cast.alice).get("/"))
    assert sheet_link not in after.links
    assert "No table is playing." in after.text
    assert f"/tavoli/{table.pk}/" in after.links  # among the latest results


@db
def test_a_seat_that_changes_hands_after_the_result_leaves_its_page_readable(
    cast: Cast, table: Table
) -> None:
    """The confirmed version tells who played it, whoever holds the seat now (C-13)."""
    record(table, 7500, 7200, 6600)
    newcomer = make_player("Nuovo")
    seat = seats_of(table)[0]
    seat.holders.update(ends_at=NOW)
    seat.holders.create(player=newcomer, why="substitute", starts_at=NOW)
    answer = visitor().get(f"/tavoli/{table.pk}/")
    assert answer.status_code == 200
    assert "Binario Bruno" in Page(answer).text
    assert "1540" in Page(answer).text


@db
def test_names_that_look_like_markup_are_only_names(cast: Cast) -> None:
    wicked = "<script>alert('x')</script>"
    people = [make_player(wicked), *[make_player(f"P{n}") for n in range(2)]]
    event = make_event(players=people, name=wicked)
    [table] = tables_of(event)
    record(table, 7500, 7200, 6600)
    for path in (
        "/",
        "/eventi/",
        f"/eventi/{event.pk}/",
        f"/tavoli/{table.pk}/",
        f"/tavoli/{table.pk}/risultato/",
        "/giocatori/",
        "/registro/",
    ):
        page = Page(visitor(cast.sara).get(path))
        assert page.inline == []
    assert wicked in Page(visitor().get(f"/eventi/{event.pk}/")).text


# --- queries --------------------------------------------------------------------------------------


def queries(client: Client, path: str) -> int:
    client.get(path)  # what is read once for all is read now
    with CaptureQueriesContext(connection) as captured:
        assert client.get(path).status_code == 200
    return len(captured)


@db
def test_more_events_and_tables_take_no_more_queries(cast: Cast) -> None:
    """An event of two tables against three of twelve in all, half of them with a result."""

    def ask(*sizes: int) -> dict[str, int]:
        for tables in sizes:
            event = make_event(players=3 * tables, sizes=[3] * tables)
            for table in tables_of(event)[::2]:
                record(table, 7500, 7200, 6600)
        client, own = visitor(cast.alice), f"/eventi/{event.pk}/"
        return {
            "home": queries(client, "/"),
            "calendar": queries(client, "/eventi/"),
            "event": queries(client, own),
        }

    few = ask(2)
    many = ask(2, 2, 8)
    assert {page: (few[page], many[page]) for page in few if many[page] > few[page]} == {}


@db
def test_more_seats_take_no_more_queries(cast: Cast) -> None:
    """A table of three against one of six: its page, its sheet."""

    def ask(seats: int) -> list[int]:
        [table] = tables_of(make_event(players=seats, sizes=[seats]))
        record(table, *[7500 - n for n in range(seats)])
        client = visitor(cast.alice)
        return [queries(client, f"/tavoli/{table.pk}/{page}") for page in ("", "risultato/")]

    few = ask(3)
    assert [more <= before for more, before in zip(ask(6), few, strict=True)] == [True, True]


@db
def test_longer_lists_take_no_more_queries(cast: Cast) -> None:
    client = visitor(cast.sara)

    def ask(number: int) -> dict[str, int]:
        for n in range(number):
            player, user = make_player(f"P{number}{n}"), make_user(f"u{number}x{n}", "U")
            services.claim(player, user, "", NOW)
            services.invite(player, user.email, cast.sara, NOW)
            open_draw("x", [user, cast.bruno], 1, NOW + DAY, cast.sara, NOW)
        pages = ("/giocatori/", "/dadi/", "/posta/", "/registro/")
        return {path: queries(client, path) for path in pages}

    few = ask(2)
    many = ask(8)
    assert {path: (few[path], many[path]) for path in few if many[path] > few[path]} == {}


# --- the books ------------------------------------------------------------------------------------


@db
@both
def test_only_a_secretary_keeps_the_books(cast: Cast) -> None:
    elsa = make_player("Espresso", "Elsa")
    made = services.claim(elsa, cast.dino, "", NOW)
    for user in (None, cast.dino, cast.bruno, cast.alice):
        client = visitor(user)
        with nothing_written():
            for path, form in {
                "/giocatori/": {"surname": "Intruso"},
                f"/giocatori/{elsa.pk}/invito/": {"email": "x@example.org"},
                f"/giocatori/richieste/{made.pk}/": {"answer": "yes"},
            }.items():
                assert client.get(path).status_code in OUT | {405}
                assert client.post(path, form).status_code in OUT
    made.refresh_from_db()
    assert made.decided_at is None


@db
@both
def test_a_secretary_adds_a_player_invites_and_answers_requests(cast: Cast) -> None:
    client = visitor(cast.sara)
    assert client.post("/giocatori/", {"surname": "Espresso", "name": "Elsa"}).status_code == 302
    elsa = Player.objects.get(surname="Espresso")
    for wrong in (
        {"surname": ""},
        {"surname": "   "},
        {"surname": "z" * 81},
        {"surname": "X", "email": "not an address"},
        {"surname": "X", "club": "9"},
    ):
        with nothing_written():
            answer = client.post("/giocatori/", wrong)
        assert answer.status_code == 422
        assert words_of_refusal(answer)
    invited = client.post(f"/giocatori/{elsa.pk}/invito/", {"email": "elsa@example.org"})
    assert invited.status_code == 302
    assert Invitation.objects.get().player == elsa
    assert client.post(f"/giocatori/{elsa.pk}/invito/", {"email": "?"}).status_code == 422
    assert client.get("/giocatori/999999/invito/").status_code == 404
    made = services.claim(elsa, cast.dino, "", NOW)
    assert client.get(f"/giocatori/richieste/{made.pk}/").status_code == 405
    assert client.post(f"/giocatori/richieste/{made.pk}/", {"answer": "yes"}).status_code == 302
    elsa.refresh_from_db()
    assert elsa.user == cast.dino
    # A second click changes nothing, and is answered in words.
    again = client.post(f"/giocatori/richieste/{made.pk}/", {"answer": "no"}, follow=True)
    assert "already been answered" in Page(again).text
    joined = client.post(f"/giocatori/{elsa.pk}/invito/", {"email": "elsa@example.org"})
    assert joined.status_code == 422
    assert words_of_refusal(joined)


@db
def test_an_answer_that_is_neither_yes_nor_no_decides_nothing(cast: Cast) -> None:
    made = services.claim(make_player("Espresso"), cast.dino, "", NOW)
    visitor(cast.sara).post(f"/giocatori/richieste/{made.pk}/", {})
    made.refresh_from_db()
    assert made.decided_at is None


@db
@both
def test_a_log_in_asks_to_be_recognised_and_is_not_joined_by_asking(cast: Cast) -> None:
    elsa = make_player("Espresso", "Elsa")
    assert visitor().get("/giocatori/sono-io/").status_code == 302
    client = visitor(cast.dino)
    for wrong in (
        {"player": ""},
        {"player": "999999"},
        {"player": str(cast.bruno.player.pk)},
        {"player": str(elsa.pk), "note": "z" * 301},
    ):
        with nothing_written():
            answer = client.post("/giocatori/sono-io/", wrong)
        assert answer.status_code == 422
        assert words_of_refusal(answer)
    form = {"player": str(elsa.pk), "note": "Ho la tessera 41"}
    assert client.post("/giocatori/sono-io/", form)["Location"] == "/account/"
    elsa.refresh_from_db()
    assert elsa.user is None
    assert "Ho la tessera 41" in Page(visitor(cast.sara).get("/giocatori/")).text
    with nothing_written():
        again = client.post("/giocatori/sono-io/", form)
    assert again.status_code == 422
    assert words_of_refusal(again)


# --- invitations ----------------------------------------------------------------------------------


@pytest.fixture
def invited(cast: Cast) -> str:
    """The page of an invitation that is open now, as the browser reckons."""
    elsa = make_player("Espresso", "Elsa")
    services.invite(elsa, "elsa@example.org", cast.sara, datetime.now(UTC))
    return f"/inviti/{token_in('inviti/')}/"


@db
@both
def test_an_invitation_makes_a_log_in_and_enters_it(cast: Cast, invited: str) -> None:
    client = visitor()
    assert "Espresso Elsa" in Page(client.get(invited)).text
    for weak in ("short", "1234567890", "password123", ""):
        with nothing_written():
            answer = client.post(invited, {"name": "Elsa", "password": weak})
        assert answer.status_code == 422
        assert words_of_refusal(answer)
    answer = client.post(invited, {"name": "Elsa E.", "password": PASSWORD})
    assert answer["Location"] == "/account/"
    assert "Espresso Elsa" in Page(client.get("/account/")).text
    user = User.objects.get(email="elsa@example.org")
    assert (user.player.surname, user.language) == ("Espresso", "en")
    spent = visitor().get(invited)
    assert spent.status_code == 422
    assert "This invitation was used" in Page(spent).text


@db
@both
def test_an_invitation_joins_the_log_in_that_opens_it_by_a_button(cast: Cast, invited: str) -> None:
    client = visitor(cast.dino)
    with nothing_written():
        assert client.get(invited).status_code == 200
        assert client.head(invited).status_code == 200
    assert client.post(invited)["Location"] == "/account/"
    assert Player.objects.get(user=cast.dino).surname == "Espresso"


@db
def test_who_is_a_player_already_is_not_joined_to_another(cast: Cast, invited: str) -> None:
    with nothing_written():
        answer = visitor(cast.bruno).post(invited)
    assert answer.status_code == 422
    assert "already belongs to a player" in Page(answer).text


@db
@both
def test_a_link_that_is_no_invitation_says_so(cast: Cast) -> None:
    for client in (visitor(), visitor(cast.dino)):
        for answer in (client.get("/inviti/xyz/"), client.post("/inviti/xyz/")):
            assert answer.status_code == 422
            assert "Ask the secretary for a new one" in Page(answer).text


# --- the regulation -------------------------------------------------------------------------------


@db
def test_every_article_that_a_page_links_to_is_on_the_page_of_the_regulation() -> None:
    federation = make_federation()
    client = visitor(federation.cast.alice)
    articles = {
        link
        for path in (
            f"/tavoli/{federation.played.pk}/",
            f"/tavoli/{federation.playing.pk}/risultato/",
        )
        for link in Page(client.get(path)).links
        if link.startswith("/regolamento/#")
    }
    assert articles
    page = client.get("/regolamento/").content.decode()
    missing = [a for a in sorted(articles) if f'id="{a.partition("#")[2]}"' not in page]
    assert missing == []
