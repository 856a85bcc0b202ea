"""The results of a round from a table: judged row by row, then confirmed all together or not."""

from __future__ import annotations

import hashlib
import re
from collections.abc import Collection, Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from datetime import datetime
from enum import StrEnum

from django.db import transaction
from django.utils.translation import gettext as _

from figf.errors import Refused
from figf.models import User
from tournaments import texts
from tournaments.models import Result, ResultLine, Round, Seat, Table
from tournaments.rules import names
from tournaments.services.results import LARGEST_TOTAL, Count, Facts, count_table, record_table

REFEREES = {"referee", "areferee", "arbitro", "unarbitro"}  # how a seat without player is called


@dataclass(frozen=True, slots=True)
class ResultRow:
    """A row of the table: where it stands, whose it says to be, what was counted.

    `table` and `player` are as they were written; an amount is None where its cell is empty.
    `faults` are what is wrong with the cells.
    """

    line: int
    table: str
    player: str
    facts: Facts
    faults: tuple[str, ...] = ()


class RowVerdict(StrEnum):
    """What becomes of a row."""

    TAKEN = "taken"
    EMPTY = "empty"  # no amount: left for later
    SAME = "same"  # confirmed already, with the same figures
    CONFIRMED = "confirmed"  # confirmed already, with others
    NO_TABLE = "no_table"
    NOT_THERE = "not_there"  # nobody of that name sits at the table
    TWICE = "twice"
    AMOUNT = "amount"


STOPPING = frozenset(RowVerdict) - {RowVerdict.TAKEN, RowVerdict.EMPTY, RowVerdict.SAME}


@dataclass(slots=True)
class JudgedRow:
    """A row, what becomes of it, and why it cannot be taken, each with its article."""

    row: ResultRow
    verdict: RowVerdict
    table: Table | None = None
    seat: Seat | None = None
    why: list[tuple[str, str]] = field(default_factory=list)


class TableVerdict(StrEnum):
    """What becomes of a table."""

    READY = "ready"
    INCOMPLETE = "incomplete"  # some of its seats have no total
    REFUSED = "refused"
    LEFT = "left"  # no amount for any of its seats
    IN = "in"  # confirmed already


@dataclass(frozen=True, slots=True)
class JudgedTable:
    """A table of the round with what the rows say of it: their count, and which seats miss."""

    table: Table
    verdict: TableVerdict
    facts: Mapping[int, Facts]
    count: Count
    missing: tuple[Seat, ...] = ()
    why: tuple[tuple[str, str], ...] = ()

    @property
    def tied(self) -> bool:
        """Whether it needs somebody to say that it was counted again (C-06)."""
        return self.verdict == TableVerdict.READY and self.count.to_recount

    @property
    def contradicts(self) -> bool:
        """Whether the referee sent other figures than these (C-14)."""
        draft = self.table.draft()
        if draft is None or self.verdict != TableVerdict.READY:
            return False
        alone = self.table.event.rules.total_alone
        return not all(_says(line, self.facts, self.count, alone) for line in draft.lines.all())


@dataclass(frozen=True, slots=True)
class RoundReport:
    """What an import would do to a round, row by row and table by table."""

    rows: tuple[JudgedRow, ...]
    tables: tuple[JudgedTable, ...]

    @property
    def fingerprint(self) -> str:
        """A word that changes when the rows, the tables or what they are worth change."""
        told = (
            [
                (
                    j.row.line,
                    str(j.verdict),
                    j.seat.pk if j.seat else 0,
                    sorted(j.row.facts.items()),
                )
                for j in self.rows
            ],
            [
                (
                    judged.table.pk,
                    str(judged.verdict),
                    judged.table.last_version(),
                    [(s.place, str(s.points)) for s in judged.count.scores.values()],
                )
                for judged in self.tables
            ],
        )
        return hashlib.sha256(repr(told).encode()).hexdigest()

    def rows_with(self, *verdicts: RowVerdict) -> list[JudgedRow]:
        return [judged for judged in self.rows if judged.verdict in verdicts]

    def tables_with(self, *verdicts: TableVerdict) -> list[JudgedTable]:
        return [judged for judged in self.tables if judged.verdict in verdicts]

    @property
    def stopped(self) -> list[JudgedRow]:
        """The rows because of which nothing can be written."""
        return self.rows_with(*STOPPING)

    @property
    def ready(self) -> list[JudgedTable]:
        return self.tables_with(TableVerdict.READY)

    @property
    def unfinished(self) -> list[JudgedTable]:
        """The tables because of which nothing can be written."""
        return self.tables_with(TableVerdict.INCOMPLETE, TableVerdict.REFUSED)

    def may_be_written(self) -> bool:
        return bool(self.ready) and not self.stopped and not self.unfinished


# --- judging --------------------------------------------------------------------------------------


def judge_results(seated: Round, rows: Sequence[ResultRow]) -> RoundReport:
    """What `import_results` would make of each row, by the tables as they are now. Writes nothing.

    `seated` comes from `with_seating`.
    """
    tables = {table.number: table for table in seated.tables.all()}
    taken: dict[int, JudgedRow] = {}  # by seat: the row that speaks of it
    judged = [_judge_row(row, tables, taken) for row in rows]
    facts: dict[int, dict[int, Facts]] = {table.pk: {} for table in tables.values()}
    for seat_pk, each in taken.items():
        if each.table is not None and each.verdict != RowVerdict.EMPTY:
            facts[each.table.pk][seat_pk] = each.row.facts
    told = [_judge_table(table, facts[table.pk], taken) for table in tables.values()]
    return RoundReport(tuple(judged), tuple(told))


def _judge_row(
    row: ResultRow, tables: Mapping[int, Table], taken: dict[int, JudgedRow]
) -> JudgedRow:
    table = tables.get(_number(row.table))
    if table is None:
        why = _("There is no table “%(table)s” in this round.") % {"table": row.table}
        return JudgedRow(row, RowVerdict.NO_TABLE, why=[(why, "")])
    seats = [seat for seat in table.seats.all() if _is(seat, row.player)]
    if len(seats) != 1:
        return JudgedRow(row, RowVerdict.NOT_THERE, table, why=[(_absent(row, tables, seats), "")])
    seat = seats[0]
    judged = JudgedRow(row, RowVerdict.TAKEN, table, seat)
    first = taken.setdefault(seat.pk, judged)
    if first is not judged:
        judged.verdict = RowVerdict.TWICE
        judged.why.append((_("He is in row %(line)d too.") % {"line": first.row.line}, "C-03"))
    elif row.faults:
        judged.verdict = RowVerdict.AMOUNT
        judged.why += [(fault, "C-03") for fault in row.faults]
    elif all(amount is None for amount in row.facts.values()):
        judged.verdict = RowVerdict.EMPTY
    return judged


def _number(text: str) -> int:
    """3 of “3”, of “Table 3” and of “Tavolo 3”; 0, which no table has, of anything else."""
    found = re.search(r"(?:^|[^0-9.,-])([0-9]{1,4})$", text.strip())
    return int(found[1]) if found else 0


def _is(seat: Seat, written: str) -> bool:
    """Whether `written`, surname and first name in either order, is who holds the seat."""
    player, letters = seat.holder().player, names.letters(written)
    if player is None:
        return letters in REFEREES
    surname, name = names.letters(player.surname), names.letters(player.name)
    return bool(letters) and letters in {surname + name, name + surname}


def _absent(row: ResultRow, tables: Mapping[int, Table], there: Sequence[Seat]) -> str:
    """Why a row is nobody's: nobody is called so, or two are."""
    if not names.letters(row.player):
        return _("The player is missing.")
    if there:
        return _("Two seats of this table have that name: enter them on the table's sheet.")
    for table in tables.values():
        if any(_is(seat, row.player) for seat in table.seats.all()):
            return _("He sits at table %(table)d.") % {"table": table.number}
    table = tables[_number(row.table)]
    sitting = ", ".join(str(seat.holder().player or _("a referee")) for seat in table.seats.all())
    return _("Nobody of that name sits there: %(players)s.") % {"players": sitting}


def _judge_table(
    table: Table, facts: Mapping[int, Facts], taken: Mapping[int, JudgedRow]
) -> JudgedTable:
    nothing = Count({}, {}, {})
    if table.confirmed() is not None:
        _judge_confirmed(table, facts, taken)
        return JudgedTable(table, TableVerdict.IN, {}, nothing)
    if not facts:
        return JudgedTable(table, TableVerdict.LEFT, {}, nothing)
    if table.status == Table.Status.VOID:
        why = (_("This game is void: take that back before writing its result."), "C-17")
        return JudgedTable(table, TableVerdict.REFUSED, {}, nothing, why=(why,))
    readable = {pk: each for pk, each in facts.items() if taken[pk].verdict != RowVerdict.AMOUNT}
    count = count_table(table, readable)
    _blame(count, taken)
    missing = tuple(seat for seat in table.seats.all() if seat.pk not in facts)
    whole = count.refusals.get(None)
    if missing:
        verdict = TableVerdict.INCOMPLETE
    elif not count.scores or any(taken[pk].verdict == RowVerdict.AMOUNT for pk in facts):
        verdict = TableVerdict.REFUSED  # as a whole, or one of its rows says why
    else:
        verdict = TableVerdict.READY
    reasons = ((texts.refusal(whole), whole.rule),) if whole and not missing else ()
    told = _parts(facts, count, table.event.rules.total_alone)
    return JudgedTable(table, verdict, told, count, missing, reasons)


def _blame(count: Count, taken: Mapping[int, JudgedRow]) -> None:
    """Write what is refused of a seat at the row that speaks of it."""
    for seat_pk, illegal in count.refusals.items():
        if seat_pk is not None:
            taken[seat_pk].verdict = RowVerdict.AMOUNT
            words, amount = texts.refusal(illegal), taken[seat_pk].row.facts.get(illegal.field)
            if amount is not None:
                words = _("%(amount)s: %(why)s") % {"amount": amount, "why": words}
            taken[seat_pk].why.append((words, illegal.rule))
    for seat_pk, total in count.totals.items():
        if total > LARGEST_TOTAL:
            taken[seat_pk].verdict = RowVerdict.AMOUNT
            taken[seat_pk].why.append((_("This amount is too large to be true."), "C-03"))


def _judge_confirmed(
    table: Table, facts: Mapping[int, Facts], taken: Mapping[int, JudgedRow]
) -> None:
    """What the rows of a table that has its result say: the same again, or something else."""
    confirmed = table.confirmed()
    written = {line.seat_id: line for line in confirmed.lines.all()} if confirmed else {}
    count = count_table(table, facts)
    alone = table.event.rules.total_alone
    told = _parts(facts, count, alone)
    for seat_pk in facts:
        each, line = taken[seat_pk], written.get(seat_pk)
        if each.verdict != RowVerdict.TAKEN:
            continue
        same = line is not None and _says(line, told, count, alone)
        each.verdict = RowVerdict.SAME if same else RowVerdict.CONFIRMED
        if not same:
            why = _("The result is confirmed, with %(total)s: correct it on the table's sheet.")
            each.why.append((why % {"total": line.total if line else "–"}, "C-15"))


def _says(line: ResultLine, facts: Mapping[int, Facts], count: Count, alone: bool) -> bool:
    """Whether what was told of a seat is what a line has: the total, where it is enough `alone`."""
    if count.totals.get(line.seat_id) != line.total:
        return False
    return alone or facts.get(line.seat_id) == line.facts


def _parts(facts: Mapping[int, Facts], count: Count, alone: bool) -> dict[int, Facts]:
    """The parts without their total, where they are all there and agree with it."""
    if not alone:
        return dict(facts)
    told: dict[int, Facts] = {}
    for pk, each in facts.items():
        parts = {name: value for name, value in each.items() if name != "total"}
        agree = pk in count.totals and parts and None not in parts.values()
        told[pk] = parts if agree else {"total": each.get("total")}
    return told


# --- confirming -----------------------------------------------------------------------------------


@transaction.atomic
def import_results(
    seated: Round,
    rows: Sequence[ResultRow],
    by: User,
    now: datetime,
    *,
    seen: str,
    tie_checked: Collection[int] = (),
) -> tuple[Result, ...]:
    """Confirm the results of the tables of a round that `rows` complete, all or none (C-14).

    `seen` is the fingerprint of the report that the director read; `tie_checked` are the tables
    whose shared first place he says to be right. Locks the tables of the round. Rows that say what
    is confirmed already change nothing. The same rows sent twice by the same hand are written once.

    Refuses when the report has become another one (`round_changed`), when a row cannot be taken
    (`rows_rejected`), when seats of a table are missing or the regulation refuses it (`incomplete`,
    C-03), when there is nothing to write (`nothing_to_import`), a shared first place that nobody
    says to have counted twice (`tie_unchecked`, C-06), and whatever `record_table` refuses.
    """
    locked = Table.objects.select_for_update(of=("self",), no_key=True).filter(round=seated)
    list(locked.order_by("pk"))
    report = judge_results(Round.objects.with_seating().get(pk=seated.pk), rows)
    if seen != report.fingerprint:
        already = list(_written_by(report, by))
        if already:
            return tuple(already)
        raise Refused(
            "round_changed",
            _("The tables have changed meanwhile, and nothing was written: look at it again."),
        )
    if report.stopped:
        raise Refused("rows_rejected", _("Some rows cannot be taken: nothing was written."))
    if report.unfinished:
        raise Refused(
            "incomplete",
            _("Some tables are not complete: nothing was written."),
            rule="C-03",
        )
    if not report.ready:
        raise Refused("nothing_to_import", _("There is no new result to write."))
    _refuse_ties(report, tie_checked)
    return tuple(
        record_table(
            judged.table.pk,
            judged.facts,
            judged.table.last_version(),
            by,
            now,
            tie_checked=judged.tied,
        )
        for judged in sorted(report.ready, key=lambda judged: judged.table.pk)
    )


def _refuse_ties(report: RoundReport, tie_checked: Collection[int]) -> None:
    unsaid = [j for j in report.ready if j.tied and j.table.pk not in tie_checked]
    if unsaid:
        numbers = ", ".join(str(judged.table.number) for judged in unsaid)
        raise Refused(
            "tie_unchecked",
            _("First place is shared at table %(tables)s: count again, and say that it is right.")
            % {"tables": numbers},
            rule="C-06",
            field="recounted",
        )


def _written_by(report: RoundReport, by: User) -> Iterator[Result]:
    """The results that say what the rows say, if `by` confirmed them all: the same click twice."""
    if report.stopped or report.ready or report.unfinished:
        return
    told = {
        judged.table.pk: judged.table
        for judged in report.rows_with(RowVerdict.SAME)
        if judged.table
    }
    results = [table.confirmed() for table in told.values()]
    if all(result is not None and result.by_id == by.pk for result in results):
        yield from (result for result in results if result is not None)
