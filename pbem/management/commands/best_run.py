"""`manage.py best_run GAME.json --at N [--corporation SYM]`: the most that the trains can earn.

Plays a game exported by 18xx.games, or by this site, up to the position before state N, and prints
one line of JSON: `value`, whether it is `proven`, the `routes` (train, hexes from end to end, stops
with their values), the `upper_bound` and the `ms` it took. Without --corporation: the one that
operates. Ends with status 1 if an action of the game is refused, 2 if there is no such position.
"""

from __future__ import annotations

import json
from pathlib import Path
from time import perf_counter
from typing import Any

from django.core.management.base import BaseCommand, CommandError, CommandParser

from pbem.engine import routes
from pbem.engine.best import best_run
from pbem.management import recorded


class Command(BaseCommand):
    help = __doc__
    requires_system_checks: list[str] = []  # noqa: RUF012 - Django's own shape

    def add_arguments(self, parser: CommandParser) -> None:
        recorded.add_position(parser)
        parser.add_argument("--corporation", metavar="SYM", help="by default the one that operates")

    def handle(
        self, *args: Any, game: Path, at: int, corporation: str | None = None, **options: Any
    ) -> None:
        position = recorded.position(game, at)
        symbols = position.state.corporations
        if corporation is not None and corporation not in symbols:
            words = f"{corporation} is not one of {', '.join(symbols)}."
            raise CommandError(recorded.plain(words), returncode=recorded.NO_GAME)
        symbol = recorded.operating(position) if corporation is None else corporation
        started = perf_counter()
        best = best_run(position, symbol)
        took = perf_counter() - started
        told = {
            "value": best.value,
            "proven": best.proven,
            "routes": [_told(one) for one in routes.count(position.state, best.run)],
            "upper_bound": best.bound,
            "ms": round(took * 1000, 3),
        }
        self.stdout.write(json.dumps(told))


def _told(counted: routes.Counted) -> dict[str, Any]:
    """The train, the hexes from one end of its run to the other, and what each stop pays."""
    first, *further = counted.route.legs  # a run found by us is told in order
    return {
        "train": counted.route.train,
        "hexes": [*first, *(hex_id for leg in further for hex_id in leg[1:])],
        "stops": [[hex_id, node, value] for (hex_id, node), value in counted.stops],
    }
