"""The facts of a paid invoice, and the decision that follows from them."""

from __future__ import annotations

from dataclasses import dataclass
from datetime import datetime
from typing import Any, NamedTuple

from moneyed import Money

from affiliates.commissions.life import Life
from affiliates.contracts import RefundKind
from affiliates.fraud.rules.signals import ReviewFacts, SaleReview
from affiliates.outbox.types import ConversionFacts, NewDelivery
from affiliates.plans.rules.computation import CommissionReceipt
from affiliates.plans.rules.matching import SaleFacts
from affiliates.plans.rules.terms import PlanTerms
from affiliates.program.rules import AffiliateStatus
from affiliates.sales.refunded import InvoiceAmounts, Refunded
from affiliates.sales.rules import SaleReason, SaleStatus


class RefundFacts(NamedTuple):
    """A refund, or its cancellation, which gives back what it took of the invoice.

    ``is_counted``: the sale, and each commission that it has, was reversed by it.
    ``is_new``: it was stored just now.
    """

    refund_ref: str
    kind: RefundKind
    refunded: Refunded
    is_counted: bool
    occurred_at: datetime
    cancellation_ref: str | None = None
    is_new: bool = False


class CreditFacts(NamedTuple):
    """The facts that decide whether a sale is held for review, and whether it earns."""

    decision_is_held: bool
    affiliate_status: AffiliateStatus
    is_brand_active: bool


@dataclass(frozen=True, slots=True, kw_only=True)
class EarningFacts:
    """All that a new commission is decided by. ``review`` is None if there is none."""

    sale: SaleFacts
    plan_name: str
    version_number: int
    version_text: str
    has_sharer: bool
    review: ReviewFacts | None


@dataclass(frozen=True, slots=True, kw_only=True)
class TrackedSale:
    """The order's first sale, which its tracking integration is notified of.

    ``sale`` is its delivery, which is queued once for ``initial_ref``, the order's
    initial invoice. ``changes`` are in the order they were stored, ``counted`` is the sum
    of the refunds that are not among them. ``withdrawal_ref`` names staff's decision that
    took the order from the integration; ``has_reversals``: a reversal of the sale has
    arrived there or may still arrive.
    """

    sale: ConversionFacts
    initial_ref: str
    net: Money
    invoice: InvoiceAmounts
    counted: Refunded
    changes: tuple[RefundFacts, ...]
    is_queued: bool
    withdrawal_ref: str = ""
    has_reversals: bool = False

    @property
    def refunded(self) -> Refunded:
        """Less cancelled parts; it may be more than was paid."""
        return sum((change.refunded for change in self.changes), self.counted)

    def left_of(self, refund: RefundFacts) -> Refunded:
        """The part of the refund that its cancellations leave."""
        parts = (
            change.refunded
            for change in self.changes
            if change.refund_ref == refund.refund_ref
        )
        return sum(parts, Refunded())


@dataclass(frozen=True, slots=True, kw_only=True)
class InvoiceFacts:
    """All facts of a paid invoice, for the credited affiliate and the integration.

    ``credit`` is None if sale and commission are known or no affiliate is credited.
    ``refunds`` are listed with the counted ones first, then the others as they were
    stored; ``counted`` is the sum of counted refunds that are not listed. ``terms`` are
    those of the commission. ``earning`` is None if no commission is to be made. ``lives``
    are the sale's commissions that are not rejected: the affiliate's own, then its
    recruiter's share. ``tracked`` is None if there is nothing to send to an integration.
    """

    net: Money
    invoice: InvoiceAmounts
    credit: CreditFacts | None
    counted: Refunded
    refunds: tuple[RefundFacts, ...]
    terms: PlanTerms
    earning: EarningFacts | None
    lives: tuple[Life, ...]
    tracked: TrackedSale | None
    now: datetime


@dataclass(frozen=True, slots=True, kw_only=True)
class InvoiceDecision:
    """The rows to be written.

    ``reversals`` are the net amounts of refunds that the sale has not counted, by their
    place. ``receipt`` is that of a new commission, ``share`` that of its share, which
    lacks the commission's id.
    """

    sale: tuple[SaleStatus, SaleReason] | None
    reversals: tuple[tuple[int, Money], ...]
    review: SaleReview
    receipt: CommissionReceipt | None
    share: dict[str, Any] | None
    lives: tuple[Life, ...]
    deliveries: tuple[NewDelivery, ...]
