"""`manage.py replay`: what it prints, where it ends, and that nothing makes it stumble."""

from __future__ import annotations

import json
import os
import subprocess
import sys
from io import StringIO
from pathlib import Path
from typing import Any

import pytest
from django.conf import settings
from django.core.management import CommandError, call_command

from pbem.engine import interchange

from .our_games import FOLDER, OURS, file_of

GAME = FOLDER / "bankruptcy_18xx_2.json"


def replay(path: Path, **options: Any) -> str:
    told = StringIO()
    call_command("replay", path, stdout=told, **options)
    return told.getvalue()


def stopped(path: Path, **options: Any) -> CommandError:
    with pytest.raises(CommandError) as stop:
        replay(path, **options)
    assert "\n" not in str(stop.value)
    assert len(str(stop.value)) < 600
    return stop.value


def written(tmp_path: Path, file: Any) -> Path:
    path = tmp_path / "game.json"
    path.write_text(json.dumps(file), encoding="utf-8")
    return path


@pytest.mark.parametrize("name", OURS)
def test_the_result_is_printed_with_the_winner_first_and_why_the_game_ended(name: str) -> None:
    """1830/X-1, X-2, X-5."""
    file = file_of(name)
    first, *rest = replay(FOLDER / f"{name}.json").splitlines()
    assert first.startswith(f"Actions played: {len(file['actions'])}. ")
    ends = {"bank": "The bank is broken", "bankrupt": "is bankrupt."}
    assert ends[file["game_end_reason"]] in first
    names = {str(one["id"]): one["name"] for one in file["players"]}
    best = sorted(file["result"].items(), key=lambda one: -one[1])
    assert rest == [f"{n}. {names[key]}: {value}" for n, (key, value) in enumerate(best, 1)]


def test_equals_share_their_place(tmp_path: Path) -> None:
    """1830/X-5, G-1 — before the first action everybody has the printed cash."""
    file = interchange.export(interchange.begin(file_of(OURS[0])).game)
    path = written(tmp_path, {**file, "actions": []})
    assert [line[:2] for line in replay(path).splitlines()[1:]] == ["1."] * len(file["players"])


def test_a_game_that_goes_on_says_who_is_to_act() -> None:
    first, *_ = replay(GAME, until=1).splitlines()
    assert first == "Actions played: 1. The game goes on: Bruno to act. So far:"
    operating = next(
        number
        for number, one in enumerate(file_of(GAME.stem)["actions"])
        if one["entity_type"] == "corporation"
    )
    corporation = file_of(GAME.stem)["actions"][operating]["entity"]
    assert f"The game goes on: {corporation} (" in replay(GAME, until=operating)


def test_a_line_is_written_for_each_action(tmp_path: Path) -> None:
    """The layout that recorded games are compared in."""
    path = tmp_path / "states.jsonl"
    replay(GAME, states=path, until=50)
    states = [json.loads(line) for line in path.read_text(encoding="utf-8").splitlines()]
    assert [one["type"] for one in states] == [
        one["type"] for one in file_of(GAME.stem)["actions"][:50]
    ]
    for state in states:
        assert state.keys() >= {"turn", "rnum", "phase", "bank", "cur", "pd", "players", "corps"}
        assert state.keys() >= {"tiles", "depot"}
        assert len(state["corps"]) == 8
        money = state["bank"] + sum(one["cash"] for one in state["players"].values())
        assert money + sum(one["cash"] for one in state["corps"].values()) == 12_000


def test_the_first_refusal_is_told_with_its_reason_and_ends_with_status_1(tmp_path: Path) -> None:
    """1830/A-2 — SV costs 20; what came before it is written all the same."""
    players = [{"id": 1, "name": "Anna"}, {"id": 2, "name": "Bo"}]
    first = {"type": "bid", "entity": 1, "entity_type": "player", "company": "SV", "price": 20}
    path = written(tmp_path, {"title": "1830", "players": players, "actions": [first, first]})
    states = tmp_path / "states.jsonl"
    stop = stopped(path, states=states)
    assert stop.returncode == 1
    assert str(stop) == (
        "Action 2 (bid 1) is refused. It is the turn of Bo: Anna must wait for it to end."
    )
    assert len(states.read_text(encoding="utf-8").splitlines()) == 1


@pytest.mark.parametrize(
    ("data", "words"),
    [
        (b"", "is not JSON in UTF-8."),
        (b"\xff\xfe\xff", "is not JSON in UTF-8."),
        (b"[" * 100_000, "is not JSON in UTF-8."),
        (b"[1, 2]", "is not a game."),
        (b" " * (interchange.MOST_BYTES + 1), "is not a file of at most 5 MB."),
        (b'{"title": "1889", "players": [{"id": 1}]}', "'1889' is not a title that has an engine."),
        (b'{"title": "1830", "players": [{"id": 1}]}', "1 is not a number of players"),
    ],
)
def test_what_is_no_game_is_said_in_a_line_and_ends_with_status_2(
    tmp_path: Path, data: bytes, words: str
) -> None:
    path = tmp_path / "game.json"
    path.write_bytes(data)
    stop = stopped(path)
    assert stop.returncode == 2
    assert str(path) in str(stop)
    assert words in str(stop)


def test_a_file_that_cannot_be_read_or_written_is_said_in_a_line(tmp_path: Path) -> None:
    for path in (tmp_path, tmp_path / "nothing.json", GAME / "below"):
        assert stopped(path).returncode == 2
    for states in (tmp_path, tmp_path / "no" / "folder.jsonl"):
        assert stopped(GAME, states=states).returncode == 2


def test_the_states_are_not_written_over_the_game(tmp_path: Path) -> None:
    path = written(tmp_path, file_of(GAME.stem))
    before = path.read_bytes()
    assert stopped(path, states=path).returncode == 2
    assert path.read_bytes() == before


def test_a_name_cannot_play_with_the_terminal(tmp_path: Path) -> None:
    players = [{"id": 1, "name": "\x1b[2J\ud800Anna\n"}, {"id": 2, "name": "Zoë"}]
    path = written(tmp_path, {"title": "1830", "players": players, "actions": []})
    assert replay(path).splitlines()[1:] == ["1. ?[2J?Anna?: 1200", "1. Zoë: 1200"]


@pytest.mark.parametrize(("argument", "status"), [(str(GAME), 0), ("nothing.json", 2)])
def test_the_command_needs_no_database_and_shows_no_traceback(argument: str, status: int) -> None:
    """As it is typed, on a terminal that knows no more than ASCII."""
    environment = os.environ | {"SECRET_KEY": "x", "SITE_URL": "http://testserver"}
    environment |= {"DATABASE_URL": "", "REDIS_URL": "", "PYTHONIOENCODING": "ascii"}
    command = [sys.executable, "manage.py", "replay", argument]
    done = subprocess.run(
        command, cwd=settings.BASE_DIR, env=environment, capture_output=True, text=True, check=False
    )
    assert done.returncode == status, done.stderr
    assert "Traceback" not in done.stderr
    assert ("Actions played: " in done.stdout) == (status == 0)
