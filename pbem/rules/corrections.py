"""A move put right by who sent it (*correzione*), in time."""

from __future__ import annotations

from collections import Counter
from collections.abc import Sequence

from pbem.rules.commands import Command, verb
from pbem.rules.readings import READINGS, PbemReadings
from pbem.rules.turns import Fate, Outcome


class NotAnError(Exception):
    """A correction that touches what was correctly executed; `about` is the kind of command."""

    def __init__(self, about: str) -> None:
        super().__init__(about)
        self.about = about


def check_correction(
    sent: Sequence[Outcome], corrected: Sequence[Command], readings: PbemReadings = READINGS
) -> None:
    """Y-03 — a new form may put right what was wrong, and nothing else: what was correctly executed
    stands ("la mossa corretta non si può modificare", norma 9).

    `sent` is the move as it was executed, `corrected` the commands of the new form. Each command
    executed must be there again, one that waits may be; each other one must be of the kind of one
    that was refused, or that nobody has looked at yet. Raises `NotAnError`.
    """
    if readings.correction_scope == "whole_move":
        return
    left = Counter(repr(one) for one in corrected)
    for one in sent:
        if one.fate is Fate.EXECUTED:
            if not left[repr(one.command)]:
                raise NotAnError(verb(one.command))
            left[repr(one.command)] -= 1
        elif one.fate in {Fate.CONSENT, Fate.WAITING} and left[repr(one.command)]:
            left[repr(one.command)] -= 1  # it is asked again as it was
    wrong = Counter(verb(one.command) for one in sent if one.fate in {Fate.REFUSED, Fate.NEW})
    for command in corrected:
        if left[repr(command)]:
            left[repr(command)] -= 1
            if not wrong[verb(command)]:
                raise NotAnError(verb(command))
            wrong[verb(command)] -= 1
