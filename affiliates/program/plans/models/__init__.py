"""Commission plans and their immutable versions, who is on which, and coupon codes."""

from __future__ import annotations

from affiliates.program.plans.models.coupon import CouponCode, CouponCodeVersion
from affiliates.program.plans.models.group import AffiliateGroup
from affiliates.program.plans.models.plan import CommissionPlan, CommissionPlanVersion
from affiliates.program.plans.models.rule import PlanRule

__all__ = [
    "AffiliateGroup",
    "CommissionPlan",
    "CommissionPlanVersion",
    "CouponCode",
    "CouponCodeVersion",
    "PlanRule",
]
