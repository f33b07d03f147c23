"""Orders of one brand that are converted and paid over HTTP. Django must be set up by now."""

from __future__ import annotations

import json
import time
from concurrent.futures import ThreadPoolExecutor
from dataclasses import dataclass
from datetime import datetime
from decimal import Decimal
from http.client import HTTPConnection
from itertools import islice
from threading import Event
from typing import Any
from unittest import mock

from django.conf import settings
from django.db import connection, connections
from django.test import Client
from django.test.utils import CaptureQueriesContext
from django.utils import timezone

from affiliates.brands.models.brand import Brand
from affiliates.brands.selectors import get_brand
from affiliates.contracts import OrderConversion
from affiliates.plans.models.plan import CommissionPlan
from affiliates.plans.models.rule import PlanRule
from affiliates.plans.services import publish_plan
from affiliates.program.models import AffiliateLink
from affiliates.referrals import evidence
from affiliates.settlement.services import convert_order
from affiliates.visits.rules import Visit
from affiliates.visits.services import track_visit
from benchmarks.load import ORIGIN, TIMEOUT_SECONDS
from benchmarks.measure import BenchmarkFailed
from portal.billing.webhooks import sign
from portal.clients.models import User
from portal.clients.open_sessions import AuthToken
from portal.orders.catalogue import Product
from portal.orders.models import Order, OrderItem, PaymentDetails

CLIENTS = 100
GATEWAY = "benchmark"
PRICE, GROSS = Decimal("10.00"), "11.90"


@dataclass(frozen=True, slots=True, kw_only=True)
class Basket:
    """An order to be, of a client who came by an affiliate's link."""

    order_ref: str
    client_id: str
    details_id: int
    token: str
    referral_cookie: str

    @property
    def path(self) -> str:
        return f"/api/orders/{self.order_ref}/convert"

    @property
    def body(self) -> str:
        return json.dumps(
            {
                "payment_details_id": self.details_id,
                "referral_cookie": self.referral_cookie,
            }
        )


class Baskets:
    """Clients of the benchmark's brand, and as many baskets of theirs as are wanted.

    Half of the clients came by one affiliate; the others each by another one.
    """

    def __init__(self) -> None:
        self._now = timezone.now()
        self._brand = Brand.objects.get()
        # Else only the first order of each client would earn.
        self._brand.existing_clients_earn = True
        self._brand.save()
        self._product = Product.objects.create(
            brand=self._brand, name="Hosting", kind="hosting", billing_cycle="monthly",
            price=PRICE, price_currency="EUR", tax_rate=19,
        )  # fmt: skip
        _publish_plan(self._brand, now=self._now)
        hashes = dict(AffiliateLink.objects.values_list("affiliate_id", "hash"))
        several = list(islice(hashes.values(), CLIENTS))
        self._of_one = [self._add_client(n, several[0]) for n in range(CLIENTS)]
        self._of_many = [
            self._add_client(CLIENTS + n, several[n % len(several)])
            for n in range(CLIENTS)
        ]

    def make(self, count: int, *, of_one: bool = False) -> list[Basket]:
        """The baskets of each client come one after another."""
        known = self._of_one if of_one else self._of_many
        clients = [known[number % CLIENTS] for number in range(count)]
        orders = Order.objects.bulk_create(
            Order(
                brand=self._brand, client_id=client["client_id"], currency="EUR",
                created_at=self._now,
            )
            for client in clients
        )  # fmt: skip
        OrderItem.objects.bulk_create(
            OrderItem(
                order=order, product=self._product, quantity=1,
                unit_price=self._product.price, tax_rate=self._product.tax_rate,
            )
            for order in orders
        )  # fmt: skip
        return [
            Basket(order_ref=str(order.pk), **client)
            for order, client in zip(orders, clients, strict=True)
        ]

    def _add_client(self, number: int, link_hash: str) -> dict[str, Any]:
        user = User.objects.create(
            brand=self._brand, email=f"client{number}@example.com"
        )
        details = PaymentDetails.objects.create(
            client=user, gateway=GATEWAY, created_at=self._now
        )
        _, token = AuthToken.objects.create(user)
        answer = track_visit(
            brand=get_brand(self._brand.pk),
            visit=Visit(
                visit_url=f"{ORIGIN}/aff/{link_hash}", referrer_url="",
                user_agent="Mozilla/5.0 (X11)", referral_cookie=None, ip="203.0.113.7",
                ip_prefix="203.0.113.0/24", is_prefetch=False,
            ),
            now=self._now,
        )  # fmt: skip
        return {
            "client_id": str(user.pk),
            "details_id": details.pk,
            "token": token,
            "referral_cookie": answer.referral_cookie,
        }


def _publish_plan(brand: Brand, *, now: datetime) -> None:
    """10 percent, held for 30 days: without a cap, a tier or a recruiter's share."""
    plan, _ = CommissionPlan.objects.update_or_create(
        brand=brand, is_default=True, defaults={"name": "Plan", "hold_days": 30}
    )
    PlanRule.objects.create(plan=plan, percent=10)
    publish_plan(plan, now=now)


def convert_beside_a_paused_one(baskets: Baskets) -> float:
    """Seconds that another order's conversion takes meanwhile, its commit included."""
    paused, other = baskets.make(2)
    decides, may_decide = Event(), Event()
    decide = evidence.decide

    def decide_late(known: Any, order: Any, **facts: Any) -> Any:
        if order.order_ref == paused.order_ref:
            decides.set()
            may_decide.wait(TIMEOUT_SECONDS)
        return decide(known, order, **facts)

    with (
        mock.patch.object(evidence, "decide", decide_late),
        ThreadPoolExecutor(1) as pool,
    ):
        waiting = pool.submit(_convert, paused)
        decides.wait(TIMEOUT_SECONDS)
        began = time.perf_counter()
        _convert(other)
        taken = time.perf_counter() - began
        is_paused = not waiting.done()
        may_decide.set()
        waiting.result()
    if not is_paused:
        raise BenchmarkFailed("The order converted only after the one that was paused.")
    return taken


def count_queries(baskets: Baskets) -> int:
    """Of a conversion, with the authentication, the BEGIN and the COMMIT."""
    first, second = baskets.make(2)
    client = Client(SERVER_NAME="127.0.0.1")
    for basket in (first, second):
        with CaptureQueriesContext(connection) as queries:
            answer = client.patch(
                basket.path,
                basket.body,
                content_type="application/json",
                headers={"Origin": ORIGIN, "Authorization": f"Bearer {basket.token}"},
            )
        _require_ok("conversion", answer.status_code, answer.content)
    return len(queries)


def _convert(basket: Basket) -> None:
    convert_order(
        conversion=OrderConversion(
            order_ref=basket.order_ref,
            client_id=basket.client_id,
            payment_details_id=basket.details_id,
        ),
        origin_brand_id=None,
        referral_cookie=basket.referral_cookie,
        now=timezone.now(),
    )
    connections.close_all()


def convert_and_pay(port: int, basket: Basket, *, is_refunded: bool = False) -> None:
    """Over HTTP: the client converts, the gateway reports the payment, and its refund."""
    caller = HTTPConnection("127.0.0.1", port, timeout=TIMEOUT_SECONDS)
    headers = {
        "Content-Type": "application/json",
        "Origin": ORIGIN,
        "Authorization": f"Bearer {basket.token}",
    }
    caller.request("PATCH", basket.path, basket.body, headers)
    answer = caller.getresponse()
    content = answer.read()
    _require_ok("conversion", answer.status, content)
    invoice_id = json.loads(content)["data"]["id"]
    _report("payment.succeeded", caller, basket, invoice_id)
    if is_refunded:
        _report("payment.refunded", caller, basket, invoice_id)
    caller.close()


def _report(
    event: str, caller: HTTPConnection, basket: Basket, invoice_id: int
) -> None:
    reference = f"{event}:{basket.order_ref}"
    data = {
        "invoice_id": invoice_id,
        "reference": reference,
        "amount": GROSS,
        "currency": "EUR",
    }
    body = json.dumps({"type": event, "data": data})
    signed = sign(
        secret=settings.PAYMENT_WEBHOOK_SECRETS[GATEWAY],
        event_id=reference,
        body=body.encode(),
        now=timezone.now(),
    )
    path = f"/api/payments/webhook/{GATEWAY}"
    caller.request("POST", path, body, {"Content-Type": "application/json", **signed})
    answer = caller.getresponse()
    _require_ok(event, answer.status, answer.read())


def _require_ok(what: str, status: int, content: bytes) -> None:
    if status != 200:
        raise BenchmarkFailed(f"A {what} was answered {status}: {content[:500]!r}")
