"""Whose turn it is where no engine knows the title (*partite a mano*): who sits after whom.

The order of a stock round is that of the seats; that of an operating round is what the station
master wrote down.
"""

from __future__ import annotations

from collections.abc import Collection, Mapping, Sequence
from dataclasses import dataclass, replace
from enum import StrEnum
from typing import Any

from pbem.rules.commands import Command, Written

ASKS = {"private", "train"}  # rows that name whose agreement is needed


class Kind(StrEnum):
    STOCK = "stock"
    OPERATING = "operating"


@dataclass(frozen=True, slots=True)
class Turns:
    """A round as far as it goes. `label` is how it is called; `turns`, in an operating round, the
    corporations in order, each with the seat of who plays it, and `at` the one whose turn it is;
    `passes`, in a stock round, how many have passed one after the other."""

    kind: Kind = Kind.STOCK
    label: str = ""
    turns: tuple[tuple[str, str], ...] = ()
    at: int = 0
    passes: int = 0

    @property
    def operating(self) -> str:
        """The corporation whose turn it is, or nothing."""
        return self.turns[self.at][0] if self.at < len(self.turns) else ""

    def to_dict(self) -> dict[str, Any]:
        return {
            "kind": self.kind.value,
            "label": self.label,
            "turns": [list(one) for one in self.turns],
            "at": self.at,
            "passes": self.passes,
        }


def read(said: Mapping[str, Any] | None) -> Turns:
    """The round that `to_dict` wrote; before anything was written, the first stock round."""
    if not said:
        return Turns()
    return Turns(
        Kind(said["kind"]),
        str(said["label"]),
        tuple((str(label), str(seat)) for label, seat in said["turns"]),
        int(said["at"]),
        int(said["passes"]),
    )


def after(now: Turns, order: Sequence[str], seat: str, *, passed: bool) -> tuple[Turns, str | None]:
    """Who may move as soon as `seat` has: nobody waits for the station master (S-15).

    In a stock round the next of the `order`; once as many as they are have passed in a row, nobody.
    In an operating round who plays the next corporation; after the last one, nobody. Then the
    station master says how the game goes on.

    >>> stock, who = after(Turns(), ["2", "1", "3"], "3", passed=True)
    >>> who, stock.passes
    ('2', 1)
    >>> trains = Turns(Kind.OPERATING, "OR 1", (("CPR", "1"), ("GT", "1"), ("LPS", "3")))
    >>> trains, who = after(trains, ["2", "1", "3"], "1", passed=False)
    >>> who, trains.operating
    ('1', 'GT')
    >>> after(replace(trains, at=2), ["2", "1", "3"], "3", passed=False)[1] is None
    True
    """
    if now.kind is Kind.OPERATING:
        later = replace(now, at=min(now.at + 1, len(now.turns)))
        return later, later.turns[later.at][1] if later.at < len(later.turns) else None
    later = replace(now, passes=now.passes + 1 if passed else 0)
    if later.passes >= len(order):
        return later, None
    return later, order[(order.index(seat) + 1) % len(order)]


def is_pass(commands: Sequence[Command]) -> bool:
    """Whether all that was sent is a pass (V-02).

    >>> is_pass([Written("pass")]), is_pass([]), is_pass([Written("buy")])
    (True, False, False)
    """
    rows = [one.row for one in commands if isinstance(one, Written)]
    return rows == ["pass"] and len(commands) == 1


def must_agree(command: Command, sender: str, players: Collection[str]) -> str | None:
    """The seat whose agreement a command needs (X-03, X-14): the one that a private or a train is
    bought from, if it is not the sender's own.

    >>> private = Written("private", (("company", "FT"), ("from", "3"), ("price", "40")))
    >>> must_agree(private, "1", {"1", "2", "3"}), must_agree(private, "3", {"1", "2", "3"})
    ('3', None)
    """
    if not isinstance(command, Written) or command.row not in ASKS:
        return None
    owner = dict(command.said).get("from", "")
    return owner if owner in players and owner != sender else None
