"""The whole story of an order, from the first click to the last refund."""

from __future__ import annotations

from dataclasses import dataclass

from affiliates.admin_tools.lists.invoice_numbers import number_invoices
from affiliates.order_story import commissions as story_commissions
from affiliates.order_story import money as story_money
from affiliates.order_story import referral as story_referral
from affiliates.order_story.commissions import CommissionStory
from affiliates.order_story.types import TimelineEvent
from affiliates.referrals.models import OrderReferral
from affiliates.referrals.rules import trace
from affiliates.referrals.rules.choices import Outcome
from affiliates.sales.known import payments_of_order


@dataclass(frozen=True, slots=True, kw_only=True)
class OrderStory:
    """An order's decision, timeline and money. ``outlook`` says what is still to come."""

    decision: trace.Explanation
    events: list[TimelineEvent]
    commissions: list[CommissionStory]
    outlook: str


def order_story(referral: OrderReferral) -> OrderStory:
    """Visit, signup, conversion, payments, sales, commissions, refunds; oldest first."""
    payments = [known.payment for known in payments_of_order(referral)]
    commissions = story_commissions.commissions_of(referral)
    # From here on each of them is written as the number that people know.
    sales = [commission.sale for commission in commissions]
    number_invoices([referral, *payments, *sales], "invoice_ref")
    overrides = list(referral.overrides.select_related("affiliate", "actor"))
    # What staff decided later does not change what was decided then.
    then = overrides[0].replaced if overrides else referral.decision
    events = [
        *story_referral.visits(referral, then),
        *story_referral.signup(referral),
        *story_referral.conversion(referral, then),
        *story_referral.assignments(overrides),
        *(
            event
            for payment in payments
            for event in story_money.payment_and_sale(referral, payment, commissions)
        ),
        *story_money.refunds(referral, payments),
        *story_money.steps(commissions),
        *story_referral.deliveries(referral, then, payments),
    ]
    return OrderStory(
        decision=trace.explain(referral.decision),
        events=sorted(events, key=lambda event: event.at),
        commissions=[story_commissions.tell(commission) for commission in commissions],
        outlook="" if payments else _outlook(referral),
    )


def _outlook(referral: OrderReferral) -> str:
    if referral.outcome == Outcome.NOBODY:
        return "Not paid yet. A payment will make no sale: nobody is credited."
    if referral.integration_id is None:
        return "Not paid yet. The sale is recorded when the invoice is paid."
    if referral.affiliate_id is None:
        return "Not paid yet. The tracking integration is notified when the invoice is paid."
    return (
        "Not paid yet. When the invoice is paid, the sale is recorded and the tracking "
        "integration is notified."
    )
