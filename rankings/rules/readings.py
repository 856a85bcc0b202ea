"""How the federation reads what its regulation leaves open about seasons, and since which season.

One value for each season, as one for each event (`tournaments.rules.figf`): an amendment adds an
entry to `SINCE`, and the seasons before it never move.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import Literal

from tournaments.rules.regulation import Readings


@dataclass(frozen=True, slots=True)
class SeasonReadings(Readings):
    """Where the text is open: the item that asks, the answers it could get, and why ours.

    Every answer is implemented; `READINGS` holds the federation's.
    """

    # E-03. What is one of the "three best results": "game", each table played, since a percentile
    # is of one table · "prova", a double round adds up its two and is one result.
    specialty_unit: Literal["game", "prova"]

    # F-04. Whether an event cancelled still counts among those planned: "no", it is planned no
    # more, and the drop stays available to all · "yes", a zero for everybody, which is the drop.
    planned_includes_cancelled: Literal["no", "yes"]

    # F-06. An event from which a sanction took the player: "drops", a zero like any absence, and
    # it may be the one dropped · "counts", it is never dropped.
    sanctioned_event: Literal["drops", "counts"]

    # G-02. The victories that decide equals: "events", first places of events, since events make
    # the points · "games", tables won; second places and so on are then of tables too.
    victories: Literal["events", "games"]

    # G-02. Whether the event dropped is among the places counted: "yes", all that he did in the
    # year · "no".
    countback_includes_dropped: Literal["yes", "no"]

    # G-06. Who has the "lower ranking": "fewer_points", since the ranking is a score, and who is
    # not in it has 0 · "better_place", who has more.
    lower_ranking: Literal["fewer_points", "better_place"]

    # L-03. What admits the teams beyond five: "points", the sum in the absolute, then the sum of
    # places · "places", the sum of places alone, since rule 7 speaks of placing.
    teams_by: Literal["points", "places"]


READINGS = SeasonReadings(
    specialty_unit="game",
    planned_includes_cancelled="no",
    sanctioned_event="drops",
    victories="events",
    countback_includes_dropped="yes",
    lower_ranking="fewer_points",
    teams_by="points",
)

SINCE: tuple[tuple[int, SeasonReadings], ...] = ((0, READINGS),)  # first season, its readings


def readings_of(year: int) -> SeasonReadings:
    """The readings by which the season of that year is counted.

    >>> readings_of(2006).specialty_unit
    'game'
    """
    return [readings for first, readings in SINCE if first <= year][-1]
