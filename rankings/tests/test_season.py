"""The season of the vectors, event by event, through the services: every standing that it has."""

from __future__ import annotations

from datetime import date, timedelta
from typing import Any

import pytest

from figf.tests.cast import DAY, NOW, Cast, make_cast, make_season
from rankings import services
from rankings.models import Honour
from rankings.services import ranking_before, ranking_on
from tournaments import services as tournaments
from tournaments.models import Event
from tournaments.tests.test_seating import SEASON
from tournaments.tests.test_seating import Season as Events

pytestmark = pytest.mark.django_db
both = pytest.mark.both

# The events of 2004 and 2005, one every four weeks as those of 2006.
FIRST = 7


def day_of(year: int, number: int) -> date:
    return date(year, 1, FIRST) + timedelta(days=28 * number)


class Season(Events):
    """The eight events of the vectors with the history of the two years before, and its links."""

    def __init__(self, cast: Cast) -> None:
        super().__init__(cast)
        self.past: dict[str, Event] = {}
        for year in (2004, 2005):
            for number, name in enumerate(SEASON["season_events"][str(year)]):
                self.past[name] = self.remember(year, number, name)

    def remember(self, year: int, number: int, name: str) -> Event:
        told = SEASON["history"][name]
        points, wins = told["points"], told["wins"]
        order = sorted((points.get(key, 0) for key in {**points, **wins}), reverse=True)
        rows = [
            tournaments.PastPlace(
                self.players[key],
                1 + order.index(points.get(key, 0)),
                points.get(key, 0),
                wins.get(key, 0),
            )
            for key in {**points, **wins}
        ]
        return tournaments.record_past_event(
            make_season(year),
            name,
            day_of(year, number),
            day_of(year, number) + DAY,
            rows,
            self.cast.sara,
            NOW,
        )

    def planned(self) -> None:
        """The calendar of the year, each event with its link to the one of two years before."""
        for number, told in enumerate(SEASON["events"]):
            day = day_of(2006, number)
            event = tournaments.create_event(
                self.year,
                f"{told['name']}",
                day,
                day + DAY,
                self.cast.sara,
                NOW,
                kind="pbem" if "pbem" in told["name"] else "live",
                director=self.director,
                replaces=self.link(told["id"], number),
            )
            for prova in told["prove"]:
                rounds = len(prova["rounds"])
                title = self.titles[prova["title"]]
                tournaments.add_prova(event, title, self.cast.sara, NOW, rounds=rounds)
            tournaments.set_status(event, Event.Status.ENROLLING, self.cast.sara, NOW)

    def link(self, name: str, number: int) -> Event | None:
        old = SEASON["links_2006"].get(name, f"2004-E{number + 1}")
        return self.past.get(old) if old is not None else None

    def hold(self, number: int) -> Event:
        """Play an event by the ranking that the site computes, and close it."""
        told = SEASON["events"][number]
        event = Event.objects.get(season=self.year, ordinal=number + 1)
        ranking = dict(ranking_before(event.starts_on).points)
        for order, prova in enumerate(told["prove"], start=1):
            for n, plan in enumerate(prova["rounds"], start=1):
                self.round(event, event.prove.get(order=order), n, plan, ranking)
        event = Event.objects.get(pk=event.pk)
        for gone in told["removed_from_event"]:
            tournaments.cancel(
                self.players[gone], self.cast.sara, NOW, level="event", event=event, ruling="13"
            )
        return tournaments.close_event(event, self.cast.sara, NOW)

    # --- what is expected, and what is ---

    def ranking(self, day: date) -> list[dict[str, Any]]:
        rows = ranking_on(day).rows
        return by_place(
            {"place": r.place, "player": self.ids[r.player.pk], "points": r.points} for r in rows
        )

    def absolute(self, after: Event | None = None) -> list[dict[str, Any]]:
        rows = [each.row for each in services.absolute_of(self.year, after).rows]
        return by_place(
            {
                "place": row.place,
                "player": self.ids[int(row.key)],
                "total": row.total,
                "scores": list(row.scores),
                "dropped": row.dropped,
                "countback": list(row.countback[:10]),  # the vectors show ten
            }
            for row in rows
        )

    def specialty(self, code: str) -> list[dict[str, Any]]:
        rows = [e.row for e in services.specialty_of(self.year, self.titles[code]).rows]
        return by_place(
            {
                "place": row.place,
                "player": self.ids[int(row.key)],
                "total": f"{row.total:.2f}",
                "counted": [f"{result.points:.2f}" for result in row.counted],
                "discarded": [f"{result.points:.2f}" for result in row.discarded],
            }
            for row in rows
        )

    def every_specialty(self) -> dict[str, list[dict[str, Any]]]:
        return {code: self.specialty(code) for code in SEASON["specialties"]}


def by_place(rows: Any) -> list[dict[str, Any]]:
    return sorted(rows, key=lambda row: (row["place"], row["player"]))


@pytest.fixture
def cast() -> Cast:
    return make_cast()


STATES = {state["after"]: state for state in SEASON["rankings"]}


def test_every_standing_of_the_season_is_that_of_the_vectors(cast: Cast) -> None:
    """D-01..D-10, E-01..E-10, F-01..F-08, G-01..G-07, H-01..H-08, O-16: from raw totals alone."""
    season = Season(cast)
    season.planned()
    eve = day_of(2006, 0) - DAY
    assert season.ranking(eve) == by_place(STATES[None]["ranking"])
    for number, told in enumerate(SEASON["events"]):
        event = season.hold(number)
        state = STATES[told["id"]]
        page = ranking_on(event.ends_on)
        names = [each.name for each in page.window]
        places = {e["name"]: e["id"] for e in SEASON["events"]}
        assert sorted(places.get(name, name) for name in names) == sorted(state["window"])
        assert season.ranking(event.ends_on) == by_place(state["ranking"]), told["id"]
        progress = SEASON["absolute_progress"][number]
        assert progress["after"] == told["id"]
        assert season.absolute() == by_place(progress["absolute"]), told["id"]
    assert season.absolute() == by_place(SEASON["absolute_final"])
    assert season.every_specialty() == {
        code: by_place(rows) for code, rows in SEASON["specialties"].items()
    }
    radiated(season)
    for year in (2004, 2005, 2006):
        services.close_season(make_season(year), cast.sara, NOW)
    closed = next(state for after, state in STATES.items() if after and "close" in after)
    assert season.ranking(date(2006, 12, 31)) == by_place(closed["ranking"])
    champions(season)


def radiated(season: Season) -> None:
    """O-16, while the season is open; nothing of it remains afterwards."""
    told = SEASON["after_radiation"]
    player = season.players[told["player"]]

    def look() -> Any:
        return season.absolute(), season.ranking(date(2006, 12, 30)), season.every_specialty()

    before, after = services.what_if(
        lambda: tournaments.strike_off(player, "x", season.cast.sara, NOW), look
    )
    assert before == look()
    absolute, ranking, specialties = after
    assert absolute == by_place(told["absolute"])
    assert ranking == by_place(told["ranking_after_E8"])
    assert specialties == {code: by_place(rows) for code, rows in told["specialties"].items()}


def champions(season: Season) -> None:
    """E-10, F-08: those of the vectors, and nobody of the title that was not played."""
    found = {
        (each.title.code if each.title else "absolute"): season.ids[each.player_id or 0]
        for each in Honour.objects.filter(season=season.year)
    }
    expected = {key: name for key, name in SEASON["champions"].items() if name is not None}
    assert found == expected
