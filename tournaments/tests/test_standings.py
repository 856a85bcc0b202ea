"""How events stand and are closed, through the services and the pages."""

from __future__ import annotations

from decimal import Decimal
from typing import Any

import pytest
from django.core.management import CommandError, call_command
from django.urls import reverse
from django.utils.text import slugify

from figf.errors import Refused
from figf.models import LogEntry
from figf.tests.cast import (
    DAY,
    NOW,
    Cast,
    Page,
    at_once,
    make_cast,
    make_event,
    make_hall,
    make_past,
    make_sketch,
    record,
    tables_of,
    visitor,
)
from rankings.services import close_season
from tournaments import services, texts
from tournaments.models import Event, Player, Removal
from tournaments.tests.test_seating import SEASON, Season, refusal

pytestmark = pytest.mark.django_db
both = pytest.mark.both
threads = pytest.mark.django_db(transaction=True)


@pytest.fixture
def cast() -> Cast:
    return make_cast()


def played(cast: Cast) -> Event:
    """Four people, one table: 7500, 7200, 6600, 0 are 1540, 960, 880, 0; FE 2."""
    sketch = make_sketch(make_hall(4))
    services.publish_round(sketch, sketch.edition, cast.alice, NOW)
    record(tables_of(sketch.event)[0], 7500, 7200, 6600, 0)
    return Event.objects.get(pk=sketch.event.pk)


def told(event: Event, ranking: dict[int, int] | None = None) -> list[tuple[Any, ...]]:
    standing = services.standing_of(event, ranking or {})
    return [
        (row.place, str(standing.players[int(row.key)])[-2:], row.total, standing.points[row.key])
        for row in standing.rows
    ]


# --- the season of the vectors --------------------------------------------------------------------


def test_the_eight_events_of_the_season_stand_and_close_as_the_vectors_say(cast: Cast) -> None:
    """D-01..D-10, G-03, C-10..C-13: exclusion, substitute, referee's seat, removal, double round;
    what a closed season would keep is what is computed."""
    season = Season(cast)
    before = None
    for number, plan in enumerate(SEASON["events"]):
        season.play(plan, number, before)
        event = Event.objects.get(name=plan["name"])
        for gone in plan["removed_from_event"]:
            Removal.objects.create(
                player=season.players[gone],
                level="event",
                event=event,
                ruling="13",
                made_by=cast.sara,
                made_at=NOW,
            )
        ranking = season.rankings[before]
        services.close_event(event, cast.sara, NOW)
        standing = services.standing_of(event, ranking)
        found = [
            {
                "place": row.place,
                "player": season.ids[int(row.key)],
                "total": f"{row.total:.2f}",
                "best": f"{row.best:.2f}",
                "points": standing.points[row.key],
            }
            for row in standing.rows
        ]
        order = lambda row: (row["place"], row["player"])  # noqa: E731 - used twice, here
        assert sorted(found, key=order) == sorted(plan["standing"], key=order), plan["id"]
        won = {season.ids[int(key)]: wins for key, wins in standing.wins.items() if wins}
        assert won == plan["wins"], plan["id"]
        services.keep_places(event, ranking)
        assert services.differences(event, ranking) == []
        event.places.all().delete()
        before = plan["id"]


# --- closing and opening again --------------------------------------------------------------------


@both
def test_an_event_is_closed_with_places_and_points(cast: Cast) -> None:
    """D-05, D-09, D-11: FE 2 makes 50, 36, 26, 18."""
    event = services.close_event(played(cast), cast.alice, NOW)
    assert event.status == Event.Status.CLOSED
    assert [(row[0], row[2], row[3]) for row in told(event)] == [
        (1, 1540, 50),
        (2, 960, 36),
        (3, 880, 26),
        (4, 0, 18),
    ]
    assert not event.places.exists()  # they are written down when the season is closed
    again = refusal(lambda: services.close_event(event, cast.alice, NOW))
    assert (again.reason, again.rule) == ("already_closed", "D-11")
    (table,) = tables_of(event)
    late = refusal(lambda: record(table, 1, 2, 3, 4, version=1, reason="x"))
    assert late.reason == "event_not_running"


@both
def test_what_is_not_complete_or_not_valid_is_not_closed(cast: Cast) -> None:
    """A-09, D-11"""
    event = make_event(players=8)
    refused = refusal(lambda: services.close_event(event, cast.alice, NOW))
    assert (refused.reason, refused.rule) == ("results_missing", "D-11")
    for table in tables_of(event):
        record(table, 7500, 7200, 6600, 0)
    services.add_prova(event, event.prove.get().title, cast.sara, NOW)
    refused = refusal(lambda: services.close_event(event, cast.alice, NOW))
    assert (refused.reason, refused.rule) == ("results_missing", "D-11")
    services.remove_prova(event.prove.get(order=2), cast.sara, NOW)
    Event.objects.filter(pk=event.pk).update(director=None)
    refused = refusal(lambda: services.close_event(event, cast.alice, NOW))
    assert (refused.reason, refused.rule) == ("director_missing", "A-09")


@both
def test_a_closed_event_is_opened_again_with_a_reason(cast: Cast) -> None:
    event = services.close_event(played(cast), cast.alice, NOW)
    assert refusal(lambda: services.reopen_event(event, " ", cast.alice, NOW)).reason == (
        "reason_missing"
    )
    opened = services.reopen_event(event, "totale sbagliato", cast.alice, NOW)
    assert opened.status == Event.Status.CONCLUDED
    assert refusal(lambda: services.reopen_event(opened, "x", cast.alice, NOW)).reason == (
        "not_closed"
    )
    assert LogEntry.objects.filter(verb="reopen_event").get().data["reason"] == "totale sbagliato"
    (table,) = tables_of(event)
    record(table, 7500, 7200, 6600, 660, version=1, reason="totale sbagliato")
    assert told(opened)[3][2] == Decimal("88.00")


@threads
def test_two_hands_close_once(cast: Cast) -> None:
    event = played(cast)
    outcome = at_once(*[lambda: services.close_event(event, cast.alice, NOW)] * 4)
    assert sum(isinstance(each, Event) for each in outcome) == 1
    assert {each.reason for each in outcome if isinstance(each, Refused)} == {"already_closed"}


@threads
def test_a_correction_and_a_closing_at_once_agree(cast: Cast) -> None:
    """Whichever comes first: the event is closed, corrected before or not at all."""
    event = played(cast)
    (table,) = tables_of(event)
    at_once(
        lambda: services.close_event(event, cast.alice, NOW),
        lambda: record(table, 7500, 7200, 6600, 660, version=1, reason="x"),
    )
    event.refresh_from_db()
    assert event.status == Event.Status.CLOSED


@both
def test_the_lower_ranking_goes_first_and_who_is_level_shares_the_place(cast: Cast) -> None:
    """G-03, D-07: two tables alike; the ranking of before the event tells them apart, or nobody."""
    event = make_event(players=8)
    one, two = tables_of(event)
    record(one, 7500, 7200, 6600, 0)
    record(two, 7500, 7200, 6600, 0)
    assert [row[0] for row in told(event)] == [1, 1, 3, 3, 5, 5, 7, 7]
    assert [row[3] for row in told(event)] == [50, 50, 26, 26, 12, 12, 6, 6]
    bruno = cast.bruno.player
    assert [row[0] for row in told(event, {bruno.pk: 10})][:2] == [1, 2]
    assert told(event, {bruno.pk: 10})[1][1] == "no"  # Binario Bruno is the second


# --- the command ----------------------------------------------------------------------------------


@both
def test_a_command_proves_that_what_is_stored_is_what_is_computed(
    cast: Cast, capsys: pytest.CaptureFixture[str]
) -> None:
    event = services.close_event(played(cast), cast.alice, NOW)
    close_season(event.season, cast.sara, NOW)
    call_command("check_standings")
    assert "1 closed seasons, no difference" in capsys.readouterr().out
    event.places.filter(place=2).update(points=37)
    with pytest.raises(CommandError):
        call_command("check_standings")
    assert "stored (2, 96000, 96000, 37, 0)" in capsys.readouterr().err


# --- pages ----------------------------------------------------------------------------------------


@both
def test_the_standing_is_public_and_says_what_is_missing(cast: Cast) -> None:
    """D-04"""
    event = make_event(players=8)
    record(tables_of(event)[0], 7500, 7200, 6600, 0)
    address = reverse("event_standing", args=[event.pk])
    page = Page(visitor().get(address))
    assert "Provisional." in page.text
    assert "1830, table 2" in page.text
    assert "Binario Bruno" in page.text
    assert "1540" in page.text
    assert "Close and validate" not in page.text
    assert "Close and validate" not in Page(visitor(cast.alice).get(address)).text


@both
def test_the_ranking_before_the_event_separates_equals_on_the_page(cast: Cast) -> None:
    event = make_event(players=8)
    for table in tables_of(event):
        record(table, 7500, 7200, 6600, 0)
    bruno: Player = cast.bruno.player
    make_past({bruno: 10}, event.starts_on - DAY)
    address = reverse("event_standing", args=[event.pk])
    page = Page(visitor().get(address))
    assert page.text.index("Passeggero") < page.text.index("Binario Bruno")
    assert "G-03" in page.text


@both
def test_the_director_closes_and_opens_again_by_the_page(cast: Cast) -> None:
    event = played(cast)
    address = reverse("event_close", args=[event.pk])
    client = visitor(cast.alice)
    assert client.post(address).status_code == 302
    page = Page(client.get(reverse("event_standing", args=[event.pk])))
    assert "closed and validated" in page.text
    assert client.post(address).status_code == 422
    assert client.post(address, {"reopen": "1", "reason": ""}).status_code == 422
    assert client.post(address, {"reopen": "1", "reason": "Totale del 3"}).status_code == 302
    standing = reverse("event_standing", args=[event.pk])
    told = "Opened again by Alice"
    assert told in Page(client.get(standing)).text
    assert ": Totale del 3." in Page(client.get(standing)).text
    assert told not in Page(visitor().get(standing)).text
    for user in (cast.bruno, cast.carla, cast.dino):
        assert visitor(user).post(address).status_code == 404
    assert visitor().post(address).status_code == 302


@both
def test_what_is_asked_of_a_standing_that_does_not_exist_is_not_found(cast: Cast) -> None:
    event = played(cast)
    address = reverse("event_standing", args=[event.pk])
    for query, status in [
        ("?prova=1", 200),
        ("?prova=1&turno=1", 200),
        ("?prova=2", 404),
        ("?prova=1&turno=2", 404),
        ("?turno=1", 404),
        ("?prova=x", 404),
        ("?prova=99999999999", 404),
        ("?prova=%00", 404),
    ]:
        assert visitor().get(address + query).status_code == status, query


@both
def test_the_standing_is_taken_away_as_csv(cast: Cast) -> None:
    event = played(cast)
    body = visitor().get(reverse("event_standing_csv", args=[event.pk])).content.decode("utf-8-sig")
    lines = body.splitlines()
    assert lines[0] == "Place;Surname;First name;1830;Total;Event points;Games won"
    assert lines[1] == "1;Passeggero 01;;1540.00;1540.00;50;1"


@both
def test_a_prova_is_taken_away_alone_without_event_points_and_in_the_reader_s_decimals(
    cast: Cast,
) -> None:
    """7500, 7201, 6600 and 0: 1000 × 7201 ÷ 7500 is 960.13; the first has 1500 + 39.87."""
    sketch = make_sketch(make_hall(4))
    services.publish_round(sketch, sketch.edition, cast.alice, NOW)
    record(tables_of(sketch.event)[0], 7500, 7201, 6600, 0)
    address = reverse("event_standing_csv", args=[sketch.event.pk]) + "?prova=1"
    for language, figures in (("it", ["1539,87", "960,13"]), ("en", ["1539.87", "960.13"])):
        answer = visitor(None, language).get(address)
        name = f"classifica-{slugify(sketch.event.name)}-prova-1.csv"
        assert answer["Content-Disposition"] == f'attachment; filename="{name}"'
        _titles, *lines = answer.content.decode("utf-8-sig").splitlines()
        assert [line.split(";")[3:] for line in lines][:2] == [
            [figures[0], figures[0], "1"],
            [figures[1], figures[1], "0"],
        ]
    assert visitor().get(address.replace("prova=1", "prova=2")).status_code == 404


@both
def test_a_row_of_the_standing_opens_into_its_addition_and_its_points(cast: Cast) -> None:
    """D-01, D-05, D-06: of one prova FE 2: 25 × 2 = 50; the tenth 0.4 × 2 = 0.8, which is 1."""
    event = make_event(players=12)
    for table in tables_of(event):
        record(table, 7500, 7200, 6600, 0)
    text = " ".join(Page(visitor().get(reverse("event_standing", args=[event.pk]))).text.split())
    assert "Event points of place 1: base 25 × event factor 2 = 50. D-05" in text
    assert "Event points of place 10: base 0.4 × event factor 2 = 0.8. D-05" in text
    assert "Event points are the nearest whole number: 1. D-06" in text
    assert "1830 1540 Sum of the percentiles: 1540, place 1. D-01" in text


@both
def test_who_played_two_prove_sees_what_is_added_up(cast: Cast) -> None:
    """D-01: 1540 + 1540 = 3080 for who is first twice."""
    season = Season(cast)
    plan = SEASON["events"][0]
    season.play(plan, 0, None)
    event = Event.objects.get(name=plan["name"])
    standing = services.standing_of(event, {})
    first = standing.rows[0]
    parts = [points for _round, points in first.points if points is not None]
    page = Page(visitor().get(reverse("event_standing", args=[event.pk])))
    addition = " + ".join(texts.number(part) for part in parts)
    assert f"{addition} = {texts.number(sum(parts))}, place 1." in page.text


@both
def test_the_state_of_a_closed_event_says_where_it_is_opened_again(cast: Cast) -> None:
    event = services.close_event(played(cast), cast.alice, NOW)
    there = reverse("event_standing", args=[event.pk]) + "#reopen"
    alice = visitor(cast.alice)
    for page in ("event_status", "event"):
        assert there in Page(alice.get(reverse(page, args=[event.pk]))).links, page
    assert 'id="reopen"' in alice.get(there.partition("#")[0]).content.decode()
    assert there not in Page(visitor().get(reverse("event", args=[event.pk]))).links


@both
def test_a_missing_reason_is_told_at_its_own_box(cast: Cast) -> None:
    event = services.close_event(played(cast), cast.alice, NOW)
    answer = visitor(cast.alice).post(
        reverse("event_close", args=[event.pk]), {"reopen": "1", "reason": " "}
    )
    assert answer.status_code == 422
    content = answer.content.decode()
    assert content.count("Say why the event is opened again.") == 1
    assert 'aria-describedby="reason-error"' in content


def test_an_event_that_has_not_begun_is_not_closed(cast: Cast) -> None:
    """A-01, D-11: with the days of another moment it would end before it begins."""
    event = make_event(players=3, now=NOW + 20 * DAY)
    record(tables_of(event)[0], 7500, 7200, 6600)
    with pytest.raises(Refused) as refused:
        services.close_event(event, cast.alice, NOW)
    assert refused.value.reason == "not_begun"
    services.close_event(event, cast.alice, NOW + 20 * DAY)
