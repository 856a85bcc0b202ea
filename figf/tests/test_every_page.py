"""Every address of the site, visited by everybody in both languages: nothing breaks, nothing leaks.

A new address without a line in `PAGES` fails the first test.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator
from copy import deepcopy
from datetime import UTC, datetime
from typing import Any

import pytest
from django.test.client import RedirectCycleError
from django.urls import URLPattern, URLResolver, get_resolver, reverse
from pytest_django import Settings

from figf.models import User
from figf.services import create_user
from figf.tests.cast import Federation, Page, make_federation, visitor
from pbem.board.printed import NAMES as TITLES
from pbem.tests import gathered, kept, recorded, requested
from rankings.services import Stage
from rankings.tests import squads
from rankings.tests.cups import make_supercoppa

db = pytest.mark.django_db
both = pytest.mark.both

ROLES = ("nobody", "stranger", "player", "director", "secretary")
LANGUAGES = ("it", "en")
AWAY = {302, 403, 404}  # to the log-in, forbidden, or as if it were not there

# What each role gets; a set is any of its statuses.
EVERYBODY = (200, 200, 200, 200, 200)
LOGGED_IN = (302, 200, 200, 200, 200)
SECRETARIES = (AWAY, AWAY, AWAY, AWAY, 200)
MANAGERS = (302, 404, 404, 200, 200)
BACK = (302, 404, 404, 302, 302)  # a button's address, opened: to the page that has the button
NEVER = (405, 405, 405, 405, 405)  # only by a button
BUTTON = (302, 404, 404, 302, 302)  # opened, it leads to the page on which the button is

Where = Callable[[Federation], tuple[Any, ...]]


def nowhere(_f: Federation) -> tuple[Any, ...]:
    return ()


# Address, its arguments, and what it answers to each role.
PAGES: list[tuple[str, Where, tuple[Any, ...]]] = [
    ("home", nowhere, EVERYBODY),
    ("health", nowhere, EVERYBODY),
    ("set_language", nowhere, (302,) * 5),
    ("login", nowhere, (200, 302, 302, 302, 302)),
    ("logout", nowhere, NEVER),
    ("account", nowhere, LOGGED_IN),
    ("change_email", nowhere, LOGGED_IN),
    ("withdraw_email_change", nowhere, NEVER),
    ("confirm_email", lambda f: (f.email_token,), EVERYBODY),
    ("confirm_email", lambda _f: ("forged",), (422,) * 5),
    ("password_change", nowhere, LOGGED_IN),
    ("password_change_done", nowhere, LOGGED_IN),
    ("password_reset", nowhere, EVERYBODY),
    ("password_reset_done", nowhere, EVERYBODY),
    ("password_reset_confirm", lambda _f: ("MQ", "not-a-token"), EVERYBODY),
    ("password_reset_complete", nowhere, EVERYBODY),
    ("draw_list", nowhere, EVERYBODY),
    ("dice_script", nowhere, EVERYBODY),
    ("draw_open", nowhere, SECRETARIES),
    ("draw_record", nowhere, SECRETARIES),
    ("draw", lambda f: (f.open_draw.pk,), EVERYBODY),
    ("draw", lambda f: (f.revealed_draw.pk,), EVERYBODY),
    ("draw", lambda f: (f.receipt.pk,), EVERYBODY),
    ("draw", lambda _f: (0,), (404,) * 5),
    ("draw_receipt", lambda f: (f.open_draw.pk,), EVERYBODY),
    ("draw_receipt", lambda f: (f.receipt.pk,), (404,) * 5),
    ("outbox", nowhere, SECRETARIES),
    ("outbox_mail", lambda f: (f.mail.pk,), (*SECRETARIES[:4], 404)),  # mail is not in files here
    ("outbox_send_again", lambda f: (f.mail.pk,), NEVER),
    ("log", nowhere, SECRETARIES),
    ("event_list", nowhere, EVERYBODY),
    ("calendar_csv", nowhere, EVERYBODY),
    ("calendar_ics", nowhere, EVERYBODY),
    ("event_ics", lambda f: (f.event.pk,), EVERYBODY),
    ("event_ics", lambda f: (f.draft.pk,), (404,) * 5),
    ("event_new", nowhere, SECRETARIES),
    ("event_import", nowhere, SECRETARIES),
    ("season_list", nowhere, SECRETARIES),
    ("history_import", nowhere, SECRETARIES),
    ("history_template", nowhere, SECRETARIES),
    ("past_event_remove", lambda f: (f.past.pk,), (302, 404, 404, 404, 302)),
    ("event", lambda f: (f.past.pk,), EVERYBODY),
    ("event_standing", lambda f: (f.past.pk,), EVERYBODY),
    ("event_standing_csv", lambda f: (f.past.pk,), EVERYBODY),
    ("roll_call", lambda f: (f.past.pk,), (302, 422, 422, 422, 422)),
    ("entry_list", lambda f: (f.past.pk,), (422,) * 5),
    *[
        (page, where, MANAGERS)
        for page in (
            "event_edit",
            "event_prove",
            "event_status",
            "event_contribution",
            "event_file",
        )
        for where in (lambda f: (f.event.pk,), lambda f: (f.draft.pk,))
    ],
    ("event", lambda f: (f.event.pk,), EVERYBODY),
    ("event", lambda f: (f.draft.pk,), (404, 404, 404, 200, 200)),
    ("round_desk", lambda f: (f.sketch.prova_id, 1), MANAGERS),
    ("round_desk", lambda f: (f.draft.pk, 9), (302, 404, 404, 404, 404)),
    ("round_desk", lambda f: (f.played.round.prova_id, 1), (302, 404, 404, 302, 302)),
    *[
        (page, lambda f: (f.sketch.pk,), BACK)
        for page in ("round_edit", "round_publish", "round_discard", "round_start")
    ],
    ("round_withdraw", lambda f: (f.played.round_id,), BACK),
    ("seating", lambda f: (f.played.round_id,), EVERYBODY),
    ("seating", lambda f: (f.sketch.pk,), (302,) * 5),
    ("event_standing", lambda f: (f.event.pk,), EVERYBODY),
    ("event_standing", lambda f: (f.draft.pk,), (404, 404, 404, 200, 200)),
    ("event_standing_csv", lambda f: (f.event.pk,), EVERYBODY),
    ("event_close", lambda f: (f.event.pk,), BACK),
    ("event_screen", lambda f: (f.event.pk,), EVERYBODY),
    ("event_screen", lambda f: (f.hall.pk,), EVERYBODY),
    ("event_screen", lambda f: (f.draft.pk,), (404, 404, 404, 200, 200)),
    ("waiting_tables", lambda f: (f.event.pk,), EVERYBODY),
    ("waiting_tables", lambda f: (f.hall.pk,), EVERYBODY),
    ("waiting_tables", lambda f: (f.draft.pk,), (404, 404, 404, 200, 200)),
    ("round_results_import", lambda f: (f.played.round_id,), MANAGERS),
    ("round_results_import", lambda f: (f.sketch.pk,), (302, 404, 404, 404, 404)),
    ("round_results_csv", lambda f: (f.played.round_id,), MANAGERS),
    ("seating_csv", lambda f: (f.played.round_id,), EVERYBODY),
    ("table_sheets", lambda f: (f.played.round_id,), MANAGERS),
    ("table_sheets", lambda f: (f.sketch.pk,), MANAGERS),
    ("seat_no_show", lambda f: (f.playing.seats.earliest("pk").pk,), MANAGERS),
    ("table_referee", lambda f: (f.playing.pk,), MANAGERS),
    ("table_stop", lambda f: (f.playing.pk,), BACK),
    ("short_link", lambda f: (f.playing.pk,), (302,) * 5),
    ("entry_list", lambda f: (f.event.pk,), EVERYBODY),
    ("entry_list", lambda f: (f.draft.pk,), (404, 404, 404, 200, 200)),
    ("entry_csv", lambda f: (f.event.pk,), MANAGERS),
    ("enrol_me", lambda f: (f.event.pk,), (302,) * 5),  # a button: opened, it leads to its page
    ("withdraw_me", lambda f: (f.event.pk,), (302, 302, 200, 302, 302)),  # Bruno alone is enrolled
    ("roll_call", lambda f: (f.event.pk,), MANAGERS),
    ("roll_call", lambda f: (f.draft.pk,), MANAGERS),
    ("roll_call", lambda f: (f.hall.pk,), MANAGERS),
    ("entry_list", lambda f: (f.hall.pk,), EVERYBODY),
    ("withdraw_me", lambda f: (f.hall.pk,), (302, 302, 200, 302, 302)),
    ("enrol_me", lambda f: (f.draft.pk,), (404, 404, 404, 302, 302)),
    ("entry_add", lambda f: (f.event.pk,), BUTTON),
    ("entry_newcomer", lambda f: (f.event.pk,), BUTTON),
    ("missing", lambda f: (f.event.pk,), EVERYBODY),
    ("missing", lambda f: (f.draft.pk,), (404,) * 5),
    ("entry_withdraw", lambda f: (f.event.entries.earliest("pk").pk,), MANAGERS),
    ("entry_edit", lambda f: (f.event.entries.earliest("pk").pk,), MANAGERS),
    ("entry_return", lambda f: (f.event.entries.earliest("pk").pk,), BUTTON),
    ("entry_admit", lambda f: (f.event.entries.earliest("pk").pk,), BUTTON),
    ("table", lambda f: (f.played.pk,), EVERYBODY),
    ("table", lambda f: (f.playing.pk,), EVERYBODY),
    ("table_csv", lambda f: (f.played.pk,), EVERYBODY),
    ("table_csv", lambda f: (f.playing.pk,), (404,) * 5),
    ("table_incidents", lambda f: (f.played.pk,), MANAGERS),
    ("table_incidents", lambda f: (f.playing.pk,), MANAGERS),
    ("table_file", lambda f: (f.playing.pk,), MANAGERS),
    ("table_result", lambda f: (f.played.pk,), MANAGERS),
    ("table_result", lambda f: (f.playing.pk,), MANAGERS),
    ("result_withdraw", lambda f: (f.played.pk,), BACK),
    ("table_preview", lambda f: (f.playing.pk,), NEVER),
    ("player_list", nowhere, SECRETARIES),
    ("player_csv", nowhere, SECRETARIES),
    ("player_import", nowhere, SECRETARIES),
    ("player_import_template", nowhere, SECRETARIES),
    ("player", lambda f: (f.cast.bruno.player.pk,), EVERYBODY),
    ("player", lambda f: (f.unjoined.pk,), EVERYBODY),
    ("player", lambda _f: (0,), (404,) * 5),
    ("player_results_csv", lambda f: (f.cast.bruno.player.pk,), EVERYBODY),
    ("head_to_head", lambda f: (f.cast.bruno.player.pk, f.cast.judge.pk), EVERYBODY),
    ("head_to_head", lambda f: (f.cast.judge.pk, f.cast.judge.pk), (404,) * 5),
    ("club_list", nowhere, EVERYBODY),
    ("club", lambda f: (squads.playing(f).teams.earliest("pk").club_id,), EVERYBODY),
    ("search", nowhere, EVERYBODY),
    ("player_edit", lambda f: (f.unjoined.pk,), SECRETARIES),
    ("player_edit", lambda f: (f.cast.judge.pk,), SECRETARIES),
    ("player_edit", lambda _f: (0,), (*SECRETARIES[:4], 404)),
    ("duplicates", nowhere, SECRETARIES),
    ("player_merge", lambda f: (f.unjoined.pk, f.cast.bruno.player.pk), SECRETARIES),
    ("player_merge", lambda f: (f.cast.judge.pk, f.cast.judge.pk), (*SECRETARIES[:4], 404)),
    ("merge_undo", lambda _f: (1,), NEVER),
    ("player_data", lambda f: (f.unjoined.pk,), SECRETARIES),
    ("my_data", nowhere, (302, 404, 200, 200, 404)),
    *[
        ("player_forget", where, SECRETARIES)
        for where in (lambda f: (f.unjoined.pk,), lambda f: (f.cast.judge.pk,))
    ],
    ("referee_list", nowhere, EVERYBODY),
    ("referee_csv", nowhere, EVERYBODY),
    ("ranking", nowhere, EVERYBODY),
    ("ranking_csv", nowhere, EVERYBODY),
    ("ranking_json", nowhere, EVERYBODY),
    ("ranking_player", lambda f: (f.cast.judge.pk,), EVERYBODY),
    ("ranking_player", lambda f: (f.unjoined.pk,), EVERYBODY),
    ("ranking_player_csv", lambda f: (f.cast.judge.pk,), EVERYBODY),
    ("standings", nowhere, EVERYBODY),
    *[
        (page, where, EVERYBODY)
        for page in ("season", "absolute", "absolute_csv", "absolute_json")
        for where in (lambda f: (f.event.season.year,), lambda f: (f.honour.season.year,))
    ],
    *[
        (page, lambda f: (f.event.season.year, "1830"), EVERYBODY)
        for page in ("specialty", "specialty_csv", "specialty_json")
    ],
    ("absolute", lambda _f: (1999,), (404,) * 5),
    ("season_close", lambda f: (f.event.season.year,), SECRETARIES),
    ("season_close", lambda f: (f.honour.season.year,), (AWAY, AWAY, AWAY, AWAY, 302)),
    ("what_if", lambda f: (f.event.season.year,), (302, 404, 404, 200, 200)),
    ("roll_of_honour", nowhere, EVERYBODY),
    ("roll_csv", nowhere, EVERYBODY),
    ("honour_new", nowhere, SECRETARIES),
    ("honour_withdraw", lambda f: (f.honour.pk,), NEVER),
    ("publication_list", nowhere, EVERYBODY),
    ("publication", lambda f: (f.publication.number,), EVERYBODY),
    ("publication_csv", lambda f: (f.publication.number,), EVERYBODY),
    ("publication", lambda _f: (99,), (404,) * 5),
    ("publication_new", nowhere, (302, 404, 404, 404, 302)),
    ("supercoppa_list", nowhere, EVERYBODY),
    ("supercoppa_open", nowhere, (302, 404, 404, 404, 302)),
    ("supercoppa", lambda f: (f.event.season.year,), EVERYBODY),
    ("supercoppa_csv", lambda f: (f.event.season.year,), EVERYBODY),
    ("supercoppa", lambda _f: (1999,), (404,) * 5),
    ("supercoppa_deed", lambda f: (f.event.season.year, "finale"), (302, 404, 404, 404, 302)),
    ("supercoppa_deed", lambda f: (f.event.season.year, "x"), (302, 404, 404, 404, 404)),
    ("teams_list", nowhere, EVERYBODY),
    *[
        (page, where, EVERYBODY)
        for page in ("teams", "teams_csv")
        for where in (
            lambda f: (squads.enrolling(f).season.year,),
            lambda f: (squads.playing(f).season.year,),
        )
    ],
    ("teams", lambda _f: (1999,), (404,) * 5),
    # whose club has its team is sent to it
    ("team_new", lambda f: (squads.enrolling(f).season.year,), (302, 200, 302, 200, 200)),
    ("team_new", lambda f: (squads.playing(f).season.year,), LOGGED_IN),
    ("team_edit", squads.his_address, (302, 404, 200, 404, 200)),
    ("team_titles", squads.his_address, (302, 404, 302, 404, 302)),  # not before it is admitted
    ("team_titles", squads.admitted_address, (302, 404, 404, 404, 200)),
    ("player_invite", lambda f: (f.unjoined.pk,), SECRETARIES),
    ("claim_decide", lambda f: (f.claim.pk,), NEVER),
    ("claim", nowhere, (302, 200, 302, 302, 200)),  # who is on the books has no more to ask
    ("invitation", lambda f: (f.invitation_token,), EVERYBODY),
    ("invitation", lambda _f: ("forged",), (422,) * 5),
    ("title_list", nowhere, EVERYBODY),
    *[("title_page", lambda _f, name=name: (name,), EVERYBODY) for name in TITLES],
    ("game_list", nowhere, EVERYBODY),
    ("pbem_preferences", nowhere, LOGGED_IN),
    ("consent", lambda f: (requested.consent(f).pk,), LOGGED_IN),
    ("consent", lambda _f: (0,), (302, 404, 404, 404, 404)),
    ("table_game_open", lambda f: (gathered.free_table(f).pk,), MANAGERS),
    ("table_game_open", lambda f: (f.playing.pk,), (302, 404, 404, 404, 404)),  # around a table
    ("game_invite", lambda f: (gathered.friendly(f).pk,), MANAGERS),
    ("game_answer", lambda f: (gathered.gathering(f).pk,), (302,) * 5),
    ("game_table", lambda f: (gathered.gathering(f).pk,), MANAGERS),
    ("desk", nowhere, LOGGED_IN),
    ("game_tools", lambda f: (recorded.played_here(f).pk,), MANAGERS),
    ("hand_desk", lambda f: (kept.kept_game(f).pk,), (302, 200, 404, 404, 200)),
    ("hand_desk", lambda f: (recorded.played_here(f).pk,), (302, 404, 404, 404, 404)),
    ("hand_tick", lambda f: (kept.kept_game(f).pk, 1), (302, 200, 404, 404, 200)),
    ("game", lambda f: (kept.kept_game(f).pk,), EVERYBODY),
    ("game_move", lambda f: (kept.kept_game(f).pk,), (302,) * 5),
    ("game_exchange", lambda f: (recorded.played_here(f).pk,), NEVER),
    ("comment_report", lambda f: (recorded.played_here(f).pk, 1), NEVER),
    ("move_doubt", lambda f: (recorded.played_here(f).pk, 1), (302, 404, 404, 200, 404)),
    ("recording_list", nowhere, LOGGED_IN),
    ("recording_import", nowhere, LOGGED_IN),
    ("recording_delete", lambda f: (recorded.brought(f).key,), NEVER),
    *[
        (name, lambda f: (recorded.brought(f).key,), EVERYBODY)
        for name in ("recording", "recording_position")
    ],
    *[
        (name, lambda f: (recorded.played_here(f).pk,), EVERYBODY)
        for name in ("game_replay", "game_position")
    ],
    ("recording", lambda _f: ("forged",), (404,) * 5),
    ("game_replay", lambda _f: (0,), (404,) * 5),
    ("api_docs", nowhere, EVERYBODY),
    *[
        (f"api_{name}", nowhere, EVERYBODY)
        for name in (
            *("schema", "events", "players", "clubs", "titles", "seasons", "ranking", "honours"),
            "publications",
        )
    ],
    *[
        (f"api_{name}", where, EVERYBODY)
        for name in ("event", "event_standing")
        for where in (lambda f: (f.event.pk,), lambda f: (f.hall.pk,), lambda f: (f.past.pk,))
    ],
    ("api_event", lambda f: (f.draft.pk,), (404,) * 5),
    ("api_event_standing", lambda f: (f.draft.pk,), (404,) * 5),
    ("api_table", lambda f: (f.played.pk,), EVERYBODY),
    ("api_table", lambda f: (f.playing.pk,), EVERYBODY),
    ("api_table", lambda f: (f.sketch.tables.earliest("pk").pk,), (404,) * 5),
    ("api_player", lambda f: (f.cast.judge.pk,), EVERYBODY),
    ("api_player_results", lambda f: (f.cast.judge.pk,), EVERYBODY),
    ("api_absolute", lambda f: (f.honour.season.year,), EVERYBODY),
    ("api_specialty", lambda f: (f.event.season.year, "1830"), EVERYBODY),
    ("api_publication", lambda f: (f.publication.number,), EVERYBODY),
    ("guides", nowhere, EVERYBODY),
    ("guide", nowhere, EVERYBODY),
    ("guide_page", lambda _f: ("in-sala",), EVERYBODY),
    ("guide_page", lambda _f: ("nessuna",), (404,) * 5),
    ("regulation", nowhere, EVERYBODY),
    ("readings", nowhere, EVERYBODY),
    ("regulation_text", nowhere, EVERYBODY),
]

ADMIN: list[tuple[str, Where]] = [
    ("admin:index", nowhere),
    ("admin:password_change", nowhere),
    ("admin:figf_user_changelist", nowhere),
    ("admin:figf_user_add", nowhere),
    ("admin:figf_user_change", lambda f: (f.cast.bruno.pk,)),
    ("admin:figf_user_history", lambda f: (f.cast.bruno.pk,)),
    ("admin:figf_user_delete", lambda f: (f.cast.bruno.pk,)),
    ("admin:auth_user_password_change", lambda f: (f.cast.bruno.pk,)),
    *[
        (f"admin:tournaments_{model}_{page}", nowhere)
        for model in ("title", "club", "season")
        for page in ("changelist", "add")
    ],
    ("admin:tournaments_title_change", lambda f: (f.event.prove.get().title.pk,)),
    ("admin:tournaments_season_change", lambda f: (f.event.season.pk,)),
]


@pytest.fixture
def federation() -> Federation:
    """Made now, by the clock that the pages read: its links are good and its draw is open."""
    now = datetime.now(UTC)
    found = make_federation(now)
    make_supercoppa(found.event.season.year, Stage.WINNER, now)
    return found


def people(federation: Federation) -> list[User | None]:
    cast = federation.cast
    return [None, cast.dino, cast.bruno, cast.alice, cast.sara]


def path_of(name: str, where: Where, federation: Federation) -> str:
    return reverse(name, args=where(federation))


class Missing(str):
    """What a template shows of a name that nobody gave it: text, and false for its conditions."""

    __slots__ = ()

    def __bool__(self) -> bool:
        return False


def addresses(patterns: list[Any], namespace: str = "") -> Iterator[str]:
    for pattern in patterns:
        if isinstance(pattern, URLResolver):
            yield from addresses(pattern.url_patterns, pattern.namespace or namespace)
        elif isinstance(pattern, URLPattern) and not namespace:
            assert pattern.name, f"{pattern.pattern} has no name"
            yield pattern.name


def test_every_address_is_visited_here() -> None:
    assert set(addresses(get_resolver().url_patterns)) == {name for name, _where, _e in PAGES}


@db
@both
@pytest.mark.parametrize("language", LANGUAGES)
@pytest.mark.parametrize("role", range(5), ids=ROLES)
def test_every_page_answers_each_as_it_should(
    role: int, language: str, federation: Federation, settings: Settings
) -> None:
    templates = deepcopy(settings.TEMPLATES)
    templates[0]["OPTIONS"]["string_if_invalid"] = Missing("‹missing›")
    settings.TEMPLATES = templates
    client = visitor(people(federation)[role], language)
    wrong: list[Any] = []
    for name, where, expected in PAGES:
        path = path_of(name, where, federation)
        answer = client.get(path)
        if answer.status_code not in _set(expected[role]):
            wrong.append((path, answer.status_code, "expected", expected[role]))
        content = answer.content.decode()
        if "‹missing›" in content:
            wrong.append((path, content[content.index("‹missing›") - 60 :][:80]))
        if content.startswith("<!doctype html>") and f'<html lang="{language}"' not in content:
            wrong.append((path, "not in", language))
        if language == "en" and client.head(path).status_code != answer.status_code:
            wrong.append((path, "HEAD differs"))
    assert wrong == []


def _set(status: Any) -> set[int]:
    return status if isinstance(status, set) else {status}


@db
@both
def test_nobody_is_sent_round_in_circles(federation: Federation) -> None:
    """Who may not see a page is told so, or asked to log in: his browser must come to rest."""
    circles = []
    for role in ("nobody", "stranger", "secretary"):
        client = visitor(people(federation)[ROLES.index(role)])
        for name, where, _expected in PAGES:
            path = path_of(name, where, federation)
            try:
                assert client.get(path, follow=True).status_code < 500
            except RedirectCycleError:
                circles.append((role, path))
    assert circles == []


@db
def test_the_administration_is_for_secretaries(federation: Federation) -> None:
    for role, user in zip(ROLES, people(federation), strict=True):
        client = visitor(user)
        for name, where in ADMIN:
            status = client.get(path_of(name, where, federation)).status_code
            assert status == (200 if role == "secretary" else 302), (role, name)


@db
@both
def test_every_link_on_every_page_leads_somewhere(federation: Federation) -> None:
    """What a page shows may be opened by who sees it."""
    broken = set()
    for role in ("nobody", "director", "secretary"):
        client = visitor(people(federation)[ROLES.index(role)])
        links = set()
        for name, where, _expected in PAGES:
            answer = client.get(path_of(name, where, federation))
            if answer.status_code == 200 and answer["Content-Type"].startswith("text/html"):
                links |= set(Page(answer).links)
        for link in links:
            path = link.partition("#")[0]
            if path.startswith("/static/"):  # pictures of the guide, which its own tests open
                continue
            if path.startswith("/") and client.get(path).status_code not in {200, 302}:
                broken.add((role, path))
    assert broken == set()


@db
@both
def test_an_address_that_does_not_exist_is_not_found_in_words() -> None:
    answer = visitor().get("/binario-morto/")
    assert answer.status_code == 404
    assert "This page does not exist" in Page(answer).text


@db
@both
def test_an_empty_federation_has_its_pages_too() -> None:
    """Before anything is on the books, for who comes by and for the first secretary."""
    first = create_user("s@example.org", "x", "S", datetime.now(UTC), secretary=True)
    for user in (None, first):
        client = visitor(user)
        for name, where, expected in PAGES:
            if where is nowhere and (user or expected[0] == 200):
                status = client.get(reverse(name)).status_code
                assert status == (expected[4] if user else 200), name
