"""The replay of a game in a real browser: stepped by keys, by the slider, by itself; and shared."""

from __future__ import annotations

import re

import pytest
from playwright.sync_api import BrowserContext, Page, expect
from pytest_django.live_server_helper import LiveServer

from figf.tests.cast import make_cast
from figf.tests.test_browser import (
    NARROW,
    another_visitor,
    button,
    come_in,
    expected,
    faults,
    heading,
    link,
    ready,
    say,
    told,
)
from pbem import services
from pbem.models import Recording

from .our_games import FOLDER
from .recorded import SHORT, bring

pytestmark = [pytest.mark.browser, pytest.mark.django_db(transaction=True)]


@pytest.fixture
def recording() -> Recording:
    return bring(keep_names=True)


def open_at(page: Page, recording: Recording, query: str = "") -> None:
    page.goto(recording.get_absolute_url() + query)
    ready(page)


def is_at(page: Page, n: int) -> None:
    """The position, its address and the slider say the same."""
    expect(page.locator(f'#position [data-at="{n}"]')).to_have_count(1)
    expect(page).to_have_url(re.compile(rf"\?n={n}(&|$)"))
    expect(page.locator("#slide")).to_have_value(str(n))


def test_keys_go_from_action_to_action_and_to_the_ends(page: Page, recording: Recording) -> None:
    open_at(page, recording, "?n=20")
    caption = page.locator("#caption").inner_text()
    page.keyboard.press("ArrowRight")
    is_at(page, 21)
    expect(page.locator("#caption")).not_to_have_text(caption)
    said = page.locator("#replay-said")
    expect(said).to_contain_text(page.locator("#caption").inner_text())
    page.keyboard.press("ArrowLeft")
    is_at(page, 20)
    expect(page.locator("#caption")).to_have_text(caption)
    for _ in range(5):  # faster than the answers come
        page.keyboard.press("ArrowRight")
    is_at(page, 25)
    page.keyboard.press("End")
    is_at(page, recording.length)
    page.keyboard.press("ArrowRight")
    is_at(page, recording.length)
    page.keyboard.press("Home")
    is_at(page, 0)
    page.keyboard.press("Control+ArrowRight")  # the browser's own
    is_at(page, 0)


def test_buttons_go_by_action_turn_and_round_and_keep_the_focus(
    page: Page, recording: Recording
) -> None:
    film = services.film(services.score_of(recording))
    open_at(page, recording)
    following = page.locator("#go-after")
    following.focus()
    page.keyboard.press("Enter")
    is_at(page, 1)
    expect(page.locator("#go-after")).to_be_focused()
    link(page, "Next round").click()
    is_at(page, film.parts[1].first)
    link(page, "Previous round").click()
    is_at(page, 0)
    link(page, "End").click()
    is_at(page, recording.length)


def test_the_slider_moves_the_game_by_mouse_and_by_keys(page: Page, recording: Recording) -> None:
    open_at(page, recording)
    slide = page.locator("#slide")
    box = slide.bounding_box()
    assert box is not None
    page.mouse.click(box["x"] + box["width"] / 2, box["y"] + box["height"] / 2)
    middle = int(slide.input_value())
    assert abs(middle - recording.length / 2) < 10
    is_at(page, middle)
    page.keyboard.press("ArrowRight")
    is_at(page, middle + 1)
    expect(slide).to_have_attribute("aria-valuetext", re.compile(rf"\b{middle + 1}\b"))


def test_a_game_plays_by_itself_until_it_is_stopped_or_over(
    page: Page, recording: Recording
) -> None:
    open_at(page, recording, f"?n={recording.length - 3}")
    page.locator("[data-speed]").select_option("400")
    play = page.locator("[data-play]")
    expect(play).to_have_attribute("aria-pressed", "false")
    play.click()
    expect(play).to_have_attribute("aria-pressed", "true")
    is_at(page, recording.length)
    expect(play).to_have_attribute("aria-pressed", "false")
    open_at(page, recording, "?n=30")
    page.locator("[data-speed]").select_option("400")
    page.locator("h1").click()  # away from the boxes
    page.keyboard.press("Space")
    expect(page.locator('#position [data-at="32"]')).to_have_count(1)
    page.keyboard.press("Space")
    expect(play).to_have_attribute("aria-pressed", "false")
    stopped = page.locator("[data-at]").get_attribute("data-at")
    page.wait_for_timeout(1200)
    assert int(page.locator("[data-at]").get_attribute("data-at") or 0) <= int(stopped or 0) + 1


def test_who_wants_little_motion_gets_the_slow_speed(page: Page, recording: Recording) -> None:
    page.emulate_media(reduced_motion="reduce")
    open_at(page, recording)
    expect(page.locator("[data-speed]")).to_have_value("3000")


def test_a_shared_link_opens_the_same_position_for_anybody(
    page: Page, context: BrowserContext, live_server: LiveServer, recording: Recording
) -> None:
    context.grant_permissions(["clipboard-read", "clipboard-write"])
    open_at(page, recording, "?n=100")
    page.keyboard.press("ArrowRight")
    is_at(page, 101)
    button(page, "Copy the link").click()
    expect(page.locator("[data-copy]")).to_have_text(say_copied())
    copied = page.evaluate("navigator.clipboard.readText()")
    caption = page.locator("#caption").inner_text()
    assert page.locator("#share").evaluate("one => one.href") == copied
    assert context.browser is not None
    with another_visitor(context.browser, live_server) as other:
        theirs = other.new_page()
        theirs.goto(copied)
        expect(theirs.locator("#caption")).to_have_text(caption)


def say_copied() -> str:
    from django.utils import translation
    from django.utils.translation import pgettext

    with translation.override("it"):
        return pgettext("a link", "Copied")


def test_back_leads_to_the_page_before_and_then_to_the_same_position(
    page: Page, recording: Recording
) -> None:
    page.goto("/eventi/")
    open_at(page, recording)
    for n in range(1, 4):
        page.keyboard.press("ArrowRight")
        is_at(page, n)
    page.go_back()
    expect(page).to_have_url(re.compile("/eventi/$"))
    page.go_forward()
    expect(page).to_have_url(re.compile(r"\?n=3$"))
    expect(page.locator("h1")).to_be_visible()  # the whole page, not a piece of it
    expect(page.locator('#position [data-at="3"]')).to_have_count(1)


def test_back_leads_through_the_jumps_and_not_through_the_single_steps(
    page: Page, recording: Recording
) -> None:
    film = services.film(services.score_of(recording))
    stock = film.parts[1].first
    page.goto("/eventi/")
    open_at(page, recording, "?n=3")
    page.keyboard.press("ArrowRight")
    is_at(page, 4)
    page.locator(".replay-entries h3 a").nth(1).click()
    is_at(page, stock)
    page.keyboard.press("ArrowRight")
    is_at(page, stock + 1)
    page.locator("#go").fill("300")
    page.keyboard.press("Enter")
    is_at(page, 300)
    link(page, "Legal tiles").click()
    expect(page).to_have_url(re.compile("mostra=pose"))
    page.go_back()
    is_at(page, 300)
    expect(page).not_to_have_url(re.compile("mostra"))
    page.go_back()
    is_at(page, stock + 1)
    page.go_back()
    is_at(page, 4)
    page.go_forward()
    is_at(page, stock + 1)
    page.go_back()
    is_at(page, 4)
    page.go_back()
    expect(page).to_have_url(re.compile("/eventi/$"))


def test_a_drag_of_the_slider_is_one_jump(page: Page, recording: Recording) -> None:
    open_at(page, recording, "?n=10")
    box = page.locator("#slide").bounding_box()
    assert box is not None
    across = box["width"] / recording.length
    page.mouse.move(box["x"] + 8 + 10 * across, box["y"] + box["height"] / 2)
    page.mouse.down()
    for n in range(20, 200, 20):
        page.mouse.move(box["x"] + 8 + n * across, box["y"] + box["height"] / 2)
        page.wait_for_timeout(90)
    page.mouse.up()
    dragged = int(page.locator("#slide").input_value())
    assert dragged > 150
    is_at(page, dragged)
    page.go_back()
    expect(page.locator("#slide")).not_to_have_value(str(dragged))
    assert int(page.locator("#slide").input_value()) < 20


def test_a_step_that_fails_says_so_and_stays_where_it_was(
    page: Page, context: BrowserContext, recording: Recording, browser_errors: list[str]
) -> None:
    fault = page.locator("#replay-fault")
    open_at(page, recording, "?n=20")
    expect(fault).to_be_hidden()
    context.set_offline(True)
    page.keyboard.press("End")
    expect(fault).to_have_text(say("No connection: try again."))
    expect(fault).to_have_attribute("role", "alert")
    is_at(page, 20)
    context.set_offline(False)
    page.keyboard.press("ArrowRight")
    is_at(page, 21)
    expect(fault).to_be_hidden()
    page.route("**/posizione/*", lambda route: route.fulfill(status=500, body=""))
    page.locator("#slide").fill("200")
    expect(fault).to_have_text(say("The site did not answer: try again."))
    is_at(page, 21)
    page.unroute("**/posizione/*")
    recording.delete()
    link(page, "Next round").click()
    expect(fault).to_have_text(say("This game is no longer here."))
    is_at(page, 21)
    for words in (
        "ERR_INTERNET_DISCONNECTED",
        "status of 500",
        "status of 404",
        "htmx:",
        "Error Code",
    ):
        expected(browser_errors, words)


@pytest.mark.parametrize("apart", [100, 50, 5])
def test_every_click_on_a_step_counts_however_fast(
    page: Page, recording: Recording, apart: int
) -> None:
    open_at(page, recording)
    box = page.locator("#go-after").bounding_box()
    assert box is not None
    page.mouse.move(box["x"] + box["width"] / 2, box["y"] + box["height"] / 2)
    for _ in range(15):
        page.mouse.down()
        page.wait_for_timeout(apart // 2)
        page.mouse.up()
        page.wait_for_timeout(apart // 2)
    is_at(page, 15)


def test_fast_clicks_on_a_round_count_too(page: Page, recording: Recording) -> None:
    film = services.film(services.score_of(recording))
    open_at(page, recording)
    page.evaluate("for (let n = 0; n < 4; n++) document.querySelector('#go-round-after').click()")
    is_at(page, film.parts[4].first)


def test_the_stations_and_the_list_of_rounds_lead_there(page: Page, recording: Recording) -> None:
    film = services.film(services.score_of(recording))
    open_at(page, recording)
    part = film.parts[-1]
    page.locator(f'.replay-stations a[href="?n={part.first}"]').locator("circle").click(force=True)
    is_at(page, part.first)
    expect(page.locator("#go-to")).to_have_value(str(part.first))
    phase = film.phases[-1][0]
    page.locator("#go-to").select_option(str(phase))
    button(page, "Go to the round or phase").click()
    is_at(page, phase)


def test_the_map_in_words_stays_open_while_one_steps(page: Page, recording: Recording) -> None:
    open_at(page, recording, "?n=50")
    page.locator(".map-words summary").click()
    page.keyboard.press("Tab")
    page.locator("#go-after").click()
    is_at(page, 51)
    expect(page.locator(".map-words ul")).to_be_visible()


def test_the_language_changes_where_one_stands(page: Page, recording: Recording) -> None:
    open_at(page, recording, "?n=40")
    page.keyboard.press("ArrowRight")
    is_at(page, 41)
    page.get_by_role("button", name="English").click()
    expect(page.locator("html")).to_have_attribute("lang", "en")
    is_at(page, 41)
    page.keyboard.press("ArrowLeft")
    is_at(page, 40)  # which the browser had in Italian
    expect(page.locator(".replay-where")).to_have_text(
        say("Action %(n)s of %(last)s", "en", n=40, last=recording.length)
    )


def test_an_entry_of_the_log_and_a_number_lead_to_a_position(
    page: Page, recording: Recording
) -> None:
    open_at(page, recording, "?n=200")
    page.locator(".replay-entries a", has_text="205").click()
    is_at(page, 205)
    expect(page.locator(".replay-entries .here")).to_be_in_viewport()
    page.locator("#go").fill("300")
    page.keyboard.press("Enter")
    is_at(page, 300)
    page.keyboard.press("ArrowLeft")  # in the box: the cursor's
    is_at(page, 300)


def test_what_is_shown_on_the_map_stays_while_one_steps(page: Page, recording: Recording) -> None:
    film = services.film(services.score_of(recording))
    run = next(n for n, action in enumerate(film.actions) if action.verb == "run")
    open_at(page, recording, f"?n={run}")
    link(page, "Best possible run").click()
    expect(page.locator(".replay-told")).to_be_visible()
    page.keyboard.press("ArrowRight")
    is_at(page, run + 1)
    expect(page).to_have_url(re.compile("mostra=giro"))
    expect(page.locator(".replay-told")).to_be_visible()
    link(page, "Best possible run").click()
    expect(page.locator(".replay-told")).to_have_count(0)
    expect(page).not_to_have_url(re.compile("mostra"))


def test_an_open_paper_stays_open_while_one_steps(page: Page, recording: Recording) -> None:
    open_at(page, recording, "?n=50")
    page.locator("#more-phases summary").click()
    page.locator("h1").click()
    page.keyboard.press("ArrowRight")
    is_at(page, 51)
    expect(page.locator("#more-phases")).to_have_attribute("open", "")
    expect(page.locator("#more-privates")).not_to_have_attribute("open", "")


def test_everything_works_without_scripts(
    context: BrowserContext, live_server: LiveServer, recording: Recording
) -> None:
    assert context.browser is not None
    with another_visitor(context.browser, live_server, java_script_enabled=False) as plain:
        page = plain.new_page()
        page.goto(recording.get_absolute_url())
        link(page, "Next action").click()
        expect(page).to_have_url(re.compile(r"\?n=1$"))
        link(page, "End").click()
        expect(page).to_have_url(re.compile(rf"\?n={recording.length}$"))
        link(page, "Previous round").click()
        link(page, "Beginning").click()
        expect(page).to_have_url(re.compile(r"\?n=0$"))
        page.locator("#go").fill("77")
        page.keyboard.press("Enter")
        expect(page.locator('[data-at="77"]')).to_have_count(1)
        page.locator("#slide").fill("88")
        page.locator("[data-plain]").click()
        expect(page.locator('[data-at="88"]')).to_have_count(1)
        page.locator("#go-to").select_option(index=3)
        button(page, "Go to the round or phase").click()
        part = services.film(services.score_of(recording)).parts[3]
        expect(page.locator(f'[data-at="{part.first}"]')).to_have_count(1)
        link(page, "Legal tiles").click()
        expect(page).to_have_url(re.compile("mostra=pose"))
        expect(page.locator("[data-play]")).to_be_hidden()


@pytest.mark.parametrize("show", ["", "&mostra=giro", "&mostra=pose"])
def test_a_position_is_accessible_and_fits_in_every_dress(
    page: Page, recording: Recording, show: str
) -> None:
    film = services.film(services.score_of(recording))
    late = [n for n, action in enumerate(film.actions) if action.verb == "lay"][-1]
    for n in (late, recording.length):
        page.goto(f"{recording.get_absolute_url()}?n={n}{show}")
        assert list(faults(page, "it")) == []


def test_on_a_phone_what_has_changed_comes_into_sight(page: Page, recording: Recording) -> None:
    page.set_viewport_size(NARROW)
    film = services.film(services.score_of(recording))
    for n in [n for n, action in enumerate(film.actions) if action.verb == "lay"][:4]:
        open_at(page, recording, f"?n={n}")
        page.keyboard.press("ArrowRight")
        is_at(page, n + 1)
        frame = page.locator(".map-scroll").bounding_box()
        mark = page.locator(".map .changed").first.bounding_box()
        assert frame is not None
        assert mark is not None
        assert frame["x"] <= mark["x"]
        assert mark["x"] + mark["width"] <= frame["x"] + frame["width"]
        assert page.evaluate("document.documentElement.scrollWidth - innerWidth") <= 0


def test_a_file_is_dropped_on_the_page_and_its_game_is_there(
    page: Page, context: BrowserContext, live_server: LiveServer
) -> None:
    come_in(context, live_server, make_cast().bruno)
    page.goto("/account/")
    page.locator("#main").get_by_role("link", name=say("My recorded games")).click()
    link(page, "Bring a game here").click()
    expect(heading(page, "Bring a game here")).to_be_visible()
    page.locator("input[type=file]").set_input_files(FOLDER / f"{SHORT}.json")
    button(page, "Bring it here").click()
    expect(told(page, "The game is here: who has its address can see it.")).to_be_visible()
    expect(page.locator('#position [data-at="0"]')).to_have_count(1)
    page.get_by_text(say("Delete this recorded game")).click()
    button(page, "Delete it").click()
    expect(page.get_by_role("status").first).to_be_visible()
    assert not Recording.objects.exists()


def test_the_list_and_the_import_are_accessible_and_fit_in_every_dress(
    page: Page,
    context: BrowserContext,
    live_server: LiveServer,
    recording: Recording,
    browser_errors: list[str],
) -> None:
    come_in(context, live_server, recording.user)
    for address in ("", "importa/"):
        page.goto(f"/partite/registrate/{address}")
        assert list(faults(page, "it")) == []
    page.goto("/partite/registrate/")
    delete = page.locator(".replay-delete")
    expect(delete.locator("form")).to_be_hidden()
    delete.locator("summary").click()
    expect(delete.locator("form")).to_be_visible()
    assert list(faults(page, "it")) == []
    delete.locator("button").click()
    expect(page.locator(".replay-delete")).to_have_count(0)
    page.goto("/partite/registrate/importa/")
    page.locator("input[type=file]").set_input_files(FOLDER.parent / "our_games.py")
    button(page, "Bring it here").click()
    expect(page.locator(".invalid-feedback")).to_be_visible()
    expected(browser_errors, "status of 422")
    assert list(faults(page, "it")) == []
