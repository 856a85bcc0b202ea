"""A game by correspondence that is being played, its seats held by people with log-ins."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from datetime import datetime
from itertools import count
from typing import Any
from uuid import uuid4

from figf.models import User
from figf.tests.cast import NOW, make_cast, make_event, make_member, tables_of
from pbem import services
from pbem.engine import RULES
from pbem.engine import Game as Engine
from pbem.engine.facts import TITLES
from pbem.models import Game, Move
from pbem.rules.commands import Command
from pbem.rules.deadlines import due_at
from pbem.services.logs import beginning, head

NUMBERS = count(1)


def make_players(number: int, now: datetime = NOW) -> list[User]:
    """Log-ins joined to players on the books: Bruno, then Viaggiatore 001…"""
    cast = make_cast(now)
    users = [cast.bruno]
    for _ in range(number - 1):
        n = next(NUMBERS)
        users.append(make_member(f"v{n}", f"Viaggiatore {n:03}", "Vito", cast.sara, now))
    return users


def make_game(
    players: int | Sequence[User] = 3,
    *,
    title: str = "1830",
    preset: str = "figf",
    options: Mapping[str, Any] | None = None,
    order: Sequence[int] = (),
    now: datetime = NOW,
) -> Game:
    """A game that begins at `now`, its station master Dino; `order` as the dice put the seats."""
    cast = make_cast(now)
    users = make_players(players, now) if isinstance(players, int) else list(players)
    people = [user.player for user in users]
    event = make_event(players=people, title=title, sizes=[len(people)], now=now)
    table = tables_of(event)[0]
    game = Game.objects.create(
        table=table,
        title=title,
        preset=preset,
        options=dict(options or {}),
        seed=uuid4().hex * 2,
        rules=RULES,
        has_engine=title in TITLES,
        station_master=cast.dino,
        order=list(order) or [seat.position for seat in table.seats.all()],
        opened_at=now,
        started_at=now,
        clock=Game.Clock.RUNNING,
        due_at=due_at(now),
    )
    first = beginning(game).player if game.has_engine else str(game.order[0])
    game.to_act = next(seat for seat in table.seats.all() if str(seat.position) == first)
    game.save()
    return reread(game)


def reread(game: Game) -> Game:
    return Game.objects.with_people().get(pk=game.pk)


def position(game: Game) -> Engine:
    return head(reread(game))


def user_at(game: Game, seat: str | int) -> User:
    """Who holds the seat of that position."""
    for one in reread(game).table.seats.all():
        if str(one.position) == str(seat):
            player = one.holder().player
            assert player
            assert player.user
            return player.user
    raise LookupError(seat)


def send(
    game: Game,
    commands: Sequence[Command],
    now: datetime,
    *,
    seat: str | int | None = None,
    **more: object,
) -> Move:
    """A move of who is to act, or of that seat, on the position as it is."""
    game = reread(game)
    by = user_at(game, seat or position(game).player or "")
    said = {"seen": game.seq, "key": uuid4()} | more
    return services.submit(game.pk, services.Sent(list(commands), **said), by, now, now)  # type: ignore[arg-type]
