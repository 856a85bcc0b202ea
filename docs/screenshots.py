"""Take the pictures of the guide again: `.venv-test/bin/python docs/screenshots.py`.

The demo federation is built in a copy of this folder, and thrown away with it; nothing here is
touched but `docs/images`. It needs what the browser tests need (`./test` installs it).
"""

from __future__ import annotations

import os
import shutil
import socket
import subprocess
import sys
import tempfile
import time
import urllib.request
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from pathlib import Path

from playwright.sync_api import Browser, Page, sync_playwright

ROOT = Path(__file__).resolve().parents[1]
LEFT_OUT = shutil.ignore_patterns(".*", "var", "__pycache__", "node_modules")
CHROMIUM = Path("/usr/bin/chromium")
WIDTH, HEIGHT = 1000, 720

# The event under way goes on: its last table reports, and the second prova is drafted.
NEXT_ROUND = """
from django.utils import timezone
from rankings.services import ranking_before
from tournaments import services
from tournaments.models import Event, Table
event = Event.objects.get(status="running", kind="live")
director, now = event.director.user, timezone.now()
for table in Table.objects.filter(round__prova__event=event, status="playing"):
    counted = {seat.pk: {"cash": 900 + 70 * place, "stocks": 5200 - 410 * place}
               for place, seat in enumerate(table.seats.all())}
    services.record_table(table.pk, counted, 0, director, now)
ranking = ranking_before(event.starts_on)
services.draw_round(event.prove.get(order=2), 1, ranking.points, ranking.as_of, director, now)
"""


def main() -> None:
    with tempfile.TemporaryDirectory() as folder, serving(Path(folder) / "figf") as site:
        address, manage, passwords = site
        with sync_playwright() as playwright:
            path = str(CHROMIUM) if CHROMIUM.exists() else None
            browser = playwright.chromium.launch(executable_path=path, args=["--no-sandbox"])
            for language in ("it", "en"):
                page = enter(browser, address, language, "alice@example.org", passwords)
                before_the_end(page, address, language)
                page = enter(browser, address, language, "bruno@example.org", passwords)
                replayed(page, address, language)
            manage("shell", "-c", NEXT_ROUND)
            for language in ("it", "en"):
                page = enter(browser, address, language, "alice@example.org", passwords)
                drafted(page, address, language)
            browser.close()


@contextmanager
def serving(
    copy: Path,
) -> Iterator[tuple[str, Callable[..., str], dict[str, str]]]:
    """The demo federation on a port of its own: its address, its commands, its passwords."""
    shutil.copytree(ROOT, copy, ignore=LEFT_OUT)
    (copy / "var").mkdir()
    with socket.socket() as free:
        free.bind(("127.0.0.1", 0))
        port = free.getsockname()[1]
    address = f"http://127.0.0.1:{port}"
    settings = {"SECRET_KEY": "pictures", "SITE_URL": address, "DEBUG": "True"}
    environment = {**os.environ, **settings}

    def manage(*words: str) -> str:
        command = [sys.executable, "manage.py", *words]
        done = subprocess.run(
            command, cwd=copy, env=environment, check=True, capture_output=True, text=True
        )
        return done.stdout

    manage("migrate")
    lines = [line.split() for line in manage("demo").splitlines()]
    passwords = {line[0]: line[1] for line in lines if line and "@" in line[0]}
    command = [sys.executable, "manage.py", "runserver", "--noreload", str(port)]
    server = subprocess.Popen(
        command, cwd=copy, env=environment, stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL
    )
    try:
        for _attempt in range(100):
            try:
                urllib.request.urlopen(f"{address}/health/")  # noqa: S310 - our own server
                break
            except OSError:
                time.sleep(0.2)
        yield address, manage, passwords
    finally:
        server.terminate()
        server.wait()


def enter(
    browser: Browser, address: str, language: str, email: str, passwords: dict[str, str]
) -> Page:
    """A page of somebody who has logged in, in his language, by day."""
    context = browser.new_context(
        viewport={"width": WIDTH, "height": HEIGHT}, color_scheme="light", reduced_motion="reduce"
    )
    context.add_cookies([{"name": "django_language", "value": language, "url": address}])
    page = context.new_page()
    page.goto(f"{address}/accesso/")
    page.fill("input[name=username]", email)
    page.fill("input[name=password]", passwords[email])
    page.press("input[name=password]", "Enter")
    page.wait_for_url(f"{address}/**")
    page.click(f"button[name=language][value={language}]")
    return page


def take(
    page: Page,
    name: str,
    language: str,
    height: int = HEIGHT,
    width: int = WIDTH,
    top: str = "body",
) -> None:
    page.evaluate("document.fonts.ready")
    page.evaluate("document.activeElement && document.activeElement.blur()")
    page.set_viewport_size({"width": width, "height": height})
    page.evaluate("top => document.querySelector(top).scrollIntoView()", top)
    page.wait_for_timeout(300)
    path = ROOT / "docs/images" / f"{name}.{language}.png"
    page.screenshot(path=path, animations="disabled")
    sys.stdout.write(f"{path.name}: {path.stat().st_size // 1024} KB\n")


def open_first(page: Page, address: str, link: str) -> None:
    page.goto(f"{address}{page.locator(link).first.get_attribute('href')}")


def before_the_end(page: Page, address: str, language: str) -> None:
    """The event under way with a table still playing, and what everybody reads."""
    page.goto(f"{address}/eventi/")
    event = page.locator("a[href^='/eventi/']", has_text="Festa del Binario Morto").first
    event_address = event.get_attribute("href")
    page.goto(f"{address}{event_address}")
    take(page, "event", language)
    page.goto(f"{address}{event_address}appello/")
    take(page, "roll-call", language)
    page.goto(f"{address}{event_address}in-gioco/")
    open_first(page, address, "a[href$='/risultato/']")
    for place, (cash, stocks) in enumerate([(1450, 4830), (905, 5110), (1210, 3990), (640, 3820)]):
        page.locator("input[name^=cash-]").nth(place).fill(str(cash))
        page.locator("input[name^=stocks-]").nth(place).fill(str(stocks))
    page.wait_for_timeout(1000)
    page.evaluate("scrollTo(0, 0)")
    take(page, "result", language)
    page.goto(f"{address}{event_address}classifica/")
    take(page, "standing", language)
    page.goto(f"{address}/classifiche/")
    page.wait_for_load_state()
    take(page, "season", language)
    page.goto(f"{address}/ranking/")
    open_first(page, address, "main a[href^='/giocatori/']")
    take(page, "card", language, 900)


def replayed(page: Page, address: str, language: str) -> None:
    """The best possible run of a corporation in the recorded game."""
    page.goto(f"{address}/partite/registrate/")
    open_first(page, address, "main table a[href^='/partite/registrate/']")
    page.goto(f"{page.url}?n=1452&mostra=giro")
    page.wait_for_load_state()
    take(page, "replay", language, 660, 720, top=".replay-line")


def drafted(page: Page, address: str, language: str) -> None:
    """The draft of the second prova."""
    page.goto(f"{address}/eventi/")
    page.locator("a[href^='/eventi/']", has_text="Festa del Binario Morto").first.click()
    page.locator("a[href^='/prove/']").first.click()
    page.wait_for_load_state()
    take(page, "draft", language, 640)


if __name__ == "__main__":
    main()
