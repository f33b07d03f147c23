"""The recruiter's share of an affiliate's commission, written with it."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from datetime import datetime
from typing import Any

from affiliates.commissions.models import Commission, CommissionEvent, CommissionLine
from affiliates.commissions.rules import (
    WAITING,
    CommissionStatus,
    Judgement,
    StepReason,
    Why,
)
from affiliates.commissions.services.steps import first_events
from affiliates.plans.rules.shares import share_receipt
from affiliates.plans.rules.terms import PlanTerms
from affiliates.program.models import Affiliate
from affiliates.referrals.models import OrderReferral


def sharer_of(referral: OrderReferral, terms: PlanTerms) -> Affiliate | None:
    """Who gets a share of the order's commissions; never for their own order."""
    if not terms.recruiter_percent or referral.affiliate is None:
        return None
    sharer = referral.affiliate.sharer
    if sharer is None or sharer.user_id == referral.client_id:
        return None
    return sharer


def write_share(
    commission: Commission,
    sharer: Affiliate,
    terms: PlanTerms,
    judgement: Judgement,
    *,
    left: Callable[[int], int],
    now: datetime,
) -> list[CommissionEvent]:
    """Returns the first steps of the share, to be posted with its commission's.

    No share if checks forbid the commission or less than half a minor unit is due.
    ``left`` returns what refunds leave of an amount: a zero share is not approved.
    """
    version = commission.plan_version
    if version is None or judgement.status is CommissionStatus.REJECTED:
        return []
    receipt = share_receipt(
        commission_id=commission.pk,
        earned=commission.amount,
        currency=commission.currency,
        terms=terms,
        plan_name=version.plan.name,
        version_number=version.number,
    )
    if not receipt["amount"]:
        return []
    if judgement.status is CommissionStatus.HELD:
        judgement = Judgement(judgement.status, Why(StepReason.FOLLOWS))
    elif not left(receipt["amount"]):
        judgement = WAITING
    share = Commission.objects.create(
        brand_id=commission.brand_id,
        sale=commission.sale,
        affiliate=sharer,
        plan_version=version,
        share_of=commission,
        currency=commission.currency,
        amount=receipt["amount"],
        status=judgement.status,
        reason=judgement.why.reason,
        reason_details=dict(judgement.why.details),
        earned_at=commission.earned_at,
        matures_at=commission.matures_at,
    )
    CommissionLine.objects.create(
        commission=share, position=1, amount=share.amount, receipt=receipt
    )
    return first_events(share, _why_earned(share, receipt), judgement, now=now)


def _why_earned(share: Commission, receipt: Mapping[str, Any]) -> Why:
    inputs = receipt["inputs"]
    return Why(
        StepReason.SHARED,
        {
            "amount": share.amount,
            "currency": share.currency,
            "percent": inputs["percent"],
            "commission": inputs["commission"],
        },
    )
