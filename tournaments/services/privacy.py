"""What the site holds of a person: handed out whole, or taken off every name.

What points to a person is found by asking every model of every app, as a merge does.
"""

from __future__ import annotations

import re
from collections.abc import Iterator, Sequence
from datetime import datetime
from typing import Any

from django.db import models, transaction
from django.db.models import Q, QuerySet
from django.utils import timezone
from django.utils.translation import gettext as _

from figf import services as base
from figf.errors import Refused
from figf.models import Contribution, EmailChange, EmailQuerySet, LogEntry, User
from tournaments.models import (
    Ban,
    Claim,
    Event,
    Invitation,
    Merge,
    Player,
    Removal,
    Result,
    ResultLine,
    Season,
    Seat,
    Table,
)
from tournaments.rules import names, registry
from tournaments.services.entries import refuse_banned
from tournaments.services.merges import NOWHERE, Elsewhere, pointing_to
from tournaments.services.registry import OVER, off_the_books

# Whole rows are handed out of what is his. Of a role or of an act of his the row is another's
# matter, and may name others: of those, only which ones they are.
ROLES = (Event, Table, Merge, Player, Claim)  # that point to a player
HIS_LOG_IN_S = (Claim, Contribution, EmailChange)  # that point to a log-in
# An app above this one says it of its own models: `GOES_WITH_LOG_IN` marks what belongs to one
# log-in alone, which is handed out whole, and deleted when its person is forgotten.
KEPT_BACK = frozenset({"password", "digest"})
LINK = re.compile(r"(/(?:inviti|account/email|password/nuova)/)\S+")  # what follows is a secret

# --- handed out -----------------------------------------------------------------------------------


def person_export(player: Player) -> dict[str, Any]:
    """All that the site holds of a person, as plain values.

    With him come those who were merged into him. Rows are under the model and the field by which
    they point to him. Passwords and the secrets of links are left out. Writes nothing.
    """
    people = _all_of(player)
    users = [each.user for each in people if each.user is not None]
    return {
        "person": [_row(each) for each in people],
        "log_ins": [_row(user) for user in users],
        "results": list(_results(people)),
        "rows": dict(_rows(people, users)),
        "mails": [
            _row(each) | {"body": LINK.sub(r"\1…", each.body)} for each in _mails(people, users)
        ],
        "log": list(_log(people, users)),
    }


def _all_of(player: Player) -> list[Player]:
    """He, and whoever was merged into him: one step, for every merge brings the earlier along."""
    return list(
        Player.objects.select_related("user")
        .filter(Q(pk=player.pk) | Q(merged_into=player))
        .order_by("pk")
    )


def _row(row: models.Model) -> dict[str, Any]:
    return {
        field.attname: field.value_from_object(row)
        for field in row._meta.concrete_fields
        if field.attname not in KEPT_BACK
    }


def _rows(people: Sequence[Player], users: Sequence[User]) -> Iterator[tuple[str, list[Any]]]:
    for field, whole in relations():
        wanted: Sequence[models.Model] = users if field.related_model is User else people
        rows = field.model._meta.base_manager.filter(**{f"{field.name}__in": wanted}).order_by("pk")
        found = [_row(row) for row in rows] if whole else list(rows.values_list("pk", flat=True))
        if found:
            yield f"{field.model._meta.label_lower}.{field.name}", found


def relations() -> list[tuple[models.ForeignKey[Any, Any], bool]]:
    """Every field that points to a player or to a log-in, and whether its rows are his, whole."""
    return [
        *((each, each.model not in ROLES) for each in pointing_to(Player)),
        *((each, _is_log_in_s(each)) for each in _to_log_ins()),
    ]


def _is_log_in_s(field: models.ForeignKey[Any, Any]) -> bool:
    return field.name == "user" and (field.model in HIS_LOG_IN_S or _goes_with_log_in(field))


def _goes_with_log_in(field: models.ForeignKey[Any, Any]) -> bool:
    return field.name == "user" and getattr(field.model, "GOES_WITH_LOG_IN", False) is True


def _to_log_ins() -> list[models.ForeignKey[Any, Any]]:
    return [each for each in pointing_to(User) if each.model is not Player]


def _results(people: Sequence[Player]) -> Iterator[dict[str, Any]]:
    """His games as he knows them, the first one first."""
    lines = ResultLine.objects.filter(player__in=people, result__state=Result.State.CONFIRMED)
    for line in (
        lines.select_related("seat", "result__table__round__prova__event")
        .select_related("result__table__round__prova__title")
        .order_by("result__table__round__prova__event__starts_on", "result__table", "pk")
    ):
        table = line.result.table
        yield {
            "event": table.event.name,
            "starts_on": table.event.starts_on,
            "title": table.title.code,
            "round": table.round.number,
            "table": table.number,
            "position": line.seat.position,
            "total": line.total,
            "place": line.place,
            "credited": line.credited,
        }


def _mails(people: Sequence[Player], users: Sequence[User]) -> EmailQuerySet:
    """Those written to him: to his log-in, and to where he was invited."""
    addresses = {address for user in users for address in base.addresses_of(user)}
    own = {each.email for each in people}
    own |= set(Invitation.objects.filter(player__in=people).values_list("email", flat=True))
    others = User.objects.filter(email__in=own).exclude(pk__in=[user.pk for user in users])
    addresses |= own - set(others.values_list("email", flat=True))
    found: EmailQuerySet = base.mails_to(addresses).order_by("pk")
    return found


def _log(people: Sequence[Player], users: Sequence[User]) -> Iterator[dict[str, Any]]:
    """What he did, and what was done to him: of the former, no words about others."""
    pks, doors = [each.pk for each in people], [user.pk for user in users]
    about = Q(subject="tournaments.player", subject_id__in=pks)
    about |= Q(subject="figf.user", subject_id__in=doors)
    for pk in pks:
        about |= Q(data__player=pk)
    entries = LogEntry.objects.filter(about | Q(actor__in=users))
    known = set(LogEntry.objects.filter(about).values_list("pk", flat=True))
    for entry in entries.order_by("at", "pk"):
        told = {"at": entry.at, "verb": entry.verb, "subject": entry.subject}
        told |= {"subject_id": entry.subject_id, "by_him": entry.actor_id in doors}
        yield told | ({"data": entry.data} if entry.pk in known else {})


# --- forgotten ------------------------------------------------------------------------------------

ANONYMOUS = "Anonimo"


@transaction.atomic
def forget_player(
    player: Player, by: User, now: datetime, confirm: str, *, elsewhere: Elsewhere = NOWHERE
) -> Player:
    """Take a person's name off everything: what he did stays, under a number.

    With him goes whoever was merged into him, and those merges cannot be undone any more. His
    log-in is closed; what belonged to it alone goes, invitations go, and so do mails, notes and
    words of his, and his name out of the reasons and rulings that are known to be about him. His
    terms as referee end. There is no way back. `confirm` is his surname, written once more. Locks
    log-in and players.

    Refuses another surname (`surname_differs`) and what `ties_of` finds.
    """
    if player.user_id is not None:
        User.objects.select_for_update(no_key=True).get(pk=player.user_id)
    rows = Player.objects.select_for_update(of=("self",), no_key=True).order_by("pk")
    held = list(rows.filter(Q(pk=player.pk) | Q(merged_into=player.pk)))
    player = next(each for each in held if each.pk == player.pk)
    for refusal in ties_of(player, now, elsewhere):
        raise refusal
    if names.letters(confirm) != names.letters(player.surname):
        raise Refused(
            "surname_differs", _("Write the surname as it is on the books."), field="confirm"
        )
    users = [each.user for each in held if each.user is not None]
    base.forget_mails(_mails(held, users), now)
    for each in held:
        _forget_words(each, by, now)
    for field in filter(_goes_with_log_in, _to_log_ins()):
        field.model._meta.base_manager.filter(**{f"{field.name}__in": users}).delete()
    for each in held:
        _forget(each, now)
        if each.user is not None:
            base.forget_login(each.user, str(each), by, now)
    Merge.objects.filter(Q(kept__in=held) | Q(gone__in=held)).update(moved=[])
    LogEntry.objects.record(by, "forget_player", player, now)
    return player


def _forget(player: Player, now: datetime) -> None:
    """The row itself: a neutral name, and nothing else of his."""
    player.invitations.all().delete()
    today = timezone.localdate(now)
    for term in player.referee_terms.filter(Q(ends_on=None) | Q(ends_on__gt=today)):
        term.ends_on = max(term.starts_on, today)
        term.save(update_fields=["ends_on"])
    player.surname, player.name = ANONYMOUS, str(player.pk)
    player.sort_key = names.sort_key(player.surname, player.name)
    player.club, player.town, player.nationality, player.email = None, "", "", ""
    player.forgotten_at = now
    player.save()


def _forget_words(player: Player, by: User, now: datetime) -> None:
    """His notes are emptied, and his name goes out of what others wrote of him."""
    player.entries.update(note="")
    player.claims.update(note="")
    if player.user is not None:
        player.user.claims.update(note="")
    labels = Contribution.objects.filter(user=None, draw__revealed_at__isnull=False)
    called = {player.full_name(), str(player)}
    base.forget_in_draws(labels.filter(label__in=called), _neutral(player), by, now)
    for each, whole in relations():
        if whole and each.related_model is Player:
            _unname(each.model._meta.base_manager.filter(**{each.name: player}), player)
    seats = Seat.objects.filter(holders__player=player)
    _unname(seats, player)
    _unname(Table.objects.filter(seats__in=seats), player)
    _unname(Result.objects.filter(table__seats__in=seats), player)


def _neutral(player: Player) -> str:
    return f"{ANONYMOUS} {player.pk}"


def _unname(rows: QuerySet[Any], player: Player) -> None:
    """His surname, with or without the first name, out of the free texts of some rows."""
    surname, name = re.escape(player.surname), re.escape(player.name)
    called = f"{name} {surname}|{surname} {name}|{surname}" if name else surname
    pattern = re.compile(rf"(?<!\w)(?:{called})(?!\w)", re.IGNORECASE)
    texts = [
        field.attname
        for field in rows.model._meta.concrete_fields
        if type(field) in {models.CharField, models.TextField} and not field.choices
    ]
    for row in rows.distinct():
        told = {
            text: pattern.sub(_neutral(player), getattr(row, text))[
                : row._meta.get_field(text).max_length
            ]
            for text in texts
            if pattern.search(getattr(row, text))
        }
        if told:
            rows.model._meta.base_manager.filter(pk=row.pk).update(**told)


# --- what holds him back --------------------------------------------------------------------------


def ties_of(player: Player, now: datetime, elsewhere: Elsewhere = NOWHERE) -> list[Refused]:
    """Why he cannot be forgotten now; nothing if he can.

    He is merged or forgotten already (`off_the_books`); a secretary (`is_secretary`); awaited in a
    draw (`in_open_draw`); enrolled or seated in an event that is not over, also by correspondence
    (`in_open_event`), directs or referees one (`directs_open_event`, `referees_open_event`); a
    decision about him still holds (`barred`, A-18); a request to be recognised as him waits
    (`claim_open`); or what `elsewhere` says.
    """
    if player.merged_into_id is not None or player.forgotten_at is not None:
        return [off_the_books(player)]
    found = list(_of_log_in(player))
    going = Event.objects.exclude(status__in=OVER)
    enrolled = Q(entries__player=player) & ~Q(entries__status="withdrawn")
    seated = Q(prove__play_rounds__tables__seats__holders__player=player)
    for reason, text, which in (
        ("in_open_event", _("He is in an event that is not over: %(events)s."), enrolled | seated),
        (
            "directs_open_event",
            _("He directs an event that is not over: %(events)s."),
            Q(director=player),
        ),
        (
            "referees_open_event",
            _("He referees at an event that is not over: %(events)s."),
            Q(prove__play_rounds__tables__referee=player),
        ),
    ):
        events = ", ".join(event.with_year() for event in going.filter(which).distinct())
        if events:
            found.append(Refused(reason, text % {"events": events}))
    if _is_barred(player, now):
        found.append(
            Refused("barred", _("A decision about him still holds: lift it first."), rule="A-18")
        )
    if player.claims.filter(decided_at=None).exists():
        found.append(
            Refused("claim_open", _("Somebody asks to be recognised as him: answer first."))
        )
    return found + elsewhere.ties(player)


def _of_log_in(player: Player) -> Iterator[Refused]:
    if player.user is not None:
        try:
            base.refuse_to_forget(player.user)
        except Refused as refusal:
            yield refusal


def _is_barred(player: Player, now: datetime) -> bool:
    """Whether he could not play today, or is out of a standing that is still open."""
    removals = Removal.objects.filter(player=player, lifted_at=None)
    out = Q(level=Removal.Level.ALL) | Q(season__closed_at=None, season__isnull=False)
    if removals.filter(out).exists():
        return True
    bans = Ban.objects.filter(player=player, lifted_at=None)
    return bans.exists() and any(_is_kept_out(player, kind, now) for kind in Event.Kind)


def _is_kept_out(player: Player, kind: str, now: datetime) -> bool:
    today = timezone.localdate(now)
    event = Event(
        season=Season(year=today.year),
        ordinal=0,
        kind=kind,
        regulation=registry.DEFAULT,
        starts_on=today,
        ends_on=today,
    )
    try:
        refuse_banned(player, event)
    except Refused:
        return True
    return False
