"""FIGF, chapter 10: the team championship (*Campionato a squadre*).

Five teams of four, one for each club, on four games (000:113-128). A player of no enrolled club may
complete another club's team: he is its *STRANIERO*, here a guest. Four guests make a team of their
own, which has no club.
"""

from __future__ import annotations

from collections.abc import Callable, Collection, Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, replace
from datetime import date
from decimal import Decimal
from functools import partial
from typing import Literal, TypeAlias

from rankings.rules.readings import SeasonReadings
from rankings.rules.ties import Claim, Criterion, placed, reasons
from tournaments.rules.regulation import (
    Illegal,
    PlayerId,
    Sentence,
    Step,
    gettext_noop,
    places,
)

TEAM_SIZE = 4  # players (000:113)
MOST_TEAMS = 5  # (000:113)
FEWEST_TEAMS = 3  # seats of the smallest table (reading of L-13)
GUESTS_OF_A_TEAM = 1  # (000:122)

ClubId: TypeAlias = int | str
TeamId: TypeAlias = int | str
TitleId: TypeAlias = int | str
State: TypeAlias = Literal["enrolled", "admitted", "left_out", "rejected"]


# --- words ----------------------------------------------------------------------------------------


class No(Sentence):
    """Why a team, or one of its players, is refused."""

    NOT_FOUR = "team_size", gettext_noop("A team is of four different players.")
    TWICE = "team_member_twice", gettext_noop("This player is in the team already.")
    TOO_LATE = (
        "team_too_late",
        gettext_noop("Enrolment is closed: teams enrol by 31 December of the year before."),
    )
    LEVEL = (
        "teams_level",
        gettext_noop(
            "Some teams are level for the last of the %(most)s places: choose one of them."
        ),
    )
    LEVEL_FOR_SEVERAL = (
        "teams_level_for_several",
        gettext_noop(
            "Some teams are level for the last %(left)s of the %(most)s places: choose %(left)s of "
            "them."
        ),
    )
    CLUB_HAS_TEAM = "club_has_team", gettext_noop("The club has a team already.")
    CLUB_ADMITTED = "club_admitted", gettext_noop("Belongs to a club whose team is admitted.")
    IN_ANOTHER = "in_another_team", gettext_noop("Plays for %(team)s already.")
    CLUB_ENROLLED = (
        "club_enrolled",
        gettext_noop("Belongs to a club that has enrolled a team: no guest of another club."),
    )
    SECOND_GUEST = "second_guest", gettext_noop("The team has a guest (STRANIERO) already.")
    GUEST_TWICE = "guest_twice", gettext_noop("Enrolled already as a guest (STRANIERO).")
    FISHED_BACK = (
        "fished_back",
        gettext_noop("Was a guest of a team rejected or left out: nobody is fished back."),
    )
    FOUR_GUESTS = (
        "four_guests",
        gettext_noop(
            "With this one the guests (STRANIERI) in other clubs' teams are %(guests)s: every four "
            "of them form a team of their own."
        ),
    )
    ONE_GAME_EACH = (
        "one_game_each",
        gettext_noop("Each player plays one game only, and each of the titles has its player."),
    )
    TOO_FEW = (
        "too_few_teams",
        gettext_noop("With fewer than %(fewest)s teams the championship cannot be played."),
    )


class Told(Sentence):
    """What explains a team's admission, and its score."""

    POINTS = (
        "team_points",
        gettext_noop("Points of its four in the absolute of the year before: %(parts)s = %(sum)s."),
    )
    PLACES = (
        "team_places",
        gettext_noop(
            "Their places: %(parts)s = %(sum)s; who is not classified counts %(unplaced)s."
        ),
    )
    ALL_ADMITTED = (
        "team_all_admitted",
        gettext_noop("The teams are no more than %(most)s: all are admitted."),
    )
    ADMITTED = (
        "team_admitted",
        gettext_noop("Number %(rank)s of the teams enrolled: the first %(most)s are admitted."),
    )
    CHOSEN = (
        "team_chosen",
        gettext_noop("Level with others for the last place: admitted by choice of the federation."),
    )
    TO_BE_CHOSEN = (
        "team_to_be_chosen",
        gettext_noop("Level with others for the last place: the federation chooses."),
    )
    NOT_CHOSEN = (
        "team_not_chosen",
        gettext_noop("Level with others for the last place: the federation chose another."),
    )
    CHOSEN_OF_SEVERAL = (
        "team_chosen_of_several",
        gettext_noop(
            "Level with others for the last %(left)s places: admitted by choice of the federation."
        ),
    )
    SEVERAL_TO_BE_CHOSEN = (
        "teams_to_be_chosen",
        gettext_noop("Level with others for the last %(left)s places: the federation chooses."),
    )
    NOT_CHOSEN_OF_SEVERAL = (
        "team_not_chosen_of_several",
        gettext_noop(
            "Level with others for the last %(left)s places: the federation chose others."
        ),
    )
    LEFT_OUT = (
        "team_left_out",
        gettext_noop("Number %(rank)s of the teams enrolled: only %(most)s are admitted."),
    )
    SCORE = (
        "team_score",
        gettext_noop("Sum of the percentiles of its four, bonus included: %(parts)s = %(total)s."),
    )


OF_SEVERAL: Mapping[Told, Told] = {
    Told.CHOSEN: Told.CHOSEN_OF_SEVERAL,
    Told.TO_BE_CHOSEN: Told.SEVERAL_TO_BE_CHOSEN,
    Told.NOT_CHOSEN: Told.NOT_CHOSEN_OF_SEVERAL,
}


# --- what goes in ---------------------------------------------------------------------------------


@dataclass(frozen=True, slots=True)
class Enrolled:
    """A team of the championship: its four, and which of them are its guests.

    Without a `club` it is a team of guests alone. Rejected or left out, it is discarded.
    """

    key: TeamId
    club: ClubId | None
    members: tuple[PlayerId, ...]
    guests: frozenset[PlayerId] = frozenset()
    state: State = "enrolled"

    @property
    def discarded(self) -> bool:
        return self.state in {"rejected", "left_out"}


@dataclass(frozen=True, slots=True)
class Absolute:
    """The absolute of the year before: points and place of whoever is classified."""

    points: Mapping[PlayerId, int]
    places: Mapping[PlayerId, int]

    @property
    def unplaced(self) -> int:
        """What who is not classified counts as his place: the one after the last (L-03)."""
        return max(self.places.values(), default=0) + 1


@dataclass(frozen=True, slots=True)
class Game:
    """One of a team's four games: the percentile credited, None if none, and whether it was won."""

    percentile: Decimal | None
    won: bool = False


# --- enrolment, in the order of the rules ---------------------------------------------------------


def check_four(members: Sequence[PlayerId]) -> None:
    """L-01 — a team is of four players, all different.

    Refuses: NOT_FOUR; TWICE, at the second of the two.

    >>> check_four(["a", "b", "c", "d"])
    >>> check_four(["a", "b", "c"])
    Traceback (most recent call last):
    tournaments.rules.regulation.Illegal: team_size (L-01)
    """
    for seat, member in enumerate(members):
        if member in members[:seat]:
            raise Illegal(No.TWICE, "L-01", seat=seat, field=box(seat))
    if len(members) != TEAM_SIZE:
        raise Illegal(No.NOT_FOUR, "L-01")


def box(seat: int) -> str:
    """The name of a member's box in the form of a team, by his position from 0.

    >>> box(0)
    'member_1'
    """
    return f"member_{seat + 1}"


def term(year: int) -> date:
    """L-02 — enrolments are formalised by the end of the year before the one of the games.

    The last day on which a team may enrol for the championship of `year`. Refuses nothing.

    >>> term(2027)
    datetime.date(2026, 12, 31)
    """
    return date(year - 1, 12, 31)


def check_term(day: date, year: int, *, reopened: bool = False) -> None:
    """What L-02 refuses: a team that comes after the term, unless the FIGF officer reopens.

    Refuses: TOO_LATE.

    >>> check_term(date(2026, 12, 31), 2027)
    >>> check_term(date(2027, 1, 1), 2027)
    Traceback (most recent call last):
    tournaments.rules.regulation.Illegal: team_too_late (L-02)
    """
    if day > term(year) and not reopened:
        raise Illegal(No.TOO_LATE, "L-02")


def check_club(club: ClubId | None, others: Iterable[Enrolled]) -> None:
    """L-04 — every club, association, group or town takes part with one team only.

    A rejected team is none. Teams of guests have no club, and may be several. Refuses:
    CLUB_HAS_TEAM.

    >>> check_club("Modena", [Enrolled(1, "Modena", (), state="rejected")])
    >>> check_club("Modena", [Enrolled(1, "Modena", ())])
    Traceback (most recent call last):
    tournaments.rules.regulation.Illegal: club_has_team (L-04)
    """
    if club is not None and club in enrolled_clubs(others):
        raise Illegal(No.CLUB_HAS_TEAM, "L-04", field="club")


def enrolled_clubs(teams: Iterable[Enrolled]) -> set[ClubId]:
    """The clubs that have a team in the championship, admitted or left out, but not rejected."""
    return {t.club for t in teams if t.club is not None and t.state != "rejected"}


def check_crossing(
    member: PlayerId, home: ClubId | None, club: ClubId | None, others: Iterable[Enrolled]
) -> None:
    """L-05 — who belongs to a club whose team is admitted plays for no other; nobody plays for two.

    `home` is the club he belongs to, `club` the team's. Refuses: CLUB_ADMITTED; IN_ANOTHER, with
    the key of the other `team`.

    >>> check_crossing("a", "Roma", "Modena", [Enrolled(1, "Roma", ("b",), state="admitted")])
    Traceback (most recent call last):
    tournaments.rules.regulation.Illegal: club_admitted (L-05)
    """
    for other in others:
        if other.state == "admitted" and home is not None and club != home == other.club:
            raise Illegal(No.CLUB_ADMITTED, "L-05")
        if not other.discarded and member in other.members and member not in other.guests:
            raise Illegal(No.IN_ANOTHER, "L-05", team=other.key)


def is_guest(home: ClubId | None, club: ClubId | None) -> bool:
    """Whether who belongs to `home` is a guest in a team of `club`; in one without, everybody is.

    >>> is_guest("Roma", "Modena"), is_guest(None, None), is_guest("Roma", "Roma")
    (True, True, False)
    """
    return club is None or home != club


def check_guest(home: ClubId | None, others: Iterable[Enrolled]) -> None:
    """L-06 — a guest (*STRANIERO*) is a player of no club enrolled in the championship.

    `home` is his club. That of a rejected team is not enrolled; whether the team misses a player is
    for the officer to judge. Refuses: CLUB_ENROLLED.

    >>> check_guest("Lecce", [Enrolled(1, "Roma", ())])
    >>> check_guest("Roma", [Enrolled(1, "Roma", ())])
    Traceback (most recent call last):
    tournaments.rules.regulation.Illegal: club_enrolled (L-06)
    """
    if home is not None and home in enrolled_clubs(others):
        raise Illegal(No.CLUB_ENROLLED, "L-06")


def check_limits(
    guest: PlayerId,
    before: Collection[PlayerId],
    club: ClubId | None,
    others: Iterable[Enrolled],
) -> None:
    """L-07 — a guest enrols once, is not fished back from a discarded team, and is a team's only.

    `before` are the guests named before him in the same team; a team without a club is of guests.
    Discarded are teams rejected or left out. Refuses: GUEST_TWICE, FISHED_BACK, SECOND_GUEST.

    >>> check_limits("a", [], "Modena", [Enrolled(1, "Roma", ("a",), frozenset("a"))])
    Traceback (most recent call last):
    tournaments.rules.regulation.Illegal: guest_twice (L-07)
    >>> check_limits("b", ["a"], "Modena", [])
    Traceback (most recent call last):
    tournaments.rules.regulation.Illegal: second_guest (L-07)
    """
    for other in others:
        if guest in other.guests:
            raise Illegal(No.FISHED_BACK if other.discarded else No.GUEST_TWICE, "L-07")
    if club is not None and len(before) >= GUESTS_OF_A_TEAM:
        raise Illegal(No.SECOND_GUEST, "L-07")


def own_teams(guests: int) -> tuple[int, int]:
    """L-08 — every four guests form a team of their own, and may join no other; the rest may.

    How many such teams there are, and how many guests are free to join. Refuses nothing.

    >>> own_teams(3), own_teams(4), own_teams(5)
    ((0, 3), (1, 0), (1, 1))
    """
    return divmod(guests, TEAM_SIZE)


def check_pool(joining: int, of_own: int) -> None:
    """What L-08 refuses: guests in clubs' teams (`joining`) who are four or more.

    `of_own` are those who already make teams of their own. Refuses: FOUR_GUESTS.

    >>> check_pool(3, 4)
    >>> check_pool(4, 0)
    Traceback (most recent call last):
    tournaments.rules.regulation.Illegal: four_guests (L-08)
    """
    _teams, free = own_teams(joining + of_own)
    if joining > free:
        raise Illegal(No.FOUR_GUESTS, "L-08", guests=joining)


def pool(
    teams: Sequence[Enrolled],
    home: Mapping[PlayerId, ClubId | None],
    club: ClubId | None = None,
) -> tuple[int, int]:
    """How many guests of the teams play for clubs, and how many for teams of their own (L-08).

    `home` says the club of each guest: whose club has enrolled since, as `club` now does, is no
    guest any more (L-06), and does not count.

    >>> guests = [Enrolled(1, "Roma", tuple("abcd"), frozenset("d")),
    ...           Enrolled(2, None, tuple("efgh"), frozenset("efgh"))]
    >>> pool(guests, {}), pool(guests, {"d": "Bari"}), pool(guests, {"d": "Bari"}, "Bari")
    ((1, 4), (1, 4), (0, 4))
    """
    enrolled = enrolled_clubs(teams) | ({club} if club is not None else set())
    joining = of_own = 0
    for team in teams:
        if not team.discarded:
            guests = sum(home.get(guest) not in enrolled for guest in team.guests)
            if team.club is None:
                of_own += guests
            else:
                joining += guests
    return joining, of_own


def faults(
    club: ClubId | None,
    members: Sequence[PlayerId],
    home: Mapping[PlayerId, ClubId | None],
    others: Sequence[Enrolled],
) -> tuple[Illegal, ...]:
    """All that L-01 and L-04..L-08 have against a team, in their order: nothing if it may enrol.

    `home` says the club of each member and of the guests of `others`, all the other teams. What
    concerns one member has his position as its `seat`, and names his `box`; of each member only the
    first is told.

    >>> lecce = Enrolled("Lecce", "Lecce", tuple("efgh"))
    >>> found = faults("Bari", "abcc", {"a": "Bari", "b": "Lecce", "c": "Bari"}, [lecce])
    >>> [(str(fault), fault.seat) for fault in found]
    [('team_member_twice (L-01)', 3), ('club_enrolled (L-06)', 1)]
    """
    found: list[Illegal] = []
    for seat, checks in _checks(club, members, home, others):
        for check in checks:
            try:
                check()
            except Illegal as illegal:
                found.append(illegal if seat is None else _at(seat, illegal))
                break
    return tuple(found)


Checks: TypeAlias = list[Callable[[], None]]


def _checks(
    club: ClubId | None,
    members: Sequence[PlayerId],
    home: Mapping[PlayerId, ClubId | None],
    others: Sequence[Enrolled],
) -> Iterator[tuple[int | None, Checks]]:
    """What is asked of the team, and then of each member: first the position, None for the team."""
    yield None, [partial(check_four, members)]
    yield None, [partial(check_club, club, others)]
    joining, of_own = pool(others, home, club)
    guests: list[PlayerId] = []
    for seat, member in enumerate(members):
        if member in members[:seat]:
            continue
        his = home.get(member)
        asked: Checks = [partial(check_crossing, member, his, club, others)]
        if is_guest(his, club):
            asked.append(partial(check_guest, his, others))
            asked.append(partial(check_limits, member, tuple(guests), club, others))
            guests.append(member)
            if club is not None:
                asked.append(partial(check_pool, joining + 1, of_own))
        yield seat, asked


def _at(seat: int, illegal: Illegal) -> Illegal:
    return Illegal(illegal.reason, illegal.rule, seat=seat, field=box(seat), **illegal.data)


# --- admission ------------------------------------------------------------------------------------


@dataclass(frozen=True, slots=True)
class Admission:
    """Whether a team is admitted: its four's points and places added up, and its `rank` by them.

    Teams that neither tells apart share the rank; `admitted` is None while one of them is to be
    chosen for the last place.
    """

    key: TeamId
    rank: int
    points: int
    places: int
    admitted: bool | None
    steps: tuple[Step, ...]


def admission(
    teams: Mapping[TeamId, Sequence[PlayerId]],
    absolute: Absolute,
    readings: SeasonReadings,
    preferred: Collection[TeamId] = (),
) -> tuple[Admission, ...]:
    """L-03 — of more than five teams, those whose four add up the most points are admitted.

    Points are those of the absolute of the year before; equal sums are told apart by the lower sum
    of places, where who is not classified counts the place after the last. By "places", the sum of
    places alone. Teams level for the last of the five places are the federation's choice: those
    `preferred`, as many as there are places left. By rank, those admitted first; level teams are in
    the order of their keys. Refuses nothing.

    >>> from rankings.rules.readings import READINGS
    >>> year = Absolute({"a": 75, "b": 54}, {"a": 1, "b": 2})
    >>> [(row.key, row.points, row.places) for row in admission(
    ...     {"Bari": "bxyz", "Roma": "axyz"}, year, READINGS)]
    [('Roma', 75, 10), ('Bari', 54, 11)]
    """
    sums = {
        key: (
            sum(absolute.points.get(member, 0) for member in members),
            sum(absolute.places.get(member, absolute.unplaced) for member in members),
        )
        for key, members in teams.items()
    }
    by_places = readings.teams_by == "places"
    merits = [(0 if by_places else points, -stood) for points, stood in sums.values()]
    ranks = dict(zip(sums, places(merits), strict=True))
    left = _places_left(ranks)
    outcome = _outcome(ranks, preferred)
    rows = [
        Admission(
            key,
            ranks[key],
            *sums[key],
            {Told.LEFT_OUT: False, Told.NOT_CHOSEN: False, Told.TO_BE_CHOSEN: None}.get(
                outcome[key], True
            ),
            (*_sums(members, absolute), _decided(outcome[key], ranks[key], left)),
        )
        for key, members in teams.items()
    ]
    rows.sort(key=lambda row: (row.rank, not row.admitted, isinstance(row.key, str), row.key))
    return tuple(rows)


def _outcome(ranks: Mapping[TeamId, int], preferred: Collection[TeamId]) -> dict[TeamId, Told]:
    """What becomes of each team, and by what."""
    if len(ranks) <= MOST_TEAMS:
        return dict.fromkeys(ranks, Told.ALL_ADMITTED)
    last = sorted(ranks.values())[MOST_TEAMS - 1]
    found = {key: Told.ADMITTED if rank <= last else Told.LEFT_OUT for key, rank in ranks.items()}
    level = {key for key, rank in ranks.items() if rank == last}
    left = _places_left(ranks)
    if len(level) > left:
        named = level & set(preferred)
        enough = len(named) == left
        for key in level:
            chosen = Told.CHOSEN if key in named else Told.NOT_CHOSEN
            found[key] = chosen if enough else Told.TO_BE_CHOSEN
    return found


def _places_left(ranks: Mapping[TeamId, int]) -> int:
    """How many of the places are left for the teams level with the last of them."""
    if len(ranks) <= MOST_TEAMS:
        return 0
    last = sorted(ranks.values())[MOST_TEAMS - 1]
    return MOST_TEAMS - sum(rank < last for rank in ranks.values())


def _sums(members: Sequence[PlayerId], absolute: Absolute) -> Iterator[Step]:
    won = tuple(absolute.points.get(member, 0) for member in members)
    stood = tuple(absolute.places.get(member, absolute.unplaced) for member in members)
    yield Step.of("L-03", Told.POINTS, parts=won, sum=sum(won))
    yield Step.of("L-03", Told.PLACES, parts=stood, sum=sum(stood), unplaced=absolute.unplaced)


def _decided(kind: Told, rank: int, left: int) -> Step:
    if kind in {Told.ADMITTED, Told.LEFT_OUT}:
        return Step.of("L-03", kind, rank=rank, most=MOST_TEAMS)
    if kind in OF_SEVERAL and left > 1:
        return Step.of("L-03", OF_SEVERAL[kind], left=left, most=MOST_TEAMS)
    return Step.of("L-03", kind, most=MOST_TEAMS)


def to_choose(rows: Iterable[Admission]) -> int:
    """How many of the level teams are to be chosen for the last places (L-03); 0 if none is level.

    >>> to_choose([Admission("Roma", 5, 0, 40, None, ()), Admission("Bari", 5, 0, 40, None, ())])
    5
    """
    found = [row.admitted for row in rows]
    return MOST_TEAMS - found.count(True) if None in found else 0


def check_chosen(rows: Iterable[Admission]) -> None:
    """What L-03 refuses: teams level for the last places, of whom nobody has chosen.

    Refuses: LEVEL, LEVEL_FOR_SEVERAL.

    >>> rows = [Admission(n, n, 9 - n, 40, True, ()) for n in range(1, 5)]
    >>> check_chosen([*rows, Admission(5, 5, 0, 40, None, ()), Admission(6, 5, 0, 40, None, ())])
    Traceback (most recent call last):
    tournaments.rules.regulation.Illegal: teams_level (L-03)
    """
    left = to_choose(rows)
    if left:
        why = No.LEVEL if left == 1 else No.LEVEL_FOR_SEVERAL
        raise Illegal(why, "L-03", field="preferred", most=MOST_TEAMS, left=left)


# --- the games ------------------------------------------------------------------------------------


def check_titles(members: Collection[PlayerId], titles: Mapping[PlayerId, TitleId]) -> None:
    """L-09 — four games, one a title; in each a team plays with a different player.

    `titles` says what each of the `members` plays: everybody one, and none twice. Refuses:
    ONE_GAME_EACH.

    >>> check_titles("ab", {"a": "1830", "b": "1849"})
    >>> check_titles("ab", {"a": "1830", "b": "1830"})
    Traceback (most recent call last):
    tournaments.rules.regulation.Illegal: one_game_each (L-09)
    """
    if set(titles) != set(members) or len(set(titles.values())) != len(titles):
        raise Illegal(No.ONE_GAME_EACH, "L-09")


def table_size(teams: int) -> int:
    """L-13 — with three or four teams the tables have three or four seats.

    How many sit at each of the four tables, one for each team admitted: five at most. Refuses:
    TOO_FEW, with fewer than three.

    >>> table_size(4), table_size(7)
    (4, 5)
    >>> table_size(2)
    Traceback (most recent call last):
    tournaments.rules.regulation.Illegal: too_few_teams (L-13)
    """
    if teams < FEWEST_TEAMS:
        raise Illegal(No.TOO_FEW, "L-13", fewest=FEWEST_TEAMS)
    return min(teams, MOST_TEAMS)


@dataclass(frozen=True, slots=True)
class Row:
    """One row of the championship: percentiles added up, games won, the best percentile."""

    key: TeamId
    place: int
    total: Decimal
    wins: int
    best: Decimal
    steps: tuple[Step, ...]


def standing(games: Mapping[TeamId, Sequence[Game]], readings: SeasonReadings) -> tuple[Row, ...]:
    """L-10 — the team with the highest sum of percentiles, bonus included, wins.

    `games` are those played so far, by team. Equal sums: more games won, then the highest single
    percentile; then the place is shared. By place; who shares one is in the order of the keys. A
    game that credits nothing adds nothing. Refuses nothing.

    >>> from rankings.rules.readings import READINGS
    >>> played = {"Roma": [Game(Decimal("900.00")), Game(Decimal("900.00"))],
    ...           "Bari": [Game(Decimal("1600.00"), won=True), Game(Decimal("200.00"))]}
    >>> [(row.place, row.key, str(row.total), row.wins) for row in standing(played, READINGS)]
    [(1, 'Bari', '1800.00', 1), (2, 'Roma', '1800.00', 0)]
    """
    claims = []
    for key, played in games.items():
        parts = _percentiles(played)
        figures = (
            (Criterion.PLACES, (sum(game.won for game in played),)),
            (Criterion.BEST, (max(parts, default=Decimal(0)),)),
        )
        claims.append(Claim(key, sum(parts, Decimal(0)), figures))
    lower = readings.lower_ranking  # no criterion here asks for it
    rows = []
    told = zip(claims, placed(claims, lower), reasons(claims, lower, "L-10"), strict=True)
    for claim, place, steps in told:
        (_wins, (wins,)), (_best, (best,)) = claim.figures
        parts, total = _percentiles(games[claim.key]), Decimal(claim.total)
        score = Step.of("L-10", Told.SCORE, parts=parts, total=total)
        decided = (replace(step, rule="L-10") for step in steps)
        rows.append(Row(claim.key, place, total, int(wins), Decimal(best), (score, *decided)))
    return tuple(sorted(rows, key=lambda row: (row.place, isinstance(row.key, str), row.key)))


def _percentiles(played: Iterable[Game]) -> tuple[Decimal, ...]:
    return tuple(game.percentile for game in played if game.percentile is not None)


def winners(rows: Iterable[Row]) -> tuple[TeamId, ...]:
    """The first; those level by every criterion have won together (L-10).

    >>> winners(())
    ()
    """
    return tuple(row.key for row in rows if row.place == 1)
