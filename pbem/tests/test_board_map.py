"""The map as it is drawn, beside the facts and beside geometry worked out here anew."""

from __future__ import annotations

import json
import re
from collections import Counter
from collections.abc import Iterator
from math import hypot, isclose, sqrt
from pathlib import Path
from typing import Any
from xml.etree import ElementTree as ET

import pytest
from django.conf import settings
from django.utils import translation

from pbem.board import map as drawn
from pbem.board.layout import layout
from pbem.board.liveries import PLATES
from pbem.board.map import Marks
from pbem.board.ribbons import Ribbon
from pbem.board.sheet import sheet
from pbem.engine import start
from pbem.engine.actions import LayTile
from pbem.engine.facts import FOLDER
from pbem.engine.interchange import load, replay
from pbem.engine.notation import digest
from pbem.engine.state import State

from .our_games import FOLDER as GAMES

OURS = sorted(GAMES.glob("*.json"))
TITLES = ("1830", "1849", "1856", "1870")
STEP = {  # by orientation, how far apart two hexes lie for one of x and one of y
    "pointy_top": (50.0, 50 * sqrt(3)),
    "flat_top": (50 * sqrt(3), 50.0),
}


@pytest.fixture(autouse=True)
def in_english() -> Iterator[None]:
    with translation.override("en"):
        yield


def facts(title: str) -> dict[str, Any]:
    found: dict[str, Any] = json.loads((FOLDER / f"{title}.json").read_text(encoding="utf-8"))
    return found


def hexes(title: str) -> dict[str, dict[str, Any]]:
    return {one["id"]: one for one in facts(title)["map"]["hexes"]}


def parsed(picture: str) -> ET.Element:
    return ET.fromstring(picture)


def groups(picture: str) -> dict[str, ET.Element]:
    found = [one for one in parsed(picture).iter("g") if "data-hex" in one.attrib]
    assert len({one.attrib["data-hex"] for one in found}) == len(found)
    return {one.attrib["data-hex"]: one for one in found}


def texts(group: ET.Element, kind: str | None = None) -> list[str]:
    return [
        one.text or ""
        for one in group.iter("text")
        if kind is None or kind in one.attrib["class"].split()
    ]


def classes(group: ET.Element) -> Counter[str]:
    return Counter(name for one in group.iter() for name in one.attrib.get("class", "").split())


def begun() -> State:
    return start("1830", ["anna", "bruno", "carla"]).state


def lay(state: State, hex_id: str, tile: str, rotation: int) -> None:
    state.board[hex_id] = state.title.tiles[tile].at(rotation)


def station(state: State, symbol: str, hex_id: str, city: int) -> None:
    held = state.stations.get((hex_id, city), ())
    state.stations[hex_id, city] = tuple(sorted((*held, symbol)))
    state.corporations[symbol].tokens.append((hex_id, city))


# --- what is drawn of the facts -------------------------------------------------------------------


@pytest.mark.parametrize("title", TITLES)
def test_every_hex_is_drawn_once(title: str) -> None:
    assert list(groups(drawn.empty(title))) == list(hexes(title))


@pytest.mark.parametrize("title", TITLES)
def test_every_hex_lies_where_its_coordinates_say(title: str) -> None:
    wide, high = STEP[facts(title)["grid"]["orientation"]]
    printed = hexes(title)
    for hex_id, group in groups(drawn.empty(title)).items():
        x, y = map(float, re.findall(r"-?[\d.]+", group.attrib["transform"]))
        assert isclose(x, printed[hex_id]["x"] * wide, abs_tol=0.06)
        assert isclose(y, printed[hex_id]["y"] * high, abs_tol=0.06)


def test_the_lower_case_row_lies_above_a() -> None:
    found = groups(drawn.empty("1849"))
    assert texts(found["a12"], "id") == ["a12"]
    above, below = (
        float(found[one].attrib["transform"].split()[1].strip(")")) for one in ("a12", "A13")
    )
    assert above == below - 50  # flat hexes: half a hex higher


@pytest.mark.parametrize("title", TITLES)
def test_every_value_slot_name_cost_and_label_is_drawn(title: str) -> None:
    printed, found = hexes(title), groups(drawn.empty(title))
    for hex_id, one in printed.items():
        group = found[hex_id]
        shown = [node for node in one["nodes"] if not node.get("secondary_of_group")]
        values = []
        for node in shown:
            revenue = node["revenue"]
            if isinstance(revenue, dict):
                values += [str(value) for value in revenue["printed_steps"].values()]
            elif revenue:
                values.append(str(revenue))
        assert [*texts(group, "value-of"), *texts(group, "step-of")] == values
        count = classes(group)
        assert count["slot"] + count["berth"] == sum(node.get("slots", 0) for node in one["nodes"])
        if one["name"] and (shown or not one["nodes"]):
            assert " ".join(texts(group, "name")) == one["name"]
        else:
            assert not texts(group, "name")
        cost = (one["terrain"] or {"cost": 0})["cost"]
        assert texts(group, "cost") == ([str(cost)] if cost else [])
        assert texts(group, "label") == ([one["label"]] if one.get("label") else [])
        assert texts(group, "home-of") == [home["corporation"] for home in one.get("home_of", ())]
        blocked = one.get("blocked_by_private", [])
        assert texts(group, "block") == (["+".join(blocked)] if blocked else [])
        assert " ".join(texts(group, "goal")).split() == one.get("destination_of", [])
        port = one.get("port") or any(node.get("optional_stop") for node in one["nodes"])
        assert count["port-sign"] == bool(port)
        coming = [one["future_label"]["label"]] if "future_label" in one else []
        assert texts(group, "future") == coming
        chosen = [
            who["id"]
            for who in facts(title)["corporations"]
            if hex_id in who.get("home_options", ())
        ]
        assert texts(group, "option") == chosen


@pytest.mark.parametrize("title", TITLES)
def test_printed_tiles_have_the_dots_of_their_colour_too(title: str) -> None:
    found = groups(drawn.empty(title))
    for hex_id, one in hexes(title).items():
        pips = [
            part.attrib["d"].count("M")
            for part in found[hex_id].iter("path")
            if part.attrib.get("class") == "pip"
        ]
        if "future_label" in one:
            pips.remove({"green": 2, "brown": 3, "gray": 4}[one["future_label"]["color"]])
        assert pips == {"yellow": [1], "gray": [4]}.get(one["color"], [])


@pytest.mark.parametrize("title", TITLES)
def test_no_text_lies_on_its_own_sign(title: str) -> None:
    """Signs reach 6 from their middle; letters are wider than a fifth of their height."""
    seen = 0
    for group in groups(drawn.empty(title)).values():
        for kind, size in (("cost", 11.5), ("block", 10), ("goal", 10), ("option", 10)):
            rows = [one for one in group.iter("text") if one.attrib["class"] == kind]
            signs = [one for one in group.iter("path") if one.attrib["class"] == f"{kind}-sign"]
            for row in rows:
                left = float(row.attrib["x"]) - len(row.text or "") * 0.2 * size
                at = float(re.findall(r"-?[\d.]+", signs[0].attrib["transform"])[0])
                assert left - at > {"cost": 6, "block": 4.5, "goal": 4.5, "option": 5}[kind] + 1.5
                seen += 1
    assert seen


@pytest.mark.parametrize("title", TITLES)
def test_no_value_hides_where_a_run_ends(title: str) -> None:
    for hex_id, group in groups(drawn.empty(title)).items():
        boxes = [one for one in group.iter("rect") if "step" in one.attrib["class"].split()]
        for line in layout(title, hex_id, "", 0).lines:
            if not line.tapering:
                continue
            for share in (0, 0.25, 0.5, 0.75):
                x, y = line.curve.at(share)
                for box in boxes:
                    left, top, wide, high = (
                        float(box.attrib[one]) for one in ("x", "y", "width", "height")
                    )
                    assert not (left <= x <= left + wide and top <= y <= top + high), hex_id


@pytest.mark.parametrize("title", TITLES)
def test_every_impassable_side_is_a_thick_line(title: str) -> None:
    sides = sum(len(one["impassable_edges"]) for one in hexes(title).values())
    walls = [
        one for one in parsed(drawn.empty(title)).iter("path") if one.attrib.get("class") == "wall"
    ]
    assert sum(one.attrib["d"].count("M") for one in walls) == sides
    assert sides == 2 * len(facts(title)["map"]["borders"])


def test_a_wall_lies_between_its_two_hexes() -> None:
    """B16–C17: the middle of the line is the middle between the hexes at (15, 1) and (16, 2)."""
    (wall,) = (
        one for one in parsed(drawn.empty("1830")).iter("path") if one.attrib.get("class") == "wall"
    )
    middles = []
    for part in wall.attrib["d"].split("M")[1:]:
        ax, ay, bx, by = map(float, re.findall(r"-?[\d.]+", part))
        middles.append(((ax + bx) / 2, (ay + by) / 2))
    expected = (15.5 * 50, 1.5 * 50 * sqrt(3))
    assert sum(1 for x, y in middles if hypot(x - expected[0], y - expected[1]) < 0.1) == 2


@pytest.mark.parametrize("title", TITLES)
def test_every_river_runs_between_its_banks(title: str) -> None:
    """The corner after edge e is where e and e + 1 meet: a river joins those where banks part."""
    told = facts(title)
    wide, high = STEP[told["grid"]["orientation"]]
    deltas = [(x * wide, y * high) for x, y in told["grid"]["delta_xy"]]
    for hex_id, one in hexes(title).items():
        river = layout(title, hex_id, "", 0).river
        assert (river is not None) == ("river" in one)
        if river is None:
            continue
        bank = set(one["river"]["banks"][0])
        parting = [edge for edge in range(6) if (edge in bank) != ((edge + 1) % 6 in bank)]
        corners = [
            tuple((deltas[e][axis] + deltas[(e + 1) % 6][axis]) / 3 for axis in (0, 1))
            for e in parting
        ]
        for corner, end in zip(corners, (river[0], river[2]), strict=True):
            assert hypot(corner[0] - end[0], corner[1] - end[1]) < 0.01


def test_what_is_of_a_city_stands_on_its_bank() -> None:
    """1870 — both towns of A16 west of the river; the GMO's flag on the side of St. Louis."""
    plan = layout("1870", "A16", "", 0)
    assert plan.river is not None
    (ax, ay), (bx, by), (cx, cy) = plan.river
    stream = [
        (
            (1 - t) ** 2 * ax + 2 * t * (1 - t) * bx + t * t * cx,
            (1 - t) ** 2 * ay + 2 * t * (1 - t) * by + t * t * cy,
        )
        for t in (n / 20 for n in range(21))
    ]
    for site in plan.sites:
        x, y = min(stream, key=lambda point: hypot(point[0] - site.at[0], point[1] - site.at[1]))
        assert hypot(x - site.at[0], y - site.at[1]) > 8 + 5
        assert site.at[0] < x
    x, y = layout("1870", "C18", "", 0).spots["destination"]
    assert x < 0  # the river goes round the city by the north and the east
    assert y > -29


@pytest.mark.parametrize("title", TITLES)
def test_the_steps_of_an_area_are_those_of_its_phases(title: str) -> None:
    """`printed_steps` name the boxes; which one is in force follows from the value by phase."""
    told = facts(title)
    for one in told["map"]["hexes"]:
        for node, mine in zip(
            one["nodes"], sheet(title).places[one["id"]].printed.nodes, strict=True
        ):
            if isinstance(node["revenue"], dict):
                steps = list(node["revenue"]["printed_steps"].values())
                for phase, value in node["revenue"]["by_phase"].items():
                    now = mine.step(phase)
                    assert now is not None
                    assert steps[now] == value


# --- track ----------------------------------------------------------------------------------------


@pytest.mark.parametrize("title", TITLES)
def test_track_ends_in_the_middle_of_its_sides_and_meets_them_squarely(title: str) -> None:
    """The middle of a side is halfway to the neighbour's middle, by the doubled coordinates."""
    told = facts(title)
    wide, high = STEP[told["grid"]["orientation"]]
    middles = [(x * wide / 2, y * high / 2) for x, y in told["grid"]["delta_xy"]]
    hex_id = next(one["id"] for one in told["map"]["hexes"] if one["color"] == "white")
    for tile in told["tiles"]:
        for rotation in range(6):
            lines = layout(title, hex_id, tile["id"], rotation).lines
            assert len(lines) == len(tile["paths"])
            for path, line in zip(tile["paths"], lines, strict=True):
                ends = ((path["a"], 0.0), (path["b"], 1.0))
                for end, share in ends:
                    if not isinstance(end, int):
                        continue
                    x, y = middles[(end + rotation) % 6]
                    found = line.curve.at(share)
                    assert hypot(found[0] - x, found[1] - y) < 0.01
                    dx, dy = line.curve.heading(share)
                    inward = -(dx * x + dy * y) / 50 * (1 if share == 0 else -1)
                    plain = isinstance(path["b"], int) or len(tile["nodes"]) == 1
                    assert inward > (0.999 if plain else 0.85), (tile["id"], rotation, end)


@pytest.mark.parametrize("title", TITLES)
def test_printed_track_ends_in_the_middle_of_its_sides(title: str) -> None:
    told = facts(title)
    wide, high = STEP[told["grid"]["orientation"]]
    middles = [(x * wide / 2, y * high / 2) for x, y in told["grid"]["delta_xy"]]
    for one in told["map"]["hexes"]:
        lines = layout(title, one["id"], "", 0).lines
        for path, line in zip(one["paths"], lines, strict=True):
            for end, share in ((path["a"], 0.0), (path["b"], 1.0)):
                if isinstance(end, int):
                    found = line.curve.at(share)
                    assert hypot(found[0] - middles[end][0], found[1] - middles[end][1]) < 0.01
            assert line.gauge == path.get("gauge", "standard")


@pytest.mark.parametrize("title", TITLES)
def test_cities_and_towns_keep_clear_of_one_another_and_inside(title: str) -> None:
    told = facts(title)
    hex_id = next(one["id"] for one in told["map"]["hexes"] if one["color"] == "white")
    boards = [(one["id"], "", 0) for one in told["map"]["hexes"]]
    boards += [(hex_id, tile["id"], turn) for tile in told["tiles"] for turn in range(6)]
    for hexagon, tile, rotation in boards:
        plan = layout(title, hexagon, tile, rotation)
        slots = [(slot, n) for n, site in enumerate(plan.sites) for slot in site.slots]
        for number, ((x, y), n) in enumerate(slots):
            assert hypot(x, y) <= 41  # with its radius of 15 still inside
            for (ox, oy), m in slots[number + 1 :]:
                assert hypot(x - ox, y - oy) >= (29.9 if n != m else 30.9)
        towns = [site.at for site in plan.sites if site.kind == "town"]
        for n, (x, y) in enumerate(towns):
            for ox, oy in towns[n + 1 :]:
                assert hypot(x - ox, y - oy) >= 20


def test_a_track_passes_by_altoona() -> None:
    """H12: west and east are joined to the city, and to one another round it."""
    plan = layout("1830", "H12", "", 0)
    assert [(line.a, line.b) for line in plan.lines] == [(1, "n0"), (4, "n0"), (1, 4)]
    x, y = plan.lines[2].curve.at(0.5)
    assert x == pytest.approx(0, abs=0.01)
    assert abs(y) > 15  # the radius of the city


def test_a_sharp_curve_turns_about_its_corner_and_a_gentle_one_about_the_neighbour() -> None:
    """Tile 7 = 0–1, 8 = 0–2: radii of half and of one and a half sides of 57.735."""
    sharp = layout("1830", "H8", "7", 0).lines[0].curve
    gentle = layout("1830", "H8", "8", 0).lines[0].curve
    straight = layout("1830", "H8", "9", 0).lines[0].curve
    assert sharp.radius == pytest.approx(57.735 / 2, abs=0.001)
    assert gentle.radius == pytest.approx(57.735 * 1.5, abs=0.001)
    assert gentle.centre == pytest.approx((-100, 0), abs=0.01)  # the hex to the west, over edge 1
    assert straight.centre is None


# --- a position -----------------------------------------------------------------------------------


def test_a_tile_laid_shows_its_number_dots_value_and_track() -> None:
    """57 on H10 turned once: from west, edge 1, to east, edge 4; no cost, the name still there."""
    state = begun()
    lay(state, "H10", "57", 1)
    picture = drawn.svg(state)
    group = groups(picture)["H10"]
    assert texts(group, "id") == ["H10", "57"]
    assert texts(group, "value-of") == ["20"]
    assert texts(group, "name") == ["Pittsburgh"]
    (pips,) = (one for one in group.iter("path") if one.attrib.get("class") == "pip")
    assert pips.attrib["d"].count("M") == 1  # yellow
    (rail,) = (
        one.attrib["d"] for one in parsed(picture).iter("path") if one.attrib.get("class") == "rail"
    )
    y = "606.2"  # seven rows of 86.6025
    assert f"M400 {y}L450 {y}M500 {y}L450 {y}" in rail


@pytest.mark.parametrize(
    ("tile", "dots"), [("57", 1), ("14", 2), ("63", 3)], ids=["yellow", "green", "brown"]
)
def test_colours_of_tiles_are_told_by_dots(tile: str, dots: int) -> None:
    state = begun()
    lay(state, "H10", tile, 1)
    (pips,) = (
        one
        for one in groups(drawn.svg(state))["H10"].iter("path")
        if one.attrib.get("class") == "pip"
    )
    assert pips.attrib["d"].count("M") == dots


def test_terrain_is_shown_until_a_tile_is_laid() -> None:
    """1830/L-9 — the terrain is paid with the first tile."""
    state = begun()
    assert texts(groups(drawn.svg(state))["F16"], "cost") == ["120"]
    lay(state, "F16", "57", 0)
    assert texts(groups(drawn.svg(state))["F16"], "cost") == []


def test_a_token_stands_in_its_city_in_its_colour() -> None:
    state = begun()
    assert texts(groups(drawn.svg(state))["H12"], "home-of") == ["PRR"]
    station(state, "PRR", "H12", 0)
    group = groups(drawn.svg(state))["H12"]
    assert texts(group, "home-of") == []
    assert texts(group, "p") == ["PRR"]
    disc = next(one for one in group.iter("circle") if one.attrib.get("fill"))
    assert disc.attrib["fill"] == PLATES["green"]
    assert (disc.attrib["cx"], disc.attrib["cy"]) == ("0", "0")


def test_two_tokens_stand_side_by_side() -> None:
    state = begun()
    lay(state, "H10", "14", 0)
    station(state, "PRR", "H10", 0)
    station(state, "B&O", "H10", 0)
    discs = [
        (one.attrib["cx"], one.attrib["cy"])
        for one in groups(drawn.svg(state))["H10"].iter("circle")
        if one.attrib.get("fill")
    ]
    assert discs == [("-15.5", "0"), ("15.5", "0")]


def test_a_token_without_a_city_stands_beside_the_cities() -> None:
    """1830/F-2 — the ERIE's, until tile 59 lies on E11 and its city is chosen."""
    state = begun()
    station(state, "ERIE", "E11", -1)
    group = groups(drawn.svg(state))["E11"]
    assert texts(group, "p") == ["ERIE"]
    disc = next(one for one in group.iter("circle") if one.attrib.get("fill"))
    at = float(disc.attrib["cx"]), float(disc.attrib["cy"])
    for slot in (one for one in group.iter("circle") if one.attrib.get("class") == "slot"):
        assert hypot(at[0] - float(slot.attrib["cx"]), at[1] - float(slot.attrib["cy"])) > 20


@pytest.mark.parametrize(("phase", "now"), [(0, 0), (2, 0), (3, 1), (5, 1)])
def test_the_value_in_force_is_framed(phase: int, now: int) -> None:
    """1830/R-8 — Chicago: 40 in phases 2 to 4, 70 from phase 5."""
    state = begun()
    state.phase = phase
    group = groups(drawn.svg(state))["F2"]
    boxes = [one for one in group.iter("rect") if "step" in one.attrib["class"].split()]
    (frame,) = (one for one in group.iter("rect") if one.attrib["class"] == "force")
    assert texts(group, "step-of") == ["40", "70"]
    assert frame.attrib["x"] == boxes[now].attrib["x"]
    assert texts(group, "now-of") == [["40", "70"][now]]


def test_a_private_blocks_until_a_corporation_has_it() -> None:
    """1830/L-10, V-6."""
    state = begun()
    assert texts(groups(drawn.svg(state))["G15"], "block") == ["SV"]
    state.unsold.remove("SV")
    state.owners["SV"] = "anna"
    assert texts(groups(drawn.svg(state))["G15"], "block") == ["SV"]
    state.owners["SV"] = "PRR"
    assert texts(groups(drawn.svg(state))["G15"], "block") == []
    del state.owners["SV"]
    assert texts(groups(drawn.svg(state))["G15"], "block") == []


def test_drawing_changes_nothing_and_says_the_same_twice() -> None:
    state = begun()
    before = digest(state)
    assert drawn.svg(state) == drawn.svg(state)
    assert digest(state) == before


@pytest.mark.parametrize("title", TITLES)
def test_the_picture_is_plain(title: str) -> None:
    """No style that the policy would block, no id that a second map would repeat, not too long."""
    picture = drawn.empty(title)
    for one in parsed(picture).iter():
        assert not {"style", "id", "onclick"} & one.attrib.keys()
    assert len(picture) < 120_000
    assert parsed(picture).attrib["role"] == "img"
    assert title in parsed(picture).attrib["aria-label"]
    (inside,) = parsed(picture)
    assert inside.attrib == {"aria-hidden": "true"}  # one image, not three hundred words


@pytest.mark.parametrize("path", OURS, ids=lambda path: path.stem)
def test_every_position_of_our_games_can_be_drawn(path: Path) -> None:
    """At each hundredth action: each token and each laid tile is there."""
    for number, (_entry, game) in enumerate(replay(load(path.read_bytes()))):
        if number % 100:
            continue
        found = groups(drawn.svg(game.state))
        tokens = Counter(
            (hex_id, symbol) for (hex_id, _), held in game.state.stations.items() for symbol in held
        )
        shown = Counter((hex_id, one) for hex_id in found for one in texts(found[hex_id], "p"))
        assert shown == tokens
        for hex_id, laid in game.state.board.items():
            numbers = [laid.tile.id] if laid.tile.count else []
            assert texts(found[hex_id], "id") == [hex_id, *numbers]


# --- marks ----------------------------------------------------------------------------------------


def through() -> State:
    """PRR at H12 and H10, joined by tile 57; H8 and H6 lead on to the west."""
    state = begun()
    lay(state, "H10", "57", 1)
    lay(state, "H14", "9", 1)
    lay(state, "H16", "57", 1)
    station(state, "PRR", "H12", 0)
    return state


def test_a_run_is_a_ribbon_with_its_number_and_the_values_it_counts() -> None:
    state = through()
    run = Ribbon("3", (("H10", "H12"), ("H12", "H14", "H16")), 50)
    picture = parsed(drawn.svg(state, Marks(runs=(run,))))
    (ribbon,) = (one for one in picture.iter("path") if one.attrib.get("class") == "run run-0")
    assert ribbon.attrib["d"].count("M") == 2  # a leg each
    assert sorted(texts(picture, "counted-of")) == ["10", "20", "20"]
    assert texts(picture, "end-of") == ["1"]
    told = [one.text for one in picture.iter("title")]
    assert "Run 1, 3-train: 50" in told


def test_a_ribbon_follows_the_track() -> None:
    """From the middle of H10 to that of H12, then on to that of H16: 450, 550 and 750 across."""
    run = Ribbon("3", (("H10", "H12"), ("H12", "H14", "H16")), 50)
    picture = parsed(drawn.svg(through(), Marks(runs=(run,))))
    (ribbon,) = (one for one in picture.iter("path") if one.attrib.get("class") == "run run-0")
    y = "606.2"
    assert ribbon.attrib["d"] == (f"M450 {y}L500 {y}L550 {y}M550 {y}L600 {y}L700 {y}L750 {y}")


def test_a_run_that_passes_altoona_by_goes_round_it() -> None:
    run = Ribbon("2", (("H10", "H12", "H14", "H16"),), 40)
    picture = parsed(drawn.svg(through(), Marks(runs=(run,))))
    (ribbon,) = (one for one in picture.iter("path") if one.attrib.get("class") == "run run-0")
    assert "A" in ribbon.attrib["d"]
    assert sorted(texts(picture, "counted-of")) == ["20", "20"]


@pytest.mark.parametrize("back", [False, True], ids=["same way", "other way"])
def test_ribbons_on_the_same_track_lie_side_by_side(*, back: bool) -> None:
    legs = (("H10", "H12"),)
    other = (("H12", "H10"),) if back else legs
    runs = (Ribbon("2", legs, 30), Ribbon("2", other, 30))
    picture = parsed(drawn.svg(through(), Marks(runs=runs)))
    heights = []
    for n in (0, 1):
        (path,) = (
            one.attrib["d"]
            for one in picture.iter("path")
            if one.attrib.get("class") == f"run run-{n}"
        )
        ys = {y for _x, y in re.findall(r"[ML](-?[\d.]+) (-?[\d.]+)", path)}
        assert len(ys) == 1
        heights.append(float(ys.pop()))
    assert abs(heights[0] - heights[1]) == pytest.approx(9, abs=0.11)
    assert sum(heights) / 2 == pytest.approx(606.2, abs=0.11)


def test_a_leg_without_track_is_left_out() -> None:
    run = Ribbon("2", (("H10", "H8"), ("H2", "H4")), 0)
    picture = parsed(drawn.svg(through(), Marks(runs=(run,))))
    assert texts(picture, "counted-of") == []


def test_legal_lays_changed_hexes_and_the_proposed_tile_each_have_their_form() -> None:
    marks = Marks(
        lays={"H8": "+20", "I9": ""},
        changed=frozenset({"H10", "H14"}),
        proposed=LayTile("PRR", "I11", "8", 0),
    )
    picture = parsed(drawn.svg(through(), marks))
    assert picture.attrib["aria-label"] == (
        "Map of 1830, phase 2. Proposed: tile 8 on I11. Tiles may be laid on: H8 +20, I9."
        " Changed: H10, H14. Hex by hex: see The map in words, below it."
    )
    count = classes(picture)
    assert (count["lay"], count["changed"], count["proposed"]) == (2, 2, 1)
    assert texts(picture, "note-of") == ["+20"]
    group = next(one for one in picture.iter("g") if one.attrib.get("data-hex") == "I11")
    assert texts(group, "id") == ["I11", "8"]
    assert texts(group, "cost") == []


def test_the_proposed_tile_takes_its_tokens_along() -> None:
    """1830/L-11 — 57 with a token becomes 14: the token is in its city."""
    state = through()
    station(state, "B&O", "H10", 0)
    marks = Marks(proposed=LayTile("PRR", "H10", "14", 1))
    picture = drawn.svg(state, marks)
    group = groups(picture)["H10"]
    assert texts(group, "p") == ["B&O"]
    assert texts(group, "value-of") == ["30"]
    assert state.board["H10"].tile.id == "57"


def test_a_focus_cuts_the_map_to_its_hexes() -> None:
    """H10 alone: 100 by 115.5 about (450, 606.2), and a margin; with its neighbours, not A19."""
    state = begun()
    picture = drawn.svg(state, Marks(focus=frozenset({"H10"})))
    left, top, width, height = map(float, parsed(picture).attrib["viewBox"].split())
    assert left < 400
    assert left + width > 500
    assert top < 606.2 - 57.7
    assert top + height > 606.2 + 57.7
    assert width < 200
    assert left + width / 2 == pytest.approx(450)
    assert {"H10", "H8", "H12", "G9", "I11"} <= groups(picture).keys()
    assert "A19" not in groups(picture)
    assert len(groups(drawn.svg(state))) == 93


def test_an_unknown_focus_shows_the_whole_map() -> None:
    assert len(groups(drawn.svg(begun(), Marks(focus=frozenset({"Z99"}))))) == 93


def test_what_is_written_is_escaped() -> None:
    names = {"PRR": "<b>&\"'"}
    state = through()
    picture = drawn.svg(state, Marks(lays={"H8": "<i>"}), names)
    assert "<b>" not in picture
    assert "<i>" not in picture
    assert texts(parsed(picture), "note-of") == ["<i>"]
    title = next(one.text or "" for one in groups(picture)["H12"].iter("title"))
    assert "<b>&\"'" in title


def test_the_key_tells_the_signs_of_the_title_and_not_of_others() -> None:
    of = {title: texts(parsed(drawn.empty(title)), "key") for title in TITLES}
    for words in of.values():
        assert {"yellow", "green", "brown", "grey", "city", "home", "terminus"} <= set(words)
    assert {title for title in TITLES if "narrow gauge" in of[title]} == {"1849"}
    assert {title for title in TITLES if "river" in of[title]} == {"1870"}
    assert {title for title in TITLES if "impassable" in of[title]} == {"1830", "1849", "1870"}
    assert {title for title in TITLES if "port" in of[title]} == {"1849", "1856", "1870"}
    assert {title for title in TITLES if "destination" in of[title]} == {"1856", "1870"}
    assert {title for title in TITLES if "blocked by a private" in of[title]} == {
        *("1830", "1849", "1856")
    }
    assert {title for title in TITLES if "possible home" in of[title]} == {"1849"}
    begins = {"1830": "25", "1849": ["4H", "8H", "12H"], "1856": "25D", "1870": "146"}
    for title, phases in begins.items():
        assert [words for words in of[title] if words.startswith("value from")] == [
            f"value from phase {phase}" for phase in phases
        ]
    assert "value in force" not in of["1830"]
    assert "value in force" in texts(parsed(drawn.svg(begun())), "key")
    assert not texts(parsed(drawn.svg(begun(), Marks(focus=frozenset({"H10"})))), "key")


# --- plates and colours ---------------------------------------------------------------------------


def luminance(colour: str) -> float:
    """WCAG 2.2, relative luminance."""
    channels = [int(colour[n : n + 2], 16) / 255 for n in (1, 3, 5)]
    linear = [c / 12.92 if c <= 0.04045 else ((c + 0.055) / 1.055) ** 2.4 for c in channels]
    return 0.2126 * linear[0] + 0.7152 * linear[1] + 0.0722 * linear[2]


def contrast(one: str, other: str) -> float:
    a, b = sorted((luminance(one), luminance(other)))
    return (b + 0.05) / (a + 0.05)


def test_every_corporation_of_1830_has_its_colour_and_readable_letters() -> None:
    for one in facts("1830")["corporations"]:
        plate = parsed(drawn.plate(one["id"], one["color"]))
        disc = next(part for part in plate.iter("circle") if part.attrib.get("fill"))
        letters = next(plate.iter("text"))
        assert disc.attrib["fill"] == PLATES[one["color"]]
        assert letters.text == one["id"]
        assert contrast(letters.attrib["fill"], disc.attrib["fill"]) >= 4.5
    assert len(set(PLATES.values())) == 8


def test_a_plate_without_a_colour_is_white() -> None:
    plate = parsed(drawn.plate("RCS", None))
    assert (
        next(part for part in plate.iter("circle") if part.attrib.get("fill")).attrib["fill"]
        == "#ffffff"
    )


def shades() -> dict[str, tuple[str, str]]:
    """The colours of the map's style sheet: by day, by night."""
    sheet_of = (Path(settings.BASE_DIR) / "static" / "board.css").read_text(encoding="utf-8")

    def whole(colour: str) -> str:
        return colour if len(colour) == 7 else "#" + "".join(2 * part for part in colour[1:])

    return {
        name: (whole(day), whole(night))
        for name, day, night in re.findall(r"--([\w-]+): light-dark\((#\w+), (#\w+)\)", sheet_of)
    }


@pytest.mark.parametrize("night", [False, True], ids=["day", "night"])
def test_what_is_written_is_readable_on_every_field(*, night: bool) -> None:
    found = {name: both[night] for name, both in shades().items()}
    fields = ("land", "mountain", "water", "area", "sea")
    tiles = ("tile-yellow", "tile-green", "tile-brown", "tile-gray")
    for field in (*fields, *tiles):
        for pen in ("map-ink", "map-soft"):
            assert contrast(found[pen], found[field]) >= 4.5, (pen, field)
        assert contrast(found["track"], found[field]) >= 3, field
        assert contrast(found["wall"], found[field]) >= 3, field
        assert contrast(found["mark"], found[field]) >= 3, field
    assert contrast(found["mark"], found["mark-on"]) >= 4.5
    assert contrast(found["map-ink"], found["figure"]) >= 4.5
