"""The end of a season: champions are proclaimed, and its standings are kept as they are."""

from __future__ import annotations

from dataclasses import dataclass
from datetime import datetime

from django.db import transaction
from django.utils import timezone
from django.utils.translation import gettext as _

from figf.errors import Refused
from figf.models import LogEntry, User
from rankings.models import Cup, Honour
from rankings.rules import absolute, specialty, two_years
from rankings.rules.two_years import Moment
from rankings.services.ledger import DAY, Ledger, ledger
from rankings.services.standings import absolute_of, specialties, specialties_of
from tournaments import services as tournaments
from tournaments.models import Event, EventPlace, Player, Season, Title

# --- closing --------------------------------------------------------------------------------------


@transaction.atomic
def close_season(season: Season, by: User, now: datetime) -> Season:
    """Close a season: its champions are proclaimed (E-10, F-08), and its places written down.

    Locks the season. Refuses a season that is closed (`already_closed`), one with events still to
    be closed (`events_open`, F-08) or without any (`season_empty`, F-08), and one that comes after
    a season still open (`earlier_open`, F-08), whose results would change its ranking.
    """
    season = Season.objects.select_for_update(no_key=True).get(pk=season.pk)
    if season.closed_at is not None:
        raise Refused("already_closed", _("This season is closed already."), rule="F-08")
    book = ledger({season.year}, credited={season.year})
    _refuse_open(season, book)
    _proclaim(season, book, by, now)
    closed = Event.objects.official().filter(season=season, status=Event.Status.CLOSED)
    for event in closed.select_related("season").prefetch_related("prove"):
        tournaments.keep_places(event, _before(event, book))
    season.closed_at = now
    season.save(update_fields=["closed_at"])
    LogEntry.objects.record(by, "close_season", season, now)
    return season


def _refuse_open(season: Season, book: Ledger) -> None:
    editions = book.of_season(season.year)
    waiting = [book.events[int(each.key)].name for each in editions if each.held == "open"]
    if waiting:
        raise Refused(
            "events_open",
            _("Champions are proclaimed when all the events planned are closed: %(events)s.")
            % {"events": ", ".join(waiting)},
            rule="F-08",
        )
    if not any(each.held == "closed" for each in editions):
        raise Refused("season_empty", _("No event of this season was closed."), rule="F-08")
    earlier = Season.objects.filter(year__lt=season.year, closed_at=None)
    held = earlier.filter(events__in=Event.objects.official().filter(status=Event.Status.CLOSED))
    if first := held.order_by("year").first():
        raise Refused(
            "earlier_open",
            _("The season of %(year)d is still open: close that one first.") % {"year": first.year},
            rule="F-08",
        )


def _proclaim(season: Season, book: Ledger, by: User, now: datetime) -> None:
    """Write the champions, but for those that are written by hand already."""
    known = set(season.honours.values_list("award", "title", "player"))
    honours = [
        Honour(season=season, award=_award(title), title=title, player_id=player, by=by, at=now)
        for title, players in _champions(season, book)
        for player in players
    ]
    Honour.objects.bulk_create(
        each for each in honours if (each.award, each.title_id, each.player_id) not in known
    )


def _award(title: Title | None) -> str:
    return Honour.Award.ABSOLUTE if title is None else Honour.Award.SPECIALTY


def _champions(season: Season, book: Ledger) -> list[tuple[Title | None, list[int]]]:
    """The absolute (None), then each title, with who is champion if the season ends as it stands.

    Of several who are level by every criterion, all (G-07); nobody of a title not played (E-06).
    """
    rows = [each.row for each in absolute_of(season, book=book).rows]
    found: list[tuple[Title | None, list[int]]] = [
        (None, [int(key) for key in absolute.champions(rows, closed=True)])
    ]
    for page in specialties(season, specialties_of(season), book).values():
        standing = [each.row for each in page.rows]
        keys = specialty.champions(standing, closed=True)
        found.append((page.title, [int(key) for key in keys]))
    return found


@dataclass(frozen=True, slots=True)
class Closing:
    """What the close of a season would bring: champions, vacant titles, what leaves the ranking.

    `refusal` says why it cannot be closed.
    """

    champions: tuple[tuple[Title | None, tuple[Player, ...]], ...]
    vacant: tuple[Title, ...]
    leaving: tuple[Event, ...]
    refusal: Refused | None


def closing_of(season: Season, now: datetime) -> Closing:
    """What its close would bring, if it were now. Writes nothing."""
    book = ledger({season.year}, credited={season.year})
    refusal = None
    try:
        _refuse_open(season, book)
    except Refused as refused:
        refusal = refused
    champions = _champions(season, book)
    people = Player.objects.in_bulk({pk for _title, keys in champions for pk in keys})
    struck = tournaments.struck_off()
    found = tuple(
        (title, tuple(people[pk] for pk in keys if pk not in struck))
        for title, keys in champions
        if keys
    )
    vacant = tuple(title for title, keys in champions if title is not None and not keys)
    today = Moment(timezone.localdate(now))
    stays = two_years.window(book.calendar, {**book.closes, season.year: today.day}, today)
    goes = [key for key in two_years.window(book.calendar, book.closes, today) if key not in stays]
    leaving = tuple(book.events[int(key)] for key in goes)
    return Closing(found, vacant, leaving, refusal)


@transaction.atomic
def reopen_season(season: Season, reason: str, by: User, now: datetime) -> Season:
    """Open a closed season again, to correct something: its champions are proclaimed no more.

    What was written by hand stays. Locks the season. Refuses one that is open (`not_closed`), one
    before a closed season (`later_closed`, F-08) and no reason (`reason_missing`).
    """
    season = Season.objects.select_for_update(no_key=True).get(pk=season.pk)
    if season.closed_at is None:
        raise Refused("not_closed", _("This season is open already."), rule="F-08")
    later = Season.objects.filter(year__gt=season.year).exclude(closed_at=None)
    if last := later.order_by("-year").first():
        raise Refused(
            "later_closed",
            _("The season of %(year)d is closed: open that one first.") % {"year": last.year},
            rule="F-08",
        )
    if not reason.strip():
        raise Refused(
            "reason_missing",
            _("Say why the season is opened again."),
            rule="F-08",
            field="reason",
        )
    EventPlace.objects.filter(event__season=season, event__imported=False).delete()
    computed = (Honour.Award.ABSOLUTE, Honour.Award.SPECIALTY)
    season.honours.filter(award__in=computed, by_hand=False).delete()
    season.closed_at = None
    season.save(update_fields=["closed_at"])
    LogEntry.objects.record(by, "reopen_season", season, now, reason=reason.strip())
    return season


def differences() -> list[str]:
    """How what closed seasons keep differs from what their results give now; none is right."""
    book = ledger()
    kept = Event.objects.official().filter(
        status=Event.Status.CLOSED, imported=False, season__closed_at__isnull=False
    )
    return [
        line
        for event in kept.select_related("season").order_by("starts_on", "pk")
        for line in tournaments.differences(event, _before(event, book))
    ]


def _before(event: Event, book: Ledger) -> dict[int, int]:
    """The ranking of before an event, which tells equals apart in it (G-03)."""
    found = book.ranking(Moment(event.starts_on - DAY))
    return {int(key): points for key, points in found.items()}


# --- the roll of honour ---------------------------------------------------------------------------


@transaction.atomic
def record_honour(
    season: Season,
    award: str,
    player: Player,
    by: User,
    now: datetime,
    *,
    title: Title | None = None,
    note: str = "",
) -> Honour:
    """Write by hand who has a title of a season: of the history, or as the federation decided.

    Locks the season. Refuses a season still open (`season_open`, E-10), a specialty without its
    title, or the title of something else (`title_missing`, E-01), what a standing or a cup of the
    site decides (`not_by_hand`), what is written already (`already_written`), and a second champion
    without a note (`reason_missing`).
    """
    season = Season.objects.select_for_update(no_key=True).get(pk=season.pk)
    if award not in (Honour.Award.ABSOLUTE, Honour.Award.SPECIALTY, Honour.Award.SUPERCOPPA):
        raise Refused(
            "not_by_hand", _("This award is not written by hand."), rule="A-13", field="award"
        )
    if season.closed_at is None:
        raise Refused(
            "season_open",
            _("Champions are proclaimed when the season of %(year)d is closed.")
            % {"year": season.year},
            rule="E-10" if award == Honour.Award.SPECIALTY else "F-08",
            field="season",
        )
    if (award == Honour.Award.SPECIALTY) != (title is not None):
        raise Refused(
            "title_missing",
            _("Say which title, and only for a specialty."),
            rule="E-01",
            field="title",
        )
    if season.honours.filter(award=award, title=title, player=player).exists():
        raise Refused(
            "already_written",
            _("%(player)s is written there already.") % {"player": player},
            rule="A-13",
            field="player",
        )
    _refuse_second(season, award, title, note)
    honour = Honour.objects.create(
        season=season,
        award=award,
        title=title,
        player=player,
        by_hand=True,
        note=note.strip(),
        by=by,
        at=now,
    )
    LogEntry.objects.record(by, "record_honour", season, now, honour=honour.pk, player=player.pk)
    return honour


def _refuse_second(season: Season, award: str, title: Title | None, note: str) -> None:
    """Refuse whom a standing or a cup has not made champion, and a second one without a reason."""
    others = list(season.honours.filter(award=award, title=title).select_related("player"))
    cup = season.cups.filter(kind=Cup.Kind.SUPERCOPPA)
    if any(not each.by_hand for each in others) or (award == Honour.Award.SUPERCOPPA and cup):
        raise Refused(
            "not_by_hand",
            _("This title is awarded by the site: its standing, or its cup, says to whom."),
            rule="A-13",
            field="award",
        )
    if others and not note.strip():
        raise Refused(
            "reason_missing",
            _("%(player)s has it already: write in the note why there are two.")
            % {"player": others[0].player},
            rule="A-13",
            field="note",
        )


@transaction.atomic
def withdraw_honour(honour: Honour, by: User, now: datetime) -> None:
    """Take back what was written by hand. Refuses what the site proclaimed (`not_by_hand`)."""
    found = Honour.objects.select_for_update(of=("self",), no_key=True).filter(pk=honour.pk).first()
    if found is None:
        raise Refused("stale", _("This line is not there any more."))
    if not found.by_hand:
        raise Refused(
            "not_by_hand",
            _("This champion was proclaimed with the season: open the season again instead."),
            rule="F-08",
        )
    LogEntry.objects.record(by, "withdraw_honour", found.season, now, player=found.player_id)
    found.delete()


@dataclass(frozen=True, slots=True)
class EventWinners:
    """Who won an event of the roll: several if they were level; None is one struck off."""

    event: Event
    players: tuple[Player | None, ...]


@dataclass(frozen=True, slots=True)
class SeasonRoll:
    """A season of the roll of honour: its champions, and the titles that nobody has."""

    season: Season
    honours: tuple[Honour, ...]
    vacant: tuple[Title, ...]
    winners: tuple[EventWinners, ...]


def roll_of_honour() -> list[SeasonRoll]:
    """The seasons from the last back, with whoever won something (A-13, D-10).

    In as many queries for one season as for twenty.
    """
    book = ledger()
    struck = tournaments.struck_off()
    firsts = {
        int(event): [int(p) for p, outcome in outcomes.items() if outcome.place == 1]
        for event, outcomes in book.outcomes.items()
    }
    people = Player.objects.in_bulk({pk for winners in firsts.values() for pk in winners})
    honours: dict[int, list[Honour]] = {}
    for each in Honour.objects.select_related(
        "title", "player", "team__cup__event"
    ).prefetch_related("team__members__player"):
        if each.player_id in struck:
            each.player = None
        honours.setdefault(each.season_id, []).append(each)
    titles = list(Title.objects.filter(specialty=True))
    found = []
    for season in Season.objects.order_by("-year"):
        events = [book.events[int(e.key)] for e in book.of_season(season.year)]
        winners = tuple(
            EventWinners(
                event, tuple(None if pk in struck else people[pk] for pk in firsts[event.pk])
            )
            for event in events
            if firsts.get(event.pk)
        )
        his = tuple(honours.get(season.pk, ()))
        awarded = {each.title_id for each in his}
        vacant = tuple(t for t in titles if t.pk not in awarded) if season.closed_at else ()
        if his or winners:
            found.append(SeasonRoll(season, his, vacant, winners))
    return found
