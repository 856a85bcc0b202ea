"""The papers on the table: what players, corporations, trains and privates are at, row by row.

Frozen values that a template shows, their figures as the title writes money. `papers` makes all of
a position's; `printed` those of the empty game, from the title's file alone, so that it has them of
titles that the engine does not play.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping
from dataclasses import dataclass, replace
from functools import lru_cache
from itertools import groupby
from typing import Any

from django.utils.safestring import SafeString
from django.utils.translation import get_language
from django.utils.translation import gettext as _

from pbem.engine import auction
from pbem.engine.facts import TITLES
from pbem.engine.facts import title as engine_title
from pbem.engine.game import speaker
from pbem.engine.snapshot import priority
from pbem.engine.state import PRESIDENCY, Auction, Corporation, Operating, State
from pbem.engine.title import SHARE
from pbem.engine.trains import on_sale
from pbem.texts import NOBODY, STEPS, Names, round_words

from . import market
from .map import plate
from .market import Marker, Zone
from .printed import facts
from .sheet import sheet
from .tiles import picture, told
from .words import RULES, TILES, begins, colour, money, reach, said


@dataclass(frozen=True, slots=True)
class Turn:
    """Where the game is: its round, whose turn it is and who decides, in words."""

    round: str  # "Operating round 3.2"
    step: str  # of an operating turn, or empty
    phase: str
    bank: str
    broken: bool
    actor: str  # empty once the game is over
    player: str  # who decides for it, where that is somebody else
    over: str  # why the game ended, in words


@dataclass(frozen=True, slots=True)
class Holding:
    """What a holder has of a corporation: `percent`, in so many certificates."""

    corporation: str
    percent: int
    certificates: int
    president: bool


@dataclass(frozen=True, slots=True)
class Player:
    """A line of the players' sheet."""

    id: str
    name: str
    cash: str
    worth: str
    certificates: int  # that count
    limit: int
    holdings: tuple[Holding, ...]
    privates: tuple[str, ...]
    priority: bool
    acts: bool
    bankrupt: bool


@dataclass(frozen=True, slots=True)
class Charter:
    """A corporation's charter, printed and played; what is not yet is empty or None."""

    id: str
    name: str
    plate: SafeString
    home: str
    certificates: str
    floats: str
    stations: tuple[str, ...]  # what each token costs, in order
    notes: tuple[str, ...]
    president: str = ""
    cash: str = ""
    par: str = ""
    price: str = ""
    zone: str = ""
    trains: tuple[str, ...] = ()
    places: tuple[str, ...] = ()  # the hexes of its stations
    unused: int = 0
    next_price: str = ""
    ipo: int = 0
    pool: int = 0
    players: int = 0
    started: bool = False
    floated: bool = False
    operated: bool = False
    acts: bool = False
    place: int | None = None  # in operating order


@dataclass(frozen=True, slots=True)
class Shares:
    """A line of the certificates: a corporation's, in the offering, the pool and each hand."""

    corporation: str
    ipo: Holding | None
    pool: Holding | None
    hands: tuple[Holding | None, ...]  # in the order of the players


@dataclass(frozen=True, slots=True)
class Train:
    """A kind of train, of which `count` are printed and `left` in the bank; None is no limit."""

    id: str
    price: str
    count: int | None
    reach: str
    rusted_by: str
    rusts: tuple[str, ...]
    available: str
    trade: str
    notes: tuple[str, ...]
    seated: tuple[tuple[int, int], ...] = ()  # (players, how many) where they are not `count`
    left: int | None = None
    pool: int = 0
    owners: tuple[tuple[str, int], ...] = ()
    on_sale: bool = False
    rusted: bool = False


@dataclass(frozen=True, slots=True)
class Phase:
    """A phase: what it lets do. `now` is that in force."""

    id: str
    begins: str
    trains: int  # the limit
    colours: tuple[tuple[str, str], ...]  # (as in the file, in words)
    rounds: int
    privates: str
    events: tuple[str, ...]
    now: bool = False
    past: bool = False


@dataclass(frozen=True, slots=True)
class Private:
    """A private company; `owner` is empty while it is with the bank, `closed` once out of play."""

    id: str
    name: str
    face: str
    revenue: str
    blocks: tuple[str, ...]
    for_corporations: str  # from … to …, or that it is not sold to them
    power: str
    owner: str = ""
    closed: bool = False
    least: str = ""  # in the auction: what must be offered
    bids: tuple[tuple[str, str], ...] = ()
    contested: bool = False


@dataclass(frozen=True, slots=True)
class Tile:
    """A kind of tile: `count` printed, of which `left` can still be laid; `label` is empty where
    its number ends with it."""

    id: str
    count: int
    left: int
    label: str
    picture: SafeString
    words: str
    upgrades: tuple[str, ...]


@dataclass(frozen=True, slots=True)
class Tiles:
    """The tiles of one colour."""

    colour: str
    words: str
    pieces: int
    left: int
    kinds: tuple[Tile, ...]


@dataclass(frozen=True, slots=True)
class Seats:
    """What each of so many players begins with."""

    players: int
    cash: str
    limit: int


@dataclass(frozen=True, slots=True)
class Limits:
    """The limits of certificates later in the game: from when, and by the corporations in play,
    most first, that for so many players each; None where the file has none."""

    when: str
    players: tuple[int, ...]
    rows: tuple[tuple[int, tuple[int | None, ...]], ...]


@dataclass(frozen=True, slots=True)
class About:
    """A title: `refereed` says whether the engine plays it, `tall` that its map is higher than
    wide."""

    name: str
    subtitle: str
    designer: str
    setting: str
    least: int
    most: int
    bank: str
    note: str
    refereed: bool
    tall: bool
    of_map: tuple[str, ...]  # rules that the map does not show
    of_corporations: tuple[str, ...]  # what holds of all of them


@dataclass(frozen=True, slots=True)
class Papers:
    """All the papers of a position; of an empty game `turn` is None and nobody sits."""

    name: str
    market: SafeString
    zones: tuple[Zone, ...]
    markers: tuple[Marker, ...]
    charters: tuple[Charter, ...]
    trains: tuple[Train, ...]
    phases: tuple[Phase, ...]
    privates: tuple[Private, ...]
    turn: Turn | None = None
    players: tuple[Player, ...] = ()
    shares: tuple[Shares, ...] = ()
    seats: tuple[Seats, ...] = ()
    limits: Limits | None = None
    tiles: tuple[Tiles, ...] = ()  # of a position, which nobody asks for with the rest, see `tiles`
    spaces: tuple[str, ...] = ()  # the market in words, row by row
    about: About | None = None


# --- all of them ----------------------------------------------------------------------------------


def papers(state: State, names: Names = NOBODY) -> Papers:
    """All that the papers say of a position; `names` says how the players are called."""
    name = state.title.name
    return Papers(
        name=name,
        market=market.svg(state),
        zones=market.zones(name),
        markers=market.standing(state),
        charters=charters(name, state, names),
        trains=trains(name, state),
        phases=phases(name, state),
        privates=privates(name, state, names),
        turn=turn(state, names),
        players=players(state, names),
        shares=shares(state),
    )


def printed(name: str) -> Papers:
    """What is printed of a title, one of `printed.NAMES`, before anybody sits down."""
    return Papers(
        name=name,
        market=market.empty(name),
        zones=market.zones(name),
        markers=(),
        charters=charters(name),
        trains=trains(name),
        phases=phases(name),
        privates=privates(name),
        tiles=tiles(name),
        seats=seats(name),
        limits=limits(name),
        spaces=market.rows(name),
        about=about(name),
    )


@dataclass(frozen=True, slots=True)
class _Printed:
    charters: tuple[Charter, ...]
    trains: tuple[Train, ...]
    privates: tuple[Private, ...]


@lru_cache
def _printed(name: str, _language: str | None) -> _Printed:
    """What does not change from position to position, in the reader's language."""
    about = facts(name)
    return _Printed(
        tuple(_charter(name, one) for one in about["corporations"]),
        tuple(_train(name, one) for one in about["trains"]),
        tuple(_private(name, one) for one in about["privates"]),
    )


def _writer(name: str) -> Callable[[int], str]:
    """How amounts are written in a title."""
    currency = facts(name)["currency"]
    return lambda amount: money(amount, currency)


# --- the game and who plays it --------------------------------------------------------------------


def turn(state: State, names: Names = NOBODY) -> Turn:
    """The round in words, who acts next, what the bank has left."""
    now = state.round
    actor, player = ("", "") if state.over else speaker(state)
    return Turn(
        round=round_words(type(now).__name__.lower(), state.turn, state.number),
        step=str(STEPS[now.step.name.lower()]) if isinstance(now, Operating) else "",
        phase=state.title.phases[state.phase].id,
        bank=_writer(state.title.name)(state.bank),
        broken=state.broken,
        actor=names.get(actor, actor),
        player=names.get(player, player) if player != actor else "",
        over=_over(state, names),
    )


def _over(state: State, names: Names) -> str:
    match state.over:
        case "bank":
            return _("The game is over: the bank is broken.")
        case "bankruptcy":
            who = names.get(state.bankrupt or "", state.bankrupt or "")
            return _("The game is over: %(player)s is bankrupt.") % {"player": who}
        case "stalemate":
            return _("The game is over: nobody can do anything any more.")
    return ""


def players(state: State, names: Names = NOBODY) -> tuple[Player, ...]:
    """1830/S-13, X-4 — each player's cash, what counts against the limit, what he is worth."""
    write = _writer(state.title.name)
    decides = "" if state.over else speaker(state)[1]
    first = priority(state)
    return tuple(
        Player(
            id=player,
            name=names.get(player, player),
            cash=write(state.cash[player]),
            worth=write(state.worth(player)),
            certificates=state.certificates(player),
            limit=state.certificate_limit,
            holdings=tuple(
                held
                for one in state.corporations.values()
                if (held := _held(one, one.held.get(player, 0), one.president == player))
            ),
            privates=tuple(private for private, owner in state.owners.items() if owner == player),
            priority=seat == first,
            acts=player == decides,
            bankrupt=player == state.bankrupt,
        )
        for seat, player in enumerate(state.players)
    )


def _held(one: Corporation, tenths: int, president: bool) -> Holding | None:
    """So many tenths as certificates, of which the president's is two."""
    if not tenths:
        return None
    return Holding(one.id, tenths * SHARE, tenths - (PRESIDENCY - 1) * president, president)


def shares(state: State) -> tuple[Shares, ...]:
    """Where the certificates of each corporation are; the president's are with the offering until
    somebody buys them."""
    return tuple(
        Shares(
            corporation=one.id,
            ipo=_held(one, one.ipo, one.president is None),
            pool=_held(one, one.pool, False),
            hands=tuple(
                _held(one, one.held.get(player, 0), one.president == player)
                for player in state.players
            ),
        )
        for one in state.corporations.values()
    )


# --- corporations ---------------------------------------------------------------------------------


def charters(name: str, state: State | None = None, names: Names = NOBODY) -> tuple[Charter, ...]:
    """The corporations' charters, in operating order once they have a price."""
    printed = _printed(name, get_language()).charters
    if state is None:
        return printed
    places = {one.corporation: one for one in market.standing(state)}
    played = [_played(one, state, names, places.get(one.id)) for one in printed]
    return tuple(sorted(played, key=lambda one: (one.place is None, one.place)))


def _charter(name: str, one: Mapping[str, Any]) -> Charter:
    write = _writer(name)
    floats = one["float_percent"]
    home = one["home"]
    return Charter(
        id=one["id"],
        name=one["name"],
        plate=plate(one["id"], one.get("color")),
        home=_hex(name, home["hex"]) if home else "",
        certificates=_certificates(one["certificates"]),
        floats=f"{floats}%" if isinstance(floats, int) else said(floats) if floats else "",
        stations=(
            (str(len(one["tokens"])),) if "token_fee" in one else tuple(map(write, one["tokens"]))
        ),
        notes=tuple(_notes(name, one)),
    )


def _notes(name: str, one: Mapping[str, Any]) -> Iterator[str]:
    """What a charter says beside its figures; for the mechanisms of other titles as well."""
    if "home_choice" in one:
        yield said(one["home_choice"])
    if "token_fee" in one:
        fee = _writer(name)(one["token_fee"])
        yield _("its tokens cost %(fee)s in all, when it begins") % {"fee": fee}
    printed, alternate = one.get("destination"), one.get("alternate_destination")
    if printed:
        yield _("destination %(hexes)s") % {"hexes": _goal(name, printed)}
    if printed and alternate and alternate["hexes"] != printed["hexes"]:
        yield _("variant “alternate destinations”: %(hexes)s") % {"hexes": _goal(name, alternate)}
    if one.get("extra_destination_token"):
        yield _("one extra token, for its destination")
    if "note" in one:
        yield said(one["note"])


def _goal(name: str, goal: Mapping[str, Any]) -> str:
    """The hexes of a destination, with what is peculiar to it."""
    hexes = ", ".join(_hex(name, hex_id) for hex_id in goal["hexes"])
    return f"{hexes} ({said(goal['note'])})" if "note" in goal else hexes


def _hex(name: str, hex_id: str) -> str:
    """A hex with its name, where it has one: E19 Albany."""
    called = sheet(name).places[hex_id].name
    return f"{hex_id} {called}" if called else hex_id


def _certificates(percents: Any) -> str:
    """20% (president), 8 × 10%: the president's certificate, then those alike together."""
    if not isinstance(percents, list):
        return ""  # the note says it
    first, *others = percents
    runs = ((percent, len(list(run))) for percent, run in groupby(others))
    alike = (f"{n} × {percent}%" if n > 1 else f"{percent}%" for percent, n in runs)
    told = (one.replace(" ", "\N{NO-BREAK SPACE}") for one in alike)
    return ", ".join([_("%(percent)d%% (president)") % {"percent": first}, *told])


def _played(charter: Charter, state: State, names: Names, marker: Marker | None) -> Charter:
    one = state.corporations[charter.id]
    write = _writer(state.title.name)
    return replace(
        charter,
        president=names.get(one.president, one.president) if one.president else "",
        cash=write(one.cash),
        par=write(one.par) if one.par else "",
        price=marker.price if marker else "",
        zone=marker.zone if marker else "",
        place=marker.place if marker else None,
        trains=tuple(one.trains),
        places=tuple(hex_id for hex_id, _city in one.tokens),
        unused=one.unused,
        next_price=write(one.next_token_price) if one.unused else "",
        ipo=one.ipo * SHARE,
        pool=one.pool * SHARE,
        players=sum(one.held.values()) * SHARE,
        started=bool(one.par),
        floated=one.floated,
        operated=one.operated,
        acts=state.operating == one.id,
    )


# --- trains and phases ----------------------------------------------------------------------------


def trains(name: str, state: State | None = None) -> tuple[Train, ...]:
    """The kinds of train in the order of sale; of a game, how many are left and who has them."""
    printed = _printed(name, get_language()).trains
    if state is None:
        return printed
    begun = {phase.trigger for phase in state.title.phases[: state.phase + 1]}
    selling = {one.id for one in on_sale(state)}
    return tuple(
        replace(
            one,
            count=state.title.trains[one.id].count,
            left=state.depot[one.id],
            pool=state.pool.count(one.id),
            owners=tuple(
                (corporation.id, corporation.trains.count(one.id))
                for corporation in state.corporations.values()
                if one.id in corporation.trains
            ),
            on_sale=one.id in selling,
            rusted=bool(one.rusted_by) and one.rusted_by in begun,
        )
        for one in printed
    )


def _train(name: str, one: Mapping[str, Any]) -> Train:
    write = _writer(name)
    trade = one.get("trade_in")
    every = facts(name)["trains"]
    played = engine_title(name).trains if name in TITLES else {}
    count = played[one["id"]].count if played else one["count"]
    by_players = facts(name).get("train_counts_by_players", {})
    return Train(
        id=one["id"],
        price=write(one["price"]),
        count=count,
        reach=reach(one["reach"]),
        rusted_by=one["rusts_on"] or "",
        rusts=tuple(other["id"] for other in every if other["rusts_on"] == one["id"]),
        available=said(one["available"]),
        trade=", ".join(
            _("%(amount)s less for a %(train)s") % {"amount": write(off), "train": kind}
            for kind, off in trade["off"].items()
        )
        if trade
        else "",
        notes=tuple(said(text) for text in (one.get("note"), trade and trade.get("note")) if text),
        seated=tuple(
            (int(players), counts[one["id"]])
            for players, counts in by_players.items()
            if counts[one["id"]] != count
        ),
        left=count,
    )


def phases(name: str, state: State | None = None) -> tuple[Phase, ...]:
    """The phases; of a game, which is in force."""
    return tuple(
        Phase(
            id=one["id"],
            begins=begins(one["trigger_train"]),
            trains=one["train_limit"],
            colours=tuple((tint, colour(tint)) for tint in one["tile_colors"]),
            rounds=one["operating_rounds"],
            privates=said(one["privates"]),
            events=tuple(map(said, one["on_enter"])),
            now=state is not None and state.phase == n,
            past=state is not None and state.phase > n,
        )
        for n, one in enumerate(facts(name)["phases"])
    )


# --- privates, tiles, seats -----------------------------------------------------------------------


def privates(name: str, state: State | None = None, names: Names = NOBODY) -> tuple[Private, ...]:
    """The private companies, cheapest first; of a game, whose they are and what is bid."""
    printed = _printed(name, get_language()).privates
    if state is None:
        return printed
    return tuple(_owned(one, state, names) for one in printed)


def _private(name: str, one: Mapping[str, Any]) -> Private:
    write = _writer(name)
    if one["sellable_to_corporation"]:
        least, most = one["corporation_price"]
        price = _("%(least)s to %(most)s") % {"least": write(least), "most": write(most)}
    else:
        price = _("never")
    return Private(
        id=one["id"],
        name=one["name"],
        face=write(one["face"]),
        revenue=write(one["revenue"]),
        blocks=tuple(one["blocked_hexes"]),
        for_corporations=price,
        power=said(one["power"]),
    )


def _owned(one: Private, state: State, names: Names) -> Private:
    owner = state.owners.get(one.id, "")
    now = state.round
    if not isinstance(now, Auction) or one.id not in state.unsold:
        closed = not owner and one.id not in state.unsold
        return replace(one, owner=names.get(owner, owner), closed=closed)
    bids = sorted(now.bids.get(one.id, {}).items(), key=lambda bid: bid[1], reverse=True)
    write = _writer(state.title.name)
    cheapest = one.id == state.unsold[0] and not now.contest
    least = auction.price if cheapest else auction.least_bid
    return replace(
        one,
        least=write(least(state, now, state.title.privates[one.id])),
        bids=tuple((names.get(who, who), write(bid)) for who, bid in bids),
        contested=now.contest == one.id,
    )


def tiles(name: str, state: State | None = None) -> tuple[Tiles, ...]:
    """The tiles by colour, in the order in which the colours come; of a game, how many are left."""
    groups = []
    every = facts(name)["tiles"]
    for tint, kinds in groupby(every, key=lambda one: one["color"]):
        rows = tuple(_kind(name, one, state) for one in kinds)
        pieces, left = sum(one.count for one in rows), sum(one.left for one in rows)
        groups.append(Tiles(tint, str(TILES[tint]), pieces, left, rows))
    return tuple(groups)


def _kind(name: str, one: Mapping[str, Any], state: State | None) -> Tile:
    return Tile(
        id=one["id"],
        count=one["count"],
        left=state.supply[one["id"]] if state else one["count"],
        label="" if one["id"].endswith(one["label"] or "") else one["label"],
        picture=picture(name, one["id"]),
        words=told(name, one["id"]),
        upgrades=tuple(_upgrade(to) for to in one["upgrades_to"]),
    )


def _upgrade(to: Mapping[str, Any]) -> str:
    """A tile that may replace another, with where or when that holds."""
    said = {"tile": to["to"]}
    if "only_hexes" in to:
        return _("%(tile)s (only %(hexes)s)") % {**said, "hexes": ", ".join(to["only_hexes"])}
    if "except_hexes" in to:
        return _("%(tile)s (not %(hexes)s)") % {**said, "hexes": ", ".join(to["except_hexes"])}
    if "from_phase" in to:
        return _("%(tile)s (from phase %(phase)s)") % {**said, "phase": to["from_phase"]}
    return str(to["to"])


def about(name: str) -> About:
    """Who made the game, where it is set, for how many."""
    printed = facts(name)
    return About(
        name=name,
        subtitle=printed["subtitle"],
        designer=printed["designer"],
        setting=said(printed["setting"]),
        least=printed["min_players"],
        most=printed["max_players"],
        bank=_writer(name)(printed["setup"]["bank"]),
        note=said(printed["setup"]["players_note"] or ""),
        refereed=name in TITLES,
        tall=_is_tall(name),
        of_map=tuple(map(str, RULES[name]["map"].values())),
        of_corporations=tuple(map(str, RULES[name]["corporations"].values())),
    )


def _is_tall(name: str) -> bool:
    printed = sheet(name)
    centres = [printed.centre(hex_id) for hex_id in printed.places]
    across, down = [x for x, _y in centres], [y for _x, y in centres]
    return max(down) - min(down) > max(across) - min(across)


def seats(name: str) -> tuple[Seats, ...]:
    """1830/G-2 — by how many play: what each begins with, how many certificates each may hold."""
    write = _writer(name)
    return tuple(
        Seats(int(n), write(one["cash"]), one["cert_limit"])
        for n, one in facts(name)["setup"]["players"].items()
    )


def limits(name: str) -> Limits | None:
    """The limits of certificates once corporations have left, where the title has others then."""
    setup = facts(name)["setup"]
    later = setup.get("cert_limit_later")
    if not later:
        return None
    of_seven = later.get("18xx.games_extra", {}).get("7_players", {})
    rows = {n: {"7": of_seven.get(n), **row} for n, row in later["table"].items()}
    return Limits(
        when=said(later["note"]),
        players=tuple(map(int, setup["players"])),
        rows=tuple(
            (int(n), tuple(row.get(players) for players in setup["players"]))
            for n, row in rows.items()
        ),
    )
