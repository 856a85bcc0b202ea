"""What an action brings about by itself, held against the money and the papers of whole games."""

from __future__ import annotations

import json
from collections import Counter
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest
from django.utils import translation

from pbem import texts
from pbem.engine import Action, Game, State, interchange, start
from pbem.engine.actions import Dividend, Pass, parse
from pbem.engine.changes import Change, What, changes
from pbem.engine.state import Step

from . import positions
from .our_games import OURS, file_of
from .positions import operating_round, play, trains
from .test_routes import at_the_run, row_h

Turn = tuple[State, State, Action]


def brought(game: Game, line: str) -> dict[What, list[dict[str, Any]]]:
    """What an action brings about, kind by kind; the game goes on."""
    before = game.state.copy()
    game.apply(parse(line))
    found: dict[What, list[dict[str, Any]]] = {}
    for change in changes(before, game.state, parse(line)):
        found.setdefault(change.what, []).append(dict(change.data))
    return found


# --- by hand --------------------------------------------------------------------------------------


def test_a_standing_bid_wins_when_its_private_is_the_cheapest() -> None:
    """1830/A-7 — 2 bid 45 for CS; 1 buys SV, and CS goes to 2 at once."""
    game = start("1830", ["1", "2", "3"])
    play(game, "1 bid CS 45")
    play(game, "2 pass\n3 pass")
    found = brought(game, "1 bid SV 20")
    assert found[What.WON] == [{"player": "1", "private": "CS", "price": 45}]


def test_a_private_that_nobody_wants_falls() -> None:
    """1830/A-10 — SV costs 15 once all three have passed."""
    game = start("1830", ["1", "2", "3"])
    play(game, "1 pass\n2 pass")
    assert brought(game, "3 pass") == {What.CHEAPER: [{"private": "SV", "price": 15}]}


def test_a_dividend_is_told_holder_by_holder_with_the_price() -> None:
    """1830/D-1, P-4 — 30 earned: 3 a share, six of player 1's; the price moves one to the right."""
    game = at_the_run("PRR", "2")
    row_h(game)
    play(game, "PRR run 2:H12-H10")
    price = game.state.price(game.state.corporations["PRR"])
    found = brought(game, "PRR dividend pay")
    assert found[What.PAID] == [{"each": {"1": 18}}]
    (moved,) = found[What.PRICE]
    assert (moved["corporation"], moved["before"]) == ("PRR", price)
    assert moved["after"] > price


def test_a_corporation_floats_with_its_capital() -> None:
    """1830/S-16 — the sixth tenth at a par of 100 brings 1000."""
    game = positions.after_auction()
    positions.company(game.state, "PRR", 100, p2=5)
    game.state.round.turn = 1  # type: ignore[union-attr]
    found = brought(game, "2 buy PRR ipo")
    assert found[What.FLOATED] == [{"corporation": "PRR", "price": 1000}]


def test_the_first_four_rusts_the_twos() -> None:
    """1830/H, N-7 — and says whose."""
    game = positions.after_auction()
    positions.company(game.state, "PRR", 100, p1=6)
    trains(game.state, "B&O", "2")
    for kind in ("2", "3"):
        game.state.depot[kind] = 0
    positions.phase(game.state, "3")
    operating_round(game, "PRR", step=Step.TRAINS)
    found = brought(game, "PRR train 4 bank 300")
    assert found[What.PHASE] == [{"phase": "4"}]
    assert found[What.RUSTED] == [{"train": "2", "who": ["B&O"]}]


# --- whole games ----------------------------------------------------------------------------------


def turns(told: dict[str, Any]) -> Iterator[Turn]:
    """Each action of a game with the positions before and after it."""
    reader = interchange.begin(told)
    before, done = reader.game.state.copy(), 0
    for _said, game in interchange.play(reader, told):
        for action in game.log[done:]:
            yield before, game.state, action
        before, done = game.state.copy(), len(game.log)


def check_money(before: State, after: State, action: Action, found: list[Change]) -> None:
    """1830/D-1, O-1, A-7 — a pass and a dividend move no player's money but as is told."""
    told: Counter[str] = Counter()
    for change in found:
        if change.what in {What.PAID, What.INCOME}:
            told.update(change.data["each"])
        if change.what is What.WON:
            told[change.data["player"]] -= change.data["price"]
    for player in before.players:
        assert after.cash[player] - before.cash[player] == told[player], (str(action), found)


def check_papers(before: State, after: State, found: list[Change]) -> None:
    """1830/P, C-4, S-16, H — each price, president, floating and phase that differs is told."""
    prices = {c.data["corporation"]: c.data for c in found if c.what is What.PRICE}
    heads = {c.data["corporation"]: c.data["player"] for c in found if c.what is What.PRESIDENT}
    floated = {c.data["corporation"] for c in found if c.what is What.FLOATED}
    for one in before.corporations.values():
        now = after.corporations[one.id]
        if one.par and before.price(one) != after.price(now):
            data = prices[one.id]
            assert (data["before"], data["after"]) == (before.price(one), after.price(now))
        if one.president not in {None, now.president}:
            assert heads.pop(one.id) == now.president
        assert (one.id in floated) == (now.floated and not one.floated)
    assert not heads
    phases = [c.data["phase"] for c in found if c.what is What.PHASE]
    assert phases == ([after.title.phases[after.phase].id] if after.phase != before.phase else [])


def check(told: dict[str, Any]) -> Counter[What]:
    seen: Counter[What] = Counter()
    for before, after, action in turns(told):
        found = changes(before, after, action)
        seen.update(change.what for change in found)
        if isinstance(action, Pass | Dividend):
            check_money(before, after, action, found)
        check_papers(before, after, found)
        for change in found:
            with translation.override("en"):
                assert texts.outcome(change)
    return seen


@pytest.mark.parametrize("name", OURS)
def test_our_games_tell_all_that_their_actions_bring_about(name: str) -> None:
    """Money and papers move by nothing that is not told; a game that is over says so once."""
    seen = check(file_of(name))
    assert seen[What.OVER] == 1
    assert seen[What.FLOATED]


def test_every_real_game_tells_all_that_its_actions_bring_about(cases: Path) -> None:
    """The same on the recorded games of 1830; every kind of change comes up, but one that only
    players who all pass on the first private bring about."""
    seen: Counter[What] = Counter()
    for path in sorted((cases / "1830").glob("*.truth.json.gz")):
        file = path.with_name(path.name.replace(".truth.json.gz", ".json"))
        seen += check(json.loads(file.read_text(encoding="utf-8")))
    assert seen.keys() | {What.CHEAPER} == set(What)


def test_every_change_has_its_words() -> None:
    """In both languages, with its figures and the players' names."""
    assert {what for what, _ in texts.CHANGES} == set(What)
    change, names = Change(What.INCOME, {"each": {"1": 15, "PRR": 20}}), {"1": "Anna"}
    with translation.override("en"):
        assert texts.outcome(change, names) == "Private companies pay: Anna $15, PRR $20."
    with translation.override("it"):
        assert texts.outcome(change, names) == "Le società private pagano: Anna $15, PRR $20."
