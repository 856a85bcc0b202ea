"""An event as one file, for a hall without internet: what it holds, and how it is written.

The file is JSON and speaks of nothing by a database's number: events and players by their keys,
titles by code, clubs by name, tables and seats by their numbers. It holds no e-mail address and no
log-in: who confirmed a result here is nobody where the file is read.

`state` is the SHA-256 of how the event was played: prove, roll call, rounds with their tables and
results, removals. `known` are the states that whoever wrote the file had met, by a file sent or
read: who stands at one of them has written nothing since, and may take the file in.
"""

from __future__ import annotations

import hashlib
import json
from collections.abc import Iterable, Iterator, Mapping
from dataclasses import dataclass
from datetime import UTC, date, datetime
from decimal import Decimal
from typing import Any

from django.conf import settings
from django.db import transaction
from django.db.models import Exists, OuterRef, Q
from django.utils.translation import gettext as _

from figf.errors import Refused
from figf.models import LogEntry, User
from tournaments.models import (
    Club,
    Entry,
    Event,
    EventFile,
    Holder,
    Player,
    Prova,
    Removal,
    Result,
    ResultLine,
    Round,
    Seat,
    Table,
    Title,
)
from tournaments.services.refusals import refuse_imported

FORMAT, VERSION = "figf-event", 1
IN_PLAY = ("prove", "called", "rounds", "removals")  # what the state of an event is made of

Json = dict[str, Any]


def canonical(value: object) -> bytes:
    """JSON written in one way only, so that the same content has the same digest everywhere."""
    return json.dumps(value, sort_keys=True, separators=(",", ":")).encode()


def digest(value: object) -> str:
    return hashlib.sha256(canonical(value)).hexdigest()


def moment(at: datetime | None) -> str | None:
    return None if at is None else at.astimezone(UTC).isoformat()


def day(on: date | None) -> str | None:
    return None if on is None else on.isoformat()


def amount(value: Decimal | None) -> str | None:
    return None if value is None else str(value)


# --- writing --------------------------------------------------------------------------------------


@transaction.atomic
def event_file(
    event: Event,
    ranking: Mapping[int, int],
    ranking_as_of: date | None,
    by: User,
    now: datetime,
) -> Json:
    """The event as it stands, to be read by another installation; that it left is written down.

    `ranking` has the points by player with which the event is seated, as they stood on
    `ranking_as_of`.

    Locks the event. Refuses a cup, which is formed on its own page (`is_cup`), an event of the
    history (`imported`, H-09) and one that is not held (`event_off`).
    """
    event = (
        Event.objects.select_for_update(of=("self",), no_key=True)
        .select_related("season", "director")
        .get(pk=event.pk)
    )
    refuse_unfit(event)
    names = keys_of_players()
    play = play_of(event, names)
    state = digest(play)
    EventFile.objects.create(event=event, way=EventFile.Way.OUT, state=state, by=by, at=now)
    LogEntry.objects.record(by, "export_event", event, now, state=state)
    entries = _entries(event, names)
    points = sorted([names[pk], total] for pk, total in ranking.items())
    used = set(_players_in(play))
    used |= {entry["player"] for entry in entries} | {names[pk] for pk in ranking}
    if event.director_id is not None:
        used.add(names[event.director_id])
    players = _players(used, names, event.starts_on)
    told: Json = {
        "format": FORMAT,
        "version": VERSION,
        "site": settings.SITE_URL,
        "written_at": moment(now),
        "state": state,
        "known": sorted({state, *event.files.values_list("state", flat=True)}),
        "event": _event(event, names),
        "titles": _titles(event),
        "clubs": _clubs({player["club"] for player in players}),
        "players": players,
        "ranking": {"as_of": day(ranking_as_of), "points": points},
        "entries": entries,
        **{part: play[part] for part in IN_PLAY if part != "called"},
    }
    return {**told, "digest": digest(told)}


def refuse_unfit(event: Event) -> None:
    """Refuse an event that no file holds: a cup, one of the history, one that is not held."""
    refuse_imported(event)
    if event.kind == Event.Kind.CUP:
        raise Refused(
            "is_cup", _("A cup is formed on its own page, and does not travel as a file.")
        )
    if event.is_off():
        raise Refused("event_off", _("This event is not held: there is nothing to play."))


def keys_of_players() -> dict[int, str]:
    """By what a file calls each player: his key, or that of whom he was merged into."""
    rows = list(Player.objects.values_list("pk", "key", "merged_into_id"))
    own = {pk: str(key) for pk, key, _into in rows}
    kept = {pk: into for pk, _key, into in rows if into}

    def root(pk: int) -> int:
        return root(kept[pk]) if pk in kept else pk

    return {pk: own[root(pk)] for pk in own}


def play_of(event: Event, names: Mapping[int, str]) -> Json:
    """How the event was played, with the players called as `names` calls them."""
    prove = list(event.prove.select_related("title").order_by("order"))
    called = event.entries.exclude(present=None).order_by("pk")
    return {
        "prove": [_prova(prova) for prova in prove],
        "called": called_in(_entry(entry, names, ()) for entry in called),
        "rounds": [_round(seated, names) for seated in _rounds(event)],
        "removals": [_removal(each, names) for each in removals_in(event)],
    }


def called_in(entries: Iterable[Json]) -> list[Json]:
    """The roll call alone: of the state of an event, since it is what the tables are made from."""
    told = ("player", "present", "from_round", "until_round")
    called = [e for e in entries if e["present"] is not None]
    return sorted(
        ({name: entry[name] for name in told} for entry in called), key=lambda e: str(e["player"])
    )


def _event(event: Event, names: Mapping[int, str]) -> Json:
    return {
        "key": str(event.key),
        "year": event.season.year,
        "contribution": amount(event.season.contribution),
        "ordinal": event.ordinal,
        "name": event.name,
        "kind": str(event.kind),
        "regulation": event.regulation,
        "status": str(event.status),
        "town": event.town,
        "region": event.region,
        "venue": event.venue,
        "starts_on": day(event.starts_on),
        "ends_on": day(event.ends_on),
        "organiser": event.organiser,
        "director": None if event.director_id is None else names[event.director_id],
        "fee": amount(event.fee),
        "capacity": event.capacity,
        "enrolment_closes_at": moment(event.enrolment_closes_at),
    }


def _titles(event: Event) -> list[Json]:
    played = Title.objects.filter(pk__in=event.prove.values("title"))
    brought = Title.objects.filter(pk__in=event.entries.values("copies"))
    return [
        {
            "code": title.code,
            "name": title.name,
            "min_players": title.min_players,
            "max_players": title.max_players,
            "active_from": day(title.active_from),
            "active_to": day(title.active_to),
            "specialty": title.specialty,
            "cup_title": title.cup_title,
        }
        for title in (played | brought).distinct().order_by("code")
    ]


def _clubs(names: set[str]) -> list[Json]:
    found = Club.objects.filter(name__in=names).order_by("name")
    return [{"name": club.name, "town": club.town} for club in found]


def _players(used: set[str], names: Mapping[int, str], first_day: date) -> list[Json]:
    """Whom the file speaks of, and the referees, of whom a hall may need another."""
    people = Player.objects.filter(merged_into=None).select_related("club")
    people = people.prefetch_related("referee_terms", "other_keys", "absorbed")
    return sorted(
        (
            {
                "key": str(player.key),
                "other_keys": sorted(
                    {str(other.key) for other in player.other_keys.all()}
                    | {str(gone.key) for gone in player.absorbed.all()}
                ),
                "surname": player.surname,
                "name": player.name,
                "club": player.club.name if player.club else "",
                "town": player.town,
                "nationality": player.nationality,
                "terms": sorted(
                    [day(term.starts_on), day(term.ends_on)] for term in player.referee_terms.all()
                ),
            }
            for player in people
            if names[player.pk] in used or _may_referee(player, first_day)
        ),
        key=lambda told: str(told["key"]),
    )


def _may_referee(player: Player, first_day: date) -> bool:
    return player.forgotten_at is None and player.is_referee(first_day)


def _entries(event: Event, names: Mapping[int, str]) -> list[Json]:
    found = event.entries.prefetch_related("copies").order_by("enrolled_at", "pk")
    return [
        _entry(each, names, sorted(title.code for title in each.copies.all())) for each in found
    ]


def _entry(entry: Entry, names: Mapping[int, str], copies: Iterable[str]) -> Json:
    return {
        "player": names[entry.player_id],
        "status": str(entry.status),
        "from_round": entry.from_round,
        "until_round": entry.until_round,
        "enrolled_at": moment(entry.enrolled_at),
        "present": entry.present,
        "paid": entry.paid,
        "note": entry.note,
        "copies": list(copies),
    }


def _prova(prova: Prova) -> Json:
    return {"order": prova.order, "title": prova.title.code, "rounds": prova.rounds}


def _rounds(event: Event) -> Iterable[Round]:
    found = Round.objects.filter(prova__event=event).with_seating()
    return found.order_by("prova__order", "number")


def _round(seated: Round, names: Mapping[int, str]) -> Json:
    return {
        "prova": seated.prova.order,
        "number": seated.number,
        "status": str(seated.status),
        "starts_at": moment(seated.starts_at),
        "published_at": moment(seated.published_at),
        "order_used": [names[pk] for pk in seated.order_used],
        "ranking_as_of": day(seated.ranking_as_of),
        "sizes_step": seated.sizes_step,
        "sizes_reason": seated.sizes_reason,
        "provisional": seated.provisional,
        "edition": seated.edition,
        "tables": [_table(table, names) for table in seated.tables.all()],
    }


def _table(table: Table, names: Mapping[int, str]) -> Json:
    return {
        "number": table.number,
        "referee": None if table.referee_id is None else names[table.referee_id],
        "referee_reason": table.referee_reason,
        "status": str(table.status),
        "started_at": moment(table.started_at),
        "exclusion": table.exclusion,
        "exclusion_reason": table.exclusion_reason,
        "seats": [_seat(seat, names) for seat in table.seats.all()],
        "results": [_result(result, names) for result in table.results.all()],
    }


def _seat(seat: Seat, names: Mapping[int, str]) -> Json:
    return {
        "position": seat.position,
        "why": seat.why,
        "handicap": seat.handicap,
        "handicap_reason": seat.handicap_reason,
        "holders": [_holder(holder, names) for holder in seat.holders.all()],
    }


def _holder(holder: Holder, names: Mapping[int, str]) -> Json:
    return {
        "player": None if holder.player_id is None else names[holder.player_id],
        "why": str(holder.why),
        "starts_at": moment(holder.starts_at),
        "ends_at": moment(holder.ends_at),
    }


def _result(result: Result, names: Mapping[int, str]) -> Json:
    lines = sorted(result.lines.all(), key=lambda line: line.seat.position)
    return {
        "version": result.version,
        "state": str(result.state),
        "at": moment(result.at),
        "entered": result.entered_by_id is not None,
        "reason": result.reason,
        "exclusion": result.exclusion,
        "source": result.source,
        "replayed": result.replayed,
        "lines": [_line(line, names) for line in lines],
    }


def _line(line: ResultLine, names: Mapping[int, str]) -> Json:
    return {
        "seat": line.seat.position,
        "player": None if line.player_id is None else names[line.player_id],
        "role": str(line.role),
        "facts": line.facts,
        "total": line.total,
        "handicap": line.handicap,
        "place": line.place,
        "points": line.points,
        "win": line.win,
    }


def removals_in(event: Event) -> list[Removal]:
    """Who was taken out of the event, of a prova or of a game of it, in the order of the rulings.

    Those of a championship or of everything are of the federation, and stay where they are.
    """
    found = [
        *Removal.objects.filter(event=event),
        *Removal.objects.filter(prova__event=event).select_related("prova"),
        *Removal.objects.filter(table__round__prova__event=event).select_related(
            "table__round__prova"
        ),
    ]
    return sorted(found, key=lambda removal: (removal.made_at, removal.pk))


def _removal(removal: Removal, names: Mapping[int, str]) -> Json:
    table = removal.table
    prova = table.round.prova if table else removal.prova
    return {
        "player": names[removal.player_id],
        "level": str(removal.level),
        "prova": prova.order if prova else None,
        "round": table.round.number if table else None,
        "table": table.number if table else None,
        "ruling": removal.ruling,
        "made_at": moment(removal.made_at),
        "lifted_at": moment(removal.lifted_at),
    }


def _players_in(play: Json) -> Iterator[str]:
    """Whom the tables and the removals speak of."""
    for seated in play["rounds"]:
        yield from seated["order_used"]
        for table in seated["tables"]:
            people = [table["referee"]]
            people += [h["player"] for seat in table["seats"] for h in seat["holders"]]
            people += [ln["player"] for result in table["results"] for ln in result["lines"]]
            yield from (key for key in people if key is not None)
    yield from (removal["player"] for removal in play["removals"])


# --- what left ------------------------------------------------------------------------------------


@dataclass(frozen=True, slots=True)
class Travels:
    """The files of an event, the last first; `away` is the one that has not come back.

    `origin` is the site that the event came from in its first file, empty where it began here.
    """

    files: tuple[EventFile, ...]
    away: EventFile | None
    origin: str


def travels_of(event: Event) -> Travels:
    """Which files of the event left and came, and whether it is in a hall now.

    Only where it began: the installation that has it from a file waits for nothing, nor does one
    where the event is over, has all its results or is not held.
    """
    files = tuple(event.files.select_related("by"))
    left = bool(files) and {files[0].way, files[-1].way} == {EventFile.Way.OUT}
    origin = files[-1].site if files and files[-1].way == EventFile.Way.IN else ""
    return Travels(files, files[0] if left and _waits(event) else None, origin)


def _waits(event: Event) -> bool:
    """Whether anything of the event is still to be played."""
    if event.is_off() or event.status in {Event.Status.CONCLUDED, Event.Status.CLOSED}:
        return False
    reported = Q(status=Round.Status.PUBLISHED) & ~Exists(
        Table.objects.filter(round=OuterRef("pk"), status=Table.Status.PLAYING)
    )
    done = Round.objects.filter(reported, prova__event=event).count()
    return done == 0 or done < sum(event.prove.values_list("rounds", flat=True))


@transaction.atomic
def keep_event_here(event: Event, by: User, now: datetime) -> EventFile:
    """Write that the event stayed here after all: no file of it is waited for any more.

    Locks the event. Refuses one that is not away (`not_away`). A file that comes back all the same
    is taken in as any other, as long as nothing was written here.
    """
    event = Event.objects.select_for_update(of=("self",), no_key=True).get(pk=event.pk)
    if travels_of(event).away is None:
        raise Refused("not_away", _("This event is in no hall: no file of it is waited for."))
    state = digest(play_of(event, keys_of_players()))
    LogEntry.objects.record(by, "keep_event_here", event, now, state=state)
    return EventFile.objects.create(event=event, way=EventFile.Way.IN, state=state, by=by, at=now)
