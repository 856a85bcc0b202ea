"""The referee fills the counting sheet in and sends it, the director confirms it (C-14).

Percentiles by hand: 7500, 7200 and 6600 are worth 1540, 960 and 880 (PCT-01).
"""

from __future__ import annotations

from collections.abc import Callable
from datetime import timedelta
from functools import partial
from typing import Any

import pytest
from django.db import IntegrityError, transaction
from django.utils import timezone

from figf.errors import Refused
from figf.models import Email, LogEntry, User
from figf.tests.cast import (
    HOUR,
    MINUTE,
    NOW,
    Cast,
    Page,
    at_once,
    make_cast,
    make_event,
    make_member,
    percentiles,
    record,
    reread,
    seats_of,
    tables_of,
    totals,
    visitor,
)
from tournaments import services
from tournaments.models import Event, Result, ResultLine, Round, Table
from tournaments.tests.test_views import WRONG, nothing_written, send, sheet, words_of_refusal

db = pytest.mark.django_db
both = pytest.mark.both


@pytest.fixture
def cast() -> Cast:
    return make_cast()


@pytest.fixture
def table(cast: Cast) -> Table:
    """Three seats of Alice's event under way; Carla referees."""
    return tables_of(make_event(players=3))[0]


def draft(table: Table, *amounts: int, by: User, version: int = 0, **more: Any) -> Result:
    more.setdefault("now", NOW)
    return services.send_draft(
        table.pk, totals(table, *amounts), version, by, more.pop("now"), **more
    )


def refused(deed: Callable[..., object], *given: Any, **more: Any) -> tuple[str, str]:
    """Reason and article of the refusal of `deed`, having checked that nothing was written."""
    with nothing_written(), pytest.raises(Refused) as refusal:
        deed(*given, **more)
    assert str(refusal.value.text)
    return refusal.value.reason, refusal.value.rule


def history(table: Table) -> list[tuple[int, str, str, str]]:
    return [
        (r.version, r.state, r.by.name, r.entered_by.name if r.entered_by else "–")
        for r in reread(table).results.all()
    ]


ALICE, CARLA, SARA = "Alice Direttissima", "Carla Carrozza", "Sara Sportello"


# --- the service ----------------------------------------------------------------------------------


@db
@both
def test_a_draft_counts_for_nothing_and_is_mailed_to_nobody(cast: Cast, table: Table) -> None:
    mails = Email.objects.count()
    sent = draft(table, 7500, 7200, 6600, by=cast.carla)
    found = reread(table)
    assert (found.confirmed(), found.draft(), found.status) == (None, sent, "playing")
    assert percentiles(sent) == ["1540.00", "960.00", "880.00"]
    assert Email.objects.count() == mails
    assert LogEntry.objects.latest("pk").verb == "send_draft"
    prova = table.round.prova
    people = services.seating.entrants(prova, 2, {})
    assert {person.total for person in people} <= {None}
    assert services.credits_of(table.event) == []


@db
@both
def test_the_director_confirms_what_the_referee_sent(cast: Cast, table: Table) -> None:
    draft(table, 7500, 7200, 6600, by=cast.carla)
    result = record(table, 7500, 7200, 6600, version=1)
    assert history(table) == [(1, "draft", CARLA, CARLA), (2, "confirmed", ALICE, CARLA)]
    assert (result.reason, reread(table).draft()) == ("", None)
    assert LogEntry.objects.latest("pk").verb == "record_table"
    assert Email.objects.filter(to__contains="bruno", key__startswith="result:").count() == 1


@db
@both
def test_figures_that_the_director_changed_are_his(cast: Cast, table: Table) -> None:
    draft(table, 7500, 7200, 6600, by=cast.carla)
    record(table, 7500, 7200, 6000, version=1)
    assert history(table)[-1] == (2, "confirmed", ALICE, ALICE)


@db
@both
def test_a_second_draft_replaces_the_first_which_stays_readable(cast: Cast, table: Table) -> None:
    draft(table, 7500, 7200, 6600, by=cast.carla)
    second = draft(table, 7500, 7200, 6000, by=cast.carla, version=1)
    assert history(table) == [(1, "draft", CARLA, CARLA), (2, "draft", CARLA, CARLA)]
    assert reread(table).draft() == second
    record(table, 7500, 7200, 6000, version=2)
    assert history(table)[-1] == (3, "confirmed", ALICE, CARLA)


@db
@both
def test_the_same_draft_sent_twice_is_one(cast: Cast, table: Table) -> None:
    first = draft(table, 7500, 7200, 6600, by=cast.carla)
    with nothing_written():
        assert draft(table, 7500, 7200, 6600, by=cast.carla) == first
        assert draft(table, 7500, 7200, 6600, by=cast.carla, version=1) == first


@db
@both
def test_a_confirmation_sent_twice_over_a_draft_is_one(cast: Cast, table: Table) -> None:
    draft(table, 7500, 7200, 6600, by=cast.carla)
    first = record(table, 7500, 7200, 6600, version=1)
    with nothing_written():
        assert record(table, 7500, 7200, 6600, version=1) == first


@db
@both
def test_after_the_confirmation_nothing_is_sent_any_more(cast: Cast, table: Table) -> None:
    record(table, 7500, 7200, 6600)
    for version in (0, 1):
        told = refused(draft, table, 7500, 7200, 6600, by=cast.carla, version=version)
        assert told == ("already_confirmed", "C-14")


@db
@both
def test_a_draft_of_an_old_version_is_stale(cast: Cast, table: Table) -> None:
    draft(table, 7500, 7200, 6600, by=cast.carla)
    assert refused(draft, table, 9000, 7200, 6600, by=cast.sara)[0] == "stale"
    assert refused(draft, table, 9000, 7200, 6600, by=cast.carla)[0] == "stale"


@db
@both
def test_a_draft_that_came_meanwhile_stops_other_figures_and_not_the_same(
    cast: Cast, table: Table
) -> None:
    """Two who counted the same have nothing to check; the director looked before the draft came."""
    draft(table, 7500, 7200, 6600, by=cast.carla)
    assert refused(record, table, 7500, 7200, 6000)[0] == "stale"
    record(table, 7500, 7200, 6600)
    assert history(table)[-1] == (2, "confirmed", ALICE, CARLA)


@db
@both
def test_a_correction_after_a_draft_needs_its_reason(cast: Cast, table: Table) -> None:
    """C-15."""
    draft(table, 7500, 7200, 6600, by=cast.carla)
    record(table, 7500, 7200, 6600, version=1)
    assert refused(record, table, 7500, 7200, 6000, version=2) == ("reason_missing", "C-15")
    record(table, 7500, 7200, 6000, version=2, reason="ricontato")
    assert [state for _v, state, _b, _e in history(table)] == ["draft", "superseded", "confirmed"]
    assert history(table)[-1] == (3, "confirmed", ALICE, "–")


@db
@both
def test_what_a_sheet_is_refused_for_a_draft_is_refused_for_too(cast: Cast, table: Table) -> None:
    by = cast.carla
    assert refused(draft, table, 7500, -1, 6600, by=by) == ("total_negative", "C-08")
    assert refused(draft, table, 0, 0, 0, by=by)[0] == "winner_total_zero"
    assert refused(draft, table, 7000, 7000, 10, by=by) == ("tie_unchecked", "C-06")
    assert refused(draft, table, 2**31, 7000, 10, by=by) == ("total_too_large", "C-03")
    some = dict(list(totals(table, 3, 2, 1).items())[:2])
    assert refused(services.send_draft, table.pk, some, 0, by, NOW) == ("incomplete", "C-03")
    for status in ("enrolling", "closed", "cancelled"):
        Event.objects.filter(pk=table.event.pk).update(status=status)
        assert refused(draft, table, 3, 2, 1, by=by) == ("event_not_running", "C-15")
    Event.objects.filter(pk=table.event.pk).update(status="running")
    Round.objects.filter(pk=table.round_id).update(status="draft", published_at=None)
    assert refused(draft, table, 3, 2, 1, by=by) == ("round_not_published", "B-17")
    other = tables_of(make_event(players=3))[0]
    assert draft(other, 9, 9, 1, by=by, tie_checked=True).state == "draft"


@db
@both
def test_a_draft_holds_the_seating_where_it_is(cast: Cast, table: Table) -> None:
    """A result is in: the publication stays, and so do the referee and the start."""
    draft(table, 7500, 7200, 6600, by=cast.carla)
    seated = Round.objects.with_seating().get(pk=table.round_id)
    told = refused(services.withdraw_publication, seated, seated.edition, cast.alice, NOW)
    assert told == ("results_in", "B-15")
    assert refused(services.stop_table, table, cast.alice, NOW)[0] == "results_in"
    assert refused(services.name_referee, table, None, "", cast.alice, NOW)[0] == "results_in"


@db
@both
def test_the_database_admits_one_confirmed_result_and_no_correction_without_reason(
    cast: Cast, table: Table
) -> None:
    draft(table, 7500, 7200, 6600, by=cast.carla)
    record(table, 7500, 7200, 6600, version=1)
    wrong: list[dict[str, Any]] = [
        {"state": "confirmed", "entered_by": cast.carla},
        {"state": "superseded"},
    ]
    for more in wrong:
        with pytest.raises(IntegrityError), transaction.atomic():
            Result.objects.create(table=table, version=3, by=cast.sara, at=NOW, **more)


# --- at once --------------------------------------------------------------------------------------


@db(transaction=True)
@both
def test_a_draft_and_its_confirmation_at_once_are_one_confirmed_result(
    cast: Cast, table: Table
) -> None:
    """The same figures: whoever comes first, the table has one confirmed result."""
    sent, confirmed = at_once(
        partial(draft, table, 7500, 7200, 6600, by=cast.carla),
        partial(record, table, 7500, 7200, 6600),
    )
    assert isinstance(confirmed, Result)
    assert isinstance(sent, Result) or sent.reason == "already_confirmed"
    assert reread(table).confirmed() == confirmed
    assert Email.objects.filter(key__startswith="result:").count() == 1


@db(transaction=True)
@both
def test_other_figures_at_once_are_told_to_the_second_and_lost_to_nobody(
    cast: Cast, table: Table
) -> None:
    draft(table, 7500, 7200, 6600, by=cast.carla)
    sent, confirmed = at_once(
        partial(draft, table, 7500, 7200, 6000, by=cast.carla, version=1),
        partial(record, table, 7500, 7200, 6600, version=1),
    )
    told = [getattr(outcome, "reason", "") for outcome in (sent, confirmed)]
    assert told in (["already_confirmed", ""], ["", "stale"])
    assert Result.objects.count() == 2
    assert Result.objects.filter(state="confirmed").count() == told.count("already_confirmed")


@db(transaction=True)
@both
def test_of_many_who_confirm_a_draft_at_once_one_wins(cast: Cast, table: Table) -> None:
    draft(table, 7500, 7200, 6600, by=cast.carla)
    outcome = at_once(
        *[
            partial(record, table, 7500, 7200, 6600, version=1, by=by)
            for by in (cast.alice, cast.sara)
        ]
    )
    assert sorted(type(what).__name__ for what in outcome) == ["Refused", "Result"]
    assert [r.state for r in reread(table).results.all()] == ["draft", "confirmed"]


# --- the pages ------------------------------------------------------------------------------------


@db
@both
def test_the_referee_sends_and_the_director_confirms(cast: Cast, table: Table) -> None:
    path, seat = f"/tavoli/{table.pk}/", seats_of(table)[1]
    referee, director = visitor(cast.carla), visitor(cast.alice)
    assert f"{path}risultato/" in Page(referee.get(path)).links
    page = Page(referee.get(f"{path}risultato/"))
    assert "Send to the director" in page.text
    assert "Confirm the result" not in page.text
    assert "reason" not in page.boxes
    answer = send(referee, table, sheet(table, 7500, 7200, 6600))
    assert (answer.status_code, answer["Location"]) == (302, path)
    assert "sent to the director" in Page(referee.get(path)).text
    shown = Page(visitor().get(path)).text
    assert "sent, to be confirmed" in shown
    assert "1540" not in shown  # no figure before it is confirmed
    assert "7200" not in shown

    page = Page(director.get(f"{path}risultato/"))
    assert "Entered by Carla Carrozza at" in page.text
    assert "Confirm the result" in page.text
    assert (page.boxes[f"total-{seat.pk}"], page.boxes["version"]) == ("7200", "1")
    assert "1540" in page.text
    assert send(director, table, sheet(table, 7500, 7200, 6600, version=1)).status_code == 302
    shown = Page(visitor().get(path)).text
    assert "Confirmed by Alice Direttissima" in shown
    assert "The figures were entered by Carla Carrozza." in shown
    assert "corrected because" not in shown
    assert "earlier version" not in shown  # drafts are for who runs the event
    assert "sent by the referee" in Page(director.get(path)).text


@db
@both
def test_shares_and_cash_of_a_draft_are_prefilled(cast: Cast, table: Table) -> None:
    form: dict[str, Any] = {"version": "0"}
    for seat, stocks, cash in zip(
        seats_of(table), (6100, 6000, 5000), (1400, 1200, 1600), strict=True
    ):
        form |= {f"stocks-{seat.pk}": str(stocks), f"cash-{seat.pk}": str(cash)}
    assert send(visitor(cast.carla), table, form, parts="0").status_code == 302
    first = seats_of(table)[0].pk
    director = visitor(cast.alice)
    boxes = Page(director.get(f"/tavoli/{table.pk}/risultato/")).boxes
    assert (boxes[f"stocks-{first}"], boxes[f"cash-{first}"]) == ("6100", "1400")
    boxes = Page(director.get(f"/tavoli/{table.pk}/risultato/?totals=1")).boxes
    assert boxes[f"total-{first}"] == "7500"


MATRIX = {  # who: what the sheet answers, and what sending it writes
    "nobody": (302, None),
    "dino": (404, None),
    "bruno": (404, None),  # he plays at it
    "other": (404, None),  # he referees another table of the event
    "carla": (200, "draft"),
    "alice": (200, "confirmed"),
    "sara": (200, "confirmed"),
}


@db
@both
@pytest.mark.parametrize("who", MATRIX)
def test_each_may_write_what_he_should(cast: Cast, who: str) -> None:
    first, second = tables_of(make_event(players=6, sizes=[3, 3]))
    other = make_member("elio", "Espresso", "Elio", cast.sara)
    Table.objects.filter(pk=second.pk).update(referee=other.player)
    user = {"nobody": None, "other": other}.get(who, getattr(cast, who, None))
    status, state = MATRIX[who]
    client, path = visitor(user), f"/tavoli/{first.pk}/"
    assert client.get(f"{path}risultato/").status_code == status
    form = sheet(first, 7500, 7200, 6600)
    assert client.post(f"{path}anteprima/", form).status_code == status
    answer = send(client, first, form)
    assert answer.status_code == (302 if state else status)
    assert [r.state for r in reread(first).results.all()] == ([state] if state else [])
    links = " ".join(Page(client.get(path)).links)
    assert ("/risultato/" in links) == (state is not None)


@db
@both
def test_a_referee_reaches_nothing_of_a_round_taken_back_or_an_event_in_draft(
    cast: Cast, table: Table
) -> None:
    client, path = visitor(cast.carla), f"/tavoli/{table.pk}/risultato/"
    Event.objects.filter(pk=table.event.pk).update(status="draft")
    assert client.get(path).status_code == 404
    Event.objects.filter(pk=table.event.pk).update(status="running")
    Round.objects.filter(pk=table.round_id).update(status="draft", published_at=None)
    with nothing_written():
        assert client.get(path).status_code == 404
        assert send(client, table, sheet(table, 7500, 7200, 6600)).status_code == 404


@db
@both
def test_a_wrong_sheet_of_a_referee_is_refused_in_words_and_kept(cast: Cast, table: Table) -> None:
    client = visitor(cast.carla)
    for what, amounts in WRONG.items():
        with nothing_written():
            answer = send(client, table, sheet(table, *amounts))
        assert answer.status_code == 422, what
        assert words_of_refusal(answer), what
        page = Page(answer)
        assert "The result was not sent" in page.text
        for seat, amount in zip(seats_of(table), amounts, strict=True):
            kept = page.boxes[f"total-{seat.pk}"] or ""
            assert kept.replace("\ufffd", "\x00") == str(amount), what
    foreign = {"version": "0", **{f"total-{pk}": "1" for pk in (0, 999999)}}
    with nothing_written():
        for form in ({}, foreign, sheet(table, 3, 2, 1, version="x")):
            assert send(client, table, form).status_code == 422


@db
@both
def test_a_referee_whose_table_was_confirmed_meanwhile_sees_both(cast: Cast, table: Table) -> None:
    record(table, 9000, 8000, 7000)
    client, path = visitor(cast.carla), f"/tavoli/{table.pk}/risultato/"
    assert client.get(path)["Location"] == f"/tavoli/{table.pk}/"
    with nothing_written():
        answer = send(client, table, sheet(table, 7500, 7200, 6600))
    assert answer.status_code == 422
    page = Page(answer)
    for words in ("9000", "8000", "7000", ALICE, "The director has confirmed"):
        assert words in page.text
    assert page.boxes[f"total-{seats_of(table)[0].pk}"] == "7500"
    assert "Send to the director" not in page.text


@db
@both
def test_a_director_to_whom_a_draft_came_meanwhile_sees_both_and_confirms_his(
    cast: Cast, table: Table
) -> None:
    draft(table, 9000, 8000, 7000, by=cast.carla)
    client, form = visitor(cast.alice), sheet(table, 7500, 7200, 6600)
    with nothing_written():
        answer = send(client, table, form)
    assert answer.status_code == 422
    page = Page(answer)
    for words in ("9000", "8000", "7000", CARLA, "Somebody else wrote"):
        assert words in page.text
    assert page.boxes[f"total-{seats_of(table)[0].pk}"] == "7500"
    again = {**form, "version": page.boxes["version"]}
    assert send(client, table, again).status_code == 302
    assert history(table)[-1] == (2, "confirmed", ALICE, ALICE)


@db
@both
def test_a_director_who_typed_nothing_is_given_the_newer_draft_and_puts_no_old_one_back(
    cast: Cast, table: Table
) -> None:
    draft(table, 7500, 7200, 6600, by=cast.carla)
    draft(
        table, 7500, 7200, 6000, by=cast.carla, version=1
    )  # while the director looks at the first
    client = visitor(cast.alice)
    with nothing_written():
        answer = send(client, table, sheet(table, 7500, 7200, 6600, version=1))
    assert answer.status_code == 422
    page = Page(answer)
    assert "you had changed nothing: the newer figures are below" in page.text
    assert "Take all of theirs" not in page.text
    assert page.boxes[f"total-{seats_of(table)[2].pk}"] == "6000"
    assert "800" in page.text  # 6000 ÷ 7500 × 1000
    again = {name: value or "" for name, value in page.boxes.items() if name[:5] in "total-version"}
    assert send(client, table, again).status_code == 302
    assert history(table)[-1] == (3, "confirmed", ALICE, CARLA)


@db
@both
def test_a_director_who_changed_one_seat_keeps_it_and_has_the_newer_figures_of_the_others(
    cast: Cast, table: Table
) -> None:
    draft(table, 7500, 7200, 6600, by=cast.carla)
    draft(table, 7400, 7200, 6000, by=cast.carla, version=1)
    client, path = visitor(cast.alice), f"/tavoli/{table.pk}/risultato/"
    answer = send(client, table, sheet(table, 7600, 7200, 6600, version=1))
    assert answer.status_code == 422
    page, (first, second, third) = Page(answer), seats_of(table)
    assert page.boxes[f"total-{first.pk}"] == "7600"
    assert page.boxes[f"total-{third.pk}"] == "6000"
    assert page.text.count(f"{CARLA}: ") == 1
    assert f"{CARLA}: 7400" in page.text
    assert f'id="theirs-total-{first.pk}"' in answer.content.decode()
    assert f'aria-describedby="refusal-{first.pk} theirs-total-{first.pk}"' in (
        answer.content.decode()
    )
    assert f"theirs-total-{second.pk}" not in answer.content.decode()
    assert f"{path}?totals=1" in page.links  # take all of theirs
    assert Page(client.get(f"{path}?totals=1")).boxes[f"total-{first.pk}"] == "7400"


@db
@both
def test_shares_against_cash_are_a_difference_though_the_total_is_the_same(
    cast: Cast, table: Table
) -> None:
    def parts(cash: int, version: int) -> dict[str, Any]:
        form: dict[str, Any] = {"version": str(version)}
        for seat, total in zip(seats_of(table), (7500, 7200, 6600), strict=True):
            form |= {f"stocks-{seat.pk}": str(total - cash), f"cash-{seat.pk}": str(cash)}
        return form

    referee, director = visitor(cast.carla), visitor(cast.alice)
    for version, cash in enumerate((1000, 2000)):
        assert send(referee, table, parts(cash, version), parts="0").status_code == 302
    first = seats_of(table)[0].pk
    form = parts(1000, 1) | {f"stocks-{first}": "6400"}  # 7400, and a slip of the pen
    page = Page(send(director, table, form, parts="0"))
    assert (page.boxes[f"stocks-{first}"], page.boxes[f"cash-{first}"]) == ("6400", "1000")
    assert f"{CARLA}: 5500" in page.text
    assert f"{CARLA}: 2000" in page.text
    second = seats_of(table)[1].pk
    assert (page.boxes[f"stocks-{second}"], page.boxes[f"cash-{second}"]) == ("5200", "2000")


@db
@both
def test_a_referee_who_comes_too_late_is_not_told_to_send(cast: Cast, table: Table) -> None:
    client = visitor(cast.carla)
    assert (
        "send it when it agrees"
        in Page(
            client.post(f"/tavoli/{table.pk}/anteprima/?totals=1", sheet(table, 7500, 7200, 6600))
        ).text
    )
    record(table, 9000, 8000, 7000)
    page = Page(send(client, table, sheet(table, 7500, 7200, 6600)))
    assert "The director has confirmed" in page.text
    assert "send it when it agrees" not in page.text
    assert f"{ALICE}: 9000" in page.text
    assert "Take all of theirs" not in page.text


# --- the board of what is missing -----------------------------------------------------------------


@db
@both
def test_the_board_has_the_most_urgent_first(cast: Cast) -> None:
    now = timezone.now()
    event = make_event(players=15, sizes=[3] * 5)
    tables = tables_of(event)
    begun = [10 * MINUTE, 2 * HOUR + 13 * MINUTE, None, HOUR, timedelta(0)]
    for table, since in zip(tables, begun, strict=True):
        started = None if since is None else now - since
        Table.objects.filter(pk=table.pk).update(started_at=started)
    draft(tables[3], 7500, 7200, 6600, by=cast.sara, now=now)
    page = f"/eventi/{event.pk}/in-gioco/"
    answer = visitor().get(page)
    rows = [row["table"].number for row in answer.context["rows"]]
    assert rows == [4, 2, 1, 5, 3]
    text = Page(answer).text
    for words in ("2 h 10 min", "1 h", "10 min", "just started", "sent, to be confirmed"):
        assert words in text
    assert "/risultat" not in " ".join(Page(answer).links)
    links = Page(visitor(cast.alice).get(page)).links
    assert [f"/tavoli/{t.pk}/risultato/" in links for t in tables] == [
        True,
        True,
        False,
        True,
        True,
    ]
    assert f"/turni/{tables[0].round_id}/risultati/" in links
    record(tables[1], 7500, 7200, 6600, now=now)
    assert f"/tavoli/{tables[1].pk}/" not in Page(visitor().get(page)).links


@db
@both
def test_the_board_answers_only_when_something_changed(cast: Cast, table: Table) -> None:
    client, page = visitor(), f"/eventi/{table.event.pk}/in-gioco/"
    Table.objects.filter(pk=table.pk).update(started_at=timezone.now() - 12 * MINUTE)
    seen = client.get(page).context["seen"]
    assert client.get(f"{page}?seen={seen}").status_code == 204
    assert visitor(cast.alice).get(f"{page}?seen={seen}").status_code == 200  # hers has buttons
    Table.objects.filter(pk=table.pk).update(started_at=timezone.now() - 17 * MINUTE)
    answer = client.get(f"{page}?seen={seen}")
    assert answer.status_code == 200
    assert "<html" not in answer.content.decode()
    seen = answer.context["seen"]
    draft(table, 7500, 7200, 6600, by=cast.carla)
    assert "sent, to be confirmed" in Page(client.get(f"{page}?seen={seen}")).text
    assert client.get(f"{page}?seen=%00").status_code == 200
    assert client.post(page).status_code == 405


@db
@both
def test_what_was_sent_is_told_in_the_same_words_on_every_board(cast: Cast, table: Table) -> None:
    """To the director it is one to check, to its referee one to change, to the rest only news."""
    Table.objects.filter(pk=table.pk).update(started_at=timezone.now())
    event = table.event.get_absolute_url()
    boards = ["/", event, f"/eventi/{table.event.pk}/in-gioco/"]
    sheet = f"/tavoli/{table.pk}/risultato/"
    referee = visitor(cast.carla)
    home = Page(referee.get("/"))
    assert "Enter the result" in home.text
    assert sheet in home.links
    seen = visitor().get("/").context["seen"]
    draft(table, 7500, 7200, 6600, by=cast.carla)
    assert visitor().get(f"/?seen={seen}").status_code == 200
    for board in boards:
        answer = visitor().get(board)
        assert "sent, to be confirmed" in Page(answer).text, board
        assert '<span class="signal caution">sent, to be confirmed' in answer.content.decode()
        assert sheet not in Page(answer).links, board
        assert "Check and confirm" in Page(visitor(cast.alice).get(board)).text, board
    home = Page(referee.get("/"))
    assert "Change what you sent" in home.text
    assert "Check and confirm" not in home.text


@db
def test_the_board_of_an_event_not_played_is_empty(cast: Cast, table: Table) -> None:
    page = f"/eventi/{table.event.pk}/in-gioco/"
    Event.objects.filter(pk=table.event.pk).update(status="closed")
    assert "No table misses its result." in Page(visitor(cast.alice).get(page)).text
    assert visitor().get("/eventi/999999/in-gioco/").status_code == 404
    Event.objects.filter(pk=table.event.pk).update(status="draft")
    assert visitor(cast.carla).get(page).status_code == 404


@db
def test_a_draft_is_no_line_of_any_standing(cast: Cast, table: Table) -> None:
    draft(table, 7500, 7200, 6600, by=cast.carla)
    assert ResultLine.objects.filter(result__state="confirmed").count() == 0
    standing = Page(visitor().get(f"/eventi/{table.event.pk}/classifica/"))
    assert "1540" not in standing.text
