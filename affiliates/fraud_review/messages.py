"""Messages of the review queue to staff about the effects of their choice."""

from __future__ import annotations

from affiliates.fraud.rules.policy import ReviewOutcome

QUESTIONS = {
    ReviewOutcome.RELEASED: "Release these commissions?",
    ReviewOutcome.REJECTED: "Reject these commissions?",
}
EFFECTS = {
    ReviewOutcome.RELEASED: (
        "What these signals hold goes on as any other commission. What was only flagged, "
        "and what somebody holds for another reason, stays as it is. The order's renewals "
        "are not asked for the same signals again."
    ),
    ReviewOutcome.REJECTED: (
        "The commissions are taken away for good. One that is paid, or in a payout, "
        "stays as it is."
    ),
}
LEFT = {
    ReviewOutcome.RELEASED: (
        "Still open: {}. The commission was declined for good. To credit such an order "
        "all the same, assign it to the affiliate."
    ),
    ReviewOutcome.REJECTED: (
        "Still open: {}. What is paid stays paid. Of a payout, reject that first."
    ),
}
