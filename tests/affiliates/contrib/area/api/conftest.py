from __future__ import annotations

import pytest
from rest_framework.test import APIClient

from tests.affiliates.till import order_of
from tests.conftest import ORIGIN


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
