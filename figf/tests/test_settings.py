"""The environment: a wrong one stops with a sentence that names the variable; a right one is clean.

Each question is put to `manage.py` in a process of its own, with an environment of its own.
"""

from __future__ import annotations

import os
import subprocess
import sys
from pathlib import Path

import pytest

ROOT = Path(__file__).resolve().parents[2]
SEVEN = {
    "DATABASE_URL",
    "REDIS_URL",
    "EMAIL_URL",
    "SECRET_KEY",
    "ALLOWED_HOSTS",
    "DEBUG",
    "SITE_URL",
}
PRODUCTION = {
    "DATABASE_URL": "postgresql://figf:x@127.0.0.1:1/nowhere",  # nobody answers there
    "REDIS_URL": "redis://127.0.0.1:1/0",
    "EMAIL_URL": "smtp+tls://user:password@mail.example.org:587",
    "SECRET_KEY": "n3T0y_qB7Zw1kVx9cLr4sJd6hGf2mPa8uEi5oYt0bNvKzXwQeRlMjHgFdSaPoIuY",
    "SITE_URL": "https://figf.example.org",
}
EMBEDDED = {"SECRET_KEY": PRODUCTION["SECRET_KEY"], "SITE_URL": "http://localhost:8000"}


def manage(env: dict[str, str], *arguments: str) -> subprocess.CompletedProcess[str]:
    not_theirs = {*SEVEN, "DJANGO_SETTINGS_MODULE", "DJANGO_ALLOW_ASYNC_UNSAFE"}
    inherited = {k: v for k, v in os.environ.items() if k not in not_theirs}
    return subprocess.run(
        [sys.executable, "-W", "error::DeprecationWarning", "manage.py", *arguments],
        cwd=ROOT,
        env={**inherited, **env},
        capture_output=True,
        text=True,
        timeout=120,
        check=False,
    )


# What is changed in a good environment (None: taken away), and the variable that the stop names.
WRONG: dict[str, tuple[dict[str, str | None], str]] = {
    "a database without Redis": ({"REDIS_URL": None}, "REDIS_URL"),
    "Redis without a database": ({"DATABASE_URL": None}, "DATABASE_URL"),
    "an empty database": ({"DATABASE_URL": ""}, "DATABASE_URL"),
    "another kind of database": ({"DATABASE_URL": "mysql://a:b@c/d"}, "DATABASE_URL"),
    "a file as database": ({"DATABASE_URL": "sqlite:///x.sqlite3"}, "DATABASE_URL"),
    "a database that is no address": ({"DATABASE_URL": "postgres"}, "DATABASE_URL"),
    "no mail server": ({"EMAIL_URL": None}, "EMAIL_URL"),
    "a mail server that is no address": ({"EMAIL_URL": "mail.example.org"}, "EMAIL_URL"),
    "no key": ({"SECRET_KEY": None}, "SECRET_KEY"),
    "an empty key": ({"SECRET_KEY": "  "}, "SECRET_KEY"),
    "no site": ({"SITE_URL": None}, "SITE_URL"),
    "a site without its scheme": ({"SITE_URL": "figf.example.org"}, "SITE_URL"),
    "a site of another kind": ({"SITE_URL": "ftp://figf.example.org"}, "SITE_URL"),
    "a site without its name": ({"SITE_URL": "https://"}, "SITE_URL"),
}


@pytest.mark.parametrize(("changed", "names"), WRONG.values(), ids=list(WRONG))
def test_a_wrong_environment_stops_with_a_sentence_that_names_the_variable(
    changed: dict[str, str | None], names: str
) -> None:
    env = {k: v for k, v in {**PRODUCTION, **changed}.items() if v is not None}
    ran = manage(env, "check")
    assert ran.returncode != 0
    last = ran.stderr.strip().splitlines()[-1]
    assert last.startswith("django.core.exceptions.ImproperlyConfigured: ")
    sentence = last.partition(": ")[2]
    assert names in sentence
    assert sentence.endswith(".")
    assert PRODUCTION["SECRET_KEY"] not in ran.stderr


def test_a_production_environment_passes_the_deployment_check_and_needs_no_database_for_it() -> (
    None
):
    ran = manage(PRODUCTION, "check", "--deploy", "--fail-level", "DEBUG")
    assert (ran.returncode, "no issues" in ran.stdout) == (0, True), ran.stdout + ran.stderr


def test_the_embedded_environment_needs_a_key_and_the_address_of_the_site() -> None:
    ran = manage(EMBEDDED, "check", "--fail-level", "DEBUG")
    assert ran.returncode == 0, ran.stdout + ran.stderr


def test_no_migration_is_pending() -> None:
    ran = manage(EMBEDDED, "makemigrations", "--check", "--dry-run")
    assert ran.returncode == 0, ran.stdout + ran.stderr


def test_the_example_explains_each_variable_and_no_other() -> None:
    written = (ROOT / ".env.example").read_text(encoding="utf-8").splitlines()
    named = [line.partition("=")[0] for line in written if "=" in line and line[:1].isupper()]
    assert sorted(named) == sorted(SEVEN)
    for name in SEVEN:
        at = next(n for n, line in enumerate(written) if line.startswith(f"{name}="))
        assert written[at - 1].startswith("# "), name
