"""Who plays in the tests, and what they play: made through the services, at a moment given.

Alice directs (and is a referee), Bruno plays, Carla judges, Dino has a log-in and nothing else,
Sara is the secretary. Nobody here reads the clock: `NOW` is a Saturday of March at four in Rome.
"""

from __future__ import annotations

import re
import threading
from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from datetime import UTC, date, datetime, timedelta
from html.parser import HTMLParser
from types import MappingProxyType
from typing import Any

from django.contrib.auth.models import AnonymousUser
from django.db import connections, transaction
from django.test import Client

from figf import services as base
from figf.models import Draw, Email, User
from rankings import services as rankings
from rankings.models import Honour, Publication
from tournaments import services
from tournaments.models import (
    Claim,
    Event,
    Player,
    Result,
    Round,
    Season,
    Seat,
    Table,
    Title,
)

NOW = datetime(2026, 3, 14, 15, 0, tzinfo=UTC)
TODAY = date(2026, 3, 14)
MINUTE, HOUR, DAY = timedelta(minutes=1), timedelta(hours=1), timedelta(days=1)
PASSWORD = "cremagliera-e-fischio"
SEATS = {"1830": (2, 6), "1849": (3, 5), "1856": (3, 6), "1870": (2, 6)}


# --- people ---------------------------------------------------------------------------------------


@dataclass(frozen=True)
class Cast:
    """The log-ins; Alice, Bruno and Carla are also players on the books, Dino and Sara are not."""

    sara: User
    alice: User
    bruno: User
    carla: User
    dino: User

    @property
    def director(self) -> Player:
        return self.alice.player

    @property
    def judge(self) -> Player:
        return self.carla.player


def make_cast(now: datetime = NOW) -> Cast:
    """The five of them; made once, and found again by whoever asks later."""
    found = {user.email.partition("@")[0]: user for user in User.objects.all()}
    if "sara" in found:
        return Cast(**{name: found[name] for name in ("sara", "alice", "bruno", "carla", "dino")})
    sara = make_user("sara", "Sara Sportello", now, secretary=True)
    alice = make_member("alice", "Direttissima", "Alice", sara, now)
    bruno = make_member("bruno", "Binario", "Bruno", sara, now)
    carla = make_member("carla", "Carrozza", "Carla", sara, now)
    for referee in (alice, carla):
        services.appoint_referee(referee.player, date(2020, 1, 1), sara, now)
    return Cast(sara, alice, bruno, carla, make_user("dino", "Dino Deviatoio", now))


def make_user(name: str, full_name: str, now: datetime = NOW, **more: Any) -> User:
    return base.create_user(f"{name}@example.org", PASSWORD, full_name, now, **more)


def make_player(surname: str, name: str = "", now: datetime = NOW) -> Player:
    return services.register_player(surname, name, make_cast(now).sara, now)


def make_member(
    address: str, surname: str, name: str, by: User, now: datetime = NOW, **more: Any
) -> User:
    """A log-in joined to a player on the books, by a request that `by` accepts."""
    user = make_user(address, f"{name} {surname}", now, **more)
    player = services.register_player(surname, name, by, now)
    services.decide_claim(services.claim(player, user, "", now), True, by, now)
    return User.objects.get(pk=user.pk)


# --- events ---------------------------------------------------------------------------------------


def make_season(year: int = 2026, now: datetime = NOW) -> Season:
    found = Season.objects.filter(year=year).first()
    return found or services.open_season(year, 2, make_cast(now).sara, now)


def make_title(code: str = "1830", now: datetime = NOW) -> Title:
    found = Title.objects.filter(code=code).first()
    return found or services.register_title(code, code, *SEATS[code], make_cast(now).sara, now)


def make_draft(
    *, name: str = "Festa del Binario Morto", director: Player | None = None, now: datetime = NOW
) -> Event:
    """A draft directed by Alice, unless somebody else is named."""
    cast = make_cast(now)
    day = now.date()
    same = Event.objects.filter(name__startswith=name, starts_on=day).count()
    return services.create_event(
        make_season(day.year, now),
        f"{name} {same + 1}" if same else name,  # a name is there once on a day
        day,
        day + DAY,
        cast.sara,
        now,
        town="Valbinario",
        organiser="Dopolavoro Scambi e Deviatoi",
        director=director or cast.director,
    )


def make_event(
    *,
    players: int | Sequence[Player] = 5,
    title: str = "1830",
    sizes: Sequence[int] = (),
    name: str = "Festa del Binario Morto",
    director: Player | None = None,
    now: datetime = NOW,
) -> Event:
    """An event under way, its first round seated: tables of five at most, the larger first (B-11).

    Bruno has the first seat of table 1, which Carla referees; who else plays has no log-in.
    """
    cast = make_cast(now)
    event = make_draft(name=name, director=director, now=now)
    prova = services.add_prova(event, make_title(title, now), cast.sara, now)
    event = services.set_status(event, Event.Status.ENROLLING, cast.sara, now)
    if isinstance(players, int):
        begun = Player.objects.count()
        others = [make_player(f"Passeggero {begun + n:03}", now=now) for n in range(1, players)]
        players = [cast.bruno.player, *others]
    for player in players:
        services.enrol(event, player, cast.sara, now)
    event = services.set_status(event, Event.Status.RUNNING, cast.sara, now)
    services.seat_round(
        prova, 1, list(dealt(players, sizes)), cast.alice, now, referees=[cast.judge]
    )
    return event


def make_hall(
    players: int = 19,
    *,
    title: str = "1830",
    rounds: int = 1,
    here: bool = True,
    name: str = "Festa del Binario Morto",
    now: datetime = NOW,
) -> Event:
    """An event open for enrolment, everybody on its list, and here unless said otherwise.

    The players are Passeggero 01, 02…: their alphabetical order is that of the list.
    """
    cast = make_cast(now)
    event = make_draft(name=name, now=now)
    services.add_prova(event, make_title(title, now), cast.sara, now, rounds=rounds)
    event = services.set_status(event, Event.Status.ENROLLING, cast.sara, now)
    for n in range(1, players + 1):
        player = make_player(f"Passeggero {n:02}", now=now)
        services.enrol(event, player, cast.alice, now, present=True if here else None)
    return event


def make_sketch(event: Event, now: datetime = NOW) -> Round:
    """The draft of the event's first round, by surname: nobody has ranking points."""
    alice = make_cast(now).alice
    return services.draw_round(event.prove.get(order=1), 1, {}, None, alice, now)


def dealt(players: Sequence[Player], sizes: Sequence[int] = ()) -> Iterator[Sequence[Player]]:
    if not sizes:
        tables = -(-len(players) // 5)
        sizes = [len(players) // tables + (n < len(players) % tables) for n in range(tables)]
    start = 0
    for size in sizes:
        yield players[start : start + size]
        start += size


def tables_of(event: Event) -> list[Table]:
    """The tables of the event, in order, as the services and the pages read them."""
    found = Table.objects.with_everything().filter(round__prova__event=event)
    return list(found.order_by("round", "number"))


def reread(table: Table) -> Table:
    return Table.objects.with_everything().get(pk=table.pk)


def seats_of(table: Table) -> list[Seat]:
    return list(table.seats.all())


def totals(table: Table, *amounts: int) -> dict[int, dict[str, int | None]]:
    """What a director types who knows only the totals, in seat order."""
    seats = seats_of(table)
    return {seat.pk: {"total": amount} for seat, amount in zip(seats, amounts, strict=True)}


def record(
    table: Table,
    *amounts: int,
    by: User | None = None,
    version: int = 0,
    reason: str = "",
    tie_checked: bool = False,
    now: datetime = NOW,
) -> Result:
    """The totals of a table, in seat order, confirmed by Alice unless somebody else is named."""
    return services.record_table(
        table.pk,
        totals(table, *amounts),
        version,
        by or make_cast(now).alice,
        now,
        reason=reason,
        tie_checked=tie_checked,
    )


def percentiles(result: Result) -> list[str]:
    """The credited percentiles in seat order, as the vectors write them; a dash where none is."""
    lines = result.lines.order_by("seat__position")
    return ["–" if line.points is None else f"{line.points / 100:.2f}" for line in lines]


# --- a whole federation, for the tests that visit every page --------------------------------------


def make_past(
    points: Mapping[Player, int],
    ends_on: date,
    *,
    wins: Mapping[Player, int] = MappingProxyType({}),
    name: str = "Raduno della Vecchia Stazione",
    now: datetime = NOW,
) -> Event:
    """An event of the history, which gives the ranking these points (H-09)."""
    order = sorted(points.values(), reverse=True)
    rows = [
        services.PastPlace(player, 1 + order.index(his), his, wins.get(player, 0))
        for player, his in points.items()
    ]
    season = make_season(ends_on.year, now)
    return services.record_past_event(
        season, name, ends_on, ends_on, rows, make_cast(now).sara, now
    )


def make_honour(player: Player, now: datetime = NOW) -> Honour:
    """Of a closed season of long ago: Carla is its champion, and of a specialty by hand."""
    sara = make_cast(now).sara
    past = make_past({player: 75}, date(2010, 6, 6), name="Raduno del Vapore", now=now)
    season = rankings.close_season(past.season, sara, now)
    return rankings.record_honour(
        season, Honour.Award.SPECIALTY, player, sara, now, title=make_title("1830", now)
    )


@dataclass(frozen=True)
class Federation:
    cast: Cast
    draft: Event
    event: Event
    hall: Event
    sketch: Round
    played: Table
    playing: Table
    open_draw: Draw
    revealed_draw: Draw
    receipt: Draw
    mail: Email
    invitation_token: str
    email_token: str
    unjoined: Player
    claim: Claim
    past: Event
    honour: Honour
    publication: Publication


def make_federation(now: datetime = NOW) -> Federation:
    """Something for each page to show; draws and mails stand where `now` puts them."""
    cast = make_cast(now)
    draft = make_draft(name="Ancora in bozza", now=now)
    services.add_prova(draft, make_title("1870", now), cast.sara, now)
    event = make_event(players=8, now=now)
    played, playing = tables_of(event)
    record(played, 7500, 7200, 6600, 0, now=now)
    hall = make_hall(8, name="Sala d'aspetto", now=now)
    services.amend_event(hall, cast.sara, now, capacity=8)
    for player in (cast.bruno.player, cast.judge):  # they wait; Carla no more
        waits = services.enrol(hall, player, cast.alice, now)
    services.withdraw(waits, cast.alice, now)
    people = [cast.alice, cast.bruno]
    revealed = base.open_draw("Ordine di gioco", people, 3, now + HOUR, cast.sara, now)
    base.contribute(revealed, cast.bruno, "fischio", now + MINUTE)
    base.reveal_draw(revealed.pk, now + HOUR)
    still_open = base.open_draw("Finale", people, 3, now + 30 * DAY, cast.sara, now)
    receipt = base.record_receipt(
        "Precedenza", [], [6, 1], "dice.example.net", "Roll 41: 6 1", cast.sara, now
    )
    unjoined = make_player("Scompartimento", "Silvio", now)
    services.invite(unjoined, "silvio@example.org", cast.sara, now)
    asked = services.claim(unjoined, cast.dino, "Sono io", now)
    base.request_email_change(cast.bruno, "bruno.nuovo@example.org", now)
    points = {cast.bruno.player: 120, cast.director: 80, cast.judge: 80}
    past = make_past(points, now.date() - 30 * DAY, now=now)
    honour = make_honour(cast.judge, now)
    publication = rankings.publish("ranking", cast.sara, now, day=now.date())
    return Federation(
        cast=cast,
        draft=draft,
        event=event,
        hall=hall,
        sketch=make_sketch(hall, now),
        played=played,
        playing=playing,
        open_draw=still_open,
        revealed_draw=Draw.objects.get(pk=revealed.pk),
        receipt=receipt,
        mail=Email.objects.earliest("pk"),
        invitation_token=token_in("inviti/"),
        email_token=token_in("account/email/"),
        unjoined=unjoined,
        claim=asked,
        past=past,
        honour=honour,
        publication=publication,
    )


def token_in(address: str, to: str = "") -> str:
    """The secret of the last link to `address` that the outbox holds, as its reader has it."""
    mails = Email.objects.filter(body__contains=f"/{address}", to__contains=to)
    found = re.search(rf"/{address}([^/\s]+)/", mails.latest("pk").body)
    assert found
    return found[1]


# --- visitors -------------------------------------------------------------------------------------


def visitor(user: User | AnonymousUser | None = None, language: str = "en") -> Client:
    """A browser in which `user`, or nobody, is logged in."""
    client = Client(headers={"accept-language": language})
    if isinstance(user, User):
        client.force_login(user, backend="django.contrib.auth.backends.ModelBackend")
    return client


class Page(HTMLParser):
    """What a test looks for in a page: words, boxes with their values, and what CSP would stop."""

    def __init__(self, response: Any) -> None:
        super().__init__()
        self.text = ""
        self.boxes: dict[str, str | None] = {}
        self.links: list[str] = []
        self.inline: list[str] = []
        self.open: list[str] = []
        self.feed(response.content.decode())
        self.close()

    def handle_starttag(self, tag: str, attrs: list[tuple[str, str | None]]) -> None:
        found = dict(attrs)
        if tag == "input" and found.get("name"):
            self.boxes[str(found["name"])] = found.get("value")
        if tag == "a" and found.get("href"):
            self.links.append(str(found["href"]))
        data = found.get("type") in {"application/json", "text/plain"}
        if tag == "style" or (tag == "script" and not found.get("src") and not data):
            self.inline.append(f"<{tag}>")
        for name, value in attrs:
            if name == "style" or name.startswith(("on", "hx-on")):
                self.inline.append(f"<{tag} {name}>")
            if name in {"href", "src", "action"} and (value or "").startswith("javascript:"):
                self.inline.append(f"<{tag} {name}={value}>")
        if tag in {"script", "style"}:
            self.open.append(tag)

    def handle_endtag(self, tag: str) -> None:
        if self.open and self.open[-1] == tag:
            self.open.pop()

    def handle_data(self, data: str) -> None:
        if not self.open:
            self.text = " ".join(f"{self.text} {data}".split())


# --- many hands at once ---------------------------------------------------------------------------


def meanwhile(first: Callable[[], Any], second: Callable[[], Any]) -> Any:
    """Do `first`, and let `second` begin in another thread before `first` is committed.

    Returns what `second` returned, or the exception that it raised.
    """
    outcome: list[Any] = []
    thread = threading.Thread(target=lambda: outcome.extend(at_once(second)))
    with transaction.atomic():
        first()
        thread.start()
        thread.join(0.5)  # by now it waits, if it waits at all
    thread.join(60)
    assert not thread.is_alive(), "a thread is stuck"
    return outcome[0]


def at_once(*deeds: Callable[[], Any]) -> list[Any]:
    """Do them all together, each in a thread with its own connection to the database.

    Returns what each returned, or the exception that it raised, in the order given.
    """
    barrier = threading.Barrier(len(deeds))
    outcome: list[Any] = [None] * len(deeds)

    def do(index: int) -> None:
        try:
            barrier.wait(timeout=30)
            outcome[index] = deeds[index]()
        except Exception as error:  # noqa: BLE001 - the test looks at it
            outcome[index] = error
        finally:
            connections.close_all()

    threads = [threading.Thread(target=do, args=(index,)) for index in range(len(deeds))]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join(timeout=60)
        assert not thread.is_alive(), "a thread is stuck"
    return outcome
