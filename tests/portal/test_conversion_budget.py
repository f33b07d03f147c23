"""How many questions to the database the way from click to sale costs."""

from __future__ import annotations

from datetime import datetime, timedelta
from uuid import UUID

import pytest
import time_machine
from django.db import connection
from django.test.utils import CaptureQueriesContext
from moneyed import Money

from affiliates.conf import conf
from affiliates.contracts import InvoiceLine, PaidInvoice
from affiliates.host_events import invoice_paid
from affiliates.outbox.active import active_webhook_of
from affiliates.outbox.models.delivery import Delivery
from affiliates.referrals.models import ClientReferral, OrderCandidate, OrderReferral
from affiliates.sales.models import Sale
from affiliates.visits.cookie import ReferralCookie, seal_cookie
from tests.affiliates.api.calls import convert, register
from tests.factories.affiliates import AffiliateFactory, ClickFactory
from tests.factories.integrations import TrackingIntegrationFactory
from tests.factories.plans import CouponCodeFactory

EXTERNAL_VISITOR = "0f3c9a7be2d14c55a1b2c3d4e5f60718"
MOST = 12
MOST_OF_CONVERSION = 9


@pytest.fixture(params=["alone", "with an integration"])
def integration(request, brand):
    """The brand's integration, where it has one; both claim every client."""
    if request.param == "alone":
        return None
    brand.claim_policy = "both"
    brand.save()
    return TrackingIntegrationFactory(brand=brand, config={"lead_action": "signup"})


@pytest.fixture
def as_client(api, client, host):
    api.credentials(HTTP_AUTHORIZATION=host.authorization(client))
    return api


@pytest.fixture
def order(client, host) -> str:
    return host.order(client)


@pytest.fixture
def details(client, host) -> int:
    return host.payment_details_id(client)


@pytest.fixture(autouse=True)
def _clock(now: datetime):
    with time_machine.travel(now, tick=False):
        yield


@pytest.fixture
def cookie(affiliate, integration, now: datetime) -> str:
    """Of a click by both links, where there is an integration."""
    click = ClickFactory(
        affiliate=affiliate,
        integration=integration,
        external_affiliate="" if integration is None else "testaff",
        visitor_id=UUID(int=7),
        created_at=now - timedelta(days=1),
    )
    return seal_cookie(
        ReferralCookie(
            visitor_id=click.visitor_id,
            click_id=click.pk,
            affiliate_id=affiliate.pk,
            issued_at=click.created_at,
            expires_at=now + timedelta(days=89),
            external_visitor_id="" if integration is None else EXTERNAL_VISITOR,
        ),
        brand_id=affiliate.brand_id,
        ring=conf.cookie_keys,
        nonce=b"n" * 12,
    )


@pytest.fixture
def known_configuration(integration, affiliate, api, settings):
    """The process knows the brands and integrations, as it does but for a moment."""
    register(api, email="first@example.org")
    active_webhook_of(affiliate.pk)
    settings.AFFILIATES_CONFIG_REFRESH_SECONDS = 3600


def asked(queries: CaptureQueriesContext) -> int:
    """Without the savepoints, which a test has where a request has a transaction."""
    return sum("SAVEPOINT" not in query["sql"] for query in queries)


def assert_number_is_last(queries: CaptureQueriesContext) -> None:
    """With it the invoice is written: the brand's next invoice waits for that."""
    statements = [one["sql"] for one in queries if "SAVEPOINT" not in one["sql"]]
    numbered = next(i for i, one in enumerate(statements) if "invoicecounter" in one)
    after = [one.split()[0] for one in statements[numbered:]]
    assert after == (
        ["WITH"] if connection.vendor == "postgresql" else ["INSERT", "INSERT"]
    )


def test_registration(api, cookie, known_configuration, integration):
    with CaptureQueriesContext(connection) as queries:
        answer = register(api, referral_cookie=cookie)

    assert answer.status_code == 201
    assert ClientReferral.objects.get().integration == integration
    assert asked(queries) <= MOST


def test_conversion(
    as_client, order, details, cookie, known_configuration, integration
):
    with CaptureQueriesContext(connection) as queries:
        answer = convert(
            as_client, order, payment_details_id=details, referral_cookie=cookie
        )

    assert answer.status_code == 200
    assert OrderReferral.objects.get().integration == integration
    assert asked(queries) <= MOST
    assert_number_is_last(queries)


def test_conversion_with_anothers_coupon(
    as_client,
    client,
    host,
    details,
    cookie,
    known_configuration,
    integration,
    affiliate,
):
    rival = AffiliateFactory(
        brand=affiliate.brand, user=host.client(affiliate.brand, email="r@example.com")
    )
    CouponCodeFactory(brand=affiliate.brand, affiliate=rival, code="SUMMER")
    order = host.order(client, coupon_codes=["SUMMER"])

    with CaptureQueriesContext(connection) as queries:
        answer = convert(
            as_client, order, payment_details_id=details, referral_cookie=cookie
        )

    assert answer.status_code == 200
    assert OrderReferral.objects.get().coupon_code == "SUMMER"
    # The coupon, whether its affiliate is the client, and whose click lost.
    assert asked(queries) <= MOST + 3
    assert OrderCandidate.objects.get().affiliate == affiliate
    assert_number_is_last(queries)


def test_payment(
    as_client, order, details, cookie, known_configuration, integration, brand, now
):
    convert(as_client, order, payment_details_id=details, referral_cookie=cookie)
    event = PaidInvoice(
        brand_id=brand.pk,
        invoice_ref=OrderReferral.objects.get().invoice_ref,
        order_ref=order,
        payment_ref="payment-1",
        gross=Money("11.90", "EUR"),
        lines=(
            InvoiceLine(
                description="Hosting",
                product_ref="1",
                kind="hosting",
                billing_cycle="monthly",
                quantity=1,
                net=Money("10.00", "EUR"),
            ),
        ),
        paid_at=now,
    )

    with CaptureQueriesContext(connection) as queries:
        invoice_paid(event, now=now)

    assert Sale.objects.count() == 1
    assert Delivery.objects.count() == (0 if integration is None else 1)
    assert asked(queries) <= MOST
