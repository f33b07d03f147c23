"""Orders of one brand that are converted beside each other. Django must be set up by now."""

from __future__ import annotations

import json
import time
from concurrent.futures import ThreadPoolExecutor
from dataclasses import dataclass
from decimal import Decimal
from http.client import HTTPConnection
from threading import Event
from typing import Any
from unittest import mock

from django.db import connection, connections
from django.test import Client
from django.test.utils import CaptureQueriesContext
from django.utils import timezone
from knox.models import AuthToken

from affiliates.brands.models.brand import Brand
from affiliates.brands.selectors import get_brand
from affiliates.contracts import OrderConversion
from affiliates.program.models import AffiliateLink
from affiliates.referrals import evidence
from affiliates.settlement.services import convert_order
from affiliates.visits.rules import Visit
from affiliates.visits.services import track_visit
from benchmarks.load import ORIGIN, TIMEOUT_SECONDS
from benchmarks.measure import BenchmarkFailed
from benchmarks.servers import PRODUCT, serve
from portal.clients.models import User
from portal.orders.catalogue import Product
from portal.orders.models import Order, OrderItem, PaymentDetails

CLIENTS = 100
CONVERSIONS = 300
WARM_UP = 50
CALLERS = 16


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
    """Clients of the benchmark's brand, and as many baskets of theirs as are wanted."""

    def __init__(self) -> None:
        self._now = timezone.now()
        self._brand = Brand.objects.get()
        self._product = Product.objects.create(
            brand=self._brand, name="Hosting", kind="hosting", billing_cycle="monthly",
            price=Decimal("10.00"), price_currency="EUR", tax_rate=19,
        )  # fmt: skip
        self._clients = [self._add_client(number) for number in range(CLIENTS)]

    def make(self, count: int) -> list[Basket]:
        clients = [self._clients[number % CLIENTS] for number in range(count)]
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

    def _add_client(self, number: int) -> dict[str, Any]:
        user = User.objects.create(
            brand=self._brand, email=f"client{number}@example.com"
        )
        details = PaymentDetails.objects.create(
            client=user, gateway="manual", created_at=self._now
        )
        _, token = AuthToken.objects.create(user)
        link_hash = AffiliateLink.objects.values_list("hash", flat=True)[number]
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
        _require_converted(answer.status_code, answer.content)
    return len(queries)


def measure_rate(baskets: Baskets, *, workers: int) -> float:
    """Conversions per second of a server with so many web workers."""
    with serve(PRODUCT, workers=workers) as server:
        _send_all(server.port, baskets.make(WARM_UP))
        made = baskets.make(CONVERSIONS)
        began = time.perf_counter()
        _send_all(server.port, made)
        return CONVERSIONS / (time.perf_counter() - began)


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


def _send_all(port: int, baskets: list[Basket]) -> None:
    shares = [baskets[number::CALLERS] for number in range(CALLERS)]
    with ThreadPoolExecutor(CALLERS) as pool:
        for _ in pool.map(lambda share: _send(port, share), shares):
            pass


def _send(port: int, baskets: list[Basket]) -> None:
    caller = HTTPConnection("127.0.0.1", port, timeout=TIMEOUT_SECONDS)
    for basket in baskets:
        headers = {
            "Content-Type": "application/json",
            "Origin": ORIGIN,
            "Authorization": f"Bearer {basket.token}",
        }
        caller.request("PATCH", basket.path, basket.body, headers)
        answer = caller.getresponse()
        _require_converted(answer.status, answer.read())
    caller.close()


def _require_converted(status: int, content: bytes) -> None:
    if status != 200:
        raise BenchmarkFailed(f"A conversion was answered {status}: {content[:500]!r}")
