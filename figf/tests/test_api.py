"""The API: what it says, by hand; what it never says; and that no request breaks it."""

from __future__ import annotations

import json
from collections.abc import Iterator
from typing import Any

import pytest
import schemathesis
from django.core.cache import cache
from django.core.management import call_command
from django.core.signals import request_finished, request_started
from django.core.wsgi import get_wsgi_application
from django.db import close_old_connections, connection
from django.test import Client
from django.test.utils import CaptureQueriesContext
from django.urls import reverse
from django.utils import timezone
from hypothesis import HealthCheck, Phase, given
from hypothesis import settings as hypothesis_settings
from pytest_django import Settings
from schemathesis.generation.modes import GenerationMode
from schemathesis.specs.openapi import checks

from figf.api import docs
from figf.tests.cast import (
    DAY,
    NOW,
    TODAY,
    Cast,
    Federation,
    Page,
    make_cast,
    make_event,
    make_federation,
    make_honour,
    make_past,
    make_player,
    make_season,
    make_title,
    record,
    tables_of,
    visitor,
)
from rankings import services as rankings
from tournaments import services
from tournaments.models import Club, Event, Player, Round

db = pytest.mark.django_db
both = pytest.mark.both
HERE = "http://testserver"


CHECKS = [
    schemathesis.checks.not_a_server_error,
    checks.status_code_conformance,
    checks.content_type_conformance,
    checks.response_headers_conformance,
    checks.response_schema_conformance,
]


@pytest.fixture
def cast() -> Cast:
    return make_cast()


@pytest.fixture
def federation() -> Federation:
    return make_federation(timezone.now())


def get(name: str, *where: object, **asked: Any) -> Any:
    """What an address answers, read; it must answer."""
    answer = Client().get(reverse(f"api_{name}", args=where), asked)
    assert answer.status_code == 200, answer.content
    return answer.json()


def refused(address: str, **more: Any) -> tuple[int, Any]:
    answer = Client().get(address, **more)
    assert answer["Content-Type"] == "application/json", address
    return answer.status_code, answer.json()


def played(cast: Cast, players: tuple[Player, ...] = ()) -> Event:
    """A closed event of one table: Bruno wins, 1540, 960, 880, 0; FE 2: 50, 36, 26, 18."""
    event = make_event(players=players or 4)
    record(tables_of(event)[0], 7500, 7200, 6600, 0)
    return services.close_event(event, cast.alice, NOW)


def everything(f: Federation) -> list[str]:
    """An address of each kind, with something to say."""
    return [
        reverse(f"api_{name}", args=where)
        for name, where in (
            *((name, ()) for name in ("schema", "events", "players", "clubs", "titles")),
            *((name, ()) for name in ("seasons", "ranking", "honours", "publications")),
            *((name, (f.event.pk,)) for name in ("event", "event_standing")),
            *((name, (f.past.pk,)) for name in ("event", "event_standing")),
            ("event", (f.hall.pk,)),
            ("table", (f.played.pk,)),
            ("table", (f.playing.pk,)),
            *((name, (f.cast.bruno.player.pk,)) for name in ("player", "player_results")),
            ("absolute", (f.event.season.year,)),
            ("absolute", (f.honour.season.year,)),
            ("specialty", (f.event.season.year, "1830")),
            ("publication", (f.publication.number,)),
        )
    ]


# --- what it says ---------------------------------------------------------------------------------


@db
@both
def test_an_event_its_table_and_its_standing(cast: Cast) -> None:
    """C-01, C-02, D-01, D-05: 7200 ÷ 7500 = 0.96, 6600 ÷ 7500 = 0.88; 25, 18, 13, 9 times two."""
    event = played(cast)
    (table,) = tables_of(event)
    names = ["Binario Bruno", *(f"Passeggero {n:03}" for n in range(4, 7))]
    people = [Player.objects.get(sort_key__contains=n.split()[-1].casefold()).pk for n in names]

    whole = get("event", event.pk)
    assert whole["url"] == f"{HERE}/eventi/{event.pk}/"
    assert (whole["status"], whole["season"], whole["factor"]) == ("closed", 2026, 2)
    assert (whole["starts_on"], whole["ends_on"]) == ("2026-03-14", "2026-03-14")
    assert whole["director"] == {"player": cast.director.pk, "name": "Direttissima Alice"}
    (prova,) = whole["prove"]
    assert (prova["title"], prova["planned"]) == ("1830", 1)
    assert [seated["tables"] for seated in prova["rounds"]] == [[table.pk]]

    told = get("table", table.pk)
    assert (told["event"], told["prova"], told["round"], told["number"]) == (event.pk, 1, 1, 1)
    assert told["status"] == "confirmed"
    assert told["referee"] == {"player": cast.judge.pk, "name": "Carrozza Carla"}
    assert [seat["holders"][0]["player"] for seat in told["seats"]] == people
    lines = told["result"]["lines"]
    assert [line["player"] for line in lines] == people
    assert [line["total"] for line in lines] == [7500, 7200, 6600, 0]
    assert [line["percentile"] for line in lines] == ["1540.00", "960.00", "880.00", "0.00"]
    assert [line["win"] for line in lines] == [True, False, False, False]
    assert told["result"]["confirmed_at"] == "2026-03-14T15:00:00Z"

    standing = get("event_standing", event.pk)
    assert (standing["provisional"], standing["closed"], standing["missing"]) == (False, True, [])
    assert [row["name"] for row in standing["rows"]] == names
    assert [row["place"] for row in standing["rows"]] == [1, 2, 3, 4]
    assert [row["total"] for row in standing["rows"]] == ["1540.00", "960.00", "880.00", "0.00"]
    assert [row["event_points"] for row in standing["rows"]] == [50, 36, 26, 18]
    assert [row["wins"] for row in standing["rows"]] == [1, 0, 0, 0]
    assert standing["rows"][0]["rounds"] == [{"prova": 1, "round": 1, "percentile": "1540.00"}]
    part = get("event_standing", event.pk, prova=1, round=1)
    assert (part["prova"], part["round"]) == (1, 1)
    assert [row["event_points"] for row in part["rows"]] == [None] * 4


@db
def test_a_standing_says_what_it_waits_for(cast: Cast) -> None:
    """D-04"""
    first, second = tables_of(event := make_event(players=8))
    record(first, 7500, 7200, 6600, 0)
    standing = get("event_standing", event.pk)
    assert (standing["provisional"], standing["closed"]) == (True, False)
    assert standing["missing"] == [second.pk]
    assert len(standing["rows"]) == 4
    assert get("table", second.pk)["result"] is None


@db
@both
def test_the_standings_of_a_season(cast: Cast) -> None:
    """E-01, F-01, H-01, H-02: fifty points, and ten more in the ranking for the game won."""
    event = played(cast)
    absolute = get("absolute", 2026)
    assert absolute["events"] == [{"event": event.pk, "name": event.name}]
    assert [row["total"] for row in absolute["rows"]] == [50, 36, 26, 18]
    assert absolute["rows"][0]["scores"] == [50]
    assert absolute["rows"][0]["player"] == cast.bruno.player.pk
    specialty = get("specialty", 2026, "1830")
    assert [row["total"] for row in specialty["rows"]] == ["1540.00", "960.00", "880.00", "0.00"]
    assert specialty["rows"][0]["counted"] == ["1540.00"]
    ranking = get("ranking", on="2026-03-15")
    assert (ranking["on"], ranking["as_of"]) == ("2026-03-15", "2026-03-14")
    assert [(row["place"], row["points"]) for row in ranking["rows"]] == [
        (1, 60),
        (2, 36),
        (3, 26),
        (4, 18),
    ]
    (worth,) = ranking["rows"][0]["events"]
    assert (worth["event"], worth["points"], worth["games_won"], worth["worth"]) == (
        *(event.pk, 50, 1),
        60,
    )
    assert get("ranking", on="2026-03-13")["rows"] == []


@db
def test_the_exports_of_the_pages_have_the_same_rows(cast: Cast) -> None:
    played(cast)
    page = Client()
    for address, rows in (
        ("/ranking.json?al=2026-03-15", get("ranking", on="2026-03-15")["rows"]),
        ("/stagioni/2026/assoluta.json", get("absolute", 2026)["rows"]),
        ("/stagioni/2026/specialita/1830.json", get("specialty", 2026, "1830")["rows"]),
    ):
        assert page.get(address).json()["rows"] == rows


@db
def test_a_player_and_what_he_played(cast: Cast) -> None:
    """H-09: of an event of the history there are place, points and games won."""
    bruno = cast.bruno.player
    club = Club.objects.create(name="Circolo del Fischio", town="Valbinario")
    Player.objects.filter(pk=bruno.pk).update(club=club)
    past = make_past({bruno: 75}, TODAY - 400 * DAY, wins={bruno: 2})
    event = played(cast)
    (table,) = tables_of(event)
    assert get("player", bruno.pk) == {
        "id": bruno.pk,
        "url": f"{HERE}/giocatori/{bruno.pk}/",
        "name": "Binario Bruno",
        "surname": "Binario",
        "first_name": "Bruno",
        "club": "Circolo del Fischio",
        "club_id": club.pk,
    }
    game, old = get("player_results", bruno.pk)["results"]
    assert (game["table"], game["title"], game["percentile"]) == (table.pk, "1830", "1540.00")
    assert (game["place"], game["wins"], game["total"], game["dash"]) == (1, 1, 7500, "")
    assert (old["event"], old["table"], old["percentile"]) == (past.pk, None, None)
    assert (old["place"], old["event_points"], old["wins"]) == (1, 75, 2)
    (row,) = get("event_standing", past.pk)["rows"]
    assert (row["name"], row["event_points"], row["wins"]) == ("Binario Bruno", 75, 2)
    assert (row["total"], row["rounds"]) == (None, [])
    assert [each["name"] for each in get("clubs")["results"]] == ["Circolo del Fischio"]


@db
def test_titles_seasons_honours_and_publications(cast: Cast) -> None:
    """A-13, E-10, F-08"""
    honour = make_honour(cast.judge)
    played(cast)
    published = rankings.publish("absolute", cast.sara, NOW, season=make_season())
    assert [each["code"] for each in get("titles")["results"]] == ["1830"]
    assert [(each["year"], each["closed"]) for each in get("seasons")["results"]] == [
        (2026, False),
        (2010, True),
    ]
    rolls = {each["season"]: each for each in get("honours")["seasons"]}
    assert [(each["award"], each["title"], each["name"]) for each in rolls[2010]["honours"]] == [
        ("absolute", None, "Carrozza Carla"),
        ("specialty", "1830", "Carrozza Carla"),
    ]
    assert rolls[2010]["honours"][1]["player"] == honour.player_id
    (won,) = rolls[2026]["winners"]
    assert [each["name"] for each in won["players"]] == ["Binario Bruno"]
    (brief,) = get("publications")["results"]
    whole = get("publication", published.number)
    assert {name: whole[name] for name in brief} == brief
    assert (whole["kind"], whole["season"], whole["state"]) == ("absolute", 2026, "provisional")
    assert [(each["name"], each["total"]) for each in whole["lines"][:2]] == [
        ("Binario Bruno", "50.00"),
        ("Passeggero 004", "36.00"),
    ]
    assert whole["lines"][0]["parts"] == ["50"]


@db
def test_events_are_found_by_season_kind_status_title_and_day(cast: Cast) -> None:
    past = make_past({cast.judge: 10}, TODAY - 400 * DAY)
    make_title("1830")
    event = make_event(players=4, title="1856")
    for asked, found in (
        ({}, [event, past]),
        ({"season": 2026}, [event]),
        ({"season": 2031}, []),
        ({"kind": "live"}, [event, past]),
        ({"kind": "pbem"}, []),
        ({"status": "running"}, [event]),
        ({"title": "1856"}, [event]),
        ({"title": "1830"}, []),
        ({"since": "2026-03-15"}, [event]),  # it ends on that day
        ({"since": "2026-03-16"}, []),
        ({"until": "2026-03-14"}, [event, past]),
        ({"until": "2026-03-13"}, [past]),
        ({"season": 2026, "status": "closed"}, []),
    ):
        assert [each["id"] for each in get("events", **asked)["results"]] == [e.pk for e in found]


@db
def test_players_are_found_whatever_the_accents(cast: Cast) -> None:
    player = make_player("D'Àvila", "Niccolò")
    for asked in ("davila", "D'AVILA", "nicc avil", "  niccolo "):
        assert [each["id"] for each in get("players", q=asked)["results"]] == [player.pk]
    assert get("players", q="davila rossi")["results"] == []
    assert get("players", q="")["count"] == Player.objects.count()


@db
def test_lists_come_in_pages(cast: Cast) -> None:
    for n in range(5):
        make_player(f"Vagone {n}")
    first = get("players", q="vagone", page_size=2)
    assert (first["count"], first["previous"], len(first["results"])) == (5, None, 2)
    assert first["next"] == f"{HERE}/api/v1/players/?q=vagone&page_size=2&page=2"
    last = get("players", q="vagone", page_size=2, page=3)
    assert [each["surname"] for each in last["results"]] == ["Vagone 4"]
    assert last["next"] is None
    assert last["previous"] == f"{HERE}/api/v1/players/?q=vagone&page_size=2&page=2"
    status, told = refused("/api/v1/players/?q=vagone&page_size=2&page=4")
    assert (status, told) == (404, {"detail": "There is no page 4: the last is 3."})


# --- what it never says ---------------------------------------------------------------------------


@db
@both
def test_no_address_of_anybody_is_in_any_answer(federation: Federation) -> None:
    Player.objects.update(email="silvio@example.org", town="Paese Segreto")
    Event.objects.update(organiser_contact="capo@example.org")
    for address in everything(federation):
        content = Client().get(address).content.decode()
        assert "@example.org" not in content, address
        assert "Paese Segreto" not in content, address


@db
def test_drafts_are_seen_by_nobody(federation: Federation) -> None:
    """Neither events nor tables, also by who runs them: there is no log-in here."""
    secretary = visitor(federation.cast.sara)
    table = federation.sketch.tables.earliest("pk")
    hidden = [
        reverse("api_event", args=[federation.draft.pk]),
        reverse("api_event_standing", args=[federation.draft.pk]),
        reverse("api_table", args=[table.pk]),
    ]
    for client in (Client(), secretary):
        assert [client.get(address).status_code for address in hidden] == [404] * 3
        listed = client.get(reverse("api_events")).json()["results"]
        assert federation.draft.pk not in [each["id"] for each in listed]
    (prova,) = get("event", federation.hall.pk)["prove"]
    assert (prova["planned"], prova["rounds"]) == (1, [])
    assert federation.sketch.status == Round.Status.DRAFT


@db
def test_who_is_struck_off_has_no_name(cast: Cast) -> None:
    """O-16: his places stay in closed seasons, and nobody is told whose they are."""
    bruno = cast.bruno.player
    event = played(cast)
    (table,) = tables_of(event)
    rankings.close_season(event.season, cast.sara, NOW + DAY)
    published = rankings.publish("absolute", cast.sara, NOW + DAY, season=event.season)
    services.strike_off(bruno, "13.3", cast.sara, NOW + 2 * DAY)
    nobody = {"player": None, "name": None}
    for row in (
        get("event_standing", event.pk)["rows"][0],
        get("table", table.pk)["result"]["lines"][0],
        get("table", table.pk)["seats"][0]["holders"][0],
        get("absolute", 2026)["rows"][0],
        get("specialty", 2026, "1830")["rows"][0],
        get("publication", published.number)["lines"][0],
        get("honours")["seasons"][0]["honours"][0],
        get("honours")["seasons"][0]["winners"][0]["players"][0],
    ):
        assert {name: row[name] for name in nobody} == nobody
    assert bruno.pk not in [each["id"] for each in get("players")["results"]]
    for name in ("player", "player_results"):
        assert refused(reverse(f"api_{name}", args=[bruno.pk]))[0] == 404
    for address in ("events", "honours", "ranking", "publications", "players"):
        assert "Bruno" not in json.dumps(get(address))


@db
def test_who_is_forgotten_is_nowhere_and_who_was_merged_has_moved(cast: Cast) -> None:
    kept, gone, forgotten = (make_player(name) for name in ("Resta", "Parte", "Oblio"))
    event = make_event(players=[forgotten, *(make_player(f"Altro {n}") for n in range(3))])
    record(tables_of(event)[0], 7500, 7200, 6600, 0)
    Player.objects.filter(pk=gone.pk).update(merged_into=kept)
    Player.objects.filter(pk=forgotten.pk).update(forgotten_at=NOW)
    names = [each["name"] for each in get("players")["results"]]
    assert "Resta" in names
    assert not {"Parte", "Oblio"} & set(names)
    for name in ("player", "player_results"):
        assert refused(reverse(f"api_{name}", args=[forgotten.pk]))[0] == 404
        answer = Client().get(reverse(f"api_{name}", args=[gone.pk]))
        assert answer.status_code == 308
        assert answer["Location"] == reverse(f"api_{name}", args=[kept.pk])
        assert answer.json()["player"] == kept.pk
    for row in (
        get("event_standing", event.pk)["rows"][0],
        get("table", tables_of(event)[0].pk)["result"]["lines"][0],
    ):
        assert (row["player"], row["name"]) == (None, None)


# --- how it answers -------------------------------------------------------------------------------


@db
@both
def test_what_cannot_be_read_is_refused_by_its_name(federation: Federation) -> None:
    event = federation.event.pk
    for address, parameter in (
        ("events/?season=x", "season"),
        ("events/?season=0", "season"),
        ("events/?season=99999", "season"),
        (f"events/?season={'9' * 400}", "season"),
        ("events/?season=", "season"),
        ("events/?kind=other", "kind"),
        ("events/?status=draft", "status"),
        ("events/?title=%00", "title"),
        ("events/?title=18%2030", "title"),
        ("events/?title=zzz", "title"),
        ("events/?since=2026-02-30", "since"),
        ("events/?since=0000-01-01", "since"),
        ("events/?until=99999-01-01", "until"),
        ("events/?until=ieri", "until"),
        ("events/?page=0", "page"),
        ("events/?page=-1", "page"),
        (f"events/?page={10**30}", "page"),
        ("events/?page=1.5", "page"),
        ("events/?page_size=101", "page_size"),
        ("events/?season=2026&season=2025", "season"),
        ("players/?page=1&page=1", "page"),
        ("players/?q=%00", "q"),
        ("players/?q=%E2%80%8B", "q"),  # a space that nobody sees
        ("players/?q=-", "q"),
        (f"players/?q={'a' * 81}", "q"),
        ("ranking/?on=1979-12-31", "on"),
        ("ranking/?on=2101-01-01", "on"),
        ("ranking/?al=2026-03-14", "al"),
        ("honours/?season=2026", "season"),
        (f"events/{event}/standing/?prova=x", "prova"),
        (f"events/{event}/standing/?round=1", "round"),
        ("schema.json?x=1", "x"),
    ):
        status, told = refused(f"/api/v1/{address}")
        assert status == 400, address
        assert list(told["parameters"]) == [parameter]
        assert told["detail"].startswith(f"{parameter}: ")
    status, told = refused("/api/v1/events/?page=abc&season=x&kind=zzz&foo=1&until=&until=")
    assert (status, set(told["parameters"])) == (400, {"page", "season", "kind", "foo", "until"})
    assert told["parameters"]["foo"] == "There is no such parameter."
    assert told["parameters"]["until"] == "It is given twice."


@db
@both
def test_what_is_not_there_is_told_in_json_and_in_english(federation: Federation) -> None:
    event, huge = federation.event.pk, 10**30
    for address in (
        "",
        "nowhere/",
        "events/x/",
        "events/-1/",
        f"events/{huge}/",
        f"tables/{huge}/",
        f"players/{huge}/",
        f"players/{huge}/results/",
        f"publications/{huge}/",
        f"seasons/{huge}/absolute/",
        "seasons/0/absolute/",
        "seasons/99999/specialties/1830/",
        "seasons/2026/specialties/nope/",
        "seasons/2026/specialties/%00/",
        f"events/{event}/standing/?prova=9",
        f"events/{event}/standing/?prova=1&round=2",
        "events/?page=9",
    ):
        told = refused(f"/api/v1/{address}", headers={"accept-language": "it"})
        assert told[0] == 404, address
        assert set(told[1]) == {"detail"}
    italian = {"accept-language": "it"}
    assert refused("/api/v1/nowhere/", headers=italian)[1]["detail"] == (
        f"There is nothing at this address: {HERE}/api/ lists those that there are."
    )
    told = refused("/api/v1/events/0/", headers=italian)
    assert told[1]["detail"] == "It is not there, or not public."
    told = refused("/api/v1/events/", headers={"accept": "text/html"})
    assert told == (406, {"detail": "Only JSON is spoken here."})


@db
@both
def test_it_is_only_read(federation: Federation) -> None:
    client = Client(enforce_csrf_checks=True)
    for method in ("POST", "PUT", "PATCH", "DELETE", "TRACE", "PROPFIND"):
        for address in ("/api/v1/events/", "/api/v1/schema.json", "/api/v1/nowhere/"):
            answer = client.generic(method, address)
            assert (answer.status_code, answer["Allow"]) == (405, "GET, HEAD, OPTIONS")
            assert set(answer.json()) == {"detail"}
            assert answer["Access-Control-Allow-Origin"] == "*"
    for address in everything(federation):
        asked = client.options(address)
        assert (asked.status_code, asked.content) == (204, b"")
        head, whole = client.head(address), client.get(address)
        assert (head.status_code, head.content) == (200, b"")
        assert head["ETag"] == whole["ETag"]


@db
@both
def test_the_same_again_is_not_sent_again(federation: Federation) -> None:
    client = Client()
    for address in everything(federation):
        first = client.get(address)
        etag = first["ETag"]
        assert first["Cache-Control"] == "public, max-age=60"
        for known in (etag, f"W/{etag}", f'"other", {etag}', "*"):
            again = client.get(address, headers={"if-none-match": known})
            assert (again.status_code, again.content) == (304, b""), address
            assert (again["ETag"], again["Access-Control-Allow-Origin"]) == (etag, "*")
        assert client.get(address, headers={"if-none-match": '"other"'}).status_code == 200
    before = client.get(reverse("api_players"))["ETag"]
    make_player("Nuovo", "Arrivo")
    again = client.get(reverse("api_players"), headers={"if-none-match": before})
    assert again.status_code == 200
    assert again["ETag"] != before


@db
def test_any_site_may_read_it_and_no_cookie_is_set(federation: Federation) -> None:
    client = visitor(federation.cast.sara)
    for address in (*everything(federation), "/api/v1/nowhere/", "/api/v1/events/?page=x"):
        answer = client.get(address, headers={"origin": "https://example.net"})
        assert answer["Access-Control-Allow-Origin"] == "*"
        assert "ETag" in answer["Access-Control-Expose-Headers"]
        assert not answer.cookies
        assert answer.status_code != 200 or "Cookie" not in answer["Vary"]
    assert "Access-Control-Allow-Origin" not in client.get(reverse("ranking_json"))
    assert "Access-Control-Allow-Origin" not in client.get(reverse("api_docs"))
    moved = client.get("/api/v1/clubs?page=1")  # its slash is missing
    assert (moved.status_code, moved["Location"]) == (301, "/api/v1/clubs/?page=1")
    assert moved["Access-Control-Allow-Origin"] == "*"
    for address in ("/api/v1/clubs/", "/api/v1/clubs"):  # a preflight may not be redirected
        before = client.options(address, headers={"access-control-request-method": "GET"})
        assert before.status_code == 204
        assert before["Access-Control-Allow-Headers"] == "Content-Type, If-None-Match"


@db
def test_who_asks_too_often_is_told_when_to_come_back(cast: Cast, settings: Settings) -> None:
    settings.REST_FRAMEWORK = {
        **settings.REST_FRAMEWORK,
        "DEFAULT_THROTTLE_RATES": {"api": "3/min"},
    }
    cache.clear()
    try:
        client = Client()
        assert [client.get("/api/v1/events/").status_code for _ in range(4)] == [200] * 3 + [429]
        logged_in = visitor(cast.sara)
        answer = logged_in.get("/api/v1/titles/")
        assert answer.status_code == 429
        wait = answer["Retry-After"]
        assert answer.json()["detail"].startswith(
            f"Too many requests from this address. Come back in {wait} second"
        )
        assert 0 < int(answer["Retry-After"]) <= 60
        assert answer["Cache-Control"] == "no-store"
        assert client.get("/api/v1/events/", REMOTE_ADDR="192.0.2.7").status_code == 200
        assert client.get("/ranking.json").status_code == 200
    finally:
        cache.clear()


@db
def test_behind_the_proxy_the_visitor_is_counted(cast: Cast, settings: Settings) -> None:
    """The last address of X-Forwarded-For is the proxy's word; the others are the visitor's."""
    settings.REST_FRAMEWORK = {
        **settings.REST_FRAMEWORK,
        "DEFAULT_THROTTLE_RATES": {"api": "1/min"},
    }
    settings.HTTPS = True
    cache.clear()
    try:
        client = Client()
        for forwarded, status in (
            ("192.0.2.1", 200),
            ("192.0.2.2", 200),
            ("192.0.2.9, 192.0.2.1", 429),
        ):
            answer = client.get("/api/v1/titles/", headers={"x-forwarded-for": forwarded})
            assert answer.status_code == status
    finally:
        cache.clear()


# --- what it costs --------------------------------------------------------------------------------


@db
def test_it_asks_the_database_as_often_for_many_as_for_few(cast: Cast) -> None:
    played(cast)
    make_honour(cast.judge)
    rankings.publish("absolute", cast.sara, NOW, season=make_season())
    bruno = cast.bruno.player
    clubs = [Club.objects.create(name="Circolo")]
    few = counted(bruno)
    clubs += [Club.objects.create(name=f"Circolo {n}") for n in range(4)]
    for n in range(4):
        now = NOW + n * DAY
        others = [make_player(f"Molti {n}{k}") for k in range(3)]
        for player, club in zip(others, clubs, strict=False):
            Player.objects.filter(pk=player.pk).update(club=club)
        event = make_event(players=[bruno, *others], now=now, name=f"Raduno {n}")
        record(tables_of(event)[0], 7500, 7200, 6600, 0, now=now)
        services.close_event(event, cast.alice, now)
        rankings.publish("absolute", cast.sara, now, season=event.season)
        make_title(("1856", "1870", "1830", "1830")[n])
    assert counted(bruno) == few


def counted(player: Player) -> dict[str, int]:
    """The queries of each address that lists something; standings of the last event."""
    event = Event.objects.filter(prove__isnull=False).latest("pk")
    found = {}
    for name, where in (
        *((name, ()) for name in ("events", "players", "clubs", "titles", "seasons")),
        *((name, ()) for name in ("ranking", "honours", "publications")),
        ("absolute", (2026,)),
        ("specialty", (2026, "1830")),
        ("player_results", (player.pk,)),
        ("event", (event.pk,)),
        ("event_standing", (event.pk,)),
        ("table", (tables_of(event)[0].pk,)),
        ("publication", (1,)),
    ):
        with CaptureQueriesContext(
            connection,
        ) as queries:
            get(name, *where)
        found[name] = len(queries)
    return found


# --- the schema, and its page ---------------------------------------------------------------------


def test_the_schema_is_valid_and_nothing_is_left_to_guess(tmp_path: Any) -> None:
    written = tmp_path / "schema.json"
    call_command(
        "spectacular",
        *("--format", "openapi-json", "--validate", "--fail-on-warn", "--lang", "en"),
        *("--file", str(written)),
    )
    assert json.loads(written.read_text()) == docs.schema("en")


def test_every_address_and_field_is_explained_in_both_languages() -> None:
    for language in ("en", "it"):
        whole = docs.schema(language)
        names = [each.name for each in docs.endpoints(whole)]
        assert len(names) == len(set(names)) == 16
        for endpoint in docs.endpoints(whole):
            assert endpoint.summary
            for field in (*endpoint.parameters, *endpoint.fields):
                assert field.text, (endpoint.name, field.name)


@db
@pytest.mark.parametrize("language", ["it", "en"])
def test_the_page_of_the_api_tells_all_of_it(language: str) -> None:
    page = Page(visitor(None, language).get(reverse("api_docs")))
    for endpoint in docs.endpoints(docs.schema(language)):
        assert endpoint.path in page.text
        assert endpoint.summary in page.text
        assert f'curl "{HERE}/api/v1/' in endpoint.example
    assert "rows[].events[].leaves_on" in page.text
    assert "120" in page.text
    assert "/api/v1/schema.json" in page.links


@db
def test_every_example_of_the_page_is_a_good_request(federation: Federation) -> None:
    for endpoint in docs.endpoints(docs.schema("en")):
        address = endpoint.example.removeprefix(f'curl "{HERE}').removesuffix('"')
        assert Client().get(address).status_code in {200, 404}, address


@pytest.fixture
def kept_connection() -> Iterator[None]:
    """A request that is not of Django's own client closes the connection that the test is in."""
    for signal in (request_started, request_finished):
        signal.disconnect(close_old_connections)
    yield
    for signal in (request_started, request_finished):
        signal.connect(close_old_connections)


@db
@pytest.mark.usefixtures("kept_connection")
def test_no_request_breaks_it_and_every_answer_is_as_the_schema_says(
    federation: Federation,
) -> None:
    """Requests made up from the schema, good and bad, to existing things and to others."""
    club = Club.objects.create(name="Circolo del Fischio")
    Player.objects.filter(pk=federation.cast.bruno.player.pk).update(club=club)
    schema = schemathesis.openapi.from_wsgi(
        reverse("api_schema"), get_wsgi_application(), base_url=HERE
    )
    real: dict[str, Any] = {
        "event": federation.event.pk,
        "table": federation.played.pk,
        "player": federation.cast.bruno.player.pk,
        "year": federation.event.season.year,
        "code": "1830",
        "number": federation.publication.number,
    }
    asked = 0
    for found in schema.get_all_operations():
        operation: Any = found.ok()  # type: ignore[union-attr]
        telling = [*operation.query, *operation.path_parameters]  # of which some may be wrong
        for mode in GenerationMode if telling else [GenerationMode.POSITIVE]:

            @given(case=operation.as_strategy(generation_mode=mode))
            @hypothesis_settings(
                max_examples=8,
                deadline=None,
                derandomize=True,
                database=None,
                phases=[Phase.generate],
                suppress_health_check=list(HealthCheck),
            )
            def ask(case: Any) -> None:
                nonlocal asked
                case.call_and_validate(base_url=HERE, checks=CHECKS)
                asked += 1
                if case.path_parameters:
                    case.path_parameters = {name: real[name] for name in case.path_parameters}
                    case.call_and_validate(base_url=HERE, checks=CHECKS)
                    asked += 1

            ask()
    assert asked > 200
