"""The writers of versions: what is earned by, once orders were made, is never edited."""

from __future__ import annotations

from datetime import datetime

from django.db import transaction

from affiliates.core.versions import publish
from affiliates.plans.models.coupon import CouponCode, CouponCodeVersion
from affiliates.plans.models.plan import CommissionPlan, CommissionPlanVersion


@transaction.atomic
def publish_plan(plan: CommissionPlan, *, now: datetime) -> CommissionPlanVersion:
    """Make what the plan says now a version, unless its latest says the same.

    To be called in the transaction that saved the plan or its rules.
    """
    plan = CommissionPlan.objects.select_for_update(no_key=True).get(pk=plan.pk)
    version: CommissionPlanVersion = publish(plan.versions, plan.to_terms(), now=now)
    return version


@transaction.atomic
def publish_coupon(coupon: CouponCode, *, now: datetime) -> CouponCodeVersion:
    """Make the coupon's terms and owner a version, unless its latest has the same.

    To be called in the transaction that saved the coupon.
    """
    coupon = CouponCode.objects.select_for_update(no_key=True).get(pk=coupon.pk)
    version: CouponCodeVersion = publish(
        coupon.versions, coupon.to_terms(), affiliate_id=coupon.affiliate_id, now=now
    )
    return version
