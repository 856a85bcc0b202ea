"""A move: received, played, put right; agreements answered; rolled back by the station master.

A form is first stored as it came, in a transaction of its own; then it is played under the lock of
its game. Who is killed in between loses nothing: the sweep plays what was received.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, field
from datetime import datetime, timedelta
from typing import Any
from uuid import UUID

from django.contrib.auth.hashers import check_password
from django.db import transaction
from django.db.models import Max
from django.utils.translation import gettext as _

from figf.errors import Refused
from figf.models import LogEntry, User
from pbem.engine import Game as Engine
from pbem.engine.actions import BuyTrain, ExchangePrivate
from pbem.models import Action, Consent, Game, Move
from pbem.rules import by_hand, turns
from pbem.rules.commands import Command, Fault, Faulty, Plain, without_contradiction
from pbem.rules.corrections import NotAnError, check_correction
from pbem.rules.deadlines import ALLOWED, due_at, in_time
from pbem.rules.prices import sold_at_political_price
from pbem.rules.readings import READINGS
from pbem.rules.turns import Answer, Execution, Fate, Outcome, execute
from pbem.services import letters
from pbem.services.logs import ROLLBACK, head, reel
from pbem.services.mine import stage
from pbem.services.results import report
from tournaments.models import Seat

LONGEST_COMMENT = 1000


@dataclass(frozen=True, slots=True)
class Sent:
    """A form as it was sent. `commands` are its rows in the order in which they are meant, `form`
    what was typed, to be shown again; `seen` is the position it was based on; `corrects` is the
    number of the sender's move that it puts right (Y-03)."""

    commands: Sequence[Command]
    seen: int
    key: UUID
    form: dict[str, Any] = field(default_factory=dict)
    comment: str = ""
    ends: bool = True
    corrects: int | None = None
    password: str = ""


def submit(game_pk: int, sent: Sent, by: User, received_at: datetime, now: datetime) -> Move:
    """S-11, S-12, S-15 — receive a move by the form, and play it at once.

    `received_at` is when the request came in: it decides whether the move is in time. Two
    transactions. Refuses as `receive` does; a move received and then not played says why in its
    `state`.
    """
    move = receive(game_pk, sent, by, received_at)
    return play(move.pk, now)


@transaction.atomic
def receive(game_pk: int, sent: Sent, by: User, received_at: datetime) -> Move:
    """Store a form as it came, before anything is decided. The same one twice is one move.

    Refuses: who holds no seat (`not_at_table`, V-01), a game that is not being played
    (`game_not_on`), a wrong word of the table (`wrong_password`, S-13), a correction of
    what was correct (`correct_already`, Y-03).
    """
    game = Game.objects.with_people().get(pk=game_pk)
    seat = game.seat_of(by)
    if seat is None:
        raise Refused("not_at_table", _("You hold no seat at this table."), rule="V-01")
    if not game.is_on:
        raise Refused("game_not_on", _("This game is not being played."), rule="V-01")
    if game.password and not check_password(sent.password, game.password):
        raise Refused(
            "wrong_password",
            _("This is not the word of this table."),
            rule="S-13",
            field="password",
        )
    commands = without_contradiction(sent.commands)
    if sent.corrects is not None and sent.seen == game.seq:
        _refuse_correction(game, seat, sent.corrects, commands)
    move, _new = Move.objects.get_or_create(
        game=game,
        key=sent.key,
        defaults={
            "seat": seat,
            "kind": Move.Kind.OWN,
            "state": Move.State.RECEIVED,
            "seen": sent.seen,
            "form": {"typed": sent.form, "corrects": sent.corrects},
            "commands": [turns.to_dict(Outcome(one)) for one in commands],
            "comment": sent.comment.strip()[:LONGEST_COMMENT],
            "ends": sent.ends,
            "sent_by": by,
            "received_at": received_at,
            "due_at": game.due_at,
        },
    )
    return move


@transaction.atomic
def play(move_pk: int, now: datetime) -> Move:
    """Y-02 — play a received move: what is correct of it, and tell everybody (S-12).

    Locks the game. One that was based on another position, came too late or out of turn is not
    played, and kept as it is for its sender. Writes actions, agreements to be asked, the
    projections of the game, mails. Played already: nothing happens.
    """
    move = Move.objects.get(pk=move_pk)
    game = locked(move.game_id)
    move = Move.objects.select_related("seat").get(pk=move_pk)
    if move.state == Move.State.RECEIVED:
        _play(game, move, now)
    return move


def _play(game: Game, move: Move, now: datetime) -> None:
    """Play a received move of a locked game, or say why it is not played."""
    position = head(game) if game.has_engine else None
    acts = str(game.to_act.position) if game.to_act else None
    player = acts if position is None else position.player
    outcomes = [turns.from_dict(one) for one in move.commands]
    corrected = _corrected(game, move)
    state = _not_played(game, move, player, outcomes, corrected)
    if state is not None:
        move.state = state
        move.save(update_fields=["state"])
        return
    move.number = next_number(game)
    move.state, move.played_at, move.before = Move.State.PLAYED, now, game.seq
    if corrected is not None:
        move.replaces = corrected
        _undo([corrected], now)
    if position is None:
        _play_by_hand(game, move, outcomes, corrected, now)
    else:
        _play_by_engine(game, move, position, outcomes, corrected, now)


def _play_by_engine(
    game: Game,
    move: Move,
    position: Engine,
    outcomes: list[Outcome],
    corrected: Move | None,
    now: datetime,
) -> None:
    """A move that has its number: the engine plays what is correct of it."""
    log = _Log(game, move)
    if corrected is not None:
        position = log.back_to(corrected.before)
    before = position.copy()
    move.form["turn"] = turns.turn_of(position)
    done = execute(position, outcomes, str(move.seat.position), ends=move.ends)
    _write(log, move, done, before, now)
    _settle(game, position, done, move.received_at, fresh=corrected is not None)
    LogEntry.objects.record(move.sent_by, "play_move", game, now, number=move.number)
    letters.announce(game, move, before, done, now)
    _resume(game, position, now)


def _not_played(
    game: Game,
    move: Move,
    player: str | None,
    outcomes: Sequence[Outcome],
    corrected: Move | None,
) -> Move.State | None:
    """Why a received move cannot be played while it is the turn of `player`, if it cannot.

    T-06 — one that came after the deadline is refused, and kept for information.
    """
    if move.seen != game.seq or not game.is_on:
        return Move.State.STALE
    if move.form.get("corrects") is not None:
        return None if corrected is not None else Move.State.STALE
    exchange = bool(outcomes) and all(
        isinstance(one.command, Plain) and isinstance(one.command.action, ExchangePrivate)
        for one in outcomes
    )
    if exchange and player != str(move.seat.position):
        return None  # Z-07: also between the turns of others
    if game.clock == Game.Clock.CONSENT or player != str(move.seat.position):
        return Move.State.OUT_OF_TURN
    if _is_late(game, move) and READINGS.late_moves == "refused":
        return Move.State.LATE
    return None


def _is_late(game: Game, move: Move) -> bool:
    """T-07 — whether it came after its hours; a pause gives none back that were over before it."""
    if game.due_at is not None:
        return not in_time(move.received_at, game.due_at)
    over = game.paused_remaining is not None and game.paused_remaining < timedelta(0)
    return over and (move.due_at is None or not in_time(move.received_at, move.due_at))


# --- corrections ----------------------------------------------------------------------------------


def correctable(game: Game, seat: Seat) -> Move | None:
    """Y-03 — the move that who holds this seat may still put right: his, the last of the game, with
    something in it that was not executed, or that nobody has looked at yet."""
    last = _last_played(game)
    if last is None or not _is_own(last, seat.pk) or not game.is_on:
        return None
    wrong = any(one["fate"] in {Fate.REFUSED, Fate.NEW} for one in last.commands)
    return last if wrong else None


def _is_own(move: Move, seat: int) -> bool:
    """Whether who holds that seat sent it; a roll-back carries a seat and is nobody's move."""
    return move.seat_id == seat and move.kind == Move.Kind.OWN


def _last_played(game: Game) -> Move | None:
    played = game.moves.filter(state=Move.State.PLAYED)
    return played.select_related("seat").order_by("-number").first()


def _refuse_correction(game: Game, seat: Seat, number: int, commands: Sequence[Command]) -> None:
    last = _last_played(game)
    if last is None or last.number != number or not _is_own(last, seat.pk):
        raise Refused(
            "next_has_moved",
            _("The next player has moved already: what was sent stands."),
            rule="Y-03",
        )
    try:
        check_correction([turns.from_dict(one) for one in last.commands], commands)
    except NotAnError:
        raise Refused(
            "correct_already",
            _(
                "A correction may change only what was not executed: what was correctly executed "
                "stands. If it was a slip, write to the station master."
            ),
            rule="Y-03",
        ) from None


def _corrected(game: Game, move: Move) -> Move | None:
    """The move that this one puts right, if it still may."""
    number = move.form.get("corrects")
    last = _last_played(game) if number is not None else None
    if last is None or last.number != number or not _is_own(last, move.seat_id):
        return None
    return last


# --- agreements -----------------------------------------------------------------------------------


@transaction.atomic
def answer(consent_pk: int, yes: bool, by: User, now: datetime) -> Consent:
    """X-03, X-14 — the owner says whether he agrees; the move that asked goes on.

    Locks the game. Refuses somebody else (`not_asked`), an answer that came already
    (`answered_already`), and one that comes after its hours (`answer_late`, T-10), unless the game
    is paused.
    """
    consent = Consent.objects.select_related("game").get(pk=consent_pk)
    game = locked(consent.game_id)
    consent.refresh_from_db()
    seat = game.seat_of(by)
    if seat is None or seat.pk != consent.seat_id:
        raise Refused("not_asked", _("This is asked of somebody else."), rule="X-03")
    if consent.answer:
        raise Refused("answered_already", _("This has been answered already."), rule="X-03")
    if game.clock != Game.Clock.PAUSED and not in_time(now, consent.due_at):
        raise Refused(
            "answer_late",
            _("The 48 hours for an answer have passed: silence was a no."),
            rule="T-10",
        )
    _answer(game, consent, Consent.Answer.YES if yes else Consent.Answer.NO, by, now)
    return consent


def lapse(game: Game, now: datetime) -> None:
    """T-10 — no answer in 48 hours is a no. The game is locked by the caller."""
    late = game.consents.filter(answer="", due_at__lt=now).order_by("pk")
    for consent in list(late):
        _answer(game, consent, Consent.Answer.LAPSED, None, now)


def _answer(
    game: Game, consent: Consent, said: Consent.Answer, by: User | None, now: datetime
) -> None:
    consent.answer, consent.answered_at, consent.answered_by = said, now, by
    consent.save(update_fields=["answer", "answered_at", "answered_by"])
    LogEntry.objects.record(by, "answer_consent", game, now, consent=consent.pk, answer=said.value)
    move = Move.objects.select_related("seat").get(pk=consent.move_id)
    outcomes = [turns.from_dict(one) for one in move.commands]
    if not game.has_engine:
        _answer_by_hand(game, move, consent, outcomes, now)
        return
    outcomes[consent.index].answer = Answer(said.value)
    position = head(game)
    _go_on(game, move, outcomes, position, now, consent=consent)
    _resume(game, position, now)


def _go_on(
    game: Game,
    move: Move,
    outcomes: list[Outcome],
    position: Engine,
    now: datetime,
    consent: Consent | None = None,
) -> None:
    """What waited in a move is tried again."""
    before = position.copy()
    log = _Log(game, move)
    player, turn = str(move.seat.position), move.form["turn"]
    done = execute(position, outcomes, player, ends=move.ends, turn=turn)
    _write(log, move, done, before, now)
    _settle(game, position, done, now, fresh=True)
    letters.announce(game, move, before, done, now, consent=consent)


def _resume(game: Game, position: Engine, now: datetime) -> None:
    """Go on with a move that waited for what somebody else had to decide."""
    if game.consents.filter(answer="").exists():
        return
    waiting = game.moves.filter(open=True, state=Move.State.PLAYED).select_related("seat").first()
    if waiting is None:
        return
    another = turns.turn_of(position) != waiting.form["turn"]  # its turn ended by itself
    if another or position.player == str(waiting.seat.position):
        outcomes = [turns.from_dict(one) for one in waiting.commands]
        _go_on(game, waiting, outcomes, position, now)


# --- roll-backs -----------------------------------------------------------------------------------


@transaction.atomic
def roll_back(
    move: Move, reason: str, by: User, now: datetime, *, voids: int | None = None
) -> Move:
    """N-13 in pbem, S-14 — the game goes back to before one of its moves, by the station master.

    Locks the game. That move and all after it are undone; nothing is deleted. Who was to move has
    48 hours from now. `voids` is how many moves he was told that it would undo. Refuses who plays
    there (`plays_here`), no reason (`reason_missing`), a move that does not stand (`not_played`), a
    roll-back itself (`is_roll_back`), and when more has been played meanwhile (`more_played`).
    """
    game = locked(move.game_id)
    refuse_player(game, by)
    move = Move.objects.select_related("seat").get(pk=move.pk)
    if not reason.strip():
        raise Refused("reason_missing", _("Say why the game goes back."), field="reason")
    if move.state != Move.State.PLAYED or not game.is_on:
        raise Refused("not_played", _("This move does not stand: nothing is to be taken back."))
    if "back_before" in move.form:
        raise Refused("is_roll_back", _("A roll-back is not taken back: the moves are sent again."))
    undone = list(
        game.moves.filter(state=Move.State.PLAYED, number__gte=move.number).order_by("number")
    )
    if voids not in {None, len(undone)}:
        raise Refused(
            "more_played", _("Something was played meanwhile: look again at what would be undone.")
        )
    note = Move.objects.create(
        game=game,
        number=next_number(game),
        seat=move.seat,
        kind=Move.Kind.REFEREE,
        form={"back_before": move.number, "undone": len(undone)},
        comment=reason.strip()[:LONGEST_COMMENT],
        sent_by=by,
        received_at=now,
        played_at=now,
        before=game.seq,
    )
    position = None
    done = Execution([], finished=True)
    if game.has_engine:
        log = _Log(game, note)
        position = log.back_to(move.before)
        _undo(undone, now)
        log.flush()
        _settle(game, position, done, now, fresh=True)
    else:
        _undo(undone, now)
        _back_by_hand(game, move, now)
    LogEntry.objects.record(by, "roll_back", game, now, number=move.number, moves=len(undone))
    letters.announce(game, note, position, done, now)
    return note


def _undo(moves: Sequence[Move], now: datetime) -> None:
    pks = [move.pk for move in moves]
    Move.objects.filter(pk__in=pks).update(state=Move.State.UNDONE, open=False)
    Consent.objects.filter(move__in=pks, answer="").update(
        answer=Consent.Answer.WITHDRAWN, answered_at=now
    )


# --- where no engine knows the title --------------------------------------------------------------


def turns_of(game: Game) -> by_hand.Turns:
    """How far the round of a game without an engine is."""
    return by_hand.read(game.options.get("round"))


def _play_by_hand(
    game: Game, move: Move, outcomes: list[Outcome], corrected: Move | None, now: datetime
) -> None:
    """A move that has its number: what it says is read by the station master, later, and until then
    the next player may move (T-04, S-15)."""
    if corrected is not None:
        game.options["round"] = corrected.form["turn"]
    move.form |= {"turn": turns_of(game).to_dict(), "operating": turns_of(game).operating}
    game.seq += 1
    sender = str(move.seat.position)
    players = {str(seat.position) for seat in game.table.seats.all()}
    asked = []
    for index, one in enumerate(outcomes):
        owner = by_hand.must_agree(one.command, sender, players)
        if isinstance(one.command, Faulty):
            one.fate, one.why = Fate.REFUSED, one.command.fault
        elif owner is not None:
            one.fate = Fate.CONSENT
            asked.append((index, {"type": "text"} | one.command.to_dict(), owner))
    move.commands = [turns.to_dict(one) for one in outcomes]
    move.open = bool(asked)
    move.save()
    _ask(game, move, asked, now)
    _turn_by_hand(game, move, outcomes, move.received_at, fresh=corrected is not None)
    LogEntry.objects.record(move.sent_by, "play_move", game, now, number=move.number)
    letters.announce(game, move, None, Execution(outcomes), now)


def _turn_by_hand(
    game: Game, move: Move, outcomes: Sequence[Outcome], moment: datetime, *, fresh: bool
) -> None:
    """The turn passes on, unless something of the move waits or another form continues it."""
    now = by_hand.read(move.form["turn"])
    player: str | None = str(move.seat.position)
    turn_over = move.ends and not move.open
    if turn_over:
        passed = by_hand.is_pass([one.command for one in outcomes])
        order = [str(position) for position in game.order]
        now, player = by_hand.after(now, order, str(move.seat.position), passed=passed)
    game.options["round"] = now.to_dict()
    settle(game, player, moment, turn_over=turn_over, fresh=fresh)


def _answer_by_hand(
    game: Game, move: Move, consent: Consent, outcomes: list[Outcome], now: datetime
) -> None:
    """T-10 — with the answer the turn passes on: what was agreed to is the station master's."""
    one = outcomes[consent.index]
    match consent.answer:
        case Consent.Answer.YES:
            one.fate = Fate.NEW
        case Consent.Answer.NO:
            one.fate, one.why = Fate.REFUSED, Fault.CONSENT_REFUSED
        case _:
            one.fate, one.why = Fate.REFUSED, Fault.CONSENT_LAPSED
    move.commands = [turns.to_dict(each) for each in outcomes]
    move.open = any(each.fate is Fate.CONSENT for each in outcomes)
    move.save(update_fields=["commands", "open"])
    _turn_by_hand(game, move, outcomes, now, fresh=True)
    letters.announce(game, move, None, Execution(outcomes), now, consent=consent)


def _back_by_hand(game: Game, move: Move, now: datetime) -> None:
    """Back to before a move; or to before the station master said whose turn it was."""
    was = move.form.get("was", str(move.seat.position))
    game.options["round"] = move.form["turn"]
    game.seq += 1
    settle(game, was, now, turn_over=True, fresh=True)


# --- what all of them write -----------------------------------------------------------------------


class _Log:
    """The rows that a move adds to the log of its game, written together."""

    def __init__(self, game: Game, move: Move) -> None:
        self.game = game
        self.move = move
        self.rows: list[Action] = []

    def add(self, payload: dict[str, Any], digest: str) -> None:
        self.game.seq += 1
        self.game.length += 1
        self.rows.append(
            Action(
                game=self.game, seq=self.game.seq, move=self.move, payload=payload, digest=digest
            )
        )

    def back_to(self, seq: int) -> Engine:
        """Roll the game back to one of its rows."""
        found = reel(self.game)
        length = found.count(seq)
        position = found.at(length)
        self.add({"type": ROLLBACK, "to": seq}, position.digest())
        self.game.length = length
        return position

    def flush(self) -> None:
        self.move.save()
        Action.objects.bulk_create(self.rows)


def _write(log: _Log, move: Move, done: Execution, before: Engine, now: datetime) -> None:
    """The actions of an execution, what became of its commands, and what is to be asked."""
    step = before.copy()
    for action, _command in done.actions:
        if isinstance(action, BuyTrain) and sold_at_political_price(step.state, action):
            _flag(log.game, move, action, now)
        step.apply(action)
        log.add(action.to_dict(), step.digest())
    did = [command for _action, command in done.actions]  # which command each action is of
    move.form["did"] = [*move.form.get("did", []), *did]
    move.commands = [turns.to_dict(one) for one in done.outcomes]
    move.open = done.waits
    log.flush()
    asks = [n for n, one in enumerate(done.outcomes) if one.fate is Fate.CONSENT]
    move.consents.filter(answer="").exclude(index__in=asks).update(
        answer=Consent.Answer.WITHDRAWN, answered_at=now
    )
    asked = [(index, action.to_dict(), who) for index, action, who in done.asked]
    _ask(log.game, move, asked, now)


def _flag(game: Game, move: Move, sale: BuyTrain, now: datetime) -> None:
    """Q-02 — the station master and the referees are told; the sale stands."""
    LogEntry.objects.record(None, "political_price", game, now, number=move.number, sale=str(sale))
    letters.flagged(game, move, sale, now)


def _ask(
    game: Game, move: Move, asked: Sequence[tuple[int, dict[str, Any], str]], now: datetime
) -> None:
    """X-03, X-14 — ask who holds those seats whether they agree; again, what was asked before."""
    seats = {str(seat.position): seat for seat in game.table.seats.all()}
    for index, action, who in asked:
        said = {"seat": seats[who], "action": action, "asked_at": now, "due_at": due_at(now)}
        again = said | {"answer": "", "answered_at": None, "answered_by": None}
        Consent.objects.update_or_create(
            move=move, index=index, defaults=again, create_defaults=again | {"game": game}
        )


def _settle(
    game: Game, position: Engine, done: Execution, moment: datetime, *, fresh: bool
) -> None:
    """The projections of the game after the engine played something."""
    if not position.state.over:
        game.status = stage(position)
        turn_over = done.in_turn and done.finished
        settle(game, position.player or "", moment, turn_over=turn_over, fresh=fresh)
        return
    game.clock, game.to_act, game.due_at = Game.Clock.OVER, None, None
    game.status, game.result = position.state.over, position.result()
    game.paused_remaining = None
    game.save()
    report(game, moment)


def settle(
    game: Game, player: str | None, moment: datetime, *, turn_over: bool, fresh: bool
) -> None:
    """T-01, T-03, T-10 — who is to act after something was played, and until when. A turn that is
    not over keeps its hours, unless they are `fresh`.

    Without a `player`, as may be where no engine knows the title, the clock stands until the
    station master says who it is.
    """
    if waits_for_master(game) and not game.paused_why:
        game.clock, game.paused_remaining, game.paused_from = Game.Clock.RUNNING, None, ""
    paused, remaining = game.clock == Game.Clock.PAUSED, game.paused_remaining
    hours = moment + remaining if paused and remaining is not None else game.due_at
    keeps = hours if not fresh else None
    was = game.to_act_id
    expired = Game.Clock.REVIEWING in {game.clock, game.paused_from if paused else ""}
    asked = list(game.consents.filter(answer="").order_by("due_at").select_related("seat"))
    seats = {str(seat.position): seat for seat in game.table.seats.all()}
    if asked:
        goes_on = paused and game.paused_from == Game.Clock.CONSENT
        game.clock, game.to_act = Game.Clock.CONSENT, asked[0].seat
        game.due_at = hours if goes_on else asked[0].due_at
    elif player is None:
        game.clock, game.to_act, game.due_at = Game.Clock.PAUSED, None, None
        game.paused_remaining, game.paused_from = ALLOWED, Game.Clock.RUNNING
    else:
        game.to_act = seats[player]
        if turn_over or game.to_act_id != was or keeps is None:
            keeps = due_at(moment)
        still = expired and keeps == hours  # somebody else did something: his hours stay over
        game.clock, game.due_at = Game.Clock.REVIEWING if still else Game.Clock.RUNNING, keeps
    if paused and game.due_at is not None:
        game.paused_from = game.clock
        game.paused_remaining = game.due_at - moment
        game.clock, game.due_at = Game.Clock.PAUSED, None
    game.save()


def waits_for_master(game: Game) -> bool:
    """Whether the clock stands because nobody knows who is next but the station master."""
    return game.clock == Game.Clock.PAUSED and game.to_act_id is None


def next_number(game: Game) -> int:
    last = game.moves.aggregate(last=Max("number"))["last"]
    return int(last or 0) + 1


def refuse_player(game: Game, by: User) -> None:
    """S-01 — who plays at a table does not stop its clock, take back its moves, nor judge them."""
    if game.seat_of(by) is not None:
        raise Refused(
            "plays_here",
            _("You play at this table: its station master decides, or a secretary."),
            rule="S-01",
        )


def locked(pk: int) -> Game:
    """The game, locked until the transaction ends, with its people."""
    Game.objects.select_for_update(of=("self",), no_key=True).get(pk=pk)
    return Game.objects.with_people().get(pk=pk)
