"""The joining bonus: with the first approval, once, and whatever happens afterwards."""

from __future__ import annotations

from datetime import timedelta
from decimal import Decimal

import pytest

from affiliates.commissions.models import Adjustment, Commission
from affiliates.commissions.services.maturing import mature_due
from affiliates.commissions.services.staff import approve, hold, reject, release
from affiliates.ledger.models import LedgerPosting
from affiliates.ledger.rules import Account
from affiliates.plans.services import publish_plan
from affiliates.settlement.services import override_attribution
from tests.affiliates.till import AFTER_HOLD, PAID_AT, history, order_of
from tests.affiliates.verification.finding import everything_found, found_after
from tests.append_only import unguarded
from tests.factories.plans import CommissionPlanFactory

WITH_BONUS = {"EUR": "25.00", "JPY": "3000"}


@pytest.fixture
def plan(brand):
    return CommissionPlanFactory(
        brand=brand, name="Standard", is_default=True, joining_bonus=WITH_BONUS
    )


@pytest.fixture
def pay(affiliate, buyer, till):
    def pay(number: int = 1, *, currency: str = "EUR", nets=(), **fields) -> None:
        order_of(affiliate, buyer, order_ref=f"o-{number}", invoice_ref=f"i-{number}")
        till.pay(
            *nets,
            order=f"o-{number}",
            invoice=f"i-{number}",
            currency=currency,
            **fields,
        )

    return pay


def given() -> list[tuple[str, str, int, str]]:
    return list(Adjustment.objects.values_list("key", "currency", "amount", "reason"))


def test_comes_with_the_first_approval_and_no_sooner(plan, affiliate, pay, balance):
    pay()
    assert given() == []

    mature_due(now=AFTER_HOLD)

    assert given() == [
        (
            f"joining:{affiliate.pk}",
            "EUR",
            2500,
            "Joining bonus of Standard version 1.",
        )
    ]
    assert balance() == {Account.EXPENSE: -3500, Account.PAYABLE: 3500}
    posting = Adjustment.objects.get().posting
    assert (posting.kind, posting.posted_at) == ("bonus", AFTER_HOLD)
    assert everything_found() == []


def test_is_given_once_however_much_is_approved(plan, pay, balance, admin_user):
    pay(1)
    pay(2)
    mature_due(now=AFTER_HOLD)
    first, *_ = ids = list(
        Commission.objects.order_by("pk").values_list("pk", flat=True)
    )
    staff = {"actor_id": admin_user.pk, "reason": "Looked at.", "now": AFTER_HOLD}
    hold(commission_ids=[first], **staff)
    release(commission_ids=[first], **staff)
    pay(3, at=AFTER_HOLD)
    mature_due(now=AFTER_HOLD + timedelta(days=30))

    assert len(ids) == 2
    assert len(given()) == 1
    assert balance() == {Account.EXPENSE: -5500, Account.PAYABLE: 5500}
    assert everything_found() == []


def test_comes_at_once_where_nothing_is_held(brand, pay, balance):
    CommissionPlanFactory(
        brand=brand, is_default=True, hold_days=0, joining_bonus=WITH_BONUS
    )

    pay(currency="JPY")

    assert [row[1:3] for row in given()] == [("JPY", 3000)]
    assert balance("JPY") == {Account.EXPENSE: -3010, Account.PAYABLE: 3010}
    assert everything_found() == []


def test_comes_when_staff_approve(brand, pay, admin_user):
    CommissionPlanFactory(
        brand=brand, is_default=True, approves_itself=False, joining_bonus=WITH_BONUS
    )
    pay()
    mature_due(now=AFTER_HOLD)
    assert given() == []

    ids = Commission.objects.values_list("pk", flat=True)
    approve(commission_ids=ids, actor_id=admin_user.pk, reason="Fine.", now=AFTER_HOLD)

    assert [row[1:3] for row in given()] == [("EUR", 2500)]


def test_is_not_given_for_a_sale_that_came_to_nothing(plan, pay, till, admin_user):
    pay(1)
    till.refund("100.00", invoice="i-1")
    pay(2)
    rejected = Commission.objects.latest("pk")
    reject(
        commission_ids=[rejected.pk],
        actor_id=admin_user.pk,
        reason="A fraud.",
        now=PAID_AT,
    )

    mature_due(now=AFTER_HOLD)

    assert given() == []
    assert not LedgerPosting.objects.filter(kind="bonus").exists()
    assert everything_found() == []


def test_refund_after_the_approval_leaves_it(plan, pay, till, balance):
    pay()
    mature_due(now=AFTER_HOLD)

    till.refund("100.00", invoice="i-1", at=AFTER_HOLD)

    assert Commission.objects.get().status == "reversed"
    assert balance() == {Account.EXPENSE: -2500, Account.PAYABLE: 2500}
    assert everything_found() == []


def test_share_that_was_approved_before_takes_none_away(
    plan, affiliate, rival, buyer, till, pay
):
    plan.recruiter_percent = 50
    plan.save()
    publish_plan(plan, now=PAID_AT - timedelta(days=20))
    rival.recruiter = affiliate
    rival.save()
    order_of(rival, buyer, order_ref="o-9", invoice_ref="i-9")
    till.pay(order="o-9", invoice="i-9")
    mature_due(now=AFTER_HOLD)
    assert [key for key, *_ in given()] == [f"joining:{rival.pk}"]

    pay(at=AFTER_HOLD)
    mature_due(now=AFTER_HOLD + timedelta(days=30))

    assert {key for key, *_ in given()} == {
        f"joining:{rival.pk}",
        f"joining:{affiliate.pk}",
    }
    assert everything_found() == []


def test_is_in_the_currency_of_the_first_of_those_approved_at_once(plan, pay):
    pay(1)
    pay(2, currency="JPY")

    mature_due(now=AFTER_HOLD)

    assert [row[1:3] for row in given()] == [("EUR", 2500)]
    assert everything_found() == []


def test_is_for_the_currency_of_the_first_approval_only(plan, pay):
    pay(1, currency="USD")
    mature_due(now=AFTER_HOLD)
    pay(2, at=AFTER_HOLD)

    mature_due(now=AFTER_HOLD + timedelta(days=30))

    assert given() == []
    assert everything_found() == []


def test_who_earned_before_the_plan_had_one_gets_none(brand, pay):
    plan = CommissionPlanFactory(brand=brand, is_default=True)
    pay(1)
    mature_due(now=AFTER_HOLD)
    plan.joining_bonus = WITH_BONUS
    plan.save()
    publish_plan(plan, now=PAID_AT - timedelta(days=20))
    pay(2, at=AFTER_HOLD)

    mature_due(now=AFTER_HOLD + timedelta(days=30))

    assert Commission.objects.latest("pk").plan_version.number == 2
    assert given() == []
    assert everything_found() == []


def test_verification_finds_one_that_is_not_due_and_one_that_is_missing(plan, pay):
    pay()
    mature_due(now=AFTER_HOLD)
    code = Commission.objects.get().affiliate.code

    @unguarded()
    def another_amount() -> None:
        Adjustment.objects.update(amount=2600)

    @unguarded()
    def another_key() -> None:
        Adjustment.objects.update(key="desk:1")

    said = f"but 2500 EUR at {AFTER_HOLD}"
    assert any(
        f"({code}) was given a joining bonus of 2600 EUR" in one and said in one
        for one in found_after(another_amount)
    )
    assert any(
        f"({code}) was given a joining bonus of nothing, {said}" in one
        for one in found_after(another_key)
    )


@pytest.fixture
def at_once(brand):
    """A plan without a hold."""
    return CommissionPlanFactory(
        brand=brand,
        is_default=True,
        hold_days=0,
        joining_bonus=WITH_BONUS,
        recruiter_percent=Decimal(10),
    )


def test_is_not_given_for_a_sale_that_was_refunded_before_it_was_recorded(
    at_once, pay, till, balance
):
    till.refund("1.00", invoice="i-1")

    pay(1, nets=["1.00"])

    commission = Commission.objects.get()
    assert history(commission) == [("", "pending"), ("pending", "reversed")]
    assert given() == []
    assert balance() == {}
    assert everything_found() == []


def test_is_not_given_with_an_order_that_is_assigned_after_its_refund(
    brand, at_once, order, rival, till, staff, balance
):
    till.pay("1.00")
    till.refund("1.00")

    override_attribution(
        referral_id=order.pk,
        affiliate_id=rival.pk,
        reason="It was theirs.",
        actor_id=staff.pk,
        now=AFTER_HOLD,
    )

    assert Commission.objects.get(affiliate=rival).status == "reversed"
    assert [row[0] for row in given()] == [f"joining:{order.affiliate_id}"]
    assert balance(of=rival) == {}
    assert everything_found() == []


def test_is_given_for_what_earlier_refunds_left(at_once, pay, till, balance):
    till.refund("0.90", invoice="i-1")

    pay(1, nets=["1.00"])

    assert [row[1:3] for row in given()] == [("EUR", 2500)]
    assert balance() == {Account.EXPENSE: -2501, Account.PAYABLE: 2501}
    assert everything_found() == []


def test_share_of_what_was_refunded_before_is_never_approved(
    at_once, affiliate, rival, pay, till, balance
):
    affiliate.change(recruiter=rival)
    till.refund("100.00", invoice="i-1")

    pay(1)

    share = Commission.objects.get(affiliate=rival)
    assert history(share) == [("", "pending"), ("pending", "reversed")]
    assert balance(of=rival) == {}
    assert everything_found() == []


def test_share_of_which_rounding_leaves_nothing_is_never_approved(
    at_once, affiliate, rival, pay, till
):
    """The commission is 5 and keeps 2; its share of 1 is taken back as a whole."""
    affiliate.change(recruiter=rival)
    till.refund("0.30", invoice="i-1")

    pay(1, nets=["0.50"])

    own, share = Commission.objects.order_by("pk")
    assert history(own) == [
        ("", "pending"),
        ("pending", "approved"),
        ("approved", "approved"),
    ]
    assert history(share) == [("", "pending"), ("pending", "reversed")]
    assert everything_found() == []
