"""The books in a real browser: a table sent, looked at and imported; forms that come back."""

from __future__ import annotations

import re
from datetime import date
from pathlib import Path

import pytest
from playwright.sync_api import Browser, BrowserContext, Page, expect
from pytest_django.live_server_helper import LiveServer

from figf.tests.cast import Cast, make_cast, make_draft, make_player
from figf.tests.test_browser import (
    another_visitor,
    button,
    come_in,
    expected,
    faults,
    field,
    say,
    tab_to,
    told,
)
from rankings.services import ranking_on
from tournaments.models import Player

pytestmark = [pytest.mark.browser, pytest.mark.django_db(transaction=True)]

TABLE = """Cognome;Nome;Circolo;E-mail;Tessera
D’Angelo;Nicolò;Dopolavoro Scambi;nic@example.org;7
BO;Ivo;;;
Pelegrino;Franco;;;
Di San Giuliano Montecuccoli degli Erri;Massimiliano Bartolomeo;;un.indirizzo.lungo@example.org;
"""
PAST = """Stagione;N.;Evento;Dal;Al;Cognome;Nome;Punti evento;Vittorie
2004;1;Trofeo della Lanterna;06/03/2004;07/03/2004;Rossi;Mario;75;
2004;1;Trofeo della Lanterna;06/03/2004;07/03/2004;Binario;Bruno;54;1
2004;1;;;;Èrcoli;Dino;39;
2005;1;Coppa dei Trulli;05/03/2005;06/03/2005;Rossi;Mario;75;
"""


@pytest.fixture
def cast() -> Cast:
    return make_cast()


@pytest.fixture
def secretary(page: Page, context: BrowserContext, live_server: LiveServer, cast: Cast) -> Page:
    come_in(context, live_server, cast.sara, "it")
    return page


def send(page: Page, path: Path, content: str) -> None:
    path.write_text(content, encoding="cp1252")
    page.goto("/giocatori/importa/")
    field(page, "CSV or XLSX file").set_input_files(path)
    button(page, "Look at it").click()


def test_a_table_is_sent_looked_at_and_imported(
    secretary: Page, tmp_path: Path, cast: Cast
) -> None:
    make_player("Bo", "Ivo")
    make_player("Pellegrino", "Franco")
    send(secretary, tmp_path / "soci.csv", TABLE)
    expect(secretary.get_by_role("rowheader", name="D’Angelo Nicolò")).to_be_visible()
    assert list(faults(secretary, "it")) == []
    box = secretary.get_by_role("checkbox", name="Pelegrino Franco")
    tab_to(box, most=60)
    secretary.keyboard.press("Space")
    expect(box).to_be_checked()
    tab_to(secretary.get_by_role("main").get_by_role("button"))
    secretary.keyboard.press("Enter")
    expect(secretary.get_by_role("status")).to_contain_text("3")
    assert Player.objects.filter(sort_key="bo ivo").count() == 1
    assert Player.objects.filter(sort_key="pelegrino franco").count() == 1


def test_rows_that_are_rejected_are_reached_from_above_and_leave_no_button(
    secretary: Page, tmp_path: Path
) -> None:
    send(secretary, tmp_path / "soci.csv", f"{TABLE};Ada;;;\nRe;=1+1;;no;\n")
    alert = secretary.locator(".alert-danger")
    expect(alert).to_be_visible()
    assert list(faults(secretary, "it")) == []
    alert.get_by_role("link", name="7", exact=True).click()
    expect(secretary.locator("#row-7")).to_be_in_viewport()
    expect(secretary.get_by_role("main").get_by_role("button")).to_have_count(0)


def test_a_file_that_is_no_table_comes_back_with_what_to_do(
    secretary: Page, tmp_path: Path, browser_errors: list[str]
) -> None:
    send(secretary, tmp_path / "foto.csv", "%PDF-1.7")
    expect(
        secretary.get_by_text(
            say("This is neither a CSV nor an XLSX: save the table in one of the two.")
        )
    ).to_be_visible()
    assert list(faults(secretary, "it")) == []
    expected(browser_errors, "status of 422")


def test_who_might_be_on_the_books_is_asked_about_without_scripts_too(
    browser: Browser, live_server: LiveServer, cast: Cast
) -> None:
    make_player("Pellegrino", "Franco")
    with another_visitor(browser, live_server, java_script_enabled=False) as context:
        come_in(context, live_server, cast.sara, "it")
        page = context.new_page()
        page.goto("/giocatori/")
        page.locator("#id_surname").fill("Pelegrino")
        page.get_by_role("textbox", name=say("First name"), exact=True).fill("Franco")
        button(page, "Add").click()
        expect(page.get_by_role("link", name="Pellegrino Franco").last).to_be_in_viewport()
        page.get_by_role("checkbox", name=say("This is another person")).check()
        button(page, "Add").click()
        expect(told(page, "%(player)s is on the books.", player="Pelegrino Franco")).to_be_visible()


def test_the_page_of_a_player_that_comes_back_is_accessible(
    secretary: Page, browser_errors: list[str], cast: Cast
) -> None:
    make_draft()  # which she directs
    secretary.goto(f"/giocatori/{cast.director.pk}/modifica/")
    secretary.locator("form.in-row input[type=date]").fill("2021-01-01")
    secretary.locator("form.in-row button").click()
    expect(secretary.locator(".alert-danger")).to_be_in_viewport()
    assert secretary.locator("form.in-row input[type=date]").input_value() == "2021-01-01"
    assert list(faults(secretary, "it")) == []
    secretary.goto(f"/giocatori/{cast.director.pk}/modifica/")
    Player.objects.filter(pk=cast.director.pk).update(town="Loro")
    field(secretary, "Town").fill("Mia")
    button(secretary, "Save").click()
    expect(secretary.locator(".refusal")).to_contain_text("Loro")
    expect(field(secretary, "Town")).to_have_value("Mia")
    assert list(faults(secretary, "it")) == []
    expected(browser_errors, "status of 422")


def test_past_seasons_are_sent_chosen_and_imported_by_the_keyboard(
    secretary: Page, tmp_path: Path, cast: Cast
) -> None:
    """H-09."""
    make_player("Rossi", "Mario")
    other = make_player("Rossi", "Mario")
    path = tmp_path / "storia.csv"
    path.write_text(PAST, encoding="cp1252")
    secretary.goto("/stagioni/importa/")
    assert list(faults(secretary, "it")) == []
    field(secretary, "CSV or XLSX file").set_input_files(path)
    button(secretary, "Look at it").click()
    first, second = secretary.get_by_role("combobox", name="Rossi Mario").all()
    assert list(faults(secretary, "it")) == []
    tab_to(first, most=60)
    first.select_option(str(other.pk))
    expect(second).to_have_value("")  # as the first
    box = secretary.locator("#create-missing")
    tab_to(box, most=60)
    secretary.keyboard.press("Space")
    tab_to(secretary.locator("form:has(#create-missing)").get_by_role("button"))
    secretary.keyboard.press("Enter")
    expect(secretary.get_by_role("status")).to_contain_text("2")
    points = {str(row.player): row.points for row in ranking_on(date(2005, 12, 31)).rows}
    assert points == {"Rossi Mario": 75 + 75, "Binario Bruno": 54 + 10, "Èrcoli Dino": 39}
    assert other.event_places.count() == 2


def test_a_history_that_cannot_be_taken_comes_back_with_its_faults(
    secretary: Page, cast: Cast
) -> None:
    secretary.goto("/stagioni/importa/")
    wrong = PAST.replace("07/03/2004", "08/03/2004", 1).replace(";39;", ";-39;")
    field(secretary, "Or the lines themselves").fill(f"{wrong};;;;;Nessuno;Ugo;1;\n")
    button(secretary, "Look at it").click()
    alert = secretary.locator(".alert-danger")
    expect(alert).to_be_visible()
    assert list(faults(secretary, "it")) == []
    alert.get_by_role("link", name="4", exact=False).first.click()
    expect(secretary.locator("#row-4")).to_be_in_viewport()
    expect(secretary.locator("textarea")).to_have_value(re.compile("-39"))
