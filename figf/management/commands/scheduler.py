"""The embedded shape's clocks: the schedule of Celery beat, run in this one process.

There is no broker: the tasks are called here. The system's lock keeps a second scheduler out. What
is being run is written down before, and that it was run only *after* the work, so what a crash cut
short is run again at once. A task may therefore run twice, as under Celery, and every one bears it.
"""

import contextlib
import fcntl
import logging
import signal
import threading
from collections.abc import Callable, Iterator
from datetime import datetime
from pathlib import Path
from typing import Any

from celery import current_app
from celery.schedules import BaseSchedule, maybe_schedule
from django.conf import settings
from django.core.management.base import BaseCommand, CommandError, CommandParser
from django.db import DatabaseError
from django.utils import timezone
from django.utils.module_loading import import_string

from figf.models import Clock

logger = logging.getLogger(__name__)
POLL_SECONDS = 1


class Entry:
    """One line of the schedule: its task, when it is due, and its row in the database."""

    def __init__(self, name: str, line: dict[str, Any]) -> None:
        try:
            self.task: Callable[..., object] = import_string(line["task"])
        except ImportError as missing:
            raise CommandError(f"The schedule's {name} names no task: {missing}.") from None
        self.args, self.kwargs = line.get("args", ()), line.get("kwargs", {})
        self.schedule: BaseSchedule = maybe_schedule(line["schedule"], app=current_app)
        self.clock, _ = Clock.objects.get_or_create(name=name)

    def due(self) -> bool:
        """Never run, cut short while running, or its time has come round again."""
        if self.clock.ran_at is None or self.clock.running_since is not None:
            return True
        return bool(self.schedule.is_due(self.clock.ran_at)[0])

    def run(self, now: datetime) -> None:
        """Run the task here and now; its failure is logged, and is not the scheduler's."""
        self._mark(running_since=now, ran_at=self.clock.ran_at)
        try:
            self.task(*self.args, **self.kwargs)
        except Exception:
            logger.exception("%s failed; it runs again when next due", self.clock.name)
        self._mark(running_since=None, ran_at=now)

    def _mark(self, running_since: datetime | None, ran_at: datetime | None) -> None:
        self.clock.running_since, self.clock.ran_at = running_since, ran_at
        try:
            self.clock.save(update_fields=["running_since", "ran_at"])
        except DatabaseError:
            logger.exception("%s: the clock could not be written", self.clock.name)


class Command(BaseCommand):
    help = "Run what the schedule says, in the embedded shape, until asked to stop."

    def add_arguments(self, parser: CommandParser) -> None:
        parser.add_argument("--once", action="store_true", help="run what is due, then end")

    def handle(self, *args: Any, once: bool = False, **options: Any) -> None:
        if not settings.EMBEDDED:
            raise CommandError(
                "REDIS_URL is set: in the production shape Celery's beat and worker keep the "
                "clocks, and this scheduler must not run beside them."
            )
        with only_one(), ended_by_signals() as ending:
            schedule = settings.CELERY_BEAT_SCHEDULE
            entries = [Entry(name, line) for name, line in schedule.items()]
            while not ending.is_set():
                for entry in entries:
                    if not ending.is_set() and entry.due():
                        entry.run(timezone.now())
                if once:
                    break
                ending.wait(POLL_SECONDS)


@contextlib.contextmanager
def only_one() -> Iterator[None]:
    """Hold the lock of this database, which the system frees however the process ends."""
    database = Path(str(settings.DATABASES["default"]["NAME"]))
    folder = database.parent if database.is_absolute() else settings.VAR_DIR
    folder.mkdir(parents=True, exist_ok=True)
    with (folder / "scheduler.lock").open("w") as lock:
        try:
            fcntl.flock(lock, fcntl.LOCK_EX | fcntl.LOCK_NB)
        except BlockingIOError:
            raise CommandError("Another scheduler is running on this database.") from None
        yield


@contextlib.contextmanager
def ended_by_signals() -> Iterator[threading.Event]:
    """Yield an event that SIGTERM and SIGINT set: the task in hand is finished first."""
    ending = threading.Event()
    numbers = (signal.SIGTERM, signal.SIGINT)
    before = {number: signal.signal(number, lambda *_: ending.set()) for number in numbers}
    try:
        yield ending
    finally:
        for number, handler in before.items():
            signal.signal(number, handler)
