"""Previews the effects of giving an order to another affiliate."""

from __future__ import annotations

from affiliates.commissions.models import Commission
from affiliates.commissions.rules import CommissionStatus
from affiliates.outbox.sending.provider import is_supported
from affiliates.outbox.types import Operation
from affiliates.plans.selectors import plan_version_for
from affiliates.program.models import Affiliate
from affiliates.referrals.assignments import leaves_integration
from affiliates.referrals.models import OrderReferral
from affiliates.sales.known import KnownPayment, payments_of_order
from affiliates.sales.positions import first_sale


def foresee_assignment(
    referral: OrderReferral, affiliate: Affiliate | None
) -> list[str]:
    """Sentences on what ``services.override_attribution`` would do to the order now."""
    payments = payments_of_order(referral)
    if not payments:
        return ["Nothing is earned before the order is paid."]
    live = list(
        Commission.objects.filter(sale__order_referral=referral, share_of__isnull=True)
        .exclude(status=CommissionStatus.REJECTED)
        .select_related("affiliate")
    )
    kept = {row.sale_id for row in live if row.affiliate == affiliate}
    lost = [row for row in live if row.affiliate != affiliate]
    unearned = [
        paid for paid in payments if paid.sale is None or paid.sale.pk not in kept
    ]
    sentences = [_loses(lost)] if lost else []
    if affiliate is None:
        sentences.append(f"Nobody earns anything for {_invoices(len(payments))}.")
    elif unearned:
        sentences += _earns(affiliate, referral, unearned)
    else:
        sentences.append(f"{affiliate.code} keeps what it has earned.")
    if leaves_integration(referral, None if affiliate is None else affiliate.pk):
        sentences += _taken_from_integration(referral, payments)
    return sentences


def _taken_from_integration(
    referral: OrderReferral, payments: list[KnownPayment]
) -> list[str]:
    integration, first = referral.integration, first_sale(payments[0], referral)
    left = (paid.net_after_refunds for paid in payments if paid.payment == first)
    if integration is None or not any(left):
        return []
    if integration.is_active and is_supported(integration, Operation.REVERSAL):
        return [
            "The tracking integration is told to take its sale back, and of this order "
            "nothing more: it cannot be given back to it."
        ]
    return [
        "The tracking integration cannot be told to take its sale back: do that by hand "
        "in its provider's panel. It is told of this order nothing more."
    ]


def _loses(lost: list[Commission]) -> str:
    codes = ", ".join(sorted({row.affiliate.code for row in lost}))
    subject = "commission is" if len(lost) == 1 else "commissions are"
    text = f"{len(lost)} {subject} rejected, of {codes}."
    if any(row.status == CommissionStatus.PAID for row in lost):
        text += " What is paid already is taken from the next payout."
    return text


def _earns(
    affiliate: Affiliate, referral: OrderReferral, unearned: list[KnownPayment]
) -> list[str]:
    invoices = _invoices(len(unearned))
    version = plan_version_for(affiliate, at=referral.converted_at)
    if version is None:
        return [
            f"{affiliate.code} was on no plan when the order was made: it earns nothing "
            f"for {invoices}."
        ]
    sentences = [
        f"{affiliate.code} earns for {invoices} at once, by the plan it was on when the "
        f"order was made: {version}."
    ]
    if any(paid.changes for paid in unearned):
        sentences.append("What refunds took of it is taken back at once as well.")
    return sentences


def _invoices(count: int) -> str:
    plural = "" if count == 1 else "s"
    return f"{count} paid invoice{plural} of this order"
