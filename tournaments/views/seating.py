"""The tables of a round: formed, changed by hand, published, started; and as the public sees them.

What the director does here is `round_desk` until the publication, `seating` after it.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from typing import Any

import segno
from django.conf import settings
from django.contrib import messages
from django.contrib.auth.decorators import login_required
from django.http import Http404, HttpRequest, HttpResponse
from django.shortcuts import get_object_or_404, redirect, render
from django.urls import reverse
from django.utils import timezone
from django.utils.safestring import mark_safe
from django.utils.translation import gettext, ngettext
from django.utils.translation import gettext as _
from django.views.decorators.cache import never_cache
from django.views.decorators.http import require_safe

from figf.errors import Refused
from figf.models import LogEntry
from figf.spreadsheets import csv_response
from figf.web import add_refusal, posted, signed_in
from tournaments import services, texts
from tournaments.forms.seating import DrawForm, EditForm, EditionForm, RefereeForm, written
from tournaments.models import Event, Prova, Round, Seat, Table
from tournaments.rules.regulation import FieldKind, Step
from tournaments.rules.tables import one_short
from tournaments.views.history import with_tables_only
from tournaments.views.standings import RankingBefore

EDITS = {"swap_seats", "move_seats", "seat_player", "unseat"}


# --- the director's page until the publication ----------------------------------------------------


@login_required
@never_cache
def round_desk(
    request: HttpRequest, pk: int, number: int, ranking_before: RankingBefore
) -> HttpResponse:
    """Form the tables of a round, and look at the draft. A POST forms them, or forms them again."""
    prova = _prova(request, pk, number)
    seated = prova.play_rounds.filter(number=number).first()
    if seated and seated.status == Round.Status.PUBLISHED:
        return redirect(seated)
    prospect = services.prospect(prova, number)
    ranking = ranking_before(prova.event.starts_on)
    form = DrawForm(prospect.compositions, posted(request))
    refusal: Refused | None = None
    if request.method == "POST" and form.is_valid():
        try:
            services.draw_round(
                prova,
                number,
                ranking.points,
                ranking.as_of,
                signed_in(request),
                timezone.now(),
                sizes=form.chosen(),
                reason=form.cleaned_data["reason"],
                provisional=form.cleaned_data["provisional"],
                edition=form.cleaned_data["edition"],
            )
        except Refused as error:
            refusal = error
        else:
            return redirect("round_desk", pk=pk, number=number)
    return _desk(request, prova, number, ranking, prospect=prospect, form=form, refusal=refusal)


def _prova(request: HttpRequest, pk: int, number: int) -> Prova:
    """The prova of an event that the reader runs, if it has such a round."""
    mine = Prova.objects.filter(event__in=Event.objects.run_by(request.user))
    prova = get_object_or_404(mine.select_related("event__season", "title"), pk=pk)
    if not 1 <= number <= prova.rounds:
        raise Http404
    return prova


def _desk(
    request: HttpRequest,
    prova: Prova,
    number: int,
    ranking: Any,
    *,
    prospect: services.Prospect | None = None,
    form: DrawForm | None = None,
    edit: EditForm | None = None,
    refusal: Refused | None = None,
) -> HttpResponse:
    prospect = prospect or services.prospect(prova, number)
    draft = prova.play_rounds.with_seating().filter(number=number).first()
    edits = _edits(draft) if draft else []
    picked = set(edit.cleaned_data.get("seat") or ()) if edit and edit.is_bound else set()
    reason = edit["reason"].value() if edit else (edits[0].data["reason"] if edits else "")
    tables = list(_tables(draft, picked)) if draft else []
    context = {
        "prova": prova,
        "event": prova.event,
        "away": services.travels_of(prova.event).away,
        "rules": prova.event.rules,
        "number": number,
        "prospect": prospect,
        "unseatable": texts.refusal(prospect.illegal) if prospect.illegal else "",
        "options": [
            {
                "value": written(c),
                "sizes": c.sizes,
                "tables": len(c.sizes),
                "why": texts.explain(c.step, {}),
                "rule": c.step.rule,
            }
            for c in prospect.compositions
        ],
        "ranking": ranking,
        "form": form or DrawForm(prospect.compositions),
        "draft": draft,
        "tables": tables,
        "no_referee": [row["table"] for row in tables if row["table"].misses_referee()],
        "later": _later(tables),
        "state": services.state_of(draft) if draft else None,
        "sizes_why": _sizes_why(draft) if draft else "",
        "edits": edits,
        "reason": reason,
        "refusal": refusal,
    }
    bad = (
        refusal is not None
        or (form is not None and bool(form.errors))
        or bool(edit and edit.errors)
    )
    return render(request, "tournaments/round_desk.html", context, status=422 if bad else 200)


def _edits(seated: Round) -> list[LogEntry]:
    """What was changed by hand since the tables were last formed, the latest first."""
    found: list[LogEntry] = []
    for entry in LogEntry.objects.about(seated).select_related("actor"):
        if entry.verb == "draw_round":
            break
        if entry.verb in EDITS:
            found.append(entry)
    return found


def _tables(
    seated: Round, picked: set[int] | frozenset[int] = frozenset()
) -> Iterator[dict[str, Any]]:
    """Each table as the pages show it: its seats, what put each player there, what is amiss."""
    fewest, most = seated.prova.event_seats()
    rules = seated.event.rules
    for table in seated.tables.all():
        seats = list(table.seats.all())
        yield {
            "table": table,
            "seats": [_seat(seat, table, seat.pk in picked) for seat in seats],
            "fits": rules.admits(len(seats), fewest, most),
            "bye": rules.bye is not None and len(seats) == 1,
            "short": one_short(len(seats), 1, fewest),
        }


def _later(tables: list[dict[str, Any]]) -> bool:
    """Whether it was the event's standing that seated them, not the ranking."""
    return any(seat["rule"] in {"B-12", "B-13"} for row in tables for seat in row["seats"])


def _seat(seat: Seat, table: Table, picked: bool) -> dict[str, Any]:
    step = Step.from_json(seat.why["step"], table.event.rules.kind) if seat.why else None
    values = dict(step.values) if step else {}
    facts = values.get("total", values.get("points", ""))
    return {
        "seat": seat,
        "player": seat.holder().player or _("a referee"),
        "picked": picked,
        "facts": texts.number(facts) if facts != "" else "",
        "why": texts.explain(step, {}) if step else "",
        "rule": step.rule if step else "",
        "by_hand": seat.moved_by_hand(table.number),
        "from_table": seat.why.get("table") if seat.why else None,
    }


def _sizes_why(seated: Round) -> str:
    if not seated.sizes_step:
        return ""
    return texts.explain(Step.from_json(seated.sizes_step, seated.event.rules.kind))


@login_required
@never_cache
def round_edit(request: HttpRequest, pk: int, ranking_before: RankingBefore) -> HttpResponse:
    """One change by hand of a draft; the page comes back with what was picked if it is refused.

    Opened by its address, as after a log-in, it leads to the page that has its button; so do the
    others here that answer to one.
    """
    draft = _round(request, pk)
    if request.method != "POST":
        return _back_to(draft)
    form = EditForm(request.POST)
    refusal: Refused | None = None
    if form.is_valid():
        try:
            _edit(draft, form.cleaned_data, request)
        except Refused as error:
            refusal = error
        else:
            return _back_to(draft)
    else:
        refusal = Refused("malformed", _("The page was not sent whole: try again."))
    return _refused(request, draft, ranking_before, refusal, form)


def _edit(draft: Round, data: dict[str, Any], request: HttpRequest) -> None:
    edition, reason = data["edition"], data["reason"]
    by, now = signed_in(request), timezone.now()
    match data["action"]:
        case "swap":
            services.swap_seats(draft, data["seat"], edition, reason, by, now)
        case "move":
            services.move_seats(draft, data["seat"], data["table"] or 0, edition, reason, by, now)
        case "add_table":
            services.add_table(draft, data["seat"], edition, reason, by, now)
        case "unseat":
            services.unseat(draft, data["seat"], edition, reason, by, now)
        case "seat":
            entry = draft.event.entries.filter(player=data["player"]).select_related("player")
            player = get_object_or_404(entry).player
            services.seat_player(draft, player, data["table"] or 0, edition, reason, by, now)


def _round(request: HttpRequest, pk: int) -> Round:
    return get_object_or_404(Round.objects.run_by(request.user).with_seating().distinct(), pk=pk)


def _edition(request: HttpRequest) -> int:
    """The state of the seating that the sender was looking at; none is a state that never was."""
    form = EditionForm(request.POST)
    return int(form.cleaned_data["edition"]) if form.is_valid() else -1


def _back_to(seated: Round) -> HttpResponse:
    return redirect("round_desk", pk=seated.prova_id, number=seated.number)


def _refused(
    request: HttpRequest,
    draft: Round,
    ranking_before: RankingBefore,
    refusal: Refused,
    edit: EditForm | None = None,
) -> HttpResponse:
    """The draft again, or the round published meanwhile, with what was refused above it."""
    if draft.status == Round.Status.PUBLISHED:
        return _seating(request, draft, refusal)
    ranking = ranking_before(draft.event.starts_on)
    return _desk(request, draft.prova, draft.number, ranking, edit=edit, refusal=refusal)


@login_required
@never_cache
def round_publish(request: HttpRequest, pk: int, ranking_before: RankingBefore) -> HttpResponse:
    draft = _round(request, pk)
    if request.method != "POST":
        return _back_to(draft)
    try:
        services.publish_round(draft, _edition(request), signed_in(request), timezone.now())
    except Refused as refusal:
        return _refused(request, draft, ranking_before, refusal)
    messages.success(request, _("The tables are published, and a mail is on its way."))
    return redirect(draft)


@login_required
@never_cache
def round_discard(request: HttpRequest, pk: int, ranking_before: RankingBefore) -> HttpResponse:
    draft = _round(request, pk)
    if request.method != "POST":
        return _back_to(draft)
    try:
        services.discard_draft(draft, _edition(request), signed_in(request), timezone.now())
    except Refused as refusal:
        return _refused(request, draft, ranking_before, refusal)
    messages.success(request, _("The draft is gone."))
    return _back_to(draft)


# --- the published round --------------------------------------------------------------------------


@require_safe
def seating(request: HttpRequest, pk: int, ranking_before: RankingBefore) -> HttpResponse:
    """Who sits where, and why: for everybody; who runs the event finds here what comes next."""
    seated = get_object_or_404(Round.objects.with_seating(), pk=pk)
    if seated.event not in Event.objects.visible_to(request.user):
        raise Http404
    if seated.status == Round.Status.PUBLISHED:
        return _seating(request, seated, ranking=ranking_before(seated.event.starts_on).points)
    # Taken back: who comes by a link sent before finds the event; who runs it, the draft.
    return _back_to(seated) if seated.event.is_run_by(request.user) else redirect(seated.event)


def _seating(
    request: HttpRequest,
    seated: Round,
    refusal: Refused | None = None,
    ranking: Mapping[int, int] | None = None,
) -> HttpResponse:
    manages = seated.event.is_run_by(request.user)
    tables = list(_tables(seated))
    unstarted = [row["table"] for row in tables if row["table"].started_at is None]
    open_to_change = manages and seated.event.status == Event.Status.RUNNING
    watched = open_to_change and bool(unstarted)
    context = {
        "round": seated,
        "event": seated.event,
        "rules": seated.event.rules,
        "prova": seated.prova,
        "tables": tables,
        "later": _later(tables),
        "other_ranking": ranking is not None and services.by_another_ranking(seated, ranking),
        "sizes_why": _sizes_why(seated),
        "manages": manages,
        "open": open_to_change,
        "unstarted": unstarted,
        "state": services.state_of(seated) if watched else None,
        "elsewhere": services.still_playing(seated) if watched else [],
        "seated": sum(len(row["seats"]) for row in tables),
        "foreseen": seated.sizes_step.get("values", {}).get("players"),
        "no_referee": [row["table"] for row in tables if row["table"].misses_referee()],
        "results": seated.has_results(),
        "formed": services.is_formed_cup(seated.event),
        "refusal": refusal,
        "me": getattr(request.user, "player", None),
    }
    return render(request, "tournaments/seating.html", context, status=422 if refusal else 200)


@require_safe
@with_tables_only
def event_screen(request: HttpRequest, pk: int) -> HttpResponse:
    """The tables last published, for the projector: large, dark, with nothing to press.

    It keeps itself fresh: another round published, somebody who has not come, a publication taken
    back.
    """
    event = get_object_or_404(Event.objects.visible_to(request.user).distinct(), pk=pk)
    published = Round.objects.with_seating().filter(
        prova__event=event, status=Round.Status.PUBLISHED
    )
    seated = published.order_by("-published_at", "-pk").first()
    seen = f"{seated.pk}-{seated.edition}" if seated else "none"
    if request.GET.get("seen") == seen:
        return HttpResponse(status=204)
    template = "_event_screen" if "seen" in request.GET else "event_screen"
    tables = list(_tables(seated)) if seated else []
    context = {"round": seated, "event": event, "tables": tables, "seen": seen}
    return render(request, f"tournaments/{template}.html", context)


@require_safe
def seating_csv(request: HttpRequest, pk: int) -> HttpResponse:
    """The tables for a spreadsheet."""
    rounds = Round.objects.visible_to(request.user).with_seating()
    seated = get_object_or_404(rounds.distinct(), pk=pk, status=Round.Status.PUBLISHED)
    header = [_("Table"), _("Seat"), _("Surname"), _("First name"), _("Why"), _("Article")]
    rows = [
        [
            row["table"].number,
            seat["seat"].position,
            seat["seat"].holder().player.surname,
            seat["seat"].holder().player.name,
            seat["why"],
            seat["rule"],
        ]
        for row in _tables(seated)
        for seat in row["seats"]
        if seat["seat"].holder().player
    ]
    return csv_response("tavoli.csv", header, rows)


@login_required
@require_safe
def table_sheets(request: HttpRequest, pk: int) -> HttpResponse:
    """A4 sheets for the tables of a round, one page each: names, seats, room for the count."""
    seated = _round(request, pk)
    tables = [row for row in _tables(seated) if not row["bye"]]
    for row in tables:
        row["address"] = settings.SITE_URL + reverse("short_link", args=[row["table"].pk])
        row["qr"] = mark_safe(segno.make(row["address"], micro=False).svg_inline(scale=3, border=1))  # noqa: S308 - of digits and our own address
    rules = seated.event.rules
    labels = [gettext(field.label) for field in rules.fields]  # in the order of the screen
    context = {
        "round": seated,
        "event": seated.event,
        "rules": rules,
        "tables": tables,
        "labels": labels,
        "money": any(field.kind == FieldKind.MONEY for field in rules.fields),
    }
    return render(request, "tournaments/table_sheets.html", context)


@require_safe
def short_link(request: HttpRequest, pk: int) -> HttpResponse:
    """The code printed on a table's sheet: to the counting sheet, or to the public page."""
    table = get_object_or_404(Table.objects.visible_to(request.user).with_event().distinct(), pk=pk)
    counts = table.event.is_run_by(request.user) or table.is_refereed_by(request.user)
    counts = counts and table.event.accepts_results()
    return redirect("table_result" if counts else "table", pk=pk)


@login_required
@never_cache
def round_withdraw(request: HttpRequest, pk: int) -> HttpResponse:
    seated = _round(request, pk)
    if request.method != "POST":
        return redirect(seated)
    try:
        services.withdraw_publication(seated, _edition(request), signed_in(request), timezone.now())
    except Refused as refusal:
        return _published_or_desk(request, seated, refusal)
    messages.success(request, _("The publication is taken back: the tables are a draft again."))
    return _back_to(seated)


@login_required
@never_cache
def round_start(request: HttpRequest, pk: int) -> HttpResponse:
    """All the tables that wait start, or the one in `table`."""
    seated = _round(request, pk)
    if request.method != "POST":
        return redirect(seated)
    only = None
    if "table" in request.POST:
        only = next((t for t in seated.tables.all() if str(t.pk) == request.POST["table"]), None)
        if only is None:
            raise Http404
    try:
        services.start_tables(seated, signed_in(request), timezone.now(), only=only)
    except Refused as refusal:
        return _published_or_desk(request, seated, refusal)
    messages.success(request, _("The tables play.") if only is None else _("The table plays."))
    return redirect(seated)


def _published_or_desk(request: HttpRequest, seated: Round, refusal: Refused) -> HttpResponse:
    """A refusal where the reader will look for it: on the page of what the round now is."""
    seated = Round.objects.with_seating().get(pk=seated.pk)
    if seated.status == Round.Status.DRAFT:
        messages.error(request, str(refusal.text))
        return _back_to(seated)
    return _seating(request, seated, refusal)


@login_required
@never_cache
def table_stop(request: HttpRequest, pk: int) -> HttpResponse:
    table = get_object_or_404(Table.objects.run_by(request.user).distinct(), pk=pk)
    if request.method != "POST":
        return redirect(table.round)
    try:
        services.stop_table(table, signed_in(request), timezone.now())
    except Refused as refusal:
        return _published_or_desk(request, table.round, refusal)
    return redirect(table.round)


@login_required
@never_cache
def table_referee(request: HttpRequest, pk: int) -> HttpResponse:
    """Who referees a table: FIGF referees first, then whoever is here."""
    table = get_object_or_404(
        Table.objects.run_by(request.user).with_everything().distinct(), pk=pk
    )
    event = table.event
    here, qualified = services.people_here(event), services.referees_here(event)
    initial = {"referee": table.referee_id, "reason": table.referee_reason}
    form = RefereeForm(here, qualified, posted(request), initial=initial)
    refusal: Refused | None = None
    if request.method == "POST" and form.is_valid():
        data = form.cleaned_data
        try:
            passed = services.name_referee(
                table, data["referee"], data["reason"], signed_in(request), timezone.now()
            )
        except Refused as error:
            refusal = error
            add_refusal(form, error)
        else:
            if passed:
                said = ngettext(
                    "Recorded: a FIGF referee was passed over.",
                    "Recorded: FIGF referees were passed over.",
                    len(passed),
                )
                messages.warning(request, said)
            return redirect(table.round)
    context = {"table": table, "event": event, "form": form, "refusal": refusal}
    context["qualified"] = qualified
    return render(
        request, "tournaments/table_referee.html", context, status=422 if form.errors else 200
    )


@login_required
@never_cache
def seat_no_show(request: HttpRequest, pk: int) -> HttpResponse:
    """Somebody has not come: what follows is said first, then done (B-16)."""
    mine = Seat.objects.filter(table__round__in=Round.objects.run_by(request.user))
    seat = get_object_or_404(mine.select_related("table__round__prova__event"), pk=pk)
    seated = Round.objects.with_seating().get(pk=seat.table.round_id)
    if request.method == "POST":
        try:
            outcome = services.no_show(seat, _edition(request), signed_in(request), timezone.now())
        except Refused as error:
            return _published_or_desk(request, seated, error)
        said = (
            _("The table plays one short.")
            if outcome.one_short
            else _("The tables not yet started are seated again.")
        )
        messages.success(request, said)
        return redirect(seated)
    row = next(row for row in _tables(seated) if row["table"].pk == seat.table_id)
    context = {
        "round": seated,
        "event": seated.event,
        "table": row["table"],
        "seat": seat,
        "player": seat.holder().player,
        "short": row["short"],
    }
    return render(request, "tournaments/seat_no_show.html", context)
