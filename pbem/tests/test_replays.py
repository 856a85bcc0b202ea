"""Any position of a stored game: the very one that the whole replay comes to, and its page."""

from __future__ import annotations

import os
import re
from pathlib import Path
from random import Random
from threading import Thread
from typing import Any

import pytest
from django.urls import reverse
from django.utils import translation

from figf.tests.cast import NOW, Cast, Page, make_cast, make_event, tables_of, visitor
from pbem import services
from pbem.engine import Action, Game, from_dict, interchange, start
from pbem.engine.state import Operating
from pbem.engine.state import Step as TurnStep
from pbem.models import Recording
from pbem.services.positions import EACH, Entry, Score, _Films, fold
from pbem.views.positions import Look, shown
from tournaments.models import Round

from .our_games import OURS, file_of
from .recorded import LONG, SIX, bring, play_here

both = pytest.mark.both
FOLDER = Path(os.environ.get("FIGF_CASES", "nowhere")) / "1830"
REAL = sorted(path for path in FOLDER.glob("*.json") if path.with_suffix(".truth.json.gz").exists())
each_real = pytest.mark.parametrize("path", REAL or [FOLDER], ids=lambda path: path.stem)


@pytest.fixture
def cast(db: None) -> Cast:
    return make_cast()


def score(recording: Recording) -> Score:
    return services.score_of(recording)


def whole(score: Score) -> list[Game]:
    """Every position of a game, replayed from its first action."""
    game = start(score.title, score.players, score.preset, score.options)
    found = [game.copy()]
    for payload in score.load():
        game.apply(from_dict(payload))
        found.append(game.copy())
    return found


def position_page(recording: Recording, query: str = "", language: str = "en") -> Any:
    return visitor(language=language).get(
        reverse("recording_position", args=[recording.key]) + query
    )


# --- positions ------------------------------------------------------------------------------------


@pytest.mark.parametrize("name", OURS)
def test_a_position_is_that_of_the_whole_replay_whatever_is_asked_first(
    name: str, cast: Cast
) -> None:
    found = score(bring(name))
    expected = whole(found)
    order = list(range(len(expected)))
    Random(name).shuffle(order)
    for n in order:
        assert services.position(found, n) == expected[n], n
    assert str(services.position(found, -9)) == str(expected[0])
    assert str(services.position(found, 99_999)) == str(expected[-1])


@each_real
def test_a_position_of_a_real_game_is_that_of_the_whole_replay(
    path: Path, cases: Path, cast: Cast
) -> None:
    doubts: list[str] = []
    recording, _new = services.import_recording(
        path.read_bytes(), cast.bruno, NOW, note=doubts.append
    )
    assert doubts == []  # each run earned there what its routes pay here
    found = score(recording)
    expected = whole(found)
    for n in Random(path.stem).choices(range(len(expected)), k=150):
        assert services.position(found, n) == expected[n], n
    last = [game for _said, game in interchange.replay(interchange.load(path.read_bytes()))][-1]
    assert recording.result == list(last.result().values())
    text = Page(position_page(recording, "?n=99999")).text
    for worth in recording.result:
        assert f"${worth}" in text
    for n in (0, 1, recording.length // 2, recording.length - 1):
        for show in ("", "&mostra=giro"):
            assert position_page(recording, f"?n={n}{show}").status_code == 200


def test_who_gets_a_position_may_play_on_without_spoiling_another_s(cast: Cast) -> None:
    found = score(bring())
    mine = services.position(found, EACH)
    mine.apply(from_dict(found.load()[EACH]))
    assert services.position(found, EACH) == whole(found)[EACH] != mine


def test_a_position_costs_no_more_than_so_many_actions(
    cast: Cast, monkeypatch: pytest.MonkeyPatch
) -> None:
    """Once folded, from the nearest kept position: never from the beginning."""
    found = score(bring(LONG))
    services.film(found)
    played: list[int] = []
    apply = Game.apply

    def counted(game: Game, action: Action) -> None:
        played.append(1)
        apply(game, action)

    monkeypatch.setattr(Game, "apply", counted)
    for n in (found.length, found.length - 1, 3 * EACH, 3 * EACH - 1):
        played.clear()
        services.position(found, n)
        assert len(played) == n % EACH


def test_films_are_kept_within_a_bound_and_the_latest_used_stay(cast: Cast) -> None:
    scores = [score(bring(name)) for name in OURS]
    sizes = [len(fold(one).kept) for one in scores]
    films = _Films(sizes[0] + sizes[1])
    first = films.of(scores[0])
    films.of(scores[1])
    assert films.of(scores[0]) is first
    films.of(scores[2])  # the second makes room
    assert [key[0] for key in films.kept][-1] == scores[2].key
    assert films.size() <= films.most or len(films.kept) == 1
    assert scores[1].key not in {key[0] for key in films.kept}
    tiny = _Films(1)
    assert tiny.of(scores[0]) is tiny.of(scores[0])  # one is always kept


def test_many_threads_may_ask_at_once(cast: Cast) -> None:
    found = score(bring())
    expected = whole(found)
    films = _Films(100)
    wrong: list[int] = []

    def ask(seed: int) -> None:
        asked = Random(seed).choices(range(found.length + 1), k=60)
        wrong.extend(n for n in asked if films.of(found).at(n) != expected[n])

    threads = [Thread(target=ask, args=(seed,)) for seed in range(4)]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    assert wrong == []
    assert len(films.kept) == 1


def test_a_game_that_has_grown_is_folded_again(cast: Cast) -> None:
    [table] = tables_of(make_event(players=4, sizes=[4]))
    game = play_here(table, LONG, 40)
    short = services.film(services.score_of_game(game))
    assert short.length == 40
    whole_game = bring(LONG).actions
    game.actions.create(seq=41, move=game.moves.get(), payload=whole_game[40])
    game.seq = 41
    assert services.film(services.score_of_game(game)).length == 41


def test_a_log_that_the_engine_takes_no_more_is_shown_up_to_there(cast: Cast) -> None:
    recording = bring()
    recording.actions[50] = {"type": "pass", "actor": "nessuno"}
    recording.key = "cambiata"
    recording.save()
    found = services.film(score(recording))
    assert (found.length, found.refused is None) == (50, False)
    assert (
        "The engine does not take the next action" in Page(position_page(recording, "?n=50")).text
    )
    assert "does not take" not in Page(position_page(recording, "?n=49")).text


# --- rounds, turns, words -------------------------------------------------------------------------


@pytest.mark.parametrize("name", OURS)
def test_the_rounds_of_a_game_are_those_of_its_positions(name: str, cast: Cast) -> None:
    found = score(bring(name))
    film, games = services.film(found), whole(found)
    kinds = {"auction": "Auction", "stock": "Stock", "operating": "Operating"}
    for part in film.parts:
        state = games[part.first].state
        assert type(state.round).__name__ == kinds[part.kind]
        assert state.turn == part.turn
        assert state.title.phases[state.phase].id == part.phase
    assert film.parts[0].first == 0
    assert film.parts[-1].last == film.length
    for one, other in zip(film.parts, film.parts[1:], strict=False):
        assert one.last == other.first
    for n, phase in film.phases[1:]:
        assert games[n].state.phase == games[n - 1].state.phase + 1
        assert games[n].state.title.phases[games[n].state.phase].id == phase


def test_one_steps_by_action_turn_and_round(cast: Cast) -> None:
    """In the opening auction each action is a turn; the round after it is the first of stocks."""
    film = services.film(score(bring()))
    names = {"1": "Anna", "2": "Bruno"}

    def queries(n: int) -> dict[str, str | None]:
        position = shown(film, Look(n), names)
        return {step.id: step.query for step in (*position.steps, *position.same)}

    first = queries(0)
    assert first["go-first"] is first["go-before"] is first["go-turn-before"] is None
    assert first["go-after"] == first["go-turn-after"] == "?n=1"
    stock, operating = film.parts[1].first, film.parts[2].first
    assert first["go-round-after"] == f"?n={stock}"
    at_stock = queries(stock)
    assert at_stock["go-round-before"] == "?n=0"
    assert at_stock["go-round-after"] == f"?n={operating}"
    assert queries(stock + 1)["go-round-before"] == f"?n={stock}"
    end = queries(film.length)
    ahead = ("go-after", "go-last", "go-turn-after", "go-round-after")
    assert {end[way] for way in ahead} == {None}
    assert end["go-before"] == f"?n={film.length - 1}"

    # A corporation has one turn in an operating round: its next one is in another.
    rounds = [part for part in film.parts if part.kind == "operating"]
    symbol = film.turns[rounds[0].first][1]
    following = int(str(queries(rounds[0].first)["go-same-after"]).removeprefix("?n="))
    assert film.turns[following][1] == symbol
    assert rounds[1].first <= following < rounds[1].last
    assert queries(following)["go-same-before"] == f"?n={rounds[0].first}"


def test_a_turn_in_an_operating_round_is_the_corporation_s_while_its_president_sells(
    cast: Cast,
) -> None:
    found = score(bring(SIX))
    film = services.film(found)
    sales = [
        n
        for n, action in enumerate(film.actions)
        if action.verb == "sell" and film.parts[film.part_of(n)].kind == "operating"
    ]
    assert sales
    for n in sales:
        assert film.turns[n][1] not in found.players


def test_the_log_is_in_the_reader_s_words_and_names(cast: Cast) -> None:
    recording = bring("bank_18xx_3", keep_names=True)
    english = Page(position_page(recording, "?n=3")).text
    assert "Carla bids $80 on DH." in english
    assert "Action 3 of 1321" in english
    assert "Opening auction" in english
    italian = Page(position_page(recording, "?n=3", "it")).text
    assert "Carla offre $80 per DH." in italian
    other = bring("bank_18xx_3")
    assert "Player 3 bids $80 on DH." in Page(position_page(other, "?n=3")).text


def test_a_log_names_who_is_named_when_it_is_read(cast: Cast) -> None:
    """A person forgotten a moment ago is forgotten here too: no film keeps a name."""
    film = services.film(score(bring("bank_18xx_3", keep_names=True)))
    with translation.override("en"):
        assert film.log(2, 3, {"3": "Anonimo 7"}) == [Entry("Anonimo 7 bids $80 on DH.", ())]
        assert film.log(2, 3, {})[0].deed == "3 bids $80 on DH."
        assert len(film.log(0, film.length, {})) == film.length


def test_a_long_log_shows_what_is_around_the_position(cast: Cast) -> None:
    recording = bring(LONG)
    page = position_page(recording, "?n=800").content.decode()
    entries = re.findall(r"<small>(\d+)</small>", page)
    assert entries == [str(n) for n in range(786, 815)]
    assert page.count('<li class="here"><a href="?n=800" aria-current="step">') == 1
    film = services.film(score(recording))
    for part in film.parts:  # every round can be gone to
        assert f'href="?n={part.first}"' in page


# --- pages ----------------------------------------------------------------------------------------


@both
@pytest.mark.parametrize("name", OURS)
def test_the_page_shows_the_beginning_the_middle_and_the_result(name: str, cast: Cast) -> None:
    recording = bring(name, keep_names=True)
    file = file_of(name)
    cash = {2: 1200, 4: 600, 3: 800, 6: 400}[len(recording.seats)]  # 1830/G-1
    first = Page(visitor().get(recording.get_absolute_url())).text
    assert f"${cash}" in first
    assert "nothing is played yet" in first
    middle = visitor().get(f"{recording.get_absolute_url()}?n={recording.length // 2}")
    assert Page(middle).inline == []
    last = Page(visitor().get(f"{recording.get_absolute_url()}?n={recording.length}")).text
    for one in file["players"]:
        assert one["name"] in last
        assert f"${file['result'][str(one['id'])]}" in last


@pytest.mark.parametrize(
    ("said", "n"),
    [
        ("", 0),
        ("?n=", 0),
        ("?n=-3", 0),
        ("?n=458", 458),
        ("?n=459", 458),
        (f"?n={10**30}", 458),
        ("?n=7&mostra=altro", 7),
        ("?n=7&n=8", 8),
        ("?n=uno", 0),
        ("?n=1.5", 1),
        ("?n=-1.5", 0),
        ("?n=12abc", 12),
        ("?n=%C2%B2", 0),
        pytest.param(f"?n={'9' * 5000}", 458, id="long"),
        pytest.param(f"?n=-{'9' * 5000}", 0, id="long and negative"),
        ("?n=%00", 0),
    ],
)
def test_a_position_that_is_not_there_is_the_nearest_one(said: str, n: int, cast: Cast) -> None:
    recording = bring()
    for address in ("recording", "recording_position"):
        answer = visitor().get(reverse(address, args=[recording.key]) + said)
        assert answer.status_code == 200
        assert f'data-at="{n}"' in answer.content.decode()


def test_names_of_a_file_are_shown_as_they_are_written(cast: Cast) -> None:
    recording = bring(keep_names=True, label="<i>x</i>")
    recording.names = ["<b>Anna</b>", "{{ x }}%s"]
    recording.save()
    page = visitor().get(f"{recording.get_absolute_url()}?n=300").content.decode()
    assert "<b>Anna" not in page
    assert "<i>x" not in page
    assert "{{ x }}%s" in page


def test_a_browser_keeps_a_position_for_itself_in_its_reader_s_language(cast: Cast) -> None:
    recording = bring()
    found = position_page(recording, "?n=9")
    assert "private" in found["Cache-Control"]
    assert "max-age=600" in found["Cache-Control"]
    assert {"Accept-Language", "Cookie"} <= set(found["Vary"].split(", "))
    address = reverse("recording_position", args=[recording.key]) + "?n=9"
    again = visitor(language="en").get(address, headers={"if-none-match": found["ETag"]})
    assert (again.status_code, again.content) == (304, b"")
    other = visitor(language="it").get(address, headers={"if-none-match": found["ETag"]})
    assert other.status_code == 200
    assert other["ETag"] != found["ETag"]
    page = visitor().get(recording.get_absolute_url())
    assert "no-cache" in page["Cache-Control"]


@both
def test_a_position_is_read_without_the_log_once_it_is_folded(
    cast: Cast, django_assert_num_queries: Any
) -> None:
    recording = bring()
    position_page(recording)
    browser, address = visitor(), reverse("recording_position", args=[recording.key])
    with django_assert_num_queries(1) as captured:
        browser.get(address + "?n=300")
    assert '"actions"' not in captured[0]["sql"]


# --- the best run and the tiles, when asked for ---------------------------------------------------


def test_the_best_run_is_shown_beside_what_was_run(cast: Cast) -> None:
    """FIGF-U-12 — never less than what was run, in each turn of a game."""
    recording = bring(SIX)
    film = services.film(score(recording))
    runs = [n for n, action in enumerate(film.actions) if action.verb == "run"]
    for n in runs[:: max(1, len(runs) // 25)]:
        position = shown(film, Look(n, "giro"), {})
        told = position.told
        assert told is not None
        assert told.corporation == film.actions[n].actor
        assert told.proven
        assert int(told.value.removeprefix("$")) >= int(told.was.removeprefix("$"))
        assert told.best == (told.value == told.was)
    page = Page(position_page(recording, f"?n={runs[0]}&mostra=giro")).text
    assert "Best possible run of" in page
    assert "proven" in page
    assert "Best possible run of" not in Page(position_page(recording, f"?n={runs[0]}")).text
    beginning = Page(position_page(recording, "?n=0&mostra=giro")).text
    assert "No corporation operates here" in beginning


def test_the_legal_tiles_are_shown_with_what_they_add(cast: Cast) -> None:
    recording = bring(SIX)
    film = services.film(score(recording))
    lays = [n for n, action in enumerate(film.actions) if action.verb == "lay"]
    n = lays[len(lays) // 2]
    position = shown(film, Look(n, "pose"), {})
    assert position.gains is not None
    assert film.actions[n] in {one.lay for one in position.gains}
    assert position.lays[0].gain.gain == max(one.gain for one in position.gains)
    page = Page(position_page(recording, f"?n={n}&mostra=pose")).text
    assert "what each adds to the best possible run" in page
    assert "has laid its tile" not in page


def test_a_tile_that_lies_the_same_at_two_rotations_is_one_placement(cast: Cast) -> None:
    """Tile 9 is straight track: three of its six rotations differ."""
    recording = bring(SIX)
    film = services.film(score(recording))
    n = next(n for n, action in enumerate(film.actions) if action.verb == "lay")
    position = shown(film, Look(n, "pose"), {})
    turned: dict[tuple[str, str | None], set[int]] = {}
    for one in position.placements:
        if one.lay.tile == "9":
            turned.setdefault((one.lay.hex, one.lay.private), set()).add(one.lay.rotation % 3)
    straight = [one for one in position.placements if one.lay.tile == "9"]
    assert len(straight) == sum(map(len, turned.values())) > 0
    assert len(position.placements) < len(position.gains or ())
    page = Page(position_page(recording, f"?n={n}&mostra=pose")).text
    assert f"{len(position.placements)} placements" in page


def test_a_corporation_that_has_laid_its_tile_is_not_said_to_lay_another(cast: Cast) -> None:
    """1830/L-1 — one tile in a turn: what is shown then is what it could lay if the step came."""
    recording = bring(SIX)
    film = services.film(score(recording))
    lays = [n for n, action in enumerate(film.actions) if action.verb == "lay"]
    n = next(n for n in lays if shown(film, Look(n + 1, "pose"), {}).operating)
    symbol = film.actions[n].actor
    page = Page(position_page(recording, f"?n={n + 1}&mostra=pose")).text
    assert f"{symbol} has laid its tile in this turn." in page
    assert "if the step came now" in page
    rounds = {n: shown(film, Look(n), {}).state.round for n in range(lays[0], lays[0] + 200)}
    passed = next(
        n
        for n, now in rounds.items()
        if isinstance(now, Operating) and now.step is TurnStep.TRACK
        if film.actions[n].verb == "pass" and film.turns[n] == film.turns[n + 1]
    )
    page = Page(position_page(recording, f"?n={passed + 1}&mostra=pose")).text
    assert "laid no tile in this turn, and can lay none any more" in page


def test_the_line_leads_to_each_round_and_phase(cast: Cast) -> None:
    """The first 5-train is bought by the action before the position where phase 5 begins."""
    recording = bring(LONG)
    film = services.film(score(recording))
    page = visitor(language="en").get(f"{recording.get_absolute_url()}?n=800").content.decode()
    for part in film.parts:
        assert f'<a href="?n={part.first}" tabindex="-1">' in page
        assert f'<option value="{part.first}"' in page
    [fifth] = [n for n, phase in film.phases if phase == "5"]
    assert f'<option value="{fifth}">Phase 5</option>' in page
    assert f'<a href="?n={fifth}" tabindex="-1"><title>Phase 5</title>' in page
    action = film.actions[fifth - 1]
    assert (action.verb, action.to_dict()["train"]) == ("train", "5")
    here = film.parts[film.part_of(800)].first
    assert f'<option value="{here}" selected>' in page
    assert page.count(" selected>") == 1


# --- games played here ----------------------------------------------------------------------------


@both
def test_a_game_played_here_is_looked_at_by_who_sees_its_table(cast: Cast) -> None:
    event = make_event(players=4, sizes=[4])
    [table] = tables_of(event)
    game = play_here(table, LONG)
    address = reverse("game_replay", args=[game.pk])
    answer = visitor().get(f"{address}?n={game.seq}")
    assert answer.status_code == 200
    text = Page(answer).text
    assert str(cast.bruno.player) in text
    file = file_of(LONG)
    for one in file["players"]:
        assert f"${file['result'][str(one['id'])]}" in text
    fragment = visitor().get(reverse("game_position", args=[game.pk]) + "?n=12")
    assert fragment.status_code == 200
    assert "no-cache" in fragment["Cache-Control"]


def test_a_game_at_a_table_that_is_not_public_is_nowhere(cast: Cast) -> None:
    event = make_event(players=4, sizes=[4])
    [table] = tables_of(event)
    game = play_here(table, LONG, 30)
    for name in ("game_replay", "game_position"):
        assert visitor().get(reverse(name, args=[game.pk])).status_code == 200
        assert visitor().get(reverse(name, args=[game.pk + 1])).status_code == 404
    Round.objects.filter(pk=table.round_id).update(status="draft", published_at=None)
    for name in ("game_replay", "game_position"):
        assert visitor().get(reverse(name, args=[game.pk])).status_code == 404
        assert visitor(cast.alice).get(reverse(name, args=[game.pk])).status_code == 200
