from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from datetime import datetime, timedelta
from typing import Any
from uuid import uuid4

import pytest
from moneyed import Money

from affiliates.commissions.models import Commission, CommissionEvent
from affiliates.contracts import InvoiceLine, PaidInvoice, RefundedInvoice, RefundKind
from affiliates.host_events import invoice_paid, invoice_refunded
from affiliates.ledger.models import LedgerPosting
from affiliates.ledger.rules import Account
from affiliates.ledger.selectors import balances_of
from affiliates.plans.models.plan import CommissionPlan
from affiliates.program.models import Affiliate
from affiliates.referrals.models import OrderReferral
from tests.factories.affiliates import AffiliateFactory, ClickFactory
from tests.factories.ledger import NOW, OrderReferralFactory, decision_of, touch_of
from tests.factories.plans import CommissionPlanFactory
from tests.hosts.host import Host

PAID_AT = NOW + timedelta(minutes=5)
AFTER_HOLD = PAID_AT + timedelta(days=30)


@pytest.fixture
def plan(brand) -> CommissionPlan:
    """The brand's default plan: 10 % of everything, held for 30 days."""
    return CommissionPlanFactory(brand=brand, is_default=True)


@pytest.fixture
def buyer(brand, host: Host) -> Any:
    return host.client(brand, email="buyer@example.com")


@pytest.fixture
def order(brand, affiliate, buyer) -> OrderReferral:
    """An order credited to the affiliate by a click of the day before."""
    return order_of(affiliate, buyer, order_ref="order-1", invoice_ref="invoice-1")


def order_of(affiliate: Affiliate, client: Any, **fields: Any) -> OrderReferral:
    """``is_self`` and ``visit_url`` are of the click that wins it."""
    is_self = fields.pop("is_self", False)
    url = {"visit_url": fields.pop("visit_url")} if "visit_url" in fields else {}
    click = ClickFactory(
        affiliate=affiliate,
        visitor_id=uuid4(),
        created_at=NOW - timedelta(days=1),
        **url,
    )
    return OrderReferralFactory(
        brand=affiliate.brand,
        client=client,
        made=decision_of(touch_of(click, is_self=is_self)),
        **fields,
    )


@pytest.fixture
def rival(brand, host: Host) -> Affiliate:
    user = host.client(brand, email="rival@example.com")
    return AffiliateFactory(brand=brand, user=user, code="rival")


@pytest.fixture
def staff(brand, host: Host) -> Any:
    return host.client(brand, email="staff@example.com")


@dataclass(frozen=True)
class Till:
    """The host's events about one brand's invoices, by default of ``order``."""

    brand_id: int

    def pay(
        self,
        *nets: str,
        invoice: str = "invoice-1",
        order: str = "order-1",
        currency: str = "EUR",
        gross: str | None = None,
        renewal: int = 0,
        quantity: int = 1,
        at: datetime = PAID_AT,
    ) -> None:
        """Pay lines of these net amounts, 100.00 unless given. No tax unless ``gross``."""
        amounts = [Money(net, currency) for net in nets or ("100.00",)]
        total = sum(amounts, Money(0, currency))
        event = PaidInvoice(
            brand_id=self.brand_id,
            invoice_ref=invoice,
            order_ref=order,
            payment_ref=f"payment of {invoice}",
            gross=total if gross is None else Money(gross, currency),
            lines=tuple(line(net, quantity=quantity) for net in amounts),
            paid_at=at,
            renewal_number=renewal,
        )
        invoice_paid(event, now=at)

    def refund(
        self,
        gross: str,
        *,
        ref: str = "refund-1",
        invoice: str = "invoice-1",
        currency: str = "EUR",
        kind: RefundKind = RefundKind.REFUND,
        at: datetime = PAID_AT + timedelta(days=1),
    ) -> None:
        event = RefundedInvoice(
            brand_id=self.brand_id,
            invoice_ref=invoice,
            refund_ref=ref,
            gross=Money(gross, currency),
            refunded_at=at,
            kind=kind,
        )
        invoice_refunded(event, now=at)


def line(net: Money, *, quantity: int) -> InvoiceLine:
    return InvoiceLine(
        description="Business",
        product_ref="product-1",
        kind="hosting",
        billing_cycle="annually",
        quantity=quantity,
        net=net,
    )


@pytest.fixture
def till(brand) -> Till:
    return Till(brand.pk)


@pytest.fixture
def balance(affiliate) -> Callable[..., dict[Account, int]]:
    """What stands on the affiliate's accounts, without those of nothing."""

    def balance(
        currency: str = "EUR", *, of: Affiliate = affiliate
    ) -> dict[Account, int]:
        accounts = balances_of(of.pk).get(currency, {})
        return {account: amount for account, amount in accounts.items() if amount}

    return balance


def written() -> tuple[Any, ...]:
    """Everything that a refused step must leave as it was."""
    return (
        list(Commission.objects.order_by("pk").values_list()),
        CommissionEvent.objects.count(),
        LedgerPosting.objects.count(),
    )


def history(commission: Commission) -> list[tuple[str, str]]:
    return [(event.before, event.after) for event in commission.events.all()]
