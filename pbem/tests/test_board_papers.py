"""The papers on the table: the record's figures at every state, the file's in print."""

from __future__ import annotations

import json
import re
from collections import Counter
from functools import cache
from pathlib import Path
from types import ModuleType
from typing import Any
from xml.etree import ElementTree

import pytest
from django.utils import translation

from pbem.board import papers, words
from pbem.board.printed import NAMES, facts
from pbem.engine import State, interchange, parse, start
from pbem.engine.facts import FOLDER

from .our_games import OURS
from .our_games import file_of as our_file
from .test_board_market import states_of
from .test_cases import compare, each_game

__all__ = ["compare"]  # the fixture

each_title = pytest.mark.parametrize("name", NAMES)


@pytest.fixture(autouse=True)
def in_english() -> Any:
    with translation.override("en"):
        yield


@cache
def printed(name: str) -> Any:
    return json.loads((FOLDER / f"{name}.json").read_text(encoding="utf-8"))


def amount(text: str) -> int:
    return int(text.removeprefix("$"))


# --- real games, state by state -------------------------------------------------------------------


@each_game
def test_every_paper_of_a_recorded_game_says_what_the_record_says(
    path: Path, compare: ModuleType
) -> None:
    board: dict[str, str] = {}
    for number, (state, truth) in enumerate(states_of(path, compare)):
        check_players(number, state, truth)
        check_corporations(number, state, truth)
        check_certificates(number, state, truth)
        check_trains(number, state, truth)
        check_privates(number, state, truth)
        check_tiles(number, state, truth, board)


def check_players(number: int, state: State, truth: Any) -> None:
    """1830/S-13, X-4 — cash, certificates, worth, shares, privates, priority, at every state."""
    rows = {one.id: one for one in papers.players(state)}
    assert set(rows) == set(truth["players"])
    for player, record in truth["players"].items():
        row, where = rows[player], (number, player)
        assert amount(row.cash) == record["cash"], where
        assert amount(row.worth) == record["value"], where
        assert row.certificates == record["certs"], where
        assert row.limit == truth["cl"]
        held = {one.corporation: one.percent for one in row.holdings}
        assert held == {key: n for key, n in record["shares"].items() if n}, where
        assert sorted(row.privates) == sorted(record["companies"]), where
    assert [one.id for one in rows.values() if one.priority] == [truth["pd"]], number
    if not truth.get("finished"):
        acts = [one.id for one in rows.values() if one.acts]
        assert set(acts) <= set(truth["acting"]) or truth["cur"].startswith("company:")


def check_corporations(number: int, state: State, truth: Any) -> None:
    rows = {one.id: one for one in papers.charters("1830", state)}
    assert set(rows) == set(truth["corps"])
    places = [one.place for one in papers.charters("1830", state)]
    begun = [place for place in places if place is not None]
    assert begun == list(range(1, len(begun) + 1))
    assert places[: len(begun)] == begun
    for symbol, record in truth["corps"].items():
        row, where = rows[symbol], (number, symbol)
        assert amount(row.cash) == record["cash"], where
        assert row.par == (f"${record['par']}" if record["par"] else ""), where
        assert row.price == (f"${record['price']}" if record["price"] else ""), where
        assert (row.ipo, row.pool) == (record["ipo"], record["mkt"]), where
        assert row.ipo + row.pool + row.players == 100, where
        assert sorted(row.trains) == sorted(record["trains"]), where
        assert row.floated == record["floated"], where
        president = (record["pres"] or "").removeprefix("player:")
        assert row.president == president, where
        # while the city of a token is chosen the record has it still on the charter
        assert record["ntok"] - row.unused in {0, 1}, where
        prices = next(
            one["tokens"] for one in printed("1830")["corporations"] if one["id"] == symbol
        )
        expected = f"${prices[-row.unused]}" if row.unused else ""
        assert row.next_price == expected, where


def check_certificates(number: int, state: State, truth: Any) -> None:
    """Ten tenths of each corporation in nine certificates, one of them the president's; where the
    record has them."""
    for row in papers.shares(state):
        held = [one for one in (row.ipo, row.pool, *row.hands) if one]
        assert sum(one.percent for one in held) == 100
        assert sum(one.certificates for one in held) == 9
        assert sum(one.president for one in held) == 1
        for player, hand in zip(state.players, row.hands, strict=True):
            record = truth["players"][player]["shares"].get(row.corporation, 0)
            assert (hand.percent if hand else 0) == record
        record = truth["corps"][row.corporation]
        assert (row.ipo.percent if row.ipo else 0) == record["ipo"]
        assert (row.pool.percent if row.pool else 0) == record["mkt"]
        chair = (record["pres"] or "").removeprefix("player:")
        presiding = [
            player
            for player, hand in zip(state.players, row.hands, strict=True)
            if hand and hand.president
        ]
        assert presiding == ([chair] if chair else [])


def check_trains(number: int, state: State, truth: Any) -> None:
    """1830/N-1 — what is on sale, how many are left, in whose hands, which phase is in force."""
    rows = papers.trains("1830", state)
    depot = truth["depot"]
    left = dict(map(tuple, depot["left"]))
    for row in rows:
        if row.id != "D":  # the record says one of what is without limit
            assert row.left == left.get(row.id, 0), (number, row.id)
    assert {one.id for one in rows if one.on_sale} | {one.id for one in rows if one.pool} == set(
        depot["avail"]
    ), number
    assert Counter({one.id: one.pool for one in rows if one.pool}) == Counter(depot["disc"])
    owned = Counter(kind for one in truth["corps"].values() for kind in one["trains"])
    assert Counter({one.id: sum(n for _, n in one.owners) for one in rows if one.owners}) == (owned)
    assert not [one.id for one in rows if one.rusted and (one.owners or one.pool)]
    phases = papers.phases("1830", state)
    assert [one.id for one in phases if one.now] == [truth["phase"]]
    assert [one.past for one in phases] == sorted((one.past for one in phases), reverse=True)


def check_privates(number: int, state: State, truth: Any) -> None:
    """1830/A-1, A-3 — the least bids of the auction too."""
    owners = {
        private: owner
        for rows in (truth["players"], truth["corps"])
        for owner, row in rows.items()
        for private in row.get("companies", ())
    }
    rows = papers.privates("1830", state)
    assert {one.id: one.owner for one in rows if one.owner} == owners, number
    if truth.get("auction"):
        least = {one.id: amount(one.least) for one in rows if one.least}
        assert least == least_offers(truth["auction"]), number
        bids = {private: sorted(offers) for private, offers in truth["auction"]["bids"].items()}
        ours = {one.id: sorted([who, amount(bid)] for who, bid in one.bids) for one in rows}
        assert {key: value for key, value in ours.items() if value} == {
            key: value for key, value in bids.items() if value
        }
    else:
        assert not [one for one in rows if one.least and not one.owner and not one.closed]
    turn = papers.turn(state)
    assert amount(turn.bank.replace("$-", "-")) == truth["bank"]
    assert turn.phase == truth["phase"]
    kind = truth.get("round", "").rpartition("::")[2]
    if truth.get("finished"):
        assert turn.over
        assert not turn.actor
    elif kind == "Operating":
        assert turn.round == f"Operating round {truth['turn']}.{truth['rnum']}"
        if truth["cur"].startswith("corporation:") and "discard_train" not in truth["acts"]:
            assert turn.actor in {truth["cur"].removeprefix("corporation:"), "ERIE"}
    elif kind == "Stock":
        assert turn.round == f"Stock round {truth['turn']}"
        assert f"player:{turn.actor}" == truth["cur"]


def least_offers(record: Any) -> dict[str, int]:
    """The cheapest for its price; each other, or one that is fought for, for five more than the
    highest bid or the face value (the record gives the price)."""
    offers = {}
    for place, (private, price) in enumerate(record["left"]):
        bids = [bid for _player, bid in record["bids"].get(private, ())]
        fixed = place == 0 and not record.get("auctioning")
        offers[private] = price if fixed else max([price, *bids]) + 5
    return offers


def check_tiles(number: int, state: State, truth: Any, board: dict[str, str]) -> None:
    counts = {one["id"]: one["count"] for one in printed("1830")["tiles"]}
    board |= {hex_id: tile for hex_id, (tile, _rotation) in truth["tiles"].items()}
    laid = Counter(board.values())
    for group in papers.tiles("1830", state):
        for one in group.kinds:
            assert one.left == counts[one.id] - laid[one.id]
        assert group.left == sum(one.left for one in group.kinds)


# --- our own games, for who has no record ---------------------------------------------------------


@pytest.mark.parametrize("name", OURS)
def test_in_our_games_nothing_is_lost(name: str) -> None:
    """Money, certificates, trains and tiles: all there at every state."""
    for number, (_said, game) in enumerate(interchange.replay(our_file(name))):
        if number % 5:
            continue
        state = game.state
        every = papers.papers(state, {"1": "Zoe"})
        cash = sum(amount(one.cash) for one in every.players)
        cash += sum(amount(one.cash) for one in every.charters)
        assert every.turn
        if not state.bankrupt:
            assert cash + amount(every.turn.bank.replace("$-", "-")) == 12_000
        for row in every.shares:
            assert sum(one.percent for one in (row.ipo, row.pool, *row.hands) if one) == 100
        assert sum(one.priority for one in every.players) == 1
        assert sum(one.now for one in every.phases) == 1
        counted = sum(held.certificates for one in every.players for held in one.holdings) + sum(
            len(one.privates) for one in every.players
        )
        exempt = sum(
            held.certificates
            for one in every.players
            for held in one.holdings
            if next(row.zone for row in every.charters if row.id == held.corporation)
        )
        assert sum(one.certificates for one in every.players) == counted - exempt


# --- in words -------------------------------------------------------------------------------------


def test_rounds_are_called_as_players_call_them() -> None:
    game = start("1830", ["1", "2", "3"])
    turn = papers.turn(game.state, {"1": "Anna"})
    assert (turn.round, turn.actor, turn.player) == ("Opening auction", "Anna", "")
    state = game.state
    while papers.turn(state).round == "Opening auction":
        game.apply(
            next(
                option.action
                for option in game.options()
                if "bid" in str(option.action) or "par" in str(option.action)
            )
        )
    assert papers.turn(state).round == "Stock round 1"


def test_the_auction_shows_who_bids_what() -> None:
    """1830/A-3 — 75 beats nothing on the Delaware & Hudson, 80 beats 75."""
    game = start("1830", ["1", "2", "3"])
    for said in ("1 bid DH 75", "2 bid DH 80"):
        game.apply(parse(said))
    rows = {one.id: one for one in papers.privates("1830", game.state, {"1": "Anna", "2": "Bruno"})}
    assert rows["DH"].bids == (("Bruno", "$80"), ("Anna", "$75"))
    assert rows["DH"].least == "$85"
    assert rows["SV"].least == "$20"
    assert rows["CS"].least == "$45"
    assert not rows["DH"].closed


def test_money_is_written_as_the_title_writes_it() -> None:
    assert words.money(1100, facts("1830")["currency"]) == "$1100"
    assert words.money(350, facts("1849")["currency"]) == "L.\N{NO-BREAK SPACE}350"


def over(state: State, why: str) -> str:
    state.over, state.bankrupt = why, "1" if why == "bankruptcy" else None
    return papers.turn(state, {"1": "Anna"}).over


def test_why_a_game_ended_is_said() -> None:
    state = start("1830", ["1", "2", "3"]).state
    assert "the bank is broken" in over(state, "bank")
    assert "Anna is bankrupt" in over(state, "bankruptcy")
    assert "nobody can do anything" in over(state, "stalemate")


# --- what is printed ------------------------------------------------------------------------------


@each_title
def test_trains_are_those_of_the_file(name: str) -> None:
    file = printed(name)
    rows = papers.trains(name)
    assert [one.id for one in rows] == [one["id"] for one in file["trains"]]
    for row, one in zip(rows, file["trains"], strict=True):
        assert str(one["price"]) in row.price
        counted = one["count_printed"] if "count_printed" in one else one["count"]
        assert (row.count, row.left) == (counted, counted)
        value = one["reach"].get("value")
        assert row.reach.startswith(str(value) if value else "any number")
        assert ("hexside" in row.reach) == (one["reach"]["kind"] == "hexsides")
        assert row.rusted_by == (one["rusts_on"] or "")
        assert set(row.rusts) == {
            other["id"] for other in file["trains"] if other["rusts_on"] == one["id"]
        }
        for kind, off in one.get("trade_in", {}).get("off", {}).items():
            assert f"{off} less for a {kind}" in row.trade


@each_title
def test_phases_are_those_of_the_file(name: str) -> None:
    for row, one in zip(papers.phases(name), printed(name)["phases"], strict=True):
        assert row.id == one["id"]
        assert row.begins == (
            f"first {one['trigger_train']}-train" if one["trigger_train"] else "at the start"
        )
        assert (row.trains, row.rounds) == (one["train_limit"], one["operating_rounds"])
        assert [tint for tint, _words in row.colours] == one["tile_colors"]
        assert len(row.events) == len(one["on_enter"])
        assert not row.now
        assert not row.past


def test_the_federation_plays_1830_with_six_diesels() -> None:
    """1830/Z-8 — as a game under its preset has them."""
    assert {one.id: one.count for one in papers.trains("1830")}["D"] == 6
    assert {one.id: one.count for one in papers.trains("1856")}["D"] is None


def test_three_players_of_1849_have_fewer_trains() -> None:
    seated = {one.id: one.seated for one in papers.trains("1849") if one.seated}
    assert seated == {"6H": ((3, 3),), "8H": ((3, 2),), "16H": ((3, 4),)}
    for name in ("1830", "1856", "1870"):
        assert not any(one.seated for one in papers.trains(name))


@each_title
def test_privates_are_those_of_the_file(name: str) -> None:
    for row, one in zip(papers.privates(name), printed(name)["privates"], strict=True):
        assert (row.id, row.name) == (one["id"], one["name"])
        assert str(one["face"]) in row.face
        assert str(one["revenue"]) in row.revenue
        assert list(row.blocks) == one["blocked_hexes"]
        if one["sellable_to_corporation"]:
            assert all(str(price) in row.for_corporations for price in one["corporation_price"])
        else:
            assert row.for_corporations == "never"
        assert row.power


@each_title
def test_corporations_are_those_of_the_file(name: str) -> None:
    hexes = {one["id"]: one["name"] for one in printed(name)["map"]["hexes"]}
    for row, one in zip(papers.charters(name), printed(name)["corporations"], strict=True):
        assert (row.id, row.name) == (one["id"], one["name"])
        home = one["home"]
        assert row.home == (f"{home['hex']} {hexes[home['hex']]}" if home else "")
        fee = one.get("token_fee")
        if fee:
            assert row.stations == (str(len(one["tokens"])),)
            assert any(str(fee) in note for note in row.notes)
        else:
            assert [price.lstrip("$") for price in row.stations] == list(map(str, one["tokens"]))
        for key in ("destination", "alternate_destination"):
            for hex_id in one.get(key, {}).get("hexes", ()):
                assert any(hex_id in note for note in row.notes)
    for title, words_of in (
        ("1830", "20% (president), 8 × 10%"),
        ("1849", "20% (president), 6 × 10%, 20%"),
    ):
        charter = papers.charters(title)[0]
        assert charter.certificates.replace("\N{NO-BREAK SPACE}", " ") == words_of


def test_the_alternate_destinations_of_1856_are_a_variant() -> None:
    """Said once where both are the same; what London and Detroit have to do is of the variant."""
    notes = {one.id: one.notes for one in papers.charters("1856")}
    assert notes["BBG"] == (
        "destination N17 Welland",
        "variant “alternate destinations”: N11 Toronto",
    )
    assert notes["WR"] == ("destination L15 Hamilton",)
    printed_goal, variant = notes["CA"]
    assert printed_goal == "destination H15 Woodstock"
    assert "A20" in variant
    assert "connect London (F15)" in variant
    assert not any("variant" in note for one in papers.charters("1870") for note in one.notes)


def test_a_corporation_of_1856_floats_by_the_train_on_offer() -> None:
    """1856.START — the five figures, in the order of the trains."""
    (told,) = papers.about("1856").of_corporations
    (rule,) = (one["text"] for one in printed("1856")["rules"] if one["id"] == "1856.START")
    for text in (told, rule):
        assert re.findall(r"(\d+)%", text) == ["20", "30", "40", "50", "60"]


def test_what_the_map_does_not_show_is_said_beside_it() -> None:
    said = papers.about("1849").of_map
    assert any("every lay and every upgrade" in one and "a quarter" in one for one in said)
    assert any("optional" in one and "two other stops" in one for one in said)


@each_title
def test_the_rules_said_on_a_page_are_of_the_file(name: str) -> None:
    """Each has its rule in the file, and names no hex and no amount that the rule does not."""
    rules = {one["id"]: one["text"] for one in printed(name)["rules"]}
    for told in words.RULES[name].values():
        for rule, text in told.items():
            named = set(re.findall(r"\b[A-Za-z]?\d+\b", str(text)))
            assert named <= set(re.findall(r"\b[A-Za-z]?\d+\b", rules[rule])), rule


@each_title
def test_the_later_limits_are_those_of_the_file(name: str) -> None:
    later = printed(name)["setup"].get("cert_limit_later")
    limits = papers.limits(name)
    if later is None:
        assert limits is None
        return
    assert limits
    shown = {
        str(n): {str(who): limit for who, limit in zip(limits.players, row, strict=True)}
        for n, row in limits.rows
    }
    assert {n: {who: shown[n][who] for who in row} for n, row in later["table"].items()} == later[
        "table"
    ]
    assert shown.keys() == later["table"].keys()


def test_seven_players_of_1870_may_hold_seven_once_a_corporation_is_gone() -> None:
    limits = papers.limits("1870")
    assert limits
    assert limits.players == (2, 3, 4, 5, 6, 7)
    assert limits.rows == ((9, (24, 17, 14, 11, 9, 7)),)


@each_title
def test_tiles_are_those_of_the_file(name: str) -> None:
    file = printed(name)
    groups = papers.tiles(name)
    totals = file["tile_totals"]
    assert {group.colour: group.pieces for group in groups} == totals["by_color"]
    assert sum(len(group.kinds) for group in groups) == totals["kinds"]
    assert sum(group.pieces for group in groups) == totals["pieces"]
    kinds = {kind.id: kind for group in groups for kind in group.kinds}
    for one in file["tiles"]:
        kind = kinds[one["id"]]
        label = one["label"] or ""
        assert kind.count == one["count"]
        assert kind.label == ("" if one["id"] in {"171K", "172L"} else label)
        assert [to.split()[0] for to in kind.upgrades] == [to["to"] for to in one["upgrades_to"]]
        for said, to in zip(kind.upgrades, one["upgrades_to"], strict=True):
            for hex_id in (*to.get("only_hexes", ()), *to.get("except_hexes", ())):
                assert hex_id in said
            if "from_phase" in to:
                assert said.endswith(f"(from phase {to['from_phase']})")


@each_title
def test_every_tile_is_drawn_with_its_track_and_its_cities(name: str) -> None:
    """A stroke for each path by gauge, a circle for each place of a city, a mark for each town."""
    kinds = {kind.id: kind for group in papers.tiles(name) for kind in group.kinds}
    for one in printed(name)["tiles"]:
        drawing = ElementTree.fromstring(kinds[one["id"]].picture)
        strokes: Counter[str] = Counter()
        for path in drawing.iter("path"):
            strokes[path.get("class", "")] += path.get("d", "").count("M")
        gauges = Counter(path.get("gauge", "standard") for path in one["paths"])
        assert strokes["rail"] == gauges["standard"], one["id"]
        assert strokes["narrow"] == gauges["narrow"], one["id"]
        assert strokes["dual"] == gauges["dual"], one["id"]
        circles = Counter(circle.get("class") for circle in drawing.iter("circle"))
        slots = sum(node.get("slots", 0) for node in one["nodes"] if node["type"] == "city")
        assert circles["slot"] + circles["berth"] == slots, one["id"]
        towns = sum(node["type"] == "town" for node in one["nodes"])
        assert circles["town"] + strokes["stop"] == towns, one["id"]


@each_title
def test_every_tile_is_told_with_its_cities_their_values_and_its_gauge(name: str) -> None:
    kinds = {kind.id: kind for group in papers.tiles(name) for kind in group.kinds}
    for one in printed(name)["tiles"]:
        told = kinds[one["id"]].words
        assert told.startswith(f"Tile {one['id']}, "), told
        cities = sum(node["type"] == "city" for node in one["nodes"])
        towns = sum(node["type"] == "town" for node in one["nodes"])
        assert len(re.findall(r"\bCity\b", told)) == cities, told
        assert len(re.findall(r"\btown\b", told)) == towns, told
        values = [str(node["revenue"]) for node in one["nodes"] if node["revenue"]]
        assert re.findall(r"worth (\d+)", told) == values, told
        gauges = {path.get("gauge", "standard") for path in one["paths"]}
        assert ("narrow gauge" in told) == ("narrow" in gauges), told
        assert ("both gauges" in told) == ("dual" in gauges), told


@each_title
def test_the_start_is_that_of_the_file(name: str) -> None:
    setup = printed(name)["setup"]
    rows = {one.players: one for one in papers.seats(name)}
    assert set(rows) == set(map(int, setup["players"]))
    for n, one in setup["players"].items():
        assert str(one["cash"]) in rows[int(n)].cash
        assert rows[int(n)].limit == one["cert_limit"]
    about = papers.about(name)
    assert str(setup["bank"]) in about.bank
    assert about.refereed == (name == "1830")


@each_title
def test_every_sentence_of_the_file_that_is_shown_can_be_translated(name: str) -> None:
    """What `words` has neither as it stands nor otherwise would be English on an Italian page."""
    file = facts(name)
    shown = [file["setting"], file["setup"]["players_note"]]
    shown += [file["setup"].get("cert_limit_later", {}).get("note")]
    shown += [effect for zone in file["market"]["zones"].values() for effect in zone["effect"]]
    for phase in file["phases"]:
        shown += [phase["privates"], *phase["on_enter"]]
    for train in file["trains"]:
        shown += [train["available"], train.get("note"), train.get("trade_in", {}).get("note")]
    shown += [private["power"] for private in file["privates"]]
    for one in file["corporations"]:
        shown += [one.get("home_choice"), one.get("note")]
        shown += [one.get(key, {}).get("note") for key in ("destination", "alternate_destination")]
        shown += [one["float_percent"]] if isinstance(one["float_percent"], str) else []
    missing = {text for text in shown if text} - words.AS_THEY_STAND - set(words.INSTEAD)
    assert missing == set()
    for tint in (*file["market"]["zones"], *(one["color"] for one in file["tiles"])):
        assert tint in words.COLOURS


def test_what_words_has_some_title_says() -> None:
    told = json.dumps([facts(name) for name in NAMES], ensure_ascii=False)
    for text in (*words.AS_THEY_STAND, *words.INSTEAD):
        assert json.dumps(text, ensure_ascii=False)[1:-1] in told, text
