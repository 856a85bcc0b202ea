"""A game's file dropped on the page in a real browser."""

from __future__ import annotations

import pytest
from django.urls import reverse
from playwright.sync_api import BrowserContext, Page, expect
from pytest_django.live_server_helper import LiveServer

from figf.tests.cast import make_cast, make_event, tables_of
from figf.tests.test_browser import come_in
from tournaments.tests.test_game_files import game

pytestmark = [pytest.mark.browser, pytest.mark.django_db(transaction=True)]

DROP = """text => {
  const carried = new DataTransfer();
  carried.items.add(new File([text], "partita.json", {type: "application/json"}));
  const how = {bubbles: true, cancelable: true, dataTransfer: carried};
  const over = new DragEvent("dragover", how);
  document.body.dispatchEvent(over);
  document.body.dispatchEvent(new DragEvent("drop", how));
  return over.defaultPrevented;
}"""


def test_a_file_dropped_anywhere_on_the_page_is_read(
    page: Page, context: BrowserContext, live_server: LiveServer
) -> None:
    """C-03: the worth of each player, a debt of 40 as nothing."""
    cast = make_cast()
    (table,) = tables_of(make_event(players=4))
    come_in(context, live_server, cast.alice, "en")
    page.goto(reverse("table_file", args=[table.pk]))
    assert page.evaluate(DROP, game().decode())
    expect(page.get_by_text("Bruno Binario: 7500").first).to_be_attached()
