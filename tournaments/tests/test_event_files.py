"""A hall without internet: the event leaves as one file, and comes back as one.

Another installation is the same database, emptied until the block ends: what is on one is never
on the other, and what travels is the file. Values are computed by hand beside them.
"""

from __future__ import annotations

import json
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from copy import deepcopy
from datetime import date
from functools import partial
from typing import Any

import pytest
from django.apps import apps
from django.core.files.uploadedfile import SimpleUploadedFile
from django.db import connection, transaction
from django.test import Client
from django.test.utils import CaptureQueriesContext
from django.urls import reverse
from django.utils.timezone import localtime as local
from pytest_django import Settings

from figf.errors import Refused
from figf.models import Email, LogEntry, User
from figf.tests.cast import (
    DAY,
    HOUR,
    MINUTE,
    NOW,
    Page,
    make_cast,
    make_draft,
    make_hall,
    make_past,
    make_player,
    make_season,
    make_title,
    make_user,
    percentiles,
    record,
    seats_of,
    tables_of,
    totals,
    visitor,
)
from rankings.services import ranking_before
from tournaments import services
from tournaments.models import (
    Entry,
    Event,
    EventFile,
    Holder,
    Player,
    PlayerKey,
    Removal,
    Result,
    Round,
    Season,
    Table,
)
from tournaments.services.event_file_checks import Played
from tournaments.services.event_files import digest

db = pytest.mark.django_db
both = pytest.mark.both

File = dict[str, Any]
LATER = NOW + HOUR


# --- two installations ----------------------------------------------------------------------------


@contextmanager
def elsewhere(settings: Settings, site: str = "http://sala.example") -> Iterator[User]:
    """Another installation, empty but for its secretary, who is handed out; here comes back."""
    here = settings.SITE_URL
    with transaction.atomic():
        for model in apps.get_models(include_auto_created=True):
            if model._meta.app_label in {"figf", "tournaments", "rankings", "pbem"}:
                model._base_manager.all()._raw_delete("default")
        settings.SITE_URL = site
        yield make_user("sala", "Segreteria di Sala", NOW, secretary=True)
        transaction.set_rollback(True)
    settings.SITE_URL = here


def sent(event: Event, by: User, now: Any = NOW) -> File:
    """The file of the event, as it is written on a stick: text and nothing else."""
    ranking = ranking_before(event.starts_on)
    told = services.event_file(event, ranking.points, ranking.as_of, by, now)
    return dict(json.loads(json.dumps(told)))


def read(file: File) -> services.EventDoc:
    return services.read_event_file(json.dumps(file).encode())


def bring(file: File, by: User, now: Any = LATER, **chosen: Any) -> services.FileImport:
    return services.import_event_file(read(file), by, now, **chosen)


def sealed_again(file: File) -> File:
    """A file changed by somebody who knows how its digests are made."""
    play = {part: file[part] for part in ("prove", "rounds", "removals")}
    told = ("player", "present", "from_round", "until_round")
    called = [{n: e[n] for n in told} for e in file["entries"] if e["present"] is not None]
    file["state"] = digest(play | {"called": sorted(called, key=lambda e: e["player"])})
    file["known"] = sorted({*file["known"], file["state"]})
    file["digest"] = digest({name: value for name, value in file.items() if name != "digest"})
    return file


def rows() -> dict[str, int]:
    return {
        model._meta.label: model._base_manager.count()
        for model in apps.get_models()
        if model._meta.app_label in {"figf", "tournaments", "rankings"}
    }


def reason_of(act: Callable[[], Any]) -> str:
    with pytest.raises(Refused) as refused:
        act()
    assert str(refused.value.text)
    return refused.value.reason


# --- the cast -------------------------------------------------------------------------------------


def make_home() -> Event:
    """At home: eight enrolled, of whom three have ranking points, and nobody called yet."""
    cast = make_cast()
    event = make_hall(8, here=False)
    who = {player.surname: player for player in Player.objects.all()}
    points = {who["Passeggero 03"]: 120, who["Passeggero 07"]: 80, who["Passeggero 01"]: 36}
    make_past({**points, cast.judge: 200}, date(2025, 9, 7))
    return Event.objects.get(pk=event.pk)


def here(event: Event, by: User, now: Any = NOW) -> None:
    """Everybody enrolled is called, and answers."""
    entries = event.entries.enrolled()
    services.call(event, {entry.pk: True for entry in entries}, by, now)


def seat(event: Event, by: User, now: Any = NOW) -> None:
    """The first round, by the ranking of this installation, published and started."""
    ranking = ranking_before(event.starts_on)
    prova = event.prove.get(order=1)
    draft = services.draw_round(prova, 1, ranking.points, ranking.as_of, by, now)
    services.publish_round(draft, draft.edition, by, now)
    services.start_tables(Round.objects.get(pk=draft.pk), by, now)


def play_evening(event: Event, by: User) -> None:
    """Eight here and one off the street; a round, its results, a handicap and a cancellation.

    By the ranking 03, 07, 01, then the others in alphabetical order, the larger table first (B-08,
    B-09, B-11). At table 1 8000, 7200, 6400, 4000, 0; a handicap of −1200 makes the second 6000.
    """
    here(event, by)
    services.enrol_newcomer(event, "Viandante", "Vito", by, NOW, town="Sottopasso")
    seat(event, by)
    one, two = tables_of(event)
    record(one, 8000, 7200, 6400, 4000, 0, by=by)
    record(two, 7500, 7200, 6600, 0, by=by, now=NOW + MINUTE)
    services.give_handicap(seats_of(one)[1], -1200, "In ritardo", by, NOW + HOUR)
    out = Player.objects.get(surname="Passeggero 08")
    services.cancel(
        out, by, NOW + HOUR, level=Removal.Level.EVENT, event=event, ruling="Ha lasciato la sala"
    )


def surnames(table: Table) -> list[str]:
    return [str(seat.holder().player) for seat in seats_of(table)]


def last_of(table: Table) -> Result:
    result = table.confirmed()
    assert result
    return result


def counted(table: Table) -> list[str]:
    return percentiles(last_of(table))


# --- the whole way --------------------------------------------------------------------------------


@db
@both
def test_an_evening_in_the_hall_comes_home_as_it_was_played(settings: Settings) -> None:
    """B-08, B-09: seated there by the ranking of home; C-09, C-15, D-08: all of it comes back."""
    event = make_home()
    sara = make_cast().sara
    out = sent(event, sara)
    assert "@" not in json.dumps({name: out[name] for name in out if name != "site"})
    mails = Email.objects.count()
    at_home = {str(p.key): p.pk for p in Player.objects.all()}
    with elsewhere(settings) as secretary:
        assert bring(out, secretary).created
        there = Event.objects.get(key=event.key)
        assert (there.name, there.ordinal, there.status) == (event.name, event.ordinal, "enrolling")
        assert there.director is not None
        assert there.director.is_referee(there.starts_on)
        ranking = ranking_before(there.starts_on)
        named = {Player.objects.get(pk=pk).surname: n for pk, n in ranking.points.items()}
        expected = {"Passeggero 03": 120, "Passeggero 07": 80, "Passeggero 01": 36, "Carrozza": 200}
        assert (named, ranking.as_of) == (expected, date(2025, 9, 7))
        play_evening(there, secretary)
        numbers = ("03", "07", "01", "02", "04")
        assert surnames(tables_of(there)[0]) == [f"Passeggero {n}" for n in numbers]
        services.set_status(there, Event.Status.CONCLUDED, secretary, NOW + HOUR)
        back = sent(there, secretary, NOW + HOUR)
        standing = services.standing_of(there, {})
        told_there = [(row.place, standing.players[int(row.key)].surname) for row in standing.rows]
        assert Email.objects.count() == 0  # nobody has a log-in there
    done = bring(back, sara)
    assert (done.registered, done.rounds, done.nothing) == (1, 1, False)
    event = Event.objects.get(pk=event.pk)
    assert event.status == Event.Status.CONCLUDED
    one, two = tables_of(event)
    assert surnames(two) == ["Passeggero 05", "Passeggero 06", "Passeggero 08", "Viandante Vito"]
    # 6400 / 8000 and 6000 / 8000; the first has 2500 − 800. At table 2 2500 − 960.
    assert counted(one) == ["1700.00", "750.00", "800.00", "500.00", "0.00"]
    assert counted(two) == ["1540.00", "960.00", "880.00", "0.00"]
    first = one.results.get(version=1)  # before the handicap: 7200 / 8000, 2500 − 900
    assert percentiles(first) == ["1600.00", "900.00", "800.00", "500.00", "0.00"]
    assert (first.state, last_of(one).reason) == (Result.State.SUPERSEDED, "In ritardo")
    assert (first.at, last_of(two).at) == (NOW, NOW + MINUTE)
    assert {result.by for result in one.results.all()} == {sara}
    assert [s.why["step"]["rule"] for s in seats_of(one)] == ["B-08"] * 3 + ["B-09"] * 2
    assert seats_of(one)[0].why["step"]["values"] == {"place": 1, "points": 120}
    assert (seats_of(one)[1].handicap, seats_of(one)[1].handicap_reason) == (-1200, "In ritardo")
    [removal] = Removal.objects.all()
    assert (removal.player.surname, removal.event, removal.ruling) == (
        "Passeggero 08",
        event,
        "Ha lasciato la sala",
    )
    assert event.entries.filter(present=True).count() == 9
    assert one.round.order_used[:3] == [
        Player.objects.get(surname=f"Passeggero {n}").pk for n in ("03", "07", "01")
    ]
    assert {str(p.key): p.pk for p in Player.objects.exclude(surname="Viandante")} == at_home
    standing = services.standing_of(event, {})
    told = [(row.place, standing.players[int(row.key)].surname) for row in standing.rows]
    # 1700, 1540, 960, 800, 750, 500, and the two zeros; who was cancelled is not there.
    assert told == told_there
    assert [name.removeprefix("Passeggero ") for _place, name in told] == [
        *("03", "05", "06", "01", "07", "02", "04", "Viandante")
    ]
    assert Email.objects.count() == mails  # nobody is told what he saw at the table
    assert LogEntry.objects.filter(verb="import_event").count() == 1


@db
@both
def test_the_same_file_twice_writes_nothing(settings: Settings) -> None:
    event = make_home()
    sara = make_cast().sara
    out = sent(event, sara)
    with elsewhere(settings) as secretary:
        bring(out, secretary)
        before = rows()
        assert bring(out, secretary).nothing
        assert services.check_event_file(read(out)).nothing
        assert rows() == before
        play_evening(Event.objects.get(key=event.key), secretary)
        back = sent(Event.objects.get(key=event.key), secretary)
    bring(back, sara)
    before = rows()
    assert bring(back, sara).nothing
    assert rows() == before


@db
@both
def test_a_file_read_in_and_written_again_is_of_the_same_state(settings: Settings) -> None:
    event = make_home()
    cast = make_cast()
    play_evening(event, cast.sara)
    Player.objects.filter(surname="Passeggero 06").update(surname="Anonimo", nationality="")
    out = sent(event, cast.sara)
    with elsewhere(settings) as secretary:
        bring(out, secretary)
        again = sent(Event.objects.get(key=event.key), secretary)
    parts = ("event", "entries", "prove", "rounds", "removals", "titles", "clubs")
    assert {part: again[part] for part in parts} == {part: out[part] for part in parts}
    assert again["state"] == out["state"]
    assert again["ranking"]["points"] == out["ranking"]["points"]


@db
def test_every_incident_travels(settings: Settings) -> None:
    """C-10, C-12, C-13, C-17, M-02: and a draft of a result, and one that was withdrawn."""
    event = make_home()
    cast = make_cast()
    here(event, cast.sara)
    for n in (9, 10, 11, 12):
        player = make_player(f"Passeggero {n:02}")
        services.enrol(event, player, cast.sara, NOW, present=True)
    seat(event, cast.sara)
    one, two, three = tables_of(event)
    record(one, 8000, 7200, 6400, 4000)
    best = seats_of(one)[0].holder().player
    assert best
    services.exclude(one, best, "Ha barato", cast.sara, NOW)
    services.decide_exclusion(one, "keep_reference", "Era finita", cast.sara, NOW)
    services.hand_over(seats_of(two)[0], cast.judge, Holder.Why.SUBSTITUTE, cast.sara, NOW)
    services.hand_over(seats_of(two)[1], None, Holder.Why.REFEREE, cast.sara, NOW)
    left = seats_of(two)[2]
    services.hand_over(left, left.holder().player, Holder.Why.CINDERELLA, cast.sara, NOW)
    services.send_draft(two.pk, totals(two, 100, 200, 300, 400), 0, cast.sara, NOW)
    record(three, 500, 400, 300, 200)
    services.withdraw_result(three, cast.sara, NOW, "Del tavolo accanto")
    services.void_table(three, "Senza plancia", cast.sara, NOW)
    out = sent(event, cast.sara)
    with elsewhere(settings) as secretary:
        bring(out, secretary)
        copy = Event.objects.get(key=event.key)
        again = sent(copy, secretary)
        there = tables_of(copy)
        assert again["rounds"] == out["rounds"]
        assert [table.status for table in there] == ["confirmed", "playing", "void"]
        assert there[1].draft() is not None
        assert there[2].last_version() == 2
        # the first is out of it, and 8000 stays the measure: 7200 / 8000 and the second's 800
        assert counted(there[0])[0] == "–"


# --- who is who -----------------------------------------------------------------------------------


@db
def test_a_member_registered_again_in_the_hall_is_matched_by_hand_once(settings: Settings) -> None:
    event = make_home()
    sara = make_cast().sara
    member = make_player("Viandante", "Vito")
    out = sent(event, sara)
    with elsewhere(settings) as secretary:
        bring(out, secretary)
        there = Event.objects.get(key=event.key)
        play_evening(there, secretary)
        back = sent(there, secretary)

        record(tables_of(there)[1], 7500, 7200, 6600, 10, by=secretary, version=1, reason="Errore")
        later = sent(there, secretary, LATER)
    report = services.check_event_file(read(back))
    [asked] = report.to_choose
    assert (str(asked), asked.players) == ("Viandante Vito", (member,))
    assert reason_of(lambda: bring(back, sara)) == "choose_player"
    bring(back, sara, chosen={asked.key: member.pk})
    assert PlayerKey.objects.get(player=member).key.hex == asked.key.replace("-", "")
    assert tables_of(event)[1].seats.get(position=4).holder().player == member
    assert not services.check_event_file(read(later)).to_choose
    assert bring(later, sara).rounds == 1
    # 10 / 7500 is 1.33: it counts, and the version before is there
    assert counted(tables_of(event)[1]) == ["1540.00", "960.00", "880.00", "1.33"]
    home = sent(event, sara, LATER)
    with elsewhere(settings) as secretary:  # the hall again, where he is called by its own key
        bring(out, secretary)
        there = Event.objects.get(key=event.key)
        walker = services.enrol_newcomer(there, "Viandante", "Vito", secretary, NOW)
        Player.objects.filter(pk=walker.player_id).update(key=asked.key)
        Entry.objects.filter(pk=walker.pk).update(present=None)
        assert not services.check_event_file(read(home)).to_choose


@db
def test_one_like_somebody_may_be_somebody_else(settings: Settings) -> None:
    event = make_home()
    sara = make_cast().sara
    out = sent(event, sara)
    with elsewhere(settings) as secretary:
        namesake = services.register_player("Passeggero 02", "", secretary, NOW)
        likes = {str(j): j.players for j in services.check_event_file(read(out)).to_choose}
        assert likes["Passeggero 02"] == (namesake,)
        chosen = {
            j.key: services.SOMEBODY_NEW for j in services.check_event_file(read(out)).to_choose
        }
        bring(out, secretary, chosen=chosen)
        assert Player.objects.filter(surname="Passeggero 02").count() == 2
        assert not Entry.objects.filter(player=namesake).exists()


@db
def test_two_of_the_file_are_not_one_person_here(settings: Settings) -> None:
    event = make_home()
    out = sent(event, make_cast().sara)
    with elsewhere(settings) as secretary:
        one = services.register_player("Passeggero 0", "", secretary, NOW)
        asked = [j for j in services.check_event_file(read(out)).to_choose if one in j.players]
        assert len(asked) == 8  # a letter was left out of each
        chosen = {j.key: one.pk for j in asked}
        assert reason_of(lambda: bring(out, secretary, chosen=chosen)) == "same_player"
        assert Event.objects.count() == 0


# --- what gives way, and what does not ------------------------------------------------------------


@db
def test_a_later_file_takes_the_place_of_the_earlier_and_not_the_other_way(
    settings: Settings,
) -> None:
    event = make_home()
    sara = make_cast().sara
    out = sent(event, sara)
    with elsewhere(settings) as secretary:
        bring(out, secretary)
        there = Event.objects.get(key=event.key)
        play_evening(there, secretary)
        early = sent(there, secretary)
        assert reason_of(lambda: bring(out, secretary)) == "file_older"
        record(tables_of(there)[1], 7500, 7200, 6600, 75, by=secretary, version=1, reason="Conta")
        late = sent(there, secretary, LATER)
    bring(early, sara)
    assert bring(late, sara).rounds == 1
    two = tables_of(event)[1]
    # 75 / 7500 is ten
    assert counted(two) == ["1540.00", "960.00", "880.00", "10.00"]
    assert two.last_version() == 2
    assert reason_of(lambda: bring(early, sara)) == "file_older"
    assert Round.objects.filter(prova__event=event).count() == 1


@db
def test_what_was_written_here_meanwhile_is_not_undone(settings: Settings) -> None:
    event = make_home()
    sara = make_cast().sara
    out = sent(event, sara)
    with elsewhere(settings) as secretary:
        bring(out, secretary)
        there = Event.objects.get(key=event.key)
        play_evening(there, secretary)
        early = sent(there, secretary)
        record(tables_of(there)[1], 7500, 7200, 6600, 75, by=secretary, version=1, reason="Conta")
        late = sent(there, secretary, LATER)
    bring(early, sara)
    two = tables_of(event)[1]
    record(two, 7500, 7200, 6600, 750, by=sara, version=1, reason="Riletto il foglio")
    before = rows()
    assert reason_of(lambda: bring(late, sara)) == "changed_here"
    assert rows() == before
    assert counted(tables_of(event)[1])[3] == "100.00"


@db
@both
def test_the_file_counts_where_somebody_says_why(settings: Settings) -> None:
    """C-15, A-15: a slip at home does not keep the evening out; never over a closed event."""
    event = make_home()
    cast = make_cast()
    here(event, cast.sara)
    seat(event, cast.sara)
    out = sent(event, cast.sara)
    with elsewhere(settings) as secretary:
        bring(out, secretary)
        there = Event.objects.get(key=event.key)
        record(tables_of(there)[0], 4000, 3000, 2000, 1000, by=secretary)
        half = sent(there, secretary)
        record(tables_of(there)[1], 800, 600, 400, 200, by=secretary)
        back = sent(there, secretary, LATER)
    assert services.check_event_file(read(half)).without_result == 1
    record(tables_of(event)[0], 1, 2, 3, 4, by=cast.sara)
    player = make_player("Tardivo", "Tino")
    late = Entry.objects.create(event=event, player=player, present=True, enrolled_at=NOW)
    report = services.check_event_file(read(back))
    assert report.contested
    assert report.here == Played(rounds=1, results=1, called=9)
    assert report.there == Played(rounds=1, results=2, called=8)
    assert reason_of(lambda: bring(back, cast.sara)) == "changed_here"
    assert reason_of(lambda: bring(back, cast.sara, instead="  ")) == "changed_here"
    assert bring(back, cast.sara, instead=" Scritto  per errore").rounds == 1
    one, two = tables_of(event)
    # 4000 first with 2500 − 750; 3000 / 4000, 2000 / 4000, 1000 / 4000
    assert counted(one) == counted(two) == ["1750.00", "750.00", "500.00", "250.00"]
    assert one.last_version() == 1
    late.refresh_from_db()
    assert (late.status, late.present) == ("enrolled", None)
    entry = LogEntry.objects.get(verb="import_event")
    assert entry.data["reason"] == "Scritto per errore"
    assert bring(back, cast.sara).nothing
    older = {"instead": "Comunque"}
    record(one, 4000, 3000, 2000, 0, by=cast.sara, version=1, reason="Zero")
    assert reason_of(lambda: bring(back, cast.sara, **older)) == "file_older"
    services.close_event(Event.objects.get(pk=event.pk), cast.sara, NOW + DAY)
    assert reason_of(lambda: bring(half, cast.sara, **older)) == "event_closed"


@db
@pytest.mark.parametrize("started", [True, False])
def test_results_withdrawn_here_do_not_keep_the_file_out(started: bool, settings: Settings) -> None:
    """C-15: nothing of them counts any more; one of a table not started has started it."""
    event = make_home()
    sara = make_cast().sara
    here(event, sara)
    seat(event, sara)
    if not started:
        Table.objects.update(started_at=None)
    out = sent(event, sara)
    with elsewhere(settings) as secretary:
        bring(out, secretary)
        there = Event.objects.get(key=event.key)
        for table in tables_of(there):
            record(table, 4000, 3000, 2000, 1000, by=secretary)
        back = sent(there, secretary)
    record(tables_of(event)[0], 1, 2, 3, 4, by=sara)
    assert reason_of(lambda: bring(back, sara)) == "changed_here"
    services.withdraw_result(tables_of(event)[0], sara, NOW, "Della sala")
    assert reason_of(lambda: bring(out, sara)) == "file_older"
    assert bring(back, sara).rounds == 1
    assert counted(tables_of(event)[0]) == ["1750.00", "750.00", "500.00", "250.00"]


@db
@both
def test_an_event_that_stayed_here_is_not_waited_for(settings: Settings) -> None:
    event = make_home()
    cast = make_cast()
    assert reason_of(lambda: services.keep_event_here(event, cast.sara, NOW)) == "not_away"
    out = sent(event, cast.sara)
    client, address = visitor(cast.alice), reverse("event_file", args=[event.pk])
    assert "It stayed here" in Page(client.get(address)).text
    answer = client.post(address, {"stay": "1"}, follow=True)
    assert "The event stayed here" in Page(answer).text
    assert services.travels_of(event).away is None
    assert client.post(address, {"stay": "1"}).status_code == 422
    assert LogEntry.objects.filter(verb="keep_event_here").count() == 1
    with elsewhere(settings) as secretary:
        bring(out, secretary)
        there = Event.objects.get(key=event.key)
        play_evening(there, secretary)
        back = sent(there, secretary)
    assert bring(back, cast.sara).rounds == 1  # it had gone after all, and nothing was written here


@db
def test_an_event_that_is_over_is_in_no_hall() -> None:
    """A-15: the file of a complete event is a copy, and nothing is waited for."""
    event = make_home()
    sara = make_cast().sara
    services.add_prova(event, make_title("1870"), sara, NOW)
    play_evening(event, sara)
    sent(event, sara)
    assert services.travels_of(event).away  # the second prova is still to be played
    event.prove.filter(order=2).delete()
    assert services.travels_of(event).away is None
    services.withdraw_result(tables_of(event)[0], sara, NOW, "Del tavolo accanto")
    assert services.travels_of(event).away
    Event.objects.filter(pk=event.pk).update(status=Event.Status.CONCLUDED)
    assert services.travels_of(Event.objects.get(pk=event.pk)).away is None


@db
def test_rounds_begun_here_after_the_file_left_are_not_undone(settings: Settings) -> None:
    event = make_home()
    sara = make_cast().sara
    out = sent(event, sara)
    with elsewhere(settings) as secretary:
        bring(out, secretary)
        there = Event.objects.get(key=event.key)
        play_evening(there, secretary)
        back = sent(there, secretary)
    here(event, sara)
    assert reason_of(lambda: bring(back, sara)) == "changed_here"


@db
def test_what_was_played_here_before_the_file_left_goes_on_there(settings: Settings) -> None:
    """A round at home, the second in the hall: what comes back holds both."""
    event = make_home()
    sara = make_cast().sara
    services.add_prova(event, make_title("1870"), sara, NOW)
    play_evening(event, sara)
    out = sent(event, sara)
    with elsewhere(settings) as secretary:
        bring(out, secretary)
        there = Event.objects.get(key=event.key)
        draft = services.draw_round(there.prove.get(order=2), 1, {}, None, secretary, NOW)
        services.publish_round(draft, draft.edition, secretary, NOW)
        back = sent(there, secretary)
    assert bring(back, sara).rounds == 2
    assert len(tables_of(event)) == 4


@db
def test_of_an_event_that_is_here_what_the_calendar_says_stays(settings: Settings) -> None:
    event = make_home()
    cast = make_cast()
    out = sent(event, cast.sara)
    with elsewhere(settings) as secretary:
        bring(out, secretary)
        there = Event.objects.get(key=event.key)
        services.amend_event(there, secretary, NOW, name="Altro nome", venue="Altra sala")
        play_evening(there, secretary)
        services.close_event(there, secretary, NOW + DAY)
        back = sent(there, secretary, NOW + DAY)
    late = make_player("Tardivo", "Tino")
    services.enrol(event, late, cast.sara, NOW)
    paid = event.entries.get(player__surname="Passeggero 02")
    Entry.objects.filter(pk=paid.pk).update(paid=True, note="Porta il tabellone")
    bring(back, cast.sara, NOW + DAY)
    event = Event.objects.get(pk=event.pk)
    assert (event.name, event.venue) == ("Festa del Binario Morto", "")
    assert event.status == Event.Status.CONCLUDED  # never closed by a file
    assert event.entries.filter(player=late, status="enrolled", present=None).exists()
    kept = event.entries.get(pk=paid.pk)
    assert (kept.paid, kept.note) == (True, "Porta il tabellone")
    services.close_event(event, cast.sara, NOW + DAY)
    assert reason_of(lambda: bring(back, cast.sara)) == "event_closed"


# --- the ranking ----------------------------------------------------------------------------------


@db
def test_a_ranking_is_taken_only_where_there_is_no_other(settings: Settings) -> None:
    event = make_home()
    sara = make_cast().sara
    out = sent(event, sara)
    with elsewhere(settings) as secretary:
        own = services.register_player("Sala", "Salvo", secretary, NOW)
        season = services.open_season(2025, None, secretary, NOW)
        day = date(2025, 5, 4)
        services.record_past_event(
            season, "Della sala", day, day, [services.PastPlace(own, 1, 75)], secretary, NOW
        )
        assert not services.check_event_file(read(out)).ranking
        bring(out, secretary)
        assert set(ranking_before(event.starts_on).points) == {own.pk}
    before = Event.objects.count()
    bring(sent(event, sara), sara)
    assert Event.objects.count() == before


@db
def test_a_second_event_in_the_same_hall_brings_its_own_ranking(settings: Settings) -> None:
    """Seated by what the last file says, not by both: H-03 would add them up."""
    event = make_home()
    cast = make_cast()
    out = sent(event, cast.sara)
    make_past({cast.judge: 11}, date(2025, 10, 5), name="Raduno d'Autunno")
    second = make_draft(name="Secondo raduno")
    services.add_prova(second, make_title(), cast.sara, NOW)
    second = services.set_status(second, Event.Status.ENROLLING, cast.sara, NOW)
    services.enrol(second, cast.judge, cast.sara, NOW)
    out_second = sent(second, cast.sara)
    with elsewhere(settings) as secretary:
        bring(out, secretary)
        bring(out_second, secretary)
        ranking = ranking_before(second.starts_on)
        judge = Player.objects.get(surname="Carrozza")
        assert (ranking.points[judge.pk], ranking.as_of) == (211, date(2025, 10, 5))
        assert Event.objects.filter(imported=True).count() == 1


@db
def test_an_old_ranking_counts_on_the_eve(settings: Settings) -> None:
    """H-05: dated by itself, its season would have ended before the event."""
    event = make_home()
    out = sent(event, make_cast().sara)
    out["ranking"]["as_of"] = "2023-09-03"
    with elsewhere(settings) as secretary:
        bring(sealed_again(out), secretary, NOW - 3 * DAY)
        ranking = ranking_before(event.starts_on)
        assert (len(ranking.points), ranking.as_of) == (4, date(2026, 3, 11))


# --- what is refused ------------------------------------------------------------------------------


def _content(file: File) -> bytes:
    return json.dumps(file).encode()


@db
def test_what_is_no_file_of_ours_is_refused_in_words() -> None:
    event = make_home()
    out = sent(event, make_cast().sara)
    whole = _content(out)
    altered = whole.replace(b"Passeggero 03", b"Passeggero 33", 1)
    newer = _content({**out, "version": 2})
    other = _content(sealed_again({**out, "event": {**out["event"], "regulation": "figf-2099"}}))
    table = [
        (b"", "not_json"),
        (whole[:-20], "not_json"),
        (b"\xff\xfe\x00", "not_json"),
        (b"[" * 100_000, "not_json"),
        (b"[]", "not_an_event"),
        (b'{"format": "figf-games"}', "not_an_event"),
        (b'{"format": "figf-event", "version": 1}', "altered"),
        (newer, "newer_version"),
        (altered, "altered"),
        (other, "unknown_regulation"),
        (b" " * (5 * 1024 * 1024 + 1), "file_too_large"),
    ]
    for content, reason in table:
        assert reason_of(partial(services.read_event_file, content)) == reason


def _set(*path: Any) -> Callable[[File], None]:
    """Puts the last of `path` where the others lead."""
    *way, last, value = path

    def change(file: File) -> None:
        found: Any = file
        for step in way:
            found = found[step]
        found[last] = value

    return change


SEAT = ("rounds", 0, "tables", 0, "seats", 0)
WRITTEN_BY_HAND: list[Callable[[File], None]] = [
    _set("event", "name", ""),
    _set("event", "name", "a\x00b"),
    _set("event", "name", "\ud800"),
    _set("event", "name", 5),
    _set("event", "capacity", 1),
    _set("event", "ordinal", True),
    _set("event", "ordinal", 10**20),
    _set("event", "starts_on", "14/03/2026"),
    _set("event", "starts_on", "2027-03-14"),
    _set("event", "director", "nobody"),
    _set("event", "director", "6f7b1c1e-0000-4000-8000-000000000000"),
    _set("event", "fee", "1e9"),
    _set("event", "status", "cancelled"),
    _set("event", "extra", 1),
    _set("written_at", "2026-03-14T15:00:00"),
    _set("known", ["x"]),
    _set("titles", []),
    _set("players", []),
    _set("players", 0, "key", "x"),
    _set("players", 0, "surname", {}),
    _set("players", 0, "terms", [["2026-01-01"]]),
    _set("entries", 0, "player", None),
    _set("entries", 0, "enrolled_at", 1.5),
    _set("entries", 0, "copies", ["1999"]),
    _set("prove", 0, "rounds", 0),
    _set("prove", 0, "order", 2),
    _set("rounds", 0, "number", 2),
    _set("rounds", 0, "status", "draft"),
    _set("rounds", 0, "order_used", ["x"]),
    _set("rounds", 0, "sizes_step", {"rule": "B-01", "kind": "printed", "values": {}}),
    _set("rounds", 0, "tables", 0, "status", "playing"),
    _set("rounds", 0, "tables", 0, "seats", []),
    _set("rounds", 0, "tables", 1, "number", 1),
    _set(*SEAT, "position", 2),
    _set(*SEAT, "holders", []),
    _set(*SEAT, "handicap", 5),
    _set(*SEAT, "why", {"table": 1, "step": {"rule": "B-08", "kind": "x", "values": {}}}),
    _set(*SEAT, "why", {"table": 1, "step": {}}),
    _set("rounds", 0, "tables", 0, "results", 0, "version", 7),
    _set("rounds", 0, "tables", 0, "results", 0, "lines", []),
    _set("rounds", 0, "tables", 0, "results", 0, "lines", 0, "facts", {"total": "8000"}),
    _set("rounds", 0, "tables", 0, "results", 1, "reason", ""),
    _set("removals", 0, "level", "all"),
    _set("removals", 0, "prova", 9),
    _set("ranking", "points", [["x", 1]]),
    _set("ranking", 5),
]


@db
def test_a_file_written_by_hand_is_refused_wherever_it_is_wrong() -> None:
    event = make_home()
    cast = make_cast()
    play_evening(event, cast.sara)
    out = sent(event, cast.sara)
    read(sealed_again(deepcopy(out)))  # nothing changed: it is read
    for n, change in enumerate(WRITTEN_BY_HAND):
        file = deepcopy(out)
        change(file)
        file = sealed_again_or_not(file)
        try:
            read(file)
            found = "read"
        except Refused as refusal:
            found = refusal.reason
        assert (n, found) == (n, "bad_file")


def sealed_again_or_not(file: File) -> File:
    """What was changed may leave nothing of which a state could be made."""
    try:
        return sealed_again(file)
    except (KeyError, TypeError):
        file["digest"] = digest({name: value for name, value in file.items() if name != "digest"})
        return file


@db
@pytest.mark.parametrize(
    ("where", "value"),
    [
        (("lines", 0, "points"), 154001),
        (("lines", 0, "place"), 2),
        (("lines", 3, "win"), True),
        (("lines", 1, "total"), 7300),
        (("lines", 1, "facts"), {"total": 7300}),
        (("lines", 1, "facts"), {"territories": 1}),
        (("lines", 1, "handicap"), 100),
        (("lines", 1, "role"), "excluded"),
        (("exclusion",), "recompute"),
    ],
)
def test_a_result_that_the_regulation_counts_otherwise_is_refused(
    where: tuple[Any, ...], value: Any, settings: Settings
) -> None:
    """C-01..C-06: 7500, 7200, 6600, 0 are 1540, 960, 880, 0, whatever a file says."""
    event = make_home()
    cast = make_cast()
    play_evening(event, cast.sara)
    out = sent(event, cast.sara)
    _set("rounds", 0, "tables", 1, "results", 0, *where, value)(out)
    with elsewhere(settings) as secretary:
        with pytest.raises(Refused) as refused:
            bring(sealed_again(out), secretary)
        assert refused.value.reason == "result_differs"
        assert "1830" in str(refused.value.text)
        assert Event.objects.count() == Player.objects.count() == 0


@db
def test_an_event_that_is_another_one_here_is_refused(settings: Settings) -> None:
    """A-01, A-15, F-08."""
    event = make_home()
    sara = make_cast().sara
    out = sent(event, sara)
    Event.objects.filter(pk=event.pk).update(kind="friendly")
    assert reason_of(lambda: bring(out, sara)) == "other_regulation"
    Event.objects.filter(pk=event.pk).update(kind="live", season=make_season(2027))
    assert reason_of(lambda: bring(out, sara)) == "other_season"
    season = Season.objects.get(year=2026)
    Event.objects.filter(pk=event.pk).update(season=season)
    Season.objects.filter(pk=season.pk).update(closed_at=NOW)
    assert reason_of(lambda: bring(out, sara)) == "season_closed"
    Season.objects.filter(pk=season.pk).update(closed_at=None)
    services.set_status(event, Event.Status.CANCELLED, sara, NOW, reason="Neve")
    assert reason_of(lambda: bring(out, sara)) == "event_off"
    assert reason_of(lambda: sent(Event.objects.get(pk=event.pk), sara)) == "event_off"
    past = Event.objects.get(imported=True)
    assert reason_of(lambda: sent(past, sara)) == "imported"
    with elsewhere(settings) as secretary:
        season = services.open_season(2026, None, secretary, NOW)
        services.create_event(season, event.name, event.starts_on, event.ends_on, secretary, NOW)
        assert reason_of(lambda: bring(out, secretary)) == "event_exists"


@db
def test_a_cup_does_not_travel() -> None:
    cast = make_cast()
    cup = make_draft(name="Coppa")
    Event.objects.filter(pk=cup.pk).update(kind="cup")
    assert reason_of(lambda: sent(Event.objects.get(pk=cup.pk), cast.sara)) == "is_cup"


@db
def test_a_report_that_became_another_is_refused(settings: Settings) -> None:
    event = make_home()
    out = sent(event, make_cast().sara)
    with elsewhere(settings) as secretary:
        seen = services.check_event_file(read(out)).fingerprint
        services.register_player("Passeggero 02", "", secretary, NOW)
        assert reason_of(lambda: bring(out, secretary, seen=seen)) == "books_changed"
    seen = services.check_event_file(read(out)).fingerprint
    services.add_prova(event, make_title("1870"), make_cast().sara, NOW)
    assert reason_of(lambda: bring(out, make_cast().sara, seen=seen)) == "event_changed"


@db
def test_what_is_written_while_the_report_is_read_is_said_so(settings: Settings) -> None:
    event = make_home()
    sara = make_cast().sara
    out = sent(event, sara)
    with elsewhere(settings) as secretary:
        bring(out, secretary)
        there = Event.objects.get(key=event.key)
        play_evening(there, secretary)
        back = sent(there, secretary)
    seen = services.check_event_file(read(back)).fingerprint
    here(event, sara)
    assert reason_of(lambda: bring(back, sara, seen=seen)) == "changed_here"
    more = {"seen": seen, "instead": "Conta la sala"}
    assert reason_of(lambda: bring(back, sara, **more)) == "event_changed"


# --- the pages ------------------------------------------------------------------------------------


def post_file(client: Client, content: bytes) -> Any:
    file = SimpleUploadedFile("figf-evento.json", content, "application/json")
    return client.post(reverse("event_import"), {"file": file})


@db
@both
def test_the_way_by_the_pages(settings: Settings) -> None:
    event = make_home()
    cast = make_cast()
    make_player("Viandante", "Vito")
    answer = visitor(cast.alice).post(reverse("event_file", args=[event.pk]))
    assert answer.status_code == 200
    name = f'figf-festa-del-binario-morto-{local(EventFile.objects.get().at):%Y-%m-%d-%H%M}.json"'
    assert answer["Content-Disposition"].endswith(name)
    out = answer.content
    assert b"example.org" not in out
    page = Page(visitor(cast.alice).get(event.get_absolute_url()))
    assert "In a hall" in page.text
    assert "In a hall" not in Page(visitor(cast.bruno).get(event.get_absolute_url())).text
    with elsewhere(settings) as secretary:
        client = visitor(secretary)
        page = Page(post_file(client, out))
        assert "The event is not here: it is made." in page.text
        # eight enrolled and the director; the judge has ranking points and is not in the event
        assert "9 people of the event: 0 known here, 9 new. 1 more is in the ranking" in page.text
        assert "people are registered" in page.text
        answer = client.post(reverse("event_import"), {"sealed": page.boxes["sealed"]})
        there = Event.objects.get(key=event.key)
        assert answer.status_code == 302
        assert answer["Location"] == there.get_absolute_url()
        assert "In a hall" not in Page(client.get(there.get_absolute_url())).text
        page = Page(client.get(reverse("event_file", args=[there.pk])))
        assert "Play it here" in page.text
        assert "Until the file comes back" not in page.text
        assert "closed there, on the site" not in Page(client.get(there.get_absolute_url())).text
        play_evening(there, secretary)
        for address in (there.get_absolute_url(), reverse("event_standing", args=[there.pk])):
            assert "closed there, on the site" in Page(client.get(address)).text
        assert "closed there" not in Page(Client().get(there.get_absolute_url())).text
        back = client.post(reverse("event_file", args=[there.pk])).content
    client = visitor(cast.sara)
    answer = post_file(client, back)
    page = Page(answer)
    assert answer.status_code == 200
    assert "Viandante Vito" in page.text
    assert "10 people of the event: 9 known here, 1 to be chosen." in page.text
    assert "who enrolled here meanwhile stays" in page.text
    assert "without a result" not in page.text
    [asked] = services.check_event_file(services.read_event_file(back)).to_choose
    wrong = client.post(
        reverse("event_import"), {"sealed": page.boxes["sealed"], f"player-{asked.key}": "999999"}
    )
    assert wrong.status_code == 422
    assert "Say who Viandante Vito is here." in Page(wrong).text
    data = {"sealed": page.boxes["sealed"], f"player-{asked.key}": str(asked.players[0].pk)}
    answer = client.post(reverse("event_import"), data, follow=True)
    assert "1 round was brought." in Page(answer).text
    assert "In a hall" not in Page(answer).text
    page = Page(post_file(client, back))
    assert "All of this is here already" in page.text
    assert "sealed" not in page.boxes
    page = Page(client.get(reverse("event_file", args=[event.pk])))
    assert "http://sala.example" in page.text


@db
def test_the_box_asks_for_its_reason(settings: Settings) -> None:
    event = make_home()
    cast = make_cast()
    out = sent(event, cast.sara)
    with elsewhere(settings) as secretary:
        bring(out, secretary)
        there = Event.objects.get(key=event.key)
        here(there, secretary)
        ranking = ranking_before(there.starts_on)
        services.draw_round(
            there.prove.get(order=1), 1, ranking.points, ranking.as_of, secretary, NOW
        )
        back = _content(sent(there, secretary))
    here(event, cast.sara, NOW + MINUTE)
    services.enrol(event, make_player("Tardivo", "Tino"), cast.sara, NOW, present=True)
    client, address = visitor(cast.sara), reverse("event_import")
    answer = post_file(client, back)
    page = Page(answer)
    assert (answer.status_code, {"counts", "reason", "sealed"} <= page.boxes.keys()) == (422, True)
    assert "Rounds 0 1" in page.text
    assert "Called at the roll call 9 8" in page.text
    assert "1 round not published yet." in page.text
    sealed = {"sealed": page.boxes["sealed"]}
    assert client.post(address, sealed).status_code == 422
    answer = client.post(address, {**sealed, "counts": "1", "reason": " "})
    assert answer.status_code == 422
    assert "Say why the file counts" in Page(answer).text
    assert client.post(address, {**sealed, "counts": "1", "reason": "x" * 201}).status_code == 422
    assert not Round.objects.exists()
    data = {**sealed, "counts": "1", "reason": "Appello rifatto in sala"}
    assert client.post(address, data).status_code == 302
    assert Round.objects.count() == 1


@db
def test_who_runs_an_event_in_a_hall_reads_so_wherever_he_would_write() -> None:
    event = make_home()
    cast = make_cast()
    here(event, cast.sara)
    seat(event, cast.sara)
    services.add_prova(event, make_title("1870"), cast.sara, NOW)
    sent(event, cast.sara)
    table = tables_of(event)[0]
    pages = [
        event.get_absolute_url(),
        reverse("roll_call", args=[event.pk]),
        reverse("round_desk", args=[event.prove.get(order=2).pk, 1]),
        reverse("table_result", args=[table.pk]),
        reverse("event_standing", args=[event.pk]),
    ]
    client = visitor(cast.alice)

    def told() -> list[bool]:
        return ["In a hall" in Page(client.get(address)).text for address in pages]

    assert told() == [True] * 5
    assert "In a hall" not in Page(Client().get(pages[0])).text
    assert "In a hall" not in Page(Client().get(pages[4])).text
    services.keep_event_here(event, cast.sara, LATER)
    assert told() == [False] * 5


@db
def test_the_pages_refuse_in_words() -> None:
    event = make_home()
    cast = make_cast()
    client = visitor(cast.sara)
    address = reverse("event_import")
    for content in (b"", b"{}", b"\x89PNG"):
        assert post_file(client, content).status_code == 422
    assert client.post(address).status_code == 422
    assert client.post(address, {"sealed": "forged"}).status_code == 422
    out = visitor(cast.alice).post(reverse("event_file", args=[event.pk])).content
    here(event, cast.sara)
    answer = post_file(client, out)
    assert (answer.status_code, "sealed" in Page(answer).boxes) == (422, False)  # an older file
    services.set_status(event, Event.Status.CANCELLED, cast.sara, NOW, reason="Neve")
    assert client.post(reverse("event_file", args=[event.pk])).status_code == 422
    assert visitor(cast.alice).get(address).status_code == 404  # the director takes, only she reads
    assert visitor(cast.bruno).post(reverse("event_file", args=[event.pk])).status_code == 404


@db
def test_the_queries_do_not_grow_with_people_and_files(settings: Settings) -> None:
    cast = make_cast()
    few, many = make_hall(4, name="Piccola sala"), make_hall(16, name="Grande sala")
    for event in (few, many):
        seat(event, cast.sara)
    files = {event.pk: _content(sent(event, cast.sara)) for event in (few, many)}
    for n in range(12):
        sent(many, cast.sara, NOW + n * MINUTE)
    client = visitor(cast.sara)

    def queries(act: Callable[[], Any]) -> int:
        act()
        with CaptureQueriesContext(connection) as caught:
            act()
        return len(caught)

    def same(*acts: Callable[[], Any]) -> None:
        assert len({queries(act) for act in acts}) == 1

    same(*(partial(client.get, reverse("event_file", args=[e.pk])) for e in (few, many)))
    same(*(partial(post_file, client, files[e.pk]) for e in (few, many)))
    same(*(partial(sent, event, cast.sara) for event in (few, many)))
    with elsewhere(settings) as secretary:
        client = visitor(secretary)
        same(*(partial(post_file, client, files[pk]) for pk in (few.pk, many.pk)))


@db
def test_a_large_event_fits_in_the_page_that_confirms_it(settings: Settings) -> None:
    """Sixty players at six rounds: the page carries the file, and brings it back."""
    cast = make_cast()
    event = make_hall(60, rounds=2)
    for code in ("1870", "1856"):
        services.add_prova(event, make_title(code), cast.sara, NOW, rounds=2)
    for prova in event.prove.order_by("order"):
        for number in (1, 2):
            draft = services.draw_round(prova, number, {}, None, cast.sara, NOW)
            services.publish_round(draft, draft.edition, cast.sara, NOW)
            for table in Table.objects.filter(round=draft):
                amounts = [10_000 - 977 * n - table.pk % 7 for n in range(table.seats.count())]
                record(Table.objects.with_everything().get(pk=table.pk), *amounts)
    content = _content(sent(event, cast.sara))
    with elsewhere(settings) as secretary:
        client = visitor(secretary)
        page = Page(post_file(client, content))
        sealed = str(page.boxes["sealed"])
        assert len(sealed) < settings.DATA_UPLOAD_MAX_MEMORY_SIZE // 4
        assert client.post(reverse("event_import"), {"sealed": sealed}).status_code == 302
        assert Result.objects.filter(state="confirmed").count() == 6 * 12
