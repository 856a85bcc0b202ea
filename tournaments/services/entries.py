"""Who is coming to an event: enrolment, waiting list, roll call, late arrivals and departures.

Every verb locks the event, as seating does: places, ticks and tables cannot race. Whoever left
half-way keeps his place, since he counts as enrolled (A-12).
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from datetime import datetime
from typing import cast

from django.db import transaction
from django.db.models import Count, Exists, OuterRef, Q, QuerySet, Sum
from django.utils import timezone
from django.utils.translation import gettext as _

from figf import mail
from figf.errors import Refused
from figf.models import LogEntry, User
from tournaments.models import Club, Entry, Event, Holder, Player, Prova, Round, Table, Title
from tournaments.rules import calendar
from tournaments.rules.regulation import Illegal
from tournaments.services import registry
from tournaments.services.refusals import refuse_formed_cup, refused

OPEN = frozenset({Event.Status.ENROLLING, Event.Status.RUNNING})
BEGUN = Q(started_at__isnull=False) | ~Q(status=Table.Status.PLAYING)  # of a table: cards are dealt

CALLED = {True: "present", False: "absent", None: "not_called"}  # as the log says it

# --- the rounds of an event, numbered from 1 across its prove ------------------------------------


def number_in_event(prova: Prova, number: int) -> int:
    """The number that round `number` of `prova` has among the rounds of the whole event, from 1."""
    earlier = Prova.objects.filter(event=prova.event_id, order__lt=prova.order)
    return int(earlier.aggregate(rounds=Sum("rounds"))["rounds"] or 0) + number


@dataclass(frozen=True, slots=True)
class Rounds:
    """How far an event is, in rounds of the whole event: the last that exists, that is published,
    and in which a table has started; 0 where there is none."""

    total: int
    published: int
    begun: int


def rounds_of(event: Event) -> Rounds:
    """How far `event` is. Writes nothing."""
    before: dict[int, int] = {}
    total = 0
    for prova in event.prove.order_by("order"):
        before[prova.pk] = total
        total += prova.rounds
    started = Table.objects.filter(BEGUN, round=OuterRef("pk"))
    published = (
        Round.objects.filter(prova__event=event, status=Round.Status.PUBLISHED)
        .annotate(begun=Exists(started))
        .values_list("prova_id", "number", "begun")
    )
    numbers = [(before[prova] + number, begun) for prova, number, begun in published]
    return Rounds(
        total,
        max((number for number, _begun in numbers), default=0),
        max((number for number, begun in numbers if begun), default=0),
    )


def rounds_played(event: Event) -> dict[int, int]:
    """In how many rounds of the event each player has sat at a table that started, by player."""
    return dict(
        _sat(event)
        .values("player")
        .annotate(rounds=Count("seat__table__round", distinct=True))
        .values_list("player", "rounds")
        .order_by()
    )


def _sat(event: Event) -> QuerySet[Holder]:
    """Who held a seat of a published round, at a table that started."""
    begun = Table.objects.filter(
        BEGUN, round__prova__event=event, round__status=Round.Status.PUBLISHED
    )
    return Holder.objects.filter(player__isnull=False, seat__table__in=begun)


# --- to enrol -------------------------------------------------------------------------------------


@transaction.atomic
def enrol(
    event: Event,
    player: Player,
    by: User,
    now: datetime,
    *,
    present: bool | None = None,
    copies: Sequence[Title] = (),
    note: str = "",
    from_round: int | None = None,
    forming: bool = False,
) -> Entry:
    """Who runs the event enrols `player`, also on the spot between rounds (A-10, A-11).

    With all places taken he goes on the waiting list, and `present` waits too. `from_round` is by
    default the first round not yet published. Who had withdrawn comes back, after those who wait.
    `forming` is said by the verbs of a cup, which alone bring people into it once it is formed.

    Refuses an event neither enrolling nor under way (`enrolment_closed`), a cup whose tables are
    formed (`cup_formed`), a second time (`already_enrolled`, A-10), who is merged into another or
    forgotten (`off_the_books`), who may not enrol (A-18:
    `expelled`, `blacklisted`, `suspended`, `suspended_open`), a round that the event does not have
    (`no_such_round`, A-11), and an event whose last round is already being played
    (`no_round_left`, A-11).
    """
    event = _locked(event.pk)
    if event.status not in OPEN:
        raise Refused("enrolment_closed", _closed(event, now), rule="A-10")
    if not forming:
        refuse_formed_cup(event)
    return _enrol(
        event, player, by, now, present=present, copies=copies, note=note, from_round=from_round
    )


@transaction.atomic
def enrol_oneself(
    event: Event, user: User, now: datetime, *, copies: Sequence[Title] = (), note: str = ""
) -> Entry:
    """A player enrols himself; a mail confirms it, or says his place in the waiting list.

    Refuses a log-in without a player (`no_player`), an event not open to enrolment, or past its
    closing hour or its last day (`enrolment_closed`, A-10), and what `enrol` refuses.
    """
    event = _locked(event.pk)
    player = Player.objects.filter(user=user).first()
    if player is None:
        raise Refused(
            "no_player",
            _("Your log-in is not joined to a player yet: ask the secretary to recognise you."),
        )
    _refuse_closed(event, now)
    entry = _enrol(event, player, user, now, present=None, copies=copies, note=note)
    mail.enqueue(
        f"enrolled:{entry.pk}:{now:%Y%m%d%H%M%S%f}",
        user,
        "enrolled",
        now,
        entry=entry,
        event=event,
        place=place_in_list(entry),
    )
    return entry


@transaction.atomic
def enrol_newcomer(
    event: Event,
    surname: str,
    name: str,
    by: User,
    now: datetime,
    *,
    club: Club | None = None,
    town: str = "",
    another: bool = False,
    present: bool | None = True,
    from_round: int | None = None,
) -> Entry:
    """Somebody whom the books do not know: registered, enrolled and here, in one step.

    Refuses a name that somebody on the books may have (`maybe_duplicate`), unless he is said to be
    `another`; never registers twice at one event the same name, club and town
    (`already_enrolled`, A-10). Otherwise refuses as `enrol` and `register_player`.
    """
    event = _locked(event.pk)
    if event.status not in OPEN:
        raise Refused("enrolment_closed", _closed(event, now), rule="A-10")
    refuse_formed_cup(event)
    him = tuple(registry.one_line(text) for text in (surname, name, town))
    for player in registry.alike_players(surname, name):
        same = (player.surname, player.name, player.town) == him and player.club == club
        entry = event.entries.select_related("player").filter(player=player).first()
        if same and entry is not None and entry.status != Entry.Status.WITHDRAWN:
            raise _already(entry)
    player = registry.register_player(surname, name, by, now, club=club, town=town, another=another)
    return _enrol(event, player, by, now, present=present, from_round=from_round)


def _enrol(
    event: Event,
    player: Player,
    by: User,
    now: datetime,
    *,
    present: bool | None,
    copies: Sequence[Title] = (),
    note: str = "",
    from_round: int | None = None,
) -> Entry:
    """`event` is locked and open."""
    entry = event.entries.select_related("player").filter(player=player).first()
    if entry is not None and entry.status != Entry.Status.WITHDRAWN:
        raise _already(entry)
    registry.refuse_off_the_books(player)
    refuse_banned(player, event)
    begins = _first_round(event, from_round)
    _fill(event, by, now)  # who waits comes first
    if entry is None:
        entry = Entry(event=event, player=player)
    entry.status = Entry.Status.ENROLLED if _places_left(event) else Entry.Status.WAITING
    entry.enrolled_at = now
    entry.present = present if entry.status == Entry.Status.ENROLLED else None
    entry.from_round, entry.until_round = begins, None
    entry.note = note.strip()
    entry.save()
    entry.copies.set(copies)
    LogEntry.objects.record(by, "enrol", event, now, entry=entry.pk, status=entry.status)
    return entry


def refuse_banned(player: Player, event: Event) -> None:
    """Refuse whom A-18 keeps out of this event: expelled, disqualified, on the black list."""
    bans = [
        calendar.Ban(cast(calendar.Scope, ban.scope), ban.starts_on, ban.count)
        for ban in player.bans.filter(lifted_at=None)
    ]
    if not bans:
        return
    planned = Event.objects.public().select_related("season")
    try:
        calendar.check_may_enrol(
            bans, _in_calendar(event), [_in_calendar(each) for each in planned]
        )
    except Illegal as illegal:
        raise refused(illegal) from None


def _in_calendar(event: Event) -> calendar.CalendarEvent:
    """As bans see it: an event of another federation is no more than a friendly one."""
    return calendar.CalendarEvent(
        event.pk,
        event.starts_on,
        event.ends_on,
        (event.season.year, event.ordinal),
        cast(calendar.Kind, event.kind if event.rules.ranked else Event.Kind.FRIENDLY),
        cancelled=event.status == Event.Status.CANCELLED,
        name=event.name,
    )


def _first_round(event: Event, wanted: int | None) -> int:
    rounds = rounds_of(event)
    if wanted is not None:
        if not 1 <= wanted <= max(rounds.total, 1):
            raise Refused(
                "no_such_round",
                _("The event has %(rounds)d rounds.") % {"rounds": rounds.total},
                rule="A-11",
                field="from_round",
            )
        return wanted
    if rounds.published < max(rounds.total, 1):
        return rounds.published + 1
    if rounds.begun < rounds.published:
        return rounds.published  # the last one: its tables can still be formed again
    raise Refused(
        "no_round_left",
        _("The last round is being played: nobody can join this event any more."),
        rule="A-11",
    )


# --- places and the waiting list ------------------------------------------------------------------


def place_in_list(entry: Entry) -> int:
    """The place of an entry in the waiting list, from 1; 0 if it does not wait."""
    waiting = list(entry.event.entries.waiting().values_list("pk", flat=True))
    return waiting.index(entry.pk) + 1 if entry.pk in waiting else 0


@transaction.atomic
def fill_places(event: Event, by: User, now: datetime) -> list[Entry]:
    """Call in those who wait, first come first, as far as there are places.

    Done by itself whenever somebody withdraws or enrols; also to be done when the places are
    raised. A mail tells each. Who may not enrol any more (A-18) is passed over. Refuses nothing:
    an event neither enrolling nor under way admits nobody.
    """
    event = _locked(event.pk)
    return _fill(event, by, now) if event.status in OPEN else []


@transaction.atomic
def admit(entry: Entry, by: User, now: datetime) -> Entry:
    """The director takes somebody from the waiting list, also beyond the places.

    Who is enrolled already stays so. Refuses who has withdrawn (`not_waiting`), an event neither
    enrolling nor under way (`event_not_running`), and as `enrol`: A-18, `no_round_left`,
    `cup_formed`.
    """
    event, entry = _locked_entry(entry)
    _refuse_not_open(event)
    refuse_formed_cup(event)
    if entry.status == Entry.Status.ENROLLED:
        return entry
    if entry.status == Entry.Status.WITHDRAWN:
        raise Refused(
            "not_waiting",
            _("%(player)s is not on the waiting list any more.") % {"player": entry.player},
            rule="A-10",
        )
    refuse_banned(entry.player, event)
    _admit(entry, _first_round(event, None), by, now)
    return entry


def _places_left(event: Event) -> bool:
    return event.capacity is None or event.entries.enrolled().count() < event.capacity


def _fill(event: Event, by: User, now: datetime) -> list[Entry]:
    """`event` is locked and open."""
    admitted: list[Entry] = []
    for entry in event.entries.waiting().select_related("player__user"):
        if not _places_left(event):
            break
        begins = _may_begin(entry, event)
        if begins is None:
            continue
        _admit(entry, begins, by, now)
        admitted.append(entry)
    return admitted


def _may_begin(entry: Entry, event: Event) -> int | None:
    """From which round somebody who waits would play; None if he may not (A-11, A-18)."""
    try:
        refuse_banned(entry.player, event)
        return _first_round(event, None)
    except Refused:
        return None


def called_in_for(entry: Entry) -> Entry | None:
    """Who would have the place of `entry` if it were withdrawn now; None if nobody would.

    It is so where nobody waits, or the event stays at or beyond its places. Writes nothing.
    """
    event = entry.event
    if event.status not in OPEN or entry.status != Entry.Status.ENROLLED:
        return None
    if event.capacity is not None and event.entries.enrolled().count() > event.capacity:
        return None
    waiting = event.entries.waiting().select_related("player")
    return next((each for each in waiting if _may_begin(each, event) is not None), None)


def _admit(entry: Entry, from_round: int, by: User, now: datetime) -> None:
    entry.status, entry.from_round = Entry.Status.ENROLLED, from_round
    entry.save(update_fields=["status", "from_round"])
    _tell(entry, "admitted", by, now)
    LogEntry.objects.record(by, "admit", entry.event, now, entry=entry.pk)


def _tell(entry: Entry, what: str, by: User, now: datetime) -> None:
    """A mail to the player's log-in, if he has one, of what somebody else did."""
    user = entry.player.user
    if user is not None and user.pk != by.pk:
        key = f"{what}:{entry.pk}:{now:%Y%m%d%H%M%S%f}"
        mail.enqueue(key, user, what, now, entry=entry, event=entry.event)


# --- what is known of an enrolment ----------------------------------------------------------------


@transaction.atomic
def amend_entry(
    entry: Entry, by: User, now: datetime, *, copies: Sequence[Title], note: str
) -> Entry:
    """The director writes which games somebody brings (A-07), and the note on the enrolment.

    What changes nothing writes nothing. Refuses an event neither enrolling nor under way
    (`event_not_running`).
    """
    event, entry = _locked_entry(entry)
    _refuse_not_open(event)
    before = (set(entry.copies.all()), entry.note)
    if before == (set(copies), note.strip()):
        return entry
    entry.note = note.strip()
    entry.save(update_fields=["note"])
    entry.copies.set(copies)
    LogEntry.objects.record(by, "amend_entry", event, now, entry=entry.pk)
    return entry


# --- to withdraw, to leave, to come back ----------------------------------------------------------


@transaction.atomic
def withdraw(entry: Entry, by: User, now: datetime) -> Entry:
    """Somebody does not come after all, or leaves half-way (A-11, B-14).

    Before he has sat at a table that started, he is withdrawn, and the first of the waiting list is
    called in. Afterwards he leaves: he stays enrolled until the last round that he played, keeps
    what he scored (B-14), and is seated no more. A seat that he has in a draft, or in a round that
    has not started, is not touched: the director forms those tables again. Done twice, it changes
    nothing.

    The player himself (whoever does not run the event) withdraws until enrolment closes
    (`enrolment_closed`, A-10). Refuses an event neither enrolling nor under way
    (`event_not_running`) and a cup whose tables are formed (`cup_formed`).
    """
    event, entry = _locked_entry(entry)
    if not event.is_run_by(by):
        _refuse_closed(event, now)
    _refuse_not_open(event)
    refuse_formed_cup(event)
    if entry.status == Entry.Status.WITHDRAWN or entry.until_round is not None:
        return entry
    freed = entry.status == Entry.Status.ENROLLED
    last = last_round_played(entry)
    if last:
        entry.until_round = last
        entry.from_round = min(entry.from_round, last)  # a substitute sat before his own round
        entry.present = False
    else:
        entry.status, entry.present = Entry.Status.WITHDRAWN, None
    entry.save(update_fields=["status", "from_round", "until_round", "present"])
    LogEntry.objects.record(
        by, "leave" if last else "withdraw", event, now, entry=entry.pk, until_round=last or None
    )
    if not last:
        _tell(entry, "withdrawn", by, now)
        if freed:
            _fill(event, by, now)
    return entry


@transaction.atomic
def come_back(entry: Entry, by: User, now: datetime) -> Entry:
    """Who had left is here again; who had withdrawn enrols again, after those who wait.

    Who never went stays as he is. Refuses an event neither enrolling nor under way
    (`event_not_running`) and what `enrol` refuses.
    """
    event, entry = _locked_entry(entry)
    _refuse_not_open(event)
    refuse_formed_cup(event)
    if entry.status == Entry.Status.WITHDRAWN:
        copies = list(entry.copies.all())
        return _enrol(event, entry.player, by, now, present=None, copies=copies, note=entry.note)
    if entry.until_round is not None:
        refuse_banned(entry.player, event)
        entry.until_round, entry.present = None, True
        entry.save(update_fields=["until_round", "present"])
        LogEntry.objects.record(by, "come_back", event, now, entry=entry.pk)
    return entry


def last_round_played(entry: Entry) -> int:
    """The last round of the event in which he sat at a table that started; 0 if in none."""
    seats = _sat(entry.event).filter(player=entry.player_id)
    rounds = Round.objects.filter(tables__seats__holders__in=seats).select_related("prova")
    return max((number_in_event(each.prova, each.number) for each in rounds.distinct()), default=0)


# --- the roll call --------------------------------------------------------------------------------


@transaction.atomic
def call(
    event: Event,
    present: Mapping[int, bool | None],
    by: User,
    now: datetime,
    *,
    paid: Mapping[int, bool] | None = None,
    rest_here: bool = False,
) -> list[Entry]:
    """The roll call (A-10): who is here, who is absent, whose tick is taken back; who has paid.

    Keys are entries. `rest_here` says that everybody not called by then is here. What is already so
    is passed over, and the log has one line. Returns the entries that changed.

    Refuses an event neither enrolling nor under way (`event_not_running`), an entry that is not of
    this event or not enrolled any more (`not_enrolled`, A-10), and to call here who has left
    (`has_left`, A-11): he comes back first.
    """
    event = _locked(event.pk)
    _refuse_not_open(event)
    entries = {entry.pk: entry for entry in event.entries.select_related("player")}
    present, paid = dict(present), paid or {}
    for pk in {*present, *paid}:
        _refuse_to_call(entries.get(pk), present.get(pk))
    if rest_here:
        for pk, entry in entries.items():
            staying = entry.status == Entry.Status.ENROLLED and entry.until_round is None
            if staying and present.get(pk, entry.present) is None:
                present[pk] = True
    said: dict[str, list[int]] = {}
    for pk, here in present.items():
        if entries[pk].present is not here:
            entries[pk].present = here
            said.setdefault(CALLED[here], []).append(pk)
    for pk, has_paid in paid.items():
        if entries[pk].paid is not has_paid:
            entries[pk].paid = has_paid
            said.setdefault("paid" if has_paid else "unpaid", []).append(pk)
    changed = [entries[pk] for pk in sorted({pk for pks in said.values() for pk in pks})]
    if changed:
        Entry.objects.bulk_update(changed, ["present", "paid"])
        LogEntry.objects.record(by, "call_roll", event, now, **said)
    return changed


def _refuse_to_call(entry: Entry | None, here: bool | None) -> None:
    if entry is None:
        raise Refused(
            "not_enrolled",
            _("Somebody on this list is not enrolled in this event: load the page again."),
            rule="A-10",
        )
    if entry.status != Entry.Status.ENROLLED:
        raise Refused(
            "not_enrolled",
            _("%(player)s is not among the enrolled: load the page again.")
            % {"player": entry.player},
            rule="A-10",
        )
    if here and entry.until_round is not None:
        raise Refused(
            "has_left",
            _("%(player)s has left: press “Comes back” first.") % {"player": entry.player},
            rule="A-11",
        )


# --- what the verbs share -------------------------------------------------------------------------


def _locked(event_pk: int) -> Event:
    events = Event.objects.select_for_update(of=("self",), no_key=True)
    return events.select_related("director", "season").get(pk=event_pk)


def _locked_entry(entry: Entry) -> tuple[Event, Entry]:
    """The event, locked, and the entry as it is under that lock."""
    event = _locked(entry.event_id)
    entry = event.entries.select_related("player__user").get(pk=entry.pk)
    entry.event = event
    return event, entry


def is_open_to_players(event: Event, now: datetime) -> bool:
    """Whether players may enrol and withdraw by themselves (A-10); afterwards the director does.

    Both the closing hour and the last day are included.
    """
    late = event.enrolment_closes_at is not None and now > event.enrolment_closes_at
    over = timezone.localdate(now) > event.ends_on
    return event.status == Event.Status.ENROLLING and not late and not over


def _refuse_closed(event: Event, now: datetime) -> None:
    if not is_open_to_players(event, now):
        raise Refused("enrolment_closed", _closed(event, now), rule="A-10")


def _closed(event: Event, now: datetime) -> str:
    if event.status == Event.Status.DRAFT:
        return _("Enrolment is not open yet.")
    if event.status in OPEN and timezone.localdate(now) <= event.ends_on:
        return _("Enrolment is closed: ask the technical director.")
    return _("Enrolment is closed: the event is over or not held.")


def _refuse_not_open(event: Event) -> None:
    if event.status not in OPEN:
        raise Refused(
            "event_not_running",
            _("The event is neither open for enrolment nor under way."),
            rule="A-15",
        )


def _already(entry: Entry) -> Refused:
    if entry.status == Entry.Status.WAITING:
        text = _("%(player)s is already on the waiting list.")
    elif entry.until_round is not None:
        text = _("%(player)s is already enrolled, and has left: press “Comes back”.")
    else:
        text = _("%(player)s is already enrolled.")
    return Refused("already_enrolled", text % {"player": entry.player}, rule="A-10")
