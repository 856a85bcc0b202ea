"""The mails of games by correspondence: every move at once, reminders, what stops the clocks."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass, field
from datetime import date, datetime, timedelta
from typing import Any

from django.db.models import Q
from django.utils import timezone, translation

from figf import mail
from figf.models import Email, User
from pbem.engine import Game as Engine
from pbem.engine.actions import BuyTrain
from pbem.engine.facts import load
from pbem.models import Consent, Game, Move, Preference
from pbem.rules.deadlines import reminders_due
from pbem.rules.turns import Execution, Outcome
from pbem.services.preferences import preference_of
from pbem.services.told import Line, awaited, names_of_game, requested, told
from pbem.texts import Names
from tournaments.models import Seat


def people(game: Game) -> Iterator[tuple[User, Seat | None]]:
    """The log-ins of a table: who holds its seats, then the station master without one."""
    seen: set[int] = set()
    for seat in game.table.seats.all():
        player = seat.holder().player
        if player is not None and player.user is not None:
            seen.add(player.user.pk)
            yield player.user, seat
    master = game.station_master
    if master is not None and master.pk not in seen:
        yield master, None


def referees(day: date) -> list[User]:
    """M-11 — the log-ins of the FIGF referees of that day."""
    terms = Q(player__referee_terms__starts_on__lte=day) & (
        Q(player__referee_terms__ends_on=None) | Q(player__referee_terms__ends_on__gte=day)
    )
    on_the_books = Q(player__merged_into=None, player__forgotten_at=None)
    return list(User.objects.filter(terms, on_the_books, is_active=True).distinct().order_by("pk"))


def judges(game: Game, day: date) -> Iterator[User]:
    """The station master and the referees, but for those who play at the table."""
    people = {user.pk: user for user in referees(day)}
    if game.station_master is not None:
        people[game.station_master.pk] = game.station_master
    return (user for user in people.values() if game.seat_of(user) is None)


def _preferences(game: Game) -> dict[int, Preference]:
    users = [user.pk for user, _seat in people(game)]
    return {one.user_id: one for one in Preference.objects.filter(user__in=users)}


def announce(
    game: Game,
    move: Move,
    before: Engine | None,
    done: Execution,
    now: datetime,
    consent: Consent | None = None,
) -> None:
    """S-12 — every move goes at once to the station master and to the whole table, executed or not.

    A player may ask to be written to only when it is his turn. Even so he hears what is asked of
    him, what was answered to him, that the game goes back, and its end; the station master hears
    all.
    """
    wishes = _preferences(game)
    asked = awaited(game)
    always = move.kind == Move.Kind.REFEREE or game.clock == Game.Clock.OVER
    account = _Account(before, done)
    key = f"move:{game.pk}:{move.number}:{game.seq}" + (f":{consent.pk}" if consent else "")
    for user, seat in people(game):
        wish = wishes.get(user.pk)
        turn = _moves_now(game, seat)
        own = _of(asked, seat)
        answered = consent is not None and seat is not None and seat.pk == move.seat_id
        only_turns = seat is not None and wish and wish.moves == Preference.Moves.TURN
        if only_turns and not (always or turn or own or answered):
            continue
        _send(
            f"{key}:{user.pk}",
            user,
            "pbem_move",
            game,
            now,
            move=move,
            consent=consent,
            own=own,
            asked=asked,
            turn=turn,
            account=account,
        )


@dataclass
class _Account:
    """A move to be told to a whole table: once in each language, whoever reads it."""

    before: Engine | None
    done: Execution
    made: dict[str | None, list[Line]] = field(default_factory=dict)

    def lines(self, names: Names) -> list[Line]:
        language = translation.get_language()
        if language not in self.made:
            self.made[language] = told(self.before, self.done.outcomes, self.done.actions, names)
        return self.made[language]


def _of(asked: Sequence[Consent], seat: Seat | None) -> list[Consent]:
    """What is asked of who holds that seat."""
    return [one for one in asked if seat is not None and one.seat_id == seat.pk]


def _moves_now(game: Game, seat: Seat | None) -> bool:
    """Whether who holds that seat is to send a move, and his hours run."""
    return game.clock == Game.Clock.RUNNING and seat is not None and game.to_act_id == seat.pk


def _send(key: str, user: User, template: str, game: Game, now: datetime, **more: Any) -> None:
    """One mail, its words in the language of who reads it."""
    account: _Account | None = more.pop("account", None)
    asked, own = more.pop("asked", ()), more.pop("own", ())
    with translation.override(user.language):
        names = names_of_game(game)
        move, consent = more.get("move"), more.get("consent")
        mail.enqueue(
            key,
            user,
            template,
            now,
            game=game,
            table=game.table,
            lines=[] if account is None else account.lines(names),
            to_act="" if game.to_act is None else names[str(game.to_act.position)],
            who=None if move is None else names[str(move.seat.position)],
            answerer=None if consent is None else names[str(consent.seat.position)],
            requests=[requested(one, names) for one in asked],
            own=[requested(one, names) for one in own],
            worths=_worths(game, names),
            **more,
        )


def _written(key: str) -> bool:
    """Whether a mail that a sweep asks for every minute is there already: it is not made anew."""
    return Email.objects.filter(key=key).exists()


def _worths(game: Game, names: Names) -> list[tuple[str, int]]:
    """C-14 — what each is worth at the end, the most first; nothing before it."""
    if game.clock != Game.Clock.OVER or not game.result:
        return []
    found = ((names[seat], worth) for seat, worth in game.result.items())
    return sorted(found, key=lambda one: -one[1])


def _to_all(
    game: Game,
    occasion: str,
    template: str,
    now: datetime,
    asked: Sequence[Consent] = (),
    **more: Any,
) -> None:
    for user, seat in people(game):
        said: dict[str, Any] = {
            "turn": seat is not None and game.to_act_id == seat.pk,
            "seat": seat,
            **more,
        }
        own = _of(asked, seat)
        _send(f"{occasion}:{user.pk}", user, template, game, now, asked=asked, own=own, **said)


def expired(game: Game, now: datetime) -> None:
    """T-05 — the time of a turn has passed."""
    stamp = f"{game.due_at:%Y%m%d%H%M}"
    _to_all(game, f"expired:{game.pk}:{game.seq}:{stamp}", "pbem_expired", now)


def reopened(game: Game, reason: str, now: datetime) -> None:
    """T-06 — a turn whose time had passed is opened again."""
    stamp = f"{game.due_at:%Y%m%d%H%M}"
    _to_all(game, f"reopened:{game.pk}:{game.seq}:{stamp}", "pbem_reopened", now, reason=reason)


def paused(game: Game, now: datetime) -> None:
    """T-11 — the clock stops."""
    _to_all(game, f"paused:{game.pk}:{now:%Y%m%d%H%M%S}", "pbem_paused", now)


def resumed(game: Game, now: datetime) -> None:
    """T-11 — the clock goes on."""
    asked = awaited(game)
    _to_all(game, f"resumed:{game.pk}:{now:%Y%m%d%H%M%S}", "pbem_resumed", now, asked=asked)


def remind(game: Game, before: timedelta, now: datetime) -> None:
    """T-11 — so many hours are left to who is to move, or to each who is to answer; once each.

    Of two reminders that are due together, as after a night without sweeps, the later is enough.
    """
    if game.clock == Game.Clock.CONSENT:
        for one in awaited(game):
            _remind(game, one.seat, one.due_at, before, now, own=[one])
    elif game.to_act is not None and game.due_at is not None:
        _remind(game, game.to_act, game.due_at, before, now)


def _remind(
    game: Game, seat: Seat, due: datetime, before: timedelta, now: datetime, **more: Any
) -> None:
    user = next(
        (one for one, held in people(game) if held is not None and held.pk == seat.pk), None
    )
    if user is None or min(reminders_due(due, now), default=None) != before:
        return
    hours = int(before.total_seconds() // 3600)
    asked = "".join(f":{one.pk}" for one in more.get("own", ()))
    key = f"reminder:{game.pk}:{game.seq}{asked}:{due:%Y%m%d%H%M}:{hours}"
    if _written(key) or not preference_of(user).reminders:
        return
    _send(key, user, "pbem_reminder", game, now, due=due, **more)


def flagged(game: Game, move: Move, sale: BuyTrain, now: datetime) -> None:
    """Q-02 — a train was sold at a political price: to the station master and the referees."""
    face = load(game.title).trains[sale.train].price
    for user in judges(game, timezone.localdate(now)):
        key = f"price:{game.pk}:{move.number}:{sale.source}:{sale.price}:{user.pk}"
        _send(key, user, "pbem_price", game, now, move=move, sale=sale, face=face)


# --- before a game begins -------------------------------------------------------------------------


def asked(game: Game, places: Iterable[Any], answer_by: datetime | None, now: datetime) -> None:
    """Whether they will play, by when they answer: who has a seat, and the reserves."""
    for one in places:
        user = one.player.user
        if user is not None:
            key = f"pbem-asked:{_opening(game)}:{one.player.pk}"
            _send(key, user, "pbem_asked", game, now, one=one, answer_by=answer_by)


def seated(game: Game, one: Any, now: datetime) -> None:
    """A reserve has a seat."""
    if one.player.user is not None:
        key = f"pbem-seated:{_opening(game)}:{one.player.pk}"
        _send(key, one.player.user, "pbem_seated", game, now)


def gathered(game: Game, complete: bool, silent: Iterable[Any], now: datetime) -> None:
    """To the station master: all will play, or somebody is missing; each once."""
    master = game.station_master
    silent = list(silent)
    state = "complete" if complete else "silent" if silent else "given-up"
    if master is not None:
        holders = "-".join(str(seat.holder().player_id) for seat in game.table.seats.all())
        key = f"pbem-gathered:{_opening(game)}:{state}:{holders}"
        if _written(key):
            return
        _send(key, master, "pbem_gathered", game, now, complete=complete, silent=silent)


def called_off(game: Game, places: Iterable[Any], reason: str, now: datetime) -> None:
    """The game will not be played: to who has a seat or waits for one, and the station master."""
    waiting = [one.player.user for one in places if one.seat is not None or one.place.reserve]
    users = {user.pk: user for user in waiting if user is not None}
    if game.station_master is not None:
        users[game.station_master.pk] = game.station_master
    for user in users.values():
        key = f"pbem-called-off:{_opening(game)}:{user.pk}"
        _send(key, user, "pbem_called_off", game, now, reason=reason)


def begins(game: Game, begun: Any, now: datetime) -> None:
    """S-02 — the throws, the order that they give, who begins and until when: to all the table."""
    _to_all(game, f"pbem-begins:{_opening(game)}", "pbem_begins", now, begun=begun)


def _opening(game: Game) -> str:
    """A game that was called off may be opened again: then all is told again."""
    return f"{game.pk}:{game.opened_at:%Y%m%d%H%M%S}"


# --- where no engine knows the title --------------------------------------------------------------


def ticked(game: Game, move: Move, outcomes: list[Outcome], now: datetime) -> None:
    """Y-02 — what the station master did not execute of a move, and why: to all the table."""
    asked, account = awaited(game), _Account(None, Execution(outcomes))
    for user, seat in people(game):
        said: dict[str, Any] = {
            "mine": seat is not None and seat.pk == move.seat_id,
            "turn": _moves_now(game, seat),
            "own": _of(asked, seat),
        }
        key = f"ticked:{game.pk}:{move.number}:{move.form['ticks']}:{user.pk}"
        _send(
            key,
            user,
            "pbem_hand_ticked",
            game,
            now,
            move=move,
            account=account,
            asked=asked,
            **said,
        )


def turns_set(game: Game, note: Move, label: str, operating: str, now: datetime) -> None:
    """S-01 — the station master says which round it is, and who is to act."""
    said: dict[str, Any] = {"note": note, "label": label, "operating": operating}
    _to_all(game, f"turns:{game.pk}:{note.number}", "pbem_hand_turns", now, **said)


def closed(game: Game, now: datetime) -> None:
    """The station master closed the game."""
    _to_all(game, f"closed:{game.pk}:{game.seq}", "pbem_hand_closed", now)
