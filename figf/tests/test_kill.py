"""kill -9 while mails are sent and dice thrown: nothing is lost, and nothing is decided twice.

A mail may arrive twice, with the same Message-ID: once for each process killed while it sent one.
"""

import contextlib
import itertools
import os
import random
import re
import signal
import sys
import time
from collections import Counter
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from datetime import timedelta
from pathlib import Path
from typing import Any

import environ
import pytest
from django.core.mail import EmailMessage
from django.db import connections, transaction
from django.utils import timezone
from pytest_django.plugin import DjangoDbBlocker

from figf import dice, mail, services
from figf.models import Clock, Draw, Email, LogEntry, User
from figf.tests.processes import (
    ROOT,
    RUN,
    Letterbox,
    Processes,
    postgresql,
    redis,
    wait_until,
)

on_linux = pytest.mark.skipif(sys.platform != "linux", reason="looks into /proc")
SEED = os.environ["FIGF_SEED"]
LEAST = 10  # draws
WORDS = 2  # of the people of each draw, how many say one
PEOPLE = 4  # with a log-in, and so with two mails a draw
KILLED = "killed"  # our name for the database of the processes


# --- what the killed processes do -----------------------------------------------------------------


def write() -> None:
    """What a web process does, here in one of its own: opens draws that are soon due.

    At least LEAST of them, and on until there is a file `enough`. It prints what is committed.
    """
    now = timezone.now()
    with transaction.atomic():
        users = list(User.objects.order_by("pk")) or [
            services.create_user(f"person{n}@example.org", None, f"Person {n}", now)
            for n in range(PEOPLE)
        ]
    while Draw.objects.count() < LEAST or not Path("enough").exists():
        now = timezone.now() - services.MIN_NOTICE
        closes_at = now + services.MIN_NOTICE + timedelta(seconds=1.5)
        with transaction.atomic():
            draw = services.open_draw("Who begins", [*users, "Nobody"], 5, closes_at, users[0], now)
            for user in users[:WORDS]:
                services.contribute(draw, user, f"word of {user.name}", now)
        print(draw.pk, flush=True)
        time.sleep(0.7)


# --- the killing ----------------------------------------------------------------------------------


@dataclass
class Scene:
    """Who writes, who works, who receives; and how many were killed that may have been sending."""

    processes: Processes
    letterbox: Letterbox
    lot: random.Random
    commands: Mapping[str, Sequence[str]]
    senders: int = 0
    kills: Counter[str] = field(default_factory=Counter)

    def start(self) -> None:
        """Start what does not run. What ended by itself too, as in production, but the writer.

        Celery ends when a child is killed before all of them have come up.
        """
        for name, command in self.commands.items():
            process = self.processes.running.get(name)
            if process is None or (process.poll() is not None and name != "writer"):
                self.processes.start(name, *command)

    def has_children(self, worker: str) -> bool:
        self.start()
        return bool(self.processes.children(worker))

    def kill(self, what: str) -> None:
        """kill -9 of everything, of one worker with its children, or of one child; then up again.

        With everything, the writer is killed one time in three.
        """
        workers = [name for name in self.commands if name.startswith("worker")]
        if what == "child":
            worker = self.lot.choice(workers)
            wait_until(lambda: self.has_children(worker))
            os.kill(self.lot.choice(self.processes.children(worker)), signal.SIGKILL)
            self.senders += 1
        else:
            spared = {"writer"} if self.lot.randrange(3) else set()
            victims = [self.lot.choice(workers)] if what == "worker" else {*self.commands} - spared
            self.senders += sum(len(self.processes.children(name)) for name in victims)
            self.senders += "scheduler" in victims
            self.processes.kill(*victims)
        self.kills[what] += 1
        self.start()

    def wait_for_a_moment(self) -> None:
        """Until those just started send mail, and at random a little more."""
        before = len(self.letterbox.received)

        def received() -> bool:
            self.start()
            return len(self.letterbox.received) > before

        wait_until(received)
        time.sleep(self.lot.uniform(0, 1))

    def come_to_an_end(self) -> None:
        """Let the writer finish, wait until nothing is left to do, ask all to end."""
        (self.processes.folder / "enough").touch()
        wait_until(lambda: self.processes.running["writer"].poll() is not None)
        emails, draws = Email.objects.using(KILLED), Draw.objects.using(KILLED)

        def nothing_left() -> bool:
            self.start()
            return not (
                draws.filter(revealed_at=None).exists()
                or emails.filter(sent_at=None, failed_at=None).exists()
            )

        wait_until(nothing_left)
        statuses = set(self.processes.end().values())
        assert statuses <= {0, -signal.SIGTERM}  # the latter of one that had hardly started
        assert self.processes.alive() == {}

    def hammer(self, lots: Sequence[str]) -> None:
        self.start()
        for what in lots:
            self.wait_for_a_moment()
            self.kill(what)
        self.come_to_an_end()

    def check(self) -> None:
        """Every mail sent and received, every draw revealed once; copies only for the killed."""
        committed = {int(word) for word in self.processes.words("writer").split() if word.isdigit()}
        draws = list(Draw.objects.using(KILLED).with_people())
        assert {draw.pk for draw in draws} >= committed
        assert len(draws) >= LEAST
        emails = {email.key: email for email in Email.objects.using(KILLED)}
        assert set(emails) == {
            f"draw:{draw.pk}:{occasion}:{position}"
            for draw in draws
            for occasion in ("open", "revealed")
            for position in range(1, PEOPLE + 1)
        }
        for draw in draws:
            self.check_draw(draw, emails)
        received = Counter(str(mail["Message-ID"]) for mail in self.letterbox.received)
        twice = received.total() - len(received)
        print(
            f"FIGF_SEED={SEED}: {dict(self.kills)} killed, {len(draws)} draws, {len(emails)} mails,"
            f" {sum(email.attempts for email in emails.values())} tries, {twice} mails received"
            f" again (at most {self.senders})"
        )
        assert set(received) == {email.message_id for email in emails.values()}
        for email in emails.values():
            assert (email.state, email.last_error) == ("sent", "")
            # Each try was written down before it was made.
            assert received[email.message_id] <= email.attempts <= Email.MAX_ATTEMPTS
        assert twice <= self.senders
        assert not Clock.objects.using(KILLED).exclude(running_since=None).exists()

    def check_draw(self, draw: Draw, emails: dict[str, Email]) -> None:
        assert dice.problems(draw.as_receipt()) == []
        log = list(LogEntry.objects.using(KILLED).about(draw).order_by("pk"))
        assert [entry.verb for entry in log] == [
            "open_draw",
            *["contribute"] * WORDS,
            "reveal_draw",
        ]
        assert log[-1].data == {"seed": draw.seed, "throws": draw.throws}
        for position in range(1, PEOPLE + 1):
            told = emails[f"draw:{draw.pk}:revealed:{position}"].body.split("\n\n")[1]
            assert re.findall(r"\d+", told) == [str(value) for value in draw.throws or ()]


WRITER = ("python", "-c", f"import django; django.setup(); import {__name__} as us; us.write()")


@pytest.fixture
def letterbox() -> Iterator[Letterbox]:
    with Letterbox(pause=0.01) as letterbox:
        yield letterbox


@pytest.fixture
def env(letterbox: Letterbox) -> dict[str, str]:
    return {
        "DJANGO_SETTINGS_MODULE": "figf.tests.settings_kill",
        "EMAIL_URL": letterbox.url,
        "SECRET_KEY": "k" * 50,
        "SITE_URL": "http://127.0.0.1",
    }


@pytest.fixture
def embedded(
    env: dict[str, str], tmp_path: Path, django_db_blocker: DjangoDbBlocker
) -> Iterator[Processes]:
    file = tmp_path / "figf.sqlite3"
    env["FIGF_TEST_SQLITE"] = str(file)
    database = {"ENGINE": "django.db.backends.sqlite3", "NAME": str(file)}
    with Processes(tmp_path, env) as processes, seen_from_here(database, django_db_blocker):
        processes.manage("migrate", "--noinput", "-v", "0")
        yield processes


@pytest.fixture
def production(
    env: dict[str, str], tmp_path: Path, django_db_blocker: DjangoDbBlocker
) -> Iterator[Processes]:
    with postgresql("figf_kill") as url:
        env |= {"DATABASE_URL": url, "REDIS_URL": redis(14)}
        database = environ.Env.db_url_config(url)
        with Processes(tmp_path, env) as processes, seen_from_here(database, django_db_blocker):
            processes.manage("migrate", "--noinput", "-v", "0")
            yield processes


@contextlib.contextmanager
def seen_from_here(database: dict[str, Any], blocker: DjangoDbBlocker) -> Iterator[None]:
    """For the length of a test, the processes' database is one of this process too."""
    complete = connections.configure_settings({"default": database})["default"]
    connections.settings[KILLED] = complete
    try:
        with blocker.unblock():
            yield
    finally:
        connections[KILLED].close()
        del connections[KILLED], connections.settings[KILLED]


def kills(few: int, many: int) -> pytest.MarkDecorator:
    return pytest.mark.parametrize("kills", [few, pytest.param(many, marks=pytest.mark.slow)])


@pytest.mark.processes
@on_linux
@kills(6, 25)
def test_the_scheduler_killed_at_any_moment_loses_nothing_and_decides_nothing_twice(
    kills: int, embedded: Processes, letterbox: Letterbox
) -> None:
    commands = {"writer": WRITER, "scheduler": ("python", str(ROOT / "manage.py"), "scheduler")}
    scene = Scene(embedded, letterbox, random.Random(f"{SEED} embedded"), commands)
    scene.hammer(["all"] * kills)
    scene.check()


@pytest.mark.processes
@on_linux
@kills(7, 30)
def test_celery_killed_whole_or_in_part_loses_nothing_and_decides_nothing_twice(
    kills: int, production: Processes, letterbox: Letterbox
) -> None:
    lot = random.Random(f"{SEED} production")
    real = RUN.production_commands("127.0.0.1", "0")
    commands = {"writer": WRITER, "beat": real["beat"]}
    commands |= {f"worker {n}": [*real["worker"], "-n", f"{n}@%h"] for n in (1, 2)}
    lots = list(itertools.islice(itertools.cycle(("all", "child", "worker")), kills))
    lot.shuffle(lots)
    scene = Scene(production, letterbox, lot, commands)
    scene.hammer(lots)
    scene.check()


@pytest.mark.processes
def test_there_is_one_scheduler_for_a_database_and_a_killed_one_is_not_in_the_way(
    embedded: Processes, letterbox: Letterbox
) -> None:
    embedded.start("scheduler", "python", str(ROOT / "manage.py"), "scheduler")
    lock = embedded.folder / "scheduler.lock"
    wait_until(lambda: Clock.objects.using(KILLED).exists())  # so it is past the lock
    assert lock.exists()
    told = embedded.manage("scheduler", "--once", status=1)
    assert "Another scheduler is running on this database." in told
    other = embedded.folder / "other"
    other.mkdir()
    embedded.env["FIGF_TEST_SQLITE"] = str(other / "figf.sqlite3")
    embedded.manage("migrate", "--noinput", "-v", "0")
    embedded.manage("scheduler", "--once")
    embedded.env["FIGF_TEST_SQLITE"] = str(embedded.folder / "figf.sqlite3")
    embedded.kill("scheduler")
    embedded.manage("scheduler", "--once")


# --- what no random moment shows for sure ---------------------------------------------------------


@pytest.fixture
def hurried(monkeypatch: pytest.MonkeyPatch) -> timedelta:
    monkeypatch.setattr(mail, "FIRST_RETRY", timedelta(seconds=0.4))
    return mail.FIRST_RETRY


def queue(*people: str) -> list[Email]:
    now = timezone.now()
    draw = Draw(pk=1, purpose="any", closes_at=now, count=1, throws=[1])
    made = [
        mail.enqueue(f"test:{p}", f"{p}@example.org", "draw_open", now, draw=draw) for p in people
    ]
    return [email for email in made if email]


@pytest.mark.both
@pytest.mark.django_db
def test_a_mail_in_the_hands_of_a_long_sweep_is_not_taken_by_the_next(
    hurried: timedelta, monkeypatch: pytest.MonkeyPatch
) -> None:
    """A sweep is up to 200 mails; the server may well take longer for them than a retry waits."""
    queue("first", "second")
    sent: list[str] = []

    def send(message: EmailMessage) -> None:
        sent.append(message.to[0])
        if len(sent) == 1:
            time.sleep(1.5 * hurried.total_seconds())
        if len(sent) == 2:
            mail.deliver_due(timezone.now())  # beat has struck, another worker begins

    monkeypatch.setattr(EmailMessage, "send", send)
    while Email.objects.filter(sent_at=None).exists():
        mail.deliver_due(timezone.now())
    assert sent == ["first@example.org", "second@example.org"]


@pytest.mark.both
@pytest.mark.django_db
def test_a_slow_try_that_fails_at_last_does_not_undo_another_that_succeeded(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    """EMAIL_TIMEOUT is for each step of a conversation: a try may outlast the first retry."""
    [email] = queue("reader")
    later = email.created_at + 2 * mail.FIRST_RETRY
    tries = []

    def send(message: EmailMessage) -> None:
        tries.append(message)
        if len(tries) == 1:
            assert mail.deliver(email.pk, later)  # another worker, while we still wait
            raise TimeoutError("timed out")

    monkeypatch.setattr(EmailMessage, "send", send)
    assert mail.deliver(email.pk, email.created_at)
    email.refresh_from_db()
    assert len(tries) == 2
    assert email.state == "sent"


@pytest.mark.both
@pytest.mark.django_db
def test_a_mail_that_kills_whoever_sends_it_turns_red_after_the_last_try(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    [email] = queue("reader")

    def die(message: EmailMessage) -> None:
        raise SystemExit

    monkeypatch.setattr(EmailMessage, "send", die)
    for day in range(Email.MAX_ATTEMPTS + 2):
        with contextlib.suppress(SystemExit):
            mail.deliver_due(email.created_at + timedelta(days=day))
    email.refresh_from_db()
    assert email.attempts == Email.MAX_ATTEMPTS
    assert email.state == "failed"
