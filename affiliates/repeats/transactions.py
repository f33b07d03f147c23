"""The transaction of a request whose answer is stored with what it did."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from contextlib import contextmanager
from contextvars import ContextVar
from functools import wraps
from typing import ParamSpec, TypeVar

from django.db import transaction

P = ParamSpec("P")
T = TypeVar("T")

_is_open: ContextVar[bool] = ContextVar("request_transaction", default=False)


@contextmanager
def request_transaction() -> Iterator[None]:
    """Commits what the request did and its stored answer together, or neither."""
    with transaction.atomic():
        token = _is_open.set(True)
        try:
            yield
        finally:
            _is_open.reset(token)


def joins_request(service: Callable[P, T]) -> Callable[P, T]:
    """As ``transaction.atomic``, but without a savepoint in a request's transaction.

    A refusal there ends the whole request, so nobody needs to return to the savepoint.
    """

    @wraps(service)
    def run(*args: P.args, **kwargs: P.kwargs) -> T:
        with transaction.atomic(savepoint=not _is_open.get()):
            return service(*args, **kwargs)

    return run
