from __future__ import annotations

from typing import Any
from unittest.mock import patch

import pytest
import time_machine
from django.core.signals import request_finished, request_started
from django.db import close_old_connections

from affiliates.api.plain_visits import PlainVisits
from affiliates.brands.models.brand import Brand
from tests.contract.both_paths import BothAsyncPaths, BothPaths
from tests.contract.frontend import GATEWAY, WEBHOOK_SECRET, Frontend
from tests.contract.openapi import document
from tests.factories.affiliates import (
    AffiliateFactory,
    AffiliateLinkFactory,
    BrandDomainFactory,
    BrandFactory,
)
from tests.factories.integrations import TrackingIntegrationFactory
from tests.factories.portal import ClientFactory, ProductFactory


@pytest.fixture(autouse=True, scope="session")
def described() -> dict[str, Any]:
    """The description that answers are compared with, generated once."""
    return document()


@pytest.fixture(autouse=True)
def _gateway(settings):
    settings.PAYMENT_WEBHOOK_SECRETS = {GATEWAY: WEBHOOK_SECRET}


@pytest.fixture
def brand(db) -> Brand:
    """A brand at shop.example.com that also lists help.example.org."""
    brand = BrandFactory(default_redirect_url="https://shop.example.com/welcome")
    BrandDomainFactory(brand=brand, host="help.example.org", is_client_area=False)
    return brand


@pytest.fixture
def other_brand(brand: Brand) -> Brand:
    return BrandFactory(client_area="other.example.net")


@pytest.fixture
def affiliate(brand: Brand):
    user = ClientFactory(brand=brand, email="affiliate@example.com")
    return AffiliateFactory(brand=brand, user=user, code="partner")


@pytest.fixture
def link(affiliate):
    return AffiliateLinkFactory(
        affiliate=affiliate, target_url="https://shop.example.com/plans"
    )


@pytest.fixture
def integration(brand: Brand):
    """The brand's tracking integration, whose links carry ``aid``."""
    return TrackingIntegrationFactory(brand=brand, parameters="aid")


@pytest.fixture
def link_url(link) -> str:
    return f"https://shop.example.com/aff/{link.hash}"


@pytest.fixture
def product_id(brand: Brand) -> int:
    product = ProductFactory(brand=brand)
    return int(product.pk)


@pytest.fixture
def frontend(brand: Brand) -> Frontend:
    """A visitor's browser in the client area of the brand."""
    return Frontend(origin="https://shop.example.com")


@pytest.fixture
def open_browser(brand: Brand):
    """Another visitor's browser, or the same visitor's on another device."""
    return lambda: Frontend(origin="https://shop.example.com")


@pytest.fixture(params=[BothPaths, BothAsyncPaths], ids=["WSGI", "ASGI"])
def new_both(request):
    """Makes the two paths, by the settings of that moment."""
    return request.param


@pytest.fixture
def both(brand: Brand, new_both) -> BothPaths:
    paths: BothPaths = new_both()
    return paths


@pytest.fixture
def clock():
    """The service's clock, standing still."""
    with time_machine.travel("2026-03-01T12:00:00Z", tick=False) as traveller:
        yield traveller


@pytest.fixture
def one_connection():
    """For requests to the WSGI application itself: it would close a test's connection.

    Ask for it last: Django's test client, once used, connects these signals again.
    """
    signals = (request_started, request_finished)
    for signal in signals:
        signal.disconnect(close_old_connections)
    with patch(f"{PlainVisits.__module__}.close_old_connections"):
        yield
    for signal in signals:
        signal.connect(close_old_connections)
