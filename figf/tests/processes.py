"""Real processes for the tests, and the servers they talk to: started, ended, killed, looked at."""

from __future__ import annotations

import asyncio
import contextlib
import logging
import os
import signal
import socket
import subprocess
import sys
import time
from collections.abc import Callable, Iterator, Mapping
from email.message import EmailMessage
from email.parser import BytesParser
from email.policy import default
from importlib.machinery import SourceFileLoader
from importlib.util import module_from_spec, spec_from_loader
from pathlib import Path
from types import ModuleType
from typing import Any, Self
from urllib.parse import urlsplit

import psycopg2
import pytest
from aiosmtpd.controller import Controller
from redis import Redis

ROOT = Path(__file__).resolve().parents[2]
BINARIES = Path(sys.executable).parent
OURS = {
    *("DATABASE_URL", "REDIS_URL", "EMAIL_URL", "SECRET_KEY", "ALLOWED_HOSTS", "DEBUG", "SITE_URL"),
    "DJANGO_SETTINGS_MODULE",
}
PATIENCE = 90  # seconds, on a busy machine


def load_run() -> ModuleType:
    """The command `run`, by its path: it has no suffix."""
    loader = SourceFileLoader("run_command", str(ROOT / "run"))
    spec = spec_from_loader("run_command", loader)
    assert spec
    module = module_from_spec(spec)
    loader.exec_module(module)
    return module


RUN: Any = load_run()
logging.getLogger("mail").setLevel(logging.WARNING)  # aiosmtpd tells every step


def wait_until(true: Callable[[], bool], patience: float = PATIENCE) -> None:
    until = time.monotonic() + patience
    while not true():
        assert time.monotonic() < until, "it did not happen in time"
        time.sleep(0.02)


def free_port() -> int:
    with socket.socket() as probe:
        probe.bind(("127.0.0.1", 0))
        return int(probe.getsockname()[1])


class Letterbox(Controller):
    """A mail server that keeps what it receives. It waits `pause` before and after it does."""

    def __init__(self, pause: float = 0.0) -> None:
        self.pause = pause
        self.received: list[EmailMessage] = []
        super().__init__(self, hostname="127.0.0.1", port=free_port(), server_hostname="localhost")

    @property
    def url(self) -> str:
        return f"smtp://127.0.0.1:{self.port}"

    async def handle_DATA(  # noqa: N802 - aiosmtpd's name
        self, _server: object, _session: object, envelope: Any
    ) -> str:
        text = envelope.content.replace(b"\r\n", b"\n")
        mail = BytesParser(EmailMessage, policy=default).parsebytes(text)
        await asyncio.sleep(self.pause)  # who is killed here was never heard of
        self.received.append(mail)
        await asyncio.sleep(self.pause)  # who is killed here does not know that we have it
        return "250 OK"

    def __enter__(self) -> Self:
        self.start()
        return self

    def __exit__(self, *_: object) -> None:
        self.stop()


@contextlib.contextmanager
def postgresql(name: str) -> Iterator[str]:
    """A new, empty database beside that of the tests: its URL. It is dropped at the end."""
    if not os.environ.get("DATABASE_URL") or not os.environ.get("REDIS_URL"):
        pytest.skip("the production shape is PostgreSQL and Redis")

    def sql(statement: str) -> None:
        with contextlib.closing(psycopg2.connect(os.environ["DATABASE_URL"])) as server:
            server.autocommit = True
            with server.cursor() as cursor:
                cursor.execute(statement)

    name += f"_{os.environ.get('PYTEST_XDIST_WORKER', 'alone')}"
    sql(f"DROP DATABASE IF EXISTS {name} WITH (FORCE)")
    sql(f"CREATE DATABASE {name}")
    try:
        yield urlsplit(os.environ["DATABASE_URL"])._replace(path=f"/{name}").geturl()
    finally:
        sql(f"DROP DATABASE {name} WITH (FORCE)")


def redis(number: int) -> str:
    """One of the Redis server's databases, emptied: its URL."""
    url = f"{os.environ['REDIS_URL'].rpartition('/')[0]}/{number}"
    with Redis.from_url(url) as server:
        server.flushdb()
    return url


class Processes:
    """What one test starts, in a folder and with an environment: each in a session of its own."""

    def __init__(self, folder: Path, env: Mapping[str, str]) -> None:
        self.folder = folder.resolve()
        (self.folder / "var").mkdir()  # where the beat of compose.yaml keeps its notes
        inherited = {name: value for name, value in os.environ.items() if name not in OURS}
        self.env = {**inherited, "PYTHONPATH": str(ROOT), "PYTHONUNBUFFERED": "1", **env}
        self.running: dict[str, subprocess.Popen[bytes]] = {}

    def __enter__(self) -> Self:
        return self

    def __exit__(self, *_: object) -> None:
        self.kill(*self.running)

    def start(self, name: str, program: str, *arguments: str) -> subprocess.Popen[bytes]:
        with (self.folder / f"{name}.log").open("ab") as log:
            self.running[name] = RUN.boot.start(  # it does not outlive us, should we be killed
                [str(BINARIES / program), *arguments],
                env=self.env,
                cwd=self.folder,
                stdout=log,
                stderr=log,
            )
        return self.running[name]

    def manage(self, *arguments: str, status: int = 0) -> str:
        """Run a command of manage.py to its end; what it said."""
        done = subprocess.run(
            [BINARIES / "python", ROOT / "manage.py", *arguments],
            cwd=self.folder,
            env=self.env,
            stdout=subprocess.PIPE,
            stderr=subprocess.STDOUT,
            text=True,
            timeout=PATIENCE,
            check=False,
        )
        assert done.returncode == status, done.stdout
        return done.stdout

    def kill(self, *names: str) -> None:
        """kill -9 of these processes and of all their children, at once."""
        killed = [self.running.pop(name) for name in names]
        for process in killed:
            with contextlib.suppress(ProcessLookupError):
                os.killpg(process.pid, signal.SIGKILL)
        for process in killed:
            process.wait()

    def end(self) -> dict[str, int]:
        """Ask every process to end; with which status each did."""
        for process in self.running.values():
            process.terminate()
        return {name: process.wait(PATIENCE) for name, process in self.running.items()}

    def children(self, name: str) -> list[int]:
        threads = Path(f"/proc/{self.running[name].pid}/task").iterdir()
        return [int(child) for t in threads for child in (t / "children").read_text().split()]

    def words(self, name: str) -> str:
        return (self.folder / f"{name}.log").read_text(encoding="utf-8", errors="replace")

    def alive(self) -> dict[int, str]:
        """Whatever runs in the folder: its number and its command line."""
        found = {}
        for entry in Path("/proc").iterdir():
            with contextlib.suppress(OSError):
                if entry.name.isdigit() and (entry / "cwd").resolve() == self.folder:
                    found[int(entry.name)] = (entry / "cmdline").read_bytes().decode()
        return {number: line for number, line in found.items() if line}  # the rest has ended
