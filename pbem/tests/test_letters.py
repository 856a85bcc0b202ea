"""The mails of games by correspondence: what they say, to whom, in which language."""

from __future__ import annotations

from datetime import UTC, datetime, timedelta

import pytest
from django.urls import reverse
from django.utils import translation

from figf.models import Email, LogEntry, User
from figf.templatetags.figf import deadline
from figf.tests.cast import DAY, HOUR, MINUTE, NOW, Page, make_cast, make_member, visitor
from pbem import services
from pbem.engine import parse
from pbem.engine.actions import BuyTrain
from pbem.models import Consent, Game, Move, Preference
from pbem.rules.commands import Command, Plain
from pbem.rules.turns import Execution
from pbem.services.letters import announce, flagged
from pbem.services.logs import head
from pbem.tests.running import make_game, position, reread, send, user_at
from tournaments.services.privacy import forget_player, person_export

pytestmark = pytest.mark.django_db
both = pytest.mark.both


def says(*lines: str) -> list[Command]:
    return [Plain(parse(line)) for line in lines]


@pytest.fixture
def game() -> Game:
    """Three players, the auction begins; the first seat is Bruno's."""
    return make_game(3)


def reads(user: User, language: str) -> None:
    User.objects.filter(pk=user.pk).update(language=language)


def last_to(user: User) -> Email:
    return Email.objects.filter(to=user.email).latest("pk")


def count_to(user: User) -> int:
    return Email.objects.filter(to=user.email).count()


def master(game: Game) -> User:
    assert game.station_master
    return game.station_master


def asking(game: Game) -> Consent:
    """In the second stock round 1 offers 100 for CS, which is 2's."""
    lines = ("bid SV 20", "bid CS 40", "bid DH 70", "bid MH 110", "bid CA 160")
    for n, line in enumerate(lines):
        send(game, says(f"{n % 3 + 1} {line}"), NOW)
    send(game, says("3 bid BO 220", "3 par B&O 100"), NOW)
    while position(game).state.turn == 1:
        send(game, says(f"{position(game).player} pass"), NOW)
    while position(game).player != "1":
        send(game, says(f"{position(game).player} pass"), NOW)
    send(game, says("1 private CS 100"), NOW + HOUR)
    return Consent.objects.get()


# --- absolute times -------------------------------------------------------------------------------


@pytest.mark.parametrize(
    ("at", "told"),
    [
        (datetime(2026, 3, 14, 15, tzinfo=UTC), "Saturday 14 March 2026, 16:00 (CET)"),
        (datetime(2026, 3, 29, 0, 59, tzinfo=UTC), "Sunday 29 March 2026, 01:59 (CET)"),
        (datetime(2026, 3, 29, 1, tzinfo=UTC), "Sunday 29 March 2026, 03:00 (CEST)"),
        (datetime(2026, 10, 25, 0, 30, tzinfo=UTC), "Sunday 25 October 2026, 02:30 (CEST)"),
        (datetime(2026, 10, 25, 1, 30, tzinfo=UTC), "Sunday 25 October 2026, 02:30 (CET)"),
    ],
)
def test_a_deadline_is_told_with_its_day_and_zone(at: datetime, told: str) -> None:
    """T-02 — of the two half past two of the night in October, which one."""
    with translation.override("en"):
        assert deadline(at) == told


# --- a move ---------------------------------------------------------------------------------------


@both
def test_who_is_to_act_reads_what_he_must_do_first(game: Game) -> None:
    """S-12, T-01 — NOW is 12:00 UTC or so; he has 48 hours, told with day, hour and zone."""
    second = user_at(game, 2)
    reads(second, "en")
    send(game, says("1 bid SV 20"), NOW + HOUR)
    mail, due = last_to(second), NOW + HOUR + 2 * DAY
    assert mail.subject.startswith("Your turn: Festa del Binario Morto")
    assert "Binario Bruno buys SV for $20." in mail.body
    with translation.override("en"):
        assert f"It is your turn, until {deadline(due)}." in mail.body
    assert f"{reverse('game', args=[game.pk])}#move-title" in mail.body


@both
def test_each_reads_it_in_his_language_and_the_others_who_is_next(game: Game) -> None:
    """S-12 — the third player and the station master are told who is to act."""
    third = user_at(game, 3)
    reads(third, "en")
    reads(master(game), "en")
    send(game, says("1 bid SV 20"), NOW)
    for user in (third, master(game)):
        assert last_to(user).subject.startswith("Move 1 of Binario Bruno: ")
        assert "It is the turn of Viaggiatore" in last_to(user).body
    assert last_to(user_at(game, 2)).subject.endswith(", tavolo 1")  # Italian


def test_what_was_not_executed_is_told_with_the_reason(game: Game) -> None:
    """Y-02 — SV, the cheapest, costs exactly 20."""
    reads(user_at(game, 2), "en")
    send(game, says("1 bid SV 25"), NOW)
    body = last_to(user_at(game, 2)).body
    assert "NOT EXECUTED: Bid on, or purchase of, a private: SV, $25" in body
    assert "SV is the cheapest private and costs exactly $20: offer that." in body


def test_a_comment_goes_with_its_move(game: Game) -> None:
    """V-11."""
    send(game, says("1 bid SV 20"), NOW, comment="Buon viaggio")
    assert "Buon viaggio" in last_to(user_at(game, 2)).body


def test_a_hidden_comment_does_not_go_with_what_is_told_later(game: Game) -> None:
    """V-11 — the answer to what a move asked is told without it."""
    consent = asking(game)
    Move.objects.filter(pk=consent.move_id).update(comment="Parole", form=consent.move.form)
    move = Move.objects.get(pk=consent.move_id)
    services.hide_comment(move, True, master(game), NOW + 2 * HOUR)
    services.answer(consent.pk, True, user_at(game, 2), NOW + 3 * HOUR)
    assert "Parole" not in last_to(user_at(game, 3)).body


def test_a_mail_never_says_how_much_time_is_left(game: Game) -> None:
    """A mail is read later than it is written: only hours that stay true."""
    asking(game)
    services.sweep(NOW + HOUR + DAY)
    for mail in Email.objects.all():
        assert "left" not in mail.body.replace("time that was left", "")
        assert "rimangono" not in mail.body


# --- consents -------------------------------------------------------------------------------------


@both
def test_who_is_asked_reads_what_a_yes_and_a_no_would_do(game: Game) -> None:
    """X-03, Z-02 — CS at 100, from 2, whose answer is awaited; the money is set aside."""
    for n in (1, 2, 3):
        reads(user_at(game, n), "en")
    consent = asking(game)
    asked, others = last_to(user_at(game, 2)), last_to(user_at(game, 3))
    assert asked.subject.startswith("Answer: ")
    assert "Binario Bruno offers $100 for Champlain & St. Lawrence (CS)." in asked.body
    assert "receives $100 and gives Champlain & St. Lawrence (CS) to Binario Bruno." in asked.body
    assert "stays with Viaggiatore" in asked.body
    assert "$100 of Binario Bruno are set aside" in asked.body
    assert reverse("consent", args=[consent.pk]) in asked.body
    assert reverse("consent", args=[consent.pk]) not in others.body
    assert "Binario Bruno offers $100" in others.body
    services.answer(consent.pk, False, user_at(game, 2), NOW + 2 * HOUR)
    told = last_to(user_at(game, 3))
    assert "says no to what move" in told.body
    assert "Who was asked does not agree." in told.body


def test_silence_is_told_as_a_no(game: Game) -> None:
    """T-10."""
    reads(user_at(game, 3), "en")
    asking(game)
    services.sweep(NOW + HOUR + 2 * DAY + 2 * MINUTE)
    assert "has not answered in 48 hours" in last_to(user_at(game, 3)).body


# --- clocks ---------------------------------------------------------------------------------------


def test_a_reminder_says_until_when_and_leads_to_the_form(game: Game) -> None:
    """T-11 — to who is to move alone."""
    user = user_at(game, 1)
    reads(user, "en")
    others = count_to(user_at(game, 2))
    services.sweep(NOW + DAY)
    mail = last_to(user)
    assert mail.subject.startswith("Your turn, until ")
    assert "#move-title" in mail.body
    assert "If you have sent it meanwhile, there is nothing to do." in mail.body
    assert count_to(user_at(game, 2)) == others


@both
def test_after_a_night_without_sweeps_one_reminder_is_enough(game: Game) -> None:
    """T-11 — five hours before the end only the second is still worth sending."""
    services.sweep(NOW + 2 * DAY - 5 * HOUR)
    keys = Email.objects.filter(key__startswith="reminder:").values_list("key", flat=True)
    assert [key.rpartition(":")[2] for key in keys] == ["6"]


def test_each_who_is_asked_is_reminded_of_his_answer(game: Game) -> None:
    """T-10, T-11."""
    reads(user_at(game, 2), "en")
    consent = asking(game)
    services.sweep(NOW + HOUR + DAY)
    mail = last_to(user_at(game, 2))
    assert mail.subject.startswith("Answer by ")
    assert reverse("consent", args=[consent.pk]) in mail.body


def test_who_wants_no_reminders_has_none(game: Game) -> None:
    """T-11."""
    services.set_preference(user_at(game, 1), Preference.Moves.ALL, False)
    services.sweep(NOW + DAY)
    assert not Email.objects.filter(key__startswith="reminder:").exists()


def test_an_expired_turn_tells_each_what_it_means_for_him(game: Game) -> None:
    """T-05, T-06 — to who is late, to the station master, to the others."""
    for user in (user_at(game, 1), user_at(game, 2), master(game)):
        reads(user, "en")
    services.sweep(NOW + 2 * DAY + 2 * MINUTE)
    assert last_to(user_at(game, 1)).subject.startswith("Your time has expired: ")
    assert last_to(master(game)).subject.startswith("Decide: a turn has expired: ")
    assert last_to(user_at(game, 2)).subject.startswith("A turn has expired: ")
    assert "The move of Binario Bruno was due by" in last_to(user_at(game, 2)).body


def test_reopened_paused_resumed_and_taken_back_with_their_reasons(game: Game) -> None:
    """T-06, T-11, S-14."""
    reads(user_at(game, 1), "en")
    dino, late = master(game), NOW + 2 * DAY + 2 * MINUTE
    services.sweep(late)
    services.reopen_turn(game.pk, "Era in ospedale", dino, late)
    mail = last_to(user_at(game, 1))
    assert (mail.subject[:15], "Era in ospedale" in mail.body) == ("Your turn again", True)
    services.pause([game.pk], "Ferie", dino, late + HOUR)
    mail = last_to(user_at(game, 1))
    assert (mail.subject[:18], "Ferie" in mail.body) == ("The game is paused", True)
    services.resume([game.pk], dino, late + 2 * HOUR)
    assert last_to(user_at(game, 1)).subject.startswith("Your turn: ")
    move = send(game, says("1 bid SV 20"), late + 3 * HOUR)
    services.roll_back(move, "Errore di stampa", dino, late + 4 * HOUR)
    mail = last_to(user_at(game, 1))
    assert "The station master takes the game back to before move 1." in mail.body
    assert "Errore di stampa" in mail.body
    assert "It is your turn, until" in mail.body


# --- preferences ----------------------------------------------------------------------------------


@both
def test_only_my_turns_leaves_out_the_moves_of_others(game: Game) -> None:
    """S-12 — 3 hears nothing of 1's move, and hears that it is his turn after 2's."""
    third = user_at(game, 3)
    services.set_preference(third, Preference.Moves.TURN, True)
    services.set_preference(master(game), Preference.Moves.TURN, True)
    before = count_to(third)
    move = send(game, says("1 bid SV 20"), NOW)
    assert count_to(third) == before
    assert count_to(master(game)) > 0  # the station master hears all
    send(game, says("2 bid CS 40"), NOW)
    assert count_to(third) == before + 1
    services.roll_back(move, "Errore", master(game), NOW + HOUR)
    assert count_to(third) == before + 2


def test_who_asked_hears_the_answer_whatever_he_prefers(game: Game) -> None:
    """X-03."""
    services.set_preference(user_at(game, 1), Preference.Moves.TURN, True)
    consent = asking(game)
    before = count_to(user_at(game, 1))
    services.answer(consent.pk, True, user_at(game, 2), NOW + 2 * HOUR)
    assert count_to(user_at(game, 1)) == before + 1


@both
def test_preferences_are_chosen_on_their_page() -> None:
    bruno = make_cast().bruno
    client, address = visitor(bruno), reverse("pbem_preferences")
    assert reverse("pbem_preferences") in Page(client.get(reverse("account"))).links
    assert client.post(address, {"moves": "never"}).status_code == 422
    assert not Preference.objects.exists()
    assert client.post(address, {"moves": "turn"}).status_code == 302
    found = Preference.objects.get(user=bruno)
    assert (found.moves, found.reminders) == ("turn", False)
    client.post(address, {"moves": "all", "reminders": "on"})
    found.refresh_from_db()
    assert (found.moves, found.reminders) == ("all", True)
    assert "pbem.preference.user" in person_export(bruno.player)["rows"]


def test_what_a_forgotten_person_preferred_goes_with_his_log_in() -> None:
    """Art. 17: it belongs to one log-in alone."""
    sara = make_cast().sara
    user = make_member("elsa", "Estranea", "Elsa", sara)
    services.set_preference(user, Preference.Moves.TURN, False)
    forget_player(user.player, sara, NOW, "Estranea")
    assert not Preference.objects.exists()


@both
def test_an_address_that_mail_does_not_reach_shows() -> None:
    """On the account's page and on that of the preferences, until a mail arrives again."""
    bruno = make_cast().bruno
    client = visitor(bruno)

    def mail(n: int, **more: object) -> None:
        Email.objects.create(
            key=f"prova:{n}",
            to=bruno.email,
            subject="Prova",
            body="Prova",
            message_id=f"<prova.{n}@example.org>",
            created_at=NOW + n * HOUR,
            next_try_at=NOW,
            attempts=8,
            **more,
        )

    def said() -> list[bool]:
        pages = [Page(client.get(reverse(name))) for name in ("account", "pbem_preferences")]
        return ["do not arrive at bruno@example.org" in page.text for page in pages]

    assert said() == [False, False]
    mail(1, sent_at=NOW)
    mail(2, failed_at=NOW + DAY, last_error="550")
    mail(3, failed_at=NOW + DAY, last_error="550")
    assert said() == [True, True]
    assert services.unreached_since(bruno) == NOW + 2 * HOUR
    mail(4, sent_at=NOW + 2 * DAY)
    assert said() == [False, False]


# --- a price that the referees look at ------------------------------------------------------------


def test_a_train_at_a_political_price_is_told_to_station_master_and_referees(game: Game) -> None:
    """Q-02 — once, in the log and by mail; a player of the table, referee or not, is no judge."""
    move = send(game, says("1 bid SV 20"), NOW)
    reads(master(game), "en")
    flagged(reread(game), move, BuyTrain("PRR", "3", "NYC", 10), NOW)
    told = Email.objects.filter(key__startswith=f"price:{game.pk}:")
    judge = make_cast().judge.user
    assert judge
    assert {mail.to for mail in told} >= {master(game).email}
    assert user_at(game, 1).email not in {mail.to for mail in told}
    body = last_to(master(game)).body
    assert "PRR buys a 3-train from NYC for $10: less than half of its face value, $180." in body
    assert LogEntry.objects.filter(verb="political_price").count() == 0  # written by the move


def test_the_end_is_told_with_what_each_is_worth(game: Game) -> None:
    """C-14 — the most first."""
    move = send(game, says("1 bid SV 20"), NOW)
    Game.objects.filter(pk=game.pk).update(
        clock=Game.Clock.OVER, due_at=None, to_act=None, result={"1": 700, "2": 900, "3": 100}
    )
    reads(user_at(game, 1), "en")
    over = reread(game)
    over.seq += 1
    announce(over, move, head(game), Execution([]), NOW + timedelta(hours=1))
    mail = last_to(user_at(game, 1))
    assert mail.subject.startswith("The game is over: ")
    first, second = mail.body.index("$900"), mail.body.index("$700")
    assert first < second < mail.body.index("$100")
