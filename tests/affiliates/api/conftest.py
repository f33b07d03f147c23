from __future__ import annotations

from datetime import datetime

import pytest
import time_machine
from rest_framework.test import APIClient

from affiliates.brands.models.brand import Brand
from tests.factories.affiliates import AffiliateLinkFactory, BrandFactory
from tests.hosts.host import Host


@pytest.fixture
def clock(now: datetime):
    """The service's clock: it stands still unless a test moves it."""
    with time_machine.travel(now, tick=False) as traveller:
        yield traveller


@pytest.fixture
def outsider() -> APIClient:
    """A caller whose requests carry no Origin."""
    return APIClient()


@pytest.fixture
def other_brand(brand: Brand) -> Brand:
    """Another brand, with its client area at https://other.example.net."""
    return BrandFactory(client_area="other.example.net")


@pytest.fixture
def rival_link(rival):
    return AffiliateLinkFactory(affiliate=rival)


@pytest.fixture
def buyer(brand: Brand, host: Host):
    """A full client of the brand."""
    return host.client(brand, email="client@example.com")


@pytest.fixture
def as_buyer(api: APIClient, buyer, host: Host) -> APIClient:
    """The buyer's own browser."""
    api.credentials(HTTP_AUTHORIZATION=host.authorization(buyer))
    return api


@pytest.fixture
def order(buyer, host: Host) -> str:
    """The buyer's basket, with something in it."""
    return host.order(buyer)


@pytest.fixture
def details(buyer, host: Host) -> int:
    """The id of payment details that are the buyer's."""
    return host.payment_details_id(buyer)
