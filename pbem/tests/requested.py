"""A request for agreement in a game of this federation: Bruno is asked for a private of his."""

from __future__ import annotations

from figf.tests.cast import HOUR, Federation
from pbem.engine import parse
from pbem.models import Consent, Game
from pbem.rules.commands import Plain

from .running import make_game, make_players, position, reread, send

NAME = "Domande in treno"


def consent(federation: Federation) -> Consent:
    """In the second stock round another offers 100 for CS, which is Bruno's."""
    found = Consent.objects.filter(game__sheet=NAME).first()
    return found or _asked(federation)


def _asked(federation: Federation) -> Consent:
    now = federation.open_draw.opened_at - HOUR
    bruno, *others = make_players(3, now)
    game = make_game([others[0], bruno, others[1]], now=now)
    Game.objects.filter(pk=game.pk).update(sheet=NAME)
    lines = ("bid SV 20", "bid CS 40", "bid DH 70", "bid MH 110", "bid CA 160")
    moves = [f"{n % 3 + 1} {line}" for n, line in enumerate(lines)]
    for line in moves:
        send(game, [Plain(parse(line))], now)
    send(game, [Plain(parse("3 bid BO 220")), Plain(parse("3 par B&O 100"))], now)
    while position(game).state.turn == 1 or position(game).player != "1":
        send(game, [Plain(parse(f"{position(game).player} pass"))], now)
    send(game, [Plain(parse("1 private CS 100"))], now)
    return Consent.objects.get(game=reread(game))
