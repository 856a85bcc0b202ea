"""The result of a table in a real browser: typed with one hand, reckoned while it is typed.

Percentiles are worked out by hand from C-01 and C-02: with 7500, 7200 and 6600 the bases are 1000,
960 and 880, and the first gets 500 + 40 more.
"""

from __future__ import annotations

import re
from collections.abc import Iterator, Sequence
from typing import Any

import pytest
from playwright.sync_api import (
    Browser,
    BrowserContext,
    Dialog,
    FloatRect,
    Locator,
    Page,
    expect,
)
from playwright.sync_api import TimeoutError as NotInTime
from pytest_django.live_server_helper import LiveServer

from figf.models import User
from figf.tests.cast import (
    PASSWORD,
    make_cast,
    make_event,
    make_player,
    percentiles,
    record,
    reread,
    seats_of,
    tables_of,
)
from figf.tests.test_browser import (
    NARROW,
    another_visitor,
    button,
    come_in,
    expected,
    heading,
    link,
    ready,
    say,
    say_many,
    tab_to,
    told,
    tongue,
    try_to_log_in,
)
from tournaments.models import Table

pytestmark = [pytest.mark.browser, pytest.mark.django_db(transaction=True)]

COUNTED = [(6100, 1400), (6000, 1200), (5000, 1600)]  # 7500, 7200, 6600
NO_ANSWER = (
    "No answer from the server, or you have logged out or in again meanwhile: the outcome shown "
    "may be old. What you type stays in this browser."
)
SHARED = "First place is shared: count again, and say that the tie is right."
WHOLE = "Enter a whole number, in figures only: no letters, no decimals."
NEGATIVE = "The amount cannot be negative: who ends in debt is entered with 0."


class Sheet:
    """The counting sheet on the screen: its boxes by seat, and what the site says beside them."""

    def __init__(self, page: Page, table: Table, language: str = "it") -> None:
        self.page, self.language = page, language
        self.address = f"/tavoli/{table.pk}/risultato/"
        self.names = [str(seat.holder().player) for seat in seats_of(table)]

    def open(self, how: str = "") -> Sheet:
        self.page.goto(self.address + how)
        return self

    def box(self, seat: int, fact: str = "Shares") -> Locator:
        name = f"{say(fact, self.language)} – {self.names[seat]}"
        return self.page.get_by_role("textbox", name=name, exact=True)

    def boxes(self, *facts: str) -> list[Locator]:
        facts = facts or ("Shares", "Cash")
        return [self.box(seat, fact) for seat in range(len(self.names)) for fact in facts]

    def out(self, seat: int, word: str) -> Locator:
        """What stands under "Total", "Place", "Percentile" or "Bonus" for a seat."""
        group = self.page.get_by_role("group", name=self.names[seat])
        term = self.page.locator("dt", has_text=re.compile(f"^{say(word, self.language)}$"))
        return group.locator("dl > div", has=term).locator("dd")

    def shows(self, seat: int, **outs: str) -> None:
        for word, figure in outs.items():
            expect(self.out(seat, word.capitalize())).to_have_text(figure)

    def refusal(self, seat: int) -> Locator:
        return self.page.locator(".figures-refusal").nth(seat)

    @property
    def state(self) -> Locator:
        return self.page.locator("#sheet-state")

    @property
    def fault(self) -> Locator:
        """The box above the sheet that says why nothing was recorded."""
        return self.page.get_by_role("alert")

    @property
    def confirm(self) -> Locator:
        return button(self.page, "Confirm the result", self.language)

    @property
    def correct(self) -> Locator:
        return button(self.page, "Correct the result", self.language)

    @property
    def tie(self) -> Locator:
        return self.page.get_by_role(
            "checkbox", name=say("Counted again: the tie is right", self.language)
        )

    def fill(self, counted: Sequence[Sequence[object]]) -> None:
        for seat, (stocks, cash) in enumerate(counted):
            self.box(seat).fill(str(stocks))
            self.box(seat, "Cash").fill(str(cash))

    def typed(self) -> list[str]:
        return [box.input_value() for box in self.boxes()]


def table_of(players: int = 3) -> Table:
    return tables_of(make_event(players=players))[0]


@pytest.fixture
def alice(context: BrowserContext, live_server: LiveServer) -> User:
    """The director, who is logged in."""
    user = make_cast().alice
    come_in(context, live_server, user, "it")
    return user


@pytest.fixture
def sheet(page: Page, alice: User) -> Sheet:
    """The sheet of a table of three, open before its director."""
    return Sheet(page, table_of()).open()


# --- by the keyboard ------------------------------------------------------------------------------


def test_a_result_is_entered_by_the_keyboard_alone_and_reckoned_while_it_is_typed(
    sheet: Sheet,
) -> None:
    page = sheet.page
    expect(sheet.fault).to_have_count(0)  # nothing is wrong yet
    tab_to(sheet.box(0))
    page.keyboard.type("6100")
    sheet.shows(0, total="–")  # shares without cash are not yet a total
    page.keyboard.press("Enter")
    expect(sheet.box(0, "Cash")).to_be_focused()
    page.keyboard.type("1400")
    sheet.shows(0, total="7500", place="–", percentile="–", bonus="")
    expect(sheet.state).to_contain_text(say_many("%(n)s seat missing", "%(n)s seats missing", 2))
    page.keyboard.press("Enter")
    for figure in ("6000", "1200"):
        page.keyboard.type(figure)
        page.keyboard.press("Enter")
    sheet.shows(1, total="7200")
    expect(sheet.state).to_contain_text(say_many("%(n)s seat missing", "%(n)s seats missing", 1))
    for figure in ("5000", "1600"):
        page.keyboard.type(figure)
        page.keyboard.press("Enter")
    expect(sheet.confirm).to_be_focused()
    sheet.shows(0, total="7500", place="1", percentile="1540", bonus="+540")
    sheet.shows(1, total="7200", place="2", percentile="960", bonus="")
    sheet.shows(2, total="6600", place="3", percentile="880", bonus="")
    expect(sheet.state).to_contain_text(say("complete"))
    expect(sheet.confirm).to_be_focused()  # the last figures have not moved it

    page.keyboard.press("Enter")
    expect(told(page, "Table %(number)d: result confirmed.", number=1)).to_be_visible()
    rows = page.get_by_role("row").filter(has=page.get_by_role("group"))
    expect(rows).to_have_count(3)
    expect(rows.nth(0)).to_contain_text("1540")
    expect(rows.nth(1)).to_contain_text("960")
    expect(rows.nth(2)).to_contain_text("880")

    why = page.get_by_text("1000 + 500 + 40").or_(page.get_by_text("500 + 40 = 540"))
    expect(why).to_be_hidden()
    tab_to(page.locator("summary").first)
    page.keyboard.press("Enter")
    expect(why).to_be_visible()
    page.keyboard.press("Tab")
    expect(page.get_by_role("link", name=re.compile("^C-0")).first).to_be_focused()
    page.keyboard.press("Enter")
    expect(page).to_have_url(re.compile(r"/regolamento/#C-0\d$"))


def test_the_answers_of_the_server_move_neither_focus_nor_caret(sheet: Sheet) -> None:
    page, box = sheet.page, sheet.box(1)
    sheet.box(0).fill("6100")
    sheet.box(0, "Cash").fill("1400")
    sheet.shows(0, total="7500")
    page.evaluate(
        """() => {
            window.left = [];
            document.addEventListener("focusout", (event) => window.left.push(event.target.id));
        }"""
    )
    sheet.box(1, "Cash").fill("1200")
    box.focus()
    page.evaluate("window.left.length = 0")
    page.keyboard.type("60")
    page.keyboard.press("ArrowLeft")
    with page.expect_response("**/anteprima/**"):
        page.keyboard.type("5")
    sheet.shows(1, total="1850")  # 650 + 1200
    expect(box).to_be_focused()
    assert box.evaluate("(box) => [box.value, box.selectionStart, box.selectionEnd]") == [
        *("650", 2, 2)
    ]
    page.keyboard.type("8")
    expect(box).to_have_value("6580")
    sheet.shows(1, total="7780")
    assert page.evaluate("window.left") == []


def test_enter_selects_what_the_next_box_holds_so_that_a_mistake_costs_one_entry(
    sheet: Sheet,
) -> None:
    sheet.fill(COUNTED)
    sheet.box(0).focus()
    sheet.page.keyboard.press("Enter")
    sheet.page.keyboard.type("1300")
    expect(sheet.box(0, "Cash")).to_have_value("1300")
    sheet.shows(0, total="7400")


def test_fast_typing_on_a_slow_network_ends_with_what_was_typed_last_and_alarms_nobody(
    sheet: Sheet, context: BrowserContext, browser_errors: list[str]
) -> None:
    page = sheet.page
    sheet.fill(COUNTED)
    sheet.shows(0, percentile="1540")
    page.evaluate(
        """() => {
            const notice = document.getElementById("sheet-lost");
            window.alarms = 0;
            const look = () => { window.alarms += notice.hidden ? 0 : 1; };
            new MutationObserver(look).observe(notice, {attributes: true});
        }"""
    )
    slow = {"offline": False, "latency": 500, "downloadThroughput": -1, "uploadThroughput": -1}
    context.new_cdp_session(page).send("Network.emulateNetworkConditions", slow)
    box = sheet.box(2, "Cash")
    box.focus()
    for figure in ("1", "16", "160", "1600", "1750"):
        box.fill(figure)
        page.wait_for_timeout(300)  # slower than the sheet waits, faster than the network
    sheet.shows(2, total="6750", percentile="900")
    page.wait_for_timeout(600)
    sheet.shows(2, total="6750", percentile="900")
    assert page.evaluate("window.alarms") == 0
    browser_errors[:] = [e for e in browser_errors if not e.startswith("htmx:")]  # replaced ones


def test_who_sees_the_sheet_in_english_reads_it_in_english(
    page: Page, context: BrowserContext, live_server: LiveServer
) -> None:
    table = table_of()
    come_in(context, live_server, make_cast().alice, "en")
    sheet = Sheet(page, table, "en").open()
    sheet.fill([(6100, 1400), (6000, 1200), (5123, 1600)])
    # 6723 ÷ 7500 × 1000 = 896.4
    sheet.shows(2, total="6723", percentile="896.40")
    expect(sheet.state).to_contain_text("All the seats are in")
    sheet.confirm.click()
    expect(page.get_by_role("row").nth(3)).to_contain_text("896.40")


def test_only_the_totals_are_enough(sheet: Sheet) -> None:
    page = sheet.page
    link(page, "Only the totals are known").click()
    expect(sheet.box(0, "Total")).to_be_focused()
    ready(page)
    for figure in ("7.500", "7 200", "6600"):  # as people write them
        page.keyboard.type(figure)
        page.keyboard.press("Enter")
    sheet.shows(0, total="7500", percentile="1540")
    sheet.shows(1, total="7200", percentile="960")
    sheet.shows(2, total="6600", percentile="880")
    expect(sheet.confirm).to_be_focused()
    page.keyboard.press("Enter")
    expect(told(page, "Table %(number)d: result confirmed.", number=1)).to_be_visible()


# --- what is refused ------------------------------------------------------------------------------


def test_a_shared_first_place_asks_to_be_confirmed(sheet: Sheet, browser_errors: list[str]) -> None:
    page = sheet.page
    sheet.fill([(6100, 1400), (6000, 1500), (5000, 1600)])
    sheet.shows(0, total="7500", place="1", percentile="1500", bonus="+500")
    sheet.shows(1, total="7500", place="1", percentile="1500", bonus="+500")
    sheet.shows(2, total="6600", place="3", percentile="880", bonus="")
    expect(sheet.tie).not_to_be_checked()
    expect(sheet.state.get_by_role("link", name="C-06")).to_be_visible()
    sheet.confirm.click()
    expect(sheet.fault).to_contain_text(say(SHARED))
    expect(sheet.fault).to_be_focused()
    expect(sheet.fault.get_by_role("link", name="C-06")).to_be_visible()
    assert sheet.typed() == ["6100", "1400", "6000", "1500", "5000", "1600"]
    expected(browser_errors, "status of 422")

    tab_to(sheet.tie)
    page.keyboard.press("Space")
    expect(sheet.tie).to_be_checked()
    page.wait_for_load_state("networkidle")
    expect(sheet.tie).to_be_checked()
    expect(sheet.tie).to_be_focused()
    page.keyboard.press("Enter")
    expect(sheet.confirm).to_be_focused()
    page.keyboard.press("Enter")
    expect(told(page, "Table %(number)d: result confirmed.", number=1)).to_be_visible()


def test_who_types_on_to_the_button_is_led_back_to_the_tie_that_the_last_figure_made(
    sheet: Sheet, context: BrowserContext
) -> None:
    page = sheet.page
    sheet.fill([(6100, 1400), (6000, 1500), (5000, "")])
    sheet.shows(1, total="7500")
    slow = {"offline": False, "latency": 1000, "downloadThroughput": -1, "uploadThroughput": -1}
    context.new_cdp_session(page).send("Network.emulateNetworkConditions", slow)
    sheet.box(2, "Cash").focus()
    page.keyboard.type("1600")
    page.keyboard.press("Enter")
    expect(sheet.confirm).to_be_focused()
    expect(sheet.tie).to_be_focused()  # when the answer is there
    page.keyboard.press("Space")
    expect(sheet.tie).to_be_checked()
    page.keyboard.press("Enter")
    expect(sheet.confirm).to_be_focused()


def test_a_tie_that_was_checked_is_asked_again_when_it_becomes_another(sheet: Sheet) -> None:
    sheet.fill([(6100, 1400), (6000, 1500), (5000, 1600)])
    sheet.tie.check()
    sheet.box(1, "Cash").fill("1400")
    sheet.shows(1, total="7400", place="2")
    expect(sheet.tie).to_have_count(0)
    sheet.box(2, "Cash").fill("2500")
    sheet.shows(2, total="7500", place="1")
    expect(sheet.tie).not_to_be_checked()


def test_a_tie_checked_before_the_last_answer_stays_checked(
    sheet: Sheet, context: BrowserContext
) -> None:
    page = sheet.page
    sheet.fill([(6100, 1400), (6000, 1500), (5000, 1600)])
    expect(sheet.tie).not_to_be_checked()
    sheet.shows(2, total="6600")
    slow = {"offline": False, "latency": 1000, "downloadThroughput": -1, "uploadThroughput": -1}
    context.new_cdp_session(page).send("Network.emulateNetworkConditions", slow)
    with page.expect_request("**/anteprima/**"):
        sheet.box(2).fill("5100")
    sheet.tie.check()  # while the answer is on its way
    sheet.shows(2, total="6700")
    expect(sheet.tie).to_be_checked()


@pytest.mark.parametrize(
    ("wrong", "words", "article"),
    [
        ("abc", WHOLE, "C-03"),
        ("-5", NEGATIVE, "C-08"),
    ],
)
def test_a_wrong_entry_is_refused_with_its_article_and_nothing_typed_is_lost(
    sheet: Sheet, browser_errors: list[str], wrong: str, words: str, article: str
) -> None:
    page = sheet.page
    sheet.fill([(6100, 1400), (wrong, 1200), (5000, 1600)])
    for sent in (False, True):
        if sent:
            sheet.confirm.click()
            expect(sheet.fault).to_be_visible()
            ready(page)
        expect(sheet.refusal(1)).to_contain_text(say(words))
        expect(sheet.refusal(1).get_by_role("link", name=article)).to_have_attribute(
            "href", f"/regolamento/#{article}"
        )
        expect(sheet.refusal(0)).to_be_empty()
        sheet.shows(0, total="7500", percentile="–")
        assert sheet.typed() == ["6100", "1400", wrong, "1200", "5000", "1600"]
    expect(sheet.box(1)).to_have_accessible_description(re.compile(re.escape(say(words))))
    expect(sheet.box(1)).to_have_attribute("aria-invalid", "true")
    sheet.box(1).fill("6000")
    expect(sheet.refusal(1)).to_be_empty()
    sheet.shows(1, percentile="960")
    expected(browser_errors, "status of 422")
    sheet.confirm.click()
    expect(told(page, "Table %(number)d: result confirmed.", number=1)).to_be_visible()


def test_the_wrong_box_is_marked_while_one_types(sheet: Sheet) -> None:
    sheet.fill([(6100, "abc"), (6000, 1200), (5000, 1600)])
    expect(sheet.box(0, "Cash")).to_have_attribute("aria-invalid", "true")
    expect(sheet.box(0)).not_to_have_attribute("aria-invalid", "true")
    sheet.box(0).fill("-5")
    expect(sheet.box(0)).to_have_attribute("aria-invalid", "true")
    expect(sheet.refusal(0)).to_contain_text(f"{say('Shares')}: {say(NEGATIVE)}")
    expect(sheet.refusal(0)).to_contain_text(f"{say('Cash')}: {say(WHOLE)}")
    sheet.box(0).fill("6100")
    sheet.box(0, "Cash").fill("1400")
    expect(sheet.box(0)).not_to_have_attribute("aria-invalid", "true")
    expect(sheet.box(0, "Cash")).not_to_have_attribute("aria-invalid", "true")


def test_an_incomplete_table_is_refused_and_nothing_typed_is_lost(
    sheet: Sheet, browser_errors: list[str]
) -> None:
    sheet.fill([(6100, 1400), (6000, ""), ("", "")])
    sheet.confirm.click()
    expect(sheet.fault).to_be_visible()
    ready(sheet.page)
    expect(sheet.refusal(1)).to_contain_text(say("Enter both shares and cash, or the total alone."))
    expect(sheet.refusal(2)).to_be_empty()  # not typed yet is not wrong
    assert sheet.typed() == ["6100", "1400", "6000", "", "", ""]
    sheet.box(1, "Cash").fill("1200")
    sheet.shows(1, total="7200")
    expect(sheet.refusal(1)).to_be_empty()
    sheet.confirm.click()
    expect(sheet.fault).to_contain_text(say("Some seats have no total yet: enter them all."))
    assert sheet.typed() == ["6100", "1400", "6000", "1200", "", ""]
    expected(browser_errors, "status of 422")


def test_what_the_server_says_while_one_types_is_spoken(sheet: Sheet) -> None:
    """A live region that stays in the page while its words change: one put in anew is silent."""
    expect(sheet.state).to_have_attribute("role", "status")
    sheet.state.evaluate("(region) => { region.stays = true; }")
    sheet.fill(COUNTED)
    expect(sheet.state).to_contain_text(say("complete"))
    assert sheet.state.evaluate("(region) => region.stays === true")


# --- corrections, and two at one table ------------------------------------------------------------


def test_a_correction_needs_its_reason(page: Page, alice: User, browser_errors: list[str]) -> None:
    table = table_of()
    record(table, 7500, 7200, 6600)
    page.goto(table.get_absolute_url())
    link(page, "Correct the result").click()
    sheet = Sheet(page, table)
    expect(sheet.box(0, "Total")).to_be_focused()
    ready(page)
    assert [box.input_value() for box in sheet.boxes("Total")] == ["7500", "7200", "6600"]
    sheet.box(2, "Total").fill("6750")
    sheet.shows(2, total="6750", percentile="900")
    sheet.box(2, "Total").press("Enter")
    reason = page.get_by_label(say("Reason of the correction"))
    expect(reason).to_be_focused()
    page.keyboard.press("Enter")
    expect(sheet.correct).to_be_focused()
    page.keyboard.press("Enter")
    expect(sheet.fault).to_contain_text(say("Say why the result is corrected."))
    expect(reason).to_have_attribute("aria-invalid", "true")
    expect(reason).to_have_accessible_description(re.compile("C-15$"))
    expect(sheet.box(2, "Total")).to_have_value("6750")
    expected(browser_errors, "status of 422")
    reason.fill("La cassa era contata due volte")
    reason.press("Enter")
    page.keyboard.press("Enter")
    expect(told(page, "Table %(number)d: result corrected.", number=1)).to_be_visible()
    expect(page.get_by_role("caption")).to_contain_text(
        say(
            "Version %(n)s, corrected because: %(reason)s.",
            n=2,
            reason="La cassa era contata due volte",
        )
    )
    assert percentiles(confirmed(table)) == ["1540.00", "960.00", "900.00"]


def confirmed(table: Table) -> Any:
    result = reread(table).confirmed()
    assert result
    return result


def test_of_two_at_one_table_the_second_is_told_sees_theirs_and_keeps_his_own(
    sheet: Sheet, browser: Browser, live_server: LiveServer, browser_errors: list[str]
) -> None:
    page, table = sheet.page, Table.objects.get()
    sheet.fill(COUNTED)
    with another_visitor(browser, live_server) as office:
        come_in(office, live_server, make_cast().sara, "it")
        theirs = Sheet(office.new_page(), reread(table)).open()
        theirs.fill([(6100, 1400), (6000, 1300), (5000, 1600)])
        theirs.confirm.click()
        expect(told(theirs.page, "Table %(number)d: result confirmed.", number=1)).to_be_visible()
    sheet.confirm.click()
    expect(sheet.fault).to_contain_text(
        say(
            "Somebody else wrote this table's result meanwhile. Theirs and yours are "
            "below: check, and confirm again."
        )
    )
    expected(browser_errors, "status of 422")
    beside = page.get_by_role("main").locator("section").filter(has_text="Sara Sportello")
    expect(beside).to_contain_text("7300")
    assert sheet.typed() == ["6100", "1400", "6000", "1200", "5000", "1600"]
    assert percentiles(confirmed(table)) == ["1526.67", "973.33", "880.00"]

    page.get_by_label(say("Reason of the correction")).fill("Ricontato con tutti")
    sheet.correct.click()
    expect(told(page, "Table %(number)d: result corrected.", number=1)).to_be_visible()
    assert percentiles(confirmed(table)) == ["1540.00", "960.00", "880.00"]


def test_two_presses_of_the_button_write_one_result(sheet: Sheet) -> None:
    sheet.fill(COUNTED)
    sheet.shows(0, percentile="1540")
    sheet.confirm.dblclick()
    expect(told(sheet.page, "Table %(number)d: result confirmed.", number=1)).to_be_visible()
    assert Table.objects.get().results.count() == 1


# --- leaving, and losing the network --------------------------------------------------------------


@pytest.fixture
def asked(page: Page) -> Iterator[list[str]]:
    """The questions that the browser puts before leaving a page; the answer is always to stay."""
    heard: list[str] = []

    def stay(dialog: Dialog) -> None:
        heard.append(dialog.type)
        dialog.dismiss()

    page.on("dialog", stay)
    yield heard
    page.remove_listener("dialog", stay)
    page.on("dialog", lambda dialog: dialog.accept())


def test_who_leaves_with_figures_unsaved_is_asked_first(sheet: Sheet, asked: list[str]) -> None:
    page = sheet.page
    sheet.box(0).click()
    page.keyboard.type("6100")
    ways_out = (
        link(page, "Back to the event"),
        link(page, "Only the totals are known"),
        tongue(page, "English"),
    )
    for way_out in ways_out:
        with page.expect_event("dialog"):
            way_out.click(no_wait_after=True)
    assert asked == ["beforeunload"] * 3
    assert page.url.endswith(sheet.address)
    expect(sheet.box(0)).to_have_value("6100")


def test_figures_sent_back_with_a_refusal_are_still_unsaved(
    sheet: Sheet, asked: list[str], browser_errors: list[str]
) -> None:
    page = sheet.page
    sheet.fill([(6100, 1400), ("abc", 1200), (5000, 1600)])
    sheet.confirm.click()
    expect(sheet.fault).to_be_visible()
    ready(page)
    expect(sheet.box(1)).to_have_attribute("aria-invalid", "true")
    assert asked == []  # to confirm is not to leave
    expected(browser_errors, "status of 422")
    sheet.box(0).click()
    page.keyboard.press("ArrowLeft")  # browsers ask only who has touched the page
    with page.expect_event("dialog"):
        link(page, "Back to the event").click(no_wait_after=True)
    assert asked == ["beforeunload"]


def test_who_typed_nothing_or_confirmed_leaves_unasked(sheet: Sheet, asked: list[str]) -> None:
    page = sheet.page
    sheet.box(0).click()
    link(page, "Back to the event").click()
    expect(page).to_have_url(re.compile(r"/eventi/\d+/$"))
    sheet.open()
    sheet.fill(COUNTED)
    sheet.confirm.click()
    expect(told(page, "Table %(number)d: result confirmed.", number=1)).to_be_visible()
    page.get_by_role("main").get_by_role("link").first.click()
    expect(page).to_have_url(re.compile(r"/eventi/\d+/$"))
    assert asked == []


def test_the_network_may_drop_while_one_types(
    sheet: Sheet, context: BrowserContext, browser_errors: list[str]
) -> None:
    page = sheet.page
    lost = page.get_by_role("alert")
    sheet.fill([(6100, 1400), (6000, 1200), ("", "")])
    sheet.shows(1, total="7200")
    expect(lost).to_have_count(0)
    context.set_offline(True)
    with page.expect_event("requestfailed"):
        sheet.box(2).click()
        page.keyboard.type("5000")
    expect(lost).to_contain_text(say(NO_ANSWER))
    page.keyboard.press("Enter")
    with page.expect_event("requestfailed"):
        page.keyboard.type("16")
    expect(sheet.box(2, "Cash")).to_be_focused()
    page.keyboard.type("00")
    context.set_offline(False)
    sheet.shows(2, total="6600", percentile="880")  # as soon as the network is back
    expect(lost).to_have_count(0)
    expect(sheet.box(2, "Cash")).to_be_focused()
    assert sheet.typed() == ["6100", "1400", "6000", "1200", "5000", "1600"]
    expected(browser_errors, "ERR_INTERNET_DISCONNECTED")
    expected(browser_errors, "htmx:")
    sheet.confirm.click()
    expect(told(page, "Table %(number)d: result confirmed.", number=1)).to_be_visible()


def test_a_result_confirmed_while_the_network_is_down_is_not_lost(
    sheet: Sheet, context: BrowserContext, asked: list[str]
) -> None:
    page = sheet.page
    sheet.fill(COUNTED)
    sheet.shows(0, percentile="1540")
    context.set_offline(True)
    page.wait_for_function("!navigator.onLine")
    sheet.confirm.click(no_wait_after=True)
    expect(page.get_by_role("alert")).to_be_visible()
    assert sheet.typed() == ["6100", "1400", "6000", "1200", "5000", "1600"]
    context.set_offline(False)
    sheet.confirm.click()
    expect(told(page, "Table %(number)d: result confirmed.", number=1)).to_be_visible()
    assert asked == []


def test_what_was_typed_is_back_after_the_page_was_lost(sheet: Sheet) -> None:
    page = sheet.page
    page.on("dialog", lambda dialog: dialog.accept())
    sheet.fill([(6100, 1400), (6000, 1200), (5000, "")])
    page.reload()
    expect(told(page, "What you had typed is back: it was not recorded yet.")).to_be_visible()
    assert sheet.typed() == ["6100", "1400", "6000", "1200", "5000", ""]
    sheet.shows(1, total="7200")
    sheet.box(2, "Cash").fill("1600")
    sheet.shows(0, percentile="1540")
    sheet.confirm.click()
    expect(told(page, "Table %(number)d: result confirmed.", number=1)).to_be_visible()
    sheet.open()  # what is recorded now, and nothing older
    assert sheet.typed() == ["6100", "1400", "6000", "1200", "5000", "1600"]
    expect(told(page, "What you had typed is back: it was not recorded yet.")).to_have_count(0)


def test_who_was_logged_out_meanwhile_is_told_and_finds_his_figures_after_logging_in(
    sheet: Sheet, context: BrowserContext
) -> None:
    page = sheet.page
    page.on("dialog", lambda dialog: dialog.accept())
    sheet.fill([(6100, 1400), (6000, 1200), ("", "")])
    sheet.shows(1, total="7200")
    context.clear_cookies(name="sessionid")
    sheet.box(2).fill("5000")
    lost = page.get_by_role("alert")
    lost.get_by_role("link", name=say("Log in")).click()
    try_to_log_in(page, "alice@example.org", PASSWORD)
    expect(told(page, "What you had typed is back: it was not recorded yet.")).to_be_visible()
    assert sheet.typed() == ["6100", "1400", "6000", "1200", "5000", ""]


def test_what_was_typed_is_found_in_another_tab_and_can_be_thrown_away(
    sheet: Sheet, context: BrowserContext
) -> None:
    sheet.fill([(6100, 1400), (6000, ""), ("", "")])
    sheet.shows(0, total="7500")
    page = context.new_page()
    other = Sheet(page, Table.objects.get()).open()
    expect(told(page, "What you had typed is back: it was not recorded yet.")).to_be_visible()
    assert other.typed() == ["6100", "1400", "6000", "", "", ""]
    link(page, "Throw it away").click()
    expect(other.box(0)).to_have_value("")
    ready(page)
    assert other.typed() == [""] * 6
    expect(told(page, "What you had typed is back: it was not recorded yet.")).to_have_count(0)


def test_totals_and_parts_lose_nothing_to_each_other(sheet: Sheet) -> None:
    page = sheet.page
    page.on("dialog", lambda dialog: dialog.accept())
    sheet.fill([(6100, 1400), (6000, ""), ("", "")])
    link(page, "Only the totals are known").click()
    sheet.box(0, "Total").fill("7500")
    link(page, "Enter cash and shares").click()
    expect(told(page, "What you had typed is back: it was not recorded yet.")).to_be_visible()
    assert sheet.typed() == ["6100", "1400", "6000", "", "", ""]
    link(page, "Only the totals are known").click()
    expect(sheet.box(0, "Total")).to_have_value("7500")


def test_who_logged_in_again_elsewhere_is_told_while_typing_and_by_the_button(
    sheet: Sheet, context: BrowserContext, live_server: LiveServer, browser_errors: list[str]
) -> None:
    page = sheet.page
    page.on("dialog", lambda dialog: dialog.accept())
    sheet.fill([(6100, 1400), (6000, 1200), ("", "")])
    sheet.shows(1, total="7200")
    come_in(context, live_server, make_cast().alice, "it")  # her old page's token is worth nothing
    sheet.box(2).fill("5000")
    lost = page.get_by_role("alert")
    expect(lost).to_contain_text(say(NO_ANSWER))
    sheet.confirm.click()
    link(page, "Open the sheet again").click()
    expect(told(page, "What you had typed is back: it was not recorded yet.")).to_be_visible()
    assert sheet.typed() == ["6100", "1400", "6000", "1200", "5000", ""]
    expected(browser_errors, "status of 403")
    browser_errors[:] = [error for error in browser_errors if not error.startswith("htmx:")]
    browser_errors[:] = [error for error in browser_errors if "Response Status" not in error]


def test_back_after_a_correction_finds_no_old_reason(page: Page, alice: User) -> None:
    table = table_of()
    record(table, 7500, 7200, 6600)
    sheet = Sheet(page, table).open()
    sheet.box(2, "Total").fill("6750")
    page.get_by_label(say("Reason of the correction")).fill("La cassa era contata due volte")
    sheet.correct.click()
    expect(told(page, "Table %(number)d: result corrected.", number=1)).to_be_visible()
    page.go_back()
    expect(page.get_by_label(say("Reason of the correction"))).to_have_value("")
    expect(sheet.box(2, "Total")).to_have_value("6750")


# --- on a phone -----------------------------------------------------------------------------------


@pytest.fixture
def phone(browser: Browser, live_server: LiveServer) -> Iterator[Page]:
    """The director's telephone."""
    cast = make_cast()
    how = {"viewport": NARROW, "has_touch": True, "is_mobile": True}
    with another_visitor(browser, live_server, **how) as context:
        come_in(context, live_server, cast.alice, "it")
        yield context.new_page()


def box_of(target: Locator) -> FloatRect:
    found = target.bounding_box()
    assert found, target
    return found


def test_on_a_phone_the_sheet_fits_and_a_thumb_hits_what_it_aims_at(phone: Page) -> None:
    sheet = Sheet(phone, table_of(5)).open()
    sheet.fill([(6100, 1400), (6000, 1500), (5000, 1600), (1000, 1), ("abc", 0)])
    expect(sheet.refusal(4)).not_to_be_empty()
    assert phone.evaluate("document.documentElement.scrollWidth - innerWidth") <= 0
    for box in sheet.boxes():
        assert box_of(box)["height"] >= 44
        assert box_of(box)["width"] >= 88
        # A smaller print makes a telephone zoom in at each touch.
        assert float(box.evaluate("(box) => parseFloat(getComputedStyle(box).fontSize)")) >= 16
        expect(box).to_have_attribute("inputmode", "numeric")
        expect(box).to_have_attribute("enterkeyhint", "next")
    sheet.box(4).fill("0")
    tie = sheet.state.locator("label")
    small = [
        f"{said.inner_text()}: {box_of(said)['width']:.0f} × {box_of(said)['height']:.0f}"
        for said in [*phone.get_by_role("button").all(), tie]
        if min(box_of(said)["width"], box_of(said)["height"]) < 44
    ]
    assert small == []


# Whether the box in which one types is whole between the top of the screen and the button's bar.
ABOVE_THE_BAR = """() => {
    const place = (element) => element.getBoundingClientRect();
    const box = place(document.activeElement);
    return box.top >= 0 && box.bottom <= place(document.querySelector(".figures > .actions")).top;
}"""


def test_on_a_phone_the_thumb_confirms_from_where_it_is_and_hides_nothing(phone: Page) -> None:
    sheet = Sheet(phone, table_of(5)).open()
    counted = [6100, 1400, 6000, 1200, 5000, 1600, 100, 0, 0, 0]
    hidden = []
    sheet.box(0).tap()
    for box, figure in zip(sheet.boxes(), counted, strict=True):
        expect(box).to_be_focused()
        phone.keyboard.type(str(figure))
        confirm = box_of(sheet.confirm)
        assert confirm["y"] + confirm["height"] <= NARROW["height"]  # always in sight
        try:
            phone.wait_for_function(ABOVE_THE_BAR, timeout=5000)
        except NotInTime:
            hidden.append(box.get_attribute("aria-label"))
        phone.keyboard.press("Enter")
    assert hidden == []
    sheet.shows(0, percentile="1540")
    sheet.confirm.tap()
    expect(told(phone, "Table %(number)d: result confirmed.", number=1)).to_be_visible()
    ready(phone)
    assert phone.evaluate("document.documentElement.scrollWidth - innerWidth") <= 0


def test_on_a_phone_long_names_and_large_figures_fit(phone: Page) -> None:
    players = [
        make_player("Di San Giuliano Montecuccoli degli Erri", "Massimiliano Bartolomeo"),
        make_player("Supercalifragilistichespiralidosissimo", "Ernesto"),
        make_player("Xu"),
    ]
    sheet = Sheet(phone, tables_of(make_event(players=players))[0]).open()
    sheet.fill([(123456, 123456), (1, 1), (0, 0)])  # 2 ÷ 246912 × 1000 = 0.0081
    sheet.shows(0, total="246912", percentile="2499,99")
    assert phone.evaluate("document.documentElement.scrollWidth - innerWidth") <= 0
    for seat in range(3):
        for word in ("Total", "Place", "Percentile", "Bonus"):
            cell = sheet.out(seat, word)
            assert cell.evaluate("(cell) => cell.scrollWidth <= cell.clientWidth"), (seat, word)
    sheet.confirm.tap()
    expect(told(phone, "Table %(number)d: result confirmed.", number=1)).to_be_visible()
    ready(phone)
    assert phone.evaluate("document.documentElement.scrollWidth - innerWidth") <= 0


# --- without scripts ------------------------------------------------------------------------------


def test_without_scripts_the_whole_sheet_works_by_plain_forms(
    browser: Browser, live_server: LiveServer
) -> None:
    table, cast = table_of(), make_cast()
    with another_visitor(browser, live_server, java_script_enabled=False) as context:
        come_in(context, live_server, cast.alice, "it")
        page = context.new_page()
        page.goto("/")
        link(page, "Enter the result").click()
        sheet = Sheet(page, table)
        sheet.fill([(6100, 1400), ("abc", 1500), (5000, 1600)])
        sheet.confirm.click()
        expect(sheet.refusal(1)).to_contain_text(say(WHOLE))
        expect(sheet.refusal(1).get_by_role("link", name="C-03")).to_be_visible()
        assert sheet.typed() == ["6100", "1400", "abc", "1500", "5000", "1600"]
        sheet.box(1).fill("6000")
        sheet.confirm.click()
        expect(sheet.fault).to_contain_text(say(SHARED))
        sheet.shows(0, total="7500", percentile="1500", bonus="+500")
        sheet.tie.check()
        sheet.confirm.click()
        expect(told(page, "Table %(number)d: result confirmed.", number=1)).to_be_visible()
        page.locator("summary").first.click()
        expect(page.get_by_role("link", name="C-06")).to_be_visible()

        link(page, "Correct the result").click()
        sheet.box(1, "Cash").fill("1200")
        sheet.correct.click()
        expect(sheet.fault).to_contain_text(say("Say why the result is corrected."))
        page.get_by_label(say("Reason of the correction")).fill("Cassa ricontata")
        sheet.correct.click()
        expect(told(page, "Table %(number)d: result corrected.", number=1)).to_be_visible()
    assert percentiles(confirmed(table)) == ["1540.00", "960.00", "880.00"]


def test_a_player_who_does_not_direct_finds_no_sheet(
    page: Page, context: BrowserContext, live_server: LiveServer, browser_errors: list[str]
) -> None:
    table = table_of()
    come_in(context, live_server, make_cast().bruno, "it")
    page.goto(table.get_absolute_url())
    expect(link(page, "Enter the result")).to_have_count(0)
    page.goto(f"/tavoli/{table.pk}/risultato/")
    expect(heading(page, "This page does not exist")).to_be_visible()
    expected(browser_errors, "status of 404")
