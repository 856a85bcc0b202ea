"""What happened at the table: every verb, what it refuses, and that undoing it restores it all.

N-15, C-09..C-13, C-17, D-08; the values are those of the vectors, or computed by hand beside them.
"""

from __future__ import annotations

import json
import random
from collections.abc import Callable
from functools import partial
from pathlib import Path
from typing import Any

import pytest
from django.test import Client
from django.urls import reverse

from figf.errors import Refused
from figf.models import Email, LogEntry
from figf.tests.cast import (
    DAY,
    HOUR,
    NOW,
    TODAY,
    Cast,
    Page,
    at_once,
    make_cast,
    make_draft,
    make_event,
    make_hall,
    make_member,
    make_player,
    make_sketch,
    percentiles,
    record,
    reread,
    seats_of,
    tables_of,
    visitor,
)
from tournaments import services
from tournaments.models import (
    Ban,
    Event,
    Holder,
    Player,
    Removal,
    Result,
    ResultLine,
    Seat,
    Table,
)

db = pytest.mark.django_db
both = pytest.mark.both
SEASON: dict[str, Any] = json.loads(
    Path(__file__).with_name("figf_vectors.json").read_text(encoding="utf-8")
)["season"]


@pytest.fixture
def cast() -> Cast:
    return make_cast()


def make_table(players: int = 3, **more: Any) -> Table:
    """A table under way; Bruno sits first, the others have no log-in."""
    return tables_of(make_event(players=players, **more))[0]


def player_at(table: Table, position: int = 1) -> Player:
    player = seats_of(reread(table))[position - 1].holder().player
    assert player
    return player


def written(table: Table) -> list[tuple[int | None, str, int, int, int | None, int | None, bool]]:
    """The confirmed result, number by number."""
    result = reread(table).confirmed()
    assert result
    return [
        (x.player_id, x.role, x.total, x.handicap, x.place, x.points, x.win)
        for x in result.lines.order_by("seat__position")
    ]


def standing(table: Table) -> list[str]:
    result = reread(table).confirmed()
    assert result
    return percentiles(result)


def state() -> list[Any]:
    """All that a verb may write, to tell that a refusal wrote nothing."""
    kinds = (Result, ResultLine, Removal, Ban, Holder, Seat, Table, LogEntry, Email)
    return [list(kind._default_manager.order_by("pk").values()) for kind in kinds]


def refused(deed: Callable[..., object], *given: Any, **more: Any) -> Refused:
    before = state()
    with pytest.raises(Refused) as refusal:
        deed(*given, **more)
    assert state() == before
    return refusal.value


# --- handicap -------------------------------------------------------------------------------------


@db
@both
def test_a_handicap_before_the_result_counts_in_it(cast: Cast) -> None:
    """C-09, PCT-21: 8000 with −1000, 7500, 6000 → 933.33, 1566.67, 800.00."""
    table = make_table()
    services.give_handicap(seats_of(table)[0], -1000, " 12.13 ", cast.alice, NOW)
    result = record(table, 8000, 7500, 6000)
    assert (result.version, percentiles(result)) == (1, ["933.33", "1566.67", "800.00"])
    entry = LogEntry.objects.about(table).get(verb="give_handicap")
    assert entry.data == {"seat": seats_of(table)[0].pk, "amount": -1000, "reason": "12.13"}


@db
@both
def test_a_handicap_after_the_result_writes_its_next_version_with_the_reason(cast: Cast) -> None:
    """N-15. The counted total stays: 8000 / 8000 wins, then 7000 / 7500 is second."""
    table = make_table()
    record(table, 8000, 7500, 6000)
    services.give_handicap(seats_of(table)[0], -1000, "12.13", cast.alice, NOW + HOUR)
    result = reread(table).confirmed()
    assert result
    assert (result.version, result.reason, result.by, result.at) == (
        2,
        "12.13",
        cast.alice,
        NOW + HOUR,
    )
    assert percentiles(result) == ["933.33", "1566.67", "800.00"]
    line = result.lines.order_by("seat__position")[0]
    assert (line.total, line.handicap, line.place, line.facts) == (8000, -1000, 2, {"total": 8000})
    assert [r.state for r in reread(table).results.all()] == ["superseded", "confirmed"]
    mail = Email.objects.get(key=f"result:{table.pk}:2:{cast.bruno.player.pk}")
    assert "12.13" in mail.body
    services.give_handicap(seats_of(reread(table))[0], 0, "", cast.alice, NOW + HOUR)
    # 7500 / 8000 = 937.50; the first has 2500 − 937.50; 6000 / 8000 = 750.
    assert standing(table) == ["1562.50", "937.50", "750.00"]


@db
@both
def test_the_same_handicap_twice_is_one_and_a_stale_one_is_told(cast: Cast) -> None:
    table = make_table()
    record(table, 8000, 7500, 6000)
    seat = seats_of(table)[0]
    services.give_handicap(seat, -1000, "12.13", cast.alice, NOW, was=0)
    before = state()
    services.give_handicap(seat, -1000, "12.13", cast.sara, NOW, was=0)
    assert state() == before
    assert refused(services.give_handicap, seat, -500, "x", cast.sara, NOW, was=0).reason == "stale"


@db
def test_a_handicap_is_a_whole_amount_with_a_reason(cast: Cast) -> None:
    table = make_table()
    seat = seats_of(table)[0]
    attempts: list[tuple[Any, str, str, str]] = [
        (-1000, "  ", "reason_missing", "reason"),
        (1.5, "x", "total_not_integer", "amount"),
        ("100", "x", "total_not_integer", "amount"),
        (True, "x", "total_not_integer", "amount"),
        (None, "x", "total_not_integer", "amount"),
        (2**31, "x", "total_too_large", "amount"),
        (-(10**30), "x", "total_too_large", "amount"),
    ]
    for amount, reason, why, field in attempts:
        refusal = refused(services.give_handicap, seat, amount, reason, cast.alice, NOW)
        assert (refusal.reason, refusal.rule, refusal.field) == (why, "C-09", field)


@db
def test_a_handicap_that_leaves_a_first_with_nothing_is_refused(cast: Cast) -> None:
    """C-08: 1, 0, 0 with −1 is nothing for everybody."""
    table = make_table()
    record(table, 1, 0, 0)
    seat = seats_of(table)[0]
    refusal = refused(services.give_handicap, seat, -1, "12.13", cast.alice, NOW)
    assert (refusal.reason, refusal.rule) == ("winner_total_zero", "C-08")


# --- out of a classification ----------------------------------------------------------------------


@db
@both
def test_an_excluded_player_leaves_the_game_and_comes_back_when_lifted(cast: Cast) -> None:
    """C-10, PCT-15: 9000 excluded, 8000, 6000 → –, 1750, 750; with him 9000 wins."""
    table = make_table()
    record(table, 9000, 8000, 6000)
    before = written(table)
    removal = services.exclude(table, cast.bruno.player, "Ordinanza 3", cast.alice, NOW)
    assert standing(table) == ["–", "1750.00", "750.00"]
    assert [line[1] for line in written(table)] == ["excluded", "player", "player"]
    result = reread(table).confirmed()
    assert result
    assert (result.version, result.reason) == (2, "Ordinanza 3")
    assert (removal.level, removal.made_by, removal.made_at) == ("game", cast.alice, NOW)
    lifted = services.lift(removal, cast.alice, NOW + HOUR)
    assert lifted.lifted_at == NOW + HOUR
    assert written(table) == before
    assert [entry.verb for entry in LogEntry.objects.about(table).order_by("pk")] == [
        "record_table",
        "correct_table",
        "exclude",
        "correct_table",
        "lift",
    ]


@db
@both
def test_what_cannot_be_excluded_is_refused(cast: Cast) -> None:
    table, other = tables_of(make_event(players=8))
    bruno = cast.bruno.player
    silent = refused(services.exclude, table, bruno, " ", cast.alice, NOW)
    assert (silent.reason, silent.rule) == ("reason_missing", "C-10")
    for stranger in (player_at(other), make_player("Estraneo")):
        refusal = refused(services.exclude, table, stranger, "x", cast.alice, NOW)
        assert (refusal.reason, refusal.rule, refusal.field) == ("not_at_table", "C-10", "player")
    removal = services.exclude(table, bruno, "x", cast.alice, NOW)
    again = refused(services.exclude, table, bruno, "y", cast.sara, NOW)
    assert (again.reason, again.rule) == ("already_removed", "C-10")
    services.lift(removal, cast.alice, NOW)
    assert refused(services.lift, removal, cast.alice, NOW).reason == "already_lifted"
    assert services.exclude(table, bruno, "z", cast.alice, NOW).pk != removal.pk


@db
@both
def test_the_last_of_a_game_with_a_result_cannot_be_excluded(cast: Cast) -> None:
    """C-10, PCT-17 and PCT-18: one left alone has 1500; nobody left is a void game."""
    table = make_table()
    record(table, 8000, 7900, 6000)
    services.exclude(table, player_at(table, 1), "x", cast.alice, NOW)
    services.exclude(table, player_at(table, 2), "x", cast.alice, NOW)
    assert standing(table) == ["–", "–", "1500.00"]
    refusal = refused(services.exclude, table, player_at(table, 3), "x", cast.alice, NOW)
    assert (refusal.reason, refusal.rule) == ("nobody_left", "C-10")


@db
@both
def test_the_director_decides_what_becomes_of_an_excluded_total(cast: Cast) -> None:
    """C-10: 9000 stays the measure: 8000 / 9000 = 888.89, 6000 / 9000 = 666.67; nobody wins."""
    table = make_table()
    record(table, 9000, 8000, 6000)
    before = written(table)
    none = refused(services.decide_exclusion, table, "keep_reference", "x", cast.alice, NOW)
    assert (none.reason, none.rule) == ("nobody_excluded", "C-10")
    removal = services.exclude(table, cast.bruno.player, "x", cast.alice, NOW)
    recomputed = written(table)
    silent = refused(services.decide_exclusion, table, "keep_reference", "", cast.alice, NOW)
    assert (silent.reason, silent.field) == ("reason_missing", "reason")
    unknown = refused(services.decide_exclusion, table, "halve", "x", cast.alice, NOW)
    assert unknown.reason == "unknown_exclusion"
    services.decide_exclusion(table, "keep_reference", "000:172", cast.alice, NOW)
    assert standing(table) == ["–", "888.89", "666.67"]
    assert not any(line[-1] for line in written(table))
    state_before = state()
    services.decide_exclusion(table, "keep_reference", "000:172", cast.alice, NOW)
    assert state() == state_before
    services.decide_exclusion(table, "", "", cast.alice, NOW)
    assert written(table) == recomputed
    services.decide_exclusion(table, "keep_reference", "000:172", cast.alice, NOW)
    services.lift(removal, cast.alice, NOW)
    assert written(table) == before
    assert (reread(table).exclusion, reread(table).exclusion_reason) == ("", "")


@db
@both
@pytest.mark.parametrize("level", ["prova", "event"])
def test_a_cancellation_leaves_the_tables_as_they_are(cast: Cast, level: str) -> None:
    """D-08, O-12: the others' percentiles do not change; he is out of the standing."""
    table = make_table()
    record(table, 9000, 8000, 6000)
    before = written(table)
    event, prova = table.event, table.round.prova
    target: dict[str, Any] = {"prova": prova} if level == "prova" else {"event": event}
    bruno = cast.bruno.player

    def out(ruling: str = "Ordinanza 4", player: Player = bruno) -> Removal:
        return services.cancel(player, cast.alice, NOW, level=level, ruling=ruling, **target)

    assert refused(out, " ").rule == "D-08"
    assert refused(out, "x", make_player("Estraneo")).reason == "not_at_table"
    removal = out()
    assert (removal.level, removal.ruling, removal.prova, removal.event) == (
        level,
        "Ordinanza 4",
        target.get("prova"),
        target.get("event"),
    )
    assert written(table) == before
    assert len(services.standing_of(event, {}).rows) == 2
    assert refused(out).reason == "already_removed"
    services.lift(removal, cast.alice, NOW)
    assert len(services.standing_of(event, {}).rows) == 3
    assert refused(services.lift, removal, cast.alice, NOW).reason == "already_lifted"


@db
def test_a_cancellation_without_its_target_is_a_mistake_of_the_program(cast: Cast) -> None:
    table = make_table()
    wrong: list[dict[str, Any]] = [
        {"level": "prova"},
        {"level": "event", "prova": table.round.prova},
        {"level": "event", "event": table.event, "prova": table.round.prova},
        {"level": "game", "event": table.event},
        {"level": "nothing"},
    ]
    for given in wrong:
        with pytest.raises(ValueError):  # noqa: PT011 - each has its own words
            services.cancel(cast.bruno.player, cast.alice, NOW, ruling="x", **given)
    assert not Removal.objects.exists()


# --- a seat changes hands -------------------------------------------------------------------------


@db
@both
def test_a_substitute_has_the_whole_score_and_who_left_none(cast: Cast) -> None:
    """C-13: 7500 of the seat that Bruno left are the substitute's 1540; he need not be enrolled."""
    table = make_table()
    record(table, 7500, 7200, 6600)
    before = written(table)
    elsa = make_member("elsa", "Espresso", "Elsa", cast.sara).player
    seat = seats_of(table)[0]
    services.hand_over(seat, elsa, "substitute", cast.alice, NOW + HOUR)
    assert written(table)[0][0] == elsa.pk
    assert standing(table) == ["1540.00", "960.00", "880.00"]
    first, second = seat.holders.order_by("pk")
    assert (first.player, first.ends_at) == (cast.bruno.player, NOW + HOUR)
    assert (second.player, second.starts_at, second.ends_at) == (elsa, NOW + HOUR, None)
    assert Email.objects.filter(key=f"result:{table.pk}:2:{elsa.pk}").exists()
    services.take_back_hand_over(seat, cast.alice, NOW + HOUR)
    assert written(table) == before
    assert (seat.holders.get().player, seat.holders.get().ends_at) == (cast.bruno.player, None)


@db
@both
def test_who_may_not_take_a_seat_over_is_refused(cast: Cast) -> None:
    """C-13: nobody twice at a table, nobody at two tables of a round; A-18: nobody barred."""
    table, other = tables_of(make_event(players=8))
    first, second = seats_of(table)[:2]
    for player, reason in [
        (player_at(table, 2), "already_seated"),
        (player_at(table, 1), "already_seated"),
        (player_at(other, 1), "seated_in_round"),
    ]:
        refusal = refused(services.hand_over, first, player, "substitute", cast.alice, NOW)
        assert (refusal.reason, refusal.rule, refusal.field) == (reason, "C-13", "player")
    elsa, nino, expelled = make_player("Espresso"), make_player("Notte"), make_player("Via")
    services.ban(expelled, "all", TODAY - DAY, "radiato", cast.sara, NOW)
    barred = refused(services.hand_over, first, expelled, "substitute", cast.alice, NOW)
    assert (barred.reason, barred.rule) == ("expelled", "A-18")
    services.hand_over(first, elsa, "substitute", cast.alice, NOW)
    bruno = cast.bruno.player
    gone = refused(services.hand_over, second, bruno, "substitute", cast.alice, NOW)
    assert gone.reason == "already_seated"  # he sat at this table
    services.hand_over(seats_of(other)[0], bruno, "substitute", cast.alice, NOW)
    back = refused(services.take_back_hand_over, first, cast.alice, NOW)
    assert back.reason == "seated_in_round"
    stale = refused(
        services.hand_over, first, nino, "substitute", cast.alice, NOW, holding=first.holder().pk
    )
    assert stale.reason == "stale"


@db
@both
def test_a_referee_and_cinderella_finish_a_game(cast: Cast) -> None:
    """C-11, PCT-19: a referee's 8000, 6000, 4000 → –, 750, 500; C-12: hers are the absent's."""
    table = make_table()
    record(table, 8000, 6000, 4000)
    before = written(table)
    seat, bruno = seats_of(table)[0], cast.bruno.player
    services.hand_over(seat, None, "referee", cast.alice, NOW)
    assert standing(table) == ["–", "750.00", "500.00"]
    assert written(table)[0][:2] == (None, "referee")
    again = refused(services.hand_over, seat, None, "referee", cast.alice, NOW)
    assert (again.reason, again.rule) == ("already_so", "C-11")
    nobody = refused(services.hand_over, seat, bruno, "cinderella", cast.alice, NOW)
    assert (nobody.reason, nobody.rule) == ("not_at_table", "C-12")
    services.take_back_hand_over(seat, cast.alice, NOW)
    assert written(table) == before
    services.hand_over(seat, bruno, "cinderella", cast.alice, NOW)
    assert standing(table) == ["1750.00", "750.00", "500.00"]
    assert written(table)[0] == (bruno.pk, "cinderella", 8000, 0, 1, 175000, True)
    twice = refused(services.hand_over, seat, bruno, "cinderella", cast.alice, NOW)
    assert (twice.reason, twice.rule) == ("already_so", "C-12")
    services.take_back_hand_over(seat, cast.alice, NOW)
    assert written(table) == before
    last = refused(services.take_back_hand_over, seat, cast.alice, NOW)
    assert last.reason == "nothing_to_take_back"


@db
def test_who_takes_over_without_a_reason_of_the_regulation_is_a_mistake(cast: Cast) -> None:
    seat, bruno = seats_of(make_table())[0], cast.bruno.player
    for player, why in [(bruno, "seated"), (bruno, "referee"), (None, "substitute"), (None, "x")]:
        with pytest.raises(ValueError):  # noqa: PT011 - each has its own words
            services.hand_over(seat, player, why, cast.alice, NOW)
    assert seat.holders.count() == 1


@db(transaction=True)
@both
def test_of_two_substitutes_at_once_one_sits_down(cast: Cast) -> None:
    table = make_table()
    record(table, 7500, 7200, 6600)
    seat = seats_of(table)[0]
    holding = seat.holder().pk
    newcomers = [make_player("Espresso"), make_player("Notte")]

    def sit(player: Player) -> Holder:
        return services.hand_over(seat, player, "substitute", cast.alice, NOW, holding=holding)

    outcome = at_once(*[partial(sit, player) for player in newcomers])
    assert sorted(type(what).__name__ for what in outcome) == ["Holder", "Refused"]
    assert [r.state for r in reread(table).results.all()] == ["superseded", "confirmed"]


# --- a void game ----------------------------------------------------------------------------------


@db
@both
def test_a_void_game_gives_nothing_and_comes_back_whole(cast: Cast) -> None:
    """C-17."""
    table = make_table()
    record(table, 7500, 7200, 6600)
    before = written(table)
    silent = refused(services.void_table, table, " ", cast.alice, NOW)
    assert (silent.reason, silent.rule, silent.field) == ("reason_missing", "C-17", "reason")
    services.void_table(table, "si ricomincia", cast.alice, NOW)
    assert reread(table).status == Table.Status.VOID
    assert standing(table) == ["–", "–", "–"]
    assert [(x[2], x[4], x[6]) for x in written(table)] == [
        (7500, None, False),
        (7200, None, False),
        (6600, None, False),
    ]
    assert services.standing_of(table.event, {}).rows == ()
    assert refused(services.void_table, table, "x", cast.alice, NOW).reason == "already_void"
    late = refused(record, table, 1, 2, 3, version=2, reason="x")
    assert (late.reason, late.rule) == ("game_void", "C-17")
    assert "The game is void" in Page(visitor().get(f"/tavoli/{table.pk}/")).text
    services.unvoid_table(table, cast.alice, NOW)
    assert written(table) == before
    assert reread(table).status == Table.Status.CONFIRMED
    assert refused(services.unvoid_table, table, cast.alice, NOW).reason == "not_void"


@db
@both
def test_a_game_without_a_result_may_be_void_too(cast: Cast) -> None:
    table = make_table()
    services.void_table(table, "luce saltata", cast.alice, NOW)
    assert refused(record, table, 7500, 7200, 6600).reason == "game_void"
    assert not Result.objects.exists()
    services.unvoid_table(table, cast.alice, NOW)
    assert reread(table).status == Table.Status.PLAYING
    assert percentiles(record(table, 7500, 7200, 6600)) == ["1540.00", "960.00", "880.00"]


# --- what holds for every verb --------------------------------------------------------------------


def every_verb(table: Table, cast: Cast) -> dict[str, Callable[[], object]]:
    """One call of each verb of a table, each to be accepted but for what is being tested."""
    seat, bruno = seats_of(table)[0], cast.bruno.player
    return {
        "give_handicap": lambda: services.give_handicap(seat, 100, "x", cast.alice, NOW),
        "exclude": lambda: services.exclude(table, bruno, "x", cast.alice, NOW),
        "decide": lambda: services.decide_exclusion(table, "recompute", "x", cast.alice, NOW),
        "hand_over": lambda: services.hand_over(seat, None, "referee", cast.alice, NOW),
        "take_back": lambda: services.take_back_hand_over(seat, cast.alice, NOW),
        "void": lambda: services.void_table(table, "x", cast.alice, NOW),
        "unvoid": lambda: services.unvoid_table(table, cast.alice, NOW),
    }


@db
def test_nothing_is_written_of_an_event_that_is_not_under_way(cast: Cast) -> None:
    """C-15."""
    table = make_table()
    removal = services.exclude(table, player_at(table, 2), "x", cast.alice, NOW)
    verbs = every_verb(table, cast) | {
        "lift": lambda: services.lift(removal, cast.alice, NOW),
        "cancel": lambda: services.cancel(
            cast.bruno.player, cast.alice, NOW, level="event", event=table.event, ruling="x"
        ),
    }
    for status in ("draft", "enrolling", "closed", "cancelled", "invalid"):
        Event.objects.filter(pk=table.event.pk).update(status=status)
        for name, verb in verbs.items():
            refusal = refused(verb)
            assert (refusal.reason, refusal.rule) == ("event_not_running", "C-15"), name


@db
def test_nothing_has_happened_at_a_table_that_has_not_started(cast: Cast) -> None:
    """B-16: who has not come is no Cinderella; B-17: a draft is no table."""
    table = make_table()
    Table.objects.filter(pk=table.pk).update(started_at=None)
    for name, verb in every_verb(table, cast).items():
        assert refused(verb).reason == "table_not_started", name
    sketch = make_sketch(make_hall(4))
    Event.objects.filter(pk=sketch.event.pk).update(status="running")
    draft = sketch.tables.get()
    refusal = refused(services.void_table, draft, "x", cast.alice, NOW)
    assert (refusal.reason, refusal.rule) == ("round_not_published", "B-17")


@db
def test_a_table_dealt_again_meanwhile_is_gone(cast: Cast) -> None:
    table, other = tables_of(make_event(players=8))
    seat = Seat.objects.select_related("table__round__prova__event").get(pk=seats_of(table)[0].pk)
    Seat.objects.filter(pk=seat.pk).delete()
    gone = refused(services.give_handicap, seat, 100, "x", cast.alice, NOW)
    assert gone.reason == "seat_gone"
    Table.objects.filter(pk=other.pk).delete()
    assert refused(services.void_table, other, "x", cast.alice, NOW).reason == "seat_gone"


@db
def test_a_table_where_something_happened_does_not_go_back_to_waiting(cast: Cast) -> None:
    for happens in ("give_handicap", "exclude", "hand_over", "void"):
        table = make_table(name=f"Festa {happens}", players=3)
        assert not services.anything_happened(Table.objects.filter(pk=table.pk))
        every_verb(table, cast)[happens]()
        assert services.anything_happened(Table.objects.filter(pk=table.pk))
        assert refused(services.stop_table, table, cast.alice, NOW).reason == "something_happened"


def happens(table: Table, dice: random.Random, n: int, cast: Cast) -> Callable[[], object] | None:
    """Something at random at a seat of the table; what undoes it, or None if it was refused."""
    seat = dice.choice(seats_of(reread(table)))
    here, by = seat.holder().player, cast.alice
    deed = dice.choice(["handicap", "exclude", "substitute", "referee", "cinderella", "void"])
    newcomers = {"substitute": make_player(f"Riserva {n}"), "cinderella": here, "referee": None}
    try:
        if deed == "handicap":
            given, why = seat.handicap, seat.handicap_reason
            services.give_handicap(seat, dice.choice([-900, 150, 4000]), f"r{n}", by, NOW)
            return partial(services.give_handicap, seat, given, why, by, NOW)
        if deed == "void":
            services.void_table(table, "x", by, NOW)
            return partial(services.unvoid_table, table, by, NOW)
        if deed == "exclude" and here:
            return partial(services.lift, services.exclude(table, here, "x", by, NOW), by, NOW)
        if deed == "referee" or (deed in newcomers and here):
            services.hand_over(seat, newcomers[deed], deed, by, NOW)
            return partial(services.take_back_hand_over, seat, by, NOW)
    except Refused:
        pass  # so already, or nobody would be left
    return None


@db
@both
@pytest.mark.parametrize("seed", range(8))
def test_undoing_whatever_happened_restores_every_number(cast: Cast, seed: int) -> None:
    """Deeds at random, each undone in turn: after every undoing the numbers are those before it."""
    dice = random.Random(seed)
    size = dice.randint(4, 5)
    table = make_table(size)
    amounts = [dice.choice([0, 500, 2000, 3350, 5000, 7201]) for _ in range(size - 1)] + [9000]
    dice.shuffle(amounts)
    record(table, *amounts, tie_checked=True)
    undo = []
    for n in range(8):
        before = (written(table), reread(table).status)
        back = happens(table, dice, n, cast)
        if back is None:
            assert (written(table), reread(table).status) == before
        else:
            undo.append((back, before))
    assert len(undo) >= 3
    for back, before in reversed(undo):
        back()
        assert (written(table), reread(table).status) == before
    result = reread(table).confirmed()
    assert result
    assert result.version > 2
    assert result.lines.filter(win=True).exists()


# --- the season of the vectors --------------------------------------------------------------------


def season_table(event: int, prova: int, number: int) -> dict[str, Any]:
    found = SEASON["events"][event - 1]["prove"][prova - 1]
    tables = [table for played in found["rounds"] for table in played["tables"]]
    return next(table for table in tables if table["number"] == number)


@db
@both
@pytest.mark.parametrize("late", [False, True], ids=["before", "after the result"])
@pytest.mark.parametrize(
    ("event", "prova", "number", "title"),
    [(3, 2, 1, "1830"), (4, 1, 2, "1830"), (4, 1, 4, "1830"), (7, 1, 1, "1830"), (7, 1, 2, "1830")],
    ids=["E3 exclusion", "E4 substitute", "E4 referee", "E7 Cinderella", "E7 handicap"],
)
def test_the_tables_of_the_season_that_something_happened_at(
    cast: Cast, event: int, prova: int, number: int, title: str, late: bool
) -> None:
    """SEASON-EVT-3, -4, -7: exclusion, substitute, referee's seat, Cinderella, handicap."""
    told = season_table(event, prova, number)
    size = len(told["seats"])
    table = make_table(size, title=title, sizes=[size])
    amounts = [seat["total"] for seat in told["seats"]]
    if late:
        record(table, *amounts)
    for seat, given in zip(seats_of(table), told["seats"], strict=True):
        if given.get("excluded"):
            services.exclude(table, player_at(table, seat.position), "x", cast.alice, NOW)
        if given.get("unscored"):
            services.hand_over(seat, None, "referee", cast.alice, NOW)
        elif given.get("replaces"):
            services.hand_over(seat, make_player("Riserva"), "substitute", cast.alice, NOW)
        if given.get("cinderella"):
            absent = player_at(table, seat.position)
            services.hand_over(seat, absent, "cinderella", cast.alice, NOW)
        if given.get("handicap"):
            services.give_handicap(seat, given["handicap"], "x", cast.alice, NOW)
    if not late:
        record(table, *amounts)
    for line, expected in zip(written(table), told["results"], strict=True):
        points = None if line[5] is None else f"{line[5] / 100:.2f}"
        assert (line[4], points, line[6]) == (
            expected["place"],
            expected["percentile"],
            expected["win"],
        )


# --- barred ---------------------------------------------------------------------------------------


@db
@both
def test_who_is_barred_may_not_enrol_until_it_is_lifted(cast: Cast) -> None:
    """A-18, O-09: two events, counted from the day of the ruling."""
    elsa = make_player("Espresso")
    event = make_hall(3)
    made = services.ban(elsa, "events", TODAY - DAY, " Ordinanza 5 ", cast.sara, NOW, count=2)
    assert (made.scope, made.count, made.ruling, made.made_by) == (
        "events",
        2,
        "Ordinanza 5",
        cast.sara,
    )
    assert refused(services.enrol, event, elsa, cast.alice, NOW).rule == "A-18"
    services.lift_ban(made, cast.sara, NOW)
    assert refused(services.lift_ban, made, cast.sara, NOW).reason == "already_lifted"
    assert services.enrol(event, elsa, cast.alice, NOW).status == "enrolled"
    assert [e.verb for e in LogEntry.objects.about(elsa).order_by("pk")][-2:] == ["ban", "lift_ban"]


@db
def test_a_ban_that_makes_no_sense_is_refused(cast: Cast) -> None:
    elsa = make_player("Espresso")
    attempts: list[tuple[str, str, int | None, str]] = [
        ("events", " ", None, "reason_missing"),
        ("events", "x", 0, "bad_count"),
        ("events", "x", -1, "bad_count"),
        ("events", "x", 10**6, "bad_count"),
        ("web", "x", 2, "bad_count"),
        ("all", "x", 1, "bad_count"),
    ]
    for scope, ruling, count, reason in attempts:
        refusal = refused(services.ban, elsa, scope, TODAY, ruling, cast.sara, NOW, count=count)
        assert (refusal.reason, refusal.rule) == (reason, "A-18")
    services.ban(elsa, "web", TODAY, "x", cast.sara, NOW)
    again = refused(services.ban, elsa, "web", TODAY, "y", cast.sara, NOW)
    assert again.reason == "already_banned"
    with pytest.raises(ValueError, match="nowhere"):
        services.ban(elsa, "nowhere", TODAY, "x", cast.sara, NOW)


# --- the page -------------------------------------------------------------------------------------


def address(table: Table) -> str:
    return reverse("table_incidents", args=[table.pk])


def send(client: Client, table: Table, action: str, **data: Any) -> Any:
    return client.post(address(table), {"action": action, **data})


@pytest.fixture
def alice(cast: Cast) -> Client:
    return visitor(cast.alice)


@db
@both
def test_the_director_does_and_undoes_everything_from_the_page(cast: Cast, alice: Client) -> None:
    table = make_table()
    record(table, 9000, 8000, 6000)
    before = written(table)
    seat = seats_of(table)[0]
    bruno, elsa = cast.bruno.player, make_player("Espresso")

    def holding() -> dict[str, int]:
        return {"seat": seat.pk, "holding": seats_of(reread(table))[0].holder().pk}

    page = Page(alice.get(table.get_absolute_url()))
    assert address(table) in page.links
    page = Page(alice.get(address(table)))
    assert table.get_absolute_url() in page.links
    assert "No place, no percentile, no win at this table" in page.text
    assert page.inline == []

    def pressed(action: str, **data: Any) -> str:
        answer = send(alice, table, action, **data)
        assert answer.status_code == 302, Page(answer).text
        return Page(alice.get(answer.url.partition("#")[0])).text

    # 9000 − 1.500 = 7500: 8000 first, 7500 / 8000 = 937.50.
    text = pressed("handicap", seat=seat.pk, was=0, amount="−1.500", reason="12.13")
    assert standing(table) == ["937.50", "1562.50", "750.00"]
    assert "handicap −1500" in text
    pressed("handicap", seat=seat.pk, was=-1500, amount="0", reason="")
    assert written(table) == before
    text = pressed("exclude", seat=seat.pk, player=bruno.pk, ruling="Ordinanza 3")
    assert "excluded from this game" in text
    assert "The excluded player's total" in text
    assert standing(table) == ["–", "1750.00", "750.00"]
    pressed("exclusion", exclusion="keep_reference", reason="le vittime")
    assert standing(table) == ["–", "888.89", "666.67"]
    pressed("lift", removal=Removal.objects.get().pk)
    assert written(table) == before
    assert "Espresso" in Page(alice.get(address(table), {"cerca": "espr"})).text
    pressed("substitute", player=elsa.pk, **holding())
    assert written(table)[0][0] == elsa.pk
    pressed("cinderella", **holding())
    assert written(table)[0][:2] == (elsa.pk, "cinderella")
    pressed("referee", **holding())
    assert written(table)[0][:2] == (None, "referee")
    for _n in range(3):
        pressed("take_back", **holding())
    assert written(table) == before
    text = pressed("void", reason="si ricomincia")
    assert "si ricomincia" in text
    assert standing(table) == ["–", "–", "–"]
    pressed("unvoid")
    assert written(table) == before


@db
@both
def test_a_refusal_keeps_what_was_typed_and_shows_the_article(cast: Cast, alice: Client) -> None:
    table = make_table()
    seat = seats_of(table)[0]
    before = state()
    answer = send(alice, table, "handicap", seat=seat.pk, was=0, amount="-1000", reason="")
    assert answer.status_code == 422
    html = answer.content.decode()
    assert 'value="-1000"' in html
    assert "Say why the handicap is given" in html
    assert 'href="/regolamento/#C-09"' in html
    answer = send(alice, table, "handicap", seat=seat.pk, was=0, amount="tanto", reason="<b>")
    assert answer.status_code == 422
    assert "Enter a whole number" in Page(answer).text
    assert "<b>" not in answer.content.decode()
    assert state() == before


@db
@both
def test_a_refusal_names_the_player_and_is_told_beside_his_box(cast: Cast, alice: Client) -> None:
    table = make_table()
    make_player("Espresso")  # found by the search, for there to be somebody to choose
    seat = seats_of(table)[1]
    mine = {"seat": seat.pk, "player": seat.holder().player_id, "holding": seat.holder().pk}
    for action, field, words, data in [
        ("handicap", "amount", "Enter a whole number", {"amount": "tanto", "reason": "x"}),
        ("handicap", "reason", "Say why the handicap is given", {"amount": "-5", "reason": ""}),
        ("exclude", "ruling", "Write the ruling", {"ruling": ""}),
        ("substitute", "player", "Choose who sits down", {"player": ""}),
    ]:
        form = {"action": action, **mine, **data}
        answer = alice.post(f"{address(table)}?cerca=espr", form)
        html, page = answer.content.decode(), Page(answer)
        box = f"{action}-{field}-{seat.pk}"
        assert f"{seat.holder().player}: {words}" in page.text
        assert f"#{box}" in page.links
        assert f'id="{box}"' in html
        assert html.count('aria-invalid="true"') == html.count('id="fault"') == 1, action
        assert page.text.count(words) == 2, action
    answer = send(alice, table, "void", reason="")
    assert "#void-reason" in Page(answer).links
    assert answer.content.decode().count('id="fault"') == 1


@db
@both
def test_a_handicap_left_blank_is_a_question_and_not_its_withdrawal(
    cast: Cast, alice: Client
) -> None:
    table = make_table()
    seat = seats_of(table)[0]
    services.give_handicap(seat, -500, "12.13", cast.alice, NOW)
    before = state()
    for was, reason in ((-500, "12.13"), (-500, "")):
        answer = send(alice, table, "handicap", seat=seat.pk, was=was, amount="", reason=reason)
        assert answer.status_code == 422
        assert "Write the amount, or 0 to take the handicap back." in Page(answer).text
    assert state() == before
    assert send(alice, table, "handicap", seat=seat.pk, was=-500, amount="0").status_code == 302
    assert seats_of(reread(table))[0].handicap == 0


@db
@both
def test_a_search_says_who_is_free_who_sits_where_and_what_to_do_for_the_unknown(
    cast: Cast, alice: Client
) -> None:
    table, other = tables_of(make_event(players=8))
    elsa = make_player("Espresso")
    busy = player_at(other)

    def found(surname: str) -> Page:
        return Page(alice.get(address(table), {"cerca": surname}))

    free = found("espr")
    assert "Found: Espresso. Open “Substitute” at the seat: 1." in free.text
    assert f"#seat-{seats_of(table)[0].pk}" in free.links
    seated = found(busy.surname)
    assert f"{busy}: sits at table {other.number} of this round" in seated.text
    assert other.get_absolute_url() in seated.links
    services.hand_over(seats_of(table)[0], elsa, "substitute", cast.alice, NOW)
    assert "has sat at this table already" in found(cast.bruno.player.surname).text
    unknown = found("zzzz")
    assert "Nobody on the books is called so" in unknown.text
    assert reverse("roll_call", args=[table.event.pk]) in unknown.links


@db
@both
def test_everybody_reads_on_the_table_who_left_and_who_has_a_handicap(cast: Cast) -> None:
    """7500 − 500 = 7000, after 7200; a referee's seat says whose it was, and names nobody twice."""
    table = make_table()
    record(table, 7500, 7200, 6600)
    first, second, third = seats_of(table)
    bruno, absent, left = (seat.holder().player for seat in (first, second, third))
    elsa = make_player("Espresso")

    def told() -> tuple[str, str]:
        result = reread(table).confirmed()
        assert result
        return result.reason, Page(visitor().get(table.get_absolute_url())).text

    services.give_handicap(first, -500, "12.13", cast.alice, NOW)
    assert f"{bruno} (handicap −500)" in told()[1]
    services.hand_over(first, elsa, "substitute", cast.alice, NOW)
    reason, text = told()
    assert reason == f"substitute: Espresso in the place of {bruno}"
    assert f"Espresso (in the place of {bruno}) (handicap −500)" in text
    services.hand_over(second, absent, "cinderella", cast.alice, NOW)
    assert told()[0] == f"absent: Cinderella plays for {absent}"
    services.hand_over(third, None, "referee", cast.alice, NOW)
    reason, text = told()
    assert reason == f"a referee finishes the game of {left}"
    assert f"a referee (in the place of {left})" in text
    assert "played by a referee" not in text
    services.take_back_hand_over(third, cast.alice, NOW)
    assert told()[0] == f"change of hands taken back: the seat is again of {left}"
    services.lift(services.exclude(table, elsa, "x", cast.alice, NOW), cast.alice, NOW)
    assert told()[0] == "exclusion lifted: Espresso"


@db
def test_the_longest_names_fit_the_reason_of_a_change_of_hands(cast: Cast) -> None:
    table = make_table()
    record(table, 7500, 7200, 6600)
    seat = seats_of(table)[0]
    Player.objects.filter(pk=player_at(table).pk).update(surname="A" * 80, name="B" * 80)
    Player.objects.filter(pk=make_player("Espresso").pk).update(surname="C" * 80, name="D" * 80)
    services.hand_over(seat, Player.objects.get(name="D" * 80), "substitute", cast.alice, NOW)
    result = reread(table).confirmed()
    assert result
    assert len(result.reason) == 300


BAD: dict[str, dict[str, Any]] = {
    "no action": {},
    "another action": {"action": "explode"},
    "a null byte": {"action": "\x00"},
    "no seat": {"action": "handicap", "amount": "1", "reason": "x"},
    "a word for a seat": {"action": "handicap", "seat": "x", "amount": "1", "reason": "x"},
    "a huge seat": {"action": "handicap", "seat": "9" * 40, "amount": "1", "reason": "x"},
    "a negative seat": {"action": "referee", "seat": "-1", "holding": "1"},
    "an amount with a point": {"action": "handicap", "seat": "{s}", "amount": "1.5", "reason": "x"},
    "a huge amount": {"action": "handicap", "seat": "{s}", "amount": "9" * 12, "reason": "x"},
    "a longer amount": {"action": "handicap", "seat": "{s}", "amount": "9" * 999, "reason": "x"},
    "an amount of NUL": {"action": "handicap", "seat": "{s}", "amount": "1\x00", "reason": "x"},
    "a reason of NUL": {"action": "handicap", "seat": "{s}", "amount": "1", "reason": "\x00"},
    "a long reason": {"action": "handicap", "seat": "{s}", "amount": "1", "reason": "x" * 201},
    "a stale handicap": {
        "action": "handicap",
        "seat": "{s}",
        "was": "7",
        "amount": "1",
        "reason": "x",
    },
    "no amount": {"action": "handicap", "seat": "{s}", "amount": "", "reason": ""},
    "no ruling": {"action": "exclude", "seat": "{s}", "player": "{p}", "ruling": " "},
    "a long ruling": {"action": "exclude", "seat": "{s}", "player": "{p}", "ruling": "x" * 301},
    "no player": {"action": "exclude", "seat": "{s}", "ruling": "x"},
    "somebody else": {"action": "exclude", "seat": "{s}", "player": "{o}", "ruling": "x"},
    "nobody chosen": {"action": "substitute", "seat": "{s}", "holding": "{h}", "player": ""},
    "a player of NUL": {"action": "substitute", "seat": "{s}", "holding": "{h}", "player": "\x00"},
    "two tables": {"action": "substitute", "seat": "{s}", "holding": "{h}", "player": "{o}"},
    "a stale holder": {"action": "referee", "seat": "{s}", "holding": "1" * 15},
    "no holder": {"action": "cinderella", "seat": "{s}"},
    "nothing to take back": {"action": "take_back", "seat": "{s}", "holding": "{h}"},
    "nothing to lift": {"action": "lift"},
    "a word to lift": {"action": "lift", "removal": "x"},
    "an unknown decision": {"action": "exclusion", "exclusion": "halve", "reason": "x"},
    "a decision on nobody": {"action": "exclusion", "exclusion": "recompute", "reason": "x"},
    "a void without reason": {"action": "void", "reason": ""},
    "a valid game": {"action": "unvoid"},
}


@db
@pytest.mark.parametrize("data", BAD.values(), ids=BAD.keys())
def test_nonsense_is_refused_in_words_and_changes_nothing(
    cast: Cast, alice: Client, data: dict[str, Any]
) -> None:
    table, other = tables_of(make_event(players=8))
    record(table, 9000, 8000, 6000, 0)
    seat = seats_of(table)[0]
    known = {
        "{s}": seat.pk,
        "{h}": seat.holder().pk,
        "{p}": cast.bruno.player.pk,
        "{o}": player_at(other).pk,
    }
    before = state()
    answer = alice.post(address(table), {k: known.get(v, v) for k, v in data.items()})
    assert answer.status_code == 422
    assert 'class="refusal"' in answer.content.decode()
    assert "\x00" not in answer.content.decode()
    assert state() == before


@db
def test_what_belongs_elsewhere_is_not_there(cast: Cast, alice: Client) -> None:
    table, other = tables_of(make_event(players=8))
    seat, foreign = seats_of(table)[0], seats_of(other)[0]
    removal = services.exclude(other, player_at(other), "x", cast.alice, NOW)
    before = state()
    attempts: list[tuple[str, dict[str, Any]]] = [
        ("handicap", {"seat": foreign.pk, "amount": "1", "reason": "x"}),
        ("lift", {"removal": removal.pk}),
        ("lift", {"removal": 2**62}),
        ("exclude", {"seat": seat.pk, "player": 2**62, "ruling": "x"}),
        ("substitute", {"seat": seat.pk, "holding": seat.holder().pk, "player": 2**62}),
    ]
    for action, data in attempts:
        assert send(alice, table, action, **data).status_code == 404, action
    assert state() == before


@db
@both
def test_who_does_not_run_the_event_finds_no_such_page(cast: Cast) -> None:
    services.appoint_referee(cast.bruno.player, TODAY, cast.sara, NOW)
    theirs = make_table(name="Festa di Bruno", director=Player.objects.get(pk=cast.bruno.player.pk))
    seat = seats_of(theirs)[0]
    data = {"seat": seat.pk, "amount": "1", "reason": "x"}
    for user in (cast.alice, cast.carla, cast.dino):  # Carla referees the table
        assert visitor(user).get(address(theirs)).status_code == 404
        assert send(visitor(user), theirs, "handicap", **data).status_code == 404
    assert send(visitor(), theirs, "handicap", **data).status_code == 302
    assert Seat.objects.get(pk=seat.pk).handicap == 0
    assert send(visitor(cast.bruno), theirs, "handicap", **data).status_code == 302
    assert Seat.objects.get(pk=seat.pk).handicap == 1


@db
def test_the_page_of_a_draft_or_of_a_closed_event_offers_nothing(cast: Cast, alice: Client) -> None:
    draft = make_sketch(make_hall(4)).tables.get()
    assert alice.get(address(draft)).status_code == 302
    table = make_table()
    record(table, 9000, 8000, 6000)
    Event.objects.filter(pk=table.event.pk).update(status="closed")
    answer = alice.get(address(table))
    assert "this page can only be read" in Page(answer).text
    assert 'name="action"' not in answer.content.decode()
    late = send(alice, table, "void", reason="x")
    assert late.status_code == 422
    assert 'href="/regolamento/#C-15"' in late.content.decode()
    assert make_draft().pk  # an event in preparation has no tables at all


@db
def test_who_was_excluded_and_has_left_can_still_be_taken_back_in(
    cast: Cast, alice: Client
) -> None:
    table = make_table()
    seat = seats_of(table)[0]
    removal = services.exclude(table, cast.bruno.player, "Ordinanza 3", cast.alice, NOW)
    services.hand_over(seat, make_player("Espresso"), "substitute", cast.alice, NOW)
    page = Page(alice.get(address(table)))
    assert "Ordinanza 3" in page.text
    assert send(alice, table, "lift", removal=removal.pk).status_code == 302
    assert "Ordinanza 3" not in Page(alice.get(address(table))).text


@db
@pytest.mark.parametrize("typed", ["", "e", "\x00", "%", "'", "<b>", "z" * 500, "espr"])
def test_whatever_is_looked_for_the_page_answers(cast: Cast, alice: Client, typed: str) -> None:
    table = make_table()
    make_player("Espresso")
    answer = alice.get(address(table), {"cerca": typed})
    assert answer.status_code == 200
    assert ("Espresso" in Page(answer).text) is (typed == "espr")
