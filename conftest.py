"""What every test may ask for: the slow tests' turns, a browser, a Redis, real games."""

import hashlib
import math
import os
import shutil
from collections.abc import Iterator
from datetime import UTC, datetime
from pathlib import Path
from typing import TYPE_CHECKING

import pytest

if TYPE_CHECKING:
    from playwright.sync_api import Browser, BrowserContext, ConsoleMessage, Page, WebError
    from pytest_django.live_server_helper import LiveServer

ROOT = Path(__file__).resolve().parent
GROUPS = ("browser", "processes")  # each in one worker: they would only slow each other down
SLOW_TURN = 5  # CI runs one in five of the slow tests, others at each seed
BROWSERS = ("chromium", "chromium-browser", "google-chrome")
# Without these Chromium calls home as it starts; /dev/shm is small in containers.
QUIET = [
    *("--disable-dev-shm-usage", "--disable-gpu", "--disable-quic", "--no-first-run"),
    *("--disable-background-networking", "--disable-component-update", "--disable-sync"),
]

# Playwright's loop runs in this thread; Django takes it for asynchronous code.
os.environ["DJANGO_ALLOW_ASYNC_UNSAFE"] = "true"


# --- which tests run ------------------------------------------------------------------------------


def pytest_addoption(parser: pytest.Parser) -> None:
    parser.addoption("--slow", action="store_true", help="run the slow tests too")


def pytest_configure(config: pytest.Config) -> None:
    os.environ.setdefault("FIGF_SEED", datetime.now(UTC).date().isoformat())  # workers inherit it
    take_own_redis()


def pytest_report_header(config: pytest.Config) -> str:
    if config.getoption("slow"):
        return "slow tests: all (--slow)"
    if os.environ.get("CI"):
        return f"slow tests: one in {SLOW_TURN}, FIGF_SEED={os.environ['FIGF_SEED']}"
    return "slow tests: none (--slow runs them)"


def pytest_ignore_collect(collection_path: Path) -> bool | None:
    """Doctests come from the pure code only; other modules are imported by whoever needs them."""
    if collection_path.suffix != ".py" or collection_path.name.startswith("test_"):
        return None
    path = collection_path.relative_to(ROOT)
    pure = {"rules", "engine", "board"} & set(path.parts) or path == Path("figf/dice.py")
    return None if pure and "tests" not in path.parts else True


@pytest.hookimpl(tryfirst=True)  # before xdist looks for the groups
def pytest_collection_modifyitems(config: pytest.Config, items: list[pytest.Item]) -> None:
    for item in items:
        for group in GROUPS:
            if item.get_closest_marker(group):
                item.add_marker(pytest.mark.xdist_group(group))
    if config.getoption("slow"):
        return
    slow = [item for item in items if item.get_closest_marker("slow")]
    skipped = set(slow) - (their_turn(slow) if os.environ.get("CI") else set())
    for item in skipped:
        item.add_marker(pytest.mark.skip(reason="slow: ./test --slow runs it"))


def their_turn(slow: list[pytest.Item]) -> set[pytest.Item]:
    """The part of the slow tests that this seed chooses, the same in every worker."""

    def lot(item: pytest.Item) -> bytes:
        name = item.nodeid.partition("@")[0]
        return hashlib.sha256(f"{os.environ['FIGF_SEED']}:{name}".encode()).digest()

    return set(sorted(slow, key=lot)[: math.ceil(len(slow) / SLOW_TURN)])


def take_own_redis() -> None:
    """Give each xdist worker a Redis database of its own."""
    url = os.environ.get("REDIS_URL")
    worker = os.environ.get("PYTEST_XDIST_WORKER", "gw-1").removeprefix("gw")
    if not url:
        return
    from django.conf import settings

    from figf.celery import app

    own = f"{url.rpartition('/')[0]}/{int(worker) + 1}"
    os.environ["REDIS_URL"] = settings.REDIS_URL = settings.CELERY_BROKER_URL = own
    app.conf.broker_url = own


@pytest.fixture(scope="session")
def django_db_modify_db_settings(
    django_db_modify_db_settings_parallel_suffix: None,
    tmp_path_factory: pytest.TempPathFactory,
) -> None:
    """On SQLite, test in a file, as in life: in memory a locked table is not waited for."""
    from django.db import connection

    if connection.vendor == "sqlite":
        name = str(tmp_path_factory.mktemp("database") / "figf.sqlite3")
        connection.settings_dict["TEST"]["NAME"] = name


@pytest.fixture(autouse=True)
def nobody_s_language() -> None:
    """A request leaves its language behind in the thread: each test begins with the site's own."""
    from django.utils import translation

    translation.deactivate()


@pytest.fixture(scope="session")
def cases() -> Path:
    """The folder of real games and results, which are not ours to publish."""
    folder = os.environ.get("FIGF_CASES")
    if not folder:
        pytest.skip("FIGF_CASES does not say where the real games are")
    return Path(folder)


# --- the browser ----------------------------------------------------------------------------------


@pytest.fixture(scope="session")
def browser() -> Iterator["Browser"]:
    from django.db import connections
    from playwright.sync_api import expect, sync_playwright

    expect.set_options(timeout=10_000)  # as the visitors': a loaded machine is no fault
    program = next(filter(None, map(shutil.which, BROWSERS)), None)
    if program is None:
        pytest.fail("no Chromium here: ./test says how to install it")
    with sync_playwright() as playwright:
        chromium = playwright.chromium.launch(executable_path=program, args=QUIET)
        yield chromium
        chromium.close()
        # While Playwright's loop runs, Django keeps the connections of this thread apart, and would
        # not find them afterwards: they would hold the database that is to be dropped.
        connections.close_all()


@pytest.fixture
def browser_errors() -> list[str]:
    """What the browser complained of. A test that expects some takes them out of the list."""
    return []


@pytest.fixture
def context(
    browser: "Browser", live_server: "LiveServer", browser_errors: list[str]
) -> Iterator["BrowserContext"]:
    """A visitor who comes for the first time; any error in the browser's console fails the test."""

    def on_console(message: "ConsoleMessage") -> None:
        if message.type == "error":
            browser_errors.append(f"{message.text} ({message.location['url']})")

    def on_error(error: "WebError") -> None:
        browser_errors.append(str(error.error))

    visitor = browser.new_context(
        base_url=live_server.url,
        locale="it-IT",
        timezone_id="Europe/Rome",
        viewport={"width": 1100, "height": 800},
    )
    visitor.set_default_timeout(10_000)
    visitor.on("console", on_console)
    visitor.on("weberror", on_error)
    yield visitor
    visitor.close()
    assert browser_errors == []


@pytest.fixture
def page(context: "BrowserContext") -> "Page":
    return context.new_page()
