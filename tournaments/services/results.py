"""The result of a table: counted while it is typed, confirmed, corrected."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from datetime import datetime
from decimal import Decimal
from typing import NamedTuple

from django.db import transaction
from django.utils.translation import gettext as _

from figf import mail
from figf.errors import Refused
from figf.models import LogEntry, User
from tournaments import texts
from tournaments.models import Holder, Result, ResultLine, Round, Seat, Table
from tournaments.rules import regulation
from tournaments.rules.regulation import Illegal, PlayerId, Score

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
    recounted_ties: bool = False  # of the regulation

    @property
    def to_recount(self) -> bool:
        """Whether a shared first place is to be counted twice; not while it is not complete."""
        firsts = sum(score.place == 1 for score in self.scores.values())
        return self.recounted_ties and firsts > 1


def count_table(table: Table, typed: Mapping[int, Facts]) -> Count:
    """What `typed`, by seat, is worth under the event's regulation. Writes nothing.

    `table` comes from `with_everything`. A seat with every box empty is merely not counted yet.
    """
    rules = table.event.rules
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
        scores = rules.score(_as_played(table, typed, totals), rules.readings)
    except Illegal as illegal:
        where = None if illegal.seat is None else seats[illegal.seat].pk
        return Count(totals, {}, {where: illegal})
    by_seat = dict(zip((seat.pk for seat in seats), scores, strict=True))
    return Count(totals, by_seat, {}, rules.recounted_ties)


class Origin(NamedTuple):
    """The file of a game that a result was read from, and whether an engine found the same."""

    source: str = ""
    replayed: bool | None = None


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
    origin: Origin | None = None,
) -> Result:
    """Confirm the result of a table, or correct the confirmed one, as a new version (C-14, C-15).

    `typed` are the facts by seat; `version` is the last one that the writer saw (0: none). What the
    referee sent is confirmed by the same figures, also if it came after the writer looked.
    `origin` is the file that they were read from.

    Locks the table. Writes the result with a line a seat, marks the version before as replaced,
    and queues one mail to each log-in at the table. The same figures sent twice by the same hand
    are one result.

    Refuses: a round whose publication was taken back (`round_not_published`, B-17), an event not
    being played (`event_not_running`, C-15), a void game (`game_void`, C-17), whatever the
    regulation refuses, with its article, an amount beyond belief (`total_too_large`, C-03), seats
    without a total (`incomplete`, C-03), a result that somebody else wrote meanwhile (`stale`), a
    shared first place that nobody says to have counted twice (`tie_unchecked`, C-06), a correction
    without its reason (`reason_missing`, C-15) or that corrects nothing (`nothing_changed`).
    """
    table = _open_to_results(table_pk)
    count = count_table(table, typed)
    _refuse_count(count)
    facts = _filled(typed)
    before, draft = table.confirmed(), table.draft()
    if version != table.last_version() and not (draft and _facts(draft) == facts):
        if before and before.by_id == by.pk and _facts(before) == facts:
            return before  # the same click twice
        if table.withdrawal():
            raise Refused(
                "stale",
                _("The result was withdrawn meanwhile: check what you typed, and confirm again."),
            )
        raise Refused(
            "stale",
            _(
                "Somebody else wrote this table's result meanwhile. Theirs and yours are "
                "below: check, and confirm again."
            ),
        )
    if before and _facts(before) == facts and _worth(before, table, count):
        raise Refused("nothing_changed", _("Nothing is different from the confirmed result."))
    _refuse_tie(count, tie_checked)
    if before and not reason.strip():
        raise Refused(
            "reason_missing", _("Say why the result is corrected."), rule="C-15", field="reason"
        )
    result = _write(table, facts, count, by, now, reason, origin)
    Table.objects.filter(pk=table.pk).update(
        status=Table.Status.CONFIRMED,
        started_at=table.started_at or now,  # whoever reports has played
    )
    return result


@transaction.atomic
def send_draft(
    table_pk: int,
    typed: Mapping[int, Facts],
    version: int,
    by: User,
    now: datetime,
    *,
    tie_checked: bool = False,
    origin: Origin | None = None,
) -> Result:
    """Send the counting sheet of a table to the director, who confirms it or not (C-14).

    `typed` are the facts by seat; `version` is the last one that the writer saw (0: none).

    Locks the table. Writes the sheet with a line a seat as a draft, in the place of the draft
    before: it counts for no standing, and nobody gets a mail. The same figures sent twice by the
    same hand are one draft.

    Refuses: a table whose result is confirmed (`already_confirmed`, C-14), a draft that somebody
    else sent meanwhile (`stale`), and whatever of the event, the figures and a tie `record_table`
    refuses.
    """
    table = _open_to_results(table_pk)
    if table.confirmed():
        raise Refused(
            "already_confirmed",
            _(
                "The director has confirmed this table's result, which is below with what you "
                "typed: tell him if it is wrong."
            ),
            rule="C-14",
        )
    count = count_table(table, typed)
    _refuse_count(count)
    facts, draft = _filled(typed), table.draft()
    if draft and draft.by_id == by.pk and _facts(draft) == facts and _worth(draft, table, count):
        return draft
    if version != table.last_version():
        raise Refused(
            "stale",
            _(
                "Somebody else sent this table's result meanwhile. Theirs and yours are "
                "below: check, and send again."
            ),
        )
    _refuse_tie(count, tie_checked)
    sent = _write_version(
        table, Result.State.DRAFT, facts, count, by, now, entered_by=by, origin=origin
    )
    if table.started_at is None:
        Table.objects.filter(pk=table.pk).update(started_at=now)  # whoever reports has played
    LogEntry.objects.record(by, "send_draft", table, now, version=sent.version)
    return sent


@transaction.atomic
def withdraw_result(table: Table, by: User, now: datetime, reason: str) -> Result:
    """Take back a result that was confirmed by mistake: the table waits for one again (C-15).

    Locks the table. Marks the confirmed version as replaced and writes the next, without lines,
    which says by whom and why; what the referee had sent before goes with it. The seats, with what
    happened there, stay as they are, and the table counts as started: it was reported. Queues one
    mail to each log-in of the result. The same sent twice by the same hand is one withdrawal.

    Refuses a round not published, an event not being played and a void game as `record_table` does,
    a table without a confirmed result (`no_result`, C-15), and no reason (`reason_missing`, C-15).
    """
    table = _open_to_results(table.pk)
    before, already = table.confirmed(), table.withdrawal()
    if already and already.by_id == by.pk and already.reason == reason.strip():
        return already  # the same click twice
    if before is None:
        raise Refused(
            "no_result",
            _("This table has no confirmed result: nothing is left to withdraw."),
            rule="C-15",
        )
    if not reason.strip():
        raise Refused(
            "reason_missing", _("Say why the result is withdrawn."), rule="C-15", field="reason"
        )
    Result.objects.filter(pk=before.pk).update(state=Result.State.SUPERSEDED)
    result = Result.objects.create(
        table=table,
        version=table.last_version() + 1,
        state=Result.State.WITHDRAWN,
        by=by,
        at=now,
        reason=reason.strip(),
    )
    Table.objects.filter(pk=table.pk).update(status=Table.Status.PLAYING)
    LogEntry.objects.record(by, "withdraw_result", table, now, version=result.version)
    _announce(result, before, table, now)
    return result


def _open_to_results(table_pk: int) -> Table:
    """The table, locked, if its result may be written now."""
    Table.objects.select_for_update(of=("self",), no_key=True).get(pk=table_pk)
    table = Table.objects.with_everything().get(pk=table_pk)
    refuse_closed(table)
    return table


def refuse_closed(table: Table) -> None:
    """Refuse a table whose result cannot be written now, whatever the figures. Writes nothing.

    Refuses: `round_not_published` (B-17), `event_not_running` (C-15), `game_void` (C-17).
    """
    if table.round.status != Round.Status.PUBLISHED:
        raise Refused(
            "round_not_published",
            _("The tables of this round are not published: there is nothing to count yet."),
            rule="B-17",
        )
    if not table.event.accepts_results():
        raise Refused(
            "event_not_running",
            _("Results can be written only while the event is under way."),
            rule="C-15",
        )
    if table.status == Table.Status.VOID:
        raise Refused(
            "game_void",
            _("This game is void: take that back before writing its result."),
            rule="C-17",
        )


def recount(table: Table, by: User, now: datetime, reason: str) -> Result | None:
    """The confirmed result once more from its own facts, after what happened at its table changed.

    `table` is read anew, under a lock that whoever calls it holds. Writes the next version, logged
    and mailed as a correction is, where anything of a line would be different; else nothing.
    Returns the version written, or None. Refuses what the regulation then refuses (`nobody_left`,
    C-10; `winner_total_zero`, C-08).
    """
    table = Table.objects.with_everything().get(pk=table.pk)
    before = table.confirmed()
    if before is None:
        return None
    facts = _facts(before)
    count = count_table(table, facts)
    _refuse_count(count)
    if _worth(before, table, count):
        return None
    return _write(table, facts, count, by, now, reason)


def _write(
    table: Table,
    facts: Mapping[int, Mapping[str, int]],
    count: Count,
    by: User,
    now: datetime,
    reason: str,
    origin: Origin | None = None,
) -> Result:
    """The next version, confirmed, in the place of the one before; logged, and mailed."""
    before, draft = table.confirmed(), table.draft()
    if before:
        Result.objects.filter(pk=before.pk).update(state=Result.State.SUPERSEDED)
    entered_by = None
    if draft:
        entered_by = draft.entered_by if _facts(draft) == facts else by
        if _facts(draft) == facts and origin is None:
            origin = Origin(draft.source, draft.replayed)
    elif table.withdrawal():
        entered_by = by  # the first again, as if nothing had been confirmed
    result = _write_version(
        table,
        Result.State.CONFIRMED,
        facts,
        count,
        by,
        now,
        entered_by=entered_by,
        reason=reason.strip(),
        origin=origin,
    )
    LogEntry.objects.record(
        by, "correct_table" if before else "record_table", table, now, version=result.version
    )
    _announce(result, result, table, now)
    return result


def _write_version(
    table: Table,
    state: Result.State,
    facts: Mapping[int, Mapping[str, int]],
    count: Count,
    by: User,
    now: datetime,
    *,
    entered_by: User | None,
    reason: str = "",
    origin: Origin | None = None,
) -> Result:
    """The next version, with a line a seat."""
    origin = origin or Origin()
    result = Result.objects.create(
        table=table,
        version=table.last_version() + 1,
        state=state,
        by=by,
        at=now,
        entered_by=entered_by,
        reason=reason,
        exclusion=table.exclusion,
        source=origin.source,
        replayed=origin.replayed,
    )
    for seat in table.seats.all():
        _write_line(result, seat, table, facts[seat.pk], count)
    return result


def scores_of(result: Result, table: Table) -> dict[int, Score]:
    """The scores of a written result by seat, reckoned again from its own lines, with every why.

    The title's limits on seats are not asked again: they held when the result was written.
    """
    rules = table.event.rules
    lines = list(result.lines.all())
    seats = [
        _seat(line.seat, line.player_id, line.facts, line.total, line.handicap, line.role)
        for line in lines
    ]
    count = len(lines)
    void = all(line.place is None and line.points is None for line in lines)
    played = regulation.Table(
        tuple(seats), count, count, exclusion=_exclusion(result.exclusion), void=void
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


def _refuse_tie(count: Count, tie_checked: bool) -> None:
    if count.to_recount and not tie_checked:
        raise Refused(
            "tie_unchecked",
            _("First place is shared: count again, and say that the tie is right."),
            rule="C-06",
        )


def _as_played(
    table: Table, typed: Mapping[int, Facts], totals: Mapping[int, int]
) -> regulation.Table:
    seats = [
        _seat(
            seat,
            seat.holder().player_id,
            typed[seat.pk],
            totals[seat.pk],
            seat.handicap,
            role_of(seat, table),
        )
        for seat in table.seats.all()
    ]
    fewest, most = table.round.prova.event_seats()
    void = table.status == Table.Status.VOID
    return regulation.Table(
        tuple(seats), fewest, most, exclusion=_exclusion(table.exclusion), void=void
    )


def _seat(
    seat: Seat, player_pk: int | None, facts: Facts, total: int, handicap: int, role: str
) -> regulation.Seat:
    return regulation.Seat(
        _key(seat, player_pk),
        total,
        handicap=handicap,
        excluded=role == ResultLine.Role.EXCLUDED,
        unscored=role == ResultLine.Role.REFEREE,
        cinderella=role == ResultLine.Role.CINDERELLA,
        facts={name: value for name, value in facts.items() if value is not None},
    )


def _exclusion(decided: str) -> regulation.Exclusion | None:
    match decided:
        case "recompute" | "keep_reference" as exclusion:
            return exclusion
    return None


def _key(seat: Seat, player_pk: int | None) -> PlayerId:
    return f"referee-{seat.pk}" if player_pk is None else player_pk


def role_of(seat: Seat, table: Table) -> ResultLine.Role:
    """As what the seat is scored now: C-10 to C-13."""
    holder = seat.holder()
    if holder.player_id is None:
        return ResultLine.Role.REFEREE
    if any(r.player_id == holder.player_id and r.lifted_at is None for r in table.removals.all()):
        return ResultLine.Role.EXCLUDED
    if holder.why == Holder.Why.CINDERELLA:
        return ResultLine.Role.CINDERELLA
    return ResultLine.Role.PLAYER


def _worth(result: Result, table: Table, count: Count) -> bool:
    """Whether `result` says what would be written now: nothing came between that changes it."""
    written = {
        line.seat_id: (line.player_id, line.role, line.handicap, line.place, line.points, line.win)
        for line in result.lines.all()
    }
    scores = count.scores
    now = {
        seat.pk: (
            seat.holder().player_id,
            role_of(seat, table),
            seat.handicap,
            scores[seat.pk].place,
            _hundredths(scores[seat.pk].points),
            scores[seat.pk].win,
        )
        for seat in table.seats.all()
    }
    return result.exclusion == table.exclusion and written == now


def _hundredths(points: Decimal | None) -> int | None:
    return None if points is None else int(points * 100)


def _filled(typed: Mapping[int, Facts]) -> dict[int, dict[str, int]]:
    return {pk: {k: v for k, v in f.items() if v is not None} for pk, f in typed.items()}


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
        role=role_of(seat, table),
        facts=dict(facts),
        total=count.totals[seat.pk],
        handicap=seat.handicap,
        place=score.place,
        points=_hundredths(score.points),
        win=score.win,
    )


def _announce(result: Result, told: Result, table: Table, now: datetime) -> None:
    """Write to who played that there is a new version, with the lines of the one `told`."""
    lines = (
        Result.objects.prefetch_related("lines__seat", "lines__player__user")
        .get(pk=told.pk)
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
