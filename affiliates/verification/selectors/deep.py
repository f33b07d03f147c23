"""Facts for a thorough verification: seals, steps, and what each posting is for."""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Iterator, Mapping
from datetime import datetime
from typing import Any

from django.db.models import Count, F, Min, Model, QuerySet

from affiliates.brands.models.versions import AttributionPolicyVersion
from affiliates.commissions.models import (
    Adjustment,
    Commission,
    CommissionEvent,
    CommissionLine,
    CommissionReversal,
)
from affiliates.commissions.rules import JOINING_KEY
from affiliates.ledger.models import LedgerPosting
from affiliates.ledger.rules import PostingKind
from affiliates.payouts.models import (
    Payout,
    PayoutBatch,
    PayoutDestination,
    PayoutEvent,
    PayoutTerms,
)
from affiliates.payouts.statement_models import PayoutStatement
from affiliates.plans.models.coupon import CouponCodeVersion
from affiliates.plans.models.plan import CommissionPlanVersion
from affiliates.program.history_models import AffiliateTransfer
from affiliates.referrals.models import (
    ClientReferral,
    DecisionOverride,
    OrderCandidate,
    OrderReferral,
)
from affiliates.sales.models import (
    InvoicePayment,
    InvoiceRefund,
    RefundCancellation,
    Sale,
    SaleReversal,
)
from affiliates.seals import seal_field
from affiliates.verification.rules.deep import (
    PAYOUT_STEPS,
    Bonus,
    Cause,
    DecisionFacts,
    JoiningFacts,
    LifeFacts,
    Override,
    PostingOrigin,
    Step,
    cause_of,
)
from affiliates.verification.selectors.ranges import within

# Every table whose rows are sealed, with the way from there to the brand. Apps add
# their own in ``affiliates_hooks.py``.
SEALED: dict[type[Model], str] = {
    AttributionPolicyVersion: "brand_id",
    CommissionPlanVersion: "plan__brand_id",
    CouponCodeVersion: "coupon__brand_id",
    ClientReferral: "brand_id",
    OrderReferral: "brand_id",
    DecisionOverride: "referral__brand_id",
    InvoicePayment: "brand_id",
    InvoiceRefund: "brand_id",
    RefundCancellation: "brand_id",
    Sale: "brand_id",
    SaleReversal: "sale__brand_id",
    Commission: "brand_id",
    CommissionLine: "commission__brand_id",
    CommissionReversal: "commission__brand_id",
    CommissionEvent: "commission__brand_id",
    Adjustment: "brand_id",
    AffiliateTransfer: "source__brand_id",
    PayoutTerms: "brand_id",
    PayoutDestination: "affiliate__brand_id",
    PayoutBatch: "brand_id",
    Payout: "brand_id",
    PayoutEvent: "payout__brand_id",
    PayoutStatement: "brand_id",
}


OF_REFUNDS = (PostingKind.REVERSED, PostingKind.RESTORED)
NEVER_APPROVED: tuple[Mapping[str, int], str, None] = ({}, "", None)


def sealed_rows(rows: QuerySet[Any], ids: range) -> Iterator[Any]:
    yield from within(rows, ids)


def judge_seal(row: Any) -> Iterator[str]:
    field = seal_field(type(row))
    if field is None or (field.has_db_default() and not row.seal):
        return  # Written before its table had seals.
    if field.seal_of(row) != row.seal:
        yield "is not as it was written: something else than the product changed it."


def decision_facts(orders: QuerySet[Any], ids: range) -> Iterator[DecisionFacts]:
    overrides = defaultdict(list)
    for referral_id, *override in (
        within(DecisionOverride.objects.all(), ids, "referral_id")
        .order_by("pk")
        .values_list("referral_id", "affiliate_id", "reason", "at", "replaced")
    ):
        overrides[referral_id].append(Override(*override))
    candidates = defaultdict(set)
    for referral_id, affiliate_id in within(
        OrderCandidate.objects.order_by(), ids, "referral_id"
    ).values_list("referral_id", "affiliate_id"):
        candidates[referral_id].add(affiliate_id)
    rows = within(orders, ids).values_list(
        "pk",
        "order_ref",
        "reason",
        "click_id",
        "touched_at",
        "affiliate_id",
        "decision",
    )
    for row in rows:
        yield DecisionFacts._make((*row, overrides[row[0]], candidates[row[0]]))


def posting_origins(postings: QuerySet[Any], ids: range) -> Iterator[PostingOrigin]:
    rows = list(
        within(postings, ids).values_list(
            "pk",
            "key",
            "posted_at",
            "kind",
            "commission_id",
            "payout_id",
            "adjustment__key",
            "adjustment__at",
        )
    )
    commission_ids = {row[4] for row in rows if row[4] is not None}
    steps = _numbered(CommissionEvent, "pk", "at", commission_ids)
    reversals = _numbered(
        CommissionReversal, "sale_reversal_id", "recorded_at", commission_ids
    )
    payouts = _payout_causes({row[5] for row in rows if row[5] is not None})
    for pk, key, posted_at, kind, commission_id, payout_id, *adjusted in rows:
        if adjusted[0] is not None:
            cause = Cause(f"adjustment:{adjusted[0]}", adjusted[1])
            yield PostingOrigin(pk, key, posted_at, [cause])
            continue
        found = reversals if kind in OF_REFUNDS else steps
        causes = [
            cause_of(commission_id, kind, number, at)
            for number, at in found[commission_id]
        ]
        yield PostingOrigin(pk, key, posted_at, causes or payouts[payout_id, kind])


def _numbered(
    model: type[Model], number: str, at: str, commission_ids: set[int]
) -> dict[int, list[tuple[int, datetime]]]:
    found: dict[int, list[tuple[int, datetime]]] = defaultdict(list)
    rows = model._base_manager.filter(commission_id__in=commission_ids)
    for commission_id, *cause in rows.values_list("commission_id", number, at):
        found[commission_id].append((cause[0], cause[1]))
    return found


def _payout_causes(payout_ids: set[int]) -> dict[tuple[int, str], list[Cause]]:
    causes: dict[tuple[int, str], list[Cause]] = defaultdict(list)
    # The first of two approvals leaves the status as it is, and posts nothing.
    steps = PayoutEvent.objects.filter(payout_id__in=payout_ids).exclude(
        before=F("after")
    )
    for payout_id, after, at in steps.values_list("payout_id", "after", "at"):
        for kind, status in PAYOUT_STEPS.items():
            if status == after:
                cause = Cause(f"payout:{payout_id}:{kind}", at)
                causes[payout_id, kind].append(cause)
    return causes


def joining_facts(affiliates: QuerySet[Any], ids: range) -> Iterator[JoiningFacts]:
    given = defaultdict(list)
    for affiliate_id, *bonus in (
        within(Adjustment.objects.all(), ids, "affiliate_id")
        .filter(key__startswith=JOINING_KEY.format(""))
        .order_by("pk")
        .values_list("affiliate_id", "key", "kind", "currency", "amount", "at")
    ):
        given[affiliate_id].append(Bonus(*bonus))
    approved = LedgerPosting.objects.filter(
        kind=PostingKind.APPROVED, commission__share_of__isnull=True
    )
    firsts = (
        within(approved, ids, "commission__affiliate_id")
        .values_list("commission__affiliate_id")
        .annotate(first=Min("pk"))
    )
    facts = {
        affiliate_id: (terms.get("joining_bonus", {}), currency, posted_at)
        for affiliate_id, terms, currency, posted_at in LedgerPosting.objects.filter(
            pk__in=[first for _, first in firsts]
        )
        .order_by()
        .values_list(
            "commission__affiliate_id",
            "commission__plan_version__terms",
            "commission__currency",
            "posted_at",
        )
    }
    for pk, code in within(affiliates, ids).values_list("pk", "code"):
        yield JoiningFacts(pk, code, given[pk], *facts.get(pk, NEVER_APPROVED))


def life_facts(commissions: QuerySet[Any], ids: range) -> Iterator[LifeFacts]:
    steps = defaultdict(list)
    for pk, *step in (
        within(CommissionEvent.objects.all(), ids, "commission_id")
        .order_by("pk")
        .values_list("commission_id", "before", "after", "at")
    ):
        steps[pk].append(Step(*step))
    reversals = defaultdict(list)
    for pk, amount, at in within(
        CommissionReversal.objects.all(), ids, "commission_id"
    ).values_list("commission_id", "amount", "recorded_at"):
        reversals[pk].append((amount, at))
    rows = within(commissions, ids).values_list(
        "pk",
        "status",
        Count("sale__reversals"),
        "payout_id",
        "payout__requested_at",
        "payout__finished_at",
    )
    for pk, status, sale_reversal_count, *payout in rows:
        yield LifeFacts(
            pk,
            status,
            steps[pk],
            [at for amount, at in reversals[pk] if amount],
            sale_reversal_count,
            len(reversals[pk]),
            *payout,
        )
