"""A game for the station master's desk: an expired turn, a late move, a comment, a doubt."""

from __future__ import annotations

from figf.tests.cast import DAY, HOUR, Federation
from pbem import services
from pbem.engine import parse
from pbem.models import Game
from pbem.rules.commands import Plain

from .running import make_game, reread, send, user_at

NAME = "Posta in ritardo"


def late_game(federation: Federation) -> Game:
    """Dino keeps it; 1 has moved, and 2, whose comment was reported, is late."""
    found = Game.objects.filter(title="1830", sheet=NAME).first()
    if found is not None:
        return found
    begun = federation.open_draw.opened_at - 5 * DAY
    game = make_game(3, now=begun)
    Game.objects.filter(pk=game.pk).update(sheet=NAME)
    game = reread(game)
    for n, line in enumerate(("1 bid SV 20", "2 bid CS 40", "3 bid DH 70", "1 bid MH 110"), 1):
        send(game, [Plain(parse(line))], begun + n * HOUR, comment="Ora tocca a te" * (n == 2))
    second = game.moves.get(number=2)
    services.report_comment(second, user_at(game, 1), begun + 5 * HOUR, begun.date())
    carla = federation.cast.carla
    services.doubt_move(second, "Il prezzo?", carla, begun + 5 * HOUR, begun.date())
    services.sweep(begun + 3 * DAY)
    send(game, [Plain(parse("2 bid CA 160"))], begun + 3 * DAY + HOUR, seat=2, comment="Scusate")
    return reread(game)
