"""Every clause of the rulebook of 1830 is proved by a test that names it.

A test names what it proves at the head of its docstring, before the dash: `1830/S-14`, or
`1830/A-6..A-9` for several in a row; `R12` for a row of the list of what other systems got wrong. A
book holds for what follows it, up to the next: in `1830/Z-8, N-2, FIGF-X-15, Z-19` the last is the
federation's.
"""

from __future__ import annotations

import ast
import re
from collections.abc import Iterator
from pathlib import Path

# section of the rulebook → how many clauses it has, numbered from 1
SECTIONS = (
    "G 8, A 16, S 22, P 8, C 8, O 7, L 16, K 8, R 16, D 5, N 13, E 10, H 3, V 12, F 7, X 6, Z 20"
)
CLAUSES = {one.split()[0]: int(one.split()[1]) for one in SECTIONS.split(", ")}
ROWS = 76  # of the list of what goes wrong, in any title of the family

# What no test can hold this engine to, and why.
SAYS_NOTHING = {
    "1830/G-5": "who may see whose cash has no effect on what is legal; the pages show it all",
    "1830/E-9": "the loans of the 2011 edition are not part of the reference",
    "R3": "how a page lists shareholders, not what they may do",
    **dict.fromkeys(("R10", "R20", "R40", "R52", "R53", "R55", "R56", "R74"), "1849"),
    **dict.fromkeys(("R7", "R25", "R41", "R50", "R70", "R71", "R72"), "1856"),
    **dict.fromkeys(("R13", "R42", "R51", "R60", "R61", "R62", "R63", "R64", "R65"), "1870"),
    "R69": "1826 and 1849: runs measured in hexes",
    "R75": "1846 and 1849; that 1830 ends with a bankruptcy is X-1",
    "R76": "1870; in 1830 no corporation closes, P-8",
}

NAMED = re.compile(
    r"(?P<book>1830/|FIGF-)?\b(?P<section>[A-Z])-(?P<first>\d+)(?:\.\.(?:[A-Z]-)?(?P<last>\d+))?"
    r"|\b(?P<row>R\d+)\b"
)


def named(head: str) -> Iterator[str]:
    """The clauses and rows that the head of a docstring names."""
    book = ""
    for one in NAMED.finditer(head):
        if one["row"]:
            yield one["row"]
            continue
        book = one["book"] or book
        if book == "1830/":
            first = int(one["first"])
            for number in range(first, int(one["last"] or first) + 1):
                yield f"1830/{one['section']}-{number}"


def proved() -> dict[str, list[str]]:
    """Each name → the tests of this folder that carry it."""
    found: dict[str, list[str]] = {}
    for path in sorted(Path(__file__).parent.glob("test_*.py")):
        for node in ast.walk(ast.parse(path.read_text(encoding="utf-8"))):
            if isinstance(node, ast.FunctionDef) and node.name.startswith("test_"):
                head, dash, _ = (ast.get_docstring(node) or "").partition("—")
                for name in named(head if dash else ""):
                    found.setdefault(name, []).append(f"{path.name}::{node.name}")
    return found


def everything() -> list[str]:
    """All clauses and rows, in their order."""
    clauses = [f"1830/{section}-{n + 1}" for section, last in CLAUSES.items() for n in range(last)]
    return clauses + [f"R{number + 1}" for number in range(ROWS)]


def test_names_are_read_from_the_head_of_a_docstring() -> None:
    """The reading of names: ranges, rows, and the federation's book, which is not the rulebook."""
    assert list(named("1830/A-6..A-8, S-1, R12, FIGF-Z-01, Z-02, 1830/R-12")) == [
        *("1830/A-6", "1830/A-7", "1830/A-8", "1830/S-1", "R12", "1830/R-12")
    ]


def test_every_clause_is_named_by_a_test() -> None:
    """The rulebook of 1830, all sections, and the list of what went wrong elsewhere."""
    settled = {*proved(), *SAYS_NOTHING}
    missing = [name for name in everything() if name not in settled]
    assert not missing, f"{len(missing)} proved by no test: {', '.join(missing)}"


def test_no_test_names_a_clause_that_does_not_exist() -> None:
    """A slip of the pen would leave the true clause unproved."""
    unknown = {name: tests for name, tests in proved().items() if name not in everything()}
    assert not unknown


def test_what_is_said_to_be_out_of_reach_is_named_by_no_test() -> None:
    """Else it is within reach after all."""
    both = {name: tests for name, tests in proved().items() if name in SAYS_NOTHING}
    assert not both
