"""Where a name leads: players, clubs, events and titles of which every word asked is a part."""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass
from typing import TypeVar

from tournaments.models import Club, Event, Player, Season, Title
from tournaments.rules import names
from tournaments.services import struck_off

AT_MOST = 50  # of each kind

T = TypeVar("T")


@dataclass(frozen=True, slots=True)
class Found:
    """What a search found, at most fifty of each kind; `more` says that there is more of some.

    `season` is the one whose specialties the titles lead to.
    """

    players: tuple[Player, ...] = ()
    clubs: tuple[Club, ...] = ()
    events: tuple[Event, ...] = ()
    titles: tuple[Title, ...] = ()
    season: Season | None = None
    more: bool = False

    def __bool__(self) -> bool:
        return bool(self.players or self.clubs or self.events or (self.titles and self.season))


def search(asked: str) -> Found:
    """Everything public of which each word of `asked` is a part; case and accents do not count."""
    words = [word for word in map(names.letters, asked.split()) if word]
    if not words:
        return Found()
    people = Player.objects.on_the_books().exclude(pk__in=struck_off()).select_related("club")
    for word in words:
        people = people.filter(sort_key__contains=word)
    players = list(people[: AT_MOST + 1])
    clubs = _with(words, ((c, f"{c.name} {c.town}") for c in Club.objects.all()))
    events = Event.objects.public().select_related("season")
    held = _with(words, ((e, f"{e.name} {e.town} {e.season.year}") for e in events))
    titles = Title.objects.filter(specialty=True)
    played = _with(words, ((title, f"{title.code} {title.name}") for title in titles))
    more = any(len(each) > AT_MOST for each in (players, clubs, held, played))
    return Found(
        tuple(players[:AT_MOST]),
        tuple(clubs[:AT_MOST]),
        tuple(held[:AT_MOST]),
        tuple(played[:AT_MOST]),
        latest_season(),
        more,
    )


def _with(words: Iterable[str], texts: Iterable[tuple[T, str]]) -> list[T]:
    """Those whose text has every word as a part of one of its own."""
    wanted = list(words)

    def of(text: str) -> str:
        return " ".join(map(names.letters, text.split()))

    return [each for each, text in texts if all(word in of(text) for word in wanted)]


def latest_season() -> Season | None:
    """The last season with a closed event, else the last with one on the calendar (A-16)."""
    held = Season.objects.filter(events__in=Event.objects.official().public())
    played = held.filter(events__status=Event.Status.CLOSED)
    return played.order_by("-year").first() or held.order_by("-year").first()
