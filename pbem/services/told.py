"""A move in the reader's words: what was done, what was not and why, what it brought about; and
what somebody is asked to agree to."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from dataclasses import dataclass, replace
from typing import Any

from django.utils.translation import gettext as _

from pbem import texts
from pbem.engine import Action, from_dict
from pbem.engine import Game as Engine
from pbem.engine.actions import BuyPrivate, BuyTrain, Pass, Run
from pbem.engine.changes import changes
from pbem.engine.facts import load
from pbem.models import Consent, Game, Move
from pbem.rules.commands import Plain
from pbem.rules.commands import read as read_command
from pbem.rules.prices import sold_at_political_price
from pbem.rules.turns import Fate, Outcome


@dataclass(frozen=True, slots=True)
class Line:
    """One command, or one thing that followed by itself (`fate` executed, no command).

    `why` is why it was not executed, or what it waits for; `note` what was done otherwise than
    said; `mark` what the referees look at, with the article in `rule`.
    """

    fate: Fate
    words: str
    outcomes: tuple[str, ...] = ()
    why: str = ""
    note: str = ""
    mark: str = ""
    rule: str = ""


def names_of_game(game: Game) -> dict[str, str]:
    """How the players are called, by the position of their seat."""
    return {
        str(seat.position): str(seat.holder().player or _("a referee"))
        for seat in game.table.seats.all()
    }


def told(
    before: Engine | None,
    outcomes: Sequence[Outcome],
    actions: Iterable[tuple[Action, int | None]],
    names: texts.Names,
) -> list[Line]:
    """A move as the log writes it, from the position before it: what was executed in the order in
    which it was, then what was not. Where no engine knows the title (`before` is None), what was
    written, in its order."""
    if before is None:
        return [_line(one, names) for one in outcomes]
    lines: list[Line] = []
    noted: set[int] = set()
    game = before.copy()
    for action, index in actions:
        state = game.state.copy()
        game.apply(action)
        brought = tuple(
            texts.outcome(change, names) for change in changes(state, game.state, action)
        )
        if not brought and index is None and isinstance(action, Pass | Run):
            continue
        line = Line(Fate.EXECUTED, texts.deed(action, state, names), brought)
        if index is not None and index not in noted:  # a run and its dividend are one command
            noted.add(index)
            line = replace(line, note=_note(outcomes[index]))
        if sold_at_political_price(state, action):
            line = replace(line, mark=_("less than half of the face value"), rule="Q-02")
        lines.append(line)
    waiting = (one for one in outcomes if one.fate is not Fate.EXECUTED)
    lines += [_line(one, names, game) for one in waiting]
    return lines or [Line(Fate.EXECUTED, _("Nothing was done."))]


def _line(outcome: Outcome, names: texts.Names, game: Engine | None = None) -> Line:
    why = texts.why(outcome.why, names)
    if outcome.fate is Fate.CONSENT:
        why = _awaited(outcome, names, game)
    elif outcome.fate is Fate.WAITING:
        why = _("It waits for an answer, or for what somebody else has to decide first.")
    return Line(outcome.fate, texts.wish(outcome.command, names), why=why)


def _awaited(outcome: Outcome, names: texts.Names, game: Engine | None) -> str:
    """Whose agreement a command waits for; between two players either may be the one."""
    command = outcome.command
    if game is not None and isinstance(command, Plain):
        who = game.consent(command.action)
        if who is not None and command.action.actor in game.state.corporations:
            return _("The answer of %(who)s is awaited.") % {"who": names.get(who, who)}
    return _("The answer of who was asked is awaited.")


def _note(outcome: Outcome) -> str:
    if outcome.note is None:
        return ""
    return _("The sum stated was another: it is $%(sum)s.") % {"sum": outcome.note}


# --- what is asked --------------------------------------------------------------------------------


@dataclass(frozen=True, slots=True)
class Request:
    """What a player is asked to agree to, in words: what is offered, what a yes and what a no would
    do, the money set aside meanwhile. `asker` sent the move, `asked` answers."""

    consent: Consent
    asker: str
    asked: str
    words: str
    yes: str
    no: str
    rule: str
    kept: str = ""


def awaited(game: Game) -> list[Consent]:
    """What its players have still to answer."""
    return list(game.consents.filter(answer="").select_related("game", "seat", "move__seat"))


def requests(game: Game, names: texts.Names, position: Engine | None) -> list[Request]:
    """What is still to be answered, in words; `position` is where the engine has come to."""
    return [requested(one, names, treasury_of(one, position)) for one in awaited(game)]


def answers_to(move: Move, game: Game, names: texts.Names) -> list[Request]:
    """What was asked with a move and has been answered, from prefetched requests."""
    found = []
    for one in move.consents.all():
        if one.answer and one.answer != Consent.Answer.WITHDRAWN:
            one.game, one.move = game, move
            found.append(requested(one, names))
    return found


def treasury_of(consent: Consent, position: Engine | None) -> int | None:
    """What the buyer has, where an engine knows it and nothing was answered yet."""
    if position is None or consent.answer:
        return None
    buyer, state = consent.action["actor"], position.state
    company = state.corporations.get(buyer)
    return state.cash[buyer] if company is None else company.cash


def requested(consent: Consent, names: texts.Names, treasury: int | None = None) -> Request:
    """X-03, X-14 — a request, for who is asked and for the whole table. `treasury` is what the
    buyer has, where it is known."""
    asker = names[str(consent.move.seat.position)]
    asked = names[str(consent.seat.position)]
    if consent.action.get("type") == "text":
        words = texts.wish(read_command(consent.action), names)
        yes = _("The purchase is agreed to, and the station master writes it down.")
        no = _("Nothing changes hands: the rest of the move stands.")
        rule = _rule(str(consent.action["row"]))
        return Request(consent, asker, asked, words, yes, no, rule)
    words, yes, no = _offer(consent, names)
    kept, rule = _set_aside(consent, names, treasury), _rule(consent.action["type"])
    return Request(consent, asker, asked, words, yes, no, rule, kept)


def _rule(row: str) -> str:
    return "X-14" if row == BuyTrain.verb else "X-03"


def _offer(consent: Consent, names: texts.Names) -> tuple[str, str, str]:
    """What is offered, and what becomes of it with a yes and with a no."""
    action = from_dict(consent.action)
    buyer, asked = action.actor, str(consent.seat.position)
    sells = str(consent.move.seat.position) if buyer == asked else asked
    data: dict[str, Any] = {"buyer": names.get(buyer, buyer), "owner": names[sells]}
    match action:
        case BuyTrain(train=train, source=source, price=price):
            data |= {"train": train, "seller": source, "price": price}
            return (
                _("%(buyer)s offers $%(price)s for a %(train)s-train of %(seller)s.") % data,
                _("%(seller)s receives $%(price)s and gives a %(train)s-train to %(buyer)s.")
                % data,
                _("The train stays with %(seller)s; the rest of the move goes on without it.")
                % data,
            )
        case BuyPrivate(private=private, price=price):
            name = _called(consent.game, private)
            data |= {"private": name, "price": price}
            if buyer == asked:
                words = _("%(owner)s offers %(private)s to %(buyer)s for $%(price)s.") % data
            else:
                words = _("%(buyer)s offers $%(price)s for %(private)s.") % data
            return (
                words,
                _("%(owner)s receives $%(price)s and gives %(private)s to %(buyer)s.") % data,
                _("%(private)s stays with %(owner)s; the rest of the move goes on without it.")
                % data,
            )
    raise TypeError(type(action).__name__)  # pragma: no cover - nothing else asks anybody


def _called(game: Game, private: str) -> str:
    """A private by its name and its letters."""
    return f"{load(game.title).privates[private].name} ({private})"


def _set_aside(consent: Consent, names: texts.Names, treasury: int | None) -> str:
    buyer = names.get(consent.action["actor"], consent.action["actor"])
    data = {"buyer": buyer, "price": consent.action["price"], "cash": treasury}
    if treasury is None:
        return _("Until the answer, $%(price)s of %(buyer)s are set aside.") % data
    return _("Until the answer, $%(price)s of the $%(cash)s of %(buyer)s are set aside.") % data
