"""What the main steps may ask of the database, everything in between included."""

from __future__ import annotations

import json
from datetime import UTC, datetime

import pytest
from django.db import connection
from django.test.utils import CaptureQueriesContext

from portal.billing import webhooks
from tests.factories.portal import (
    PASSWORD,
    GuestFactory,
    OrderFactory,
    OrderItemFactory,
    PaymentDetailsFactory,
)
from tests.portal.conftest import WEBHOOK_SECRET

MAX_QUERIES = 12
TRANSACTION_CONTROL = ("BEGIN", "COMMIT", "SAVEPOINT", "RELEASE")


@pytest.fixture
def counted(settings, api, brand):
    """Count queries as a running process makes them: with its brands in memory."""
    api.get("/api/products")
    settings.AFFILIATES_CONFIG_REFRESH_SECONDS = 5

    def count(call) -> list[str]:
        with CaptureQueriesContext(connection) as captured:
            response = call()
        assert response.status_code in {200, 201}, response.content
        statements = [query["sql"] for query in captured.captured_queries]
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


@pytest.mark.usefixtures("webhook_secrets")
def test_payment(counted, api, client, invoice_of):
    invoice = invoice_of(client, gateway="acme")
    event = {
        "type": "payment.succeeded",
        "data": {
            "invoice_id": str(invoice.pk),
            "reference": "pay_1",
            "amount": "10.71",
            "currency": "EUR",
        },
    }
    body = json.dumps(event).encode()
    headers = webhooks.sign(
        secret=WEBHOOK_SECRET, event_id="evt_1", body=body, now=datetime.now(tz=UTC)
    )

    statements = counted(
        lambda: api.post(
            "/api/payments/webhook/acme",
            body,
            content_type="application/json",
            headers=headers,
        )
    )

    assert len(statements) <= MAX_QUERIES, statements
