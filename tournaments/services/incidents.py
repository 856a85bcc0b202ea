"""What happened at the table: handicaps, exclusions, changes of hands, void games; who is barred.

Every verb locks the event and then the table, and refuses an event that does not accept results
(`event_not_running`, C-15); a verb of a table also a round not published (`round_not_published`,
B-17), a table that has not started (`table_not_started`, B-16: who has not come is another
matter), one whose seats were dealt again (`seat_gone`), and what the regulation of its event does
not count with (`not_in_regulation`). Where a confirmed result is worth something else
afterwards, it is written again from the same facts, as a version with its reason (C-15). Whatever
is done here can be undone, and every number is then what it was.
"""

from __future__ import annotations

from datetime import date, datetime

from django.db import transaction
from django.db.models import Q, QuerySet
from django.utils.translation import gettext as _

from figf.errors import Refused
from figf.models import LogEntry, User
from tournaments.models import (
    Ban,
    Event,
    Holder,
    Player,
    Prova,
    Removal,
    Result,
    Round,
    Season,
    Seat,
    Table,
)
from tournaments.rules.figf import substitute
from tournaments.rules.regulation import Illegal, Incident, Reason
from tournaments.services.entries import refuse_banned
from tournaments.services.refusals import refuse_closed_season, refuse_imported, refused
from tournaments.services.registry import refuse_off_the_books
from tournaments.services.results import LARGEST_TOTAL, recount

# --- handicap -------------------------------------------------------------------------------------


@transaction.atomic
def give_handicap(
    seat: Seat, amount: int, reason: str, by: User, now: datetime, *, was: int | None = None
) -> Seat:
    """N-15: a handicap on the total of a seat, in the game's money: positive gives, negative takes.

    It replaces the one before; 0 takes it back. `was` is the handicap that the writer saw. The same
    once more changes nothing. The counted total is kept, and the corrected one is never below zero.

    Refuses an amount that is no whole number (`total_not_integer`) or beyond belief
    (`total_too_large`), no reason (`reason_missing`), another handicap than `was` (`stale`); and as
    every verb of a table.
    """
    if type(amount) is not int:
        raise refused(Illegal(Reason.TOTAL_NOT_INTEGER, "C-09", field="amount"))
    if abs(amount) > LARGEST_TOTAL:
        raise Refused(
            "total_too_large",
            _("This amount is too large to be true."),
            rule="C-09",
            field="amount",
        )
    table, seat = _locked_seat(seat)
    _refuse_unknown(table, Incident.HANDICAP)
    reason = reason.strip() if amount else ""
    if (seat.handicap, seat.handicap_reason) == (amount, reason):
        return seat
    if was is not None and was != seat.handicap:
        raise _stale()
    if amount and not reason:
        raise _reason_missing(_("Say why the handicap is given."), "C-09")
    seat.handicap, seat.handicap_reason = amount, reason
    seat.save(update_fields=["handicap", "handicap_reason"])
    recount(table, by, now, reason or _("handicap taken back"))
    LogEntry.objects.record(
        by, "give_handicap", table, now, seat=seat.pk, amount=amount, reason=reason
    )
    return seat


# --- out of a classification ----------------------------------------------------------------------


@transaction.atomic
def exclude(table: Table, player: Player, ruling: str, by: User, now: datetime) -> Removal:
    """C-10: a player is out of the classification of one game, which is reckoned again without him.

    Refuses no ruling (`reason_missing`), who does not hold a seat of it (`not_at_table`), who is
    out of it already (`already_removed`), to leave nobody in a game that has a result
    (`nobody_left`: declare it void); and as every verb of a table.
    """
    table = _locked(table)
    _refuse_unknown(table, Incident.EXCLUSION)
    if not ruling.strip():
        raise _reason_missing(_("Write the ruling: what was done, and what it says."), "C-10")
    if player.pk not in {seat.holder().player_id for seat in table.seats.all()}:
        raise Refused(
            "not_at_table",
            _("%(player)s does not sit at this table: load the page again.") % {"player": player},
            rule="C-10",
            field="player",
        )
    removal = _remove(
        Removal(player=player, level=Removal.Level.GAME, table=table), ruling, "C-10", by, now
    )
    recount(table, by, now, removal.ruling)
    LogEntry.objects.record(
        by, "exclude", table, now, player=player.pk, removal=removal.pk, ruling=removal.ruling
    )
    return removal


@transaction.atomic
def cancel(
    player: Player,
    by: User,
    now: datetime,
    *,
    level: str,
    prova: Prova | None = None,
    event: Event | None = None,
    ruling: str,
) -> Removal:
    """O-12: a player is out of the standing of a prova or of the event: `level` says which (D-08).

    Nothing is written at its tables: the others keep their percentiles, and move up. Where he was
    first, the director may exclude him from that game too.

    Locks the event. Refuses an event not under way (`event_not_running`) or of the history
    (`imported`, H-09), no ruling (`reason_missing`), who sat at no table of it (`not_at_table`) and
    who is out of it already (`already_removed`). Raises ValueError for a level without its target.
    """
    targets = {Removal.Level.PROVA: prova, Removal.Level.EVENT: event}
    target = targets.get(Removal.Level(level))
    if target is None or sum(each is not None for each in targets.values()) != 1:
        raise ValueError(f"{level} of prova {prova}, event {event}")
    found = _locked_event(prova.event_id if prova is not None else target.pk)
    if not ruling.strip():
        raise _reason_missing(_("Write the ruling: what was done, and what it says."), "D-08")
    sat = Holder.objects.filter(
        player=player,
        seat__table__round__prova__event=found,
        seat__table__round__status=Round.Status.PUBLISHED,
    )
    if prova is not None:
        sat = sat.filter(seat__table__round__prova=prova)
    if not sat.exists():
        raise Refused(
            "not_at_table",
            _("%(player)s has sat at no table of it.") % {"player": player},
            rule="D-08",
            field="player",
        )
    removal = _remove(
        Removal(player=player, level=level, prova=prova, event=event), ruling, "D-08", by, now
    )
    LogEntry.objects.record(
        by,
        "cancel",
        target,
        now,
        player=player.pk,
        removal=removal.pk,
        level=level,
        ruling=removal.ruling,
    )
    return removal


@transaction.atomic
def strike_off(player: Player, ruling: str, by: User, now: datetime) -> Removal:
    """O-16: a player leaves every standing for ever, and his name appears nowhere.

    In seasons still open the others move up; in closed ones they keep what they have. Locks the
    player. Refuses no ruling (`reason_missing`) and who is struck off already (`already_removed`).
    """
    return _removed_at_large(Removal(player=player, level=Removal.Level.ALL), ruling, by, now)


@transaction.atomic
def cancel_from_championship(
    player: Player, season: Season, championship: str, ruling: str, by: User, now: datetime
) -> Removal:
    """O-13: a player is out of one championship of a season; in it, the others move up (E-09).

    `championship` is "absolute" or the code of a title. The ranking is no championship, and stays.
    Locks the player. Refuses a season that is closed (`season_closed`, F-08), and as `strike_off`.
    """
    refuse_closed_season(season)
    removal = Removal(
        player=player,
        level=Removal.Level.CHAMPIONSHIP,
        season=season,
        championship=championship,
    )
    return _removed_at_large(removal, ruling, by, now)


def _removed_at_large(removal: Removal, ruling: str, by: User, now: datetime) -> Removal:
    rule = "O-16" if removal.level == Removal.Level.ALL else "O-13"
    Player.objects.select_for_update(of=("self",), no_key=True).get(pk=removal.player_id)
    if not ruling.strip():
        raise _reason_missing(_("Write the ruling: what was done, and what it says."), rule)
    removal = _remove(removal, ruling, rule, by, now)
    LogEntry.objects.record(
        by,
        "cancel",
        removal.season or removal.player,
        now,
        player=removal.player_id,
        removal=removal.pk,
        level=removal.level,
        ruling=removal.ruling,
    )
    return removal


@transaction.atomic
def lift(removal: Removal, by: User, now: datetime) -> Removal:
    """A removal is lifted: every number is what it was before.

    With the last exclusion of a table goes what was decided about excluded totals. Refuses one
    lifted already (`already_lifted`); and as every verb of a table, or of an event.
    """
    table, event_pk = removal.table, removal.event_id
    if removal.prova is not None:
        event_pk = removal.prova.event_id
    if table is not None:
        table = _locked(table)
    elif event_pk is not None:
        _locked_event(event_pk)
    else:
        Player.objects.select_for_update(of=("self",), no_key=True).get(pk=removal.player_id)
    removal = Removal.objects.select_related("table", "prova", "event", "player").get(pk=removal.pk)
    if removal.lifted_at is not None:
        raise Refused("already_lifted", _("This was lifted already: load the page again."))
    removal.lifted_at = now
    removal.save(update_fields=["lifted_at"])
    if table is not None:
        if not table.removals.filter(lifted_at=None).exists():
            Table.objects.filter(pk=table.pk).update(exclusion="", exclusion_reason="")
        recount(table, by, now, _("exclusion lifted: %(player)s") % {"player": removal.player})
    target = removal.table or removal.prova or removal.event or removal.season or removal.player
    LogEntry.objects.record(by, "lift", target, now, player=removal.player_id, removal=removal.pk)
    return removal


@transaction.atomic
def decide_exclusion(table: Table, exclusion: str, reason: str, by: User, now: datetime) -> Table:
    """C-10: what becomes, at this table alone, of the total of who is excluded from its game.

    `exclusion` is one of `Table.Exclusion`, or "" to leave it to the regulation again. The same
    once more changes nothing. Refuses anything else (`unknown_exclusion`), no reason
    (`reason_missing`), a table from which nobody is excluded (`nobody_excluded`); and as every
    verb of a table.
    """
    table = _locked(table)
    if exclusion not in {"", *Table.Exclusion.values}:
        raise Refused(
            "unknown_exclusion",
            _("Choose what becomes of the excluded player's total."),
            rule="C-10",
            field="exclusion",
        )
    reason = reason.strip() if exclusion else ""
    if (table.exclusion, table.exclusion_reason) == (exclusion, reason):
        return table
    if exclusion and not table.removals.filter(lifted_at=None).exists():
        raise Refused(
            "nobody_excluded", _("Nobody is excluded from this game any more."), rule="C-10"
        )
    if exclusion and not reason:
        raise _reason_missing(_("Say why it is decided so for this table."), "C-10")
    table.exclusion, table.exclusion_reason = exclusion, reason
    table.save(update_fields=["exclusion", "exclusion_reason"])
    recount(table, by, now, reason or _("left to the regulation again"))
    LogEntry.objects.record(by, "decide_exclusion", table, now, exclusion=exclusion, reason=reason)
    return table


def _remove(removal: Removal, ruling: str, rule: str, by: User, now: datetime) -> Removal:
    """Write the row, under the lock of its event; refuse a second one in force."""
    same = Removal.objects.filter(
        player=removal.player,
        level=removal.level,
        table=removal.table,
        prova=removal.prova,
        event=removal.event,
        season=removal.season,
        championship=removal.championship,
        lifted_at=None,
    )
    if same.exists():
        raise Refused(
            "already_removed",
            _("%(player)s is out of it already.") % {"player": removal.player},
            rule=rule,
            field="player",
        )
    removal.ruling, removal.made_by, removal.made_at = ruling.strip(), by, now
    removal.save()
    return removal


# --- a seat changes hands -------------------------------------------------------------------------


@transaction.atomic
def hand_over(
    seat: Seat,
    player: Player | None,
    why: str,
    by: User,
    now: datetime,
    *,
    holding: int | None = None,
) -> Holder:
    """Somebody else plays a seat to the end: `why` is one of `Holder.Why`, but for who sat first.

    A substitute is a new player, who gets the whole score (C-13, S-04). A referee is nobody, and
    nobody is credited (C-11, S-05). Cinderella is the player who has left, who is credited (C-12,
    P-04). The holder before is closed, and stays in the seat's history. `holding` is the holder
    whom the writer saw.

    Refuses a seat that changed hands meanwhile (`stale`), a substitute who sits or sat at this
    table (`already_seated`, C-13) or sits at another of the round (`seated_in_round`, C-13), may
    not enrol (A-18) or is merged into another or forgotten (`off_the_books`), Cinderella for who
    does not hold the seat (`not_at_table`, C-12), what is so already (`already_so`); and as every
    verb of a table. Raises ValueError for a referee who is somebody, a substitute who is nobody,
    and who sat first.
    """
    reason = Holder.Why(why)
    if reason == Holder.Why.SEATED or (player is None) != (reason == Holder.Why.REFEREE):
        raise ValueError(f"{why} by {player}")
    table, seat = _locked_seat(seat)
    _refuse_unknown(table, Incident(reason))
    present = seat.holder()
    if holding is not None and holding != present.pk:
        raise _stale()
    if reason == Holder.Why.SUBSTITUTE and player is not None:
        refuse_off_the_books(player)
        _refuse_substitute(table, seat, player)
        refuse_banned(player, table.event)
    elif reason == Holder.Why.CINDERELLA and player is not None and player.pk != present.player_id:
        raise Refused(
            "not_at_table",
            _("%(player)s does not hold this seat: load the page again.") % {"player": player},
            rule="C-12",
        )
    elif present.why == reason:
        rule = "C-11" if reason == Holder.Why.REFEREE else "C-12"
        raise Refused("already_so", _("It is so already: load the page again."), rule=rule)
    seat.holders.filter(pk=present.pk).update(ends_at=now)
    holder = Holder.objects.create(seat=seat, player=player, why=reason, starts_at=now)
    recount(table, by, now, _changed(present, holder))
    LogEntry.objects.record(
        by,
        "hand_over",
        table,
        now,
        seat=seat.pk,
        why=str(reason),
        before=present.player_id,
        after=holder.player_id,
    )
    return holder


@transaction.atomic
def take_back_hand_over(
    seat: Seat, by: User, now: datetime, *, holding: int | None = None
) -> Holder:
    """The last change of hands of a seat did not take place: who held it before holds it again.

    Refuses a seat that changed hands meanwhile (`stale`) or never did (`nothing_to_take_back`), and
    who now sits at another table of the round (`seated_in_round`, C-13); and as every verb of a
    table.
    """
    table, seat = _locked_seat(seat)
    holders = list(seat.holders.all())
    if holding is not None and holding != holders[-1].pk:
        raise _stale()
    if len(holders) == 1:
        raise Refused("nothing_to_take_back", _("This seat has not changed hands."))
    last, before = holders[-1], holders[-2]
    if before.player is not None and before.player_id != last.player_id:
        _refuse_substitute(table, seat, before.player, returning=True)
    last.delete()
    seat.holders.filter(pk=before.pk).update(ends_at=None)
    recount(
        table,
        by,
        now,
        _("change of hands taken back: the seat is again of %(player)s")
        % {"player": before.player or _("a referee")},
    )
    LogEntry.objects.record(
        by,
        "take_back_hand_over",
        table,
        now,
        seat=seat.pk,
        why=last.why,
        before=last.player_id,
        after=before.player_id,
    )
    return Holder.objects.get(pk=before.pk)


@transaction.atomic
def give_seat(seat: Seat, player: Player, by: User, now: datetime) -> Holder:
    """A seat goes to another player before the game begins: who had it was never in this game.

    For the games by correspondence, whose players are asked before they begin. Locks the event and
    the table. Refuses what a substitute is refused for (C-13, A-18, `off_the_books`), a round not
    published (`round_not_published`) and a table with a result (`results_in`).
    """
    event = seat.table.round.prova.event_id
    Event.objects.select_for_update(of=("self",), no_key=True).get(pk=event)
    Table.objects.select_for_update(of=("self",), no_key=True).get(pk=seat.table_id)
    table = Table.objects.with_everything().get(pk=seat.table_id)
    if table.round.status != Round.Status.PUBLISHED:
        raise Refused("round_not_published", _("This round is not published."), rule="B-17")
    if table.results.all():
        raise Refused("results_in", _("This table has reported: it has been played."))
    seat = next(each for each in table.seats.all() if each.pk == seat.pk)
    refuse_off_the_books(player)
    _refuse_substitute(table, seat, player)
    refuse_banned(player, table.event)
    holder = seat.holder()
    before, holder.player = holder.player_id, player
    holder.save(update_fields=["player"])
    Seat.objects.filter(pk=seat.pk).update(why={})  # no rule of seating put him there
    LogEntry.objects.record(
        by, "give_seat", table, now, seat=seat.pk, before=before, after=player.pk
    )
    return holder


def _changed(before: Holder, after: Holder) -> str:
    """A change of hands as the reason of a version says it, names cut to its length if need be."""
    words = {
        Holder.Why.SUBSTITUTE: _("substitute: %(player)s in the place of %(before)s"),
        Holder.Why.REFEREE: _("a referee finishes the game of %(before)s"),
        Holder.Why.CINDERELLA: _("absent: Cinderella plays for %(before)s"),
    }[Holder.Why(after.why)]
    names = {"player": after.player, "before": before.player or _("a referee")}
    return (words % names)[: Result._meta.get_field("reason").max_length]


def _refuse_substitute(
    table: Table, seat: Seat, player: Player, *, returning: bool = False
) -> None:
    """Who may take the seat over, or have it back, by C-13."""
    everybody = Holder.objects.filter(seat__table__round=table.round_id, player__isnull=False)
    at_table = everybody.filter(seat__table=table).exclude(seat=seat)
    in_round = (
        everybody.filter(ends_at=None)
        .exclude(seat__table=table)
        .exclude(seat__table__status=Table.Status.VOID)
    )
    holders = [] if returning else [holder.player_id for holder in seat.holders.all()]
    try:
        substitute(
            holders or [None],
            player.pk,
            at_table=set(at_table.values_list("player__pk", flat=True)),
            in_round=set(in_round.values_list("player__pk", flat=True)),
        )
    except Illegal as illegal:
        refusal = refused(illegal)
        refusal.field = "player"
        raise refusal from None


# --- a void game ----------------------------------------------------------------------------------


@transaction.atomic
def void_table(table: Table, reason: str, by: User, now: datetime) -> Table:
    """C-17: the game is void, with or without a result: it gives nothing to anybody.

    Refuses no reason (`reason_missing`) and a game void already (`already_void`); and as every verb
    of a table.
    """
    table = _locked(table)
    if table.status == Table.Status.VOID:
        raise Refused("already_void", _("This game is void already."), rule="C-17")
    reason = reason.strip()
    if not reason:
        raise _reason_missing(_("Say why the game is void."), "C-17")
    table.status = Table.Status.VOID
    table.save(update_fields=["status"])
    recount(table, by, now, reason)
    LogEntry.objects.record(by, "void_table", table, now, reason=reason)
    return table


@transaction.atomic
def unvoid_table(table: Table, by: User, now: datetime) -> Table:
    """A void game is valid after all: its result, if it has one, is worth what it was worth.

    Refuses a game that is not void (`not_void`); and as every verb of a table.
    """
    table = _locked(table)
    if table.status != Table.Status.VOID:
        raise Refused("not_void", _("This game is not void."), rule="C-17")
    has_result = table.confirmed() is not None
    table.status = Table.Status.CONFIRMED if has_result else Table.Status.PLAYING
    table.save(update_fields=["status"])
    recount(table, by, now, _("the game is valid again"))
    LogEntry.objects.record(by, "unvoid_table", table, now)
    return table


# --- barred ---------------------------------------------------------------------------------------


@transaction.atomic
def ban(
    player: Player,
    scope: str,
    starts_on: date,
    ruling: str,
    by: User,
    now: datetime,
    *,
    count: int | None = None,
) -> Ban:
    """A player may not enrol (A-18, O-09): `scope` is one of `Ban.Scope`.

    `count` are the events that a disqualification covers; None lasts until it is lifted. Locks the
    player. Refuses no ruling (`reason_missing`), fewer than one event, or a number of them for what
    is no disqualification (`bad_count`), the same ban twice (`already_banned`). Raises ValueError
    for another scope.
    """
    scope = Ban.Scope(scope)
    Player.objects.select_for_update(of=("self",), no_key=True).get(pk=player.pk)
    if not ruling.strip():
        raise _reason_missing(_("Write the ruling: what was done, and what it says."), "A-18")
    if count is not None and not (scope == Ban.Scope.EVENTS and 1 <= count <= 100):
        raise Refused(
            "bad_count",
            _("A disqualification covers from 1 to 100 events; nothing else counts events."),
            rule="A-18",
            field="count",
        )
    same = player.bans.filter(scope=scope, starts_on=starts_on, count=count, lifted_at=None)
    if same.exists():
        raise Refused(
            "already_banned",
            _("%(player)s is barred so already.") % {"player": player},
            rule="A-18",
            field="player",
        )
    made = Ban.objects.create(
        player=player,
        scope=scope,
        count=count,
        starts_on=starts_on,
        ruling=ruling.strip(),
        made_by=by,
        made_at=now,
    )
    LogEntry.objects.record(by, "ban", player, now, ban=made.pk, scope=str(scope), count=count)
    return made


@transaction.atomic
def lift_ban(ban: Ban, by: User, now: datetime) -> Ban:
    """A ban ends now. Locks it. Refuses one lifted already (`already_lifted`)."""
    ban = Ban.objects.select_for_update(of=("self",), no_key=True).get(pk=ban.pk)
    if ban.lifted_at is not None:
        raise Refused("already_lifted", _("This was lifted already: load the page again."))
    ban.lifted_at = now
    ban.save(update_fields=["lifted_at"])
    LogEntry.objects.record(by, "lift_ban", ban.player, now, ban=ban.pk)
    return ban


# --- what the tables have seen --------------------------------------------------------------------


def anything_happened(tables: QuerySet[Table]) -> bool:
    """Whether anything of this was ever written of `tables`: they are not to be dealt again."""
    rows = Table.objects.filter(pk__in=tables.values("pk"))
    seen = (
        Q(status=Table.Status.VOID)
        | Q(removals__isnull=False)
        | Q(seats__handicap__gt=0)
        | Q(seats__handicap__lt=0)
        | Q(seats__holders__why__in=set(Holder.Why.values) - {Holder.Why.SEATED})
        | Q(game__isnull=False)  # it is played over the web
    )
    return rows.filter(seen).exists()


# --- what the verbs share -------------------------------------------------------------------------


def _locked_event(event_pk: int) -> Event:
    event = Event.objects.select_for_update(of=("self",), no_key=True).get(pk=event_pk)
    refuse_imported(event)
    if not event.accepts_results():
        raise Refused(
            "event_not_running",
            _("What happened at the tables is written only while the event is under way."),
            rule="C-15",
        )
    return event


def _locked(table: Table) -> Table:
    """The table as it is under the locks of its event and of itself, if its game is on."""
    _locked_event(table.event.pk)
    locked = Table.objects.select_for_update(of=("self",), no_key=True).filter(pk=table.pk)
    found = Table.objects.with_everything().filter(pk=table.pk).first() if locked.first() else None
    if found is None:
        raise _gone()
    if found.round.status != Round.Status.PUBLISHED:
        raise Refused(
            "round_not_published",
            _("The tables of this round are not published: nothing has happened there yet."),
            rule="B-17",
        )
    if found.started_at is None:
        raise Refused(
            "table_not_started",
            _("This table has not started: nothing has happened there yet."),
            rule="B-16",
        )
    return found


def _refuse_unknown(table: Table, incident: Incident) -> None:
    if incident not in table.event.rules.incidents:
        raise Refused(
            "not_in_regulation", _("The regulation of this event knows nothing of the kind.")
        )


def _locked_seat(seat: Seat) -> tuple[Table, Seat]:
    table = _locked(seat.table)
    found = next((each for each in table.seats.all() if each.pk == seat.pk), None)
    if found is None:
        raise _gone()
    return table, found


def _gone() -> Refused:
    return Refused("seat_gone", _("These tables were formed again meanwhile: load the page again."))


def _stale() -> Refused:
    return Refused("stale", _("Somebody changed this seat meanwhile. Here it is as it stands now."))


def _reason_missing(text: str, rule: str) -> Refused:
    return Refused("reason_missing", text, rule=rule, field="reason")
