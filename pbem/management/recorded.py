"""What the commands share: a recorded game read from its file, played up to a position, and what is
wrong with it said in a plain line. Exit status 1 if an action was refused, 2 if there is no game.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from contextlib import contextmanager
from pathlib import Path
from typing import Any

from django.core.management.base import CommandError, CommandParser
from django.utils import translation

from pbem import texts
from pbem.engine import Game, MalformedAction, interchange

REFUSED, NO_GAME = 1, 2  # exit status


def load(path: Path) -> Any:
    """The file, or as much of it as shows that it is too long."""
    with path.open("rb") as file:
        return interchange.load(file.read(interchange.MOST_BYTES + 1))


@contextmanager
def told_plainly(
    path: Path, names: Mapping[str, str], written: Path | None = None
) -> Iterator[None]:
    """Whatever is wrong with the file, or with what is written of it, ends the command with one
    line of English."""
    with translation.override("en"):
        try:
            yield
        except OSError as error:
            told = f"{error.strerror}: {error.filename or written or path}"
            raise CommandError(plain(told), returncode=NO_GAME) from None
        except MalformedAction as error:
            whole = error.where == "file"
            told = f"is not {error.expected}." if whole else f"is no game. {texts.words(error)}"
            raise CommandError(plain(f"{path} {told}"), returncode=NO_GAME) from None
        except interchange.Refusal as refusal:
            raise CommandError(plain(_refused(refusal, names)), returncode=REFUSED) from None


def _refused(refusal: interchange.Refusal, names: Mapping[str, str]) -> str:
    """Which action was refused, and why."""
    number = f"{refusal.entry + 1}"
    if refusal.automatic is not None:
        number += f", automatic {refusal.automatic + 1}"
    said = refusal.said if isinstance(refusal.said, Mapping) else {}
    who_did_what = (said.get(key) for key in ("type", "entity"))
    what = " ".join(str(one)[:40] for one in who_did_what if isinstance(one, str | int))
    return f"Action {number} ({what}) is refused. {texts.words(refusal.error, names)}"


def plain(text: str, encoding: str | None = None) -> str:
    """The text without what a terminal could not show, or would obey."""
    shown = "".join(one if one.isprintable() else "?" for one in text)
    encoding = encoding or "utf-8"
    return shown.encode(encoding, "backslashreplace").decode(encoding)


# --- a position -----------------------------------------------------------------------------------


def add_position(parser: CommandParser) -> None:
    """The arguments that name a position."""
    parser.add_argument("game", type=Path, metavar="GAME.json")
    parser.add_argument(
        "--at",
        type=int,
        required=True,
        metavar="N",
        help="the position before state N, counted from 0: after N actions, automatic ones too",
    )


def position(path: Path, at: int) -> Game:
    """The game of the file after `at` actions. Raises `CommandError` if it has not so many."""
    if at < 0:
        raise CommandError("--at takes a number of actions from 0 up.", returncode=NO_GAME)
    names: dict[str, str] = {}
    with told_plainly(path, names):
        file = load(path)
        reader = interchange.begin(file)
        names |= reader.names
        played = sum(1 for _ in interchange.play(reader, file, at))
        if played < at:
            told = f"{path} has {played} actions: --at takes a number from 0 to {played}."
            raise CommandError(plain(told), returncode=NO_GAME)
        return reader.game


def operating(game: Game) -> str:
    """The corporation whose turn it is. Raises `CommandError` if it is nobody's."""
    symbol = game.state.operating
    if symbol is None:
        raise CommandError("No corporation operates in this position.", returncode=NO_GAME)
    return symbol
