"""Who sits where: a round's tables, drawn by the regulation, published, taken back."""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass
from datetime import date, datetime
from decimal import Decimal

from django.db import transaction
from django.db.models import Q
from django.utils.translation import gettext as _

from figf import mail
from figf.errors import Refused
from figf.models import LogEntry, User
from tournaments.models import (
    Entry,
    Event,
    Holder,
    Player,
    Prova,
    Round,
    Seat,
    Table,
)
from tournaments.rules import referees as referees_rule
from tournaments.rules.regulation import (
    Composition,
    Entrant,
    Illegal,
    Placed,
    PlayerId,
    Sitting,
)
from tournaments.rules.tables import Sat
from tournaments.services.entries import number_in_event
from tournaments.services.incidents import anything_happened
from tournaments.services.refusals import refuse_formed_cup, refused
from tournaments.services.standings import credits_of

BY_RANKING = {str(kind) for kind in (Sat.RANKED, Sat.RANKED_ALPHABETICAL, Sat.UNRANKED)}

# --- what is known before the tables are formed ---------------------------------------------------


@dataclass(frozen=True, slots=True)
class Prospect:
    """A round about to be seated: who is here, how they may be divided, what is missing.

    `compositions` are the regulation's, the usual one first; `illegal` says why there is none.
    `missing` are the tables of earlier rounds without a confirmed result (B-12), `not_called` how
    many enrolled people the roll call has not reached.
    """

    present: tuple[Player, ...]
    compositions: tuple[Composition, ...]
    illegal: Illegal | None
    missing: tuple[Table, ...]
    not_called: int
    later: bool  # the event has been played before: its standing seats, not the ranking


def prospect(prova: Prova, number: int) -> Prospect:
    """What the director sees before forming the tables. Writes nothing."""
    rules = prova.event.rules
    entries = _to_seat(prova, number)
    fewest, most = prova.event_seats()
    try:
        compositions = rules.compositions(len(entries), fewest, most, rules.readings)
        illegal = None
    except Illegal as error:
        compositions, illegal = (), error
    earlier = _earlier_rounds(prova, number)
    return Prospect(
        present=tuple(entry.player for entry in entries),
        compositions=compositions,
        illegal=illegal,
        missing=tuple(_without_result(earlier)),
        not_called=prova.event.entries.enrolled().filter(present=None).count(),
        later=bool(earlier),
    )


def _to_seat(prova: Prova, number: int) -> list[Entry]:
    ordinal = number_in_event(prova, number)
    entries = prova.event.entries.with_people()
    return [entry for entry in entries if entry.plays(ordinal)]


def _earlier_rounds(prova: Prova, number: int) -> list[Round]:
    """The published rounds of the event, this one apart: what its standing is made of so far."""
    published = Round.objects.filter(prova__event=prova.event_id, status=Round.Status.PUBLISHED)
    return list(published.exclude(prova=prova, number=number))


def _without_result(rounds: Sequence[Round]) -> Iterable[Table]:
    waiting = Table.objects.filter(round__in=rounds, status=Table.Status.PLAYING)
    return waiting.select_related("round__prova__title").order_by("round", "number")


def entrants(prova: Prova, number: int, ranking: Mapping[int, int]) -> list[Entrant]:
    """Who is to be seated, with what seats him: ranking handed in, event standing so far.

    Only what the tables credit counts, as in every standing: confirmed results, cancellations
    applied (D-08).
    """
    earlier = _earlier_rounds(prova, number)
    played = set(
        Holder.objects.filter(seat__table__round__in=earlier, player__isnull=False).values_list(
            "player_id", flat=True
        )
    )
    points: dict[PlayerId, list[Decimal]] = {}
    for credit in credits_of(prova.event):
        if credit.points is not None:
            points.setdefault(credit.player, []).append(credit.points)
    return [
        Entrant(
            player.pk,
            player.surname,
            player.name,
            ranking=ranking.get(player.pk, 0),
            played=player.pk in played,
            total=sum(points[player.pk], Decimal(0)) if player.pk in points else None,
            best=max(points[player.pk]) if player.pk in points else None,
        )
        for player in (entry.player for entry in _to_seat(prova, number))
    ]


def sittings(prova: Prova, number: int) -> list[Sitting]:
    """Who sat with whom in the earlier rounds of the event. For the services of this app.

    A seat counts for who holds it last; one that a referee holds, for nobody.
    """
    found = Table.objects.filter(round__in=_earlier_rounds(prova, number))
    return [
        Sitting(
            table.round.prova.order,
            table.round.number,
            tuple(
                holder.player_id
                for holder in (seat.holder() for seat in table.seats.all())
                if holder.player_id is not None
            ),
        )
        for table in found.select_related("round__prova")
        .prefetch_related("seats__holders")
        .order_by("round__prova__order", "round__number", "number")
    ]


# --- forming the tables ---------------------------------------------------------------------------


@transaction.atomic
def draw_round(
    prova: Prova,
    number: int,
    ranking: Mapping[int, int],
    ranking_as_of: date | None,
    by: User,
    now: datetime,
    *,
    sizes: Sequence[int] | None = None,
    reason: str = "",
    provisional: bool = False,
    edition: int | None = None,
) -> Round:
    """Form the tables of a round as the regulation says, as a draft (B-01..B-13 in FIGF).

    `ranking` has points by player, as it stood on `ranking_as_of`. `sizes`, if given, is one of the
    regulation's compositions; another than the usual needs its `reason` (B-02, B-03). `edition` is
    the draft that the director saw, which is thrown away. Proposes the referees too (M-02).

    Locks the event. Refuses: an event not enrolling nor under way (`event_not_running`), a cup
    whose tables are formed (`cup_formed`), a round that the prova does not have (`no_such_round`,
    A-04) or already published (`round_published`), a draft that somebody changed meanwhile
    (`stale`), earlier tables without a result unless the order is knowingly `provisional`
    (`results_missing`, B-12), a number of players that cannot be divided (B-06, B-07), a
    composition that the regulation does not have (`no_alternative`, B-02) and one chosen without
    saying why (`reason_missing`).
    """
    prova, draft = open_round(prova, number)
    refuse_formed_cup(prova.event)
    if draft is not None:
        refuse_stale(draft, edition)
    missing = list(_without_result(_earlier_rounds(prova, number)))
    if missing and not provisional:
        raise Refused(
            "results_missing",
            _(
                "Results of earlier tables are missing: %(tables)s. Enter them, or say that you go "
                "on with the provisional standing."
            )
            % {"tables": ", ".join(table.called() for table in missing)},
            rule="B-12",
            field="provisional",
        )
    rules = prova.event.rules
    people = entrants(prova, number, ranking)
    fewest, most = prova.event_seats()
    try:
        compositions = rules.compositions(len(people), fewest, most, rules.readings)
        chosen = _choose(compositions, sizes, reason)
        order = rules.order(people, rules.readings)
        tables = rules.deal(order, chosen.sizes, sittings(prova, number), rules.readings)
    except Illegal as illegal:
        raise refused(illegal) from None
    if draft is not None:
        draft.tables.all().delete()
    else:
        draft = Round(prova=prova, number=number)
    draft.order_used = [placed.key for placed in order]
    draft.ranking_as_of = ranking_as_of
    draft.sizes_step = chosen.step.to_json()
    draft.sizes_reason = reason.strip() if chosen != compositions[0] else ""
    draft.provisional = bool(missing)
    draft.edition += 1
    draft.save()
    _lay(draft, tables, _proposed(prova.event, tables))
    LogEntry.objects.record(
        by, "draw_round", draft, now, sizes=list(chosen.sizes), reason=draft.sizes_reason
    )
    return draft


def open_round(prova: Prova, number: int) -> tuple[Prova, Round | None]:
    """The prova as it is under the event's lock, and the draft of this round, if there is one."""
    event = Event.objects.select_for_update(of=("self",), no_key=True).get(pk=prova.event_id)
    prova = Prova.objects.select_related("event", "title").get(pk=prova.pk)
    if event.status not in {Event.Status.ENROLLING, Event.Status.RUNNING}:
        raise Refused(
            "event_not_running",
            _("Tables are formed while the event is open for enrolment or under way."),
            rule="A-15",
        )
    _refuse_no_such_round(prova, number)
    draft = prova.play_rounds.filter(number=number).first()
    if draft is not None and draft.status == Round.Status.PUBLISHED:
        raise Refused(
            "round_published",
            _("This round is published: take the publication back first."),
            rule="B-17",
        )
    return prova, draft


def _refuse_no_such_round(prova: Prova, number: int) -> None:
    if not 1 <= number <= prova.rounds:
        raise Refused(
            "no_such_round",
            _("This prova has %(rounds)d rounds at most.") % {"rounds": prova.rounds},
            rule="A-04",
        )


def locked_draft(draft: Round, edition: int) -> Round:
    """The draft under its event's lock, as the writer saw it. For the services of this app.

    Refuses an event not enrolling nor under way (`event_not_running`), a round published meanwhile
    (`round_published`), a draft discarded or changed meanwhile (`stale`).
    """
    _prova, found = open_round(draft.prova, draft.number)
    if found is None or found.pk != draft.pk:
        raise Refused("stale", _("This draft is not there any more."))
    refuse_stale(found, edition)
    return found


def refuse_stale(seated: Round, edition: int | None) -> None:
    if edition != seated.edition:
        raise Refused(
            "stale",
            _("Somebody changed these tables meanwhile. Here they are as they stand now."),
        )


def _choose(
    compositions: Sequence[Composition], sizes: Sequence[int] | None, reason: str
) -> Composition:
    if sizes is None or tuple(sizes) == compositions[0].sizes:
        return compositions[0]
    chosen = next((c for c in compositions if c.sizes == tuple(sizes)), None)
    if chosen is None:
        raise Refused(
            "no_alternative",
            _("The regulation does not divide these players so: choose again."),
            rule="B-02",
            field="sizes",
        )
    if not reason.strip():
        raise Refused(
            "reason_missing",
            _("Say why you depart from the usual number of tables."),
            rule=chosen.step.rule,
            field="reason",
        )
    return chosen


def _proposed(event: Event, tables: Sequence[Sequence[Placed]]) -> list[int | None]:
    """The FIGF referees who are here, one for each table, as far as they suffice (M-02).

    None by a regulation without referees of the tables, and none for a bye.
    """
    if not event.rules.refereed:
        return []
    day = event.starts_on
    seated = {placed.key for table in tables for placed in table}
    here = Player.objects.filter(
        Q(entries__event=event, entries__present=True) | Q(directed_events=event)
    ).prefetch_related("referee_terms")
    referees = sorted({player.pk for player in here if player.is_referee(day)})
    found = iter(
        referees_rule.propose(
            [[placed.key for placed in table] for table in tables if len(table) > 1],
            [pk for pk in referees if pk in seated],
            [pk for pk in referees if pk not in seated],
        )
    )
    named = [next(found) if len(table) > 1 else None for table in tables]
    return [None if pk is None else int(pk) for pk in named]


def _lay(seated: Round, tables: Sequence[Sequence[Placed]], referees: Sequence[int | None]) -> None:
    """Write the tables, each seat with the reason of its player and the table he was dealt to."""
    for number, players in enumerate(tables, start=1):
        referee = referees[number - 1] if number <= len(referees) else None
        lay_table(seated, number, players, referee)


def lay_table(
    seated: Round, number: int, players: Sequence[Placed], referee_pk: int | None = None
) -> Table:
    """One table with its seats in order. For the services of this app."""
    table = Table.objects.create(round=seated, number=number, referee_id=referee_pk)
    for position, placed in enumerate(players, start=1):
        seat = Seat.objects.create(
            table=table, position=position, why={"table": number, "step": placed.step.to_json()}
        )
        Holder.objects.create(seat=seat, player_id=placed.key)
    return table


def close_ranks(table: Table) -> None:
    """Count its seats from one again, without gaps. For the services of this app."""
    for position, seat in enumerate(table.seats.order_by("position"), start=1):
        if seat.position != position:
            seat.position = position
            seat.save(update_fields=["position"])


@transaction.atomic
def discard_draft(draft: Round, edition: int, by: User, now: datetime) -> None:
    """Throw the draft away: the round is again to be seated. Refuses as `draw_round`."""
    found = locked_draft(draft, edition)
    LogEntry.objects.record(by, "discard_draft", found, now)
    found.delete()


# --- how a seating stands -------------------------------------------------------------------------


@dataclass(frozen=True, slots=True)
class State:
    """What is amiss in a seating, so that the page can list it and a publication refuse it."""

    unseated: tuple[Player, ...]  # here, and without a seat
    absent: tuple[Player, ...]  # seated, and not here
    wrong_sizes: tuple[Table, ...]
    by_hand: bool  # somebody is not where the regulation puts him (B-15)


def state_of(seated: Round) -> State:
    """How the tables stand against the roll call and the title. `seated` from `with_seating`."""
    here = {entry.player_id: entry.player for entry in _to_seat(seated.prova, seated.number)}
    tables = list(seated.tables.all())
    seats = [(table, seat) for table in tables for seat in table.seats.all()]
    players = {seat.holder().player_id: seat.holder().player for _table, seat in seats}
    return State(
        unseated=tuple(player for pk, player in here.items() if pk not in players),
        absent=tuple(p for pk, p in players.items() if p is not None and pk not in here),
        wrong_sizes=tuple(t for t in tables if not _fits(seated.prova, len(t.seats.all()))),
        by_hand=any(seat.moved_by_hand(table.number) for table, seat in seats),
    )


def by_another_ranking(seated: Round, ranking: Mapping[int, int]) -> bool:
    """Whether the ranking of before the event gives other points now than those that seated (H-08).

    A correction changes the ranking, and never the tables of a round. `seated` from `with_seating`;
    a round that another order seated does not depend on it.
    """
    for table in seated.tables.all():
        for seat in table.seats.all():
            kind = seat.why["step"]["kind"] if seat.why else ""
            if kind not in BY_RANKING:
                continue
            player = seat.holders.all()[0].player_id
            points = seat.why["step"]["values"].get("points", 0)
            if player is not None and ranking.get(player, 0) != points:
                return True
    return False


def _fits(prova: Prova, players: int) -> bool:
    return prova.event.rules.admits(players, *prova.event_seats())


# --- publication ----------------------------------------------------------------------------------


@transaction.atomic
def publish_round(draft: Round, edition: int, by: User, now: datetime) -> Round:
    """Show the tables to everybody (B-17); the first of the event puts it under way.

    Locks the event. Queues one mail to every log-in enrolled, with his table.

    Refuses: what `draw_round` refuses of event and round, a draft changed meanwhile (`stale`),
    people here without a seat or seated and not here (`roll_call_differs`, A-10), tables that the
    title does not admit (`seat_count`, C-03).
    """
    found = Round.objects.with_seating().get(pk=locked_draft(draft, edition).pk)
    _refuse_amiss(found)
    found.status, found.published_at = Round.Status.PUBLISHED, now
    found.edition += 1
    found.save(update_fields=["status", "published_at", "edition"])
    _put_under_way(found.event)
    LogEntry.objects.record(by, "publish_round", found, now)
    announce(found, now)
    return found


def _refuse_amiss(seated: Round) -> None:
    state = state_of(seated)
    if state.unseated or state.absent:
        raise Refused(
            "roll_call_differs",
            _(
                "The tables are not those of the roll call: form them again, or seat and unseat "
                "by hand: %(people)s."
            )
            % {"people": ", ".join(str(p) for p in (*state.unseated, *state.absent))},
            rule="A-10",
        )
    if state.wrong_sizes:
        _refuse_size(seated.prova, state.wrong_sizes)


def _refuse_size(prova: Prova, tables: Sequence[Table]) -> None:
    fewest, most = prova.event_seats()
    raise Refused(
        "seat_count",
        _("A table of %(title)s has from %(fewest)d to %(most)d players: look at table %(tables)s.")
        % {
            "title": prova.title,
            "fewest": fewest,
            "most": most,
            "tables": ", ".join(str(table.number) for table in tables),
        },
        rule="C-03",
    )


def _put_under_way(event: Event) -> None:
    Event.objects.filter(pk=event.pk, status=Event.Status.ENROLLING).update(
        status=Event.Status.RUNNING
    )


def announce(seated: Round, now: datetime, people: Iterable[int] | None = None) -> None:
    """Queue the mail that says to each log-in enrolled where he sits; `people` limits it."""
    seated = Round.objects.with_seating().get(pk=seated.pk)
    places = {
        seat.holder().player_id: (table, seat)
        for table in seated.tables.all()
        for seat in table.seats.all()
    }
    for entry in seated.event.entries.enrolled().with_people():
        user = entry.player.user
        if user is None or (people is not None and entry.player_id not in people):
            continue
        table, seat = places.get(entry.player_id, (None, None))
        mail.enqueue(
            f"seating:{seated.pk}:{seated.edition}:{entry.player_id}",
            user,
            "seating",
            now,
            round=seated,
            table=table,
            seat=seat,
            refereed=[t for t in seated.tables.all() if t.referee_id == entry.player_id],
        )


@transaction.atomic
def withdraw_publication(
    seated: Round, edition: int, by: User, now: datetime, *, forming: bool = False
) -> Round:
    """Take a publication back: the tables are a draft again, as long as no result is in.

    Locks the event; without another published round it is again open for enrolment. Queues a mail
    to those who had been told. Of a cup whose tables are formed it is done by the verbs of that cup
    alone (`forming`; otherwise `cup_formed`). Refuses a round with a result, also replaced
    (`results_in`, B-15), or of whose tables a handicap, an exclusion, a change of hands is written
    (`something_happened`, B-15), a round not published (`round_not_published`), one changed
    meanwhile (`stale`).
    """
    seated = lock_published(seated)
    refuse_stale(seated, edition)
    if not forming:
        refuse_formed_cup(seated.event)
    if seated.has_results():
        raise Refused(
            "results_in",
            _("A result is in: the publication cannot be taken back."),
            rule="B-15",
        )
    if anything_happened(Table.objects.filter(round=seated)):
        raise Refused(
            "something_happened",
            _("Something was written of what happened at these tables: take that back first."),
            rule="B-15",
        )
    seated.status, seated.published_at = Round.Status.DRAFT, None
    seated.edition += 1
    seated.save(update_fields=["status", "published_at", "edition"])
    seated.tables.update(started_at=None)
    event = seated.event
    others = Round.objects.filter(prova__event=event, status=Round.Status.PUBLISHED)
    if event.status == Event.Status.RUNNING and not others.exists():
        Event.objects.filter(pk=event.pk).update(status=Event.Status.ENROLLING)
    LogEntry.objects.record(by, "withdraw_publication", seated, now)
    for entry in event.entries.enrolled().with_people():
        if entry.player.user:
            mail.enqueue(
                f"seating-withdrawn:{seated.pk}:{seated.edition}:{entry.player_id}",
                entry.player.user,
                "seating_withdrawn",
                now,
                round=seated,
            )
    return seated


def lock_published(seated: Round) -> Round:
    """The round under the locks of its event and tables, or `Refused` (`round_not_published`).

    Who writes a result holds its table's lock: he is waited for, or waits.
    """
    Event.objects.select_for_update(of=("self",), no_key=True).get(pk=seated.prova.event_id)
    tables = Table.objects.filter(round=seated).order_by("pk")
    list(tables.select_for_update(of=("self",), no_key=True).values_list("pk"))
    found = Round.objects.with_seating().filter(pk=seated.pk).first()
    if found is None or found.status != Round.Status.PUBLISHED:
        raise Refused("round_not_published", _("This round is not published."), rule="B-17")
    return found


# --- seated elsewhere -----------------------------------------------------------------------------


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
    """Publish a round as it was seated elsewhere, table by table in seat order, already playing.

    Refuses a round that the prova does not have (`no_such_round`, A-04) or that has its tables
    (`round_seated`), a player seated twice in it (`seated_twice`, C-03), a player not enrolled
    (`not_enrolled`, C-03) and a table smaller or larger than an event of its title admits
    (`seat_count`, C-03).
    """
    Event.objects.select_for_update(of=("self",), no_key=True).get(pk=prova.event_id)
    _refuse_no_such_round(prova, number)
    if prova.play_rounds.filter(number=number).exists():
        raise Refused("round_seated", _("This round has its tables already."))
    everybody = [player for table in tables for player in table]
    if len({player.pk for player in everybody}) != len(everybody):
        raise Refused("seated_twice", _("A player is seated twice in this round."), rule="C-03")
    enrolled = set(prova.event.entries.enrolled().values_list("player_id", flat=True))
    for player in everybody:
        if player.pk not in enrolled:
            raise Refused(
                "not_enrolled", _("%(player)s is not enrolled.") % {"player": player}, rule="C-03"
            )
    wrong = [
        Table(number=n) for n, table in enumerate(tables, start=1) if not _fits(prova, len(table))
    ]
    if wrong:
        _refuse_size(prova, wrong)
    played = Round.objects.create(
        prova=prova,
        number=number,
        status=Round.Status.PUBLISHED,
        starts_at=now,
        published_at=now,
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
    _put_under_way(prova.event)
    LogEntry.objects.record(by, "seat_round", played, now)
    return played
