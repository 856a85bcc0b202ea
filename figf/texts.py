"""The words of the log: each verb as a person reads it."""

from __future__ import annotations

from typing import TYPE_CHECKING

from django.utils.translation import gettext_lazy as _

if TYPE_CHECKING:
    from django.utils.functional import _StrPromise

VERBS: dict[str, _StrPromise] = {
    "accept_invitation": _("accepted the invitation"),
    "add_prova": _("added a prova"),
    "admin_added": _("added in the administration"),
    "admin_changed": _("changed in the administration"),
    "admin_deleted": _("deleted in the administration"),
    "admit": _("admitted from the waiting list"),
    "amend_entry": _("amended the enrolment"),
    "amend_event": _("amended the event"),
    "amend_player": _("amended the player"),
    "amend_prova": _("amended a prova"),
    "amend_season": _("amended the season"),
    "appoint_referee": _("appointed referee"),
    "call_roll": _("called the roll"),
    "change_email": _("changed address"),
    "claim": _("asked to be recognised"),
    "come_back": _("took back into the event"),
    "contribute": _("gave a word"),
    "correct_table": _("corrected the result"),
    "create_event": _("created the event"),
    "create_user": _("made a log-in"),
    "decide_claim": _("answered a request"),
    "discard_draft": _("dropped the draft of the tables"),
    "draw_round": _("formed the tables"),
    "end_referee_term": _("ended the term as referee"),
    "enrol": _("enrolled somebody"),
    "import_players": _("imported players"),
    "invite": _("invited"),
    "leave": _("wrote that somebody has left"),
    "move_prova": _("moved a prova"),
    "move_seats": _("moved players to another table"),
    "name_referee": _("named the referee"),
    "no_show": _("recorded who has not come"),
    "open_draw": _("opened the draw"),
    "open_season": _("opened the season"),
    "publish_round": _("published the tables"),
    "record_ranking": _("recorded the ranking"),
    "record_receipt": _("recorded a receipt"),
    "record_table": _("confirmed the result"),
    "register_club": _("registered the club"),
    "register_player": _("registered the player"),
    "register_title": _("registered the title"),
    "remove_prova": _("removed a prova"),
    "request_email_change": _("asked to change address"),
    "reveal_draw": _("threw the dice"),
    "seat_player": _("gave a seat"),
    "seat_round": _("seated the round"),
    "send_again": _("sent the mail again"),
    "set_contribution": _("wrote about the contribution"),
    "set_status": _("changed the state"),
    "start_tables": _("started the tables"),
    "stop_table": _("stopped a table"),
    "swap_seats": _("swapped two players"),
    "unseat": _("took off a seat"),
    "withdraw": _("withdrew the enrolment"),
    "withdraw_email_change": _("withdrew the change of address"),
    "withdraw_publication": _("took the publication back"),
}
