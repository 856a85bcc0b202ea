"""The site in a real browser: what a reader sees, presses and hears, in both languages.

Texts are found by their English message, said in the language of the page.
"""

from __future__ import annotations

import json
import re
from collections.abc import Callable, Iterator, Sequence
from contextlib import contextmanager
from datetime import timedelta
from pathlib import Path
from typing import Any

import pytest
from django.contrib.auth.tokens import default_token_generator
from django.template.loader import render_to_string
from django.urls import get_resolver, resolve, reverse
from django.utils import timezone, translation
from django.utils.encoding import force_bytes
from django.utils.http import urlsafe_base64_encode
from django.utils.translation import gettext, ngettext, pgettext
from playwright.sync_api import (
    Browser,
    BrowserContext,
    Locator,
    Page,
    Route,
    ViewportSize,
    expect,
)
from pytest_django import Settings
from pytest_django.live_server_helper import LiveServer

from figf import dice
from figf import services as base
from figf.models import Draw, Email, User
from figf.tests.cast import (
    DAY,
    HOUR,
    MINUTE,
    PASSWORD,
    Cast,
    Federation,
    make_cast,
    make_event,
    make_federation,
    make_player,
    record,
    seats_of,
    tables_of,
    token_in,
    visitor,
)
from pbem.board.printed import NAMES as TITLES
from pbem.tests import desks, gathered, kept, recorded, requested
from rankings import services as cups
from rankings.services import Stage
from rankings.tests import squads
from rankings.tests.cups import make_supercoppa
from tournaments import services

pytestmark = [pytest.mark.browser, pytest.mark.django_db(transaction=True)]

AXE = (Path(__file__).parent / "vendor" / "axe.min.js").read_text(encoding="utf-8")
DARK, WHITE, BLACK = "rgb(15, 25, 41)", "rgb(255, 255, 255)", "rgb(0, 0, 0)"
NARROW = ViewportSize(width=360, height=640)
WIDE = ViewportSize(width=1280, height=800)


# --- how the tests speak, come in and look --------------------------------------------------------


def say(text: str, language: str = "it", **values: object) -> str:
    """The site's words for the English `text`, with `values` in their places."""
    with translation.override(language):
        return gettext(text) % values if values else gettext(text)


def theme(text: str) -> str:
    with translation.override("it"):
        return pgettext("theme", text)


def say_many(one: str, many: str, n: int, language: str = "it", **values: object) -> str:
    with translation.override(language):
        return ngettext(one, many, n) % {"n": n, **values}


def come_in(context: BrowserContext, at: LiveServer, user: User | None, language: str = "") -> None:
    """From now on the visitor is `user`, or nobody, and reads in `language`."""
    cookies = {"django_language": language} if language else {}
    if user:
        cookies["sessionid"] = visitor(user).cookies["sessionid"].value
    context.clear_cookies()
    for name, value in cookies.items():
        context.add_cookies([{"name": name, "value": value, "url": at.url}])


@contextmanager
def another_visitor(browser: Browser, at: LiveServer, **how: Any) -> Iterator[BrowserContext]:
    """Somebody else's browser, of the same language and place."""
    more = {"locale": "it-IT", "timezone_id": "Europe/Rome", "viewport": WIDE} | how
    context = browser.new_context(base_url=at.url, **more)
    context.set_default_timeout(10_000)
    yield context
    context.close()


def expected(browser_errors: list[str], words: str) -> None:
    """Chromium logs every refused request as an error: take out those that the test meant."""
    assert any(words in error for error in browser_errors), (words, browser_errors)
    browser_errors[:] = [error for error in browser_errors if words not in error]


def ready(page: Page) -> None:
    """All of the page is there, and its scripts listen.

    For who has already seen that it is the new one: a click does not wait for it.
    """
    page.wait_for_load_state()


def tab_to(target: Locator, most: int = 40) -> None:
    """Walk to `target` by the Tab key, as who has no mouse does."""
    target.wait_for()
    ready(target.page)
    for _ in range(most):
        if target.evaluate("element => element === document.activeElement"):
            return
        target.page.keyboard.press("Tab")
    pytest.fail(f"Tab never comes to {target}")


def button(page: Page, text: str, language: str = "it") -> Locator:
    return page.get_by_role("button", name=say(text, language), exact=True)


def link(page: Page, text: str, language: str = "it") -> Locator:
    return page.get_by_role("link", name=say(text, language), exact=True)


def heading(page: Page, text: str, language: str = "it", **values: object) -> Locator:
    return page.get_by_role("heading", name=say(text, language, **values), exact=True)


def told(page: Page, text: str, **values: object) -> Locator:
    """What the site says, above a page, of what was just done."""
    return page.get_by_role("status").filter(has_text=say(text, "it", **values))


def field(page: Page, text: str) -> Locator:
    """A box of a form, by its label, to which crispy adds an asterisk if it must be filled."""
    return page.get_by_role("main").get_by_label(say(text))


def try_to_log_in(page: Page, email: str, password: str) -> None:
    page.get_by_role("textbox", name=say("E-mail address")).fill(email)
    page.get_by_label("Password").fill(password)
    button(page, "Log in").click()


def colour(page: Page, selector: str, which: str) -> str:
    said: str = page.locator(selector).first.evaluate(
        "(element, which) => getComputedStyle(element)[which]", which
    )
    return said


# --- log-in ---------------------------------------------------------------------------------------


def test_one_comes_in_and_goes_out_by_the_keyboard_alone(page: Page) -> None:
    make_cast()
    page.goto("/")
    page.keyboard.press("Tab")
    expect(link(page, "Skip to the content")).to_be_focused()
    tab_to(link(page, "Log in"))
    page.keyboard.press("Enter")
    expect(page.get_by_role("textbox", name=say("E-mail address"))).to_be_focused()
    page.keyboard.type("bruno@example.org")
    page.keyboard.press("Tab")
    page.keyboard.type(PASSWORD)
    page.keyboard.press("Enter")
    expect(heading(page, "Now")).to_be_visible()
    tab_to(link(page, "Account"))
    page.keyboard.press("Enter")
    expect(page.get_by_role("heading", name="Bruno Binario")).to_be_visible()
    tab_to(button(page, "Log out"))
    page.keyboard.press("Enter")
    expect(link(page, "Log in")).to_be_visible()
    expect(link(page, "Account")).to_have_count(0)


def test_a_wrong_password_is_told_and_the_address_stays(page: Page) -> None:
    make_cast()
    page.goto("/accesso/")
    try_to_log_in(page, "bruno@example.org", "non-questa")
    expect(
        page.get_by_text(say("Address and password do not match. Check both and try again."))
    ).to_be_visible()
    address = page.get_by_role("textbox", name=say("E-mail address"))
    expect(address).to_have_value("bruno@example.org")
    try_to_log_in(page, "BRUNO@example.org", PASSWORD)
    expect(link(page, "Account")).to_be_visible()


def test_the_sixth_wrong_password_stops_the_log_in_and_says_what_to_do(
    page: Page, browser_errors: list[str]
) -> None:
    make_cast()
    refused = page.get_by_text(say("Address and password do not match. Check both and try again."))
    for _ in range(5):
        page.goto("/accesso/")
        try_to_log_in(page, "bruno@example.org", "non-questa")
        expect(refused).to_be_visible()
    try_to_log_in(page, "bruno@example.org", "non-questa")
    expect(heading(page, "Log-in stopped")).to_be_visible()
    expect(page.get_by_text(re.compile(r"\b6\b"))).to_be_visible()
    page.goto("/accesso/")
    try_to_log_in(page, "bruno@example.org", PASSWORD)  # not even the right one
    expect(heading(page, "Log-in stopped")).to_be_visible()
    page.get_by_role("main").get_by_role("link").click()
    expect(button(page, "Send me the link")).to_be_visible()
    expected(browser_errors, "status of 429")


def test_a_forgotten_password_is_replaced_through_the_link_of_the_mail(page: Page) -> None:
    make_cast()
    page.goto("/accesso/")
    link(page, "I have forgotten my password").click()
    page.get_by_role("main").get_by_role("textbox").fill("bruno@example.org")
    button(page, "Send me the link").click()
    expect(heading(page, "Look in your mail")).to_be_visible()

    uid_and_token = re.search(
        r"/password/nuova/\S+", Email.objects.get(key__startswith="password-reset:").body
    )
    assert uid_and_token
    page.goto(uid_and_token[0])
    new, again = page.locator("input[type=password]").all()
    new.fill("1234567890")
    again.fill("1234567890")
    button(page, "Keep this password").click()
    expect(page.get_by_role("main").locator(".invalid-feedback").first).to_be_visible()
    new.fill("locomotiva-nuova")
    again.fill("locomotiva-nuova")
    button(page, "Keep this password").click()
    expect(heading(page, "The password is changed")).to_be_visible()

    page.goto(uid_and_token[0])
    expect(heading(page, "This link no longer works")).to_be_visible()
    page.goto("/accesso/")
    try_to_log_in(page, "bruno@example.org", PASSWORD)
    refused = page.get_by_text(say("Address and password do not match. Check both and try again."))
    expect(refused).to_be_visible()
    expect(link(page, "Account")).to_have_count(0)
    try_to_log_in(page, "bruno@example.org", "locomotiva-nuova")
    expect(link(page, "Account")).to_be_visible()


# --- language and colours -------------------------------------------------------------------------


def tongue(page: Page, name: str) -> Locator:
    """The button of a language, which says its own name in itself."""
    return page.get_by_role("button", name=name)


def test_the_language_changes_at_a_press_and_stays(page: Page) -> None:
    make_cast()
    page.goto("/eventi/")
    expect(page.locator("html")).to_have_attribute("lang", "it")
    expect(tongue(page, "italiano")).to_have_attribute("aria-pressed", "true")
    tab_to(tongue(page, "English"))
    page.keyboard.press("Enter")
    expect(page.locator("html")).to_have_attribute("lang", "en")
    expect(page).to_have_url(re.compile(r"/eventi/$"))  # one stays where one was
    expect(tongue(page, "English")).to_have_attribute("aria-pressed", "true")
    link(page, "Log in", "en").click()
    expect(heading(page, "Log in", "en")).to_be_visible()
    tongue(page, "italiano").click()
    expect(heading(page, "Log in")).to_be_visible()
    page.goto("/regolamento/")
    expect(heading(page, "Regulation")).to_be_visible()


def test_who_is_logged_in_gets_his_mails_in_the_language_he_presses(
    page: Page, context: BrowserContext, live_server: LiveServer
) -> None:
    bruno = make_cast().bruno
    come_in(context, live_server, bruno)
    page.goto("/account/")
    tongue(page, "English").click()
    expect(heading(page, "Address and password", "en")).to_be_visible()
    bruno.refresh_from_db()
    assert bruno.language == "en"


# What the colours were when the first thing that can be painted came: told by the page itself.
FIRST_COLOURS = """
new MutationObserver((_, watch) => {
  if (!document.body) return;
  window.firstTheme = document.documentElement.getAttribute("data-bs-theme");
  watch.disconnect();
}).observe(document, {childList: true, subtree: true});
"""


def test_the_colours_change_at_a_choice_and_are_there_before_the_first_paint(page: Page) -> None:
    page.add_init_script(FIRST_COLOURS)
    page.goto("/")
    by_day = colour(page, "body", "backgroundColor")
    choice = page.get_by_label(say("Colours"))
    choice.select_option(label=theme("night"))
    expect(page.locator("body")).to_have_css("background-color", DARK)
    for address in ("/", "/regolamento/"):
        page.goto(address)
        assert page.evaluate("window.firstTheme") == "dark"
        assert colour(page, "body", "backgroundColor") == DARK
        expect(choice).to_have_value("dark")
    choice.select_option(label=theme("day"))
    page.emulate_media(color_scheme="dark")  # the device's night does not override the choice
    page.reload()
    assert colour(page, "body", "backgroundColor") == by_day
    choice.select_option(label=say("as the device"))
    expect(page.locator("body")).to_have_css("background-color", DARK)
    page.emulate_media(color_scheme="light")
    expect(page.locator("body")).to_have_css("background-color", by_day)


# --- dice -----------------------------------------------------------------------------------------


def revealed_draw(cast: Cast) -> Draw:
    """Three dice thrown an hour ago, with a word of Bruno's and Alice's silence."""
    begun = timezone.now() - 2 * HOUR
    people = [cast.alice, cast.bruno]
    draw = base.open_draw("Ordine di gioco", people, 3, begun + HOUR, cast.sara, begun)
    base.contribute(draw, cast.bruno, "fischio – «però»", begun + MINUTE)
    base.reveal_draw(draw.pk, begun + HOUR)
    return Draw.objects.get(pk=draw.pk)


def thrown(draw: Draw) -> list[str]:
    return [str(value) for value in draw.as_receipt().throws]


HOLDS = (
    "It holds: the seed fits the promise, and with all that is published here it gives these "
    "throws."
)


def test_the_readers_browser_verifies_a_draw(page: Page) -> None:
    draw = revealed_draw(make_cast())
    page.goto(f"/dadi/{draw.pk}/")
    tab_to(button(page, "Check it in this browser"))
    page.keyboard.press("Enter")
    verdict = page.locator("#dice-verdict")
    expect(verdict).to_have_text(say(HOLDS))
    expect(verdict).to_have_attribute("role", "status")
    expect(page.locator("#dice-recomputed")).to_contain_text(" ".join(thrown(draw)))


TAMPERED = {
    "receipt.throws[0] = receipt.throws[0] % 6 + 1": [
        "the seed, with what is published here, gives other throws"
    ],
    "receipt.people[1][1] = 'altro'": ["the seed, with what is published here, gives other throws"],
    "receipt.commitment = 'ab'.repeat(32)": ["the seed is not the one promised"],
    "receipt.seed = 'cd'.repeat(32)": [
        "the seed is not the one promised",
        "the seed, with what is published here, gives other throws",
    ],
    "receipt.seed = ''": ["the seed has not been revealed"],
    "receipt.protocol = 'figf-dice-0'": ["this way of throwing is unknown here"],
    "delete receipt.purpose": ["the receipt is damaged"],
    "receipt = null": ["the receipt is damaged"],
}


def test_a_tampered_receipt_fails_and_says_why(page: Page) -> None:
    draw = revealed_draw(make_cast())
    page.goto(f"/dadi/{draw.pk}/")
    written, verdict = page.locator("#dice-receipt"), page.locator("#dice-verdict")
    honest = written.text_content()
    said = {}
    for tampered in TAMPERED:
        written.evaluate(
            f"""(written, honest) => {{
                let receipt = JSON.parse(honest);
                {tampered};
                written.textContent = JSON.stringify(receipt);
            }}""",
            honest,
        )
        button(page, "Check it in this browser").click()
        said[tampered] = verdict.inner_text()
        expect(verdict).to_have_attribute("data-state", "failed")
    assert said == {
        tampered: f"{say('It does not hold:')} {'; '.join(map(say, reasons))}."
        for tampered, reasons in TAMPERED.items()
    }
    written.evaluate("(written, honest) => { written.textContent = honest; }", honest)
    button(page, "Check it in this browser").click()
    expect(verdict).to_have_text(say(HOLDS))


def test_a_draw_is_readable_and_its_receipt_verifiable_without_scripts(
    browser: Browser, live_server: LiveServer, tmp_path: Path
) -> None:
    draw = revealed_draw(make_cast())
    with another_visitor(browser, live_server, java_script_enabled=False) as reader:
        page = reader.new_page()
        page.goto(f"/dadi/{draw.pk}/")
        shown = page.locator(".die").all_inner_texts()
        assert shown == thrown(draw)
        expect(page.get_by_text(draw.commitment)).to_be_visible()
        expect(page.get_by_text("fischio – «però»")).to_be_visible()
        with page.expect_download() as coming:
            page.get_by_role("link", name=f"draw-{draw.pk}.json").click()
        kept = tmp_path / coming.value.suggested_filename
        coming.value.save_as(kept)
        with page.expect_download() as program:
            page.get_by_role("link", name="dice.py").click()
        assert program.value.path().read_bytes() == Path(dice.__file__).read_bytes()
        # A button that does nothing is worse than none.
        expect(button(page, "Check it in this browser")).to_be_hidden()
    receipt = dice.Receipt.from_dict(json.loads(kept.read_text()))
    assert dice.problems(receipt) == []
    assert kept.name == f"draw-{draw.pk}.json"


def test_a_word_is_sent_to_an_open_draw_that_says_how_long_it_stays_open(
    page: Page, context: BrowserContext, live_server: LiveServer
) -> None:
    cast, now = make_cast(), timezone.now()
    closes = now + DAY + 3 * HOUR + 30 * timedelta(seconds=1)
    draw = base.open_draw("Finale", [cast.bruno], 3, closes, cast.sara, now)
    come_in(context, live_server, cast.bruno)
    page.goto(f"/dadi/{draw.pk}/")
    expect(page.locator(".countdown")).to_have_text(re.compile(r"1 g 3 h"))
    field(page, "Your word").fill("fischio")
    button(page, "Send the word").click()
    expect(told(page, "Your word is in the draw. You can change it until then.")).to_be_visible()
    assert draw.contributions.get().word == "fischio"


# --- links that come by mail ----------------------------------------------------------------------


def test_an_invited_player_makes_his_log_in_and_finds_himself(
    page: Page, browser_errors: list[str]
) -> None:
    cast, now = make_cast(), timezone.now()
    player = make_player("Scompartimento", "Silvio")
    services.invite(player, "silvio@example.org", cast.sara, now)
    address = f"/inviti/{token_in('inviti/')}/"
    page.goto(address)
    expect(heading(page, "Are you %(player)s?", player=player)).to_be_visible()
    page.get_by_label("Password").fill("12345")
    button(page, "Yes: make my log-in").click()
    weak = page.locator(".invalid-feedback")
    expect(weak.first).to_be_visible()
    for complaint in weak.all_inner_texts():  # Django's catalogue may lack one
        assert not complaint.startswith("This password"), complaint
    expected(browser_errors, "status of 422")
    page.get_by_label("Password").fill("carrozza-di-coda")
    button(page, "Yes: make my log-in").click()
    expect(page).to_have_url(re.compile(r"/account/$"))
    expect(told(page, "Welcome: your log-in and your results are now one.")).to_be_visible()
    expect(page.get_by_role("main")).to_contain_text("silvio@example.org")
    button(page, "Log out").click()
    expect(link(page, "Log in")).to_be_visible()
    page.goto("/accesso/")
    try_to_log_in(page, "silvio@example.org", "carrozza-di-coda")
    expect(link(page, "Account")).to_be_visible()


def test_an_invitation_is_spent_by_its_use(page: Page, browser_errors: list[str]) -> None:
    cast, now = make_cast(), timezone.now()
    services.invite(make_player("Scompartimento"), "silvio@example.org", cast.sara, now)
    token = token_in("inviti/")
    services.accept_invitation_with_new_login(token, PASSWORD, "it", now)
    page.goto(f"/inviti/{token}/")
    expect(page.get_by_role("alert")).to_contain_text(
        say(
            "This invitation was used, withdrawn, or is more than seven days old. Ask the "
            "secretary for a new one."
        )
    )
    expected(browser_errors, "status of 422")


def test_an_address_changes_when_both_links_are_confirmed(
    page: Page, context: BrowserContext, live_server: LiveServer, browser: Browser
) -> None:
    bruno = make_cast().bruno
    come_in(context, live_server, bruno)
    page.goto("/account/")
    link(page, "Change address").click()
    field(page, "New address").fill("bruno.nuovo@example.org")
    button(page, "Send the two mails").click()
    expect(page.get_by_text(say("neither has confirmed yet."))).to_be_visible()

    page.goto(f"/account/email/{token_in('account/email/', to='bruno.nuovo@')}/")
    button(page, "Yes, this address is mine").click()
    expect(told(page, "Confirmed. The other address has still to confirm.")).to_be_visible()
    expect(page.get_by_text(say("the new one has confirmed."))).to_be_visible()
    bruno.refresh_from_db()
    assert bruno.email == "bruno@example.org"

    # The old address is read on another machine, where nobody is logged in.
    with another_visitor(browser, live_server) as elsewhere:
        there = elsewhere.new_page()
        there.goto(f"/account/email/{token_in('account/email/', to='bruno@')}/")
        button(there, "Yes, leave this address").click()
        expect(
            told(there, "Your address is now %(email)s.", email="bruno.nuovo@example.org")
        ).to_be_visible()
        there.goto("/accesso/")
        try_to_log_in(there, "bruno.nuovo@example.org", PASSWORD)
        expect(link(there, "Account")).to_be_visible()


# --- the board of the first page ------------------------------------------------------------------

# How often anything on the page was added, taken away or written anew.
COUNT_CHANGES = """
window.changes = 0;
new MutationObserver((list) => { window.changes += list.length; })
  .observe(document.body, {childList: true, characterData: true, subtree: true});
"""


def half_a_minute_later(page: Page, status: int) -> None:
    """The board asks again: by the page's own clock, which the test moves on."""
    # Only once it has settled does what htmx put in begin to count its own half minute.
    expect(page.locator(".htmx-added, .htmx-settling")).to_have_count(0)
    with page.expect_response(lambda answer: "seen=" in answer.url) as answer:
        page.clock.fast_forward(31_000)
    assert answer.value.status == status


def playing(n: int) -> str:
    return say_many("%(n)s table still playing.", "%(n)s tables still playing.", n)


def test_the_board_follows_the_tables_and_says_so_and_otherwise_stays_still(page: Page) -> None:
    first, second = tables_of(make_event(players=8, now=timezone.now()))
    page.clock.install()
    page.goto("/")
    board = page.get_by_role("list", name=say("Tables still playing"))
    rows = board.get_by_role("listitem").filter(has=page.get_by_role("link"))
    expect(rows).to_have_count(2)
    said = page.locator("#playing-said")
    expect(said).to_be_empty()
    page.evaluate(COUNT_CHANGES)
    page.evaluate("document.getElementById('playing-said').stays = true")

    half_a_minute_later(page, 204)
    page.wait_for_timeout(100)
    assert page.evaluate("window.changes") == 0

    record(first, 7500, 7200, 6600, 0)
    half_a_minute_later(page, 200)
    expect(rows).to_have_count(1)
    expect(rows.get_by_role("link")).to_have_attribute("href", second.get_absolute_url())
    expect(said).to_have_text(playing(1))

    half_a_minute_later(page, 204)
    record(second, 7500, 7200, 6600, 0)
    half_a_minute_later(page, 200)
    expect(board).to_contain_text(say("No table is playing."))
    expect(said).to_have_text(playing(0))
    # A screen reader speaks a live region that was there before, not one put in with its words.
    assert page.evaluate("document.getElementById('playing-said').stays") is True


def test_the_board_leaves_the_readers_focus_where_it_was(page: Page) -> None:
    first, second = tables_of(make_event(players=8, now=timezone.now()))
    page.clock.install()
    page.goto("/")
    board = page.get_by_role("list", name=say("Tables still playing"))
    tab_to(board.get_by_role("link").last)
    record(first, 7500, 7200, 6600, 0)
    half_a_minute_later(page, 200)
    expect(board.get_by_role("link")).to_have_count(1)
    expect(board.get_by_role("link")).to_be_focused()
    expect(board.get_by_role("link")).to_have_attribute("href", second.get_absolute_url())


def test_what_the_director_has_still_to_report_follows_the_board(
    page: Page, context: BrowserContext, live_server: LiveServer
) -> None:
    first, _second = tables_of(make_event(players=8, now=timezone.now()))
    come_in(context, live_server, make_cast().alice)
    page.clock.install()
    page.goto("/")
    two = "%(n)s tables of your events have still to report: they are on the board below."
    one = "%(n)s table of your events has still to report: it is on the board below."
    expect(page.get_by_text(say_many(one, two, 2))).to_be_visible()
    expect(link(page, "Enter the result")).to_have_count(2)
    record(first, 7500, 7200, 6600, 0)
    half_a_minute_later(page, 200)
    expect(link(page, "Enter the result")).to_have_count(1)
    expect(page.get_by_text(say_many(one, two, 1))).to_be_visible()


# --- what is not open to one ----------------------------------------------------------------------


def test_who_is_no_secretary_is_told_so_and_not_sent_in_circles(
    page: Page, context: BrowserContext, live_server: LiveServer, browser_errors: list[str]
) -> None:
    come_in(context, live_server, make_cast().bruno)
    for address in ("/registro/", "/giocatori/", "/posta/", "/dadi/nuovo/"):
        page.goto(address)
        expect(heading(page, "This page does not exist")).to_be_visible()
    expected(browser_errors, "status of 404")


# --- on paper -------------------------------------------------------------------------------------


@pytest.mark.parametrize("night", ["of the device", "chosen"])
def test_a_table_prints_black_on_white_on_one_sheet_without_what_one_presses(
    page: Page, context: BrowserContext, live_server: LiveServer, night: str
) -> None:
    table = tables_of(make_event(players=5))[0]
    record(table, 7500, 7200, 6600, 100, 0)
    come_in(context, live_server, make_cast().alice)
    page.goto(table.get_absolute_url())
    if night == "chosen":
        page.get_by_label(say("Colours")).select_option("dark")
        page.emulate_media(media="print")
    else:
        page.emulate_media(media="print", color_scheme="dark")
    for pressed in (
        page.get_by_role("navigation"),
        page.get_by_role("contentinfo"),
        page.get_by_role("button"),
        page.get_by_role("combobox"),
        link(page, "Correct the result"),
        link(page, "Account"),
    ):
        for one in pressed.all():
            expect(one).to_be_hidden()
    expect(page.get_by_role("heading", level=1)).to_be_visible()
    expect(page.locator("tbody strong").first).to_have_text("1540")
    assert colour(page, "body", "backgroundColor") == WHITE
    for selector in ("h1", "main p", "tbody td", "tbody th", "thead th", "main a"):
        assert colour(page, selector, "color") == BLACK, selector
        assert colour(page, selector, "backgroundColor") in {WHITE, "rgba(0, 0, 0, 0)"}, selector
    sheets = re.findall(rb"/Type\s*/Page\b", page.pdf(prefer_css_page_size=True))
    assert len(sheets) == 1


# --- every page -----------------------------------------------------------------------------------

# Addresses that are not pages: they answer to a button, to a program, or with a file.
NOT_PAGES = {
    *(
        "calendar_csv",
        "calendar_ics",
        "claim_decide",
        "event_ics",
        "dice_script",
        "draw_receipt",
        "health",
        "logout",
    ),
    *("api_absolute", "api_clubs", "api_event", "api_event_standing", "api_events", "api_honours"),
    *("api_player", "api_player_results", "api_players", "api_publication", "api_publications"),
    *("api_ranking", "api_schema", "api_seasons", "api_specialty", "api_table", "api_titles"),
    *("comment_report", "game_answer", "game_exchange", "game_move", "game_position"),
    *("recording_delete", "recording_position"),
    *("merge_undo", "my_data", "outbox_send_again", "player_data"),
    *("player_csv", "player_results_csv", "player_import_template", "ranking_csv", "teams_csv"),
    *("ranking_json", "absolute_csv", "absolute_json", "specialty_csv", "specialty_json"),
    *("honour_withdraw", "publication_csv", "ranking_player_csv", "referee_csv", "roll_csv"),
    *("supercoppa_csv", "table_csv"),
    *("history_template", "past_event_remove"),
    *("set_language", "table_preview", "withdraw_email_change"),
    *("round_edit", "round_publish", "round_discard", "round_withdraw", "round_start"),
    "round_results_csv",
    "result_withdraw",
    *("supercoppa_deed", "supercoppa_open"),
    *("table_stop", "seating_csv", "short_link", "event_close", "event_standing_csv"),
    *("enrol_me", "entry_add", "entry_admit", "entry_csv", "entry_newcomer", "entry_return"),
}


def every_page(found: Federation) -> list[tuple[User | None, str]]:
    """Each page of the site with who looks at it, more than once where it differs."""
    cast = found.cast
    uid = urlsafe_base64_encode(force_bytes(cast.dino.pk))
    token = default_token_generator.make_token(cast.dino)
    # The year before each is closed; it is not, nor are those of the teams.
    cups = {
        stage: found.event.season.year - ago
        for stage, ago in zip(Stage, (9, 7, 5, 3, 0), strict=True)
    }
    for stage, year in cups.items():
        make_supercoppa(year, stage, timezone.now())
    pages: list[tuple[User | None, str, Sequence[object]]] = [
        *((user, "home", []) for user in (None, cast.alice, cast.sara)),
        (None, "login", []),
        (cast.bruno, "account", []),
        (cast.dino, "account", []),
        (cast.bruno, "change_email", []),
        (None, "confirm_email", [found.email_token]),
        (None, "confirm_email", ["spent"]),
        (cast.bruno, "password_change", []),
        (cast.bruno, "password_change_done", []),
        (None, "password_reset", []),
        (None, "password_reset_done", []),
        (None, "password_reset_confirm", [uid, token]),
        (None, "password_reset_confirm", [uid, "spent"]),
        (None, "password_reset_complete", []),
        (cast.sara, "draw_list", []),
        (cast.bruno, "draw", [found.open_draw.pk]),
        (None, "draw", [found.revealed_draw.pk]),
        (None, "draw", [found.receipt.pk]),
        (cast.sara, "draw_open", []),
        (cast.sara, "draw_record", []),
        (cast.sara, "outbox", []),
        (cast.sara, "outbox_mail", [found.mail.pk]),
        (cast.sara, "log", []),
        (None, "title_list", []),
        *((None, "title_page", [name]) for name in TITLES),
        (cast.sara, "event_list", []),
        (None, "event_list", []),
        (cast.sara, "event_new", []),
        (cast.sara, "season_list", []),
        *((user, "event_edit", [found.event.pk]) for user in (cast.alice, cast.sara)),
        *((cast.alice, "event_prove", [event.pk]) for event in (found.draft, found.event)),
        *((cast.alice, "event_status", [event.pk]) for event in (found.draft, found.event)),
        *((user, "event_contribution", [found.event.pk]) for user in (cast.alice, cast.sara)),
        *((user, "event_file", [found.event.pk]) for user in (cast.alice, cast.sara)),
        (cast.sara, "event_import", []),
        (cast.sara, "event", [found.draft.pk]),
        (cast.alice, "event", [found.event.pk]),
        (cast.alice, "event", [found.hall.pk]),
        (cast.bruno, "event", [found.event.pk]),
        (cast.alice, "round_desk", [found.sketch.prova_id, 1]),
        (cast.alice, "round_desk", [found.draft.prove.get().pk, 1]),
        (cast.alice, "seating", [found.played.round_id]),
        (cast.bruno, "seating", [found.played.round_id]),
        (None, "event_screen", [found.event.pk]),
        *((user, "event_standing", [found.event.pk]) for user in (None, cast.alice)),
        *((user, "waiting_tables", [found.event.pk]) for user in (None, cast.alice)),
        (cast.alice, "round_results_import", [found.played.round_id]),
        (cast.alice, "table_sheets", [found.sketch.pk]),
        (cast.alice, "seat_no_show", [seats_of(found.playing)[0].pk]),
        (cast.alice, "table_referee", [found.playing.pk]),
        *((user, "recording", [recorded.brought(found).key]) for user in (None, cast.bruno)),
        (None, "game_replay", [recorded.played_here(found).pk]),
        (cast.alice, "table_game_open", [gathered.free_table(found).pk]),
        (cast.alice, "game_invite", [gathered.friendly(found).pk]),
        (cast.alice, "game_table", [gathered.gathering(found).pk]),
        *((user, "game", [gathered.gathering(found).pk]) for user in (None, cast.bruno)),
        (None, "game_list", []),
        (cast.bruno, "pbem_preferences", []),
        *((user, "consent", [requested.consent(found).pk]) for user in (cast.bruno, cast.dino)),
        (cast.bruno, "home", []),
        *((user, "game_tools", [desks.late_game(found).pk]) for user in (cast.dino, cast.carla)),
        (cast.carla, "move_doubt", [desks.late_game(found).pk, 1]),
        *((user, "game", [kept.kept_game(found).pk]) for user in (None, cast.bruno, cast.dino)),
        (cast.dino, "hand_desk", [kept.kept_game(found).pk]),
        (cast.dino, "hand_tick", [kept.kept_game(found).pk, 2]),
        *((user, "desk", []) for user in (cast.bruno, cast.dino, cast.sara)),
        *((user, "recording_list", []) for user in (cast.bruno, cast.dino)),
        (cast.bruno, "recording_import", []),
        (None, "guides", []),
        (None, "api_docs", []),
        (None, "guide", []),
        (None, "guide_page", ["in-sala"]),
        *(
            (user, "entry_list", [found.hall.pk])
            for user in (None, cast.dino, cast.bruno, cast.alice)
        ),
        (cast.bruno, "withdraw_me", [found.hall.pk]),
        (cast.alice, "roll_call", [found.hall.pk]),
        (cast.alice, "roll_call", [found.event.pk]),
        (cast.alice, "entry_withdraw", [found.event.entries.earliest("pk").pk]),
        (cast.alice, "entry_edit", [found.event.entries.earliest("pk").pk]),
        (None, "missing", [found.event.pk]),
        (None, "missing", [found.hall.pk]),
        (None, "table", [found.played.pk]),
        (cast.alice, "table", [found.playing.pk]),
        (cast.alice, "table_incidents", [found.played.pk]),
        (cast.alice, "table_result", [found.playing.pk]),
        (cast.alice, "table_file", [found.playing.pk]),
        (cast.alice, "table_result", [found.played.pk]),
        (cast.sara, "history_import", []),
        *((user, "event", [found.past.pk]) for user in (None, cast.sara)),
        (None, "event_standing", [found.past.pk]),
        (cast.sara, "player_list", []),
        (cast.sara, "player_import", []),
        (cast.sara, "player_edit", [cast.judge.pk]),
        *((user, "player", [cast.bruno.player.pk]) for user in (None, cast.sara)),
        *((None, "player", [player.pk]) for player in (cast.judge, found.unjoined)),
        (
            None,
            "head_to_head",
            [cast.bruno.player.pk, seats_of(found.played)[1].holder().player_id],
        ),
        (None, "head_to_head", [cast.bruno.player.pk, cast.judge.pk]),
        (None, "club_list", []),
        (None, "club", [squads.playing(found).teams.earliest("pk").club_id]),
        (None, "search", []),
        (cast.sara, "duplicates", []),
        (cast.sara, "player_merge", [found.unjoined.pk, cast.bruno.player.pk]),
        (cast.sara, "player_merge", [cast.bruno.player.pk, cast.director.pk]),
        *((cast.sara, "player_forget", [pk]) for pk in (found.unjoined.pk, found.honour.player_id)),
        (None, "referee_list", []),
        *((user, "ranking", []) for user in (None, cast.bruno, cast.sara)),
        (None, "ranking_player", [cast.judge.pk]),
        *((user, "standings", []) for user in (None, cast.sara)),
        (cast.sara, "season", [found.honour.season.year]),
        (cast.sara, "season_close", [found.event.season.year]),
        *((user, "absolute", [found.event.season.year]) for user in (None, cast.carla)),
        (None, "specialty", [found.event.season.year, "1830"]),
        (cast.sara, "what_if", [found.event.season.year]),
        (cast.sara, "roll_of_honour", []),
        (cast.sara, "honour_new", []),
        (cast.sara, "publication_list", []),
        (None, "publication", [found.publication.number]),
        *((user, "supercoppa_list", []) for user in (None, cast.sara)),
        *((cast.sara, "supercoppa", [year]) for year in cups.values()),
        *((None, "supercoppa", [cups[stage]]) for stage in (Stage.DRAW, Stage.WINNER)),
        *((user, "teams_list", []) for user in (None, cast.sara)),
        *(
            (user, "teams", [championship(found).season.year])
            for championship in (squads.enrolling, squads.admitting, squads.playing)
            for user in (None, cast.bruno, cast.sara)
        ),
        *(
            (user, "team_new", [squads.enrolling(found).season.year])
            for user in (cast.dino, cast.carla, cast.bruno, cast.sara)
        ),
        *((user, "team_edit", squads.his_address(found)) for user in (cast.bruno, cast.sara)),
        (cast.sara, "team_titles", squads.admitted_address(found)),
        (cast.sara, "player_invite", [found.unjoined.pk]),
        (cast.dino, "claim", []),
        (None, "invitation", [found.invitation_token]),
        (cast.sara, "invitation", [found.invitation_token]),
        (None, "regulation", []),
        (None, "readings", []),
        (None, "regulation_text", []),
    ]
    told = [(user, reverse(name, args=args)) for user, name, args in pages]
    today = timezone.localdate() - DAY
    asked = [
        (
            cast.sara,
            reverse("publication_new", query={"kind": "ranking", "day": today.isoformat()}),
        ),
        (None, reverse("search", query={"q": "a"})),
        (None, reverse("search", query={"q": "Nessuno di questo nome"})),
    ]
    return [*told, *asked]


def look(page: Page, *rules: str) -> list[str]:
    """What axe-core finds that is serious or worse: by all its rules, or by those named."""
    ready(page)
    if not page.evaluate("'axe' in window"):
        # By evaluate, not by a script element, which the content security policy would stop.
        page.evaluate(f"(() => {{ {AXE} }})()")
    found = page.evaluate(
        """async (rules) => {
            const only = rules.length ? {runOnly: {type: "rule", values: rules}} : {};
            return (await axe.run({resultTypes: ["violations"], ...only})).violations
                .filter(({impact}) => ["serious", "critical"].includes(impact))
                .flatMap(({id, nodes}) => nodes.map(({html}) => `${id}: ${html.slice(0, 160)}`));
        }""",
        rules,
    )
    return [str(fault) for fault in found]


def dress(page: Page, wide: bool, night: bool, chosen: bool) -> None:
    """Show the page wide or narrow, by day or by night: the device's, or the reader's choice."""
    page.set_viewport_size(WIDE if wide else NARROW)
    # Without motion: a colour on its way to another is neither.
    page.emulate_media(
        color_scheme="dark" if night and not chosen else "light", reduced_motion="reduce"
    )
    if chosen:
        page.evaluate(
            "(theme) => document.documentElement.setAttribute('data-bs-theme', theme)",
            "dark" if night else "light",
        )


def faults(page: Page, language: str) -> Iterator[str]:
    """What is wrong with the page now open: what it is made of, its colours, its width.

    Colours do not depend on the language, nor the make of a page on its colours: in Italian a wide
    page by day and a narrow one by the device's night, in English a narrow one by day and a wide
    one by the night that the reader chose.
    """
    ready(page)
    if page.locator("html").get_attribute("lang") != language:
        yield "the language of <html>"
    if not re.fullmatch(r"\S.* · FIGF", page.title()):
        yield f"the title {page.title()!r}"
    if page.locator("h1").count() != 1:
        yield "not one first heading"
    english = language == "en"
    for night, rules in ((False, []), (True, ["color-contrast", "target-size"])):
        wide = night == english
        dress(page, wide, night, chosen=english)
        where = f"{'wide' if wide else 'narrow'} by {'night' if night else 'day'}"
        yield from (f"{where}, {fault}" for fault in look(page, *rules))
        over = page.evaluate("document.documentElement.scrollWidth - innerWidth")
        if over > 0:
            yield f"{where}, {over} px too wide"


@pytest.mark.parametrize("language", ["it", "en"])
def test_every_page_is_accessible_and_fits_in_every_dress(
    context: BrowserContext,
    live_server: LiveServer,
    settings: Settings,
    browser_errors: list[str],
    language: str,
) -> None:
    settings.EMAIL_BACKEND = "django.core.mail.backends.filebased.EmailBackend"  # shows the mails
    pages = every_page(make_federation(timezone.now()))
    wrong = []
    page = context.new_page()
    for user, address in pages:
        come_in(context, live_server, user, language)
        answer = page.goto(address)
        assert answer
        refused = "spent" in address and "email" in address
        assert answer.status == (422 if refused else 200), address
        if refused:
            expected(browser_errors, "status of 422")
        wrong += [f"{address} ({user}): {fault}" for fault in faults(page, language)]
        wrong += [f"{address} ({user}): {error}" for error in browser_errors]
        browser_errors.clear()
    assert not wrong, "\n" + "\n".join(wrong)


def test_no_page_was_forgotten() -> None:
    named = {name for name in get_resolver().reverse_dict if isinstance(name, str)}
    visited = {
        resolve(address.partition("?")[0]).url_name for _, address in every_page(make_federation())
    }
    assert visited | NOT_PAGES == named


@pytest.mark.parametrize("language", ["it", "en"])
def test_the_pages_of_errors_are_accessible_and_fit_in_every_dress(
    context: BrowserContext,
    live_server: LiveServer,
    browser_errors: list[str],
    language: str,
) -> None:
    """Those that the site must be broken to show are rendered here and put in its place."""
    come_in(context, live_server, None, language)
    page = context.new_page()
    wrong = []
    for name in ("400", "403", "403_csrf", "404", "500", "locked_out"):
        with translation.override(language):
            written = render_to_string(f"{name}.html", {"failure_limit": 6})
        page.route("**/guasto/", served(written))
        page.goto("/guasto/")
        wrong += [f"{name}: {fault}" for fault in faults(page, language)]
        page.unroute("**/guasto/")
    assert not wrong, "\n" + "\n".join(wrong)
    page.goto("/nulla/")
    expect(heading(page, "This page does not exist", language)).to_be_visible()
    expected(browser_errors, "status of 404")


def served(written: str) -> Callable[[Route], None]:
    return lambda route: route.fulfill(body=written, content_type="text/html; charset=utf-8")


def test_forms_sent_back_with_errors_are_accessible(
    context: BrowserContext, live_server: LiveServer, browser_errors: list[str]
) -> None:
    found = make_federation(timezone.now())
    table = found.playing
    stocks = f"stocks-{table.seats.all()[0].pk}"
    sent: list[tuple[User | None, str, dict[str, str]]] = [
        (None, "/accesso/", {"username": "bruno@example.org", "password": "no"}),
        (found.cast.bruno, "/account/email/", {"new_email": "sara@example.org"}),
        (found.cast.bruno, "/password/", {"old_password": "no", "new_password1": "a"}),
        (found.cast.sara, "/giocatori/", {"email": "no"}),
        (found.cast.sara, "/dadi/nuovo/", {"count": "0"}),
        (found.cast.sara, "/eventi/nuovo/", {"capacity": "1", "fee": "dieci"}),
        (found.cast.sara, "/stagioni/", {"year": "1"}),
        (found.cast.sara, "/dadi/ricevuta/", {"throws": "sei"}),
        (found.cast.alice, f"/tavoli/{table.pk}/risultato/", {stocks: "abc"}),
        (None, f"/inviti/{found.invitation_token}/", {"password": "1"}),
    ]
    wrong = []
    page = context.new_page()
    for user, address, values in sent:
        come_in(context, live_server, user, "it")
        page.goto(address)
        form = page.get_by_role("main").locator("form").last
        for name, value in values.items():
            form.locator(f"[name={name}]").fill(value)
        # The browser's own checks would keep the form back: those are not what is looked at.
        form.evaluate("(form) => { form.noValidate = true; form.requestSubmit(); }")
        expect(
            page.locator(".is-invalid, [aria-invalid=true], .alert-danger")
            .filter(visible=True)
            .first
        ).to_be_visible()
        wrong += [f"{address}: {fault}" for fault in faults(page, "it")]
    expected(browser_errors, "status of 422")
    assert not wrong, "\n" + "\n".join(wrong)


def test_an_empty_federation_shows_its_pages(
    context: BrowserContext, live_server: LiveServer
) -> None:
    sara = make_cast_of_one()
    wrong = []
    page = context.new_page()
    for user, address in [
        (None, "/"),
        (None, "/eventi/"),
        *((sara, at) for at in ("/", "/dadi/", "/giocatori/", "/posta/", "/account/")),
    ]:
        come_in(context, live_server, user, "it")
        page.goto(address)
        wrong += [f"{address}: {fault}" for fault in faults(page, "it")]
    assert not wrong, "\n" + "\n".join(wrong)


def test_long_names_fit(page: Page, context: BrowserContext, live_server: LiveServer) -> None:
    """The page never scrolls sideways: what is too wide scrolls in its own box, or wraps."""
    now = timezone.now()
    cast = make_cast()
    players = [
        make_player("Di San Giuliano Montecuccoli degli Erri", "Massimiliano Bartolomeo"),
        make_player("Supercalifragilistichespiralidosissimo", "Ernesto"),
        make_player("Wojciechowska-Brzęczyszczykiewicz", "Małgorzata Aleksandra"),
        make_player("Dell’Acquafredda Quattrocchi", "Maria Immacolata Concetta"),
    ]
    name = "Campionato Interregionale Invernale dell’Appennino Centro-Settentrionale «Capostazione»"
    event = make_event(players=players, name=name, now=now)
    services.amend_event(event, cast.sara, now, town="Llanfairpwllgwyngyll" * 4)
    table = tables_of(event)[0]
    address = "malgorzata.aleksandra.wojciechowska.brzeczyszczykiewicz@federazione.example.org"
    services.invite(players[2], address, cast.sara, now)
    base.open_draw(name, [cast.alice, cast.bruno], 60, now + DAY, cast.sara, now)
    services.claim(players[1], cast.dino, "Ho giocato a Montetreno con la maglia rossa " * 5, now)
    come_in(context, live_server, cast.sara, "it")
    wrong = []
    for played in (False, True):
        if played:
            record(table, 123456789, 123456788, 1, 0)
        for at in (
            *("/", "/eventi/", "/giocatori/", "/posta/", "/registro/", "/dadi/"),
            *(event.get_absolute_url(), table.get_absolute_url(), f"/tavoli/{table.pk}/risultato/"),
            *(f"{event.get_absolute_url()}{more}/" for more in ("iscritti", "appello", "mancano")),
        ):
            page.goto(at)
            for wide in (True, False):
                page.set_viewport_size(WIDE if wide else NARROW)
                over = page.evaluate("document.documentElement.scrollWidth - innerWidth")
                if over > 0:
                    wrong.append(f"{at} {'wide' if wide else 'narrow'}: {over} px too wide")
    assert not wrong, "\n" + "\n".join(wrong)


@pytest.mark.parametrize("language", ["it", "en"])
def test_a_field_of_eight_fits_a_phone(
    page: Page, context: BrowserContext, live_server: LiveServer, language: str
) -> None:
    """I-01: the sentence that says that they are too few wraps."""
    now = timezone.now()
    cup = make_supercoppa(now.year, Stage.FIELD, now)  # who is out already is one of twelve
    sara = make_cast(now).sara
    for candidate in cups.field_of(cup, now).people[1:4]:
        cups.mark_unavailable(cup, candidate.player, "In viaggio", sara, now)
    come_in(context, live_server, sara, language)
    page.set_viewport_size(NARROW)
    page.goto(reverse("supercoppa", args=[now.year]))
    short = page.locator("#campo .signal.stop")
    expect(short).to_contain_text("8")
    assert page.evaluate("document.documentElement.scrollWidth - innerWidth") <= 0


def make_cast_of_one() -> User:
    return base.create_user(
        "sara@example.org", PASSWORD, "Sara Sportello", timezone.now(), secretary=True
    )


def test_the_administration_complains_of_nothing(
    page: Page, context: BrowserContext, live_server: LiveServer, browser_errors: list[str]
) -> None:
    found = make_federation(timezone.now())
    come_in(context, live_server, found.cast.sara)
    for address in (
        "/admin/",
        "/admin/figf/user/",
        f"/admin/figf/user/{found.cast.dino.pk}/change/",
        "/admin/tournaments/title/add/",
    ):
        answer = page.goto(address)
        assert answer
        assert answer.status == 200, address
    browser_errors[:] = [error for error in browser_errors if "favicon.ico" not in error]
