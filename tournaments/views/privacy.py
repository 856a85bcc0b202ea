"""What the site holds of a person: taken away by him or for him, or forgotten."""

from __future__ import annotations

from django.contrib import messages
from django.contrib.auth.decorators import login_required
from django.http import Http404, HttpRequest, HttpResponse, JsonResponse
from django.shortcuts import get_object_or_404, redirect, render
from django.utils import timezone
from django.utils.translation import gettext as _
from django.views.decorators.cache import never_cache
from django.views.decorators.http import require_safe

from figf.errors import Refused
from figf.web import add_refusal, posted, secretary_only, signed_in
from tournaments import services
from tournaments.forms.privacy import ForgetForm
from tournaments.models import Player
from tournaments.views.people import off_the_books


@require_safe
@login_required
@never_cache
def my_data(request: HttpRequest) -> HttpResponse:
    """All that the site holds of who asks, as one file."""
    player = Player.objects.filter(user=signed_in(request)).first()
    if player is None:
        raise Http404
    return _file(player)


@require_safe
@secretary_only
@never_cache
def player_data(request: HttpRequest, pk: int) -> HttpResponse:
    """The same of anybody, for a secretary who was asked for it."""
    return _file(get_object_or_404(Player, pk=pk))


def _file(player: Player) -> HttpResponse:
    data = services.person_export(player)
    response = JsonResponse(data, json_dumps_params={"ensure_ascii": False, "indent": 1})
    response["Content-Disposition"] = f'attachment; filename="figf-{player.pk}.json"'
    return response


@secretary_only
def player_forget(request: HttpRequest, pk: int, elsewhere: services.Elsewhere) -> HttpResponse:
    """What is taken off and what stays, and the button from which there is no way back."""
    player = get_object_or_404(Player.objects.select_related("merged_into"), pk=pk)
    away = off_the_books(request, player)
    if away is not None:
        return away
    form = ForgetForm(posted(request))
    if request.method == "POST" and form.is_valid():
        confirm = form.cleaned_data["confirm"]
        try:
            services.forget_player(
                player, signed_in(request), timezone.now(), confirm, elsewhere=elsewhere
            )
        except Refused as refusal:
            add_refusal(form, refusal)
        else:
            messages.success(request, _("The person was forgotten."))
            return redirect("player_list")
    ties = services.ties_of(player, timezone.now(), elsewhere)
    context = {"player": player, "form": form, "ties": ties}
    wrong = 422 if form.errors else 200
    return render(request, "tournaments/player_forget.html", context, status=wrong)
