"""Every sealed row, compared with its seal."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any

from django.db.models import Model, QuerySet

from affiliates.brands.models.versions import AttributionPolicyVersion
from affiliates.commissions.forfeit_models import ForfeitDeduction, ForfeitedAmount
from affiliates.commissions.models import (
    Adjustment,
    Commission,
    CommissionEvent,
    CommissionLine,
    CommissionReversal,
)
from affiliates.db.seals import seal_field
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
from affiliates.privacy.erasure.models import Erasure
from affiliates.program.history_models import AffiliateDeparture, AffiliateTransfer
from affiliates.referrals.models import (
    ClientReferral,
    DecisionOverride,
    OrderReferral,
)
from affiliates.sales.models import (
    InvoicePayment,
    InvoiceRefund,
    RefundCancellation,
    Sale,
    SaleReversal,
)
from affiliates.verification.faults import DOCUMENTS_AT_ONCE, Check, RowFaults

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
    AffiliateDeparture: "affiliate__brand_id",
    ForfeitedAmount: "departure__affiliate__brand_id",
    ForfeitDeduction: "forfeited__departure__affiliate__brand_id",
    Erasure: "brand_id",
    PayoutTerms: "brand_id",
    PayoutDestination: "affiliate__brand_id",
    PayoutBatch: "brand_id",
    Payout: "brand_id",
    PayoutEvent: "payout__brand_id",
    PayoutStatement: "brand_id",
}


def judge_seal(row: Any) -> Iterator[str]:
    field = seal_field(type(row))
    if field is not None and field.seal_of(row) != row.seal:
        yield "is not as it was written: something else than the product changed it."


def _seals(rows: QuerySet[Any], _ids: range) -> RowFaults:
    name = str(rows.model._meta.verbose_name).capitalize()
    for row in rows:
        yield f"{name} {row.pk}", judge_seal(row)


def seal_checks() -> list[Check]:
    return [
        Check(
            label="seals",
            model=model,
            rules=(_seals,),
            brand=brand,
            at_once=DOCUMENTS_AT_ONCE,
            reads=((model, "id"),),
        )
        for model, brand in SEALED.items()
    ]
