"""The page of a game: who sees it, what it shows, what becomes of a move sent from it."""

from __future__ import annotations

from typing import Any
from uuid import uuid4

import pytest
from django.contrib.auth.hashers import make_password
from django.contrib.auth.models import AnonymousUser
from django.test import Client
from django.urls import reverse
from django.utils import timezone

from figf.models import User
from figf.tests.cast import visitor
from pbem.models import Game, Move
from pbem.tests.running import make_game, position, reread, user_at

both = pytest.mark.both


@pytest.fixture
def game(db: None) -> Game:
    """Three players who begin now, by the clock of the site."""
    return make_game(3, now=timezone.now())


def read(game: Game, by: User | AnonymousUser | None = None, query: str = "") -> str:
    answer = visitor(by).get(game.get_absolute_url() + query)
    assert answer.status_code == 200
    return answer.content.decode()


def post(client: Client, game: Game, **said: object) -> Any:
    data = {"seen": reread(game).seq, "key": str(uuid4()), "act": "send"} | said
    return client.post(reverse("game_move", args=[game.pk]), data)


@both
def test_everybody_sees_the_game_and_only_who_is_to_act_the_form(game: Game) -> None:
    """P-01, P-09, V-01 — cash is public; the form is for who holds the seat."""
    for by in (AnonymousUser(), user_at(game, 2), user_at(game, 3)):
        html = read(game, by)
        assert "$800" in html  # what each of three has
        assert 'id="move-form"' not in html
    assert 'id="move-form"' in read(game, user_at(game, 1))


@both
def test_a_move_is_looked_at_before_it_is_sent(game: Game) -> None:
    """V-13 — the preview is the very execution, and writes nothing."""
    client = visitor(user_at(game, 1))
    said = {"choice": "SV", "amount_SV": "20"}
    answer = post(client, game, act="preview", **said)
    assert "gets SV" in answer.content.decode() or "buys SV" in answer.content.decode()
    assert not Move.objects.exists()
    answer = post(client, game, **said)
    assert answer.status_code == 302
    assert position(game).state.owners == {"SV": "1"}


def test_a_preview_alone_is_asked_for_by_the_page(game: Game) -> None:
    """What changes with each field is a fragment, and says what would not be executed and why."""
    client = visitor(user_at(game, 1))
    answer = client.post(
        reverse("game_move", args=[game.pk]),
        {"seen": 0, "key": str(uuid4()), "act": "preview", "choice": "SV", "amount_SV": "9"},
        headers={"HX-Request": "true", "HX-Target": "move-preview"},
    )
    html = answer.content.decode()
    assert "<html" not in html
    assert "not executed" in html  # Y-04


def test_a_form_of_before_is_shown_again_with_what_was_written(game: Game) -> None:
    """S-15, T-04 — nothing is lost: what was typed is there, on the position as it is now."""
    client = visitor(user_at(game, 1))
    post(client, game, choice="SV", amount_SV="20")
    for seat in (2, 3):
        post(visitor(user_at(game, seat)), game, choice="pass")
    answer = client.post(
        reverse("game_move", args=[game.pk]),
        {"seen": 0, "key": str(uuid4()), "act": "send", "choice": "DH", "amount_DH": "77"},
    )
    html = answer.content.decode()
    assert "77" in html
    assert Move.objects.filter(seat__position=1).count() == 1


def test_the_word_of_the_table_is_asked_for(game: Game) -> None:
    """S-13 — the second field, where the table has one; wrong, the rest is still there."""
    Game.objects.filter(pk=game.pk).update(password=make_password("cremagliera"))
    client = visitor(user_at(game, 1))
    answer = post(client, game, choice="SV", amount_SV="20", password="altra")
    assert answer.status_code == 422
    assert "This is not the word of this table." in answer.content.decode()
    assert not Move.objects.exists()
    post(client, game, choice="SV", amount_SV="20", password="cremagliera")
    assert reread(game).seq == 1


@pytest.mark.parametrize(
    "said",
    [
        {},
        {"seen": "x", "key": "y", "corrects": "z"},
        {"seen": "99999999999999", "corrects": "-1", "act": "preview"},
        {"choice": "🚂", "amount_SV": "-9" * 400},
    ],
)
def test_nothing_that_is_sent_breaks_the_page(game: Game, said: dict[str, str]) -> None:
    """Y-01 — what makes no sense is no command."""
    client = visitor(user_at(game, 1))
    answer = client.post(reverse("game_move", args=[game.pk]), said)
    assert answer.status_code in {200, 302, 422}
    assert reread(game).seq == 0


def test_a_stranger_s_form_changes_nothing(game: Game) -> None:
    """V-01, S-11."""
    for by in (user_at(game, 2), game.station_master):
        answer = post(visitor(by), game, choice="SV", amount_SV="20")
        assert answer.status_code == 302
    assert not Move.objects.exists()


def test_what_would_not_be_executed_is_shown_once_more_before_it_is_sent(game: Game) -> None:
    """V-13, Y-02 — sent all the same only by who has seen it; then it is said what was not."""
    client = visitor(user_at(game, 1))
    answer = post(client, game, choice="SV", amount_SV="9")
    assert answer.status_code == 200
    assert 'value="anyway"' in answer.content.decode()
    assert not Move.objects.exists()
    answer = post(client, game, choice="SV", amount_SV="9", act="anyway")
    assert answer.status_code == 302
    assert "executed in part" in read(game, user_at(game, 1)) or Move.objects.count() == 1


def test_who_had_to_log_in_again_is_led_to_the_game(game: Game) -> None:
    """The form's address shows nothing by itself: the game's page, which says that nothing left."""
    client = visitor(user_at(game, 1))
    address = reverse("game_move", args=[game.pk])
    answer = client.get(address, follow=True)
    assert "Your move was not sent" in answer.content.decode()
