"""Staff give an order to another affiliate, before and after it is paid."""

from __future__ import annotations

import pytest

from affiliates.commissions.models import Commission
from affiliates.commissions.rules import CommissionStatus
from affiliates.commissions.services.staff import hold, reject
from affiliates.errors import AffiliatesError
from affiliates.fraud.models import FraudReview
from affiliates.fraud_review.services import release_sales
from affiliates.ledger.rules import Account
from affiliates.referrals.models import DecisionOverride, OrderReferral
from affiliates.sales.models import Sale
from affiliates.settlement.services import override_attribution
from tests.affiliates.till import AFTER_HOLD, order_of, written
from tests.factories.commissions import bring_to
from tests.factories.ledger import OrderReferralFactory
from tests.factories.plans import CommissionPlanFactory


@pytest.fixture
def give(order, staff):
    def give(to, *, referral: OrderReferral = order, reason: str = "Asked by mail"):
        return override_attribution(
            referral_id=referral.pk,
            affiliate_id=None if to is None else to.pk,
            reason=reason,
            actor_id=staff.pk,
            now=AFTER_HOLD,
        )

    return give


def of(affiliate) -> list[tuple[int, str]]:
    return list(
        Commission.objects.filter(affiliate=affiliate)
        .order_by("pk")
        .values_list("amount", "status")
    )


def test_given_before_the_payment_earns_the_new_affiliate(
    plan, give, till, affiliate, rival, balance
):
    give(rival)
    till.pay()

    assert (of(affiliate), of(rival)) == ([], [(1000, "pending")])
    assert Sale.objects.get().affiliate == rival


def test_given_after_the_payment_moves_every_commission_of_the_order(
    plan, give, till, affiliate, rival, balance
):
    till.pay()
    till.pay("50.00", invoice="renewal-1", renewal=1)

    give(rival)

    assert of(affiliate) == [(1000, "rejected"), (500, "rejected")]
    assert of(rival) == [(1000, "pending"), (500, "pending")]
    assert balance() == {}
    assert balance(of=rival) == {Account.EXPENSE: -1500, Account.PENDING: 1500}
    rejected = Commission.objects.filter(affiliate=affiliate).first()
    assert rejected.reason_text == "The order was given to rival: Asked by mail"


def test_new_affiliate_earns_by_its_own_plan(plan, brand, give, till, rival):
    rival.plan = CommissionPlanFactory(brand=brand, rules=[{"percent": 30}])
    rival.save()
    till.pay()

    give(rival)

    assert of(rival) == [(3000, "pending")]


def test_given_after_a_refund_loses_the_refunded_part_at_once(
    plan, give, till, rival, balance
):
    till.pay(gross="119.00")
    till.refund("59.50")

    give(rival)

    [commission] = Commission.objects.filter(affiliate=rival)
    assert commission.amount == 1000
    assert [one.amount for one in commission.reversals.all()] == [-500]
    assert balance() == {}
    assert balance(of=rival) == {Account.EXPENSE: -500, Account.PENDING: 500}


def test_given_after_a_refund_earns_what_is_left(plan, give, till, rival, balance):
    till.pay()
    till.refund("40.00")

    give(rival)
    till.refund("10.00", ref="refund-2")

    assert balance() == {}
    assert balance(of=rival) == {Account.EXPENSE: -500, Account.PENDING: 500}


def test_given_to_nobody_takes_the_commission_away(
    plan, give, till, affiliate, balance
):
    till.pay()

    give(None)
    till.refund("40.00")
    till.pay()

    assert of(affiliate) == [(1000, "rejected")]
    assert balance() == {}
    assert Sale.objects.get().reversals.count() == 1


def test_nobodys_paid_order_makes_its_sale_when_it_is_given(
    plan, brand, buyer, give, till, rival
):
    referral = OrderReferralFactory(
        brand=brand, client=buyer, order_ref="order-9", invoice_ref="invoice-9"
    )
    till.pay(order="order-9", invoice="invoice-9")

    give(rival, referral=referral)

    assert of(rival) == [(1000, "pending")]


def test_given_back_earns_the_first_affiliate_again(
    plan, give, till, affiliate, rival, balance
):
    till.pay()

    give(rival)
    give(affiliate)

    assert of(rival) == [(1000, "rejected")]
    assert of(affiliate) == [(1000, "rejected"), (1000, "pending")]
    assert balance() == {Account.EXPENSE: -1000, Account.PENDING: 1000}


def test_taken_away_after_its_payout_leaves_a_negative_balance(
    brand, order, give, till, staff, affiliate, rival, balance
):
    CommissionPlanFactory(brand=brand, is_default=True, approves_itself=False)
    till.pay()
    commission = Commission.objects.get()
    bring_to(commission, CommissionStatus.PAID, actor=staff, now=AFTER_HOLD)

    give(rival)

    assert of(affiliate) == [(1000, "rejected")]
    assert balance() == {Account.PAYABLE: -1000, Account.PAID_OUT: 1000}
    assert of(rival) == [(1000, "pending")]


def test_repeat_changes_nothing(plan, give, till, rival):
    till.pay()
    give(rival)
    before = written()

    give(rival)

    assert written() == before


def test_order_that_is_kept_by_its_affiliate_keeps_its_commission(
    plan, give, till, affiliate
):
    till.pay()

    give(affiliate)

    assert of(affiliate) == [(1000, "pending")]


@pytest.mark.parametrize("_case", ["no reason", "suspended", "absent"])
def test_refusal_writes_nothing(_case, plan, order, give, till, affiliate, rival):
    till.pay()
    before = written()
    if _case == "suspended":
        rival.status = "suspended"
        rival.save()
    if _case == "absent":
        order.pk = 0

    with pytest.raises(AffiliatesError):
        give(rival, reason=" " if _case == "no reason" else "Asked by mail")

    assert written() == before
    assert DecisionOverride.objects.count() == 0


def test_the_same_word_again_gives_back_nothing_that_staff_took_since(
    plan, give, till, rival, staff
):
    till.pay()
    give(rival)
    [commission] = Commission.objects.filter(affiliate=rival)
    reject(
        commission_ids=[commission.pk],
        actor_id=staff.pk,
        reason="A friend.",
        now=AFTER_HOLD,
    )

    give(rival)

    assert of(rival) == [(1000, "rejected")]
    assert DecisionOverride.objects.count() == 1


def test_staffs_word_ends_the_hold_of_a_self_referral(
    plan, affiliate, buyer, give, till, balance
):
    referral = order_of(
        affiliate, buyer, order_ref="own", invoice_ref="own-1", is_self=True
    )
    till.pay(invoice="own-1", order="own")
    assert of(affiliate) == [(1000, "held")]

    give(affiliate, referral=referral)

    assert of(affiliate) == [(1000, "approved")]
    assert balance() == {Account.EXPENSE: -1000, Account.PAYABLE: 1000}


def test_staffs_word_leaves_the_hold_of_another_sign(
    brand, affiliate, buyer, give, till, staff
):
    CommissionPlanFactory(brand=brand, is_default=True, allows_paid_ads=False)
    referral = order_of(
        affiliate,
        buyer,
        order_ref="own",
        invoice_ref="own-1",
        is_self=True,
        visit_url="https://shop.example.com/?gclid=abc",
    )
    till.pay(invoice="own-1", order="own")

    give(affiliate, referral=referral)
    assert of(affiliate) == [(1000, "held")]

    release_sales(
        review_ids=[FraudReview.objects.get().pk], actor_id=staff.pk, now=AFTER_HOLD
    )
    assert of(affiliate) == [(1000, "approved")]


def test_staffs_word_leaves_the_hold_of_another_reason(
    plan, affiliate, order, give, till, staff
):
    till.pay()
    [commission] = Commission.objects.all()
    hold(
        commission_ids=[commission.pk],
        actor_id=staff.pk,
        reason="Looks odd.",
        now=AFTER_HOLD,
    )

    give(affiliate)

    assert of(affiliate) == [(1000, "held")]


def test_sale_that_is_given_keeps_the_position_it_was_recorded_with(
    plan, give, till, rival
):
    till.pay(invoice="renewal-1", renewal=1)
    # Known later: an invoice of nothing uses up no renewal.
    till.pay("0.00")

    give(rival)

    sale = Sale.objects.get(invoice_ref="renewal-1")
    (line,) = Commission.objects.get(affiliate=rival, sale=sale).lines.all()
    assert (sale.position, line.receipt["inputs"]["position"]) == (1, 1)
