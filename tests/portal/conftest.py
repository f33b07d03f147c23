"""People of the portal, each with a voice of its own in the API."""

from __future__ import annotations

from collections.abc import Callable
from datetime import UTC, datetime

import pytest
from rest_framework.test import APIClient

from affiliates.brands.models.brand import Brand
from affiliates.contracts import PaidInvoice, RefundedInvoice
from portal.billing import services
from portal.billing.models import Invoice
from portal.clients.models import User
from portal.clients.services import _issue_token
from tests.factories.affiliates import BrandFactory
from tests.factories.portal import (
    ClientFactory,
    GuestFactory,
    OrderFactory,
    OrderItemFactory,
    PaymentDetailsFactory,
    convert_order,
)

ORIGIN = "https://shop.example.com"
NOT_FOUND = {
    "type": "client_error",
    "errors": [{"code": "not_found", "detail": "Not found.", "attr": None}],
}
# PostgreSQL's usual 100 connections are shared with whatever else runs.
RACERS = 50
WEBHOOK_SECRET = "whsec_" + "A" * 43 + "="


@pytest.fixture
def other_brand(brand: Brand) -> Brand:
    return BrandFactory(client_area="other.example.com")


@pytest.fixture
def client(brand: Brand) -> User:
    return ClientFactory(brand=brand)


@pytest.fixture
def guest(brand: Brand) -> User:
    return GuestFactory(brand=brand)


@pytest.fixture
def other_client(brand: Brand) -> User:
    return ClientFactory(brand=brand)


@pytest.fixture
def speak_as() -> Callable[[User], APIClient]:
    """An API caller with a token of the user, in the client area of the brand."""

    def speak(user: User) -> APIClient:
        token = _issue_token(user, datetime.now(tz=UTC))
        return APIClient(HTTP_ORIGIN=ORIGIN, HTTP_AUTHORIZATION=f"Bearer {token}")

    return speak


@pytest.fixture
def invoice_of(now: datetime) -> Callable[..., Invoice]:
    """The invoice of a converted basket with one item."""

    def convert(user: User, *, gateway: str = "manual", **item: object) -> Invoice:
        order = OrderFactory(client=user)
        OrderItemFactory(order=order, **item)
        details = PaymentDetailsFactory(client=user, gateway=gateway)
        return convert_order(
            order_id=order.pk,
            client_id=user.pk,
            payment_details_id=details.pk,
            now=now,
        )

    return convert


@pytest.fixture
def told(monkeypatch: pytest.MonkeyPatch) -> list[PaidInvoice | RefundedInvoice]:
    """What affiliates was told of payments and refunds, instead of telling it."""
    events: list[PaidInvoice | RefundedInvoice] = []

    def keep(event: PaidInvoice | RefundedInvoice, *, now: datetime) -> None:
        events.append(event)

    monkeypatch.setattr(services, "invoice_paid", keep)
    monkeypatch.setattr(services, "invoice_refunded", keep)
    return events


@pytest.fixture
def webhook_secrets(settings) -> None:
    settings.PAYMENT_WEBHOOK_SECRETS = {"acme": WEBHOOK_SECRET, "demo": WEBHOOK_SECRET}
    settings.DEMO_GATEWAY = True
