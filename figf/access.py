"""From which address a request comes: what the lock-out after failed log-ins counts by."""

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
