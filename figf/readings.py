"""How the federation reads what its regulation leaves open, in words: a question for each field.

The values are those that the code counts by; nothing here decides anything.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING

from django.utils.translation import gettext_lazy as _

from pbem.rules.readings import READINGS as PBEM
from rankings.rules.readings import SINCE
from tournaments.rules import registry
from tournaments.rules.figf import FigfReadings
from tournaments.rules.regulation import Readings

if TYPE_CHECKING:
    from django.utils.functional import _StrPromise


@dataclass(frozen=True, slots=True)
class Question:
    """A point that the regulation leaves open: its articles, and the words of every answer."""

    rules: tuple[str, ...]
    title: _StrPromise
    answers: Mapping[object, _StrPromise]


OF_EVENTS: Mapping[str, Question] = {
    "percentile_decimals": Question(
        ("C-05",),
        _("How many decimals has a percentile?"),
        {
            0: _("None: whole numbers."),
            1: _("One."),
            2: _("Two: they keep the order of any real table."),
            3: _("Three."),
        },
    ),
    "tied_winners_bonus": Question(
        ("C-06",),
        _("Who gets the 500 points of the first when several are first?"),
        {
            "full_each": _("Each of them, in full: each is first, and no text divides them."),
            "split": _("They are divided among them."),
            "none": _("Nobody."),
        },
    ),
    "excluded_from_game": Question(
        ("C-10",),
        _("How are the others reckoned when a player is excluded from the game?"),
        {
            "recompute": _("As if he had not been there."),
            "keep_reference": _("By his total too; if it is the first, nobody wins."),
        },
    ),
    "unscored_seat": Question(
        ("C-11",),
        _("What becomes of the seat that a referee finished?"),
        {
            "kept_as_reference": _("It keeps its place as a measure, for nobody."),
            "removed": _("It is taken out, as if it had not been there."),
        },
    ),
    "cinderella_credit": Question(
        ("C-12",),
        _("Whose is what Cinderella achieves?"),
        {
            "absent_player": _("The absent player's, who took that name."),
            "none": _("Nobody's."),
        },
    ),
    "sole_remaining_gap": Question(
        ("C-10",),
        _("What lead has the only player left at a table?"),
        {
            0: _("None: there is no second."),
            1000: _("A thousand, as over a second with nothing."),
        },
    ),
    "fe_counts": Question(
        ("A-06",),
        _("What does the event factor count?"),
        {
            "prove": _("The prove: a double round counts once."),
            "rounds": _("The rounds: a double round counts twice."),
        },
    ),
    "seating_24": Question(
        ("B-03",),
        _("How do 24 players sit?"),
        {
            "printed": _("At six tables of four, as printed."),
            "fives": _("At four tables of five and one of four, as the other rows would have it."),
        },
    ),
    "event_tie": Question(
        ("G-03",),
        _("What decides equal totals in an event?"),
        {
            "criteria": _("The best percentile, then the lower Ranking."),
            "ex_aequo": _("Nothing: the place is shared."),
        },
    ),
    "lower_ranking": Question(
        ("G-06", "B-13"),
        _("Who has the “lower Ranking” in an event?"),
        {
            "fewer_points": _("Who has fewer points, and who is not in it has 0."),
            "better_place": _("Who has more points, and so the better place."),
        },
    ),
}

OF_SEASONS: Mapping[str, Question] = {
    "specialty_unit": Question(
        ("E-03",),
        _("What is one of the three best results?"),
        {
            "game": _("Each game played: a double round gives two results."),
            "prova": _("A prova: a double round gives one, the sum of its two."),
        },
    ),
    "planned_includes_cancelled": Question(
        ("F-04",),
        _("Is a cancelled event still one of those planned?"),
        {
            "no": _("No: the drop stays available to all."),
            "yes": _("Yes: it is a zero for everybody, and so the drop."),
        },
    ),
    "sanctioned_event": Question(
        ("F-06",),
        _("May an event from which a sanction took the player be the one dropped?"),
        {
            "drops": _("Yes: it is a zero like any absence."),
            "counts": _("No: it is never dropped."),
        },
    ),
    "victories": Question(
        ("G-02",),
        _("Victories of what decide equals in the absolute?"),
        {
            "events": _("Of events, since events make the points."),
            "games": _("Of games: tables won, second places at tables, and so on."),
        },
    ),
    "countback_includes_dropped": Question(
        ("G-02",),
        _("Does the event dropped count among victories and places?"),
        {
            "yes": _("Yes: all that he did in the year."),
            "no": _("No: only the events that count."),
        },
    ),
    "lower_ranking": Question(
        ("G-06",),
        _("Who has the “lower Ranking” in the championships?"),
        {
            "fewer_points": _("Who has fewer points, and who is not in it has 0."),
            "better_place": _("Who has more points, and so the better place."),
        },
    ),
    "teams_by": Question(
        ("L-03",),
        _("What admits teams beyond five?"),
        {
            "points": _("The sum of the points in the absolute, then that of the places."),
            "places": _("The sum of the places alone."),
        },
    ),
}


@dataclass(frozen=True, slots=True)
class Reading:
    """A question as it is answered: by whom or since when, and what it could be instead."""

    anchor: str
    question: Question
    in_force: tuple[tuple[str, _StrPromise], ...]  # since which season, or by which regulation
    others: tuple[_StrPromise, ...]


def _readings(
    prefix: str,
    questions: Mapping[str, Question],
    answered: Sequence[tuple[str, Readings]],
    about: str,
) -> list[Reading]:
    return [
        _reading(f"{prefix}-{field}", question, [(of, getattr(by, field)) for of, by in answered])
        for field, question in questions.items()
        if not about or about in question.rules
    ]


def _reading(anchor: str, question: Question, values: Sequence[tuple[str, object]]) -> Reading:
    changes = [
        (since, question.answers[value])
        for place, (since, value) in enumerate(values)
        if not place or values[place - 1][1] != value
    ]
    now = values[-1][1]
    others = [words for value, words in question.answers.items() if value != now]
    return Reading(anchor, question, tuple(changes), tuple(others))


OF_GAMES: Mapping[str, Question] = {
    "late_moves": Question(
        ("T-06",),
        _("What becomes of a move that arrives after its 48 hours?"),
        {
            "refused": _(
                "It is not played, and kept for the station master, who may open the turn again "
                "and says why."
            ),
            "until_published": _("It is played, as long as nobody has moved in its place."),
        },
    ),
    "correction_scope": Question(
        ("Y-03",),
        _("What may a player put right before the next one moves?"),
        {
            "errors": _("Only what was not executed: what was correctly executed stands."),
            "whole_move": _("His whole move."),
        },
    ),
    "clear_intention": Question(
        ("Y-05",),
        _("What becomes of a command with a wrong sum, if what is meant is clear?"),
        {
            "executed": _("It is executed at the right price, with a note."),
            "refused": _("It is not executed."),
        },
    ),
}


def readings_of_events(about: str = "") -> list[Reading]:
    """How the federation reads what is open about tables and events, by the code's own values.

    `about` an article, or about all of them.
    """
    answered = [
        (regulation.title, regulation.readings)
        for regulation in registry.REGULATIONS.values()
        if isinstance(regulation.readings, FigfReadings)
    ]
    return _readings("evento", OF_EVENTS, answered, about)


def readings_of_seasons(about: str = "") -> list[Reading]:
    """The same of what is open about seasons."""
    answered = [(str(year or ""), readings) for year, readings in SINCE]
    return _readings("stagione", OF_SEASONS, answered, about)


def readings_of_games(about: str = "") -> list[Reading]:
    """The same of what is open about games by correspondence."""
    return _readings("partita", OF_GAMES, [("", PBEM)], about)


def readings_about(number: str) -> list[Reading]:
    """The readings of one article."""
    return [
        *readings_of_events(number),
        *readings_of_seasons(number),
        *readings_of_games(number),
    ]
