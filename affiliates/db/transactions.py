"""Transactions that services join without a savepoint of their own."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from contextlib import contextmanager
from contextvars import ContextVar
from functools import wraps
from typing import ParamSpec, TypeVar

from django.db import transaction

from affiliates.errors import AffiliatesError

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
    """Wraps in ``transaction.atomic``, without a savepoint in a request's transaction.

    A refusal there ends the whole request, so nobody needs to return to the savepoint.
    """

    @wraps(service)
    def run(*args: P.args, **kwargs: P.kwargs) -> T:
        with transaction.atomic(savepoint=not _is_open.get()):
            return service(*args, **kwargs)

    return run


def joins_transaction(service: Callable[P, T]) -> Callable[P, T]:
    """Wraps in ``transaction.atomic``, without a savepoint in the caller's transaction.

    For services that write nothing before they refuse: a caller may catch the refusal
    and go on. Any other error ends the whole transaction.
    """

    @wraps(service)
    def run(*args: P.args, **kwargs: P.kwargs) -> T:
        if not transaction.get_connection().in_atomic_block:
            with transaction.atomic():
                return service(*args, **kwargs)
        try:
            return service(*args, **kwargs)
        except AffiliatesError:
            raise
        except BaseException:
            transaction.set_rollback(True)
            raise

    return run
