"""What a sweep does to each of many: one that fails stops no other."""

from __future__ import annotations

from collections.abc import Callable, Iterable
from logging import Logger
from typing import TypeVar

Each = TypeVar("Each")


def each(some: Iterable[Each], deed: Callable[[Each], object], logger: Logger, failed: str) -> None:
    """Do it to every one, a row or its number. What raises is logged, its number in `failed`."""
    for one in some:
        try:
            deed(one)
        except Exception:
            logger.exception(failed, getattr(one, "pk", one))
