"""Recognises tests that show nothing of a database: one database is enough.

These are tests of pages and of endpoints: how a request is read, what is drawn, who may
ask. Their services have tests on PostgreSQL, where one pass through each page, each
endpoint and each list remains, and each test of what a query finds.
"""

from __future__ import annotations

import re
from pathlib import Path

import pytest

TESTS = Path(__file__).parent
# All that is in them asks by HTTP.
ENDPOINTS = (
    TESTS / "affiliates" / "api",
    TESTS / "affiliates" / "contrib" / "area",
    TESTS / "portal" / "admin",
    TESTS / "portal" / "api",
    TESTS / "portal" / "clients",
    TESTS / "portal" / "demo",
)
PAGES = re.compile(
    "test_(.+_)?admin|test_.+_pages?|test_(.+_)?second_factor"
    "|test_(admin_hosts|authorization|looks|security_log|storefront)"
)
# What is written to a person, and what a form refuses.
TEXTS = re.compile(
    "test_(command|documented|german|language|navigation|rendering|unsubscribing"
    "|validation)"
)
# A fixture that asks by HTTP.
CALLERS = {"admin_client", "api", "browser", "rf"}
# One pass through all that there is, the way of each write from its request on, and
# what is no endpoint beside these.
PASSES = re.compile(
    "test_((true_)?lists|matrix|roles|visits|conversion|arrivals|repeats"
    "|(.+_)?services|models|credit|tokens|races|seed_load|year)"
)
# What a query finds, counts, sums or sorts, what it locks, and what a constraint forbids.
QUERIES = re.compile(
    "list|search|filter|(?<!not_)found|finds|quer|asks|(?<!ac)count|number|sum|balance"
    "|sort|newest|oldest|queue|file|export|race|at_once|meanwhile|twice|rows|delete"
    "|version|database"
)
COUNTING = {"django_assert_num_queries", "django_assert_max_num_queries"}
# Skipped by the portal: on PostgreSQL alone another host runs these.
OF_OTHER_HOSTS = {"early_invoices"}


def is_portable(item: pytest.Item) -> bool:
    name = getattr(item, "originalname", item.name)
    fixtures = set(getattr(item, "fixturenames", ()))
    is_of_kind = any(kind.fullmatch(item.path.stem) for kind in (PAGES, TEXTS))
    return (
        (is_of_kind or _asks_by_http(item, fixtures))
        and QUERIES.search(name) is None
        and fixtures.isdisjoint(COUNTING | OF_OTHER_HOSTS)
        and not _commits(item)
        and item.get_closest_marker("skipif") is None
    )


def _asks_by_http(item: pytest.Item, fixtures: set[str]) -> bool:
    is_endpoint = any(item.path.is_relative_to(folder) for folder in ENDPOINTS)
    return (is_endpoint or not fixtures.isdisjoint(CALLERS)) and (
        PASSES.fullmatch(item.path.stem) is None
    )


def _commits(item: pytest.Item) -> bool:
    marker = item.get_closest_marker("django_db")
    return marker is not None and bool(marker.kwargs.get("transaction"))
