"""Games recorded on 18xx.games, which stay outside: every state is the peer's."""

from __future__ import annotations

import importlib.util
import json
import os
from collections.abc import Iterator, Mapping
from io import StringIO
from pathlib import Path
from types import ModuleType
from typing import Any

import pytest
from django.core.management import call_command

from pbem.engine import Game, interchange

FOLDER = Path(os.environ.get("FIGF_CASES", "nowhere")) / "1830"
GAMES = sorted(
    path for path in FOLDER.glob("*.json") if path.with_suffix(".truth.json.gz").exists()
)
# Without the cases one test is left, which says by the fixture why it is skipped.
each_game = pytest.mark.parametrize("path", GAMES or [FOLDER], ids=lambda path: path.stem)
# Played on the peer's own pages, or by a program that chose as they do: each card is the first.
DEALT_ALIKE = {"1830_game_end_bank", "26855", "rl_game", "rl_manual_game_bankrupcy"}
SAID = (
    *("type", "entity", "entity_type", "company", "price", "corporation", "share_price", "percent"),
    *("hex", "rotation", "kind"),
)
CARDS = ("shares", "tile", "city", "slot", "train", "exchange")


@pytest.fixture(scope="session")
def compare(cases: Path) -> ModuleType:
    """The program that holds a replay against the truth."""
    spec = importlib.util.spec_from_file_location("compare", cases / "compare.py")
    assert spec is not None
    assert spec.loader is not None
    module = importlib.util.module_from_spec(spec)
    spec.loader.exec_module(module)
    return module


def truth_of(compare: ModuleType, path: Path) -> Any:
    return compare.load(str(path.with_suffix(".truth.json.gz")))


def file_of(path: Path) -> Any:
    return interchange.load(path.read_bytes())


@each_game
def test_every_state_of_a_recorded_game_is_the_peer_s(
    path: Path, compare: ModuleType, tmp_path: Path
) -> None:
    """What `manage.py replay` writes, held line by line against the truth."""
    written, told = tmp_path / "states.jsonl", StringIO()
    call_command("replay", path, states=written, stdout=told)
    lines = written.read_text(encoding="utf-8").splitlines()
    truth = truth_of(compare, path)
    states = list(compare.truth_states(truth))
    assert len(lines) == len(states)
    for number, (line, state) in enumerate(zip(lines, states, strict=True)):
        assert not list(compare.differences(json.loads(line), state)), f"state {number}"
    values = sorted(truth["final"]["result"].values(), reverse=True)
    assert [int(line.rpartition(": ")[2]) for line in told.getvalue().splitlines()[1:]] == values


def atoms(path: Path) -> Iterator[tuple[Mapping[str, Any], Game]]:
    """What was really played: no programs."""
    for said, game in interchange.replay(file_of(path)):
        if not said["type"].startswith("program_"):
            yield said, game


@each_game
def test_a_recorded_game_is_written_as_it_was_read(path: Path, cases: Path) -> None:
    """Who does what for how much is the same; so is each card, as far as it can be known, for the
    kinds are what was played and which card of a kind is taken is the player's to click."""
    played = list(atoms(path))
    _, game = played[-1]
    written = interchange.export(game)["actions"]
    for (theirs, _), ours in zip(played, written, strict=True):
        for key in SAID:
            assert ours.get(key) == theirs.get(key), (key, theirs, ours)
        for key in CARDS:
            kinds = [kind_of(one.get(key)) for one in (theirs, ours)]
            assert kinds[0] == kinds[1] or key in {"slot", "city"}, (key, theirs, ours)
            if path.stem in DEALT_ALIKE:
                assert ours.get(key) == theirs.get(key), (key, theirs, ours)
        assert runs(ours) == runs(theirs)


def kind_of(card: Any) -> Any:
    """The kind of a card, or of each of several certificates; the president's is its own."""
    if isinstance(card, list):
        return sorted(one if one.endswith("_0") else one.rpartition("_")[0] for one in card)
    return card.rpartition("-")[0] if isinstance(card, str) else card


def runs(said: Mapping[str, Any]) -> list[Any]:
    """The routes by kind of train, in the order run, with what each earns and where it stops
    (one recording program names a hex once whose two cities are visited)."""
    return [
        (
            kind_of(route["train"]),
            route["connections"],
            route["revenue"],
            sorted(set(route["hexes"])),
        )
        for route in said.get("routes", ())
    ]


@each_game
def test_a_recorded_game_comes_back_the_same_from_what_is_written(path: Path, cases: Path) -> None:
    states, game = [], None
    for _, game in atoms(path):
        states.append(interchange.snapshot(game.state))
    assert game is not None
    file = json.loads(json.dumps(interchange.export(game)))
    assert [interchange.snapshot(again.state) for _, again in interchange.replay(file)] == states
    assert {str(key): value for key, value in game.result().items()} == (
        file["result"] or game.result()
    )
