"""The countries that a nationality may name."""

from __future__ import annotations

# ISO 3166-1, the codes of two letters, by the first of them.
_SECOND = {
    "A": "DEFGILMOQRSTUWXZ",
    "B": "ABDEFGHIJLMNOQRSTVWYZ",
    "C": "ACDFGHIKLMNORUVWXYZ",
    "D": "EJKMOZ",
    "E": "CEGHRST",
    "F": "IJKMOR",
    "G": "ABDEFGHILMNPQRSTUWY",
    "H": "KMNRTU",
    "I": "DELMNOQRST",
    "J": "EMOP",
    "K": "EGHIMNPRWYZ",
    "L": "ABCIKRSTUVY",
    "M": "ACDEFGHKLMNOPQRSTUVWXYZ",
    "N": "ACEFGILOPRUZ",
    "O": "M",
    "P": "AEFGHKLMNRSTWY",
    "Q": "A",
    "R": "EOSUW",
    "S": "ABCDEGHIJKLMNORSTVXYZ",
    "T": "CDFGHJKLMNORTVWZ",
    "U": "AGMSYZ",
    "V": "ACEGINU",
    "W": "FS",
    "Y": "ET",
    "Z": "AMW",
}
COUNTRIES = frozenset(first + second for first, found in _SECOND.items() for second in found)
