"""1830/R — a route as a person names it, as it is counted, and why it goes no further."""

from __future__ import annotations

import pytest

from pbem.engine import IllegalAction, MalformedAction, Reason, routes
from pbem.engine.actions import Route, Run, parse

from .positions import lay, token
from .test_routes import at_the_run, gulf_to_philadelphia, row_h

THREE = "PRR run 3:H12-H14-H16+H16-H18"


def run_of(line: str) -> Run:
    action = parse(line)
    assert isinstance(action, Run)
    return action


# --- as it is counted -----------------------------------------------------------------------------


def test_each_stop_is_told_with_its_value() -> None:
    """asks N3 — Altoona 10, Lancaster 20, Philadelphia 40."""
    game = at_the_run("PRR", "3")
    gulf_to_philadelphia(game)
    (one,) = routes.count(game.state, run_of(THREE))
    assert one.stops == ((("H12", 0), 10), (("H16", 0), 20), (("H18", 0), 40))
    assert (one.value, one.wrong) == (70, None)


def test_a_wrong_route_is_counted_too_and_says_what_it_breaks() -> None:
    """1830/R-2, R-7 — four stops are too many for a 3-train; the 2-train after it is judged by
    itself, since a wrong route takes no track."""
    game = at_the_run("PRR", "3", "2")
    gulf_to_philadelphia(game)
    four = run_of("PRR run 3:H10-H12+H12-H14-H16+H16-H18 2:H12-H14-H16")
    first, second = routes.count(game.state, four)
    assert first.value == 90
    assert first.wrong is not None
    assert first.wrong.reason is Reason.TOO_MANY_STOPS
    assert (second.value, second.wrong) == (30, None)
    with pytest.raises(IllegalAction) as refused:
        routes.earnings(game.state, four)
    assert refused.value.reason is Reason.TOO_MANY_STOPS


def test_a_route_that_is_no_track_has_no_stops() -> None:
    """1830/R-1 — nothing lies between Altoona and Lancaster."""
    game = at_the_run("PRR", "2")
    (one,) = routes.count(game.state, run_of("PRR run 2:H12-H14-H16"))
    assert one.stops == ()
    assert one.wrong is not None
    assert one.wrong.reason is Reason.NO_SUCH_TRACK


def test_track_used_by_another_train_is_told_with_the_stops() -> None:
    """1830/R-7 — the second train over the same track: its stops are known all the same."""
    game = at_the_run("PRR", "2", "2")
    row_h(game)
    _, second = routes.count(game.state, run_of("PRR run 2:H12-H10 2:H10-H12"))
    assert second.value == 30
    assert second.wrong is not None
    assert (second.wrong.reason, second.wrong.clause) == (Reason.TRACK_TWICE, "1830/R-7")


# --- why it goes no further -----------------------------------------------------------------------


def why(line: str, *kinds: str, blocked: bool = False) -> dict[str, tuple[int, Reason | None]]:
    """Where the first route would come to next, for how much, and why it may not."""
    game = at_the_run("PRR", *kinds)
    gulf_to_philadelphia(game)
    if blocked:
        token(game.state, "NYC", "H10", 0)
    found = routes.longer(game.state, run_of(line), 0)
    return {one.stop[0]: (one.value, one.wrong.reason if one.wrong else None) for one in found}


def test_a_train_counts_no_more_stops() -> None:
    """1830/R-2 — westwards Pittsburgh would follow; east of Philadelphia there is no track."""
    assert why(THREE, "3") == {"H10": (20, Reason.TOO_MANY_STOPS)}


def test_a_longer_train_could_go_on() -> None:
    """The same route by a 4-train: nothing forbids it."""
    assert why(THREE.replace("3:", "4:"), "4") == {"H10": (20, None)}


def test_a_full_city_is_not_passed() -> None:
    """1830/R-4 — Pittsburgh is another's: Columbus beyond it is out of reach."""
    line = "PRR run D:H10-H12+H12-H14-H16+H16-H18"
    assert why(line, "D", blocked=True) == {"H4": (30, Reason.CITY_FULL)}


def test_another_train_holds_the_track() -> None:
    """1830/R-7 — the 2-train runs from Altoona to Pittsburgh."""
    line = "PRR run D:H12-H14-H16+H16-H18 2:H12-H10"
    assert why(line, "D", "2") == {"H10": (20, Reason.TRACK_TWICE)}


def test_a_route_that_is_wrong_already_is_no_reason() -> None:
    """1830/R-7 — the second train claims track of the first: that is its fault, not the first's."""
    line = "PRR run 3:H12-H14-H16 2:H16-H14-H12"
    assert why(line, "3", "2") == {"H10": (20, None), "H18": (40, None)}


def test_of_what_is_no_line_nothing_is_said() -> None:
    """Of legs that lie apart."""
    assert why("PRR run D:H16-H18+H10-H12", "D") == {}


# --- as a person names it -------------------------------------------------------------------------


def named(words: str, train: str = "6") -> Route:
    game = at_the_run("PRR", train)
    gulf_to_philadelphia(game)
    return routes.read(game.state, "PRR", train, words.split())


def test_the_stops_are_enough() -> None:
    """Hexes that a route only passes need not be named."""
    assert str(named("H12 H16 H18")) == "6:H12-H14-H16+H16-H18"


def test_the_hexes_between_may_be_named() -> None:
    """All of them, or some."""
    assert named("I1 I3 H4 H6 H8 H10 H12") == named("I1 H4 H8 H10 H12")


def test_altoona_is_a_stop_if_it_is_named_and_passed_by_if_not() -> None:
    """1830/R-9 — with a second token at Lancaster, Pittsburgh to Lancaster beside Altoona."""
    game = at_the_run("PRR", "3")
    gulf_to_philadelphia(game)
    token(game.state, "PRR", "H16", 0)
    assert str(routes.read(game.state, "PRR", "3", ["H10", "H16"])) == "3:H10-H12-H14-H16"
    by_it = routes.read(game.state, "PRR", "3", ["H10", "H12", "H16"])
    assert str(by_it) == "3:H10-H12+H12-H14-H16"


def test_of_two_ways_the_legal_one_is_taken() -> None:
    """1830/R-1, R-9 — all hexes named: through Altoona, whose token the run needs, though the
    track beside it fits the names too."""
    assert str(named("H10 H12 H14 H16")) == "6:H10-H12+H12-H14-H16"


def test_names_that_no_track_joins_are_told() -> None:
    """1830/R-1 — with the two names between which it breaks off."""
    with pytest.raises(IllegalAction) as refused:
        named("H12 H16 J14")
    assert refused.value.reason is Reason.NO_SUCH_TRACK
    assert refused.value.data == {"leg": "H16-J14"}


def test_a_name_that_is_no_hex_is_told() -> None:
    """A slip of the keyboard is no route."""
    with pytest.raises(MalformedAction, match="H99"):
        named("H12 H99")


@pytest.mark.parametrize("words", ["", "H12"])
def test_fewer_than_two_names_are_a_route_without_legs(words: str) -> None:
    """1830/R-1 — which is then refused for having too few stops."""
    assert named(words).legs == ()


def test_a_board_with_many_ways_does_not_hang() -> None:
    """The same two names over and over: the ways tried are bounded."""
    game = at_the_run("PRR", "D")
    row_h(game)
    lay(game.state, "I15", "57", 0)
    with pytest.raises(IllegalAction):
        routes.read(game.state, "PRR", "D", ["H10", "H12"] * 200 + ["A9"])
