"""Deliveries to a tracking integration for an order: one invoice and its refunds.

The invoice is the first with an amount: a zero invoice, such as that of a trial, is no
sale.
"""

from __future__ import annotations

from collections.abc import Sequence
from datetime import datetime
from decimal import Decimal
from itertools import accumulate
from operator import itemgetter

from moneyed import Money

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
from affiliates.sales.models import InvoicePayment
from affiliates.sales.positions import first_sales
from affiliates.sales.selectors import (
    KnownPayment,
    RefundChange,
    payment_of,
    refunded_gross,
)


def sale_to_tell(referral: OrderReferral, known: KnownPayment) -> KnownPayment | None:
    """Returns the order's first invoice with an amount, if this payment decides it.

    None if no integration is to be notified. Only after a renewal may it be known that
    the invoices before it had no amount.
    """
    if referral.integration_id is None:
        return None
    first = first_sale(referral)
    if first == known.payment:
        return known
    if first is None or known.payment.net.amount > 0:
        return None
    return payment_of(referral.brand_id, first.invoice_ref)


def first_sale(referral: OrderReferral) -> InvoicePayment | None:
    return first_sales(referral.brand_id, [referral]).get(referral.pk)


def notify_integration(
    referral: OrderReferral, known: KnownPayment, *, now: datetime
) -> None:
    """Queues sale, refunds and cancellations if the order names an integration.

    Queued deliveries stay unchanged. A cancellation waits for staff: no provider
    accepts one.
    """
    if referral.integration_id is None:
        return
    payment, net = known.payment, known.payment.net
    visitor_ref = referral.external_visitor_id
    sale = _sale_of(referral, payment)
    queue_conversion(
        referral.integration_id,
        sale,
        once_for=referral.invoice_ref,
        visitor_ref=visitor_ref,
        now=now,
    )
    # The net of the whole payment, as one refund; then of each refund in turn.
    (whole,) = rules.reversal_amounts(
        sale_net=net, paid_gross=payment.gross, refunds=[payment.gross]
    )
    changes = _as_kept(known.changes)
    amounts = rules.reversal_amounts(
        sale_net=net, paid_gross=payment.gross, refunds=[one.gross for one in changes]
    )
    for change, taken in zip(changes, amounts, strict=True):
        if taken.amount:
            is_whole = taken == whole
            _queue_change(referral, change, taken, is_whole=is_whole, now=now)


def _as_kept(changes: Sequence[RefundChange]) -> list[RefundChange]:
    """Sorts the changes in the order they were stored.

    Ids give the order of the refunds, and of the cancellations, since each locks the
    invoice. Clocks, which may differ between machines, only merge the two kinds.
    """
    refunds = [one for one in changes if one.cancellation is None]
    cancellations = [one for one in changes if one.cancellation is not None]
    timed = [
        pair
        for kind in (refunds, cancellations)
        for pair in zip(
            accumulate((one.kept_at for one in kind), max), kind, strict=True
        )
    ]
    return [change for _, change in sorted(timed, key=itemgetter(0))]


def _queue_change(
    referral: OrderReferral,
    change: RefundChange,
    taken: Money,
    *,
    is_whole: bool,
    now: datetime,
) -> None:
    order_ref, currency = change.refund.invoice_ref, taken.currency.code
    visitor_ref = referral.external_visitor_id
    integration_id, cancellation = referral.integration_id, change.cancellation
    if integration_id is None:
        return
    if cancellation is None:
        reversal = ReversalFacts(
            order_ref=order_ref,
            kind=ReversalKind(change.refund.kind),
            amount=None if is_whole else taken.amount,
            currency=currency,
            occurred_at=change.refund.refunded_at,
        )
        queue_reversal(
            integration_id,
            reversal,
            refund_ref=change.refund.refund_ref,
            visitor_ref=visitor_ref,
            now=now,
        )
        return
    restoration = RestorationFacts(
        order_ref=order_ref,
        amount=-taken.amount,
        currency=currency,
        occurred_at=cancellation.cancelled_at,
    )
    queue_restoration(
        integration_id,
        restoration,
        cancellation_ref=cancellation.cancellation_ref,
        visitor_ref=visitor_ref,
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
        now=now,
    )


def is_refunded_whole(payment: InvoicePayment) -> bool:
    """Whether refunds leave nothing of the sale to reverse."""
    return _refunded_net(payment) >= payment.net.amount


def _refunded_net(payment: InvoicePayment) -> Decimal:
    currency = payment.gross.currency
    gross = refunded_gross(payment.brand_id, [payment.invoice_ref])
    taken = rules.reversal_amount(
        sale_net=payment.net,
        paid_gross=payment.gross,
        refunded_before=Money(0, currency),
        refund=Money(gross[payment.invoice_ref, currency.code], currency),
    )
    return taken.amount


def _sale_of(referral: OrderReferral, payment: InvoicePayment) -> ConversionFacts:
    net = payment.net
    return ConversionFacts(
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
