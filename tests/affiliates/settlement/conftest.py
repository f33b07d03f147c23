from __future__ import annotations

from datetime import datetime, timedelta
from uuid import UUID

import pytest
from moneyed import Money

from affiliates.conf import conf
from affiliates.contracts import InvoiceLine, PaidInvoice, RefundedInvoice
from affiliates.outbox.models.integration import TrackingIntegration
from affiliates.referrals.models import OrderReferral
from affiliates.referrals.rules.choices import Outcome, Reason
from affiliates.visits.cookie import ReferralCookie, seal_cookie
from affiliates.visits.rules import TouchSource
from tests.factories.affiliates import ClickFactory
from tests.factories.integrations import (
    EXTERNAL_VISITOR,
    TrackingIntegrationFactory,
    external_fields,
)

ORDER_REF = "order-1"
INVOICE_REF = "invoice-1"


@pytest.fixture
def order_referral(affiliate, host, brand, now) -> OrderReferral:
    """An order credited to the affiliate, converted to its initial invoice."""
    client = host.client(brand, email="client@example.com")
    return OrderReferral.objects.create(
        brand=brand,
        order_ref=ORDER_REF,
        invoice_ref=INVOICE_REF,
        client=client,
        outcome=Outcome.CREDITED,
        reason=Reason.LAST_CLICK,
        affiliate=affiliate,
        click_id=UUID(int=1),
        touched_at=now - timedelta(days=1),
        converted_at=now,
        decision={},
    )


@pytest.fixture
def payment(brand, now: datetime) -> PaidInvoice:
    """119.00 EUR gross for two lines of together 100.00 EUR net."""
    return PaidInvoice(
        brand_id=brand.pk,
        invoice_ref=INVOICE_REF,
        order_ref=ORDER_REF,
        payment_ref="payment-1",
        gross=Money("119.00", "EUR"),
        lines=(line("Hosting", "90.00"), line("Setup", "10.00")),
        paid_at=now + timedelta(minutes=5),
    )


@pytest.fixture
def refund(brand, now: datetime) -> RefundedInvoice:
    return make_refund(brand.pk, "refund-1", "59.50", now)


def make_refund(
    brand_id: int, ref: str, gross: str, now: datetime, currency: str = "EUR"
) -> RefundedInvoice:
    return RefundedInvoice(
        brand_id=brand_id,
        invoice_ref=INVOICE_REF,
        refund_ref=ref,
        gross=Money(gross, currency),
        refunded_at=now + timedelta(days=1),
    )


def line(description: str, net: str) -> InvoiceLine:
    return InvoiceLine(
        description=description,
        product_ref="product-1",
        kind="hosting",
        billing_cycle="monthly",
        quantity=1,
        net=Money(net, "EUR"),
    )


@pytest.fixture
def integration(brand) -> TrackingIntegration:
    return TrackingIntegrationFactory(
        brand=brand, config={"username": "merchant@example.com"}
    )


@pytest.fixture
def third_party(order_referral, integration, now) -> OrderReferral:
    """The same order, credited through the tracking integration alone."""
    OrderReferral.objects.update(
        outcome=Outcome.THIRD_PARTY,
        reason=Reason.THIRD_PARTY_ONLY,
        affiliate=None,
        click_id=None,
        touched_at=None,
        **external_fields(integration, now),
    )
    order_referral.refresh_from_db()
    return order_referral


@pytest.fixture
def both(order_referral, integration, now) -> OrderReferral:
    """The same order, credited to the affiliate and told to the integration."""
    OrderReferral.objects.update(**external_fields(integration, now))
    order_referral.refresh_from_db()
    return order_referral


def cookie_of_a_visit(integration: TrackingIntegration, now: datetime) -> str:
    """The cookie of a visit, a day ago, by a link of the integration."""
    click = ClickFactory(
        brand=integration.brand,
        affiliate=None,
        affiliate_status="",
        integration=integration,
        external_affiliate="testaff",
        source=TouchSource.INTEGRATION,
        visitor_id=UUID(int=7),
        created_at=now - timedelta(days=1),
    )
    return seal_cookie(
        ReferralCookie(
            visitor_id=click.visitor_id,
            click_id=click.pk,
            affiliate_id=0,
            issued_at=click.created_at,
            expires_at=now + timedelta(days=90),
            external_visitor_id=EXTERNAL_VISITOR,
        ),
        brand_id=integration.brand_id,
        ring=conf.cookie_keys,
        nonce=b"n" * 12,
    )
