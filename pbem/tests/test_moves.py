"""Moves received, played, put right, answered, rolled back: what they write."""

from __future__ import annotations

from datetime import timedelta
from uuid import uuid4

import pytest
from django.core.management import call_command
from django.core.management.base import CommandError
from django.db import transaction

from figf.errors import Refused
from figf.models import Email, LogEntry
from figf.tests.cast import DAY, HOUR, MINUTE, NOW
from pbem import services
from pbem.engine import parse
from pbem.models import Action, Consent, Game, Move
from pbem.rules.commands import Command, Fault, Faulty, Plain
from pbem.services.logs import head, reels, standing
from pbem.tests.running import make_game, position, reread, send, user_at

both = pytest.mark.both


def says(*lines: str) -> list[Command]:
    return [Plain(parse(line)) for line in lines]


@pytest.fixture
def game(db: None) -> Game:
    """Three players, the auction begins; the first seat is Bruno's."""
    return make_game(3)


def bought_out(game: Game) -> Game:
    """The privates bought in turn at face: 1 has SV and MH, 2 has CS and CA, 3 has DH and BO."""
    lines = ("bid SV 20", "bid CS 40", "bid DH 70", "bid MH 110", "bid CA 160")
    for n, line in enumerate(lines):
        send(game, says(f"{n % 3 + 1} {line}"), NOW)
    send(game, says("3 bid BO 220", "3 par B&O 100"), NOW)
    return reread(game)


# --- played ---------------------------------------------------------------------------------------


@both
def test_a_move_is_played_and_the_next_has_48_hours_from_it(game: Game) -> None:
    """S-15, T-01 — from when it was sent; the log has its actions and where they led."""
    move = send(game, says("1 bid SV 20"), NOW + HOUR)
    assert (move.state, move.number, move.kind) == ("played", 1, "own")
    game = reread(game)
    assert (game.seq, game.length, game.clock) == (1, 1, "running")
    assert game.to_act is not None
    assert (game.to_act.position, game.due_at) == (2, NOW + HOUR + 2 * DAY)
    row = Action.objects.get(game=game)
    assert row.payload == {"type": "bid", "actor": "1", "private": "SV", "price": 20}
    assert row.digest == position(game).digest()
    assert LogEntry.objects.filter(verb="play_move").count() == 1


@both
def test_the_whole_table_and_the_station_master_are_written_to(game: Game) -> None:
    """S-12 — at once, in the transaction of the move."""
    before = set(Email.objects.values_list("pk", flat=True))
    send(game, says("1 bid SV 20"), NOW)
    written = Email.objects.exclude(pk__in=before)
    people = {user_at(game, n).email for n in (1, 2, 3)} | {"dino@example.org"}
    assert {mail.to for mail in written} == people


def test_what_is_not_correct_is_not_executed_and_kept(game: Game) -> None:
    """Y-02 — the command that was refused stays in the move, with the reason."""
    send(game, says("1 bid SV 25"), NOW)
    move = Move.objects.get()
    assert [one["fate"] for one in move.commands] == ["refused"]
    assert move.commands[0]["why"]["reason"] == "price_is_fixed"
    assert [row.payload["type"] for row in Action.objects.all()] == ["pass"]  # Y-06


@both
def test_the_same_form_twice_is_one_move(game: Game) -> None:
    """A double click, or a request repeated when the network dropped."""
    key = uuid4()
    first = send(game, says("1 bid SV 20"), NOW, seat=1, key=key)
    again = send(game, says("1 bid SV 20"), NOW + MINUTE, seat=1, key=key, seen=0)
    assert (first.pk, Move.objects.count(), reread(game).seq) == (again.pk, 1, 1)


def test_a_form_based_on_an_old_position_is_kept_and_not_played(game: Game) -> None:
    """What was written is still there for its sender."""
    send(game, says("1 bid SV 20"), NOW)
    late = send(game, says("2 bid CS 40"), NOW, seat=2, seen=0, form={"row": "40"})
    assert (late.state, late.number, late.form["typed"]) == ("stale", None, {"row": "40"})
    assert reread(game).seq == 1


def test_nobody_moves_out_of_turn(game: Game) -> None:
    """V-01."""
    move = send(game, says("2 bid CS 40"), NOW, seat=2)
    assert (move.state, reread(game).seq) == ("not_turn", 0)


def test_who_holds_no_seat_sends_nothing(game: Game) -> None:
    """V-01, S-11 — the station master neither."""
    assert game.station_master is not None
    sent = services.Sent(says("1 bid SV 20"), 0, uuid4())
    with pytest.raises(Refused) as refused:
        services.submit(game.pk, sent, game.station_master, NOW, NOW)
    assert (refused.value.reason, refused.value.rule) == ("not_at_table", "V-01")
    assert not Move.objects.exists()


def test_what_was_received_and_not_played_is_played_by_the_sweep(game: Game) -> None:
    """Whoever dies in between loses nothing; the hours count from when it was received."""
    sent = services.Sent(says("1 bid SV 20"), 0, uuid4())
    move = services.receive(game.pk, sent, user_at(game, 1), NOW + HOUR)
    assert (move.state, reread(game).seq) == ("received", 0)
    services.sweep(NOW + 3 * DAY)  # long after its deadline
    move.refresh_from_db()
    assert (move.state, reread(game).due_at) == ("played", NOW + HOUR + 2 * DAY)


def test_a_position_that_was_taken_back_is_forgotten(game: Game) -> None:
    """The memory of positions does not outlive a transaction that failed."""
    with transaction.atomic():
        send(game, says("1 bid SV 20"), NOW)
        assert position(game).state.owners == {"SV": "1"}
        transaction.set_rollback(True)
    send(game, says("1 bid DH 75"), NOW)
    assert position(game).state.owners == {}
    assert position(game).state.round.bids == {"DH": {"1": 75}}  # type: ignore[union-attr]


# --- put right ------------------------------------------------------------------------------------


@both
def test_a_correction_replaces_the_move_and_restarts_the_next_clock(game: Game) -> None:
    """Y-03, T-08 — both are kept; what had been executed is executed again."""
    bought_out(game)
    player = position(game).player
    first = send(game, [*says(f"{player} par PRR 67"), Faulty("sell", Fault.INCOMPLETE)], NOW)
    assert [one["fate"] for one in first.commands] == ["executed", "refused"]
    then = NOW + 5 * HOUR
    second = send(game, says(f"{player} par PRR 67"), then, seat=player, corrects=first.number)
    first.refresh_from_db()
    assert (first.state, second.state, second.replaces) == ("undone", "played", first)
    game = reread(game)
    assert game.due_at == then + 2 * DAY
    assert position(game).state.corporations["PRR"].president == player
    kinds = [row.payload["type"] for row in Action.objects.filter(move=second)]
    assert kinds[0] == "rollback"
    assert game.length == len(standing((a.seq, a.payload) for a in game.actions.all()))
    call_command("refold")


def test_what_was_correct_cannot_be_changed(game: Game) -> None:
    """Y-03 as ruled, N-09."""
    bought_out(game)
    player = position(game).player
    first = send(game, [*says(f"{player} par PRR 67"), Faulty("sell", Fault.INCOMPLETE)], NOW)
    with pytest.raises(Refused) as refused:
        send(game, says(f"{player} par NYC 67"), NOW, seat=player, corrects=first.number)
    assert (refused.value.reason, refused.value.rule) == ("correct_already", "Y-03")


def test_after_the_next_move_nothing_is_put_right(game: Game) -> None:
    """Y-03 — "Il giocatore successivo ha già mosso"."""
    bought_out(game)
    player = position(game).player
    first = send(game, [*says(f"{player} par PRR 67"), Faulty("sell", Fault.INCOMPLETE)], NOW)
    following = position(game).player
    send(game, says(f"{following} pass"), NOW)
    with pytest.raises(Refused) as refused:
        send(game, says(f"{player} par PRR 67"), NOW, seat=player, corrects=first.number)
    assert refused.value.reason == "next_has_moved"


def test_a_correct_move_is_not_offered_for_correction(game: Game) -> None:
    """Y-03, N-09 — a completed move is not repented."""
    send(game, says("1 bid SV 20"), NOW)
    game = reread(game)
    seat = game.seat_of(user_at(game, 1))
    assert seat is not None
    assert services.correctable(game, seat) is None


# --- rolled back ----------------------------------------------------------------------------------


@both
def test_the_station_master_takes_the_game_back(game: Game) -> None:
    """N-13 — nothing is deleted; who was to move has 48 hours from then."""
    for n, line in enumerate(("bid SV 20", "bid CS 40", "bid DH 70"), 1):
        send(game, says(f"{n} {line}"), NOW)
    assert game.station_master is not None
    second = Move.objects.get(number=2)
    services.roll_back(second, "Mossa non autorizzata", game.station_master, NOW + DAY)
    game = reread(game)
    assert game.to_act is not None
    assert (game.to_act.position, game.due_at) == (2, NOW + 3 * DAY)
    assert position(game).state.owners == {"SV": "1"}
    assert [move.state for move in Move.objects.order_by("number")] == [
        "played",
        "undone",
        "undone",
        "played",
    ]
    assert Action.objects.filter(game=game).count() == 4
    reels.kept.clear()
    assert head(game).state.owners == {"SV": "1"}
    call_command("refold")


def test_a_roll_back_says_why(game: Game) -> None:
    send(game, says("1 bid SV 20"), NOW)
    assert game.station_master is not None
    with pytest.raises(Refused) as refused:
        services.roll_back(Move.objects.get(), " ", game.station_master, NOW)
    assert refused.value.field == "reason"


def test_a_log_that_leads_elsewhere_is_told(game: Game) -> None:
    """A silent change in somebody's cash is found before new code goes to work."""
    send(game, says("1 bid SV 20"), NOW)
    call_command("refold", "--active")
    Action.objects.update(digest="0" * 16)
    with pytest.raises(CommandError, match="1 differences"):
        call_command("refold")
    Action.objects.update(payload={"type": "bid", "actor": "1", "private": "SV", "price": 21})
    with pytest.raises(CommandError, match="1 differences"):
        call_command("refold")


# --- agreements -----------------------------------------------------------------------------------


def asking(game: Game) -> tuple[Game, Consent]:
    """In the second stock round 1 offers 100 for CS, which is 2's."""
    game = bought_out(game)
    while position(game).state.turn == 1:
        send(game, says(f"{position(game).player} pass"), NOW)
    while position(game).player != "1":
        send(game, says(f"{position(game).player} pass"), NOW)
    send(game, says("1 private CS 100"), NOW + HOUR)
    return reread(game), Consent.objects.get()


@both
def test_an_agreement_is_asked_and_the_clock_of_the_next_is_off(game: Game) -> None:
    """X-03, T-10, Z-02 — the asked player has 48 hours."""
    game, consent = asking(game)
    assert (game.clock, consent.seat.position, consent.answer) == ("consent", 2, "")
    assert consent.due_at == game.due_at == NOW + HOUR + 2 * DAY
    assert game.to_act == consent.seat


@both
@pytest.mark.parametrize("yes", [True, False])
def test_the_next_has_48_hours_from_the_answer(game: Game, yes: bool) -> None:
    """T-10."""
    game, consent = asking(game)
    then = NOW + DAY
    services.answer(consent.pk, yes, user_at(game, 2), then)
    game = reread(game)
    assert (game.clock, game.due_at) == ("running", then + 2 * DAY)
    assert position(game).state.owners["CS"] == ("1" if yes else "2")
    assert game.to_act is not None
    assert str(game.to_act.position) == position(game).player == "2"
    fate = Move.objects.filter(consents=consent).get().commands[0]["fate"]
    assert fate == ("executed" if yes else "refused")


@both
def test_silence_is_a_no(game: Game) -> None:
    """T-10 — after 48 hours, a minute of courtesy, and not before."""
    game, consent = asking(game)
    services.sweep(NOW + HOUR + 2 * DAY)
    consent.refresh_from_db()
    assert consent.answer == ""
    services.sweep(NOW + HOUR + 2 * DAY + 2 * MINUTE)
    consent.refresh_from_db()
    assert (consent.answer, position(game).state.owners["CS"]) == ("lapsed", "2")
    assert reread(game).clock == "running"


def test_only_who_is_asked_answers_and_once(game: Game) -> None:
    """X-03."""
    game, consent = asking(game)
    with pytest.raises(Refused) as refused:
        services.answer(consent.pk, True, user_at(game, 3), NOW)
    assert refused.value.reason == "not_asked"
    services.answer(consent.pk, True, user_at(game, 2), NOW + 2 * HOUR)
    with pytest.raises(Refused) as refused:
        services.answer(consent.pk, False, user_at(game, 2), NOW + 3 * HOUR)
    assert refused.value.reason == "answered_already"


def test_while_an_answer_is_awaited_nobody_moves(game: Game) -> None:
    """X-03 — the turn stays open."""
    game, _consent = asking(game)
    move = send(game, says("1 pass"), NOW + 2 * HOUR, seat=1)
    assert move.state == "not_turn"


# --- the hours ------------------------------------------------------------------------------------


def test_an_expired_turn_waits_for_the_station_master(game: Game) -> None:
    """T-05, T-06 — once; a late move is kept and not played; he may open the turn again."""
    late = NOW + 2 * DAY + 2 * MINUTE
    services.sweep(late)
    services.sweep(late + MINUTE)
    assert reread(game).clock == "reviewing"
    assert LogEntry.objects.filter(verb="turn_expired").count() == 1
    move = send(game, says("1 bid SV 20"), late, seat=1)
    assert (move.state, reread(game).seq) == ("late", 0)
    assert game.station_master is not None
    services.reopen_turn(game.pk, "Era in ospedale", game.station_master, late + HOUR)
    assert send(game, says("1 bid SV 20"), late + 2 * HOUR).state == "played"


def test_a_move_in_time_wins_over_the_expiry(game: Game) -> None:
    """T-07 — received exactly at the deadline, stored after the sweep had looked."""
    services.sweep(NOW + 2 * DAY + timedelta(minutes=5))
    assert reread(game).clock == "reviewing"
    sent = services.Sent(says("1 bid SV 20"), 0, uuid4())
    move = services.submit(game.pk, sent, user_at(game, 1), NOW + 2 * DAY, NOW + 3 * DAY)
    assert (move.state, reread(game).clock) == ("played", "running")
