from __future__ import annotations

import pytest

from tests.affiliates.tracking import PROVIDERS
from tests.factories.integrations import TrackingIntegrationFactory


@pytest.fixture
def integrate(brand, monkeypatch):
    """Give the brand an active tracking integration, of a made-up provider."""
    for module in ("providers.registry", "selectors"):
        monkeypatch.setattr(f"affiliates.integrations.{module}.ADAPTERS", PROVIDERS)

    def integrate(provider="minting", **fields):
        return TrackingIntegrationFactory(brand=brand, provider=provider, **fields)

    return integrate
