"""A backup: all that the site knows in one file, which no database engine owns.

A zip with a part for each model, a row of JSON on each line, and `manifest.json`, which says who
wrote it, by which migrations, and what each part must be. In it are all the rows of our own apps,
addresses and hashes of passwords included: the file is to be kept as the database is. Left out is
what Django's apps keep for themselves: sessions, failed log-ins, the administration's history (the
log has it too), and the content types and permissions that `migrate` makes.
"""

from __future__ import annotations

import hashlib
import json
import zipfile
import zlib
from collections.abc import Callable, Generator, Iterator, Mapping
from contextlib import ExitStack, closing, contextmanager
from dataclasses import asdict, dataclass
from datetime import date, datetime, time, timedelta
from decimal import Decimal
from graphlib import TopologicalSorter
from itertools import islice
from pathlib import Path
from typing import IO, Any
from uuid import UUID

from django.apps import AppConfig, apps
from django.conf import settings
from django.core.exceptions import ValidationError
from django.core.management.color import no_style
from django.db import DatabaseError, connection, models, transaction
from django.db.migrations.executor import MigrationExecutor
from django.utils.duration import duration_iso_string

FORMAT = "figf-backup"
VERSION = 1
MANIFEST = "manifest.json"
AT_ONCE = 1000  # rows in memory
KEPT = frozenset({"auth", "contenttypes"})  # apps whose rows are made by `migrate`

DAMAGE = (zipfile.BadZipFile, zlib.error, EOFError, RuntimeError)  # what an altered zip comes to

Say = Callable[[str, int], None]  # a part that is done, and how many rows it has


class Unfit(ValueError):
    """No backup can be written, or this file cannot be restored here: why, in words."""


@dataclass(frozen=True)
class Part:
    """The rows of a model as they must be in the file: how many, and the SHA-256 of the lines."""

    rows: int
    sha256: str


@dataclass(frozen=True)
class Manifest:
    """What a backup says of itself; `migrations` and `parts` are by app and by model."""

    format: str
    version: int
    site: str
    written_at: str
    migrations: Mapping[str, list[str]]
    parts: Mapping[str, Part]

    @property
    def rows(self) -> int:
        return sum(part.rows for part in self.parts.values())


# --- what there is to keep ------------------------------------------------------------------------


def our_apps() -> list[AppConfig]:
    """The apps of this repository."""
    return [app for app in apps.get_app_configs() if Path(app.path).parent == settings.BASE_DIR]


def our_models() -> list[type[models.Model]]:
    """Their models and links, each after those that it points to, but for links to Django's own."""
    found = [model for app in our_apps() for model in app.get_models(include_auto_created=True)]
    labels = {app.label for app in our_apps()}
    points = {model: _pointed_by(model) for model in found}
    ours = {
        model: [target for target in targets if target is not model]
        for model, targets in points.items()
        if all(target._meta.app_label in labels for target in targets)
    }
    return list(TopologicalSorter(ours).static_order())


def _pointed_by(model: type[models.Model]) -> list[type[models.Model]]:
    targets = [field.related_model for field in model._meta.concrete_fields if field.is_relation]
    return [target for target in targets if target is not None]


def migrations() -> dict[str, list[str]]:
    """The migrations of our apps, by which database and code agree; refused if they do not."""
    executor = MigrationExecutor(connection)
    if executor.migration_plan(executor.loader.graph.leaf_nodes()):
        raise Unfit("This database is not as this code wants it: run manage.py migrate first.")
    labels = {app.label for app in our_apps()}
    found: dict[str, list[str]] = {label: [] for label in sorted(labels)}
    for app, name in sorted(executor.loader.disk_migrations):
        if app in labels:
            found[app].append(name)
    return found


# --- rows and lines -------------------------------------------------------------------------------


def _lines(model: type[models.Model]) -> Iterator[bytes]:
    """The rows of a model, by their key: the same rows give the same lines in every engine."""
    names = [field.attname for field in model._meta.concrete_fields]
    rows: models.QuerySet[Any, Any] = models.QuerySet(model).order_by("pk").values_list(*names)
    for row in rows.iterator(chunk_size=AT_ONCE):
        line = json.dumps(
            dict(zip(names, row, strict=True)), default=_plain, ensure_ascii=False, sort_keys=True
        )
        yield f"{line}\n".encode()


def _plain(value: object) -> str:
    """What JSON does not know, as its field reads it again, to the last microsecond."""
    match value:
        case datetime() | date() | time():
            return value.isoformat()
        case timedelta():
            return duration_iso_string(value)
        case Decimal() | UUID():
            return str(value)
    raise TypeError(f"a {type(value).__name__} cannot be kept in a backup")


def _rows(model: type[models.Model], lines: Iterator[bytes]) -> Iterator[models.Model]:
    fields = {field.attname: field for field in model._meta.concrete_fields}
    for line in lines:
        row = json.loads(line)
        if row.keys() != fields.keys():
            raise ValueError("its columns are not those of this code")
        yield model(**{name: fields[name].to_python(value) for name, value in row.items()})


class Count:
    """Lines as they pass by: how many, and what they add up to."""

    def __init__(self, lines: Iterator[bytes]) -> None:
        self.lines = lines
        self.rows = 0
        self.sha = hashlib.sha256()

    def __iter__(self) -> Iterator[bytes]:
        for line in self.lines:
            self.rows += 1
            self.sha.update(line)
            yield line

    def part(self) -> Part:
        """What has passed, once all the lines have."""
        for _line in self:
            pass
        return Part(self.rows, self.sha.hexdigest())


# --- writing --------------------------------------------------------------------------------------


def write(file: IO[bytes], now: datetime, say: Say) -> Manifest:
    """Write a backup of the database as it is at one moment, whatever is written meanwhile."""
    made_by = migrations()
    parts = {}
    with zipfile.ZipFile(file, "w", zipfile.ZIP_DEFLATED) as archive:
        with one_moment():
            for model in our_models():
                label = model._meta.label_lower
                count = Count(_lines(model))
                with archive.open(_name(label), "w", force_zip64=True) as member:
                    for line in count:
                        member.write(line)
                parts[label] = count.part()
                say(label, count.rows)
        manifest = Manifest(FORMAT, VERSION, settings.SITE_URL, now.isoformat(), made_by, parts)
        archive.writestr(MANIFEST, json.dumps(asdict(manifest), indent=1))
    return manifest


def _name(label: str) -> str:
    return f"{label}.jsonl"


@contextmanager
def one_moment() -> Iterator[None]:
    """A transaction in which every query sees the same rows."""
    with transaction.atomic(durable=True):
        if connection.features.has_select_for_update:  # without row locks one sees no other anyway
            with connection.cursor() as cursor:
                cursor.execute("SET TRANSACTION ISOLATION LEVEL REPEATABLE READ, READ ONLY")
        yield


# --- reading --------------------------------------------------------------------------------------


@contextmanager
def opened(path: Path) -> Iterator[Backup]:
    """A backup that can be restored here: whole, unaltered, by this code's migrations."""
    with ExitStack() as end:
        try:
            archive = end.enter_context(zipfile.ZipFile(path))
            backup = Backup(archive, _manifest(archive.read(MANIFEST)))
            backup.refuse_other_code()
            backup.refuse_altered()
        except OSError as error:
            raise Unfit(f"The file cannot be read: {error.strerror or error}.") from error
        except DAMAGE as error:
            raise Unfit("This is no backup, or the file is cut or damaged.") from error
        except KeyError:
            raise Unfit("This is no backup of this platform: it has no manifest.") from None
        yield backup


def _manifest(written: bytes) -> Manifest:
    unknown = Unfit("This is no backup of this platform: its manifest cannot be read.")
    try:
        said = json.loads(written)
        form, version = said["format"], int(said["version"])
    except (KeyError, TypeError, ValueError):
        raise unknown from None
    if form == FORMAT and version > VERSION:
        raise Unfit(
            f"This backup is of format {version}, newer than this code, which reads {VERSION}: "
            "restore it with the version it was made with."
        )
    if form != FORMAT or version != VERSION:
        raise unknown
    try:
        said["parts"] = {label: Part(**part) for label, part in said["parts"].items()}
        return Manifest(**said)
    except (AttributeError, KeyError, TypeError):
        raise unknown from None


@dataclass(frozen=True)
class Backup:
    """An open backup, and what it says of itself."""

    archive: zipfile.ZipFile
    manifest: Manifest

    def lines(self, label: str) -> Generator[bytes]:
        with self.archive.open(_name(label)) as member:
            yield from member

    def refuse_other_code(self) -> None:
        """What other migrations wrote has other columns, perhaps with another meaning."""
        ours = {f"{app}.{name}" for app, names in migrations().items() for name in names}
        theirs = {
            f"{app}.{name}" for app, names in self.manifest.migrations.items() for name in names
        }
        told = []
        if ours - theirs:
            told.append(f"it does not know {', '.join(sorted(ours - theirs))}")
        if theirs - ours:
            told.append(f"this code does not know {', '.join(sorted(theirs - ours))}")
        labels = {model._meta.label_lower for model in our_models()}
        if not told and labels != set(self.manifest.parts):
            told.append(
                f"the models differ: {', '.join(sorted(labels ^ set(self.manifest.parts)))}"
            )
        if told:
            raise Unfit(
                f"This backup was made by other code: {'; '.join(told)}. "
                "Restore it with the version it was made with, then migrate."
            )

    def refuse_altered(self) -> None:
        for label, part in self.manifest.parts.items():
            try:
                with closing(self.lines(label)) as lines:
                    found = Count(lines).part()
            except (KeyError, OSError, *DAMAGE):
                found = None
            if found != part:
                raise Unfit(f"The backup was altered: {label} is not as it was written.")


# --- restoring ------------------------------------------------------------------------------------


def restore(backup: Backup, say: Say, *, refuse: Callable[[], None]) -> None:
    """Put the database's rows away and the backup's in their place: all of it, or nothing.

    `refuse` looks first at what is there, in the same transaction, and may raise.
    """
    ours = our_models()
    with transaction.atomic(durable=True):
        refuse()
        _empty()
        for model in ours:
            label = model._meta.label_lower
            try:
                with closing(backup.lines(label)) as lines:
                    _load(model, lines)
            except (DatabaseError, ValidationError, TypeError, ValueError, *DAMAGE) as error:
                raise Unfit(f"{label} cannot be restored: {_said(error)}") from error
            say(label, backup.manifest.parts[label].rows)
        try:
            connection.check_constraints()
        except DatabaseError as error:
            raise Unfit(f"Something is missing that a row points to: {_said(error)}") from error
        for model in ours:
            label = model._meta.label_lower
            if Count(_lines(model)).part() != backup.manifest.parts[label]:
                raise Unfit(f"{label}, read again, is not as it was in the backup.")
        _reset_sequences(ours)  # the last act: it alone would not be undone


def _empty() -> None:
    """No row but of `KEPT`: sessions and failed log-ins were of other people."""
    with connection.cursor() as cursor:
        for model in apps.get_models(include_auto_created=True):
            if model._meta.app_label not in KEPT and model._meta.managed:
                table = connection.ops.quote_name(model._meta.db_table)
                cursor.execute(f"DELETE FROM {table}")  # noqa: S608 - no manager has a say in it


def _load(model: type[models.Model], lines: Iterator[bytes]) -> None:
    rows, there = _rows(model, lines), models.QuerySet[Any](model)
    while batch := list(islice(rows, AT_ONCE)):
        there.bulk_create(batch)


def _reset_sequences(ours: list[type[models.Model]]) -> None:
    """The next row of each model gets a number that none has."""
    with connection.cursor() as cursor:
        for statement in connection.ops.sequence_reset_sql(no_style(), ours):
            cursor.execute(statement)


def _said(error: Exception) -> str:
    """What is wrong, on one line."""
    return " ".join(str(error).split())
