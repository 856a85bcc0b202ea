"""FIGF-U-10, FIGF-R-06 — what each tile adds to the best run, worked out by hand."""

from __future__ import annotations

import pytest

from pbem.engine import Game, MalformedAction, best_lays, best_run
from pbem.engine.actions import LayTile, Pass
from pbem.engine.state import Step
from pbem.engine.track import UNDECIDED

from . import positions
from .positions import cash, lay, operating_round, phase, trains
from .test_routes import gulf_to_philadelphia, row_h

Gains = dict[tuple[str, str, int], int]


def at_the_tile(symbol: str, *kinds: str, preset: str = "figf") -> Game:
    """The corporation, six tenths of it player 1's, at its step of the tile."""
    game = positions.after_auction(preset=preset)
    positions.company(game.state, symbol, 100, p1=6)
    trains(game.state, symbol, *kinds)
    return operating_round(game, symbol, step=Step.TRACK)


def gains(game: Game, symbol: str) -> Gains:
    """Hex, tile and rotation of each lay, and its gain."""
    found = best_lays(game, symbol)
    assert all(one.proven for one in found)
    return {(one.lay.hex, one.lay.tile, one.lay.rotation): one.gain for one in found}


def test_a_first_city_beside_the_home_is_what_a_run_needs() -> None:
    """Altoona 10 with Pittsburgh 20; 57 is the same turned by half. East of Altoona is no city."""
    game = at_the_tile("PRR", "2")
    found = gains(game, "PRR")
    assert {key for key, gain in found.items() if gain} == {("H10", "57", 1), ("H10", "57", 4)}
    assert found["H10", "57", 1] == 30
    assert {key[0] for key in found} == {"H10", "H14"}


def test_without_a_train_no_tile_gains() -> None:
    """FIGF-U-10 — "se ne aumenta subito l'introito"."""
    assert set(gains(at_the_tile("PRR"), "PRR").values()) == {0}


def test_an_upgrade_gains_what_the_city_pays_more() -> None:
    """1830/R-8 — green Pittsburgh pays 30 instead of 20, brown Lancaster is not yet to be had."""
    game = at_the_tile("PRR", "4")
    gulf_to_philadelphia(game)
    phase(game.state, "3")
    found = gains(game, "PRR")
    # 90 both ways before: with Pittsburgh at 30 either of the two earns 100
    upgrades = {key: gain for key, gain in found.items() if key[0] == "H10"}
    assert upgrades
    assert {gain for (_, tile, _), gain in upgrades.items() if tile in {"14", "15"}} == {10}


def test_the_gains_are_those_of_the_tile_of_this_turn_whatever_the_step() -> None:
    """Asked before the run, in the turn of another, in a stock round: as if it laid now."""
    game = at_the_tile("PRR", "2")
    found = gains(game, "PRR")
    later = game.copy()
    later.apply(Pass("PRR"))
    assert gains(later, "PRR") == found
    stock = positions.after_auction()
    positions.company(stock.state, "PRR", 100, p1=6)
    trains(stock.state, "PRR", "2")
    assert gains(stock, "PRR") == found  # the home token, not yet placed, counts as placed
    assert not stock.state.stations


def test_who_has_not_floated_lays_nothing() -> None:
    """1830/O-3, L-14."""
    game = at_the_tile("PRR", "2")
    assert best_lays(game, "NYC") == []
    with pytest.raises(MalformedAction, match="corporation"):
        best_lays(game, "XYZ")


def test_the_cost_is_the_terrains_and_what_cannot_be_paid_is_not_listed() -> None:
    """1830/L-9 — around Boston: 80 for the water of F22, 120 for the mountain of D22."""
    game = at_the_tile("B&M", "2")
    assert {(one.lay.hex, one.cost) for one in best_lays(game, "B&M")} == {
        ("F22", 80),
        ("D22", 120),
    }
    cash(game.state, "B&M", 119)
    assert {one.lay.hex for one in best_lays(game, "B&M")} == {"F22"}


def test_a_power_is_listed_beside_the_turns_tile() -> None:
    """1830/V-7 — the private's own tile in its hex, which the corporation does not reach."""
    game = at_the_tile("PRR", "2")
    game.state.owners["CS"] = "PRR"
    powers = [one.lay for one in best_lays(game, "PRR") if one.lay.private]
    assert powers
    assert {(one.hex, one.private) for one in powers} == {("B20", "CS")}


@pytest.mark.parametrize("preset", ["figf", "18xx"])
def test_the_tile_that_gives_the_token_its_city_gains_by_the_better_city(preset: str) -> None:
    """1830/F-3 — Erie, its token on the trackless hex, lays 59 at home: one city looks north-east,
    by D12 to Rochester 20, and pays 40; the other looks south-east, into nothing."""
    game = at_the_tile("ERIE", "2", preset=preset)
    phase(game.state, "3")
    undecide(game)
    lay(game.state, "D12", "8", 4)  # SW, to E11, and E, to D14
    tile = game.state.title.tiles["59"]
    turned = next(r for r in range(6) if {3, 5} == set(tile.at(r).edges))
    assert gains(game, "ERIE")["E11", "59", turned] == 60


def undecide(game: Game) -> None:
    """The Erie's token lies on E11 as it does without track: in neither city."""
    one = game.state.corporations["ERIE"]
    one.tokens = [("E11", UNDECIDED)]
    game.state.stations = {("E11", UNDECIDED): ("ERIE",)}
    game.state.reaches = {}


def test_two_lays_with_the_same_track_differ_if_the_token_goes_to_another_city() -> None:
    """1830/L-11 — on E11 a green 59, its cities to the south-west and north-west, where no track
    meets it; Erie stands in the latter. Track comes from the east, and Albany 20. The brown tiles
    join the east to Erie's city, of 50, or to the other."""
    game = at_the_tile("ERIE", "2")
    phase(game.state, "5")
    lay(game.state, "E11", "59", 0)
    game.state.corporations["ERIE"].tokens = [("E11", 1)]
    game.state.stations = {("E11", 1): ("ERIE",)}
    game.state.homes["ERIE"] = ("E11", 1)
    for hex_id in ("E13", "E15", "E17"):
        lay(game.state, hex_id, "9", 1)
    lay(game.state, "E19", "57", 1)
    game.state.reaches = {}
    found = gains(game, "ERIE")
    assert found["E11", "64", 2] == 70  # east with north-west
    assert found["E11", "65", 0] == 0  # east with south-west


def test_looking_changes_nothing() -> None:
    """The game is as it was, whatever is asked of it."""
    game = at_the_tile("PRR", "2", "2")
    row_h(game)
    before = game.copy()
    best_lays(game, "PRR")
    best_run(game, "PRR")
    assert game == before
    assert str(game) == str(before)


def test_the_lays_are_the_options_of_the_step() -> None:
    """1830/L — no more, no fewer, in the same order."""
    game = at_the_tile("PRR", "4")
    row_h(game)
    phase(game.state, "3")
    options = [one.action for one in game.options() if isinstance(one.action, LayTile)]
    assert [one.lay for one in best_lays(game, "PRR")] == options
