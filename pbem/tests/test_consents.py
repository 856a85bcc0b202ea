"""What a player is asked to agree to: its page, its buttons, what everybody sees."""

from __future__ import annotations

from datetime import datetime
from uuid import uuid4

import pytest
from django.urls import reverse

from figf.models import Email, LogEntry
from figf.tests.cast import DAY, HOUR, NOW, Page, make_cast, make_member, visitor
from pbem import services
from pbem.engine import parse
from pbem.models import Action, Consent, Game, Move
from pbem.rules.commands import Plain, Written
from pbem.tests.running import make_game, reread, send, user_at
from pbem.tests.test_letters import asking
from pbem.tests.turns_of_games import recorded_turns

pytestmark = pytest.mark.django_db
both = pytest.mark.both


@pytest.fixture
def game(monkeypatch: pytest.MonkeyPatch) -> Game:
    """The pages read the hour: all happens an hour after what was asked."""
    monkeypatch.setattr("django.utils.timezone.now", lambda: NOW + 2 * HOUR)
    return make_game(3)


@both
def test_the_page_says_all_and_its_buttons_answer(game: Game) -> None:
    """X-03, T-10 — to open it answers nothing; the button does."""
    consent = asking(game)
    client, address = visitor(user_at(game, 2)), reverse("consent", args=[consent.pk])
    page = Page(client.get(address))
    assert "Binario Bruno offers $100 for Champlain & St. Lawrence (CS)." in page.text
    assert "receives $100 and gives" in page.text
    assert "No answer by then is a no." in page.text
    assert Consent.objects.get().answer == ""
    assert client.post(address, {"answer": "yes"}).status_code == 302
    consent.refresh_from_db()
    assert (consent.answer, consent.answered_by) == ("yes", user_at(game, 2))
    again = client.post(address, {"answer": "no"})
    assert again.status_code == 422
    assert "This has been answered already." in Page(again).text


@both
def test_the_money_set_aside_is_shown_beside_all_that_he_has(game: Game) -> None:
    """X-03."""
    consent = asking(game)
    has = services.head(reread(game)).state.cash["1"]
    page = Page(visitor(user_at(game, 2)).get(reverse("consent", args=[consent.pk])))
    assert f"$100 of the ${has} of Binario Bruno are set aside" in page.text


def test_everybody_at_the_table_sees_it_and_only_who_is_asked_has_buttons(game: Game) -> None:
    """X-03 — also on the game's page; and then the answer."""
    consent = asking(game)
    button = b'value="yes"'
    for address in (reverse("consent", args=[consent.pk]), reverse("game", args=[game.pk])):
        for n in (1, 2, 3):
            answer = visitor(user_at(game, n)).get(address)
            assert "offers $100 for" in Page(answer).text, address
            assert (button in answer.content) is (n == 2), (address, n)
    services.answer(consent.pk, False, user_at(game, 2), NOW + 2 * HOUR)
    page = Page(visitor(user_at(game, 3)).get(reverse("game", args=[game.pk])))
    assert "offers $100 for" in page.text
    assert "Who was asked does not agree." in page.text


def test_nobody_else_answers(game: Game) -> None:
    """X-03 — nor who is not logged in, nor without a word."""
    consent = asking(game)
    address = reverse("consent", args=[consent.pk])
    assert visitor().get(address).status_code == 302
    assert visitor().post(address, {"answer": "yes"}).status_code == 302
    answer = visitor(user_at(game, 3)).post(address, {"answer": "yes"})
    assert answer.status_code == 422
    assert "This is asked of somebody else." in Page(answer).text
    answer = visitor(user_at(game, 2)).post(address, {"answer": "maybe"})
    assert answer.status_code == 422
    assert "Say whether you agree: yes or no." in Page(answer).text
    assert Consent.objects.get().answer == ""


def test_after_48_hours_it_is_too_late(game: Game, monkeypatch: pytest.MonkeyPatch) -> None:
    """T-10."""
    consent = asking(game)
    monkeypatch.setattr("django.utils.timezone.now", lambda: NOW + 2 * DAY + 2 * HOUR)
    address = reverse("consent", args=[consent.pk])
    answer = visitor(user_at(game, 2)).post(address, {"answer": "yes"})
    assert answer.status_code == 422
    assert "The 48 hours for an answer have passed" in Page(answer).text


def test_a_request_where_no_engine_knows_the_title() -> None:
    """X-14 — as it was written."""
    game = make_game(3)
    Game.objects.filter(pk=game.pk).update(has_engine=False)
    game = reread(game)
    row = Written("private", (("company", "FT"), ("from", "2"), ("price", "40")))
    sent = services.Sent([row], game.seq, uuid4())
    services.submit(game.pk, sent, user_at(game, 1), NOW + HOUR, NOW + HOUR)
    consent = Consent.objects.get()
    page = Page(visitor(user_at(game, 2)).get(reverse("consent", args=[consent.pk])))
    assert "Purchase of a private: FT, from Viaggiatore" in page.text
    assert "the station master writes it down" in page.text


@both
def test_a_game_that_one_may_not_see_has_no_requests(game: Game) -> None:
    consent = asking(game)
    sara = make_cast().sara
    stranger = make_member("estranea", "Estranea", "Elsa", sara)
    address = reverse("consent", args=[consent.pk])
    assert visitor(stranger).get(address).status_code == 200  # the event is public
    assert visitor(stranger).get(reverse("consent", args=[0])).status_code == 404


# --- a price that the referees look at ------------------------------------------------------------


def before_sale(now: datetime) -> Game:
    """A recorded game of six, at its 159th action: CPR, of player 5, may buy a 4-train, whose face
    value is 300, from NYNH, of player 4, for 50."""
    turns, first = recorded_turns("bankruptcy_figf_6")
    game = make_game(6, now=now)
    actions = [action for turn in turns for action in turn.actions][:158]
    seats = {str(seat.position): seat for seat in game.table.seats.all()}
    move = Move.objects.create(
        game=game, number=1, seat=seats["1"], kind=Move.Kind.OWN, received_at=now
    )
    step = first.copy()
    for seq, action in enumerate(actions, 1):
        step.apply(action)
        Action.objects.create(
            game=game, seq=seq, move=move, payload=action.to_dict(), digest=step.digest()
        )
    game.seq = game.length = len(actions)
    game.to_act = seats[step.player or ""]
    game.save()
    return reread(game)


@both
def test_a_train_at_less_than_half_its_value_is_sold_and_looked_at() -> None:
    """Q-02 — never refused: it is in the log, marked in the move, and mailed to those who judge."""
    game = before_sale(NOW)
    send(game, [Plain(parse("CPR train 4 NYNH 50"))], NOW, seat=5)
    assert not LogEntry.objects.filter(verb="political_price").exists()  # nothing is sold yet
    services.answer(Consent.objects.get().pk, True, user_at(game, 4), NOW + HOUR)
    entry = LogEntry.objects.get(verb="political_price")
    assert entry.data == {"number": 2, "sale": "CPR train 4 NYNH 50"}
    told = Email.objects.filter(key__startswith=f"price:{game.pk}:").values_list("to", flat=True)
    assert "dino@example.org" in told
    assert user_at(game, 4).email not in told
    page = Page(visitor(user_at(game, 1)).get(reverse("game", args=[game.pk])))
    assert "less than half of the face value" in page.text
    assert "yes Viaggiatore" in page.text
