"""What every page carries and never carries: headers, cookies, inline code, secrets of links."""

from __future__ import annotations

import json
import os
import re
import subprocess
import sys
from datetime import UTC, datetime
from pathlib import Path
from typing import Any

import pytest
from django.test import Client
from django.urls import reverse

from figf.models import Email, User
from figf.tests.cast import PASSWORD, Federation, Page, make_cast, make_federation, visitor
from figf.tests.test_every_page import ADMIN, PAGES, path_of

ROOT = Path(__file__).resolve().parents[2]
db = pytest.mark.django_db
both = pytest.mark.both


@pytest.fixture
def federation() -> Federation:
    return make_federation(datetime.now(UTC))


def policy(answer: Any) -> dict[str, set[str]]:
    """The Content-Security-Policy of a page, by directive."""
    parts = [part.split() for part in answer["Content-Security-Policy"].split(";")]
    return {part[0]: set(part[1:]) for part in parts if part}


def assert_guarded(answer: Any, path: str) -> None:
    found = policy(answer)
    # Nothing but what this site itself serves, nothing inline, in no frame; images may be data.
    assert found["default-src"] == {"'none'"}, path
    for kind in ("script-src", "style-src", "font-src", "connect-src", "form-action"):
        assert found[kind] == {"'self'"}, path
    assert found["img-src"] == {"'self'", "data:"}, path
    for kind in ("frame-ancestors", "base-uri"):
        assert found[kind] == {"'none'"}, path
    assert answer["X-Content-Type-Options"] == "nosniff", path
    assert answer["X-Frame-Options"] == "DENY", path
    assert answer["Referrer-Policy"] == "same-origin", path
    assert answer["Cross-Origin-Opener-Policy"] == "same-origin", path


@db
@both
def test_every_page_is_guarded_and_has_nothing_inline(federation: Federation) -> None:
    for user in (None, federation.cast.alice, federation.cast.sara):
        client = visitor(user)
        for name, where, _expected in PAGES:
            path = path_of(name, where, federation)
            answer = client.get(path)
            assert_guarded(answer, path)
            if answer["Content-Type"].startswith("text/html"):
                assert Page(answer).inline == [], path


@db
def test_the_administration_is_guarded_and_has_nothing_inline(federation: Federation) -> None:
    client = visitor(federation.cast.sara)
    pages = [path_of(name, where, federation) for name, where in ADMIN]
    for path in pages:
        answer = client.get(path)
        assert_guarded(answer, path)
        assert Page(answer).inline == [], path
    log_in = visitor().get("/admin/login/")
    assert_guarded(log_in, "/admin/login/")
    assert Page(log_in).inline == []


@db
def test_pages_that_say_no_are_guarded_too() -> None:
    make_cast()
    client = visitor()
    for _ in range(6):
        locked = client.post("/accesso/", {"username": "bruno@example.org", "password": "x"})
    forged = Client(enforce_csrf_checks=True).post("/accesso/", {"username": "x"})
    missing = client.get("/binario-morto/")
    for status, answer in {429: locked, 403: forged, 404: missing}.items():
        assert answer.status_code == status
        assert_guarded(answer, str(status))
        assert Page(answer).inline == []
    unhosted = visitor().get("/", headers={"host": "elsewhere.example"})
    unread = client.post("/accesso/", {"username": "x", "password": "y" * 2_000_000})
    for answer in (unhosted, unread):
        assert answer.status_code == 400
        assert policy(answer)["default-src"] == {"'none'"}
        assert Page(answer).inline == []


@db
def test_static_files_are_served_as_what_they_are() -> None:
    for path, kind in {
        "/static/figf.css": "text/css",
        "/static/figf.js": "text/javascript",
        "/static/dice.js": "text/javascript",
        "/static/figf.svg": "image/svg+xml",
        "/static/vendor/bootstrap/bootstrap.min.css": "text/css",
        "/static/admin/css/base.css": "text/css",
    }.items():
        answer = visitor().get(path)
        answer.close()  # the file itself
        assert answer.status_code == 200, path
        assert answer["Content-Type"].startswith(kind), path
        assert answer["X-Content-Type-Options"] == "nosniff", path
        assert answer["Referrer-Policy"] == "same-origin", path
    for outside in ("/static/../manage.py", "/static/%2e%2e/manage.py", "/static/"):
        assert visitor().get(outside).status_code == 404, outside


# --- what lets somebody in ------------------------------------------------------------------------


@db
def test_the_secrets_of_links_are_in_the_mails_only(federation: Federation) -> None:
    """Neither the outbox nor the log shows what would let its reader in."""
    Email.objects.filter(pk=federation.mail.pk).update(body="http://testserver/inviti/secret/")
    client = visitor(federation.cast.sara)
    for path in ("/posta/", "/registro/", "/giocatori/", "/", "/admin/"):
        content = client.get(path).content.decode()
        for secret in (federation.invitation_token, federation.email_token, "inviti/secret"):
            assert secret not in content, path


# --- cookies --------------------------------------------------------------------------------------


@db
def test_cookies_are_kept_from_scripts_and_from_other_sites() -> None:
    make_cast()
    client = visitor()
    client.post("/lingua/", {"language": "en"})
    client.post("/accesso/", {"username": "bruno@example.org", "password": PASSWORD})
    client.get("/account/")
    session, language = client.cookies["sessionid"], client.cookies["django_language"]
    assert (session["httponly"], session["samesite"]) == (True, "Lax")
    assert (language["httponly"], language["samesite"]) == (True, "Lax")
    assert client.cookies["csrftoken"]["samesite"] == "Lax"
    assert User.objects.filter(email="bruno@example.org").exists()


ASK = """
import json, django
django.setup()
from django.conf import settings
from django.test import Client
client = Client(headers={"x-forwarded-proto": "https", "host": "figf.example.org"})
page = client.get("/accesso/")
client.post("/lingua/", {"language": "en"})
plain = Client(headers={"host": "figf.example.org"})
away, health = plain.get("/eventi/?a=1"), plain.get("/health/")
print(json.dumps({
    "cookies": {name: [bool(morsel["secure"]), morsel["samesite"]]
                for name, morsel in client.cookies.items()},
    "session": [settings.SESSION_COOKIE_SECURE, settings.SESSION_COOKIE_HTTPONLY,
                settings.SESSION_COOKIE_SAMESITE],
    "hsts": page["Strict-Transport-Security"],
    "away": [away.status_code, away["Location"]],
    "health": health.status_code,
    "stranger": Client(headers={"x-forwarded-proto": "https", "host": "evil.example"})
        .get("/accesso/").status_code,
    "debug": settings.DEBUG,
}))
"""


@pytest.mark.skipif("DATABASE_URL" not in os.environ, reason="the production shape has PostgreSQL")
def test_over_https_cookies_travel_over_https_only_and_so_does_everything() -> None:
    env = {
        **os.environ,
        "DJANGO_SETTINGS_MODULE": "figf.settings",
        "SITE_URL": "https://figf.example.org",
        "ALLOWED_HOSTS": "figf.example.org",
        "SECRET_KEY": "x" * 64,
        "EMAIL_URL": "smtp+tls://user:password@mail.example.org:587",
        "DEBUG": "False",
    }
    ran = subprocess.run(
        [sys.executable, "-c", ASK],
        cwd=ROOT,
        env=env,
        capture_output=True,
        text=True,
        timeout=120,
        check=False,
    )
    assert ran.returncode == 0, ran.stderr
    said = json.loads(ran.stdout)
    assert said["cookies"] == {"csrftoken": [True, "Lax"], "django_language": [True, "Lax"]}
    assert said["session"] == [True, True, "Lax"]
    assert re.search(r"max-age=31536000\b", said["hsts"])  # 365 days
    assert said["away"] == [301, "https://figf.example.org/eventi/?a=1"]
    assert said["health"] == 200  # the supervisor asks from inside, without TLS
    assert said["stranger"] == 400
    assert said["debug"] is False


@db
def test_the_address_of_the_site_is_the_one_of_the_settings_whatever_host_is_asked() -> None:
    """A mail's links are made from SITE_URL: a forged Host cannot lead its reader astray."""
    make_cast()
    client = Client(headers={"host": "localhost"})
    client.post(reverse("password_reset"), {"email": "bruno@example.org"})
    body = Email.objects.get(key__startswith="password-reset:").body
    assert "http://testserver/password/nuova/" in body
    assert "localhost" not in body
