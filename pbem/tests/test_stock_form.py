"""The form of the stock turn: what it offers, what of it is a command, recorded turns entered."""

from __future__ import annotations

from collections.abc import Iterator
from uuid import uuid4

import pytest
from django.test import Client
from django.urls import reverse
from django.utils import timezone, translation

from figf.tests.cast import visitor
from pbem.engine import Game, interchange, parse
from pbem.engine.actions import BuyPrivate, Pass
from pbem.engine.state import Auction, Stock
from pbem.forms.moves import move_form
from pbem.forms.stock import ExchangeForm, StockForm
from pbem.models import Game as PlayedGame
from pbem.rules.commands import Command, Fault, Faulty, Plain
from pbem.rules.turns import Answer, Fate, Outcome, execute

from .form_data import stock_data
from .our_games import OURS, file_of
from .positions import after_auction, cash, company, price, stock_round
from .running import make_game, position, reread, send, user_at
from .turns_of_games import Turn, turns

NAMES = {"1": "Anna", "2": "Bruno", "3": "Carla", "4": "Dora"}


@pytest.fixture(autouse=True)
def english() -> Iterator[None]:
    with translation.override("en"):
        yield


def form(game: Game, player: str = "1", **typed: str) -> StockForm:
    return StockForm(game, player, NAMES, typed)


def told(commands: list[Command]) -> list[str]:
    return [
        f"{one.action} ({one.stated})" if isinstance(one, Plain) else f"{one.about}: {one.fault}"
        for one in commands
        if isinstance(one, Plain | Faulty)
    ]


def second_round(money: int = 500) -> Game:
    """The second stock round, Anna's turn: NYC at 100 with 30% hers and Bruno its president, 10%
    in the pool; PRR at 76, Carla's; CPR in brown at 40."""
    game = after_auction()
    company(game.state, "NYC", 100, pool=1, p2=4, p1=3)
    company(game.state, "PRR", 76, p3=5)
    stock_round(game, "1")
    for player in game.state.players:
        cash(game.state, player, money)
    return game


# --- what was filled in ---------------------------------------------------------------------------


def test_nothing_filled_in_is_no_command() -> None:
    assert form(second_round()).commands() == []


def test_a_pass_is_a_pass_and_with_something_else_both_are_said() -> None:
    """V-02 — that they contradict is for the execution to say."""
    game = second_round()
    assert form(game, **{"pass": "1"}).commands() == [Plain(Pass("1"))]
    both = form(game, **{"pass": "1"}, buy="PRR:ipo")
    assert told(both.commands()) == ["1 pass (None)", "1 buy PRR ipo (None)"]


def test_sales_before_purchase_exchange_and_sales_after_in_their_order() -> None:
    """V-12 — "prima / dopo l'acquisto", before if nothing is said."""
    typed = {
        "sale1_corporation": "NYC",
        "sale1_number": "1",
        "sale1_amount": "95",
        "sale1_when": "after",
        "sale2_corporation": "NYC",
        "sale2_number": "2",
        "sale2_amount": "$ 200",
        "buy": "PRR:ipo",
        "buy_amount": "76",
        "trade": "SV:1",
        "trade_price": "30",
        "exchange": "MH:pool",
    }
    assert told(form(second_round(), **typed).commands()) == [
        "1 sell NYC 2 (200)",
        "1 buy PRR ipo (76)",
        "1 private SV 30 (None)",
        "1 exchange MH pool (None)",
        "1 sell NYC 1 (95)",
    ]


def test_an_empty_sum_is_no_fault() -> None:
    typed = {"sale1_corporation": "NYC", "sale1_number": "1", "buy": "PRR:ipo"}
    assert told(form(second_round(), **typed).commands()) == [
        "1 sell NYC 1 (None)",
        "1 buy PRR ipo (None)",
    ]


def test_the_president_s_certificate_is_bought_at_the_par_that_is_named() -> None:
    """V-06 — the corporation, the source, the president's certificate, its par."""
    typed = {"buy": "B&M:par", "buy_par": "82", "buy_amount": "164"}
    assert told(form(second_round(), **typed).commands()) == ["1 par B&M 82 (164)"]


def test_several_of_the_brown_market_are_several_purchases() -> None:
    """Z-13 — three for 120 in all are three at 40 each."""
    typed = {"buy": "NYC:pool", "buy_number": "3", "buy_amount": "120"}
    assert told(form(second_round(), **typed).commands()) == ["1 buy NYC pool (40)"] * 3


@pytest.mark.parametrize(
    ("typed", "said"),
    [
        ({"sale1_corporation": "NYC"}, "sell: incomplete"),
        ({"sale3_number": "2"}, "sell: incomplete"),
        ({"sale1_amount": "90"}, "sell: incomplete"),
        ({"sale1_corporation": "NYC", "sale1_number": "x"}, "sell: unreadable"),
        (
            {"sale1_corporation": "NYC", "sale1_number": "1", "sale1_amount": "many"},
            "sell: unreadable",
        ),
        ({"sale1_corporation": "XYZ", "sale1_number": "1"}, "sell: unreadable"),
        ({"buy": "NYC"}, "buy: source_missing"),
        ({"buy": "NYC:bank"}, "buy: unreadable"),
        ({"buy": "XYZ:ipo"}, "buy: unreadable"),
        ({"buy": "NYC:pool", "buy_amount": "a lot"}, "buy: unreadable"),
        ({"buy": "NYC:pool", "buy_par": "67"}, "par: unreadable"),
        ({"buy": "NYC:pool", "buy_number": "11"}, "buy: unreadable"),
        ({"buy": "B&M:par"}, "par: par_missing"),
        ({"buy": "B&M:par", "buy_par": "67", "buy_number": "2"}, "par: unreadable"),
        ({"buy_par": "67"}, "par: incomplete"),
        ({"buy_amount": "67"}, "buy: incomplete"),
        ({"trade": "SV:1"}, "private: price_missing"),
        ({"trade": "SV:1", "trade_price": "ten"}, "private: unreadable"),
        ({"trade": "SV:9", "trade_price": "10"}, "private: unreadable"),
        ({"trade_price": "10"}, "private: incomplete"),
        ({"exchange": "MH"}, "exchange: source_missing"),
        ({"exchange": "MH:bank"}, "exchange: unreadable"),
        ({"exchange": "XX:ipo"}, "exchange: unreadable"),
    ],
)
def test_half_a_row_is_a_command_that_says_what_it_lacks(typed: dict[str, str], said: str) -> None:
    """V-06, Y-02 — the form never refuses: what is not clear is shown, and not executed."""
    filled = form(second_round(), **typed)
    assert told(filled.commands()) == [said]
    assert filled.typed() == typed


def test_whatever_came_is_kept_as_a_line_of_text() -> None:
    filled = form(second_round(), sale1_amount="9\x000\ud800 ", buy="NYC:pool", other="x")
    assert filled.typed() == {"sale1_amount": "9 0", "buy": "NYC:pool"}
    assert filled.commands()[0] == Faulty("sell", Fault.UNREADABLE, "9 0")


# --- what is offered ------------------------------------------------------------------------------


def shop(filled: StockForm) -> dict[str, tuple[str, bool]]:
    """What may be bought: its price or its reason, and whether it can be chosen."""
    cells = (one for line in filled.lines for one in line.choices)
    return {one.value: (one.why or one.words, not one.shut) for one in cells}


def test_each_corporation_is_offered_from_where_it_can_be_had() -> None:
    """V-06 — par in the offering, the market price in the pool; nothing is chosen beforehand."""
    game = second_round()
    price(game.state, "NYC", 2, 6)
    offered = shop(form(game))
    assert offered["NYC:ipo"] == ("$100", True)
    assert offered["NYC:pool"][0] == f"${game.state.price(game.state.corporations['NYC'])}"
    assert offered["PRR:ipo"] == ("$76", True)
    assert "PRR:pool" not in offered  # none is there
    assert offered["B&M:par"] == ("from $134", True)
    assert form(game).buys_nothing


def test_what_a_sale_may_still_make_possible_can_be_chosen_with_its_reason() -> None:
    """V-13 — no money now, but 30% of NYC to be sold before it."""
    poor = second_round(50)
    words = "This costs $76 and there is only $50 for it: choose something cheaper."
    assert shop(form(poor))["PRR:ipo"] == (words, True)
    poor.state.corporations["NYC"].held.pop("1")
    assert shop(form(poor))["PRR:ipo"] == (words, False)


def test_after_a_purchase_the_one_reason_is_said_once() -> None:
    game = second_round()
    game.apply(parse("1 buy PRR ipo"))
    filled = form(game)
    assert filled.goes_on
    assert not filled.can_buy
    assert filled.why_no_purchase.startswith("One purchase a turn")


def test_what_was_sold_in_this_round_cannot_be_bought_back() -> None:
    game = second_round()
    game.apply(parse("1 sell NYC 1"))
    filled = form(game)
    why = "You sold NYC in this stock round: buy it in the next."
    assert shop(filled)["NYC:pool"] == (why, False)
    assert ("NYC", "Bank Pool", why) in list(filled.unbought)


def test_who_is_above_the_limit_is_told_how_much_to_sell() -> None:
    """N1 of what players ask for, Z-10 — four players: 16 certificates."""
    game = second_round()
    for symbol in ("B&O", "C&O", "ERIE"):
        company(game.state, symbol, 67, p1=6)  # 5 certificates each, and 3 of NYC: 18
    held = game.state.certificates("1")
    filled = form(game)
    assert (filled.certificates, filled.limit) == (held, 16)
    assert filled.must_sell == f"You hold {held} of 16 certificates: sell {held - 16}."
    assert not form(second_round()).must_sell


def test_nothing_is_sold_in_the_first_round_and_it_says_so() -> None:
    """V-13 — "no sale in the first stock round"."""
    game = second_round()
    stock_round(game, "1", turn=1)
    filled = form(game)
    assert not filled.can_sell
    assert dict(filled.unsold)["NYC"].startswith("No shares are sold in the first stock round")


def test_a_president_without_successor_may_sell_only_after_a_purchase() -> None:
    """C-4 — of 20% nothing can go, but with 10% bought before it 10% can."""
    game = second_round()
    company(game.state, "B&M", 67, p1=2)
    filled = form(game)
    assert [one.value for one in filled.sales[0].corporations] == ["NYC", "B&M"]
    assert dict(filled.unsold)["B&M"].startswith("Nobody else holds enough of B&M")
    typed = {"buy": "B&M:ipo", "sale1_corporation": "B&M", "sale1_number": "1"}
    done = execute(
        game,
        [Outcome(one) for one in form(game, **typed, sale1_when="after").commands()],
        "1",
    )
    assert [one.fate for one in done.outcomes] == [Fate.EXECUTED] * 2


def test_holdings_say_what_does_not_count() -> None:
    """Z-12 — at 20 NYC is beyond the yellow zone and counts no more."""
    game = second_round()
    assert [one.counts for one in form(game).holdings] == [True]
    price(game.state, "NYC", 9, 3)
    assert [(one.corporation, one.percent, one.counts) for one in form(game).holdings] == [
        ("NYC", 30, False)
    ]


def test_privates_are_bought_of_others_and_sold_to_each() -> None:
    """Z-02 — in the turn of buyer or seller."""
    game = second_round()
    game.state.owners = {"SV": "1", "CS": "2"}
    assert [(one.value, one.shut) for one in form(game).trades] == [
        ("SV:2", False),
        ("SV:3", False),
        ("SV:4", False),
        ("CS:1", False),
    ]
    assert form(game).trades[3].words == "buy CS (face value $40) from Bruno"
    stock_round(game, "1", turn=1)
    assert not form(game).can_trade
    assert form(game).untraded


def test_the_mohawk_is_exchanged_where_a_certificate_is() -> None:
    """Z-07 — 10% of the NYC, from the offering or the pool."""
    game = second_round()
    game.state.owners = {"MH": "1"}
    game.state.corporations["NYC"].pool = 0
    offered = {one.value: bool(one.why) for one in form(game).exchanges}
    assert offered == {"MH:ipo": False, "MH:pool": True}
    assert not form(game, "2").exchanges
    alone = ExchangeForm(game, "1", NAMES, {"exchange": "MH:ipo"})
    assert told(alone.commands()) == ["1 exchange MH ipo (None)"]


def test_what_was_typed_is_shown_again_even_if_it_is_no_choice() -> None:
    filled = form(second_round(), sale1_corporation="ERIE", sale1_number="9", buy_par="1")
    assert [one.value for one in filled.sales[0].corporations if one.chosen] == ["ERIE"]
    assert [one.value for one in filled.sales[0].numbers if one.chosen] == ["9"]
    assert [one.value for one in filled.pars if one.chosen] == ["1"]


# --- on the page ---------------------------------------------------------------------------------


def in_the_first_round(players: int = 4) -> PlayedGame:
    """A game by correspondence after the auction: each private sold at once, the B&O's par 67."""
    now = timezone.now()
    game = make_game(players, now=now)
    for line in ("SV 20", "CS 40", "DH 70", "MH 110", "CA 160", "BO 220"):
        who = position(game).player or ""
        typed = [Plain(parse(f"{who} bid {line}"))]
        if line.startswith("BO"):
            typed.append(Plain(parse(f"{who} par B&O 67")))
        send(game, typed, now)
    return game


def browser_of(game: PlayedGame, seat: str = "") -> Client:
    return visitor(user_at(game, seat or position(game).player or ""))


def sent(game: PlayedGame, **typed: str) -> dict[str, str]:
    return {"seen": str(reread(game).seq), "key": str(uuid4()), "act": "anyway"} | typed


@pytest.mark.django_db
def test_a_certificate_is_bought_over_the_page() -> None:
    """V-06, V-07 — what is offered is on the page; what it would do is shown before it is sent."""
    game = in_the_first_round()
    buyer = position(game).player or ""
    client, where = browser_of(game), reverse("game_move", args=[game.pk])
    page = client.get(game.get_absolute_url()).content.decode()
    assert 'value="PRR:par"' in page
    typed = {"buy": "PRR:par", "buy_par": "67", "buy_amount": "100"}
    shown = client.post(where, sent(game, **typed) | {"act": "preview"})
    assert shown.status_code == 200
    assert '<option value="67" data-price="134" selected>' in shown.content.decode()
    assert position(game).state.corporations["PRR"].par is None
    before = position(game).state.cash[buyer]
    assert client.post(where, sent(game, **typed)).status_code == 302
    state = position(game).state
    assert (state.corporations["PRR"].par, before - state.cash[buyer]) == (67, 134)


@pytest.mark.django_db
def test_nothing_at_all_is_told_and_what_was_typed_stays() -> None:
    """V-02 — to do nothing is a pass, which is said; and no odd letter breaks anything."""
    game = in_the_first_round()
    client, where = browser_of(game), reverse("game_move", args=[game.pk])
    answer = client.post(where, sent(game))
    assert answer.status_code == 422
    assert reread(game).moves.count() == 6
    odd = sent(game, buy="PRR:par\x00", sale1_amount="9\x00", buy_amount="x" * 5000)
    assert client.post(where, odd).status_code == 302
    last = reread(game).moves.get(number=7)
    assert last.form["typed"]["sale1_amount"] == "9"
    assert {one["fate"] for one in last.commands} == {"refused"}


@pytest.mark.django_db
def test_the_mohawk_is_exchanged_while_another_is_to_act() -> None:
    """Z-07 — "tra i turni azionari degli altri": the turn and its hours stay the other's."""
    game = in_the_first_round()
    owner = position(game).state.owners["MH"]
    while position(game).player == owner:
        send(game, [Plain(Pass(owner))], timezone.now())
    who = position(game).player or ""
    send(game, [Plain(parse(f"{who} par NYC 67"))], timezone.now())
    if position(game).player == owner:
        send(game, [Plain(Pass(owner))], timezone.now())
    at, due = reread(game).to_act, reread(game).due_at
    client, where = browser_of(game, owner), reverse("game_exchange", args=[game.pk])
    assert where in client.get(game.get_absolute_url()).content.decode()
    assert client.post(where, sent(game)).status_code == 422
    assert client.post(where, sent(game, exchange="MH:ipo")).status_code == 302
    state = position(game).state
    assert "MH" not in state.owners
    assert state.corporations["NYC"].held[owner] == 1
    assert (reread(game).to_act, reread(game).due_at) == (at, due)
    again = client.post(where, sent(game, exchange="MH:ipo"))
    assert again.status_code == 302  # there is nothing left to exchange, and it says so
    other = browser_of(game)
    assert where not in other.get(game.get_absolute_url()).content.decode()


# --- recorded games -------------------------------------------------------------------------------


def recorded(name: str) -> Iterator[tuple[Game, Turn]]:
    """The turns of the auction and of the stock rounds, each with the position before it."""
    file = file_of(name)
    *_, (_n, played) = interchange.replay(file)
    game = interchange.begin(file).game
    for turn in turns(game.copy(), [one.to_dict() for one in played.log]):
        if isinstance(game.state.round, Auction | Stock) and turn.player == game.player:
            yield game.copy(), turn
        for action in turn.actions:
            game.apply(action)


@pytest.mark.parametrize("name", OURS)
def test_recorded_turns_entered_field_by_field_are_the_recorded_commands(name: str) -> None:
    """V-02..V-14 — the same actions in the same order, every sum right, the same position."""
    count = 0
    for here, turn in recorded(name):
        count += 1
        after = here.copy()
        for action in turn.actions:
            after.apply(action)
        commands: list[Command] = []
        for typed in stock_data(turn, here):
            filled = move_form(here, turn.player, {}, typed)
            offered(filled)
            now = filled.commands()
            commands += now
            outcomes = [Outcome(one) for one in now]
            done = execute(here, outcomes, turn.player, ends="more" not in typed)
            while done.waits:
                for one in outcomes:
                    one.answer = Answer.YES if one.fate is Fate.CONSENT else None
                done = execute(here, outcomes, turn.player, ends="more" not in typed)
            assert [one.fate for one in outcomes] == [Fate.EXECUTED] * len(outcomes), typed
            assert [one.note for one in outcomes] == [None] * len(outcomes), typed
        meant = [one.action for one in turn.commands if isinstance(one, Plain)]
        assert [one.action for one in commands if isinstance(one, Plain)] == meant
        assert here.digest() == after.digest()
    assert count > 50


def offered(filled: object) -> None:
    """What was chosen is among what the form offers, and can be chosen."""
    if isinstance(filled, StockForm):
        chosen = [one for line in filled.lines for one in line.choices if one.chosen]
        chosen += [one for one in (*filled.trades, *filled.exchanges) if one.chosen]
        assert not [one for one in chosen if one.shut]
        commands = [one for one in filled.commands() if isinstance(one, Plain)]
        trades = [one for one in commands if isinstance(one.action, BuyPrivate)]
        wanted = bool(filled.fields.said("buy")) + bool(trades) + bool(filled.exchanged)
        assert len(chosen) == wanted
