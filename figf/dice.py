"""Dice anyone can verify: a promise, everybody's words, then the throws.

1. The house draws a secret *seed* and publishes its *commitment*, the SHA-256 of the seed:
   from then on it cannot change the seed.
2. Until the closing time each person may add a *word*; silence is the empty word.
3. At the closing the seed is revealed in a *receipt*, and the throws follow, by HMAC-SHA256, from
   the seed and all that the receipt says: purpose, closing time, dice, who said what in which
   order. Anyone finds the same throws again: with `static/dice.js` in the browser, or offline
   with this very file and Python 3.11, no Django:

       python3 dice.py draw.json

What a receipt does not prove. Whoever knows the seed before the closing and adds the last word
can try words until the throws please: until then the seed is shown to nobody. Nor that purpose,
people and closing time are those published with the commitment: whoever kept them can compare.
"""

import argparse
import hashlib
import hmac
import io
import itertools
import json
import re
import secrets
import sys
import unicodedata
from collections.abc import Iterator, Sequence
from dataclasses import dataclass, fields
from enum import StrEnum
from pathlib import Path
from typing import Self

PROTOCOL = "figf-dice-1"
WORD_LENGTH = 80
MOST_SIDES = 256
MOST_DICE = 10_000

_HEX_256 = re.compile("[0-9a-f]{64}")
_MOMENT = re.compile(
    "[0-9]{4}-[0-9]{2}-[0-9]{2}T[0-9]{2}:[0-9]{2}(:[0-9]{2}([.][0-9]+)?)?(Z|[+-][0-9]{2}:[0-9]{2})"
)


def new_seed() -> str:
    """A fresh secret seed: 32 bytes from the operating system, as 64 lower-case hex digits."""
    return secrets.token_hex(32)


def commitment(seed: str) -> str:
    """The promise published before the words: SHA-256 of the 32 bytes of `seed`, in hex.

    Raises ValueError unless `seed` is 64 lower-case hex digits.

    >>> commitment("000102030405060708090a0b0c0d0e0f101112131415161718191a1b1c1d1e1f")
    '630dcd2966c4336691125448bbb25b4ff412a49c732db2c8abc1b8581bd710dd'
    """
    return hashlib.sha256(_seed_bytes(seed)).hexdigest()


def clean_word(text: str) -> str:
    r"""A person's word as it is stored and hashed: one line of at most 80 visible characters.

    NFC; controls, invisible format characters, lone surrogates and line breaks become spaces;
    runs of spaces become one; the ends are trimmed. Cleaning twice changes nothing.

    >>> clean_word("  tre \n civette\tsul comò ")
    'tre civette sul comò'
    """
    composed = unicodedata.normalize("NFC", text)
    hidden = {"Cc", "Cf", "Cs"}
    visible = "".join(" " if unicodedata.category(char) in hidden else char for char in composed)
    return " ".join(visible.split())[:WORD_LENGTH].rstrip()


class Problem(StrEnum):
    """Why a receipt is not verified."""

    SEED_MISMATCH = "seed_mismatch"
    THROWS_DIFFER = "throws_differ"
    NOT_REVEALED = "not_revealed"
    UNKNOWN_PROTOCOL = "unknown_protocol"
    MALFORMED = "malformed"


@dataclass(frozen=True)
class Receipt:
    """All that is needed to find the throws of one draw again.

    `people` are (label, word) in the fixed order; `closes_at` is ISO 8601 with its offset, and
    hashed as it is written; `seed` and `throws` are empty until the draw is revealed.
    """

    protocol: str
    purpose: str
    sides: int
    count: int
    closes_at: str
    people: tuple[tuple[str, str], ...]
    commitment: str
    seed: str = ""
    throws: tuple[int, ...] = ()

    def to_dict(self) -> dict[str, object]:
        """The receipt as plain JSON values, in the order of the fields."""
        plain = {field.name: getattr(self, field.name) for field in fields(self)}
        return plain | {"people": [list(pair) for pair in self.people], "throws": list(self.throws)}

    @classmethod
    def from_dict(cls, data: object) -> Self:
        """The receipt written in `data`, as `to_dict` makes it.

        Raises ValueError with a plain sentence: not an object, a key missing or unknown, a value
        of the wrong type. Whether the values make sense is for `problems` to say.
        """
        if not isinstance(data, dict):
            raise ValueError("A receipt is a JSON object.")
        names = [field.name for field in fields(cls)]
        for name in names:
            if name not in data:
                raise ValueError(f"The receipt lacks {name!r}.")
        for name in data:
            if name not in names:
                raise ValueError(f"The receipt has an unknown key, {name!r}.")
        return cls(
            protocol=_text(data["protocol"], "protocol"),
            purpose=_text(data["purpose"], "purpose"),
            sides=_whole(data["sides"], "sides"),
            count=_whole(data["count"], "count"),
            closes_at=_text(data["closes_at"], "closes_at"),
            people=tuple(_person(pair) for pair in _list(data["people"], "people")),
            commitment=_text(data["commitment"], "commitment"),
            seed=_text(data["seed"], "seed"),
            throws=tuple(_whole(die, "throws") for die in _list(data["throws"], "throws")),
        )


def throws(receipt: Receipt) -> tuple[int, ...]:
    """The dice that follow from a receipt, whatever `throws` and `commitment` it claims.

    Block k (from 0) is HMAC-SHA256 of the message followed by k in 8 bytes, big-endian; the key
    is the 32 bytes of the seed. The message is a row of netstrings in UTF-8: protocol, purpose,
    closing time, sides, count, number of people, then label and word of each person in order.
    Bytes are read in order, until there are `count` dice: the remainder by `sides`, plus one;
    bytes past the last whole multiple of `sides` are discarded, so no face is favoured.

    Raises ValueError for a receipt of another protocol, malformed or not revealed.

    >>> people = (("Alice", "ciao"), ("Bruno", ""), ("Carla", "però"))
    >>> seed = "000102030405060708090a0b0c0d0e0f101112131415161718191a1b1c1d1e1f"
    >>> hour = "2026-03-01T20:00:00+00:00"
    >>> throws(Receipt(PROTOCOL, "Table 41: priority", 6, 8, hour, people, commitment(seed), seed))
    (4, 3, 6, 1, 2, 3, 4, 6)
    """
    if receipt.protocol != PROTOCOL or not _is_sound(receipt) or not receipt.seed:
        raise ValueError(f"Not a sound and revealed receipt of {PROTOCOL}.")
    numbers = [receipt.sides, receipt.count, len(receipt.people)]
    people = itertools.chain.from_iterable(receipt.people)
    parts = [PROTOCOL, receipt.purpose, receipt.closes_at, *map(str, numbers), *people]
    dice = _dice(_seed_bytes(receipt.seed), b"".join(map(_netstring, parts)), receipt.sides)
    return tuple(itertools.islice(dice, receipt.count))


def problems(receipt: Receipt) -> list[Problem]:
    """What is wrong with a receipt; the empty list means verified.

    A receipt of another protocol, malformed or not revealed shows that alone. Any change to what
    is hashed (see `throws`), or to the throws, shows as `THROWS_DIFFER`.
    """
    if receipt.protocol != PROTOCOL:
        return [Problem.UNKNOWN_PROTOCOL]
    if not _is_sound(receipt):
        return [Problem.MALFORMED]
    if not receipt.seed:
        return [Problem.NOT_REVEALED]
    found = []
    if commitment(receipt.seed) != receipt.commitment:
        found.append(Problem.SEED_MISMATCH)
    if throws(receipt) != receipt.throws:
        found.append(Problem.THROWS_DIFFER)
    return found


def main(argv: Sequence[str] | None = None) -> int:
    """Verify receipts, one line each; 0 all verified, 1 one is not, 2 one cannot be read."""
    parser = argparse.ArgumentParser(description="Verify draws of dice from their receipts.")
    parser.add_argument("files", nargs="+", metavar="draw.json", help="a receipt, or - for stdin")
    if isinstance(sys.stdout, io.TextIOWrapper):
        sys.stdout.reconfigure(errors="backslashreplace")
    return max([_report(name) for name in parser.parse_args(argv).files])


def _report(name: str) -> int:
    try:
        content = sys.stdin.buffer.read() if name == "-" else Path(name).read_bytes()
        receipt = Receipt.from_dict(json.loads(content))
    except (OSError, ValueError, RecursionError) as error:
        sys.stdout.write(f"NOT verified: {name}: cannot be read as a receipt: {error}\n")
        return 2
    title = f"{name}: {clean_word(receipt.purpose)}"
    if found := problems(receipt):
        reasons = "; ".join(_REASONS[problem] for problem in found)
        sys.stdout.write(f"NOT verified: {title}: {reasons}\n")
        return 1
    dice = " ".join(map(str, receipt.throws))
    sys.stdout.write(f"verified: {title}: {dice} (dice of {receipt.sides} sides)\n")
    return 0


_REASONS = {
    Problem.SEED_MISMATCH: "the seed is not the one promised by the commitment",
    Problem.THROWS_DIFFER: "the throws do not follow from the rest of the receipt",
    Problem.NOT_REVEALED: "the seed is not revealed yet",
    Problem.UNKNOWN_PROTOCOL: f"the protocol is not {PROTOCOL}",
    Problem.MALFORMED: "a value makes no sense",
}


def _seed_bytes(seed: str) -> bytes:
    if not _HEX_256.fullmatch(seed):
        raise ValueError("A seed is 64 lower-case hex digits.")
    return bytes.fromhex(seed)


def _netstring(text: str) -> bytes:
    data = text.encode()
    return b"%d:%s," % (len(data), data)


def _dice(key: bytes, message: bytes, sides: int) -> Iterator[int]:
    limit = 256 - 256 % sides
    for block in itertools.count():
        for byte in hmac.digest(key, message + block.to_bytes(8, "big"), "sha256"):
            if byte < limit:
                yield byte % sides + 1


def _is_sound(receipt: Receipt) -> bool:
    texts = [receipt.purpose, *itertools.chain.from_iterable(receipt.people)]
    return (
        2 <= receipt.sides <= MOST_SIDES
        and 1 <= receipt.count <= MOST_DICE
        and _MOMENT.fullmatch(receipt.closes_at) is not None
        and _HEX_256.fullmatch(receipt.commitment) is not None
        and (not receipt.seed or _HEX_256.fullmatch(receipt.seed) is not None)
        and not any("\ud800" <= char <= "\udfff" for text in texts for char in text)
    )


def _text(value: object, name: str) -> str:
    if not isinstance(value, str):
        raise ValueError(f"In the receipt, {name!r} must be text.")
    return value


def _whole(value: object, name: str) -> int:
    if not isinstance(value, int) or isinstance(value, bool):
        raise ValueError(f"In the receipt, {name!r} must hold whole numbers.")
    return value


def _list(value: object, name: str) -> list[object]:
    if not isinstance(value, list):
        raise ValueError(f"In the receipt, {name!r} must be a list.")
    return value


def _person(value: object) -> tuple[str, str]:
    pair = _list(value, "people")
    if len(pair) != 2:
        raise ValueError("In the receipt, each of 'people' is a label and a word.")
    return _text(pair[0], "people"), _text(pair[1], "people")


if __name__ == "__main__":
    sys.exit(main())
