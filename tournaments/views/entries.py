"""Who comes to an event: the public list, the players' own buttons, and the roll call."""

from __future__ import annotations

import hashlib
from collections import Counter
from collections.abc import Callable, Iterable, Sequence
from datetime import datetime
from typing import Any
from urllib.parse import urlencode

from django.contrib import messages
from django.contrib.auth.decorators import login_required
from django.contrib.auth.views import redirect_to_login
from django.contrib.messages import get_messages
from django.db.models import Q
from django.http import HttpRequest, HttpResponse
from django.shortcuts import get_object_or_404, redirect, render
from django.urls import reverse
from django.utils import timezone
from django.utils.translation import gettext as _
from django.views.decorators.cache import never_cache
from django.views.decorators.http import require_http_methods, require_safe

from figf.errors import Refused
from figf.models import User
from figf.spreadsheets import csv_response
from figf.web import add_refusal, posted, signed_in
from tournaments import services
from tournaments.forms.entries import (
    AddForm,
    EnrolForm,
    EntryForm,
    NewcomerForm,
    RollForm,
    Tick,
)
from tournaments.models import Entry, Event, Player
from tournaments.rules import names
from tournaments.rules.regulation import Illegal
from tournaments.views.cups import until_formed
from tournaments.views.history import with_tables_only

FOUND_AT_MOST = 12
FEWEST_LETTERS = 2
UNDER_WAY = (Event.Status.ENROLLING, Event.Status.RUNNING)  # when the director's list is open

# A button whose refusal shows the page again at its own address. Opened otherwise (another language
# on that page, a log-in in between) the address leads to the page.
by_button = require_http_methods(["GET", "HEAD", "POST"])

# --- for everybody --------------------------------------------------------------------------------


@require_safe
@never_cache
@with_tables_only
def entry_list(request: HttpRequest, pk: int) -> HttpResponse:
    """Who is enrolled and who waits, and the reader's own button."""
    return _entry_list(request, _shown(request, pk))


def _entry_list(
    request: HttpRequest,
    event: Event,
    form: EnrolForm | None = None,
    refusal: Refused | None = None,
) -> HttpResponse:
    entries = list(event.entries.with_people().prefetch_related("copies"))
    enrolled = [entry for entry in entries if entry.status == Entry.Status.ENROLLED]
    waiting = _in_line(entries)
    manages = event.is_run_by(request.user)
    mine = next(
        (e for e in entries if e.player.user_id and e.player.user_id == request.user.pk), None
    )
    now = timezone.now()
    today = timezone.localdate(now)
    closes = event.enrolment_closes_at
    context = {
        "event": event,
        "manages": manages,
        "calls": manages and not services.is_formed_cup(event),
        "enrolled": enrolled,
        "waiting": waiting,
        "places_left": None if event.capacity is None else max(0, event.capacity - len(enrolled)),
        "mine": mine,
        "my_place": waiting.index(mine) + 1 if mine in waiting else 0,
        "player": getattr(request.user, "player", None),
        "open": services.is_open_to_players(event, now),
        "under_way": event.status in UNDER_WAY,
        "closed_at": closes if closes and closes < now else None,
        "in_its_days": _in_its_days(event),
        "over": today > event.ends_on,
        "form": form or EnrolForm(event),
        "games": _games(event, enrolled) if manages else [],
        "refusal": refusal,
    }
    refused = refusal or (form and form.errors)
    return render(request, "tournaments/entry_list.html", context, status=422 if refused else 200)


def _games(event: Event, enrolled: Sequence[Entry]) -> list[dict[str, Any]]:
    """Each prova: the copies offered against the tables foreseen for those who may come (A-07)."""
    coming = sum(e.until_round is None and e.present is not False for e in enrolled)
    offered = Counter(title.pk for entry in enrolled for title in entry.copies.all())
    rules = event.rules
    found = []
    for prova in event.prove.select_related("title").order_by("order"):
        try:
            ways = rules.compositions(coming, *prova.event_seats(), rules.readings)
            tables = len(ways[0].sizes)
        except Illegal:
            tables = None
        found.append({"prova": prova, "offered": offered[prova.title_id], "tables": tables})
    return found


@by_button
@with_tables_only
def enrol_me(request: HttpRequest, pk: int) -> HttpResponse:
    """The player's button: he enrols himself."""
    event = _shown(request, pk)
    if request.method != "POST":
        return redirect("entry_list", pk=pk)
    if not request.user.is_authenticated:
        return redirect_to_login(reverse("entry_list", args=[pk]))
    form = EnrolForm(event, request.POST)
    if not form.is_valid():
        return _entry_list(request, event, form)
    try:
        entry = services.enrol_oneself(
            event,
            signed_in(request),
            timezone.now(),
            copies=form.brought(),
            note=form.cleaned_data["note"],
        )
    except Refused as refusal:
        return _entry_list(request, event, form, refusal)
    place = services.place_in_list(entry)
    messages.success(
        request,
        _("All the places are taken: you are number %(place)d on the waiting list.")
        % {"place": place}
        if place
        else _("You are enrolled. A mail confirms it."),
    )
    return redirect("entry_list", pk=pk)


@login_required
@never_cache
@with_tables_only
def withdraw_me(request: HttpRequest, pk: int) -> HttpResponse:
    """The player withdraws: a page that asks once, and its button."""
    event = _shown(request, pk)
    entry = event.entries.with_people().filter(player__user=signed_in(request)).first()
    if entry is None or entry.status == Entry.Status.WITHDRAWN:
        messages.info(request, _("You are not enrolled in this event."))
        return redirect("entry_list", pk=pk)
    return _withdraw(request, entry, oneself=True)


@require_safe
@never_cache
def missing(request: HttpRequest, pk: int) -> HttpResponse:
    """For the big screen: who is enrolled and was not called present yet.

    It asks again by itself, saying what it has `seen`: no change, no answer.
    """
    event = get_object_or_404(Event.objects.filter(status__in=UNDER_WAY), pk=pk)
    entries = event.entries.enrolled().filter(until_round=None).with_people()
    people = [entry.player for entry in entries if entry.present is not True]
    seen = hashlib.sha256(repr([(p.pk, str(p)) for p in people]).encode()).hexdigest()[:16]
    if request.GET.get("seen") == seen:
        return HttpResponse(status=204)
    template = "_entry_missing.html" if "seen" in request.GET else "entry_missing.html"
    context = {"event": event, "people": people, "expected": len(entries), "seen": seen}
    return render(request, f"tournaments/{template}", context)


# --- the roll call --------------------------------------------------------------------------------


@login_required
@never_cache
@with_tables_only
@until_formed
def roll_call(request: HttpRequest, pk: int) -> HttpResponse:
    """The director's list: who is here, who has paid, who comes on the spot."""
    event = _run(request, pk)
    if "cerca" in request.GET and _by_htmx(request):
        return render(request, "tournaments/_entry_found.html", _search(request, event))
    if request.method != "POST":
        return _roll_page(request, event)
    form = RollForm(request.POST)
    if not form.is_valid():
        return _not_called(request, event, form)
    present = form.present()
    if "afresh" in request.POST:
        expected = event.entries.enrolled().filter(until_round=None)
        present |= dict.fromkeys(expected.values_list("pk", flat=True))
    try:
        changed = services.call(
            event,
            present,
            signed_in(request),
            timezone.now(),
            paid=form.paid(),
            rest_here="everybody" in request.POST,
        )
    except Refused as refusal:
        return _not_called(request, event, form, refusal)
    if _by_htmx(request):
        return render(request, "tournaments/_entry_called.html", _called(event, form))
    messages.success(request, _("Saved.") if changed else _("Nothing had changed."))
    wanted = request.GET.get("q", "")
    address = reverse("roll_call", args=[pk])
    return redirect(f"{address}?{urlencode({'q': wanted})}" if wanted else address)


def _called(event: Event, form: RollForm, problem: str = "") -> dict[str, Any]:
    """The rows just ticked, as they are now, and the sum of all."""
    entries = list(event.entries.with_people())
    rows = [_row(entry, problem=problem) for entry in entries if entry.pk in form.rows]
    return {"rows": rows, "counts": _counts(entries), "event": event}


def _not_called(
    request: HttpRequest, event: Event, form: RollForm, refusal: Refused | None = None
) -> HttpResponse:
    """Nothing was written: say why, and keep the ticks."""
    text = str(refusal.text if refusal else form.non_field_errors()[0])
    if _by_htmx(request):
        context = _called(event, form, problem=text)
        return render(request, "tournaments/_entry_called.html", context, status=422)
    refusal = refusal or Refused("ticks", text)
    return _roll_page(request, event, roll=form, refusal=refusal)


def _roll_page(
    request: HttpRequest,
    event: Event,
    *,
    roll: RollForm | None = None,
    newcomer: NewcomerForm | None = None,
    alike: Sequence[Player] = (),
    refusal: Refused | None = None,
) -> HttpResponse:
    entries = list(event.entries.with_people().prefetch_related("copies"))
    expected = [e for e in entries if e.status == Entry.Status.ENROLLED and e.until_round is None]
    wanted = names.letters(request.GET.get("q", ""))
    played = services.rounds_played(event)
    shown = [e for e in expected if wanted in e.player.sort_key.replace(" ", "")]
    rows = [_row(entry, roll, played.get(entry.player_id, 0)) for entry in shown]
    context = _search(request, event, entries) | {
        "event": event,
        "away": services.travels_of(event).away,
        "next": event.next_to_seat(),
        "rows": rows,
        "letters": _letters(rows),
        "counts": _counts(entries),
        "q": request.GET.get("q", ""),
        "left": [e for e in entries if e.status == Entry.Status.ENROLLED and e.until_round],
        "withdrawn": [e for e in entries if e.status == Entry.Status.WITHDRAWN],
        "waiting": _in_line(entries),
        "open": event.status in UNDER_WAY,
        "newcomer": newcomer or _newcomer(request, event),
        "alike": alike,
        "refusal": refusal,
        "told": _told(request),
        "again": "qui" in request.GET and not request.GET.get("cerca"),
    }
    refused = refusal or (newcomer is not None and newcomer.errors)
    return render(
        request, "tournaments/entry_roll_call.html", context, status=422 if refused else 200
    )


def _row(
    entry: Entry, roll: RollForm | None = None, played: int = 0, problem: str = ""
) -> dict[str, Any]:
    """One person of the list, with the ticks that the page sent if they were not saved."""
    now = Tick.of(entry)
    tick = roll.rows.get(entry.pk, now) if roll else now
    clash = roll is not None and entry.pk in roll.clashing
    return {
        "entry": entry,
        "was": roll.before.get(entry.pk, now) if roll else now,
        "here": tick.here is True,
        "absent": tick.here is False or clash,
        "paid": tick.paid,
        "played": played,
        "letter": "",
        "problem": problem or (_("Here or absent?") if clash else ""),
    }


def _letters(rows: list[dict[str, Any]]) -> list[str]:
    """The initials, each marked on the first row that begins with it."""
    seen: list[str] = []
    for row in rows:
        letter = row["entry"].player.sort_key[:1].upper()
        if letter not in seen:
            seen.append(letter)
            row["letter"] = letter
    return seen


def _counts(entries: Iterable[Entry]) -> dict[str, int]:
    expected = [e for e in entries if e.status == Entry.Status.ENROLLED and e.until_round is None]
    return {
        "expected": len(expected),
        "present": sum(entry.present is True for entry in expected),
        "absent": sum(entry.present is False for entry in expected),
        "not_called": sum(entry.present is None for entry in expected),
        "paid": sum(entry.paid for entry in expected),
    }


# --- on the spot ----------------------------------------------------------------------------------


def _search(
    request: HttpRequest, event: Event, entries: Iterable[Entry] | None = None
) -> dict[str, Any]:
    """Players on the books whose letters are those typed, each with what he is to this event."""
    typed = request.GET.get("cerca", "").strip()[:80]
    found: list[Player] = []
    if len(names.letters(typed)) >= FEWEST_LETTERS:
        words = typed.split()
        begins = Q(sort_key__contains=f" {names.letters(typed)}")
        for cut in range(1, len(words) + 1):
            key = names.sort_key(" ".join(words[:cut]), " ".join(words[cut:]))
            begins |= Q(sort_key__startswith=key)
        books = Player.objects.on_the_books().select_related("club")
        found = list(books.filter(begins)[: FOUND_AT_MOST + 1])
    if entries is None:
        entries = event.entries.filter(player__in=found)
    known = {e.player_id: e for e in entries if e.status != Entry.Status.WITHDRAWN}
    return {
        "event": event,
        "cerca": typed,
        "short": bool(typed) and len(names.letters(typed)) < FEWEST_LETTERS,
        "found": [(player, known.get(player.pk)) for player in found[:FOUND_AT_MOST]],
        "more": len(found) > FOUND_AT_MOST,
        "add": AddForm(_rounds(event), initial={"present": _here(request, event)}),
        "here": _here(request, event),
    }


def _rounds(event: Event) -> range:
    """The rounds from which somebody who comes now may still play."""
    if event.status != Event.Status.RUNNING:
        return range(0)
    rounds = services.rounds_of(event)
    return range(rounds.begun + 1, rounds.total + 1)


def _newcomer(request: HttpRequest, event: Event) -> NewcomerForm:
    """The empty form, with the surname that was looked for in vain."""
    typed = request.GET.get("cerca", "").replace("\0", "").strip()[:80]
    initial = {"surname": typed, "present": _here(request, event)}
    return NewcomerForm(_rounds(event), initial=initial)


def _here(request: HttpRequest, event: Event) -> bool:
    """Whether who is added is here: as it was said of the last one, or else on the event's days."""
    if not {"player", "surname"}.isdisjoint(request.POST):
        return "present" in request.POST
    said = request.GET.get("qui", "")
    return said == "1" if said in {"0", "1"} else _in_its_days(event)


def _in_its_days(event: Event) -> bool:
    return event.starts_on <= timezone.localdate() <= event.ends_on


@by_button
@login_required
@with_tables_only
@until_formed
def entry_add(request: HttpRequest, pk: int) -> HttpResponse:
    """Enrol a player on the books, on the spot."""
    event = _run(request, pk)
    if request.method != "POST":
        return redirect("roll_call", pk=pk)
    form = AddForm(_rounds(event), request.POST)
    if not form.is_valid():
        return _roll_page(request, event, refusal=_first_fault(form))
    data = form.cleaned_data
    return _added(
        request,
        event,
        lambda: services.enrol(
            event,
            data["player"],
            signed_in(request),
            timezone.now(),
            present=data["present"] or None,
            from_round=data["from_round"],
        ),
    )


@by_button
@login_required
@with_tables_only
@until_formed
def entry_newcomer(request: HttpRequest, pk: int) -> HttpResponse:
    """Register somebody whom the books do not know, and enrol him, in one step."""
    event = _run(request, pk)
    if request.method != "POST":
        return redirect("roll_call", pk=pk)
    form = NewcomerForm(_rounds(event), request.POST)
    if not form.is_valid():
        return _roll_page(request, event, newcomer=form)
    data = form.cleaned_data
    return _added(
        request,
        event,
        lambda: services.enrol_newcomer(
            event,
            data["surname"],
            data["name"],
            signed_in(request),
            timezone.now(),
            club=data["club"],
            town=data["town"],
            another=data["another"],
            present=data["present"] or None,
            from_round=data["from_round"],
        ),
        form,
    )


def _added(
    request: HttpRequest,
    event: Event,
    enrol: Callable[[], Entry],
    newcomer: NewcomerForm | None = None,
) -> HttpResponse:
    try:
        entry = enrol()
    except Refused as refusal:
        if newcomer is None:
            return _roll_page(request, event, refusal=refusal)
        add_refusal(newcomer, refusal)
        alike: Sequence[Player] = ()
        if refusal.reason == "maybe_duplicate":
            data = newcomer.cleaned_data
            alike = services.alike_players(data["surname"], data["name"])
        return _roll_page(request, event, newcomer=newcomer, alike=alike)
    messages.success(request, _welcome(entry), extra_tags=f"spot-{entry.pk}")
    here = int(_here(request, event))
    return redirect(f"{reverse('roll_call', args=[event.pk])}?qui={here}")  # the next one, please


def _welcome(entry: Entry) -> str:
    place = services.place_in_list(entry)
    if place:
        said = _("%(player)s is number %(place)d on the waiting list: all the places are taken.")
        return said % {"player": entry.player, "place": place}
    if entry.present:
        said = _("%(player)s is enrolled and here, to play from round %(round)d.")
    else:
        said = _("%(player)s is enrolled, to play from round %(round)d.")
    return said % {"player": entry.player, "round": entry.from_round}


@login_required
@never_cache
def entry_withdraw(request: HttpRequest, pk: int) -> HttpResponse:
    """The director writes that somebody does not come, or leaves half-way: asked once."""
    return _withdraw(request, _entry(request, pk), oneself=False)


def _withdraw(request: HttpRequest, entry: Entry, *, oneself: bool) -> HttpResponse:
    event, refusal = entry.event, None
    if request.method == "POST":
        try:
            entry = services.withdraw(entry, signed_in(request), timezone.now())
        except Refused as error:
            refusal = error
        else:
            if oneself:
                messages.success(request, _("You are not enrolled any more."))
                return redirect("entry_list", pk=event.pk)
            said = (
                _("%(player)s is withdrawn.")
                if entry.until_round is None
                else _("%(player)s has left after round %(round)d.")
            )
            said %= {"player": entry.player, "round": entry.until_round}
            return _back_to(request, entry, said)
    context = {
        "event": event,
        "entry": entry,
        "oneself": oneself,
        "played": services.last_round_played(entry),
        "closed": oneself and not _may_withdraw(request, event),
        "called_in": services.called_in_for(entry),
        "waiting": event.entries.waiting().exists(),
        "beyond": event.capacity is not None and event.entries.enrolled().count() > event.capacity,
        "refusal": refusal,
    }
    return render(
        request, "tournaments/entry_withdraw.html", context, status=422 if refusal else 200
    )


def _may_withdraw(request: HttpRequest, event: Event) -> bool:
    return event.is_run_by(request.user) or services.is_open_to_players(event, timezone.now())


@login_required
@never_cache
def entry_edit(request: HttpRequest, pk: int) -> HttpResponse:
    """The games that somebody brings (A-07), and the note: what the director hears at his desk."""
    entry = _entry(request, pk)
    event, refusal = entry.event, None
    kept = {"copies": [title.pk for title in entry.copies.all()], "note": entry.note}
    form = EntryForm(event, posted(request), initial=kept)
    if request.method == "POST" and form.is_valid():
        try:
            entry = services.amend_entry(
                entry,
                signed_in(request),
                timezone.now(),
                copies=form.brought(),
                note=form.cleaned_data["note"],
            )
        except Refused as error:
            refusal = error
        else:
            return _back_to(request, entry, _("Saved: %(player)s.") % {"player": entry.player})
    context = {
        "event": event,
        "entry": entry,
        "form": form,
        "open": event.status in UNDER_WAY,
        "refusal": refusal,
    }
    failed = refusal or form.errors
    return render(request, "tournaments/entry_edit.html", context, status=422 if failed else 200)


@by_button
@login_required
def entry_return(request: HttpRequest, pk: int) -> HttpResponse:
    """Who had left or withdrawn is back."""
    return _again(request, _entry(request, pk), services.come_back)


@by_button
@login_required
def entry_admit(request: HttpRequest, pk: int) -> HttpResponse:
    """From the waiting list, also beyond the places."""
    return _again(request, _entry(request, pk), services.admit)


def _again(
    request: HttpRequest, entry: Entry, verb: Callable[[Entry, User, datetime], Entry]
) -> HttpResponse:
    if request.method != "POST":
        return redirect("roll_call", pk=entry.event_id)
    try:
        entry = verb(entry, signed_in(request), timezone.now())
    except Refused as refusal:
        return _roll_page(request, entry.event, refusal=refusal)
    if services.place_in_list(entry):
        return _back_to(request, entry, _welcome(entry))
    enrolled, places = entry.event.entries.enrolled().count(), entry.event.capacity
    if places is not None and enrolled > places:
        said = _("%(player)s is in, beyond the places: %(n)d of %(places)d.")
    else:
        said = _("%(player)s is in.")
    said %= {"player": entry.player, "n": enrolled, "places": places}
    return _back_to(request, entry, said)


@require_safe
@login_required
@never_cache
@with_tables_only
def entry_csv(request: HttpRequest, pk: int) -> HttpResponse:
    """The list to take away: also notes, payments and copies, and no address."""
    event = _run(request, pk)
    entries = list(event.entries.with_people().prefetch_related("copies"))
    waiting = _in_line(entries)
    played = services.rounds_played(event)
    called = {True: _("here"), False: _("absent"), None: _("not called")}
    rows = [
        (
            entry.player.surname,
            entry.player.name,
            entry.player.club or "",
            entry.player.town,
            entry.get_status_display(),
            waiting.index(entry) + 1 if entry in waiting else "",
            timezone.localtime(entry.enrolled_at).strftime("%Y-%m-%d %H:%M"),
            called[entry.present] if entry.status == Entry.Status.ENROLLED else "",
            entry.from_round,
            entry.until_round,
            played.get(entry.player_id, 0),
            _("yes") if entry.paid else _("no"),
            ", ".join(title.code for title in entry.copies.all()),
            entry.note,
        )
        for entry in entries
    ]
    titles = [
        _("Surname"),
        _("First name"),
        _("Club"),
        _("Town"),
        _("Enrolment"),
        _("Place on the waiting list"),
        _("Enrolled at"),
        _("Roll call"),
        _("From round"),
        _("Until round"),
        _("Rounds played"),
        _("Paid"),
        _("Brings"),
        _("Note"),
    ]
    return csv_response(f"iscritti-{event.pk}", titles, rows)


# --- what they share ------------------------------------------------------------------------------


def _shown(request: HttpRequest, pk: int) -> Event:
    events = Event.objects.visible_to(request.user).select_related("season", "director")
    return get_object_or_404(events.distinct(), pk=pk)


def _run(request: HttpRequest, pk: int) -> Event:
    events = Event.objects.run_by(request.user).select_related("season", "director")
    return get_object_or_404(events, pk=pk)


def _entry(request: HttpRequest, pk: int) -> Entry:
    run = Event.objects.run_by(request.user)
    entries = Entry.objects.select_related("event__director", "player__club", "player__user")
    return get_object_or_404(entries.filter(event__in=run), pk=pk)


def _in_line(entries: Iterable[Entry]) -> list[Entry]:
    waiting = [entry for entry in entries if entry.status == Entry.Status.WAITING]
    return sorted(waiting, key=lambda entry: (entry.enrolled_at, entry.pk))


def _back_to(request: HttpRequest, entry: Entry, said: str) -> HttpResponse:
    """To the row on the roll call, where what was done is said beside it too."""
    messages.success(request, said, extra_tags=f"row-{entry.pk}")
    return redirect(f"{reverse('roll_call', args=[entry.event_id])}#entry-{entry.pk}")


def _told(request: HttpRequest) -> dict[str, Any]:
    """What was just done, where on the roll call it is read, and of whom."""
    for message in get_messages(request):
        where, dash, pk = str(message.extra_tags or "").partition("-")
        if dash and where in {"spot", "row"} and pk.isdigit():
            return {where: int(pk), "text": str(message)}
    return {}


def _by_htmx(request: HttpRequest) -> bool:
    return bool(getattr(request, "htmx", False))


def _first_fault(form: AddForm) -> Refused:
    field, errors = next(iter(form.errors.items()))
    return Refused("not_added", str(errors[0]), field=field)
