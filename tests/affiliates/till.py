"""The host's events about a brand's invoices, and what they leave."""

from __future__ import annotations

from dataclasses import dataclass
from datetime import datetime, timedelta
from typing import Any
from uuid import uuid4

from moneyed import Money

from affiliates.commissions.models import Commission, CommissionEvent
from affiliates.contracts import (
    CancelledRefund,
    InvoiceLine,
    PaidInvoice,
    RefundedInvoice,
    RefundKind,
)
from affiliates.host_events import invoice_paid, invoice_refunded, refund_cancelled
from affiliates.ledger.models import LedgerPosting
from affiliates.program.models import Affiliate
from affiliates.referrals.models import OrderReferral
from tests.factories.affiliates import ClickFactory
from tests.factories.ledger import NOW, OrderReferralFactory, decision_of, touch_of
from tests.guard.markers import marker

SOLD = marker("buyer", "sold")
PAID_AT = NOW + timedelta(minutes=5)
AFTER_HOLD = PAID_AT + timedelta(days=30)


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
        position: int | None = None,
        quantity: int = 1,
        discount: str | None = None,
        at: datetime = PAID_AT,
    ) -> None:
        """Pay lines of these net amounts, 100.00 unless given. No tax unless ``gross``.

        ``discount`` was taken off each line before.
        """
        off = None if discount is None else Money(discount, currency)
        amounts = [Money(net, currency) for net in nets or ("100.00",)]
        total = sum(amounts, Money(0, currency))
        event = PaidInvoice(
            brand_id=self.brand_id,
            invoice_ref=invoice,
            order_ref=order,
            payment_ref=f"payment of {invoice}",
            gross=total if gross is None else Money(gross, currency),
            lines=tuple(line(net, quantity=quantity, discount=off) for net in amounts),
            paid_at=at,
            renewal_number=renewal,
            position=position,
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

    def cancel(
        self,
        gross: str | None = None,
        *,
        ref: str = "cancellation-1",
        refund: str = "refund-1",
        currency: str = "EUR",
        at: datetime = PAID_AT + timedelta(days=2),
    ) -> None:
        event = CancelledRefund(
            brand_id=self.brand_id,
            refund_ref=refund,
            cancellation_ref=ref,
            gross=None if gross is None else Money(gross, currency),
            cancelled_at=at,
        )
        refund_cancelled(event, now=at)


def line(net: Money, *, quantity: int, discount: Money | None = None) -> InvoiceLine:
    return InvoiceLine(
        description=SOLD,
        product_ref="product-1",
        kind="hosting",
        billing_cycle="annually",
        quantity=quantity,
        net=net,
        discount=discount,
    )


def written() -> tuple[Any, ...]:
    """Everything that a refused step must leave as it was."""
    return (
        list(Commission.objects.order_by("pk").values_list()),
        CommissionEvent.objects.count(),
        LedgerPosting.objects.count(),
    )


def history(commission: Commission) -> list[tuple[str, str]]:
    return [(event.before, event.after) for event in commission.events.all()]
