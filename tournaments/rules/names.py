"""The alphabetical order of people, the same in every database, and who may be the same person."""

from __future__ import annotations

import unicodedata

LONG = 5  # letters from which one slip does not make another name


def sort_key(surname: str, name: str = "") -> str:
    """Letter by letter: case, accents, spaces and apostrophes do not count (reading of B-09).

    The surname decides, then the first name. Letters that no accent explains (ø, ł) keep their
    own place after z.

    >>> sorted(["De Santis", "Èrcoli", "D'Angelo", "Bo", "dall'Aglio"], key=sort_key)
    ['Bo', "dall'Aglio", "D'Angelo", 'De Santis', 'Èrcoli']
    """
    return f"{letters(surname)} {letters(name)}".rstrip()


def alike(a: tuple[str, str], b: tuple[str, str]) -> bool:
    """Whether two people, each a surname and a first name, might be one and the same.

    They might if the letters are the same, surname and first name also swapped or divided
    otherwise; if the surnames are the same and one first name begins the other, as an initial does
    or none at all; or if one slip of the pen (`one_slip`) turns one into the other.

    >>> alike(("D'Angelo", "Rocco"), ("DAngelo", "rocco")), alike(("Bo", "Ivo"), ("Ivo", "Bo"))
    (True, True)
    >>> alike(("Rossi", "Marco"), ("Rossi", "M.")), alike(("Rossi", "Marco"), ("Rossi", "Dario"))
    (True, False)
    >>> alike(("Pellegrino", "Franco"), ("Pelegrino", "Franco"))
    True
    """
    surname, name = map(letters, a)
    other_surname, other_name = map(letters, b)
    if (surname, name) == (other_name, other_surname):
        return True
    if surname == other_surname and (name.startswith(other_name) or other_name.startswith(name)):
        return True
    whole, other = surname + name, other_surname + other_name
    return whole == other or (min(len(whole), len(other)) >= LONG and one_slip(whole, other))


def one_slip(a: str, b: str) -> bool:
    """Whether one letter changed, added, dropped or two neighbours swapped turn `a` into `b`.

    >>> one_slip("marini", "martini"), one_slip("marini", "mairni"), one_slip("marini", "moroni")
    (True, True, False)
    """
    at = next(
        (i for i, (x, y) in enumerate(zip(a, b, strict=False)) if x != y), min(len(a), len(b))
    )
    rest, other = a[at:], b[at:]
    return (
        rest[1:] == other[1:]
        or rest[1:] == other
        or rest == other[1:]
        or (rest[:2] == other[:2][::-1] and rest[2:] == other[2:])
    )


def letters(text: str) -> str:
    """What of a text counts: its letters and digits, without case or accents.

    >>> letters("Dall'Àglio")
    'dallaglio'
    """
    decomposed = unicodedata.normalize("NFKD", text).casefold()
    return "".join(char for char in decomposed if char.isalnum())
