"""The file of an event taken in: people, titles, event, rounds, and the ranking that seats it."""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass
from datetime import date, datetime, timedelta
from types import MappingProxyType
from typing import Any

from django.db import DataError, IntegrityError, transaction
from django.db.models import Q
from django.utils import timezone
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
    PlayerKey,
    Prova,
    RefereeTerm,
    Removal,
    Result,
    ResultLine,
    Round,
    Season,
    Seat,
    Table,
    Title,
)
from tournaments.rules import names
from tournaments.rules.regulation import Illegal, places
from tournaments.services.event_file_checks import (
    SOMEBODY_NEW,
    Chosen,
    FileReport,
    JudgedPerson,
    Likeness,
    People,
    amended,
    brought_rankings,
    called_there,
    check_event_file,
    copies_brought,
    event_here,
    proposed,
    status_of,
)
from tournaments.services.event_file_docs import EventDoc, bad_file
from tournaments.services.event_files import Json, digest, play_of, removals_in
from tournaments.services.events import FIELDS, lock_seasons, next_ordinal, refuse_senseless
from tournaments.services.history import PastPlace, record_past_event, remove_past_event
from tournaments.services.registry import (
    appoint_referee,
    lock_players,
    register_club,
    register_title,
    write_player,
)
from tournaments.services.results import role_of, scores_of
from tournaments.services.seasons import open_season

YEARS = 2  # how long an event counts in the ranking (H-03)


@dataclass(frozen=True, slots=True)
class FileImport:
    """What an import did: `nothing` if all of it was here already."""

    event: Event
    created: bool
    registered: int
    rounds: int
    nothing: bool


# --- taking it in ---------------------------------------------------------------------------------


@transaction.atomic
def import_event_file(
    doc: EventDoc,
    by: User,
    now: datetime,
    *,
    chosen: Chosen = MappingProxyType({}),
    seen: Sequence[str] | None = None,
    instead: str = "",
) -> FileImport:
    """Write what the file brings, whole or not at all; what is here already is not written again.

    `chosen` says, by key of the file, who is which player here, or `SOMEBODY_NEW`; `seen` is the
    fingerprint of the report that was read. Where rounds, results or roll call were written here
    meanwhile they give way only if `instead` says why the file counts, which the log keeps; who
    enrolled here stays enrolled. An event that is not here is made, with season, titles and people
    that are missing, and the ranking that seats it, as one event of the history, where there is no
    other. Of an event that is here, enrolments and rounds become those of the file; its name, days,
    place and director stay. Who wrote each thing there is nobody here: it is by the importer. No
    mail is sent. The event is never closed.

    Locks the season, the event, its tables, then the register of players and who is in the file.
    Refuses when the event has changed since the report (`event_changed`) or the books have
    (`books_changed`), when somebody is still to be chosen (`choose_player`), two people of the file
    who would be one here (`same_player`), a closed season (`season_closed`, F-08), an event that is
    closed here (`event_closed`, A-15), of another season (`other_season`), kind or regulation
    (`other_regulation`), of the history or not held, whose rounds were written here meanwhile
    (`changed_here`, unless `instead` says why) or later than the file (`file_older`), a result that
    the regulation counts otherwise (`result_differs`), and what `create_event` refuses of a new
    one.
    """
    event = _lock(doc, chosen)
    report, instead = check_event_file(doc, chosen), " ".join(instead.split())
    if report.refusal is not None and not (report.contested and instead):
        raise report.refusal
    _refuse_changed(report, seen)
    _refuse_choices(report, chosen)
    if report.event is not None and report.nothing:
        return FileImport(report.event, created=False, registered=0, rounds=0, nothing=True)
    try:
        with transaction.atomic():
            return _import(doc, event, report, chosen, by, now, instead)
    except (DataError, IntegrityError):
        raise bad_file(doc.event["name"]) from None


def _lock(doc: EventDoc, chosen: Chosen) -> Event | None:
    """The event under the locks of its season, of itself and of its tables, if it is here.

    Then those of the register and of who is in the file: nobody is merged away meanwhile.
    """
    keys = Season.objects.filter(year=doc.event["year"]).values_list("pk", flat=True)
    lock_seasons(*keys)
    locked = Event.objects.select_for_update(of=("self",), no_key=True)
    locked.filter(key=doc.event["key"]).first()
    tables = Table.objects.filter(round__prova__event__key=doc.event["key"]).order_by("pk")
    list(tables.select_for_update(of=("self",), no_key=True).values_list("pk"))
    lock_players()
    told = {key for person in doc.players for key in (person["key"], *person["other_keys"])}
    known = Q(key__in=told) | Q(other_keys__key__in=told) | Q(pk__in=set(chosen.values()))
    players = Player.objects.filter(pk__in=Player.objects.filter(known).values("pk"))
    list(players.select_for_update(of=("self",), no_key=True).order_by("pk").values_list("pk"))
    return event_here(doc)


def _refuse_changed(report: FileReport, seen: Sequence[str] | None) -> None:
    """Refuse what is not the report that was read any more."""
    if seen is None or list(seen) == report.fingerprint:
        return
    if seen[0] != report.fingerprint[0]:
        raise Refused(
            "event_changed",
            _(
                "Rounds, results or the roll call of the event were written here while you looked, "
                "and nothing was imported: below is what the import would do now."
            ),
        )
    raise Refused(
        "books_changed",
        _(
            "Somebody on the books, or the ranking, changed while you looked, and nothing was "
            "imported: below is what the import would do now."
        ),
    )


def _refuse_choices(report: FileReport, chosen: Chosen) -> None:
    """Refuse while somebody is still to be said who he is, and two who would be one."""
    taken: dict[int, JudgedPerson] = {}
    for each in report.people:
        pick = chosen.get(each.key)
        if each.choice and pick != SOMEBODY_NEW and pick not in {p.pk for p in each.players}:
            raise Refused(
                "choose_player",
                _("Say who %(person)s is here.") % {"person": each},
                field=f"player-{each.key}",
            )
    for key, player in proposed(report.people, chosen).items():
        each = next(judged for judged in report.people if judged.key == key)
        other = taken.setdefault(player.pk, each)
        if other.key != key:
            raise Refused(
                "same_player",
                _("%(one)s and %(other)s of the file would both be %(player)s.")
                % {"one": other, "other": each, "player": player},
                field=f"player-{key}",
            )


def _import(
    doc: EventDoc,
    event: Event | None,
    report: FileReport,
    chosen: Chosen,
    by: User,
    now: datetime,
    instead: str,
) -> FileImport:
    people, registered = _write_people(doc, report, chosen, by, now)
    titles = _write_titles(doc, by, now)
    created = event is None
    if event is None:
        event = _create(doc, people, by, now)
    else:
        status = status_of(doc, event)
        if status != event.status:
            event.status = status
            event.save(update_fields=["status"])
    _write_entries(doc, event, people, titles)
    rounds = 0
    if created or report.replaces:
        _clear(event)
        _uncall_others(event, people, doc)
        _write_prove(doc, event, titles)
        rounds = len(doc.rounds)
        _write_rounds(doc, event, people, by)
        _write_removals(doc, event, people, by)
        _refuse_other_points(event)
        if digest(play_of(event, called_there(people))) != doc.state:
            raise bad_file(doc.event["name"])
    if report.ranking:
        _write_ranking(doc, people, by, now)
    EventFile.objects.create(
        event=event, way=EventFile.Way.IN, state=doc.state, site=doc.site, by=by, at=now
    )
    LogEntry.objects.record(
        by,
        "import_event",
        event,
        now,
        site=doc.site,
        written_at=doc.written_at.isoformat(),
        state=doc.state,
        created=created,
        rounds=rounds,
        registered=registered,
        **({"reason": instead} if report.contested else {}),
    )
    return FileImport(event, created, registered, rounds, nothing=False)


# --- people, titles, clubs ------------------------------------------------------------------------


def _write_people(
    doc: EventDoc, report: FileReport, chosen: Chosen, by: User, now: datetime
) -> tuple[People, int]:
    """Everybody of the report as a player here, registered if need be; and how many were.

    Whoever was said to be the same as somebody here is called by his key of the file too.
    """
    people = proposed(report.people, chosen)
    told = {player["key"]: player for player in doc.players}
    clubs = {names.letters(club.name): club for club in Club.objects.all()}
    towns = {club["name"]: club["town"] for club in doc.clubs}
    registered = 0
    for each in report.people:
        person = told[each.key]
        if each.key not in people:
            name = person["club"]
            if name and names.letters(name) not in clubs:
                clubs[names.letters(name)] = register_club(name, towns.get(name, ""), by, now)
            people[each.key] = _register(person, clubs.get(names.letters(name)), by, now)
            registered += 1
        elif each.likeness != Likeness.KEY:
            _know_as(people[each.key], (each.key, *person["other_keys"]))
    if report.event is None:
        _write_terms(doc, people, by, now)
    return people, registered


def _register(person: Json, club: Club | None, by: User, now: datetime) -> Player:
    player = write_player(
        person["surname"],
        person["name"],
        by,
        now,
        club,
        person["town"],
        person["nationality"],
        "",
    )
    Player.objects.filter(pk=player.pk).update(key=person["key"])
    _know_as(player, person["other_keys"])
    for starts_on, ends_on in person["terms"]:
        appoint_referee(player, starts_on, by, now, ends_on=ends_on)
    return player


def _know_as(player: Player, keys: Iterable[str]) -> None:
    for key in keys:
        if not Player.objects.filter(key=key).exists():
            PlayerKey.objects.get_or_create(key=key, defaults={"player": player})


def _write_terms(doc: EventDoc, people: People, by: User, now: datetime) -> None:
    """Of an event that comes here, its referees are referees here too (M-01)."""
    day = doc.event["starts_on"]
    for person in doc.players:
        player = people.get(person["key"])
        if player is None or player.is_referee(day):
            continue
        for starts_on, ends_on in person["terms"]:
            term = RefereeTerm(player=player, starts_on=starts_on, ends_on=ends_on)
            if term.covers(day):
                appoint_referee(player, starts_on, by, now, ends_on=ends_on)


def _write_titles(doc: EventDoc, by: User, now: datetime) -> dict[str, Title]:
    titles = {title.code: title for title in Title.objects.all()}
    for told in doc.titles:
        if told["code"] not in titles:
            title = register_title(
                told["code"],
                told["name"],
                told["min_players"],
                told["max_players"],
                by,
                now,
                cup_title=told["cup_title"],
            )
            for field in ("active_from", "active_to", "specialty"):
                setattr(title, field, told[field])
            title.save(update_fields=["active_from", "active_to", "specialty"])
            titles[title.code] = title
    return titles


# --- the event ------------------------------------------------------------------------------------

TOLD = ("name", "kind", "regulation", "town", "region", "venue", "starts_on", "ends_on")
ASKED = ("organiser", "fee", "capacity", "enrolment_closes_at")


def _create(doc: EventDoc, people: People, by: User, now: datetime) -> Event:
    """The event, as the file tells it, in its season; with its number there, if that is free."""
    season = Season.objects.filter(year=doc.event["year"]).first()
    if season is None:
        season = open_season(doc.event["year"], doc.event["contribution"], by, now)
    ordinal = doc.event["ordinal"]
    if season.events.filter(ordinal=ordinal).exists():
        ordinal = next_ordinal(season)
    director = doc.event["director"]
    event = Event(
        season=season,
        ordinal=ordinal,
        key=doc.event["key"],
        status=status_of(doc, None),
        director=None if director is None else people[director],
        **{field: doc.event[field] for field in (*TOLD, *ASKED)},
    )
    refuse_senseless(event, FIELDS)
    event.save()
    return event


def _write_entries(
    doc: EventDoc, event: Event, people: People, titles: Mapping[str, Title]
) -> None:
    here = {entry.player_id: entry for entry in event.entries.prefetch_related("copies")}
    for told in doc.entries:
        player = people[told["player"]]
        entry = here.get(player.pk)
        if entry is None:
            entry = Entry(event=event, player=player, enrolled_at=told["enrolled_at"])
            amended(entry, told)
            entry.save()
        elif changed := amended(entry, told):
            entry.save(update_fields=changed)
        if brought := copies_brought(entry, told):
            entry.copies.add(*(titles[code] for code in brought))


# --- the rounds -----------------------------------------------------------------------------------


def _clear(event: Event) -> None:
    """Take away how the event was played here: what refers to the tables, then the tables."""
    Removal.objects.filter(pk__in=[removal.pk for removal in removals_in(event)]).delete()
    Result.objects.filter(table__round__prova__event=event).delete()
    Round.objects.filter(prova__event=event).delete()


def _uncall_others(event: Event, people: People, doc: EventDoc) -> None:
    """Who enrolled here and is not in the file stays enrolled; the roll call is that of there."""
    told = [people[entry["player"]].pk for entry in doc.entries]
    others = event.entries.exclude(present=None).exclude(player_id__in=told)
    others.update(present=None)


def _write_prove(doc: EventDoc, event: Event, titles: Mapping[str, Title]) -> None:
    event.prove.filter(order__gt=len(doc.prove)).delete()
    for told in doc.prove:
        Prova.objects.update_or_create(
            event=event,
            order=told["order"],
            defaults={"title": titles[told["title"]], "rounds": told["rounds"]},
        )


def _write_rounds(doc: EventDoc, event: Event, people: People, by: User) -> None:
    """Rounds, tables, seats and holders, then the results in all their versions."""
    prove = {prova.order: prova for prova in event.prove.all()}
    who = {key: player.pk for key, player in people.items()}
    rounds = Round.objects.bulk_create(
        Round(
            prova=prove[told["prova"]],
            order_used=[who[key] for key in told["order_used"]],
            **_only(told, ROUND_FIELDS),
        )
        for told in doc.rounds
    )
    laid = [
        (seated, told) for seated, r in zip(rounds, doc.rounds, strict=True) for told in r["tables"]
    ]
    tables = Table.objects.bulk_create(
        Table(
            round=seated,
            referee_id=None if told["referee"] is None else who[told["referee"]],
            **_only(told, TABLE_FIELDS),
        )
        for seated, told in laid
    )
    chairs = [
        (table, told)
        for table, (_round, t) in zip(tables, laid, strict=True)
        for told in t["seats"]
    ]
    seats = Seat.objects.bulk_create(
        Seat(table=table, **_only(told, SEAT_FIELDS)) for table, told in chairs
    )
    Holder.objects.bulk_create(
        Holder(
            seat=seat,
            player_id=None if held["player"] is None else who[held["player"]],
            **_only(held, ("why", "starts_at", "ends_at")),
        )
        for seat, (_table, told) in zip(seats, chairs, strict=True)
        for held in told["holders"]
    )
    by_place = {(seat.table_id, seat.position): seat.pk for seat in seats}
    written = [
        (table, told)
        for table, (_round, t) in zip(tables, laid, strict=True)
        for told in t["results"]
    ]
    results = Result.objects.bulk_create(
        Result(
            table=table,
            by=by,
            entered_by=by if told["entered"] else None,
            **_only(told, RESULT_FIELDS),
        )
        for table, told in written
    )
    ResultLine.objects.bulk_create(
        ResultLine(
            result=result,
            seat_id=by_place[table.pk, line["seat"]],
            player_id=None if line["player"] is None else who[line["player"]],
            **_only(line, LINE_FIELDS),
        )
        for result, (table, told) in zip(results, written, strict=True)
        for line in told["lines"]
    )


ROUND_FIELDS = (
    *("number", "status", "starts_at", "published_at", "ranking_as_of", "sizes_step"),
    *("sizes_reason", "provisional", "edition"),
)
TABLE_FIELDS = (
    *("number", "referee_reason", "status", "started_at", "exclusion", "exclusion_reason"),
)
SEAT_FIELDS = ("position", "why", "handicap", "handicap_reason")
RESULT_FIELDS = ("version", "state", "at", "reason", "exclusion", "source", "replayed")
LINE_FIELDS = ("role", "facts", "total", "handicap", "place", "points", "win")


def _only(told: Json, fields: Sequence[str]) -> dict[str, Any]:
    return {name: told[name] for name in fields}


def _write_removals(doc: EventDoc, event: Event, people: People, by: User) -> None:
    prove = {prova.order: prova for prova in event.prove.all()}
    tables = {
        (table.round.prova.order, table.round.number, table.number): table
        for table in Table.objects.filter(round__prova__event=event).select_related("round__prova")
    }
    for told in doc.removals:
        level = told["level"]
        Removal.objects.create(
            player=people[told["player"]],
            level=level,
            table=tables[told["prova"], told["round"], told["table"]]
            if level == Removal.Level.GAME
            else None,
            prova=prove[told["prova"]] if level == Removal.Level.PROVA else None,
            event=event if level == Removal.Level.EVENT else None,
            ruling=told["ruling"],
            made_by=by,
            made_at=told["made_at"],
            lifted_at=told["lifted_at"],
        )


def _refuse_other_points(event: Event) -> None:
    """Refuse a confirmed result that the regulation counts otherwise: a file edited by hand."""
    for table in Table.objects.with_everything().filter(round__prova__event=event):
        result = table.confirmed()
        if result is not None and not _is_right(result, table):
            raise Refused(
                "result_differs",
                _(
                    "%(table)s: by the regulation its result is worth something else than the file "
                    "says. The file was altered, and nothing was imported."
                )
                % {"table": table.called()},
                rule="C-15",
            )


def _is_right(result: Result, table: Table) -> bool:
    """Whether each line is what its figures, its seat and the incidents at the table make of it."""
    rules = table.event.rules
    seats = {seat.pk: seat for seat in table.seats.all()}
    lines = sorted(result.lines.all(), key=lambda line: line.seat.position)
    if result.exclusion != table.exclusion:
        return False
    try:
        scores = scores_of(result, table)
        totals = [rules.total(line.facts, position) for position, line in enumerate(lines)]
    except Illegal:
        return False
    for line, total in zip(lines, totals, strict=True):
        seat, score = seats[line.seat_id], scores[line.seat_id]
        points = None if score.points is None else int(score.points * 100)
        told = (line.total, line.place, line.points, line.win)
        held = (line.player_id, line.handicap, line.role)
        if told != (total, score.place, points, score.win):
            return False
        if held != (seat.holder().player_id, seat.handicap, role_of(seat, table)):
            return False
    return True


# --- the ranking ----------------------------------------------------------------------------------


def _write_ranking(doc: EventDoc, people: People, by: User, now: datetime) -> None:
    """The ranking of the file as one event of the history, of the day on which it was so (H-03).

    It takes the place of the one that an earlier file brought. It counts on the eve of the event:
    its own day is that of the ranking, or if that is too long ago, the eve itself or today.
    """
    site = doc.site.partition("://")[2] or doc.site
    for old in brought_rankings():
        remove_past_event(old, _("another ranking was brought"), by, now)
    eve = doc.event["starts_on"] - timedelta(days=1)
    on = _day_of_ranking(doc.ranking_as_of, eve, timezone.localdate(now))
    season = Season.objects.filter(year=on.year).first()
    if season is None:
        season = open_season(on.year, None, by, now)
    order = places([points for _key, points in doc.ranking])
    brought = record_past_event(
        season,
        (_("Ranking brought by %(site)s") % {"site": site})[:120],
        on,
        on,
        [
            PastPlace(people[key], place, points)
            for (key, points), place in zip(doc.ranking, order, strict=True)
        ],
        by,
        now,
    )
    state = digest([[key, points] for key, points in doc.ranking])
    EventFile.objects.create(
        event=brought, way=EventFile.Way.IN, state=state, site=doc.site, by=by, at=now
    )


def _day_of_ranking(as_of: date | None, eve: date, today: date) -> date:
    """A day whose event counts on the eve: its season ends within two years (H-05)."""
    if as_of is not None and as_of <= eve and eve.year - as_of.year < YEARS:
        return min(as_of, today)
    return min(eve, today)
