"""Many requests for one thing at once, over real connections to a real server."""

from __future__ import annotations

import http.client
import json
from collections.abc import Iterator
from datetime import UTC, datetime
from functools import partial

import pytest
from standardwebhooks import Webhook

from affiliates.referrals.models import OrderReferral
from affiliates.sales.models import Sale
from benchmarks.running import free_port, granian
from portal.billing.models import Invoice, Payment
from tests.database import database_url
from tests.lengths import times
from tests.races import at_once, needs_postgresql

pytestmark = [
    needs_postgresql,
    pytest.mark.django_db(transaction=True),
]

AT_ONCE = 100
ROUNDS = times(2, long=50)
ORIGIN = "https://shop.example.com"
WEBHOOK_SECRET = "whsec_" + "A" * 43 + "="


@pytest.fixture
def port(brand) -> Iterator[int]:
    """A server of two processes on the tests' own database."""
    environment = {
        "DATABASE_URL": database_url(),
        "PAYMENT_WEBHOOK_SECRET_ACME": WEBHOOK_SECRET,
    }
    port = free_port()
    with granian(
        "portal.wsgi:application",
        port=port,
        workers=2,
        threads=16,
        environment=environment,
    ):
        yield port


def send(port: int, method: str, path: str, body: bytes, **headers: str):
    caller = http.client.HTTPConnection("127.0.0.1", port, timeout=180)
    try:
        caller.request(method, path, body, headers)
        answer = caller.getresponse()
        return answer.status, json.loads(answer.read())
    finally:
        caller.close()


def convert(port: int, order_ref: str, details_id: int, authorization: str):
    return send(
        port,
        "PATCH",
        f"/api/orders/{order_ref}/convert",
        json.dumps({"payment_details_id": details_id}).encode(),
        Authorization=authorization,
        Origin=ORIGIN,
        **{"Content-Type": "application/json"},
    )


def test_one_order_converted_at_once_gives_one_invoice_and_one_referral(
    port, host, brand
):
    client = host.client(brand, email="client@example.com")
    details_id = host.payment_details_id(client)
    authorization = host.authorization(client)

    for _ in range(ROUNDS):
        order_ref = host.order(client)
        act = partial(convert, port, order_ref, details_id, authorization)
        answers = at_once(AT_ONCE, lambda _, act=act: act())

        assert {status for status, _ in answers} == {200}
        assert len({json.dumps(body, sort_keys=True) for _, body in answers}) == 1
        assert Invoice.objects.filter(order_id=order_ref).count() == 1
        assert OrderReferral.objects.filter(order_ref=order_ref).count() == 1

    numbers = sorted(Invoice.objects.values_list("number", flat=True))
    assert len(numbers) == len(set(numbers)) == ROUNDS


def test_one_payment_event_sent_at_once_gives_one_sale(port, host, brand, affiliate):
    client = host.client(brand, email="client@example.com")
    order_ref = host.order(client)
    status, answer = convert(
        port, order_ref, host.payment_details_id(client), host.authorization(client)
    )
    assert status == 200, answer
    OrderReferral.objects.update(
        affiliate=affiliate, outcome="credited", reason="last_click"
    )
    event = {
        "type": "payment.succeeded",
        "data": {
            "invoice_id": answer["data"]["id"],
            "reference": "bank-1",
            "amount": answer["data"]["total"]["amount"],
            "currency": answer["data"]["total"]["currency"],
        },
    }
    body = json.dumps(event)
    sent_at = datetime.now(tz=UTC)
    headers = {
        "Content-Type": "application/json",
        "webhook-id": "event-1",
        "webhook-timestamp": str(int(sent_at.timestamp())),
        "webhook-signature": Webhook(WEBHOOK_SECRET).sign("event-1", sent_at, body),
    }

    answers = at_once(
        AT_ONCE,
        lambda _: send(
            port, "POST", "/api/payments/webhook/acme", body.encode(), **headers
        ),
    )

    assert {status for status, _ in answers} == {200}, answers[0]
    assert Payment.objects.count() == 1
    assert Sale.objects.get().affiliate == affiliate
