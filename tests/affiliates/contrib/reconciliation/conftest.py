"""A shop whose sales really go to a simulated Post Affiliate Pro, and are compared."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterator
from dataclasses import dataclass, field
from datetime import datetime, timedelta
from typing import Any
from uuid import UUID

import pytest
from moneyed import Money

from affiliates.brands.models.brand import Brand
from affiliates.contracts import InvoiceLine, PaidInvoice, RefundedInvoice
from affiliates.contrib.reconciliation.compare import orders_between, reconcile
from affiliates.contrib.reconciliation.types import ReconciliationLine
from affiliates.host_events import invoice_paid, invoice_refunded
from affiliates.outbox.http.client import Transport
from affiliates.outbox.models.integration import TrackingIntegration
from affiliates.outbox.queue.rules import QueueState
from affiliates.outbox.secrets import CREDENTIALS
from affiliates.outbox.sending.deliver import deliver_due
from affiliates.referrals.models import OrderReferral
from affiliates.referrals.rules.choices import Outcome, Reason
from tests.affiliates.outbox.outbox import Clock
from tests.factories.integrations import TrackingIntegrationFactory
from tests.factories.ledger import OrderReferralFactory
from tests.simulator import Caller, trusted_simulator

VISITOR = "0f3c9a7be2d14c55a1b2c3d4e5f60718"
OTHER_VISITOR = "1" * 32
UNTRACKED = {
    "integration": None,
    "external_visitor_id": "",
    "external_affiliate": "",
    "external_click_id": None,
    "external_touched_at": None,
}


@dataclass
class Shop:
    """Orders ``order-1``, ``order-2``..., their invoices, payments and refunds.

    Everything happens at ``now``; what is compared is compared the day after.
    """

    integration: TrackingIntegration
    client: Any
    now: datetime
    clock: Clock
    orders: list[OrderReferral] = field(default_factory=list)

    @property
    def brand(self) -> Brand:
        return self.integration.brand

    @property
    def later(self) -> datetime:
        return self.now + timedelta(days=1)

    def order(self, *, visitor: str = VISITOR, **changes: Any) -> OrderReferral:
        """An order sent by the integration's testaff, unless changed."""
        number = len(self.orders) + 1
        fields = {
            "converted_at": self.now,
            "outcome": Outcome.THIRD_PARTY,
            "reason": Reason.THIRD_PARTY_ONLY,
            "integration": self.integration,
            "external_visitor_id": visitor,
            "external_affiliate": "testaff",
            "external_click_id": UUID(int=1),
            "external_touched_at": self.now - timedelta(days=1),
        }
        order = OrderReferralFactory(
            brand=self.brand,
            client=self.client,
            order_ref=f"order-{number}",
            invoice_ref=f"invoice-{number}",
            **{**fields, **changes},
        )
        self.orders.append(order)
        return order

    def own_order(self, affiliate: Any) -> OrderReferral:
        """An order sent by an affiliate of the brand's own."""
        return self.order(
            outcome=Outcome.CREDITED,
            reason=Reason.LAST_CLICK,
            affiliate_id=affiliate.pk,
            **UNTRACKED,
        )

    def pay(
        self,
        order: OrderReferral,
        net: str = "100.00",
        currency: str = "EUR",
        renewal: int = 0,
    ):
        line = InvoiceLine(
            description="Hosting",
            product_ref="product-1",
            kind="hosting",
            billing_cycle="monthly",
            quantity=1,
            net=Money(net, currency),
        )
        event = PaidInvoice(
            brand_id=self.brand.pk,
            invoice_ref=order.invoice_ref + (f"-{renewal}" if renewal else ""),
            order_ref=order.order_ref,
            renewal_number=renewal,
            payment_ref=f"payment of {order.order_ref}",
            gross=Money(net, currency),
            lines=(line,),
            paid_at=self.now,
        )
        invoice_paid(event, now=self.now)

    def sell(self, **changes: Any) -> OrderReferral:
        """A paid order, delivered."""
        order = self.order(**changes)
        self.pay(order)
        self.deliver()
        return order

    def refund(self, order: OrderReferral, gross: str) -> None:
        event = RefundedInvoice(
            brand_id=self.brand.pk,
            invoice_ref=order.invoice_ref,
            refund_ref=f"refund of {order.order_ref}",
            gross=Money(gross, "EUR"),
            refunded_at=self.now,
        )
        invoice_refunded(event, now=self.now)

    def deliver(self) -> Counter[QueueState]:
        self.clock.pass_by(seconds=1)
        with Transport() as transport:
            return deliver_due(transport=transport, now=self.clock)

    def reconcile(self, **options: Any) -> list[ReconciliationLine]:
        fields = {
            "now": self.later,
            "pause": lambda seconds: None,
        }
        orders = orders_between(
            self.integration, first=self.now - timedelta(days=1), last=self.later
        )
        ids = list(orders.values_list("pk", flat=True))
        return list(reconcile(self.integration, ids, **{**fields, **options}))


@pytest.fixture
def simulator(settings) -> Iterator[Any]:
    with trusted_simulator(settings) as simulator:
        yield simulator


@pytest.fixture
def caller(simulator) -> Caller:
    return Caller(simulator)


@pytest.fixture
def integration(brand, simulator) -> TrackingIntegration:
    return TrackingIntegrationFactory(
        brand=brand,
        address=simulator.address,
        config={"send_currency": True, "username": "merchant@example.com"},
        secrets=CREDENTIALS.seal({"password": "demo"}),
        requests_per_second=1000,
    )


@pytest.fixture
def shop(integration, host, now, caller) -> Shop:
    """Its visitor has come by a link of testaff, as the simulator knows."""
    caller.click("testaff", visitorId=VISITOR)
    client = host.client(integration.brand, email="client@example.com")
    return Shop(integration, client, now, Clock(now))
