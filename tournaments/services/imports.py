"""Many players at once, from a table: judged row by row, then added all together or not at all."""

from __future__ import annotations

import hashlib
from collections.abc import Collection, Iterator, Sequence
from dataclasses import dataclass
from datetime import datetime
from enum import StrEnum
from itertools import islice
from typing import TypeAlias

from django.core.exceptions import ValidationError
from django.core.validators import validate_email
from django.db import transaction
from django.utils.translation import gettext as _

from figf.errors import Refused
from figf.models import LogEntry, User
from tournaments.models import Club, Player
from tournaments.rules import likeness, names
from tournaments.rules.countries import COUNTRIES
from tournaments.services.registry import lock_players, one_line, register_club, write_player

HOME = "IT"  # the nationality of whoever has none written
FEW = 5  # likes of a row that a report names
LENGTHS = {"surname": 80, "name": 80, "club": 120, "town": 80, "email": 254}  # of their columns


@dataclass(frozen=True, slots=True)
class PlayerRow:
    """A row of the table: where it stands, what its cells say, and what is wrong with them."""

    line: int
    surname: str
    name: str = ""
    club: str = ""
    town: str = ""
    nationality: str = ""
    email: str = ""
    faults: tuple[str, ...] = ()


class Verdict(StrEnum):
    """What an import would make of a row."""

    NEW = "new"
    SAME = "same"  # surname and first name are those of somebody on the books
    MAYBE = "maybe"  # they are like somebody's, on the books or further up in the table
    TWICE = "twice"  # they are those of a row further up
    REJECTED = "rejected"


@dataclass(frozen=True, slots=True)
class Judged:
    """A row and what an import would make of it: whom it may be, and why it cannot be taken."""

    row: PlayerRow
    verdict: Verdict
    players: tuple[Player, ...] = ()
    lines: tuple[int, ...] = ()
    why: tuple[str, ...] = ()

    @property
    def choice(self) -> bool:
        """Whether it is added only if the secretary says that it is another person."""
        return self.verdict in {Verdict.SAME, Verdict.MAYBE, Verdict.TWICE}


@dataclass(frozen=True, slots=True)
class Report:
    """What an import would do, row by row; `clubs` would be registered with their players."""

    rows: tuple[Judged, ...]
    clubs: tuple[str, ...] = ()

    @property
    def fingerprint(self) -> str:
        """A word that changes when the books, or the rows, make the report another one."""
        told = [
            (j.row.line, str(j.verdict), [player.pk for player in j.players], j.lines)
            for j in self.rows
        ]
        return hashlib.sha256(repr((told, self.clubs)).encode()).hexdigest()

    def count(self, *verdicts: Verdict) -> int:
        return sum(judged.verdict in verdicts for judged in self.rows)


@dataclass(frozen=True, slots=True)
class ImportOutcome:
    """What an import did: `read` is the sum of `added` and `left`."""

    read: int
    added: tuple[Player, ...]
    clubs: tuple[Club, ...]

    @property
    def left(self) -> int:
        return self.read - len(self.added)


# --- judging --------------------------------------------------------------------------------------


def judge_players(rows: Sequence[PlayerRow]) -> Report:
    """What `import_players` would make of each row, by the books as they are now."""
    books, clubs = _Books(), _Clubs()
    judged = tuple(books.judge(row) for row in rows)
    for each in judged:
        if each.verdict != Verdict.REJECTED:
            clubs.name(each.row.club)
    return Report(judged, tuple(clubs.unknown.values()))


Person: TypeAlias = Player | PlayerRow


class _Books:
    """Everybody on the books, and the rows already judged, to be found by who is like them."""

    def __init__(self) -> None:
        self.by_key: dict[str, list[Person]] = {}
        self.by_likeness: dict[str, list[Person]] = {}
        self.by_email: dict[str, list[Person]] = {}
        for player in Player.objects.on_the_books().select_related("club"):
            self._note(player)

    def judge(self, row: PlayerRow) -> Judged:
        same = tuple(self.by_key.get(names.sort_key(row.surname, row.name), ()))
        alike = list(islice(self._alike(row, same), FEW))
        why = [*row.faults, *_faults(row)]
        why += [
            _("%(email)s is the address of %(player)s.") % {"email": row.email, "player": person}
            if isinstance(person, Player)
            else _("%(email)s is in row %(line)d too.") % {"email": row.email, "line": person.line}
            for person in self.by_email.get(row.email.lower(), [])
            if person not in same and person not in alike
        ]
        self._note(row)
        if why:
            return Judged(row, Verdict.REJECTED, why=tuple(why))
        found = same or alike
        players = tuple(person for person in found if isinstance(person, Player))
        lines = tuple(person.line for person in found if isinstance(person, PlayerRow))
        verdict = Verdict.NEW
        if same:
            verdict = Verdict.TWICE if lines else Verdict.SAME
        elif alike:
            verdict = Verdict.MAYBE
        return Judged(row, verdict, players, lines)

    def _alike(self, row: PlayerRow, same: Sequence[Person]) -> Iterator[Person]:
        seen: set[Person] = set(same)
        for key in likeness.keys(row.surname, row.name):
            for person in self.by_likeness.get(key, []):
                if person not in seen:
                    seen.add(person)
                    if names.alike((row.surname, row.name), (person.surname, person.name)):
                        yield person

    def _note(self, person: Person) -> None:
        if person.email:
            self.by_email.setdefault(person.email.lower(), []).append(person)
        known = self.by_key.setdefault(names.sort_key(person.surname, person.name), [])
        if isinstance(person, PlayerRow) and any(isinstance(other, PlayerRow) for other in known):
            return  # the first row of that name stands for all
        known.append(person)
        for key in likeness.keys(person.surname, person.name):
            self.by_likeness.setdefault(key, []).append(person)


class _Clubs:
    """The clubs on the books, found by the letters of their names, and those that a table adds."""

    def __init__(self) -> None:
        self.known = {_letters(club.name): club for club in Club.objects.all()}
        self.unknown: dict[str, str] = {}

    def name(self, name: str) -> None:
        if name and _letters(name) not in self.known:
            self.unknown.setdefault(_letters(name), name)

    def find(self, name: str, by: User, now: datetime) -> Club | None:
        """The club of that name, registered if need be."""
        if not name:
            return None
        if _letters(name) not in self.known:
            self.known[_letters(name)] = register_club(name, "", by, now)
        return self.known[_letters(name)]


def _letters(name: str) -> str:
    return names.letters(name) or name


def _faults(row: PlayerRow) -> Iterator[str]:
    if not names.letters(row.surname):
        yield _("The surname is missing.")
    said = {
        "surname": _("The surname"),
        "name": _("The first name"),
        "club": _("The club"),
        "town": _("The town"),
        "email": _("The e-mail address"),
    }
    for field, most in LENGTHS.items():
        if len(getattr(row, field)) > most:
            yield _("%(what)s is longer than %(n)d characters.") % {"what": said[field], "n": most}
    if row.nationality and row.nationality.upper() not in COUNTRIES:
        yield _("“%(code)s” is no country: write two letters, such as IT.") % {
            "code": row.nationality
        }
    if row.email:
        try:
            validate_email(row.email)
        except ValidationError:
            yield _("“%(email)s” is no e-mail address.") % {"email": row.email}


# --- adding ---------------------------------------------------------------------------------------


@transaction.atomic
def import_players(
    rows: Sequence[PlayerRow],
    by: User,
    now: datetime,
    *,
    another: Collection[int] = (),
    seen: str | None = None,
) -> ImportOutcome:
    """Add the new players of a table, with their clubs, all or none.

    `another` are the lines of people who are like somebody and are somebody else: they are added
    too. `seen` is the fingerprint of the report that the secretary read. Locks the register of
    players. Refuses when the report has become another one (`books_changed`), when a row cannot be
    taken (`rows_rejected`), when nobody would be added (`nothing_to_import`), and two people with
    one address (`email_taken`).
    """
    lock_players()
    report = judge_players(rows)
    if seen is not None and seen != report.fingerprint:
        raise Refused(
            "books_changed",
            _("The books have changed meanwhile, and nothing was imported: look at it again."),
        )
    if report.count(Verdict.REJECTED):
        raise Refused("rows_rejected", _("Some rows cannot be taken: nothing was imported."))
    adding = [
        judged.row
        for judged in report.rows
        if judged.verdict == Verdict.NEW or (judged.choice and judged.row.line in another)
    ]
    if not adding:
        raise Refused("nothing_to_import", _("There is nobody to add: all are on the books."))
    _refuse_shared_addresses(adding)
    clubs = _Clubs()
    before = set(clubs.known)
    added = tuple(
        write_player(
            one_line(row.surname),
            one_line(row.name),
            by,
            now,
            clubs.find(row.club, by, now),
            row.town,
            row.nationality.upper() or HOME,
            row.email,
        )
        for row in adding
    )
    registered = tuple(club for key, club in clubs.known.items() if key not in before)
    LogEntry.objects.record(
        by,
        "import_players",
        by,
        now,
        read=len(rows),
        added=len(added),
        left=len(rows) - len(added),
        clubs=len(registered),
    )
    return ImportOutcome(len(rows), added, registered)


def _refuse_shared_addresses(adding: Sequence[PlayerRow]) -> None:
    """Among the rows, as among people: a row that is like its owner was not rejected for that."""
    known = Player.objects.on_the_books().exclude(email="")
    taken = set(known.values_list("email", flat=True))
    for row in adding:
        email = row.email.lower()
        if email in taken:
            raise Refused(
                "email_taken",
                _("Row %(line)d: another person cannot have the address %(email)s.")
                % {"line": row.line, "email": email},
            )
        taken |= {email} if email else set()
