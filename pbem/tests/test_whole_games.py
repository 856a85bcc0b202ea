"""Whole games played through the web forms by several people: after each move the recorded state.

What a recorded game's states are is proven against the peer's in `test_cases`.
"""

from __future__ import annotations

import os
from pathlib import Path
from uuid import uuid4

import pytest
from django.test import Client
from django.urls import reverse
from django.utils import timezone

from figf.models import Email
from pbem.engine import Game as Engine
from pbem.engine.state import Operating, State
from pbem.models import Consent, Game, Move
from pbem.services import differences
from pbem.tests.form_data import stock_data
from pbem.tests.form_data_operating import operating_data
from pbem.tests.our_games import OURS
from pbem.tests.running import make_game, position, reread, user_at
from pbem.tests.turns_of_games import Turn, recorded_turns, turns_of_file
from tournaments.models import Result

FOLDER = Path(os.environ.get("FIGF_CASES", "nowhere")) / "1830"
REAL = sorted(path for path in FOLDER.glob("*.json") if path.with_suffix(".truth.json.gz").exists())
ONE = "26855"  # of the real ones, played by four people; the others are slow tests
SIX, TWO = "bankruptcy_figf_6", "bankruptcy_18xx_2"  # of our own; an event has no table of two
MANY = 120  # turns


class Table:
    """The people of a game, each with a browser of his own, and what they send."""

    def __init__(self, first: Engine) -> None:
        title, now = first.title, timezone.now()
        players = len(first.state.players)
        self.game = make_game(players, preset=title.preset, options=title.options, now=now)
        self.clients: dict[str, Client] = {}
        for seat in self.game.table.seats.all():
            client = Client(headers={"accept-language": "en"})
            client.force_login(user_at(self.game, seat.position))
            self.clients[str(seat.position)] = client

    def post(self, seat: str, name: str, pk: int, data: dict[str, object]) -> None:
        answer = self.clients[seat].post(reverse(name, args=[pk]), data)
        assert answer.status_code == 302, answer.content.decode()[-3000:]

    def send(self, turn: Turn) -> None:
        """A turn as its player would fill in the forms, looked at before it is sent."""
        for form in forms_of(turn, position(self.game)):
            game = reread(self.game)
            said = form | {"seen": game.seq, "key": str(uuid4()), "act": "send"}
            self.post(
                turn.player, "game_exchange" if turn.whose[-1] else "game_move", game.pk, said
            )
        last = Move.objects.filter(game=self.game).order_by("-pk").first()
        assert last is not None
        assert last.state == Move.State.PLAYED, (turn, last.form)

    def agree(self) -> None:
        """Whoever is asked says yes."""
        while consent := Consent.objects.filter(game=self.game, answer="").first():
            seat = str(consent.seat.position)
            self.post(seat, "consent", consent.pk, {"answer": "yes"})


def forms_of(turn: Turn, at: Engine) -> list[dict[str, str]]:
    if turn.whose[-1]:
        (exchange,) = turn.actions
        return [{"exchange": f"{exchange.private}:{exchange.source}"}]  # type: ignore[attr-defined]
    if isinstance(at.state.round, Operating):
        return operating_data(turn, at)
    return stock_data(turn, at)


def alike(state: State) -> State:
    """The position, whatever the order in which a corporation's trains were bought."""
    found = state.copy()
    for one in found.corporations.values():
        one.trains.sort()
    return found


def play(turns: list[Turn], first: Engine, every_page: int) -> Game:
    """Play the game to its end, and compare after each move."""
    table = Table(first)
    expected = first.copy()
    for number, turn in enumerate(turns):
        for action in turn.actions:
            expected.apply(action)
        if alike(position(table.game).state) == alike(expected.state):
            continue  # what it says followed by itself from the move before
        if number % every_page == 0:
            page = table.clients[turn.player].get(table.game.get_absolute_url())
            assert page.status_code == 200
        table.send(turn)
        table.agree()
        assert alike(position(table.game).state) == alike(expected.state), (number, turn)
    return reread(table.game)


def check_end(game: Game, last: Engine) -> None:
    """The game is over, its log leads where it led, the result waits for the director."""
    assert game.clock == Game.Clock.OVER
    assert game.result == last.result()
    assert list(differences(game)) == []
    draft = Result.objects.get(table=game.table)
    worth = {str(line.seat.position): line.total for line in draft.lines.all()}
    assert (draft.state, worth) == ("draft", last.result())
    moves = Move.objects.filter(game=game, state=Move.State.PLAYED).count()
    assert Email.objects.filter(key__startswith=f"move:{game.pk}:").count() >= moves


def played_out(turns: list[Turn], first: Engine) -> Engine:
    game = first.copy()
    for turn in turns:
        for action in turn.actions:
            game.apply(action)
    return game


@pytest.mark.django_db
def test_a_game_of_our_own_begins_through_the_forms() -> None:
    """For who has not the recorded ones: the auction, stock and operating rounds of six people."""
    turns, first = recorded_turns(SIX)
    game = play(turns[:MANY], first, every_page=10)
    assert list(differences(game)) == []


@pytest.mark.django_db
@pytest.mark.slow
@pytest.mark.parametrize("name", [one for one in OURS if one != TWO])
def test_a_game_of_our_own_is_played_through_the_forms(name: str) -> None:
    turns, first = recorded_turns(name)
    check_end(play(turns, first, every_page=10), played_out(turns, first))


@pytest.mark.django_db
@pytest.mark.parametrize(
    "path",
    [
        pytest.param(path, marks=[] if path.stem == ONE else [pytest.mark.slow])
        for path in REAL or [FOLDER]
    ],
    ids=lambda path: path.stem,
)
def test_a_real_game_is_played_through_the_forms(path: Path, cases: Path) -> None:
    """The issue's own: a whole real game, several people logged in, over HTTP."""
    turns, first = turns_of_file(path)
    game = play(turns, first, every_page=10)
    if position(game).state.over:
        check_end(game, played_out(turns, first))
