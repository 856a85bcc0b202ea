"""What every app stands on: log-ins, the outbox, the log, the dice and the clocks' marks."""

from __future__ import annotations

from datetime import UTC, datetime, timedelta
from typing import Any, ClassVar, Never

from django.apps import apps
from django.contrib.auth.base_user import AbstractBaseUser, BaseUserManager
from django.contrib.auth.models import PermissionsMixin
from django.db import models
from django.db.models.functions import Lower
from django.utils import timezone
from django.utils.translation import gettext_lazy as _

from figf import dice
from figf.texts import VERBS


class UserManager(BaseUserManager["User"]):
    """Log-ins are found by their e-mail address, whatever its capitals."""

    def get_by_natural_key(self, username: str | None) -> User:
        return self.get(email__iexact=(username or "").strip())

    def create_user(self, email: str, password: str | None, name: str, **extra: Any) -> User:
        """A log-in; without a password it is entered after asking for one, by mail."""
        user = self.model(email=email.strip().lower(), name=name, **extra)
        user.set_password(password)
        user.save(using=self._db)
        return user

    def create_superuser(self, email: str, password: str | None, name: str) -> User:
        return self.create_user(email, password, name, is_staff=True, is_superuser=True)


class User(AbstractBaseUser, PermissionsMixin):
    """A log-in: an address and a password. A person on the books is a `tournaments.Player`.

    The two meet by an invitation or by a request that a secretary accepts, never by name.
    `is_staff` marks the federation's secretaries.
    """

    email = models.EmailField(_("e-mail address"), unique=True)
    name = models.CharField(_("name"), max_length=120)
    language = models.CharField(
        _("language"),
        max_length=2,
        choices=[("it", _("Italian")), ("en", _("English"))],
        default="it",
    )
    is_staff = models.BooleanField(_("secretary"), default=False)
    is_active = models.BooleanField(_("active"), default=True)
    date_joined = models.DateTimeField(_("since"), default=timezone.now, editable=False)

    objects: ClassVar[UserManager] = UserManager()

    USERNAME_FIELD = "email"
    EMAIL_FIELD = "email"
    REQUIRED_FIELDS: ClassVar[list[str]] = ["name"]

    class Meta:
        verbose_name = _("log-in")
        verbose_name_plural = _("log-ins")
        constraints = [
            models.UniqueConstraint(Lower("email"), name="user_email_once_whatever_the_case"),
        ]

    def __str__(self) -> str:
        return self.name

    def get_full_name(self) -> str:
        return self.name


class EmailChange(models.Model):
    """A new address for a log-in: it takes effect when both addresses have confirmed."""

    VALID_FOR = timedelta(days=2)

    user = models.ForeignKey(User, on_delete=models.CASCADE, related_name="email_changes")
    old_email = models.EmailField()
    new_email = models.EmailField()
    requested_at = models.DateTimeField()
    old_confirmed_at = models.DateTimeField(null=True)
    new_confirmed_at = models.DateTimeField(null=True)
    done_at = models.DateTimeField(null=True)
    cancelled_at = models.DateTimeField(null=True)

    class Meta:
        constraints = [
            models.UniqueConstraint(
                fields=["user"],
                condition=models.Q(done_at=None, cancelled_at=None),
                name="one_open_email_change_per_user",
            ),
        ]

    def __str__(self) -> str:
        return f"{self.user_id}: {self.requested_at:%Y-%m-%d}"

    def is_open(self, now: datetime) -> bool:
        return (
            self.done_at is None
            and self.cancelled_at is None
            and now <= self.requested_at + self.VALID_FOR
        )


class EmailQuerySet(models.QuerySet["Email"]):
    def due(self, now: datetime) -> EmailQuerySet:
        """Mails still to be sent whose moment has come, oldest first."""
        return self.filter(sent_at=None, failed_at=None, next_try_at__lte=now).order_by(
            "next_try_at", "pk"
        )


class Email(models.Model):
    """One mail of the outbox, written in the transaction of the decision that it announces.

    Long after it was sent it is emptied: that it was sent stays, to whom and what it said do not.
    """

    MAX_ATTEMPTS = 8

    key = models.CharField(max_length=200, unique=True)
    to = models.EmailField()
    subject = models.CharField(max_length=200)
    body = models.TextField()
    message_id = models.CharField(max_length=200, unique=True)
    created_at = models.DateTimeField()
    next_try_at = models.DateTimeField()
    attempts = models.PositiveSmallIntegerField(default=0)
    sent_at = models.DateTimeField(null=True)
    failed_at = models.DateTimeField(null=True)
    last_error = models.TextField(default="", blank=True)
    emptied_at = models.DateTimeField(null=True)

    objects = EmailQuerySet.as_manager()

    class Meta:
        verbose_name = _("mail")
        verbose_name_plural = _("mails")
        indexes = [
            models.Index(
                fields=["next_try_at"],
                condition=models.Q(sent_at=None, failed_at=None),
                name="email_due",
            ),
        ]
        constraints = [
            models.CheckConstraint(
                condition=models.Q(sent_at=None) | models.Q(failed_at=None),
                name="email_sent_or_failed_not_both",
            ),
        ]

    def __str__(self) -> str:
        return self.key

    @property
    def state(self) -> str:
        """``sent``, ``failed``, ``retrying`` or ``queued``."""
        if self.sent_at:
            return "sent"
        if self.failed_at:
            return "failed"
        return "retrying" if self.attempts else "queued"


class LogQuerySet(models.QuerySet["LogEntry"]):
    def record(
        self, actor: User | None, verb: str, subject: models.Model, now: datetime, **data: Any
    ) -> LogEntry:
        """Write that `actor` (None: the site itself) did `verb` to `subject`.

        `data` holds ids and plain values, never a person's name: names change and are forgotten.
        """
        return self.create(
            actor=actor,
            verb=verb,
            subject=subject._meta.label_lower,
            subject_id=subject.pk,
            data=data,
            at=now,
        )

    def about(self, subject: models.Model) -> LogQuerySet:
        return self.filter(subject=subject._meta.label_lower, subject_id=subject.pk)

    def update(self, **_fields: Any) -> Never:
        raise TypeError("the log is append-only")

    def _update(self, *_values: Any, **_names: Any) -> Never:
        """What saving a row again comes down to."""
        raise TypeError("the log is append-only")

    def delete(self) -> Never:
        raise TypeError("the log is append-only")


class LogEntry(models.Model):
    """Who did what, to what, when: append-only, by ids."""

    at = models.DateTimeField()
    actor = models.ForeignKey(User, null=True, on_delete=models.PROTECT, related_name="+")
    verb = models.CharField(max_length=40)
    subject = models.CharField(max_length=60)
    subject_id = models.BigIntegerField()
    data = models.JSONField(default=dict)

    objects = LogQuerySet.as_manager()

    class Meta:
        base_manager_name = "objects"  # so that no other way leads to an update
        verbose_name = _("log entry")
        verbose_name_plural = _("log")
        ordering = ["-at", "-pk"]
        indexes = [models.Index(fields=["subject", "subject_id"], name="log_subject")]

    def __str__(self) -> str:
        return f"{self.at:%Y-%m-%d %H:%M} {self.verb} {self.subject} {self.subject_id}"

    def delete(self, *_args: Any, **_names: Any) -> Never:
        raise TypeError("the log is append-only")

    @property
    def did(self) -> str:
        """What was done, in the reader's words."""
        return str(VERBS.get(self.verb, self.verb))

    @property
    def what(self) -> str:
        """To what, in the reader's words: the kind of thing and its number."""
        return f"{apps.get_model(self.subject)._meta.verbose_name} {self.subject_id}"


class DrawQuerySet(models.QuerySet["Draw"]):
    def due(self, now: datetime) -> DrawQuerySet:
        """Draws whose hour has struck and that are not revealed yet."""
        return self.filter(revealed_at=None, closes_at__lte=now).order_by("closes_at", "pk")

    def waiting_for(self, user: Any, now: datetime) -> DrawQuerySet:
        """Draws that still listen, where `user` has not spoken."""
        return self.filter(
            revealed_at=None,
            closes_at__gt=now,
            contributions__user=user,
            contributions__received_at=None,
        ).order_by("closes_at")

    def with_people(self) -> DrawQuerySet:
        return self.select_related("opened_by").prefetch_related("contributions__user")


class Draw(models.Model):
    """Dice that anyone can verify (*sorteggio*), or the receipt of an outside dice server."""

    GRACE = timedelta(minutes=10)  # after its hour, a draw still unrevealed is flagged

    class Kind(models.TextChoices):
        OWN = "own", _("thrown here")
        RECEIPT = "receipt", _("receipt of an outside server")

    kind = models.CharField(max_length=8, choices=Kind.choices, default=Kind.OWN)
    purpose = models.CharField(_("what it decides"), max_length=120)
    sides = models.PositiveSmallIntegerField(_("sides of the die"), default=6)
    count = models.PositiveSmallIntegerField(_("how many dice"))
    protocol = models.CharField(max_length=20, default=dice.PROTOCOL, editable=False)
    opened_by = models.ForeignKey(User, on_delete=models.PROTECT, related_name="+")
    opened_at = models.DateTimeField()
    closes_at = models.DateTimeField(_("words accepted until"))
    commitment = models.CharField(max_length=64, default="", blank=True)
    seed = models.CharField(max_length=64, default="", blank=True)
    throws = models.JSONField(null=True)
    revealed_at = models.DateTimeField(null=True)
    source = models.CharField(_("outside server"), max_length=200, default="", blank=True)
    receipt = models.TextField(_("receipt"), default="", blank=True)

    objects = DrawQuerySet.as_manager()

    class Meta:
        verbose_name = _("draw")
        verbose_name_plural = _("draws")
        ordering = ["-opened_at", "-pk"]
        constraints = [
            models.CheckConstraint(
                condition=models.Q(revealed_at=None) | models.Q(throws__isnull=False),
                name="draw_revealed_has_throws",
            ),
            models.CheckConstraint(
                condition=~models.Q(kind="own") | ~models.Q(commitment=""),
                name="draw_thrown_here_is_committed",
            ),
        ]

    def __str__(self) -> str:
        return self.purpose

    def is_flagged(self, now: datetime) -> bool:
        """Its hour passed and the seed was never shown: whoever runs the server must say why."""
        return self.revealed_at is None and now > self.closes_at + self.GRACE

    def as_receipt(self) -> dice.Receipt:
        """What the reveal throws from, and the page and the offline command verify.

        No word and no seed before the reveal. The closing time is written in UTC and to the
        second: it is hashed, so every database must give the same text.
        """
        return dice.Receipt(
            protocol=self.protocol,
            purpose=self.purpose,
            sides=self.sides,
            count=self.count,
            closes_at=self.closes_at.astimezone(UTC).isoformat(timespec="seconds"),
            people=tuple(
                (c.label, c.word if self.revealed_at else "") for c in self.contributions.all()
            ),
            commitment=self.commitment,
            seed=self.seed if self.revealed_at else "",
            throws=tuple(self.throws or ()),
        )


class Contribution(models.Model):
    """One person's word to a draw, in the fixed order of `position`; silence is the empty word."""

    draw = models.ForeignKey(Draw, on_delete=models.CASCADE, related_name="contributions")
    position = models.PositiveSmallIntegerField()
    user = models.ForeignKey(User, null=True, on_delete=models.PROTECT, related_name="+")
    label = models.CharField(max_length=120)
    word = models.CharField(max_length=80, default="", blank=True)
    received_at = models.DateTimeField(null=True)

    class Meta:
        ordering = ["draw", "position"]
        constraints = [
            models.UniqueConstraint(fields=["draw", "position"], name="contribution_position_once"),
            models.UniqueConstraint(fields=["draw", "user"], name="contribution_user_once"),
        ]

    def __str__(self) -> str:
        return f"{self.draw_id}/{self.position}"


class Clock(models.Model):
    """When the embedded scheduler last ran an entry of the schedule: marked after the work."""

    name = models.CharField(max_length=100, unique=True)
    running_since = models.DateTimeField(null=True)
    ran_at = models.DateTimeField(null=True)

    def __str__(self) -> str:
        return self.name
