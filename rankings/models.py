"""The ranking as it stood on a date."""

from __future__ import annotations

from datetime import date

from django.db import models
from django.db.models import Q
from django.utils.translation import gettext_lazy as _

from figf.models import User
from tournaments.models import Player


class RankingQuerySet(models.QuerySet["Ranking"]):
    def on(self, day: date) -> Ranking | None:
        """The latest state on `day`; of two of the same date, the one written last."""
        return self.filter(as_of__lte=day).order_by("-as_of", "-pk").first()


class Ranking(models.Model):
    """A state of the ranking (*Ranking*, *Classifica Generale*), never changed once written.

    Until the site computes it from its events, a secretary imports or types it (H-09).
    """

    class Source(models.TextChoices):
        IMPORTED = "imported", _("imported")
        TYPED = "typed", _("typed")

    as_of = models.DateField(_("as of"))
    source = models.CharField(_("source"), max_length=10, choices=Source.choices)
    note = models.CharField(_("note"), max_length=200, blank=True)
    by = models.ForeignKey(User, on_delete=models.PROTECT, related_name="+")
    at = models.DateTimeField()

    objects = RankingQuerySet.as_manager()

    class Meta:
        verbose_name = _("ranking")
        verbose_name_plural = _("rankings")
        ordering = ["-as_of", "-pk"]

    def __str__(self) -> str:
        return f"{self.as_of:%Y-%m-%d}"


class RankingLine(models.Model):
    """A player's points in one state of the ranking; who has none is not in it (H-10)."""

    ranking = models.ForeignKey(Ranking, on_delete=models.CASCADE, related_name="lines")
    player = models.ForeignKey(Player, on_delete=models.PROTECT, related_name="ranking_lines")
    points = models.PositiveIntegerField(_("points"))

    class Meta:
        verbose_name = _("line of a ranking")
        verbose_name_plural = _("lines of rankings")
        ordering = ["ranking", "-points", "player__sort_key"]
        constraints = [
            models.UniqueConstraint(fields=["ranking", "player"], name="ranking_line_once"),
            models.CheckConstraint(condition=Q(points__gte=1), name="ranking_line_has_points"),
        ]

    def __str__(self) -> str:
        return f"{self.ranking_id}: {self.player_id}"
