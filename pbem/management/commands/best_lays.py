"""`manage.py best_lays GAME.json --at N`: what each legal tile would add to the best run.

Plays a game exported by 18xx.games, or by this site, up to the position before state N, and prints
a line of JSON for each tile that the operating corporation may lay there, or might if its step of
the tile came now: `hex`, `tile`, `rotation`, the `cost`, the `gain`, and the `private` whose power
it is, if it is one. No line if it may lay none. Ends with status 1 if an action of the game is
refused, 2 if there is no such position or no corporation operates in it.
"""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

from django.core.management.base import BaseCommand, CommandParser

from pbem.engine.lays import Gain, best_lays
from pbem.management import recorded


class Command(BaseCommand):
    help = __doc__
    requires_system_checks: list[str] = []  # noqa: RUF012 - Django's own shape

    def add_arguments(self, parser: CommandParser) -> None:
        recorded.add_position(parser)

    def handle(self, *args: Any, game: Path, at: int, **options: Any) -> None:
        position = recorded.position(game, at)
        found = best_lays(position, recorded.operating(position))
        if found:
            self.stdout.write("\n".join(json.dumps(_told(one)) for one in found))


def _told(one: Gain) -> dict[str, Any]:
    lay = one.lay
    told = {
        "hex": lay.hex,
        "tile": lay.tile,
        "rotation": lay.rotation,
        "cost": one.cost,
        "gain": one.gain,
    }
    return told if lay.private is None else told | {"private": lay.private}
