"""A draft of the tables changed by hand: the director's right, said with its reason (B-15)."""

from __future__ import annotations

from collections.abc import Iterable
from datetime import datetime

from django.db import transaction
from django.utils.translation import gettext as _

from figf.errors import Refused
from figf.models import LogEntry, User
from tournaments.models import Event, Holder, Player, Round, Seat, Table
from tournaments.rules import referees
from tournaments.rules.regulation import ByHand, Illegal, Step
from tournaments.services.refusals import refused
from tournaments.services.seating import close_ranks, locked_draft


@transaction.atomic
def swap_seats(
    draft: Round, seats: Iterable[int], edition: int, reason: str, by: User, now: datetime
) -> Round:
    """Exchange the players of two seats of the draft.

    Locks the event. Refuses other than two seats of this draft (`two_seats`), no reason
    (`reason_missing`), and what `locked_draft` refuses.
    """
    draft = locked_draft(draft, edition)
    chosen = list(Seat.objects.filter(table__round=draft, pk__in=list(seats)).order_by("pk"))
    if len(chosen) != 2:
        raise Refused("two_seats", _("Pick exactly two seats to swap."), rule="B-15", field="seat")
    _refuse_no_reason(reason)
    first, second = chosen
    one, two = first.holders.get(), second.holders.get()
    one.player_id, two.player_id = two.player_id, one.player_id
    first.why, second.why = second.why, first.why
    for row in (one, two):
        row.save(update_fields=["player"])
    for seat in chosen:
        seat.save(update_fields=["why"])
    return _edited(draft, "swap_seats", by, now, reason, players=[one.player_id, two.player_id])


@transaction.atomic
def move_seats(
    draft: Round,
    seats: Iterable[int],
    number: int,
    edition: int,
    reason: str,
    by: User,
    now: datetime,
) -> Round:
    """Take the players of `seats` to the end of table `number`; a table left empty goes.

    Locks the event. Refuses seats or a table that the draft does not have (`no_seat`, `no_table`),
    no reason (`reason_missing`), and what `locked_draft` refuses.
    """
    draft = locked_draft(draft, edition)
    chosen = list(Seat.objects.filter(table__round=draft, pk__in=list(seats)).order_by("pk"))
    if not chosen:
        raise Refused("no_seat", _("Pick the seats to move."), rule="B-15", field="seat")
    table = _table(draft, number)
    _refuse_no_reason(reason)
    for seat in chosen:
        if seat.table_id != table.pk:
            seat.table, seat.position = table, _last(table) + 1
            seat.save(update_fields=["table", "position"])
    _tidy(draft)
    players = Holder.objects.filter(seat__in=chosen).values_list("player_id", flat=True)
    return _edited(draft, "move_seats", by, now, reason, players=list(players), table=number)


@transaction.atomic
def add_table(
    draft: Round, seats: Iterable[int], edition: int, reason: str, by: User, now: datetime
) -> Round:
    """One more table, to which the players of `seats` move.

    Locks the event. Refuses nobody picked (`no_seat`): a table begins with who sits at it.
    """
    draft = locked_draft(draft, edition)
    picked = list(Seat.objects.filter(table__round=draft, pk__in=list(seats)))
    if not picked:
        raise Refused(
            "no_seat",
            _("Pick the players who go to the new table."),
            rule="B-15",
            field="seat",
        )
    number = max(draft.tables.values_list("number", flat=True)) + 1
    Table.objects.create(round=draft, number=number)
    return move_seats(draft, [s.pk for s in picked], number, edition, reason, by, now)


@transaction.atomic
def seat_player(
    draft: Round, player: Player, number: int, edition: int, reason: str, by: User, now: datetime
) -> Round:
    """Give a seat at table `number` to somebody who is here and has none.

    Locks the event. Refuses who is not on the roll call (`not_here`, A-10) or has a seat
    (`seated_twice`, C-03), an unknown table (`no_table`), no reason (`reason_missing`).
    """
    draft = locked_draft(draft, edition)
    entry = draft.event.entries.filter(player=player).first()
    if entry is None or entry.present is not True:
        raise Refused(
            "not_here",
            _("%(player)s is not present: tick the roll call first.") % {"player": player},
            rule="A-10",
            field="player",
        )
    if Holder.objects.filter(seat__table__round=draft, player=player).exists():
        raise Refused(
            "seated_twice",
            _("%(player)s has a seat already.") % {"player": player},
            rule="C-03",
            field="player",
        )
    table = _table(draft, number)
    _refuse_no_reason(reason)
    why = {"table": 0, "step": Step.of("B-15", ByHand.BY_HAND).to_json()}
    seat = Seat.objects.create(table=table, position=_last(table) + 1, why=why)
    Holder.objects.create(seat=seat, player=player)
    return _edited(draft, "seat_player", by, now, reason, players=[player.pk], table=number)


@transaction.atomic
def unseat(
    draft: Round, seats: Iterable[int], edition: int, reason: str, by: User, now: datetime
) -> Round:
    """Take the players of `seats` off the draft; a table left empty goes.

    Locks the event. Refuses nobody picked (`no_seat`) and no reason (`reason_missing`).
    """
    draft = locked_draft(draft, edition)
    chosen = Seat.objects.filter(table__round=draft, pk__in=list(seats))
    players = list(Holder.objects.filter(seat__in=chosen).values_list("player_id", flat=True))
    if not players:
        raise Refused("no_seat", _("Pick who gives up the seat."), rule="B-15", field="seat")
    _refuse_no_reason(reason)
    chosen.delete()
    _tidy(draft)
    return _edited(draft, "unseat", by, now, reason, players=players)


@transaction.atomic
def name_referee(
    table: Table, player: Player | None, reason: str, by: User, now: datetime
) -> tuple[Player, ...]:
    """Name the referee of a table, draft or published (M-02, M-03), or nobody.

    Any person enrolled and here, or the technical director. Locks the event. Returns the FIGF
    referees who were free and passed over: the choice is the director's, and is recorded.

    Refuses who sits at that very table where there are others (`referee_at_own_table`, M-03); at
    the only table, or who is not a FIGF referee while one is free, the `reason` is asked
    (`reason_missing`, M-02; where the regulation has no referees of the tables, only M-03); who is
    not here (`not_here`, A-10); a table with a result (`results_in`).
    """
    event_pk = table.round.prova.event_id
    Event.objects.select_for_update(of=("self",), no_key=True).get(pk=event_pk)
    seated = Round.objects.with_seating().get(pk=table.round_id)
    tables = list(seated.tables.all())
    table = next(t for t in tables if t.pk == table.pk)
    if table.results.all():
        raise Refused("results_in", _("This table has reported: its referee stays."), rule="M-02")
    passed: tuple[Player, ...] = ()
    if player is not None:
        passed = _check_referee(seated, tables, table, player, reason)
    Table.objects.filter(pk=table.pk).update(referee=player, referee_reason=reason.strip())
    LogEntry.objects.record(
        by,
        "name_referee",
        table,
        now,
        referee=player.pk if player else None,
        passed_over=[p.pk for p in passed],
        reason=reason.strip(),
    )
    return passed


def _check_referee(
    seated: Round, tables: list[Table], table: Table, player: Player, reason: str
) -> tuple[Player, ...]:
    holders = [seat.holder().player_id for seat in table.seats.all()]
    at_table = [pk for pk in holders if pk is not None]
    free = referees_here(seated.event)
    if player.pk not in {p.pk for p in people_here(seated.event)}:
        raise Refused(
            "not_here",
            _("%(player)s is not present: tick the roll call first.") % {"player": player},
            rule="A-10",
            field="referee",
        )
    try:
        referees.check_referee(player.pk, at_table, alone=len(tables) == 1)
    except Illegal as illegal:
        raise refused(illegal) from None
    passed = referees.passed_over(
        player.pk,
        at_table,
        [p.pk for p in free if seated.event.rules.refereed],
        appointed={t.referee_id for t in tables if t.referee_id and t.pk != table.pk},
    )
    if player.pk in at_table and not reason.strip():
        raise Refused(
            "reason_missing",
            _("Say why: this referee sits at the only table."),
            rule="M-03",
            field="reason",
        )
    if passed and not reason.strip():
        raise Refused(
            "reason_missing",
            _("Say why: a FIGF referee is free (%(people)s).")
            % {"people": ", ".join(str(p) for p in free if p.pk in passed)},
            rule="M-02",
            field="reason",
        )
    return tuple(p for p in free if p.pk in passed)


def people_here(event: Event) -> list[Player]:
    """Who may be named referee: everybody present, and the technical director."""
    entries = event.entries.enrolled().filter(present=True).with_people()
    people = {entry.player_id: entry.player for entry in entries}
    if event.director is not None:
        people.setdefault(event.director.pk, event.director)
    return list(people.values())


def referees_here(event: Event) -> list[Player]:
    """The FIGF referees among them, on the event's first day."""
    here = Player.objects.filter(pk__in=[p.pk for p in people_here(event)])
    return [p for p in here.prefetch_related("referee_terms") if p.is_referee(event.starts_on)]


# --- what every edit shares -----------------------------------------------------------------------


def _table(draft: Round, number: int) -> Table:
    table = draft.tables.filter(number=number).first()
    if table is None:
        raise Refused("no_table", _("There is no such table."), field="table")
    return table


def _last(table: Table) -> int:
    return max(table.seats.values_list("position", flat=True), default=0)


def _refuse_no_reason(reason: str) -> None:
    if not reason.strip():
        raise Refused(
            "reason_missing",
            _("Say why you depart from the order of the regulation."),
            rule="B-15",
            field="reason",
        )


def _tidy(draft: Round) -> None:
    """No empty table, and seats counted from one without gaps."""
    draft.tables.filter(seats=None).delete()
    for number, table in enumerate(draft.tables.order_by("number"), start=1):
        close_ranks(table)
        if table.number != number:
            table.number = number
            table.save(update_fields=["number"])


def _edited(draft: Round, verb: str, by: User, now: datetime, reason: str, **what: object) -> Round:
    _free_referees(draft)
    draft.edition += 1
    draft.save(update_fields=["edition"])
    LogEntry.objects.record(by, verb, draft, now, reason=reason.strip(), **what)
    return draft


def _free_referees(draft: Round) -> None:
    """M-03: who has come to sit at the table he was to referee does not any more.

    A single table is left as it is: there the director has chosen, with a reason.
    """
    tables = list(draft.tables.prefetch_related("seats__holders"))
    if len(tables) == 1:
        return
    for table in tables:
        held = [seat.holder().player_id for seat in table.seats.all()]
        players = [pk for pk in held if pk is not None]
        if table.referee_id and not referees.may_referee(table.referee_id, players):
            table.referee, table.referee_reason = None, ""
            table.save(update_fields=["referee", "referee_reason"])
