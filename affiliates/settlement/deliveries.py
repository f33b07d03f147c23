"""Deliveries to a tracking integration for an order: one invoice and its refunds.

The invoice is the first with an amount: a zero invoice, such as that of a trial, is no
sale.
"""

from __future__ import annotations

from collections.abc import Iterator
from datetime import datetime
from decimal import Decimal
from typing import NamedTuple

from moneyed import Money

from affiliates.outbox.models.delivery import Delivery
from affiliates.outbox.selectors import is_reversed
from affiliates.outbox.services import (
    queue_conversion,
    queue_restoration,
    queue_reversal,
)
from affiliates.outbox.types import (
    ConversionFacts,
    Operation,
    RestorationFacts,
    ReversalFacts,
    ReversalKind,
)
from affiliates.referrals.models import OrderReferral
from affiliates.sales import rules
from affiliates.sales.known import KnownPayment, whole_payment_of
from affiliates.sales.models import InvoicePayment, InvoiceRefund, RefundCancellation
from affiliates.sales.positions import first_sales
from affiliates.sales.selectors import refunded_gross


def notify_integration(
    referral: OrderReferral,
    known: KnownPayment,
    *,
    news: InvoiceRefund | RefundCancellation | None,
    now: datetime,
) -> None:
    """Queues the order's sale once, and from then on each refund and cancellation.

    ``news`` is the one that is known since now. Those that were known before the sale
    are queued with it, for each refund what its cancellations leave. Only after a
    renewal may it be known that the invoices before it had no amount.
    """
    first = None if referral.integration_id is None else first_sale(referral)
    is_it = first == known.payment
    if first is None or not (is_it or known.payment.net.amount <= 0):
        return
    if not _is_told(referral, first):
        _queue_sale(referral, first, now=now)
        for change in _left_of_refunds(first):
            _queue_change(referral, first, change, now=now)
    elif is_it and news is not None:
        _queue_news(referral, known, news, now=now)


def first_sale(referral: OrderReferral) -> InvoicePayment | None:
    return first_sales(referral.brand_id, [referral]).get(referral.pk)


def _is_told(referral: OrderReferral, payment: InvoicePayment) -> bool:
    return Delivery.objects.filter(
        integration=referral.integration_id,
        operation=Operation.SALE,
        order_ref=payment.invoice_ref,
    ).exists()


class _Told(NamedTuple):
    """A refund or cancellation, its gross amount, and what was refunded before it."""

    fact: InvoiceRefund | RefundCancellation
    refund: InvoiceRefund
    gross: Money
    before: Money


def _left_of_refunds(payment: InvoicePayment) -> Iterator[_Told]:
    """Yields refunds in the order stored, each with the amount that is still refunded."""
    known = whole_payment_of(payment)
    before = payment.gross * 0
    for refund in [one.refund for one in known.changes if one.cancellation is None]:
        left = known.left_of(refund)
        yield _Told(refund, refund, left, before)
        before += left


def _queue_news(
    referral: OrderReferral,
    known: KnownPayment,
    news: InvoiceRefund | RefundCancellation,
    *,
    now: datetime,
) -> None:
    """A cancellation that was known before its refund is queued within that."""
    for change in known.changes:
        gross = change.gross
        if news == change.refund and change.cancellation is None:
            gross = known.left_of(change.refund)
        elif news != change.cancellation:
            continue
        told = _Told(news, change.refund, gross, known.refunded - gross)
        _queue_change(referral, known.payment, told, now=now)


def _queue_change(
    referral: OrderReferral, payment: InvoicePayment, told: _Told, *, now: datetime
) -> None:
    """A cancellation waits for staff: no provider accepts one."""
    integration_id, visitor_ref = referral.integration_id, referral.external_visitor_id
    taken = _net(payment, told.gross, before=told.before)
    if integration_id is None or not taken.amount:
        return
    if isinstance(told.fact, RefundCancellation):
        restoration = RestorationFacts(
            order_ref=payment.invoice_ref,
            amount=-taken.amount,
            currency=taken.currency.code,
            occurred_at=told.fact.cancelled_at,
        )
        queue_restoration(
            integration_id,
            restoration,
            cancellation_ref=told.fact.cancellation_ref,
            visitor_ref=visitor_ref,
            now=now,
        )
        return
    is_whole = taken == _net(payment, payment.gross)
    reversal = ReversalFacts(
        order_ref=payment.invoice_ref,
        kind=ReversalKind(told.refund.kind),
        amount=None if is_whole else taken.amount,
        currency=taken.currency.code,
        occurred_at=told.refund.refunded_at,
    )
    queue_reversal(
        integration_id,
        reversal,
        refund_ref=told.refund.refund_ref,
        visitor_ref=visitor_ref,
        known_since=referral.converted_at,
        now=now,
    )


def take_from_integration(
    known: OrderReferral, referral: OrderReferral, *, now: datetime
) -> None:
    """Queues a reversal if staff's decision removed the integration from the order.

    ``known`` is the order's referral before that decision. Amounts that refunds
    reversed there are not reversed twice.
    """
    if known.integration_id is None or referral.integration_id is not None:
        return
    payment = first_sale(known)
    if payment is None or is_refunded_whole(payment):
        return
    has_parts = is_reversed(known.integration_id, payment.invoice_ref)
    left = payment.net.amount - _refunded_net(payment)
    reversal = ReversalFacts(
        order_ref=payment.invoice_ref,
        kind=ReversalKind.REFUND,
        amount=left if has_parts else None,
        currency=payment.net.currency.code,
        occurred_at=now,
    )
    queue_reversal(
        known.integration_id,
        reversal,
        refund_ref=f"assigned:{referral.overrides.latest('pk').pk}",
        visitor_ref=known.external_visitor_id,
        known_since=known.converted_at,
        now=now,
    )


def is_refunded_whole(payment: InvoicePayment) -> bool:
    """Whether refunds leave nothing of the sale to reverse."""
    return _refunded_net(payment) >= payment.net.amount


def _refunded_net(payment: InvoicePayment) -> Decimal:
    currency = payment.gross.currency
    gross = refunded_gross(payment.brand_id, [payment.invoice_ref])
    return _net(
        payment, Money(gross[payment.invoice_ref, currency.code], currency)
    ).amount


def _net(
    payment: InvoicePayment, refund: Money, *, before: Money | None = None
) -> Money:
    """The net amount that a refund takes of the payment's."""
    return rules.reversal_amount(
        sale_net=payment.net,
        paid_gross=payment.gross,
        refunded_before=payment.gross * 0 if before is None else before,
        refund=refund,
    )


def _queue_sale(
    referral: OrderReferral, payment: InvoicePayment, *, now: datetime
) -> None:
    if referral.integration_id is None:
        return
    net = payment.net
    sale = ConversionFacts(
        kind=Operation.SALE,
        order_ref=payment.invoice_ref,
        amount=net.amount,
        currency=net.currency.code,
        product_ref=payment.lines[0]["product_ref"],
        occurred_at=payment.paid_at,
        customer_ref=str(referral.client_id),
        ip=referral.external_ip,
        user_agent=referral.external_user_agent,
        affiliate=referral.external_affiliate,
    )
    queue_conversion(
        referral.integration_id,
        sale,
        once_for=referral.invoice_ref,
        visitor_ref=referral.external_visitor_id,
        known_since=referral.converted_at,
        now=now,
    )
