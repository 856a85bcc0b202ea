"""Official publications: a standing as it is, numbered and dated, for ever."""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from dataclasses import dataclass
from datetime import date, datetime
from decimal import Decimal
from enum import StrEnum
from typing import TypeAlias

from django.contrib.contenttypes.models import ContentType
from django.db import transaction
from django.db.models import Max
from django.utils import timezone
from django.utils.translation import gettext as _

from figf.errors import Refused
from figf.models import LogEntry, User
from rankings.models import Publication, PublicationLine
from rankings.services.standings import absolute_of, ranking_before, ranking_on, specialty_of
from tournaments.models import Event, Player, Season, Title
from tournaments.services import standing_of, struck_off


@dataclass(frozen=True, slots=True)
class Line:
    """What a publication says of a player: place, total in hundredths, a text for each column."""

    player: int
    place: int
    total: int
    parts: tuple[str, ...]


@dataclass(frozen=True, slots=True)
class Sheet:
    """A standing about to be published."""

    as_of: date
    columns: tuple[str, ...]
    lines: tuple[Line, ...]
    provisional: bool


# --- what is published ----------------------------------------------------------------------------


def sheet_of(
    kind: str,
    now: datetime,
    *,
    day: date | None = None,
    season: Season | None = None,
    title: Title | None = None,
    event: Event | None = None,
) -> Sheet:
    """The standing asked for, as it stands now; the ranking as it stood on a `day`.

    Who was struck off is in none, and the others keep their places. Refuses a standing that has
    nobody (`nobody_in_it`), a ranking of a day to come (`future_day`, H-08), and of an event one
    that is not closed (`event_open`, D-11).
    """
    if kind == Publication.Kind.RANKING and day is not None:
        if day > timezone.localdate(now):
            raise Refused("future_day", _("This day is still to come."), rule="H-08", field="day")
        sheet = _ranking(day)
    elif kind == Publication.Kind.ABSOLUTE and season is not None:
        sheet = _absolute(season)
    elif kind == Publication.Kind.SPECIALTY and season is not None and title is not None:
        sheet = _specialty(season, title)
    elif kind == Publication.Kind.EVENT and event is not None:
        sheet = _event(event)
    else:
        raise ValueError(f"{kind} of {day}, {season}, {title}, {event}")
    if sheet is None or not sheet.lines:
        raise Refused("nobody_in_it", _("Nobody is in this standing: there is nothing to publish."))
    return sheet


def _ranking(day: date) -> Sheet | None:
    page = ranking_on(day)
    if page.as_of is None:
        return None
    lines = []
    for row in page.rows:
        gives = {each.event.pk: str(each.worth) for each in row.contributions}
        parts = tuple(gives.get(event.pk, "") for event in page.window)
        lines.append(Line(row.player.pk, row.place, row.points * 100, parts))
    columns = tuple(f"{event.name} ({event.season.year})" for event in page.window)
    return Sheet(page.as_of, columns, tuple(lines), provisional=False)


def _absolute(season: Season) -> Sheet | None:
    page = absolute_of(season)
    if page.last is None:
        return None
    lines = []
    for each in page.rows:
        if each.player is None:
            continue
        row = each.row
        parts = tuple(
            "" if n in row.absent else f"({score})" if n == row.drop else str(score)
            for n, score in enumerate(row.scores)
        )
        lines.append(Line(each.player.pk, row.place, row.total * 100, parts))
    columns = tuple(event.name for event in page.events)
    return Sheet(page.last.ends_on, columns, tuple(lines), season.closed_at is None)


def _specialty(season: Season, title: Title) -> Sheet | None:
    page = specialty_of(season, title)
    if page.last is None:
        return None
    lines = []
    longest = max((len(e.row.counted) + len(e.row.discarded) for e in page.rows), default=0)
    for each in page.rows:
        if each.player is None:
            continue
        row = each.row
        parts = [f"{result.points:.2f}" for result in row.counted]
        parts += [f"({result.points:.2f})" for result in row.discarded]
        parts += [""] * (longest - len(parts))
        lines.append(Line(each.player.pk, row.place, _hundredths(row.total), tuple(parts)))
    columns = tuple(str(n) for n in range(1, longest + 1))
    return Sheet(page.last.ends_on, columns, tuple(lines), season.closed_at is None)


def _event(event: Event) -> Sheet:
    if event.status != Event.Status.CLOSED:
        raise Refused(
            "event_open",
            _("The standing of an event is published when it is closed and validated."),
            rule="D-11",
        )
    struck = struck_off()
    if event.imported:
        places = event.places.exclude(player__in=struck)
        lines = tuple(Line(p.player_id, p.place, p.points * 100, ()) for p in places)
        return Sheet(event.ends_on, (), lines, provisional=False)
    standing = standing_of(event, ranking_before(event.starts_on).points)
    rounds = [(prova, n) for prova in event.prove.order_by("order") for n in prova.numbers()]
    lines = tuple(
        Line(
            int(row.key),
            row.place,
            _hundredths(row.total),
            (
                *(_part(dict(row.points).get((prova.order, n))) for prova, n in rounds),
                str(standing.points.get(row.key, "")),
            ),
        )
        for row in standing.rows
        if int(row.key) not in struck
    )
    columns = tuple(
        f"{prova.title}" if prova.rounds == 1 else f"{prova.title}/{n}" for prova, n in rounds
    )
    return Sheet(event.ends_on, (*columns, ""), lines, provisional=False)


def _part(points: Decimal | None) -> str:
    return "" if points is None else f"{points:.2f}"


def _hundredths(total: Decimal) -> int:
    return int(total * 100)


# --- publishing -----------------------------------------------------------------------------------


@transaction.atomic
def publish(
    kind: str,
    by: User,
    now: datetime,
    *,
    day: date | None = None,
    season: Season | None = None,
    title: Title | None = None,
    event: Event | None = None,
    note: str = "",
) -> Publication:
    """Publish a standing as it is now: frozen, with the next number.

    Another publication of the same standing and of the same day is a correction of the one before,
    which stays readable. Locks the register of publications. Refuses what `sheet_of` refuses, and
    what is published already exactly so (`same_publication`).
    """
    sheet = sheet_of(kind, now, day=day, season=season, title=title, event=event)
    ContentType.objects.select_for_update(no_key=True).get(
        app_label="rankings", model="publication"
    )
    same = Publication.objects.filter(
        kind=kind, season=season, title=title, event=event, as_of=sheet.as_of
    )
    before = same.filter(replaced_by=None).first()
    if before is not None and _says(before, sheet):
        raise Refused(
            "same_publication",
            _("This standing is published already, as number %(n)d: nothing has changed.")
            % {"n": before.number},
        )
    number = 1 + (Publication.objects.aggregate(last=Max("number"))["last"] or 0)
    found = Publication.objects.create(
        number=number,
        kind=kind,
        season=season,
        title=title,
        event=event,
        as_of=sheet.as_of,
        columns=list(sheet.columns),
        provisional=sheet.provisional,
        note=note.strip(),
        by=by,
        at=now,
        replaces=before,
    )
    PublicationLine.objects.bulk_create(
        PublicationLine(
            publication=found,
            player_id=line.player,
            place=line.place,
            total=line.total,
            parts=list(line.parts),
        )
        for line in sheet.lines
    )
    LogEntry.objects.record(by, "publish_standing", found, now, number=number)
    return found


def _says(publication: Publication, sheet: Sheet) -> bool:
    return (
        lines_of(publication) == _sorted(sheet.lines)
        and publication.columns == list(sheet.columns)
        and publication.provisional == sheet.provisional
    )


def lines_of(publication: Publication) -> tuple[Line, ...]:
    """What it says, in the order of places and players."""
    return _sorted(
        Line(line.player_id, line.place, line.total, tuple(line.parts))
        for line in publication.lines.all()
    )


def _sorted(lines: Iterable[Line]) -> tuple[Line, ...]:
    return tuple(sorted(lines, key=lambda line: (line.place, line.player)))


@dataclass(frozen=True, slots=True)
class Change:
    """What a correction changed for a player: his line before and after; None is not there."""

    player: int
    before: Line | None
    after: Line | None


def changes(publication: Publication) -> list[Change]:
    """How it differs from the one that it corrects, from the top; empty if it corrects none."""
    if publication.replaces is None:
        return []
    old = {line.player: line for line in lines_of(publication.replaces)}
    new = {line.player: line for line in lines_of(publication)}
    players: list[int] = sorted(
        old.keys() | new.keys(), key=lambda pk: ((new.get(pk) or old[pk]).place, pk)
    )
    return [Change(pk, old.get(pk), new.get(pk)) for pk in players if old.get(pk) != new.get(pk)]


class PublicationState(StrEnum):
    """How a publication stands today."""

    CORRECTED = "corrected"  # another one corrects it
    PASSED = "passed"  # a later state of the same standing is published
    PROVISIONAL = "provisional"
    IN_FORCE = "in_force"


Standing: TypeAlias = tuple[str, int | None, int | None, int | None]


def latest_publications() -> dict[Standing, date]:
    """The last day of which each standing is published."""
    found: dict[Standing, date] = {}
    for each in Publication.objects.order_by("as_of"):
        found[_standing_of(each)] = each.as_of
    return found


def _standing_of(each: Publication) -> Standing:
    return each.kind, each.season_id, each.title_id, each.event_id


def state_of_publication(
    publication: Publication, latest: Mapping[Standing, date] | None = None
) -> PublicationState:
    """How it stands, beside those of the same standing (`latest_publications`)."""
    known = latest_publications() if latest is None else latest
    last = known.get(_standing_of(publication), publication.as_of)
    if hasattr(publication, "replaced_by"):
        return PublicationState.CORRECTED
    if last > publication.as_of:
        return PublicationState.PASSED
    return PublicationState.PROVISIONAL if publication.provisional else PublicationState.IN_FORCE


def named(publication: Publication) -> dict[int, Player]:
    """Its players by id, as they are called today; who was struck off is not among them (O-16)."""
    shown = [publication, publication.replaces] if publication.replaces else [publication]
    players = Player.objects.filter(publication_lines__publication__in=shown)
    struck = struck_off()
    return {p.pk: p for p in players.select_related("club").distinct() if p.pk not in struck}
