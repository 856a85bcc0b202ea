"""The outbox: written with the decision, sent at least once, by whoever comes first, to the end."""

from __future__ import annotations

import email.policy
import os
import socket
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from datetime import timedelta
from email.message import EmailMessage
from pathlib import Path
from typing import Any

import pytest
from aiosmtpd.controller import Controller
from django.core.mail.backends.base import BaseEmailBackend
from django.db import transaction
from django.urls import reverse
from pytest_django import Settings

from figf import mail, services, tasks
from figf.models import Email, User
from figf.tests.cast import (
    DAY,
    HOUR,
    MINUTE,
    NOW,
    Page,
    at_once,
    make_cast,
    make_event,
    make_user,
    record,
    tables_of,
    visitor,
)

SECOND = timedelta(seconds=1)
db = pytest.mark.django_db
both = pytest.mark.both


class PostOffice:
    """A real SMTP server; `answer`, given recipient and message, may refuse with its own words."""

    def __init__(self) -> None:
        self.offered: list[EmailMessage] = []  # every message that was handed over, taken or not
        self.taken: list[tuple[list[str], EmailMessage]] = []
        self.no_to: dict[str, str] = {}
        self.after_data: Callable[[], str] = lambda: "250 OK"
        self.port = 0

    async def handle_RCPT(  # noqa: N802 - aiosmtpd's name
        self, _server: Any, _session: Any, envelope: Any, address: str, _options: list[str]
    ) -> str:
        if address in self.no_to:
            return self.no_to[address]
        envelope.rcpt_tos.append(address)
        return "250 OK"

    async def handle_DATA(  # noqa: N802
        self, _server: Any, _session: Any, envelope: Any
    ) -> str:
        message = email.message_from_bytes(envelope.content, policy=email.policy.default)
        assert isinstance(message, EmailMessage)
        self.offered.append(message)
        answer = self.after_data()
        if answer.startswith("2"):
            self.taken.append((list(envelope.rcpt_tos), message))
        return answer

    def ids(self) -> list[str]:
        return [str(message["Message-ID"]) for _to, message in self.taken]


@pytest.fixture
def post_office(settings: Settings) -> Iterator[PostOffice]:
    office = PostOffice()
    with served(office) as port:
        office.port = port
        use_smtp(settings, port)
        yield office


@contextmanager
def served(office: PostOffice) -> Iterator[int]:
    controller = Controller(office, hostname="127.0.0.1", port=closed_port())
    controller.start()
    try:
        yield controller.port
    finally:
        controller.stop()


def closed_port() -> int:
    with socket.socket() as probe:
        probe.bind(("127.0.0.1", 0))
        return int(probe.getsockname()[1])


def use_smtp(settings: Settings, port: int) -> None:
    settings.EMAIL_BACKEND = "django.core.mail.backends.smtp.EmailBackend"
    settings.EMAIL_HOST, settings.EMAIL_PORT = "127.0.0.1", port
    settings.EMAIL_HOST_USER = settings.EMAIL_HOST_PASSWORD = ""
    settings.EMAIL_USE_TLS = settings.EMAIL_USE_SSL = False


def write(key: str = "try:1", to: User | str = "bruno@example.org", **more: Any) -> Email:
    """One mail in the outbox: the template of a new password, which needs little."""
    row = mail.enqueue(key, to, "password_reset", NOW, uid="Mg", token="abc", name="Bruno", **more)
    assert row is not None
    return row


# --- written with the decision --------------------------------------------------------------------


@db
@both
def test_a_mail_is_written_by_the_decision_that_it_announces() -> None:
    cast = make_cast()
    draw = services.open_draw("Ordine", [cast.bruno], 3, NOW + HOUR, cast.sara, NOW)
    row = Email.objects.get(key=f"draw:{draw.pk}:open:1")
    assert (row.to, row.state, row.attempts) == ("bruno@example.org", "queued", 0)
    assert row.created_at == row.next_try_at == NOW
    assert draw.commitment in row.body


@db(transaction=True)
@both
def test_a_decision_rolled_back_leaves_no_mail() -> None:
    cast = make_cast()
    before = Email.objects.count()

    def decide_and_fail() -> None:
        with transaction.atomic():
            services.open_draw("Ordine", [cast.bruno], 3, NOW + HOUR, cast.sara, NOW)
            assert Email.objects.count() == before + 1
            raise ZeroDivisionError

    with pytest.raises(ZeroDivisionError):
        decide_and_fail()
    assert Email.objects.count() == before


@db
@both
def test_a_key_is_used_once_and_the_first_mail_stays() -> None:
    first = write()
    again = mail.enqueue(
        "try:1", "dino@example.org", "password_reset", NOW + HOUR, uid="Mw", token="x", name="Dino"
    )
    assert again is None
    row = Email.objects.get()
    assert (row.pk, row.to, row.body, row.created_at) == (first.pk, first.to, first.body, NOW)


@db(transaction=True)
@both
def test_a_key_used_by_many_hands_at_once_makes_one_mail() -> None:
    made = at_once(
        *[
            lambda: mail.enqueue(
                "try:1",
                "bruno@example.org",
                "password_reset",
                NOW,
                uid="Mg",
                token="abc",
                name="Bruno",
            )
        ]
        * 4
    )
    assert not [error for error in made if isinstance(error, Exception)]
    assert sum(row is not None for row in made) == 1
    assert Email.objects.count() == 1


@db
@both
def test_each_reader_is_written_to_in_his_own_language_and_in_the_time_of_rome() -> None:
    cast = make_cast()
    english = make_user("elsie", "Elsie", language="en")
    # NOW is 15:00 in Greenwich, 16:00 in Rome: summer time begins only on 29 March 2026.
    draw = services.open_draw("Ordine", [cast.bruno, english], 3, NOW + HOUR, cast.sara, NOW)
    italian_mail = Email.objects.get(key=f"draw:{draw.pk}:open:1")
    english_mail = Email.objects.get(key=f"draw:{draw.pk}:open:2")
    assert "14 marzo 2026, 17:00" in " ".join(italian_mail.body.split())
    assert "14 March 2026, 17:00" in " ".join(english_mail.body.split())


@db
def test_an_address_without_log_in_is_written_to_in_italian_unless_told_otherwise() -> None:
    cast = make_cast()
    draw = services.open_draw("Ordine", [cast.bruno], 3, NOW + HOUR, cast.sara, NOW)
    for key, language in (("a", ""), ("b", "en")):
        mail.enqueue(key, "x@example.org", "draw_open", NOW, language=language, draw=draw)
    assert "marzo" in Email.objects.get(key="a").body
    assert "March" in Email.objects.get(key="b").body


@db
def test_links_in_mails_are_whole_addresses_of_the_site() -> None:
    assert "\nhttp://testserver/password/nuova/Mg/abc/\n" in write().body


@db
def test_a_template_without_a_subject_is_an_error_and_nothing_is_written(
    settings: Settings, tmp_path: Path
) -> None:
    (tmp_path / "emails").mkdir()
    (tmp_path / "emails" / "headless.txt").write_text("Ciao Bruno,\nOggetto: too late\n")
    settings.TEMPLATES = [{**settings.TEMPLATES[0], "DIRS": [tmp_path]}]
    with pytest.raises(ValueError, match="headless"):
        mail.enqueue("try:1", "bruno@example.org", "headless", NOW)
    assert Email.objects.count() == 0


@db
@pytest.mark.parametrize(
    "template",
    sorted(path.stem for path in Path(__file__).parents[2].glob("templates/emails/[!_]*.txt")),
)
def test_every_template_opens_with_its_subject(template: str) -> None:
    path = Path(__file__).parents[2] / "templates" / "emails" / f"{template}.txt"
    opening = path.read_text(encoding="utf-8").partition("Oggetto:")[0]
    assert opening.replace("{% autoescape off %}", "").count("\n") == 0


# --- sent -----------------------------------------------------------------------------------------


@db
@both
def test_a_due_mail_is_sent_once_and_marked(post_office: PostOffice) -> None:
    row = write()
    assert mail.deliver_due(NOW) == 1
    assert mail.deliver_due(NOW + DAY) == 0
    [(recipients, message)] = post_office.taken
    assert recipients == ["bruno@example.org"]
    assert message["To"] == "bruno@example.org"
    assert message["Subject"] == row.subject
    assert message["Message-ID"] == row.message_id
    assert str(message["From"]) == "FIGF <figf@testserver>"
    assert message.get_content_type() == "text/plain"
    assert message.get_content().split() == row.body.split()
    row.refresh_from_db()
    assert (row.state, row.attempts, row.last_error) == ("sent", 1, "")
    assert row.sent_at
    assert NOW <= row.sent_at < NOW + MINUTE


@db
def test_a_mail_is_not_sent_before_its_moment(post_office: PostOffice) -> None:
    row = write()
    assert mail.deliver_due(NOW - SECOND) == 0
    assert mail.deliver(row.pk, NOW - SECOND) is False
    assert post_office.offered == []


@db
def test_accents_dashes_and_apostrophes_arrive_as_written(post_office: PostOffice) -> None:
    make_cast()
    event = make_event(players=3, name="Più d’un “caffè” – È già l’ora")
    record(tables_of(event)[0], 7500, 7200, 6600)
    mail.deliver_due(NOW)
    subjects = [str(message["Subject"]).strip() for _to, message in post_office.taken]
    assert subjects[-1].startswith("Più d’un “caffè” – È già l’ora, ")


@db
@both
@pytest.mark.parametrize("brk", ["\n", "\r\n", "\r", "\u2028", "\x0b", "\x85"])
def test_a_line_break_in_a_name_adds_no_header(brk: str, post_office: PostOffice) -> None:
    cast = make_cast()
    wicked = f"Festa{brk}Bcc: spia@example.org{brk}{brk}Body"
    event = make_event(players=3, name=wicked)
    record(tables_of(event)[0], 7500, 7200, 6600)
    services.open_draw(wicked, [cast.bruno], 3, NOW + HOUR, cast.sara, NOW)
    services.request_email_change(cast.dino, "dino.nuovo@example.org", NOW)
    User.objects.filter(pk=cast.bruno.pk).update(name=wicked)
    write(to=User.objects.get(pk=cast.bruno.pk))
    waiting = Email.objects.filter(sent_at=None).count()
    mail.deliver_due(NOW)
    assert not Email.objects.filter(sent_at=None).exists()
    assert len(post_office.taken) == waiting
    for recipients, message in post_office.taken:
        assert recipients == [message["To"]]
        assert "spia@example.org" not in recipients
        assert message["Bcc"] is None
        assert message["Cc"] is None
        assert "\n" not in str(message["Subject"])


@db(transaction=True)
@both
def test_workers_that_deliver_at_once_send_each_mail_once(post_office: PostOffice) -> None:
    rows = [write(f"try:{n}") for n in range(12)]
    taken = at_once(*[lambda: mail.deliver_due(NOW)] * 3)
    assert sum(taken) == 12
    assert sorted(post_office.ids()) == sorted(row.message_id for row in rows)
    assert set(Email.objects.values_list("attempts", flat=True)) == {1}
    assert {row.state for row in Email.objects.all()} == {"sent"}


@db
@both
def test_the_sweep_of_the_schedule_sends_what_is_due(post_office: PostOffice) -> None:
    write()  # due since NOW, which lies in the past of every clock
    tasks.deliver_mail()
    assert len(post_office.taken) == 1


# --- not sent -------------------------------------------------------------------------------------


@db
@both
def test_a_failed_try_is_made_again_after_a_doubled_wait_and_given_up_after_eight(
    settings: Settings,
) -> None:
    use_smtp(settings, closed_port())
    row = write()
    # 30 seconds, doubled each time: the tries fall at 0, 30, 30+60 = 90, 210, 450, 930, 1890, 3810.
    for number, at in enumerate([0, 30, 90, 210, 450, 930, 1890, 3810], start=1):
        assert not mail.deliver(row.pk, NOW + (at - 1) * SECOND)
        assert mail.deliver(row.pk, NOW + at * SECOND)
        row.refresh_from_db()
        assert row.attempts == number
        assert row.state == ("failed" if number == 8 else "retrying")
        assert "Connection refused" in row.last_error
    assert row.failed_at == NOW + 3810 * SECOND
    assert row.sent_at is None
    assert mail.deliver_due(NOW + 400 * DAY) == 0


@db
@pytest.mark.parametrize("answer", ["451 4.3.0 Try again later", "550 5.1.1 No such user"])
def test_a_refused_recipient_stops_no_other_and_is_tried_again(
    answer: str, post_office: PostOffice
) -> None:
    post_office.no_to["dino@example.org"] = answer
    refused, other = write("try:1", "dino@example.org"), write("try:2")
    assert mail.deliver_due(NOW) == 2
    refused.refresh_from_db()
    assert refused.state == "retrying"
    assert answer[:3] in refused.last_error
    assert post_office.ids() == [other.message_id]
    del post_office.no_to["dino@example.org"]
    assert mail.deliver_due(NOW + MINUTE) == 1
    refused.refresh_from_db()
    assert (refused.state, refused.last_error) == ("sent", "")


@db
@both
def test_a_mail_offered_again_keeps_its_message_id(post_office: PostOffice) -> None:
    """The server may have kept it although we heard no: the reader's program sees it is the same"""
    row = write()
    post_office.after_data = lambda: "451 4.3.0 Out of room"
    mail.deliver_due(NOW)
    post_office.after_data = lambda: "250 OK"
    mail.deliver_due(NOW + MINUTE)
    first, second = post_office.offered
    assert first["Message-ID"] == second["Message-ID"] == row.message_id
    assert row.message_id.endswith("@testserver>")


class Killed(BaseEmailBackend):
    """A process that is killed while the server answers."""

    def send_messages(self, _messages: Any) -> int:
        raise SystemExit(137)


@db(transaction=True)
@both
def test_a_process_killed_while_it_sends_delays_a_mail_and_loses_none(
    settings: Settings, post_office: PostOffice
) -> None:
    row = write()
    settings.EMAIL_BACKEND = "figf.tests.test_mail.Killed"
    with pytest.raises(SystemExit):
        mail.deliver_due(NOW)
    row.refresh_from_db()
    assert (row.attempts, row.state) == (1, "retrying")  # charged before it was made
    use_smtp(settings, post_office.port)
    assert mail.deliver_due(NOW + 29 * SECOND) == 0
    assert mail.deliver_due(NOW + MINUTE) == 1
    assert post_office.ids() == [row.message_id]


# --- the secretary's tray -------------------------------------------------------------------------


def fail(settings: Settings) -> Email:
    """A mail whose eight tries are over."""
    office = settings.EMAIL_BACKEND
    use_smtp(settings, closed_port())
    row = write()
    for n in range(8):
        mail.deliver_due(NOW + n * DAY)
    settings.EMAIL_BACKEND = office
    row.refresh_from_db()
    assert row.state == "failed"
    return row


@db
@both
def test_a_failed_mail_asked_for_again_starts_afresh(
    settings: Settings, post_office: PostOffice
) -> None:
    row = fail(settings)
    use_smtp(settings, post_office.port)
    mail.send_again(row, make_user("sara", "Sara"), NOW + 9 * DAY)
    row.refresh_from_db()
    assert (row.state, row.attempts, row.next_try_at) == ("queued", 0, NOW + 9 * DAY)
    assert mail.deliver_due(NOW + 9 * DAY) == 1
    assert post_office.ids() == [row.message_id]


@db
def test_a_mail_already_sent_is_not_sent_again(post_office: PostOffice) -> None:
    row = write()
    mail.deliver_due(NOW)
    mail.send_again(row, make_user("sara", "Sara"), NOW + HOUR)
    assert mail.deliver_due(NOW + DAY) == 0
    assert len(post_office.taken) == 1


@db
@both
def test_only_a_secretary_asks_for_a_mail_again_and_only_by_a_button(
    settings: Settings,
) -> None:
    cast = make_cast()
    row = fail(settings)
    address = f"/posta/{row.pk}/ancora/"
    for user in (None, cast.dino, cast.alice):
        assert visitor(user).post(address).status_code in {302, 403, 404}
    assert visitor(cast.sara).get(address).status_code == 405
    row.refresh_from_db()
    assert row.state == "failed"
    assert visitor(cast.sara).post(address).status_code == 302
    row.refresh_from_db()
    assert row.state == "queued"
    assert visitor(cast.sara).post("/posta/999999/ancora/").status_code == 404


@db
def test_the_text_of_a_mail_is_shown_only_where_mail_goes_to_files(
    settings: Settings,
) -> None:
    cast = make_cast()
    row = write()
    assert visitor(cast.sara).get(f"/posta/{row.pk}/").status_code == 404
    assert row.body not in visitor(cast.sara).get("/posta/").content.decode()
    settings.EMAIL_BACKEND = "django.core.mail.backends.filebased.EmailBackend"
    assert "/password/nuova/Mg/abc/" in visitor(cast.sara).get(f"/posta/{row.pk}/").content.decode()
    assert visitor(cast.dino).get(f"/posta/{row.pk}/").status_code in {302, 403, 404}


# --- what is kept of old mail ---------------------------------------------------------------------


@db
@both
def test_ninety_days_after_it_was_sent_a_mail_is_emptied_and_its_key_stays() -> None:
    for key, sent, failed in (
        ("old", NOW, None),
        ("given-up", None, NOW),
        ("younger", NOW + SECOND, None),
        ("waiting", None, None),
    ):
        row = write(key)
        Email.objects.filter(pk=row.pk).update(
            sent_at=sent, failed_at=failed, last_error="no such bruno@example.org"
        )
    then = NOW + 90 * DAY + SECOND  # ninety days and a second after; of `younger`, ninety days
    assert mail.empty_old(then - SECOND) == 0
    assert mail.empty_old(then, batch=1) == 2
    for key in ("old", "given-up"):
        row = Email.objects.get(key=key)
        assert (row.to, row.subject, row.body, row.last_error) == ("", "", "", "")
        assert row.emptied_at == then
    for key in ("younger", "waiting"):
        row = Email.objects.get(key=key)
        assert (row.to, row.emptied_at) == ("bruno@example.org", None)
        assert "/password/nuova/" in row.body
    assert mail.empty_old(then) == 0
    again = mail.enqueue(
        "old", "x@example.org", "password_reset", NOW, uid="M", token="t", name="X"
    )
    assert again is None


@db
def test_the_sweep_is_on_the_schedule(settings: Settings) -> None:
    line = settings.CELERY_BEAT_SCHEDULE["empty-mails"]
    assert (line["task"], line["schedule"]) == ("figf.tasks.empty_mails", DAY)
    row = write()
    Email.objects.filter(pk=row.pk).update(sent_at=NOW - 1000 * DAY)  # whatever today is
    tasks.empty_mails()
    assert Email.objects.get(pk=row.pk).body == ""


@db
def test_the_outbox_says_that_a_mail_was_emptied_and_sends_it_no_more() -> None:
    cast = make_cast()
    row = write(to="someone@example.org")
    Email.objects.filter(pk=row.pk).update(failed_at=NOW)
    mail.empty_old(NOW + 91 * DAY)
    page = Page(visitor(cast.sara).get(reverse("outbox")))
    assert "emptied on 13 June 2026" in page.text  # 14 March and 91 days
    assert "someone@example.org" not in page.text
    assert "Send again" not in page.text
    address = reverse("outbox_send_again", args=[row.pk])
    assert visitor(cast.sara).post(address).status_code == 404
    mail.send_again(Email.objects.get(pk=row.pk), cast.sara, NOW + 91 * DAY)
    assert Email.objects.get(pk=row.pk).state == "failed"


@db
def test_mails_in_files_are_kept_no_longer(settings: Settings, tmp_path: Path) -> None:
    settings.EMAIL_BACKEND = "django.core.mail.backends.filebased.EmailBackend"
    settings.EMAIL_FILE_PATH = str(tmp_path)
    write()
    mail.deliver_due(NOW)
    [old] = tmp_path.iterdir()
    young = tmp_path / "young.log"
    young.write_text("x")
    for path, days in ((old, 91), (young, 89)):
        moment = (NOW - days * DAY).timestamp()
        os.utime(path, (moment, moment))
    mail.empty_old(NOW)
    assert list(tmp_path.iterdir()) == [young]
