"""The writers of versions: what is earned by, once orders were made, is never edited."""

from __future__ import annotations

from datetime import datetime
from decimal import Decimal
from typing import TypeVar

from django.db import transaction
from django.db.models import Model

from affiliates.brands.models.brand import Brand
from affiliates.brands.models.domain import BrandDomain
from affiliates.core.versions import publish
from affiliates.plans.models.coupon import CouponCode, CouponCodeVersion
from affiliates.plans.models.plan import CommissionPlan, CommissionPlanVersion
from affiliates.plans.models.rule import PlanRule

FIRST_PLAN = "Standard"

Row = TypeVar("Row", bound=Model)


@transaction.atomic
def start_program(
    *, brand_name: str, host: str, percent: Decimal, hold_days: int, now: datetime
) -> CommissionPlan:
    """Make what must exist before anything earns: a brand, its client area, a plan.

    Every line of every invoice earns ``percent``; the brand's pages are at ``host``, over
    http where it names a port. Raises Django's ValidationError for what the admin
    would refuse too.
    """
    scheme = "http" if ":" in host else "https"
    home = f"{scheme}://{host}/"
    brand = _checked(Brand(name=brand_name, default_redirect_url=home))
    _checked(BrandDomain(brand=brand, host=host))
    plan = _checked(
        CommissionPlan(
            brand=brand, name=FIRST_PLAN, is_default=True, hold_days=hold_days
        )
    )
    _checked(PlanRule(plan=plan, percent=percent))
    publish_plan(plan, now=now)
    return plan


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


def _checked(row: Row) -> Row:
    """The row, saved if the admin would save it."""
    row.full_clean()
    row.save()
    return row
