"""The station master's office, and who looks over his shoulder: the referees.

Whoever holds a seat at a table keeps nothing of it: each verb says so.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from datetime import date, datetime

from django.db import transaction
from django.utils.translation import gettext as _

from figf import mail
from figf.errors import Refused
from figf.models import LogEntry, User
from pbem.models import Game, Move
from pbem.services import letters
from pbem.services.moves import locked, refuse_player

LONGEST_DOUBT = 1000


# --- the office passes on -------------------------------------------------------------------------


@transaction.atomic
def give_office(pk: int, to: User, by: User, now: datetime) -> Game:
    """S-01 — another log-in keeps the game from now on; the whole table is told.

    Locks the game. Refuses a game that is over (`game_over`), a closed log-in (`no_log_in`), who
    keeps it already (`keeps_already`) and who has a seat, or waits for one (`master_plays`).
    """
    game = locked(pk)
    if game.clock in {Game.Clock.OVER, Game.Clock.CALLED_OFF}:
        raise Refused("game_over", _("This game is over: its office is too."))
    if not to.is_active:
        raise Refused("no_log_in", _("This log-in is closed."), field="to")
    if game.station_master_id == to.pk:
        raise Refused("keeps_already", _("He is its station master already."), field="to")
    waits = game.places.filter(player__user=to).exclude(answer="no").exists()
    if game.seat_of(to) is not None or waits:
        raise Refused(
            "master_plays",
            _("The station master of a table never plays at it."),
            rule="S-01",
            field="to",
        )
    before = game.station_master
    game.station_master = to
    game.save(update_fields=["station_master"])
    LogEntry.objects.record(
        by, "give_office", game, now, user=to.pk, before=before.pk if before else None
    )
    people = {user.pk: user for user, _seat in letters.people(game)}
    if before is not None:
        people[before.pk] = before
    for user in people.values():
        key = f"office:{game.pk}:{now:%Y%m%d%H%M%S%f}:{user.pk}"
        mail.enqueue(key, user, "pbem_office", now, game=game, table=game.table)
    return game


# --- comments -------------------------------------------------------------------------------------


def is_referee(user: User, day: date) -> bool:
    """M-11 — whether the log-in is that of a FIGF referee."""
    player = getattr(user, "player", None)
    return player is not None and player.is_referee(day)


@transaction.atomic
def report_comment(move: Move, by: User, now: datetime, day: date) -> Move:
    """V-11 — a player of the table calls the attention of station master and referees to a comment.

    Locks the game. Once for each player; a second time nothing happens. Refuses who holds no seat
    there (`not_at_table`) and a move without a comment in sight (`no_comment`).
    """
    game, move = _locked(move)
    seat = game.seat_of(by)
    if seat is None:
        raise Refused("not_at_table", _("You hold no seat at this table."), rule="V-01")
    if not move.comment or move.form.get("comment_hidden"):
        raise Refused("no_comment", _("This move has no comment to be read."), rule="V-11")
    reported = move.form.get("comment_reported", [])
    if seat.pk in reported:
        return move
    move.form["comment_reported"] = [*reported, seat.pk]
    move.save(update_fields=["form"])
    LogEntry.objects.record(by, "report_comment", game, now, number=move.number, seat=seat.pk)
    for user in letters.judges(game, day):
        key = f"comment:{game.pk}:{move.number}:{seat.pk}:{user.pk}"
        mail.enqueue(key, user, "pbem_comment", now, game=game, table=game.table, move=move)
    return move


@transaction.atomic
def hide_comment(move: Move, hidden: bool, by: User, now: datetime) -> Move:
    """V-11 — the station master takes a comment out of sight, or puts it back; it is kept.

    Locks the game. Refuses who plays there (`plays_here`) and a move without a comment
    (`no_comment`).
    """
    game, move = _locked(move)
    refuse_player(game, by)
    if not move.comment:
        raise Refused("no_comment", _("This move has no comment to be read."), rule="V-11")
    if bool(move.form.get("comment_hidden")) != hidden:
        move.form["comment_hidden"] = hidden
        move.save(update_fields=["form"])
        if hidden:
            LogEntry.objects.record(by, "hide_comment", game, now, number=move.number)
        else:
            LogEntry.objects.record(by, "show_comment", game, now, number=move.number)
    return move


# --- a referee's word -----------------------------------------------------------------------------


@dataclass(frozen=True, slots=True)
class Doubt:
    """What a referee found wrong with a move, and what the station master answered."""

    entry: LogEntry
    answers: Sequence[LogEntry]


@transaction.atomic
def doubt_move(move: Move, words: str, by: User, now: datetime, day: date) -> LogEntry:
    """M-11 — a referee tells the station master that something is wrong with a move.

    Locks the game. Refuses who is no referee (`not_referee`), who plays at the table
    (`plays_here`), no words (`words_missing`) and a game without a station master
    (`no_station_master`).
    """
    game, move = _locked(move)
    if not is_referee(by, day):
        raise Refused("not_referee", _("This is for FIGF referees."), rule="M-11")
    refuse_player(game, by)
    said = _said(words)
    if game.station_master is None:
        raise Refused("no_station_master", _("This game has no station master."), rule="S-01")
    entry = LogEntry.objects.record(
        by, "doubt_move", game, now, number=move.number, move=move.pk, words=said
    )
    _write(f"doubt:{entry.pk}", game.station_master, game, move, said, by, now)
    return entry


@transaction.atomic
def answer_doubt(entry: LogEntry, words: str, by: User, now: datetime) -> LogEntry:
    """M-11 — the station master answers a referee.

    Locks the game. Refuses who plays at the table (`plays_here`) and no words (`words_missing`).
    """
    game, move = _locked(Move.objects.get(pk=entry.data["move"]))
    refuse_player(game, by)
    said = _said(words)
    answer = LogEntry.objects.record(
        by, "answer_doubt", game, now, number=move.number, doubt=entry.pk, words=said
    )
    if entry.actor is not None:
        _write(f"doubt:{entry.pk}:{answer.pk}", entry.actor, game, move, said, by, now)
    return answer


def doubts_of(game: Game) -> list[Doubt]:
    """What the referees said of a game's moves, the last first."""
    entries = LogEntry.objects.about(game).filter(verb__in=["doubt_move", "answer_doubt"])
    answers: dict[int, list[LogEntry]] = {}
    found: list[LogEntry] = []
    for entry in entries.select_related("actor"):
        if entry.verb == "doubt_move":
            found.append(entry)
        else:
            answers.setdefault(entry.data["doubt"], []).insert(0, entry)
    return [Doubt(entry, answers.get(entry.pk, [])) for entry in found]


def _said(words: str) -> str:
    if not words.strip():
        raise Refused("words_missing", _("Write what is wrong, or what you answer."), field="words")
    return words.strip()[:LONGEST_DOUBT]


def _write(key: str, to: User, game: Game, move: Move, words: str, by: User, now: datetime) -> None:
    mail.enqueue(
        key,
        to,
        "pbem_doubt",
        now,
        game=game,
        table=game.table,
        move=move,
        words=words,
        by=by,
        answers=to.pk != game.station_master_id,
    )


def _locked(move: Move) -> tuple[Game, Move]:
    """The game of a move, locked, and the move as it now is."""
    game = locked(move.game_id)
    return game, Move.objects.select_related("seat").get(pk=move.pk)
