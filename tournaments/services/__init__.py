"""The verbs of an event's life: the only code that writes the tables of this app.

Each takes `now`, runs in one transaction, and refuses with `Refused` before anything is written.
Whether the caller may do it is asked by the page; whether the regulation allows it, here.
"""

from tournaments.services.doors import (
    INVITATION_LASTS,
    accept_invitation,
    accept_invitation_with_new_login,
    claim,
    decide_claim,
    invite,
    read_invitation,
)
from tournaments.services.entries import enrol
from tournaments.services.events import add_prova, create_event, set_status
from tournaments.services.registry import (
    appoint_referee,
    open_season,
    register_club,
    register_player,
    register_title,
)
from tournaments.services.results import (
    LARGEST_TOTAL,
    Count,
    Facts,
    count_table,
    names_in,
    record_table,
    scores_of,
)
from tournaments.services.seating import seat_round

__all__ = [
    "INVITATION_LASTS",
    "LARGEST_TOTAL",
    "Count",
    "Facts",
    "accept_invitation",
    "accept_invitation_with_new_login",
    "add_prova",
    "appoint_referee",
    "claim",
    "count_table",
    "create_event",
    "decide_claim",
    "enrol",
    "invite",
    "names_in",
    "open_season",
    "read_invitation",
    "record_table",
    "register_club",
    "register_player",
    "register_title",
    "scores_of",
    "seat_round",
    "set_status",
]
