"""The addresses of the API: each finds what everybody may see, and has it shaped and listed."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any, TypeVar

from django.db.models import Prefetch, QuerySet
from django.shortcuts import get_object_or_404
from django.urls import reverse
from django.utils import timezone
from django.utils.functional import Promise
from django.utils.translation import gettext_lazy as _
from drf_spectacular.types import OpenApiTypes
from drf_spectacular.utils import OpenApiExample, OpenApiParameter, OpenApiResponse, extend_schema
from rest_framework.exceptions import NotFound, ValidationError
from rest_framework.request import Request
from rest_framework.response import Response

from figf.api import serializers, shapes
from figf.api.answers import Answer, Listing
from rankings import services as rankings
from rankings.models import Publication
from tournaments import services
from tournaments.models import Club, Event, Player, Round, Season, Table, Title

View = TypeVar("View", bound=Callable[..., Response])

# What the parts of an address are called, and of what.
PARTS: dict[str, tuple[type, Promise]] = {
    "event": (int, _("id of the event")),
    "table": (int, _("id of the table")),
    "player": (int, _("id of the player")),
    "year": (int, _("year of the season")),
    "code": (str, _("code of the title")),
    "number": (int, _("number of the publication")),
}


def told(
    name: str,
    summary: Promise,
    answer: type[serializers.Fields],
    asked: type[serializers.Parameters] | None = None,
    *parts: str,
    moves: bool = False,
) -> Callable[[View], View]:
    """What the schema says of an address: its name, the parts of it, what is asked and answered."""
    error = serializers.ErrorSerializer
    responses: dict[int, Any] = {
        200: answer,
        304: OpenApiResponse(description=_("The same as before: If-None-Match had its ETag.")),
        400: OpenApiResponse(error, _("A parameter is wrong or unknown."), [WRONG]),
        406: OpenApiResponse(error, _("Only JSON is spoken here.")),
        429: OpenApiResponse(error, _("Too many requests: come back after Retry-After seconds.")),
    }
    if parts or (asked and issubclass(asked, serializers.Paged)):
        responses[404] = OpenApiResponse(error, _("It is not there, or not public."), [MISSING])
    if moves:
        moved = _("The player is now another one: Location says where.")
        responses[308] = OpenApiResponse(serializers.MovedSerializer, moved)
    places = [
        OpenApiParameter(part, PARTS[part][0], OpenApiParameter.PATH, description=PARTS[part][1])
        for part in parts
    ]
    described: Callable[[View], View] = extend_schema(
        operation_id=name,
        summary=summary,
        description=summary,
        parameters=[*places, *([asked] if asked else []), SEEN, ETAG, RETRY],
        responses=dict(sorted(responses.items())),
    )
    return described


WRONG = OpenApiExample(
    "season",
    {
        "detail": "season: A valid integer is required.",
        "parameters": {"season": "A valid integer is required."},
    },
    response_only=True,
)
MISSING = OpenApiExample("event", {"detail": "It is not there, or not public."}, response_only=True)
SEEN = OpenApiParameter(
    "If-None-Match",
    OpenApiTypes.STR,
    OpenApiParameter.HEADER,
    description=_("the ETag of an answer that you have: 304 if it is still the same"),
)
ETAG = OpenApiParameter(
    "ETag",
    OpenApiTypes.STR,
    OpenApiParameter.HEADER,
    response=[200, 304],
    description=_("the mark of this content"),
)
RETRY = OpenApiParameter(
    "Retry-After",
    OpenApiTypes.INT,
    OpenApiParameter.HEADER,
    response=[429],
    description=_("how many seconds to wait"),
)


# --- events and tables ----------------------------------------------------------------------------


class Events(Listing):
    parameters = serializers.EventsAsked
    page = serializers.EventsSerializer

    @told("events", _("The events of the calendar, the last first"), page, parameters)
    def get(self, _request: Request) -> Response:
        return self.listed(self._found, shapes.event_in_brief)

    def _found(self, asked: dict[str, Any]) -> QuerySet[Event]:
        found = Event.objects.public().select_related("season").prefetch_related("prove__title")
        fields = {
            "season": "season__year",
            "kind": "kind",
            "status": "status",
            "since": "ends_on__gte",
            "until": "starts_on__lte",
        }
        found = found.filter(**{fields[name]: asked[name] for name in fields if name in asked})
        if "title" in asked:
            found = found.filter(pk__in=Event.objects.filter(prove__title__code=asked["title"]))
        return found.order_by("-starts_on", "-pk")


class OneEvent(Answer):
    @told(
        "event",
        _("An event, with its prove, rounds and tables"),
        serializers.EventSerializer,
        None,
        "event",
    )
    def get(self, _request: Request, event: int) -> Response:
        self.asked()
        rounds = Round.objects.filter(status=Round.Status.PUBLISHED).prefetch_related("tables")
        found = Event.objects.public().select_related("season", "director", "replaces")
        found = found.prefetch_related("prove__title", Prefetch("prove__play_rounds", rounds))
        told = shapes.event_whole(get_object_or_404(found, pk=event), services.struck_off())
        return Response(serializers.EventSerializer(told).data)


class Standing(Answer):
    parameters = serializers.StandingAsked

    @told(
        "event_standing",
        _("How an event stands, or a prova or a round of it"),
        serializers.StandingSerializer,
        parameters,
        "event",
    )
    def get(self, _request: Request, event: int) -> Response:
        asked = self.asked()
        events = Event.objects.public().prefetch_related("prove")
        told = self._told(get_object_or_404(events, pk=event), asked)
        return Response(serializers.StandingSerializer(told).data)

    def _told(self, event: Event, asked: dict[str, int]) -> dict[str, Any]:
        prova, number = asked.get("prova"), asked.get("round")
        if number is not None and prova is None:
            wrong = "Say of which prova."
            raise ValidationError({"detail": f"round: {wrong}", "parameters": {"round": wrong}})
        rounds = [(each.order, n) for each in event.prove.all() for n in each.numbers()]
        if prova is not None and (prova, number or 1) not in rounds:
            raise NotFound("This event has no such prova or round.")
        if event.imported:
            return shapes.past_standing(event)
        ranking = rankings.ranking_before(event.starts_on).points
        found = services.standing_of(event, ranking, prova=prova, number=number)
        return shapes.standing(event, found, asked, services.struck_off())


class OneTable(Answer):
    @told(
        "table",
        _("A table, with its seats and its confirmed result"),
        serializers.TableSerializer,
        None,
        "table",
    )
    def get(self, _request: Request, table: int) -> Response:
        self.asked()
        events = Event.objects.public()
        shown = Table.objects.with_everything().filter(
            round__status=Round.Status.PUBLISHED, round__prova__event__in=events
        )
        told = shapes.table(get_object_or_404(shown, pk=table), services.struck_off())
        return Response(serializers.TableSerializer(told).data)


# --- people ---------------------------------------------------------------------------------------


class Players(Listing):
    parameters = serializers.PlayersAsked
    page = serializers.PlayersSerializer

    @told("players", _("The players, in the order of the alphabet"), page, parameters)
    def get(self, _request: Request) -> Response:
        return self.listed(self._found, shapes.player)

    def _found(self, asked: dict[str, Any]) -> QuerySet[Player]:
        return rankings.everybody().called(asked.get("q", ""))


def moved(player: int, address: str) -> Response | None:
    """Who was merged into another has moved to his address, for as long as he is."""
    known = Player.objects.filter(forgotten_at=None).exclude(pk__in=services.struck_off())
    kept = known.filter(pk=player).values_list("merged_into", flat=True).first()
    if kept is None:
        return None
    told = {"detail": f"This player is now player {kept}.", "player": kept}
    answer = serializers.MovedSerializer(told).data
    return Response(answer, status=308, headers={"Location": reverse(address, args=[kept])})


class OnePlayer(Answer):
    @told("player", _("A player"), serializers.PlayerSerializer, None, "player", moves=True)
    def get(self, _request: Request, player: int) -> Response:
        self.asked()
        told = moved(player, "api_player")
        if told is None:
            found = shapes.player(get_object_or_404(rankings.everybody(), pk=player))
            told = Response(serializers.PlayerSerializer(found).data)
        return told


class Results(Listing):
    page = serializers.PlayedPageSerializer

    @told(
        "player_results",
        _("What a player played, the last first: games, and events of the history"),
        page,
        serializers.Paged,
        "player",
        moves=True,
    )
    def get(self, _request: Request, player: int) -> Response:
        self.asked()
        found = moved(player, "api_player_results")
        if found is None:
            entries = rankings.entries_of(get_object_or_404(rankings.everybody(), pk=player))
            found = self.listed(lambda _asked: entries, shapes.played)
        return found


class Clubs(Listing):
    page = serializers.ClubsSerializer

    @told("clubs", _("The clubs"), page, serializers.Paged)
    def get(self, _request: Request) -> Response:
        return self.listed(lambda _asked: Club.objects.order_by("name", "pk"), shapes.club)


# --- titles, seasons and their standings ----------------------------------------------------------


class Titles(Listing):
    page = serializers.TitlesSerializer

    @told("titles", _("The titles of the register"), page, serializers.Paged)
    def get(self, _request: Request) -> Response:
        return self.listed(lambda _asked: Title.objects.order_by("code"), shapes.title)


class Seasons(Listing):
    page = serializers.SeasonsSerializer

    @told("seasons", _("The seasons, the last first"), page, serializers.Paged)
    def get(self, _request: Request) -> Response:
        return self.listed(lambda _asked: Season.objects.order_by("-year"), shapes.season)


class Absolute(Answer):
    @told(
        "absolute",
        _("The absolute championship of a season"),
        serializers.AbsoluteSerializer,
        None,
        "year",
    )
    def get(self, _request: Request, year: int) -> Response:
        self.asked()
        season = get_object_or_404(Season, year=year)
        page = rankings.absolute_of(season)
        told = {
            "season": year,
            "url": shapes.page("absolute", year),
            "closed": season.closed_at is not None,
            "events": [{"event": each.pk, "name": each.name} for each in page.events],
            "rows": rankings.absolute_rows(page),
        }
        return Response(serializers.AbsoluteSerializer(told).data)


class Specialty(Answer):
    @told(
        "specialty",
        _("The championship of a title in a season"),
        serializers.SpecialtySerializer,
        None,
        "year",
        "code",
    )
    def get(self, _request: Request, year: int, code: str) -> Response:
        self.asked()
        season = get_object_or_404(Season, year=year)
        title = get_object_or_404(Title, code=code, specialty=True)
        told = {
            "season": year,
            "title": title.code,
            "url": shapes.page("specialty", year, code),
            "closed": season.closed_at is not None,
            "rows": rankings.specialty_rows(rankings.specialty_of(season, title)),
        }
        return Response(serializers.SpecialtySerializer(told).data)


class Ranking(Answer):
    parameters = serializers.RankingAsked

    @told(
        "ranking",
        _("The ranking of two years, today or on a day"),
        serializers.RankingSerializer,
        parameters,
    )
    def get(self, _request: Request) -> Response:
        today = timezone.localdate()
        day = self.asked().get("on", today)
        page = rankings.ranking_on(day)
        told = {
            "on": day,
            "as_of": page.as_of,
            "url": f"{shapes.page('ranking')}?al={day.isoformat()}",
            "forecast": day > today,
            "rows": rankings.ranking_rows(page),
        }
        return Response(serializers.RankingSerializer(told).data)


# --- honours and publications ---------------------------------------------------------------------


class Honours(Answer):
    @told("honours", _("The roll of honour"), serializers.RollSerializer)
    def get(self, _request: Request) -> Response:
        self.asked()
        struck = services.struck_off()
        told = {
            "url": shapes.page("roll_of_honour"),
            "seasons": [shapes.season_roll(each, struck) for each in rankings.roll_of_honour()],
        }
        return Response(serializers.RollSerializer(told).data)


def publications() -> QuerySet[Publication]:
    return Publication.objects.select_related(
        "season", "title", "replaces", "replaced_by"
    ).order_by("-number")


class Publications(Listing):
    page = serializers.PublicationsSerializer

    @told("publications", _("The official publications, the last first"), page, serializers.Paged)
    def get(self, _request: Request) -> Response:
        latest = rankings.latest_publications()
        return self.listed(
            lambda _asked: publications(), lambda each: shapes.publication_in_brief(each, latest)
        )


class OnePublication(Answer):
    @told(
        "publication",
        _("A standing as it was published"),
        serializers.PublicationSerializer,
        None,
        "number",
    )
    def get(self, _request: Request, number: int) -> Response:
        self.asked()
        found = publications().prefetch_related("lines")
        told = shapes.publication_whole(get_object_or_404(found, number=number))
        return Response(serializers.PublicationSerializer(told).data)
