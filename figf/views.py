"""Pages of the base app and those made of several apps: home, account, dice, mail, log."""

from __future__ import annotations

import hashlib
from datetime import timedelta
from pathlib import Path
from typing import Any

from django.conf import settings
from django.contrib import messages
from django.contrib.auth import views as auth_views
from django.contrib.auth.decorators import login_required
from django.contrib.auth.views import redirect_to_login
from django.core.paginator import Paginator
from django.db import connection
from django.http import Http404, HttpRequest, HttpResponse, JsonResponse
from django.shortcuts import get_object_or_404, redirect, render
from django.utils import timezone
from django.utils.translation import gettext as _
from django.views import i18n
from django.views.decorators.cache import never_cache
from django.views.decorators.http import require_POST, require_safe

from figf import mail, services
from figf.errors import Refused
from figf.forms import (
    AccountForm,
    DrawForm,
    EmailChangeForm,
    LogInForm,
    PasswordResetByOutboxForm,
    ReceiptForm,
    WordForm,
)
from figf.models import Draw, Email, LogEntry, User
from figf.web import add_refusal, posted, secretary_only, signed_in
from tournaments.models import Event, Round, Table

login = auth_views.LoginView.as_view(
    authentication_form=LogInForm, redirect_authenticated_user=True
)
password_reset = auth_views.PasswordResetView.as_view(form_class=PasswordResetByOutboxForm)


@require_safe
def home(request: HttpRequest) -> HttpResponse:
    """The public board: tables still playing, events under way, to come and past.

    The board asks again every half minute, saying what it has `seen`: no change, no answer, and
    nothing moves under the reader's eyes.
    """
    waiting = list(
        Table.objects.waiting()
        .with_event()
        .prefetch_related("seats__holders__player", "results")
        .order_by("started_at", "pk")[:30]
    )
    mine = set(Table.objects.waiting().run_by(request.user).values_list("pk", flat=True))
    counted = set(Table.objects.waiting().counted_by(request.user).values_list("pk", flat=True))
    sitting = list(
        Round.objects.sitting_down()
        .select_related("prova__event", "prova__title")
        .order_by("published_at", "pk")[:10]
    )
    rows = [(t.pk, t.pk in mine, t.pk in counted, t.draft() is not None) for t in waiting]
    board = rows, [r.pk for r in sitting]
    seen = hashlib.sha256(repr(board).encode()).hexdigest()[:16]
    context: dict[str, Any] = {
        "waiting": waiting,
        "sitting": sitting,
        "mine": mine,
        "counted": counted,
        "seen": seen,
    }
    if "seen" in request.GET:
        if request.GET["seen"] == context["seen"]:
            return HttpResponse(status=204)
        return render(request, "_playing_changed.html", context)
    if request.user.is_authenticated:
        context["draws"] = Draw.objects.waiting_for(request.user, timezone.now())
    events = Event.objects.public().select_related("season")
    today = timezone.localdate()
    context |= {
        "running": events.filter(status=Event.Status.RUNNING).order_by("starts_on"),
        "coming": events.filter(status=Event.Status.ENROLLING, ends_on__gte=today).order_by(
            "starts_on"
        )[:8],
        "past": events.filter(status__in=[Event.Status.CONCLUDED, Event.Status.CLOSED]).order_by(
            "-ends_on"
        )[:5],
    }
    return render(request, "home.html", context)


@require_safe
@never_cache
def health(request: HttpRequest) -> HttpResponse:
    """Whether the site can reach its database: for the supervisor, not for people."""
    with connection.cursor() as cursor:
        cursor.execute("SELECT 1")
    return HttpResponse("ok\n", content_type="text/plain")


# --- one's own account ---------------------------------------------------------------------------


@login_required
def account(request: HttpRequest) -> HttpResponse:
    user = signed_in(request)
    player = getattr(user, "player", None)
    form = AccountForm(user, posted(request), joined=player is not None)
    change = user.email_changes.filter(done_at=None, cancelled_at=None).first()
    if request.method == "POST" and form.is_valid():
        try:
            if "name" in form.cleaned_data:
                services.rename(user, form.cleaned_data["name"])
            services.set_language(user, form.cleaned_data["language"])
        except Refused as refusal:
            add_refusal(form, refusal)
        else:
            messages.success(request, _("Saved."))
            return redirect("account")
    return render(
        request,
        "account.html",
        {
            "form": form,
            "player": player,
            "claim": user.claims.filter(decided_at=None).select_related("player").first(),
            "change": change if change and change.is_open(timezone.now()) else None,
        },
        status=422 if form.errors else 200,
    )


@require_POST
@login_required
def withdraw_email_change(request: HttpRequest) -> HttpResponse:
    services.withdraw_email_change(signed_in(request), timezone.now())
    messages.success(request, _("The change of address is withdrawn."))
    return redirect("account")


@login_required
def change_email(request: HttpRequest) -> HttpResponse:
    form = EmailChangeForm(posted(request))
    if request.method == "POST" and form.is_valid():
        try:
            services.request_email_change(
                signed_in(request), form.cleaned_data["new_email"], timezone.now()
            )
        except Refused as refusal:
            add_refusal(form, refusal)
        else:
            messages.success(request, _("Two mails are on their way: confirm from both addresses."))
            return redirect("account")
    return render(request, "change_email.html", {"form": form}, status=422 if form.errors else 200)


@never_cache
def confirm_email(request: HttpRequest, token: str) -> HttpResponse:
    """The page of the link: only its button confirms, since mail filters follow links too."""
    try:
        change, side = services.read_email_change(token, timezone.now())
        if request.method == "POST":
            change = services.confirm_email_change(token, timezone.now())
            messages.success(
                request,
                _("Your address is now %(email)s.") % {"email": change.new_email}
                if change.done_at
                else _("Confirmed. The other address has still to confirm."),
            )
            return redirect("account" if request.user.is_authenticated else "home")
    except Refused as refusal:
        return render(request, "refused.html", {"refusal": refusal}, status=422)
    return render(request, "confirm_email.html", {"change": change, "side": side})


# --- dice ----------------------------------------------------------------------------------------


@require_safe
def draw_list(request: HttpRequest) -> HttpResponse:
    page = Paginator(Draw.objects.with_people(), 30).get_page(request.GET.get("page"))
    now = timezone.now()
    draws = [(draw, draw.is_flagged(now)) for draw in page.object_list]
    return render(request, "draws/list.html", {"page": page, "draws": draws})


@never_cache
def draw_detail(request: HttpRequest, pk: int) -> HttpResponse:
    """One draw: the promise, the words, the result, and the reader's own verification."""
    draw = get_object_or_404(Draw.objects.with_people(), pk=pk)
    user = request.user
    if request.method == "POST" and not user.is_authenticated:
        return redirect_to_login(request.get_full_path())
    mine = next((c for c in draw.contributions.all() if c.user_id and c.user_id == user.pk), None)
    form = WordForm(posted(request), initial={"word": mine.word if mine else ""})
    if request.method == "POST" and form.is_valid():
        try:
            services.contribute(draw, signed_in(request), form.cleaned_data["word"], timezone.now())
        except Refused as refusal:
            add_refusal(form, refusal)
        else:
            messages.success(request, _("Your word is in the draw. You can change it until then."))
            return redirect("draw", pk=pk)
    now = timezone.now()
    context = {
        "draw": draw,
        "mine": mine,
        "form": form,
        "open": draw.revealed_at is None and now <= draw.closes_at,
        "flagged": draw.is_flagged(now),
        "receipt": draw.as_receipt().to_dict(),
    }
    return render(request, "draws/detail.html", context, status=422 if form.errors else 200)


@require_safe
def draw_receipt(request: HttpRequest, pk: int) -> HttpResponse:
    """The receipt as a file, for ``python3 dice.py draw.json`` on the reader's own machine."""
    draw = get_object_or_404(Draw.objects.with_people(), pk=pk, kind=Draw.Kind.OWN)
    response = JsonResponse(draw.as_receipt().to_dict(), json_dumps_params={"indent": 1})
    response["Content-Disposition"] = f'attachment; filename="draw-{pk}.json"'
    return response


@require_safe
def dice_script(request: HttpRequest) -> HttpResponse:
    """The very module that threw, to verify offline: one file, standard library only."""
    source = (Path(settings.BASE_DIR) / "figf" / "dice.py").read_text(encoding="utf-8")
    response = HttpResponse(source, content_type="text/x-python; charset=utf-8")
    response["Content-Disposition"] = 'attachment; filename="dice.py"'
    return response


@secretary_only
def draw_open(request: HttpRequest) -> HttpResponse:
    initial = {"closes_at": timezone.localtime() + timedelta(days=1)}
    form = DrawForm(posted(request), initial=initial)
    if request.method == "POST" and form.is_valid():
        data = form.cleaned_data
        try:
            draw = services.open_draw(
                data["purpose"],
                list(data["people"]),
                data["count"],
                data["closes_at"],
                signed_in(request),
                timezone.now(),
                sides=data["sides"],
            )
        except Refused as refusal:
            add_refusal(form, refusal)
        else:
            messages.success(request, _("The seed is promised: people have been asked by mail."))
            return redirect("draw", pk=draw.pk)
    return render(request, "draws/open.html", {"form": form}, status=422 if form.errors else 200)


@secretary_only
def draw_record(request: HttpRequest) -> HttpResponse:
    form = ReceiptForm(posted(request))
    if request.method == "POST" and form.is_valid():
        data = form.cleaned_data
        try:
            draw = services.record_receipt(
                data["purpose"],
                [],
                data["throws"],
                data["source"],
                data["receipt"],
                signed_in(request),
                timezone.now(),
                sides=data["sides"],
            )
        except Refused as refusal:
            add_refusal(form, refusal)
        else:
            return redirect("draw", pk=draw.pk)
    return render(request, "draws/record.html", {"form": form}, status=422 if form.errors else 200)


# --- the secretary's trays -----------------------------------------------------------------------


@require_safe
@secretary_only
def outbox(request: HttpRequest) -> HttpResponse:
    """The state of every mail; where mail goes to files, what they say."""
    page = Paginator(Email.objects.order_by("-pk"), 50).get_page(request.GET.get("page"))
    return render(request, "outbox.html", {"page": page, "in_files": _mail_in_files()})


@require_safe
@secretary_only
def outbox_mail(request: HttpRequest, pk: int) -> HttpResponse:
    """One mail as it was written to the file. Elsewhere it is private, and this page is not."""
    if not _mail_in_files():
        raise Http404
    return render(request, "outbox_mail.html", {"mail": get_object_or_404(Email, pk=pk)})


@require_POST
@secretary_only
def outbox_send_again(request: HttpRequest, pk: int) -> HttpResponse:
    mail.send_again(
        get_object_or_404(Email, pk=pk, sent_at=None), signed_in(request), timezone.now()
    )
    messages.success(request, _("The mail will leave within a minute."))
    return redirect("outbox")


def _mail_in_files() -> bool:
    return bool(settings.EMAIL_BACKEND.endswith("filebased.EmailBackend"))


@require_safe
@secretary_only
def log(request: HttpRequest) -> HttpResponse:
    entries = LogEntry.objects.select_related("actor")
    page = Paginator(entries, 50).get_page(request.GET.get("page"))
    return render(request, "log.html", {"page": page})


def set_language(request: HttpRequest) -> HttpResponse:
    """Django's own view; who is logged in gets his mails in that language too."""
    response = i18n.set_language(request)
    user: Any = request.user
    language = request.POST.get("language", "")
    if isinstance(user, User) and language in dict(settings.LANGUAGES):
        services.set_language(user, language)
    return response
