"""The making of an event in a real browser: with scripts, without them, and by the keyboard."""

from __future__ import annotations

import re
from datetime import date

import pytest
from django.urls import reverse
from playwright.sync_api import Browser, BrowserContext, Page, expect
from pytest_django.live_server_helper import LiveServer

from figf.tests.cast import NOW, make_cast, make_draft, make_season, make_title
from figf.tests.test_browser import NARROW, another_visitor, come_in, tab_to
from tournaments import services
from tournaments.models import Event, Season

pytestmark = [pytest.mark.browser, pytest.mark.django_db(transaction=True)]


def make_old_event(town: str, month: int) -> Event:
    """An event of two years before, to be replaced in 2026."""
    sara = make_cast().sara
    day = date(2024, month, 4)
    event = services.create_event(
        make_season(2024), f"Raduno di {town}", day, day, sara, NOW, town=town
    )
    Event.objects.filter(pk=event.pk).update(status=Event.Status.CLOSED)
    return event


@pytest.fixture
def season() -> Season:
    make_old_event("Modena", 3)
    make_old_event("Roma", 5)
    return make_season(2026)


def test_the_proposal_follows_the_town_and_the_focus_goes_on(
    page: Page, context: BrowserContext, live_server: LiveServer, season: Season
) -> None:
    """H-04."""
    come_in(context, live_server, make_cast().sara)
    page.goto(f"{reverse('event_new')}?stagione=2026")
    automatic = page.locator("#id_replaces option[value=proposed]")
    for town, proposed in (("Roma", "Raduno di Roma"), ("Modena", "Raduno di Modena")):
        page.locator("#id_town").fill(town)
        page.keyboard.press("Tab")
        expect(automatic).to_contain_text(proposed)
        expect(page.locator("#id_region")).to_be_focused()
    page.locator("#id_kind").select_option("cup")
    expect(automatic).not_to_contain_text("Raduno")


def test_an_event_is_made_on_a_phone_without_scripts(
    browser: Browser, live_server: LiveServer, season: Season
) -> None:
    cast, title = make_cast(), make_title("1830")
    with another_visitor(browser, live_server, java_script_enabled=False) as visitor:
        come_in(visitor, live_server, cast.sara)
        page = visitor.new_page()
        page.set_viewport_size(NARROW)
        page.goto(f"{reverse('event_list')}?stagione=2026")
        page.locator("a[href*='/eventi/nuovo/']").click()
        for name, value in {
            "name": "Festa della Cremagliera",
            "starts_on": "2026-05-09",
            "ends_on": "2026-05-10",
            "town": "Modena",
            "enrolment_closes_at": "2026-05-01T20:00",
        }.items():
            page.locator(f"[name={name}]").fill(value)
        page.locator("[name=look]").click()
        chosen = page.locator("#id_replaces option[value=proposed]")
        expect(chosen).to_contain_text("Raduno di Modena")
        assert page.locator("[name=starts_on]").input_value() == "2026-05-09"
        assert page.locator("[name=enrolment_closes_at]").input_value() == "2026-05-01T20:00"
        page.locator("form.wide-form .btn-primary").click()
        page.locator("[name=title]").select_option(str(title.pk))
        page.locator("[name=rounds]").select_option("2")
        page.locator("button[value=add]").click()
        page.locator(".actions .btn-primary").click()
        page.locator("button[value=enrolling]").click()
        event = Event.objects.get(name="Festa della Cremagliera")
        expect(page).to_have_url(re.compile(f"{event.get_absolute_url()}$"))
        event.refresh_from_db()
    assert (event.status, event.factor()) == ("enrolling", 2)
    assert event.replaces
    assert event.replaces.town == "Modena"


def test_prove_change_their_order_by_the_keyboard(
    page: Page, context: BrowserContext, live_server: LiveServer
) -> None:
    cast, event = make_cast(), make_draft()
    for code in ("1830", "1849"):
        services.add_prova(event, make_title(code), cast.sara, NOW)
    come_in(context, live_server, cast.alice)
    page.goto(reverse("event_prove", args=[event.pk]))
    tab_to(page.locator("button[value=up]:enabled"))
    page.keyboard.press("Enter")
    first = page.locator(".prova-row select[name=title]").first
    expect(first).to_have_value(str(make_title("1849").pk))
    order = list(event.prove.order_by("order").values_list("title__code", flat=True))
    assert order == ["1849", "1830"]


@pytest.mark.parametrize("width", [320, 360, 767])
def test_a_calendar_is_read_on_a_phone_without_moving_it_sideways(
    page: Page, context: BrowserContext, live_server: LiveServer, width: int
) -> None:
    cast = make_cast()
    event = services.create_event(
        make_season(2026),
        "Campionato Interregionale Invernale dell’Appennino Centro-Settentrionale",
        NOW.date(),
        NOW.date(),
        cast.sara,
        NOW,
        town="Castelfranco Piandiscò di Sopra",
        region="Friuli-Venezia Giulia",
        director=cast.director,
    )
    for code in ("1830", "1849", "1856", "1870", "1830", "1849", "1856", "1870"):
        services.add_prova(event, make_title(code), cast.sara, NOW, rounds=2)
    services.set_status(event, "cancelled", cast.sara, NOW, reason="Lavori " * 25)
    page.set_viewport_size({"width": width, "height": 700})
    page.goto(f"{reverse('event_list')}?stagione=2026")
    box = page.locator(".timetable-scroll")
    assert box.evaluate("(box) => box.scrollWidth <= box.clientWidth")
    assert page.evaluate("document.documentElement.scrollWidth <= innerWidth")
    expect(page.get_by_role("cell", name="Castelfranco Piandiscò di Sopra")).to_be_visible()
