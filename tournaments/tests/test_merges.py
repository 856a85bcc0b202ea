"""Two players become one, and two again: what moves, what refuses, and that nothing is lost.

H-01, H-08, L-02, I-02, M-03; the sums are computed by hand beside them.
"""

from __future__ import annotations

import random
from collections.abc import Callable, Iterator
from datetime import date
from typing import Any

import pytest
from django.apps import apps
from django.db import connection, transaction
from django.test.utils import CaptureQueriesContext
from django.urls import reverse
from django.utils import translation

from figf.errors import Refused
from figf.models import Clock, LogEntry, User
from figf.tests.cast import (
    DAY,
    HOUR,
    NOW,
    Cast,
    Page,
    at_once,
    make_cast,
    make_draft,
    make_event,
    make_federation,
    make_hall,
    make_member,
    make_past,
    make_player,
    make_title,
    meanwhile,
    record,
    reread,
    seats_of,
    tables_of,
    visitor,
)
from rankings import services as rankings
from rankings.models import Cup
from rankings.services import ELSEWHERE, Stage
from rankings.tests import cups, squads
from tournaments import services
from tournaments.models import (
    Entry,
    Event,
    EventPlace,
    Holder,
    Merge,
    Player,
    PlayerKey,
    Season,
    Table,
)
from tournaments.services.merges import pointing_to

db = pytest.mark.django_db
both = pytest.mark.both


@pytest.fixture
def cast() -> Cast:
    return make_cast()


@pytest.fixture(autouse=True)
def english() -> Iterator[None]:
    with translation.override("en"):
        yield


def merge(kept: Player, gone: Player, **more: Any) -> Merge:
    return services.merge_players(
        kept, gone, make_cast().sara, NOW + DAY, elsewhere=ELSEWHERE, **more
    )


def undo(made: Merge) -> Merge:
    return services.undo_merge(made, make_cast().sara, NOW + 2 * DAY, elsewhere=ELSEWHERE)


def refused(deed: Callable[[], Any]) -> str:
    with pytest.raises(Refused) as caught, transaction.atomic():
        deed()
    return caught.value.reason


def everything() -> dict[str, list[Any]]:
    """Every row of every table, but for the merges, the log and the clocks."""
    apart = {Merge, LogEntry, Clock}
    models = [each for each in apps.get_models(include_auto_created=True) if each not in apart]
    return {
        each._meta.label: list(each._base_manager.order_by("pk").values_list()) for each in models
    }


def sitting(table: Table, n: int) -> Player:
    player = seats_of(table)[n].holder().player
    assert player is not None
    return player


def fresh(player: Player) -> Player:
    return Player.objects.get(pk=player.pk)


# --- what moves -----------------------------------------------------------------------------------


@db
@both
def test_the_ranking_of_the_one_is_the_sum_of_the_two(cast: Cast) -> None:
    """H-01: 75 points of one event and 54 of another are 129, and put him before Bruno's 100."""
    mario, maria = make_player("Vagone", "Mario"), make_player("Vagone", "M.")
    bruno = cast.bruno.player
    make_past({mario: 75, bruno: 60}, date(2026, 1, 10), name="Raduno A")
    make_past({maria: 54, bruno: 40}, date(2026, 2, 10), name="Raduno B")
    before = [(row.player, row.points) for row in rankings.ranking_on(NOW.date()).rows]
    assert before == [(bruno, 100), (mario, 75), (maria, 54)]
    made = merge(mario, maria)
    after = [(row.player, row.points) for row in rankings.ranking_on(NOW.date()).rows]
    assert after == [(mario, 129), (bruno, 100)]
    undo(made)
    assert [(row.player, row.points) for row in rankings.ranking_on(NOW.date()).rows] == before


@db
@both
def test_games_enrolments_and_orders_go_to_the_one_who_stays(cast: Cast) -> None:
    event = make_event(players=3)
    [table] = tables_of(event)
    record(table, 7500, 7200, 6600)
    gone = sitting(table, 1)
    kept = make_player("Passeggiero", "Uno")
    order = list(table.round.order_used)
    merge(kept, gone)
    table = reread(table)
    assert seats_of(table)[1].holder().player == kept
    assert table.results.get().lines.get(seat=seats_of(table)[1]).player == kept
    assert table.round.order_used == [kept.pk if pk == gone.pk else pk for pk in order]
    assert event.entries.get(player=kept).status == Entry.Status.ENROLLED
    assert not event.entries.filter(player=gone).exists()
    gone = fresh(gone)
    assert (gone.merged_into, kept.merges.get().gone) == (kept, gone)
    assert gone not in Player.objects.on_the_books()
    assert PlayerKey.objects.get(key=gone.key).player == kept
    entry = LogEntry.objects.get(verb="merge_players")
    assert (entry.actor, entry.subject_id) == (cast.sara, kept.pk)
    assert entry.data == {"gone": gone.pk, "merge": kept.merges.get().pk}


@db
def test_no_row_of_the_site_is_left_with_who_is_gone(cast: Cast) -> None:
    """Whatever model points to a player, but for the documents and the merge itself."""
    make_federation()
    squads.enrolling(make_federation_again())
    for gone in Player.objects.on_the_books():
        kept = make_player("Respingente", f"Numero {gone.pk}")
        with transaction.atomic():
            merge(kept, gone, closed=True)
            for field in pointing_to(Player):
                if field.model is not Merge:
                    rows = field.model._base_manager.filter(**{field.name: gone})
                    assert not rows.exists(), (gone, field)
            transaction.set_rollback(True)


def make_federation_again() -> Any:
    """What `squads` wants of a federation: an event and the cast."""

    class Found:
        cast = make_cast()
        event = Event.objects.filter(season__year=2026).earliest("pk")

    return Found


@db
@both
def test_he_takes_the_log_in_and_what_he_lacked(cast: Cast) -> None:
    club = services.register_club("Dopolavoro", "Valbinario", cast.sara, NOW)
    user = make_member("rita", "Rotaia", "Rita", cast.sara)
    gone = user.player
    Player.objects.filter(pk=gone.pk).update(email="rita@example.org", town="Pian", club=club)
    kept = services.register_player("Rotaia", "R.", cast.sara, NOW, town="Stazione Alta")
    made = merge(kept, fresh(gone))
    kept = fresh(kept)
    assert (kept.user, kept.email, kept.town) == (user, "rita@example.org", "Stazione Alta")
    assert (kept.club, User.objects.get(pk=user.pk).name) == (club, "R. Rotaia")
    assert fresh(gone).user is None
    undo(made)
    kept, gone = fresh(kept), fresh(gone)
    assert (kept.user, kept.email, kept.club) == (None, "", None)
    assert gone.user == user
    assert User.objects.get(pk=user.pk).name == "Rita Rotaia"


@db
def test_an_open_invitation_is_withdrawn_and_undoing_opens_it(cast: Cast) -> None:
    kept, gone = make_player("Rotaia", "Rita"), make_player("Rotaia", "R.")
    invitation = services.invite(gone, "rita@example.org", cast.sara, NOW)
    made = merge(kept, gone)
    invitation.refresh_from_db()
    assert (invitation.player, invitation.withdrawn_at) == (kept, NOW + DAY)
    undo(made)
    invitation.refresh_from_db()
    assert (invitation.player, invitation.withdrawn_at) == (gone, None)


@db
def test_terms_as_referee_that_overlap_stay_with_who_is_gone(cast: Cast) -> None:
    kept, gone = make_player("Rotaia", "Rita"), make_player("Rotaia", "R.")
    for player, starts, ends in [
        (kept, date(2020, 1, 1), date(2021, 12, 31)),
        (gone, date(2021, 12, 31), date(2022, 6, 30)),  # one day in common
        (gone, date(2023, 1, 1), None),
    ]:
        services.appoint_referee(player, starts, cast.sara, NOW, ends_on=ends)
    merge(kept, gone)
    assert [t.starts_on.year for t in kept.referee_terms.order_by("starts_on")] == [2020, 2023]
    assert [t.starts_on.year for t in gone.referee_terms.all()] == [2021]


@db
def test_of_two_enrolments_in_one_event_the_used_one_stays(cast: Cast) -> None:
    """Whoever of the two it was of; the other one comes back as it was, with what it said."""
    title = make_title("1830")
    for kept_sits in (True, False):
        kept, gone = make_player("Ponte", "Pia"), make_player("Ponte", "P.")
        sits, absent = (kept, gone) if kept_sits else (gone, kept)
        event = make_hall(4, name=f"Sala {kept_sits}")
        used = services.enrol(event, sits, cast.alice, NOW, present=True)
        other = services.enrol(event, absent, cast.alice, NOW, note="arrivo tardi", copies=[title])
        made = merge(kept, gone)
        entry = event.entries.get(player__in=(kept, gone))
        assert (entry.pk, entry.player, entry.present) == (used.pk, kept, True)
        undo(made)
        back = Entry.objects.get(pk=other.pk)
        assert (back.player, back.note, list(back.copies.all())) == (
            absent,
            "arrivo tardi",
            [title],
        )
        assert Entry.objects.get(pk=used.pk).player == sits


@db
def test_a_publication_in_which_both_stand_is_left_as_it_was(cast: Cast) -> None:
    kept, gone = make_player("Ponte", "Pia"), make_player("Ponte", "P.")
    make_past({kept: 75}, date(2026, 1, 10), name="Raduno A")
    first = rankings.publish("ranking", cast.sara, NOW, day=NOW.date())
    make_past({gone: 54}, date(2026, 2, 10), name="Raduno B")
    second = rankings.publish("ranking", cast.sara, NOW + HOUR, day=NOW.date())
    merge(kept, gone)
    assert [line.player for line in first.lines.all()] == [kept]
    assert [(line.player, line.total) for line in second.lines.order_by("place")] == [
        (kept, 7500),
        (gone, 5400),
    ]
    page = Page(visitor().get(second.get_absolute_url()))
    assert "Ponte Pia" in page.text
    assert "Ponte P." in page.text


@db
def test_the_ten_of_a_supercoppa_are_called_by_the_id_of_who_stays(cast: Cast) -> None:
    """I-02: the field, frozen with the promise of the dice, has the same order."""
    cup = cups.make_supercoppa(2026, Stage.FINAL)
    [gone] = Player.objects.filter(surname="Passeggero 09")
    kept = make_player("Passegero 09")
    was = [row["player"] for row in cup.frozen["field"]]
    finalists = [each.player.pk for each in rankings.supercoppa_of(cup, NOW).finalists]
    made = merge(kept, gone, closed=True)
    cup = Cup.objects.get(pk=cup.pk)
    swapped = [kept.pk if pk == gone.pk else pk for pk in was]
    assert [row["player"] for row in cup.frozen["field"]] == swapped
    state = rankings.supercoppa_of(cup, NOW)
    assert [each.player.pk for each in state.finalists] == [
        kept.pk if pk == gone.pk else pk for pk in finalists
    ]
    assert not state.outdated
    undo(made)
    assert [row["player"] for row in Cup.objects.get(pk=cup.pk).frozen["field"]] == was


# --- what refuses ---------------------------------------------------------------------------------


@db
@both
def test_who_sat_in_one_round_is_two_people(cast: Cast) -> None:
    """At one table, at two tables of it, or one in the other's place: the refusal says where."""
    event = make_event(players=10, sizes=(5, 5))
    one, other = tables_of(event)
    a, b = (sitting(one, n) for n in (1, 2))
    c = sitting(other, 1)
    for gone in (b, c):
        with pytest.raises(Refused) as caught:
            merge(a, gone)
        assert caught.value.reason == "sat_together"
        assert str(caught.value.text) == (
            "Both sat in the same round: Festa del Binario Morto (2026), 1830, round 1."
        )
    new = make_player("Subentrante")
    services.start_tables(one.round, cast.alice, NOW)
    services.hand_over(seats_of(one)[1], new, Holder.Why.SUBSTITUTE, cast.alice, NOW)
    assert refused(lambda: merge(new, a)) == "sat_together"
    assert not Merge.objects.exists()


@db
def test_places_in_the_standing_of_one_event_are_of_two_people() -> None:
    kept, gone = make_player("Ponte", "Pia"), make_player("Ponte", "P.")
    make_past({kept: 75, gone: 54}, date(2026, 1, 10))
    assert refused(lambda: merge(kept, gone)) == "same_event"


@db
def test_two_log_ins_are_refused_until_one_is_switched_off(cast: Cast) -> None:
    one, other = (make_member(f"p{n}", "Ponte", f"P{n}", cast.sara) for n in (1, 2))
    kept, gone = one.player, other.player
    assert refused(lambda: merge(kept, gone)) == "two_log_ins"
    User.objects.filter(pk=other.pk).update(is_active=False)
    assert refused(lambda: merge(gone, kept)) == "two_log_ins"
    merge(kept, gone)
    assert (fresh(kept).user, fresh(gone).user) == (one, other)


@db
def test_the_referee_of_a_table_did_not_sit_at_it(cast: Cast) -> None:
    """M-03."""
    [table] = tables_of(make_event(players=3))
    assert table.referee == cast.judge
    player = sitting(table, 1)
    assert refused(lambda: merge(cast.judge, player)) == "referees_own_table"
    assert refused(lambda: merge(player, cast.judge)) == "referees_own_table"


@db
def test_members_of_two_teams_of_a_championship_are_two_people() -> None:
    """L-02."""
    cup = squads.make_cup(2027)
    one, other = (squads.enrol(cup, name) for name in ("Fermata Alta", "Fermata Bassa"))
    a, b = (team.members.get(position=1).player for team in (one, other))
    assert refused(lambda: merge(a, b)) == "two_teams"
    c = one.members.get(position=2).player  # of the same team
    assert refused(lambda: merge(a, c)) == "two_teams"


@db
def test_nobody_merges_with_himself_nor_with_who_is_off_the_books() -> None:
    a, b, c = (make_player("Ponte", name) for name in "ABC")
    assert refused(lambda: merge(a, a)) == "same_player"
    merge(a, b)
    assert refused(lambda: merge(c, fresh(b))) == "off_the_books"
    assert refused(lambda: merge(fresh(b), c)) == "off_the_books"


@db
@both
def test_the_standing_of_a_closed_season_changes_only_for_who_knows_it(cast: Cast) -> None:
    """H-08: 75 and 54 of two events of 2025 become one row, 129 in the ranking."""
    kept, gone = make_player("Ponte", "Pia"), make_player("Ponte", "P.")
    make_past({kept: 75}, date(2025, 5, 10), name="Raduno A")
    past = make_past({gone: 54}, date(2025, 9, 10), name="Raduno B")
    assert services.merge_preview(kept, gone).seasons == ()
    season = rankings.close_season(past.season, cast.sara, NOW)
    assert services.merge_preview(kept, gone).seasons == (season,)
    assert refused(lambda: merge(kept, gone)) == "closed_seasons"
    assert fresh(gone).merged_into is None
    merge(kept, gone, closed=True)
    [row] = rankings.absolute_of(Season.objects.get(pk=season.pk)).rows
    assert (row.player, row.row.scores) == (kept, (75, 54))
    assert rankings.ranking_before(NOW.date()).points == {kept.pk: 129}


# --- undone ---------------------------------------------------------------------------------------


@db
@both
def test_undone_every_row_of_the_database_is_what_it_was() -> None:
    """Whoever the two are: twenty pairs of a federation with cups, teams, results and history."""
    found = make_federation()
    squads.enrolling(found)
    squads.playing(found)
    cups.make_supercoppa(2022, Stage.WINNER)
    people = list(Player.objects.order_by("pk"))
    dice = random.Random(1830)
    done = 0
    before = everything()
    for _n in range(200):
        kept, gone = dice.sample(people, 2)
        try:
            with transaction.atomic():
                made = merge(kept, gone, closed=True)
        except Refused:
            assert everything() == before
            continue
        assert everything() != before
        undo(made)
        assert everything() == before, (kept, gone)
        done += 1
        if done == 20:
            break
    assert done == 20
    assert Merge.objects.exclude(undone_at=None).count() == 20


@db
def test_it_is_not_undone_once_something_that_moved_has_changed(cast: Cast) -> None:
    kept, gone = make_player("Ponte", "Pia"), make_player("Ponte", "P.")
    event = make_hall(4)
    entry = services.enrol(event, gone, cast.alice, NOW)
    made = merge(kept, gone)
    Entry.objects.filter(pk=entry.pk).update(note="cambiata")
    with pytest.raises(Refused) as caught:
        undo(made)
    assert caught.value.reason == "changed"
    assert str(caught.value.text).endswith(
        f": {str(Entry._meta.verbose_name_plural).capitalize()}."
    )
    Entry.objects.filter(pk=entry.pk).delete()
    assert refused(lambda: undo(made)) == "changed"
    assert fresh(gone).merged_into == kept


@db
def test_an_event_that_he_directs_may_go_on_and_the_merge_still_be_undone(cast: Cast) -> None:
    kept, gone = make_player("Ponte", "Pia"), make_player("Ponte", "P.")
    services.appoint_referee(gone, date(2020, 1, 1), cast.sara, NOW)
    event = make_draft(director=gone)
    made = merge(kept, gone)
    event = services.amend_event(Event.objects.get(pk=event.pk), cast.sara, NOW, town="Altrove")
    assert event.director == kept
    undo(made)
    event.refresh_from_db()
    assert (event.director, event.town) == (gone, "Altrove")


@db
def test_what_came_since_stays_with_who_stayed(cast: Cast) -> None:
    kept, gone = make_player("Ponte", "Pia"), make_player("Ponte", "P.")
    made = merge(kept, gone)
    entry = services.enrol(make_hall(4), kept, cast.alice, NOW)
    undo(made)
    entry.refresh_from_db()
    assert entry.player == kept
    assert fresh(gone) in Player.objects.on_the_books()
    assert not PlayerKey.objects.exists()
    assert refused(lambda: undo(made)) == "undone"


@db
@both
def test_a_table_corrected_since_is_not_split_between_the_two(cast: Cast) -> None:
    """C-15: the new version's line is of who stayed, on a seat that would go back."""
    [table] = tables_of(make_event(players=3))
    record(table, 7500, 7200, 6600)
    gone, kept = sitting(table, 1), make_player("Passeggiero", "Uno")
    made = merge(kept, gone)
    record(reread(table), 7500, 7300, 6600, version=1, reason="Conti rifatti", now=NOW + DAY)
    with pytest.raises(Refused) as caught:
        undo(made)
    assert caught.value.reason == "changed"
    assert str(caught.value.text).endswith(": Lines of results.")
    seat = seats_of(reread(table))[1]
    assert {seat.holder().player, *(line.player for line in seat.lines.all())} == {kept}


@db
@both
def test_a_correction_where_who_stayed_sat_himself_does_not_hinder(cast: Cast) -> None:
    """At a table of another event; and of the same one, where the two were enrolled in turn."""
    [own] = tables_of(make_event(players=3, name="Festa Sua"))
    record(own, 7500, 7200, 6600)
    kept = sitting(own, 1)
    [table] = tables_of(make_event(players=3))
    record(table, 7500, 7200, 6600)
    gone = sitting(table, 2)
    title = make_title("1830")
    second = services.add_prova(table.event, title, cast.sara, NOW)
    others = [sitting(table, n) for n in (0, 1)]
    services.enrol(table.event, kept, cast.alice, NOW)
    services.seat_round(second, 1, [[kept, *others]], cast.alice, NOW, referees=[cast.judge])
    later = tables_of(table.event)[1]
    record(later, 7500, 7200, 6600)
    made = merge(kept, gone)
    for each in (own, later):
        record(reread(each), 7500, 7300, 6600, version=1, reason="Conti", now=NOW + DAY)
    undo(made)
    assert sitting(reread(table), 2) == gone
    assert {line.player for line in seats_of(reread(later))[0].lines.all()} == {kept}
    assert {line.player for line in seats_of(reread(own))[1].lines.all()} == {kept}


@db
def test_a_round_seated_since_in_an_event_he_was_enrolled_in_hinders(cast: Cast) -> None:
    """The enrolment would go back, and the seat would stay."""
    kept, gone = make_player("Ponte", "Pia"), make_player("Ponte", "P.")
    event = make_event(players=[cast.bruno.player, gone, make_player("Terzo")])
    made = merge(kept, gone)
    prova = services.add_prova(event, make_title("1830"), cast.sara, NOW)
    rows = [[cast.bruno.player, kept, sitting(tables_of(event)[0], 2)]]
    services.seat_round(prova, 1, rows, cast.alice, NOW + DAY, referees=[cast.judge])
    with pytest.raises(Refused) as caught:
        undo(made)
    assert str(caught.value.text).endswith(": Seats at tables.")


@db
def test_a_season_closed_since_hinders_until_it_is_open_again(cast: Cast) -> None:
    """H-08: its places are of who stayed, and the seats would go back."""
    kept, gone = make_player("Ponte", "Pia"), make_player("Ponte", "P.")
    event = make_event(players=[cast.bruno.player, gone, make_player("Terzo")])
    made = merge(kept, gone)
    EventPlace.objects.create(event=event, player=kept, place=1)
    assert refused(lambda: undo(made)) == "changed"
    EventPlace.objects.all().delete()
    undo(made)


@db
def test_merges_are_undone_the_last_first() -> None:
    a, b, c = (make_player("Ponte", name) for name in "ABC")
    first = merge(b, c)
    second = merge(a, fresh(b))
    assert fresh(c).merged_into == a  # whoever was merged finds the one who is on the books
    assert sorted(a.other_keys.values_list("key", flat=True)) == sorted([b.key, c.key])
    assert refused(lambda: undo(first)) == "later_merge"
    undo(second)
    assert fresh(c).merged_into == b
    undo(first)
    assert fresh(c).merged_into is None


@db(transaction=True)
def test_merged_by_two_at_once_he_goes_to_one_of_them() -> None:
    a, b, c = (make_player("Ponte", name) for name in "ABC")
    outcome = at_once(lambda: merge(a, c), lambda: merge(b, c))
    refusals = [each.reason for each in outcome if isinstance(each, Refused)]
    assert refusals == ["off_the_books"]
    assert Merge.objects.count() == 1


@db(transaction=True)
def test_who_is_being_merged_away_is_enrolled_no_more(cast: Cast) -> None:
    """The enrolment waits for the merge, and is then refused: nothing is left behind."""
    kept, gone = make_player("Ponte", "Pia"), make_player("Ponte", "P.")
    hall = make_hall(4)
    outcome = meanwhile(
        lambda: merge(kept, gone), lambda: services.enrol(hall, gone, cast.alice, NOW)
    )
    assert isinstance(outcome, Refused)
    assert outcome.reason == "off_the_books"
    assert not gone.entries.exists()


@db
@both
def test_nothing_is_done_with_who_is_gone(cast: Cast) -> None:
    kept, gone = make_player("Ponte", "Pia"), make_player("Ponte", "P.")
    hall = make_hall(4)
    merge(kept, gone)
    for deed in (
        lambda: services.enrol(hall, gone, cast.alice, NOW),
        lambda: services.invite(gone, "pia@example.org", cast.sara, NOW),
        lambda: services.claim(gone, cast.dino, "", NOW),
        lambda: services.amend_player(
            gone,
            services.as_seen(gone),
            cast.sara,
            NOW,
            surname="Ponte",
            name="Pina",
            club=None,
            town="",
            nationality="IT",
            email="",
        ),
    ):
        assert refused(deed) == "off_the_books"


# --- nobody finds him any more --------------------------------------------------------------------


@db
def test_who_is_gone_is_found_by_no_name(cast: Cast) -> None:
    kept, gone = make_player("Ponte", "Pia"), make_player("Pontello", "Ugo")
    services.appoint_referee(kept, date(2020, 1, 1), cast.sara, NOW)
    services.appoint_referee(gone, date(2020, 1, 1), cast.sara, NOW)
    hall = make_hall(4)
    merge(kept, gone)
    assert services.alike_players("Pontello", "Ugo") == []
    browser = visitor(cast.sara)
    for address in (
        reverse("player_list"),
        reverse("player_csv"),
        reverse("referee_list"),
        reverse("event_new"),
        reverse("honour_new"),
        reverse("roll_call", args=[hall.pk]) + "?cerca=pontello",
    ):
        assert "Pontello Ugo" not in browser.get(address).content.decode(), address
    assert "Pontello" not in Page(visitor(cast.dino).get(reverse("claim"))).text
    page = browser.get(reverse("player_edit", args=[gone.pk]), follow=True)
    assert page.redirect_chain == [(reverse("player_list"), 302)]


# --- the pages ------------------------------------------------------------------------------------


@db
def test_the_page_of_who_is_there_twice_shows_the_pairs_and_the_merges(cast: Cast) -> None:
    a, b = make_player("Ponte", "Pia"), make_player("Ponte", "P.")
    make_player("Ponticello", "Ugo")
    browser = visitor(cast.sara)
    page = Page(browser.get(reverse("duplicates")))
    together = [link for link in page.links if "/unisci/" in link]
    assert together in ([f"/giocatori/{x.pk}/unisci/{y.pk}/"] for x, y in ((a, b), (b, a)))
    assert "Nobody has been merged yet." in page.text
    made = merge(a, b)
    page = Page(browser.get(reverse("duplicates")))
    assert not [link for link in page.links if "/unisci/" in link]
    assert f"Ponte P., no. {b.pk} Ponte Pia, no. {a.pk}" in page.text
    done = browser.post(reverse("merge_undo", args=[made.pk]), follow=True)
    assert "Ponte Pia and Ponte P. are two again." in Page(done).text
    again = browser.post(reverse("merge_undo", args=[made.pk]), follow=True)
    assert "This merge was undone already." in Page(again).text
    assert "by Sara Sportello" in Page(again).text


@db
def test_any_two_are_chosen_by_name(cast: Cast) -> None:
    a, b = make_player("Ponte", "Pia"), make_player("Viadotto", "Ugo")
    browser, address = visitor(cast.sara), reverse("duplicates")
    chosen = browser.get(address, {"uno": a.pk, "altro": b.pk})
    assert chosen.headers["location"] == reverse("player_merge", args=[a.pk, b.pk])
    for uno, altro in ((a.pk, a.pk), (a.pk, ""), ("x", 0), (a.pk, 99999)):
        assert browser.get(address, {"uno": uno, "altro": altro}).status_code == 422
    assert browser.get(address, {"uno": a.pk}).status_code == 200


@db
def test_two_are_merged_on_their_page(cast: Cast) -> None:
    a, b = make_player("Ponte", "Pia"), make_player("Ponte", "P.")
    make_past({a: 75}, date(2025, 5, 10), name="Raduno A")
    past = make_past({b: 54}, date(2025, 9, 10), name="Raduno B")
    rankings.close_season(past.season, cast.sara, NOW)
    browser, address = visitor(cast.sara), reverse("player_merge", args=[a.pk, b.pk])
    page = Page(browser.get(address))
    assert "Places in events: 1" in page.text
    assert "closed seasons, which would change: 2025." in page.text
    for data in (
        {},
        {"resta": ""},
        {"resta": cast.bruno.player.pk},
        {"resta": "x"},
        {"resta": b.pk},
    ):
        response = browser.post(address, data)
        assert response.status_code == 422
        assert "Nothing was merged" in Page(response).text
    assert not Merge.objects.exists()
    done = browser.post(address, {"resta": b.pk, "closed": "on"}, follow=True)
    assert "They are one: Ponte P." in Page(done).text
    assert (Merge.objects.get().kept, Merge.objects.get().gone) == (b, a)
    stale = browser.post(address, {"resta": b.pk}, follow=True)  # another tab was open
    assert stale.redirect_chain == [(reverse("duplicates"), 302)]
    assert "Ponte Pia was merged into Ponte P. meanwhile." in Page(stale).text
    assert Merge.objects.count() == 1


@db
def test_two_namesakes_are_told_apart(cast: Cast) -> None:
    club = services.register_club("Dopolavoro", "Valbinario", cast.sara, NOW)
    a, b = make_player("Ponte", "Pia"), make_player("Viadotto", "Ugo")
    Player.objects.update(town="Pian del Treno")
    Player.objects.filter(pk=a.pk).update(club=club)
    Player.objects.filter(pk=b.pk).update(surname="Ponte", name="Pia")
    browser = visitor(cast.sara)
    told = f"Ponte Pia, Dopolavoro, no. {a.pk}", f"Ponte Pia, Pian del Treno, no. {b.pk}"
    together = reverse("player_merge", args=[a.pk, b.pk])
    for address in (reverse("duplicates"), together):
        text = Page(browser.get(address)).text
        assert [name for name in told if name not in text] == [], address
    merge(fresh(a), fresh(b))
    text = Page(browser.get(reverse("duplicates"))).text
    assert f"Ponte Pia, Pian del Treno, no. {b.pk} {told[0]}" in text


@db
def test_two_who_sat_together_have_no_button(cast: Cast) -> None:
    [table] = tables_of(make_event(players=3))
    a, b = (sitting(table, n) for n in (0, 1))
    browser, address = visitor(cast.sara), reverse("player_merge", args=[a.pk, b.pk])
    page = Page(browser.get(address))
    assert "Both sat in the same round: Festa del Binario Morto (2026), 1830, round 1." in page.text
    assert "resta" not in page.boxes
    response = browser.post(address, {"resta": a.pk})
    assert response.status_code == 422
    assert not Merge.objects.exists()
    assert browser.get(reverse("player_merge", args=[a.pk, a.pk])).status_code == 404


@db
def test_the_pages_queries_do_not_grow(
    cast: Cast,
) -> None:
    def queries(address: str) -> int:
        browser = visitor(cast.sara)
        browser.get(address)
        with CaptureQueriesContext(connection) as caught:
            assert browser.get(address).status_code == 200
        return len(caught)

    a, b = make_player("Ponte", "Pia"), make_player("Ponte", "P.")

    def grow(n: int) -> None:
        one, other = make_player("Ponte", f"Pia {n}"), make_player("Tratto", f"Ugo {n}")
        merge(one, other)
        make_past({a: 75, one: 54}, date(2026, 1, 1 + 2 * n), name=f"Raduno A{n}")
        make_past({b: 75, one: 54}, date(2026, 1, 2 + 2 * n), name=f"Raduno B{n}")
        for player, day in ((a, date(2001 + n, 1, 1)), (b, date(2001 + n, 6, 1))):
            services.appoint_referee(player, day, cast.sara, NOW, ends_on=day + DAY)

    pages = reverse("duplicates"), reverse("player_merge", args=[a.pk, b.pk])
    grow(0)
    few = [queries(page) for page in pages]
    for n in range(1, 6):
        grow(n)
    assert [queries(page) for page in pages] == few
