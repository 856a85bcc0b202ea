"""`manage.py best_run` and `manage.py best_lays`: what they print, and what they refuse."""

from __future__ import annotations

import json
from io import StringIO
from itertools import pairwise
from pathlib import Path
from types import ModuleType
from typing import Any

import pytest
from django.core.management import CommandError, call_command

from pbem.engine import interchange
from pbem.engine.actions import LayTile

from .oracles import best_by_solver
from .our_games import FOLDER, OURS, file_of
from .test_cases import GAMES, compare, truth_of
from .turns import turns

__all__ = ["compare"]  # a fixture

GAME = FOLDER / "bank_figf_4.json"


def told(command: str, path: Path, at: int, **options: Any) -> list[dict[str, Any]]:
    """What a command prints: an object a line."""
    out = StringIO()
    call_command(command, path, at=at, stdout=out, **options)
    return [json.loads(line) for line in out.getvalue().splitlines()]


def best(path: Path, at: int, **options: Any) -> dict[str, Any]:
    (line,) = told("best_run", path, at, **options)
    return line


def stopped(command: str, path: Path, at: int, **options: Any) -> CommandError:
    with pytest.raises(CommandError) as stop:
        told(command, path, at, **options)
    assert "\n" not in str(stop.value)
    assert len(str(stop.value)) < 600
    return stop.value


def written(tmp_path: Path, file: Any) -> Path:
    path = tmp_path / "game.json"
    path.write_text(file if isinstance(file, str) else json.dumps(file), encoding="utf-8")
    return path


def at_a_trade(kind: str) -> int:
    """How many actions of the game come before the first of a kind."""
    return next(n for n, one in enumerate(file_of(GAME.stem)["actions"]) if one["type"] == kind)


# --- the best run ---------------------------------------------------------------------------------


def test_the_best_run_is_one_line_of_json() -> None:
    """1830/R-14 — the first run of this game is the B&O's, whose two 2-trains find Baltimore (30),
    Washington (20) and the Deep South (30): 30 + 20 and 20 + 30."""
    line = best(GAME, 76)
    assert list(line) == ["value", "proven", "routes", "upper_bound", "ms"]
    assert (line["value"], line["proven"], line["upper_bound"]) == (100, True, 100)
    assert 0 < line["ms"] < 60_000
    routes = sorted(line["routes"], key=lambda one: sorted(one["hexes"]))
    assert [one["train"] for one in routes] == ["2", "2"]
    assert [sorted(one["hexes"]) for one in routes] == [["I15", "J14"], ["J14", "K13"]]
    assert [sorted(one["stops"]) for one in routes] == [
        [["I15", 0, 30], ["J14", 0, 20]],
        [["J14", 0, 20], ["K13", 0, 30]],
    ]


def test_hexes_and_stops_go_from_one_end_of_the_run_to_the_other() -> None:
    """1830/R-14 — the B&M, in Boston and Providence, has one way to Albany (30) by way of a town of
    New Haven & Hartford (10) to Providence (20): the 3-train's. The 2-trains run from Mansfield
    (10) to either side."""
    line = best(GAME, 154)
    assert line["value"] == 60 + 30 + 40
    assert sorted(one["train"] for one in line["routes"]) == ["2", "2", "3"]
    (longest,) = [one for one in line["routes"] if one["train"] == "3"]
    assert longest["hexes"] in (["E19", "F20", "F22"], ["F22", "F20", "E19"])
    there = [["E19", 0, 30], ["F20", 1, 10], ["F22", 0, 20]]
    assert longest["stops"] == (there if longest["hexes"][0] == "E19" else there[::-1])


def test_the_best_run_may_be_better_than_what_was_run() -> None:
    """FIGF-U-12 — the B&O ran a 3-train from Philadelphia (40) by way of Baltimore (30) to
    Washington (30), and a 2-train from there to the Deep South (30): 160. Its third train may run
    too if each keeps to one stretch: 40 + 30, 30 + 30, 30 + 30."""
    line = best(GAME, 158)
    assert (line["value"], line["upper_bound"], line["proven"]) == (190, 190, True)
    assert sorted(sorted({one["hexes"][0], one["hexes"][-1]}) for one in line["routes"]) == [
        ["H18", "I15"],
        ["I15", "J14"],
        ["J14", "K13"],
    ]


@pytest.mark.parametrize("name", OURS)
def test_the_last_run_of_a_game_is_told_whole(name: str) -> None:
    """Of each route the train is owned, the ends are stops, the stops lie on the way and are worth
    the value between them."""
    *_, last = (turn for turn in turns(file_of(name)) if turn.run)
    line = best(FOLDER / f"{name}.json", last.number)
    state = last.game.state
    assert line["value"] == best_by_solver(state, last.symbol)
    assert line["value"] == sum(stop[2] for one in line["routes"] for stop in one["stops"])
    owned = list(state.corporations[last.symbol].trains)
    for one in line["routes"]:
        owned.remove(one["train"])
        hexes = [stop[0] for stop in one["stops"]]
        assert (one["hexes"][0], one["hexes"][-1]) == (hexes[0], hexes[-1])
        way = iter(one["hexes"])
        assert all(hex_id in way for hex_id in hexes)  # in order
        for hex_id, following in pairwise(one["hexes"]):
            assert state.title.hexes[following] in state.title.hexes[hex_id].neighbors


def test_any_corporation_may_be_asked_for_at_any_position() -> None:
    """By default the one that operates; at the last position, whatever round it is, each has its
    best run still."""
    assert best(GAME, 76, corporation="B&O")["value"] == best(GAME, 76)["value"] == 100
    nothing = {"value": 0, "proven": True, "routes": [], "upper_bound": 0}
    for at in (0, 76):
        line = best(GAME, at, corporation="PRR")
        assert line.pop("ms") >= 0
        assert line == nothing
    end = len(file_of(GAME.stem)["actions"])
    assert max(best(GAME, end, corporation=one)["value"] for one in ("B&O", "B&M", "NYC")) > 0


def test_positions_are_counted_as_in_the_recorded_games(cases: Path, compare: ModuleType) -> None:
    """`--at i` is the position before state i, automatic actions counted: there ran what ran."""
    path = next(one for one in GAMES if one.stem == "1830_game_end_bank")
    runs = truth_of(compare, path)["runs"]
    for run in (runs[0], runs[len(runs) // 2], runs[-1]):
        line = best(path, run["i"])
        assert line["proven"]
        assert line["value"] >= run["total"]
        assert line == {**best(path, run["i"], corporation=run["corp"]), "ms": line["ms"]}


# --- the lays -------------------------------------------------------------------------------------


def test_each_legal_lay_is_a_line_of_json() -> None:
    """1830/L — the first turn with a tile: the B&O at home in Baltimore, without a train."""
    at = at_a_trade("lay_tile")
    game = interchange.begin(file_of(GAME.stem)).game
    for _, game in interchange.replay(file_of(GAME.stem), at):  # noqa: B007
        pass
    legal = {one.action for one in game.options() if isinstance(one.action, LayTile)}
    lines = told("best_lays", GAME, at)
    assert {
        LayTile("B&O", one["hex"], one["tile"], one["rotation"], one.get("private"))
        for one in lines
    } == legal
    assert len(lines) == len(legal) > 0
    for one in lines:
        assert list(one)[:5] == ["hex", "tile", "rotation", "cost", "gain"]
        assert one["gain"] == 0  # 1830/R-15
    assert {(one["hex"], one["cost"]) for one in lines} == {("I17", 80), ("J14", 80)}  # L-9: water


def test_a_tile_gains_what_it_adds_to_the_best_run() -> None:
    """1830/R-14 — the B&O has three 2-trains, of which two run: Washington (20) with Baltimore (30)
    and with the Deep South (30). A green tile in Washington makes both worth 10 more, and one that
    leads to Richmond (20) lets the third run there; Baltimore green (50) is worth 20 more; from
    there a second way through I17 leads the third train to Atlantic City (10)."""
    lines = told("best_lays", GAME, 137)
    gains = {(one["hex"], one["tile"], one["rotation"]): one["gain"] for one in lines}
    assert gains["J14", "15", 0] == 10 + 10
    assert gains["J14", "14", 2] == gains["J14", "14", 5] == 10 + 10 + (30 + 20)
    assert {gains[key] for key in gains if key[:2] == ("I15", "53")} == {20}
    assert gains["I17", "24", 1] == 30 + 10
    assert {one["cost"] for one in lines} == {0}  # L-9: upgrades


def test_past_its_tile_a_corporation_is_told_what_it_might_lay_now() -> None:
    """At its run, with Washington green already: the same tile is not among them."""
    assert told("best_lays", GAME, 138)
    assert ("J14", "15") not in {(one["hex"], one["tile"]) for one in told("best_lays", GAME, 138)}


# --- what is refused ------------------------------------------------------------------------------


@pytest.mark.parametrize("command", ["best_run", "best_lays"])
@pytest.mark.parametrize(
    ("text", "words"),
    [
        ("", "is not JSON in UTF-8."),
        ("[1, 2]", "is not a game."),
        ('{"title": "1889", "players": [{"id": 1}]}', "'1889' is not a title that has an engine."),
    ],
)
def test_what_is_no_game_is_refused(tmp_path: Path, command: str, text: str, words: str) -> None:
    stop = stopped(command, written(tmp_path, text), 0)
    assert words in str(stop)
    assert stop.returncode == 2


@pytest.mark.parametrize("command", ["best_run", "best_lays"])
def test_a_file_that_is_not_there_is_refused(tmp_path: Path, command: str) -> None:
    stop = stopped(command, tmp_path / "none.json", 0)
    assert str(stop) == f"No such file or directory: {tmp_path / 'none.json'}"
    assert stop.returncode == 2


@pytest.mark.parametrize("command", ["best_run", "best_lays"])
def test_a_position_that_the_game_has_not_is_refused(command: str) -> None:
    count = len(file_of(GAME.stem)["actions"])
    stop = stopped(command, GAME, count + 1)
    assert str(stop) == f"{GAME} has {count} actions: --at takes a number from 0 to {count}."
    assert stop.returncode == 2
    stop = stopped(command, GAME, -1)
    assert str(stop) == "--at takes a number of actions from 0 up."
    assert stop.returncode == 2


@pytest.mark.parametrize("command", ["best_run", "best_lays"])
def test_where_nobody_operates_a_corporation_must_be_named(command: str) -> None:
    """In the auction, in a stock round, after the end."""
    for at in (0, at_a_trade("buy_shares"), len(file_of(GAME.stem)["actions"])):
        stop = stopped(command, GAME, at)
        assert str(stop).startswith("No corporation operates in this position")
        assert stop.returncode == 2


@pytest.mark.parametrize("symbol", ["XYZ", "b&o", "", "1", "\x1b[31m"])
def test_a_corporation_that_there_is_not_is_refused(symbol: str) -> None:
    stop = stopped("best_run", GAME, 76, corporation=symbol)
    assert "is not one of" in str(stop)
    assert "B&O" in str(stop)
    assert str(stop).isprintable()
    assert stop.returncode == 2


def test_an_action_refused_before_the_position_is_told(tmp_path: Path) -> None:
    """1830/A-2 — SV is sold once; the position before that is there."""
    players = [{"id": 1, "name": "Anna"}, {"id": 2, "name": "Bo"}]
    bid = {"type": "bid", "entity": 1, "entity_type": "player", "company": "SV", "price": 20}
    path = written(tmp_path, {"title": "1830", "players": players, "actions": [bid, bid]})
    stop = stopped("best_run", path, 2, corporation="PRR")
    assert str(stop).startswith("Action 2 (bid 1) is refused.")
    assert stop.returncode == 1
    assert best(path, 1, corporation="PRR")["value"] == 0


@pytest.mark.parametrize("command", ["best_run", "best_lays"])
def test_the_position_must_be_named(command: str) -> None:
    with pytest.raises(CommandError, match="--at"):
        call_command(command, str(GAME))
