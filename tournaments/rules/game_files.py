"""A finished game as 18xx.games exports it: who played, what each was worth, how it ended.

Any of its titles: only the head of the file and its result are read here, not the moves. What a
player is worth at the end is cash and shares (C-03); whether the moves lead there is for an engine
that knows the title.
"""

from __future__ import annotations

import json
from collections.abc import Collection, Mapping
from dataclasses import dataclass
from enum import StrEnum
from typing import Any

from tournaments.rules.regulation import Illegal, Sentence, gettext_noop

FEWEST = 3  # seats of a game of the federation (B-07)
LARGEST_FILE = 8_000_000  # bytes: the longest recorded games are a tenth of it
LARGEST_TOTAL = 1_000_000


class FileFault(Sentence):
    """Why a file is not taken, with its words."""

    NOT_JSON = (
        "file_not_json",
        gettext_noop("This is no file of 18xx.games, or it is cut short: export the game again."),
    )
    TOO_LARGE = "file_too_large_game", gettext_noop("This file is too large to be a game.")
    NOT_A_GAME = (
        "file_not_a_game",
        gettext_noop(
            "This file is not a game exported by 18xx.games: it says no title, players or moves."
        ),
    )
    TWO_PLAYERS = (
        "file_two_players",
        gettext_noop(
            "The game of the file had %(players)s players: at least %(fewest)s are needed."
        ),
    )
    SAME_NAME = (
        "file_same_name",
        gettext_noop(
            "Two players of the file have the same name, %(name)s, and nothing tells them apart."
        ),
    )
    OTHER_SEATS = (
        "file_other_seats",
        gettext_noop("The game of the file has %(players)s players, and this table %(seats)s."),
    )
    OTHER_TITLE = (
        "file_other_title",
        gettext_noop("The file is of a game of %(file)s, and this table plays %(table)s."),
    )
    UNFINISHED = (
        "file_unfinished",
        gettext_noop("The game of the file is not finished: it has no result."),
    )
    OTHER_RESULT = (
        "file_other_result",
        gettext_noop(
            "The result of the file is not of its players: it was changed after the game."
        ),
    )
    BAD_VALUE = (
        "file_bad_value",
        gettext_noop(
            "What %(name)s is worth in the file is no whole amount: it was changed after the game."
        ),
    )


class Ending(StrEnum):
    """How a game ended, as far as its file says."""

    BANK = "bank"
    BANKRUPTCY = "bankruptcy"
    BY_HAND = "by_hand"  # somebody pressed "end the game": was it over?
    OTHER = "other"  # another reason of the title, or none is said


ENDINGS: Mapping[str, Ending] = {
    "bank": Ending.BANK,
    "bankrupt": Ending.BANKRUPTCY,
    "manually_ended": Ending.BY_HAND,
}
LAST: Mapping[str, Ending] = {"bankrupt": Ending.BANKRUPTCY, "end_game": Ending.BY_HAND}


@dataclass(frozen=True, slots=True)
class FilePlayer:
    """A player of the file: `total` is what he is worth; who ended in `debt` has 0 (C-08)."""

    key: str
    name: str
    total: int
    debt: int = 0


@dataclass(frozen=True, slots=True)
class GameFile:
    """What a file says of a finished game; the players in their order at the table."""

    title: str
    game: str  # its number or name there
    players: tuple[FilePlayer, ...]
    ending: Ending


def read(data: bytes) -> GameFile:
    """The result of a finished game: the value of cash and shares of each player (C-03, C-08).

    The result is keyed by the players' ids or, in games around one screen, by their names. An
    amount below nothing counts as nothing. Refuses, with a `FileFault`, what is not such a file,
    fewer than three players, a game without a result and a result that is not of its players.

    >>> told = {"title": "1830", "id": 7, "actions": [], "game_end_reason": "bank",
    ...         "players": [{"id": 1, "name": "Rossi"}, {"id": 2, "name": "Bo"}, {"id": 3,
    ...                      "name": "Neri"}], "result": {"1": 7500, "2": 7200, "3": -40}}
    >>> found = read(json.dumps(told).encode())
    >>> found.title, found.ending.value, [(p.name, p.total, p.debt) for p in found.players]
    ('1830', 'bank', [('Rossi', 7500, 0), ('Bo', 7200, 0), ('Neri', 0, 40)])
    """
    if len(data) > LARGEST_FILE:
        raise Illegal(FileFault.TOO_LARGE, "C-03", field="file")
    try:
        told = json.loads(data.decode("utf-8-sig"))
    except (ValueError, RecursionError):
        raise Illegal(FileFault.NOT_JSON, "C-03", field="file") from None
    if not _is_game(told):
        raise Illegal(FileFault.NOT_A_GAME, "C-03", field="file")
    people = told["players"]
    if len(people) < FEWEST:
        raise Illegal(
            FileFault.TWO_PLAYERS, "B-07", field="file", players=len(people), fewest=FEWEST
        )
    result = told.get("result")
    if not isinstance(result, dict) or not result:
        raise Illegal(FileFault.UNFINISHED, "C-03", field="file")
    return GameFile(
        told["title"], str(told.get("id", "")), tuple(_players(people, result)), _ending(told)
    )


def check_table(file: GameFile, seats: int, title: str, others: Collection[str] = ()) -> None:
    """What C-03 refuses of a file for a table: another number of players, or another title.

    `title` is that of the table, `others` those that the federation plays besides: a file of one of
    them is of another game. One of no known title may be this one under another name.

    Refuses: OTHER_SEATS, OTHER_TITLE.

    >>> players = tuple(FilePlayer(name, name, 0) for name in "abc")
    >>> check_table(GameFile("1830", "7", players, Ending.BANK), 4, "1830")
    Traceback (most recent call last):
    tournaments.rules.regulation.Illegal: file_other_seats (C-03)
    >>> check_table(GameFile("1870", "7", players, Ending.BANK), 3, "1830", ["1849", "1870"])
    Traceback (most recent call last):
    tournaments.rules.regulation.Illegal: file_other_title (C-03)
    """
    if not same_title(file.title, title) and any(same_title(file.title, one) for one in others):
        raise Illegal(FileFault.OTHER_TITLE, "C-03", field="file", file=file.title, table=title)
    if len(file.players) != seats:
        raise Illegal(
            FileFault.OTHER_SEATS, "C-03", field="file", players=len(file.players), seats=seats
        )


def same_title(one: str, other: str) -> bool:
    """Whether two titles are written with the same letters and figures.

    >>> same_title("1830", "1830"), same_title("18 Chesapeake", "18Chesapeake")
    (True, True)
    """
    return plain(one) == plain(other)


def plain(title: str) -> str:
    """The letters and figures of a title."""
    return "".join(each for each in title.casefold() if each.isalnum())


def _is_game(told: Any) -> bool:
    """Whether it has what every export has: a title, players with names, moves."""
    return (
        isinstance(told, dict)
        and isinstance(told.get("title"), str)
        and isinstance(told.get("actions"), list)
        and isinstance(told.get("players"), list)
        and all(
            isinstance(each, dict) and isinstance(each.get("name"), str) and each["name"].strip()
            for each in told["players"]
        )
    )


def _players(people: list[dict[str, Any]], result: dict[str, Any]) -> list[FilePlayer]:
    by_id = {str(each.get("id")) for each in people} == set(result)
    names = [each["name"] for each in people]
    if not by_id:
        for name in names:
            if names.count(name) > 1:
                raise Illegal(FileFault.SAME_NAME, "C-03", field="file", name=name)
        if set(names) != set(result):
            raise Illegal(FileFault.OTHER_RESULT, "C-03", field="file")
    elif len(result) != len(people):
        raise Illegal(FileFault.OTHER_RESULT, "C-03", field="file")
    found = []
    for each in people:
        key = str(each["id"]) if by_id else each["name"]
        worth = result[key]
        if type(worth) is not int or abs(worth) > LARGEST_TOTAL:
            raise Illegal(FileFault.BAD_VALUE, "C-03", field="file", name=each["name"])
        found.append(FilePlayer(key, each["name"], max(worth, 0), max(-worth, 0)))
    return found


def _ending(told: dict[str, Any]) -> Ending:
    if told.get("manually_ended") is True:
        return Ending.BY_HAND
    if isinstance(told.get("game_end_reason"), str):
        return ENDINGS.get(told["game_end_reason"], Ending.OTHER)
    last = told["actions"][-1] if told["actions"] else {}
    kind = last.get("type") if isinstance(last, dict) else None
    return LAST.get(str(kind), Ending.OTHER)
