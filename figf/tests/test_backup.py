"""A federation is written to a file and comes back from it as it was, on this engine or another."""

from __future__ import annotations

import hashlib
import io
import json
import os
import stat
import sys
import zipfile
from collections.abc import Callable
from datetime import UTC, datetime, timedelta
from pathlib import Path
from typing import Any

import pytest
from django.contrib.sessions.models import Session
from django.core.management import CommandError, call_command
from django.db import connection
from django.db.migrations.recorder import MigrationRecorder
from django.db.models import Max, QuerySet

from figf import backups
from figf.models import Clock, LogEntry, User
from figf.tests.cast import (
    NOW,
    PASSWORD,
    TODAY,
    Federation,
    at_once,
    make_cast,
    make_federation,
    make_player,
    percentiles,
    seats_of,
    visitor,
)
from figf.tests.processes import Processes
from pbem.models import Action, Game, Move
from rankings.services import Stage, ranking_on
from rankings.tests import squads
from rankings.tests.cups import make_supercoppa
from tournaments import services
from tournaments.models import Club, Event, Result

db = pytest.mark.django_db(transaction=True)  # a backup begins its own transaction
both = pytest.mark.both
on_postgresql = pytest.mark.skipif("DATABASE_URL" not in os.environ, reason="two engines")
Rows = dict[str, list[dict[str, Any]]]


def everything() -> Rows:
    """Every row of every model of ours, by its key."""
    return {
        model._meta.label_lower: list(QuerySet(model).order_by("pk").values())
        for model in backups.our_models()
    }


def make_all() -> Federation:
    """A federation with its cups, and a game by correspondence whose clock stands still."""
    federation = make_federation()
    make_supercoppa(NOW.year, Stage.WINNER)
    squads.playing(federation)
    entry = federation.event.entries.earliest("pk")
    entry.copies.set([federation.played.title])
    game = Game.objects.create(
        table=federation.playing,
        title="1830",
        options={"perché": ["è", 7, None, True]},
        seed="0" * 64,
        rules=1,
        clock=Game.Clock.PAUSED,
        paused_remaining=timedelta(days=1, seconds=5, microseconds=7),
    )
    move = Move.objects.create(
        game=game,
        number=1,
        seat=seats_of(federation.playing)[0],
        kind=Move.Kind.OWN,
        received_at=NOW + timedelta(microseconds=123_457),
    )
    Action.objects.create(game=game, seq=1, move=move, payload={"b": 1, "a": {"d": 2, "c": 3}})
    Clock.objects.create(name="never")
    return federation


@pytest.fixture
def folder(tmp_path: Path) -> Path:
    return tmp_path


def back_up(path: Path) -> Path:
    call_command("backup", str(path), stdout=io.StringIO())
    return path


def restore(path: Path, *arguments: str) -> str:
    said = io.StringIO()
    call_command("restore", str(path), *arguments, stdout=said)
    return said.getvalue()


def flush() -> None:
    call_command("flush", interactive=False, verbosity=0)


def manifest_of(path: Path) -> dict[str, Any]:
    with zipfile.ZipFile(path) as archive:
        found: dict[str, Any] = json.loads(archive.read("manifest.json"))
    return found


def rewritten(path: Path, change: Callable[[dict[str, Any], dict[str, bytes]], None]) -> Path:
    """The backup with its manifest and parts changed by a careful hand, the sums made again."""
    with zipfile.ZipFile(path) as archive:
        parts = {name: archive.read(name) for name in archive.namelist()}
    manifest = json.loads(parts.pop("manifest.json"))
    change(manifest, parts)
    for name, content in parts.items():
        label = name.removesuffix(".jsonl")
        manifest["parts"][label] = {
            "rows": content.count(b"\n"),
            "sha256": hashlib.sha256(content).hexdigest(),
        }
    other = path.with_name("rewritten.zip")
    with zipfile.ZipFile(other, "w") as archive:
        for name, content in {**parts, "manifest.json": json.dumps(manifest).encode()}.items():
            archive.writestr(name, content)
    return other


# --- there and back -------------------------------------------------------------------------------


@db
@both
def test_what_was_written_comes_back_to_the_last_value(folder: Path) -> None:
    federation = make_all()
    before = everything()
    assert all(before[label] for label in ("figf.user", "pbem.action", "rankings.teammember"))
    assert before["tournaments.entry_copies"]
    file = back_up(folder / "figf.zip")
    flush()
    assert not User.objects.exists()

    said = restore(file)
    assert everything() == before
    assert "Written at" in said
    assert "http://testserver" in said
    played = Result.objects.get(table=federation.played.pk)
    # 7500, 7200, 6600 and 0: C-01, and the first takes 500 + (1000 - 960) more (C-04).
    assert percentiles(played) == ["1540.00", "960.00", "880.00", "0.00"]
    # H-01: Bruno has 120 and the 75 of the year before; Alice and Carla 80; the next has 54.
    rows = ranking_on(TODAY).rows
    assert [(row.place, row.player.surname, row.points) for row in rows[:4]] == [
        (1, "Binario", 195),
        (2, "Carrozza", 80),
        (2, "Direttissima", 80),
        (4, "Passeggero 02", 54),
    ]
    client = visitor()
    answer = client.post("/accesso/", {"username": "bruno@example.org", "password": PASSWORD})
    assert answer.status_code == 302
    assert client.get("/account/").status_code == 200


@db
@both
def test_what_is_written_afterwards_has_a_number_of_its_own(folder: Path) -> None:
    make_all()
    file = back_up(folder / "figf.zip")
    flush()
    restore(file)
    last = {model: model._default_manager.aggregate(n=Max("pk"))["n"] for model in (User, Club)}
    log = LogEntry.objects.aggregate(n=Max("pk"))["n"]
    player = make_player("Ultimo", "Arrivato")
    club = services.register_club("Nuova Stazione", "Montetreno", make_cast().sara, NOW)
    assert player.pk == max(row["id"] for row in everything()["tournaments.player"])
    assert club.pk > last[Club]
    assert LogEntry.objects.about(player).get().pk > log
    assert User.objects.create_user("nuovo@example.org", None, "Nuovo").pk > last[User]


@db
@both
def test_a_moment_keeps_its_microseconds_and_a_text_its_accents(folder: Path) -> None:
    """Nothing is lost of what a column can hold."""
    cast = make_cast()
    exact = datetime(2026, 3, 14, 15, 0, 0, 123_457, tzinfo=UTC)
    LogEntry.objects.record(cast.sara, "tidy", cast.sara, exact, perché="«è»  \n ☃")
    file = back_up(folder / "figf.zip")
    restore(file, "--replace", "--no-input")
    entry = LogEntry.objects.get(verb="tidy")
    assert (entry.at, entry.data) == (exact, {"perché": "«è»  \n ☃"})


@db
@both
def test_who_was_logged_in_before_a_restore_logs_in_again(folder: Path) -> None:
    cast = make_cast()
    file = back_up(folder / "figf.zip")
    client = visitor(cast.bruno)
    assert client.get("/account/").status_code == 200
    restore(file, "--replace", "--no-input")
    assert not Session.objects.exists()
    assert client.get("/account/").status_code == 302


# --- one moment -----------------------------------------------------------------------------------


@db
@on_postgresql
def test_what_is_written_meanwhile_is_not_in_it() -> None:
    cast = make_cast()
    services.register_club("Prima", "", cast.sara, NOW)

    def another(_part: str, _rows: int) -> None:
        if not written:
            [done] = at_once(lambda: services.register_club("Intanto", "", cast.sara, NOW))
            written.append(done)

    written: list[Any] = []
    manifest = backups.write(io.BytesIO(), NOW, another)
    assert [str(club) for club in written] == ["Intanto"]
    assert Club.objects.filter(name="Intanto").exists()
    assert manifest.parts["tournaments.club"].rows == 1


# --- the file -------------------------------------------------------------------------------------


@db
@both
def test_the_file_is_its_owners_alone_and_never_written_over(folder: Path) -> None:
    make_cast()
    file = back_up(folder / "figf.zip")
    assert stat.S_IMODE(file.stat().st_mode) == 0o600
    before = file.read_bytes()
    with pytest.raises(CommandError, match="there already"):
        back_up(file)
    assert file.read_bytes() == before
    assert list(folder.iterdir()) == [file]


@db
@both
def test_in_a_folder_it_is_named_by_the_moment(folder: Path) -> None:
    make_cast()
    back_up(folder)
    [file] = folder.glob("figf-20[0-9][0-9][0-9][0-9][0-9][0-9]T*Z.zip")
    assert manifest_of(file)["format"] == "figf-backup"


@db
@both
def test_it_goes_to_the_standard_output_too(
    folder: Path, capsysbinary: pytest.CaptureFixture[bytes]
) -> None:
    make_cast()
    before = everything()
    call_command("backup", "-")
    file = folder / "piped.zip"
    file.write_bytes(capsysbinary.readouterr().out)
    restore(file, "--replace", "--no-input")
    assert everything() == before


@db
def test_where_it_cannot_be_written_it_says_so_and_leaves_nothing(folder: Path) -> None:
    make_cast()
    with pytest.raises(CommandError, match="cannot be written"):
        back_up(folder / "nowhere" / "figf.zip")
    with pytest.raises(CommandError, match="cannot be read"):
        restore(folder / "figf.zip")
    assert list(folder.iterdir()) == []


# --- what is refused ------------------------------------------------------------------------------


def cut(content: bytes) -> bytes:
    return content[: len(content) // 2]


def flipped(content: bytes) -> bytes:
    """One bit of the first part's rows."""
    return content[:200] + bytes([content[200] ^ 1]) + content[201:]


@db
@both
@pytest.mark.parametrize("damage", [cut, flipped, lambda _content: b"not a zip", lambda _c: b""])
def test_a_damaged_file_is_refused_and_nothing_changes(
    damage: Callable[[bytes], bytes], folder: Path
) -> None:
    make_federation()
    file = back_up(folder / "figf.zip")
    file.write_bytes(damage(file.read_bytes()))
    before = everything()
    with pytest.raises(CommandError, match=r"(?s)(damaged|altered).*Nothing was changed\."):
        restore(file, "--replace", "--no-input")
    assert everything() == before


@db
@both
def test_a_changed_row_is_refused_even_if_the_zip_is_well(folder: Path) -> None:
    make_federation()
    file = back_up(folder / "figf.zip")
    other = folder / "other.zip"
    with zipfile.ZipFile(file) as archive, zipfile.ZipFile(other, "w") as written:
        for name in archive.namelist():
            written.writestr(name, archive.read(name).replace(b"Bruno", b"Brunx"))
    with pytest.raises(CommandError, match=r"altered: figf\.user is not as it was written"):
        restore(other, "--replace", "--no-input")


@db
@both
def test_a_database_that_holds_something_is_refused_unless_it_is_meant(
    folder: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    make_federation()
    file = back_up(folder / "figf.zip")
    held = everything()
    make_player("Arrivato", "Dopo")
    after = everything()
    with pytest.raises(CommandError, match="--replace"):
        restore(file)
    monkeypatch.setattr("builtins.input", lambda _question: "no")
    with pytest.raises(CommandError, match=r"Nothing was changed\."):
        restore(file, "--replace")
    assert everything() == after
    monkeypatch.setattr("builtins.input", lambda _question: "yes")
    restore(file, "--replace")
    assert everything() == held


def forget_a_migration(manifest: dict[str, Any], _parts: dict[str, bytes]) -> None:
    manifest["migrations"]["rankings"].remove("0003_publications_honours_cups")


def add_a_migration(manifest: dict[str, Any], _parts: dict[str, bytes]) -> None:
    manifest["migrations"]["pbem"].append("0099_of_tomorrow")


def add_a_format(manifest: dict[str, Any], _parts: dict[str, bytes]) -> None:
    manifest["version"] += 1


def be_another_programs(manifest: dict[str, Any], _parts: dict[str, bytes]) -> None:
    manifest["format"] = "ledger"


OTHERS = {
    forget_a_migration: "it does not know rankings.0003_publications_honours_cups. Restore it with "
    "the version it was made with, then migrate.",
    add_a_migration: "this code does not know pbem.0099_of_tomorrow. Restore it with",
    add_a_format: "newer than this code",
    be_another_programs: "no backup of this platform",
}


@db
@both
def test_what_other_code_wrote_is_refused_and_told_apart(folder: Path) -> None:
    make_cast()
    file = back_up(folder / "figf.zip")
    flush()
    for change, words in OTHERS.items():
        with pytest.raises(CommandError) as refused:
            restore(rewritten(file, change))
        assert words in str(refused.value)
    with zipfile.ZipFile(folder / "photos.zip", "w") as archive:
        archive.writestr("holiday.txt", "a beach")
    with pytest.raises(CommandError, match="no manifest"):
        restore(folder / "photos.zip")
    assert not User.objects.exists()


@db
@both
def test_a_database_that_is_not_migrated_is_neither_read_nor_written(folder: Path) -> None:
    make_cast()
    file = back_up(folder / "figf.zip")
    records = MigrationRecorder(connection)
    records.record_unapplied("rankings", "0003_publications_honours_cups")
    try:
        with pytest.raises(CommandError, match=r"run manage\.py migrate first"):
            restore(file, "--replace", "--no-input")
        with pytest.raises(CommandError, match=r"run manage\.py migrate first"):
            back_up(folder / "another.zip")
    finally:
        records.record_applied("rankings", "0003_publications_honours_cups")
    assert list(folder.iterdir()) == [file]


def _amended(label: str, change: Callable[[dict[str, Any]], None]) -> Any:
    """Change the last row of a part."""

    def amend(_manifest: dict[str, Any], parts: dict[str, bytes]) -> None:
        *lines, last = parts[f"{label}.jsonl"].splitlines(keepends=True)
        row = json.loads(last)
        change(row)
        written = json.dumps(row, ensure_ascii=False, sort_keys=True)
        parts[f"{label}.jsonl"] = b"".join([*lines, f"{written}\n".encode()])

    return amend


BROKEN: dict[str, tuple[Any, str]] = {
    "points to nobody": (
        _amended("rankings.publicationline", lambda row: row.update(player_id=10**6)),
        "missing that a row points to",
    ),
    "no day": (_amended("tournaments.event", lambda row: row.update(starts_on="x")), "event"),
    "a column less": (_amended("tournaments.player", lambda row: row.pop("town")), "player"),
    "a column more": (_amended("tournaments.player", lambda row: row.update(x=1)), "player"),
    "against a constraint": (
        _amended("tournaments.eventplace", lambda row: row.update(place=0)),
        "eventplace",
    ),
    "twice": (
        _amended("tournaments.resultline", lambda row: row.update(id=row["id"] - 1)),
        "resultline",
    ),
    "too long": (_amended("rankings.honour", lambda row: row.update(award="x" * 99)), "honour"),
}


@db
@both
@pytest.mark.parametrize(("change", "where"), BROKEN.values(), ids=list(BROKEN))
def test_half_a_restore_is_none(change: Any, where: str, folder: Path) -> None:
    """A row that the database refuses, in a file whose sums are right, undoes all of it."""
    make_federation()
    file = rewritten(back_up(folder / "figf.zip"), change)
    make_player("Arrivato", "Dopo")
    before = everything()
    with pytest.raises(CommandError, match=where) as refused:
        restore(file, "--replace", "--no-input")
    assert "\n" not in str(refused.value)
    assert everything() == before
    last = before["tournaments.player"][-1]["id"]
    assert make_player("Ancora", "Uno").pk > last  # the numbers go on from where they were


# --- from one engine to the other -----------------------------------------------------------------


def embedded_site(folder: Path) -> Processes:
    """The embedded shape in processes of its own, whatever runs these tests."""
    env = {
        "DJANGO_SETTINGS_MODULE": "figf.tests.settings_kill",
        "FIGF_TEST_SQLITE": str(folder / "figf.sqlite3"),
        "SECRET_KEY": "k" * 50,
        "SITE_URL": "http://127.0.0.1",
    }
    return Processes(folder, env)


WRITER = "import django; django.setup(); from figf.tests.test_backup import make_all; make_all()"


@db
@on_postgresql
@pytest.mark.processes
def test_a_federation_moves_from_sqlite_to_postgresql_and_back(folder: Path) -> None:
    """The very lines come out of both engines."""
    with embedded_site(folder) as embedded:
        embedded.manage("migrate", "--noinput", "-v", "0")
        writer = embedded.start("writer", "python", "-c", WRITER)
        assert writer.wait(90) == 0, embedded.words("writer")
        embedded.manage("backup", "embedded.zip")
        restore(folder / "embedded.zip")
        assert Event.objects.get(name="Festa del Binario Morto").director is not None
        file = back_up(folder / "production.zip")
        parts = manifest_of(file)["parts"]
        assert parts == manifest_of(folder / "embedded.zip")["parts"]
        said = embedded.manage("restore", "production.zip", "--replace", "--no-input")
        assert "every row read again" in said
        embedded.manage("backup", "again.zip")
        assert manifest_of(folder / "again.zip")["parts"] == parts


@db
@on_postgresql
@pytest.mark.processes
@pytest.mark.skipif(sys.platform != "linux", reason="looks into /proc")
def test_who_says_no_is_told_by_the_status_of_the_command(folder: Path) -> None:
    with embedded_site(folder) as embedded:
        said = embedded.manage("backup", "figf.zip", status=1)
        assert "run manage.py migrate first" in said
        assert "Traceback" not in said
        embedded.manage("migrate", "--noinput", "-v", "0")
        said = embedded.manage("restore", "figf.zip", status=1)
        assert "cannot be read" in said
        assert "Traceback" not in said
