"""What the page of an assignment foretells, and that it comes true."""

from __future__ import annotations

from datetime import timedelta

import pytest
from django.urls import reverse

from affiliates.commissions.models import Commission
from affiliates.commissions.services.maturing import mature_due
from affiliates.referrals.models import DecisionOverride, OrderReferral
from affiliates.settlement.assignment_preview import foresee_assignment
from affiliates.settlement.services import override_attribution
from tests.affiliates.till import AFTER_HOLD, PAID_AT
from tests.factories.commissions import pay, payout_of
from tests.factories.ledger import NOW, OrderReferralFactory, decision_of

UNPAID = "Nothing is earned before the order is paid."
EARNS_ONE = (
    "rival earns for 1 paid invoice of this order at once, by the plan it was on when "
    "the order was made: Standard version 1."
)


@pytest.fixture
def plan(plan):
    plan.name = "Standard"
    plan.save()
    return plan


@pytest.fixture
def uncredited(brand, buyer) -> OrderReferral:
    return OrderReferralFactory(
        brand=brand,
        client=buyer,
        order_ref="order-1",
        invoice_ref="invoice-1",
        made=decision_of(),
    )


def assign(referral, affiliate, staff) -> None:
    override_attribution(
        referral_id=referral.pk,
        affiliate_id=None if affiliate is None else affiliate.pk,
        reason="Agreed",
        actor_id=staff.pk,
        now=NOW + timedelta(days=2),
    )


def test_a_paid_order_that_credits_nobody_earns_at_once(
    admin_client, plan, uncredited, till, rival
):
    till.pay()
    url = reverse("admin:affiliates_orderreferral_assign", args=[uncredited.pk])
    fields = {"affiliate": rival.pk, "reason": "Agreed by mail"}

    question = admin_client.post(url, fields).content.decode()
    before = DecisionOverride.objects.count(), Commission.objects.count()
    admin_client.post(url, {**fields, "confirmed": "yes"})

    assert EARNS_ONE in question
    assert UNPAID not in question
    assert before == (0, 0)
    assert Commission.objects.get().affiliate == rival


def test_an_unpaid_order_earns_nothing_yet(plan, uncredited, rival):
    assert foresee_assignment(uncredited, rival) == [UNPAID]


def test_renewals_are_counted_and_the_other_affiliate_loses(
    plan, order, till, rival, staff
):
    till.pay()
    till.pay("50.00", invoice="renewal-1", renewal=1, at=PAID_AT + timedelta(days=1))

    told = foresee_assignment(order, rival)
    assign(order, rival, staff)

    assert told == [
        "2 commissions are rejected, of partner.",
        EARNS_ONE.replace("1 paid invoice", "2 paid invoices"),
    ]
    assert Commission.objects.filter(status="rejected").count() == 2
    assert Commission.objects.filter(affiliate=rival, status="pending").count() == 2


def test_what_is_paid_is_taken_back(plan, order, till, staff):
    till.pay()
    mature_due(now=AFTER_HOLD)
    pay(
        payout_of(Commission.objects.get(), now=AFTER_HOLD), actor=staff, now=AFTER_HOLD
    )

    assert foresee_assignment(order, None) == [
        "1 commission is rejected, of partner. What is paid already is taken from the "
        "next payout.",
        "Nobody earns anything for 1 paid invoice of this order.",
    ]


def test_refunds_are_named(plan, uncredited, till, rival, staff):
    till.pay()
    till.refund("40.00")

    told = foresee_assignment(uncredited, rival)
    assign(uncredited, rival, staff)

    assert told == [
        EARNS_ONE,
        "What refunds took of it is taken back at once as well.",
    ]
    assert Commission.objects.get().reversals.count() == 1


def test_an_affiliate_on_no_plan_earns_nothing(uncredited, till, rival, staff):
    till.pay()

    told = foresee_assignment(uncredited, rival)
    assign(uncredited, rival, staff)

    assert told == [
        "rival was on no plan when the order was made: it earns nothing for 1 paid "
        "invoice of this order."
    ]
    assert Commission.objects.count() == 0


def test_who_has_earned_it_keeps_it(plan, order, affiliate, till):
    till.pay()

    assert foresee_assignment(order, affiliate) == ["partner keeps what it has earned."]
