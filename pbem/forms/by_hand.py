"""The move forms where no engine knows the title: the seeds' fields, as they are typed.

Nothing is known of the position, so nothing is filled in and little is refused: what cannot be
read, and a pass with something else. What looks wrong is said before it is sent (`doubts`).
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from datetime import datetime
from typing import Any

from django import forms
from django.utils.translation import gettext as _
from django.utils.translation import gettext_lazy

from pbem import texts
from pbem.board.printed import NAMES, facts
from pbem.forms.rows import Unreadable, whole
from pbem.rules.by_hand import Kind, Turns
from pbem.rules.commands import Command, Fault, Written
from pbem.services import LONGEST_LABEL, LONGEST_REASON, LONGEST_SHEET, Tick

LONGEST = 40  # characters of a field of a row
LONGEST_OTHER = 300
SALES, TILES, TRAINS = range(1, 6), range(1, 3), range(1, 4)
SPARE_TURNS = 4  # rows of the operating order beyond those that are filled in
LEAST_TURNS = 8


@dataclass(frozen=True)
class Printed:
    """What a title prints that a form can propose; empty where the site has no file of it."""

    corporations: tuple[str, ...] = ()
    privates: tuple[str, ...] = ()
    trains: tuple[str, ...] = ()
    tiles: frozenset[str] = frozenset()
    hexes: frozenset[str] = frozenset()
    sides: tuple[str, ...] = ("NE", "E", "SE", "SW", "W", "NW")


def printed(title: str) -> Printed:
    if title not in NAMES:
        return Printed()
    told = facts(title)
    ids = {
        kind: tuple(one["id"] for one in told[kind])
        for kind in ("corporations", "privates", "trains", "tiles")
    }
    return Printed(
        ids["corporations"],
        ids["privates"],
        ids["trains"],
        frozenset(ids["tiles"]),
        frozenset(one["id"] for one in told["map"]["hexes"]),
        tuple(told["grid"]["edges"]),
    )


class TextField(forms.CharField):
    """A short text; `offers` names the list of what is printed."""

    def __init__(
        self, label: Any, offers: str = "", *, most: int = LONGEST, initial: str = "", **attrs: Any
    ) -> None:
        attrs = {"class": "form-control", "autocomplete": "off", "maxlength": most} | attrs
        if offers:
            attrs["list"] = f"printed-{offers}"
        super().__init__(
            label=label,
            required=False,
            max_length=most,
            initial=initial,
            widget=forms.TextInput(attrs=attrs),
        )

    def clean(self, value: Any) -> str:
        return " ".join(str(super().clean(value)).split())


class SumField(TextField):
    """A whole number, as people write it."""

    def __init__(self, label: Any) -> None:
        css = {"class": "form-control amount", "inputmode": "numeric"}
        super().__init__(label, most=12, **css)

    def clean(self, value: Any) -> str:
        said = super().clean(value)
        try:
            number = whole(said)
        except Unreadable:
            raise forms.ValidationError(
                _("A whole number, without cents: “%(said)s” is none.") % {"said": said}
            ) from None
        return "" if number is None else str(number)


class OneOf(forms.ChoiceField):
    """One of some, or none; `none` is what that is called."""

    def __init__(self, label: Any, choices: Sequence[tuple[str, Any]], none: Any = "—") -> None:
        widget = forms.Select(attrs={"class": "form-select"})
        all_of = [("", none), *choices]
        super().__init__(label=label, choices=all_of, required=False, widget=widget)


class Box(forms.BooleanField):
    def __init__(self, label: Any) -> None:
        widget = forms.CheckboxInput(attrs={"class": "form-check-input", "value": "1"})
        super().__init__(label=label, required=False, widget=widget)


class HandForm(forms.Form):
    """What both forms have: five rows of sales (V-08), and what no other row has."""

    kind: Kind
    template: str

    other = forms.CharField(
        label=gettext_lazy("Other commands"),
        max_length=LONGEST_OTHER,
        required=False,
        widget=forms.Textarea(
            attrs={
                "class": "form-control",
                "rows": 2,
                "maxlength": LONGEST_OTHER,
                "aria-describedby": "other-rule",
            }
        ),
    )

    def __init__(
        self, title: str, players: Sequence[tuple[str, str]], data: Any = None, initial: Any = None
    ) -> None:
        super().__init__(data, initial=initial)
        self.printed = printed(title)
        self.players = players
        for n in SALES:
            self.fields |= {
                f"sale{n}_corporation": TextField(_("Corporation"), "corporations"),
                f"sale{n}_number": SumField(_("How many")),
                f"sale{n}_amount": SumField(_("Proceeds")),
                f"sale{n}_when": OneOf(
                    _("When"),
                    [("after", _("after the purchase"))],
                    none=_("before the purchase"),
                ),
            }

    # --- what was filled in ---

    def clean(self) -> dict[str, Any]:
        said = self.cleaned_data
        for n in SALES:
            number = said.get(f"sale{n}_number") or ""
            if number and not 1 <= int(number) <= 10:
                self.add_error(f"sale{n}_number", _("From 1 to 10 certificates."))
        return said

    def _sales(self, *, after: bool) -> list[Command]:
        rows = [
            self.row(
                "sell",
                corporation=f"sale{n}_corporation",
                certificates=f"sale{n}_number",
                price=f"sale{n}_amount",
                when=f"sale{n}_when",
            )
            for n in SALES
            if bool(self.cleaned_data.get(f"sale{n}_when")) is after
        ]
        return [one for one in rows if one is not None and set(dict(one.said)) != {"when"}]

    def row(self, row: str, **fields: str) -> Written | None:
        """A row from those fields, by what each of them says; None if they are all empty."""
        said = tuple(
            (name, str(value))
            for name, field in fields.items()
            if (value := self.cleaned_data.get(field))
        )
        return Written(row, said) if said else None

    def commands(self) -> list[Command]:
        """What was filled in, in the order in which it is meant; of a valid form."""
        raise NotImplementedError

    def _others(self) -> list[Command]:
        row = self.row("other", text="other")
        return [row] if row else []

    def typed(self) -> dict[str, str]:
        """The fields as they were typed, to be shown again."""
        return {
            name: value
            for name in self.fields
            if (value := str(self.data.get(name, "")).strip()[:LONGEST_OTHER])
        }

    # --- what looks wrong ---

    def doubts(self) -> list[tuple[str, str]]:
        """V-13 — each row that looks wrong with the reason; it may be sent all the same (Y-05)."""
        return [(texts.wish(one), why) for one in self.commands() for why in self._doubts(one)]

    def _doubts(self, command: Command) -> list[str]:
        if not isinstance(command, Written):
            return []
        said = dict(command.said)
        needed = NEEDED.get(command.row, {})
        found = [str(texts.FAULTS[fault]) for name, fault in needed.items() if name not in said]
        found += [
            str(texts.FAULTS[Fault.SOURCE_MISSING])
            for sources in [SOURCES.get(command.row, set())]
            if sources and not sources & set(said)
        ]
        if self.printed.hexes and said.get("hex", "").upper() not in self.printed.hexes | {""}:
            found.append(_("This hex is not on the map."))
        if self.printed.tiles and said.get("tile", "") not in self.printed.tiles | {""}:
            found.append(_("This tile is not among those of the title."))
        return found

    # --- for the template ---

    @property
    def sales(self) -> list[dict[str, Any]]:
        names = ("corporation", "number", "amount", "when")
        return [self._shown(f"sale{n}", n, names) for n in SALES]

    def _shown(self, prefix: str, n: int, names: Sequence[str]) -> dict[str, Any]:
        fields = {name: self[f"{prefix}_{name}"] for name in names}
        filled = any(one.value() for one in fields.values())
        return {"n": n, "filled": filled} | fields


# What a row lacks if a field is not there, and the fields of which one says from where (V-06).
NEEDED: Mapping[str, Mapping[str, Fault]] = {
    "bid": {"company": Fault.INCOMPLETE, "price": Fault.PRICE_MISSING},
    "buy": {"corporation": Fault.INCOMPLETE, "price": Fault.PRICE_MISSING},
    "par": {"corporation": Fault.INCOMPLETE, "par": Fault.PAR_MISSING},
    "sell": {"corporation": Fault.INCOMPLETE, "certificates": Fault.INCOMPLETE},
    "private": {"company": Fault.INCOMPLETE, "price": Fault.PRICE_MISSING},
    "lay": {"tile": Fault.INCOMPLETE, "hex": Fault.INCOMPLETE, "side": Fault.INCOMPLETE},
    "token": {"hex": Fault.INCOMPLETE, "price": Fault.PRICE_MISSING},
    "run": {"dividend": Fault.DIVIDEND_MISSING},
    "train": {"price": Fault.PRICE_MISSING},
}
SOURCES = {"buy": {"source"}, "private": {"from"}, "train": {"source", "seller", "from"}}


class HandStockForm(HandForm):
    """V-02, V-03, V-06..V-10 — the fields of a stock turn."""

    kind = Kind.STOCK
    template = "pbem/_hand_stock.html"

    def __init__(
        self, title: str, players: Sequence[tuple[str, str]], data: Any = None, initial: Any = None
    ) -> None:
        super().__init__(title, players, data, initial)
        sources = [("ipo", _("Initial Offering")), ("pool", _("Bank Pool"))]
        deeds = [("buy", _("purchase")), ("bid", _("bid"))]
        self.fields |= {
            "pass": Box(_("Pass")),
            "bid_company": TextField(_("Private company"), "privates"),
            "bid_deed": OneOf(_("Purchase or bid"), deeds),
            "bid_amount": SumField(_("Amount")),
            "buy_corporation": TextField(_("Corporation"), "corporations"),
            "buy_source": OneOf(_("From where"), sources),
            "buy_president": Box(_("The president's certificate")),
            "buy_par": SumField(_("Par, for a president's certificate")),
            "buy_amount": SumField(_("Sum spent")),
        }

    def clean(self) -> dict[str, Any]:
        said = super().clean()
        if said.get("pass") and len(self.commands()) > 1:
            self.add_error("pass", str(texts.FAULTS[Fault.CONTRADICTION]))
        return said

    def commands(self) -> list[Command]:
        passes = [Written("pass")] if self.cleaned_data.get("pass") else []
        bid = self.row("bid", company="bid_company", deed="bid_deed", price="bid_amount")
        return [
            *passes,
            *([bid] if bid else []),
            *self._sales(after=False),
            *self._purchase(),
            *self._sales(after=True),
            *self._others(),
        ]

    @property
    def bid_filled(self) -> bool:
        return any(self[f"bid_{name}"].value() for name in ("company", "deed", "amount"))

    def _purchase(self) -> list[Command]:
        president = self.cleaned_data.get("buy_president") or self.cleaned_data.get("buy_par")
        bought = self.row(
            "par" if president else "buy",
            corporation="buy_corporation",
            source="buy_source",
            par="buy_par",
            price="buy_amount",
        )
        if bought is None and president:
            bought = Written("par")
        return [bought] if bought else []


class HandOperatingForm(HandForm):
    """X-02, X-05..X-07, X-09, X-12..X-17 — the fields of an operating turn."""

    kind = Kind.OPERATING
    template = "pbem/_hand_operating.html"

    def __init__(
        self, title: str, players: Sequence[tuple[str, str]], data: Any = None, initial: Any = None
    ) -> None:
        super().__init__(title, players, data, initial)
        sides = [(side, texts.SIDES[side]) for side in self.printed.sides]
        sources = [
            ("bank", _("the bank")),
            ("pool", _("the bank pool")),
            ("corporation", _("another corporation")),
        ]
        kinds = [("pay", _("pay out")), ("withhold", _("withhold"))]
        self.fields |= {
            "private_company": TextField(_("Private company"), "privates"),
            "private_from": OneOf(_("From whom"), players),
            "private_price": SumField(_("Price")),
            "token_hex": TextField(_("Hex")),
            "token_price": SumField(_("Price")),
            "run_amount": SumField(_("Total of the run")),
            "run_dividend": OneOf(_("The income"), kinds),
        }
        for n in TILES:
            self.fields |= {
                f"tile{n}_hex": TextField(_("Hex")),
                f"tile{n}_number": TextField(_("Tile")),
                f"tile{n}_side": OneOf(_("Its number lies towards"), sides),
            }
        for n in TRAINS:
            self.fields |= {
                f"train{n}_train": TextField(_("Train"), "trains"),
                f"train{n}_source": OneOf(_("From where"), sources),
                f"train{n}_price": SumField(_("Price")),
                f"train{n}_seller": TextField(_("Which corporation"), "corporations"),
                f"train{n}_from": OneOf(_("Its president"), players),
                f"train{n}_exchange": TextField(_("Train handed in"), "trains"),
            }

    def commands(self) -> list[Command]:
        private = self.row(
            "private", company="private_company", price="private_price", **{"from": "private_from"}
        )
        tiles = [
            self.row("lay", tile=f"tile{n}_number", hex=f"tile{n}_hex", side=f"tile{n}_side")
            for n in TILES
        ]
        token = self.row("token", hex="token_hex", price="token_price")
        run = self.row("run", price="run_amount", dividend="run_dividend")
        rows = [private, *tiles, token, run]
        return [
            *(one for one in rows if one is not None),
            *self._sales(after=False),
            *self._sales(after=True),
            *(one for n in TRAINS if (one := self._train(n)) is not None),
            *self._others(),
        ]

    def _train(self, n: int) -> Written | None:
        """X-12, X-13 — a train; of which corporation says more than that it is of one."""
        row = self.row(
            "train",
            train=f"train{n}_train",
            source=f"train{n}_source",
            seller=f"train{n}_seller",
            price=f"train{n}_price",
            exchange=f"train{n}_exchange",
            **{"from": f"train{n}_from"},
        )
        if row is None or "seller" not in dict(row.said):
            return row
        return Written("train", tuple(one for one in row.said if one != ("source", "corporation")))

    def _doubts(self, command: Command) -> list[str]:
        found = super()._doubts(command)
        if isinstance(command, Written) and command.row == "train":
            said = dict(command.said)
            if ("seller" in said or said.get("source") == "corporation") and "from" not in said:
                found.append(_("It does not say who presides over it: he has to agree."))
        return found

    @property
    def private_filled(self) -> bool:
        return any(self[f"private_{name}"].value() for name in ("company", "from", "price"))

    @property
    def tiles(self) -> list[dict[str, Any]]:
        return [self._shown(f"tile{n}", n, ("hex", "number", "side")) for n in TILES]

    @property
    def trains(self) -> list[dict[str, Any]]:
        names = ("train", "source", "price", "seller", "from", "exchange")
        shown = [self._shown(f"train{n}", n, names) for n in TRAINS]
        return [one | {"from_": one["from"]} for one in shown]


def hand_form(
    kind: Kind,
    title: str,
    players: Sequence[tuple[str, str]],
    data: Any = None,
    initial: Mapping[str, str] | None = None,
) -> HandForm:
    """The form of a round of that kind, filled in with what was typed if anything was."""
    made = HandOperatingForm if kind is Kind.OPERATING else HandStockForm
    return made(title, players, data, initial)


# --- the station master's -------------------------------------------------------------------------


class TurnsForm(forms.Form):
    """Which round it is, who plays which corporation in what order, and who is to act."""

    kind = forms.ChoiceField(
        choices=[
            (Kind.STOCK.value, gettext_lazy("Stock round")),
            (Kind.OPERATING.value, gettext_lazy("Operating round")),
        ],
        widget=forms.RadioSelect,
    )
    label = TextField(gettext_lazy("How it is called"))
    player = forms.CharField(required=False)
    at = forms.IntegerField(required=False, min_value=0)
    reason = TextField(gettext_lazy("Reason"), most=1000)

    def __init__(self, now: Turns, players: Sequence[tuple[str, str]], data: Any = None) -> None:
        initial = {"kind": now.kind.value, "label": now.label, "at": now.at}
        super().__init__(data, initial=initial)
        self.now = now
        self.players = players
        rows = max(LEAST_TURNS, len(now.turns) + SPARE_TURNS)
        self.rows = range(rows)
        for n in self.rows:
            said = now.turns[n] if n < len(now.turns) else ("", "")
            self.fields |= {
                f"turn{n}_label": TextField(
                    _("Corporation"), "corporations", initial=said[0], most=LONGEST_LABEL
                ),
                f"turn{n}_seat": OneOf(_("Who plays it"), players),
            }
            self.fields[f"turn{n}_seat"].initial = said[1]
        self.fields["player"] = OneOf(_("To act"), players)

    def clean(self) -> dict[str, Any]:
        said = self.cleaned_data
        for n in self.rows:
            label, seat = said.get(f"turn{n}_label"), said.get(f"turn{n}_seat")
            if label and not seat:
                self.add_error(f"turn{n}_seat", _("Choose who plays it."))
        if said.get("kind") == Kind.STOCK and not said.get("player"):
            self.add_error("player", _("Choose who is to act."))
        return said

    def turns(self) -> Turns:
        """The round as it was typed; of a valid form. The rows left empty close up."""
        said = self.cleaned_data
        filled = [n for n in self.rows if said[f"turn{n}_label"] and said[f"turn{n}_seat"]]
        at = said["at"] or 0
        return Turns(
            Kind(said["kind"]),
            said["label"],
            tuple((said[f"turn{n}_label"], said[f"turn{n}_seat"]) for n in filled),
            sum(1 for n in filled if n < at) if at in filled or not at else len(filled),
        )

    @property
    def lines(self) -> list[dict[str, Any]]:
        at = self["at"].value()
        return [
            {
                "n": n,
                "label": self[f"turn{n}_label"],
                "seat": self[f"turn{n}_seat"],
                "now": str(at) == str(n),
            }
            for n in self.rows
        ]


class SheetForm(forms.Form):
    """The state of the game. `seen` is when the one that is changed was written."""

    seen = forms.CharField(required=False, widget=forms.HiddenInput)
    sheet = forms.CharField(
        label=gettext_lazy("State of the game"),
        required=False,
        strip=False,
        widget=forms.Textarea(
            attrs={
                "class": "form-control hand-sheet",
                "rows": 24,
                "maxlength": LONGEST_SHEET,
                "spellcheck": "false",
                "wrap": "off",
            }
        ),
    )

    def clean_seen(self) -> datetime | None:
        said = self.cleaned_data["seen"]
        try:
            return datetime.fromisoformat(said) if said else None
        except ValueError:
            raise forms.ValidationError(_("Load this page again.")) from None


class CloseForm(forms.Form):
    """How the game ended."""

    reason = TextField(gettext_lazy("How the game ended"))
    result_ready = Box(gettext_lazy("Nothing more is to be played"))

    def clean_result_ready(self) -> bool:
        if not self.cleaned_data["result_ready"]:
            raise forms.ValidationError(_("Tick it to close the game."))
        return True


class TickForm(forms.Form):
    """For each command of a move: executed or not, and why."""

    def __init__(self, indexes: Sequence[int], data: Any = None, initial: Any = None) -> None:
        super().__init__(data, initial=initial)
        self.indexes = indexes
        for n in indexes:
            self.fields[f"fate-{n}"] = forms.ChoiceField(
                choices=[
                    ("executed", _("executed")),
                    ("refused", _("not executed")),
                ],
                required=False,
                widget=forms.RadioSelect,
            )
            self.fields[f"why-{n}"] = TextField(_("Why not, or how"), most=LONGEST_REASON)

    def ticks(self) -> dict[int, Tick]:
        """What was said; a command of which nothing was said is left as it is."""
        said = self.cleaned_data
        return {
            n: Tick(said[f"fate-{n}"] == "executed", said[f"why-{n}"])
            for n in self.indexes
            if said[f"fate-{n}"]
        }

    def boxes(self, n: int) -> tuple[Any, Any]:
        """The two boxes of a command; none where there is nothing for the station master to say."""
        return (self[f"fate-{n}"], self[f"why-{n}"]) if n in self.indexes else (None, None)
