"""The secretary's trays: the outbox, and the log of who did what."""

from __future__ import annotations

from django.conf import settings
from django.contrib import messages
from django.core.paginator import Paginator
from django.http import Http404, HttpRequest, HttpResponse
from django.shortcuts import get_object_or_404, redirect, render
from django.utils import timezone
from django.utils.translation import gettext as _
from django.views.decorators.http import require_POST, require_safe

from figf import mail
from figf.models import Email, LogEntry
from figf.web import secretary_only, signed_in


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
