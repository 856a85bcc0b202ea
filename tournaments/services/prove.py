"""The prove of an event: which titles, in which order, in how many rounds."""

from __future__ import annotations

import hashlib
from datetime import datetime

from django.db import transaction
from django.db.models import Max
from django.utils.translation import gettext as _

from figf.errors import Refused
from figf.models import LogEntry, User
from tournaments.models import Event, Prova, Round, Title
from tournaments.rules import calendar
from tournaments.rules.regulation import Illegal
from tournaments.services.refusals import is_formed_cup, refuse_formed_cup, refused

CHANGING = (Event.Status.DRAFT, Event.Status.ENROLLING, Event.Status.RUNNING)


def prove_edition(event: Event) -> str:
    """A mark of the event's prove as they are: a page that shows another one is stale."""
    prove = event.prove.order_by("order").values_list("pk", "title_id", "order", "rounds")
    return hashlib.sha256(repr(list(prove)).encode()).hexdigest()[:16]


def prove_may_change(event: Event) -> bool:
    """Whether the event is still at a point where prove come and go."""
    return event.status in CHANGING and not is_formed_cup(event)


@transaction.atomic
def add_prova(
    event: Event, title: Title, by: User, now: datetime, *, rounds: int = 1, seen: str | None = None
) -> Prova:
    """One more title at the event, in so many rounds.

    Locks the event. Refuses more rounds than the regulation has (`rounds`, `too_many_rounds`,
    A-04), prove that changed since the page with the edition `seen` (`stale`), a cup whose tables
    are formed (`cup_formed`), an event whose results are complete, or that is not to be held
    (`prove_settled`, A-15). A title not played any more is admitted: `remarks` (A-05).
    """
    event = _locked(event.pk, seen)
    _check_rounds(rounds, event)
    last = event.prove.aggregate(last=Max("order"))["last"] or 0
    prova = Prova.objects.create(event=event, title=title, order=last + 1, rounds=rounds)
    LogEntry.objects.record(by, "add_prova", event, now, prova=prova.pk)
    return prova


@transaction.atomic
def amend_prova(
    prova: Prova,
    title: Title,
    by: User,
    now: datetime,
    *,
    rounds: int = 1,
    seen: str | None = None,
) -> Prova:
    """Another title, or another number of rounds. Nothing changed: nothing written.

    Locks the event. Refuses as `add_prova`, one that is no more (`prova_gone`), and once a round of
    it is seated, or for the rounds, of a later one (`prova_seated`).
    """
    event = _locked(prova.event_id, seen)
    prova = _found(prova)
    _check_rounds(rounds, event)
    if (prova.title_id, prova.rounds) == (title.pk, rounds):
        return prova
    _refuse_seated(prova)
    if rounds != prova.rounds:
        _refuse_later_seated(prova)
    prova.title, prova.rounds = title, rounds
    prova.save(update_fields=["title", "rounds"])
    LogEntry.objects.record(by, "amend_prova", event, now, prova=prova.pk)
    return prova


@transaction.atomic
def remove_prova(prova: Prova, by: User, now: datetime, *, seen: str | None = None) -> None:
    """Take a prova away; those after it move up.

    Locks the event. Refuses as `amend_prova`, once a later prova is seated (`prova_seated`), and
    the last one of an event that is not a draft (`no_prove`, A-06).
    """
    event = _locked(prova.event_id, seen)
    prova = _found(prova)
    _refuse_seated(prova)
    _refuse_later_seated(prova)
    if event.status != Event.Status.DRAFT and event.prove.count() == 1:
        raise Refused(
            "no_prove",
            _("An event open to enrolment has a prova at least: add the other title first."),
            rule="A-06",
        )
    key, order = prova.pk, prova.order
    prova.delete()
    for later in event.prove.filter(order__gt=order).order_by("order"):
        later.order -= 1
        later.save(update_fields=["order"])
    LogEntry.objects.record(by, "remove_prova", event, now, prova=key)


@transaction.atomic
def move_prova(
    prova: Prova, by: User, now: datetime, *, up: bool, seen: str | None = None
) -> Prova:
    """Play a prova before the one before it, or after the one after it; at the ends, nothing.

    Locks the event. Refuses as `amend_prova`, also when the other one is seated.
    """
    event = _locked(prova.event_id, seen)
    prova = _found(prova)
    _refuse_seated(prova)
    before = event.prove.filter(order__lt=prova.order).order_by("-order")
    after = event.prove.filter(order__gt=prova.order).order_by("order")
    other = (before if up else after).first()
    if other is None:
        return prova
    _refuse_seated(other)
    here, there = prova.order, other.order
    for each, order in ((prova, 0), (other, here), (prova, there)):  # an order is never twice
        each.order = order
        each.save(update_fields=["order"])
    LogEntry.objects.record(by, "move_prova", event, now, prova=prova.pk, order=there)
    return prova


def _locked(event_pk: int, seen: str | None) -> Event:
    event = Event.objects.select_for_update(of=("self",), no_key=True).get(pk=event_pk)
    if seen is not None and seen != prove_edition(event):
        raise Refused(
            "stale", _("The prove have changed meanwhile: look at them, and repeat if need be.")
        )
    refuse_formed_cup(event)
    if not prove_may_change(event):
        raise Refused(
            "prove_settled",
            _("Prove can change only until the results are complete."),
            rule="A-15",
        )
    return event


def _found(prova: Prova) -> Prova:
    found = Prova.objects.filter(pk=prova.pk).first()
    if found is None:
        raise Refused("prova_gone", _("This prova is there no more."))
    return found


def _check_rounds(rounds: int, event: Event) -> None:
    try:
        calendar.check_rounds(rounds, event.rules.most_rounds)
    except Illegal as illegal:
        raise refused(illegal) from None


def _refuse_seated(prova: Prova) -> None:
    if prova.play_rounds.filter(status=Round.Status.PUBLISHED).exists():
        raise Refused(
            "prova_seated",
            _("Prova %(n)d has published tables: it can no longer change.") % {"n": prova.order},
            rule="B-17",
        )
    if prova.play_rounds.exists():
        raise Refused(
            "prova_seated",
            _("Prova %(n)d has a draft of its tables: discard the draft first.")
            % {"n": prova.order},
            rule="B-17",
        )


def _refuse_later_seated(prova: Prova) -> None:
    """The rounds of an event are numbered through: one in the middle cannot come or go."""
    later = Round.objects.filter(prova__event_id=prova.event_id, prova__order__gt=prova.order)
    seated = later.select_related("prova").first()
    if seated is not None:
        raise Refused(
            "prova_seated",
            _("Prova %(n)d, which comes later, is seated: the numbers of its rounds would change.")
            % {"n": seated.prova.order},
            rule="B-17",
        )
