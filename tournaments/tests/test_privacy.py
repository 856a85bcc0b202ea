"""What the site holds of a person, handed out whole; and a person forgotten, with what stays."""

from __future__ import annotations

import json
from collections.abc import Callable
from datetime import date
from typing import Any

import pytest
from axes.models import AccessAttempt
from django.apps import apps
from django.contrib.admin.models import LogEntry as AdminEntry
from django.contrib.contenttypes.models import ContentType
from django.contrib.sessions.models import Session
from django.db import models, transaction
from django.urls import reverse

from figf import dice, mail
from figf import services as base
from figf.errors import Refused
from figf.models import Draw, Email, EmailChange, LogEntry, User
from figf.tests.cast import (
    DAY,
    HOUR,
    MINUTE,
    NOW,
    PASSWORD,
    Cast,
    Page,
    make_cast,
    make_draft,
    make_event,
    make_federation,
    make_hall,
    make_member,
    make_past,
    make_player,
    record,
    seats_of,
    tables_of,
    visitor,
)
from rankings import services as rankings
from rankings.services import ELSEWHERE
from rankings.tests import squads
from tournaments import services
from tournaments.models import (
    Ban,
    Event,
    Merge,
    Player,
    Removal,
    Seat,
)
from tournaments.services.privacy import relations

db = pytest.mark.django_db
both = pytest.mark.both


@pytest.fixture
def cast() -> Cast:
    return make_cast()


def forget(player: Player, confirm: str = "") -> Player:
    return services.forget_player(
        player, make_cast().sara, NOW + DAY, confirm or player.surname, elsewhere=ELSEWHERE
    )


def refused(deed: Callable[[], Any]) -> str:
    with pytest.raises(Refused) as caught, transaction.atomic():
        deed()
    return caught.value.reason


def make_guest(address: str = "piera") -> User:
    """Somebody with a log-in who plays nothing now."""
    return make_member(address, "Passaggiolivello", "Piera", make_cast().sara)


# --- handed out -----------------------------------------------------------------------------------

# Each field that points to a player or to a log-in: whether its rows are his, whole. Who adds one
# decides here what of it is handed out, and, in `forget_player`, what becomes of it.
DECIDED = {
    "admin.LogEntry.user": False,
    "figf.Contribution.user": True,
    "figf.Draw.opened_by": False,
    "figf.EmailChange.user": True,
    "figf.LogEntry.actor": False,
    "figf.User_groups.user": False,
    "figf.User_user_permissions.user": False,
    "pbem.Consent.answered_by": False,
    "pbem.Game.station_master": False,
    "pbem.Move.sent_by": False,
    "pbem.Place.player": True,
    "pbem.Preference.user": True,
    "pbem.Recording.user": True,
    "rankings.Cup.by": False,
    "rankings.CupAbsence.by": False,
    "rankings.CupAbsence.player": True,
    "rankings.Honour.by": False,
    "rankings.Honour.player": True,
    "rankings.Publication.by": False,
    "rankings.PublicationLine.player": True,
    "rankings.Team.by": False,
    "rankings.TeamMember.player": True,
    "tournaments.Ban.made_by": False,
    "tournaments.Ban.player": True,
    "tournaments.Claim.decided_by": False,
    "tournaments.Claim.player": False,
    "tournaments.Claim.user": True,
    "tournaments.Entry.player": True,
    "tournaments.Event.director": False,
    "tournaments.EventFile.by": False,
    "tournaments.EventPlace.player": True,
    "tournaments.Holder.player": True,
    "tournaments.Invitation.created_by": False,
    "tournaments.Invitation.player": True,
    "tournaments.Invitation.used_by": False,
    "tournaments.Merge.by": False,
    "tournaments.Merge.gone": False,
    "tournaments.Merge.kept": False,
    "tournaments.Merge.undone_by": False,
    "tournaments.Player.merged_into": False,
    "tournaments.PlayerKey.player": True,
    "tournaments.RefereeTerm.player": True,
    "tournaments.Removal.made_by": False,
    "tournaments.Removal.player": True,
    "tournaments.Result.by": False,
    "tournaments.Result.entered_by": False,
    "tournaments.ResultLine.player": True,
    "tournaments.Table.referee": False,
}
ADDRESSES = {  # every field that holds an e-mail address
    "figf.Email.to",
    "figf.EmailChange.new_email",
    "figf.EmailChange.old_email",
    "figf.User.email",
    "tournaments.Invitation.email",
    "tournaments.Player.email",
}


def test_what_points_to_a_person_is_handed_out_or_decided_not_to_be() -> None:
    found = {f"{field.model._meta.label}.{field.name}": whole for field, whole in relations()}
    assert found == DECIDED
    pointing = {
        f"{model._meta.label}.{field.name}"
        for model in apps.get_models(include_auto_created=True)
        for field in model._meta.get_fields()
        if isinstance(field, models.ForeignKey | models.ManyToManyField)
        and field.related_model in {User, Player}
    }
    assert pointing - {"tournaments.Player.user"} == set(DECIDED)
    addresses = {
        f"{model._meta.label}.{field.name}"
        for model in apps.get_models()
        for field in model._meta.get_fields()
        if isinstance(field, models.EmailField)
    }
    assert addresses == ADDRESSES


@db
@both
def test_the_file_has_his_games_his_mails_and_all_that_names_him() -> None:
    found = make_federation()
    bruno = found.cast.bruno.player
    data = json.loads(visitor(found.cast.bruno).get(reverse("my_data")).content)
    [person] = data["person"]
    assert (person["id"], person["surname"], person["forgotten_at"]) == (bruno.pk, "Binario", None)
    [log_in] = data["log_ins"]
    assert log_in["email"] == "bruno@example.org"
    assert "password" not in log_in
    # First of the table of four with 7500.
    [result] = data["results"]
    assert (result["event"], result["title"], result["round"]) == (
        "Festa del Binario Morto",
        "1830",
        1,
    )
    assert (result["table"], result["position"], result["total"], result["place"]) == (
        1,
        1,
        7500,
        1,
    )
    rows = data["rows"]
    entries = {row["event_id"]: row["status"] for row in rows["tournaments.entry.player"]}
    assert entries == {found.event.pk: "enrolled", found.hall.pk: "waiting"}
    [place] = rows["tournaments.eventplace.player"]
    assert (place["event_id"], place["points"]) == (found.past.pk, 120)
    assert [row["total"] for row in rows["rankings.publicationline.player"]] == [12000]
    assert {row["word"] for row in rows["figf.contribution.user"]} == {"fischio", ""}
    assert [row["new_email"] for row in rows["figf.emailchange.user"]] == [
        "bruno.nuovo@example.org"
    ]
    verbs = {entry["verb"] for entry in data["log"]}
    assert {"create_user", "register_player", "decide_claim", "contribute"} <= verbs
    keys = {row["key"] for row in data["mails"]}
    assert f"draw:{found.open_draw.pk}:open:2" in keys
    assert f"draw:{found.open_draw.pk}:open:1" not in keys  # Alice's


@db
def test_the_file_has_no_secret_and_nothing_of_others() -> None:
    """Links to be pressed once are cut short: a secretary may take the file away too."""
    found = make_federation()
    cast = found.cast
    text = visitor(cast.sara).get(reverse("player_data", args=[found.unjoined.pk])).content.decode()
    assert "silvio@example.org" in text  # to whom the invitation was written
    assert found.invitation_token not in text
    assert "/inviti/…" in text
    assert "Sono io" not in text  # Dino's words, who claims to be him
    assert "dino@example.org" not in text
    text = (
        visitor(cast.sara).get(reverse("player_data", args=[cast.bruno.player.pk])).content.decode()
    )
    assert found.email_token not in text
    for somebody in ("alice@example.org", "Sara Sportello", "Carrozza"):
        assert somebody not in json.dumps(json.loads(text)["rows"])


@db
def test_an_address_that_two_have_shows_nobody_the_other_s_mails(cast: Cast) -> None:
    player = make_player("Passaggiolivello", "Piera")
    Player.objects.filter(pk=player.pk).update(email="bruno@example.org")
    assert services.person_export(Player.objects.get(pk=player.pk))["mails"] == []


@db
def test_who_was_merged_into_him_is_in_the_file_too(cast: Cast) -> None:
    kept, gone = make_player("Ponte", "Pia"), make_player("Ponte", "P.")
    services.merge_players(kept, gone, cast.sara, NOW)
    data = services.person_export(kept)
    assert [each["name"] for each in data["person"]] == ["Pia", "P."]
    assert "moved" not in json.dumps(data, default=str)


@db
def test_only_he_and_a_secretary_take_the_file(cast: Cast) -> None:
    his = reverse("player_data", args=[cast.bruno.player.pk])
    assert visitor(cast.alice).get(his).status_code == 404
    assert visitor().get(his).status_code == 302
    assert visitor(cast.dino).get(reverse("my_data")).status_code == 404
    response = visitor(cast.bruno).get(reverse("my_data"))
    assert response["Content-Disposition"].startswith("attachment")
    assert "no-store" in response["Cache-Control"]


# --- forgotten ------------------------------------------------------------------------------------


@db
@both
def test_his_name_is_nowhere_and_his_results_are(cast: Cast) -> None:
    """Each text field of the database is searched for his name, his address and his note."""
    user = make_guest()
    player = user.player
    club = services.register_club("Dopolavoro", "Valbinario", cast.sara, NOW)
    Player.objects.filter(pk=player.pk).update(
        email="piera@example.org", town="Pianetto Segreto", club=club, nationality="CH"
    )
    services.invite(make_player("Altro"), "altro@example.org", cast.sara, NOW)
    event = make_event(players=[cast.bruno.player, player, make_player("Terzo")])
    [table] = tables_of(event)
    entry = event.entries.get(player=player)
    services.amend_entry(entry, cast.alice, NOW, note="vegetariana", copies=[])
    services.start_tables(table.round, cast.alice, NOW)
    services.give_handicap(
        seats_of(table)[1], -100, "Passaggiolivello arrivata tardi", cast.alice, NOW
    )
    record(table, 7500, 7200, 6600)
    past = make_past({player: 75}, date(2026, 1, 10))
    publication = rankings.publish("ranking", cast.sara, NOW, day=NOW.date())
    draw = base.open_draw("Ordine", [cast.bruno, user], 3, NOW + HOUR, cast.sara, NOW)
    base.contribute(draw, user, "cremagliera segreta", NOW + MINUTE)
    base.reveal_draw(draw.pk, NOW + HOUR)
    base.request_email_change(user, "piera.nuova@example.org", NOW)
    mail.deliver_due(NOW + HOUR)
    mail.enqueue("late", user, "password_reset", NOW, uid="Mg", token="abc", name="Piera")
    browser = visitor(user)
    AccessAttempt.objects.create(username="piera@example.org", failures_since_start=1)
    AdminEntry.objects.create(
        user=cast.sara,
        content_type=ContentType.objects.get_for_model(User),
        object_id=str(user.pk),
        object_repr=user.name,
        action_flag=2,
    )
    services.appoint_referee(player, date(2025, 1, 1), cast.sara, NOW)
    Event.objects.filter(pk=event.pk).update(status=Event.Status.CLOSED)

    forget(Player.objects.get(pk=player.pk), "passaggiolivello")

    left = {
        f"{model._meta.label}.{field.name}: {value}"
        for model in apps.get_models()
        if model is not LogEntry
        for field in model._meta.get_fields()
        if isinstance(field, models.CharField | models.TextField | models.JSONField)
        for value in model._base_manager.values_list(field.name, flat=True)
        for word in ("passaggiolivello", "piera", "pianetto", "vegetariana", "segreta")
        if word in str(value).lower() and model is not Email
    }
    assert left == set()
    assert not Email.objects.filter(to__icontains="piera").exists()
    assert not Email.objects.filter(key="late").exists()
    # The number of a player is his key.
    player.refresh_from_db()
    name = f"Anonimo {player.pk}"
    assert (str(player), player.club, player.forgotten_at) == (name, None, NOW + DAY)
    assert Seat.objects.get(pk=seats_of(table)[1].pk).handicap_reason == f"{name} arrivata tardi"
    assert [line.total for line in player.result_lines.filter(result__state="confirmed")] == [7200]
    assert past.places.get().points == 75
    page = Page(visitor().get(publication.get_absolute_url()))
    assert name in page.text
    assert player.referee_terms.get().ends_on == date(2026, 3, 15)
    # His log-in.
    user.refresh_from_db()
    assert (user.is_active, user.name, user.has_usable_password()) == (False, name, False)
    assert not EmailChange.objects.exists()
    assert not AccessAttempt.objects.exists()
    assert not Session.objects.filter(pk=browser.session.session_key).exists()
    assert browser.get(reverse("account")).status_code == 302
    entered = visitor().post(
        reverse("login"), {"username": "piera@example.org", "password": PASSWORD}
    )
    assert entered.status_code != 302
    entry_of_log = LogEntry.objects.get(verb="forget_player")
    assert (entry_of_log.actor, entry_of_log.subject_id, entry_of_log.data) == (
        cast.sara,
        player.pk,
        {},
    )


@db
def test_a_draw_says_why_it_cannot_be_verified_any_more(cast: Cast) -> None:
    user = make_guest()
    player = user.player
    draw = base.open_draw("Ordine", [cast.bruno, user], 3, NOW + HOUR, cast.sara, NOW)
    base.reveal_draw(draw.pk, NOW + HOUR)
    address = reverse("draw", args=[draw.pk])
    assert dice.problems(Draw.objects.get(pk=draw.pk).as_receipt()) == []
    assert "asked to be forgotten" not in Page(visitor().get(address)).text
    forget(player)
    assert dice.problems(Draw.objects.get(pk=draw.pk).as_receipt()) == [dice.Problem.THROWS_DIFFER]
    assert "asked to be forgotten" in Page(visitor().get(address)).text


@db
@both
def test_who_was_merged_into_him_goes_too_and_the_merge_stands(cast: Cast) -> None:
    kept, gone = make_player("Ponte", "Pia"), make_player("Ponticello", "Pia")
    Player.objects.filter(pk=gone.pk).update(email="pia@example.org", town="Pian")
    merge = services.merge_players(kept, Player.objects.get(pk=gone.pk), cast.sara, NOW)
    assert "pia@example.org" in {
        value for each in services.person_export(kept)["person"] for value in each.values()
    }
    forget(kept)
    gone.refresh_from_db()
    assert (str(gone), gone.email, gone.town) == (f"Anonimo {gone.pk}", "", "")
    assert Merge.objects.get(pk=merge.pk).moved == []
    assert refused(lambda: services.undo_merge(merge, cast.sara, NOW)) == "forgotten"


@db
def test_he_is_held_back_by_what_is_not_over(cast: Cast) -> None:
    hall = make_hall(4)
    player = hall.entries.earliest("pk").player
    assert refused(lambda: forget(player)) == "in_open_event"
    Event.objects.filter(pk=hall.pk).update(status=Event.Status.CANCELLED)
    forget(player)
    director = make_player("Dirigente")
    services.appoint_referee(director, date(2020, 1, 1), cast.sara, NOW)
    draft = make_draft(director=director)
    assert refused(lambda: forget(director)) == "directs_open_event"
    Event.objects.filter(pk=draft.pk).update(status=Event.Status.CLOSED)
    forget(director)
    event = make_event(players=3)
    table = tables_of(event)[0]
    judge = make_player("Arbitra")
    table.referee = judge
    table.save()
    assert refused(lambda: forget(judge)) == "referees_open_event"
    member = squads.enrol(squads.make_cup(2027), "Fermata").members.get(position=1).player
    assert refused(lambda: forget(member)) == "in_open_cup"


@db
def test_a_decision_that_still_holds_keeps_his_name(cast: Cast) -> None:
    """A-18: until it is lifted, or served."""
    player = make_player("Ponte", "Pia")
    ban = services.ban(player, Ban.Scope.WEB, NOW.date(), "Delibera 3", cast.sara, NOW)
    assert refused(lambda: forget(player)) == "barred"
    services.lift_ban(ban, cast.sara, NOW)
    Removal.objects.create(
        player=player, level=Removal.Level.ALL, ruling="x", made_by=cast.sara, made_at=NOW
    )
    assert refused(lambda: forget(player)) == "barred"
    Removal.objects.update(lifted_at=NOW)
    forget(player)


@db
def test_it_takes_the_surname_and_nobody_is_forgotten_twice(cast: Cast) -> None:
    user = make_guest()
    player = user.player
    assert refused(lambda: forget(player, "Piera")) == "surname_differs"
    draw = base.open_draw("Ordine", [user], 3, NOW + HOUR, cast.sara, NOW)
    assert refused(lambda: forget(player)) == "in_open_draw"
    base.reveal_draw(draw.pk, NOW + HOUR)
    asked = services.claim(make_player("Ponte"), cast.dino, "", NOW)
    assert refused(lambda: forget(asked.player)) == "claim_open"
    forget(player)
    assert refused(lambda: forget(Player.objects.get(pk=player.pk), "Anonimo")) == "off_the_books"
    secretary = make_guest("seconda")
    User.objects.filter(pk=secretary.pk).update(is_staff=True)
    assert refused(lambda: forget(Player.objects.get(user=secretary))) == "is_secretary"


@db
def test_the_page_says_what_holds_him_back_or_asks_for_the_surname(cast: Cast) -> None:
    player = make_player("Ponte", "Pia")
    address = reverse("player_forget", args=[player.pk])
    browser = visitor(cast.sara)
    assert "confirm" in Page(browser.get(address)).boxes
    wrong = browser.post(address, {"confirm": "Ponti"})
    assert wrong.status_code == 422
    assert "Write the surname as it is on the books." in Page(wrong).text
    assert browser.post(address, {}).status_code == 422
    hall = make_hall(4)
    services.enrol(hall, player, cast.sara, NOW)
    page = Page(browser.get(address))
    assert "He is in an event that is not over: Festa del Binario Morto (2026)." in page.text
    assert "confirm" not in page.boxes
    assert browser.post(address, {"confirm": "Ponte"}).status_code == 422
    services.withdraw(hall.entries.get(player=player), cast.sara, NOW)
    done = browser.post(address, {"confirm": "ponte"}, follow=True)
    assert done.redirect_chain == [(reverse("player_list"), 302)]
    assert f"Anonimo {player.pk}" not in Page(done).text
    for stale in (
        browser.get(address, follow=True),
        browser.post(address, {"confirm": "ponte"}, follow=True),
        browser.post(reverse("player_edit", args=[player.pk]), {"do": "amend"}, follow=True),
        browser.get(reverse("player_invite", args=[player.pk]), follow=True),
    ):
        assert stale.redirect_chain == [(reverse("player_list"), 302)]
        assert f"Player {player.pk} was forgotten meanwhile." in Page(stale).text
