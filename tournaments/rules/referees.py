"""FIGF, chapter 11 of the regulation of 2006: who referees which table.

Proposals are the software's; the choice is the director's, and nobody may question it (000:130).
"""

from __future__ import annotations

from collections.abc import Collection, Sequence

from tournaments.rules.regulation import Illegal, PlayerId, Reason


def propose(
    tables: Sequence[Sequence[PlayerId]],
    referees: Sequence[PlayerId],
    spare: Sequence[PlayerId] = (),
) -> tuple[PlayerId | None, ...]:
    """M-02 — a table's referee is one of the FIGF referees present and seated at another table.

    For each table, by who sits there, one of `referees`; None where nobody suits and the director
    names somebody of proven experience. `spare` are FIGF referees present who do not play: they
    come first. Nobody gets a second table while that leaves somebody who suits with none, even if
    others have to change. The same players always give the same proposal. Refuses nothing.

    >>> propose([("A", "B", "C"), ("D", "E", "F")], ["A", "D"])
    ('D', 'A')
    >>> propose([("A", "B", "C")], ["A"]), propose([("A", "B", "C")], ["A"], ["R"])
    ((None,), ('R',))
    """
    suitable = [suits(table, referees, spare) for table in tables]
    holds: dict[PlayerId, list[int]] = {name: [] for name in (*spare, *referees)}
    waiting = [number for number, names in enumerate(suitable) if names]
    limit = 0
    while waiting:
        limit += 1
        left = []
        for number in waiting:
            if not _place(number, suitable, holds, limit, set()):
                left.append(number)  # noqa: PERF401 - placing is what the loop is for
        waiting = left
    named = {number: referee for referee, numbers in holds.items() for number in numbers}
    return tuple(named.get(number) for number in range(len(tables)))


def _place(
    number: int,
    suitable: Sequence[Sequence[PlayerId]],
    holds: dict[PlayerId, list[int]],
    limit: int,
    tried: set[PlayerId],
) -> bool:
    """Give a table a referee who has fewer than `limit`, moving others along if need be.

    An augmenting path: no referee who had a table is left without.
    """
    free = [name for name in suitable[number] if len(holds[name]) < limit]
    if free:
        holds[free[0]].append(number)
        return True
    for name in suitable[number]:
        if name in tried:
            continue
        tried.add(name)
        for other in list(holds[name]):
            if _place(other, suitable, holds, limit, tried):
                holds[name].remove(other)
                holds[name].append(number)
                return True
    return False


def suits(
    table: Sequence[PlayerId], referees: Sequence[PlayerId], spare: Sequence[PlayerId] = ()
) -> list[PlayerId]:
    """The FIGF referees who may be named for a table: who does not play first, each once.

    >>> suits(["A", "B", "C"], ["A", "D"], ["R"])
    ['R', 'D']
    """
    return [name for name in dict.fromkeys((*spare, *referees)) if may_referee(name, table)]


def passed_over(
    chosen: PlayerId | None,
    table: Sequence[PlayerId],
    referees: Sequence[PlayerId],
    spare: Sequence[PlayerId] = (),
    *,
    appointed: Collection[PlayerId] = (),
) -> tuple[PlayerId, ...]:
    """The free FIGF referees whom the director's choice passes over: to be shown and recorded.

    Empty if the chosen one is a FIGF referee himself. Free is who does not sit at that table and
    is not `appointed` to another one already. The choice stands (ruling on M-02).

    >>> passed_over("X", ["A", "B", "C"], ["A", "D"]), passed_over("D", ["A", "B", "C"], ["A", "D"])
    (('D',), ())
    """
    if chosen in referees or chosen in spare:
        return ()
    return tuple(name for name in suits(table, referees, spare) if name not in appointed)


def check_appointed(named: Sequence[PlayerId | None]) -> None:
    """No round is played before each table has its referee (M-02).

    `named` are the referees of tables 1, 2, and so on. Refuses: REFEREE_MISSING, for the first
    table without one.

    >>> check_appointed(["D", None])
    Traceback (most recent call last):
    tournaments.rules.regulation.Illegal: referee_missing (M-02)
    """
    for number, referee in enumerate(named, start=1):
        if referee is None:
            raise Illegal(Reason.REFEREE_MISSING, "M-02", field="referee", table=number)


def may_referee(referee: PlayerId, table: Sequence[PlayerId]) -> bool:
    """M-03 — nobody referees the table he sits at.

    >>> may_referee("A", ["A", "B", "C"]), may_referee("D", ["A", "B", "C"])
    (False, True)
    """
    return referee not in table


def check_referee(referee: PlayerId, table: Sequence[PlayerId], *, alone: bool = False) -> None:
    """What M-03 refuses.

    `alone` says that the round has no other table: then nobody sits elsewhere, and the director may
    choose among its players with a reason. Refuses: REFEREE_AT_OWN_TABLE.

    >>> check_referee("A", ["A", "B", "C"], alone=True)
    >>> check_referee("A", ["A", "B", "C"])
    Traceback (most recent call last):
    tournaments.rules.regulation.Illegal: referee_at_own_table (M-03)
    """
    if not alone and not may_referee(referee, table):
        raise Illegal(Reason.REFEREE_AT_OWN_TABLE, "M-03", field="referee")
