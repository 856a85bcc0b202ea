"""The nouns of the federation's life: people, events, tables, seats, results, removals."""

from __future__ import annotations

import uuid
from datetime import date, datetime
from decimal import Decimal
from typing import Any

from django.conf import settings
from django.db import models
from django.db.models import F, Q
from django.urls import reverse
from django.utils.translation import gettext
from django.utils.translation import gettext_lazy as _

from figf.models import User
from tournaments.rules import calendar, names, registry
from tournaments.rules.regulation import Regulation

# --- what the federation registers ---------------------------------------------------------------


class Title(models.Model):
    """A railway game (*titolo*), and how many sit at one of its tables."""

    code = models.SlugField(_("code"), max_length=20, unique=True)
    name = models.CharField(_("name"), max_length=80)
    min_players = models.PositiveSmallIntegerField(_("least players"))
    max_players = models.PositiveSmallIntegerField(_("most players"))
    active_from = models.DateField(_("played since"), null=True, blank=True)
    active_to = models.DateField(_("played until"), null=True, blank=True)
    specialty = models.BooleanField(_("specialty championship"), default=True)
    cup_title = models.BooleanField(_("Supercoppa and teams"), default=False)

    class Meta:
        verbose_name = _("title")
        verbose_name_plural = _("titles")
        ordering = ["code"]
        constraints = [
            models.CheckConstraint(
                condition=Q(min_players__gte=2, max_players__gte=F("min_players")),
                name="title_seats_make_sense",
            ),
        ]

    def __str__(self) -> str:
        return self.code

    def is_played(self, day: date) -> bool:
        """Whether the federation plays it on `day` (A-05), ends included."""
        return (self.active_from is None or self.active_from <= day) and (
            self.active_to is None or day <= self.active_to
        )


class Club(models.Model):
    """A club of players (*associazione*)."""

    name = models.CharField(_("name"), max_length=120, unique=True)
    town = models.CharField(_("town"), max_length=80, blank=True)

    class Meta:
        verbose_name = _("club")
        verbose_name_plural = _("clubs")
        ordering = ["name"]

    def __str__(self) -> str:
        return self.name


class Season(models.Model):
    """One year of events (*stagione*).

    Once it is closed its champions are proclaimed, and how its events stood is kept as it was
    (`EventPlace`); until then every standing is computed from the confirmed results.
    """

    year = models.PositiveSmallIntegerField(_("year"), unique=True)
    contribution = models.DecimalField(
        _("contribution per entrant"), max_digits=6, decimal_places=2, null=True, blank=True
    )
    closed_at = models.DateTimeField(_("closed at"), null=True, blank=True)

    class Meta:
        verbose_name = _("season")
        verbose_name_plural = _("seasons")
        ordering = ["-year"]

    def __str__(self) -> str:
        return str(self.year)


class PlayerQuerySet(models.QuerySet["Player"]):
    def on_the_books(self) -> PlayerQuerySet:
        """People who may be found by name: neither merged into another nor forgotten."""
        return self.filter(merged_into=None, forgotten_at=None)

    def called(self, asked: str) -> PlayerQuerySet:
        """Those of whose name every word asked is a part, whatever its case and accents."""
        found = self
        for word in filter(None, map(names.letters, asked.split())):
            found = found.filter(sort_key__contains=word)
        return found

    def with_doors(self) -> PlayerQuerySet:
        """Players with club, log-in and invitations, for the secretary's list."""
        return self.select_related("club", "user").prefetch_related("invitations")


class Player(models.Model):
    """A person on the federation's books (*giocatore*); the log-in, if any, is `user`.

    `key` is what a file of another installation calls him by. Who was registered twice is
    `merged_into` the one who stays; who asked to be `forgotten_at` keeps his results and no name.
    """

    surname = models.CharField(_("surname"), max_length=80)
    name = models.CharField(_("first name"), max_length=80, blank=True)
    sort_key = models.CharField(max_length=200, editable=False, db_index=True)
    club = models.ForeignKey(
        Club,
        verbose_name=_("club"),
        null=True,
        blank=True,
        on_delete=models.PROTECT,
        related_name="players",
    )
    town = models.CharField(_("town"), max_length=80, blank=True)
    nationality = models.CharField(_("nationality"), max_length=2, default="IT")
    email = models.EmailField(_("e-mail address"), blank=True)
    user = models.OneToOneField(
        User,
        verbose_name=_("log-in"),
        null=True,
        blank=True,
        on_delete=models.PROTECT,
        related_name="player",
    )
    key = models.UUIDField(default=uuid.uuid4, unique=True, editable=False)
    merged_into = models.ForeignKey(
        "self", null=True, blank=True, on_delete=models.PROTECT, related_name="absorbed"
    )
    forgotten_at = models.DateTimeField(null=True, blank=True)

    objects = PlayerQuerySet.as_manager()

    class Meta:
        verbose_name = _("player")
        verbose_name_plural = _("players")
        ordering = ["sort_key", "pk"]

    def __str__(self) -> str:
        return f"{self.surname} {self.name}".strip()

    def told_apart(self) -> str:
        """With what tells namesakes apart: club, or town, and the number on the books."""
        words = [str(self), str(self.club or self.town), gettext("no. %(n)d") % {"n": self.pk}]
        return ", ".join(filter(None, words))

    def full_name(self) -> str:
        """First name and surname, as people call each other."""
        return f"{self.name} {self.surname}".strip()

    def is_referee(self, day: date) -> bool:
        """Whether the qualification of FIGF referee (*Arbitro*) covers `day`, ends included."""
        return any(term.covers(day) for term in self.referee_terms.all())


class PlayerKey(models.Model):
    """Another key of the same person: of the one merged into him, or matched to him by hand."""

    player = models.ForeignKey(Player, on_delete=models.CASCADE, related_name="other_keys")
    key = models.UUIDField(unique=True)

    def __str__(self) -> str:
        return f"{self.player_id}: {self.key}"


class Merge(models.Model):
    """Two players were one person: what was moved from `gone` to `kept`, so as to be moved back.

    `moved` holds, for each row that changed hands, its model, its id and how the row was.
    """

    kept = models.ForeignKey(Player, on_delete=models.PROTECT, related_name="merges")
    gone = models.ForeignKey(Player, on_delete=models.PROTECT, related_name="+")
    moved = models.JSONField(default=list)
    by = models.ForeignKey(User, on_delete=models.PROTECT, related_name="+")
    at = models.DateTimeField()
    undone_by = models.ForeignKey(User, null=True, on_delete=models.PROTECT, related_name="+")
    undone_at = models.DateTimeField(null=True)

    class Meta:
        verbose_name = _("merge of two players")
        verbose_name_plural = _("merges of players")
        ordering = ["-at", "-pk"]
        constraints = [
            models.CheckConstraint(condition=~Q(kept=F("gone")), name="merge_of_two"),
            models.UniqueConstraint(
                fields=["gone"], condition=Q(undone_at=None), name="one_standing_merge_per_player"
            ),
            models.CheckConstraint(
                condition=Q(undone_at=None, undone_by=None)
                | Q(undone_at__isnull=False, undone_by__isnull=False),
                name="merge_undone_says_by_whom",
            ),
        ]

    def __str__(self) -> str:
        return f"{self.gone_id} → {self.kept_id}"


class RefereeTerm(models.Model):
    """A stretch of days in which a player holds the qualification of referee."""

    player = models.ForeignKey(Player, on_delete=models.CASCADE, related_name="referee_terms")
    starts_on = models.DateField(_("from"))
    ends_on = models.DateField(_("to"), null=True, blank=True)

    class Meta:
        verbose_name = _("referee's term")
        verbose_name_plural = _("referees' terms")
        ordering = ["player", "starts_on"]
        constraints = [
            models.CheckConstraint(
                condition=Q(ends_on=None) | Q(ends_on__gte=F("starts_on")),
                name="referee_term_in_order",
            ),
        ]

    def __str__(self) -> str:
        return f"{self.player_id}: {self.starts_on}–{self.ends_on or ''}"

    def covers(self, day: date) -> bool:
        return self.starts_on <= day and (self.ends_on is None or day <= self.ends_on)


class Invitation(models.Model):
    """A link sent to a player, which joins one log-in to him once, within seven days."""

    player = models.ForeignKey(Player, on_delete=models.CASCADE, related_name="invitations")
    email = models.EmailField()
    digest = models.CharField(max_length=64, unique=True)  # SHA-256 of the link's secret
    created_by = models.ForeignKey(User, on_delete=models.PROTECT, related_name="+")
    created_at = models.DateTimeField()
    expires_at = models.DateTimeField()
    used_at = models.DateTimeField(null=True)
    used_by = models.ForeignKey(User, null=True, on_delete=models.PROTECT, related_name="+")
    withdrawn_at = models.DateTimeField(null=True)

    class Meta:
        ordering = ["-created_at"]

    def __str__(self) -> str:
        return f"{self.player_id}: {self.created_at:%Y-%m-%d}"

    def is_open(self, now: datetime) -> bool:
        return self.used_at is None and self.withdrawn_at is None and now <= self.expires_at


class Claim(models.Model):
    """A log-in says "this player is me"; a secretary decides."""

    player = models.ForeignKey(Player, on_delete=models.CASCADE, related_name="claims")
    user = models.ForeignKey(User, on_delete=models.CASCADE, related_name="claims")
    note = models.CharField(_("note for the secretary"), max_length=300, blank=True)
    created_at = models.DateTimeField()
    decided_at = models.DateTimeField(null=True)
    decided_by = models.ForeignKey(User, null=True, on_delete=models.PROTECT, related_name="+")
    accepted = models.BooleanField(null=True)

    class Meta:
        ordering = ["created_at"]
        constraints = [
            models.UniqueConstraint(
                fields=["user"], condition=Q(decided_at=None), name="one_open_claim_per_user"
            ),
            models.CheckConstraint(
                condition=Q(decided_at=None, accepted=None)
                | Q(decided_at__isnull=False, accepted__isnull=False),
                name="claim_decided_says_how",
            ),
        ]

    def __str__(self) -> str:
        return f"{self.user_id} → {self.player_id}"


# --- events --------------------------------------------------------------------------------------


class EventQuerySet(models.QuerySet["Event"]):
    def public(self) -> EventQuerySet:
        """Events that everybody may see: all but drafts."""
        return self.exclude(status=Event.Status.DRAFT)

    def official(self) -> EventQuerySet:
        """Events of the federation's standings: no cup, nothing friendly, none of another (E-05).

        Whatever their status: what counts of them is another matter (A-15).
        """
        ranked = [slug for slug, rules in registry.REGULATIONS.items() if rules.ranked]
        return self.filter(kind__in=(Event.Kind.LIVE, Event.Kind.PBEM), regulation__in=ranked)

    def coming(self, today: date) -> EventQuerySet:
        """Events open for enrolment and not over, the next first, with how many are `enrolled`."""
        enrolled = Q(entries__status=Entry.Status.ENROLLED)
        open_ = self.filter(status=Event.Status.ENROLLING, ends_on__gte=today)
        counted = open_.annotate(enrolled=models.Count("entries", filter=enrolled))
        return (
            counted.select_related("season")
            .prefetch_related("prove__title")
            .order_by("starts_on", "pk")
        )

    def visible_to(self, user: Any) -> EventQuerySet:
        return self if getattr(user, "is_staff", False) else self.public() | self.run_by(user)

    def run_by(self, user: Any) -> EventQuerySet:
        """Events that `user` may run: his own as technical director, all for a secretary (A-08)."""
        if not user.is_authenticated:
            return self.none()
        return self if user.is_staff else self.filter(director__user=user)

    def with_tables(self) -> EventQuerySet:
        """With season, director, prove, rounds, tables, seats, holders and confirmed results."""
        return self.select_related("season", "director").prefetch_related(
            models.Prefetch("prove__play_rounds__tables", queryset=Table.objects.with_everything()),
            "prove__title",
        )


class Event(models.Model):
    """An event (*evento*): one or more prove in one place, or the pbem tournament."""

    class Kind(models.TextChoices):
        LIVE = "live", _("live")
        PBEM = "pbem", _("by correspondence")
        CUP = "cup", _("cup")
        FRIENDLY = "friendly", _("friendly")

    class Status(models.TextChoices):
        DRAFT = "draft", _("draft")
        ENROLLING = "enrolling", _("enrolment open")
        RUNNING = "running", _("under way")
        CONCLUDED = "concluded", _("results complete")
        CLOSED = "closed", _("closed and validated")
        CANCELLED = "cancelled", _("cancelled")
        INVALID = "invalid", _("not valid")

    class Contribution(models.TextChoices):
        DUE = "due", _("due")
        PAID = "paid", _("paid")
        EXEMPT = "exempt", _("exempt")

    class Role(models.TextChoices):
        """What somebody is to one event; who is several things is the first of them."""

        SECRETARY = "secretary", _("secretary")
        DIRECTOR = "director", _("technical director")
        REFEREE = "referee", _("referee")
        PUBLIC = "public", _("public")

    season = models.ForeignKey(
        Season, verbose_name=_("season"), on_delete=models.PROTECT, related_name="events"
    )
    ordinal = models.PositiveSmallIntegerField(_("number in the season"))
    name = models.CharField(_("name"), max_length=120)
    kind = models.CharField(_("kind"), max_length=10, choices=Kind.choices, default=Kind.LIVE)
    regulation = models.SlugField(_("regulation"), max_length=30, choices=registry.choices)
    status = models.CharField(
        _("status"), max_length=10, choices=Status.choices, default=Status.DRAFT
    )
    status_note = models.CharField(_("reason"), max_length=200, blank=True)
    town = models.CharField(_("town"), max_length=80, blank=True)
    region = models.CharField(_("region"), max_length=40, blank=True)
    venue = models.CharField(_("venue"), max_length=200, blank=True)
    starts_on = models.DateField(_("first day"))
    ends_on = models.DateField(_("last day"))
    organiser = models.CharField(_("organiser"), max_length=120, blank=True)
    organiser_contact = models.CharField(
        _("how to reach the organiser"), max_length=120, blank=True
    )
    director = models.ForeignKey(
        Player,
        verbose_name=_("technical director"),
        null=True,
        blank=True,
        on_delete=models.PROTECT,
        related_name="directed_events",
    )
    fee = models.DecimalField(_("fee"), max_digits=6, decimal_places=2, null=True, blank=True)
    capacity = models.PositiveSmallIntegerField(_("places"), null=True, blank=True)
    enrolment_closes_at = models.DateTimeField(_("enrolment closes"), null=True, blank=True)
    contribution_state = models.CharField(
        _("contribution"), max_length=6, choices=Contribution.choices, default=Contribution.DUE
    )
    replaces = models.OneToOneField(
        "self",
        verbose_name=_("event of two years before"),
        null=True,
        blank=True,
        on_delete=models.PROTECT,
        related_name="replaced_by",
    )
    # Played before the federation kept its books here: it has places and no tables (H-09).
    imported = models.BooleanField(_("from the history"), default=False)
    key = models.UUIDField(default=uuid.uuid4, unique=True, editable=False)  # in files

    objects = EventQuerySet.as_manager()

    class Meta:
        verbose_name = _("event")
        verbose_name_plural = _("events")
        ordering = ["-starts_on", "-ordinal"]
        constraints = [
            models.UniqueConstraint(fields=["season", "ordinal"], name="event_ordinal_once"),
            models.CheckConstraint(
                condition=Q(ends_on__gte=F("starts_on")), name="event_dates_in_order"
            ),
            models.CheckConstraint(
                condition=Q(capacity=None) | Q(capacity__gte=2), name="event_places_for_a_table"
            ),
        ]

    def __str__(self) -> str:
        return self.name

    def get_absolute_url(self) -> str:
        return reverse("event", args=[self.pk])

    def with_year(self) -> str:
        """Its name, with the year if the name has it not."""
        year = str(self.starts_on.year)
        return self.name if year in self.name else f"{self.name} ({year})"

    @property
    def rules(self) -> Regulation[Any]:
        """The regulation that it is run by."""
        return registry.REGULATIONS[self.regulation]

    def is_run_by(self, user: Any) -> bool:
        """Whether `user` may seat, enter results and close: its director, or a secretary (A-08)."""
        if not user.is_authenticated:
            return False
        return bool(
            user.is_staff or (self.director is not None and self.director.user_id == user.pk)
        )

    def role_of(self, user: Any) -> Event.Role:
        """What `user` is to this event; nobody inherits a role from another event.

        A secretary runs all events, the technical director this one (A-08): `is_run_by` is true of
        these two. A referee is who referees a table of one of its published rounds, and no more
        than `Table.is_refereed_by` lets him do. Everybody else, players included, is the public.
        """
        if not user.is_authenticated:
            return self.Role.PUBLIC
        if user.is_staff:
            return self.Role.SECRETARY
        if self.is_run_by(user):
            return self.Role.DIRECTOR
        refereed = Table.objects.filter(
            round__prova__event=self, round__status=Round.Status.PUBLISHED, referee__user=user
        )
        return self.Role.REFEREE if refereed.exists() else self.Role.PUBLIC

    def misses_referee(self) -> bool:
        """Whether no FIGF referee directs it on its first day, and its regulation asks for one."""
        directed = self.director is not None and self.director.is_referee(self.starts_on)
        return self.rules.refereed and not directed

    def is_official(self) -> bool:
        """Whether it is one of those of `official()`."""
        return self.kind in {self.Kind.LIVE, self.Kind.PBEM} and self.rules.ranked

    def is_off(self) -> bool:
        """Whether it will not be held, or was not valid: it is no longer planned (F-04)."""
        return self.status in {self.Status.CANCELLED, self.Status.INVALID}

    def factor(self) -> int | None:
        """The event factor, FE (A-06), from prefetched prove; None while there are none.

        None too by a regulation that knows no such thing.
        """
        prove = [prova.rounds for prova in self.prove.all()]
        rules = self.rules
        return rules.factor(prove, rules.readings) if prove and rules.factor else None

    def rounds(self) -> list[tuple[Prova, int, Round | None]]:
        """Every round of the event in order: prova, number, and its tables if it has any."""
        return [
            (prova, number, prova.seated(number))
            for prova in self.prove.all()
            for number in prova.numbers()
        ]

    def next_to_seat(self) -> tuple[Prova, int] | None:
        """The first round that has not been published, if there is one."""
        unseen = (
            (prova, number)
            for prova, number, seated in self.rounds()
            if seated is None or seated.status != Round.Status.PUBLISHED
        )
        return next(unseen, None)

    def accepts_results(self) -> bool:
        """Results are written only while the event is being played (C-15)."""
        return self.status in {self.Status.RUNNING, self.Status.CONCLUDED}


class EventFile(models.Model):
    """An event left as one file, or came back as one (*evento in un file*).

    `state` is the SHA-256 of how the event was played when the file was written or, of one that
    came in, when it had been read: as long as the event still stands so, a later file of the same
    event may take the place of this one.
    """

    class Way(models.TextChoices):
        OUT = "out", _("sent out")
        IN = "in", _("read in")

    event = models.ForeignKey(Event, on_delete=models.CASCADE, related_name="files")
    way = models.CharField(max_length=3, choices=Way.choices)
    state = models.CharField(max_length=64)
    site = models.CharField(max_length=200, blank=True)  # of one that came in: whence
    by = models.ForeignKey(User, on_delete=models.PROTECT, related_name="+")
    at = models.DateTimeField()

    class Meta:
        verbose_name = _("file of an event")
        verbose_name_plural = _("files of events")
        ordering = ["-at", "-pk"]

    def __str__(self) -> str:
        return f"{self.event_id}: {self.way}"


class EntryQuerySet(models.QuerySet["Entry"]):
    def enrolled(self) -> EntryQuerySet:
        """Who counts as enrolled (A-10, A-12): present or not, also who left half-way."""
        return self.filter(status=Entry.Status.ENROLLED)

    def waiting(self) -> EntryQuerySet:
        """The waiting list, first come first."""
        return self.filter(status=Entry.Status.WAITING).order_by("enrolled_at", "pk")

    def with_people(self) -> EntryQuerySet:
        """With player, club and log-in, in alphabetical order."""
        return self.select_related("player__club", "player__user").order_by(
            "player__sort_key", "player_id"
        )


class Entry(models.Model):
    """A player's enrolment in an event (*iscrizione*).

    `present` is the roll call: None until he is called. `from_round` and `until_round` number the
    rounds of the whole event, from 1: who arrives late, and who leaves half-way (A-11).
    """

    class Status(models.TextChoices):
        ENROLLED = "enrolled", _("enrolled")
        WAITING = "waiting", _("on the waiting list")
        WITHDRAWN = "withdrawn", _("withdrawn")

    event = models.ForeignKey(Event, on_delete=models.CASCADE, related_name="entries")
    player = models.ForeignKey(Player, on_delete=models.PROTECT, related_name="entries")
    status = models.CharField(max_length=10, choices=Status.choices, default=Status.ENROLLED)
    from_round = models.PositiveSmallIntegerField(default=1)
    until_round = models.PositiveSmallIntegerField(null=True, blank=True)
    enrolled_at = models.DateTimeField()
    present = models.BooleanField(null=True)
    paid = models.BooleanField(default=False)
    note = models.CharField(max_length=200, blank=True)
    copies = models.ManyToManyField(Title, blank=True, related_name="+")  # games he brings

    objects = EntryQuerySet.as_manager()

    class Meta:
        verbose_name = _("enrolment")
        verbose_name_plural = _("enrolments")
        constraints = [
            models.UniqueConstraint(fields=["event", "player"], name="entry_once"),
            models.CheckConstraint(
                condition=Q(until_round=None) | Q(until_round__gte=F("from_round")),
                name="entry_rounds_in_order",
            ),
            models.CheckConstraint(
                condition=Q(status="enrolled") | Q(present=None) | Q(present=False),
                name="entry_present_is_enrolled",
            ),
        ]

    def __str__(self) -> str:
        return f"{self.event_id}/{self.player_id}"

    def plays(self, number: int) -> bool:
        """Whether he is to be seated in round `number` of the event: enrolled, here, not gone."""
        return (
            self.status == self.Status.ENROLLED
            and self.present is True
            and self.from_round <= number
            and (self.until_round is None or number <= self.until_round)
        )


class Prova(models.Model):
    """One title played at an event, in as many rounds as its regulation has (*prova*)."""

    event = models.ForeignKey(Event, on_delete=models.CASCADE, related_name="prove")
    title = models.ForeignKey(Title, on_delete=models.PROTECT, related_name="prove")
    order = models.PositiveSmallIntegerField(_("order"))
    rounds = models.PositiveSmallIntegerField(_("rounds"), default=1)

    class Meta:
        verbose_name = "prova"
        verbose_name_plural = "prove"
        ordering = ["event", "order"]
        constraints = [
            models.UniqueConstraint(fields=["event", "order"], name="prova_order_once"),
            models.CheckConstraint(condition=Q(rounds__gte=1), name="prova_rounds_from_one"),
        ]

    def __str__(self) -> str:
        return f"{self.event_id}/{self.order}"

    def event_seats(self) -> tuple[int, int]:
        """Least and most seats at one of its tables (A-05)."""
        return calendar.event_seats(
            self.title.min_players, self.title.max_players, self.event.rules
        )

    def numbers(self) -> range:
        """The numbers of its rounds, from 1."""
        return range(1, self.rounds + 1)

    def seated(self, number: int) -> Round | None:
        """Round `number` as far as it has tables, from what `with_tables` fetched."""
        return next((r for r in self.play_rounds.all() if r.number == number), None)


class RoundQuerySet(models.QuerySet["Round"]):
    def with_seating(self) -> RoundQuerySet:
        """With event, title, and tables with their seats, holders and results."""
        return self.select_related(
            "prova__event__season", "prova__event__director", "prova__title"
        ).prefetch_related(models.Prefetch("tables", queryset=Table.objects.with_everything()))

    def run_by(self, user: Any) -> RoundQuerySet:
        return self.filter(prova__event__in=Event.objects.run_by(user))

    def sitting_down(self) -> RoundQuerySet:
        """Published rounds of events under way with a table that has not started."""
        tables = Table.objects.filter(status=Table.Status.PLAYING, started_at=None)
        return self.filter(
            status=Round.Status.PUBLISHED,
            prova__event__status=Event.Status.RUNNING,
            pk__in=tables.values("round"),
        )

    def visible_to(self, user: Any) -> RoundQuerySet:
        """Published rounds of public events; drafts too, to who runs the event."""
        shown = Q(status=Round.Status.PUBLISHED, prova__event__in=Event.objects.public())
        return self.filter(shown | Q(prova__event__in=Event.objects.run_by(user)))


class Round(models.Model):
    """One round of a prova (*turno*), with the order by which it was seated.

    `order_used` lists the players' ids in that order; each seat says why it is there. `sizes_step`
    is the article by which the tables were sized, `sizes_reason` why the director chose another row
    than the usual. `provisional` rounds were seated while results were missing (B-12). `edition`
    counts the changes of the seating, so that a page can tell that it is stale.
    """

    class Status(models.TextChoices):
        DRAFT = "draft", _("draft")
        PUBLISHED = "published", _("published")

    prova = models.ForeignKey(Prova, on_delete=models.CASCADE, related_name="play_rounds")
    number = models.PositiveSmallIntegerField(_("number"))
    status = models.CharField(max_length=10, choices=Status.choices, default=Status.DRAFT)
    starts_at = models.DateTimeField(_("starts at"), null=True, blank=True)
    published_at = models.DateTimeField(_("published at"), null=True, blank=True)
    order_used = models.JSONField(default=list)
    ranking_as_of = models.DateField(null=True)
    sizes_step = models.JSONField(default=dict)
    sizes_reason = models.CharField(_("reason"), max_length=200, blank=True)
    provisional = models.BooleanField(default=False)
    edition = models.PositiveIntegerField(default=0)

    objects = RoundQuerySet.as_manager()

    class Meta:
        verbose_name = _("round")
        verbose_name_plural = _("rounds")
        ordering = ["prova", "number"]
        constraints = [
            models.UniqueConstraint(fields=["prova", "number"], name="round_number_once"),
            models.CheckConstraint(
                condition=Q(status="draft", published_at=None)
                | Q(status="published", published_at__isnull=False),
                name="round_published_says_when",
            ),
        ]

    def __str__(self) -> str:
        return f"{self.prova_id}/{self.number}"

    def get_absolute_url(self) -> str:
        return reverse("seating", args=[self.pk])

    @property
    def event(self) -> Event:
        return self.prova.event

    def has_results(self) -> bool:
        """Whether a result, sent, confirmed or replaced, was written at any of its tables."""
        return Result.objects.filter(table__round=self).exists()


# --- tables and results --------------------------------------------------------------------------


class TableQuerySet(models.QuerySet["Table"]):
    def with_event(self) -> TableQuerySet:
        return self.select_related(
            "round__prova__event__season",
            "round__prova__event__director",
            "round__prova__title",
            "referee",
        )

    def with_everything(self) -> TableQuerySet:
        """With seats, their holders, and every result with its lines: what a table's page shows."""
        return self.with_event().prefetch_related(
            "seats__holders__player",
            "removals",
            models.Prefetch(
                "results",
                queryset=Result.objects.select_related("by", "entered_by").prefetch_related(
                    "lines__seat", "lines__player"
                ),
            ),
        )

    def visible_to(self, user: Any) -> TableQuerySet:
        """Tables of published rounds of public events; all of their own to who runs the event."""
        events = Event.objects.public()
        shown = Q(round__status=Round.Status.PUBLISHED, round__prova__event__in=events)
        return self.filter(shown | Q(round__prova__event__in=Event.objects.run_by(user)))

    def run_by(self, user: Any) -> TableQuerySet:
        return self.filter(round__prova__event__in=Event.objects.run_by(user))

    def counted_by(self, user: Any) -> TableQuerySet:
        """Those whose counting sheet `user` may fill in: of his events, and refereed by him (C-14).

        What he may write is another matter: a referee sends, who runs the event confirms.
        """
        if not user.is_authenticated:
            return self.none()
        refereed = Q(
            referee__user=user,
            round__status=Round.Status.PUBLISHED,
            round__prova__event__in=Event.objects.public(),
        )
        return self.filter(refereed | Q(round__prova__event__in=Event.objects.run_by(user)))

    def sat_at_by(self, user: Any) -> TableQuerySet:
        """Tables of events under way, published and not over, where `user` holds a seat."""
        if not user.is_authenticated:
            return self.none()
        held = Holder.objects.filter(player__user=user, ends_at=None)
        return self.filter(
            status=Table.Status.PLAYING,
            round__status=Round.Status.PUBLISHED,
            round__prova__event__status=Event.Status.RUNNING,
            seats__holders__in=held,
        )

    def waiting(self) -> TableQuerySet:
        """Tables that have started, of events under way, and have no confirmed result yet."""
        return self.filter(
            status=Table.Status.PLAYING,
            started_at__isnull=False,
            round__status=Round.Status.PUBLISHED,
            round__prova__event__status=Event.Status.RUNNING,
        )

    def reported(self) -> TableQuerySet:
        """Tables of public events with a confirmed result, the last confirmed first."""
        return self.filter(
            results__state=Result.State.CONFIRMED,
            round__status=Round.Status.PUBLISHED,
            round__prova__event__in=Event.objects.public(),
        ).order_by("-results__at", "-pk")


class Table(models.Model):
    """One table of a round (*tavolo*)."""

    class Status(models.TextChoices):
        PLAYING = "playing", _("being played")
        CONFIRMED = "confirmed", _("result confirmed")
        VOID = "void", _("game void")

    class Exclusion(models.TextChoices):
        RECOMPUTE = "recompute", _("as if the excluded player were not there")
        KEEP = "keep_reference", _("the excluded player's total stays the measure")

    round = models.ForeignKey(Round, on_delete=models.CASCADE, related_name="tables")
    number = models.PositiveSmallIntegerField(_("number"))
    referee = models.ForeignKey(
        Player,
        verbose_name=_("referee"),
        null=True,
        blank=True,
        on_delete=models.PROTECT,
        related_name="refereed_tables",
    )
    # Why this referee, where the register or another table had a more usual one (M-02, M-03).
    referee_reason = models.CharField(_("reason"), max_length=200, blank=True)
    status = models.CharField(max_length=10, choices=Status.choices, default=Status.PLAYING)
    started_at = models.DateTimeField(null=True, blank=True)  # None: the players sit down
    # What becomes of an excluded player's total, where the director decided otherwise (C-10).
    exclusion = models.CharField(max_length=16, blank=True, choices=Exclusion.choices)
    exclusion_reason = models.CharField(max_length=200, blank=True)

    objects = TableQuerySet.as_manager()

    class Meta:
        verbose_name = _("table")
        verbose_name_plural = _("tables")
        ordering = ["round", "number"]
        constraints = [
            models.UniqueConstraint(fields=["round", "number"], name="table_number_once"),
            models.CheckConstraint(
                condition=Q(exclusion="") | ~Q(exclusion_reason=""),
                name="table_exclusion_has_reason",
            ),
        ]

    def __str__(self) -> str:
        return f"{self.round_id}/{self.number}"

    def get_absolute_url(self) -> str:
        return reverse("table", args=[self.pk])

    @property
    def event(self) -> Event:
        return self.round.prova.event

    @property
    def title(self) -> Title:
        return self.round.prova.title

    def is_refereed_by(self, user: Any) -> bool:
        """Whether `user` is the referee of this very table; who plays at it never is (M-03)."""
        return bool(
            user.is_authenticated
            and self.referee is not None
            and self.referee.user_id is not None
            and self.referee.user_id == user.pk
        )

    def misses_referee(self) -> bool:
        """Whether it needs a referee before it starts, and has none; a bye needs none (M-02).

        Reads prefetched seats.
        """
        needs = self.event.rules.refereed and len(self.seats.all()) > 1
        return needs and self.referee_id is None

    def called(self) -> str:
        """As people call it, within its event: 1830, round 2, table 3."""
        prova = self.round.prova
        if prova.rounds == 1:
            return gettext("%(title)s, table %(table)d") % {
                "title": prova.title,
                "table": self.number,
            }
        return gettext("%(title)s, round %(round)d, table %(table)d") % {
            "title": prova.title,
            "round": self.round.number,
            "table": self.number,
        }

    def confirmed(self) -> Result | None:
        """The one confirmed result, from what `with_everything` fetched."""
        return next((r for r in self.results.all() if r.state == Result.State.CONFIRMED), None)

    def draft(self) -> Result | None:
        """What the referee sent last and nobody has confirmed yet (C-14), from the same."""
        return self._last_if(Result.State.DRAFT)

    def withdrawal(self) -> Result | None:
        """The version that withdrew its result, as long as nothing was written since."""
        return self._last_if(Result.State.WITHDRAWN)

    def _last_if(self, state: Result.State) -> Result | None:
        """The last version, if that is its state."""
        last = max(self.results.all(), key=lambda result: result.version, default=None)
        return last if last is not None and last.state == state else None

    def last_version(self) -> int:
        return max((r.version for r in self.results.all()), default=0)


class Seat(models.Model):
    """A chair at a table; who sits on it is its last `Holder`."""

    table = models.ForeignKey(Table, on_delete=models.CASCADE, related_name="seats")
    position = models.PositiveSmallIntegerField(_("position"))
    # The rule that placed its player, as `Step.to_json` writes it, and the table it dealt him to.
    why = models.JSONField(default=dict)
    handicap = models.IntegerField(_("handicap"), default=0)  # on the total, by the referee (C-09)
    handicap_reason = models.CharField(max_length=200, blank=True)

    class Meta:
        verbose_name = _("seat")
        verbose_name_plural = _("seats")
        ordering = ["table", "position"]
        constraints = [
            models.UniqueConstraint(fields=["table", "position"], name="seat_position_once"),
            models.CheckConstraint(
                condition=Q(handicap=0) | ~Q(handicap_reason=""), name="seat_handicap_has_reason"
            ),
        ]

    def __str__(self) -> str:
        return f"{self.table_id}/{self.position}"

    def holder(self) -> Holder:
        """Who holds the seat now, from prefetched holders."""
        return list(self.holders.all())[-1]

    def moved_by_hand(self, table_number: int) -> bool:
        """Whether its player sits at another table than the regulation's order gave him (B-15)."""
        return bool(self.why) and self.why["table"] != table_number


class Holder(models.Model):
    """Who holds a seat, from when and why; without a player, a referee plays it (C-11, C-13)."""

    class Why(models.TextChoices):
        SEATED = "seated", _("seated at the start")
        SUBSTITUTE = "substitute", _("substitute")
        REFEREE = "referee", _("a referee finishes the game")
        CINDERELLA = "cinderella", _("absent: Cinderella plays")

    seat = models.ForeignKey(Seat, on_delete=models.CASCADE, related_name="holders")
    player = models.ForeignKey(
        Player, null=True, blank=True, on_delete=models.PROTECT, related_name="held_seats"
    )
    why = models.CharField(max_length=10, choices=Why.choices, default=Why.SEATED)
    starts_at = models.DateTimeField(null=True, blank=True)
    ends_at = models.DateTimeField(null=True, blank=True)

    class Meta:
        verbose_name = _("holder of a seat")
        verbose_name_plural = _("holders of seats")
        ordering = ["seat", "pk"]
        constraints = [
            models.UniqueConstraint(
                fields=["seat"], condition=Q(ends_at=None), name="one_present_holder_per_seat"
            ),
            models.CheckConstraint(
                condition=Q(player=None, why="referee")
                | (Q(player__isnull=False) & ~Q(why="referee")),
                name="holder_without_player_is_a_referee",
            ),
        ]

    def __str__(self) -> str:
        return f"{self.seat_id}: {self.player_id}"


class Result(models.Model):
    """One version of a table's result: written once, replaced by the next, never changed (C-15).

    A draft is what the referee sent (C-14): the last version is one until it is confirmed, and it
    stays a draft when a later version replaces it. A result confirmed by mistake is withdrawn by a
    version without lines, after which the table waits again. `entered_by` is who typed the figures
    of a draft, of the version that confirms it, and of the first after a withdrawal; elsewhere
    there is none, and it was `by`.
    `exclusion` is what the table said when it was written, as its lines repeat their seats.
    """

    class State(models.TextChoices):
        DRAFT = "draft", _("entered")
        CONFIRMED = "confirmed", _("confirmed")
        SUPERSEDED = "superseded", _("replaced")
        WITHDRAWN = "withdrawn", _("withdrawn")

    table = models.ForeignKey(Table, on_delete=models.PROTECT, related_name="results")
    version = models.PositiveSmallIntegerField()
    state = models.CharField(max_length=10, choices=State.choices)
    by = models.ForeignKey(User, on_delete=models.PROTECT, related_name="+")
    at = models.DateTimeField()
    entered_by = models.ForeignKey(User, null=True, on_delete=models.PROTECT, related_name="+")
    reason = models.CharField(_("reason of the correction"), max_length=300, blank=True)
    exclusion = models.CharField(max_length=16, blank=True, choices=Table.Exclusion.choices)
    source = models.CharField(max_length=80, blank=True)  # the game of a file that it is read from
    replayed = models.BooleanField(null=True)  # whether an engine found the same; None: none tried

    class Meta:
        verbose_name = _("result")
        verbose_name_plural = _("results")
        ordering = ["table", "version"]
        constraints = [
            models.UniqueConstraint(fields=["table", "version"], name="result_version_once"),
            models.UniqueConstraint(
                fields=["table"], condition=Q(state="confirmed"), name="one_confirmed_result"
            ),
            models.CheckConstraint(
                condition=Q(version=1)
                | Q(state="draft")
                | Q(entered_by__isnull=False)  # it confirms a draft, or follows a withdrawal
                | ~Q(reason=""),
                name="correction_has_reason",
            ),
            models.CheckConstraint(
                condition=~Q(state="withdrawn") | ~Q(reason=""), name="withdrawal_has_reason"
            ),
        ]

    def __str__(self) -> str:
        return f"{self.table_id} v{self.version}"

    def standing(self) -> list[ResultLine]:
        """The lines by place, those without one last."""
        return sorted(self.lines.all(), key=lambda line: (line.place or 99, line.seat.position))


class ResultLine(models.Model):
    """One seat of a result: what was counted, what it is worth.

    `facts` holds the regulation's own fields (cash and shares; discs; territories); `handicap` and
    `role` are copied from the seat when the result is written, so that a version never changes its
    meaning. `points` are hundredths of a point: whole numbers, exact in every database.
    """

    class Role(models.TextChoices):
        PLAYER = "player", _("player")
        EXCLUDED = "excluded", _("excluded from this classification")
        REFEREE = "referee", _("played by a referee")
        CINDERELLA = "cinderella", _("Cinderella")

    result = models.ForeignKey(Result, on_delete=models.CASCADE, related_name="lines")
    seat = models.ForeignKey(Seat, on_delete=models.PROTECT, related_name="lines")
    player = models.ForeignKey(
        Player, null=True, on_delete=models.PROTECT, related_name="result_lines"
    )
    role = models.CharField(max_length=10, choices=Role.choices, default=Role.PLAYER)
    facts = models.JSONField(default=dict)
    total = models.IntegerField(_("total"))
    handicap = models.IntegerField(default=0)
    place = models.PositiveSmallIntegerField(_("place"), null=True)
    points = models.IntegerField(_("points, in hundredths"), null=True)
    win = models.BooleanField(default=False)

    class Meta:
        verbose_name = _("line of a result")
        verbose_name_plural = _("lines of results")
        ordering = ["result", "seat__position"]
        constraints = [
            models.UniqueConstraint(fields=["result", "seat"], name="result_line_once_per_seat"),
            models.UniqueConstraint(
                fields=["result", "player"], name="result_line_once_per_player"
            ),
        ]

    def __str__(self) -> str:
        return f"{self.result_id}/{self.seat_id}"

    @property
    def credited(self) -> Decimal | None:
        """What it credits its player with, in FIGF a percentile; None is the dash of nothing."""
        return None if self.points is None else Decimal(self.points) / 100


class EventPlace(models.Model):
    """A row of an event's standing, as its closed season keeps it or as it was imported (H-09).

    Written by the closing of the season, thrown away by its reopening: until then a standing is
    computed from the confirmed results. `total` and `best` are hundredths of a point; an imported
    row that says only places and points has none.
    """

    event = models.ForeignKey(Event, on_delete=models.CASCADE, related_name="places")
    player = models.ForeignKey(Player, on_delete=models.PROTECT, related_name="event_places")
    place = models.PositiveSmallIntegerField(_("place"))
    total = models.IntegerField(_("total, in hundredths"), null=True, blank=True)
    best = models.IntegerField(_("best result, in hundredths"), null=True, blank=True)
    points = models.PositiveIntegerField(_("event points"), default=0)
    wins = models.PositiveSmallIntegerField(_("games won"), default=0)

    class Meta:
        verbose_name = _("place in an event")
        verbose_name_plural = _("places in events")
        ordering = ["event", "place", "player__sort_key"]
        constraints = [
            models.UniqueConstraint(fields=["event", "player"], name="event_place_once"),
            models.CheckConstraint(condition=Q(place__gte=1), name="event_place_from_one"),
        ]

    def __str__(self) -> str:
        return f"{self.event_id}: {self.place}"


# --- what takes a player out ---------------------------------------------------------------------


class Removal(models.Model):
    """A player leaves a classification (*cancellazione*), at one level and those below it."""

    class Level(models.TextChoices):
        GAME = "game", _("game")
        PROVA = "prova", "prova"
        EVENT = "event", _("event")
        CHAMPIONSHIP = "championship", _("championship")
        ALL = "all", _("every classification")

    player = models.ForeignKey(Player, on_delete=models.PROTECT, related_name="removals")
    level = models.CharField(max_length=12, choices=Level.choices)
    table = models.ForeignKey(
        Table, null=True, blank=True, on_delete=models.PROTECT, related_name="removals"
    )
    prova = models.ForeignKey(
        Prova, null=True, blank=True, on_delete=models.PROTECT, related_name="removals"
    )
    event = models.ForeignKey(
        Event, null=True, blank=True, on_delete=models.PROTECT, related_name="removals"
    )
    season = models.ForeignKey(
        Season, null=True, blank=True, on_delete=models.PROTECT, related_name="removals"
    )
    championship = models.CharField(max_length=40, blank=True)
    ruling = models.CharField(_("ruling"), max_length=300)
    made_by = models.ForeignKey(
        settings.AUTH_USER_MODEL, on_delete=models.PROTECT, related_name="+"
    )
    made_at = models.DateTimeField()
    lifted_at = models.DateTimeField(null=True, blank=True)

    class Meta:
        verbose_name = _("removal")
        verbose_name_plural = _("removals")
        constraints = [
            models.CheckConstraint(
                condition=Q(level="game", table__isnull=False, prova=None, event=None, season=None)
                | Q(level="prova", table=None, prova__isnull=False, event=None, season=None)
                | Q(level="event", table=None, prova=None, event__isnull=False, season=None)
                | (
                    Q(level="championship", table=None, prova=None, event=None)
                    & Q(season__isnull=False)
                    & ~Q(championship="")
                )
                | Q(level="all", table=None, prova=None, event=None, season=None),
                name="removal_has_its_target",
            ),
        ]

    def __str__(self) -> str:
        return f"{self.player_id}: {self.level}"


class Ban(models.Model):
    """A player may not enrol (*squalifica*, *radiazione*, *black list*); which events, is computed.

    `count` is the number of events to skip; without it the ban lasts until lifted.
    """

    class Scope(models.TextChoices):
        EVENTS = "events", _("events")
        WEB = "web", _("games and events by correspondence")
        ALL = "all", _("everything")

    player = models.ForeignKey(Player, on_delete=models.PROTECT, related_name="bans")
    scope = models.CharField(max_length=8, choices=Scope.choices)
    count = models.PositiveSmallIntegerField(null=True, blank=True)
    starts_on = models.DateField()
    ruling = models.CharField(_("ruling"), max_length=300)
    made_by = models.ForeignKey(
        settings.AUTH_USER_MODEL, on_delete=models.PROTECT, related_name="+"
    )
    made_at = models.DateTimeField()
    lifted_at = models.DateTimeField(null=True, blank=True)

    class Meta:
        verbose_name = _("ban")
        verbose_name_plural = _("bans")
        constraints = [
            models.CheckConstraint(
                condition=Q(count=None) | Q(count__gte=1), name="ban_counts_from_one"
            ),
        ]

    def __str__(self) -> str:
        return f"{self.player_id}: {self.scope}"
