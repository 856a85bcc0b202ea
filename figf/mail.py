"""The outbox: a decision and its mail are committed together, and the mail leaves later.

The web process only writes rows; `deliver` sends them, from Celery or from the scheduler. Delivery
is *at least once*: a crash between the server's "accepted" and our mark sends the same mail again,
with the same Message-ID, so that it can be recognised.
"""

from __future__ import annotations

import logging
import time
from datetime import datetime, timedelta
from pathlib import Path
from typing import Any
from urllib.parse import urlsplit

from django.conf import settings
from django.core.mail import EmailMessage
from django.db import transaction
from django.db.models import Q
from django.template.loader import render_to_string
from django.utils import translation

from figf.models import Email, EmailQuerySet, LogEntry, User

logger = logging.getLogger(__name__)

FIRST_RETRY = timedelta(seconds=30)  # doubled at each try
SUBJECT = "Oggetto:"
KEPT = timedelta(days=90)  # then a mail that was sent, or never will be, is emptied


def enqueue(
    key: str,
    to: User | str,
    template: str,
    now: datetime,
    *,
    language: str = "",
    **context: Any,
) -> Email | None:
    """Write one mail in the caller's transaction; nothing happens if `key` was already used.

    `key` names the occasion and the reader (``table:41:1:seat:3``): a sweep that runs twice cannot
    write twice. `template` is the name of ``templates/emails/<template>.txt``, whose first line is
    ``Oggetto: …``. It is written in `language`, by default that of the log-in `to`, or Italian.

    Returns the row, or None when the key exists. Raises `ValueError` on a template without subject.
    """
    address = to.email if isinstance(to, User) else to
    with translation.override(language or (to.language if isinstance(to, User) else "it")):
        text = render_to_string(
            f"emails/{template}.txt", {**context, "site_url": settings.SITE_URL, "to": to}
        )
    first, _, body = text.lstrip().partition("\n")
    if not first.startswith(SUBJECT):
        raise ValueError(f"emails/{template}.txt does not begin with {SUBJECT!r}")
    email, created = Email.objects.get_or_create(
        key=key,
        defaults={
            "to": address,
            "subject": " ".join(first.removeprefix(SUBJECT).split())[:200],
            "body": body.strip() + "\n",
            "message_id": f"<{key.replace(':', '.')}@{urlsplit(settings.SITE_URL).hostname}>",
            "created_at": now,
            "next_try_at": now,
        },
    )
    return email if created else None


def deliver_due(now: datetime, *, limit: int = 200) -> int:
    """Send what is due, one at a time; returns how many were taken in hand.

    Any number of workers may run it at once: each takes a row that no other holds. Time goes on
    while servers answer, so each mail is charged from the moment when it is taken.
    """
    started = time.monotonic()
    handled = 0
    for pk in Email.objects.due(now).values_list("pk", flat=True)[:limit]:
        handled += deliver(pk, now + timedelta(seconds=time.monotonic() - started))
    return handled


def deliver(pk: int, now: datetime) -> bool:
    """Send one mail if it is still due and nobody else took it; says whether it was tried.

    The try is charged before it is made, in a transaction of its own: the next one is already due
    after 30 seconds, 1, 2, 4… minutes, so a process killed while it sends delays a mail and loses
    none, and no lock is held while a server answers. After `Email.MAX_ATTEMPTS` the mail stays red
    on the secretary's page, also one that kills whoever sends it. A try that fails late takes
    nothing back from one that succeeded meanwhile.
    """
    email = _claim(pk, now)
    if email is None:
        return False
    row = Email.objects.filter(pk=pk)
    try:
        EmailMessage(
            email.subject, email.body, to=[email.to], headers={"Message-ID": email.message_id}
        ).send()
    except Exception as error:  # noqa: BLE001 - whatever the server or the network did: written
        logger.warning("mail %s not sent (try %s): %s", email.key, email.attempts, error)
        last = email.attempts >= Email.MAX_ATTEMPTS
        row.filter(sent_at=None).update(
            last_error=f"{type(error).__name__}: {error}"[:1000], failed_at=now if last else None
        )
    else:
        row.update(sent_at=now, failed_at=None, last_error="")
    return True


@transaction.atomic
def _claim(pk: int, now: datetime) -> Email | None:
    email = Email.objects.select_for_update(skip_locked=True).due(now).filter(pk=pk).first()
    if email is None:
        return None
    if email.attempts >= Email.MAX_ATTEMPTS:  # its last try never came to an end
        email.failed_at = now
        email.save(update_fields=["failed_at"])
        return None
    email.next_try_at = now + FIRST_RETRY * 2**email.attempts
    email.attempts += 1
    email.save(update_fields=["attempts", "next_try_at"])
    return email


@transaction.atomic
def send_again(email: Email, by: User, now: datetime) -> None:
    """A secretary asks once more for a mail that failed: its tries start afresh.

    One that was emptied meanwhile has nothing to say, and stays.
    """
    LogEntry.objects.record(by, "send_again", email, now)
    Email.objects.filter(pk=email.pk, sent_at=None, emptied_at=None).update(
        failed_at=None, attempts=0, next_try_at=now
    )


# --- what is kept of old mail ---------------------------------------------------------------------


def empty(mails: EmailQuerySet, now: datetime) -> int:
    """Of these, those sent or given up lose reader and words; returns how many.

    The key stays, which holds ids only: nothing that was written once is written again.
    """
    done = mails.filter(emptied_at=None).exclude(sent_at=None, failed_at=None)
    return done.update(to="", subject="", body="", last_error="", emptied_at=now)


def empty_old(now: datetime, *, batch: int = 500) -> int:
    """Empty what was sent, or given up, more than ninety days ago; returns how many mails."""
    _remove_old_files(now)
    old = Q(sent_at__lt=now - KEPT) | Q(failed_at__lt=now - KEPT)
    emptied = 0
    while True:
        some = Email.objects.filter(old, emptied_at=None).values_list("pk", flat=True)[:batch]
        pks = list(some)
        if not pks:
            return emptied
        emptied += empty(Email.objects.filter(old, pk__in=pks), now)


def in_files() -> bool:
    """Whether mail is written to files, for a site that sends none."""
    return bool(settings.EMAIL_BACKEND.endswith("filebased.EmailBackend"))


def _remove_old_files(now: datetime) -> None:
    """Where mail is written to files, they are kept no longer."""
    folder = getattr(settings, "EMAIL_FILE_PATH", None)
    if not folder or not in_files():
        return
    for path in Path(folder).glob("*.log"):
        if path.stat().st_mtime < (now - KEPT).timestamp():
            path.unlink(missing_ok=True)
