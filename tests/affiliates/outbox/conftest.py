"""A brand whose integration speaks with the fake provider of ``outbox``."""

from __future__ import annotations

import pytest

from affiliates.outbox import registry
from tests.affiliates.outbox.outbox import Clock, FakeAdapter
from tests.factories.integrations import TrackingIntegrationFactory


@pytest.fixture
def adapter(monkeypatch) -> FakeAdapter:
    fake = FakeAdapter()
    monkeypatch.setitem(registry.ADAPTERS, fake.code, fake)
    return fake


@pytest.fixture
def integration(brand, adapter):
    return TrackingIntegrationFactory(
        brand=brand, provider=adapter.code, requests_per_second=1000
    )


@pytest.fixture
def clock() -> Clock:
    return Clock()
