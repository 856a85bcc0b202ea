"""The team championship: its rules one by one, its verbs, its pages, and a whole championship.

L-01..L-13. The values are those of the vectors, or computed by hand beside them.
"""

from __future__ import annotations

import json
from collections.abc import Callable, Sequence
from datetime import UTC, date, datetime
from decimal import Decimal
from functools import partial
from pathlib import Path
from typing import Any

import pytest
from django.db import connection
from django.test import Client
from django.test.utils import CaptureQueriesContext
from django.urls import reverse
from django.utils import timezone, translation
from hypothesis import given
from hypothesis import strategies as st

from figf.errors import Refused
from figf.models import LogEntry, User
from figf.tests.cast import (
    NOW,
    Cast,
    Page,
    at_once,
    make_cast,
    make_past,
    make_player,
    make_season,
    record,
    reread,
    visitor,
)
from rankings import services
from rankings.models import Cup, Honour, Team
from rankings.rules import teams as rules
from rankings.rules.readings import READINGS
from rankings.tests.squads import (
    assign,
    enrol,
    make_club,
    make_cup,
    make_four,
    make_members,
    make_titles,
)
from tournaments import services as tournaments
from tournaments import tests as tournaments_tests
from tournaments.models import Club, Event, Player, Removal, Table, Title
from tournaments.rules.regulation import Illegal, PlayerId

db = pytest.mark.django_db
both = pytest.mark.both
Fours = dict[rules.TeamId, Sequence[PlayerId]]
LAST = datetime(2026, 12, 31, 22, 59, tzinfo=UTC)  # a minute to midnight in Rome
AFTER = datetime(2026, 12, 31, 23, 0, tzinfo=UTC)  # midnight: 2027
VECTORS: dict[str, dict[str, Any]] = {
    case["id"]: case
    for case in json.loads(
        (Path(tournaments_tests.__file__).parent / "figf_vectors.json").read_text("utf-8")
    )["cases"]
    if case["id"].startswith("TEAM-")
}


# --- the rules ------------------------------------------------------------------------------------


def admitted(case: str) -> list[dict[str, Any]]:
    given_ = VECTORS[case]["input"]
    absolute = rules.Absolute(given_["absolute_points"], given_["absolute_place"])
    rows = rules.admission(given_["teams"], absolute, READINGS)
    return [
        {"team": r.key, "points": r.points, "places": r.places, "admitted": r.admitted}
        for r in rows
    ]


@pytest.mark.parametrize("case", ["TEAM-01", "TEAM-02"])
def test_the_five_with_the_greater_sum_are_admitted(case: str) -> None:
    """L-03, TEAM-01 and TEAM-02."""
    assert admitted(case) == VECTORS[case]["expected"]


@pytest.mark.parametrize("case", ["TEAM-F0", "TEAM-F3", "TEAM-F4", "TEAM-F5", "TEAM-F8"])
def test_every_four_guests_make_a_team(case: str) -> None:
    """L-08, TEAM-F0..F8."""
    own, free = rules.own_teams(VECTORS[case]["input"]["foreign"])
    assert {"own_teams": own, "free_to_join": free} == VECTORS[case]["expected"]


def test_a_team_of_three_is_refused() -> None:
    """L-01, TEAM-03."""
    [(_name, members)] = VECTORS["TEAM-03"]["input"]["teams"].items()
    with pytest.raises(Illegal) as illegal:
        rules.check_four(members)
    assert illegal.value.reason == VECTORS["TEAM-03"]["expected"]["error"]
    assert illegal.value.rule == "L-01"


HOME: dict[PlayerId, rules.ClubId | None] = {
    **dict.fromkeys("abcd", "Modena"),
    **dict.fromkeys("efgh", "Roma"),
    **dict.fromkeys("stuvwxyz"),
}
ROMA = rules.Enrolled("Roma", "Roma", tuple("efgh"))


def against(
    members: str, *others: rules.Enrolled, club: str | None = "Modena"
) -> list[tuple[str, str, int | None]]:
    found = rules.faults(club, list(members), HOME, others)
    return [(str(fault.reason), fault.rule, fault.seat) for fault in found]


def with_guest(key: str, guest: str, state: rules.State = "enrolled") -> rules.Enrolled:
    return rules.Enrolled(key, key, (*"123", guest), frozenset(guest), state)


@pytest.mark.parametrize(
    ("members", "others", "club", "fault"),
    [
        ("abc", [], "Modena", ("team_size", "L-01", None)),
        ("abcc", [], "Modena", ("team_member_twice", "L-01", 3)),
        ("abcd", [rules.Enrolled(9, "Modena", ())], "Modena", ("club_has_team", "L-04", None)),
        (
            "abce",
            [rules.Enrolled(9, "Roma", tuple("fghi"), state="admitted")],
            "Modena",
            ("club_admitted", "L-05", 3),
        ),
        ("abce", [ROMA], "Modena", ("in_another_team", "L-05", 3)),
        ("abce", [rules.Enrolled(9, "Roma", ())], "Modena", ("club_enrolled", "L-06", 3)),
        ("abcz", [with_guest("Bari", "z")], "Modena", ("guest_twice", "L-07", 3)),
        ("abcz", [with_guest("Bari", "z", "rejected")], "Modena", ("fished_back", "L-07", 3)),
        ("abcz", [with_guest("Bari", "z", "left_out")], "Modena", ("fished_back", "L-07", 3)),
        ("abyz", [], "Modena", ("second_guest", "L-07", 3)),
        (
            "abcz",
            [with_guest("Bari", "w"), with_guest("Pisa", "x"), with_guest("Lecce", "y")],
            "Modena",
            ("four_guests", "L-08", 3),
        ),
        ("stue", [rules.Enrolled(9, "Roma", ())], None, ("club_enrolled", "L-06", 3)),
    ],
)
def test_each_rule_refuses_by_its_number(
    members: str, others: list[rules.Enrolled], club: str | None, fault: tuple[str, str, int | None]
) -> None:
    """L-01, L-04, L-05, L-06, L-07, L-08: rules 1 to 6 of the regulation, one by one."""
    assert against(members, *others, club=club) == [fault]


def test_a_guest_whose_club_has_enrolled_since_is_no_guest() -> None:
    """L-06, L-08: of three guests one is of Roma, which has enrolled: two are left, and z joins."""
    home: dict[PlayerId, rules.ClubId | None] = {**HOME, "w": "Roma"}
    others = [with_guest("Bari", "w"), with_guest("Pisa", "x"), with_guest("Lecce", "y")]
    [full] = rules.faults("Modena", list("abcz"), home, others)
    assert (full.reason, full.data) == ("four_guests", {"guests": 4})
    assert rules.faults("Modena", list("abcz"), home, [*others, ROMA]) == ()
    assert rules.pool(others, home) == (3, 0)
    assert rules.pool(others, home, "Roma") == (2, 0)


def test_what_the_rules_allow() -> None:
    """L-04, L-06, L-07, L-08: a rejected team holds neither its club nor its club's players."""
    rejected = rules.Enrolled(9, "Roma", tuple("efgh"), state="rejected")
    assert against("abcd", ROMA) == []
    assert against("abcz", ROMA) == []
    assert against("abce", rejected) == []
    assert against("efgh", rejected, club="Roma") == []
    assert against("stuv", with_guest("Bari", "w"), club=None) == []
    assert (
        against("wxyz", rules.Enrolled(9, None, tuple("stuv"), frozenset("stuv")), club=None) == []
    )
    three = [with_guest(name, guest) for name, guest in zip(("Bari", "Pisa"), "xy", strict=True)]
    assert against("abcz", *three) == []


def test_all_that_is_wrong_is_told_at_once() -> None:
    """L-06 and L-07, each at its own player."""
    assert against("aeyz", rules.Enrolled(9, "Roma", ())) == [
        ("club_enrolled", "L-06", 1),
        ("second_guest", "L-07", 2),
        ("second_guest", "L-07", 3),
    ]


def test_the_term_is_the_last_day_of_the_year() -> None:
    """L-02."""
    rules.check_term(date(2026, 12, 31), 2027)
    rules.check_term(date(2027, 1, 1), 2027, reopened=True)
    with pytest.raises(Illegal, match=r"team_too_late \(L-02\)"):
        rules.check_term(date(2027, 1, 1), 2027)


def test_who_is_not_classified_counts_the_place_after_the_last() -> None:
    """L-03: places 1, 2 and twice 3 for those after the last of two."""
    absolute = rules.Absolute({"a": 75, "b": 54}, {"a": 1, "b": 2})
    [row] = rules.admission({"Modena": "abxy"}, absolute, READINGS)
    assert (row.points, row.places, row.admitted) == (129, 1 + 2 + 3 + 3, True)


def test_by_places_alone_the_points_do_not_count() -> None:
    """L-03, the other reading: 10 points in places 1 and 2 come before 20 in places 3 and 4."""
    absolute = rules.Absolute({"a": 5, "b": 5, "c": 10, "d": 10}, {"a": 1, "b": 2, "c": 3, "d": 4})
    by_places = type(READINGS)(**{**_fields(READINGS), "teams_by": "places"})
    fours: Fours = {"Bari": "cd", "Modena": "ab"}
    assert [row.key for row in rules.admission(fours, absolute, READINGS)] == ["Bari", "Modena"]
    assert [row.key for row in rules.admission(fours, absolute, by_places)] == ["Modena", "Bari"]


def _fields(readings: Any) -> dict[str, Any]:
    return {name: getattr(readings, name) for name in type(readings).__dataclass_fields__}


def test_of_level_teams_the_federation_chooses() -> None:
    """L-03: nobody has a point, and six teams are level for five places."""
    fours: Fours = {name: (f"{name}1", f"{name}2") for name in "ABCDEF"}
    nobody = rules.Absolute({}, {})
    rows = rules.admission(fours, nobody, READINGS)
    assert {row.admitted for row in rows} == {None}
    with pytest.raises(Illegal, match=r"teams_level_for_several \(L-03\)"):
        rules.check_chosen(rows)
    too_few = rules.admission(fours, nobody, READINGS, preferred="ABCD")
    assert {row.admitted for row in too_few} == {None}
    chosen = rules.admission(fours, nobody, READINGS, preferred="ABCDE")
    rules.check_chosen(chosen)
    assert [row.key for row in chosen if row.admitted] == list("ABCDE")


@pytest.mark.parametrize(
    ("first", "left", "why", "told"),
    [
        (4, 1, "teams_level", "team_to_be_chosen"),
        (3, 2, "teams_level_for_several", "teams_to_be_chosen"),
        (0, 5, "teams_level_for_several", "teams_to_be_chosen"),
    ],
)
def test_it_is_told_how_many_are_to_be_chosen(first: int, left: int, why: str, told: str) -> None:
    """L-03: so many teams have points, and six more are level for what is left of five places."""
    fours: Fours = {n: (f"{n}",) for n in range(first + 6)}
    absolute = rules.Absolute(
        {f"{n}": 50 - n for n in range(first)}, {f"{n}": n + 1 for n in range(first)}
    )
    rows = rules.admission(fours, absolute, READINGS)
    assert rules.to_choose(rows) == left
    with pytest.raises(Illegal) as illegal:
        rules.check_chosen(rows)
    assert (illegal.value.reason, illegal.value.data["left"]) == (why, left)
    assert {str(row.steps[-1].kind) for row in rows if row.admitted is None} == {told}
    chosen = rules.admission(fours, absolute, READINGS, preferred=range(first, first + left))
    assert sum(bool(row.admitted) for row in chosen) == 5
    assert rules.to_choose(chosen) == 0


@given(
    st.lists(st.tuples(st.integers(0, 60), st.integers(1, 40)), min_size=1, max_size=9),
    st.randoms(use_true_random=False),
)
def test_the_order_of_enrolment_does_not_change_admission(
    results: list[tuple[int, int]], random: Any
) -> None:
    """L-03: nor does it change sums, ranks or explanations; never more than five are in."""
    fours: Fours = {n: [f"{n}-{m}" for m in range(4)] for n in range(len(results))}
    absolute = rules.Absolute(
        {f"{n}-0": points for n, (points, _place) in enumerate(results)},
        {f"{n}-0": place for n, (_points, place) in enumerate(results)},
    )
    keys = list(fours)
    random.shuffle(keys)
    rows = rules.admission(fours, absolute, READINGS)
    assert rules.admission({key: fours[key] for key in keys}, absolute, READINGS) == rows
    taken = [row for row in rows if row.admitted]
    assert len(taken) <= 5
    merits = [(-row.points, row.places) for row in rows]
    assert merits == sorted(merits)
    if len(rows) <= 5 or not any(row.admitted is None for row in rows):
        assert len(taken) == min(5, len(rows))
    assert all(step.rule == "L-03" for row in rows for step in row.steps)


@given(st.integers(0, 200))
def test_guests_are_in_teams_of_four_or_fewer_than_four_are_left(guests: int) -> None:
    """L-08."""
    own, free = rules.own_teams(guests)
    assert 4 * own + free == guests
    assert 0 <= free < 4


@pytest.mark.parametrize(
    "titles",
    [{"a": 1, "b": 2, "c": 3, "d": 3}, {"a": 1, "b": 2, "c": 3}, {**dict.fromkeys("abcd", 1)}],
)
def test_each_plays_one_game(titles: dict[PlayerId, rules.TitleId]) -> None:
    """L-09."""
    rules.check_titles("abcd", {"a": 1, "b": 2, "c": 3, "d": 4})
    with pytest.raises(Illegal, match=r"one_game_each \(L-09\)"):
        rules.check_titles("abcd", titles)


def test_fewer_than_three_teams_do_not_play() -> None:
    """L-13."""
    assert [rules.table_size(n) for n in (3, 4, 5, 6)] == [3, 4, 5, 5]
    for n in (0, 1, 2):
        with pytest.raises(Illegal, match=r"too_few_teams \(L-13\)"):
            rules.table_size(n)


def game(percentile: str | None, won: bool = False) -> rules.Game:
    return rules.Game(None if percentile is None else Decimal(percentile), won)


def test_equal_sums_are_told_apart_by_games_won_then_by_the_best_percentile() -> None:
    """L-10: all have 2000; one won, two have 1200 as their best, one 1000."""
    played: dict[rules.TeamId, Sequence[rules.Game]] = {
        "two wins": [game("1000", True), game("1000", True)],
        "one win": [game("1500", True), game("500")],
        "best 1200": [game("1200"), game("800")],
        "also 1200": [game("800"), game("1200")],
        "best 1000": [game("1000"), game("1000"), game(None)],
        "less": [game("1999.99", True)],
    }
    rows = rules.standing(played, READINGS)
    assert [(row.place, row.key) for row in rows] == [
        (1, "two wins"),
        (2, "one win"),
        (3, "also 1200"),
        (3, "best 1200"),
        (5, "best 1000"),
        (6, "less"),
    ]
    assert {step.rule for row in rows for step in row.steps} == {"L-10"}
    # the score; then who comes before, who is level, who comes after
    assert [len(row.steps) for row in rows] == [2, 3, 4, 4, 2, 1]
    assert rules.winners(rows) == ("two wins",)


def test_level_by_everything_they_win_together() -> None:
    """L-10."""
    rows = rules.standing({"A": [game("900")], "B": [game("900")], "C": []}, READINGS)
    assert rules.winners(rows) == ("A", "B")
    assert [row.place for row in rows] == [1, 1, 3]


# --- enrolment ------------------------------------------------------------------------------------


@pytest.fixture
def cast() -> Cast:
    return make_cast()


def refused(deed: Callable[..., object], *args: Any, **more: Any) -> tuple[str, str, str]:
    """Why, by which article and at which box a verb refuses."""
    with pytest.raises(Refused) as refusal:
        deed(*args, **more)
    assert str(refusal.value.text)
    return refusal.value.reason, refusal.value.rule, refusal.value.field


def names(team: Team) -> list[str]:
    return [str(member.player) for member in team.members.all()]


def states(cup: Cup) -> dict[str, str]:
    return dict(cup.teams.values_list("name", "status"))


@db
@both
def test_a_championship_is_opened_once(cast: Cast) -> None:
    """L-02, L-03."""
    cup = make_cup()
    assert (cup.kind, cup.season.year, cup.provisional) == ("teams", 2027, False)
    assert refused(make_cup) == ("cup_exists", "", "season")
    season = make_season(2028)
    open_ = partial(services.open_teams, season, cast.sara, NOW, provisional=True)
    assert refused(open_) == ("reason_missing", "L-03", "note")
    assert open_(note=" si gioca  subito ").note == "si gioca subito"


@db
@both
def test_a_closed_season_has_no_new_championship(cast: Cast) -> None:
    """F-08: it is not offered either."""
    season, other = make_season(2025), make_season(2028)
    make_past({make_player("Vaporiera"): 30}, date(2025, 3, 1))
    services.close_season(season, cast.sara, NOW)
    open_ = partial(services.open_teams, make_season(2025), cast.sara, NOW)
    assert refused(open_) == ("season_closed", "F-08", "")
    sara = visitor(cast.sara)
    body = sara.get(at("teams_list")).content.decode()
    assert f'<option value="{other.pk}">' in body
    assert f'<option value="{season.pk}">' not in body
    assert sara.post(at("teams_list"), {"season": season.pk}).status_code == 422
    assert Cup.objects.count() == 0


@db
@both
def test_a_championship_opened_by_mistake_is_withdrawn(cast: Cast) -> None:
    """L-02: while no team is in it but rejected ones."""
    cup = make_cup()
    team = enrol(cup, "Modena")
    withdraw = partial(services.withdraw_teams, cup, cast.sara, NOW)
    assert refused(withdraw) == ("teams_enrolled", "L-02", "")
    sara = visitor(cast.sara)
    assert "Opened by mistake" not in Page(sara.get(at("teams", 2027))).text
    assert act(sara, 2027, "withdraw").status_code == 422
    services.reject_team(team, "non è un circolo", cast.sara, NOW)
    assert "Opened by mistake" in sara.get(at("teams", 2027)).content.decode()
    assert act(visitor(cast.dino), 2027, "withdraw").status_code == 404
    answer = act(sara, 2027, "withdraw")
    assert answer["Location"] == at("teams_list")
    assert not Cup.objects.exists()
    assert not Team.objects.exists()
    assert LogEntry.objects.filter(verb="withdraw_teams").count() == 1
    assert refused(withdraw) == ("cup_gone", "", "")
    assert make_cup().season.year == 2027


@db
@both
def test_a_club_enrols_four_players(cast: Cast) -> None:
    """L-01, L-02: its name by default; the log says who."""
    cup = make_cup()
    club, four = make_four("Modena")
    team = services.submit_team(cup, club, "", four, cast.sara, LAST)
    assert (team.name, team.status, team.reopened) == ("Modena", "submitted", False)
    assert [(m.player, m.guest, m.position) for m in team.members.all()] == [
        (player, False, n) for n, player in enumerate(four, start=1)
    ]
    entry = LogEntry.objects.about(team).get()
    assert (entry.verb, entry.data) == ("submit_team", {"members": [p.pk for p in four]})


@db
def test_a_guest_of_no_enrolled_club_completes_a_team(cast: Cast) -> None:
    """L-06: of no club, or of a club without a team."""
    cup = make_cup()
    for name, home in (("Modena", None), ("Pisa", make_club("Lecce"))):
        club, four = make_four(name)
        guests = make_members(home, f"Ospite {name}")
        team = services.submit_team(cup, club, name, [*four[:3], *guests], cast.sara, NOW)
        assert [m.guest for m in team.members.all()] == [False, False, False, True]


def submit(
    cup: Cup, club: Club | None, four: Sequence[Player], by: User, name: str = "", **more: Any
) -> Team:
    return services.submit_team(cup, club, name, four, by, more.pop("now", NOW), **more)


@db
@both
def test_each_bad_enrolment_is_refused_by_its_article(cast: Cast) -> None:
    """L-01, L-04, L-05, L-06, L-07, L-08, one after the other; nothing is written."""
    cup = make_cup()
    roma = enrol(cup, "Roma")
    romans = [member.player for member in roma.members.all()]
    club, four = make_four("Modena")
    free = make_members(None, *"ABCDEFG")
    sara = cast.sara
    assert refused(submit, cup, club, four[:3], sara) == ("team_size", "L-01", "")
    twice = [*four[:3], four[0]]
    assert refused(submit, cup, club, twice, sara) == ("team_member_twice", "L-01", "member_4")
    other = make_members(roma.club, "Altro Romano")
    again = make_members(roma.club, "R1", "R2", "R3", "R4")
    assert refused(submit, cup, roma.club, again, sara) == ("club_has_team", "L-04", "club")
    crossing = [four[0], romans[0], *four[1:3]]
    assert refused(submit, cup, club, crossing, sara) == ("in_another_team", "L-05", "member_2")
    assert refused(submit, cup, club, [*four[:3], *other], sara) == (
        "club_enrolled",
        "L-06",
        "member_4",
    )
    assert refused(submit, cup, club, [*four[:2], *free[:2]], sara) == (
        "second_guest",
        "L-07",
        "member_4",
    )
    for n, name in enumerate(("Bari", "Pisa", "Lecce")):
        home, three = make_four(name)
        submit(cup, home, [*three[:3], free[n]], sara)
    assert refused(submit, cup, club, [*four[:3], free[0]], sara) == (
        "guest_twice",
        "L-07",
        "member_4",
    )
    assert refused(submit, cup, club, [*four[:3], free[3]], sara) == (
        "four_guests",
        "L-08",
        "member_4",
    )
    own = submit(cup, None, free[3:7], sara, "Gli Stranieri")
    assert [m.guest for m in own.members.all()] == [True] * 4
    assert set(states(cup)) == {"Roma", "Bari", "Pisa", "Lecce", "Gli Stranieri"}


@db
def test_nobody_is_fished_back(cast: Cast) -> None:
    """L-07: the guest of a rejected team; its other players are of no enrolled club (L-06)."""
    cup = make_cup()
    bari, bari_four = make_four("Bari")
    guest = make_members(None, "Ospite")
    rejected = submit(cup, bari, [*bari_four[:3], *guest], cast.sara)
    services.reject_team(rejected, "Bari non è un circolo", cast.sara, NOW)
    modena, four = make_four("Modena")
    assert refused(submit, cup, modena, [*four[:3], *guest], cast.sara) == (
        "fished_back",
        "L-07",
        "member_4",
    )
    team = submit(cup, modena, [*four[:3], bari_four[0]], cast.sara)
    assert [m.guest for m in team.members.all()] == [False, False, False, True]
    again = submit(cup, bari, bari_four[:3] + make_members(bari, "Nuovo"), cast.sara, "Bari bis")
    assert again.status == "submitted"


@db
@both
def test_the_term_is_midnight_of_the_31st_of_december_in_rome(cast: Cast) -> None:
    """L-02: only the officer reopens."""
    cup = make_cup()
    bruno = cast.bruno
    club, four = make_four("Modena")
    Player.objects.filter(pk=bruno.player.pk).update(club=club)
    mine = User.objects.get(pk=bruno.pk)
    four = [*four[:3], mine.player]
    late = ("team_too_late", "L-02", "")
    assert refused(submit, cup, club, four, mine, now=AFTER) == late
    assert refused(submit, cup, club, four, mine, now=AFTER, reopen=True) == late
    assert refused(submit, cup, club, four, cast.sara, now=AFTER) == late
    team = submit(cup, club, four, cast.sara, now=AFTER, reopen=True)
    assert team.reopened
    assert submit(cup, *make_four("Pisa"), cast.sara, now=LAST).reopened is False
    amend = partial(services.amend_team, team, "Altro nome", four)
    assert refused(amend, mine, AFTER) == late
    assert amend(cast.sara, AFTER, reopen=True).name == "Altro nome"


@db
@both
def test_who_may_enrol_a_team(cast: Cast) -> None:
    """L-02: a player of the club, or a secretary; of a team of guests, one of them."""
    cup = make_cup()
    club, four = make_four("Modena")
    bruno = cast.bruno
    for stranger in (cast.dino, bruno, cast.carla):
        assert refused(submit, cup, club, four, stranger) == ("not_yours", "L-02", "club")
    guests = make_members(None, "A", "B", "C")
    foreigners = [*guests, bruno.player]
    assert refused(submit, cup, None, foreigners, cast.carla, "S") == ("not_yours", "L-02", "club")
    own = submit(cup, None, foreigners, bruno, "Gli Stranieri")
    for deed in (
        partial(services.amend_team, own, "X", foreigners),
        partial(services.withdraw_team, own),
    ):
        assert refused(deed, cast.carla, NOW) == ("not_yours", "L-02", "club")
    services.withdraw_team(own, bruno, NOW)
    Player.objects.filter(pk=bruno.player.pk).update(club=club)
    assert submit(cup, club, four, User.objects.get(pk=bruno.pk)).name == "Modena"


@db
def test_names_are_there_once(cast: Cast) -> None:
    cup = make_cup()
    enrol(cup, "Roma")
    club, four = make_four("Modena")
    assert refused(submit, cup, club, four, cast.sara, "ROMA") == ("name_taken", "", "name")
    long = "x" * 121
    assert refused(submit, cup, club, four, cast.sara, long) == ("name_too_long", "", "name")
    guests = make_members(None, *"ABCD")
    assert refused(submit, cup, None, guests, cast.sara) == ("name_missing", "", "name")


@db
def test_who_is_struck_off_plays_in_no_team(cast: Cast) -> None:
    cup = make_cup()
    club, four = make_four("Modena")
    Removal.objects.create(
        player=four[1], level="all", ruling="radiato", made_by=cast.sara, made_at=NOW
    )
    assert refused(submit, cup, club, four, cast.sara) == ("struck_off", "", "member_2")


@db
@both
def test_who_may_change_a_team(cast: Cast) -> None:
    """L-02: who enrolled it, its four and secretaries; not the rest of the club."""
    cup = make_cup()
    club, four = make_four("Modena")
    bruno, carla, alice = (joined(u, club) for u in (cast.bruno, cast.carla, cast.alice))
    four = [*four[:3], carla.player]
    team = submit(cup, club, four, bruno)
    for deed in (
        partial(services.amend_team, team, "X", four),
        partial(services.withdraw_team, team),
        partial(services.assign_titles, team, {}),
    ):
        assert refused(deed, alice, NOW) == ("not_yours", "L-02", "club")
    for name, user in (("A", bruno), ("B", carla), ("C", cast.sara)):
        assert services.amend_team(team, name, four, user, NOW).name == name


@db
@both
def test_after_the_admission_only_a_secretary_changes_players(cast: Cast) -> None:
    """L-03."""
    cup = make_cup()
    club, four = make_four("Modena")
    bruno = joined(cast.bruno, club)
    team = submit(cup, club, four, bruno)
    for each in (team, enrol(cup, "Roma"), enrol(cup, "Pisa")):
        services.accept_team(each, cast.sara, NOW)
    services.admit_teams(cup, cast.sara, AFTER, note="si gioca subito")
    other = [*four[:3], bruno.player]
    amend = partial(services.amend_team, team, "Modena", other)
    assert refused(amend, bruno, AFTER) == ("already_admitted", "L-03", "")
    assert amend(cast.sara, AFTER, reopen=True).status == "submitted"


@db
@both
def test_of_two_who_change_a_team_the_second_is_told(cast: Cast) -> None:
    """L-02: what was typed stays, and saving again replaces knowingly."""
    year = this_year() + 1
    cup = make_cup(year)
    club, four = make_four("Modena")
    bruno = joined(cast.bruno, club)
    team = submit(cup, club, four, bruno)
    client, address = visitor(bruno), at("team_edit", year, team.pk)
    seen = services.edition_of_team(services.teams_of(cup)[0])
    assert f'value="{seen}"' in client.get(address).content.decode()
    services.amend_team(team, "Ghirlandina", four, cast.sara, NOW)
    amend = partial(services.amend_team, team, "Torre", four, bruno, NOW)
    assert refused(amend, seen=seen) == ("stale", "", "")
    late = client.post(address, form_of(four, name="Torre", seen=seen))
    assert late.status_code == 422
    assert "Now it is Ghirlandina: Modena 1, Modena 2, Modena 3, Modena 4." in Page(late).text
    body = late.content.decode()
    assert 'value="Torre"' in body
    now = services.edition_of_team(services.teams_of(cup)[0])
    assert f'value="{now}"' in body
    assert client.post(address, form_of(four, name="Torre", seen=now)).status_code == 302
    assert cup.teams.get().name == "Torre"


@db
@both
def test_a_second_reason_takes_the_place_of_the_first(cast: Cast) -> None:
    """L-02."""
    cup = make_cup()
    team = enrol(cup, "Modena")
    for reason in ("non è un circolo", "manca un giocatore", "manca un giocatore"):
        services.reject_team(team, reason, cast.sara, NOW)
    assert cup.teams.get().reason == "manca un giocatore"
    assert LogEntry.objects.filter(verb="reject_team").count() == 2


@db
@both
def test_who_changes_is_vetted_again(cast: Cast) -> None:
    """L-02: the same four again write nothing; another name alone leaves the state."""
    cup = make_cup()
    team = services.accept_team(enrol(cup, "Modena"), cast.sara, NOW)
    four = [member.player for member in team.members.all()]
    written = LogEntry.objects.count()
    services.amend_team(team, "Modena", four, cast.sara, NOW)
    assert LogEntry.objects.count() == written
    assert services.amend_team(team, "Torre", four, cast.sara, NOW).status == "accepted"
    [newcomer] = make_members(team.club, "Nuovo")
    team = services.amend_team(team, "Torre", [*four[:3], newcomer], cast.sara, NOW)
    assert (team.status, names(team)[3]) == ("submitted", "Nuovo")
    assert [each.name for each in services.teams_of(cup)] == ["Torre"]


@db
@both
def test_a_team_that_withdraws_leaves_its_players_free(cast: Cast) -> None:
    """L-02, L-07: an enrolment taken back is none, for its guest too."""
    cup = make_cup()
    club, four = make_four("Modena")
    [guest] = make_members(None, "Ospite")
    team = submit(cup, club, [*four[:3], guest], cast.sara)
    services.withdraw_team(team, cast.sara, NOW)
    assert services.teams_of(cup) == []
    assert LogEntry.objects.about(cup).first().data["members"][3] == guest.pk  # type: ignore[union-attr]
    assert refused(services.withdraw_team, team, cast.sara, NOW) == ("team_gone", "", "")
    other, three = make_four("Pisa")
    assert submit(cup, other, [*three[:3], guest], cast.sara).status == "submitted"


@db
@both
def test_the_officer_accepts_or_rejects_with_a_reason(cast: Cast) -> None:
    """L-02: twice is as once."""
    cup = make_cup()
    good, bad = enrol(cup, "Modena"), enrol(cup, "Roma")
    assert refused(services.reject_team, bad, "  ", cast.sara, NOW) == (
        "reason_missing",
        "L-02",
        "reason",
    )
    for _again in range(2):
        services.accept_team(good, cast.sara, NOW)
        services.reject_team(bad, "non è un circolo", cast.sara, NOW)
    assert states(cup) == {"Modena": "accepted", "Roma": "rejected"}
    assert Team.objects.get(name="Roma").reason == "non è un circolo"
    verbs = LogEntry.objects.values_list("verb", flat=True)
    assert [list(verbs).count(verb) for verb in ("accept_team", "reject_team")] == [1, 1]
    for deed in (
        partial(services.accept_team, bad),
        partial(services.withdraw_team, bad),
        partial(services.amend_team, bad, "X", []),
    ):
        assert refused(deed, cast.sara, NOW) == ("team_rejected", "L-02", "")


@db
def test_a_team_is_vetted_by_what_is_true_today(cast: Cast) -> None:
    """L-06: the guest's club has enrolled meanwhile; its own team is in order."""
    cup = make_cup()
    roma, romans = make_four("Roma")
    [guest] = make_members(roma, "Quinto Romano")
    club, four = make_four("Modena")
    team = submit(cup, club, [*four[:3], guest], cast.sara)
    theirs = submit(cup, roma, romans, cast.sara)
    services.accept_team(theirs, cast.sara, NOW)
    assert refused(services.accept_team, team, cast.sara, NOW) == (
        "club_enrolled",
        "L-06",
        "member_4",
    )
    [fault] = services.judge_team(cup, club, [*four[:3], guest], team)
    assert (fault.rule, fault.field) == ("L-06", "member_4")
    Player.objects.filter(pk=guest.pk).update(club=club)  # he has moved to Modena
    assert [m.guest for m in services.accept_team(team, cast.sara, NOW).members.all()] == [
        False
    ] * 4


@db
@both
def test_a_fault_names_the_player_and_his_other_team(cast: Cast) -> None:
    """L-05."""
    cup = make_cup()
    roma = enrol(cup, "Roma")
    [roman] = [m.player for m in roma.members.all()][:1]
    club, four = make_four("Modena")
    with translation.override("en"), pytest.raises(Refused) as refusal:
        submit(cup, club, [*four[:3], roman], cast.sara)
    assert refusal.value.text == "Roma 1: Plays for Roma already."
    assert (refusal.value.rule, refusal.value.field) == ("L-05", "member_4")


@db
@both
def test_a_team_that_a_later_enrolment_spoils_is_to_be_put_right(cast: Cast) -> None:
    """L-06: everybody sees it on the page, its four on theirs, with the reason."""
    year = this_year() + 1
    cup = make_cup(year)
    roma, romans = make_four("Roma")
    [guest] = make_members(roma, "Quinto")
    club, four = make_four("Modena")
    bruno = joined(cast.bruno, club)
    team = submit(cup, club, [*four[:3], guest], bruno)
    addresses = [at("teams", year), at("team_edit", year, team.pk)]
    client = visitor(bruno)
    why = "Quinto: Belongs to a club that has enrolled a team"
    for address in addresses:
        assert "to be put right" not in Page(client.get(address)).text
    submit(cup, roma, romans, cast.sara)
    for address in addresses:
        page = Page(client.get(address)).text
        assert "to be put right" in page
        assert why in page
    assert set(services.irregular_teams(services.teams_of(cup))) == {team.pk}


@db(transaction=True)
@both
def test_of_two_teams_of_a_club_at_once_one_enrols(cast: Cast) -> None:
    """L-04."""
    cup = make_cup()
    club, four = make_four("Modena")
    others = make_members(club, *"ABCD")
    outcome = at_once(
        partial(submit, cup, club, four, cast.sara, "Prima"),
        partial(submit, cup, club, others, cast.sara, "Seconda"),
    )
    assert sorted(type(what).__name__ for what in outcome) == ["Refused", "Team"]
    [no] = [what for what in outcome if isinstance(what, Refused)]
    assert (no.reason, no.rule) == ("club_has_team", "L-04")
    assert cup.teams.count() == 1


@db(transaction=True)
def test_of_two_teams_with_a_guest_at_once_one_has_him(cast: Cast) -> None:
    """L-07."""
    cup = make_cup()
    guest = make_members(None, "Ospite")
    clubs = [make_four(name) for name in ("Modena", "Pisa")]
    outcome = at_once(
        *(partial(submit, cup, club, [*four[:3], *guest], cast.sara) for club, four in clubs)
    )
    assert sorted(type(what).__name__ for what in outcome) == ["Refused", "Team"]
    [no] = [what for what in outcome if isinstance(what, Refused)]
    assert (no.reason, no.rule) == ("guest_twice", "L-07")


# --- admission ------------------------------------------------------------------------------------

CITIES = ("Modena", "Roma", "Milano", "Pisa", "Bari", "Lecce")


def six_teams(cup: Cup, *cities: str) -> dict[str, Team]:
    """The six teams of TEAM-01 with their points in the absolute of 2026; all accepted."""
    teams = {}
    points: dict[Player, int] = {}
    for city in cities or CITIES:
        team = enrol(cup, city)
        teams[city] = services.accept_team(team, make_cast().sara, NOW)
        for n, member in enumerate(team.members.all()):
            points[member.player] = 100 - 3 * (4 * CITIES.index(city) + n)
    make_past(points, date(2026, 3, 1))
    return teams


@db
@both
def test_after_the_term_the_best_five_are_admitted(cast: Cast) -> None:
    """L-03, TEAM-01: the season of 2026 is closed, and its absolute final."""
    cup = make_cup()
    six_teams(cup)
    services.close_season(make_season(2026), cast.sara, NOW)
    taken = services.admit_teams(cup, cast.sara, AFTER)
    assert {team.name for team in taken} == set(CITIES) - {"Lecce"}
    assert states(cup) == {**dict.fromkeys(CITIES, "admitted"), "Lecce": "excluded"}
    before = services.year_before(cup)
    ranked = services.ranked_teams(cup, services.teams_of(cup), before.absolute)
    called = dict(cup.teams.values_list("pk", "name"))
    assert [(called[int(row.key)], row.points, row.places) for row in ranked] == [
        ("Modena", 382, 10),
        ("Roma", 334, 26),
        ("Milano", 286, 42),
        ("Pisa", 238, 58),
        ("Bari", 190, 74),
        ("Lecce", 142, 90),
    ]
    written = LogEntry.objects.count()
    services.admit_teams(cup, cast.sara, AFTER)
    assert LogEntry.objects.count() == written


@db
def test_a_team_left_out_takes_the_place_of_one_that_withdraws(cast: Cast) -> None:
    """L-03."""
    cup = make_cup()
    teams = six_teams(cup)
    services.admit_teams(cup, cast.sara, AFTER, note="si gioca subito")
    services.withdraw_team(teams["Roma"], cast.sara, AFTER)
    assert refused(services.form_team_tables, cup, cast.director, cast.sara, AFTER) == (
        "not_admitted",
        "L-03",
        "",
    )
    services.admit_teams(cup, cast.sara, AFTER)
    assert set(states(cup).values()) == {"admitted"}


@db
@both
def test_what_keeps_the_admission_back(cast: Cast) -> None:
    """L-02, L-03, L-13: the term, who is not vetted, who is too few, an absolute not final."""
    cup = make_cup()
    admit = partial(services.admit_teams, cup, cast.sara)
    assert refused(admit, LAST) == ("enrolment_open", "L-02", "")
    teams = [enrol(cup, city) for city in CITIES[:2]]
    assert refused(admit, AFTER) == ("not_vetted", "L-02", "")
    for team in teams:
        services.accept_team(team, cast.sara, NOW)
    assert refused(admit, AFTER) == ("too_few_teams", "L-13", "")
    services.accept_team(enrol(cup, "Pisa"), cast.sara, NOW)
    assert refused(admit, AFTER) == ("season_open", "L-03", "note")
    assert len(admit(AFTER, note="l'evento di dicembre è in ritardo")) == 3
    cup.refresh_from_db()
    assert (cup.provisional, cup.note) == (True, "l'evento di dicembre è in ritardo")


@db
@both
def test_the_admission_is_taken_back(cast: Cast) -> None:
    """L-03: before the tables; whether to wait for the absolute is asked again."""
    cup = make_cup()
    six_teams(cup)
    take_back = partial(services.take_back_admission, cup, cast.sara, AFTER)
    assert refused(take_back) == ("not_admitted", "L-03", "")
    services.admit_teams(cup, cast.sara, AFTER, note="si gioca subito")
    take_back()
    assert set(states(cup).values()) == {"accepted"}
    assert refused(services.admit_teams, cup, cast.sara, AFTER) == ("season_open", "L-03", "note")
    services.admit_teams(cup, cast.sara, AFTER, note="si gioca subito")
    sara = visitor(cast.sara)
    assert "Take the admission back" in sara.get(at("teams", 2027)).content.decode()
    assert act(sara, 2027, "take_back_admission").status_code == 302
    assert act(sara, 2027, "take_back_admission").status_code == 422
    assert set(states(cup).values()) == {"accepted"}


@db
def test_level_teams_wait_for_a_choice(cast: Cast) -> None:
    """L-03: six teams and nobody with a point: the last of the five is chosen."""
    cup = make_cup()
    for city in CITIES:
        services.accept_team(enrol(cup, city), cast.sara, NOW)
    admit = partial(services.admit_teams, cup, cast.sara, AFTER, note="nessuno ha punti")
    assert refused(admit) == ("teams_level_for_several", "L-03", "preferred")
    assert set(states(cup).values()) == {"accepted"}
    five = cup.teams.exclude(name="Lecce").values_list("pk", flat=True)
    assert len(admit(preferred=list(five))) == 5
    assert states(cup)["Lecce"] == "excluded"


# --- the whole championship -----------------------------------------------------------------------


def make_games(cast: Cast) -> tuple[Cup, list[Table]]:
    """Five teams at their four tables, each title in the order of the team's players."""
    titles = make_titles()
    cup = make_cup()
    six_teams(cup)
    services.admit_teams(cup, cast.sara, AFTER, note="si gioca subito")
    for team in services.teams_of(cup):
        if team.status == Team.Status.ADMITTED:
            assign(team, titles, AFTER)
    event = services.form_team_tables(cup, cast.director, cast.sara, AFTER)
    tables = Table.objects.with_everything().filter(round__prova__event=event)
    return Cup.objects.get(pk=cup.pk), list(tables.order_by("round__prova__order"))


# Totals of Bari, Milano, Modena, Pisa and Roma at each table. Of 8000 and 4000 the second has 500
# and the first 1000 + 500 + (1000 - 500) = 2000; 2000 is worth 250 and 1000 is worth 125.
TOTALS = (
    (8000, 4000, 4000, 2000, 1000),
    (4000, 8000, 4000, 2000, 1000),
    (1000, 4000, 8000, 2000, 4000),
    (1000, 4000, 2000, 8000, 4000),
)
SCORES = [
    ("Milano", 1, Decimal(3500), 1),  # 500 + 2000 + 500 + 500
    ("Modena", 2, Decimal(3250), 1),  # 500 + 500 + 2000 + 250
    ("Bari", 3, Decimal(2750), 1),  # 2000 + 500 + 125 + 125
    ("Pisa", 3, Decimal(2750), 1),  # 250 + 250 + 250 + 2000
    ("Roma", 5, Decimal(1250), 0),  # 125 + 125 + 500 + 500
]


@db
@both
def test_each_team_plays_each_title_with_another_player(cast: Cast) -> None:
    """L-09: four tables of five, one seat a team, and the referees of M-02 where they suit."""
    cup, tables = make_games(cast)
    assert cup.event is not None
    assert (cup.event.kind, cup.event.name) == ("cup", "Campionato a squadre 2027")
    assert (cup.event.status, cup.event.starts_on) == ("running", date(2027, 1, 1))
    assert [str(table.title) for table in tables] == ["1830", "1849", "1856", "1870"]
    for number, table in enumerate(tables, start=1):
        sat = [str(seat.holder().player) for seat in table.seats.all()]
        assert sat == [f"{city} {number}" for city in ("Bari", "Milano", "Modena", "Pisa", "Roma")]
        assert table.referee == cast.director
    for deed in (
        partial(services.form_team_tables, cup, cast.director),
        partial(services.admit_teams, cup),
        partial(services.withdraw_team, cup.teams.get(name="Roma")),
        partial(services.reject_team, cup.teams.get(name="Roma"), "x"),
        partial(services.submit_team, cup, None, "X", []),
    ):
        assert refused(deed, cast.sara, AFTER) == ("tables_formed", "L-09", "")


@db
@both
def test_the_highest_sum_wins_and_no_standing_moves(cast: Cast) -> None:
    """L-10, L-11, L-12: computed by hand above; ranking and championships are as they were."""
    cup, tables = make_games(cast)
    day = date(2027, 12, 31)
    before = {row.player: row.points for row in services.ranking_on(day).rows}
    for table, amounts in zip(tables, TOTALS, strict=True):
        assert refused(services.conclude_teams, cup, cast.sara, AFTER) == (
            "results_missing",
            "L-10",
            "",
        )
        record(table, *amounts, now=AFTER, tie_checked=True)
    [honour] = services.conclude_teams(cup, cast.sara, AFTER)
    assert (honour.award, str(honour.team), honour.season.year) == ("teams", "Milano", 2027)
    called = dict(cup.teams.values_list("pk", "name"))
    rows = services.team_standing(cup, services.teams_of(cup))
    told = [(called[int(r.key)], r.place, r.total, r.wins) for r in rows]
    assert sorted(told, key=lambda row: (row[1], row[0])) == SCORES
    assert Event.objects.get(cup=cup).status == "closed"
    season = make_season(2027)
    assert services.absolute_of(season).rows == ()
    for title in services.specialties_of(season):
        assert services.specialty_of(season, title).rows == ()
    assert before
    assert {row.player: row.points for row in services.ranking_on(day).rows} == before
    assert tournaments.planned_events(season) == {season.pk: 0}


@db
@both
def test_a_corrected_result_is_proclaimed_again(cast: Cast) -> None:
    """L-10: proclaimed twice is as once; after a correction the new winner takes the place."""
    cup, tables = make_games(cast)
    for table, amounts in zip(tables, TOTALS, strict=True):
        record(table, *amounts, now=AFTER, tie_checked=True)
    services.conclude_teams(cup, cast.sara, AFTER)
    written = LogEntry.objects.count()
    services.conclude_teams(cup, cast.sara, AFTER)
    assert LogEntry.objects.count() == written
    tournaments.reopen_event(tables[0].event, "refuso", cast.sara, AFTER)
    correction = (8000, 1000, 4000, 2000, 4000)  # Milano 125 for 500: 3125; Modena has 3250
    again = reread(tables[0])
    record(again, *correction, version=again.last_version(), reason="refuso", now=AFTER)
    services.conclude_teams(cup, cast.sara, AFTER)
    assert [str(h.team) for h in Honour.objects.filter(award="teams")] == ["Modena"]


@db
@both
def test_who_is_not_first_any_more_is_shown_as_no_winner(cast: Cast) -> None:
    """L-10: after a correction the page warns, until the first are proclaimed again."""
    cup, tables = make_games(cast)
    for table, amounts in zip(tables, TOTALS, strict=True):
        record(table, *amounts, now=AFTER, tie_checked=True)
    services.conclude_teams(cup, cast.sara, AFTER)
    sara, public = visitor(cast.sara), visitor()
    warning = "Milano was proclaimed, but is not first by the results as they stand now."
    assert warning not in Page(public.get(at("teams", 2027))).text
    tournaments.reopen_event(tables[0].event, "refuso", cast.sara, AFTER)
    correction = (8000, 1000, 4000, 2000, 4000)  # Milano 125 for 500: 3125; Modena has 3250
    again = reread(tables[0])
    record(again, *correction, version=again.last_version(), reason="refuso", now=AFTER)
    tournaments.close_event(Event.objects.get(pk=tables[0].event.pk), cast.sara, AFTER)
    champions = services.champions_of(reread_cup(cup), services.teams_of(cup))
    assert [team.name for team in champions.proclaimed] == ["Milano"]
    assert [team.name for team in champions.first] == ["Modena"]
    assert (champions.disputed, champions.winners) == (True, ())
    for client in (public, sara):
        answer = client.get(at("teams", 2027))
        assert warning in Page(answer).text
        assert ("Proclaim again" in answer.content.decode()) == (client is sara)
        assert "L-11" not in answer.content.decode()
        listed = Page(client.get(at("teams_list"))).text
        assert "to be proclaimed again" in listed
        assert "Milano" not in listed
    assert act(sara, 2027, "conclude").status_code == 302
    page = Page(public.get(at("teams", 2027))).text
    assert warning not in page
    assert "Modena" in Page(public.get(at("teams_list"))).text
    assert services.champions_of(reread_cup(cup), services.teams_of(cup)).disputed is False


def reread_cup(cup: Cup) -> Cup:
    return Cup.objects.select_related("season", "event").get(pk=cup.pk)


@db
@both
def test_the_tables_are_taken_back_before_a_result(cast: Cast) -> None:
    """L-09, B-15: the event is cancelled, and other tables have an event of their own."""
    cup, tables = make_games(cast)
    first = tables[0].event
    take_back = partial(services.take_back_team_tables, by=cast.sara, now=AFTER)
    assert refused(take_back, cup, " ") == ("reason_missing", "L-09", "reason")
    take_back(cup, "un tavolo sbagliato")
    event = Event.objects.get(pk=first.pk)
    assert (event.status, event.status_note) == ("cancelled", "un tavolo sbagliato")
    assert refused(take_back, cup, "x") == ("tables_missing", "L-09", "")
    assert set(states(cup).values()) == {"admitted", "excluded"}
    sara = visitor(cast.sara)
    data = {"director": cast.director.pk, "starts_on": "2027-01-05", "ends_on": "2027-12-20"}
    services.form_team_tables(cup, cast.director, cast.sara, AFTER)
    assert reread_cup(cup).event.name == "Campionato a squadre 2027 (2)"  # type: ignore[union-attr]
    assert "Take the tables back" in sara.get(at("teams", 2027)).content.decode()
    assert act(sara, 2027, "take_back_tables", reason="").status_code == 422
    assert act(sara, 2027, "take_back_tables", reason="di nuovo").status_code == 302
    assert act(sara, 2027, "form", **data).status_code == 302
    table = Table.objects.filter(round__prova__event=reread_cup(cup).event).earliest("pk")
    record(reread(table), *TOTALS[0], now=AFTER, tie_checked=True)
    assert refused(take_back, cup, "x") == ("results_in", "B-15", "")
    assert "Take the tables back" not in sara.get(at("teams", 2027)).content.decode()


@db
def test_the_director_enters_results_from_the_page(cast: Cast) -> None:
    """A-08, L-09: each player is beside his team, also a substitute."""
    _cup, tables = make_games(cast)
    link = at("table_result", tables[0].pk)
    seen = {
        user: visitor(user).get(at("teams", 2027)) for user in (cast.alice, cast.sara, cast.bruno)
    }
    assert [link in page.content.decode() for page in seen.values()] == [True, True, False]
    assert "Bari 1 (Bari), Milano 1 (Milano), Modena 1 (Modena)" in Page(seen[cast.bruno]).text
    seat = tables[0].seats.all()[1]
    newcomer = make_player("Supplente")
    tournaments.hand_over(seat, newcomer, "substitute", cast.alice, AFTER, holding=seat.holder().pk)
    record(reread(tables[0]), *TOTALS[0], now=AFTER, tie_checked=True)
    page = Page(visitor().get(at("teams", 2027))).text
    assert "Bari 1 (Bari) 2000, Supplente (Milano) 500" in page


@db
def test_a_substitute_plays_for_the_team_of_the_seat(cast: Cast) -> None:
    """L-10, C-13: the percentile is the team's, whoever holds its seat in the end."""
    cup, tables = make_games(cast)
    seat = tables[0].seats.all()[1]  # Milano
    newcomer = make_player("Supplente")
    tournaments.hand_over(seat, newcomer, "substitute", cast.alice, AFTER, holding=seat.holder().pk)
    record(reread(tables[0]), *TOTALS[0], now=AFTER, tie_checked=True)
    rows = services.team_standing(cup, services.teams_of(cup))
    called = dict(cup.teams.values_list("pk", "name"))
    assert {called[int(r.key)]: r.total for r in rows}["Milano"] == 500


@db
def test_a_void_game_gives_nothing_to_anybody(cast: Cast) -> None:
    """L-10, C-17."""
    cup, tables = make_games(cast)
    for table, amounts in zip(tables[1:], TOTALS[1:], strict=True):
        record(table, *amounts, now=AFTER, tie_checked=True)
    tournaments.void_table(tables[0], "carte mancanti", cast.sara, AFTER)
    services.conclude_teams(cup, cast.sara, AFTER)
    rows = services.team_standing(cup, services.teams_of(cup))
    assert rows[0].total == 3000  # Milano, 3500 less 500


@db
@pytest.mark.parametrize("n", [3, 4])
def test_three_or_four_teams_play_at_tables_of_three_or_four(n: int, cast: Cast) -> None:
    """L-13."""
    titles = make_titles()
    cup = make_cup()
    six_teams(cup, *CITIES[:n])
    services.admit_teams(cup, cast.sara, AFTER, note="si gioca subito")
    for team in services.teams_of(cup):
        assign(team, titles, AFTER)
    event = services.form_team_tables(cup, cast.director, cast.sara, AFTER)
    tables = Table.objects.filter(round__prova__event=event)
    assert [table.seats.count() for table in tables] == [n] * 4


@db
def test_with_two_teams_left_there_is_no_championship(cast: Cast) -> None:
    """L-13."""
    cup = make_cup()
    teams = six_teams(cup, *CITIES[:3])
    services.admit_teams(cup, cast.sara, AFTER, note="si gioca subito")
    services.withdraw_team(teams["Roma"], cast.sara, AFTER)
    assert refused(services.form_team_tables, cup, cast.director, cast.sara, AFTER) == (
        "too_few_teams",
        "L-13",
        "",
    )


@db
@both
def test_titles_are_assigned_one_to_each(cast: Cast) -> None:
    """L-09: refusals one by one; a swap of two is possible; who stays in the team keeps his."""
    titles = make_titles()
    cup = make_cup()
    teams = six_teams(cup, *CITIES[:3])
    team = teams["Modena"]
    four = [member.player_id for member in team.members.all()]
    every = dict(zip(four, titles, strict=True))
    give = partial(services.assign_titles, team)
    assert refused(give, every, cast.sara, AFTER) == ("not_admitted", "L-03", "")
    services.admit_teams(cup, cast.sara, AFTER, note="si gioca subito")
    assert refused(give, every, cast.carla, AFTER) == ("not_yours", "L-02", "club")
    same = {**every, four[0]: titles[1]}
    assert refused(give, same, cast.sara, AFTER) == ("one_game_each", "L-09", "")
    short = dict(list(every.items())[:3])
    assert refused(give, short, cast.sara, AFTER) == ("one_game_each", "L-09", "")
    form = partial(services.form_team_tables, cup, cast.director, cast.sara, AFTER)
    assert refused(form) == ("titles_missing", "L-09", "")
    give(every, cast.sara, AFTER)
    swapped = {**every, four[0]: titles[1], four[1]: titles[0]}
    for _again in range(2):
        give(swapped, cast.sara, AFTER)
    assert [m.title for m in team.members.order_by("position")] == [
        *(titles[1], titles[0], titles[2], titles[3])
    ]
    assert LogEntry.objects.filter(verb="assign_titles").count() == 2
    other = tournaments.register_title("18EU", "18EU", 2, 6, cast.sara, NOW)
    assert refused(give, {**every, four[0]: other}, cast.sara, AFTER) == (
        "not_a_cup_title",
        "L-09",
        "",
    )
    Title.objects.filter(code="1870").update(cup_title=False)
    assert refused(give, every, cast.sara, AFTER) == ("titles", "L-09", "")


@db
def test_who_may_not_enrol_stops_the_tables_and_nothing_is_written(cast: Cast) -> None:
    """L-09, A-18: told with his team, which may still change him."""
    titles = make_titles()
    cup = make_cup()
    teams = six_teams(cup, *CITIES[:3])
    services.admit_teams(cup, cast.sara, AFTER, note="si gioca subito")
    for team in services.teams_of(cup):
        assign(team, titles, AFTER)
    barred = teams["Milano"].members.first()
    assert barred is not None
    tournaments.ban(barred.player, "all", NOW.date(), "radiato", cast.sara, NOW)
    before = Event.objects.count()
    with pytest.raises(Refused) as refusal:
        services.form_team_tables(cup, cast.director, cast.sara, AFTER)
    assert refusal.value.rule == "A-18"
    assert str(barred.player) in str(refusal.value.text)
    assert Event.objects.count() == before
    assert Cup.objects.get(pk=cup.pk).event is None


@db(transaction=True)
def test_of_two_who_form_the_tables_at_once_one_does(cast: Cast) -> None:
    """L-09."""
    titles = make_titles()
    cup = make_cup()
    six_teams(cup, *CITIES[:3])
    services.admit_teams(cup, cast.sara, AFTER, note="si gioca subito")
    for team in services.teams_of(cup):
        assign(team, titles, AFTER)
    form = partial(services.form_team_tables, cup, cast.director, cast.sara, AFTER)
    outcome = at_once(form, form)
    assert sorted(type(what).__name__ for what in outcome) == ["Event", "Refused"]
    assert Event.objects.filter(kind="cup").count() == 1


# --- the pages ------------------------------------------------------------------------------------


def this_year() -> int:
    return timezone.localdate().year


def at(name: str, *args: object) -> str:
    return reverse(name, args=args)


def act(client: Client, year: int, action: str, **more: object) -> Any:
    return client.post(at("teams", year), {"action": action, **more})


def form_of(four: Sequence[Player], **more: object) -> dict[str, object]:
    return {f"member_{n}": player.pk for n, player in enumerate(four, start=1)} | more


def joined(user: User, club: Club | None) -> User:
    Player.objects.filter(pk=user.player.pk).update(club=club)
    return User.objects.get(pk=user.pk)


@db
@both
def test_a_player_enrols_the_team_of_his_club(cast: Cast) -> None:
    """L-02, L-06: on the page, his club's players and guests of the last absolute are offered."""
    year = this_year() + 1
    cup = make_cup(year)
    club, four = make_four("Modena")
    bruno = joined(cast.bruno, club)
    [guest] = make_members(None, "Ospite")
    [free] = make_members(None, "Senza Circolo")
    [idle] = make_members(make_club("Lecce"), "Mai Visto")
    make_past({guest: 30}, date(year - 1, 1, 2), now=datetime(year - 1, 1, 3, tzinfo=UTC))
    client = visitor(bruno)
    page = client.get(at("team_new", year))
    assert page.status_code == 200
    body = page.content.decode()
    assert f'<option value="{guest.pk}">Ospite</option>' in body
    assert f'<option value="{free.pk}">Senza Circolo</option>' in body
    assert f'<option value="{four[0].pk}">' in body
    assert "Mai Visto" not in body
    looked = client.post(
        at("team_new", year), form_of(four[:2], name="Torre", cerca="mai", look="1")
    )
    assert looked.status_code == 200
    assert f'<option value="{idle.pk}">Mai Visto (Lecce)</option>' in looked.content.decode()
    assert f'<option value="{four[0].pk}" selected>' in looked.content.decode()
    assert 'value="Torre"' in looked.content.decode()
    sent = client.post(at("team_new", year), form_of([*four[:3], idle], name="Torre"))
    assert sent.status_code == 302
    team = cup.teams.get()
    assert (team.name, [m.guest for m in team.members.all()]) == ("Torre", [False] * 3 + [True])
    again = client.post(at("team_new", year), form_of([*four[:3], idle], name="Torre"))
    assert again.status_code == 422
    assert "The club has a team already." in Page(again).text
    assert cup.teams.count() == 1


@db
@both
@pytest.mark.parametrize("language", ["en", "it"])
def test_what_is_wrong_is_said_at_the_player_with_its_article(language: str, cast: Cast) -> None:
    """L-01, L-06, L-07: all of it at once, in both languages; what was chosen stays."""
    year = this_year() + 1
    cup = make_cup(year)
    roma = enrol(cup, "Roma")
    [roman] = make_members(roma.club, "Quinto")
    club, four = make_four("Modena")
    client = visitor(joined(cast.bruno, club), language)
    answer = client.post(at("team_new", year), form_of([four[0], four[0], roman, four[1]]))
    assert answer.status_code == 422
    body = answer.content.decode()
    assert "error_1_id_member_2" in body
    assert "error_1_id_member_3" in body
    for article in ("L-01", "L-06"):
        assert body.count(article) >= 2  # at the box, and above the form
    if language == "en":
        assert "This player is in the team already." in Page(answer).text
    assert f'<option value="{roman.pk}" selected>' in body
    assert cup.teams.count() == 1
    taken = client.post(at("team_new", year), form_of([four[0], four[0], *four[2:]], name="ROMA"))
    assert "error_1_id_name" in taken.content.decode()
    assert "error_1_id_member_2" in taken.content.decode()  # also what is wrong besides the name


@db
@both
@pytest.mark.parametrize(
    "data",
    [
        {},
        {"member_1": "x", "member_2": "-1", "member_3": "9" * 30, "member_4": "\0"},
        {"member_1": "1.5", "name": "x" * 500, "cerca": "\0" * 90},
        {"member_1": ["1", "2"], "name": "\0"},
    ],
)
def test_a_form_that_makes_no_sense_is_refused_in_words(data: dict[str, Any], cast: Cast) -> None:
    """L-01."""
    year = this_year() + 1
    cup = make_cup(year)
    club, _four = make_four("Modena")
    client = visitor(joined(cast.bruno, club))
    answer = client.post(at("team_new", year), data)
    assert answer.status_code == 422
    if not data:
        assert Page(answer).text.count("A team has four players: choose them all.") >= 4
    assert client.post(at("team_new", year), {**data, "look": "1"}).status_code == 200
    assert cup.teams.count() == 0


@db
@both
def test_who_is_let_in(cast: Cast) -> None:
    """L-02: strangers read, players of the club write of their team, the secretary decides."""
    year = this_year() + 1
    cup = make_cup(year)
    team = enrol(cup, "Modena")
    four = [member.player for member in team.members.all()]
    bruno = visitor(joined(cast.bruno, team.club))
    assert bruno.get(at("team_edit", year, team.pk)).status_code == 404  # of the club, and no more
    [his] = Player.objects.filter(pk=cast.bruno.player.pk)
    services.amend_team(team, "Modena", [*four[:3], his], cast.sara, NOW)
    nobody, dino, carla = visitor(), visitor(cast.dino), visitor(cast.carla)
    addresses = [at("team_edit", year, team.pk), at("team_titles", year, team.pk)]
    for address in addresses:
        assert nobody.get(address).status_code == 302
        assert dino.get(address).status_code == 404
        assert carla.post(address, {"withdraw": "1"}).status_code == 404
    assert [bruno.get(address).status_code for address in addresses] == [200, 302]
    for client, status in ((nobody, 302), (dino, 404), (bruno, 404)):
        assert act(client, year, "reject", team=team.pk, reason="x").status_code == status
        assert client.post(at("teams_list"), {"season": cup.season.pk}).status_code == status
        assert client.get(at("teams", year)).status_code == 200
    assert states(cup) == {"Modena": "submitted"}
    for wrong in (1999, 10**20):
        assert bruno.get(at("teams", wrong)).status_code == 404
        assert bruno.get(at("team_new", wrong)).status_code == 404
    assert bruno.get(at("team_edit", year, 10**20)).status_code == 404
    assert bruno.get(at("team_new", year) + "?circolo=99999999999999999999").status_code == 404
    # a player of another club: told who may
    other = make_club("Pisa")
    answer = bruno.get(at("team_new", year) + f"?circolo={other.pk}")
    assert "is enrolled by one of its players" in Page(answer).text
    four = make_members(other, *"ABCD")
    bruno.post(at("team_new", year) + f"?circolo={other.pk}", form_of(four))
    assert cup.teams.count() == 1


@db
@both
def test_a_player_amends_his_team_and_withdraws_it(cast: Cast) -> None:
    """L-02."""
    year = this_year() + 1
    cup = make_cup(year)
    club, four = make_four("Modena")
    user = joined(cast.bruno, club)
    team = submit(cup, club, four, user)
    client = visitor(user)
    address = at("team_edit", year, team.pk)
    bruno = Player.objects.get(pk=cast.bruno.player.pk)
    assert client.post(address, form_of([*four[:3], bruno], name="Torre")).status_code == 302
    assert names(cup.teams.get()) == [*map(str, four[:3]), str(bruno)]
    wrong = client.post(address, form_of([four[0], four[0], *four[1:3]], name="Torre"))
    assert wrong.status_code == 422
    assert "already" in Page(wrong).text
    assert client.post(address, {"withdraw": "1"}).status_code == 302
    assert client.post(address, {"withdraw": "1"}).status_code == 404
    assert cup.teams.count() == 0


@db
@both
def test_four_guests_enrol_themselves(cast: Cast) -> None:
    """L-08."""
    year = this_year() + 1
    cup = make_cup(year)
    guests = make_members(None, "Uno", "Due", "Tre")
    make_past(
        {guest: 10 + guest.pk for guest in guests},
        date(year - 1, 1, 2),
        now=datetime(year - 1, 1, 3, tzinfo=UTC),
    )
    client = visitor(cast.bruno)  # of no club
    assert "?circolo=stranieri" in client.get(at("team_new", year)).content.decode()
    address = at("team_new", year) + "?circolo=stranieri"
    bruno = Player.objects.get(pk=cast.bruno.player.pk)
    sent = client.post(address, form_of([*guests, bruno], name="Gli Stranieri"))
    assert sent.status_code == 302
    assert all(member.guest for member in cup.teams.get().members.all())
    page = client.get(at("teams", year))
    assert Page(page).text.count("STRANIERO") >= 4


@db
@both
@pytest.mark.parametrize("language", ["en", "it"])
def test_the_whole_story_on_its_pages(language: str, cast: Cast) -> None:
    """L-01..L-13: from the enrolment to the winner, by the buttons of each stage."""
    year = this_year()
    before = datetime(year - 1, 12, 1, 12, tzinfo=UTC)
    titles = make_titles(before)
    sara = visitor(cast.sara, language)
    public = visitor(None, language)
    season = make_season(year, before)
    assert sara.post(at("teams_list"), {"season": season.pk}).status_code == 302
    assert sara.post(at("teams_list"), {"season": season.pk}).status_code == 422
    cup = Cup.objects.get(kind="teams")
    for city in CITIES[:2]:
        enrol(cup, city, before)
    club, four = make_four("Pisa", before)
    late = sara.post(at("team_new", year) + f"?circolo={club.pk}", form_of(four))
    assert late.status_code == 422  # after the term, without the officer's leave
    assert "L-02" in late.content.decode()
    sent = sara.post(at("team_new", year) + f"?circolo={club.pk}", form_of(four, reopen="on"))
    assert sent.status_code == 302
    lecce, others = make_four("Lecce", before)
    rejected = services.submit_team(cup, lecce, "", others, cast.sara, before)
    # acceptance
    assert act(sara, year, "reject", team=rejected.pk, reason="").status_code == 422
    assert act(sara, year, "reject", team=rejected.pk, reason="non vale").status_code == 302
    for team in cup.teams.exclude(pk=rejected.pk):
        assert act(sara, year, "accept", team=team.pk).status_code == 302
    assert act(sara, year, "accept", team=10**30).status_code == 422
    assert act(sara, year, "accept", team="x").status_code == 422
    assert act(sara, year, "nonsense").status_code == 422
    # admission
    page = act(sara, year, "admit")
    assert page.status_code == 422
    assert "L-03" in page.content.decode()
    assert act(sara, year, "admit", note="in ritardo").status_code == 302
    assert set(cup.teams.exclude(pk=rejected.pk).values_list("status", flat=True)) == {"admitted"}
    # titles and tables
    assert "non vale" in Page(public.get(at("teams", year))).text
    data = {"director": cast.director.pk, "starts_on": f"{year}-01-05", "ends_on": f"{year}-12-20"}
    assert act(sara, year, "form", **data).status_code == 422  # nobody has said who plays what
    for team in cup.teams.exclude(pk=rejected.pk):
        players = [member.player_id for member in team.members.all()]
        address = at("team_titles", year, team.pk)
        same = {f"title_{player}": titles[0].pk for player in players}
        wrong = sara.post(address, same)
        assert wrong.status_code == 422
        assert "L-09" in wrong.content.decode()
        right = {f"title_{p}": title.pk for p, title in zip(players, titles, strict=True)}
        assert sara.post(address, right).status_code == 302
    assert act(sara, year, "form", **{**data, "director": ""}).status_code == 422
    assert act(sara, year, "form", **{**data, "starts_on": "mai"}).status_code == 422
    assert act(sara, year, "form", **data).status_code == 302
    assert act(sara, year, "form", **data).status_code == 422
    # games and winner: Modena is first everywhere, at 2000 a game
    cup.refresh_from_db()
    tables = Table.objects.with_everything().filter(round__prova__event=cup.event)
    assert act(sara, year, "conclude").status_code == 422
    for table in tables.order_by("round__prova__order"):
        record(table, 8000, 4000, 2000, now=before, tie_checked=True)
    assert act(sara, year, "conclude").status_code == 302
    assert act(sara, year, "conclude").status_code == 302
    assert [str(h.team) for h in Honour.objects.filter(award="teams")] == ["Modena"]
    for client in (public, sara):
        page = client.get(at("teams", year))
        assert page.status_code == 200
        assert "8000" in Page(page).text  # 4 × 2000
        assert "L-11" in page.content.decode()
        assert "L-12" in page.content.decode()
        assert "Modena" in Page(client.get(at("teams_list"))).text
    lines = public.get(at("teams_csv", year)).content.decode().splitlines()
    assert len(lines) == 1 + 4
    assert lines[1].startswith("1;Modena;Modena;")
    assert "8000" in lines[1]
    assert lines[4].split(";")[1] == "Lecce"
    # what is over can be changed no more
    winner = cup.teams.get(name="Modena")
    assert sara.get(at("team_titles", year, winner.pk)).status_code == 302
    edit = at("team_edit", year, winner.pk)
    assert sara.get(edit).status_code == 200
    assert sara.post(edit, {"withdraw": "1"}).status_code == 422
    assert sara.post(edit, {}).status_code == 422
    for deed in ("accept", "reject"):
        assert act(sara, year, deed, team=winner.pk, reason="x").status_code == 422


@db
@both
@pytest.mark.parametrize("language", ["en", "it"])
def test_a_championship_opened_after_its_term_says_so(language: str, cast: Cast) -> None:
    """L-02, L-13: nobody is offered an admission of nobody."""
    year = this_year()
    season = make_season(year)
    sara = visitor(cast.sara, language)
    page = sara.post(at("teams_list"), {"season": season.pk}, follow=True)
    body = page.content.decode()
    assert 'value="admit"' not in body
    assert "L-13" in body
    assert at("team_new", year) in body
    if language == "en":
        assert "only a secretary may enrol teams" in Page(page).text
        assert f"The term passed on 31 December {year - 1}" in Page(page).text
        assert "open to enrolment" not in Page(page).text
    assert act(sara, year, "admit", note="x").status_code == 422
    cup = Cup.objects.get()
    before = datetime(year - 1, 12, 1, 12, tzinfo=UTC)
    for city in CITIES[:3]:
        services.accept_team(enrol(cup, city, before), cast.sara, before)
    assert 'value="admit"' in sara.get(at("teams", year)).content.decode()


@db
@both
def test_a_club_with_a_team_is_sent_to_it(cast: Cast) -> None:
    """L-04: to amend it, or to see it."""
    year = this_year() + 1
    cup = make_cup(year)
    club, four = make_four("Modena")
    bruno, carla = joined(cast.bruno, club), joined(cast.carla, club)
    team = submit(cup, club, four, bruno)
    edit = at("team_edit", year, team.pk)
    for client, address in (
        (visitor(bruno), edit),
        (visitor(carla), at("teams", year) + f"#team-{team.pk}"),
    ):
        assert client.get(at("team_new", year))["Location"] == address
    sent = visitor(cast.sara).get(at("team_new", year) + f"?circolo={club.pk}")
    assert sent["Location"] == edit
    page = Page(visitor(carla).get(at("teams", year))).text
    assert "My team" in page
    assert "Amend the team" not in page


@db
def test_the_page_asks_for_the_choice_between_level_teams(cast: Cast) -> None:
    """L-03."""
    year = this_year()
    before = datetime(year - 1, 12, 1, 12, tzinfo=UTC)
    cup = make_cup(year, before)
    for city in CITIES:
        services.accept_team(enrol(cup, city, before), cast.sara, before)
    sara = visitor(cast.sara)
    page = sara.get(at("teams", year))
    assert page.content.decode().count('name="preferred"') == 6
    assert "Choose 5 of these: 5 places are left." in Page(page).text
    assert act(sara, year, "admit", note="subito").status_code == 422
    five = [team.pk for team in cup.teams.exclude(name="Bari")]
    assert act(sara, year, "admit", note="subito", preferred=[*five, 10**20]).status_code == 422
    assert act(sara, year, "admit", note="subito", preferred=five).status_code == 302
    assert states(cup)["Bari"] == "excluded"


@db
def test_the_championship_asks_no_more_of_the_database_for_more_teams(cast: Cast) -> None:
    year = this_year() + 1
    cup = make_cup(year)
    client = visitor()
    counts = []
    for city in (*CITIES, "Torino", "Como"):
        enrol(cup, city)
        with CaptureQueriesContext(connection) as queries:
            client.get(at("teams", year))
        counts.append(len(queries))
    assert len(set(counts)) == 1


@db
def test_who_was_struck_off_has_no_name_on_the_page(cast: Cast) -> None:
    """O-16."""
    cup = make_cup(this_year() + 1)
    team = enrol(cup, "Modena")
    struck = team.members.earliest("position").player
    Removal.objects.create(
        player=struck, level="all", ruling="radiato", made_by=cast.sara, made_at=NOW
    )
    for user in (None, cast.sara):
        page = visitor(user).get(at("teams", cup.season.year))
        assert str(struck) not in Page(page).text
    csv = visitor().get(at("teams_csv", cup.season.year)).content.decode()
    assert str(struck) not in csv
