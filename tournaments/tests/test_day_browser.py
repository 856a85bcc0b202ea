"""The director's whole day in a real browser: roll call, two prove, the standing, the closing.

Nothing expected here comes from the program. Percentiles, totals and places are reckoned below from
the text of the regulation (C-01, C-02, C-05, C-06, D-01, G-03); the points are those printed for an
event of two prove (D-06, FE 3); the tables are dealt by hand.
"""

from __future__ import annotations

import csv
import io
import math
from collections.abc import Iterable, Sequence
from fractions import Fraction
from typing import TypeAlias

import pytest
from django.urls import reverse
from django.utils import timezone
from playwright.sync_api import Browser, BrowserContext, Locator, Page, expect
from pytest_django.live_server_helper import LiveServer

from figf.tests.cast import (
    DAY,
    Cast,
    make_cast,
    make_draft,
    make_past,
    make_player,
    make_title,
)
from figf.tests.test_browser import NARROW, another_visitor, button, come_in, link, ready, say, told
from rankings.services import ranking_before
from tournaments import services
from tournaments.models import Event, EventPlace

pytestmark = [pytest.mark.browser, pytest.mark.django_db(transaction=True)]

Prova: TypeAlias = Sequence[dict[str, int]]  # its tables: the total of each player, in seat order


# --- the regulation, once more --------------------------------------------------------------------

POINTS = (75, 54, 39, 27, 18, 12, 9, 6, 3, 1)  # 000:71-81 with FE 3; from the eleventh on nothing


def credited(totals: Sequence[int]) -> list[Fraction]:
    """The total over the first's, times 1000, to two decimals, half up.

    The first has 1000 + 500 + the gap from 1000 to the second; of several firsts, each has 1500.
    """
    most = max(totals)
    hundredths = [math.floor(Fraction(100_000 * each, most) + Fraction(1, 2)) for each in totals]
    worth = [Fraction(each, 100) for each in hundredths]
    gap = 1000 - sorted(worth)[-2]  # none if the second is first too
    return [w + 500 + gap if t == most else w for t, w in zip(totals, worth, strict=True)]


def standing(prove: Sequence[Prova], ranking: dict[str, int]) -> list[list[str]]:
    """The rows of the page: place, name, percentile by prova, total, points, games won.

    Of equal totals the better single percentile comes first, then the lower ranking.
    """
    scores: dict[str, dict[int, Fraction]] = {}
    wins: dict[str, int] = {}
    for number, tables in enumerate(prove):
        for table in tables:
            for name, score in zip(table, credited(list(table.values())), strict=True):
                scores.setdefault(name, {})[number] = score
                wins[name] = wins.get(name, 0) + (table[name] == max(table.values()))
    merits = {
        name: (sum(his.values(), Fraction(0)), max(his.values()), -ranking.get(name, 0))
        for name, his in scores.items()
    }
    places = {
        name: 1 + sum(other > own for other in merits.values()) for name, own in merits.items()
    }
    return [
        [
            str(places[name]),
            name,
            *(written(scores[name].get(number)) for number in range(2)),
            written(merits[name][0]),
            str(POINTS[places[name] - 1] if places[name] <= len(POINTS) else 0),
            str(wins[name]),
        ]
        for name in sorted(places, key=lambda name: (places[name], name))
    ]


def written(figure: Fraction | None) -> str:
    """As an Italian page writes a percentile: 1540, 887,51; of a prova not played, nothing."""
    if figure is None:
        return ""
    whole, hundredths = divmod(int(figure * 100), 100)
    return f"{whole},{hundredths:02}" if hundredths else str(whole)


# --- what is played -------------------------------------------------------------------------------


def named(tables: str) -> list[list[str]]:
    """Tables as written here: 07 is Passeggero 07."""
    return [
        [f"Passeggero {word}" if word.isdigit() else word for word in table.split()]
        for table in tables.split("|")
    ]


# Before the event. Passeggero 21 leads, and comes only for the second prova.
RANKING = {
    f"Passeggero {number}": points
    for number, points in {"21": 500, "07": 120, "03": 80, "12": 80, "19": 10}.items()
}

# Nineteen are enrolled, and nineteen players would make four tables (B-01: 5 + 5 + 5 + 4); with two
# who arrive they are twenty-one, and make five. By ranking (B-08), equal points by surname (B-10);
# then who is not in the ranking, by surname (B-09).
FIRST = named("07 03 12 19 01 | 02 04 05 06 | 08 09 10 11 | 13 14 15 16 | 17 18 20 Ritardatario")
# Shares and cash. The first place of table 2 is shared; the last seat of table 3 is wrong; table 5
# has the best totals of table 1 again, whose players the ranking puts behind.
COUNTED = [
    [(6100, 1400), (6000, 1200), (5000, 1600), (0, 0), (1000, 234)],
    [(6500, 500), (2000, 5000), (3500, 0), (2000, 333)],
    [(8000, 1000), (7700, 300), (4000, 500), (5500, 500)],
    [(7250, 750), (7000, 201), (6000, 0), (3999, 1)],
    [(7000, 500), (7000, 200), (6000, 600), (0, 0)],
]
RIGHT = (9000, 600)  # what Passeggero 11 has in truth: he is first at table 3

# 19 and 06 leave, 21 arrives: twenty are four tables of five. By the standing (B-12); 02 and 04, 05
# and 16 are level on everything, and sit by surname; the newcomer is last, whatever his ranking
# (B-13).
SECOND = named("13 11 17 07 02 | 04 18 03 08 14 | 20 12 09 15 05 | 16 10 01 Ritardatario 21")
TOTALS = [
    [4000, 6000, 5000, 5400, 3000],
    [7350, 7000, 2000, 0, 6999],
    [3000, 6600, 6000, 6599, 100],
    [8000, 2000, 7000, 1, 4000],
]
RECOUNTED = 5600  # what Passeggero 17, third of table 1, has in truth


def first(*, right: bool) -> Prova:
    sums = [[stocks + cash for stocks, cash in table] for table in COUNTED]
    sums[2][3] = sum(RIGHT) if right else sums[2][3]
    return [dict(zip(*table, strict=True)) for table in zip(FIRST, sums, strict=True)]


def second(*, recounted: bool) -> Prova:
    sums = [list(table) for table in TOTALS]
    sums[0][2] = RECOUNTED if recounted else sums[0][2]
    return [dict(zip(*table, strict=True)) for table in zip(SECOND, sums, strict=True)]


def test_what_is_expected_is_what_one_finds_by_hand() -> None:
    """C-01, C-02, C-06: 7200 ÷ 7500 = 0.96. C-05: 1 ÷ 8000 × 1000 = 0.125. G-03 in the order: 17
    and 07 have 1540, 18 and 03 960, 20 and 12 880, and the lower ranking goes first; 02 and 04
    share a place, as do 05 and 16."""
    for totals, worth in [
        ([7500, 7200, 6600, 0], "1540 960 880 0"),
        ([7000, 7000, 3500, 2333], "1500 1500 500 333,29"),
        ([8000, 1, 7000], "1625 0,13 875"),
    ]:
        assert " ".join(map(written, credited(totals))) == worth
    rows = standing([first(right=True)], RANKING)
    order = "13 11 17 07 02 04 18 03 08 14 20 12 09 15 05 16 10 06 01 Ritardatario 19"
    assert [[row[1] for row in rows]] == named(order)
    assert [int(row[0]) for row in rows] == [*range(1, 6), 5, *range(7, 16), 15, *range(17, 22)]
    # 3162,50; 3047,62; 2440; 2380,15 = 880 + 1500,15; with 5600, 1540 + 933,33 is third.
    for recounted, order in [(False, "11 04 07 12 17"), (True, "11 04 17 07 12")]:
        rows = standing([first(right=True), second(recounted=recounted)], RANKING)
        assert [[row[1] for row in rows[:5]]] == named(order)
    assert rows[2] == ["3", "Passeggero 17", "1540", "933,33", "2473,33", "39", "1"]


# --- what the director does -----------------------------------------------------------------------


class Day:
    """His browser: he goes from page to page by their links, and counts by the keyboard."""

    def __init__(self, page: Page, event: Event) -> None:
        self.page, self.event = page, event

    def home(self) -> None:
        """To the page of the event, by the link that every page of it has."""
        self.page.locator(f"main a[href='{self.event.get_absolute_url()}']").first.click()
        expect(self.page.locator("h1")).to_have_text(self.event.name)
        ready(self.page)

    def onward(self, text: str) -> None:
        """The one thing to do now, which the page of the event names."""
        step = self.page.locator(".now .btn-primary")
        expect(step).to_have_text(say(text))
        step.click()

    def arrives(self, surname: str) -> None:
        """Enrolled on the spot, from the books."""
        page = self.page
        ready(page)
        page.locator("#id_cerca").fill(surname)
        found = page.locator("#found").get_by_role("button")
        expect(found).to_have_count(1)
        page.locator("#add-present").set_checked(True)
        found.click()
        self.is_here(surname)

    def arrives_unknown(self, surname: str) -> None:
        """Not on the books: registered and enrolled."""
        self.page.locator("#newcomer summary").click()
        form = self.page.locator("#newcomer form")
        form.locator("[name=surname]").fill(surname)
        form.locator("[name=present]").set_checked(True)
        button(self.page, "Register and enrol").click()
        self.is_here(surname)

    def is_here(self, surname: str) -> None:
        row = self.page.locator(".roll-row", has_text=surname)
        expect(row.locator(".roll-state")).to_have_text(say("here"))

    def leaves(self, surname: str) -> None:
        self.page.locator(".roll-row", has_text=surname).locator("a.roll-go").click()
        button(self.page, "Yes, leaves").click()
        expect(self.page.locator(".roll-row", has_text=surname)).to_have_count(0)
        expect(self.page.locator(".board-row", has_text=surname)).to_be_visible()

    def deals(self, tables: list[list[str]]) -> None:
        """The tables as the regulation has them, published and started."""
        page = self.page
        link(page, "On to the tables").click()
        button(page, "Form the tables").click()
        expect(page.locator(".seating-table")).to_have_count(len(tables))
        ready(page)
        assert [
            table.locator(".seat-name").all_inner_texts()
            for table in page.locator(".seating-table").all()
        ] == tables
        button(page, "Publish the tables").click()
        button(page, "Start the tables").click()
        expect(told(page, "The tables play.")).to_be_visible()

    @property
    def boxes(self) -> Locator:
        return self.page.locator("form.figures input[inputmode]")

    def counts(self, figures: Iterable[int]) -> None:
        """Figures and Enter, nothing else, from the first box, which has the focus by itself."""
        expect(self.boxes.first).to_be_focused()
        ready(self.page)
        for figure in figures:
            self.page.keyboard.type(str(figure))
            self.page.keyboard.press("Enter")

    def confirms(self, table: int) -> None:
        expect(button(self.page, "Confirm the result")).to_be_focused()
        self.page.keyboard.press("Enter")
        expect(told(self.page, "Table %(number)d: result confirmed.", number=table)).to_be_visible()

    def corrects(self, at: Locator, table: int, box: int, figures: Sequence[int], why: str) -> None:
        """By Enter over the boxes as far as the wrong one, and on to the reason."""
        page = self.page
        at.click()
        self.counts([])
        enters = self.boxes.count() - len(figures)
        for _ in range(box):
            page.keyboard.press("Enter")
        for figure in figures:
            page.keyboard.type(str(figure))  # over what was there
            page.keyboard.press("Enter")
        for _ in range(enters - box):
            page.keyboard.press("Enter")
        expect(page.get_by_label(say("Reason of the correction"))).to_be_focused()
        page.keyboard.type(why)
        page.keyboard.press("Enter")
        expect(button(page, "Correct the result")).to_be_focused()
        page.keyboard.press("Enter")
        expect(told(page, "Table %(number)d: result corrected.", number=table)).to_be_visible()
        expect(page.get_by_role("caption")).to_contain_text(why)

    def correction(self, prova: int, table: int) -> Locator:
        """The link of a table, on the page of the event."""
        board = self.page.locator("ol.board").nth(prova - 1).locator(".board-row")
        return board.nth(table - 1).locator(".board-act a")

    def sees(self, rows: list[list[str]]) -> None:
        """On the standing, by the link of the event's page."""
        self.page.locator(f"main a[href='{standing_of(self.event)}']").first.click()
        assert shown(self.page, len(rows)) == rows

    def closes(self) -> None:
        button(self.page, "Close and validate the event").click()
        expect(told(self.page, "The event is closed and validated.")).to_be_visible()
        expect(button(self.page, "Close and validate the event")).to_have_count(0)


def standing_of(event: Event) -> str:
    return reverse("event_standing", args=[event.pk])


def shown(page: Page, players: int) -> list[list[str]]:
    """The standing on the page, whatever of it this screen hides."""
    rows = page.locator(".timetable tbody tr")
    expect(rows).to_have_count(players)
    ready(page)
    cells = """rows => rows.map(row => [...row.children].map(
        cell => (cell.querySelector("summary") || cell).textContent.trim()))"""
    found: list[list[str]] = rows.evaluate_all(cells)
    return found


def on_a_phone(browser: Browser, at: LiveServer, event: Event, rows: list[list[str]]) -> None:
    """Anybody reads places, names, totals and points without moving the page sideways."""
    with another_visitor(browser, at, viewport=NARROW) as visitor:
        come_in(visitor, at, None, "it")
        phone = visitor.new_page()
        phone.goto(event.get_absolute_url())
        phone.locator(f"main a[href='{standing_of(event)}']").first.click()
        assert shown(phone, len(rows)) == rows
        table = phone.locator(".timetable-scroll")
        first_row = table.locator("tbody tr").first.locator(":is(td, th):visible")
        assert first_row.all_inner_texts() == [*rows[0][:2], *rows[0][4:6]]
        assert phone.evaluate("document.documentElement.scrollWidth - innerWidth") <= 0
        assert table.evaluate("table => table.scrollWidth - table.clientWidth") <= 0
        expect(button(phone, "Close and validate the event")).to_have_count(0)


def taken_away(page: Page) -> list[list[str]]:
    """The CSV of the standing, in the cells of the page: surname and first name are one there."""
    with page.expect_download() as coming:
        link(page, "Download as CSV").click()
    text = coming.value.path().read_text(encoding="utf-8-sig")
    lines = csv.reader(io.StringIO(text), delimiter=";")
    next(lines)
    return [
        [place, f"{surname} {name}".strip(), *map(plain, (*parts, total)), points, wins]
        for place, surname, name, *parts, total, points, wins in lines
    ]


def plain(figure: str) -> str:
    return written(Fraction(figure.replace(",", "."))) if figure else ""


def kept(event: Event) -> list[list[str]]:
    """What closed seasons keep of it: place, name, total, points, games won."""
    services.keep_places(event, ranking_before(event.starts_on).points)
    rows = [
        (row.place, str(row.player), written(Fraction(row.total or 0, 100)), row.points, row.wins)
        for row in EventPlace.objects.filter(event=event).select_related("player")
    ]
    event.places.all().delete()
    return [[str(figure) for figure in row] for row in sorted(rows)]


def final(rows: list[list[str]]) -> list[list[str]]:
    return [[*row[:2], *row[4:]] for row in rows]


@pytest.fixture
def cast() -> Cast:
    return make_cast(timezone.now())


@pytest.fixture
def event(cast: Cast) -> Event:
    """Of today, with its two prove and nineteen enrolled; two more are on the books."""
    now = timezone.now()
    event = make_draft(name="Festa del Binario Morto", now=now)
    for code in ("1830", "1849"):
        services.add_prova(event, make_title(code, now), cast.sara, now)
    event = services.set_status(event, Event.Status.ENROLLING, cast.sara, now)
    players = {
        f"Passeggero {n:02}": make_player(f"Passeggero {n:02}", now=now) for n in range(1, 22)
    }
    for player in list(players.values())[:19]:
        services.enrol(event, player, cast.alice, now)
    points = {players[name]: his for name, his in RANKING.items()}
    make_past(points, event.starts_on - DAY, now=now)
    return event


def test_from_the_roll_call_to_the_standing_closed_twice(
    page: Page,
    context: BrowserContext,
    browser: Browser,
    live_server: LiveServer,
    cast: Cast,
    event: Event,
) -> None:
    come_in(context, live_server, cast.alice, "it")
    day = Day(page, event)
    page.goto(event.get_absolute_url())

    # The roll call: the nineteen are all here, and two arrive.
    day.onward("Roll call")
    button(page, "Everybody else is here").click()
    day.is_here("Passeggero 19")
    day.arrives("Passeggero 20")
    day.arrives_unknown("Ritardatario")

    # The first prova, seated by the ranking; its results by the keyboard.
    day.deals(FIRST)
    day.home()
    for number, counted in enumerate(COUNTED, start=1):
        day.onward("Enter the results")
        figures = [figure for seat in counted for figure in seat]
        if number == 2:  # C-06: the count is asked for again, in the way of the Enter key
            day.counts(figures[:-1])
            page.keyboard.type(str(figures[-1]))
            tie = page.get_by_role("checkbox", name=say("Counted again: the tie is right"))
            expect(tie).to_be_visible()
            page.keyboard.press("Enter")
            expect(tie).to_be_focused()
            page.keyboard.press("Space")
            page.keyboard.press("Enter")
        else:
            day.counts(figures)
        day.confirms(number)
        day.home()

    # The standing as the tables were typed; then one is corrected, with its reason.
    day.sees(standing([first(right=False)], RANKING))
    expect(page.locator("main")).to_contain_text(say("Provisional."))
    day.home()
    day.corrects(day.correction(1, 3), 3, 6, RIGHT, "azioni contate a metà")
    day.home()
    after_one = standing([first(right=True)], RANKING)
    day.sees(after_one)
    on_a_phone(browser, live_server, event, after_one)
    day.home()

    # The second prova: two leave, one arrives; seated by the standing.
    page.locator(f"main a[href='{reverse('roll_call', args=[event.pk])}']").first.click()
    day.leaves("Passeggero 19")
    day.leaves("Passeggero 06")
    day.arrives("Passeggero 21")
    day.deals(SECOND)
    day.home()
    link(page, "Tables still to report").click()
    for number, totals in enumerate(TOTALS, start=1):
        page.locator(".board-act a").first.click()
        link(page, "Only the totals are known").click()
        expect(day.boxes).to_have_count(5)
        day.counts(totals)
        day.confirms(number)
        link(page, "Tables still to report").click()
        expect(page.locator(".board-act a")).to_have_count(len(TOTALS) - number)
    expect(page.get_by_text(say("No table misses its result."))).to_be_visible()
    day.home()

    # The standing of the whole event, closed.
    day.onward("Look at the standing and close")
    rows = standing([first(right=True), second(recounted=False)], RANKING)
    assert shown(page, len(rows)) == rows
    day.closes()
    assert shown(page, len(rows)) == rows
    assert taken_away(page) == rows
    assert kept(event) == final(rows)

    # Open again with a reason, a table corrected, and closed again.
    page.get_by_text(say("Open the event again")).click()
    page.get_by_label(say("Reason"), exact=True).fill("totale ricontato")
    button(page, "Open it again").click()
    expect(told(page, "The event is open again: its points are not official.")).to_be_visible()
    assert not event.places.exists()
    day.home()
    day.corrects(day.correction(2, 1), 1, 2, [RECOUNTED], "totale ricontato")
    day.home()
    day.onward("Look at the standing and close")
    rows = standing([first(right=True), second(recounted=True)], RANKING)
    assert shown(page, len(rows)) == rows
    day.closes()
    assert shown(page, len(rows)) == rows
    assert taken_away(page) == rows
    assert kept(event) == final(rows)
    on_a_phone(browser, live_server, event, rows)
