"""The file of an event as it is read: whatever is sent, either it is one of ours or it is refused.

A file may have been cut, altered or written by hand: nothing of it is believed before it has been
read to its end. Of what a database or a page could not hold, `bad_file` says where it is.
"""

from __future__ import annotations

import json
import re
import unicodedata
import uuid
from collections.abc import Callable, Collection, Iterable, Sequence
from dataclasses import dataclass
from datetime import UTC, date, datetime
from decimal import Decimal
from typing import Any, TypeAlias

from django.utils.translation import gettext as _

from figf.errors import Refused
from figf.spreadsheets import MAX_SIZE, MEGABYTE
from tournaments import texts
from tournaments.models import Entry, Event, Holder, Removal, Result, ResultLine, Round, Table
from tournaments.rules import registry
from tournaments.rules.countries import COUNTRIES
from tournaments.rules.regulation import Regulation, Step
from tournaments.services.event_files import (
    FORMAT,
    IN_PLAY,
    VERSION,
    Json,
    called_in,
    digest,
)
from tournaments.services.results import LARGEST_TOTAL

SMALL = 32_767  # what the database's small whole numbers hold
MOST_PEOPLE, MOST_TABLES, MOST_VERSIONS, MOST_ROWS = 5_000, 200, 500, 5_000

Read: TypeAlias = Callable[[Any, str], Any]  # what is written, and where; what it means


class _Amiss(Exception):
    """Something is not as it is written here; the text says where."""


@dataclass(frozen=True, slots=True)
class EventDoc:
    """A file that was read: `raw` as it was sent, to be carried to the next page, and its parts."""

    raw: Json
    site: str
    written_at: datetime
    state: str
    known: frozenset[str]
    event: Json
    titles: Sequence[Json]
    clubs: Sequence[Json]
    players: Sequence[Json]
    ranking_as_of: date | None
    ranking: Sequence[tuple[str, int]]
    entries: Sequence[Json]
    prove: Sequence[Json]
    rounds: Sequence[Json]
    removals: Sequence[Json]

    @property
    def rules(self) -> Regulation[Any]:
        return registry.REGULATIONS[self.event["regulation"]]

    def tables(self) -> list[Json]:
        return [table for seated in self.rounds for table in seated["tables"]]


def read_event_file(content: bytes) -> EventDoc:
    """The file that another installation wrote.

    Refuses what is too large (`file_too_large`), no JSON (`not_json`), the file of something else
    (`not_an_event`), one of a later version (`newer_version`), one that was cut or altered
    (`altered`), a regulation that is not known here (`unknown_regulation`), and what this site does
    not write (`bad_file`).
    """
    if len(content) > MAX_SIZE:
        raise _refused(
            "file_too_large",
            _("The file is too large: at most %(n)d MB.") % {"n": MAX_SIZE // MEGABYTE},
        )
    try:
        raw = json.loads(content.decode("utf-8-sig"))
    except (ValueError, RecursionError):
        raise _refused(
            "not_json",
            _("This is not a whole JSON file: it was cut on the way, or it is another file."),
        ) from None
    return doc_of(raw)


def doc_of(raw: Any) -> EventDoc:
    """The same, of what was already JSON."""
    if not isinstance(raw, dict) or raw.get("format") != FORMAT:
        raise _refused("not_an_event", _("This is not the file of an event written by the site."))
    version = raw.get("version")
    if isinstance(version, int) and version > VERSION:
        raise _refused(
            "newer_version",
            _("A newer version of the site wrote this file: bring this installation up to date."),
        )
    told = {name: value for name, value in raw.items() if name != "digest"}
    try:
        whole = digest(told) == raw.get("digest")
    except RecursionError:
        whole = False
    if not whole:
        raise _refused(
            "altered",
            _(
                "The file was altered or cut after it was written: its digest is another. Have it "
                "written again."
            ),
        )
    regulation = told["event"].get("regulation") if isinstance(told.get("event"), dict) else None
    if isinstance(regulation, str) and regulation not in registry.REGULATIONS:
        raise _refused(
            "unknown_regulation",
            _("The regulation “%(slug)s” is not known here: bring this installation up to date.")
            % {"slug": regulation[:40]},
        )
    try:
        read = FILE(told, "")
        _check(read)
    except _Amiss as amiss:
        raise bad_file(str(amiss)) from None
    return EventDoc(
        raw=raw,
        site=read["site"],
        written_at=read["written_at"],
        state=read["state"],
        known=frozenset(read["known"]),
        event=read["event"],
        titles=read["titles"],
        clubs=read["clubs"],
        players=read["players"],
        ranking_as_of=read["ranking"]["as_of"],
        ranking=[(key, points) for key, points in read["ranking"]["points"]],
        entries=read["entries"],
        prove=read["prove"],
        rounds=read["rounds"],
        removals=read["removals"],
    )


def bad_file(where: str) -> Refused:
    """What this site does not write, and where it is; nothing was imported."""
    return _refused(
        "bad_file",
        _("The file is not as the site writes it, and nothing was imported: look at %(where)s.")
        % {"where": where},
    )


def _refused(reason: str, text: str) -> Refused:
    return Refused(reason, text, field="file")


# --- the grammar ----------------------------------------------------------------------------------


def text(most: int, *, least: int = 0, lines: bool = False) -> Read:
    """A text that a column of `most` characters holds."""

    def read(value: Any, where: str) -> str:
        if not isinstance(value, str) or not least <= len(value) <= most:
            raise _Amiss(where)
        kept = "\n\r\t" if lines else ""
        if any(unicodedata.category(c) in {"Cc", "Cs"} and c not in kept for c in value):
            raise _Amiss(where)
        return value

    return read


def whole(least: int, most: int) -> Read:
    def read(value: Any, where: str) -> int:
        if type(value) is not int or not least <= value <= most:
            raise _Amiss(where)
        return value

    return read


def one_of(values: Collection[str]) -> Read:
    def read(value: Any, where: str) -> str:
        if not isinstance(value, str) or value not in values:
            raise _Amiss(where)
        return value

    return read


def matching(pattern: str) -> Read:
    shape = re.compile(pattern, re.ASCII)

    def read(value: Any, where: str) -> str:
        if not isinstance(value, str) or not shape.fullmatch(value):
            raise _Amiss(where)
        return value

    return read


def flag(value: Any, where: str) -> bool:
    if not isinstance(value, bool):
        raise _Amiss(where)
    return value


def day(value: Any, where: str) -> date:
    try:
        found = date.fromisoformat(value)
    except (TypeError, ValueError):
        raise _Amiss(where) from None
    if found.isoformat() != value or not 1900 <= found.year <= 2200:
        raise _Amiss(where)
    return found


def moment(value: Any, where: str) -> datetime:
    """In UTC, and written as this site writes it."""
    try:
        found = datetime.fromisoformat(value)
    except (TypeError, ValueError):
        raise _Amiss(where) from None
    if found.tzinfo is None or not 1900 <= found.year <= 2200:
        raise _Amiss(where)
    if found.astimezone(UTC).isoformat() != value:
        raise _Amiss(where)
    return found


def amount(value: Any, where: str) -> Decimal:
    """An amount of money, as its column holds it."""
    return Decimal(matching(r"-?\d{1,4}\.\d{2}")(value, where))


def key(value: Any, where: str) -> str:
    try:
        found = str(uuid.UUID(value))
    except (TypeError, ValueError, AttributeError):
        raise _Amiss(where) from None
    if found != value:
        raise _Amiss(where)
    return found


def maybe(read: Read) -> Read:
    return lambda value, where: None if value is None else read(value, where)


def rows(read: Read, most: int, *, least: int = 0) -> Read:
    def read_all(value: Any, where: str) -> list[Any]:
        if not isinstance(value, list) or not least <= len(value) <= most:
            raise _Amiss(where)
        return [read(each, f"{where} {n}") for n, each in enumerate(value, start=1)]

    return read_all


def pair(first: Read, second: Read) -> Read:
    def read(value: Any, where: str) -> tuple[Any, Any]:
        if not isinstance(value, list) or len(value) != 2:
            raise _Amiss(where)
        return first(value[0], where), second(value[1], where)

    return read


def record(**fields: Read) -> Read:
    """An object with these fields and no others."""

    def read(value: Any, where: str) -> Json:
        if not isinstance(value, dict) or value.keys() != fields.keys():
            raise _Amiss(where or FORMAT)
        return {
            name: each(value[name], f"{where}/{name}" if where else name)
            for name, each in fields.items()
        }

    return read


def _figure(value: Any, where: str) -> Any:
    """A figure of a step, as `Step.to_json` writes it."""
    if isinstance(value, dict):
        return record(decimal=matching(r"-?\d{1,12}(\.\d{1,6})?"))(value, where)
    return text(40)(value, where) if isinstance(value, str) else LARGE(value, where)


def _step(value: Any, where: str) -> Json:
    """A step, or nothing; whether it can be told is asked once the regulation is known."""
    if value == {}:
        return {}
    read: Json = record(rule=text(20), kind=text(60), values=_named(_figure))(value, where)
    return read


def _named(read: Read) -> Read:
    """Figures by their names, a handful of them."""

    def read_all(value: Any, where: str) -> Json:
        if not isinstance(value, dict) or len(value) > 20:
            raise _Amiss(where)
        return {text(40)(name, where): read(each, where) for name, each in value.items()}

    return read_all


def _why(value: Any, where: str) -> Json:
    if value == {}:
        return {}
    read: Json = record(table=NUMBER, step=_step)(value, where)
    return read


NUMBER, SOME, LARGE = whole(1, SMALL), whole(0, SMALL), whole(-LARGEST_TOTAL, LARGEST_TOTAL)
CODE, HASH = matching(r"[-\w]{1,20}"), matching(r"[0-9a-f]{64}")
PERSON = maybe(key)

LINE = record(
    seat=NUMBER,
    player=PERSON,
    role=one_of(ResultLine.Role.values),
    facts=_named(LARGE),
    total=LARGE,
    handicap=LARGE,
    place=maybe(NUMBER),
    points=maybe(LARGE),
    win=flag,
)
RESULT = record(
    version=NUMBER,
    state=one_of(Result.State.values),
    at=moment,
    entered=flag,
    reason=text(300, lines=True),
    exclusion=one_of(["", *Table.Exclusion.values]),
    source=text(80),
    replayed=maybe(flag),
    lines=rows(LINE, 20),
)
HOLDER = record(
    player=PERSON, why=one_of(Holder.Why.values), starts_at=maybe(moment), ends_at=maybe(moment)
)
SEAT = record(
    position=NUMBER,
    why=_why,
    handicap=LARGE,
    handicap_reason=text(200, lines=True),
    holders=rows(HOLDER, 50, least=1),
)
TABLE = record(
    number=NUMBER,
    referee=PERSON,
    referee_reason=text(200, lines=True),
    status=one_of(Table.Status.values),
    started_at=maybe(moment),
    exclusion=one_of(["", *Table.Exclusion.values]),
    exclusion_reason=text(200, lines=True),
    seats=rows(SEAT, 20),
    results=rows(RESULT, MOST_VERSIONS),
)
ROUND = record(
    prova=NUMBER,
    number=NUMBER,
    status=one_of(Round.Status.values),
    starts_at=maybe(moment),
    published_at=maybe(moment),
    order_used=rows(key, MOST_PEOPLE),
    ranking_as_of=maybe(day),
    sizes_step=_step,
    sizes_reason=text(200, lines=True),
    provisional=flag,
    edition=whole(0, LARGEST_TOTAL),
    tables=rows(TABLE, MOST_TABLES),
)
ENTRY = record(
    player=key,
    status=one_of(Entry.Status.values),
    from_round=NUMBER,
    until_round=maybe(NUMBER),
    enrolled_at=moment,
    present=maybe(flag),
    paid=flag,
    note=text(200, lines=True),
    copies=rows(CODE, 100),
)
REMOVAL = record(
    player=key,
    level=one_of([Removal.Level.GAME, Removal.Level.PROVA, Removal.Level.EVENT]),
    prova=maybe(NUMBER),
    round=maybe(NUMBER),
    table=maybe(NUMBER),
    ruling=text(300, least=1, lines=True),
    made_at=moment,
    lifted_at=maybe(moment),
)
EVENT = record(
    key=key,
    year=whole(1900, 2200),
    contribution=maybe(amount),
    ordinal=NUMBER,
    name=text(120, least=1),
    kind=one_of([Event.Kind.LIVE, Event.Kind.PBEM, Event.Kind.FRIENDLY]),
    regulation=one_of(registry.REGULATIONS.keys()),
    status=one_of(
        [
            Event.Status.DRAFT,
            Event.Status.ENROLLING,
            Event.Status.RUNNING,
            Event.Status.CONCLUDED,
            Event.Status.CLOSED,
        ]
    ),
    town=text(80),
    region=text(40),
    venue=text(200),
    starts_on=day,
    ends_on=day,
    organiser=text(120),
    director=PERSON,
    fee=maybe(amount),
    capacity=maybe(whole(2, SMALL)),
    enrolment_closes_at=maybe(moment),
)
TITLE = record(
    code=CODE,
    name=text(80, least=1),
    min_players=whole(2, 20),
    max_players=whole(2, 20),
    active_from=maybe(day),
    active_to=maybe(day),
    specialty=flag,
    cup_title=flag,
)
PLAYER = record(
    key=key,
    other_keys=rows(key, 50),
    surname=text(80, least=1),
    name=text(80),
    club=text(120),
    town=text(80),
    nationality=one_of(["", *COUNTRIES]),
    terms=rows(pair(day, maybe(day)), 50),
)
FILE = record(
    format=text(20),
    version=whole(1, VERSION),
    site=text(200),
    written_at=moment,
    state=HASH,
    known=rows(HASH, 5_000),
    event=EVENT,
    titles=rows(TITLE, 200),
    clubs=rows(record(name=text(120, least=1), town=text(80)), 1_000),
    players=rows(PLAYER, MOST_PEOPLE),
    ranking=record(as_of=maybe(day), points=rows(pair(key, whole(1, LARGEST_TOTAL)), MOST_PEOPLE)),
    entries=rows(ENTRY, MOST_ROWS),
    prove=rows(record(order=NUMBER, title=CODE, rounds=whole(1, 20)), 50),
    rounds=rows(ROUND, 200),
    removals=rows(REMOVAL, MOST_ROWS),
)


# --- what its parts say of one another ------------------------------------------------------------


def _check(read: Json) -> None:
    """Of a file that is written well: whether its parts agree, and its state is what it says."""
    people = _once((player["key"] for player in read["players"]), "players")
    others = [*people, *(k for player in read["players"] for k in player["other_keys"])]
    _once(others, "players/other_keys")
    titles = _once((title["code"] for title in read["titles"]), "titles")
    _once((club["name"] for club in read["clubs"]), "clubs")
    _once((entry["player"] for entry in read["entries"]), "entries")
    _once((k for k, _points in read["ranking"]["points"]), "ranking")
    _within((k for k, _points in read["ranking"]["points"]), people, "ranking")
    _within([read["event"]["director"]], people, "event/director")
    _within((entry["player"] for entry in read["entries"]), people, "entries")
    _within((code for e in read["entries"] for code in e["copies"]), titles, "entries/copies")
    _within((prova["title"] for prova in read["prove"]), titles, "prove")
    for title in read["titles"]:
        _demand(title["min_players"] <= title["max_players"], f"titles/{title['code']}")
    for entry in read["entries"]:
        here = entry["status"] == Entry.Status.ENROLLED or not entry["present"]
        left = entry["until_round"]
        _demand(here and (left is None or left >= entry["from_round"]), "entries")
    _demand(read["event"]["ends_on"] >= read["event"]["starts_on"], "event/ends_on")
    orders = [prova["order"] for prova in read["prove"]]
    _demand(orders == list(range(1, len(orders) + 1)), "prove")
    rules = registry.REGULATIONS[read["event"]["regulation"]]
    tables = _check_rounds(read, rules, people)
    for removal in read["removals"]:
        _check_removal(removal, orders, tables)
    _within((removal["player"] for removal in read["removals"]), people, "removals")
    play = {part: read[part] for part in IN_PLAY if part != "called"}
    play = _as_written(play) | {"called": called_in(read["entries"])}
    _demand(digest(play) == read["state"] and read["state"] in read["known"], "state")


def _as_written(value: Any) -> Any:
    """What was read, as it was written: days and moments are texts again."""
    if isinstance(value, dict):
        return {name: _as_written(each) for name, each in value.items()}
    if isinstance(value, list):
        return [_as_written(each) for each in value]
    if isinstance(value, datetime):
        return value.astimezone(UTC).isoformat()
    return value.isoformat() if isinstance(value, date) else value


def _check_rounds(
    read: Json, rules: Regulation[Any], people: set[Any]
) -> set[tuple[int, int, int]]:
    """Refuses rounds of no prova, twice, with tables that could not be; the tables there are."""
    lasts = {prova["order"]: prova["rounds"] for prova in read["prove"]}
    _once(((r["prova"], r["number"]) for r in read["rounds"]), "rounds")
    tables = set()
    for seated in read["rounds"]:
        where = f"rounds/{seated['prova']}/{seated['number']}"
        _demand(1 <= seated["number"] <= lasts.get(seated["prova"], 0), where)
        published = seated["status"] == Round.Status.PUBLISHED
        _demand(published == (seated["published_at"] is not None), where)
        _within(seated["order_used"], people, where)
        _check_step(seated["sizes_step"], rules, where)
        _once((table["number"] for table in seated["tables"]), where)
        for table in seated["tables"]:
            there = f"{where}/{table['number']}"
            played = table["results"] or table["started_at"] or table["status"] != "playing"
            _demand(published or not played, there)
            _check_table(table, rules, people, there)
            tables.add((seated["prova"], seated["number"], table["number"]))
    return tables


def _check_table(table: Json, rules: Regulation[Any], people: set[Any], where: str) -> None:
    _within([table["referee"]], people, where)
    _demand(bool(table["exclusion_reason"]) or not table["exclusion"], where)
    seats = _once((seat["position"] for seat in table["seats"]), where)
    for seat in table["seats"]:
        _demand(bool(seat["handicap_reason"]) or not seat["handicap"], where)
        _check_step(seat["why"].get("step", {}), rules, where)
        _demand(not seat["why"] or bool(seat["why"]["step"]), where)
        _within((holder["player"] for holder in seat["holders"]), people, where)
        last = len(seat["holders"]) - 1
        for n, holder in enumerate(seat["holders"]):
            referee = holder["why"] == Holder.Why.REFEREE
            _demand(referee == (holder["player"] is None), where)
            _demand((holder["ends_at"] is None) == (n == last), where)
    sitting = [seat["holders"][-1]["player"] for seat in table["seats"]]
    _once((player for player in sitting if player is not None), where)
    versions = [result["version"] for result in table["results"]]
    _demand(versions == list(range(1, len(versions) + 1)), where)
    confirmed = [r for r in table["results"] if r["state"] == Result.State.CONFIRMED]
    _demand(len(confirmed) <= 1, where)
    if table["status"] != Table.Status.VOID:
        _demand((table["status"] == Table.Status.CONFIRMED) == bool(confirmed), where)
    for result in table["results"]:
        _check_result(result, seats, people, where)


def _check_result(result: Json, seats: set[Any], people: set[Any], where: str) -> None:
    there = f"{where}/{result['version']}"
    withdrawn = result["state"] == Result.State.WITHDRAWN
    explained = result["version"] == 1 or result["state"] == Result.State.DRAFT
    _demand(explained or result["entered"] or bool(result["reason"]), there)
    _demand(bool(result["reason"]) or not withdrawn, there)
    lines = _once((line["seat"] for line in result["lines"]), there)
    _demand(lines == (set() if withdrawn else seats), there)
    players = [line["player"] for line in result["lines"] if line["player"] is not None]
    _once(players, there)
    _within(players, people, there)
    if result["state"] == Result.State.CONFIRMED:
        _demand(bool(result["lines"]), there)


def _check_removal(removal: Json, orders: Sequence[int], tables: set[tuple[int, int, int]]) -> None:
    at = removal["prova"], removal["round"], removal["table"]
    match removal["level"]:
        case Removal.Level.GAME:
            _demand(at in tables, "removals")
        case Removal.Level.PROVA:
            _demand(at[0] in orders and at[1:] == (None, None), "removals")
        case _:
            _demand(at == (None, None, None), "removals")


def _check_step(step: Json, rules: Regulation[Any], where: str) -> None:
    """A step that no page could tell is none of ours."""
    if not step:
        return
    try:
        texts.explain(Step.from_json(step, rules.kind))
    except (ArithmeticError, LookupError, TypeError, ValueError):
        raise _Amiss(where) from None


def _demand(sound: bool, where: str) -> None:
    if not sound:
        raise _Amiss(where)


def _once(values: Iterable[Any], where: str) -> set[Any]:
    listed = list(values)
    found = set(listed)
    _demand(len(found) == len(listed), where)
    return found


def _within(values: Iterable[Any], known: set[Any], where: str) -> None:
    _demand({value for value in values if value is not None} <= known, where)
