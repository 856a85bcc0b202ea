"""What stands under an article of the regulation."""

from typing import Any

from django import template
from django.urls import reverse

from figf.readings import readings_about
from figf.regulation import places, rule

register = template.Library()


@register.inclusion_tag("regulation/_about.html")
def about_article(number: str) -> dict[str, Any]:
    """Under an article: how else it could be read, where it comes from, who applies it."""
    entry = rule(number)
    return {
        "readings": readings_about(number),
        "places": places(number),
        "human": "human" in entry,
        "later": "later" in entry,
        "text_url": reverse("regulation_text"),
        "readings_url": reverse("readings"),
    }
