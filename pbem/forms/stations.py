"""Stations of an operating turn: the city that a token is to choose, and the token of the turn."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import replace
from functools import cached_property

from django.utils.safestring import SafeString
from django.utils.translation import gettext as _
from django.utils.translation import ngettext

from pbem.board import tiles
from pbem.board.run_check import place_name
from pbem.board.spoken import WAYS
from pbem.engine import Game as Engine
from pbem.engine.actions import PlaceToken
from pbem.engine.errors import EngineError, IllegalAction, Reason
from pbem.engine.reach import Place
from pbem.engine.state import Operating, State
from pbem.engine.state import Step as TurnStep
from pbem.engine.track import check_token
from pbem.forms.fields import dollars
from pbem.forms.steps import Barred, Offer, Step, come_to, impossible, refusal, step_of
from pbem.rules.commands import Command, Fault, Faulty, Plain
from pbem.texts import words

ALIKE = {Reason.NO_TOKEN_LEFT, Reason.TOKEN_ALREADY_PLACED, Reason.NO_MONEY}  # on every hex


class City(Step):
    """X-08: the city of a token that lies on a hex without track, once a tile has come there.

    It is asked for at the beginning, where somebody else's tile made it due, and after the tile of
    this turn.
    """

    template = "pbem/_move_operating_city.html"
    names = ("city",)

    @cached_property
    def choosing(self) -> tuple[str, str] | None:
        """The corporation, and the hex that its token is to choose a city of."""
        now = self.state.round
        return now.choosing if isinstance(now, Operating) else None

    @cached_property
    def chooser(self) -> str:
        now = self.state.round
        return (now.chooser or "") if isinstance(now, Operating) else ""

    @property
    def mine(self) -> bool:
        return self.chooser == self.player

    @property
    def owner(self) -> str:
        """Who is asked, where that is somebody else."""
        return "" if self.mine else self.called(self.chooser)

    @cached_property
    def shown(self) -> bool:
        return self.choosing is not None or self.filled

    @cached_property
    def commands(self) -> list[Command]:
        said = self.said("city")
        if not said:
            return []
        symbol, _space, place = said.partition(" ")
        found = read(symbol, place)
        return [Faulty("token", Fault.UNREADABLE, said) if found is None else Plain(found)]

    @property
    def corporation_named(self) -> str:
        return self.choosing[0] if self.choosing else ""

    @property
    def hex_name(self) -> str:
        return place_name(self.state, self.choosing[1]) if self.choosing else ""

    @property
    def picture(self) -> SafeString | str:
        laid = self.state.board[self.choosing[1]] if self.choosing else None
        if laid is None or not laid.tile.count:
            return ""
        return tiles.picture(self.state.title.name, laid.tile.id, laid.rotation)

    @cached_property
    def offers(self) -> list[Offer]:
        if self.choosing is None or not self.mine:
            return []
        symbol, hex_id = self.choosing
        found = []
        for city in self.state.board[hex_id].cities:
            value = f"{symbol} {hex_id}:{city}"
            if not self.why_not(PlaceToken(symbol, hex_id, city)):
                told = city_words(self.state, (hex_id, city))
                found.append(Offer(value, told, value == self.said("city")))
        return found


class Token(Step):
    """X-07: the station of the turn: its hex and, where there are several, its city.

    `token` is chosen; `token_hex`, `token_city` and `token_price` are what somebody writes by
    himself, and count before it.
    """

    template = "pbem/_move_operating_token.html"
    names = ("token", "token_hex", "token_city", "token_price")

    @cached_property
    def commands(self) -> list[Command]:
        hex_id, city, price = (self.said(name) for name in self.names[1:])
        if hex_id or city or price:
            return [self._written(hex_id, city, price)]
        said = self.said("token")
        action = read(self.symbol, said)
        if not said:
            return []
        return [Faulty("token", Fault.UNREADABLE, said) if action is None else Plain(action)]

    def _written(self, hex_id: str, city: str, price: str) -> Command:
        told = " ".join(one for one in (hex_id, city, price) if one)
        if not hex_id:
            return Faulty("token", Fault.INCOMPLETE, told)
        known = {name.casefold(): name for name in self.turn.position.title.hexes}
        hex_id = known.get(hex_id.casefold(), hex_id)
        number = self._city(hex_id, city)
        action = None if number is None else read(self.symbol, f"{hex_id}:{number}")
        stated = dollars(price)
        if action is None or (price and stated is None):
            return Faulty("token", Fault.UNREADABLE, told)
        return Plain(action, stated)

    def _city(self, hex_id: str, said: str) -> int | None:
        """The node that a city's number means, counted from 1 as the log does; the only one, or
        none to be told apart, if it is not named."""
        laid = self.state.board.get(hex_id)
        cities = laid.cities if laid else ()
        if not said:
            return cities[0] if len(cities) == 1 else (0 if not cities else None)
        if said.isdecimal() and len(said) == 1 and int(said) >= 1:
            return cities[int(said) - 1] if int(said) <= len(cities) else int(said) - 1
        return None

    # --- what is shown ---

    @property
    def token_hex(self) -> str:
        return self.said("token_hex")

    @property
    def token_city(self) -> str:
        return self.said("token_city")

    @property
    def token_price(self) -> str:
        return self.said("token_price")

    @property
    def written(self) -> bool:
        return bool(self.token_hex or self.token_city or self.token_price)

    @cached_property
    def at(self) -> Engine:
        return come_to(self.before, self.symbol, TurnStep.TOKEN)

    @cached_property
    def shown(self) -> bool:
        now = self.turn.position.state.round
        late = isinstance(now, Operating) and now.step > TurnStep.TOKEN
        return self.filled or not late

    @cached_property
    def open(self) -> bool:
        return step_of(self.at, self.symbol) is TurnStep.TOKEN

    @cached_property
    def legal(self) -> list[PlaceToken]:
        if not self.open:
            return []
        found = [option.action for option in self.at.options(self.symbol)]
        return [one for one in found if isinstance(one, PlaceToken)]

    @cached_property
    def offers(self) -> list[Offer]:
        found = []
        for action in self.legal:
            value = written(action)
            found.append(Offer(value, self._words(action), value == self.said("token")))
        said = self.said("token")
        if said and not any(one.chosen for one in found):
            found.append(impossible(said))
        return found

    def _words(self, action: PlaceToken) -> str:
        place = place_name(self.state, action.hex)
        if len(self.at.state.board[action.hex].cities) > 1:
            place = f"{place}, {city_words(self.at.state, (action.hex, action.city))}"
        if action.private:
            told = {"place": place, "private": action.private}
            return _("%(place)s: free, by the power of %(private)s") % told
        return f"{place}: {self.money(self.corporation.next_token_price)}"

    @property
    def left(self) -> str:
        """How many stations are left, and what the next costs."""
        one = self.corporation
        if not one.unused:
            return _("It has placed all its stations.")
        told = ngettext("%(n)d station left", "%(n)d stations left", one.unused) % {"n": one.unused}
        return _("%(left)s, the next for %(price)s.") % {
            "left": told,
            "price": self.money(one.next_token_price),
        }

    @cached_property
    def barred(self) -> list[Barred]:
        """Where no station can be placed, and why; one line where the reason is the same for all.

        Far hexes that no track of the corporation reaches are left out, unless all are.
        """
        taken = {(one.hex, one.city) for one in self.legal}
        found = [(place, why) for place, why in self._refusals() if place not in taken]
        for _place, why in found:
            if isinstance(why, IllegalAction) and why.reason in ALIKE:
                return [Barred(_("No station can be placed"), words(why, self.turn.names))]
        return [
            Barred(place_name(self.state, place[0]), words(why, self.turn.names))
            for place, why in {place[0]: (place, why) for place, why in found}.values()
        ]

    def _refusals(self) -> Iterator[tuple[Place, EngineError]]:
        state = self.at.state
        now = state.round
        if state.operating != self.symbol or not isinstance(now, Operating) or now.choosing:
            return
        turn = now if self.open else replace(now, step=TurnStep.TOKEN)
        for hex_id, laid in state.board.items():
            for city in laid.cities:
                action = PlaceToken(self.symbol, hex_id, city)
                error = refusal(check_token, state, turn, action)
                if error is not None:
                    yield (hex_id, city), error


def read(symbol: str, said: str) -> PlaceToken | None:
    """The station that a field holds; None if it holds none."""
    place, _space, private = said.partition(" ")
    hex_id, _colon, city = place.partition(":")
    whole = hex_id.isalnum() and city.isdecimal() and len(said) < 40 and len(city) == 1
    if not whole or " " in private or not symbol or len(symbol) > 10:
        return None
    return PlaceToken(symbol, hex_id, int(city), private or None)


def written(action: PlaceToken) -> str:
    """A station as its field holds it."""
    return f"{action.hex}:{action.city}" + (f" {action.private}" if action.private else "")


def city_words(state: State, place: Place) -> str:
    """A city of a hex that has several: its number, as the log counts, and where its track goes."""
    laid = state.board[place[0]]
    ways = WAYS[state.title.pointy]
    to = ", ".join(str(ways[edge]) for edge in sorted(laid.from_node[place[1]]))
    told = {"n": laid.cities.index(place[1]) + 1, "sides": to}
    if not to:
        return _("city %(n)s") % told
    return _("city %(n)s (%(sides)s)") % told
