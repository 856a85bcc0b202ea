"""What the replay page costs: its first view, a step, a jump; beside ordinary pages of the site.

    python bench/replay_page.py

The longest of the project's own games is brought into a SQLite database of its own, with a made-up
federation beside it; where `$FIGF_CASES` says where the recorded games are, the 1830 game of them
that is nearest to 650 actions too. Every page goes through the whole of Django. The first view of a
game replays it once; what follows starts from a kept position. Times are the processor's, the best
of a few; ratios are to the home page of the same run.

Exit status: 0; 1 if a page does not answer, if a first view costs more than a few ordinary pages
(`FEW`), or a step more than one replay of its game.
"""

import os
import sys
from collections.abc import Callable
from pathlib import Path
from tempfile import TemporaryDirectory
from time import process_time
from typing import Any

sys.path.insert(0, str(Path(__file__).resolve().parents[1]))

from django.core.management import call_command
from django.db import connection
from django.test import Client, override_settings
from django.urls import reverse

from bench.standings import RUNS, say  # which sets Django up, on SQLite
from figf.tests.cast import NOW, make_federation
from pbem import services
from pbem.models import Recording
from pbem.services import positions

ROOT = Path(__file__).resolve().parents[1]
OWN = ROOT / "pbem" / "tests" / "games" / "bank_figf_4.json"
LENGTH = 650
FEW = 5


def best(work: Callable[[], Any], before: Callable[[], Any] = lambda: None) -> float:
    """The least of the processor's seconds, `before` done each time and not counted."""
    times = []
    for _ in range(RUNS):
        before()
        started = process_time()
        work()
        times.append(process_time() - started)
    return min(times)


def files() -> list[Path]:
    cases = os.environ.get("FIGF_CASES")
    if not cases:
        return [OWN]
    real = [
        path
        for path in sorted((Path(cases) / "1830").glob("*.json"))
        if path.with_suffix(".truth.json.gz").exists()
    ]
    return [OWN, *real]


def brought(federation: Any) -> list[tuple[str, Recording]]:
    """Our own game, and of the recorded ones that of the length nearest to 650."""
    found = [
        (path.stem, services.import_recording(path.read_bytes(), federation.cast.bruno, NOW)[0])
        for path in files()
    ]
    real = sorted(found[1:], key=lambda one: abs(one[1].length - LENGTH))
    return [found[0], *real[:1]]


def measure(client: Client, name: str, recording: Recording, home: float) -> bool:
    """Print what a game's pages cost; whether they cost what they may."""
    page = recording.get_absolute_url()
    fragment = reverse("recording_position", args=[recording.key])
    score = services.score_of(recording)
    forget = positions.films.kept.clear
    middle = recording.length // 2
    turns = iter(range(10_000))
    jumps = [(middle * 7919 * n) % recording.length for n in range(10_000)]
    film = services.film(score)
    costs = {
        "one replay, alone": best(lambda: positions.fold(score)),
        "first view (page)": best(lambda: client.get(page), forget),
        "the page again": best(lambda: client.get(f"{page}?n={middle}")),
        "step": best(lambda: client.get(f"{fragment}?n={middle + next(turns)}")),
        "jump": best(lambda: client.get(f"{fragment}?n={jumps[next(turns)]}")),
        "position alone, on average": best(lambda: [film.at(n) for n in jumps[:100]]) / 100,
        "step with the best run": best(lambda: client.get(f"{fragment}?n={middle}&mostra=giro")),
    }
    say("", f"{name}, {recording.length} actions{'':10}{'ms':>10}{'of home':>10}")
    for said, seconds in costs.items():
        say(f"  {said:32}{seconds * 1e3:10.2f}{seconds / home:10.3f}")
    status = {client.get(address).status_code for address in (page, fragment)}
    size = len(client.get(fragment + f"?n={middle}").content)
    say(f"  {len(film.kept)} positions kept; a step is {size / 1000:.0f} kB")
    first = costs["first view (page)"] <= FEW * home
    step = costs["position alone, on average"] < costs["one replay, alone"] / 10
    if not first:
        say(f"  THE FIRST VIEW COSTS MORE THAN {FEW} HOME PAGES")
    if not step:
        say("  A POSITION COSTS A FULL REPLAY")
    return first and step and status == {200}


def main() -> int:
    with TemporaryDirectory(prefix="figf-bench-") as folder:
        connection.settings_dict["NAME"] = str(Path(folder) / "figf.sqlite3")
        try:
            call_command("migrate", verbosity=0)
            federation = make_federation()
            client = Client(headers={"accept-language": "it"})
            home = best(lambda: client.get("/"))
            standing = reverse("event_standing", args=[federation.event.pk])
            ordinary = {"home": home, "standing of an event": best(lambda: client.get(standing))}
            for said, seconds in ordinary.items():
                say(f"{said:34}{seconds * 1e3:10.1f}{seconds / home:10.2f}")
            good = [measure(client, *one, home) for one in brought(federation)]
        finally:
            connection.close()
    return 0 if all(good) else 1


if __name__ == "__main__":
    with override_settings(ALLOWED_HOSTS=["testserver"]):
        raise SystemExit(main())
