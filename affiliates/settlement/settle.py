"""What follows from a paid invoice: its sale, its commission, its reversals.

Each function writes what is missing and leaves what is there. The caller holds the lock
of the order.
"""

from __future__ import annotations

from collections.abc import Sequence
from datetime import datetime

from django.db.models import Q

from affiliates.commissions.models import Commission
from affiliates.commissions.rules import CommissionStatus
from affiliates.commissions.services.locks import lock_earners
from affiliates.commissions.services.recording import record_commission
from affiliates.commissions.services.reversing import reverse_commissions
from affiliates.integrations.webhooks.announce import Fact, FactKind, announce
from affiliates.program.rules import AffiliateStatus
from affiliates.referrals.models import OrderReferral
from affiliates.referrals.rules.choices import Outcome
from affiliates.sales import rules
from affiliates.sales.models import InvoicePayment, InvoiceRefund, Sale, SaleReversal
from affiliates.settlement.deliveries import notify_integration
from affiliates.settlement.emails import tell_of_sale


def settle(
    payment: InvoicePayment,
    referral: OrderReferral,
    *,
    now: datetime,
    is_given_anew: bool = False,
) -> None:
    """Bring what follows from the payment in line with the facts known by now.

    ``is_given_anew``: staff gave the order to another affiliate, who may have to get a
    commission for a sale that is recorded already.
    """
    sale: Sale | None = getattr(payment, "sale", None)
    is_new = sale is None
    if is_new and referral.outcome == Outcome.NOBODY:
        return
    refunds = _refunds_of(payment)
    if is_new and refunds and referral.affiliate_id is not None:
        # Before anything is posted: taking back locks the affiliate before its balances.
        lock_earners([referral.affiliate_id], Q(sale__order_referral=referral))
    if sale is None:
        sale = _record_sale(referral, payment, now=now)
    else:
        sale.order_referral = referral
        if is_given_anew:
            is_new = _give_commission(sale, referral, now=now)
    if sale is not None:
        _reverse(sale, payment, refunds, is_new=is_new, now=now)
    if payment.invoice_ref == referral.invoice_ref:
        notify_integration(referral, payment, refunds, now=now)


def _record_sale(
    referral: OrderReferral, payment: InvoicePayment, *, now: datetime
) -> Sale | None:
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
        affiliate=referral.affiliate,
        status=status,
        reason=reason,
        net=payment.net,
        paid_at=payment.paid_at,
        recorded_at=now,
    )
    announce([_recorded(sale)], now=now)
    commission = record_commission(sale, referral=referral, now=now)
    tell_of_sale(sale, referral, commission, now=now)
    return sale


def _give_commission(sale: Sale, referral: OrderReferral, *, now: datetime) -> bool:
    """Whether the sale got a commission because it had none that counts."""
    counts = Commission.objects.filter(sale=sale, share_of__isnull=True).exclude(
        status=CommissionStatus.REJECTED
    )
    if counts.exists():
        return False
    given = record_commission(sale, referral=referral, now=now, is_given_anew=True)
    tell_of_sale(sale, referral, given, now=now)
    return given is not None


def _refunds_of(payment: InvoicePayment) -> list[InvoiceRefund]:
    """The invoice's refunds in the payment's currency, in the order they were kept.

    ``sales.selectors`` says with the payment whether there are any.
    """
    if not getattr(payment, "has_refunds", True):
        return []
    return list(
        InvoiceRefund.objects.filter(
            brand_id=payment.brand_id,
            invoice_ref=payment.invoice_ref,
            gross_currency=payment.gross.currency.code,
        )
        .select_related("reversal")
        .order_by("id")
    )


def _reverse(
    sale: Sale,
    payment: InvoicePayment,
    refunds: Sequence[InvoiceRefund],
    *,
    is_new: bool,
    now: datetime,
) -> None:
    """Reverse the sale, and with it its commission, where either is behind the refunds."""
    # What was reversed before comes first, in whatever order the refunds were kept.
    in_order = sorted(refunds, key=lambda refund: not hasattr(refund, "reversal"))
    amounts = rules.reversal_amounts(
        sale_net=sale.net,
        paid_gross=payment.gross,
        refunds=[refund.gross for refund in in_order],
    )
    settled, added = [], []
    for refund, net in zip(in_order, amounts, strict=True):
        if hasattr(refund, "reversal"):
            settled.append(refund.reversal)
        else:
            added.append(
                SaleReversal(sale=sale, refund=refund, net=-net, recorded_at=now)
            )
    if added:
        SaleReversal.objects.bulk_create(added)
        announce([_reversed(one) for one in added], now=now)
    if added or is_new:
        reverse_commissions(sale, [*settled, *added], now=now)


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
            "affiliate": sale.affiliate.code,
            "status": sale.status,
            "reason": sale.reason,
            "net": f"{sale.net.amount:f}",
            "currency": sale.net.currency.code,
            "paid_at": sale.paid_at.isoformat(),
        },
    )


def _reversed(reversal: SaleReversal) -> Fact:
    sale, refund = reversal.sale, reversal.refund
    return Fact(
        kind=FactKind.SALE_REVERSED,
        brand_id=sale.brand_id,
        subject=f"invoice:{sale.invoice_ref}",
        key=f"sale:{sale.pk}:{reversal.pk}",
        data={
            "order_ref": sale.order_referral.order_ref,
            "invoice_ref": sale.invoice_ref,
            "refund_ref": refund.refund_ref,
            "kind": refund.kind,
            "net": f"{-reversal.net.amount:f}",
            "currency": reversal.net.currency.code,
            "refunded_at": refund.refunded_at.isoformat(),
        },
    )
