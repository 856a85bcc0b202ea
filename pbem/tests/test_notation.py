"""Positions and actions print and parse back, and what cannot be read is named."""

from __future__ import annotations

import json
import random
from contextlib import suppress

import pytest

from pbem.engine import Game, MalformedAction, from_dict, parse, start
from pbem.engine.actions import (
    Action,
    Bankrupt,
    Bid,
    BuyPrivate,
    BuyShare,
    BuyTrain,
    DiscardTrain,
    Dividend,
    ExchangePrivate,
    LayTile,
    Par,
    Pass,
    PlaceToken,
    Route,
    Run,
    SellShares,
)
from pbem.engine.notation import digest, from_text, to_dict, to_text
from pbem.engine.notation import from_dict as position_from_dict

from .positions import after_auction
from .random_play import random_game

ACTIONS = {
    "1 bid CS 45": Bid("1", "CS", 45),
    "1 pass": Pass("1"),
    "1 par B&O 100": Par("1", "B&O", 100),
    "1 buy NYC pool": BuyShare("1", "NYC", "pool"),
    "1 sell NYC 3": SellShares("1", "NYC", 3),
    "1 exchange MH ipo": ExchangePrivate("1", "MH", "ipo"),
    "PRR private SV 40": BuyPrivate("PRR", "SV", 40),
    "PRR lay H10 57 1": LayTile("PRR", "H10", "57", 1),
    "PRR lay B20 58 2 private=CS": LayTile("PRR", "B20", "58", 2, "CS"),
    "PRR token E11 1": PlaceToken("PRR", "E11", 1),
    "PRR token F16 0 private=DH": PlaceToken("PRR", "F16", 0, "DH"),
    "PRR run": Run("PRR", ()),
    "PRR run 2:H12-H10 3:H12-H14-H16+H16-H18": Run(
        "PRR",
        (
            Route("2", (("H12", "H10"),)),
            Route("3", (("H12", "H14", "H16"), ("H16", "H18"))),
        ),
    ),
    "PRR dividend pay": Dividend("PRR", "pay"),
    "PRR train D bank 800 exchange=4": BuyTrain("PRR", "D", "bank", 800, "4"),
    "PRR train 3 NYC 1": BuyTrain("PRR", "3", "NYC", 1),
    "PRR discard 3": DiscardTrain("PRR", "3"),
    "1 bankrupt": Bankrupt("1"),
}


@pytest.mark.parametrize("line", ACTIONS)
def test_an_action_is_a_line_and_an_object(line: str) -> None:
    action = ACTIONS[line]
    assert parse(line) == action
    assert str(action) == line
    assert from_dict(json.loads(json.dumps(action.to_dict()))) == action


@pytest.mark.parametrize(
    ("line", "where"),
    [
        ("", "action"),
        ("1", "action"),
        ("1 fly H10", "type"),
        ("1 bid CS", "bid"),
        ("1 bid CS many", "price"),
        ("1 bid CS 45 46", "bid"),
        ("1 bid CS 45 colour=red", "colour"),
        ("1 bid CS 99999999", "price"),
        ("PRR lay H10 57 ₂", "rotation"),
        ("1 pass " + "x" * 20_000, "action"),
    ],
)
def test_a_line_that_is_no_action_is_refused_with_its_place(line: str, where: str) -> None:
    with pytest.raises(MalformedAction) as refused:
        parse(line)
    assert refused.value.where == where


@pytest.mark.parametrize(
    ("said", "where"),
    [
        (None, "action"),
        ([], "action"),
        ({}, "type"),
        ({"type": ["bid"]}, "type"),
        ({"type": "bid", "actor": "1", "private": "CS", "price": True}, "price"),
        ({"type": "bid", "actor": "1", "private": "CS", "price": 4.5}, "price"),
        ({"type": "bid", "actor": "1", "private": "CS", "price": "45"}, "price"),
        ({"type": "bid", "actor": "", "private": "CS", "price": 45}, "actor"),
        ({"type": "bid", "actor": "a b", "private": "CS", "price": 45}, "actor"),
        ({"type": "bid", "actor": "1", "private": "CS", "price": 45, "x": 1}, "x"),
        ({"type": "run", "actor": "PRR", "routes": "H12"}, "routes"),
        ({"type": "run", "actor": "PRR", "routes": [{"train": "2"}]}, "routes"),
        ({"type": "run", "actor": "PRR", "routes": [{"train": "2", "legs": [[]]}]}, "legs"),
        ({"type": "run", "actor": "PRR", "routes": [{"train": "2", "legs": [[1]]}]}, "hex"),
    ],
)
def test_an_object_that_is_no_action_is_refused_with_its_place(said: object, where: str) -> None:
    with pytest.raises(MalformedAction) as refused:
        from_dict(said)  # type: ignore[arg-type]
    assert refused.value.where == where


@pytest.mark.parametrize("preset", ["figf", "18xx"])
def test_positions_of_a_whole_game_print_and_parse_back(preset: str) -> None:
    """Every twentieth position of a game: JSON and text are read back equal, digest and all."""
    for number, (game, _, _) in enumerate(random_game(1, 3, preset)):
        if number % 20:
            continue
        state = game.state
        assert position_from_dict(json.loads(json.dumps(to_dict(state)))) == state
        again = from_text(to_text(state))
        assert again == state
        assert digest(again) == game.digest() == digest(state)


def test_a_position_is_lines_that_a_person_can_write() -> None:
    """What stands on the table after the auction, from the rules: 1 has 600 - 20 - 160."""
    text = to_text(after_auction(4).state)
    lines = text.splitlines()
    assert lines[0] == "title 1830"
    assert "cash {1=420 2=340 3=530 4=490}" in lines
    assert "privates {SV=1 CS=2 DH=3 MH=4 CA=1 BO=2}" in lines
    # the bank's 9600 and what the six privates cost: 20 + 40 + 70 + 110 + 160 + 220
    assert "bank 10220" in lines
    own = text.replace("cash {1=420", "cash {1=400").replace("bank 10220", "bank 10240")
    assert from_text(own).cash["1"] == 400


def test_every_change_of_a_position_changes_its_digest() -> None:
    game = after_auction(4)
    before = game.digest()
    copy = game.copy()
    assert copy.digest() == before
    game.apply(parse("3 pass"))
    assert game.digest() != before == copy.digest()


@pytest.mark.parametrize(
    ("old", "new", "where"),
    [
        ("bank 10220", "bank 10221", "position.bank"),
        ("bank 10220", "bank much", "position.bank"),
        ("bank 10220\n", "", "position.bank"),
        ("title 1830", "title 1830x", "title"),
        ("preset figf", "preset mine", "preset"),
        ("players (1 2 3 4)", "players (1 1 3 4)", "position.players"),
        ("players (1 2 3 4)", "players (1 2 3 4", "position"),
        ("phase 2", "phase 9", "position.phase"),
        ("board {}", "board {Z99=57.1}", "position.board"),
        ("board {}", "board {H10=57.6}", "board.H10"),
        ("board {}", "board {H10=57.1 H4=57.1 F10=57.1 F16=57.1 F22=57.1}", "position.board"),
        ("held={2=2}", "held={2=3}", "B&O.held"),
        ("kind=stock", "kind=tea", "round.kind"),
        ("acted=no", "acted=maybe", "round.acted"),
        ("cash {", "cash {{", "position"),
    ],
)
def test_a_position_that_cannot_be_is_refused_with_its_place(
    old: str, new: str, where: str
) -> None:
    text = to_text(after_auction(4).state)
    assert old in text
    with pytest.raises(MalformedAction) as refused:
        from_text(text.replace(old, new, 1))
    assert refused.value.where == where


def test_a_position_damaged_anywhere_is_refused_or_read_but_never_breaks() -> None:
    """Three hundred seeded damages of the JSON of a position in the middle of a game."""
    rng = random.Random(1830)
    *_, (game, _, _) = (one for one, _ in zip(random_game(2, 3), range(400), strict=False))
    whole = json.dumps(to_dict(game.state))
    junk = ["null", "-1", '"x"', "[]", "{}", "1e99", "true", '"1"', "[[[[]]]]"]
    for _ in range(300):
        said = json.loads(whole)
        spot = said
        for _ in range(rng.randint(0, 2)):
            inner = [v for v in spot.values() if isinstance(v, dict) and v]
            if not inner:
                break
            spot = rng.choice(inner)
        spot[rng.choice(list(spot))] = json.loads(rng.choice(junk))
        with suppress(MalformedAction):
            position_from_dict(said)


def test_actions_of_a_game_are_written_as_they_are_read() -> None:
    actions: list[Action] = []
    for game, _, _ in random_game(2, 3, "18xx"):
        actions = game.log
    for action in actions:
        assert parse(str(action)) == action
        assert from_dict(action.to_dict()) == action


@pytest.mark.parametrize(
    "line",
    ["1 pass actor=2", "1 pass type=bankrupt", "1 buy PRR ipo source=pool", "1 bid CS 45 price=50"],
)
def test_a_word_with_a_name_does_not_replace_another(line: str) -> None:
    """Who acts is the first word, and nothing else says it again."""
    with pytest.raises(MalformedAction) as refused:
        parse(line)
    assert refused.value.where == line.rsplit(maxsplit=1)[-1].partition("=")[0]


def test_a_position_in_which_nobody_can_do_anything_ends() -> None:
    """All the money in the bank, no private, nothing parred: no round would ever find a choice."""
    text = to_text(start("1830", ["1", "2"]).state)
    text = text.replace("cash {1=1200 2=1200}", "cash {1=0 2=0}").replace("bank 9600", "bank 12000")
    text = text.replace("unsold (SV CS DH MH CA BO)", "unsold ()")
    auction = next(line for line in text.splitlines() if line.startswith("round "))
    text = text.replace(
        auction, "round {kind=stock turn=1 passes=0 acted=no bought=- sold={} last=-}"
    )
    stuck = Game(from_text(text))
    stuck.apply(parse("1 pass"))
    assert stuck.state.over == "stalemate"
    assert stuck.actor is None


@pytest.mark.parametrize(
    "players", ["12", [1, 2], ["-", "b"], ["(a", "b"], ["a=b", "c"], ["{", "}"], ["a b", "c"]]
)
def test_a_player_has_an_id_that_a_line_can_hold(players: object) -> None:
    with pytest.raises(MalformedAction) as refused:
        start("1830", players)  # type: ignore[arg-type]
    assert refused.value.where == "players"


@pytest.mark.parametrize("action", ["1 pass", None, 5])
def test_what_is_no_action_is_not_applied(action: object) -> None:
    with pytest.raises(MalformedAction):
        start("1830", ["1", "2"]).apply(action)  # type: ignore[arg-type]
