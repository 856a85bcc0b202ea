"""The forms of the auction and of the stock round in a browser: phone, keys, no script."""

from __future__ import annotations

import pytest
from django.utils import timezone
from playwright.sync_api import Browser, BrowserContext, Page, expect
from pytest_django.live_server_helper import LiveServer

from figf.tests.test_browser import (
    NARROW,
    another_visitor,
    button,
    come_in,
    faults,
    ready,
    say,
    tab_to,
)
from pbem.engine import parse
from pbem.models import Game
from pbem.rules.commands import Plain

from .running import make_game, position, reread, send, user_at

pytestmark = [pytest.mark.browser, pytest.mark.django_db(transaction=True)]


def play(game: Game, *lines: str) -> None:
    for line in lines:
        actor = position(game).player or ""
        send(game, [Plain(parse(f"{actor} {one}")) for one in line.split(" + ")], timezone.now())


def stock_round() -> Game:
    """The first stock round: whoever is to act has money for a certificate."""
    game = make_game(4, now=timezone.now())
    play(game, "bid SV 20", "bid CS 40", "bid DH 70", "bid MH 110", "bid CA 160")
    play(game, "bid BO 220 + par B&O 67")
    return game


def open_as_actor(context: BrowserContext, at: LiveServer, game: Game, language: str = "") -> Page:
    come_in(context, at, user_at(game, position(game).player or ""), language)
    page = context.new_page()
    page.goto(game.get_absolute_url())
    ready(page)
    return page


@pytest.mark.parametrize("language", ["it", "en"])
def test_the_forms_are_accessible_and_fit_on_a_phone(
    context: BrowserContext, live_server: LiveServer, language: str
) -> None:
    """The auction, a contest, the par of the B&O, a stock round; in every dress, at every width."""
    auction, contest, naming = (make_game(3, now=timezone.now()) for _ in range(3))
    play(contest, "bid CS 45", "bid CS 50", "bid SV 20")
    play(naming, "bid SV 20", "bid CS 40", "bid DH 70", "bid MH 110", "bid CA 160", "bid BO 220")
    assert position(contest).state.round.contest == "CS"  # type: ignore[union-attr]
    assert position(naming).state.round.naming == "B&O"  # type: ignore[union-attr]
    wrong: list[str] = []
    for game in (auction, contest, naming, stock_round()):
        page = open_as_actor(context, live_server, game, language)
        for details in page.locator(".game-move details").all():
            details.evaluate("one => { one.open = true; }")
        wrong += faults(page, language)
        page.close()
    assert not wrong, "\n".join(wrong)


def test_a_bid_on_a_phone(context: BrowserContext, live_server: LiveServer) -> None:
    """V-03, B2 — nothing is chosen beforehand; a sum that is written chooses its private."""
    game = make_game(3, now=timezone.now())
    page = open_as_actor(context, live_server, game)
    page.set_viewport_size(NARROW)
    expect(page.locator("[name=choice]:checked")).to_have_count(0)
    page.locator("#amount-DH").fill("90")
    expect(page.locator("#lot-DH")).to_be_checked()
    page.locator("#amount-DH").press("Tab")
    button(page, "Send the move").click()
    expect(page.locator("#move-form")).to_have_count(0)
    assert position(game).state.round.bids == {"DH": {"1": 90}}  # type: ignore[union-attr]


def test_a_certificate_by_keys_alone_with_its_sum_filled_in(
    context: BrowserContext, live_server: LiveServer
) -> None:
    """V-06, V-07 — the par makes the sum; another by hand is put right, with a note."""
    game = stock_round()
    page = open_as_actor(context, live_server, game)
    expect(page.locator("[data-par]")).to_be_hidden()
    tab_to(page.locator("[name=buy]").first, most=60)
    chosen = page.locator('[name=buy][value="PRR:par"]')
    for _ in range(20):
        if chosen.is_checked():
            break
        page.keyboard.press("ArrowDown")
    expect(chosen).to_be_checked()
    tab_to(page.locator("#buy-par"))
    page.keyboard.press("ArrowDown")
    expect(page.locator("#buy-amount")).to_have_value("134")
    tab_to(page.locator("#buy-amount"))
    page.keyboard.type("100")
    preview = page.locator("#move-preview")
    tab_to(page.locator("[name=comment]"))
    expect(preview).to_contain_text("$134")
    expect(preview).to_contain_text(say("The sum stated was another: it is $%(sum)s.", sum=134))
    tab_to(button(page, "Send the move"))
    page.keyboard.press("Enter")
    expect(page.locator("#move-form")).to_have_count(0)
    assert position(game).state.corporations["PRR"].par == 67


def test_without_script_the_sums_are_left_empty_and_the_preview_is_a_button(
    browser: Browser, live_server: LiveServer
) -> None:
    game = stock_round()
    with another_visitor(browser, live_server, java_script_enabled=False) as context:
        page = open_as_actor(context, live_server, game)
        page.locator('[name=buy][value="B&O:ipo"]').check()
        button(page, "Preview").click()
        expect(page.locator("#move-preview")).to_contain_text("$67")
        expect(page.locator('[name=buy][value="B&O:ipo"]')).to_be_checked()
        button(page, "Send the move").click()
    assert reread(game).moves.count() == 7
