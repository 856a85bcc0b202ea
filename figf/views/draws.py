"""Dice that anybody can verify, and the receipts of outside servers."""

from __future__ import annotations

from datetime import timedelta
from pathlib import Path

from django.conf import settings
from django.contrib import messages
from django.contrib.auth.views import redirect_to_login
from django.core.paginator import Paginator
from django.http import HttpRequest, HttpResponse, JsonResponse
from django.shortcuts import get_object_or_404, redirect, render
from django.utils import timezone
from django.utils.translation import gettext as _
from django.views.decorators.cache import never_cache
from django.views.decorators.http import require_safe

from figf import services
from figf.errors import Refused
from figf.forms import (
    DrawForm,
    ReceiptForm,
    WordForm,
)
from figf.models import Draw, LogEntry
from figf.web import add_refusal, posted, secretary_only, signed_in


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
        "forgotten": LogEntry.objects.about(draw).filter(verb="forget_in_draw").exists(),
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
