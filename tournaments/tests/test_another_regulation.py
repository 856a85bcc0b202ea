"""Events by another regulation, from the enrolment to the closing: `draughts`, and nothing else.

A game for two that is won, drawn or lost; with five players, and therefore a bye in every round.
Nothing of it is outside its module, and the database does not change. Points are reckoned by hand.
"""

from __future__ import annotations

import re
from collections.abc import Sequence
from dataclasses import replace
from types import MappingProxyType
from typing import Any

import pytest
from django.core.files.uploadedfile import SimpleUploadedFile
from django.core.management import call_command
from django.test import Client
from django.urls import reverse

from figf.models import Email
from figf.tests.cast import (
    NOW,
    TODAY,
    Cast,
    Page,
    make_cast,
    make_player,
    make_season,
    reread,
    visitor,
)
from tournaments import services, texts
from tournaments.models import Event, EventPlace, Player, Round, Seat, Table, Title
from tournaments.rules import registry
from tournaments.rules.regulation import Labels, Regulation
from tournaments.tests.draughts import DRAUGHTS, DRAWN, LOST, WON
from tournaments.tests.test_events import refused

pytestmark = pytest.mark.django_db
both = pytest.mark.both

NAMES = ("Abete", "Betulla", "Cedro", "Dattero", "Edera")
# What no page of such an event has to say.
FIGF_ONLY = ("ercentile", "Cinderella", "event factor", "FE ", "anking", "hares", "Cash", "Bonus")

# Outcome and pieces left, by seat, of each table with two; the byes are not typed.
Games = Sequence[Sequence[tuple[Any, Any]]]
ROUNDS: list[tuple[list[list[str]], Games]] = [
    (
        [["Abete", "Betulla"], ["Cedro", "Dattero"], ["Edera"]],
        [[(WON, 7), (LOST, 0)], [(DRAWN, 1), (DRAWN, 1)]],
    ),
    # Abete 2, Edera 2, Cedro 1, Dattero 1, Betulla 0: if Abete met Edera, Cedro and Dattero would
    # meet again. The bye is of the last.
    (
        [["Abete", "Cedro"], ["Edera", "Dattero"], ["Betulla"]],
        [[(DRAWN, 2), (DRAWN, 3)], [(WON, 4), (LOST, 0)]],
    ),
    # Edera 4, Abete 3, Betulla 2, Cedro 2, Dattero 1
    (
        [["Edera", "Abete"], ["Betulla", "Cedro"], ["Dattero"]],
        [[(LOST, 0), (WON, 5)], [(DRAWN, 2), (DRAWN, 2)]],
    ),
]


@pytest.fixture(autouse=True)
def registered(monkeypatch: pytest.MonkeyPatch) -> None:
    """The one line that a federation adds to the registry."""
    register(monkeypatch, DRAUGHTS)


def register(monkeypatch: pytest.MonkeyPatch, rules: Regulation[Any]) -> None:
    known = {**registry.REGULATIONS, rules.slug: rules}
    monkeypatch.setattr(registry, "REGULATIONS", MappingProxyType(known))


@pytest.fixture
def cast() -> Cast:
    return make_cast()


@pytest.fixture
def bruno(cast: Cast) -> Client:
    """Who directs: on the books, and no FIGF referee."""
    return visitor(cast.bruno)


# --- by the pages ---------------------------------------------------------------------------------


def ok(answer: Any, *words: str) -> str:
    """What a page says: these words, and nothing that FIGF alone has."""
    assert answer.status_code in {200, 422}
    page = Page(answer)
    assert page.inline == []
    for each in words:
        assert each in page.text, (each, page.text)
    html = answer.content.decode()
    main = re.sub(r"<[^>]*>", " ", html.partition("<main")[2].partition("</main>")[0] or html)
    assert [alien for alien in FIGF_ONLY if alien in main] == []
    assert "#DR-" not in html  # its articles are not on the page of FIGF's regulation
    return page.text


def press(client: Client, name: str, *args: object, **data: Any) -> Any:
    return client.post(reverse(name, args=args), data, follow=True)


def look(client: Client, name: str, *args: object) -> Any:
    return client.get(reverse(name, args=args))


def sheet(table: Table, figures: Sequence[tuple[Any, Any]], **more: Any) -> dict[str, Any]:
    """The counting sheet of a table as the page sends it: outcome and pieces, by seat."""
    form = {"version": str(table.last_version()), **more}
    for seat, (outcome, pieces) in zip(table.seats.all(), figures, strict=True):
        form |= {f"outcome-{seat.pk}": str(outcome), f"pieces-{seat.pk}": str(pieces)}
    return form


def enter(client: Client, table: Table, figures: Sequence[tuple[Any, Any]], **more: Any) -> Any:
    return press(client, "table_result", table.pk, **sheet(reread(table), figures, **more))


def sitting(played: Round) -> list[list[str]]:
    tables = Round.objects.with_seating().get(pk=played.pk).tables.all()
    return [[str(seat.holder().player) for seat in table.seats.all()] for table in tables]


def standing(event: Event, query: str = "") -> list[tuple[int, str, str]]:
    """Place, name and total of each row of the page that everybody reads."""
    answer = visitor().get(reverse("event_standing", args=[event.pk]) + query)
    ok(answer)
    return [
        (row["row"].place, str(row["player"]), texts.number(row["row"].total))
        for row in answer.context["rows"]
    ]


@both
def test_an_event_goes_from_its_draft_to_its_closing_by_the_pages(
    cast: Cast, bruno: Client
) -> None:
    """Abete 2 + 1 + 2 = 5; Edera 2 + 2 + 0 = 4; Betulla 0 + 2 + 1 = 3, Cedro 1 + 1 + 1 = 3 and
    Dattero 1 + 0 + 2 = 3. Opponents: Cedro met Dattero, Abete and Betulla, 11 points; Betulla met
    Abete and Cedro, 8; Dattero met Cedro and Edera, 7."""
    dama = services.register_title("dama", "Dama", 2, 2, cast.sara, NOW)
    form = {
        "season": make_season().pk,
        "name": "Coppa Damiera",
        "kind": "live",
        "regulation": DRAUGHTS.slug,
        "starts_on": "2026-03-14",
        "ends_on": "2026-03-15",
        "director": cast.bruno.player.pk,
        "capacity": "5",
        "replaces": "proposed",
    }
    sara = visitor(cast.sara)  # events are made by a secretary
    assert "Draughts" in look(sara, "event_new").content.decode()
    assert sara.post(reverse("event_new"), form).status_code == 302
    event = Event.objects.get(name="Coppa Damiera")
    assert (event.regulation, event.director) == (DRAUGHTS.slug, cast.bruno.player)

    ok(look(bruno, "event_prove", event.pk), "single round double round 3 rounds", "7 rounds")
    seen = services.prove_edition(event)
    press(bruno, "event_prove", event.pk, do="add", title=dama.pk, rounds="3", seen=seen)
    ok(press(bruno, "event_status", event.pk, status="enrolling"))
    for name in NAMES:
        press(bruno, "entry_add", event.pk, player=make_player(name).pk)
    ok(press(bruno, "roll_call", event.pk, everybody="1"), "Abete")
    prova = event.prove.get()

    for number, (expected, games) in enumerate(ROUNDS, start=1):
        desk = look(bruno, "round_desk", prova.pk, number)
        ok(desk, "3 tables: 2 + 2 + 1", "5 players: one has nobody to play. DR-03")
        ok(press(bruno, "round_desk", prova.pk, number), "Table 3", "DR-05")
        draft = prova.play_rounds.get(number=number)
        assert sitting(draft) == expected
        ok(press(bruno, "round_publish", draft.pk, edition=draft.edition), "A bye")
        ok(press(bruno, "round_start", draft.pk))
        for table, figures in zip(draft.tables.all(), games, strict=False):
            ok(enter(bruno, table, figures), "result confirmed")
        ok(look(bruno, "event", event.pk))

    assert standing(event) == [
        (1, "Abete", "5"),
        (2, "Edera", "4"),
        (3, "Cedro", "3"),
        (4, "Betulla", "3"),
        (5, "Dattero", "3"),
    ]
    ok(
        look(visitor(), "event_standing", event.pk),
        "Sum of the points of the games. DR-07",
        "3 points, place 3. DR-07",
        "As many points as Betulla, Dattero, told apart by those of the opponents: 11. DR-07",
    )
    ok(press(bruno, "event_close", event.pk), "The event is closed and validated.")
    services.keep_places(event, {})
    written = EventPlace.objects.values_list("player__surname", "total", "best", "points", "wins")
    assert list(written.order_by("place")) == [
        ("Abete", 500, 200, 0, 2),
        ("Edera", 400, 200, 0, 2),
        ("Cedro", 300, 100, 0, 0),
        ("Betulla", 300, 200, 0, 1),
        ("Dattero", 300, 200, 0, 1),
    ]
    assert services.differences(event, {}) == []
    event.places.all().delete()
    ok(press(bruno, "event_close", event.pk, reopen="1", reason="Un errore"), "open again")
    assert Event.objects.get(pk=event.pk).status == "concluded"


def test_it_makes_no_migration() -> None:
    assert (DRAUGHTS.slug, "Draughts") in Event._meta.get_field("regulation").flatchoices
    call_command("makemigrations", check=True, dry_run=True, verbosity=0)


# --- arranged by the services ---------------------------------------------------------------------


def make_event(
    cast: Cast,
    names: Sequence[str | Player] = NAMES,
    *,
    rounds: int = 1,
    regulation: str = DRAUGHTS.slug,
    name: str = "Coppa Damiera",
    director: Player | None = None,
) -> Event:
    """Open for enrolment, with everybody on its list and here; Bruno directs it."""
    title = Title.objects.filter(code="dama").first()
    title = title or services.register_title("dama", "Dama", 2, 2, cast.sara, NOW)
    event = services.create_event(
        make_season(),
        name,
        TODAY,
        TODAY,
        cast.sara,
        NOW,
        regulation_slug=regulation,
        director=director or cast.bruno.player,
    )
    services.add_prova(event, title, cast.sara, NOW, rounds=rounds)
    event = services.set_status(event, Event.Status.ENROLLING, cast.sara, NOW)
    for each in names:
        player = each if isinstance(each, Player) else make_player(each)
        services.enrol(event, player, cast.bruno, NOW, present=True)
    return event


def published(cast: Cast, event: Event, number: int = 1) -> Round:
    draft = services.draw_round(event.prove.get(), number, {}, None, cast.bruno, NOW)
    return services.publish_round(draft, draft.edition, cast.bruno, NOW)


def typed(table: Table, figures: Sequence[tuple[int, int]]) -> dict[int, services.Facts]:
    seats = zip(table.seats.all(), figures, strict=True)
    return {seat.pk: {"outcome": outcome, "pieces": n} for seat, (outcome, n) in seats}


def play(cast: Cast, event: Event) -> None:
    """The three rounds above."""
    for number, (expected, games) in enumerate(ROUNDS, start=1):
        seated = services.start_tables(published(cast, event, number), cast.bruno, NOW)
        assert sitting(seated) == expected
        for table, figures in zip(seated.tables.all(), games, strict=False):
            services.record_table(table.pk, typed(table, figures), 0, cast.bruno, NOW)


@pytest.fixture
def table(cast: Cast) -> Table:
    """Abete and Betulla, at table 1 of a round that has started."""
    seated = services.start_tables(published(cast, make_event(cast)), cast.bruno, NOW)
    return reread(seated.tables.get(number=1))


def test_a_result_put_right_moves_everybody(cast: Cast, bruno: Client) -> None:
    """Abete did not beat Betulla: they drew. Abete, Betulla and Edera then have 4 each, Cedro and
    Dattero 3; their opponents have 4 + 3 + 4 = 11, 4 + 3 = 7, 3 + 4 = 7, 3 + 4 + 4 = 11, 3 + 4."""
    event = make_event(cast, rounds=3)
    play(cast, event)
    first = [(1, "Abete", "2"), (1, "Edera", "2"), (3, "Cedro", "1"), (3, "Dattero", "1")]
    assert standing(event, "?prova=1&turno=1") == [*first, (5, "Betulla", "0")]
    table = reread(Table.objects.get(round__number=1, number=1))
    drawn = [(DRAWN, 3), (DRAWN, 3)]
    ok(enter(bruno, table, drawn), "Say why the result is corrected")
    ok(enter(bruno, table, drawn, reason="Era patta"), "result corrected")
    assert standing(event) == [
        (1, "Abete", "4"),
        (2, "Betulla", "4"),
        (2, "Edera", "4"),
        (4, "Cedro", "3"),
        (5, "Dattero", "3"),
    ]
    shared = "As many points as Edera, and opponents with 7 too: the place is shared."
    ok(look(visitor(), "event_standing", event.pk), shared)


def test_no_page_of_the_event_speaks_of_what_figf_alone_has(cast: Cast, bruno: Client) -> None:
    event = make_event(cast, rounds=3)
    play(cast, event)
    rounds = list(Round.objects.order_by("number"))
    tables = list(Table.objects.filter(round=rounds[0]).order_by("number"))
    of_event = ("event", "entry_list", "roll_call", "event_prove", "event_status", "event_screen")
    for name in (*of_event, "waiting_tables", "event_standing"):
        ok(look(bruno, name, event.pk))
    for name in ("seating", "table_sheets", "round_results_import"):
        ok(look(bruno, name, rounds[0].pk))
    for name in ("table", "table_result", "table_incidents", "table_referee"):
        for each in tables:
            ok(look(bruno, name, each.pk))
    ok(look(visitor(), "event", event.pk), "Round 3", "Cedro 1, Dattero 1")
    csv = look(bruno, "event_standing_csv", event.pk).content.decode("utf-8-sig").splitlines()
    assert csv[0].count(";") == 7
    assert csv[0].endswith(";Total;Games won")  # and no event points
    assert csv[1].replace(".00", "").replace(",00", "") == "1;Abete;;2;1;2;5;2"
    assert "dama ×3" in Page(look(visitor(), "event_list")).text


# --- a table --------------------------------------------------------------------------------------


@both
def test_the_sheet_has_the_boxes_of_the_regulation(bruno: Client, table: Table) -> None:
    page = bruno.get(reverse("table_result", args=[table.pk]), {"totals": "1"})  # there are none
    text = ok(page, "Outcome", "won drawn lost", "Pieces left")
    assert "Only the totals are known" not in text
    assert f'<select name="outcome-{table.seats.all()[0].pk}"' in page.content.decode()
    preview = reverse("table_preview", args=[table.pk])
    live = bruno.post(preview, sheet(table, [(WON, 7), (LOST, "")]))
    assert "1 seat missing" in ok(live)
    assert "Choose the outcome" not in Page(live).text  # it is still being typed
    live = bruno.post(preview, sheet(table, [(WON, 7), (LOST, 0)]))
    ok(live, "Pieces left 7 Place 1 Points 2", "Pieces left 0 Place 2 Points 0", "complete")
    live = bruno.post(preview, sheet(table, [(DRAWN, 3), (DRAWN, 3)]))
    assert "First place is shared" not in ok(live, "complete")  # a draw is nothing to count twice
    assert not table.results.exists()


@pytest.mark.parametrize(
    ("figures", "words"),
    [
        ([(WON, 7), (WON, 0)], "One wins and the other loses, or both draw. DR-02"),
        ([(WON, 13), (LOST, 0)], "A side has twelve pieces, and here 13. DR-01"),
        ([(WON, 7), (LOST, "")], "Choose the outcome and count the pieces. DR-01"),
        ([(WON, 7), ("", "")], "Some seats have no total yet"),
        ([(3, 7), (LOST, 0)], "Choose one of these: won, drawn, lost."),
        ([(WON, "sette"), (LOST, 0)], "Enter a whole number"),
    ],
)
def test_what_the_regulation_refuses_is_said_in_its_own_words(
    bruno: Client, table: Table, figures: list[Any], words: str
) -> None:
    answer = enter(bruno, table, figures)
    assert answer.status_code == 422
    ok(answer, words)
    assert not table.results.exists()


@both
def test_the_page_of_a_table_says_why(bruno: Client, table: Table) -> None:
    ok(look(visitor(), "table", table.pk), "Abete Betulla")
    enter(bruno, table, [(WON, 7), (LOST, 0)])
    text = ok(
        look(visitor(), "table", table.pk),
        "No. Player Pieces left Points",
        "Won, with 7 pieces left: 2 points. DR-02",
        "Lost, with 0 pieces left: no points. DR-02",
        "Rules of the tests, for two.",
    )
    assert "Base" not in text
    result = reread(table).confirmed()
    assert result is not None
    line = result.lines.get(place=1)
    assert (line.facts, line.total, line.points) == ({"outcome": WON, "pieces": 7}, 7, 200)


def test_words_without_a_translation_are_those_of_the_regulation(
    bruno: Client, table: Table
) -> None:
    """What is known to the catalogue is translated all the same."""
    enter(bruno, table, [(WON, 7), (LOST, 0)])
    text = Page(look(visitor(language="it"), "table", table.pk)).text
    assert "Pieces left Punti" in text
    assert "Won, with 7 pieces left: 2 points." in text


def test_a_table_may_have_a_referee_and_needs_none(cast: Cast, bruno: Client) -> None:
    """M-02: a FIGF referee is here and nobody says why it is not he; he sends, Bruno confirms."""
    event = make_event(cast, [*NAMES[:3], cast.judge])
    draft = services.draw_round(event.prove.get(), 1, {}, None, cast.bruno, NOW)
    assert sitting(draft) == [["Abete", "Betulla"], ["Carrozza Carla", "Cedro"]]
    one, two = draft.tables.order_by("number")
    assert (one.referee, two.referee) == (None, None)
    cedro = Player.objects.get(surname="Cedro")
    services.name_referee(one, cedro, "", cast.bruno, NOW)
    services.name_referee(one, cast.judge, "", cast.bruno, NOW)
    ok(press(bruno, "round_publish", draft.pk, edition=draft.edition), "Referee: Carrozza Carla")
    ok(press(bruno, "round_start", draft.pk))
    figures = [(DRAWN, 4), (DRAWN, 4)]
    ok(enter(visitor(cast.carla), one, figures), "sent to the director")
    ok(enter(bruno, one, figures), "result confirmed")


def test_a_regulation_that_counts_points_alone_shows_no_total(
    bruno: Client, table: Table, monkeypatch: pytest.MonkeyPatch
) -> None:
    register(monkeypatch, replace(DRAUGHTS, labels=Labels(points="Points")))
    live = bruno.post(
        reverse("table_preview", args=[table.pk]), sheet(table, [(WON, 7), (LOST, 0)])
    )
    ok(live, "Place 1 Points 2")
    enter(bruno, table, [(WON, 7), (LOST, 0)])
    ok(look(visitor(), "table", table.pk), "No. Player Points 1 Abete")
    ok(look(bruno, "table_incidents", table.pk), "Place 1. Points: 2.")


def test_where_tables_need_a_referee_a_bye_needs_none(
    cast: Cast, bruno: Client, monkeypatch: pytest.MonkeyPatch
) -> None:
    """M-02: Carla is the only FIGF referee here, and referees one table of two."""
    event = make_event(cast, [*NAMES[:4], cast.judge])
    register(monkeypatch, replace(DRAUGHTS, refereed=True))
    seated = published(cast, event)
    assert sitting(seated) == [["Abete", "Betulla"], ["Carrozza Carla", "Cedro"], ["Dattero"]]
    assert [table.referee for table in seated.tables.order_by("number")] == [cast.judge, None, None]
    refusal = refused(services.start_tables, seated, cast.bruno, NOW)
    assert (refusal.reason, str(refusal.text)[-2:]) == ("referee_missing", "2.")
    ok(look(bruno, "seating", seated.pk), "Tables without a referee: 2 .")
    two = seated.tables.get(number=2)
    services.name_referee(two, Player.objects.get(surname="Abete"), "", cast.bruno, NOW)
    services.start_tables(seated, cast.bruno, NOW)
    assert seated.tables.get(number=3).status == "confirmed"


# --- a bye ----------------------------------------------------------------------------------------


@both
def test_a_bye_has_its_result_when_the_tables_start(bruno: Client, table: Table) -> None:
    bye = reread(table.round.tables.get(number=3))
    assert bye.status == "confirmed"
    ok(look(visitor(), "table", bye.pk), "Edera", "Nobody was left to play: 2 points. DR-04")
    board = ok(look(bruno, "waiting_tables", table.event.pk), "Abete, Betulla", "Cedro, Dattero")
    assert "Edera" not in board
    sheets = ok(look(bruno, "table_sheets", table.round_id), "Outcome Pieces left Signature")
    assert "Table 2" in sheets
    assert "Table 3" not in sheets


def test_who_has_a_bye_is_told_so(cast: Cast) -> None:
    published(cast, make_event(cast, ["Abete", "Betulla", cast.bruno.player]))
    mail = Email.objects.get(key__startswith="seating:")
    assert "nobody is left to play" in mail.body or "nessun avversario" in mail.body
    assert "With you" not in mail.body


def test_who_does_not_come_leaves_the_others_to_be_seated_again(cast: Cast, bruno: Client) -> None:
    """B-16. Four are left, and nobody has a bye; then Cedro does not come, and Abete has one."""
    event = make_event(cast)
    seated = published(cast, event)
    absent = Seat.objects.get(holders__player__surname="Betulla")
    ok(look(bruno, "seat_no_show", absent.pk), "would be too small")
    ok(press(bruno, "seat_no_show", absent.pk, edition=seated.edition), "seated again")
    assert sitting(seated) == [["Abete", "Cedro"], ["Dattero", "Edera"]]
    press(bruno, "round_start", seated.pk, table=seated.tables.get(number=2).pk)
    absent = Seat.objects.get(holders__player__surname="Cedro")
    edition = Round.objects.get(pk=seated.pk).edition
    ok(press(bruno, "seat_no_show", absent.pk, edition=edition), "A bye")
    ok(press(bruno, "round_start", seated.pk))
    assert standing(event) == [(1, "Abete", "2")]


def test_who_has_a_bye_and_does_not_come_leaves_nobody_to_be_seated(cast: Cast) -> None:
    """B-16."""
    seated = published(cast, make_event(cast))
    for table in seated.tables.filter(number__lt=3):
        services.start_tables(seated, cast.bruno, NOW, only=table)
    absent = Seat.objects.get(holders__player__surname="Edera")
    outcome = services.no_show(absent, seated.edition, cast.bruno, NOW)
    assert (outcome.one_short, outcome.tables) == (False, ())
    assert sitting(seated) == [["Abete", "Betulla"], ["Cedro", "Dattero"]]


# --- what else a director has ---------------------------------------------------------------------


@both
def test_the_results_of_a_round_come_from_a_file(bruno: Client, table: Table) -> None:
    path = reverse("round_results_import", args=[table.round_id])

    def send(*changes: tuple[str, str]) -> Any:
        text = "\r\n".join(
            [
                "Table;Surname;Outcome;Pieces left",
                *("1;Abete;Won;7", "1;Betulla;0;0", "2;Cedro;drawn;2", "2;Dattero;drawn;2"),
                "3;Edera;won;0",
            ]
        )
        for old, new in changes:
            text = text.replace(old, new)
        return bruno.post(path, {"file": SimpleUploadedFile("r.csv", text.encode())})

    ok(bruno.get(path), "Outcome", "Pieces left", "with every column filled in")
    empty = look(bruno, "round_results_csv", table.round_id).content.decode("utf-8-sig")
    assert empty.splitlines()[0] == "Table;Surname;First name;Outcome;Pieces left"
    assert empty.splitlines()[-1] == "3;Edera;;won;0"
    report = send(("Won", "vinta"))
    ok(report, "Choose one of these: won, drawn, lost.")
    report = send()
    ok(report, "Confirm 2 results", "confirmed already, the same")
    sealed = Page(report).boxes["sealed"]
    ok(bruno.post(path, {"sealed": sealed}, follow=True), "2 results confirmed.")
    assert standing(table.event)[:2] == [(1, "Abete", "2"), (1, "Edera", "2")]
    report = send(("Won;7", "lost;7"), ("Betulla;0", "Betulla;won"))  # as many pieces, all the same
    ok(report, "The result is confirmed, with 7: correct it on the table's sheet.")


@both
def test_only_what_the_regulation_knows_can_happen_at_a_table(
    cast: Cast, bruno: Client, table: Table
) -> None:
    text = ok(look(bruno, "table_incidents", table.pk), "Substitute", "Void game")
    assert "Handicap" not in text
    assert "Exclude" not in text
    seat = table.seats.all()[0]
    player = seat.holder().player
    for verb, args in (
        (services.give_handicap, (seat, 5, "x")),
        (services.exclude, (table, player, "x")),
        (services.hand_over, (seat, None, "referee")),
    ):
        assert refused(verb, *args, cast.bruno, NOW).reason == "not_in_regulation"
    enter(bruno, table, [(WON, 7), (LOST, 0)])
    ok(press(bruno, "table_incidents", table.pk, action="void", reason="Pezzi mancanti"))
    ok(look(visitor(), "table", table.pk), "The game is void: no points for anybody.")
    ok(press(bruno, "table_incidents", table.pk, action="unvoid"), "valid again")
    services.hand_over(seat, make_player("Faggio"), "substitute", cast.bruno, NOW)
    assert (1, "Faggio", "2") in standing(table.event)


def test_tables_are_changed_by_hand(cast: Cast, bruno: Client) -> None:
    """B-15: three at a table for two are not admitted."""
    draft = services.draw_round(make_event(cast).prove.get(), 1, {}, None, cast.bruno, NOW)
    pair = [Seat.objects.get(holders__player__surname=name).pk for name in ("Betulla", "Cedro")]
    swap = {"action": "swap", "seat": pair, "reason": "Sorelle", "edition": draft.edition}
    told = ok(press(bruno, "round_edit", draft.pk, **swap), "First round: by surname, number 3.")
    assert "by hand, from table 2" in told
    last = Seat.objects.get(holders__player__surname="Edera").pk
    edition = Round.objects.get(pk=draft.pk).edition
    move = {"action": "move", "seat": last, "table": "1", "reason": "Tre", "edition": edition}
    ok(press(bruno, "round_edit", draft.pk, **move), "not admitted")
    draft.refresh_from_db()
    refusal = refused(services.publish_round, draft, draft.edition, cast.bruno, NOW)
    assert refusal.reason == "seat_count"


def test_a_title_that_two_cannot_play_seats_nobody(cast: Cast) -> None:
    """A-05."""
    event = make_event(cast)
    title = services.register_title("1849", "1849", 3, 5, cast.sara, NOW)
    services.amend_prova(event.prove.get(), title, cast.sara, NOW)
    refusal = refused(services.draw_round, event.prove.get(), 1, {}, None, cast.bruno, NOW)
    assert (refusal.reason, refusal.rule) == ("no_partition", "DR-03")


# --- beside the federation's own events -----------------------------------------------------------


def test_it_is_no_event_of_the_federation_s_ranking(cast: Cast) -> None:
    """A-03, A-06, A-09, H-04."""
    event = make_event(cast)
    assert services.planned_events(event.season)[event.season_id] == 0
    assert (services.remarks(event), event.factor()) == ([], None)
    older = services.open_season(2024, 2, cast.sara, NOW)
    day = TODAY.replace(year=2024)
    old = services.create_event(older, "Coppa Damiera", day, day, cast.sara, NOW)
    refusal = refused(services.amend_event, event, cast.sara, NOW, replaces=old)
    assert (refusal.reason, refusal.rule) == ("not_official", "H-04")
    proposed = services.amend_event(event, cast.sara, NOW, replaces=services.PROPOSED)
    assert proposed.replaces is None
    form = Page(look(visitor(cast.sara), "event_edit", event.pk)).text
    assert "No event of two seasons before is free" in form
    assert "Deviatoio" not in form
    assert "Binario Bruno" in form  # anybody on the books may direct it


def test_a_disqualification_is_of_the_federation_s_events_and_an_expulsion_of_all(
    cast: Cast,
) -> None:
    """A-18: it neither closes this event nor counts it."""
    event = make_event(cast, [])
    player = make_player("Faggio")
    for scope, count in (("events", 1), ("web", None)):
        services.ban(player, scope, TODAY, "15", cast.sara, NOW, count=count)
    services.enrol(event, player, cast.bruno, NOW)
    figf = make_event(cast, [], regulation="figf-2006", name="Dopo", director=cast.director)
    assert refused(services.enrol, figf, player, cast.sara, NOW).reason == "suspended"
    other = make_player("Gelso")
    services.ban(other, "all", TODAY, "15", cast.sara, NOW)
    assert refused(services.enrol, event, other, cast.bruno, NOW).reason == "expelled"


def test_an_event_goes_over_to_another_regulation_that_admits_it(cast: Cast) -> None:
    """A-04, A-08, B-07: FIGF has no three rounds, asks for a referee and for three places."""
    event = make_event(cast, rounds=3)
    services.amend_event(event, cast.sara, NOW, capacity=2)
    figf = {"regulation": "figf-2006"}
    refusal = refused(services.amend_event, event, cast.sara, NOW, **figf)
    assert (refusal.reason, refusal.rule, refusal.field) == ("rounds", "A-04", "regulation")
    prova = event.prove.get()
    refusal = refused(services.amend_prova, prova, prova.title, cast.sara, NOW, rounds=8)
    assert (refusal.reason, refusal.rule) == ("too_many_rounds", "A-04")
    services.amend_prova(prova, prova.title, cast.sara, NOW, rounds=2)
    refusal = refused(services.amend_event, event, cast.sara, NOW, **figf)
    assert (refusal.reason, refusal.rule) == ("director_not_referee", "A-08")
    alice: Any = {**figf, "director": cast.director}
    refusal = refused(services.amend_event, event, cast.sara, NOW, **alice)
    assert (refusal.reason, refusal.rule) == ("places", "B-07")
    assert services.amend_event(event, cast.sara, NOW, **alice, capacity=3).factor() == 2
