"""The plates of the corporations: their printed colours, their letters in black or white."""

from __future__ import annotations

from collections.abc import Mapping

from django.utils.html import escape

from .geometry import Point, number

# The colours of the facts, as printed. Letters are black or white, whichever is read better.
PLATES: Mapping[str, str] = {
    "black": "#1d1d1b",
    "blue": "#1f4fa3",
    "green": "#1f7a3d",
    "light blue": "#8ccbe8",
    "light green": "#9ed06b",
    "orange": "#ee8a2c",
    "red": "#c8202f",
    "yellow": "#f6d42f",
}
BLANK = "#ffffff"  # a corporation whose colour the facts do not say
DARK, LIGHT = "#16140f", "#ffffff"


def drawn(symbol: str, colour: str | None, at: Point = (0.0, 0.0)) -> str:
    """A corporation's plate: its letters in black or white on its colour."""
    fill = PLATES.get(colour or "", BLANK)
    letters = ink(fill)
    x, y, size = number(at[0]), number(at[1]), letters_size(symbol)
    return (
        f'<circle class="plate-rim" cx="{x}" cy="{y}" r="14"/>'
        f'<circle cx="{x}" cy="{y}" r="12.6" fill="{fill}"/>'
        f'<text class="p" x="{x}" y="{number(at[1] + size * 0.35)}" font-size="{number(size)}" '
        f'fill="{letters}">{escape(symbol)}</text>'
    )


def letters_size(symbol: str) -> float:
    """How large the letters of a corporation are in its plate."""
    return {1: 15.0, 2: 14.0, 3: 12.0, 4: 9.8}.get(len(symbol), 8.0)


def ink(colour: str) -> str:
    """Black or white: what is read better on a colour (WCAG 2, relative luminance)."""
    return max((DARK, LIGHT), key=lambda letters: contrast(letters, colour))


def contrast(one: str, other: str) -> float:
    """The contrast of two colours, 1 to 21, by WCAG 2.

    >>> round(contrast("#000000", "#ffffff"), 1)
    21.0
    """
    high, low = sorted((_luminance(one), _luminance(other)), reverse=True)
    return (high + 0.05) / (low + 0.05)


def _luminance(colour: str) -> float:
    parts = []
    for at in (1, 3, 5):
        part = int(colour[at : at + 2], 16) / 255
        parts.append(part / 12.92 if part <= 0.04045 else ((part + 0.055) / 1.055) ** 2.4)
    return 0.2126 * parts[0] + 0.7152 * parts[1] + 0.0722 * parts[2]
