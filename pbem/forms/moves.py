"""The move form (*modulo della mossa*): what is offered, and what of it is a command.

A form offers only what the engine says is possible, and shows the rest with the reason. It never
refuses: a row half filled in is a command that will not be executed, and says why.
"""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any, Protocol

from django.http import QueryDict

from pbem.engine import Game as Engine
from pbem.engine.state import Auction, Operating
from pbem.forms.auction import AuctionForm
from pbem.forms.operating import ChoiceForm, OperatingForm
from pbem.forms.stock import StockForm
from pbem.rules.commands import Command
from pbem.texts import Names


class MoveForm(Protocol):
    """A form for one turn: `template` draws its fields, with the map of its own if it `has_map`."""

    kind: str  # auction, stock, operating or choice
    template: str
    has_map: bool

    def commands(self) -> list[Command]:
        """What was filled in, in the order in which it is meant."""
        ...

    def typed(self) -> dict[str, Any]:
        """The fields as they were typed, to be shown again."""
        ...


def move_form(
    position: Engine, player: str, names: Names, data: QueryDict | Mapping[str, Any] | None = None
) -> MoveForm:
    """The form of the player's turn, filled in with what was typed if anything was.

    `position` is where his turn has come to, and he is to decide (`position.player`).
    """
    now = position.state.round
    if isinstance(now, Auction):
        return AuctionForm(position, player, names, data)
    if not isinstance(now, Operating):
        return StockForm(position, player, names, data)
    if now.discarding or now.choosing:
        return ChoiceForm(position, player, names, data)
    return OperatingForm(position, player, names, data)
