"""What happened at a table, for who runs its event: handicaps, exclusions, changes of hands, void.

One page, each thing a small form that says what it does; all of them send to the page's own
address.
"""

from __future__ import annotations

from typing import Any

from django.contrib import messages
from django.contrib.auth.decorators import login_required
from django.db.models import Q
from django.forms import Form
from django.http import Http404, HttpRequest, HttpResponse
from django.shortcuts import get_object_or_404, redirect, render
from django.urls import reverse
from django.utils import timezone
from django.utils.translation import gettext as _
from django.views.decorators.cache import never_cache

from figf.errors import Refused
from figf.models import LogEntry
from figf.web import signed_in
from tournaments import services
from tournaments.forms.incidents import FORMS
from tournaments.models import Entry, Holder, Player, Round, Seat, Table
from tournaments.rules import names

BOXES = {
    "handicap": ("amount", "reason"),
    "exclude": ("ruling",),
    "substitute": ("player",),
    "exclusion": ("exclusion", "reason"),
    "void": ("reason",),
}
FEWEST_LETTERS = 2
FOUND_AT_MOST = 20


@login_required
@never_cache
def table_incidents(request: HttpRequest, pk: int) -> HttpResponse:
    """What can be written of each seat and of the game; a POST does one of it, by its `action`."""
    tables = Table.objects.run_by(request.user).with_everything().distinct()
    table = get_object_or_404(tables, pk=pk)
    if table.round.status != Round.Status.PUBLISHED:
        return redirect(table.round)
    if request.method != "POST":
        return _page(request, table)
    action = request.POST.get("action", "")
    if action not in FORMS:
        return _page(request, table, _malformed())
    form = FORMS[action](request.POST)
    if not form.is_valid():
        return _page(request, table, _first_fault(form))
    try:
        said, seat = _do(request, table, action, form.cleaned_data)
    except Refused as refusal:
        found = tables.filter(pk=pk).first()  # dealt again meanwhile: its round says so
        return _page(request, found, refusal) if found else redirect(table.round)
    messages.success(request, said)
    address = reverse("table_incidents", args=[pk])
    return redirect(f"{address}#seat-{seat.pk}" if seat else address)


def _malformed() -> Refused:
    return Refused("malformed", _("The page was not sent whole: try again."))


def _stale_seat() -> Refused:
    return Refused("stale", _("Somebody changed this seat meanwhile. Here it is as it stands now."))


def _first_fault(form: Form) -> Refused:
    """What a form could not read, on the box in sight; a hidden one was not sent whole."""
    for name in ("amount", "reason", "ruling", "player", "exclusion"):
        if name in form.errors and form.fields[name].label:
            rule = {"amount": "C-09", "player": "C-13"}.get(name, "")
            return Refused("malformed", str(form.errors[name][0]), rule=rule, field=name)
    return _malformed()


def _do(
    request: HttpRequest, table: Table, action: str, data: dict[str, Any]
) -> tuple[str, Seat | None]:
    """Do what was asked; what is then said, and the seat that it was about."""
    if "seat" in data:
        seat = _seat(table, data["seat"])
        return _do_at_seat(request, table, seat, action, data), seat
    by, now = signed_in(request), timezone.now()
    match action:
        case "lift":
            services.lift(get_object_or_404(table.removals, pk=data["removal"]), by, now)
            return _("The exclusion is lifted."), None
        case "exclusion":
            services.decide_exclusion(table, data["exclusion"], data["reason"], by, now)
            return _("The decision on the excluded total is written."), None
        case "void":
            services.void_table(table, data["reason"], by, now)
            return _("The game is void."), None
    services.unvoid_table(table, by, now)
    return _("The game is valid again."), None


def _do_at_seat(
    request: HttpRequest, table: Table, seat: Seat, action: str, data: dict[str, Any]
) -> str:
    by, now = signed_in(request), timezone.now()
    match action:
        case "handicap":
            amount = data["amount"]
            services.give_handicap(seat, amount, data["reason"], by, now, was=data["was"])
            return _("The handicap is written.") if amount else _("There is no handicap.")
        case "exclude":
            player = get_object_or_404(Player, pk=data["player"])
            services.exclude(table, player, data["ruling"], by, now)
            return _("Excluded from the classification of this game.")
        case "take_back":
            services.take_back_hand_over(seat, by, now, holding=data["holding"])
            return _("The change of hands is taken back.")
    newcomer = _who_plays_on(seat, action, data)
    services.hand_over(seat, newcomer, action, by, now, holding=data["holding"])
    return _("The seat has changed hands.")


def _who_plays_on(seat: Seat, action: str, data: dict[str, Any]) -> Player | None:
    if action == Holder.Why.REFEREE:
        return None
    if action == Holder.Why.SUBSTITUTE:
        known = Player.objects.on_the_books().exclude(pk__in=services.struck_off())
        return get_object_or_404(known, pk=data["player"])
    absent = seat.holder().player
    if absent is None:
        raise _stale_seat()
    return absent


def _seat(table: Table, pk: int) -> Seat:
    found = next((seat for seat in table.seats.all() if seat.pk == pk), None)
    if found is None:
        raise Http404
    return found


# --- the page -------------------------------------------------------------------------------------


def _page(request: HttpRequest, table: Table, refusal: Refused | None = None) -> HttpResponse:
    """The table as it stands; with a refusal, also what was typed where it was typed."""
    typed = (
        {name: str(value).replace("\0", "") for name, value in request.POST.items()}
        if refusal
        else {}
    )
    result = table.confirmed()
    lines = {line.seat_id: line for line in result.lines.all()} if result else {}
    excluded = {r.player_id: r for r in table.removals.all() if r.lifted_at is None}
    rows = [
        {
            "seat": seat,
            "holder": seat.holder(),
            "before": list(seat.holders.all())[:-1],
            "removal": excluded.pop(seat.holder().player_id or 0, None),
            "line": lines.get(seat.pk),
            "typed": typed if typed.get("seat") == str(seat.pk) else {},
        }
        for seat in table.seats.all()
    ]
    if refusal:
        typed["fault"] = _fault(typed.get("action", ""), refusal.field)
    void = table.status == Table.Status.VOID
    context = {
        "table": table,
        "event": table.event,
        "rules": table.event.rules,
        "result": result,
        "rows": rows,
        "left": list(excluded.values()),  # excluded, and then gone from the table
        "excluded": any(row["removal"] for row in rows) or bool(excluded),
        "open": table.event.accepts_results() and table.started_at is not None,
        "void": void,
        "void_reason": _void_reason(table) if void else "",
        "typed": typed,
        "refusal": refusal,
        "who": next((row["holder"] for row in rows if row["typed"]), None),
        **_excluded_total(table, typed),
        **_substitutes(request, table),
    }
    return render(
        request, "tournaments/table_incidents.html", context, status=422 if refusal else 200
    )


def _fault(action: str, field: str) -> str:
    """Which of the boxes in sight of the form `action` a refusal is about; "" for none of them."""
    if (action, field) == ("exclude", "reason"):
        return "ruling"  # the reason that the service misses is the ruling
    return field if field in BOXES.get(action, ()) else ""


def _void_reason(table: Table) -> str:
    entry = LogEntry.objects.about(table).filter(verb="void_table").first()
    return str(entry.data.get("reason", "")) if entry else ""


def _excluded_total(table: Table, typed: dict[str, str]) -> dict[str, Any]:
    """What was decided of it, or was about to be; and what can be."""
    here = typed.get("action") == "exclusion"
    return {
        "exclusion": typed.get("exclusion", "") if here else table.exclusion,
        "exclusion_reason": typed.get("reason", "") if here else table.exclusion_reason,
        "exclusions": [("", _("as the regulation has it")), *Table.Exclusion.choices],
    }


def _substitutes(request: HttpRequest, table: Table) -> dict[str, Any]:
    """Who may be asked to sit down: the enrolled without a seat in this round, and who is found."""
    seated = Holder.objects.filter(seat__table__round=table.round_id, ends_at=None)
    sat_here = Holder.objects.filter(seat__table=table)
    busy = {pk for pk in seated.values_list("player", flat=True) if pk} | {
        pk for pk in sat_here.values_list("player", flat=True) if pk
    }
    known = Player.objects.on_the_books().exclude(pk__in=services.struck_off())
    free = known.exclude(pk__in=busy)
    enrolled = table.event.entries.exclude(status=Entry.Status.WITHDRAWN)
    wanted = Q(pk__in=enrolled.values("player"))
    typed = request.GET.get("cerca", "").replace("\0", "").strip()[:80]
    key = names.letters(typed)
    found: list[Player] = []
    if len(key) >= FEWEST_LETTERS:
        like = Q(sort_key__startswith=key) | Q(sort_key__contains=f" {key}")
        found = list(known.filter(like)[:FOUND_AT_MOST])
    offered = [player.pk for player in found]
    chosen = request.POST.get("player", "")
    if chosen.isascii() and chosen.isdigit() and len(chosen) < 19:
        offered.append(int(chosen))
    at = {holder.player_id: holder.seat.table for holder in seated.select_related("seat__table")}
    return {
        "substitutes": list(free.filter(wanted | Q(pk__in=offered)).select_related("club")),
        "cerca": typed,
        "found": [player for player in found if player.pk not in busy],
        "taken": [(player, at.get(player.pk)) for player in found if player.pk in busy],
        "short": bool(typed) and len(key) < FEWEST_LETTERS,
    }
