"""`manage.py restore FILE`: bring back what `manage.py backup` wrote, on whatever engine.

All of it or nothing, in one transaction. The database must be empty, and migrated by the code that
wrote the file; with --replace, what it holds is given up. Stop the site first: whoever is logged in
will have to log in again.
"""

from argparse import ArgumentParser
from pathlib import Path
from typing import Any

from django.core.management.base import BaseCommand, CommandError

from figf import backups
from figf.management.commands.is_empty import is_empty
from figf.models import Email


class Command(BaseCommand):
    help = __doc__

    def add_arguments(self, parser: ArgumentParser) -> None:
        parser.add_argument("file", type=Path, help="what manage.py backup wrote")
        parser.add_argument(
            "--replace", action="store_true", help="give up what the database holds"
        )
        parser.add_argument(
            "--no-input", action="store_true", help="with --replace, do not ask whether it is meant"
        )

    def handle(self, *args: Any, **options: Any) -> None:
        replace = options["replace"]
        try:
            with backups.opened(options["file"]) as backup:
                self.stdout.write(
                    f"Written at {backup.manifest.written_at} by {backup.manifest.site}, "
                    f"{backup.manifest.rows} rows."
                )
                if replace and not options["no_input"] and not is_empty():
                    _ask()
                backups.restore(
                    backup, self._say, refuse=_refuse_nothing if replace else _refuse_full
                )
        except backups.Unfit as unfit:
            raise CommandError(f"{unfit} Nothing was changed.") from unfit
        unsent = Email.objects.filter(sent_at=None, failed_at=None).count()
        if unsent:
            self.stdout.write(
                f"{unsent} mails had not been sent yet when it was written: "
                "they leave when the site runs."
            )
        self.stdout.write(
            self.style.SUCCESS("Restored, and every row read again as it was written.")
        )

    def _say(self, part: str, rows: int) -> None:
        self.stdout.write(f"{rows:>9}  {part}")


def _refuse_full() -> None:
    if not is_empty():
        raise backups.Unfit(
            "This database holds log-ins, players or events: with --replace they are given up."
        )


def _refuse_nothing() -> None:
    """With --replace whatever is there may go."""


def _ask() -> None:
    try:
        said = input("All that this database holds will be given up. Type yes if you mean it: ")
    except EOFError:
        said = ""
    if said.strip() != "yes":
        raise CommandError("Nothing was changed.")
