"""The operating turn in a real browser, on a phone: by touch, by keyboard, and without scripts."""

from __future__ import annotations

from datetime import datetime

import pytest
from django.utils import timezone
from playwright.sync_api import Browser, BrowserContext, Page, expect
from pytest_django.live_server_helper import LiveServer

from figf.tests.test_browser import NARROW, another_visitor, come_in, faults, ready
from pbem.engine import from_dict
from pbem.engine.actions import Dividend, LayTile, Run
from pbem.models import Action, Game, Move

from .running import make_game, position, reread, user_at
from .turns_of_games import recorded_turns

pytestmark = [pytest.mark.browser, pytest.mark.django_db(transaction=True)]

# In a game of our own: the NYC with a 3 and a 4, 280 at best with Boston's brown tile; then the
# last turn, in which the B&O's president must sell for a 4.
NAME, RUNNING, SELLING = "bank_figf_4", 173, 142


def game_at(turns: int, now: datetime) -> Game:
    """The recorded game as far as so many of its turns, whoever is to act then asked."""
    recorded, first = recorded_turns(NAME)
    game = make_game(len(first.state.players), preset=first.title.preset, now=now)
    actions = [action for turn in recorded[:turns] for action in turn.actions]
    move = Move.objects.create(
        game=game, number=1, seat=game.table.seats.all()[0], kind=Move.Kind.OWN, received_at=now
    )
    Action.objects.bulk_create(
        Action(game=game, seq=seq, move=move, payload=action.to_dict())
        for seq, action in enumerate(actions, 1)
    )
    game.seq = game.length = len(actions)
    game.save()
    seats = {str(seat.position): seat for seat in game.table.seats.all()}
    game.to_act = seats[position(game).player or ""]
    game.save()
    return reread(game)


def open_it(page: Page, context: BrowserContext, at: LiveServer, game: Game) -> None:
    come_in(context, at, user_at(game, position(game).player or ""), "en")
    page.set_viewport_size(NARROW)
    page.goto(game.get_absolute_url())
    ready(page)


def played(game: Game, after: int) -> list[object]:
    """What was done since the game had so many actions."""
    rows = Action.objects.filter(game=game, seq__gt=after).order_by("seq")
    return [from_dict(row.payload) for row in rows]


def check_played(game: Game) -> None:
    done = played(game, game.seq)
    assert done[0] == LayTile("NYC", "E23", "61", 3)
    runs = [one for one in done if isinstance(one, Run)]
    assert [len(one.routes) for one in runs] == [2]
    assert [one.kind for one in done if isinstance(one, Dividend)] == ["pay"]


def test_a_turn_by_touch_on_a_phone(
    page: Page, context: BrowserContext, live_server: LiveServer
) -> None:
    """X-05, X-09 — hex, tile, dividend, preview, sent: the best run follows the tile."""
    game = game_at(RUNNING, timezone.now())
    open_it(page, context, live_server, game)
    expect(page.locator("#best-run .run-sum").first).to_have_text("$230")
    page.locator('.move-map [data-hex="E23"]').click()
    expect(page.locator("#hex")).to_have_value("E23")
    page.locator('.lay-pick:has([value="E23 61 3"])').click()
    expect(page.locator("#best-run .run-sum").first).to_have_text("$280")
    expect(page.locator("#amount")).to_have_value("280")
    expect(page.locator(".move-map .proposed")).to_have_count(1)
    preview = page.locator("#move-preview")
    expect(preview.get_by_role("alert")).to_contain_text("do not run")
    assert page.locator("[name=dividend]:checked").count() == 0
    page.locator("label:has(#dividend-pay)").click()
    expect(preview).to_contain_text("NYC pays out $280, $28 a share.")
    expect(preview.get_by_role("alert")).to_have_count(0)
    preview.get_by_role("button", name="Send the move").click()
    expect(page.get_by_text("is played, and sent to the whole table")).to_be_visible()
    check_played(game)


def test_a_turn_by_the_keyboard_keeps_the_focus(
    page: Page, context: BrowserContext, live_server: LiveServer
) -> None:
    game = game_at(RUNNING, timezone.now())
    open_it(page, context, live_server, game)
    field = page.locator("#hex")
    field.focus()
    page.keyboard.type("Boston")
    expect(page.locator("#tiles label")).to_have_count(2)
    expect(field).to_be_focused()
    page.keyboard.press("Tab")
    page.keyboard.press("Space")
    expect(page.locator("#amount")).to_have_value("280")
    expect(page.locator('[value="E23 61 3"]')).to_be_focused()
    page.locator("#own-routes summary").focus()
    page.keyboard.press("Enter")
    page.locator("#route1").focus()
    page.keyboard.type("G19 E19")
    page.keyboard.press("Tab")
    page.keyboard.type("E23 F22 F20 E19")  # faster than the answer comes
    expect(page.locator("#route2")).to_have_value("E23 F22 F20 E19")
    page.keyboard.press("Tab")
    expect(page.locator("#amount")).to_have_value("240")
    expect(page.locator("#route1")).to_have_value("G19 E19")
    expect(page.locator("#own-routes")).to_contain_text("It may go on: Scranton (F16), $40 more.")
    expect(page.locator("#move-preview")).to_contain_text("whether to pay out or to withhold")


def test_a_turn_without_scripts(browser: Browser, live_server: LiveServer) -> None:
    game = game_at(RUNNING, timezone.now())
    with another_visitor(
        browser, live_server, java_script_enabled=False, viewport=NARROW
    ) as visitor:
        come_in(visitor, live_server, user_at(game, position(game).player or ""), "en")
        page = visitor.new_page()
        page.goto(game.get_absolute_url())
        page.locator("#hex").select_option("E23")
        page.get_by_role("button", name="Show its tiles").click()
        page.locator('[value="E23 61 3"]').check()
        page.locator("#dividend-pay").check()
        page.get_by_role("button", name="Preview", exact=True).click()
        expect(page.locator("#move-preview")).to_contain_text("NYC pays out $280, $28 a share.")
        page.get_by_role("button", name="Send the move").click()
        expect(page.get_by_text("is played, and sent to the whole table")).to_be_visible()
    check_played(game)


def test_a_hex_that_takes_no_tile_says_why_when_it_is_touched(
    page: Page, context: BrowserContext, live_server: LiveServer
) -> None:
    """N2 of what players ask for."""
    game = game_at(RUNNING, timezone.now())
    open_it(page, context, live_server, game)
    page.locator("#whole").check()
    page.locator('.move-map [data-hex="H4"]').click()
    expect(page.locator("#tiles")).to_contain_text("No track joins H4")


@pytest.mark.parametrize("language", ["it", "en"])
@pytest.mark.parametrize("turns", [RUNNING, SELLING])
def test_the_form_is_accessible_and_fits(
    page: Page, context: BrowserContext, live_server: LiveServer, turns: int, language: str
) -> None:
    game = game_at(turns, timezone.now())
    come_in(context, live_server, user_at(game, position(game).player or ""), language)
    page.goto(game.get_absolute_url())
    ready(page)
    for summary in page.locator("#move-form summary").all():
        summary.click()
    assert list(faults(page, language)) == []
    if turns == RUNNING:
        page.locator("#hex").select_option("E23")
        expect(page.locator("#tiles label")).to_have_count(2)
        page.locator('[value="E23 61 3"]').check()
        expect(page.locator("#move-preview .preview")).to_be_visible()
        expect(page.locator("#amount")).to_have_value("280")
        assert list(faults(page, language)) == []
