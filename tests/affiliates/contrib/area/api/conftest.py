from __future__ import annotations

import pytest
from rest_framework.test import APIClient

from tests.affiliates.api.conftest import (
    as_buyer,
    buyer,
    clock,
    details,
    other_brand,
    outsider,
    rival_link,
)
from tests.affiliates.till import order_of
from tests.conftest import ORIGIN

__all__ = [
    "as_buyer",
    "buyer",
    "clock",
    "details",
    "order",
    "other_brand",
    "outsider",
    "partner",
    "rival_link",
]


@pytest.fixture
def partner(affiliate, host) -> APIClient:
    """The affiliate's own browser."""
    return APIClient(
        HTTP_ORIGIN=ORIGIN, HTTP_AUTHORIZATION=host.authorization(affiliate.user)
    )


@pytest.fixture
def order(affiliate, buyer):
    """An order of the buyer's that a click of the day before is credited with."""
    return order_of(affiliate, buyer, order_ref="order-1", invoice_ref="invoice-1")
