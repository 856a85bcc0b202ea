"""The pages on which a game by correspondence is opened, gathered, put in order, and listed.

Covers S-01, S-02, S-13, A-18, I-08.
"""

from __future__ import annotations

from typing import Any

import pytest
from django.contrib.auth.hashers import check_password
from django.test import Client
from django.urls import reverse
from django.utils import timezone

from figf import services as base
from figf.models import User
from figf.tests.cast import DAY, HOUR, MINUTE, NOW, Page, make_cast, make_title, visitor
from pbem import services
from pbem.models import Game
from tournaments.models import Ban, Event, Result
from tournaments.services import ban

from .running import make_game, make_players, reread
from .test_tables import all_yes, holders, make_table, opened, opening, over

db = pytest.mark.django_db
both = pytest.mark.both


def typed(**more: str) -> dict[str, str]:
    """The form as it is sent where nothing is out of the ordinary."""
    later = timezone.localtime(timezone.now() + 2 * DAY).strftime("%Y-%m-%dT%H:%M")
    return {
        "station_master": str(make_cast().dino.pk),
        "preset": "figf",
        "answer_by": later,
        "password": "",
    } | more


def sent(client: Client, name: str, pk: int, **data: str) -> Any:
    return client.post(reverse(name, args=[pk]), data)


def invited() -> Event:
    event = make_table(make_players(3), "friendly").event
    event.refresh_from_db()
    return event


# --- opened ---------------------------------------------------------------------------------------


@db
@both
def test_who_runs_the_event_opens_a_game_at_its_table() -> None:
    """S-01, S-13 — with a reserve named as people write it, and a word of the table."""
    users = make_players(4)
    table = make_table(users[:3])
    alice = visitor(make_cast().alice)
    assert (
        reverse("table_game_open", args=[table.pk])
        in Page(alice.get(table.get_absolute_url())).links
    )
    page = Page(alice.get(reverse("table_game_open", args=[table.pk])))
    assert page.inline == []
    data = typed(password="carbone", reserve1=users[3].player.told_apart())
    answer = sent(alice, "table_game_open", table.pk, **data)
    game = Game.objects.get(table=table)
    assert answer.url == game.get_absolute_url()  # Dino keeps it: what he does is not hers
    assert game.station_master == make_cast().dino
    assert check_password("carbone", game.password)
    assert game.places.get(reserve=1).player == users[3].player
    again = alice.get(reverse("table_game_open", args=[table.pk]))
    assert again["Location"] == game.get_absolute_url()
    assert game.get_absolute_url() in Page(visitor().get(table.get_absolute_url())).links


@db
def test_whoever_does_not_run_the_event_cannot_open_a_game() -> None:
    table = make_table(make_players(3))
    address = reverse("table_game_open", args=[table.pk])
    assert visitor(make_cast().bruno).get(address).status_code == 404
    assert visitor().post(address).status_code == 302
    live = make_table(make_players(3), "live")
    there = reverse("table_game_open", args=[live.pk])
    assert visitor(make_cast().alice).get(there).status_code == 404
    assert there not in Page(visitor(make_cast().alice).get(live.get_absolute_url())).links
    assert not Game.objects.exists()


WRONG = [
    ({"answer_by": "2020-01-01T10:00"}, "Give the players some time to answer."),
    ({"answer_by": "domani"}, "Write a day and an hour, in the time of Rome."),
    ({"reserve1": "Nessuno"}, "Nobody on the books is called so."),
    ({"reserve1": "99999999"}, "Nobody on the books has this number."),
    ({"station_master": "x"}, "Select a valid choice."),
    ({"preset": "house"}, "Select a valid choice."),
    ({"password": "x" * 61}, "at most 60 characters"),
]


@db
@pytest.mark.parametrize(("data", "said"), WRONG)
def test_what_is_wrong_is_said_at_the_field(data: dict[str, str], said: str) -> None:
    table = make_table(make_players(3))
    answer = sent(visitor(make_cast().alice), "table_game_open", table.pk, **typed(**data))
    assert answer.status_code == 422
    assert said in Page(answer).text
    assert not Game.objects.exists()


@db
def test_a_name_that_several_have_asks_for_the_number() -> None:
    users = make_players(4)
    table = make_table(users[:3])
    answer = sent(
        visitor(make_cast().alice), "table_game_open", table.pk, **typed(reserve1="Viaggiatore")
    )
    assert answer.status_code == 422
    assert "Several are called so" in Page(answer).text
    assert users[3].player.told_apart() in Page(answer).text


@db
def test_the_station_master_who_would_play_is_refused_with_the_article() -> None:
    """S-01."""
    users = make_players(3)
    table = make_table(users)
    data = typed(station_master=str(users[1].pk))
    answer = sent(visitor(make_cast().alice), "table_game_open", table.pk, **data)
    assert answer.status_code == 422
    assert "never plays at it" in Page(answer).text
    assert reverse("regulation") + "#S-01" in Page(answer).links


@db
@both
def test_a_game_by_invitation() -> None:
    """Names as people write them; the prova, the round and the table are made."""
    event = invited()
    users = make_players(3)
    make_title("1830")
    alice = visitor(make_cast().alice)
    address = reverse("game_invite", args=[event.pk])
    listed = reverse("game_list") + f"?evento={event.pk}"
    assert listed in Page(alice.get(event.get_absolute_url())).links
    assert address in Page(alice.get(listed)).links
    assert Page(alice.get(address)).inline == []
    names = {f"player{n}": user.player.told_apart() for n, user in enumerate(users, start=1)}
    answer = sent(alice, "game_invite", event.pk, title="1830", **typed(**names))
    game = Game.objects.get()
    assert answer.url == game.get_absolute_url()
    assert holders(game) == [user.player for user in users]


@db
def test_who_is_on_the_black_list_is_not_invited() -> None:
    """A-18."""
    event = invited()
    users = make_players(3)
    cast = make_cast()
    ban(users[2].player, Ban.Scope.WEB, NOW.date(), "ha abbandonato", cast.sara, NOW)
    names = {f"player{n}": user.player.told_apart() for n, user in enumerate(users, start=1)}
    answer = sent(visitor(cast.alice), "game_invite", event.pk, title="1830", **typed(**names))
    assert answer.status_code == 422
    assert reverse("regulation") + "#A-18" in Page(answer).links
    assert not Game.objects.exists()


# --- who will play --------------------------------------------------------------------------------


@db
@both
def test_a_player_says_on_the_game_s_page_whether_he_will_play() -> None:
    game, users = opened()
    bruno = visitor(users[0])
    page = bruno.get(game.get_absolute_url())
    assert "Will you play?" in Page(page).text
    assert str(users[1].player) in Page(page).text
    answer = sent(bruno, "game_answer", game.pk, answer="yes")
    assert answer.url == game.get_absolute_url()
    assert game.places.get(player=users[0].player).answer == "yes"
    sent(bruno, "game_answer", game.pk, answer="no")
    assert game.places.get(player=users[0].player).answer == "no"
    sent(bruno, "game_answer", game.pk, answer="boh")
    assert game.places.get(player=users[0].player).answer == "no"
    again = bruno.get(reverse("game_answer", args=[game.pk]))
    assert again["Location"] == game.get_absolute_url()


@db
def test_whoever_is_not_asked_has_nothing_to_say() -> None:
    game, _users = opened()
    dino = visitor(make_cast().dino)
    sent(dino, "game_answer", game.pk, answer="yes")
    assert set(game.places.values_list("answer", flat=True)) == {""}
    assert "You are not asked to play this game" in Page(dino.get(game.get_absolute_url())).text


@db
def test_the_station_master_skips_the_check_and_promises_the_dice() -> None:
    """S-02."""
    game, _users = opened()
    dino = visitor(make_cast().dino)
    page = dino.get(reverse("game_table", args=[game.pk]))
    assert "They have all confirmed to me" in Page(page).text
    assert Page(page).inline == []
    sent(dino, "game_table", game.pk, action="confirm")
    closes = timezone.localtime(timezone.now() + 3 * HOUR).strftime("%Y-%m-%dT%H:%M")
    soon = timezone.localtime(timezone.now()).strftime("%Y-%m-%dT%H:%M")
    refused = sent(dino, "game_table", game.pk, action="throw", closes_at=soon)
    assert refused.status_code == 422
    assert "five minutes" in Page(refused).text
    assert sent(dino, "game_table", game.pk, action="throw", closes_at=closes).status_code == 302
    game = reread(game)
    assert game.clock == "drawing"
    assert (
        reverse("draw", args=[game.draw_id])
        in Page(dino.get(reverse("game_table", args=[game.pk]))).links
    )
    assert dino.get(game.get_absolute_url()).status_code == 200


@db
@both
def test_a_game_begins_and_shows_how_the_dice_fell() -> None:
    """S-02 — 6 6 3, then 2 5: to everybody, with the way to the dice."""
    game, users = opened()
    all_yes(game, users)
    dino = visitor(make_cast().dino)
    wrong = sent(
        dino, "game_table", game.pk, action="outside", rolls="6 6 3", source="dadi", receipt="r"
    )
    assert wrong.status_code == 422
    assert "throw again, in this order" in Page(wrong).text
    done = sent(
        dino,
        "game_table",
        game.pk,
        action="outside",
        rolls="6 6 3\n2 5\n",
        source="dadi.example.net",
        receipt="ricevuta",
    )
    assert done.status_code == 302
    game = reread(game)
    assert game.order == [2, 1, 3]
    page = Page(visitor().get(game.get_absolute_url()))
    assert f"Thrown again: {users[1].name} 5 , {users[0].name} 2 ." in page.text
    assert reverse("draw", args=[game.draw_id]) in page.links


@db
@pytest.mark.parametrize("rolls", ["", "sei sei tre", "6 6", "6 6 3\n2 5 4", "9 1 2"])
def test_what_no_dice_server_threw(rolls: str) -> None:
    """S-02."""
    game, users = opened()
    all_yes(game, users)
    dino = visitor(make_cast().dino)
    data = {"action": "outside", "rolls": rolls, "source": "dadi", "receipt": "r"}
    assert sent(dino, "game_table", game.pk, **data).status_code == 422
    assert reread(game).clock == "gathering"


@db
def test_the_station_master_frees_the_seat_of_who_is_silent_and_names_reserves() -> None:
    users = make_players(4)
    now = timezone.now()
    table = make_table(users[:3])
    game = services.open_table(
        table, opening(answer_by=now - DAY + HOUR), make_cast().alice, now - DAY
    )
    dino = visitor(make_cast().dino)
    found = {"action": "reserve", "player": users[3].player.told_apart()}
    assert sent(dino, "game_table", game.pk, **found).status_code == 302
    assert sent(dino, "game_table", game.pk, **found).status_code == 422
    services.will_play(game.pk, True, users[3], now)
    silent = str(users[2].player.pk)
    page = dino.get(reverse("game_table", args=[game.pk]))
    assert "Silent: free his seat" in Page(page).text
    assert sent(dino, "game_table", game.pk, action="silent", silent=silent).status_code == 302
    assert holders(game)[2] == users[3].player
    assert sent(dino, "game_table", game.pk, action="silent", silent="x").status_code == 422


@db
def test_a_game_is_called_off_and_its_word_set() -> None:
    """S-13."""
    game, _users = opened()
    dino = visitor(make_cast().dino)
    sent(dino, "game_table", game.pk, action="word", password="vapore")
    assert check_password("vapore", reread(game).password)
    assert sent(dino, "game_table", game.pk, action="call_off", reason=" ").status_code == 422
    sent(dino, "game_table", game.pk, action="call_off", reason="in due")
    assert "in due" in Page(dino.get(reverse("game_table", args=[game.pk]))).text
    assert dino.get(game.get_absolute_url()).status_code == 200
    assert sent(dino, "game_table", game.pk, action="confirm").status_code == 422


@db
def test_the_page_of_the_table_is_the_station_master_s() -> None:
    game, users = opened()
    cast = make_cast()
    address = reverse("game_table", args=[game.pk])
    for user, status in ((cast.dino, 200), (cast.sara, 200), (users[0], 404)):
        assert visitor(user).get(address).status_code == status
    assert visitor().get(address).status_code == 302
    assert sent(visitor(cast.dino), "game_table", game.pk, action="nulla").status_code == 200


@db
def test_a_result_that_did_not_reach_the_director_is_sent_by_a_button() -> None:
    """C-14."""
    game = over()
    dino = visitor(make_cast().dino)
    assert "Send the result" in Page(dino.get(reverse("game_table", args=[game.pk]))).text
    assert sent(dino, "game_table", game.pk, action="send").status_code == 302
    assert Result.objects.get(table=game.table).state == Result.State.DRAFT
    assert "to be confirmed" in Page(dino.get(reverse("game_table", args=[game.pk]))).text


# --- the list -------------------------------------------------------------------------------------


@db
@both
def test_games_are_listed_by_state_event_title_and_player() -> None:
    running = make_game(3)
    gathering, users = opened()
    address = reverse("game_list")

    def listed(asked: str = "", user: User | None = None) -> set[int]:
        page = visitor(user).get(address + asked)
        assert page.status_code == 200
        links = Page(page).links
        games = Game.objects.all()
        return {game.pk for game in games if game.get_absolute_url() in links}

    assert listed() == {running.pk}
    assert listed("?stato=raduno") == {gathering.pk}
    assert listed("?stato=concluse") == set()
    assert listed(f"?evento={running.table.event.pk}") == {running.pk}
    assert listed(f"?evento={gathering.table.event.pk}") == set()
    assert listed("?titolo=1830") == {running.pk}
    assert listed("?titolo=1856") == set()
    assert listed(f"?stato=raduno&giocatore={users[2].player.surname}") == {gathering.pk}
    assert listed("?giocatore=nessuno") == set()
    assert listed("?evento=x&titolo=%00&stato=boh&page=z") == {running.pk}


@db
def test_the_list_says_whose_turn_it_is_and_until_when() -> None:
    game = make_game(3)
    page = Page(visitor().get(reverse("game_list")))
    assert game.to_act
    assert f"to move: {game.to_act.holder().player}" in page.text
    assert game.due_at
    assert timezone.localtime(game.due_at).strftime("%H:%M") in page.text


@db
def test_the_tables_without_a_game_are_listed_for_who_runs_the_event() -> None:
    table = make_table(make_players(3))
    address = reverse("game_list") + f"?evento={table.event.pk}"
    there = reverse("table_game_open", args=[table.pk])
    assert there in Page(visitor(make_cast().alice).get(address)).links
    assert there not in Page(visitor().get(address)).links


@db
def test_the_queries_of_the_list_do_not_grow(django_assert_max_num_queries: Any) -> None:
    address = reverse("game_list")
    reader = visitor(make_cast().bruno)
    make_game(3)
    reader.get(address)
    with django_assert_max_num_queries(16) as few:
        reader.get(address)
    for _ in range(4):
        make_game(4)
    with django_assert_max_num_queries(len(few)):
        reader.get(address)


@db
def test_a_draw_that_is_shown_begins_the_game_with_the_next_sweep() -> None:
    """S-02 — nobody presses anything."""
    game, users = opened()
    all_yes(game, users)
    game = services.throw(game.pk, NOW + 2 * HOUR, make_cast().dino, NOW + HOUR)
    base.reveal_due_draws(NOW + 2 * HOUR)
    services.sweep(NOW + 2 * HOUR + MINUTE)
    game = reread(game)
    assert game.is_on
    assert game.to_act
    assert str(game.to_act.position) == str(game.order[0])
