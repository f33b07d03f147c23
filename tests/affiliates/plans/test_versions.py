"""Saving a plan or a coupon makes a version, and orders stay with theirs."""

from __future__ import annotations

from datetime import datetime, timedelta
from decimal import Decimal

import pytest

from affiliates.plans.models.coupon import CouponCodeVersion
from affiliates.plans.models.plan import CommissionPlan, CommissionPlanVersion
from affiliates.plans.rules.computation import compute_commission
from affiliates.plans.rules.matching import LineFacts, SaleFacts
from affiliates.plans.rules.terms import CouponTerms
from affiliates.plans.selectors import (
    coupon_terms,
    find_coupon,
    plan_version_for,
    terms_of,
)
from affiliates.plans.services import publish_coupon, publish_plan
from affiliates.program.rules import AffiliateStatus
from tests.factories.affiliates import AffiliateFactory, BrandFactory
from tests.factories.plans import (
    PUBLISHED_AT,
    AffiliateGroupFactory,
    CommissionPlanFactory,
    CouponCodeFactory,
    PlanRuleFactory,
)

LATER = PUBLISHED_AT + timedelta(days=10)


@pytest.fixture
def plan(brand) -> CommissionPlan:
    return CommissionPlanFactory(brand=brand)


def edit(plan: CommissionPlan, *, now: datetime, percent: int = 20):
    rule = plan.rules.get()
    rule.percent = percent
    rule.save(update_fields=["percent"])
    return publish_plan(plan, now=now)


def test_first_version_holds_every_term_of_the_plan(brand):
    plan = CommissionPlanFactory(
        brand=brand,
        hold_days=45,
        hold_days_by_cycle={"monthly": 90},
        cap_period="month",
        cap_amounts={"EUR": "500.00"},
        rules=[
            {"kind": "hosting", "rate_kind": "fixed", "fixed_amounts": {"KWD": "1.500"}}
        ],
    )

    version = plan.versions.get()

    assert (version.number, version.effective_from) == (1, PUBLISHED_AT)
    assert version.digest == plan.to_terms().digest
    assert version.terms == {
        "rules": [
            {
                "affiliate_id": None,
                "product_ref": "",
                "kind": "hosting",
                "tld": "",
                "operation": "",
                "billing_cycle": "",
                "position_from": 0,
                "position_to": None,
                "months": None,
                "rate_kind": "fixed",
                "percent": "0",
                "fixed_amounts": {"KWD": 1500},
            }
        ],
        "hold_days": 45,
        "hold_days_by_cycle": {"monthly": 90},
        "needs_active_service": False,
        "approves_itself": True,
        "counts_discount": False,
        "counts_credit": False,
        "allows_paid_ads": True,
        "rounding": "half_up",
        "cap_period": "month",
        "cap_amounts": {"EUR": 50000},
    }
    assert terms_of(version) == plan.to_terms()


def test_version_names_the_joining_bonus_where_there_is_one(brand):
    plan = CommissionPlanFactory(brand=brand, joining_bonus={"EUR": "25.00"})

    version = plan.versions.get()

    assert version.terms["joining_bonus"] == {"EUR": 2500}
    assert terms_of(version) == plan.to_terms()


def test_version_names_the_share_of_recruiters_where_there_is_one(brand):
    plan = CommissionPlanFactory(brand=brand, recruiter_percent=Decimal("12.500"))

    version = plan.versions.get()

    assert version.terms["recruiter_percent"] == "12.5"
    assert terms_of(version) == plan.to_terms()


def test_publishing_the_same_terms_again_adds_nothing(plan):
    first = plan.versions.get()

    again = publish_plan(plan, now=LATER)

    assert again == first
    assert plan.versions.count() == 1


def test_renaming_a_plan_adds_nothing(plan):
    plan.name = "Another name"
    plan.save()

    publish_plan(plan, now=LATER)

    assert plan.versions.count() == 1


@pytest.mark.parametrize(
    "change",
    [
        {"hold_days": 0},
        {"rounding": "down"},
        {"approves_itself": False},
        {"cap_period": "year", "cap_amounts": {"EUR": "1.00"}},
        {"joining_bonus": {"EUR": "1.00"}},
        {"recruiter_percent": "0.001"},
    ],
    ids=lambda change: next(iter(change)),
)
def test_changed_terms_add_a_version_and_leave_the_first_as_it_was(plan, change):
    before = CommissionPlanVersion.objects.values().get()
    CommissionPlan.objects.filter(pk=plan.pk).update(**change)

    version = publish_plan(plan, now=LATER)

    assert (version.number, version.effective_from) == (2, LATER)
    assert plan.versions.values().get(number=1) == before


@pytest.mark.parametrize("what", ["added", "removed", "changed"])
def test_a_rule_added_removed_or_changed_adds_a_version(plan, what):
    match what:
        case "added":
            PlanRuleFactory(plan=plan, kind="setup", rate_kind="none")
        case "removed":
            plan.rules.get().delete()
        case "changed":
            plan.rules.update(percent=Decimal("10.001"))

    assert publish_plan(plan, now=LATER).number == 2


def test_terms_that_come_back_are_a_version_of_their_own(plan):
    edit(plan, now=LATER, percent=20)

    version = edit(plan, now=LATER + timedelta(days=1), percent=10)

    assert version.number == 3


def test_a_clock_that_went_back_does_not_hide_the_newest_version(plan):
    edit(plan, now=LATER)

    version = edit(plan, now=PUBLISHED_AT, percent=30)

    assert (version.number, version.effective_from) == (3, LATER)


@pytest.mark.parametrize(
    ("_case", "at", "number"),
    [
        ("before the plan", PUBLISHED_AT - timedelta(days=1), 1),
        ("the moment it began", PUBLISHED_AT, 1),
        ("just before the edit", LATER - timedelta(microseconds=1), 1),
        ("the moment of the edit", LATER, 2),
        ("long after", LATER + timedelta(days=999), 2),
    ],
)
def test_an_order_stays_with_the_version_of_its_time(
    plan, affiliate, _case, at, number
):
    CommissionPlan.objects.update(is_default=True)
    edit(plan, now=LATER)

    assert plan_version_for(affiliate, at=at).number == number


def test_editing_a_plan_after_the_order_changes_nothing_of_its_commission(
    plan, affiliate, now
):
    affiliate.plan = plan
    sale = SaleFacts(
        currency="EUR",
        renewal_number=0,
        position=0,
        ordered_at=now,
        paid_at=now + timedelta(days=2),
        affiliate_id=affiliate.pk,
        lines=(LineFacts(position=1, kind="hosting", net=10000),),
    )

    def compute():
        version = plan_version_for(affiliate, at=sale.ordered_at)
        return compute_commission(
            sale,
            terms=terms_of(version),
            plan_name=version.plan.name,
            version_number=version.number,
        )

    before = compute()
    edit(plan, now=now + timedelta(days=1))
    CommissionPlan.objects.update(hold_days=0, rounding="down")
    publish_plan(plan, now=now + timedelta(days=1))

    assert before.amount == 1000
    assert compute() == before


@pytest.mark.parametrize(
    ("of_affiliate", "of_group", "of_brand", "expected"),
    [
        (True, True, True, "own"),
        (True, False, False, "own"),
        (False, True, True, "group"),
        (False, True, False, "group"),
        (False, False, True, "default"),
        (False, False, False, None),
    ],
)
def test_plan_is_the_affiliates_then_the_groups_then_the_brands(
    brand, affiliate, now, of_affiliate, of_group, of_brand, expected
):
    plans = {
        name: CommissionPlanFactory(brand=brand, name=name)
        for name in ("own", "group", "default")
    }
    affiliate.plan = plans["own"] if of_affiliate else None
    group_plan = plans["group"] if of_group else None
    affiliate.group = AffiliateGroupFactory(brand=brand, plan=group_plan)
    CommissionPlan.objects.filter(name="default").update(is_default=of_brand)

    version = plan_version_for(affiliate, at=now)

    assert (version and version.plan.name) == expected


def test_another_brands_default_plan_is_nobodys(affiliate, now):
    other = BrandFactory(client_area="other.example.com")
    CommissionPlanFactory(brand=other, is_default=True)

    assert plan_version_for(affiliate, at=now) is None


@pytest.mark.parametrize("has_own", [True, False])
def test_finding_the_version_takes_one_query(
    plan, affiliate, now, django_assert_num_queries, has_own
):
    CommissionPlan.objects.update(is_default=True)
    affiliate.plan = plan if has_own else None
    affiliate.group = AffiliateGroupFactory(brand=affiliate.brand)

    with django_assert_num_queries(1):
        assert plan_version_for(affiliate, at=now).plan.name == plan.name


@pytest.mark.parametrize(
    ("codes", "expected"),
    [
        (["SPRING"], "SPRING"),
        ([" spring "], "SPRING"),
        (["unknown", "autumn", "spring"], "AUTUMN"),
        (["switched-off", "spring"], "SPRING"),
        (["of-suspended"], None),
        (["of-other-brand"], None),
        ([""], None),
        (["x" * 5000], None),
        ([], None),
    ],
)
def test_first_code_that_counts_is_the_orders_coupon(affiliate, host, codes, expected):
    other = BrandFactory(client_area="other.example.com")
    suspended = AffiliateFactory(
        brand=affiliate.brand,
        user=host.client(affiliate.brand, email="suspended@example.com"),
        status=AffiliateStatus.SUSPENDED,
    )
    stranger = AffiliateFactory(
        brand=other, user=host.client(other, email="stranger@example.com")
    )
    CouponCodeFactory(affiliate=affiliate, code="SPRING")
    CouponCodeFactory(affiliate=affiliate, code="AUTUMN")
    CouponCodeFactory(affiliate=affiliate, code="SWITCHED-OFF", is_active=False)
    CouponCodeFactory(affiliate=suspended, code="OF-SUSPENDED")
    CouponCodeFactory(affiliate=stranger, code="OF-OTHER-BRAND")

    found = find_coupon(brand_id=affiliate.brand_id, codes=codes)

    assert (found and (found.code, found.affiliate.code)) == (
        expected and (expected, "partner")
    )


def test_no_codes_cost_no_query(brand, django_assert_num_queries):
    with django_assert_num_queries(0):
        assert find_coupon(brand_id=brand.pk, codes=()) is None


def test_an_order_stays_with_the_coupons_terms_of_its_time(affiliate, host):
    coupon = CouponCodeFactory(affiliate=affiliate, code="SPRING", percent=25)
    coupon.percent = Decimal(5)
    coupon.affiliate_funds_percent = Decimal("12.5")
    coupon.save()
    publish_coupon(coupon, now=LATER)
    publish_coupon(coupon, now=LATER + timedelta(days=1))

    def terms(at):
        return coupon_terms(
            brand_id=affiliate.brand_id,
            code="Spring",
            affiliate_id=affiliate.pk,
            at=at,
        )

    assert terms(PUBLISHED_AT) == CouponTerms(code="SPRING", percent=Decimal(25))
    assert terms(LATER) == CouponTerms(
        code="SPRING", percent=Decimal(5), affiliate_funds_percent=Decimal("12.5")
    )
    assert CouponCodeVersion.objects.count() == 2


def test_a_coupons_terms_are_its_owners_alone(affiliate, host, now):
    other = AffiliateFactory(
        brand=affiliate.brand, user=host.client(affiliate.brand, email="b@example.com")
    )
    coupon = CouponCodeFactory(affiliate=affiliate, code="SPRING", percent=25)
    coupon.affiliate = other
    coupon.save()
    publish_coupon(coupon, now=LATER)
    before, after = LATER - timedelta(days=1), LATER

    def has_terms(of, at):
        found = coupon_terms(
            brand_id=affiliate.brand_id, code="SPRING", affiliate_id=of.pk, at=at
        )
        return found is not None

    assert [has_terms(affiliate, before), has_terms(affiliate, after)] == [True, False]
    assert [has_terms(other, before), has_terms(other, after)] == [False, True]
