"""A move executed (*esecuzione della mossa*): its commands one by one, on a game that is a copy.

Exactly the correct part is executed, the rest counts as never sent (Y-02). What follows from the
commands of a turn need not be said: a step without its command is passed over, and the turn is
closed when the commands are at an end.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from enum import StrEnum
from typing import Any

from pbem.engine import Action, Game, IllegalAction, MalformedAction, Reason, best_run
from pbem.engine.actions import (
    Bankrupt,
    BuyPrivate,
    BuyShare,
    BuyTrain,
    Dividend,
    ExchangePrivate,
    LayTile,
    Par,
    Pass,
    PlaceToken,
    Run,
    SellShares,
)
from pbem.engine.errors import EngineError
from pbem.engine.routes import earnings, read
from pbem.engine.state import PRESIDENCY, Auction, Operating, State, Step, Stock
from pbem.engine.stock import share_price
from pbem.rules.commands import Command, Fault, Faulty, Plain, RunOrder, Written, verb
from pbem.rules.commands import read as read_command
from pbem.rules.readings import READINGS

RUN_WORK = 6_000_000  # steps of the search: every recorded position takes a thousandth of it


class Fate(StrEnum):
    """What became of a command."""

    EXECUTED = "executed"
    REFUSED = "refused"
    CONSENT = "consent"  # legal, and waiting for somebody's agreement
    WAITING = "waiting"  # for the answer to another, or for somebody else's decision
    NEW = "new"


class Answer(StrEnum):
    """What was said to a request for agreement; silence is a no (T-10)."""

    YES = "yes"
    NO = "no"
    LAPSED = "lapsed"


@dataclass(slots=True)
class Outcome:
    """A command and what became of it. `why` is why not; `note` is what was done otherwise than
    said: "amount", with what it really came to (V-07). `answer` is to be heeded, once. Where no
    engine knows the title, `why` is in the station master's own words."""

    command: Command
    fate: Fate = Fate.NEW
    why: EngineError | Fault | str | None = None
    note: int | None = None
    answer: Answer | None = None


@dataclass(slots=True)
class Execution:
    """A move executed as far as it can be. `actions` are those applied, in order, also the passes
    that nobody wrote, each with the index of its command or None; `asked` are the agreements to be
    asked for, by index. `finished` says that the turn is over; if it is not, `waits` says that
    others must speak first, and `open` what the player still has to do. `in_turn` is false of what
    a player does while it is another's turn (Z-07)."""

    outcomes: list[Outcome]
    actions: list[tuple[Action, int | None]] = field(default_factory=list)
    asked: list[tuple[int, Action, str]] = field(default_factory=list)
    in_turn: bool = True
    finished: bool = False
    waits: bool = False
    open: EngineError | None = None


class _Refused(Exception):
    def __init__(self, why: EngineError | Fault) -> None:
        super().__init__(why)
        self.why = why


def execute(
    game: Game,
    outcomes: Sequence[Outcome],
    player: str,
    *,
    ends: bool = True,
    turn: Sequence[Any] | None = None,
) -> Execution:
    """Y-02 — only the correct part of a move is executed, command by command, each on the situation
    that those before it left; each wrong command is as if it had never been given.

    `game` is changed: hand over a copy. `player` is who sent the move; `ends` whether his turn is
    over with it (V-08: a form that another one continues leaves it open). Commands that were
    executed or refused before stay so; one that waits is tried again, with the answer it was given,
    and `turn` is then the one in which the move was first played, as `turn_of` told it.

    A command that needs somebody's agreement is looked at as if it were given: if it is legal it
    waits (X-03, X-14), its money set aside. A later one is executed if it is legal and leaves that
    one possible; if it is legal only once that one is executed, or would take from it what it
    needs, it waits too.
    """
    under_way = _Turn(game, player, list(outcomes), turn)
    todo = [n for n, one in enumerate(outcomes) if one.fate not in {Fate.EXECUTED, Fate.REFUSED}]
    late = [n for n in todo if under_way.is_late(outcomes[n].command)]
    for n in [*(n for n in todo if n not in late), *late]:
        under_way.take(n)
    done = under_way.done
    done.waits = any(one.fate in {Fate.CONSENT, Fate.WAITING} for one in done.outcomes)
    if ends and not done.waits:
        under_way.close()
    return done


def turn_of(game: Game) -> list[Any]:
    """Which turn it is, as plain JSON: the round, and in an operating round whose."""
    return [list(_round(game.state)), game.state.operating]


class _Turn:
    """A turn under way: whose it is, and what waits for an answer."""

    def __init__(
        self, game: Game, player: str, outcomes: list[Outcome], turn: Sequence[Any] | None
    ) -> None:
        self.game = game
        self.player = player
        round_, self.operating = turn_of(game) if turn is None else turn
        self.round = tuple(round_)
        self.in_turn = game.player == player or self._presides()
        self.decides = self._decides()
        self.pending: list[Action] = []
        self.implied = 0  # of what a command applies, the passes before it
        self.done = Execution(outcomes, in_turn=self.in_turn)

    def _presides(self) -> bool:
        """Whether it is his corporation's turn, though somebody else must first decide."""
        symbol = self.operating
        return bool(symbol) and self.game.state.corporations[symbol or ""].president == self.player

    def _decides(self) -> bool:
        """Whether he is asked for a choice in the middle of somebody else's turn."""
        now = self.game.state.round
        between = isinstance(now, Operating) and bool(now.choosing or now.discarding)
        return between and self.game.player == self.player and not self._presides()

    def is_late(self, command: Command) -> bool:
        """X-04 — a private that the treasury cannot pay for at its place is meant for the end."""
        if not isinstance(command, Plain) or not isinstance(command.action, BuyPrivate):
            return False
        buyer = self.game.state.corporations.get(command.action.actor)
        return command.late or (buyer is not None and buyer.cash < command.action.price)

    # --- one command ---

    def take(self, n: int) -> None:
        one = self.done.outcomes[n]
        answer, one.answer = one.answer, None
        if answer in {Answer.NO, Answer.LAPSED}:
            refused = answer is Answer.NO
            one.fate = Fate.REFUSED
            one.why = Fault.CONSENT_REFUSED if refused else Fault.CONSENT_LAPSED
        elif self._must_wait():
            one.fate = Fate.WAITING
        else:
            self._try(n, one, agreed=answer is Answer.YES)

    def _must_wait(self) -> bool:
        """Whether somebody else has to decide first, in the middle of this turn."""
        state = self.game.state
        return (
            self.in_turn
            and self.operating is not None
            and state.operating == self.operating
            and _round(state) == self.round
            and self.game.player != self.player
        )

    def _try(self, n: int, one: Outcome, *, agreed: bool) -> None:
        already = one.fate is Fate.CONSENT and not agreed
        trial = self.game.copy()
        taken: list[Action] = []
        try:
            asked = self._apply(trial, one, taken, agreed=agreed)
            keeps = self._all_legal(trial, self.pending)
        except _Refused as refused:
            if self.pending and self._legal_after_them(one, agreed=agreed):
                one.fate = Fate.WAITING
            else:
                one.fate, one.why = Fate.REFUSED, refused.why
            return
        if not keeps:
            one.fate = Fate.WAITING
            return
        self._commit(trial, taken, n)
        if asked is None:
            one.fate = Fate.EXECUTED
            return
        one.fate = Fate.CONSENT
        self.pending.append(asked[0])
        if not already:
            self.done.asked.append((n, *asked))

    def _commit(self, trial: Game, taken: Sequence[Action], n: int | None) -> None:
        self.game.state = trial.state
        self.game.log += taken
        self.done.actions += [
            (action, None if k < self.implied else n) for k, action in enumerate(taken)
        ]

    def _apply(
        self, trial: Game, one: Outcome, taken: list[Action], *, agreed: bool
    ) -> tuple[Action, str] | None:
        """Apply the command to a trial; or, if somebody must agree, come to where it would be and
        say what is asked of whom. Raises `_Refused`."""
        one.note = None
        command = one.command
        if isinstance(command, Faulty):
            raise _Refused(command.fault)
        if isinstance(command, Written):
            raise _Refused(Fault.UNREADABLE)
        if self._is_over(trial.state, command):
            raise _Refused(Fault.TURN_OVER)
        try:
            if isinstance(command, RunOrder):
                self._skip_to(trial, Step.RUN, taken)
                for action in self._run(trial, command, one):
                    _do(trial, action, taken)
                return None
            self._skip_to(trial, _step_of(trial.state, command.action), taken)
            action = _complete(trial.state, command.action)
            if command.stated is not None:
                sum_ = amount(trial.state, action)
                one.note = _noted(sum_, command.stated)
            who = self._must_agree(trial, action)
            if who is not None and not agreed:
                trial.check(action)
                return action, who
            _do(trial, action, taken)
        except (IllegalAction, MalformedAction) as error:
            raise _Refused(error) from None
        return None

    def _skip_to(self, trial: Game, step: Step | None, taken: list[Action]) -> None:
        """Pass over the steps before this one, of which nothing was said."""
        symbol, here = trial.state.operating, _round(trial.state)
        while (
            step is not None
            and symbol is not None
            and trial.state.operating == symbol
            and _round(trial.state) == here
        ):
            now = trial.state.round
            if not isinstance(now, Operating) or now.choosing or now.discarding:
                break
            if now.step >= step:
                break
            _do(trial, Run(symbol, ()) if now.step is Step.RUN else Pass(symbol), taken)
        self.implied = len(taken)

    def _must_agree(self, trial: Game, action: Action) -> str | None:
        """X-03, X-14 — who must agree: the owner; the buyer, if the owner himself sells (Z-02)."""
        who = trial.consent(action)
        if who == self.player and action.actor in trial.state.cash:
            return action.actor
        return who

    def _is_over(self, state: State, command: Command) -> bool:
        """Whether the turn of this move has ended, and what is left of it would fall in another."""
        if verb(command) == ExchangePrivate.verb:  # Z-07: at any moment
            return False
        now = state.round
        if _round(state) != self.round or state.operating != self.operating:
            return True
        executed = any(one.fate is Fate.EXECUTED for one in self.done.outcomes)
        if isinstance(now, Stock):
            return executed and not now.acted
        return isinstance(now, Auction) and executed and verb(command) != Par.verb

    def _run(self, trial: Game, order: RunOrder, one: Outcome) -> list[Action]:
        """X-09, X-10 — the run that is meant, and what becomes of what it earns."""
        run = _meant(trial, order)
        earned = earnings(trial.state, run)
        if not earned:
            return [run]
        if order.dividend not in {"pay", "withhold"}:
            raise _Refused(Fault.DIVIDEND_MISSING)
        one.note = _noted(earned, order.stated)
        return [run, Dividend(order.corporation, order.dividend)]

    def _all_legal(self, trial: Game, actions: Sequence[Action]) -> bool:
        """Whether all of them could still be executed, one after the other."""
        game = trial.copy()
        try:
            for action in actions:
                game.apply(action)
        except EngineError:
            return False
        return True

    def _legal_after_them(self, one: Outcome, *, agreed: bool) -> bool:
        """Whether a command would be legal if all that waits were agreed to."""
        game = self.game.copy()
        kept = one.note
        try:
            for action in self.pending:
                game.apply(action)
            self._apply(game, one, [], agreed=agreed)
        except (EngineError, _Refused):
            return False
        finally:
            one.note = kept
        return True

    # --- the end of the turn ---

    def close(self) -> None:
        """Y-06 — end the turn; a move of which nothing can be executed is a pass.

        What the rules oblige to is not passed over: then the turn stays open.
        """
        state = self.game.state
        executed = any(one.fate is Fate.EXECUTED for one in self.done.outcomes)
        if not self.in_turn or state.over or _round(state) != self.round:
            self.done.finished = True
        elif self.decides:
            self._close_choice()
        elif self.operating is not None:
            self._close_operating(self.operating)
        elif self.game.player != self.player:
            self.done.finished = True
        elif isinstance(state.round, Stock) and executed and not state.round.acted:
            self.done.finished = True  # it ended by itself, and has come round again
        elif isinstance(state.round, Auction) and executed and not state.round.naming:
            self.done.finished = True
        else:
            self.done.finished = self._pass(Pass(self.player))

    def _close_choice(self) -> None:
        now = self.game.state.round
        still = isinstance(now, Operating) and bool(now.choosing or now.discarding)
        if still and self.game.player == self.player:
            self._pass(Pass(self.game.actor or self.player))  # says what is to be chosen first
        else:
            self.done.finished = True

    def _close_operating(self, symbol: str) -> None:
        while not self.game.state.over and (_round(self.game.state), self.game.state.operating) == (
            self.round,
            symbol,
        ):
            if self.game.player != self.player:
                self.done.waits = True  # somebody must choose a city, or discard a train
                return
            now = self.game.state.round
            runs = isinstance(now, Operating) and now.step is Step.RUN
            if not self._pass(Run(symbol, ()) if runs else Pass(symbol)):
                return
        self.done.finished = True

    def _pass(self, action: Action) -> bool:
        try:
            self.game.apply(action)
        except EngineError as error:
            self.done.open = error
            return False
        self.done.actions.append((action, None))
        return True


# --- what a command comes to ----------------------------------------------------------------------


def _round(state: State) -> tuple[str, int, int]:
    """Which round it is; in an operating round also which of its set."""
    now = state.round
    return type(now).__name__, state.turn, state.number if isinstance(now, Operating) else 0


def _do(trial: Game, action: Action, taken: list[Action]) -> None:
    trial.apply(action)
    taken.append(action)


def _step_of(state: State, action: Action) -> Step | None:
    """The step of an operating turn that an action belongs to; None if to no single one."""
    now = state.round
    if not isinstance(now, Operating) or now.choosing or now.discarding:
        return None
    match action:
        case LayTile(private=None):
            return Step.TRACK
        case PlaceToken():
            return Step.TOKEN
        case Run():
            return Step.RUN
        case BuyTrain() | SellShares() | Bankrupt():
            return Step.TRAINS
        case _:
            return None


def _complete(state: State, action: Action) -> Action:
    """X-15 — a diesel at the price with a trade-in means that a train is handed in: the only one
    that can be, or the one that was named."""
    if not isinstance(action, BuyTrain) or action.exchange is not None or action.source != "bank":
        return action
    train = state.title.trains.get(action.train)
    owner = state.corporations.get(action.actor)
    if train is None or owner is None or action.price == train.price:
        return action
    fitting = sorted(
        {
            kind
            for kind in owner.trains
            if kind in train.trade_in and train.price - train.trade_in[kind] == action.price
        }
    )
    if len(fitting) > 1:
        raise _Refused(Fault.TRAIN_TO_NAME)
    return BuyTrain(action.actor, action.train, "bank", action.price, *fitting)


def _noted(comes_to: int | None, stated: int | None) -> int | None:
    """Y-05 — what a command really comes to, if another sum was stated: what was meant is clear,
    and it is executed all the same, with a note."""
    if stated is None or comes_to in {None, stated}:
        return None
    if READINGS.clear_intention == "refused":
        raise _Refused(Fault.WRONG_SUM)
    return comes_to


def _meant(trial: Game, order: RunOrder) -> Run:
    """The run that an order means: the routes it names, none for a zero, else the best one, if its
    sum is that of the best."""
    state, symbol = trial.state, order.corporation
    if symbol not in state.corporations:
        raise MalformedAction("corporation", symbol, "a corporation")
    if order.routes is not None:
        routes = [read(state, symbol, train, hexes) for train, hexes in order.routes if len(hexes)]
        return Run(symbol, tuple(routes))
    if order.stated == 0:
        return Run(symbol, ())
    trial.check(Run(symbol, ()))  # whether it is the time to run at all
    best = best_run(trial, symbol, RUN_WORK)
    if order.stated not in {None, best.value}:
        raise _Refused(Fault.ROUTES_NEEDED)
    return best.run


def amount(state: State, action: Action) -> int | None:
    """V-07, V-09, X-07 — what an action costs, or brings, before it is applied; None if the action
    itself says it, or if it moves no money."""
    match action:
        case Par():
            return action.price * PRESIDENCY
        case BuyShare(corporation=symbol, source=source) if symbol in state.corporations:
            return share_price(state, state.corporations[symbol], source)
        case SellShares(corporation=symbol, shares=shares) if symbol in state.corporations:
            return state.price(state.corporations[symbol]) * shares
        case PlaceToken(private=None) if action.actor in state.corporations:
            owner = state.corporations[action.actor]
            return owner.next_token_price if owner.unused else None
        case _:
            return None


# --- written down ---------------------------------------------------------------------------------


def to_dict(outcome: Outcome) -> dict[str, Any]:
    """A command and what became of it, as plain JSON: `from_dict` reads it back."""
    said: dict[str, Any] = {"command": outcome.command.to_dict(), "fate": outcome.fate.value}
    match outcome.why:
        case IllegalAction() as error:
            data = {key: _plain(value) for key, value in error.data.items()}
            said["why"] = {"reason": error.reason.value, "clause": error.clause, "data": data}
        case MalformedAction() as error:
            said["why"] = {"where": error.where, "value": error.shown, "expected": error.expected}
        case Fault() as fault:
            said["why"] = {"fault": fault.value}
        case str(words) if words:
            said["why"] = {"words": words}
        case _:
            pass
    return said | ({} if outcome.note is None else {"note": outcome.note})


def _plain(value: Any) -> Any:
    if isinstance(value, list | tuple | set | frozenset):
        return [_plain(one) for one in value]
    return value if isinstance(value, str | int | bool | None) else str(value)


def from_dict(said: Mapping[str, Any]) -> Outcome:
    """The outcome that `to_dict` wrote."""
    return Outcome(
        read_command(said["command"]), Fate(said["fate"]), why_of(said.get("why")), said.get("note")
    )


def why_of(said: Mapping[str, Any] | None) -> EngineError | Fault | str | None:
    if not said:
        return None
    if "words" in said:
        return str(said["words"])
    if "fault" in said:
        return Fault(said["fault"])
    if "reason" in said:
        return IllegalAction(Reason(said["reason"]), said["clause"], **said["data"])
    return MalformedAction(said["where"], said["value"], said["expected"])
