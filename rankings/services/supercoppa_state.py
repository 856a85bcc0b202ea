"""How the Supercoppa of a year stands: who plays it, what the dice decided, who goes on.

Until the dice are promised the field is read off the year before; then off what the cup has
`frozen`, which no later correction changes. Writes nothing.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from datetime import datetime
from enum import StrEnum
from typing import Any

from django.db.models import QuerySet
from django.utils import timezone
from django.utils.translation import gettext as _

from figf.errors import Refused
from figf.models import Draw
from rankings.models import Cup, CupAbsence, CupDraw, Honour
from rankings.rules import lots, supercoppa
from rankings.services.standings import absolute_of, specialties, specialties_of
from tournaments import services as events
from tournaments.models import Ban, Event, Player, Round, Season, Table, Title
from tournaments.rules import registry
from tournaments.rules.regulation import Illegal, PlayerId, Step
from tournaments.services.entries import refuse_banned

SEMIFINALS, FINAL = 1, 2  # the prove of the event
TABLES = "AB"


# --- who plays ------------------------------------------------------------------------------------


@dataclass(frozen=True, slots=True)
class Candidate:
    """Somebody of the field: the titles of the year before, and his place in its absolute.

    `champion` says that he won the absolute, `specialties` which titles; both may be.
    """

    player: Player
    champion: bool
    specialties: tuple[Title, ...]
    place: int | None


@dataclass(frozen=True, slots=True)
class Absent:
    """Somebody who does not play, and why; without an `absence` he is barred from it (A-18)."""

    candidate: Candidate
    reason: str
    absence: CupAbsence | None


@dataclass(frozen=True, slots=True)
class Field:
    """The field: who plays, and who was to and does not; `illegal` while they are not ten.

    `next` is who would come in if somebody did not play. `proclaimed` says that the champions are
    those of the roll of honour, and not who leads the standings today.
    """

    people: tuple[Candidate, ...]
    absent: tuple[Absent, ...]
    next: tuple[Candidate, ...]
    proclaimed: bool
    illegal: Illegal | None = None


def field_of(cup: Cup, now: datetime) -> Field:
    """The ten of the dice; before these are promised, who would play if it were now (I-01, I-02).

    Of the ten of the dice, `absent` are who cannot play any more, and who never could.
    """
    return _field_now(cup, now) if cup.draw_id is None else _field_frozen(cup, now)


def missing_of(field: Field) -> list[Absent]:
    """Who of the ten of a draw cannot play any more."""
    ten = {each.player.pk for each in field.people}
    return [each for each in field.absent if each.candidate.player.pk in ten]


def _field_now(cup: Cup, now: datetime) -> Field:
    found, proclaimed = _candidates(cup)
    absences = {each.player_id: each for each in cup.absences.all()}
    barred = _barred(cup, found, now)
    out = absences.keys() | barred.keys()
    champions = [pk for pk, each in found.items() if each.champion or each.specialties]
    everybody, illegal = list(found), None
    try:
        keys = supercoppa.field(champions, everybody, out)
    except Illegal as error:
        keys, illegal = supercoppa.available(everybody, out), error
    last = everybody.index(keys[-1]) + 1 if keys and illegal is None else len(everybody)
    following = supercoppa.available(everybody[last:], out)
    return Field(
        tuple(found[pk] for pk in keys),
        tuple(
            _absent(found[pk], absences, barred)
            for n, pk in enumerate(everybody)
            if pk in absences or (pk in barred and n < last)
        ),
        tuple(found[pk] for pk in following[:1]),
        proclaimed,
        illegal,
    )


def _candidates(cup: Cup) -> tuple[dict[int, Candidate], bool]:
    """The champions, then down the absolute, each once; and whether they are proclaimed."""
    before = Season.objects.filter(year=cup.season.year - 1).first()
    if before is None:
        return {}, False
    rows = absolute_of(before).rows
    places = {each.player.pk: each.row.place for each in rows if each.player is not None}
    awards = (Honour.Award.ABSOLUTE, Honour.Award.SPECIALTY)
    honours = list(before.honours.filter(award__in=awards).select_related("title"))
    honours.sort(key=lambda each: (each.title.code if each.title else "", each.pk))
    champions = [(each.player_id, each.title) for each in honours]
    struck = events.struck_off()
    won: dict[int, list[Title | None]] = {}
    for pk, title in champions or _leaders(before, places):
        if pk is not None and pk not in struck:
            won.setdefault(pk, []).append(title)
    people = Player.objects.select_related("club", "user").in_bulk([*won, *places])
    found = {}
    for pk in (*won, *places):
        titles = won.get(pk, ())
        specialties_won = tuple(title for title in titles if title is not None)
        found[pk] = Candidate(people[pk], None in titles, specialties_won, places.get(pk))
    return found, bool(champions)


def _leaders(before: Season, places: Mapping[int, int]) -> Iterator[tuple[int, Title | None]]:
    """Who leads each standing as it is now: the absolute, then the specialties in title order."""
    for pk, place in places.items():
        if place == 1:
            yield pk, None
    titles = sorted(specialties_of(before), key=lambda title: title.code)
    for page in specialties(before, titles).values():
        for each in page.rows:
            if each.row.place == 1 and each.player is not None:
                yield each.player.pk, page.title


def _barred(cup: Cup, people: Mapping[int, Candidate], now: datetime) -> dict[int, str]:
    """Who of these may not play a cup that begins today (A-18), and the reason in words."""
    today = timezone.localdate(now)
    event = Event(
        season=cup.season,
        ordinal=0,
        name="Supercoppa",
        kind=Event.Kind.CUP,
        regulation=registry.DEFAULT,
        starts_on=today,
        ends_on=today,
    )
    banned = Ban.objects.filter(player__in=people, lifted_at=None).values_list("player", flat=True)
    found = {}
    for pk in set(banned):
        try:
            refuse_banned(people[pk].player, event)
        except Refused as refusal:
            found[pk] = str(refusal.text)
    return found


def _absent(
    candidate: Candidate, absences: Mapping[int, CupAbsence], barred: Mapping[int, str]
) -> Absent:
    absence = absences.get(candidate.player.pk)
    return Absent(candidate, absence.reason if absence else barred[candidate.player.pk], absence)


# --- what is frozen with the promise of the dice --------------------------------------------------


def freeze(field: Field, titles: Sequence[Title]) -> dict[str, Any]:
    """What a cup keeps of its field and of the titles to be drawn, by ids."""
    return {
        "titles": [title.pk for title in titles],
        "proclaimed": field.proclaimed,
        "field": [_row(each) for each in field.people],
        "absent": [_row(each.candidate) for each in field.absent],
    }


def _row(candidate: Candidate) -> dict[str, Any]:
    return {
        "player": candidate.player.pk,
        "champion": candidate.champion,
        "specialties": [title.pk for title in candidate.specialties],
        "place": candidate.place,
    }


def _field_frozen(cup: Cup, now: datetime) -> Field:
    ten, absent = cup.frozen["field"], cup.frozen["absent"]
    rows = {row["player"]: row for row in (*ten, *absent)}
    people = Player.objects.select_related("club", "user").in_bulk(rows)
    titles = Title.objects.in_bulk({pk for row in rows.values() for pk in row["specialties"]})
    found = {
        pk: Candidate(
            people[pk],
            row["champion"],
            tuple(titles[title] for title in row["specialties"]),
            row["place"],
        )
        for pk, row in rows.items()
    }
    absences = {each.player_id: each for each in cup.absences.all()}
    barred = {row["player"]: _("Could not play.") for row in absent}
    if cup.event_id is None:  # later it is no matter of the field any more
        barred |= {pk: _("Struck off.") for pk in events.struck_off() & found.keys()}
        barred |= _barred(cup, found, now)
    return Field(
        tuple(found[row["player"]] for row in ten),
        tuple(
            _absent(found[pk], absences, barred)
            for pk in dict.fromkeys((*absences, *barred))
            if pk in found
        ),
        (),
        cup.frozen["proclaimed"],
    )


def cup_titles() -> list[Title]:
    """The titles in use for the cups, in order (A-05)."""
    return list(Title.objects.filter(cup_title=True).order_by("code"))


def _titles_frozen(cup: Cup) -> tuple[Title, ...]:
    found = Title.objects.in_bulk(cup.frozen["titles"])
    return tuple(found[pk] for pk in cup.frozen["titles"])


# --- how a Supercoppa stands ----------------------------------------------------------------------


class Stage(StrEnum):
    """Where a Supercoppa is; what comes next hangs from it."""

    FIELD = "field"
    DRAW = "draw"  # promised, and thrown in its hour; then the tables can be formed
    SEMIFINALS = "semifinals"
    FINAL = "final"
    WINNER = "winner"


@dataclass(frozen=True, slots=True)
class Drawn:
    """What the dice decided: the two titles, and the ten in their order with what each threw."""

    throw: int
    semifinal: Title
    final: Title
    order: tuple[tuple[Candidate, tuple[int, ...]], ...]
    used: int  # dice read; the others decide nothing

    @property
    def tables(self) -> tuple[tuple[Candidate, ...], tuple[Candidate, ...]]:
        return supercoppa.tables([candidate for candidate, _throws in self.order])


@dataclass(frozen=True, slots=True)
class Finalist:
    """One of the five, and why."""

    player: Player
    step: Step


@dataclass(frozen=True, slots=True)
class Supercoppa:
    """All that is known of a Supercoppa.

    `drawn` is None until the dice are thrown, and if they ran out (`ran_out`). `finalists` are by
    the semifinals as they are confirmed now, and `tied` who must throw a die for the last places;
    `outdated` says that others sit in the final. `winners` are by the final as it is confirmed now.
    `draws` are those taken back, the last first, each with the reason.
    """

    cup: Cup
    stage: Stage
    field: Field
    titles: tuple[Title, ...] = ()
    drawn: Drawn | None = None
    ran_out: bool = False
    event: Event | None = None
    semifinals: tuple[Table, ...] = ()
    finalists: tuple[Finalist, ...] = ()
    tied: tuple[Player, ...] = ()
    thrown: tuple[Draw, ...] = ()  # the dice of who was tied, also to come
    no_final: Illegal | None = None
    final: Table | None = None
    outdated: bool = False
    winners: tuple[Player, ...] = ()
    honours: tuple[Honour, ...] = ()
    draws: tuple[tuple[Draw, str], ...] = ()

    @property
    def disputed(self) -> bool:
        """Whether somebody has the cup who is not first of the final as it is confirmed now."""
        have, first = {each.player_id for each in self.honours}, {each.pk for each in self.winners}
        decided = any(each.by_hand for each in self.honours)
        return bool(have) and not (have <= first if decided else have == first)


def supercoppa_of(cup: Cup, now: datetime) -> Supercoppa:
    """A Supercoppa as it stands."""
    others = list(cup.other_draws.select_related("draw"))
    draws = tuple((each.draw, each.reason) for each in others if each.reason)
    field = field_of(cup, now)
    if cup.draw is None:
        return Supercoppa(cup, Stage.FIELD, field, tuple(cup_titles()), draws=draws)
    titles = _titles_frozen(cup)
    drawn, ran_out = None, False
    if cup.draw.revealed_at is not None:
        try:
            drawn = _drawn(cup.draw, field, titles)
        except lots.TooFewThrows:
            ran_out = True
    if cup.event is None:
        return Supercoppa(cup, Stage.DRAW, field, titles, drawn=drawn, ran_out=ran_out, draws=draws)
    semifinals, final = tables_played(cup.event, SEMIFINALS), final_played(cup.event)
    ties = [each for each in others if not each.reason]
    five, tied, illegal = _finalists(cup, semifinals, ties)
    level = {player.pk for player in tied}
    seated = {seat.holders.all()[0].player_id for seat in final.seats.all()} if final else set()
    honours = tuple(honours_of(cup).select_related("player"))
    return Supercoppa(
        cup,
        Stage.WINNER if honours else Stage.FINAL if final else Stage.SEMIFINALS,
        field,
        titles,
        drawn=drawn,
        event=cup.event,
        semifinals=tuple(semifinals),
        finalists=five,
        tied=tied,
        thrown=tuple(each.draw for each in ties if not level or set(each.players) == level),
        no_final=illegal,
        final=final,
        outdated=final is not None and seated != {each.player.pk for each in five},
        winners=supercoppa.winners(places_of(final)),
        honours=honours,
        draws=draws,
    )


def _drawn(draw: Draw, field: Field, titles: Sequence[Title]) -> Drawn:
    throw, *throws = draw.throws or []
    semifinal, final = supercoppa.titles_drawn(throw, titles)
    people = {each.player.pk: each for each in field.people}
    order = lots.order(list(people), throws)
    told = tuple((people[int(lot.key)], lot.throws) for lot in order)
    return Drawn(throw, semifinal, final, told, 1 + sum(len(lot.throws) for lot in order))


def tables_played(event: Event, order: int) -> list[Table]:
    """The published tables of one of its prove, with everything."""
    found = Table.objects.with_everything().filter(
        round__prova__event=event, round__prova__order=order, round__status=Round.Status.PUBLISHED
    )
    return list(found.order_by("number"))


def final_played(event: Event) -> Table | None:
    return next(iter(tables_played(event, FINAL)), None)


def _finalists(
    cup: Cup, semifinals: Sequence[Table], ties: Sequence[CupDraw]
) -> tuple[tuple[Finalist, ...], tuple[Player, ...], Illegal | None]:
    """Who goes to the final, by confirmed results; nobody while one is missing (I-04)."""
    if not semifinals or any(t.status != Table.Status.CONFIRMED for t in semifinals):
        return (), (), None
    absolute = {row["player"]: row["place"] for row in cup.frozen["field"]}
    people: dict[PlayerId, Player] = {}
    ended = []
    for table in semifinals:
        result = table.confirmed()
        for line in result.lines.all() if result else ():
            player, place, percentile = line.player, line.place, line.credited
            if player is None or place is None or percentile is None:
                continue
            people[player.pk] = player
            ended.append(
                supercoppa.Semifinalist(
                    player.pk, TABLES[table.number - 1], place, percentile, absolute.get(player.pk)
                )
            )
    try:
        found = supercoppa.finalists(ended, list(_orders_thrown(ties)))
    except Illegal as illegal:
        return (), (), illegal
    five = tuple(Finalist(people[key], step) for key, step in found.finalists)
    return five, tuple(people[key] for key in found.tied), None


def _orders_thrown(ties: Sequence[CupDraw]) -> Iterator[list[PlayerId]]:
    """The orders made by the dice of who was level, the last first."""
    for each in ties:
        if each.draw.revealed_at is not None:
            try:
                yield [lot.key for lot in lots.order(each.players, each.draw.throws or ())]
            except lots.TooFewThrows:
                continue


def places_of(final: Table | None) -> dict[Player, int]:
    """Who has a place of the final, as it is confirmed now; nobody until it is."""
    result = final.confirmed() if final is not None else None
    if result is None or final is None or final.status != Table.Status.CONFIRMED:
        return {}
    return {
        line.player: line.place
        for line in result.lines.all()
        if line.player is not None and line.place is not None and line.points is not None
    }


def honours_of(cup: Cup) -> QuerySet[Honour]:
    """Who has the cup of that year."""
    return cup.season.honours.filter(award=Honour.Award.SUPERCOPPA)
