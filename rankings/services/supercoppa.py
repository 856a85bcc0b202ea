"""The Supercoppa of a year, from its field of ten to the name on the cup (000:104-111).

Its stages follow one another: the field, the dice, the semifinals, the final, the winner. Each can
be taken back as long as the next has not come; dice that were thrown stand, unless one of the ten
cannot play any more. Who the ten were when the dice were promised is in the log, beside the
promise. Every verb locks the cup.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from datetime import date, datetime
from enum import StrEnum
from typing import Any

from django.db import transaction
from django.utils import timezone
from django.utils.translation import gettext as _

from figf import services as base
from figf.errors import Refused
from figf.models import Contribution, Draw, LogEntry, User
from rankings.models import Cup, CupAbsence, Honour
from rankings.rules import lots, supercoppa
from rankings.services.standings import absolute_of, specialties, specialties_of
from tournaments import services as events
from tournaments.models import Ban, Event, Player, Prova, Result, Round, Season, Table, Title
from tournaments.rules import registry
from tournaments.rules.regulation import Illegal, PlayerId, Step
from tournaments.services.entries import refuse_banned
from tournaments.services.refusals import refused
from tournaments.services.seating import announce, lock_published

DICE = 60  # ten people, two titles, and all the throws that may have to be made again
LABEL = Contribution._meta.get_field("label").max_length
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


@dataclass(frozen=True, slots=True)
class _Standings:
    """What the year before says: the champions in order, then who follows, each once."""

    candidates: Mapping[int, Candidate]
    champions: tuple[int, ...]
    absolute: tuple[int, ...]
    proclaimed: bool


def field_of(cup: Cup, now: datetime) -> Field:
    """Who would play if the dice were promised now (I-01, I-02). Writes nothing."""
    found = _standings_before(cup)
    absences = {each.player_id: each for each in cup.absences.select_related("player")}
    barred = _barred(cup, found.candidates, now)
    out = absences.keys() | barred.keys()
    illegal = None
    try:
        keys = supercoppa.field(found.champions, found.absolute, out)
    except Illegal as error:
        keys, illegal = supercoppa.available((*found.champions, *found.absolute), out), error
    everybody = supercoppa.available((*found.champions, *found.absolute), ())
    last = everybody.index(keys[-1]) if keys and illegal is None else len(everybody)
    absent = [
        Absent(found.candidates[pk], _why_absent(pk, absences, barred), absences.get(pk))
        for n, pk in enumerate(map(int, everybody))
        if pk in absences or (pk in barred and n < last)
    ]
    following = supercoppa.available(everybody[last + 1 :], out)
    return Field(
        tuple(found.candidates[int(key)] for key in keys),
        tuple(absent),
        tuple(found.candidates[int(key)] for key in following[:1]),
        found.proclaimed,
        illegal,
    )


def _standings_before(cup: Cup) -> _Standings:
    before = Season.objects.filter(year=cup.season.year - 1).first()
    if before is None:
        return _Standings({}, (), (), proclaimed=False)
    rows = [each for each in absolute_of(before).rows if each.player is not None]
    places = {each.player.pk: each.row.place for each in rows if each.player is not None}
    won: dict[int, list[Title | None]] = {}
    honours = before.honours.filter(award__in=(Honour.Award.ABSOLUTE, Honour.Award.SPECIALTY))
    proclaimed = sorted(honours.select_related("title"), key=_in_title_order)
    struck = events.struck_off()
    if proclaimed:
        for each in proclaimed:
            if each.player_id is not None:
                won.setdefault(each.player_id, []).append(each.title)
    else:
        for pk, title_won in _leaders(before, places):
            won.setdefault(pk, []).append(title_won)
    won = {pk: titles for pk, titles in won.items() if pk not in struck}
    people = Player.objects.select_related("club", "user").in_bulk([*won, *places])
    candidates = {
        pk: Candidate(
            player,
            None in won.get(pk, ()),
            tuple(title for title in won.get(pk, ()) if title is not None),
            places.get(pk),
        )
        for pk, player in people.items()
    }
    return _Standings(candidates, tuple(won), tuple(places), bool(proclaimed))


def _in_title_order(honour: Honour) -> tuple[bool, str, int]:
    """The absolute first, then the specialties."""
    return honour.title is not None, honour.title.code if honour.title else "", honour.pk


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


def _why_absent(pk: int, absences: Mapping[int, CupAbsence], barred: Mapping[int, str]) -> str:
    return absences[pk].reason if pk in absences else barred[pk]


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
    """A Supercoppa as it stands. Writes nothing."""
    titles = tuple(cup_titles())
    draws = _taken_back(cup)
    if cup.draw is None:
        return Supercoppa(cup, Stage.FIELD, field_of(cup, now), titles, draws=draws)
    frozen = _frozen(cup)
    titles = _titles(frozen)
    field = _field_frozen(cup, frozen, now)
    drawn, ran_out = None, False
    if cup.draw.revealed_at is not None:
        try:
            drawn = _drawn(cup.draw, field, titles)
        except lots.TooFewThrows:
            ran_out = True
    if cup.event is None:
        return Supercoppa(cup, Stage.DRAW, field, titles, drawn=drawn, ran_out=ran_out, draws=draws)
    played = _played(cup.event, SEMIFINALS)
    final = next(iter(_played(cup.event, FINAL)), None)
    five, tied, illegal = _finalists(cup, frozen, played)
    honours = tuple(_honours(cup).select_related("player"))
    seated = {seat.holders.all()[0].player_id for seat in final.seats.all()} if final else set()
    stage = Stage.WINNER if honours else Stage.FINAL if final else Stage.SEMIFINALS
    return Supercoppa(
        cup,
        stage,
        field,
        titles,
        drawn=drawn,
        event=cup.event,
        semifinals=tuple(played),
        finalists=five,
        tied=tied,
        thrown=tuple(_thrown_for(cup, tied)),
        no_final=illegal,
        final=final,
        outdated=final is not None and seated != {each.player.pk for each in five},
        winners=_winners(final),
        honours=honours,
        draws=draws,
    )


def cup_titles() -> list[Title]:
    """The titles in use for the cups, in order (A-05)."""
    return list(Title.objects.filter(cup_title=True).order_by("code"))


def _frozen(cup: Cup) -> dict[str, Any]:
    """Who the ten were, and which titles, when the dice of this cup were promised."""
    entries = LogEntry.objects.about(cup).filter(verb="draw_supercoppa")
    data: dict[str, Any] = next(e.data for e in entries if e.data["draw"] == cup.draw_id)
    return data


def _titles(frozen: Mapping[str, Any]) -> tuple[Title, ...]:
    found = Title.objects.in_bulk(frozen["titles"])
    return tuple(found[pk] for pk in frozen["titles"])


def _field_frozen(cup: Cup, frozen: Mapping[str, Any], now: datetime) -> Field:
    """The ten of the draw; `absent` are who of them cannot play any more, and who never could."""
    rows: dict[int, dict[str, Any]] = {row["player"]: row for row in frozen["field"]}
    rows |= {row["player"]: row for row in frozen["absent"]}
    absences = {each.player_id: each for each in cup.absences.all()}
    people = Player.objects.select_related("club", "user").in_bulk(rows)
    titles = Title.objects.in_bulk({pk for row in rows.values() for pk in row["specialties"]})
    told = {
        pk: Candidate(
            people[pk],
            row["champion"],
            tuple(titles[title] for title in row["specialties"]),
            row["place"],
        )
        for pk, row in rows.items()
    }
    barred = {row["player"]: _("Could not play.") for row in frozen["absent"]}
    if cup.event is None:  # later it is no matter of the field any more
        barred |= {pk: _("Struck off.") for pk in events.struck_off() & told.keys()}
        barred |= _barred(cup, told, now)
    out = dict.fromkeys((*absences, *barred))
    absent = [
        Absent(told[pk], _why_absent(pk, absences, barred), absences.get(pk))
        for pk in out
        if pk in told
    ]
    ten = tuple(told[row["player"]] for row in frozen["field"])
    return Field(ten, tuple(absent), (), frozen["proclaimed"])


def missing_of(field: Field) -> list[Absent]:
    """Who of the ten of a draw cannot play any more."""
    ten = {each.player.pk for each in field.people}
    return [each for each in field.absent if each.candidate.player.pk in ten]


def _drawn(draw: Draw, field: Field, titles: Sequence[Title]) -> Drawn:
    throws = list(draw.throws or ())
    semifinal, final = supercoppa.titles_drawn(throws[0], titles)
    people = {each.player.pk: each for each in field.people}
    order = lots.order(list(people), throws[1:])
    told = tuple((people[int(lot.key)], lot.throws) for lot in order)
    return Drawn(throws[0], semifinal, final, told, 1 + sum(len(lot.throws) for lot in order))


def _taken_back(cup: Cup) -> tuple[tuple[Draw, str], ...]:
    entries = list(LogEntry.objects.about(cup).filter(verb="take_back_draw"))
    draws = Draw.objects.in_bulk([entry.data["draw"] for entry in entries])
    return tuple((draws[e.data["draw"]], e.data["reason"]) for e in entries)


def _played(event: Event, order: int) -> list[Table]:
    found = Table.objects.with_everything().filter(
        round__prova__event=event, round__prova__order=order, round__status=Round.Status.PUBLISHED
    )
    return list(found.order_by("number"))


def _finalists(
    cup: Cup, frozen: Mapping[str, Any], played: Sequence[Table]
) -> tuple[tuple[Finalist, ...], tuple[Player, ...], Illegal | None]:
    """Who goes to the final, by confirmed results; nobody while one is missing (I-04)."""
    if not played or any(t.status != Table.Status.CONFIRMED for t in played):
        return (), (), None
    places = {row["player"]: row["place"] for row in frozen["field"]}
    people: dict[PlayerId, Player] = {}
    ended = []
    for table in played:
        result = table.confirmed()
        for line in result.lines.all() if result else ():
            if line.player is None or line.place is None or line.credited is None:
                continue
            people[line.player.pk] = line.player
            ended.append(
                supercoppa.Semifinalist(
                    line.player.pk,
                    TABLES[table.number - 1],
                    line.place,
                    line.credited,
                    places.get(line.player.pk),
                )
            )
    try:
        found = supercoppa.finalists(ended, list(_orders_thrown(cup)))
    except Illegal as illegal:
        return (), (), illegal
    five = tuple(Finalist(people[key], step) for key, step in found.finalists)
    return five, tuple(people[key] for key in found.tied), None


def _orders_thrown(cup: Cup) -> Iterator[list[PlayerId]]:
    """The orders made by the dice of who was tied, the last first."""
    for players, draw in _dice_of_ties(cup):
        if draw.revealed_at is not None:
            try:
                yield [lot.key for lot in lots.order(players, draw.throws or ())]
            except lots.TooFewThrows:
                continue


def _thrown_for(cup: Cup, tied: Sequence[Player]) -> Iterator[Draw]:
    """The dice that these people wait for, or every one that decided something."""
    keys = {player.pk for player in tied}
    for players, draw in _dice_of_ties(cup):
        if not keys or set(players) == keys:
            yield draw


def _dice_of_ties(cup: Cup) -> Iterator[tuple[list[int], Draw]]:
    entries = list(LogEntry.objects.about(cup).filter(verb="draw_final"))
    draws = Draw.objects.in_bulk([entry.data["draw"] for entry in entries])
    for entry in entries:
        yield entry.data["players"], draws[entry.data["draw"]]


def _winners(final: Table | None) -> tuple[Player, ...]:
    """Who is first of the final as it is confirmed now (I-07); nobody until it is."""
    people = _places(final)
    places: dict[PlayerId, int] = {pk: place for pk, (_player, place) in people.items()}
    keys = supercoppa.winners(places)
    return tuple(people[int(key)][0] for key in keys)


def _places(final: Table | None) -> dict[int, tuple[Player, int]]:
    result = final.confirmed() if final is not None else None
    if result is None or final is None or final.status != Table.Status.CONFIRMED:
        return {}
    return {
        line.player.pk: (line.player, line.place)
        for line in result.lines.all()
        if line.player is not None and line.place is not None and line.points is not None
    }


def _honours(cup: Cup) -> Any:
    return Honour.objects.filter(season=cup.season_id, award=Honour.Award.SUPERCOPPA)


# --- opened ---------------------------------------------------------------------------------------


@transaction.atomic
def open_supercoppa(
    season: Season,
    by: User,
    now: datetime,
    *,
    provisional: bool = False,
    note: str = "",
) -> Cup:
    """The Supercoppa to be played in `season`, on the standings of the year before (I-01).

    `provisional` does not wait for that year to be closed: the federation's choice, with its reason
    in `note`. Locks both seasons. Refuses a Supercoppa that is there (`cup_exists`), no season
    before (`no_season_before`), one not closed unless provisional (`season_open`), and provisional
    without a reason (`reason_missing`).
    """
    years = (season.year - 1, season.year)
    locked = Season.objects.select_for_update(no_key=True).filter(year__in=years).order_by("pk")
    seasons = {each.year: each for each in locked}
    season, before = seasons[season.year], seasons.get(season.year - 1)
    if Cup.objects.filter(season=season, kind=Cup.Kind.SUPERCOPPA).exists():
        raise Refused(
            "cup_exists",
            _("The Supercoppa of %(year)d is there already.") % {"year": season.year},
            field="season",
        )
    if before is None:
        raise Refused(
            "no_season_before",
            _("There is no season %(year)d: its standings make the field.")
            % {"year": season.year - 1},
            rule="I-01",
            field="season",
        )
    early = before.closed_at is None
    if early and not provisional:
        raise Refused(
            "season_open",
            _(
                "The season of %(year)d is not closed: close it, or say that the Supercoppa does "
                "not wait, and why."
            )
            % {"year": before.year},
            rule="I-01",
            field="provisional",
        )
    note = " ".join(note.split()) if early else ""
    if early and not note:
        raise Refused(
            "reason_missing",
            _("Say why the Supercoppa does not wait for the closing of the season."),
            rule="I-01",
            field="note",
        )
    cup = Cup.objects.create(
        kind=Cup.Kind.SUPERCOPPA, season=season, provisional=early, note=note, by=by, at=now
    )
    LogEntry.objects.record(by, "open_supercoppa", cup, now, provisional=early)
    return cup


@transaction.atomic
def withdraw_supercoppa(cup: Cup, by: User, now: datetime) -> None:
    """It was opened by mistake: it is there no more.

    Locks the cup. Refuses one whose dice were ever promised (`draw_opened`).
    """
    cup = _locked(cup)
    if cup.draw_id or LogEntry.objects.about(cup).filter(verb="draw_supercoppa").exists():
        raise Refused("draw_opened", _("The dice were promised: the Supercoppa stays."))
    LogEntry.objects.record(by, "withdraw_supercoppa", cup, now, season=cup.season_id)
    cup.delete()


# --- who does not play ----------------------------------------------------------------------------


@transaction.atomic
def mark_unavailable(cup: Cup, player: Player, reason: str, by: User, now: datetime) -> CupAbsence:
    """Somebody does not play: the next of the absolute comes in (I-02).

    After the promise of the dice, and until the tables are formed, it is what allows to take the
    draw back. The same again changes nothing. Refuses tables formed already (`tables_formed`), who
    is not of the field (`not_in_field`), no reason (`reason_missing`) and who is marked already,
    for another reason (`already_absent`).
    """
    cup = _locked(cup)
    _refuse_formed(cup)
    reason = " ".join(reason.split())
    found = cup.absences.filter(player=player).first()
    if found is not None and found.reason == reason:
        return found
    if found is not None:
        raise Refused(
            "already_absent",
            _("%(player)s is unavailable already: load the page again.") % {"player": player},
            rule="I-02",
            field="player",
        )
    field = _field_frozen(cup, _frozen(cup), now) if cup.draw_id else field_of(cup, now)
    if player.pk not in {each.player.pk for each in field.people}:
        raise Refused(
            "not_in_field",
            _("%(player)s is not in the field.") % {"player": player},
            rule="I-02",
            field="player",
        )
    if not reason:
        raise Refused(
            "reason_missing",
            _("Say why %(player)s does not play.") % {"player": player},
            rule="I-02",
            field="reason",
        )
    absence = CupAbsence.objects.create(cup=cup, player=player, reason=reason, by=by, at=now)
    LogEntry.objects.record(by, "mark_unavailable", cup, now, player=player.pk, reason=reason)
    return absence


@transaction.atomic
def mark_available(cup: Cup, player: Player, by: User, now: datetime) -> None:
    """Somebody marked unavailable plays after all. Who is not marked stays as he is.

    Refuses tables formed already (`tables_formed`) and, once the dice are promised, who is not one
    of their ten (`draw_opened`).
    """
    cup = _locked(cup)
    _refuse_formed(cup)
    found = cup.absences.filter(player=player).first()
    if found is None:
        return
    if cup.draw_id and player.pk not in {row["player"] for row in _frozen(cup)["field"]}:
        raise Refused(
            "draw_opened",
            _("The dice are promised to ten others: take the draw back first."),
            rule="I-02",
        )
    found.delete()
    LogEntry.objects.record(by, "mark_available", cup, now, player=player.pk)


# --- the dice -------------------------------------------------------------------------------------


@transaction.atomic
def draw_tables(cup: Cup, closes_at: datetime, by: User, now: datetime) -> Cup:
    """Promise the dice that draw titles and tables (I-03, I-05), and fix the field as it is.

    The first die draws the pair of titles, the following ones the tables, each of the ten in the
    order of the field. Refuses dice promised already (`draw_opened`), fewer than ten people
    (`not_enough_players`, I-01), fewer than two titles (`too_few_titles`, I-05) or one that does
    not seat five (`title_seats`), and what `open_draw` refuses of the hour.
    """
    cup = _locked(cup)
    if cup.draw_id is not None:
        raise Refused("draw_opened", _("The dice are promised already."), rule="I-03")
    field, titles = field_of(cup, now), cup_titles()
    if field.illegal is not None:
        raise refused(field.illegal)
    try:
        die = supercoppa.sides(titles)
    except Illegal as illegal:
        raise refused(illegal) from None
    small = [t for t in titles if not t.min_players <= supercoppa.SEATS <= t.max_players]
    if small:
        raise Refused(
            "title_seats",
            _("%(title)s is not played by five: take it out of the titles of the cups.")
            % {"title": small[0].name},
            rule="I-05",
        )
    purpose = _("Supercoppa %(year)d: the first die draws the two titles, the others the tables")
    draw = base.open_draw(
        purpose % {"year": cup.season.year},
        list(_concerned([each.player for each in field.people])),
        DICE,
        closes_at,
        by,
        now,
        sides=die,
    )
    cup.draw = draw
    cup.save(update_fields=["draw"])
    LogEntry.objects.record(
        by,
        "draw_supercoppa",
        cup,
        now,
        draw=draw.pk,
        titles=[title.pk for title in titles],
        proclaimed=field.proclaimed,
        field=[_told(each) for each in field.people],
        absent=[_told(each.candidate) for each in field.absent],
    )
    return cup


def _told(candidate: Candidate) -> dict[str, Any]:
    return {
        "player": candidate.player.pk,
        "champion": candidate.champion,
        "specialties": [title.pk for title in candidate.specialties],
        "place": candidate.place,
    }


def _concerned(players: Sequence[Player]) -> Iterator[User | str]:
    """As a draw calls them: by log-in, or by name; homonyms are numbered."""
    names: dict[str, int] = {}
    for player in players:
        if player.user is not None:
            yield player.user
            continue
        name = str(player)[: LABEL - 5] if LABEL else str(player)
        names[name] = names.get(name, 0) + 1
        yield name if names[name] == 1 else f"{name} ({names[name]})"


@transaction.atomic
def take_back_draw(cup: Cup, reason: str, by: User, now: datetime) -> Cup:
    """Give the dice up: the field is open again, and others will be promised.

    Freely until they are thrown; then only if one of the ten cannot play any more, or the throws
    did not suffice. Whoever looks at the Supercoppa reads it. Refuses no draw (`no_draw`), tables
    formed already (`tables_formed`), no reason (`reason_missing`) and dice that stand
    (`draw_stands`, I-03).
    """
    cup = _locked(cup)
    if cup.draw is None:
        raise Refused("no_draw", _("No dice are promised."), rule="I-03")
    _refuse_formed(cup)
    reason = _reason(reason, _("Say why the dice are given up: everybody will read it."), "I-03")
    stands = supercoppa_of(cup, now)
    if stands.drawn is not None and not missing_of(stands.field):
        raise Refused(
            "draw_stands",
            _("The dice are thrown and all the ten can play: they stand."),
            rule="I-03",
        )
    LogEntry.objects.record(by, "take_back_draw", cup, now, draw=cup.draw_id, reason=reason)
    cup.draw = None
    cup.save(update_fields=["draw"])
    return cup


# --- the semifinals -------------------------------------------------------------------------------


@transaction.atomic
def form_tables(
    cup: Cup, director: Player, starts_on: date, ends_on: date, by: User, now: datetime
) -> Event:
    """Make the event of the dice: its two prove, the ten enrolled, the two tables playing (I-03).

    Refuses tables formed already (`tables_formed`), dice not thrown yet (`draw_open`) or that did
    not suffice (`throws_ran_out`), one of the ten who cannot play any more (`field_broken`, I-02),
    and what the verbs of an event refuse of its dates, of who directs it (A-08) and of who enrols.
    """
    cup = _locked(cup)
    _refuse_formed(cup)
    stands = supercoppa_of(cup, now)
    if cup.draw is None or cup.draw.revealed_at is None:
        raise Refused("draw_open", _("The dice are not thrown yet."), rule="I-03")
    if stands.drawn is None:
        raise Refused(
            "throws_ran_out",
            _("The throws did not tell everybody apart: take the draw back, and throw again."),
            rule="I-03",
        )
    if gone := missing_of(stands.field):
        raise Refused(
            "field_broken",
            _("Somebody cannot play any more: %(people)s. Take the draw back, and throw again.")
            % {"people": ", ".join(str(each.candidate.player) for each in gone)},
            rule="I-02",
        )
    event = events.create_event(
        cup.season,
        _event_name(cup),
        starts_on,
        ends_on,
        by,
        now,
        kind=Event.Kind.CUP,
        director=director,
    )
    semifinals = events.add_prova(event, stands.drawn.semifinal, by, now)
    events.add_prova(event, stands.drawn.final, by, now)
    event = events.set_status(event, Event.Status.ENROLLING, by, now)
    for each in stands.field.people:
        _enrol(event, each.player, by, now)
    tables = [[each.player for each in table] for table in stands.drawn.tables]
    seated = events.seat_round(semifinals, 1, tables, by, now)
    announce(seated, now)
    cup.event = event
    cup.save(update_fields=["event"])
    LogEntry.objects.record(by, "form_tables", cup, now, event=event.pk)
    return Event.objects.get(pk=event.pk)


def _event_name(cup: Cup) -> str:
    """Another name only after tables that were taken back."""
    name = f"Supercoppa {cup.season.year}"
    before = cup.season.events.filter(kind=Event.Kind.CUP, name__startswith=name).count()
    return f"{name} ({before + 1})" if before else name


def _enrol(event: Event, player: Player, by: User, now: datetime) -> None:
    """As an event enrols; the refusal says of whom."""
    try:
        events.enrol(event, player, by, now, present=True)
    except Refused as refusal:
        raise Refused(
            refusal.reason, f"{player}: {refusal.text}", rule=refusal.rule or "I-02"
        ) from None


@transaction.atomic
def take_back_tables(cup: Cup, reason: str, by: User, now: datetime) -> Cup:
    """Cancel the event, before anything is played: the tables can be formed again from the dice.

    An event cancelled or declared not valid on its own page is left as it is. Refuses no tables
    (`no_tables`), no reason (`reason_missing`) and a result (`results_in`, B-15).
    """
    cup = _locked(cup)
    if cup.event is None:
        raise Refused("no_tables", _("The tables are not formed yet."), rule="I-03")
    reason = _reason(reason, _("Say why the tables are taken back."), "I-03")
    if _honours(cup).exists():
        raise Refused("already_written", _("The winner is written already."), rule="I-07")
    event = Event.objects.select_for_update(of=("self",), no_key=True).get(pk=cup.event.pk)
    if not event.is_off():
        tables = Table.objects.filter(round__prova__event=event)
        if Result.objects.filter(table__in=tables).exists():
            raise Refused(
                "results_in",
                _("A result is in: the tables cannot be taken back."),
                rule="B-15",
            )
        events.set_status(event, Event.Status.CANCELLED, by, now, reason=reason)
    cup.event = None
    cup.save(update_fields=["event"])
    LogEntry.objects.record(by, "take_back_tables", cup, now, event=event.pk, reason=reason)
    return cup


# --- the final ------------------------------------------------------------------------------------


@transaction.atomic
def draw_final(cup: Cup, closes_at: datetime, by: User, now: datetime) -> Draw:
    """Promise the die among those whom nothing else tells apart for the final (I-04).

    The highest goes first; equals throw again. Refuses when nobody is level (`nobody_tied`), dice
    promised already to the same people (`draw_opened`), and what `open_draw` refuses of the hour.
    """
    cup = _locked(cup)
    stands = supercoppa_of(cup, now)
    if not stands.tied or stands.final is not None:
        raise Refused("nobody_tied", _("Nobody is level for the final."), rule="I-04")
    if any(draw.revealed_at is None for draw in stands.thrown):
        raise Refused("draw_opened", _("The dice are promised already."), rule="I-04")
    purpose = _("Supercoppa %(year)d: who goes to the final, the highest first")
    players = list(Player.objects.select_related("user").filter(pk__in=[p.pk for p in stands.tied]))
    draw = base.open_draw(
        purpose % {"year": cup.season.year}, list(_concerned(players)), DICE, closes_at, by, now
    )
    LogEntry.objects.record(
        by, "draw_final", cup, now, draw=draw.pk, players=[player.pk for player in players]
    )
    return draw


@transaction.atomic
def form_final(cup: Cup, by: User, now: datetime) -> Round:
    """Seat the five of the final (I-04), on another title than the semifinals (I-05).

    Locks the event and the tables of the semifinals. Refuses no tables yet (`no_tables`), a final
    formed already (`final_formed`), a semifinal without a confirmed result (`results_missing`),
    too few people with a percentile (`too_few_finalists`), people level for the last places
    (`die_needed`) and the title of the semifinals (`same_title`, I-05).
    """
    cup = _locked(cup)
    event = _running(cup)
    semifinals, final = _prove(event)
    for seated in semifinals.play_rounds.all():
        lock_published(seated)
    stands = supercoppa_of(cup, now)
    if stands.final is not None:
        raise Refused("final_formed", _("The final has its table already."), rule="I-04")
    if stands.no_final is not None:
        raise refused(stands.no_final)
    if stands.tied:
        raise Refused(
            "die_needed",
            _("Only a die can tell them apart: %(people)s.")
            % {"people": ", ".join(map(str, stands.tied))},
            rule="I-04",
        )
    if not stands.finalists:
        raise Refused(
            "results_missing",
            _("The final is formed when both semifinals have their confirmed result."),
            rule="I-04",
        )
    try:
        supercoppa.check_titles(semifinals.title_id, final.title_id)
    except Illegal as illegal:
        raise refused(illegal) from None
    draft = final.play_rounds.first()
    if draft is not None:  # its publication was taken back on the page of the event
        events.discard_draft(draft, draft.edition, by, now)
    five = [each.player for each in stands.finalists]
    enrolled = set(event.entries.values_list("player", flat=True))
    for player in five:
        if player.pk not in enrolled:  # he took a seat over during his semifinal
            _enrol(event, player, by, now)
    seated = events.seat_round(final, 1, [five], by, now)
    announce(seated, now, {player.pk for player in five})
    LogEntry.objects.record(by, "form_final", cup, now, round=seated.pk)
    return seated


def _prove(event: Event) -> tuple[Prova, Prova]:
    found = {p.order: p for p in event.prove.select_related("title", "event")}
    if not {SEMIFINALS, FINAL} <= found.keys():
        raise Refused(
            "prove_changed",
            _("The event has not its two prove any more: semifinals, then the final."),
            rule="I-05",
        )
    return found[SEMIFINALS], found[FINAL]


@transaction.atomic
def take_back_final(cup: Cup, by: User, now: datetime) -> None:
    """Take the table of the final back, to form it again.

    Refuses no final (`no_final`), and what `withdraw_publication` refuses: a result
    (`results_in`, B-15), or something written of what happened there (`something_happened`).
    """
    cup = _locked(cup)
    final = _prove(_running(cup))[1].play_rounds.select_related("prova").first()
    if final is None:
        raise Refused("no_final", _("The final has no table yet."), rule="I-04")
    if final.status == Round.Status.PUBLISHED:
        final = events.withdraw_publication(final, final.edition, by, now)
    events.discard_draft(final, final.edition, by, now)
    LogEntry.objects.record(by, "take_back_final", cup, now)


# --- the winner -----------------------------------------------------------------------------------


@transaction.atomic
def conclude_supercoppa(
    cup: Cup,
    by: User,
    now: datetime,
    *,
    decided: Sequence[Player] = (),
    note: str = "",
) -> list[Honour]:
    """Write who has the cup (I-07): the first of the final, or all who are level there.

    The federation may decide among equals: `decided`, with a `note` that says how. Locks the event
    and the table of the final. Refuses no final (`no_final`), a winner written already
    (`already_written`), a final without a confirmed result (`results_missing`), somebody who is not
    first (`not_first`) and a decision without a note (`reason_missing`).
    """
    cup = _locked(cup)
    final = next(iter(_prove(_running(cup, played=True))[1].play_rounds.all()), None)
    if final is None or final.status != Round.Status.PUBLISHED:
        raise Refused("no_final", _("The final has no table yet."), rule="I-04")
    lock_published(final)
    if _honours(cup).exists():
        raise Refused("already_written", _("The winner is written already."), rule="I-07")
    people = _places(next(iter(_played(final.prova.event, FINAL))))
    if not people:
        raise Refused("results_missing", _("The final has no confirmed result yet."), rule="I-07")
    note = " ".join(note.split())
    places: dict[PlayerId, int] = {pk: place for pk, (_player, place) in people.items()}
    try:
        firsts = supercoppa.winners(places)
        keys = supercoppa.winners(places, [player.pk for player in decided])
    except Illegal as illegal:
        raise refused(illegal) from None
    by_hand = set(keys) != set(firsts)
    if by_hand and not note:
        raise Refused(
            "reason_missing",
            _("Say how the federation decided among equals."),
            rule="I-07",
            field="note",
        )
    honours = [
        Honour.objects.create(
            season=cup.season,
            award=Honour.Award.SUPERCOPPA,
            player=people[int(key)][0],
            by_hand=by_hand,
            note=note,
            by=by,
            at=now,
        )
        for key in keys
    ]
    LogEntry.objects.record(by, "conclude_supercoppa", cup, now, players=list(keys), note=note)
    return honours


@transaction.atomic
def take_back_winner(cup: Cup, reason: str, by: User, now: datetime) -> None:
    """The name goes off the cup, to be written again from the final.

    Refuses when nobody has it (`no_winner`) and no reason (`reason_missing`).
    """
    cup = _locked(cup)
    reason = _reason(reason, _("Say why the winner is taken back."), "I-07")
    honours = _honours(cup)
    players = [honour.player_id for honour in honours]
    if not players:
        raise Refused("no_winner", _("Nobody is written as the winner."), rule="I-07")
    honours.delete()
    LogEntry.objects.record(by, "take_back_winner", cup, now, players=players, reason=reason)


# --- what the verbs share -------------------------------------------------------------------------


def _locked(cup: Cup) -> Cup:
    """The cup under its lock, as it is; `Refused` if it is there no more (`cup_gone`)."""
    cups = Cup.objects.select_for_update(of=("self",), no_key=True)
    found = cups.select_related("season", "draw", "event__season").filter(pk=cup.pk).first()
    if found is None or found.kind != Cup.Kind.SUPERCOPPA:
        raise Refused("cup_gone", _("This Supercoppa is there no more."))
    return found


def _refuse_formed(cup: Cup) -> None:
    if cup.event_id is not None:
        raise Refused(
            "tables_formed",
            _("The tables are formed: from now on what happens is written at the tables."),
            rule="I-03",
        )


def _running(cup: Cup, *, played: bool = False) -> Event:
    """The event of the cup, which is being played; `played`: or was."""
    if cup.event is None:
        raise Refused("no_tables", _("The tables are not formed yet."), rule="I-03")
    over = cup.event.status == Event.Status.CLOSED and not played
    if cup.event.is_off() or over:
        raise Refused(
            "event_not_running",
            _("The event of this Supercoppa is not under way."),
            rule="A-15",
        )
    return cup.event


def _reason(reason: str, text: str, rule: str) -> str:
    reason = " ".join(reason.split())
    if not reason:
        raise Refused("reason_missing", text, rule=rule, field="reason")
    return reason
