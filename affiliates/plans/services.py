"""The writers of versions: what is earned by, once orders were made, is never edited."""

from __future__ import annotations

from datetime import datetime

from django.db import transaction

from affiliates.core.versions import next_version
from affiliates.plans.models.coupon import CouponCode, CouponCodeVersion
from affiliates.plans.models.plan import CommissionPlan, CommissionPlanVersion


@transaction.atomic
def publish_plan(plan: CommissionPlan, *, now: datetime) -> CommissionPlanVersion:
    """Make what the plan says now a version, unless its latest says the same.

    To be called in the transaction that saved the plan or its rules.
    """
    plan = CommissionPlan.objects.select_for_update(no_key=True).get(pk=plan.pk)
    terms = plan.to_terms()
    latest = plan.versions.order_by("-number").first()
    if latest is not None and latest.digest == terms.digest:
        return latest
    number, effective_from = next_version(latest, now=now)
    return CommissionPlanVersion.objects.create(
        plan=plan,
        number=number,
        terms=terms.to_json(),
        digest=terms.digest,
        effective_from=effective_from,
    )


@transaction.atomic
def publish_coupon(coupon: CouponCode, *, now: datetime) -> CouponCodeVersion:
    """Make the coupon's terms and owner a version, unless its latest has the same.

    To be called in the transaction that saved the coupon.
    """
    coupon = CouponCode.objects.select_for_update(no_key=True).get(pk=coupon.pk)
    terms = coupon.to_terms()
    latest = coupon.versions.order_by("-number").first()
    said = (terms.digest, coupon.affiliate_id)
    if latest is not None and (latest.digest, latest.affiliate_id) == said:
        return latest
    number, effective_from = next_version(latest, now=now)
    return CouponCodeVersion.objects.create(
        coupon=coupon,
        number=number,
        affiliate_id=coupon.affiliate_id,
        terms=terms.to_json(),
        digest=terms.digest,
        effective_from=effective_from,
    )
