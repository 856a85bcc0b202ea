"""A standing depends on what is written in the end, not on how or when it came to be written.

Whole events on a real database, by seeded chance: the same facts entered in the order of the tables
or in any other, with wrong figures, drafts, rulings and void games on the way (C-10, C-14, C-15,
C-17, D-08, N-15); and whatever changes a standing undone again, number by number.
"""

from __future__ import annotations

import random
from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass
from typing import Any, TypeAlias

import pytest

from figf.errors import Refused
from figf.tests.cast import (
    NOW,
    Cast,
    make_cast,
    make_draft,
    make_player,
    make_title,
    reread,
    seats_of,
    totals,
)
from tournaments import services
from tournaments.models import Event, Player, Prova, Removal, Table

pytestmark = [pytest.mark.django_db, pytest.mark.both]

ROUNDS = ((1, 1), (1, 2), (2, 1))  # prova and round: a double one, and a single one
SIZES = (5, 4)
SEEDS = [0, 1, *(pytest.param(seed, marks=pytest.mark.slow) for seed in range(2, 8))]
AMOUNTS = (1000, 2000, 3350, 5000, 7201, 9000)  # few, so that there are ties


@pytest.fixture
def cast() -> Cast:
    return make_cast()


# --- an event with its tables ---------------------------------------------------------------------


@dataclass(frozen=True)
class Played:
    """An event under way, its tables in order, and the ranking before it."""

    event: Event
    tables: tuple[Table, ...]
    ranking: dict[int, int]
    cast: Cast

    def numbers(self) -> tuple[Any, ...]:
        """Every number of every standing: of the event, of each prova, of each round."""
        parts: list[dict[str, int]] = [{}, {"prova": 1}, {"prova": 2}]
        parts += [{"prova": prova, "number": number} for prova, number in ROUNDS]
        found = [services.standing_of(self.event, self.ranking, **part) for part in parts]
        return tuple((each.rows, each.points, each.wins) for each in found)

    def write(self, table: int, amounts: Sequence[int]) -> None:
        """The result of a table, or its correction."""
        current = reread(self.tables[table])
        services.record_table(
            current.pk,
            totals(current, *amounts),
            current.last_version(),
            self.cast.alice,
            NOW,
            reason="ricontato" if current.confirmed() else "",
            tie_checked=True,
        )

    def send(self, table: int, amounts: Sequence[int]) -> None:
        """The referee's counting sheet, which counts for nothing."""
        current = reread(self.tables[table])
        typed = totals(current, *amounts)
        version = current.last_version()
        services.send_draft(current.pk, typed, version, self.cast.carla, NOW, tie_checked=True)

    def void(self, table: int) -> None:
        services.void_table(self.tables[table], "si ricomincia", self.cast.alice, NOW)

    def unvoid(self, table: int) -> None:
        services.unvoid_table(self.tables[table], self.cast.alice, NOW)

    def handicap(self, table: int, seat: int, amount: int) -> None:
        held = seats_of(self.tables[table])[seat]
        services.give_handicap(held, amount, "12.13", self.cast.alice, NOW)

    def hand_over(self, table: int, seat: int, player: Player | None, why: str) -> None:
        held = seats_of(self.tables[table])[seat]
        services.hand_over(held, player, why, self.cast.alice, NOW)

    def take_back(self, table: int, seat: int) -> None:
        services.take_back_hand_over(seats_of(self.tables[table])[seat], self.cast.alice, NOW)

    def exclude(self, table: int, player: Player) -> None:
        services.exclude(self.tables[table], player, "Ordinanza 3", self.cast.alice, NOW)

    def readmit(self, table: int, player: Player) -> None:
        self.lift(table=self.tables[table], player=player)

    def decide(self, table: int, exclusion: str) -> None:
        services.decide_exclusion(self.tables[table], exclusion, "x", self.cast.alice, NOW)

    def cancel(self, player: Player, order: int | None) -> None:
        """Out of a prova by its order, or of the event."""
        given: dict[str, Any] = {"level": "event", "event": self.event}
        if order is not None:
            given = {"level": "prova", "prova": self.prova(order)}
        services.cancel(player, self.cast.alice, NOW, ruling="Ordinanza 4", **given)

    def reinstate(self, player: Player, order: int | None) -> None:
        of_event = {"event": self.event} if order is None else {"prova": self.prova(order)}
        self.lift(player=player, **of_event)

    def lift(self, **which: Any) -> None:
        removal = Removal.objects.get(lifted_at=None, **which)
        services.lift(removal, self.cast.alice, NOW)

    def prova(self, order: int) -> Prova:
        return self.event.prove.get(order=order)

    def called_off_and_held_after_all(self) -> None:
        for status in ("cancelled", "draft", "enrolling", "running"):
            services.set_status(self.event, status, self.cast.sara, NOW, reason="neve")

    def places(self) -> list[tuple[Any, ...]]:
        """What the closing of the season would keep; the event is open again afterwards."""
        closed = services.close_event(self.event, self.cast.alice, NOW)
        services.keep_places(closed, self.ranking)
        figures = ("place", "player", "total", "best", "points", "wins")
        found = list(closed.places.order_by("place", "player").values_list(*figures))
        closed.places.all().delete()
        services.reopen_event(closed, "ricontrollo", self.cast.alice, NOW)
        return found


Seating: TypeAlias = Sequence[Sequence[Sequence[Player]]]  # by round, by table


def begin(cast: Cast, seating: Seating, ranking: dict[int, int]) -> Played:
    event = make_draft()
    for code, rounds in (("1830", 2), ("1849", 1)):
        services.add_prova(event, make_title(code), cast.sara, NOW, rounds=rounds)
    event = services.set_status(event, Event.Status.ENROLLING, cast.sara, NOW)
    for player in sorted((p for table in seating[0] for p in table), key=lambda p: p.pk):
        services.enrol(event, player, cast.alice, NOW, present=True)
    seated: list[Table] = []
    for (order, number), dealt in zip(ROUNDS, seating, strict=True):
        prova = event.prove.get(order=order)
        laid = services.seat_round(prova, number, dealt, cast.alice, NOW)
        seated += Table.objects.with_everything().filter(round=laid).order_by("number")
    return Played(Event.objects.get(pk=event.pk), tuple(seated), ranking, cast)


def deal(dice: random.Random) -> tuple[Seating, dict[int, int]]:
    """Nine players at two tables, three times; a few of them in the ranking."""
    players = [make_player(f"Passeggero {n}") for n in range(1, 10)]
    seating = []
    for _round in ROUNDS:
        dice.shuffle(players)
        seating.append([players[: SIZES[0]], players[SIZES[0] :]])
    return seating, {player.pk: dice.choice([10, 80]) for player in players[:5]}


def amounts_for(dice: random.Random, size: int, *others: Sequence[int]) -> list[int]:
    """Totals at random, different from the others."""
    while True:
        drawn = [dice.choice(AMOUNTS) for _ in range(size)]
        if drawn not in [list(other) for other in others]:
            return drawn


# --- the order of entry ---------------------------------------------------------------------------

Deed: TypeAlias = Callable[[Played], None]


@dataclass(frozen=True)
class Thread:
    """What befalls one thing of the event: where it ends, and by which detour it may get there."""

    ends: tuple[Deed, ...] = ()
    detour: tuple[Deed, ...] = ()


def do(verb: str, *given: Any) -> Deed:
    return lambda played: getattr(played, verb)(*given)


def fates(dice: random.Random, seating: Seating, spares: Sequence[Player]) -> Iterator[Thread]:
    """What befalls each table, its seats and a few players, the last game being void."""
    dealt = [players for tables in seating for players in tables]
    for n, (players, spare) in enumerate(zip(dealt, spares, strict=True)):
        size = len(players)
        right = amounts_for(dice, size)
        wrong = amounts_for(dice, size, right)
        worse = amounts_for(dice, size, right, wrong)
        void = n == len(dealt) - 1
        yield Thread(
            (do("void", n) if void else do("write", n, right),),
            (
                do("send", n, worse),
                *(do("void", n), do("unvoid", n)),
                *(do("write", n, wrong), do("write", n, worse)),
                *(do("void", n), do("unvoid", n)),
            ),
        )
        out, back, left = dice.sample(range(size), 3)
        weighed, amount = dice.randrange(size), dice.choice([0, -900, 150])
        yield Thread(
            (do("handicap", n, weighed, amount),),
            (do("handicap", n, weighed, 4000), do("handicap", n, weighed, 0)),
        )
        stays = (do("exclude", n, players[back]), do("readmit", n, players[back]))
        leaves = (do("hand_over", n, left, None, "referee"), do("take_back", n, left))
        if n % 2:
            gone, decided = do("exclude", n, players[out]), do("decide", n, "keep_reference")
            ends = dice.choice([(gone,), (gone, decided), (gone, do("decide", n, "recompute"))])
            yield Thread(ends, (gone, decided, do("readmit", n, players[out]), *stays))
            yield Thread((), leaves)
        else:
            goes, why = dice.choice([(spare, "substitute"), (players[left], "cinderella")])
            yield Thread((do("hand_over", n, left, goes, why),), leaves)
            yield Thread((), stays)
    players = sorted([*dealt[0], *dealt[1]], key=lambda player: player.pk)
    for player, order in zip(dice.sample(players, 3), (None, 1, 2), strict=True):
        gone = do("cancel", player, order)
        yield Thread((gone,) if order else (), (gone, do("reinstate", player, order)))


def shuffled(dice: random.Random, threads: Sequence[Thread]) -> Iterator[Deed]:
    """Every detour and every end, each thread in its own order, the threads in none."""
    waiting = [[*thread.detour, *thread.ends] for thread in threads]
    while waiting := [deeds for deeds in waiting if deeds]:
        yield dice.choice(waiting).pop(0)


@pytest.mark.parametrize("seed", SEEDS)
def test_facts_entered_in_any_order_and_by_any_detour_give_one_standing(
    cast: Cast, seed: int
) -> None:
    """D-01..D-08: the same players, seats and facts, twice; closed, both have the same places."""
    dice = random.Random(seed)
    seating, ranking = deal(dice)
    spares = [make_player(f"Riserva {n}") for n in range(len(ROUNDS) * len(SIZES))]
    threads = list(fates(dice, seating, spares))
    straight, wandering = begin(cast, seating, ranking), begin(cast, seating, ranking)
    for deed in (end for thread in threads for end in thread.ends):
        deed(straight)
    for deed in shuffled(dice, threads):
        deed(wandering)
    assert wandering.numbers() == straight.numbers()
    assert len(straight.numbers()[0][0]) >= 7
    assert wandering.places() == straight.places()


# --- there and back -------------------------------------------------------------------------------


def changed(dice: random.Random, played: Played) -> Deed | None:
    """Something at random that changes the standing; what undoes it, or None if it was refused."""
    table = dice.randrange(len(played.tables))
    now = reread(played.tables[table])
    result = now.confirmed()
    assert result
    player = dice.choice([seat.holder().player for seat in seats_of(now)])
    assert player
    order = dice.choice([None, 1, 2])
    match dice.choice(["write", "write", "exclude", "cancel", "cancel", "void", "decide"]):
        case "write":
            old = [line.total for line in result.lines.order_by("seat__position")]
            there = do("write", table, amounts_for(dice, len(old), old))
            back = do("write", table, old)
        case "exclude":
            there, back = do("exclude", table, player), do("readmit", table, player)
        case "cancel":
            there, back = do("cancel", player, order), do("reinstate", player, order)
        case "void":
            there, back = do("void", table), do("unvoid", table)
        case _:
            there, back = do("decide", table, "keep_reference"), do("decide", table, now.exclusion)
    try:
        there(played)
    except Refused:
        return None  # out already, void already, nobody excluded, or nobody would be left
    return back


@pytest.mark.parametrize("seed", SEEDS)
def test_whatever_changes_a_standing_is_undone_number_by_number(cast: Cast, seed: int) -> None:
    """Corrections, exclusions, cancellations, void games; the event called off and held after all,
    or closed and opened again, changes nothing at all."""
    dice = random.Random(100 + seed)
    seating, ranking = deal(dice)
    played = begin(cast, seating, ranking)
    for table in dice.sample(range(len(played.tables)), len(played.tables)):
        played.write(table, amounts_for(dice, SIZES[table % len(SIZES)]))
    before, undo = [played.numbers()], []
    for _deed in range(9):
        if (back := changed(dice, played)) is not None:
            undo.append(back)
            before.append(played.numbers())
    assert len(undo) >= 4
    assert before[-1] != before[0]
    played.called_off_and_held_after_all()
    played.places()
    assert played.numbers() == before.pop()
    for back, numbers in zip(reversed(undo), reversed(before), strict=True):
        back(played)
        assert played.numbers() == numbers


@pytest.mark.parametrize("seed", SEEDS[1:])
def test_rulings_may_be_lifted_in_any_order(cast: Cast, seed: int) -> None:
    """C-09, C-10, C-17, D-08: out of a game, of a prova, of the event, a void game, a handicap."""
    dice = random.Random(200 + seed)
    seating, ranking = deal(dice)
    played = begin(cast, seating, ranking)
    for table in range(len(played.tables)):
        played.write(table, amounts_for(dice, SIZES[table % len(SIZES)]))
    before = played.numbers()
    one, two, three = dice.sample(list(seating[0][0]), 3)
    rulings = [
        (do("exclude", 0, one), do("readmit", 0, one)),
        (do("handicap", 1, 3, -900), do("handicap", 1, 3, 0)),
        (do("void", 2), do("unvoid", 2)),
        (do("cancel", two, 1), do("reinstate", two, 1)),
        (do("cancel", two, None), do("reinstate", two, None)),
        (do("cancel", three, None), do("reinstate", three, None)),
        # All of it at one table.
        (do("exclude", 4, seating[2][0][0]), do("readmit", 4, seating[2][0][0])),
        (do("exclude", 4, seating[2][0][1]), do("readmit", 4, seating[2][0][1])),
        (do("handicap", 4, 2, 4000), do("handicap", 4, 2, 0)),
        (do("void", 4), do("unvoid", 4)),
    ]
    for there, _back in dice.sample(rulings, len(rulings)):
        there(played)
    assert played.numbers() != before
    for _there, back in dice.sample(rulings, len(rulings)):
        back(played)
    assert played.numbers() == before
