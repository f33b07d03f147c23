"""The plan that an affiliate earns by, and the affiliate of a coupon code."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace
from datetime import datetime
from typing import TypeVar

from django.db.models import Case, F, Q, QuerySet, Subquery, When

from affiliates.plans.models.coupon import CouponCode, CouponCodeVersion
from affiliates.plans.models.plan import CommissionPlan, CommissionPlanVersion
from affiliates.plans.rules.matching import normal_coupon_code
from affiliates.plans.rules.messages import describe_terms
from affiliates.plans.rules.terms import CouponTerms, PlanTerms
from affiliates.program.models import Affiliate
from affiliates.program.rules import AffiliateStatus

MAX_COUPONS = 20

Version = TypeVar("Version", CommissionPlanVersion, CouponCodeVersion)


def plan_version_for(
    affiliate: Affiliate, *, at: datetime
) -> CommissionPlanVersion | None:
    """The version for the affiliate's orders of that time, with its plan, or None.

    Its own plan, else its group's, else the brand's default plan. The version is the
    latest of that time, or the plan's first for an order from before the plan. One
    query.
    """
    plan = affiliate.plan_id or Subquery(_shared_plans(affiliate).values("pk")[:1])
    versions = CommissionPlanVersion.objects.filter(plan_id=plan)
    return _in_force(versions, at=at).select_related("plan").first()


def terms_of(version: CommissionPlanVersion) -> PlanTerms:
    return PlanTerms.from_json(version.terms)


def own_terms(affiliate: Affiliate, *, at: datetime) -> PlanTerms | None:
    """Terms of a possibly unsaved affiliate, without other affiliates' overrides."""
    version = plan_version_for(affiliate, at=at)
    if version is None:
        return None
    terms = terms_of(version)
    own = [rule for rule in terms.rules if rule.affiliate_id in (None, affiliate.pk)]
    return replace(terms, rules=tuple(own))


def rates_in_words(affiliate: Affiliate, *, at: datetime) -> tuple[str, ...]:
    terms = own_terms(affiliate, at=at)
    names = {affiliate.pk: affiliate.code} if affiliate.pk else {}
    return () if terms is None else describe_terms(terms, affiliates=names)


def find_coupon(*, brand_id: int, codes: Sequence[str]) -> CouponCode | None:
    """The first of the typed codes that is an affiliate's and active today."""
    wanted = [normal_coupon_code(code) for code in codes[:MAX_COUPONS]]
    if not wanted:
        return None
    coupons = CouponCode.objects.filter(
        brand_id=brand_id,
        code__in=wanted,
        is_active=True,
        affiliate__status=AffiliateStatus.ACTIVE,
    )
    return min(coupons, key=lambda coupon: wanted.index(coupon.code), default=None)


def coupon_terms(
    *, brand_id: int, code: str, affiliate_id: int, at: datetime
) -> CouponTerms | None:
    """Returns the coupon's terms for the affiliate and an order of that time, or None.

    Also None if the coupon was another affiliate's: its terms are not theirs.
    """
    if not code:
        return None
    versions = CouponCodeVersion.objects.filter(
        coupon__brand_id=brand_id, coupon__code=normal_coupon_code(code)
    )
    version = _in_force(versions, at=at).first()
    if version is None or version.affiliate_id != affiliate_id:
        return None
    return CouponTerms.from_json(version.terms)


def _shared_plans(affiliate: Affiliate) -> QuerySet[CommissionPlan]:
    """The plan of the affiliate's group, then the brand's default plan."""
    of_group = Q(groups=affiliate.group_id)
    of_brand = Q(brand_id=affiliate.brand_id, is_default=True)
    plans = CommissionPlan.objects.filter(of_group | of_brand)
    if affiliate.group_id is None:
        plans = CommissionPlan.objects.filter(of_brand)
    return plans.order_by(Case(When(of_group, then=0), default=1))


def _in_force(versions: QuerySet[Version], *, at: datetime) -> QuerySet[Version]:
    """The latest version of that time first; the very first if it had none yet."""
    begun = When(effective_from__lte=at, then=F("number"))
    return versions.order_by(Case(begun, default=-F("number")).desc())
