"""Runs as ribbons along the track; those that share a stretch lie side by side."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from itertools import count, pairwise

from .faces import Face
from .geometry import Curve, Point
from .layout import layout
from .sheet import End, Piece, Sheet

BESIDE = 9.0  # between ribbons on the same track


@dataclass(frozen=True, slots=True)
class Ribbon:
    """A train's run: `legs` from stop to stop as in `actions.Route`, and what it earns."""

    train: str
    legs: tuple[tuple[str, ...], ...]
    value: int


@dataclass(frozen=True, slots=True)
class Stripe:
    """A ribbon as drawn: its path; the hexsides that it crosses, each with the hexes that it joins,
    where its number may stand; the stops (hex, node) that it counts."""

    path: str
    spots: tuple[tuple[Point, str, str], ...]
    stops: tuple[tuple[str, int], ...]


@dataclass(frozen=True, slots=True)
class Step:
    """A leg's way over one hex, from end to end."""

    hex: str
    a: End
    b: End

    @property
    def key(self) -> tuple[str, frozenset[End]]:
        return self.hex, frozenset((self.a, self.b))


def stripes(printed: Sheet, found: Mapping[str, Face], runs: Sequence[Ribbon]) -> Iterator[Stripe]:
    """The ribbons in their order. A leg without track is left out."""
    ways = [[_steps(printed, found, leg) for leg in run.legs] for run in runs]
    offsets = _offsets(ways)
    for number, legs in enumerate(ways):
        paths, stops = [], []
        spots: list[tuple[Point, str, str]] = []
        for turn, steps in enumerate(legs):
            curves = [_curve(found, step).beside(offsets[number, turn]) for step in steps]
            for n, (step, curve) in enumerate(zip(steps, curves, strict=True)):
                x, y = printed.centre(step.hex)
                paths.append(curve.drawn(bool(n), (x, y)))
                if n < len(steps) - 1:
                    at = x + curve.end[0], y + curve.end[1]
                    spots.append((at, step.hex, steps[n + 1].hex))
            for step, end in ((steps[0], steps[0].a), (steps[-1], steps[-1].b)) if steps else ():
                stop = (step.hex, int(str(end)[1:]))
                if stop not in stops:
                    stops.append(stop)
        yield Stripe("".join(paths), tuple(spots), tuple(stops))


def _curve(found: Mapping[str, Face], step: Step) -> Curve:
    face = found[step.hex]
    return layout(face.title, step.hex, face.tile, face.rotation).way(step.a, step.b)


def _steps(printed: Sheet, found: Mapping[str, Face], leg: Sequence[str]) -> list[Step]:
    steps: list[Step] = []
    came: End | None = None
    for here, there in pairwise(leg):
        out = printed.edge(here, there)
        lying = found[here].print
        a = came if came is not None else _node(lying.pieces, out)
        if a is None or lying.gauge(a, out) is None:
            return []
        steps.append(Step(here, a, out))
        came = (out + 3) % 6
    if came is None:
        return []
    last = _node(found[leg[-1]].print.pieces, came)
    return [*steps, Step(leg[-1], came, last)] if last is not None else []


def _node(pieces: Sequence[Piece], edge: End) -> End | None:
    """The node that the track of an edge leads to."""
    return next((one.b for one in pieces if one.a == edge and isinstance(one.b, str)), None)


def _offsets(ways: Sequence[Sequence[Sequence[Step]]]) -> dict[tuple[int, int], float]:
    """How far to the right of its way each leg of each run lies: 0 where it shares no track.

    A leg that shares a stretch with earlier ones takes a lane of its own beside theirs, and counts
    right and left by the way that they go.
    """
    users: dict[tuple[str, frozenset[End]], list[tuple[tuple[int, int], Step]]] = {}
    lanes: dict[tuple[int, int], int] = {}
    signs: dict[tuple[int, int], int] = {}
    for number, legs in enumerate(ways):
        for turn, steps in enumerate(legs):
            leg = number, turn
            beside = [
                (other, 1 if step.a == theirs.a else -1)
                for step in steps
                for other, theirs in users.get(step.key, ())
            ]
            taken = {lanes[other] for other, _ in beside}
            lanes[leg] = next(lane for lane in count() if lane not in taken)
            signs[leg] = signs[beside[0][0]] * beside[0][1] if beside else 1
            for step in steps:
                users.setdefault(step.key, []).append((leg, step))
    shared = {leg for same in users.values() if len(same) > 1 for leg, _ in same}
    middle = max(lanes.values(), default=0) / 2
    return {
        leg: (lane - middle) * BESIDE * signs[leg] if leg in shared else 0.0
        for leg, lane in lanes.items()
    }
