"""The stock market drawn: every space as printed, every marker where it stands and in its order."""

from __future__ import annotations

import json
import re
from collections.abc import Iterator
from functools import cache
from itertools import combinations, pairwise
from pathlib import Path
from types import ModuleType
from typing import Any
from xml.etree import ElementTree

import pytest
from django.conf import settings
from django.utils import translation

from pbem.board import market
from pbem.board.liveries import BLANK, PLATES, ink
from pbem.board.printed import NAMES
from pbem.engine import State, interchange, start
from pbem.engine.facts import FOLDER
from pbem.engine.state import Operating

from .our_games import OURS
from .our_games import file_of as our_file
from .test_cases import compare, each_game, file_of, truth_of

__all__ = ["compare"]  # the fixture

each_title = pytest.mark.parametrize("name", NAMES)
Element = ElementTree.Element
EVERY = 7  # one state of so many is drawn: drawing is slow to read back


@cache
def printed(name: str) -> Any:
    """The file itself, read here anew."""
    return json.loads((FOLDER / f"{name}.json").read_text(encoding="utf-8"))


def drawn(svg: str) -> Element:
    return ElementTree.fromstring(svg)


def moved(group: Element) -> tuple[float, float]:
    found = re.fullmatch(r"translate\((\S+) (\S+)\)", group.attrib["transform"])
    assert found
    return float(found[1]), float(found[2])


def texts(group: Element, kind: str) -> list[str]:
    return [one.text or "" for one in group.iter("text") if one.get("class") == kind]


def spaces(svg: str) -> dict[tuple[int, int], Element]:
    """The groups of the spaces by row and column, which their places on the drawing give."""
    groups = [one for one in drawn(svg) if one.tag == "g"]
    tops = sorted({moved(one)[1] for one in groups})
    columns = sorted({moved(one)[0] for one in groups})
    found = {}
    for one in groups:
        x, y = moved(one)
        place = tops.index(y), columns.index(x)
        assert place not in found, "two spaces in one place"
        found[place] = one[0]
    return found


def plates(space: Element) -> list[str]:
    """The markers of a space from the top down."""
    groups = [one for one in space.iter("g") if one.get("class") == "market-marker"]
    stack = sorted((moved(one)[1], one.findtext("text")) for one in groups)
    assert len({y for y, _symbol in stack}) == len(stack), "two markers on one another"
    return [symbol or "" for _y, symbol in stack]


# --- what is printed ------------------------------------------------------------------------------


@each_title
def test_every_space_is_drawn_once_with_its_price_and_its_zone(name: str) -> None:
    found = spaces(market.empty(name))
    cells = printed(name)["market"]["cells"]
    # rows and columns without a space would shift the others: no market has one
    assert {row for row, _ in found} == {cell["row"] for cell in cells}
    assert len(found) == len(cells)
    for cell in cells:
        space = found[cell["row"], cell["col"]]
        assert texts(space, "market-price") == [str(cell["price"])]
        kinds = set(space.attrib["class"].split())
        assert kinds == {"market-space", *(f"market-{zone}" for zone in cell["zones"])}


@each_title
def test_spaces_do_not_overlap(name: str) -> None:
    for one in drawn(market.empty(name)):
        if one.tag == "g":
            box = one[0][0]
            assert float(box.attrib["width"]) <= market.WIDE
    tops = sorted({moved(one)[1] for one in drawn(market.empty(name)) if one.tag == "g"})
    assert all(after - before >= market.HIGH for before, after in pairwise(tops))


@each_title
def test_a_par_is_framed_and_says_from_which_train(name: str) -> None:
    with translation.override("en"):
        found = spaces(market.empty(name))
    framed = {
        place
        for place, space in found.items()
        if any(box.get("class") == "market-frame" for box in space)
    }
    pars = {
        (cell["row"], cell["col"]): cell
        for cell in printed(name)["market"]["cells"]
        if "par" in cell
    }
    assert framed == set(pars)
    for place, cell in pars.items():
        train = cell["par"].removeprefix("from ").removeprefix("first ").removeprefix("start")
        assert texts(found[place], "market-note") == [f"par {train}".strip()]
    assert sorted(cell["price"] for cell in pars.values()) == sorted(
        printed(name)["market"]["par_prices"]
    )


@each_title
def test_zones_are_told_apart_without_their_colour(name: str) -> None:
    """Each has a sign of its own, drawn in all its spaces; the legend has them all, in words."""
    zones = market.zones(name)
    assert [zone.name for zone in zones] == list(printed(name)["market"]["zones"])
    signs = [str(zone.sign) for zone in zones]
    assert all(signs)
    assert len(set(signs)) == len(signs)
    for space, cell in zip(
        spaces(market.empty(name)).values(), printed(name)["market"]["cells"], strict=True
    ):
        marks = [one for one in space.iter() if one.get("class") in {"market-dot", "market-sign"}]
        expected = [
            one
            for zone in zones
            if zone.name in cell["zones"]
            for one in ElementTree.fromstring(f"<g>{zone.sign}</g>")
        ]
        assert [one.attrib for one in marks] == [one.attrib for one in expected]


def test_the_zones_of_1830_say_what_they_free() -> None:
    """1830/S-11, S-12, S-13 — a freedom more from yellow to orange to brown."""
    with translation.override("en"):
        yellow, orange, brown = market.zones("1830")
    assert (yellow.words, orange.words, brown.words) == ("yellow", "orange", "brown")
    assert len(yellow.effects) == 1
    assert orange.effects[:1] == yellow.effects
    assert orange.effects[1:] == ("may be held above 60%",)
    assert brown.effects[:2] == orange.effects
    assert brown.effects[2:] == ("several may be bought from the pool in one turn",)
    assert [str(zone.sign).count("<circle") for zone in (yellow, orange, brown)] == [1, 2, 3]


def test_the_ledge_of_1870_is_one_line_of_steps() -> None:
    """1870.LEDGE — read off the printed market: over and to the left of the spaces under it."""
    tops = {
        *((2, column) for column in range(16, 21)),
        *((3, column) for column in range(13, 16)),
        *((4, column) for column in range(11, 13)),
        *((5, 10), (6, 9), (7, 8), (8, 7)),
    }
    lefts = {(2, 16), (3, 13), (4, 11), (5, 10), (6, 9), (7, 8), (8, 7)}
    lines = [
        re.fullmatch(r"M(\d+) (\d+)([hv])(\d+)", one.attrib["d"])
        for one in drawn(market.empty("1870")).iter("path")
        if one.get("class") == "market-ledge"
    ]
    found: dict[str, list[tuple[int, int]]] = {"h": [], "v": []}
    for line in lines:
        assert line
        x, y, way, long = line.groups()
        assert int(long) == (market.WIDE if way == "h" else market.HIGH)
        found[way].append((int(y) // market.HIGH, int(x) // market.WIDE))
    assert len(lines) == 21
    assert set(found["h"]) == tops
    assert set(found["v"]) == lefts


@pytest.mark.parametrize("name", ["1830", "1849", "1856"])
def test_the_others_have_no_ledge(name: str) -> None:
    assert "market-ledge" not in market.empty(name)


def test_the_ledge_says_what_it_stops_and_what_it_lets_pass() -> None:
    """1870.LEDGE"""
    with translation.override("en"):
        (ledge,) = (one for one in market.zones("1870") if one.name == "below_ledge")
    (said,) = ledge.effects
    for words in ("just above it", "passes through", "goes up a row", "cross it freely"):
        assert words in said


@each_title
def test_every_space_is_told_in_words_with_its_par_and_its_zone(name: str) -> None:
    with translation.override("en"):
        told = [space for row in market.rows(name) for space in row.split("; ")]
    cells = sorted(printed(name)["market"]["cells"], key=lambda cell: (cell["row"], cell["col"]))
    assert len(market.rows(name)) == printed(name)["market"]["rows"]
    for space, cell in zip(told, cells, strict=True):
        assert space.split()[0] == str(cell["price"])
        assert (" par" in space) == ("par" in cell)
        assert ("(" in space) == bool(cell["zones"])
        for zone in cell["zones"]:
            assert (zone in space) or zone in {"end", "closed", "below_ledge"}
    with translation.override("en"):
        assert market.rows("1870")[8].endswith("60 (under the ledge); 64 (under the ledge)")
        assert market.rows("1870")[0].endswith("375; 400")


@each_title
def test_the_empty_market_is_told_in_words(name: str) -> None:
    for language, words in (("en", "Stock market, empty"), ("it", "")):
        with translation.override(language):
            label = drawn(market.empty(name)).attrib["aria-label"]
        assert label.startswith(words)
        for price in printed(name)["market"]["par_prices"]:
            assert re.search(rf"\b{price}\b", label)


# --- markers --------------------------------------------------------------------------------------


def test_before_any_par_the_market_has_no_marker() -> None:
    state = start("1830", ["1", "2", "3"]).state
    assert market.standing(state) == ()
    assert not [place for place, space in spaces(market.svg(state)).items() if plates(space)]


def states_of(path: Path, compare: ModuleType) -> Iterator[tuple[State, Any]]:
    truth = list(compare.truth_states(truth_of(compare, path)))
    replayed = interchange.replay(file_of(path))
    for (_said, game), state in zip(replayed, truth, strict=True):
        yield game.state, state


def check_drawing(state: State) -> None:
    """Every corporation that has a price lies once, on its space, in operating order."""
    markers = market.standing(state)
    found = {place: plates(space) for place, space in spaces(market.svg(state)).items()}
    lying = {place: stack for place, stack in found.items() if stack}
    expected: dict[tuple[int, int], list[str]] = {}
    for marker in markers:
        expected.setdefault((marker.row, marker.column), []).append(marker.corporation)
    assert lying == expected


@each_game
def test_markers_are_where_the_record_says_and_operate_in_its_order(
    path: Path, compare: ModuleType
) -> None:
    """1830/O-3, P-6 — coordinates and price at every state, the order whenever a round begins."""
    rounds, before = 0, None
    for number, (state, truth) in enumerate(states_of(path, compare)):
        recorded = {
            symbol: (*one["coord"], f"${one['price']}")
            for symbol, one in truth["corps"].items()
            if one.get("coord")
        }
        markers = market.standing(state)
        assert {one.corporation: (one.row, one.column, one.price) for one in markers} == recorded
        assert [one.place for one in markers] == list(range(1, len(markers) + 1))
        now = (truth["turn"], truth["rnum"], truth.get("round"))
        if now != before and isinstance(state.round, Operating) and not truth.get("finished"):
            rounds += 1
            operating = [one.corporation for one in markers if one.floated]
            assert operating == truth["order"], f"state {number}"
        before = now
        if number % EVERY == 0:
            check_drawing(state)
    assert rounds


@pytest.mark.parametrize("name", OURS)
def test_our_games_have_each_marker_once_by_falling_price(name: str) -> None:
    for number, (_said, game) in enumerate(interchange.replay(our_file(name))):
        state = game.state
        markers = market.standing(state)
        assert sorted(one.corporation for one in markers) == sorted(state.markers)
        prices = [int(one.price.removeprefix("$")) for one in markers]
        assert prices == sorted(prices, reverse=True)
        cells = {(cell["row"], cell["col"]): cell for cell in printed("1830")["market"]["cells"]}
        for one in markers:
            cell = cells[one.row, one.column]
            assert one.price == f"${cell['price']}"
            assert bool(one.zone) == bool(cell["zones"])
        if number % (EVERY * 5) == 0:
            check_drawing(state)


def test_of_two_on_a_space_who_came_first_is_on_top() -> None:
    """1830/P-6 — two pars at 100, one after the other."""
    game = start("1830", ["1", "2"])
    state = game.state
    for symbol in ("PRR", "C&O", "B&M"):
        corporation = state.corporations[symbol]
        corporation.par, corporation.cell = 100, state.title.par_cells[100]
        state.markers.append(symbol)
    assert [one.corporation for one in market.standing(state)] == ["PRR", "C&O", "B&M"]
    space = spaces(market.svg(state))[0, 6]
    assert plates(space) == ["PRR", "C&O", "B&M"]
    with translation.override("en"):
        label = drawn(market.svg(state)).attrib["aria-label"]
    assert "PRR $100; C&O $100; B&M $100" in label


# --- colours --------------------------------------------------------------------------------------


def luminance(colour: str) -> float:
    """WCAG 2."""
    digits = colour[1:] if len(colour) == 7 else "".join(2 * digit for digit in colour[1:])
    parts = [int(digits[at : at + 2], 16) / 255 for at in (0, 2, 4)]
    red, green, blue = (
        part / 12.92 if part <= 0.04045 else ((part + 0.055) / 1.055) ** 2.4 for part in parts
    )
    return 0.2126 * red + 0.7152 * green + 0.0722 * blue


def contrast(one: str, other: str) -> float:
    low, high = sorted((luminance(one), luminance(other)))
    return (high + 0.05) / (low + 0.05)


def colours(sheet: str) -> dict[str, tuple[str, str]]:
    """The colours by day and by night that a style sheet names."""
    css = (Path(settings.BASE_DIR) / "static" / sheet).read_text(encoding="utf-8")
    pairs = re.findall(r"--([\w-]+): light-dark\((#\w+), ?(#\w+)\)", css)
    return {name: (day, night) for name, day, night in pairs}


def test_prices_are_read_on_every_zone_by_day_and_by_night() -> None:
    ink_of = colours("figf.css")["ink"]
    grounds = {
        name: pair for name, pair in colours("board.css").items() if name.startswith("market-")
    }
    zones = {zone for name in NAMES for zone in printed(name)["market"]["zones"]}
    assert {f"market-{zone}" for zone in zones} - {"market-below_ledge"} < set(grounds)
    for name, ground in grounds.items():
        for letters, behind in zip(ink_of, ground, strict=True):
            assert contrast(letters, behind) >= 4.5, name


def test_zones_differ_from_one_another_beside_their_signs() -> None:
    grounds = colours("board.css")
    for name in NAMES:
        zones = [f"market-{zone}" for zone in printed(name)["market"]["zones"]]
        for one, other in combinations([zone for zone in zones if zone in grounds], 2):
            assert grounds[one] != grounds[other]


@pytest.mark.parametrize("fill", [*PLATES.values(), BLANK])
def test_letters_are_read_on_every_marker(fill: str) -> None:
    assert contrast(ink(fill), fill) >= 4.5
