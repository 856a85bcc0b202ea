"""The forty-eight hours: their boundary, what starts them again, what stops them, and the sweep."""

from __future__ import annotations

import threading
from datetime import UTC, datetime, timedelta
from functools import partial
from uuid import uuid4

import pytest
from django.db import connection, transaction

from figf.errors import Refused
from figf.models import Email, LogEntry
from figf.tests.cast import DAY, HOUR, MINUTE, NOW, at_once, make_cast
from pbem import services
from pbem.models import Action, Consent, Game, Move
from pbem.rules.commands import Fault, Faulty
from pbem.rules.deadlines import ALLOWED, COURTESY
from pbem.services import clocks
from pbem.services.moves import locked
from pbem.tests.running import make_game, position, reread, send, user_at

from .test_moves import asking, bought_out, says

both = pytest.mark.both
threads = pytest.mark.django_db(transaction=True)
SECOND, MICROSECOND = timedelta(seconds=1), timedelta(microseconds=1)
DUE = NOW + ALLOWED  # of the first move of a game that begins at NOW
OVER = DUE + COURTESY + SECOND  # when the sweep says that it has passed


@pytest.fixture
def game(db: None) -> Game:
    """Three players, the auction begins; the first seat is Bruno's."""
    return make_game(3)


def clock_of(game: Game) -> tuple[str, int | None, datetime | None]:
    """Its state, whose move it waits for, and until when."""
    found = reread(game)
    return found.clock, found.to_act.position if found.to_act else None, found.due_at


def expired(game: Game) -> list[LogEntry]:
    return list(LogEntry.objects.about(game).filter(verb="turn_expired"))


def pause(game: Game, now: datetime) -> int:
    return services.pause([game.pk], "Ferie", make_cast().dino, now)


def resume(game: Game, now: datetime) -> int:
    return services.resume([game.pk], make_cast().dino, now)


# --- the boundary ---------------------------------------------------------------------------------


@both
@pytest.mark.parametrize("swept", [False, True])
def test_exactly_48_hours_are_in_time_and_a_moment_more_is_not(game: Game, swept: bool) -> None:
    """T-07, T-06 — whether or not the sweep has already said that the time has passed."""
    if swept:
        services.sweep(OVER)
    move = send(game, says("1 bid SV 20"), DUE + MICROSECOND, seat=1)
    assert (move.state, move.due_at, reread(game).seq) == ("late", DUE, 0)
    move = send(game, says("1 bid SV 20"), DUE, seat=1)
    assert (move.state, clock_of(game)) == ("played", ("running", 2, DUE + 2 * DAY))


@both
def test_nobody_is_said_to_be_late_before_a_minute_has_passed(game: Game) -> None:
    """T-05 — the minute is for moves on their way: it makes no late one good."""
    services.sweep(DUE + COURTESY)
    assert clock_of(game) == ("running", 1, DUE)
    services.sweep(DUE + COURTESY + MICROSECOND)
    assert clock_of(game) == ("reviewing", 1, DUE)
    assert [(one.actor, one.data) for one in expired(game)] == [
        (None, {"seat": reread(game).to_act_id})
    ]


@both
def test_a_late_move_is_kept_as_it_was_sent(game: Game) -> None:
    """T-06 — refused, and kept for information; nobody is written to about it."""
    services.sweep(OVER)
    mails = Email.objects.count()
    late = send(game, says("1 bid SV 20"), OVER + HOUR, seat=1, comment="Scusate")
    assert (late.state, late.number, late.comment) == ("late", None, "Scusate")
    assert late.commands[0]["command"]["action"]["private"] == "SV"
    assert (Email.objects.count(), Action.objects.count()) == (mails, 0)
    assert clock_of(game) == ("reviewing", 1, DUE)


# --- from when the hours run ----------------------------------------------------------------------


@both
@pytest.mark.parametrize(
    ("sent", "due"),
    [
        ("2026-03-28T10:00:00+01:00", "2026-03-30T11:00:00+02:00"),  # an hour is lost on the 29th
        ("2026-10-24T10:00:00+02:00", "2026-10-26T09:00:00+01:00"),  # and gained on 25 October
    ],
)
def test_the_hours_are_real_ones_whatever_the_clocks_of_rome_do(
    db: None, sent: str, due: str
) -> None:
    """T-02, DL-2."""
    then = datetime.fromisoformat(sent)
    game = make_game(3, now=then.astimezone(UTC))
    send(game, says("1 bid SV 20"), then)
    assert clock_of(game) == ("running", 2, datetime.fromisoformat(due))


@both
def test_the_first_move_has_48_hours_from_when_the_order_is_told(game: Game) -> None:
    """T-03."""
    assert clock_of(game) == ("running", 1, NOW + 2 * DAY)


def two_lines(game: Game) -> None:
    """1 has PRR and NYC, both at 67 and floated; the stock round is over, and PRR operates."""
    bought_out(game)
    for corporation in ("PRR", "NYC"):
        while not position(game).state.corporations[corporation].floated:
            who = position(game).player
            par = position(game).state.corporations[corporation].par is None
            if par and who != "1":
                line = f"{who} pass"
            else:
                line = f"1 par {corporation} 67" if par else f"{who} buy {corporation} ipo"
            assert send(game, says(line), NOW).commands[0]["fate"] == "executed"
    while position(game).state.operating is None:
        send(game, says(f"{position(game).player} pass"), NOW + HOUR)


@both
def test_a_president_of_two_corporations_has_48_hours_from_his_own_last_move(game: Game) -> None:
    """T-03 — and from the last of the stock round when the operating round begins."""
    two_lines(game)
    assert position(game).state.operating == "PRR"
    assert clock_of(game) == ("running", 1, NOW + HOUR + 2 * DAY)
    send(game, [], NOW + 5 * HOUR)
    assert position(game).state.operating == "NYC"
    assert clock_of(game) == ("running", 1, NOW + 5 * HOUR + 2 * DAY)


@both
def test_a_form_that_another_one_continues_leaves_the_hours_as_they_are(game: Game) -> None:
    """V-08, T-01 — they count from the move of the previous player."""
    bought_out(game)
    assert clock_of(game)[2] == NOW + 2 * DAY
    who = position(game).player
    send(game, says(f"{who} par PRR 67"), NOW + HOUR, ends=False)
    assert position(game).player == who
    assert clock_of(game)[2] == NOW + 2 * DAY


@both
def test_a_correction_starts_the_hours_of_the_next_again(game: Game) -> None:
    """T-08 — "dall'ultima mossa inviata"; also when they had passed."""
    bought_out(game)
    who = position(game).player
    first = send(game, [*says(f"{who} par PRR 67"), Faulty("sell", Fault.INCOMPLETE)], NOW)
    services.sweep(OVER)
    assert clock_of(game)[0] == "reviewing"
    then = OVER + HOUR
    send(game, says(f"{who} par PRR 67"), then, seat=who, corrects=first.number)
    assert (clock_of(game)[0], clock_of(game)[2]) == ("running", then + 2 * DAY)


def to_second(game: Game) -> None:
    """The stock round has begun, and it is 2's turn; 1 has MH."""
    bought_out(game)
    send(game, says("1 pass"), NOW)
    assert clock_of(game) == ("running", 2, DUE)


@both
def test_an_exchange_between_the_turns_gives_nobody_more_time(game: Game) -> None:
    """Z-07, T-01 — 1 swaps his private while it is another's turn, late or not, paused or not."""
    to_second(game)
    services.sweep(OVER)
    assert send(game, says("1 exchange MH ipo"), OVER + HOUR, seat=1).state == "played"
    assert clock_of(game) == ("reviewing", 2, DUE)
    services.sweep(OVER + 2 * HOUR)
    assert len(expired(game)) == 1


# --- consents -------------------------------------------------------------------------------------


@both
def test_an_answer_at_the_48th_hour_counts_and_a_moment_later_does_not(game: Game) -> None:
    """T-10, T-07 — also before the sweep has come by."""
    game, consent = asking(game)
    with pytest.raises(Refused) as refused:
        services.answer(consent.pk, True, user_at(game, 2), consent.due_at + MICROSECOND)
    assert (refused.value.reason, refused.value.rule) == ("answer_late", "T-10")
    services.answer(consent.pk, True, user_at(game, 2), consent.due_at)
    assert clock_of(game) == ("running", 2, consent.due_at + 2 * DAY)
    assert position(game).state.owners["CS"] == "1"


@both
def test_after_a_silence_the_next_has_48_hours_from_when_it_was_taken_for_a_no(game: Game) -> None:
    """T-10."""
    game, consent = asking(game)
    then = consent.due_at + COURTESY + SECOND
    services.sweep(then)
    assert clock_of(game) == ("running", 2, then + 2 * DAY)
    assert expired(game) == []


# --- pauses ---------------------------------------------------------------------------------------


@both
def test_a_game_goes_on_with_what_remained_to_the_second(game: Game) -> None:
    """T-11 — 38 hours, 59 minutes and 59 seconds were left."""
    assert pause(game, NOW + 9 * HOUR + SECOND) == 1
    assert clock_of(game) == ("paused", 1, None)
    services.sweep(NOW + 30 * DAY)
    assert (clock_of(game)[0], expired(game)) == ("paused", [])
    assert resume(game, NOW + 30 * DAY) == 1
    assert clock_of(game) == ("running", 1, NOW + 30 * DAY + 39 * HOUR - SECOND)
    verbs = LogEntry.objects.about(game).filter(verb__in=["pause_game", "resume_game"])
    assert [(one.verb, one.data) for one in verbs.order_by("pk")] == [
        ("pause_game", {"reason": "Ferie"}),
        ("resume_game", {}),
    ]


@both
def test_the_hours_of_an_answer_stop_too(game: Game) -> None:
    """T-10, T-11 — an answer may come in the pause, after what would have been its hours."""
    game, consent = asking(game)
    pause(game, NOW + 2 * HOUR)
    resume(game, NOW + 10 * DAY)
    consent.refresh_from_db()
    assert consent.due_at == NOW + 10 * DAY + 47 * HOUR
    assert clock_of(game) == ("consent", 2, consent.due_at)
    pause(game, NOW + 10 * DAY + HOUR)
    services.answer(consent.pk, False, user_at(game, 2), NOW + 20 * DAY)
    assert clock_of(game) == ("paused", 2, None)
    resume(game, NOW + 21 * DAY)
    assert clock_of(game) == ("running", 2, NOW + 23 * DAY)


@both
def test_a_move_in_a_pause_is_played_and_the_next_has_all_his_hours_after_it(game: Game) -> None:
    """T-11 — clocks stop, play need not."""
    pause(game, NOW + HOUR)
    assert send(game, says("1 bid SV 20"), NOW + 5 * DAY).state == "played"
    assert clock_of(game) == ("paused", 2, None)
    resume(game, NOW + 6 * DAY)
    assert clock_of(game) == ("running", 2, NOW + 8 * DAY)


@both
def test_a_pause_gives_no_time_back_that_had_passed(game: Game) -> None:
    """T-06, T-11 — a turn that had expired is still the station master's, in the pause and after;
    what was received in time is still in time."""
    services.sweep(OVER)
    pause(game, OVER + HOUR)
    assert send(game, says("1 bid SV 20"), OVER + 2 * HOUR, seat=1).state == "late"
    resume(game, OVER + DAY)
    assert clock_of(game)[:2] == ("reviewing", 1)
    services.sweep(OVER + 2 * DAY)
    assert len(expired(game)) == 1
    in_time = services.Sent(says("1 bid SV 20"), 0, uuid4())
    Move.objects.all().delete()
    Game.objects.filter(pk=game.pk).update(due_at=DUE)
    move = services.receive(game.pk, in_time, user_at(game, 1), DUE)
    pause(game, OVER + HOUR)
    assert services.play(move.pk, OVER + 2 * HOUR).state == "played"


@both
def test_what_somebody_else_does_in_a_pause_does_not_touch_what_remained(game: Game) -> None:
    """Z-07, T-11."""
    to_second(game)
    pause(game, NOW + 9 * HOUR)
    assert send(game, says("1 exchange MH ipo"), NOW + DAY, seat=1).state == "played"
    assert reread(game).paused_remaining == 39 * HOUR


@both
def test_only_who_does_not_play_there_stops_a_clock(game: Game) -> None:
    """S-01, T-11 — a secretary who plays at the table neither; all his games but that one stop."""
    sara, player = make_cast().sara, user_at(game, 2)
    player.is_staff = True
    player.save()
    other = make_game(3)
    assert services.pause([game.pk, other.pk], "Ferie", player, NOW) == 1
    assert (clock_of(game)[0], clock_of(other)[0]) == ("running", "paused")
    services.sweep(OVER)
    for deed in (
        lambda: services.reopen_turn(game.pk, "Perché sì", player, OVER),
        lambda: services.roll_back(send(game, [], NOW, seat=1), "Perché sì", player, OVER),
    ):
        with pytest.raises(Refused) as refused:
            deed()
        assert refused.value.reason == "plays_here"
    assert services.pause([game.pk], "Ferie", sara, NOW) == 1


def test_a_pause_says_why(game: Game) -> None:
    with pytest.raises(Refused) as refused:
        services.pause([game.pk], "  ", make_cast().dino, NOW)
    assert (refused.value.reason, refused.value.field) == ("reason_missing", "reason")
    assert resume(game, NOW) == 0


# --- opened again ---------------------------------------------------------------------------------


@both
def test_a_turn_is_opened_again_with_48_hours_and_a_reason_that_all_read(game: Game) -> None:
    """T-06 — the late form stays where it is: the player sends it again."""
    dino = make_cast().dino
    with pytest.raises(Refused) as refused:
        services.reopen_turn(game.pk, "Prima del tempo", dino, NOW)
    assert (refused.value.reason, refused.value.rule) == ("not_expired", "T-06")
    services.sweep(OVER)
    late = send(game, says("1 bid SV 20"), OVER, seat=1)
    services.reopen_turn(game.pk, " Era in ospedale ", dino, OVER + HOUR)
    assert clock_of(game) == ("running", 1, OVER + HOUR + 2 * DAY)
    entry = LogEntry.objects.about(game).get(verb="reopen_turn")
    assert (entry.actor, entry.data) == (dino, {"reason": "Era in ospedale"})
    assert Email.objects.filter(key__startswith=f"reopened:{game.pk}:").count() == 4
    services.sweep(OVER + 2 * HOUR)
    late.refresh_from_db()
    assert (late.state, reread(game).seq) == ("late", 0)
    again = OVER + HOUR + 2 * DAY + COURTESY + SECOND
    services.sweep(again)
    assert (clock_of(game)[0], len(expired(game))) == ("reviewing", 2)


# --- reminders ------------------------------------------------------------------------------------


@both
def test_reminders_go_once_24_and_6_hours_before(game: Game) -> None:
    """T-11 — late sweeps send what is due, none sends it twice, none after the deadline."""

    def sent() -> list[str]:
        found = Email.objects.filter(key__startswith=f"reminder:{game.pk}:").order_by("pk")
        return [mail.key.rpartition(":")[2] for mail in found]

    services.sweep(DUE - DAY - SECOND)
    assert sent() == []
    services.sweep(DUE - DAY)
    services.sweep(DUE - DAY + MINUTE)
    assert sent() == ["24"]
    services.sweep(DUE - 5 * HOUR)
    services.sweep(DUE)
    assert sent() == ["24", "6"]
    assert {mail.to for mail in Email.objects.filter(key__startswith="reminder:")} == {
        user_at(game, 1).email
    }


# --- the sweep ------------------------------------------------------------------------------------


@threads
def test_four_sweeps_at_once_act_once_on_each_game() -> None:
    """T-05, T-10 — turns and silences, twice over, a day late."""
    games = [make_game(3) for _ in range(4)]
    waiting, consent = asking(make_game(3))
    late = NOW + 4 * DAY
    for _ in range(2):
        outcome = at_once(*[partial(services.sweep, late)] * 4)
        assert outcome == [None] * 4
    for game in games:
        assert clock_of(game) == ("reviewing", 1, DUE)
        assert len(expired(game)) == 1
        assert Email.objects.filter(key__startswith=f"expired:{game.pk}:").count() == 4
    assert Consent.objects.get(pk=consent.pk).answer == "lapsed"
    assert LogEntry.objects.about(waiting).filter(verb="answer_consent").count() == 1
    assert clock_of(waiting) == ("running", 2, late + 2 * DAY)


@threads
def test_a_game_that_a_submission_holds_is_left_for_the_next_sweep() -> None:
    """T-05 — the sweep waits for nobody."""
    if connection.vendor == "sqlite":
        pytest.skip("SQLite has one lock for all")
    held, free = make_game(3), make_game(3)
    taken, done = threading.Event(), threading.Event()

    def submission() -> None:
        with transaction.atomic():
            locked(held.pk)
            taken.set()
            assert done.wait(30)

    def sweep() -> None:
        assert taken.wait(30)
        services.sweep(OVER)
        done.set()

    assert at_once(submission, sweep) == [None, None]
    assert (clock_of(held)[0], clock_of(free)[0]) == ("running", "reviewing")
    services.sweep(OVER)
    assert clock_of(held)[0] == "reviewing"


@both
def test_a_game_that_raises_stops_no_other(game: Game, caplog: pytest.LogCaptureFixture) -> None:
    """Each is retried alone: at the next sweep, when it raises no more, its turn comes."""
    other = make_game(3)
    sent = services.Sent(says("1 bid SV 20"), 0, uuid4())
    broken = services.receive(game.pk, sent, user_at(game, 1), NOW + HOUR)
    whole = broken.commands
    Move.objects.filter(pk=broken.pk).update(commands=[{"command": {"do": "?"}, "fate": "new"}])
    services.sweep(OVER)
    assert (clock_of(game)[0], clock_of(other)[0]) == ("running", "reviewing")
    assert {record.name for record in caplog.records} == {clocks.__name__}
    Move.objects.filter(pk=broken.pk).update(commands=whole)
    services.sweep(OVER)
    assert clock_of(game) == ("running", 2, NOW + HOUR + 2 * DAY)
