"""Every named constraint of the database refuses what it is there to refuse."""

from __future__ import annotations

from collections.abc import Callable
from datetime import date, timedelta
from typing import Any, TypeVar
from uuid import uuid4

import pytest
from django.apps import apps
from django.db import IntegrityError, connection, models, transaction

from figf.models import Contribution, Draw, Email, EmailChange, User
from figf.tests.cast import DAY, NOW, Federation, make_federation, seats_of
from pbem.models import Action, Consent, Game, Move, Place
from pbem.tests import recorded
from rankings.models import (
    Cup,
    CupAbsence,
    CupDraw,
    Honour,
    Publication,
    PublicationLine,
    Team,
    TeamMember,
)
from tournaments.models import (
    Ban,
    Claim,
    Club,
    Entry,
    Event,
    EventPlace,
    Holder,
    Merge,
    Player,
    Prova,
    RefereeTerm,
    Removal,
    Result,
    ResultLine,
    Round,
    Season,
    Seat,
    Table,
    Title,
)

Violation = Callable[[Federation], object]
M = TypeVar("M", bound=models.Model)
OURS = ("figf", "tournaments", "rankings", "pbem", "discipline")


def add(row: models.Model) -> object:
    return type(row)._default_manager.bulk_create([row])


def copy(row: models.Model, **changed: Any) -> object:
    """The same row once more, but for what is `changed`."""
    values = {f.attname: getattr(row, f.attname) for f in row._meta.concrete_fields}
    values |= {"id": None, **changed}
    return add(type(row)(**values))


def alter(row: models.Model, **changed: Any) -> object:
    return type(row)._default_manager.filter(pk=row.pk).update(**changed)


def place(f: Federation, **changed: Any) -> object:
    values = {"event": f.event, "player": f.cast.bruno.player, "place": 1, "total": 0, "best": 0}
    return add(EventPlace(**(values | changed)))


def removal(f: Federation, level: str, **target: Any) -> object:
    return add(
        Removal(
            player=f.cast.bruno.player,
            level=level,
            ruling="x",
            made_at=NOW,
            made_by=f.cast.sara,
            **target,
        )
    )


def prova(f: Federation) -> Prova:
    return f.event.prove.get()


def seat(f: Federation) -> Seat:
    return seats_of(f.playing)[0]


def written(row: M) -> M:
    """The row itself, for others to be made of it."""
    add(row)
    return row


def publication(f: Federation, **changed: Any) -> Publication:
    values: dict[str, Any] = {
        "number": 1 + Publication.objects.count(),
        "kind": "absolute",
        "season": f.event.season,
        "as_of": NOW.date(),
        "by": f.cast.sara,
        "at": NOW,
    }
    return written(Publication(**(values | changed)))


def published(f: Federation, **changed: Any) -> PublicationLine:
    values: dict[str, Any] = {"player": f.cast.judge, "place": 1, "total": 0}
    if "publication" not in changed:
        values["publication"] = publication(f)
    return written(PublicationLine(**(values | changed)))


def twice_published(f: Federation) -> object:
    return copy(published(f))


def honour(f: Federation, **changed: Any) -> Honour:
    values: dict[str, Any] = {
        "season": f.event.season,
        "award": "absolute",
        "player": f.cast.judge,
        "by": f.cast.sara,
        "at": NOW,
    }
    return written(Honour(**(values | changed)))


def cup(f: Federation, **changed: Any) -> Cup:
    values: dict[str, Any] = {
        "kind": "teams",
        "season": f.event.season,
        "by": f.cast.sara,
        "at": NOW,
    }
    return written(Cup(**(values | changed)))


def absence(f: Federation, **changed: Any) -> CupAbsence:
    values: dict[str, Any] = {
        "player": f.cast.judge,
        "reason": "in viaggio",
        "by": f.cast.sara,
        "at": NOW,
    }
    if "cup" not in changed:
        values["cup"] = cup(f)
    return written(CupAbsence(**(values | changed)))


def other_dice(f: Federation, **changed: Any) -> CupDraw:
    values = {"cup": cup(f), "draw": f.open_draw, "players": [1, 2]}
    return written(CupDraw(**(values | changed)))


def team(f: Federation, **changed: Any) -> Team:
    values: dict[str, Any] = {"name": "Binari", "by": f.cast.sara, "at": NOW}
    if "cup" not in changed:
        values["cup"] = cup(f)
    return written(Team(**(values | changed)))


def member(f: Federation, **changed: Any) -> TeamMember:
    values: dict[str, Any] = {"player": f.cast.judge, "position": 1}
    if "team" not in changed:
        values["team"] = team(f)
    return written(TeamMember(**(values | changed)))


def a_club() -> Club:
    return Club.objects.get_or_create(name="Dopolavoro")[0]


def result(f: Federation) -> Result:
    return f.played.results.get()


def game(f: Federation, **changed: Any) -> Game:
    """A game by correspondence at the table that still plays; nothing makes one yet."""
    values: dict[str, Any] = {
        "table": f.playing,
        "title": "1830",
        "seed": "0" * 64,
        "rules": 1,
        "clock": "running",
        "due_at": NOW + 2 * DAY,
        **changed,
    }
    [made] = Game.objects.bulk_create([Game(**values)])
    return made


def move(f: Federation, **changed: Any) -> Move:
    values = {"number": 1, "seat": seat(f), "kind": "own", "received_at": NOW, **changed}
    [made] = Move.objects.bulk_create([Move(game=game(f), **values)])
    return made


def consent(f: Federation) -> Consent:
    made = move(f)
    hours = {"asked_at": NOW, "due_at": NOW + 2 * DAY}
    [asked] = Consent.objects.bulk_create(
        [Consent(game=made.game, move=made, index=0, seat=made.seat, action={}, **hours)]
    )
    return asked


def pbem_place(f: Federation, **changed: Any) -> Place:
    values = {"player": f.cast.director, "asked_at": NOW, **changed}
    [made] = Place.objects.bulk_create([Place(game=game(f), **values)])
    return made


def action(f: Federation, seq: int = 1) -> Action:
    made = move(f)
    [done] = Action.objects.bulk_create(
        [Action(game=made.game, seq=seq, move=made, payload={}, digest="0" * 16)]
    )
    return done


def merge(f: Federation, **changed: Any) -> object:
    values = {"kept": f.cast.director, "gone": f.unjoined, "by": f.cast.sara, "at": NOW}
    return add(Merge(**(values | changed)))


VIOLATIONS: dict[str, list[Violation]] = {
    # figf
    "user_email_once_whatever_the_case": [
        lambda f: alter(f.cast.dino, email="BRUNO@example.org"),
    ],
    "one_open_email_change_per_user": [
        lambda f: copy(EmailChange.objects.get(user=f.cast.bruno)),
    ],
    "email_sent_or_failed_not_both": [
        lambda f: alter(f.mail, sent_at=NOW, failed_at=NOW),
    ],
    "draw_revealed_has_throws": [lambda f: alter(f.open_draw, revealed_at=NOW)],
    "draw_thrown_here_is_committed": [lambda f: alter(f.open_draw, commitment="")],
    "contribution_position_once": [
        lambda f: copy(f.open_draw.contributions.get(position=1), user_id=None),
    ],
    "contribution_user_once": [
        lambda f: copy(f.open_draw.contributions.get(position=1), position=9),
    ],
    # tournaments
    "title_seats_make_sense": [
        lambda f: alter(prova(f).title, min_players=1),
        lambda f: alter(prova(f).title, min_players=5, max_players=4),
    ],
    "referee_term_in_order": [
        lambda f: add(
            RefereeTerm(player=f.unjoined, starts_on=date(2026, 3, 14), ends_on=date(2026, 3, 13))
        ),
    ],
    "one_open_claim_per_user": [lambda f: copy(f.claim, player_id=f.cast.director.pk)],
    "claim_decided_says_how": [
        lambda f: alter(f.claim, decided_at=NOW),
        lambda f: alter(f.claim, accepted=True),
    ],
    "event_ordinal_once": [lambda f: alter(f.draft, ordinal=f.event.ordinal)],
    "event_dates_in_order": [
        lambda f: alter(f.event, ends_on=f.event.starts_on - timedelta(days=1)),
    ],
    "entry_once": [lambda f: copy(f.event.entries.earliest("pk"))],
    "entry_rounds_in_order": [
        lambda f: alter(f.event.entries.earliest("pk"), from_round=2, until_round=1),
    ],
    "entry_present_is_enrolled": [
        lambda f: alter(f.hall.entries.earliest("pk"), status="withdrawn"),
        lambda f: alter(f.hall.entries.earliest("pk"), status="waiting"),
    ],
    "event_places_for_a_table": [lambda f: alter(f.event, capacity=1)],
    "prova_order_once": [lambda f: copy(prova(f))],
    "prova_rounds_from_one": [lambda f: alter(prova(f), rounds=0)],
    "round_number_once": [lambda f: copy(f.played.round)],
    "round_published_says_when": [
        lambda f: alter(f.played.round, published_at=None),
        lambda f: alter(f.sketch, status="published"),
        lambda f: alter(f.sketch, published_at=NOW),
    ],
    "table_number_once": [lambda f: alter(f.playing, number=f.played.number)],
    "table_exclusion_has_reason": [lambda f: alter(f.playing, exclusion="recompute")],
    "seat_position_once": [lambda f: copy(seat(f))],
    "seat_handicap_has_reason": [lambda f: alter(seat(f), handicap=-1)],
    "one_present_holder_per_seat": [
        lambda f: copy(seat(f).holders.get(), player_id=f.unjoined.pk),
    ],
    "holder_without_player_is_a_referee": [
        lambda f: alter(seat(f).holders.get(), player=None),
        lambda f: alter(seat(f).holders.get(), why="referee"),
    ],
    "result_version_once": [lambda f: copy(result(f), state="superseded")],
    "one_confirmed_result": [lambda f: copy(result(f), version=2, reason="x")],
    "correction_has_reason": [
        lambda f: copy(result(f), version=2, state="superseded"),
    ],
    "withdrawal_has_reason": [
        lambda f: copy(result(f), version=1, table_id=f.playing.pk, state="withdrawn"),
    ],
    "result_line_once_per_seat": [
        lambda f: copy(result(f).lines.earliest("pk"), player_id=f.unjoined.pk),
    ],
    "result_line_once_per_player": [
        lambda f: copy(result(f).lines.earliest("pk"), seat_id=seat(f).pk),
    ],
    "removal_has_its_target": [
        lambda f: removal(f, "game"),
        lambda f: removal(f, "game", table=f.played, event=f.event),
        lambda f: removal(f, "prova", table=f.played),
        lambda f: removal(f, "event", prova=prova(f)),
        lambda f: removal(f, "championship", season=f.event.season),
        lambda f: removal(f, "championship", championship="absolute"),
        lambda f: removal(f, "all", event=f.event),
        lambda f: removal(f, "everywhere"),
    ],
    "ban_counts_from_one": [
        lambda f: add(
            Ban(
                player=f.unjoined,
                scope="all",
                count=0,
                starts_on=date(2026, 3, 14),
                ruling="x",
                made_by=f.cast.sara,
                made_at=NOW,
            )
        ),
    ],
    "merge_of_two": [lambda f: merge(f, gone=f.cast.director)],
    "one_standing_merge_per_player": [
        lambda f: (merge(f), merge(f, kept=f.cast.bruno.player)),
    ],
    "merge_undone_says_by_whom": [
        lambda f: merge(f, undone_at=NOW),
        lambda f: merge(f, undone_by=f.cast.sara),
    ],
    "event_place_once": [
        lambda f: (place(f), place(f)),
    ],
    "event_place_from_one": [lambda f: place(f, place=0)],
    # rankings
    "publication_has_its_standing": [
        lambda f: publication(f, season=None),
        lambda f: publication(f, kind="ranking"),
        lambda f: publication(f, kind="specialty"),
        lambda f: publication(f, kind="event", season=None),
    ],
    "publication_line_once": [twice_published],
    "publication_place_from_one": [lambda f: published(f, place=0)],
    "honour_of_a_specialty_names_it": [
        lambda f: honour(f, award="specialty"),
        lambda f: honour(f, title=f.played.title),
    ],
    "honour_has_its_winner": [
        lambda f: honour(f, player=None),
        lambda f: honour(f, award="teams"),
        lambda f: honour(f, team=team(f)),
    ],
    "honour_once": [lambda f: copy(honour(f))],
    "honour_once_a_specialty": [
        lambda f: copy(honour(f, award="specialty", title=f.played.title)),
    ],
    "honour_once_a_team": [lambda f: copy(honour(f, award="teams", player=None, team=team(f)))],
    "cup_once_a_season": [lambda f: copy(cup(f))],
    "cup_provisional_says_why": [lambda f: cup(f, provisional=True)],
    "cup_draw_freezes_the_field": [
        lambda f: cup(f, draw=f.open_draw),
        lambda f: cup(f, frozen={"titles": []}),
    ],
    "cup_draw_given_up_or_of_level_people": [
        lambda f: other_dice(f, players=[]),
        lambda f: other_dice(f, reason="malato"),
    ],
    "cup_absence_once": [lambda f: copy(absence(f))],
    "cup_absence_says_why": [lambda f: absence(f, reason="")],
    "team_name_once": [lambda f: copy(team(f))],
    "one_team_a_club": [lambda f: copy(team(f, club=a_club()), name="Altri")],
    "team_rejected_says_why": [lambda f: team(f, status="rejected")],
    "team_member_once": [lambda f: copy(member(f), position=2)],
    "team_position_once": [lambda f: copy(member(f), player_id=f.unjoined.pk)],
    "team_title_once": [
        lambda f: copy(member(f, title=f.played.title), position=2, player_id=f.unjoined.pk),
    ],
    # pbem
    "game_due_only_while_the_clock_runs": [
        lambda f: game(f, due_at=None),
        lambda f: game(f, clock="reviewing", due_at=None),
        lambda f: game(f, clock="contested"),
        lambda f: game(f, clock="over"),
    ],
    "game_paused_keeps_what_remains": [
        lambda f: game(f, clock="paused", due_at=None),
        lambda f: game(f, paused_remaining=DAY),
    ],
    "place_once": [lambda f: copy(pbem_place(f))],
    "place_reserve_once": [
        lambda f: copy(pbem_place(f, reserve=1), player_id=f.unjoined.pk),
    ],
    "move_number_once": [lambda f: copy(move(f), key=uuid4())],
    "move_form_once": [lambda f: copy(move(f), number=2)],
    "move_played_has_its_number": [
        lambda f: move(f, number=None),
        lambda f: move(f, state="received"),
    ],
    "consent_once": [lambda f: copy(consent(f))],
    "action_seq_once": [lambda f: copy(action(f))],
    "action_seq_from_one": [lambda f: action(f, seq=0)],
    "recording_once_for_its_user": [lambda f: copy(recorded.brought(f), key="altra")],
}

ALLOWED: list[Violation] = [
    lambda f: alter(f.mail, sent_at=NOW),
    lambda f: alter(f.claim, decided_at=NOW, accepted=False),
    lambda f: alter(prova(f), rounds=2),
    lambda f: alter(f.playing, exclusion="recompute", exclusion_reason="12.13"),
    lambda f: alter(seat(f), handicap=-1, handicap_reason="12.13"),
    lambda f: alter(seat(f).holders.get(), player=None, why="referee"),
    lambda f: copy(seat(f).holders.get(), ends_at=NOW),
    lambda f: copy(result(f), version=2, state="superseded", reason="x"),
    lambda f: removal(f, "game", table=f.played),
    lambda f: removal(f, "prova", prova=prova(f)),
    lambda f: removal(f, "event", event=f.event),
    lambda f: removal(f, "championship", season=f.event.season, championship="absolute"),
    lambda f: removal(f, "all"),
    lambda f: game(f, clock="paused", due_at=None, paused_remaining=DAY),
    lambda f: game(f, clock="over", due_at=None),
    lambda f: copy(recorded.brought(f), key="altra", user_id=f.cast.dino.pk),
    action,
    lambda f: copy(published(f), player_id=f.unjoined.pk),
    lambda f: publication(f, kind="ranking", season=None),
    honour,
    lambda f: honour(f, award="specialty", title=f.played.title),
    lambda f: cup(f, draw=f.open_draw, frozen={"titles": []}),
    other_dice,
    lambda f: other_dice(f, players=[], reason="malato"),
    absence,
    lambda f: member(f, guest=True),
    lambda f: copy(team(f, club=a_club(), status="rejected", reason="in cinque"), name="Altri"),
    merge,
    lambda f: (merge(f, undone_at=NOW, undone_by=f.cast.sara), merge(f)),
    lambda f: alter(f.cast.dino, email="Somebody.Else@example.org"),
    lambda f: alter(f.event, ends_on=f.event.starts_on),
]


@pytest.mark.django_db
@pytest.mark.both
def test_every_constraint_refuses_its_violation() -> None:
    federation = make_federation()
    for name, violations in VIOLATIONS.items():
        for number, violate in enumerate(violations):
            with pytest.raises(IntegrityError) as error, transaction.atomic():
                violate(federation)
            if connection.vendor == "postgresql":  # SQLite tells the columns, not the name
                assert name in str(error.value), (name, number)


@pytest.mark.django_db
@pytest.mark.both
def test_what_stands_on_the_right_side_of_a_constraint_is_written() -> None:
    federation = make_federation()
    for allowed in ALLOWED:
        with transaction.atomic():
            assert allowed(federation)
            transaction.set_rollback(True)


def test_no_constraint_is_missing_from_this_list() -> None:
    named = {
        constraint.name
        for app in OURS
        for model in apps.get_app_config(app).get_models()
        for constraint in model._meta.constraints
    }
    assert set(VIOLATIONS) == named


KINDS = (
    User,
    Email,
    EmailChange,
    Draw,
    Contribution,
    Player,
    Claim,
    Season,
    Event,
    Entry,
    Prova,
    Round,
    Table,
    Seat,
    Holder,
    Result,
    ResultLine,
    RefereeTerm,
    Title,
    Removal,
    Ban,
    Game,
    Move,
    Action,
)


@pytest.mark.django_db
def test_what_others_refer_to_is_not_deleted_under_them() -> None:
    """People, seats of a result, results of a table: what history names stays."""
    federation = make_federation()
    kept: list[models.Model] = [
        federation.cast.alice,
        federation.cast.bruno.player,
        federation.played,
        federation.event.season,
        prova(federation).title,
        seats_of(federation.played)[0],
    ]
    before = {kind: kind._default_manager.count() for kind in KINDS}
    for row in kept:
        with pytest.raises(models.ProtectedError), transaction.atomic():
            row.delete()
    assert {kind: kind._default_manager.count() for kind in KINDS} == before
