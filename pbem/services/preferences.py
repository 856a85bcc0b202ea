"""What a log-in is written to about games by correspondence, and whether its mail arrives."""

from __future__ import annotations

from datetime import datetime

from django.db import transaction
from django.db.models import Max

from figf.models import Email, User
from pbem.models import Preference


@transaction.atomic
def set_preference(user: User, moves: Preference.Moves, reminders: bool) -> Preference:
    """Every move of his tables, or only his turns; with reminders (T-11), or without."""
    said = {"moves": moves, "reminders": reminders}
    preference, _new = Preference.objects.update_or_create(user=user, defaults=said)
    return preference


def preference_of(user: User) -> Preference:
    """What he chose; who chose nothing is written to about everything."""
    return Preference.objects.filter(user=user).first() or Preference(user=user)


def unreached_since(user: User) -> datetime | None:
    """Since when mail does not arrive at his address: when the first was written of those given up
    after the last that arrived."""
    mails = Email.objects.filter(to__iexact=user.email, emptied_at=None)
    sent = mails.exclude(sent_at=None).aggregate(last=Max("pk"))["last"] or 0
    failed = mails.filter(failed_at__isnull=False, pk__gt=sent).order_by("pk")
    return failed.values_list("created_at", flat=True).first()
