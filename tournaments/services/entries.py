"""Who is coming to an event: enrolment, waiting list, roll call."""

from __future__ import annotations

from datetime import datetime

from django.db import transaction
from django.utils.translation import gettext as _

from figf.errors import Refused
from figf.models import LogEntry, User
from tournaments.models import Entry, Event, Player


@transaction.atomic
def enrol(event: Event, player: Player, by: User, now: datetime) -> Entry:
    """Enrol `player`. Refuses a second time (`already_enrolled`, A-10)."""
    entry, created = Entry.objects.get_or_create(
        event=event, player=player, defaults={"enrolled_at": now}
    )
    if not created:
        raise Refused(
            "already_enrolled",
            _("%(player)s is already enrolled.") % {"player": player},
            rule="A-10",
        )
    LogEntry.objects.record(by, "enrol", event, now, entry=entry.pk)
    return entry
