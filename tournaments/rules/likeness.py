"""Where to look for who might be the same person, without comparing everybody with everybody."""

from __future__ import annotations

from tournaments.rules.names import LONG, letters


def keys(surname: str, name: str) -> frozenset[str]:
    """Words that two people have in common if `names.alike` takes them for one; few others do.

    Beside the surname and the whole name there are the whole names with one letter less: two
    words that one slip of the pen divides lose their difference with it.

    >>> keys("Marini", "Ivo") & keys("Martini", "Ivo") == {"=mariniivo"}
    True
    >>> keys("Marini", "Ivo") & keys("Moroni", "Ivo")
    frozenset()
    """
    own, first = letters(surname), letters(name)
    whole = own + first
    found = {f":{own}", f"={whole}", f"={first}{own}"}
    if len(whole) >= LONG:
        found.update(f"={whole[:at]}{whole[at + 1 :]}" for at in range(len(whole)))
    return frozenset(found)
