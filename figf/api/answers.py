"""What every address of the API does, whatever it tells: parameters, pages, errors, caches, limits.

Errors are JSON and in English whatever the reader's language: programs read them.
"""

from __future__ import annotations

import hashlib
from collections.abc import Callable, Sequence
from typing import Any, ClassVar, NoReturn, TypeAlias, cast
from urllib.parse import urlencode

from django.conf import settings
from django.core.paginator import EmptyPage, Paginator
from django.db.models import QuerySet
from django.http import Http404, HttpRequest, HttpResponse, HttpResponseBase, JsonResponse
from django.urls import reverse
from django.utils import translation
from django.utils.cache import get_conditional_response
from django.utils.http import quote_etag
from rest_framework import serializers
from rest_framework.exceptions import NotAcceptable, NotFound, Throttled, ValidationError
from rest_framework.request import Request
from rest_framework.response import Response
from rest_framework.settings import api_settings
from rest_framework.throttling import SimpleRateThrottle
from rest_framework.views import APIView

from figf.access import client_address
from figf.api.serializers import Paged, Parameters

PREFIX = "/api/v1/"
METHODS = ("GET", "HEAD", "OPTIONS")
LASTS = 60  # seconds for which an answer may be kept without asking again
FRESH = {200, 301, 304, 308}
HEADERS = {
    "Access-Control-Allow-Origin": "*",
    "Access-Control-Allow-Methods": ", ".join(METHODS),
    "Access-Control-Allow-Headers": "Content-Type, If-None-Match",
    "Access-Control-Expose-Headers": "ETag, Retry-After",
    "Content-Language": "en",
}
WRONG = {
    400: "This request cannot be read.",
    404: "There is nothing at this address: {docs} lists those that there are.",
    405: "Only GET, HEAD and OPTIONS: nothing is written here.",
    500: "The site has failed, and its keepers are told.",
}

# --- around every answer --------------------------------------------------------------------------


def for_programs(
    get_response: Callable[[HttpRequest], HttpResponse],
) -> Callable[[HttpRequest], HttpResponseBase]:
    """Under the API's prefix all is JSON in English, with an ETag, open to any site."""

    def answer(request: HttpRequest) -> HttpResponseBase:
        if not request.path_info.startswith(PREFIX):
            return get_response(request)
        if request.method == "OPTIONS":  # a browser, before it reads from another site
            response: HttpResponseBase = HttpResponse(status=204)
        elif request.method in METHODS:
            with translation.override("en"):
                response = _conditional(request, get_response(request))
        else:
            response = HttpResponse(status=405)
        if response.status_code >= 400 and "json" not in response.get("Content-Type", ""):
            response = _wrong(response.status_code)
        if response.status_code == 405:
            response["Allow"] = ", ".join(METHODS)
        fresh = response.status_code in FRESH
        response["Cache-Control"] = f"public, max-age={LASTS}" if fresh else "no-store"
        for name, value in HEADERS.items():
            response[name] = value
        return response

    return answer


def _conditional(request: HttpRequest, response: HttpResponse) -> HttpResponseBase:
    """With the ETag of its content; 304 for who has it already."""
    if response.status_code != 200:
        return response
    etag = quote_etag(hashlib.sha256(response.content).hexdigest()[:32])
    response["ETag"] = etag
    return get_conditional_response(request, etag=etag, response=response) or response


def _wrong(status: int) -> JsonResponse:
    docs = f"{settings.SITE_URL}{reverse('api_docs')}"
    detail = WRONG.get(status, "This request is refused.").format(docs=docs)
    return JsonResponse({"detail": detail}, status=status)


class TooMany(Throttled):
    default_detail = "Too many requests from this address."
    extra_detail_singular = "Come back in {wait} second."
    extra_detail_plural = "Come back in {wait} seconds."


class ByAddress(SimpleRateThrottle):
    """So many requests a minute from one address; beyond them 429, which says when to come back."""

    scope = "api"

    def get_rate(self) -> str | None:
        return cast("str | None", api_settings.DEFAULT_THROTTLE_RATES[self.scope])

    def get_cache_key(self, request: Request, view: APIView) -> str:  # noqa: ARG002
        address = client_address(cast(HttpRequest, request))
        return f"api:{hashlib.sha256(address.encode()).hexdigest()}"


Find: TypeAlias = Callable[[dict[str, Any]], QuerySet[Any] | Sequence[Any]]

# --- what a view is made of -----------------------------------------------------------------------


class Answer(APIView):
    """An address, and the parameters that it takes: any other is refused."""

    throttle_classes = (ByAddress,)
    parameters: ClassVar[type[Parameters]] = Parameters

    def throttled(self, request: Request, wait: float | None) -> NoReturn:  # noqa: ARG002
        raise TooMany(wait)

    def handle_exception(self, exc: Exception) -> Response:
        """What the framework refuses, in our words."""
        if isinstance(exc, Http404):
            exc = NotFound("It is not there, or not public.")
        elif isinstance(exc, NotAcceptable):
            exc = NotAcceptable("Only JSON is spoken here.")
        return super().handle_exception(exc)

    def asked(self) -> dict[str, Any]:
        """The parameters, read; refuses those that are wrong, each by its name."""
        given = self.request.query_params
        known = self.parameters(data=given.dict())
        known.is_valid()
        told = {name: str(texts[0]) for name, texts in known.errors.items()}
        told |= {name: "It is given twice." for name in given if len(given.getlist(name)) > 1}
        told |= {name: "There is no such parameter." for name in given if name not in known.fields}
        if not told:
            return dict(known.validated_data)
        detail = "; ".join(f"{name}: {text}" for name, text in told.items())
        raise ValidationError({"detail": detail, "parameters": told})


class Listing(Answer):
    """A list, page by page."""

    parameters = Paged
    page: ClassVar[type[serializers.Serializer[Any]]]

    def listed(self, find: Find, shape: Callable[[Any], dict[str, Any]]) -> Response:
        """The page asked for of what is to `find`, each as `shape` has it."""
        asked = self.asked()
        paginator = Paginator(find(asked), asked["page_size"])
        number = asked["page"]
        try:
            page = paginator.page(number)
        except EmptyPage:
            raise NotFound(
                f"There is no page {number}: the last is {paginator.num_pages}."
            ) from None
        told = {
            "count": paginator.count,
            "next": self._address(number + 1) if page.has_next() else None,
            "previous": self._address(number - 1) if page.has_previous() else None,
            "results": [shape(each) for each in page.object_list],
        }
        return Response(self.page(told).data)

    def _address(self, number: int) -> str:
        query = urlencode({**self.request.query_params.dict(), "page": number})
        return f"{settings.SITE_URL}{self.request.path}?{query}"
