"""What may never happen to plans and coupons is refused by the database itself."""

from __future__ import annotations

import pytest
from django.db import IntegrityError, transaction

from affiliates.plans.models.coupon import CouponCode, CouponCodeVersion
from affiliates.plans.models.plan import CommissionPlan, CommissionPlanVersion
from affiliates.plans.models.rule import PlanRule
from affiliates.plans.services import publish_plan
from tests.factories.plans import (
    PUBLISHED_AT,
    CommissionPlanFactory,
    CouponCodeFactory,
    PlanRuleFactory,
)
from tests.races import at_once, needs_postgresql


@pytest.fixture
def plan(brand) -> CommissionPlan:
    return CommissionPlanFactory(brand=brand, name="Standard")


def refuses(rows, **change: object) -> bool:
    before = list(rows.values())
    try:
        with transaction.atomic():
            rows.update(**change)
    except IntegrityError:
        assert list(rows.values()) == before
        return True
    return False


@pytest.mark.parametrize(
    "change",
    [
        {"rounding": "up"},
        {"cap_period": "week"},
        {"hold_days": 401},
        {"recruiter_percent": 101},
    ],
    ids=str,
)
def test_plan_of_unknown_terms(plan, change):
    assert refuses(CommissionPlan.objects.all(), **change)


@pytest.mark.parametrize(
    "change",
    [
        {"percent": 101},
        {"percent": -1},
        {"rate_kind": "half"},
        {"tier_period": "week"},
        {"position_from": -1},
        {"position_from": 3, "position_to": 2},
        {"months": 0},
    ],
    ids=str,
)
def test_rule_that_cannot_be_computed_with(plan, change):
    assert refuses(PlanRule.objects.all(), **change)


@pytest.mark.parametrize(
    "change",
    [
        {"code": "spring"},
        {"percent": 101},
        {"percent": -1},
        {"affiliate_funds_percent": 101},
    ],
    ids=str,
)
def test_coupon_that_cannot_be_found_or_computed_with(affiliate, change):
    CouponCodeFactory(affiliate=affiliate, code="SPRING")

    assert refuses(CouponCode.objects.all(), **change)


def test_a_second_default_plan_of_a_brand(plan):
    CommissionPlanFactory(brand=plan.brand, is_default=True)

    assert refuses(CommissionPlan.objects.filter(pk=plan.pk), is_default=True)


def test_two_versions_with_one_number(plan, affiliate):
    PlanRuleFactory(plan=plan, kind="setup", rate_kind="none")
    version = publish_plan(plan, now=PUBLISHED_AT)
    version.pk, version.number = None, 1

    with pytest.raises(IntegrityError), transaction.atomic():
        version.save()
    assert CommissionPlanVersion.objects.count() == 2


def test_two_versions_of_a_coupon_with_one_number(affiliate):
    version = CouponCodeFactory(affiliate=affiliate).versions.get()
    version.pk = None

    with pytest.raises(IntegrityError), transaction.atomic():
        version.save()
    assert CouponCodeVersion.objects.count() == 1


def test_terms_that_cannot_be_computed_with_are_not_published(plan):
    PlanRule.objects.update(rate_kind="fixed", fixed_amounts={"ZZZ": "5"})

    with pytest.raises(ValueError, match="ZZZ is no currency"):
        publish_plan(plan, now=PUBLISHED_AT)
    assert CommissionPlanVersion.objects.count() == 1


@needs_postgresql
@pytest.mark.django_db(transaction=True)
def test_an_edit_published_twenty_times_at_once_is_one_version(plan):
    PlanRuleFactory(plan=plan, kind="setup", rate_kind="none")

    made = at_once(20, lambda _: publish_plan(plan, now=PUBLISHED_AT).pk)

    assert len(set(made)) == 1
    assert plan.versions.count() == 2
