"""The production shape as compose.yaml starts it: a result is confirmed and its mail arrives."""

import contextlib
import html
import http.cookiejar
import re
import sys
import time
import urllib.error
import urllib.request
from collections.abc import Iterator
from dataclasses import dataclass
from email.message import EmailMessage, Message
from pathlib import Path
from urllib.parse import urlencode

import pytest

from figf.tests.processes import (
    PATIENCE,
    RUN,
    Letterbox,
    Processes,
    free_port,
    postgresql,
    redis,
    wait_until,
)

pytestmark = [
    pytest.mark.processes,
    pytest.mark.skipif(sys.platform != "linux", reason="looks into /proc"),
]

# Cash and shares of each seat, then place, total, base, bonus and percentile: by hand, from C-01.
COUNTED = {
    "Binario Bruno": (1400, 6100),
    "Direttissima Alice": (1150, 6050),
    "Deviatoio Dino": (900, 4100),
    "Carrozza Carla": (0, 0),
}
STANDING = [
    ["1", "Binario Bruno", "7500", "1000", "+540", "1540"],  # 500 + (1000 - 960)
    ["2", "Direttissima Alice", "7200", "960", "", "960"],  # 7200 / 7.5
    ["3", "Deviatoio Dino", "5000", "666.67", "", "666.67"],  # 5000 / 7.5 = 666.666…
    ["4", "Carrozza Carla", "0", "0", "", "0"],
]


class Visitor:
    """A browser with its cookies, that reads English."""

    def __init__(self, site: str) -> None:
        self.site = site
        self.opener = urllib.request.build_opener(
            urllib.request.ProxyHandler({}),
            urllib.request.HTTPCookieProcessor(http.cookiejar.CookieJar()),
        )
        self.opener.addheaders = [("Accept-Language", "en")]

    def ask(
        self, path: str, fields: dict[str, object] | None = None, **headers: str
    ) -> tuple[int, Message, str]:
        """Status, headers and text of the page at which one arrives."""
        data = None if fields is None else urlencode(fields).encode()
        request = urllib.request.Request(self.site + path, data, headers)
        try:
            response = self.opener.open(request, timeout=PATIENCE)
        except urllib.error.HTTPError as refused:
            response = refused
        with response:
            return response.status, response.headers, response.read().decode()

    def get(self, path: str) -> str:
        status, _, page = self.ask(path)
        assert status == 200, page
        return page

    def send(self, page: str, path: str, **fields: object) -> str:
        """Fill in the form on `page` that goes to `path`."""
        token = re.search(r'name="csrfmiddlewaretoken" value="(\w+)"', page)
        assert token
        status, _, answer = self.ask(path, {"csrfmiddlewaretoken": token[1], **fields})
        assert status == 200, answer
        return answer


@dataclass
class Site:
    url: str
    processes: Processes
    letterbox: Letterbox
    passwords: dict[str, str]

    def mails(self, about: str) -> list[EmailMessage]:
        return [mail for mail in self.letterbox.received if about in mail.get_content()]


@pytest.fixture(scope="module")
def site(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Site]:
    """The demo federation, served by the commands of compose.yaml."""
    port = free_port()
    url = f"http://127.0.0.1:{port}"
    with postgresql("figf_production") as database, Letterbox() as letterbox:
        env = {
            "DATABASE_URL": database,
            "REDIS_URL": redis(13),
            "EMAIL_URL": letterbox.url,
            "SECRET_KEY": "k" * 50,
            "ALLOWED_HOSTS": "127.0.0.1",
            "SITE_URL": url,
        }
        with Processes(tmp_path_factory.mktemp("production"), env) as processes:
            processes.manage("migrate", "--noinput", "-v", "0")
            told = processes.manage("demo")
            passwords = dict(re.findall(r"^  (\S+@example\.org) +(\S+)", told, re.MULTILINE))
            for name, command in RUN.production_commands("127.0.0.1", str(port)).items():
                processes.start(name, *command)
            wait_until(lambda: RUN.answers("127.0.0.1", str(port), env))
            yield Site(url, processes, letterbox, passwords)


def test_a_confirmed_result_is_public_at_once_and_its_mail_arrives_within_a_minute(
    site: Site,
) -> None:
    alice = Visitor(site.url)
    login = "/accesso/"
    page = alice.send(
        *(alice.get(login), login),
        username="alice@example.org",
        password=site.passwords["alice@example.org"],
        next="/",
    )
    alice.send(page, "/lingua/", language="en", next="/")  # her mails too, from now on

    waiting = re.findall(r'href="(/tavoli/\d+/)risultato/"', alice.get("/"))
    assert len(waiting) == 1
    table = waiting[0]
    sheet = alice.get(table + "risultato/")
    seats = {name: seat for seat, name in re.findall(r'id="seat-(\d+)">([^<]+?)\s*<', sheet)}
    figures: dict[str, object] = {}
    for name, (cash, stocks) in COUNTED.items():
        figures |= {f"cash-{seats[name]}": cash, f"stocks-{seats[name]}": stocks}
    alice.send(sheet, table + "risultato/", version=0, **figures)
    confirmed_at = time.monotonic()

    assert standing(Visitor(site.url).get(table)) == STANDING
    wait_until(lambda: len(site.mails(table)) == len(COUNTED), 60)
    print(f"the mails arrived after {time.monotonic() - confirmed_at:.0f} s")
    assert {mail["To"] for mail in site.mails(table)} == {
        f"{name}@example.org" for name in ("alice", "bruno", "carla", "dino")
    }
    [hers] = [mail for mail in site.mails(table) if mail["To"] == "alice@example.org"]
    assert re.fullmatch(r"Festa del Binario Morto.*, table 3: place 2", hers["Subject"])
    assert re.fullmatch(r"<result\.\d+\.1\.\d+@127\.0\.0\.1>", hers["Message-ID"])
    assert "2  Direttissima Alice  7200  960\n3  Deviatoio Dino  5000  666.67" in hers.get_content()
    known = [mail["Message-ID"] for mail in site.letterbox.received]
    assert len(known) == len(set(known))  # those of the demo's past included


def test_the_mail_of_a_draw_gives_its_throws_in_plain_figures(site: Site) -> None:
    """That of the demo which is revealed: five dice, to each of the five."""
    wait_until(lambda: len(site.mails("/dadi/1/")) == 10, 60)
    told = [
        re.findall(r"^[1-6] [1-6] [1-6] [1-6] [1-6]$", mail.get_content(), re.MULTILINE)
        for mail in site.mails("/dadi/1/")
    ]
    assert sorted(map(len, told)) == [0] * 5 + [1] * 5


def standing(page: str) -> list[list[str]]:
    """The rows of a table's public page, without the boxes that say why."""
    rows = re.findall(r"<tr[^>]*>\s*(<td class=\"place\">.*?)</tr>", page, re.DOTALL)
    cells = r"<(?:td|summary|strong)(?: [^>]*)?>(?:<strong>)?([^<]*)<"
    return [[html.unescape(cell).strip() for cell in re.findall(cells, row)] for row in rows]


def test_pages_carry_a_policy_that_lets_nothing_foreign_in(site: Site) -> None:
    status, headers, _ = Visitor(site.url).ask("/")
    assert status == 200
    policy = dict(
        part.strip().split(" ", 1) for part in headers["Content-Security-Policy"].split(";")
    )
    assert policy["default-src"] == "'none'"
    assert policy["script-src"] == policy["style-src"] == "'self'"
    assert policy["frame-ancestors"] == "'none'"
    assert headers["X-Frame-Options"] == "DENY"
    assert headers["X-Content-Type-Options"] == "nosniff"
    assert headers["Referrer-Policy"] == "same-origin"


def test_every_file_that_the_first_page_names_is_served(site: Site) -> None:
    visitor = Visitor(site.url)
    named = re.findall(r'(?:src|href)="(/static/[^"]+)"', visitor.get("/"))
    assert len(named) >= 5
    types = {".css": "text/css", ".js": "text/javascript", ".svg": "image/svg+xml"}
    for path in named:
        status, headers, text = visitor.ask(path)
        assert (status, headers.get_content_type()) == (200, types[Path(path).suffix]), path
        assert headers["X-Content-Type-Options"] == "nosniff"
        assert "max-age=600" in headers["Cache-Control"]
        assert text


def test_the_supervisor_is_answered(site: Site) -> None:
    status, headers, text = Visitor(site.url).ask("/health/")
    assert (status, text) == (200, "ok\n")
    assert "no-store" in headers["Cache-Control"]


def test_a_stranger_learns_nothing_of_the_inside(site: Site) -> None:
    visitor = Visitor(site.url)
    status, _, page = visitor.ask("/nowhere/")
    assert status == 404
    assert "URLconf" not in page
    assert visitor.ask("/", Host="elsewhere.example.org")[0] == 400
    assert visitor.ask("/accesso/", {"username": "alice@example.org", "password": "?"})[0] == 403


def test_asked_to_end_all_end_within_seconds_and_leave_nothing(site: Site) -> None:
    """The last of those that use the site."""
    assert len(site.processes.alive()) >= 8  # gunicorn and 3, the worker and 2, beat
    before = time.monotonic()
    assert site.processes.end() == {"web": 0, "worker": 0, "beat": 0}
    took = time.monotonic() - before
    print(f"all ended after {took:.1f} s")
    assert took < 20
    assert site.processes.alive() == {}
    assert "Internal Server Error" not in site.processes.words("web")
    for name in ("worker", "beat"):
        assert "Traceback" not in site.processes.words(name)


@pytest.mark.parametrize(
    ("absent", "sentence"),
    [
        ("REDIS_URL", "DATABASE_URL is set and REDIS_URL is not."),
        ("SECRET_KEY", "SECRET_KEY is not set."),
        ("SITE_URL", "SITE_URL is not set."),
        ("EMAIL_URL", "EMAIL_URL is not set."),
    ],
)
def test_without_a_variable_none_of_them_starts_and_each_says_which(
    absent: str, sentence: str, tmp_path: Path
) -> None:
    port = str(free_port())
    env = {
        "DATABASE_URL": "postgresql://figf@127.0.0.1/figf",
        "REDIS_URL": "redis://127.0.0.1/0",
        "EMAIL_URL": "memorymail://",
        "SECRET_KEY": "k" * 50,
        "SITE_URL": f"http://127.0.0.1:{port}",
    }
    del env[absent]
    with Processes(tmp_path, env) as processes:
        for name, command in RUN.production_commands("127.0.0.1", port).items():
            processes.start(name, *command)
        for name, process in processes.running.items():
            assert process.wait(PATIENCE) != 0
            assert sentence in processes.words(name)
        with contextlib.suppress(AssertionError):
            wait_until(lambda: not processes.alive(), 5)
        assert processes.alive() == {}
