"""What is printed of a title, read strictly; its disputed points as switches."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import pytest

from pbem.engine import MalformedAction, start
from pbem.engine import facts as reading
from pbem.engine.facts import FactsError, title
from pbem.engine.title import (
    EIGHTEEN_XX,
    FIGF,
    DiscardOrder,
    ErieCity,
    Exchange,
    OpenPrivates,
    PrivateTrade,
    Rescue,
    Upgrades,
    kept,
)

FILE = Path(reading.FOLDER) / "1830.json"


def test_what_1830_prints_is_read() -> None:
    """1830/G-1, G-2, K-1, N-1, S-8 — numbers of the rules, not of the file."""
    printed = title("1830")
    assert printed.bank == 12_000
    assert printed.seats == {
        2: (1200, 28),
        3: (800, 20),
        4: (600, 16),
        5: (480, 13),
        6: (400, 11),
    }
    assert sorted(printed.par_cells) == [67, 71, 76, 82, 90, 100]
    assert {one.id: (one.face, one.revenue) for one in printed.privates.values()} == {
        "SV": (20, 5),
        "CS": (40, 10),
        "DH": (70, 15),
        "MH": (110, 20),
        "CA": (160, 25),
        "BO": (220, 30),
    }
    trains = {one.id: (one.price, one.count, one.reach) for one in printed.trains.values()}
    assert trains == {
        "2": (80, 6, 2),
        "3": (180, 5, 3),
        "4": (300, 4, 4),
        "5": (450, 3, 5),
        "6": (630, 2, 6),
        "D": (1100, 6, None),
    }
    tokens = {one.id: one.tokens for one in printed.companies.values()}
    assert tokens["PRR"] == tokens["NYC"] == tokens["CPR"] == (0, 40, 100, 100)
    assert tokens["B&O"] == tokens["C&O"] == tokens["ERIE"] == (0, 40, 100)
    assert tokens["NYNH"] == tokens["B&M"] == (0, 40)


def test_the_presets_are_the_table_that_closes_the_rules() -> None:
    """1830/Z — FIGF's readings and those of 18xx.games, point by point."""
    assert (FIGF.upgrades, EIGHTEEN_XX.upgrades) == (Upgrades.ITALIAN, Upgrades.PERMISSIVE)
    assert (FIGF.diesels, EIGHTEEN_XX.diesels) == (6, None)
    assert (FIGF.rescue, EIGHTEEN_XX.rescue) == (Rescue.FIGF, Rescue.FACE_VALUE)
    assert (FIGF.erie_city, EIGHTEEN_XX.erie_city) == (ErieCity.OWNER, ErieCity.LAYER)
    assert FIGF.open_privates is OpenPrivates.NOTHING
    assert EIGHTEEN_XX.open_privates is OpenPrivates.FACE_VALUE
    assert (FIGF.exchange, EIGHTEEN_XX.exchange) == (Exchange.BETWEEN_TURNS, Exchange.ANY_TIME)
    assert FIGF.private_trade is PrivateTrade.EITHER_TURN
    assert EIGHTEEN_XX.private_trade is PrivateTrade.PURCHASE
    assert FIGF.discard_order is DiscardOrder.OPERATING
    assert EIGHTEEN_XX.discard_order is DiscardOrder.LISTED
    assert FIGF.contest is EIGHTEEN_XX.contest  # Z-2
    assert FIGF.bank_breaks is EIGHTEEN_XX.bank_breaks  # Z-13


def test_a_single_switch_can_be_set_otherwise() -> None:
    game = start("1830", ["1", "2"], "figf", {"upgrades": "PERMISSIVE", "diesels": None})
    assert game.title.switches.upgrades is Upgrades.PERMISSIVE
    assert game.title.trains["D"].count is None
    assert game.title.switches.erie_city is ErieCity.OWNER
    assert start("1830", ["1", "2"], options={"third_six": True}).title.trains["6"].count == 3


@pytest.mark.parametrize(
    ("arguments", "where"),
    [
        (("1831", ["1", "2"]), "title"),
        (("1830", ["1", "2"], "mine"), "preset"),
        (("1830", ["1"]), "players"),
        (("1830", list("1234567")), "players"),
        (("1830", ["1", "1"]), "players"),
        (("1830", ["1", "PRR"]), "players"),
        (("1830", ["1", "SV"]), "players"),
        (("1830", ["1", "a b"]), "players"),
        (("1830", ["1", ""]), "players"),
        (("1830", ["1", "2"], "figf", {"colour": "red"}), "options"),
        (("1830", ["1", "2"], "figf", {"upgrades": "LOOSE"}), "options.upgrades"),
        (("1830", ["1", "2"], "figf", {"third_six": 1}), "options.third_six"),
        (("1830", ["1", "2"], "figf", {"diesels": -1}), "options.diesels"),
    ],
)
def test_a_game_that_cannot_begin_is_refused(arguments: tuple[Any, ...], where: str) -> None:
    with pytest.raises(MalformedAction) as refused:
        start(*arguments)
    assert refused.value.where == where


@pytest.mark.parametrize("place", ["hexes", "tiles", "privates", "trains", "corporations"])
def test_a_fact_that_nobody_reads_is_refused(
    place: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """A mechanism that this engine lacks must not be ignored in silence."""
    facts = json.loads(FILE.read_text(encoding="utf-8"))
    where = facts["map"]["hexes"] if place == "hexes" else facts[place]
    where[0]["mechanism"] = True
    (tmp_path / "1830.json").write_text(json.dumps(facts), encoding="utf-8")
    monkeypatch.setattr(reading, "FOLDER", tmp_path)
    reading.load.cache_clear()
    with pytest.raises(FactsError, match="mechanism"):
        title("1830")
    reading.load.cache_clear()


def test_old_track_is_kept_by_the_tiles_that_replace_it() -> None:
    """1830/L-7 — each upgrade named in the facts keeps the old track in some rotation."""
    printed = title("1830")
    for tile in printed.tiles.values():
        for name in tile.upgrades:
            new = printed.tiles[name]
            turned = [kept(tile.at(0), new.at(rotation)) for rotation in range(6)]
            assert any(one is not None for one in turned), (tile.id, name)


def test_track_never_points_where_no_track_may_go() -> None:
    """1830/L-5 — the impassable sides, the edge of the map, grey and red sides without track."""
    hexes = title("1830").hexes
    for one, other in (("E7", "F8"), ("C11", "D12"), ("C13", "D12"), ("B16", "C17")):
        assert hexes[other] not in hexes[one].neighbors
        assert hexes[one] not in hexes[other].neighbors
    for hexagon in hexes.values():
        for edge, beyond in enumerate(hexagon.neighbors):
            if beyond is not None:
                assert beyond.neighbors[(edge + 3) % 6] is hexagon
                assert not beyond.fixed or (edge + 3) % 6 in beyond.printed.edges
