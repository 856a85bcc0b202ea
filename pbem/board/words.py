"""The words of what is printed of the titles: what a facts file says in English, translatable.

A sentence of a file is shown as it stands, or as `INSTEAD` puts it where the file speaks to who
programs. A test proves that none of the four files says anything that is not here.
"""

from __future__ import annotations

from collections.abc import Mapping
from typing import TYPE_CHECKING, Any

from django.utils.translation import gettext as _
from django.utils.translation import gettext_lazy, gettext_noop, ngettext, pgettext_lazy

if TYPE_CHECKING:
    from django.utils.functional import _StrPromise

COLOURS: Mapping[str, _StrPromise] = {
    "yellow": gettext_lazy("yellow"),
    "green": gettext_lazy("green"),
    "brown": gettext_lazy("brown"),
    "gray": gettext_lazy("grey"),
    "orange": gettext_lazy("orange"),
    "blue": gettext_lazy("blue"),
    "end": gettext_lazy("last space"),
    "closed": gettext_lazy("closing"),
    "below_ledge": gettext_lazy("under the ledge"),
}

TILES: Mapping[str, _StrPromise] = {
    "yellow": pgettext_lazy("tiles", "Yellow"),
    "green": pgettext_lazy("tiles", "Green"),
    "brown": pgettext_lazy("tiles", "Brown"),
    "gray": pgettext_lazy("tiles", "Grey"),
}

AS_THEY_STAND = frozenset(
    {
        # what a zone of the market does
        gettext_noop("corporation closes"),
        gettext_noop("cannot be entered before the first 16H"),
        gettext_noop("may be held above 60%"),
        gettext_noop("reaching it triggers the end of the game"),
        gettext_noop("several may be bought from the pool in one turn"),
        # what begins with a phase
        gettext_noop("2 operating rounds"),
        gettext_noop("2 operating rounds per set from the next set"),
        gettext_noop("2s rust"),
        gettext_noop("3 operating rounds"),
        gettext_noop("3 operating rounds per set from the next set"),
        gettext_noop("3s rust"),
        gettext_noop("4H rust"),
        gettext_noop("4s rust"),
        gettext_noop("5s rust"),
        gettext_noop("6H rust"),
        gettext_noop("8H rust"),
        gettext_noop("D on sale"),
        gettext_noop("D-trains become available at once (alongside remaining 6s)"),
        gettext_noop("MRBC may be bought by MP or SSW (20-40)"),
        gettext_noop("Messina earthquake"),
        gettext_noop("R6H on sale"),
        gettext_noop("all 2-trains rust"),
        gettext_noop("all 3-trains rust"),
        gettext_noop("all 4-trains rust"),
        gettext_noop("all privates close"),
        gettext_noop("blue market zone opens"),
        gettext_noop("brown tiles"),
        gettext_noop("corporations may buy privates"),
        gettext_noop("corporations may buy privates (half to double face)"),
        gettext_noop("green tiles"),
        gettext_noop("grey locations use the high value"),
        gettext_noop("grey locations use the middle value"),
        gettext_noop("grey tiles"),
        gettext_noop("new corporations fully funded at 60%"),
        gettext_noop("new corporations: escrow funding"),
        gettext_noop("no more loans"),
        gettext_noop("port and cattle tokens removed"),
        gettext_noop("port marker removed"),
        gettext_noop("privates close"),
        gettext_noop("red areas pay the higher value"),
        gettext_noop("start price 144 also available"),
        gettext_noop("start price 216 also available"),
        gettext_noop("start prices 68 and 100"),
        gettext_noop("towns may be upgraded or removed"),
        gettext_noop("train limit 2"),
        gettext_noop("train limit 3"),
        gettext_noop("train limit falls to 2"),
        gettext_noop("train limit falls to 3"),
        # what becomes of the privates in a phase
        gettext_noop("no sale to corporations"),
        gettext_noop("only MRBC, only by MP or SSW"),
        gettext_noop("saleable to corporations"),
        # when a train comes on sale
        gettext_noop("after all earlier trains"),
        gettext_noop("as soon as the first 16H is bought (even if some are left)"),
        gettext_noop("as soon as the first 6 is bought (even if some are left)"),
        # trains and corporations
        gettext_noop("H8, B14, M11, M9 or C1 (needs a free slot); may not start if none has one"),
        gettext_noop("either city of L15 (Hamilton)"),
        gettext_noop("connect London (F15) with Detroit (A20), not the home"),
        gettext_noop("either hex of Canadian West"),
        # where the game is set
        gettext_noop("North-eastern USA and south-eastern Canada"),
        gettext_noop("Sicily"),
        gettext_noop("Southern Ontario"),
        gettext_noop("Trans-Mississippi USA"),
        # the powers of privates
        gettext_noop("No power beyond blocking its hex."),
        gettext_noop(
            "While a corporation owns it, that corporation may once put a yellow tile in B20 during"
            " its own turn, whether or not its track reaches B20; this is extra to its normal tile."
            " No terrain cost applies (B20 has none). Using it does not close the private."
        ),
        gettext_noop(
            "A player who owns it may swap it for one 10% NYC certificate from the initial offering"
            " or the pool, provided one exists there and the holding limit is respected. May be"
            " done in the player's stock turn or between turns of other players or corporations in"
            " any round. Closes the private. Only a player (never a corporation) can use it."
        ),
        gettext_noop(
            "First purchaser also gets one 10% PRR certificate free. Does not close the private;"
            " the share stays with that player if the private is later sold."
        ),
        gettext_noop(
            "First purchaser gets the B&O President's certificate (20%) free and must at once"
            " choose the B&O par value. Cannot be sold to a corporation. Closes when the B&O"
            " corporation buys its first train (or with all others at phase 5). Ownership of the"
            " private does not follow the presidency."
        ),
        gettext_noop("Blocks Acireale (G13) while a player owns it."),
        gettext_noop(
            "Owning corporation pays half of the terrain cost when the work adds standard-gauge"
            " track (lay or upgrade). No discount on narrow or dual gauge work."
        ),
        gettext_noop(
            "Owning corporation may, in its turn, close it to put a +20 marker on one port (A5,"
            " a12, L14 or N8). That corporation alone adds 20 whenever one of its trains counts"
            " that port, for the rest of the game."
        ),
        gettext_noop(
            "Owning corporation may close it instead of its normal tile and token steps: choose"
            " one coastal city hex, optionally lay or upgrade the tile there and optionally place"
            " a token there, with no need to reach it. Other tile and token rules still hold."
        ),
        gettext_noop(
            "Buyer also gets the President's certificate of the first corporation in the drawn"
            " order and at once chooses its starting price (68 or 100); that corporation receives"
            " two share prices from the bank and pays its token fee. Cannot be sold to a"
            " corporation. Closes when that corporation buys its first train; if that corporation"
            " folds first, RSA stays open until the 12H closes all privates."
        ),
        gettext_noop("None; blocks L3 while a player owns it."),
        gettext_noop(
            "Owning corporation may put green tile 59 on Kitchener (I12) (as its normal tile)"
            " and/or one of its own tokens there for nothing, with no connection needed. Using"
            " either part closes the private at the end of the owning operating turn."
        ),
        gettext_noop(
            "Owning corporation may lay a yellow town tile on H11 in addition to its normal tile,"
            " no connection needed, no cost. Does not close it."
        ),
        gettext_noop(
            "Owning corporation may, in its turn, put the port marker on one port-symbol hex and"
            " close the private. That corporation adds 20 when a train of its own counts a stop in"
            " that hex. The marker cannot move and goes when the first 6-train is bought."
        ),
        gettext_noop(
            "Owning corporation adds 10 for a run to Buffalo (P17/P19). While a corporation owns"
            " it, other corporations may buy the right for 50 each from that corporation; not"
            " while a player owns it. After it closes the bank sells the right for 50. Limited"
            " markers; the right itself is permanent, and the CGR has it if any absorbed"
            " corporation had."
        ),
        gettext_noop("As the bridge, but for Sarnia (B13) (Port Huron tunnel)."),
        gettext_noop("None."),
        gettext_noop(
            "While unsold to a corporation and open, nobody may lay or upgrade track that crosses"
            " the Mississippi (track along one bank is allowed). Owning corporation gets 40 off"
            " one first tile in a river hex. MP or SSW may buy it already in phase 1 for 20 to 40;"
            " if bought in that corporation's first operating turn it may lay a tile on its own"
            " home hex free and extra to its other lays (not also upgraded that turn)."
        ),
        gettext_noop(
            "Owning corporation may put the cattle token on a city west of the Mississippi not in"
            " a river hex; adds 10 there for that corporation only. Does not close it. Token goes"
            " with the first 6-train."
        ),
        gettext_noop(
            "Owning corporation may put the open-port token (20 for itself, 10 for every other"
            " corporation) or the closed-port token (20 for itself only; closes the private) on"
            " Memphis H17, Baton Rouge M14, Mobile M20, Galveston N7 or New Orleans N17. An open"
            " port may later be turned into a closed one in the same city, which closes the"
            " private. Token goes with the first 6-train."
        ),
        gettext_noop("Comes with one 10% MKT (Katy) share."),
    }
)

INSTEAD: Mapping[str, _StrPromise] = {
    "shares exempt from certificate limit": gettext_lazy(
        "its certificates do not count against the limit"
    ),
    "space lies under the ledge; see rule LEDGE": gettext_lazy(
        "a move down that would end just under the heavy line ends just above it, a longer one"
        " passes through; a move to the right into the line goes up a row; moves up and to the"
        " left cross it freely"
    ),
    "closed": gettext_lazy("all closed"),
    "CGR/loan call (NATIONALISE)": gettext_lazy(
        "loans are called in, and the CGR takes over who cannot pay"
    ),
    "corporations may buy privates (half to double)": gettext_lazy(
        "corporations may buy privates (half to double face)"
    ),
    "privates may be bought by corporations": gettext_lazy("corporations may buy privates"),
    "red areas second value": gettext_lazy("red areas pay the second value"),
    "red areas third value": gettext_lazy("red areas pay the third value"),
    "red areas third value where printed": gettext_lazy(
        "red areas pay the third value where one is printed"
    ),
    "AH optional rule adds a third 6-train.": gettext_lazy("An optional rule adds a third."),
    "AH and Mayfair boxes hold 6 D cards; Mayfair/Lookout rules treat them as unlimited, AH Q&A"
    " (General 23-6) says limited to 6; Tresham said unlimited.": gettext_lazy(
        "The box holds six; some editions count them as unlimited, the federation as six."
    ),
    "On sale as soon as the first 16H is bought; counts narrow-gauge hexsides once and"
    " standard-gauge hexsides twice.": gettext_lazy(
        "A hexside of narrow gauge counts once, one of standard gauge twice."
    ),
    "Rusts when the first 12 is bought.": gettext_lazy("It rusts late."),
    "Unlimited supply.": gettext_lazy("Unlimited."),
    "price with trade-in = price - amount; traded train goes to the bank pool (18xx.games) ; only"
    " one train may be traded per purchase": gettext_lazy(
        "One train at most is given in exchange."
    ),
    "Chooses one of the two cities of E11; see RULES-1830.md section F": gettext_lazy(
        "it chooses one of the two cities of E11"
    ),
    "Not available at start; formed by event NATIONALISE. Up to 10 tokens (Rails: 10), later tokens"
    " 100 each, 3-train limit, 20 x 5% (or 10 x 10%) shares.": gettext_lazy(
        "It is formed when the loans are called in: up to 10 tokens, the later ones at 100 each;"
        " at most 3 trains; twenty shares of 5%, or ten of 10%."
    ),
    "While a corporation owns it, that corporation may put tile 57 in an empty F16 without a"
    " connection, paying the 120 mountain cost; this is its normal tile for the turn. In the same"
    " turn it may also put one of its own station tokens there for nothing; that is its token for"
    " the turn. A token put there in a later turn must be paid for (and needs the normal reach,"
    " 18xx.games). Does not close the private.": gettext_lazy(
        "While a corporation owns it, that corporation may put tile 57 in an empty F16 without a"
        " connection, paying the 120 of the mountain; this is its tile for the turn. In the same"
        " turn it may also put one of its own tokens there for nothing; that is its token for"
        " the turn. One put there in a later turn is paid for. Does not close the private."
    ),
    "This lot is the SLSF President's certificate: buyer sets the par and the lot ceases to be a"
    " private. SLSF floats with 20% sold.": gettext_lazy(
        "This lot is the President's certificate of the SLSF: the buyer sets the par, and the"
        " lot is no longer a private. The SLSF floats with its President's certificate alone."
    ),
    "3 players: 5-corporation scenario; 4 players shown with six corporations (9 certificates if"
    " five are used); 5 players six corporations.": gettext_lazy(
        "Three play with five corporations, five with six; four with six, or with five and a limit"
        " of 9 certificates and the trains of three players."
    ),
    "7 players appear only in 18xx.games / designer notes; the Mayfair box is 2-6.": gettext_lazy(
        "The box is for two to six: seven are a later addition."
    ),
    "see rule START": gettext_lazy("20% to 60%, see below"),
    "after the first 6-train (CGR formed or not), by number of corporations still in play (CGR"
    " counts if formed)": gettext_lazy(
        "Certificates at most after the first 6-train, by the corporations still in play (the CGR"
        " counts if it is formed)."
    ),
    "when fewer than 10 corporations remain": gettext_lazy(
        "Certificates at most once fewer than ten corporations remain."
    ),
}

# Rules that neither map nor tables show, by the title, the part of its page and the rule's id.
RULES: Mapping[str, Mapping[str, Mapping[str, _StrPromise]]] = {
    "1830": {
        "map": {
            "1830.TILE.COST": gettext_lazy(
                "Terrain is paid once, with the first tile on the hex; on E5, D10 and G19, which"
                " are printed in yellow, with the green tile."
            ),
        },
        "corporations": {},
    },
    "1849": {
        "map": {
            "1849.TRACKCOST": gettext_lazy(
                "Terrain is paid at every lay and every upgrade: in full if the work adds track of"
                " standard gauge or of both gauges, a quarter if it adds narrow gauge only."
            ),
            "1849.PORT": gettext_lazy(
                "Ports (A5, a12, L14, N8) are optional: a run may end in one, and then needs at"
                " least two other stops."
            ),
        },
        "corporations": {},
    },
    "1856": {
        "map": {
            "1856.COSTS": gettext_lazy(
                "Terrain is paid once, with the first tile on the hex; in Hamilton, which is"
                " printed in yellow, with the green tile."
            ),
        },
        "corporations": {
            "1856.START": gettext_lazy(
                "A corporation floats by the train that the bank has on offer when its turn comes:"
                " with a 2-train on offer 20% must be sold, with a 3-train 30%, a 4-train 40%, a"
                " 5-train 50%, a 6-train or a D-train 60%."
            ),
        },
    },
    "1870": {
        "map": {
            "1870.COSTS": gettext_lazy("Terrain is paid once, with the first tile on the hex."),
        },
        "corporations": {},
    },
}


def said(text: str) -> str:
    """A sentence of a facts file in the reader's language."""
    return str(INSTEAD[text]) if text in INSTEAD else _(text)


def colour(name: str) -> str:
    """A colour of tile or zone; what has no words of its own stands as it is."""
    return str(COLOURS.get(name, name))


def money(amount: int, currency: Mapping[str, Any]) -> str:
    """An amount as the title writes it: $100, L. 100.

    >>> money(1100, {"symbol": "$", "position": "prefix"})
    '$1100'
    """
    symbol = currency["symbol"]
    space = "\N{NO-BREAK SPACE}" if symbol.endswith(".") else ""
    return f"{symbol}{space}{amount}"


def reach(facts: Mapping[str, Any]) -> str:
    """How far a train goes."""
    value = facts.get("value")
    if value is None:
        return _("any number of stops")
    if facts["kind"] == "hexsides":
        return ngettext("%(n)d hexside", "%(n)d hexsides", value) % {"n": value}
    return ngettext("%(n)d stop", "%(n)d stops", value) % {"n": value}


def begins(trigger: str | None) -> str:
    """When a phase begins."""
    if trigger is None:
        return _("at the start")
    return _("first %(train)s-train") % {"train": trigger}
