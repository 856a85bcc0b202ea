"""The calendar and the events in it: their verbs, their pages, who may do what, and bad input.

A-01 to A-09, A-12, A-14, A-15, F-04, H-04.
"""

from __future__ import annotations

import csv
import io
import json
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from datetime import UTC, date, datetime
from decimal import Decimal
from functools import partial
from pathlib import Path
from typing import Any

import pytest
from django.contrib.auth.models import AnonymousUser
from django.db import connection
from django.test import Client
from django.test.utils import CaptureQueriesContext
from django.urls import reverse

from figf.errors import Refused
from figf.models import Email, LogEntry
from figf.tests.cast import (
    DAY,
    HOUR,
    NOW,
    TODAY,
    Cast,
    Page,
    at_once,
    make_cast,
    make_draft,
    make_event,
    make_hall,
    make_member,
    make_player,
    make_season,
    make_sketch,
    make_title,
    tables_of,
    visitor,
)
from tournaments import services
from tournaments.models import (
    Entry,
    Event,
    Player,
    Prova,
    RefereeTerm,
    Round,
    Season,
    Table,
    Title,
)
from tournaments.rules.calendar import NEXT

db = pytest.mark.django_db
both = pytest.mark.both
VECTORS = {
    case["id"]: case
    for case in json.loads(Path(__file__).with_name("figf_vectors.json").read_text("utf-8"))[
        "cases"
    ]
}


@pytest.fixture
def cast() -> Cast:
    return make_cast()


def state() -> list[Any]:
    """Every row that these pages may write."""
    kinds = (Event, Prova, Season, Title, Entry, LogEntry, Email)
    return [list(kind._default_manager.order_by("pk").values_list()) for kind in kinds]


@contextmanager
def nothing_written() -> Iterator[None]:
    before = state()
    yield
    assert state() == before


def refused(deed: Callable[..., object], *given: Any, **more: Any) -> Refused:
    """The refusal of `deed`, having checked that nothing was written."""
    with nothing_written(), pytest.raises(Refused) as refusal:
        deed(*given, **more)
    return refusal.value


def create(cast: Cast, name: str = "Festa", day: date = TODAY, **more: Any) -> Event:
    return services.create_event(
        more.pop("season", None) or make_season(day.year),
        name,
        day,
        more.pop("ends_on", day),
        cast.sara,
        NOW,
        **more,
    )


def last_log(event: Event) -> LogEntry:
    return LogEntry.objects.about(event).latest("pk")


def move(event: Event, *statuses: str, by: Any = None) -> Event:
    """Along the line, by the verb; with a reason, which only a cancellation needs."""
    for status in statuses:
        reason = "sala chiusa" if status == "cancelled" else ""
        event = services.set_status(event, status, by or make_cast().sara, NOW, reason=reason)
    return event


# --- what the calendar says of an event -----------------------------------------------------------


@db
@both
def test_a_new_event_keeps_all_that_was_said_of_it(cast: Cast) -> None:
    closes = datetime(2026, 3, 10, 20, 0, tzinfo=UTC)
    event = create(
        cast,
        "  Festa   del  Casello ",
        ends_on=TODAY + DAY,
        town=" Modena ",
        region="Emilia-Romagna",
        venue="Via della Stazione 1",
        organiser="Dopolavoro",
        organiser_contact="Piazza Grande 12",
        director=cast.director,
        fee=Decimal("10.50"),
        capacity=20,
        enrolment_closes_at=closes,
    )
    event.refresh_from_db()
    assert (event.name, event.town, event.region) == (
        "Festa del Casello",
        "Modena",
        "Emilia-Romagna",
    )
    assert (event.venue, event.organiser) == ("Via della Stazione 1", "Dopolavoro")
    assert (event.organiser_contact, event.director) == ("Piazza Grande 12", cast.director)
    assert (event.fee, event.capacity) == (Decimal("10.50"), 20)
    assert (event.enrolment_closes_at, event.replaces) == (closes, None)
    assert (event.ordinal, event.status, event.contribution_state) == (1, "draft", "due")


SENSELESS: list[tuple[dict[str, Any], str, str, str]] = [
    ({"name": "  "}, "name_missing", "", "name"),
    ({"ends_on": TODAY - DAY}, "dates_reversed", "A-01", "ends_on"),
    ({"day": date(2025, 12, 31)}, "outside_season", "A-01", "starts_on"),
    ({"ends_on": date(2062, 3, 15)}, "dates_too_far", "A-01", "ends_on"),
    ({"ends_on": date.max}, "dates_too_far", "A-01", "ends_on"),
    ({"kind": "pbem", "day": date.min, "ends_on": TODAY}, "dates_too_far", "A-01", "starts_on"),
    ({"fee": Decimal("-0.01")}, "fee_negative", "", "fee"),
    ({"capacity": 2}, "places", "B-07", "capacity"),
    (
        {"enrolment_closes_at": datetime(2026, 3, 14, 23, 0, tzinfo=UTC)},  # midnight in Rome
        "closes_after_end",
        "A-10",
        "enrolment_closes_at",
    ),
    (
        {"enrolment_closes_at": datetime(1, 1, 2, tzinfo=UTC)},
        "closes_too_early",
        "A-10",
        "enrolment_closes_at",
    ),
]


@db
@both
@pytest.mark.parametrize(("given", "reason", "rule", "field"), SENSELESS)
def test_an_event_that_makes_no_sense_is_refused(
    cast: Cast, given: dict[str, Any], reason: str, rule: str, field: str
) -> None:
    refusal = refused(create, cast, season=make_season(), **{"ends_on": TODAY, **given})
    assert (refusal.reason, refusal.rule, refusal.field) == (reason, rule, field)


@db
@both
def test_enrolment_may_close_until_the_last_minute_of_the_last_day(cast: Cast) -> None:
    assert create(cast, enrolment_closes_at=datetime(2026, 3, 14, 22, 59, tzinfo=UTC)).pk


@db(transaction=True)
@both
def test_a_name_is_there_once_on_a_day_also_for_who_clicks_twice(cast: Cast) -> None:
    make_season()
    outcome = at_once(*[partial(create, cast, "Festa", capacity=20)] * 3)
    assert sorted(getattr(each, "reason", "made") for each in outcome) == [
        "event_exists",
        "event_exists",
        "made",
    ]
    refusal = refused(create, cast, " FESTA ")
    assert (refusal.reason, refusal.field) == ("event_exists", "name")
    assert create(cast, "Festa", TODAY + DAY).pk


@db
@both
def test_an_amendment_is_logged_by_the_fields_that_changed(cast: Cast) -> None:
    event = create(cast, town="Modena", fee=Decimal(10))
    amended = services.amend_event(
        event, cast.alice, NOW + HOUR, town=" Reggio  Emilia", fee=Decimal("10.00"), capacity=12
    )
    assert (amended.town, amended.capacity) == ("Reggio Emilia", 12)
    entry = last_log(event)
    assert (entry.verb, entry.actor, entry.at) == ("amend_event", cast.alice, NOW + HOUR)
    assert entry.data == {"fields": ["town", "capacity"]}
    with nothing_written():
        services.amend_event(event, cast.alice, NOW, town="Reggio Emilia", capacity=12)


@db
@both
@pytest.mark.parametrize(
    ("changes", "reason"),
    [
        ({"name": ""}, "name_missing"),
        ({"ends_on": date(2026, 3, 13)}, "dates_reversed"),
        ({"starts_on": date(2027, 3, 14), "ends_on": date(2027, 3, 15)}, "outside_season"),
        ({"fee": Decimal(-1)}, "fee_negative"),
        ({"capacity": 1}, "places"),
        ({"name": "altra festa"}, "event_exists"),
        ({"enrolment_closes_at": NOW + 9 * DAY}, "closes_after_end"),
    ],
)
def test_an_amendment_is_refused_as_a_new_event_is(
    cast: Cast, changes: dict[str, Any], reason: str
) -> None:
    create(cast, "Altra festa")
    event = create(cast)
    assert refused(services.amend_event, event, cast.sara, NOW, **changes).reason == reason


@db
@both
def test_a_director_out_of_office_is_refused_only_where_director_or_day_change(cast: Cast) -> None:
    """A-08: who amends the hall's address is not asked for the register."""
    event = create(cast, director=cast.director)
    RefereeTerm.objects.filter(player=cast.director).update(ends_on=TODAY)
    assert services.amend_event(event, cast.alice, NOW, venue="Altrove").venue == "Altrove"
    later: Any = {"starts_on": TODAY + DAY, "ends_on": TODAY + DAY}
    assert refused(services.amend_event, event, cast.alice, NOW, **later).rule == "A-08"
    bruno = cast.bruno.player
    refusal = refused(services.amend_event, event, cast.sara, NOW, director=bruno)
    assert (refusal.reason, refusal.field) == ("director_not_referee", "director")
    assert services.amend_event(event, cast.sara, NOW, director=None, **later).director is None


@db
@both
def test_an_amendment_of_what_somebody_else_has_changed_is_stale(cast: Cast) -> None:
    event = create(cast)
    seen = services.edition_of(Event.objects.get(pk=event.pk))
    services.amend_event(event, cast.sara, NOW, seen=seen, town="Modena")
    refusal = refused(services.amend_event, event, cast.alice, NOW, seen=seen, town="Roma")
    assert refusal.reason == "stale"
    now = services.edition_of(Event.objects.get(pk=event.pk))
    assert services.amend_event(event, cast.alice, NOW, seen=now, town="Roma").town == "Roma"


@db(transaction=True)
@both
def test_of_two_amendments_at_once_one_is_stale(cast: Cast) -> None:
    event = create(cast)
    seen = services.edition_of(Event.objects.get(pk=event.pk))
    outcome = at_once(
        *[
            partial(services.amend_event, event, cast.sara, NOW, seen=seen, town=town)
            for town in ("Modena", "Roma")
        ]
    )
    assert sorted(getattr(each, "reason", "done") for each in outcome) == ["done", "stale"]


@db
@both
def test_an_event_put_in_another_season_takes_the_number_after_the_last(cast: Cast) -> None:
    create(cast, "Prima del 2027", date(2027, 2, 1))
    event = create(cast)
    day = date(2027, 3, 1)
    amended = services.amend_event(
        event, cast.sara, NOW, season=make_season(2027), starts_on=day, ends_on=day
    )
    assert (amended.season.year, amended.ordinal) == (2027, 2)
    assert last_log(event).data == {"fields": ["season", "starts_on", "ends_on"]}


@db
@both
def test_what_a_closed_event_was_counted_with_no_longer_changes(cast: Cast) -> None:
    """A-15."""
    event = make_event(players=3)
    Event.objects.filter(pk=event.pk).update(status=Event.Status.CLOSED)
    for changes in ({"ends_on": TODAY + 2 * DAY}, {"director": None}, {"kind": "friendly"}):
        refusal = refused(services.amend_event, event, cast.sara, NOW, **changes)
        assert (refusal.reason, refusal.rule) == ("event_closed", "A-15")
        assert refusal.field in changes
    assert services.amend_event(event, cast.sara, NOW, venue="La sala giusta").pk


@db
@both
def test_kind_and_regulation_stay_once_tables_are_seated(cast: Cast) -> None:
    event = make_hall(4)
    assert services.amend_event(event, cast.sara, NOW, kind="friendly").kind == "friendly"
    make_sketch(event)
    refusal = refused(services.amend_event, event, cast.sara, NOW, kind="live")
    assert (refusal.reason, refusal.field) == ("tables_seated", "kind")
    assert services.amend_event(event, cast.sara, NOW, starts_on=date(2026, 3, 1)).pk


@db
@both
def test_more_places_call_in_who_waits(cast: Cast) -> None:
    event = make_hall(3)
    services.amend_event(event, cast.alice, NOW, capacity=3)
    waiting = services.enrol(event, cast.bruno.player, cast.alice, NOW)
    assert waiting.status == Entry.Status.WAITING
    services.amend_event(event, cast.alice, NOW, capacity=4)
    waiting.refresh_from_db()
    assert waiting.status == Entry.Status.ENROLLED


@db
@both
def test_the_pbem_tournament_before_2001_and_a_second_one_are_remarked(cast: Cast) -> None:
    """A-14: warnings, not refusals."""

    def rules(event: Event) -> list[str]:
        return [remark.rule for remark in services.remarks(event)]

    day = date(2000, 3, 1)
    early = create(cast, "Torneo", day, kind="pbem", director=None)
    assert rules(early) == ["A-14", "A-09"]
    first = create(cast, "Torneo", kind="pbem", director=cast.director)
    assert rules(first) == []
    second = create(cast, "Altro torneo", kind="pbem", director=cast.director)
    assert rules(first) == rules(second) == ["A-14"]
    move(second, "cancelled")
    assert rules(first) == []


# --- the event of two years before ----------------------------------------------------------------


def old_events(cast: Cast, *towns: str, year: int = 2024, status: str = "closed") -> list[Event]:
    """Events of a season played two years ago, a month apart."""
    made = [
        create(cast, f"Raduno {chr(64 + n)}", date(year, n, 5), town=town)
        for n, town in enumerate(towns, start=1)
    ]
    Event.objects.filter(pk__in=[event.pk for event in made]).update(status=status)
    return made


@db
@both
def test_links_are_those_given_and_each_old_event_is_replaced_once(cast: Cast) -> None:
    """H-04: 06A replaces 04B, 06B none, 06C 04A (RNK-05, RNK-06, RNK-07)."""
    a, b, *_rest = old_events(cast, "Modena", "Roma", "Bari", "Como")
    links = [b, None, a]
    made = [
        create(cast, f"06{letter}", replaces=old) for letter, old in zip("ABC", links, strict=True)
    ]
    assert [Event.objects.get(pk=each.pk).replaces for each in made] == links
    refusal = refused(create, cast, "06D", replaces=a)
    assert (refusal.reason, refusal.rule, refusal.field) == ("already_replaced", "H-04", "replaces")
    refusal = refused(services.amend_event, made[1], cast.sara, NOW, replaces=b)
    assert refusal.reason == "already_replaced"
    services.amend_event(made[0], cast.sara, NOW, replaces=None)
    assert services.amend_event(made[1], cast.sara, NOW, replaces=b).replaces == b


@db
@both
def test_the_proposal_is_the_same_town_or_series_else_the_same_number_else_none(cast: Cast) -> None:
    """H-04."""
    a, b, c = old_events(cast, "Modena", "Roma", "Bari")
    first = create(cast, "Festa", town="bari", replaces=services.PROPOSED)
    assert first.replaces == c  # the town
    second = create(cast, "Altra", town="Como", replaces=services.PROPOSED)
    assert second.replaces == b  # number 2
    third = create(cast, "Terza", town="Bari", replaces=services.PROPOSED)
    assert third.replaces is None  # number 3 is replaced already
    assert create(cast, "Raduno A", replaces=services.PROPOSED).replaces == a  # the series
    assert create(cast, "Senza", town="Modena").replaces is None  # unless it is asked for


@db
@both
def test_only_events_of_two_years_before_that_count_are_proposed(cast: Cast) -> None:
    old_events(cast, "Modena", year=2023)
    cancelled = old_events(cast, "Modena", status="cancelled")
    draft = old_events(cast, "Modena", status="draft", year=2025)
    assert create(cast, town="Modena", replaces=services.PROPOSED).replaces is None
    pbem = create(cast, "Torneo", date(2024, 5, 5), kind="pbem")
    cup = create(cast, "Coppa", date(2024, 6, 5), kind="cup")
    Event.objects.filter(pk__in=[pbem.pk, cup.pk]).update(status="closed")
    assert create(cast, "Torneo", replaces=services.PROPOSED).replaces is None
    later = create(cast, "Torneo web", kind="pbem", replaces=services.PROPOSED)
    assert later.replaces is None  # neither series, town nor number
    assert create(
        cast, "Torneo", TODAY + DAY, kind="pbem", replaces=services.PROPOSED
    ).replaces == (pbem)
    for old, reason in ((draft[0], "not_two_years_before"), (cup, "not_official")):
        assert refused(create, cast, "Nuovo", replaces=old).reason == reason
    assert refused(create, cast, "Nuovo", kind="cup", replaces=cancelled[0]).rule == "H-04"
    assert create(cast, "Supercoppa", kind="cup", replaces=services.PROPOSED).replaces is None


@db
@both
def test_an_event_that_another_replaces_keeps_season_and_kind(cast: Cast) -> None:
    """H-04: the link would point at nothing."""
    [old] = old_events(cast, "Modena", status="enrolling")
    heir = create(cast, replaces=old)
    refusal = refused(services.amend_event, old, cast.sara, NOW, kind="friendly")
    assert (refusal.reason, refusal.field) == ("is_replaced", "kind")
    assert heir.name in str(refusal.text)
    refusal = refused(services.amend_event, heir, cast.sara, NOW, kind="friendly")
    assert refusal.reason == "not_official"


@db(transaction=True)
@both
def test_of_two_events_that_take_the_same_old_one_at_once_one_is_refused(cast: Cast) -> None:
    [old] = old_events(cast, "Modena")
    make_season()
    free = create(cast, "Libera")
    outcome = at_once(
        partial(create, cast, "Una", replaces=old),
        partial(create, cast, "Due", replaces=old),
        partial(services.amend_event, free, cast.sara, NOW, replaces=old),
    )
    assert sorted(getattr(each, "reason", "done") for each in outcome) == [
        "already_replaced",
        "already_replaced",
        "done",
    ]


# --- prove ----------------------------------------------------------------------------------------


def titles_of(event: Event) -> list[str]:
    return [f"{p.order}:{p.title.code}×{p.rounds}" for p in event.prove.order_by("order")]


def with_prove(cast: Cast, *codes: str, event: Event | None = None) -> tuple[Event, list[Prova]]:
    event = event or make_draft()
    return event, [services.add_prova(event, make_title(code), cast.sara, NOW) for code in codes]


@db
@both
def test_the_event_factor_is_the_number_of_prove_plus_one(cast: Cast) -> None:
    """A-06: FE-02 to FE-05; a double round is one prova; without prove there is none (FE-00)."""
    event = make_draft()
    assert event.factor() is None
    services.add_prova(event, make_title(), cast.sara, NOW, rounds=2)
    assert Event.objects.get(pk=event.pk).factor() == 2
    for case in ("FE-02", "FE-03", "FE-04", "FE-05"):
        services.add_prova(event, make_title(), cast.sara, NOW)
        found = Event.objects.get(pk=event.pk)
        assert found.prove.count() == VECTORS[case]["input"]["prove"]
        assert found.factor() == VECTORS[case]["expected"]


@db
@both
def test_prove_are_amended_moved_and_removed_and_their_numbers_follow(cast: Cast) -> None:
    event, (one, two, three) = with_prove(cast, "1830", "1849", "1856")
    services.amend_prova(two, make_title("1870"), cast.alice, NOW, rounds=2)
    assert last_log(event).verb == "amend_prova"
    services.move_prova(three, cast.alice, NOW, up=True)
    assert titles_of(event) == ["1:1830×1", "2:1856×1", "3:1870×2"]
    services.move_prova(one, cast.alice, NOW, up=False)
    assert titles_of(event) == ["1:1856×1", "2:1830×1", "3:1870×2"]
    assert last_log(event).data == {"prova": one.pk, "order": 2}
    services.remove_prova(three, cast.alice, NOW)
    assert titles_of(event) == ["1:1830×1", "2:1870×2"]
    assert (last_log(event).verb, last_log(event).data) == ("remove_prova", {"prova": three.pk})
    services.add_prova(event, make_title("1849"), cast.alice, NOW)
    assert titles_of(event)[-1] == "3:1849×1"


@db
@both
def test_what_changes_nothing_writes_nothing(cast: Cast) -> None:
    _event, (one, two) = with_prove(cast, "1830", "1849")
    with nothing_written():
        services.amend_prova(one, make_title("1830"), cast.alice, NOW)
        services.move_prova(one, cast.alice, NOW, up=True)
        services.move_prova(two, cast.alice, NOW, up=False)


@db
@both
def test_a_prova_is_fixed_once_a_round_of_it_is_seated(cast: Cast) -> None:
    """Also by a draft, which may be discarded first; and the rounds before it keep their number."""
    event = make_hall(4)
    [one] = event.prove.all()
    two = services.add_prova(event, make_title("1849"), cast.sara, NOW)
    three = services.add_prova(event, make_title("1856"), cast.sara, NOW)
    sketch = make_sketch(event)
    other = make_title("1870")
    deeds: list[Callable[[], object]] = [
        partial(services.amend_prova, one, other, cast.alice, NOW),
        partial(services.remove_prova, one, cast.alice, NOW),
        partial(services.move_prova, one, cast.alice, NOW, up=False),
        partial(services.move_prova, two, cast.alice, NOW, up=True),
    ]
    for deed in deeds:
        refusal = refused(deed)
        assert (refusal.reason, refusal.rule) == ("prova_seated", "B-17")
    drafted = str(refusal.text)
    Round.objects.filter(pk=sketch.pk).update(status="published", published_at=NOW)
    for deed in deeds:
        assert str(refused(deed).text) != drafted  # what to do now is another thing
    assert services.amend_prova(three, other, cast.alice, NOW).title == other
    Round.objects.filter(pk=sketch.pk).update(prova=three)
    for deed in (
        partial(services.remove_prova, two, cast.alice, NOW),
        partial(services.amend_prova, two, two.title, cast.alice, NOW, rounds=2),
    ):
        assert refused(deed).reason == "prova_seated"
    assert services.amend_prova(two, other, cast.alice, NOW).title == other


@db
@both
def test_prove_are_refused_where_the_event_does_not_admit_them(cast: Cast) -> None:
    event, (one,) = with_prove(cast, "1830")
    for rounds in (0, 3, -1, 10**9):
        refusal = refused(services.amend_prova, one, one.title, cast.sara, NOW, rounds=rounds)
        assert (refusal.reason, refusal.rule, refusal.field) == ("rounds", "A-04", "rounds")
    move(event, "enrolling")
    refusal = refused(services.remove_prova, one, cast.sara, NOW)
    assert (refusal.reason, refusal.rule) == ("no_prove", "A-06")
    for status in ("concluded", "closed", "cancelled", "invalid"):
        Event.objects.filter(pk=event.pk).update(status=status)
        for deed in (
            partial(services.add_prova, event, one.title, cast.sara, NOW),
            partial(services.amend_prova, one, one.title, cast.sara, NOW, rounds=2),
            partial(services.move_prova, one, cast.sara, NOW, up=True),
            partial(services.remove_prova, one, cast.sara, NOW),
        ):
            assert refused(deed).reason == "prove_settled"
    Event.objects.filter(pk=event.pk).update(status="draft")
    services.remove_prova(one, cast.sara, NOW)
    gone = Prova(pk=10**6, event=event, title=one.title)
    assert refused(services.remove_prova, gone, cast.sara, NOW).reason == "prova_gone"


@db(transaction=True)
@both
def test_a_button_pressed_twice_adds_one_prova(cast: Cast) -> None:
    event, _none = with_prove(cast)
    title, seen = make_title(), services.prove_edition(event)
    outcome = at_once(*[partial(services.add_prova, event, title, cast.sara, NOW, seen=seen)] * 3)
    assert sorted(getattr(each, "reason", "done") for each in outcome) == ["done", "stale", "stale"]
    assert titles_of(event) == ["1:1830×1"]


@db
@both
def test_a_title_no_longer_played_is_admitted_and_remarked(cast: Cast) -> None:
    """A-05: 1844 is a specialty, and not currently played."""
    title = services.register_title("1844", "1844: Svizzera", 3, 7, cast.sara, NOW)
    Title.objects.filter(pk=title.pk).update(active_from=date(2000, 1, 1), active_to=TODAY - DAY)
    event = make_draft()
    services.add_prova(event, Title.objects.get(pk=title.pk), cast.sara, NOW)
    [remark] = services.remarks(event)
    assert (remark.rule, "1844: Svizzera" in remark.text) == ("A-05", True)
    Title.objects.filter(pk=title.pk).update(active_to=TODAY)
    assert services.remarks(event) == []


# --- status ---------------------------------------------------------------------------------------

STATUSES = list(Event.Status.values)


@db
@both
@pytest.mark.parametrize("before", STATUSES)
def test_only_the_steps_of_the_line_are_taken(cast: Cast, before: str) -> None:
    """A-15."""
    event, _prove = with_prove(cast, "1830")
    for after in STATUSES:
        Event.objects.filter(pk=event.pk).update(status=before)
        if after in NEXT[before]:
            move(event, after)
            assert Event.objects.get(pk=event.pk).status == after
            assert last_log(event).data["before"] == before
        else:
            refusal = refused(services.set_status, event, after, cast.sara, NOW, reason="x")
            assert (refusal.reason, refusal.rule) == ("status_step", "A-15")
            assert refusal.field == "status"


@db
@both
def test_enrolment_opens_for_an_event_that_has_prove(cast: Cast) -> None:
    """A-06."""
    event = make_draft()
    refusal = refused(services.set_status, event, "enrolling", cast.sara, NOW)
    assert (refusal.reason, refusal.rule) == ("no_prove", "A-06")
    with_prove(cast, "1830", event=event)
    assert move(event, "enrolling").status == "enrolling"


@db
@both
def test_an_event_that_somebody_is_enrolled_in_is_not_hidden_again(cast: Cast) -> None:
    event = make_hall(1)
    refusal = refused(services.set_status, event, "draft", cast.sara, NOW)
    assert (refusal.reason, refusal.rule) == ("somebody_enrolled", "A-15")
    Entry.objects.update(status="withdrawn", present=None)
    assert move(event, "draft").status == "draft"


@db
@both
def test_a_cancellation_says_why_and_tells_who_was_coming(cast: Cast) -> None:
    """F-04, A-03: it leaves the events planned, and comes back if it is held after all."""
    event = make_hall(3)
    season = event.season
    services.amend_event(event, cast.sara, NOW, capacity=4)
    services.enrol(event, cast.bruno.player, cast.sara, NOW)
    elsa = make_member("elsa", "Espresso", "Elsa", cast.sara)
    dario = make_member("dario", "Deposito", "Dario", cast.sara)
    assert services.enrol(event, elsa.player, cast.sara, NOW).status == "waiting"
    services.withdraw(services.enrol(event, dario.player, cast.sara, NOW), cast.sara, NOW)
    assert services.planned_events(season) == {season.pk: 1}
    for silence in ("", " \n "):
        refusal = refused(services.set_status, event, "cancelled", cast.sara, NOW, reason=silence)
        assert (refusal.reason, refusal.field) == ("reason_missing", "reason")
    before = Email.objects.count()
    off = services.set_status(event, "cancelled", cast.sara, NOW, reason=" Sala  allagata ")
    assert (off.status, off.status_note, off.is_off()) == ("cancelled", "Sala allagata", True)
    told = Email.objects.order_by("pk")[before:]
    # Bruno is enrolled, Elsa waits, Alice directs; Dario has withdrawn, the others have no log-in.
    assert sorted(mail.to for mail in told) == [
        f"{who}@example.org" for who in ("alice", "bruno", "elsa")
    ]
    assert "Sala allagata" in told[0].body
    assert f"/eventi/{event.pk}/" in told[0].body
    assert last_log(event).data == {
        "before": "enrolling",
        "after": "cancelled",
        "reason": "Sala allagata",
    }
    assert services.planned_events(season) == {season.pk: 0}
    back = move(event, "draft", "enrolling")
    assert (back.status, back.status_note) == ("enrolling", "")
    assert services.planned_events(season) == {season.pk: 1}
    services.set_status(event, "cancelled", cast.alice, NOW + DAY, reason="Di nuovo")
    assert Email.objects.count() == before + 3 + 2  # to Bruno and Elsa: Alice did it herself


@db
@both
def test_planned_are_the_official_events_to_be_held(cast: Cast) -> None:
    """A-03, F-04: three planned, one cancelled, N = 2 (ABS-05); cups and drafts are not counted."""
    season = make_season()
    made = [create(cast, f"Evento {n}") for n in range(3)]
    made += [create(cast, "Torneo", kind="pbem"), create(cast, "Coppa", kind="cup")]
    assert services.planned_events(season) == {season.pk: 0}
    Event.objects.filter(pk__in=[e.pk for e in (made[0], made[1], made[3], made[4])]).update(
        status="closed"
    )
    assert services.planned_events(season) == {season.pk: 3}
    Event.objects.filter(pk=made[0].pk).update(status="cancelled")
    assert services.planned_events(season) == {season.pk: 2}
    Event.objects.filter(pk=made[1].pk).update(status="invalid")
    assert services.planned_events(season) == {season.pk: 1}
    assert services.planned_events() == {}


# --- the contribution, and seasons ----------------------------------------------------------------


@db
@both
def test_the_organiser_owes_so_much_for_each_person_enrolled(cast: Cast) -> None:
    """A-12: 19 enrolled at 2 euro are 38 (FEE-1), absent ones included; who waits is not."""
    event = make_hall(19, here=False)
    services.amend_event(event, cast.sara, NOW, capacity=19)
    services.enrol(event, cast.bruno.player, cast.sara, NOW)
    assert VECTORS["FEE-1"]["input"] == {"enrolled": 19}
    assert services.contribution_of(event) == VECTORS["FEE-1"]["expected"] == 38
    text = Page(visitor(cast.alice).get(reverse("event_contribution", args=[event.pk]))).text
    assert "Enrolled 19" in text
    assert "38.00" in text


@db
@both
def test_without_an_amount_the_statement_stays_open(cast: Cast) -> None:
    """A-12."""
    event = make_hall(3)
    services.amend_season(event.season, None, cast.sara, NOW)
    event = Event.objects.select_related("season").get(pk=event.pk)
    refusal = refused(services.contribution_of, event)
    assert (refusal.reason, refusal.rule) == ("no_contribution", "A-12")
    assert refused(services.set_contribution, event, "paid", cast.sara, NOW).rule == "A-12"
    services.set_contribution(event, "exempt", cast.sara, NOW)
    assert last_log(event).data == {"before": "due", "after": "exempt"}
    path = reverse("event_contribution", args=[event.pk])
    shown = Page(visitor(cast.sara).get(path))
    assert "not fixed for this season" in shown.text
    assert "/stagioni/" in shown.links
    assert "/stagioni/" not in Page(visitor(cast.alice).get(path)).links


@db
@both
def test_the_state_of_the_contribution_is_written_once(cast: Cast) -> None:
    event = make_hall(3)
    services.set_contribution(event, "paid", cast.sara, NOW)
    with nothing_written():
        services.set_contribution(event, "paid", cast.sara, NOW)
    for state_ in ("", "PAID", "forgotten"):
        refusal = refused(services.set_contribution, event, state_, cast.sara, NOW)
        assert (refusal.reason, refusal.field) == ("contribution_state", "state")


@db
@both
@pytest.mark.parametrize("year", [-1, 0, 1979, 2030, 32768, 99999, 10**30])
def test_a_year_that_no_calendar_is_of_is_refused(cast: Cast, year: int) -> None:
    refusal = refused(services.open_season, year, 2, cast.sara, NOW)
    assert (refusal.reason, refusal.field) == ("season_year", "year")


@db(transaction=True)
@both
def test_a_season_is_opened_once(cast: Cast) -> None:
    outcome = at_once(*[partial(services.open_season, 2027, 2, cast.sara, NOW)] * 3)
    assert sorted(getattr(each, "reason", "done") for each in outcome) == [
        "done",
        "season_exists",
        "season_exists",
    ]


@db
@both
def test_a_contribution_is_amended_and_never_negative(cast: Cast) -> None:
    season = make_season()
    assert services.amend_season(season, Decimal("2.50"), cast.sara, NOW).contribution == (
        Decimal("2.50")
    )
    entry = LogEntry.objects.about(season).latest("pk")
    assert entry.verb == "amend_season"
    with nothing_written():
        services.amend_season(season, Decimal("2.5"), cast.sara, NOW)
    for deed in (
        partial(services.amend_season, season, Decimal(-1)),
        partial(services.open_season, 2027, Decimal("-0.01")),
    ):
        refusal = refused(deed, cast.sara, NOW)
        assert (refusal.reason, refusal.rule) == ("contribution_negative", "A-12")


# --- who is what ----------------------------------------------------------------------------------


@db
@both
def test_roles_are_per_event(cast: Cast) -> None:
    """A-08, K4: nobody, stranger, player, referee, director, other director, secretary."""
    mine = make_event(players=3)  # directed by Alice; Bruno plays; Carla referees its table
    hers = make_event(players=3, director=cast.judge, name="Di Carla")  # and Carla referees it
    Table.objects.filter(round__prova__event=hers).update(referee=None)
    elsa = make_member("elsa", "Espresso", "Elsa", cast.sara)  # plays nowhere
    people: dict[str, Any] = {
        "nobody": AnonymousUser(),
        "stranger": cast.dino,
        "member": elsa,
        "player": cast.bruno,
        "carla": cast.carla,
        "alice": cast.alice,
        "secretary": cast.sara,
    }
    matrix = {
        #             mine        hers
        "nobody": ("public", "public"),
        "stranger": ("public", "public"),
        "member": ("public", "public"),
        "player": ("public", "public"),
        "carla": ("referee", "director"),
        "alice": ("director", "public"),
        "secretary": ("secretary", "secretary"),
    }
    for who, expected in matrix.items():
        found = tuple(event.role_of(people[who]) for event in (mine, hers))
        assert found == expected, who
        for event, role in zip((mine, hers), found, strict=True):
            assert event.is_run_by(people[who]) == (role in {"director", "secretary"}), who
    [table] = tables_of(mine)
    assert [who for who, user in people.items() if table.is_refereed_by(user)] == ["carla"]
    [other] = tables_of(hers)
    assert [who for who, user in people.items() if other.is_refereed_by(user)] == []


@db
@both
def test_the_referee_of_a_draft_is_nobody_yet_and_one_without_log_in_stays_so(cast: Cast) -> None:
    event = make_hall(4)
    sketch = make_sketch(event)
    Table.objects.filter(round=sketch).update(referee=cast.judge)
    assert event.role_of(cast.carla) == Event.Role.PUBLIC
    Round.objects.filter(pk=sketch.pk).update(status="published", published_at=NOW)
    assert event.role_of(cast.carla) == Event.Role.REFEREE
    Table.objects.filter(round=sketch).update(referee=make_player("Senza", "Accesso"))
    table = Table.objects.get(round=sketch)
    for user in (AnonymousUser(), cast.dino, cast.carla):
        assert not table.is_refereed_by(user)


# --- the calendar ---------------------------------------------------------------------------------


@db
@both
def test_the_calendar_shows_a_season_side_by_side(cast: Cast) -> None:
    """A-02: town, region and titles; FE, places, the event of two years before."""
    [old] = old_events(cast, "Modena")
    event = create(
        cast,
        "Festa della Cremagliera",
        ends_on=TODAY + DAY,
        town="Modena",
        region="Emilia-Romagna",
        director=cast.director,
        capacity=3,
        replaces=old,
    )
    services.add_prova(event, make_title("1830"), cast.sara, NOW, rounds=2)
    services.add_prova(event, make_title("1856"), cast.sara, NOW)
    move(event, "enrolling")
    for n in range(5):
        services.enrol(event, make_player(f"P{n}"), cast.sara, NOW)
    off = create(cast, "Evento saltato")
    services.set_status(off, "cancelled", cast.sara, NOW, reason="Neve sui binari")
    answer = visitor().get("/eventi/?stagione=2026")
    page = Page(answer)
    for words in (
        *("Season 2026", "1 event planned", "Modena", "Emilia-Romagna", "1830 ×2", "1856"),
        *("3 of 3", "2 waiting", "Direttissima Alice", "cancelled", "Neve sui binari"),
        "replaces Raduno A of 2024",
    ):
        assert words in page.text, words
    assert f"/eventi/{old.pk}/" in page.links
    assert f'<del><a href="/eventi/{off.pk}/">Evento saltato</a></del>' in answer.content.decode()
    assert "Raduno A" not in Page(visitor().get("/eventi/?stagione=2027", follow=True)).text
    assert {"/eventi/?stagione=2024", "/eventi/calendario.csv?stagione=2026"} <= set(page.links)
    assert not {"/stagioni/", "/eventi/nuovo/?stagione=2026"} & set(page.links)
    secretary = Page(visitor(cast.sara).get("/eventi/?stagione=2026"))
    assert {"/stagioni/", "/eventi/nuovo/?stagione=2026"} <= set(secretary.links)


@db
@both
def test_drafts_are_in_the_calendar_of_who_runs_them_only(cast: Cast) -> None:
    make_draft(name="Ancora in bozza")
    for user, seen in ((None, False), (cast.bruno, False), (cast.alice, True), (cast.sara, True)):
        for path in ("/eventi/?stagione=2026", "/eventi/calendario.csv?stagione=2026"):
            text = visitor(user).get(path).content.decode()
            assert ("Ancora in bozza" in text) == seen


@db
@both
def test_a_season_that_is_not_there_is_not_found(cast: Cast) -> None:
    assert visitor().get("/eventi/").status_code == 200
    make_season(2024)
    assert "Season 2024" in Page(visitor().get("/eventi/")).text
    for wanted in ("1999", "x", "", "2024x", "٢٠٢٤", "9" * 5000, "2024\x00"):
        for path in ("/eventi/", "/eventi/calendario.csv"):
            assert visitor().get(path, {"stagione": wanted}).status_code == 404


@db
@both
def test_the_calendar_is_taken_away_as_csv_and_no_cell_is_a_formula(cast: Cast) -> None:
    event = create(cast, '=HYPERLINK("x")', town="+39", organiser="@tutti", fee=Decimal("10.50"))
    with_prove(cast, "1830", event=event)
    move(event, "enrolling")
    text = visitor().get("/eventi/calendario.csv?stagione=2026").content.decode("utf-8-sig")
    titles, row = list(csv.reader(io.StringIO(text), delimiter=";"))
    found = dict(zip(titles, row, strict=True))
    assert (found["Event"], found["Town"]) == ('\'=HYPERLINK("x")', "'+39")
    assert (found["Organiser"], found["Fee"], found["FE"]) == ("'@tutti", "10.50", "2")
    assert (found["First day"], found["Prove"], found["Enrolled"]) == ("2026-03-14", "1830", "0")


@db
@both
def test_a_longer_calendar_takes_no_more_queries(cast: Cast) -> None:
    counts: list[int] = []
    for _round in range(2):
        for n in range(3):
            event = create(cast, f"Evento {len(counts)}-{n}", director=cast.director)
            with_prove(cast, "1830", "1849", event=event)
            move(event, "enrolling")
            services.enrol(event, make_player(f"P{n}"), cast.sara, NOW)
        make_season(2020 + len(counts))
        for path, user in (
            ("/eventi/?stagione=2026", None),
            ("/eventi/calendario.csv?stagione=2026", None),
            ("/stagioni/", cast.sara),
        ):
            client = visitor(user)
            with CaptureQueriesContext(connection) as queries:
                assert client.get(path).status_code == 200
            counts.append(len(queries))
    assert counts[:3] == counts[3:]
    assert max(counts) <= 12


# --- the pages that make an event -----------------------------------------------------------------


def form_of(**changed: Any) -> dict[str, Any]:
    """A new event as the page sends it."""
    return {
        "season": Season.objects.get(year=2026).pk,
        "name": "Festa",
        "kind": "live",
        "regulation": "figf-2006",
        "starts_on": "2026-03-14",
        "ends_on": "2026-03-15",
        "town": "Modena",
        "region": "Emilia-Romagna",
        "venue": "Via della Stazione 1",
        "organiser": "Dopolavoro",
        "organiser_contact": "Piazza Grande",
        "director": Player.objects.get(surname="Direttissima").pk,
        "fee": "10,50",
        "capacity": "20",
        "enrolment_closes_at": "2026-03-10T20:00",
        "replaces": "proposed",
        **changed,
    }


def faults(answer: Any) -> str:
    """What the page says, of an answer that refuses."""
    assert answer.status_code == 422
    page = Page(answer)
    assert page.inline == []
    return page.text


@db
@both
def test_a_secretary_makes_an_event_and_goes_on_to_its_prove(cast: Cast) -> None:
    make_season()
    [old] = old_events(cast, "Modena")
    client = visitor(cast.sara)
    page = client.get("/eventi/nuovo/?stagione=2026")
    assert Page(page).boxes["starts_on"] is None
    assert f'value="{old.pk}"' in page.content.decode()
    answer = client.post("/eventi/nuovo/", form_of())
    event = Event.objects.get(name="Festa")
    assert (answer.status_code, answer["Location"]) == (302, f"/eventi/{event.pk}/prove/")
    assert (event.replaces, event.fee, event.capacity) == (old, Decimal("10.50"), 20)
    assert event.enrolment_closes_at == datetime(2026, 3, 10, 19, 0, tzinfo=UTC)  # 20:00 in Rome
    assert (event.status, event.director) == ("draft", cast.director)
    again = client.post("/eventi/nuovo/", form_of())
    assert "an event of this name on that day already" in faults(again)
    assert Event.objects.filter(name="Festa").count() == 1


@db
@both
def test_the_proposal_is_shown_before_it_is_taken_also_without_scripts(cast: Cast) -> None:
    """H-04: a second look at the form, which keeps what was typed and checks nothing."""
    make_season()
    old_events(cast, "Modena", "Roma")
    client = visitor(cast.sara)
    with nothing_written():
        typed = form_of(town="Roma", ends_on="ieri", name="", look="1")
        answer = client.post("/eventi/nuovo/", typed)
    assert answer.status_code == 200
    page = Page(answer)
    assert "automatic (H-04): 2024 / 2: Raduno B, Roma" in page.text
    assert (
        "automatico (H-04): 2024 / 2: Raduno B, Roma"
        in Page(visitor(cast.sara, "it").post("/eventi/nuovo/", typed)).text
    )
    assert (page.boxes["town"], page.boxes["ends_on"]) == ("Roma", "ieri")
    cup = Page(client.post("/eventi/nuovo/", form_of(kind="cup", look="1")))
    assert "No event of two seasons before is free" in cup.text
    assert "automatic (H-04): no event of two years before" in cup.text
    event = create(cast, town="Bari")
    seen = Page(client.post(f"/eventi/{event.pk}/modifica/", form_of(town="Modena", look="1")))
    assert "automatic (H-04): 2024 / 1: Raduno A, Modena" in seen.text


@db
@both
def test_a_link_to_an_event_no_longer_proposed_outlives_other_amendments(cast: Cast) -> None:
    """H-04: the event of two years before was declared not valid after it was linked."""
    [old] = old_events(cast, "Modena")
    event = create(cast, replaces=old, director=cast.director)
    Event.objects.filter(pk=old.pk).update(status="invalid")
    path = f"/eventi/{event.pk}/modifica/"
    page = visitor(cast.sara).get(path)
    assert f'<option value="{old.pk}" selected>' in page.content.decode()
    form = form_of(seen=Page(page).boxes["seen"], replaces=str(old.pk), town="Carpi")
    assert visitor(cast.sara).post(path, form).status_code == 302
    event.refresh_from_db()
    assert (event.town, event.replaces) == ("Carpi", old)


@db
@both
def test_without_a_season_the_form_says_where_to_open_one(cast: Cast) -> None:
    client = visitor(cast.sara)
    assert "/stagioni/" in Page(client.get("/eventi/nuovo/")).links
    with nothing_written():
        assert client.post("/eventi/nuovo/", {"name": "x"}).status_code == 200


WRONG: dict[str, dict[str, Any]] = {
    "nothing": dict.fromkeys(("name", "starts_on", "ends_on", "season"), ""),
    "a season in letters": {"season": "x"},
    "a season of nobody": {"season": "999999"},
    "a season with a null": {"season": "1\x00"},
    "a season longer than any number": {"season": "9" * 5000},
    "a name too long": {"name": "x" * 121},
    "a name with a null": {"name": "Fe\x00sta"},
    "a name of spaces": {"name": "   "},
    "a kind of nobody": {"kind": "tram"},
    "a regulation of nobody": {"regulation": "figf-1906"},
    "no such day": {"starts_on": "2026-02-31"},
    "no such day, in Italian": {"starts_on": "31/02/2026"},
    "the first day of all": {"starts_on": "0001-01-01", "ends_on": "0001-01-01"},
    "the last day of all": {"ends_on": "9999-12-31"},
    "a day in words": {"ends_on": "domani"},
    "a day with a null": {"ends_on": "2026-03-15\x00"},
    "reversed": {"ends_on": "2026-03-13"},
    "outside the season": {"starts_on": "2025-12-31"},
    "a fee in letters": {"fee": "dieci"},
    "a fee of three decimals": {"fee": "1.005"},
    "a negative fee": {"fee": "-1"},
    "a huge fee": {"fee": "10000"},
    "a fee longer than any number": {"fee": "9" * 5000},
    "a fee with an exponent": {"fee": "1e3"},
    "no number": {"fee": "NaN"},
    "two places": {"capacity": "2"},
    "places in letters": {"capacity": "venti"},
    "a thousand places": {"capacity": "1000"},
    "places beyond any number": {"capacity": "9" * 5000},
    "negative places": {"capacity": "-5"},
    "closing in words": {"enrolment_closes_at": "presto"},
    "closing at the beginning of time": {"enrolment_closes_at": "0001-01-01T00:00"},
    "closing at the end of time": {"enrolment_closes_at": "9999-12-31T23:59"},
    "closing in the hour that summer skips": {
        "starts_on": "2026-03-28",
        "ends_on": "2026-03-29",
        "enrolment_closes_at": "2026-03-29T02:30",
    },
    "closing after the last day": {"enrolment_closes_at": "2026-03-16T00:00"},
    "a director of nobody": {"director": "999999"},
    "a director in letters": {"director": "Alice"},
    "a director with a null": {"director": "1\x00"},
    "replacing nobody": {"replaces": "999999"},
    "replacing in letters": {"replaces": "Raduno"},
    "replacing a null": {"replaces": "\x00"},
    "replacing beyond any number": {"replaces": "9" * 5000},
    "replacing in digits of another script": {"replaces": "٧"},
    "a contact too long": {"organiser_contact": "x" * 121},
    "a region too long": {"region": "x" * 41},
}


@db
@both
def test_a_wrong_event_is_refused_in_words_writes_nothing_and_is_kept(cast: Cast) -> None:
    make_season()
    client = visitor(cast.sara)
    event = create(cast, "Altra", town="Roma")
    edition = services.edition_of(Event.objects.get(pk=event.pk))
    for what, changed in WRONG.items():
        for path, more in (
            ("/eventi/nuovo/", {}),
            (f"/eventi/{event.pk}/modifica/", {"seen": edition}),
        ):
            with nothing_written():
                answer = client.post(path, form_of(**more, **changed))
            assert "The event was not saved" in faults(answer), what
            said = [str(e) for errors in answer.context["form"].errors.values() for e in errors]
            assert said, what
            for words in said:
                assert " ".join(words.split()) in Page(answer).text, what
            boxes = Page(answer).boxes
            assert boxes["town"] == "Modena", what
            for name in {"name", "starts_on", "fee", "capacity"} & changed.keys():
                kept = (boxes[name] or "").replace("\ufffd", "\x00")
                assert kept.strip() == str(changed[name]).strip(), what
    with nothing_written():
        assert client.post("/eventi/nuovo/", {}).status_code == 422


@db
@both
def test_a_director_who_is_no_referee_is_not_offered_and_is_refused(cast: Cast) -> None:
    """A-08."""
    make_season()
    client = visitor(cast.sara)
    page = client.get("/eventi/nuovo/").content.decode()
    assert ">Direttissima Alice<" in page
    assert ">Binario Bruno<" not in page
    with nothing_written():
        answer = client.post("/eventi/nuovo/", form_of(director=cast.bruno.player.pk))
    assert "The technical director must be a FIGF referee on that day." in faults(answer)
    assert "/regolamento/#A-08" in Page(answer).links
    RefereeTerm.objects.filter(player=cast.judge).update(ends_on=date(2025, 12, 31))
    assert ">Carrozza Carla<" not in client.get("/eventi/nuovo/").content.decode()


@db
@both
def test_amounts_and_days_are_read_as_people_write_them(cast: Cast) -> None:
    make_season()
    client = visitor(cast.sara, "it")
    for n, fee in enumerate(("10", "10.5", "€ 10,50", " 10,50 € ", "")):
        day = f"{n + 1:02}/04/2026"
        form = form_of(fee=fee, starts_on=day, ends_on=day, enrolment_closes_at="")
        assert client.post("/eventi/nuovo/", form).status_code == 302, fee
    fees = list(Event.objects.order_by("ordinal").values_list("fee", flat=True))
    assert fees == [Decimal(10), Decimal("10.5"), Decimal("10.5"), Decimal("10.5"), None]
    assert Event.objects.earliest("ordinal").starts_on == date(2026, 4, 1)
    event = Event.objects.get(ordinal=2)
    boxes = Page(client.get(f"/eventi/{event.pk}/modifica/")).boxes
    assert (boxes["fee"], boxes["starts_on"]) == ("10,50", "2026-04-02")


@db
@both
def test_the_director_amends_what_concerns_the_day_and_nothing_else(cast: Cast) -> None:
    [old] = old_events(cast, "Modena")
    event = create(cast, director=cast.director, replaces=old)
    path = f"/eventi/{event.pk}/modifica/"
    client = visitor(cast.alice)
    page = Page(client.get(path))
    assert not {"season", "kind", "regulation", "director", "replaces"} & set(page.boxes)
    forged = form_of(
        seen=page.boxes["seen"],
        season=make_season(2027).pk,
        kind="friendly",
        director="",
        replaces="",
        town="Carpi",
    )
    answer = client.post(path, forged)
    assert (answer.status_code, answer["Location"]) == (302, f"/eventi/{event.pk}/")
    event.refresh_from_db()
    assert (event.town, event.kind, event.season.year) == ("Carpi", "live", 2026)
    assert (event.director, event.replaces) == (cast.director, old)


@db
@both
def test_only_a_secretary_moves_an_event_to_another_year(cast: Cast) -> None:
    event = create(cast, kind="pbem", director=cast.director)
    path = f"/eventi/{event.pk}/modifica/"
    form = form_of(starts_on="2025-11-01", seen=Page(visitor(cast.alice).get(path)).boxes["seen"])
    with nothing_written():
        answer = visitor(cast.alice).post(path, form)
    assert "Only a secretary moves an event to another year." in faults(answer)
    form |= {"kind": "pbem", "enrolment_closes_at": ""}
    assert visitor(cast.sara).post(path, form).status_code == 302


@db
@both
def test_a_stale_form_keeps_what_was_typed_and_shows_what_stands(cast: Cast) -> None:
    event = create(cast, town="Roma", fee=Decimal(5))
    path = f"/eventi/{event.pk}/modifica/"
    client = visitor(cast.sara)
    old = Page(client.get(path)).boxes["seen"]
    services.amend_event(event, cast.alice, NOW, town="Bari")
    for seen in (old, "", "forged", "x" * 16):
        with nothing_written():
            answer = client.post(path, form_of(seen=seen))
        assert "Somebody has changed this event meanwhile." in faults(answer)
        page = Page(answer)
        assert page.boxes["town"] == "Modena"
        assert "What stands now" in page.text
        assert "Town Bari" in page.text
        assert "Fee, in euro 5.00" in page.text
    assert client.post(path, form_of(seen=page.boxes["seen"])).status_code == 302
    event.refresh_from_db()
    assert event.town == "Modena"
    with nothing_written():  # the button once more
        assert client.post(path, form_of(seen=page.boxes["seen"])).status_code == 422


@db
@both
def test_nobody_else_finds_these_pages(cast: Cast) -> None:
    """A-08: nobody, a log-in, a player, the referee of a table, the director of another event."""
    event = make_event(players=3)
    other = create(cast, "Di Carla", director=cast.judge)
    assert cast.carla.player == cast.judge
    pages = ("modifica", "prove", "stato", "contributo")
    for user in (None, cast.dino, cast.bruno, cast.carla):
        client = visitor(user)
        with nothing_written():
            for name in pages:
                path = f"/eventi/{event.pk}/{name}/"
                form = form_of(do="add", title=1, rounds=1, status="cancelled", reason="x")
                for answer in (client.get(path), client.post(path, form)):
                    assert answer.status_code == (404 if user else 302), path
            for path in ("/eventi/nuovo/", "/stagioni/"):
                assert client.get(path).status_code == (404 if user else 302)
                assert client.post(path, form_of(year=2027)).status_code == (404 if user else 302)
    assert visitor(cast.carla).get(f"/eventi/{other.pk}/modifica/").status_code == 200
    for path in ("/eventi/nuovo/", "/stagioni/"):
        assert visitor(cast.alice).post(path, form_of(year=2027)).status_code == 404
    for pk in ("0", "999999", "9" * 30):
        for name in pages:
            assert visitor(cast.sara).get(f"/eventi/{pk}/{name}/").status_code == 404


@db
def test_a_form_of_another_site_is_refused(cast: Cast) -> None:
    event = make_draft()
    client = Client(enforce_csrf_checks=True)
    client.force_login(cast.sara, backend="django.contrib.auth.backends.ModelBackend")
    with nothing_written():
        for path in ("nuovo", f"{event.pk}/modifica", f"{event.pk}/prove", f"{event.pk}/stato"):
            assert client.post(f"/eventi/{path}/", {"name": "x"}).status_code == 403


# --- the page of the prove ------------------------------------------------------------------------


@db
@both
def test_the_director_makes_the_prove_of_an_event(cast: Cast) -> None:
    event = make_draft()
    titles = {code: make_title(code).pk for code in ("1830", "1849", "1856")}
    path = f"/eventi/{event.pk}/prove/"
    client = visitor(cast.alice)

    def send(do: str, **form: Any) -> None:
        seen = services.prove_edition(event)
        answer = client.post(path, {"do": do, "seen": seen, **form})
        assert (answer.status_code, answer["Location"]) == (302, path)

    assert "no event factor" in Page(client.get(path)).text
    send("add", title=titles["1830"], rounds="2")
    send("add", title=titles["1849"], rounds="1")
    page = Page(client.get(path))
    assert "FE 3" in page.text
    assert f"/eventi/{event.pk}/" in page.links
    one, two = event.prove.order_by("order")
    send("up", prova=two.pk, title=titles["1849"], rounds="1")
    send("amend", prova=one.pk, title=titles["1856"], rounds="1")
    assert titles_of(event) == ["1:1849×1", "2:1856×1"]
    send("down", prova=two.pk)
    send("remove", prova=one.pk)
    assert titles_of(event) == ["1:1849×1"]
    assert "FE 2" in Page(client.get(path)).text


@db
@both
def test_a_wrong_change_of_the_prove_is_refused_in_words(cast: Cast) -> None:
    event, (one,) = with_prove(cast, "1830")
    other, (foreign,) = with_prove(cast, "1849")
    assert other != event
    title = make_title("1856").pk
    path, seen = f"/eventi/{event.pk}/prove/", services.prove_edition(event)
    wrong: dict[str, tuple[dict[str, Any], str]] = {
        "nothing": ({}, "Press one of the buttons."),
        "no button": ({"title": title, "rounds": "1"}, "Press one of the buttons."),
        "a button of nobody": ({"do": "burn"}, "Press one of the buttons."),
        "no title": ({"do": "add", "rounds": "1"}, "Choose a title."),
        "a title of nobody": ({"do": "add", "title": "999999", "rounds": "1"}, "not one of"),
        "a title with a null": ({"do": "add", "title": "1\x00", "rounds": "1"}, "Null"),
        "no rounds": ({"do": "add", "title": title}, "Choose a single or a double round."),
        "three rounds": ({"do": "add", "title": title, "rounds": "3"}, "single or a double"),
        "rounds in letters": ({"do": "add", "title": title, "rounds": "x"}, "whole number"),
        "rounds beyond": ({"do": "add", "title": title, "rounds": "9" * 5000}, "too large"),
        "no prova": ({"do": "remove"}, "there no more"),
        "a prova of another event": ({"do": "remove", "prova": foreign.pk}, "there no more"),
        "a prova of nobody": ({"do": "up", "prova": "999999"}, "there no more"),
        "a prova beyond": ({"do": "up", "prova": "9" * 30}, "there no more"),
        "a prova in letters": ({"do": "up", "prova": "x"}, "whole number"),
        "a prova below": ({"do": "down", "prova": "-1"}, "greater than or equal to 1"),
        "three rounds of one": (
            {"do": "amend", "prova": one.pk, "title": title, "rounds": "3"},
            "single or a double",
        ),
    }
    client = visitor(cast.alice)
    for what, (form, words) in wrong.items():
        with nothing_written():
            answer = client.post(path, {"seen": seen, **form})
        assert words in faults(answer), what
    # What was chosen is there still, in the row it was chosen in.
    answer = client.post(path, {"seen": seen, "do": "add", "title": title})
    assert f'<option value="{title}" selected>' in answer.content.decode()
    for stale in ("", "forged"):
        with nothing_written():
            form = {"seen": stale, "do": "add", "title": title, "rounds": "2"}
            answer = client.post(path, form)
        assert "The prove have changed meanwhile" in faults(answer)
        assert '<option value="2" selected>' in answer.content.decode()


@db
@both
def test_a_button_pressed_twice_on_the_page_of_the_prove_is_stale(cast: Cast) -> None:
    event, _prove = with_prove(cast, "1830", "1849")
    client = visitor(cast.alice)
    two = event.prove.get(order=2)
    for form in (
        {"do": "add", "title": make_title().pk, "rounds": "1"},
        {"do": "up", "prova": two.pk},
        {"do": "remove", "prova": two.pk},
    ):
        sent = {**form, "seen": services.prove_edition(event)}
        assert client.post(f"/eventi/{event.pk}/prove/", sent).status_code == 302
        with nothing_written():
            assert client.post(f"/eventi/{event.pk}/prove/", sent).status_code == 422


@db
@both
def test_a_seated_prova_is_shown_and_not_offered(cast: Cast) -> None:
    event = make_event(players=3)
    page = Page(visitor(cast.alice).get(f"/eventi/{event.pk}/prove/"))
    assert "prova" not in page.boxes
    assert "seated" in page.text
    Event.objects.filter(pk=event.pk).update(status="concluded")
    page = Page(visitor(cast.alice).get(f"/eventi/{event.pk}/prove/"))
    assert "Prove can change only until the results are complete." in page.text
    assert "seen" not in page.boxes


# --- the page of the status -----------------------------------------------------------------------


@db
@both
def test_the_director_opens_cancels_and_restores_an_event(cast: Cast) -> None:
    event, _prove = with_prove(cast, "1830")
    path = f"/eventi/{event.pk}/stato/"
    client = visitor(cast.alice)

    def send(**form: str) -> None:
        answer = client.post(path, form)
        assert (answer.status_code, answer["Location"]) == (302, f"/eventi/{event.pk}/")

    Event.objects.filter(pk=event.pk).update(director=None)
    with nothing_written():
        assert client.post(path, {"status": "enrolling"}).status_code == 404
    assert visitor(cast.sara).post(path, {"status": "enrolling"}).status_code == 302
    Event.objects.filter(pk=event.pk).update(director=cast.director)
    send(status="draft")
    RefereeTerm.objects.filter(player=cast.director).update(ends_on=TODAY - DAY)
    warned = client.post(path, {"status": "enrolling"}, follow=True)
    assert "State: enrolment open." in Page(warned).text
    assert "without one the event cannot be closed and is not valid. (A-09)" in Page(warned).text
    send(status="cancelled", reason="Neve sui binari")
    assert "cancelled: Neve sui binari" in Page(client.get(path)).text
    send(status="draft")
    event.refresh_from_db()
    assert (event.status, event.status_note) == ("draft", "")


@db
@both
def test_a_step_that_a_person_does_not_take_is_refused_in_words(cast: Cast) -> None:
    """A-15: play begins with published tables, the end and the closing follow from results."""
    event = make_hall(3)
    client = visitor(cast.sara)
    path = f"/eventi/{event.pk}/stato/"
    wrong = {
        "running": {"status": "running"},
        "concluded": {"status": "concluded"},
        "closed": {"status": "closed"},
        "invalid": {"status": "invalid"},
        "the same": {"status": "enrolling"},
        "nothing": {},
        "of nobody": {"status": "burnt"},
        "a null": {"status": "draft\x00"},
        "back with people in it": {"status": "draft"},
        "cancelled in silence": {"status": "cancelled"},
        "cancelled with spaces": {"status": "cancelled", "reason": "   "},
        "cancelled at length": {"status": "cancelled", "reason": "x" * 201},
        "cancelled with a null": {"status": "cancelled", "reason": "neve\x00"},
    }
    for what, form in wrong.items():
        with nothing_written():
            answer = client.post(path, form)
        assert faults(answer), what
        assert 'role="alert"' in answer.content.decode(), what
    assert Page(answer).boxes["reason"] in {"neve\x00", "neve\ufffd"}
    assert client.post(path, {"status": "cancelled", "reason": "neve"}).status_code == 302
    with nothing_written():  # the button once more
        again = client.post(path, {"status": "cancelled", "reason": "neve"})
    assert "cannot go there from its present status" in faults(again)


@db
@both
def test_the_page_of_the_status_says_where_the_event_stands_and_what_comes_next(cast: Cast) -> None:
    """E11: the state and the next possible step are always in sight."""
    event = make_draft()
    path = f"/eventi/{event.pk}/stato/"
    client = visitor(cast.alice)
    assert f"/eventi/{event.pk}/prove/" in Page(client.get(path)).links
    with_prove(cast, "1830", event=event)
    words = {
        "draft": "Open the enrolment",
        "enrolling": "when the tables of its first round are published",
        "running": "Cancel the event",
        "concluded": "the next step is the closing",
        "closed": "closed and validated",
        "cancelled": "Restore as a draft",
        "invalid": "The event is not valid",
    }
    for status in STATUSES:
        Event.objects.filter(pk=event.pk).update(status=status)
        assert words[status] in Page(client.get(path)).text


# --- the pages of the contribution and of the seasons ---------------------------------------------


@db
@both
def test_a_secretary_writes_the_state_of_the_contribution_and_a_director_reads_it(
    cast: Cast,
) -> None:
    event = make_hall(3)
    path = f"/eventi/{event.pk}/contributo/"
    assert "state" not in Page(visitor(cast.alice).get(path)).boxes
    with nothing_written():
        assert visitor(cast.alice).post(path, {"state": "paid"}).status_code == 404
    client = visitor(cast.sara)
    assert client.post(path, {"state": "paid"}).status_code == 302
    event.refresh_from_db()
    assert event.contribution_state == "paid"
    for forged in ("", "x", "due\x00", "x" * 5000):
        with nothing_written():
            assert faults(client.post(path, {"state": forged}))
    services.amend_season(event.season, None, cast.sara, NOW)
    services.set_contribution(event, "due", cast.sara, NOW)
    with nothing_written():
        assert "not fixed for this season" in faults(client.post(path, {"state": "paid"}))


@db
@both
def test_a_secretary_opens_seasons_and_fixes_their_contribution(cast: Cast) -> None:
    client = visitor(cast.sara)
    year = datetime.now(UTC).year
    page = Page(client.get("/stagioni/"))
    assert (page.boxes["year"], page.boxes["contribution"]) == (str(year), "2")
    assert client.post("/stagioni/", {"year": year, "contribution": "2,50"}).status_code == 302
    season = Season.objects.get()
    assert (season.year, season.contribution) == (year, Decimal("2.50"))
    assert Page(client.get("/stagioni/")).boxes["year"] == str(year + 1)
    form = {"season": season.pk, "contribution": ""}
    assert client.post("/stagioni/", form).status_code == 302
    season.refresh_from_db()
    assert season.contribution is None


@db
@both
def test_a_wrong_season_is_refused_in_words_and_kept(cast: Cast) -> None:
    season = make_season()
    client = visitor(cast.sara)
    wrong: list[tuple[dict[str, Any], str]] = [
        ({}, "required"),
        ({"year": "2026"}, "This season is open already."),
        ({"year": "x"}, "whole number"),
        ({"year": "20 26"}, "whole number"),
        ({"year": "0"}, "A season is a year from"),
        ({"year": "99999"}, "A season is a year from"),
        ({"year": "-1"}, "greater than or equal to 0"),
        ({"year": "9" * 5000}, "too large"),
        ({"year": "2027\x00"}, "whole number"),
        ({"year": "2027", "contribution": "-2"}, "cannot be negative"),
        ({"year": "2027", "contribution": "due"}, "Write an amount in euro"),
        ({"year": "2027", "contribution": "10000"}, "too large"),
        ({"year": "2027", "contribution": "9" * 5000}, "too large"),
        ({"season": season.pk, "contribution": "-2"}, "cannot be negative"),
        ({"season": season.pk, "contribution": "due"}, "Write an amount in euro"),
        ({"season": "999999", "contribution": "2"}, "not in the list"),
        ({"season": "x", "contribution": "2"}, "not in the list"),
        ({"season": "", "contribution": "2"}, "not in the list"),
    ]
    for form, words in wrong:
        with nothing_written():
            answer = client.post("/stagioni/", form)
        assert words in faults(answer), form
        if form.get("contribution") == "due":
            assert 'value="due"' in answer.content.decode()


# --- the administration ---------------------------------------------------------------------------


@db
@both
@pytest.mark.parametrize(
    ("path", "form", "words"),
    [
        ("title", {"min_players": "5", "max_players": "3"}, "From how many players to how many?"),
        ("title", {"min_players": "1", "max_players": "3"}, "From how many players to how many?"),
        ("title", {"code": "1830"}, "already exists"),
        ("title", {"code": "18 30"}, "valid “slug”"),
        ("title", {"min_players": "-2"}, "greater than or equal to 0"),
        ("title", {"max_players": "21"}, "No table has more than 20 players."),
        ("title", {"max_players": "9" * 30}, "players"),
        ("title", {"max_players": "9" * 5000}, "whole number"),
        ("title", {"active_from": "2026-01-02", "active_to": "2026-01-01"}, "before the first"),
        ("title", {"active_from": "0001-13-01"}, "valid date"),
        ("title", {"name": "a\x00b"}, "Null characters"),
        ("season", {"year": "0"}, "A season is a year from"),
        ("season", {"year": "99999"}, "A season is a year from"),
        ("season", {"year": "2026"}, "already exists"),
        ("season", {"year": "2025", "contribution": "-1"}, "cannot be negative"),
        ("season", {"year": "2025", "contribution": "1e9"}, "digits"),
        ("club", {"name": ""}, "required"),
        ("club", {"name": "Dopolavoro"}, "already exists"),
    ],
)
def test_wrong_registers_are_refused_in_words(
    cast: Cast, path: str, form: dict[str, str], words: str
) -> None:
    make_title("1830")
    make_season(2026)
    services.register_club("Dopolavoro", "", cast.sara, NOW)
    whole = {
        "title": {"code": "1862", "name": "1862", "min_players": "2", "max_players": "8"},
        "season": {"year": "2025", "contribution": "2"},
        "club": {"name": "Nuovo", "town": ""},
    }[path]
    with nothing_written():
        answer = visitor(cast.sara).post(f"/admin/tournaments/{path}/add/", {**whole, **form})
    assert answer.status_code == 200
    text = Page(answer).text
    assert words in text
    assert "Constraint" not in text


@db
@both
def test_right_registers_are_kept(cast: Cast) -> None:
    client = visitor(cast.sara)
    form = {
        "code": "1844",
        "name": "1844",
        "min_players": "3",
        "max_players": "7",
        "active_to": "2005-12-31",
        "specialty": "on",
    }
    assert client.post("/admin/tournaments/title/add/", form).status_code == 302
    title = Title.objects.get(code="1844")
    assert (title.specialty, title.cup_title, title.is_played(TODAY)) == (True, False, False)
    assert title.is_played(date(2005, 12, 31))
    event = create(cast)
    path = f"/admin/tournaments/season/{event.season.pk}/change/"
    answer = client.post(path, {"year": "2025", "contribution": "2"})
    assert "This season has events: its year cannot change." in Page(answer).text
    assert client.post(path, {"year": "2026", "contribution": ""}).status_code == 302
    assert Season.objects.get().contribution is None


@db
@both
def test_a_title_in_use_keeps_its_code_and_the_numbers_of_its_tables(cast: Cast) -> None:
    """B-07: tables of five and of four sit; the title says 2–6."""
    make_event(players=9, sizes=(5, 4))
    title = Title.objects.get(code="1830")
    client, path = visitor(cast.sara), f"/admin/tournaments/title/{title.pk}/change/"
    form = {"code": "1830", "name": "1830", "min_players": "2", "max_players": "6"}
    one = "1 table seated already would have too few or too many players."
    two = "2 tables seated already would have too few or too many players."
    for change, field, words in (
        ({"max_players": "4"}, "max_players", one),
        ({"max_players": "3"}, "max_players", two),
        ({"min_players": "5"}, "min_players", one),
        ({"code": "18-30"}, "code", "It has been played"),
    ):
        with nothing_written():
            answer = client.post(path, {**form, **change})
        errors = answer.context["adminform"].form.errors
        assert list(errors) == [field], change
        assert words in errors[field][0]
    kept = {"name": "1830 ristampa", "min_players": "3", "max_players": "5"}
    assert client.post(path, {**form, **kept}).status_code == 302
    new = make_title("1849")
    path = f"/admin/tournaments/title/{new.pk}/change/"
    free = {"code": "49", "name": "1849", "min_players": "3", "max_players": "3"}
    assert client.post(path, free).status_code == 302


# --- the words of the mail ------------------------------------------------------------------------


@db
def test_the_mail_of_a_cancellation_is_in_its_readers_language(cast: Cast) -> None:
    event = make_hall(0)
    cast.bruno.language = "en"
    cast.bruno.save()
    services.enrol(event, cast.bruno.player, cast.sara, NOW)
    services.set_status(event, "cancelled", cast.sara, NOW, reason="Neve")
    mail = Email.objects.filter(key__startswith="cancelled:").get(to="bruno@example.org")
    assert mail.subject == f"{event.name}: cancelled"
    assert "Reason: Neve" in mail.body
