"""A hex told in words: the sentences that a reader hears, written here by hand from the facts."""

from __future__ import annotations

from collections.abc import Iterator

import pytest
from django.utils import translation

from pbem.board import map as drawn
from pbem.board.faces import empty, faces
from pbem.board.spoken import hex_words, lines, told
from pbem.engine import start
from pbem.engine.state import State

from .test_board_map import TITLES, facts, lay, station


@pytest.fixture(autouse=True)
def in_english() -> Iterator[None]:
    with translation.override("en"):
        yield


@pytest.fixture
def begun() -> State:
    return start("1830", ["anna", "bruno", "carla"]).state


@pytest.mark.parametrize(
    ("hex_id", "words"),
    [
        ("G9", "G9. No tile."),
        ("B18", "B18. No tile. Water: $80."),
        (
            "H10",
            "H10 Pittsburgh. No tile. City: 1 place, 1 free.",
        ),
        (
            "F16",
            "F16 Scranton. No tile. Mountain: $120. City: 1 place, 1 free. Blocked by DH.",
        ),
        (
            "E23",
            (
                "E23 Boston. Printed in yellow, no tile yet. City: worth 30; track to north-east,"
                " south-east; 1 place, reserved for B&M. Label B."
            ),
        ),
        (
            "E11",
            (
                "E11 Dunkirk & Buffalo. Printed in yellow, no tile yet. Without track. City 1:"
                " 1 place, 1 free. City 2: 1 place, 1 free. Label OO. Home of ERIE, in a city to be"
                " chosen."
            ),
        ),
        (
            "F2",
            (
                "F2 Chicago. Red area: worth 40 now, of 40, 70 from phase 5; track to north-east,"
                " east, south-east."
            ),
        ),
        (
            "I1",
            (
                "I1 Gulf. Red area: worth 30 now, of 30, 60 from phase 5; track to east. One place"
                " with J2."
            ),
        ),
        ("D24", "D24. Printed in grey, permanent. Track: south-west to west."),
        (
            "H12",
            (
                "H12 Altoona. Printed in grey, permanent. City: worth 10; track to west, east; 1"
                " place, reserved for PRR. Track: west to east."
            ),
        ),
        ("D12", "D12. No tile. Impassable: north-west, north-east."),
        (
            "G7",
            ("G7 Akron & Canton. No tile. 2 small towns."),
        ),
    ],
)
def test_a_hex_as_the_game_begins(begun: State, hex_id: str, words: str) -> None:
    assert hex_words(begun, hex_id) == words


def test_a_city_with_stations_and_who_reaches_it(begun: State) -> None:
    """14 on H10 at rotation 0: edges 0, 1, 3, 4. PRR stands there, so it reaches H8 to the west."""
    lay(begun, "H10", "14", 0)
    station(begun, "PRR", "H10", 0)
    assert hex_words(begun, "H10") == (
        "H10 Pittsburgh. Tile 14, green. City: worth 30; track to south-west, west, north-east,"
        " east; 2 places, PRR, 1 free. Reached by PRR."
    )
    assert hex_words(begun, "H8") == "H8. No tile. Reached by PRR."
    assert hex_words(begun, "H12").endswith("Reached by PRR.")
    assert "Reached" not in hex_words(begun, "H6")


def test_a_city_full_of_others_is_not_passed(begun: State) -> None:
    """1830/R-4 — B&O on the one place of Altoona: its bypass leads PRR on to H14 all the same."""
    lay(begun, "H10", "57", 1)
    station(begun, "PRR", "H10", 0)
    station(begun, "B&O", "H12", 0)
    assert "Reached by PRR, B&O." in hex_words(begun, "H14")
    assert hex_words(begun, "H12") == (
        "H12 Altoona. Printed in grey, permanent. City: worth 10; track to west, east; 1 place,"
        " B&O. Track: west to east. Reached by PRR, B&O."
    )


def test_corporations_and_privates_are_called_as_the_reader_calls_them(begun: State) -> None:
    names = {"PRR": "Pennsylvania", "SV": "Schuylkill"}
    assert "reserved for Pennsylvania" in hex_words(begun, "H12", names)
    assert hex_words(begun, "G15", names) == (
        "G15. No tile. Mountain: $120. Blocked by Schuylkill."
    )


def test_an_undecided_station_is_told(begun: State) -> None:
    """1830/F-2."""
    station(begun, "ERIE", "E11", -1)
    assert hex_words(begun, "E11").endswith(
        "Label OO. Station of ERIE, its city to be chosen. Reached by ERIE."
    )


def test_the_value_in_force_follows_the_phase(begun: State) -> None:
    begun.phase = 3
    assert "worth 70 now, of 40, 70 from phase 5" in hex_words(begun, "F2")


def test_a_hex_that_is_not_on_the_map_is_refused(begun: State) -> None:
    with pytest.raises(KeyError):
        hex_words(begun, "Z1")


@pytest.mark.parametrize(
    ("title", "hex_id", "words"),
    [
        ("1849", "a12", "a12. Port: worth 20; track to south-east; optional stop."),
        (
            "1849",
            "C1",
            (
                "C1 Trapani. Printed in grey, permanent. City: worth 20, 30 from phase 8H,"
                " 40 from phase 12H; track to south (both gauges), south-east (both gauges);"
                " 1 place, 1 free. Possible home of AFG. Impassable: north-east."
            ),
        ),
        (
            "1849",
            "C15",
            (
                "C15 Calabria. Printed in grey, permanent. Grey area: worth 10, 30 from phase 8H,"
                " 90 from phase 12H; track to north-east (both gauges)."
            ),
        ),
        (
            "1849",
            "K9",
            (
                "K9. Printed in yellow, no tile yet. Mountain: L.\N{NO-BREAK SPACE}160."
                " Track: south to north (narrow gauge)."
            ),
        ),
        (
            "1849",
            "G13",
            "G13 Acireale. No tile. Small town. Blocked by SCE.",
        ),
        (
            "1856",
            "F17",
            (
                "F17 St. Thomas. No tile. City: 1 place, 1 free."
                " Label L from the brown tile on. Sign of a port. Destination of LPS."
            ),
        ),
        (
            "1856",
            "M4",
            (
                "M4 Barrie. Printed in yellow, no tile yet. City: worth 30; track to south,"
                " north-east; 1 place, reserved for CPR. Label B-L. Label Bar from the brown tile"
                " on."
            ),
        ),
        (
            "1870",
            "A16",
            (
                "A16. No tile. River: $40. 2 small towns. On the bank of the towns south-west,"
                " west, north-west; on the other north-east, east, south-east."
            ),
        ),
        (
            "1870",
            "K14",
            (
                "K14. No tile. River: $80. Small town. On the bank of the town east, south-east;"
                " on the other south-west, west, north-west, north-east."
            ),
        ),
        ("1856", "A14", "A14 Port Huron. Outside the network."),
        (
            "1870",
            "C18",
            (
                "C18 St. Louis. No tile. River: $40. City: 1"
                " place, reserved for MP. Label P from the brown tile on. On the bank of the"
                " city south-west, west; on the other north-west, north-east, east, south-east."
                " Destination of GMO."
            ),
        ),
    ],
)
def test_a_hex_as_it_is_printed(title: str, hex_id: str, words: str) -> None:
    assert told(empty(title))[hex_id] == words


@pytest.mark.parametrize("title", TITLES)
def test_every_hex_of_every_title_is_told(title: str) -> None:
    found = told(empty(title))
    for one in facts(title)["map"]["hexes"]:
        words = found[one["id"]]
        assert words.startswith(f"{one['id']} {one['name']}." if one["name"] else f"{one['id']}.")
        for node in one["nodes"]:
            revenue = node["revenue"]
            values = revenue["printed_steps"].values() if isinstance(revenue, dict) else [revenue]
            assert all(str(value) in words for value in values if value)


def test_the_drawing_and_the_list_say_the_same(begun: State) -> None:
    found = told(faces(begun))
    assert found["H10"] == hex_words(begun, "H10")
    assert found["H10"] in drawn.svg(begun)
    listed = drawn.told(begun)
    assert "Home of ERIE" in listed
    assert listed.count('type="checkbox"') == 1  # enlarges the map without a script
    assert "B&amp;M" in listed


@pytest.mark.parametrize("title", TITLES)
def test_hexes_with_nothing_on_them_share_the_last_line(title: str) -> None:
    """White in the facts, without name, place, terrain, river, wall, port or private."""
    hexes = facts(title)["map"]["hexes"]
    own = ("name", "nodes", "terrain", "river", "impassable_edges", "port", "blocked_by_private")
    plain = [one["id"] for one in hexes if one["color"] == "white" and not any(map(one.get, own))]
    found = lines(empty(title))
    assert found[-1] == f"Plain, without a tile: {', '.join(plain)}."
    assert len(found) == len(hexes) - len(plain) + 1
    assert drawn.empty_told(title).count("<li>") == len(found)


def test_a_plain_hex_that_is_reached_or_built_on_has_its_line(begun: State) -> None:
    lay(begun, "H10", "57", 1)
    lay(begun, "G9", "9", 0)
    station(begun, "PRR", "H10", 0)
    *listed, plain = lines(faces(begun), {"H8": ("PRR",)})
    assert "H8. No tile. Reached by PRR." in listed
    assert any(line.startswith("G9. Tile 9, yellow.") for line in listed)
    assert not {"H8", "G9"} & set(plain.removesuffix(".").split(": ")[1].split(", "))


def test_those_that_choose_their_home_are_told_at_each_hex() -> None:
    """AFG: H8, B14, M11, M9 or C1."""
    found = told(empty("1849"))
    homes = {name for name, words in found.items() if "Possible home of AFG." in words}
    assert homes == {"H8", "B14", "M11", "M9", "C1"}


def test_in_italian(begun: State) -> None:
    lay(begun, "H10", "14", 0)
    station(begun, "PRR", "H10", 0)
    with translation.override("it"):
        assert hex_words(begun, "H10") == (
            "H10 Pittsburgh. Tessera 14, verde. Città: vale 30; binario verso sud-ovest, ovest,"
            " nord-est, est; 2 posti: PRR, 1 libero. Raggiunto da PRR."
        )
        assert hex_words(begun, "F16") == (
            "F16 Scranton. Nessuna tessera. Montagna: $120. Città: 1"
            " posto: 1 libero. Bloccato da DH."
        )
        assert (
            hex_words(begun, "D12") == "D12. Nessuna tessera. Invalicabile: nord-ovest, nord-est."
        )
