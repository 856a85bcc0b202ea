"""Cards of players and clubs, two players side by side, and the search: what the public reads."""

from __future__ import annotations

import re
from collections.abc import Iterator
from datetime import UTC, date, datetime
from decimal import Decimal
from typing import Any

import pytest
from django.db import transaction
from django.urls import reverse
from django.utils import timezone

from figf.regulation import titles
from figf.tests.cast import (
    DAY,
    NOW,
    Page,
    make_cast,
    make_event,
    make_honour,
    make_past,
    make_player,
    make_season,
    make_title,
    record,
    reread,
    seats_of,
    tables_of,
    visitor,
)
from rankings import services
from rankings.tests import squads, test_queries
from rankings.tests.test_queries import asked, at, last_year
from tournaments import services as tournaments
from tournaments.models import Event, Player, Round, Table

db = pytest.mark.django_db
both = pytest.mark.both


def players_of(table: Table) -> list[Player]:
    """Who sits at the table, in seat order."""
    found = [seat.holder().player for seat in seats_of(table)]
    return [player for player in found if player is not None]


def make_game(*amounts: int, name: str = "Festa del Binario Morto", **more: Any) -> list[Player]:
    """A table of so many players with these totals; Bruno has the first seat."""
    event = make_event(players=len(amounts), name=name, **more)
    table = tables_of(event)[0]
    record(table, *amounts, now=more.get("now", NOW))
    return players_of(reread(table))


def read(player: Player, **query: str | int) -> Page:
    return Page(visitor().get(reverse("player", args=[player.pk]), query))


def status(name: str, *args: object) -> int:
    return visitor().get(reverse(name, args=args)).status_code


# --- the card -------------------------------------------------------------------------------------


@db
@both
def test_a_card_shows_games_with_place_total_percentile_and_victory() -> None:
    """C-01: totals 7500, 7200, 6600, 0 are worth 1540, 960, 880 and 0."""
    first, second, third, last = make_game(7500, 7200, 6600, 0)
    told = {
        player: [
            (game.title, game.number, game.total, game.place, game.points, game.won)
            for game in services.card_of(player, NOW.date()).games
        ]
        for player in (first, second, third, last)
    }
    assert told == {
        first: [("1830", 1, 7500, 1, Decimal("1540.00"), True)],
        second: [("1830", 1, 7200, 2, Decimal("960.00"), False)],
        third: [("1830", 1, 6600, 3, Decimal("880.00"), False)],
        last: [("1830", 1, 0, 4, Decimal("0.00"), False)],
    }
    page = read(first)
    assert "Bruno Binario" in page.text
    assert "1830, table 1" in page.text
    assert "1540" in page.text
    assert reverse("table", args=[services.card_of(first, NOW.date()).games[0].table]) in page.links


@db
@both
def test_the_mean_is_exact_and_rounded_once() -> None:
    """1540 and 960 and 0 are 2500 in three games: 833,33, the best 1540; of 1830 alone 1250."""
    people = make_game(7500, 7200, 6600, 0)
    bruno = people[0]
    for n, amounts in enumerate(((7200, 7500, 6600, 0), (0, 7500, 7200, 6600)), start=1):
        title = ("1830", "1856")[n - 1]
        now = NOW + n * 7 * DAY
        event = make_event(players=people, title=title, name=f"Raduno {n}", now=now)
        record(tables_of(event)[0], *amounts, now=now)
    card = services.card_of(bruno, NOW.date())
    assert card.sums == services.Sums(3, 1, Decimal("1540.00"), Decimal("833.33"))
    assert card.titles == (
        ("1830", services.Sums(2, 1, Decimal("1540.00"), Decimal("1250.00"))),
        ("1856", services.Sums(1, 0, Decimal("0.00"), Decimal("0.00"))),
    )
    assert [game.event_name for game in card.games] == [
        "Raduno 2",
        "Raduno 1",
        "Festa del Binario Morto",
    ]
    assert card.events == 3
    assert "833.33" in read(bruno).text


@db
@both
def test_only_what_is_public_is_on_a_card() -> None:
    """Nothing of a table without a result, of a round taken back, of an event in draft."""
    event = make_event(players=4)
    table = tables_of(event)[0]
    bruno = players_of(table)[0]
    assert services.entries_of(bruno) == ()
    record(table, 7500, 7200, 6600, 0)
    assert len(services.entries_of(bruno)) == 1
    Round.objects.filter(pk=table.round_id).update(status="draft", published_at=None)
    assert services.entries_of(bruno) == ()
    Round.objects.filter(pk=table.round_id).update(status="published", published_at=NOW)
    Event.objects.filter(pk=event.pk).update(status=Event.Status.DRAFT)
    assert services.entries_of(bruno) == ()


@db
@both
@pytest.mark.parametrize("kind", ["friendly", "cup"])
def test_a_game_of_no_standing_says_what_it_was(kind: str) -> None:
    """E-05: a cup and a friendly event are on the card, and say so."""
    bruno, *_others = make_game(7500, 7200, 6600, 0)
    Event.objects.update(kind=kind)
    card = services.card_of(bruno, NOW.date())
    assert card.sums.games == 1
    assert card.games[0].kind_name == str(Event.Kind(kind).label)
    assert f"({kind})" in read(bruno).text


@db
@both
def test_a_cancelled_player_has_a_dash_and_no_percentile() -> None:
    """D-08: what he played becomes a dash; the others keep theirs."""
    first, second, *_others = make_game(7500, 7200, 6600, 0)
    cast = make_cast()
    event = Event.objects.get()
    tournaments.cancel(first, cast.sara, NOW, level="event", event=event, ruling="Condotta")
    game = services.card_of(first, NOW.date()).games[0]
    assert (game.dash, game.place, game.points, game.won) == ("cancelled", None, None, False)
    assert services.card_of(first, NOW.date()).sums == services.Sums(0, 0, None, None)
    assert services.card_of(second, NOW.date()).sums.best == Decimal("960.00")
    assert "cancelled" in read(first).text


@db
@both
def test_a_void_game_and_an_event_not_valid_give_nothing() -> None:
    """C-17, A-09."""
    first, *_others = make_game(7500, 7200, 6600, 0)
    Table.objects.update(status=Table.Status.VOID)
    assert services.card_of(first, NOW.date()).games[0].dash == "void"
    assert "game void" in read(first).text
    Table.objects.update(status=Table.Status.CONFIRMED)
    Event.objects.update(status=Event.Status.INVALID)
    assert services.card_of(first, NOW.date()).games[0].dash == "off"
    assert services.card_of(first, NOW.date()).sums.games == 0


@db
@both
def test_events_of_the_history_and_honours_are_on_the_card() -> None:
    """H-09, A-13: places and points without tables; Carla is champion twice of 2010, and was first.

    Of the ranking she has 75 points from June 2010 to the end of 2012, alone: place 1 of 1.
    """
    carla = make_cast().judge
    make_honour(carla)
    card = services.card_of(carla, NOW.date())
    assert [(e.event_name, e.has_table) for e in card.entries] == [("Raduno del Vapore", False)]
    assert sorted(honour.award for honour in card.honours) == ["absolute", "specialty"]
    assert [event.name for event in card.won] == ["Raduno del Vapore"]
    assert card.best is not None
    assert (card.best.day, card.best.place, card.best.points) == (date(2010, 6, 6), 1, 75)
    page = read(carla)
    assert "Absolute Champion" in page.text
    assert "75 event points" in page.text
    assert "Not in the ranking now" in page.text
    assert reverse("ranking_player", args=[carla.pk]) in page.links


@db
@both
def test_the_place_in_the_ranking_of_now_is_on_the_card() -> None:
    """H-10: 120 points and two of 80: Bruno is first, Carla shares the second place."""
    cast = make_cast()
    today = timezone.localdate()
    points = {cast.bruno.player: 120, cast.director: 80, cast.judge: 80}
    make_past(points, today - 30 * DAY, now=datetime.now(UTC))
    assert "1 of 3 in the ranking, with 120 points" in read(cast.bruno.player).text
    assert "2 of 3 in the ranking, with 80 points" in read(cast.judge).text


@db
@both
def test_a_card_is_for_who_has_a_name() -> None:
    """O-16: who is radiated has no page; who was merged leads to who stays; forgotten, none."""
    cast = make_cast()
    kept, gone, forgotten, struck = (make_player(f"Viaggiatore {n}") for n in range(4))
    Player.objects.filter(pk=gone.pk).update(merged_into=kept)
    Player.objects.filter(pk=forgotten.pk).update(forgotten_at=NOW)
    tournaments.strike_off(struck, "Radiazione", cast.sara, NOW)
    for name in ("player", "player_results_csv"):
        answer = visitor().get(reverse(name, args=[gone.pk]))
        assert answer.status_code == 301
        assert answer["Location"] == reverse(name, args=[kept.pk])
        assert [status(name, p.pk) for p in (kept, forgotten, struck)] == [200, 404, 404]
    bruno = cast.bruno.player
    answer = visitor().get(reverse("head_to_head", args=[bruno.pk, gone.pk]))
    assert answer.status_code == 301
    assert answer["Location"] == reverse("head_to_head", args=[bruno.pk, kept.pk])
    for other in (forgotten, struck, bruno):
        assert status("head_to_head", bruno.pk, other.pk) == 404
    assert status("head_to_head", gone.pk, kept.pk) == 301


@db
@both
def test_a_radiated_opponent_is_not_named_on_a_card() -> None:
    """O-16: also not among those met most often, nor among those to choose from."""
    bruno, other, *_others = make_game(7500, 7200, 6600, 0)
    assert str(other) in read(bruno).text
    tournaments.strike_off(other, "Radiazione", make_cast().sara, NOW)
    page = read(bruno, con=other.surname)
    assert str(other) not in page.text


@db
def test_the_books_are_one_step_from_a_card_for_a_secretary_alone() -> None:
    cast = make_cast()
    address = reverse("player", args=[cast.judge.pk])
    books = reverse("player_edit", args=[cast.judge.pk])
    assert books == f"{address}modifica/"
    assert books in Page(visitor(cast.sara).get(address)).links
    for user in (None, cast.bruno, cast.alice):
        assert books not in Page(visitor(user).get(address)).links


@db
def test_no_address_for_mail_is_on_a_card() -> None:
    """Neither of who plays nor of his log-in, for nobody and for a secretary."""
    cast = make_cast()
    Player.objects.filter(pk=cast.bruno.player.pk).update(email="privato@example.net")
    for user in (None, cast.sara):
        answer = visitor(user).get(reverse("player", args=[cast.bruno.player.pk]))
        assert "privato@" not in answer.content.decode()
        assert "bruno@" not in answer.content.decode()


@db
@both
def test_results_are_shown_fifty_a_page() -> None:
    cast = make_cast()
    for n in range(51):
        make_past({cast.bruno.player: 10}, date(2015, 1, 1) + n * DAY, name=f"Tappa {n:02}")
    first, second = read(cast.bruno.player), read(cast.bruno.player, page=2)
    assert "Tappa 50" in first.text
    assert "Tappa 01" in first.text
    assert "Tappa 00 " not in first.text.partition("Results")[2]
    assert "Tappa 00" in second.text.partition("Results")[2]


@db
@both
def test_the_results_are_taken_away_as_a_table() -> None:
    bruno, *_others = make_game(7500, 7200, 6600, 0)
    make_past({bruno: 75}, date(2010, 6, 6), wins={bruno: 2}, name="Raduno del Vapore")
    answer = visitor(language="it").get(reverse("player_results_csv", args=[bruno.pk]))
    assert "risultati-binario-bruno.csv" in answer["Content-Disposition"]
    lines = answer.content.decode("utf-8-sig").splitlines()
    first = ["2026-03-14", "Festa del Binario Morto"]
    assert [line.split(";") for line in lines[1:]] == [
        [*first, "dal vivo", "1830", "", "1", "7500", "1", "1540,00", "1", "", "", ""],
        ["2010-06-06", "Raduno del Vapore", "dal vivo", *[""] * 7, "1", "75", "2"],
    ]


@db
@both
def test_place_and_points_in_a_closed_event_stand_beside_its_games() -> None:
    """D-05, A-06: one prova, factor two: the third of the event has 13 × 2 points."""
    _first, _second, third, _last = make_game(7500, 7200, 6600, 0)
    event = Event.objects.get()
    (game,) = services.card_of(third, NOW.date()).games
    assert (game.event_place, game.event_points) == (None, None)
    assert "event: place" not in read(third).text
    tournaments.close_event(event, make_cast().sara, NOW)
    (game,) = services.card_of(third, NOW.date()).games
    assert (game.event_place, game.event_points) == (3, 26)
    page = read(third)
    assert "event: place 3, 26 points" in page.text
    assert reverse("event_standing", args=[event.pk]) in page.links
    answer = visitor().get(reverse("player_results_csv", args=[third.pk]))
    (line,) = answer.content.decode("utf-8-sig").splitlines()[1:]
    assert line.split(";")[-3:-1] == ["3", "26"]
    Event.objects.update(kind="friendly")
    assert "event: place" not in read(third).text


@db
@both
def test_games_won_are_one_total_with_where() -> None:
    """One at a table and two of an event of the history (H-09) are three."""
    bruno, *_others = make_game(7500, 7200, 6600, 0)
    assert "at events of the history" not in read(bruno).text
    make_past({bruno: 75}, date(2010, 6, 6), wins={bruno: 2}, name="Raduno del Vapore")
    assert services.card_of(bruno, NOW.date()).wins == 3
    assert "3 won (1 at the tables below, 2 at events of the history" in read(bruno).text


@db
@both
def test_games_of_one_year_are_dated_by_their_months() -> None:
    """The first and the last game of the drawing say when they were."""
    people = make_game(7500, 7200, 6600, 0)
    now = NOW + 61 * DAY
    event = make_event(players=people, name="Raduno", now=now)
    record(tables_of(event)[0], 7200, 7500, 6600, 0, now=now)
    for language, first, last in (("it", "mar 2026", "mag 2026"), ("en", "Mar 2026", "May 2026")):
        page = visitor(language=language).get(reverse("player", args=[people[0].pk]))
        text = page.content.decode()
        assert f">{first}</text>" in text
        assert f">{last}</text>" in text


# --- two players ----------------------------------------------------------------------------------


@db
@both
def test_head_to_head_says_who_was_ahead() -> None:
    """Ahead once, behind once, level once: places 1 and 2, 2 and 1, then both first (C-05)."""
    people = make_game(7500, 7200, 6600, 0)
    bruno, other = people[:2]
    for n, amounts in enumerate(((7200, 7500, 6600, 0), (7500, 7500, 6600, 0)), start=1):
        now = NOW + n * 7 * DAY
        event = make_event(players=people, name=f"Raduno {n}", now=now)
        record(tables_of(event)[0], *amounts, now=now, tie_checked=True)
    meetings = services.head_to_head(bruno, other)
    assert [(m.mine.event_name, m.ahead) for m in meetings] == [
        ("Raduno 2", 0),
        ("Raduno 1", -1),
        ("Festa del Binario Morto", 1),
    ]
    score = services.score_of(m.ahead for m in meetings)
    assert (score.ahead, score.behind, score.level, score.met) == (1, 1, 1, 3)
    assert [m.ahead for m in services.head_to_head(other, bruno)] == [0, 1, -1]
    page = Page(visitor().get(reverse("head_to_head", args=[bruno.pk, other.pk])))
    assert "3 games at one table" in page.text
    assert "place 1, 1540" in page.text
    assert "place 2, 960" in page.text


@db
@both
def test_a_game_that_gave_one_of_them_nothing_decides_nothing() -> None:
    """D-08."""
    bruno, other, *_others = make_game(7500, 7200, 6600, 0)
    event, sara = Event.objects.get(), make_cast().sara
    tournaments.cancel(other, sara, NOW, level="event", event=event, ruling="Condotta")
    meeting = services.head_to_head(bruno, other)[0]
    assert (meeting.ahead, meeting.theirs.dash) == (None, "cancelled")
    assert other not in [each for each, _score in services.card_of(bruno, NOW.date()).often]


@db
@both
def test_who_never_met_is_told_so() -> None:
    cast = make_cast()
    page = Page(visitor().get(reverse("head_to_head", args=[cast.bruno.player.pk, cast.judge.pk])))
    assert "They have never sat at one table." in page.text


@db
@both
def test_those_met_most_often_are_five_the_most_met_first() -> None:
    """With the second of the table Bruno played twice, with the others once."""
    bruno, second, *others = make_game(7500, 7200, 6600, 100, 0)
    now = NOW + 7 * DAY
    people = [bruno, second, make_player("Aurora"), make_player("Zolla")]
    event = make_event(players=people, name="Raduno", now=now)
    record(tables_of(event)[0], 100, 900, 500, 0, now=now)
    often = services.card_of(bruno, NOW.date()).often
    assert often[0] == (second, services.score_of([1, -1]))
    assert [player.surname for player, _score in often[1:]] == [
        "Aurora",
        *sorted(player.surname for player in others),
    ]
    assert "ahead 1 time, behind 1 time" in read(bruno).text


@db
@both
def test_those_met_less_often_are_below_the_five() -> None:
    """Bruno met seven people in two games: five are named first, and each of the seven below."""
    bruno, *others = make_game(7500, 7200, 6600, 100, 0)
    assert "All the opponents" not in read(bruno).text
    now = NOW + 7 * DAY
    people = [bruno, *(make_player(name) for name in ("Aurora", "Bielle", "Zolla"))]
    event = make_event(players=people, name="Raduno", now=now)
    record(tables_of(event)[0], 100, 900, 500, 0, now=now)
    card = services.card_of(bruno, NOW.date())
    assert (len(card.often), len(card.met)) == (5, 7)
    page = read(bruno)
    assert "All the opponents (7)" in page.text
    for each in (*others, *people[1:]):
        assert reverse("head_to_head", args=[bruno.pk, each.pk]) in page.links


@db
@both
def test_another_is_chosen_by_name_without_a_script() -> None:
    """One found: at once to the two of them. Several: to choose from. Nobody, himself: said so."""
    cast = make_cast()
    bruno = cast.bruno.player
    address = reverse("player", args=[bruno.pk])
    answer = visitor().get(address, {"con": "carròzza"})
    assert answer.status_code == 302
    assert answer["Location"] == reverse("head_to_head", args=[bruno.pk, cast.judge.pk])
    two = [make_player("Scambio", name) for name in ("Ada", "Ugo")]
    page = read(bruno, con="scambio")
    for each in two:
        assert reverse("head_to_head", args=[bruno.pk, each.pk]) in page.links
    assert "Nobody else of that name" in read(bruno, con="binario").text
    assert "Nobody else of that name" in read(bruno, con="zzz\0").text


# --- clubs ----------------------------------------------------------------------------------------


@db
@both
def test_a_club_shows_its_members_with_their_ranking_its_honours_and_teams() -> None:
    """The one with points comes first; who is radiated, merged or forgotten is no member (O-16)."""
    now = datetime.now(UTC)
    club = squads.make_club("Porto Vecchio", now)
    ada, ugo, gone, forgotten, struck = squads.make_members(
        club, "Ancora", "Boa", "Cima", "Deriva", "Elica", now=now
    )
    make_past({ugo: 50, struck: 40}, now.date() - 30 * DAY, now=now)
    make_honour(ugo, now)
    Player.objects.filter(pk=gone.pk).update(merged_into=ada)
    Player.objects.filter(pk=forgotten.pk).update(forgotten_at=now)
    tournaments.strike_off(struck, "Radiazione", make_cast().sara, now)
    card = services.club_card(club, timezone.localdate())
    assert [(p, row.points if row else None) for p, row in card.members] == [(ugo, 50), (ada, None)]
    assert card.ranked == 1
    assert sorted(honour.award for honour in card.honours) == ["absolute", "specialty"]
    page = Page(visitor().get(reverse("club", args=[club.pk])))
    assert "2 members" in page.text
    assert "Elica" not in page.text
    assert reverse("player", args=[ugo.pk]) in page.links
    clubs = Page(visitor().get(reverse("club_list")))
    assert "Porto Vecchio Porto Vecchio 2" in clubs.text  # name, town, members
    assert reverse("club", args=[club.pk]) in clubs.links
    assert status("club", 0) == 404


@db
@both
def test_the_teams_of_a_club_are_on_its_page() -> None:
    cup = squads.make_cup()
    team = squads.enrol(cup, "Valico")
    assert team.club is not None
    assert services.club_card(team.club, NOW.date()).teams == (team,)
    page = Page(visitor().get(reverse("club", args=[team.club.pk])))
    assert "1 team enrolled" in page.text
    assert reverse("teams", args=[cup.season.year]) in page.links


# --- search ---------------------------------------------------------------------------------------


def search(asked: str) -> Page:
    answer = visitor().get(reverse("search"), {"q": asked})
    assert answer.status_code == 200
    return Page(answer)


def main_of(page: str) -> str:
    """A page without its head and foot, which lead everywhere."""
    return page.partition("<main")[2].partition("</main>")[0]


@db
@both
def test_the_search_finds_players_clubs_events_titles_and_articles() -> None:
    cast = make_cast()
    event = make_event(players=4)
    club = squads.make_club("Dopolavoro dell'Àncora")
    draft = make_event(players=4, name="Nascosto", now=NOW + 7 * DAY)
    Event.objects.filter(pk=draft.pk).update(status=Event.Status.DRAFT)
    assert reverse("player", args=[cast.bruno.player.pk]) in search("binario bruno").links
    assert reverse("player", args=[cast.bruno.player.pk]) in search("BRÙNO").links
    assert reverse("club", args=[club.pk]) in search("dell'ancora").links
    assert reverse("event", args=[event.pk]) in search("festa valbinario 2026").links
    assert reverse("specialty", args=[2026, "1830"]) in search("1830").links
    for written in ("B-08", "b08", "B 08"):
        assert f"{reverse('regulation')}#B-08" in search(written).links
    assert "Nascosto" not in search("nascosto").text.replace("“nascosto”", "")


@db
@both
@pytest.mark.parametrize(
    ("language", "words", "leads"),
    [
        ("it", "supercoppa", "/supercoppa/"),
        ("it", "calendario", "/eventi/"),
        ("it", "arbitro", "/arbitri/"),
        ("it", "dadi", "/dadi/"),
        ("it", "albo d'oro", "/albo/"),
        ("it", "CAMPIONATO squadre", "/squadre/"),
        ("it", "api", "/api/"),
        ("it", "percentile", "/regolamento/#C-01"),
        ("it", "fallimento", "/regolamento/#capitolo-Q"),
        ("it", "senza internet", "/guida/senza-internet/"),
        ("en", "supercoppa", "/supercoppa/"),
        ("en", "calendar", "/eventi/"),
        ("en", "dice", "/dadi/"),
        ("en", "referee", "/arbitri/"),
        ("en", "import 18xx.games", "/partite/registrate/"),
        ("en", "replay game", "/partite/registrate/"),
        ("en", "tiles", "/titoli/"),
        ("en", "BASE percentile", "/regolamento/#C-01"),
        ("en", "bankruptcy", "/regolamento/#capitolo-Q"),
    ],
)
def test_the_search_finds_pages_and_articles_by_their_words(
    language: str, words: str, leads: str
) -> None:
    answer = visitor(language=language).get(reverse("search"), {"q": words})
    assert f'href="{leads}"' in main_of(answer.content.decode())


@db
@both
def test_every_article_is_found_by_its_title() -> None:
    """The title is read from where the page of the regulation has it: none is missed."""
    page = visitor().get(reverse("regulation")).content.decode()
    assert list(titles()) == re.findall(r'<article class="rule" id="([^"]+)"', page)


@db
@both
def test_a_title_leads_to_the_latest_ten_events_where_it_is_played() -> None:
    """A draft is not public; what the words name already is not said twice."""
    events = [
        make_event(players=3, name=f"Raduno {n:02}", now=NOW + n * 7 * DAY) for n in range(11)
    ]
    draft = make_event(players=3, name="Nascosto", now=NOW + 80 * DAY)
    Event.objects.filter(pk=draft.pk).update(status=Event.Status.DRAFT)
    make_event(players=3, name="Altrove", title="1856", now=NOW + 81 * DAY)
    played = services.search("1830").played
    assert [event.pk for event in played] == [event.pk for event in events[:0:-1]]
    page = search("1830")
    assert "Latest events where it is played" in page.text
    assert reverse("event", args=[events[10].pk]) in page.links
    assert reverse("event", args=[events[0].pk]) not in page.links


@db
@both
def test_every_word_must_be_part_of_what_is_found() -> None:
    cast = make_cast()
    address = reverse("player", args=[cast.bruno.player.pk])
    assert address not in search("binario carla").links
    assert "Nothing is called “binario carla”" in search("binario carla").text


@db
@both
@pytest.mark.parametrize("nothing", ["zzz", "!!!", "\0", "%", "_", "a" * 500, "日本"])
def test_a_search_that_finds_nothing_says_so(nothing: str) -> None:
    make_cast()
    page = search(nothing)
    assert "Nothing is called" in page.text or "Every word must be part" in page.text


@db
@both
def test_an_empty_search_says_what_can_be_found() -> None:
    for asked_for in ("", "   "):
        assert "Every word must be part of what is found" in search(asked_for).text


@db
@both
def test_an_empty_search_lists_the_players_in_alphabetical_order() -> None:
    """O-16: not who is radiated, nor who was merged or forgotten."""
    cast = make_cast()
    club = squads.make_club("Porto Vecchio")
    gone, forgotten, struck, last = (
        make_player(name) for name in ("Fantasma", "Ombra", "Spettro", "Zolla")
    )
    Player.objects.filter(pk=last.pk).update(club=club)
    Player.objects.filter(pk=gone.pk).update(merged_into=cast.judge)
    Player.objects.filter(pk=forgotten.pk).update(forgotten_at=NOW)
    tournaments.strike_off(struck, "Radiazione", cast.sara, NOW)
    page = search("")
    cards = [link for link in page.links if re.fullmatch(r"/giocatori/\d+/", link)]
    listed = [cast.bruno.player, cast.judge, cast.director, last]
    assert cards == [reverse("player", args=[player.pk]) for player in listed]
    assert "Porto Vecchio" in page.text
    for each in (gone, forgotten, struck):
        assert each.surname not in page.text


@db
@both
def test_the_players_are_listed_three_hundred_a_page() -> None:
    cast = make_cast()
    Player.objects.bulk_create(
        Player(surname=f"Comitiva {n:03}", sort_key=f"comitiva{n:03}") for n in range(300)
    )
    assert cast.bruno.player.sort_key < "comitiva000"
    assert "Comitiva 299" not in search("").text
    answer = visitor().get(reverse("search"), {"page": 2})
    assert "Comitiva 299" in Page(answer).text


@db
@both
def test_nothing_found_has_the_same_ways_on() -> None:
    make_cast()
    ways = {reverse(name) for name in ("ranking", "event_list", "club_list", "roll_of_honour")}
    for words in ("", "zzz"):
        found = main_of(visitor().get(reverse("search"), {"q": words}).content.decode())
        assert all(f'href="{way}"' in found for way in ways)
    assert not [link for link in search("zzz").links if re.match(r"/giocatori/\d", link)]


@db
@both
def test_nobody_without_a_name_is_found() -> None:
    """O-16: nor who was merged or forgotten."""
    cast = make_cast()
    gone, forgotten, struck = (make_player("Fantasma", name) for name in ("Uno", "Due", "Tre"))
    assert "Fantasma Tre" in search("fantasma").text
    Player.objects.filter(pk=gone.pk).update(merged_into=cast.judge)
    Player.objects.filter(pk=forgotten.pk).update(forgotten_at=NOW)
    tournaments.strike_off(struck, "Radiazione", cast.sara, NOW)
    assert "Nothing is called" in search("fantasma").text


@db
@both
def test_of_many_the_first_fifty_are_shown() -> None:
    for n in range(51):
        make_player("Comitiva", f"N{n:02}")
    page = search("comitiva")
    assert "Comitiva N49" in page.text
    assert "Comitiva N50" not in page.text
    assert "There is more" in page.text


@db
def test_the_box_is_on_every_page_and_needs_no_script() -> None:
    page = visitor().get(reverse("regulation")).content.decode()
    assert f'<form class="seek" method="get" action="{reverse("search")}"' in page


# --- names lead to cards --------------------------------------------------------------------------


@db
@both
def test_names_lead_to_cards() -> None:
    now = datetime.now(UTC)
    cast = make_cast(now)
    bruno = cast.bruno.player
    event = make_event(players=5, now=now)
    table = tables_of(event)[0]
    card = reverse("player", args=[bruno.pk])

    def links(name: str, *args: object) -> list[str]:
        return Page(visitor().get(reverse(name, args=args))).links

    assert card in links("table", table.pk)  # nobody has reported yet
    assert card in links("seating", table.round_id)
    assert reverse("player", args=[cast.judge.pk]) in links("seating", table.round_id)
    assert card in links("entry_list", event.pk)
    record(table, 7500, 7200, 6600, 100, 0, now=now)
    assert card in links("table", table.pk)
    assert card in links("event_standing", event.pk)
    tournaments.close_event(Event.objects.get(pk=event.pk), cast.sara, now)
    for name, args in (
        ("ranking", ()),
        ("absolute", (now.year,)),
        ("specialty", (now.year, "1830")),
        ("season", (now.year,)),
        ("roll_of_honour", ()),
        ("ranking_player", (bruno.pk,)),
    ):
        assert card in links(name, *args), name
    publication = services.publish("ranking", cast.sara, now, day=timezone.localdate(now))
    assert card in links("publication", publication.number)
    assert reverse("player", args=[cast.judge.pk]) in links("referee_list")
    past = make_past({bruno: 10}, date(2015, 1, 1))
    assert card in links("event_standing", past.pk)


# --- how often the database is asked --------------------------------------------------------------


def pages(bruno: Player, other: Player) -> Iterator[tuple[str, str]]:
    yield "card", reverse("player", args=[bruno.pk])
    yield "results", reverse("player_results_csv", args=[bruno.pk])
    yield "head to head", reverse("head_to_head", args=[bruno.pk, other.pk])
    yield "clubs", reverse("club_list")
    yield "club", reverse("club", args=[bruno.club_id])
    yield "search", reverse("search") + "?q=o"
    yield "search for a title", reverse("search") + "?q=1830"
    yield "everybody", reverse("search")


def counts(size: test_queries.Size) -> dict[str, int]:
    """The queries of each page, with a history of that size which is then forgotten.

    All the players but Bruno are of his club, which has a team of them in every season.
    """
    with transaction.atomic():
        test_queries.make_history(size)
        bruno = make_cast().bruno.player
        Player.objects.exclude(club=None).update(club=bruno.club)
        cup = squads.make_cup(last_year() + 1, at(last_year(), 12))
        for n in range(size.seasons):
            squads.enrol(cup, f"Squadra {n}", at(last_year(), 12))
        make_title("1849", at(last_year(), 12))
        make_season(last_year() + 1, at(last_year(), 12))
        other = Player.objects.get(surname="Viaggiatore 01")
        card = services.card_of(bruno, timezone.localdate())
        assert card.events == size.seasons * size.events
        assert len(card.games) == size.events  # half of the events of two seasons have tables
        assert bruno.club is not None
        assert len(services.club_card(bruno.club, timezone.localdate()).members) >= size.players
        found = {name: asked(visitor(), path) for name, path in pages(bruno, other)}
        transaction.set_rollback(True)
    return found


@db
@both
def test_a_long_history_takes_no_more_queries_than_a_short_one() -> None:
    """Two seasons of two events and six players, against five of four and twenty."""
    assert counts(test_queries.LONG) == counts(test_queries.SHORT)
