"""A run that somebody types, counted before his eyes: asks N3."""

from __future__ import annotations

from collections.abc import Iterator

import pytest
from django.utils import translation

from pbem.board.run_check import MOST_FURTHER, Check, check
from pbem.engine import Game

from .positions import token
from .test_routes import at_the_run, gulf_to_philadelphia, ring_of_baltimore

ANOTHER = "without another stop between: name every stop, in order."


@pytest.fixture(autouse=True)
def english() -> Iterator[None]:
    with translation.override("en"):
        yield


def tried(*said: str, kinds: tuple[str, ...] = ("3", "2"), game: Game | None = None) -> Check:
    if game is None:
        game = at_the_run("PRR", *kinds)
        gulf_to_philadelphia(game)
    return check(game.state, "PRR", said, {})


def test_each_stop_is_shown_with_its_value_and_the_whole_with_its_sum() -> None:
    """1830/R-8, R-14 — Altoona 10, Lancaster 20, Philadelphia 40; Altoona 10, Pittsburgh 20."""
    found = tried("H12 H16 H18", "H12 H10")
    first, second = found.rows
    assert first.stops == (
        ("Altoona (H12)", 10),
        ("Lancaster (H16)", 20),
        ("Philadelphia & Trenton (H18)", 40),
    )
    assert (first.value, second.value, found.total) == (70, 30, 100)
    assert [str(route) for route in found.run.routes] == ["3:H12-H14-H16+H16-H18", "2:H12-H10"]


@pytest.mark.parametrize(
    "said", ["h12,h16,h18", "H12-H14-H16-H18", " H12 → H16 → H18 ", "H12;H16/H18"]
)
def test_it_is_typed_as_it_comes(said: str) -> None:
    """On a phone, in small letters, with whatever between."""
    assert tried(said).total == 70


def test_why_a_route_goes_no_further_is_said() -> None:
    """1830/R-2, R-7."""
    first, second = tried("H12 H16 H18", "H12 H10").rows
    assert first.further == (
        "No further: Pittsburgh (H10), $20: the train counts 3 stops and no more.",
    )
    assert set(second.further) == {
        "No further: Lancaster (H16), $20: its track is used already.",
        "No further: Columbus (H4), $30: the train counts 2 stops and no more.",
    }


def test_where_it_may_go_on_it_is_said() -> None:
    """One stop is left to the 3-train."""
    (row,) = tried("H12 H16", kinds=("3",)).rows
    assert "It may go on: Pittsburgh (H10), $20 more." in row.further
    assert "It may go on: Philadelphia & Trenton (H18), $40 more." in row.further


def test_a_full_city_is_named() -> None:
    """1830/R-4."""
    game = at_the_run("PRR", "D")
    gulf_to_philadelphia(game)
    token(game.state, "NYC", "H10", 0)
    (row,) = tried("H10 H12 H16 H18", game=game).rows
    assert row.further == (
        (
            "No further: Columbus (H4), $30: Pittsburgh (H10) is full of others' stations, "
            "and a route ends there."
        ),
    )


def test_a_stop_is_called_by_its_name_where_a_route_is_wrong() -> None:
    """1830/R-4 — a hex and a number are the engine's own."""
    game = at_the_run("PRR", "D")
    gulf_to_philadelphia(game)
    token(game.state, "NYC", "H10", 0)
    (row,) = tried("H4 H10 H12", game=game).rows
    assert row.wrong == (
        "A route leads through Pittsburgh (H10), full of others' stations: end it there."
    )


def test_the_same_is_not_said_twice() -> None:
    """A ring goes on from either end to the same place."""
    game = at_the_run("B&O", "D")
    ring_of_baltimore(game)
    (row,) = check(game.state, "B&O", ["I15 J14"], {}).rows
    assert len(row.further) == len(set(row.further))


def test_nothing_named_is_said_to_be_nothing() -> None:
    """Asked before anything is typed it is no slip."""
    assert tried("", "").nothing
    assert not tried().nothing
    assert not tried("H12 H10").nothing


def test_what_is_wrong_is_said_beside_the_train_and_the_others_are_counted() -> None:
    """1830/R-2 — and there is no sum while something is wrong."""
    found = tried("H10 H12 H16 H18", "H12 H16")
    first, second = found.rows
    assert first.wrong == "The 3-train makes at most 3 stops, not 4: shorten its route."
    assert [value for _, value in first.stops] == [20, 10, 20, 40]
    assert (second.wrong, second.value) == ("", 30)
    assert found.total is None
    assert [str(route) for route in found.run.routes] == ["2:H12-H14-H16"]


@pytest.mark.parametrize(
    ("said", "wrong"),
    [
        ("H12 H99", "The map has no hex H99."),
        ("H12 <b>", "The map has no hex b."),
        (
            "H12 H16 H18 J14",
            (
                "No track joins Philadelphia & Trenton (H18) and Washington (J14): "
                "name stops that do."
            ),
        ),
        (  # Lancaster lies between
            "H12 H18",
            f"No track leads from Altoona (H12) to Philadelphia & Trenton (H18) {ANOTHER}",
        ),
        ("H12", "The route of the 3-train joins no two stops: lengthen it, or leave it out."),
        ("?!", "The route of the 3-train joins no two stops: lengthen it, or leave it out."),
        ("H16 H18", "The route of the 3-train has no station of the corporation: lead it by one."),
    ],
)
def test_a_slip_is_named(said: str, wrong: str) -> None:
    """The row keeps what was typed."""
    row = tried(said).rows[0]
    assert (row.said, row.wrong) == (said, wrong)


def test_a_train_of_which_nothing_is_said_does_not_run() -> None:
    """1830/R-1 — at most one run a train: none is legal."""
    found = tried("", "H12 H10")
    assert (found.total, found.rows[0].stops, found.rows[0].wrong) == (30, (), "")
    assert tried().total == 0


def test_more_routes_than_trains_are_not_read() -> None:
    """And a route longer than any map is cut."""
    assert tried("H12 H10", "H12 H16", "H16 H18").total == 60
    assert len(tried("H12 " * 500).rows[0].said) == 300


def test_of_many_ways_on_the_first_few_are_told() -> None:
    """A page, not a list of all track."""
    game = at_the_run("B&O", "D")
    ring_of_baltimore(game)
    (row,) = check(game.state, "B&O", ["I15 J14"], {}).rows
    assert 0 < len(row.further) <= MOST_FURTHER
