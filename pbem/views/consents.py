"""What a player is asked to agree to: a page, reached from the game and from the mail.

Its buttons answer; to open it never does, since mail filters follow links too.
"""

from __future__ import annotations

from django.contrib import messages
from django.contrib.auth.decorators import login_required
from django.http import HttpRequest, HttpResponse
from django.shortcuts import get_object_or_404, redirect, render
from django.utils import timezone
from django.utils.translation import gettext as _
from django.views.decorators.cache import never_cache

from figf.errors import Refused
from figf.web import signed_in
from pbem import services
from pbem.models import Consent
from pbem.views.games import GamePage, game_seen

ANSWERS = {"yes": True, "no": False}


@login_required
@never_cache
def consent(request: HttpRequest, pk: int) -> HttpResponse:
    """One request, and the answer of who is asked (X-03, X-14)."""
    user, now, refusal = signed_in(request), timezone.now(), None
    one = get_object_or_404(Consent.objects.select_related("game", "seat", "move__seat"), pk=pk)
    page = GamePage(game_seen(request, one.game_id), user, now)
    if request.method == "POST":
        try:
            answered = services.answer(pk, _said(request), user, timezone.now())
        except Refused as refused:
            refusal = refused
            one.refresh_from_db(fields=["answer", "answered_at"])
        else:
            messages.success(
                request,
                _("You agreed, and the whole table is told.")
                if answered.answer == Consent.Answer.YES
                else _("You did not agree, and the whole table is told."),
            )
            return redirect(page.game)
    asked = services.requested(one, page.names, services.treasury_of(one, page.position))
    context = {"page": page, "game": page.game, "asked": asked, "refusal": refusal}
    return render(request, "pbem/consent.html", context, status=422 if refusal else 200)


def _said(request: HttpRequest) -> bool:
    said = ANSWERS.get(request.POST.get("answer", ""))
    if said is None:
        raise Refused("answer_missing", _("Say whether you agree: yes or no."), rule="X-03")
    return said
