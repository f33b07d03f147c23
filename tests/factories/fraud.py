"""Signs of fraud: what a brand does about them, and what was found of a sale."""

from __future__ import annotations

from datetime import timedelta
from typing import Any
from uuid import uuid4

import factory
from factory.django import DjangoModelFactory

from affiliates.fraud.models import FraudPolicy, FraudReview
from affiliates.fraud.rules.policy import FraudAction, Signal
from affiliates.program.models import Affiliate
from affiliates.sales.models import Sale
from tests.factories.affiliates import ClickFactory
from tests.factories.ledger import (
    NOW,
    InvoicePaymentFactory,
    OrderReferralFactory,
    SaleFactory,
    decision_of,
    touch_of,
)


class FraudPolicyFactory(DjangoModelFactory):
    """``brand`` and ``signal`` must be given."""

    class Meta:
        model = FraudPolicy

    action = FraudAction.HOLD


class FraudReviewFactory(DjangoModelFactory):
    """An open review of ``sale``, flagged for one sign."""

    class Meta:
        model = FraudReview

    class Params:
        signal = Signal.DISPOSABLE_EMAIL

    brand = factory.SelfAttribute("sale.brand")
    action = FraudAction.FLAG
    findings = factory.LazyAttribute(
        lambda row: [
            {
                "signal": row.signal,
                "action": row.action,
                "facts": {"domain": "mailinator.com"},
            }
        ]
    )
    found_at = NOW


def sale_of(
    affiliate: Affiliate,
    client: Any,
    *,
    page: str = "https://shop.example.com/",
    click_age: timedelta = timedelta(days=1),
    **order: Any,
) -> Sale:
    """A sale by a click of the affiliate on that page, so long before the order."""
    at = order.setdefault("converted_at", NOW)
    click = ClickFactory(
        affiliate=affiliate,
        visitor_id=uuid4(),
        created_at=at - click_age,
        visit_url=page,
    )
    referral = OrderReferralFactory(
        brand=affiliate.brand,
        client=client,
        made=decision_of(touch_of(click), now=at),
        **order,
    )
    return SaleFactory(order_referral=referral)


def renewal_of(sale: Sale, number: int = 1) -> Sale:
    payment = InvoicePaymentFactory(
        brand=sale.brand,
        order_ref=sale.payment.order_ref,
        invoice_ref=f"{sale.invoice_ref}-{number}",
        renewal_number=number,
    )
    return SaleFactory(
        order_referral=sale.order_referral,
        payment=payment,
        invoice_ref=payment.invoice_ref,
        renewal_number=number,
    )
