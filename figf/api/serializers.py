"""The fields of every answer and of every question: listed here, decided elsewhere.

Their help texts are the reference that `docs` shows and the schema carries.
"""

from __future__ import annotations

from datetime import UTC, date
from typing import Any

from django.core.validators import MaxValueValidator, MinValueValidator
from django.utils.translation import gettext_lazy as _
from rest_framework import serializers

from rankings.models import Honour, Publication
from rankings.services import PublicationState
from tournaments.models import Event, Holder, ResultLine, Table, Title
from tournaments.rules import names

STATUSES = [status.value for status in Event.Status if status != Event.Status.DRAFT]
FIRST_YEAR, LAST_YEAR = 1980, 2100
DASHES = ("excluded", "cancelled", "void", "off")  # as the player's card has them
DAYS = [
    MinValueValidator(date(FIRST_YEAR, 1, 1), f"Choose a day of the years from {FIRST_YEAR}."),
    MaxValueValidator(date(LAST_YEAR, 12, 31), f"Choose a day of the years until {LAST_YEAR}."),
]


class Fields(serializers.Serializer[Any]):
    """What every list of fields begins with."""


def codes(values: Any, help_text: Any, **more: Any) -> serializers.ChoiceField:
    return serializers.ChoiceField([str(value) for value in values], help_text=help_text, **more)


def hundredths(help_text: Any, **more: Any) -> serializers.DecimalField:
    """An exact figure, as a text with two digits after the point."""
    return serializers.DecimalField(12, 2, help_text=help_text, **more)


def moment(help_text: Any, **more: Any) -> serializers.DateTimeField:
    return serializers.DateTimeField(default_timezone=UTC, help_text=help_text, **more)


def url() -> serializers.URLField:
    return serializers.URLField(help_text=_("address of its page"))


# What programs are told is in English, whatever the reader's language.
NO_TITLE = "There is no such title."
NO_LETTER = "There is no letter in it."

# --- what is asked --------------------------------------------------------------------------------


class Parameters(Fields):
    """None: what most addresses take."""


class Paged(Parameters):
    page = serializers.IntegerField(
        min_value=1, max_value=100_000, default=1, help_text=_("page of the list, from 1")
    )
    page_size = serializers.IntegerField(
        min_value=1, max_value=100, default=50, help_text=_("how many on a page, at most 100")
    )


class EventsAsked(Paged):
    season = serializers.IntegerField(
        min_value=FIRST_YEAR, max_value=LAST_YEAR, required=False, help_text=_("year of the season")
    )
    kind = codes(Event.Kind, _("kind of event"), required=False)
    status = codes(STATUSES, _("state of the event"), required=False)
    title = serializers.SlugField(
        max_length=20, required=False, help_text=_("code of a title that is played there")
    )
    since = serializers.DateField(
        required=False, help_text=_("not over before this day, such as 2026-03-14"), validators=DAYS
    )
    until = serializers.DateField(
        required=False, help_text=_("begun by this day, such as 2026-03-15"), validators=DAYS
    )

    def validate_title(self, code: str) -> str:
        if not Title.objects.filter(code=code).exists():
            raise serializers.ValidationError(NO_TITLE)
        return code


class StandingAsked(Parameters):
    prova = serializers.IntegerField(
        min_value=1,
        max_value=999,
        required=False,
        help_text=_("number of a prova: the standing of that prova alone"),
    )
    round = serializers.IntegerField(
        min_value=1,
        max_value=999,
        required=False,
        help_text=_("number of a round of that prova: the standing of that round alone"),
    )


class PlayersAsked(Paged):
    q = serializers.CharField(
        max_length=80,
        required=False,
        allow_blank=True,
        help_text=_("parts of the name; accents and capitals do not matter"),
    )

    def validate_q(self, sought: str) -> str:
        if sought and not names.letters(sought):
            raise serializers.ValidationError(NO_LETTER)
        return sought


class RankingAsked(Parameters):
    on = serializers.DateField(
        required=False, help_text=_("the day, such as 2026-03-14; today if none"), validators=DAYS
    )


# --- what is answered -----------------------------------------------------------------------------


class ErrorSerializer(Fields):
    detail = serializers.CharField(help_text=_("what is wrong, in English"))
    parameters = serializers.DictField(
        child=serializers.CharField(),
        required=False,
        help_text=_("of a request that cannot be read: each wrong parameter, and why"),
    )


class MovedSerializer(Fields):
    detail = serializers.CharField(help_text=_("what has happened, in English"))
    player = serializers.IntegerField(help_text=_("id of the player who stays"))


class NamedSerializer(Fields):
    player = serializers.IntegerField(
        allow_null=True, help_text=_("id of the player; null of who may not be named")
    )
    name = serializers.CharField(
        allow_null=True, help_text=_("surname and first name; null of who may not be named")
    )


class WhoSerializer(NamedSerializer):
    club = serializers.CharField(allow_null=True, help_text=_("name of the club"))


class PageSerializer(Fields):
    count = serializers.IntegerField(help_text=_("how many there are on all the pages"))
    next = serializers.URLField(allow_null=True, help_text=_("address of the next page"))
    previous = serializers.URLField(allow_null=True, help_text=_("address of the page before"))


class BriefEventSerializer(Fields):
    id = serializers.IntegerField(help_text=_("id of the event"))
    url = url()
    season = serializers.IntegerField(help_text=_("year of the season"))
    ordinal = serializers.IntegerField(help_text=_("number of the event in its season"))
    name = serializers.CharField(help_text=_("name of the event"))
    kind = codes(Event.Kind, _("kind of event"))
    status = codes(STATUSES, _("state of the event"))
    starts_on = serializers.DateField(help_text=_("first day"))
    ends_on = serializers.DateField(help_text=_("last day"))
    town = serializers.CharField(help_text=_("town; it may be empty"))
    region = serializers.CharField(help_text=_("region; it may be empty"))
    titles = serializers.ListField(
        child=serializers.CharField(), help_text=_("codes of the titles, a prova each")
    )
    imported = serializers.BooleanField(
        help_text=_("of the history: it has a standing and no tables")
    )


class EventsSerializer(PageSerializer):
    results = BriefEventSerializer(many=True, help_text=_("those of this page"))


class RoundSerializer(Fields):
    id = serializers.IntegerField(help_text=_("id of the round"))
    url = url()
    number = serializers.IntegerField(help_text=_("number of the round in its prova"))
    starts_at = moment(allow_null=True, help_text=_("when it begins"))
    published_at = moment(help_text=_("when its tables were published"))
    tables = serializers.ListField(
        child=serializers.IntegerField(), help_text=_("ids of its tables")
    )


class ProvaSerializer(Fields):
    order = serializers.IntegerField(help_text=_("number of the prova in its event"))
    title = serializers.CharField(help_text=_("code of the title"))
    title_name = serializers.CharField(help_text=_("name of the title"))
    planned = serializers.IntegerField(help_text=_("how many rounds it has"))
    rounds = RoundSerializer(many=True, help_text=_("those whose tables are published"))


class EventSerializer(BriefEventSerializer):
    status_note = serializers.CharField(help_text=_("why it is in that state; it may be empty"))
    regulation = serializers.CharField(help_text=_("regulation by which it is run"))
    venue = serializers.CharField(help_text=_("place where it is held; it may be empty"))
    organiser = serializers.CharField(help_text=_("who organises it; it may be empty"))
    director = NamedSerializer(allow_null=True, help_text=_("technical director"))
    fee = hundredths(_("fee, in euro"), allow_null=True)
    capacity = serializers.IntegerField(allow_null=True, help_text=_("places that there are"))
    enrolment_closes_at = moment(allow_null=True, help_text=_("when enrolment closes"))
    factor = serializers.IntegerField(
        allow_null=True, help_text=_("event factor; null where places give no event points")
    )
    replaces = serializers.IntegerField(
        allow_null=True, help_text=_("id of the event of two years before")
    )
    prove = ProvaSerializer(many=True, help_text=_("what is played, in order"))


class PartSerializer(Fields):
    prova = serializers.IntegerField(help_text=_("number of the prova in its event"))
    round = serializers.IntegerField(help_text=_("number of the round in its prova"))
    percentile = hundredths(
        _("what the table credits, in FIGF a percentile; null is nothing"), allow_null=True
    )


class PlacingSerializer(NamedSerializer):
    place = serializers.IntegerField(help_text=_("place; equals share it"))
    total = hundredths(
        _("what the place is given by; null of the history, which keeps places only"),
        allow_null=True,
    )
    rounds = PartSerializer(many=True, help_text=_("the rounds played"))
    event_points = serializers.IntegerField(
        allow_null=True, help_text=_("event points; null where places give none")
    )
    wins = serializers.IntegerField(help_text=_("games won"))


class StandingSerializer(Fields):
    event = serializers.IntegerField(help_text=_("id of the event"))
    url = url()
    prova = serializers.IntegerField(
        allow_null=True, help_text=_("the prova asked for; null of the whole event")
    )
    round = serializers.IntegerField(
        allow_null=True, help_text=_("the round asked for; null of all rounds")
    )
    closed = serializers.BooleanField(help_text=_("whether the event is closed and validated"))
    provisional = serializers.BooleanField(
        help_text=_("whether a table, or a round, has not reported yet")
    )
    missing = serializers.ListField(
        child=serializers.IntegerField(), help_text=_("ids of the tables without a result")
    )
    rows = PlacingSerializer(many=True, help_text=_("by place"))


class HolderSerializer(NamedSerializer):
    why = codes(Holder.Why, _("why the seat is in these hands"))
    starts_at = moment(allow_null=True, help_text=_("since when"))
    ends_at = moment(allow_null=True, help_text=_("until when"))


class SeatSerializer(Fields):
    position = serializers.IntegerField(help_text=_("number of the seat"))
    holders = HolderSerializer(many=True, help_text=_("who has held it, in order"))


class LineSerializer(NamedSerializer):
    position = serializers.IntegerField(help_text=_("number of the seat"))
    role = codes(ResultLine.Role, _("as what the seat is classified"))
    total = serializers.IntegerField(help_text=_("what was counted"))
    facts = serializers.DictField(
        child=serializers.IntegerField(allow_null=True),
        help_text=_("the parts of the count, such as cash and stocks, where they were written"),
    )
    handicap = serializers.IntegerField(help_text=_("handicap on the total, 0 for none"))
    place = serializers.IntegerField(allow_null=True, help_text=_("place at the table"))
    percentile = hundredths(
        _("what the table credits, in FIGF a percentile; null is nothing"), allow_null=True
    )
    win = serializers.BooleanField(help_text=_("whether it counts as a game won"))


class ResultSerializer(Fields):
    version = serializers.IntegerField(help_text=_("number of the version; a correction adds one"))
    confirmed_at = moment(help_text=_("when it was confirmed"))
    lines = LineSerializer(many=True, help_text=_("by place"))


class TableSerializer(Fields):
    id = serializers.IntegerField(help_text=_("id of the table"))
    url = url()
    event = serializers.IntegerField(help_text=_("id of the event"))
    prova = serializers.IntegerField(help_text=_("number of the prova in its event"))
    round = serializers.IntegerField(help_text=_("number of the round in its prova"))
    number = serializers.IntegerField(help_text=_("number of the table in its round"))
    title = serializers.CharField(help_text=_("code of the title"))
    status = codes(Table.Status, _("state of the table"))
    started_at = moment(allow_null=True, help_text=_("when it started"))
    referee = NamedSerializer(allow_null=True, help_text=_("referee of the table"))
    seats = SeatSerializer(many=True, help_text=_("in order"))
    result = ResultSerializer(
        allow_null=True, help_text=_("the confirmed result; null while there is none")
    )


class PlayerSerializer(Fields):
    id = serializers.IntegerField(help_text=_("id of the player"))
    url = url()
    name = serializers.CharField(help_text=_("surname and first name"))
    surname = serializers.CharField(help_text=_("surname"))
    first_name = serializers.CharField(help_text=_("first name; it may be empty"))
    club = serializers.CharField(allow_null=True, help_text=_("name of the club"))
    club_id = serializers.IntegerField(allow_null=True, help_text=_("id of the club"))


class PlayersSerializer(PageSerializer):
    results = PlayerSerializer(many=True, help_text=_("those of this page"))


class PlayedSerializer(Fields):
    event = serializers.IntegerField(help_text=_("id of the event"))
    event_name = serializers.CharField(help_text=_("name of the event"))
    starts_on = serializers.DateField(help_text=_("first day of the event"))
    kind = codes(Event.Kind, _("kind of event"))
    url = url()
    table = serializers.IntegerField(
        allow_null=True, help_text=_("id of the table; null of an event of the history, as a whole")
    )
    title = serializers.CharField(allow_null=True, help_text=_("code of the title"))
    round = serializers.IntegerField(
        allow_null=True, help_text=_("number of the round, where the prova has more than one")
    )
    total = serializers.IntegerField(allow_null=True, help_text=_("what was counted"))
    place = serializers.IntegerField(
        allow_null=True, help_text=_("place at the table, or in the event of the history")
    )
    percentile = hundredths(
        _("what the table credits, in FIGF a percentile; null is nothing"), allow_null=True
    )
    event_place = serializers.IntegerField(
        allow_null=True, help_text=_("place in the event, once it is closed")
    )
    event_points = serializers.IntegerField(
        allow_null=True, help_text=_("event points of the whole event, once it is closed")
    )
    wins = serializers.IntegerField(help_text=_("games won"))
    dash = codes(
        ("", *DASHES), _("why a game gives nothing; empty of one that counts"), allow_blank=True
    )


class PlayedPageSerializer(PageSerializer):
    results = PlayedSerializer(many=True, help_text=_("those of this page"))


class ClubSerializer(Fields):
    id = serializers.IntegerField(help_text=_("id of the club"))
    url = url()
    name = serializers.CharField(help_text=_("name of the club"))
    town = serializers.CharField(help_text=_("town; it may be empty"))


class ClubsSerializer(PageSerializer):
    results = ClubSerializer(many=True, help_text=_("those of this page"))


class TitleSerializer(Fields):
    code = serializers.CharField(help_text=_("code of the title"))
    name = serializers.CharField(help_text=_("name of the title"))
    min_players = serializers.IntegerField(help_text=_("least players at a table"))
    max_players = serializers.IntegerField(help_text=_("most players at a table"))
    active_from = serializers.DateField(allow_null=True, help_text=_("played since"))
    active_to = serializers.DateField(allow_null=True, help_text=_("played until"))
    specialty = serializers.BooleanField(help_text=_("whether it has a specialty championship"))


class TitlesSerializer(PageSerializer):
    results = TitleSerializer(many=True, help_text=_("those of this page"))


class SeasonSerializer(Fields):
    year = serializers.IntegerField(help_text=_("year of the season"))
    url = url()
    closed = serializers.BooleanField(help_text=_("whether its champions are proclaimed"))
    closed_at = moment(allow_null=True, help_text=_("when it was closed"))


class SeasonsSerializer(PageSerializer):
    results = SeasonSerializer(many=True, help_text=_("those of this page"))


class EventRefSerializer(Fields):
    event = serializers.IntegerField(help_text=_("id of the event"))
    name = serializers.CharField(help_text=_("name of the event"))


class AbsoluteRowSerializer(WhoSerializer):
    place = serializers.IntegerField(help_text=_("place; equals share it"))
    total = serializers.IntegerField(help_text=_("event points, without what is dropped"))
    scores = serializers.ListField(
        child=serializers.IntegerField(allow_null=True),
        help_text=_("event points of each of the events; null of who was not there"),
    )
    dropped = serializers.IntegerField(help_text=_("the points dropped, in an event of the list"))
    countback = serializers.ListField(
        child=serializers.IntegerField(), help_text=_("how many first places, seconds, and so on")
    )


class AbsoluteSerializer(Fields):
    season = serializers.IntegerField(help_text=_("year of the season"))
    url = url()
    closed = serializers.BooleanField(help_text=_("whether its champions are proclaimed"))
    events = EventRefSerializer(many=True, help_text=_("the events planned, in order"))
    rows = AbsoluteRowSerializer(many=True, help_text=_("by place"))


class SpecialtyRowSerializer(WhoSerializer):
    place = serializers.IntegerField(help_text=_("place; equals share it"))
    total = hundredths(_("sum of the percentiles that count"))
    counted = serializers.ListField(
        child=serializers.DecimalField(12, 2), help_text=_("the percentiles that count")
    )
    discarded = serializers.ListField(
        child=serializers.DecimalField(12, 2), help_text=_("the percentiles left out")
    )


class SpecialtySerializer(Fields):
    season = serializers.IntegerField(help_text=_("year of the season"))
    title = serializers.CharField(help_text=_("code of the title"))
    url = url()
    closed = serializers.BooleanField(help_text=_("whether its champions are proclaimed"))
    rows = SpecialtyRowSerializer(many=True, help_text=_("by place"))


class ContributionSerializer(EventRefSerializer):
    points = serializers.IntegerField(help_text=_("event points"))
    games_won = serializers.IntegerField(help_text=_("games won"))
    worth = serializers.IntegerField(help_text=_("points of the ranking that the event gives"))
    leaves_on = serializers.DateField(
        allow_null=True, help_text=_("the day on which they leave the ranking, if it is known")
    )


class RankedSerializer(WhoSerializer):
    place = serializers.IntegerField(help_text=_("place; equals share it"))
    points = serializers.IntegerField(help_text=_("points of the ranking"))
    events = ContributionSerializer(many=True, help_text=_("what they are made of"))


class RankingSerializer(Fields):
    on = serializers.DateField(help_text=_("the day asked for"))
    as_of = serializers.DateField(
        allow_null=True, help_text=_("the day of its last change; null when nobody has points")
    )
    url = url()
    forecast = serializers.BooleanField(
        help_text=_("whether the day is to come: results may change it")
    )
    rows = RankedSerializer(many=True, help_text=_("by place"))


class HonourSerializer(NamedSerializer):
    award = codes(Honour.Award, _("the award"))
    title = serializers.CharField(allow_null=True, help_text=_("code of the title of a specialty"))
    team = serializers.CharField(allow_null=True, help_text=_("name of the team"))
    members = NamedSerializer(many=True, help_text=_("who played for the team"))
    note = serializers.CharField(help_text=_("a note; it may be empty"))


class WinnersSerializer(EventRefSerializer):
    players = NamedSerializer(many=True, help_text=_("several if they were level"))


class SeasonRollSerializer(Fields):
    season = serializers.IntegerField(help_text=_("year of the season"))
    url = url()
    closed = serializers.BooleanField(help_text=_("whether its champions are proclaimed"))
    honours = HonourSerializer(many=True, help_text=_("who has which title"))
    vacant = serializers.ListField(
        child=serializers.CharField(), help_text=_("codes of the titles that nobody has won")
    )
    winners = WinnersSerializer(many=True, help_text=_("who won each event"))


class RollSerializer(Fields):
    url = url()
    seasons = SeasonRollSerializer(many=True, help_text=_("from the last back"))


class BriefPublicationSerializer(Fields):
    number = serializers.IntegerField(help_text=_("number of the publication"))
    url = url()
    kind = codes(Publication.Kind, _("which standing"))
    season = serializers.IntegerField(allow_null=True, help_text=_("year of the season"))
    title = serializers.CharField(allow_null=True, help_text=_("code of the title"))
    event = serializers.IntegerField(allow_null=True, help_text=_("id of the event"))
    as_of = serializers.DateField(help_text=_("the day of the standing"))
    published_at = moment(help_text=_("when it was published"))
    state = codes(PublicationState, _("how it stands today, beside later ones"))
    replaces = serializers.IntegerField(
        allow_null=True, help_text=_("number of the publication that it corrects")
    )
    replaced_by = serializers.IntegerField(
        allow_null=True, help_text=_("number of the publication that corrects it")
    )
    note = serializers.CharField(help_text=_("a note; it may be empty"))


class PublicationsSerializer(PageSerializer):
    results = BriefPublicationSerializer(many=True, help_text=_("those of this page"))


class PublishedLineSerializer(NamedSerializer):
    place = serializers.IntegerField(help_text=_("place; equals share it"))
    total = hundredths(_("total"))
    parts = serializers.ListField(
        child=serializers.CharField(allow_blank=True),
        help_text=_("a text for each column; in brackets what does not count"),
    )


class PublicationSerializer(BriefPublicationSerializer):
    columns = serializers.ListField(
        child=serializers.CharField(allow_blank=True), help_text=_("what heads each column")
    )
    lines = PublishedLineSerializer(many=True, help_text=_("by place"))
