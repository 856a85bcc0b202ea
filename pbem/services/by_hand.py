"""What the station master does where no engine knows the title: he is the engine.

He ticks what was executed of each move, says which round it is and who is next, keeps the sheet of
the state, and closes the game. Every verb locks its game and refuses who plays at it
(`plays_here`, S-01); whether the caller keeps it is asked by the page.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace
from datetime import datetime

from django.db import transaction
from django.utils.translation import gettext as _

from figf.errors import Refused
from figf.models import LogEntry, User
from pbem import texts
from pbem.models import Consent, Game, Move
from pbem.rules import turns
from pbem.rules.by_hand import Kind, Turns
from pbem.rules.commands import Command, Fault
from pbem.rules.turns import Fate, Outcome
from pbem.services import letters
from pbem.services.history import Past
from pbem.services.moves import (
    LONGEST_COMMENT,
    locked,
    next_number,
    refuse_player,
    settle,
    turns_of,
)
from pbem.services.told import Line, answers_to, told

LONGEST_SHEET = 20_000
LONGEST_REASON = 200
LONGEST_LABEL = 40
MOST_TURNS = 40


@dataclass(frozen=True, slots=True)
class Tick:
    """What the station master says of one command: executed or not, and why (or how)."""

    executed: bool
    why: str = ""


# --- ticking --------------------------------------------------------------------------------------


def outcomes_of(move: Move) -> list[Outcome]:
    """The commands of a move, and what became of each."""
    return [turns.from_dict(one) for one in move.commands]


def may_tick(outcome: Outcome) -> bool:
    """Whether it is for the station master to say: not of what waits for somebody's agreement, nor
    of what was refused without him."""
    if outcome.fate in {Fate.CONSENT, Fate.WAITING}:
        return False
    return not isinstance(outcome.why, Fault)


def is_ticked(move: Move) -> bool:
    """Whether nothing of it is left to be looked at."""
    return all(one["fate"] in {Fate.EXECUTED, Fate.REFUSED} for one in move.commands)


def to_be_ticked(game: Game) -> list[Move]:
    """The moves of which something is still to be looked at, in order."""
    played = game.moves.filter(state=Move.State.PLAYED).exclude(kind=Move.Kind.REFEREE)
    return [
        move for move in played.select_related("seat").order_by("number") if not is_ticked(move)
    ]


@transaction.atomic
def tick_move(move_pk: int, ticks: Mapping[int, Tick], by: User, now: datetime) -> Move:
    """Y-02, Y-05 — the station master says of each command whether it was executed, and why not.

    Locks the game. The whole table reads in a mail what was not executed. He may think better of it
    and tick again. Refuses a move that does not stand (`not_played`), a command that is not for him
    to say (`not_yours_to_say`), and no reason for what was not executed (`reason_missing`, its
    field `why-` and the index).
    """
    game = _held(Move.objects.values_list("game", flat=True).get(pk=move_pk), by)
    move = Move.objects.select_related("seat").get(pk=move_pk)
    if move.state != Move.State.PLAYED:
        raise Refused("not_played", _("This move does not stand: somebody changed it meanwhile."))
    outcomes = outcomes_of(move)
    changed = []
    for index, tick in ticks.items():
        if not 0 <= index < len(outcomes) or not may_tick(outcomes[index]):
            raise Refused(
                "not_yours_to_say", _("Of this command somebody else has to decide first.")
            )
        one, why = outcomes[index], " ".join(tick.why.split())[:LONGEST_REASON]
        if not tick.executed and not why:
            raise Refused(
                "reason_missing",
                _("Say why it is not executed: everybody reads it."),
                rule="Y-02",
                field=f"why-{index}",
            )
        fate = Fate.EXECUTED if tick.executed else Fate.REFUSED
        if (one.fate, one.why or "") != (fate, why):
            one.fate, one.why = fate, why or None
            changed.append(index)
    if changed:
        move.commands = [turns.to_dict(one) for one in outcomes]
        move.form["ticks"] = move.form.get("ticks", 0) + 1
        move.save(update_fields=["commands", "form"])
        LogEntry.objects.record(by, "tick_move", game, now, number=move.number)
        if move.form["ticks"] > 1 or any(one.fate is Fate.REFUSED for one in outcomes):
            letters.ticked(game, move, outcomes, now)
    return move


# --- whose turn it is -----------------------------------------------------------------------------


@transaction.atomic
def set_turns(
    game_pk: int, round_: Turns, player: str, reason: str, by: User, now: datetime
) -> Game:
    """Say which round it is, in an operating round who plays which corporation and in what order,
    and who is to act: `player`, the position of a seat; in an operating round it is that of the
    corporation at `round_.at`.

    Locks the game. Who is to act then has 48 hours from now: before, he could not know (T-03). Who
    was to act already keeps his. Everybody is told. A game closed by mistake goes on so.

    Refuses a game that is not on (`game_not_on`), an operating round without an order
    (`order_missing`), a seat that is not there (`no_such_seat`), an answer that is awaited
    (`answer_awaited`), a game whose result is written (`has_result`), and no reason where somebody
    else was to act (`reason_missing`).
    """
    game = _held(game_pk, by)
    reason = reason.strip()[:LONGEST_COMMENT]
    if game.started_at is None or game.clock == Game.Clock.CALLED_OFF:
        raise Refused("game_not_on", _("This game is not being played."))
    if game.consents.filter(answer="").exists():
        raise Refused(
            "answer_awaited", _("An answer is awaited: the turn passes on with it."), rule="T-10"
        )
    now_, player = _checked(round_, player)
    seats = {str(seat.position): seat for seat in game.table.seats.all()}
    if player not in seats or any(seat not in seats for _label, seat in now_.turns):
        raise Refused("no_such_seat", _("Choose who plays it."), field="player")
    was = str(game.to_act.position) if game.to_act else None
    if not reason and (game.clock == Game.Clock.OVER or was not in {None, player}):
        raise Refused(
            "reason_missing",
            _("Somebody else was to act: say why it is not he."),
            field="reason",
        )
    if game.clock == Game.Clock.OVER:
        _refuse_result(game)
        game.clock, game.due_at, game.status = Game.Clock.RUNNING, now, ""
    note = Move.objects.create(
        game=game,
        number=next_number(game),
        seat=seats[player],
        kind=Move.Kind.REFEREE,
        form={"turn": turns_of(game).to_dict(), "was": was, "set": now_.to_dict()},
        comment=reason,
        sent_by=by,
        received_at=now,
        played_at=now,
        before=game.seq,
    )
    game.options["round"] = now_.to_dict()
    game.seq += 1
    fresh = player != was or Game.Clock.REVIEWING in {game.clock, game.paused_from}
    settle(game, player, now, turn_over=fresh, fresh=fresh)
    LogEntry.objects.record(by, "set_turns", game, now, number=note.number)
    letters.turns_set(game, note, now_.label, now_.operating, now)
    return game


def _refuse_result(game: Game) -> None:
    if game.table.results.exists():
        raise Refused("has_result", _("The result of this game is written: it does not go on."))


def _checked(round_: Turns, player: str) -> tuple[Turns, str]:
    """The round as it can be kept, and who is to act in it."""
    label = " ".join(round_.label.split())[:LONGEST_LABEL]
    if round_.kind is Kind.STOCK:
        return Turns(Kind.STOCK, label), player
    turns_ = tuple(
        (" ".join(name.split())[:LONGEST_LABEL], seat) for name, seat in round_.turns[:MOST_TURNS]
    )
    if not turns_ or not 0 <= round_.at < len(turns_):
        raise Refused(
            "order_missing",
            _("Say who plays which corporation, in operating order, and which one is next."),
            field="turns",
        )
    return replace(round_, label=label, turns=turns_, passes=0), turns_[round_.at][1]


# --- the sheet and the end ------------------------------------------------------------------------


@transaction.atomic
def keep_sheet(game_pk: int, sheet: str, seen: datetime | None, by: User, now: datetime) -> Game:
    """S-01 — the state of the game as the station master keeps it, for everybody to read.

    Locks the game. `seen` is when the sheet that he changed was written. Refuses one that was
    written over meanwhile (`stale`) and one that is too long (`too_long`).
    """
    game = _held(game_pk, by)
    if game.sheet_at != seen:
        raise Refused(
            "stale",
            _("Somebody wrote the sheet meanwhile: look at it, and write yours again."),
            field="sheet",
        )
    if len(sheet) > LONGEST_SHEET:
        raise Refused(
            "too_long",
            _("At most %(n)d characters: this has %(has)d.")
            % {"n": LONGEST_SHEET, "has": len(sheet)},
            field="sheet",
        )
    game.sheet, game.sheet_at = sheet.replace("\r\n", "\n").rstrip(), now
    game.save(update_fields=["sheet", "sheet_at"])
    LogEntry.objects.record(by, "keep_sheet", game, now)
    return game


@transaction.atomic
def close_game(game_pk: int, reason: str, by: User, now: datetime) -> Game:
    """C-14 — the game is over: the clock stops, and its referee types the result.

    Locks the game. Answers that were awaited are asked for no more. Refuses no reason
    (`reason_missing`) and a game that is not on (`game_not_on`).
    """
    game = _held(game_pk, by)
    reason = " ".join(reason.split())[: Game._meta.get_field("status").max_length]
    if not game.is_on:
        raise Refused("game_not_on", _("This game is not being played."))
    if not reason:
        raise Refused("reason_missing", _("Say how the game ended."), field="reason")
    game.consents.filter(answer="").update(answer=Consent.Answer.WITHDRAWN, answered_at=now)
    game.moves.filter(open=True).update(open=False)
    game.clock, game.to_act, game.due_at, game.status = Game.Clock.OVER, None, None, reason
    game.paused_remaining, game.paused_from, game.paused_why = None, "", ""
    game.seq += 1
    game.save()
    LogEntry.objects.record(by, "close_game", game, now, reason=reason)
    letters.closed(game, now)
    return game


def _held(game_pk: int, by: User) -> Game:
    """The game, locked, if it is played so and `by` does not play at it."""
    game = locked(game_pk)
    if game.has_engine:
        raise Refused("has_engine", _("This title is played by the engine."))
    refuse_player(game, by)
    return game


# --- what was played ------------------------------------------------------------------------------


def history_by_hand(game: Game, names: texts.Names, most: int | None = 20) -> list[Past]:
    """The last moves, those rolled back among them, the latest first; `most` None for all."""
    moves = (
        game.moves.exclude(number=None)
        .select_related("seat", "sent_by", "replaces")
        .prefetch_related("consents__seat")
        .order_by("-number")
    )
    return [past_by_hand(game, move, names) for move in moves[:most]]


def past_by_hand(game: Game, move: Move, names: texts.Names) -> Past:
    """A move in words, with what was answered to it."""
    who, lines = names[str(move.seat.position)], move_by_hand(move, names)
    return Past(move, who, lines, None, answers_to(move, game, names))


def move_by_hand(move: Move, names: texts.Names) -> list[Line]:
    """A move, or what the station master said, in words: a line for each command, in order."""
    if "set" in move.form:
        return [Line(Fate.EXECUTED, round_set(move, names))]
    if move.kind == Move.Kind.REFEREE:
        before = move.form.get("back_before")
        return [Line(Fate.EXECUTED, _("Back to before move %(n)s.") % {"n": before})]
    return told(None, outcomes_of(move), [], names)


def round_set(move: Move, names: texts.Names) -> str:
    """What the station master said of the round, in words."""
    said = move.form["set"]
    who = names.get(str(move.seat.position), "")
    operating = said["turns"][said["at"]][0] if said["kind"] == Kind.OPERATING else ""
    if operating:
        return _("%(round)s: to act, %(corporation)s (%(who)s).") % {
            "round": said["label"] or _("Operating round"),
            "corporation": operating,
            "who": who,
        }
    return _("%(round)s: to act, %(who)s.") % {
        "round": said["label"] or _("Stock round"),
        "who": who,
    }


def order_told(round_: Turns, names: texts.Names) -> Sequence[tuple[str, str, bool]]:
    """The operating order, each corporation with who plays it, and whether it is its turn."""
    return [
        (label, names.get(seat, seat), n == round_.at)
        for n, (label, seat) in enumerate(round_.turns)
    ]


def preview_by_hand(commands: Sequence[Command], names: texts.Names) -> list[Line]:
    """What would be sent, in words."""
    return told(None, [Outcome(one) for one in commands], [], names)
