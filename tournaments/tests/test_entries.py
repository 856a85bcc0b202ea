"""Enrolment, waiting list, roll call, who comes late and who leaves: services, pages, races.

A-07, A-10, A-11 and B-14 are shown and recorded by these pages; A-18 refuses here.
"""

from __future__ import annotations

import csv
import io
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from datetime import UTC, date, datetime, timedelta
from decimal import Decimal
from typing import Any

import pytest
from django.db import connection
from django.db.models import Model
from django.http import HttpResponse
from django.test import Client
from django.test.utils import CaptureQueriesContext
from django.urls import reverse
from django.utils import timezone

from figf.errors import Refused
from figf.models import Email, LogEntry, User
from figf.tests.cast import (
    DAY,
    HOUR,
    MINUTE,
    NOW,
    TODAY,
    Cast,
    Page,
    at_once,
    make_cast,
    make_draft,
    make_member,
    make_player,
    make_title,
    meanwhile,
    record,
    tables_of,
    visitor,
)
from tournaments import services
from tournaments.models import Ban, Club, Entry, Event, Player, Round

db = pytest.mark.django_db
both = pytest.mark.both
many_hands = pytest.mark.django_db(transaction=True)

ENROLLED, WAITING, WITHDRAWN = Entry.Status.ENROLLED, Entry.Status.WAITING, Entry.Status.WITHDRAWN


@pytest.fixture
def cast() -> Cast:
    return make_cast()


def open_event(
    now: datetime = NOW, *, titles: tuple[tuple[str, int], ...] = (("1849", 2),), **more: Any
) -> Event:
    """An event open to enrolment, Alice's; `more` is what `amend_event` changes, or director."""
    cast = make_cast(now)
    named = {key: more.pop(key) for key in ("name", "director") if key in more}
    event = make_draft(now=now, **named)
    for code, rounds in titles:
        services.add_prova(event, make_title(code, now), cast.sara, now, rounds=rounds)
    if more:
        services.amend_event(event, cast.sara, now, **more)
    return services.set_status(event, Event.Status.ENROLLING, cast.sara, now)


def people(count: int, now: datetime = NOW) -> list[Player]:
    begun = Player.objects.count()
    return [make_player(f"Passeggero {begun + n:03}", now=now) for n in range(count)]


def members(count: int, now: datetime = NOW) -> list[User]:
    """Log-ins joined to players, in alphabetical order."""
    sara = make_cast(now).sara
    return [make_member(f"m{n}", f"Membro {n:02}", "Mia", sara, now) for n in range(count)]


def come(event: Event, players: list[Player], now: datetime = NOW, **more: Any) -> list[Entry]:
    cast = make_cast(now)
    return [services.enrol(event, player, cast.sara, now, **more) for player in players]


def play(event: Event, order: int, number: int, entries: list[Entry]) -> Round:
    """A round seated and begun, all at one table."""
    cast = make_cast()
    if reread(event).status == Event.Status.ENROLLING:
        services.set_status(event, Event.Status.RUNNING, cast.sara, NOW)
    players = [entry.player for entry in entries]
    return services.seat_round(event.prove.get(order=order), number, [players], cast.alice, NOW)


def put_off(played: Round) -> None:
    """The tables of the round have not started yet."""
    for table in tables_of(played.event):
        if table.round_id == played.pk:
            services.stop_table(table, make_cast().alice, NOW)


def reread(row: Any) -> Any:
    return type(row)._default_manager.get(pk=row.pk)


def standing(event: Event) -> dict[str, str]:
    return {str(entry.player): entry.status for entry in event.entries.with_people()}


def counts() -> list[Any]:
    models: tuple[type[Model], ...] = (Entry, Event, Player, LogEntry, Email, Round, Club)
    rows = [model._default_manager.count() for model in models]
    copies = Entry.copies.through.objects.count()
    return [*rows, copies, list(Entry.objects.order_by("pk").values_list())]


@contextmanager
def nothing_written() -> Iterator[None]:
    before = counts()
    yield
    assert counts() == before


def refused(deed: Callable[..., object], *given: Any, **more: Any) -> tuple[str, str]:
    """Reason and article of the refusal of `deed`, having checked that nothing was written."""
    with nothing_written(), pytest.raises(Refused) as refusal:
        deed(*given, **more)
    assert str(refusal.value.text)
    return refusal.value.reason, refusal.value.rule


# --- to enrol -------------------------------------------------------------------------------------


@db
@both
def test_the_director_enrols_a_player_once(cast: Cast) -> None:
    """A-10."""
    event = open_event()
    title = event.prove.get().title
    entry = services.enrol(
        event, cast.bruno.player, cast.alice, NOW, copies=[title], note="  dopo le nove "
    )
    entry = reread(entry)
    assert (entry.status, entry.enrolled_at, entry.present) == (ENROLLED, NOW, None)
    assert (entry.from_round, entry.until_round, entry.note) == (1, None, "dopo le nove")
    assert list(entry.copies.all()) == [title]
    logged = LogEntry.objects.about(event).filter(verb="enrol").get()
    assert (logged.actor, logged.data["entry"]) == (cast.alice, entry.pk)
    again = refused(services.enrol, event, cast.bruno.player, cast.alice, NOW + HOUR)
    assert again == ("already_enrolled", "A-10")
    other = open_event(name="Altra")
    assert services.enrol(other, cast.bruno.player, cast.sara, NOW).pk != entry.pk


@db
@both
@pytest.mark.parametrize("status", ["draft", "concluded", "closed", "cancelled", "invalid"])
def test_nobody_enrols_in_an_event_that_is_not_open(cast: Cast, status: str) -> None:
    """A-10: neither the player himself nor the director for him."""
    event = open_event()
    Event.objects.filter(pk=event.pk).update(status=status)
    closed = ("enrolment_closed", "A-10")
    assert refused(services.enrol, event, cast.bruno.player, cast.alice, NOW) == closed
    assert refused(services.enrol_oneself, event, cast.bruno, NOW) == closed
    assert refused(services.enrol_newcomer, event, "Nuovo", "Nino", cast.alice, NOW) == closed


@db
@both
def test_a_player_enrols_himself_and_a_mail_confirms_it(cast: Cast) -> None:
    event = open_event()
    title = event.prove.get().title
    entry = services.enrol_oneself(event, cast.bruno, NOW, copies=[title], note="vegetariano")
    assert (entry.player, entry.status, entry.note) == (cast.bruno.player, ENROLLED, "vegetariano")
    mail = Email.objects.get(key__startswith=f"enrolled:{entry.pk}:")
    assert mail.to == "bruno@example.org"
    assert f"/eventi/{event.pk}/iscritti/" in mail.body
    assert "Valbinario" in mail.body
    assert refused(services.enrol_oneself, event, cast.bruno, NOW + HOUR) == (
        "already_enrolled",
        "A-10",
    )


@db
@both
def test_a_log_in_without_a_player_cannot_enrol(cast: Cast) -> None:
    assert refused(services.enrol_oneself, open_event(), cast.dino, NOW)[0] == "no_player"


@db
@both
def test_enrolment_closes_at_its_hour_which_is_included(cast: Cast) -> None:
    """A-10; the director goes on."""
    event = open_event(enrolment_closes_at=NOW + HOUR)
    late = NOW + HOUR + timedelta(microseconds=1)
    assert refused(services.enrol_oneself, event, cast.bruno, late) == ("enrolment_closed", "A-10")
    services.enrol_oneself(event, cast.bruno, NOW + HOUR)
    services.enrol(event, cast.carla.player, cast.alice, late)
    assert set(standing(event).values()) == {ENROLLED}


@db
@both
def test_enrolment_ends_with_the_last_day_of_the_event(cast: Cast) -> None:
    """The event's last day is Sunday 15 March, in Rome: an hour ahead of UTC."""
    event = open_event()
    assert event.ends_on == date(2026, 3, 15)
    midnight = datetime(2026, 3, 15, 23, 0, tzinfo=UTC)
    assert refused(services.enrol_oneself, event, cast.bruno, midnight)[0] == "enrolment_closed"
    services.enrol_oneself(event, cast.bruno, midnight - timedelta(seconds=1))


@db
@both
def test_players_do_not_enrol_themselves_while_the_event_is_under_way(cast: Cast) -> None:
    event = open_event()
    services.set_status(event, Event.Status.RUNNING, cast.sara, NOW)
    assert refused(services.enrol_oneself, event, cast.bruno, NOW)[0] == "enrolment_closed"
    assert services.enrol(event, cast.bruno.player, cast.alice, NOW, present=True).present is True


# --- who may not enrol (A-18) ---------------------------------------------------------------------


def ban(player: Player, scope: str, starts_on: date, count: int | None = None) -> Ban:
    return Ban.objects.create(
        player=player,
        scope=scope,
        count=count,
        starts_on=starts_on,
        ruling="000:184",
        made_by=make_cast().sara,
        made_at=NOW,
    )


@db
@both
def test_the_suspended_skip_the_next_events_and_enrol_in_the_one_after(cast: Cast) -> None:
    """A-18, O-09: two events, by their first day; one is cancelled and does not count."""
    ban(cast.bruno.player, "events", TODAY - DAY, count=2)
    first, off, second, third = (
        open_event(NOW + n * 7 * DAY, name=f"Evento {n}") for n in range(4)
    )
    services.set_status(off, Event.Status.CANCELLED, cast.sara, NOW, reason="neve")
    for event in (first, second):
        assert refused(services.enrol, event, cast.bruno.player, cast.alice, NOW) == (
            "suspended",
            "A-18",
        )
        assert refused(services.enrol_oneself, event, cast.bruno, NOW)[0] == "suspended"
    services.enrol(third, cast.bruno.player, cast.alice, NOW)


@db
@both
def test_a_lifted_ban_and_one_of_somebody_else_refuse_nobody(cast: Cast) -> None:
    event = open_event()
    lifted = ban(cast.bruno.player, "all", TODAY)
    Ban.objects.filter(pk=lifted.pk).update(lifted_at=NOW)
    ban(cast.carla.player, "all", TODAY)
    services.enrol_oneself(event, cast.bruno, NOW)
    assert refused(services.enrol_oneself, event, cast.carla, NOW) == ("expelled", "A-18")


@db
@both
def test_the_black_list_closes_play_by_correspondence_and_no_live_event(cast: Cast) -> None:
    """A-18 as ruled: by whatever channel one enrols."""
    ban(cast.bruno.player, "web", TODAY)
    live = open_event()
    by_mail = open_event(name="Torneo pbem", kind=Event.Kind.PBEM)
    services.enrol_oneself(live, cast.bruno, NOW)
    assert refused(services.enrol_oneself, by_mail, cast.bruno, NOW) == ("blacklisted", "A-18")
    assert refused(services.enrol, by_mail, cast.bruno.player, cast.alice, NOW)[0] == "blacklisted"


@db
@both
def test_who_was_banned_while_he_waited_is_passed_over(cast: Cast) -> None:
    event = open_event(capacity=3)
    entries = come(event, people(5))
    ban(entries[3].player, "all", TODAY)
    assert refused(services.admit, entries[3], cast.alice, NOW) == ("expelled", "A-18")
    services.withdraw(entries[0], cast.alice, NOW)
    assert reread(entries[3]).status == WAITING
    assert reread(entries[4]).status == ENROLLED


# --- places and the waiting list ------------------------------------------------------------------


@db
@both
def test_with_all_places_taken_one_waits_in_order(cast: Cast) -> None:
    event = open_event(capacity=3)
    come(event, people(3))
    entry = services.enrol_oneself(event, cast.bruno, NOW)
    assert (entry.status, services.place_in_list(entry)) == (WAITING, 1)
    later = services.enrol(event, cast.carla.player, cast.alice, NOW + MINUTE, present=True)
    assert (later.status, later.present, services.place_in_list(later)) == (WAITING, None, 2)
    assert services.place_in_list(event.entries.enrolled()[0]) == 0
    mail = Email.objects.get(key__startswith=f"enrolled:{entry.pk}:")
    assert " 1 " in mail.body
    assert refused(services.enrol_oneself, event, cast.bruno, NOW) == ("already_enrolled", "A-10")


@db
@both
def test_a_free_place_goes_to_the_first_who_waits_and_a_mail_says_so(cast: Cast) -> None:
    event = open_event(capacity=3)
    first = come(event, people(3))[0]
    waits = services.enrol_oneself(event, cast.bruno, NOW)
    services.enrol_oneself(event, cast.carla, NOW + MINUTE)
    services.withdraw(first, cast.alice, NOW + HOUR)
    assert standing(event)[str(first.player)] == WITHDRAWN
    assert standing(event)["Binario Bruno"] == ENROLLED
    assert standing(event)["Carrozza Carla"] == WAITING
    mail = Email.objects.get(key__startswith=f"admitted:{waits.pk}:")
    assert mail.to == "bruno@example.org"
    logged = LogEntry.objects.about(event).filter(verb="admit").get()
    assert logged.data == {"entry": waits.pk}


@db
@both
def test_more_places_call_in_those_who_wait(cast: Cast) -> None:
    event = open_event(capacity=3)
    come(event, people(6))
    services.amend_event(event, cast.sara, NOW, capacity=5)
    assert list(event.entries.waiting().values_list("player__surname", flat=True)) == [
        event.entries.latest("pk").player.surname
    ]
    services.amend_event(reread(event), cast.sara, NOW, capacity=None)
    assert not event.entries.waiting().exists()
    assert services.fill_places(event, cast.sara, NOW) == []


@db
@both
def test_fewer_places_send_nobody_away_and_the_next_waits(cast: Cast) -> None:
    event = open_event(capacity=6)
    entries = come(event, people(5))
    services.amend_event(event, cast.sara, NOW, capacity=3)
    assert services.enrol(event, cast.bruno.player, cast.alice, NOW).status == WAITING
    services.withdraw(entries[0], cast.alice, NOW)
    assert event.entries.enrolled().count() == 4  # still beyond the places: nobody is called in


@db
@both
def test_the_director_admits_beyond_the_places(cast: Cast) -> None:
    event = open_event(capacity=3)
    entries = come(event, people(5))
    admitted = services.admit(entries[4], cast.alice, NOW)
    assert reread(admitted).status == ENROLLED
    assert event.entries.enrolled().count() == 4
    with nothing_written():
        services.admit(entries[4], cast.alice, NOW)
    services.withdraw(entries[3], cast.alice, NOW)
    assert refused(services.admit, entries[3], cast.alice, NOW) == ("not_waiting", "A-10")


# --- on the spot, between rounds (A-11) -----------------------------------------------------------


@db
@both
def test_rounds_are_numbered_across_the_prove() -> None:
    event = open_event(titles=(("1849", 2), ("1830", 1), ("1870", 2)))
    first, second, third = event.prove.order_by("order")
    numbers = [
        services.number_in_event(first, 1),
        services.number_in_event(first, 2),
        services.number_in_event(second, 1),
        services.number_in_event(third, 2),
    ]
    assert numbers == [1, 2, 3, 5]
    rounds = services.rounds_of(event)
    assert (rounds.total, rounds.published, rounds.begun) == (5, 0, 0)


@db
@both
def test_who_comes_between_rounds_plays_from_the_next_one_not_published(cast: Cast) -> None:
    """A-11."""
    event = open_event(titles=(("1849", 2), ("1870", 1)))
    entries = come(event, people(4), present=True)
    play(event, 1, 1, entries)
    second = play(event, 1, 2, entries)
    late = services.enrol(event, cast.bruno.player, cast.alice, NOW, present=True)
    assert late.from_round == 3
    assert [late.plays(number) for number in (1, 2, 3)] == [False, False, True]
    put_off(second)
    sooner = services.enrol(event, cast.carla.player, cast.alice, NOW, present=True, from_round=2)
    assert sooner.from_round == 2
    assert (services.rounds_of(event).published, services.rounds_of(event).begun) == (2, 1)


@db
@both
@pytest.mark.parametrize("wanted", [0, -1, 3, 99])
def test_a_round_that_the_event_does_not_have_is_refused(cast: Cast, wanted: int) -> None:
    deed = services.enrol, open_event(), cast.bruno.player, cast.alice, NOW
    assert refused(*deed, from_round=wanted) == ("no_such_round", "A-11")


@db
@both
def test_nobody_joins_an_event_whose_last_round_is_being_played(cast: Cast) -> None:
    """A-11; while its tables have not started, they can still be formed again."""
    event = open_event(titles=(("1849", 1),))
    played = play(event, 1, 1, come(event, people(4)))
    late = services.enrol, event, cast.bruno.player, cast.alice, NOW
    assert refused(*late) == ("no_round_left", "A-11")
    put_off(played)
    entry = services.enrol(event, cast.bruno.player, cast.alice, NOW)
    assert entry.from_round == 1


@db
@both
def test_an_event_without_prove_may_be_enrolled_in(cast: Cast) -> None:
    event = open_event()
    event.prove.all().delete()
    assert services.enrol(event, cast.bruno.player, cast.alice, NOW).from_round == 1


@db
@both
def test_a_newcomer_is_registered_enrolled_and_here_in_one_step(cast: Cast) -> None:
    event = open_event()
    club = services.register_club("Circolo", "Montetreno", cast.sara, NOW)
    entry = services.enrol_newcomer(
        event, " Nuvola ", "Nina", cast.alice, NOW, club=club, town="Montetreno"
    )
    player = Player.objects.get(surname="Nuvola")
    assert (entry.player, entry.present, entry.from_round) == (player, True, 1)
    assert (player.name, player.club, player.town) == ("Nina", club, "Montetreno")
    verbs = LogEntry.objects.filter(actor=cast.alice).values_list("verb", flat=True)
    assert {"register_player", "enrol"} <= set(verbs)


@db
@both
def test_a_newcomer_whom_the_books_may_know_is_asked_about_first(cast: Cast) -> None:
    event = open_event()
    newcomer = services.enrol_newcomer, event, "BINARIO", "bruno", cast.alice, NOW
    assert refused(*newcomer)[0] == "maybe_duplicate"
    entry = services.enrol_newcomer(event, "Binario", "Bruno", cast.alice, NOW, another=True)
    assert entry.player != cast.bruno.player
    assert Player.objects.filter(surname="Binario").count() == 2


@db
@both
def test_the_newcomers_button_pressed_twice_makes_one_person(cast: Cast) -> None:
    event = open_event()
    newcomer = services.enrol_newcomer, event, "Binario", "Bruno", cast.alice, NOW
    services.enrol_newcomer(event, "Binario", "Bruno", cast.alice, NOW, another=True)
    assert refused(*newcomer, another=True) == ("already_enrolled", "A-10")


@db
@both
def test_a_newcomer_without_a_surname_is_refused_whole(cast: Cast) -> None:
    newcomer = services.enrol_newcomer, open_event(), "  ", "Nina", cast.alice, NOW
    assert refused(*newcomer)[0] == "surname_missing"


@db
@both
def test_a_newcomer_for_whom_there_is_no_round_is_not_registered_either(cast: Cast) -> None:
    event = open_event(titles=(("1849", 1),))
    play(event, 1, 1, come(event, people(4)))
    newcomer = services.enrol_newcomer, event, "Nuvola", "Nina", cast.alice, NOW
    assert refused(*newcomer) == ("no_round_left", "A-11")


# --- to withdraw, to leave, to come back ----------------------------------------------------------


@db
@both
def test_a_player_withdraws_until_enrolment_closes_then_the_director_does(cast: Cast) -> None:
    event = open_event(enrolment_closes_at=NOW + HOUR)
    entry = services.enrol_oneself(event, cast.bruno, NOW)
    late = NOW + HOUR + MINUTE
    assert refused(services.withdraw, entry, cast.bruno, late) == ("enrolment_closed", "A-10")
    services.withdraw(entry, cast.bruno, NOW + HOUR)
    assert reread(entry).status == WITHDRAWN
    assert not Email.objects.filter(key__startswith="withdrawn:").exists()  # he knows
    other = services.enrol_oneself(event, cast.carla, NOW)
    services.withdraw(other, cast.alice, late)
    assert Email.objects.get(key__startswith="withdrawn:").to == "carla@example.org"
    with nothing_written():
        services.withdraw(other, cast.alice, late + HOUR)


@db
@both
def test_who_withdrew_comes_back_after_those_who_wait_on_the_same_row(cast: Cast) -> None:
    event = open_event(capacity=3)
    entries = come(event, people(4))
    services.withdraw(entries[0], cast.alice, NOW)
    assert reread(entries[3]).status == ENROLLED
    back = services.come_back(entries[0], cast.alice, NOW + HOUR)
    assert (back.pk, back.status, back.enrolled_at) == (entries[0].pk, WAITING, NOW + HOUR)
    services.withdraw(entries[1], cast.alice, NOW + HOUR)
    assert reread(back).status == ENROLLED
    again = services.enrol(event, entries[1].player, cast.alice, NOW + DAY)
    assert (again.pk, again.enrolled_at) == (entries[1].pk, NOW + DAY)


@db
@both
def test_who_withdrew_by_himself_may_enrol_again(cast: Cast) -> None:
    event = open_event()
    entry = services.enrol_oneself(event, cast.bruno, NOW, copies=[event.prove.get().title])
    services.withdraw(entry, cast.bruno, NOW)
    again = services.enrol_oneself(event, cast.bruno, NOW + HOUR)
    assert (again.pk, again.status, list(again.copies.all())) == (entry.pk, ENROLLED, [])
    assert Email.objects.filter(key__startswith="enrolled:").count() == 2


@db
@both
def test_who_leaves_half_way_stays_enrolled_until_his_last_round_and_keeps_his_points(
    cast: Cast,
) -> None:
    """A-11, A-12, B-14."""
    event = open_event(capacity=4)
    entries = come(event, people(5), present=True)
    play(event, 1, 1, entries[:4])
    table = tables_of(event)[0]
    result = record(table, 7500, 7200, 6600, 6000)
    before = list(result.lines.values_list("player", "points").order_by("pk"))
    services.withdraw(entries[0], cast.alice, NOW)
    left = reread(entries[0])
    assert (left.status, left.until_round, left.present) == (ENROLLED, 1, False)
    assert not left.plays(2)
    assert list(result.lines.values_list("player", "points").order_by("pk")) == before
    assert event.entries.enrolled().count() == 4
    assert reread(entries[4]).status == WAITING  # his place is not free: he counts
    logged = LogEntry.objects.about(event).filter(verb="leave").get()
    assert logged.data == {"entry": left.pk, "until_round": 1}
    assert refused(services.enrol, event, left.player, cast.alice, NOW)[0] == "already_enrolled"
    with nothing_written():
        services.withdraw(left, cast.alice, NOW + HOUR)


@db
@both
def test_who_left_comes_back_and_is_here(cast: Cast) -> None:
    event = open_event()
    entries = come(event, people(4), present=True)
    play(event, 1, 1, entries)
    services.withdraw(entries[0], cast.alice, NOW)
    services.come_back(entries[0], cast.alice, NOW)
    back = reread(entries[0])
    assert (back.until_round, back.present) == (None, True)
    assert back.plays(2)
    with nothing_written():
        services.come_back(back, cast.alice, NOW)


@db
@both
def test_who_was_seated_and_did_not_begin_is_withdrawn_not_gone(cast: Cast) -> None:
    """A published round that has not started, and a draft, are formed again by the director."""
    event = open_event()
    entries = come(event, people(5), present=True)
    first = play(event, 1, 1, entries)
    put_off(first)
    services.withdraw(entries[0], cast.alice, NOW)
    assert reread(entries[0]).status == WITHDRAWN
    assert first.tables.get().seats.count() == 5


@db
@both
def test_the_last_round_is_the_last_that_started(cast: Cast) -> None:
    event = open_event(titles=(("1849", 2), ("1870", 1)))
    entries = come(event, people(4), present=True)
    play(event, 1, 1, entries)
    put_off(play(event, 1, 2, entries))
    services.withdraw(entries[0], cast.alice, NOW)
    assert reread(entries[0]).until_round == 1
    play(event, 2, 1, entries[1:])
    services.withdraw(entries[1], cast.alice, NOW)
    assert reread(entries[1]).until_round == 3


@db
@both
def test_who_sat_before_his_own_round_leaves_all_the_same(cast: Cast) -> None:
    """A late-comer for round 2 who was seated in round 1 after all."""
    event = open_event()
    entries = come(event, people(3), present=True)
    late = services.enrol(event, cast.bruno.player, cast.alice, NOW, present=True, from_round=2)
    play(event, 1, 1, [*entries, late])
    services.withdraw(late, cast.alice, NOW)
    left = reread(late)
    assert (left.from_round, left.until_round) == (1, 1)


@db
@both
@pytest.mark.parametrize("status", ["draft", "concluded", "closed", "cancelled", "invalid"])
def test_an_event_over_or_off_keeps_its_list(cast: Cast, status: str) -> None:
    event = open_event(capacity=3)
    entries = come(event, people(4))
    services.withdraw(entries[0], cast.alice, NOW)
    services.enrol(event, cast.bruno.player, cast.alice, NOW)
    Event.objects.filter(pk=event.pk).update(status=status)
    off = ("event_not_running", "A-15")
    assert refused(services.withdraw, entries[1], cast.alice, NOW) == off
    assert refused(services.come_back, entries[0], cast.alice, NOW) == off
    assert refused(services.admit, event.entries.waiting()[0], cast.alice, NOW) == off
    assert refused(services.call, event, {entries[1].pk: True}, cast.alice, NOW) == off
    with nothing_written():
        assert services.fill_places(event, cast.alice, NOW) == []


# --- the roll call --------------------------------------------------------------------------------


@db
@both
def test_the_roll_call_writes_what_changed_and_one_line_of_the_log(cast: Cast) -> None:
    """A-10."""
    event = open_event()
    a, b, c, d = come(event, people(4))
    services.call(event, {a.pk: True, b.pk: False, c.pk: None}, cast.alice, NOW, paid={a.pk: True})
    found = [(e.present, e.paid) for e in event.entries.order_by("pk")]
    assert found == [(True, True), (False, False), (None, False), (None, False)]
    logged = LogEntry.objects.about(event).filter(verb="call_roll").get()
    assert logged.data == {"present": [a.pk], "absent": [b.pk], "paid": [a.pk]}
    with nothing_written():
        services.call(event, {a.pk: True, b.pk: False}, cast.alice, NOW, paid={a.pk: True})
    services.call(event, {a.pk: None, d.pk: True}, cast.alice, NOW)
    assert reread(a).present is None


@db
@both
def test_everybody_else_is_here(cast: Cast) -> None:
    event = open_event(capacity=4)
    a, b, c, d, waits = come(event, people(5))
    services.call(event, {a.pk: False}, cast.alice, NOW, rest_here=True)
    assert [reread(e).present for e in (a, b, c, d, waits)] == [False, True, True, True, None]
    play(event, 1, 1, [b, c, d])
    services.withdraw(b, cast.alice, NOW)
    services.call(event, {}, cast.alice, NOW, rest_here=True)
    assert reread(b).present is False  # who left is not called back by a button


@db
@both
def test_ticks_that_cannot_be_are_refused_whole(cast: Cast) -> None:
    event, other = open_event(capacity=3), open_event(name="Altra")
    a, b, c, waits = come(event, people(4))
    [stranger] = come(other, people(1))
    not_enrolled = ("not_enrolled", "A-10")
    for pk in (stranger.pk, waits.pk, 0, -1, 10**30):
        ticks = {a.pk: True, pk: True}
        assert refused(services.call, event, ticks, cast.alice, NOW) == not_enrolled
        paid = {a.pk: True, pk: True}
        assert refused(services.call, event, {}, cast.alice, NOW, paid=paid) == not_enrolled
    play(event, 1, 1, [a, b, c])
    services.withdraw(a, cast.alice, NOW)
    assert refused(services.call, event, {a.pk: True}, cast.alice, NOW) == ("has_left", "A-11")
    services.call(event, {}, cast.alice, NOW, paid={a.pk: True})  # he may still pay


@db
@both
def test_rounds_played_are_counted_by_person(cast: Cast) -> None:
    """F5 of the asks: beside each name, between rounds."""
    event = open_event()
    a, b, c, d = come(event, people(4), present=True)
    play(event, 1, 1, [a, b, c])
    put_off(play(event, 1, 2, [a, b, d]))
    assert services.rounds_played(event) == {a.player_id: 1, b.player_id: 1, c.player_id: 1}
    assert [services.last_round_played(e) for e in (a, d)] == [1, 0]


# --- many hands at once ---------------------------------------------------------------------------


@many_hands
@both
def test_eight_enrol_at_once_for_the_last_place(cast: Cast) -> None:
    event = open_event(capacity=3)
    come(event, people(2))
    users = members(8)

    def enrol(user: User, n: int) -> Callable[[], Entry]:
        return lambda: services.enrol_oneself(event, user, NOW + n * MINUTE)

    made = at_once(*[enrol(user, n) for n, user in enumerate(users)])
    assert all(isinstance(entry, Entry) for entry in made), made
    assert event.entries.enrolled().count() == 3
    waiting = list(event.entries.waiting())
    assert len(waiting) == 7
    assert [entry.enrolled_at for entry in waiting] == sorted(e.enrolled_at for e in waiting)
    assert [services.place_in_list(entry) for entry in waiting] == [1, 2, 3, 4, 5, 6, 7]


@many_hands
@both
def test_the_same_person_twice_at_once_is_one_row_and_one_refusal(cast: Cast) -> None:
    event = open_event()
    made = at_once(
        lambda: services.enrol_oneself(event, cast.bruno, NOW),
        lambda: services.enrol(event, cast.bruno.player, cast.alice, NOW),
    )
    refusals = [each for each in made if isinstance(each, Refused)]
    assert [refusal.reason for refusal in refusals] == ["already_enrolled"]
    assert event.entries.count() == 1


@many_hands
@both
def test_the_same_newcomer_twice_at_once_is_one_person(cast: Cast) -> None:
    event = open_event()

    def enrol() -> Entry:
        return services.enrol_newcomer(event, "Nuvola", "Nina", cast.alice, NOW, another=True)

    made = at_once(enrol, enrol)
    assert sorted(type(each).__name__ for each in made) == ["Entry", "Refused"]
    assert Player.objects.filter(surname="Nuvola").count() == 1


@many_hands
@both
def test_withdrawing_and_enrolling_at_once_keeps_the_places_exact(cast: Cast) -> None:
    """Never more than the places, never a free place with people waiting."""
    event = open_event(capacity=4)
    inside = come(event, people(4))
    come(event, people(2))
    users = members(4)
    deeds: list[Callable[[], Any]] = []
    for entry, user in zip(inside, users, strict=True):
        deeds += [
            lambda entry=entry: services.withdraw(entry, cast.alice, NOW),  # type: ignore[misc]
            lambda user=user: services.enrol_oneself(event, user, NOW),  # type: ignore[misc]
        ]
    made = at_once(*deeds)
    assert [each for each in made if isinstance(each, Exception)] == []
    assert event.entries.enrolled().count() == 4
    assert event.entries.waiting().count() == 2
    assert event.entries.filter(status=WITHDRAWN).count() == 4


@many_hands
def test_who_enrols_while_somebody_withdraws_waits_for_the_outcome(cast: Cast) -> None:
    event = open_event(capacity=3)
    entries = come(event, people(3))
    entry = meanwhile(
        lambda: services.withdraw(entries[0], cast.alice, NOW),
        lambda: services.enrol(event, cast.bruno.player, cast.alice, NOW),
    )
    assert entry.status == ENROLLED


@many_hands
def test_two_roll_calls_at_once_keep_both_ticks(cast: Cast) -> None:
    event = open_event()
    a, b = come(event, people(2))
    at_once(
        lambda: services.call(event, {a.pk: True}, cast.alice, NOW),
        lambda: services.call(event, {b.pk: False}, cast.alice, NOW, paid={a.pk: True}),
    )
    assert (reread(a).present, reread(a).paid, reread(b).present) == (True, True, False)


@many_hands
def test_a_tick_does_not_undo_a_departure_written_meanwhile(cast: Cast) -> None:
    event = open_event()
    [entry] = come(event, people(1))
    outcome = meanwhile(
        lambda: services.withdraw(entry, cast.alice, NOW),
        lambda: services.call(event, {entry.pk: True}, cast.alice, NOW),
    )
    assert isinstance(outcome, Refused)
    assert (reread(entry).status, reread(entry).present) == (WITHDRAWN, None)


# === the pages ====================================================================================


@pytest.fixture
def today() -> datetime:
    """The pages read the clock: what they show is made now."""
    return datetime.now(UTC)


def post(
    client: Client, path: str, form: dict[str, Any] | None = None, **more: Any
) -> HttpResponse:
    return client.post(path, form or {}, **more)  # type: ignore[return-value]


def words(response: Any) -> str:
    return Page(response).text


def alerts(response: Any) -> str:
    """What the page says went wrong: it must be in the page, with status 422."""
    assert response.status_code == 422, response.status_code
    text = response.content.decode()
    assert 'role="alert"' in text or "is-invalid" in text
    return words(response)


# --- the public list ------------------------------------------------------------------------------


@db
@both
def test_everybody_sees_who_comes_and_nobody_sees_an_address(cast: Cast, today: datetime) -> None:
    event = open_event(today, capacity=3)
    come(event, [cast.bruno.player, *people(3, today)], today, note="allergico")
    for user in (None, cast.dino, cast.bruno, cast.alice):
        shown = visitor(user).get(f"/eventi/{event.pk}/iscritti/")
        text = shown.content.decode()
        assert shown.status_code == 200
        assert "Binario Bruno" in text
        assert "Waiting list" in text
        assert "bruno@example.org" not in text
        assert "allergico" not in text
        assert "3 enrolled" in words(shown)
        assert "All the places are taken" in words(shown)


@db
@both
def test_a_stranger_is_asked_to_log_in_and_comes_back_to_the_list(
    cast: Cast, today: datetime
) -> None:
    event = open_event(today)
    path = f"/eventi/{event.pk}/iscritti/"
    assert f"{reverse('login')}?next={path}" in Page(visitor().get(path)).links
    answer = post(visitor(), f"/eventi/{event.pk}/iscrivimi/")
    assert (answer.status_code, answer["Location"]) == (302, f"{reverse('login')}?next={path}")
    assert not event.entries.exists()


@db
@both
def test_a_log_in_without_a_player_is_shown_the_way(cast: Cast, today: datetime) -> None:
    event = open_event(today)
    client = visitor(cast.dino)
    assert "/giocatori/sono-io/" in Page(client.get(f"/eventi/{event.pk}/iscritti/")).links
    with nothing_written():
        answer = post(client, f"/eventi/{event.pk}/iscrivimi/")
    assert "not joined to a player" in alerts(answer)
    assert "/giocatori/sono-io/" in Page(answer).links


@db
@both
def test_a_player_enrols_with_his_games_and_withdraws_in_two_steps(
    cast: Cast, today: datetime
) -> None:
    """A-07, A-10."""
    event = open_event(today, titles=(("1849", 1), ("1830", 1)))
    title = event.prove.get(order=2).title
    client = visitor(cast.bruno)
    path = f"/eventi/{event.pk}/iscritti/"
    assert {"copies", "note"} <= Page(client.get(path)).boxes.keys()
    form = {"copies": [str(title.pk)], "note": "arrivo alle dieci"}
    answer = client.post(f"/eventi/{event.pk}/iscrivimi/", form, follow=True)
    assert "You are enrolled" in words(answer)
    assert "You bring: 1830" in words(answer)
    entry = event.entries.get()
    assert (list(entry.copies.all()), entry.note) == ([title], "arrivo alle dieci")
    leave = f"/eventi/{event.pk}/ritirami/"
    assert leave in Page(client.get(path)).links
    assert "Withdraw from" in words(client.get(leave))
    assert reread(entry).status == ENROLLED
    assert "You are not enrolled any more" in words(client.post(leave, follow=True))
    assert reread(entry).status == WITHDRAWN
    with nothing_written():
        assert "You are not enrolled in this event" in words(client.post(leave, follow=True))


@db
@both
def test_the_button_pressed_twice_is_one_enrolment_and_says_so(cast: Cast, today: datetime) -> None:
    event = open_event(today)
    client = visitor(cast.bruno)
    assert post(client, f"/eventi/{event.pk}/iscrivimi/").status_code == 302
    with nothing_written():
        assert "already enrolled" in alerts(post(client, f"/eventi/{event.pk}/iscrivimi/"))


@db
@both
def test_the_page_says_how_long_the_line_is(cast: Cast, today: datetime) -> None:
    event = open_event(today, capacity=3)
    come(event, people(4, today), today)
    client = visitor(cast.bruno)
    assert "Put me on the waiting list" in words(client.get(f"/eventi/{event.pk}/iscritti/"))
    answer = client.post(f"/eventi/{event.pk}/iscrivimi/", follow=True)
    assert "You are number 2 on the waiting list" in words(answer)


@db
@both
def test_closed_enrolment_shows_no_button_and_refuses_an_old_page(
    cast: Cast, today: datetime
) -> None:
    event = open_event(today, enrolment_closes_at=today - HOUR)
    client = visitor(cast.bruno)
    shown = client.get(f"/eventi/{event.pk}/iscritti/")
    assert "Enrolment is closed" in words(shown)
    assert "iscrivimi" not in shown.content.decode()
    with nothing_written():
        answer = post(client, f"/eventi/{event.pk}/iscrivimi/")
    assert "ask the technical director" in alerts(answer)
    entry = services.enrol(event, cast.bruno.player, cast.alice, today)
    leave = f"/eventi/{event.pk}/ritirami/"
    assert "tell the technical director" in words(client.get(leave))
    assert '<button class="btn btn-danger"' not in client.get(leave).content.decode()
    with nothing_written():
        assert "closed" in alerts(post(client, leave))
    assert reread(entry).status == ENROLLED


@db
@both
def test_a_closed_list_says_what_can_be_done_before_on_and_after_the_days(
    cast: Cast, today: datetime
) -> None:
    """A-10, A-11."""
    event = open_event(today + 7 * DAY, enrolment_closes_at=today - HOUR)
    event.refresh_from_db()

    def on(**days: int) -> str:
        first = timezone.localdate() + timedelta(days=days["first"])
        Event.objects.filter(pk=event.pk).update(starts_on=first, ends_on=first + DAY)
        return words(visitor(cast.bruno).get(path_of(event, "iscritti/")))

    before = on(first=7)
    assert "Enrolment closed on" in before
    assert "ask the technical director" in before
    assert "in the hall" not in before
    assert "If you are in the hall, ask the technical director" in on(first=0)
    assert "If you are in the hall, ask the technical director" in on(first=-1)
    over = on(first=-3)
    assert "The event is over: its last day was" in over
    assert "technical director" not in over.partition("Who is enrolled")[2].partition("No.")[0]
    with nothing_written():
        assert "is over" in alerts(post(visitor(cast.bruno), path_of(event, "iscrivimi/")))


@db
@both
def test_the_list_of_an_event_cancelled_says_so_and_why(cast: Cast, today: datetime) -> None:
    event = open_event(today, capacity=3)
    come(event, [cast.bruno.player, *people(2, today), cast.judge], today)
    services.set_status(
        event, Event.Status.CANCELLED, cast.sara, today, reason="la sala è allagata"
    )
    shown = words(visitor(cast.bruno).get(path_of(event, "iscritti/")))
    assert "The event is cancelled Reason: la sala è allagata You were enrolled." in shown
    assert "You are enrolled" not in shown
    waited = words(visitor(cast.carla).get(path_of(event, "iscritti/")))
    assert "You were on the waiting list." in waited
    stranger = words(visitor().get(path_of(event, "iscritti/")))
    assert "The event is cancelled" in stranger
    assert "You were" not in stranger
    assert "places" not in stranger


@db
@both
def test_who_runs_the_event_and_is_no_player_is_sent_to_the_roll_call(
    cast: Cast, today: datetime
) -> None:
    event = open_event(today)
    page = Page(visitor(cast.sara).get(path_of(event, "iscritti/")))
    assert "recognised you" not in page.text
    assert "/giocatori/sono-io/" not in page.links
    assert f"{path_of(event)}#spot" in page.links
    Event.objects.filter(pk=event.pk).update(enrolment_closes_at=today - HOUR)
    page = Page(visitor(cast.sara).get(path_of(event, "iscritti/")))
    assert "ask the technical director" not in page.text
    assert f"{path_of(event)}#spot" in page.links


@db
@both
def test_the_fee_is_written_in_one_form(cast: Cast, today: datetime) -> None:
    event = open_event(today, fee=Decimal(10))
    assert "Fee: 10.00 €." in words(visitor(cast.bruno).get(path_of(event, "iscritti/")))


@db
@both
def test_the_banned_are_told_why_and_by_which_article(cast: Cast, today: datetime) -> None:
    event = open_event(today)
    ban(cast.bruno.player, "all", timezone.localdate(today))
    with nothing_written():
        answer = post(visitor(cast.bruno), f"/eventi/{event.pk}/iscrivimi/")
    assert "Expelled" in alerts(answer)
    assert "#A-18" in answer.content.decode()


@db
@both
def test_the_director_sees_whether_there_are_copies_enough(cast: Cast, today: datetime) -> None:
    """A-07: eleven players are two tables of 1830; one copy is offered."""
    event = open_event(today, titles=(("1830", 1),))
    title = event.prove.get().title
    come(event, people(10, today), today)
    services.enrol(event, cast.bruno.player, cast.alice, today, copies=[title])
    path = f"/eventi/{event.pk}/iscritti/"
    assert "1830 1 2 too few" in words(visitor(cast.alice).get(path))
    assert "too few" not in words(visitor(cast.bruno).get(path))
    services.enrol(event, cast.carla.player, cast.alice, today, copies=[title])
    assert "1830 2 3 too few" in words(visitor(cast.alice).get(path))  # twelve: three tables


WRONG_ENROLMENTS: dict[str, dict[str, Any]] = {
    "a title that is not played": {"copies": ["0"]},
    "letters": {"copies": ["1830"], "note": ""},
    "a huge number": {"copies": ["9" * 40]},
    "markup": {"copies": ["<b>"]},
    "a null byte": {"copies": ["1\x00"]},
    "a note too long": {"note": "x" * 201},
    "a note with a null byte": {"note": "a\x00b"},
}


@db
@both
@pytest.mark.parametrize("form", WRONG_ENROLMENTS.values(), ids=WRONG_ENROLMENTS.keys())
def test_a_wrong_enrolment_is_given_back_with_words(
    cast: Cast, today: datetime, form: dict[str, Any]
) -> None:
    event = open_event(today)
    with nothing_written():
        answer = post(visitor(cast.bruno), f"/eventi/{event.pk}/iscrivimi/", form)
    assert answer.status_code == 422
    said = [str(e) for errors in answer.context["form"].errors.values() for e in errors]  # type: ignore[attr-defined]
    assert said
    assert all(" ".join(words_.split()) in words(answer) for words_ in said)


@db
@both
def test_an_event_that_one_may_not_see_has_no_list(cast: Cast, today: datetime) -> None:
    draft = make_draft(now=today)
    for page in ("iscritti/", "mancano/", "ritirami/"):
        assert visitor(cast.bruno).get(f"/eventi/{draft.pk}/{page}").status_code == 404
        assert visitor(cast.bruno).get(f"/eventi/{'9' * 30}/{page}").status_code == 404
    assert post(visitor(cast.bruno), f"/eventi/{draft.pk}/iscrivimi/").status_code == 404
    assert visitor(cast.alice).get(f"/eventi/{draft.pk}/iscritti/").status_code == 200
    with nothing_written():
        answer = post(visitor(cast.carla), f"/eventi/{draft.pk}/iscrivimi/")
    assert answer.status_code == 404


# --- the roll call --------------------------------------------------------------------------------


def roll(entry: Entry, *ticks: str, was: str = "none") -> dict[str, str]:
    """One row of the list, as the page sends it."""
    return {f"was-{entry.pk}": was, **{f"{tick}-{entry.pk}": "1" for tick in ticks}}


def path_of(event: Event, page: str = "appello/") -> str:
    return f"/eventi/{event.pk}/{page}"


@db
@both
def test_the_director_ticks_a_row_and_gets_its_state_and_the_sum(
    cast: Cast, today: datetime
) -> None:
    """A-10."""
    event = open_event(today)
    a, b, _other = come(event, people(3, today), today)
    client = visitor(cast.alice)
    page = client.get(path_of(event))
    assert "0 of 3 present , 3 not called, 0 absent" in words(page).replace("present,", "present ,")
    form = {"tick": str(a.pk), **roll(a, "here")}
    answer = post(client, path_of(event), form, headers={"hx-request": "true"})
    assert answer.status_code == 200
    text = answer.content.decode()
    assert f'id="state-{a.pk}"' in text
    assert 'value="here" hx-swap-oob' in text
    assert f"state-{b.pk}" not in text
    assert "<html" not in text
    assert "1 of 3 present" in words(answer)
    assert reread(a).present is True
    # The answer got lost, the row is sent again; then the tick is taken back.
    assert post(client, path_of(event), form, headers={"hx-request": "true"}).status_code == 200
    untick = {"tick": str(a.pk), **roll(a)}
    post(client, path_of(event), untick, headers={"hx-request": "true"})
    assert reread(a).present is None
    assert LogEntry.objects.filter(verb="call_roll").count() == 2


@db
@both
def test_without_a_script_the_whole_list_is_saved_at_once(cast: Cast, today: datetime) -> None:
    event = open_event(today)
    a, b, c = come(event, people(3, today), today)
    client = visitor(cast.alice)
    form = roll(a, "here", "paid") | roll(b, "absent") | roll(c)
    answer = client.post(path_of(event), form, follow=True)
    assert "Saved" in words(answer)
    found = [(reread(e).present, reread(e).paid) for e in (a, b, c)]
    assert found == [(True, True), (False, False), (None, False)]
    boxes = Page(answer).boxes
    assert (boxes[f"was-{a.pk}"], boxes[f"was-{b.pk}"]) == ("here,paid", "absent")
    with nothing_written():
        again = roll(a, "here", "paid", was="here,paid") | roll(b, "absent", was="absent")
        assert "Nothing had changed" in words(client.post(path_of(event), again, follow=True))
        assert "Nothing had changed" in words(client.post(path_of(event), {}, follow=True))


@db
@both
def test_a_page_that_is_old_undoes_nothing_that_it_did_not_touch(
    cast: Cast, today: datetime
) -> None:
    event = open_event(today)
    a, b = come(event, people(2, today), today)
    services.call(event, {a.pk: True}, cast.sara, today)  # on the other laptop
    post(visitor(cast.alice), path_of(event), roll(a) | roll(b, "here"))
    assert (reread(a).present, reread(b).present) == (True, True)


@db
@both
def test_everybody_else_is_here_and_the_roll_is_called_afresh(cast: Cast, today: datetime) -> None:
    event = open_event(today)
    a, b, c = come(event, people(3, today), today)
    client = visitor(cast.alice)
    rows = roll(a, "absent") | roll(b) | roll(c)
    post(client, path_of(event), {**rows, "everybody": "1"})
    assert [reread(e).present for e in (a, b, c)] == [False, True, True]
    post(client, path_of(event), {"afresh": "1"})
    assert [reread(e).present for e in (a, b, c)] == [None, None, None]


@db
@both
def test_the_filter_finds_by_letters_and_survives_a_save(cast: Cast, today: datetime) -> None:
    event = open_event(today)
    a, b = come(event, [make_player("D'Angelo", "Rocco", today), cast.bruno.player], today)
    client = visitor(cast.alice)
    shown = client.get(path_of(event), {"q": "dàngelo r"})
    assert f'id="entry-{a.pk}"' in shown.content.decode()
    assert f'id="entry-{b.pk}"' not in shown.content.decode()
    answer = post(client, path_of(event) + "?q=dangelo", roll(a, "here"))
    assert answer["Location"] == f"{path_of(event)}?q=dangelo"
    assert "Nobody of this list is called" in words(client.get(path_of(event), {"q": "zzz"}))
    assert client.get(path_of(event), {"q": "\x00<b>"}).status_code == 200


WRONG_TICKS: dict[str, dict[str, str]] = {
    "here and absent": {"was-{a}": "none", "here-{a}": "1", "absent-{a}": "1"},
    "another event's entry": {
        "was-{a}": "none",
        "here-{a}": "1",
        "was-{x}": "none",
        "here-{x}": "1",
    },
    "an entry that is not": {"was-{a}": "none", "here-{a}": "1", "was-0": "none", "here-0": "1"},
    "who waits": {"was-{a}": "none", "here-{a}": "1", "was-{w}": "none", "here-{w}": "1"},
    "who withdrew": {"was-{a}": "none", "here-{a}": "1", "was-{g}": "none", "paid-{g}": "1"},
    "letters for a number": {"was-{a}": "none", "here-{a}": "1", "was-abc": "none"},
    "digits of another script": {"was-٣": "none", "here-٣": "1"},
    "a huge number": {f"was-{'9' * 40}": "none", f"here-{'9' * 40}": "1"},
    "a number just too large": {f"was-{'9' * 18}": "none", f"here-{'9' * 18}": "1"},
    "a negative number": {"was--1": "none"},
    "no such state": {"was-{a}": "perhaps", "here-{a}": "1"},
    "an empty state": {"was-{a}": "", "here-{a}": "1"},
    "a state with more": {"was-{a}": "here,paid,paid", "here-{a}": "1"},
    "a null byte": {"was-{a}": "none\x00", "here-{a}": "1"},
}


@db
@both
@pytest.mark.parametrize("by_htmx", [False, True], ids=["page", "row"])
@pytest.mark.parametrize("form", WRONG_TICKS.values(), ids=WRONG_TICKS.keys())
def test_wrong_ticks_are_refused_whole_and_in_words(
    cast: Cast, today: datetime, form: dict[str, str], by_htmx: bool
) -> None:
    event, other = open_event(today, capacity=3), open_event(today, name="Altra")
    a, _inside, gone, _admitted = come(event, people(4, today), today)
    services.withdraw(gone, cast.alice, today)
    services.enrol(event, cast.bruno.player, cast.alice, today)
    waits = event.entries.waiting()[0]
    [strange] = come(other, [cast.carla.player], today)
    pks = {"a": a.pk, "x": strange.pk, "w": waits.pk, "g": gone.pk}
    sent = {name.format(**pks): value for name, value in form.items()}
    headers = {"hx-request": "true"} if by_htmx else {}
    with nothing_written():
        answer = post(visitor(cast.alice), path_of(event), sent, headers=headers)
    assert answer.status_code == 422
    if not by_htmx:
        assert alerts(answer)
        if "was-{a}" in form and form["was-{a}"] == "none":  # his tick is still on the page
            assert f'name="here-{a.pk}" value="1" data-not="absent-{a.pk}" checked' in (
                answer.content.decode()
            )


@db
@both
def test_who_has_left_is_not_called_by_an_old_page(cast: Cast) -> None:
    event = open_event()
    entries = come(event, people(4), present=True)
    play(event, 1, 1, entries)
    services.withdraw(entries[0], cast.alice, NOW)
    form = {"tick": str(entries[0].pk), **roll(entries[0], "here", was="none")}
    with nothing_written():
        answer = post(visitor(cast.alice), path_of(event), form, headers={"hx-request": "true"})
    assert answer.status_code == 422
    assert "has left" in words(answer)


@db
@both
def test_the_list_of_an_event_that_is_over_can_only_be_read(cast: Cast) -> None:
    event = open_event()
    entries = come(event, people(4), present=True)
    Event.objects.filter(pk=event.pk).update(status=Event.Status.CONCLUDED)
    client = visitor(cast.alice)
    page = client.get(path_of(event))
    assert "can only be read" in words(page)
    assert 'id="roll-save"' not in page.content.decode()
    deeds = {
        path_of(event): roll(entries[0], was="here"),
        path_of(event, "appello/iscrizione/"): {"player": str(cast.bruno.player.pk)},
        path_of(event, "appello/nuovo/"): {"surname": "Nuvola"},
        f"/iscrizioni/{entries[0].pk}/ritiro/": {},
        f"/iscrizioni/{entries[0].pk}/ritorno/": {},
        f"/iscrizioni/{entries[0].pk}/ammissione/": {},
    }
    for path, form in deeds.items():
        with nothing_written():
            assert alerts(post(client, path, form)), path


@db
@both
def test_between_rounds_the_list_says_how_many_each_has_played(cast: Cast) -> None:
    event = open_event()
    entries = come(event, people(5), present=True)
    play(event, 1, 1, entries[:4])
    services.withdraw(entries[0], cast.alice, NOW)
    page = words(visitor(cast.alice).get(path_of(event)))
    assert page.count("1 round played") == 3
    assert "left after round 1" in page
    assert page.count("Comes back") == 1


# --- rows: who withdraws, leaves, comes back, is admitted -----------------------------------------


@db
@both
def test_the_director_withdraws_takes_back_and_admits(cast: Cast, today: datetime) -> None:
    event = open_event(today, capacity=3)
    a, _b, _c, waits, _last = come(event, people(5, today), today)
    client = visitor(cast.alice)
    assert "does not come?" in words(client.get(f"/iscrizioni/{a.pk}/ritiro/"))
    answer = post(client, f"/iscrizioni/{a.pk}/ritiro/")
    assert answer["Location"] == f"{path_of(event)}#entry-{a.pk}"
    assert (reread(a).status, reread(waits).status) == (WITHDRAWN, ENROLLED)
    assert "Already withdrawn" in words(client.get(f"/iscrizioni/{a.pk}/ritiro/"))
    with nothing_written():
        assert post(client, f"/iscrizioni/{a.pk}/ritiro/").status_code == 302
    back = client.post(f"/iscrizioni/{a.pk}/ritorno/", follow=True)
    assert "is number 2 on the waiting list" in words(back)
    admitted = client.post(f"/iscrizioni/{a.pk}/ammissione/", follow=True)
    assert admitted.status_code == 200
    assert "is in, beyond the places: 4 of 3." in words(admitted)
    assert reread(a).status == ENROLLED
    with nothing_written():
        assert post(client, f"/iscrizioni/{a.pk}/ammissione/").status_code == 302


@db
@both
def test_the_page_that_asks_says_who_will_have_the_place(cast: Cast, today: datetime) -> None:
    """A-11: as it will be, also when nobody is called in."""
    event = open_event(today, capacity=3)
    a, _b, _c, first, second = come(event, [*people(4, today), cast.bruno.player], today)
    client = visitor(cast.alice)

    def asked() -> str:
        return words(client.get(f"/iscrizioni/{a.pk}/ritiro/"))

    assert f"The place goes to {first.player}, from the waiting list." in asked()
    assert "A mail says so" not in asked()  # he has no log-in
    ban(first.player, "all", timezone.localdate(today))
    assert "The place goes to Binario Bruno, from the waiting list. A mail says so." in asked()
    with nothing_written():
        assert services.called_in_for(a) == second
    Ban.objects.update(lifted_at=today)
    services.admit(first, cast.alice, today)
    assert "nobody is called in from the waiting list" in asked()
    assert services.called_in_for(reread(a)) is None
    services.withdraw(second, cast.alice, today)
    services.withdraw(first, cast.alice, today)
    assert "Nobody is waiting: the place stays free." in asked()
    services.withdraw(a, cast.alice, today)
    assert services.called_in_for(reread(a)) is None


@db
@both
def test_a_button_opened_leads_to_its_page(cast: Cast, today: datetime) -> None:
    """The language is changed on a refused page, or the address is entered again."""
    event = open_event(today)
    [entry] = come(event, [cast.bruno.player], today)
    client = visitor(cast.alice)
    roll_call, enrolled = path_of(event), path_of(event, "iscritti/")
    for path, page in {
        path_of(event, "iscrivimi/"): enrolled,
        path_of(event, "appello/nuovo/"): roll_call,
        path_of(event, "appello/iscrizione/"): roll_call,
        f"/iscrizioni/{entry.pk}/ritorno/": roll_call,
        f"/iscrizioni/{entry.pk}/ammissione/": roll_call,
    }.items():
        with nothing_written():
            answer = client.get(path)
            assert (answer.status_code, answer["Location"]) == (302, page)
            assert client.head(path).status_code == 302
            assert client.put(path).status_code == 405
            if page == roll_call:
                assert client.get(path).status_code == 302
                assert visitor(cast.bruno).get(path).status_code == 404
                assert visitor().get(path)["Location"].startswith(reverse("login"))


# --- the games that somebody brings, and his note (A-07) ------------------------------------------


@db
@both
def test_the_director_writes_the_games_that_somebody_brings(cast: Cast, today: datetime) -> None:
    """A-07: what is said at the desk; the list of the games follows."""
    event = open_event(today, titles=(("1849", 1), ("1830", 1)))
    title = event.prove.get(order=2).title
    [entry] = come(event, [cast.bruno.player], today, note="vegetariano")
    client = visitor(cast.alice)
    path = f"/iscrizioni/{entry.pk}/"
    assert path in Page(client.get(path_of(event))).links
    assert Page(client.get(path)).boxes["note"] == "vegetariano"
    form = {"copies": [str(title.pk)], "note": " arriva tardi "}
    answer = client.post(path, form)
    assert answer["Location"] == f"{path_of(event)}#entry-{entry.pk}"
    entry = reread(entry)
    assert (list(entry.copies.all()), entry.note) == ([title], "arriva tardi")
    assert "Brings 1830" in words(client.get(path_of(event)))
    logged = LogEntry.objects.about(event).filter(verb="amend_entry").get()
    assert (logged.actor, logged.data) == (cast.alice, {"entry": entry.pk})
    with nothing_written():
        assert client.post(path, form).status_code == 302  # pressed twice
        assert client.post(path, {"copies": ["0"]}).status_code == 422
        assert client.post(path, {"note": "x" * 201}).status_code == 422
    Event.objects.filter(pk=event.pk).update(status=Event.Status.CONCLUDED)
    assert "can only be read" in words(client.get(path))
    with nothing_written():
        assert "neither open" in alerts(client.post(path, {"note": "tardi"}))


@db
@both
def test_the_games_of_another_event_are_touched_by_nobody(cast: Cast, today: datetime) -> None:
    [entry] = come(open_event(today), [cast.bruno.player], today)
    for user, expected in ((None, 302), (cast.bruno, 404), (cast.carla, 404)):
        with nothing_written():
            assert visitor(user).get(f"/iscrizioni/{entry.pk}/").status_code == expected
            answer = post(visitor(user), f"/iscrizioni/{entry.pk}/", {"note": "x"})
            assert answer.status_code == expected


@db
@both
def test_the_director_writes_that_somebody_leaves(cast: Cast) -> None:
    """B-14."""
    event = open_event()
    entries = come(event, people(4), present=True)
    play(event, 1, 1, entries)
    client = visitor(cast.alice)
    asked = client.get(f"/iscrizioni/{entries[0].pk}/ritiro/")
    assert "What was scored stays" in words(asked)
    assert "#B-14" in asked.content.decode()
    said = words(client.post(f"/iscrizioni/{entries[0].pk}/ritiro/", follow=True))
    assert "has left after round 1" in said


@db
@both
def test_who_runs_another_event_or_none_touches_no_row(cast: Cast, today: datetime) -> None:
    event = open_event(today, capacity=3)
    open_event(today, name="Di Carla", director=cast.judge)
    entries = come(event, [cast.bruno.player, *people(3, today)], today)
    for user, expected in ((None, 302), (cast.dino, 404), (cast.bruno, 404), (cast.carla, 404)):
        client = visitor(user)
        with nothing_written():
            for page in ("appello/", "iscritti.csv"):
                assert client.get(path_of(event, page)).status_code == expected, page
            assert client.get(f"/iscrizioni/{entries[0].pk}/ritiro/").status_code == expected
            deeds: dict[str, dict[str, str]] = {
                path_of(event): roll(entries[0], "here"),
                path_of(event, "appello/iscrizione/"): {"player": str(cast.carla.player.pk)},
                path_of(event, "appello/nuovo/"): {"surname": "Nuvola"},
                f"/iscrizioni/{entries[0].pk}/ritiro/": {},
                f"/iscrizioni/{entries[0].pk}/ritorno/": {},
                f"/iscrizioni/{entries[3].pk}/ammissione/": {},
                f"/iscrizioni/{'9' * 30}/ammissione/": {},
            }
            for path, form in deeds.items():
                assert post(client, path, form).status_code == expected, path
    assert post(visitor(cast.alice), f"/iscrizioni/{'9' * 30}/ammissione/").status_code == 404
    assert post(visitor(cast.sara), path_of(event), roll(entries[0], "here")).status_code == 302


@db
@both
def test_a_player_withdraws_himself_and_nobody_else(cast: Cast, today: datetime) -> None:
    event = open_event(today)
    [entry] = come(event, [cast.bruno.player], today)
    with nothing_written():
        assert post(visitor(cast.carla), path_of(event, "ritirami/")).status_code == 302
        assert post(visitor(), path_of(event, "ritirami/")).status_code == 302
    assert reread(entry).status == ENROLLED


# --- on the spot ----------------------------------------------------------------------------------


@db
@both
def test_the_books_are_searched_by_letters_and_one_click_enrols_him_here(
    cast: Cast, today: datetime
) -> None:
    event = open_event(today)
    rocco = make_player("D'Angelo", "Rocco", today)
    come(event, [cast.bruno.player], today)
    client = visitor(cast.alice)
    for typed in ("d'angelo", "DANGELO", "dangelo roc", "rocco", "D'Àngelo Rocco"):
        found = client.get(path_of(event), {"cerca": typed})
        assert f'name="player" value="{rocco.pk}"' in found.content.decode(), typed
    known = client.get(path_of(event), {"cerca": "binario"}).content.decode()
    assert f'value="{cast.bruno.player.pk}"' not in known
    fragment = client.get(
        path_of(event), {"cerca": "dangelo"}, headers={"hx-request": "true"}
    ).content.decode()
    assert "<html" not in fragment
    assert f'value="{rocco.pk}"' in fragment
    form = {"player": str(rocco.pk), "present": "1"}
    answer = client.post(path_of(event, "appello/iscrizione/"), form, follow=True)
    assert "D'Angelo Rocco is enrolled and here" in words(answer)
    assert event.entries.get(player=rocco).present is True
    with nothing_written():
        again = post(client, path_of(event, "appello/iscrizione/"), form)
    assert "already enrolled" in alerts(again)


@db
@both
def test_who_is_added_is_taken_as_here_on_the_days_of_the_event_only(
    cast: Cast, today: datetime
) -> None:
    """Who telephones days before is not in the hall; what was said last holds for the next."""
    event = open_event(today + 7 * DAY)
    client = visitor(cast.alice)
    ticked = 'id="add-present" value="1" checked'

    def ticked_after(days: int, **query: str) -> bool:
        first = timezone.localdate() + timedelta(days=days)
        Event.objects.filter(pk=event.pk).update(starts_on=first, ends_on=first + DAY)
        return ticked in client.get(path_of(event), {"cerca": "binario", **query}).content.decode()

    assert [ticked_after(days) for days in (7, 1, 0, -1, -2)] == [False, False, True, True, False]
    assert [ticked_after(7, qui=said) for said in ("1", "0", "x")] == [True, False, False]
    assert [ticked_after(0, qui=said) for said in ("1", "0", "x")] == [True, False, True]
    form = {"player": str(cast.bruno.player.pk)}
    answer = client.post(path_of(event, "appello/iscrizione/"), form)
    assert answer["Location"] == f"{path_of(event)}?qui=0"
    page = client.get(answer["Location"]).content.decode()
    assert "autofocus" in page
    assert 'id="new-present" value="1" checked' not in page
    assert "Binario Bruno is enrolled, to play" in page.partition('id="spot-told"')[2]
    newcomer = {"surname": "Nuvola", "present": "1"}
    answer = client.post(path_of(event, "appello/nuovo/"), newcomer)
    assert answer["Location"] == f"{path_of(event)}?qui=1"
    refused_ = client.post(path_of(event, "appello/iscrizione/"), form).content.decode()
    assert 'id="new-present" value="1" checked' not in refused_  # he is enrolled already


@db
@both
@pytest.mark.parametrize("typed", ["", " ", "x", "\x00", "%", "_", "'", "<b>", "z" * 5000, "١"])
def test_any_search_is_answered(cast: Cast, today: datetime, typed: str) -> None:
    event = open_event(today)
    for headers in ({}, {"hx-request": "true"}):
        answer = visitor(cast.alice).get(path_of(event), {"cerca": typed}, headers=headers)
        assert answer.status_code == 200
        assert 'name="player"' not in answer.content.decode()


@db
@both
def test_a_long_search_says_that_there_are_more(cast: Cast, today: datetime) -> None:
    event = open_event(today)
    people(15, today)
    answer = visitor(cast.alice).get(path_of(event), {"cerca": "passeggero"})
    assert answer.content.decode().count('name="player"') == 12
    assert "write more of the name" in words(answer)


@db
@both
def test_who_is_not_on_the_books_is_registered_at_the_desk(cast: Cast, today: datetime) -> None:
    event = open_event(today)
    client = visitor(cast.alice)
    assert "Nobody on the books is called" in words(client.get(path_of(event), {"cerca": "nuvola"}))
    form = {"surname": "Nuvola", "name": "Nina", "town": "Montetreno", "present": "1"}
    answer = client.post(path_of(event, "appello/nuovo/"), form, follow=True)
    assert "Nuvola Nina is enrolled and here" in words(answer)
    entry = event.entries.get()
    assert (entry.player.town, entry.present) == ("Montetreno", True)


@db
@both
def test_a_possible_double_is_shown_before_he_is_registered(cast: Cast, today: datetime) -> None:
    event = open_event(today)
    client = visitor(cast.alice)
    form = {"surname": "Binario", "name": "B.", "present": "1"}
    with nothing_written():
        answer = post(client, path_of(event, "appello/nuovo/"), form)
    text = alerts(answer)
    assert "Perhaps one of these? Binario Bruno" in text
    assert Page(answer).boxes["surname"] == "Binario"
    assert "another" in Page(answer).boxes
    assert (
        post(client, path_of(event, "appello/nuovo/"), {**form, "another": "on"}).status_code == 302
    )
    assert Player.objects.filter(surname="Binario").count() == 2


@db
@both
def test_who_comes_between_rounds_may_be_let_in_from_a_later_one(cast: Cast) -> None:
    event = open_event(titles=(("1849", 2), ("1870", 2)))
    play(event, 1, 1, come(event, people(4), present=True))
    client = visitor(cast.alice)
    page = client.get(path_of(event), {"cerca": "binario"}).content.decode()
    assert '<option value="4"' in page
    assert '<option value="1"' not in page
    form = {"player": str(cast.bruno.player.pk), "present": "1"}
    with nothing_written():
        for wanted in ("1", "5", "x", "-1", "9" * 30):
            assert alerts(
                post(client, path_of(event, "appello/iscrizione/"), {**form, "from_round": wanted})
            )
    post(client, path_of(event, "appello/iscrizione/"), {**form, "from_round": "3"})
    assert event.entries.get(player=cast.bruno.player).from_round == 3


WRONG_NEWCOMERS: dict[str, dict[str, str]] = {
    "nothing": {},
    "no surname": {"name": "Nina"},
    "a blank surname": {"surname": "   "},
    "a surname too long": {"surname": "x" * 81},
    "a name too long": {"surname": "Nuvola", "name": "x" * 81},
    "a town too long": {"surname": "Nuvola", "town": "x" * 81},
    "a null byte": {"surname": "Nu\x00vola"},
    "no such club": {"surname": "Nuvola", "club": "0"},
    "a club in letters": {"surname": "Nuvola", "club": "circolo"},
    "a huge club": {"surname": "Nuvola", "club": "9" * 40},
    "a round before the event begins": {"surname": "Nuvola", "from_round": "1"},
}


@db
@both
@pytest.mark.parametrize("form", WRONG_NEWCOMERS.values(), ids=WRONG_NEWCOMERS.keys())
def test_a_wrong_newcomer_is_given_back_with_words(
    cast: Cast, today: datetime, form: dict[str, str]
) -> None:
    event = open_event(today)
    with nothing_written():
        answer = post(visitor(cast.alice), path_of(event, "appello/nuovo/"), form)
    assert answer.status_code == 422
    errors = answer.context["newcomer"].errors  # type: ignore[attr-defined]
    said = [str(error) for each in errors.values() for error in each]
    assert said
    assert [text for text in said if text not in words(answer)] == [] or "from_round" in errors


@db
@both
@pytest.mark.parametrize("player", ["", "0", "x", "9" * 40, "-1", "\x00", "<b>"])
def test_a_wrong_player_is_not_enrolled(cast: Cast, today: datetime, player: str) -> None:
    event = open_event(today)
    with nothing_written():
        answer = post(
            visitor(cast.alice), path_of(event, "appello/iscrizione/"), {"player": player}
        )
    assert alerts(answer)


# --- the big screen, the file, the speed ----------------------------------------------------------


@db
@both
def test_the_big_screen_names_who_is_missing_and_stays_still_when_nothing_changes(
    cast: Cast, today: datetime
) -> None:
    """F16 of the asks."""
    event = open_event(today)
    _bruno, b, c = come(event, [cast.bruno.player, *people(2, today)], today)
    services.call(event, {b.pk: True, c.pk: False}, cast.alice, today)
    page = visitor().get(path_of(event, "mancano/"))
    assert "Binario Bruno" in words(page)
    assert "2 of 3 are missing" in words(page)
    assert str(b.player) not in words(page)
    seen = page.context["seen"]
    still = visitor().get(path_of(event, "mancano/"), {"seen": seen})
    assert (still.status_code, still.content) == (204, b"")
    services.call(event, {}, cast.alice, today, rest_here=True)
    changed = visitor().get(path_of(event, "mancano/"), {"seen": seen})
    assert "<html" not in changed.content.decode()
    assert 'class="screen"' in page.content.decode()
    assert '<header class="top"' not in page.content.decode()
    assert "1 of 3 is missing" in words(changed)
    services.call(event, {c.pk: True}, cast.alice, today)
    assert "Everybody is here" in words(visitor().get(path_of(event, "mancano/")))
    Event.objects.filter(pk=event.pk).update(status=Event.Status.CONCLUDED)
    assert visitor().get(path_of(event, "mancano/")).status_code == 404


@db
@both
def test_the_list_is_taken_away_without_addresses_or_formulas(cast: Cast, today: datetime) -> None:
    event = open_event(today, capacity=3)
    title = event.prove.get().title
    services.enrol(event, cast.bruno.player, cast.alice, today, copies=[title], note="=1+1")
    come(event, [make_player("=Formula", "Fia", today), *people(2, today)], today)
    answer = visitor(cast.alice).get(path_of(event, "iscritti.csv"))
    assert answer["Content-Type"] == "text/csv; charset=utf-8"
    text = answer.content.decode("utf-8-sig")
    rows = list(csv.DictReader(io.StringIO(text), delimiter=";"))
    assert len(rows) == 4
    bruno = next(row for row in rows if row["Surname"] == "Binario")
    assert (bruno["Brings"], bruno["Note"], bruno["Paid"]) == ("1849", "'=1+1", "no")
    assert [row["Place on the waiting list"] for row in rows].count("1") == 1
    assert "'=Formula" in text
    assert "@" not in text


def queries(client: Client, path: str) -> int:
    with CaptureQueriesContext(
        connection,
    ) as seen:
        assert client.get(path).status_code == 200
    return len(seen)


@db
@both
@pytest.mark.parametrize(
    "page", ["appello/", "appello/?cerca=passeggero", "iscritti/", "mancano/", "iscritti.csv"]
)
def test_sixty_people_take_no_more_queries_than_five(cast: Cast, page: str) -> None:
    event = open_event(capacity=58)
    title = event.prove.get().title
    client = visitor(cast.alice)
    entries = come(event, people(5), present=True, copies=[title])
    play(event, 1, 1, entries)
    few = queries(client, path_of(event, page))
    come(event, people(57), copies=[title])
    assert event.entries.waiting().count() == 4
    assert queries(client, path_of(event, page)) <= few


@db
@both
def test_a_tick_takes_the_same_queries_with_sixty_people(cast: Cast) -> None:
    event = open_event()
    client = visitor(cast.alice)
    [first, *_rest] = come(event, people(5))

    def tick(*ticks: str) -> int:
        form = {"tick": str(first.pk), **roll(first, *ticks)}
        with CaptureQueriesContext(connection) as seen:
            post(client, path_of(event), form, headers={"hx-request": "true"})
        return len(seen)

    few = tick("here")
    come(event, people(55))
    assert tick() == few


@db
@both
def test_names_that_look_like_markup_are_only_names(cast: Cast, today: datetime) -> None:
    event = open_event(today)
    come(event, [make_player("<script>alert(1)</script>", "x", today)], today)
    for page in ("iscritti/", "appello/", "appello/?cerca=<script>", "mancano/"):
        answer = visitor(cast.alice).get(path_of(event, page))
        assert "<script>alert" not in answer.content.decode()
        assert Page(answer).inline == []
