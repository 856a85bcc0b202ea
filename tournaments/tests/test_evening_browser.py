"""The director's Friday evening in a real browser: from who is coming to the tables on the wall."""

from __future__ import annotations

import re

import pytest
from django.utils import timezone
from playwright.sync_api import Browser, BrowserContext, Locator, Page, expect
from pytest_django.live_server_helper import LiveServer

from figf.tests.cast import (
    Cast,
    make_cast,
    make_draft,
    make_hall,
    make_player,
    make_sketch,
    make_title,
)
from figf.tests.test_browser import (
    NARROW,
    another_visitor,
    button,
    come_in,
    expected,
    link,
    ready,
    say,
    tab_to,
    told,
)
from tournaments import services
from tournaments.models import Event, Player, Round

pytestmark = [pytest.mark.browser, pytest.mark.django_db(transaction=True)]


@pytest.fixture
def cast() -> Cast:
    return make_cast(timezone.now())


def evening(cast: Cast) -> Event:
    """An event of today without anybody; nineteen players on the books, and one who will come."""
    now = timezone.now()
    event = make_draft(name="Festa del Binario Morto", now=now)
    services.add_prova(event, make_title("1830", now), cast.sara, now)
    for n in range(1, 20):
        make_player(f"Passeggero {n:02}", now=now)
    return event


def seats(page: Page) -> list[list[str]]:
    """The tables on the screen, once the new ones are: the last two letters of each name."""
    ready(page)
    return [
        [name[-2:] for name in table.locator(".seat-name").all_inner_texts()]
        for table in page.locator(".seating-table").all()
    ]


def box_of(page: Page, name: str) -> Locator:
    return page.get_by_role("checkbox", name=re.compile(f"Passeggero {name}"))


def tick(page: Page, name: str) -> None:
    """Say at the roll call that he is here, and wait until the site has it."""
    row = page.locator(".roll-row", has_text=f"Passeggero {name}")
    row.locator("[name^=here-]").check()
    expect(row.locator(".roll-state .signal.clear")).to_be_visible()


@pytest.fixture(params=["it", "en"])
def language(request: pytest.FixtureRequest) -> str:
    return str(request.param)


@pytest.fixture
def evening_page(
    context: BrowserContext, live_server: LiveServer, cast: Cast, language: str
) -> Page:
    come_in(context, live_server, cast.alice, language)
    return context.new_page()


def test_from_the_enrolment_to_the_tables_on_the_wall(
    evening_page: Page, browser: Browser, live_server: LiveServer, cast: Cast, language: str
) -> None:
    """Nineteen enrol, two withdraw, one arrives; seated, swapped by keyboard, published, printed,
    shown on the wall, taken back. Eighteen players are 5 + 5 + 4 + 4 (B-01)."""
    page, event = evening_page, evening(cast)
    page.goto(event.get_absolute_url())
    button(page, "Open enrolment", language).click()
    expect(page.locator(".now .btn-primary")).to_have_text(say("Roll call", language))

    # Nineteen enrol: the director finds each by surname; the last two will withdraw.
    for n in range(1, 20):
        player = Player.objects.get(surname=f"Passeggero {n:02}")
        services.enrol(event, player, cast.alice, timezone.now())
    page.goto(event.get_absolute_url())
    link(page, "Roll call", language).first.click()
    for name in ("18", "19"):
        row = page.locator(".roll-row", has_text=f"Passeggero {name}")
        row.locator("a.roll-go").click()
        page.locator("main form button.btn-danger").click()
        expect(row).to_have_count(0)
        expect(page.locator(".board-row", has_text=f"Passeggero {name}")).to_be_visible()
    ready(page)
    for n in range(1, 18):
        tick(page, f"{n:02}")

    # One arrives who is on no list.
    page.locator("#newcomer summary").click()
    newcomer = page.locator("#newcomer form")
    newcomer.locator("[name=surname]").fill("Ritardatario")
    newcomer.locator("[name=present]").set_checked(True)
    newcomer.locator(".btn-primary").click()
    expect(page.locator(".roll-row", has_text="Ritardatario")).to_be_visible()
    assert event.entries.filter(present=True).count() == 18

    # The tables.
    page.goto(event.get_absolute_url())
    page.locator(".now .btn-primary").click()
    expect(page.get_by_role("radio").first).to_be_checked()
    button(page, "Form the tables", language).click()
    expect(page.locator(".seating-table")).to_have_count(4)
    assert [len(table) for table in seats(page)] == [5, 5, 4, 4]
    assert seats(page)[0] == ["01", "02", "03", "04", "05"]

    # Two are swapped without a mouse: Space ticks, the reason is typed, Enter on the button.
    swap = button(page, "Swap two", language)
    expect(swap).to_be_disabled()
    for name in ("01", "10"):
        box = box_of(page, name)
        tab_to(box, 120)
        page.keyboard.press("Space")
    expect(swap).to_be_enabled()
    reason = page.locator("[name=reason]").first
    tab_to(reason, 120)
    page.keyboard.type("due fratelli")
    tab_to(swap)
    page.keyboard.press("Enter")
    expect(page.locator(".seat .signal.caution")).to_have_count(2)
    assert seats(page)[0][0] == "10"

    # Published; the public sees it, on a phone and on the wall.
    button(page, "Publish the tables", language).click()
    expect(button(page, "Start the tables", language)).to_be_visible()
    seated = Round.objects.get()
    with another_visitor(browser, live_server, viewport=NARROW) as phone:
        come_in(phone, live_server, None, language)
        hand = phone.new_page()
        hand.goto(seated.get_absolute_url())
        assert seats(hand)[0][0] == "10"
        assert hand.evaluate("document.documentElement.scrollWidth - innerWidth") <= 0
        expect(button(hand, "Start the tables", language)).to_have_count(0)
    with another_visitor(browser, live_server, viewport={"width": 1920, "height": 1080}) as hall:
        come_in(hall, live_server, None, language)
        wall = hall.new_page()
        wall.goto(f"/eventi/{event.pk}/schermo/")
        expect(wall.get_by_text("Ritardatario")).to_be_visible()
        size = wall.locator(".screen-tables li").first.evaluate(
            "element => parseFloat(getComputedStyle(element).fontSize)"
        )
        assert size >= 40  # of 1080 lines: legible from the back of the hall
        assert wall.evaluate("document.documentElement.scrollHeight - innerHeight") <= 0

    # The sheets: one A4 page a table.
    link(page, "Sheets to print", language).click()
    expect(page.locator(".table-sheet svg")).to_have_count(4)
    page.wait_for_load_state("load")  # the style sheet says where a page ends
    page.emulate_media(media="print")
    assert len(re.findall(rb"/Type\s*/Page\b", page.pdf(prefer_css_page_size=True))) == 4
    page.emulate_media(media="screen")

    # Taken back.
    page.goto(seated.get_absolute_url())
    button(page, "Take the publication back", language).click()
    expect(button(page, "Publish the tables", language)).to_be_visible()
    with another_visitor(browser, live_server) as other:
        visitor = other.new_page()
        visitor.goto(seated.get_absolute_url())
        assert visitor.url.endswith(event.get_absolute_url())
        visitor.goto(f"/eventi/{event.pk}/schermo/")
        expect(visitor.locator(".screen-wait")).to_be_visible()
    event.refresh_from_db()
    assert event.status == Event.Status.ENROLLING


def test_on_a_phone_two_touches_and_a_reason_swap(
    context: BrowserContext, live_server: LiveServer, cast: Cast
) -> None:
    """What is needed comes up under the thumb once somebody is picked."""
    sketch = make_sketch(make_hall(9, now=timezone.now()), timezone.now())
    come_in(context, live_server, cast.alice, "it")
    page = context.new_page()
    page.set_viewport_size(NARROW)
    page.goto(f"/prove/{sketch.prova_id}/turni/1/")
    page.locator(".seat", has_text="Passeggero 01").click()
    page.locator(".seat", has_text="Passeggero 09").click()
    bar = page.locator(".seating-bar")
    expect(bar).to_be_in_viewport()
    box = bar.bounding_box()
    assert box
    assert box["y"] < 640
    bar.locator("[name=reason]").fill("due fratelli")
    button(page, "Swap two").click()
    expect(page.locator(".seat .signal.caution")).to_have_count(2)
    assert seats(page)[0][0] == "09"


def test_s_swaps_and_escape_lets_go(
    context: BrowserContext, live_server: LiveServer, cast: Cast
) -> None:
    sketch = make_sketch(make_hall(9, now=timezone.now()), timezone.now())
    come_in(context, live_server, cast.alice, "it")
    page = context.new_page()
    page.goto(f"/prove/{sketch.prova_id}/turni/1/")
    page.locator("[name=reason]").first.fill("due fratelli")
    box_of(page, "01").check()
    page.keyboard.press("Escape")
    expect(page.locator("[name=seat]:checked")).to_have_count(0)
    box_of(page, "01").check()
    box_of(page, "09").check()
    page.keyboard.press("s")
    expect(page.locator(".seat .signal.caution")).to_have_count(2)


def test_a_page_gone_stale_keeps_what_was_picked(
    context: BrowserContext,
    live_server: LiveServer,
    cast: Cast,
    browser_errors: list[str],
) -> None:
    """Two people on one draft: the second is told, sees the tables as they stand, and goes on."""
    sketch = make_sketch(make_hall(9, now=timezone.now()), timezone.now())
    come_in(context, live_server, cast.alice, "it")
    one, two = context.new_page(), context.new_page()
    for page in (one, two):
        page.goto(f"/prove/{sketch.prova_id}/turni/1/")
        page.locator("[name=reason]").first.fill("due fratelli")
    box_of(one, "01").check()
    box_of(one, "09").check()
    button(one, "Swap two").click()
    expect(one.locator(".seat .signal.caution")).to_have_count(2)
    box_of(two, "02").check()
    box_of(two, "08").check()
    button(two, "Swap two").click()
    expected_text = say("Somebody changed these tables meanwhile. Here they are as they stand now.")
    expect(two.locator(".refusal")).to_contain_text(expected_text)
    expected(browser_errors, "422")
    expect(two.locator("[name=seat]:checked")).to_have_count(2)
    expect(two.locator("[name=reason]").first).to_have_value("due fratelli")
    button(two, "Swap two").click()
    expect(two.locator(".seat .signal.caution")).to_have_count(4)


def test_without_scripts_the_evening_goes_on(
    browser: Browser, live_server: LiveServer, cast: Cast
) -> None:
    sketch = make_sketch(make_hall(9, now=timezone.now()), timezone.now())
    with another_visitor(browser, live_server, java_script_enabled=False) as plain:
        come_in(plain, live_server, cast.alice, "it")
        page = plain.new_page()
        page.goto(f"/prove/{sketch.prova_id}/turni/1/")
        box_of(page, "01").check()
        box_of(page, "09").check()
        button(page, "Swap two").click()
        expect(page.locator(".refusal")).to_contain_text("B-15")  # no reason was written
        page.locator("[name=reason]").first.fill("due fratelli")
        button(page, "Swap two").click()
        expect(page.locator(".seat .signal.caution")).to_have_count(2)
        assert seats(page)[0][0] == "09"
        button(page, "Publish the tables").click()
        button(page, "Start the tables").click()
        expect(told(page, "The tables play.")).to_be_visible()
        assert Round.objects.get().status == Round.Status.PUBLISHED
