"""Are the dice fair, and how fast? From the root of the project: `python bench/dice.py`.

Throws 60,000 dice from 1,000 fresh seeds and compares the faces with a fair die by chi-square.
Exit status 0 when p is within 0.0001 to 0.9999, else 1: honest dice fail once in 5,000 runs.
"""

import sys
from collections import Counter
from math import erfc, exp, pi, sqrt
from pathlib import Path
from random import SystemRandom
from time import perf_counter

sys.path.insert(0, str(Path(__file__).resolve().parents[1]))

from figf.dice import PROTOCOL, Receipt, commitment, new_seed, throws

SEEDS, DICE_PER_SEED = 1_000, 60
TOTAL = SEEDS * DICE_PER_SEED
LOWEST, HIGHEST = 0.0001, 0.9999


def chi_square(faces: Counter[int]) -> float:
    """The distance of the six counts from a fair die: 0 is perfect, 5 is usual.

    >>> chi_square(Counter({1: 10, 2: 10, 3: 10, 4: 10, 5: 8, 6: 12}))
    0.8
    """
    expected = faces.total() / 6
    return sum((faces[face] - expected) ** 2 for face in range(1, 7)) / expected


def p_value(distance: float) -> float:
    """How often fair dice are at least so distant: chi-square survival, 5 degrees of freedom.

    Two critical values found in any table:

    >>> round(p_value(11.0705), 5), round(p_value(20.515), 5)
    (0.05, 0.001)
    """
    half = distance / 2
    return erfc(sqrt(half)) + 2 * sqrt(half / pi) * exp(-half) * (1 + distance / 3)


def thrown(seed: str) -> tuple[int, ...]:
    """A whole draw, of nobody's words."""
    moment = "2026-03-01T20:00:00+00:00"
    return throws(Receipt(PROTOCOL, "bench", 6, DICE_PER_SEED, moment, (), commitment(seed), seed))


def main() -> int:
    """Print the counts, the chi-square and the speed beside the system's own dice."""
    started = perf_counter()
    faces = Counter(value for _ in range(SEEDS) for value in thrown(new_seed()))
    ours = TOTAL / (perf_counter() - started)

    system = SystemRandom()
    started = perf_counter()
    Counter(system.randint(1, 6) for _ in range(TOTAL))
    theirs = TOTAL / (perf_counter() - started)

    distance = chi_square(faces)
    p = p_value(distance)
    fair = LOWEST <= p <= HIGHEST
    sys.stdout.write(
        f"{TOTAL:,} dice from {SEEDS:,} seeds\n"
        + "".join(f"  {face}: {faces[face]:,}\n" for face in range(1, 7))
        + f"chi-square {distance:.3f}, 5 degrees of freedom, p = {p:.4f}: "
        + f"{'within' if fair else 'OUTSIDE'} {LOWEST} to {HIGHEST}\n"
        + f"{ours:,.0f} throws a second, {ours / theirs:.1f} times SystemRandom().randint"
        + f" ({theirs:,.0f}) in the same process\n"
    )
    return 0 if fair else 1


if __name__ == "__main__":
    sys.exit(main())
