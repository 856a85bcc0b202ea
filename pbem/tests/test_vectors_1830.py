"""The worked examples of the regulation that 1830 must give: the engine and the form say the same.

`PRIV` and `CERT` stand in `test_trains.py`, `BNK` in `test_emergency.py`; here `BID`, and what the
form offers a private for.
"""

from __future__ import annotations

from typing import Any

import pytest

from pbem.engine import Reason, start
from pbem.engine.actions import Bid, BuyPrivate

from .positions import play, refused
from .test_trains import buyer, vectors

PRESETS = ("figf", "18xx")


@pytest.mark.parametrize("preset", PRESETS)
@pytest.mark.parametrize("case", vectors("BID"), ids=lambda case: case["id"])
def test_the_least_bid_on_a_private(case: dict[str, Any], preset: str) -> None:
    """FIGF-V-03 (BID) — five above the face, then above the last bid: that and no dollar less."""
    face, last, least = case["input"]["face"], case["input"]["last_bid"], case["expected"]
    game = start("1830", ["1", "2", "3"], preset)
    (private,) = (one.id for one in game.title.privates.values() if one.face == face)
    who = "1"
    if last is not None:
        play(game, f"1 bid {private} {last}")
        who = "2"
    assert refused(game, f"{who} bid {private} {least - 1}") == (
        Reason.BID_TOO_LOW,
        {"private": private, "minimum": least},
    )
    offered = [one.action for one in game.options() if isinstance(one.action, Bid)]
    assert Bid(who, private, least) in offered
    play(game, f"{who} bid {private} {least}")


@pytest.mark.parametrize("case", vectors("PRIV"), ids=lambda case: case["id"])
def test_what_a_corporation_is_offered_a_private_for(case: dict[str, Any]) -> None:
    """FIGF-X-02, Z-01 (PRIV) — the range that the form shows is the one that is allowed."""
    game = buyer("3")
    face, (least, most) = case["input"]["face"], case["expected"]
    (private,) = (one.id for one in game.title.privates.values() if one.face == face)
    (one,) = (
        option
        for option in game.options()
        if isinstance(option.action, BuyPrivate) and option.action.private == private
    )
    assert isinstance(one.action, BuyPrivate)
    assert (one.action.price, one.most) == (least, most)


@pytest.mark.parametrize("prefix", ["DICE", "DL", "PRIV", "BID", "CERT", "BNK"])
def test_the_vectors_are_there(prefix: str) -> None:
    """How many there are of each: a file that lost some would prove nothing."""
    assert (
        len(vectors(prefix))
        == {
            "DICE": 4,
            "DL": 3,
            "PRIV": 5,
            "BID": 2,
            "CERT": 1,
            "BNK": 4,
        }[prefix]
    )
