"""Do exactly the options succeed? `python bench/perft.py [EVERY]` from the root of the project.

Counts the option sequences four deep in the auction, three deep in the first stock round, and two
deep from five positions in the middle of games, a range of amounts counting once; and at one node
in EVERY (100 unless told; 1 is hours) holds the options of everybody against everything that could
be tried. Exit status 1 at the first node where they differ.
"""

import sys
from collections.abc import Callable, Iterator
from functools import partial
from multiprocessing import Pool
from pathlib import Path
from time import perf_counter

sys.path.insert(0, str(Path(__file__).resolve().parents[1]))

from pbem.engine import Game, start
from pbem.tests.positions import after_auction
from pbem.tests.random_play import position
from pbem.tests.test_perft import (
    MIDDLES,
    PRESETS,
    hold_options_against_everything,
    options_of,
    sequences,
)

Begin = Callable[[], Game]


def roots() -> Iterator[tuple[str, Begin, int]]:
    """What each count begins from, and how deep it goes."""
    for preset in PRESETS:
        yield f"auction, {preset}", partial(start, "1830", ["1", "2", "3", "4"], preset), 4
        yield f"first stock round, {preset}", partial(after_auction, 4, preset), 3
    for seed, players, actions, preset in MIDDLES:
        name = f"game {seed} of {players} after {actions} actions, {preset}"
        yield name, partial(position, seed, players, actions, preset), 2


def examined(begin: Begin, depth: int, every: int, first: int) -> tuple[int, int, str]:
    """Of the nodes below one first option: how many there are, how many were held against
    everything, and what differed."""
    game = begin()
    assert game.actor
    game.apply(options_of(game, game.actor)[first].action)
    count = held = 0
    for count, node in enumerate(sequences(game, depth - 1), 1):
        if (count + first) % every == 0:
            held += 1
            try:
                hold_options_against_everything(node)
            except AssertionError as error:
                return count, held, f"{error}\n{node}"
    return count, held, ""


def main() -> int:
    """Print a line for each root."""
    every = int(sys.argv[1]) if len(sys.argv) > 1 else 100
    with Pool() as pool:
        for name, begin, depth in roots():
            started = perf_counter()
            game = begin()
            assert game.actor
            branches = range(len(options_of(game, game.actor)))
            work = partial(examined, begin, depth, every)
            count = held = 0
            for some, tried, wrong in pool.imap_unordered(work, branches):
                if wrong:
                    sys.stdout.write(f"{name}: {wrong}\n")
                    return 1
                count, held = count + some, held + tried
            took = perf_counter() - started
            sys.stdout.write(f"{name}: {count:,} {depth} deep, {held:,} held, {took:.0f} s\n")
            sys.stdout.flush()
    return 0


if __name__ == "__main__":
    raise SystemExit(main())
