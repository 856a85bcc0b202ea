"""The dice: a promise, everybody's words, the throws at the stated hour, and anyone's check."""

from __future__ import annotations

import json
import subprocess
import sys
from datetime import UTC, datetime, timedelta
from functools import partial
from pathlib import Path
from typing import Any

import pytest
from django.db import transaction

from figf import dice, services, tasks
from figf.dice import Problem, Receipt, problems
from figf.errors import Refused
from figf.models import Draw, Email, LogEntry, User
from figf.tests.cast import (
    DAY,
    HOUR,
    MINUTE,
    NOW,
    Cast,
    Page,
    at_once,
    make_cast,
    visitor,
)

db = pytest.mark.django_db
both = pytest.mark.both
SECOND = timedelta(seconds=1)
CLOSES = NOW + HOUR


@pytest.fixture
def cast() -> Cast:
    return make_cast()


def open_draw(cast: Cast, *, now: datetime = NOW, closes_at: datetime | None = None) -> Draw:
    """Dice for Alice, Bruno and Elsa, who has no log-in, to be thrown after an hour.

    Thirty: so that other words never give the same throws by chance.
    """
    return services.open_draw(
        "Ordine di gioco: Alice, Bruno, Elsa",
        [cast.alice, cast.bruno, "Elsa Espresso"],
        30,
        closes_at or now + HOUR,
        cast.sara,
        now,
    )


def revealed(cast: Cast) -> Draw:
    draw = open_draw(cast)
    services.contribute(draw, cast.bruno, "fischio", NOW + MINUTE)
    assert services.reveal_draw(draw.pk, CLOSES)
    return Draw.objects.get(pk=draw.pk)


def download(draw: Draw, user: User | None = None) -> Any:
    answer = visitor(user).get(f"/dadi/{draw.pk}/ricevuta.json")
    assert answer.status_code == 200
    return json.loads(answer.content)


# --- the promise ----------------------------------------------------------------------------------


@db
@both
def test_the_promise_is_published_logged_and_mailed_before_any_word(cast: Cast) -> None:
    draw = open_draw(cast)
    promise = draw.commitment
    assert promise == dice.commitment(draw.seed)
    assert [(c.position, c.label, c.word, c.received_at) for c in draw.contributions.all()] == [
        (1, "Alice Direttissima", "", None),
        (2, "Bruno Binario", "", None),
        (3, "Elsa Espresso", "", None),
    ]
    assert promise in visitor().get(f"/dadi/{draw.pk}/").content.decode()
    entry = LogEntry.objects.about(draw).get()
    assert (entry.verb, entry.actor, entry.at) == ("open_draw", cast.sara, NOW)
    assert entry.data == {"commitment": promise}
    mails = Email.objects.filter(key__startswith=f"draw:{draw.pk}:open:").order_by("key")
    assert [row.to for row in mails] == ["alice@example.org", "bruno@example.org"]
    assert all(promise in row.body for row in mails)


@db
def test_each_draw_has_a_seed_of_its_own(cast: Cast) -> None:
    assert open_draw(cast).seed != open_draw(cast).seed


@db
@both
def test_a_draw_that_makes_no_sense_is_not_opened(cast: Cast) -> None:
    before = LogEntry.objects.count()
    asked: dict[str, Any] = {
        "purpose": "x",
        "people": [cast.bruno],
        "count": 3,
        "closes_at": CLOSES,
        "by": cast.sara,
        "now": NOW,
        "sides": 6,
    }
    attempts: list[tuple[dict[str, Any], str, str]] = [
        ({"closes_at": NOW + 5 * MINUTE - SECOND}, "closes_too_soon", "closes_at"),
        ({"people": []}, "no_people", "people"),
        ({"people": ["Elsa", "Elsa"]}, "person_twice", "people"),
        ({"count": 0}, "bad_dice", "count"),
        ({"count": 201}, "bad_dice", "count"),
        ({"sides": 1}, "bad_dice", "count"),
        ({"sides": 101}, "bad_dice", "count"),
    ]
    for changed, reason, field in attempts:
        with pytest.raises(Refused) as refusal:
            services.open_draw(**{**asked, **changed})
        assert (refusal.value.reason, refusal.value.field) == (reason, field)
    assert (Draw.objects.count(), LogEntry.objects.count()) == (0, before)


@db
def test_five_minutes_are_notice_enough(cast: Cast) -> None:
    assert open_draw(cast, closes_at=NOW + 5 * MINUTE).pk


# --- the words ------------------------------------------------------------------------------------


@db
@both
def test_a_word_can_be_changed_until_the_hour_and_no_later(cast: Cast) -> None:
    draw = open_draw(cast)
    services.contribute(draw, cast.bruno, "primo", NOW + MINUTE)
    services.contribute(draw, cast.bruno, "  all'ultimo\n momento ", CLOSES)
    for late in (CLOSES + timedelta(microseconds=1), CLOSES + DAY):
        with pytest.raises(Refused) as refusal:
            services.contribute(draw, cast.bruno, "tardi", late)
        assert refusal.value.reason == "draw_closed"
    kept = draw.contributions.get(user=cast.bruno)
    assert (kept.word, kept.received_at) == ("all'ultimo momento", CLOSES)


@db
@both
def test_a_word_that_comes_after_the_reveal_is_refused_even_if_its_clock_is_slow(
    cast: Cast,
) -> None:
    draw = revealed(cast)
    with pytest.raises(Refused, match="draw_closed"):
        services.contribute(draw, cast.bruno, "dopo", CLOSES - MINUTE)
    assert draw.contributions.get(user=cast.bruno).word == "fischio"


@db
@both
def test_who_is_not_concerned_adds_no_word(cast: Cast) -> None:
    draw = open_draw(cast)
    for outsider in (cast.dino, cast.sara):
        with pytest.raises(Refused, match="not_concerned"):
            services.contribute(draw, outsider, "anch'io", NOW + MINUTE)
    assert set(draw.contributions.values_list("word", flat=True)) == {""}


@db
def test_the_log_tells_who_spoke_and_not_what(cast: Cast) -> None:
    draw = open_draw(cast)
    services.contribute(draw, cast.bruno, "zafferano", NOW + MINUTE)
    entry = LogEntry.objects.about(draw).get(verb="contribute")
    assert (entry.actor, entry.data) == (cast.bruno, {"position": 2})
    assert "zafferano" not in visitor(cast.sara).get("/registro/").content.decode()


@db
@both
def test_no_page_shows_seed_or_words_before_the_reveal(cast: Cast) -> None:
    draw = open_draw(cast, now=datetime.now(UTC))
    services.contribute(draw, cast.bruno, "zafferano", draw.opened_at + MINUTE)
    for user in (None, cast.dino, cast.alice, cast.sara):
        for path in ("/dadi/", f"/dadi/{draw.pk}/", f"/dadi/{draw.pk}/ricevuta.json", "/registro/"):
            shown = visitor(user).get(path).content.decode()
            assert draw.seed not in shown
            assert "zafferano" not in shown
    receipt = download(draw)
    assert (receipt["seed"], receipt["throws"]) == ("", [])
    assert [word for _label, word in receipt["people"]] == ["", "", ""]
    assert receipt["commitment"] == draw.commitment
    assert problems(Receipt.from_dict(receipt)) == [Problem.NOT_REVEALED]
    assert "zafferano" in visitor(cast.bruno).get(f"/dadi/{draw.pk}/").content.decode()  # his own


# --- the throws -----------------------------------------------------------------------------------


@db
@both
def test_nothing_is_thrown_before_the_hour(cast: Cast) -> None:
    draw = open_draw(cast)
    services.reveal_due_draws(CLOSES - SECOND)
    assert services.reveal_draw(draw.pk, CLOSES - SECOND) is None
    draw.refresh_from_db()
    assert (draw.revealed_at, draw.throws) == (None, None)


@db
@both
def test_at_the_hour_the_dice_are_thrown_shown_logged_and_mailed(cast: Cast) -> None:
    draw = open_draw(cast)
    services.contribute(draw, cast.bruno, "fischio", NOW + MINUTE)
    services.reveal_due_draws(CLOSES)
    draw.refresh_from_db()
    assert draw.revealed_at == CLOSES
    throws = draw.throws or []
    assert len(throws) == 30
    assert set(throws) <= {1, 2, 3, 4, 5, 6}
    entry = LogEntry.objects.about(draw).get(verb="reveal_draw")
    assert (entry.actor, entry.data["seed"], entry.data["throws"]) == (None, draw.seed, draw.throws)
    mails = Email.objects.filter(key__startswith=f"draw:{draw.pk}:revealed:").order_by("key")
    assert [row.to for row in mails] == ["alice@example.org", "bruno@example.org"]
    assert all(draw.seed in row.body and draw.commitment in row.body for row in mails)
    shown = visitor().get(f"/dadi/{draw.pk}/").content.decode()
    assert draw.seed in shown
    assert "fischio" in shown


@db(transaction=True)
@both
def test_many_sweeps_at_once_reveal_a_draw_exactly_once(cast: Cast) -> None:
    draws = [open_draw(cast) for _ in range(3)]
    outcome = at_once(*[lambda: services.reveal_due_draws(CLOSES)] * 4)
    assert [error for error in outcome if error is not None] == []
    services.reveal_due_draws(CLOSES + MINUTE)
    for draw in draws:
        first = Draw.objects.get(pk=draw.pk)
        assert first.revealed_at == CLOSES
        assert LogEntry.objects.about(draw).filter(verb="reveal_draw").count() == 1
        assert Email.objects.filter(key__startswith=f"draw:{draw.pk}:revealed:").count() == 2
        assert problems(first.as_receipt()) == []


@db(transaction=True)
def test_a_draw_in_other_hands_is_left_to_them(cast: Cast) -> None:
    draw = open_draw(cast)
    with transaction.atomic():
        Draw.objects.select_for_update().get(pk=draw.pk)
        assert at_once(lambda: services.reveal_draw(draw.pk, CLOSES)) == [None]
    assert services.reveal_draw(draw.pk, CLOSES)


@db(transaction=True)
@both
def test_a_word_and_the_reveal_that_meet_agree_with_the_receipt(cast: Cast) -> None:
    for _ in range(3):
        draw = open_draw(cast)
        word, _throw = at_once(
            partial(services.contribute, draw, cast.bruno, "al volo", CLOSES),
            partial(services.reveal_draw, draw.pk, CLOSES),
        )
        services.reveal_due_draws(CLOSES)
        draw = Draw.objects.get(pk=draw.pk)
        assert problems(draw.as_receipt()) == []
        accepted = draw.contributions.get(user=cast.bruno).word == "al volo"
        assert accepted == (not isinstance(word, Refused))


@db
@both
def test_a_draw_that_cannot_be_thrown_stops_no_other_and_is_flagged(cast: Cast) -> None:
    broken, sound = open_draw(cast), open_draw(cast)
    Draw.objects.filter(pk=broken.pk).update(seed="lost")
    services.reveal_due_draws(CLOSES)
    broken.refresh_from_db()
    sound.refresh_from_db()
    assert sound.revealed_at == CLOSES
    assert broken.revealed_at is None
    assert not broken.is_flagged(CLOSES + 10 * MINUTE)
    assert broken.is_flagged(CLOSES + 10 * MINUTE + SECOND)
    assert not sound.is_flagged(CLOSES + DAY)


@db
def test_a_draw_never_revealed_is_denounced_by_its_page_and_the_list(cast: Cast) -> None:
    draw = open_draw(cast)  # its hour passed long ago by every clock
    for path in (f"/dadi/{draw.pk}/", "/dadi/"):
        answer = visitor().get(path)
        assert answer.status_code == 200
        assert "not revealed" in Page(answer).text
    assert draw.seed not in visitor().get(f"/dadi/{draw.pk}/").content.decode()


@db
@both
def test_the_sweep_of_the_schedule_reveals_what_is_due(cast: Cast) -> None:
    draw = open_draw(cast)
    tasks.reveal_draws()
    draw.refresh_from_db()
    assert draw.revealed_at is not None


# --- anyone's check -------------------------------------------------------------------------------


@db
@both
def test_the_downloaded_receipt_verifies_with_the_downloaded_script(
    cast: Cast, tmp_path: Path
) -> None:
    draw = revealed(cast)
    receipt = download(draw)
    assert problems(Receipt.from_dict(receipt)) == []
    assert receipt["people"] == [
        ["Alice Direttissima", ""],
        ["Bruno Binario", "fischio"],
        ["Elsa Espresso", ""],
    ]
    assert receipt["throws"] == draw.throws
    # NOW is 15:00 in Greenwich; written as a moment, whatever the zone.
    assert datetime.fromisoformat(receipt["closes_at"]) == CLOSES
    script, file = tmp_path / "dice.py", tmp_path / "draw.json"
    script.write_bytes(visitor().get("/dadi/dice.py").content)
    file.write_text(json.dumps(receipt))
    assert check(script, file) == 0
    file.write_text(json.dumps({**receipt, "throws": [*receipt["throws"][::-1], 1]}))
    assert check(script, file) == 1


def check(script: Path, file: Path) -> int:
    """What a reader does on his own machine, far from Django."""
    return subprocess.run(
        [sys.executable, "-I", script.name, file.name],
        cwd=script.parent,
        capture_output=True,
        check=False,
        timeout=60,
    ).returncode


@db
@both
def test_whatever_is_altered_in_the_database_shows(cast: Cast) -> None:
    def found(draw: Draw) -> list[Problem]:
        return problems(Receipt.from_dict(download(draw)))

    other = dice.new_seed()
    draw = revealed(cast)
    Draw.objects.filter(pk=draw.pk).update(seed=other)
    assert found(draw) == [Problem.SEED_MISMATCH, Problem.THROWS_DIFFER]

    draw = revealed(cast)
    draw.contributions.filter(user=cast.bruno).update(word="fischi")
    assert found(draw) == [Problem.THROWS_DIFFER]

    draw = revealed(cast)
    Draw.objects.filter(pk=draw.pk).update(throws=[7 - value for value in draw.throws or []])
    assert found(draw) == [Problem.THROWS_DIFFER]

    draw = revealed(cast)
    Draw.objects.filter(pk=draw.pk).update(purpose="Ordine di gioco: Bruno, Alice, Elsa")
    assert found(draw) == [Problem.THROWS_DIFFER]

    draw = revealed(cast)
    Draw.objects.filter(pk=draw.pk).update(seed=other, commitment=dice.commitment(other))
    assert Problem.THROWS_DIFFER in found(draw)


@db
def test_a_seed_changed_with_its_promise_before_the_reveal_belies_log_and_mails(
    cast: Cast,
) -> None:
    draw = open_draw(cast)
    other = dice.new_seed()
    Draw.objects.filter(pk=draw.pk).update(seed=other, commitment=dice.commitment(other))
    services.reveal_due_draws(CLOSES)
    shown = download(draw)["commitment"]
    assert problems(Receipt.from_dict(download(draw))) == []  # coherent with itself, and yet:
    entry = LogEntry.objects.about(draw).get(verb="open_draw")
    assert entry.data["commitment"] == draw.commitment != shown
    mail = Email.objects.get(key=f"draw:{draw.pk}:open:1")
    assert draw.commitment in mail.body
    assert shown not in mail.body


# --- the pages ------------------------------------------------------------------------------------


@db
@both
def test_a_word_is_sent_from_the_page_and_acknowledged(cast: Cast) -> None:
    draw = open_draw(cast, now=datetime.now(UTC))
    client = visitor(cast.bruno)
    path = f"/dadi/{draw.pk}/"
    assert Page(client.get(path)).boxes["word"] in (None, "")
    assert client.post(path, {"word": "zafferano"})["Location"] == path
    assert Page(client.get(path)).boxes["word"] == "zafferano"
    assert "received" in Page(visitor().get(path)).text
    assert client.post(path, {"word": ""}).status_code == 302
    assert draw.contributions.get(user=cast.bruno).word == ""


@db
def test_a_word_too_long_is_refused_and_kept_on_the_page(cast: Cast) -> None:
    draw = open_draw(cast, now=datetime.now(UTC))
    long = "z" * 81
    answer = visitor(cast.bruno).post(f"/dadi/{draw.pk}/", {"word": long})
    assert answer.status_code == 422
    assert Page(answer).boxes["word"] == long
    assert answer.context["form"].errors["word"]


@db
@both
def test_a_word_sent_by_a_stranger_is_refused_in_words(cast: Cast) -> None:
    draw = open_draw(cast, now=datetime.now(UTC))
    answer = visitor(cast.dino).post(f"/dadi/{draw.pk}/", {"word": "anch'io"})
    assert answer.status_code == 422
    assert "does not concern you" in Page(answer).text
    assert set(draw.contributions.values_list("received_at", flat=True)) == {None}


@db
@both
def test_a_word_sent_by_nobody_in_particular_leads_to_the_log_in(cast: Cast) -> None:
    draw = open_draw(cast, now=datetime.now(UTC))
    answer = visitor().post(f"/dadi/{draw.pk}/", {"word": "ciao"})
    assert answer.status_code in {302, 403}
    assert set(draw.contributions.values_list("received_at", flat=True)) == {None}


@db
@both
def test_a_word_sent_from_a_page_left_open_past_the_hour_is_refused_in_words(cast: Cast) -> None:
    draw = open_draw(cast)
    answer = visitor(cast.bruno).post(f"/dadi/{draw.pk}/", {"word": "tardi"})
    assert answer.status_code == 422
    assert "words are no longer accepted" in Page(answer).text
    assert draw.contributions.get(user=cast.bruno).received_at is None


@db
@both
def test_a_secretary_opens_a_draw_and_nobody_else(cast: Cast) -> None:
    closes = datetime.now(UTC) + DAY
    asked = {
        "purpose": "Chi comincia",
        "people": [cast.bruno.pk, cast.alice.pk],
        "count": "2",
        "sides": "6",
        "closes_at": closes.strftime("%Y-%m-%dT%H:%M"),
    }
    for user in (None, cast.dino, cast.alice):
        assert visitor(user).post("/dadi/nuovo/", asked).status_code in {302, 403, 404}
    assert Draw.objects.count() == 0
    client = visitor(cast.sara)
    attempts: list[dict[str, Any]] = [
        {"count": "0"},
        {"count": "x"},
        {"sides": "101"},
        {"people": []},
        {"people": ["999999"]},
        {"closes_at": "never"},
        {"purpose": ""},
        {"closes_at": "2020-01-01T10:00"},
        {"purpose": "z" * 121},
    ]
    for wrong in attempts:
        answer = client.post("/dadi/nuovo/", {**asked, **wrong})
        assert answer.status_code == 422, wrong
        assert answer.context["form"].errors, wrong
    assert Draw.objects.count() == 0
    answer = client.post("/dadi/nuovo/", asked)
    draw = Draw.objects.get()
    assert answer["Location"] == f"/dadi/{draw.pk}/"
    assert [c.label for c in draw.contributions.all()] == ["Alice Direttissima", "Bruno Binario"]


# --- receipts of outside servers ------------------------------------------------------------------


@db
@both
def test_the_receipt_of_an_outside_server_is_written_down(cast: Cast) -> None:
    people: list[User | str] = [cast.bruno, "Elsa"]
    draw = services.record_receipt(
        "Precedenza", people, [6, 1], " dice.example.net ", "Roll 41: 6 1\n", cast.sara, NOW
    )
    assert (draw.kind, draw.throws, draw.count) == ("receipt", [6, 1], 2)
    assert (draw.source, draw.receipt) == ("dice.example.net", "Roll 41: 6 1")
    assert [c.label for c in draw.contributions.all()] == ["Bruno Binario", "Elsa"]
    assert LogEntry.objects.about(draw).get().data == {"throws": [6, 1]}
    assert Page(visitor().get(f"/dadi/{draw.pk}/")).text.count("Roll 41: 6 1") == 1
    assert visitor().get(f"/dadi/{draw.pk}/ricevuta.json").status_code == 404
    assert not draw.is_flagged(NOW + DAY)


@db
@both
def test_a_receipt_that_says_nothing_is_refused(cast: Cast) -> None:
    given: dict[str, Any] = {
        "purpose": "x",
        "people": [],
        "throws": [6],
        "source": "a",
        "receipt": "b",
        "by": cast.sara,
        "now": NOW,
    }
    attempts: list[tuple[dict[str, Any], str]] = [
        ({"throws": [7, 1]}, "not_on_the_die"),
        ({"throws": [0]}, "not_on_the_die"),
        ({"throws": []}, "bad_dice"),
        ({"throws": [1] * 201}, "bad_dice"),
        ({"receipt": " \n"}, "no_receipt"),
        ({"source": " "}, "no_receipt"),
    ]
    for changed, reason in attempts:
        with pytest.raises(Refused, match=reason):
            services.record_receipt(**{**given, **changed})
    assert Draw.objects.count() == 0


@db
@both
def test_a_secretary_records_a_receipt_from_the_page(cast: Cast) -> None:
    given = {
        "purpose": "Precedenza",
        "source": "dice.example.net",
        "sides": "6",
        "throws": "6, 1 3",
        "receipt": "Roll 41",
    }
    for user in (None, cast.dino, cast.alice):
        assert visitor(user).post("/dadi/ricevuta/", given).status_code in {302, 403, 404}
    client = visitor(cast.sara)
    for wrong in ("6 x", "7", "", "-1", "1.5", "6 " * 201, "9" * 5000, "1" * 20):
        answer = client.post("/dadi/ricevuta/", {**given, "throws": wrong})
        assert answer.status_code == 422, wrong[:10]
        assert answer.context["form"].errors, wrong[:10]
    assert Draw.objects.count() == 0
    assert client.post("/dadi/ricevuta/", given).status_code == 302
    assert Draw.objects.get().throws == [6, 1, 3]


@db
def test_the_text_of_a_receipt_runs_nothing(cast: Cast) -> None:
    draw = services.record_receipt(
        "<script>alert(1)</script>",
        [],
        [6],
        "<b>x</b>",
        "<img src=x onerror=alert(1)> javascript:alert(1) https://example.net/41",
        cast.sara,
        NOW,
    )
    page = Page(visitor().get(f"/dadi/{draw.pk}/"))
    assert page.inline == []
    assert "https://example.net/41" in page.links
    assert not [link for link in page.links if link.startswith("javascript:")]
