"""The standing in a real browser: found at once, whole on the page, and printed for anybody."""

from __future__ import annotations

import pytest
from django.urls import reverse
from playwright.sync_api import BrowserContext, Page, expect
from pytest_django.live_server_helper import LiveServer

from figf.tests.cast import make_cast, make_event, record, tables_of
from figf.tests.test_browser import come_in

pytestmark = [pytest.mark.browser, pytest.mark.django_db(transaction=True)]
PLAIN = ("rgba(0, 0, 0, 0)", "none")


def test_the_standing_is_whole_on_the_page_marks_who_looks_and_prints_without_him(
    page: Page, context: BrowserContext, live_server: LiveServer
) -> None:
    cast = make_cast()
    event = make_event(players=20)
    for table in tables_of(event):
        record(table, *(7500, 7200, 6600, 100, 0)[: table.seats.count()])
    come_in(context, live_server, cast.bruno)
    address = reverse("event_standing", args=[event.pk])
    for width in (360, 1280):
        page.set_viewport_size({"width": width, "height": 800})
        page.goto(address)
        box = page.locator(".timetable-scroll")
        assert box.evaluate("box => box.scrollHeight - box.clientHeight") <= 0, width
    page.goto(f"{address}#me")
    mine = page.locator("tr.me")
    expect(mine).to_be_in_viewport()
    assert mine.evaluate("row => getComputedStyle(row).outlineStyle") == "none"
    style = "cell => [getComputedStyle(cell).backgroundColor, getComputedStyle(cell).boxShadow]"
    place = mine.locator(".place")
    assert all(seen != plain for seen, plain in zip(place.evaluate(style), PLAIN, strict=True))
    as_of, find_me = page.locator(".d-print-inline"), page.locator("a[href='#me']")
    expect(as_of).to_be_hidden()
    expect(find_me).to_be_visible()
    page.emulate_media(media="print")
    expect(as_of).to_be_visible()
    expect(find_me).to_be_hidden()
    assert place.evaluate(style) == list(PLAIN)
    assert mine.locator("th").evaluate(style) == list(PLAIN)
