"""1830/L, K, F — tiles and tokens: what may be laid where, and what becomes of the tokens."""

from __future__ import annotations

from .actions import LayTile, PlaceToken
from .errors import IllegalAction, MalformedAction, Reason, allowed
from .reach import Place, Spot, passable, reach, spot
from .state import Corporation, Operating, State, Step
from .title import ErieCity, Hex, Laid, Private, Tile, Upgrades, kept

UNDECIDED = -1  # the city of a token that lies on a hex without track (1830/F-2)

# --- tiles ----------------------------------------------------------------------------------------


def hex_named(state: State, name: str) -> Hex:
    hexagon = state.title.hexes.get(name)
    if hexagon is None:
        raise MalformedAction("hex", name, "a hex of the map")
    return hexagon


def check_lay(state: State, turn: Operating, action: LayTile) -> None:
    """1830/L-1..L-16 — one tile a turn; with a power, its tile in its hex (V-7, V-8)."""
    hexagon = hex_named(state, action.hex)
    tile = state.title.tiles.get(action.tile)
    if tile is None:
        raise MalformedAction("tile", action.tile, "a tile")
    if not 0 <= action.rotation <= 5:
        raise MalformedAction("rotation", action.rotation, "a rotation from 0 to 5")
    corporation = state.corporations[action.actor]
    if action.private is None:
        _check_step(turn)
        if not corporation.tokens:
            raise IllegalAction(Reason.NO_TOKEN_ON_MAP, "1830/L-14", corporation=corporation.id)
    else:
        check_power(state, turn, corporation, action.private, action)
    laid = tile.at(action.rotation)
    check_tile(state, hexagon, tile)
    check_fit(state, hexagon, laid)
    price = cost(state, hexagon)
    if price > corporation.cash:
        raise IllegalAction(Reason.NO_MONEY, "1830/L-9", cash=corporation.cash, price=price)
    if action.private is None:
        check_reach(state, corporation, hexagon, laid)


def _check_step(turn: Operating) -> None:
    if turn.step is not Step.TRACK:
        reason = Reason.TILE_ALREADY_LAID if turn.laid else Reason.WRONG_STEP
        raise IllegalAction(reason, "1830/L-1", step=turn.step.name.lower())


def check_power(
    state: State, turn: Operating, corporation: Corporation, name: str, action: LayTile
) -> Private:
    """1830/V-5, V-7, V-8, FIGF-Z-05 — the corporation owns the private; its tile is yet to lay."""
    private = state.title.privates.get(name)
    if private is None:
        raise MalformedAction("private", name, "a private")
    if state.owners.get(name) != corporation.id:
        raise IllegalAction(Reason.PRIVATE_NOT_HELD, "1830/V-5", private=name)
    power = private.tile_lay
    if power is None or power.hex != action.hex or action.tile not in power.tiles:
        raise IllegalAction(Reason.NO_POWER, "1830/V-5", private=name)
    if name in state.used or state.board[power.hex].tile.count:
        raise IllegalAction(Reason.POWER_USED, "1830/V-8", private=name)
    if not power.extra:
        _check_step(turn)
    return private


def check_tile(state: State, hexagon: Hex, tile: Tile) -> None:
    """1830/L-2, L-6, L-7, L-10, L-16 — whether the tile may come on the hex, turned anyhow."""
    old = state.board[hexagon.id].tile
    if hexagon.fixed:
        raise IllegalAction(Reason.FIXED_HEX, "1830/L-5", hex=hexagon.id)
    for private in hexagon.blocked_by:
        if state.owners.get(private) in state.cash:
            raise IllegalAction(Reason.HEX_BLOCKED, "1830/L-10", hex=hexagon.id, private=private)
    follows = old.upgrades if old.count else hexagon.first_tiles
    if tile.id not in follows:
        raise IllegalAction(
            Reason.NOT_AN_UPGRADE, "1830/L-7", hex=hexagon.id, tile=tile.id, old=old.id
        )
    phase = state.title.phases[state.phase]
    if tile.colour not in phase.colours:
        raise IllegalAction(
            Reason.COLOUR_NOT_YET, "1830/L-2", tile=tile.id, colour=tile.colour, phase=phase.id
        )
    if not state.supply[tile.id]:
        raise IllegalAction(Reason.NO_TILE_LEFT, "1830/L-16", tile=tile.id)


def check_fit(state: State, hexagon: Hex, laid: Laid) -> None:
    """1830/L-5, L-7 — no track into nothing, and the old track kept."""
    for edge in laid.edges:
        if hexagon.neighbors[edge] is None:
            raise IllegalAction(Reason.TRACK_INTO_NOTHING, "1830/L-5", hex=hexagon.id, edge=edge)
    if kept(state.board[hexagon.id], laid) is None:
        raise IllegalAction(
            Reason.TRACK_NOT_KEPT,
            "1830/L-7",
            hex=hexagon.id,
            tile=laid.tile.id,
            rotation=laid.rotation,
        )


def cost(state: State, hexagon: Hex) -> int:
    """1830/L-9 — the terrain is paid with the first tile put on the hex."""
    return 0 if state.board[hexagon.id].tile.count else hexagon.cost


def check_reach(state: State, corporation: Corporation, hexagon: Hex, laid: Laid) -> None:
    """1830/L-3, L-8 — some track of the tile is joined to an own token; FIGF-P-02 asks more."""
    found = reach(state, corporation.id)
    if hexagon.id not in found.homes and not any(
        found.crosses(state, hexagon, edge) for edge in laid.edges
    ):
        raise IllegalAction(
            Reason.NOT_CONNECTED, "1830/L-3", hex=hexagon.id, corporation=corporation.id
        )
    old = state.board[hexagon.id]
    if (
        state.title.switches.upgrades is Upgrades.ITALIAN
        and old.tile.colour != "white"
        and not laid.tile.has_city
    ):
        if not corporation.trains:
            raise IllegalAction(
                Reason.NO_TRAIN_FOR_UPGRADE, "FIGF-P-02", corporation=corporation.id
            )
        if not runs_over_new_track(state, corporation.id, hexagon, old, laid):
            raise IllegalAction(
                Reason.NEW_TRACK_UNUSED, "FIGF-P-02", hex=hexagon.id, tile=laid.tile.id
            )


def lay(state: State, turn: Operating, action: LayTile) -> None:
    """1830/L-2, L-9, L-11 — pay, replace, move the tokens with their track."""
    corporation = state.corporations[action.actor]
    hexagon = state.title.hexes[action.hex]
    old, new = state.board[action.hex], state.title.tiles[action.tile].at(action.rotation)
    state.pay_bank(corporation, cost(state, hexagon))
    if old.tile.count:
        state.supply[old.tile.id] += 1
    state.supply[new.tile.id] -= 1
    state.board[action.hex] = new
    state.reaches = {}
    _move_tokens(state, turn, corporation, action.hex, kept(old, new) or ())
    if action.private is not None:
        state.used |= {action.private}
    power = state.title.privates[action.private].tile_lay if action.private else None
    if power is None or not power.extra:
        turn.laid = True
        free = power is not None and corporation.unused > 0
        turn.power_hex = action.hex if free else None
        turn.step = Step.TOKEN


def _move_tokens(
    state: State,
    turn: Operating,
    layer: Corporation,
    hex_id: str,
    moved: tuple[int | None, ...],
) -> None:
    """1830/L-11, F-3 — tokens stay in the city that keeps their track; one that lay on a hex
    without track is to choose."""
    for symbol, (home, city) in state.homes.items():
        if home == hex_id and city is not None:
            state.homes[symbol] = (home, moved[city])
    if not any(hex_id == where for where, _ in state.stations):
        return
    before = {place: held for place, held in state.stations.items() if place[0] == hex_id}
    for place, held in before.items():
        del state.stations[place]
        if place[1] == UNDECIDED:
            symbol = held[0]
            turn.choosing = (symbol, hex_id)
            owner = state.title.switches.erie_city is ErieCity.OWNER
            turn.chooser = (state.corporations[symbol] if owner else layer).president
            state.stations[place] = held
    for place, held in before.items():
        if place[1] == UNDECIDED:
            continue
        now = (hex_id, moved[place[1]] or 0)
        state.stations[now] = held
        for symbol in held:
            tokens = state.corporations[symbol].tokens
            tokens[tokens.index(place)] = now


def runs_over_new_track(state: State, symbol: str, hexagon: Hex, old: Laid, new: Laid) -> bool:
    """FIGF-P-02 — *variante italiana*: whether a train of unlimited range could run from end to end
    of some stretch that the new tile adds.

    A run joins two revenue places, counts an own token, and never uses a hexside twice; the tile
    has no city, so a stretch leads from edge to edge, or from an edge to a town. Every run through
    the stretch is tried, from both of its ends outwards.
    """
    board = state.board
    board[hexagon.id] = new  # as if it lay there; put back below
    try:
        return any(
            _run_through(state, symbol, hexagon, path)
            for path in new.paths
            if path not in old.path_set
        )
    finally:
        board[hexagon.id] = old


def _run_through(state: State, symbol: str, hexagon: Hex, path: tuple[int, int]) -> bool:
    """Whether some legal run uses this stretch of track."""
    used = 0
    ends: list[tuple[Hex, int]] = []
    stops: frozenset[Spot] = frozenset()
    for end in path:
        if end >= 0:
            used |= hexagon.sides[end]
            ends.append((hexagon, end))
        else:
            stops = frozenset({spot(state, (hexagon.id, ~end))})
    # Outwards from the first end until it may stop, then from the second, with what is left.
    for first, side, token in _outwards(state, symbol, ends[0], used, stops):
        rest = ends[1:]
        if not rest:
            # the other end is a town of this tile: the run may end there, or go on through it
            if token and len(first) >= 2:
                return True
            town = ~next(end for end in path if end < 0)
            rest = [
                (hexagon, way)
                for way in state.board[hexagon.id].from_node[town]
                if not side & hexagon.sides[way]
            ]
        for start in rest:
            for second, _, other in _outwards(
                state, symbol, start, side | start[0].sides[start[1]], first
            ):
                if (token or other) and len(second) >= 2:
                    return True
    return False


def _outwards(  # type: ignore[no-untyped-def]
    state: State, symbol: str, start: tuple[Hex, int], used: int, stops: frozenset[Spot]
):
    """Each way on from a hexside to a revenue place where a run may end: the stops so far, the
    hexsides used, and whether an own token was met on the way."""
    board = state.board
    todo = [(start[0], start[1], used, stops, False)]
    while todo:
        hexagon, edge, used, stops, token = todo.pop()
        other = hexagon.neighbors[edge]
        if other is None:
            continue
        back = (edge + 3) % 6
        if used & other.sides[back]:
            continue
        used |= hexagon.sides[edge] | other.sides[back]
        laid = board[other.id]
        for end in laid.from_edge[back]:
            if end >= 0:
                if not used & other.sides[end]:
                    todo.append((other, end, used, stops, token))
                continue
            place = (other.id, ~end)
            if spot(state, place) in stops:
                continue
            met = token or symbol in state.stations.get(place, ())
            yield stops | {spot(state, place)}, used, met
            if passable(state, place, symbol):
                todo += [
                    (other, way, used, stops | {spot(state, place)}, met)
                    for way in laid.from_node[~end]
                    if not used & other.sides[way]
                ]


# --- tokens ---------------------------------------------------------------------------------------


def check_token(state: State, turn: Operating, action: PlaceToken) -> None:
    """1830/K-1..K-8, V-8 — one token a turn, in a city with room that track reaches."""
    hexagon = hex_named(state, action.hex)
    tile = state.board[hexagon.id].tile
    if not 0 <= action.city < len(tile.nodes) or not tile.nodes[action.city].is_city:
        if not 0 <= action.city < 6:
            raise MalformedAction("city", action.city, "the number of a city")
        raise IllegalAction(Reason.NO_CITY, "1830/K-6", hex=hexagon.id)
    if turn.choosing:
        _check_choice(turn, action)
        check_slot(state, turn.choosing[0], (hexagon.id, action.city))
        return
    corporation = state.corporations[action.actor]
    if turn.step is not Step.TOKEN:
        reason = Reason.TOKEN_ALREADY_PLACED if turn.tokened else Reason.WRONG_STEP
        raise IllegalAction(reason, "1830/K-4", step=turn.step.name.lower())
    if not corporation.unused:
        raise IllegalAction(Reason.NO_TOKEN_LEFT, "1830/K-1", corporation=corporation.id)
    place = (hexagon.id, action.city)
    if any(hexagon.id == where for where, _ in corporation.tokens):
        raise IllegalAction(Reason.TOKEN_IN_HEX, "1830/K-5", hex=hexagon.id)
    check_slot(state, corporation.id, place)
    if action.private is not None:
        _check_free_token(state, turn, corporation, action)
        return
    price = corporation.next_token_price
    if price > corporation.cash:
        raise IllegalAction(Reason.NO_MONEY, "1830/K-7", cash=corporation.cash, price=price)
    if not reach(state, corporation.id).reaches(state, place):
        raise IllegalAction(
            Reason.NOT_CONNECTED, "1830/K-4", hex=hexagon.id, corporation=corporation.id
        )


def _check_choice(turn: Operating, action: PlaceToken) -> None:
    """1830/F-2, F-3 — the token's own city is chosen, in its hex, by whom it falls to."""
    symbol, hex_id = turn.choosing or ("", "")
    if action.actor != symbol or action.hex != hex_id or action.private:
        raise IllegalAction(Reason.DECISION_PENDING, "1830/F-3", decision="city", actor=symbol)


def _check_free_token(
    state: State, turn: Operating, corporation: Corporation, action: PlaceToken
) -> None:
    """1830/V-8, FIGF-Z-06 — free, without reach, where the power's tile was laid in this turn."""
    private = state.title.privates.get(action.private or "")
    if private is None:
        raise MalformedAction("private", action.private, "a private")
    if state.owners.get(private.id) != corporation.id:
        raise IllegalAction(Reason.PRIVATE_NOT_HELD, "1830/V-5", private=private.id)
    if private.token is None or private.token.hex != action.hex:
        raise IllegalAction(Reason.NO_POWER, "1830/V-8", private=private.id)
    if turn.power_hex != action.hex:
        raise IllegalAction(Reason.POWER_USED, "1830/V-8", private=private.id)


def check_slot(state: State, symbol: str, place: Place) -> None:
    """1830/K-3, K-4, F-4 — a free slot, beside those kept for corporations at home there."""
    hex_id, city = place
    slots = state.board[hex_id].tile.nodes[city].slots
    taken = len(state.stations.get(place, ()))
    if taken >= slots:
        raise IllegalAction(Reason.NO_FREE_SLOT, "1830/K-4", hex=hex_id, city=city)
    for other, (home, where) in state.homes.items():
        if home != hex_id or other == symbol or state.corporations[other].operated:
            continue
        if where is None or (where == city and taken + 1 == slots):
            raise IllegalAction(
                Reason.HOME_RESERVED,
                "1830/K-3" if where is not None else "1830/F-4",
                hex=hex_id,
                corporation=other,
            )


def place_token(state: State, turn: Operating, action: PlaceToken) -> None:
    corporation = state.corporations[action.actor]
    place = (action.hex, action.city)
    if turn.choosing:
        undecided = (action.hex, UNDECIDED)
        if state.stations.pop(undecided, None):
            corporation.tokens[corporation.tokens.index(undecided)] = place
        else:
            corporation.tokens.append(place)
        turn.choosing = turn.chooser = None
    else:
        if action.private is None:
            state.pay_bank(corporation, corporation.next_token_price)
        corporation.tokens.append(place)
        turn.tokened = True
        turn.step = Step.RUN
    _station(state, place, corporation.id)
    state.reaches = {}


def _station(state: State, place: Place, symbol: str) -> None:
    state.stations[place] = tuple(sorted((*state.stations.get(place, ()), symbol)))


def place_home(state: State, turn: Operating, corporation: Corporation) -> None:
    """1830/K-2, F-2 — the home token, at the start of the first turn; a choice among two cities
    waits for the president, and without track for a tile."""
    hex_id, city = state.homes[corporation.id]
    board = state.board[hex_id]
    if city is None and len(board.cities) > 1:
        if board.edges:
            turn.choosing, turn.chooser = (corporation.id, hex_id), corporation.president
            return
        city = UNDECIDED
    place = (hex_id, city or 0)
    corporation.tokens.append(place)
    _station(state, place, corporation.id)
    state.reaches = {}


def can_place(state: State, turn: Operating, corporation: Corporation) -> bool:
    """1830/K-4 — whether a token may be placed anywhere now, by track or by a power."""
    if turn.tokened or not corporation.unused:
        return False
    if turn.power_hex:
        return True
    if corporation.next_token_price > corporation.cash:
        return False
    return any(
        state.board[place[0]].tile.nodes[place[1]].is_city
        and all(place[0] != where for where, _ in corporation.tokens)
        and allowed(check_slot, state, corporation.id, place)
        for place in reach(state, corporation.id).places(state)
    )
