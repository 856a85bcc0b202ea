"""What a page shows of one position of a replayed game: plain values for the templates."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from functools import cached_property
from urllib.parse import urlencode

from django.utils.translation import gettext as _
from django.utils.translation import pgettext

from pbem.board import map as railway_map
from pbem.board import papers, tiles
from pbem.board.papers import Papers
from pbem.board.printed import facts
from pbem.board.ribbons import Ribbon
from pbem.board.run_check import Check, check
from pbem.board.words import money
from pbem.engine import Game
from pbem.engine.actions import LayTile, PlaceToken, Run
from pbem.engine.best import Best, best_run
from pbem.engine.lays import Gain, best_lays
from pbem.engine.routes import count, earnings
from pbem.engine.state import Operating, State
from pbem.engine.state import Step as TurnStep
from pbem.services import Entry, Film, Part
from pbem.texts import Names, round_words, words

AROUND = 14  # entries of the log before and after the position
# The most that a reader may have the search do; the recorded games take 6,000 steps at most.
RUN_WORK, LAY_WORK = 200_000, 10_000
MOST_LAYS = 40  # in the table; the map has all
RUN, LAYS, TRY = "giro", "pose", "prova"
SIGNS = {  # drawn in a square of 16
    "first": "M3 3V13M13 3 6 8 13 13Z",
    "round-before": "M8 3 2 8 8 13ZM14 3 8 8 14 13Z",
    "turn-before": "M11 3 4 8 11 13Z",
    "before": "M10 3 5 8 10 13 5 8Z",
    "after": "M6 3 11 8 6 13 11 8Z",
    "turn-after": "M5 3 12 8 5 13Z",
    "round-after": "M8 3 14 8 8 13ZM2 3 8 8 2 13Z",
    "last": "M13 3V13M3 3 10 8 3 13Z",
}
APART = 46  # of two labels on the line, in thousandths of it


@dataclass(frozen=True, slots=True)
class Look:
    """What is asked for: a position, clamped to those that there are, and what to show on it."""

    n: int
    show: str = ""
    tried: tuple[str, ...] = ()  # a run that the reader names, train by train


@dataclass(frozen=True, slots=True)
class Step:
    """A way to another position; `query` is None where it leads nowhere."""

    id: str
    sign: str
    words: str
    query: str | None


@dataclass(frozen=True, slots=True)
class Line:
    """An entry of the log, and the query of the position after it."""

    n: int
    entry: Entry
    query: str
    here: bool


@dataclass(frozen=True, slots=True)
class Chapter:
    """A round in the log: its entries around the position, and how many others it has."""

    name: str
    count: int
    query: str
    lines: tuple[Line, ...]
    before: int
    after: int


@dataclass(frozen=True, slots=True)
class Station:
    """A stop on the line of the game, `x` in thousandths of it: the positions `n` to `until`."""

    n: int
    until: int
    x: int
    words: str
    label: str
    kind: str


@dataclass(frozen=True, slots=True)
class Placement:
    """A tile that could be laid, once for all rotations that leave the same track."""

    gain: Gain
    cost: str
    words: str  # what it adds
    picture: str


@dataclass(frozen=True, slots=True)
class Told:
    """The best run of who operates, beside what was run in that turn."""

    corporation: str
    value: str
    bound: str
    proven: bool
    routes: tuple[tuple[str, str, str], ...]  # train, stops, value
    was: str
    was_words: str
    best: bool  # what was run earns as much


@dataclass(frozen=True)
class Position:
    """A position of a film, as its page shows it. What nobody looks at is not computed."""

    film: Film
    n: int
    show: str
    names: Names
    game: Game
    tried: tuple[str, ...] = ()

    @property
    def state(self) -> State:
        return self.game.state

    @property
    def last(self) -> int:
        return self.film.length

    def query(self, n: int, show: str | None = None) -> str:
        """The query of a position, with what is shown now unless another thing is named."""
        what = self.show if show is None else show
        return "?" + urlencode({"n": n} | ({"mostra": what} if what else {}))

    @cached_property
    def here(self) -> str:
        return self.query(self.n) + "".join("&" + urlencode({"treno": one}) for one in self.tried)

    @cached_property
    def caption(self) -> str:
        """What led here."""
        if self.n == 0:
            return _("The players sit down: nothing is played yet.")
        return self._log[self.n - 1].deed

    @cached_property
    def outcomes(self) -> tuple[str, ...]:
        """What that brought about."""
        return self._log[self.n - 1].outcomes if self.n else ()

    @cached_property
    def papers(self) -> Papers:
        return papers.papers(self.state, self.names)

    @cached_property
    def refusal(self) -> str:
        """Why the game stops here, though its log goes on."""
        if self.film.refused is None or self.n < self.last:
            return ""
        return words(self.film.refused, self.names)

    # --- ways to other positions ---

    @cached_property
    def steps(self) -> tuple[Step, ...]:
        n, last, parts = self.n, self.last, self.film.parts
        firsts = [part.first for part in parts]
        here = self.film.part_of(n)
        round_before = firsts[here] if n > firsts[here] else firsts[here - 1] if here else None
        round_after = firsts[here + 1] if here + 1 < len(parts) else None
        turns = list(self._turns())
        ways = [
            ("first", _("Beginning"), 0 if n else None),
            ("round-before", _("Previous round"), round_before),
            ("turn-before", _("Previous turn"), _last_of(turns, n)),
            ("before", _("Previous action"), n - 1 if n else None),
            ("after", _("Next action"), n + 1 if n < last else None),
            ("turn-after", _("Next turn"), _first_of(turns, n)),
            ("round-after", _("Next round"), round_after),
            ("last", _("End"), last if n < last else None),
        ]
        return tuple(
            Step(f"go-{key}", SIGNS[key], told, None if to is None else self.query(to))
            for key, told, to in ways
        )

    @cached_property
    def same(self) -> tuple[Step, ...]:
        """The turns before and after of who acts, or acted last."""
        who = self.film.turns[self.n][1] or self.film.turns[max(self.n - 1, 0)][1]
        if who is None:
            return ()
        turns = [n for n in self._turns() if self.film.turns[n][1] == who]
        called = {"who": self.names.get(who, who)}
        found = [
            ("same-before", "←", _("Previous turn of %(who)s") % called, _last_of(turns, self.n)),
            ("same-after", "→", _("Next turn of %(who)s") % called, _first_of(turns, self.n)),
        ]
        return tuple(
            Step(f"go-{key}", sign, told, self.query(to))
            for key, sign, told, to in found
            if to is not None
        )

    def _turns(self) -> Iterator[int]:
        """The positions in which a turn begins."""
        turns = self.film.turns
        return (n for n in range(self.last + 1) if n == 0 or turns[n] != turns[n - 1])

    @cached_property
    def toggles(self) -> tuple[tuple[str, str, bool], ...]:
        """What can be shown on the map, or shown no more: words, query, whether it is on."""
        return tuple(
            (told, self.query(self.n, "" if self.show == what else what), self.show == what)
            for what, told in (
                (RUN, _("Best possible run")),
                (LAYS, _("Legal tiles")),
                (TRY, _("Try a run")),
            )
        )

    # --- the log ---

    @cached_property
    def _log(self) -> dict[int, Entry]:
        """The entries around the position, by the position that each begins from."""
        first, last = max(self.n - 1 - AROUND, 0), min(self.n + AROUND, self.last)
        return dict(enumerate(self.film.log(first, last, self.names), first))

    @cached_property
    def chapters(self) -> tuple[Chapter, ...]:
        return tuple(self._chapter(part) for part in self.film.parts)

    def _chapter(self, part: Part) -> Chapter:
        lines = tuple(
            Line(n + 1, self._log[n], self.query(n + 1), n + 1 == self.n)
            for n in range(part.first, part.last)
            if n in self._log
        )
        return Chapter(
            name_of(part),
            part.last - part.first,
            self.query(part.first),
            lines,
            lines[0].n - 1 - part.first if lines else 0,
            part.last - lines[-1].n if lines else 0,
        )

    # --- the map ---

    @cached_property
    def map(self) -> str:
        marks = railway_map.Marks(
            runs=self._ribbons(),
            lays=self._notes(),
            changed=frozenset(self._changed()),
        )
        return railway_map.svg(self.state, marks, self.names)

    @cached_property
    def map_in_words(self) -> str:
        return railway_map.told(self.state, self.names)

    def _notes(self) -> dict[str, str]:
        """What the best tile on each hex would bring."""
        most: dict[str, int] = {}
        for one in self.gains or ():
            most[one.lay.hex] = max(one.gain, most.get(one.lay.hex, one.gain))
        return {hex_id: _signed(gain) for hex_id, gain in most.items()}

    def _changed(self) -> Iterator[str]:
        action = self.film.actions[self.n - 1] if self.n else None
        if isinstance(action, LayTile | PlaceToken):
            yield action.hex

    def _ribbons(self) -> tuple[Ribbon, ...]:
        if self.check is not None:
            return _ribbons(self.state, self.check.run)
        if self.best is not None:
            return _ribbons(self.state, self.best.run)
        action = self.film.actions[self.n - 1] if self.n else None
        return _ribbons(self.state, action) if isinstance(action, Run) else ()

    # --- what is computed only when asked for ---

    @property
    def operating(self) -> str | None:
        """The corporation whose turn it is."""
        return self.state.operating

    @cached_property
    def best(self) -> Best | None:
        if self.show not in {RUN, TRY} or self.operating is None:
            return None
        return best_run(self.game, self.operating, RUN_WORK)

    @cached_property
    def told(self) -> Told | None:
        best, symbol = self.best, self.operating
        if best is None or symbol is None or self.show != RUN:
            return None
        ran = self._ran(symbol)
        was = None if ran is None else earnings(self.film.at(ran).state, self._run(ran))
        return Told(
            symbol,
            self._money(best.value),
            self._money(best.bound),
            best.proven,
            tuple(
                (one.route.train, one.hexes, self._money(one.value))
                for one in count(self.state, best.run)
            ),
            "" if was is None else self._money(was),
            "" if ran is None else self.film.log(ran, ran + 1, self.names)[0].deed,
            was == best.value,
        )

    @cached_property
    def check(self) -> Check | None:
        """The run that the reader names, counted."""
        if self.show != TRY or self.operating is None:
            return None
        return check(self.state, self.operating, self.tried, self.names)

    def _ran(self, symbol: str) -> int | None:
        """Which action of this turn is its run, if it has one."""
        turns, here = self.film.turns, self.film.turns[self.n]
        first = self.n
        while first and turns[first - 1] == here:
            first -= 1
        for n in range(first, self.last):
            if turns[n] != here:
                break
            action = self.film.actions[n]
            if isinstance(action, Run) and action.actor == symbol:
                return n
        return None

    def _run(self, n: int) -> Run:
        action = self.film.actions[n]
        if not isinstance(action, Run):
            raise TypeError("this action is no run")
        return action

    @cached_property
    def gains(self) -> list[Gain] | None:
        if self.show != LAYS or self.operating is None:
            return None
        return best_lays(self.game, self.operating, LAY_WORK)

    @cached_property
    def placements(self) -> list[Gain]:
        """The legal lays that differ in what they leave, those that bring most first."""
        found: dict[tuple[object, ...], Gain] = {}
        for one in self.gains or ():
            lay = one.lay
            track = frozenset(
                map(frozenset, self.state.title.tiles[lay.tile].at(lay.rotation).paths)
            )
            found.setdefault((lay.hex, lay.tile, lay.private, track), one)
        return sorted(
            found.values(), key=lambda one: (-one.gain, one.cost, one.lay.hex, str(one.lay))
        )

    @cached_property
    def lays(self) -> list[Placement]:
        """The first of them, as a table shows them."""
        name = self.state.title.name
        return [
            Placement(
                one,
                self._money(one.cost),
                _signed(one.gain),
                tiles.picture(name, one.lay.tile, one.lay.rotation),
            )
            for one in self.placements[:MOST_LAYS]
        ]

    @cached_property
    def after_its_tile(self) -> str:
        """Why none of the tiles shown can be laid now, though the corporation operates."""
        now = self.state.round
        if self.operating is None or not isinstance(now, Operating) or now.step <= TurnStep.TRACK:
            return ""
        told = {"corporation": self.operating}
        if now.laid:
            return _("%(corporation)s has laid its tile in this turn.") % told
        return _("%(corporation)s laid no tile in this turn, and can lay none any more.") % told

    def _money(self, amount: int) -> str:
        return money(amount, facts(self.state.title.name)["currency"])


def shown(film: Film, look: Look, names: Names) -> Position:
    n = min(max(look.n, 0), film.length)
    show = look.show if look.show in {RUN, LAYS, TRY} else ""
    return Position(film, n, show, names, film.at(n), look.tried if show == TRY else ())


# --- rounds and stations --------------------------------------------------------------------------


def name_of(part: Part) -> str:
    return round_words(part.kind, part.turn, part.number)


def _short(part: Part) -> str:
    if part.kind == "auction":
        return pgettext("opening auction, short", "Au")
    if part.kind == "stock":
        return pgettext("stock round, short", "SR%(n)d") % {"n": part.turn}
    told = {"turn": part.turn, "n": part.number}
    return pgettext("operating round, short", "OR%(turn)d.%(n)d") % told


def stations(film: Film) -> list[Station]:
    """The line of a game: its rounds, labelled where there is room, and where phases begin."""
    length = max(film.length, 1)
    at = {part: 1000 * part.first // length for part in film.parts}
    labelled: list[int] = []
    labels: dict[Part, str] = {}
    for part in sorted(film.parts, key=lambda part: (part.kind == "operating", part.first)):
        if all(abs(at[part] - other) >= APART for other in labelled):
            labelled.append(at[part])
            labels[part] = _short(part)
    untils = [part.first for part in film.parts[1:]] + [film.length + 1]
    found = [
        Station(part.first, until, at[part], name_of(part), labels.get(part, ""), part.kind)
        for part, until in zip(film.parts, untils, strict=True)
    ]
    found += [
        Station(n, n, 1000 * n // length, _("Phase %(phase)s") % {"phase": phase}, phase, "phase")
        for n, phase in film.phases[1:]
    ]
    return found


# --- odds and ends --------------------------------------------------------------------------------


def _last_of(turns: Sequence[int], n: int) -> int | None:
    return max((one for one in turns if one < n), default=None)


def _first_of(turns: Sequence[int], n: int) -> int | None:
    return min((one for one in turns if one > n), default=None)


def _signed(amount: int) -> str:
    return f"{amount:+d}" if amount else "0"


def _ribbons(state: State, run: Run) -> tuple[Ribbon, ...]:
    return tuple(Ribbon(one.route.train, one.route.legs, one.value) for one in count(state, run))
