from __future__ import annotations

from collections.abc import Callable
from typing import Any

import pytest
from django.test import Client

from tests.factories.events_api import BrandKeyFactory

SECRET = "abk_of_the_tests"


@pytest.fixture
def key(brand):
    return BrandKeyFactory(brand=brand, secret=SECRET)


@pytest.fixture
def report(key) -> Callable[..., Any]:
    """Sends the events with the key and returns the answer."""

    def report(*events: Any, body: Any = None, secret: str = SECRET) -> Any:
        # A fault is answered, as a server does.
        return Client(raise_request_exception=False).post(
            "/api/operator/events",
            {"events": events} if body is None else body,
            content_type="application/json",
            headers={"authorization": f"Bearer {secret}"} if secret else {},
        )

    return report


@pytest.fixture
def placed(buyer) -> dict[str, Any]:
    return {
        "event": "order_placed",
        "order_ref": "order-1",
        "invoice_ref": "invoice-1",
        "client_id": str(buyer.pk),
        "placed_at": "2026-03-01T12:00:00Z",
        "client_paid_before": False,
        "affiliate_code": "partner",
    }


@pytest.fixture
def paid() -> dict[str, Any]:
    return {
        "event": "invoice_paid",
        "invoice_ref": "invoice-1",
        "order_ref": "order-1",
        "payment_ref": "payment-1",
        "gross": eur("119.00"),
        "lines": [
            {
                "description": "Hosting",
                "product_ref": "hosting",
                "kind": "hosting",
                "billing_cycle": "annually",
                "quantity": 1,
                "net": eur("100.00"),
            }
        ],
        "paid_at": "2026-03-01T12:00:00+01:00",
    }


def eur(amount: str) -> dict[str, str]:
    return {"amount": amount, "currency": "EUR"}
