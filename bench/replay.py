"""How fast does the engine replay real games? From the root: `python bench/replay.py [FOLDER]`.

Replays every game of 1830 that 18xx.games exported in FOLDER (`$FIGF_CASES/1830`, or the project's
own games), every check on, and copies a late position. Beside it, in the same run, what any Python
does with the same entries: each written as JSON and read back. Best of five runs. Exit status 1 if
a game is refused.
"""

import json
import os
import sys
from copy import deepcopy
from pathlib import Path
from statistics import median
from time import perf_counter
from typing import Any

sys.path.insert(0, str(Path(__file__).resolve().parents[1]))

from pbem.engine.interchange import Refusal, effective, replay
from pbem.engine.state import State

ROOT = Path(__file__).resolve().parents[1]
RUNS = 5
COPIES = 2_000


def games_folder(arguments: list[str]) -> Path:
    """The folder named on the command line; else the recorded games, or the project's own."""
    cases = os.environ.get("FIGF_CASES")
    default = Path(cases) / "1830" if cases else ROOT / "pbem" / "tests" / "games"
    return Path(arguments[0]) if arguments else default


def games(folder: Path) -> dict[str, Any]:
    """The games of a folder by name: files with players and actions."""
    found = {}
    for path in sorted(folder.glob("*.json")):
        told = json.loads(path.read_text(encoding="utf-8"))
        if isinstance(told, dict) and "actions" in told:
            found[path.stem] = told
    return found


def replayed(told: Any) -> tuple[int, State]:
    """How many atomic actions, and the last position."""
    for count, (_, game) in enumerate(replay(told), 1):  # noqa: B007 - the last is wanted
        pass
    return count, game.state


def as_json(told: Any) -> None:
    """The baseline: every entry written and read once."""
    for entry in effective(told["actions"]):
        for one in [entry, *entry.get("auto_actions", [])]:
            json.loads(json.dumps(one))


def best(work: Any, *arguments: Any) -> float:
    """The shortest of five runs, in seconds."""
    times = []
    for _ in range(RUNS):
        started = perf_counter()
        work(*arguments)
        times.append(perf_counter() - started)
    return min(times)


def main() -> int:
    """Print a line a game, the totals and the ratios."""
    folder = games_folder(sys.argv[1:])
    total = seconds = baseline = 0.0
    copies = []
    for name, told in games(folder).items():
        try:
            count, state = replayed(told)
        except Refusal as refusal:
            sys.stdout.write(f"{name}: {refusal}\n")
            return 1
        took, plain = best(replayed, told), best(as_json, told)
        total, seconds, baseline = total + count, seconds + took, baseline + plain
        copies.append((best(lambda state=state: [state.copy() for _ in range(COPIES)]), state))
        sys.stdout.write(f"{name:28} {count:5} actions  {count / took:7,.0f} a second\n")
    if not copies:
        sys.stdout.write(f"no games in {folder}\n")
        return 1
    copied = median(took for took, _ in copies) / COPIES
    deep = best(lambda: deepcopy(copies[0][1].corporations))
    sys.stdout.write(
        f"{total:,.0f} actions in {seconds:.3f} s: {total / seconds:,.0f} a second, "
        f"{seconds / baseline:.1f} times the JSON of the entries\n"
        f"a copy of the last position {copied * 1e6:.0f} µs, "
        f"{deep / copied:.0f} times faster than deepcopy of the corporations alone\n"
    )
    return 0


if __name__ == "__main__":
    raise SystemExit(main())
