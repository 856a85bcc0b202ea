"""A friendly event of a federation by correspondence: a table without a game, and one to begin."""

from __future__ import annotations

from figf.tests.cast import DAY, Federation, make_event, make_player, tables_of
from pbem import services
from pbem.models import Game
from pbem.services import Opening
from tournaments.models import Event, Table

NAME = "Posta del Vagone"


def friendly(federation: Federation) -> Event:
    """The event; Bruno and five others sit at its two tables, which Alice runs."""
    found = Event.objects.filter(name=NAME).first()
    if found is not None:
        return found
    now = federation.open_draw.opened_at
    players = [federation.cast.bruno.player]
    players += [make_player(f"Lettera {n}", now=now) for n in range(1, 6)]
    made = make_event(name=NAME, players=players, sizes=[3, 3], now=now)
    Event.objects.filter(pk=made.pk).update(kind=Event.Kind.FRIENDLY)
    return Event.objects.get(pk=made.pk)


def free_table(federation: Federation) -> Table:
    """The table without a game."""
    return tables_of(friendly(federation))[1]


def gathering(federation: Federation) -> Game:
    """The game whose players are asked, Bruno among them; Alice keeps it, Carla is a reserve."""
    table = tables_of(friendly(federation))[0]
    found = Game.objects.filter(table=table).first()
    if found is not None:
        return found
    cast, now = federation.cast, federation.open_draw.opened_at
    opening = Opening(cast.alice, now + 30 * DAY, reserves=[cast.judge])
    return services.open_table(table, opening, cast.alice, now)
