"""Where a name leads: players, clubs, events and titles of which every word asked is a part."""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass
from typing import TypeVar

from tournaments.models import Club, Event, Player, PlayerQuerySet, Season, Title
from tournaments.rules import names
from tournaments.services import struck_off

AT_MOST = 50  # of each kind
LATEST = 10  # events of the titles found

T = TypeVar("T")


@dataclass(frozen=True, slots=True)
class Found:
    """What a search found, at most fifty of each kind; `more` says that there is more of some.

    `season` is the one whose specialties the titles lead to; `played` are the latest events of the
    titles that have the words, those already among `events` left out.
    """

    players: tuple[Player, ...] = ()
    clubs: tuple[Club, ...] = ()
    events: tuple[Event, ...] = ()
    titles: tuple[Title, ...] = ()
    season: Season | None = None
    played: tuple[Event, ...] = ()
    more: bool = False

    def __bool__(self) -> bool:
        named = self.players or self.clubs or self.events or self.played
        return bool(named or (self.titles and self.season))


def everybody() -> PlayerQuerySet:
    """Who may be found by name, in alphabetical order, with the club (O-16)."""
    people = Player.objects.on_the_books().exclude(pk__in=struck_off())
    return people.select_related("club").order_by("sort_key", "pk")


def search(asked: str) -> Found:
    """Everything public of which each word of `asked` is a part; case and accents do not count."""
    words = [word for word in map(names.letters, asked.split()) if word]
    if not words:
        return Found()
    players = list(everybody().called(asked)[: AT_MOST + 1])
    clubs = having(words, ((c, f"{c.name} {c.town}") for c in Club.objects.all()))
    events = Event.objects.public().select_related("season")
    held = having(words, ((e, f"{e.name} {e.town} {e.season.year}") for e in events))
    titles = having(words, ((t, f"{t.code} {t.name}") for t in Title.objects.all()))
    played = events.filter(prove__title__in=titles).exclude(pk__in=[each.pk for each in held])
    named = [title for title in titles if title.specialty]
    more = any(len(each) > AT_MOST for each in (players, clubs, held, named))
    return Found(
        tuple(players[:AT_MOST]),
        tuple(clubs[:AT_MOST]),
        tuple(held[:AT_MOST]),
        tuple(named[:AT_MOST]),
        latest_season(),
        tuple(played.distinct()[:LATEST]),
        more,
    )


def having(words: Iterable[str], texts: Iterable[tuple[T, str]]) -> list[T]:
    """Those whose text has every word as a part of one of its own."""
    wanted = [word for word in map(names.letters, words) if word]

    def of(text: str) -> str:
        return " ".join(map(names.letters, text.split()))

    return [each for each, text in texts if wanted and all(word in of(text) for word in wanted)]


def latest_season() -> Season | None:
    """The last season with a closed event, else the last with one on the calendar (A-16)."""
    held = Season.objects.filter(events__in=Event.objects.official().public())
    played = held.filter(events__status=Event.Status.CLOSED)
    return played.order_by("-year").first() or held.order_by("-year").first()
