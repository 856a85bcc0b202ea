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
    "appoint_referee": _("appointed referee"),
    "change_email": _("changed address"),
    "claim": _("asked to be recognised"),
    "contribute": _("gave a word"),
    "correct_table": _("corrected the result"),
    "create_event": _("created the event"),
    "create_user": _("made a log-in"),
    "decide_claim": _("answered a request"),
    "enrol": _("enrolled"),
    "invite": _("invited"),
    "open_draw": _("opened the draw"),
    "open_season": _("opened the season"),
    "record_receipt": _("recorded a receipt"),
    "record_table": _("confirmed the result"),
    "register_club": _("registered the club"),
    "register_player": _("registered the player"),
    "register_title": _("registered the title"),
    "request_email_change": _("asked to change address"),
    "reveal_draw": _("threw the dice"),
    "seat_round": _("seated the round"),
    "send_again": _("sent the mail again"),
    "set_status": _("changed the state"),
    "withdraw_email_change": _("withdrew the change of address"),
}
