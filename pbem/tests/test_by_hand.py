"""Games of titles without an engine: whose turn it is, what is ticked, agreed to, taken back."""

from __future__ import annotations

from datetime import timedelta

import pytest

from figf.errors import Refused
from figf.models import Email, LogEntry
from figf.tests.cast import DAY, HOUR, MINUTE, NOW, make_cast, record
from figf.tests.cast import reread as reread_table
from pbem import services
from pbem.models import Action, Consent, Game, Move
from pbem.rules.by_hand import Kind, Turns, after, is_pass, must_agree, read
from pbem.rules.commands import Command, Fault, Written, without_contradiction
from pbem.rules.commands import read as read_command
from pbem.rules.corrections import NotAnError, check_correction
from pbem.rules.turns import Fate, Outcome, from_dict, to_dict
from pbem.services import Tick
from pbem.tests.running import make_game, make_players, reread, send, user_at
from tournaments.services import refuse_closed

both = pytest.mark.both
PASS = Written("pass")
BUY = Written("buy", (("corporation", "CPR"), ("source", "ipo"), ("price", "90")))
TILE = Written("lay", (("tile", "9"), ("hex", "J11"), ("side", "NE")))
RUN = Written("run", (("price", "80"), ("dividend", "pay")))
ORDER = (("CPR", "2"), ("GT", "2"), ("LPS", "3"))


def private(owner: int, price: int = 40) -> Written:
    return Written("private", (("company", "FT"), ("price", str(price)), ("from", str(owner))))


@pytest.fixture
def game(db: None) -> Game:
    """1856, three players in the order 2, 3, 1; the first stock round."""
    return make_game(3, title="1856", order=[2, 3, 1])


def played(game: Game, *commands: Command, now=NOW, seat: int | None = None, **more) -> Move:
    to_act = reread(game).to_act
    who = seat if seat is not None else to_act.position if to_act else 0
    return send(game, list(commands), now, seat=who, **more)


def awaited(game: Game) -> tuple[int | None, str, timedelta | None]:
    """Who is to act, what the clock does, and how long after `NOW` his hours end."""
    game = reread(game)
    seat = game.to_act.position if game.to_act else None
    return seat, game.clock, game.due_at - NOW if game.due_at else None


def operating(game: Game, at: int = 0, now=NOW, reason: str = "") -> Game:
    dino = make_cast().dino
    return services.set_turns(
        game.pk, Turns(Kind.OPERATING, "OR 1.1", ORDER, at), "", reason, dino, now
    )


def fates(move: Move) -> list[str]:
    move.refresh_from_db()
    return [one["fate"] for one in move.commands]


# --- the pure rules -------------------------------------------------------------------------------


def test_a_written_command_is_kept_and_read_again() -> None:
    for command in (PASS, BUY, private(3)):
        assert read_command(command.to_dict()) == command
    refused = Outcome(BUY, Fate.REFUSED, "The pool is empty.")
    assert from_dict(to_dict(refused)) == refused


def test_a_round_is_kept_and_read_again() -> None:
    now = Turns(Kind.OPERATING, "OR 2.1", ORDER, 1)
    assert read(now.to_dict()) == now
    assert read(None) == read({}) == Turns()


def test_a_pass_with_something_else_is_a_contradiction() -> None:
    """V-02 — none of it is executed."""
    assert is_pass([PASS])
    assert not is_pass([PASS, BUY])
    faults = without_contradiction([PASS, BUY])
    assert [one.to_dict()["fault"] for one in faults] == [Fault.CONTRADICTION] * 2


def test_the_stock_round_goes_round_until_all_have_passed() -> None:
    order = ["2", "3", "1"]
    now, who = after(Turns(), order, "2", passed=True)
    now, who = after(now, order, "3", passed=True)
    assert (who, now.passes) == ("1", 2)
    assert after(now, order, "1", passed=False)[0].passes == 0
    assert after(now, order, "1", passed=True)[1] is None


def test_the_agreement_of_the_owner_alone_is_asked() -> None:
    """X-03, X-14 — not one's own, nor in a row that buys of nobody."""
    train = Written("train", (("train", "3"), ("seller", "GT"), ("from", "2")))
    assert must_agree(train, "1", {"1", "2"}) == "2"
    assert must_agree(train, "2", {"1", "2"}) is None
    assert must_agree(train, "1", {"1", "3"}) is None
    assert must_agree(BUY, "1", {"1", "2"}) is None


def test_a_correction_changes_what_nobody_has_looked_at_yet() -> None:
    """Y-03 — what was executed stands; so does what waits, and it may be asked again."""
    sent = [
        Outcome(TILE, Fate.EXECUTED),
        Outcome(private(3), Fate.CONSENT),
        Outcome(RUN, Fate.NEW),
    ]
    other = Written("run", (("price", "90"),))
    check_correction(sent, [TILE, private(3), other])
    check_correction(sent, [TILE, other])
    with pytest.raises(NotAnError):
        check_correction(sent, [other])
    with pytest.raises(NotAnError):
        check_correction(sent, [TILE, RUN, PASS])


# --- moves ----------------------------------------------------------------------------------------


@both
def test_the_next_may_move_as_soon_as_a_move_has_come(game: Game) -> None:
    """S-15, T-01, T-04 — nobody waits for the station master; nothing of it is an action."""
    move = played(game, BUY, now=NOW + HOUR)
    assert (move.state, move.number, fates(move)) == ("played", 1, ["new"])
    assert awaited(game) == (3, "running", 2 * DAY + HOUR)
    assert reread(game).seq == 1
    assert reread(game).length == 0
    assert not Action.objects.exists()


@both
def test_the_whole_table_reads_a_move_at_once(game: Game) -> None:
    """S-12 — in its reader's language."""
    user = user_at(game, 1)
    user.language = "en"
    user.save()
    move = played(game, BUY)
    mails = Email.objects.filter(key__startswith=f"move:{game.pk}:1:")
    assert mails.count() == 4
    body = mails.get(to=user.email).body
    assert "Purchase of a certificate: CPR, from the initial offering, sum 90" in body
    assert move.commands[0]["command"]["do"] == "text"


@both
def test_who_is_late_or_out_of_turn_or_on_an_old_position_is_told(game: Game) -> None:
    """T-06, V-01 — nothing is lost: the move is kept."""
    assert played(game, PASS, seat=3).state == "not_turn"
    first = played(game, PASS)
    assert played(game, BUY, seat=3, seen=0).state == "stale"
    late = played(game, BUY, now=NOW + 2 * DAY + MINUTE)
    assert (late.state, late.number) == ("late", None)
    assert (first.state, awaited(game)[0]) == ("played", 3)


@both
def test_at_the_hour_the_turn_waits_for_the_station_master(game: Game) -> None:
    """T-05, T-07, T-11 — the sweep is the same; reminders too."""
    services.sweep(NOW + DAY + MINUTE)
    assert Email.objects.filter(key__startswith=f"reminder:{game.pk}:").count() == 1
    services.sweep(NOW + 2 * DAY)
    assert awaited(game)[1] == "running"
    services.sweep(NOW + 2 * DAY + 2 * MINUTE)
    assert awaited(game)[:2] == (2, "reviewing")
    dino = make_cast().dino
    services.reopen_turn(game.pk, "It was a holiday.", dino, NOW + 3 * DAY)
    assert played(game, PASS, now=NOW + 4 * DAY).state == "played"


@both
def test_a_pause_gives_back_what_remained(game: Game) -> None:
    """T-11."""
    dino = make_cast().dino
    services.pause([game.pk], "August", dino, NOW + DAY)
    services.resume([game.pk], dino, NOW + 9 * DAY)
    assert awaited(game) == (2, "running", 10 * DAY)


@both
def test_a_turn_that_goes_on_keeps_its_hours(game: Game) -> None:
    """V-08 — another form continues it."""
    played(game, BUY, now=NOW + HOUR, ends=False)
    assert awaited(game) == (2, "running", 2 * DAY)
    played(game, Written("sell"), now=NOW + 2 * HOUR)
    assert awaited(game) == (3, "running", 2 * DAY + 2 * HOUR)


@both
def test_after_a_round_of_passes_the_clock_stands(game: Game) -> None:
    """The station master alone knows the operating order; nobody loses hours meanwhile, and a
    general pause that ends does not start them."""
    for n in range(3):
        played(game, PASS, now=NOW + n * HOUR)
    assert awaited(game) == (None, "paused", None)
    assert services.waits_for_master(reread(game))
    dino = make_cast().dino
    assert services.resume([game.pk], dino, NOW + DAY) == 0
    services.sweep(NOW + 9 * DAY)
    assert awaited(game) == (None, "paused", None)
    operating(game, now=NOW + 9 * DAY)
    assert awaited(game) == (2, "running", 11 * DAY)


@both
def test_the_operating_order_is_followed(game: Game) -> None:
    """T-03 — also where the same president has two corporations in a row: 48 hours from his own
    last move. After the last one the station master speaks again."""
    operating(game)
    assert services.turns_of(reread(game)).operating == "CPR"
    for hours, seat, corporation in ((1, 2, "GT"), (2, 3, "LPS"), (3, None, "")):
        move = played(game, TILE, now=NOW + hours * HOUR)
        assert awaited(game)[0] == seat
        assert services.turns_of(reread(game)).operating == corporation
    assert move.form["operating"] == "LPS"
    assert awaited(game)[1] == "paused"


# --- corrections ----------------------------------------------------------------------------------


@both
def test_a_correction_replaces_the_move_and_starts_the_hours_again(game: Game) -> None:
    """Y-03, T-08 — both are kept; who passes twice has passed once."""
    first = played(game, PASS)
    assert services.correctable(reread(game), first.seat) == first
    again = played(game, PASS, now=NOW + HOUR, seat=2, corrects=1)
    first.refresh_from_db()
    assert (first.state, again.replaces, again.number) == ("undone", first, 2)
    assert awaited(game) == (3, "running", 2 * DAY + HOUR)
    assert services.turns_of(reread(game)).passes == 1


@both
def test_what_was_executed_stands_and_a_later_correction_is_refused(game: Game) -> None:
    """Y-03."""
    move = played(game, BUY)
    dino = make_cast().dino
    services.tick_move(move.pk, {0: Tick(executed=True)}, dino, NOW)
    assert services.correctable(reread(game), move.seat) is None
    with pytest.raises(Refused) as refusal:
        played(game, Written("buy", (("corporation", "GT"),)), seat=2, corrects=1)
    assert refusal.value.reason == "correct_already"
    played(game, PASS)
    with pytest.raises(Refused) as refusal:
        played(game, BUY, seat=2, corrects=1)
    assert refusal.value.reason == "next_has_moved"


@both
def test_who_closed_the_round_with_a_pass_may_still_correct_it(game: Game) -> None:
    for _n in range(3):
        played(game, PASS)
    played(game, PASS, now=NOW + HOUR, seat=1, corrects=3)
    assert awaited(game) == (None, "paused", None)


# --- agreements -----------------------------------------------------------------------------------


def asking(game: Game, *more: Command) -> Move:
    operating(game)
    return played(game, private(3), *more, now=NOW + HOUR)


@both
def test_the_owner_is_asked_and_the_next_clock_is_off(game: Game) -> None:
    """X-03, T-10 — his 48 hours; the others cannot move meanwhile."""
    move = asking(game, TILE)
    assert fates(move) == ["consent", "new"]
    assert awaited(game) == (3, "consent", 2 * DAY + HOUR)
    consent = Consent.objects.get()
    assert (consent.seat.position, consent.index) == (3, 0)
    assert consent.action == {"type": "text", **private(3).to_dict()}
    assert played(game, PASS, seat=2).state == "not_turn"


@both
@pytest.mark.parametrize(
    ("yes", "fate", "why"),
    [(True, "new", None), (False, "refused", {"fault": "consent_refused"})],
)
def test_with_the_answer_the_turn_passes_on(game: Game, yes: bool, fate: str, why: object) -> None:
    """X-03, T-10 — what was agreed to is the station master's to tick; a no is not."""
    move = asking(game, TILE)
    at = NOW + 5 * HOUR
    services.answer(Consent.objects.get().pk, yes, user_at(game, 3), at)
    assert fates(move) == [fate, "new"]
    assert move.commands[0].get("why") == why
    assert awaited(game) == (2, "running", 2 * DAY + 5 * HOUR)
    assert services.turns_of(reread(game)).operating == "GT"
    assert services.may_tick(services.outcomes_of(move)[0]) is yes


@both
def test_silence_is_a_no(game: Game) -> None:
    """T-10 — after 48 hours; the next player's begin then."""
    move = asking(game)
    at = NOW + 2 * DAY + HOUR + 2 * MINUTE
    services.sweep(at)
    assert fates(move) == ["refused"]
    assert move.commands[0]["why"] == {"fault": "consent_lapsed"}
    assert awaited(game) == (2, "running", at + 2 * DAY - NOW)


@both
def test_an_agreement_is_asked_for_once_more_by_a_correction(game: Game) -> None:
    """Y-03 — the price was wrong: the tile is; the request stays as it was, asked again."""
    asking(game, TILE)
    other = Written("lay", (("tile", "8"), ("hex", "J11"), ("side", "E")))
    played(game, private(3), other, now=NOW + 2 * HOUR, seat=2, corrects=2)
    assert list(Consent.objects.values_list("answer", flat=True)) == ["withdrawn", ""]
    assert awaited(game) == (3, "consent", 2 * DAY + 2 * HOUR)


# --- ticking --------------------------------------------------------------------------------------


@both
def test_the_table_reads_what_was_not_executed_and_why(game: Game) -> None:
    """Y-02."""
    move = played(game, BUY, Written("other", (("text", "a loan"),)))
    dino = make_cast().dino
    assert services.to_be_ticked(reread(game)) == [move]
    ticks = {0: Tick(executed=False, why=" No money\nleft "), 1: Tick(executed=True)}
    services.tick_move(move.pk, ticks, dino, NOW)
    assert fates(move) == ["refused", "executed"]
    assert not services.to_be_ticked(reread(game))
    mails = Email.objects.filter(key__startswith=f"ticked:{game.pk}:1:1:")
    assert mails.count() == 4
    assert all("No money left" in mail.body for mail in mails)
    assert LogEntry.objects.filter(verb="tick_move").count() == 1


@both
def test_all_executed_needs_no_mail_but_a_second_thought_does(game: Game) -> None:
    """Y-05 — he writes also how a clear intention was executed."""
    move, dino = played(game, BUY), make_cast().dino
    services.tick_move(move.pk, {0: Tick(executed=True)}, dino, NOW)
    services.tick_move(move.pk, {0: Tick(executed=True)}, dino, NOW)
    assert not Email.objects.filter(key__startswith="ticked:").exists()
    services.tick_move(move.pk, {0: Tick(executed=True, why="It costs 95.")}, dino, NOW)
    assert Email.objects.filter(key__startswith="ticked:").count() == 4
    names = services.names_of_game(game)
    move.refresh_from_db()
    assert services.move_by_hand(move, names)[0].why == "It costs 95."


@both
def test_what_is_not_for_the_station_master_to_say_is_refused(game: Game) -> None:
    dino = make_cast().dino
    move = asking(game, TILE)
    cases = [
        ({0: Tick(executed=True)}, "not_yours_to_say"),
        ({7: Tick(executed=True)}, "not_yours_to_say"),
        ({1: Tick(executed=False, why=" ")}, "reason_missing"),
    ]
    for ticks, reason in cases:
        with pytest.raises(Refused) as refusal:
            services.tick_move(move.pk, ticks, dino, NOW)
        assert refusal.value.reason == reason
    assert refusal.value.field == "why-1"
    with pytest.raises(Refused) as refusal:
        services.tick_move(move.pk, {1: Tick(executed=True)}, user_at(game, 1), NOW)
    assert refusal.value.reason == "plays_here"
    assert fates(move) == ["consent", "new"]


# --- whose turn it is -----------------------------------------------------------------------------


@both
def test_somebody_else_than_who_was_to_act_needs_a_reason(game: Game) -> None:
    dino = make_cast().dino
    with pytest.raises(Refused) as refusal:
        services.set_turns(game.pk, Turns(), "3", "", dino, NOW)
    assert refusal.value.reason == "reason_missing"
    services.set_turns(game.pk, Turns(label="SR 1"), "2", "", dino, NOW + HOUR)
    assert awaited(game) == (2, "running", 2 * DAY)  # he was to act: his hours stay
    services.set_turns(game.pk, Turns(), "3", "He has gone bankrupt.", dino, NOW + HOUR)
    assert awaited(game) == (3, "running", 2 * DAY + HOUR)
    mails = Email.objects.filter(key__startswith=f"turns:{game.pk}:2:")
    assert mails.count() == 4
    assert all("He has gone bankrupt." in mail.body for mail in mails)


@both
def test_a_form_based_on_what_the_station_master_changed_is_stale(game: Game) -> None:
    seen = reread(game).seq
    operating(game)
    assert played(game, PASS, seen=seen).state == "stale"


@both
def test_turns_that_make_no_sense_are_refused(game: Game) -> None:
    dino = make_cast().dino
    cases = [
        (Turns(Kind.OPERATING), "2", "order_missing"),
        (Turns(Kind.OPERATING, turns=ORDER, at=3), "2", "order_missing"),
        (Turns(Kind.OPERATING, turns=(("CPR", "9"),)), "2", "no_such_seat"),
        (Turns(), "9", "no_such_seat"),
        (Turns(), "", "no_such_seat"),
    ]
    for turns, player, reason in cases:
        with pytest.raises(Refused) as refusal:
            services.set_turns(game.pk, turns, player, "because", dino, NOW)
        assert refusal.value.reason == reason
    asking(game)
    with pytest.raises(Refused) as refusal:
        services.set_turns(game.pk, Turns(), "1", "because", dino, NOW)
    assert refusal.value.reason == "answer_awaited"


@both
def test_a_pause_for_everybody_outlives_a_new_round(game: Game) -> None:
    """T-11 — who is next has his whole 48 hours when the clocks go on."""
    dino = make_cast().dino
    services.pause([game.pk], "August", dino, NOW + DAY)
    for _n in range(3):
        played(game, PASS, now=NOW + DAY)
    operating(game, now=NOW + 2 * DAY)
    assert awaited(game) == (2, "paused", None)
    services.resume([game.pk], dino, NOW + 9 * DAY)
    assert awaited(game) == (2, "running", 11 * DAY)


# --- back, and the end ----------------------------------------------------------------------------


@both
def test_a_roll_back_restores_who_was_to_act_and_the_round(game: Game) -> None:
    """S-14 — nothing is deleted; an answer that was awaited is asked for no more."""
    played(game, PASS)
    operating(game, reason="All pass.")
    third = played(game, TILE)
    played(game, private(3))
    dino = make_cast().dino
    services.roll_back(third, "The tile was not on sale.", dino, NOW + DAY)
    assert awaited(game) == (2, "running", 3 * DAY)
    assert services.turns_of(reread(game)).operating == "CPR"
    assert list(Move.objects.order_by("pk").values_list("state", flat=True)) == [
        *("played", "played", "undone", "undone", "played"),
    ]
    assert Consent.objects.get().answer == "withdrawn"
    first = Move.objects.get(number=1)
    services.roll_back(first, "And before it.", dino, NOW + DAY)
    assert services.turns_of(reread(game)) == Turns()
    assert awaited(game)[0] == 2


@both
def test_what_the_station_master_said_may_be_taken_back(game: Game) -> None:
    for _n in range(3):
        played(game, PASS)
    operating(game)
    dino = make_cast().dino
    services.roll_back(Move.objects.get(number=4), "Wrong order.", dino, NOW + DAY)
    assert awaited(game) == (None, "paused", None)
    assert services.turns_of(reread(game)).kind is Kind.STOCK


@both
def test_the_sheet_is_written_by_one_at_a_time(game: Game) -> None:
    """S-01."""
    dino = make_cast().dino
    services.keep_sheet(game.pk, "Bruno  375\r\nAnna   375\r\n", None, dino, NOW)
    assert reread(game).sheet == "Bruno  375\nAnna   375"
    for text, seen, reason in (("x", None, "stale"), ("x" * 20_001, NOW, "too_long")):
        with pytest.raises(Refused) as refusal:
            services.keep_sheet(game.pk, text, seen, dino, NOW)
        assert refusal.value.reason == reason


@both
def test_closed_it_stops_and_the_result_is_typed(game: Game) -> None:
    """C-14, C-05 — 8000, 7500, 6000: 937.50, and 750 for the last; the winner 2500 less 937.50."""
    asking(game)
    dino = make_cast().dino
    with pytest.raises(Refused) as refusal:
        services.close_game(game.pk, " ", dino, NOW)
    assert refusal.value.reason == "reason_missing"
    services.close_game(game.pk, "The bank broke", dino, NOW + DAY)
    closed = reread(game)
    assert (closed.clock, closed.status, closed.to_act) == ("over", "The bank broke", None)
    assert Consent.objects.get().answer == "withdrawn"
    assert Email.objects.filter(key__startswith=f"closed:{game.pk}:").count() == 4
    with pytest.raises(Refused) as refusal:
        played(game, PASS, seat=2)
    assert refusal.value.reason == "game_not_on"
    table = reread_table(closed.table)
    refuse_closed(table)  # raises nothing: the sheet may be typed
    result = record(table, 8000, 7500, 6000)
    points = [line.points for line in result.lines.order_by("seat__position")]
    assert points == [156250, 93750, 75000]
    with pytest.raises(Refused) as refusal:
        services.set_turns(game.pk, Turns(), "2", "It goes on.", dino, NOW)
    assert refusal.value.reason == "has_result"


@both
def test_a_game_closed_by_mistake_goes_on(game: Game) -> None:
    dino = make_cast().dino
    services.close_game(game.pk, "A slip", dino, NOW)
    services.set_turns(game.pk, Turns(), "3", "It was not over.", dino, NOW + DAY)
    assert awaited(game) == (3, "running", 3 * DAY)
    assert reread(game).status == ""


@pytest.mark.django_db
def test_a_game_with_an_engine_is_not_kept_by_hand() -> None:
    game = make_game(make_players(3))
    dino = make_cast().dino
    for verb in (
        lambda: services.set_turns(game.pk, Turns(), "1", "x", dino, NOW),
        lambda: services.keep_sheet(game.pk, "x", None, dino, NOW),
        lambda: services.close_game(game.pk, "x", dino, NOW),
    ):
        with pytest.raises(Refused) as refusal:
            verb()
        assert refusal.value.reason == "has_engine"
