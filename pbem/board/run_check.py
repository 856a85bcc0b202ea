"""A run that somebody names, as it would be counted: what each stop pays, what is wrong, and why
it goes no further."""

from __future__ import annotations

import re
from collections.abc import Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING

from django.utils.translation import gettext as _
from django.utils.translation import gettext_lazy

from pbem.engine import IllegalAction, Reason, State
from pbem.engine.actions import Route, Run
from pbem.engine.reach import Place
from pbem.engine.routes import Counted, Longer, count, longer, onward, read, trace
from pbem.texts import Names, words

if TYPE_CHECKING:
    from django.utils.functional import _StrPromise

LONGEST = 300  # characters that name a route
MOST_FURTHER = 6  # ways on that are told of each route

# Why a route may not go on: its words beside the stop that it would come to.
WHY_NOT: dict[Reason, _StrPromise] = {
    Reason.TOO_MANY_STOPS: gettext_lazy("the train counts %(reach)s stops and no more"),
    Reason.CITY_FULL: gettext_lazy("%(at)s is full of others' stations, and a route ends there"),
    Reason.THROUGH_TERMINUS: gettext_lazy("every route ends at %(at)s"),
    Reason.TRACK_TWICE: gettext_lazy("its track is used already"),
    Reason.STOP_TWICE: gettext_lazy("the route stops there already"),
}


@dataclass(frozen=True, slots=True)
class Row:
    """What somebody said of one train, and what is to be said of that. `stops` are names and what
    they pay; `further` says where the route could go on, or why it may not."""

    train: str
    said: str
    stops: tuple[tuple[str, int], ...] = ()
    value: int = 0
    wrong: str = ""
    further: tuple[str, ...] = ()


@dataclass(frozen=True, slots=True)
class Check:
    """The trains one by one; `run` has the legal routes, `total` is None while one is wrong."""

    corporation: str
    rows: tuple[Row, ...]
    run: Run
    total: int | None
    nothing: bool = False  # it was sent with no route at all


def check(state: State, symbol: str, said: Sequence[str], names: Names) -> Check:
    """1830/R — the routes that somebody names for a corporation's trains, in the trains' order.

    A train of which nothing is said does not run. Names are hexes, in any case, apart by whatever
    is neither a letter nor a figure; see `routes.read`.
    """
    trains = state.corporations[symbol].trains
    texts = [said[n].strip()[:LONGEST] if n < len(said) else "" for n in range(len(trains))]
    known = {hex_id.casefold(): hex_id for hex_id in state.title.hexes}
    routes: dict[int, Route] = {}
    wrong: dict[int, str] = {}
    for n, (train, text) in enumerate(zip(trains, texts, strict=True)):
        if not text:
            continue
        named = [known.get(one.casefold(), one) for one in re.findall(r"\w+", text)]
        strange = next((one for one in named if one not in state.title.hexes), None)
        if strange is not None:
            wrong[n] = _("The map has no hex %(name)s.") % {"name": strange}
            continue
        try:
            routes[n] = read(state, symbol, train, named)
        except IllegalAction as error:
            wrong[n] = _no_track(state, *error.data["leg"].split("-"))
    run = Run(symbol, tuple(routes.values()))
    counted = dict(zip(routes, count(state, run), strict=True))
    legal = [one.route for one in counted.values() if not one.wrong]
    rows = tuple(
        _row(state, run, train, text, counted.get(n), wrong.get(n, ""), names)
        for n, (train, text) in enumerate(zip(trains, texts, strict=True))
    )
    value = None if any(row.wrong for row in rows) else sum(row.value for row in rows)
    nothing = bool(said) and bool(trains) and not any(texts)
    return Check(symbol, rows, Run(symbol, tuple(legal)), value, nothing)


def _no_track(state: State, here: str, there: str) -> str:
    """Why no leg leads from one hex to the other."""
    told = {"here": place_name(state, here), "there": place_name(state, there)}
    if there in _joined(state, here):
        return (
            _(
                "No track leads from %(here)s to %(there)s without another stop between: "
                "name every stop, in order."
            )
            % told
        )
    return _("No track joins %(here)s and %(there)s: name stops that do.") % told


def _joined(state: State, hex_id: str) -> set[str]:
    """The hexes with a stop that track leads to from those of this one, whoever stands between."""
    found: set[Place] = set()
    todo = [(hex_id, node) for node in range(len(state.board[hex_id].tile.nodes))]
    while todo:
        place = todo.pop()
        if place not in found:
            found.add(place)
            todo += [trace(state, leg).end for leg in onward(state, place)]
    return {name for name, _node in found}


def _row(
    state: State, run: Run, train: str, said: str, one: Counted | None, wrong: str, names: Names
) -> Row:
    if one is None:
        return Row(train, said, wrong=wrong)
    further = () if one.wrong else longer(state, run, run.routes.index(one.route))
    return Row(
        train,
        said,
        tuple((place_name(state, place[0]), value) for place, value in one.stops),
        one.value,
        _slip(state, one.wrong, names) if one.wrong else "",
        tuple(dict.fromkeys(_further(state, way) for way in further))[:MOST_FURTHER],
    )


def _slip(state: State, error: IllegalAction, names: Names) -> str:
    """What is wrong, its stop called as people call it."""
    stop = error.data.get("stop")
    if isinstance(stop, str) and stop.partition(":")[0] in state.title.hexes:
        called = place_name(state, stop.partition(":")[0])
        error = IllegalAction(error.reason, error.clause, **error.data | {"stop": called})
    return words(error, names)


def _further(state: State, way: Longer) -> str:
    told = {"stop": place_name(state, way.stop[0]), "value": way.value}
    if way.wrong is None:
        return _("It may go on: %(stop)s, $%(value)s more.") % told
    why = WHY_NOT.get(way.wrong.reason)
    data = {"reach": way.wrong.data.get("reach"), "at": place_name(state, way.end[0])}
    told["why"] = str(why) % data if why else words(way.wrong)
    return _("No further: %(stop)s, $%(value)s: %(why)s.") % told


def place_name(state: State, hex_id: str) -> str:
    """A place as people call it, with its hex."""
    name = state.title.hexes[hex_id].name
    return f"{name} ({hex_id})" if name else hex_id
