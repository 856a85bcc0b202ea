"""The federation's past: imported whole from a table, shown without tables, removed, and closed.

H-09, with A-01, D-05, D-07, F-08, H-04 and O-16 where it meets them.
"""

from __future__ import annotations

import csv
import io
import json
from collections.abc import Callable, Iterator, Mapping
from contextlib import contextmanager
from datetime import date, datetime, timedelta
from pathlib import Path
from typing import Any

import pytest
from django.core.files.uploadedfile import SimpleUploadedFile
from django.test import Client
from django.urls import reverse
from django.utils.translation import override
from openpyxl import Workbook

from figf import web
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
    make_draft,
    make_event,
    make_past,
    make_player,
    make_season,
    record,
    tables_of,
    visitor,
)
from rankings.services import ranking_on
from tournaments import services
from tournaments.models import Event, EventPlace, Player, Removal, Season
from tournaments.services import NEW_PLAYER, HistoryReport, HistoryRow

db = pytest.mark.django_db
both = pytest.mark.both
VECTORS = json.loads(Path(__file__).with_name("figf_vectors.json").read_text("utf-8"))["season"]
IMPORT = "/stagioni/importa/"


@pytest.fixture(autouse=True)
def in_english() -> Iterator[None]:
    with override("en"):
        yield


@pytest.fixture
def cast() -> Cast:
    return make_cast()


@pytest.fixture
def sara(cast: Cast) -> Client:
    return visitor(cast.sara)


@contextmanager
def nothing_written() -> Iterator[None]:
    def state() -> list[Any]:
        kinds = (Event, EventPlace, Season, Player, LogEntry)
        return [list(kind._default_manager.order_by("pk").values_list()) for kind in kinds]

    before = state()
    yield
    assert state() == before


def refused(deed: Callable[..., object], *given: Any, **more: Any) -> Refused:
    """The refusal of `deed`, having checked that nothing was written."""
    with nothing_written(), pytest.raises(Refused) as refusal:
        deed(*given, **more)
    return refusal.value


def row(line: int, player: str = "Binario Bruno", points: str = "75", **more: Any) -> HistoryRow:
    """Of the first event of 2004 with a factor of 3, unless something else is said."""
    told: dict[str, Any] = {
        "season": "2004",
        "number": "1",
        "event": "Trofeo della Lanterna",
        "town": "Genova",
        "starts_on": "2004-03-06",
        "ends_on": "2004-03-07",
    }
    return HistoryRow(line, player=player, points=points, **{**told, **more})


def other(line: int, player: str = "Binario Bruno", points: str = "75", **more: Any) -> HistoryRow:
    """Of an event of 2006, in another town."""
    told = {
        "season": "2006",
        "event": "Coppa dei Trulli",
        "town": "Bari",
        "starts_on": "2006-05-13",
        "ends_on": "2006-05-14",
    }
    return row(line, player, points, **{**told, **more})


def judge(*rows: HistoryRow) -> HistoryReport:
    return services.judge_history(rows, TODAY)


def faults(*rows: HistoryRow) -> list[tuple[str, str]]:
    """What is wrong with the events and rows, with its article, in the order of the report."""
    report = judge(*rows)
    assert not report.may_be_written()
    found = [(fault.text, fault.rule) for event in report.events for fault in event.faults]
    return found + [(why, "") for judged in report.rows for why in judged.why]


def bring_in(*rows: HistoryRow, **more: Any) -> list[Event]:
    return services.import_history(rows, make_cast().sara, NOW, **more)


def places_of(event: Event) -> list[tuple[int, str, int, int]]:
    return [(p.place, str(p.player), p.points, p.wins) for p in event.places.all()]


# --- what a table says ----------------------------------------------------------------------------


@db
@both
def test_a_past_event_has_places_points_and_games_won_and_no_tables(cast: Cast) -> None:
    """H-09."""
    [event] = bring_in(
        row(2, "Binario Bruno", "75", wins="2"),
        row(3, "Direttissima Alice", "54", place="2", kind="dal vivo"),
        row(4, "Alice Carrozza", "", wins="1", town="genova", ends_on="", event=""),
        create_missing=True,
    )
    event.refresh_from_db()
    assert (event.season.year, event.ordinal, event.name) == (2004, 1, "Trofeo della Lanterna")
    assert (event.town, event.kind) == ("Genova", "live")
    assert (event.starts_on, event.ends_on) == (date(2004, 3, 6), date(2004, 3, 7))
    assert (event.imported, event.status, event.replaces) == (True, "closed", None)
    assert event.prove.count() == event.entries.count() == 0
    assert places_of(event) == [
        (1, "Binario Bruno", 75, 2),
        (2, "Direttissima Alice", 54, 0),
        (3, "Alice Carrozza", 0, 1),
    ]
    new = Player.objects.get(surname="Alice", name="Carrozza")
    assert (new.user, new.club, new.email) == (None, None, "")
    about = LogEntry.objects.about(event).get()
    assert (about.verb, about.actor, about.data) == ("record_past_event", cast.sara, {"players": 3})
    summary = LogEntry.objects.get(verb="import_history")
    assert summary.data == {"read": 3, "events": 1, "registered": 1}


@db
@both
def test_without_a_place_it_is_that_of_the_points(cast: Cast) -> None:
    """D-07: equal points share the place, who has none comes after; a place given stays."""
    report = judge(
        row(1, "A Ada", "54"),
        row(2, "B Bice", "75"),
        row(3, "C Ciro", ""),
        row(4, "D Dora", "54,0"),
        row(5, "E Ezio", "0"),
        row(6, "F Fede", "", place="12"),
    )
    [event] = report.events
    assert [(judged.place, judged.points) for judged in event.rows] == [
        *((2, 54), (1, 75), (4, 0), (2, 54), (4, 0), (12, 0)),
    ]


@db
@both
def test_counts_add_up_to_the_rows_that_were_read(cast: Cast) -> None:
    """Ask H2: rows read are those of the events and those of none, and none is lost."""
    rows = [
        row(1),
        row(2, "Nessuno Ugo", "54"),
        row(3, season="", player="Senza Anno"),
        row(4, number="x"),
        row(5, number="0"),
        row(6, season="1979"),
        row(7, season="2027"),
        row(8, "Direttissima Alice", "39,5"),
        other(9),
    ]
    report = judge(*rows)
    assert [len(event.rows) for event in report.events] == [3, 1]
    assert [judged.row.line for judged in report.strays] == [3, 4, 5, 6, 7]
    assert len(report.rows) == len(rows)
    counts = [report.count(verdict) for verdict in services.HistoryVerdict]
    assert counts == [2, 0, 1, 6]
    assert report.opened == (2004, 2006)
    assert not report.may_be_written()
    assert refused(bring_in, *rows, create_missing=True).reason == "rows_rejected"


@db
@both
@pytest.mark.parametrize(
    ("more", "text"),
    [
        ({"town": "Roma"}, "“Genova” and “Roma”"),
        ({"event": "Trofeo"}, "“Trofeo della Lanterna” and “Trofeo”"),
        ({"starts_on": "2004-03-05"}, "“2004-03-06” and “2004-03-05”"),
        ({"ends_on": "8/3/2004"}, "“2004-03-07” and “8/3/2004”"),
    ],
)
def test_rows_that_say_two_things_of_one_event_are_both_named(
    cast: Cast, more: dict[str, str], text: str
) -> None:
    [(said, _rule)] = faults(row(3), row(7, "Direttissima Alice", "54", **more))
    assert said == f"Rows 3 and 7 say two things of one event: {text}."
    told = judge(row(3), row(7, "Direttissima Alice", "54", starts_on="06/03/2004", town="GÈNOVA"))
    assert told.may_be_written()  # the same, otherwise written


WRONG: list[tuple[dict[str, Any], str, str]] = [
    ({"event": ""}, "The name of the event is missing.", "A-01"),
    ({"event": "x" * 121}, f"“{'x' * 40}” is longer than 120 characters.", ""),
    ({"town": "x" * 81}, f"“{'x' * 40}” is longer than 80 characters.", ""),
    ({"starts_on": ""}, "The first day of the event is missing.", "A-01"),
    (
        {"starts_on": "6 marzo"},
        "“6 marzo” is no day of the calendar: write it as 2004-03-06 or 06/03/2004.",
        "A-01",
    ),
    (
        {"ends_on": "2004-02-30"},
        "“2004-02-30” is no day of the calendar: write it as 2004-03-06 or 06/03/2004.",
        "A-01",
    ),
    ({"ends_on": "2004-03-05"}, "The last day comes before the first.", "A-01"),
    (
        {"starts_on": "2003-12-31"},
        "The event does not begin in the season's year.",
        "A-01",
    ),
    (
        {"ends_on": "2006-03-07"},
        "This day is years away from the season: check its year.",
        "A-01",
    ),
    ({"kind": "cup"}, "“cup” is no kind of event: write “live” or “pbem”.", "A-14"),
    (
        {"season": "2026", "starts_on": "2026-03-14", "ends_on": "2026-03-15"},
        "The event is not over: only past events are imported.",
        "H-09",
    ),
    (
        {"replaces": "3"},
        "“3” is no event of the season of 2002 that could be replaced.",
        "H-04",
    ),
    ({"place": "0"}, "“0” is no place: places are whole numbers from 1 up.", ""),
    ({"place": "1,5"}, "“1,5” is no place: places are whole numbers from 1 up.", ""),
    ({"points": "-3"}, "“-3” are no event points: they are whole numbers from 0 up.", ""),
    ({"points": "12.5"}, "“12.5” are no event points: they are whole numbers from 0 up.", ""),
    (
        {"points": "9" * 40},
        f"“{'9' * 40}” are no event points: they are whole numbers from 0 up.",
        "",
    ),
    ({"wins": "due"}, "“due” are no games won: they are whole numbers from 0 up.", ""),
    ({"player": ""}, "There is no name.", ""),
    ({"faults": ("Cell D1 holds an error.",)}, "Cell D1 holds an error.", ""),
    ({"player": "x" * 90}, "The name is longer than 80 characters.", ""),
]


@db
@both
@pytest.mark.parametrize(("more", "text", "rule"), WRONG)
def test_what_cannot_be_is_a_fault_with_its_article(
    cast: Cast, more: dict[str, Any], text: str, rule: str
) -> None:
    """A-01 (dates outside the season), H-04, places from 1, points whole and not negative."""
    assert faults(row(1, **more)) == [(text, rule)]


@db
@both
def test_the_pbem_tournament_may_begin_in_another_year(cast: Cast) -> None:
    """A-01, A-14."""
    [event] = bring_in(row(1, starts_on="2003-12-20", ends_on="2005-01-08", kind="Corrispondenza"))
    assert (event.kind, event.starts_on) == ("pbem", date(2003, 12, 20))


@db
@both
def test_one_player_has_one_place_in_an_event(cast: Cast) -> None:
    for name in ("Binario Bruno", "Nessuno Ugo"):
        turned = name if name[0] == "N" else "Bruno Binario"
        [(text, _rule)] = faults(row(4, name), row(9, turned, "54"))
        assert text == "The same player is in row 4."
    assert judge(row(4), other(9)).may_be_written()  # in two events


@db
@both
def test_two_rows_of_one_place_have_the_same_points(cast: Cast) -> None:
    """D-07."""
    rows = [row(1, place="1"), row(2, "Direttissima Alice", "54", place="1")]
    assert faults(*rows) == [("Rows 1 and 2 have place 1 and different points.", "D-07")]
    shared = judge(row(1, place="1"), row(2, "Direttissima Alice", "75", place="1"))
    assert shared.may_be_written()


@db
@both
def test_what_is_odd_is_remarked_and_imported_all_the_same(cast: Cast) -> None:
    """D-05: a factor of 3 gives 75, 54, 39; no factor gives the second place 55."""

    def remarks(*rows: HistoryRow) -> list[str]:
        report = judge(*rows)
        assert report.may_be_written()
        of_rows = [r for event in report.events for judged in event.rows for r in judged.remarks]
        return [r.text for event in report.events for r in event.remarks] + [
            r.text for r in of_rows
        ]

    alice = "Direttissima Alice"
    assert remarks(row(1), row(2, alice, "54")) == []
    assert remarks(row(1), row(2, alice, "55")) == ["No event factor gives place 2 55 points."]
    assert remarks(row(1), row(2, alice, "36")) == [
        "No single event factor gives all these points."  # 3 gives 75, 2 gives 36
    ]
    assert remarks(row(1, points="54", place="2")) == ["Nobody is first."]
    assert remarks(row(1, place="1"), row(2, alice, "", place="2")) == [
        "No event factor gives place 2 0 points."
    ]
    assert remarks(row(1, points="50", place="1"), row(2, alice, "54", place="2")) == [
        "Row 2 comes after row 1 and has more points.",
        "No single event factor gives all these points.",
    ]
    assert remarks(row(1, points="1", place="10")) == ["Nobody is first."]  # 0.4 times 2 or 3
    assert remarks(row(1), row(2, alice, "3", place="11")) == [
        "No event factor gives place 11 3 points."
    ]


# --- the calendar ---------------------------------------------------------------------------------


@db
@both
def test_a_number_or_name_that_the_season_has_is_a_fault(cast: Cast) -> None:
    """A-01: to import an event again, the first is removed."""
    bring_in(row(1))
    assert faults(row(1, town="Roma")) == [
        ("The season has event number 1 already: Trofeo della Lanterna.", "A-01")
    ]
    named = [("The season has an event of this name on that day already.", "A-01")]
    assert faults(row(1, number="2")) == named
    assert faults(other(1), other(2, "Direttissima Alice", number="2")) == named


@db
@both
def test_a_closed_season_takes_no_more_events(cast: Cast) -> None:
    """F-08."""
    season = make_season(2004)
    Season.objects.update(closed_at=NOW)
    [(text, rule)] = faults(row(1))
    assert rule == "F-08"
    assert "2004 is closed" in text
    refusal = refused(make_past, {cast.director: 5}, date(2004, 3, 6))
    assert (refusal.reason, refusal.rule) == ("season_closed", "F-08")
    assert season.events.count() == 0


@db
@both
def test_what_an_event_replaces_is_said_or_proposed(cast: Cast) -> None:
    """H-04: the same town or series, else the same number; a dash is none; each once."""
    [genoa] = bring_in(row(1))
    make_past({cast.director: 75}, date(2004, 9, 4), name="Raduno")  # number 2

    def links(*rows: HistoryRow) -> list[tuple[str, bool]]:
        return [(event.replaces_name, event.proposed) for event in judge(*rows).events]

    lantern = ("2004/1, Trofeo della Lanterna", True)
    assert links(other(1)) == [lantern]  # by its number
    assert links(other(1, number="2")) == [("2004/2, Raduno", True)]
    assert links(other(1, number="2", town="Genova")) == [lantern]
    assert links(other(1, number="5", event="2° Raduno")) == [("2004/2, Raduno", True)]
    assert links(other(1, number="5")) == [("", False)]
    assert links(other(1, kind="pbem")) == [("", False)]  # proposed is one of its kind
    assert links(other(1, replaces="-")) == [("", False)]
    assert links(other(1, replaces="2")) == [("2004/2, Raduno", False)]
    two = [other(1, event="Uno"), other(2, number="2", event="Due", replaces="1")]
    assert links(*two) == [("", False), ("2004/1, Trofeo della Lanterna", False)]
    event = bring_in(*two)[1]
    assert event.replaces == genoa
    twice = "2004/1, Trofeo della Lanterna is replaced by Due already: choose another, or none."
    assert faults(other(1, number="3", replaces="1")) == [(twice, "H-04")]


@db
@both
def test_events_of_one_table_replace_one_another(cast: Cast) -> None:
    """H-04: linked twice is refused, and the row of the table that has it is known."""
    rows = [row(1), other(2, replaces="1"), other(3, number="2", event="Altra", replaces="1")]
    name = "2004/1, Trofeo della Lanterna"
    told = f"{name} is replaced by Coppa dei Trulli already: choose another, or none."
    assert faults(*rows) == [(told, "H-04")]
    old, new = bring_in(*rows[:2])
    assert new.replaces == old


@db
@both
def test_seasons_whose_events_could_replace_the_imported_ones_are_named(cast: Cast) -> None:
    """H-04: links are said on the younger event."""
    services.create_event(
        make_season(2006), "Festa", date(2006, 6, 3), date(2006, 6, 4), cast.sara, NOW
    )
    assert judge(row(1)).to_be_linked == ()  # a draft is in no calendar
    Event.objects.update(status="closed")
    assert judge(row(1)).to_be_linked == (2006,)
    assert judge(row(1, season="2005", starts_on="2005-03-06", ends_on="")).to_be_linked == ()


# --- who is who -----------------------------------------------------------------------------------


@db
@both
def test_of_several_of_one_name_one_is_chosen_for_all_his_rows(cast: Cast) -> None:
    one, two = make_player("Rossi", "Mario"), make_player("Rossi", "Mario")
    rows = [row(1, "Rossi Mario"), other(2, "Mario Rossi"), other(3, "Rossi  Mario", "54")]
    assert [j.verdict for j in judge(*rows).rows] == ["several"] * 3
    for chosen in ({}, {2: one.pk}, {1: cast.director.pk}, {1: NEW_PLAYER}):
        assert refused(bring_in, *rows[:2], chosen=chosen).reason == "choose_player"
    assert refused(bring_in, *rows, chosen={1: one.pk, 2: one.pk}).reason == "player_twice"
    first, second = bring_in(*rows, chosen={1: one.pk, 2: one.pk, 3: two.pk})
    assert [p.player for p in first.places.all()] == [one]
    assert [p.player for p in second.places.all()] == [one, two]


@db
@both
def test_who_is_not_on_the_books_is_registered_once_if_it_is_said(cast: Cast) -> None:
    """The past has people who never had a log-in."""
    rows = [
        row(1, "", surname="Èrcoli", name="Dino"),
        other(2, "De Santis Elio"),
        other(3, "ercoli dino", "54"),
        other(4, "Solo", "39"),
    ]
    report = judge(*rows)
    assert report.unknown == [("Èrcoli", "Dino"), ("De Santis", "Elio"), ("Solo", "")]
    assert refused(bring_in, *rows).reason == "unknown_players"
    bring_in(*rows, create_missing=True, seen=report.fingerprint)
    new = Player.objects.filter(user=None).order_by("sort_key")
    assert [(p.surname, p.name) for p in new] == [
        *(("De Santis", "Elio"), ("Èrcoli", "Dino"), ("Solo", "")),
    ]
    assert new[1].event_places.count() == 2


@db
@both
def test_who_is_like_somebody_is_him_or_another(cast: Cast) -> None:
    franco = make_player("Pellegrino", "Franco")
    rows = [row(1, "Pelegrino Franco"), other(2, "Pelegrino Franco")]
    assert [list(j.players) for j in judge(*rows).rows] == [[franco], [franco]]
    assert refused(bring_in, *rows, create_missing=True).reason == "choose_player"
    assert refused(bring_in, *rows, chosen={1: NEW_PLAYER}).reason == "unknown_players"
    bring_in(rows[0], chosen={1: franco.pk})
    assert franco.event_places.count() == 1
    bring_in(rows[1], chosen={2: NEW_PLAYER}, create_missing=True)
    assert Player.objects.get(surname="Pelegrino").event_places.count() == 1


@db
@both
def test_two_ways_to_write_somebody_new_are_noticed(cast: Cast) -> None:
    report = judge(row(1, "Zanzotto Andrea"), other(2, "Zanzoto Andrea"))
    assert [j.likes for j in report.rows] == [(2,), (1,)]
    assert report.may_be_written()  # they may be two


@db
@both
def test_a_report_that_is_no_longer_true_is_not_carried_out(cast: Cast) -> None:
    seen = judge(row(1, "Nuova Nora")).fingerprint
    make_player("Nuova", "Nora")
    assert refused(bring_in, row(1, "Nuova Nora"), seen=seen).reason == "books_changed"
    seen = judge(row(1)).fingerprint
    make_season(2004)
    assert refused(bring_in, row(1), seen=seen).reason == "books_changed"


@pytest.mark.django_db(transaction=True)
def test_of_two_imports_at_once_one_writes(cast: Cast) -> None:
    rows = [row(1, "Nuova Nora"), other(2)]
    seen = judge(*rows).fingerprint

    def deed() -> list[Event]:
        return bring_in(*rows, seen=seen, create_missing=True)

    done = at_once(deed, deed)
    assert sorted(getattr(each, "reason", "") for each in done) == ["", "books_changed"]
    assert (Event.objects.count(), Player.objects.filter(surname="Nuova").count()) == (2, 1)


# --- a single event -------------------------------------------------------------------------------


@db
@both
def test_a_past_event_that_makes_no_sense_is_refused(cast: Cast) -> None:
    """H-09, A-01, D-05, H-04."""
    season, day = make_season(2004), date(2004, 3, 6)
    place = services.PastPlace(cast.director, 1, 75)

    def write(**more: Any) -> Event:
        given: dict[str, Any] = {
            "name": "Raduno",
            "starts_on": day,
            "ends_on": day,
            "rows": [place],
        }
        return services.record_past_event(season, by=cast.sara, now=NOW, **(given | more))

    old = write(ordinal=4)
    newer = make_draft()
    for more, reason in (
        ({"ordinal": 4}, "ordinal_taken"),
        ({}, "event_exists"),
        ({"name": " "}, "name_missing"),
        ({"ends_on": day - DAY}, "dates_reversed"),
        ({"starts_on": date(2003, 3, 6)}, "outside_season"),
        ({"ends_on": date(2006, 1, 1)}, "dates_too_far"),
        ({"name": "b", "rows": []}, "nobody_played"),
        ({"name": "b", "rows": [place, place]}, "player_twice"),
        ({"name": "b", "rows": [services.PastPlace(cast.director, 0)]}, "bad_place"),
        ({"name": "b", "rows": [services.PastPlace(cast.director, 1, -1)]}, "bad_place"),
        ({"name": "b", "replaces": old}, "not_two_years_before"),
        ({"name": "b", "kind": "cup", "replaces": newer}, "not_official"),
    ):
        assert refused(write, **more).reason == reason, more
    assert write(name="b").ordinal == 5
    future: Any = {
        "season": make_season(2026),
        "name": "c",
        "starts_on": TODAY,
        "ends_on": TODAY + DAY,
    }
    refusal = refused(services.record_past_event, **future, rows=[place], by=cast.sara, now=NOW)
    assert refusal.reason == "future_date"


@db
@both
def test_a_past_event_is_removed_with_a_reason_and_can_come_back(cast: Cast) -> None:
    """H-09, H-04, F-08."""
    old, new = bring_in(row(1, "Nuova Nora"), other(2, replaces="1"), create_missing=True)

    def remove(event: Event, reason: str = "doppione") -> None:
        services.remove_past_event(event, reason, cast.sara, NOW)

    assert refused(remove, old).reason == "is_replaced"
    assert refused(remove, new, " ").reason == "reason_missing"
    assert refused(remove, make_draft()).reason == "not_imported"
    Season.objects.filter(year=2006).update(closed_at=NOW)
    assert refused(remove, new).reason == "season_closed"
    Season.objects.update(closed_at=None)
    removal = Removal.objects.create(
        player=cast.director, level="event", event=new, ruling="x", made_by=cast.sara, made_at=NOW
    )
    assert refused(remove, new).reason == "in_use"
    removal.delete()
    remove(new)
    remove(old)
    assert not Event.objects.filter(imported=True).exists()
    assert EventPlace.objects.count() == 0
    assert Player.objects.filter(surname="Nuova").exists()
    entry = LogEntry.objects.about(Season.objects.get(year=2004)).get(verb="remove_past_event")
    assert entry.data == {
        "event": "Trofeo della Lanterna",
        "number": 1,
        "players": 1,
        "reason": "doppione",
    }
    assert len(bring_in(row(1, "Nuova Nora"), other(2, replaces="1"))) == 2


@db
@both
def test_a_past_event_is_not_opened_again(cast: Cast) -> None:
    """H-09: it has no tables by which anything could be corrected."""
    event = make_past({cast.director: 75}, date(2004, 3, 6))
    by = (cast.sara, NOW)
    assert refused(services.set_status, event, "concluded", *by).reason == "imported"
    assert refused(services.reopen_event, event, "perché sì", *by).reason == "imported"
    assert refused(services.enrol, event, cast.judge, *by).reason == "enrolment_closed"


# --- closed seasons -------------------------------------------------------------------------------


@db
@both
def test_nothing_that_counts_changes_in_a_closed_season(cast: Cast) -> None:
    """F-08: its champions are proclaimed."""
    closed, later = make_season(2026), make_season(2027)
    event = make_draft()
    outside = services.create_event(
        later, "Festa", date(2027, 5, 1), date(2027, 5, 2), cast.sara, NOW
    )
    past = make_past({cast.director: 75}, date(2024, 3, 6))
    Season.objects.filter(pk=closed.pk).update(closed_at=NOW)
    amend = services.amend_event
    by = (cast.sara, NOW)
    days: Any = {"starts_on": date(2026, 5, 1), "ends_on": date(2026, 5, 2)}
    for deed in (
        lambda: services.create_event(closed, "Altra", TODAY, TODAY, *by),
        lambda: amend(event, *by, season=later, **days),
        lambda: amend(outside, *by, season=closed, **days),
        lambda: amend(event, *by, ends_on=TODAY + 2 * DAY),
        lambda: amend(event, *by, kind="friendly"),
        lambda: amend(event, *by, replaces=past),
        lambda: services.set_status(event, "cancelled", *by, reason="x"),
    ):
        refusal = refused(deed)
        assert (refusal.reason, refusal.rule) == ("season_closed", "F-08")
    amend(event, *by, town="Modena")  # where it was played counts for nothing
    Season.objects.update(closed_at=None)
    amend(event, *by, replaces=past)


@db
@both
def test_dates_outside_the_season_and_a_second_link_have_their_article(cast: Cast) -> None:
    """A-01, H-04."""
    past = make_past({cast.director: 75}, date(2024, 3, 6))
    event, second = make_draft(), make_draft()
    by = (cast.sara, NOW)
    services.amend_event(event, *by, replaces=past)
    refusal = refused(services.amend_event, second, *by, replaces=past)
    assert (refusal.reason, refusal.rule) == ("already_replaced", "H-04")
    days: Any = {"starts_on": date(2025, 3, 14), "ends_on": date(2025, 3, 14)}
    refusal = refused(services.amend_event, second, *by, **days)
    assert (refusal.reason, refusal.rule) == ("outside_season", "A-01")


# --- the page that imports ------------------------------------------------------------------------


def upload(content: bytes, name: str = "storia.csv") -> SimpleUploadedFile:
    return SimpleUploadedFile(name, content)


def xlsx(*rows: list[Any]) -> bytes:
    book = Workbook()
    for each in rows:
        book.active.append(each)
    saved = io.BytesIO()
    book.save(saved)
    return saved.getvalue()


def confirm(client: Client, report: Any, **chosen: Any) -> Any:
    return client.post(IMPORT, {"sealed": Page(report).boxes["sealed"], **chosen})


def vectors_as_csv() -> str:
    """The two years before the season of the vectors: an event every four weeks, as a table."""
    people = {each["id"]: each for each in VECTORS["players"]}
    written = io.StringIO()
    sheet = csv.writer(written, delimiter=";")
    sheet.writerow(
        ["Stagione", "N.", "Evento", "Dal", "Al", "Cognome", "Nome", "Punti", "Vittorie"]
    )
    for year in ("2004", "2005"):
        for number, name in enumerate(VECTORS["season_events"][year], start=1):
            day = date(int(year), 1, 10) + timedelta(weeks=4 * number)
            told = VECTORS["history"][name]
            for key in sorted(told["points"].keys() | told["wins"].keys()):
                days = [f"{each:%d/%m/%Y}" for each in (day, day + DAY)]
                who = [people[key]["surname"], people[key]["name"]]
                points = told["points"].get(key)
                amounts = ["" if points is None else f"{points},0", told["wins"].get(key, "")]
                sheet.writerow([year, number, name, *days, *who, *amounts])
    return written.getvalue()


@db
@both
@pytest.mark.parametrize("encoding", ["utf-8-sig", "cp1252"])
def test_the_history_of_the_vectors_gives_their_first_ranking(
    cast: Cast, sara: Client, encoding: str
) -> None:
    """H-09, H-01, H-02, H-03: semicolons, decimal commas, accents; the ranking before 2006."""
    with nothing_written():
        report = sara.post(IMPORT, {"file": upload(vectors_as_csv().encode(encoding))})
    assert report.status_code == 200
    text = Page(report).text
    assert "They make 15 events." in text
    assert "Seasons that are opened: 2004, 2005." in text
    with nothing_written():
        answer = confirm(sara, report)
    assert answer.status_code == 422
    assert "is not on the books" in Page(answer).text
    done = confirm(sara, answer, create_missing="1")
    assert (done.status_code, done["Location"]) == (302, "/eventi/?stagione=2005")
    people = {f"{each['surname']} {each['name']}": each["id"] for each in VECTORS["players"]}
    found = [
        {"place": line.place, "player": people[str(line.player)], "points": line.points}
        for line in ranking_on(date(2006, 1, 1)).rows
    ]

    def key(line: Mapping[str, Any]) -> Any:
        return line["place"], line["player"]

    assert sorted(found, key=key) == sorted(VECTORS["rankings"][0]["ranking"], key=key)


TYPED = (
    "Stagione;Numero;Evento;Primo giorno;Giocatore;Punti\n"
    "2004;1;Raduno;06/03/2004;Binario Bruno;75\n"
)


@db
@both
def test_lines_typed_are_shown_put_right_and_imported(cast: Cast, sara: Client) -> None:
    wrong = f"{TYPED}2004;1;Raduno;06/03/2004;Ignoto <Ugo>;-5\n"
    with nothing_written():
        report = sara.post(IMPORT, {"text": wrong})
    page = Page(report)
    assert report.status_code == 200
    assert "sealed" not in page.boxes
    assert "#row-3" in page.links
    assert "Ignoto &lt;Ugo&gt;;-5</textarea>" in report.content.decode()
    report = sara.post(IMPORT, {"text": TYPED})
    assert confirm(sara, report).status_code == 302
    assert places_of(Event.objects.get()) == [(1, "Binario Bruno", 75, 0)]
    with nothing_written():
        assert confirm(sara, report).status_code == 422


@db
@both
def test_lines_without_titles_are_in_the_order_of_the_columns(cast: Cast, sara: Client) -> None:
    text = "2004;3;Raduno;Modena;6/3/2004;;pbem;Binario Bruno;1;50;2;-\n"
    confirm(sara, sara.post(IMPORT, {"text": text}))
    event = Event.objects.get()
    assert (event.ordinal, event.town, event.kind) == (3, "Modena", "pbem")
    assert places_of(event) == [(1, "Binario Bruno", 50, 2)]


@db
@both
def test_an_xlsx_with_days_and_numbers_is_read(cast: Cast, sara: Client) -> None:
    content = xlsx(
        ["Stagione", "N.", "Evento", "Data", "Cognome", "Nome", "Punti", "Tessera"],
        [2004, 1.0, "Raduno", datetime(2004, 3, 6), "Binario", "Bruno", 75.0, 9],  # noqa: DTZ001
    )
    report = sara.post(IMPORT, {"file": upload(content, "storia.xlsx")})
    assert "Columns left aside: Tessera" in Page(report).text
    assert confirm(sara, report).status_code == 302
    assert Event.objects.get().starts_on == date(2004, 3, 6)


@db
@both
def test_who_is_who_is_chosen_on_the_page(cast: Cast, sara: Client) -> None:
    make_player("Rossi", "Mario")
    two = services.register_player("Rossi", "Mario", cast.sara, NOW, town="Forlì")
    text = TYPED.replace("Binario Bruno", "Rossi Mario")
    report = sara.post(IMPORT, {"text": text})
    assert "Rossi Mario, Forlì" in Page(report).text
    for chosen in ("", "x", str(cast.director.pk), "9" * 30):
        with nothing_written():
            answer = confirm(sara, report, **{"player-2": chosen})
        assert answer.status_code == 422
        assert "say which Rossi Mario" in Page(answer).text
    assert confirm(sara, report, **{"player-2": two.pk}).status_code == 302
    assert places_of(Event.objects.get()) == [(1, "Rossi Mario", 75, 0)]
    assert two.event_places.count() == 1


@db
@both
@pytest.mark.parametrize(
    "form",
    [
        {},
        {"text": "  \n"},
        {"text": "Stagione;Evento\n2004;Raduno"},
        {"text": '"2004;1'},
        {"text": "2004\0;1"},
        {"text": "a;1\n" * 2001},
        {"text": "x" * 200_001},
        {"file": upload(b"")},
        {"file": upload(b"Stagione\n2004\n"), "text": TYPED},
        {"file": upload(b"\x89PNG\r\n\x1a\n")},
        {"file": upload(xlsx(["Stagione"], ["2004"])[:300], "r.xlsx")},
        {"file": "a text"},
    ],
    ids=lambda form: str(form)[:40],
)
def test_what_is_no_history_is_refused_in_words(
    cast: Cast, sara: Client, form: dict[str, Any]
) -> None:
    if "file" in form and not isinstance(form["file"], str):
        form["file"].seek(0)
    with nothing_written():
        answer = sara.post(IMPORT, form)
    assert answer.status_code == 422
    said = [str(e) for errors in answer.context["form"].errors.values() for e in errors]
    assert said
    assert " ".join(said[0].split()) in Page(answer).text


@db
@both
def test_what_was_carried_is_taken_from_nobody_else(cast: Cast, sara: Client) -> None:
    kept = {"rows": [], "seen": "", "text": ""}
    foreign = web.seal(kept, "import_history", cast.alice)
    another = web.seal(kept, "import_players", cast.sara)
    for forged in ("", "x:y:z", foreign, another):
        with nothing_written():
            answer = sara.post(IMPORT, {"sealed": forged})
        assert answer.status_code == 422
        assert 'role="alert"' in answer.content.decode()


@db
@both
def test_only_a_secretary_imports_and_removes(cast: Cast) -> None:
    past = make_past({cast.director: 75}, date(2004, 3, 6))
    for user, status in ((None, 302), (cast.bruno, 404), (cast.alice, 404), (cast.dino, 404)):
        client = visitor(user)
        with nothing_written():
            assert client.get(IMPORT).status_code == status
            assert client.post(IMPORT, {"text": TYPED}).status_code == status
            gone = client.post(f"/eventi/{past.pk}/rimozione/", {"reason": "x"})
            assert gone.status_code == status
        assert "Remove the event" not in Page(client.get(f"/eventi/{past.pk}/")).text
    assert IMPORT in Page(visitor(cast.sara).get("/stagioni/")).links


@db
@both
@pytest.mark.parametrize("language", ["it", "en"])
def test_the_table_to_fill_in_is_understood_when_it_comes_back(cast: Cast, language: str) -> None:
    client = visitor(cast.sara, language)
    template = client.get(f"{IMPORT}modello.csv")
    assert template["Content-Type"] == "text/csv; charset=utf-8"
    filled = f"{template.content.decode()}2004;1;Raduno;Modena;6/3/2004;;;1;75;2;-;Binario;Bruno\n"
    report = client.post(IMPORT, {"file": upload(filled.encode())})
    assert report.context["ignored"] == ()
    assert confirm(client, report).status_code == 302
    assert places_of(Event.objects.get()) == [(1, "Binario Bruno", 75, 2)]


# --- the pages of a past event --------------------------------------------------------------------


@pytest.fixture
def past(cast: Cast) -> Event:
    points = {cast.bruno.player: 75, cast.director: 54, cast.judge: 39}
    return make_past(points, date(2004, 3, 6), wins={cast.director: 2})


def rows_of(answer: Any) -> list[tuple[Any, ...]]:
    return [(r.place, str(r.player or "–"), r.points, r.wins) for r in answer.context["rows"]]


@db
@both
def test_a_past_event_shows_its_places_and_no_buttons(cast: Cast, past: Event) -> None:
    """H-09."""
    expected = [
        (1, "Binario Bruno", 75, 0),
        (2, "Direttissima Alice", 54, 2),
        (3, "Carrozza Carla", 39, 0),
    ]
    for user in (None, cast.bruno, cast.sara):
        client = visitor(user)
        for address in (f"/eventi/{past.pk}/", f"/eventi/{past.pk}/classifica/"):
            answer = client.get(address)
            page = Page(answer)
            assert rows_of(answer) == expected
            assert "from the history" in page.text
            for word in ("iscritti", "appello", "prove", "stato", "omologazione", "in-gioco"):
                assert not any(f"/{past.pk}/{word}" in link for link in page.links), word
            assert ("Remove the event" in page.text) == (
                user == cast.sara and not address.endswith("classifica/")
            )
    mine = visitor(cast.bruno).get(f"/eventi/{past.pk}/").content.decode()
    assert 'class="me" id="me"' in mine
    written = visitor().get(f"/eventi/{past.pk}/classifica.csv").content.decode("utf-8-sig")
    assert list(csv.reader(io.StringIO(written), delimiter=";")) == [
        ["Place", "Surname", "First name", "Event points", "Games won"],
        ["1", "Binario", "Bruno", "75", "0"],
        ["2", "Direttissima", "Alice", "54", "2"],
        ["3", "Carrozza", "Carla", "39", "0"],
    ]
    assert visitor().get(f"/eventi/{past.pk}/classifica/?prova=1").status_code == 404


@db
@both
@pytest.mark.parametrize(
    "page",
    [
        *("event_edit", "event_prove", "event_status", "event_contribution", "roll_call"),
        *("entry_list", "entry_csv", "entry_add", "entry_newcomer", "enrol_me", "event_screen"),
        *("waiting_tables", "event_close"),
    ],
)
def test_the_desk_of_a_past_event_refuses_in_words(cast: Cast, past: Event, page: str) -> None:
    client = visitor(cast.sara)
    address = reverse(page, args=[past.pk])
    for answer in (client.get(address), client.post(address, {"reopen": "1", "reason": "x"})):
        if answer.status_code == 405:  # a page that is only looked at
            continue
        assert answer.status_code == 422
        assert "is of the history" in Page(answer).text
        assert f"/eventi/{past.pk}/" in Page(answer).links
    past.refresh_from_db()
    assert past.status == "closed"


@db
@both
def test_the_secretary_removes_it_from_its_page(cast: Cast, past: Event, sara: Client) -> None:
    address = f"/eventi/{past.pk}/rimozione/"
    assert sara.get(address)["Location"] == f"/eventi/{past.pk}/"
    for reason in ("", "  ", "x" * 201):
        with nothing_written():
            answer = sara.post(address, {"reason": reason})
        assert answer.status_code == 422
        assert "Say why the event is removed" in Page(answer).text
    answer = sara.post(address, {"reason": "doppione"})
    assert (answer.status_code, answer["Location"]) == (302, "/eventi/?stagione=2004")
    assert sara.get(address).status_code == 404
    assert sara.post(f"/eventi/{make_draft().pk}/rimozione/", {"reason": "x"}).status_code == 404


# --- who is struck off ----------------------------------------------------------------------------


def strike_off(player: Player, cast: Cast) -> None:
    Removal.objects.create(
        player=player, level="all", ruling="13.2", made_by=cast.sara, made_at=NOW + 9 * DAY
    )


@db
@both
def test_who_is_struck_off_keeps_his_place_and_has_no_name(cast: Cast, past: Event) -> None:
    """O-16: in the history and in closed seasons an anonymous struck row keeps the places."""
    strike_off(cast.bruno.player, cast)
    for address in ("", "classifica/"):
        answer = visitor(cast.bruno).get(f"/eventi/{past.pk}/{address}")
        assert rows_of(answer)[0] == (1, "–", 75, 0)
        text = answer.content.decode().partition("<main")[2]
        assert "Binario" not in text
        assert "<del>a player struck off</del>" in text
        assert "#me" not in Page(answer).links
    written = visitor().get(f"/eventi/{past.pk}/classifica.csv").content.decode()
    assert "1;a player struck off;;75;0" in written
    assert "Binario" not in written


@db
@both
def test_he_has_no_name_in_the_standing_of_an_event_that_was_played(cast: Cast) -> None:
    """O-16: nor in what explains the place of who is level with him."""
    event = make_event(players=3)
    record(tables_of(event)[0], 900, 900, 300, tie_checked=True)
    services.close_event(event, cast.alice, NOW)
    Season.objects.update(closed_at=NOW)
    strike_off(cast.bruno.player, cast)
    page = visitor().get(f"/eventi/{event.pk}/classifica/").content.decode().partition("<main")[2]
    assert "Bruno" not in page
    assert "a player struck off" in page
    assert "Passeggero" in page
    written = visitor().get(f"/eventi/{event.pk}/classifica.csv").content.decode()
    assert "Bruno" not in written
    assert "1;a player struck off;;" in written
