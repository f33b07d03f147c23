"""Who earned what by an order, how it was computed, and what will be paid and when."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from datetime import datetime
from typing import Any

from django.utils import timezone
from django.utils.formats import date_format

from affiliates.admin_tools.columns import money_text
from affiliates.commissions.models import (
    Commission,
    CommissionEvent,
    CommissionReversal,
)
from affiliates.commissions.rules import CommissionStatus, StepReason
from affiliates.commissions.selectors import with_taken_back
from affiliates.plans.rules.explanations import explain_receipt
from affiliates.plans.selectors import terms_of
from affiliates.referrals.models import OrderReferral
from affiliates.sales.models import InvoiceRefund

DAY_FORMAT = "j M Y"
CANCELLED = (StepReason.REFUND_CANCELLED, StepReason.CHARGEBACK_CANCELLED)
# What staff are asked about later: what was earned at first is in the timeline.
DECIDED = frozenset(
    status
    for status in CommissionStatus
    if status not in (CommissionStatus.PENDING, CommissionStatus.MATURED)
)


@dataclass(frozen=True, slots=True, kw_only=True)
class ReceiptLine:
    """The earnings of one invoice line and their computation, in words."""

    description: str
    amount: str
    sentences: tuple[str, ...]


@dataclass(frozen=True, slots=True, kw_only=True)
class CommissionStory:
    """One commission in words. ``outlook`` says what will be paid and when."""

    commission: Commission
    title: str
    amount: str
    left: str
    lines: tuple[ReceiptLine, ...]
    refunds: tuple[str, ...]
    decisions: tuple[str, ...]
    outlook: str


def commissions_of(referral: OrderReferral) -> list[Any]:
    """With all that their story tells, the initial invoice's first."""
    return list(
        with_taken_back(Commission.objects.filter(sale__order_referral=referral))
        .select_related("affiliate", "sale", "plan_version__plan")
        .prefetch_related(
            "events__actor",
            "lines",
            "reversals__sale_reversal__refund",
            "reversals__sale_reversal__cancellation",
        )
        .order_by("sale__renewal_number", "pk")
    )


def tell(commission: Any) -> CommissionStory:
    """The story of a commission that ``commissions_of`` found."""
    sale = commission.sale
    invoice = "Initial invoice"
    if sale.renewal_number:
        invoice = f"Renewal {sale.renewal_number}"
    if sale.position != sale.renewal_number:
        as_what = f"renewal {sale.position}" if sale.position else "the first invoice"
        invoice += f", counted as {as_what},"
    of = commission.share_of_id
    shared = f", recruiter's share of commission {of}" if of else ""
    return CommissionStory(
        commission=commission,
        title=f"{invoice} {sale}{shared}",
        amount=money_text(commission.amount, commission.currency),
        left=money_text(commission.amount + commission.taken_back, commission.currency),
        lines=tuple(
            ReceiptLine(
                description=line.description,
                amount=money_text(line.amount, commission.currency),
                sentences=explain_receipt(line.receipt),
            )
            for line in commission.lines.all()
        ),
        refunds=tuple(
            _refund(reversal, commission) for reversal in commission.reversals.all()
        ),
        decisions=tuple(_decision(event) for event in _decisions(commission)),
        outlook=_outlook(commission),
    )


def _refund(reversal: CommissionReversal, commission: Commission) -> str:
    fact = reversal.sale_reversal.fact
    what = "taken back" if isinstance(fact, InvoiceRefund) else "given back"
    amount = money_text(abs(reversal.amount), commission.currency)
    return f"{_day(fact.happened_at)}: {amount} {what}. {fact}."


def _decisions(commission: Commission) -> Sequence[CommissionEvent]:
    return [
        event
        for event in commission.events.all()
        if event.before != event.after
        and event.before
        and (event.after in DECIDED or event.actor_id is not None)
    ]


def _decision(event: CommissionEvent) -> str:
    who = "the program" if event.actor is None else str(event.actor)
    status = CommissionStatus(event.after)
    return f"{_day(event.at)}: {status.label} by {who}. {event.reason_text}"


def _outlook(commission: Any) -> str:
    left = commission.amount + commission.taken_back
    amount = money_text(left, commission.currency)
    match CommissionStatus(commission.status):
        case CommissionStatus.PENDING:
            return _outlook_pending(commission, amount)
        case CommissionStatus.MATURED:
            return f"{amount} will be paid once staff approve it."
        case CommissionStatus.HELD:
            return "Nothing is paid until staff release it."
        case CommissionStatus.APPROVED if commission.payout_id is not None:
            return f"Payout {commission.payout_id} is under way with it."
        case CommissionStatus.APPROVED if left:
            return f"{amount} will be paid with the next payout."
        case CommissionStatus.PAID:
            return _outlook_paid(commission)
        case _:
            return "Nothing will be paid."


def _outlook_pending(commission: Any, amount: str) -> str:
    day = _day(commission.matures_at)
    version = commission.plan_version
    if version is not None and not terms_of(version).approves_itself:
        return f"Its hold ends on {day}. {amount} will be paid once staff approve it."
    return f"Matures on {day}; {amount} will be paid with the next payout."


def _outlook_paid(commission: Any) -> str:
    paid_at = max(
        event.at
        for event in commission.events.all()
        if event.after == CommissionStatus.PAID
        and event.before != CommissionStatus.PAID
    )
    later = _taken_since_payout(commission)
    text = f"Paid on {_day(paid_at)} by payout {commission.payout_id}."
    if later:
        what = "taken from" if later > 0 else "added to"
        amount = money_text(abs(later), commission.currency)
        text += f" {amount} are {what} the next payout."
    return text


def _taken_since_payout(commission: Commission) -> int:
    """Returns the sum that refunds took since the payout was requested.

    The request sets the payout's amount. The sum is below zero if cancelled refunds
    restored more.
    """
    taken = 0
    for event in commission.events.all():
        if event.reason == StepReason.IN_PAYOUT:
            taken = 0
        elif event.reason in (StepReason.REFUND, StepReason.CHARGEBACK):
            taken += event.reason_details["amount"]
        elif event.reason in CANCELLED:
            taken -= event.reason_details["amount"]
    return taken


def _day(moment: datetime) -> str:
    return date_format(timezone.localtime(moment), DAY_FORMAT)
