"""Orders of every kind by the rules of today and of a draft."""

from __future__ import annotations

from datetime import timedelta
from decimal import Decimal

import pytest
from moneyed import Money

from affiliates.brands.rules import ClaimPolicy
from affiliates.commissions.services.maturing import mature_due
from affiliates.contrib.what_if.draft import draft_of
from affiliates.contrib.what_if.report import caveats, cost_rows, csv_row
from affiliates.contrib.what_if.simulate import SimulatedOutcome, simulate
from affiliates.errors import InvalidInput
from affiliates.plans.models.plan import CommissionPlan
from affiliates.program.rules import AffiliateStatus
from affiliates.referrals.rules.decision import decide
from affiliates.referrals.rules.types import Coupon, Sender
from tests.affiliates.till import order_of
from tests.factories.affiliates import AffiliateFactory, BrandFactory
from tests.factories.decisions import make_external, make_inputs, make_touch
from tests.factories.ledger import (
    NOW,
    InvoicePaymentFactory,
    InvoiceRefundFactory,
    OrderReferralFactory,
)
from tests.factories.plans import (
    AffiliateGroupFactory,
    CommissionPlanFactory,
    CouponCodeFactory,
)

pytestmark = pytest.mark.django_db
DAY = timedelta(days=1)


@pytest.fixture
def plan(brand) -> CommissionPlan:
    """10 % of everything, for everybody."""
    return CommissionPlanFactory(brand=brand, name="Basic", is_default=True)


@pytest.fixture
def partner(affiliate, plan):
    return affiliate


@pytest.fixture
def rival(brand, host, plan):
    user = host.client(brand, email="rival@example.com")
    return AffiliateFactory(brand=brand, user=user, code="rival")


@pytest.fixture
def order(brand, host):
    """A paid order of 100.00 EUR net, as it was decided."""
    client = host.client(brand, email="client@example.com")

    def order(*touches, is_paid=True, discount="0", **facts):
        referral = OrderReferralFactory(
            brand=brand,
            client=client,
            made=decide(make_inputs(*touches, now=NOW, **facts)),
        )
        if is_paid:
            InvoicePaymentFactory(
                brand=brand,
                order_ref=referral.order_ref,
                invoice_ref=referral.invoice_ref,
                discount=discount,
            )
        return referral

    return order


@pytest.fixture
def run(brand):
    def run(changes=None, **plans):
        outcome = SimulatedOutcome()
        made = simulate(
            brand,
            draft_of(brand, changes=changes or {}, **plans),
            first=NOW - DAY,
            last=NOW + DAY,
            outcome=outcome,
        )
        return [change for change in made if change is not None], outcome

    return run


def clicked(affiliate, ago, **facts):
    return make_touch(
        ago, affiliate.pk, now=NOW, affiliate_code=affiliate.code, **facts
    )


def test_both_reasons_and_what_became_of_the_click_are_told(order, run, partner, rival):
    order(clicked(partner, 3 * DAY), clicked(rival, DAY))

    [change], _ = run({"attribution_policy": "first_click"})

    assert csv_row(change)[2:] == (
        "rival",
        "partner",
        "10.00 EUR",
        "10.00 EUR",
        "The last click inside the window wins. Earns by Basic version 1.",
        "The first click inside the window wins. Earns by Basic version 1. "
        "rival: An earlier click won.",
    )


def test_order_outside_a_shorter_window_goes_to_nobody(order, run, partner):
    order(clicked(partner, 3 * DAY))

    [change], outcome = run({"attribution_window_days": 2})

    assert change.after.winner == "nobody"
    assert change.loss == "Older than the attribution window"
    assert [row[1:] for row in cost_rows(outcome)] == [
        ("partner", "€10.00", "€0.00", "-€10.00"),
        ("All together", "€10.00", "€0.00", "-€10.00"),
    ]


def test_self_referral_counts_as_earned_and_is_said_to_be_held(order, run, partner):
    order(clicked(partner, 3 * DAY, is_self=True))

    [change], _ = run({"own_program": False})

    assert change.before.amounts == {"EUR": 1000}
    assert csv_row(change)[6] == (
        "The affiliate is the client or shares the client's e-mail address. "
        "Held for review. Earns by Basic version 1."
    )
    assert change.after.winner == "nobody"


def test_held_order_that_stays_held_is_no_change(order, run, partner):
    order(clicked(partner, 3 * DAY, is_self=True))

    assert run({"attribution_policy": "first_click"})[0] == []


def test_coupon_earns_by_its_own_rate_where_its_owner_is_credited(
    order, run, partner, rival
):
    CouponCodeFactory(affiliate=partner, code="SUMMER", percent=Decimal(5))
    sender = Sender(partner.pk, "partner", AffiliateStatus.ACTIVE, is_self=False)
    order(clicked(rival, DAY), coupon=Coupon(code="SUMMER", sender=sender))

    [change], _ = run({"coupon_over_link": False})

    assert (change.before.winner, change.before.amounts) == ("partner", {"EUR": 500})
    assert (change.after.winner, change.after.amounts) == ("rival", {"EUR": 1000})
    assert change.loss == "A click won over the code"


def test_both_own_affiliate_and_integration_may_be_credited(order, run, partner):
    order(
        clicked(partner, 3 * DAY),
        external=[make_external(DAY, now=NOW)],
        claim_policy=ClaimPolicy.OWN,
    )

    [change], _ = run({"claim_policy": "both"})

    assert change.before.winner == "tracking integration"
    assert change.after.winner == "partner and tracking integration"
    assert change.after.amounts == {"EUR": 1000}


def test_affiliate_without_a_plan_earns_nothing(brand, order, run, affiliate):
    order(clicked(affiliate, 3 * DAY))
    plan = CommissionPlanFactory(brand=brand)

    [change], _ = run(plan=plan)

    assert csv_row(change)[4:6] == ("nothing", "10.00 EUR")
    assert "Is on no plan." in csv_row(change)[6]


def test_a_plan_that_earns_nothing_either_is_no_change(brand, order, run, affiliate):
    order(clicked(affiliate, 3 * DAY))
    plan = CommissionPlanFactory(brand=brand, rules=[])

    assert run(plan=plan)[0] == []


def test_plan_of_the_group_comes_before_the_default(brand, order, run, partner):
    group_plan = CommissionPlanFactory(brand=brand, rules=[{"percent": 30}])
    partner.group = AffiliateGroupFactory(brand=brand, plan=group_plan)
    partner.save()
    order(clicked(partner, 3 * DAY))

    [change], _ = run({"own_program": False})

    assert change.before.amounts == {"EUR": 3000}


def test_only_what_is_a_sale_of_the_order_counts(brand, order, run, partner):
    referral = order(clicked(partner, 3 * DAY))
    InvoicePaymentFactory(brand=brand, order_ref=referral.order_ref)

    [change], _ = run({"own_program": False})

    assert change.before.amounts == {"EUR": 1000}


def test_initial_invoice_is_known_by_its_own_reference(brand, order, run, partner):
    referral = order(clicked(partner, 3 * DAY), is_paid=False)
    InvoicePaymentFactory(
        brand=brand, invoice_ref=referral.invoice_ref, order_ref="other"
    )

    [change], _ = run({"own_program": False})

    assert change.before.amounts == {"EUR": 1000}


def test_other_brands_orders_and_refunds_count_for_nothing(
    brand, order, run, partner, host
):
    referral = order(clicked(partner, 3 * DAY))
    other = BrandFactory(client_area="other.example.com")
    foreign = OrderReferralFactory(
        brand=other,
        client=host.client(other, email="client@example.com"),
        order_ref=referral.order_ref,
        invoice_ref=referral.invoice_ref,
        made=decide(make_inputs(clicked(partner, DAY), now=NOW)),
    )
    InvoicePaymentFactory(
        brand=other,
        order_ref=foreign.order_ref,
        invoice_ref=foreign.invoice_ref,
        gross=Money("999.00", "EUR"),
    )
    InvoiceRefundFactory(brand=other, invoice_ref=foreign.invoice_ref)

    changes, outcome = run({"own_program": False})

    assert [change.referral_id for change in changes] == [referral.pk]
    assert outcome.looked_at == 1
    assert outcome.totals() == {"EUR": [1000, 0]}


def test_affiliate_who_was_renamed_is_one_affiliate(order, run, partner):
    order(clicked(partner, 3 * DAY)._replace(affiliate_code="former"))
    order(clicked(partner, 3 * DAY))

    _, outcome = run({"own_program": False})

    assert [(row.affiliate_id, row.name) for row in cost_rows(outcome)] == [
        (partner.pk, "partner"),
        (None, "All together"),
    ]


def test_decisions_that_cannot_be_made_again_are_counted(order, run, partner):
    order(clicked(partner, 3 * DAY))
    unreadable = order(clicked(partner, 3 * DAY))
    unreadable.decision = {"format": 9}
    unreadable.save()

    _, outcome = run({"own_program": False})

    assert (outcome.looked_at, outcome.unreadable) == (2, 1)
    assert [line[:14] for line in caveats(outcome)] == ["1 were decided"]


def test_discounts_by_codes_are_a_cost_of_both_sides(order, run, partner):
    sender = Sender(partner.pk, "partner", AffiliateStatus.ACTIVE, is_self=False)
    order(discount="10.00", coupon=Coupon(code="SUMMER", sender=sender))
    order(clicked(partner, 3 * DAY), discount="5.00")

    _, outcome = run({"own_program": False})

    assert caveats(outcome) == [
        "Affiliates' coupon codes took €10.00 off these orders: a cost of the program "
        "on both sides."
    ]


@pytest.mark.parametrize(
    ("_case", "changes", "field"),
    [
        (
            "window of no days",
            {"attribution_window_days": 0},
            "attribution_window_days",
        ),
        ("longer than a day", {"stand_down_minutes": 1441}, "stand_down_minutes"),
        ("no such policy", {"attribution_policy": "best"}, "attribution_policy"),
    ],
)
def test_a_draft_keeps_the_brands_own_limits(_case, changes, field, brand):
    with pytest.raises(InvalidInput) as refusal:
        draft_of(brand, changes=changes)

    assert refusal.value.field == field


def test_a_draft_leaves_the_brand_as_it_is(brand):
    draft = draft_of(brand, changes={"attribution_window_days": 5})

    assert draft.drafted.terms.window == timedelta(days=5)
    assert brand.attribution_window_days == 90


@pytest.mark.parametrize("field", ["plan", "instead_of"])
def test_a_plan_of_another_brand_is_refused(field, brand, plan):
    foreign = CommissionPlanFactory(brand=BrandFactory(client_area="b.example.com"))

    with pytest.raises(InvalidInput, match="no version of this plan") as refusal:
        draft_of(brand, **{"changes": {}, "plan": plan, field: foreign})

    assert refusal.value.field == field


def test_a_plan_to_replace_needs_one_in_its_place(brand, plan):
    with pytest.raises(InvalidInput) as refusal:
        draft_of(brand, changes={}, instead_of=plan)

    assert refusal.value.field == "instead_of"


def test_joining_bonus_comes_with_the_first_order_that_earns(
    order, run, brand, partner
):
    order(clicked(partner, DAY))
    order(clicked(partner, DAY))
    generous = CommissionPlanFactory(
        brand=brand, name="Generous", joining_bonus={"EUR": "25.00"}
    )

    changes, _ = run(plan=generous)

    assert [change.after.amounts for change in changes] == [{"EUR": 3500}]


def test_joining_bonus_is_not_had_again(order, run, brand, host, partner, till):
    earlier = order_of(
        partner,
        host.client(brand, email="earlier@example.com"),
        converted_at=NOW - 90 * DAY,
    )
    till.pay(order=earlier.order_ref, invoice=earlier.invoice_ref, at=NOW - 90 * DAY)
    mature_due(now=NOW)
    order(clicked(partner, DAY))
    generous = CommissionPlanFactory(
        brand=brand, name="Generous", joining_bonus={"EUR": "25.00"}
    )

    changes, outcome = run(plan=generous)

    assert (changes, outcome.looked_at) == ([], 1)


def test_share_of_the_recruiter_is_a_cost(order, run, brand, partner, rival):
    order(clicked(partner, DAY))
    order(clicked(rival, DAY))
    partner.recruiter = rival
    partner.save()
    sharing = CommissionPlanFactory(
        brand=brand, name="Sharing", recruiter_percent=Decimal("12.5")
    )

    changes, _ = run(plan=sharing)

    assert [change.after.amounts for change in changes] == [{"EUR": 1125}]


def test_tiers_count_the_orders_before_on_either_side(order, run, brand, partner):
    for _ in range(3):
        order(clicked(partner, DAY))
    tier = {"unit": "EUR", "from": "200.00", "percent": "20"}
    tiered = CommissionPlanFactory(
        brand=brand, name="Tiered", rules=[{"percent": 10, "tiers": [tier]}]
    )

    changes, outcome = run(plan=tiered)

    assert [change.after.amounts for change in changes] == [{"EUR": 2000}]
    assert outcome.looked_at == 3
