"""The team championship: enrolment, acceptance, admission, tables, winner.

Every verb locks the championship: teams cannot race for a club, a guest or a place. Until the
tables are formed everything can still be mended; from then on its event tells what happens.
"""

from __future__ import annotations

import hashlib
from collections.abc import Collection, Iterable, Mapping, Sequence
from dataclasses import dataclass
from datetime import date, datetime

from django.db import transaction
from django.db.models import QuerySet
from django.utils import timezone
from django.utils.translation import gettext as _

from figf.errors import Refused
from figf.models import LogEntry, User
from rankings.models import Cup, Honour, Team, TeamMember
from rankings.rules import teams as rules
from rankings.rules.readings import readings_of
from rankings.services.standings import absolute_of
from rankings.services.supercoppa_state import cup_titles
from tournaments import services as events
from tournaments import texts
from tournaments.models import Club, Event, Holder, Player, Result, Season, Table, Title
from tournaments.rules import referees
from tournaments.rules.regulation import Illegal, PlayerId
from tournaments.services.refusals import refuse_closed_season, refused

NAME_LENGTH = 120
REASON_LENGTH = 200

STATES: Mapping[str, rules.State] = {
    Team.Status.SUBMITTED: "enrolled",
    Team.Status.ACCEPTED: "enrolled",
    Team.Status.ADMITTED: "admitted",
    Team.Status.EXCLUDED: "left_out",
    Team.Status.REJECTED: "rejected",
}
VETTED = (Team.Status.ACCEPTED, Team.Status.ADMITTED, Team.Status.EXCLUDED)


# --- the championship -----------------------------------------------------------------------------


@transaction.atomic
def open_teams(
    season: Season, by: User, now: datetime, *, provisional: bool = False, note: str = ""
) -> Cup:
    """The team championship that is played in `season`, open to enrolment (L-02).

    It is judged on the absolute of the year before, which is waited for at the admission unless the
    championship is `provisional`. Locks the season. Refuses one that is closed (`season_closed`,
    F-08), a second championship (`cup_exists`), and a provisional one that does not say why
    (`reason_missing`, L-03).
    """
    season = Season.objects.select_for_update(no_key=True).get(pk=season.pk)
    refuse_closed_season(season)
    note = " ".join(note.split())[:REASON_LENGTH]
    if provisional and not note:
        raise _provisional_without_reason()
    if season.cups.filter(kind=Cup.Kind.TEAMS).exists():
        raise Refused(
            "cup_exists",
            _("The team championship of %(year)d is open already.") % {"year": season.year},
            field="season",
        )
    cup = Cup.objects.create(
        kind=Cup.Kind.TEAMS, season=season, provisional=provisional, note=note, by=by, at=now
    )
    LogEntry.objects.record(by, "open_teams", cup, now)
    return cup


@transaction.atomic
def withdraw_teams(cup: Cup, by: User, now: datetime) -> None:
    """It was opened by mistake: it is there no more, nor are the teams that were rejected.

    Locks the championship. Refuses tables formed already (`tables_formed`, L-09), a championship
    whose winner is written (`already_written`) and one with a team that is not rejected
    (`teams_enrolled`, L-02).
    """
    cup = _locked(cup)
    if Honour.objects.filter(team__cup=cup).exists():
        raise Refused("already_written", _("The champions are proclaimed already."), rule="L-10")
    if cup.teams.exclude(status=Team.Status.REJECTED).exists():
        raise Refused(
            "teams_enrolled",
            _("Teams have enrolled: the championship stays. Reject them first."),
            rule="L-02",
        )
    LogEntry.objects.record(by, "withdraw_teams", cup, now, season=cup.season_id)
    cup.teams.all().delete()
    cup.delete()


def _provisional_without_reason() -> Refused:
    return Refused(
        "reason_missing",
        _("Say why the federation does not wait for the absolute to be final."),
        rule="L-03",
        field="note",
    )


def teams_of(cup: Cup) -> list[Team]:
    """Its teams, with club and members, by name."""
    return list(_with_members(cup.teams.all()))


def _with_members(teams: QuerySet[Team]) -> QuerySet[Team]:
    found = teams.select_related("club", "by").prefetch_related("members__player__club")
    return found.prefetch_related("members__title").order_by("name", "pk")


def may_enrol(user: User, club: Club | None, members: Collection[int] = ()) -> bool:
    """Whether `user` may enrol a team: a secretary, or a player of its club (L-02).

    A team of guests alone, who is one of its `members`.
    """
    if user.is_staff:
        return True
    player = Player.objects.filter(user=user).first()
    if player is None:
        return False
    return player.pk in members if club is None else player.club_id == club.pk


def may_amend(user: User, team: Team) -> bool:
    """Whether `user` may act for a team enrolled: who enrolled it, its four, a secretary (L-02)."""
    if user.is_staff or team.by_id == user.pk:
        return True
    return any(member.player.user_id == user.pk for member in team.members.all())


def edition_of_team(team: Team) -> str:
    """A mark of the name and the four of a team: a page that shows another one is stale."""
    values = [team.name, *(member.player_id for member in team.members.all())]
    return hashlib.sha256(repr(values).encode()).hexdigest()[:16]


# --- enrolment ------------------------------------------------------------------------------------


def judge_team(
    cup: Cup, club: Club | None, members: Sequence[Player], team: Team | None = None
) -> list[Refused]:
    """All that the rules have against such a team, `team` itself apart: nothing if it may enrol.

    What concerns a member names his box: ``member_1`` and so on. Writes nothing.
    """
    others = [each for each in teams_of(cup) if team is None or each.pk != team.pk]
    return _faults(club, members, others)


def irregular_teams(teams: Sequence[Team]) -> dict[int, list[Refused]]:
    """The teams that are to be put right, by key, and what the rules have against each today.

    Who is rejected or left out is not among them. Writes nothing.
    """
    off = (Team.Status.REJECTED, Team.Status.EXCLUDED)
    found = {
        team.pk: _faults(
            team.club,
            [member.player for member in team.members.all()],
            [each for each in teams if each.pk != team.pk],
        )
        for team in teams
        if team.status not in off
    }
    return {pk: faults for pk, faults in found.items() if faults}


def _faults(club: Club | None, members: Sequence[Player], others: Sequence[Team]) -> list[Refused]:
    """What the rules have against such a team; what concerns a player names him."""
    home: dict[PlayerId, rules.ClubId | None] = {
        member.player_id: member.player.club_id for each in others for member in each.members.all()
    }
    found = rules.faults(
        None if club is None else club.pk,
        [player.pk for player in members],
        home | {player.pk: player.club_id for player in members},
        [_enrolled(each) for each in others],
    )
    if not found:
        return []
    called = {each.pk: each.name for each in others}
    struck = events.struck_off()
    return [_named_fault(illegal, members, called, struck) for illegal in found]


def _named_fault(
    illegal: Illegal, members: Sequence[Player], called: Mapping[int, str], struck: set[int]
) -> Refused:
    data = dict(illegal.data)
    if "team" in data:
        data["team"] = called[data["team"]]
    text = texts.refusal(Illegal(illegal.reason, illegal.rule, **data))
    if illegal.seat is not None:
        player = members[illegal.seat]
        text = _("%(player)s: %(fault)s") % {
            "player": "–" if player.pk in struck else player,
            "fault": text,
        }
    return Refused(str(illegal.reason), text, rule=illegal.rule, field=illegal.field)


def _enrolled(team: Team) -> rules.Enrolled:
    members = list(team.members.all())
    return rules.Enrolled(
        team.pk,
        team.club_id,
        tuple(member.player_id for member in members),
        frozenset(member.player_id for member in members if member.guest),
        STATES[team.status],
    )


@transaction.atomic
def submit_team(
    cup: Cup,
    club: Club | None,
    name: str,
    members: Sequence[Player],
    by: User,
    now: datetime,
    *,
    reopen: bool = False,
) -> Team:
    """Enrol the four of a club, or, without one, four guests (L-02).

    Without a name it is called as its club. `reopen` is the leave of the FIGF officer for a team
    that comes after the term; only a secretary gives it.

    Locks the championship. Refuses who may not (`not_yours`, L-02), after the term
    (`team_too_late`, L-02), once the tables are formed (`tables_formed`), a name that is missing
    (`name_missing`) or taken (`name_taken`), who is on the books no more (`struck_off`), and all
    that `judge_team` finds (L-01, L-04..L-08).
    """
    cup = _locked(cup)
    _refuse_stranger(by, club, [player.pk for player in members])
    late = _refuse_late(cup, by, now, reopen)
    name = _named(cup, name, club)
    _refuse_struck_off(members)
    _refuse_faulty(club, members, teams_of(cup))
    team = Team.objects.create(cup=cup, club=club, name=name, reopened=late, by=by, at=now)
    _write_members(team, members)
    LogEntry.objects.record(by, "submit_team", team, now, members=[p.pk for p in members])
    return team


@transaction.atomic
def amend_team(
    team: Team,
    name: str,
    members: Sequence[Player],
    by: User,
    now: datetime,
    *,
    reopen: bool = False,
    seen: str | None = None,
) -> Team:
    """Another name, or other players: whoever changes is to be vetted again (L-02).

    Who stays keeps the title that he is to play. Nothing changed: nothing written. `seen` is the
    edition that was on the page (`edition_of_team`).

    Locks the championship. Refuses as `submit_team`, who may not (`not_yours`, L-02), a team that
    was rejected (`team_rejected`, L-02) or is there no more (`team_gone`), one that somebody has
    changed meanwhile (`stale`), and other players after the admission, unless it is a secretary who
    changes them (`already_admitted`, L-03).
    """
    team = _locked_team(team)
    before = [member.player_id for member in team.members.all()]
    _refuse_others(by, team)
    _refuse_rejected(team)
    if seen is not None and seen != edition_of_team(team):
        raise Refused(
            "stale",
            _(
                "Somebody has changed this team meanwhile. Now it is %(team)s: %(players)s. Save "
                "again to put yours in its place."
            )
            % {"team": team, "players": _listed(team)},
        )
    name = _named(team.cup, name, team.club, team)
    same = [player.pk for player in members] == before
    if same and name == team.name:
        return team
    decided = team.status in (Team.Status.ADMITTED, Team.Status.EXCLUDED)
    if not same and decided and not by.is_staff:
        raise Refused(
            "already_admitted",
            _("The admission is decided: only a secretary changes the players."),
            rule="L-03",
        )
    late = _refuse_late(team.cup, by, now, reopen)
    if not same:
        _refuse_struck_off(members)
        _refuse_faulty(team.club, members, [t for t in teams_of(team.cup) if t.pk != team.pk])
        _write_members(team, members)
        team.status, team.reason = Team.Status.SUBMITTED, ""
    team.name, team.reopened = name, team.reopened or late
    team.save(update_fields=["name", "status", "reason", "reopened"])
    LogEntry.objects.record(
        by, "amend_team", team, now, before=before, members=[player.pk for player in members]
    )
    return _locked_team(team)


@transaction.atomic
def withdraw_team(team: Team, by: User, now: datetime) -> None:
    """A team takes its enrolment back: its players, guests too, are free again.

    Locks the championship. Refuses who may not (`not_yours`, L-02), a rejected team
    (`team_rejected`, L-02), and as every verb of a team.
    """
    team = _locked_team(team)
    members = [member.player_id for member in team.members.all()]
    _refuse_others(by, team)
    _refuse_rejected(team)
    LogEntry.objects.record(
        by, "withdraw_team", team.cup, now, team=team.pk, club=team.club_id, members=members
    )
    team.delete()


def _locked(cup: Cup) -> Cup:
    """The championship under its lock, before its tables are formed."""
    found = _lock(cup)
    if found.event_id is not None:
        raise Refused(
            "tables_formed",
            _("The tables are formed: teams no longer change."),
            rule="L-09",
        )
    return found


def _lock(cup: Cup) -> Cup:
    locked = Cup.objects.select_for_update(of=("self",), no_key=True).filter(pk=cup.pk)
    if locked.first() is None:
        raise Refused("cup_gone", _("This championship is there no more."))
    return Cup.objects.select_related("season", "event").get(pk=cup.pk)


def _locked_team(team: Team) -> Team:
    """The team under the lock of its championship. Refuses one that is there no more."""
    cup = _locked(team.cup)
    found = _with_members(Team.objects.filter(pk=team.pk)).first()
    if found is None:
        raise Refused("team_gone", _("This team has withdrawn: load the page again."))
    found.cup = cup
    return found


def _refuse_stranger(by: User, club: Club | None, members: Collection[int]) -> None:
    if not may_enrol(by, club, members):
        if club is None:
            text = _("A team of guests is enrolled by one of them, or by a secretary.")
        else:
            text = _("The team of a club is enrolled by one of its players, or by a secretary.")
        raise Refused("not_yours", text, rule="L-02", field="club")


def _refuse_others(by: User, team: Team) -> None:
    if not may_amend(by, team):
        raise Refused(
            "not_yours",
            _("A team is changed by who enrolled it, by its players, or by a secretary."),
            rule="L-02",
            field="club",
        )


def _listed(team: Team) -> str:
    struck = events.struck_off()
    members = team.members.all()
    return ", ".join("–" if m.player_id in struck else str(m.player) for m in members)


def _refuse_late(cup: Cup, by: User, now: datetime, reopen: bool) -> bool:
    """Whether it is after the term, by leave; without that, refuse."""
    today, year = timezone.localdate(now), cup.season.year
    try:
        rules.check_term(today, year, reopened=reopen and by.is_staff)
    except Illegal as illegal:
        raise refused(illegal) from None
    return today > rules.term(year)


def _named(cup: Cup, name: str, club: Club | None, team: Team | None = None) -> str:
    name = " ".join(name.split()) or (club.name if club is not None else "")
    if not name:
        raise Refused("name_missing", _("Write the name."), field="name")
    if len(name) > NAME_LENGTH:
        raise Refused("name_too_long", _("This name is too long."), field="name")
    namesakes = cup.teams.filter(name__iexact=name).exclude(status=Team.Status.REJECTED)
    if team is not None:
        namesakes = namesakes.exclude(pk=team.pk)
    namesake = namesakes.first()
    # who enrols a club twice is told so, and not that the name is taken
    own = namesake is not None and club is not None and namesake.club_id == club.pk
    if namesake is not None and not own:
        raise Refused(
            "name_taken",
            _("Another team of this championship has this name: choose another."),
            field="name",
        )
    return name


def _refuse_struck_off(members: Sequence[Player]) -> None:
    gone = events.struck_off()
    for seat, player in enumerate(members):
        if player.pk in gone:
            raise Refused(
                "struck_off",
                _("This player is not on the books any more: choose somebody else."),
                field=rules.box(seat),
            )


def _refuse_faulty(club: Club | None, members: Sequence[Player], others: Sequence[Team]) -> None:
    for fault in _faults(club, members, others):
        raise fault


def _write_members(team: Team, members: Sequence[Player]) -> None:
    titles = dict(team.members.values_list("player_id", "title_id"))
    team.members.all().delete()
    TeamMember.objects.bulk_create(
        TeamMember(
            team=team,
            player=player,
            position=position,
            guest=rules.is_guest(player.club_id, team.club_id),
            title_id=titles.get(player.pk),
        )
        for position, player in enumerate(members, start=1)
    )


def _refuse_rejected(team: Team) -> None:
    if team.status == Team.Status.REJECTED:
        raise Refused(
            "team_rejected",
            _("This team was rejected: the club may enrol another."),
            rule="L-02",
        )


# --- the officer ----------------------------------------------------------------------------------


@transaction.atomic
def accept_team(team: Team, by: User, now: datetime) -> Team:
    """The FIGF officer has vetted a team (L-02), by the books and the other teams of today.

    Who belongs to another club since he was enrolled is its guest now. Locks the championship.
    Refuses what `judge_team` finds today, a rejected team (`team_rejected`), and as every verb of a
    team. One accepted already: nothing written.
    """
    team = _locked_team(team)
    _refuse_rejected(team)
    if team.status in VETTED:
        return team
    members = list(team.members.all())
    others = [each for each in teams_of(team.cup) if each.pk != team.pk]
    _refuse_faulty(team.club, [member.player for member in members], others)
    for member in members:
        member.guest = rules.is_guest(member.player.club_id, team.club_id)
    TeamMember.objects.bulk_update(members, ["guest"])
    team.status = Team.Status.ACCEPTED
    team.save(update_fields=["status"])
    LogEntry.objects.record(by, "accept_team", team, now)
    return team


@transaction.atomic
def reject_team(team: Team, reason: str, by: User, now: datetime) -> Team:
    """The FIGF officer rejects a team, and says why (L-02); its guest is not fished back (L-07).

    Its club may enrol another. Locks the championship. Refuses no reason (`reason_missing`), and as
    every verb of a team. Rejected already, another reason takes the place of the first; the same
    again: nothing written.
    """
    team = _locked_team(team)
    reason = " ".join(reason.split())[:REASON_LENGTH]
    if not reason:
        raise Refused(
            "reason_missing",
            _("Say why the team is rejected: its players will read it."),
            rule="L-02",
            field="reason",
        )
    if (team.status, team.reason) == (Team.Status.REJECTED, reason):
        return team
    team.status, team.reason = Team.Status.REJECTED, reason
    team.save(update_fields=["status", "reason"])
    LogEntry.objects.record(by, "reject_team", team, now, reason=reason)
    return team


# --- admission ------------------------------------------------------------------------------------


@dataclass(frozen=True, slots=True)
class YearBefore:
    """The absolute that admits teams: its season if there is one, and whether that is closed."""

    season: Season | None
    absolute: rules.Absolute

    @property
    def final(self) -> bool:
        return self.season is not None and self.season.closed_at is not None


def year_before(cup: Cup) -> YearBefore:
    """The absolute of the year before the championship, as it stands now (L-03)."""
    season = Season.objects.filter(year=cup.season.year - 1).first()
    rows = [each.row for each in absolute_of(season).rows] if season is not None else []
    return YearBefore(
        season,
        rules.Absolute({row.key: row.total for row in rows}, {row.key: row.place for row in rows}),
    )


def ranked_teams(
    cup: Cup,
    teams: Iterable[Team],
    absolute: rules.Absolute,
    preferred: Collection[int] | None = None,
) -> tuple[rules.Admission, ...]:
    """The teams as the absolute ranks them, and who of them is admitted (L-03). Writes nothing.

    `preferred` are the teams chosen of those level for the last place, by default those chosen
    before. Rejected teams are not among them.
    """
    competing = [team for team in teams if team.status != Team.Status.REJECTED]
    if preferred is None:
        preferred = [team.pk for team in competing if team.status == Team.Status.ADMITTED]
    fours: dict[rules.TeamId, Sequence[PlayerId]] = {
        team.pk: [member.player_id for member in team.members.all()] for team in competing
    }
    return rules.admission(fours, absolute, readings_of(cup.season.year), preferred)


@transaction.atomic
def admit_teams(
    cup: Cup, by: User, now: datetime, *, note: str = "", preferred: Collection[int] = ()
) -> list[Team]:
    """Write which teams are admitted and which left out (L-03); again, if one has withdrawn since.

    A `note` says why the federation does not wait for the absolute of the year before to be final.
    `preferred` are the keys of the teams chosen of those level for the last place.

    Locks the championship. Refuses: before the term (`enrolment_open`, L-02), teams still to be
    vetted (`not_vetted`, L-02), fewer than three (`too_few_teams`, L-13), an absolute that is not
    final, without a reason (`season_open`, L-03), a team against the rules as it stands today, and
    a choice still to be made (`teams_level`, L-03). The same outcome again writes nothing.
    """
    cup = _locked(cup)
    teams = [team for team in teams_of(cup) if team.status != Team.Status.REJECTED]
    _refuse_unready(cup, teams, now)
    before = year_before(cup)
    _refuse_not_final(cup, before, note, by, now)
    for team in teams:
        four = [member.player for member in team.members.all()]
        for fault in _faults(team.club, four, [each for each in teams if each.pk != team.pk]):
            text = _("%(team)s: %(fault)s") % {"team": team, "fault": fault.text}
            raise Refused(fault.reason, text, rule=fault.rule)
    told = ranked_teams(cup, teams, before.absolute, preferred or None)
    try:
        rules.check_chosen(told)
    except Illegal as illegal:
        raise refused(illegal) from None
    admitted = {row.key for row in told if row.admitted}
    changed = False
    for team in teams:
        status = Team.Status.ADMITTED if team.pk in admitted else Team.Status.EXCLUDED
        if team.status != status:
            team.status, changed = status, True
            team.save(update_fields=["status"])
    if changed:
        LogEntry.objects.record(by, "admit_teams", cup, now, admitted=sorted(map(int, admitted)))
    return [team for team in teams if team.pk in admitted]


@transaction.atomic
def take_back_admission(cup: Cup, by: User, now: datetime) -> list[Team]:
    """No team is admitted or left out any more: the admission is to be decided again (L-03).

    Also whether it waits for an absolute that is not final. Who plays what stays as it was written.
    Locks the championship. Refuses tables formed already (`tables_formed`, L-09) and an admission
    still to be decided (`not_admitted`, L-03).
    """
    cup = _locked(cup)
    decided = cup.teams.filter(status__in=(Team.Status.ADMITTED, Team.Status.EXCLUDED))
    keys = sorted(decided.values_list("pk", flat=True))
    if not keys:
        raise Refused("not_admitted", _("No admission is decided yet."), rule="L-03")
    decided.update(status=Team.Status.ACCEPTED)
    LogEntry.objects.record(by, "take_back_admission", cup, now, teams=keys, note=cup.note)
    cup.provisional, cup.note = False, ""
    cup.save(update_fields=["provisional", "note"])
    return teams_of(cup)


def _refuse_unready(cup: Cup, teams: Sequence[Team], now: datetime) -> None:
    if timezone.localdate(now) <= rules.term(cup.season.year):
        raise Refused(
            "enrolment_open",
            _("Enrolment is still open: teams are admitted after its term."),
            rule="L-02",
        )
    waiting = [team.name for team in teams if team.status == Team.Status.SUBMITTED]
    if waiting:
        raise Refused(
            "not_vetted",
            _("Accept or reject these teams first: %(teams)s.") % {"teams": ", ".join(waiting)},
            rule="L-02",
        )
    try:
        rules.table_size(len(teams))
    except Illegal as illegal:
        raise refused(illegal) from None


def _refuse_not_final(cup: Cup, before: YearBefore, note: str, by: User, now: datetime) -> None:
    note = " ".join(note.split())[:REASON_LENGTH]
    if before.final or cup.provisional:
        return
    if not note:
        raise Refused(
            "season_open",
            _(
                "The season of %(year)d is not closed: wait for it, or say why its absolute is "
                "used as it stands."
            )
            % {"year": cup.season.year - 1},
            rule="L-03",
            field="note",
        )
    cup.provisional, cup.note = True, note
    cup.save(update_fields=["provisional", "note"])
    LogEntry.objects.record(by, "judge_provisionally", cup, now, note=note)


# --- the games ------------------------------------------------------------------------------------


@transaction.atomic
def assign_titles(team: Team, titles: Mapping[int, Title], by: User, now: datetime) -> Team:
    """Who of a team plays which title, by the key of the player (L-09); again, until the tables.

    Locks the championship. Refuses who may not (`not_yours`, L-02), a team that is not admitted
    (`not_admitted`, L-03), titles that are not those of the games (`not_a_cup_title`, L-09), a
    player without a game or two with the same (`one_game_each`, L-09). The same again writes
    nothing.
    """
    team = _locked_team(team)
    members = list(team.members.all())
    _refuse_others(by, team)
    if team.status != Team.Status.ADMITTED:
        raise Refused("not_admitted", _("This team is not admitted."), rule="L-03")
    known = {title.pk for title in _four_titles()}
    for title in titles.values():
        if title.pk not in known:
            raise Refused(
                "not_a_cup_title",
                _("%(title)s is not among the titles of the championship.") % {"title": title},
                rule="L-09",
            )
    chosen: dict[PlayerId, rules.TitleId] = {player: title.pk for player, title in titles.items()}
    try:
        rules.check_titles([member.player_id for member in members], chosen)
    except Illegal as illegal:
        raise refused(illegal) from None
    if all(member.title_id == titles[member.player_id].pk for member in members):
        return team
    team.members.update(title=None)  # a title is never twice in a team, not even meanwhile
    for member in members:
        member.title = titles[member.player_id]
        member.save(update_fields=["title"])
    LogEntry.objects.record(
        by, "assign_titles", team, now, titles={str(p): t.pk for p, t in titles.items()}
    )
    return team


def _four_titles() -> list[Title]:
    titles = cup_titles()
    if len(titles) != rules.TEAM_SIZE:
        raise Refused(
            "titles",
            _(
                "The register has %(n)d titles in use for cups, and the championship is played on "
                "%(games)d: correct it first."
            )
            % {"n": len(titles), "games": rules.TEAM_SIZE},
            rule="L-09",
        )
    return titles


@transaction.atomic
def form_team_tables(
    cup: Cup,
    director: Player,
    by: User,
    now: datetime,
    *,
    starts_on: date | None = None,
    ends_on: date | None = None,
) -> Event:
    """The four tables, one a title, with one player of each team admitted, already playing (L-09).

    They are those of an event of the season, a cup, from `starts_on`, by default today, to
    `ends_on`, by default the end of the year. Each has a referee where a FIGF referee suits (M-02).

    Locks the championship, then the season. Refuses: teams still to be admitted (`not_admitted`,
    L-03), fewer than three (`too_few_teams`, L-13), a team that has not said who plays what
    (`titles_missing`, L-09), titles that are not four (`titles`, L-09); what `create_event` refuses
    of director and dates, and who may not enrol (A-18).
    """
    cup = _locked(cup)
    teams = _ready_to_play(cup)
    titles = _four_titles()
    year = cup.season.year
    today = timezone.localdate(now)
    first = starts_on or min(max(today, date(year, 1, 1)), date(year, 12, 31))
    event = events.create_event(
        cup.season,
        _event_name(cup),
        first,
        ends_on or max(first, date(year, 12, 31)),
        by,
        now,
        kind=Event.Kind.CUP,
        director=director,
    )
    prove = [events.add_prova(event, title, by, now) for title in titles]
    event = events.set_status(event, Event.Status.ENROLLING, by, now)
    for team in teams:
        for member in team.members.all():
            _enrol(event, team, member.player, by, now)
    tables = [
        [member.player for team in teams for member in team.members.all() if member.title == title]
        for title in titles
    ]
    named = _referees(tables, director, event)
    for prova, players, referee in zip(prove, tables, named, strict=True):
        events.seat_round(prova, 1, [players], by, now, referees=[referee])
    cup.event = Event.objects.get(pk=event.pk)
    cup.save(update_fields=["event"])
    LogEntry.objects.record(by, "form_team_tables", cup, now, event=event.pk)
    return cup.event


def _event_name(cup: Cup) -> str:
    """Another name only after tables that were taken back."""
    name = f"Campionato a squadre {cup.season.year}"
    before = cup.season.events.filter(kind=Event.Kind.CUP, name__startswith=name).count()
    return f"{name} ({before + 1})" if before else name


@transaction.atomic
def take_back_team_tables(cup: Cup, reason: str, by: User, now: datetime) -> Cup:
    """Cancel the event, before anything is played: teams may change, and tables be formed again.

    An event cancelled or declared not valid on its own page is left as it is. Locks the
    championship, then the event. Refuses no tables (`tables_missing`, L-09), no reason
    (`reason_missing`, L-09), a winner written already (`already_written`, L-10), a result
    (`results_in`, B-15), and what `set_status` refuses.
    """
    cup = _lock(cup)
    if cup.event is None:
        raise Refused("tables_missing", _("The tables are not formed yet."), rule="L-09")
    reason = " ".join(reason.split())[:REASON_LENGTH]
    if not reason:
        raise Refused(
            "reason_missing",
            _("Say why the tables are taken back."),
            rule="L-09",
            field="reason",
        )
    if _proclaimed(cup).exists():
        raise Refused("already_written", _("The champions are proclaimed already."), rule="L-10")
    event = Event.objects.select_for_update(of=("self",), no_key=True).get(pk=cup.event.pk)
    if not event.is_off():
        if has_results(cup):
            raise Refused(
                "results_in", _("A result is in: the tables cannot be taken back."), rule="B-15"
            )
        events.set_status(event, Event.Status.CANCELLED, by, now, reason=reason)
    cup.event = None
    cup.save(update_fields=["event"])
    LogEntry.objects.record(by, "take_back_team_tables", cup, now, event=event.pk, reason=reason)
    return cup


def has_results(cup: Cup) -> bool:
    """Whether a result was ever written at one of its tables."""
    tables = Table.objects.filter(round__prova__event=cup.event_id)
    return cup.event_id is not None and Result.objects.filter(table__in=tables).exists()


def _ready_to_play(cup: Cup) -> list[Team]:
    found = teams_of(cup)
    teams = [team for team in found if team.status == Team.Status.ADMITTED]
    waiting = (Team.Status.SUBMITTED, Team.Status.ACCEPTED)
    if any(team.status in waiting for team in found) or _place_is_free(found):
        raise Refused("not_admitted", _("Decide first which teams are admitted."), rule="L-03")
    try:
        rules.table_size(len(teams))
    except Illegal as illegal:
        raise refused(illegal) from None
    silent = [
        team.name for team in teams if any(member.title is None for member in team.members.all())
    ]
    if silent:
        raise Refused(
            "titles_missing",
            _("Say who plays which title: %(teams)s.") % {"teams": ", ".join(silent)},
            rule="L-09",
        )
    return teams


def _place_is_free(teams: Iterable[Team]) -> bool:
    """Whether a team left out could take the place of one that has withdrawn."""
    statuses = [team.status for team in teams]
    admitted = statuses.count(Team.Status.ADMITTED)
    return Team.Status.EXCLUDED in statuses and admitted < rules.MOST_TEAMS


def _enrol(event: Event, team: Team, player: Player, by: User, now: datetime) -> None:
    """Who may not enrol is told with his team, which may still change him."""
    try:
        events.enrol(event, player, by, now, present=True)
    except Refused as refusal:
        text = _("%(team)s, %(player)s: %(fault)s") % {
            "team": team,
            "player": player,
            "fault": refusal.text,
        }
        raise Refused(refusal.reason, text, rule=refusal.rule) from None


def _referees(
    tables: Sequence[Sequence[Player]], director: Player, event: Event
) -> list[Player | None]:
    """Of the FIGF referees who play or direct, one for each table where he does not sit (M-02)."""
    day = event.starts_on
    seated = {player.pk: player for players in tables for player in players}
    known = Player.objects.filter(pk__in=[*seated, director.pk]).prefetch_related("referee_terms")
    able = {player.pk: player for player in known if player.is_referee(day)}
    spare = [pk for pk in able if pk not in seated]
    sitting = [[player.pk for player in players] for players in tables]
    named = referees.propose(sitting, [pk for pk in sorted(able) if pk in seated], spare)
    return [None if pk is None else able[int(pk)] for pk in named]


# --- the winner -----------------------------------------------------------------------------------


def team_standing(cup: Cup, teams: Iterable[Team]) -> tuple[rules.Row, ...]:
    """How the teams stand by the tables that have a confirmed result (L-10). Writes nothing.

    A seat is its team's whoever holds it in the end: also a substitute's percentile is.
    """
    games = games_of(cup, teams)
    played = {team: list(his.values()) for team, his in games.items()}
    return rules.standing(played, readings_of(cup.season.year))


def games_of(cup: Cup, teams: Iterable[Team]) -> dict[rules.TeamId, dict[int, rules.Game]]:
    """What each admitted team has from its games so far, by the order of their prove."""
    found: dict[rules.TeamId, dict[int, rules.Game]] = {
        team.pk: {} for team in teams if team.status == Team.Status.ADMITTED
    }
    if cup.event is None:
        return found
    sides = {
        member.player_id: team.pk
        for team in teams
        for member in team.members.all()
        if team.pk in found
    }
    seats: dict[int, list[tuple[int, int | None]]] = {}  # by seat: prova and holder, in order
    holders = Holder.objects.filter(seat__table__round__prova__event=cup.event).order_by("pk")
    for seat, order, player in holders.values_list(
        "seat_id", "seat__table__round__prova__order", "player_id"
    ):
        seats.setdefault(seat, []).append((order, player))
    side = {
        (held[-1][0], held[-1][1]): sides[held[0][1]]
        for held in seats.values()
        if held[0][1] in sides
    }
    for credit in events.credits_of(cup.event):
        team = side.get((credit.prova, int(credit.player)))
        if team is not None:
            found[team][credit.prova] = rules.Game(credit.points, credit.win)
    return found


@transaction.atomic
def conclude_teams(cup: Cup, by: User, now: datetime) -> list[Honour]:
    """Proclaim the team that has won, several if they are level by every criterion (L-10, L-11).

    Its event is closed with it. Done again after a correction, it proclaims who has won now. Locks
    the championship, then the event. Refuses before the tables are formed (`tables_missing`, L-09)
    and while one has no confirmed result (`results_missing`, L-10); and what `close_event` refuses.
    The same winners again: nothing written.
    """
    cup = _lock(cup)
    if cup.event is None:
        raise Refused("tables_missing", _("The tables are not formed yet."), rule="L-09")
    _refuse_still_playing(cup.event)
    if cup.event.status != Event.Status.CLOSED:
        events.close_event(cup.event, by, now)
    teams = teams_of(cup)
    won = {int(key) for key in rules.winners(team_standing(cup, teams))}
    honours = _proclaimed(cup)
    told = list(honours.select_related("team"))
    if {honour.team_id for honour in told} == won:
        return told
    honours.delete()
    for pk in sorted(won):
        Honour.objects.create(
            season=cup.season, award=Honour.Award.TEAMS, team_id=pk, by=by, at=now
        )
    LogEntry.objects.record(by, "conclude_teams", cup, now, teams=sorted(won))
    return list(honours.select_related("team"))


def _proclaimed(cup: Cup) -> QuerySet[Honour]:
    return Honour.objects.filter(season=cup.season, award=Honour.Award.TEAMS, by_hand=False)


@dataclass(frozen=True, slots=True)
class Champions:
    """Who was proclaimed; `disputed` when results corrected since put `first` somebody else."""

    proclaimed: tuple[Team, ...]
    first: tuple[Team, ...]

    @property
    def disputed(self) -> bool:
        return bool(self.proclaimed and self.first and set(self.proclaimed) != set(self.first))

    @property
    def winners(self) -> tuple[Team, ...]:
        """Who was proclaimed, as long as the tables say the same."""
        return () if self.disputed else self.proclaimed


def champions_of(cup: Cup, teams: Sequence[Team]) -> Champions:
    """The champions as the roll of honour has them, and as the tables do. Writes nothing.

    Without tables, as in the years of the history, or with a line by hand, the roll alone counts.
    """
    honours = Honour.objects.filter(season=cup.season, award=Honour.Award.TEAMS)
    told = [each for each in honours.select_related("team__club") if each.team is not None]
    proclaimed = tuple(each.team for each in told if each.team is not None)
    if not told or cup.event_id is None or any(each.by_hand for each in told):
        return Champions(proclaimed, ())
    won = set(rules.winners(team_standing(cup, teams)))
    return Champions(proclaimed, tuple(team for team in teams if team.pk in won))


def games_over(cup: Cup) -> bool:
    """Whether every table has a confirmed result, or was declared void."""
    return cup.event is not None and not _still_playing(cup.event).exists()


def _still_playing(event: Event) -> QuerySet[Table]:
    return Table.objects.filter(round__prova__event=event, status=Table.Status.PLAYING)


def _refuse_still_playing(event: Event) -> None:
    tables = _still_playing(event).select_related("round__prova__title").order_by("round__prova")
    waiting = [str(table.title) for table in tables]
    if waiting:
        raise Refused(
            "results_missing",
            _("These games have no confirmed result yet: %(titles)s.")
            % {"titles": ", ".join(waiting)},
            rule="L-10",
        )
