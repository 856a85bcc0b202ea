"""Play the log of every game again, and hold it against what was written with each action."""

from __future__ import annotations

from argparse import ArgumentParser
from typing import Any

from django.core.management.base import BaseCommand, CommandError

from pbem.models import Game
from pbem.services import differences


class Command(BaseCommand):
    help = (
        "Replay the log of each game by correspondence and compare the position after every action "
        "with the digest stored beside it. Ends with 1 on any difference: run it before new code "
        "goes to work."
    )

    def add_arguments(self, parser: ArgumentParser) -> None:
        parser.add_argument("--active", action="store_true", help="only games that are not over")

    def handle(self, *_args: Any, **options: Any) -> None:
        games = Game.objects.filter(has_engine=True, started_at__isnull=False).order_by("pk")
        if options["active"]:
            games = games.running()
        wrong = 0
        for game in games.iterator():
            for told in differences(game):
                wrong += 1
                self.stdout.write(f"game {game.pk}, row {told.seq}: {told.what}")
        if wrong:
            raise CommandError(f"{wrong} differences")
        self.stdout.write("No difference.")
