"""What a late move costs: page, preview, submission; beside a trivial Django POST of the same run.

    python bench/submission.py

A game of our own is played, turn by turn through the services, nearly to its end, in a SQLite
database of its own. Then its player looks at the page, sees the preview of his move and sends it,
through the whole of Django; each submission is rolled back: every one is the same. Times are the
processor's, the best of a few; the trivial POST chooses the language.

Exit status: 0; 1 if a page does not answer as it should.
"""

import sys
from datetime import timedelta
from pathlib import Path
from tempfile import TemporaryDirectory
from uuid import uuid4

sys.path.insert(0, str(Path(__file__).resolve().parents[1]))

from django.core.management import call_command
from django.db import connection, transaction
from django.test import Client, override_settings
from django.urls import reverse

from bench.replay_page import best
from bench.standings import say  # which sets Django up, on SQLite
from figf.tests.cast import NOW
from pbem import services
from pbem.engine.state import Stock
from pbem.models import Consent, Game
from pbem.services.logs import reels
from pbem.tests.recorded import LONG
from pbem.tests.running import make_game, position, reread, send, user_at
from pbem.tests.turns_of_games import recorded_turns


def late_game() -> Game:
    """A game of four at the last turn of its last stock round but in operating rounds."""
    turns, first = recorded_turns(LONG)
    last = max(n for n, turn in enumerate(turns) if turn.whose[0] == "Stock")
    game, now = make_game(len(first.state.players)), NOW
    for turn in turns[:last]:
        now += timedelta(minutes=5)
        send(game, turn.commands, now, seat=turn.player, ends=turn.ends)
        for consent in Consent.objects.filter(game=game, answer=""):
            services.answer(consent.pk, True, user_at(game, consent.seat.position), now)
        if isinstance(position(game).state.round, Stock) and turn is turns[last - 1]:
            break
    return reread(game)


def main() -> int:
    with TemporaryDirectory(prefix="figf-bench-") as folder:
        connection.settings_dict["NAME"] = str(Path(folder) / "figf.sqlite3")
        try:
            call_command("migrate", verbosity=0)
            return measure(late_game())
        finally:
            connection.close()


def measure(game: Game) -> int:
    client = Client(headers={"accept-language": "it"})
    client.force_login(user_at(game, position(game).player or ""))
    page, move = game.get_absolute_url(), reverse("game_move", args=[game.pk])
    answers: list[int] = []

    def post(act: str) -> None:
        said = {"pass": "1", "seen": game.seq, "key": uuid4(), "act": act}
        with transaction.atomic():
            answers.append(client.post(move, said).status_code)
            transaction.set_rollback(True)

    trivial = best(lambda: client.post(reverse("set_language"), {"language": "it"}))
    costs = {
        "the page": best(lambda: answers.append(client.get(page).status_code)),
        "the page, nothing known of the game": best(
            lambda: answers.append(client.get(page).status_code), reels.kept.clear
        ),
        "preview": best(lambda: post("preview")),
        "submission": best(lambda: post("send")),
    }
    say("", f"{game.length} actions{'':24}{'ms':>10}{'of a trivial POST':>20}")
    say(f"  {'trivial POST':34}{trivial * 1e3:10.2f}{1:20.1f}")
    for said, seconds in costs.items():
        say(f"  {said:34}{seconds * 1e3:10.2f}{seconds / trivial:20.1f}")
    return 0 if set(answers) <= {200, 302} else 1


if __name__ == "__main__":
    with override_settings(ALLOWED_HOSTS=["testserver"]):
        raise SystemExit(main())
