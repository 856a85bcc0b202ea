"""Tables of games by correspondence, from who is asked to play to the first move.

Whoever runs an event opens a game at one of its tables, or makes the table by invitation. Who has a
seat is asked whether he will play; a seat that is given up goes to the first reserve who will. Then
the dice put the players in order, and the clock starts. Every verb locks its game; whether the
caller may do it is asked by the page.
"""

from __future__ import annotations

import logging
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from datetime import datetime, timedelta
from functools import cached_property

from django.contrib.auth.hashers import make_password
from django.db import transaction
from django.db.models import Max
from django.utils.translation import gettext as _

from figf import dice
from figf import services as base
from figf.errors import Refused
from figf.models import LogEntry, User
from figf.sweeps import each
from pbem.engine import RULES, EngineError, start
from pbem.models import Game, Place
from pbem.rules.deadlines import due_at
from pbem.rules.priority import NotADie, RerollNeeded, deal, order_of_play
from pbem.services import letters
from pbem.services.logs import beginning
from pbem.services.mine import answers_by
from pbem.services.moves import locked
from pbem.services.told import names_of_game
from tournaments import services as tournaments
from tournaments.models import Ban, Event, Player, Round, Seat, Table, Title

logger = logging.getLogger(__name__)

PRESETS = ("figf", "18xx")
BY_WEB = (Event.Kind.PBEM, Event.Kind.CUP, Event.Kind.FRIENDLY)  # I-08: cups are played so too
BY_INVITATION = (Event.Kind.FRIENDLY, Event.Kind.PBEM)
DICE = 60  # thrown at once: enough for any row of ties that will ever be
OPEN_FOR = timedelta(hours=24)  # how long a draw listens, if nobody says otherwise
MOST_RESERVES = 20


@dataclass(frozen=True, slots=True)
class Opening:
    """How a game is opened: who keeps it, until when players answer, who may be called in."""

    station_master: User
    answer_by: datetime
    preset: str = "figf"
    password: str = ""
    reserves: Sequence[Player] = ()


# --- a game is opened -----------------------------------------------------------------------------


@transaction.atomic
def open_table(table: Table, opening: Opening, by: User, now: datetime) -> Game:
    """S-01 — a game by correspondence at a table of an event; its players are asked.

    Locks the table. Writes the game, a place for each seat and reserve, a mail to each. A game that
    was called off may be opened again at its table. Where the engine does not know the title, the
    station master keeps the state by hand.

    Refuses: an event that is not played so (`not_by_web`, I-08), a round not published
    (`round_not_published`), an event not under way (`event_not_running`), a table with a result, or
    without two players (`table_not_to_play`), one that has its game (`game_there`), an unknown
    preset (`no_such_preset`), a station master without an open log-in (`no_log_in`) or who would
    play (`master_plays`, S-01), an hour that has passed (`hour_passed`), who is a reserve twice or
    has a seat (`reserve_twice`), and who is kept out of games over the web (A-18).
    """
    Table.objects.select_for_update(of=("self",), no_key=True).get(pk=table.pk)
    table = Table.objects.with_everything().get(pk=table.pk)
    _refuse_table(table)
    before = Game.objects.filter(table=table).first()
    if before is not None and (before.clock != Game.Clock.CALLED_OFF or before.seq):
        raise Refused("game_there", _("This table has its game already."))
    players = [seat.holder().player for seat in table.seats.all()]
    seated = [player for player in players if player is not None]
    _refuse_opening(table, opening, seated, now)
    game = before or Game(table=table)
    game.title, game.preset = table.title.code, opening.preset
    game.seed, game.rules = dice.new_seed(), RULES
    game.has_engine = knows(game.title, len(seated), opening.preset)
    game.station_master, game.password = opening.station_master, _hashed(opening.password)
    game.opened_at, game.draw, game.order = now, None, []
    game.clock = Game.Clock.GATHERING
    game.save()
    game.places.all().delete()
    for player in seated:
        Place.objects.create(game=game, player=player, asked_at=now)
    for number, player in enumerate(opening.reserves, start=1):
        Place.objects.create(game=game, player=player, reserve=number, asked_at=now)
    LogEntry.objects.record(
        by,
        "open_game",
        game,
        now,
        table=table.pk,
        answer_by=opening.answer_by.isoformat(),
        engine=game.has_engine,
    )
    game = _read(game.pk)
    letters.asked(game, _places(game), opening.answer_by, now)
    return game


@transaction.atomic
def invite(
    event: Event,
    title: Title,
    players: Sequence[Player],
    opening: Opening,
    by: User,
    now: datetime,
) -> Game:
    """A game among players named one by one: its prova, its round and its table are made for it.

    Locks the event. Who is not enrolled is. Refuses an event of another kind
    (`not_by_invitation`), who is named twice (`named_twice`), whatever the calendar and the
    seating refuse, and as `open_table`.
    """
    if event.kind not in BY_INVITATION:
        raise Refused(
            "not_by_invitation",
            _("Only friendly events and those by correspondence are played by invitation."),
        )
    if len({player.pk for player in players}) < len(players):
        raise Refused("named_twice", _("The same player is named twice."), field="players")
    prova = tournaments.add_prova(event, title, by, now)
    enrolled = set(event.entries.enrolled().values_list("player_id", flat=True))
    for player in players:
        _refuse_kept_out(player, event, "players")
        if player.pk not in enrolled:
            tournaments.enrol(event, player, by, now)
    seated = tournaments.seat_round(prova, 1, [players], by, now)
    return open_table(seated.tables.get(), opening, by, now)


def knows(title: str, players: int, preset: str = "figf") -> bool:
    """Whether the engine can play a title with so many."""
    try:
        start(title, [str(n) for n in range(1, players + 1)], preset)
    except EngineError:
        return False
    return True


def _refuse_table(table: Table) -> None:
    if table.event.kind not in BY_WEB:
        raise Refused(
            "not_by_web", _("The games of this event are played around a table."), rule="I-08"
        )
    if table.round.status != Round.Status.PUBLISHED:
        raise Refused("round_not_published", _("This round is not published."), rule="B-17")
    tournaments.refuse_closed(table)
    seats = [seat.holder() for seat in table.seats.all()]
    if table.confirmed() or len(seats) < 2 or any(one.player_id is None for one in seats):
        raise Refused(
            "table_not_to_play", _("At this table no game is to begin: look at what it says.")
        )


def _refuse_opening(
    table: Table, opening: Opening, seated: Sequence[Player], now: datetime
) -> None:
    if opening.preset not in PRESETS:
        raise Refused("no_such_preset", _("Choose one of the two sets of rules."), field="preset")
    if not opening.station_master.is_active:
        raise Refused("no_log_in", _("This log-in is closed."), field="station_master")
    if opening.answer_by <= now:
        raise Refused("hour_passed", _("Give the players some time to answer."), field="answer_by")
    reserves = list(opening.reserves)
    people = [*seated, *reserves]
    if len({player.pk for player in people}) < len(people) or len(reserves) > MOST_RESERVES:
        raise Refused(
            "reserve_twice",
            _("A reserve is named twice, or has a seat at this table."),
            field="reserves",
        )
    _refuse_master(opening.station_master, people)
    for player in seated:
        _refuse_kept_out(player, table.event, "")
    for player in reserves:
        _refuse_kept_out(player, table.event, "reserves")


def _refuse_master(master: User, people: Sequence[Player]) -> None:
    """S-01 — who keeps a game does not play it."""
    if any(player.user_id == master.pk for player in people):
        raise Refused(
            "master_plays",
            _("The station master of a table never plays at it."),
            rule="S-01",
            field="station_master",
        )


def _refuse_kept_out(player: Player, event: Event, field_: str) -> None:
    """A-18, S-07 — the black list closes every game over the web, a friendly one too."""
    known = Player.objects.on_the_books().filter(pk=player.pk)
    if not known.exists():
        raise Refused(
            "off_the_books", _("%(player)s is not on the books.") % {"player": player}, field=field_
        )
    try:
        tournaments.refuse_banned(player, event)
    except Refused as refusal:
        refusal.field = field_
        raise
    if player.bans.filter(lifted_at=None, scope=Ban.Scope.WEB).exists():
        raise Refused(
            "blacklisted",
            _("%(player)s may not play games over the web.") % {"player": player},
            rule="A-18",
            field=field_,
        )


def _hashed(password: str) -> str:
    return make_password(password.strip()) if password.strip() else ""


@transaction.atomic
def set_password(game_pk: int, password: str, by: User, now: datetime) -> Game:
    """S-13 — another word for the form of the table, or none; only its hash is kept."""
    game = locked(game_pk)
    game.password = _hashed(password)
    game.save(update_fields=["password"])
    LogEntry.objects.record(by, "set_table_word", game, now, word=bool(game.password))
    return game


# --- who will play --------------------------------------------------------------------------------


@dataclass(frozen=True, slots=True)
class Asked:
    """Somebody who was asked: with a seat, or as a reserve."""

    place: Place
    seat: Seat | None

    @property
    def player(self) -> Player:
        return self.place.player


@dataclass
class Gathering:
    """How far the presence check of a game is."""

    game: Game
    seated: list[Asked]
    reserves: list[Asked]
    answer_by: datetime | None

    @cached_property
    def complete(self) -> bool:
        """Whether everybody who has a seat will play."""
        return all(one.place.answer == Place.Answer.YES for one in self.seated)

    @cached_property
    def given_up(self) -> list[Asked]:
        """Those whose seat waits for somebody else."""
        return [one for one in self.seated if one.place.answer == Place.Answer.NO]

    @cached_property
    def silent(self) -> list[Asked]:
        return [one for one in self.seated if not one.place.answer]

    @cached_property
    def no_log_in(self) -> list[Asked]:
        """Those with a seat who could send no move."""
        return [one for one in self.seated if one.player.user_id is None]

    def of(self, user: object) -> Asked | None:
        """What `user` is asked, if he is."""
        pk = getattr(user, "pk", None)
        everybody = [*self.seated, *self.reserves]
        return next((one for one in everybody if pk and one.player.user_id == pk), None)

    def is_late(self, now: datetime) -> bool:
        return self.answer_by is not None and now > self.answer_by


def gathering_of(game: Game) -> Gathering:
    """Who was asked and what he said; `game` from `with_people`. Writes nothing."""
    asked = _places(game)
    return Gathering(
        game,
        sorted(
            (one for one in asked if one.seat is not None),
            key=lambda one: one.seat.position if one.seat else 0,
        ),
        [one for one in asked if one.seat is None and one.place.reserve is not None],
        answers_by([game.pk]).get(game.pk),
    )


def _places(game: Game) -> list[Asked]:
    """The places of a game; one whose seat went to a reserve has neither seat nor number."""
    seats = {seat.holder().player_id: seat for seat in game.table.seats.all()}
    places = game.places.select_related("player__user", "player__club")
    return [Asked(place, seats.get(place.player_id)) for place in places]


@transaction.atomic
def will_play(game_pk: int, yes: bool, by: User, now: datetime) -> Game:
    """Who was asked says whether he will play; until the dice are thrown he may say otherwise.

    Locks the game. A seat that is given up goes to the first reserve who said yes, at once or when
    one does. Refuses a game that has gone on (`not_gathering`) and who is not asked, or not any
    more (`not_asked`).
    """
    game = _gathering(game_pk)
    mine = gathering_of(game).of(by)
    if mine is None:
        raise Refused("not_asked", _("You are not asked to play this game, or not any more."))
    said = Place.Answer.YES if yes else Place.Answer.NO
    if mine.place.answer != said:
        mine.place.answer, mine.place.answered_at = said, now
        mine.place.save(update_fields=["answer", "answered_at"])
        LogEntry.objects.record(
            by, "will_play", game, now, player=mine.player.pk, answer=said.value
        )
    return _fill(game, by, now)


@transaction.atomic
def declare_silent(game_pk: int, player: Player, by: User, now: datetime) -> Game:
    """Who has a seat and gave no answer by the hour loses it to the reserves.

    Refuses before the hour (`still_time`), who is not asked or has answered (`not_silent`), and a
    game that has gone on (`not_gathering`).
    """
    game = _gathering(game_pk)
    gathering = gathering_of(game)
    one = next((each for each in gathering.silent if each.player.pk == player.pk), None)
    if one is None:
        raise Refused("not_silent", _("%(player)s has answered.") % {"player": player})
    if not gathering.is_late(now):
        raise Refused("still_time", _("There is still time to answer: wait for the hour."))
    one.place.answer, one.place.answered_at = Place.Answer.NO, now
    one.place.save(update_fields=["answer", "answered_at"])
    LogEntry.objects.record(by, "declare_silent", game, now, player=player.pk)
    return _fill(game, by, now)


@transaction.atomic
def confirm_all(game_pk: int, by: User, now: datetime) -> Game:
    """The station master knows from elsewhere that everybody with a seat will play; the log says
    that it was he.

    Refuses a seat that was given up (`seat_given_up`) and a game that has gone on
    (`not_gathering`).
    """
    game = _gathering(game_pk)
    gathering = gathering_of(game)
    if gathering.given_up:
        raise Refused(
            "seat_given_up",
            _("Somebody will not play: his seat needs a reserve first."),
        )
    silent = [one.place.pk for one in gathering.silent]
    game.places.filter(pk__in=silent).update(answer=Place.Answer.YES, answered_at=now)
    LogEntry.objects.record(
        by,
        "confirm_places",
        game,
        now,
        players=[one.player.pk for one in gathering.silent],
    )
    return _read(game.pk)


@transaction.atomic
def call_reserve(game_pk: int, player: Player, by: User, now: datetime) -> Game:
    """One more reserve, who is asked at once, behind those there are.

    Refuses who was asked already (`reserve_twice`), the station master (`master_plays`, S-01), who
    may not play over the web (A-18), and a game that has gone on (`not_gathering`).
    """
    game = _gathering(game_pk)
    places = _places(game)
    if any(one.player.pk == player.pk for one in places) or len(places) > 2 * MOST_RESERVES:
        raise Refused(
            "reserve_twice",
            _("%(player)s was asked already.") % {"player": player},
            field="player",
        )
    if player.user_id is not None and player.user_id == game.station_master_id:
        raise Refused(
            "master_plays",
            _("The station master of a table never plays at it."),
            rule="S-01",
            field="player",
        )
    _refuse_kept_out(player, game.table.event, "player")
    last = game.places.aggregate(last=Max("reserve"))["last"] or 0
    place = Place.objects.create(game=game, player=player, reserve=last + 1, asked_at=now)
    LogEntry.objects.record(by, "call_reserve", game, now, player=player.pk)
    letters.asked(game, [Asked(place, None)], answers_by([game.pk]).get(game.pk), now)
    return game


@transaction.atomic
def call_off(game_pk: int, reason: str, by: User, now: datetime) -> Game:
    """The game will not be played: before its first move, with a reason that everybody reads.

    Refuses no reason (`reason_missing`) and a game that has begun (`game_begun`).
    """
    game = locked(game_pk)
    reason = " ".join(reason.split())[:200]
    if not reason:
        raise Refused("reason_missing", _("Say why the game is called off."), field="reason")
    if game.clock not in {Game.Clock.GATHERING, Game.Clock.DRAWING}:
        raise Refused("game_begun", _("This game has begun: it cannot be called off."))
    game.clock = Game.Clock.CALLED_OFF
    game.save(update_fields=["clock"])
    LogEntry.objects.record(by, "call_off_game", game, now, reason=reason)
    letters.called_off(game, _places(game), reason, now)
    return game


def why_called_off(game: Game) -> str:
    entry = LogEntry.objects.about(game).filter(verb="call_off_game").first()
    return str(entry.data["reason"]) if entry else ""


def _gathering(game_pk: int) -> Game:
    game = locked(game_pk)
    if game.clock != Game.Clock.GATHERING:
        raise Refused(
            "not_gathering", _("The players of this game are not asked any more: load it again.")
        )
    return game


def _fill(game: Game, by: User, now: datetime) -> Game:
    """Seats given up go to the reserves who will play, in their order; the station master hears
    when nothing is missing any more, or nobody is left to ask."""
    gathering = gathering_of(game)
    willing = [one for one in gathering.reserves if one.place.answer == Place.Answer.YES]
    called = list(zip(gathering.given_up, willing, strict=False))
    for gone, reserve in called:
        if gone.seat is None:
            continue
        tournaments.give_seat(gone.seat, reserve.player, by, now)
        reserve.place.reserve = None
        reserve.place.save(update_fields=["reserve"])
        letters.seated(game, reserve, now)
    if called:
        game = _read(game.pk)
        gathering = gathering_of(game)
    waiting = [one for one in gathering.reserves if one.place.answer != Place.Answer.NO]
    if gathering.complete or (gathering.given_up and not waiting):
        letters.gathered(game, gathering.complete, [], now)
    return game


def _read(pk: int) -> Game:
    return Game.objects.with_people().get(pk=pk)


def nudge(now: datetime) -> None:
    """A game that is not gathered by the hour: its station master is told, once."""
    gathering = Game.objects.filter(clock=Game.Clock.GATHERING).with_people()
    each(gathering, lambda game: _nudge(game, now), logger, "game %s: its station master not told")


def _nudge(game: Game, now: datetime) -> None:
    gathering = gathering_of(game)
    if gathering.is_late(now) and not gathering.complete:
        letters.gathered(game, False, gathering.silent, now)


# --- the dice -------------------------------------------------------------------------------------


@transaction.atomic
def throw(game_pk: int, closes_at: datetime, by: User, now: datetime) -> Game:
    """S-02 — the dice that put the players in order are promised; each may add his word.

    Locks the game. Sixty of them at once: what a tie needs is taken from the next. Refuses a seat
    that nobody has confirmed (`not_complete`), a player without a log-in (`no_log_in`), a game that
    has gone on (`not_gathering`), and as `figf.services.open_draw`.
    """
    game = _ready(game_pk)
    _promise(game, closes_at, by, now)
    LogEntry.objects.record(by, "throw_for_order", game, now, draw=game.draw_id)
    return game


def _promise(game: Game, closes_at: datetime, by: User, now: datetime) -> None:
    game.draw = base.open_draw(_purpose(game), _people(game), DICE, closes_at, by, now)
    game.clock = Game.Clock.DRAWING
    game.save(update_fields=["draw", "clock"])


@transaction.atomic
def record_throws(
    game_pk: int,
    rolls: Sequence[Sequence[int]],
    source: str,
    receipt: str,
    by: User,
    now: datetime,
) -> Game:
    """S-02 — the throws of an outside dice server are typed in, and the game begins.

    `rolls` has one value a player in the order of the seats, then one for each of those who throw
    again, the highest tie first. Refuses a value that is not on the die (`not_on_the_die`), a throw
    of too few or too many (`wrong_people`), a tie left (`reroll_needed`), a reroll that no tie asks
    for (`throw_too_many`), no receipt (`no_receipt`), and as `throw`.
    """
    game = _ready(game_pk)
    dealt = _checked(game, rolls)
    throws = [value for roll in rolls for value in roll]
    game.draw = base.record_receipt(_purpose(game), _people(game), throws, source, receipt, by, now)
    _begin(game, dealt, by, now)
    return game


def _checked(game: Game, rolls: Sequence[Sequence[int]]) -> list[Mapping[str, int]]:
    """The throws as they belong to the players, or what is wrong with them."""
    players = _players(game)
    names = names_of_game(game)
    dealt: list[Mapping[str, int]] = []
    tied = tuple(players)
    for n, roll in enumerate(rolls, start=1):
        who = ", ".join(names[one] for one in tied)
        if len(roll) != len(tied):
            raise Refused(
                "wrong_people",
                _("Line %(n)d: one value for each of these, in this order: %(who)s.")
                % {"n": n, "who": who},
                rule="S-02",
                field="rolls",
            )
        dealt.append(dict(zip(tied, roll, strict=True)))
        try:
            order_of_play(players, dealt)
        except RerollNeeded as needed:
            tied = needed.tied
        except NotADie as wrong:
            raise Refused(
                "not_on_the_die",
                _("%(value)s is not on a die of six sides.") % {"value": wrong.value},
                rule="S-02",
                field="rolls",
            ) from None
        else:
            if n < len(rolls):
                raise Refused(
                    "throw_too_many",
                    _("Line %(n)d: nobody throws again, the order is settled before it.")
                    % {"n": n + 1},
                    rule="S-02",
                    field="rolls",
                )
            return dealt
    raise Refused(
        "reroll_needed",
        _("A tie is left. These throw again, in this order: %(who)s.")
        % {"who": ", ".join(names[one] for one in tied)},
        rule="S-02",
        field="rolls",
    )


def _ready(game_pk: int) -> Game:
    game = _gathering(game_pk)
    gathering = gathering_of(game)
    if not gathering.complete:
        raise Refused(
            "not_complete", _("Not everybody has said that he will play: wait, or call a reserve.")
        )
    if gathering.no_log_in:
        raise Refused(
            "no_log_in",
            _("Without a log-in nobody can send a move: %(who)s.")
            % {"who": ", ".join(str(one.player) for one in gathering.no_log_in)},
            rule="S-11",
        )
    return game


def _players(game: Game) -> list[str]:
    return [str(seat.position) for seat in game.table.seats.all()]


def _people(game: Game) -> list[User | str]:
    """Who holds the seats, in their order, as a draw asks for them."""
    found: list[User | str] = []
    for seat in game.table.seats.all():
        player = seat.holder().player
        found.append(player.user if player and player.user else str(player))
    return found


def _purpose(game: Game) -> str:
    words = _("Order of play: %(table)s, %(event)s")
    return (words % {"table": game.table.called(), "event": game.table.event})[:120]


# --- the game begins ------------------------------------------------------------------------------


def begin_due(now: datetime) -> None:
    """Games whose dice have been shown begin; one that fails stops no other."""
    thrown = Game.objects.filter(clock=Game.Clock.DRAWING, draw__revealed_at__isnull=False)
    pks = thrown.values_list("pk", flat=True)
    each(pks, lambda pk: begin(pk, now), logger, "game %s: not begun")


@transaction.atomic
def begin(game_pk: int, now: datetime) -> Game:
    """S-02, T-03 — the dice of a game have been shown: the order is published, the clock runs.

    Locks the game. Should they not suffice, others are promised. A game that does not wait for its
    dice stays as it is.
    """
    game = locked(game_pk)
    if game.clock != Game.Clock.DRAWING or game.draw is None or game.draw.revealed_at is None:
        return game
    try:
        dealt = deal(_players(game), game.draw.throws or [])
    except RerollNeeded:
        _promise(game, now + OPEN_FOR, game.station_master or game.draw.opened_by, now)
        return game
    _begin(game, dealt, None, now)
    return game


def _begin(game: Game, dealt: Sequence[Mapping[str, int]], by: User | None, now: datetime) -> None:
    order = order_of_play(_players(game), dealt)
    game.order = [int(position) for position in order]
    first = beginning(game).player if game.has_engine else order[0]
    game.to_act = next(seat for seat in game.table.seats.all() if str(seat.position) == first)
    game.started_at, game.clock, game.due_at = now, Game.Clock.RUNNING, due_at(now)
    game.save()
    tournaments.start_by_correspondence(game.table, by, now)
    LogEntry.objects.record(by, "begin_game", game, now, order=game.order)
    letters.begins(game, begun_of(game), now)


@dataclass(frozen=True, slots=True)
class Begun:
    """How a game was put in order: each throw with its values, the highest first, and the order."""

    throws: list[list[tuple[str, int]]] = field(default_factory=list)
    order: list[str] = field(default_factory=list)


def begun_of(game: Game) -> Begun | None:
    """The throws as they belong to the players, and the order that they gave; None before it."""
    if not game.order or game.draw is None or game.draw.throws is None:
        return None
    labels = [one.label for one in game.draw.contributions.order_by("position")]
    names = dict(zip(_players(game), labels, strict=False))
    try:
        dealt = deal(_players(game), game.draw.throws)
    except RerollNeeded:
        return None
    return Begun(
        [
            [(names.get(who, who), roll[who]) for who in sorted(roll, key=lambda one: -roll[one])]
            for roll in dealt
        ],
        [names.get(str(position), str(position)) for position in game.order],
    )


def tables_without_game(event: Event) -> list[Table]:
    """The published tables of an event at which a game may be opened; for who runs it."""
    tables = Table.objects.with_everything().filter(
        round__prova__event=event,
        round__status=Round.Status.PUBLISHED,
        status=Table.Status.PLAYING,
    )
    free = tables.exclude(pk__in=Game.objects.exclude(clock=Game.Clock.CALLED_OFF).values("table"))
    if event.kind not in BY_WEB or not event.accepts_results():
        return []
    return [
        table
        for table in free.order_by("round", "number")
        if not table.confirmed() and len(table.seats.all()) > 1
    ]


def people_to_ask() -> list[Player]:
    """Players with a log-in, whom a form may propose; kept out or not is said by the verbs."""
    known = Player.objects.on_the_books().filter(user__isnull=False, user__is_active=True)
    return list(known.exclude(pk__in=tournaments.struck_off()).select_related("club"))
