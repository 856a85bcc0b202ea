"""Who is trying to log in, and from where: what the lock-out after failed log-ins counts by."""

from typing import Any

from django.conf import settings
from django.http import HttpRequest


def client_address(request: HttpRequest) -> str:
    """The visitor's address.

    Over https there is one proxy in front, and what it appended last to ``X-Forwarded-For`` is the
    only part that a visitor cannot forge; without https nothing stands between.
    """
    if settings.HTTPS:
        forwarded = request.META.get("HTTP_X_FORWARDED_FOR", "").rpartition(",")[2].strip()
        if forwarded:
            return str(forwarded)
    return str(request.META.get("REMOTE_ADDR", ""))


def attempted_name(request: HttpRequest, _credentials: dict[str, Any] | None = None) -> str:
    """The address typed in the log-in form, one and the same whatever its capitals."""
    return (request.POST.get("username") or "").strip().lower()
