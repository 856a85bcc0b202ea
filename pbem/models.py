"""Games by correspondence: the append-only log of moves and actions, and the clock as a column.

And games played elsewhere, brought here to be looked at.
"""

from __future__ import annotations

import uuid
from datetime import datetime
from typing import Any

from django.db import models
from django.db.models import F, Q
from django.urls import reverse
from django.utils.translation import gettext_lazy as _

from figf.models import Draw, User
from pbem.rules.deadlines import COURTESY
from tournaments.models import Holder, Player, Seat, Table


class GameQuerySet(models.QuerySet["Game"]):
    def with_people(self) -> GameQuerySet:
        """With its table, the event, and who holds the seats: what lists and pages show."""
        return self.select_related(
            "table__round__prova__event__season",
            "table__round__prova__event__director",
            "table__round__prova__title",
            "station_master",
            "draw",
        ).prefetch_related("table__seats__holders__player__user")

    def due(self, now: datetime) -> GameQuerySet:
        """Those whose hours are over: a move, or an answer, that has not come."""
        return self.filter(clock__in=Game.RUNS, due_at__lt=now - COURTESY).order_by("due_at", "pk")

    def running(self) -> GameQuerySet:
        """Games in which something is still awaited of somebody."""
        return self.exclude(clock__in=[Game.Clock.OVER, Game.Clock.CALLED_OFF])

    def kept_by(self, user: Any) -> GameQuerySet:
        """Those that `user` is the station master of; all to a secretary."""
        if not user.is_authenticated:
            return self.none()
        return self.all() if user.is_staff else self.filter(station_master=user)

    def played_by(self, user: Any) -> GameQuerySet:
        """Those in which `user` holds a seat now."""
        if not user.is_authenticated:
            return self.none()
        held = Holder.objects.filter(player__user=user, ends_at=None)
        return self.filter(table__seats__holders__in=held)

    def awaiting(self, user: Any) -> GameQuerySet:
        """Those in which it is `user`'s turn, or his answer is asked for; the most urgent first."""
        if not user.is_authenticated:
            return self.none()
        held = Holder.objects.filter(player__user=user, ends_at=None)
        asked = Consent.objects.filter(answer="", seat__holders__in=held)
        turn = Q(clock__in=[Game.Clock.RUNNING, Game.Clock.REVIEWING], to_act__holders__in=held)
        return self.filter(turn | Q(clock=Game.Clock.CONSENT, consents__in=asked)).distinct()

    def visible_to(self, user: Any) -> GameQuerySet:
        """Those whose table he sees, and those that he keeps or plays in."""
        tables = Table.objects.visible_to(user)
        mine = Q(station_master=user) if user.is_authenticated else Q(pk=None)
        return self.filter(Q(table__in=tables) | mine).distinct()


class Game(models.Model):
    """A game played over the web: one to one with its table, cups and friendly games included.

    `title`, `preset`, `options`, `seed` and `rules` are what the engine needs to begin, and
    `order`, the positions of the seats as the dice put them: empty until they have. A player's id
    is his seat's position. `seq` counts the rows of the log, roll-backs included; `length` the
    actions that stand; `seq`, `length`, `to_act`, `due_at`, `status` and `result` are projections.
    Where the engine does not know the title (`has_engine`) there are no actions: who is to act is
    set by the station master, and so is the result.
    """

    class Clock(models.TextChoices):
        GATHERING = "gathering", _("the players are asked")
        DRAWING = "drawing", _("the dice are thrown")
        RUNNING = "running", _("running")
        CONSENT = "consent", _("an answer is awaited")
        REVIEWING = "reviewing", _("time expired: the station master decides")
        PAUSED = "paused", _("paused")
        CONTESTED = "contested", _("contested")
        OVER = "over", _("over")
        CALLED_OFF = "called_off", _("called off")

    RUNS = (Clock.RUNNING, Clock.CONSENT)  # until its hour
    TIMED = (*RUNS, Clock.REVIEWING)  # there is an hour, come or to come

    table = models.OneToOneField(Table, on_delete=models.PROTECT, related_name="game")
    title = models.CharField(max_length=20)
    preset = models.CharField(max_length=20, default="figf")
    options = models.JSONField(default=dict)
    seed = models.CharField(max_length=64)
    rules = models.PositiveSmallIntegerField()
    has_engine = models.BooleanField(default=True)
    station_master = models.ForeignKey(
        User, null=True, on_delete=models.PROTECT, related_name="kept_games"
    )
    password = models.CharField(max_length=128, blank=True)  # hashed; S-13
    opened_at = models.DateTimeField(null=True)
    draw = models.OneToOneField(
        Draw, null=True, blank=True, on_delete=models.PROTECT, related_name="game"
    )
    order = models.JSONField(default=list)
    started_at = models.DateTimeField(null=True, blank=True)
    seq = models.PositiveIntegerField(default=0)
    length = models.PositiveIntegerField(default=0)
    to_act = models.ForeignKey(
        Seat, null=True, blank=True, on_delete=models.PROTECT, related_name="+"
    )
    due_at = models.DateTimeField(null=True, blank=True)
    clock = models.CharField(max_length=10, choices=Clock.choices)
    paused_remaining = models.DurationField(null=True, blank=True)
    paused_from = models.CharField(max_length=10, blank=True, choices=Clock.choices)
    paused_why = models.CharField(max_length=200, blank=True)
    status = models.CharField(max_length=40, blank=True)
    result = models.JSONField(null=True, blank=True)
    sheet = models.TextField(blank=True, max_length=20_000)  # the state, where no engine keeps it
    sheet_at = models.DateTimeField(null=True, blank=True)

    objects = GameQuerySet.as_manager()

    class Meta:
        verbose_name = _("game by correspondence")
        verbose_name_plural = _("games by correspondence")
        indexes = [
            models.Index(fields=["due_at"], condition=Q(due_at__isnull=False), name="game_due"),
        ]
        constraints = [
            models.CheckConstraint(
                condition=(
                    Q(clock__in=["running", "consent", "reviewing"], due_at__isnull=False)
                    | (~Q(clock__in=["running", "consent", "reviewing"]) & Q(due_at=None))
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

    def get_absolute_url(self) -> str:
        return reverse("game", args=[self.pk])

    def is_kept_by(self, user: Any) -> bool:
        """Whether `user` is its station master, or a secretary in his place."""
        return bool(user.is_authenticated and (user.is_staff or self.station_master_id == user.pk))

    def seat_of(self, user: Any) -> Seat | None:
        """The seat that `user` holds now, from prefetched holders."""
        if not user.is_authenticated:
            return None
        for seat in self.table.seats.all():
            player = seat.holder().player
            if player is not None and player.user_id == user.pk:
                return seat
        return None

    @property
    def is_on(self) -> bool:
        """Whether it has begun and is not over."""
        return self.started_at is not None and self.clock not in {
            self.Clock.OVER,
            self.Clock.CALLED_OFF,
        }


class Place(models.Model):
    """Who is asked whether he will play (*appello*): for a seat or, in order, as a reserve.

    Who answers no, or not at all, gives his seat to the first reserve who said yes.
    """

    class Answer(models.TextChoices):
        NONE = "", _("no answer yet")
        YES = "yes", _("will play")
        NO = "no", _("will not play")

    game = models.ForeignKey(Game, on_delete=models.CASCADE, related_name="places")
    player = models.ForeignKey(Player, on_delete=models.PROTECT, related_name="pbem_places")
    reserve = models.PositiveSmallIntegerField(null=True, blank=True)  # None: he has a seat
    asked_at = models.DateTimeField()
    answer = models.CharField(max_length=3, blank=True, choices=Answer.choices)
    answered_at = models.DateTimeField(null=True, blank=True)

    class Meta:
        verbose_name = _("place at a table by correspondence")
        verbose_name_plural = _("places at tables by correspondence")
        ordering = ["game", F("reserve").asc(nulls_first=True), "pk"]
        constraints = [
            models.UniqueConstraint(fields=["game", "player"], name="place_once"),
            models.UniqueConstraint(fields=["game", "reserve"], name="place_reserve_once"),
        ]

    def __str__(self) -> str:
        return f"{self.game_id}: {self.player_id}"


class Move(models.Model):
    """One form, standing order or GNU turn (*mossa*): what deadlines and corrections speak of.

    It is first received, in a transaction of its own, then played; `number` is given when it is.
    `form` is what was sent, `commands` what became of each part (see `pbem.rules.turns.to_dict`).
    `seen` is the position (`Game.seq`) on which the form was based, `key` that of the form: the
    same one sent twice is one move. `due_at` is the deadline that it was received under. `ends`
    says that the sender's turn is over with it (V-08); `open` that something of it still waits.
    `before` is `Game.seq` just before it was played. One that is rolled back says so.
    """

    class Kind(models.TextChoices):
        OWN = "own", _("the player's own")
        AUTOMATIC = "automatic", _("automatic")
        FORCED = "forced", _("forced")
        GNU = "gnu", "GNU"
        GNU_EXCUSED = "gnu_excused", _("GNU, absence excused")
        REFEREE = "referee", _("a referee's")

    class State(models.TextChoices):
        RECEIVED = "received", _("received")
        PLAYED = "played", _("played")
        STALE = "stale", _("based on an old position: not played")
        LATE = "late", _("too late: not played")
        OUT_OF_TURN = "not_turn", _("out of turn: not played")
        UNDONE = "undone", _("rolled back")

    game = models.ForeignKey(Game, on_delete=models.PROTECT, related_name="moves")
    number = models.PositiveIntegerField(null=True, blank=True)
    seat = models.ForeignKey(Seat, on_delete=models.PROTECT, related_name="moves")
    kind = models.CharField(max_length=12, choices=Kind.choices)
    state = models.CharField(max_length=8, choices=State.choices, default=State.PLAYED)
    key = models.UUIDField(default=uuid.uuid4)
    seen = models.PositiveIntegerField(default=0)
    form = models.JSONField(default=dict)
    commands = models.JSONField(default=list)
    comment = models.TextField(blank=True, max_length=1000)
    ends = models.BooleanField(default=True)
    open = models.BooleanField(default=False)
    before = models.PositiveIntegerField(default=0)
    sent_by = models.ForeignKey(User, null=True, on_delete=models.PROTECT, related_name="+")
    received_at = models.DateTimeField()
    due_at = models.DateTimeField(null=True)
    played_at = models.DateTimeField(null=True)
    replaces = models.OneToOneField(
        "self", null=True, blank=True, on_delete=models.PROTECT, related_name="replaced_by"
    )

    class Meta:
        verbose_name = _("move")
        verbose_name_plural = _("moves")
        ordering = ["game", "number", "pk"]
        indexes = [
            models.Index(
                fields=["received_at"], condition=Q(state="received"), name="move_to_be_played"
            ),
        ]
        constraints = [
            models.UniqueConstraint(fields=["game", "number"], name="move_number_once"),
            models.UniqueConstraint(fields=["game", "key"], name="move_form_once"),
            models.CheckConstraint(
                condition=Q(state__in=["played", "undone"], number__isnull=False)
                | (~Q(state__in=["played", "undone"]) & Q(number=None)),
                name="move_played_has_its_number",
            ),
        ]

    def __str__(self) -> str:
        return f"{self.game_id}/{self.number}"


class Consent(models.Model):
    """What another player is asked to agree to (*consenso*): a private, a train, at a price.

    `index` is that of the command in its move, `action` what will be done if he says yes. Silence
    for 48 hours is a no.
    """

    class Answer(models.TextChoices):
        NONE = "", _("awaited")
        YES = "yes", _("yes")
        NO = "no", _("no")
        LAPSED = "lapsed", _("no answer in 48 hours: no")
        WITHDRAWN = "withdrawn", _("asked for no more")

    game = models.ForeignKey(Game, on_delete=models.PROTECT, related_name="consents")
    move = models.ForeignKey(Move, on_delete=models.PROTECT, related_name="consents")
    index = models.PositiveSmallIntegerField()
    seat = models.ForeignKey(Seat, on_delete=models.PROTECT, related_name="+")
    action = models.JSONField()
    asked_at = models.DateTimeField()
    due_at = models.DateTimeField()
    answer = models.CharField(max_length=9, blank=True, choices=Answer.choices)
    answered_at = models.DateTimeField(null=True)
    answered_by = models.ForeignKey(User, null=True, on_delete=models.PROTECT, related_name="+")

    class Meta:
        verbose_name = _("consent")
        verbose_name_plural = _("consents")
        ordering = ["game", "pk"]
        constraints = [
            models.UniqueConstraint(fields=["move", "index"], name="consent_once"),
        ]

    def __str__(self) -> str:
        return f"{self.move_id}/{self.index}"


class Preference(models.Model):
    """What of the games by correspondence a log-in is written to about; by default, all of it."""

    GOES_WITH_LOG_IN = True  # see `tournaments.services.privacy`

    class Moves(models.TextChoices):
        ALL = "all", _("every move of my tables")
        TURN = "turn", _("only when it is my turn")

    user = models.OneToOneField(User, on_delete=models.CASCADE, related_name="pbem_preference")
    moves = models.CharField(max_length=4, choices=Moves.choices, default=Moves.ALL)
    reminders = models.BooleanField(default=True)

    class Meta:
        verbose_name = _("mail preference")
        verbose_name_plural = _("mail preferences")

    def __str__(self) -> str:
        return f"{self.user_id}: {self.moves}"


class Action(models.Model):
    """One step of the engine's log, or a roll-back; never updated nor deleted.

    A roll-back says `{"type": "rollback", "to": n}`: of what stood before it, the rows up to `n`
    still do.
    """

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
