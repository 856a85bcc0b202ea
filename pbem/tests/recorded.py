"""Games to be looked at again: brought here from a file, or played here, through what there is."""

from __future__ import annotations

import json
from typing import Any

from figf.models import User
from figf.tests.cast import NOW, Federation, make_cast
from pbem import services
from pbem.engine import RULES
from pbem.models import Action, Game, Move, Recording
from tournaments.models import Table

from .our_games import file_of, text_of

SHORT, LONG, SIX = "bankruptcy_18xx_2", "bank_figf_4", "bankruptcy_figf_6"


def bring(name: str = SHORT, by: User | None = None, **how: Any) -> Recording:
    """One of our own games, brought here by Bruno unless somebody else is named."""
    data = text_of(name).encode()
    recording, _new = services.import_recording(data, by or make_cast().bruno, NOW, **how)
    return recording


def brought(federation: Federation) -> Recording:
    """A game that Bruno brought to this federation."""
    return bring(by=federation.cast.bruno, label="Prova generale")


def played_here(federation: Federation) -> Game:
    """A game by correspondence at the federation's first table, as far as its sixtieth action."""
    found = Game.objects.filter(table=federation.played).first()
    return found or play_here(federation.played, LONG, 60)


def foreign(name: str = SHORT) -> dict[str, Any]:
    """A game as the peer would export it: accounts, chat and dates in it, and nothing of ours."""
    file = file_of(name)
    file.pop("figf")
    accounts = {one["id"]: 770_000 + one["id"] for one in file["players"]}
    for one in file["players"]:
        one["id"] = accounts[one["id"]]
        one["name"] = f"utente_{one['id']}"
    for one in file["actions"]:
        one["created_at"] = 1_600_000_000
        if one["entity_type"] == "player":
            one["entity"] = accounts[one["entity"]]
    chat = {"type": "message", "id": 0, "entity": 770_001, "message": "scrivimi: x@example.org"}
    file["actions"].insert(5, chat | {"entity_type": "player", "user": 770_001})
    file["user"] = {"id": 770_001, "name": "utente_770001", "email": "x@example.org"}
    file["result"] = {str(accounts[int(seat)]): worth for seat, worth in file["result"].items()}
    return file


def as_bytes(file: object) -> bytes:
    return json.dumps(file).encode()


def play_here(table: Table, name: str, length: int | None = None) -> Game:
    """A game by correspondence at a table, as its rows would be: each action a move."""
    recording = bring(name)
    actions = recording.actions[:length]
    game = Game.objects.create(
        table=table,
        title=recording.title,
        options=recording.options,
        seed="5eed" * 16,
        rules=RULES,
        seq=len(actions),
        length=len(actions),
        clock=Game.Clock.OVER,
    )
    seats = {str(seat.position): seat for seat in table.seats.all()}
    move = Move.objects.create(
        game=game, number=1, seat=seats["1"], kind=Move.Kind.OWN, received_at=NOW
    )
    Action.objects.bulk_create(
        Action(game=game, seq=seq, move=move, payload=payload)
        for seq, payload in enumerate(actions, 1)
    )
    return game
