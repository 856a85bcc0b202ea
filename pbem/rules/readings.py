"""How the federation reads what its regulation leaves open about games by correspondence.

An amendment replaces `READINGS` by a reviewed commit; what has been played is not played again.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import Literal

from tournaments.rules.regulation import Readings


@dataclass(frozen=True, slots=True)
class PbemReadings(Readings):
    """Where the text is open: the item that asks, the answers it could get, and why ours.

    Every answer is implemented; `READINGS` holds the federation's.
    """

    # T-06. A move that arrives after the deadline: "refused", since the text says that the station
    # master will move (leniency is his, and seen by all) · "until_published", it is played as long
    # as nobody has moved in its place.
    late_moves: Literal["refused", "until_published"]

    # Y-03. What a correction may touch: "errors", what was not executed, since a completed move is
    # not repented (norma 9) · "whole_move", all of it.
    correction_scope: Literal["errors", "whole_move"]

    # Y-05. A sum that is not the right one, where what is meant is clear: "executed", at the right
    # price and with a note · "refused".
    clear_intention: Literal["executed", "refused"]


READINGS = PbemReadings(late_moves="refused", correction_scope="errors", clear_intention="executed")
