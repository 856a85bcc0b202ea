"""Do games played at random end, with nothing lost? `python bench/random_games.py [SEEDS]`.

For 2 to 6 players and both presets, SEEDS games (200 unless told) driven by `options` to their end,
in as many processes as there are processors; at every step the invariants of the tests and the ends
of every range are checked. Exit status 1 at the first game that loses something or stops.
"""

import sys
from collections import Counter
from multiprocessing import Pool
from pathlib import Path
from time import perf_counter

sys.path.insert(0, str(Path(__file__).resolve().parents[1]))

from pbem.tests.test_random_play import PRESETS, play_to_the_end

Game = tuple[int, int, str]


def played(which: Game) -> tuple[Game, int, str, str]:
    """How long the game was and how it ended, or what went wrong."""
    seed, players, preset = which
    try:
        game = play_to_the_end(seed, players, preset)
    except Exception as error:  # noqa: BLE001 - the game is named, and the run ends
        return which, 0, "", repr(error)
    return which, len(game.log), game.state.over or "too long", ""


def main() -> int:
    """Print a line for each number of players."""
    seeds = int(sys.argv[1]) if len(sys.argv) > 1 else 200
    started = perf_counter()
    actions = 0
    with Pool() as pool:
        for players in range(2, 7):
            ends: Counter[str] = Counter()
            wanted = [(seed, players, preset) for seed in range(seeds) for preset in PRESETS]
            for which, length, over, error in pool.imap_unordered(played, wanted):
                if error:
                    sys.stdout.write(f"seed {which}: {error}\n")
                    return 1
                actions += length
                ends[over] += 1
            told = ", ".join(f"{count} by {over}" for over, count in ends.most_common())
            sys.stdout.write(f"{players} players: {len(wanted)} games, {told}\n")
            sys.stdout.flush()
    took = perf_counter() - started
    sys.stdout.write(f"{actions:,} actions, {actions / took:,.0f} a second\n")
    return 0


if __name__ == "__main__":
    raise SystemExit(main())
