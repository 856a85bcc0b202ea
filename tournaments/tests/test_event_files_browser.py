"""The event taken to a hall in a real browser: downloaded here, chosen and read in there."""

from __future__ import annotations

from pathlib import Path

import pytest
from django.apps import apps
from django.db import transaction
from django.urls import reverse
from django.utils import timezone
from playwright.sync_api import BrowserContext, Page, expect
from pytest_django.live_server_helper import LiveServer

from figf.models import User
from figf.tests.cast import DAY, make_cast, make_hall, make_past, make_user
from figf.tests.test_browser import come_in, expected, faults, say
from tournaments import services
from tournaments.models import Event, Player

pytestmark = [pytest.mark.browser, pytest.mark.django_db(transaction=True)]


def emptied() -> User:
    """Another installation in the place of this one: empty, but for its secretary."""
    with transaction.atomic():
        for model in apps.get_models():
            if model._meta.app_label in {"figf", "tournaments", "rankings", "sessions"}:
                model._base_manager.all()._raw_delete("default")
    return make_user("sala", "Segreteria di Sala", timezone.now(), secretary=True)


@pytest.mark.parametrize("language", ["it", "en"])
def test_an_event_goes_to_the_hall_by_the_pages(
    page: Page,
    context: BrowserContext,
    live_server: LiveServer,
    browser_errors: list[str],
    tmp_path: Path,
    language: str,
) -> None:
    now = timezone.now()
    event = make_hall(5, here=False, now=now)
    make_past({Player.objects.get(surname="Passeggero 03"): 75}, now.date() - 30 * DAY, now=now)
    come_in(context, live_server, make_cast(now).alice, language)
    page.goto(event.get_absolute_url())
    page.get_by_role("link", name=say("Take the event to a hall", language)).click()
    with page.expect_download() as download:
        page.get_by_role("button", name=say("Download the file", language)).click()
    file = tmp_path / download.value.suggested_filename
    download.value.save_as(file)
    page.reload()
    expect(page.get_by_text(say("In a hall", language), exact=True)).to_be_visible()
    assert list(faults(page, language)) == []

    secretary = emptied()
    services.register_player("Passeggero 02", "", secretary, now)
    come_in(context, live_server, secretary, language)
    page.goto(reverse("event_import"))
    broken = tmp_path / "rotto.json"
    broken.write_bytes(file.read_bytes()[:-40])
    page.locator("[name=file]").set_input_files(broken)
    page.get_by_role("button", name=say("Look at it", language)).click()
    expect(page.locator(".invalid-feedback")).to_be_visible()
    assert list(faults(page, language)) == []
    page.locator("[name=file]").set_input_files(file)
    page.get_by_role("button", name=say("Look at it", language)).click()
    expect(page.get_by_label("Passeggero 02")).to_be_visible()
    assert list(faults(page, language)) == []
    for box in page.locator("select[name^=player-]").all():
        box.select_option(str(services.SOMEBODY_NEW))
    page.locator("main form .btn-primary").click()
    expect(page.locator("h1")).to_have_text(event.name)
    assert Event.objects.get(key=event.key).entries.count() == 5

    there = Event.objects.get(key=event.key)
    page.goto(reverse("event_file", args=[there.pk]))
    assert list(faults(page, language)) == []
    called = there.entries.values_list("pk", flat=True)
    services.call(there, dict.fromkeys(called, True), secretary, now)
    with page.expect_download() as download:
        page.get_by_role("button", name=say("Download the file", language)).click()
    download.value.save_as(file)
    there.files.all().delete()  # as at home, where another roll call was written meanwhile
    services.call(there, dict.fromkeys(called, False), secretary, now)
    page.goto(reverse("event_import"))
    page.locator("[name=file]").set_input_files(file)
    page.get_by_role("button", name=say("Look at it", language)).click()
    expect(page.locator("[name=counts]")).to_be_visible()
    assert list(faults(page, language)) == []
    page.locator("[name=counts]").check()
    page.locator("main form .btn-primary").click()
    expect(page.locator(".invalid-feedback")).to_be_visible()
    assert list(faults(page, language)) == []
    page.locator("[name=reason]").fill("Conta l'appello della sala")
    page.locator("main form .btn-primary").click()
    expect(page.locator("h1")).to_have_text(event.name)
    assert there.entries.filter(present=True).count() == 5
    expected(browser_errors, "status of 422")
