"""`./run`: what it starts, what it says, and that it leaves nothing behind; and its scheduler."""

import contextlib
import http.client
import os
import shutil
import signal
import socket
import subprocess
import sys
import time
from collections.abc import Callable, Iterator
from datetime import timedelta
from importlib.machinery import SourceFileLoader
from importlib.util import module_from_spec, spec_from_loader
from pathlib import Path
from typing import Any
from urllib.parse import urlsplit

import pytest
from celery import shared_task
from django.core.management import CommandError, call_command
from django.db import connection
from django.utils import timezone

from figf.management.commands import scheduler
from figf.models import Clock

ROOT = Path(__file__).resolve().parents[2]
NOT_COPIED = (".git", "var", ".venv*", "__pycache__", ".*_cache", ".hypothesis", ".env")
SEVEN = ("DATABASE_URL", "REDIS_URL", "EMAIL_URL", "SECRET_KEY", "ALLOWED_HOSTS", "DEBUG")
PATIENCE = 90  # seconds, on a busy machine
in_one_worker = pytest.mark.processes
on_linux = pytest.mark.skipif(sys.platform != "linux", reason="looks into /proc")


def load_boot() -> Any:
    """boot.py as `run` and `test` load it: by its path."""
    loader = SourceFileLoader("boot", str(ROOT / "figf" / "boot.py"))
    spec = spec_from_loader("boot", loader)
    assert spec
    module = module_from_spec(spec)
    loader.exec_module(module)
    return module


BOOT = load_boot()


def wait_until(true: Callable[[], bool], patience: float = PATIENCE) -> None:
    until = time.monotonic() + patience
    while not true():
        assert time.monotonic() < until, "it did not happen in time"
        time.sleep(0.1)


def free_port() -> int:
    with socket.socket() as probe:
        probe.bind(("127.0.0.1", 0))
        return int(probe.getsockname()[1])


class Folder:
    """A copy of this tree, as a newcomer has it, but for the environment already made."""

    def __init__(self, path: Path) -> None:
        self.path = path
        self.port = free_port()
        self.said = path.with_suffix(".log")
        self.env = {
            name: value
            for name, value in os.environ.items()
            if name not in {*SEVEN, "SITE_URL", "DJANGO_SETTINGS_MODULE", "HOST"}
        }
        self.env["PORT"] = str(self.port)

    def start(self, *arguments: str, **env: str) -> subprocess.Popen[bytes]:
        with self.said.open("wb") as log:
            return BOOT.start(  # so that it does not outlive the tests, should they be killed
                ["./run", *arguments],
                cwd=self.path,
                env={**self.env, **env},
                stdout=log,
                stderr=log,
            )

    def serve(self, **env: str) -> subprocess.Popen[bytes]:
        """Start it, and wait for the line that says where to look."""
        process = self.start(**env)
        try:
            wait_until(lambda: "Open http" in self.words() or process.poll() is not None)
            assert process.poll() is None, self.words()
        except BaseException:
            process.kill()
            raise
        return process

    def refuse(self, *arguments: str, **env: str) -> str:
        """Start it, and return what it said when it ended with 1 by itself."""
        done = subprocess.run(
            ["./run", *arguments],
            cwd=self.path,
            env={**self.env, **env},
            stdin=subprocess.DEVNULL,
            capture_output=True,
            text=True,
            timeout=PATIENCE,
            check=False,
            start_new_session=True,
        )
        assert done.returncode == 1, done
        assert "Traceback" not in done.stderr
        return done.stderr

    def words(self) -> str:
        return self.said.read_text(encoding="utf-8", errors="replace")

    def get(self, path: str = "/") -> tuple[int, str]:
        site = http.client.HTTPConnection("127.0.0.1", self.port, timeout=30)
        with contextlib.closing(site):
            site.request("GET", path)
            response = site.getresponse()
            return response.status, response.read().decode()

    def manage(self, *arguments: str) -> subprocess.CompletedProcess[str]:
        env = {**self.env, "SECRET_KEY": "any", "SITE_URL": "http://127.0.0.1"}
        return subprocess.run(
            [self.path / ".venv/bin/python", "manage.py", *arguments],
            cwd=self.path,
            env=env,
            capture_output=True,
            text=True,
            check=False,
        )

    def processes(self) -> dict[int, str]:
        """Whatever runs in this folder: its number and its command line."""
        found = {}
        for entry in Path("/proc").iterdir():
            with contextlib.suppress(OSError):
                if entry.name.isdigit() and (entry / "cwd").resolve() == self.path:
                    line = (entry / "cmdline").read_bytes().replace(b"\0", b" ").decode()
                    if line:  # not one that has ended and waits to be counted
                        found[int(entry.name)] = line
        return found

    def process(self, words: str) -> int:
        """The oldest process whose command line has these words."""
        return min(number for number, line in self.processes().items() if words in line)


@pytest.fixture(scope="module")
def folder(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Folder]:
    """One folder for the module: started the first time by the first test, and again by others."""
    BOOT.make_environment(".venv", "requirements.txt")
    path = tmp_path_factory.mktemp("clone") / "figf"
    shutil.copytree(ROOT, path, ignore=shutil.ignore_patterns(*NOT_COPIED))
    (path / ".venv").symlink_to((ROOT / ".venv").resolve())
    folder = Folder(path.resolve())
    yield folder
    for number in folder.processes():
        with contextlib.suppress(ProcessLookupError):
            os.kill(number, signal.SIGKILL)


@pytest.fixture
def site(folder: Folder) -> Iterator[subprocess.Popen[bytes]]:
    """The site of that folder, up; ended by the test or after it."""
    process = folder.serve()
    yield process
    if process.poll() is None:
        process.terminate()
        process.wait(PATIENCE)


# --- the command ----------------------------------------------------------------------------------


@in_one_worker
@on_linux
def test_the_first_start_serves_the_demo_federation_and_ctrl_c_ends_it_all(
    folder: Folder,
) -> None:
    process = folder.serve()
    status, page = folder.get()
    assert status == 200
    assert "<html" in page
    assert f"Open http://127.0.0.1:{folder.port} " in folder.words()
    assert len(folder.processes()) >= 4  # run, gunicorn and its worker, scheduler
    process.send_signal(signal.SIGINT)
    assert process.wait(20) == 0, folder.words()
    assert folder.processes() == {}
    assert "Traceback" not in folder.words()
    assert folder.manage("is_empty").returncode == 1


@in_one_worker
def test_what_it_keeps_is_for_its_owner_only(folder: Folder, site: subprocess.Popen[bytes]) -> None:
    assert (folder.path / "var").stat().st_mode & 0o777 == 0o700
    assert (folder.path / "var/secret_key").stat().st_mode & 0o777 == 0o600


@in_one_worker
def test_a_later_start_builds_nothing_again(folder: Folder) -> None:
    first = folder.serve()
    first.terminate()
    assert first.wait(20) == 0
    key = (folder.path / "var/secret_key").read_text()
    before = time.monotonic()
    process = folder.serve()
    took = time.monotonic() - before
    assert folder.get()[0] == 200
    assert "Making" not in folder.words()
    assert "demo federation" not in folder.words()
    assert (folder.path / "var/secret_key").read_text() == key
    assert took < 20
    process.terminate()
    assert process.wait(20) == 0


@in_one_worker
def test_a_second_one_beside_the_first_says_so_and_the_first_goes_on(
    folder: Folder, site: subprocess.Popen[bytes]
) -> None:
    assert "Another ./run is running on the data of" in folder.refuse(PORT=str(free_port()))
    assert site.poll() is None
    assert folder.get()[0] == 200


@in_one_worker
@on_linux
def test_killed_outright_it_leaves_no_process_and_starts_again(folder: Folder) -> None:
    process = folder.serve()
    process.kill()
    process.wait()
    wait_until(lambda: folder.processes() == {}, 10)
    again = folder.serve()
    assert folder.get()[0] == 200
    again.terminate()
    assert again.wait(20) == 0


@in_one_worker
@on_linux
def test_a_scheduler_that_dies_is_started_again(
    folder: Folder, site: subprocess.Popen[bytes]
) -> None:
    first = folder.process("manage.py scheduler")
    os.kill(first, signal.SIGKILL)
    wait_until(lambda: "The scheduler ended with status -9." in folder.words())
    wait_until(lambda: any("scheduler" in line for line in folder.processes().values()))
    assert folder.process("manage.py scheduler") != first
    assert folder.get()[0] == 200


@in_one_worker
@on_linux
def test_a_site_that_dies_ends_everything_with_an_error(
    folder: Folder, site: subprocess.Popen[bytes]
) -> None:
    os.kill(folder.process("gunicorn"), signal.SIGKILL)
    assert site.wait(20) == 1
    assert "The site ended by itself, with status -9." in folder.words()
    wait_until(lambda: folder.processes() == {}, 10)


@in_one_worker
def test_a_port_that_is_taken_is_told_and_no_other_is_used(folder: Folder) -> None:
    with socket.socket() as other:
        other.bind(("127.0.0.1", 0))
        other.listen()
        port = other.getsockname()[1]
        told = folder.refuse(PORT=str(port))
    assert f"Cannot listen on port {port} of 127.0.0.1: Address already in use." in told


@in_one_worker
@pytest.mark.parametrize("port", ["0", "http", "70000", "-1"])
def test_a_port_that_is_none_is_told(folder: Folder, port: str) -> None:
    assert f"PORT is '{port}': it must be a number" in folder.refuse(PORT=port)


@in_one_worker
@pytest.mark.parametrize(
    ("name", "value", "absent"),
    [
        ("DATABASE_URL", "postgresql://figf@127.0.0.1/figf", "REDIS_URL"),
        ("REDIS_URL", "redis://127.0.0.1/0", "DATABASE_URL"),
    ],
)
def test_a_half_set_environment_is_told_in_a_sentence(
    folder: Folder, name: str, value: str, absent: str
) -> None:
    known = {"SECRET_KEY": "k" * 50, "SITE_URL": "http://127.0.0.1", "EMAIL_URL": "memorymail://"}
    told = folder.refuse(**{**known, name: value})
    assert told.startswith(f"{name} is set and {absent} is not.")
    assert told.count("\n") == 1


@in_one_worker
def test_an_empty_start_without_a_terminal_asks_for_one(folder: Folder, tmp_path: Path) -> None:
    empty = Folder(tmp_path / "figf")
    data = shutil.ignore_patterns("var")
    shutil.copytree(folder.path, empty.path, symlinks=True, ignore=data)
    told = empty.refuse("--empty")
    assert "first_secretary did not succeed" in told
    assert "terminal" in told


def test_help_tells_the_options_and_the_variables() -> None:
    done = subprocess.run(
        [ROOT / "run", "--help"], capture_output=True, text=True, check=True, timeout=PATIENCE
    )
    assert all(word in done.stdout for word in ("--empty", "PORT", "HOST", "DATABASE_URL"))


@pytest.fixture
def production(folder: Folder, db: None) -> Iterator[dict[str, str]]:
    """An empty PostgreSQL database and a Redis, as the environment of the production shape."""
    if connection.vendor != "postgresql":
        pytest.skip("the production shape is PostgreSQL and Redis")
    name = "figf_run"
    url = urlsplit(os.environ["DATABASE_URL"])
    redis = os.environ["REDIS_URL"].rpartition("/")[0] + "/15"
    owner = {"dsn": os.environ["DATABASE_URL"]}
    import psycopg2

    def sql(statement: str) -> None:
        with contextlib.closing(psycopg2.connect(**owner)) as server:
            server.autocommit = True
            server.cursor().execute(statement)

    sql(f"DROP DATABASE IF EXISTS {name}")
    sql(f"CREATE DATABASE {name}")
    yield {
        "DATABASE_URL": url._replace(path=f"/{name}").geturl(),
        "REDIS_URL": redis,
        "EMAIL_URL": "memorymail://",
        "SECRET_KEY": "k" * 50,
        "SITE_URL": f"http://127.0.0.1:{folder.port}",
    }
    sql(f"DROP DATABASE {name} WITH (FORCE)")


@in_one_worker
@on_linux
def test_with_both_servers_it_runs_the_production_shape(
    folder: Folder, production: dict[str, str]
) -> None:
    process = folder.serve(**production)
    assert folder.get()[0] == 200
    lines = " ".join(folder.processes().values())
    assert all(words in lines for words in ("gunicorn", "celery -A figf worker", "figf beat"))
    assert "scheduler" not in lines
    process.terminate()
    assert process.wait(40) == 0, folder.words()
    wait_until(lambda: folder.processes() == {}, 10)


@pytest.mark.slow
@in_one_worker
def test_from_nothing_it_makes_its_environment_too(folder: Folder, tmp_path: Path) -> None:
    new = Folder(tmp_path / "figf")
    shutil.copytree(folder.path, new.path, ignore=shutil.ignore_patterns("var", ".venv"))
    process = new.start()
    wait_until(lambda: "Open http" in new.words() or process.poll() is not None, 300)
    assert new.get()[0] == 200
    process.send_signal(signal.SIGINT)
    assert process.wait(20) == 0


# --- the environment ------------------------------------------------------------------------------


@pytest.fixture
def boot(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Any:
    """boot.py for a folder of our own, where installing only leaves a note of it."""
    module = load_boot()
    (tmp_path / "requirements.txt").write_text("django==5.2\n")
    monkeypatch.setattr(module, "ROOT", tmp_path)

    def install(environment: Path, requirements: Path) -> None:
        (environment / "bin").mkdir(parents=True)
        (environment / "bin" / "python").touch()
        with (tmp_path / "installed").open("a") as note:
            note.write(requirements.read_text())

    monkeypatch.setattr(module, "_install", install)
    return module


def installed(folder: Path) -> int:
    return len((folder / "installed").read_text().splitlines())


def test_an_environment_is_made_once(boot: Any, tmp_path: Path) -> None:
    for _ in range(2):
        assert boot.make_environment(".venv", "requirements.txt") == tmp_path / ".venv/bin"
    assert installed(tmp_path) == 1


def test_a_changed_lock_file_makes_it_anew(boot: Any, tmp_path: Path) -> None:
    boot.make_environment(".venv", "requirements.txt")
    (tmp_path / ".venv" / "left").touch()
    (tmp_path / "requirements.txt").write_text("django==5.2.1\n")
    boot.make_environment(".venv", "requirements.txt")
    assert installed(tmp_path) == 2
    assert not (tmp_path / ".venv" / "left").exists()


def test_an_interrupted_installation_does_not_count(
    boot: Any, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    complete = boot._install

    def interrupted(environment: Path, requirements: Path) -> None:
        complete(environment, requirements)
        raise KeyboardInterrupt

    monkeypatch.setattr(boot, "_install", interrupted)
    with pytest.raises(KeyboardInterrupt):
        boot.make_environment(".venv", "requirements.txt")
    monkeypatch.setattr(boot, "_install", complete)
    boot.make_environment(".venv", "requirements.txt")
    assert installed(tmp_path) == 2


def test_a_moved_folder_gets_a_new_environment(
    boot: Any, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """The programs in it begin with the path of their Python."""
    boot.make_environment(".venv", "requirements.txt")
    shutil.copytree(tmp_path, tmp_path / "moved")
    monkeypatch.setattr(boot, "ROOT", tmp_path / "moved")
    boot.make_environment(".venv", "requirements.txt")
    assert installed(tmp_path) == 2


def test_an_older_python_is_replaced_by_a_newer_one_or_told(
    boot: Any, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    monkeypatch.setattr(boot.sys, "version_info", (3, 9, 6))
    monkeypatch.setattr(boot.shutil, "which", {"python3.12": "/opt/python3.12"}.get)
    started = []
    monkeypatch.setattr(boot.os, "execv", lambda *words: started.append(words))
    monkeypatch.setattr(boot.sys, "argv", ["./run", "--empty"])
    with pytest.raises(SystemExit):  # execv does not come back; ours does
        boot.require_python()
    assert started == [("/opt/python3.12", ["/opt/python3.12", "./run", "--empty"])]
    assert "This needs Python 3.11 or later, and here is 3.9" in capsys.readouterr().err


def test_who_is_not_root_is_told_the_line_to_type(
    boot: Any, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    monkeypatch.setattr(boot.os, "geteuid", lambda: 1000)
    monkeypatch.setattr(boot.shutil, "which", lambda name: f"/usr/bin/{name}")
    with pytest.raises(SystemExit) as ended:
        boot.apt_install(["redis-server", "chromium"])
    assert ended.value.code == 1
    line = "sudo apt-get install --no-install-recommends redis-server chromium"
    assert line in capsys.readouterr().err


@pytest.mark.parametrize("command", ["run", "test", "figf/boot.py"])
def test_an_older_python_can_read_the_commands_as_far_as_the_sentence(command: str) -> None:
    """No syntax newer than that of Python 3.8 in what must say that 3.11 is needed."""
    import ast

    ast.parse((ROOT / command).read_text(encoding="utf-8"), feature_version=(3, 8))


# --- the scheduler --------------------------------------------------------------------------------


NOTES: list[str] = []  # what the tasks below did
SWEEP, LOOK, END = (f"{__name__}.{name}" for name in ("sweep", "look", "end"))


@shared_task
def sweep(what: str = "sweep") -> None:
    NOTES.append(what)
    if what == "broken":
        raise ValueError(what)


@shared_task
def look() -> None:
    clock = Clock.objects.get(name="first")
    NOTES.append(f"{clock.running_since is not None} {clock.ran_at}")


@shared_task
def end() -> None:
    os.kill(os.getpid(), signal.SIGTERM)
    NOTES.append("finished")


@pytest.fixture
def done(settings: Any, tmp_path: Path) -> list[str]:
    """What the tasks of a schedule of two did."""
    NOTES.clear()
    settings.EMBEDDED = True
    settings.VAR_DIR = tmp_path
    settings.CELERY_BEAT_SCHEDULE = {
        "first": {"task": SWEEP, "schedule": 60.0, "args": ("first",)},
        "second": {"task": SWEEP, "schedule": timedelta(hours=1)},
    }
    return NOTES


@pytest.mark.both
@pytest.mark.django_db
def test_what_never_ran_is_due_and_then_waits_for_its_time(done: list[str]) -> None:
    call_command("scheduler", once=True)
    call_command("scheduler", once=True)
    assert done == ["first", "sweep"]
    Clock.objects.filter(name="first").update(ran_at=timezone.now() - timedelta(seconds=61))
    call_command("scheduler", once=True)
    assert done == ["first", "sweep", "first"]
    assert not Clock.objects.exclude(running_since=None).exists()


@pytest.mark.both
@pytest.mark.django_db
def test_what_a_crash_cut_short_runs_again_at_once(done: list[str]) -> None:
    now = timezone.now()
    Clock.objects.create(name="first", ran_at=now)
    Clock.objects.create(name="second", ran_at=now, running_since=now)
    call_command("scheduler", once=True)
    assert done == ["sweep"]


@pytest.mark.both
@pytest.mark.django_db
def test_while_a_task_runs_its_row_says_so_and_not_yet_that_it_ran(
    done: list[str], settings: Any
) -> None:
    settings.CELERY_BEAT_SCHEDULE = {"first": {"task": LOOK, "schedule": 60}}
    call_command("scheduler", once=True)
    assert done == ["True None"]


@pytest.mark.both
@pytest.mark.django_db
def test_a_task_that_fails_is_logged_and_the_others_go_on(
    done: list[str], settings: Any, caplog: pytest.LogCaptureFixture
) -> None:
    settings.CELERY_BEAT_SCHEDULE["first"]["args"] = ("broken",)
    call_command("scheduler", once=True)
    assert done == ["broken", "sweep"]
    assert "first failed; it runs again when next due" in caplog.text
    call_command("scheduler", once=True)
    assert done == ["broken", "sweep"]


@pytest.mark.both
@pytest.mark.django_db
def test_a_crontab_of_the_schedule_is_understood(done: list[str], settings: Any) -> None:
    from celery.schedules import crontab

    settings.CELERY_BEAT_SCHEDULE = {
        "nightly": {"task": SWEEP, "schedule": crontab(hour="3", minute="0")}
    }
    Clock.objects.create(name="nightly", ran_at=timezone.now() - timedelta(hours=25))
    call_command("scheduler", once=True)
    call_command("scheduler", once=True)
    assert done == ["sweep"]


@pytest.mark.django_db
def test_a_second_scheduler_on_the_same_data_is_refused(done: list[str]) -> None:
    with scheduler.only_one(), pytest.raises(CommandError, match="Another scheduler is running"):
        call_command("scheduler", once=True)
    call_command("scheduler", once=True)
    assert done == ["first", "sweep"]


@pytest.mark.django_db
def test_the_production_shape_refuses_the_scheduler(done: list[str], settings: Any) -> None:
    settings.EMBEDDED = False
    with pytest.raises(CommandError, match="REDIS_URL is set"):
        call_command("scheduler", once=True)
    assert done == []


@pytest.mark.django_db
def test_a_schedule_that_names_no_task_is_told(done: list[str], settings: Any) -> None:
    settings.CELERY_BEAT_SCHEDULE = {"first": {"task": "tests.absent", "schedule": 60}}
    with pytest.raises(CommandError, match="first names no task"):
        call_command("scheduler", once=True)


@pytest.mark.django_db
def test_asked_to_end_it_finishes_the_task_in_hand_and_begins_no_other(
    done: list[str], settings: Any
) -> None:
    settings.CELERY_BEAT_SCHEDULE["first"] = {"task": END, "schedule": 60}
    before = signal.getsignal(signal.SIGTERM)
    call_command("scheduler")
    assert done == ["finished"]
    assert Clock.objects.get(name="first").ran_at is not None
    assert signal.getsignal(signal.SIGTERM) is before


@pytest.mark.django_db
def test_every_entry_of_the_real_schedule_names_a_task(done: list[str], settings: Any) -> None:
    from figf.settings import CELERY_BEAT_SCHEDULE

    assert [scheduler.Entry(*entry) for entry in CELERY_BEAT_SCHEDULE.items()]
