"""The station master's desk: what asks for him first, his tools, and the referees' word."""

from __future__ import annotations

from datetime import datetime, timedelta
from typing import Any

import pytest
from django.test import Client
from django.urls import reverse

from figf.errors import Refused
from figf.models import Email, LogEntry, User
from figf.tests.cast import DAY, HOUR, MINUTE, NOW, TODAY, Cast, Page, make_cast, visitor
from pbem import services
from pbem.models import Game, Move
from pbem.rules.deadlines import ALLOWED
from pbem.services.desk import Need
from pbem.tests.running import make_game, reread, send, user_at

from .test_moves import asking, says

both = pytest.mark.both
OVER = NOW + ALLOWED + 2 * MINUTE
LATER = OVER + HOUR


@pytest.fixture
def cast(db: None) -> Cast:
    return make_cast()


@pytest.fixture
def game(db: None) -> Game:
    """Three players, the auction begins; Bruno has the first seat, Dino keeps the game."""
    return make_game(3)


def board(games: Any = None, code: str = "", now: datetime = NOW) -> list[tuple[int, Need]]:
    found = services.board(Game.objects.all() if games is None else games, code, None, now)
    return [(row.game.pk, row.need) for row in found.rows]


def tools(game: Game) -> str:
    return reverse("game_tools", args=[game.pk])


def post(client: Client, game: Game, action: str, **data: Any) -> Any:
    return client.post(tools(game), {"action": action, **data})


def fails(user: User, now: datetime = NOW) -> Email:
    """The last mail to him was tried eight times, in vain."""
    email = Email.objects.filter(to=user.email).latest("pk")
    Email.objects.filter(pk=email.pk).update(failed_at=now, attempts=Email.MAX_ATTEMPTS)
    return email


# --- the board ------------------------------------------------------------------------------------


@both
def test_the_most_urgent_come_first(cast: Cast) -> None:
    """S-01 — expired, answers awaited, moves not played, mail that does not arrive, games to
    begin, running by their hour, paused; those over are folded away."""
    made = [make_game(3) for _ in range(9)]
    over, paused, soon, later, unmailed, kept, gathering, expired, _spare = made
    asked, _consent = asking(made.pop())
    Game.objects.filter(pk=over.pk).update(clock="over", due_at=None)
    services.pause([paused.pk], "Ferie", cast.dino, NOW)
    send(later, says("1 bid SV 20"), NOW + HOUR)
    send(kept, says("2 bid CS 40"), NOW, seat=2)
    fails(user_at(unmailed, 3), NOW)
    Game.objects.filter(pk=gathering.pk).update(clock="gathering", due_at=None, started_at=None)
    Game.objects.filter(pk=expired.pk).update(clock="reviewing")
    assert board() == [
        (expired.pk, Need.EXPIRED),
        (asked.pk, Need.CONSENT),
        (kept.pk, Need.NOT_PLAYED),
        (unmailed.pk, Need.MAIL),
        (gathering.pk, Need.BEGINNING),
        (soon.pk, Need.RUNNING),
        (later.pk, Need.RUNNING),
        (paused.pk, Need.PAUSED),
    ]
    assert board(code="finite") == [(over.pk, Need.OVER)]
    assert board(code="in-corso") == [(soon.pk, Need.RUNNING), (later.pk, Need.RUNNING)]
    found = services.board(Game.objects.all(), "", None, NOW)
    assert (found.live, [(tab.code, tab.count) for tab in found.tabs]) == (
        8,
        [
            ("scaduti", 1),
            ("consensi", 1),
            ("non-giocate", 1),
            ("posta", 1),
            ("preparazione", 1),
            ("in-corso", 2),
            ("in-pausa", 1),
            ("finite", 1),
        ],
    )


@both
def test_a_move_that_was_not_played_is_shown_until_the_game_goes_on(game: Game) -> None:
    """T-06 — kept for information: once something is played, it is history."""
    send(game, says("2 bid CS 40"), NOW, seat=2)
    (row,) = services.board(Game.objects.all(), "", None, NOW).rows
    assert [move.state for move in row.kept] == ["not_turn"]
    send(game, says("1 bid SV 20"), NOW + HOUR)
    (row,) = services.board(Game.objects.all(), "", None, NOW).rows
    assert (row.kept, row.need) == ([], Need.RUNNING)


@both
def test_an_address_that_fails_shows_until_a_mail_arrives_there(game: Game) -> None:
    """Its last mail was given up: the player's name is on the board. One that leaves later, or a
    failure of long ago, says otherwise."""
    user = user_at(game, 2)
    send(game, says("1 bid SV 20"), NOW)
    failed = fails(user, NOW)
    (row,) = services.board(Game.objects.all(), "", None, NOW + DAY).rows
    assert [player.user for player in row.unreached] == [user]
    assert services.unreached_by_mail(NOW + 31 * DAY) == set()
    Email.objects.exclude(pk=failed.pk).filter(to=user.email).update(sent_at=NOW + HOUR)
    assert services.unreached_by_mail(NOW + DAY) == set()


@both
def test_who_is_awaited_is_named_and_the_link_leads_to_his_tools(cast: Cast, game: Game) -> None:
    page = Page(visitor(cast.dino).get(reverse("desk")))
    assert "to move: Binario Bruno" in page.text
    assert tools(game) in page.links
    assert "You keep no game" in Page(visitor(cast.bruno).get(reverse("desk"))).text


def test_a_referee_and_a_secretary_may_look_at_all_games(cast: Cast, game: Game) -> None:
    """M-11."""
    for user in (cast.carla, cast.sara):
        page = Page(visitor(user).get(reverse("desk")))
        assert tools(game) in page.links
        assert "kept by Dino Deviatoio" in page.text
    mine = visitor(cast.carla).get(reverse("desk"), {"di": "miei"})
    assert tools(game) not in Page(mine).links


def test_the_board_answers_only_when_it_has_changed(cast: Cast, game: Game) -> None:
    client = visitor(cast.dino)
    seen = client.get(reverse("desk")).context["seen"]
    assert client.get(reverse("desk"), {"seen": seen}).status_code == 204
    send(game, says("1 bid SV 20"), NOW)
    changed = client.get(reverse("desk"), {"seen": seen})
    assert (changed.status_code, b"<html" in changed.content) == (200, False)
    assert "The board has changed: 1 game." in Page(changed).text


@pytest.mark.parametrize("asked", ["?stato=niente", "?page=zero&evento=x", "?page=99", "?di=loro"])
def test_nonsense_in_the_address_is_as_if_it_were_not_there(
    cast: Cast, game: Game, asked: str
) -> None:
    answer = visitor(cast.dino).get(reverse("desk") + asked)
    assert tools(game) in Page(answer).links


def test_the_queries_are_as_many_with_many_games_as_with_few(
    cast: Cast, django_assert_max_num_queries: Any
) -> None:
    """A page of fifty, whatever they ask for."""
    client = visitor(cast.dino)
    counted = []
    for more in (2, 8):
        for n in range(more):
            made = make_game(3)
            send(made, says("2 bid CS 40"), NOW, seat=2)
            if n:
                fails(user_at(made, 3))
        client.get(reverse("desk"))
        with django_assert_max_num_queries(40) as captured:
            client.get(reverse("desk"))
        counted.append(len(captured))
    assert counted[0] == counted[1]


# --- who may --------------------------------------------------------------------------------------


@both
def test_the_tools_are_for_who_keeps_the_game_and_does_not_play_it(cast: Cast, game: Game) -> None:
    """S-01, M-11 — a referee reads; a secretary who plays there has no tools."""
    other = user_at(game, 3)
    statuses = {}
    for user in (None, cast.bruno, cast.dino, cast.sara, cast.carla, other):
        statuses[user] = visitor(user).get(tools(game)).status_code
    other.is_staff = True
    other.save()
    assert list(statuses.values()) == [302, 404, 200, 200, 200, 404]
    assert visitor(other).get(tools(game)).status_code == 404
    assert "Stop the clock" not in Page(visitor(cast.carla).get(tools(game))).text
    assert post(visitor(cast.carla), game, "pause", reason="Ferie").status_code == 404
    assert post(visitor(cast.dino), game, "explode").status_code == 404
    assert reread(game).clock == "running"


# --- an expired turn ------------------------------------------------------------------------------


@both
def test_an_expired_turn_shows_the_late_move_and_is_opened_again(cast: Cast, game: Game) -> None:
    """T-06, S-11 — its commands in words; nobody sends it for him."""
    services.sweep(OVER)
    send(game, says("1 bid SV 20"), LATER, seat=1, comment="Ero in treno")
    client = visitor(cast.dino)
    page = Page(client.get(tools(game)))
    for words in ("time expired Binario Bruno", "came late and was not played", "SV, $20"):
        assert words in page.text
    assert "Ero in treno" in page.text
    refused = post(client, game, "reopen", reason=" ")
    assert (refused.status_code, reread(game).clock) == (422, "reviewing")
    assert "Say why the turn is opened again." in Page(refused).text
    assert post(client, game, "reopen", reason="Sciopero").status_code == 302
    assert reread(game).clock == "running"
    assert LogEntry.objects.get(verb="reopen_turn").data == {"reason": "Sciopero"}
    assert "Sciopero" in Page(client.get(tools(game))).text


# --- the clock ------------------------------------------------------------------------------------


@both
def test_he_stops_one_clock_or_all_of_his(cast: Cast, game: Game) -> None:
    """T-11."""
    other, client = make_game(3), visitor(cast.dino)
    assert post(client, game, "pause", reason="").status_code == 422
    post(client, game, "pause", reason="Vacanza")
    assert [reread(one).clock for one in (game, other)] == ["paused", "running"]
    assert "whole hours are left to Binario Bruno" in Page(client.get(tools(game))).text
    post(client, other, "pause", reason="Il sito va in manutenzione", every="on")
    assert [reread(one).clock for one in (game, other)] == ["paused", "paused"]
    assert reread(game).paused_why == "Vacanza"
    post(client, other, "resume", every="on")
    assert [reread(one).clock for one in (game, other)] == ["running", "running"]


# --- the game is taken back -----------------------------------------------------------------------


@both
def test_what_a_roll_back_undoes_is_shown_before_it_is_done(cast: Cast, game: Game) -> None:
    """S-14, asks L5, K1 — two steps, with a reason; not if more was played meanwhile."""
    for n, line in enumerate(("bid SV 20", "bid CS 40", "bid DH 70"), 1):
        send(game, says(f"{n} {line}"), NOW)
    client = visitor(cast.dino)
    assert post(client, game, "roll_back", number=2, reason=" ").status_code == 422
    asked = post(client, game, "roll_back", number=2, reason="Non autorizzata")
    assert (asked.status_code, reread(game).seq) == (200, 3)
    page = Page(asked)
    assert "This undoes 2 moves" in page.text
    assert (page.boxes["number"], page.boxes["voids"]) == ("2", "2")
    send(game, says("1 bid MH 110"), NOW + HOUR)
    sure = {"number": 2, "reason": "Non autorizzata", "voids": 2}
    stale = post(client, game, "roll_back", **sure)
    assert (stale.status_code, reread(game).seq) == (422, 4)
    assert "Something was played meanwhile" in Page(stale).text
    assert post(client, game, "roll_back", **sure | {"voids": 3}).status_code == 302
    states = list(Move.objects.order_by("number").values_list("state", flat=True))
    assert states == ["played", "undone", "undone", "undone", "played"]
    note = Move.objects.get(kind="referee")
    assert (note.comment, note.form) == ("Non autorizzata", {"back_before": 2, "undone": 3})
    gone = post(client, game, "roll_back", number=3, reason="Ancora", voids=1)
    assert gone.status_code == 422


@both
def test_a_roll_back_is_neither_taken_back_nor_put_right(cast: Cast, game: Game) -> None:
    """Y-03 — what was undone does not come back by a correction of the note that undid it."""
    send(game, says("1 bid SV 20"), NOW)
    first = Move.objects.get()
    note = services.roll_back(first, "Errore", cast.dino, NOW + HOUR)
    with pytest.raises(Refused) as refused:
        services.roll_back(note, "Ripensamento", cast.dino, NOW + HOUR)
    assert refused.value.reason == "is_roll_back"
    with pytest.raises(Refused) as refused:
        send(game, [], NOW + HOUR, seat=1, corrects=note.number)
    assert refused.value.reason == "next_has_moved"


# --- the office -----------------------------------------------------------------------------------


@both
def test_the_office_passes_to_who_does_not_play_there(cast: Cast, game: Game) -> None:
    """S-01 — the table, the old and the new station master are told."""
    client = visitor(cast.dino)
    for address, said in (
        ("nobody@example.org", "No log-in has this address."),
        (cast.bruno.email, "never plays at it"),
        (cast.dino.email, "already"),
        ("", "required"),
    ):
        refused = post(client, game, "office", to=address)
        assert refused.status_code == 422
        assert said in Page(refused).text, address
    before = set(Email.objects.values_list("pk", flat=True))
    assert post(client, game, "office", to=cast.carla.email.upper()).status_code == 302
    assert reread(game).station_master == cast.carla
    told = Email.objects.exclude(pk__in=before)
    people = {user_at(game, n).email for n in (1, 2, 3)} | {cast.carla.email, cast.dino.email}
    assert {mail.to for mail in told} == people
    assert LogEntry.objects.get(verb="give_office").data == {
        "user": cast.carla.pk,
        "before": cast.dino.pk,
    }
    assert client.get(tools(game)).status_code == 404


# --- comments -------------------------------------------------------------------------------------


@both
def test_a_comment_is_reported_by_the_table_and_hidden_by_its_station_master(
    cast: Cast, game: Game
) -> None:
    """V-11 — he and the referees are told, once; the text is kept."""
    send(game, says("1 bid SV 20"), NOW, comment="Dovreste fermare il terzo")
    move = Move.objects.get()
    address = reverse("comment_report", args=[game.pk, 1])
    player = visitor(user_at(game, 2))
    assert "Report this comment" in Page(player.get(game.get_absolute_url())).text
    before = set(Email.objects.values_list("pk", flat=True))
    for _ in range(2):
        assert player.post(address).status_code == 302
    told = sorted(mail.to for mail in Email.objects.exclude(pk__in=before))
    assert told == [cast.alice.email, cast.carla.email, cast.dino.email]
    assert "You have reported this comment." in Page(player.get(game.get_absolute_url())).text
    visitor(cast.sara).post(address)  # of no seat
    assert LogEntry.objects.filter(verb="report_comment").count() == 1
    client = visitor(cast.dino)
    assert "reported" in Page(client.get(tools(game))).text
    post(client, game, "hide", number=1)
    move.refresh_from_db()
    assert (move.comment, move.form["comment_hidden"]) == ("Dovreste fermare il terzo", True)
    page = Page(player.get(game.get_absolute_url())).text
    assert "Dovreste fermare" not in page
    assert "The station master has hidden this comment." in page
    post(client, game, "show", number=1)
    assert "Dovreste fermare" in Page(player.get(game.get_absolute_url())).text
    assert post(client, game, "hide", number=9).status_code == 404
    assert post(client, game, "hide", number="x").status_code == 422


# --- the referees' word ---------------------------------------------------------------------------


@both
def test_a_referee_reports_an_error_and_the_station_master_answers(cast: Cast, game: Game) -> None:
    """M-11 — by mail to each other, and on the page for both."""
    send(game, says("1 bid SV 20"), NOW)
    address = reverse("move_doubt", args=[game.pk, 1])
    carla, dino = visitor(cast.carla), visitor(cast.dino)
    assert address in Page(carla.get(game.get_absolute_url())).links
    assert address not in Page(dino.get(game.get_absolute_url())).links
    for user in (cast.dino, cast.bruno, cast.sara):
        assert visitor(user).get(address).status_code == 404
    assert carla.post(address, {"words": " "}).status_code == 422
    assert carla.post(address, {"words": "Il costo è un altro"}).status_code == 302
    mail = Email.objects.get(key__startswith="doubt:")
    assert (mail.to, "Il costo è un altro" in mail.body) == (cast.dino.email, True)
    entry = LogEntry.objects.get(verb="doubt_move")
    assert "Il costo è un altro" in Page(dino.get(tools(game))).text
    assert post(dino, game, "answer", doubt=entry.pk, words="").status_code == 422
    assert post(dino, game, "answer", doubt=entry.pk, words="Corretto").status_code == 302
    answered = Email.objects.filter(key__startswith="doubt:").latest("pk")
    assert (answered.to, "Corretto" in answered.body) == (cast.carla.email, True)
    assert "Corretto" in Page(carla.get(tools(game))).text
    assert post(dino, game, "answer", doubt=10**6, words="A chi?").status_code == 404


def test_a_referee_who_plays_there_judges_nothing(cast: Cast, game: Game) -> None:
    """M-03, M-11."""
    other = make_game([cast.bruno, cast.carla, user_at(game, 2)])
    send(other, says("1 bid SV 20"), NOW)
    assert visitor(cast.carla).get(tools(other)).status_code == 404
    with pytest.raises(Refused) as refused:
        services.doubt_move(other.moves.get(), "Errore", cast.carla, NOW, TODAY)
    assert refused.value.reason == "plays_here"
    with pytest.raises(Refused) as refused:
        services.doubt_move(other.moves.get(), "Errore", cast.dino, NOW, TODAY)
    assert (refused.value.reason, refused.value.rule) == ("not_referee", "M-11")
    with pytest.raises(Refused) as refused:
        services.doubt_move(
            other.moves.get(), "Errore", cast.alice, NOW, TODAY - timedelta(days=4000)
        )
    assert refused.value.reason == "not_referee"


# --- where it is ----------------------------------------------------------------------------------


def test_who_keeps_a_game_finds_the_desk(cast: Cast, game: Game) -> None:
    account = reverse("account")
    for user, shown in ((cast.dino, True), (cast.carla, True), (cast.bruno, False)):
        assert (reverse("desk") in Page(visitor(user).get(account)).links) is shown
    assert tools(game) in Page(visitor(cast.dino).get(game.get_absolute_url())).links
    assert tools(game) not in Page(visitor(cast.bruno).get(game.get_absolute_url())).links
    assert reverse("desk") in Page(visitor(cast.sara).get(reverse("home"))).links
