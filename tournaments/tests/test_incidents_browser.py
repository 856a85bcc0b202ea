"""What happened at the table, in a real browser: every form open, on a phone, without scripts."""

from __future__ import annotations

import pytest
from playwright.sync_api import Browser, BrowserContext, Page, expect
from pytest_django.live_server_helper import LiveServer

from figf.tests.cast import (
    NOW,
    make_cast,
    make_event,
    make_player,
    percentiles,
    record,
    reread,
    seats_of,
    tables_of,
    visitor,
)
from figf.tests.test_browser import (
    NARROW,
    another_visitor,
    come_in,
    expected,
    faults,
    heading,
    ready,
    say,
)
from tournaments import services
from tournaments.models import Table

pytestmark = [pytest.mark.browser, pytest.mark.django_db(transaction=True)]


def make_eventful_table() -> Table:
    """Of four: Bruno excluded with a handicap, a substitute, a referee, Cinderella."""
    alice = make_cast().alice
    table = tables_of(make_event(players=4))[0]
    record(table, 9000, 8000, 6000, 4000)
    first, second, third, fourth = seats_of(table)
    services.give_handicap(first, -1000, "12.13", alice, NOW)
    services.exclude(table, make_cast().bruno.player, "Ordinanza 3", alice, NOW)
    services.hand_over(second, make_player("Espresso"), "substitute", alice, NOW)
    services.hand_over(third, None, "referee", alice, NOW)
    services.hand_over(fourth, fourth.holder().player, "cinderella", alice, NOW)
    return table


def open_all(page: Page) -> None:
    ready(page)
    page.evaluate("document.querySelectorAll('main details').forEach((d) => { d.open = true; })")


@pytest.mark.parametrize("language", ["it", "en"])
def test_with_every_form_open_the_page_is_accessible_and_fits(
    page: Page,
    context: BrowserContext,
    live_server: LiveServer,
    browser_errors: list[str],
    language: str,
) -> None:
    table = make_eventful_table()
    make_player("Riserva")
    come_in(context, live_server, make_cast().alice, language)
    address = f"/tavoli/{table.pk}/fatti/"
    page.goto(f"{address}?cerca=riserva")
    open_all(page)
    wrong = list(faults(page, language))
    form = page.locator("form:has([value=handicap])").first
    form.locator("[name=reason]").fill("")
    form.locator("button").click()
    expect(page.get_by_role("alert").first).to_be_visible()
    expect(form.locator("[name=reason]")).to_have_attribute("aria-invalid", "true")
    open_all(page)
    wrong += [f"refused: {fault}" for fault in faults(page, language)]
    expected(browser_errors, "status of 422")
    services.void_table(table, "si ricomincia", make_cast().alice, NOW)
    page.goto(address)
    expect(heading(page, "The game is void", language)).to_be_visible()
    wrong += [f"void: {fault}" for fault in faults(page, language)]
    assert not wrong, "\n" + "\n".join(wrong)


def test_what_is_typed_survives_a_search_a_log_in_and_a_lost_network(
    page: Page, context: BrowserContext, live_server: LiveServer, browser_errors: list[str]
) -> None:
    table = tables_of(make_event(players=3))[0]
    record(table, 8000, 7500, 6000)
    make_player("Riserva")
    come_in(context, live_server, make_cast().alice, "en")
    page.goto(f"/tavoli/{table.pk}/fatti/")
    ready(page)
    seat = page.locator("section.sheet").first
    ruling = seat.locator("[name=ruling]")
    seat.locator("details:has([value=exclude]) > summary").click()
    ruling.fill("Ordinanza 3")
    page.locator("#id_cerca").fill("riserva")
    page.locator("#id_cerca").press("Enter")
    page.wait_for_url("**cerca=riserva#substitutes")
    expect(ruling).to_be_visible()
    expect(ruling).to_have_value("Ordinanza 3")
    expect(page.locator("#facts-back")).to_be_visible()

    context.set_offline(True)
    seat.locator("form:has([value=exclude]) button").click()
    expect(page.locator("#facts-lost")).to_be_visible()
    expect(ruling).to_have_value("Ordinanza 3")
    context.set_offline(False)
    page.wait_for_function("navigator.onLine")

    context.clear_cookies(name="sessionid")
    seat.locator("form:has([value=exclude]) button").click()
    page.wait_for_url("**/accesso/**")
    come_in(context, live_server, make_cast().alice, "en")
    page.goto(f"/tavoli/{table.pk}/fatti/")
    expect(ruling).to_be_visible()
    expect(ruling).to_have_value("Ordinanza 3")
    seat.locator("form:has([value=exclude]) button").click()
    expect(page.get_by_text(say("excluded from this game", "en"))).to_be_visible()

    seat.get_by_role("button", name="Lift the exclusion").click()
    expect(ruling).to_have_value("")
    expect(page.locator("#facts-back")).to_be_hidden()


def test_a_handicap_is_written_on_a_phone_without_scripts(
    browser: Browser, live_server: LiveServer
) -> None:
    """PCT-21."""
    table = tables_of(make_event(players=3))[0]
    record(table, 8000, 7500, 6000)
    with another_visitor(
        browser, live_server, viewport=NARROW, java_script_enabled=False
    ) as context:
        key = visitor(make_cast().alice).cookies["sessionid"].value
        context.add_cookies([{"name": "sessionid", "value": key, "url": live_server.url}])
        page = context.new_page()
        page.goto(table.get_absolute_url())
        page.locator("a[href$='/fatti/']").click()
        seat = page.locator("section.sheet").first
        seat.locator("details:has([value=handicap]) > summary").click()
        form = seat.locator("form:has([value=handicap])")
        form.locator("[name=amount]").fill("-1000")
        form.locator("[name=reason]").fill("12.13")
        form.locator("button").click()
        expect(page.locator("section.sheet").first).to_contain_text("933,33")
    result = reread(table).confirmed()
    assert result
    assert percentiles(result) == ["933.33", "1566.67", "800.00"]
