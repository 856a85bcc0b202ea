"""The books: players and their log-ins."""

from __future__ import annotations

from collections.abc import Collection, Sequence
from dataclasses import astuple
from datetime import datetime

from django.contrib import messages
from django.contrib.auth import login
from django.contrib.auth.decorators import login_required
from django.core.paginator import Paginator
from django.db.models import QuerySet
from django.forms import Form
from django.http import HttpRequest, HttpResponse
from django.shortcuts import get_object_or_404, redirect, render
from django.utils import timezone
from django.utils.translation import get_language, ngettext, pgettext
from django.utils.translation import gettext as _
from django.views.decorators.cache import never_cache
from django.views.decorators.http import require_POST, require_safe

from figf.errors import Refused
from figf.models import User
from figf.spreadsheets import csv_response
from figf.web import add_refusal, posted, seal, secretary_only, signed_in
from tournaments import services
from tournaments.forms.people import (
    PLAYER_COLUMNS,
    AmendForm,
    AppointForm,
    ClaimForm,
    ConfirmForm,
    EndForm,
    ImportForm,
    InviteForm,
    NewLogInForm,
    PlayerForm,
)
from tournaments.models import Claim, Player, RefereeTerm

# --- the books ------------------------------------------------------------------------------------


@secretary_only
def player_list(request: HttpRequest) -> HttpResponse:
    """The books: who is on them, who has a log-in, who asked for one."""
    form = PlayerForm(posted(request))
    alike: list[Player] = []
    if request.method == "POST" and form.is_valid():
        try:
            player = services.register_player(
                by=signed_in(request), now=timezone.now(), **form.cleaned_data
            )
        except Refused as refusal:
            add_refusal(form, refusal)
            if refusal.reason == "maybe_duplicate":
                form.ask()
                alike = services.alike_players(
                    form.cleaned_data["surname"], form.cleaned_data["name"]
                )
        else:
            messages.success(request, _("%(player)s is on the books.") % {"player": player})
            return redirect("player_list")
    asked = request.GET.get("q", "")[:80]
    books = Player.objects.on_the_books().with_doors()
    page = Paginator(books.called(asked), 100).get_page(request.GET.get("page"))
    claims = Claim.objects.filter(decided_at=None).select_related("player", "user")
    context = {
        "form": form,
        "alike": alike,
        "asked": asked,
        "page": page,
        "claims": claims,
        "now": timezone.now(),
    }
    return render(
        request, "tournaments/player_list.html", context, status=422 if form.errors else 200
    )


def off_the_books(
    request: HttpRequest, *players: Player, to: str = "player_list"
) -> HttpResponse | None:
    """For a page left open while one of them was merged or forgotten: what happened, and where."""
    for player in players:
        if player.merged_into is not None:
            said = {"player": player, "kept": player.merged_into}
            messages.error(request, _("%(player)s was merged into %(kept)s meanwhile.") % said)
        elif player.forgotten_at is not None:
            messages.error(request, _("Player %(n)d was forgotten meanwhile.") % {"n": player.pk})
        else:
            continue
        return redirect(to)
    return None


@secretary_only
def player_edit(request: HttpRequest, pk: int) -> HttpResponse:
    """What the books say of a player, and his terms as referee, to be put right."""
    known = Player.objects.select_related("club", "user", "merged_into")
    player = get_object_or_404(known, pk=pk)
    away = off_the_books(request, player)
    if away is not None:
        return away
    do = request.POST.get("do") if request.method == "POST" else None
    amend = AmendForm(player, request.POST if do == "amend" else None)
    appoint = AppointForm(request.POST if do == "appoint" else None)
    end = EndForm(player, request.POST if do == "end" else None)
    form = {"amend": amend, "appoint": appoint, "end": end}.get(do or "")
    if request.method == "POST" and form is None:
        messages.error(request, _("Press one of the buttons of the page."))
        return redirect("player_edit", pk)
    theirs = None
    if form is not None and form.is_valid():
        try:
            _do(form, player, signed_in(request), timezone.now())
        except Refused as refusal:
            add_refusal(form, refusal)
            if refusal.reason == "stale":
                theirs = Player.objects.select_related("club", "user").get(pk=pk)
                amend.take_theirs(theirs)
        else:
            messages.success(request, _("Saved."))
            return redirect("player_edit", pk)
    context = {
        "player": player,
        "theirs": theirs,
        "terms": player.referee_terms.order_by("-starts_on"),
        "amend": amend,
        "appoint": appoint,
        "end": end,
    }
    wrong = form is not None and form.errors
    return render(request, "tournaments/player_edit.html", context, status=422 if wrong else 200)


def _do(form: Form, player: Player, by: User, now: datetime) -> None:
    """What the button of this form is for."""
    data = form.cleaned_data
    if isinstance(form, AmendForm):
        services.amend_player(player, data.pop("seen"), by, now, **data)
    elif isinstance(form, AppointForm):
        services.appoint_referee(player, data["starts_on"], by, now, ends_on=data["ends_on"])
    else:
        services.end_referee_term(data["term"], data["ends_on"], by, now)


@require_safe
@secretary_only
def player_csv(request: HttpRequest) -> HttpResponse:
    """The books as a table, which the import reads back."""
    rows = (
        (p.surname, p.name, p.club or "", p.town, p.nationality, p.email)
        for p in Player.objects.on_the_books().select_related("club")
    )
    return csv_response("giocatori", _titles(), rows)


# --- many players at once -------------------------------------------------------------------------


@require_safe
@secretary_only
def player_import_template(request: HttpRequest) -> HttpResponse:
    """The titles of the columns that the import understands, and nothing under them."""
    return csv_response("giocatori-da-riempire", _titles(), [])


def _titles() -> list[str]:
    return [str(column.label) for column in PLAYER_COLUMNS]


@secretary_only
def player_import(request: HttpRequest) -> HttpResponse:
    """A table of players: first what would become of each row, then, at a button, all of it."""
    if request.method == "POST" and "sealed" in request.POST:
        return _import_confirmed(request)
    form = ImportForm(posted(request), request.FILES or None)
    if request.method == "POST" and form.is_valid():
        rows = form.rows()
        try:
            return _import_report(
                request, rows, services.judge_players(rows), ignored=form.sheet.ignored
            )
        except Refused as refusal:
            add_refusal(form, refusal)
    return _import_start(request, form)


def _import_start(request: HttpRequest, form: Form, wrong: str = "") -> HttpResponse:
    context = {"form": form, "columns": PLAYER_COLUMNS, "wrong": wrong}
    status = 422 if form.errors or wrong else 200
    return render(request, "tournaments/player_import.html", context, status=status)


def _import_report(
    request: HttpRequest,
    rows: list[services.PlayerRow],
    report: services.Report,
    *,
    ignored: Sequence[str] = (),
    another: Collection[int] = (),
    refusal: Refused | None = None,
) -> HttpResponse:
    """The report; what confirms it, unless a row is rejected, is the rows themselves, sealed."""
    verdicts = services.Verdict
    rejected = report.count(verdicts.REJECTED)
    kept = [astuple(row)[:-1] for row in rows]  # without faults: no row has any
    user = signed_in(request)
    context = {
        "report": report,
        "another": another,
        "ignored": ignored,
        "refusal": refusal,
        "new": report.count(verdicts.NEW),
        "same": report.count(verdicts.SAME),
        "maybe": report.count(verdicts.MAYBE),
        "twice": report.count(verdicts.TWICE),
        "rejected": rejected,
        "sealed": ""
        if rejected
        else seal({"rows": kept, "seen": report.fingerprint}, ConfirmForm.PURPOSE, user),
    }
    return render(
        request,
        "tournaments/player_import_report.html",
        context,
        status=422 if refusal else 200,
    )


def _import_confirmed(request: HttpRequest) -> HttpResponse:
    user = signed_in(request)
    form = ConfirmForm(user, request.POST)
    if not form.is_valid():
        return _import_start(request, ImportForm(), "; ".join(map(str, form.errors["sealed"])))
    rows, another = form.rows(), form.another()
    try:
        outcome = services.import_players(
            rows,
            user,
            timezone.now(),
            another=another,
            seen=form.cleaned_data["sealed"]["seen"],
        )
    except Refused as refusal:
        return _import_report(
            request, rows, services.judge_players(rows), another=another, refusal=refusal
        )
    messages.success(
        request,
        ngettext(
            "%(n)d player added, of %(read)d rows read.",
            "%(n)d players added, of %(read)d rows read.",
            len(outcome.added),
        )
        % {"n": len(outcome.added), "read": outcome.read},
    )
    return redirect("player_list")


# --- referees -------------------------------------------------------------------------------------


@require_safe
def referee_list(request: HttpRequest) -> HttpResponse:
    """The register of FIGF referees (M-01): who is one today, and who was."""
    today = timezone.localdate()
    terms = _terms()
    context = {
        "today": today,
        "active": [term for term in terms if term.covers(today)],
        "coming": [term for term in terms if term.starts_on > today],
        "past": [term for term in terms if term.ends_on is not None and term.ends_on < today],
    }
    return render(request, "tournaments/referee_list.html", context)


def _terms() -> QuerySet[RefereeTerm]:
    """The terms of whoever may be named, by surname."""
    return (
        RefereeTerm.objects.filter(player__in=Player.objects.on_the_books())
        .exclude(player__in=services.struck_off())
        .select_related("player__club")
        .order_by("player__sort_key", "player_id", "-starts_on")
    )


@require_safe
def referee_csv(request: HttpRequest) -> HttpResponse:
    """The register of the referees, for a spreadsheet: a line a term."""
    header = [_("Surname"), _("First name"), pgettext("a day", "From"), pgettext("a day", "Until")]
    rows = [
        (term.player.surname, term.player.name, term.starts_on, term.ends_on) for term in _terms()
    ]
    return csv_response("arbitri", header, rows)


# --- log-ins --------------------------------------------------------------------------------------


@secretary_only
def player_invite(request: HttpRequest, pk: int) -> HttpResponse:
    player = get_object_or_404(Player.objects.select_related("merged_into"), pk=pk)
    away = off_the_books(request, player)
    if away is not None:
        return away
    form = InviteForm(posted(request), initial={"email": player.email})
    if request.method == "POST" and form.is_valid():
        try:
            services.invite(player, form.cleaned_data["email"], signed_in(request), timezone.now())
        except Refused as refusal:
            add_refusal(form, refusal)
        else:
            messages.success(request, _("The invitation is on its way."))
            return redirect("player_list")
    context = {"form": form, "player": player}
    return render(
        request, "tournaments/player_invite.html", context, status=422 if form.errors else 200
    )


@require_POST
@secretary_only
def claim_decide(request: HttpRequest, pk: int) -> HttpResponse:
    made = get_object_or_404(Claim, pk=pk)
    answer = request.POST.get("answer")
    if answer not in {"yes", "no"}:
        messages.error(request, _("Press Accept or Decline."))
        return redirect("player_list")
    try:
        services.decide_claim(made, answer == "yes", signed_in(request), timezone.now())
    except Refused as refusal:
        messages.error(request, str(refusal.text))
    else:
        messages.success(request, _("The answer is on its way."))
    return redirect("player_list")


@never_cache
def invitation(request: HttpRequest, token: str) -> HttpResponse:
    """The page behind an invitation's link: join one's log-in, or make one."""
    user = request.user if request.user.is_authenticated else None
    form = None
    try:
        invited = services.read_invitation(token, timezone.now())
        form = None if user else NewLogInForm(invited, posted(request))
        if request.method == "POST" and (form is None or form.is_valid()):
            if form is None:
                services.accept_invitation(token, signed_in(request), timezone.now())
            else:
                made = services.accept_invitation_with_new_login(
                    token,
                    form.cleaned_data["password"],
                    get_language() or "it",
                    timezone.now(),
                )
                login(request, made, backend="django.contrib.auth.backends.ModelBackend")
            messages.success(request, _("Welcome: your log-in and your results are now one."))
            return redirect("account")
    except Refused as refusal:
        return render(request, "refused.html", {"refusal": refusal}, status=422)
    context = {"invitation": invited, "form": form}
    return render(
        request,
        "tournaments/invitation.html",
        context,
        status=422 if form and form.errors else 200,
    )


@login_required
def claim(request: HttpRequest) -> HttpResponse:
    """Ask the secretary to join one's log-in to a player."""
    if hasattr(request.user, "player"):
        messages.info(request, _("Your log-in already belongs to a player."))
        return redirect("account")
    form = ClaimForm(posted(request))
    if request.method == "POST" and form.is_valid():
        try:
            services.claim(
                form.cleaned_data["player"],
                signed_in(request),
                form.cleaned_data["note"],
                timezone.now(),
            )
        except Refused as refusal:
            add_refusal(form, refusal)
        else:
            messages.success(request, _("The secretary will answer by mail."))
            return redirect("account")
    return render(
        request, "tournaments/claim.html", {"form": form}, status=422 if form.errors else 200
    )
