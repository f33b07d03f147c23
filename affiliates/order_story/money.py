"""The payments, earnings and reversals of an order."""

from __future__ import annotations

from collections.abc import Sequence

from affiliates.commissions.models import Commission, CommissionEvent
from affiliates.commissions.rules import CommissionStatus
from affiliates.order_story.types import EventKind, TimelineEvent
from affiliates.referrals.models import OrderReferral
from affiliates.referrals.rules.choices import Outcome
from affiliates.sales.models import (
    InvoicePayment,
    InvoiceRefund,
    RefundCancellation,
    Sale,
)
from affiliates.sales.rules import SaleReason, SaleStatus
from affiliates.sales.selectors import RefundChange, refund_changes

NO_COMMISSION = "The affiliate was on no plan, so this sale earns no commission."
KIND_OF_STATUS = {
    CommissionStatus.PENDING: EventKind.COMMISSION,
    CommissionStatus.MATURED: EventKind.COMMISSION,
    CommissionStatus.HELD: EventKind.COMMISSION_HELD,
    CommissionStatus.APPROVED: EventKind.COMMISSION_APPROVED,
    CommissionStatus.PAID: EventKind.COMMISSION_PAID,
    CommissionStatus.REJECTED: EventKind.COMMISSION_REJECTED,
    CommissionStatus.REVERSED: EventKind.COMMISSION_LOST,
}


def payment_and_sale(
    referral: OrderReferral, payment: InvoicePayment, commissions: Sequence[Commission]
) -> list[TimelineEvent]:
    invoice = invoice_name(referral, payment)
    prefix = f"{invoice}: " if invoice else ""
    paid = TimelineEvent(
        payment.paid_at,
        EventKind.PAYMENT,
        f"{prefix}{payment.gross} paid, reference {payment.payment_ref}.",
    )
    sale: Sale | None = getattr(payment, "sale", None)
    if sale is None:
        return [paid, _no_sale(referral, payment)]
    is_held = sale.status == SaleStatus.HELD
    recorded = TimelineEvent(
        sale.recorded_at,
        EventKind.SALE_HELD if is_held else EventKind.SALE,
        f"{prefix}{SaleStatus(sale.status).label}: {sale.net} net for affiliate "
        f"{sale.affiliate.code}. {SaleReason(sale.reason).label}",
    )
    if any(commission.sale_id == sale.pk for commission in commissions):
        return [paid, recorded]
    nothing = TimelineEvent(
        sale.recorded_at, EventKind.NO_COMMISSION, f"{prefix}{NO_COMMISSION}"
    )
    return [paid, recorded, nothing]


def invoice_name(referral: OrderReferral, payment: InvoicePayment) -> str:
    """Such as "Renewal 2, invoice INV-9"; empty for the initial invoice."""
    if payment.invoice_ref == referral.invoice_ref:
        return ""
    return f"Renewal {payment.renewal_number}, invoice {payment}"


def refunds(
    referral: OrderReferral, payments: Sequence[InvoicePayment]
) -> list[TimelineEvent]:
    """Refunds and their cancellations, also before the initial invoice is paid."""
    renewals = {
        payment.invoice_ref: f"Invoice {payment}: "
        for payment in payments
        if payment.invoice_ref != referral.invoice_ref
    }
    paid_in = {payment.invoice_ref: payment.gross.currency.code for payment in payments}
    found = refund_changes(referral.brand_id, {referral.invoice_ref, *renewals})
    return [
        _change(change, renewals.get(invoice_ref, ""), paid_in=paid_in.get(invoice_ref))
        for (invoice_ref, _), changes in found.items()
        for change in changes
    ]


def steps(commissions: Sequence[Commission]) -> list[TimelineEvent]:
    """Every step in the life of the order's commissions."""
    return [
        _step(commission, event)
        for commission in commissions
        for event in commission.events.all()
    ]


def _step(commission: Commission, event: CommissionEvent) -> TimelineEvent:
    by = "" if event.actor is None else f", by {event.actor}"
    return TimelineEvent(
        event.at, _kind(event), f"{commission.affiliate.code}{by}: {event.reason_text}"
    )


def _kind(event: CommissionEvent) -> EventKind:
    if not event.before:
        return EventKind.EARNED
    if event.before == event.after:
        return EventKind.COMMISSION
    return KIND_OF_STATUS[CommissionStatus(event.after)]


def _no_sale(referral: OrderReferral, payment: InvoicePayment) -> TimelineEvent:
    who = "Nobody is"
    if referral.outcome == Outcome.THIRD_PARTY:
        who = "No affiliate of the brand's own is"
    return TimelineEvent(
        payment.received_at,
        EventKind.NO_SALE,
        f"{who} credited for this order, so its payment makes no sale.",
    )


def _change(change: RefundChange, prefix: str, *, paid_in: str | None) -> TimelineEvent:
    refund, cancellation = change.refund, change.cancellation
    if cancellation is None:
        return TimelineEvent(
            refund.refunded_at,
            EventKind[refund.kind.upper()],
            _refund_text(refund, prefix, paid_in=paid_in),
        )
    return TimelineEvent(
        cancellation.cancelled_at,
        EventKind.CANCELLED,
        _cancellation_text(change, cancellation),
    )


def _refund_text(refund: InvoiceRefund, prefix: str, *, paid_in: str | None) -> str:
    reversal = getattr(refund, "reversal", None)
    parts = f" ({refund.named_parts})" if refund.named else ""
    returned = f"{prefix}{refund.gross} returned{parts}, reference {refund.refund_ref}."
    if paid_in not in (None, refund.gross.currency.code):
        return (
            f"{returned} It takes nothing back: the invoice was paid in {paid_in}. The "
            f"host has to tell it again with the same reference, in {paid_in}."
        )
    if reversal is None:
        return returned
    return f"{returned} Reverses {-reversal.net} of the sale."


def _cancellation_text(change: RefundChange, told: RefundCancellation) -> str:
    refund = change.refund
    text = (
        f"{-change.gross} of {refund.kind} {refund.refund_ref} cancelled, reference "
        f"{told.cancellation_ref}."
    )
    if told.gross is not None and told.gross != -change.gross:
        text += f" The host said {told.gross}, and there was no more to cancel."
    if change.reversal is None:
        return text
    return f"{text} Gives {change.reversal.net} of the sale back."
