"""The whole story of an order, from the first click to the last refund."""

from __future__ import annotations

from dataclasses import dataclass
from datetime import datetime

from moneyed import Money

from affiliates.core.enums import LabelledEnum
from affiliates.ledger.models import InvoicePayment, InvoiceRefund, Sale
from affiliates.ledger.rules import SaleReason, SaleStatus
from affiliates.referrals import trace
from affiliates.referrals.models import ClientReferral, OrderReferral
from affiliates.visits.models import Click


class EventKind(LabelledEnum):
    VISIT = "visit", "Visit"
    SIGNUP = "signup", "Signup"
    CONVERSION = "conversion", "Conversion"
    PAYMENT = "payment", "Payment"
    SALE = "sale", "Sale"
    SALE_HELD = "sale_held", "Sale"
    NO_SALE = "no_sale", "No sale"
    REFUND = "refund", "Refund"
    CHARGEBACK = "chargeback", "Chargeback"


@dataclass(frozen=True, slots=True, kw_only=True)
class TimelineEvent:
    """One step of an order's story, in plain words."""

    at: datetime
    kind: EventKind
    text: str

    @property
    def title(self) -> str:
        return self.kind.label


@dataclass(frozen=True, slots=True, kw_only=True)
class OrderStory:
    """An order's decision and timeline. ``outlook`` says what is still to come."""

    decision: trace.Explanation
    events: list[TimelineEvent]
    outlook: str


def order_story(referral: OrderReferral) -> OrderStory:
    events = order_timeline(referral)
    return OrderStory(
        decision=trace.explain(referral.decision),
        events=events,
        outlook=_outlook(referral, events),
    )


def order_timeline(referral: OrderReferral) -> list[TimelineEvent]:
    """Visit, signup, conversion, payment, sale and refunds, oldest first."""
    events = [
        *_visits(referral),
        *_signup(referral),
        *_conversion(referral),
        *_payment_and_sale(referral),
        *_refunds(referral),
    ]
    return sorted(events, key=lambda event: event.at)


def _visits(referral: OrderReferral) -> list[TimelineEvent]:
    """The candidate clicks, told from the decision where the click row is gone."""
    stored = referral.decision["candidates"]
    clicks = {
        str(click.id): click
        for click in Click.objects.filter(
            brand_id=referral.brand_id, id__in=[one["click_id"] for one in stored]
        )
    }
    explanation = trace.explain(referral.decision)
    return [
        TimelineEvent(
            at=line.touched_at,
            kind=EventKind.VISIT,
            text=_visit_text(line, clicks.get(one["click_id"]), explanation.outcome),
        )
        for one, line in zip(stored, explanation.candidates, strict=True)
    ]


def _visit_text(line: trace.CandidateLine, click: Click | None, outcome: str) -> str:
    page = f" on {click.visit_url}" if click is not None else ""
    verdict = outcome if line.is_winner else line.verdict
    return f"Click of affiliate {line.affiliate_code}{page}. {verdict}."


def _signup(referral: OrderReferral) -> list[TimelineEvent]:
    binding = (
        ClientReferral.objects.filter(
            brand_id=referral.brand_id, client_id=referral.client_id
        )
        .select_related("affiliate")
        .first()
    )
    if binding is None:
        return []
    return [
        TimelineEvent(
            at=binding.bound_at,
            kind=EventKind.SIGNUP,
            text=(
                f"{binding.get_step_display()}: the client was bound to affiliate "
                f"{binding.affiliate.code}."
            ),
        )
    ]


def _conversion(referral: OrderReferral) -> list[TimelineEvent]:
    explanation = trace.explain(referral.decision)
    winner = f": {referral.affiliate.code}" if referral.affiliate else ""
    return [
        TimelineEvent(
            at=referral.converted_at,
            kind=EventKind.CONVERSION,
            text=(
                f"Order converted to invoice {referral.invoice_ref}. "
                f"{explanation.outcome}{winner}. {explanation.reason} "
                f"{explanation.cookie}. Policy: {explanation.policy}."
            ),
        )
    ]


def _payment_and_sale(referral: OrderReferral) -> list[TimelineEvent]:
    payment = InvoicePayment.objects.filter(
        brand_id=referral.brand_id, invoice_ref=referral.invoice_ref
    ).first()
    if payment is None:
        return []
    paid = TimelineEvent(
        at=payment.paid_at,
        kind=EventKind.PAYMENT,
        text=f"{payment.gross} paid, reference {payment.payment_ref}.",
    )
    sale = Sale.objects.filter(payment=payment).select_related("affiliate").first()
    if sale is None:
        return [paid, _no_sale(payment)]
    is_held = sale.status == SaleStatus.HELD.value
    return [
        paid,
        TimelineEvent(
            at=sale.recorded_at,
            kind=EventKind.SALE_HELD if is_held else EventKind.SALE,
            text=(
                f"{SaleStatus(sale.status).label}: {sale.net} net for affiliate "
                f"{sale.affiliate.code}. {SaleReason(sale.reason).label}"
            ),
        ),
    ]


def _no_sale(payment: InvoicePayment) -> TimelineEvent:
    return TimelineEvent(
        at=payment.received_at,
        kind=EventKind.NO_SALE,
        text="Nobody is credited for this order, so its payment makes no sale.",
    )


def _refunds(referral: OrderReferral) -> list[TimelineEvent]:
    refunds = InvoiceRefund.objects.filter(
        brand_id=referral.brand_id, invoice_ref=referral.invoice_ref
    ).select_related("reversal")
    return [
        TimelineEvent(
            at=refund.refunded_at,
            kind=EventKind(refund.kind),
            text=_refund_text(refund),
        )
        for refund in refunds
    ]


def _refund_text(refund: InvoiceRefund) -> str:
    reversal = getattr(refund, "reversal", None)
    returned = f"{refund.gross} returned, reference {refund.refund_ref}."
    if reversal is None:
        return returned
    return f"{returned} Reverses {-reversal.net} of the sale."


def net_after_reversals(sale: Sale) -> Money:
    """What is left of the sale: never below zero."""
    net: Money = sum((one.net for one in sale.reversals.all()), sale.net)
    return net


def _outlook(referral: OrderReferral, events: list[TimelineEvent]) -> str:
    if any(event.kind is EventKind.PAYMENT for event in events):
        return ""
    if referral.affiliate_id is None:
        return "Not paid yet. A payment will make no sale: nobody is credited."
    return "Not paid yet. The sale is recorded when the invoice is paid."
