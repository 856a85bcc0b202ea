"""Reading a title's facts (`facts-18xx/1`, see `titles/1830.json`) into frozen values.

Keys that nobody reads are refused, so that nothing printed on a map, a tile or a card is silently
ignored: a title whose facts name a mechanism this engine lacks does not load.
"""

from __future__ import annotations

import json
from collections.abc import Mapping
from dataclasses import replace
from functools import cache
from pathlib import Path
from typing import Any

from .errors import MalformedAction
from .title import (
    FIGF,
    PRESETS,
    Cell,
    Company,
    End,
    FreeShare,
    FreeToken,
    Hex,
    Node,
    Phase,
    Private,
    ShareExchange,
    Tile,
    TileLay,
    Title,
    Train,
)

FOLDER = Path(__file__).parent / "titles"
# What a facts file may say beside what is read: words for people, and other titles' mechanisms.
NOTES = {
    *("note", "notes", "other_names", "sources_spelling", "color", "printed_name", "joined_edges"),
    *("count_printed", "power", "power_kind", "home_choice", "revenue", "label", "permanent"),
}


class FactsError(ValueError):
    """A facts file says something that this engine does not know how to read."""


def _read(what: str, facts: Mapping[str, Any], needed: str, allowed: str = "") -> None:
    """Refuse `facts` that lack a needed key or have one that nobody reads."""
    missing = set(needed.split()) - facts.keys()
    unknown = facts.keys() - set(needed.split()) - set(allowed.split()) - NOTES
    if missing or unknown:
        raise FactsError(f"{what}: missing {sorted(missing)}, unknown {sorted(unknown)}")


def _node(facts: Mapping[str, Any], phases: tuple[str, ...]) -> Node:
    _read("node", facts, "type", "slots revenue terminal group secondary_of_group")
    revenue = facts.get("revenue")
    if isinstance(revenue, dict):
        _read("revenue", revenue, "by_phase", "printed_steps")
        values = {phase: revenue["by_phase"][phase] for phase in phases}
    else:
        values = dict.fromkeys(phases, revenue or 0)
    return Node(
        kind=facts["type"],
        slots=facts.get("slots", 0),
        values=values,
        terminal=bool(facts.get("terminal")) or facts["type"] == "offboard",
        group=facts.get("group"),
    )


def _paths(facts: list[Mapping[str, Any]]) -> tuple[tuple[End, End], ...]:
    ends: list[tuple[End, End]] = []
    for path in facts:
        _read("path", path, "a b")
        a, b = (
            End(end) if isinstance(end, int) else End(~int(end.removeprefix("n")))
            for end in (path["a"], path["b"])
        )
        ends.append((a, b))
    return tuple(ends)


def _tile(facts: Mapping[str, Any], phases: tuple[str, ...]) -> Tile:
    _read("tile", facts, "id color count nodes paths label exits distinct_rotations upgrades_to")
    for upgrade in facts["upgrades_to"]:
        _read("upgrade", upgrade, "to")
    return Tile(
        id=facts["id"],
        colour=facts["color"],
        count=facts["count"],
        nodes=tuple(_node(node, phases) for node in facts["nodes"]),
        paths=_paths(facts["paths"]),
        label=facts["label"],
        rotations=facts["distinct_rotations"],
        upgrades=tuple(upgrade["to"] for upgrade in facts["upgrades_to"]),
    )


def _hexes(facts: Mapping[str, Any], delta: Any, phases: tuple[str, ...]) -> dict[str, Hex]:
    _read("map", facts, "hexes single_location_groups borders hex_count")
    hexes: dict[str, Hex] = {}
    impassable: dict[str, set[int]] = {}
    for number, one in enumerate(facts["hexes"]):
        _read(
            "hex",
            one,
            "id x y name terrain nodes paths impassable_edges neighbors first_tiles fixed",
            "home_of blocked_by_private future_label",
        )
        terrain = one["terrain"] or {"kind": None, "cost": 0}
        _read("terrain", terrain, "kind cost")
        printed = Tile(
            id=one["id"],
            colour=one["color"],
            count=0,
            nodes=tuple(_node(node, phases) for node in one["nodes"]),
            paths=_paths(one["paths"]),
            label=one.get("label"),
            rotations=1,
        )
        hexes[one["id"]] = Hex(
            id=one["id"],
            x=one["x"],
            y=one["y"],
            name=one["name"],
            colour=one["color"],
            fixed=one["fixed"],
            cost=terrain["cost"],
            terrain=terrain["kind"],
            first_tiles=frozenset(one["first_tiles"]),
            printed=printed.at(0),
            base=number * 6,
            sides=tuple(1 << (number * 6 + edge) for edge in range(6)),
            blocked_by=tuple(one.get("blocked_by_private", ())),
            homes=tuple((home["corporation"], home["node"]) for home in one.get("home_of", ())),
        )
        impassable[one["id"]] = set(one["impassable_edges"])
    if len(hexes) != facts["hex_count"]:
        raise FactsError(f"map: {len(hexes)} hexes, not {facts['hex_count']}")
    at = {(hexagon.x, hexagon.y): hexagon for hexagon in hexes.values()}
    for hexagon in hexes.values():
        around: list[Hex | None] = []
        for edge, (dx, dy) in enumerate(delta):
            other = at.get((hexagon.x + dx, hexagon.y + dy))
            if other and (
                edge in impassable[hexagon.id]
                or (other.fixed and (edge + 3) % 6 not in other.printed.edges)
                or (hexagon.fixed and edge not in hexagon.printed.edges)
            ):
                other = None
            around.append(other)
        hexagon.neighbors = tuple(around)
    return hexes


def _cells(facts: Mapping[str, Any]) -> tuple[Cell, ...]:
    _read("market", facts, "kind rows cells zones operating_order par_prices move_semantics")
    number = {(cell["row"], cell["col"]): n for n, cell in enumerate(facts["cells"])}
    cells = []
    for n, cell in enumerate(facts["cells"]):
        _read("cell", cell, "row col price zones moves", "par")
        moves = {way: number[tuple(to)] for way, to in cell["moves"].items()}
        zones = set(cell["zones"])
        if zones - {"yellow", "orange", "brown"} or len(zones) > 1:
            raise FactsError(f"cell {cell['row']},{cell['col']}: zones {sorted(zones)}")
        cells.append(
            Cell(
                n,
                cell["row"],
                cell["col"],
                cell["price"],
                next(iter(zones), None),
                "par" in cell,
                **moves,
            )
        )
    return tuple(cells)


def _private(facts: Mapping[str, Any]) -> Private:
    _read(
        "private",
        facts,
        "id name face blocked_hexes sellable_to_corporation",
        "corporation_price tile_lay token exchange free_share closes_on",
    )
    lay, token, share = (facts.get(key) for key in ("tile_lay", "token", "free_share"))
    exchange, closes = facts.get("exchange"), facts.get("closes_on")
    return Private(
        id=facts["id"],
        name=facts["name"],
        face=facts["face"],
        revenue=facts["revenue"],
        blocks=tuple(facts["blocked_hexes"]),
        corporation_price=(
            tuple(facts["corporation_price"]) if facts["sellable_to_corporation"] else None
        ),
        tile_lay=lay
        and TileLay(lay["hexes"][0], frozenset(lay["tiles"]), not lay["counts_as_normal_lay"]),
        token=token and FreeToken(token["hexes"][0]),
        exchange=exchange and ShareExchange(exchange["corporation"]),
        free_share=share and FreeShare(share["corporation"], bool(share.get("president"))),
        closes_with=closes and closes["corporation"],
    )


def _company(facts: Mapping[str, Any]) -> Company:
    _read(
        "corporation", facts, "id name certificates float_percent tokens home holding_limit_percent"
    )
    if facts["certificates"] != [20] + [10] * 8:
        raise FactsError(f"{facts['id']}: certificates {facts['certificates']}")
    return Company(
        id=facts["id"],
        name=facts["name"],
        colour=facts.get("color"),
        tokens=tuple(facts["tokens"]),
        home=facts["home"]["hex"],
        home_city=facts["home"]["node"],
        float_percent=facts["float_percent"],
        holding_limit=facts["holding_limit_percent"],
    )


def _train(facts: Mapping[str, Any], beside_from: int | None) -> Train:
    _read("train", facts, "id price count reach rusts_on available", "trade_in")
    return Train(
        id=facts["id"],
        price=facts["price"],
        count=facts["count"],
        reach=facts["reach"].get("value"),
        rusts_on=facts["rusts_on"],
        beside_from=beside_from,
        trade_in=(facts.get("trade_in") or {}).get("off", {}),
        permanent=facts["permanent"],
    )


TITLES = {
    # title → which train goes on sale beside another, and the order in which the peer lists the
    # corporations (nothing but the order of discards under the 18xx.games preset hangs on it)
    "1830": ({"D": "6"}, ("PRR", "NYC", "CPR", "B&O", "C&O", "ERIE", "NYNH", "B&M")),
}


def title(name: str, preset: str = "figf", options: Mapping[str, Any] | None = None) -> Title:
    """The title `name` under a preset ("figf" or "18xx"), with some switches set otherwise.

    Raises `MalformedAction` if the title, the preset or an option does not exist.
    """
    if name not in TITLES:
        raise MalformedAction("title", name, "a title that has an engine")
    if preset not in PRESETS:
        raise MalformedAction("preset", preset, " or ".join(PRESETS))
    options = dict(options or {})
    switches = PRESETS[preset].with_options(options)
    printed = load(name)
    six, diesel = printed.trains["6"], printed.trains["D"]
    counted = {
        "6": replace(six, count=(six.count or 0) + switches.third_six),
        "D": replace(diesel, count=switches.diesels),
    }
    return replace(
        printed,
        preset=preset,
        options=options,
        switches=switches,
        trains={**printed.trains, **counted},
    )


@cache
def load(name: str) -> Title:
    """What is printed of a title, read once; its switches are the federation's until `title` sets
    them. Raises `FactsError` for facts that this engine cannot read."""
    facts = json.loads((FOLDER / f"{name}.json").read_text(encoding="utf-8"))
    beside, listed = TITLES[name]
    _read(
        name,
        facts,
        "schema title grid setup auction map tiles market phases trains privates corporations",
        "subtitle designer editions min_players max_players currency setting provenance"
        " tile_totals params end_of_game rules variants open_questions",
    )
    if facts["schema"] != "facts-18xx/1":
        raise FactsError(f"schema {facts['schema']}")
    phase_ids = tuple(phase["id"] for phase in facts["phases"])
    begun_by = {phase["trigger_train"]: n for n, phase in enumerate(facts["phases"])}
    cells = _cells(facts["market"])
    companies = {one["id"]: _company(one) for one in facts["corporations"]}
    return Title(
        name=name,
        preset="figf",
        options={},
        switches=FIGF,
        bank=facts["setup"]["bank"],
        seats={
            int(n): (seat["cash"], seat["cert_limit"])
            for n, seat in facts["setup"]["players"].items()
        },
        hexes=_hexes(facts["map"], facts["grid"]["delta_xy"], phase_ids),
        tiles={one["id"]: _tile(one, phase_ids) for one in facts["tiles"]},
        cells=cells,
        par_cells={cell.price: cell.number for cell in cells if cell.par},
        phases=tuple(
            Phase(
                number=n,
                id=phase["id"],
                trigger=phase["trigger_train"],
                limit=phase["train_limit"],
                colours=frozenset(phase["tile_colors"]),
                rounds=phase["operating_rounds"],
                privates_for_corporations=phase["privates"] == "saleable to corporations",
                privates_closed=phase["privates"] == "closed",
            )
            for n, phase in enumerate(facts["phases"])
        ),
        trains={
            one["id"]: _train(one, begun_by[beside[one["id"]]] if one["id"] in beside else None)
            for one in facts["trains"]
        },
        privates={one["id"]: _private(one) for one in facts["privates"]},
        companies={symbol: companies[symbol] for symbol in listed},
        pointy=facts["grid"]["orientation"] == "pointy_top",
        borders=tuple(tuple(pair) for pair in facts["map"]["borders"]),
    )
