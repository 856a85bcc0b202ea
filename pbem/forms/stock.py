"""The form of the stock turn."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

from pbem.engine import Game as Engine
from pbem.engine.actions import Pass
from pbem.rules.commands import Command, Plain
from pbem.texts import Names


class StockForm:
    template = "pbem/_move_stock.html"

    def __init__(
        self, position: Engine, player: str, names: Names, data: Mapping[str, Any] | None
    ) -> None:
        self.position = position
        self.player = player
        self.names = names
        self.data = data or {}

    def commands(self) -> list[Command]:
        return [Plain(Pass(self.player))] if self.data.get("pass") else []

    def typed(self) -> dict[str, Any]:
        return {"pass": self.data.get("pass", "")}
