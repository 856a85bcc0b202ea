"""The first page of who plays by correspondence: his games, those that wait for him first."""

from __future__ import annotations

from datetime import datetime

import pytest
from django.db import connection
from django.test.utils import CaptureQueriesContext
from django.urls import reverse
from django.utils import timezone

from figf.models import User
from figf.tests.cast import DAY, HOUR, MINUTE, Page, make_cast, visitor
from pbem import services
from pbem.engine import parse
from pbem.models import Game, Place
from pbem.rules.commands import Plain
from pbem.services.mine import Asks
from pbem.tests.running import make_game, make_players, reread, send, user_at
from pbem.tests.test_letters import asking

pytestmark = pytest.mark.django_db
both = pytest.mark.both


@pytest.fixture
def now() -> datetime:
    return timezone.now()


def rows(user: User) -> list[tuple[int, Asks]]:
    return [(row.game.pk, row.asks) for row in services.turns_of_reader(user).rows]


@both
def test_the_most_urgent_comes_first_and_what_waits_for_others_last(now: datetime) -> None:
    """T-01 — Bruno is to move in two games, begun a day apart; in the third it is the next's."""
    bruno = make_cast().bruno
    fresh, moved, old = (make_game(3, now=now - ago) for ago in (HOUR, HOUR, DAY))
    send(moved, [Plain(parse("1 bid SV 20"))], now - MINUTE)
    assert rows(bruno) == [
        (old.pk, Asks.MOVE),
        (fresh.pk, Asks.MOVE),
        (moved.pk, Asks.NOTHING),
    ]
    page = Page(visitor(bruno).get("/"))
    assert "Your games" in page.text
    assert "Opening auction" in page.text
    assert f"{reverse('game', args=[old.pk])}#move-title" in page.links
    assert f"{reverse('game', args=[moved.pk])}#move-title" not in page.links
    assert "to move: Viaggiatore" in page.text


def test_an_answer_asked_leads_to_its_page(now: datetime) -> None:
    """X-03 — 2 is asked; 1, who asked, waits."""
    game = make_game(3)
    consent = asking(game)
    assert rows(user_at(game, 2)) == [(game.pk, Asks.ANSWER)]
    assert rows(user_at(game, 1)) == [(game.pk, Asks.NOTHING)]
    page = Page(visitor(user_at(game, 2)).get("/"))
    assert reverse("consent", args=[consent.pk]) in page.links
    assert "Stock round 2" in page.text


@both
def test_an_invitation_is_there_until_it_is_answered(now: datetime) -> None:
    """S-01 — a reserve too is asked."""
    cast = make_cast()
    game = make_game(3, now=now)
    Game.objects.filter(pk=game.pk).update(
        clock=Game.Clock.GATHERING, due_at=None, started_at=None, to_act=None
    )
    carla = cast.judge
    place = Place.objects.create(game=game, player=carla, reserve=1, asked_at=now)
    assert carla.user
    assert rows(carla.user) == [(game.pk, Asks.PLACE)]
    assert "will you play?" in Page(visitor(carla.user).get("/")).text
    place.answer = "yes"
    place.save()
    assert rows(carla.user) == []


def test_an_expired_turn_is_no_more_ones_own(now: datetime) -> None:
    """T-05 — the station master decides."""
    game = make_game(3, now=now - 3 * DAY)
    services.sweep(now)
    assert reread(game).clock == "reviewing"
    assert rows(user_at(game, 1)) == [(game.pk, Asks.EXPIRED)]
    page = Page(visitor(user_at(game, 1)).get("/"))
    assert f"{reverse('game', args=[game.pk])}#move-title" not in page.links


def test_a_game_that_is_over_is_not_there(now: datetime) -> None:
    game = make_game(3, now=now)
    Game.objects.filter(pk=game.pk).update(clock=Game.Clock.OVER, due_at=None, to_act=None)
    assert rows(user_at(game, 1)) == []


def test_who_plays_nothing_and_who_is_nobody_see_the_page_as_it_was(now: datetime) -> None:
    make_game(3, now=now)
    for user in (None, make_cast().dino):
        page = Page(visitor(user).get("/"))
        assert "Your games" not in page.text
        assert "board-turns" not in visitor(user).get("/").content.decode()


@both
def test_the_board_asks_again_and_is_answered_only_what_changed(now: datetime) -> None:
    game = make_game(3, now=now)
    client = visitor(user_at(game, 1))
    seen = client.get("/").context["turns"].seen
    assert client.get("/", {"turns": seen}).status_code == 204
    send(game, [Plain(parse("1 bid SV 20"))], now)
    changed = client.get("/", {"turns": seen})
    assert changed.status_code == 200
    assert "to move: Viaggiatore" in Page(changed).text
    assert "<html" not in changed.content.decode()


@both
def test_the_round_and_the_corporation_are_told(now: datetime) -> None:
    """What a move is asked of: it is kept beside the game, so that a board reads no log."""
    game = make_game(3, now=now)
    for status, told in (
        ("auction", "Opening auction"),
        ("stock 3", "Stock round 3"),
        ("operating 2.1 PRR", "Operating round 2.1, PRR"),
        ("operating 4.2", "Operating round 4.2"),
    ):
        Game.objects.filter(pk=game.pk).update(status=status)
        assert told in Page(visitor(user_at(game, 1)).get("/")).text


def test_eight_games_take_as_many_queries_as_two(now: datetime) -> None:
    users = make_players(3, now)

    def asked() -> int:
        with CaptureQueriesContext(connection) as queries:
            services.turns_of_reader(users[0])
        return len(queries)

    for _ in range(2):
        make_game(users, now=now)
    few = asked()
    for _ in range(6):
        make_game(users, now=now)
    assert len(rows(users[0])) == 8
    assert asked() == few
