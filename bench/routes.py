"""How fast is the best run? From the root: `python bench/routes.py [FOLDER] [--few]`.

On every position of every game of 1830 in FOLDER (`$FIGF_CASES/1830`, or the project's own games)
in which trains ran: our search, the solver and the brute force of the tests, best of three runs
each, all three to agree and ours to prove it. Then the best lays of each of those turns, beside a
search anew after each lay. Then boards full of track with three diesels, ours with a bound of work
of about a second, the solver with half a minute. --few takes one turn in ten and three boards.
Exit status 1 if anybody disagrees, or a real position is not proven.
"""

import signal
import sys
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from pathlib import Path
from statistics import median
from time import perf_counter
from typing import Any

sys.path.insert(0, str(Path(__file__).resolve().parents[1]))

from bench.replay import games, games_folder
from pbem.engine import Game
from pbem.engine.best import best_run
from pbem.engine.lays import Gain, best_lays
from pbem.engine.track import lay
from pbem.tests.oracles import best_by_force, best_by_solver
from pbem.tests.small_maps import saturated
from pbem.tests.turns import Turn, turns

RUNS = 3
PATIENCE = 5.0  # seconds for the brute force
WORK = 6_000_000  # steps: about a second
LONG = 30.0  # seconds for the solver on a full board
BOARDS = 12


@contextmanager
def patience(seconds: float) -> Iterator[None]:
    """Break off what is inside, with a `TimeoutError`, when it takes longer."""

    def enough(*_: Any) -> None:
        raise TimeoutError

    before = signal.signal(signal.SIGALRM, enough)
    signal.setitimer(signal.ITIMER_REAL, seconds)
    try:
        yield
    finally:
        signal.setitimer(signal.ITIMER_REAL, 0)
        signal.signal(signal.SIGALRM, before)


def timed(work: Callable[..., Any], *arguments: Any) -> tuple[float, Any]:
    """The shortest of three runs, in seconds, and what came out."""
    times, found = [], None
    for _ in range(RUNS):
        started = perf_counter()
        found = work(*arguments)
        times.append(perf_counter() - started)
    return min(times), found


def forced(turn: Turn) -> int | None:
    """The brute force's optimum, or None if it has not come to it."""
    try:
        with patience(PATIENCE):
            return best_by_force(turn.game.state, turn.symbol).value
    except TimeoutError:
        return None


def spread(name: str, times: list[float], ours: list[float] | None = None) -> str:
    """A line of a table, in milliseconds."""
    ranked = sorted(times)
    told = [median(ranked), ranked[len(ranked) * 95 // 100], ranked[-1]]
    line = f"{name:16}" + "".join(f"{seconds * 1000:10.2f}" for seconds in told)
    if ours is None:
        return line + "\n"
    return f"{line}   {sum(times) / sum(ours):6.1f} times ours\n"


def anew(game: Game, symbol: str, found: list[Gain]) -> list[int]:
    """The gains of these lays, by a search from the start after each: the baseline."""
    before = best_run(game, symbol).value
    gains = []
    for one in found:
        after = game.copy()
        lay(after.state, after.state.round, one.lay)  # type: ignore[arg-type]
        gains.append(best_run(after, symbol).value - before)
    return gains


def on_real_positions(played: list[Turn]) -> bool:
    """The table of the best runs; whether all is well."""
    ours, solver, force = [], [], []
    unsolved = better = 0
    well = True
    for turn in played:
        assert turn.run
        took, best = timed(best_run, turn.game, turn.symbol)
        ours.append(took)
        took, solved = timed(best_by_solver, turn.game.state, turn.symbol)
        solver.append(took)
        took, tried = timed(forced, turn)
        force.append(took)
        unsolved += tried is None
        ran = turn.game.copy()
        ran.apply(turn.run)
        better += best.value > getattr(ran.state.round, "earned", 0)
        if not best.proven or best.value != solved or tried not in {None, best.value}:
            sys.stdout.write(f"action {turn.number}, {turn.symbol}: {best} {solved} {tried}\n")
            well = False
    sys.stdout.write(
        f"{len(played)} positions, on {better} the best run is better than what was run\n"
        f"{'milliseconds':16}{'median':>10}{'95%':>10}{'worst':>10}\n"
    )
    sys.stdout.write(spread("best_run", ours))
    sys.stdout.write(spread("CP-SAT", solver, ours))
    sys.stdout.write(spread("brute force", force, ours))
    if unsolved:
        sys.stdout.write(f"brute force: {unsolved} unsolved in {PATIENCE:.0f} s\n")
    return well


def on_lays(played: list[Turn]) -> bool:
    """The table of the lays; whether all is well."""
    ours, fresh, counts = [], [], []
    well = True
    for turn in played:
        took, found = timed(best_lays, turn.begun, turn.symbol)
        ours.append(took)
        counts.append(len(found))
        started = perf_counter()
        gains = anew(turn.begun, turn.symbol, found)
        fresh.append(perf_counter() - started)
        if [one.gain for one in found] != gains or not all(one.proven for one in found):
            sys.stdout.write(f"lays before action {turn.number}, {turn.symbol}: {found} {gains}\n")
            well = False
    sys.stdout.write(
        f"{len(played)} turns, lays: median {median(counts):.0f}, most {max(counts)}\n"
    )
    sys.stdout.write(spread("best_lays", ours))
    sys.stdout.write(spread("each lay anew", fresh, ours))
    return well


def on_full_boards(count: int) -> bool:
    """A line for each board; whether no bound is false."""
    well = True
    for seed in range(count):
        game = saturated(seed, "D", "D", "D")
        symbol = game.actor or ""
        started = perf_counter()
        best = best_run(game, symbol, work=WORK)
        took = perf_counter() - started
        started = perf_counter()
        try:
            solved = best_by_solver(game.state, symbol, LONG)
        except TimeoutError:
            solved = None
        other = perf_counter() - started
        told = "proven" if best.proven else f"not proven, at most {best.bound}"
        sys.stdout.write(
            f"full board {seed:2}, D+D+D of {symbol:4}: {best.value:5} in {took:5.2f} s, {told}; "
            f"CP-SAT {solved or 'nothing'} in {other:.2f} s\n"
        )
        sys.stdout.flush()
        well &= solved is None or best.value <= solved <= best.bound
    return well


def main() -> int:
    """Print the three tables."""
    few = "--few" in sys.argv
    folder = games_folder([one for one in sys.argv[1:] if one != "--few"])
    played = [one for told in games(folder).values() for one in turns(told) if one.run]
    if not played:
        sys.stdout.write(f"no runs in the games of {folder}\n")
        return 1
    played = played[:: 10 if few else 1]
    well = on_real_positions(played)
    well &= on_lays(played)
    well &= on_full_boards(3 if few else BOARDS)
    return 0 if well else 1


if __name__ == "__main__":
    raise SystemExit(main())
