"""The ranking: written whole, state after state, and read as it stood on a day."""

from __future__ import annotations

import hashlib
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from datetime import date, datetime
from enum import StrEnum
from itertools import islice
from types import MappingProxyType

from django.contrib.contenttypes.models import ContentType
from django.db import transaction
from django.utils import timezone
from django.utils.translation import gettext as _

from figf.errors import Refused
from figf.models import LogEntry, User
from figf.spreadsheets import decimal
from rankings.models import Ranking, RankingLine
from tournaments.models import Player
from tournaments.rules import likeness, names

MOST_POINTS = 1_000_000  # beyond, it is a slip of the pen
FEW = 3  # players whom a row perhaps means

# --- reading --------------------------------------------------------------------------------------


@dataclass(frozen=True)
class RankingOn:
    """The points of whoever has any, by player, and the date of the state that says so."""

    as_of: date | None = None
    points: Mapping[int, int] = field(default_factory=lambda: MappingProxyType({}))


def ranking_at(day: date) -> RankingOn:
    """The ranking by which an event that begins on `day` is seated; empty when there is none.

    Ruling B-08: the latest state before the event's start, whatever produced it.
    """
    state = Ranking.objects.on(day)
    if state is None:
        return RankingOn()
    points = dict(state.lines.values_list("player_id", "points"))
    return RankingOn(state.as_of, MappingProxyType(points))


# --- writing --------------------------------------------------------------------------------------


@transaction.atomic
def record_ranking(
    as_of: date, points: Mapping[int, int], source: str, by: User, now: datetime, note: str = ""
) -> Ranking:
    """Write a state of the ranking (H-09): points by player, for ever as they are.

    A correction is another state of the same date: the last one written counts. Locks the register
    of rankings. Refuses a date still to come in Rome (`future_date`), nobody (`no_points`), points
    below one or beyond belief (`bad_points`), players who are not on the books (`unknown_player`)
    and what is already written of that date (`same_ranking`).
    """
    refuse_future(as_of, now)
    if not points:
        raise Refused("no_points", _("Nobody has any points."), rule="H-10")
    if any(not 1 <= amount <= MOST_POINTS for amount in points.values()):
        raise Refused(
            "bad_points",
            _("Points are whole numbers from 1 up: who has none is not in the ranking."),
            rule="H-10",
        )
    if Player.objects.filter(pk__in=points).count() != len(points):
        raise Refused("unknown_player", _("Somebody in the ranking is not on the books."))
    ContentType.objects.select_for_update(no_key=True).get(app_label="rankings", model="ranking")
    last = Ranking.objects.filter(as_of=as_of).order_by("-pk").first()
    if last and dict(last.lines.values_list("player_id", "points")) == dict(points):
        raise Refused(
            "same_ranking", _("This very ranking of that day is recorded already."), field="as_of"
        )
    state = Ranking.objects.create(as_of=as_of, source=source, note=note.strip(), by=by, at=now)
    RankingLine.objects.bulk_create(
        RankingLine(ranking=state, player_id=pk, points=amount) for pk, amount in points.items()
    )
    LogEntry.objects.record(by, "record_ranking", state, now, players=len(points))
    return state


def refuse_future(as_of: date, now: datetime) -> None:
    """Refuse a date that in Rome is still to come (`future_date`)."""
    if as_of > timezone.localdate(now):
        raise Refused("future_date", _("This day is still to come."), rule="H-09", field="as_of")


# --- from a table ---------------------------------------------------------------------------------


@dataclass(frozen=True, slots=True)
class RankingRow:
    """A row of the table: a player, whole or as surname and first name, and the points."""

    line: int
    surname: str = ""
    name: str = ""
    player: str = ""
    points: str = ""
    faults: tuple[str, ...] = ()

    @property
    def who(self) -> str:
        return self.player or f"{self.surname} {self.name}".strip()


class Verdict(StrEnum):
    """What a row says: whose points, whose of several, or nothing that can be taken."""

    FOUND = "found"
    SEVERAL = "several"
    REJECTED = "rejected"


@dataclass(frozen=True, slots=True)
class Judged:
    """A row, the players whom it names, its points, and why it cannot be taken.

    `unknown` says that nobody on the books has that name; `players` are then those like it.
    """

    row: RankingRow
    verdict: Verdict
    players: tuple[Player, ...] = ()
    points: int = 0
    why: tuple[str, ...] = ()
    unknown: bool = False


@dataclass(frozen=True, slots=True)
class Report:
    """What the table says, row by row."""

    rows: tuple[Judged, ...]

    @property
    def fingerprint(self) -> str:
        """A word that changes when the books make the report another one."""
        told = [(j.row.line, str(j.verdict), [p.pk for p in j.players]) for j in self.rows]
        return hashlib.sha256(repr(told).encode()).hexdigest()

    def count(self, verdict: Verdict) -> int:
        return sum(judged.verdict == verdict for judged in self.rows)


def judge_ranking(rows: Sequence[RankingRow]) -> Report:
    """What `import_ranking` would make of each row, by the books as they are now."""
    by_name: dict[str, list[Player]] = {}
    by_likeness: dict[str, list[Player]] = {}
    for player in Player.objects.select_related("club"):
        for whole in {f"{player.surname}{player.name}", f"{player.name}{player.surname}"}:
            by_name.setdefault(names.letters(whole), []).append(player)
        for key in likeness.keys(player.surname, player.name):
            by_likeness.setdefault(key, []).append(player)
    judged: list[Judged] = []
    taken: dict[int, int] = {}  # by player, the line of the row that has him
    for row in rows:
        found = by_name.get(names.letters(row.who), []) if names.letters(row.who) else []
        points, why = _points(row.points)
        why = [*row.faults, *why]
        unknown, players = False, list(dict.fromkeys(found))
        if not names.letters(row.who):
            why.insert(0, _("There is no name."))
        elif not players:
            why.insert(0, _("Nobody of that name is on the books."))
            unknown, players = True, _like(row, by_likeness)
        elif len(players) == 1:
            first = taken.setdefault(players[0].pk, row.line)
            if first != row.line:
                why.append(_("The same player is in row %(line)d.") % {"line": first})
        verdict = Verdict.FOUND if len(players) == 1 else Verdict.SEVERAL
        if why:
            verdict = Verdict.REJECTED
        judged.append(Judged(row, verdict, tuple(players), points, tuple(why), unknown))
    return Report(tuple(judged))


def _points(text: str) -> tuple[int, list[str]]:
    """The points of a row; a decimal comma is taken if nothing comes after it."""
    try:
        amount = decimal(text)
    except ValueError:
        return 0, [_("“%(text)s” are no points: write a whole number.") % {"text": text}]
    if amount != amount.to_integral():
        return 0, [_("“%(text)s” is not a whole number of points.") % {"text": text}]
    if not 1 <= amount <= MOST_POINTS:
        return 0, [_("Points go from 1 up: who has none is not in the ranking.")]
    return int(amount), []


def _like(row: RankingRow, by_likeness: Mapping[str, Sequence[Player]]) -> list[Player]:
    """Some of those whom the row perhaps means, to help whoever puts it right."""
    asked = (row.surname, row.name) if row.surname else (row.who, "")
    near = dict.fromkeys(p for key in likeness.keys(*asked) for p in by_likeness.get(key, ()))
    alike = (p for p in near if names.alike(asked, (p.surname, p.name)))
    return list(islice(alike, FEW))


@transaction.atomic
def import_ranking(
    rows: Sequence[RankingRow],
    as_of: date,
    source: str,
    by: User,
    now: datetime,
    *,
    chosen: Mapping[int, int],
    seen: str | None = None,
    note: str = "",
) -> Ranking:
    """Record the ranking that a table says, whole or not at all.

    `chosen` says, by line, which of several players of one name is meant; `seen` is the fingerprint
    of the report that the secretary read. Refuses when the report has become another one
    (`books_changed`), when a row cannot be taken (`rows_rejected`), when one of several is still to
    be chosen (`choose_player`) or is chosen twice (`player_twice`), and as `record_ranking`.
    """
    report = judge_ranking(rows)
    if seen is not None and seen != report.fingerprint:
        raise Refused(
            "books_changed",
            _("The books have changed meanwhile, and nothing was recorded: look at it again."),
        )
    if report.count(Verdict.REJECTED):
        raise Refused("rows_rejected", _("Some rows cannot be taken: nothing was recorded."))
    points: dict[int, int] = {}
    for judged in report.rows:
        meant = [p.pk for p in judged.players if p.pk == chosen.get(judged.row.line)]
        if judged.verdict == Verdict.FOUND:
            meant = [judged.players[0].pk]
        if not meant:
            raise Refused(
                "choose_player",
                _("Row %(line)d: say which %(who)s it is.")
                % {"line": judged.row.line, "who": judged.row.who},
            )
        if meant[0] in points:
            raise Refused(
                "player_twice",
                _("Row %(line)d: this %(who)s has his points from another row.")
                % {"line": judged.row.line, "who": judged.row.who},
            )
        points[meant[0]] = judged.points
    return record_ranking(as_of, points, source, by, now, note)
