"""What was paid for an order, what it earned, and what was taken back."""

from __future__ import annotations

from collections.abc import Sequence

from affiliates.commissions.models import Commission, CommissionEvent
from affiliates.commissions.rules import CommissionStatus
from affiliates.order_history.types import EventKind, TimelineEvent
from affiliates.referrals.models import OrderReferral
from affiliates.referrals.rules.choices import Outcome
from affiliates.sales.models import InvoicePayment, InvoiceRefund, Sale
from affiliates.sales.rules import SaleReason, SaleStatus

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
    """Also those whose payment is not known yet, of the initial invoice."""
    renewals = {
        payment.invoice_ref: f"Invoice {payment}: "
        for payment in payments
        if payment.invoice_ref != referral.invoice_ref
    }
    found = InvoiceRefund.objects.filter(
        brand_id=referral.brand_id, invoice_ref__in={referral.invoice_ref, *renewals}
    ).select_related("reversal")
    return [
        TimelineEvent(
            refund.refunded_at,
            EventKind[refund.kind.upper()],
            _refund_text(refund, renewals.get(refund.invoice_ref, "")),
        )
        for refund in found
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


def _refund_text(refund: InvoiceRefund, prefix: str) -> str:
    reversal = getattr(refund, "reversal", None)
    returned = f"{prefix}{refund.gross} returned, reference {refund.refund_ref}."
    if reversal is None:
        return returned
    return f"{returned} Reverses {-reversal.net} of the sale."
