"""The books: players, their log-ins, and the regulation they play by."""

from __future__ import annotations

from django.contrib import messages
from django.contrib.auth import login
from django.contrib.auth.decorators import login_required
from django.core.paginator import Paginator
from django.http import HttpRequest, HttpResponse
from django.shortcuts import get_object_or_404, redirect, render
from django.utils import timezone
from django.utils.translation import get_language
from django.utils.translation import gettext as _
from django.views.decorators.cache import never_cache
from django.views.decorators.http import require_POST, require_safe

from figf.errors import Refused
from figf.web import add_refusal, posted, secretary_only, signed_in
from tournaments import services
from tournaments.forms.people import ClaimForm, InviteForm, NewLogInForm, PlayerForm
from tournaments.models import Claim, Player
from tournaments.rules import registry


@secretary_only
def player_list(request: HttpRequest) -> HttpResponse:
    """The books: who is on them, who has a log-in, who asked for one."""
    form = PlayerForm(posted(request))
    if request.method == "POST" and form.is_valid():
        data = form.cleaned_data
        try:
            player = services.register_player(
                data["surname"],
                data["name"],
                signed_in(request),
                timezone.now(),
                club=data["club"],
                town=data["town"],
                email=data["email"],
            )
        except Refused as refusal:
            add_refusal(form, refusal)
        else:
            messages.success(request, _("%(player)s is on the books.") % {"player": player})
            return redirect("player_list")
    page = Paginator(Player.objects.with_doors(), 100).get_page(request.GET.get("page"))
    claims = Claim.objects.filter(decided_at=None).select_related("player", "user")
    context = {"form": form, "page": page, "claims": claims, "now": timezone.now()}
    return render(
        request, "tournaments/player_list.html", context, status=422 if form.errors else 200
    )


@secretary_only
def player_invite(request: HttpRequest, pk: int) -> HttpResponse:
    player = get_object_or_404(Player, pk=pk)
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


# --- the regulation ------------------------------------------------------------------------------


@require_safe
def regulation(request: HttpRequest) -> HttpResponse:
    """The articles that the site applies, one anchor per rule."""
    return render(request, "regulation.html", {"regulation": registry.REGULATIONS["figf-2006"]})
