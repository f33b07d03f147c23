"""Makes rows once for the tests of a module, each of which rolls back its own changes."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from typing import TypeVar

import pytest
from django.db import connection
from django.test import TestCase
from pytest_django import DjangoDbBlocker

from tests.guard.markers import forget_kept_accounts, keep_accounts

T = TypeVar("T")


@pytest.hookimpl(tryfirst=True)
def pytest_collection_modifyitems(items: list[pytest.Item]) -> None:
    """Leaves a module whose rows are kept to one worker: another would make them again."""
    for item in items:
        if "keep_rows" in getattr(item, "fixturenames", ()):
            module = f"{item.path.parent.name}.{item.path.stem}"
            item.add_marker(pytest.mark.xdist_group(module))


@pytest.fixture(scope="module")
def keep_rows(
    django_db_setup: None, django_db_blocker: DjangoDbBlocker
) -> Iterator[Callable[[Callable[[], T]], T]]:
    """Calls a function whose rows stay until the module ends.

    A test works on a deep copy of what the function returned, as rows in memory are not
    rolled back. Every test of the module must ask for the rows, so that none depends on
    the order.
    """

    def keep(make: Callable[[], T]) -> T:
        with django_db_blocker.unblock():
            kept = make()
            # A trigger with constraints still to be checked cannot be dropped.
            connection.check_constraints()
        keep_accounts()
        return kept

    with django_db_blocker.unblock():
        atomics = TestCase._enter_atomics()  # type: ignore[attr-defined]
    yield keep
    with django_db_blocker.unblock():
        TestCase._rollback_atomics(atomics)  # type: ignore[attr-defined]
    forget_kept_accounts()
