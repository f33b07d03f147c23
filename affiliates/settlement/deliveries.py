"""Gathers the facts that decide on deliveries to an order's tracking integration."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace

from affiliates.contracts import RefundKind
from affiliates.outbox.selectors import is_reversed, is_sale_queued
from affiliates.outbox.types import ConversionFacts, Operation
from affiliates.referrals.models import OrderReferral
from affiliates.sales.known import KnownPayment, NewFact, whole_payment_of
from affiliates.sales.models import InvoicePayment
from affiliates.sales.positions import first_sale
from affiliates.sales.selectors import RefundChange
from affiliates.settlement.types import RefundFacts, TrackedSale


def tracked_sale(
    known: KnownPayment, referral: OrderReferral, *, new_fact: NewFact | None
) -> TrackedSale | None:
    """None if the payment changes nothing for the order's integration.

    Only after a renewal may it be known that the invoices before it had no amount.
    """
    integration_id = referral.integration_id
    first = None if integration_id is None else first_sale(known, referral)
    is_first = first == known.payment
    if integration_id is None or first is None:
        return None
    if not is_first and known.payment.net.amount > 0:
        return None
    is_queued = new_fact != first and is_sale_queued(integration_id, first.invoice_ref)
    if is_queued and (not is_first or new_fact is None):
        return None
    if not is_queued and (not is_first or known.counted.gross):
        known = whole_payment_of(first)
    return _tracked(known, referral, is_queued=is_queued, new_fact=new_fact)


def withdrawn_sale(
    known: KnownPayment, before: OrderReferral, after: OrderReferral
) -> TrackedSale | None:
    """The first sale if staff's decision removed the integration from the order.

    ``before`` is the order's referral before that decision.
    """
    if before.integration_id is None or first_sale(known, before) != known.payment:
        return None
    return replace(
        _tracked(known, before, is_queued=True, new_fact=None),
        withdrawal_ref=f"assigned:{after.overrides.latest('pk').pk}",
        has_reversals=is_reversed(before.integration_id, known.payment.invoice_ref),
    )


def refund_facts(
    changes: Sequence[RefundChange], payment: InvoicePayment, new_fact: NewFact | None
) -> tuple[RefundFacts, ...]:
    return tuple(_refund_facts(change, payment, new_fact) for change in changes)


def _refund_facts(
    change: RefundChange, payment: InvoicePayment, new_fact: NewFact | None
) -> RefundFacts:
    cancellation = change.cancellation
    return RefundFacts(
        refund_ref=change.refund.refund_ref,
        kind=RefundKind(change.refund.kind),
        refunded=change.refunded(payment),
        is_counted=change.reversal is not None,
        occurred_at=change.fact.happened_at,
        cancellation_ref=None
        if cancellation is None
        else cancellation.cancellation_ref,
        is_new=change.fact == new_fact,
    )


def _tracked(
    known: KnownPayment,
    referral: OrderReferral,
    *,
    is_queued: bool,
    new_fact: NewFact | None,
) -> TrackedSale:
    payment = known.payment
    return TrackedSale(
        sale=_conversion(payment, referral),
        initial_ref=referral.invoice_ref,
        net=payment.net,
        invoice=known.amounts,
        counted=known.counted,
        changes=refund_facts(known.changes, payment, new_fact),
        is_queued=is_queued,
    )


def _conversion(payment: InvoicePayment, referral: OrderReferral) -> ConversionFacts:
    return ConversionFacts(
        kind=Operation.SALE,
        order_ref=payment.invoice_ref,
        amount=payment.net.amount,
        currency=payment.net.currency.code,
        product_ref=payment.lines[0]["product_ref"],
        occurred_at=payment.paid_at,
        customer_ref=referral.guest_ref or str(referral.client_id),
        ip=referral.external_ip,
        user_agent=referral.external_user_agent,
        affiliate=referral.external_affiliate,
    )
