"""The regulations that an event may be run by."""

from __future__ import annotations

from collections.abc import Mapping
from types import MappingProxyType
from typing import Any

from tournaments.rules.figf import FIGF_2006
from tournaments.rules.regulation import Regulation

# A slug once used by an event stays for ever: amend by adding.
REGULATIONS: Mapping[str, Regulation[Any]] = MappingProxyType(
    {regulation.slug: regulation for regulation in (FIGF_2006,)}
)

DEFAULT = FIGF_2006.slug  # what a new event is run by, unless somebody says otherwise


def ranked() -> list[str]:
    """The slugs of those whose events are in the federation's calendar and ranking.

    >>> ranked()
    ['figf-2006']
    """
    return [slug for slug, regulation in REGULATIONS.items() if regulation.ranked]


def choices() -> list[tuple[str, str]]:
    """Slug and title of each, for a form or a model field; given as a callable, no migration.

    >>> choices()
    [('figf-2006', 'FIGF 2006')]
    """
    return [(regulation.slug, regulation.title) for regulation in REGULATIONS.values()]
