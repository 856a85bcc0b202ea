"""What the regulation refuses, as every service refuses: in words, with the article."""

from __future__ import annotations

from figf.errors import Refused
from tournaments import texts
from tournaments.rules.regulation import Illegal


def refused(illegal: Illegal) -> Refused:
    """The refusal that the web shows for what a rule found illegal."""
    return Refused(
        str(illegal.reason), texts.refusal(illegal), rule=illegal.rule, field=illegal.field
    )
