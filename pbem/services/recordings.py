"""Games brought here from elsewhere, to be looked at by whoever has their address."""

from __future__ import annotations

import hashlib
import secrets
from collections.abc import Callable, Mapping
from dataclasses import dataclass
from datetime import datetime, timedelta
from time import monotonic
from typing import Any

from django.db import transaction
from django.db.models import QuerySet
from django.utils.translation import gettext as _

from figf.errors import Refused
from figf.models import LogEntry, User
from pbem import texts
from pbem.engine import RULES, MalformedAction, interchange
from pbem.engine.actions import Run
from pbem.engine.export import OURS
from pbem.engine.facts import TITLES
from pbem.engine.routes import earnings
from pbem.models import Game, Recording
from pbem.services.logs import players_of, rows_of, standing
from pbem.services.positions import Score

LARGEST_FILE = 2_000_000  # bytes; the longest games seen are a third of it
MOST_ACTIONS = 5_000  # played, automatic ones included; the longest games seen have 700
LONGEST_REPLAY = timedelta(seconds=10)  # a game of 5,000 actions takes two
MOST_RECORDINGS = 200  # of one person
LONGEST_NAME = 40  # characters of a player's name
NO_NAMES: tuple[str, ...] = ()


@dataclass(frozen=True, slots=True)
class _Played:
    """What is kept of a file."""

    game: Any
    names: tuple[str, ...]
    cut: bool
    doubt: str  # what the file says of a run that its own routes do not pay


# --- brought here ---------------------------------------------------------------------------------


def import_recording(
    data: bytes,
    by: User,
    now: datetime,
    *,
    label: str = "",
    keep_names: bool = False,
    keep_cut: bool = False,
    note: Callable[[str], object] | None = None,
    clock: Callable[[], float] = monotonic,
) -> tuple[Recording, bool]:
    """Keep a game exported by 18xx.games, or by this site; and whether it was not there yet.

    The page of a recording is seen by whoever has its address, and the names in a file are those
    of other people's accounts elsewhere: they are kept only if the importer says so (`keep_names`);
    otherwise the players are called by their seats. Chat, account ids, dates and whatever else is
    in the file are dropped either way. The same file with the same choice is one recording, which
    takes the label that it comes with anew, unless that is empty.

    Who brings it may be told (`note`) of the first run that the file has earn what its routes do
    not pay: the game is kept with what they pay.

    With `keep_cut`, a game in which the engine refuses an action is kept up to there. The replay
    may last `LONGEST_REPLAY` on the `clock`, before anything is locked. Locks the log-in.

    Refuses, before anything is written: `file_too_large`, `file_malformed`, `no_engine` for a title
    without one, `too_many_actions`, `replay_too_long`, `action_refused`, `no_actions` and, once the
    person has `MOST_RECORDINGS`, `too_many_recordings`.
    """
    if len(data) > LARGEST_FILE:
        raise Refused(
            "file_too_large",
            _("This file is larger than %(mb)d MB: no game is. Export it again.")
            % {"mb": LARGEST_FILE // 1_000_000},
            field="file",
        )
    digest = hashlib.sha256(data + (b"names" if keep_names else b"seats")).hexdigest()
    known = Recording.objects.filter(user=by, digest=digest)
    if known.exists():
        return _known(known, by, now, label), False
    played = _played(_file(data), keep_cut, clock)
    title = played.game.title
    with transaction.atomic():
        User.objects.select_for_update(no_key=True).get(pk=by.pk)
        if known.exists():
            return _known(known, by, now, label), False  # sent twice at once
        if Recording.objects.filter(user=by).count() >= MOST_RECORDINGS:
            raise Refused(
                "too_many_recordings",
                _("You have %(n)d recorded games, which is the most: delete one first.")
                % {"n": MOST_RECORDINGS},
            )
        recording = Recording.objects.create(
            user=by,
            key=secrets.token_urlsafe(16),
            digest=digest,
            label=label,
            title=title.name,
            preset=title.preset,
            options=dict(title.options),
            rules=RULES,
            names=list(played.names if keep_names else NO_NAMES),
            actions=[action.to_dict() for action in played.game.log],
            length=len(played.game.log),
            result=list(played.game.result().values()),
            cut=played.cut,
            imported_at=now,
        )
        LogEntry.objects.record(
            by, "import_recording", recording, now, title=title.name, actions=recording.length
        )
    if note and played.doubt:
        note(played.doubt)
    return recording, True


@transaction.atomic
def _known(known: QuerySet[Recording], by: User, now: datetime, label: str) -> Recording:
    """The recording of a file that comes again, called anew if the file comes with a label."""
    found = known.select_for_update(no_key=True).get()
    if label and label != found.label:
        found.label = label
        found.save(update_fields=["label"])
        LogEntry.objects.record(by, "rename_recording", found, now, title=found.title)
    return found


def _file(data: bytes) -> Any:
    """The JSON of a game of a title that has an engine."""
    try:
        file = interchange.load(data)
    except MalformedAction:
        raise Refused(
            "file_malformed",
            _("This is no file of 18xx.games, or it is cut short: export the game again."),
            field="file",
        ) from None
    if not isinstance(file, dict) or not isinstance(file.get("title"), str):
        raise Refused(
            "file_malformed",
            _("This file is not a game exported by 18xx.games: it says no title."),
            field="file",
        )
    if file["title"] not in TITLES:
        raise Refused(
            "no_engine",
            _("This is a game of %(title)s, and only these can be replayed: %(titles)s.")
            % {"title": file["title"][:LONGEST_NAME], "titles": ", ".join(sorted(TITLES))},
            field="file",
        )
    return file


def _played(file: Any, keep_cut: bool, clock: Callable[[], float]) -> _Played:
    """The game played to its end, or as far as it is kept; its players are the seats."""
    begun = clock()
    cut, doubt = False, ""
    try:
        seated = seated_file(file)
        reader = interchange.begin(seated)
        for number, (said, game) in enumerate(interchange.play(reader, seated), 1):
            doubt = doubt or _doubt(said, game)
            if number > MOST_ACTIONS:
                raise Refused(
                    "too_many_actions",
                    _("This game has more than %(n)d actions: it cannot be kept.")
                    % {"n": MOST_ACTIONS},
                    field="file",
                )
            if clock() - begun > LONGEST_REPLAY.total_seconds():
                raise Refused(
                    "replay_too_long",
                    _("This game takes too long to replay: it cannot be kept."),
                    field="file",
                )
    except MalformedAction as error:
        raise Refused(
            "file_malformed",
            _("The file is damaged: export the game again. (%(why)s)") % {"why": _detail(error)},
            field="file",
        ) from None
    except interchange.Refusal as refusal:
        if isinstance(refusal.error, MalformedAction) and not keep_cut:
            raise Refused(
                "file_malformed",
                _("The file is damaged at entry %(n)d: export the game again. (%(why)s)")
                % {"n": refusal.entry + 1, "why": _detail(refusal.error)},
                field="file",
            ) from None
        if not keep_cut:
            raise Refused(
                "action_refused",
                _(
                    "The engine refuses action %(n)d of the game. %(why)s The game can be kept up "
                    "to there: choose the file again and say so."
                )
                % {
                    "n": len(reader.game.log) + 1,
                    "why": texts.words(refusal.error, reader.names),
                },
                field="file",
            ) from None
        cut = True
    if not reader.game.log:
        raise Refused(
            "no_actions",
            _("Nothing is played in this game: there is nothing to see."),
            field="file",
        )
    names = tuple(_one_line(reader.names[seat]) or str(seat) for seat in reader.game.state.players)
    return _Played(reader.game, names, cut, doubt)


def _doubt(said: Mapping[str, Any], game: Any) -> str:
    """The peer writes beside each route what it pays: where that is not what it pays here."""
    run = game.log[-1] if game.log else None
    if said.get("type") != "run_routes" or not isinstance(run, Run):
        return ""
    told = [one.get("revenue") for one in said["routes"]]
    if not all(isinstance(one, int) for one in told):
        return ""
    paid = earnings(game.state, run)
    if sum(told) == paid:
        return ""
    return _(
        "The file says $%(told)d for the run of %(corporation)s in action %(n)d, where its routes "
        "pay $%(paid)d: the game here has what they pay."
    ) % {"told": sum(told), "paid": paid, "n": len(game.log), "corporation": run.actor}


def _detail(error: MalformedAction) -> str:
    """What of a file cannot be read, for whoever knows such files."""
    known = error.expected in texts.EXPECTED
    return _("%(where)s: %(value)s is not %(expected)s") % {
        "where": error.where,
        "value": error.shown,
        "expected": _(error.expected) if known else error.expected,
    }


def seated_file(file: Mapping[str, Any]) -> Mapping[str, Any]:
    """The same file, its players called by their seats.

    The peer's ids of accounts would otherwise be the players' ids, and stay in every action.
    """
    title = interchange.begin(file).game.title
    seats = [str(number) for number, _one in enumerate(file["players"], 1)]
    told = {"rules": RULES, "preset": title.preset, "options": dict(title.options)}
    return {**file, OURS: told | {"players": seats}}


def _one_line(name: str) -> str:
    return " ".join("".join(c if c.isprintable() else " " for c in name).split())[:LONGEST_NAME]


@transaction.atomic
def delete_recording(recording: Recording, by: User, now: datetime) -> None:
    """Take a recording away; its address leads nowhere from now on. Whose it is, is asked by the
    page."""
    LogEntry.objects.record(by, "delete_recording", recording, now, title=recording.title)
    recording.delete()


# --- as what is replayed --------------------------------------------------------------------------


def names_of(recording: Recording) -> dict[str, str]:
    """How the players of a recording are called, in the reader's language."""
    called = recording.names or [_("Player %(n)s") % {"n": seat} for seat in recording.seats]
    return dict(zip(recording.seats, called, strict=True))


def score_of(recording: Recording) -> Score:
    """A recording as what is replayed; its actions are read from the database only when asked."""
    return Score(
        key=f"recording {recording.key}",
        title=recording.title,
        preset=recording.preset,
        options=recording.options,
        players=recording.seats,
        length=recording.length,
        load=lambda: recording.actions,
    )


def score_of_game(game: Game) -> Score:
    """A game by correspondence as what is replayed: the actions that stand."""
    return Score(
        key=f"game {game.pk} {game.seed} {game.seq}",
        title=game.title,
        preset=game.preset,
        options=game.options,
        players=players_of(game),
        length=game.length,
        load=lambda: [payload for _seq, payload in standing(rows_of(game))],
    )
