"""The books: who may be the same person, what is put right, who is a referee, whole tables."""

from __future__ import annotations

import json
import os
import time
from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from dataclasses import replace
from datetime import date, timedelta
from typing import Any

import pytest
from django.core import signing
from django.core.files.uploadedfile import SimpleUploadedFile
from django.test import Client
from django.utils import timezone
from hypothesis import given
from hypothesis import strategies as st

from figf import web
from figf.errors import Refused
from figf.models import LogEntry, User
from figf.tests.cast import (
    DAY,
    NOW,
    TODAY,
    Cast,
    Page,
    at_once,
    make_cast,
    make_draft,
    make_player,
    visitor,
)
from tournaments import services
from tournaments.models import Ban, Club, Event, Player, RefereeTerm, Removal
from tournaments.rules import likeness, names
from tournaments.rules.countries import COUNTRIES
from tournaments.services import PlayerRow, Verdict
from tournaments.services.imports import LENGTHS

db = pytest.mark.django_db
both = pytest.mark.both


@pytest.fixture
def cast() -> Cast:
    return make_cast()


@pytest.fixture
def sara(cast: Cast) -> Client:
    return visitor(cast.sara)


@contextmanager
def nothing_written() -> Iterator[None]:
    def state() -> list[Any]:
        found = [list(model._default_manager.order_by("pk").values()) for model in (Player, Club)]
        return [*found, RefereeTerm.objects.count(), LogEntry.objects.count()]

    before = state()
    yield
    assert state() == before


def reason_of(deed: Any) -> str:
    with nothing_written(), pytest.raises(Refused) as caught:
        deed()
    return caught.value.reason


# --- who is like whom -----------------------------------------------------------------------------

NAMES = st.tuples(st.text("abÀ'", max_size=5), st.text("abx ", max_size=4))


@given(NAMES, NAMES)
def test_two_people_who_are_alike_share_a_key(a: tuple[str, str], b: tuple[str, str]) -> None:
    if names.alike(a, b):
        assert likeness.keys(*a) & likeness.keys(*b)


@given(st.text("abc", min_size=3, max_size=7), st.data())
def test_one_slip_of_the_pen_leaves_a_key_in_common(text: str, data: st.DataObject) -> None:
    at = data.draw(st.integers(0, len(text) - 1))
    letter = data.draw(st.sampled_from("abcz"))
    slips = [
        text[:at] + letter + text[at + 1 :],
        text[:at] + letter + text[at:],
        text[:at] + text[at + 1 :],
        text[:at] + text[at : at + 2][::-1] + text[at + 2 :],
    ]
    for slip in slips:
        if names.alike((text, "ivo"), (slip, "ivo")):
            assert likeness.keys(text, "ivo") & likeness.keys(slip, "ivo")


def test_there_are_249_countries_and_san_marino_is_one() -> None:
    """As many as ISO 3166-1 has."""
    assert len(COUNTRIES) == 249
    assert {"IT", "SM", "VA", "CH"} < COUNTRIES
    assert "EU" not in COUNTRIES


@db
@both
def test_who_might_be_the_same_person_is_found_in_alphabetical_order(cast: Cast) -> None:
    for surname, name in [("Rossi", "Marco"), ("ROSSI", "M."), ("Rossi", "Dario"), ("Róssi", "")]:
        make_player(surname, name)
    make_player("Marco", "Rossi")
    found = [str(player) for player in services.alike_players("Rossi", "Marco")]
    assert found == ["Marco Rossi", "Róssi", "ROSSI M.", "Rossi Marco"]


@db
@both
def test_somebody_like_another_is_registered_only_when_he_is_said_to_be_another(cast: Cast) -> None:
    make_player("Pellegrino", "Franco")

    def register(**more: Any) -> Player:
        return services.register_player("Pelegrino", "Franco", cast.sara, NOW, **more)

    assert reason_of(lambda: register(another=False)) == "maybe_duplicate"
    assert register(another=True).pk != register().pk  # whoever does not ask is not asked
    services.register_player("Nuovo", "", cast.sara, NOW, another=False)


@pytest.mark.django_db(transaction=True)
def test_of_two_who_register_the_same_person_at_once_one_is_told(cast: Cast) -> None:
    def register() -> Player:
        return services.register_player("Gemelli", "Ugo", cast.sara, NOW, another=False)

    first, second = sorted(at_once(register, register), key=lambda one: isinstance(one, Refused))
    assert isinstance(first, Player)
    assert isinstance(second, Refused)
    assert second.reason == "maybe_duplicate"


@db
@both
def test_the_page_asks_whether_he_is_one_of_these(sara: Client) -> None:
    club = services.register_club("Circolo della Pensilina", "Montetreno", make_cast().sara, NOW)
    there = make_player("Pellegrino", "Franco")
    Player.objects.filter(pk=there.pk).update(club=club, town="Montetreno")
    form = {"surname": "Pellegrino", "name": "Franco", "email": "f@example.org"}
    with nothing_written():
        answer = sara.post("/giocatori/", form)
    assert answer.status_code == 422
    page = Page(answer)
    assert "Pellegrino Franco , Circolo della Pensilina, Montetreno" in page.text
    assert page.boxes["surname"] == "Pellegrino"
    assert page.boxes["another"] != "on"  # to be ticked by hand
    assert sara.post("/giocatori/", {**form, "another": "on"}).status_code == 302
    assert Player.objects.filter(sort_key="pellegrino franco").count() == 2


@db
@both
@pytest.mark.parametrize(
    "wrong",
    [
        {"surname": ""},
        {"surname": "   "},
        {"surname": "x" * 81},
        {"surname": "B\0o"},
        {"club": "0"},
        {"club": "x"},
        {"nationality": "XX"},
        {"nationality": "ITA"},
        {"email": "no"},
        {"email": f"{'x' * 250}@example.org"},
    ],
    ids=str,
)
def test_a_player_who_cannot_be_is_not_added(sara: Client, wrong: dict[str, str]) -> None:
    with nothing_written():
        answer = sara.post("/giocatori/", {"surname": "Bo", "name": "Ivo", **wrong})
    assert answer.status_code == 422
    assert answer.context["form"].errors.keys() == wrong.keys()


@db
@both
def test_the_box_finds_by_letters_whatever_the_accents(sara: Client) -> None:
    for surname, name in [("D'Angelo", "Nicolò"), ("De Santis", "Angela"), ("Bo", "Ivo")]:
        make_player(surname, name)

    def found(asked: str) -> list[str]:
        page = sara.get("/giocatori/", {"q": asked}).context["page"]
        return [player.surname for player in page]

    assert found("d’angelo") == ["D'Angelo"]
    assert found("nicolo DANG") == ["D'Angelo"]
    assert found("angel") == ["D'Angelo", "De Santis"]
    assert found("zzz") == []
    assert len(found(" -- ")) == Player.objects.count()
    assert sara.get("/giocatori/", {"q": "x\0" * 500}).status_code == 200
    assert "Nobody of that name" in Page(sara.get("/giocatori/?q=zzz")).text


@db
def test_the_pages_of_what_was_found_keep_what_was_asked(cast: Cast, sara: Client) -> None:
    services.import_players(
        [PlayerRow(n, f"Rossi{chr(97 + n // 26)}{chr(97 + n % 26)}xyz{n}") for n in range(101)],
        cast.sara,
        NOW,
        another=range(101),
    )
    links = Page(sara.get("/giocatori/?q=rossi")).links
    assert "?q=rossi&page=2" in links
    assert len(sara.get("/giocatori/?q=rossi&page=2").context["page"]) == 1


# --- a player put right ---------------------------------------------------------------------------


def amended(player: Player, **changed: Any) -> dict[str, Any]:
    """The form of the player's page as it is sent, but for what is `changed`."""
    return {
        "do": "amend",
        "surname": player.surname,
        "name": player.name,
        "club": player.club_id or "",
        "town": player.town,
        "nationality": player.nationality,
        "email": player.email,
        "seen": services.as_seen(player),
        **changed,
    }


@db
@both
def test_a_player_is_put_right_and_the_log_says_which_fields_and_no_value(
    cast: Cast, sara: Client
) -> None:
    bruno = cast.bruno.player
    club = services.register_club("Dopolavoro", "", cast.sara, NOW)
    form = amended(bruno, surname="D'Àngelo ", club=club.pk, email="B@Example.org")
    answer = sara.post(f"/giocatori/{bruno.pk}/modifica/", form)
    assert (answer.status_code, answer["Location"]) == (302, f"/giocatori/{bruno.pk}/modifica/")
    after = Player.objects.get(pk=bruno.pk)
    assert (after.surname, after.sort_key, after.club, after.email) == (
        *("D'Àngelo", "dangelo bruno", club, "b@example.org"),
    )
    assert User.objects.get(pk=cast.bruno.pk).name == "Bruno D'Àngelo"  # as on the books
    entry = LogEntry.objects.about(bruno).latest("pk")
    assert (entry.verb, entry.actor) == ("amend_player", cast.sara)
    assert entry.data == {"changed": ["surname", "club", "email"]}
    assert "ngelo" not in json.dumps(entry.data)


@db
@both
def test_to_save_what_is_already_there_writes_nothing(cast: Cast, sara: Client) -> None:
    bruno = cast.bruno.player
    with nothing_written():
        assert sara.post(f"/giocatori/{bruno.pk}/modifica/", amended(bruno)).status_code == 302


@db
@both
def test_what_somebody_else_amended_meanwhile_is_shown_and_replaced_only_knowingly(
    cast: Cast, sara: Client
) -> None:
    bruno = cast.bruno.player
    stale = amended(bruno, town="Mia")
    assert (
        sara.post(f"/giocatori/{bruno.pk}/modifica/", amended(bruno, town="Loro")).status_code
        == 302
    )
    with nothing_written():
        answer = sara.post(f"/giocatori/{bruno.pk}/modifica/", stale)
    assert answer.status_code == 422
    page = Page(answer)
    assert "Town: Loro" in page.text
    assert page.boxes["town"] == "Mia"
    again = {**stale, "seen": page.boxes["seen"]}
    assert sara.post(f"/giocatori/{bruno.pk}/modifica/", again).status_code == 302
    assert Player.objects.get(pk=bruno.pk).town == "Mia"


@db
@both
@pytest.mark.parametrize(
    ("form", "wrong"),
    [
        ({"surname": " "}, {"surname"}),
        ({"nationality": "??"}, {"nationality"}),
        ({"email": "a@b"}, {"email"}),
        ({"club": "999999"}, {"club"}),
        ({"seen": ""}, {"__all__"}),
        ({"seen": "0" * 16}, {"__all__"}),
    ],
    ids=str,
)
def test_a_player_who_cannot_be_is_not_saved(
    cast: Cast, sara: Client, form: dict[str, str], wrong: set[str]
) -> None:
    bruno = cast.bruno.player
    with nothing_written():
        answer = sara.post(f"/giocatori/{bruno.pk}/modifica/", amended(bruno, **form))
    assert answer.status_code == 422
    assert answer.context["amend"].errors.keys() == wrong


@db
@both
def test_only_a_secretary_has_the_books(cast: Cast) -> None:
    bruno = cast.bruno.player
    pages = [
        f"/giocatori/{bruno.pk}/modifica/",
        "/giocatori/importa/",
        "/giocatori.csv",
        "/giocatori/",
    ]
    for user, status in ((None, 302), (cast.bruno, 404), (cast.alice, 404), (cast.dino, 404)):
        client = visitor(user)
        with nothing_written():
            for page in pages:
                assert client.get(page).status_code == status
                assert client.post(page, amended(bruno, town="x")).status_code in {status, 405}


@db
@both
def test_a_button_that_is_not_there_does_nothing(cast: Cast, sara: Client) -> None:
    for form in ({}, {"do": "delete"}, {"do": ["amend", "x"]}):
        with nothing_written():
            assert sara.post(f"/giocatori/{cast.judge.pk}/modifica/", form).status_code == 302
    assert sara.post("/giocatori/0/modifica/", {"do": "amend"}).status_code == 404


# --- referees -------------------------------------------------------------------------------------


def end(term: RefereeTerm, day: date, cast: Cast) -> RefereeTerm:
    return services.end_referee_term(term, day, cast.sara, NOW)


@db
@both
def test_a_term_begins_and_ends_on_its_days(cast: Cast, sara: Client) -> None:
    """M-01."""
    player = make_player("Vellani", "F.")
    path = f"/giocatori/{player.pk}/modifica/"
    form = {"do": "appoint", "starts_on": "2024-01-10", "ends_on": ""}
    assert sara.post(path, form).status_code == 302
    term = player.referee_terms.get()
    assert player.is_referee(TODAY)
    assert not player.is_referee(date(2024, 1, 9))
    form = {"do": "end", "term": str(term.pk), "ends_on": "2025-12-31"}
    assert sara.post(path, form).status_code == 302
    player = Player.objects.get(pk=player.pk)
    assert player.is_referee(date(2025, 12, 31))
    assert not player.is_referee(date(2026, 1, 1))
    assert [entry.verb for entry in LogEntry.objects.about(player)][:2] == [
        *("end_referee_term", "appoint_referee"),
    ]
    page = Page(sara.get(path)).text
    assert "10 January 2024" in page
    assert "31 December 2025" in page


@db
@both
def test_terms_of_one_player_never_overlap(cast: Cast) -> None:
    player = make_player("Moroni", "A.")

    def appoint(start: date, stop: date | None = None) -> RefereeTerm:
        return services.appoint_referee(player, start, cast.sara, NOW, ends_on=stop)

    first = appoint(date(2020, 1, 1), date(2020, 12, 31))
    for start, stop in [
        (date(2020, 12, 31), None),
        (date(2019, 1, 1), None),
        (date(2019, 1, 1), date(2020, 1, 1)),
        (date(2020, 5, 1), date(2020, 5, 2)),
    ]:
        assert reason_of(lambda start=start, stop=stop: appoint(start, stop)) == "terms_overlap"
    assert reason_of(lambda: appoint(date(2022, 2, 2), date(2022, 2, 1))) == "dates_reversed"
    second = appoint(date(2021, 1, 1))
    assert reason_of(lambda: appoint(date(2030, 1, 1))) == "terms_overlap"
    assert reason_of(lambda: end(first, date(2021, 1, 1), cast)) == "terms_overlap"
    assert reason_of(lambda: end(second, date(2020, 12, 31), cast)) == "dates_reversed"
    assert end(second, date(2021, 1, 1), cast).ends_on == date(2021, 1, 1)


@db
@both
@pytest.mark.parametrize("status", ["draft", "enrolling", "running", "concluded"])
def test_the_director_of_an_open_event_stays_a_referee_until_another_is_named(
    cast: Cast, sara: Client, status: str
) -> None:
    """M-01: to remove who directs an open event, a replacement is asked for first."""
    event = make_draft(name="Trofeo")
    Event.objects.filter(pk=event.pk).update(status=status)
    term = cast.director.referee_terms.get()
    with nothing_written():
        answer = sara.post(
            f"/giocatori/{cast.director.pk}/modifica/",
            {"do": "end", "term": term.pk, "ends_on": (TODAY - DAY).isoformat()},
        )
    assert answer.status_code == 422
    assert "“Trofeo”" in Page(answer).text
    with pytest.raises(Refused) as caught:
        end(term, TODAY - DAY, cast)
    assert (caught.value.reason, caught.value.rule) == ("directs_events", "M-01")
    end(term, TODAY, cast)  # the first day is still covered
    Event.objects.filter(pk=event.pk).update(director=cast.judge)
    end(term, TODAY - DAY, cast)


@db
@both
@pytest.mark.parametrize("status", ["closed", "cancelled", "invalid"])
def test_an_event_that_is_over_holds_nobody(cast: Cast, status: str) -> None:
    event = make_draft()
    Event.objects.filter(pk=event.pk).update(status=status)
    end(cast.director.referee_terms.get(), TODAY - DAY, cast)


@db
@both
def test_a_term_is_ended_from_its_own_player_and_on_a_day(cast: Cast, sara: Client) -> None:
    foreign = cast.director.referee_terms.get()
    own = cast.judge.referee_terms.get()
    path = f"/giocatori/{cast.judge.pk}/modifica/"
    for form in (
        {"term": foreign.pk, "ends_on": "2025-01-01"},
        {"term": "x", "ends_on": "2025-01-01"},
        {"term": own.pk, "ends_on": ""},
        {"term": own.pk, "ends_on": "31/02/2025"},
        {"term": own.pk, "ends_on": "2019-12-31"},
        {},
    ):
        with nothing_written():
            answer = sara.post(path, {"do": "end", **form})
        assert answer.status_code == 422, form
        assert 'role="alert"' in answer.content.decode()
    for form in ({}, {"starts_on": "x"}, {"starts_on": "2019-01-02", "ends_on": "2019-01-01"}):
        with nothing_written():
            assert sara.post(path, {"do": "appoint", **form}).status_code == 422


@db
@both
def test_the_register_of_referees_is_public_and_says_since_when(cast: Cast) -> None:
    """M-01. Alice and Carla are referees since 2020; one was, one will be, one is radiated."""
    today = timezone.localdate()
    terms = {
        "Penna": (today - 900 * DAY, today - DAY),
        "Manzini": (today + DAY, None),
        "Incorpora": (today - DAY, None),
        "Radiato": (date(2019, 1, 1), None),
        "Bandito": (date(2019, 1, 1), None),
    }
    players = {surname: make_player(surname) for surname in terms}
    for surname, (start, stop) in terms.items():
        services.appoint_referee(players[surname], start, cast.sara, NOW, ends_on=stop)
    made: dict[str, Any] = {"made_by": cast.sara, "made_at": NOW, "ruling": "13.2"}
    Removal.objects.bulk_create([Removal(player=players["Radiato"], level="all", **made)])
    Ban.objects.bulk_create([Ban(player=players["Bandito"], scope="all", starts_on=TODAY, **made)])
    answer = visitor().get("/arbitri/")
    context = answer.context
    assert [str(term.player) for term in context["active"]] == [
        *("Carrozza Carla", "Direttissima Alice", "Incorpora"),
    ]
    assert [str(term.player) for term in context["coming"]] == ["Manzini"]
    assert [str(term.player) for term in context["past"]] == ["Penna"]
    page = Page(answer).text
    assert "1 January 2020" in page
    assert "Radiato" not in page
    assert "Bandito" not in page
    assert "/arbitri/" in Page(visitor().get("/")).links


# --- a table of players ---------------------------------------------------------------------------


def row(line: int, surname: str, name: str = "", **more: Any) -> PlayerRow:
    return PlayerRow(line, surname, name, **more)


def verdicts(*rows: PlayerRow) -> list[str]:
    return [str(judged.verdict) for judged in services.judge_players(rows).rows]


@db
@both
def test_each_row_is_judged_by_the_books_and_by_those_above_it(cast: Cast) -> None:
    make_player("D'Angelo", "Rocco")
    make_player("Pellegrino", "Franco")
    report = services.judge_players(
        [
            row(2, "DANGELO", "Rocco"),
            row(3, "Pelegrino", "Franco"),
            row(4, "Nuovo", "Ugo"),
            row(5, "nuovo", "UGO"),
            row(6, "Nuova", "Ugo"),
            row(7, "D’Angelo", "Rocco"),
            row(8, "", "Ugo"),
        ]
    )
    told = [(str(j.verdict), [str(p) for p in j.players], j.lines) for j in report.rows]
    assert told == [
        ("same", ["D'Angelo Rocco"], ()),
        ("maybe", ["Pellegrino Franco"], ()),
        ("new", [], ()),
        ("twice", [], (4,)),
        ("maybe", [], (4,)),
        ("twice", ["D'Angelo Rocco"], (2,)),
        ("rejected", [], ()),
    ]
    assert sum(report.count(verdict) for verdict in Verdict) == len(report.rows)


@db
@both
@pytest.mark.parametrize(
    "wrong",
    [
        {"surname": ""},
        {"surname": "--"},
        {"surname": "x" * 81},
        {"name": "x" * 81},
        {"club": "x" * 121},
        {"town": "x" * 81},
        {"email": "no"},
        {"email": "x" * 250 + "@example.org"},
        {"nationality": "XX"},
        {"nationality": "Italia"},
        {"faults": ("Cell B2 holds a formula: write its value.",)},
    ],
    ids=str,
)
def test_a_row_that_cannot_be_taken_is_rejected_and_says_why(
    cast: Cast, wrong: dict[str, Any]
) -> None:
    good = row(2, "Nuovo", "Ugo", nationality="sm", email="ugo@example.org")
    [judged] = services.judge_players([replace(good, **wrong)]).rows
    assert judged.verdict == Verdict.REJECTED
    assert all(judged.why)
    assert len(judged.why) == 1
    assert (
        reason_of(lambda: services.import_players([replace(good, **wrong)], cast.sara, NOW))
        == "rows_rejected"
    )


def test_the_lengths_are_those_of_the_books() -> None:
    for name, most in LENGTHS.items():
        model = Club if name == "club" else Player
        held: Any = model._meta.get_field("name" if name == "club" else name)
        assert held.max_length == most


@db
@both
def test_an_address_belongs_to_one_person(cast: Cast) -> None:
    services.register_player("Bo", "Ivo", cast.sara, NOW, email="ivo@example.org")
    mine = {"email": "IVO@example.org"}
    assert verdicts(row(2, "Bo", "Ivo", **mine)) == ["same"]
    assert verdicts(row(2, "Re", "Ada", **mine)) == ["rejected"]
    assert verdicts(row(2, "Re", "Ada", email="a@b.it"), row(3, "Lo", "Eva", email="A@b.it")) == [
        *("new", "rejected"),
    ]
    assert verdicts(row(2, "Re", "Ada", email="a@b.it"), row(3, "Re", "Ada", email="a@b.it")) == [
        *("new", "twice"),
    ]
    namesake = row(2, "Bo", "Ivo", **mine)
    assert (
        reason_of(lambda: services.import_players([namesake], cast.sara, NOW, another=[2]))
        == "email_taken"
    )


@db
@both
def test_a_table_is_added_whole_with_its_clubs_and_the_log_counts(cast: Cast) -> None:
    known = services.register_club("Circolo della Pensilina", "Montetreno", cast.sara, NOW)
    namesake = make_player("Bo", "Ivo")
    rows = [
        row(2, "Bo", "Ivo", club="Solo di chi resta fuori"),
        row(3, "Re", " Ada  Maria", club="circolo della pensilina", town=" Bo ", email="A@b.it"),
        row(4, "Re", "Ada Maria"),
        row(5, "Lo", "Eva", club="Dopolavoro", nationality="sm"),
        row(6, "Mi", "Ugo", club="DOPOLAVORO"),
    ]
    report = services.judge_players(rows)
    assert report.clubs == ("Solo di chi resta fuori", "Dopolavoro")
    before = LogEntry.objects.count()
    outcome = services.import_players(
        rows, cast.sara, NOW, another=[4, 999], seen=report.fingerprint
    )
    assert (outcome.read, len(outcome.added), outcome.left) == (5, 4, 1)
    assert [club.name for club in outcome.clubs] == ["Dopolavoro"]
    added = {player.surname: player for player in outcome.added}
    ada = Player.objects.get(pk=outcome.added[0].pk)
    assert (ada.name, ada.club, ada.town, ada.email) == ("Ada Maria", known, "Bo", "a@b.it")
    assert (added["Lo"].nationality, added["Mi"].nationality) == ("SM", "IT")
    assert added["Lo"].club == added["Mi"].club
    assert Player.objects.filter(sort_key=namesake.sort_key).count() == 1
    entries = list(LogEntry.objects.order_by("pk")[before:])
    assert sorted(entry.verb for entry in entries) == [
        *("import_players", "register_club", *["register_player"] * 4),
    ]
    assert entries[-1].data == {"read": 5, "added": 4, "left": 1, "clubs": 1}


@db
@both
def test_books_that_have_changed_meanwhile_stop_the_import(cast: Cast) -> None:
    rows = [row(2, "Nuovo", "Ugo"), row(3, "Re", "Ada", club="Dopolavoro")]
    seen = services.judge_players(rows).fingerprint
    make_player("Estraneo")  # who concerns no row changes nothing
    assert services.judge_players(rows).fingerprint == seen
    for change in (
        lambda: services.register_club("Dopolavoro", "", cast.sara, NOW),
        lambda: make_player("Nuovo", "U."),
    ):
        change()
        assert (
            reason_of(lambda: services.import_players(rows, cast.sara, NOW, seen=seen))
            == "books_changed"
        )


@db
@both
def test_who_is_all_on_the_books_is_not_added_again(cast: Cast) -> None:
    make_player("Bo", "Ivo")
    for rows in ([row(2, "Bo", "Ivo")], []):
        assert (
            reason_of(lambda rows=rows: services.import_players(rows, cast.sara, NOW))
            == "nothing_to_import"
        )


@pytest.mark.django_db(transaction=True)
def test_the_same_import_confirmed_twice_at_once_adds_everybody_once(cast: Cast) -> None:
    rows = [row(n, f"Passeggero{'abcdefgh'[n]}{n * 1117}") for n in range(8)]
    seen = services.judge_players(rows).fingerprint

    def confirm() -> Any:
        return services.import_players(rows, cast.sara, NOW, seen=seen)

    done, refused = sorted(at_once(confirm, confirm), key=lambda one: isinstance(one, Refused))
    assert len(done.added) == 8
    assert refused.reason == "books_changed"
    assert Player.objects.filter(surname__startswith="Passeggero").count() == 8


# --- its pages ------------------------------------------------------------------------------------

TABLE = "Cognome;Nome;Circolo;Città;Nazionalità;E-mail;Tessera\r\n"


def send(client: Client, content: str | bytes, name: str = "soci.csv") -> Any:
    data = content.encode() if isinstance(content, str) else content
    upload = SimpleUploadedFile(name, data)
    return client.post("/giocatori/importa/", {"file": upload})


def confirm(client: Client, report: Any, *another: int | str) -> Any:
    sealed = Page(report).boxes["sealed"]
    form = {"sealed": sealed, "another": [str(line) for line in another]}
    return client.post("/giocatori/importa/", form)


@db
@both
def test_a_file_is_first_shown_and_then_imported(cast: Cast, sara: Client) -> None:
    make_player("Bo", "Ivo")
    content = (
        f"{TABLE}D’Angelo;Nicolò;Dopolavoro;Forlì;;nic@example.org;7\r\n"
        "BO;Ivo;;;;;\r\nD’Angelo;Nicola;;;sm;;\r\n"
    )
    with nothing_written():
        report = send(sara, content.encode("cp1252"))
    assert report.status_code == 200
    page = Page(report)
    for words in ("D’Angelo Nicolò", "3 rows read", "Columns left aside: Tessera", "Dopolavoro"):
        assert words in page.text
    assert [report.context[name] for name in ("new", "same", "maybe", "twice", "rejected")] == [
        *(1, 1, 1, 0, 0),
    ]
    answer = confirm(sara, report, 4)
    assert (answer.status_code, answer["Location"]) == (302, "/giocatori/")
    assert Page(sara.get("/giocatori/")).text.count("2 players added, of 3 rows read.") == 1
    assert Player.objects.filter(surname="D’Angelo").count() == 2
    assert Player.objects.get(name="Nicola").nationality == "SM"


@db
@both
def test_a_confirmed_form_sent_again_adds_nobody_and_shows_the_report(sara: Client) -> None:
    report = send(sara, f"{TABLE}Nuovo;Ugo\r\n")
    assert confirm(sara, report).status_code == 302
    for another in ((), (2,)):
        with nothing_written():
            again = confirm(sara, report, *another)
        assert again.status_code == 422
        page = Page(again)
        assert "The books have changed meanwhile" in page.text
        assert "on the books already" in page.text
    assert page.boxes["sealed"]  # and can be confirmed, knowingly
    assert confirm(sara, again, 2).status_code == 302
    assert Player.objects.filter(sort_key="nuovo ugo").count() == 2


@db
@both
def test_one_row_rejected_leaves_nothing_to_confirm(sara: Client) -> None:
    report = send(sara, f"{TABLE}Nuovo;Ugo\r\nRe;=1+1\r\n;Ada\r\n")
    page = Page(report)
    assert report.status_code == 200
    assert "sealed" not in page.boxes
    assert "2 rows are rejected" in page.text
    assert "Cell B3 holds a formula" in page.text
    assert "The surname is missing" in page.text


@db
@both
def test_what_was_carried_is_taken_from_nobody_else_nor_altered_nor_too_late(
    cast: Cast, sara: Client
) -> None:
    sealed = str(Page(send(sara, f"{TABLE}Nuovo;Ugo\r\n")).boxes["sealed"])
    rows = [[2, "Falso", "Ugo", "", "", "", ""]]
    foreign = web.seal({"rows": rows, "seen": ""}, "import_players", cast.alice)
    other = web.seal({"rows": rows, "seen": ""}, "import_ranking", cast.sara)
    plain = signing.dumps({"rows": rows, "seen": ""})
    for forged in ("", "x", "a:b:c", sealed[:-1], f"x{sealed}", sealed * 2, foreign, other, plain):
        with nothing_written():
            answer = sara.post("/giocatori/importa/", {"sealed": forged})
        assert answer.status_code == 422
        assert 'role="alert"' in answer.content.decode()


def test_what_was_sealed_is_good_for_two_hours(monkeypatch: pytest.MonkeyPatch) -> None:
    user = User(pk=7)
    sealed = web.seal({"a": [1, "è"]}, "p", user)
    assert web.unseal(sealed, "p", user) == {"a": [1, "è"]}
    later = timezone.now().timestamp() + (web.SEAL_LASTS + timedelta(minutes=1)).total_seconds()
    monkeypatch.setattr("django.core.signing.time.time", lambda: later)
    with pytest.raises(Refused) as caught:
        web.unseal(sealed, "p", user)
    assert caught.value.reason == "seal_broken"


def test_what_a_form_could_not_send_back_is_not_sealed() -> None:
    """Nearly a megabyte that no packing makes smaller, a third more as letters."""
    with pytest.raises(Refused) as caught:
        web.seal(os.urandom(800_000).hex(), "p", User(pk=7))
    assert caught.value.reason == "file_too_large"


@db
def test_every_row_of_the_longest_table_may_have_its_choice(sara: Client) -> None:
    """More fields than Django takes by itself."""
    form = {"sealed": "x", "another": [str(line) for line in range(2, 2002)]}
    assert sara.post("/giocatori/importa/", form).status_code == 422


@db
@both
@pytest.mark.parametrize(
    ("content", "words"),
    [
        (b"", "The file is empty"),
        (b"Cognome\nB\0o\n", "neither a CSV nor an XLSX"),
        (b"%PDF-1.7", "neither a CSV nor an XLSX"),
        (b"Nome;Club\nIvo;x\n", "“Surname”"),
        (b"Cognome;Nome;Name\nBo;Ivo;x\n", "Keep one"),
        (b"Cognome\n", "There is no row"),
        (b"PK\x03\x04 not a zip", "This XLSX cannot be read"),
        (b'Cognome\n"Bo\n', "quotation marks"),
        (b"Cognome\n" * 7_000_000, "at most 5 MB"),
    ],
    ids=["empty", "NUL", "PDF", "columns", "twice", "no rows", "no zip", "quotes", "50 MB"],
)
def test_a_file_that_is_no_table_is_refused_in_words(
    sara: Client, content: bytes, words: str
) -> None:
    with nothing_written():
        answer = send(sara, content)
    assert answer.status_code == 422
    assert words in Page(answer).text


@db
@both
def test_a_form_without_a_file_or_with_something_else_is_refused(sara: Client) -> None:
    for form in ({}, {"file": "a text"}, {"file": ""}, {"another": "2"}):
        with nothing_written():
            assert sara.post("/giocatori/importa/", form).status_code == 422


@db
@both
def test_choices_that_are_no_rows_choose_nobody(sara: Client) -> None:
    make_player("Bo", "Ivo")
    report = send(sara, f"{TABLE}Bo;Ivo\r\nNuovo;Ugo\r\n")
    answer = confirm(sara, report, "x", "-1", "9" * 30, "٢", "3")
    assert answer.status_code == 302
    assert Player.objects.filter(sort_key="bo ivo").count() == 1


@db
@both
@pytest.mark.parametrize("language", ["it", "en"])
def test_what_is_taken_away_comes_back_as_the_same(cast: Cast, language: str) -> None:
    club = services.register_club('=Club; dei "pazzi"', "", cast.sara, NOW)
    services.register_player(
        *("-D'Àngelo", "+Zoè", cast.sara, NOW),
        club=club,
        town="@Bo",
        nationality="SM",
        email="zoe@example.org",
    )
    client = visitor(cast.sara, language)
    exported = client.get("/giocatori.csv")
    assert exported["Content-Type"] == "text/csv; charset=utf-8"
    report = send(client, exported.content)
    assert report.status_code == 200
    assert report.context["same"] == len(report.context["report"].rows) == Player.objects.count()
    assert report.context["report"].clubs == ()
    rows = {judged.row.surname: judged.row for judged in report.context["report"].rows}
    assert rows["-D'Àngelo"].club == club.name
    empty = send(client, client.get("/giocatori/importa/modello.csv").content)
    assert empty.status_code == 422


@db
def test_two_thousand_rows_against_two_thousand_players_are_judged_in_a_moment(cast: Cast) -> None:
    """By keys in common, not by comparing everybody with everybody, which takes half a minute."""
    people = invented(2000)
    Player.objects.bulk_create(
        Player(surname=s, name=n, sort_key=names.sort_key(s, n)) for s, n in people
    )
    rows = [row(line, s, f"{n}a") for line, (s, n) in enumerate(people, start=2)]
    begun = time.process_time()
    report = services.judge_players(rows)
    assert time.process_time() - begun < 6
    assert report.count(Verdict.NEW) == 0
    same = [row(line, "Rossi", "Mario") for line in range(2, 2002)]
    begun = time.process_time()
    assert services.judge_players(same).count(Verdict.TWICE) == 1999
    assert time.process_time() - begun < 6


def invented(count: int) -> Sequence[tuple[str, str]]:
    parts = ["ma", "ri", "no", "ro", "ti", "le", "san", "del", "vi", "co", "ne", "gra", "pel"]
    base = len(parts)
    return [
        (
            (parts[n % base] + parts[n // base % base] + parts[n * 7 % base]).title(),
            (parts[n // base**2 % base] + parts[n * 5 % base] + parts[n // 7 % base]).title(),
        )
        for n in range(count)
    ]
