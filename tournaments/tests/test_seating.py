"""Who sits where, through the services: the vectors' season, each verb and its refusals."""

from __future__ import annotations

import json
from datetime import date, timedelta
from pathlib import Path
from typing import Any

import pytest

from figf.errors import Refused
from figf.models import Email, LogEntry, User
from figf.tests.cast import (
    DAY,
    NOW,
    Cast,
    at_once,
    make_cast,
    make_hall,
    make_member,
    make_player,
    make_season,
    meanwhile,
    record,
    seats_of,
    tables_of,
)
from tournaments import services
from tournaments.models import (
    Entry,
    Event,
    Holder,
    Player,
    Prova,
    Removal,
    Round,
    Seat,
    Table,
    Title,
)

pytestmark = pytest.mark.django_db
both = pytest.mark.both
threads = pytest.mark.django_db(transaction=True)

VECTORS: dict[str, Any] = json.loads(
    Path(__file__).with_name("figf_vectors.json").read_text(encoding="utf-8")
)
SEASON = VECTORS["season"]


@pytest.fixture
def cast() -> Cast:
    return make_cast()


# --- arranging ------------------------------------------------------------------------------------


def hall(cast: Cast, players: int = 19, **how: Any) -> tuple[Event, list[Player]]:
    """An event with everybody here, and its players in alphabetical order."""
    name = f"Festa del Binario {Event.objects.count() + 1}"
    event = make_hall(players, name=name, **how)
    return event, [entry.player for entry in event.entries.with_people()]


def draw(event: Event, ranking: dict[int, int] | None = None, **how: Any) -> Round:
    number = how.pop("number", 1)
    prova = how.pop("prova", None) or event.prove.get(order=1)
    by = how.pop("by", make_cast().alice)
    return services.draw_round(prova, number, ranking or {}, NOW.date(), by, NOW, **how)


def names_at(seated: Round) -> list[list[str]]:
    """Who sits at each table, by the last two letters of the surname, in seat order."""
    return [
        [str(seat.holder().player)[-2:] for seat in table.seats.all()]
        for table in Round.objects.with_seating().get(pk=seated.pk).tables.all()
    ]


def seat_named(seated: Round, name: str) -> Seat:
    return Seat.objects.get(table__round=seated, holders__player__surname__endswith=name)


def refusal(deed: Any) -> Refused:
    with pytest.raises(Refused) as raised:
        deed()
    return raised.value


# --- the season of the vectors --------------------------------------------------------------------


class Season:
    """Drives the events of the vectors through the services, as a director would."""

    def __init__(self, cast: Cast) -> None:
        self.cast = cast
        self.year = make_season(2006)
        self.director = make_player("Capoclassifica", "Ugo")
        services.appoint_referee(self.director, date(2000, 1, 1), cast.sara, NOW)
        people = SEASON["players"]
        self.players = {p["id"]: make_player(p["surname"], p["name"]) for p in people}
        self.ids = {player.pk: name for name, player in self.players.items()}
        self.titles = {
            code: Title.objects.filter(code=code).first()
            or services.register_title(code, code, seats["min"], seats["max"], cast.sara, NOW)
            for code, seats in SEASON["titles"].items()
        }
        states = [None, *(event["id"] for event in SEASON["events"])]
        self.rankings = {
            state["after"]: {
                self.players[line["player"]].pk: line["points"] for line in state["ranking"]
            }
            for state in SEASON["rankings"]
            if state["after"] in states
        }

    def play(self, told: dict[str, Any], number: int, before: str | None) -> list[Any]:
        """Seat and play one event; returns what it seated, as the vectors write it."""
        day = date(2006, 1, 7) + timedelta(days=28 * number)
        event = services.create_event(
            self.year,
            told["name"],
            day,
            day + DAY,
            self.cast.sara,
            NOW,
            kind="pbem" if "pbem" in told["name"] else "live",
            director=self.director,
        )
        for prova in told["prove"]:
            title = self.titles[prova["title"]]
            rounds = len(prova["rounds"])
            services.add_prova(event, title, self.cast.sara, NOW, rounds=rounds)
        event = services.set_status(event, Event.Status.ENROLLING, self.cast.sara, NOW)
        return [
            self.round(event, event.prove.get(order=order), n, plan, self.rankings[before])
            for order, prova in enumerate(told["prove"], start=1)
            for n, plan in enumerate(prova["rounds"], start=1)
        ]

    def round(
        self, event: Event, prova: Prova, number: int, plan: Any, ranking: dict[int, int]
    ) -> list[list[str]]:
        self.call(event, {self.players[name].pk for name in plan["order"]})
        draft = draw(event, ranking, prova=prova, number=number)
        seated = services.publish_round(draft, draft.edition, self.cast.alice, NOW)
        found = Round.objects.with_seating().get(pk=seated.pk)
        for table, played in zip(found.tables.all(), plan["tables"], strict=True):
            self.result(table, played["seats"])
        return [
            [
                self.ids[Holder.objects.filter(seat=seat).earliest("pk").player_id or 0]
                for seat in table.seats.all()
            ]
            for table in found.tables.all()
        ]

    def call(self, event: Event, coming: set[int]) -> None:
        """Tick who plays the next round: enrol who is new, let go who does not come back."""
        for entry in event.entries.filter(present=True).exclude(player__in=coming):
            services.withdraw(entry, self.cast.sara, NOW)
        for pk in sorted(coming - set(event.entries.values_list("player_id", flat=True))):
            player = Player.objects.get(pk=pk)
            services.enrol(event, player, self.cast.alice, NOW, present=True)

    def result(self, table: Table, played: list[dict[str, Any]]) -> None:
        for seat, told in zip(seats_of(table), played, strict=True):
            if told.get("excluded"):
                Removal.objects.create(
                    player=self.players[told["player"]],
                    level="game",
                    table=table,
                    ruling="12.13",
                    made_by=self.cast.alice,
                    made_at=NOW,
                )
            if told.get("cinderella"):
                seat.holders.update(why="cinderella")
            if told.get("handicap"):
                Seat.objects.filter(pk=seat.pk).update(
                    handicap=told["handicap"], handicap_reason="12.13"
                )
            if "replaces" in told:
                seat.holders.update(ends_at=NOW)
                referee = bool(told.get("unscored"))
                Holder.objects.create(
                    seat=seat,
                    player=None if referee else self.players[told["player"]],
                    why="referee" if referee else "substitute",
                    starts_at=NOW,
                )
        table = Table.objects.with_everything().get(pk=table.pk)
        record(table, *(told["total"] for told in played), tie_checked=True)


def test_the_eight_events_of_the_season_are_seated_as_the_vectors_say(cast: Cast) -> None:
    """B-01, B-02, B-03, B-05, B-08, B-11..B-14: seventeen rounds, each seat in its order."""
    season = Season(cast)
    before = None
    for number, told in enumerate(SEASON["events"]):
        expected = [
            [
                [seat.get("replaces", seat["player"]) for seat in table["seats"]]
                for table in played["tables"]
            ]
            for prova in told["prove"]
            for played in prova["rounds"]
        ]
        assert season.play(told, number, before) == expected, told["id"]
        before = told["id"]


# --- forming the tables ---------------------------------------------------------------------------


@both
def test_nineteen_players_get_three_tables_of_five_and_one_of_four(cast: Cast) -> None:
    """The example of 000:64; nobody is ranked, so everybody sits by surname (B-09)."""
    event, _people = hall(cast)
    draft = draw(event)
    assert names_at(draft) == [
        ["01", "02", "03", "04", "05"],
        ["06", "07", "08", "09", "10"],
        ["11", "12", "13", "14", "15"],
        ["16", "17", "18", "19"],
    ]
    assert draft.status == Round.Status.DRAFT
    assert draft.sizes_step["rule"] == "B-01"
    assert not Email.objects.filter(key__startswith="seating").exists()
    assert LogEntry.objects.about(draft).get().verb == "draw_round"


@both
def test_the_ranking_handed_in_seats_and_is_kept_with_its_date(cast: Cast) -> None:
    """B-08: the two who are ranked come first, the better one ahead."""
    event, people = hall(cast, 7)
    draft = draw(event, {people[6].pk: 10, people[4].pk: 80})
    assert names_at(draft) == [["05", "07", "01", "02"], ["03", "04", "06"]]
    assert draft.ranking_as_of == NOW.date()
    assert draft.order_used[:2] == [people[4].pk, people[6].pk]
    why = seat_named(draft, "05").why
    assert why["step"]["rule"] == "B-08"
    assert why["step"]["values"] == {"place": 1, "points": 80}


def test_only_who_answered_the_roll_call_is_seated(cast: Cast) -> None:
    event, people = hall(cast, 8)
    for entry in event.entries.filter(player__in=people[:3]):
        services.call(event, {entry.pk: False}, cast.alice, NOW)
    assert names_at(draw(event)) == [["04", "05", "06", "07", "08"]]


def test_another_row_than_the_usual_is_taken_with_its_reason(cast: Cast) -> None:
    """B-02, B-03: eleven as 4+4+3, twenty-four as fives, only if somebody says why."""
    event, _people = hall(cast, 11)
    assert refusal(lambda: draw(event, sizes=[4, 4, 3])).reason == "reason_missing"
    assert not event.prove.get().play_rounds.exists()
    draft = draw(event, sizes=[4, 4, 3], reason="una sola copia da sei")
    assert [len(table) for table in names_at(draft)] == [4, 4, 3]
    assert (draft.sizes_step["rule"], draft.sizes_reason) == ("B-02", "una sola copia da sei")
    refused = refusal(lambda: draw(event, sizes=[5, 3, 3], reason="x", edition=draft.edition))
    assert (refused.reason, refused.rule) == ("no_alternative", "B-02")


def test_two_players_cannot_be_seated(cast: Cast) -> None:
    event, _people = hall(cast, 2)
    refused = refusal(lambda: draw(event))
    assert (refused.reason, refused.rule) == ("too_few_players", "B-07")


def test_five_people_who_want_a_title_for_four_cannot_be_divided(cast: Cast) -> None:
    services.register_title("1889", "1889", 2, 4, cast.sara, NOW)
    event, _people = hall(cast, 5, title="1889")
    refused = refusal(lambda: draw(event))
    assert (refused.reason, refused.rule) == ("no_partition", "B-06")


def test_forming_them_again_replaces_the_draft_and_needs_to_have_seen_it(cast: Cast) -> None:
    event, people = hall(cast, 8)
    draft = draw(event)
    entry = event.entries.get(player=people[0])
    services.call(event, {entry.pk: False}, cast.alice, NOW)
    assert refusal(lambda: draw(event)).reason == "stale"
    again = draw(event, edition=draft.edition)
    assert again.pk == draft.pk
    assert names_at(again) == [["02", "03", "04", "05"], ["06", "07", "08"]]
    assert refusal(lambda: draw(event, edition=draft.edition)).reason == "stale"


def test_a_round_or_an_event_that_is_not_there_is_refused(cast: Cast) -> None:
    event, _people = hall(cast, 8)
    assert refusal(lambda: draw(event, number=2)).reason == "no_such_round"
    services.set_status(event, Event.Status.CANCELLED, cast.sara, NOW, reason="neve")
    assert refusal(lambda: draw(event)).reason == "event_not_running"


def test_a_later_round_waits_for_the_results_or_is_knowingly_provisional(cast: Cast) -> None:
    """B-12, B-13: 7500, 7200, 6600, 0 at table 1 give 1540, 960, 880, 0."""
    event, _people = hall(cast, 8, rounds=2)
    first = draw(event)
    services.publish_round(first, first.edition, cast.alice, NOW)
    one, _two = tables_of(event)
    record(one, 7500, 7200, 6600, 0)
    refused = refusal(lambda: draw(event, number=2))
    assert (refused.reason, refused.rule) == ("results_missing", "B-12")
    assert "1830" in str(refused.text)
    late = make_player("Aspettato")
    services.enrol(event, late, cast.alice, NOW, present=True)
    draft = draw(event, {late.pk: 500}, number=2, provisional=True)
    assert draft.provisional
    order = [str(Player.objects.get(pk=pk))[-2:] for pk in draft.order_used]
    assert order == ["01", "02", "03", "04", "05", "06", "07", "08", "to"]
    record(tables_of(event)[1], 8000, 4000, 4000, 2000, tie_checked=True)
    again = draw(event, {late.pk: 500}, number=2, edition=draft.edition)
    # Table 2: 2000.00 (1000 + 500 + 500), 500, 500, 250.
    assert not again.provisional
    order = [str(Player.objects.get(pk=pk))[-2:] for pk in again.order_used]
    assert order == ["05", "01", "02", "03", "06", "07", "08", "04", "to"]


def test_who_left_is_not_seated_and_keeps_what_he_scored(cast: Cast) -> None:
    """B-14"""
    event, people = hall(cast, 8, rounds=2)
    first = draw(event)
    services.publish_round(first, first.edition, cast.alice, NOW)
    for table in tables_of(event):
        record(table, 7500, 7200, 6600, 0)
    services.withdraw(event.entries.get(player=people[0]), cast.alice, NOW)
    draft = draw(event, number=2)
    assert people[0].pk not in draft.order_used
    assert people[0].result_lines.get().points == 154000


# --- by hand --------------------------------------------------------------------------------------


@both
def test_two_players_are_swapped_and_it_shows(cast: Cast) -> None:
    """B-15: the reason is recorded, each keeps his place in the order, both are marked."""
    event, _people = hall(cast, 8)
    draft = draw(event)
    pair = [seat_named(draft, "01").pk, seat_named(draft, "08").pk]
    edited = services.swap_seats(draft, pair, draft.edition, "fratelli", cast.alice, NOW)
    assert names_at(edited) == [["08", "02", "03", "04"], ["05", "06", "07", "01"]]
    assert edited.edition == draft.edition + 1
    assert seat_named(draft, "01").moved_by_hand(2)
    assert not seat_named(draft, "02").moved_by_hand(1)
    assert services.state_of(Round.objects.with_seating().get(pk=draft.pk)).by_hand
    entry = LogEntry.objects.about(draft).filter(verb="swap_seats").get()
    assert (entry.actor, entry.data["reason"]) == (cast.alice, "fratelli")
    back = services.swap_seats(edited, pair, edited.edition, "ripensato", cast.alice, NOW)
    assert names_at(back) == [["01", "02", "03", "04"], ["05", "06", "07", "08"]]
    assert not services.state_of(Round.objects.with_seating().get(pk=draft.pk)).by_hand


def test_a_swap_without_reason_or_of_three_seats_or_of_another_round_is_refused(cast: Cast) -> None:
    event, _people = hall(cast, 8)
    draft = draw(event)
    seats = [seat.pk for seat in Seat.objects.filter(table__round=draft)[:3]]
    other, _others = hall(cast, 4)
    elsewhere = Seat.objects.filter(table__round=draw(other)).values_list("pk", flat=True)[0]
    for chosen, reason, expected in [
        (seats[:2], "  ", "reason_missing"),
        (seats, "x", "two_seats"),
        (seats[:1], "x", "two_seats"),
        ([seats[0], elsewhere], "x", "two_seats"),
        ([seats[0], 10**15], "x", "two_seats"),
    ]:
        refused = refusal(
            lambda c=chosen, r=reason: services.swap_seats(
                draft, c, draft.edition, r, cast.alice, NOW
            )
        )
        assert refused.reason == expected
    assert Round.objects.get(pk=draft.pk).edition == draft.edition


@both
def test_players_move_and_tables_come_and_go(cast: Cast) -> None:
    event, _people = hall(cast, 10)
    draft = draw(event)
    pick = [seat_named(draft, name).pk for name in ("05", "09", "10")]
    draft = services.add_table(draft, pick, draft.edition, "tre copie", cast.alice, NOW)
    assert names_at(draft) == [
        ["01", "02", "03", "04"],
        ["06", "07", "08"],
        ["05", "09", "10"],
    ]
    pick = [seat_named(draft, name).pk for name in ("06", "07", "08")]
    draft = services.move_seats(draft, pick, 1, draft.edition, "due copie", cast.alice, NOW)
    assert names_at(draft) == [
        ["01", "02", "03", "04", "06", "07", "08"],
        ["05", "09", "10"],
    ]
    refused = refusal(lambda: services.publish_round(draft, draft.edition, cast.alice, NOW))
    assert (refused.reason, refused.rule) == ("seat_count", "C-03")
    refused = refusal(
        lambda: services.move_seats(draft, pick, 9, draft.edition, "x", cast.alice, NOW)
    )
    assert refused.reason == "no_table"


@both
def test_who_came_late_gets_a_seat_and_who_went_gives_it_up(cast: Cast) -> None:
    event, people = hall(cast, 8)
    draft = draw(event)
    late = make_player("Ritardo")
    args = (late, 2, draft.edition, "è arrivato", cast.alice, NOW)
    assert refusal(lambda: services.seat_player(draft, *args)).reason == "not_here"
    services.enrol(event, late, cast.alice, NOW, present=True)
    refused = refusal(lambda: services.publish_round(draft, draft.edition, cast.alice, NOW))
    assert (refused.reason, refused.rule) == ("roll_call_differs", "A-10")
    draft = services.seat_player(draft, *args)
    assert names_at(draft)[1] == ["05", "06", "07", "08", "do"]
    twice = (late, 1, draft.edition, "x", cast.alice, NOW)
    assert refusal(lambda: services.seat_player(draft, *twice)).reason == "seated_twice"
    services.call(event, {event.entries.get(player=people[0]).pk: False}, cast.alice, NOW)
    refused = refusal(lambda: services.publish_round(draft, draft.edition, cast.alice, NOW))
    assert "Passeggero 01" in str(refused.text)
    gone = [seat_named(draft, "01").pk]
    draft = services.unseat(draft, gone, draft.edition, "è partito", cast.alice, NOW)
    assert names_at(draft)[0] == ["02", "03", "04"]
    positions = Seat.objects.filter(table__round=draft, table__number=1)
    assert list(positions.values_list("position", flat=True)) == [1, 2, 3]
    services.publish_round(draft, draft.edition, cast.alice, NOW)


def test_a_draft_changed_meanwhile_is_not_changed_blindly(cast: Cast) -> None:
    event, _people = hall(cast, 8)
    draft = draw(event)
    pair = [seat_named(draft, "01").pk, seat_named(draft, "08").pk]
    services.swap_seats(draft, pair, draft.edition, "x", cast.alice, NOW)
    for deed in (
        lambda: services.swap_seats(draft, pair, draft.edition, "x", cast.alice, NOW),
        lambda: services.move_seats(draft, pair, 1, draft.edition, "x", cast.alice, NOW),
        lambda: services.add_table(draft, pair, draft.edition, "x", cast.alice, NOW),
        lambda: services.unseat(draft, pair, draft.edition, "x", cast.alice, NOW),
        lambda: services.publish_round(draft, draft.edition, cast.alice, NOW),
        lambda: services.discard_draft(draft, draft.edition, cast.alice, NOW),
    ):
        assert refusal(deed).reason == "stale"


@both
def test_a_draft_can_be_dropped(cast: Cast) -> None:
    event, _people = hall(cast, 8)
    draft = draw(event)
    services.discard_draft(draft, draft.edition, cast.alice, NOW)
    assert not event.prove.get().play_rounds.exists()
    assert (
        refusal(lambda: services.discard_draft(draft, draft.edition, cast.alice, NOW)).reason
        == "stale"
    )


@threads
def test_two_hands_on_one_draft_leave_one_change(cast: Cast) -> None:
    event, _people = hall(cast, 8)
    draft = draw(event)
    pair = [seat_named(draft, "01").pk, seat_named(draft, "08").pk]

    def swap() -> Round:
        return services.swap_seats(draft, pair, draft.edition, "x", cast.alice, NOW)

    outcome = at_once(*[swap] * 4)
    assert sum(isinstance(each, Round) for each in outcome) == 1
    assert {each.reason for each in outcome if isinstance(each, Refused)} == {"stale"}
    assert names_at(draft)[0][0] == "08"


@threads
def test_a_publication_and_a_change_at_once_do_not_mix(cast: Cast) -> None:
    event, _people = hall(cast, 8)
    draft = draw(event)
    pair = [seat_named(draft, "01").pk, seat_named(draft, "08").pk]
    second = meanwhile(
        lambda: services.publish_round(draft, draft.edition, cast.alice, NOW),
        lambda: services.swap_seats(draft, pair, draft.edition, "x", cast.alice, NOW),
    )
    assert isinstance(second, Refused)
    assert second.reason == "round_published"
    assert names_at(draft)[0][0] == "01"


# --- referees -------------------------------------------------------------------------------------


def make_referee(player: Player, cast: Cast) -> None:
    services.appoint_referee(player, date(2020, 1, 1), cast.sara, NOW)


@both
def test_referees_are_proposed_from_other_tables(cast: Cast) -> None:
    """M-02: two FIGF referees play, one at each table; the director does not play."""
    event, people = hall(cast, 9)
    make_referee(people[0], cast)
    make_referee(people[8], cast)
    draft = draw(event)
    one, two = draft.tables.order_by("number")
    assert one.referee in (cast.director, people[8])
    assert two.referee in (cast.director, people[0])
    assert one.referee != two.referee


@both
def test_a_referee_is_named_with_a_reason_where_the_rule_asks(cast: Cast) -> None:
    """M-02 as ruled, M-03."""
    event, people = hall(cast, 9)
    make_referee(people[8], cast)
    draft = draw(event)
    one, two = draft.tables.order_by("number")
    refused = refusal(lambda: services.name_referee(one, people[0], "x", cast.alice, NOW))
    assert (refused.reason, refused.rule) == ("referee_at_own_table", "M-03")
    services.name_referee(two, None, "", cast.alice, NOW)
    services.name_referee(one, people[8], "", cast.alice, NOW)
    refused = refusal(lambda: services.name_referee(two, people[1], "", cast.alice, NOW))
    assert (refused.reason, refused.rule) == ("reason_missing", "M-02")
    passed = services.name_referee(two, people[1], "esperienza", cast.alice, NOW)
    assert passed == (cast.director,)
    entry = LogEntry.objects.about(two).filter(verb="name_referee").first()
    assert entry is not None
    assert entry.data["passed_over"] == [cast.director.pk]
    stranger = make_player("Forestiero")
    assert (
        refusal(lambda: services.name_referee(two, stranger, "x", cast.alice, NOW)).reason
        == "not_here"
    )


def test_at_the_only_table_somebody_who_plays_referees_with_a_reason(cast: Cast) -> None:
    """M-03: nobody sits elsewhere."""
    event, people = hall(cast, 5)
    (table,) = draw(event).tables.all()
    refused = refusal(lambda: services.name_referee(table, people[0], "", cast.alice, NOW))
    assert (refused.reason, refused.rule) == ("reason_missing", "M-03")
    services.name_referee(table, people[0], "tavolo unico", cast.alice, NOW)
    assert Table.objects.get(pk=table.pk).referee == people[0]


@both
def test_who_is_moved_to_the_table_he_referees_does_not_referee_it_any_more(cast: Cast) -> None:
    """M-03: also by a change of hand; the page then asks for another."""
    event, people = hall(cast, 9)
    make_referee(people[8], cast)
    draft = draw(event)
    one, two = draft.tables.order_by("number")
    services.name_referee(one, people[8], "", cast.alice, NOW)
    services.name_referee(two, cast.director, "", cast.alice, NOW)
    pair = [seat_named(draft, "01").pk, seat_named(draft, "09").pk]
    draft = services.swap_seats(draft, pair, draft.edition, "fratelli", cast.alice, NOW)
    assert list(draft.tables.order_by("number").values_list("referee", flat=True)) == [
        None,
        cast.director.pk,
    ]
    seated = services.publish_round(draft, draft.edition, cast.alice, NOW)
    refused = refusal(lambda: services.start_tables(seated, cast.alice, NOW))
    assert (refused.reason, refused.rule) == ("referee_missing", "M-02")


# --- publication ----------------------------------------------------------------------------------


@both
def test_publishing_puts_the_event_under_way_and_writes_to_everybody_enrolled(cast: Cast) -> None:
    """B-17: who sits learns where; who was not at the roll call learns that too."""
    event, _people = hall(cast, 7)
    elsa = make_member("elsa", "Espresso", "Elsa", cast.sara)
    services.enrol(event, cast.bruno.player, cast.alice, NOW, present=True)
    services.enrol(event, elsa.player, cast.alice, NOW)
    draft = draw(event)
    services.publish_round(draft, draft.edition, cast.alice, NOW)
    event.refresh_from_db()
    assert event.status == Event.Status.RUNNING
    mails = dict(Email.objects.filter(key__startswith="seating:").values_list("to", "body"))
    assert set(mails) == {"bruno@example.org", "elsa@example.org"}
    assert "Passeggero 01" in mails["bruno@example.org"]
    assert "Passeggero 01" not in mails["elsa@example.org"]


@both
def test_a_publication_is_taken_back_while_no_result_is_in(cast: Cast) -> None:
    event, _people = hall(cast, 7)
    services.enrol(event, cast.bruno.player, cast.alice, NOW, present=True)
    draft = draw(event)
    seated = services.publish_round(draft, draft.edition, cast.alice, NOW)
    before = names_at(seated)
    refused = refusal(lambda: services.withdraw_publication(seated, draft.edition, cast.alice, NOW))
    assert refused.reason == "stale"
    back = services.withdraw_publication(seated, seated.edition, cast.alice, NOW)
    event.refresh_from_db()
    assert (back.status, event.status) == (Round.Status.DRAFT, Event.Status.ENROLLING)
    assert names_at(back) == before
    assert Email.objects.filter(key__startswith="seating-withdrawn:").count() == 1
    again = services.publish_round(back, back.edition, cast.alice, NOW)
    assert Email.objects.filter(key__startswith="seating:").count() == 2
    record(tables_of(event)[0], 7500, 7200, 6600, 0)
    refused = refusal(lambda: services.withdraw_publication(again, again.edition, cast.alice, NOW))
    assert (refused.reason, refused.rule) == ("results_in", "B-15")
    assert refusal(lambda: draw(event, edition=again.edition)).reason == "round_published"


@threads
def test_a_result_and_a_withdrawal_at_once_leave_one_of_them(cast: Cast) -> None:
    event, _people = hall(cast, 4)
    draft = draw(event)
    seated = services.publish_round(draft, draft.edition, cast.alice, NOW)
    (table,) = tables_of(event)
    second = meanwhile(
        lambda: record(table, 7500, 7200, 6600, 0),
        lambda: services.withdraw_publication(seated, seated.edition, cast.alice, NOW),
    )
    assert isinstance(second, Refused)
    assert second.reason == "results_in"
    assert Round.objects.get(pk=seated.pk).status == Round.Status.PUBLISHED


@threads
def test_a_result_for_a_round_just_taken_back_is_refused(cast: Cast) -> None:
    event, _people = hall(cast, 4)
    draft = draw(event)
    seated = services.publish_round(draft, draft.edition, cast.alice, NOW)
    (table,) = tables_of(event)
    second = meanwhile(
        lambda: services.withdraw_publication(seated, seated.edition, cast.alice, NOW),
        lambda: record(table, 7500, 7200, 6600, 0),
    )
    assert isinstance(second, Refused)
    assert second.reason == "round_not_published"


# --- the tables start -----------------------------------------------------------------------------


def publish(event: Event, cast: Cast, **how: Any) -> Round:
    draft = draw(event, **how)
    return services.publish_round(draft, draft.edition, cast.alice, NOW)


@both
def test_tables_start_with_their_referees_and_only_once(cast: Cast) -> None:
    """M-02: "Indicare l'arbitro del tavolo"."""
    event, people = hall(cast, 8)
    seated = publish(event, cast)
    one, two = seated.tables.order_by("number")
    for table in (one, two):
        services.name_referee(table, None, "", cast.alice, NOW)
    refused = refusal(lambda: services.start_tables(seated, cast.alice, NOW))
    assert (refused.reason, refused.rule) == ("referee_missing", "M-02")
    services.name_referee(two, cast.director, "", cast.alice, NOW)
    services.start_tables(seated, cast.alice, NOW, only=two)
    services.name_referee(one, people[7], "non c'è altri", cast.alice, NOW)
    services.start_tables(seated, cast.alice, NOW + DAY)
    started = list(seated.tables.order_by("number").values_list("started_at", flat=True))
    assert started == [NOW + DAY, NOW]
    services.stop_table(one, cast.alice, NOW)
    assert Table.objects.get(pk=one.pk).started_at is None
    record(tables_of(event)[1], 7500, 7200, 6600, 0)
    assert refusal(lambda: services.stop_table(two, cast.alice, NOW)).reason == "results_in"


@both
def test_a_table_of_four_plays_one_short_when_somebody_does_not_come(cast: Cast) -> None:
    """B-16 as ruled."""
    event, people = hall(cast, 8)
    seated = publish(event, cast)
    seat = seat_named(seated, "02")
    assert refusal(lambda: services.no_show(seat, 0, cast.alice, NOW)).reason == "stale"
    outcome = services.no_show(seat, seated.edition, cast.alice, NOW)
    assert (outcome.one_short, outcome.tables) == (True, (1,))
    assert names_at(seated) == [["01", "03", "04"], ["05", "06", "07", "08"]]
    assert event.entries.get(player=people[1]).present is False


@both
def test_a_table_of_three_cannot_and_the_tables_not_started_are_seated_again(cast: Cast) -> None:
    """B-16: eleven of 1849 sit 4+4+3; table 1 plays, one of table 3 does not come: six are 3+3."""
    event, people = hall(cast, 11, title="1849")
    seated = publish(event, cast)
    assert [len(table) for table in names_at(seated)] == [4, 4, 3]
    one = seated.tables.get(number=1)
    services.name_referee(one, cast.director, "", cast.alice, NOW)
    services.start_tables(seated, cast.alice, NOW, only=one)
    outcome = services.no_show(seat_named(seated, "10"), seated.edition, cast.alice, NOW)
    assert (outcome.one_short, outcome.tables) == (False, (2, 3))
    assert names_at(seated) == [
        ["01", "02", "03", "04"],
        ["05", "06", "07"],
        ["08", "09", "11"],
    ]
    assert event.entries.get(player=people[9]).present is False
    again = Round.objects.get(pk=seated.pk)
    assert again.sizes_step["rule"] == "B-02"
    refused = refusal(
        lambda: services.no_show(seat_named(seated, "01"), again.edition, cast.alice, NOW)
    )
    assert (refused.reason, refused.rule) == ("table_started", "B-16")


def test_a_no_show_that_leaves_too_few_changes_nothing(cast: Cast) -> None:
    """B-07: of three, two are left."""
    event, people = hall(cast, 3)
    seated = publish(event, cast)
    refused = refusal(
        lambda: services.no_show(seat_named(seated, "01"), seated.edition, cast.alice, NOW)
    )
    assert refused.reason == "too_few_players"
    assert event.entries.get(player=people[0]).present is True
    assert names_at(seated) == [["01", "02", "03"]]


# --- everything by who may ------------------------------------------------------------------------


def test_what_is_seated_elsewhere_needs_no_roll_call(cast: Cast) -> None:
    event, people = hall(cast, 4, here=False)
    prova = event.prove.get()
    seated = services.seat_round(prova, 1, [people], cast.alice, NOW)
    assert (seated.status, seated.published_at) == (Round.Status.PUBLISHED, NOW)
    event.refresh_from_db()
    assert event.status == Event.Status.RUNNING
    assert Entry.objects.filter(event=event, present=None).count() == 4


def test_the_log_names_nobody(cast: Cast) -> None:
    event, _people = hall(cast, 8)
    draft = draw(event)
    pair = [seat_named(draft, "01").pk, seat_named(draft, "08").pk]
    services.swap_seats(draft, pair, draft.edition, "x", cast.alice, NOW)
    assert isinstance(cast.alice, User)
    assert "Passeggero" not in json.dumps([entry.data for entry in LogEntry.objects.all()])
