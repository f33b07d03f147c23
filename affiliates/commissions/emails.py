"""E-mails to affiliates about their commissions."""

from __future__ import annotations

from collections.abc import Sequence
from datetime import datetime

from affiliates.commissions.messages import FOR_AFFILIATE
from affiliates.commissions.models import CommissionEvent
from affiliates.commissions.rules import CommissionStatus, StepReason
from affiliates.emails.services import notify_affiliates
from affiliates.emails.types import EmailKind, News, money

_REFUNDS = (StepReason.REFUND, StepReason.CHARGEBACK)
_CANCELLED = (StepReason.REFUND_CANCELLED, StepReason.CHARGEBACK_CANCELLED)
_BEFORE_APPROVAL = (
    CommissionStatus.PENDING,
    CommissionStatus.MATURED,
    CommissionStatus.HELD,
)


def tell_of_events(
    events: Sequence[tuple[CommissionEvent, int]], *, now: datetime
) -> None:
    """Each event comes with what was left of its commission."""
    notices = (_news(event, left) for event, left in events)
    notify_affiliates([notice for notice in notices if notice is not None], now=now)


def _news(event: CommissionEvent, left: int) -> News | None:
    if event.reason in _REFUNDS:
        taken = event.reason_details["amount"]
        return _reversal(event, taken=taken, left=left)
    if event.reason in _CANCELLED:
        given_back = event.reason_details["amount"]
        return _about(event, EmailKind.RESTORATION, given_back=given_back, left=left)
    if not left:
        return None
    if event.after == CommissionStatus.APPROVED and event.before in _BEFORE_APPROVAL:
        return _about(event, EmailKind.COMMISSION_APPROVED, left=left)
    # A commission that a check rejected on recording was never the affiliate's.
    if (
        event.after == CommissionStatus.REJECTED
        and event.reason != StepReason.FRAUD_SIGNALS
    ):
        return _reversal(event, taken=left, left=0)
    return None


def _reversal(event: CommissionEvent, *, taken: int, left: int) -> News:
    return _about(
        event,
        EmailKind.REVERSAL,
        reason=event.reason,
        said=event.reason_details.get(FOR_AFFILIATE, ""),
        taken=taken,
        left=left,
    )


def _about(
    event: CommissionEvent,
    kind: EmailKind,
    *,
    reason: str = "",
    said: str = "",
    **amounts: int,
) -> News:
    commission = event.commission
    currency = commission.currency
    # A share's order and invoice are another affiliate's client's.
    is_share = commission.share_of_id is not None
    return News(
        kind=kind,
        brand_id=commission.brand_id,
        affiliate_id=commission.affiliate_id,
        fact=str(event.pk),
        values={
            "order": "" if is_share else commission.sale.order_referral.order_ref,
            "invoice": "" if is_share else commission.sale.invoice_ref,
            "commission_id": commission.pk,
            "reason": reason,
            "said": said,
            **{name: money(amount, currency) for name, amount in amounts.items()},
        },
    )
