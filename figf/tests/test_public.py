"""What the public gets: nobody's address, and every table as a file; what only services write."""

from __future__ import annotations

import csv
import io
import re
from datetime import UTC, datetime
from typing import Any

import pytest
from django.apps import apps
from django.contrib import admin
from django.test import RequestFactory

from figf.models import User
from figf.tests.cast import Federation, Page, make_federation, visitor
from figf.tests.test_every_page import LANGUAGES, PAGES, ROLES, path_of, people
from rankings.services import Stage
from rankings.tests.cups import make_supercoppa
from tournaments import services
from tournaments.models import Club, Event, Removal, Season, Title

db = pytest.mark.django_db
both = pytest.mark.both
ADDRESS = re.compile(r"[\w.+-]+@[\w-]+(?:\.[\w-]+)+")


@pytest.fixture
def federation() -> Federation:
    now = datetime.now(UTC)
    found = make_federation(now)
    make_supercoppa(found.event.season.year, Stage.WINNER, now)
    return found


# --- people's addresses ---------------------------------------------------------------------------

# Whoever has the link knows the address: it was sent there.
BY_LINK = {"confirm_email", "invitation"}


@db
@both
@pytest.mark.parametrize("language", LANGUAGES)
@pytest.mark.parametrize("role", ["nobody", "stranger", "player", "director"])
def test_nobody_reads_another_s_address(role: str, language: str, federation: Federation) -> None:
    """On no page and in no file; one's own, and the one he asks for, are on one's own pages."""
    user = people(federation)[ROLES.index(role)]
    client = visitor(user, language)
    own = {user.email} if user else set()
    shown = set()
    for name, where, _expected in PAGES:
        if name in BY_LINK:
            continue
        found = set(ADDRESS.findall(client.get(path_of(name, where, federation)).content.decode()))
        if role == "player" and name in {"account", "my_data"}:
            found -= {"bruno.nuovo@example.org"}
        shown |= {(name, address) for address in found - own}
    assert shown == set()


# --- every table as a file ------------------------------------------------------------------------

# Pages with a table and no file of their own, and why.
NO_FILE = {
    "draw",  # its words and throws are a JSON receipt
    "entry_list",  # who runs the event takes it away, with what he needs of it
    "publication_list",  # a list of pages, each with its file
    "supercoppa_list",  # the same
    "teams_list",  # the same
    "club",  # the file of the ranking has the clubs
    "regulation_text",  # its tables are the regulation's own
    "title_list",  # its tables are what is printed, and the file with it is in the code
    "title_page",  # the same
    *("recording", "recording_position", "game_replay", "game_position"),  # papers of one moment
}


def lines(answer: Any) -> list[list[str]]:
    """The rows of a CSV, its titles first."""
    assert answer["Content-Type"].startswith("text/csv")
    return list(csv.reader(io.StringIO(answer.content.decode("utf-8-sig")), delimiter=";"))


@db
@both
def test_an_organiser_s_address_is_for_who_has_logged_in(federation: Federation) -> None:
    cast, address = federation.cast, "treni@example.org"
    now = datetime.now(UTC)
    event = services.amend_event(federation.hall, cast.sara, now, organiser_contact=address)
    page = event.get_absolute_url()
    assert address not in Page(visitor().get(page)).text
    assert address in Page(visitor(cast.dino).get(page)).text
    services.amend_event(event, cast.sara, now, organiser_contact="al bar della stazione")
    assert "al bar della stazione" in Page(visitor().get(page)).text


@db
@both
def test_every_table_shown_is_a_file_too(federation: Federation) -> None:
    client = visitor()
    with_table, with_file = set(), set()
    for name, where, _expected in PAGES:
        answer = client.get(path_of(name, where, federation))
        if answer.status_code != 200 or not answer["Content-Type"].startswith("text/html"):
            continue
        page = Page(answer)
        files = {link for link in page.links if link.partition("?")[0].endswith(".csv")}
        for file in files:
            titles, *_rows = lines(client.get(file))
            assert all(titles), file
        if files:
            with_file.add(name)
        if 'class="timetable' in answer.content.decode():
            with_table.add(name)
    assert with_table - with_file == NO_FILE
    assert {"ranking", "absolute", "event_standing", "seating", "table"} <= with_file


@db
@both
def test_the_file_of_a_table_has_what_its_page_has(federation: Federation) -> None:
    """C-01, C-04: 7500, 7200, 6600 and 0 are 1540, 960, 880 and 0 by hand."""
    titles, *rows = lines(visitor().get(f"/tavoli/{federation.played.pk}/risultato.csv"))
    assert titles == [
        *("Place", "Surname", "First name", "Remarks", "Shares", "Cash", "Handicap"),
        *("Total", "Base", "Bonus", "Percentile"),
    ]
    assert rows[0][:4] == ["1", "Binario", "Bruno", ""]
    assert [row[7:] for row in rows] == [
        ["7500", "1000.00", "540.00", "1540.00"],
        ["7200", "960.00", "0.00", "960.00"],
        ["6600", "880.00", "0.00", "880.00"],
        ["0", "0.00", "0.00", "0.00"],
    ]


@db
@both
def test_who_was_struck_off_has_no_name_in_the_file_of_a_table(federation: Federation) -> None:
    """O-16."""
    cast = federation.cast
    Removal.objects.create(
        player=cast.bruno.player,
        level=Removal.Level.ALL,
        ruling="Radiazione",
        made_by=cast.sara,
        made_at=datetime.now(UTC),
    )
    client = visitor()
    _titles, *rows = lines(client.get(f"/tavoli/{federation.played.pk}/risultato.csv"))
    assert rows[0][:4] == ["1", "a player struck off", "", ""]
    _titles, *rows = lines(client.get("/albo.csv"))
    assert "Binario" not in {row[3] for row in rows}
    assert client.get(f"/ranking/{cast.bruno.player.pk}.csv").status_code == 404


@db
@both
def test_the_roll_of_honour_the_referees_and_a_ranking_over_time_are_files() -> None:
    federation = make_federation(datetime.now(UTC))
    year = str(federation.past.season.year)
    client = visitor()
    _titles, *rows = lines(client.get("/albo.csv"))
    assert rows == [
        [year, "First of an event", federation.past.name, "Binario", "Bruno", "", ""],
        ["2010", "Absolute Champion", "", "Carrozza", "Carla", "", ""],
        ["2010", "Specialty Champion", "1830", "Carrozza", "Carla", "", ""],
        ["2010", "First of an event", "Raduno del Vapore", "Carrozza", "Carla", "", ""],
    ]
    assert lines(client.get("/arbitri.csv"))[1:] == [
        ["Carrozza", "Carla", "2020-01-01", ""],
        ["Direttissima", "Alice", "2020-01-01", ""],
    ]
    history = lines(client.get(f"/ranking/{federation.cast.bruno.player.pk}.csv"))
    assert history[0] == ["Day", "Place", "Players", "Points", "After"]
    day = federation.past.ends_on.isoformat()
    assert history[-1] == [day, "1", "3", "120", federation.past.name]


@db
@both
def test_the_supercoppa_is_a_file(federation: Federation) -> None:
    """I-01, I-03: 6000 of 8000 is the third of A, 7000 of 9000 that of B, and goes on."""
    year = federation.event.season.year
    _titles, *rows = lines(visitor().get(f"/supercoppa/{year}/campo.csv"))
    assert [row[0] for row in rows] == [str(n) for n in range(1, 11)]
    assert "Passeggero 10" not in {row[1] for row in rows}  # he does not play
    by_name = {row[1]: row for row in rows}
    assert by_name["Passeggero 09"][2:] == [
        *("Specialty Champion 1830", "A (1)", "3", "750.00", "", "", ""),
    ]
    assert by_name["Passeggero 07"][3:7] == ["B (2)", "3", "777.78", "Final"]


@db
@both
def test_a_cup_has_no_factor_in_the_calendar(federation: Federation) -> None:
    """E-05, A-06: an event of one prova is worth two; a cup, of two, is worth nothing."""
    year = federation.event.season.year
    client = visitor()
    titles, *rows = lines(client.get(f"/eventi/calendario.csv?stagione={year}"))
    factors = {row[titles.index("Event")]: row[titles.index("FE")] for row in rows}
    cup = Event.objects.get(kind=Event.Kind.CUP, season__year=year)
    assert factors[federation.event.name] == "2"
    assert factors[cup.name] == ""
    page = client.get(f"/eventi/?stagione={year}").content.decode()
    row = page[page.index(f">{cup.name}</a>") :].partition("</tr>")[0]
    assert 'data-label="FE">–</td>' in row


# --- what only services write ---------------------------------------------------------------------

WRITTEN_BY_HAND = {User, Title, Club, Season}


@db
def test_the_administration_writes_clubs_titles_seasons_and_log_ins_only(
    federation: Federation,
) -> None:
    """All else is written by a service, or by nobody: what is shown there may only be read."""
    request = RequestFactory().get("/admin/")
    request.user = federation.cast.sara
    assert request.user.is_superuser
    rights = {
        model
        for model, pages in admin.site._registry.items()
        if pages.has_add_permission(request)
        or pages.has_change_permission(request)
        or pages.has_delete_permission(request)
    }
    assert rights == WRITTEN_BY_HAND
    assert set(admin.site._registry) == WRITTEN_BY_HAND


@db
def test_the_administration_has_no_address_for_anything_else(federation: Federation) -> None:
    client = visitor(federation.cast.sara)
    shown = {f"/admin/{m._meta.app_label}/{m._meta.model_name}/" for m in WRITTEN_BY_HAND}
    for model in apps.get_models():
        path = f"/admin/{model._meta.app_label}/{model._meta.model_name}/"
        for way in ("", "add/", "1/change/", "1/delete/"):
            found = client.get(path + way).status_code
            assert found in {200, 302, 403} if path in shown else found == 404, path + way
