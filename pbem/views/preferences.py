"""What one is written to about one's games by correspondence."""

from __future__ import annotations

from django.contrib import messages
from django.contrib.auth.decorators import login_required
from django.http import HttpRequest, HttpResponse
from django.shortcuts import redirect, render
from django.utils.translation import gettext as _
from django.views.decorators.cache import never_cache

from figf.web import posted, signed_in
from pbem import services
from pbem.forms.preferences import PreferenceForm


@login_required
@never_cache
def preferences(request: HttpRequest) -> HttpResponse:
    user = signed_in(request)
    form = PreferenceForm(services.preference_of(user), posted(request))
    if request.method == "POST" and form.is_valid():
        services.set_preference(user, **form.cleaned_data)
        messages.success(request, _("Saved."))
        return redirect("pbem_preferences")
    context = {"form": form, "unreached": services.unreached_since(user)}
    return render(request, "pbem/preferences.html", context, status=422 if form.errors else 200)
