"""The embedded shape: the tests marked `both` once more, on SQLite, in a process of their own."""

from __future__ import annotations

import os
import subprocess
import sys
from pathlib import Path

ROOT = Path(__file__).resolve().parents[2]
# A file, as an installation has it: in memory there is neither WAL nor a second connection.
SETTINGS = """
from figf.tests.settings import *
from figf.tests.settings import DATABASES

DATABASES["default"]["TEST"] = {{"NAME": {name!r}}}
"""


def test_what_is_marked_both_passes_on_sqlite_in_a_file(tmp_path: Path) -> None:
    database = tmp_path / "test.sqlite3"
    (tmp_path / "settings_on_file.py").write_text(SETTINGS.format(name=str(database)))
    env = {
        name: value
        for name, value in os.environ.items()
        if name not in {"DATABASE_URL", "REDIS_URL", "EMAIL_URL", "DJANGO_SETTINGS_MODULE"}
        and not name.startswith(("PYTEST_", "COV_"))
    }
    env["PYTHONPATH"] = str(tmp_path)
    var = ROOT / "var"
    before = {path: path.stat().st_mtime_ns for path in var.glob("*.sqlite3*")}
    ran = subprocess.run(
        [
            *(sys.executable, "-m", "pytest", "-m", "both", "-q", "--ds=settings_on_file"),
            *("-p", "no:cacheprovider", "--create-db", "--show-capture=no"),
        ],
        cwd=ROOT,
        env=env,
        capture_output=True,
        text=True,
        timeout=900,
        check=False,
    )
    assert ran.returncode == 0, ran.stdout[-20_000:] + ran.stderr[-5_000:]
    assert " passed" in ran.stdout
    assert not database.exists()  # it was this one, and it is gone
    assert {path: path.stat().st_mtime_ns for path in var.glob("*.sqlite3*")} == before
