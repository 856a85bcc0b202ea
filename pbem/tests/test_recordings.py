"""Games brought here from 18xx.games: what is kept of a file, what is refused, whose it is."""

from __future__ import annotations

import json
from collections.abc import Iterator
from typing import Any

import pytest
from django.core.files.uploadedfile import SimpleUploadedFile
from django.db import connection
from django.test.utils import CaptureQueriesContext
from django.urls import reverse
from django.utils import translation
from pytest_django import Settings

from figf.errors import Refused
from figf.models import LogEntry
from figf.tests.cast import DAY, NOW, Cast, Page, at_once, make_cast, make_member, visitor
from pbem import services
from pbem.models import Recording
from pbem.services import recordings
from tournaments import services as books

from .our_games import OURS, file_of, text_of
from .recorded import LONG, SHORT, as_bytes, bring, foreign

db = pytest.mark.django_db
both = pytest.mark.both


@pytest.fixture
def cast(db: None) -> Cast:
    return make_cast()


def refused(data: bytes, cast: Cast, **how: Any) -> Refused:
    """Why a file is not taken; nothing was written."""
    with pytest.raises(Refused) as caught:
        services.import_recording(data, cast.bruno, NOW, **how)
    assert not Recording.objects.exists()
    assert not LogEntry.objects.filter(verb="import_recording").exists()
    return caught.value


# --- what is kept ---------------------------------------------------------------------------------


@both
@pytest.mark.parametrize("name", OURS)
def test_the_moves_of_a_file_are_kept_and_lead_to_its_result(name: str, cast: Cast) -> None:
    file = file_of(name)
    found = bring(name)
    found.refresh_from_db()
    assert (found.title, found.preset, found.cut) == ("1830", file["figf"]["preset"], False)
    assert found.length == len(found.actions) == len(file["actions"])
    worth = [file["result"][str(one["id"])] for one in file["players"]]
    assert found.result == worth
    assert services.film(services.score_of(found)).at(found.length).result() == dict(
        zip(found.seats, worth, strict=True)
    )
    [entry] = LogEntry.objects.filter(verb="import_recording")
    assert (entry.actor, entry.subject_id) == (cast.bruno, found.pk)
    assert entry.data == {"title": "1830", "actions": found.length}


def test_nothing_else_of_a_file_is_kept(cast: Cast) -> None:
    """No account, no name, no word of the chat, no date: the players are the seats."""
    found, _new = services.import_recording(as_bytes(foreign()), cast.bruno, NOW)
    row = json.dumps(Recording.objects.filter(pk=found.pk).values().get(), default=str)
    for told in ("7700", "utente", "scrivimi", "example.org", "16000", "created_at", "hs_figf"):
        assert told not in row
    assert {one["actor"] for one in found.actions if one["actor"].isdigit()} == {"1", "2"}
    assert found.result == bring(SHORT).result
    with translation.override("en"):
        assert services.names_of(found) == {"1": "Player 1", "2": "Player 2"}


def test_the_names_of_a_file_are_kept_when_its_importer_says_so(cast: Cast) -> None:
    file = foreign()
    file["players"][0]["name"] = "  Anna\n<b>  " + "x" * 60
    found, _new = services.import_recording(as_bytes(file), cast.bruno, NOW, keep_names=True)
    assert found.names == ["Anna <b> " + "x" * 31, "utente_770002"]
    assert "7700" not in json.dumps(found.actions)


def test_a_game_ended_by_hand_is_whole(cast: Cast) -> None:
    file = foreign()
    file["actions"] = file["actions"][:100]
    file["actions"].append({"type": "end_game", "entity": 770_001, "entity_type": "player"})
    found, _new = services.import_recording(as_bytes(file), cast.bruno, NOW)
    assert (found.length, found.cut) == (99, False)  # one of the hundred was a word of the chat


@both
def test_a_file_is_one_recording_for_each_person(cast: Cast) -> None:
    data = text_of(SHORT).encode()
    first, new = services.import_recording(data, cast.bruno, NOW)
    again, anew = services.import_recording(data, cast.bruno, NOW + DAY, label="altro nome")
    assert (new, anew, again) == (True, False, first)
    assert LogEntry.objects.filter(verb="import_recording").count() == 1
    assert again.label == "altro nome"
    [entry] = LogEntry.objects.filter(verb="rename_recording")
    assert (entry.actor, entry.subject_id, entry.data) == (cast.bruno, first.pk, {"title": "1830"})
    kept, _new = services.import_recording(data, cast.bruno, NOW + 2 * DAY)
    assert kept.label == "altro nome"  # no label takes none away
    assert LogEntry.objects.filter(verb="rename_recording").count() == 1
    others, _new = services.import_recording(data, cast.dino, NOW)
    named, _new = services.import_recording(data, cast.bruno, NOW, keep_names=True)
    assert len({one.key for one in (first, others, named)}) == 3
    assert all(len(one.key) >= 22 for one in (first, others, named))


@pytest.mark.django_db(transaction=True)
@both
def test_the_same_file_sent_twice_at_once_is_one_recording() -> None:
    bruno, data = make_cast().bruno, text_of(SHORT).encode()
    deeds = [lambda: services.import_recording(data, bruno, NOW)] * 3
    outcome = at_once(*deeds)
    assert sorted(new for _found, new in outcome) == [False, False, True]
    assert Recording.objects.count() == 1


# --- what is refused ------------------------------------------------------------------------------


def without(key: str) -> bytes:
    file = foreign()
    del file[key]
    return as_bytes(file)


@db
@pytest.mark.parametrize(
    ("data", "reason"),
    [
        (b" " * (services.LARGEST_FILE + 1), "file_too_large"),
        (b"", "file_malformed"),
        (b"\xff\xfe", "file_malformed"),
        (text_of(SHORT)[:-9].encode(), "file_malformed"),
        (b"[" * 100_000, "file_malformed"),
        (b"[]", "file_malformed"),
        (b'{"title": NaN}', "file_malformed"),
        (without("title"), "file_malformed"),
        (as_bytes(foreign() | {"title": 1830}), "file_malformed"),
        (as_bytes(foreign() | {"title": "1889"}), "no_engine"),
        (as_bytes(foreign() | {"title": "1849" * 9999}), "no_engine"),
        (without("players"), "file_malformed"),
        (as_bytes(foreign() | {"players": [1, 2]}), "file_malformed"),
        (as_bytes(foreign() | {"players": foreign()["players"] * 2}), "file_malformed"),
        (without("actions"), "file_malformed"),
        (as_bytes(foreign() | {"actions": {"0": 1}}), "file_malformed"),
        (as_bytes(foreign() | {"settings": {"optional_rules": ["beginner"]}}), "file_malformed"),
        (as_bytes(foreign() | {"actions": []}), "no_actions"),
    ],
)
def test_what_is_no_game_that_can_be_replayed_is_refused(data: bytes, reason: str) -> None:
    refusal = refused(data, make_cast())
    assert refusal.reason == reason
    assert refusal.field == "file"
    assert len(str(refusal.text)) < 300


def test_the_limits_are_those_announced() -> None:
    assert services.LARGEST_FILE == 2_000_000
    assert services.MOST_ACTIONS == 5_000
    assert services.LONGEST_REPLAY.total_seconds() == 10


def test_a_game_with_too_many_actions_is_refused(cast: Cast) -> None:
    """5,000 are kept, with what plays nothing counted: no more work is done for anybody."""
    file = foreign()
    program = {"type": "program_share_pass", "entity": 770_001, "entity_type": "player"}
    played = file["actions"]
    file["actions"] = [*[program] * (5_001 - len(played) + 1), *played]  # the chat is not counted
    assert refused(as_bytes(file), cast).reason == "too_many_actions"
    file["actions"].pop(0)
    found, _new = services.import_recording(as_bytes(file), cast.bruno, NOW)
    assert found.length == len(played) - 1


def test_a_replay_is_stopped_after_its_time(cast: Cast) -> None:
    data, ticks = text_of(SHORT).encode(), len(file_of(SHORT)["actions"])

    def ticking(seconds: float) -> Iterator[float]:
        now = 1000.0
        while True:
            yield now
            now += seconds

    slow = ticking(10 / (ticks - 1))
    assert refused(data, cast, clock=lambda: next(slow)).reason == "replay_too_long"
    fair = ticking(10 / (ticks + 1))
    found, _new = services.import_recording(data, cast.bruno, NOW, clock=lambda: next(fair))
    assert found.length == ticks


def test_an_action_that_the_engine_refuses_is_told_with_its_number_and_its_reason(
    cast: Cast,
) -> None:
    """1830/A-3 — the first bid on a private is its price and five dollars at least."""
    file = file_of("bank_18xx_3")
    assert file["actions"][1]["company"] == "DH"  # which costs 70
    file["actions"][1]["price"] = 71
    refusal = refused(as_bytes(file), cast)
    assert refusal.reason == "action_refused"
    assert "2" in str(refusal.text)
    assert "$75" in str(refusal.text)
    found, _new = services.import_recording(as_bytes(file), cast.bruno, NOW, keep_cut=True)
    assert (found.length, found.cut) == (1, True)


def test_a_damaged_file_is_told_by_its_entry_and_with_the_detail(cast: Cast) -> None:
    """Nobody mends such a file by hand: it is exported again."""
    file = file_of("bank_18xx_3")
    file["actions"][1]["price"] = "settanta"
    with translation.override("en"):
        refusal = refused(as_bytes(file), cast)
    assert refusal.reason == "file_malformed"
    assert str(refusal.text) == (
        "The file is damaged at entry 2: export the game again. "
        "(price: 'settanta' is not a whole number)"
    )
    with translation.override("en"):
        refusal = refused(without("players"), cast)
    assert str(refusal.text).startswith("The file is damaged: export the game again. (players")


def test_a_run_that_the_file_has_earn_what_its_routes_do_not_pay_is_told(cast: Cast) -> None:
    """The routes are what is played: the figure beside them is nobody's move."""
    file = file_of(SHORT)
    runs = [n for n, one in enumerate(file["actions"], 1) if one["type"] == "run_routes"]
    n = runs[3]
    run = file["actions"][n - 1]
    told: list[str] = []
    honest = bring(SHORT, cast.dino, note=told.append)
    assert told == []
    run["routes"][0]["revenue"] = 9999
    with translation.override("en"):
        found, _new = services.import_recording(as_bytes(file), cast.bruno, NOW, note=told.append)
    [said] = told
    assert said.startswith("The file says $")
    assert f"in action {n}, where its routes pay $" in said
    assert found.result == honest.result


def test_nothing_is_kept_of_a_game_whose_first_action_is_refused(cast: Cast) -> None:
    file = file_of(SHORT)
    file["actions"][0]["price"] = 1
    assert refused(as_bytes(file), cast, keep_cut=True).reason == "no_actions"


def test_one_keeps_so_many_and_no_more(cast: Cast, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(recordings, "MOST_RECORDINGS", 2)
    for name in OURS[:2]:
        bring(name)
    with pytest.raises(Refused) as caught:
        bring(OURS[2])
    assert caught.value.reason == "too_many_recordings"
    assert bring(OURS[0]) in Recording.objects.all()  # it is there already
    assert bring(OURS[2], cast.dino).user == cast.dino


# --- pages ----------------------------------------------------------------------------------------


def send(browser: Any, data: bytes, **more: Any) -> Any:
    file = SimpleUploadedFile("partita.json", data, "application/json")
    return browser.post(reverse("recording_import"), {"file": file, **more})


@both
def test_a_game_is_brought_looked_at_by_a_link_and_deleted(cast: Cast) -> None:
    browser = visitor(cast.bruno)
    answer = send(browser, text_of(SHORT).encode(), label="Due amici", keep_names="on")
    found = Recording.objects.get()
    assert answer.url == found.get_absolute_url() == f"/partite/registrate/{found.key}/"
    assert "who has its address can see it" in Page(browser.get(answer.url)).text
    stranger = visitor()
    page = stranger.get(answer.url)
    assert page["X-Robots-Tag"] == "noindex"
    text = Page(page).text
    assert "Due amici" in text
    assert "Anna, Bruno." in text
    assert "bruno@example.org" not in page.content.decode()
    assert "Delete" not in text

    again = browser.post(reverse("recording_import"), {})
    assert again.status_code == 422
    again = send(browser, text_of(SHORT).encode(), keep_names="on", label="Tre amici")
    assert again.url == found.get_absolute_url()
    assert "already: this is its game, Tre amici." in Page(browser.get(again.url)).text
    listed = Page(browser.get(reverse("recording_list"))).text
    for worth in found.result:
        assert f"${worth}" in listed

    assert visitor(cast.dino).post(reverse("recording_delete", args=[found.key])).status_code == 404
    assert Recording.objects.exists()
    answer = browser.post(reverse("recording_delete", args=[found.key]))
    assert answer["Location"] == reverse("recording_list")
    assert not Recording.objects.exists()
    assert stranger.get(found.get_absolute_url()).status_code == 404
    [entry] = LogEntry.objects.filter(verb="delete_recording")
    assert (entry.actor, entry.subject_id, entry.data) == (cast.bruno, found.pk, {"title": "1830"})


def test_a_refusal_is_told_at_the_field_and_nothing_is_kept(cast: Cast) -> None:
    browser = visitor(cast.bruno)
    answer = send(browser, b"x" * 2_000_001)
    assert answer.status_code == 422
    assert "larger than 2 MB" in Page(answer).text
    answer = send(browser, as_bytes(foreign() | {"title": "<b>1889"}))
    assert answer.status_code == 422
    assert "&lt;b&gt;1889" in answer.content.decode()
    answer = send(browser, text_of(SHORT).encode(), label="x" * 81)
    assert answer.status_code == 422
    assert not Recording.objects.exists()


def test_one_sees_one_s_own_recordings_alone(cast: Cast) -> None:
    bring(SHORT, cast.bruno, label="di Bruno")
    bring(LONG, cast.dino, label="di Dino")
    text = Page(visitor(cast.bruno).get(reverse("recording_list"))).text
    assert "di Bruno" in text
    assert "di Dino" not in text
    assert "458" in text


def test_the_list_asks_no_more_with_many_recordings(cast: Cast) -> None:
    counts = []
    for name in OURS[:3]:
        bring(name)
        browser = visitor(cast.bruno)
        with CaptureQueriesContext(connection) as captured:
            browser.get(reverse("recording_list"))
        counts.append(len(captured))
        assert not any('"actions"' in query["sql"] for query in captured)
    assert counts[0] == counts[2]


# --- a person's data ------------------------------------------------------------------------------


def test_a_recording_is_among_a_person_s_data_and_goes_with_him(
    cast: Cast, settings: Settings
) -> None:
    """What was his alone is handed out, and deleted."""
    piera = make_member("piera", "Passaggiolivello", "Piera", cast.sara)
    found = bring(SHORT, piera, label="di Piera")
    kept = bring(SHORT, cast.bruno)
    player = piera.player
    [row] = books.person_export(player)["rows"]["pbem.recording.user"]
    assert row["label"] == "di Piera"
    assert row["actions"] == found.actions
    books.forget_player(player, cast.sara, NOW + DAY, "Passaggiolivello")
    assert list(Recording.objects.all()) == [kept]
