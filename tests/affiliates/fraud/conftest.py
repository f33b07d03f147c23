from __future__ import annotations

from datetime import timedelta
from typing import Any
from uuid import uuid4

from affiliates.fraud.services import review_sale
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


def review(sale: Sale, *, paid_ads_allowed: bool = True) -> Any:
    return review_sale(
        sale,
        referral=sale.order_referral,
        paid_ads_allowed=paid_ads_allowed,
        now=NOW + timedelta(minutes=5),
    )
