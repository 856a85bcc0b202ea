"""What the public reads of a player and of a club: games, honours, the ranking over time.

Games are the confirmed results of published rounds of public events, whatever these count for. Each
card takes as many queries for one season as for twenty.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass, replace
from datetime import date
from decimal import Decimal
from fractions import Fraction
from typing import Any, TypeAlias

from django.db.models import Count, F, Q, QuerySet

from rankings.models import Honour, Team
from rankings.rules.two_years import Outcomes
from rankings.services.ledger import Ledger, ledger
from rankings.services.standings import Past, Ranked, ranking_history, ranking_on
from tournaments.models import (
    Club,
    Event,
    EventPlace,
    Player,
    Removal,
    Result,
    ResultLine,
    Round,
    Table,
)
from tournaments.rules import registry
from tournaments.rules.regulation import half_up
from tournaments.services import struck_off

OFTEN = 5  # opponents that a card names first
ROUND = "result__table__round__"
PROVA = f"{ROUND}prova__"
OFFICIAL = {Event.Kind.LIVE.value, Event.Kind.PBEM.value}
OFF = {Event.Status.CANCELLED.value, Event.Status.INVALID.value}

# --- games ----------------------------------------------------------------------------------------


@dataclass(frozen=True, slots=True)
class Game:
    """A game of a player: where, and what it gave him.

    `round` is None where the prova has only one. `dash` says why it gave him nothing ("excluded",
    "cancelled", "void", "off"): then there is no place, no percentile and no victory. Place and
    points in the event are those of an official event that is closed.
    """

    result: int
    day: date
    event: int
    event_name: str
    kind: str
    regulation: str
    prova: int
    title: str
    round: int | None
    table: int
    number: int
    total: int
    place: int | None
    points: Decimal | None
    won: bool
    dash: str = ""
    event_place: int | None = None
    event_points: int | None = None
    has_table = True

    @property
    def kind_name(self) -> str:
        return _kind_name(self.kind)

    @property
    def is_percentile(self) -> bool:
        """Whether its points may be compared with those of the federation's games."""
        return self.regulation in registry.ranked()


@dataclass(frozen=True, slots=True)
class PastEvent:
    """A place at an event of the history, which has no tables (H-09)."""

    day: date
    event: int
    event_name: str
    kind: str
    place: int
    points: int
    wins: int
    has_table = False

    @property
    def kind_name(self) -> str:
        return _kind_name(self.kind)

    @property
    def event_place(self) -> int:
        return self.place

    @property
    def event_points(self) -> int:
        return self.points


def _kind_name(kind: str) -> str:
    """What kind of event it is, where it is not one of the federation's standings."""
    return "" if kind in OFFICIAL else str(Event.Kind(kind).label)


Entry: TypeAlias = Game | PastEvent


def _public_lines() -> QuerySet[ResultLine]:
    """The lines that everybody may see."""
    confirmed = ResultLine.objects.filter(
        **{"result__state": Result.State.CONFIRMED, f"{ROUND}status": Round.Status.PUBLISHED}
    )
    return confirmed.exclude(**{f"{PROVA}event__status": Event.Status.DRAFT})


Gone: TypeAlias = set[tuple[int, int | None, int | None]]


def _cancelled() -> Gone:
    """Who was taken out of an event or of a prova (D-08): player, event, prova."""
    levels = (Removal.Level.EVENT, Removal.Level.PROVA)
    found = Removal.objects.filter(lifted_at=None, level__in=levels)
    return set(found.values_list("player_id", "event_id", "prova_id"))


def _games(lines: QuerySet[ResultLine], gone: Gone) -> Iterator[tuple[int, Game]]:
    """Each line with its player, the newest first."""
    rows = lines.filter(player__isnull=False).order_by(
        f"-{PROVA}event__starts_on",
        f"-{PROVA}event",
        f"-{PROVA}order",
        f"-{ROUND}number",
        "-result",
    )
    for row in rows.values(
        *("player_id", "result_id", "total", "place", "points", "win", "role"),
        table=F("result__table"),
        number=F("result__table__number"),
        state=F("result__table__status"),
        round=F(f"{ROUND}number"),
        rounds=F(f"{PROVA}rounds"),
        prova=F(f"{ROUND}prova"),
        title=F(f"{PROVA}title__code"),
        event=F(f"{PROVA}event"),
        event_name=F(f"{PROVA}event__name"),
        day=F(f"{PROVA}event__starts_on"),
        kind=F(f"{PROVA}event__kind"),
        regulation=F(f"{PROVA}event__regulation"),
        status=F(f"{PROVA}event__status"),
    ):
        dash = _dash(row, gone)
        worth = None if dash or row["points"] is None else Decimal(row["points"]).scaleb(-2)
        yield (
            row["player_id"],
            Game(
                result=row["result_id"],
                day=row["day"],
                event=row["event"],
                event_name=row["event_name"],
                kind=row["kind"],
                regulation=row["regulation"],
                prova=row["prova"],
                title=row["title"],
                round=row["round"] if row["rounds"] > 1 else None,
                table=row["table"],
                number=row["number"],
                total=row["total"],
                place=None if dash else row["place"],
                points=worth,
                won=row["win"] and not dash,
                dash=dash,
            ),
        )


def _dash(row: dict[str, Any], gone: Gone) -> str:
    """Why a line gives its player nothing, if it does not."""
    if row["state"] == Table.Status.VOID:
        return "void"
    if row["status"] in OFF:
        return "off"
    player = row["player_id"]
    if not gone.isdisjoint({(player, row["event"], None), (player, None, row["prova"])}):
        return "cancelled"
    return "excluded" if row["role"] == ResultLine.Role.EXCLUDED else ""


# --- what games add up to -------------------------------------------------------------------------


@dataclass(frozen=True, slots=True)
class Sums:
    """Of some games: how many, how many won, the best and the mean percentile.

    Games with a dash are not counted. `best` and `mean` are None where there is no percentile.
    """

    games: int
    wins: int
    best: Decimal | None
    mean: Decimal | None


def sums_of(games: Iterable[Game]) -> Sums:
    """The mean is exact, and rounded only at the end, a half upwards."""
    counted = [game for game in games if not game.dash]
    points = [g.points for g in counted if g.points is not None and g.is_percentile]
    mean = half_up(sum(map(Fraction, points), Fraction(0)) / len(points), 2) if points else None
    return Sums(len(counted), sum(game.won for game in counted), max(points, default=None), mean)


def by_title(games: Sequence[Game]) -> list[tuple[str, Sums]]:
    """The sums of each title, the most played first."""
    codes = Counter(game.title for game in games if not game.dash)
    order = sorted(codes, key=lambda code: (-codes[code], code))
    return [(code, sums_of(g for g in games if g.title == code)) for code in order]


# --- two players ----------------------------------------------------------------------------------


@dataclass(frozen=True, slots=True)
class Meeting:
    """A game that two players sat in at one table. `ahead` is None where it gave one nothing."""

    mine: Game
    theirs: Game

    @property
    def ahead(self) -> int | None:
        """1 if the first player was ahead, -1 if behind, 0 if they shared the place."""
        return _ahead(self.mine.place, self.theirs.place)


def _ahead(place: int | None, other: int | None) -> int | None:
    return None if place is None or other is None else (place < other) - (place > other)


@dataclass(frozen=True, slots=True)
class Score:
    """How often a player was ahead of another, behind, and level with him."""

    ahead: int
    behind: int
    level: int

    @property
    def met(self) -> int:
        return self.ahead + self.behind + self.level


def score_of(outcomes: Iterable[int | None]) -> Score:
    found = Counter(outcomes)
    return Score(found[1], found[-1], found[0])


def head_to_head(player: Player, other: Player) -> list[Meeting]:
    """Every game that both sat in at one table, the newest first."""
    theirs = _public_lines().filter(player=other).values("result")
    lines = _public_lines().filter(player__in=(player, other), result__in=theirs)
    mine: dict[int, Game] = {}
    his: dict[int, Game] = {}
    for pk, game in _games(lines, _cancelled()):
        (mine if pk == player.pk else his)[game.result] = game
    return [Meeting(game, his[result]) for result, game in mine.items() if result in his]


def _met(
    player: Player, games: Sequence[Game], gone: Gone, struck: set[int]
) -> list[tuple[Player, Score]]:
    """His opponents, the most met first; alphabetical where as often."""
    mine = {game.result: game for game in games if game.place is not None}
    his = _public_lines().filter(player=player).values("result")
    lines = _public_lines().filter(result__in=his, place__isnull=False).exclude(player=player)
    outcomes: dict[int, list[int | None]] = {}
    for result, other, place in lines.values_list("result_id", "player_id", "place"):
        game = mine.get(result)
        if game is None or other is None:
            continue
        if gone.isdisjoint({(other, game.event, None), (other, None, game.prova)}):
            outcomes.setdefault(other, []).append(_ahead(game.place, place))
    people = Player.objects.on_the_books().exclude(pk__in=struck).in_bulk(outcomes)
    order = sorted(people.values(), key=lambda p: (-len(outcomes[p.pk]), p.sort_key, p.pk))
    return [(each, score_of(outcomes[each.pk])) for each in order]


# --- the card of a player -------------------------------------------------------------------------


@dataclass(frozen=True, slots=True)
class Card:
    """A player's card: what he has won, how he stands and stood, and everything that he played.

    `entries` are games and events of the history, the newest first; `won` the official events of
    which he was first; `met` his opponents, the most met first.
    """

    honours: tuple[Honour, ...]
    won: tuple[Event, ...]
    past: tuple[Past, ...]
    entries: tuple[Entry, ...]
    titles: tuple[tuple[str, Sums], ...]
    met: tuple[tuple[Player, Score], ...]

    @property
    def often(self) -> tuple[tuple[Player, Score], ...]:
        """The opponents that he met most often."""
        return self.met[:OFTEN]

    @property
    def opponents(self) -> list[tuple[Player, Score]]:
        """All of them, in alphabetical order."""
        return sorted(self.met, key=lambda each: (each[0].sort_key, each[0].pk))

    @property
    def games(self) -> list[Game]:
        return [each for each in self.entries if isinstance(each, Game)]

    @property
    def sums(self) -> Sums:
        return sums_of(self.games)

    @property
    def events(self) -> int:
        """How many events he played, those of the history too."""
        return len({each.event for each in self.entries})

    @property
    def past_wins(self) -> int:
        """Games won at events of the history, of which there are no tables."""
        return sum(each.wins for each in self.entries if isinstance(each, PastEvent))

    @property
    def wins(self) -> int:
        """Games won, at a table and at events of the history."""
        return self.sums.wins + self.past_wins

    @property
    def best(self) -> Past | None:
        """His best place in the ranking, when he reached it first."""
        ranked = (each for each in self.past if each.place)
        return min(ranked, key=lambda past: (past.place or 0, past.day), default=None)


def card_of(player: Player, today: date) -> Card:
    """Everything that the card of a player shows."""
    book, gone, struck = ledger(), _cancelled(), struck_off()
    games = _games_of(player, gone)
    return Card(
        tuple(_honours(Q(player=player) | Q(team__members__player=player))),
        tuple(_won(player, book)),
        tuple(ranking_history(player, today, book)),
        _entries(player, games, book),
        tuple(by_title(games)),
        tuple(_met(player, games, gone, struck)),
    )


def entries_of(player: Player) -> tuple[Entry, ...]:
    """What he played alone, the newest first."""
    return _entries(player, _games_of(player, _cancelled()), ledger())


def _games_of(player: Player, gone: Gone) -> list[Game]:
    return [game for _pk, game in _games(_public_lines().filter(player=player), gone)]


def _entries(player: Player, games: Sequence[Game], book: Ledger) -> tuple[Entry, ...]:
    imported = EventPlace.objects.filter(player=player, event__imported=True)
    imported = imported.exclude(event__status=Event.Status.DRAFT)
    past = [
        PastEvent(*row)
        for row in imported.order_by("-event__starts_on", "-event").values_list(
            *("event__starts_on", "event_id", "event__name", "event__kind"),
            *("place", "points", "wins"),
        )
    ]
    placed = (_placed(player, game, book.outcomes) for game in games)
    entries: list[Entry] = [*placed, *past]
    return tuple(sorted(entries, key=lambda entry: entry.day, reverse=True))


def _placed(player: Player, game: Game, outcomes: Outcomes) -> Game:
    """The game with his place and points in its event, if that gave him any (D-05)."""
    his = outcomes.get(game.event, {}).get(player.pk)
    return game if his is None else replace(game, event_place=his.place, event_points=his.points)


def _won(player: Player, book: Ledger) -> list[Event]:
    """The official events of which he was first (D-10), the last first."""
    found = [
        book.events[int(pk)]
        for pk, outcomes in book.outcomes.items()
        if (his := outcomes.get(player.pk)) is not None and his.place == 1
    ]
    return sorted(found, key=lambda event: (event.starts_on, event.pk), reverse=True)


def _honours(whose: Q) -> QuerySet[Honour]:
    """Those of the roll, the last first (A-13)."""
    found = Honour.objects.filter(pk__in=Honour.objects.filter(whose).values("pk"))
    return found.select_related("season", "title", "player", "team__cup__event")


# --- clubs ----------------------------------------------------------------------------------------


def clubs() -> QuerySet[Club]:
    """Every club with the number of its `members`."""
    return Club.objects.annotate(members=Count("players", filter=_named("players__")))


def _named(prefix: str = "") -> Q:
    """Players who may be named."""
    fields = {f"{prefix}merged_into": None, f"{prefix}forgotten_at": None}
    return Q(**fields) & ~Q(**{f"{prefix}pk__in": struck_off()})


@dataclass(frozen=True, slots=True)
class ClubCard:
    """A club: its members with their line of the ranking, those without one last; what it won."""

    members: tuple[tuple[Player, Ranked | None], ...]
    honours: tuple[Honour, ...]
    teams: tuple[Team, ...]

    @property
    def ranked(self) -> int:
        return sum(row is not None for _player, row in self.members)


def club_card(club: Club, today: date) -> ClubCard:
    """What the page of a club shows."""
    rows = {row.player.pk: row for row in ranking_on(today).rows}
    members = [
        (player, rows.get(player.pk))
        for player in Player.objects.filter(_named(), club=club).order_by("sort_key", "pk")
    ]
    members.sort(key=lambda each: each[1].place if each[1] else len(rows) + 1)
    people = [player.pk for player, _row in members]
    teams = Team.objects.filter(club=club).exclude(status=Team.Status.REJECTED)
    return ClubCard(
        tuple(members),
        tuple(_honours(Q(player__in=people) | Q(team__club=club))),
        tuple(teams.select_related("cup__season").order_by("-cup__season__year", "name")),
    )
