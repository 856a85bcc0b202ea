"""1830/R-14, FIGF-U-12 — the best possible run of a corporation's trains, proven.

A run through an own token is two *arms* that begin at it, with no side and no stop in common; the
empty arm counts as one. Arms are few, runs many, so the search lists the arms of each token once,
best first, and joins them only as far as it must:

* the best run of each kind of train alone, for which the first pairs of arms nearly always do;
* a good set of runs: for each train in turn the best run that keeps off the track used;
* then only the runs that could be in a better set — those worth more than that set without what
  the other trains earn alone — and the sets of them, the dearest run first, cut off by what the
  runs that remain could earn at most.

What is found is handed to `routes.earnings`, the very check of the routes that somebody claims.
"""

from __future__ import annotations

from bisect import bisect_right
from collections.abc import Sequence
from dataclasses import dataclass
from fractions import Fraction
from itertools import islice
from operator import itemgetter
from typing import TYPE_CHECKING, NamedTuple

from .actions import Route, Run
from .errors import MalformedAction
from .network import Leg, Network
from .routes import earnings
from .state import State

if TYPE_CHECKING:
    from .game import Game

FEW = 200  # arms of a token that a search cut short still joins


@dataclass(frozen=True, slots=True)
class Best:
    """A run that is legal, what it earns, and what no run can exceed.

    `bound` equals `value` when the optimum is proven, which it always is unless the caller set a
    bound on the work. `work` counts the steps of the search: the same on every machine.
    """

    run: Run
    value: int
    bound: int
    work: int

    @property
    def proven(self) -> bool:
        return self.bound == self.value


def best_run(game: Game, corporation: str, work: int | None = None) -> Best:
    """1830/R-1..R-14, FIGF-U-12 — the run of all trains together that earns most.

    The board, the tokens, the trains and the phase are those of the position, whoever's turn it is.
    Of several best runs it is always the same one. With `work` the search ends after about that
    many steps (a million take some tenths of a second) with the best run so far, which may then
    not be proven; without, it ends when it is proven.

    Raises `MalformedAction` if the title has no such corporation.
    """
    state = game.state
    if corporation not in state.corporations:
        raise MalformedAction("corporation", corporation, "a corporation")
    network = Network(state, corporation)
    trains = state.corporations[corporation].trains
    search = _Search(network, [_reach(state, train, network) for train in trains], work)
    chosen = search.settle()
    routes = []
    for train in trains:  # the runs found are by reach: each train takes the next of its own
        reach = _reach(state, train, network)
        found = next((one for one in chosen if one.reach == reach), None)
        if found:
            chosen.remove(found)
            routes.append(Route(train, search.legs(found)))
    run = Run(corporation, tuple(routes))
    value = earnings(state, run)
    return Best(run, value, max(value, search.bound), search.done)


def _reach(state: State, train: str, network: Network) -> int:
    """1830/R-2 — how many stops the train counts; a diesel, all that there are."""
    most = len(network.stops)
    reach = state.title.trains[train].reach
    return most if reach is None else min(reach, most)


class _Arm(NamedTuple):
    """Stops from a token outwards: `used` are the sides crossed and, above them, the stops."""

    value: int  # of the stops, without the token's
    used: int
    length: int  # in stops, without the token
    before: int  # the arm that it lengthens
    leg: Leg | None  # by this leg


class _Found(NamedTuple):
    """A run: two arms of a token, and the kind of train that runs it."""

    value: int
    sides: int
    token: int
    one: int
    other: int
    reach: int


_Ranked = tuple[int, int, int, int]  # an arm's value, sides and stops used, count, number


class _SpentError(Exception):
    """The work allowed is done."""


class _Search:
    """The best set of runs for trains of these reaches; `bound` is what no set exceeds."""

    def __init__(self, network: Network, reaches: Sequence[int], work: int | None) -> None:
        self.network = network
        self.reaches = sorted(reaches, reverse=True)
        self.bound = 0
        self.done = 0
        self._allowed = work
        self._best = 0
        self._chosen: list[_Found] = []
        self._arms: list[list[_Arm]] = []  # of each token, as they were found
        self._ranked: list[list[_Ranked]] = []  # the same, the best first, the empty one last

    def settle(self) -> list[_Found]:
        """The best set of runs, one a train at most; past the work allowed, a good one."""
        if not self.reaches or self.reaches[0] < 2:
            return []
        try:
            self._prove()
            self.bound = self._best
        except _SpentError:
            most = ceiling(self.network, self.reaches)
            self.bound = min(self.bound or most, most)
            if not self._chosen:
                self._make_do()
        return self._chosen

    def _prove(self) -> None:
        for token in range(self.network.tokens):
            self._list_arms(token)
        self._rank()
        alone = {reach: self._alone(reach) for reach in sorted(set(self.reaches))}
        most = [one.value if (one := alone[reach]) else 0 for reach in self.reaches]
        self.bound = sum(most)
        self._one_by_one()
        if self._best < self.bound:
            runs = {
                reach: self._runs(reach, max(1, self._best + 1 - self.bound + one.value))
                for reach, one in alone.items()
                if one
            }
            self._combine([runs.get(reach, []) for reach in self.reaches])

    def _make_do(self) -> None:
        """A set of runs from the arms found so far, the best few of each token."""
        self._allowed = None
        self._rank()
        self._ranked = [[*arms[:-1][:FEW], arms[-1]] for arms in self._ranked]
        self._one_by_one()

    def _spend(self, steps: int) -> None:
        self.done += steps
        if self._allowed is not None and self.done > self._allowed:
            raise _SpentError

    def _keep(self, chosen: list[_Found]) -> None:
        value = sum(found.value for found in chosen)
        if value > self._best:
            self._best, self._chosen = value, chosen

    # --- arms -------------------------------------------------------------------------------------

    def _list_arms(self, token: int) -> None:
        """1830/R-1..R-6 — every way from a token that passes no token listed before it, which a run
        through both would have been found from."""
        stops, above, longest = self.network.stops, self.network.side_count, self.reaches[0] - 1
        arms = [_Arm(0, 0, 0, 0, None)]
        self._arms.append(arms)
        here = 1 << (above + stops[token].spot)
        todo = [(token, here, 0, 0, 0)]
        while todo:
            stop, used, value, count, before = todo.pop()
            self._spend(len(stops[stop].legs))
            count += 1
            for leg in stops[stop].legs:
                end = leg.end
                reached = stops[end]
                crossed = leg.sides | 1 << (above + reached.spot)
                if used & crossed or end < token:
                    continue
                worth = value + reached.value
                if reached.through and count < longest:
                    todo.append((end, used | crossed, worth, count, len(arms)))
                arms.append(_Arm(worth, (used | crossed) ^ here, count, before, leg))

    def _rank(self) -> None:
        self._ranked = []
        for arms in self._arms:
            ranked = [(arm.value, arm.used, arm.length, n) for n, arm in enumerate(arms) if n]
            ranked.sort(key=itemgetter(0), reverse=True)
            self._ranked.append([*ranked, (0, 0, 0, 0)])

    # --- one run ----------------------------------------------------------------------------------

    def _alone(self, reach: int, used: int = 0) -> _Found | None:
        """The best run of at most `reach` stops that keeps off the sides used; None if there is
        none that earns."""
        best, found = 0, None
        clip = used or reach < self.reaches[0]
        for token, ranked in enumerate(self._ranked):
            base = self.network.stops[token].value
            arms = ranked
            if clip:
                self._spend(len(ranked))
                arms = [arm for arm in ranked if arm[2] < reach and not arm[1] & used]
            for n, (value, sides, count, one) in enumerate(arms[:-1], 1):
                if base + 2 * value <= best:
                    break  # the other arm is worth no more than this one
                room = reach - 1 - count
                looked = 0
                for looked, (more, others, further, other) in enumerate(islice(arms, n, None)):  # noqa: B007
                    if base + value + more <= best:
                        break
                    if not sides & others and further <= room:
                        best = base + value + more
                        found = _Found(best, sides | others, token, one, other, reach)
                        break
                self._spend(looked + 1)
        return found and found._replace(sides=found.sides & self.network.all_sides)

    def _one_by_one(self) -> None:
        """A good set: train by train, the longest first, the best run that keeps off the others."""
        used = 0
        chosen: list[_Found] = []
        for reach in self.reaches:
            found = self._alone(reach, used)
            if found:
                used |= found.sides
                chosen.append(found)
        self._keep(chosen)

    # --- sets of runs -----------------------------------------------------------------------------

    def _runs(self, reach: int, least: int) -> list[_Found]:
        """Every run of at most `reach` stops that earns `least` or more, the best first."""
        runs: list[_Found] = []
        track = self.network.all_sides
        for token, arms in enumerate(self._ranked):
            base = self.network.stops[token].value
            down = [-arm[0] for arm in arms]
            for n, (value, sides, count, one) in enumerate(arms[:-1], 1):
                if base + 2 * value < least:
                    break
                room = reach - 1 - count
                last = bisect_right(down, base + value - least)
                self._spend(max(1, last - n))
                runs += [
                    _Found(base + value + more, (sides | others) & track, token, one, other, reach)
                    for more, others, further, other in arms[n:last]
                    if not sides & others and further <= room
                ]
        runs.sort(key=itemgetter(0), reverse=True)
        return runs

    def _combine(self, runs: list[list[_Found]], chosen: tuple[_Found, ...] = ()) -> None:
        """1830/R-7 — the best set of runs without common track: one of the first train's, or none,
        with the best set for the trains after it. `runs` lists, for each train still to run, those
        that keep off the track of the chosen ones; trains of one kind share their list."""
        first, after = runs[0], runs[1:]
        value = sum(found.value for found in chosen)
        if not after:
            self._keep([*chosen, *first[:1]])
            return
        rest = sum(others[0].value for others in after if others)
        twins = sum(others is first for others in after)
        strangers = sum(others[0].value for others in after if others and others is not first)
        for n, found in enumerate(first, 1):
            # a train of the same kind earns no more than this one: else the two would be exchanged
            most = value + found.value + min(rest, strangers + twins * found.value)
            if not chosen:
                self.bound = min(self.bound, max(most, rest))
            if most <= self._best:
                break
            if len(after) == 1:
                self._add_last(after[0], n if twins else 0, (*chosen, found))
                continue
            apart = {}
            for others in after:
                if id(others) not in apart:
                    later = first[n:] if others is first else others
                    self._spend(len(later))
                    apart[id(others)] = [one for one in later if not one.sides & found.sides]
            self._combine([apart[id(others)] for others in after], (*chosen, found))
        if value + rest > self._best:
            self._combine(after, chosen)

    def _add_last(self, runs: list[_Found], start: int, chosen: tuple[_Found, ...]) -> None:
        """The best run for the last train, if it makes the best set."""
        least = self._best - sum(found.value for found in chosen)
        sides = chosen[-1].sides
        looked = 0
        for looked, found in enumerate(islice(runs, start, None), 1):  # noqa: B007
            if found.value <= least:
                break
            if not found.sides & sides:
                self._keep([*chosen, found])
                break
        self._spend(looked + 1)
        self._keep(list(chosen))

    # --- the run found ----------------------------------------------------------------------------

    def legs(self, found: _Found) -> tuple[tuple[str, ...], ...]:
        """The legs of a run from one end to the other, the hexes of each in the order passed."""
        inwards = [leg.hexes[::-1] for leg in self._outwards(found.token, found.one)][::-1]
        return (*inwards, *(leg.hexes for leg in self._outwards(found.token, found.other)))

    def _outwards(self, token: int, number: int) -> list[Leg]:
        legs = []
        while (arm := self._arms[token][number]).leg:
            legs.append(arm.leg)
            number = arm.before
        return legs[::-1]


def ceiling(network: Network, reaches: Sequence[int]) -> int:
    """What no set of runs earns more than, at a glance: the lesser of two relaxations.

    * Each train stops where it earns most, as many places as it counts (1830/R-2).
    * No side is used twice (R-3, R-7): a stop of `d` sides is passed `d // 2` times, each pass
      using two, but for the two ends of every train, which use one; there is no passing a place
      that ends runs (R-4, R-5); a train comes to a place once.
    """
    values = sorted((stop.value for stop in network.stops), reverse=True)
    by_length = sum(sum(values[:reach]) for reach in reaches)
    trains = len(reaches)
    by_sides = 0
    ends: list[tuple[Fraction, int]] = []  # what an end is worth here, and how many may be
    for stop in network.stops:
        sides = stop.sides.bit_count()
        passes = min(trains, sides // 2) if stop.through else 0
        by_sides += stop.value * passes
        if not stop.through:
            ends.append((Fraction(stop.value), min(trains, sides)))
            continue
        more = trains - passes  # visits that there could be besides
        if more and sides % 2:  # the odd side: one end makes a visit
            ends.append((Fraction(stop.value), 1))
            more -= 1
        ends.append((Fraction(stop.value, 2), 2 * min(more, passes)))  # two ends for a pass
    left = 2 * trains
    total = Fraction(by_sides)
    for worth, most in sorted(ends, reverse=True):
        total += worth * min(left, most)
        left -= min(left, most)
    return min(by_length, int(total))
