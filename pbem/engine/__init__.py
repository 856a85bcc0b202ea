"""A referee for the railway board games of the 18xx family: pure, on the standard library alone.

It decides which action is legal and why, whose turn it is, what may be done, what a game is worth.

>>> game = start("1830", ["anna", "bruno", "carla"])
>>> game.actor
'anna'
>>> game.apply(parse("anna bid SV 20"))
>>> game.options()[0].action
Bid(actor='bruno', private='CS', price=40)
>>> game.apply(parse("bruno bid DH 70"))
Traceback (most recent call last):
    ...
pbem.engine.errors.IllegalAction: bid_too_low (1830/A-3): private=DH, minimum=75

What the engine does not know is agreement: it takes for granted that who sells a private or a train
to another wants to (`Game.consent` names him). Nor does it draw: seats come in the order given.

The rules stand in one module for each chapter of the rulebook, every function under its clause:
`auction` (A), `stock` (S), `shares` (C, limits), `market` (P), `operating` (O, D, V-2), `track` (L,
K, F), `reach` (what track connects), `routes` (R), `trains` (N, E, H), `powers` (V-9). What is
printed is in `titles/`, read by `facts`; what the rulebooks leave open is a switch of `title`.
What is best is found by `best` (the run that earns most, proven, over the `network` of stops) and
`lays` (what each tile would add to it).
Positions and actions print and parse back (`notation`, `actions`); `interchange` reads and writes
the games of 18xx.games.
"""

from .actions import Action, from_dict, parse
from .best import best_run
from .errors import EngineError, IllegalAction, MalformedAction, Reason
from .game import RULES, Game, start
from .lays import best_lays
from .options import Option
from .state import State
from .title import Title

__all__ = [
    "RULES",
    "Action",
    "EngineError",
    "Game",
    "IllegalAction",
    "MalformedAction",
    "Option",
    "Reason",
    "State",
    "Title",
    "best_lays",
    "best_run",
    "from_dict",
    "parse",
    "start",
]
