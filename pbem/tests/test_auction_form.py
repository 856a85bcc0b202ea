"""The form of the opening auction: what it offers, and what of it is a command."""

from __future__ import annotations

from collections.abc import Iterator

import pytest
from django.utils import translation

from pbem.engine import Game, IllegalAction, parse, start
from pbem.engine.actions import Par
from pbem.engine.errors import Reason
from pbem.forms.auction import AuctionForm, Lot
from pbem.rules.commands import Command, Faulty, Plain
from pbem.rules.turns import Fate, Outcome, execute

NAMES = {"1": "Anna", "2": "Bruno", "3": "Carla", "4": "Dora", "5": "Elio"}


@pytest.fixture(autouse=True)
def english() -> Iterator[None]:
    with translation.override("en"):
        yield


def auction(*lines: str, players: int = 5) -> Game:
    game = start("1830", [str(n) for n in range(1, players + 1)])
    for line in lines:
        game.apply(parse(line))
    return game


def form(game: Game, **typed: str) -> AuctionForm:
    return AuctionForm(game, game.player or "", NAMES, typed)


def lots(game: Game) -> dict[str, Lot]:
    return {one.id: one for one in form(game).lots}


def told(commands: list[Command]) -> list[str]:
    return [
        str(one.action) if isinstance(one, Plain) else f"{one.about}: {one.fault} ({one.said})"
        for one in commands
        if isinstance(one, Plain | Faulty)
    ]


# --- what is offered ------------------------------------------------------------------------------


def test_each_private_has_its_least_bid_filled_in_and_none_is_chosen() -> None:
    """V-03, B2 of what players ask for — the cheapest at its price, the others at face and 5."""
    offered = lots(auction())
    assert {name: one.amount for name, one in offered.items()} == {
        "SV": "20",
        "CS": "45",
        "DH": "75",
        "MH": "115",
        "CA": "165",
        "BO": "225",
    }
    assert [one.bought for one in offered.values()] == [True] + [False] * 5
    assert not any(one.chosen or one.why for one in offered.values())
    assert form(auction()).commands() == []


def test_money_that_is_bid_is_tied_up_but_for_its_own_private() -> None:
    """V-04 — the example of the catalogue: cash 480, bids of 75 and 45, free 360; a raise of one's
    own bid costs only the difference."""
    game = auction("1 bid DH 75", "2 pass", "3 pass", "4 pass", "5 pass", "1 bid CS 45")
    game.state.round.turn = 0  # type: ignore[union-attr]
    filled = form(game)
    assert (filled.cash, filled.tied, filled.free) == (480, 120, 360)
    offered = lots(game)
    assert (offered["DH"].most, offered["DH"].least, offered["DH"].mine) == (435, 80, 75)
    assert offered["MH"].most == 360


def test_the_least_bid_is_five_more_than_the_last() -> None:
    """BID-1, BID-2 — face 70: 75; after 85: 90."""
    assert lots(auction())["DH"].least == 75
    assert lots(auction("1 bid DH 75", "2 bid DH 85"))["DH"].least == 90


def test_what_costs_too_much_says_so() -> None:
    game = auction("1 bid CA 400", players=4)
    for player in ("2", "3", "4"):
        game.apply(parse(f"{player} pass"))
    assert lots(game)["BO"].why.startswith("This costs $225 and there is only $200 for it")
    assert not lots(game)["CA"].why


def test_in_a_contest_only_its_private_can_be_raised() -> None:
    """V-05 — the lowest bidder speaks; who passes is out."""
    game = auction("1 bid CS 45", "2 bid CS 50", "3 bid SV 20")
    filled = form(game)
    assert filled.player == "1"
    assert filled.contest is not None
    assert filled.contest.id == "CS"
    offered = lots(game)
    assert (offered["CS"].why, offered["CS"].least, offered["CS"].bought) == ("", 55, False)
    assert offered["DH"].why == "Only CS is fought for now: raise the bid on it, or pass."


def before_the_b_and_o() -> Game:
    """The B&O is all that is left, and the next may buy it for 220."""
    return auction(
        "1 bid SV 20", "2 bid CS 40", "3 bid DH 70", "1 bid MH 110", "2 bid CA 160", players=3
    )


def test_the_b_and_o_bought_outright_is_offered_with_its_par() -> None:
    """Z-09 — at the table's pars, none of them chosen beforehand."""
    lot = lots(before_the_b_and_o())["BO"]
    assert (lot.naming, lot.amount, lot.bought) == ("B&O", "220", True)
    assert [one.value for one in lot.pars] == ["67", "71", "76", "82", "90", "100"]
    assert not any(one.chosen for one in lot.pars)
    assert not lots(auction())["SV"].naming
    assert not lots(auction())["BO"].naming  # a bid: whose it will be, nobody knows yet


# --- what was filled in ---------------------------------------------------------------------------


def test_a_purchase_a_bid_and_a_pass() -> None:
    """V-02, V-03."""
    game = auction()
    assert told(form(game, choice="SV", amount_SV="20").commands()) == ["1 bid SV 20"]
    assert told(form(game, choice="DH", amount_DH="$ 90").commands()) == ["1 bid DH 90"]
    assert told(form(game, choice="pass", amount_SV="20").commands()) == ["1 pass"]


def test_the_price_of_the_cheapest_need_not_be_said_but_a_bid_must() -> None:
    game = auction()
    assert told(form(game, choice="SV").commands()) == ["1 bid SV 20"]
    assert told(form(game, choice="DH").commands()) == ["bid: price_missing (DH)"]


@pytest.mark.parametrize(
    ("typed", "said"),
    [
        ({"choice": "XX"}, "bid: unreadable (XX)"),
        ({"choice": "DH", "amount_DH": "a lot"}, "bid: unreadable (DH, a lot)"),
        ({"amount_DH": "100", "amount_SV": "20"}, "bid: incomplete (DH, 100)"),
    ],
)
def test_what_is_not_clear_is_a_command_that_says_so(typed: dict[str, str], said: str) -> None:
    """Y-02 — the form never refuses."""
    filled = form(auction(), **typed)
    assert told(filled.commands()) == [said]
    assert filled.typed() == {name: value for name, value in typed.items() if value}


def test_the_b_and_o_and_its_par_are_one_form() -> None:
    """Z-09 — "Fissare la quotazione (par) della B&O": without it the turn stays open."""
    game = before_the_b_and_o()
    buyer = game.player or ""
    both = form(game, choice="BO", amount_BO="220", par_BO="82").commands()
    assert told(both) == [f"{buyer} bid BO 220", f"{buyer} par B&O 82"]
    done = execute(game.copy(), [Outcome(one) for one in both], buyer)
    assert [one.fate for one in done.outcomes] == [Fate.EXECUTED] * 2
    alone = form(game, choice="BO", amount_BO="220").commands()
    assert told(alone) == [f"{buyer} bid BO 220"]
    done = execute(game, [Outcome(one) for one in alone], buyer)
    assert not done.finished
    assert isinstance(done.open, IllegalAction)
    assert done.open.reason is Reason.DECISION_PENDING
    naming = form(game)
    assert naming.naming == "B&O"
    assert form(game, par="100").commands() == [Plain(Par(buyer, "B&O", 100))]
    assert naming.commands() == []
    assert told(form(game, par="x").commands()) == ["par: unreadable (B&O, x)"]
