"""Games in the JSON of 18xx.games: what is written is read back the same, whatever is read."""

from __future__ import annotations

import contextlib
import copy
import json
import math
import random
import time
from collections.abc import Iterator
from typing import Any

import pytest

from pbem.engine import (
    EngineError,
    Game,
    IllegalAction,
    MalformedAction,
    Reason,
    interchange,
    start,
)
from pbem.engine.actions import BuyTrain, DiscardTrain, LayTile, Pass, PlaceToken
from pbem.engine.export import Cards, _place_token
from pbem.engine.interchange import (
    MOST_ACTIONS,
    MOST_BYTES,
    Refusal,
    begin,
    effective,
    load,
    replay,
)
from pbem.engine.notation import digest
from pbem.engine.state import Step

from .our_games import OURS, file_of
from .positions import check_invariants, company, lay, play, token, turn_of
from .random_play import random_game
from .sensible_play import sensible_game

DEEP: Any = []
for _ in range(500):
    DEEP = [DEEP]


def player(kind: str, entity: Any, /, **more: Any) -> dict[str, Any]:
    return {"type": kind, "entity": entity, "entity_type": "player", **more}


def corporation(kind: str, entity: Any, /, **more: Any) -> dict[str, Any]:
    return {"type": kind, "entity": entity, "entity_type": "corporation", **more}


def bid(entity: Any, company: Any, price: Any) -> dict[str, Any]:
    return player("bid", entity, company=company, price=price)


# Three players with 800 each buy the privates in turn; the third, who gets BO, pars the B&O.
AUCTION = [
    *(bid(1, "SV", 20), bid(2, "CS", 40), bid(3, "DH", 70)),
    *(bid(1, "MH", 110), bid(2, "CA", 160), bid(3, "BO", 220)),
    player("par", 3, corporation="B&O", share_price="100,0,6"),
]


def a_file(*actions: Any, **more: Any) -> dict[str, Any]:
    """A file of three players with these actions."""
    players = [{"id": n, "name": name} for n, name in ((1, "Anna"), (2, "Bo"), (3, "Ciro"))]
    return {"title": "1830", "players": players, "actions": list(actions), **more}


def played(file: Any, until: int | None = None) -> Game:
    """The game after all that the file has."""
    game = begin(file).game
    for _, game in replay(file, until):  # noqa: B007
        pass
    return game


def refused(*actions: Any) -> Refusal:
    with pytest.raises(Refusal) as refusal:
        played(a_file(*actions))
    return refusal.value


def digests(game: Game) -> list[str]:
    """The positions that the game's log leads through."""
    again = start(game.title.name, game.state.players, game.title.preset, game.title.options)
    found = []
    for action in game.log:
        again.apply(action)
        found.append(digest(again.state))
    return found


def assert_comes_back_the_same(game: Game) -> None:
    file = json.loads(json.dumps(interchange.export(game)))
    found, back = [], begin(file).game
    for _, back in replay(file):
        found.append(digest(back.state))
    assert found == digests(game)
    assert back == game
    assert back.log == game.log
    assert back.title == game.title


# --- writing --------------------------------------------------------------------------------------


@pytest.mark.parametrize("preset", ["figf", "18xx"])
@pytest.mark.parametrize("players", range(2, 7))
def test_a_game_written_and_read_is_the_same_at_every_action(players: int, preset: str) -> None:
    """The first 300 actions of a game that is played with some sense."""
    for game, _ in sensible_game(7, players, preset):
        if len(game.log) == 300:
            break
    assert_comes_back_the_same(game)


@pytest.mark.slow
@pytest.mark.parametrize("preset", ["figf", "18xx"])
@pytest.mark.parametrize("players", range(2, 7))
def test_a_game_played_at_random_comes_back_the_same(players: int, preset: str) -> None:
    """To its end: thousands of actions, sales and changes of president without sense."""
    *_, (game, _, _) = random_game(0, players, preset)
    assert_comes_back_the_same(game)


@pytest.mark.parametrize("name", OURS)
def test_our_games_are_written_as_they_were_read(name: str) -> None:
    file = file_of(name)
    names = {str(one["id"]): one["name"] for one in file["players"]}
    assert interchange.export(played(file), names) == file


@pytest.mark.parametrize("name", OURS)
def test_our_games_come_back_the_same(name: str) -> None:
    assert_comes_back_the_same(played(file_of(name)))


def test_a_new_game_says_what_is_played_and_by_whom() -> None:
    file = interchange.export(start("1830", ["4", "7", "9"]), {"7": "Bo"})
    assert file["title"] == "1830"
    assert file["players"] == [
        {"id": 4, "name": "4"},
        {"id": 7, "name": "Bo"},
        {"id": 9, "name": "9"},
    ]
    assert (file["min_players"], file["max_players"]) == (2, 6)
    assert (file["actions"], file["result"], file["status"]) == ([], {}, "active")
    assert (file["round"], file["turn"], file["acting"]) == ("Initial Auction", 1, [4])
    assert file["settings"]["optional_rules"] == []
    assert file["figf"]["preset"] == "figf"


def test_switches_that_the_peer_lacks_are_kept_under_our_own_key() -> None:
    """1830/Z-8, S-11 — three diesels; several brown certificates from the offering."""
    options = {"diesels": 3, "multiple_brown_from_ipo": True, "erie_city": "OWNER"}
    game = start("1830", ["1", "2"], "18xx", options)
    file = interchange.export(game)
    assert file["settings"]["optional_rules"] == ["multiple_brown_from_ipo"]
    assert file["figf"]["options"] == options
    assert_comes_back_the_same(game)


def test_the_peer_s_options_are_read_without_our_key() -> None:
    """1830/S-11; and one more 6-train than the two that are printed."""
    rules = ["optional_6_train", "multiple_brown_from_ipo"]
    title = begin(a_file(settings={"optional_rules": rules})).game.title
    assert title.preset == "18xx"
    assert title.switches.multiple_brown_from_ipo
    assert title.trains["6"].count == 3


def test_players_without_a_number_get_one_and_come_back_as_they_were() -> None:
    game = start("1830", ["anna", "1", "007"])
    game.apply(interchange.begin(interchange.export(game)).read(bid(0, "SV", 20)))  # type: ignore[arg-type]
    file = interchange.export(game)
    assert [one["id"] for one in file["players"]] == [0, 1, 2]
    assert file["figf"]["players"] == ["anna", "1", "007"]
    assert file["actions"][0]["entity"] == 0
    assert_comes_back_the_same(game)


def test_a_copy_cannot_be_written_because_its_beginning_is_missing() -> None:
    game = played(a_file(*AUCTION))
    later = play(game.copy(), "1 par PRR 67")
    for cut in (game.copy(), later):
        with pytest.raises(ValueError, match=r"does not lead from its start|1830/A-16"):
            interchange.export(cut)


# --- the cards ------------------------------------------------------------------------------------


def written(game: Game) -> list[dict[str, Any]]:
    return interchange.export(game)["actions"]


def with_two_holders_of_prr() -> Game:
    """The second stock round of three: player 1 presides PRR, which has not floated, with PRR_0 and
    PRR_2; player 2 has PRR_1, which came with CA (A-13), and PRR_3. Player 2 begins."""
    return play(
        played(a_file(*AUCTION)),
        """
        1 par PRR 67
        2 buy PRR ipo
        3 pass
        1 buy PRR ipo
        2 pass
        3 pass
        1 pass
        """,
    )


def shares_of(game: Game, verb: str) -> list[list[str]]:
    return [one["shares"] for one in written(game) if one["type"] == verb]


def test_a_sale_into_the_president_s_certificate_moves_the_cards_as_the_peer_does() -> None:
    """1830/C-4 — 2 tenths of the 3 of player 1: the ordinary one and half of PRR_0.

    Player 2, who has 2 now, gives PRR_1 and PRR_2 to the pool for PRR_0; the pool, where PRR_3 came
    first, gives that back for the tenth that player 1 keeps. So player 3 buys PRR_1.
    """
    game = with_two_holders_of_prr()
    assert shares_of(game, "buy_shares") == [["PRR_2"], ["PRR_3"]]
    play(game, "2 pass\n3 pass\n1 sell PRR 2\n1 pass\n2 pass\n3 buy PRR pool")
    told = written(game)
    assert (told[-4]["shares"], told[-4]["percent"]) == (["PRR_3", "PRR_0"], 20)
    assert told[-1]["shares"] == ["PRR_1"]
    play(game, "3 pass\n1 sell PRR 1")
    assert written(game)[-1]["shares"] == ["PRR_3"]


def test_a_purchase_that_makes_a_president_swaps_the_cards_with_the_old_one() -> None:
    """1830/C-4 — player 3 buys PRR_1, PRR_2 and PRR_4, and gives the first two for PRR_0."""
    game = with_two_holders_of_prr()
    play(game, "2 pass\n3 pass\n1 sell PRR 2\n1 pass\n2 pass")
    play(game, "3 buy PRR pool\n3 pass\n1 pass\n2 pass")
    play(game, "3 buy PRR pool\n3 pass\n1 pass\n2 pass")
    play(game, "3 buy PRR ipo\n3 pass\n1 pass\n2 sell PRR 2")
    assert shares_of(game, "buy_shares")[2:] == [["PRR_1"], ["PRR_2"], ["PRR_4"]]
    assert shares_of(game, "sell_shares") == [["PRR_3", "PRR_0"], ["PRR_1", "PRR_2"]]
    assert_comes_back_the_same(game)


def test_trains_are_dealt_in_their_order_and_come_back_by_the_pool() -> None:
    """The pool gives first what came first, a corporation its lowest card; rusted cards go."""
    state = turn_of("PRR", at="3", kinds=("3", "3")).state
    prr, nyc = state.corporations["PRR"], state.corporations["NYC"]
    nyc.trains = ["3"]
    cards = Cards(state.title)

    def buy(actor: str, kind: str, source: str) -> str:
        card = cards.train(source, kind)
        cards.follow(state, BuyTrain(actor, kind, source, 1), {"train": card}, {})
        return card

    assert [buy("PRR", "3", "bank") for _ in range(2)] == ["3-0", "3-1"]
    assert [buy("NYC", "3", "PRR") for _ in range(2)] == ["3-0", "3-1"]
    prr.trains, state.pool = [], ["3"]
    cards.follow(state, DiscardTrain("NYC", "3"), {"train": "3-1"}, {})
    assert cards.train("pool", "3") == "3-1"
    assert cards.train("NYC", "3") == "3-0"
    assert cards.train("bank", "3") == "3-2"
    nyc.trains, state.pool = [], []
    cards.follow(state, Pass("NYC"), {}, {})
    assert cards.of_kind("NYC", "3") == cards.of_kind("pool", "3") == []


def test_a_tile_that_is_replaced_goes_behind_those_that_never_lay() -> None:
    state = turn_of("PRR").state
    cards = Cards(state.title)
    for hex_id, kind, card in (("H10", "57", "57-0"), ("H10", "14", "14-0"), ("F16", "57", "57-1")):
        assert cards.tiles[kind][0] == card
        cards.follow(state, LayTile("PRR", hex_id, kind, 0), {"tile": card}, {})
    assert cards.tiles["57"] == ["57-2", "57-3", "57-0"]
    assert cards.laid == {"H10": "14-0", "F16": "57-1"}
    lay(state, "H10", "14", 0)
    assert cards.city(state, ("H10", 0)) == "14-0-0"
    assert cards.city(state, ("H12", 0)) == "H12-0-0"
    assert cards.city(state, ("G19", 1)) == "G19-0-1"


def test_a_token_stands_behind_the_room_that_is_kept_for_who_is_at_home() -> None:
    """1830/K-3 — tile 14 on E19 has two slots, and NYC, at home there, has still to come."""
    state = turn_of("PRR").state
    cards = Cards(state.title)
    lay(state, "E19", "14", 0)
    lay(state, "F16", "57", 0)
    said = [_place_token(state, cards, PlaceToken("PRR", hex_id, 0)) for hex_id in ("E19", "F16")]
    assert [one["slot"] for one in said] == [1, 0]
    token(state, "NYC", "E19")
    assert _place_token(state, cards, PlaceToken("PRR", "E19", 0))["slot"] == 1


def test_a_city_is_that_of_the_tile_that_lies_there_now() -> None:
    """A card that has been replaced, or never lay, names no city any more."""
    reader = begin(a_file(*AUCTION))
    for said, _ in interchange.play(reader, a_file(*AUCTION)):
        assert said
    reader.follow({"tile": "57-0"}, LayTile("PRR", "H10", "57", 1))
    reader.follow({"tile": "14-0"}, LayTile("PRR", "H10", "14", 1))
    assert reader.read(corporation("place_token", "PRR", city="14-0-0")) == PlaceToken(
        "PRR", "H10", 0
    )
    for city in ("57-0-0", "57-3-0", "14-0-1", "14-0", "Z9-0-0", "14-0-x", "", "-"):
        with pytest.raises(MalformedAction) as malformed:
            reader.read(corporation("place_token", "PRR", city=city))
        assert malformed.value.where == "city"


# --- undo, redo, what happens by itself -----------------------------------------------------------


def told(*kinds: str) -> list[Any]:
    """Entries "3" with that id; "undo", "undo 2" to that id; "redo"; "message"."""
    entries: list[Any] = []
    for kind in kinds:
        verb, _, target = kind.partition(" ")
        entry: dict[str, Any] = {"type": verb if verb.isalpha() else "pass"}
        if verb.isdigit():
            entry["id"] = int(verb)
        if target:
            entry["action_id"] = int(target)
        entries.append(entry)
    return entries


@pytest.mark.parametrize(
    ("kinds", "left"),
    [
        (["1", "2", "undo"], [1]),
        (["1", "2", "undo", "undo"], []),
        (["1", "undo", "undo", "2"], [2]),
        (["1", "2", "undo", "redo"], [1, 2]),
        (["1", "2", "undo", "3", "redo"], [1, 3]),
        (["1", "2", "3", "undo 1"], [1]),
        (["1", "2", "3", "undo 1", "redo"], [1, 2, 3]),
        (["1", "2", "3", "undo 0"], []),
        # 2 is itself taken back: what came before it stands, what comes after it goes
        (["1", "2", "undo", "3", "undo 2"], [1]),
        (["1", "2", "undo", "3", "4", "undo 3"], [1, 3]),
        # an id that comes twice is where it comes first
        (["1", "2", "3", "2", "undo 2"], [1, 2]),
        (["1", "2", "undo", "undo", "redo", "redo", "redo"], [1, 2]),
        (["1", "message", "2", "undo", "message", "redo"], [1, 2]),
        (["redo", "undo", "undo 5", "1"], [1]),
    ],
)
def test_what_is_taken_back_is_not_played_unless_it_is_done_again(
    kinds: list[str], left: list[int]
) -> None:
    assert [one["id"] for one in effective(told(*kinds))] == left


def test_an_automatic_action_is_played_after_the_entry_that_it_hangs_on() -> None:
    first = {**bid(1, "SV", 20), "auto_actions": [bid(2, "CS", 40), player("pass", 3)]}
    file = a_file(first, {**player("program_share_pass", 1), "auto_actions": [player("pass", 1)]})
    kinds = [said["type"] for said, _ in replay(file)]
    assert kinds == ["bid", "bid", "pass", "program_share_pass", "pass"]
    assert played(file).actor == "2"
    assert len(played(file, until=2).log) == 2
    assert played(file, until=0).log == []


def test_a_refusal_names_the_entry_and_its_automatic_action() -> None:
    refusal = refused({**bid(1, "SV", 20), "auto_actions": [bid(2, "CS", 40), bid(2, "DH", 75)]})
    assert (refusal.entry, refusal.automatic) == (0, 1)
    assert isinstance(refusal.error, IllegalAction)
    assert refusal.error.reason is Reason.NOT_YOUR_TURN
    refusal = refused(bid(1, "SV", 20), bid(2, "CS", 39))
    assert (refusal.entry, refusal.automatic) == (1, None)
    assert refusal.said == bid(2, "CS", 39)


def test_a_player_is_known_by_his_id_as_number_or_text_and_by_a_name_that_is_his_alone() -> None:
    for entity in (1, "1", "Anna"):
        assert played(a_file(bid(entity, "SV", 20))).state.owners == {"SV": "1"}
    file = a_file(bid("Anna", "SV", 20))
    file["players"][1]["name"] = "Anna"
    with pytest.raises(Refusal, match="entity: 'Anna' is not a player of this game"):
        played(file)
    file["players"][1]["name"] = "1"  # the first's id comes before the second's name
    assert played({**file, "actions": [bid("1", "SV", 20)]}).state.owners == {"SV": "1"}


def test_who_places_a_token_on_another_s_new_city_is_who_lays_the_tile() -> None:
    """1830/Z-12 — the peer has the operator choose, the FIGF Erie's president: so `cur` says."""
    for preset, expected in (("18xx", "corporation:PRR"), ("figf", "corporation:ERIE")):
        game = turn_of("PRR", preset)
        state = game.state
        company(state, "ERIE", 100, p2=6)
        token(state, "ERIE", "E11", -1)
        state.round.choosing, state.round.chooser = ("ERIE", "E11"), "1"  # type: ignore[union-attr]
        assert interchange.current(state) == expected


# --- whatever may stand in a file -----------------------------------------------------------------


@pytest.mark.parametrize(
    "data",
    [
        b"",
        b"{",
        b'{"title": "1830", "players": [',
        b"\xff\xfe\x00",
        "{}".encode("utf-16"),
        b"[" * 100_000,
        b'{"a":' * 100_000,
        b'{"a": NaN}',
        b"[Infinity]",
        b"[" + b"9" * 5000 + b"]",
        b"null null",
        b" " * (MOST_BYTES + 1),
    ],
)
def test_what_is_no_json_is_refused_before_anything_is_read(data: bytes) -> None:
    with pytest.raises(MalformedAction) as malformed:
        load(data)
    assert malformed.value.where == "file"


def test_a_mark_at_the_beginning_of_the_text_does_no_harm() -> None:
    assert load(b"\xef\xbb\xbf{}") == {}


NOT_FILES = [None, True, 0, 1.5, "", "1830", [], [[]], DEEP, [{"title": "1830"}]]
ODD: list[Any] = [
    None,
    True,
    False,
    -1,
    0,
    1.5,
    math.nan,
    math.inf,
    10**30,
    "",
    " ",
    "x" * 10_000,
    "\ud800",
]
ODD += ["\x00", [], [[]], {}, {"id": {}}, DEEP, ["1830"], "1889", -(10**9), "1_000", "１"]


@pytest.mark.parametrize("file", NOT_FILES, ids=str)
def test_what_is_no_object_is_no_game(file: Any) -> None:
    with pytest.raises(MalformedAction) as malformed:
        begin(file)
    assert malformed.value.where == "file"
    assert len(str(malformed.value)) < 300


@pytest.mark.parametrize(
    ("change", "where"),
    [
        ({"title": "1889"}, "title"),
        ({"title": ["1830"]}, "title"),
        ({"title": None}, "title"),
        ({"players": None}, "players"),
        ({"players": []}, "players"),
        ({"players": {"1": "Anna"}}, "players"),
        ({"players": [{"id": 1}]}, "players"),
        ({"players": [{"id": n} for n in range(7)]}, "players"),
        ({"players": [{"id": n} for n in range(1000)]}, "players"),
        ({"players": [{"id": 1}, {"id": 1}]}, "players"),
        ({"players": [{"id": 1}, {"id": "1"}]}, "players"),
        ({"players": [{"id": 1}, {"name": "Bo"}]}, "players[1]"),
        ({"players": [{"id": 1}, {"id": True}]}, "players[1]"),
        ({"players": [{"id": 1}, {"id": 1.5}]}, "players[1]"),
        ({"players": [{"id": 1}, {"id": [2]}]}, "players[1]"),
        ({"players": [{"id": 1}, 2]}, "players[1]"),
        ({"players": [{"id": 1}, {"id": "B&O"}]}, "players"),
        ({"players": [{"id": 1}, {"id": "Bo B"}]}, "players"),
        ({"players": [{"id": 1}, {"id": ""}]}, "players"),
        ({"players": [{"id": 1}, {"id": "\ud800"}]}, "players"),
        ({"players": [{"id": 1}, {"id": "x" * 10_000}]}, "players"),
        ({"settings": []}, "settings"),
        ({"settings": {"optional_rules": "all"}}, "settings.optional_rules"),
        ({"settings": {"optional_rules": ["unknown"]}}, "settings.optional_rules"),
        ({"settings": {"optional_rules": [["optional_6_train"]]}}, "settings.optional_rules"),
        ({"settings": {"optional_rules": {"a": 1}}}, "settings.optional_rules"),
        ({"figf": [1]}, "figf"),
        ({"figf": {"preset": "figf"}}, "figf.rules"),
        ({"figf": {"rules": 1}}, "figf.preset"),
        ({"figf": {"rules": 1, "preset": ["figf"]}}, "figf.preset"),
        ({"figf": {"rules": 1, "preset": "1889"}}, "preset"),
        ({"figf": {"rules": 2**70, "preset": "figf"}}, "figf.rules"),
        ({"figf": {"rules": True, "preset": "figf"}}, "figf.rules"),
        ({"figf": {"rules": 1, "preset": "figf", "options": [1]}}, "options"),
        ({"figf": {"rules": 1, "preset": "figf", "options": {"no": 1}}}, "options"),
        ({"figf": {"rules": 1, "preset": "figf", "options": {"diesels": -1}}}, "options.diesels"),
        ({"figf": {"rules": 1, "preset": "figf", "options": {"diesels": []}}}, "options.diesels"),
        ({"figf": {"rules": 1, "preset": "figf", "options": {"rescue": []}}}, "options.rescue"),
        ({"figf": {"rules": 1, "preset": "figf", "players": ["1"]}}, "figf.players"),
        ({"figf": {"rules": 1, "preset": "figf", "players": "123"}}, "figf.players"),
        ({"figf": {"rules": 1, "preset": "figf", "players": [1, 2, 3]}}, "figf.players"),
        ({"figf": {"rules": 1, "preset": "figf", "players": ["1", "1", "2"]}}, "players"),
        (
            {
                "settings": {"optional_rules": ["optional_6_train"]},
                "figf": {"rules": 1, "preset": "figf", "options": {}},
            },
            "settings.optional_rules",
        ),
        ({"actions": None}, "actions"),
        ({"actions": {"0": {}}}, "actions"),
        ({"actions": "pass"}, "actions"),
        ({"actions": ["pass"]}, "actions[0]"),
        ({"actions": [{}]}, "actions[0]"),
        ({"actions": [{"type": ["pass"]}]}, "actions[0]"),
        ({"actions": [{"type": "message"}] * (MOST_ACTIONS + 1)}, "actions"),
        ({"actions": [{"type": "pass"}] * 1_000_000}, "actions"),
    ],
)
def test_what_is_wrong_with_a_file_is_said_with_its_place(
    change: dict[str, Any], where: str
) -> None:
    with pytest.raises(MalformedAction) as malformed:
        played({**a_file(), **change})
    assert malformed.value.where == where
    assert len(str(malformed.value)) < 400


GOOD = {  # an entry of each kind, and what is read in it
    "bid": (bid(1, "SV", 20), ["entity", "company", "price"]),
    "pass": (player("pass", 1), ["entity"]),
    "par": (
        player("par", 1, corporation="NYC", share_price="67,5,6"),
        ["entity", "corporation", "share_price"],
    ),
    "buy_shares": (player("buy_shares", 1, shares=["NYC_1"], percent=10), ["entity", "shares"]),
    "sell_shares": (
        player("sell_shares", 1, shares=["NYC_1"], percent=10),
        ["entity", "shares", "percent"],
    ),
    "buy_company": (
        corporation("buy_company", "NYC", company="SV", price=20),
        ["entity", "company", "price"],
    ),
    "lay_tile": (
        corporation("lay_tile", "NYC", hex="E19", tile="57-0", rotation=0),
        ["entity", "hex", "tile", "rotation"],
    ),
    "place_token": (corporation("place_token", "NYC", city="H12-0-0"), ["entity", "city"]),
    "run_routes": (corporation("run_routes", "NYC", routes=[]), ["entity", "routes"]),
    "dividend": (corporation("dividend", "NYC", kind="payout"), ["entity", "kind"]),
    "buy_train": (
        corporation("buy_train", "NYC", train="2-0", price=80),
        ["entity", "train", "price"],
    ),
    "discard_train": (corporation("discard_train", "NYC", train="2-0"), ["entity", "train"]),
    "bankrupt": (corporation("bankrupt", "NYC"), ["entity"]),
}


@pytest.mark.parametrize("kind", GOOD)
def test_no_field_of_an_entry_can_be_anything_odd(kind: str) -> None:
    """Each field that is read, with each odd value and without one: no entry is played."""
    entry, fields = GOOD[kind]
    assert begin(a_file()).read(entry) is not None
    for field in fields:
        for value in ODD:
            refusal = refused({**entry, field: value})
            assert isinstance(refusal.error, EngineError)
            assert len(str(refusal)) < 400
        without = {key: value for key, value in entry.items() if key != field}
        assert isinstance(refused(without).error, MalformedAction)


@pytest.mark.parametrize("value", ODD, ids=lambda value: repr(value)[:20])
def test_neither_who_acts_nor_what_is_done_can_be_anything_odd(value: Any) -> None:
    for entry, _ in GOOD.values():
        error = refused({**entry, "entity_type": value, "entity": "nobody"}).error
        assert isinstance(error, MalformedAction)
        if isinstance(value, str):
            assert isinstance(refused({**entry, "type": value}).error, MalformedAction)


@pytest.mark.parametrize(
    ("entry", "where"),
    [
        (bid(4, "SV", 20), "entity"),
        (bid(True, "SV", 20), "entity"),
        (bid(1, "PRR", 20), "private"),
        (corporation("pass", "SV"), "entity"),
        ({"type": "pass", "entity": "SV", "entity_type": "company"}, "entity"),
        (player("par", 3, corporation="B&O", share_price="1e2"), "share_price"),
        (player("buy_shares", 1, shares=["NYC_1", "NYC_2"]), "shares"),
        (player("sell_shares", 1, shares=["NYC_1", "PRR_2"], percent=20), "shares"),
        (player("sell_shares", 1, shares=["NYC"], percent=10), "shares"),
        (player("sell_shares", 1, shares=["NYC_x"], percent=10), "shares"),
        (player("sell_shares", 1, shares=["NYC_1"] * 21, percent=10), "shares"),
        (player("sell_shares", 1, shares=["NYC_1"], percent=15), "percent"),
        (player("sell_shares", 1, shares=["NYC_1"], percent=-10), "percent"),
        (player("sell_shares", 1, shares=["NYC_1"], percent=110), "percent"),
        (corporation("lay_tile", "NYC", hex="E19", tile="57", rotation=0), "tile"),
        (corporation("dividend", "NYC", kind="half"), "kind"),
        (corporation("run_routes", "NYC", routes=[1]), "routes"),
        (corporation("run_routes", "NYC", routes=[{"train": "2-0"}]), "connections"),
        (corporation("run_routes", "NYC", routes=[{}] * 21), "routes"),
        (
            corporation(
                "run_routes", "NYC", routes=[{"train": "2-0", "connections": [["E19", 5]]}]
            ),
            "connections",
        ),
        (
            corporation("run_routes", "NYC", routes=[{"train": "2-0", "connections": [[]] * 201}]),
            "connections",
        ),
        (corporation("buy_train", "NYC", train="2-0", price=80, exchange="4"), "exchange"),
        ({"type": "explode", "entity": 1, "entity_type": "player"}, "type"),
    ],
)
def test_what_is_wrong_with_an_entry_is_said_with_its_field(
    entry: dict[str, Any], where: str
) -> None:
    error = refused(entry).error
    assert isinstance(error, MalformedAction)
    assert error.where == where


@pytest.mark.parametrize("price", [-1, -(10**6), 10**6, 10**6 + 1, 10**30])
def test_a_negative_or_huge_price_buys_nothing(price: int) -> None:
    game = turn_of("PRR", "18xx", step=Step.TRAINS)
    reader = interchange.Reader(game, {})
    for entry in (
        corporation("buy_train", "PRR", train="3-0", price=price),
        corporation("buy_company", "PRR", company="SV", price=price),
    ):
        before = game.copy()
        with pytest.raises(EngineError):
            game.apply(reader.read(entry))  # type: ignore[arg-type]
        assert game == before


def test_automatic_actions_are_a_list_and_not_too_many() -> None:
    for automatic in ("pass", {"0": player("pass", 1)}, [player("pass", 1)] * MOST_ACTIONS):
        refusal = refused({**player("pass", 1), "auto_actions": automatic})
        assert isinstance(refusal.error, MalformedAction)
        assert refusal.error.where == "auto_actions"
    refusal = refused({**player("pass", 1), "auto_actions": [None]})
    assert (refusal.automatic, refusal.error.args) == (0, ("auto_actions: None is not an action",))


def test_taking_back_and_doing_again_takes_no_longer_than_the_file_is_long() -> None:
    half = MOST_ACTIONS // 2
    began = time.process_time()
    back_and_forth = [{"type": "undo", "action_id": 0}, {"type": "redo"}] * (half // 2)
    assert len(effective([*told(*map(str, range(half))), *back_and_forth])) == half
    last = [{"type": "undo", "action_id": half - 1}] * half
    assert len(effective([*told(*map(str, range(half))), *last])) == half
    assert time.process_time() - began < 10


# --- at random ------------------------------------------------------------------------------------


def places(value: Any, path: tuple[Any, ...] = ()) -> Iterator[tuple[Any, ...]]:
    """The path to every value in a file."""
    children: Any = ()
    if isinstance(value, dict):
        children = value.items()
    elif isinstance(value, list):
        children = enumerate(value)
    for key, child in children:
        yield (*path, key)
        yield from places(child, (*path, key))


def mutated(file: Any, rng: random.Random) -> Any:
    """The file with one value replaced, taken out, repeated, or changed a little."""
    file = copy.deepcopy(file)
    path = rng.choice(list(places(file)))
    holder = file
    for key in path[:-1]:
        holder = holder[key]
    old = holder[path[-1]]
    match rng.randrange(5):
        case 0:
            del holder[path[-1]]
        case 1 if isinstance(holder, list):
            holder.insert(path[-1], copy.deepcopy(old))
        case 2 if isinstance(old, int):
            holder[path[-1]] = old + rng.choice([-10, -1, 1, 5, 10])
        case 3 if isinstance(old, str) and old:
            at = rng.randrange(len(old))
            holder[path[-1]] = old[:at] + rng.choice("019-_,&XÀ \x1b") + old[at + 1 :]
        case _:
            other = rng.choice(list(places(file)))
            value = file
            for key in other:
                value = value[key]
            holder[path[-1]] = rng.choice([*ODD, copy.deepcopy(value)])
    return file


@pytest.mark.parametrize("seed", range(6))
def test_a_file_changed_anywhere_is_played_or_refused(seed: int) -> None:
    """Fifty changes of the beginning of one of our games, each with the money counted after it."""
    rng = random.Random(f"files {seed}")
    file = file_of(OURS[seed % len(OURS)])
    file["actions"] = file["actions"][:60]
    for _ in range(50):
        changed = mutated(file, rng)
        with contextlib.suppress(MalformedAction, Refusal):
            check_invariants(played(changed).state)


@pytest.mark.parametrize("name", OURS)
def test_an_entry_changed_anywhere_is_played_or_refused_along_a_whole_game(name: str) -> None:
    """At every third position the next entry is changed and tried on a copy."""
    rng = random.Random(f"entries {name}")
    file = file_of(name)
    reader = begin(file)
    for number, entry in enumerate(file["actions"]):
        if number % 3 == 0:
            try_out(reader, mutated(entry, rng))
        action = reader.read(entry)
        assert action is not None
        reader.game.apply(action)
        reader.follow(entry, action)


def try_out(reader: interchange.Reader, entry: Any) -> None:
    """The entry read and played on a copy, if it can be; a refusal leaves the copy as it was."""
    trial = copy.copy(reader)
    trial.game = reader.game.copy()
    trial.trains, trial.issued = dict(reader.trains), set(reader.issued)
    try:
        action = trial.read(entry)
        if action is not None:
            trial.game.apply(action)
            trial.follow(entry, action)
    except EngineError:
        assert trial.game == reader.game
    else:
        check_invariants(trial.game.state)


def test_a_game_ended_by_hand_stands_as_it_was_played() -> None:
    """The peer writes an entry that is no action of the rules: nothing after it is played."""
    file = file_of("bankruptcy_18xx_2")
    played = file["actions"][:30]
    file["actions"] = [*played, {"type": "end_game", "entity": 1, "entity_type": "player"}]
    ended = [str(game) for _, game in interchange.replay(file)]
    file["actions"] = played
    assert ended[-1] == [str(game) for _, game in interchange.replay(file)][-1]
    assert len(ended) >= 30
