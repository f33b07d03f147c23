"""Payments and refunds as the host tells them, and what follows from them.

Facts are stored first; sales, commissions and reversals follow from the facts, and a
tracking integration that is credited is told of them by its outbox. So the same events
end in the same state in whatever order, however often and however concurrently they come.
"""

from __future__ import annotations

from datetime import datetime
from typing import Any

from django.db import transaction
from django.db.models import Q

from affiliates.adapter import get_adapter
from affiliates.commissions.models import Commission
from affiliates.commissions.rules import CommissionStatus, StepReason, Why
from affiliates.commissions.services.locks import lock_earners
from affiliates.commissions.services.staff import release, take_away
from affiliates.contracts import (
    ConvertedOrder,
    EventResult,
    OrderConversion,
    OrderPlaced,
    PaidInvoice,
    RefundedInvoice,
)
from affiliates.core import addresses
from affiliates.errors import InvalidInput, NotFound
from affiliates.fraud.models import FraudReview
from affiliates.fraud.rules.policy import Signal
from affiliates.referrals import services as referrals
from affiliates.referrals.evidence import result_of
from affiliates.referrals.models import OrderReferral
from affiliates.sales.invoice_lines import (
    SMALLEST_AMOUNT,
    as_kept,
    require_amount,
    require_references,
    require_storable,
    to_json,
)
from affiliates.sales.models import InvoicePayment, InvoiceRefund
from affiliates.sales.selectors import (
    known_of_order,
    payment_of,
    payments_of_order,
    referral_of,
)
from affiliates.settlement.deliveries import take_from_integration
from affiliates.settlement.locks import lock_order_of, lock_references
from affiliates.settlement.settle import settle


@transaction.atomic
def convert_order(
    *,
    conversion: OrderConversion,
    origin_brand_id: int | None,
    referral_cookie: str | None,
    ip_prefix: str = "",
    now: datetime,
) -> ConvertedOrder:
    """Convert the order; record its sales at once where their payments came first.

    A repeat answers the same, and the first cookie stands. Raises as
    ``referrals.services.order_to_convert``.
    """
    order = referrals.order_to_convert(conversion, origin_brand_id=origin_brand_id)
    lock_references(order.brand_id, order=order.order_ref)
    is_attributed, is_paid = known_of_order(order.brand_id, order.order_ref)
    if is_attributed:
        converted = get_adapter().convert_order(conversion, now=now)
    else:
        converted = referrals.attribute_order(
            order,
            make_invoice=lambda: get_adapter().convert_order(conversion, now=now),
            referral_cookie=referral_cookie,
            ip_prefix=ip_prefix,
            at=now,
            now=now,
        )
    if is_paid:
        settle_all(converted, now=now)
    return converted


@transaction.atomic
def place_order(
    event: OrderPlaced, *, referral_cookie: str | None, now: datetime
) -> EventResult:
    """Attribute the order that the host has placed, as of that moment; then as convert.

    Raises as ``referrals.services.placed_order`` and ``is_placed``, and InvalidInput for
    references beyond the contract's limits.
    """
    require_references(event.order_ref, event.invoice_ref)
    order = referrals.placed_order(event)
    lock_references(event.brand_id, invoice=event.invoice_ref, order=event.order_ref)
    invoice = referrals.placed_invoice(event, now=now)
    if not referrals.is_placed(order, invoice):
        referrals.attribute_order(
            order,
            make_invoice=lambda: invoice,
            referral_cookie=referral_cookie,
            ip_prefix=addresses.ip_prefix(event.ip),
            at=invoice.converted_at,
            now=now,
        )
    settle_all(invoice, now=now)
    return result_of(referral_cookie, brand_id=event.brand_id, at=invoice.converted_at)


@transaction.atomic
def record_payment(event: PaidInvoice, *, now: datetime) -> None:
    """Keep the payment and record the sale it makes. A repeat changes nothing.

    Raises InvalidInput for amounts and texts beyond the contract's limits, for a line in
    another currency than the payment's, and for a renewal of the order that another
    invoice has paid already.
    """
    require_storable(event)
    lock_references(event.brand_id, invoice=event.invoice_ref, order=event.order_ref)
    _require_own_renewal(event)
    InvoicePayment.objects.bulk_create(
        [
            InvoicePayment(
                brand_id=event.brand_id,
                invoice_ref=event.invoice_ref,
                order_ref=event.order_ref,
                payment_ref=event.payment_ref,
                gross=as_kept(event.gross),
                lines=[to_json(line) for line in event.lines],
                renewal_number=event.renewal_number,
                paid_at=event.paid_at,
                received_at=now,
            )
        ],
        ignore_conflicts=True,
    )
    payment = payment_of(event.brand_id, event.invoice_ref)
    if payment is not None:
        _settle(payment, now=now)


@transaction.atomic
def record_refund(event: RefundedInvoice, *, now: datetime) -> None:
    """Keep the refund and reverse the sale in proportion. A repeat changes nothing.

    Raises InvalidInput unless the amount is positive and in the payment's currency, and
    for references beyond the contract's limits.
    """
    require_references(event.invoice_ref, event.refund_ref)
    require_amount(event.gross)
    # On SQLite a refund that rounds to nothing would be left out without a word.
    if event.gross.amount < SMALLEST_AMOUNT:
        raise InvalidInput("invalid_amount", "A refund must be above zero.")
    lock_references(event.brand_id, invoice=event.invoice_ref)
    InvoiceRefund.objects.bulk_create(
        [
            InvoiceRefund(
                brand_id=event.brand_id,
                invoice_ref=event.invoice_ref,
                refund_ref=event.refund_ref,
                kind=event.kind,
                gross=as_kept(event.gross),
                refunded_at=event.refunded_at,
                received_at=now,
            )
        ],
        ignore_conflicts=True,
    )
    lock_order_of(event.brand_id, event.invoice_ref)
    # Whoever held it may have made the sale meanwhile: only now is it looked for.
    payment = payment_of(event.brand_id, event.invoice_ref)
    if payment is None:
        return
    if payment.gross.currency != event.gross.currency:
        raise InvalidInput(
            "currency_mismatch", "A refund must be in the currency of the payment."
        )
    _settle(payment, now=now)


@transaction.atomic
def override_attribution(
    *,
    referral_id: int,
    affiliate_id: int | None,
    reason: str,
    actor_id: Any,
    now: datetime,
) -> OrderReferral:
    """Give the order to the affiliate, or to nobody, with everything it earned.

    The earlier affiliate's commissions are rejected, also where they are paid: that
    leaves a negative balance. Every paid invoice of the order earns the new affiliate a
    commission by its own plan, and what the decision alone had held for them goes on.
    A tracking integration that loses it is told to take its sale back. A repeat changes
    nothing. Raises as ``referrals.services.override_order``.
    """
    known = OrderReferral.objects.filter(pk=referral_id).first()
    if known is None:
        raise NotFound
    lock_references(known.brand_id, invoice=known.invoice_ref, order=known.order_ref)
    known.refresh_from_db(fields=["decision", "integration", "external_visitor_id"])
    referral = referrals.override_order(
        referral_id=referral_id,
        affiliate_id=affiliate_id,
        reason=reason,
        actor_id=actor_id,
        now=now,
    )
    if referral.decision == known.decision:
        return referral
    _take_from_others(referral, reason=reason, actor_id=actor_id, now=now)
    for payment in payments_of_order(referral):
        settle(payment, referral, now=now, is_given_anew=True)
    take_from_integration(known, referral, now=now)
    _release_undecided(referral, reason=reason, actor_id=actor_id, now=now)
    return referral


def _take_from_others(
    referral: OrderReferral, *, reason: str, actor_id: Any, now: datetime
) -> None:
    lost = [
        commission.pk
        for commission in Commission.objects.filter(
            sale__order_referral=referral, share_of__isnull=True
        ).exclude(status=CommissionStatus.REJECTED)
        if commission.affiliate_id != referral.affiliate_id
    ]
    new = [] if referral.affiliate_id is None else [referral.affiliate_id]
    lock_earners(new, Q(sale__order_referral=referral))
    why = Why(StepReason.GIVEN_TO_NOBODY, {"note": reason})
    if referral.affiliate is not None:
        details = {"affiliate": str(referral.affiliate), "note": reason}
        why = Why(StepReason.GIVEN_AWAY, details)
    take_away(commission_ids=lost, actor_id=actor_id, why=why, now=now)


def _release_undecided(
    referral: OrderReferral, *, reason: str, actor_id: Any, now: datetime
) -> None:
    """Staff's word ends the hold of a decision, not that of a signal of fraud."""
    if referral.affiliate_id is None:
        return
    held = Commission.objects.filter(
        sale__order_referral=referral,
        affiliate_id=referral.affiliate_id,
        share_of__isnull=True,
        status=CommissionStatus.HELD,
        reason=StepReason.DECISION_HELD,
    ).values_list("pk", "sale_id")
    suspicious = {
        review.sale_id
        for review in FraudReview.objects.filter(sale_id__in=[sale for _, sale in held])
        if review.holds_for_more_than(Signal.SELF_REFERRAL)
    }
    release(
        commission_ids=[pk for pk, sale_id in held if sale_id not in suspicious],
        actor_id=actor_id,
        reason=reason,
        now=now,
    )


def settle_all(order: OrderReferral | ConvertedOrder, *, now: datetime) -> None:
    """Settle what is known of the order, whose lock the caller holds. May be repeated."""
    payments = payments_of_order(order)
    if len(payments) > 1:
        # Before the first sale is posted: a later one may have to lock the affiliate.
        referral = referral_of(payments[0])
        if referral is not None and referral.affiliate_id is not None:
            lock_earners([referral.affiliate_id], Q(sale__order_referral=referral))
    for payment in payments:
        _settle(payment, now=now)


def _settle(payment: InvoicePayment, *, now: datetime) -> None:
    referral = referral_of(payment)
    if referral is not None:
        settle(payment, referral, now=now)


def _require_own_renewal(event: PaidInvoice) -> None:
    """One invoice for each renewal: two could not both be the order's third, say."""
    if event.renewal_number == 0:
        return
    others = InvoicePayment.objects.filter(
        brand_id=event.brand_id,
        order_ref=event.order_ref,
        renewal_number=event.renewal_number,
    ).exclude(invoice_ref=event.invoice_ref)
    if others.exists():
        raise InvalidInput(
            "renewal_exists", "Another invoice is this renewal of the order already."
        )
