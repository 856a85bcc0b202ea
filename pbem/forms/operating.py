"""The form of the operating turn."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

from pbem.engine import Game as Engine
from pbem.engine.actions import Pass
from pbem.rules.commands import Command, Plain
from pbem.texts import Names


class OperatingForm:
    kind = "operating"
    template = "pbem/_move_operating.html"
    has_map = True

    def __init__(
        self, position: Engine, player: str, names: Names, data: Mapping[str, Any] | None
    ) -> None:
        self.position = position
        self.player = player
        self.names = names
        self.data = data or {}

    def commands(self) -> list[Command]:
        return [Plain(Pass(self.position.actor or self.player))] if self.data.get("pass") else []

    def typed(self) -> dict[str, Any]:
        return {"pass": self.data.get("pass", "")}


class ChoiceForm(OperatingForm):
    """A city to be chosen, or a train to be discarded."""

    kind = "choice"
    template = "pbem/_move_choice.html"
    has_map = True
