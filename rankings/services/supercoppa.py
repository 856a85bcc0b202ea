"""The verbs of a Supercoppa, from the field of ten to the name on the cup (000:104-111).

Its stages follow one another: the field, the dice, the semifinals, the final, the winner. Each can
be taken back as long as the next has not come; dice that were thrown stand, unless one of the ten
cannot play any more. Every verb locks the cup.
"""

from __future__ import annotations

from collections.abc import Collection, Iterator, Sequence
from datetime import date, datetime

from django.db import transaction
from django.utils.translation import gettext as _

from figf import services as base
from figf.errors import Refused
from figf.models import Contribution, Draw, LogEntry, User
from rankings.models import Cup, CupAbsence, CupDraw, Honour
from rankings.rules import supercoppa
from rankings.services.supercoppa_state import (
    FINAL,
    SEMIFINALS,
    Supercoppa,
    cup_titles,
    field_of,
    final_played,
    freeze,
    honours_of,
    missing_of,
    places_of,
    supercoppa_of,
)
from tournaments import services as events
from tournaments.models import Event, Player, Prova, Result, Round, Season, Table
from tournaments.rules.regulation import Illegal
from tournaments.services.refusals import refuse_closed_season, refused
from tournaments.services.seating import announce, lock_published

DICE = 60  # ten people, two titles, and all the throws that may have to be made again
LABEL = Contribution._meta.get_field("label").max_length


# --- opened ---------------------------------------------------------------------------------------


@transaction.atomic
def open_supercoppa(
    season: Season, by: User, now: datetime, *, provisional: bool = False, note: str = ""
) -> Cup:
    """The Supercoppa to be played in `season`, on the standings of the year before (I-01).

    `provisional` does not wait for that year to be closed: the federation's choice, with its reason
    in `note`. Locks both seasons. Refuses a Supercoppa that is there (`cup_exists`), a season that
    is closed (`season_closed`, F-08), no season before (`no_season_before`), one not closed unless
    provisional (`season_open`), and provisional without a reason (`reason_missing`).
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
    refuse_closed_season(season)
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
    text = _("Say why the Supercoppa does not wait for the closing of the season.")
    note = _reason(note, text, "I-01", "note") if early else ""
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
    if cup.draw_id or cup.other_draws.exists():
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
    if not _in_field(cup, player, now):
        raise Refused(
            "not_in_field",
            _("%(player)s is not in the field.") % {"player": player},
            rule="I-02",
            field="player",
        )
    _reason(reason, _("Say why %(player)s does not play.") % {"player": player}, "I-02")
    absence = CupAbsence.objects.create(cup=cup, player=player, reason=reason, by=by, at=now)
    LogEntry.objects.record(by, "mark_unavailable", cup, now, player=player.pk, reason=reason)
    return absence


@transaction.atomic
def mark_available(cup: Cup, player: Player, by: User, now: datetime) -> None:
    """Somebody marked unavailable plays after all.

    Refuses tables formed already (`tables_formed`), who is not marked (`not_absent`) and, once the
    dice are promised, who is not one of their ten (`draw_opened`).
    """
    cup = _locked(cup)
    _refuse_formed(cup)
    found = cup.absences.filter(player=player).first()
    if found is None:
        raise Refused(
            "not_absent",
            _("%(player)s is not marked unavailable: load the page again.") % {"player": player},
            rule="I-02",
        )
    if cup.draw_id and not _in_field(cup, player, now):
        raise Refused(
            "draw_opened",
            _("The dice are promised to ten others: take the draw back first."),
            rule="I-02",
        )
    found.delete()
    LogEntry.objects.record(by, "mark_available", cup, now, player=player.pk)


def _in_field(cup: Cup, player: Player, now: datetime) -> bool:
    return any(each.player == player for each in field_of(cup, now).people)


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
    players = [each.player for each in field.people]
    cup.draw = base.open_draw(
        purpose % {"year": cup.season.year},
        list(_concerned(players)),
        DICE,
        closes_at,
        by,
        now,
        sides=die,
    )
    cup.frozen = freeze(field, titles)
    cup.save(update_fields=["draw", "frozen"])
    told = {"draw": cup.draw.pk, "players": [player.pk for player in players]}
    LogEntry.objects.record(by, "draw_supercoppa", cup, now, **told)
    return cup


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
    CupDraw.objects.create(cup=cup, draw=cup.draw, reason=reason)
    LogEntry.objects.record(by, "take_back_draw", cup, now, draw=cup.draw_id, reason=reason)
    cup.draw, cup.frozen = None, {}
    cup.save(update_fields=["draw", "frozen"])
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
        events.enrol(event, player, by, now, present=True, forming=True)
    except Refused as refusal:
        text = _("%(player)s: %(why)s") % {"player": player, "why": refusal.text}
        raise Refused(refusal.reason, text, rule=refusal.rule or "I-02") from None


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
    if honours_of(cup).exists():
        raise Refused("already_written", _("The winner is written already."), rule="I-07")
    event = Event.objects.select_for_update(of=("self",), no_key=True).get(pk=cup.event.pk)
    if not event.is_off():
        tables = Table.objects.filter(round__prova__event=event)
        if Result.objects.filter(table__in=tables).exists():
            raise Refused(
                "results_in", _("A result is in: the tables cannot be taken back."), rule="B-15"
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
    keys = [player.pk for player in players]
    CupDraw.objects.create(cup=cup, draw=draw, players=keys)
    LogEntry.objects.record(by, "draw_final", cup, now, draw=draw.pk, players=keys)
    return draw


@transaction.atomic
def form_final(cup: Cup, by: User, now: datetime, *, seen: Collection[int] | None = None) -> Round:
    """Seat the five of the final (I-04), on another title than the semifinals (I-05).

    `seen` are those whom the page showed, by their ids: refuses if they have changed (`stale`).
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
    five = _five(stands, seen)
    try:
        supercoppa.check_titles(semifinals.title_id, final.title_id)
    except Illegal as illegal:
        raise refused(illegal) from None
    draft = final.play_rounds.first()
    if draft is not None:  # its publication was taken back on the page of the event
        events.discard_draft(draft, draft.edition, by, now)
    enrolled = set(event.entries.values_list("player", flat=True))
    for player in five:
        if player.pk not in enrolled:  # he took a seat over during his semifinal
            _enrol(event, player, by, now)
    seated = events.seat_round(final, 1, [five], by, now)
    announce(seated, now, {player.pk for player in five})
    LogEntry.objects.record(by, "form_final", cup, now, round=seated.pk)
    return seated


def _five(stands: Supercoppa, seen: Collection[int] | None) -> list[Player]:
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
    five = [each.player for each in stands.finalists]
    if seen is not None and set(seen) != {player.pk for player in five}:
        raise Refused(
            "stale",
            _("The results were corrected meanwhile. Now these would go to the final: %(people)s.")
            % {"people": ", ".join(map(str, five))},
            rule="I-04",
        )
    return five


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
        final = events.withdraw_publication(final, final.edition, by, now, forming=True)
    events.discard_draft(final, final.edition, by, now)
    LogEntry.objects.record(by, "take_back_final", cup, now)


# --- the winner -----------------------------------------------------------------------------------


@transaction.atomic
def conclude_supercoppa(
    cup: Cup, by: User, now: datetime, *, decided: Sequence[Player] = (), note: str = ""
) -> list[Honour]:
    """Write who has the cup (I-07): the first of the final, or all who are level there.

    The federation may decide among equals: `decided`, with a `note` that says how. Locks the event
    and the table of the final. Refuses no final (`no_final`), a winner written already
    (`already_written`), a final without a confirmed result (`results_missing`), somebody who is not
    first (`not_first`) and a decision without a note (`reason_missing`).
    """
    cup = _locked(cup)
    event = _running(cup, played=True)
    final = _prove(event)[1].play_rounds.first()
    if final is None or final.status != Round.Status.PUBLISHED:
        raise Refused("no_final", _("The final has no table yet."), rule="I-04")
    lock_published(final)
    if honours_of(cup).exists():
        raise Refused("already_written", _("The winner is written already."), rule="I-07")
    places = places_of(final_played(event))
    if not places:
        raise Refused("results_missing", _("The final has no confirmed result yet."), rule="I-07")
    note = " ".join(note.split())
    try:
        winners = supercoppa.winners(places, decided)
    except Illegal as illegal:
        raise refused(illegal) from None
    by_hand = winners != supercoppa.winners(places)
    if by_hand:
        _reason(note, _("Say how the federation decided among equals."), "I-07", "note")
    honours = [
        Honour.objects.create(
            season=cup.season,
            award=Honour.Award.SUPERCOPPA,
            player=player,
            by_hand=by_hand,
            note=note,
            by=by,
            at=now,
        )
        for player in winners
    ]
    keys = [player.pk for player in winners]
    LogEntry.objects.record(by, "conclude_supercoppa", cup, now, players=keys, note=note)
    return honours


@transaction.atomic
def take_back_winner(cup: Cup, reason: str, by: User, now: datetime) -> None:
    """The name goes off the cup, to be written again from the final.

    Refuses when nobody has it (`no_winner`) and no reason (`reason_missing`).
    """
    cup = _locked(cup)
    reason = _reason(reason, _("Say why the winner is taken back."), "I-07")
    honours = honours_of(cup)
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
            "event_not_running", _("The event of this Supercoppa is not under way."), rule="A-15"
        )
    return cup.event


def _reason(reason: str, text: str, rule: str, field: str = "reason") -> str:
    """The reason on one line; `Refused` with this text without one (`reason_missing`)."""
    reason = " ".join(reason.split())
    if not reason:
        raise Refused("reason_missing", text, rule=rule, field=field)
    return reason
