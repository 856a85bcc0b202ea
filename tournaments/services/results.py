"""The result of a table: counted while it is typed, confirmed, corrected."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from datetime import datetime
from decimal import Decimal

from django.db import transaction
from django.utils.translation import gettext as _

from figf import mail
from figf.errors import Refused
from figf.models import LogEntry, User
from tournaments import texts
from tournaments.models import Holder, Result, ResultLine, Round, Seat, Table
from tournaments.rules import registry, regulation
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

    Refuses: a round whose publication was taken back (`round_not_published`, B-17), an event not
    being played (`event_not_running`, C-15), whatever the regulation refuses,
    with its article, an amount beyond belief (`total_too_large`, C-03), seats without a total
    (`incomplete`, C-03), a result that somebody else wrote meanwhile (`stale`), a shared first
    place that nobody says to have counted twice (`tie_unchecked`, C-06), a correction without its
    reason (`reason_missing`, C-15) or that corrects nothing (`nothing_changed`).
    """
    Table.objects.select_for_update(of=("self",), no_key=True).get(pk=table_pk)
    table = Table.objects.with_everything().get(pk=table_pk)
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
    Table.objects.filter(pk=table.pk).update(
        status=Table.Status.CONFIRMED,
        started_at=table.started_at or now,  # whoever reports has played
    )
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
    seats = [
        _seat(line.seat, line.player_id, line.total, line.handicap, line.role) for line in lines
    ]
    count = len(lines)
    played = regulation.Table(tuple(seats), count, count, exclusion=_exclusion(result.exclusion))
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
    seats = [
        _seat(seat, seat.holder().player_id, totals[seat.pk], seat.handicap, _role(seat, table))
        for seat in table.seats.all()
    ]
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
