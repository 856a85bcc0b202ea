"""The verbs of an event's life: the only code that writes the tables of this app.

Each takes `now`, runs in one transaction, and refuses with `Refused` before anything is written.
Whether the caller may do it is asked by the page; whether the regulation allows it, here.
"""

from __future__ import annotations

import hashlib
import secrets
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace
from datetime import date, datetime, timedelta
from decimal import Decimal

from django.db import transaction
from django.db.models import QuerySet
from django.utils.translation import gettext as _

from figf import mail
from figf.errors import Refused
from figf.models import LogEntry, User
from figf.services import create_user, rename
from tournaments import texts
from tournaments.models import (
    Claim,
    Club,
    Entry,
    Event,
    Holder,
    Invitation,
    Player,
    Prova,
    RefereeTerm,
    Result,
    ResultLine,
    Round,
    Season,
    Seat,
    Table,
    Title,
)
from tournaments.rules import names, registry, regulation
from tournaments.rules.regulation import Illegal, PlayerId, Score

# --- the registry ---------------------------------------------------------------------------------


@transaction.atomic
def register_club(name: str, town: str, by: User, now: datetime) -> Club:
    """A club on the books. Refuses a name already there (`club_exists`)."""
    club, created = Club.objects.get_or_create(name=" ".join(name.split()), defaults={"town": town})
    if not created:
        raise Refused("club_exists", _("This club is already on the books."), field="name")
    LogEntry.objects.record(by, "register_club", club, now)
    return club


@transaction.atomic
def register_title(code: str, name: str, fewest: int, most: int, by: User, now: datetime) -> Title:
    """A railway title and its seats (A-05). Refuses impossible seats (`title_seats`)."""
    if not 2 <= fewest <= most:
        raise Refused(
            "title_seats", _("From how many players to how many?"), rule="A-05", field="most"
        )
    title = Title.objects.create(code=code, name=name, min_players=fewest, max_players=most)
    LogEntry.objects.record(by, "register_title", title, now)
    return title


@transaction.atomic
def open_season(year: int, contribution: Decimal | int | None, by: User, now: datetime) -> Season:
    """A season, with what organisers owe the federation for each entrant (A-12)."""
    season = Season.objects.create(year=year, contribution=contribution)
    LogEntry.objects.record(by, "open_season", season, now)
    return season


@transaction.atomic
def register_player(
    surname: str,
    name: str,
    by: User,
    now: datetime,
    *,
    club: Club | None = None,
    town: str = "",
    nationality: str = "IT",
    email: str = "",
) -> Player:
    """A person on the books. Refuses an empty surname (`surname_missing`)."""
    surname, name = " ".join(surname.split()), " ".join(name.split())
    if not surname:
        raise Refused("surname_missing", _("Write the surname."), field="surname")
    player = Player.objects.create(
        surname=surname,
        name=name,
        sort_key=names.sort_key(surname, name),
        club=club,
        town=town,
        nationality=nationality,
        email=email.strip().lower(),
    )
    LogEntry.objects.record(by, "register_player", player, now)
    return player


@transaction.atomic
def appoint_referee(
    player: Player, starts_on: date, by: User, now: datetime, *, ends_on: date | None = None
) -> RefereeTerm:
    """`player` holds the qualification of referee (*Arbitro*) from a day on."""
    term = RefereeTerm.objects.create(player=player, starts_on=starts_on, ends_on=ends_on)
    LogEntry.objects.record(by, "appoint_referee", player, now, term=term.pk)
    return term


# --- a log-in meets a player: by invitation or by a request, never by name ------------------------

INVITATION_LASTS = timedelta(days=7)


@transaction.atomic
def invite(player: Player, email: str, by: User, now: datetime) -> Invitation:
    """Send `player` a link that joins one log-in to him, once, within seven days.

    Locks the player; earlier invitations of his are withdrawn. Only the digest of the link's
    secret is kept. Refuses a player who has a log-in (`player_has_login`).
    """
    player = Player.objects.select_for_update(of=("self",), no_key=True).get(pk=player.pk)
    _refuse_joined(player)
    player.invitations.filter(used_at=None, withdrawn_at=None).update(withdrawn_at=now)
    token = secrets.token_urlsafe(32)
    invitation = Invitation.objects.create(
        player=player,
        email=email.strip().lower(),
        digest=_digest(token),
        created_by=by,
        created_at=now,
        expires_at=now + INVITATION_LASTS,
    )
    mail.enqueue(
        f"invitation:{invitation.pk}",
        invitation.email,
        "invitation",
        now,
        player=player,
        invitation=invitation,
        token=token,
    )
    LogEntry.objects.record(by, "invite", player, now, invitation=invitation.pk)
    return invitation


def read_invitation(token: str, now: datetime) -> Invitation:
    """The open invitation behind a link, or `Refused` (`link_invalid`)."""
    return _open_invitation(Invitation.objects.select_related("player"), token, now)


@transaction.atomic
def accept_invitation(token: str, user: User, now: datetime) -> Player:
    """Join `user` to the invited player. The link is then spent.

    Locks the log-in and the player. Refuses a link no longer good (`link_invalid`), a player who
    has a log-in (`player_has_login`), a log-in that has a player (`user_has_player`).
    """
    player_pk = read_invitation(token, now).player_id
    _lock(player_pk, user)
    invitation = _open_invitation(Invitation.objects.all(), token, now)  # as it is under the lock
    player = _join(player_pk, user)
    invitation.used_at, invitation.used_by = now, user
    invitation.save(update_fields=["used_at", "used_by"])
    LogEntry.objects.record(user, "accept_invitation", player, now, invitation=invitation.pk)
    return player


def _open_invitation(invitations: QuerySet[Invitation], token: str, now: datetime) -> Invitation:
    invitation = invitations.filter(digest=_digest(token)).first()
    if invitation is None or not invitation.is_open(now):
        raise Refused(
            "link_invalid",
            _(
                "This invitation was used, withdrawn, or is more than seven days old. Ask the "
                "secretary for a new one."
            ),
        )
    return invitation


@transaction.atomic
def accept_invitation_with_new_login(
    token: str, password: str, language: str, now: datetime
) -> User:
    """Make a log-in on the invited address and join it, in one go.

    Refuses as `accept_invitation`, and an address that already has a log-in (`email_taken`).
    """
    invitation = read_invitation(token, now)
    user = create_user(
        invitation.email, password, invitation.player.full_name(), now, language=language
    )
    accept_invitation(token, user, now)
    return user


@transaction.atomic
def claim(player: Player, user: User, note: str, now: datetime) -> Claim:
    """`user` asks to be joined to `player`; a secretary decides.

    Locks the user. Refuses a player or a log-in already joined (`player_has_login`,
    `user_has_player`) and a second request while one is open (`claim_open`).
    """
    user = User.objects.select_for_update(no_key=True).get(pk=user.pk)
    _refuse_joined(player)
    if Player.objects.filter(user=user).exists():
        raise Refused("user_has_player", _("Your log-in already belongs to a player."))
    if user.claims.filter(decided_at=None).exists():
        raise Refused("claim_open", _("You have a request waiting for the secretary's answer."))
    made = Claim.objects.create(player=player, user=user, note=note.strip(), created_at=now)
    LogEntry.objects.record(user, "claim", player, now, claim=made.pk)
    return made


@transaction.atomic
def decide_claim(made: Claim, accepted: bool, by: User, now: datetime) -> Claim:
    """A secretary accepts or declines; the answer goes by mail.

    Locks log-in, player and request. Refuses one already decided (`claim_decided`) and, when
    accepting, as `accept_invitation`.
    """
    _lock(made.player_id, made.user)
    made = Claim.objects.select_for_update(of=("self",), no_key=True).get(pk=made.pk)
    if made.decided_at:
        raise Refused("claim_decided", _("This request has already been answered."))
    if accepted:
        _join(made.player_id, made.user)
    made.accepted, made.decided_at, made.decided_by = accepted, now, by
    made.save(update_fields=["accepted", "decided_at", "decided_by"])
    mail.enqueue(f"claim:{made.pk}", made.user, "claim_decided", now, claim=made)
    LogEntry.objects.record(by, "decide_claim", made.player, now, claim=made.pk, accepted=accepted)
    return made


def _lock(player_pk: int, user: User) -> None:
    """The two rows that a joining concerns, always in this order: nobody waits in a ring.

    `no_key`, here as everywhere: a lock leaves others free to refer to the row, as the log does.
    """
    User.objects.select_for_update(no_key=True).get(pk=user.pk)
    Player.objects.select_for_update(of=("self",), no_key=True).get(pk=player_pk)


def _join(player_pk: int, user: User) -> Player:
    player = Player.objects.get(pk=player_pk)
    _refuse_joined(player)
    if Player.objects.filter(user=user).exists():
        raise Refused("user_has_player", _("This log-in already belongs to a player."))
    player.user = user
    player.save(update_fields=["user"])
    rename(user, player.full_name())  # from now on he is called as on the books
    return player


def _refuse_joined(player: Player) -> None:
    if player.user_id is not None:
        raise Refused(
            "player_has_login",
            _("%(player)s already has a log-in.") % {"player": player},
        )


def _digest(token: str) -> str:
    return hashlib.sha256(token.encode()).hexdigest()


# --- events ---------------------------------------------------------------------------------------


@transaction.atomic
def create_event(
    season: Season,
    name: str,
    starts_on: date,
    ends_on: date,
    by: User,
    now: datetime,
    *,
    kind: str = Event.Kind.LIVE,
    regulation_slug: str = registry.DEFAULT,
    town: str = "",
    venue: str = "",
    organiser: str = "",
    director: Player | None = None,
    fee: Decimal | None = None,
) -> Event:
    """A new event of the season, numbered after the last, as a draft.

    Refuses dates in the wrong order (`dates_reversed`, A-01), a live event that begins outside the
    season's year (`outside_season`, A-01) and a technical director who is not a FIGF referee on its
    first day (`director_not_referee`, A-08).
    """
    Season.objects.select_for_update(no_key=True).get(pk=season.pk)
    if ends_on < starts_on:
        raise Refused(
            "dates_reversed",
            _("The last day comes before the first."),
            rule="A-01",
            field="ends_on",
        )
    if kind != Event.Kind.PBEM and starts_on.year != season.year:
        raise Refused(
            "outside_season",
            _("The event does not begin in the season's year."),
            rule="A-01",
            field="starts_on",
        )
    if director is not None and not director.is_referee(starts_on):
        raise Refused(
            "director_not_referee",
            _("The technical director must be a FIGF referee on that day."),
            rule="A-08",
            field="director",
        )
    last = season.events.order_by("-ordinal").values_list("ordinal", flat=True).first() or 0
    event = Event.objects.create(
        season=season,
        ordinal=last + 1,
        name=name,
        kind=kind,
        regulation=regulation_slug,
        town=town,
        venue=venue,
        starts_on=starts_on,
        ends_on=ends_on,
        organiser=organiser,
        director=director,
        fee=fee,
    )
    LogEntry.objects.record(by, "create_event", event, now)
    return event


@transaction.atomic
def set_status(event: Event, status: str, by: User, now: datetime) -> Event:
    """Move an event along its line (A-15): draft, enrolling, running, concluded, closed."""
    event = Event.objects.select_for_update(of=("self",), no_key=True).get(pk=event.pk)
    before, event.status = event.status, status
    event.save(update_fields=["status"])
    LogEntry.objects.record(by, "set_status", event, now, before=before, after=status)
    return event


@transaction.atomic
def add_prova(event: Event, title: Title, by: User, now: datetime, *, rounds: int = 1) -> Prova:
    """One more title at the event, in one or two rounds.

    Refuses other numbers of rounds (`rounds`, A-04).
    """
    Event.objects.select_for_update(of=("self",), no_key=True).get(pk=event.pk)
    if rounds not in (1, 2):
        raise Refused(
            "rounds",
            _("A prova is played in a single or a double round."),
            rule="A-04",
            field="rounds",
        )
    prova = Prova.objects.create(
        event=event, title=title, order=event.prove.count() + 1, rounds=rounds
    )
    LogEntry.objects.record(by, "add_prova", event, now, prova=prova.pk)
    return prova


@transaction.atomic
def enrol(event: Event, player: Player, by: User, now: datetime) -> Entry:
    """Enrol `player`. Refuses a second time (`already_enrolled`, A-10)."""
    entry, created = Entry.objects.get_or_create(
        event=event, player=player, defaults={"enrolled_at": now}
    )
    if not created:
        raise Refused(
            "already_enrolled",
            _("%(player)s is already enrolled.") % {"player": player},
            rule="A-10",
        )
    LogEntry.objects.record(by, "enrol", event, now, entry=entry.pk)
    return entry


@transaction.atomic
def seat_round(
    prova: Prova,
    number: int,
    tables: Sequence[Sequence[Player]],
    by: User,
    now: datetime,
    *,
    referees: Sequence[Player | None] = (),
) -> Round:
    """Seat one round as given, table by table in seat order, and publish it.

    Refuses a round that the prova does not have (`no_such_round`, A-04) or that is seated
    (`round_seated`), a player seated twice in it (`seated_twice`, C-03), a player not enrolled
    (`not_enrolled`, C-03) and a table smaller than three or larger than its title admits
    (`seat_count`, C-03).
    """
    Event.objects.select_for_update(of=("self",), no_key=True).get(pk=prova.event_id)
    if not 1 <= number <= prova.rounds:
        raise Refused(
            "no_such_round",
            _("This prova has %(rounds)d rounds at most.") % {"rounds": prova.rounds},
            rule="A-04",
        )
    if prova.play_rounds.filter(number=number).exists():
        raise Refused("round_seated", _("This round has its tables already."))
    everybody = [player for table in tables for player in table]
    if len({player.pk for player in everybody}) != len(everybody):
        raise Refused("seated_twice", _("A player is seated twice in this round."), rule="C-03")
    enrolled = set(prova.event.entries.values_list("player_id", flat=True))
    for player in everybody:
        if player.pk not in enrolled:
            raise Refused(
                "not_enrolled", _("%(player)s is not enrolled.") % {"player": player}, rule="C-03"
            )
    fewest, most = prova.title.event_seats()
    for table in tables:
        if not fewest <= len(table) <= most:
            raise Refused(
                "seat_count",
                _("A table of %(title)s has from %(fewest)d to %(most)d players.")
                % {"title": prova.title, "fewest": fewest, "most": most},
                rule="C-03",
            )
    played = Round.objects.create(
        prova=prova,
        number=number,
        status=Round.Status.PUBLISHED,
        starts_at=now,
        order_used=[player.pk for player in everybody],
    )
    for index, players in enumerate(tables):
        laid = Table.objects.create(
            round=played,
            number=index + 1,
            started_at=now,
            referee=referees[index] if index < len(referees) else None,
        )
        for position, player in enumerate(players, start=1):
            seat = Seat.objects.create(table=laid, position=position)
            Holder.objects.create(seat=seat, player=player, starts_at=now)
    LogEntry.objects.record(by, "seat_round", played, now)
    return played


# --- the result of a table ------------------------------------------------------------------------

LARGEST_TOTAL = 2_000_000_000  # what the database's whole numbers hold

Facts = Mapping[str, int | None]  # what was typed for a seat: None is a box left empty


@dataclass(frozen=True, slots=True)
class Count:
    """A table as typed so far: the live page shows it, and a confirmation writes it.

    `totals` has each seat that is complete; `scores`, by seat, only a table that is complete and
    that the regulation accepts; `refusals` says what the regulation does not accept, by seat (None:
    the table as a whole).
    """

    totals: dict[int, int]
    scores: dict[int, Score]
    refusals: dict[int | None, Illegal]

    def firsts(self) -> int:
        """How many share the first place; 0 while the table is not complete."""
        return sum(score.place == 1 for score in self.scores.values())


def count_table(table: Table, typed: Mapping[int, Facts]) -> Count:
    """What `typed`, by seat, is worth under the event's regulation. Writes nothing.

    `table` comes from `with_everything`. A seat with every box empty is merely not counted yet.
    """
    rules = registry.REGULATIONS[table.event.regulation]
    seats = list(table.seats.all())
    totals: dict[int, int] = {}
    refusals: dict[int | None, Illegal] = {}
    for position, seat in enumerate(seats):
        facts = typed.get(seat.pk, {})
        if all(value is None for value in facts.values()):
            continue
        try:
            totals[seat.pk] = rules.total(facts, position)
        except Illegal as illegal:
            refusals[seat.pk] = illegal
    if refusals or len(totals) < len(seats):
        return Count(totals, {}, refusals)
    try:
        scores = rules.score(_as_played(table, totals), rules.readings)
    except Illegal as illegal:
        where = None if illegal.seat is None else seats[illegal.seat].pk
        return Count(totals, {}, {where: illegal})
    return Count(totals, dict(zip((seat.pk for seat in seats), scores, strict=True)), {})


@transaction.atomic
def record_table(
    table_pk: int,
    typed: Mapping[int, Facts],
    version: int,
    by: User,
    now: datetime,
    *,
    reason: str = "",
    tie_checked: bool = False,
) -> Result:
    """Confirm the result of a table, or correct the confirmed one, as a new version (C-14, C-15).

    `typed` are the facts by seat; `version` is the last one that the writer saw (0: none).

    Locks the table. Writes the result with a line a seat, marks the version before as replaced,
    and queues one mail to each log-in at the table. The same figures sent twice by the same hand
    are one result.

    Refuses: an event not being played (`event_not_running`, C-15), whatever the regulation refuses,
    with its article, an amount beyond belief (`total_too_large`, C-03), seats without a total
    (`incomplete`, C-03), a result that somebody else wrote meanwhile (`stale`), a shared first
    place that nobody says to have counted twice (`tie_unchecked`, C-06), a correction without its
    reason (`reason_missing`, C-15) or that corrects nothing (`nothing_changed`).
    """
    Table.objects.select_for_update(of=("self",), no_key=True).get(pk=table_pk)
    table = Table.objects.with_everything().get(pk=table_pk)
    if not table.event.accepts_results():
        raise Refused(
            "event_not_running",
            _("Results can be written only while the event is under way."),
            rule="C-15",
        )
    count = count_table(table, typed)
    _refuse_count(count)
    facts = {pk: {k: v for k, v in f.items() if v is not None} for pk, f in typed.items()}
    before = table.confirmed()
    last = table.last_version()
    if version != last:
        if before and before.by_id == by.pk and _facts(before) == facts:
            return before  # the same click twice
        raise Refused(
            "stale",
            _(
                "Somebody else wrote this table's result meanwhile. Theirs and yours are "
                "below: check, and confirm again."
            ),
        )
    if before and _facts(before) == facts and _worth(before, count):
        raise Refused("nothing_changed", _("Nothing is different from the confirmed result."))
    if count.firsts() > 1 and not tie_checked:
        raise Refused(
            "tie_unchecked",
            _("First place is shared: count again, and say that the tie is right."),
            rule="C-06",
        )
    if before and not reason.strip():
        raise Refused(
            "reason_missing", _("Say why the result is corrected."), rule="C-15", field="reason"
        )
    if before:
        Result.objects.filter(pk=before.pk).update(state=Result.State.SUPERSEDED)
    result = Result.objects.create(
        table=table,
        version=last + 1,
        state=Result.State.CONFIRMED,
        by=by,
        at=now,
        reason=reason.strip(),
        exclusion=table.exclusion,
    )
    for seat in table.seats.all():
        _write_line(result, seat, table, facts[seat.pk], count)
    Table.objects.filter(pk=table.pk).update(status=Table.Status.CONFIRMED)
    LogEntry.objects.record(
        by, "correct_table" if before else "record_table", table, now, version=result.version
    )
    _announce(result, table, now)
    return result


def scores_of(result: Result, table: Table) -> dict[int, Score]:
    """The scores of a written result by seat, reckoned again from its own lines, with every why.

    The title's limits on seats are not asked again: they held when the result was written.
    """
    rules = registry.REGULATIONS[table.event.regulation]
    lines = list(result.lines.all())
    played = _to_score(
        table,
        [_seat(line.seat, line.player_id, line.total, line.handicap, line.role) for line in lines],
    )
    played = replace(
        played, fewest=len(lines), most=len(lines), exclusion=_exclusion(result.exclusion)
    )
    scores = rules.score(played, rules.readings)
    return dict(zip((line.seat_id for line in lines), scores, strict=True))


def names_in(result: Result) -> dict[PlayerId, str]:
    """Who the keys of its scores are, for the words of "why"."""
    return {
        _key(line.seat, line.player_id): str(line.player or _("a referee"))
        for line in result.lines.all()
    }


def _refuse_count(count: Count) -> None:
    for where, illegal in count.refusals.items():
        raise Refused(
            illegal.reason,
            texts.refusal(illegal),
            rule=illegal.rule,
            field="" if where is None else f"seat-{where}",
        )
    for seat_pk, total in count.totals.items():
        if total > LARGEST_TOTAL:
            raise Refused(
                "total_too_large",
                _("This amount is too large to be true."),
                rule="C-03",
                field=f"seat-{seat_pk}",
            )
    if not count.scores:
        raise Refused("incomplete", _("Some seats have no total yet: enter them all."), rule="C-03")


def _as_played(table: Table, totals: Mapping[int, int]) -> regulation.Table:
    return _to_score(
        table,
        [
            _seat(seat, seat.holder().player_id, totals[seat.pk], seat.handicap, _role(seat, table))
            for seat in table.seats.all()
        ],
    )


def _to_score(table: Table, seats: Sequence[regulation.Seat]) -> regulation.Table:
    fewest, most = table.title.event_seats()
    return regulation.Table(tuple(seats), fewest, most, exclusion=_exclusion(table.exclusion))


def _seat(
    seat: Seat, player_pk: int | None, total: int, handicap: int, role: str
) -> regulation.Seat:
    return regulation.Seat(
        _key(seat, player_pk),
        total,
        handicap=handicap,
        excluded=role == ResultLine.Role.EXCLUDED,
        unscored=role == ResultLine.Role.REFEREE,
        cinderella=role == ResultLine.Role.CINDERELLA,
    )


def _exclusion(decided: str) -> regulation.Exclusion | None:
    match decided:
        case "recompute" | "keep_reference" as exclusion:
            return exclusion
    return None


def _key(seat: Seat, player_pk: int | None) -> PlayerId:
    return f"referee-{seat.pk}" if player_pk is None else player_pk


def _role(seat: Seat, table: Table) -> ResultLine.Role:
    holder = seat.holder()
    if holder.player_id is None:
        return ResultLine.Role.REFEREE
    if any(r.player_id == holder.player_id and r.lifted_at is None for r in table.removals.all()):
        return ResultLine.Role.EXCLUDED
    if holder.why == Holder.Why.CINDERELLA:
        return ResultLine.Role.CINDERELLA
    return ResultLine.Role.PLAYER


def _worth(result: Result, count: Count) -> bool:
    """Whether the lines of `result` say what `count` says: no handicap or ruling came between."""
    return all(
        line.points == _hundredths(count.scores[line.seat_id].percentile)
        and line.place == count.scores[line.seat_id].place
        for line in result.lines.all()
    )


def _hundredths(percentile: Decimal | None) -> int | None:
    return None if percentile is None else int(percentile * 100)


def _facts(result: Result) -> dict[int, dict[str, int]]:
    return {line.seat_id: line.facts for line in result.lines.all()}


def _write_line(
    result: Result, seat: Seat, table: Table, facts: Mapping[str, int], count: Count
) -> ResultLine:
    score = count.scores[seat.pk]
    return ResultLine.objects.create(
        result=result,
        seat=seat,
        player=seat.holder().player,
        role=_role(seat, table),
        facts=dict(facts),
        total=count.totals[seat.pk],
        handicap=seat.handicap,
        place=score.place,
        points=_hundredths(score.percentile),
        win=score.win,
    )


def _announce(result: Result, table: Table, now: datetime) -> None:
    lines = (
        Result.objects.prefetch_related("lines__seat", "lines__player__user")
        .get(pk=result.pk)
        .standing()
    )
    for line in lines:
        if line.player and line.player.user:
            mail.enqueue(
                f"result:{table.pk}:{result.version}:{line.player_id}",
                line.player.user,
                "table_result",
                now,
                table=table,
                result=result,
                lines=lines,
                mine=line,
            )
