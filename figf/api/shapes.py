"""Plain values of the site's nouns, in the fields that `serializers` list.

Who was struck off, or asked to be forgotten, has no name (O-16).
"""

from __future__ import annotations

from collections.abc import Collection, Mapping
from datetime import date
from decimal import Decimal
from typing import Any

from django.conf import settings
from django.urls import reverse

from rankings.models import Honour, Publication
from rankings.services import Entry, Game, SeasonRoll, called, lines_of, state_of_publication
from rankings.services import named as people_of
from tournaments.models import Club, Event, Holder, Player, Prova, Result, Round, Season, Table
from tournaments.models import Title as TitleModel
from tournaments.services import Standing, is_awarded
from tournaments.views.history import past_rows

Struck = Collection[int]


def page(name: str, *where: object) -> str:
    """The whole address of a page of the site."""
    return f"{settings.SITE_URL}{reverse(name, args=where)}"


def named(player: Player | None, struck: Struck) -> dict[str, Any]:
    return called(None if player is None or player.pk in struck else player)


def hundredths(points: int | None) -> Decimal | None:
    return None if points is None else Decimal(points).scaleb(-2)


# --- events ---------------------------------------------------------------------------------------


def event_in_brief(event: Event) -> dict[str, Any]:
    return {
        "id": event.pk,
        "url": page("event", event.pk),
        "season": event.season.year,
        "ordinal": event.ordinal,
        "name": event.name,
        "kind": event.kind,
        "status": event.status,
        "starts_on": event.starts_on,
        "ends_on": event.ends_on,
        "town": event.town,
        "region": event.region,
        "titles": [prova.title.code for prova in event.prove.all()],
        "imported": event.imported,
    }


def event_whole(event: Event, struck: Struck) -> dict[str, Any]:
    """With its prove, and of these the rounds whose tables are published, as fetched."""
    before = event.replaces
    return {
        **event_in_brief(event),
        "status_note": event.status_note,
        "regulation": event.regulation,
        "venue": event.venue,
        "organiser": event.organiser,
        "director": named(event.director, struck) if event.director else None,
        "fee": event.fee,
        "capacity": event.capacity,
        "enrolment_closes_at": event.enrolment_closes_at,
        "factor": event.factor() if is_awarded(event) else None,
        "replaces": before.pk if before and before.status != Event.Status.DRAFT else None,
        "prove": [_prova(prova) for prova in event.prove.all()],
    }


def _prova(prova: Prova) -> dict[str, Any]:
    return {
        "order": prova.order,
        "title": prova.title.code,
        "title_name": prova.title.name,
        "planned": prova.rounds,
        "rounds": [_round(each) for each in prova.play_rounds.all()],
    }


def _round(seated: Round) -> dict[str, Any]:
    return {
        "id": seated.pk,
        "url": page("seating", seated.pk),
        "number": seated.number,
        "starts_at": seated.starts_at,
        "published_at": seated.published_at,
        "tables": [table.pk for table in seated.tables.all()],
    }


def standing(
    event: Event, found: Standing, asked: Mapping[str, int], struck: Struck
) -> dict[str, Any]:
    """That of an event, or of the prova or round asked for."""
    prova, number = asked.get("prova"), asked.get("round")
    awarded = prova is None and is_awarded(event)
    return {
        **_of_event(event),
        "prova": prova,
        "round": number,
        "provisional": found.provisional,
        "missing": [table.pk for table in found.missing],
        "rows": [
            {
                **named(found.players[int(row.key)], struck),
                "place": row.place,
                "total": row.total,
                "rounds": [
                    {"prova": order, "round": n, "percentile": points}
                    for (order, n), points in row.points
                ],
                "event_points": found.points.get(row.key, 0) if awarded else None,
                "wins": found.wins.get(row.key, 0),
            }
            for row in found.rows
        ],
    }


def past_standing(event: Event) -> dict[str, Any]:
    """That of an event of the history, which keeps places and points (H-09)."""
    return {
        **_of_event(event),
        "prova": None,
        "round": None,
        "provisional": False,
        "missing": [],
        "rows": [
            {
                **called(row.player),
                "place": row.place,
                "total": None,
                "rounds": [],
                "event_points": row.points,
                "wins": row.wins,
            }
            for row in past_rows(event)
        ],
    }


def _of_event(event: Event) -> dict[str, Any]:
    return {
        "event": event.pk,
        "url": page("event_standing", event.pk),
        "closed": event.status == Event.Status.CLOSED,
    }


# --- tables ---------------------------------------------------------------------------------------


def table(found: Table, struck: Struck) -> dict[str, Any]:
    """With its seats, and the confirmed result if it has one."""
    result = found.confirmed()
    return {
        "id": found.pk,
        "url": page("table", found.pk),
        "event": found.event.pk,
        "prova": found.round.prova.order,
        "round": found.round.number,
        "number": found.number,
        "title": found.title.code,
        "status": found.status,
        "started_at": found.started_at,
        "referee": named(found.referee, struck) if found.referee else None,
        "seats": [
            {
                "position": seat.position,
                "holders": [_holder(holder, struck) for holder in seat.holders.all()],
            }
            for seat in found.seats.all()
        ],
        "result": _result(result, struck) if result else None,
    }


def _holder(holder: Holder, struck: Struck) -> dict[str, Any]:
    return {
        **named(holder.player, struck),
        "why": holder.why,
        "starts_at": holder.starts_at,
        "ends_at": holder.ends_at,
    }


def _result(result: Result, struck: Struck) -> dict[str, Any]:
    return {
        "version": result.version,
        "confirmed_at": result.at,
        "lines": [
            {
                **named(line.player, struck),
                "position": line.seat.position,
                "role": line.role,
                "total": line.total,
                "facts": {name: n for name, n in line.facts.items() if name != "total"},
                "handicap": line.handicap,
                "place": line.place,
                "percentile": line.credited,
                "win": line.win,
            }
            for line in result.standing()
        ],
    }


# --- people, clubs, titles, seasons ---------------------------------------------------------------


def player(found: Player) -> dict[str, Any]:
    return {
        "id": found.pk,
        "url": page("player", found.pk),
        "name": str(found),
        "surname": found.surname,
        "first_name": found.name,
        "club": found.club.name if found.club else None,
        "club_id": found.club_id,
    }


def played(entry: Entry) -> dict[str, Any]:
    """A game, or a place at an event of the history."""
    game = entry if isinstance(entry, Game) else None
    past = None if isinstance(entry, Game) else entry
    return {
        "event": entry.event,
        "event_name": entry.event_name,
        "starts_on": entry.day,
        "kind": entry.kind,
        "url": page("table", game.table) if game else page("event_standing", entry.event),
        "table": game.table if game else None,
        "title": game.title if game else None,
        "round": game.round if game else None,
        "total": game.total if game else None,
        "place": entry.place,
        "percentile": game.points if game else None,
        "event_place": entry.event_place,
        "event_points": entry.event_points,
        "wins": past.wins if past else int(game.won if game else 0),
        "dash": game.dash if game else "",
    }


def club(found: Club) -> dict[str, Any]:
    where = page("club", found.pk)
    return {"id": found.pk, "url": where, "name": found.name, "town": found.town}


def title(found: TitleModel) -> dict[str, Any]:
    fields = ("code", "name", "min_players", "max_players", "active_from", "active_to", "specialty")
    return {name: getattr(found, name) for name in fields}


def season(found: Season) -> dict[str, Any]:
    return {
        "year": found.year,
        "url": page("season", found.year),
        "closed": found.closed_at is not None,
        "closed_at": found.closed_at,
    }


# --- honours and publications ---------------------------------------------------------------------


def season_roll(roll: SeasonRoll, struck: Struck) -> dict[str, Any]:
    return {
        "season": roll.season.year,
        "url": page("season", roll.season.year),
        "closed": roll.season.closed_at is not None,
        "honours": [_honour(each, struck) for each in roll.honours],
        "vacant": [each.code for each in roll.vacant],
        "winners": [
            {
                "event": won.event.pk,
                "name": won.event.name,
                "players": [called(each) for each in won.players],
            }
            for won in roll.winners
        ],
    }


def _honour(honour: Honour, struck: Struck) -> dict[str, Any]:
    members = honour.team.members.all() if honour.team else ()
    return {
        **named(honour.player, struck),
        "award": honour.award,
        "title": honour.title.code if honour.title else None,
        "team": honour.team.name if honour.team else None,
        "members": [named(member.player, struck) for member in members],
        "note": honour.note,
    }


def publication_in_brief(
    found: Publication, latest: Mapping[Any, date] | None = None
) -> dict[str, Any]:
    corrected = getattr(found, "replaced_by", None)
    return {
        "number": found.number,
        "url": page("publication", found.number),
        "kind": found.kind,
        "season": found.season.year if found.season else None,
        "title": found.title.code if found.title else None,
        "event": found.event_id,
        "as_of": found.as_of,
        "published_at": found.at,
        "state": state_of_publication(found, latest),
        "replaces": found.replaces.number if found.replaces else None,
        "replaced_by": corrected.number if corrected else None,
        "note": found.note,
    }


def publication_whole(found: Publication) -> dict[str, Any]:
    """With its lines, whose players are called as they are today."""
    people = people_of(found)
    return {
        **publication_in_brief(found),
        "columns": found.columns,
        "lines": [
            {
                **called(people.get(line.player)),
                "place": line.place,
                "total": hundredths(line.total),
                "parts": line.parts,
            }
            for line in lines_of(found)
        ],
    }
