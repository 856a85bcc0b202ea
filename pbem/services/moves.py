"""A move: received, played, put right; agreements answered; rolled back by the station master.

A form is first stored as it came, in a transaction of its own; then it is played under the lock of
its game. Who is killed in between loses nothing: the sweep plays what was received.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, field
from datetime import datetime
from typing import Any
from uuid import UUID

from django.contrib.auth.hashers import check_password
from django.db import transaction
from django.db.models import Max
from django.utils.translation import gettext as _

from figf.errors import Refused
from figf.models import LogEntry, User
from pbem.engine import Game as Engine
from pbem.engine.actions import ExchangePrivate
from pbem.models import Action, Consent, Game, Move
from pbem.rules import turns
from pbem.rules.commands import Command, Plain, without_contradiction
from pbem.rules.corrections import NotAnError, check_correction
from pbem.rules.deadlines import due_at, in_time
from pbem.rules.turns import Answer, Execution, Fate, Outcome, execute
from pbem.services import letters
from pbem.services.logs import ROLLBACK, head, heads_keep, position_at
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
    (`game_not_on`), a wrong word of the table (`wrong_password`, S-13), nothing at all
    (`nothing_sent`, V-02), a correction of what was correct (`correct_already`, Y-03).
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
    """Play a received move of a locked game."""
    position = head(game)
    outcomes = [turns.from_dict(one) for one in move.commands]
    corrected = _corrected(game, move)
    state = _not_played(game, move, position, outcomes, corrected)
    if state is not None:
        move.state = state
        move.save(update_fields=["state"])
        return
    move.number = _next_number(game)
    move.state, move.played_at, move.before = Move.State.PLAYED, now, game.seq
    log = _Log(game, move)
    if corrected is not None:
        position = log.back_to(corrected.before)
        move.replaces = corrected
        _undo([corrected], now)
    before = position.copy()
    move.form["turn"] = turns.turn_of(position)
    done = execute(position, outcomes, str(move.seat.position), ends=move.ends)
    _write(log, move, done, before, now)
    _settle(game, position, done, move.received_at, fresh=corrected is not None)
    LogEntry.objects.record(move.sent_by, "play_move", game, now, number=move.number)
    letters.announce(game, move, before, done, now)
    _resume(game, position, now)


def _not_played(
    game: Game, move: Move, position: Engine, outcomes: Sequence[Outcome], corrected: Move | None
) -> Move.State | None:
    """Why a received move cannot be played, if it cannot.

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
    if exchange and position.player != str(move.seat.position):
        return None  # Z-07: also between the turns of others
    if game.clock == Game.Clock.CONSENT or position.player != str(move.seat.position):
        return Move.State.OUT_OF_TURN
    if game.due_at is not None and not in_time(move.received_at, game.due_at):
        return Move.State.LATE
    return None


# --- corrections ----------------------------------------------------------------------------------


def correctable(game: Game, seat: Seat) -> Move | None:
    """Y-03 — the move that who holds this seat may still put right: his, the last of the game, with
    something in it that was not executed."""
    last = _last_played(game)
    if last is None or last.seat_id != seat.pk or last.kind != Move.Kind.OWN or not game.is_on:
        return None
    wrong = any(one["fate"] == Fate.REFUSED for one in last.commands)
    return last if wrong else None


def _last_played(game: Game) -> Move | None:
    played = game.moves.filter(state=Move.State.PLAYED)
    return played.select_related("seat").order_by("-number").first()


def _refuse_correction(game: Game, seat: Seat, number: int, commands: Sequence[Command]) -> None:
    last = _last_played(game)
    if last is None or last.number != number or last.seat_id != seat.pk:
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
    if last is None or last.number != number or last.seat_id != move.seat_id:
        return None
    return last


# --- agreements -----------------------------------------------------------------------------------


@transaction.atomic
def answer(consent_pk: int, yes: bool, by: User, now: datetime) -> Consent:
    """X-03, X-14 — the owner says whether he agrees; the move that asked goes on.

    Locks the game. Refuses somebody else (`not_asked`), and an answer that came already, or too
    late (`answered_already`).
    """
    consent = Consent.objects.select_related("game").get(pk=consent_pk)
    game = locked(consent.game_id)
    consent.refresh_from_db()
    seat = game.seat_of(by)
    if seat is None or seat.pk != consent.seat_id:
        raise Refused("not_asked", _("This is asked of somebody else."), rule="X-03")
    if consent.answer:
        raise Refused("answered_already", _("This has been answered already."), rule="X-03")
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
def roll_back(move: Move, reason: str, by: User, now: datetime) -> Move:
    """N-13 in pbem, S-14 — the game goes back to before one of its moves, by the station master.

    Locks the game. That move and all after it are undone; nothing is deleted. Who was to move has
    48 hours from now. Refuses no reason (`reason_missing`) and a move that does not stand
    (`not_played`).
    """
    game = locked(move.game_id)
    move = Move.objects.select_related("seat").get(pk=move.pk)
    if not reason.strip():
        raise Refused("reason_missing", _("Say why the game goes back."), field="reason")
    if move.state != Move.State.PLAYED or not game.is_on:
        raise Refused("not_played", _("This move does not stand: nothing is to be taken back."))
    undone = list(
        game.moves.filter(state=Move.State.PLAYED, number__gte=move.number).order_by("number")
    )
    note = Move.objects.create(
        game=game,
        number=_next_number(game),
        seat=move.seat,
        kind=Move.Kind.REFEREE,
        form={"back_before": move.number, "undone": len(undone)},
        comment=reason.strip()[:LONGEST_COMMENT],
        sent_by=by,
        received_at=now,
        played_at=now,
        before=game.seq,
    )
    log = _Log(game, note)
    position = log.back_to(move.before)
    _undo(undone, now)
    log.flush()
    done = Execution([], finished=True)
    _settle(game, position, done, now, fresh=True)
    LogEntry.objects.record(by, "roll_back", game, now, number=move.number, moves=len(undone))
    letters.announce(game, note, position, done, now)
    return note


def _undo(moves: Sequence[Move], now: datetime) -> None:
    pks = [move.pk for move in moves]
    Move.objects.filter(pk__in=pks).update(state=Move.State.UNDONE, open=False)
    Consent.objects.filter(move__in=pks, answer="").update(
        answer=Consent.Answer.WITHDRAWN, answered_at=now
    )


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
        position, length = position_at(self.game, seq)
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
        step.apply(action)
        log.add(action.to_dict(), step.digest())
    did = [command for _action, command in done.actions]  # which command each action is of
    move.form["did"] = [*move.form.get("did", []), *did]
    move.commands = [turns.to_dict(one) for one in done.outcomes]
    move.open = done.waits
    log.flush()
    seats = {str(seat.position): seat for seat in log.game.table.seats.all()}
    for index, action, who in done.asked:
        Consent.objects.create(
            game=log.game,
            move=move,
            index=index,
            seat=seats[who],
            action=action.to_dict(),
            asked_at=now,
            due_at=due_at(now),
        )


def _settle(
    game: Game, position: Engine, done: Execution, moment: datetime, *, fresh: bool
) -> None:
    """T-01, T-03, T-10 — the projections of the game after something was played: who is to act, and
    until when. A turn that is not finished keeps its hours, unless they are `fresh`."""
    keeps = game.due_at if not fresh else None
    was = game.to_act_id
    asked = list(game.consents.filter(answer="").order_by("due_at").select_related("seat"))
    seats = {str(seat.position): seat for seat in game.table.seats.all()}
    paused = game.clock == Game.Clock.PAUSED
    if position.state.over:
        game.clock, game.to_act, game.due_at = Game.Clock.OVER, None, None
        game.status, game.result = position.state.over, position.result()
        game.paused_remaining = None
    elif asked:
        game.clock, game.to_act, game.due_at = Game.Clock.CONSENT, asked[0].seat, asked[0].due_at
    else:
        game.to_act = seats[position.player or ""]
        if (done.in_turn and done.finished) or game.to_act_id != was or keeps is None:
            keeps = due_at(moment)
        game.clock, game.due_at = Game.Clock.RUNNING, keeps
    if paused and game.due_at is not None:
        game.paused_from = game.clock
        game.paused_remaining = game.due_at - moment
        game.clock, game.due_at = Game.Clock.PAUSED, None
    game.save()
    heads_keep(game, position)


def _next_number(game: Game) -> int:
    last = game.moves.aggregate(last=Max("number"))["last"]
    return int(last or 0) + 1


def locked(pk: int) -> Game:
    """The game, locked until the transaction ends, with its people."""
    Game.objects.select_for_update(of=("self",), no_key=True).get(pk=pk)
    return Game.objects.with_people().get(pk=pk)
