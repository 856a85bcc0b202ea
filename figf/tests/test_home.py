"""The first page's boards and the calendar for other programs."""

from __future__ import annotations

from datetime import UTC, date, datetime, timedelta

import pytest
from django.db import connection
from django.test.utils import CaptureQueriesContext
from django.urls import reverse
from icalendar import Calendar

from figf.tests.cast import (
    DAY,
    HOUR,
    NOW,
    Page,
    make_cast,
    make_draft,
    make_event,
    make_hall,
    make_past,
    make_player,
    record,
    tables_of,
    visitor,
)
from rankings.services import top_of
from tournaments import services
from tournaments.models import Event

pytestmark = [pytest.mark.django_db, pytest.mark.both]
TODAY = date(2026, 3, 14)


def home() -> str:
    return Page(visitor().get("/")).text


def test_an_empty_federation_says_so_on_each_board() -> None:
    text = home()
    assert "No table is playing." in text
    assert "No event is under way or open for enrolment." in text
    assert "No result has been confirmed yet." in text
    assert "there is no standing" in text


def test_a_confirmed_table_is_on_the_board_with_its_percentiles() -> None:
    """C-01, C-02: 7500, 7200, 6600, 0 are worth 1540, 960, 880 and nothing."""
    now = datetime.now(UTC)
    event = make_event(players=4, now=now)
    record(tables_of(event)[0], 7500, 7200, 6600, 0, now=now)
    text = home()
    told = "Binario Bruno 1540 · Passeggero 004 960 · Passeggero 005 880 · Passeggero 006 0"
    assert told in text
    assert "No table is playing." in text


def test_a_board_is_refreshed_without_the_rest_of_the_page() -> None:
    make_event(now=NOW)
    client = visitor()
    seen = client.get("/").context["seen"]
    assert client.get("/", {"seen": seen}).status_code == 204


def test_the_next_events_say_until_when_one_may_enrol_and_how_many_places_are_left() -> None:
    now = datetime.now(UTC)
    hall = make_hall(3, now=now)
    services.amend_event(hall, make_cast(now).sara, now, capacity=4, enrolment_closes_at=now + HOUR)
    text = home()
    assert "3 of 4" in text
    assert "Enrolment until" in text
    assert "Enrol Festa del Binario Morto" in text


def test_the_top_of_the_standings_is_that_of_the_last_event_closed() -> None:
    """H-01, D-05: 75 and 54 event points, and ten for the game won."""
    cast = make_cast()
    one, two = cast.bruno.player, cast.judge
    make_past({one: 50, two: 75}, TODAY - 40 * DAY, name="Raduno d'Inverno")
    make_past({one: 75, two: 54}, TODAY - 20 * DAY, name="Raduno di Febbraio", wins={one: 1})
    top = top_of(TODAY)
    assert top.event is not None
    assert top.event.name == "Raduno di Febbraio"
    assert [(f.player, f.place, f.points) for f in top.ranking] == [(one, 1, 135), (two, 2, 129)]
    assert [(f.player, f.place, f.points) for f in top.of_event] == [(one, 1, 75), (two, 2, 54)]
    assert [(each.player, each.row.place) for each in top.absolute] == [(two, 1), (one, 2)]


def test_before_any_event_is_closed_there_is_no_top() -> None:
    assert top_of(TODAY).event is None


def test_who_is_struck_off_is_not_named_on_the_first_page() -> None:
    """O-16."""
    now = datetime.now(UTC)
    event = make_event(players=3, now=now)
    record(tables_of(event)[0], 7500, 7200, 6600, now=now)
    cast = make_cast(now)
    services.strike_off(cast.bruno.player, "Delibera 1", cast.sara, now)
    assert "Binario" not in home().replace("Festa del Binario Morto", "")


def test_who_is_struck_off_is_not_at_the_top_of_any_standing() -> None:
    """O-16, H-10: he leaves the ranking, whose places close up; an event keeps his place, empty."""
    cast = make_cast()
    gone, stays = cast.bruno.player, cast.judge
    make_past({gone: 75, stays: 54}, TODAY - 20 * DAY)
    services.strike_off(gone, "Delibera 1", cast.sara, NOW)
    top = top_of(TODAY)
    assert [(f.player, f.place, f.points) for f in top.ranking] == [(stays, 1, 54)]
    assert [(f.player, f.place, f.points) for f in top.of_event] == [(stays, 2, 54)]


def test_more_events_and_tables_take_no_more_queries() -> None:
    now = datetime.now(UTC)

    def asked() -> int:
        client = visitor()
        client.get("/")
        with CaptureQueriesContext(connection) as captured:
            assert client.get("/").status_code == 200
        return len(captured)

    def fill(times: int) -> None:
        for _ in range(times):
            event = make_event(players=8, now=now)
            played, _playing = tables_of(event)
            record(played, 7500, 7200, 6600, 0, now=now)
            make_hall(4, now=now)

    make_past({make_player("Vecchio"): 75}, now.date() - 30 * DAY, now=now)
    fill(1)
    few = asked()
    fill(3)
    assert asked() == few


# --- the calendar for other programs --------------------------------------------------------------


def feed(path: str) -> list[dict[str, str]]:
    answer = visitor().get(path)
    assert answer.status_code == 200
    assert answer["Content-Type"] == "text/calendar; charset=utf-8"
    events = Calendar.from_ical(answer.content).walk("VEVENT")
    return [{name: str(event[name]) for name in event} for event in events]


def days(path: str) -> list[tuple[date, date]]:
    events = Calendar.from_ical(visitor().get(path).content).walk("VEVENT")
    return [(event.decoded("dtstart"), event.decoded("dtend")) for event in events]


def test_an_event_is_whole_days_and_ends_on_the_day_after_its_last() -> None:
    event = make_hall(0)  # a Saturday and a Sunday
    path = reverse("event_ics", args=[event.pk])
    assert days(path) == [(date(2026, 3, 14), date(2026, 3, 16))]
    (told,) = feed(path)
    assert told["SUMMARY"] == "Festa del Binario Morto"
    assert told["LOCATION"] == "Valbinario"
    assert told["UID"] == f"{event.key}@testserver"
    assert told["STATUS"] == "CONFIRMED"
    assert told["URL"] == f"http://testserver/eventi/{event.pk}/"


def test_the_feed_has_no_draft_and_says_what_is_cancelled() -> None:
    now = datetime.now(UTC)
    make_draft(name="Ancora in bozza", now=now)
    off = make_hall(0, name="Sala chiusa", now=now)
    services.set_status(off, Event.Status.CANCELLED, make_cast(now).sara, now, reason="Neve")
    make_hall(0, now=now)
    assert {told["SUMMARY"]: told["STATUS"] for told in feed(reverse("calendar_ics"))} == {
        "Sala chiusa": "CANCELLED",
        "Festa del Binario Morto": "CONFIRMED",
    }


def test_the_feed_reaches_a_year_back_and_a_season_has_its_own() -> None:
    now = datetime.now(UTC)
    old = now - timedelta(days=800)
    make_past({make_player("Vecchio", now=now): 75}, old.date(), name="Raduno Antico", now=now)
    assert feed(reverse("calendar_ics")) == []
    of_season = feed(f"{reverse('calendar_ics')}?stagione={old.year}")
    assert [told["SUMMARY"] for told in of_season] == ["Raduno Antico"]


@pytest.mark.parametrize("asked", ["x", "", "20260", "²026"])
def test_a_season_that_is_none_is_not_found(asked: str) -> None:
    assert visitor().get(reverse("calendar_ics"), {"stagione": asked}).status_code == 404


def test_a_draft_has_no_entry() -> None:
    assert visitor().get(reverse("event_ics", args=[make_draft().pk])).status_code == 404


# --- who has logged in ----------------------------------------------------------------------------


def test_who_has_a_seat_is_led_to_his_table_and_nobody_else_is() -> None:
    now = datetime.now(UTC)
    event = make_event(players=3, now=now)
    cast = make_cast(now)
    (table,) = tables_of(event)
    mine = Page(visitor(cast.bruno).get("/"))
    assert "You play at 1830, table 1, Festa del Binario Morto." in mine.text
    assert "You play at" not in Page(visitor(cast.dino).get("/")).text
    record(table, 7500, 7200, 6600, now=now)
    assert "You play at" not in Page(visitor(cast.bruno).get("/")).text


def test_who_is_enrolled_is_told_so_beside_the_event() -> None:
    now = datetime.now(UTC)
    hall, cast = make_hall(2, now=now), make_cast(now)
    services.enrol(hall, cast.bruno.player, cast.sara, now)
    text = Page(visitor(cast.bruno).get("/")).text
    assert "you are enrolled My enrolment" in text
    assert "Enrol Festa" not in text


def test_the_calendar_of_a_season_says_what_is_open_for_enrolment_in_another() -> None:
    now = datetime.now(UTC)
    hall = make_hall(0, name="Raduno di Gennaio", now=now)
    make_past({make_player("Vecchio", now=now): 75}, date(now.year - 1, 6, 1), now=now)
    page = Page(visitor().get(reverse("event_list"), {"stagione": now.year - 1}))
    assert hall.get_absolute_url() in page.links
