"""The schema of the API, and the page that explains it: both are made from the addresses."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from functools import cache
from typing import Any

from django.conf import settings
from django.http import HttpRequest, HttpResponse
from django.shortcuts import render
from django.utils import translation
from django.views.decorators.http import require_safe
from drf_spectacular.generators import SchemaGenerator
from drf_spectacular.utils import extend_schema
from rest_framework.request import Request
from rest_framework.response import Response

from figf.api.answers import LASTS, PREFIX, Answer
from figf.web import reader_language

# What an example asks for: the parts of an address, and one parameter of some.
EXAMPLE = {"event": 1, "table": 1, "player": 1, "year": 2026, "code": "1830", "number": 1}
ASKED = {"events": "season=2026", "ranking": "on=2026-03-14", "players": "q=rossi"}
NOT_SHOWN = "header"  # parameters that every address has: the page tells of them once


@cache
def schema(language: str) -> dict[str, Any]:
    """The schema with its explanations in this language; there is one as long as the site runs."""
    with translation.override(language):
        generator: Any = SchemaGenerator
        made: dict[str, Any] = generator().get_schema(public=True)
    return made


class Schema(Answer):
    """The API in the words of OpenAPI, for programs that read them."""

    @extend_schema(exclude=True)
    def get(self, _request: Request) -> Response:
        self.asked()
        return Response(schema("en"))


@dataclass(frozen=True, slots=True)
class Field:
    """A field of an answer, or a parameter; `name` is the way to it: ``rows[].place``."""

    name: str
    kind: str
    text: str
    codes: tuple[str, ...] = ()


@dataclass(frozen=True, slots=True)
class Endpoint:
    """What the page says of an address."""

    name: str
    path: str
    summary: str
    parameters: tuple[Field, ...]
    fields: tuple[Field, ...]
    example: str


def endpoints(whole: Mapping[str, Any]) -> Iterator[Endpoint]:
    """Every address of the schema, in its order."""
    schemas = whole["components"]["schemas"]
    for path, operations in whole["paths"].items():
        told = operations["get"]
        answer = told["responses"]["200"]["content"]["application/json"]["schema"]
        asked = [each for each in told.get("parameters", []) if each["in"] != NOT_SHOWN]
        query = ASKED.get(told["operationId"])
        address = settings.SITE_URL + path.format(**EXAMPLE) + (f"?{query}" if query else "")
        yield Endpoint(
            told["operationId"],
            path,
            told["summary"],
            tuple(_field(each["name"], each["schema"], each["description"]) for each in asked),
            tuple(_fields(answer, schemas)),
            f'curl "{address}"',
        )


def _fields(part: Mapping[str, Any], schemas: Mapping[str, Any], way: str = "") -> Iterator[Field]:
    """The fields of an object, and after each those that are inside it."""
    for name, field in _resolved(part, schemas)["properties"].items():
        found = _resolved(field, schemas)
        yield _field(f"{way}{name}", found, field.get("description", ""))
        inside = _resolved(found.get("items", found), schemas)
        if "properties" in inside:
            brackets = "[]" if "items" in found else ""
            yield from _fields(inside, schemas, f"{way}{name}{brackets}.")


def _resolved(part: Mapping[str, Any], schemas: Mapping[str, Any]) -> dict[str, Any]:
    """What a reference means; a nullable or described one is wrapped in ``allOf``."""
    reference = part.get("$ref") or next((p["$ref"] for p in part.get("allOf", ())), None)
    if reference is None:
        return dict(part)
    return {**schemas[reference.rpartition("/")[2]], **part}


def _field(name: str, part: Mapping[str, Any], text: str) -> Field:
    kind = part.get("format") or part["type"]
    if part["type"] == "array":
        kind = f"array of {part['items'].get('type', 'object')}"
    if part.get("nullable"):
        kind = f"{kind} | null"
    return Field(name, kind, text, tuple(part.get("enum", ())))


@require_safe
def api_docs(request: HttpRequest) -> HttpResponse:
    """The page that explains the API: its rules, then every address."""
    context = {
        "endpoints": list(endpoints(schema(reader_language()))),
        "prefix": f"{settings.SITE_URL}{PREFIX}",
        "rate": settings.API_RATE,
        "lasts": LASTS,
    }
    return render(request, "api_docs.html", context)
