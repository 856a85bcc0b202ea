"""The administration pages: what the federation registers. The rest is written by services."""

from django.contrib import admin

from figf.admin import Recorded
from tournaments.models import Club, Season, Title


@admin.register(Title)
class TitleAdmin(Recorded):
    list_display = ["code", "name", "min_players", "max_players", "active_from", "active_to"]


@admin.register(Club)
class ClubAdmin(Recorded):
    list_display = ["name", "town"]


@admin.register(Season)
class SeasonAdmin(Recorded):
    list_display = ["year", "contribution"]
