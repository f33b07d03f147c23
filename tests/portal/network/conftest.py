"""A shop whose integration was configured in the admin, and the tracker it reports to."""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import ExitStack

import pytest

from affiliates.outbox.http.client import Transport
from portal.demo.network.server import Simulator
from tests.affiliates.outbox.outbox import Clock
from tests.portal.network.payout_day import PayoutDay
from tests.portal.network.paypal_day import PayPalDay
from tests.portal.network.shop import PASSWORD, USERNAME, Overhearing, Shop
from tests.simulator import trusted_simulator


@pytest.fixture
def tracker(settings) -> Iterator[Simulator]:
    with trusted_simulator(settings) as tracker:
        tracker.settings.change({"username": USERNAME, "password": PASSWORD})
        yield tracker


@pytest.fixture
def shop(brand, host, admin_client, tracker) -> Iterator[Shop]:
    with ExitStack() as stack:
        transport = Overhearing(stack.enter_context(Transport()))
        yield Shop(
            brand=brand,
            host=host,
            operator=admin_client,
            tracker=tracker,
            transport=transport,
            clock=Clock(),
        )


@pytest.fixture
def impatient(tracker) -> Iterator[Transport]:
    """The real transport, with less than half a second for a call."""
    with Transport(total_seconds=0.4) as transport:
        yield transport


@pytest.fixture
def network(settings) -> Iterator[Simulator]:
    with trusted_simulator(settings) as network:
        yield network


@pytest.fixture
def day(request, brand, host, network, now) -> Iterator[PayoutDay]:
    """The test's, its module's, or by PayPal."""
    usual = getattr(request.module, "DAY_BY", PayPalDay)
    day: PayoutDay = getattr(request, "param", usual)(brand, host, network, now)
    with Transport(total_seconds=2) as day.transport:
        yield day
