"""What the list of games by correspondence costs, with a few hundred and with ten thousand.

    python bench/games_list.py [GAMES]     by default 10 000

Made-up games of four, their hours spread over two days, are written in a SQLite file of its own; of
every ten one has expired, in one a move was not played, and no mail reaches one player in twenty.
The list is asked for by a visitor, its first and its last page, also of one player; the desk, by
the station master of them all. Beside them stands a bare page (a view that answers two letters,
through the same client and middleware) in the same run. Times are the processor's, the best of a
few.

Exit status: 0; 1 if a page asks the database more often with all games than with a few, or does not
answer; 2 if the argument is no such number.
"""

import platform
import sqlite3
import sys
from collections.abc import Iterator
from contextlib import contextmanager
from datetime import timedelta
from functools import partial
from pathlib import Path
from random import Random
from tempfile import TemporaryDirectory

sys.path.insert(0, str(Path(__file__).resolve().parents[1]))

from django.core.management import call_command
from django.db import connection
from django.test import Client, override_settings
from django.test.utils import CaptureQueriesContext
from django.urls import path, reverse
from django.utils import timezone

from bench.pages import SEED, bare, best
from bench.standings import RUNS, say
from figf import urls
from figf.models import Email, User
from pbem.engine import RULES
from pbem.models import Game, Move
from tournaments.models import Event, Holder, Player, Prova, Round, Season, Seat, Table, Title
from tournaments.rules import registry

SEATS = 4
BACKEND = "django.contrib.auth.backends.ModelBackend"
FEW, MOST = 400, 100_000
PLAYERS = 400

urlpatterns = [path("bare/", bare, name="bare"), *urls.urlpatterns]


def write(games: int) -> None:
    """So many games of one tournament, a table each."""
    random, now = Random(SEED), timezone.now()
    master = User.objects.create_user("dino@example.org", None, "Dino Deviatoio")
    names = [f"Viaggiatore {n:03}" for n in range(1, PLAYERS + 1)]
    players = Player.objects.bulk_create(
        Player(surname=name, sort_key=name.casefold()) for name in names
    )
    title = Title.objects.create(code="1830", name="1830", min_players=2, max_players=6)
    event = Event.objects.create(
        season=Season.objects.create(year=now.year),
        ordinal=1,
        name="Torneo pbem",
        kind=Event.Kind.PBEM,
        regulation=registry.DEFAULT,
        status=Event.Status.RUNNING,
        starts_on=now.date(),
        ends_on=now.date(),
    )
    seated = Round.objects.create(
        prova=Prova.objects.create(event=event, title=title, order=1),
        number=1,
        status=Round.Status.PUBLISHED,
        published_at=now,
    )
    tables = Table.objects.bulk_create(
        [Table(round=seated, number=n, started_at=now) for n in range(1, games + 1)],
        batch_size=500,
    )
    seats = Seat.objects.bulk_create(
        [Seat(table=table, position=n) for table in tables for n in range(1, SEATS + 1)],
        batch_size=500,
    )
    held = (player for _table in tables for player in random.sample(players, SEATS))
    Holder.objects.bulk_create(
        [Holder(seat=seat, player=player) for seat, player in zip(seats, held, strict=True)],
        batch_size=500,
    )
    Game.objects.bulk_create(
        [
            Game(
                table=table,
                title="1830",
                seed="5eed" * 16,
                rules=RULES,
                station_master=master,
                opened_at=now,
                started_at=now,
                order=list(range(1, SEATS + 1)),
                to_act=seats[n * SEATS + random.randrange(SEATS)],
                due_at=now + timedelta(minutes=random.randrange(48 * 60)),
                clock=Game.Clock.RUNNING,
            )
            for n, table in enumerate(tables)
        ],
        batch_size=500,
    )
    _asking(seats, players)


def _asking(seats: list[Seat], players: list[Player]) -> None:
    """What asks for the station master: time that expired, moves not played, mail not arriving."""
    now = timezone.now()
    log_ins = [
        User(email=f"v{n}@example.org", name=player.surname) for n, player in enumerate(players)
    ]
    for player, user in zip(players, User.objects.bulk_create(log_ins), strict=True):
        player.user = user
    Player.objects.bulk_update(players, ["user"], batch_size=200)
    Email.objects.bulk_create(
        Email(
            key=f"move:{n}",
            to=f"v{n % PLAYERS}@example.org",
            message_id=f"<{n}@example.org>",
            created_at=now,
            next_try_at=now,
            failed_at=now if n % 20 == 0 else None,
            sent_at=None if n % 20 == 0 else now,
        )
        for n in range(10 * PLAYERS)
    )
    moves = []
    for n, game in enumerate(Game.objects.order_by("pk")):
        said = {"game": game, "seat": seats[n * SEATS], "kind": "own", "received_at": now}
        early = said | {"received_at": now - timedelta(days=1)}
        moves += [Move(number=one, played_at=now, **early) for one in range(1, 6)]
        if n % 10 == 1:
            moves.append(Move(state="not_turn", **said | {"received_at": now + timedelta(1)}))
    Move.objects.bulk_create(moves, batch_size=500)
    expired = [pk for pk in Game.objects.values_list("pk", flat=True) if pk % 10 == 0]
    for start in range(0, len(expired), 500):
        Game.objects.filter(pk__in=expired[start : start + 500]).update(clock="reviewing")


@contextmanager
def played(games: int) -> Iterator[None]:
    """In a file of its own; thrown away."""
    connection.close()
    with TemporaryDirectory() as folder:
        connection.settings_dict["NAME"] = str(Path(folder) / "figf.sqlite3")
        call_command("migrate", verbosity=0)
        write(games)
        try:
            yield
        finally:
            connection.close()


def measured() -> dict[str, tuple[int, float, int]]:
    """Of each page: queries, seconds, status."""
    games = reverse("game_list")
    addresses = {
        "bare page": reverse("bare"),
        "first page": games,
        "last page": f"{games}?page=999999",
        "of one player": f"{games}?giocatore=Viaggiatore+007",
        "of one event": f"{games}?evento=1",
    }
    desk = reverse("desk")
    addresses |= {
        "desk, first page": desk,
        "desk, last page": f"{desk}?page=999999",
        "desk, one state": f"{desk}?stato=non-giocate",
    }
    client, found = Client(headers={"accept-language": "it"}), {}
    for said, address in addresses.items():
        if address == desk:
            client.force_login(User.objects.get(email="dino@example.org"), backend=BACKEND)
        status = client.get(address).status_code
        with CaptureQueriesContext(connection) as captured:
            client.get(address)
        found[said] = len(captured), best(partial(client.get, address)), status
    return found


def main() -> int:
    word = sys.argv[1] if sys.argv[1:] else "10000"
    if sys.argv[2:] or not word.isascii() or not word.isdigit() or not FEW <= int(word) <= MOST:
        say(f"python bench/games_list.py [GAMES]: from {FEW} to {MOST}")
        return 2
    games = int(word)
    say(
        f"{games} games of {SEATS}, {PLAYERS} players, seed {SEED}; "
        f"{platform.python_implementation()} {platform.python_version()}, "
        f"SQLite {sqlite3.sqlite_version}; best of {RUNS}"
    )
    with override_settings(ROOT_URLCONF=__name__, ALLOWED_HOSTS=["testserver"]):
        with played(FEW):
            few = measured()
        with played(games):
            every = measured()
    say("", f"{'':18}{f'{FEW} games':>10}{f'{games} games':>14}{'ms':>9}{'in bare pages':>16}")
    plain, good = every["bare page"][1], True
    for said, (queries, seconds, status) in every.items():
        same = queries <= few[said][0] and status == 200
        good = good and same
        mark = "" if same else "  GROWS" if status == 200 else f"  {status}"
        say(
            f"{said:18}{few[said][0]:>10}{queries:>14}{seconds * 1000:>9.1f}"
            f"{seconds / plain:>16.0f}{mark}"
        )
    return 0 if good else 1


if __name__ == "__main__":
    raise SystemExit(main())
