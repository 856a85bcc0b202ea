"""The roll call in a real browser: one tick, one request, and a network that fails."""

from __future__ import annotations

import pytest
from django.urls import reverse
from playwright.sync_api import Browser, BrowserContext, Locator, Page, expect
from pytest_django.live_server_helper import LiveServer

from figf.tests.cast import make_cast, make_hall, make_player
from figf.tests.test_browser import (
    NARROW,
    another_visitor,
    button,
    come_in,
    expected,
    look,
    ready,
    say,
    say_many,
    tab_to,
    told,
)
from tournaments import services
from tournaments.models import Entry, Event

pytestmark = [pytest.mark.browser, pytest.mark.django_db(transaction=True)]


class Roll:
    """The list on the screen, by the names on it."""

    def __init__(self, page: Page, event: Event) -> None:
        self.page, self.event = page, event
        self.address = reverse("roll_call", args=[event.pk])
        self.entries = list(event.entries.with_people())

    def open(self, how: str = "") -> Roll:
        self.page.goto(self.address + how)
        return self

    def row(self, n: int) -> Locator:
        return self.page.locator(f"#entry-{self.entries[n].pk}")

    def box(self, n: int, which: str = "here") -> Locator:
        return self.row(n).locator(f"[name='{which}-{self.entries[n].pk}']")

    def state(self, n: int) -> Locator:
        return self.row(n).locator(".roll-state")

    def shows(self, n: int, text: str) -> None:
        expect(self.state(n)).to_have_text(say(text))

    def sums(self, here: int, everybody: int) -> None:
        one = "%(here)s of %(all)s present"
        said = say_many(one, one, here, here=here, all=everybody)
        expect(self.page.locator("#roll-sum")).to_contain_text(said)

    def present(self, n: int) -> bool | None:
        return Entry.objects.get(pk=self.entries[n].pk).present


@pytest.fixture
def roll(page: Page, context: BrowserContext, live_server: LiveServer) -> Roll:
    event = make_hall(5, here=False)
    come_in(context, live_server, make_cast().alice)
    return Roll(page, event).open()


def test_a_tap_anywhere_on_the_name_is_a_tick_saved_at_once(roll: Roll) -> None:
    roll.page.set_viewport_size(NARROW)
    roll.sums(0, 5)
    roll.row(0).locator("b").click()
    expect(roll.box(0)).to_be_checked()
    roll.sums(1, 5)
    assert roll.present(0) is True
    size = roll.row(0).locator(".roll-name").bounding_box()
    assert size
    assert size["height"] >= 44
    assert size["width"] > 300


def test_here_and_absent_exclude_each_other_and_the_focus_stays(roll: Roll) -> None:
    tab_to(roll.box(1))
    roll.page.keyboard.press("Space")
    roll.shows(1, "here")
    expect(roll.box(1)).to_be_focused()
    roll.page.keyboard.press("Tab")
    expect(roll.box(1, "absent")).to_be_focused()
    roll.page.keyboard.press("Space")
    roll.shows(1, "absent")
    expect(roll.box(1)).not_to_be_checked()
    expect(roll.box(1, "absent")).to_be_focused()
    assert roll.present(1) is False
    roll.page.keyboard.press("Space")
    roll.shows(1, "not called")
    assert roll.present(1) is None


def test_two_quick_taps_end_with_the_last(roll: Roll, context: BrowserContext) -> None:
    slow = {"offline": False, "latency": 300, "downloadThroughput": -1, "uploadThroughput": -1}
    context.new_cdp_session(roll.page).send("Network.emulateNetworkConditions", slow)
    for _ in range(4):
        roll.box(2).click()
    roll.box(2, "absent").click()
    roll.shows(2, "absent")
    roll.page.wait_for_load_state("networkidle")
    assert roll.present(2) is False
    roll.sums(0, 5)


def test_without_the_network_the_row_says_so_keeps_its_tick_and_is_sent_again(
    roll: Roll, context: BrowserContext, browser_errors: list[str]
) -> None:
    context.set_offline(True)
    roll.box(0).check()
    roll.shows(0, "not saved")
    expect(roll.box(0)).to_be_checked()
    expect(roll.page.locator("#roll-lost")).to_be_visible()
    expect(button(roll.page, "Save the list")).to_be_visible()
    roll.sums(0, 5)
    context.set_offline(False)
    roll.shows(0, "here")
    roll.sums(1, 5)
    expect(roll.page.locator("#roll-lost")).to_be_hidden()
    expect(button(roll.page, "Save the list")).to_be_hidden()
    assert roll.present(0) is True
    expected(browser_errors, "")


def test_who_is_logged_out_meanwhile_is_told_and_finds_his_ticks_on_the_page(
    roll: Roll, context: BrowserContext, live_server: LiveServer
) -> None:
    context.clear_cookies(name="sessionid")
    roll.box(0).check()
    expect(roll.page.locator("#roll-out")).to_be_visible()
    roll.shows(0, "not saved")
    expect(roll.box(0)).to_be_checked()
    assert roll.present(0) is None
    come_in(context, live_server, make_cast().alice)
    Roll(context.new_page(), roll.event).open()  # in another tab, with a new token
    roll.box(1).check()
    roll.shows(1, "here")
    roll.shows(0, "here")  # what waited follows
    expect(roll.page.locator("#roll-out")).to_be_hidden()
    assert roll.present(0) is True


def test_a_row_that_is_refused_says_why(roll: Roll, browser_errors: list[str]) -> None:
    services.withdraw(roll.entries[0], make_cast().alice, roll.entries[0].enrolled_at)
    roll.box(0).check()
    expect(roll.state(0)).to_contain_text(
        say(
            "%(player)s is not among the enrolled: load the page again.",
            "it",
            player=roll.entries[0].player,
        )
    )
    expected(browser_errors, "status of 422")


def test_the_list_is_filtered_while_one_types(roll: Roll) -> None:
    search = roll.page.locator("#id_q")
    search.fill("passeggero 04")
    expect(roll.row(3)).to_be_visible()
    expect(roll.row(0)).to_be_hidden()
    search.fill("")
    expect(roll.row(0)).to_be_visible()


def test_the_books_answer_while_one_types_and_one_press_enrols_him_here(roll: Roll) -> None:
    player = make_player("Tardivo", "Teo")
    page = roll.page
    page.locator("#id_cerca").fill("tard")
    found = page.locator("#found").get_by_role("button")
    expect(found).to_have_count(1)
    page.locator("#add-present").check()
    found.click()
    text = "%(player)s is enrolled and here, to play from round %(round)d."
    expect(told(page, text, player=player, round=1)).to_be_visible()
    roll.sums(1, 6)
    # Where the eye is: beside the box, which waits for the next surname; the tick is as it was.
    box = page.locator("#id_cerca")
    expect(box).to_be_focused()
    expect(box).to_be_in_viewport()
    expect(page.locator("#spot-told")).to_have_text(say(text, player=player, round=1))
    expect(page.locator("#spot-told")).to_be_in_viewport()
    make_player("Tardissimo", "Tino")
    ready(page)
    page.keyboard.type("tardiss")
    expect(page.locator("#found").get_by_role("button")).to_have_count(1)
    expect(page.locator("#add-present")).to_be_checked()


def test_what_was_done_to_a_row_is_said_beside_it(roll: Roll) -> None:
    page = roll.page
    page.set_viewport_size(NARROW)
    roll.row(4).get_by_role("link", name=say("Withdraws")).click()
    button(page, "Yes, does not come").click()
    said = roll.row(4).get_by_text(say("%(player)s is withdrawn.", player=roll.entries[4].player))
    expect(said).to_be_in_viewport()


def test_the_games_that_somebody_brings_are_written_from_his_row(roll: Roll) -> None:
    """A-07."""
    page = roll.page
    roll.row(2).get_by_role("link", name=say("Copies")).click()
    tab_to(page.get_by_label("1830"))
    page.keyboard.press("Space")
    page.keyboard.press("Enter")
    expect(roll.row(2)).to_contain_text(f"{say('Brings')} 1830")


def test_a_possible_double_is_shown_legibly(roll: Roll, browser_errors: list[str]) -> None:
    page = roll.page
    page.set_viewport_size(NARROW)
    page.locator("#newcomer > summary").click()
    page.get_by_label(say("Surname")).last.fill("Passeggero")
    page.locator("#id_name").fill("01")
    page.locator("#newcomer").get_by_role("button", name=say("Register and enrol")).click()
    expect(page.locator("#newcomer")).to_contain_text(say("Perhaps one of these?"))
    expected(browser_errors, "status of 422")
    assert look(page) == []
    page.locator("#id_another").check()
    page.locator("#new-present").check()
    page.locator("#newcomer").get_by_role("button", name=say("Register and enrol")).click()
    roll.sums(1, 6)


def test_without_scripts_the_list_is_saved_by_its_button(
    browser: Browser, live_server: LiveServer
) -> None:
    event = make_hall(3, here=False)
    with another_visitor(browser, live_server, java_script_enabled=False) as context:
        come_in(context, live_server, make_cast().alice)
        roll = Roll(context.new_page(), event).open()
        roll.box(0).check()
        roll.box(1, "absent").check()
        button(roll.page, "Save the list").click()
        expect(told(roll.page, "Saved.")).to_be_visible()
        roll.shows(0, "here")
        roll.shows(1, "absent")
        button(roll.page, "Everybody else is here").click()
        roll.shows(2, "here")
        assert [roll.present(n) for n in range(3)] == [True, False, True]
