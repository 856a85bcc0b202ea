"""Games by correspondence: the append-only log of moves and actions, and the clock as a column.

And games played elsewhere, brought here to be looked at.
"""

from __future__ import annotations

from django.db import models
from django.db.models import Q
from django.urls import reverse
from django.utils.translation import gettext_lazy as _

from figf.models import User
from tournaments.models import Seat, Table


class Game(models.Model):
    """A game played over the web: one to one with its table, cups and friendly games included.

    `title`, `options`, `seed` and `rules` are what the engine needs to begin; `seq`, `to_act`,
    `due_at`, `status` and `result` are projections of the fold of the log, written with it.
    """

    class Clock(models.TextChoices):
        RUNNING = "running", _("running")
        REVIEWING = "reviewing", _("under review")
        PAUSED = "paused", _("paused")
        CONTESTED = "contested", _("contested")
        OVER = "over", _("over")

    table = models.OneToOneField(Table, on_delete=models.PROTECT, related_name="game")
    title = models.CharField(max_length=20)
    options = models.JSONField(default=dict)
    seed = models.CharField(max_length=64)
    rules = models.PositiveSmallIntegerField()
    seq = models.PositiveIntegerField(default=0)
    to_act = models.ForeignKey(
        Seat, null=True, blank=True, on_delete=models.PROTECT, related_name="+"
    )
    due_at = models.DateTimeField(null=True, blank=True)
    clock = models.CharField(max_length=10, choices=Clock.choices)
    paused_remaining = models.DurationField(null=True, blank=True)
    status = models.CharField(max_length=40, blank=True)
    result = models.JSONField(null=True, blank=True)

    class Meta:
        verbose_name = _("game by correspondence")
        verbose_name_plural = _("games by correspondence")
        indexes = [
            models.Index(fields=["due_at"], condition=Q(due_at__isnull=False), name="game_due"),
        ]
        constraints = [
            models.CheckConstraint(
                condition=(
                    Q(clock__in=["running", "reviewing"], due_at__isnull=False)
                    | (~Q(clock__in=["running", "reviewing"]) & Q(due_at=None))
                ),
                name="game_due_only_while_the_clock_runs",
            ),
            models.CheckConstraint(
                condition=(
                    Q(clock="paused", paused_remaining__isnull=False)
                    | (~Q(clock="paused") & Q(paused_remaining=None))
                ),
                name="game_paused_keeps_what_remains",
            ),
        ]

    def __str__(self) -> str:
        return f"{self.title} {self.pk}"


class Move(models.Model):
    """One form, standing order or GNU turn (*mossa*): what deadlines and corrections speak of."""

    class Kind(models.TextChoices):
        OWN = "own", _("the player's own")
        AUTOMATIC = "automatic", _("automatic")
        FORCED = "forced", _("forced")
        GNU = "gnu", "GNU"
        GNU_EXCUSED = "gnu_excused", _("GNU, absence excused")
        REFEREE = "referee", _("a referee's")

    game = models.ForeignKey(Game, on_delete=models.PROTECT, related_name="moves")
    number = models.PositiveIntegerField()
    seat = models.ForeignKey(Seat, on_delete=models.PROTECT, related_name="moves")
    kind = models.CharField(max_length=12, choices=Kind.choices)
    form = models.JSONField(default=dict)
    commands = models.JSONField(default=list)
    sent_by = models.ForeignKey(User, null=True, on_delete=models.PROTECT, related_name="+")
    received_at = models.DateTimeField()
    due_at = models.DateTimeField(null=True)
    replaces = models.OneToOneField(
        "self", null=True, blank=True, on_delete=models.PROTECT, related_name="replaced_by"
    )

    class Meta:
        verbose_name = _("move")
        verbose_name_plural = _("moves")
        ordering = ["game", "number"]
        constraints = [
            models.UniqueConstraint(fields=["game", "number"], name="move_number_once"),
        ]

    def __str__(self) -> str:
        return f"{self.game_id}/{self.number}"


class Action(models.Model):
    """One step of the engine's log; never updated nor deleted."""

    game = models.ForeignKey(Game, on_delete=models.PROTECT, related_name="actions")
    seq = models.PositiveIntegerField()
    move = models.ForeignKey(Move, on_delete=models.PROTECT, related_name="actions")
    payload = models.JSONField()
    digest = models.CharField(max_length=16)

    class Meta:
        verbose_name = _("action")
        verbose_name_plural = _("actions")
        ordering = ["game", "seq"]
        constraints = [
            models.UniqueConstraint(fields=["game", "seq"], name="action_seq_once"),
            models.CheckConstraint(condition=Q(seq__gte=1), name="action_seq_from_one"),
        ]

    def __str__(self) -> str:
        return f"{self.game_id}/{self.seq}"


class RecordingQuerySet(models.QuerySet["Recording"]):
    def without_actions(self) -> RecordingQuerySet:
        """All that a list or a cached position needs."""
        return self.defer("actions")


class Recording(models.Model):
    """A game that somebody played elsewhere and brought here: whoever has its address sees it.

    `key` is the secret of the address. Of the file only the actions that stood are kept, as the
    engine's own, whose players are the seats "1", "2"…: the accounts of the file are nowhere.
    `names` is empty, or how the players are called in seat order. `digest` is of the file and of
    that choice. `result` is what each seat is worth after the last action; `cut` says that the file
    went on, with an action that the engine refuses.
    """

    GOES_WITH_LOG_IN = True  # see `tournaments.services.privacy`

    user = models.ForeignKey(User, on_delete=models.CASCADE, related_name="recordings")
    key = models.CharField(max_length=40, unique=True)
    digest = models.CharField(max_length=64)
    label = models.CharField(max_length=80, blank=True)
    title = models.CharField(max_length=20)
    preset = models.CharField(max_length=20)
    options = models.JSONField(default=dict)
    rules = models.PositiveSmallIntegerField()
    names = models.JSONField(default=list)
    actions = models.JSONField(default=list)
    length = models.PositiveIntegerField()
    result = models.JSONField(default=list)
    cut = models.BooleanField(default=False)
    imported_at = models.DateTimeField()

    objects = RecordingQuerySet.as_manager()

    class Meta:
        verbose_name = _("recorded game")
        verbose_name_plural = _("recorded games")
        ordering = ["-imported_at", "-pk"]
        constraints = [
            models.UniqueConstraint(fields=["user", "digest"], name="recording_once_for_its_user"),
        ]

    def __str__(self) -> str:
        return self.label or self.title

    def get_absolute_url(self) -> str:
        return reverse("recording", args=[self.key])

    @property
    def seats(self) -> tuple[str, ...]:
        """The ids of the players, in seat order."""
        return tuple(str(number) for number in range(1, len(self.result) + 1))
