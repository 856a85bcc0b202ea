"""Fifty submissions of one turn against the sweeps at its deadline, killed at random."""

from __future__ import annotations

import time
from collections.abc import Callable
from dataclasses import dataclass, field
from datetime import datetime, timedelta
from functools import partial
from random import Random
from uuid import UUID, uuid4

import pytest
from django.core.management import call_command
from django.db import transaction

from figf.models import Email, LogEntry, User
from figf.tests.cast import HOUR, at_once, make_cast
from pbem import services
from pbem.models import Action, Game, Move
from pbem.rules.deadlines import ALLOWED, COURTESY
from pbem.tests.running import make_game, reread, user_at

from .test_moves import says

SUBMISSIONS, HANDS, SWEEPS, TURNS = 50, 12, 4, 3
SECOND, MICROSECOND = timedelta(seconds=1), timedelta(microseconds=1)
BIDS = ("SV 20", "DH 75", "MH 115", "CA 165", "BO 225")


class Killed(Exception):
    """The process of a request died."""


def die() -> None:
    raise Killed


@dataclass(frozen=True)
class Submission:
    """A request: whose, when it came in, and where its process dies, if it does."""

    by: User
    sent: services.Sent
    received_at: datetime
    dies: str
    pause: float


@dataclass
class Race:
    """What is thrown at one turn, and what came of each request: its move, or how it died."""

    game: Game
    random: Random
    moves: list[tuple[Submission, int]] = field(default_factory=list)

    @property
    def due_at(self) -> datetime:
        due_at = reread(self.game).due_at
        assert due_at
        return due_at

    def submissions(self) -> list[Submission]:
        """Before, at and after the deadline; of the others too; some forms twice."""
        game, random, due_at = reread(self.game), self.random, self.due_at
        assert game.to_act
        turn = game.to_act.position
        in_time = random.choice([0.0, 0.1, 0.5])
        people = {seat: user_at(game, seat) for seat in (1, 2, 3)}
        found: list[Submission] = []
        while len(found) < SUBMISSIONS:
            seat = turn if random.random() < 0.6 else random.choice([1, 2, 3])
            if random.random() < in_time:
                received = due_at - random.choice([timedelta(0), MICROSECOND, SECOND, HOUR])
            else:
                received = due_at + random.choice([MICROSECOND, SECOND, COURTESY, HOUR])
            sent = services.Sent(says(f"{seat} bid {random.choice(BIDS)}"), game.seq, uuid4())
            dies = random.choice(["", "", "", "before playing", "while playing"])
            one = Submission(people[seat], sent, received, dies, random.random() / 50)
            found += [one] * random.choice([1, 1, 1, 2])
        random.shuffle(found)
        del found[SUBMISSIONS:]
        if random.random() < 0.5:  # those in time were stored last, after the sweeps had looked
            found.sort(key=lambda one: one.received_at <= due_at)
        return found

    def send(self, one: Submission) -> None:
        move = services.receive(self.game.pk, one.sent, one.by, one.received_at)
        self.moves.append((one, move.pk))
        time.sleep(one.pause)
        if one.dies == "before playing":
            return
        try:
            with transaction.atomic():
                services.play(move.pk, one.received_at + SECOND)
                if one.dies:
                    die()
        except Killed:
            return

    def hand(self, mine: list[Submission], pause: float) -> None:
        time.sleep(pause)
        for one in mine:
            self.send(one)

    def sweeps(self, now: datetime, pauses: list[float]) -> None:
        for pause in pauses:
            time.sleep(pause)
            services.sweep(now)

    def run(self) -> None:
        """The hour is that in which a sweep says that the turn has expired."""
        sent, hour = self.submissions(), self.due_at + COURTESY + SECOND
        deeds: list[Callable[[], None]] = [
            partial(self.hand, sent[n::HANDS], self.random.random() / 10) for n in range(HANDS)
        ]
        for _ in range(SWEEPS):
            pauses = [self.random.random() / 8 for _ in range(3)]
            deeds.append(partial(self.sweeps, hour, pauses))
        assert at_once(*deeds) == [None] * len(deeds)
        services.sweep(hour + SECOND)


@pytest.mark.django_db(transaction=True)
@pytest.mark.parametrize("seed", range(4))
def test_of_each_turn_there_is_one_outcome_and_who_was_in_time_wins(seed: int) -> None:
    """T-05, T-06, T-07, S-15 — whatever is killed, nothing that was received is lost."""
    game = make_game(3)
    dino = make_cast().dino
    race = Race(game, Random(seed))
    for _turn in range(TURNS):
        before, due_at = reread(game), race.due_at
        race.moves.clear()
        race.run()
        check(race, before, due_at)
        if reread(game).clock == Game.Clock.REVIEWING:
            services.reopen_turn(game.pk, "Si riprende", dino, due_at + 2 * HOUR)
    call_command("refold")


def check(race: Race, before: Game, due_at: datetime) -> None:
    after = reread(race.game)
    assert before.to_act
    keys: dict[UUID, set[int]] = {}
    for one, pk in race.moves:
        keys.setdefault(one.sent.key, set()).add(pk)
    assert len(race.moves) == SUBMISSIONS
    assert all(len(pks) == 1 for pks in keys.values())  # the same form twice is one move
    here = Move.objects.filter(pk__in=[pk for _one, pk in race.moves])
    assert here.count() == len(keys)
    assert not Move.objects.filter(state=Move.State.RECEIVED).exists()  # nothing is lost
    mine = here.filter(seat=before.to_act)
    in_time = mine.filter(received_at__lte=due_at)
    played = list(here.filter(state=Move.State.PLAYED))
    assert len(played) == bool(in_time)  # one outcome
    assert not here.exclude(seat=before.to_act).exclude(state__in=["not_turn", "stale"]).exists()
    assert not mine.filter(received_at__gt=due_at).exclude(state__in=["late", "stale"]).exists()
    if played:
        (winner,) = played
        assert (winner.seat, winner.before) == (before.to_act, before.seq)
        assert winner.received_at <= due_at
        assert not in_time.exclude(pk=winner.pk).exclude(state="stale").exists()
        assert after.to_act
        assert after.to_act.position == before.to_act.position % 3 + 1
        assert (after.clock, after.due_at) == ("running", winner.received_at + ALLOWED)
        assert (
            Email.objects.filter(key__startswith=f"move:{after.pk}:{winner.number}:").count() == 4
        )
    else:
        assert (after.clock, after.seq, after.due_at) == ("reviewing", before.seq, due_at)
        assert after.to_act == before.to_act
    told = LogEntry.objects.about(after).filter(verb="turn_expired", at__gte=due_at)
    assert told.count() <= 1
    assert told.exists() or played
    seqs = list(Action.objects.filter(game=after).order_by("seq").values_list("seq", flat=True))
    assert seqs == list(range(1, after.seq + 1))
    numbers = [move.number for move in Move.objects.filter(game=after).exclude(number=None)]
    assert numbers == list(range(1, len(numbers) + 1))
