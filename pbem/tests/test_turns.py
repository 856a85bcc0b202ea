"""A move executed: only its correct part, the implied passes, agreements, the end of the turn."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace

import pytest

from pbem.engine import Game, IllegalAction, parse, start
from pbem.engine.actions import Par
from pbem.engine.errors import Reason
from pbem.engine.state import Step
from pbem.rules.commands import (
    Command,
    Fault,
    Faulty,
    Plain,
    RunOrder,
    read,
    without_contradiction,
)
from pbem.rules.corrections import NotAnError, check_correction
from pbem.rules.readings import READINGS
from pbem.rules.turns import Answer, Execution, Fate, Outcome, execute, from_dict, to_dict
from pbem.rules.turns import turn_of as turn_now

from .positions import (
    after_auction,
    cash,
    company,
    operating_of,
    play,
    stock_round,
    trains,
    turn_of,
)
from .test_trains import above_the_limit

EXECUTED, REFUSED, CONSENT, WAITING = Fate.EXECUTED, Fate.REFUSED, Fate.CONSENT, Fate.WAITING


def says(*lines: str | Command) -> list[Outcome]:
    """Commands as somebody would write them, or as they are."""
    return [Outcome(Plain(parse(one)) if isinstance(one, str) else one) for one in lines]


def move(game: Game, player: str, *lines: str | Command, ends: bool = True) -> Execution:
    return execute(game, says(*lines), player, ends=ends)


def fates(done: Execution) -> list[Fate]:
    return [one.fate for one in done.outcomes]


def did(done: Execution) -> list[str]:
    return [str(action) for action, _index in done.actions]


def reason(outcome: Outcome) -> object:
    return outcome.why.reason if isinstance(outcome.why, IllegalAction) else outcome.why


def shareholders(money: int = 1000) -> Game:
    """The second stock round, at 1's turn: he has 30% of NYC at 100, whose president is 2."""
    game = after_auction()
    company(game.state, "NYC", 100, p2=4, p1=3)
    company(game.state, "PRR", 76, p3=5)
    stock_round(game, "1")
    for player in game.state.players:
        cash(game.state, player, money)
    return game


# --- only the correct part ------------------------------------------------------------------------


def test_the_sale_stands_and_the_purchase_without_a_source_is_not_made() -> None:
    """Y-02, V-06 — the example of the catalogue: sell 2 NYC, buy PRR from nowhere."""
    game = shareholders()
    done = move(game, "1", "1 sell NYC 2", Faulty("buy", Fault.SOURCE_MISSING, "PRR"))
    assert fates(done) == [EXECUTED, REFUSED]
    assert done.outcomes[1].why is Fault.SOURCE_MISSING
    assert (game.state.cash["1"], game.state.corporations["NYC"].held["1"]) == (1200, 1)
    assert (did(done), done.finished, game.player) == (["1 sell NYC 2", "1 pass"], True, "2")


def test_each_command_is_judged_on_what_those_before_it_left() -> None:
    """Y-02 — 50 dollars buy no PRR at 76; with a NYC sold first they do."""
    alone = shareholders(50)
    done = move(alone, "1", "1 buy PRR ipo")
    assert [(one.fate, reason(one)) for one in done.outcomes] == [(REFUSED, Reason.NO_MONEY)]
    game = shareholders(50)
    done = move(game, "1", "1 sell NYC 1", "1 buy PRR ipo")
    assert fates(done) == [EXECUTED, EXECUTED]
    assert game.state.cash["1"] == 50 + 100 - 76


def test_a_move_of_which_nothing_can_be_executed_is_a_pass() -> None:
    """Y-06."""
    game = shareholders()
    done = move(game, "1", "1 buy B&M ipo", Faulty("sell", Fault.INCOMPLETE, "NYC"))
    assert fates(done) == [REFUSED, REFUSED]
    assert (did(done), done.finished, game.player) == (["1 pass"], True, "2")


def test_a_pass_with_something_else_executes_nothing() -> None:
    """V-02."""
    game = shareholders()
    both: Sequence[Command] = [Plain(parse("1 pass")), Plain(parse("1 buy PRR ipo"))]
    done = execute(game, [Outcome(one) for one in without_contradiction(both)], "1")
    assert [one.why for one in done.outcomes] == [Fault.CONTRADICTION] * 2
    assert did(done) == ["1 pass"]


def test_a_form_that_goes_on_leaves_the_turn_open() -> None:
    """V-08 — five rows, then the same form again with the others."""
    game = shareholders()
    done = move(game, "1", "1 sell NYC 1", ends=False)
    assert (did(done), done.finished, game.player) == (["1 sell NYC 1"], False, "1")
    done = move(game, "1", "1 sell NYC 1")
    assert (did(done), done.finished, game.player) == (["1 sell NYC 1", "1 pass"], True, "2")


def test_sales_come_before_or_after_the_purchase() -> None:
    """V-12 — sell, buy, sell."""
    game = shareholders()
    done = move(game, "1", "1 sell NYC 1", "1 buy PRR ipo", "1 sell NYC 1")
    assert fates(done) == [EXECUTED] * 3
    assert game.player == "2"


def test_who_must_sell_and_does_not_keeps_his_turn() -> None:
    """1830/S-15 — above the limit nobody passes: the turn stays open, and says why."""
    game = shareholders()
    state = game.state
    for symbol in ("B&M", "C&O", "CPR", "ERIE"):
        company(state, symbol, 67, p1=6)  # 5 certificates each, with 3 NYC and 2 privates: over 16
    done = move(game, "1", "1 buy PRR ipo")
    assert (fates(done), done.finished, game.player) == ([REFUSED], False, "1")
    assert isinstance(done.open, IllegalAction)
    assert done.open.reason is Reason.MUST_SELL


def test_a_sum_that_is_another_is_noted_and_the_right_one_is_paid() -> None:
    """V-07, V-09, Y-05 — the intention is clear."""
    game = shareholders()
    done = move(game, "1", Plain(parse("1 sell NYC 2"), 150), Plain(parse("1 buy PRR ipo"), 76))
    assert [(one.fate, one.note) for one in done.outcomes] == [(EXECUTED, 200), (EXECUTED, None)]
    assert game.state.cash["1"] == 1000 + 200 - 76


# --- the auction ----------------------------------------------------------------------------------


def test_the_b_and_o_bought_outright_takes_its_par_with_it() -> None:
    """Z-09 — the par must be set at once."""
    game = _before_the_b_and_o()
    done = move(game, "2", "2 bid BO 220", Plain(Par("2", "B&O", 100)))
    assert (fates(done), done.finished) == ([EXECUTED, EXECUTED], True)
    assert game.state.corporations["B&O"].president == "2"


def test_without_its_par_the_turn_stays_open() -> None:
    """Z-09 — "Fissare la quotazione (par) della B&O"."""
    game = _before_the_b_and_o()
    done = move(game, "2", "2 bid BO 220")
    assert (fates(done), done.finished, game.player) == ([EXECUTED], False, "2")
    assert isinstance(done.open, IllegalAction)
    assert done.open.reason is Reason.DECISION_PENDING


def _before_the_b_and_o() -> Game:
    game = start("1830", ["1", "2", "3", "4"])
    lines = ["1 bid SV 20", "2 bid CS 40", "3 bid DH 70", "4 bid MH 110", "1 bid CA 160"]
    return play(game, "\n".join(lines))


def test_one_bid_a_turn() -> None:
    """V-05 — what else was written falls in no turn."""
    game = start("1830", ["1", "2"])
    done = move(game, "1", "1 bid SV 20", "1 bid DH 75")
    assert fates(done) == [EXECUTED, REFUSED]
    assert (done.outcomes[1].why, game.player) == (Fault.TURN_OVER, "2")


def test_a_bid_that_leads_to_a_contest_of_ones_own_is_not_dropped() -> None:
    """V-05 — player 1 buys SV, and then fights for CS: that is another turn, still his."""
    game = play(start("1830", ["1", "2"]), "1 bid CS 45\n2 bid CS 50")
    done = move(game, "1", "1 bid SV 20")
    assert (did(done), done.finished, game.player) == (["1 bid SV 20"], True, "1")


def test_a_turn_that_ended_by_itself_and_came_round_is_another() -> None:
    """1830/S-1 — nothing is sold in the first round, and nobody else can buy: it is 1's turn again,
    but not for this form."""
    game = shareholders()
    game.state.turn = 1
    del game.state.owners["MH"]  # whose owner could exchange it
    for player in ("2", "3", "4"):
        cash(game.state, player, 0)
    done = move(game, "1", "1 buy PRR ipo", "1 buy PRR ipo")
    assert fates(done) == [EXECUTED, REFUSED]
    assert (done.outcomes[1].why, done.finished) == (Fault.TURN_OVER, True)
    assert (did(done), game.player) == (["1 buy PRR ipo"], "1")


def test_a_private_is_exchanged_after_a_turn_that_ended_by_itself() -> None:
    """Z-07 — at any moment: on 18xx.games the turn does not wait for it."""
    game = stock_round(after_auction(4, "18xx"), "4", turn=1)
    company(game.state, "PRR", 67, p3=5)
    company(game.state, "NYC", 67, p3=2)
    done = move(game, "4", "4 buy PRR ipo", "4 exchange MH ipo")
    assert (fates(done), game.player) == ([EXECUTED, EXECUTED], "1")


@pytest.mark.parametrize(("stated", "note"), [(134, None), (67, 134)])
def test_the_sum_of_a_presidents_certificate_is_twice_its_par(
    stated: int, note: int | None
) -> None:
    """V-07, Z-09."""
    done = move(shareholders(), "1", Plain(parse("1 par B&M 67"), stated))
    assert done.outcomes[0].note == note


@pytest.mark.parametrize(("stated", "note"), [(40, None), (100, 40)])
def test_the_sum_of_a_station_is_that_of_the_charter(stated: int, note: int | None) -> None:
    """X-07 — 40, then 100."""
    game = turn_of("PRR", at="3")
    token = Plain(parse("PRR token H10 0"), stated)
    done = move(game, "1", "PRR lay H10 57 1", token)
    assert (fates(done), done.outcomes[1].note) == ([EXECUTED, EXECUTED], note)


# --- an operating turn ----------------------------------------------------------------------------


def test_steps_of_which_nothing_is_said_are_passed_over() -> None:
    """1830/O-6 — PRR buys a train, and lays, places and runs nothing: its price falls (D-5)."""
    game = turn_of("PRR", at="3", kinds=("3",))
    done = move(game, "1", "PRR train 3 bank 180")
    assert fates(done) == [EXECUTED]
    assert did(done)[0] == "PRR pass"
    assert "PRR train 3 bank 180" in did(done)
    assert done.finished


def test_what_is_of_no_use_takes_no_step_with_it() -> None:
    """Y-02 — a station that cannot be placed leaves the tile that came after it in place."""
    game = turn_of("PRR", at="3")
    done = move(game, "1", "PRR token E19 0", "PRR lay H10 57 1", ends=False)
    assert fates(done) == [REFUSED, EXECUTED]


def test_a_private_is_bought_at_the_end_if_the_treasury_cannot_pay_for_it_before() -> None:
    """X-04 — the run brings what lacked; SV belongs to player 1 himself, who needs nobody's yes."""
    game = turn_of("PRR", at="3", kinds=("3",))
    cash(game.state, "PRR", 10)
    order = RunOrder("PRR", None, None, "withhold")
    game.state.board["H10"] = game.state.title.tiles["57"].at(1)
    game.state.reaches = {}
    done = move(game, "1", "PRR private SV 30", order)
    earned = 10 + 20  # H12 and H10: Altoona 10, a yellow city 20
    assert fates(done) == [EXECUTED, EXECUTED]
    assert [index for _action, index in done.actions if index is not None] == [1, 1, 0]
    assert game.state.corporations["PRR"].cash == 10 + earned - 30


def test_a_private_may_be_asked_for_at_the_end() -> None:
    """X-04 — "in qualsiasi momento": the player says when."""
    game = turn_of("PRR", at="3")
    late = Plain(parse("PRR private SV 30"), late=True)
    done = move(game, "1", late, "PRR lay H10 57 1")
    assert [index for _action, index in done.actions if index is not None] == [1, 0]


@pytest.mark.parametrize(
    ("stated", "fate", "why"),
    [
        (None, EXECUTED, None),
        (30, EXECUTED, None),
        (40, REFUSED, Fault.ROUTES_NEEDED),
        (0, EXECUTED, None),
    ],
)
def test_a_sum_alone_means_the_best_run_if_it_is_its_sum(
    stated: int | None, fate: Fate, why: Fault | None
) -> None:
    """X-09, X-10, Y-05 — H12 and H10 earn 10 and 20: what earns 40 is to be interpreted."""
    game = turn_of("PRR", at="3", kinds=("3",))
    done = move(game, "1", "PRR lay H10 57 1", RunOrder("PRR", None, stated, "pay"))
    assert (done.outcomes[1].fate, done.outcomes[1].why) == (fate, why)
    paid = {None: 30, 30: 30, 40: 0, 0: 0}[stated]
    assert ("PRR dividend pay" in did(done)) is bool(paid)


def test_a_run_that_does_not_say_what_becomes_of_it_is_not_run() -> None:
    """X-09."""
    game = turn_of("PRR", at="3", kinds=("3",))
    done = move(game, "1", "PRR lay H10 57 1", RunOrder("PRR", None, 30, ""))
    assert done.outcomes[1].why is Fault.DIVIDEND_MISSING
    assert "PRR run" in did(done)


def test_a_run_by_its_stops() -> None:
    """X-09 — the routes are named by the hexes touched; a wrong sum is noted."""
    game = turn_of("PRR", at="3", kinds=("3",))
    order = RunOrder("PRR", (("3", ("H12", "H10")),), 70, "withhold")
    done = move(game, "1", "PRR lay H10 57 1", order)
    assert (fates(done), done.outcomes[1].note) == ([EXECUTED, EXECUTED], 30)


@pytest.mark.parametrize(
    ("kinds", "named", "fate"),
    [
        (("5",), None, EXECUTED),
        (("5", "6"), None, REFUSED),
        (("5", "6"), "6", EXECUTED),
        (("5", "5"), None, EXECUTED),
    ],
)
def test_a_diesel_at_800_hands_in_the_only_train_that_can_be(
    kinds: tuple[str, ...], named: str | None, fate: Fate
) -> None:
    """X-15 — several and none named: to be interpreted, not executed."""
    game = turn_of("PRR", at="6", kinds=kinds, step=Step.TRAINS)
    extra = f" exchange={named}" if named else ""
    done = move(game, "1", f"PRR train D bank 800{extra}")
    assert fates(done) == [fate]
    if fate is REFUSED:
        assert done.outcomes[0].why is Fault.TRAIN_TO_NAME
    else:
        assert did(done)[0].endswith(f"exchange={named or '5'}")


def test_a_train_that_must_be_bought_is_not_passed_over() -> None:
    """1830/N-9 — the turn stays open (Y-06), for its player and then the station master."""
    game = turn_of("PRR", at="3", kinds=())
    done = move(game, "1", "PRR lay H10 57 1")
    assert (fates(done), done.finished, done.waits, game.player) == ([EXECUTED], False, False, "1")
    assert isinstance(done.open, IllegalAction)
    assert done.open.reason is Reason.MUST_BUY_TRAIN


# --- agreements -----------------------------------------------------------------------------------


def offered(money: int = 1000) -> Game:
    """PRR's turn, presided by 1, with this much; CS (40 dollars) is 2's, and so is NYC with a 3."""
    game = turn_of("PRR", at="3", kinds=("3",))
    company(game.state, "NYC", 100, p2=6)
    trains(game.state, "NYC", "3")
    cash(game.state, "PRR", money)
    return game


def test_what_needs_an_agreement_waits_and_the_rest_is_executed() -> None:
    """X-03 — the private is asked of its owner; the tile is laid; the turn stays open."""
    game = offered()
    done = move(game, "1", "PRR private CS 60", "PRR lay H10 57 1")
    assert fates(done) == [CONSENT, EXECUTED]
    assert [(index, str(action), who) for index, action, who in done.asked] == [
        (0, "PRR private CS 60", "2")
    ]
    assert (done.waits, done.finished, did(done)) == (True, False, ["PRR lay H10 57 1"])
    assert game.state.owners["CS"] == "2"


@pytest.mark.parametrize(
    ("answer", "fate", "why", "treasury"),
    [
        (Answer.YES, EXECUTED, None, 940),
        (Answer.NO, REFUSED, Fault.CONSENT_REFUSED, 1000),
        (Answer.LAPSED, REFUSED, Fault.CONSENT_LAPSED, 1000),
    ],
)
def test_the_answer_is_heeded_and_the_turn_ends(
    answer: Answer, fate: Fate, why: Fault | None, treasury: int
) -> None:
    """X-03, T-10 — silence is a no."""
    game = offered()
    done = move(game, "1", "PRR private CS 60", "PRR lay H10 57 1")
    done.outcomes[0].answer = answer
    again = execute(game, done.outcomes, "1")
    assert [one.fate for one in again.outcomes] == [fate, EXECUTED]
    assert (again.outcomes[0].why, again.finished, again.asked) == (why, True, [])
    assert game.state.corporations["PRR"].cash == treasury


def test_the_money_of_what_waits_is_set_aside() -> None:
    """X-03 as ruled — 200 pay for the private at 60 or for the train at 180, not for both."""
    game = offered(200)
    done = move(game, "1", "PRR private CS 60", "PRR train 3 bank 180")
    assert fates(done) == [CONSENT, WAITING]
    done.outcomes[0].answer = Answer.NO
    again = execute(game, done.outcomes, "1")
    assert [one.fate for one in again.outcomes] == [REFUSED, EXECUTED]
    assert game.state.corporations["PRR"].trains == ["3", "3"]


def test_what_the_money_left_over_pays_for_does_not_wait() -> None:
    """X-03 as ruled — 240 pay for both."""
    game = offered(240)
    done = move(game, "1", "PRR private CS 60", "PRR train 3 bank 180")
    assert fates(done) == [CONSENT, EXECUTED]


def test_a_command_that_needs_what_was_asked_for_waits_with_it() -> None:
    """X-03, Z-05 — the tile in B20 is that of CS: laid only by its owner."""
    game = offered()
    options = [one.action for one in _with_cs(game).options("PRR")]
    lay = next(str(one) for one in options if str(one).endswith("private=CS"))
    done = move(game, "1", "PRR private CS 60", lay)
    assert fates(done) == [CONSENT, WAITING]
    yes = [Outcome(one.command, one.fate) for one in done.outcomes]
    yes[0].answer = Answer.YES
    assert [one.fate for one in execute(game.copy(), yes, "1").outcomes] == [EXECUTED, EXECUTED]
    done.outcomes[0].answer = Answer.NO
    again = execute(game, done.outcomes, "1")
    assert [one.fate for one in again.outcomes] == [REFUSED, REFUSED]


def _with_cs(game: Game) -> Game:
    other = game.copy()
    other.state.owners["CS"] = "PRR"
    return other


def test_the_president_of_the_seller_agrees_to_a_train() -> None:
    """X-14 — two trains asked for at once; each is answered for itself."""
    game = offered()
    done = move(game, "1", "PRR train 3 NYC 50")
    assert (fates(done), done.asked[0][2]) == ([CONSENT], "2")
    done.outcomes[0].answer = Answer.YES
    again = execute(game, done.outcomes, "1")
    assert ([one.fate for one in again.outcomes], again.finished) == ([EXECUTED], True)
    assert game.state.corporations["PRR"].trains == ["3", "3"]


def test_what_would_be_illegal_is_asked_of_nobody() -> None:
    """X-02 — CS costs from 20 to 80."""
    game = offered()
    done = move(game, "1", "PRR private CS 81")
    assert (fates(done), done.asked) == ([REFUSED], [])
    assert reason(done.outcomes[0]) is Reason.PRICE_OUT_OF_RANGE


def test_the_only_train_refused_leaves_the_turn_open() -> None:
    """X-03 as ruled — without it a train is still owed: the president has to go on."""
    game = offered()
    trains(game.state, "PRR")
    done = move(game, "1", "PRR lay H10 57 1", "PRR train 3 NYC 50")
    assert fates(done) == [EXECUTED, CONSENT]
    done.outcomes[1].answer = Answer.NO
    again = execute(game, done.outcomes, "1")
    assert (again.finished, again.waits, game.player) == (False, False, "1")


def test_what_was_asked_once_is_not_asked_again() -> None:
    """X-03 — two agreements are awaited; one comes, the other is still the same."""
    game = offered()
    done = move(game, "1", "PRR private CS 60", "PRR train 3 NYC 50")
    assert [index for index, _action, _who in done.asked] == [0, 1]
    done.outcomes[0].answer = Answer.YES
    again = execute(game, done.outcomes, "1")
    assert ([one.fate for one in again.outcomes], again.asked) == ([EXECUTED, CONSENT], [])
    assert again.waits


# --- in the middle of somebody's turn -------------------------------------------------------------


def test_others_discard_before_the_turn_goes_on() -> None:
    """1830/N-8 — what was still to be done waits for their choice, and the turn with it."""
    game = above_the_limit("figf")
    turn = turn_now(game)
    done = move(game, "3", "NYC train 5 bank 450", "NYC train 3 pool 180")
    assert (fates(done), done.waits, done.finished) == ([EXECUTED, WAITING], True, False)
    for player, line in (("2", "B&O discard 3"), ("1", "PRR discard 4")):
        assert game.player == player
        discard = move(game, player, line)
        assert (fates(discard), discard.finished) == ([EXECUTED], True)
    again = execute(game, done.outcomes, "3", turn=turn)
    assert ([one.fate for one in again.outcomes], again.finished) == ([EXECUTED, EXECUTED], True)
    assert game.state.corporations["NYC"].trains == ["5", "3"]


def test_a_turn_with_nothing_left_to_do_waits_for_the_choices_of_others() -> None:
    """1830/N-8 — it is not closed over their heads."""
    game = above_the_limit("figf")
    done = move(game, "3", "NYC train 5 bank 450")
    assert (done.waits, done.finished, did(done)) == (True, False, ["NYC train 5 bank 450"])


def test_who_discards_nothing_keeps_the_choice() -> None:
    """1830/N-8."""
    game = above_the_limit("figf")
    move(game, "3", "NYC train 5 bank 450")
    done = move(game, "2", "B&O discard 5")
    assert (fates(done), done.finished, game.player) == ([REFUSED], False, "2")


def test_what_is_left_of_a_turn_that_ended_by_itself_falls_in_no_other() -> None:
    """Y-02 — PRR's turn is over; player 1 presides the next corporation too."""
    game = turn_of("PRR", at="3", kinds=("3",))
    company(game.state, "NYC", 100, p1=6)
    trains(game.state, "NYC", "3")
    operating_of(game).order.append("NYC")
    turn = turn_now(game)
    waiting = says("PRR train 3 bank 180")
    move(game, "1", "PRR lay H10 57 1")
    assert game.state.operating == "NYC"
    waiting[0].fate = WAITING
    again = execute(game, waiting, "1", turn=turn)
    assert (again.outcomes[0].why, again.finished, did(again)) == (Fault.TURN_OVER, True, [])
    assert game.state.operating == "NYC"


def test_the_m_and_h_is_exchanged_out_of_turn() -> None:
    """Z-07 — and whose turn it is does not change."""
    game = shareholders()
    assert game.state.owners["MH"] == "4"
    done = move(game, "4", "4 exchange MH ipo")
    assert (fates(done), done.in_turn, done.finished) == ([EXECUTED], False, True)
    assert game.player == "1"


# --- written down, and put right ------------------------------------------------------------------


@pytest.mark.parametrize(
    "command",
    [
        Plain(parse("1 sell NYC 2"), 200),
        Plain(parse("PRR private CS 60"), late=True),
        RunOrder("PRR", (("3", ("H12", "H10")), ("2", ())), 30, "pay"),
        RunOrder("PRR", None, None, ""),
        Faulty("buy", Fault.SOURCE_MISSING, "PRR"),
    ],
)
def test_a_command_is_written_and_read_back(command: Command) -> None:
    assert read(command.to_dict()) == command


def test_an_outcome_is_written_and_read_back() -> None:
    refused = IllegalAction(Reason.NO_MONEY, "1830/S-7", cash=50, price=76)
    one = Outcome(Plain(parse("1 buy PRR ipo")), REFUSED, refused, 3)
    back = from_dict(to_dict(one))
    assert (back.command, back.fate, back.note) == (one.command, REFUSED, 3)
    assert isinstance(back.why, IllegalAction)
    assert (back.why.reason, back.why.data) == (Reason.NO_MONEY, {"cash": 50, "price": 76})


def test_a_correction_touches_only_what_was_wrong() -> None:
    """Y-03 as ruled, N-09 — what was correctly executed stands."""
    sale, buy = Plain(parse("1 sell NYC 2")), Plain(parse("1 buy PRR ipo"))
    sent = [
        Outcome(sale, EXECUTED),
        Outcome(Faulty("buy", Fault.SOURCE_MISSING, "PRR"), REFUSED),
    ]
    check_correction(sent, [sale, buy])
    check_correction(sent, [sale])  # he gives the purchase up
    for other in (
        [buy],
        [Plain(parse("1 sell NYC 1")), buy],
        [sale, buy, Plain(parse("1 buy NYC pool"))],
        [sale, Plain(parse("1 sell PRR 1"))],
    ):
        with pytest.raises(NotAnError):
            check_correction(sent, other)


def test_a_federation_may_let_the_whole_move_be_put_right() -> None:
    """Y-03 — the other reading."""
    whole = replace(READINGS, correction_scope="whole_move")
    sent = [Outcome(Plain(parse("1 sell NYC 2")), EXECUTED)]
    check_correction(sent, [Plain(parse("1 buy PRR ipo"))], whole)


def test_a_federation_may_refuse_a_wrong_sum(monkeypatch: pytest.MonkeyPatch) -> None:
    """Y-05 — the other reading."""
    strict = replace(READINGS, clear_intention="refused")
    monkeypatch.setattr("pbem.rules.turns.READINGS", strict)
    game = shareholders()
    done = move(game, "1", Plain(parse("1 sell NYC 2"), 150), Plain(parse("1 buy PRR ipo"), 76))
    assert [(one.fate, one.why) for one in done.outcomes] == [
        (REFUSED, Fault.WRONG_SUM),
        (EXECUTED, None),
    ]


def test_who_sells_a_private_in_his_turn_asks_its_buyer() -> None:
    """Z-02 — "commerciate tra i giocatori": in the seller's turn the agreement is the buyer's."""
    game = shareholders()
    game.state.owners["SV"] = "1"
    done = move(game, "1", "2 private SV 30")
    assert fates(done) == [CONSENT]
    assert [who for _n, _action, who in done.asked] == ["2"]
    done.outcomes[0].answer = Answer.YES
    done = execute(game, done.outcomes, "1")
    assert fates(done) == [EXECUTED]
    assert (game.state.owners["SV"], game.state.cash["1"]) == ("2", 1030)


def test_who_buys_a_private_in_his_turn_asks_its_owner() -> None:
    """Z-02."""
    game = shareholders()
    game.state.owners["SV"] = "2"
    assert [who for _n, _action, who in move(game, "1", "1 private SV 30").asked] == ["2"]
