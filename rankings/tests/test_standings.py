"""The seasons' standings, their close and their publications, through services and pages."""

from __future__ import annotations

import csv
import io
import random
from collections.abc import Callable
from datetime import date, timedelta
from typing import Any

import pytest
from django.urls import reverse
from django.utils import timezone

from figf.errors import Refused
from figf.models import LogEntry
from figf.tests.cast import (
    DAY,
    NOW,
    TODAY,
    Cast,
    Page,
    at_once,
    make_cast,
    make_event,
    make_past,
    make_player,
    make_season,
    make_title,
    record,
    tables_of,
    visitor,
)
from rankings import services
from rankings.models import Honour, Publication
from tournaments import services as tournaments
from tournaments.models import Event, EventPlace, Player, Season, Title

pytestmark = pytest.mark.django_db
both = pytest.mark.both
threads = pytest.mark.django_db(transaction=True)


@pytest.fixture
def cast() -> Cast:
    return make_cast()


def refusal(deed: Any) -> Refused:
    with pytest.raises(Refused) as raised:
        deed()
    return raised.value


def played(cast: Cast, totals: tuple[int, ...] = (7500, 7200, 6600, 0)) -> Event:
    """A closed event of one table: Bruno wins, 1540, 960, 880, 0; FE 2: 50, 36, 26, 18."""
    event = make_event(players=len(totals))
    record(tables_of(event)[0], *totals)
    return tournaments.close_event(event, cast.alice, NOW)


def ranking(day: date = TODAY + 30 * DAY) -> list[tuple[int, str, int]]:
    return [(r.place, str(r.player), r.points) for r in services.ranking_on(day).rows]


def absolute(season: Season) -> list[tuple[int, str, int]]:
    rows = services.absolute_of(season).rows
    return [(e.row.place, str(e.player) if e.player else "", e.row.total) for e in rows]


def specialty(season: Season, title: Title) -> list[tuple[int, str, str]]:
    rows = services.specialty_of(season, title).rows
    return [(e.row.place, str(e.player) if e.player else "", f"{e.row.total:.2f}") for e in rows]


def everything(season: Season) -> Any:
    title = Title.objects.get(code="1830")
    return ranking(), absolute(season), specialty(season, title)


# --- what counts ----------------------------------------------------------------------------------


@both
def test_a_closed_event_counts_in_every_standing(cast: Cast) -> None:
    """D-05, E-01, F-01, H-01, H-02: fifty points and ten for the game won."""
    event = played(cast)
    names = [str(row[1]) for row in ranking()]
    assert [(place, points) for place, _name, points in ranking()] == [
        (1, 60),
        (2, 36),
        (3, 26),
        (4, 18),
    ]
    assert names[0] == "Binario Bruno"
    assert [row[2] for row in absolute(event.season)] == [50, 36, 26, 18]
    standing = specialty(event.season, event.prove.get().title)
    assert [row[2] for row in standing] == ["1540.00", "960.00", "880.00", "0.00"]


@both
def test_what_is_not_closed_or_not_official_counts_nowhere(cast: Cast) -> None:
    """A-15, E-05, H-07: results complete, a cup, and a friendly game."""
    event = make_event(players=4)
    record(tables_of(event)[0], 7500, 7200, 6600, 0)
    tournaments.set_status(event, Event.Status.CONCLUDED, cast.sara, NOW)
    assert ranking() == []
    for kind in (Event.Kind.CUP, Event.Kind.FRIENDLY):
        Event.objects.filter(pk=event.pk).update(kind=kind)
        tournaments.close_event(Event.objects.get(pk=event.pk), cast.sara, NOW)
        assert everything(event.season) == ([], [], [])
        tournaments.reopen_event(Event.objects.get(pk=event.pk), "x", cast.sara, NOW)


@both
def test_opening_correcting_cancelling_and_undoing_restores_every_standing(cast: Cast) -> None:
    """C-15, D-08, E-09, O-13, O-16"""
    make_past({cast.director: 75, cast.judge: 54}, TODAY - 400 * DAY)
    event = played(cast)
    season, bruno = event.season, cast.bruno.player
    before = everything(season)
    (table,) = tables_of(event)

    event = tournaments.reopen_event(event, "totale sbagliato", cast.alice, NOW)
    assert everything(season) != before
    record(table, 7500, 7200, 7600, 0, version=1, reason="totale sbagliato")
    event = tournaments.close_event(event, cast.alice, NOW)
    assert everything(season) != before
    event = tournaments.reopen_event(event, "era giusto", cast.alice, NOW)
    record(table, 7500, 7200, 6600, 0, version=2, reason="era giusto")
    gone = tournaments.cancel(bruno, cast.sara, NOW, level="event", event=event, ruling="12.1")
    event = tournaments.close_event(event, cast.alice, NOW)
    # The others move up: fifty points and no game won, for its winner is he.
    assert ranking()[-3:] != before[0][-3:]
    assert [row[2] for row in absolute(season)] == [50, 36, 26]
    event = tournaments.reopen_event(event, "annullata", cast.alice, NOW)
    tournaments.lift(gone, cast.sara, NOW)
    event = tournaments.close_event(event, cast.alice, NOW)
    assert everything(season) == before

    for deed, left in (
        (lambda: tournaments.strike_off(bruno, "13.2", cast.sara, NOW), [50, 36, 26]),
        (
            lambda: tournaments.cancel_from_championship(
                bruno, season, "absolute", "13.2", cast.sara, NOW
            ),
            [36, 26, 18],  # the others move up, with the points that they have
        ),
    ):
        removal = deed()
        assert [row[2] for row in absolute(season)] == left
        assert "Binario Bruno" not in [row[1] for row in absolute(season)]
        tournaments.lift(removal, cast.sara, NOW)
        assert everything(season) == before


def test_a_cancellation_from_a_championship_touches_no_other_standing(cast: Cast) -> None:
    """O-13, E-09"""
    event = played(cast)
    season, bruno = event.season, cast.bruno.player
    before = everything(season)
    tournaments.cancel_from_championship(bruno, season, "1830", "13.2", cast.sara, NOW)
    after = everything(season)
    assert after[:2] == before[:2]
    assert [row[2] for row in after[2]] == ["960.00", "880.00", "0.00"]
    refused = refusal(
        lambda: tournaments.cancel_from_championship(bruno, season, "1830", "13.2", cast.sara, NOW)
    )
    assert (refused.reason, refused.rule) == ("already_removed", "O-13")


def test_removing_a_player_without_results_changes_nothing(cast: Cast) -> None:
    event = played(cast)
    before = everything(event.season)
    tournaments.strike_off(make_player("Passante"), "13.2", cast.sara, NOW)
    assert everything(event.season) == before


def test_events_closed_in_another_order_make_the_same_standings(cast: Cast) -> None:
    """H-08: a late closing is counted from the end of its event."""
    first, second = make_event(players=4), make_event(players=4)
    for event in (first, second):
        record(tables_of(event)[0], 7500, 7200, 6600, 0)
    straight = []
    for order in ((first, second), (second, first)):
        for event in order:
            tournaments.close_event(Event.objects.get(pk=event.pk), cast.alice, NOW)
        straight.append(everything(first.season))
        for event in order:
            tournaments.reopen_event(Event.objects.get(pk=event.pk), "x", cast.alice, NOW)
    assert straight[0] == straight[1]
    assert everything(first.season) == ([], [], [])


class Meddler:
    """Who changes closed events, and knows how to put everything back."""

    def __init__(self, cast: Cast, seed: int) -> None:
        self.cast, self.dice = cast, random.Random(seed)
        self.undo: list[Callable[[], object]] = []

    def opened(self, event: Event, deed: Callable[[Event], Any]) -> Any:
        alice = self.cast.alice
        done = deed(tournaments.reopen_event(again(event), "x", alice, NOW))
        tournaments.close_event(again(event), alice, NOW)
        return done

    def correct(self, event: Event) -> None:
        self.opened(event, written(*self.dice.sample(range(5000, 9000), 4)))
        self.undo.append(lambda: self.opened(event, written(7500, 7200, 6600, 0)))

    def cancel(self, event: Event) -> None:
        sara, bruno = self.cast.sara, self.cast.bruno.player
        removal = self.opened(
            event,
            lambda event: tournaments.cancel(
                bruno, sara, NOW, level="event", event=event, ruling="12.1"
            ),
        )
        self.undo.append(
            lambda: self.opened(event, lambda _event: tournaments.lift(removal, sara, NOW))
        )

    def give_handicap(self, event: Event) -> None:
        def of(amount: int) -> Callable[[Event], object]:
            return lambda event: tournaments.give_handicap(
                tables_of(event)[0].seats.all()[1], amount, "x", self.cast.alice, NOW
            )

        self.opened(event, of(500))
        self.undo.append(lambda: self.opened(event, of(0)))

    def call_off(self, event: Event) -> None:
        """Not valid, and valid after all."""
        tournaments.reopen_event(again(event), "x", self.cast.alice, NOW)
        for status in ("invalid", "concluded"):
            tournaments.set_status(again(event), status, self.cast.sara, NOW, reason="x")
        tournaments.close_event(again(event), self.cast.alice, NOW)


def again(event: Event) -> Event:
    return Event.objects.get(pk=event.pk)


def written(*totals: int) -> Callable[[Event], object]:
    def deed(event: Event) -> None:
        (table,) = tables_of(event)
        record(table, *totals, version=table.last_version(), reason="x", tie_checked=True)

    return deed


@pytest.mark.parametrize("seed", [1, 2, 3])
def test_whatever_is_done_and_undone_in_whatever_order_leaves_no_trace(
    cast: Cast, seed: int
) -> None:
    """C-15, D-08, E-09, H-08, O-16: corrections, cancellations, handicaps, calendars."""
    make_past({cast.judge: 75, cast.director: 54}, TODAY - 400 * DAY)
    events = [played(cast), played(cast)]
    before = everything(events[0].season)
    by = Meddler(cast, seed)
    deeds = [
        (deed, event) for deed in (by.correct, by.cancel, by.give_handicap) for event in events
    ]
    by.dice.shuffle(deeds)
    for deed, event in deeds:
        deed(event)
        by.call_off(by.dice.choice(events))
    struck = tournaments.strike_off(cast.judge, "13.2", cast.sara, NOW)
    by.undo.append(lambda: tournaments.lift(struck, cast.sara, NOW))
    assert everything(events[0].season) != before
    for put_back in by.dice.sample(by.undo, len(by.undo)):
        put_back()
    assert everything(events[0].season) == before


@both
def test_a_ranking_says_what_gives_each_point_and_when_it_leaves(cast: Cast) -> None:
    """H-03, H-05, H-10"""
    old = make_past({cast.judge: 75, cast.director: 54}, date(2024, 5, 5), wins={cast.judge: 2})
    other = make_past({cast.judge: 10}, date(2025, 5, 5), name="Altro raduno")
    event = make_event(players=4)
    tournaments.amend_event(event, cast.sara, NOW, replaces=old)
    page = services.ranking_on(TODAY)
    assert (page.next, page.leaving) == (event, old)
    first, second = page.rows
    assert (first.points, first.event_points, first.wins) == (105, 85, 2)
    assert first.expiring == 95
    assert [(each.event, each.worth) for each in first.contributions] == [(old, 95), (other, 10)]
    assert first.contributions[0].leaves.moment is None
    assert first.contributions[0].heir == event
    assert first.contributions[1].leaves.moment is not None
    assert first.contributions[1].leaves.moment.day == date(2027, 12, 31)
    record(tables_of(event)[0], 7500, 7200, 6600, 0)
    event = tournaments.close_event(event, cast.alice, NOW)
    page = services.ranking_on(event.ends_on)
    assert page.previous == date(2025, 5, 5)
    assert [event.name for event in page.window] == ["Altro raduno", "Festa del Binario Morto"]
    carla = next(row for row in page.rows if row.player == cast.judge)
    assert (carla.points, carla.before, carla.place, carla.moved) == (10, 1, 5, -4)
    past = services.ranking_history(cast.director, event.ends_on)
    assert [(each.points, each.place) for each in past] == [(54, 2), (54, 2), (0, None)]
    assert second.player == cast.director


def test_seating_uses_the_ranking_of_before_the_event(cast: Cast) -> None:
    """B-08: an event that ended the day before counts, one of the same day does not."""
    make_past({cast.judge: 75}, TODAY - DAY)
    make_past({cast.director: 54}, TODAY, name="Dello stesso giorno")
    found = services.ranking_before(TODAY)
    assert dict(found.points) == {cast.judge.pk: 75}
    assert found.as_of == TODAY - DAY
    assert services.ranking_before(TODAY - 30 * DAY).as_of is None


# --- the end of a season --------------------------------------------------------------------------


@both
def test_a_season_is_closed_and_its_champions_are_proclaimed(cast: Cast) -> None:
    """E-10, F-08: what it had stays; opened again, nobody is champion."""
    event = played(cast)
    season, bruno = event.season, cast.bruno.player
    make_title("1849")
    before = everything(season)
    season = services.close_season(season, cast.sara, NOW)
    assert everything(season) == before
    found = [(each.award, each.title, each.player) for each in season.honours.all()]
    title = event.prove.get().title
    assert found == [("absolute", None, bruno), ("specialty", title, bruno)]
    places = EventPlace.objects.order_by("place").values_list("place", "total", "points", "wins")
    assert list(places) == [
        (1, 154000, 50, 1),
        (2, 96000, 36, 0),
        (3, 88000, 26, 0),
        (4, 0, 18, 0),
    ]
    assert services.differences() == []
    event = Event.objects.get(pk=event.pk)
    locked = refusal(lambda: tournaments.reopen_event(event, "x", cast.alice, NOW))
    assert (locked.reason, locked.rule) == ("season_closed", "F-08")
    again = refusal(lambda: services.close_season(season, cast.sara, NOW))
    assert (again.reason, again.rule) == ("already_closed", "F-08")
    assert refusal(lambda: services.reopen_season(season, " ", cast.sara, NOW)).reason == (
        "reason_missing"
    )
    season = services.reopen_season(season, "ricorso accolto", cast.sara, NOW)
    assert not season.honours.exists()
    assert not EventPlace.objects.exists()
    assert everything(season) == before
    assert LogEntry.objects.filter(verb="reopen_season").get().data["reason"] == "ricorso accolto"


@both
def test_a_season_with_something_to_come_is_not_closed(cast: Cast) -> None:
    """F-08, F-04: an event that was cancelled is planned no more."""
    season = make_season()
    refused = refusal(lambda: services.close_season(season, cast.sara, NOW))
    assert (refused.reason, refused.rule) == ("season_empty", "F-08")
    played(cast)
    waiting = make_event(players=4, name="Festa d'Estate")
    refused = refusal(lambda: services.close_season(season, cast.sara, NOW))
    assert (refused.reason, refused.rule) == ("events_open", "F-08")
    assert "Festa d'Estate" in str(refused.text)
    tournaments.set_status(waiting, Event.Status.CANCELLED, cast.sara, NOW, reason="neve")
    make_past({cast.judge: 1}, date(2025, 5, 5))
    refused = refusal(lambda: services.close_season(season, cast.sara, NOW))
    assert refused.reason == "earlier_open"
    former = services.close_season(make_season(2025), cast.sara, NOW)
    services.close_season(season, cast.sara, NOW)
    assert refusal(lambda: services.reopen_season(former, "x", cast.sara, NOW)).reason == (
        "later_closed"
    )


def test_level_firsts_are_all_champions(cast: Cast) -> None:
    """G-07"""
    make_past({cast.judge: 75, cast.director: 75}, date(2025, 5, 5))
    season = services.close_season(make_season(2025), cast.sara, NOW)
    assert {each.player for each in season.honours.all()} == {cast.judge, cast.director}


def test_who_is_struck_off_after_the_close_has_no_name_and_the_others_keep_all(cast: Cast) -> None:
    """O-16"""
    event = played(cast)
    season, bruno = event.season, cast.bruno.player
    before = absolute(season)
    services.close_season(season, cast.sara, NOW)
    tournaments.strike_off(bruno, "13.2", cast.sara, NOW + DAY)
    season.refresh_from_db()
    assert absolute(season)[1:] == before[1:]
    assert absolute(season)[0] == (1, "", 50)
    assert [row[0] for row in ranking()] == [1, 2, 3]
    assert services.differences() == []
    for name, args in (
        ("absolute", [season.year]),
        ("season", [season.year]),
        ("specialty", [season.year, "1830"]),
        ("event_standing", [event.pk]),
        ("roll_of_honour", []),
        ("ranking", []),
    ):
        for suffix in ("", "_csv", "_json"):
            if name in {"season", "roll_of_honour", "event_standing"} and suffix == "_json":
                continue
            if name in {"season", "roll_of_honour"} and suffix:
                continue
            text = visitor().get(reverse(name + suffix, args=args)).content.decode()
            assert "Binario Bruno" not in text, name + suffix
            assert "Binario" not in text.replace("Binario Morto", ""), name + suffix
    assert visitor().get(reverse("ranking_player", args=[bruno.pk])).status_code == 404


@threads
def test_two_hands_close_a_season_once(cast: Cast) -> None:
    season = played(cast).season
    outcome = at_once(*[lambda: services.close_season(season, cast.sara, NOW)] * 3)
    assert sum(isinstance(each, Season) for each in outcome) == 1
    assert {each.reason for each in outcome if isinstance(each, Refused)} == {"already_closed"}
    assert Honour.objects.count() == 2


# --- the roll of honour ---------------------------------------------------------------------------


@both
def test_a_line_of_the_roll_is_written_by_hand_for_the_history(cast: Cast) -> None:
    """A-13"""
    make_past({cast.judge: 75}, date(2025, 5, 5))
    season, title = make_season(2025), make_title()

    def write(**changed: Any) -> Honour:
        how = {"award": "specialty", "title": title, **changed}
        award = how.pop("award")
        return services.record_honour(season, award, cast.director, cast.sara, NOW, **how)

    early = refusal(write)
    assert (early.reason, early.rule, early.field) == ("season_open", "E-10", "season")
    services.close_season(season, cast.sara, NOW)
    assert refusal(lambda: write(title=None)).reason == "title_missing"
    assert refusal(lambda: write(award="absolute")).reason == "title_missing"
    assert refusal(lambda: write(award="teams", title=None)).reason == "not_by_hand"
    honour = write(note="dal bollettino")
    second = refusal(
        lambda: services.record_honour(season, "specialty", cast.judge, cast.sara, NOW, title=title)
    )
    assert (second.reason, second.field) == ("reason_missing", "note")
    proclaimed_already = refusal(
        lambda: services.record_honour(season, "absolute", cast.director, cast.sara, NOW)
    )
    assert proclaimed_already.reason == "not_by_hand"
    assert refusal(write).reason == "already_written"
    (roll,) = [each for each in services.roll_of_honour() if each.season == season]
    assert [each.player for each in roll.honours] == [cast.judge, cast.director]
    assert [won.players for won in roll.winners] == [(cast.judge,)]
    assert roll.vacant == ()
    services.withdraw_honour(honour, cast.sara, NOW)
    assert refusal(lambda: services.withdraw_honour(honour, cast.sara, NOW)).reason == "stale"
    proclaimed = season.honours.get()
    assert refusal(lambda: services.withdraw_honour(proclaimed, cast.sara, NOW)).reason == (
        "not_by_hand"
    )
    (roll,) = [each for each in services.roll_of_honour() if each.season == season]
    assert roll.vacant == (title,)


# --- publications ---------------------------------------------------------------------------------


def told(publication: Publication) -> list[tuple[int, int, int]]:
    return [(line.place, line.player, line.total) for line in services.lines_of(publication)]


@both
def test_a_standing_is_published_and_a_correction_is_another_one(cast: Cast) -> None:
    event = played(cast)
    season, bruno = event.season, cast.bruno.player
    kinds: list[tuple[str, dict[str, Any]]] = [
        ("ranking", {"day": event.ends_on}),
        ("absolute", {"season": season}),
        ("specialty", {"season": season, "title": event.prove.get().title}),
        ("event", {"event": event}),
    ]
    first = [services.publish(kind, cast.sara, NOW, **which) for kind, which in kinds]
    assert [each.number for each in first] == [1, 2, 3, 4]
    assert [told(each)[0] for each in first] == [
        (1, bruno.pk, 6000),
        (1, bruno.pk, 5000),
        (1, bruno.pk, 154000),
        (1, bruno.pk, 154000),
    ]
    again = refusal(lambda: services.publish("absolute", cast.sara, NOW, season=season))
    assert again.reason == "same_publication"
    event = tournaments.reopen_event(event, "totale sbagliato", cast.alice, NOW)
    record(tables_of(event)[0], 7500, 7200, 7600, 0, version=1, reason="totale sbagliato")
    tournaments.close_event(event, cast.alice, NOW)
    second = services.publish("absolute", cast.sara, NOW + DAY, season=season)
    assert (second.number, second.replaces) == (5, first[1])
    assert told(first[1])[0] == (1, bruno.pk, 5000)  # the old one stays as it was
    changes = {
        each.player: (each.before and each.before.place, each.after and each.after.place)
        for each in services.changes(second)
    }
    assert changes[bruno.pk] == (1, 2)
    assert len(changes) == 3  # the last one is where he was
    page = Page(visitor().get(second.get_absolute_url()))
    assert "What it corrects of number 2" in page.text
    assert "place 1 → 2, total 50 → 36" in page.text
    assert "Corrected by" in Page(visitor().get(first[1].get_absolute_url())).text


def test_a_ranking_to_come_is_not_published_and_a_later_one_passes_the_first(cast: Cast) -> None:
    """H-08"""
    make_past({cast.judge: 75}, TODAY - 20 * DAY)
    first = services.publish("ranking", cast.sara, NOW, day=TODAY)
    late = refusal(lambda: services.publish("ranking", cast.sara, NOW, day=TODAY + DAY))
    assert (late.reason, late.rule) == ("future_day", "H-08")
    assert services.state_of_publication(first) == "in_force"
    make_past({cast.judge: 18}, TODAY - DAY, name="Altro raduno")
    second = services.publish("ranking", cast.sara, NOW, day=TODAY)
    assert second.replaces is None
    assert services.state_of_publication(Publication.objects.get(number=1)) == "passed"


def test_an_event_closed_before_its_last_day_has_ended_that_day(cast: Cast) -> None:
    """H-08: so it counts from its end, and no season ends before its events."""
    event = played(cast)
    assert event.ends_on == TODAY
    assert services.ranking_on(TODAY).as_of == TODAY


def test_a_name_leaves_a_publication_with_its_owner(cast: Cast) -> None:
    """O-16: players are kept by id, and named when shown."""
    season = played(cast).season
    found = services.publish("absolute", cast.sara, NOW, season=season)
    tournaments.strike_off(cast.bruno.player, "13.2", cast.sara, NOW)
    page = Page(visitor().get(found.get_absolute_url()))
    assert "Binario Bruno" not in page.text
    assert "player struck off" in page.text
    assert told(found)[0][1] == cast.bruno.player.pk


def test_what_cannot_be_published_is_refused(cast: Cast) -> None:
    """D-11"""
    season = make_season()
    assert refusal(lambda: services.publish("absolute", cast.sara, NOW, season=season)).reason == (
        "nobody_in_it"
    )
    event = make_event(players=4)
    refused = refusal(lambda: services.publish("event", cast.sara, NOW, event=event))
    assert (refused.reason, refused.rule) == ("event_open", "D-11")
    client = visitor(cast.sara)
    address = reverse("publication_new")
    for query in ("", "?kind=ranking", "?kind=nulla&day=2026-03-14", "?kind=absolute&season=x"):
        assert client.get(address + query).status_code == 302
    assert client.get(f"{address}?kind=absolute&season=2026").status_code == 422
    assert client.post(address, {"kind": "absolute", "season": "2026"}).status_code == 422
    assert not Publication.objects.exists()


@threads
def test_two_hands_publish_two_numbers(cast: Cast) -> None:
    event = played(cast)
    at_once(
        lambda: services.publish("absolute", cast.sara, NOW, season=event.season),
        lambda: services.publish("event", cast.sara, NOW, event=event),
        lambda: services.publish("absolute", cast.sara, NOW, season=event.season),
    )
    assert sorted(Publication.objects.values_list("number", flat=True)) == [1, 2]


# --- what if --------------------------------------------------------------------------------------


@both
def test_a_decision_is_looked_at_and_nothing_of_it_remains(cast: Cast) -> None:
    """O-12, O-13, O-16, C-10"""
    event = played(cast)
    season, bruno = event.season, cast.bruno.player
    before = everything(season)
    entries = LogEntry.objects.count()
    (table,) = tables_of(event)
    up = [50, 36, 26]
    deeds = [
        (services.cancel_from_event(bruno, event, cast.sara, NOW), up),
        (services.cancel_from_event(bruno, event, cast.sara, NOW, event.prove.get()), up),
        (services.exclude_from_game(bruno, table, cast.sara, NOW), up),
        (services.strike_off(bruno, cast.sara, NOW), up),
        (
            services.cancel_from_championship(bruno, season, "absolute", cast.sara, NOW),
            [36, 26, 18],
        ),
    ]
    for deed, left in deeds:
        was, would = services.what_if(deed, lambda: absolute(season))
        assert was == before[1]
        assert [row[2] for row in would] == left
        assert everything(season) == before
    assert LogEntry.objects.count() == entries
    event.refresh_from_db()
    assert event.status == Event.Status.CLOSED


@both
def test_the_page_shows_before_and_after_to_secretaries_and_referees(cast: Cast) -> None:
    event = played(cast)
    address = reverse("what_if", args=[event.season.year])
    asked: dict[str, Any] = {"chi": cast.bruno.player.pk, "misura": "event", "evento": event.pk}
    for user, status in ((cast.sara, 200), (cast.carla, 200), (cast.bruno, 404), (cast.dino, 404)):
        assert visitor(user).get(address, asked).status_code == status
    page = Page(visitor(cast.sara).get(address, asked))
    assert "Festa del Binario Morto" in page.text
    assert "Absolute championship" in page.text
    missing = visitor(cast.sara).get(address, {**asked, "evento": ""})
    assert missing.status_code == 422
    assert "Say of which." in missing.content.decode()
    wrong = visitor(cast.sara).get(address, {**asked, "chi": "9999", "misura": "x"})
    assert wrong.status_code == 422


# --- pages ----------------------------------------------------------------------------------------


def lines(response: Any) -> list[list[str]]:
    return list(csv.reader(io.StringIO(response.content.decode("utf-8-sig")), delimiter=";"))


@both
def test_every_standing_is_filtered_found_explained_and_taken_away(cast: Cast) -> None:
    """G-08, H-10, A-16, A-17"""
    club = tournaments.register_club("Dopolavoro", "Valbinario", cast.sara, NOW)
    Player.objects.filter(pk=cast.bruno.player.pk).update(club=club)
    event = played(cast)
    year = event.season.year
    today = {"al": event.ends_on.isoformat()}
    pages: list[tuple[str, list[Any], dict[str, Any]]] = [
        ("ranking", [], today),
        ("absolute", [year], {}),
        ("specialty", [year, "1830"], {}),
    ]
    for name, args, query in pages:
        address = reverse(name, args=args)
        page = Page(visitor(cast.bruno).get(address, query))
        assert "Find me" in page.text
        assert "Passeggero" in page.text
        searches: list[dict[str, Any]] = [{"nome": "bruno bin"}, {"circolo": club.pk}]
        for asked in searches:
            body = visitor().get(address, {**query, **asked}).content.decode()
            table = body[body.index("<tbody>") : body.index("</tbody>")]
            assert "Binario Bruno" in table
            assert "Passeggero" not in table
        page = Page(visitor().get(address, {**query, "nome": "nessuno"}))
        assert "Nobody of that name or club." in page.text
        assert (
            visitor().get(address, {**query, "circolo": "x", "nome": "à" * 500}).status_code == 200
        )
        taken = lines(visitor().get(reverse(f"{name}_csv", args=args), query))
        assert taken[1][:4] == ["1", "Binario", "Bruno", "Dopolavoro"]
        assert len(taken) == 5
        data = visitor().get(reverse(f"{name}_json", args=args), query).json()
        assert (data["version"], data["rows"][0]["player"]) == (1, cast.bruno.player.pk)
    page = Page(visitor().get(reverse("season", args=[year])))
    assert "Binario Bruno" in page.text
    assert "<polyline" in visitor().get(reverse("season", args=[year])).content.decode()
    assert "<polyline" in visitor().get(reverse("absolute", args=[year])).content.decode()


def test_days_and_events_that_make_no_sense_are_said_to(cast: Cast) -> None:
    event = played(cast)
    for day in ("ieri", "2026-02-30", "0001-01-01", "9999-12-31"):
        assert visitor().get(reverse("ranking"), {"al": day}).status_code == 422
        assert visitor().get(reverse("ranking_json"), {"al": day}).status_code == 422
        assert visitor().get(reverse("ranking_csv"), {"al": day}).status_code == 302
    address = reverse("absolute", args=[event.season.year])
    for after in ("x", "0", "99999999999"):
        assert visitor().get(address, {"dopo": after}).status_code == 404
    assert visitor().get(address, {"dopo": event.pk}).status_code == 200
    assert visitor().get(reverse("specialty", args=[2026, "1899"])).status_code == 404


@both
def test_a_secretary_closes_and_opens_a_season_by_the_page(cast: Cast) -> None:
    season = played(cast).season
    address = reverse("season_close", args=[season.year])
    for user in (cast.alice, cast.bruno):
        assert visitor(user).post(address).status_code == 404
    client = visitor(cast.sara)
    preview = Page(client.get(address))
    assert "Absolute Champion Bruno Binario" in preview.text
    assert "Specialty Champion 1830 Bruno Binario" in preview.text
    assert client.post(address).status_code == 302
    assert client.post(address).status_code == 422
    assert client.get(address).status_code == 302
    assert "season closed" in Page(visitor().get(reverse("season", args=[season.year]))).text
    assert "Absolute Champion" in Page(visitor().get(reverse("roll_of_honour"))).text
    assert client.post(address, {"reopen": "1", "reason": ""}).status_code == 422
    assert client.post(address, {"reopen": "1", "reason": "ricorso"}).status_code == 302
    assert client.post(address, {"reopen": "1", "reason": "ricorso"}).status_code == 422


@both
def test_a_secretary_publishes_and_writes_the_roll_by_the_pages(cast: Cast) -> None:
    event = played(cast)
    client = visitor(cast.sara)
    address = reverse("publication_new")
    which = {"kind": "specialty", "season": "2026", "title": "1830"}
    assert "4 lines" in Page(client.get(address, which)).text
    assert client.post(address, {**which, "note": "bollettino 3"}).status_code == 302
    assert client.post(address, which).status_code == 422  # nothing has changed
    found = Publication.objects.get()
    text = Page(visitor().get(found.get_absolute_url())).text
    assert "bollettino 3" in text
    assert "1540" in text
    taken = lines(visitor().get(reverse("publication_csv", args=[1])))
    assert taken[1][:4] == ["1", "Binario", "Bruno", "1540.00"]
    assert (
        "Publication 1"
        in Page(visitor().get(reverse("specialty", args=[event.season.year, "1830"]))).text
    )
    make_past({cast.judge: 75}, date(2025, 5, 5))
    season = services.close_season(make_season(2025), cast.sara, NOW)
    line = {"season": season.pk, "award": "specialty", "player": cast.director.pk}
    new = reverse("honour_new")
    assert client.post(new, line).status_code == 422
    title = event.prove.get().title
    assert client.post(new, {**line, "title": title.pk}).status_code == 302
    honour = Honour.objects.get(by_hand=True)
    assert client.post(reverse("honour_withdraw", args=[honour.pk])).status_code == 302
    assert not Honour.objects.filter(by_hand=True).exists()


def test_the_drawing_of_a_career_begins_with_the_first_points(cast: Cast) -> None:
    today = timezone.localdate()
    make_past({cast.judge: 75}, today - timedelta(days=500))
    page = visitor().get(reverse("ranking_player", args=[cast.judge.pk])).content.decode()
    assert page.count("<polyline") == 1
    nobody = visitor().get(reverse("ranking_player", args=[cast.director.pk])).content.decode()
    assert "<polyline" not in nobody
    assert "never had any points" in nobody
