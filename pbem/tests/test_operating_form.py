"""The form of the operating turn: recorded turns entered, what it offers, slips and reasons."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterator
from dataclasses import replace
from random import Random

import pytest
from django.template.loader import render_to_string
from django.utils import translation

from pbem.engine import Game
from pbem.engine.actions import LayTile, Pass
from pbem.engine.state import Operating, Step
from pbem.forms.moves import MoveForm, move_form
from pbem.forms.operating import ChoiceForm, OperatingForm
from pbem.forms.purchases import Discards, Sales, Trains
from pbem.forms.track import Extra
from pbem.rules.commands import Command, Faulty, Plain, RunOrder, read
from pbem.rules.turns import Answer, Fate, Outcome, execute

from .form_data_operating import operating_data
from .our_games import OURS
from .positions import cash, company, lay, operating_round, play, turn_of
from .test_trains import above_the_limit
from .turns_of_games import recorded_turns

NAMES = {"1": "Anna", "2": "Bruno", "3": "Carla", "4": "Dora", "5": "Elio", "6": "Fede"}


@pytest.fixture(autouse=True)
def english() -> Iterator[None]:
    with translation.override("en"):
        yield


def meant(commands: list[Command]) -> list[Command]:
    """Commands without what only says when or how they were written."""
    found: list[Command] = []
    for one in commands:
        if isinstance(one, Plain):
            if not isinstance(one.action, Pass):
                found.append(replace(one, late=False))
        elif isinstance(one, RunOrder):
            found.append(replace(one, routes=tuple(sorted(one.routes or ()))))
        else:
            found.append(one)
    return found


# --- recorded turns -------------------------------------------------------------------------------


@pytest.mark.parametrize("name", OURS)
def test_every_recorded_turn_entered_by_its_fields_gives_its_commands(name: str) -> None:
    """X-01..X-17, V-08 — field by field; where one form has no place for it, in several."""
    turns, game = recorded_turns(name)
    forms: Counter[int] = Counter()
    for turn in turns:
        if isinstance(game.state.round, Operating) and not turn.whose[-1]:
            said: list[Command] = []
            at = game.copy()
            written = operating_data(turn, game)
            for data in written:
                commands = move_form(at, turn.player, NAMES, data).commands()
                said += commands
                outcomes = [Outcome(one) for one in commands]
                execute(at, outcomes, turn.player, ends=False)
                while any(one.fate is Fate.CONSENT for one in outcomes):
                    for one in outcomes:
                        one.answer = Answer.YES if one.fate is Fate.CONSENT else None
                    execute(at, outcomes, turn.player, ends=False)
                assert [one.why for one in outcomes if one.fate is not Fate.EXECUTED] == []
            assert meant(said) == meant(turn.commands)
            forms[len(written)] += 1
        for action in turn.actions:
            game.apply(action)
    assert forms[1] > 50
    assert sum(n for length, n in forms.items() if length > 1) < forms[1] / 10


@pytest.mark.parametrize("name", OURS)
def test_every_page_of_a_recorded_game_is_drawn_empty_and_filled_in(name: str) -> None:
    """Y-03 — and what is kept of a form, shown again, means the same."""
    turns, game = recorded_turns(name)
    for n, turn in enumerate(turns):
        if isinstance(game.state.round, Operating) and not turn.whose[-1] and n % 23 == 0:
            data = operating_data(turn, game)[0]
            filled = move_form(game.copy(), turn.player, NAMES, data)
            again = move_form(game.copy(), turn.player, NAMES, filled.typed())
            assert again.commands() == filled.commands()
            assert "move-map" in drawn(filled)
            assert "move-map" in drawn(move_form(game.copy(), turn.player, NAMES))
        for action in turn.actions:
            game.apply(action)


@pytest.mark.parametrize("name", OURS)
def test_nothing_that_is_written_breaks_the_form(name: str) -> None:
    """Bad input is shown again, and is no command or one that cannot be executed."""
    throws = Random(name)
    junk = ["", "H10", "F16", "E11", "57 1", "H10 57 1", "H10 57 1 DH", "E11:0", "PRR E11:1"]
    junk += ["PRR 3", "NYC 99", "D bank 4", "3 pool", "4 PRR", "6 nowhere", "CA", "BO", "0", "-5"]
    junk += ["$ 1.100", "pay", "١٢", "x" * 400, "<b>", "H12 H16 H10", "9" * 30, "SO", "NE", "1:2:3"]
    turns, game = recorded_turns(name)
    for n, turn in enumerate(turns):
        if isinstance(game.state.round, Operating) and not turn.whose[-1] and n % 19 == 0:
            empty = OperatingForm(game.copy(), turn.player, NAMES, None)
            names = [one for step in empty.steps for one in step.names]
            data = {one: throws.choice(junk) for one in names if throws.random() < 0.5}
            form = move_form(game.copy(), turn.player, NAMES, data)
            at = game.copy()
            execute(at, [Outcome(one) for one in form.commands()], turn.player)
            assert [read(one.to_dict()) for one in form.commands()] == form.commands()
            assert "move-map" in drawn(form)
        for action in turn.actions:
            game.apply(action)


# --- what was filled in ---------------------------------------------------------------------------


def form(game: Game, player: str = "1", **typed: str) -> OperatingForm:
    found = move_form(game.copy(), player, NAMES, typed)
    assert isinstance(found, OperatingForm)
    return found


def trains_of(game: Game, **typed: str) -> Trains:
    return next(one for one in form(game, **typed).steps if isinstance(one, Trains))


def drawn(found: MoveForm) -> str:
    return render_to_string(found.template, {"form": found})


def told(commands: list[Command]) -> list[str]:
    """Each command in a line: an action, or what is wrong with its row."""
    found = []
    for one in commands:
        if isinstance(one, Plain):
            found.append(f"{one.action}{' late' if one.late else ''}")
        elif isinstance(one, RunOrder):
            found.append(f"{one.corporation} run {one.routes} {one.stated} {one.dividend}")
        elif isinstance(one, Faulty):
            found.append(f"{one.about}: {one.fault} ({one.said})")
    return found


def prr(*kinds: str, at: str = "3") -> Game:
    """Anna's PRR at its tile, home in Altoona, 1000 dollars; SV and CA are hers, CS and BO Bruno's,
    DH Carla's, MH Dora's."""
    return turn_of("PRR", at=at, kinds=kinds)


@pytest.mark.parametrize(
    ("typed", "expected"),
    [
        ({}, []),
        ({"hex": "H10", "lay": "H10 57 1"}, ["PRR lay H10 57 1"]),
        ({"hex": "", "lay": "H10 57 1"}, []),  # "no tile" was chosen after it
        ({"hex": "H10"}, ["lay: incomplete (H10)"]),
        ({"hex": "H14", "lay": "H10 57 1"}, ["lay: incomplete (H14)"]),
        ({"hex": "H10", "lay": "H10 57"}, ["lay: incomplete (H10)"]),
        ({"hex": "F16", "lay": "F16 57 1 DH"}, ["PRR lay F16 57 1 private=DH"]),
        ({"free_hex": "h10", "free_tile": "57", "free_side": "o"}, ["PRR lay H10 57 1"]),
        ({"free_hex": "H10", "free_tile": "57", "free_side": "W"}, ["PRR lay H10 57 1"]),
        ({"free_hex": "Z9", "free_tile": "57", "free_side": "SE"}, ["PRR lay Z9 57 5"]),
        ({"free_hex": "H10", "free_tile": "57"}, ["lay: incomplete (H10 57)"]),
        (
            {"free_hex": "H10", "free_tile": "57", "free_side": "N"},
            ["lay: unreadable (H10 57 N)"],
        ),
        ({"extra": "B20 3 1 CS"}, ["PRR lay B20 3 1 private=CS"]),
        ({"token": "H10:0"}, ["PRR token H10 0"]),
        ({"token": "F16:0 DH"}, ["PRR token F16 0 private=DH"]),
        ({"token_hex": "h12"}, ["PRR token H12 0"]),
        ({"token_city": "1"}, ["token: incomplete (1)"]),
        ({"token_hex": "E11"}, ["token: unreadable (E11)"]),  # which of its two cities?
        ({"token_hex": "E11", "token_city": "2"}, ["PRR token E11 1"]),
        ({"token_hex": "H10", "token_price": "abc"}, ["token: unreadable (H10 abc)"]),
        ({"private1": "CS", "private1_price": "$ 40"}, ["PRR private CS 40"]),
        (
            {"private1": "CS", "private1_price": "40", "private1_late": "1", "token": "H10:0"},
            ["PRR token H10 0", "PRR private CS 40 late"],
        ),
        ({"private1": "CS"}, ["private: price_missing (CS)"]),
        ({"private1_price": "40"}, ["private: incomplete (40)"]),
        ({"private1": "XX", "private1_price": "40"}, ["private: unreadable (XX 40)"]),
        ({"train1": "3 bank"}, ["PRR train 3 bank 180"]),
        ({"train1": "3 bank", "train1_price": "200"}, ["PRR train 3 bank 200"]),
        ({"train1": "D bank 4"}, ["PRR train D bank 800 exchange=4"]),
        ({"train1": "3 pool"}, ["PRR train 3 pool 180"]),
        ({"train1": "3 NYC", "train1_price": "1"}, ["PRR train 3 NYC 1"]),
        ({"train1": "3 NYC"}, ["train: price_missing (3 NYC)"]),
        ({"train1": "3"}, ["train: source_missing (3)"]),
        ({"train1_price": "180"}, ["train: incomplete (180)"]),
        ({"train1": "3 bank", "train1_price": "?"}, ["train: unreadable (3 bank ?)"]),
        ({"sale1": "B&O 2", "bankrupt": "1"}, ["1 sell B&O 2", "1 bankrupt"]),
        ({"sale1": "B&O"}, ["sell: unreadable (B&O)"]),
        ({"later1": "PRR 3"}, ["PRR discard 3"]),
    ],
)
def test_a_row_is_its_command_and_half_a_row_says_what_it_lacks(
    typed: dict[str, str], expected: list[str]
) -> None:
    """X-02, X-04..X-07, X-12, X-13, X-15, X-16 — nothing is refused by the form."""
    assert told(form(prr("4"), **typed).commands()) == expected


def test_commands_come_in_the_order_of_the_turn() -> None:
    """X-04 — the private first, or last if it is meant for the end; sales before the train."""
    typed = {"train1": "3 bank", "sale1": "B&O 1", "dividend": "pay", "token": "H10:0"}
    typed |= {"hex": "H10", "lay": "H10 57 1", "private1": "CS", "private1_price": "40"}
    typed |= {"private2": "SV", "private2_price": "20", "private2_late": "1", "later1": "PRR 2"}
    assert told(form(prr("2"), **typed).commands()) == [
        "PRR private CS 40",
        "PRR lay H10 57 1",
        "PRR token H10 0",
        "PRR run None None pay",
        "1 sell B&O 1",
        "PRR train 3 bank 180",
        "PRR discard 2",
        "PRR private SV 20 late",
    ]


# --- the run --------------------------------------------------------------------------------------


def run_of(**typed: str) -> list[str]:
    found = form(prr("2"), hex="H10", lay="H10 57 1", **typed)
    return told(found.commands())[1:]


def test_the_run_is_that_of_the_board_with_the_tile_that_is_being_laid() -> None:
    """X-09, N3 of what players ask for — Altoona counts 10, Pittsburgh 20."""
    bare, laid = form(prr("2")), form(prr("2"), hex="H10", lay="H10 57 1")
    assert not bare.running.runs
    assert laid.running.best.value == 30
    assert [one.stops for one in laid.running.proposed] == [
        (("Pittsburgh (H10)", 20), ("Altoona (H12)", 10))
    ] or [one.stops for one in laid.running.proposed] == [
        (("Altoona (H12)", 10), ("Pittsburgh (H10)", 20))
    ]
    assert (laid.running.amount, laid.running.amount_was) == ("30", "30")
    assert laid.marks.proposed == LayTile("PRR", "H10", "57", 1)
    assert len(laid.marks.runs) == 1
    assert laid.running.dividend == ""  # never preselected


def test_the_sum_follows_the_tile_until_somebody_writes_another() -> None:
    """X-09 — a sum that was filled in is no statement; one that was written is."""
    assert run_of(amount="0", amount_was="0", dividend="pay") == ["PRR run None None pay"]
    assert run_of(amount="30", amount_was="30") == []
    assert run_of(amount="40", amount_was="30", dividend="pay") == ["PRR run None 40 pay"]
    assert run_of(amount="40", amount_was="30") == ["PRR run None 40 "]
    assert run_of(amount="0", amount_was="30") == ["PRR run () 0 "]
    assert run_of(amount="x", amount_was="30") == ["run: unreadable (x)"]
    routes = "(('2', ('H12', 'H10')),)"
    assert run_of(route1="h12-h10", dividend="pay") == [f"PRR run {routes} None pay"]


def test_trains_that_do_not_run_are_said_loudly() -> None:
    """X-10 — an empty form earns nothing, and a zero is to be confirmed."""
    laid = {"hex": "H10", "lay": "H10 57 1"}
    (silent,) = form(prr("2"), **laid).warnings
    assert "do not run" in silent
    assert "$30" in silent
    (zero,) = form(prr("2"), **laid, amount="0", amount_was="30").warnings
    assert "With 0" in zero
    assert form(prr("2"), **laid, dividend="pay").warnings == []
    assert form(prr("2")).warnings == []  # nothing could be earned
    assert form(prr(), **laid).warnings == []


def test_a_run_of_ones_own_is_counted_stop_by_stop() -> None:
    """N3 of what players ask for: each stop and its value, what is wrong, what is better."""
    found = form(prr("2"), hex="H10", lay="H10 57 1", route1="H12 H10 H8")
    (row,) = found.running.check.rows
    assert row.wrong
    found = form(prr("2"), hex="H10", lay="H10 57 1", route1="H12 H10")
    assert (found.running.value, found.running.longer_words) == (30, "")


def test_the_dividend_says_who_gets_what() -> None:
    """X-11 — 30 paid out with 60% in Anna's hands: 3 for each 10%, 18 to her; the price moves."""
    found = form(prr("2"), hex="H10", lay="H10 57 1").running
    assert "$3 for each share, $18 to you" in found.paid
    assert "price from $100 to $112" in found.paid
    assert "treasury $1030" in found.withheld
    assert "price from $100 to $90" in found.withheld


# --- what is offered, and why not -----------------------------------------------------------------


def test_the_hexes_and_their_tiles_with_cost_and_gain() -> None:
    """X-05 — Pittsburgh's yellow city adds 30 to the run of the 2-train; each rotation that leaves
    other track once."""
    found = form(prr("2"), hex="H10")
    assert found.track.hexes[0].value == "H10"
    assert found.track.hexes[0].words == "Pittsburgh (H10): +30"
    assert {one.tile for one in found.track.choices} == {"57"}
    assert [(one.value, one.side, one.gain) for one in found.track.choices] == [
        ("H10 57 1", "W", "+30")
    ]


def test_a_hex_without_a_tile_says_why_and_whose_private_blocks_it() -> None:
    """N2 of what players ask for."""
    game = prr("2")
    blocked = form(game, hex="H18").track
    assert blocked.choices == []
    assert "CA" in blocked.why
    assert "Anna" in blocked.why
    assert "H10" not in [one.value for one in blocked.others]
    assert "No track joins" in form(game, hex="E19").track.why
    assert "stays" in form(game, hex="F2").track.why


def test_stations_follow_the_tile_and_say_where_they_cannot_be() -> None:
    """X-07 — the first station after home costs 40."""
    assert form(prr("2")).token.offers == []
    found = form(prr("2"), hex="H10", lay="H10 57 1").token
    assert [(one.value, one.words) for one in found.offers] == [("H10:0", "Pittsburgh (H10): $40")]
    assert found.left == "3 stations left, the next for $40."
    why = {one.words: one.why for one in found.barred}
    assert "already" in why["Altoona (H12)"]
    assert "No track joins" in why["New York & Newark (G19)"]


def test_the_free_token_comes_with_the_tile_of_the_private() -> None:
    """X-05, X-07, Z-06 — the D&H's tile in F16 costs its mountain, its station nothing."""
    game = prr()
    game.state.owners["DH"] = "PRR"
    assert "F16" in [one.value for one in form(game).track.hexes]
    powers = {(one.power, one.cost) for one in form(game, hex="F16").track.choices}
    assert powers == {("DH", "$120")}
    found = form(game, hex="F16", lay="F16 57 1 DH").token
    assert "F16:0 DH" in [one.value for one in found.offers]


def test_the_second_tile_of_b20() -> None:
    """X-05, Z-05 — only while the corporation owns the C&SL."""
    game = prr()
    assert not form(game).steps[[type(one) for one in form(game).steps].index(Extra)].shown
    game.state.owners["CS"] = "PRR"
    extra = next(one for one in form(game).steps if isinstance(one, Extra))
    assert {one.tile for one in extra.choices} == {"3", "4", "58"}


def test_privates_in_their_range_and_who_is_asked() -> None:
    """X-02, X-03, PRIV — half to double; the B&O's never; in phase 2 none."""
    offered = {one.value: one.words for one in form(prr()).privates.rows[0].offers}
    assert offered.keys() == {"SV", "CA", "CS", "DH", "MH"}
    assert "yours: $10 to $40" in offered["SV"]
    assert "of Bruno: $20 to $80" in offered["CS"]
    assert [one.words[:2] for one in form(prr()).privates.barred] == ["BO"]
    early = form(prr(at="2")).privates
    assert early.offered == []
    assert "phase" in next(one.why for one in early.barred if one.words.startswith("SV"))
    assert form(prr(at="2"), train1="3 bank").privates.offered == []  # 2-trains come first


def test_trains_with_what_was_bought_in_the_rows_before() -> None:
    """X-12, X-15 — after the last 3 the bank sells a 4; a D takes a 4, a 5 or a 6 in exchange."""
    game = prr(at="3")
    game.state.depot["3"] = 1
    rows = trains_of(game, train1="3 bank").rows
    assert next(one.value for one in rows[0].offers) == "3 bank"
    assert next(one.value for one in rows[1].offers) == "4 bank"
    late = prr("5", at="6")
    offers = {one.value: one.words for one in trains_of(late).rows[0].offers}
    assert offers["D bank 5"].endswith("$800")
    why = {one.words: one.why for one in trains_of(late).barred}
    assert any("1100" in one for one in why.values())


def test_a_forced_purchase_shows_what_is_missing_and_the_sales() -> None:
    """X-16 — a 4 at 300, treasury 100, president 50: 150 are missing."""
    game = prr(at="4")
    lay(game.state, "H10", "57", 1)
    cash(game.state, "PRR", 100)
    cash(game.state, "1", 50)
    company(game.state, "NYC", 100, p1=3, p2=3)
    sales = next(one for one in form(game).steps if isinstance(one, Sales))
    assert (sales.shown, sales.missing) == (True, 150)
    assert "NYC 2" in [one.value for one in sales.rows[0].offers]
    assert "$150 is missing" in sales.told
    after = trains_of(game, sale1="NYC 2")
    assert "4 bank" in [one.value for one in after.rows[0].offers]


# --- choices --------------------------------------------------------------------------------------


def test_a_train_is_discarded_in_the_turn_of_another() -> None:
    """1830/N-8 — Bruno's B&O, in Carla's turn; nothing else is asked of him."""
    game = play(above_the_limit("figf"), "NYC train 5 bank 450")
    found = form(game, "2", discard1="B&O 3")
    assert isinstance(found, ChoiceForm)
    assert told(found.commands()) == ["B&O discard 3"]
    (step,) = found.shown
    assert isinstance(step, Discards)
    assert [one.value for one in step.rows[0].offers] == ["B&O 3", "B&O 4"]
    assert found.head.corporation == "B&O"


def test_the_erie_chooses_its_city_before_its_turn_goes_on() -> None:
    """X-08 — a tile lies on E11 when it begins."""
    game = prr()
    lay(game.state, "E11", "59", 3)
    company(game.state, "ERIE", 90, p2=6)
    operating_round(game, "ERIE")
    found = form(game, "2", city="ERIE E11:1", hex="D12", lay="D12 8 1")
    assert isinstance(found, ChoiceForm)
    assert told(found.commands()) == ["ERIE token E11 1", "ERIE lay D12 8 1"]
    assert [one.value for one in found.city.offers] == ["ERIE E11:0", "ERIE E11:1"]


def test_the_city_is_asked_for_as_soon_as_the_tile_is_chosen() -> None:
    """X-08 — the Erie lays its own first tile: the field appears with it."""
    game = turn_of("ERIE", step=Step.HOME)
    assert not form(game).city.shown
    found = form(game, hex="E11", lay="E11 59 3", city="ERIE E11:0")
    assert found.city.mine
    assert [one.value for one in found.city.offers] == ["ERIE E11:0", "ERIE E11:1"]
    assert told(found.commands()) == ["ERIE lay E11 59 3", "ERIE token E11 0"]


def test_orientation_is_shown_by_its_side_and_its_number() -> None:
    """X-06."""
    sides = form(prr()).track.sides
    assert [(one.words, one.rotation) for one in sides][:2] == [("SW", 0), ("W", 1)]
    assert len(sides) == 6
