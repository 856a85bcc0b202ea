"""Figures, days and articles as the pages and the mails write them."""

import re
from datetime import date, datetime
from decimal import Decimal
from typing import Any

from django import template
from django.urls import reverse
from django.utils import timezone
from django.utils.dateformat import format as date_format
from django.utils.formats import number_format
from django.utils.html import format_html
from django.utils.safestring import SafeString
from django.utils.translation import get_language, gettext

from figf.regulation import titles

register = template.Library()


@register.filter
def percentile(value: Decimal | str | None) -> str:
    """1540, 887,51 or a dash: two decimals, hidden when both are zero (C-05)."""
    if not isinstance(value, Decimal):
        return "–"
    return number_format(value, 0 if value == value.to_integral() else 2)


@register.filter
def hundredths(value: int) -> str:
    """154000 is 1540, 88751 is 887,51: a total stored in hundredths."""
    return percentile(Decimal(value) / 100)


@register.filter
def figure(text: str) -> str:
    """A figure stored as a text, as the reader writes it: 887.51 is 887,51, (39) stays (39)."""
    return re.sub(r"\d+\.\d\d", lambda found: percentile(Decimal(found[0])), text)


@register.filter
def day(value: date | None) -> str:
    """30 novembre 2026, 30 November 2026."""
    return _dated(value, "j F Y")


@register.filter
def short_day(value: date | None) -> str:
    """30 nov, 30 Nov: where the year is plain from the place."""
    return _dated(value, "j M")


@register.filter
def month(value: date | None) -> str:
    """nov 2026, Nov 2026."""
    return _dated(value, "M Y")


@register.filter
def moment(value: datetime | None) -> str:
    """30 novembre 2026, 18:05, in the time of Rome."""
    return _dated(value, "j F Y, H:i")


@register.filter
def deadline(value: datetime | None) -> str:
    """sabato 14 marzo 2026, ore 16:00 (CET), in the time of Rome, which its zone tells apart."""
    if not value:
        return "–"
    here = timezone.localtime(value)
    return gettext("%(day)s, %(hour)s (%(zone)s)") % {
        "day": _dated(here, "l j F Y"),
        "hour": date_format(here, "H:i"),
        "zone": here.tzname(),
    }


@register.filter
def short_moment(value: datetime | None) -> str:
    """30 nov, 18:05, in the time of Rome."""
    return _dated(value, "j M, H:i")


def _dated(value: date | None, pattern: str) -> str:
    if not value:
        return "–"
    if isinstance(value, datetime) and timezone.is_aware(value):
        value = timezone.localtime(value)
    text = date_format(value, pattern)
    return text.lower() if get_language() == "it" else text  # months have no capital in Italian


@register.filter
def signed(value: int) -> str:
    """+500 or −500, with the true minus of a printed page."""
    return f"{value:+d}".replace("-", "−")


@register.filter
def euro(value: Decimal | None) -> str:
    """38,00 or a dash: euro and cents, without their sign."""
    return number_format(value, 2) if isinstance(value, Decimal) else "–"


@register.filter
def translated(text: str) -> str:
    """A text that the rules declare, in English, in the reader's language."""
    return gettext(text)


@register.simple_tag
def article(rule: str) -> str | SafeString:
    """A link to the article of the published regulation; nothing where no article speaks.

    What is not published there, as an article of another federation, has its number and no link.
    """
    if not rule:
        return ""
    if rule not in titles():
        return format_html('<span class="article">{}</span>', rule)
    return format_html('<a class="article" href="{}#{}">{}</a>', reverse("regulation"), rule, rule)


@register.simple_tag
def card(player: Any, text: object = "") -> object:
    """A player's name, or another text for it, leading to his card.

    A referee in a seat is nobody, and who was forgotten has no card: the text alone.
    """
    if not player or player.forgotten_at is not None:
        return text or player
    return format_html('<a href="{}">{}</a>', reverse("player", args=[player.pk]), text or player)
