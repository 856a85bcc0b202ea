"""Log-ins: in by address, out after six wrong passwords; new passwords, addresses, languages."""

from __future__ import annotations

from collections.abc import Iterator
from datetime import UTC, datetime, timedelta
from io import StringIO
from typing import Any

import pytest
from axes.models import AccessAttempt
from django.core import signing
from django.core.management import CommandError, call_command
from django.test import Client, RequestFactory
from pytest_django import Settings

from figf import services
from figf.access import client_address
from figf.errors import Refused
from figf.models import Email, EmailChange, LogEntry, User
from figf.tests.cast import (
    DAY,
    HOUR,
    MINUTE,
    NOW,
    PASSWORD,
    Cast,
    Page,
    at_once,
    make_cast,
    make_user,
    meanwhile,
    token_in,
    visitor,
)

db = pytest.mark.django_db
both = pytest.mark.both
HOME, ELSEWHERE = "192.0.2.1", "192.0.2.99"
NEW = "una-sbarra-di-passaggio"


def log_in(name: str, password: str, address: str = HOME, **headers: str) -> Any:
    return visitor().post(
        "/accesso/", {"username": name, "password": password}, REMOTE_ADDR=address, headers=headers
    )


def is_in(client: Client) -> bool:
    return client.get("/account/").status_code == 200


# --- in -------------------------------------------------------------------------------------------


@db
@both
@pytest.mark.parametrize(
    "written", ["bruno@example.org", "BRUNO@Example.ORG", " bruno@example.org "]
)
def test_people_log_in_by_address_whatever_its_capitals(written: str) -> None:
    make_cast()
    client = visitor()
    answer = client.post("/accesso/", {"username": written, "password": PASSWORD})
    assert (answer.status_code, answer["Location"]) == (302, "/")
    assert is_in(client)


@db
@both
def test_an_address_has_one_log_in_whatever_its_capitals() -> None:
    make_cast()
    before = (User.objects.count(), LogEntry.objects.count())
    with pytest.raises(Refused) as refusal:
        services.create_user("Bruno@EXAMPLE.org", PASSWORD, "Another", NOW)
    assert (refusal.value.reason, refusal.value.field) == ("email_taken", "email")
    assert (User.objects.count(), LogEntry.objects.count()) == before


@db(transaction=True)
def test_two_who_take_one_address_at_once_make_one_log_in_and_one_refusal() -> None:
    made = at_once(*[lambda: services.create_user("elsa@example.org", PASSWORD, "Elsa", NOW)] * 2)
    assert [type(outcome) for outcome in made if not isinstance(outcome, User)] == [Refused]
    assert User.objects.count() == 1


@db
def test_a_closed_log_in_stays_out_and_a_wrong_password_is_not_told_from_a_wrong_name() -> None:
    cast = make_cast()
    User.objects.filter(pk=cast.dino.pk).update(is_active=False)
    answers = [
        log_in("dino@example.org", PASSWORD),
        log_in("bruno@example.org", "wrong"),
        log_in("nobody@example.org", "wrong"),
    ]
    assert [answer.status_code for answer in answers] == [200, 200, 200]
    words = [answer.context["form"].non_field_errors() for answer in answers]
    assert words[0] == words[1] == words[2]
    assert words[0]


@db
def test_people_log_out_by_a_button_only() -> None:
    client = visitor(make_cast().bruno)
    assert client.get("/uscita/").status_code == 405
    assert is_in(client)
    assert client.post("/uscita/").status_code == 302
    assert not is_in(client)


@db
def test_who_is_logged_in_is_not_asked_again_and_is_sent_to_no_other_site() -> None:
    make_cast()
    client = visitor()
    credentials = {"username": "bruno@example.org", "password": PASSWORD}
    answer = client.post("/accesso/?next=https://evil.example/", credentials)
    assert answer["Location"] == "/"
    assert client.get("/accesso/")["Location"] == "/"


# --- out, after six wrong passwords ---------------------------------------------------------------


def lock(name: str, address: str = HOME) -> Any:
    """Six wrong passwords in a row; returns the sixth answer."""
    answers = [log_in(name, "wrong", address) for _ in range(6)]
    assert [answer.status_code for answer in answers[:5]] == [200] * 5
    return answers[5]


@db
@both
def test_six_wrong_passwords_lock_that_name_from_that_address_and_say_what_to_do() -> None:
    make_cast()
    answer = lock("bruno@example.org")
    assert answer.status_code == 429
    assert log_in("bruno@example.org", PASSWORD).status_code == 429
    page = Page(answer)
    assert "/password/dimenticata/" in page.links
    assert "6 wrong passwords" in page.text
    assert "half an hour" in page.text


@db
@both
def test_the_same_name_from_another_address_gets_in() -> None:
    make_cast()
    lock("bruno@example.org")
    assert log_in("bruno@example.org", PASSWORD, ELSEWHERE).status_code == 302


@db
@both
def test_another_name_from_the_same_address_gets_in() -> None:
    make_cast()
    lock("bruno@example.org")
    assert log_in("carla@example.org", PASSWORD).status_code == 302


@db
def test_nobody_is_locked_out_by_wrong_passwords_given_elsewhere() -> None:
    make_cast()
    for n in range(12):
        log_in("bruno@example.org", "wrong", f"198.51.100.{n}")
    assert log_in("bruno@example.org", PASSWORD).status_code == 302


@db
def test_wrong_passwords_are_counted_for_a_name_whatever_its_capitals() -> None:
    make_cast()
    written = ["bruno@example.org", "Bruno@example.org", "BRUNO@example.org", "bRuno@example.org"]
    for n in range(6):
        log_in(written[n % 4], "wrong")
    assert log_in("bruno@example.org", "wrong").status_code == 429
    assert log_in("brUno@example.org", PASSWORD).status_code == 429


@db
def test_the_lock_opens_after_half_an_hour() -> None:
    make_cast()
    lock("bruno@example.org")
    ago = datetime.now(UTC) - timedelta(minutes=31)
    AccessAttempt.objects.update(attempt_time=ago)
    assert log_in("bruno@example.org", PASSWORD).status_code == 302


@db
def test_a_right_password_begins_the_count_again() -> None:
    make_cast()
    for _ in range(2):
        for _ in range(5):
            log_in("bruno@example.org", "wrong")
        assert log_in("bruno@example.org", PASSWORD).status_code == 302


@db
def test_the_administration_pages_have_the_same_lock() -> None:
    make_cast()
    for _ in range(6):
        visitor().post("/admin/login/", {"username": "sara@example.org", "password": "wrong"})
    right = {"username": "sara@example.org", "password": PASSWORD}
    assert visitor().post("/admin/login/", right).status_code == 429


# --- from where -----------------------------------------------------------------------------------


@pytest.mark.parametrize(
    ("https", "forwarded", "expected"),
    [
        (True, "203.0.113.7", "203.0.113.7"),
        (True, "198.51.100.1, 203.0.113.7", "203.0.113.7"),  # the first part is the visitor's own
        (True, "203.0.113.7,2001:db8::1", "2001:db8::1"),
        (True, "", "10.0.0.2"),
        (False, "203.0.113.7", "10.0.0.2"),  # nothing stands between: the header is a forgery
    ],
)
def test_a_visitor_comes_from_where_the_one_proxy_says(
    https: bool, forwarded: str, expected: str, settings: Settings
) -> None:
    settings.HTTPS = https
    request = RequestFactory().get("/", REMOTE_ADDR="10.0.0.2", HTTP_X_FORWARDED_FOR=forwarded)
    assert client_address(request) == expected


@db
def test_behind_the_proxy_a_forged_address_does_not_escape_the_lock(settings: Settings) -> None:
    make_cast()
    settings.HTTPS = True
    statuses = [
        log_in(
            "bruno@example.org",
            "wrong",
            "10.0.0.2",
            **{"X-Forwarded-For": f"198.51.100.{n}, 203.0.113.7"},
        ).status_code
        for n in range(6)
    ]
    assert statuses == [200] * 5 + [429]
    other = log_in("bruno@example.org", PASSWORD, "10.0.0.2", **{"X-Forwarded-For": "203.0.113.8"})
    assert other.status_code == 302


# --- a new password -------------------------------------------------------------------------------


def ask_new_password(email: str) -> Any:
    return visitor().post("/password/dimenticata/", {"email": email})


def choose(client: Client, link: str, password: str) -> Any:
    """Open the link of the mail and fill in the form that it leads to."""
    form = client.get(link, follow=True)
    where = form.redirect_chain[-1][0] if form.redirect_chain else link
    return client.post(where, {"new_password1": password, "new_password2": password})


def link_in_mail() -> str:
    body = Email.objects.filter(key__startswith="password-reset:").latest("pk").body
    [line] = [line for line in body.splitlines() if line.startswith("http://testserver/")]
    return line.removeprefix("http://testserver")


@db
@both
def test_a_forgotten_password_is_replaced_by_a_link_that_works_once() -> None:
    make_cast()
    assert ask_new_password("BRUNO@example.org")["Location"] == "/password/dimenticata/inviata/"
    row = Email.objects.get(key__startswith="password-reset:")
    assert (row.to, row.state) == ("bruno@example.org", "queued")
    link = link_in_mail()
    assert choose(visitor(), link, NEW)["Location"] == "/password/nuova/fatto/"
    assert log_in("bruno@example.org", PASSWORD).status_code == 200
    assert log_in("bruno@example.org", NEW).status_code == 302
    again = choose(visitor(), link, "a-third-password-here")
    assert again.context["validlink"] is False
    assert log_in("bruno@example.org", NEW).status_code == 302


@db
def test_a_weak_password_is_not_taken_and_the_link_still_works() -> None:
    make_cast()
    ask_new_password("bruno@example.org")
    for weak in ("short", "1234567890123", "passwordpassword"[:8], "bruno@example.org"):
        assert choose(visitor(), link_in_mail(), weak).context["form"].errors
    assert choose(visitor(), link_in_mail(), NEW).status_code == 302


@db
def test_a_link_altered_or_of_another_log_in_does_not_work() -> None:
    make_cast()
    ask_new_password("bruno@example.org")
    link = link_in_mail()
    ask_new_password("carla@example.org")
    other = link_in_mail()
    mixed = "/".join([*other.split("/")[:4], *link.split("/")[4:]])
    for forged in (mixed, link[:-2] + "x/", "/password/nuova/zz/zz-zz/"):
        assert visitor().get(forged, follow=True).context["validlink"] is False


@db
def test_an_unknown_address_and_a_closed_log_in_get_no_mail_and_the_same_page() -> None:
    cast = make_cast()
    User.objects.filter(pk=cast.dino.pk).update(is_active=False)
    answers = [ask_new_password(f"{n}@example.org") for n in ("bruno", "nobody", "dino")]
    assert {(answer.status_code, answer["Location"]) for answer in answers} == {
        (302, "/password/dimenticata/inviata/")
    }
    mails = Email.objects.filter(key__startswith="password-reset:")
    assert [row.to for row in mails] == ["bruno@example.org"]


@db
def test_a_log_in_made_without_password_is_entered_by_asking_for_one() -> None:
    services.create_user("elsa@example.org", None, "Elsa", NOW)
    ask_new_password("elsa@example.org")
    choose(visitor(), link_in_mail(), NEW)
    assert log_in("elsa@example.org", NEW).status_code == 302


@db
def test_a_changed_password_ends_the_other_sessions() -> None:
    cast = make_cast()
    here, there = visitor(cast.bruno), visitor(cast.bruno)
    answer = here.post(
        "/password/",
        {"old_password": PASSWORD, "new_password1": NEW, "new_password2": NEW},
    )
    assert answer["Location"] == "/password/fatto/"
    assert is_in(here)
    assert not is_in(there)


# --- a new address --------------------------------------------------------------------------------


@pytest.fixture
def cast() -> Cast:
    return make_cast()


def ask(user: User, new: str = "bruno.nuovo@example.org", now: datetime = NOW) -> tuple[str, str]:
    """Ask for a new address; returns what the two addresses got, the old one first."""
    services.request_email_change(user, new, now)
    return (token_in("account/email/", to=user.email), token_in("account/email/", to=new.lower()))


def address_of(user: User) -> str:
    return User.objects.get(pk=user.pk).email


@db
@both
@pytest.mark.parametrize("first", [0, 1])
def test_an_address_changes_when_both_have_confirmed_in_any_order(cast: Cast, first: int) -> None:
    tokens = ask(cast.bruno, "Bruno.Nuovo@Example.org")
    change = services.confirm_email_change(tokens[first], NOW + HOUR)
    assert change.done_at is None
    assert address_of(cast.bruno) == "bruno@example.org"
    change = services.confirm_email_change(tokens[1 - first], NOW + 2 * HOUR)
    assert change.done_at == NOW + 2 * HOUR
    assert address_of(cast.bruno) == "bruno.nuovo@example.org"
    verbs = LogEntry.objects.about(cast.bruno).values_list("verb", flat=True)
    assert list(verbs[:2]) == ["change_email", "request_email_change"]
    assert log_in("bruno.nuovo@example.org", PASSWORD).status_code == 302
    assert log_in("bruno@example.org", PASSWORD).status_code == 200


@db
def test_one_address_that_confirms_twice_does_not_stand_for_both(cast: Cast) -> None:
    for token in ask(cast.bruno):
        cast.bruno.email_changes.update(old_confirmed_at=None, new_confirmed_at=None)
        services.confirm_email_change(token, NOW + HOUR)
        services.confirm_email_change(token, NOW + 2 * HOUR)
        assert address_of(cast.bruno) == "bruno@example.org"


@db
@both
def test_a_link_confirms_nothing_until_its_button_is_pressed(cast: Cast) -> None:
    """Mail filters follow links: GET and HEAD change nothing, from the first link to the last."""
    now = datetime.now(UTC)
    for token in ask(cast.bruno, now=now):
        page = f"/account/email/{token}/"
        for _ in range(2):
            assert visitor().get(page).status_code == 200
            assert visitor().head(page).status_code == 200
    change = EmailChange.objects.get()
    assert (change.old_confirmed_at, change.new_confirmed_at) == (None, None)
    for token in ask(cast.bruno, now=now):
        assert visitor().post(f"/account/email/{token}/").status_code == 302
    assert address_of(cast.bruno) == "bruno.nuovo@example.org"


def unusable_links(cast: Cast) -> Iterator[tuple[str, str, datetime]]:
    old, _new = ask(cast.bruno)
    pk = EmailChange.objects.get().pk
    yield "altered", old[:-1] + ("a" if old[-1] != "a" else "b"), NOW
    yield "not ours", signing.dumps([pk, "old"], salt="another"), NOW
    yield "of nothing", signing.dumps([pk + 1000, "old"], salt=services.EMAIL_CHANGE), NOW
    yield "of another shape", signing.dumps("old", salt=services.EMAIL_CHANGE), NOW
    yield "empty", "x", NOW
    yield "old", old, NOW + 2 * DAY + MINUTE


@db
@both
def test_a_forged_or_old_link_is_refused(cast: Cast) -> None:
    for what, token, now in unusable_links(cast):
        with pytest.raises(Refused) as refusal:
            services.confirm_email_change(token, now)
        assert refusal.value.reason == "link_invalid", what
    change = EmailChange.objects.get()
    assert (change.old_confirmed_at, change.new_confirmed_at) == (None, None)
    answer = visitor().post("/account/email/not-a-token/")
    assert answer.status_code == 422
    assert "This link is not valid" in Page(answer).text


@db
def test_a_link_works_for_two_days_to_the_minute(cast: Cast) -> None:
    old, _new = ask(cast.bruno)
    assert services.confirm_email_change(old, NOW + 2 * DAY).old_confirmed_at == NOW + 2 * DAY


@db
@both
def test_a_used_link_is_refused(cast: Cast) -> None:
    tokens = ask(cast.bruno)
    for token in tokens:
        services.confirm_email_change(token, NOW)
    for token in tokens:
        with pytest.raises(Refused, match="link_invalid"):
            services.confirm_email_change(token, NOW + HOUR)


@db
def test_a_second_request_withdraws_the_first(cast: Cast) -> None:
    before = ask(cast.bruno)
    after = ask(cast.bruno, "bruno.terzo@example.org", NOW + HOUR)
    for token in before:
        with pytest.raises(Refused, match="link_invalid"):
            services.confirm_email_change(token, NOW + HOUR)
    for token in after:
        services.confirm_email_change(token, NOW + HOUR)
    assert address_of(cast.bruno) == "bruno.terzo@example.org"


@db(transaction=True)
def test_a_request_withdrawn_while_it_is_being_confirmed_changes_nothing(cast: Cast) -> None:
    """The last confirmation reads an open request, and waits while another takes its place."""
    old, new = ask(cast.bruno)
    services.confirm_email_change(old, NOW)
    outcome = meanwhile(
        lambda: services.request_email_change(cast.bruno, "bruno.terzo@example.org", NOW + HOUR),
        lambda: services.confirm_email_change(new, NOW + HOUR),
    )
    assert getattr(outcome, "reason", outcome) == "link_invalid"
    assert address_of(cast.bruno) == "bruno@example.org"
    assert LogEntry.objects.filter(verb="change_email").count() == 0


@db(transaction=True)
@both
def test_a_last_confirmation_pressed_twice_changes_the_address_once(cast: Cast) -> None:
    old, new = ask(cast.bruno)
    services.confirm_email_change(old, NOW)
    again = meanwhile(
        lambda: services.confirm_email_change(new, NOW + HOUR),
        lambda: services.confirm_email_change(new, NOW + 2 * HOUR),
    )
    assert isinstance(again, Refused | EmailChange)  # told no, or told that it is done
    assert EmailChange.objects.get().done_at == NOW + HOUR
    assert LogEntry.objects.filter(verb="change_email").count() == 1


@db
@both
def test_an_address_taken_meanwhile_is_refused_and_nothing_is_half_done(cast: Cast) -> None:
    old, new = ask(cast.bruno)
    services.confirm_email_change(old, NOW)
    make_user("bruno.nuovo", "Another Bruno")
    with pytest.raises(Refused, match="email_taken"):
        services.confirm_email_change(new, NOW + HOUR)
    change = EmailChange.objects.get()
    assert (change.new_confirmed_at, change.done_at) == (None, None)
    assert address_of(cast.bruno) == "bruno@example.org"


@db
@pytest.mark.parametrize(
    ("wanted", "reason"),
    [("BRUNO@example.org ", "email_same"), ("Alice@Example.org", "email_taken")],
)
def test_ones_own_address_and_somebody_elses_are_refused(
    cast: Cast, wanted: str, reason: str
) -> None:
    before = (Email.objects.count(), EmailChange.objects.count())
    with pytest.raises(Refused) as refusal:
        services.request_email_change(cast.bruno, wanted, NOW)
    assert (refusal.value.reason, refusal.value.field) == (reason, "new_email")
    assert (Email.objects.count(), EmailChange.objects.count()) == before
    answer = visitor(cast.bruno).post("/account/email/", {"new_email": wanted})
    assert answer.status_code == 422
    assert answer.context["form"].errors["new_email"]


@db
def test_the_account_tells_of_a_change_that_waits_and_not_of_one_that_lapsed(cast: Cast) -> None:
    now = datetime.now(UTC)
    ask(cast.bruno, now=now - DAY)
    assert "bruno.nuovo@example.org" in Page(visitor(cast.bruno).get("/account/")).text
    cast.bruno.email_changes.update(requested_at=now - 3 * DAY)
    assert "bruno.nuovo@example.org" not in Page(visitor(cast.bruno).get("/account/")).text


# --- the account ----------------------------------------------------------------------------------


@db
@both
def test_who_is_on_no_books_changes_his_name_to_one_that_can_be_seen(cast: Cast) -> None:
    client = visitor(cast.dino)
    assert client.post("/account/", {"name": "Dino D.", "language": "it"}).status_code == 302
    assert User.objects.get(pk=cast.dino.pk).name == "Dino D."
    for unseen in ("", "   ", "\u200b", "\u202e"):
        answer = client.post("/account/", {"name": unseen, "language": "it"})
        assert answer.status_code == 422, ascii(unseen)
    assert User.objects.get(pk=cast.dino.pk).name == "Dino D."


@db
@both
def test_who_is_on_the_books_is_called_as_there_and_changes_only_the_language(cast: Cast) -> None:
    answer = visitor(cast.bruno).post(
        "/account/",
        {
            "name": "Bruno B.",
            "language": "en",
            "email": "x@example.org",
            "is_staff": "on",
            "is_superuser": "on",
            "is_active": "",
        },
    )
    assert answer.status_code == 302
    user = User.objects.get(pk=cast.bruno.pk)
    assert (user.name, user.language, user.email) == ("Bruno Binario", "en", "bruno@example.org")
    assert (user.is_staff, user.is_superuser, user.is_active) == (False, False, True)
    assert visitor(cast.bruno).post("/account/", {"name": "", "language": "fr"}).status_code == 422


@db
@both
def test_the_language_chosen_is_kept_for_the_mails_too(cast: Cast) -> None:
    client = visitor(cast.bruno, language="it")
    answer = client.post("/lingua/", {"language": "en", "next": "/eventi/"})
    assert (answer.status_code, answer["Location"]) == (302, "/eventi/")
    assert User.objects.get(pk=cast.bruno.pk).language == "en"
    assert '<html lang="en"' in client.get("/eventi/").content.decode()
    ask_new_password("bruno@example.org")
    assert Email.objects.latest("pk").subject == "FIGF: a new password"


@db
def test_an_unknown_language_or_a_mere_visit_changes_nothing(cast: Cast) -> None:
    client = visitor(cast.bruno)
    client.post("/lingua/", {"language": "xx"})
    client.get("/lingua/?language=en")
    assert User.objects.get(pk=cast.bruno.pk).language == "it"
    assert visitor().post("/lingua/", {"language": "en"}).status_code == 302
    answer = client.post("/lingua/", {"language": "it", "next": "https://evil.example/"})
    assert "evil" not in answer["Location"]


@db
def test_a_secretary_makes_no_second_log_in_for_an_address_in_the_administration(
    cast: Cast,
) -> None:
    client = visitor(cast.sara)
    new = {
        "email": "BRUNO@example.org",
        "name": "Bruno",
        "usable_password": "true",
        "password1": NEW,
        "password2": NEW,
    }
    answer = client.post("/admin/figf/user/add/", new)
    assert answer.status_code == 200
    assert "There is already a log-in with this address." in Page(answer).text
    assert "user_email" not in answer.content.decode()
    assert User.objects.filter(email__iexact="bruno@example.org").count() == 1
    assert client.post("/admin/figf/user/add/", {**new, "email": "elsa@example.org"}).status_code
    assert User.objects.filter(email="elsa@example.org").count() == 1


# --- the last secretary ---------------------------------------------------------------------------


def rights(user: User, *ticked: str) -> dict[str, str]:
    return {"email": user.email, "name": user.name, "language": "it", **dict.fromkeys(ticked, "on")}


@db
@both
def test_the_last_secretary_keeps_the_rights(cast: Cast) -> None:
    client, address = visitor(cast.sara), f"/admin/figf/user/{cast.sara.pk}/change/"
    every = ("is_active", "is_staff", "is_superuser")
    elsa = make_user("elsa", "Elsa", secretary=True)
    for missing in every:  # a second one who lacks a right is no second one
        User.objects.filter(pk=elsa.pk).update(**{name: name != missing for name in every})
        ticked = [name for name in every if name != missing]
        answer = client.post(address, rights(cast.sara, *ticked))
        assert answer.status_code == 200
        errors = answer.context["adminform"].form.errors
        assert list(errors) == [missing]
        assert "No other active secretary has all the rights" in errors[missing][0]
        found = User.objects.get(pk=cast.sara.pk)
        assert (found.is_active, found.is_staff, found.is_superuser) == (True, True, True)
    assert client.post(address, rights(cast.sara, *every)).status_code == 302
    User.objects.filter(pk=elsa.pk).update(**dict.fromkeys(every, True))
    assert client.post(address, rights(cast.sara, "is_active")).status_code == 302
    assert not User.objects.get(pk=cast.sara.pk).is_staff


@db
def test_the_last_secretary_is_not_deleted() -> None:
    """Not even one whom nothing else holds: nobody made her through the site."""
    alone = User.objects.create_superuser("una@example.org", PASSWORD, "Una")
    client = visitor(alone)
    for address, data in (
        (f"/admin/figf/user/{alone.pk}/delete/", {"post": "yes"}),
        (
            "/admin/figf/user/",
            {"action": "delete_selected", "_selected_action": [alone.pk], "post": "yes"},
        ),
    ):
        answer = client.post(address, data)
        assert "No other active secretary has all the rights" in Page(answer).text
        assert User.objects.filter(pk=alone.pk).exists()
    other = User.objects.create_superuser("due@example.org", PASSWORD, "Due")
    address = f"/admin/figf/user/{alone.pk}/delete/"
    assert "another secretary deletes it" in Page(client.post(address, {"post": "yes"})).text
    assert visitor(other).post(address, {"post": "yes"}).status_code == 302
    assert not User.objects.filter(pk=alone.pk).exists()


def first_secretary(monkeypatch: pytest.MonkeyPatch, *typed: str, **options: Any) -> str:
    """What the command says to who types this on a terminal, the password at the end."""
    answers, said = iter(typed), StringIO()
    monkeypatch.setattr("sys.stdin.isatty", lambda: True, raising=False)
    monkeypatch.setattr("builtins.input", lambda _prompt: next(answers))
    monkeypatch.setattr("getpass.getpass", lambda _prompt: NEW)
    call_command("first_secretary", stdout=said, **options)
    return said.getvalue()


@db
@both
def test_a_federation_without_a_secretary_gets_one_from_the_machine(
    cast: Cast, monkeypatch: pytest.MonkeyPatch
) -> None:
    with pytest.raises(CommandError, match="has a secretary"):
        first_secretary(monkeypatch)
    assert first_secretary(monkeypatch, if_none=True) == ""
    User.objects.filter(pk=cast.sara.pk).update(is_staff=False)
    said = first_secretary(monkeypatch, "elsa@example.org", "Elsa Nuova", if_none=True)
    assert "log in as elsa@example.org" in said
    User.objects.filter(email="elsa@example.org").update(is_active=False)
    assert "Sara Sportello" in first_secretary(monkeypatch, "SARA@example.org")
    sara = User.objects.get(pk=cast.sara.pk)
    assert (sara.is_staff, sara.check_password(NEW)) == (True, True)
    assert [user.pk for user in services.secretaries()] == [sara.pk]
    assert LogEntry.objects.about(sara)[0].actor is None
