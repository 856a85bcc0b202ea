"""The director's tables through the pages: what he presses, what is refused, what others see."""

from __future__ import annotations

from typing import Any

import pytest
from django.test import Client
from django.urls import reverse
from pytest_django import DjangoAssertNumQueries

from figf.models import Email, User
from figf.tests.cast import (
    DAY,
    NOW,
    Cast,
    Page,
    make_cast,
    make_event,
    make_hall,
    make_member,
    make_past,
    make_sketch,
    record,
    tables_of,
    visitor,
)
from tournaments import services
from tournaments.models import Event, Player, Round, Seat, Table

pytestmark = pytest.mark.django_db
both = pytest.mark.both


@pytest.fixture
def cast() -> Cast:
    return make_cast()


def desk(event: Event, number: int = 1) -> str:
    return reverse("round_desk", args=[event.prove.get(order=1).pk, number])


def send(client: Client, name: str, pk: int, **data: Any) -> Any:
    return client.post(reverse(name, args=[pk]), data)


def seat(seated: Round, name: str) -> int:
    found = Seat.objects.get(table__round=seated, holders__player__surname=f"Passeggero {name}")
    return found.pk


def published(cast: Cast, players: int = 8, **how: Any) -> Round:
    sketch = make_sketch(make_hall(players, **how))
    return services.publish_round(sketch, sketch.edition, cast.alice, NOW)


# --- forming --------------------------------------------------------------------------------------


@both
def test_the_director_forms_the_tables_by_the_ranking_on_record(cast: Cast) -> None:
    """B-08: the page is handed the ranking as of before the event; the seats show its points."""
    event = make_hall(7)
    last = Player.objects.get(surname="Passeggero 07")
    make_past({last: 131}, NOW.date() - DAY)
    client = visitor(cast.alice)
    page = Page(client.get(desk(event)))
    assert "Seated by the ranking as of 13 March 2026" in page.text
    assert "2 tables: 4 + 3" in page.text
    answer = client.post(desk(event), {"sizes": "4-3"}, follow=True)
    page = Page(answer)
    assert "Table 1" in page.text
    assert page.text.index("Passeggero 07") < page.text.index("Passeggero 01")
    assert "131" in page.text
    sketch = event.prove.get().play_rounds.get()
    assert sketch.ranking_as_of == NOW.date() - DAY


@both
def test_a_round_says_that_the_ranking_was_corrected_since(cast: Cast) -> None:
    """H-08: the tables stay as they were published."""
    event = make_hall(7)
    last = Player.objects.get(surname="Passeggero 07")
    make_past({last: 131}, NOW.date() - DAY)
    client = visitor(cast.alice)
    client.post(desk(event), {})
    sketch = event.prove.get().play_rounds.get()
    services.publish_round(sketch, sketch.edition, cast.alice, NOW)
    address = reverse("seating", args=[sketch.pk])
    words = "formed with the ranking of before a correction"
    assert words not in Page(visitor().get(address)).text
    make_past({last: 10}, NOW.date() - 2 * DAY, name="Dimenticato")
    page = Page(visitor().get(address))
    assert words in page.text
    assert page.text.index("Passeggero 07") < page.text.index("Passeggero 01")


def test_an_event_that_ended_on_its_first_day_seats_nobody(cast: Cast) -> None:
    """B-08: the ranking is that of before the event's start."""
    event = make_hall(7)
    last = Player.objects.get(surname="Passeggero 07")
    make_past({last: 131}, event.starts_on)
    client = visitor(cast.alice)
    assert "No ranking is on record" in Page(client.get(desk(event))).text
    client.post(desk(event), {})
    assert event.prove.get().play_rounds.get().order_used[-1] == last.pk


@pytest.mark.parametrize(
    ("players", "data", "words"),
    [
        (11, {"sizes": "4-4-3"}, "Say why"),
        (11, {"sizes": "5-3-3"}, "Select a valid choice"),
        (11, {"sizes": "'; drop table"}, "Select a valid choice"),
        (11, {"sizes": "4-4-3", "reason": "x" * 201}, "at most 200 characters"),
        (11, {"edition": "7"}, ""),
        (2, {}, "At least 3 players"),
        (0, {}, "At least 3 players"),
    ],
)
def test_what_cannot_be_formed_is_refused_in_words(
    cast: Cast, players: int, data: dict[str, str], words: str
) -> None:
    event = make_hall(players)
    answer = visitor(cast.alice).post(desk(event), data)
    if not words:  # an edition without a draft: nothing was there to be stale
        assert answer.status_code == 302
        return
    assert answer.status_code == 422
    assert words in Page(answer).text
    assert not Round.objects.exists()


@both
def test_the_same_form_sent_twice_forms_the_tables_once(cast: Cast) -> None:
    event = make_hall(8)
    client = visitor(cast.alice)
    assert client.post(desk(event), {"sizes": "4-4"}).status_code == 302
    again = client.post(desk(event), {"sizes": "4-4"})
    assert again.status_code == 422
    assert "Somebody changed these tables meanwhile" in Page(again).text
    assert Round.objects.get().edition == 1


def test_missing_results_are_listed_and_can_be_overridden(cast: Cast) -> None:
    """B-12"""
    event = make_hall(8, rounds=2)
    sketch = make_sketch(event)
    services.publish_round(sketch, sketch.edition, cast.alice, NOW)
    client = visitor(cast.alice)
    page = Page(client.get(desk(event, 2)))
    assert "Results of earlier tables are missing" in page.text
    refused = client.post(desk(event, 2), {})
    assert refused.status_code == 422
    assert client.post(desk(event, 2), {"provisional": "on"}).status_code == 302
    page = Page(client.get(desk(event, 2)))
    assert "provisional: results were missing" in page.text


# --- by hand --------------------------------------------------------------------------------------


def edit(client: Client, sketch: Round, action: str, **data: Any) -> Any:
    data = {"edition": sketch.edition, "reason": "fratelli", "action": action} | data
    return send(client, "round_edit", sketch.pk, **data)


@both
def test_two_ticked_players_are_swapped(cast: Cast) -> None:
    """B-15"""
    sketch = make_sketch(make_hall(8))
    client = visitor(cast.alice)
    answer = edit(client, sketch, "swap", seat=[seat(sketch, "01"), seat(sketch, "08")])
    assert answer.status_code == 302
    page = Page(client.get(answer.url))
    assert "by hand, from table 1" in page.text
    assert "by hand, from table 2" in page.text
    assert "1 change by hand" in page.text
    assert page.boxes["reason"] == "fratelli"  # the next change begins with the same words


@both
def test_a_refused_change_keeps_what_was_ticked_and_written(cast: Cast) -> None:
    sketch = make_sketch(make_hall(8))
    ticked = [seat(sketch, "01"), seat(sketch, "02"), seat(sketch, "08")]
    answer = edit(visitor(cast.alice), sketch, "swap", seat=ticked, reason="fratelli")
    assert answer.status_code == 422
    html = answer.content.decode()
    assert html.count(" checked") == 4  # the three seats, and the composition
    assert 'value="fratelli"' in html
    assert Round.objects.get().edition == sketch.edition


@pytest.mark.parametrize(
    "data",
    [
        {"action": "explode"},
        {"action": ""},
        {"edition": "x"},
        {"edition": ""},
        {"edition": str(10**30)},
        {"seat": ["x"]},
        {"seat": ["-1"]},
        {"seat": [str(10**30)]},
        {"seat": ["1"] * 600},
        {"seat": ["\x00"]},
        {"action": "move", "table": "x"},
        {"action": "move", "table": "9999999999"},
        {"action": "move", "table": ""},
        {"action": "add_table"},
        {"action": "unseat"},
        {"action": "seat", "player": "x"},
        {"reason": "x" * 201, "action": "unseat"},
        {"reason": "\x00", "action": "unseat"},
    ],
)
def test_nonsense_changes_nothing(cast: Cast, data: dict[str, Any]) -> None:
    sketch = make_sketch(make_hall(8))
    answer = edit(visitor(cast.alice), sketch, data.pop("action", "swap"), **data)
    assert answer.status_code == 422
    assert 'class="refusal"' in answer.content.decode()
    assert Round.objects.get().edition == sketch.edition


def test_a_player_of_another_event_cannot_be_given_a_seat(cast: Cast) -> None:
    sketch = make_sketch(make_hall(8))
    stranger = cast.bruno.player
    answer = edit(visitor(cast.alice), sketch, "seat", player=stranger.pk, table=1)
    assert answer.status_code == 404


def test_a_stale_page_shows_the_tables_as_they_stand(cast: Cast) -> None:
    sketch = make_sketch(make_hall(8))
    client = visitor(cast.alice)
    pair = [seat(sketch, "01"), seat(sketch, "08")]
    edit(client, sketch, "swap", seat=pair)
    answer = edit(client, sketch, "swap", seat=pair)
    assert answer.status_code == 422
    page = Page(answer)
    assert "Somebody changed these tables meanwhile" in page.text
    assert page.boxes["edition"] == str(sketch.edition + 1)


# --- published ------------------------------------------------------------------------------------


@both
def test_published_tables_are_seen_by_everybody_with_why(cast: Cast) -> None:
    """B-17"""
    sketch = make_sketch(make_hall(8))
    hidden = visitor().get(sketch.get_absolute_url())
    assert hidden["Location"] == sketch.event.get_absolute_url()
    client = visitor(cast.alice)
    answer = send(client, "round_publish", sketch.pk, edition=sketch.edition)
    assert answer.url == sketch.get_absolute_url()
    page = Page(visitor().get(answer.url))
    assert "Not in the ranking" in page.text
    assert "B-09" in page.text
    assert "Take the publication back" not in page.text
    assert "Start the tables" in Page(client.get(answer.url)).text


@both
def test_what_is_pressed_twice_or_too_late_is_said(cast: Cast) -> None:
    sketch = make_sketch(make_hall(8))
    client = visitor(cast.alice)
    send(client, "round_publish", sketch.pk, edition=sketch.edition)
    for name, edition in [("round_publish", 1), ("round_edit", 1), ("round_discard", 1)]:
        answer = send(client, name, sketch.pk, edition=edition, action="swap", reason="x")
        assert answer.status_code == 422, name
        assert "take the publication back" in Page(answer).text, name
    seated = Round.objects.get()
    assert send(client, "round_withdraw", seated.pk, edition=seated.edition).status_code == 302
    answer = send(client, "round_withdraw", seated.pk, edition=seated.edition)
    assert answer.status_code == 302  # it is a draft: the page of the draft says so
    assert "is not published" in Page(client.get(answer.url)).text


@both
def test_a_publication_with_a_result_stays(cast: Cast) -> None:
    seated = published(cast)
    record(tables_of(seated.event)[0], 7500, 7200, 6600, 0)
    client = visitor(cast.alice)
    page = client.get(seated.get_absolute_url())
    assert "Take the publication back" not in Page(page).text
    answer = send(client, "round_withdraw", seated.pk, edition=seated.edition)
    assert answer.status_code == 422
    assert "A result is in" in Page(answer).text


@both
def test_tables_start_and_wait_again(cast: Cast) -> None:
    """M-02"""
    seated = published(cast)
    one, two = seated.tables.order_by("number")
    Table.objects.filter(pk=two.pk).update(referee=None)
    client = visitor(cast.alice)
    answer = send(client, "round_start", seated.pk)
    assert answer.status_code == 422
    assert "M-02" in Page(answer).text
    assert send(client, "round_start", seated.pk, table=one.pk).status_code == 302
    assert Table.objects.get(pk=one.pk).started_at is not None
    assert send(client, "table_stop", one.pk).status_code == 302
    assert Table.objects.get(pk=one.pk).started_at is None
    for wrong in ("x", "0", str(10**30), "\x00"):
        assert send(client, "round_start", seated.pk, table=wrong).status_code == 404


@both
def test_a_referee_is_named_from_who_is_here(cast: Cast) -> None:
    """M-02, M-03"""
    seated = published(cast)
    table = seated.tables.get(number=1)
    client = visitor(cast.alice)
    address = reverse("table_referee", args=[table.pk])
    at_table = Player.objects.get(surname="Passeggero 01")
    elsewhere = Player.objects.get(surname="Passeggero 05")
    for pk, reason, status, words in [
        (at_table.pk, "x", 422, "at another table"),
        (cast.bruno.player.pk, "x", 422, "Select a valid choice"),
        ("x", "x", 422, "Select a valid choice"),
        (str(10**30), "x", 422, "Select a valid choice"),
        (cast.director.pk, "", 302, ""),
    ]:
        answer = client.post(address, {"referee": pk, "reason": reason})
        assert answer.status_code == status, (pk, reason)
        assert words in answer.content.decode()
    answer = client.post(address, {"referee": elsewhere.pk, "reason": "esperienza"})
    assert answer.status_code == 302
    assert Table.objects.get(pk=table.pk).referee == elsewhere


@both
def test_who_has_not_come_is_said_before_it_is_done(cast: Cast) -> None:
    """B-16"""
    seated = published(cast, 7)
    client = visitor(cast.alice)
    four, three = seat(seated, "01"), seat(seated, "07")
    assert "plays one short" in Page(client.get(reverse("seat_no_show", args=[four]))).text
    page = Page(client.get(reverse("seat_no_show", args=[three])))
    assert "seated again" in page.text
    assert send(client, "seat_no_show", three, edition="x").status_code == 422
    answer = send(client, "seat_no_show", three, edition=page.boxes["edition"])
    assert answer.status_code == 302
    sizes = [table.seats.count() for table in Table.objects.order_by("number")]
    assert sizes == [6]  # six people of 1830 sit at one table (B-01)
    assert send(client, "seat_no_show", three, edition=1).status_code == 404


@both
def test_the_screen_is_renewed_only_when_something_changed(cast: Cast) -> None:
    seated = published(cast)
    address = reverse("event_screen", args=[seated.event.pk])
    client, director = visitor(), visitor(cast.alice)
    assert "Passeggero 08" in Page(client.get(address)).text
    seen = f"{seated.pk}-{seated.edition}"
    assert client.get(address, {"seen": seen}).status_code == 204
    assert client.get(address, {"seen": "x"}).status_code == 200
    send(director, "seat_no_show", seat(seated, "08"), edition=seated.edition)
    again = client.get(address, {"seen": seen})
    assert "Passeggero 08" not in again.content.decode()
    edition = Round.objects.get().edition
    send(director, "round_withdraw", seated.pk, edition=edition)
    gone = client.get(address, {"seen": f"{seated.pk}-{edition}"})
    assert "The tables are being formed" in gone.content.decode()
    assert client.get(address, {"seen": "none"}).status_code == 204


@both
def test_the_sheets_have_names_code_and_address(cast: Cast, settings: Any) -> None:
    settings.SITE_URL = "https://figf.example.org"
    sketch = make_sketch(make_hall(7))
    client = visitor(cast.alice)
    answer = client.get(reverse("table_sheets", args=[sketch.pk]))
    assert "DRAFT" in Page(answer).text
    table = sketch.tables.get(number=2)
    assert f"https://figf.example.org/t/{table.pk}/" in Page(answer).text
    assert answer.content.decode().count("<svg") == 2
    send(client, "round_publish", sketch.pk, edition=sketch.edition)
    assert "DRAFT" not in Page(client.get(reverse("table_sheets", args=[sketch.pk]))).text


@both
def test_the_code_leads_each_to_his_page(cast: Cast) -> None:
    seated = published(cast)
    table = seated.tables.get(number=1)
    address = reverse("short_link", args=[table.pk])
    director = visitor(cast.alice).get(address)
    assert director["Location"] == reverse("table_result", args=[table.pk])
    assert visitor().get(address)["Location"] == reverse("table", args=[table.pk])
    log_in = f"{reverse('login')}?next={address}"
    assert log_in in Page(visitor().get(table.get_absolute_url())).links
    assert log_in not in Page(visitor(cast.alice).get(table.get_absolute_url())).links


@both
def test_names_that_a_spreadsheet_would_take_for_a_formula_are_escaped(cast: Cast) -> None:
    event = make_event(
        players=[Player.objects.create(surname=s, sort_key=s) for s in ("=1+1", "@cmd", "-2", "+3")]
    )
    seated = event.prove.get().play_rounds.get()
    body = visitor().get(reverse("seating_csv", args=[seated.pk])).content.decode("utf-8-sig")
    for surname in ("=1+1", "@cmd", "-2", "+3"):
        assert f"'{surname}" in body
        assert f";{surname}" not in body


@both
def test_published_tables_are_held_against_the_roll_call_until_they_start(cast: Cast) -> None:
    """A-11, B-16: who comes late, and who is marked absent without a word at his table."""
    seated = published(cast)
    event = seated.event
    client = visitor(cast.alice)
    assert "at the roll call" not in Page(client.get(seated.get_absolute_url())).text
    gone = event.entries.get(player__surname="Passeggero 01")
    services.call(event, {gone.pk: False}, cast.alice, NOW)
    services.enrol(event, cast.bruno.player, cast.alice, NOW, present=True, from_round=1)
    page = Page(client.get(seated.get_absolute_url()))
    assert "absent at the roll call: Passeggero 01" in page.text
    assert "Here, and without a seat: Binario Bruno" in page.text
    assert "at the roll call" not in Page(visitor().get(seated.get_absolute_url())).text


@both
def test_who_still_plays_elsewhere_is_named_before_his_next_table_starts(cast: Cast) -> None:
    event = make_hall(8, rounds=2)
    first = make_sketch(event)
    services.publish_round(first, first.edition, cast.alice, NOW)
    services.start_tables(first, cast.alice, NOW)
    record(tables_of(event)[0], 7500, 7200, 6600, 0)
    second = services.draw_round(event.prove.get(), 2, {}, None, cast.alice, NOW, provisional=True)
    services.publish_round(second, second.edition, cast.alice, NOW)
    page = Page(visitor(cast.alice).get(second.get_absolute_url()))
    assert "Still playing at another table" in page.text
    assert "Passeggero 05 (1830, table 2)" in page.text
    assert "Passeggero 01 (1830" not in page.text
    record(tables_of(event)[1], 8000, 4000, 4000, 2000, tie_checked=True)
    page = Page(visitor(cast.alice).get(second.get_absolute_url()))
    assert "Still playing" not in page.text


@both
def test_the_sheet_counts_in_the_order_of_the_screen(cast: Cast) -> None:
    """C-14: what is copied from left to right falls in its box."""
    seated = published(cast)
    client = visitor(cast.alice)
    sheet = client.get(reverse("table_sheets", args=[seated.pk])).content.decode()
    screen = client.get(reverse("table_result", args=[seated.tables.earliest("pk").pk]))
    for html in (sheet, screen.content.decode()):
        assert 0 < html.index(">Shares<") < html.index(">Cash<")


@both
def test_a_mail_that_announced_tables_since_taken_back_leads_to_the_event(cast: Cast) -> None:
    seated = published(cast)
    services.withdraw_publication(seated, seated.edition, cast.alice, NOW)
    answer = visitor().get(seated.get_absolute_url())
    assert answer["Location"] == seated.event.get_absolute_url()


# --- whose event it is ----------------------------------------------------------------------------


@both
def test_another_director_cannot_touch_these_tables(cast: Cast) -> None:
    other = make_member("elsa", "Espresso", "Elsa", cast.sara)
    event = make_hall(8)
    sketch = make_sketch(event)
    one = sketch.tables.get(number=1)
    people: list[tuple[User, int]] = [(other, 404), (cast.bruno, 404), (cast.carla, 404)]
    for user, status in people:
        client = visitor(user)
        assert client.get(desk(event)).status_code == status
        assert client.post(desk(event), {}).status_code == status
        for name, pk in [
            ("round_edit", sketch.pk),
            ("round_publish", sketch.pk),
            ("round_discard", sketch.pk),
            ("round_withdraw", sketch.pk),
            ("round_start", sketch.pk),
            ("table_stop", one.pk),
            ("table_referee", one.pk),
            ("seat_no_show", seat(sketch, "01")),
        ]:
            assert send(client, name, pk, edition=1, action="swap").status_code == status, name
    assert Round.objects.get().edition == 1
    assert not Email.objects.filter(key__startswith="seating").exists()


def test_the_desk_asks_the_database_as_often_for_twenty_as_for_eight(
    cast: Cast, django_assert_max_num_queries: DjangoAssertNumQueries
) -> None:
    client = visitor(cast.alice)
    for players in (8, 20):
        sketch = make_sketch(make_hall(players, name=f"Festa da {players}"))
        with django_assert_max_num_queries(45):
            assert client.get(desk(sketch.event)).status_code == 200
        services.publish_round(sketch, sketch.edition, cast.alice, NOW)
        with django_assert_max_num_queries(25):
            assert client.get(sketch.get_absolute_url()).status_code == 200
