"""A table by correspondence, from who is asked to play to the first move, and its result.

Covers S-01, S-02, S-13, A-14, A-18, S-07, I-08, L-09, T-03, C-11, C-13, C-14.
"""

from __future__ import annotations

from collections.abc import Sequence
from datetime import datetime, timedelta
from typing import Any

import pytest
from django.contrib.auth.hashers import check_password

from figf import services as base
from figf.errors import Refused
from figf.models import Draw, Email, LogEntry, User
from figf.tests.cast import (
    DAY,
    HOUR,
    MINUTE,
    NOW,
    at_once,
    make_cast,
    make_event,
    make_title,
    tables_of,
)
from pbem import services
from pbem.engine import start
from pbem.models import Game, Place
from pbem.services import Opening
from tournaments import services as tournaments
from tournaments.models import Ban, Event, Holder, Player, Result, Table

from .recorded import LONG, bring, play_here
from .running import make_game, make_players, reread, send
from .turns_of_games import turns

db = pytest.mark.django_db
both = pytest.mark.both
BY = NOW + 3 * DAY  # until when players answer


def make_table(
    players: Sequence[User], kind: str = "pbem", title: str = "1830", now: datetime = NOW
) -> Table:
    event = make_event(players=[one.player for one in players], title=title, now=now)
    Event.objects.filter(pk=event.pk).update(kind=kind)
    return tables_of(event)[0]


def opening(master: User | None = None, **more: Any) -> Opening:
    said: dict[str, Any] = {"station_master": master or make_cast().dino, "answer_by": BY}
    return Opening(**(said | more))


def opened(
    players: Sequence[User] | int = 3, reserves: Sequence[User] = (), **more: Any
) -> tuple[Game, list[User]]:
    users = make_players(players) if isinstance(players, int) else list(players)
    asked = [one.player for one in reserves]
    game = services.open_table(
        make_table(users), opening(reserves=asked, **more), make_cast().alice, NOW
    )
    return game, users


def all_yes(game: Game, users: Sequence[User]) -> Game:
    for user in users:
        services.will_play(game.pk, True, user, NOW + HOUR)
    return reread(game)


def holders(game: Game) -> list[Player | None]:
    return [seat.holder().player for seat in reread(game).table.seats.all()]


def refusal(verb: Any, *args: Any, **more: Any) -> Refused:
    with pytest.raises(Refused) as refused:
        verb(*args, **more)
    return refused.value


# --- opened ---------------------------------------------------------------------------------------


@db
@both
@pytest.mark.parametrize("kind", ["pbem", "cup", "friendly"])
def test_whoever_has_a_seat_is_asked(kind: str) -> None:
    """S-01, A-14, I-08, L-09 — the tournament, cups and friendly games: a mail to each seat and to
    each reserve, nobody else."""
    users = make_players(4)
    table = make_table(users[:3], kind)
    game = services.open_table(
        table, opening(reserves=[users[3].player], password="carbone"), make_cast().alice, NOW
    )
    assert (game.clock, game.title, game.preset, game.has_engine) == (
        "gathering",
        "1830",
        "figf",
        True,
    )
    assert game.due_at is None
    assert check_password("carbone", game.password)
    asked = list(game.places.values_list("player", "reserve", "answer"))
    assert asked == [
        *((user.player.pk, None, "") for user in users[:3]),
        (users[3].player.pk, 1, ""),
    ]
    mails = Email.objects.filter(key__startswith="pbem-asked:")
    assert set(mails.values_list("to", flat=True)) == {user.email for user in users}
    assert "reserve number 1" in mails.get(to=users[3].email).body or "riserva" in (
        mails.get(to=users[3].email).body
    )


@db
def test_a_title_without_an_engine_is_kept_by_the_station_master() -> None:
    users = make_players(3)
    game = services.open_table(make_table(users, title="1856"), opening(), make_cast().alice, NOW)
    assert not game.has_engine


@db
def test_the_station_master_never_plays() -> None:
    """S-01 — neither with a seat nor as a reserve, also one named later."""
    users = make_players(3)
    other = make_players(2)[1]
    table = make_table(users)
    alice = make_cast().alice
    one = refusal(services.open_table, table, opening(users[1]), alice, NOW)
    assert (one.reason, one.rule, one.field) == ("master_plays", "S-01", "station_master")
    two = refusal(services.open_table, table, opening(other, reserves=[other.player]), alice, NOW)
    assert two.reason == "master_plays"
    game = services.open_table(table, opening(other), alice, NOW)
    three = refusal(services.call_reserve, game.pk, other.player, alice, NOW)
    assert (three.reason, three.field) == ("master_plays", "player")
    assert not Place.objects.filter(player=other.player).exists()


@db
def test_a_live_event_is_played_around_a_table() -> None:
    """I-08 — by correspondence are its tournament and the cups."""
    table = make_table(make_players(3), "live")
    assert refusal(services.open_table, table, opening(), make_cast().alice, NOW).reason == (
        "not_by_web"
    )


@db
def test_what_else_an_opening_refuses() -> None:
    users = make_players(4)
    alice = make_cast().alice
    table = make_table(users[:3])
    for reason, said in (
        ("no_such_preset", opening(preset="house")),
        ("hour_passed", opening(answer_by=NOW)),
        ("reserve_twice", opening(reserves=[users[3].player] * 2)),
        ("reserve_twice", opening(reserves=[users[0].player])),
    ):
        assert refusal(services.open_table, table, said, alice, NOW).reason == reason
    services.open_table(table, opening(), alice, NOW)
    assert refusal(services.open_table, table, opening(), alice, NOW).reason == "game_there"


@db
@pytest.mark.parametrize("kind", ["pbem", "friendly"])
def test_the_black_list_closes_games_over_the_web(kind: str) -> None:
    """A-18, S-07 — who is on it plays none, a friendly one neither, and is no reserve."""
    users = make_players(4)
    sara = make_cast().sara
    table = make_table(users[:3], kind)
    tournaments.ban(users[3].player, Ban.Scope.WEB, NOW.date(), "ha abbandonato", sara, NOW)
    found = refusal(
        services.open_table, table, opening(reserves=[users[3].player]), make_cast().alice, NOW
    )
    assert (found.reason, found.rule, found.field) == ("blacklisted", "A-18", "reserves")


# --- by invitation --------------------------------------------------------------------------------


@db
@both
def test_a_game_by_invitation_makes_its_own_table() -> None:
    """Its prova, round and table; who is not enrolled is."""
    users = make_players(3)
    here = make_event(players=[users[0].player, *(one.player for one in make_players(3)[1:])])
    Event.objects.filter(pk=here.pk).update(kind="friendly")
    here.refresh_from_db()
    title = make_title("1870")
    people = [one.player for one in users]
    game = services.invite(here, title, people, opening(), make_cast().alice, NOW)
    assert game.title == "1870"
    assert holders(game) == people
    assert game.table.event == here
    assert set(people) <= {entry.player for entry in here.entries.enrolled()}


@db
def test_who_may_not_play_is_not_invited() -> None:
    """A-18."""
    users = make_players(3)
    here = make_event(players=3)
    Event.objects.filter(pk=here.pk).update(kind="friendly")
    here.refresh_from_db()
    sara = make_cast().sara
    tournaments.ban(users[2].player, Ban.Scope.WEB, NOW.date(), "ha abbandonato", sara, NOW)
    people = [one.player for one in users]
    before = here.prove.count()
    found = refusal(services.invite, here, make_title("1830"), people, opening(), sara, NOW)
    assert (found.reason, found.field) == ("blacklisted", "players")
    assert here.prove.count() == before
    Event.objects.filter(pk=here.pk).update(kind="cup")
    here.refresh_from_db()
    assert refusal(
        services.invite, here, make_title("1830"), people, opening(), sara, NOW
    ).reason == ("not_by_invitation")


# --- the presence check ---------------------------------------------------------------------------


@db
@both
def test_a_seat_given_up_goes_to_the_first_reserve_who_said_yes() -> None:
    """The second of the list has answered, the first has not: the seat is the second's; who gave
    it up was never in this game."""
    users = make_players(5)
    game, _ = opened(users[:3], users[3:])
    services.will_play(game.pk, True, users[4], NOW + HOUR)
    services.will_play(game.pk, False, users[1], NOW + 2 * HOUR)
    assert holders(game) == [users[0].player, users[4].player, users[2].player]
    assert not Holder.objects.filter(seat__table=game.table, player=users[1].player).exists()
    mail = Email.objects.get(key__startswith="pbem-seated:")
    assert mail.to == users[4].email
    assert refusal(services.will_play, game.pk, True, users[1], NOW + 3 * HOUR).reason == (
        "not_asked"
    )


@db
def test_a_seat_waits_for_a_reserve_who_says_yes_later() -> None:
    users = make_players(4)
    game, _ = opened(users[:3], users[3:])
    services.will_play(game.pk, False, users[1], NOW + HOUR)
    assert users[1].player in holders(game)
    services.will_play(game.pk, True, users[3], NOW + 2 * HOUR)
    assert holders(game) == [users[0].player, users[3].player, users[2].player]


@db
def test_who_said_no_may_think_again_while_nobody_has_his_seat() -> None:
    game, users = opened()
    services.will_play(game.pk, False, users[1], NOW + HOUR)
    services.will_play(game.pk, True, users[1], NOW + 2 * HOUR)
    services.will_play(game.pk, True, users[0], NOW + 2 * HOUR)
    services.will_play(game.pk, True, users[2], NOW + 2 * HOUR)
    assert services.gathering_of(reread(game)).complete
    dino = make_cast().dino
    kinds = {mail.key.split(":")[3] for mail in Email.objects.filter(to=dino.email)}
    assert kinds == {"given-up", "complete"}


@db
def test_who_is_silent_loses_his_seat_after_the_hour() -> None:
    """And not before; who has answered never does."""
    users = make_players(4)
    dino = make_cast().dino
    game, _ = opened(users[:3], users[3:])
    services.will_play(game.pk, True, users[0], NOW + HOUR)
    services.will_play(game.pk, True, users[3], NOW + HOUR)
    silent = users[2].player
    assert refusal(services.declare_silent, game.pk, silent, dino, BY).reason == "still_time"
    late = BY + MINUTE
    assert refusal(services.declare_silent, game.pk, users[0].player, dino, late).reason == (
        "not_silent"
    )
    services.declare_silent(game.pk, silent, dino, late)
    assert holders(game)[2] == users[3].player


@db
def test_the_station_master_hears_once_that_the_hour_has_passed() -> None:
    """Games that nobody gathers do not rot in silence."""
    game, users = opened()
    services.will_play(game.pk, True, users[0], NOW + HOUR)
    services.sweep(BY)
    mails = Email.objects.filter(key__startswith="pbem-gathered:")
    assert not mails.exists()
    for minutes in (1, 2):
        services.sweep(BY + minutes * MINUTE)
    mail = mails.get()
    assert mail.to == make_cast().dino.email
    assert str(users[1].player) in mail.body
    assert str(users[0].player) not in mail.body


@db
def test_a_reserve_named_late_is_asked_and_comes_after_the_others() -> None:
    users = make_players(5)
    game, _ = opened(users[:3], users[3:4])
    services.call_reserve(game.pk, users[4].player, make_cast().dino, NOW + HOUR)
    place = game.places.get(player=users[4].player)
    assert place.reserve == 2
    assert Email.objects.filter(key__startswith="pbem-asked:", to=users[4].email).exists()
    again = refusal(services.call_reserve, game.pk, users[4].player, make_cast().dino, NOW)
    assert again.reason == "reserve_twice"


@db
def test_the_check_may_be_skipped_and_the_log_says_by_whom() -> None:
    """Not while a seat is given up."""
    dino = make_cast().dino
    game, users = opened()
    services.will_play(game.pk, False, users[0], NOW)
    assert refusal(services.confirm_all, game.pk, dino, NOW).reason == "seat_given_up"
    services.will_play(game.pk, True, users[0], NOW)
    services.confirm_all(game.pk, dino, NOW + HOUR)
    assert services.gathering_of(reread(game)).complete
    entry = LogEntry.objects.about(game).get(verb="confirm_places")
    assert entry.actor == dino
    assert entry.data == {"players": [users[1].player.pk, users[2].player.pk]}


@db
def test_a_game_is_called_off_with_a_reason_and_may_be_opened_again() -> None:
    users = make_players(3)
    dino = make_cast().dino
    game, _ = opened(users)
    assert refusal(services.call_off, game.pk, "  ", dino, NOW).reason == "reason_missing"
    services.call_off(game.pk, "siamo in due", dino, NOW + HOUR)
    game = reread(game)
    assert game.clock == "called_off"
    assert services.why_called_off(game) == "siamo in due"
    mails = Email.objects.filter(key__startswith="pbem-called-off:")
    assert {mail.to for mail in mails} == {dino.email, *(user.email for user in users)}
    assert all("siamo in due" in mail.body for mail in mails)
    assert refusal(services.will_play, game.pk, True, users[0], NOW).reason == "not_gathering"
    later = NOW + 2 * HOUR
    again = services.open_table(game.table, opening(), make_cast().alice, later)
    assert (again.pk, again.clock) == (game.pk, "gathering")
    assert set(again.places.values_list("answer", flat=True)) == {""}
    asked = Email.objects.filter(key__startswith="pbem-asked:", to=users[0].email)
    assert asked.count() == 2


@db
def test_the_word_of_the_table_is_kept_hashed_and_may_be_another() -> None:
    """S-13."""
    game, _users = opened(password="carbone")
    dino = make_cast().dino
    services.set_password(game.pk, "vapore", dino, NOW)
    game = reread(game)
    assert check_password("vapore", game.password)
    assert "vapore" not in game.password
    services.set_password(game.pk, "", dino, NOW)
    assert reread(game).password == ""
    said = LogEntry.objects.about(game).filter(verb="set_table_word")
    assert [entry.data for entry in said.order_by("pk")] == [{"word": True}, {"word": False}]


# --- the dice -------------------------------------------------------------------------------------


def thrown(throws: Sequence[int]) -> tuple[Game, list[User]]:
    """A game of three whose dice were shown an hour after they were promised."""
    game, users = opened()
    all_yes(game, users)
    game = services.throw(game.pk, NOW + 2 * HOUR, make_cast().dino, NOW + HOUR)
    assert game.draw
    base.reveal_draw(game.draw.pk, NOW + 2 * HOUR)
    Draw.objects.filter(pk=game.draw.pk).update(throws=[*throws, *[1] * (60 - len(throws))])
    return reread(game), users


@db
def test_the_dice_are_promised_to_the_players_in_the_order_of_their_seats() -> None:
    """S-02 — sixty of six sides."""
    game, users = opened()
    dino = make_cast().dino
    closes = NOW + DAY
    assert refusal(services.throw, game.pk, closes, dino, NOW).reason == "not_complete"
    all_yes(game, users)
    soon = NOW + 4 * MINUTE
    assert refusal(services.throw, game.pk, soon, dino, NOW).reason == "closes_too_soon"
    game = services.throw(game.pk, closes, dino, NOW + HOUR)
    assert game.clock == "drawing"
    assert game.draw
    assert (game.draw.count, game.draw.sides, game.draw.closes_at) == (60, 6, closes)
    people = game.draw.contributions.order_by("position").values_list("user", flat=True)
    assert list(people) == [user.pk for user in users]
    assert refusal(services.will_play, game.pk, False, users[0], NOW).reason == "not_gathering"


@db
def test_who_has_no_log_in_could_send_no_move() -> None:
    """S-11 — moves come only by the form."""
    users = make_players(2)
    event = make_event(
        players=[
            *(one.player for one in users),
            tournaments.register_player("Fermo", "", make_cast().sara, NOW),
        ]
    )
    Event.objects.filter(pk=event.pk).update(kind="pbem")
    game = services.open_table(tables_of(event)[0], opening(), make_cast().alice, NOW)
    services.confirm_all(game.pk, make_cast().dino, NOW)
    found = refusal(services.throw, game.pk, NOW + DAY, make_cast().dino, NOW)
    assert (found.reason, found.rule) == ("no_log_in", "S-11")
    assert "Fermo" in str(found.text)


@db
@both
def test_the_sweep_begins_a_game_whose_dice_are_shown() -> None:
    """S-02, T-03 — 4 6 4, then 2 5 for the first and the third: seats 2, 3, 1. The clock runs from
    when the order is published; seat 2 begins; everybody is told."""
    game, users = thrown([4, 6, 4, 2, 5])
    now = NOW + 2 * HOUR + MINUTE
    services.sweep(now)
    game = reread(game)
    assert (game.clock, game.order, game.started_at) == ("running", [2, 3, 1], now)
    assert game.to_act
    assert game.to_act.position == 2
    assert game.due_at == now + timedelta(hours=48)
    assert game.table.started_at is not None
    mails = {mail.to: mail for mail in Email.objects.filter(key__startswith="pbem-begins:")}
    assert set(mails) == {make_cast().dino.email, *(user.email for user in users)}
    begun = services.begun_of(game)
    assert begun
    names = [user.name for user in users]
    assert begun.throws == [
        [(names[1], 6), (names[0], 4), (names[2], 4)],
        [(names[2], 5), (names[0], 2)],
    ]
    assert begun.order == [names[1], names[2], names[0]]
    services.sweep(now + MINUTE)
    assert reread(game).started_at == now
    assert refusal(services.call_off, game.pk, "no", make_cast().dino, now).reason == "game_begun"


@db
def test_dice_that_do_not_suffice_are_thrown_again_by_themselves() -> None:
    """S-02 — twenty throws of three, all of them level: other dice are promised, for a day."""
    game, _users = thrown([3] * 60)
    now = NOW + 2 * HOUR + MINUTE
    before = game.draw_id
    services.sweep(now)
    game = reread(game)
    assert game.clock == "drawing"
    assert game.draw
    assert game.draw_id != before
    assert (game.draw.closes_at, game.draw.revealed_at) == (now + DAY, None)


@db
def test_a_title_without_an_engine_begins_with_the_first_in_order() -> None:
    users = make_players(3)
    game = services.open_table(make_table(users, title="1856"), opening(), make_cast().alice, NOW)
    all_yes(game, users)
    services.record_throws(
        game.pk, [[1, 2, 3]], "dadi.example.net", "ricevuta 7", make_cast().dino, NOW + HOUR
    )
    game = reread(game)
    assert game.order == [3, 2, 1]
    assert game.to_act
    assert (game.to_act.position, game.clock) == (3, "running")


OUTSIDE = [
    ([[5, 5, 1]], "reroll_needed"),
    ([[5, 5, 1], [3, 3]], "reroll_needed"),
    ([[7, 5, 1]], "not_on_the_die"),
    ([[5, 5]], "wrong_people"),
    ([[5, 5, 1], [3, 2, 1]], "wrong_people"),
    ([[5, 4, 1], [3, 2]], "throw_too_many"),
    ([], "reroll_needed"),
]


@db
@pytest.mark.parametrize(("rolls", "reason"), OUTSIDE)
def test_the_throws_of_an_outside_server_are_checked(rolls: list[list[int]], reason: str) -> None:
    """S-02 — a value outside 1-6, a reroll of the wrong people, a tie left."""
    game, users = opened()
    all_yes(game, users)
    found = refusal(
        services.record_throws, game.pk, rolls, "dadi", "ricevuta", make_cast().dino, NOW
    )
    assert (found.reason, found.rule, found.field) == (reason, "S-02", "rolls")
    assert reread(game).draw is None


@db
def test_a_game_begins_with_the_throws_of_an_outside_server() -> None:
    """S-02 — 6 6 3, then 2 5: the second, the first, the third."""
    game, users = opened()
    all_yes(game, users)
    services.record_throws(
        game.pk, [[6, 6, 3], [2, 5]], "dadi.example.net", "ricevuta 9", make_cast().dino, NOW + HOUR
    )
    game = reread(game)
    assert (game.order, game.clock) == ([2, 1, 3], "running")
    assert game.draw
    assert (game.draw.kind, game.draw.throws) == ("receipt", [6, 6, 3, 2, 5])
    assert game.due_at == NOW + 49 * HOUR


# --- the result -----------------------------------------------------------------------------------


def over() -> Game:
    """A game of four that was played to its end, at a table of the tournament; Dino kept it."""
    game = play_here(make_table(make_players(4)), LONG)
    Game.objects.filter(pk=game.pk).update(station_master=make_cast().dino, started_at=NOW)
    assert services.head(reread(game)).state.over
    return reread(game)


@db
@both
def test_a_finished_game_sends_its_counting_sheet_to_the_director() -> None:
    """C-14 — cash and shares of each seat, by the station master; it waits for the director."""
    game = over()
    result = services.report(game, NOW + DAY)
    assert result
    assert (result.state, result.by, result.replayed) == (
        Result.State.DRAFT,
        game.station_master,
        True,
    )
    lines = {line.seat.position: line for line in result.lines.select_related("seat")}
    position = services.head(game)
    worth = position.result()
    for seat, line in lines.items():
        assert line.total == worth[str(seat)]
        assert line.facts["cash"] == position.state.cash[str(seat)]
        assert line.facts["cash"] + line.facts["stocks"] == line.total
    assert sum(line.total for line in lines.values()) > 10_000
    again = services.report(game, NOW + DAY)
    assert again
    assert again.pk == result.pk


@db
def test_a_substitute_is_credited_and_a_referee_is_not() -> None:
    """S-06, C-11, C-13 — who holds the seats when the game ends."""
    game = over()
    users = make_players(2)
    alice = make_cast().alice
    first, second, *_others = game.table.seats.all()
    tournaments.hand_over(first, users[1].player, Holder.Why.SUBSTITUTE, alice, NOW)
    tournaments.hand_over(second, None, Holder.Why.REFEREE, alice, NOW)
    result = services.report(reread(game), NOW + DAY)
    assert result
    lines = list(result.lines.order_by("seat__position"))
    assert lines[0].player == users[1].player
    assert (lines[1].player, lines[1].points) == (None, None)


@db
def test_where_the_event_takes_no_result_nothing_breaks_and_it_is_sent_later() -> None:
    """C-15."""
    game = over()
    event = game.table.event
    Event.objects.filter(pk=event.pk).update(status=Event.Status.CLOSED)
    assert services.report(reread(game), NOW + DAY) is None
    entry = LogEntry.objects.about(game).get(verb="report_refused")
    assert entry.data == {"reason": "event_not_running"}
    dino = make_cast().dino
    found = refusal(services.send_result, game.pk, dino, NOW + DAY)
    assert found.reason == "event_not_running"
    Event.objects.filter(pk=event.pk).update(status=Event.Status.RUNNING)
    assert services.send_result(game.pk, dino, NOW + DAY).state == Result.State.DRAFT


@db
def test_a_game_that_goes_on_has_no_result_to_send() -> None:
    game = make_game(3)
    assert refusal(services.send_result, game.pk, make_cast().dino, NOW).reason == "game_not_over"


@db
def test_a_round_with_games_is_not_dealt_again() -> None:
    """B-15 — the publication of its tables cannot be taken back."""
    game, _users = opened()
    seated = game.table.round
    found = refusal(
        tournaments.withdraw_publication, seated, seated.edition, make_cast().alice, NOW
    )
    assert found.reason == "something_happened"


@db
def test_the_last_move_of_a_game_sends_its_result() -> None:
    """C-14 — in the transaction of the move: the game is over, the sheet with the director."""
    users = make_players(4)
    recording = bring(LONG)
    last = turns(start("1830", ["1", "2", "3", "4"]), recording.actions)[-1]
    before = len(recording.actions) - len(last.actions)
    game = play_here(make_table(users), LONG, before)
    to_act = game.table.seats.get(position=int(last.player))
    Game.objects.filter(pk=game.pk).update(
        station_master=make_cast().dino,
        started_at=NOW,
        clock=Game.Clock.RUNNING,
        to_act=to_act,
        due_at=NOW + DAY,
    )
    send(game, last.commands, NOW + HOUR)
    game = reread(game)
    assert game.clock == "over"
    result = Result.objects.get(table=game.table)
    assert (result.state, result.by) == (Result.State.DRAFT, make_cast().dino)
    totals = {str(line.seat.position): line.total for line in result.lines.select_related("seat")}
    assert totals == game.result
    assert totals == {str(n): worth for n, worth in enumerate(recording.result, start=1)}


@pytest.mark.django_db(transaction=True)
def test_one_reserve_gets_one_seat_though_two_are_given_up_at_once() -> None:
    users = make_players(4)
    game, _ = opened(users[:3], users[3:])
    services.will_play(game.pk, True, users[3], NOW + HOUR)
    at_once(
        lambda: services.will_play(game.pk, False, users[0], NOW + 2 * HOUR),
        lambda: services.will_play(game.pk, False, users[2], NOW + 2 * HOUR),
    )
    held = holders(game)
    assert held.count(users[3].player) == 1
    assert users[1].player in held
    assert len(services.gathering_of(reread(game)).given_up) == 1
