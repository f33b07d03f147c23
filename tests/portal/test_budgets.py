"""What the main steps may ask of the database, everything in between included."""

from __future__ import annotations

import json
from datetime import UTC, datetime

import pytest
from django.db import connection
from django.test.utils import CaptureQueriesContext

from affiliates.commissions.models import Commission
from affiliates.fraud.selectors import fraud_terms
from affiliates.outbox.active import active_integration
from affiliates.referrals.models import ClientReferral
from affiliates.sales.models import Sale
from portal.billing import webhooks
from portal.billing.models import Invoice
from portal.clients.services import _issue_token
from tests.factories.plans import CommissionPlanFactory
from tests.factories.portal import (
    PASSWORD,
    GuestFactory,
    OrderFactory,
    OrderItemFactory,
    PaymentDetailsFactory,
)
from tests.portal.conftest import ORIGIN, WEBHOOK_SECRET

MAX_QUERIES = 12
# With the request's authentication, its BEGIN and its COMMIT, which in a test are those
# of a savepoint. SQLite has no lock, and writes a numbered invoice in three statements.
MAX_CONVERSION_QUERIES = {"postgresql": 10, "sqlite": 11}[connection.vendor]
MAX_PAYMENT_QUERIES = MAX_REFUND_QUERIES = 20
TRANSACTION_CONTROL = ("BEGIN", "COMMIT", "SAVEPOINT", "RELEASE")


@pytest.fixture
def counted(settings, api, brand):
    """Count queries as a running process makes them: with its configuration in memory."""
    api.get("/api/products")
    active_integration(brand.pk)
    settings.AFFILIATES_CONFIG_REFRESH_SECONDS = 3600

    def count(call, *, with_control: bool = False) -> list[str]:
        with CaptureQueriesContext(connection) as captured:
            response = call()
        assert response.status_code in {200, 201}, response.content
        statements = [query["sql"] for query in captured.captured_queries]
        if with_control:
            return statements
        return [sql for sql in statements if not sql.startswith(TRANSACTION_CONTROL)]

    return count


PERSON = {"firstname": "Ada", "lastname": "Lovelace", "password": PASSWORD}


def test_registration(counted, api):
    body = {"email": "ada@example.com", **PERSON, "user_agent": ""}

    statements = counted(lambda: api.post("/api/clients/register", body, format="json"))

    assert len(statements) <= MAX_QUERIES, statements


def test_completion(counted, speak_as, brand):
    guest = GuestFactory(brand=brand)
    api = speak_as(guest)
    body = {"email": "ada@example.com", **PERSON, "user_agent": ""}

    statements = counted(
        lambda: api.post(
            f"/api/clients/{guest.pk}/complete_registration", body, format="json"
        )
    )

    assert len(statements) <= MAX_QUERIES, statements


def test_conversion(counted, speak_as, client):
    order = OrderFactory(client=client)
    OrderItemFactory.create_batch(5, order=order)
    body = {"payment_details_id": PaymentDetailsFactory(client=client).pk}
    api = speak_as(client)

    statements = counted(
        lambda: api.patch(f"/api/orders/{order.pk}/convert", body, format="json")
    )

    assert len(statements) <= MAX_QUERIES, statements


@pytest.fixture
def send_webhook(api):
    def send(invoice, event_type: str):
        event = {
            "type": event_type,
            "data": {
                "invoice_id": str(invoice.pk),
                "reference": f"ref_{event_type}",
                "amount": str(invoice.gross.amount),
                "currency": invoice.gross.currency.code,
            },
        }
        body = json.dumps(event).encode()
        headers = webhooks.sign(
            secret=WEBHOOK_SECRET,
            event_id=f"evt_{event_type}",
            body=body,
            now=datetime.now(tz=UTC),
        )
        return api.post(
            "/api/payments/webhook/acme",
            body,
            content_type="application/json",
            headers=headers,
        )

    return send


@pytest.mark.usefixtures("webhook_secrets")
def test_payment(counted, client, invoice_of, send_webhook):
    invoice = invoice_of(client, gateway="acme")

    statements = counted(lambda: send_webhook(invoice, "payment.succeeded"))

    assert len(statements) <= MAX_QUERIES, statements


@pytest.fixture
def cookie(api, link) -> str:
    """The referral cookie of a visit through an affiliate's link."""
    answer = api.post(
        "/api/affiliate_link/visit",
        {
            "visit_url": f"{ORIGIN}/aff/{link.hash}",
            "referrer_url": "",
            "user_agent": "Mozilla/5.0 Firefox/140.0",
        },
        format="json",
    )
    return answer.json()["data"]["referral_cookie"]


@pytest.mark.usefixtures("webhook_secrets")
def test_a_referred_order_from_signup_to_sale(
    counted, api, brand, cookie, send_webhook
):
    body = {"email": "ada@example.com", **PERSON, "referral_cookie": cookie}
    CommissionPlanFactory(brand=brand, is_default=True)
    fraud_terms(brand.pk)
    signup = counted(lambda: api.post("/api/clients/register", body, format="json"))
    client = ClientReferral.objects.get().client
    order = OrderFactory(client=client)
    OrderItemFactory.create_batch(5, order=order)
    details = PaymentDetailsFactory(client=client, gateway="acme")
    body = {"payment_details_id": details.pk, "referral_cookie": cookie}
    token = _issue_token(client, datetime.now(tz=UTC))
    api.credentials(HTTP_AUTHORIZATION=f"Bearer {token}")
    conversion = counted(
        lambda: api.patch(f"/api/orders/{order.pk}/convert", body, format="json"),
        with_control=True,
    )
    invoice = Invoice.objects.get()
    payment = counted(
        lambda: send_webhook(invoice, "payment.succeeded"), with_control=True
    )
    refund = counted(
        lambda: send_webhook(invoice, "payment.refunded"), with_control=True
    )

    assert Sale.objects.get().reversals.count() == 1
    assert Commission.objects.get().status == "reversed"
    assert len(signup) <= MAX_QUERIES, signup
    for statements, most in (
        (conversion, MAX_CONVERSION_QUERIES),
        (payment, MAX_PAYMENT_QUERIES),
        (refund, MAX_REFUND_QUERIES),
    ):
        assert len(statements) <= most, statements
        assert sum(sql.startswith("SAVEPOINT") for sql in statements) == 1
