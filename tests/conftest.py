"""Fixtures that every test may use."""

from __future__ import annotations

import gc
from collections.abc import Generator
from contextlib import nullcontext
from datetime import UTC, datetime
from pathlib import Path

import pytest
from django.conf import settings as django_settings
from django.core.cache import cache
from django.db import connection
from django.template import engines
from django.urls import get_resolver
from django.utils import translation
from hypothesis import HealthCheck, settings
from rest_framework.test import APIClient

from affiliates.api.throttling.services import own_counts
from affiliates.brands.models.brand import Brand
from affiliates.visits.unstored import counts
from tests import drawing, worlds
from tests.append_only import emptied_past_triggers
from tests.cost import Costs, add_options
from tests.emptying import emptied_quickly
from tests.factories.affiliates import (
    AffiliateFactory,
    AffiliateLinkFactory,
    BrandFactory,
)
from tests.guard.plugin import Guard
from tests.hosts.host import Host, current_host
from tests.lengths import IS_LONG, times
from tests.migrated import kept_between_runs
from tests.portable import is_portable

ORIGIN = "https://shop.example.com"
# Fixtures of tests/browser that serve the whole portal.
SERVERS = {"server", "year_server", "desk_server"}
REUSABLE = Path(__file__).parent / "affiliates"
FAULTS = Path(__file__).parent / "faults"
# Tests that share a worker, the longest group first, and at last all others.
GROUPS = ("browser", "desk", "faults", "races", "sites", "deploy", "")

# A busy machine is no fault of what is tested, though its first visit may take a second.
django_settings.AFFILIATES_VISIT_DEADLINE_SECONDS = 10.0
settings.register_profile(
    "unhurried",
    deadline=None,
    max_examples=times(50, long=2_000),
    # Briefly run, the same examples each time: what passes once passes again.
    derandomize=not IS_LONG,
    suppress_health_check=[HealthCheck.too_slow],
)
settings.load_profile("unhurried")


# Thousands of tests stay to the end: looking for garbage among them takes the time of many.
gc.disable()


def pytest_addoption(parser: pytest.Parser) -> None:
    add_options(parser)


def pytest_configure(config: pytest.Config) -> None:
    config.pluginmanager.register(Guard())
    config.pluginmanager.register(drawing)
    config.pluginmanager.register(worlds)
    if config.getoption("costs"):
        config.pluginmanager.register(Costs(config))


def pytest_collection_finish() -> None:
    gc.freeze()
    gc.enable()


def pytest_terminal_summary(terminalreporter: pytest.TerminalReporter) -> None:
    properties = [
        value
        for report in terminalreporter.getreports("passed")
        for name, value in report.user_properties
        if name == "requests"
    ]
    if properties:
        terminalreporter.write_line(f"Requests to the API: {sum(properties):,}")


@pytest.hookimpl(wrapper=True, tryfirst=True)
def pytest_collection_modifyitems(
    config: pytest.Config, items: list[pytest.Item]
) -> Generator[None, None, None]:
    for item in items:
        marker = item.get_closest_marker("django_db")
        if marker is not None or "db" in getattr(item, "fixturenames", ()):
            item.add_marker("database")
        if item.path.is_relative_to(REUSABLE):
            item.add_marker("reusable")
        if is_portable(item):
            item.add_marker("portable")
        # Races take most of PostgreSQL's connections: one at a time, in one worker.
        # Whole hosts and faults take few, and their time goes beside that of the races.
        if marker is not None and marker.kwargs.get("transaction"):
            item.add_marker("committing")
            is_site = item.get_closest_marker("site") is not None
            others = "faults" if item.path.is_relative_to(FAULTS) else "races"
            item.add_marker(pytest.mark.xdist_group("sites" if is_site else others))
        # A Chromium for the tests of the desk, which have a server of their own, and one
        # for all others.
        if item.get_closest_marker("browser") is not None:
            used = SERVERS.intersection(getattr(item, "fixturenames", ()))
            group = "desk" if "desk_server" in used else "browser"
            item.add_marker(pytest.mark.xdist_group(group))
            if used:
                item.add_marker("site")
    yield
    # What takes longest begins first, or the other workers wait for it at the end.
    if hasattr(config, "workerinput"):
        items.sort(key=lambda item: GROUPS.index(_group_of(item)))


def _group_of(item: pytest.Item) -> str:
    marker = item.get_closest_marker("xdist_group")
    return marker.args[0] if marker and marker.args[0] in GROUPS else GROUPS[-1]


@pytest.fixture(autouse=True, scope="session")
def _sqlite_is_not_asked() -> None:
    """Django asks each SQLite once for its JSON functions: no test counts that query."""
    connection.features.supports_json_field = True


@pytest.fixture(autouse=True, scope="session")
def _empty_past_triggers():
    with emptied_past_triggers(), emptied_quickly():
        yield


@pytest.fixture(autouse=True, scope="session")
def _migrated_before(request):
    is_kept = not request.config.getoption("reuse_db")
    with kept_between_runs() if is_kept else nullcontext():
        yield


@pytest.fixture(autouse=True, scope="session")
def _loaded_once(request) -> None:
    """Loads what the first page of a process needs, which no test's CPU is to count."""
    if request.config.getoption("costs"):
        get_resolver().url_patterns  # noqa: B018 - loads every view
        for language in ("en", "de"):
            with translation.override(language):
                translation.gettext("")
        engines.all()


@pytest.fixture(autouse=True)
def _empty_cache():
    cache.clear()
    own_counts.clear()


@pytest.fixture(autouse=True)
def _no_visit_unstored():
    counts._counts.clear()
    counts._last_at.clear()


@pytest.fixture
def now() -> datetime:
    return datetime(2026, 3, 1, 12, tzinfo=UTC)


@pytest.fixture
def host() -> Host:
    return current_host()


@pytest.fixture
def brand(db) -> Brand:
    return BrandFactory()


@pytest.fixture
def affiliate(brand: Brand, host: Host):
    user = host.client(brand, email="affiliate@example.com")
    return AffiliateFactory(brand=brand, user=user, code="partner")


@pytest.fixture
def link(affiliate):
    return AffiliateLinkFactory(
        affiliate=affiliate, target_url="https://shop.example.com/plans"
    )


@pytest.fixture
def api() -> APIClient:
    """A caller in the brand's client area."""
    return APIClient(HTTP_ORIGIN=ORIGIN)
