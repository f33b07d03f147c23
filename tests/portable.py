"""Recognises tests of pages that show nothing of a database: one database is enough.

Their services have tests on PostgreSQL, where `tests/portal/admin` also opens every list
and uses every search.
"""

from __future__ import annotations

import re

import pytest

PAGES = re.compile(r"test_(.+_)?admin|test_.+_pages?")
# What a query finds, counts, sums or sorts, what it locks, and what a constraint forbids.
QUERIES = re.compile(
    "list|search|filter|found|quer|asks|count|number|sum|balance|sort|order|first|queue"
    "|file|export|race|at_once|meanwhile|second|twice|rows|delete|version|database"
)
COUNTING = {"django_assert_num_queries", "django_assert_max_num_queries"}


def is_portable(item: pytest.Item) -> bool:
    name = getattr(item, "originalname", item.name)
    return (
        PAGES.fullmatch(item.path.stem) is not None
        and QUERIES.search(name) is None
        and COUNTING.isdisjoint(getattr(item, "fixturenames", ()))
    )
