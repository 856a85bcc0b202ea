"""A Supercoppa for the tests, brought through the services as far as they want it.

The absolute of the year before has twelve players: Bruno leads, Passeggero 02..12 follow, and only
Bruno has a log-in. Passeggero 09 is champion of 1830, Passeggero 04 and Bruno of 1849.
"""

from __future__ import annotations

from datetime import date, datetime

from figf import services as base
from figf.models import Draw
from figf.tests.cast import (
    DAY,
    HOUR,
    NOW,
    make_cast,
    make_past,
    make_player,
    make_season,
    make_title,
    record,
    tables_of,
)
from rankings import services
from rankings.models import Cup, Honour
from rankings.services import Stage
from tournaments.models import Event, Player, Table, Title

FOUR = ["1830", "1849", "1856", "1870"]
WORTH = (75, 54, 39, 27, 18, 12, 9, 6, 3, 1, 0, 0)  # of a factor of three (D-05)

# The ten, by hand: the absolute (Bruno), 1830 (09), 1849 (04; Bruno has been named), and down the
# absolute: 02, 03, 05, 06, 07, 08, 10.
TEN = (1, 9, 4, 2, 3, 5, 6, 7, 8, 10)

# 5: semifinals on 1849, final on 1856. Then 12, 11 … for the ten in the order of the field, of whom
# the second and the third are level on 11, and throw 1 and 2.
THROWS = [5, 12, 11, 11, 9, 8, 7, 6, 5, 4, 3, 1, 2]
ORDER = (1, 4, 9, 2, 3, 5, 6, 7, 8, 10)  # so, of the absolute: five at table A, five at B


def make_twelve(year: int = 2025, now: datetime = NOW) -> list[Player]:
    """The absolute of that year, in its order; its champions are proclaimed, the season closed."""
    cast = make_cast(now)
    people = [cast.bruno.player, *(_player(f"Passeggero {n:02}", now) for n in range(2, 13))]
    make_past(dict(zip(people, WORTH, strict=True)), date(year, 11, 30), now=now)
    season = services.close_season(make_season(year, now), cast.sara, now - 30 * DAY)
    make_season(year + 1, now)
    for code in FOUR:
        make_title(code, now)
    Title.objects.filter(code__in=FOUR).update(cup_title=True)
    for player, code in ((people[8], "1830"), (people[3], "1849"), (people[0], "1849")):
        Honour.objects.create(
            season=season,
            award=Honour.Award.SPECIALTY,
            title=Title.objects.get(code=code),
            player=player,
            by=cast.sara,
            at=now,
        )
    return people


def _player(surname: str, now: datetime) -> Player:
    return Player.objects.filter(surname=surname).first() or make_player(surname, now=now)


def opened(year: int = 2026, now: datetime = NOW) -> Cup:
    return services.open_supercoppa(make_season(year, now), make_cast(now).sara, now)


def promised(cup: Cup, now: datetime = NOW) -> Cup:
    return services.draw_tables(cup, now + HOUR, make_cast(now).sara, now)


def thrown(cup: Cup, throws: list[int] | None = None, now: datetime = NOW) -> Cup:
    """The dice promised and shown: `THROWS`, or these, in the place of what the seed gives."""
    cup = promised(cup, now)
    assert cup.draw
    base.reveal_draw(cup.draw.pk, now + HOUR)
    throws = throws or THROWS
    rest = [1] * (cup.draw.count - len(throws))
    Draw.objects.filter(pk=cup.draw.pk).update(throws=[*throws, *rest])
    return Cup.objects.select_related("season", "draw").get(pk=cup.pk)


def seated(cup: Cup, now: datetime = NOW) -> Event:
    """The two tables formed; Alice directs."""
    cast = make_cast(now)
    cup = thrown(cup, now=now)
    year = cup.season.year
    days = (date(year, 3, 20), date(year, 6, 30))
    return services.form_tables(cup, cast.director, *days, cast.sara, now + 2 * HOUR)


def semifinals_played(cup: Cup, a: str = "87654", b: str = "98721", now: datetime = NOW) -> Event:
    """In thousands, in seat order. By default 750 is the third of A, 777.78 that of B."""
    event = seated(cup, now)
    for table, totals in zip(tables_of(event), (a, b), strict=True):
        amounts = [int(digit) * 1000 for digit in totals]
        record(table, *amounts, by=make_cast(now).sara, now=now)
    return event


def final_of(event: Event) -> Table:
    return tables_of(event)[2]


def make_supercoppa(year: int, stage: Stage, now: datetime = NOW) -> Cup:
    """The Supercoppa of that year, brought to that stage; who does not play is Passeggero 10."""
    sara = make_cast(now).sara
    people = make_twelve(year - 1, now)
    cup = opened(year, now)
    services.mark_unavailable(cup, people[9], "In viaggio", sara, now)
    steps = [Stage.FIELD, Stage.DRAW, Stage.SEMIFINALS, Stage.FINAL, Stage.WINNER].index(stage)
    if steps == 1:
        thrown(cup, now=now)
    if steps > 1:
        event = semifinals_played(cup, now=now)
    if steps > 2:
        services.form_final(cup, sara, now)
    if steps > 3:
        record(final_of(event), 7000, 9000, 6000, 5000, 4000, by=sara, now=now)
        services.conclude_supercoppa(cup, sara, now)
    return Cup.objects.get(pk=cup.pk)
