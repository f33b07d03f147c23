"""Writes the sale, commission and reversals that follow from a paid invoice.

Each function writes what is missing and leaves what is there. The caller holds the lock
of the order.
"""

from __future__ import annotations

from datetime import datetime

from django.db.models import Q
from moneyed import Money

from affiliates.commissions.models import Commission
from affiliates.commissions.rules import CommissionStatus
from affiliates.commissions.services.locks import lock_earners
from affiliates.commissions.services.recording import record_commission
from affiliates.commissions.services.reversing import reverse_commissions
from affiliates.program.rules import AffiliateStatus
from affiliates.referrals.rules.choices import Outcome
from affiliates.sales import rules
from affiliates.sales.models import Sale, SaleReversal
from affiliates.sales.positions import position_of
from affiliates.sales.selectors import KnownOrder, KnownPayment, RefundChange, order_of
from affiliates.settlement.deliveries import notify_integration, sale_to_tell
from affiliates.settlement.emails import tell_of_sale
from affiliates.webhooks.announce import Fact, FactKind, announce


def settle(
    known: KnownPayment,
    order: KnownOrder,
    *,
    now: datetime,
    is_given_anew: bool = False,
) -> None:
    """Updates sale, commission and reversals to match the facts known by now.

    ``is_given_anew``: staff gave the order to another affiliate, who may be due a
    commission for a sale that is already recorded.
    """
    sale, referral = known.sale, order.referral
    is_new = sale is None
    if is_new and referral.outcome == Outcome.NOBODY:
        return
    if is_new and known.changes and referral.affiliate_id is not None:
        # Before anything is posted: a reversal locks the affiliate before its balances.
        lock_earners([referral.affiliate_id], Q(sale__order_referral=referral))
    if sale is None:
        sale = _record_sale(order, known, now=now)
    else:
        sale.order_referral = referral
        if is_given_anew:
            is_new = _give_commission(sale, order, known.refunded, now=now)
    if sale is not None:
        _reverse(sale, known, is_new=is_new, now=now)
    told = sale_to_tell(referral, known)
    if told is not None:
        notify_integration(referral, told, now=now)


def settle_known(known: KnownPayment, *, now: datetime) -> None:
    """Settles the payment if its order is converted."""
    order = order_of(known.payment)
    if order is not None:
        settle(known, order, now=now)


def _record_sale(
    order: KnownOrder, known: KnownPayment, *, now: datetime
) -> Sale | None:
    referral, payment = order.referral, known.payment
    if referral.affiliate is None:
        return None
    status, reason = rules.judge_sale(
        decision_is_held=referral.outcome == Outcome.HELD,
        affiliate_is_active=referral.affiliate.credited_as.status
        == AffiliateStatus.ACTIVE,
    )
    is_initial = payment.invoice_ref == referral.invoice_ref
    sale = Sale.objects.create(
        brand_id=payment.brand_id,
        order_referral=referral,
        payment=payment,
        invoice_ref=payment.invoice_ref,
        renewal_number=0 if is_initial else payment.renewal_number,
        position=position_of(payment, referral),
        affiliate=referral.affiliate,
        status=status,
        reason=reason,
        net=payment.net,
        paid_at=payment.paid_at,
        recorded_at=now,
    )
    announce([_recorded(sale)], now=now)
    commission = record_commission(sale, order=order, refunded=known.refunded, now=now)
    tell_of_sale(sale, referral, commission, now=now)
    return sale


def _give_commission(
    sale: Sale, order: KnownOrder, refunded: Money, *, now: datetime
) -> bool:
    """Gives the sale a commission if none counts; returns whether it did."""
    counts = Commission.objects.filter(sale=sale, share_of__isnull=True).exclude(
        status=CommissionStatus.REJECTED
    )
    if counts.exists():
        return False
    given = record_commission(sale, order=order, refunded=refunded, now=now)
    tell_of_sale(sale, order.referral, given, now=now)
    return given is not None


def _reverse(sale: Sale, known: KnownPayment, *, is_new: bool, now: datetime) -> None:
    """Updates the sale's reversals, and its commission's, to match the refunds."""
    # Reversals that were counted before come first, then the rest as stored.
    in_order = sorted(known.changes, key=lambda change: change.reversal is None)
    amounts = rules.reversal_amounts(
        sale_net=sale.net,
        paid_gross=known.payment.gross,
        refunds=[change.gross for change in in_order],
    )
    added = [
        (change, _reversal(sale, change, -net, now=now))
        for change, net in zip(in_order, amounts, strict=True)
        if change.reversal is None
    ]
    if added:
        SaleReversal.objects.bulk_create([reversal for _, reversal in added])
        announce([_changed(*one) for one in added], now=now)
    if added or is_new:
        reverse_commissions(sale, in_order, now=now)


def _reversal(
    sale: Sale, change: RefundChange, net: Money, *, now: datetime
) -> SaleReversal:
    """Returns the reversal that becomes the change's ``reversal``."""
    if change.cancellation is None:
        return SaleReversal(sale=sale, refund=change.refund, net=net, recorded_at=now)
    return SaleReversal(
        sale=sale, cancellation=change.cancellation, net=net, recorded_at=now
    )


def _recorded(sale: Sale) -> Fact:
    return Fact(
        kind=FactKind.SALE_RECORDED,
        brand_id=sale.brand_id,
        subject=f"invoice:{sale.invoice_ref}",
        key=f"sale:{sale.pk}",
        data={
            "order_ref": sale.order_referral.order_ref,
            "invoice_ref": sale.invoice_ref,
            "renewal_number": sale.renewal_number,
            "position": sale.counts_as,
            "affiliate": sale.affiliate.code,
            "status": sale.status,
            "reason": sale.reason,
            "net": f"{sale.net.amount:f}",
            "currency": sale.net.currency.code,
            "paid_at": sale.paid_at.isoformat(),
        },
    )


def _changed(change: RefundChange, reversal: SaleReversal) -> Fact:
    sale, refund, cancellation = reversal.sale, change.refund, change.cancellation
    kind, about = (
        FactKind.SALE_REVERSED,
        {"refunded_at": refund.refunded_at.isoformat()},
    )
    if cancellation is not None:
        kind = FactKind.SALE_RESTORED
        about = {
            "cancellation_ref": cancellation.cancellation_ref,
            "cancelled_at": cancellation.cancelled_at.isoformat(),
        }
    return Fact(
        kind=kind,
        brand_id=sale.brand_id,
        subject=f"invoice:{sale.invoice_ref}",
        key=f"sale:{sale.pk}:{reversal.pk}",
        data={
            "order_ref": sale.order_referral.order_ref,
            "invoice_ref": sale.invoice_ref,
            "refund_ref": refund.refund_ref,
            "kind": refund.kind,
            "net": f"{abs(reversal.net.amount):f}",
            "currency": reversal.net.currency.code,
            **about,
        },
    )
