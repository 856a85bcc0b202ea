"""The dice: known answers made without this code, every tampering caught, Python equal to JS.

Known answers come from OpenSSL, e.g. the first block of ten dice for Ada, whose word is "bc":

    printf '%s,' 11:figf-dice-1 1:p 25:2026-03-01T20:00:00+00:00 1:6 2:10 1:1 3:Ada 2:bc > message
    { cat message; head -c 8 /dev/zero; } |
        openssl dgst -sha256 -mac HMAC -macopt hexkey:000102…1e1f
"""

from __future__ import annotations

import json
import random
import re
import subprocess
import sys
from collections.abc import Callable, Iterator
from dataclasses import replace
from datetime import UTC, datetime, timedelta, timezone, tzinfo
from pathlib import Path
from typing import TYPE_CHECKING, Any
from unicodedata import is_normalized
from zoneinfo import ZoneInfo

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from figf import dice, services
from figf.dice import Problem, Receipt, problems
from figf.models import Draw, User

if TYPE_CHECKING:
    from playwright.sync_api import Browser, Page

ROOT = Path(__file__).parents[2]
SEED = bytes(range(32)).hex()
COMMITMENT = "630dcd2966c4336691125448bbb25b4ff412a49c732db2c8abc1b8581bd710dd"
RECEIPT = Receipt(
    protocol="figf-dice-1",
    purpose="Table 41: priority",
    sides=6,
    count=8,
    closes_at="2026-03-01T20:00:00+00:00",
    people=(("Alice", "ciao"), ("Bruno", ""), ("Carla", "però")),
    commitment=COMMITMENT,
    seed=SEED,
    throws=(4, 3, 6, 1, 2, 3, 4, 6),
)
ANOTHER_SEED = "f" * 64

Tampering = tuple[Callable[[Receipt], Receipt], list[Problem]]
DIFFER = [Problem.THROWS_DIFFER]
TAMPERINGS: dict[str, Tampering] = {
    "nothing": (lambda r: r, []),
    "seed": (lambda r: replace(r, seed=ANOTHER_SEED), [Problem.SEED_MISMATCH, *DIFFER]),
    "commitment": (lambda r: replace(r, commitment=ANOTHER_SEED), [Problem.SEED_MISMATCH]),
    "seed and commitment": (
        lambda r: replace(r, seed=ANOTHER_SEED, commitment=dice.commitment(ANOTHER_SEED)),
        DIFFER,
    ),
    "word": (lambda r: replace(r, people=(("Alice", "Ciao"), *r.people[1:])), DIFFER),
    "silence": (lambda r: replace(r, people=(*r.people, ("Dino", ""))), DIFFER),
    "person left out": (lambda r: replace(r, people=r.people[:-1]), DIFFER),
    "order of words": (
        lambda r: replace(r, people=(("Alice", ""), ("Bruno", "ciao"), r.people[2])),
        DIFFER,
    ),
    "label": (lambda r: replace(r, people=(("Alina", "ciao"), *r.people[1:])), DIFFER),
    "order of labels": (
        lambda r: replace(r, people=(("Bruno", "ciao"), ("Alice", ""), r.people[2])),
        DIFFER,
    ),
    "order of people": (lambda r: replace(r, people=r.people[::-1]), DIFFER),
    "word moved to the label": (
        lambda r: replace(r, people=(("Aliceciao", ""), *r.people[1:])),
        DIFFER,
    ),
    "closing time": (lambda r: replace(r, closes_at="2026-03-01T21:00:00+00:00"), DIFFER),
    "closing time's second": (lambda r: replace(r, closes_at="2026-03-01T20:00:01+00:00"), DIFFER),
    "closing time's spelling": (lambda r: replace(r, closes_at="2026-03-01T20:00:00Z"), DIFFER),
    "purpose": (lambda r: replace(r, purpose="Table 42: priority"), DIFFER),
    "sides": (lambda r: replace(r, sides=8), DIFFER),
    "count": (lambda r: replace(r, count=7), DIFFER),
    "count and throws, fewer": (lambda r: replace(r, count=7, throws=r.throws[:7]), DIFFER),
    "greatest count": (lambda r: replace(r, count=10_000), DIFFER),
    "count too great": (lambda r: replace(r, count=10_001), [Problem.MALFORMED]),
    "huge count": (lambda r: replace(r, count=10**12), [Problem.MALFORMED]),
    "throw": (lambda r: replace(r, throws=(6, *r.throws[1:])), DIFFER),
    "throw off the die": (lambda r: replace(r, throws=(11, *r.throws[1:])), DIFFER),
    "order of throws": (lambda r: replace(r, throws=r.throws[::-1]), DIFFER),
    "throw hidden": (lambda r: replace(r, throws=r.throws[:-1]), DIFFER),
    "throws hidden": (lambda r: replace(r, throws=()), DIFFER),
    "throw too many": (lambda r: replace(r, throws=(*r.throws, 6)), DIFFER),
    "first throw skipped": (lambda r: replace(r, throws=(*r.throws[1:], 1)), DIFFER),
    "protocol": (lambda r: replace(r, protocol="figf-dice-2"), [Problem.UNKNOWN_PROTOCOL]),
    "not revealed": (lambda r: replace(r, seed="", throws=()), [Problem.NOT_REVEALED]),
    "seed withheld": (lambda r: replace(r, seed=""), [Problem.NOT_REVEALED]),
    "capital seed": (lambda r: replace(r, seed=SEED.upper()), [Problem.MALFORMED]),
    "short seed": (lambda r: replace(r, seed=SEED[:-2]), [Problem.MALFORMED]),
    "spaced seed": (lambda r: replace(r, seed=SEED + "\n"), [Problem.MALFORMED]),
    "no commitment": (lambda r: replace(r, commitment=""), [Problem.MALFORMED]),
    "one side": (lambda r: replace(r, sides=1), [Problem.MALFORMED]),
    "too many sides": (lambda r: replace(r, sides=257), [Problem.MALFORMED]),
    "no dice": (lambda r: replace(r, count=0, throws=()), [Problem.MALFORMED]),
    "no offset": (lambda r: replace(r, closes_at="2026-03-01T21:00:00"), [Problem.MALFORMED]),
    "half a character": (lambda r: replace(r, purpose="\ud83c"), [Problem.MALFORMED]),
    "half a label": (lambda r: replace(r, people=(("\udf00", "ciao"),)), [Problem.MALFORMED]),
    "half a word": (lambda r: replace(r, people=(("Alice", "\udf00"),)), [Problem.MALFORMED]),
}
tamperings = pytest.mark.parametrize(
    ("tamper", "expected"), TAMPERINGS.values(), ids=TAMPERINGS.keys()
)

MISSHAPEN: dict[str, object] = {
    "null": None,
    "list": [RECEIPT.to_dict()],
    "empty": {},
    "missing key": {k: v for k, v in RECEIPT.to_dict().items() if k != "purpose"},
    "unknown key": RECEIPT.to_dict() | {"note": ""},
    "number for text": RECEIPT.to_dict() | {"purpose": 41},
    "null for text": RECEIPT.to_dict() | {"seed": None},
    "text for number": RECEIPT.to_dict() | {"sides": "6"},
    "true for number": RECEIPT.to_dict() | {"count": True},
    "fraction": RECEIPT.to_dict() | {"sides": 6.5},
    "text for list": RECEIPT.to_dict() | {"throws": "43612346"},
    "text for throws": RECEIPT.to_dict() | {"throws": ["4", "3"]},
    "true for throw": RECEIPT.to_dict() | {"throws": [4, 3, 6, True, 2, 3, 4, 6]},
    "object for people": RECEIPT.to_dict() | {"people": {"Alice": "ciao"}},
    "words alone": RECEIPT.to_dict() | {"people": ["ciao", "", "però"]},
    "words in pairs of letters": RECEIPT.to_dict() | {"people": ["Ab"]},
    "three for a person": RECEIPT.to_dict() | {"people": [["Alice", "ciao", ""]]},
    "null for a word": RECEIPT.to_dict() | {"people": [["Alice", None]]},
}


def dice_of(
    purpose: str, people: tuple[tuple[str, str], ...], sides: int = 6, count: int = 10
) -> list[int]:
    receipt = replace(RECEIPT, purpose=purpose, people=people, sides=sides, count=count)
    return list(dice.throws(receipt))


# -- known answers --


def test_the_commitment_is_the_hash_of_the_bytes_and_not_of_the_digits() -> None:
    assert dice.commitment(SEED) == COMMITMENT
    # NIST's SHA256ShortMsg.rsp, Len = 256.
    seed = "09fc1accc230a205e4a208e64a8f204291f581a12756392da4b8c0cf5ef02b95"
    expected = "4f44c1c7fbebb6f9601829f3897bfd650c56fa07844be76489076356ac1886a4"
    assert dice.commitment(seed) == expected


def test_the_throws_are_those_of_openssl() -> None:
    assert dice.throws(RECEIPT) == RECEIPT.throws


def test_the_throws_are_those_of_openssl_across_three_blocks() -> None:
    expected = """6 3 2 3 2 3 3 5 4 5 5 3 3 5 4 2 4 3 4 2 2 5 2 3 1 3 6 1 5 4 2 4
                  2 6 6 5 2 4 4 6 4 3 4 5 6 5 5 3 3 2 1 2 3 5 4 5 2 1 5 3 5 3 4 4
                  1 6 3 3 3 4"""
    found = dice_of(RECEIPT.purpose, RECEIPT.people, 6, 70)
    assert found == [int(value) for value in expected.split()]


def test_the_256_faces_are_the_bytes_themselves_plus_one() -> None:
    # HMAC by OpenSSL begins f0 11 05 0d b9.
    found = dice_of(RECEIPT.purpose, RECEIPT.people, 256, 5)
    assert found == [0xF0 + 1, 0x11 + 1, 0x05 + 1, 0x0D + 1, 0xB9 + 1]


def test_a_draw_without_people_has_throws() -> None:
    assert dice_of("p", ()) == [3, 5, 2, 4, 6, 4, 6, 3, 1, 1]


@pytest.mark.parametrize(
    ("purpose", "sides", "limit", "block"),
    [
        (  # holds fb = 251, the last byte accepted, and fc = 252, the first rejected
            "Table 246",
            6,
            252,
            "e64d5e1d2167c828fb7b2bfc2f5d8d144184cd521f4eb39e6115deb3c13ec74f",
        ),
        (  # holds c7 = 199 and c8 = 200
            "Table 152",
            100,
            200,
            "fac4ad18d4b5ba5f32c75f57c89008dc7e95cc3fcea2634761f699be806e1896",
        ),
    ],
)
def test_a_byte_past_the_last_whole_multiple_is_discarded(
    purpose: str, sides: int, limit: int, block: str
) -> None:
    data = bytes.fromhex(block)
    kept = [byte for byte in data if byte < limit]
    assert {limit - 1, limit} <= set(data)
    found = dice_of(purpose, (("Ada", ""), ("Bruno", "")), sides, len(kept))
    assert found == [byte % sides + 1 for byte in kept]


@pytest.mark.parametrize("sides", [2, 6, 129, 200, 255, 256])
def test_every_face_shows_and_no_other(sides: int) -> None:
    assert set(dice_of("faces", (), sides, 20 * sides)) == set(range(1, sides + 1))


# -- the message --


def test_where_a_label_ends_matters() -> None:
    assert dice_of("p", (("a", "bc"),)) == [1, 5, 6, 4, 1, 3, 3, 1, 4, 1]
    assert dice_of("p", (("ab", "c"),)) == [2, 3, 2, 2, 2, 1, 5, 2, 2, 1]


def test_no_two_ways_of_cutting_the_same_text_give_the_same_dice() -> None:
    ways: list[Receipt] = [
        replace(RECEIPT, purpose=purpose, people=people, sides=sides, count=count)
        for purpose, people, sides, count in [
            ("p", (("abc", ""),), 6, 40),
            ("p", (("", "abc"),), 6, 40),
            ("p", (("a", "bc"),), 6, 40),
            ("p", (("ab", "c"),), 6, 40),
            ("p", (("bc", "a"),), 6, 40),
            ("p", (("a", "b"), ("c", "")), 6, 40),
            ("p", (("a", ""), ("b", "c")), 6, 40),
            ("p", (("b", "c"), ("a", "")), 6, 40),
            ("p", (("a", "c"), ("b", "")), 6, 40),
            ("p", (("1:a,2:bc,", ""),), 6, 40),
            ("pa", (("b", "c"),), 6, 40),
            ("p", (), 6, 40),
            ("p", (("", ""),), 6, 40),
            ("p", (("", ""), ("", "")), 6, 40),
            ("p,25:2026-03-01T20:00:00+00:00,1:6,2:40,1:1,3:abc,0:", (), 6, 40),
            ("p", (("abc", ""),), 66, 40),
            ("p", (("abc", ""),), 6, 41),
            ("p", (("abc", ""),), 64, 40),
        ]
    ]
    assert len({dice.throws(way)[:40] for way in ways}) == len(ways)


SENSELESS: list[dict[str, Any]] = [
    {"protocol": "figf-dice-2"},
    {"seed": ""},
    {"seed": "00"},
    {"sides": 1},
    {"sides": 257},
    {"count": 0},
    {"count": 10_001},
    {"closes_at": "tomorrow"},
    {"purpose": "\ud83c"},
]


@pytest.mark.parametrize("change", SENSELESS, ids=repr)
def test_nothing_is_thrown_from_a_senseless_receipt(change: dict[str, Any]) -> None:
    with pytest.raises(ValueError, match="Not a sound and revealed receipt of figf-dice-1"):
        dice.throws(replace(RECEIPT, **change))


@pytest.mark.parametrize("seed", ["", "00", SEED.upper(), SEED[:-1] + "g", f" {SEED}", SEED + "\n"])
def test_a_seed_that_is_not_64_hex_digits_is_refused(seed: str) -> None:
    with pytest.raises(ValueError, match="64 lower-case hex digits"):
        dice.commitment(seed)


def test_a_new_seed_is_64_hex_digits_and_never_the_same() -> None:
    seeds = {dice.new_seed() for _ in range(100)}
    assert len(seeds) == 100
    assert all(re.fullmatch("[0-9a-f]{64}", seed) for seed in seeds)


# -- the words --


@pytest.mark.parametrize(
    ("text", "word"),
    [
        ("", ""),
        (" \t\r\n ", ""),
        ("  due   parole ", "due parole"),
        ("riga\r\nnuova\u2028e\x00nulla\x1b[2J", "riga nuova e nulla [2J"),
        ("pero\u0300", "però"),
        ("abc\u202ecba", "abc cba"),
        ("mezzo \ud83c", "mezzo"),
        ("è" * 100, "è" * 80),
        ("a" * 79 + " b", "a" * 79),
        ("🎲 treno", "🎲 treno"),
    ],
)
def test_a_word_is_one_clean_line(text: str, word: str) -> None:
    assert dice.clean_word(text) == word


@settings(deadline=None)
@given(st.text(st.characters(), max_size=200))
def test_cleaning_a_word_twice_changes_nothing(text: str) -> None:
    word = dice.clean_word(text)
    assert dice.clean_word(word) == word
    assert len(word) <= 80
    assert word == " ".join(word.split())
    assert is_normalized("NFC", word)
    dice.throws(replace(RECEIPT, people=(("Ada", word),)))


# -- the receipt --


@tamperings
def test_every_tampering_is_caught(
    tamper: Callable[[Receipt], Receipt], expected: list[Problem]
) -> None:
    assert problems(tamper(RECEIPT)) == expected


@settings(deadline=None)
@given(
    st.text(max_size=20),
    st.lists(st.tuples(st.text(max_size=9), st.text(max_size=9)), max_size=5).map(tuple),
    st.integers(2, 256),
    st.integers(1, 50),
)
def test_an_honest_draw_is_verified_after_a_journey_through_json(
    purpose: str, people: tuple[tuple[str, str], ...], sides: int, count: int
) -> None:
    draw = replace(RECEIPT, purpose=purpose, people=people, sides=sides, count=count)
    receipt = replace(draw, throws=dice.throws(draw))
    again = Receipt.from_dict(json.loads(json.dumps(receipt.to_dict())))
    assert again == receipt
    assert problems(again) == []


@pytest.mark.parametrize("data", MISSHAPEN.values(), ids=MISSHAPEN.keys())
def test_a_misshapen_receipt_is_refused_with_a_sentence(data: object) -> None:
    with pytest.raises(ValueError, match=r"receipt\b.*\.$"):
        Receipt.from_dict(data)


# -- the draws of the site --

OPENED = datetime(2026, 3, 1, 12, tzinfo=UTC)
CLOSES = datetime(2026, 3, 1, 20, 0, 0, 987_654, tzinfo=UTC)
ZONES = [UTC, ZoneInfo("Europe/Rome"), timezone(timedelta(hours=-5, minutes=-30))]


def open_draw(zone: tzinfo = UTC) -> Draw:
    ada = services.create_user("ada@example.org", None, "Ada", OPENED)
    people: list[User | str] = [ada, "Bruno", "Carla"]
    draw = services.open_draw("Table 41", people, 8, CLOSES.astimezone(zone), ada, OPENED)
    services.contribute(draw, ada, "ciao", OPENED)
    return draw


@pytest.mark.both
@pytest.mark.django_db
@pytest.mark.parametrize("zone", ZONES, ids=str)
def test_a_receipt_is_the_same_before_and_after_the_database(zone: tzinfo) -> None:
    draw = open_draw(zone)
    assert draw.as_receipt().closes_at == "2026-03-01T20:00:00+00:00"
    assert draw.as_receipt() == Draw.objects.get().as_receipt()


@pytest.mark.both
@pytest.mark.django_db
def test_a_draw_shows_its_words_and_its_seed_with_its_throws_and_not_before() -> None:
    draw = open_draw()
    secret = draw.as_receipt()
    assert problems(secret) == [Problem.NOT_REVEALED]
    assert secret.people == (("Ada", ""), ("Bruno", ""), ("Carla", ""))
    revealed = services.reveal_draw(draw.pk, CLOSES)
    assert revealed is not None
    receipt = revealed.as_receipt()
    assert problems(receipt) == []
    assert receipt == Draw.objects.get().as_receipt()
    people = (("Ada", "ciao"), ("Bruno", ""), ("Carla", ""))
    assert receipt == replace(secret, people=people, seed=draw.seed, throws=receipt.throws)


@pytest.mark.both
@pytest.mark.django_db
@pytest.mark.parametrize(
    ("position", "change"),
    [
        (None, {"purpose": "Table 42"}),
        (None, {"sides": 8}),
        (None, {"count": 7}),
        (None, {"closes_at": CLOSES + timedelta(seconds=1)}),
        (1, {"word": "Ciao"}),
        (1, {"label": "Ida"}),
        (1, {"position": 4}),
        (2, {"word": "ciao"}),
        (2, {"position": 4}),
    ],
    ids=str,
)
def test_a_revealed_draw_altered_in_the_database_is_no_longer_verified(
    position: int | None, change: dict[str, Any]
) -> None:
    pk = open_draw().pk
    services.reveal_draw(pk, CLOSES)
    draws = Draw.objects.filter(pk=pk)
    altered = draws.get().contributions.filter(position=position) if position else draws
    assert altered.update(**change) == 1
    assert problems(draws.get().as_receipt()) == DIFFER


# -- the command, offline and without Django --


def verify(*files: str | Path, stdin: bytes = b"") -> tuple[int, list[str]]:
    """Run it without site-packages, so without Django, and with its neighbours on the path."""
    command = [sys.executable, "-S", "-X", "utf8", ROOT / "figf" / "dice.py", *files]
    done = subprocess.run(command, input=stdin, capture_output=True, check=False)
    return done.returncode, done.stdout.decode().splitlines()


@pytest.fixture
def written(tmp_path: Path) -> Callable[[str, Receipt], Path]:
    def write(name: str, receipt: Receipt) -> Path:
        (tmp_path / name).write_text(json.dumps(receipt.to_dict()), encoding="utf-8")
        return tmp_path / name

    return write


def test_the_command_verifies(written: Callable[[str, Receipt], Path]) -> None:
    path = written("draw.json", RECEIPT)
    line = f"verified: {path}: Table 41: priority: 4 3 6 1 2 3 4 6 (dice of 6 sides)"
    assert verify(path) == (0, [line])
    assert verify("-", stdin=path.read_bytes())[0] == 0


def test_the_command_says_what_is_wrong(written: Callable[[str, Receipt], Path]) -> None:
    good = written("good.json", RECEIPT)
    bad = written("bad.json", replace(RECEIPT, count=7, commitment=ANOTHER_SEED))
    status, lines = verify(good, bad)
    assert status == 1
    assert lines[0].startswith("verified: ")
    assert lines[1].startswith(f"NOT verified: {bad}: Table 41: priority: the seed is not")
    assert lines[1].endswith("; the throws do not follow from the rest of the receipt")


def test_the_command_gives_a_reason_for_every_problem(
    written: Callable[[str, Receipt], Path],
) -> None:
    receipts = [tamper(RECEIPT) for tamper, _ in TAMPERINGS.values()]
    paths = [written(f"{number}.json", receipt) for number, receipt in enumerate(receipts)]
    status, lines = verify(*paths)
    assert status == 1
    assert len(lines) == len(TAMPERINGS)
    assert sum(line.startswith("verified: ") for line in lines) == 1


def test_the_command_tells_unreadable_from_false(
    written: Callable[[str, Receipt], Path], tmp_path: Path
) -> None:
    assert verify(tmp_path / "absent.json")[0] == 2
    assert verify(tmp_path)[0] == 2
    assert verify()[0] == 2
    for content in [b"", b"{", b"[]", b"\xff\xfe\xfd", b"[" * 100_000, b'{"seed": 1}']:
        status, lines = verify(written("good.json", RECEIPT), "-", stdin=content)
        assert status == 2
        assert lines[0].startswith("verified: ")
        assert lines[1].startswith("NOT verified: -: cannot be read as a receipt: ")


def test_the_command_lets_no_control_character_reach_the_terminal(
    written: Callable[[str, Receipt], Path],
) -> None:
    path = written("trick.json", replace(RECEIPT, purpose="\x1b[2J\nverified: all is well"))
    status, lines = verify(path)
    assert status == 1
    assert len(lines) == 1
    assert lines[0].isprintable()


# -- the reader's own browser --

LETTERS = "abc XYZ019àèìòù€ßłжשع漢字🎲🚂\u0300,:\n\0"


def random_draws(number: int) -> list[Receipt]:
    rng = random.Random(1830)

    def text(longest: int) -> str:
        return "".join(rng.choices(LETTERS, k=rng.randint(0, longest)))

    def draw() -> Receipt:
        closes_at = datetime.fromtimestamp(rng.randint(0, 2**32), UTC)
        people = [(text(12), text(rng.choice([3, 3, 3, 80]))) for _ in range(rng.randint(0, 6))]
        seed = rng.randbytes(32).hex()
        return Receipt(
            protocol=dice.PROTOCOL,
            purpose=text(rng.choice([9, 9, 120])),
            sides=rng.choice([6, 6, rng.randint(2, 256)]),
            count=rng.choice([1, 5, rng.randint(1, 70)]),
            closes_at=closes_at.isoformat(),
            people=tuple(people),
            commitment=dice.commitment(seed),
            seed=seed,
        )

    return [draw() for _ in range(number)]


@pytest.fixture
def page(browser: Browser) -> Iterator[Page]:
    """A page of no site: the script needs none."""
    errors: list[str] = []
    blank = browser.new_page()
    blank.on("pageerror", lambda error: errors.append(str(error)))
    yield blank
    blank.close()
    assert errors == []


@pytest.mark.browser
def test_the_browser_throws_and_judges_as_python_does(page: Page) -> None:
    page.goto("about:blank")
    page.add_script_tag(path=ROOT / "static" / "dice.js")

    texts = ["", "abc", "a" * 1_000_000]  # FIPS 180-4's examples
    assert page.evaluate("texts => texts.map(FigfDice.sha256Hex)", texts) == [
        "e3b0c44298fc1c149afbf4c8996fb92427ae41e4649b934ca495991b7852b855",
        "ba7816bf8f01cfea414140de5dae2223b00361a396177a9cb410ff61f20015ad",
        "cdc76e5c9914fb9281a1c7e284d73e67f1809a48a497200e046d39ccc7112cd0",
    ]

    draws = random_draws(10_000)
    thrown = page.evaluate(
        "text => JSON.stringify(JSON.parse(text).map(FigfDice.throws))",
        json.dumps([draw.to_dict() for draw in draws]),
    )
    assert json.loads(thrown) == [list(dice.throws(draw)) for draw in draws]

    refused = """text => JSON.parse(text).map(receipt => {
        try { FigfDice.throws(receipt) } catch (error) { return error.name }
    })"""
    senseless = [replace(RECEIPT, **change).to_dict() for change in SENSELESS]
    names = page.evaluate(refused, json.dumps([*senseless, None]))
    assert names == ["RangeError"] * len(names)

    judged = "text => JSON.parse(text).map(FigfDice.problems)"
    receipts = [tamper(RECEIPT).to_dict() for tamper, _ in TAMPERINGS.values()]
    expected = [[str(problem) for problem in found] for _, found in TAMPERINGS.values()]
    assert page.evaluate(judged, json.dumps(receipts)) == expected
    misshapen = list(MISSHAPEN.values())
    assert page.evaluate(judged, json.dumps(misshapen)) == [["malformed"]] * len(misshapen)


@pytest.mark.browser
def test_the_button_verifies_the_receipt_in_the_page(page: Page) -> None:
    page.set_content(
        """<script id="dice-receipt" type="application/json"></script>
        <button id="dice-verify"><b>Verify</b></button> <output id="dice-recomputed"></output>
        <p id="dice-verdict" role="status" data-verified="All true." data-failed="False:"
           data-seed-mismatch="Seed" data-throws-differ="Throws" data-not-revealed="Wait"
           data-malformed="Shape" data-unknown-protocol="Protocol"></p>"""
    )
    page.add_script_tag(path=ROOT / "static" / "dice.js")
    verdict = page.locator("#dice-verdict")
    recomputed = page.locator("#dice-recomputed")

    def pressed_with(content: str) -> tuple[str | None, ...]:
        page.locator("#dice-receipt").evaluate("(e, text) => { e.textContent = text }", content)
        page.get_by_role("button").locator("b").click()
        state = verdict.get_attribute("data-state")
        return state, verdict.text_content(), recomputed.text_content()

    def pressed(receipt: Receipt) -> tuple[str | None, ...]:
        return pressed_with(json.dumps(receipt.to_dict()))

    true = "4 3 6 1 2 3 4 6"
    assert pressed(RECEIPT) == ("ok", "All true.", true)
    assert pressed(replace(RECEIPT, throws=(6,) * 8)) == ("failed", "False: Throws.", true)
    both = replace(RECEIPT, commitment=ANOTHER_SEED, throws=())
    assert pressed(both) == ("failed", "False: Seed; Throws.", true)
    assert pressed(replace(RECEIPT, seed="")) == ("failed", "False: Wait.", "")
    assert pressed(replace(RECEIPT, protocol="x")) == ("failed", "False: Protocol.", "")
    assert pressed_with("{") == ("failed", "False: Shape.", "")
