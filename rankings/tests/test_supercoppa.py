"""The Supercoppa: its rules, its verbs, its pages, and the whole of one from field to winner.

I-01..I-07, E-05; the values are those of the vectors, or computed by hand beside them.
"""

from __future__ import annotations

import json
import random
from collections.abc import Callable
from datetime import date, datetime, timedelta
from decimal import Decimal
from functools import partial
from itertools import permutations
from pathlib import Path
from typing import Any

import pytest
from django.urls import reverse

from figf import services as base
from figf.errors import Refused
from figf.management.commands.demo import Demo
from figf.models import Draw, Email, LogEntry
from figf.tests.cast import (
    HOUR,
    NOW,
    Cast,
    Page,
    at_once,
    make_cast,
    make_hall,
    make_past,
    make_player,
    make_season,
    record,
    reread,
    tables_of,
    visitor,
)
from rankings import services
from rankings.models import Cup, CupAbsence, CupDraw, Honour
from rankings.rules import lots, supercoppa
from rankings.rules.supercoppa import Passed, Semifinalist
from rankings.services import Stage
from rankings.tests.cups import (
    FOUR,
    ORDER,
    TEN,
    THROWS,
    WORTH,
    final_of,
    make_twelve,
    opened,
    seated,
    semifinals_played,
    thrown,
)
from tournaments import services as events
from tournaments.models import Event, Player, Round, Table, Title
from tournaments.rules.regulation import Illegal

db = pytest.mark.django_db
both = pytest.mark.both
VECTORS = json.loads(
    (Path(__file__).parents[2] / "tournaments/tests/figf_vectors.json").read_text("utf-8")
)
CASES: dict[str, Any] = {case["id"]: case for case in VECTORS["cases"]}


# --- the rules ------------------------------------------------------------------------------------


@pytest.mark.parametrize("name", ["SUP-01", "SUP-02"])
def test_the_field_is_that_of_the_vectors(name: str) -> None:
    """I-01, I-02."""
    given = CASES[name]["input"]
    found = supercoppa.field(given["champions"], given["absolute"], given.get("unavailable", ()))
    assert list(found) == CASES[name]["expected"]


def test_fewer_than_ten_people_are_refused() -> None:
    """I-01, SUP-03."""
    given = CASES["SUP-03"]
    with pytest.raises(Illegal) as refusal:
        supercoppa.field(given["input"]["champions"], given["input"]["absolute"])
    assert refusal.value.reason == given["expected"]["error"]
    assert (refusal.value.rule, refusal.value.data) == ("I-01", {"players": 2})


def test_the_field_of_the_season_comes_from_its_standings() -> None:
    """I-01, SEASON-SUP: the firsts of the vectors' standings, then down their absolute."""
    absolute = CASES["SEASON-ABS-2006-E8"]["expected"]
    champions = [row[1] for row in absolute if row[0] == 1]
    for title in ("1830", "1835", "1841", "1844", "1849", "1856", "1870"):
        champions += [row[1] for row in CASES[f"SEASON-SPE-{title}"]["expected"] if row[0] == 1]
    found = supercoppa.field(champions, [row[1] for row in absolute])
    assert list(found) == CASES["SEASON-SUP"]["expected"]


def test_champions_who_share_a_title_are_all_in_and_never_more_than_ten_play() -> None:
    """I-01."""
    assert supercoppa.field("ab", "cdefghijkl")[:2] == ("a", "b")
    assert "".join(map(str, supercoppa.field("abcdefghijkl", "abc"))) == "abcdefghij"


def semifinal(rows: list[dict[str, Any]], table: str, absolute: list[str]) -> list[Semifinalist]:
    return [
        Semifinalist(
            row["player"],
            table,
            row["place"],
            Decimal(row["percentile"]),
            absolute.index(row["player"]) + 1,
        )
        for row in rows
    ]


def test_the_best_third_is_by_percentile_and_not_by_money() -> None:
    """I-04, SUP-04."""
    given = CASES["SUP-04"]["input"]
    people = [
        *semifinal(given["table_a"], "A", given["absolute"]),
        *semifinal(given["table_b"], "B", given["absolute"]),
    ]
    found = supercoppa.finalists(people)
    assert [key for key, _step in found.finalists] == CASES["SUP-04"]["expected"]
    last = found.finalists[-1][1]
    assert (last.kind, last["own"], last["other"]) == (
        Passed.THIRD,
        Decimal("750.00"),
        Decimal("744.44"),
    )


def played(
    places: str, percentiles: list[int], table: str, absolute: list[int | None]
) -> list[Semifinalist]:
    return [
        Semifinalist(f"{table}{n}", table, int(place), Decimal(points), where)
        for n, (place, points, where) in enumerate(
            zip(places, percentiles, absolute, strict=True), start=1
        )
    ]


A = played("12345", [1500, 900, 700, 600, 500], "A", [1, 2, 3, 4, 5])


def test_level_thirds_are_told_apart_by_the_absolute_then_by_the_die() -> None:
    """I-04: who is not in the absolute comes after who is."""
    b = played("12345", [1500, 900, 700, 600, 500], "B", [6, 7, 8, 9, 10])
    found = supercoppa.finalists([*A, *b])
    assert (found.finalists[-1][0], found.finalists[-1][1].kind) == ("A3", Passed.THIRD_ABSOLUTE)
    unknown = played("12345", [1500, 900, 700, 600, 500], "B", [None] * 5)
    assert supercoppa.finalists([*unknown, *A]).finalists[-1][0] == "A3"
    level = played("12345", [1500, 900, 700, 600, 500], "B", [6, 7, 3, 9, 10])
    assert supercoppa.finalists([*A, *level]) == supercoppa.Final(tied=("A3", "B3"))
    thrown = supercoppa.finalists([*A, *level], [["B3", "A3"]])
    assert [key for key, _step in thrown.finalists] == ["A1", "B1", "A2", "B2", "B3"]
    assert thrown.finalists[-1][1].kind == Passed.THIRD_DIE


def test_who_shares_the_second_place_is_told_apart_in_the_same_way() -> None:
    """I-04, C-07: places 1, 2, 2; the better in the absolute goes on, the other is a third."""
    shared = played("12245", [1500, 900, 900, 600, 500], "B", [6, 8, 7, 9, 10])
    found = supercoppa.finalists([*A, *shared])
    assert [key for key, _step in found.finalists] == ["A1", "B1", "A2", "B3", "B2"]
    assert found.finalists[3][1].kind == Passed.TWO_ABSOLUTE
    level = played("12245", [1500, 900, 900, 600, 500], "B", [None] * 5)
    assert supercoppa.finalists([*A, *level]).tied == ("B2", "B3")
    thrown = supercoppa.finalists([*A, *level], [["B2", "B3"]])
    assert [key for key, _step in thrown.finalists] == ["A1", "B1", "A2", "B2", "B3"]
    assert thrown.finalists[3][1].kind == Passed.TWO_DIE


def test_equals_whom_nothing_depends_on_throw_no_die() -> None:
    """I-04: two firsts both go on, two fourths both stay."""
    b = played("11344", [1500, 1500, 600, 550, 550], "B", [None] * 5)
    found = supercoppa.finalists([*A, *b])
    assert [key for key, _step in found.finalists] == ["A1", "B1", "A2", "B2", "A3"]
    assert {step.kind for _key, step in found.finalists} == {Passed.TWO, Passed.THIRD}


def test_a_lone_third_passes_and_too_few_people_are_refused() -> None:
    """I-04: two of a table were left without a percentile, then three."""
    found = supercoppa.finalists([*A, *played("12", [1500, 900], "B", [6, 7])])
    assert (found.finalists[-1][0], found.finalists[-1][1].kind) == ("A3", Passed.THIRD_ALONE)
    for b in (played("1", [1500], "B", [6]), []):
        with pytest.raises(Illegal) as refusal:
            supercoppa.finalists([*A, *b])
        assert refusal.value.reason == supercoppa.No.TOO_FEW_FINALISTS


def test_the_finalists_are_always_two_of_each_and_one() -> None:
    """I-04: whatever the totals, once the dice have told everybody apart."""
    dice = random.Random(109)
    for _ in range(400):
        people = []
        for table in "AB":
            totals = sorted((dice.choice((0, 4, 5, 6, 7, 8)) for _ in range(5)), reverse=True)
            places = "".join(str(1 + totals.index(total)) for total in totals)
            where = [dice.choice((None, *range(1, 6))) for _ in range(5)]
            people += played(places, [total * 100 for total in totals], table, where)
        keys = [each.key for each in people]
        found = supercoppa.finalists(people, [keys])
        five = [key for key, _step in found.finalists]
        assert len(set(five)) == 5
        assert sorted(str(key)[0] for key in five[:4]) == ["A", "A", "B", "B"]
        by_key = {each.key: each for each in people}
        out = [each for each in people if each.key not in five]
        last = by_key[five[4]]
        assert all(each.percentile <= last.percentile for each in out)
        for key in five[:4]:
            same = [each for each in out if each.table == by_key[key].table]
            assert all(by_key[key].place <= each.place for each in same)


def test_each_throw_is_one_ordered_pair_of_different_titles() -> None:
    """I-05: twelve throws, twelve pairs; the final is never the title of the semifinals."""
    drawn = [supercoppa.titles_drawn(throw, FOUR) for throw in range(1, 13)]
    assert sorted(drawn) == sorted(permutations(FOUR, 2))
    assert [drawn[n][0] for n in (0, 3, 6, 9)] == FOUR
    for count in range(2, 8):
        titles = [str(n) for n in range(count)]
        sides = supercoppa.sides(titles)
        every = [supercoppa.titles_drawn(throw, titles) for throw in range(1, sides + 1)]
        assert {every.count(pair) for pair in every} == {sides // (count * (count - 1))}
        assert all(one != other for one, other in every)


def test_one_title_is_too_few_and_no_die_shows_zero() -> None:
    """I-05."""
    with pytest.raises(Illegal) as refusal:
        supercoppa.sides(["1830"])
    assert (refusal.value.reason, refusal.value.rule) == (supercoppa.No.TOO_FEW_TITLES, "I-05")
    with pytest.raises(ValueError, match="no die shows 0"):
        supercoppa.titles_drawn(0, FOUR)


def test_the_tables_are_of_ten_and_no_other_number() -> None:
    """I-03."""
    with pytest.raises(Illegal) as refusal:
        supercoppa.tables("abcdefghi")
    assert refusal.value.data == {"players": 9}


def test_equals_share_the_cup_unless_it_is_decided_among_them() -> None:
    """I-07."""
    assert supercoppa.winners({"a": 1, "b": 1, "c": 3}) == ("a", "b")
    with pytest.raises(Illegal) as refusal:
        supercoppa.winners({"a": 1, "b": 1, "c": 3}, ["c"])
    assert (refusal.value.reason, refusal.value.rule) == (supercoppa.No.NOT_FIRST, "I-07")
    assert supercoppa.winners({}) == ()


def test_lots_put_everybody_in_the_order_of_his_throws() -> None:
    """I-03: each once, the highest first, told apart by the fewest dice, read in sequence."""
    dice = random.Random(108)
    for _ in range(300):
        people = list(range(dice.randint(0, 10)))
        throws = [dice.randint(1, dice.choice((2, 6, 12))) for _ in range(400)]
        found = lots.order(people, throws)
        assert sorted(lot.key for lot in found) == people
        shown = [lot.throws for lot in found]
        assert shown == sorted(shown, reverse=True)
        assert len(set(shown)) == len(shown)
        used = sum(map(len, shown))
        assert sorted(value for lot in found for value in lot.throws) == sorted(throws[:used])
        assert [lot.throws[0] for lot in sorted(found, key=lambda lot: int(lot.key))] == throws[
            : len(people)
        ]
        if used:
            with pytest.raises(lots.TooFewThrows):
                lots.order(people, throws[: used - 1])


def test_level_people_throw_again_the_highest_first() -> None:
    """I-03: a and c show 6, b and d show 3; a and c throw 2 and 2, then 1 and 5; b and d 4, 6."""
    found = lots.order("abcd", [6, 3, 6, 3, 2, 2, 1, 5, 4, 6])
    assert [(lot.key, lot.throws) for lot in found] == [
        ("c", (6, 2, 5)),
        ("a", (6, 2, 1)),
        ("d", (3, 6)),
        ("b", (3, 4)),
    ]


# --- a federation that may hold one ---------------------------------------------------------------


@pytest.fixture
def cast() -> Cast:
    return make_cast()


LAST = date(2025, 11, 30)


@pytest.fixture
def twelve(cast: Cast) -> list[Player]:
    return make_twelve()


def ten_of(twelve: list[Player]) -> list[Player]:
    return [twelve[n - 1] for n in TEN]


def stands(cup: Cup, now: datetime = NOW) -> services.Supercoppa:
    return services.supercoppa_of(Cup.objects.select_related("season").get(pk=cup.pk), now)


def people_at(table: Table) -> list[Player | None]:
    return [seat.holder().player for seat in table.seats.all()]


def state() -> list[Any]:
    """All that a verb may write, to tell that a refusal wrote nothing."""
    kinds = (Cup, CupAbsence, CupDraw, Honour, Draw, Event, Round, Table, LogEntry, Email)
    return [list(kind._default_manager.order_by("pk").values()) for kind in kinds]


def refused(deed: Callable[..., object], *given: Any, **more: Any) -> Refused:
    before = state()
    with pytest.raises(Refused) as refusal:
        deed(*given, **more)
    assert state() == before
    return refusal.value


def why(refusal: Refused) -> tuple[str, str]:
    return refusal.reason, refusal.rule


# --- opened ---------------------------------------------------------------------------------------


@db
@both
def test_it_stands_on_the_year_before_and_is_there_once(cast: Cast, twelve: list[Player]) -> None:
    """I-01."""
    cup = opened()
    assert (cup.kind, cup.season.year, cup.provisional, cup.note) == ("supercoppa", 2026, False, "")
    again = refused(services.open_supercoppa, make_season(2026), cast.sara, NOW)
    assert (again.reason, again.field) == ("cup_exists", "season")
    missing = refused(services.open_supercoppa, make_season(2024), cast.sara, NOW)
    assert why(missing) == ("no_season_before", "I-01")


@db
@both
def test_a_season_that_is_open_is_waited_for_or_the_reason_is_written(cast: Cast) -> None:
    """I-01, F-08 (ruling on A-01): the director's choice, recorded."""
    make_past({cast.bruno.player: 75}, LAST)
    season = make_season(2026)
    early = refused(services.open_supercoppa, season, cast.sara, NOW)
    assert (early.reason, early.field) == ("season_open", "provisional")
    open_it = partial(services.open_supercoppa, season, cast.sara, NOW, provisional=True)
    assert refused(open_it, note="  ").field == "note"
    cup = open_it(note="Il torneo di dicembre è  rinviato")
    assert (cup.provisional, cup.note) == (True, "Il torneo di dicembre è rinviato")
    services.close_season(make_season(2025), cast.sara, NOW)
    services.withdraw_supercoppa(cup, cast.sara, NOW)
    assert open_it(note="Non serve").provisional is False


@db
@both
def test_one_opened_by_mistake_is_withdrawn_until_dice_are_promised(
    cast: Cast, twelve: list[Player]
) -> None:
    cup = opened()
    services.mark_unavailable(cup, twelve[1], "Rinuncia", cast.sara, NOW)
    services.withdraw_supercoppa(cup, cast.sara, NOW)
    assert not Cup.objects.exists()
    assert refused(services.withdraw_supercoppa, cup, cast.sara, NOW).reason == "cup_gone"
    cup = thrown(opened())
    assert refused(services.withdraw_supercoppa, cup, cast.sara, NOW).reason == "draw_opened"


# --- the field ------------------------------------------------------------------------------------


@db
@both
def test_the_field_says_why_each_is_in_it(cast: Cast, twelve: list[Player]) -> None:
    """I-01: champions of the roll of honour, then down the absolute."""
    field = stands(opened()).field
    assert [each.player for each in field.people] == ten_of(twelve)
    told = [
        (each.champion, [title.code for title in each.specialties], each.place)
        for each in field.people
    ]
    assert told[:4] == [
        (True, ["1849"], 1),
        (False, ["1830"], 9),
        (False, ["1849"], 4),
        (False, [], 2),
    ]
    assert ([each.player for each in field.next], field.proclaimed) == ([twelve[10]], True)


@db
@both
def test_a_provisional_field_is_of_who_leads_today(cast: Cast) -> None:
    """I-01: nobody was proclaimed, so the leader of the absolute comes first."""
    people = [make_player(f"Passeggero {n:02}") for n in range(1, 11)]
    make_past(dict(zip(people, WORTH, strict=False)), LAST)
    cup = services.open_supercoppa(
        make_season(2026), cast.sara, NOW, provisional=True, note="Si comincia"
    )
    field = stands(cup).field
    assert (field.proclaimed, field.illegal) == (False, None)
    assert [each.player for each in field.people] == people
    assert [each.champion for each in field.people[:2]] == [True, False]


@db
@both
def test_who_does_not_play_leaves_his_place_to_the_next_of_the_absolute(
    cast: Cast, twelve: list[Player]
) -> None:
    """I-02: not to the second of his specialty."""
    cup = opened()
    champion = twelve[8]
    absence = services.mark_unavailable(cup, champion, " In  viaggio ", cast.sara, NOW)
    assert absence.reason == "In viaggio"
    field = stands(cup).field
    expected = [player for player in ten_of(twelve) if player != champion] + [twelve[10]]
    assert [each.player for each in field.people] == expected
    assert [(each.candidate.player, each.reason) for each in field.absent] == [
        (champion, "In viaggio")
    ]
    before = state()
    assert services.mark_unavailable(cup, champion, "In viaggio", cast.sara, NOW) == absence
    assert state() == before
    mark = partial(refused, services.mark_unavailable, cup)
    assert why(mark(champion, "Malato", cast.sara, NOW)) == ("already_absent", "I-02")
    assert why(mark(twelve[0], " ", cast.sara, NOW)) == ("reason_missing", "I-02")
    assert why(mark(twelve[11], "Rinuncia", cast.sara, NOW)) == ("not_in_field", "I-02")
    services.mark_available(cup, champion, cast.sara, NOW)
    assert [each.player for each in stands(cup).field.people] == ten_of(twelve)
    back = refused(services.mark_available, cup, champion, cast.sara, NOW)  # said twice
    assert why(back) == ("not_absent", "I-02")
    never = refused(services.mark_available, cup, twelve[0], cast.sara, NOW)
    assert why(never) == ("not_absent", "I-02")


@db
@both
def test_who_is_barred_is_unavailable_by_himself_and_the_reason_is_said(
    cast: Cast, twelve: list[Player]
) -> None:
    """I-02, A-18: the black list closes what is played by correspondence, cups too."""
    cup = opened()
    events.ban(twelve[2], "web", NOW.date(), "12.8", cast.sara, NOW)
    events.ban(twelve[11], "web", NOW.date(), "12.8", cast.sara, NOW)  # he was not to play anyway
    field = stands(cup).field
    assert [each.player for each in field.people][-1] == twelve[10]
    assert [(each.candidate.player, each.absence) for each in field.absent] == [(twelve[2], None)]
    assert "black list" in field.absent[0].reason


@db
@both
def test_who_is_struck_off_is_not_even_named(cast: Cast, twelve: list[Player]) -> None:
    """I-02, O-16."""
    cup = opened()
    events.strike_off(twelve[8], "13.9", cast.sara, NOW)
    field = stands(cup).field
    assert twelve[8] not in [each.player for each in field.people]
    assert field.absent == ()
    page = Page(visitor().get(reverse("supercoppa", args=[2026])))
    assert "Passeggero 09" not in page.text


@db
@both
def test_fewer_than_ten_cannot_have_their_dice(cast: Cast, twelve: list[Player]) -> None:
    """I-01, SUP-03: of twelve three do not play."""
    cup = opened()
    for player in twelve[1:4]:
        services.mark_unavailable(cup, player, "Rinuncia", cast.sara, NOW)
    assert len(stands(cup).field.people) == 9
    refusal = refused(services.draw_tables, cup, NOW + HOUR, cast.sara, NOW)
    assert why(refusal) == ("not_enough_players", "I-01")
    assert "9" in str(refusal.text)


# --- the dice -------------------------------------------------------------------------------------


@db
@both
def test_the_dice_are_promised_to_the_ten_in_their_order(cast: Cast, twelve: list[Player]) -> None:
    """I-03, I-05: log-ins by mail, the others by name; the die has twelve sides."""
    cup = services.draw_tables(opened(), NOW + HOUR, cast.sara, NOW)
    assert cup.draw
    people = list(cup.draw.contributions.all())
    assert [c.label for c in people] == [
        cast.bruno.name,
        *(str(player) for player in ten_of(twelve)[1:]),
    ]
    assert [c.user for c in people] == [cast.bruno, *[None] * 9]
    assert (cup.draw.sides, cup.draw.count) == (12, 60)
    assert Email.objects.filter(key=f"draw:{cup.draw.pk}:open:1").exists()
    again = refused(services.draw_tables, cup, NOW + HOUR, cast.sara, NOW)
    assert why(again) == ("draw_opened", "I-03")


@db
@both
def test_homonyms_are_told_apart_in_the_draw(cast: Cast, twelve: list[Player]) -> None:
    """I-03: a draw takes no name twice."""
    Player.objects.filter(pk__in=[p.pk for p in twelve[1:4]]).update(surname="Rotaia", name="Rosa")
    cup = services.draw_tables(opened(), NOW + HOUR, cast.sara, NOW)
    assert cup.draw
    labels = [c.label for c in cup.draw.contributions.all()]
    assert [x for x in labels if "Rotaia" in x] == [
        "Rotaia Rosa",
        "Rotaia Rosa (2)",
        "Rotaia Rosa (3)",
    ]


@db
@both
def test_titles_are_two_at_least_and_each_seats_five(cast: Cast, twelve: list[Player]) -> None:
    """I-05."""
    cup = opened()
    Title.objects.exclude(code="1830").update(cup_title=False)
    refusal = refused(services.draw_tables, cup, NOW + HOUR, cast.sara, NOW)
    assert why(refusal) == ("too_few_titles", "I-05")
    Title.objects.filter(code="1849").update(cup_title=True, max_players=4)
    refusal = refused(services.draw_tables, cup, NOW + HOUR, cast.sara, NOW)
    assert why(refusal) == ("title_seats", "I-05")


@db
@both
def test_the_throws_give_titles_and_tables(cast: Cast, twelve: list[Player]) -> None:
    """I-03, I-05: what THROWS give, by hand."""
    cup = thrown(opened())
    drawn = stands(cup).drawn
    assert drawn
    assert (drawn.semifinal.code, drawn.final.code) == ("1849", "1856")
    assert [candidate.player for candidate, _t in drawn.order] == [twelve[n - 1] for n in ORDER]
    assert [throws for _c, throws in drawn.order][:4] == [(12,), (11, 2), (11, 1), (9,)]
    assert drawn.used == 13


@db
@both
def test_the_field_is_fixed_with_the_promise(cast: Cast, twelve: list[Player]) -> None:
    """I-03: what happens to the standings later changes nobody's place."""
    cup = services.draw_tables(opened(), NOW + HOUR, cast.sara, NOW)
    Honour.objects.filter(award="specialty").delete()
    Title.objects.filter(code="1830").update(cup_title=False)
    found = stands(cup)
    assert [each.player for each in found.field.people] == ten_of(twelve)
    assert [title.code for title in found.titles] == FOUR
    assert found.field.people[1].specialties[0].code == "1830"


@db
@both
def test_what_the_year_before_is_corrected_to_and_who_is_renamed_leave_the_field_frozen(
    cast: Cast, twelve: list[Player]
) -> None:
    """I-01, I-03: an event found again puts Passeggero 12 level with Bruno, so 02 is third."""
    cup = services.draw_tables(opened(), NOW + HOUR, cast.sara, NOW)
    frozen, titles = cup.frozen, dict(Title.objects.values_list("code", "pk"))
    assert frozen["titles"] == [titles[code] for code in FOUR]
    assert (frozen["proclaimed"], frozen["absent"]) == (True, [])
    assert [row["player"] for row in frozen["field"]] == [each.pk for each in ten_of(twelve)]
    assert [(row["champion"], row["specialties"], row["place"]) for row in frozen["field"]] == [
        (True, [titles["1849"]], 1),
        (False, [titles["1830"]], 9),
        (False, [titles["1849"]], 4),
        *((False, [], place) for place in (2, 3, 5, 6, 7, 8, 10)),
    ]
    year = services.reopen_season(make_season(2025), "Un raduno ritrovato", cast.sara, NOW)
    make_past({twelve[11]: 75}, LAST, name="Raduno ritrovato")
    services.close_season(year, cast.sara, NOW)
    Player.objects.filter(pk=twelve[1].pk).update(surname="Rotaia", name="Rosa")
    places = {each.player: each.row.place for each in services.absolute_of(year).rows}
    assert places[twelve[1]] == 3
    found = stands(cup)
    assert found.cup.frozen == frozen
    assert [each.player for each in found.field.people] == ten_of(twelve)
    assert (str(found.field.people[3].player), found.field.people[3].place) == ("Rotaia Rosa", 2)
    text = Page(visitor().get(address())).text
    assert "Rotaia Rosa Place 2 of the absolute" in text
    assert "Passeggero 12" not in text
    cup = services.take_back_draw(cup, "L'assoluta è cambiata", cast.sara, NOW)
    assert (cup.frozen, twelve[11] in [x.player for x in stands(cup).field.people]) == ({}, True)


@db
@both
def test_dice_are_given_up_before_they_are_thrown_or_when_one_cannot_play(
    cast: Cast, twelve: list[Player]
) -> None:
    """I-03: thrown, they stand as long as the ten can play."""
    cup = services.draw_tables(opened(), NOW + HOUR, cast.sara, NOW)
    give_up = services.take_back_draw
    assert why(refused(give_up, cup, " ", cast.sara, NOW)) == ("reason_missing", "I-03")
    give_up(cup, "L'ora era sbagliata", cast.sara, NOW)
    assert refused(give_up, cup, "Ancora", cast.sara, NOW).reason == "no_draw"
    cup = thrown(cup)
    assert why(refused(give_up, cup, "Non piace", cast.sara, NOW)) == ("draw_stands", "I-03")
    services.mark_unavailable(cup, twelve[1], "Malato", cast.sara, NOW)
    form = partial(services.form_tables, cup, cast.director, NOW.date(), NOW.date())
    assert why(refused(form, cast.sara, NOW + 2 * HOUR)) == ("field_broken", "I-02")
    give_up(cup, "Un giocatore è malato", cast.sara, NOW)
    found = stands(cup)
    assert [reason for _draw, reason in found.draws] == [
        "Un giocatore è malato",
        "L'ora era sbagliata",
    ]
    assert [each.player for each in found.field.people][-1] == twelve[10]
    assert found.stage == Stage.FIELD


@db
@both
def test_who_was_absent_before_the_promise_comes_back_only_without_it(
    cast: Cast, twelve: list[Player]
) -> None:
    """I-02."""
    cup = opened()
    services.mark_unavailable(cup, twelve[8], "Rinuncia", cast.sara, NOW)
    cup = services.draw_tables(cup, NOW + HOUR, cast.sara, NOW)
    assert [each.reason for each in stands(cup).field.absent] == ["Rinuncia"]
    back = refused(services.mark_available, cup, twelve[8], cast.sara, NOW)
    assert why(back) == ("draw_opened", "I-02")
    services.mark_unavailable(cup, twelve[1], "Malato", cast.sara, NOW)
    assert [x.candidate.player for x in services.missing_of(stands(cup).field)] == [twelve[1]]
    services.mark_available(cup, twelve[1], cast.sara, NOW)
    assert services.missing_of(stands(cup).field) == []


@db
@both
def test_throws_that_ran_out_are_given_up(cast: Cast, twelve: list[Player]) -> None:
    """I-03: all of them level for ever."""
    cup = thrown(opened(), [1] * 60)
    assert stands(cup).ran_out
    form = partial(services.form_tables, cup, cast.director, NOW.date(), NOW.date())
    assert why(refused(form, cast.sara, NOW + 2 * HOUR)) == ("throws_ran_out", "I-03")
    services.take_back_draw(cup, "Tutti pari", cast.sara, NOW)


# --- the semifinals -------------------------------------------------------------------------------


@db
@both
def test_the_tables_are_those_of_the_dice(cast: Cast, twelve: list[Player]) -> None:
    """I-03, I-05: an event of two prove, the ten enrolled, nothing left to seat but the final."""
    cup = opened()
    waiting = services.draw_tables(cup, NOW + HOUR, cast.sara, NOW)
    rest = (date(2026, 3, 20), date(2026, 6, 30), cast.sara, NOW + 2 * HOUR)
    form = services.form_tables
    assert why(refused(form, waiting, cast.director, *rest)) == ("draw_open", "I-03")
    assert waiting.draw
    base.reveal_draw(waiting.draw.pk, NOW + HOUR)
    Draw.objects.update(throws=[*THROWS, *[1] * 47])
    stranger = refused(form, cup, cast.bruno.player, *rest)
    assert why(stranger) == ("director_not_referee", "A-08")
    event = form(cup, cast.director, *rest)
    assert (event.kind, event.name, event.status) == ("cup", "Supercoppa 2026", "running")
    assert [p.title.code for p in event.prove.order_by("order")] == ["1849", "1856"]
    tables = tables_of(event)
    assert [people_at(table) for table in tables] == [
        [twelve[n - 1] for n in ORDER[:5]],
        [twelve[n - 1] for n in ORDER[5:]],
    ]
    assert Email.objects.filter(key__startswith="seating:").count() == 1  # Bruno's
    assert why(refused(form, cup, cast.director, *rest)) == ("tables_formed", "I-03")
    late = refused(services.mark_unavailable, cup, twelve[1], "Malato", cast.sara, NOW)
    assert late.reason == "tables_formed"
    assert refused(services.take_back_draw, cup, "No", cast.sara, NOW).reason == "tables_formed"


@db
@both
def test_who_was_barred_since_the_dice_is_named_and_nothing_is_made(
    cast: Cast, twelve: list[Player]
) -> None:
    """I-02, A-18: from a day after today, when the event begins."""
    cup = thrown(opened())
    events.ban(twelve[2], "events", date(2026, 3, 18), "13.4", cast.sara, NOW, count=2)
    refusal = refused(
        services.form_tables,
        cup,
        cast.director,
        date(2026, 3, 20),
        date(2026, 6, 30),
        cast.sara,
        NOW + 2 * HOUR,
    )
    assert (refusal.reason, refusal.rule) == ("suspended_open", "A-18")
    assert "Passeggero 03" in str(refusal.text)


@db
@both
def test_tables_are_taken_back_until_a_result_is_in(cast: Cast, twelve: list[Player]) -> None:
    """I-03: formed again they are the same, of the same dice."""
    cup = opened()
    event = seated(cup)
    services.take_back_tables(cup, "Il direttore non può", cast.sara, NOW)
    event.refresh_from_db()
    assert (event.status, event.status_note) == ("cancelled", "Il direttore non può")
    assert stands(cup).stage == Stage.DRAW
    days = (date(2026, 3, 20), date(2026, 6, 30))
    again = services.form_tables(cup, cast.judge, *days, cast.sara, NOW + 3 * HOUR)
    assert again.name == "Supercoppa 2026 (2)"
    assert [people_at(t) for t in tables_of(again)] == [people_at(t) for t in tables_of(event)]
    record(tables_of(again)[0], 8000, 7000, 6000, 5000, 4000, by=cast.sara)
    late = refused(services.take_back_tables, cup, "No", cast.sara, NOW)
    assert why(late) == ("results_in", "B-15")


# --- the final ------------------------------------------------------------------------------------


@db
@both
def test_the_final_is_of_the_first_two_and_the_best_third(cast: Cast, twelve: list[Player]) -> None:
    """I-04: thirds 6000/8000 = 750 and 7000/9000 = 777.78. Seats 1-3 of each table lead it."""
    cup = opened()
    event = seated(cup)
    assert why(refused(services.form_final, cup, cast.sara, NOW)) == ("results_missing", "I-04")
    for table, totals in zip(tables_of(event), ("87654", "98721"), strict=True):
        record(table, *(int(digit) * 1000 for digit in totals), by=cast.sara)
    services.form_final(cup, cast.sara, NOW)
    five = [twelve[ORDER[n] - 1] for n in (0, 5, 1, 6, 7)]
    assert people_at(final_of(event)) == five
    found = stands(cup)
    assert (found.stage, found.outdated) == (Stage.FINAL, False)
    assert found.finalists[-1].step["own"] == Decimal("777.78")
    assert why(refused(services.form_final, cup, cast.sara, NOW)) == ("final_formed", "I-04")


@db
@both
def test_the_final_is_never_on_the_title_of_the_semifinals(
    cast: Cast, twelve: list[Player]
) -> None:
    """I-05: also when the prova was amended behind the back of the verbs."""
    cup = opened()
    event = semifinals_played(cup)
    event.prove.filter(order=2).update(title=Title.objects.get(code="1849"))
    assert why(refused(services.form_final, cup, cast.sara, NOW)) == ("same_title", "I-05")


def unplaced() -> None:
    """As if the ten had all been champions with no place in the absolute."""
    cup = Cup.objects.get()
    for row in cup.frozen["field"]:
        row["place"] = None
    cup.save()


@db
@both
def test_level_thirds_throw_a_die(cast: Cast, twelve: list[Player]) -> None:
    """I-04: 6000/8000 = 4500/6000 = 750.00, and neither is in the absolute of 2025.

    The third of table A is Passeggero 09 (third of ORDER), that of B Passeggero 07. They are told
    apart by the absolute, 7th before 9th; when it says nothing, by the die.
    """
    cup = opened()
    event = seated(cup)
    one, other = tables_of(event)
    record(one, 8000, 7000, 6000, 5000, 4000, by=cast.sara)
    record(other, 6000, 5000, 4500, 3000, 2000, by=cast.sara)
    assert stands(cup).finalists[-1].player == twelve[6]
    assert refused(services.draw_final, cup, NOW + HOUR, cast.sara, NOW).reason == "nobody_tied"
    unplaced()
    assert set(stands(cup).tied) == {twelve[8], twelve[6]}
    assert why(refused(services.form_final, cup, cast.sara, NOW)) == ("die_needed", "I-04")
    draw = services.draw_final(cup, NOW + HOUR, cast.sara, NOW)
    assert [c.label for c in draw.contributions.all()] == ["Passeggero 07", "Passeggero 09"]
    twice = refused(services.draw_final, cup, NOW + HOUR, cast.sara, NOW)
    assert twice.reason == "draw_opened"
    base.reveal_draw(draw.pk, NOW + HOUR)
    Draw.objects.filter(pk=draw.pk).update(throws=[2, 5, *[1] * 58])
    services.form_final(cup, cast.sara, NOW + 2 * HOUR)
    assert people_at(final_of(event))[-1] == twelve[8]
    assert stands(cup).thrown == (draw,)


@db
@both
def test_level_people_throw_in_the_order_in_which_they_were_promised_the_dice(
    cast: Cast, twelve: list[Player]
) -> None:
    """I-04: 07 throws 2 and 09 throws 5, also when 07 is renamed and would come after him.

    Dice that ran out are followed by others, and the last that decide count.
    """
    cup = opened()
    event = seated(cup)
    one, other = tables_of(event)
    record(one, 8000, 7000, 6000, 5000, 4000, by=cast.sara)
    record(other, 6000, 5000, 4500, 3000, 2000, by=cast.sara)
    unplaced()
    useless = services.draw_final(cup, NOW + HOUR, cast.sara, NOW)
    base.reveal_draw(useless.pk, NOW + HOUR)
    Draw.objects.filter(pk=useless.pk).update(throws=[1] * 60)
    assert set(stands(cup).tied) == {twelve[6], twelve[8]}
    draw = services.draw_final(cup, NOW + 3 * HOUR, cast.sara, NOW + 2 * HOUR)
    assert [each.players for each in cup.other_draws.all()] == [[twelve[6].pk, twelve[8].pk]] * 2
    Player.objects.filter(pk=twelve[6].pk).update(surname="Zeta", sort_key="zeta")
    base.reveal_draw(draw.pk, NOW + 3 * HOUR)
    Draw.objects.filter(pk=draw.pk).update(throws=[2, 5, *[1] * 58])
    found = stands(cup)
    assert found.thrown == (draw, useless)
    assert found.finalists[-1].player == twelve[8]


@db
@both
def test_all_that_is_read_is_kept_outside_the_log(cast: Cast, twelve: list[Player]) -> None:
    """I-02..I-04: the log is for people: without it the Supercoppa is what it was."""
    cup = services.draw_tables(opened(), NOW + HOUR, cast.sara, NOW)
    services.take_back_draw(cup, "L'ora era sbagliata", cast.sara, NOW)
    services.mark_unavailable(cup, twelve[9], "In viaggio", cast.sara, NOW)
    one, other = tables_of(seated(cup))
    record(one, 8000, 7000, 6000, 5000, 4000, by=cast.sara)
    record(other, 6000, 5000, 4500, 3000, 2000, by=cast.sara)
    unplaced()
    services.draw_final(cup, NOW + HOUR, cast.sara, NOW)
    before = stands(cup)
    assert [reason for _draw, reason in before.draws] == ["L'ora era sbagliata"]
    assert [each.reason for each in before.field.absent] == ["In viaggio"]
    assert len(before.thrown) == 1
    LogEntry.objects.all()._raw_delete("default")
    assert stands(cup) == before


@db
@both
def test_a_correction_after_the_final_was_formed_is_seen_and_the_final_taken_back(
    cast: Cast, twelve: list[Player]
) -> None:
    """I-04: 6900/8000 = 862.50 against 777.78."""
    cup = opened()
    event = semifinals_played(cup)
    assert refused(services.take_back_final, cup, cast.sara, NOW).reason == "no_final"
    services.form_final(cup, cast.sara, NOW)
    first = tables_of(event)[0]
    record(first, 8000, 7000, 6900, 5000, 4000, by=cast.sara, version=1, reason="Riconteggio")
    assert stands(cup).outdated
    services.take_back_final(cup, cast.sara, NOW)
    assert stands(cup).stage == Stage.SEMIFINALS
    services.form_final(cup, cast.sara, NOW)
    assert people_at(final_of(event))[-1] == twelve[8]
    record(final_of(event), 9, 8, 7, 6, 5, by=cast.sara)
    assert refused(services.take_back_final, cup, cast.sara, NOW).reason == "results_in"


@db
@both
def test_who_took_a_seat_over_goes_to_the_final(cast: Cast, twelve: list[Player]) -> None:
    """I-04, C-13: a substitute has the whole score, and is enrolled for the final."""
    cup = opened()
    event = seated(cup)
    one, other = tables_of(event)
    seat = one.seats.get(position=1)
    events.hand_over(seat, twelve[11], "substitute", cast.sara, NOW)
    record(tables_of(event)[0], 8000, 7000, 6000, 5000, 4000, by=cast.sara)
    record(other, 9000, 8000, 7000, 2000, 1000, by=cast.sara)
    services.form_final(cup, cast.sara, NOW)
    assert people_at(final_of(event))[0] == twelve[11]


@db
@both
def test_who_is_struck_off_after_the_dice_is_out_of_the_ten_and_unnamed(
    cast: Cast, twelve: list[Player]
) -> None:
    """I-02, O-16: the dice can be given up, and no page says who he was."""
    cup = thrown(opened())
    events.strike_off(twelve[8], "13.9", cast.sara, NOW)
    assert [x.candidate.player for x in services.missing_of(stands(cup).field)] == [twelve[8]]
    text = Page(visitor(cast.sara).get(address())).text
    assert "Passeggero 09" not in text
    assert "One of the ten cannot play any more." in text
    services.take_back_draw(cup, "Un giocatore è radiato", cast.sara, NOW)
    assert twelve[10] in [each.player for each in stands(cup).field.people]


# --- the winner -----------------------------------------------------------------------------------


@db
@both
def test_the_winner_of_the_final_has_the_cup(cast: Cast, twelve: list[Player]) -> None:
    """I-07: in the roll of honour of the year in which it was played."""
    cup = opened()
    conclude = services.conclude_supercoppa
    assert refused(conclude, cup, cast.sara, NOW).reason == "no_tables"
    event = semifinals_played(cup)
    assert why(refused(conclude, cup, cast.sara, NOW)) == ("no_final", "I-04")
    services.form_final(cup, cast.sara, NOW)
    assert why(refused(conclude, cup, cast.sara, NOW)) == ("results_missing", "I-07")
    record(final_of(event), 7000, 9000, 6000, 5000, 4000, by=cast.sara)
    (honour,) = conclude(cup, cast.sara, NOW)
    assert (honour.season.year, honour.award, honour.player, honour.by_hand) == (
        2026,
        "supercoppa",
        twelve[4],
        False,
    )
    assert why(refused(conclude, cup, cast.sara, NOW)) == ("already_written", "I-07")
    record(final_of(event), 9100, 9000, 6000, 5000, 4000, by=cast.sara, version=1, reason="Conto")
    assert stands(cup).disputed
    services.take_back_winner(cup, "Riconteggio", cast.sara, NOW)
    assert refused(services.take_back_winner, cup, "x", cast.sara, NOW).reason == "no_winner"
    conclude(cup, cast.sara, NOW)
    assert not stands(cup).disputed
    events.close_event(event, cast.sara, NOW)
    assert stands(cup).stage == Stage.WINNER


@db
@both
def test_equals_share_the_cup_or_the_federation_decides_with_a_note(
    cast: Cast, twelve: list[Player]
) -> None:
    """I-07."""
    cup = opened()
    event = semifinals_played(cup)
    services.form_final(cup, cast.sara, NOW)
    table = final_of(event)
    record(table, 9000, 9000, 6000, 5000, 4000, by=cast.sara, tie_checked=True)
    one, other, third, *_rest = people_at(table)
    assert one
    assert other
    assert third
    conclude = partial(services.conclude_supercoppa, cup, cast.sara, NOW)
    assert why(refused(conclude, decided=[third], note="x")) == ("not_first", "I-07")
    assert why(refused(conclude, decided=[one])) == ("reason_missing", "I-07")
    shared = conclude()
    assert [(h.player, h.by_hand, h.note) for h in shared] == [(one, False, ""), (other, False, "")]
    services.take_back_winner(cup, "La federazione decide", cast.sara, NOW)
    (alone,) = conclude(decided=[other], note="Spareggio al tavolo")
    assert (alone.player, alone.by_hand, alone.note) == (other, True, "Spareggio al tavolo")
    assert not stands(cup).disputed


@db
@both
def test_a_whole_supercoppa_moves_no_standing(cast: Cast, twelve: list[Player]) -> None:
    """I-06, E-05, H-07: not the ranking, not the absolute, no specialty, of either year."""

    def standings() -> list[Any]:
        found: list[Any] = []
        for year in (2025, 2026):
            season = make_season(year)
            found.append([(r.row.key, r.row.total) for r in services.absolute_of(season).rows])
            pages = services.specialties(season, services.specialties_of(season))
            found.append({t: [r.row for r in page.rows] for t, page in pages.items()})
        for day in (date(2026, 3, 13), date(2026, 7, 1), date(2026, 12, 31)):
            page = services.ranking_on(day)
            found.append([(r.player.pk, r.place, r.points, r.wins) for r in page.rows])
        return found

    before = standings()
    cup = opened()
    event = semifinals_played(cup)
    services.form_final(cup, cast.sara, NOW)
    record(final_of(event), 7000, 9000, 6000, 5000, 4000, by=cast.sara)
    services.conclude_supercoppa(cup, cast.sara, NOW)
    events.close_event(event, cast.sara, NOW)
    assert standings() == before


# --- many hands at once ---------------------------------------------------------------------------


@pytest.mark.django_db(transaction=True)
def test_of_two_who_do_the_same_one_does_it(cast: Cast, twelve: list[Player]) -> None:
    """I-01..I-07: each step from two windows at once: once done, once refused."""

    def twice(deed: Callable[[], object]) -> str:
        outcome = at_once(deed, deed)
        wrong = [each for each in outcome if isinstance(each, Exception)]
        assert len(wrong) == 1, outcome
        assert isinstance(wrong[0], Refused), wrong
        return wrong[0].reason

    season = make_season(2026)
    assert twice(lambda: services.open_supercoppa(season, cast.sara, NOW)) == "cup_exists"
    cup = Cup.objects.get()
    assert twice(lambda: services.draw_tables(cup, NOW + HOUR, cast.sara, NOW)) == "draw_opened"
    assert Draw.objects.count() == 1
    base.reveal_draw(Draw.objects.get().pk, NOW + HOUR)
    Draw.objects.update(throws=[*THROWS, *[1] * 47])
    days = (date(2026, 3, 20), date(2026, 6, 30))
    form = partial(services.form_tables, cup, cast.director, *days, cast.sara, NOW + 2 * HOUR)
    assert twice(form) == "tables_formed"
    event = Event.objects.get(kind="cup")
    for table, totals in zip(tables_of(event), ("87654", "98721"), strict=True):
        record(table, *(int(digit) * 1000 for digit in totals), by=cast.sara)
    assert twice(lambda: services.form_final(cup, cast.sara, NOW)) == "final_formed"
    record(final_of(event), 7000, 9000, 6000, 5000, 4000, by=cast.sara)
    conclude = partial(services.conclude_supercoppa, cup, cast.sara, NOW)
    assert twice(conclude) == "already_written"
    assert Honour.objects.filter(award="supercoppa").count() == 1


# --- the pages ------------------------------------------------------------------------------------

DEEDS = (
    *("assenza", "rientro", "sorteggio", "rinuncia-al-sorteggio", "tavoli", "ritiro-dei-tavoli"),
    *("spareggio", "finale", "ritiro-della-finale", "vincitore", "ritiro-del-vincitore", "ritiro"),
)


def address(deed: str = "") -> str:
    if deed:
        return reverse("supercoppa_deed", args=[2026, deed])
    return reverse("supercoppa", args=[2026])


def five_shown(client: Any) -> str:
    """Whom the button of the final carries."""
    return str(Page(client.get(address())).boxes["seen"])


@db
@both
def test_only_a_secretary_does_anything(cast: Cast, twelve: list[Player]) -> None:
    opened()
    before = state()
    for user, status in ((None, 302), (cast.dino, 404), (cast.bruno, 404), (cast.alice, 404)):
        client = visitor(user)
        for deed in DEEDS:
            assert client.post(address(deed), {"reason": "x"}).status_code == status
        assert client.post(reverse("supercoppa_open"), {}).status_code == status
        page = Page(client.get(address()))
        assert page.inline == []
        assert "player" not in page.boxes
        assert not any(f"/{deed}/" in link for deed in DEEDS for link in page.links)
    assert state() == before
    assert visitor(cast.sara).post(address("binario")).status_code == 404
    assert visitor(cast.sara).get(address("tavoli")).status_code == 302
    for year in (1999, 2025, 99999, 10**30):
        assert visitor(cast.sara).get(f"/supercoppa/{year}/").status_code == 404
        assert visitor(cast.sara).post(f"/supercoppa/{year}/finale/").status_code == 404


@db
@both
def test_what_cannot_be_is_said_at_the_field_and_nothing_is_written(
    cast: Cast, twelve: list[Player]
) -> None:
    """Bad input of every form: 422, words, nothing half-written."""
    sara = visitor(cast.sara)
    season = make_season(2026)
    opening = reverse("supercoppa_open")
    for data in (
        {},
        {"season": "x"},
        {"season": "9" * 40},
        {"season": season.pk, "note": "x" * 999},
    ):
        assert sara.post(opening, data).status_code == 422
    assert not Cup.objects.exists()
    assert sara.post(opening, {"season": season.pk}).status_code == 302
    wrong: list[tuple[str, dict[str, Any]]] = [
        ("assenza", {}),
        ("assenza", {"player": "x", "reason": "Rinuncia"}),
        ("assenza", {"player": "9" * 40, "reason": "Rinuncia"}),
        ("assenza", {"player": twelve[11].pk, "reason": "Rinuncia"}),
        ("assenza", {"player": twelve[1].pk, "reason": ""}),
        ("assenza", {"player": twelve[1].pk, "reason": "\x00"}),
        ("rientro", {"player": "x"}),
        ("sorteggio", {"closes_at": "domani"}),
        ("sorteggio", {"closes_at": "2020-01-01T10:00"}),
        ("sorteggio", {"closes_at": "9999-12-31T23:59"}),
        ("rinuncia-al-sorteggio", {"reason": "No"}),
        ("tavoli", {"director": "x", "starts_on": "mai", "ends_on": ""}),
        (
            "tavoli",
            {"director": cast.director.pk, "starts_on": "2026-04-01", "ends_on": "2026-05-01"},
        ),
        ("ritiro-dei-tavoli", {"reason": "No"}),
        ("spareggio", {"closes_at": "2026-04-01T10:00"}),
        ("finale", {}),
        ("finale", {"seen": "x"}),
        ("finale", {"seen": "1,2"}),
        ("ritiro-della-finale", {}),
        ("vincitore", {"winners": ["1"]}),
        ("vincitore", {}),
        ("ritiro-del-vincitore", {"reason": "No"}),
    ]
    before = state()
    for deed, data in wrong:
        answer = sara.post(address(deed), data)
        assert answer.status_code == 422, (deed, data)
        assert "Nothing was changed" in Page(answer).text
    assert state() == before
    assert sara.post(address("rientro"), {"player": "9" * 18}).status_code == 404


@pytest.fixture
def today() -> datetime:
    """The pages read the clock; the story begins now."""
    from django.utils import timezone

    return timezone.now()


WORDS = {
    "en": {
        "title": "Specialty Champion 1830",
        "absolute": "Absolute Champion",
        "place": "Place 2 of the absolute",
        "third": "Best third: percentile 777.78 against 750.",
    },
    "it": {
        "title": "Campione di specialità 1830",
        "absolute": "Campione",
        "place": "2º posto dell'assoluta",
        "third": "Miglior terzo: percentile 777,78 contro 750.",
    },
}


@db
@both
def test_the_whole_story_through_its_pages(
    cast: Cast, twelve: list[Player], today: datetime
) -> None:
    """I-01..I-07: from the list of the years to the name on the cup, each button pressed twice."""
    sara, anybody = visitor(cast.sara), visitor()

    def press(deed: str, **data: Any) -> None:
        """As a phone that lost the network: the second time nothing more happens, and no error."""
        answer = sara.post(address(deed), data)
        assert answer.status_code == 302, Page(answer).text
        before = state()
        assert sara.post(address(deed), data).status_code in {302, 422}
        assert state() == before

    year = make_season(2026).pk
    assert sara.post(reverse("supercoppa_open"), {"season": year}).status_code == 302
    assert sara.post(reverse("supercoppa_open"), {"season": year}).status_code == 422
    press("assenza", player=twelve[9].pk, reason="In viaggio")
    text = Page(anybody.get(address())).text
    assert "Passeggero 10 (Place 10 of the absolute): In viaggio" in text
    press("rientro", player=twelve[9].pk)
    assert "In viaggio" not in Page(anybody.get(address())).text
    for words in ("title", "absolute", "place"):
        assert WORDS["en"][words] in Page(anybody.get(address())).text
    closes_at = (today + timedelta(days=1)).strftime("%Y-%m-%dT%H:%M")
    press("sorteggio", closes_at=closes_at)
    draw = Draw.objects.get()
    assert reverse("draw", args=[draw.pk]) in Page(anybody.get(address())).links
    base.reveal_draw(draw.pk, draw.closes_at)
    Draw.objects.update(throws=[*THROWS, *[1] * 47])
    text = Page(anybody.get(address())).text
    assert "The first die shows 5: semifinals on 1849, final on 1856." in text
    assert "11, 2" in text
    first, last = date(2026, 3, 20), date(2026, 12, 30)
    press("tavoli", director=cast.director.pk, starts_on=first, ends_on=last)
    event = Event.objects.get(kind="cup")
    a, b = tables_of(event)
    assert {table.get_absolute_url() for table in (a, b)} <= set(Page(anybody.get(address())).links)
    for table, totals in zip((a, b), ("87654", "98721"), strict=True):
        record(table, *(int(digit) * 1000 for digit in totals), by=cast.sara)
    assert WORDS["en"]["third"] in Page(anybody.get(address())).text
    press("finale", seen=five_shown(sara))
    table = final_of(event)
    assert table.get_absolute_url() in Page(anybody.get(address())).links
    record(table, 7000, 9000, 6000, 5000, 4000, by=cast.sara)
    press("vincitore")
    assert "Winner Passeggero 05" in Page(anybody.get(address())).text
    assert "Passeggero 05" in Page(anybody.get(reverse("supercoppa_list"))).text
    assert Page(anybody.get(address())).inline == []


@db
@both
def test_the_page_speaks_italian(cast: Cast, twelve: list[Player]) -> None:
    cup = opened()
    semifinals_played(cup)
    page = Page(visitor(None, "it").get(address()))
    for words in WORDS["it"].values():
        assert words in page.text
    assert "Semifinali" in page.text


@db
@both
def test_a_cancelled_event_is_said_and_the_tables_can_be_formed_again(
    cast: Cast, twelve: list[Player]
) -> None:
    """I-03: cancelled on its own page."""
    cup = opened()
    event = seated(cup)
    events.set_status(event, "cancelled", cast.sara, NOW, reason="Server fermo")
    page = Page(visitor(cast.sara).get(address()))
    assert "Server fermo" in page.text
    refusal = refused(services.form_final, cup, cast.sara, NOW)
    assert refusal.reason == "event_not_running"
    answer = visitor(cast.sara).post(address("ritiro-dei-tavoli"), {"reason": "Si rifà"})
    assert answer.status_code == 302
    assert stands(cup).stage == Stage.DRAW


# --- what the page says besides -------------------------------------------------------------------


@db
@both
def test_a_closed_season_has_no_supercoppa_to_open(cast: Cast, twelve: list[Player]) -> None:
    """I-01, F-08: the page offers 2026 and not 2025, which is closed; the verb refuses it too."""
    make_season(2024)
    closed = make_season(2025)
    found = refused(services.open_supercoppa, closed, cast.sara, NOW, provisional=True, note="x")
    assert why(found) == ("season_closed", "F-08")
    sara = visitor(cast.sara)
    offered = sara.get(reverse("supercoppa_list")).context["form"].fields["season"].queryset
    assert [season.year for season in offered] == [2026, 2024]
    before = state()
    answer = sara.post(reverse("supercoppa_open"), {"season": closed.pk})
    assert (answer.status_code, state()) == (422, before)
    assert "Choose a season of the list." in Page(answer).text


@db
@both
def test_the_final_is_of_the_five_whom_the_page_showed_or_is_refused(
    cast: Cast, twelve: list[Player]
) -> None:
    """I-04: 6900/8000 = 862.50 against 777.78: after the page was read, 09 passes in place of 07.

    The refusal names the new five, and its page carries them.
    """
    cup = opened()
    event = semifinals_played(cup)
    sara = visitor(cast.sara)
    seen = five_shown(sara)
    assert set(seen.split(",")) == {str(twelve[n - 1].pk) for n in (1, 4, 5, 6, 7)}
    first = tables_of(event)[0]
    record(first, 8000, 7000, 6900, 5000, 4000, by=cast.sara, version=1, reason="Riconteggio")
    before = state()
    stale = sara.post(address("finale"), {"seen": seen})
    assert (stale.status_code, state()) == (422, before)
    page = Page(stale)
    now = "Passeggero 09"
    assert "The results were corrected meanwhile. Now these would go to the final:" in page.text
    told = page.text.split("Now these would go to the final:")[1].split(".")[0]
    assert now in told
    assert "Passeggero 07" not in told
    again = str(page.boxes["seen"])
    assert set(again.split(",")) == {str(twelve[n - 1].pk) for n in (1, 4, 5, 6, 9)}
    assert sara.post(address("finale"), {"seen": again}).status_code == 302
    assert people_at(final_of(event))[-1] == twelve[8]
    assert why(refused(services.form_final, cup, cast.sara, NOW, seen=[1]))[0] == "final_formed"


@db
@both
def test_who_sits_in_the_final_and_who_would_now_are_told_apart(
    cast: Cast, twelve: list[Player]
) -> None:
    """I-04: as above, but the final is formed already; then a semifinal has no result any more."""
    cup = opened()
    event = semifinals_played(cup)
    services.form_final(cup, cast.sara, NOW)
    first = tables_of(event)[0]
    record(first, 8000, 7000, 6900, 5000, 4000, by=cast.sara, version=1, reason="Riconteggio")
    text = Page(visitor().get(address())).text
    told = text.split("The players seated in the final are others: now ")[1]
    told = told.split(" would go there.")[0]
    bruno = str(cast.bruno.player)
    assert set(told.split(", ")) == {bruno, *(f"Passeggero 0{n}" for n in (4, 5, 6, 9))}
    seated_there = text.split("Seated in the final:")[1].split("Semifinals")[0]
    assert "Passeggero 07" in seated_there
    assert "Passeggero 09" not in seated_there


@db
@both
def test_who_is_one_of_the_ten_is_asked_for_his_word_on_the_page(
    cast: Cast, twelve: list[Player], today: datetime
) -> None:
    """I-03: Bruno is of the ten and has a log-in; once he has spoken, or for others, nothing."""
    cup = services.draw_tables(opened(), today + HOUR, cast.sara, today)
    assert cup.draw
    asked = "The draw waits for your word"
    page = Page(visitor(cast.bruno).get(address()))
    assert asked in page.text
    assert "Give a word" in page.text
    assert reverse("draw", args=[cup.draw.pk]) in page.links
    for user in (None, cast.dino, cast.sara):
        assert asked not in Page(visitor(user).get(address())).text
    base.contribute(cup.draw, cast.bruno, "fischio", today)
    assert asked not in Page(visitor(cast.bruno).get(address())).text


@db
@both
def test_who_runs_the_event_enters_results_and_names_referees_from_the_page(
    cast: Cast, twelve: list[Player]
) -> None:
    """I-03, A-08, C-13: director and secretary; the tables are called as their own pages do."""
    cup = opened()
    event = seated(cup)
    a, b = tables_of(event)
    doors = {reverse("table_result", args=[table.pk]) for table in (a, b)}
    names = {reverse("table_referee", args=[table.pk]) for table in (a, b)}
    text = Page(visitor().get(address())).text
    assert "Table A (1)" in text
    assert "Table B (2)" in text
    for user in (cast.sara, cast.alice):
        page = Page(visitor(user).get(address()))
        assert doors | names <= set(page.links)
        assert "No referee yet: the technical director names one." in page.text
    for other in (None, cast.bruno, cast.dino):
        assert not (doors | names) & set(Page(visitor(other).get(address())).links)
    record(a, 8000, 7000, 6000, 5000, 4000, by=cast.sara)
    events.name_referee(reread(b), cast.director, "", cast.alice, NOW)
    page = Page(visitor(cast.alice).get(address()))
    assert doors & set(page.links) == {reverse("table_result", args=[b.pk])}
    assert not names & set(page.links)
    assert f"Referee: {cast.director}." in page.text


@db
@both
def test_the_button_back_refuses_who_was_never_absent(cast: Cast, twelve: list[Player]) -> None:
    """I-02."""
    opened()
    before = state()
    answer = visitor(cast.sara).post(address("rientro"), {"player": twelve[3].pk})
    assert (answer.status_code, state()) == (422, before)
    assert "Passeggero 04 is not marked unavailable" in Page(answer).text


# --- the event of a cup ---------------------------------------------------------------------------


@db
@both
def test_a_cup_shows_no_event_points(cast: Cast, twelve: list[Player]) -> None:
    """I-06, E-05: the same event as a live one has them, by D-05."""
    cup = opened()
    event = semifinals_played(cup)
    services.form_final(cup, cast.sara, NOW)
    record(final_of(event), 7000, 9000, 6000, 5000, 4000, by=cast.sara)
    standing, sara = reverse("event_standing", args=[event.pk]), visitor(cast.sara)
    page = Page(sara.get(standing))
    for words in ("Event points", "by place, times", "Its points become official", "Points"):
        assert words not in page.text
    assert events.standing_of(event, {}).points == {}
    assert events.standing_of(event, {}).points_why == {}
    events.close_event(event, cast.sara, NOW)
    page = Page(sara.get(standing))
    assert "Publish this standing" not in page.text
    csv = sara.get(reverse("event_standing_csv", args=[event.pk])).content.decode()
    assert "Event points" not in csv.splitlines()[0]
    assert "FE" not in Page(sara.get(event.get_absolute_url())).text.split()
    Event.objects.filter(pk=event.pk).update(kind="live")
    page = Page(sara.get(standing))
    assert "Publish this standing" in page.text
    assert "Event points" in page.text
    found = events.standing_of(Event.objects.get(pk=event.pk), {})
    assert found.points[found.rows[0].key] == 75  # 25, and FE 3 of two prove (A-06, D-05)


@db
@both
def test_no_contribution_is_owed_for_a_cup(cast: Cast, twelve: list[Player]) -> None:
    """A-12."""
    event = seated(opened())
    sara, address = visitor(cast.sara), reverse("event_contribution", args=[event.pk])
    text = Page(sara.get(address)).text
    assert "No contribution is owed for a cup." in text
    assert "Owed, in euro" not in text
    assert address not in Page(sara.get(event.get_absolute_url())).links
    before = state()
    assert why(refused(events.contribution_of, event)) == ("cup_owes_nothing", "A-12")
    assert sara.post(address, {"state": "paid"}).status_code == 422
    assert state() == before


@db
@both
def test_what_a_cup_has_decided_is_not_altered_on_the_pages_of_its_event(
    cast: Cast, twelve: list[Player]
) -> None:
    """I-03..I-05: neither prove nor people nor tables; its own verbs still do what they do."""
    cup = opened()
    event = seated(cup)
    semifinals, final = event.prove.order_by("order")
    title, entry = Title.objects.get(code="1870"), event.entries.first()
    assert entry
    by = (cast.alice, NOW)
    round_ = semifinals.play_rounds.get()
    deeds: list[Callable[[], object]] = [
        lambda: events.add_prova(event, title, *by),
        lambda: events.amend_prova(final, title, *by),
        lambda: events.move_prova(final, *by, up=True),
        lambda: events.remove_prova(final, *by),
        lambda: events.enrol(event, twelve[11], *by),
        lambda: events.enrol_newcomer(event, "Estraneo", "Ugo", *by),
        lambda: events.withdraw(entry, *by),
        lambda: events.come_back(entry, *by),
        lambda: events.admit(entry, *by),
        lambda: events.withdraw_publication(round_, round_.edition, *by),
        lambda: events.draw_round(final, 1, {}, None, *by),
        lambda: events.amend_event(event, *by, season=make_season(2025)),
    ]
    reopened = services.reopen_season(make_season(2025), "Prova", cast.sara, NOW)
    assert reopened.closed_at is None
    for deed in deeds:
        assert refused(deed).reason == "cup_formed"
    assert event.prove.count() == 2
    services.take_back_tables(cup, "Il direttore non può", cast.sara, NOW)
    days = (date(2026, 3, 20), date(2026, 6, 30))
    again = services.form_tables(cup, cast.judge, *days, cast.sara, NOW + 3 * HOUR)
    for table, totals in zip(tables_of(again), ("87654", "98721"), strict=True):
        record(table, *(int(digit) * 1000 for digit in totals), by=cast.sara)
    services.form_final(cup, cast.sara, NOW)
    services.take_back_final(cup, cast.sara, NOW)
    services.form_final(cup, cast.sara, NOW)


@db
@both
def test_the_pages_that_would_alter_a_cup_say_no_and_nothing_leads_there(
    cast: Cast, twelve: list[Player]
) -> None:
    """I-03, A-10: for director and secretary a page that says why; for others as before."""
    event = seated(opened())
    final = event.prove.get(order=2)
    said = "is decided on the page of the cup."
    pages = [
        reverse(name, args=[event.pk])
        for name in ("event_prove", "roll_call", "entry_add", "entry_newcomer")
    ]
    before = state()
    for user in (cast.alice, cast.sara):
        client = visitor(user)
        for page in pages:
            for answer in (client.get(page), client.post(page, {"do": "add"})):
                assert answer.status_code == 422, page
                assert said in Page(answer).text
        desk = client.post(reverse("round_desk", args=[final.pk, 1]), {})
        assert desk.status_code == 422
        shown = Page(client.get(event.get_absolute_url()))
        tables = reverse("round_desk", args=[final.pk, 1])
        assert not {*pages, tables} & set(shown.links)
        assert reverse("supercoppa", args=[2026]) in shown.links
        listed = Page(client.get(reverse("entry_list", args=[event.pk])))
        assert not set(pages) & set(listed.links)
        seating = tables_of(event)[0].round.get_absolute_url()
        assert "Take the publication back" not in Page(client.get(seating)).text
        status = Page(client.get(reverse("event_status", args=[event.pk])))
        assert "Cancel the event" in status.text
        assert "planned for the year" not in status.text
    assert state() == before
    for page in pages:
        assert visitor(cast.bruno).get(page).status_code in {302, 404}


@db
@both
def test_a_cup_that_is_run_as_an_event_is_altered_as_any(cast: Cast) -> None:
    """A-10, A-11: its tables are drawn at its desk, and people come between the rounds."""
    hall = make_hall(10)
    events.amend_event(hall, cast.sara, NOW, kind="cup")
    prova = hall.prove.get()
    draft = events.draw_round(prova, 1, {}, None, cast.alice, NOW)
    assert not events.is_formed_cup(Event.objects.get(pk=hall.pk))
    events.discard_draft(draft, draft.edition, cast.alice, NOW)
    events.enrol(hall, make_player("Tardi"), cast.alice, NOW)


@db
@both
def test_the_demo_can_hold_a_supercoppa(today: datetime) -> None:
    """I-01, I-05: its ten people and its four titles are enough to promise the dice."""
    demo = Demo(today)
    demo.build()
    cup = services.open_supercoppa(demo.season, demo.secretary, today)
    cup = services.draw_tables(cup, today + HOUR, demo.secretary, today)
    assert len(stands(cup, today).field.people) == 10
    assert [title.code for title in stands(cup, today).titles] == FOUR
