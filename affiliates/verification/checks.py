"""The checks, in order: the rows, the facts read of them, and the rules for them."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from typing import Any, NamedTuple

from django.db.models import Model, QuerySet

from affiliates.brands.models.brand import Brand
from affiliates.commissions.models import Adjustment, Commission
from affiliates.ledger.models import LedgerPosting
from affiliates.payouts.models import Payout
from affiliates.payouts.statement_models import PayoutStatement, StatementSeries
from affiliates.plans.models.coupon import CouponCode
from affiliates.plans.models.plan import CommissionPlan
from affiliates.program.models import Affiliate
from affiliates.referrals.models import OrderReferral
from affiliates.sales import models as sales
from affiliates.verification.rules import books as rules
from affiliates.verification.rules import completeness as completeness_rules
from affiliates.verification.rules import deep as deep_rules
from affiliates.verification.rules import positions as position_rules
from affiliates.verification.rules import postings as posting_rules
from affiliates.verification.rules import program as program_rules
from affiliates.verification.rules import shares as share_rules
from affiliates.verification.rules import statements as statement_rules
from affiliates.verification.selectors import books as facts
from affiliates.verification.selectors import (
    completeness,
    deep,
    positions,
    postings,
    program,
    shares,
    statements,
    tiers,
)

ROWS_AT_ONCE = 20_000
# For rows with whole documents.
DOCUMENTS_AT_ONCE = 1_000


class Check(NamedTuple):
    """Rows of one kind: the facts read of them, the rule for them, and their name."""

    label: str
    model: type[Model]
    read: Callable[[QuerySet[Any], range], Iterator[Any]]
    judge: Callable[[Any], Iterator[str]]
    name: Callable[[Any], str]
    brand: str = "brand_id"
    at_once: int = ROWS_AT_ONCE


# Apps add their own in ``affiliates_hooks.py``.
CHECKS: list[Check] = [
    Check(
        label="brands",
        model=Brand,
        read=completeness.policy_facts,
        judge=completeness_rules.judge_versions,
        name=lambda row: f"The policy of brand {row.name}",
        brand="pk",
        at_once=DOCUMENTS_AT_ONCE,
    ),
    Check(
        label="plans",
        model=CommissionPlan,
        read=completeness.plan_facts,
        judge=completeness_rules.judge_versions,
        name=lambda row: f"Plan {row.id} ({row.name})",
        at_once=DOCUMENTS_AT_ONCE,
    ),
    Check(
        label="coupons",
        model=CouponCode,
        read=completeness.coupon_facts,
        judge=completeness_rules.judge_versions,
        name=lambda row: f"Coupon {row.id} ({row.name})",
        at_once=DOCUMENTS_AT_ONCE,
    ),
    Check(
        label="recruited affiliates",
        model=Affiliate,
        read=program.recruited_facts,
        judge=program_rules.judge_recruited,
        name=lambda row: f"Affiliate {row.id} ({row.code})",
    ),
    Check(
        label="orders",
        model=OrderReferral,
        read=completeness.order_facts,
        judge=completeness_rules.judge_order,
        name=lambda row: f"Order {row.order_ref}",
        at_once=DOCUMENTS_AT_ONCE,
    ),
    Check(
        label="payments",
        model=sales.InvoicePayment,
        read=completeness.payment_facts,
        judge=completeness_rules.judge_payment,
        name=lambda row: f"The payment of invoice {row.invoice_ref}",
    ),
    Check(
        label="refunds",
        model=sales.InvoiceRefund,
        read=completeness.refund_facts,
        judge=completeness_rules.judge_refund,
        name=lambda row: f"Refund {row.refund_ref}",
    ),
    Check(
        label="cancelled refunds",
        model=sales.RefundCancellation,
        read=completeness.cancellation_facts,
        judge=completeness_rules.judge_cancellation,
        name=lambda row: f"Cancellation {row.cancellation_ref}",
    ),
    Check(
        label="sales",
        model=sales.Sale,
        read=facts.sale_facts,
        judge=rules.judge_sale,
        name=lambda row: f"Sale {row.id}",
    ),
    Check(
        label="refunded sales",
        model=sales.Sale,
        read=completeness.refunded_sales,
        judge=completeness_rules.judge_refunded_sale,
        name=lambda row: f"Sale {row.id}",
        at_once=DOCUMENTS_AT_ONCE,
    ),
    Check(
        label="commissions",
        model=Commission,
        read=facts.commission_facts,
        judge=rules.judge_commission,
        name=lambda row: f"Commission {row.id}",
    ),
    Check(
        label="receipts",
        model=Commission,
        read=completeness.receipt_facts,
        judge=completeness_rules.judge_receipts,
        name=lambda row: f"Commission {row.id}",
        at_once=DOCUMENTS_AT_ONCE,
    ),
    Check(
        label="shares of recruiters",
        model=Commission,
        read=shares.share_facts,
        judge=share_rules.judge_share,
        name=lambda row: f"Commission {row.id}",
        at_once=DOCUMENTS_AT_ONCE,
    ),
    Check(
        label="payouts",
        model=Payout,
        read=facts.payout_facts,
        judge=rules.judge_payout,
        name=lambda row: f"Payout {row.id}",
    ),
    Check(
        label="adjustments",
        model=Adjustment,
        read=postings.adjustment_facts,
        judge=posting_rules.judge_adjustment,
        name=lambda row: f"Adjustment {row.id}",
    ),
    Check(
        label="statement series",
        model=StatementSeries,
        read=statements.series_facts,
        judge=statement_rules.judge_series,
        name=lambda row: f"Statement series {row.id}",
    ),
    Check(
        label="statements",
        model=PayoutStatement,
        read=statements.statement_facts,
        judge=statement_rules.judge_statement,
        name=lambda row: f"Statement {row.id} ({row.name})",
    ),
    Check(
        label="postings",
        model=LedgerPosting,
        read=postings.posting_facts,
        judge=posting_rules.judge_posting,
        name=lambda row: f"Posting {row.id} ({row.key})",
    ),
    Check(
        label="balances",
        model=Affiliate,
        read=facts.balance_facts,
        judge=rules.judge_balance,
        name=lambda row: (
            f"The {row.account} balance of affiliate {row.affiliate_id} in {row.currency}"
        ),
    ),
]


def _sealed_check(model: type[Model], brand: str) -> Check:
    return Check(
        label="seals",
        model=model,
        read=deep.sealed_rows,
        judge=deep.judge_seal,
        name=lambda row: f"{str(model._meta.verbose_name).capitalize()} {row.pk}",
        brand=brand,
        at_once=DOCUMENTS_AT_ONCE,
    )


# The additional checks of a thorough verification.
DEEP_CHECKS: list[Check] = [
    Check(
        label="decisions made anew",
        model=OrderReferral,
        read=deep.decision_facts,
        judge=deep_rules.judge_decision,
        name=lambda row: f"Order {row.order_ref}",
        at_once=DOCUMENTS_AT_ONCE,
    ),
    Check(
        label="receipts computed anew",
        model=Commission,
        read=completeness.receipt_facts,
        judge=deep_rules.judge_receipt_sums,
        name=lambda row: f"Commission {row.id}",
        at_once=DOCUMENTS_AT_ONCE,
    ),
    Check(
        label="shares computed anew",
        model=Commission,
        read=shares.share_facts,
        judge=share_rules.judge_share_sums,
        name=lambda row: f"Commission {row.id}",
        at_once=DOCUMENTS_AT_ONCE,
    ),
    Check(
        label="tiers counted anew",
        model=Commission,
        read=tiers.tier_facts,
        judge=deep_rules.judge_tier,
        name=lambda row: f"Commission {row.id}",
        at_once=DOCUMENTS_AT_ONCE,
    ),
    Check(
        label="positions of sales",
        model=sales.Sale,
        read=positions.position_facts,
        judge=position_rules.judge_position,
        name=lambda row: f"Sale {row.id}",
    ),
    Check(
        label="lives of commissions",
        model=Commission,
        read=deep.life_facts,
        judge=deep_rules.judge_life,
        name=lambda row: f"Commission {row.id}",
        at_once=DOCUMENTS_AT_ONCE,
    ),
    Check(
        label="origins of postings",
        model=LedgerPosting,
        read=deep.posting_origins,
        judge=deep_rules.judge_posting_origin,
        name=lambda row: f"Posting {row.id} ({row.key})",
        at_once=DOCUMENTS_AT_ONCE,
    ),
    Check(
        label="joining bonuses",
        model=Affiliate,
        read=deep.joining_facts,
        judge=deep_rules.judge_joining,
        name=lambda row: f"Affiliate {row.id} ({row.code})",
        at_once=DOCUMENTS_AT_ONCE,
    ),
]


def all_checks(*, is_deep: bool) -> list[Check]:
    if not is_deep:
        return CHECKS
    seals = [_sealed_check(model, brand) for model, brand in deep.SEALED.items()]
    return [*CHECKS, *DEEP_CHECKS, *seals]
