"""The log: who did what, when, by ids; entries are only added."""

from __future__ import annotations

import json
import re
from collections.abc import Callable
from decimal import Decimal

import pytest
from django.db import connection, transaction
from django.test.utils import CaptureQueriesContext

from figf.models import LogEntry, User
from figf.tests.cast import (
    HOUR,
    NOW,
    Page,
    make_cast,
    make_event,
    make_federation,
    make_player,
    visitor,
)
from figf.texts import HELD
from figf.views.trays import id_of
from tournaments import services
from tournaments.models import Table

db = pytest.mark.django_db
both = pytest.mark.both


@db
@both
def test_an_entry_says_who_did_what_to_what_and_when() -> None:
    cast = make_cast()
    event = make_event(players=3)
    entry = LogEntry.objects.record(cast.alice, "tidy", event, NOW, prova=7)
    entry.refresh_from_db()
    assert (entry.at, entry.actor, entry.verb) == (NOW, cast.alice, "tidy")
    assert (entry.subject, entry.subject_id) == ("tournaments.event", event.pk)
    assert entry.data == {"prova": 7}
    by_the_site = LogEntry.objects.record(None, "tidy", event, NOW + HOUR)
    assert list(LogEntry.objects.about(event)[:2]) == [by_the_site, entry]  # the latest first


def save_again(entry: LogEntry) -> None:
    entry.verb = "nothing"
    entry.save()


def write_many_again(entry: LogEntry) -> None:
    entry.verb = "nothing"
    LogEntry.objects.bulk_update([entry], ["verb"])


ATTEMPTS: dict[str, Callable[[LogEntry], object]] = {
    "update all": lambda _entry: LogEntry.objects.update(verb="nothing"),
    "update some": lambda entry: LogEntry.objects.filter(pk=entry.pk).update(verb="nothing"),
    "write many again": write_many_again,
    "delete all": lambda _entry: LogEntry.objects.all().delete(),
    "delete some": lambda entry: LogEntry.objects.about(entry.actor or entry).delete(),
    "save one again": save_again,
    "delete one": lambda entry: entry.delete(),
}


@db
@both
@pytest.mark.parametrize("attempt", ATTEMPTS.values(), ids=list(ATTEMPTS))
def test_entries_are_neither_changed_nor_deleted(attempt: Callable[[LogEntry], object]) -> None:
    make_cast()
    before = list(LogEntry.objects.order_by("pk").values())
    with pytest.raises(TypeError, match="append-only"), transaction.atomic():
        attempt(LogEntry.objects.filter(verb="create_user").earliest("pk"))
    assert list(LogEntry.objects.order_by("pk").values()) == before


@db
def test_a_log_in_named_by_the_log_cannot_be_deleted() -> None:
    cast = make_cast()
    client = visitor(cast.sara)
    client.post(f"/admin/figf/user/{cast.dino.pk}/delete/", {"post": "yes"})
    assert User.objects.filter(pk=cast.dino.pk).exists()


@db
@both
def test_a_whole_season_is_logged_by_ids_and_names_nobody() -> None:
    make_federation()
    verbs = set(LogEntry.objects.values_list("verb", flat=True))
    assert verbs >= {
        "create_user",
        "register_player",
        "claim",
        "decide_claim",
        "appoint_referee",
        "open_season",
        "register_title",
        "create_event",
        "set_status",
        "add_prova",
        "enrol",
        "seat_round",
        "record_table",
        "invite",
        "open_draw",
        "contribute",
        "reveal_draw",
        "record_receipt",
        "request_email_change",
    }
    written = json.dumps(list(LogEntry.objects.values_list("data", flat=True)))
    people = ("Bruno", "Binario", "Alice", "Direttissima", "Sportello", "Scompartimento")
    assert [name for name in people if name in written] == []
    assert re.findall(r"[\w.]+@[\w.]+", written) == []
    assert set(LogEntry.objects.values_list("at", flat=True)) <= {
        NOW,
        *(NOW + HOUR * n / 60 for n in range(1, 61)),
    }


@db
def test_the_log_is_read_by_secretaries() -> None:
    federation = make_federation()
    page = Page(visitor(federation.cast.sara).get("/registro/"))
    assert "confirmed the result" in page.text
    assert "Alice Direttissima" in page.text
    assert "the site" in page.text  # who revealed the draw
    assert visitor(federation.cast.alice).get("/registro/").status_code in {302, 403, 404}


@db
@both
def test_the_log_calls_by_name_what_is_still_there() -> None:
    federation = make_federation()
    client = visitor(federation.cast.sara, "it")
    page = Page(client.get("/registro/"))
    assert "tavolo Festa del Binario Morto, 1830, tavolo 1" in page.text
    assert f"/tavoli/{federation.played.pk}/" in page.links
    assert "evento Raduno della Vecchia Stazione" in page.text
    assert "giocatore Scompartimento Silvio" in page.text
    services.remove_past_event(federation.past, "Doppio", federation.cast.sara, NOW)
    page = Page(client.get("/registro/"))
    assert "evento Raduno della Vecchia Stazione" not in page.text
    assert f"evento {federation.past.pk}" in page.text


@db
@both
def test_what_an_entry_holds_is_told_plainly() -> None:
    cast = make_cast()
    event = make_event(players=3)
    services.amend_event(event, cast.sara, NOW, venue="Stazione", fee=Decimal(12))
    LogEntry.objects.record(cast.sara, "close_event", event, NOW, before="running", player=None)
    client = visitor(cast.sara)
    client.post(
        f"/admin/figf/user/{cast.dino.pk}/change/",
        {"email": "dino@example.com", "name": "Dino D.", "language": "it", "is_active": "on"},
    )
    [table] = Table.objects.all()
    LogEntry.objects.record(cast.sara, "void_table", table, NOW, reason="Scatola incompleta")
    LogEntry.objects.record(cast.sara, "import_event", event, NOW, created=False, seat=7)
    page = Page(client.get("/registro/")).text
    for words in (
        "fields: venue, fee",
        "before: under way",
        "fields: e-mail address, name",
        "reason: Scatola incompleta",
        "event made new: no",
        "seat: 7",
    ):
        assert words in page
    assert "None" not in page
    assert "['" not in page


@db
def test_every_key_of_the_log_has_its_words() -> None:
    make_federation()
    keys = {key for data in LogEntry.objects.values_list("data", flat=True) for key in data}
    assert len(keys) > 10
    assert [key for key in keys if key not in HELD and id_of(key) is None] == []


@db
@both
def test_the_log_asks_as_often_for_many_names_as_for_few() -> None:
    cast = make_cast()
    client = visitor(cast.sara)

    def asked() -> int:
        client.get("/registro/")
        with CaptureQueriesContext(connection) as captured:
            assert client.get("/registro/").status_code == 200
        return len(captured)

    event = make_event(players=3)
    few = asked()
    for n in range(30):
        make_player(f"Passeggero {n}")
        LogEntry.objects.record(cast.sara, "tidy", event.prove.get(), NOW)
    many = asked()
    assert many <= few + 1  # the kind of thing that was not there before
