"""Every refusal and every action has its words, in both languages."""

from __future__ import annotations

import ast
import re
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Any

import pytest
from django.utils import translation

from pbem import engine, texts
from pbem.engine import EngineError, Game, IllegalAction, MalformedAction, Reason, parse, start
from pbem.engine.actions import KINDS
from pbem.engine.state import Step

from .positions import (
    after_auction,
    cash,
    company,
    lay,
    play,
    stock_round,
    token,
    trains,
    turn_of,
)
from .random_play import random_game

LANGUAGES = ["it", "en"]
PLACEHOLDER = re.compile(r"%\((\w+)\)s")
DERIVED = {"excess": {"held", "limit"}, "inside": {"source"}}  # made of these by `figures`
# A value for everything that a refusal may tell.
DATA: dict[str, Any] = {
    "actor": "1",
    "turn": "2",
    "round": "stock",
    "step": "track",
    "decision": "city",
}
DATA |= {"cash": 100, "price": 134, "private": "CA", "minimum": 165, "corporation": "PRR"}
DATA |= {"pars": [67, 71], "source": "pool", "held": 22, "limit": 16, "percent": 70, "pool": 60}
DATA |= {"corporations": ["NYC", "ERIE"], "wanted": 30, "operating": "B&O", "hex": "H18"}
DATA |= {"tile": "57", "old": "8", "colour": "green", "phase": "2", "edge": 4, "rotation": 5}
DATA |= {"city": 1, "train": "3", "leg": "H10-H12", "stops": 4, "reach": 3, "stop": "H12:0"}
DATA |= {"least": 10, "most": 90, "exchange": "4", "missing": 55, "raised": 700, "ended": "bank"}


# --- what the engine raises, read in its source ---------------------------------------------------


SOURCES = [
    ast.parse(path.read_text(encoding="utf-8"))
    for path in sorted(Path(engine.__file__).parent.glob("*.py"))
]


def calls(name: str) -> Iterator[tuple[ast.AST, ast.Call]]:
    """Each call of this class, with the function that it stands in."""
    for module in SOURCES:
        for function in ast.walk(module):
            if isinstance(function, ast.FunctionDef):
                for node in ast.walk(function):
                    if isinstance(node, ast.Call) and getattr(node.func, "id", "") == name:
                        yield function, node


def reasons(function: ast.AST, said: ast.expr) -> set[Reason]:
    """The reasons that an argument may be: `Reason.X`, one or the other, or a name given them."""
    if isinstance(said, ast.Name):
        assigned = (
            node.value
            for node in ast.walk(function)
            if isinstance(node, ast.Assign) and getattr(node.targets[0], "id", "") == said.id
        )
        return set().union(*(reasons(function, value) for value in assigned))
    return {
        Reason[node.attr]
        for node in ast.walk(said)
        if isinstance(node, ast.Attribute) and getattr(node.value, "id", "") == "Reason"
    }


RAISED = [
    (reason, call, {keyword.arg for keyword in call.keywords})
    for function, call in calls("IllegalAction")
    for reason in sorted(reasons(function, call.args[0]))
]


def readings(reason: Reason) -> set[str]:
    return {reading for one, reading in texts.REFUSALS if one is reason}


@pytest.mark.parametrize("reason", list(Reason))
def test_every_reason_has_words(reason: Reason) -> None:
    assert readings(reason)


def test_every_raise_is_of_a_reason_that_can_be_read_in_the_source() -> None:
    assert len({id(call) for _, call, _ in RAISED}) == len(
        {id(call) for _, call in calls("IllegalAction")}
    )


@pytest.mark.parametrize(
    ("reason", "call", "data"), RAISED, ids=lambda one: getattr(one, "name", "")
)
def test_the_words_ask_for_no_more_than_every_raise_tells(
    reason: Reason, call: ast.Call, data: set[str]
) -> None:
    for reading in readings(reason):
        for name in PLACEHOLDER.findall(str(texts.REFUSALS[reason, reading])):
            assert DERIVED.get(name, {name}) <= data, ast.unparse(call)


def refusals() -> Iterator[IllegalAction]:
    """One refusal for each sentence, with all the data that there may be."""
    for reason, reading in texts.REFUSALS:
        data, clause = dict(DATA), "1830/H" if reading == "now" else "1830/V-2"
        match reading:
            case "auction" | "stock" | "operating":
                data["round"] = reading
            case "par" | "city" | "discard":
                data["decision"] = reading
            case "certificates":
                data["corporations"] = []
            case "holding":
                data["held"] = 16
            case "first":
                data["old"] = data["hex"]
            case "none":
                data["most"] = 9
        yield IllegalAction(reason, clause, **data)


def in_language(language: str, error: EngineError, **names: str) -> str:
    with translation.override(language):
        return texts.words(error, names)


@pytest.mark.parametrize("language", LANGUAGES)
def test_every_sentence_takes_its_figures(language: str) -> None:
    told = [in_language(language, error) for error in refusals()]
    for words in told:
        assert re.fullmatch(r"[A-ZÈ$0-9][^{}]{15,}[.]", words), words
        assert not re.search(r"%[^ ,:.]|\[|None", words), words
    assert len(set(told)) == len(texts.REFUSALS)


@pytest.mark.parametrize(
    "words", [*texts.REFUSALS.values(), *texts.STEPS.values(), *texts.COLOURS.values()]
)
def test_no_words_are_the_same_in_the_two_languages(words: object) -> None:
    with translation.override("en"):
        english = str(words)
    with translation.override("it"):
        assert str(words) != english


# --- what a player reads --------------------------------------------------------------------------


@pytest.mark.parametrize(
    ("error", "english", "italian"),
    [
        (
            IllegalAction(Reason.MUST_SELL, "1830/S-15", held=22, limit=16, corporations=[]),
            "You hold 22 of 16 certificates: sell 6.",
            "Hai 22 certificati su 16: vendine 6.",
        ),
        (
            IllegalAction(Reason.MUST_SELL, "1830/S-15", held=9, limit=16, corporations=["PRR"]),
            "You hold too much of PRR: sell down to the limit.",
            "Hai troppo di PRR: vendi fino a rientrare nel limite.",
        ),
        (
            IllegalAction(Reason.HEX_BLOCKED, "1830/L-10", hex="H18", private="CA"),
            "H18 is blocked: C&A still belongs to a player. Choose another hex.",
            "H18 è bloccato: C&A è ancora di un giocatore. Scegli un altro esagono.",
        ),
        (
            IllegalAction(Reason.NOT_YOUR_TURN, "1830/S-1", actor="1", turn="2"),
            "It is the turn of Bruno: Anna must wait for it to end.",
            "È il turno di Bruno: Anna deve aspettare che finisca.",
        ),
        (
            IllegalAction(Reason.NO_SHARE_LEFT, "1830/S-7", corporation="NYC", source="pool"),
            "No certificate of NYC is left in the bank pool: look elsewhere.",
            "Di NYC non resta alcun certificato nel pool bancario: cercalo altrove.",
        ),
        (
            MalformedAction("hex", "Z9", "a hex of the map"),
            "Correct the field “hex”: 'Z9' is not a hex of the map.",
            "Correggi il campo «hex»: 'Z9' non è un esagono della mappa.",
        ),
    ],
)
def test_a_refusal_says_what_is_wrong_and_what_to_do(
    error: EngineError, english: str, italian: str
) -> None:
    names = {"1": "Anna", "2": "Bruno", "CA": "C&A"}
    assert in_language("en", error, **names) == english
    assert in_language("it", error, **names) == italian


def test_what_a_malformed_action_lacks_is_said_in_the_reader_s_language() -> None:
    """Every constant text that the engine gives as what it expected is offered for translation."""
    expected = {
        node.value
        for _, call in calls("MalformedAction")
        for node in ast.walk(call.args[2])
        if isinstance(call.args[2], ast.Constant | ast.IfExp) and isinstance(node, ast.Constant)
    }
    assert {one for one in expected if isinstance(one, str)} == texts.EXPECTED
    with translation.override("it"):
        assert not [one for one in texts.EXPECTED if translation.gettext(one) == one]


# --- actions --------------------------------------------------------------------------------------


NAMES = {"1": "Anna", "2": "Bo", "3": "Ciro", "4": "Dina"}


def new_game(*lines: str) -> Game:
    return play(start("1830", list(NAMES)), "\n".join(lines))


def fought_for() -> Game:
    """Anna and Bo have bid on DH, which is now the cheapest; Anna's bid is the lower one."""
    return new_game("1 bid DH 75", "2 bid DH 80", "3 bid SV 20", "4 bid CS 40")


def to_name_a_par() -> Game:
    faces = {"SV": 20, "CS": 40, "DH": 70, "MH": 110, "CA": 160, "BO": 220}
    return new_game(*(f"{n % 4 + 1} bid {one} {faces[one]}" for n, one in enumerate(faces)))


def second_stock_round(player: str, *lines: str) -> Game:
    """Anna has 60% of PRR, the pool 20%, its price is 76; Dina has MH and Ciro DH."""
    game = after_auction()
    company(game.state, "PRR", 76, p1=6, pool=2)
    return play(stock_round(game, player), "\n".join(lines))


def operating(*lines: str, kinds: tuple[str, ...] = (), step: Step = Step.TRACK) -> Game:
    """Phase 3: PRR, of which Anna is president, has 1000 dollars, and its home in Altoona (10)."""
    return play(turn_of("PRR", kinds=kinds, step=step), "\n".join(lines))


def with_the_delaware(*lines: str) -> Game:
    game = operating()
    game.state.owners["DH"] = "PRR"
    return play(game, "\n".join(lines))


def erie_beside_another_double_city() -> Game:
    """Its token has a city of E11, from which track leads to the second city of D10."""
    game = turn_of("ERIE", step=Step.TOKEN)
    state = game.state
    state.corporations["ERIE"].tokens.clear()
    state.stations.clear()
    lay(state, "E11", "59", 0)
    lay(state, "D10", "59", 3)
    token(state, "ERIE", "E11", 1)
    return game


def with_a_route(treasury: int, **held: int) -> Game:
    """PRR has no train and a route from Altoona to H10; the next 3-train costs 180."""
    game = operating(step=Step.TRAINS)
    lay(game.state, "H10", "57", 1)
    cash(game.state, "PRR", treasury)
    if held:
        company(game.state, "PRR", 100, **held)
    return game


def cannot_pay() -> Game:
    """Anna has nothing but half of PRR, of which the pool has the other half."""
    game = with_a_route(0, p1=5, pool=5)
    cash(game.state, "1", 0)
    return game


def above_the_limit() -> Game:
    """PRR has bought the first 4 to its three 3-trains: in phase 4 three trains are the limit."""
    game = operating(kinds=("3", "3", "3"), step=Step.TRAINS)
    game.state.depot["3"] = 0
    return play(game, "PRR train 4 bank 300")


def with_diesels_on_sale() -> Game:
    return turn_of("PRR", at="6", kinds=("5",), step=Step.TRAINS)


# The amounts: par and shares at 76, 67 twice; H12 10 and H10 20; 40 for the second token.
DEEDS = [
    (new_game, "1 bid SV 20", "Anna buys SV for $20.", "Anna acquista SV per $20."),
    (new_game, "1 bid CS 45", "Anna bids $45 on CS.", "Anna offre $45 per CS."),
    (new_game, "1 pass", "Anna passes.", "Anna passa."),
    (fought_for, "1 bid DH 85", "Anna bids $85 on DH.", "Anna offre $85 per DH."),
    (
        fought_for,
        "1 pass",
        "Anna drops out of the auction of DH.",
        "Anna si ritira dall'asta di DH.",
    ),
    (
        to_name_a_par,
        "2 par B&O 100",
        "Bo sets the par of B&O at $100.",
        "Bo fissa la quotazione (par) di B&O a $100.",
    ),
    (
        lambda: second_stock_round("1"),
        "1 par NYC 67",
        "Anna buys the president's certificate of NYC for $134, at a par of $67.",
        "Anna acquista il certificato di presidente di NYC per $134, con quotazione (par) $67.",
    ),
    (
        lambda: second_stock_round("2"),
        "2 buy PRR pool",
        "Bo buys 10% of PRR from the bank pool for $76.",
        "Bo acquista il 10% di PRR dal pool bancario per $76.",
    ),
    (
        lambda: second_stock_round("2"),
        "2 buy PRR ipo",
        "Bo buys 10% of PRR from the initial offering for $76.",
        "Bo acquista il 10% di PRR dall'offerta iniziale per $76.",
    ),
    (
        lambda: second_stock_round("1"),
        "1 sell PRR 2",
        "Anna sells 20% of PRR for $152.",
        "Anna vende il 20% di PRR per $152.",
    ),
    (
        lambda: second_stock_round("1", "1 sell PRR 2"),
        "1 pass",
        "Anna ends the turn.",
        "Anna chiude il turno.",
    ),
    (
        lambda: second_stock_round("4"),
        "4 exchange MH ipo",
        "Dina swaps MH for 10% of NYC from the initial offering.",
        "Dina cambia MH con il 10% di NYC dall'offerta iniziale.",
    ),
    (
        lambda: second_stock_round("2"),
        "2 private DH 30",
        "Bo buys DH from Ciro for $30.",
        "Bo acquista DH da Ciro per $30.",
    ),
    (
        operating,
        "PRR private SV 40",
        "PRR buys SV from Anna for $40.",
        "PRR acquista SV da Anna per $40.",
    ),
    (
        operating,
        "PRR lay H10 57 1",
        "PRR lays tile 57 on H10 with rotation 1.",
        "PRR posa la tessera 57 in H10 con rotazione 1.",
    ),
    (
        with_the_delaware,
        "PRR lay F16 57 1 private=DH",
        "PRR lays tile 57 on F16 with rotation 1, for $120, by the power of DH.",
        "PRR posa la tessera 57 in F16 con rotazione 1, per $120, con il potere di DH.",
    ),
    (
        lambda: with_the_delaware("PRR lay F16 57 1 private=DH"),
        "PRR token F16 0 private=DH",
        "PRR places a station on F16, by the power of DH.",
        "PRR posa una stazione in F16, con il potere di DH.",
    ),
    (
        lambda: operating("PRR lay H10 57 1"),
        "PRR token H10 0",
        "PRR places a station on H10, for $40.",
        "PRR posa una stazione in H10, per $40.",
    ),
    (
        lambda: operating("PRR lay H10 57 1"),
        "PRR pass",
        "PRR goes on from the step “station”.",
        "PRR salta il passo «stazione».",
    ),
    (
        lambda: play(turn_of("ERIE", step=Step.HOME), "ERIE lay E11 59 0"),
        "ERIE token E11 1",
        "ERIE has its station in city 2 of E11.",
        "ERIE ha la sua stazione nella città 2 di E11.",
    ),
    (
        erie_beside_another_double_city,
        "ERIE token D10 1",
        "ERIE places a station in city 2 of D10, for $40.",
        "ERIE posa una stazione nella città 2 di D10, per $40.",
    ),
    (
        lambda: operating("PRR lay H10 57 1", "PRR pass", kinds=("2",)),
        "PRR run 2:H12-H10",
        "PRR runs for $30 (2: H12–H10).",
        "PRR fa un giro da $30 (2: H12–H10).",
    ),
    (
        lambda: operating("PRR lay H10 57 1", "PRR pass", kinds=("2",)),
        "PRR run",
        "PRR runs no train.",
        "PRR non fa girare treni.",
    ),
    (
        lambda: operating("PRR lay H10 57 1", "PRR pass", "PRR run 2:H12-H10", kinds=("2",)),
        "PRR dividend pay",
        "PRR pays out $30, $3 a share.",
        "PRR distribuisce $30, $3 per azione.",
    ),
    (
        lambda: operating("PRR lay H10 57 1", "PRR pass", "PRR run 2:H12-H10", kinds=("2",)),
        "PRR dividend withhold",
        "PRR withholds $30.",
        "PRR trattiene $30.",
    ),
    (
        lambda: with_a_route(100),
        "PRR train 3 bank 180",
        "PRR buys a 3-train from the bank for $180, of which Anna pays $80.",
        "PRR acquista un treno 3 dalla banca per $180, di cui $80 pagati da Anna.",
    ),
    (
        with_diesels_on_sale,
        "PRR train D bank 800 exchange=5",
        "PRR buys a D-train from the bank for $800, giving up a 5-train.",
        "PRR acquista un treno D dalla banca per $800, dando in cambio un treno 5.",
    ),
    (
        above_the_limit,
        "PRR discard 3",
        "PRR discards a 3-train.",
        "PRR scarta un treno 3.",
    ),
    (cannot_pay, "1 bankrupt", "Anna is bankrupt.", "Anna fallisce."),
]


@pytest.mark.parametrize(("game", "line", "english", "italian"), DEEDS)
def test_a_deed_names_who_does_what_for_how_much(
    game: Callable[[], Game], line: str, english: str, italian: str
) -> None:
    at, action = game(), parse(line)
    at.check(action)
    with translation.override("en"):
        assert texts.deed(action, at.state, NAMES) == english
    with translation.override("it"):
        assert texts.deed(action, at.state, NAMES) == italian


def test_a_train_of_another_corporation_is_bought_from_it() -> None:
    game = operating(step=Step.TRAINS)
    trains(game.state, "B&O", "3")
    with translation.override("it"):
        words = texts.deed(parse("PRR train 3 B&O 1"), game.state)
    assert words == "PRR acquista un treno 3 da B&O per $1."


def test_every_kind_of_action_has_its_words() -> None:
    assert {type(parse(line)) for _, line, _, _ in DEEDS} == set(KINDS.values())


@pytest.mark.parametrize("language", LANGUAGES)
def test_whatever_is_played_can_be_told(language: str) -> None:
    """All actions of a random game, with one sentence each."""
    with translation.override(language):
        for game, _, action in random_game(0, 4, "18xx"):
            if game.actor:
                words = texts.deed(action, game.state)
                assert re.fullmatch(r"[A-Z1-4][^{}]{5,}[.]", words), words
                assert not re.search(r"%[^ ,]|\[|None", words), words
