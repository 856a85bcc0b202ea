"""The pages of a game without an engine: a short one of 1856 from the first form to the result."""

from __future__ import annotations

from datetime import datetime, timedelta
from typing import Any

import pytest
from django.contrib.auth.hashers import make_password
from django.db import connection
from django.test.utils import CaptureQueriesContext
from django.urls import reverse

from figf.models import Email, User
from figf.tests.cast import DAY, HOUR, MINUTE, NOW, Page, make_cast, visitor
from pbem import services
from pbem.models import Consent, Game, Move
from pbem.rules.commands import Written
from pbem.tests.running import make_game, reread, send, user_at
from tournaments.models import Result

pytestmark = pytest.mark.django_db
both = pytest.mark.both


class Clock:
    """The hour that the pages read."""

    def __init__(self) -> None:
        self.now: datetime = NOW

    def on(self, later: timedelta) -> None:
        self.now += later


@pytest.fixture
def clock(monkeypatch: pytest.MonkeyPatch) -> Clock:
    clock = Clock()
    monkeypatch.setattr("django.utils.timezone.now", lambda: clock.now)
    return clock


@pytest.fixture
def game(clock: Clock) -> Game:
    """Four players, in the order 3, 1, 4, 2; the first seat is Bruno's, Carla referees."""
    return make_game(4, title="1856", order=[3, 1, 4, 2])


def page_of(game: Game, user: User | None, query: str = "") -> Page:
    answer = visitor(user).get(reverse("game", args=[game.pk]) + query)
    assert answer.status_code == 200
    return Page(answer)


def move(game: Game, seat: int, **form: str) -> Any:
    """The form of that seat, as its page was, filled in and sent."""
    user = user_at(game, seat)
    boxes = page_of(game, user, "?correggi=1" if form.pop("correct", "") else "").boxes
    hidden: dict[str, Any] = {
        name: boxes[name] for name in ("seen", "key", "corrects") if name in boxes
    }
    told: dict[str, Any] = {"act": "send", **hidden, **form}
    return visitor(user).post(reverse("game_move", args=[game.pk]), told)


def moved(game: Game, seat: int, **form: str) -> Move:
    answer = move(game, seat, **form)
    assert answer.status_code == 302, Page(answer).text
    found = Move.objects.filter(game=game).latest("pk")
    assert found.seat.position == seat
    return found


def desk(game: Game, act: str, **form: str) -> Any:
    address = reverse("hand_desk", args=[game.pk])
    return visitor(make_cast().dino).post(address, {"act": act, **form})


def tick(game: Game, number: int, **form: str) -> Any:
    address = reverse("hand_tick", args=[game.pk, number])
    told = {name.replace("_", "-"): value for name, value in form.items()}
    return visitor(make_cast().dino).post(address, told)


def words(answer: Any) -> str:
    return Page(answer).text


def to_act(game: Game) -> tuple[int | None, str]:
    game = reread(game)
    return (game.to_act.position if game.to_act else None), game.clock


def turns(*rows: tuple[str, int], at: int = 0, **more: str) -> dict[str, str]:
    form = {"kind": "operating", "label": "OR 1.1", "at": str(at), **more}
    for n, (label, seat) in enumerate(rows):
        form |= {f"turn{n}_label": label, f"turn{n}_seat": str(seat)}
    return form


# --- a whole game ---------------------------------------------------------------------------------


@both
def test_a_short_game_of_1856_from_the_first_form_to_the_percentiles(
    game: Game, clock: Clock
) -> None:
    """S-15, T-06, T-10, Y-02, Y-03, X-03, S-14, C-14, C-05 — by four players, over HTTP.

    8000, 7500, 6000 and 4000: 937.50, 750 and 500; the first has 2500 less 937.50.
    """
    cast = make_cast()
    # The privates: a purchase and a bid; the third seat sent a wrong sum, and corrects it.
    moved(game, 3, bid_company="FT", bid_deed="buy", bid_amount="30")
    clock.on(HOUR)
    corrected = moved(game, 3, correct="1", bid_company="FT", bid_deed="buy", bid_amount="20")
    assert corrected.replaces is not None
    assert corrected.replaces.number == 1
    moved(game, 1, bid_company="WSRC", bid_deed="bid", bid_amount="45")
    # The fourth is late: the station master opens his turn again.
    clock.on(2 * DAY + 2 * MINUTE)
    services.sweep(clock.now)
    assert to_act(game) == (4, "reviewing")
    late = moved(game, 4, **{"pass": "1"})
    assert late.state == "late"
    services.reopen_turn(game.pk, "He was travelling.", cast.dino, clock.now)
    moved(game, 4, **{"pass": "1"})
    # A president's certificate, and sales in the same form.
    bought = moved(
        game,
        2,
        buy_corporation="CPR",
        buy_source="ipo",
        buy_president="1",
        buy_par="90",
        buy_amount="180",
        sale1_corporation="GT",
        sale1_number="1",
        sale1_amount="70",
        sale1_when="after",
        other="A loan is not taken",
    )
    said = services.move_by_hand(bought, services.names_of_game(reread(game)))
    assert [line.words for line in said] == [
        "President's certificate: CPR, from the initial offering, par 90, sum 180",
        "Sale of certificates: GT, 1 certificate, sum 70, after the purchase",
        "Other commands: A loan is not taken",
    ]
    # The station master ticks: no sale in the first round. The whole table reads why.
    answer = tick(game, bought.number or 0, fate_0="executed", fate_1="refused", fate_2="executed")
    assert answer.status_code == 422
    assert "Say why it is not executed" in words(answer)
    told = {"fate_0": "executed", "fate_1": "refused", "fate_2": "executed"}
    answer = tick(game, bought.number or 0, why_1="No sale in the first stock round.", **told)
    assert answer.status_code == 302
    mails = Email.objects.filter(key__startswith=f"ticked:{game.pk}:")
    assert mails.count() == 5
    assert "No sale in the first stock round." in page_of(game, None).text
    # All pass: the clock stands until the operating order is said.
    for seat in (3, 1, 4, 2):
        moved(game, seat, **{"pass": "1"})
    assert to_act(game) == (None, "paused")
    assert "The station master will say how the game goes on." in page_of(game, None).text
    clock.on(DAY)
    order = [("CPR", 2), ("GT", 3), ("LPS", 4)]
    assert desk(game, "turns", **turns(*order)).status_code == 302
    assert to_act(game) == (2, "running")
    assert reread(game).due_at == clock.now + 2 * DAY
    # CPR buys a private of the third seat: he agrees. GT asks a train: a no. LPS: silence.
    row = {"tile1_hex": "L11", "tile1_number": "57", "tile1_side": "NE", "run_amount": "0"}
    run = {"run_dividend": "withhold"}
    moved(game, 2, private_company="FT", private_from="3", private_price="40", **row, **run)
    assert to_act(game) == (3, "consent")
    consent = Consent.objects.get()
    asked = page_of(game, user_at(game, 3))
    assert "Purchase of a private: FT, sum 40, from" in asked.text
    answer = visitor(user_at(game, 3)).post(
        reverse("consent", args=[consent.pk]), {"answer": "yes"}
    )
    assert answer.status_code == 302
    assert to_act(game) == (3, "running")
    train = {"train1_train": "2", "train1_seller": "CPR", "train1_from": "2"}
    moved(game, 3, train1_price="100", token_hex="F15", token_price="40", **train)
    consent = Consent.objects.latest("pk")
    visitor(user_at(game, 2)).post(reverse("consent", args=[consent.pk]), {"answer": "no"})
    assert to_act(game) == (4, "running")
    wanted = moved(game, 4, train1_price="1", **train)
    clock.on(2 * DAY + 2 * MINUTE)
    services.sweep(clock.now)
    assert Consent.objects.latest("pk").answer == "lapsed"
    assert to_act(game) == (None, "paused")
    assert "No answer came in 48 hours" in page_of(game, None).text
    # The turn of LPS is given back; then a stock round begins, and the game is closed.
    services.roll_back(wanted, "Sent again without the train.", cast.dino, clock.now)
    assert to_act(game) == (4, "running")
    moved(game, 4, run_amount="30", run_dividend="pay")
    assert desk(game, "turns", kind="stock", label="SR 2", player="1").status_code == 302
    assert "SR 2" in page_of(game, user_at(game, 1)).text
    sheet = "Bruno    $1200\nCarmelo   $900"
    assert desk(game, "sheet", sheet=sheet).status_code == 302
    assert "$1200" in page_of(game, None).text
    clock.on(MINUTE)
    moved(game, 1, **{"pass": "1"})
    assert "1 move was played since." in page_of(game, None).text
    assert desk(game, "close", reason="The bank broke", result_ready="1").status_code == 302
    assert to_act(game) == (None, "over")
    # The referee types, the director confirms.
    referee = page_of(game, cast.carla)
    address = reverse("table_result", args=[game.table_id])
    assert address in referee.links
    assert address not in page_of(game, user_at(game, 1)).links
    totals = (8000, 7500, 6000, 4000)
    seats = reread(game).table.seats.all()
    typed = {f"total-{seat.pk}": str(sum_) for seat, sum_ in zip(seats, totals, strict=True)}
    assert (
        visitor(cast.carla).post(f"{address}?totals=1", {"version": "0", **typed}).status_code
        == 302
    )
    assert (
        visitor(cast.alice).post(f"{address}?totals=1", {"version": "1", **typed}).status_code
        == 302
    )
    result = Result.objects.get(table=game.table_id, state="confirmed")
    points = [line.points for line in result.lines.order_by("seat__position")]
    assert points == [156250, 93750, 75000, 50000]


# --- the form -------------------------------------------------------------------------------------


def test_what_looks_wrong_is_said_before_it_is_sent(game: Game) -> None:
    """V-06, V-07, Y-05 — and may be sent all the same."""
    answer = move(game, 3, buy_corporation="CPR")
    assert answer.status_code == 200
    assert "It does not say from where" in words(answer)
    assert "It does not say at what price" in words(answer)
    assert "Send it all the same" in words(answer)
    assert not Move.objects.exists()
    assert moved(game, 3, buy_corporation="CPR", act="sure").state == "played"


def test_a_hex_and_a_tile_that_are_not_there_are_noticed(game: Game) -> None:
    """X-05."""
    desk(game, "turns", **turns(("CPR", 3)))
    answer = move(game, 3, tile1_hex="Z99", tile1_number="9999", tile1_side="N")
    assert "This hex is not on the map." in words(answer)
    assert "This tile is not among those of the title." in words(answer)
    answer = move(game, 3, train1_seller="GT", train1_price="1", run_amount="100")
    assert "It does not say who presides over it" in words(answer)
    assert "whether to pay out or to withhold" in words(answer)


@pytest.mark.parametrize(
    ("form", "said"),
    [
        ({"pass": "1", "buy_corporation": "CPR"}, "A pass contradicts any other command"),
        ({"buy_corporation": "CPR", "buy_amount": "a lot"}, "“a lot” is none"),
        ({"sale1_corporation": "GT", "sale1_number": "11"}, "From 1 to 10 certificates."),
        ({"bid_deed": "steal"}, "steal"),
        ({"buy_corporation": "C" * 41}, "at most 40 characters"),
    ],
)
def test_what_cannot_be_read_is_marked_and_nothing_is_sent(
    game: Game, form: dict[str, str], said: str
) -> None:
    """V-02 — 422, what was typed kept."""
    answer = move(game, 3, **form)
    assert answer.status_code == 422
    assert said in words(answer)
    assert "Nothing was sent yet" in words(answer)
    assert not Move.objects.exists()
    if "buy_corporation" in form:
        assert Page(answer).boxes["buy_corporation"] == form["buy_corporation"]


def test_a_preview_sends_nothing(game: Game) -> None:
    answer = move(
        game, 3, buy_corporation="CPR", buy_source="pool", buy_amount="$ 1.100", act="preview"
    )
    assert answer.status_code == 200
    assert "Purchase of a certificate: CPR, from the bank pool, sum 1100" in words(answer)
    assert not Move.objects.exists()


def test_the_word_of_the_table_is_asked(game: Game) -> None:
    """S-13."""
    Game.objects.filter(pk=game.pk).update(password=make_password("fischio"))
    answer = move(game, 3, **{"pass": "1"}, password="vapore")
    assert answer.status_code == 422
    assert "This is not the word of this table." in words(answer)
    assert moved(game, 3, **{"pass": "1"}, password="fischio").state == "played"


def test_a_form_overtaken_is_kept_and_shown_again(game: Game) -> None:
    """S-15 — based on what is no more, it is not played; what was written comes back."""
    user, address = user_at(game, 3), reverse("game_move", args=[game.pk])
    boxes = page_of(game, user).boxes
    desk(game, "turns", kind="stock", label="SR 1", player="3")
    told = {"act": "send", "seen": boxes["seen"], "key": boxes["key"], "buy_corporation": "GT"}
    told |= {"buy_source": "ipo", "buy_amount": "70"}
    answer = visitor(user).post(address, told, follow=True)
    assert Move.objects.latest("pk").state == "stale"
    assert "look at it, and send it again" in words(answer)
    assert Page(answer).boxes["buy_corporation"] == "GT"


def test_the_same_form_twice_is_one_move(game: Game) -> None:
    user, address = user_at(game, 3), reverse("game_move", args=[game.pk])
    boxes = page_of(game, user).boxes
    told = {"act": "send", "seen": boxes["seen"], "key": boxes["key"], "pass": "1"}
    visitor(user).post(address, told)
    visitor(user).post(address, told)
    assert Move.objects.count() == 1


def test_nobody_else_has_a_form(game: Game) -> None:
    """V-01."""
    for user in (None, user_at(game, 1), make_cast().dino):
        assert "Send the move" not in page_of(game, user).text
    answer = visitor(user_at(game, 1)).post(reverse("game_move", args=[game.pk]), {"pass": "1"})
    assert answer.status_code == 302
    assert not Move.objects.exists()


def test_a_correction_begins_with_what_was_sent(game: Game) -> None:
    """Y-03."""
    moved(game, 3, buy_corporation="GT", buy_source="ipo", buy_amount="70", comment="Hello")
    page = page_of(game, user_at(game, 3), "?correggi=1")
    assert page.boxes["buy_corporation"] == "GT"
    assert page.boxes["corrects"] == "1"
    assert "Correct move 1" in page.text


# --- the station master ---------------------------------------------------------------------------


def test_only_who_keeps_the_game_has_its_pages(game: Game) -> None:
    moved(game, 3, **{"pass": "1"})
    cast = make_cast()
    addresses = [reverse("hand_desk", args=[game.pk]), reverse("hand_tick", args=[game.pk, 1])]
    for address in addresses:
        assert visitor().get(address).status_code == 302
        for user in (user_at(game, 3), cast.alice):
            assert visitor(user).get(address).status_code == 404
        for user in (cast.dino, cast.sara):
            assert visitor(user).get(address).status_code == 200
    played = make_game(3)
    assert visitor(cast.dino).get(reverse("hand_desk", args=[played.pk])).status_code == 404


def test_what_the_station_master_leaves_out_is_marked(game: Game) -> None:
    for form, said in [
        (turns(), "Say who plays which corporation"),
        ({"kind": "stock"}, "Choose who is to act."),
        ({"kind": "stock", "player": "1"}, "Somebody else was to act"),
        ({**turns(), "turn0_label": "CPR"}, "Choose who plays it."),
        ({"kind": "both"}, "both"),
        ({**turns(("CPR", 2)), "at": "x", "reason": "x"}, "whole number"),
    ]:
        answer = desk(game, "turns", **form)
        assert answer.status_code == 422, form
        assert said in words(answer)
    answer = desk(game, "close", reason="x")
    assert answer.status_code == 422
    assert "Tick it to close the game." in words(answer)
    assert desk(game, "sheet", sheet="x", seen="yesterday").status_code == 422
    assert desk(game, "dance").status_code == 200
    assert not Move.objects.exists()


def test_a_sheet_written_over_is_not_lost(game: Game) -> None:
    assert desk(game, "sheet", sheet="first").status_code == 302
    answer = desk(game, "sheet", sheet="second", seen="")
    assert answer.status_code == 422
    assert "Somebody wrote the sheet meanwhile" in words(answer)
    assert "second" in answer.content.decode()
    assert reread(game).sheet == "first"


def test_rows_left_empty_close_up(game: Game) -> None:
    form = turns(("CPR", 2), ("GT", 3), at=5, reason="The order is out.")
    form |= {"turn5_label": "LPS", "turn5_seat": "4"}
    assert desk(game, "turns", **form).status_code == 302
    assert to_act(game)[0] == 4
    assert services.turns_of(reread(game)).at == 2


def test_what_was_looked_at_is_asked_of_nobody_again(game: Game) -> None:
    moved(game, 3, buy_corporation="GT", buy_source="ipo", buy_amount="70")
    dino = make_cast().dino
    assert "Look at move 1" in page_of(game, dino).text
    assert tick(game, 1, fate_0="executed").status_code == 302
    assert "Look at move 1" not in page_of(game, dino).text
    text = page_of(game, None).text
    assert "executed" in text
    assert "not checked yet" not in text


def test_the_page_asks_as_much_with_many_moves_as_with_few(game: Game) -> None:
    row = Written("buy", (("corporation", "GT"),))

    def count() -> int:
        with CaptureQueriesContext(
            connection,
        ) as asked:
            visitor().get(reverse("game", args=[game.pk]) + "?tutte=1")
        return len(asked)

    for seat in (3, 1):
        send(game, [row], NOW, seat=seat)
    few = count()
    for seat in (4, 2, 3, 1, 4, 2, 3, 1):
        send(game, [row], NOW, seat=seat)
    assert count() == few


def test_the_pages_have_nothing_inline(game: Game) -> None:
    moved(game, 3, buy_corporation="GT", buy_source="ipo", buy_amount="70")
    dino = make_cast().dino
    pages: list[tuple[Any, str]] = [
        (user_at(game, 1), reverse("game", args=[game.pk])),
        (dino, reverse("hand_desk", args=[game.pk])),
        (dino, reverse("hand_tick", args=[game.pk, 1])),
    ]
    for user, address in pages:
        assert not Page(visitor(user).get(address)).inline
