"""A game without an engine in a federation: Bruno is to act in an operating round of 1856."""

from __future__ import annotations

from figf.tests.cast import HOUR, Federation, make_cast
from pbem import services
from pbem.models import Game
from pbem.rules.by_hand import Kind, Turns
from pbem.rules.commands import Written

from .running import make_game, make_players, reread, send


def kept_game(federation: Federation) -> Game:
    """One move looked at and one not; Dino keeps it, and has written the sheet."""
    found = Game.objects.filter(title="1856", has_engine=False).first()
    return reread(found) if found else _made(federation)


def _made(federation: Federation) -> Game:
    now = federation.open_draw.opened_at - HOUR
    dino = make_cast().dino
    game = make_game(make_players(3, now), title="1856", order=[2, 3, 1], now=now)
    bought = (("corporation", "CPR"), ("source", "ipo"), ("par", "90"), ("price", "180"))
    first = send(game, [Written("par", bought)], now, seat=2)
    send(game, [Written("pass")], now, seat=3)
    services.tick_move(first.pk, {0: services.Tick(executed=True)}, dino, now)
    order = (("CPR", "1"), ("GT", "2"))
    turns = Turns(Kind.OPERATING, "OR 1.1", order)
    services.set_turns(game.pk, turns, "", "", dino, now)
    services.keep_sheet(game.pk, "Bruno    $375   CPR 20%\nVito     $195   GT 10%", None, dino, now)
    return reread(game)
