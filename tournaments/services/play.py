"""A published round begins: tables start, and somebody may not have come."""

from __future__ import annotations

from collections.abc import Collection, Sequence
from dataclasses import dataclass
from datetime import datetime
from typing import Any

from django.db import transaction
from django.utils.translation import gettext as _

from figf.errors import Refused
from figf.models import LogEntry, User
from tournaments.models import Entry, Event, Holder, Round, Seat, Table
from tournaments.rules import referees
from tournaments.rules.regulation import ByHand, Illegal, Placed, Regulation, Step
from tournaments.rules.tables import one_short
from tournaments.services.incidents import anything_happened
from tournaments.services.refusals import refused
from tournaments.services.results import record_table
from tournaments.services.seating import (
    announce,
    close_ranks,
    lay_table,
    lock_published,
    refuse_stale,
    sittings,
)


@transaction.atomic
def start_tables(seated: Round, by: User, now: datetime, *, only: Table | None = None) -> Round:
    """The tables of a published round start playing: all that have not yet, or `only` one (M-02).

    Locks the event. Who sits at a table of one has his result at once, as the regulation has it for
    a bye. Starting what has started changes nothing. Refuses an event not under way
    (`event_not_running`, A-15), a round not published (`round_not_published`), and a table without
    a referee where the regulation asks for one (`referee_missing`, M-02).
    """
    seated = lock_published(seated)
    _refuse_not_running(seated)
    tables = list(seated.tables.all())
    waiting = [t for t in tables if t.started_at is None and (only is None or t.pk == only.pk)]
    try:
        referees.check_appointed(
            [None if t in waiting and t.misses_referee() else t.pk for t in tables]
        )
    except Illegal as illegal:
        raise refused(illegal) from None
    for table in waiting:
        table.started_at = now
        table.save(update_fields=["started_at"])
    if waiting:
        LogEntry.objects.record(
            by, "start_tables", seated, now, tables=[table.number for table in waiting]
        )
    _write_byes(seated, waiting, by, now)
    return seated


@transaction.atomic
def start_by_correspondence(table: Table, by: User | None, now: datetime) -> Table:
    """A table played over the web (I-08) starts when the order of its players is known.

    It needs no referee of its own: what is disputed goes to the referees of all such games (M-11).
    One that has started stays as it is.
    """
    table = Table.objects.select_for_update(of=("self",), no_key=True).get(pk=table.pk)
    if table.started_at is None:
        table.started_at = now
        table.save(update_fields=["started_at"])
        LogEntry.objects.record(by, "start_tables", table.round, now, tables=[table.number])
    return table


def _write_byes(seated: Round, tables: Sequence[Table], by: User, now: datetime) -> None:
    bye = seated.event.rules.bye
    for table in tables:
        seats = list(table.seats.all())
        if bye is not None and len(seats) == 1:
            record_table(table.pk, {seats[0].pk: bye}, 0, by, now)


def still_playing(seated: Round) -> list[Holder]:
    """Who of a round sits, by the site's knowledge, at another table of the event still playing.

    Nobody plays twice at once: either that table has a result to be entered, or it never started.
    """
    waiting = [table.pk for table in seated.tables.all() if table.started_at is None]
    here = Holder.objects.filter(seat__table__in=waiting, player__isnull=False)
    elsewhere = Holder.objects.filter(
        seat__table__status=Table.Status.PLAYING,
        seat__table__started_at__isnull=False,
        seat__table__round__prova__event=seated.event,
        player__in=here.values("player"),
        ends_at=None,
    )
    return list(
        elsewhere.exclude(seat__table__round=seated).select_related(
            "player", "seat__table__round__prova__title"
        )
    )


@transaction.atomic
def stop_table(table: Table, by: User, now: datetime) -> Table:
    """A table started too early waits again, as long as nothing came of it.

    Refuses one with a result (`results_in`), and one where something was written since, from a
    handicap to a change of hands (`something_happened`).
    """
    seated = lock_published(table.round)
    table = next(found for found in seated.tables.all() if found.pk == table.pk)
    if table.results.all():
        raise Refused("results_in", _("This table has reported: it has been played."))
    if anything_happened(Table.objects.filter(pk=table.pk)):
        raise Refused(
            "something_happened", _("This table has been played: see what happened there.")
        )
    if table.started_at is not None:
        table.started_at = None
        table.save(update_fields=["started_at"])
        LogEntry.objects.record(by, "stop_table", table, now)
    return table


@dataclass(frozen=True, slots=True)
class NoShow:
    """What a no-show led to: his table plays one short, or these tables were seated again."""

    one_short: bool
    tables: tuple[int, ...]


@transaction.atomic
def no_show(seat: Seat, edition: int, by: User, now: datetime) -> NoShow:
    """B-16 as ruled: who has not come when his table starts.

    The table plays one short, if enough remain; else the tables not yet started are seated again,
    in the order already used and with the sizes of those who are left. He has no result and is
    marked absent. Who sat down and left is another matter (C-12).

    Locks the event. Writes the roll call and the tables, and queues a mail to those who move.
    Refuses: a round not published (`round_not_published`), changed meanwhile (`stale`), a table
    that has started (`table_started`), an event not under way (`event_not_running`), players who
    cannot be divided any more (B-06, B-07).
    """
    seated = lock_published(seat.table.round)
    refuse_stale(seated, edition)
    _refuse_not_running(seated)
    table = next((t for t in seated.tables.all() if t.pk == seat.table_id), None)
    if table is None or table.started_at is not None or table.results.all():
        raise Refused(
            "table_started",
            _(
                "This table has started: nothing moves any more. Who sat down and left is "
                "replaced by Cinderella."
            ),
            rule="B-16",
        )
    player_pk = seat.holders.latest("pk").player_id
    Entry.objects.filter(event=seated.event, player=player_pk).update(present=False)
    fewest, _most = seated.prova.event_seats()
    if one_short(len(table.seats.all()), 1, fewest):
        seat.delete()
        close_ranks(table)
        outcome = NoShow(one_short=True, tables=(table.number,))
    else:
        outcome = _seat_again(seated, {player_pk})
    seated.edition += 1
    seated.save(update_fields=["edition", "sizes_step", "sizes_reason"])
    LogEntry.objects.record(
        by,
        "no_show",
        seated,
        now,
        player=player_pk,
        table=table.number,
        one_short=outcome.one_short,
    )
    seated = Round.objects.with_seating().get(pk=seated.pk)
    moved = {
        there.holder().player_id
        for t in seated.tables.all()
        if t.number in outcome.tables
        for there in t.seats.all()
    }
    announce(seated, now, people={pk for pk in moved if pk is not None})
    return outcome


def _seat_again(seated: Round, gone: Collection[int | None]) -> NoShow:
    """Deal again those who sit at tables not started, without `gone`, in the order once used."""
    waiting = [table for table in seated.tables.all() if table.started_at is None]
    steps = {
        there.holder().player_id: there.why.get("step")
        for table in waiting
        for there in table.seats.all()
    }
    rules = seated.event.rules
    left = [
        Placed(pk, _step(steps[pk], rules)) for pk in _order(seated, list(steps)) if pk not in gone
    ]
    fewest, most = seated.prova.event_seats()
    if not left:  # who had a bye has not come
        seated.tables.filter(started_at=None).delete()
        return NoShow(one_short=False, tables=())
    met = sittings(seated.prova, seated.number)
    try:
        chosen = rules.compositions(len(left), fewest, most, rules.readings)[0]
        dealt = rules.deal(left, chosen.sizes, met, rules.readings)
    except Illegal as illegal:
        raise refused(illegal) from None
    kept = {table.number for table in seated.tables.all()} - {table.number for table in waiting}
    referees_before = {table.number: table.referee_id for table in waiting}
    for table in waiting:
        table.delete()
    numbers = [n for n in range(1, len(kept) + len(dealt) + 1) if n not in kept]
    for number, players in zip(numbers, dealt, strict=True):
        referee = referees_before.get(number)
        stays = referee and referees.may_referee(referee, [placed.key for placed in players])
        alone = len(dealt) + len(kept) == 1
        lay_table(seated, number, players, referee if stays or alone else None)
    seated.sizes_step = chosen.step.to_json()
    seated.sizes_reason = ""
    return NoShow(one_short=False, tables=tuple(numbers))


def _order(seated: Round, players: Collection[int | None]) -> list[int]:
    """`players` in the round's order; those seated by hand, whom it does not list, come last."""
    listed = [pk for pk in seated.order_used if pk in players]
    return [*listed, *(pk for pk in players if pk is not None and pk not in listed)]


def _step(written: dict[str, object] | None, rules: Regulation[Any]) -> Step:
    return Step.from_json(written, rules.kind) if written else Step.of("B-15", ByHand.BY_HAND)


def _refuse_not_running(seated: Round) -> None:
    if seated.event.status != Event.Status.RUNNING:
        raise Refused(
            "event_not_running",
            _("Tables start while the event is under way."),
            rule="A-15",
        )
