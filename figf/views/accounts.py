"""One's own log-in: how to come in, name, language, password, e-mail address."""

from __future__ import annotations

from django.contrib import messages
from django.contrib.auth import views as auth_views
from django.contrib.auth.decorators import login_required
from django.http import HttpRequest, HttpResponse
from django.shortcuts import redirect, render
from django.utils import timezone
from django.utils.translation import gettext as _
from django.views.decorators.cache import never_cache
from django.views.decorators.http import require_POST

from figf import services
from figf.errors import Refused
from figf.forms import (
    AccountForm,
    EmailChangeForm,
    LogInForm,
    PasswordResetByOutboxForm,
)
from figf.web import add_refusal, posted, signed_in
from pbem.services import unreached_since

login = auth_views.LoginView.as_view(
    authentication_form=LogInForm, redirect_authenticated_user=True
)
password_reset = auth_views.PasswordResetView.as_view(form_class=PasswordResetByOutboxForm)


@login_required
def account(request: HttpRequest) -> HttpResponse:
    user = signed_in(request)
    player, today = getattr(user, "player", None), timezone.localdate()
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
            "unreached": unreached_since(user),
            "keeps": user.kept_games.exists() or bool(player and player.is_referee(today)),
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
