"""The file of an event as it would be taken in: who of it is who here, and what speaks against it.

What is taken in is the whole way the event was played. It may take the place of what is written
here only where nothing of that was written here since a file that the other installation knows:
`played_otherwise` asks it of the states that the file names. Where something was, somebody has to
say that the file counts, and why.
"""

from __future__ import annotations

from collections.abc import Collection, Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from enum import StrEnum
from itertools import islice
from types import MappingProxyType
from typing import TypeAlias

from django.conf import settings
from django.utils.translation import gettext as _

from figf.errors import Refused
from tournaments.models import (
    Club,
    Entry,
    Event,
    EventFile,
    Player,
    PlayerKey,
    Result,
    Round,
    Season,
    Table,
    Title,
)
from tournaments.rules import likeness, names
from tournaments.services.event_file_docs import EventDoc
from tournaments.services.event_files import (
    Json,
    called_in,
    digest,
    keys_of_players,
    play_of,
    refuse_unfit,
)
from tournaments.services.refusals import refuse_closed_season

CHANGED_HERE = "changed_here"  # refused unless somebody says why the file counts
SOMEBODY_NEW = 0  # chosen for a person of the file: nobody of those he is like
FEW = 5  # of those that a person is like
LINE = (
    Event.Status.DRAFT,
    Event.Status.ENROLLING,
    Event.Status.RUNNING,
    Event.Status.CONCLUDED,
)

Chosen: TypeAlias = Mapping[str, int]  # by key of the file, a player here or SOMEBODY_NEW
People: TypeAlias = dict[str, Player]  # by key of the file


class Likeness(StrEnum):
    """How a person of the file was found here."""

    KEY = "key"  # by his key: he is the same
    NAME = "name"  # one player has his name
    SEVERAL = "several"  # more than one has, or is called nearly so
    NEW = "new"


@dataclass(frozen=True, slots=True)
class JudgedPerson:
    """A person of the file, and who he is or may be here."""

    key: str
    surname: str
    name: str
    club: str
    town: str
    likeness: Likeness
    players: tuple[Player, ...] = ()

    @property
    def choice(self) -> bool:
        """Whether somebody has to say who he is."""
        return self.likeness in {Likeness.NAME, Likeness.SEVERAL}

    def __str__(self) -> str:
        return f"{self.surname} {self.name}".strip()


@dataclass(frozen=True, slots=True)
class Played:
    """How far an event was played: rounds, tables with a confirmed result, people called."""

    rounds: int
    results: int
    called: int


@dataclass(frozen=True, slots=True)
class FileReport:
    """What an import would do.

    `event` is the same event here, if there is one; `nothing` says that the file brings nothing
    that is not here already, `replaces` that rounds written here give way to those of the file.
    `standing` is the state of the event here and `here` how far that is; `refusal` is why the file
    cannot be taken in or, where it is `contested`, not unless somebody says why it counts.
    """

    doc: EventDoc
    event: Event | None
    people: tuple[JudgedPerson, ...]
    new_titles: tuple[str, ...]
    new_clubs: tuple[str, ...]
    new_season: bool
    ranking: bool
    nothing: bool
    replaces: bool
    standing: str
    here: Played | None
    refusal: Refused | None

    @property
    def contested(self) -> bool:
        """Whether something was written here that the file would undo."""
        return self.refusal is not None and self.refusal.reason == CHANGED_HERE

    def found(self, *how: Likeness) -> list[JudgedPerson]:
        return [each for each in self.people if each.likeness in how]

    @property
    def to_choose(self) -> list[JudgedPerson]:
        return self.found(Likeness.NAME, Likeness.SEVERAL)

    @property
    def new(self) -> list[JudgedPerson]:
        return self.found(Likeness.NEW)

    @property
    def of_event(self) -> list[JudgedPerson]:
        """Who of the file has to do with the event itself, and not with its ranking alone."""
        used = _used(self.doc)
        return [each for each in self.people if each.key in used]

    @property
    def there(self) -> Played:
        """How far the event was played in the file."""
        return _played(self.doc.rounds, called_in(self.doc.entries))

    @property
    def drafts(self) -> int:
        """How many rounds of the file are not published yet."""
        return sum(seated["status"] == Round.Status.DRAFT for seated in self.doc.rounds)

    @property
    def without_result(self) -> int:
        """How many tables of its published rounds still wait for their result."""
        return sum(
            table["status"] == Table.Status.PLAYING
            for seated in self.doc.rounds
            if seated["status"] == Round.Status.PUBLISHED
            for table in seated["tables"]
        )

    @property
    def fingerprint(self) -> list[str]:
        """Two words: one changes when the event does, the other when the books do."""
        told = [[j.key, str(j.likeness), [p.pk for p in j.players]] for j in self.people]
        here = None if self.event is None else self.event.pk
        return [digest([here, self.standing]), digest([told, self.ranking])]


# --- looking at it --------------------------------------------------------------------------------


def check_event_file(doc: EventDoc, chosen: Chosen = MappingProxyType({})) -> FileReport:
    """What `import_event_file` would make of the file, by the books as they are. Writes nothing."""
    event = event_here(doc)
    ranking = _takes_ranking(doc, event)
    judged = tuple(_judge(doc, _needed(doc, event, ranking)))
    people = proposed(judged, chosen)
    play = None if event is None else play_of(event, keys_of_players())
    refusal = None
    replaces = nothing = False
    try:
        _refuse(doc, event)
        if event is not None:
            replaces = played_otherwise(doc, event, people)
            nothing = not replaces and not _differs(doc, event, people)
    except Refused as found:
        refusal = found
        replaces = found.reason == CHANGED_HERE
    known = set(Title.objects.values_list("code", flat=True))
    clubs = {names.letters(name) for name in Club.objects.values_list("name", flat=True)}
    new_here = {each.club for each in judged if each.likeness == Likeness.NEW and each.club}
    return FileReport(
        doc=doc,
        event=event,
        people=judged,
        new_titles=tuple(t["code"] for t in doc.titles if t["code"] not in known),
        new_clubs=tuple(sorted(name for name in new_here if names.letters(name) not in clubs)),
        new_season=event is None and not Season.objects.filter(year=doc.event["year"]).exists(),
        ranking=ranking,
        nothing=nothing and not ranking,
        replaces=replaces,
        standing="" if play is None else digest(play),
        here=None if play is None else _played(play["rounds"], play["called"]),
        refusal=refusal,
    )


def _played(rounds: Sequence[Json], called: Sequence[Json]) -> Played:
    tables = [table for seated in rounds for table in seated["tables"]]
    confirmed = sum(table["status"] == Table.Status.CONFIRMED for table in tables)
    return Played(len(rounds), confirmed, len(called))


def event_here(doc: EventDoc) -> Event | None:
    found = Event.objects.filter(key=doc.event["key"])
    return found.select_related("season", "director").first()


def proposed(judged: Iterable[JudgedPerson], chosen: Chosen) -> People:
    """Who of the file is who, as far as it is known: by key, by choice, or by name alone."""
    people: People = {}
    for each in judged:
        pick = chosen.get(each.key)
        for player in each.players:
            alone = pick is None and each.likeness == Likeness.NAME
            if each.likeness == Likeness.KEY or alone or pick == player.pk:
                people[each.key] = player
    return people


def _needed(doc: EventDoc, event: Event | None, ranking: bool) -> set[str]:
    """Who of the file must be somebody here: all who play; of a new event, all it speaks of."""
    if event is None:
        return {player["key"] for player in doc.players if ranking or player["key"] in _used(doc)}
    return _used(doc) | ({key for key, _points in doc.ranking} if ranking else set())


def _used(doc: EventDoc) -> set[str]:
    used = {entry["player"] for entry in doc.entries} | {doc.event["director"]}
    used |= {removal["player"] for removal in doc.removals}
    for seated in doc.rounds:
        used |= set(seated["order_used"])
    for table in doc.tables():
        used.add(table["referee"])
        used |= {h["player"] for seat in table["seats"] for h in seat["holders"]}
        used |= {line["player"] for result in table["results"] for line in result["lines"]}
    return {key for key in used if key is not None}


def _judge(doc: EventDoc, needed: Collection[str]) -> Iterator[JudgedPerson]:
    """Each person of the file who is needed, and whom of the books he may be."""
    people = [player for player in doc.players if player["key"] in needed]
    people.sort(key=lambda person: names.sort_key(person["surname"], person["name"]))
    by_key = _by_key({key for p in people for key in (p["key"], *p["other_keys"])})
    mine = {
        p["key"]: tuple(
            dict.fromkeys(by_key[key] for key in (p["key"], *p["other_keys"]) if key in by_key)
        )
        for p in people
    }
    taken = {found[0].pk for found in mine.values() if len(found) == 1}
    books = _Books(taken)
    for person in people:
        found = mine[person["key"]]
        how = Likeness.KEY if len(found) == 1 else Likeness.SEVERAL
        if not found:
            how, found = books.like(person["surname"], person["name"])
        parts = ("key", "surname", "name", "club", "town")
        yield JudgedPerson(**{part: person[part] for part in parts}, likeness=how, players=found)


def _by_key(keys: Collection[str]) -> dict[str, Player]:
    """The players whose these keys are, or were before they were found to be somebody else."""
    everybody = Player.objects.select_related("club")
    own = {str(player.key): player for player in everybody.filter(key__in=keys)}
    others = PlayerKey.objects.filter(key__in=keys).select_related("player__club")
    found = own | {str(other.key): other.player for other in others}
    for key, player in found.items():
        while player.merged_into_id is not None:
            player = everybody.get(pk=player.merged_into_id)  # noqa: PLW2901
        found[key] = player
    return found


class _Books:
    """Who on the books may be found by name, but for those whom a key has found already."""

    def __init__(self, taken: Collection[int]) -> None:
        self.by_name: dict[str, list[Player]] = {}
        self.by_likeness: dict[str, list[Player]] = {}
        for player in Player.objects.on_the_books().select_related("club").exclude(pk__in=taken):
            self.by_name.setdefault(player.sort_key, []).append(player)
            for key in likeness.keys(player.surname, player.name):
                self.by_likeness.setdefault(key, []).append(player)

    def like(self, surname: str, name: str) -> tuple[Likeness, tuple[Player, ...]]:
        same = tuple(self.by_name.get(names.sort_key(surname, name), ()))
        if len(same) == 1:
            return Likeness.NAME, same
        alike = dict.fromkeys(
            player
            for key in likeness.keys(surname, name)
            for player in self.by_likeness.get(key, ())
            if names.alike((surname, name), (player.surname, player.name))
        )
        found = same or tuple(islice(alike, FEW))
        return (Likeness.SEVERAL, found) if found else (Likeness.NEW, ())


# --- whether it may be taken in -------------------------------------------------------------------


def _refuse(doc: EventDoc, event: Event | None) -> None:
    """Refuse what no choice would change: the event here is closed, or another one."""
    season = Season.objects.filter(year=doc.event["year"]).first()
    if season is not None and doc.event["kind"] != Event.Kind.FRIENDLY:
        refuse_closed_season(season)
    if event is None:
        return
    refuse_unfit(event)
    if event.season.year != doc.event["year"]:
        raise Refused(
            "other_season",
            _("Here this event is of the season of %(here)d, in the file of %(there)d.")
            % {"here": event.season.year, "there": doc.event["year"]},
            rule="A-01",
        )
    if (event.kind, event.regulation) != (doc.event["kind"], doc.event["regulation"]):
        raise Refused(
            "other_regulation",
            _("Here this event is of another kind, or follows another regulation."),
        )
    if event.status == Event.Status.CLOSED:
        raise Refused(
            "event_closed",
            _("The event is closed here: open it again from its standing, then read the file in."),
            rule="A-15",
        )


def played_otherwise(doc: EventDoc, event: Event, people: Mapping[str, Player]) -> bool:
    """Whether what was played is another in the file, and may be written in the place of ours.

    It may where nothing was played here, or where what was is a state that the file's writer knew:
    nothing was written here since, but for results that were all withdrawn again. Refuses a file
    older than what is here (`file_older`), and what somebody wrote here meanwhile
    (`changed_here`).
    """
    play = play_of(event, called_there(people))
    here = digest(play)
    if here == doc.state:
        return False
    if here in doc.known or not (play["rounds"] or play["called"] or play["removals"]):
        return True
    if event.files.filter(state=doc.state).exists():
        raise Refused(
            "file_older",
            _(
                "This file is older than what is written here: the rounds here go on from it. Have "
                "a new one written, if there is more to bring."
            ),
        )
    if _without_withdrawn(play) & set(doc.known):
        return True
    raise Refused(
        CHANGED_HERE,
        _(
            "Rounds, results or the roll call were written here since the last file, and the file "
            "does not know of them: it would undo them. Say below that the file counts, or write "
            "them on the other installation too and have the file written again."
        ),
    )


def _without_withdrawn(play: Json) -> set[str]:
    """The states that the event had before results that were withdrawn again.

    Two, since a table that had not started counts as started by its result.
    """

    def before(table: Json, **started: None) -> Json:
        results = table["results"]
        if not results or results[-1]["state"] != Result.State.WITHDRAWN:
            return table
        return {**table, "results": [], **started}

    return {
        digest(
            play
            | {
                "rounds": [
                    {**seated, "tables": [before(table, **started) for table in seated["tables"]]}
                    for seated in play["rounds"]
                ]
            }
        )
        for started in ({}, {"started_at": None})
    }


def called_there(people: Mapping[str, Player]) -> dict[int, str]:
    """What the file calls our players; those it does not know, by their own keys."""
    return keys_of_players() | {player.pk: key for key, player in people.items()}


def _differs(doc: EventDoc, event: Event, people: Mapping[str, Player]) -> bool:
    """Whether the enrolments or the status of the event say less than the file."""
    if status_of(doc, event) != event.status:
        return True
    here = {entry.player_id: entry for entry in event.entries.prefetch_related("copies")}
    for told in doc.entries:
        player = people.get(told["player"])
        entry = None if player is None else here.get(player.pk)
        if entry is None or amended(entry, told) or copies_brought(entry, told):
            return True
    last = event.files.first()
    return last is not None and last.way == EventFile.Way.OUT and doc.site != settings.SITE_URL


def status_of(doc: EventDoc, event: Event | None) -> str:
    """How far the event is: as far as here or as in the file; closing it is left to who is here."""
    there = doc.event["status"]
    if there == Event.Status.CLOSED:
        there = Event.Status.CONCLUDED
    if there in LINE[:2] and any(r["status"] == Round.Status.PUBLISHED for r in doc.rounds):
        there = Event.Status.RUNNING
    if event is None or LINE.index(there) > LINE.index(Event.Status(event.status)):
        return str(there)
    return str(event.status)


def _takes_ranking(doc: EventDoc, event: Event | None) -> bool:
    """Whether the ranking of the file is written here: where there is none but one brought so."""
    if not doc.ranking or (event is not None and not brought_rankings()):
        return False
    closed = Event.objects.official().filter(status=Event.Status.CLOSED)
    brought = brought_rankings()
    if closed.exclude(pk__in=[old.pk for old in brought]).exists():
        return False
    people = proposed(_judge(doc, {key for key, _points in doc.ranking}), {})
    wanted = {people[key].pk: points for key, points in doc.ranking if key in people}
    if len(wanted) < len(doc.ranking) or len(brought) != 1:
        return True
    return dict(brought[0].places.values_list("player_id", "points")) != wanted


def brought_rankings() -> list[Event]:
    """Events of the history that are no event: each is the ranking that a file brought."""
    return list(Event.objects.filter(imported=True, files__way=EventFile.Way.IN).distinct())


FROM_FILE = ("status", "from_round", "until_round", "present")


def amended(entry: Entry, told: Json) -> list[str]:
    """Set what the file says of an enrolment; which fields changed.

    Who has paid here has paid, and what was noted here stays unless the file notes something.
    """
    wanted = {name: told[name] for name in FROM_FILE}
    wanted["paid"] = entry.paid or told["paid"]
    wanted["note"] = told["note"] or entry.note
    changed = [name for name, value in wanted.items() if getattr(entry, name) != value]
    for name in changed:
        setattr(entry, name, wanted[name])
    return changed


def copies_brought(entry: Entry, told: Json) -> set[str]:
    """The titles that the file says he brings and we do not."""
    return set(told["copies"]) - {title.code for title in entry.copies.all()}
