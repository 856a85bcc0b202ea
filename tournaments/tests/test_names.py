"""The alphabet of people, and who might be the same person twice on the books."""

from __future__ import annotations

from itertools import permutations

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from tournaments.rules.names import alike, letters, one_slip, sort_key

patient = settings(deadline=None)
words = st.text(alphabet="abc", max_size=6)


def test_the_alphabet_goes_letter_by_letter() -> None:
    """B-09: the catalogue's example, however it is handed in."""
    alphabet = ["Bo", "dall'Aglio", "D'Angelo", "De Santis", "Èrcoli"]
    for shuffled in permutations(alphabet):
        assert sorted(shuffled, key=sort_key) == alphabet


def test_the_surname_decides_before_the_first_name() -> None:
    """B-09. A surname that begins another comes first, whatever the first names."""
    people = [("Rossini", "Ada"), ("Rossi", "Zoe"), ("ROSSI", "ada")]
    assert sorted(people, key=lambda person: sort_key(*person)) == [
        ("ROSSI", "ada"),
        ("Rossi", "Zoe"),
        ("Rossini", "Ada"),
    ]


@pytest.mark.parametrize(
    ("text", "expected"),
    [("D'Angelo", "dangelo"), ("  Dalla  Costa ", "dallacosta"), ("Èrcoli", "ercoli"), ("M.", "m")],
)
def test_only_letters_count(text: str, expected: str) -> None:
    """B-09."""
    assert letters(text) == expected


@pytest.mark.parametrize(
    ("one", "other"),
    [
        (("Rossi", "Marco"), ("rossi", "MARCO")),
        (("D'Angelo", "Rocco"), ("Dangelo", "Rocco")),
        (("Èrcoli", "Dino"), ("Ercoli", "Dino")),
        (("Dalla Costa", "Ivano"), ("Dalla", "Costa Ivano")),  # divided otherwise
        (("Rossi", "Marco"), ("Marco", "Rossi")),  # swapped
        (("Bo", "Ivo"), ("Ivo", "Bo")),
        (("Rossi", "Marco"), ("Rossi", "M.")),  # an initial
        (("Rossi", "M"), ("Rossi", "Marco")),
        (("Bo", "L."), ("Bo", "Livio")),
        (("Rossi", "Gian"), ("Rossi", "Gianmarco")),
        (("Rossi", ""), ("Rossi", "Marco")),  # no first name was written
        (("Pellegrino", "Franco"), ("Pelegrino", "Franco")),  # a letter dropped
        (("Martini", "Leo"), ("Marttini", "Leo")),  # added
        (("Martini", "Leo"), ("Mertini", "Leo")),  # changed
        (("Martini", "Leo"), ("Matrini", "Leo")),  # swapped
        (("Martini", "Leo"), ("Martini", "Lea")),
    ],
)
def test_people_written_almost_alike_might_be_one(
    one: tuple[str, str], other: tuple[str, str]
) -> None:
    assert alike(one, other)
    assert alike(other, one)


@pytest.mark.parametrize(
    ("one", "other"),
    [
        (("Rossi", "Marco"), ("Rossi", "Dario")),
        (("Rossi", "M."), ("Rossi", "Dario")),
        (("Rossi", "M."), ("Russo", "Marco")),
        (("Martini", "Leo"), ("Marini", "Lia")),  # three slips
        (("Martini", "Leo"), ("Mtarini", "Lea")),  # two slips
        (("Bo", "Al"), ("Bo", "Ai")),  # too short for a slip to say anything
        (("Bo", ""), ("Po", "")),
        (("", ""), ("Rossi", "Ugo")),
    ],
)
def test_people_written_otherwise_are_two(one: tuple[str, str], other: tuple[str, str]) -> None:
    assert not alike(one, other)
    assert not alike(other, one)


def slips(word: str) -> set[str]:
    """Every word that one slip of the pen makes of `word`, by making them all."""
    cuts = range(len(word) + 1)
    found = {word}
    found.update(word[:i] + word[i + 1 :] for i in cuts)
    found.update(word[:i] + letter + word[i:] for i in cuts for letter in "abc")
    found.update(word[:i] + letter + word[i + 1 :] for i in cuts[:-1] for letter in "abc")
    found.update(word[:i] + word[i : i + 2][::-1] + word[i + 2 :] for i in cuts)
    return found


@patient
@given(words, words)
def test_a_slip_is_a_letter_changed_added_dropped_or_two_swapped(one: str, other: str) -> None:
    assert one_slip(one, other) == (other in slips(one)) == one_slip(other, one)


@patient
@given(words, st.data())
def test_every_slip_is_seen(word: str, data: st.DataObject) -> None:
    assert one_slip(word, data.draw(st.sampled_from(sorted(slips(word)))))
