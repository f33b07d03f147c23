from __future__ import annotations

import json
from collections.abc import Callable
from datetime import timedelta
from typing import Any

import pytest
from django.test import Client
from django.utils import timezone

from affiliates.commissions.models import Commission
from tests.affiliates.contrib.stripe.samples import Event, seconds, sign
from tests.affiliates.host_events.cookies import click_of, cookie_of
from tests.factories.plans import CommissionPlanFactory

SECRET = "whsec_of_the_tests"  # noqa: S105 - of these tests


@pytest.fixture
def cookie(affiliate, now) -> str:
    return cookie_of(click_of(affiliate, now - timedelta(days=1)))


@pytest.fixture(autouse=True)
def _stripe(settings, brand) -> None:
    settings.AFFILIATES_STRIPE_SECRETS = {brand.pk: [SECRET]}
    settings.AFFILIATES_STRIPE_LIVEMODE = True


@pytest.fixture
def program(brand) -> None:
    """20 % of the first payment with an amount, 10 % of the later ones."""
    rules = [
        {"percent": 20, "position_from": 0, "position_to": 0},
        {"percent": 10, "position_from": 1},
    ]
    CommissionPlanFactory(brand=brand, is_default=True, rules=rules)


@pytest.fixture
def send(brand) -> Callable[..., int]:
    """Posts an event as Stripe does; returns the status of the answer."""

    def send(
        event: Event, *, secret: str = SECRET, brand_id: int = 0, **headers: str
    ) -> int:
        body = json.dumps(event).encode()
        header = sign(body, secret, timestamp=seconds(timezone.now()))
        return (
            Client(enforce_csrf_checks=True)
            .post(
                f"/api/stripe/{brand_id or brand.pk}",
                body,
                content_type="application/json",
                headers={"Stripe-Signature": header, **headers},
            )
            .status_code
        )

    return send


@pytest.fixture
def earned() -> Callable[[], dict[str, Any]]:
    """What is left of each invoice's commission, in cents."""

    def earned() -> dict[str, Any]:
        rows = Commission.objects.order_by("sale__invoice_ref")
        return {
            row.sale.invoice_ref: row.amount
            + sum(change.amount for change in row.reversals.all())
            for row in rows
        }

    return earned
