"""`manage.py replay GAME.json`: play a game exported by 18xx.games, or by this site, to its end.

Prints the result, or the first action that is refused and why. Ends with status 0 if every action
was played, 1 if one was refused, 2 if the file is no game.
"""

from __future__ import annotations

import json
from collections.abc import Iterator, Mapping
from contextlib import ExitStack
from pathlib import Path
from typing import Any, TextIO

from django.core.management.base import BaseCommand, CommandError, CommandParser

from pbem.engine import Game, interchange
from pbem.management.recorded import NO_GAME, load, plain, told_plainly


class Command(BaseCommand):
    help = __doc__
    requires_system_checks: list[str] = []  # noqa: RUF012 - Django's own shape

    def add_arguments(self, parser: CommandParser) -> None:
        parser.add_argument("game", type=Path, metavar="GAME.json")
        parser.add_argument(
            "--states", type=Path, metavar="FILE", help="write there a line of JSON for each action"
        )
        parser.add_argument("--until", type=int, metavar="N", help="stop after N actions")

    def handle(
        self,
        *args: Any,
        game: Path,
        states: Path | None = None,
        until: int | None = None,
        **options: Any,
    ) -> None:
        if until is not None and until < 0:
            raise CommandError("--until takes a number of actions from 0 up.", returncode=NO_GAME)
        names: dict[str, str] = {}
        with told_plainly(game, names, states):
            file = load(game)
            reader = interchange.begin(file)
            names |= reader.names
            with ExitStack() as open_files:
                out = open_files.enter_context(_opened(states, game)) if states else None
                played = sum(1 for _state in _play(reader, file, until, out))
        for line in _result(reader, played):
            self.stdout.write(plain(line, getattr(self.stdout, "encoding", None)))


def _opened(path: Path, game: Path) -> TextIO:
    """The file for the states, which must not be the game's."""
    if path.exists() and path.samefile(game):
        raise CommandError("The states would be written over the game.", returncode=NO_GAME)
    return path.open("w", encoding="utf-8")


def _play(
    reader: interchange.Reader, file: Mapping[str, Any], until: int | None, out: TextIO | None
) -> Iterator[Game]:
    """The game after each action, written down where it is asked for."""
    before = dict(reader.game.state.board)
    for said, game in interchange.play(reader, file, until):
        if out:
            told = {"type": said["type"], **interchange.snapshot(game.state, before)}
            out.write(json.dumps(told, separators=(",", ":")) + "\n")
            before = dict(game.state.board)
        yield game


def _result(reader: interchange.Reader, played: int) -> Iterator[str]:
    """Why the game ended, and who has how much, the winner first; equals share their place."""
    game, names = reader.game, reader.names
    state = game.state
    if state.over == "bank":
        yield f"Actions played: {played}. The bank is broken, and the set of rounds is over."
    elif state.over == "stalemate":
        yield f"Actions played: {played}. Nobody can do anything any more."
    elif state.over:
        yield f"Actions played: {played}. {names[state.bankrupt or '']} is bankrupt."
    else:
        yield f"Actions played: {played}. The game goes on: {_turn(game, names)} to act. So far:"
    values = game.result()
    for player in sorted(values, key=lambda one: -values[one]):
        place = 1 + sum(value > values[player] for value in values.values())
        twice = list(names.values()).count(names[player]) > 1
        name = f"{names[player]} ({player})" if twice else names[player]
        yield f"{place}. {name}: {values[player]}"


def _turn(game: Game, names: Mapping[str, str]) -> str:
    """Who acts next: a player, or a corporation and who decides for it."""
    actor, player = game.actor or "", names[game.player or ""]
    return player if actor in names else f"{actor} ({player})"
