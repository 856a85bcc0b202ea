"""What a federation proclaims of its seasons: champions, publications, cups and teams."""

from __future__ import annotations

from django.db import models
from django.db.models import Q
from django.urls import reverse
from django.utils.translation import gettext_lazy as _

from figf.models import Draw, User
from tournaments.models import Club, Event, Player, Season, Title

# --- publications ---------------------------------------------------------------------------------


class Publication(models.Model):
    """A standing as it was published: numbered, dated, never changed.

    Players are kept by their id, and named when it is shown: a name may change, or have to go. A
    correction is another publication, which `replaces` the one before.
    """

    class Kind(models.TextChoices):
        RANKING = "ranking", _("Ranking")
        ABSOLUTE = "absolute", _("Absolute championship")
        SPECIALTY = "specialty", _("Specialty championship")
        EVENT = "event", _("Standing of an event")

    number = models.PositiveIntegerField(_("number"), unique=True)
    kind = models.CharField(_("standing"), max_length=10, choices=Kind.choices)
    season = models.ForeignKey(
        Season, null=True, blank=True, on_delete=models.PROTECT, related_name="publications"
    )
    title = models.ForeignKey(
        Title, null=True, blank=True, on_delete=models.PROTECT, related_name="+"
    )
    event = models.ForeignKey(
        Event, null=True, blank=True, on_delete=models.PROTECT, related_name="publications"
    )
    as_of = models.DateField(_("as of"))
    columns = models.JSONField(default=list)  # what heads each of a line's `parts`: names of events
    provisional = models.BooleanField(_("provisional"), default=False)
    note = models.CharField(_("note"), max_length=200, blank=True)
    by = models.ForeignKey(User, on_delete=models.PROTECT, related_name="+")
    at = models.DateTimeField()
    replaces = models.OneToOneField(
        "self", null=True, blank=True, on_delete=models.PROTECT, related_name="replaced_by"
    )

    class Meta:
        verbose_name = _("publication")
        verbose_name_plural = _("publications")
        ordering = ["-number"]
        constraints = [
            models.CheckConstraint(
                condition=Q(kind="ranking", season=None, title=None, event=None)
                | Q(kind="absolute", season__isnull=False, title=None, event=None)
                | Q(kind="specialty", season__isnull=False, title__isnull=False, event=None)
                | Q(kind="event", season=None, title=None, event__isnull=False),
                name="publication_has_its_standing",
            ),
        ]

    def __str__(self) -> str:
        return str(self.number)

    def get_absolute_url(self) -> str:
        return reverse("publication", args=[self.number])


class PublicationLine(models.Model):
    """A row of a publication: `total` in hundredths, and a text for each of its columns."""

    publication = models.ForeignKey(Publication, on_delete=models.CASCADE, related_name="lines")
    player = models.ForeignKey(Player, on_delete=models.PROTECT, related_name="publication_lines")
    place = models.PositiveSmallIntegerField(_("place"))
    total = models.IntegerField(_("total, in hundredths"))
    parts = models.JSONField(default=list)

    class Meta:
        ordering = ["publication", "place", "player__sort_key"]
        constraints = [
            models.UniqueConstraint(fields=["publication", "player"], name="publication_line_once"),
            models.CheckConstraint(condition=Q(place__gte=1), name="publication_place_from_one"),
        ]

    def __str__(self) -> str:
        return f"{self.publication_id}: {self.player_id}"


# --- the roll of honour ---------------------------------------------------------------------------


class Honour(models.Model):
    """A title of a season and who has it (*albo d'oro*): a player, or a team.

    Written by the closing of a season, by the end of a cup, or by hand for seasons of the history.
    Who wins an event is its first, and is not written here.
    """

    class Award(models.TextChoices):
        ABSOLUTE = "absolute", _("Absolute Champion")
        SPECIALTY = "specialty", _("Specialty Champion")
        SUPERCOPPA = "supercoppa", "Supercoppa"
        TEAMS = "teams", _("Team Champions")

    season = models.ForeignKey(Season, on_delete=models.PROTECT, related_name="honours")
    award = models.CharField(_("award"), max_length=10, choices=Award.choices)
    title = models.ForeignKey(
        Title,
        verbose_name=_("title"),
        null=True,
        blank=True,
        on_delete=models.PROTECT,
        related_name="+",
    )
    player = models.ForeignKey(
        Player,
        verbose_name=_("player"),
        null=True,
        blank=True,
        on_delete=models.PROTECT,
        related_name="honours",
    )
    team = models.ForeignKey(
        "Team",
        verbose_name=_("team"),
        null=True,
        blank=True,
        on_delete=models.PROTECT,
        related_name="honours",
    )
    by_hand = models.BooleanField(default=False)
    note = models.CharField(_("note"), max_length=200, blank=True)
    by = models.ForeignKey(User, on_delete=models.PROTECT, related_name="+")
    at = models.DateTimeField()

    class Meta:
        verbose_name = _("honour")
        verbose_name_plural = _("honours")
        ordering = ["-season__year", "award", "title__code", "pk"]
        constraints = [
            models.CheckConstraint(
                condition=Q(award="specialty", title__isnull=False)
                | (~Q(award="specialty") & Q(title=None)),
                name="honour_of_a_specialty_names_it",
            ),
            models.CheckConstraint(
                condition=Q(award="teams", player=None, team__isnull=False)
                | (~Q(award="teams") & Q(player__isnull=False, team=None)),
                name="honour_has_its_winner",
            ),
            models.UniqueConstraint(
                fields=["season", "award", "player"],
                condition=Q(title=None, player__isnull=False),
                name="honour_once",
            ),
            models.UniqueConstraint(
                fields=["season", "title", "player"],
                condition=Q(title__isnull=False),
                name="honour_once_a_specialty",
            ),
            models.UniqueConstraint(
                fields=["season", "team"],
                condition=Q(team__isnull=False),
                name="honour_once_a_team",
            ),
        ]

    def __str__(self) -> str:
        return f"{self.season_id}: {self.award}"


# --- cups -----------------------------------------------------------------------------------------


class Cup(models.Model):
    """The Supercoppa or the team championship of a year: cups, which feed no standing (E-05).

    `season` is the year in which it is played, on the standings of the year before. `event` holds
    its games, from when the tables are known; `draw` are the dice that decide tables and titles,
    and `frozen` is the field as it was when they were promised, by ids. `provisional` says that it
    does not wait for the year before to be closed: the federation's choice, with its reason in
    `note`.
    """

    class Kind(models.TextChoices):
        SUPERCOPPA = "supercoppa", "Supercoppa"
        TEAMS = "teams", _("Team championship")

    kind = models.CharField(max_length=10, choices=Kind.choices)
    season = models.ForeignKey(Season, on_delete=models.PROTECT, related_name="cups")
    event = models.OneToOneField(
        Event, null=True, blank=True, on_delete=models.PROTECT, related_name="cup"
    )
    draw = models.ForeignKey(
        Draw, null=True, blank=True, on_delete=models.PROTECT, related_name="+"
    )
    frozen = models.JSONField(default=dict)
    provisional = models.BooleanField(default=False)
    note = models.CharField(_("note"), max_length=200, blank=True)
    by = models.ForeignKey(User, on_delete=models.PROTECT, related_name="+")
    at = models.DateTimeField()

    class Meta:
        verbose_name = _("cup")
        verbose_name_plural = _("cups")
        ordering = ["-season__year", "kind"]
        constraints = [
            models.UniqueConstraint(fields=["season", "kind"], name="cup_once_a_season"),
            models.CheckConstraint(
                condition=Q(provisional=False) | ~Q(note=""), name="cup_provisional_says_why"
            ),
            models.CheckConstraint(
                condition=Q(draw=None, frozen={}) | (Q(draw__isnull=False) & ~Q(frozen={})),
                name="cup_draw_freezes_the_field",
            ),
        ]

    def __str__(self) -> str:
        return f"{self.season_id}: {self.kind}"


class CupDraw(models.Model):
    """Other dice of a Supercoppa: those given up, with the `reason`, and those of level people.

    The last are `players` by their ids, in the order in which they throw (I-04).
    """

    cup = models.ForeignKey(Cup, on_delete=models.PROTECT, related_name="other_draws")
    draw = models.OneToOneField(Draw, on_delete=models.PROTECT, related_name="+")
    players = models.JSONField(default=list)
    reason = models.CharField(_("reason"), max_length=200, blank=True)

    class Meta:
        ordering = ["cup", "-pk"]
        constraints = [
            models.CheckConstraint(
                condition=(Q(reason="") & ~Q(players=[])) | (~Q(reason="") & Q(players=[])),
                name="cup_draw_given_up_or_of_level_people",
            ),
        ]

    def __str__(self) -> str:
        return f"{self.cup_id}: {self.draw_id}"


class CupAbsence(models.Model):
    """Somebody of the Supercoppa's field who does not play it, and why (I-02)."""

    cup = models.ForeignKey(Cup, on_delete=models.CASCADE, related_name="absences")
    player = models.ForeignKey(Player, on_delete=models.PROTECT, related_name="cup_absences")
    reason = models.CharField(_("reason"), max_length=200)
    by = models.ForeignKey(User, on_delete=models.PROTECT, related_name="+")
    at = models.DateTimeField()

    class Meta:
        ordering = ["cup", "pk"]
        constraints = [
            models.UniqueConstraint(fields=["cup", "player"], name="cup_absence_once"),
            models.CheckConstraint(condition=~Q(reason=""), name="cup_absence_says_why"),
        ]

    def __str__(self) -> str:
        return f"{self.cup_id}: {self.player_id}"


class Team(models.Model):
    """Four players of a club who enrol in the team championship (*squadra*).

    A team of guests (*STRANIERI*) alone has no club. `reopened` says that it came after the term,
    by leave of the FIGF officer (L-02).
    """

    class Status(models.TextChoices):
        SUBMITTED = "submitted", _("submitted")
        ACCEPTED = "accepted", _("accepted")
        REJECTED = "rejected", _("rejected")
        ADMITTED = "admitted", _("admitted")
        EXCLUDED = "excluded", _("left out")

    cup = models.ForeignKey(Cup, on_delete=models.PROTECT, related_name="teams")
    club = models.ForeignKey(
        Club,
        verbose_name=_("club"),
        null=True,
        blank=True,
        on_delete=models.PROTECT,
        related_name="teams",
    )
    name = models.CharField(_("name"), max_length=120)
    status = models.CharField(max_length=10, choices=Status.choices, default=Status.SUBMITTED)
    reason = models.CharField(_("reason"), max_length=200, blank=True)
    reopened = models.BooleanField(default=False)
    by = models.ForeignKey(User, on_delete=models.PROTECT, related_name="+")
    at = models.DateTimeField()

    class Meta:
        verbose_name = _("team")
        verbose_name_plural = _("teams")
        ordering = ["cup", "name", "pk"]
        constraints = [
            models.UniqueConstraint(
                fields=["cup", "name"], condition=~Q(status="rejected"), name="team_name_once"
            ),
            models.UniqueConstraint(
                fields=["cup", "club"],
                condition=~Q(status="rejected"),
                name="one_team_a_club",
            ),
            models.CheckConstraint(
                condition=~Q(status="rejected") | ~Q(reason=""), name="team_rejected_says_why"
            ),
        ]

    def __str__(self) -> str:
        return self.name


class TeamMember(models.Model):
    """One of the four of a team, and the title he plays; a `guest` is of no enrolled club."""

    team = models.ForeignKey(Team, on_delete=models.CASCADE, related_name="members")
    player = models.ForeignKey(Player, on_delete=models.PROTECT, related_name="team_places")
    position = models.PositiveSmallIntegerField()
    guest = models.BooleanField(_("STRANIERO"), default=False)
    title = models.ForeignKey(
        Title,
        verbose_name=_("title"),
        null=True,
        blank=True,
        on_delete=models.PROTECT,
        related_name="+",
    )

    class Meta:
        ordering = ["team", "position"]
        constraints = [
            models.UniqueConstraint(fields=["team", "player"], name="team_member_once"),
            models.UniqueConstraint(fields=["team", "position"], name="team_position_once"),
            models.UniqueConstraint(fields=["team", "title"], name="team_title_once"),
        ]

    def __str__(self) -> str:
        return f"{self.team_id}: {self.player_id}"
