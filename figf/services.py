"""The verbs of the base app: a change of address, and the dice. The only code that writes them."""

from __future__ import annotations

import logging
from collections.abc import Collection, Sequence
from datetime import datetime, timedelta

from axes.models import AccessAttempt
from django.contrib.admin.models import LogEntry as AdminEntry
from django.contrib.auth import SESSION_KEY
from django.contrib.contenttypes.models import ContentType
from django.contrib.sessions.models import Session
from django.core import signing
from django.db import IntegrityError, transaction
from django.db.models import QuerySet
from django.db.models.functions import Lower
from django.utils.translation import gettext as _

from figf import dice, mail
from figf.errors import Refused
from figf.models import (
    Contribution,
    Draw,
    Email,
    EmailChange,
    EmailQuerySet,
    LogEntry,
    User,
)
from figf.sweeps import each

logger = logging.getLogger(__name__)

# --- log-ins -------------------------------------------------------------------------------------


@transaction.atomic
def create_user(
    email: str,
    password: str | None,
    name: str,
    now: datetime,
    *,
    secretary: bool = False,
    language: str = "it",
) -> User:
    """A new log-in. Refuses an address that already has one (`email_taken`).

    Writes a `User` and a log entry. A secretary may also enter the administration pages.
    """
    taken = Refused(
        "email_taken",
        _("There is already a log-in with this address: log in, or reset its password."),
        field="email",
    )
    if User.objects.filter(email__iexact=email.strip()).exists():
        raise taken
    try:
        with transaction.atomic():
            user = User.objects.create_user(
                email, password, name, language=language, is_staff=secretary, is_superuser=secretary
            )
    except IntegrityError:  # somebody took it in this very moment
        raise taken from None
    LogEntry.objects.record(user, "create_user", user, now, secretary=secretary)
    return user


def secretaries() -> QuerySet[User]:
    """Log-ins that may do all that a secretary does, the administration pages included."""
    return User.objects.filter(is_active=True, is_staff=True, is_superuser=True)


@transaction.atomic
def give_rights_back(user: User, password: str, now: datetime) -> None:
    """This log-in is a secretary's again, with this password, by who keeps the machine.

    Refuses as long as a secretary is left (`secretary_left`).
    """
    if secretaries().exists():
        raise Refused("secretary_left", _("A secretary is left: ask there."))
    user = User.objects.select_for_update(no_key=True).get(pk=user.pk)
    user.is_active = user.is_staff = user.is_superuser = True
    user.set_password(password)
    user.save(update_fields=["is_active", "is_staff", "is_superuser", "password"])
    fields = ["is_active", "is_staff", "is_superuser", "password"]
    LogEntry.objects.record(None, "admin_changed", user, now, fields=fields)


@transaction.atomic
def set_language(user: User, language: str) -> None:
    """The language in which the site writes to this person."""
    User.objects.filter(pk=user.pk).update(language=language)


@transaction.atomic
def rename(user: User, name: str) -> None:
    """What this person is called. Refuses a name of which nothing can be seen (`name_missing`)."""
    name = dice.clean_word(name)
    if not name:
        raise Refused("name_missing", _("Write a name."), field="name")
    User.objects.filter(pk=user.pk).update(name=name)


@transaction.atomic
def withdraw_email_change(user: User, now: datetime) -> None:
    """Take back the request that waits for confirmation, if there is one."""
    waiting = user.email_changes.filter(done_at=None, cancelled_at=None)
    for change in waiting.select_for_update(no_key=True):
        change.cancelled_at = now
        change.save(update_fields=["cancelled_at"])
        LogEntry.objects.record(user, "withdraw_email_change", user, now, change=change.pk)


EMAIL_CHANGE = "figf.email-change"  # salt of the links' signature


@transaction.atomic
def request_email_change(user: User, new_email: str, now: datetime) -> EmailChange:
    """Ask both addresses to confirm; the earlier request, if any, lapses.

    Locks the user. Queues one mail to each address. Refuses the address one already has
    (`email_same`) and one that belongs to another log-in (`email_taken`).
    """
    new_email = new_email.strip().lower()
    user = User.objects.select_for_update(no_key=True).get(pk=user.pk)
    if new_email == user.email.lower():
        raise Refused("email_same", _("This is already your address."), field="new_email")
    _refuse_taken(new_email, user)
    user.email_changes.filter(done_at=None, cancelled_at=None).update(cancelled_at=now)
    change = EmailChange.objects.create(
        user=user, old_email=user.email, new_email=new_email, requested_at=now
    )
    for side, address in (("old", change.old_email), ("new", change.new_email)):
        mail.enqueue(
            f"email-change:{change.pk}:{side}",
            address,
            "email_change",
            now,
            language=user.language,
            name=user.name,
            side=side,
            change=change,
            token=signing.dumps([change.pk, side], salt=EMAIL_CHANGE),
        )
    LogEntry.objects.record(user, "request_email_change", user, now, change=change.pk)
    return change


def read_email_change(token: str, now: datetime) -> tuple[EmailChange, str]:
    """The open request and the side (``old``, ``new``) that a link confirms, or `Refused`."""
    try:
        pk, side = signing.loads(token, salt=EMAIL_CHANGE, max_age=EmailChange.VALID_FOR)
        change = EmailChange.objects.select_related("user").get(pk=pk)
    except (signing.BadSignature, ValueError, TypeError, EmailChange.DoesNotExist):
        raise _link_invalid() from None
    if not change.is_open(now):
        raise _link_invalid()
    return change, side


def _link_invalid() -> Refused:
    return Refused(
        "link_invalid",
        _("This link is not valid, or no longer: ask for the change again from your account."),
    )


@transaction.atomic
def confirm_email_change(token: str, now: datetime) -> EmailChange:
    """One of the two addresses says yes; with the second yes the log-in changes address.

    Locks the user. Refuses a link that is forged, old or used (`link_invalid`), and an address
    that meanwhile became another log-in's (`email_taken`).
    """
    change, side = read_email_change(token, now)
    user = User.objects.select_for_update(no_key=True).get(pk=change.user_id)
    change.refresh_from_db()
    if not change.is_open(now):  # withdrawn while we waited for the lock
        raise _link_invalid()
    if side == "old":
        change.old_confirmed_at = change.old_confirmed_at or now
    else:
        change.new_confirmed_at = change.new_confirmed_at or now
    if change.old_confirmed_at and change.new_confirmed_at:
        _refuse_taken(change.new_email, user)
        user.email = change.new_email
        user.save(update_fields=["email"])
        change.done_at = now
        LogEntry.objects.record(user, "change_email", user, now, change=change.pk)
    change.save()
    return change


def addresses_of(user: User) -> set[str]:
    """Every address under which the site has written to a log-in, that nobody else has now."""
    changes = user.email_changes.values_list("old_email", "new_email")
    found = {user.email, *(address for pair in changes for address in pair)}
    taken = User.objects.exclude(pk=user.pk).filter(email__in=found)
    return found - set(taken.values_list("email", flat=True))


def mails_to(addresses: Collection[str]) -> EmailQuerySet:
    """The mails to these addresses, whatever their capitals."""
    return Email.objects.alias(address=Lower("to")).filter(
        address__in=[address.lower() for address in addresses if address]
    )


@transaction.atomic
def forget_login(user: User, name: str, by: User, now: datetime) -> None:
    """The log-in of a person who is to be forgotten: nobody enters by it, and it names nobody.

    Its rows stay where others refer to them. Sessions and requests for another address go, and what
    the log-in page and the administration wrote down of it; mails to it are emptied, or not sent;
    in draws it has another name and no word, so that the throws of those cannot be found again.

    Locks the log-in. Refuses a secretary (`is_secretary`) and who is awaited in a draw
    (`in_open_draw`).
    """
    user = User.objects.select_for_update(no_key=True).get(pk=user.pk)
    refuse_to_forget(user)
    forget_mails(mails_to(addresses_of(user)), now)
    AccessAttempt.objects.filter(username__iexact=user.email).delete()
    AdminEntry.objects.filter(
        content_type=ContentType.objects.get_for_model(User), object_id=str(user.pk)
    ).update(object_repr=name)
    user.email_changes.all().delete()
    for session in Session.objects.filter(expire_date__gt=now).iterator():
        if session.get_decoded().get(SESSION_KEY) == str(user.pk):
            session.delete()
    user.name, user.email = name, f"anonimo-{user.pk}@anonimo.invalid"
    user.is_active, user.last_login = False, None
    user.set_unusable_password()
    user.save()
    forget_in_draws(Contribution.objects.filter(user=user), name, by, now)


def refuse_to_forget(user: User) -> None:
    """Refuse a log-in that the site still needs, as `forget_login` says."""
    if user.is_staff:
        raise Refused(
            "is_secretary", _("A secretary is not forgotten: take the office away first.")
        )
    if Draw.objects.filter(revealed_at=None, contributions__user=user).exists():
        raise Refused("in_open_draw", _("A draw that concerns this person is still open."))


def forget_mails(mails: EmailQuerySet, now: datetime) -> None:
    """Empty those that were sent or given up, and take the others back."""
    mails.filter(sent_at=None, failed_at=None).delete()
    mail.empty(mails, now)


def forget_in_draws(concerned: QuerySet[Contribution], name: str, by: User, now: datetime) -> None:
    """Other names and no words; the log says so of each draw, for its page to say it too."""
    for draw in Draw.objects.filter(contributions__in=concerned).distinct():
        LogEntry.objects.record(by, "forget_in_draw", draw, now)
    concerned.update(label=name, word="")


def _refuse_taken(email: str, user: User) -> None:
    if User.objects.filter(email__iexact=email).exclude(pk=user.pk).exists():
        raise Refused(
            "email_taken", _("This address belongs to another log-in."), field="new_email"
        )


# --- dice that anyone can verify -----------------------------------------------------------------

MIN_NOTICE = timedelta(minutes=5)
MAX_NOTICE = timedelta(days=60)


@transaction.atomic
def open_draw(
    purpose: str,
    people: Sequence[User | str],
    count: int,
    closes_at: datetime,
    by: User,
    now: datetime,
    *,
    sides: int = 6,
) -> Draw:
    """Commit to a seed before anybody speaks, and ask each person concerned for a word.

    `people` are in the order in which their words will count: log-ins, or plain names of people
    without one, whose word is silence. Writes the draw with the SHA-256 of its seed, its empty
    contributions and a log entry that repeats the commitment; queues to each log-in a mail that
    carries the commitment, a copy which nobody here can take back.

    Refuses an hour too near or too far (`closes_too_soon`, `closes_too_late`), nobody concerned
    (`no_people`), the same person twice (`person_twice`), a number of dice outside 1–200 or sides
    outside 2–100 (`bad_dice`).
    """
    _refuse_bad_dice(count, sides)
    if closes_at < now + MIN_NOTICE:
        raise Refused(
            "closes_too_soon",
            _("Leave people at least five minutes to send their word."),
            field="closes_at",
        )
    if closes_at > now + MAX_NOTICE:
        raise Refused("closes_too_late", _("At most sixty days from now."), field="closes_at")
    purpose = " ".join(purpose.split())
    if not people:
        raise Refused("no_people", _("Choose at least one person concerned."), field="people")
    if len(set(people)) != len(people):
        raise Refused("person_twice", _("The same person appears twice."), field="people")
    seed = dice.new_seed()
    draw = Draw.objects.create(
        purpose=purpose,
        sides=sides,
        count=count,
        opened_by=by,
        opened_at=now,
        closes_at=closes_at,
        seed=seed,
        commitment=dice.commitment(seed),
    )
    concerned = _write_people(draw, people)
    for c in concerned:
        if c.user:
            mail.enqueue(
                f"draw:{draw.pk}:open:{c.position}",
                c.user,
                "draw_open",
                now,
                draw=draw,
                concerned=concerned,
            )
    LogEntry.objects.record(by, "open_draw", draw, now, commitment=draw.commitment)
    return draw


@transaction.atomic
def contribute(draw: Draw, user: User, word: str, now: datetime) -> Contribution:
    """Put one's word in the draw; until the hour it can be changed, and is shown to nobody.

    Locks the draw. Refuses who is not concerned (`not_concerned`) and a word that arrives after
    the stated hour, or after the reveal (`draw_closed`).
    """
    draw = Draw.objects.select_for_update(no_key=True).get(pk=draw.pk)
    contribution = draw.contributions.filter(user=user).first()
    if contribution is None:
        raise Refused("not_concerned", _("This draw does not concern you: no word is needed."))
    if draw.revealed_at or now > draw.closes_at:
        raise Refused("draw_closed", _("The hour has passed: words are no longer accepted."))
    contribution.word = dice.clean_word(word)
    contribution.received_at = now
    contribution.save()
    LogEntry.objects.record(user, "contribute", draw, now, position=contribution.position)
    return contribution


@transaction.atomic
def reveal_draw(pk: int, now: datetime) -> Draw | None:
    """Throw, and show the seed; None when it is not due, done already, or in other hands.

    Locks the draw. Writes throws and moment of the reveal, a log entry, and queues the result to
    each log-in concerned. The throws follow from the very receipt that is published.
    """
    due = Draw.objects.select_for_update(skip_locked=True, no_key=True).due(now)
    draw = due.prefetch_related("contributions__user").filter(pk=pk).first()
    if draw is None:
        return None
    draw.revealed_at = now  # from here on the receipt has words and seed
    draw.throws = list(dice.throws(draw.as_receipt()))
    draw.save(update_fields=["throws", "revealed_at"])
    LogEntry.objects.record(None, "reveal_draw", draw, now, seed=draw.seed, throws=draw.throws)
    for c in draw.contributions.all():
        if c.user:
            mail.enqueue(
                f"draw:{draw.pk}:revealed:{c.position}", c.user, "draw_revealed", now, draw=draw
            )
    return draw


def reveal_due_draws(now: datetime) -> None:
    """Reveal every draw whose hour has struck; one that fails stops no other, and stays flagged."""
    due = Draw.objects.due(now).values_list("pk", flat=True)
    each(due, lambda pk: reveal_draw(pk, now), logger, "draw %s: not revealed")


@transaction.atomic
def record_receipt(
    purpose: str,
    people: Sequence[User | str],
    throws: Sequence[int],
    source: str,
    receipt: str,
    by: User,
    now: datetime,
    *,
    sides: int = 6,
) -> Draw:
    """Write down what an outside dice server threw, with its receipt, to be checked over there.

    Refuses values outside the die (`not_on_the_die`) and an empty receipt (`no_receipt`).
    """
    _refuse_bad_dice(len(throws), sides)
    if any(not 1 <= value <= sides for value in throws):
        raise Refused(
            "not_on_the_die",
            _("Each value must be from 1 to %(sides)d.") % {"sides": sides},
            rule="S-02",
            field="throws",
        )
    if not receipt.strip() or not source.strip():
        raise Refused(
            "no_receipt", _("Give the server's name and paste its receipt."), field="receipt"
        )
    draw = Draw.objects.create(
        kind=Draw.Kind.RECEIPT,
        purpose=" ".join(purpose.split()),
        sides=sides,
        count=len(throws),
        opened_by=by,
        opened_at=now,
        closes_at=now,
        throws=list(throws),
        revealed_at=now,
        source=source.strip(),
        receipt=receipt.strip(),
    )
    _write_people(draw, people)
    LogEntry.objects.record(by, "record_receipt", draw, now, throws=draw.throws)
    return draw


def _write_people(draw: Draw, people: Sequence[User | str]) -> list[Contribution]:
    return [
        Contribution.objects.create(
            draw=draw,
            position=position,
            user=person if isinstance(person, User) else None,
            label=person.name if isinstance(person, User) else person,
        )
        for position, person in enumerate(people, start=1)
    ]


def _refuse_bad_dice(count: int, sides: int) -> None:
    if not 1 <= count <= 200 or not 2 <= sides <= 100:
        raise Refused("bad_dice", _("From 1 to 200 dice, of 2 to 100 sides each."), field="count")
