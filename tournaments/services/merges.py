"""Two players who are one person: what is one's becomes the other's, and goes back if need be.

What points to a player is found by asking every model of every app, so that none is forgotten. Who
is merged away keeps his row: documents that name him, and old addresses, still find it.
"""

from __future__ import annotations

import hashlib
import json
from collections.abc import Callable, Collection, Iterable, Iterator, Mapping
from dataclasses import dataclass, field
from datetime import date, datetime
from typing import TYPE_CHECKING, Any, NamedTuple

from django.apps import apps
from django.db import models, transaction
from django.db.models import Max, Q
from django.utils.text import capfirst
from django.utils.translation import gettext as _
from django.utils.translation import gettext_lazy

from figf.errors import Refused
from figf.models import LogEntry, User
from tournaments.models import (
    Claim,
    Entry,
    Event,
    EventPlace,
    Holder,
    Invitation,
    Merge,
    Player,
    PlayerKey,
    RefereeTerm,
    Removal,
    ResultLine,
    Round,
    Season,
    Table,
)
from tournaments.rules import likeness, names
from tournaments.services.registry import off_the_books

if TYPE_CHECKING:
    from django.utils.functional import _StrPromise

ROLES = (Event, Table)  # theirs is the person, not the row: it may go on changing
FILLED = ("email", "club_id", "town")  # what `kept` takes of `gone`, where he has none

KINDS: Mapping[type[models.Model], _StrPromise] = {
    Claim: gettext_lazy("requests to be recognised"),
    Entry: gettext_lazy("enrolments"),
    Event: gettext_lazy("events directed"),
    EventPlace: gettext_lazy("places in events"),
    Holder: gettext_lazy("seats at tables"),
    Invitation: gettext_lazy("invitations"),
    Player: gettext_lazy("players merged before"),
    PlayerKey: gettext_lazy("keys in files"),
    ResultLine: gettext_lazy("lines of results"),
    Table: gettext_lazy("tables refereed"),
}

# What is of one event, by the way that leads to it.
OF_EVENTS: Mapping[type[models.Model], tuple[str, ...]] = {
    Entry: ("event",),
    EventPlace: ("event",),
    Holder: ("seat__table__round__prova__event",),
    Removal: ("event", "prova__event", "table__round__prova__event"),
    ResultLine: ("result__table__round__prova__event",),
}


def _nothing(*_people: Player) -> list[Any]:
    return []


class Renamed(NamedTuple):
    """A row that names a player by his id inside a value: its field, and the value to be."""

    row: models.Model
    attname: str
    value: Any


@dataclass(frozen=True, slots=True)
class Elsewhere:
    """What an app above this one knows of players; whoever composes the site hands it in.

    `refusals` of the merge of the second into the first; `renamed` the rows that name the second by
    his id; `ties` why a player cannot be forgotten now; `documents` the models of which a row that
    cannot move stays where it is; `kinds` what the rows are called; `of_events` how the event is
    found of which a row is.
    """

    refusals: Callable[[Player, Player], list[Refused]] = _nothing
    renamed: Callable[[Player, Player], list[Renamed]] = _nothing
    ties: Callable[[Player], list[Refused]] = _nothing
    documents: Collection[type[models.Model]] = ()
    kinds: Mapping[type[models.Model], _StrPromise] = field(default_factory=dict)
    of_events: Mapping[type[models.Model], tuple[str, ...]] = field(default_factory=dict)


NOWHERE = Elsewhere()


def pointing_to(model: type[models.Model]) -> list[models.ForeignKey[Any, Any]]:
    """Every field, of every model of the site, that points to a row of `model`."""
    relations = model._meta.get_fields(include_hidden=True)
    return [
        relation.field
        for relation in relations
        if isinstance(relation, models.ManyToOneRel)
        and isinstance(relation.field, models.ForeignKey)
    ]


def _relations() -> list[models.ForeignKey[Any, Any]]:
    """Those that a merge moves: the merges themselves stay."""
    return [each for each in pointing_to(Player) if each.model is not Merge]


def written(row: models.Model) -> dict[str, Any]:
    """A row as plain values of JSON, each to be read back by its own field."""
    return {
        each.attname: _written(each, each.value_from_object(row))
        for each in row._meta.concrete_fields
    }


def _written(field: models.Field[Any, Any], value: Any) -> Any:
    if value is None or isinstance(field, models.JSONField):
        return value
    if isinstance(field, models.ForeignKey):
        field = field.target_field
    holder = field.model()
    setattr(holder, field.attname, value)
    return field.value_to_string(holder)


def _digest(values: Any) -> str:
    return hashlib.sha256(json.dumps(values, sort_keys=True).encode()).hexdigest()[:16]


# --- what a merge would do ------------------------------------------------------------------------


@dataclass(frozen=True, slots=True)
class Preview:
    """What would move from `gone` to `kept`, by kind of thing, and why it would not.

    `left` are documents and terms that stay under the name of `gone`; `seasons` the closed ones
    whose standings would change; `log_in` says that the log-in moves.
    """

    kept: Player
    gone: Player
    moved: tuple[tuple[str, int], ...]
    left: tuple[tuple[str, int], ...]
    refusals: tuple[Refused, ...]
    seasons: tuple[Season, ...]
    log_in: bool


@dataclass(slots=True)
class _Plan:
    """The changes by model and row, the enrolments taken away, and what stays."""

    changes: dict[type[models.Model], dict[int, dict[str, Any]]] = field(default_factory=dict)
    whole: set[type[models.Model]] = field(default_factory=set)  # undone only if nothing changed
    taken: list[Entry] = field(default_factory=list)
    left: dict[type[models.Model], int] = field(default_factory=dict)
    refusals: list[Refused] = field(default_factory=list)
    seasons: tuple[Season, ...] = ()

    def change(self, model: type[models.Model], pk: int, **values: Any) -> None:
        self.changes.setdefault(model, {}).setdefault(pk, {}).update(values)


def merge_preview(kept: Player, gone: Player, elsewhere: Elsewhere = NOWHERE) -> Preview:
    """What would become of the two. Writes nothing."""
    plan = _plan(kept, gone, elsewhere)
    counted = {
        model: len([pk for pk in rows if model is not Player or pk not in {kept.pk, gone.pk}])
        for model, rows in plan.changes.items()
        if model not in {Round, User}
    }
    taken = sum(entry.player_id == gone.pk for entry in plan.taken)
    return Preview(
        kept,
        gone,
        _in_words(counted, elsewhere),
        _in_words({**plan.left, Entry: taken}, elsewhere),
        tuple(plan.refusals),
        plan.seasons,
        gone.user_id is not None and kept.user_id is None,
    )


def _in_words(
    counts: Mapping[type[models.Model], int], elsewhere: Elsewhere
) -> tuple[tuple[str, int], ...]:
    called = {**KINDS, **elsewhere.kinds}
    told = [
        (capfirst(str(called.get(model, model._meta.verbose_name_plural))), count)
        for model, count in counts.items()
        if count
    ]
    return tuple(sorted(told))


def _plan(kept: Player, gone: Player, elsewhere: Elsewhere) -> _Plan:
    plan = _Plan(refusals=[*_refusals(kept, gone), *elsewhere.refusals(kept, gone)])
    _plan_people(plan, kept, gone)
    for each in _relations():
        if each.model is Entry:
            _plan_entries(plan, kept, gone)
        else:
            _plan_rows(plan, each, kept, gone, elsewhere)
    for invitation in gone.invitations.filter(used_at=None, withdrawn_at=None):
        plan.change(Invitation, invitation.pk, withdrawn_at=None)  # by the hour of the merge
    for row, attname, value in [*_seating_orders(kept, gone), *elsewhere.renamed(kept, gone)]:
        plan.change(type(row), row.pk, **{attname: value})
    plan.seasons = _closed_seasons(kept, gone)
    return plan


def _plan_rows(
    plan: _Plan,
    each: models.ForeignKey[Any, Any],
    kept: Player,
    gone: Player,
    elsewhere: Elsewhere,
) -> None:
    """The rows of one model that point to `gone`, but for those that stay with him."""
    model = each.model
    rows = model._meta.base_manager.filter(**{each.name: gone})
    his = list(rows.values_list("pk", flat=True))
    if not his:
        return
    left = {term.pk for term in _terms_in_the_way(kept, gone)} if model is RefereeTerm else set()
    clashing = _clashes(each, kept, gone)
    if model in elsewhere.documents:
        left |= clashing
    elif clashing and model not in {EventPlace, ResultLine}:  # of these it is said better
        plan.refusals.append(_clash(model, elsewhere))
    if left:
        plan.left[model] = len(left)
    for pk in his:
        if pk not in left:
            plan.change(model, pk, **{each.attname: kept.pk})
    if model is not Player and model not in ROLES:
        plan.whole.add(model)


def _closed_seasons(kept: Player, gone: Player) -> tuple[Season, ...]:
    """Those in whose standing both stand: two rows would become one, with the points of both."""
    official = Event.objects.official()
    found = Season.objects.exclude(closed_at=None)
    for player in (kept, gone):
        places = EventPlace.objects.filter(player=player, event__in=official)
        found = found.filter(pk__in=places.values("event__season"))
    return tuple(found)


def _plan_people(plan: _Plan, kept: Player, gone: Player) -> None:
    """The two themselves: `gone` first, since a log-in has one player at a time."""
    plan.change(Player, gone.pk, merged_into_id=kept.pk)
    filled = {
        name: getattr(gone, name)
        for name in FILLED
        if getattr(gone, name) and not getattr(kept, name)
    }
    if gone.user is not None and kept.user_id is None:
        plan.change(Player, gone.pk, user_id=None)
        filled["user_id"] = gone.user_id
        plan.change(User, gone.user.pk, name=kept.full_name())  # who logs in is called as on books
    if filled:
        plan.change(Player, kept.pk, **filled)


def _plan_entries(plan: _Plan, kept: Player, gone: Player) -> None:
    """Of two enrolments in one event the one that was used stays: with no difference, of `kept`."""
    sat = set(
        Holder.objects.filter(player__in=(kept, gone)).values_list(
            "seat__table__round__prova__event", "player"
        )
    )

    def used(entry: Entry) -> tuple[bool, ...]:
        enrolled = entry.status == Entry.Status.ENROLLED
        waits = entry.status == Entry.Status.WAITING
        seated = (entry.event_id, entry.player_id) in sat
        return seated, entry.present is True, enrolled, waits

    theirs = {entry.event_id: entry for entry in kept.entries.all()}
    for entry in gone.entries.all():
        other = theirs.get(entry.event_id)
        if other is None or used(entry) > used(other):
            plan.change(Entry, entry.pk, player_id=kept.pk)
        if other is not None:
            plan.taken.append(other if used(entry) > used(other) else entry)
    plan.whole.add(Entry)


def _seating_orders(kept: Player, gone: Player) -> Iterator[Renamed]:
    """The orders in which rounds were seated; of one where both stand the first place stays."""
    rounds = Round.objects.filter(tables__seats__holders__player=gone).distinct()
    for each in rounds.order_by("pk"):
        order = [kept.pk if pk == gone.pk else pk for pk in each.order_used]
        if order != each.order_used:
            yield Renamed(each, "order_used", list(dict.fromkeys(order)))


def _terms_in_the_way(kept: Player, gone: Player) -> list[RefereeTerm]:
    """Terms of `gone` in which `kept` is a referee already: harmless, and not to be had twice."""
    last, others = date.max, list(kept.referee_terms.all())
    return [
        term
        for term in gone.referee_terms.all()
        if any(
            term.starts_on <= (other.ends_on or last) and other.starts_on <= (term.ends_on or last)
            for other in others
        )
    ]


def _clashes(each: models.ForeignKey[Any, Any], kept: Player, gone: Player) -> set[int]:
    """Rows of `gone` that cannot become those of `kept`: something may be there only once."""
    found: set[int] = set()
    for constraint in each.model._meta.constraints:
        if isinstance(constraint, models.UniqueConstraint) and each.name in constraint.fields:
            others = [name for name in constraint.fields if name != each.name]
            rows = each.model._meta.base_manager.filter(constraint.condition or Q())
            his = set(rows.filter(**{each.name: kept}).values_list(*others))
            for pk, *values in rows.filter(**{each.name: gone}).values_list("pk", *others):
                if None not in values and tuple(values) in his:
                    found.add(pk)
    return found


# --- what refuses ---------------------------------------------------------------------------------


def _refusals(kept: Player, gone: Player) -> Iterator[Refused]:
    if kept.pk == gone.pk:
        yield Refused("same_player", _("Choose two different players."))
        return
    for player in (kept, gone):
        if player.merged_into_id is not None or player.forgotten_at is not None:
            yield off_the_books(player)
    if kept.user is not None and gone.user is not None and gone.user.is_active:
        yield Refused(
            "two_log_ins",
            _(
                "Both have a log-in. Ask the person which one is to stay, switch the other off in "
                "the administration, and keep the player whose log-in stays."
            ),
        )
    yield from _sat_together(kept, gone)
    same = Event.objects.filter(places__player=kept).filter(places__player=gone)
    for event in same.order_by("starts_on", "pk"):
        yield Refused(
            "same_event",
            _("Both have a place in the standing of %(event)s.") % {"event": event.with_year()},
        )
    for one, other in ((kept, gone), (gone, kept)):
        for table in Table.objects.with_event().filter(referee=one, seats__holders__player=other):
            yield Refused(
                "referees_own_table",
                _("%(referee)s refereed a table where %(player)s sat: %(table)s, of %(event)s.")
                % {
                    "referee": one,
                    "player": other,
                    "table": table.called(),
                    "event": table.event.with_year(),
                },
                rule="M-03",
            )


def _sat_together(kept: Player, gone: Player) -> Iterator[Refused]:
    """Who sat in two places in one round is two people."""

    def rounds(player: Player) -> set[int]:
        seats = Holder.objects.filter(player=player).values_list("seat__table__round", flat=True)
        lines = ResultLine.objects.filter(player=player)
        return {*seats, *lines.values_list("result__table__round", flat=True)}

    both = Round.objects.filter(pk__in=rounds(kept) & rounds(gone))
    for each in both.select_related("prova__event", "prova__title").order_by("pk"):
        yield Refused(
            "sat_together",
            _("Both sat in the same round: %(event)s, %(title)s, round %(round)d.")
            % {"event": each.event.with_year(), "title": each.prova.title, "round": each.number},
        )


def _clash(model: type[models.Model], elsewhere: Elsewhere) -> Refused:
    called = {**KINDS, **elsewhere.kinds}.get(model, model._meta.verbose_name_plural)
    return Refused(
        "would_clash",
        _("Both have what one person has once: %(what)s.") % {"what": called},
    )


# --- to merge -------------------------------------------------------------------------------------


@transaction.atomic
def merge_players(
    kept: Player,
    gone: Player,
    by: User,
    now: datetime,
    *,
    closed: bool = False,
    elsewhere: Elsewhere = NOWHERE,
) -> Merge:
    """What is `gone`'s becomes `kept`'s; `gone` is on the books no more.

    Locks the events of both, the log-ins and both players. All that moved is saved, so as to be
    moved back. An open invitation of `gone` is withdrawn; his key becomes another key of `kept`.

    Refuses the same player twice (`same_player`), who is merged or forgotten (`off_the_books`), two
    log-ins (`two_log_ins`), who sat in one round (`sat_together`), has places in one event
    (`same_event`), refereed the other's table (`referees_own_table`, M-03), what one person has
    once (`would_clash`), what `elsewhere` refuses; and, unless `closed` says that it was read, to
    change the standing of a closed season (`closed_seasons`).
    """
    kept, gone = _lock(kept, gone)
    plan = _plan(kept, gone, elsewhere)
    if plan.refusals:
        raise plan.refusals[0]
    if plan.seasons and not closed:
        raise Refused(
            "closed_seasons",
            _("The standings of closed seasons would change: say that you know it."),
            rule="H-08",
            field="closed",
        )
    for pk, values in plan.changes.get(Invitation, {}).items():
        if "withdrawn_at" in values:
            plan.change(Invitation, pk, withdrawn_at=now)
    moved = [_take(entry) for entry in plan.taken]
    moved += _carry_out(plan)
    key, made = PlayerKey.objects.get_or_create(key=gone.key, defaults={"player": kept})
    if made:
        moved.append({"model": key._meta.label_lower, "id": key.pk, "made": written(key)})
    moved += _marks()
    merge = Merge.objects.create(kept=kept, gone=gone, moved=moved, by=by, at=now)
    LogEntry.objects.record(by, "merge_players", kept, now, gone=gone.pk, merge=merge.pk)
    return merge


def _lock(*people: Player) -> tuple[Player, ...]:
    """Events, log-ins, players, always in this order: nobody waits in a ring."""
    pks = [player.pk for player in people]
    events = Event.objects.filter(
        Q(pk__in=Entry.objects.filter(player__in=pks).values("event"))
        | Q(pk__in=EventPlace.objects.filter(player__in=pks).values("event"))
        | Q(pk__in=Table.objects.filter(referee__in=pks).values("round__prova__event"))
        | Q(pk__in=Holder.objects.filter(player__in=pks).values("seat__table__round__prova__event"))
        | Q(director__in=pks)
    )
    list(events.select_for_update(no_key=True, of=("self",)).order_by("pk"))
    list(User.objects.select_for_update(no_key=True).filter(player__in=pks).order_by("pk"))
    rows = Player.objects.select_for_update(of=("self",), no_key=True).filter(pk__in=pks)
    found = {player.pk: player for player in rows.order_by("pk")}
    return tuple(found[pk] for pk in pks)


def _marks() -> list[dict[str, Any]]:
    """The last row of each thing of an event: what is beyond it came since."""
    return [
        {"model": model._meta.label_lower, "last": rows.aggregate(last=Max("pk"))["last"] or 0}
        for model, rows in ((each, each._meta.base_manager) for each in OF_EVENTS)
    ]


def _take(entry: Entry) -> dict[str, Any]:
    """Take an enrolment away, kept whole."""
    copies = sorted(entry.copies.values_list("pk", flat=True))
    taken = {
        "model": entry._meta.label_lower,
        "id": entry.pk,
        "taken": written(entry),
        "copies": copies,
    }
    entry.delete()
    return taken


def _carry_out(plan: _Plan) -> list[dict[str, Any]]:
    """Write the changes, and what is needed to undo each: how the row was, and how it is now."""
    moved: list[dict[str, Any]] = []
    for model, rows in plan.changes.items():
        before = model._meta.base_manager.in_bulk(rows)
        alike: dict[str, tuple[dict[str, Any], list[int]]] = {}
        for pk, values in rows.items():
            alike.setdefault(repr(values), (values, []))[1].append(pk)
        for values, pks in alike.values():
            model._meta.base_manager.filter(pk__in=pks).update(**values)
        after = model._meta.base_manager.in_bulk(rows)
        for pk, values in rows.items():
            was, now = written(before[pk]), written(after[pk])
            moved.append(
                {
                    "model": model._meta.label_lower,
                    "id": pk,
                    "before": {name: was[name] for name in values},
                    "after": _digest(_seen(now, values, whole=model in plan.whole)),
                    "whole": model in plan.whole,
                }
            )
    return moved


def _seen(row: dict[str, Any], names: Iterable[str], *, whole: bool) -> dict[str, Any]:
    """What of a row must stay as it is for the merge to be undone."""
    return row if whole else {name: row[name] for name in names}


# --- to undo --------------------------------------------------------------------------------------


@transaction.atomic
def undo_merge(merge: Merge, by: User, now: datetime, *, elsewhere: Elsewhere = NOWHERE) -> Merge:
    """The two are two again: every row that moved is what it was; what `kept` got since stays his.

    Locks as `merge_players`. Refuses a merge undone already (`undone`), one of a person forgotten
    since (`forgotten`), one with a later merge of either still standing (`later_merge`), and
    (`changed`) one of which a row changed or is no more, or that goes on: in an event of which
    something goes back `kept` got something since, and not only new figures at a seat of his own.
    """
    kept, gone = _lock(merge.kept, merge.gone)
    merge = Merge.objects.select_for_update(of=("self",), no_key=True).get(pk=merge.pk)
    _refuse_undoing(merge, kept, gone, elsewhere)
    for record in reversed(merge.moved):
        _give_back(record)
    merge.undone_by, merge.undone_at = by, now
    merge.save(update_fields=["undone_by", "undone_at"])
    LogEntry.objects.record(by, "undo_merge", kept, now, gone=gone.pk, merge=merge.pk)
    return merge


def _refuse_undoing(merge: Merge, kept: Player, gone: Player, elsewhere: Elsewhere) -> None:
    if merge.undone_at is not None:
        raise Refused("undone", _("This merge was undone already."))
    if kept.forgotten_at is not None or gone.forgotten_at is not None:
        raise Refused("forgotten", _("This person was forgotten: nothing tells two apart."))
    both = (kept.pk, gone.pk)
    standing = Merge.objects.filter(undone_at=None, pk__gt=merge.pk)
    if standing.filter(Q(kept__in=both) | Q(gone__in=both)).exists():
        raise Refused("later_merge", _("Undo first the later merges of these players."))
    changed = [record for record in merge.moved if not _is_as_left(record)]
    kinds = {apps.get_model(record["model"]) for record in changed}
    kinds |= _come_since(merge, kept, elsewhere)
    if kinds:
        told = ", ".join(words for words, _n in _in_words(dict.fromkeys(kinds, 1), elsewhere))
        raise Refused(
            "changed",
            _("Something that moved has changed or goes on, so it cannot be undone: %(what)s.")
            % {"what": told},
        )


def _come_since(merge: Merge, kept: Player, elsewhere: Elsewhere) -> set[type[models.Model]]:
    """What of `kept` is newer than the merge, in events of which something goes back."""
    moved: dict[type[models.Model], list[int]] = {}
    for record in merge.moved:
        if "before" in record:
            moved.setdefault(apps.get_model(record["model"]), []).append(record["id"])
    paths = {**OF_EVENTS, **elsewhere.of_events}
    events = {
        event
        for model, pks in moved.items()
        for path in paths.get(model, ())
        for event in model._meta.base_manager.filter(pk__in=pks).values_list(path, flat=True)
        if event is not None
    }
    own = Holder.objects.filter(player=kept).exclude(pk__in=moved.get(Holder, []))
    found = set()
    for record in merge.moved:
        if "last" in record:
            model = apps.get_model(record["model"])
            rows = model._meta.base_manager.filter(player=kept, pk__gt=record["last"])
            if model is ResultLine:
                rows = rows.exclude(seat__in=own.values("seat"))
            ours = [rows.filter(**{f"{path}__in": events}).exists() for path in OF_EVENTS[model]]
            if any(ours):
                found.add(model)
    return found


def _is_as_left(record: dict[str, Any]) -> bool:
    if "last" in record:
        return True
    model = apps.get_model(record["model"])
    row = model._meta.base_manager.filter(pk=record["id"]).first()
    if "taken" in record:
        return row is None
    if row is None:
        return False
    if "made" in record:
        return bool(written(row) == record["made"])
    now = _seen(written(row), record["before"], whole=record["whole"])
    return bool(_digest(now) == record["after"])


def _give_back(record: dict[str, Any]) -> None:
    if "last" in record:
        return
    model = apps.get_model(record["model"])
    if "made" in record:
        model._meta.base_manager.filter(pk=record["id"]).delete()
        return
    if "taken" in record:
        entry = Entry(**_read(Entry, record["taken"]))
        entry.save(force_insert=True)
        entry.copies.set(record["copies"])
        return
    model._meta.base_manager.filter(pk=record["id"]).update(**_read(model, record["before"]))


def _read(model: type[models.Model], values: dict[str, Any]) -> dict[str, Any]:
    """What `written` wrote, as the model's fields have it."""
    fields = {each.attname: each for each in model._meta.concrete_fields}
    return {
        name: value
        if value is None or isinstance(fields[name], models.JSONField)
        else fields[name].to_python(value)
        for name, value in values.items()
    }


# --- who might be merged --------------------------------------------------------------------------


def alike_pairs() -> list[tuple[Player, Player]]:
    """Pairs on the books who might be one person, in alphabetical order."""
    people = list(Player.objects.on_the_books().select_related("club", "user"))
    by_likeness: dict[str, list[Player]] = {}
    for player in people:
        for key in likeness.keys(player.surname, player.name):
            by_likeness.setdefault(key, []).append(player)
    found = {
        (one.pk, other.pk): (one, other)
        for near in by_likeness.values()
        for n, one in enumerate(near)
        for other in near[n + 1 :]
        if names.alike((one.surname, one.name), (other.surname, other.name))
    }
    order = {player.pk: n for n, player in enumerate(people)}
    return sorted(found.values(), key=lambda pair: (order[pair[0].pk], order[pair[1].pk]))
