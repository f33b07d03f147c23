"""The facts of a paid invoice, and what is decided by them: plain values."""

from __future__ import annotations

from dataclasses import dataclass
from datetime import datetime
from typing import Any, NamedTuple

from moneyed import Money

from affiliates.commissions.life import Life
from affiliates.contracts import RefundKind
from affiliates.fraud.rules.signals import ReviewFacts, SaleReview
from affiliates.plans.rules.matching import SaleFacts
from affiliates.plans.rules.receipts import CommissionReceipt
from affiliates.plans.rules.terms import PlanTerms
from affiliates.program.rules import AffiliateStatus
from affiliates.sales.rules import SaleReason, SaleStatus


class RefundFacts(NamedTuple):
    """A refund, or what its cancellation changed: ``gross`` is then below zero.

    ``is_counted``: the sale, and each commission that it has, was reversed by it.
    """

    refund_ref: str
    kind: RefundKind
    gross: Money
    is_counted: bool


class CreditFacts(NamedTuple):
    """Facts that decide whether a sale is held for review, and whether it earns."""

    decision_is_held: bool
    affiliate_status: AffiliateStatus


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
class InvoiceFacts:
    """All facts of a paid invoice that an affiliate is credited for.

    ``credit`` is None if sale and commission are known. ``counted`` is the gross amount
    of refunds that were counted and are not listed. Of ``refunds``, those that were
    counted come first, then the others as they were stored. ``terms`` are those of the commission. ``earning`` is None if no commission is to be
    made. ``lives`` are the sale's commissions that are not rejected: the affiliate's
    own, then its recruiter's share.
    """

    net: Money
    gross: Money
    credit: CreditFacts | None
    counted: Money
    refunds: tuple[RefundFacts, ...]
    terms: PlanTerms
    earning: EarningFacts | None
    lives: tuple[Life, ...]
    now: datetime


@dataclass(frozen=True, slots=True, kw_only=True)
class InvoiceDecision:
    """The values to be written for an invoice.

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
