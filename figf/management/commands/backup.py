"""`manage.py backup FILE`: all that the site knows, in one file that any engine reads.

FILE may be a folder: the file in it is named by the moment; or - for the standard output. It holds
addresses and hashes of passwords: only its owner may read it. Restore it with `manage.py restore`.
"""

import os
import sys
from argparse import ArgumentParser
from contextlib import ExitStack
from datetime import UTC, datetime
from pathlib import Path
from typing import IO, Any

from django.core.management.base import BaseCommand, CommandError
from django.utils import timezone

from figf import backups


class Command(BaseCommand):
    help = __doc__

    def add_arguments(self, parser: ArgumentParser) -> None:
        parser.add_argument("file", help="file or folder to write to; - for the standard output")

    def handle(self, *args: Any, **options: Any) -> None:
        now = timezone.now()
        try:
            if options["file"] == "-":
                backups.write(sys.stdout.buffer, now, lambda _part, _rows: None)
                return
            path = _named(Path(options["file"]), now)
            with ExitStack() as undo:
                written, part = _new(path)
                undo.callback(part.unlink, missing_ok=True)
                with written:
                    manifest = backups.write(written, now, self._say)
                    written.flush()
                    os.fsync(written.fileno())
                part.replace(path)
        except backups.Unfit as unfit:
            raise CommandError(str(unfit)) from unfit
        except OSError as error:
            raise CommandError(f"The backup cannot be written: {error}.") from error
        self.stdout.write(
            self.style.SUCCESS(
                f"{path}: {manifest.rows} rows. It holds addresses and hashes of passwords: "
                "keep it as you keep the database."
            )
        )

    def _say(self, part: str, rows: int) -> None:
        self.stdout.write(f"{rows:>9}  {part}")


def _named(path: Path, now: datetime) -> Path:
    """The file to write: in a folder, one named by the moment. What is there is left alone."""
    if path.is_dir():
        path /= f"figf-{now.astimezone(UTC):%Y%m%dT%H%M%SZ}.zip"
    if path.exists():
        raise CommandError(f"{path} is there already: a backup is never written over another.")
    return path


def _new(path: Path) -> tuple[IO[bytes], Path]:
    """Where it is written until it is whole: beside `path`, for its owner's eyes only."""
    part = path.with_name(f".{path.name}.part")
    part.unlink(missing_ok=True)  # of a run that was killed
    return os.fdopen(os.open(part, os.O_WRONLY | os.O_CREAT | os.O_EXCL, 0o600), "wb"), part
