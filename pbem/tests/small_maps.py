"""Made-up boards of 1830, seeded: positions that no game would come to, but that the rules judge.

The tiles are real and as many as there are; where they lie, whether they fit, and which phase
it is, is chance. So are the tokens, the trains, and who has them.
"""

from __future__ import annotations

import random
from collections import Counter
from collections.abc import Collection

from pbem.engine.game import Game
from pbem.engine.state import State, Step
from pbem.engine.title import Hex, Laid, Tile

from . import positions

# Around which hexes a small map lies: homes, red areas, double towns, the tiles of their own kind.
CENTRES = {
    "H12": "PRR",  # Altoona and its bypass
    "E19": "NYC",
    "A19": "CPR",
    "I15": "B&O",
    "F6": "C&O",
    "E11": "ERIE",
    "G19": "NYNH",
    "E23": "B&M",
    "H4": "C&O",  # the Gulf and Chicago
    "I3": "PRR",
    "B10": "CPR",  # Canadian West
    "G17": "PRR",
    "H10": "B&O",
    "J14": "NYC",
    "D10": "ERIE",
    "E5": "B&M",
    "F20": "NYNH",
}
KINDS = {
    "2": ("2",),
    "3": ("2", "3"),
    "4": ("3", "4"),
    "5": ("3", "4", "5"),
    "6": ("4", "5", "6"),
    "D": ("4", "5", "6", "D"),
}


def small_map(seed: int, step: Step = Step.RUN, crowded: bool = False) -> Game:
    """The turn of a corporation amid a dozen hexes of track, its trains one to four; if `crowded`
    they are three or four on dense track, and get into each other's way."""
    rng = random.Random(f"small map {seed}")
    centre = rng.choice(sorted(CENTRES))
    symbol = CENTRES[centre]
    phase = rng.choice(sorted(KINDS))
    game = positions.after_auction(4, rng.choice(["figf", "18xx"]))
    state = game.state
    positions.company(state, symbol, 100, p1=6)
    positions.trains(state, symbol, *_trains(rng, state, KINDS[phase], crowded))
    positions.phase(state, phase)
    positions.cash(state, symbol, rng.choice([0, 100, 1000]))
    around = _around(state, centre, rng.randint(6, 18), rng)
    tries = 20 if crowded else rng.choice([1, 4, 20])
    for hex_id in around:
        home = bool(state.title.hexes[hex_id].homes)
        _lay(rng, state, hex_id, around, 0 if home else 0.2, tries)
    _own_tokens(rng, state, symbol, around)
    _others_tokens(rng, state, symbol, around)
    if phase in {"3", "4"} and rng.random() < 0.3:
        state.owners[rng.choice(["CS", "DH"])] = symbol
    positions.operating_round(game, symbol, step=step)
    return game


def saturated(seed: int, *kinds: str) -> Game:
    """A board with a tile on every hex that there is one for, and with these trains."""
    rng = random.Random(f"saturated {seed}")
    symbol = rng.choice(["B&O", "C&O", "CPR", "NYC", "PRR"])
    game = positions.after_auction(4, "18xx")  # diesels without limit
    state = game.state
    positions.company(state, symbol, 100, p1=6)
    positions.trains(state, symbol, *kinds)
    positions.phase(state, "D")
    hexes = [hexagon.id for hexagon in state.title.hexes.values() if not hexagon.fixed]
    for hex_id in rng.sample(hexes, len(hexes)):
        _lay(rng, state, hex_id, hexes, strange=0, tries=40)
    _own_tokens(rng, state, symbol, hexes, 3)
    _others_tokens(rng, state, symbol, rng.sample(hexes, 20))
    return positions.operating_round(game, symbol, step=Step.RUN)


def _trains(rng: random.Random, state: State, kinds: tuple[str, ...], crowded: bool) -> list[str]:
    owned: Counter[str] = Counter()
    for kind in rng.choices(kinds, k=rng.choice([3, 4] if crowded else [1, 1, 2, 2, 2, 3, 4])):
        left = state.depot[kind]
        if left is None or owned[kind] < left:
            owned[kind] += 1
    return list(owned.elements())


def _around(state: State, centre: str, count: int, rng: random.Random) -> list[str]:
    """So many hexes that tiles may lie on, from the centre outwards."""
    hexes = state.title.hexes
    found, ring = [], [hexes[centre]]
    seen = {centre}
    while ring:
        found += [hexagon.id for hexagon in ring if not hexagon.fixed]
        beyond: list[Hex] = []
        for hexagon in ring:
            for other in hexagon.neighbors:
                if other is not None and other.id not in seen:
                    seen.add(other.id)
                    beyond.append(other)
        rng.shuffle(beyond)
        ring = beyond
        if len(found) >= count:
            break
    return found[:count]


def _cities(state: State, hex_id: str) -> list[int]:
    return [n for n, node in enumerate(state.board[hex_id].tile.nodes) if node.is_city]


def _alike(printed: Tile, tile: Tile) -> bool:
    """Whether a tile is of the kind that the hex is for."""
    return (printed.label, [node.kind for node in printed.nodes]) == (
        tile.label,
        [node.kind for node in tile.nodes],
    )


def _lay(
    rng: random.Random,
    state: State,
    hex_id: str,
    around: Collection[str],
    strange: float,
    tries: int,
) -> None:
    """One of the tiles left, of the hex's kind unless `strange`: of so many tries the one that
    joins most, so that there is something to run over."""
    left = [tile for tile in state.title.tiles.values() if state.supply[tile.id] > 0]
    if rng.random() >= strange:
        left = [tile for tile in left if _alike(state.title.hexes[hex_id].printed.tile, tile)]
    if not left:
        return
    tried = [(rng.choice(left), rng.randrange(6)) for _ in range(tries)]
    tile, turned = max(tried, key=lambda one: _joins(state, hex_id, around, one[0].at(one[1])))
    positions.lay(state, hex_id, tile.id, turned)


def _joins(state: State, hex_id: str, around: Collection[str], laid: Laid) -> int:
    """How many edges with track meet track, or a hex still to be laid; less those that do not."""
    joined = 0
    for edge in laid.edges:
        other = state.title.hexes[hex_id].neighbors[edge]
        if other is None:
            joined -= 1
        elif (edge + 3) % 6 in state.board[other.id].edges:
            joined += 2
        elif other.id in around and not state.board[other.id].tile.count:
            joined += 1
        else:
            joined -= 1
    return joined


def _token(state: State, symbol: str, hex_id: str, rng: random.Random) -> bool:
    """A token in some city of the hex that has room; not two in one hex."""
    one = state.corporations[symbol]
    free = [
        city
        for city in _cities(state, hex_id)
        if len(state.stations.get((hex_id, city), ())) < state.board[hex_id].tile.nodes[city].slots
    ]
    if not free or not one.unused or any(hex_id == where for where, _ in one.tokens):
        return False
    positions.token(state, symbol, hex_id, rng.choice(free))
    return True


def _undecided(state: State, symbol: str) -> None:
    """A token on the hex whose city is still to be chosen (1830/F-2)."""
    positions.token(state, symbol, "E11", -1)


def _own_tokens(
    rng: random.Random, state: State, symbol: str, around: list[str], most: int = 2
) -> None:
    """The home token, and some more amid the map."""
    home = state.corporations[symbol].company.home
    undecided = symbol == "ERIE" and (not state.board["E11"].edges or rng.random() < 0.3)
    if undecided:
        _undecided(state, symbol)
    else:
        assert _token(state, symbol, home, rng)
    for hex_id in rng.sample(around, len(around)):
        if len(state.corporations[symbol].tokens) > most:
            break
        if rng.random() < 0.5 or home not in around:
            _token(state, symbol, hex_id, rng)


def _others_tokens(rng: random.Random, state: State, symbol: str, around: list[str]) -> None:
    """Others' tokens: any city may have some, which may fill it; grey ones too."""
    others = [other for other in state.corporations if other != symbol]
    fixed = [hexagon.id for hexagon in state.title.hexes.values() if hexagon.fixed]
    for hex_id in [*around, *fixed]:
        for _ in _cities(state, hex_id):
            choosing = (hex_id, -1) in state.stations  # who is to choose finds a city
            if rng.random() < 0.4 and not choosing:
                _token(state, rng.choice(others), hex_id, rng)
    erie = state.corporations["ERIE"]
    if symbol != "ERIE" and not state.board["E11"].edges and not erie.tokens:
        _undecided(state, "ERIE")
