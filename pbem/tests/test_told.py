"""A move in words: every kind of command, executed, refused, waiting, agreed to later."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace

import pytest
from django.utils import translation

from pbem import texts
from pbem.engine import Game, parse, start
from pbem.engine.actions import Pass, Run
from pbem.engine.changes import changes
from pbem.engine.state import Step
from pbem.engine.trains import is_failing
from pbem.rules.commands import Command, Fault, Faulty, Plain, RunOrder, Written
from pbem.rules.prices import sold_at_political_price
from pbem.rules.turns import Answer, Execution, Fate, Outcome, execute
from pbem.services.told import Line, told

from .our_games import OURS
from .positions import (
    after_auction,
    cash,
    company,
    lay,
    operating_of,
    price,
    stock_round,
    trains,
    turn_of,
)
from .turns_of_games import recorded_turns

NAMES = {"1": "Anna", "2": "Bea", "3": "Ciro", "4": "Dora"}


@pytest.fixture(autouse=True)
def _in_english() -> object:
    with translation.override("en"):
        yield


def played(
    game: Game, player: str, *lines: str | Command, ends: bool = True
) -> tuple[Game, Execution]:
    """The position before a move, and what became of it; `game` moves on."""
    commands = [Plain(parse(one)) if isinstance(one, str) else one for one in lines]
    before = game.copy()
    return before, execute(game, [Outcome(one) for one in commands], player, ends=ends)


def lines_of(before: Game, done: Execution) -> list[Line]:
    return told(before, done.outcomes, done.actions, NAMES)


def move(game: Game, player: str, *lines: str | Command, ends: bool = True) -> list[Line]:
    return lines_of(*played(game, player, *lines, ends=ends))


def words(lines: Sequence[Line]) -> list[str]:
    return [line.words for line in lines]


def stock() -> Game:
    """The second stock round, at 1's turn: 3 NYC at 100 are his, PRR stands at 76."""
    game = after_auction()
    company(game.state, "NYC", 100, p2=4, p1=3)
    company(game.state, "PRR", 76, p3=5)
    stock_round(game, "1")
    for player in game.state.players:
        cash(game.state, player, 1000)
    return game


def offering() -> Game:
    """PRR's turn in phase 3 at its trains, 1 presides; NYC, which 2 presides over, has two
    3-trains."""
    game = turn_of("PRR", at="3", kinds=("3",))
    company(game.state, "NYC", 100, p2=6)
    trains(game.state, "NYC", "3", "3")
    return game


# --- whole games ----------------------------------------------------------------------------------


@pytest.mark.parametrize("language", ["it", "en"])
@pytest.mark.parametrize("name", OURS)
def test_each_executed_command_of_a_recorded_game_is_told_once(name: str, language: str) -> None:
    """S-12 — in the order in which it was executed; a pass that brings nothing about is not."""
    turns, game = recorded_turns(name)
    names = {player: f"Signor {player}" for player in game.state.players}
    with translation.override(language):
        for turn in turns:
            outcomes = [Outcome(command) for command in turn.commands]
            before = game.copy()
            done = execute(game, outcomes, turn.player, ends=turn.ends)
            check(before, done, names)
            while done.asked:
                for index, _action, _who in done.asked:
                    done.outcomes[index].answer = Answer.YES
                before = game.copy()
                done = execute(game, done.outcomes, turn.player, ends=turn.ends)
                check(before, done, names)
    assert game.state.over


def check(before: Game, done: Execution, names: dict[str, str]) -> None:
    lines = told(before, done.outcomes, done.actions, names)
    step, expected = before.copy(), []
    for action, index in done.actions:
        state = step.state.copy()
        step.apply(action)
        silent = isinstance(action, Pass | Run) and index is None
        if not silent or changes(state, step.state, action):
            expected.append(texts.deed(action, state, names))
    left = [one for one in done.outcomes if one.fate is not Fate.EXECUTED]
    executed = [line.words for line in lines if line.fate is Fate.EXECUTED]
    assert executed == (expected or ([] if left else executed[:1]))
    assert [line.fate for line in lines if line.fate is not Fate.EXECUTED] == [
        one.fate for one in left
    ]
    assert all(line.words and "%(" not in line.words + line.why for line in lines)


# --- by hand --------------------------------------------------------------------------------------


def test_a_sale_and_a_purchase() -> None:
    """V-04, V-05 — two NYC at 100 are $200, and the price falls two spaces: 100, 90, 82 or so; a
    PRR at its par is $76."""
    lines = move(stock(), "1", "1 sell NYC 2", "1 buy PRR ipo")
    assert words(lines)[:2] == [
        "Anna sells 20% of NYC for $200.",
        "Anna buys 10% of PRR from the initial offering for $76.",
    ]
    assert lines[0].outcomes[0].startswith("NYC falls from $100 to ")


def test_a_command_refused_says_what_it_was_and_why() -> None:
    """Y-02, V-06."""
    faulty = Faulty("buy", Fault.SOURCE_MISSING, "PRR")
    lines = move(stock(), "1", "1 sell NYC 1", faulty, "1 sell CPR 1")
    assert [(line.fate, line.words) for line in lines[-2:]] == [
        (Fate.REFUSED, "Purchase of a certificate: PRR"),
        (Fate.REFUSED, "Sale of certificates: CPR, 10%"),
    ]
    assert lines[-2].why == "It does not say from where: say it."
    assert lines[-1].why


def test_a_sum_that_was_another_is_noted_once() -> None:
    """Y-05 — stated 150, it came to 200."""
    lines = move(stock(), "1", Plain(parse("1 sell NYC 2"), 150))
    assert lines[0].note == "The sum stated was another: it is $200."


def test_the_note_of_a_run_is_not_said_of_its_dividend_too() -> None:
    """X-09, Y-05 — routes named, another sum stated: one command, one note."""
    turns, game = recorded_turns("bank_figf_4")
    for turn in turns:
        runs = [one for one in turn.commands if isinstance(one, RunOrder) and one.dividend]
        if runs:
            wrong = [
                replace(one, stated=1) if isinstance(one, RunOrder) else one
                for one in turn.commands
            ]
            lines = move(game, turn.player, *wrong)
            assert [bool(line.note) for line in lines].count(True) == 1
            return
        execute(game, [Outcome(one) for one in turn.commands], turn.player, ends=turn.ends)
    raise AssertionError("no run")


def test_what_waits_for_an_answer_says_whose() -> None:
    """X-14 — NYC's president is Bea; what hangs on her answer waits too."""
    game = offering()
    lines = move(game, "1", "PRR train 3 NYC 200")
    assert [(line.fate, line.words, line.why) for line in lines if line.fate != "executed"] == [
        (
            Fate.CONSENT,
            "Purchase of a train: 3, from NYC, $200",
            "The answer of Bea is awaited.",
        )
    ]


def test_what_was_agreed_to_is_told_when_it_is_executed() -> None:
    """X-14 — after the answer; what was executed before is not told again."""
    game = offering()
    before, done = played(game, "1", "PRR lay H10 57 1", "PRR train 3 NYC 200")
    assert words(lines_of(before, done))[0].startswith("PRR lays tile 57 on H10")
    done.outcomes[1].answer = Answer.YES
    before = game.copy()
    done = execute(game, done.outcomes, "1")
    assert words(lines_of(before, done))[0] == "PRR buys a 3-train from NYC for $200."
    assert not any("57" in line for line in words(lines_of(before, done)))


def test_what_was_not_agreed_to_says_so() -> None:
    """X-14, T-10."""
    for answer, why in (
        (Answer.NO, "Who was asked does not agree."),
        (Answer.LAPSED, "No answer came in 48 hours: that is a no."),
    ):
        game = offering()
        _before, done = played(game, "1", "PRR train 3 NYC 200")
        done.outcomes[0].answer = answer
        before = game.copy()
        lines = lines_of(before, execute(game, done.outcomes, "1"))
        assert (lines[-1].fate, lines[-1].why) == (Fate.REFUSED, why)


def test_what_waits_for_the_answer_to_another_says_so() -> None:
    """X-03 — the money of what is asked is reserved: a train of the bank at 180 waits."""
    game = offering()
    cash(game.state, "PRR", 300)
    lines = move(game, "1", "PRR train 3 NYC 200", "PRR train 3 bank 180")
    waits = next(line for line in lines if line.fate is Fate.WAITING)
    assert waits.words == "Purchase of a train: 3, from the bank, $180"
    assert waits.why == "It waits for an answer, or for what somebody else has to decide first."


def test_a_private_that_a_player_is_asked_for() -> None:
    """X-03 — CS is Bea's."""
    game = offering()
    lines = move(game, "1", "PRR private CS 60")
    assert [line.words for line in lines if line.fate is Fate.CONSENT] == [
        "Purchase of a private: CS, $60"
    ]
    assert [line.why for line in lines if line.fate is Fate.CONSENT] == [
        "The answer of Bea is awaited."
    ]


def test_an_auction() -> None:
    """1830/A — the cheapest bought at its price, a bid on another, a pass."""
    game = start("1830", ["1", "2", "3"])
    assert words(move(game, "1", "1 bid SV 20")) == ["Anna buys SV for $20."]
    assert words(move(game, "2", "2 bid DH 75")) == ["Bea bids $75 on DH."]
    assert words(move(game, "3", "3 pass")) == ["Ciro passes."]


def test_a_par_a_withheld_dividend_and_a_station() -> None:
    """Z-09, X-07 — a president's certificate at 100 costs 200; a station of H12 is PRR's home."""
    assert words(move(stock(), "1", "1 par CPR 100"))[0] == (
        "Anna buys the president's certificate of CPR for $200, at a par of $100."
    )


def test_nothing_at_all_is_a_pass() -> None:
    """V-02, Y-06 — nothing executed: the pass that closes the turn is told only for what it
    brings about."""
    assert words(move(stock(), "1")) == ["Nothing was done."]


def test_where_no_engine_knows_the_title_it_is_what_was_written() -> None:
    command = Written("buy", (("company", "GT"), ("source", "pool"), ("price", "120")))
    new = Outcome(command)
    late = Outcome(Written("pass"), Fate.REFUSED, "Non è il suo turno")
    assert [(line.words, line.why) for line in told(None, [new, late], [], NAMES)] == [
        ("Purchase of a certificate: GT, from the bank pool, sum 120", ""),
        ("Pass", "Non è il suo turno"),
    ]


# --- a price that the referees look at ------------------------------------------------------------


def sale(game: Game, line: str) -> bool:
    return sold_at_political_price(game.state, parse(line))


@pytest.mark.parametrize(("sum_", "looked_at"), [(1, True), (89, True), (90, False), (180, False)])
def test_less_than_half_of_the_face_value_is_looked_at(sum_: int, looked_at: bool) -> None:
    """Q-02 — a 3-train costs 180: from 90 on it is nobody's business."""
    assert sale(offering(), f"PRR train 3 NYC {sum_}") is looked_at


def test_between_corporations_of_one_president_any_price_is() -> None:
    """Q-02 — only what goes to another player's corporation."""
    game = offering()
    company(game.state, "NYC", 100, p1=6)
    assert not sale(game, "PRR train 3 NYC 1")
    assert not sale(game, "PRR train 3 bank 180")


def test_what_saves_from_bankruptcy_is_not() -> None:
    """Q-02, Q-05 as ruled — PRR, with a route and no train, has $1; of its president's six shares
    four may be sold, at 40 each: 161 do not buy the bank's train at 180, and the regulation itself
    keeps the price of another's low."""
    game = offering()
    trains(game.state, "PRR")
    rescued, helped = game, game.copy()
    for each, money in ((rescued, 0), (helped, 1000)):
        lay(each.state, "H10", "57", 1)
        operating_of(each).step = Step.TRAINS
        cash(each.state, "PRR", 1)
        cash(each.state, "1", money)
        at_40 = next(one for one in each.title.cells if one.price == 40)
        price(each.state, "PRR", at_40.row, at_40.column)
    assert is_failing(rescued.state, rescued.state.corporations["PRR"])
    assert not sale(rescued, "PRR train 3 NYC 1")
    assert sale(helped, "PRR train 3 NYC 1")


def test_the_line_of_such_a_sale_is_marked() -> None:
    """Q-02 — it stands, and whoever reads it sees why it is looked at."""
    game = offering()
    _before, done = played(game, "1", "PRR train 3 NYC 10")
    done.outcomes[0].answer = Answer.YES
    before = game.copy()
    lines = lines_of(before, execute(game, done.outcomes, "1"))
    assert (lines[0].mark, lines[0].rule) == ("less than half of the face value", "Q-02")
    assert lines[0].fate is Fate.EXECUTED
