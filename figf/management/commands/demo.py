"""`manage.py demo`: a small federation mid-season, built through the services alone.

Everybody in it is made up, and named after things of the railway. It refuses a database that holds
anything, and prints log-ins with passwords that it makes anew each time.
"""

import secrets
from datetime import date, datetime, timedelta
from decimal import Decimal
from pathlib import Path
from typing import Any
from uuid import uuid4

from django.conf import settings
from django.core.management.base import BaseCommand, CommandError
from django.db import transaction
from django.db.models import F
from django.utils import timezone, translation

from figf import services as base
from figf.management.commands.is_empty import is_empty
from figf.models import Email, User
from pbem import services as pbem
from pbem.engine import parse
from pbem.models import Game
from pbem.rules.commands import Plain
from rankings import services as rankings
from rankings.models import Honour
from tournaments import services
from tournaments.models import Club, Event, Player, Prova, Table
from tournaments.rules.standing import points as worth

# Code, name, fewest and most players.
TITLES = [
    ("1830", "1830: Railways & Robber Barons", 2, 6),
    ("1849", "1849: The Game of Sicilian Railways", 3, 5),
    ("1856", "1856: Railroading in Upper Canada", 3, 6),
    ("1870", "1870: Railroading across the Trans Mississippi", 2, 6),
]
RECORDED = "Prova generale"
CLUBS = [("Dopolavoro Scambi e Deviatoi", "Valbinario"), ("Circolo della Pensilina", "Montetreno")]
# Surname, name, club; an address makes a log-in.
CAST = [
    ("Direttissima", "Alice", 0, "alice@example.org"),
    ("Binario", "Bruno", 0, "bruno@example.org"),
    ("Carrozza", "Carla", 1, "carla@example.org"),
    ("Deviatoio", "Dino", 0, "dino@example.org"),
    ("Espresso", "Elsa", 1, "elsa@example.org"),
    ("Freccia", "Fabio", 0, ""),
    ("Galleria", "Gina", 1, ""),
    ("Intercity", "Ivo", 0, ""),
    ("Locomotiva", "Lea", 1, ""),
    ("Marciapiede", "Mario", 0, ""),
    ("Nodo", "Nora", 1, ""),
    ("Orario", "Olmo", 0, ""),
    ("Passaggio", "Pia", 1, ""),
    ("Rotaia", "Rita", 0, ""),
    ("Semaforo", "Sergio", 1, ""),
    ("Traversina", "Tina", 0, ""),
]
ROLES = {
    "Direttissima": "technical director of the event under way",
    "Binario": "player",
    "Carrozza": "player and referee",
    "Deviatoio": "player",
    "Espresso": "player",
}
# A game of 1830 as far as it has come: who moves, and what.
MOVES = Path(__file__).resolve().parents[1] / "demo_moves.txt"


class Command(BaseCommand):
    help = __doc__

    def handle(self, *args: Any, **options: Any) -> None:
        if not is_empty():
            raise CommandError(
                "This database holds data already: the demo is built only in an empty one."
            )
        with translation.override("it"):
            passwords = Demo(timezone.now()).build()
        lines = [
            f"  {email:<20} {password:<14} {role}" for email, (password, role) in passwords.items()
        ]
        said = "\n".join(["The demo federation is ready. Log-ins:", *lines])
        self.stdout.write(f"\n{said}\n")
        if settings.EMBEDDED:
            settings.DEMO_LOGINS.touch(mode=0o600)
            settings.DEMO_LOGINS.write_text(
                "\n".join(["Log-ins of the demo, as it began:", *lines])
            )


class Demo:
    """The making of the demo; `now` is the moment in which all of it stands."""

    def __init__(self, now: datetime) -> None:
        self.now = now
        self.today: date = timezone.localdate(now)
        self.passwords: dict[str, tuple[str, str]] = {}

    @transaction.atomic
    def build(self) -> dict[str, tuple[str, str]]:
        start = self.now - timedelta(days=200)
        self.secretary = self._log_in(
            "sara@example.org", "Sara Sportello", "secretary", start, secretary=True
        )
        clubs = [services.register_club(name, town, self.secretary, start) for name, town in CLUBS]
        self.titles = {
            code: services.register_title(
                code, name, fewest, most, self.secretary, start, cup_title=True
            )
            for code, name, fewest, most in TITLES
        }
        self.season = services.open_season(self.today.year, 2, self.secretary, start)
        self.players = [
            self._player(surname, name, clubs[club], email, start)
            for surname, name, club, email in CAST
        ]
        for player in (self.players[0], self.players[2]):
            services.appoint_referee(
                player, self.today - timedelta(days=900), self.secretary, start
            )
        self.director = User.objects.get(email=CAST[0][3])
        self._history(start)
        self._past_event()
        self._event_under_way()
        self._coming_event()
        self._dice()
        self._recording()
        self._by_correspondence()
        return self.passwords

    # --- people ---

    def _log_in(
        self, email: str, name: str, role: str, at: datetime, *, secretary: bool = False
    ) -> User:
        password = secrets.token_urlsafe(9)
        self.passwords[email] = (password, role)
        return base.create_user(email, password, name, at, secretary=secretary)

    def _player(self, surname: str, name: str, club: Club, email: str, at: datetime) -> Player:
        player = services.register_player(
            surname, name, self.secretary, at, club=club, town=club.town, email=email
        )
        if email:
            user = self._log_in(email, f"{name} {surname}", ROLES[surname], at)
            asked = services.claim(player, user, "", at)
            services.decide_claim(asked, True, self.secretary, at)
            player.refresh_from_db()
        return player

    def _history(self, at: datetime) -> None:
        """The two seasons before: Alice and her friends are not the best of them."""
        names = ["Raduno del Passaggio a Livello", "Coppa della Pensilina", "Trofeo del Bivio"]
        towns = ["Valbinario", "Montetreno", "Valbinario"]
        points, shift = [worth(place, 3) for place in range(1, 11)], (0, 5, 3, 8, 2, 6)
        for back in (2, 1):
            season = services.open_season(self.today.year - back, 2, self.secretary, at)
            for number, (name, town) in enumerate(zip(names, towns, strict=True)):
                turn = shift[number + 3 * (back - 1)]
                order = [*self.players[4:14], *self.players[:4]]
                order = [*order[turn:], *order[:turn]][: len(points)]
                day = date(season.year, 3 + 3 * number, 14)
                services.record_past_event(
                    season,
                    name,
                    day,
                    day + timedelta(days=1),
                    [
                        services.PastPlace(player, place, his, int(place < 4))
                        for place, (player, his) in enumerate(
                            zip(order, points, strict=True), start=1
                        )
                    ],
                    self.secretary,
                    at,
                    town=town,
                )
            rankings.close_season(season, self.secretary, at)
            for code, player in zip(self.titles, self.players[4 + back :], strict=False):
                rankings.record_honour(
                    season,
                    Honour.Award.SPECIALTY,
                    player,
                    self.secretary,
                    at,
                    title=self.titles[code],
                )

    # --- events ---

    def _event(
        self,
        name: str,
        day: date,
        town: str,
        titles: list[str],
        at: datetime,
        kind: str = Event.Kind.LIVE,
    ) -> Event:
        event = services.create_event(
            self.season,
            name,
            day,
            day + timedelta(days=1),
            self.secretary,
            at,
            town=town,
            organiser="Dopolavoro Scambi e Deviatoi",
            director=self.players[0],
            fee=None if kind == Event.Kind.PBEM else Decimal(10),
            kind=kind,
        )
        for code in titles:
            services.add_prova(event, self.titles[code], self.secretary, at)
        return event

    def _past_event(self) -> None:
        """An event already played, with a shared first place and a bankrupt."""
        day = self.today - timedelta(days=120)
        if day.year != self.season.year:
            day = date(self.season.year, 1, 1)
        at = self.now - timedelta(days=120)
        event = self._event("Trofeo del Casello", day, "Montetreno", ["1856"], at)
        services.set_status(event, Event.Status.ENROLLING, self.secretary, at)
        players = self.players[:8]
        for player in players:
            services.enrol(event, player, self.secretary, at, present=True)
        tables = self._seat(event, at)
        self._result(tables[0], [(3120, 4880), (2950, 5050), (2400, 3600), (1750, 2250)], at)
        self._result(tables[1], [(2210, 5290), (1980, 4120), (0, 0), (1460, 3010)], at)
        services.close_event(event, self.director, at)

    def _event_under_way(self) -> None:
        """Today's event: two tables have reported, one is still playing."""
        at = self.now - timedelta(hours=6)
        event = self._event(
            "Festa del Binario Morto", self.today, "Valbinario", ["1830", "1849"], at
        )
        services.set_status(event, Event.Status.ENROLLING, self.secretary, at)
        players = self.players[:13]
        for player in players:
            services.enrol(event, player, self.secretary, at, present=True)
        tables = self._seat(event, at)
        later = self.now - timedelta(minutes=40)
        self._result(
            tables[0], [(1700, 5800), (1450, 5750), (1220, 5380), (990, 4105), (620, 2380)], later
        )
        self._result(tables[1], [(905, 6096), (1310, 6690), (760, 4240), (1125, 5036)], later)

    def _seat(self, event: Event, at: datetime) -> list[Table]:
        """The first round as the regulation seats it, published and started."""
        ranking = rankings.ranking_before(event.starts_on)
        prova = event.prove.get(order=1)
        draft = services.draw_round(prova, 1, ranking.points, ranking.as_of, self.director, at)
        for table in draft.tables.filter(referee=None):
            other = draft.tables.exclude(pk=table.pk).earliest("number").seats.earliest("position")
            somebody = other.holders.get().player
            services.name_referee(table, somebody, "Giocatore esperto", self.director, at)
        seated = services.publish_round(draft, draft.edition, self.director, at)
        services.start_tables(seated, self.director, at)
        return list(seated.tables.all())

    def _coming_event(self) -> None:
        day = self.today + timedelta(days=45)
        if day.year != self.season.year:
            season = services.open_season(day.year, 2, self.secretary, self.now)
            self.season, before = season, self.season
        else:
            before = self.season
        event = self._event(
            "Gran Premio della Cremagliera", day, "Valbinario", ["1870", "1830"], self.now
        )
        services.set_status(event, Event.Status.ENROLLING, self.secretary, self.now)
        for player in self.players[3:9]:
            services.enrol(event, player, self.secretary, self.now)
        self.season = before

    def _result(self, table: Table, counted: list[tuple[int, int]], at: datetime) -> None:
        facts = {
            seat.pk: {"cash": cash, "stocks": stocks}
            for seat, (cash, stocks) in zip(table.seats.all(), counted, strict=True)
        }
        services.record_table(table.pk, facts, 0, self.director, at, tie_checked=True)

    # --- dice ---

    def _dice(self) -> None:
        """One draw already revealed, one that still listens."""
        users = [p.user for p in self.players if p.user is not None]
        before = self.now - timedelta(days=2)
        draw = base.open_draw(
            "Ordine di gioco, un dado a testa",
            users,
            len(users),
            before + timedelta(hours=12),
            self.secretary,
            before,
        )
        for user, word in zip(users[:3], ["cremagliera", "fischio", "scambio"], strict=True):
            base.contribute(draw, user, word, before + timedelta(hours=1))
        base.reveal_draw(draw.pk, before + timedelta(hours=12))
        base.open_draw(
            "Posti al tavolo della finale, un dado a testa",
            users,
            len(users),
            self.now + timedelta(hours=20),
            self.secretary,
            self.now,
        )

    def _recording(self) -> None:
        """A game of 1830 to look at again, which Bruno brought here."""
        file = settings.BASE_DIR / "pbem" / "tests" / "games" / "bank_figf_4.json"
        bruno = User.objects.get(email=CAST[1][3])
        at = self.now - timedelta(days=2)
        pbem.import_recording(file.read_bytes(), bruno, at, label=RECORDED, keep_names=True)

    # --- games by correspondence ---

    def _by_correspondence(self) -> None:
        """A pbem tournament: a game of 1830 with a move due in an hour, one of 1856 whose state is
        kept by hand, and a table that is still being asked; Alice is their station master."""
        at = self.now - timedelta(days=30)
        titles = ["1830", "1856", "1870"]
        event = self._event("Torneo pbem", self.today, "", titles, at, kind=Event.Kind.PBEM)
        services.set_status(event, Event.Status.ENROLLING, self.secretary, at)
        bruno, carla, dino, elsa = self.players[1:5]
        for player in (bruno, carla, dino, elsa):
            services.enrol(event, player, self.secretary, at, present=True)
        services.set_status(event, Event.Status.RUNNING, self.secretary, at)
        tables = [
            ([carla, dino, elsa, bruno], at),
            ([bruno, dino, elsa], self.now - timedelta(days=1)),
            ([elsa, carla, bruno, dino], self.now - timedelta(hours=3)),
        ]
        games = [
            self._open(prova, players, then)
            for prova, (players, then) in zip(event.prove.all(), tables, strict=True)
        ]
        for game, (players, then) in zip(games[:2], tables, strict=False):
            pbem.confirm_all(game.pk, self.director, then)
            throws = [[6, 5, 4, 2][: len(players)]]
            source = "dadi.example.net"
            receipt = " ".join(map(str, throws[0]))
            pbem.record_throws(game.pk, throws, source, receipt, self.director, then)
        pbem.will_play(games[2].pk, True, self._user(elsa), self.now - timedelta(hours=2))
        self._play(games[0].pk, at)
        # Their mails left when they were played.
        told = Email.objects.filter(key__startswith=f"move:{games[0].pk}:")
        told.update(sent_at=F("created_at"), attempts=1)

    def _open(self, prova: Prova, players: list[Player], at: datetime) -> Game:
        seated = services.seat_round(prova, 1, [players], self.director, at)
        opening = pbem.Opening(self.director, at + timedelta(days=2))
        return pbem.open_table(seated.tables.get(), opening, self.director, at)

    def _user(self, player: Player | None) -> User:
        if player is None or player.user is None:
            raise CommandError(f"{player} has no log-in")
        return player.user

    def _play(self, pk: int, begun: datetime) -> None:
        """The moves of the file, the last one 47 hours ago."""
        lines = MOVES.read_text(encoding="utf-8").splitlines()
        last = self.now - timedelta(hours=47)
        each = (last - begun) / len(lines)
        for number, line in enumerate(lines, start=1):
            seat, _colon, said = line.partition(": ")
            at = begun + each * number
            game = Game.objects.with_people().get(pk=pk)
            holders = {str(one.position): one.holder().player for one in game.table.seats.all()}
            sent = pbem.Sent([Plain(parse(one)) for one in said.split("; ")], game.seq, uuid4())
            pbem.submit(pk, sent, self._user(holders[seat]), at, at)
            for consent in game.consents.filter(answer=""):
                owner = holders[str(consent.seat.position)]
                pbem.answer(consent.pk, True, self._user(owner), at)
