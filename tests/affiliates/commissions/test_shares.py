"""What recruiters get of the commissions of those they recruited."""

from __future__ import annotations

from collections.abc import Callable
from datetime import timedelta
from decimal import Decimal

import pytest
from django.db import IntegrityError, transaction

from affiliates.commissions.models import Adjustment, Commission, CommissionLine
from affiliates.commissions.rules import CommissionStatus, StepReason, judge_share
from affiliates.commissions.services.maturing import mature_due
from affiliates.commissions.services.staff import hold, reject, release
from affiliates.ledger.models import LedgerPosting
from affiliates.ledger.rules import Account
from affiliates.membership.suspensions import WhatIsPending, suspend
from affiliates.plans.rules.computation import is_sound, recompute_line
from affiliates.plans.rules.explanations import explain_receipt
from affiliates.plans.rules.rounding import Rounding
from affiliates.plans.rules.shares import share_receipt
from affiliates.plans.rules.terms import PlanTerms
from affiliates.plans.services import publish_plan
from affiliates.program.models import Affiliate
from affiliates.program.rules import AffiliateStatus
from affiliates.settlement.services import override_attribution
from tests.affiliates.till import AFTER_HOLD, PAID_AT, history, order_of
from tests.affiliates.verification.finding import everything_found, found_after
from tests.append_only import unguarded
from tests.cases import each
from tests.factories.affiliates import AffiliateFactory, BrandFactory
from tests.factories.ledger import NOW
from tests.factories.plans import CommissionPlanFactory
from tests.lengths import in_steps

PENDING, MATURED = CommissionStatus.PENDING, CommissionStatus.MATURED
HELD, APPROVED = CommissionStatus.HELD, CommissionStatus.APPROVED
PAID, REJECTED = CommissionStatus.PAID, CommissionStatus.REJECTED
REVERSED = CommissionStatus.REVERSED
FOLLOWS, STAFF = StepReason.FOLLOWS, StepReason.STAFF


@pytest.fixture
def plan(brand):
    return CommissionPlanFactory(
        brand=brand, is_default=True, recruiter_percent=Decimal("12.5")
    )


@pytest.fixture
def recruiter(plan, affiliate, rival) -> Affiliate:
    affiliate.recruiter = rival
    affiliate.save()
    return rival


@pytest.fixture
def sale(recruiter, order, till) -> Callable[..., None]:
    return till.pay


def share() -> Commission:
    return Commission.objects.get(share_of__isnull=False)


def own() -> Commission:
    return Commission.objects.get(share_of__isnull=True)


def statuses() -> tuple[str, str]:
    return own().status, share().status


@each(
    ("earned", "percent", "rounding", "amount"),
    [
        (1001, "12.5", Rounding.HALF_UP, 125),
        (1004, "12.5", Rounding.HALF_UP, 126),
        (1004, "12.5", Rounding.HALF_EVEN, 126),
        (1012, "12.5", Rounding.HALF_UP, 127),
        (1012, "12.5", Rounding.HALF_EVEN, 126),
        (1012, "12.5", Rounding.DOWN, 126),
        (777, "33.333", Rounding.HALF_UP, 259),
        (1, "50", Rounding.HALF_UP, 1),
        (1, "49.999", Rounding.HALF_UP, 0),
        (9_999_999_999, "0.001", Rounding.HALF_UP, 100_000),
        (1234, "100", Rounding.DOWN, 1234),
    ],
)
def test_share_is_rounded_once_as_the_plan_rounds(earned, percent, rounding, amount):
    receipt = share_receipt(
        commission_id=1,
        earned=earned,
        currency="EUR",
        terms=PlanTerms(recruiter_percent=Decimal(percent), rounding=rounding),
        plan_name="Standard",
        version_number=1,
    )

    assert (receipt["amount"], recompute_line(receipt)) == (amount, amount)
    assert is_sound(receipt)


@each(
    ("_case", "now", "reason", "in_payout", "step", "after"),
    [
        ("matures", PENDING, STAFF, False, (PENDING, MATURED), MATURED),
        ("is approved", PENDING, STAFF, False, (PENDING, APPROVED), APPROVED),
        ("is approved by staff", MATURED, STAFF, False, (MATURED, APPROVED), APPROVED),
        ("catches up", PENDING, STAFF, False, (MATURED, APPROVED), APPROVED),
        ("is held", APPROVED, STAFF, False, (APPROVED, HELD), HELD),
        ("is freed", HELD, FOLLOWS, False, (HELD, PENDING), PENDING),
        ("staff hold it alone", HELD, STAFF, False, (HELD, PENDING), HELD),
        ("nor does time", HELD, STAFF, False, (PENDING, APPROVED), HELD),
        ("held before", HELD, FOLLOWS, False, (PENDING, APPROVED), HELD),
        ("staff approved it", APPROVED, STAFF, False, (PENDING, MATURED), APPROVED),
        ("in a payout", APPROVED, STAFF, True, (APPROVED, HELD), APPROVED),
        ("paid", PAID, STAFF, True, (APPROVED, HELD), PAID),
        ("its own payout", APPROVED, STAFF, False, (APPROVED, PAID), APPROVED),
        ("comes back", PAID, STAFF, True, (PAID, APPROVED), PAID),
        ("comes back, pending", PENDING, STAFF, False, (PAID, APPROVED), PENDING),
        ("into a payout", PENDING, STAFF, False, (APPROVED, APPROVED), PENDING),
        ("reversed stays", REVERSED, STAFF, False, (PENDING, HELD), REVERSED),
        ("rejected stays", REJECTED, STAFF, False, (HELD, PENDING), REJECTED),
        ("rejected", HELD, STAFF, False, (PENDING, REJECTED), REJECTED),
        ("rejected, paid", PAID, STAFF, True, (PAID, REJECTED), REJECTED),
        ("rejected, in payout", APPROVED, STAFF, True, (PAID, REJECTED), REJECTED),
    ],
)
def test_share_goes_along(now, reason, in_payout, step, after):
    assert judge_share(now, reason, is_in_payout=in_payout, step=step) is after


def test_recruiter_gets_its_part_of_the_commission(sale, recruiter, balance):
    sale("99.99")
    sale("99.99")

    earned, shared = own(), share()
    assert (earned.amount, shared.amount, shared.affiliate) == (1000, 125, recruiter)
    assert (shared.share_of, shared.sale) == (earned, earned.sale)
    assert shared.plan_version == earned.plan_version
    assert shared.matures_at == earned.matures_at
    assert balance() == {Account.EXPENSE: -1000, Account.PENDING: 1000}
    assert balance(of=recruiter) == {Account.EXPENSE: -125, Account.PENDING: 125}
    assert LedgerPosting.objects.filter(commission=shared).count() == 1
    assert explain_receipt(shared.lines.get().receipt) == (
        "Share of the commission of a recruited affiliate.",
        "12.5 % of €10.00 = €1.25.",
        "Rounded to the nearest minor unit, half up = €1.25.",
        "Commission: €1.25.",
    )
    assert shared.events.get().reason_text == (
        f"Earned €1.25: 12.5 % of commission {earned.pk}."
    )
    assert everything_found() == []


def test_yen_have_no_minor_unit(sale, recruiter, balance):
    sale("777", currency="JPY")

    assert (own().amount, share().amount) == (78, 10)
    assert balance("JPY", of=recruiter) == {Account.EXPENSE: -10, Account.PENDING: 10}
    assert everything_found() == []


def test_refunds_take_their_part_of_both(sale, recruiter, till, balance):
    sale()

    till.refund("33.33", ref="first")

    assert balance() == {Account.EXPENSE: -667, Account.PENDING: 667}
    assert balance(of=recruiter) == {Account.EXPENSE: -83, Account.PENDING: 83}
    assert everything_found() == []

    mature_due(now=AFTER_HOLD)
    till.refund("66.67", ref="second", at=AFTER_HOLD)
    till.refund("66.67", ref="second", at=AFTER_HOLD)

    assert statuses() == (REVERSED, REVERSED)
    taken = share().reversals.values_list("amount", flat=True)
    assert list(taken) == [-42, -83]
    assert balance() == balance(of=recruiter) == {}
    assert everything_found() == []


def test_refund_that_came_before_the_payment_is_taken_of_both(
    recruiter, order, till, balance
):
    till.refund("50.00", at=PAID_AT)
    till.pay()

    assert balance() == {Account.EXPENSE: -500, Account.PENDING: 500}
    assert balance(of=recruiter) == {Account.EXPENSE: -62, Account.PENDING: 62}
    assert everything_found() == []


def _suspended(recruiter: Affiliate, *_: Affiliate) -> None:
    Affiliate.objects.filter(pk=recruiter.pk).update(status=AffiliateStatus.SUSPENDED)


def _pending(recruiter: Affiliate, *_: Affiliate) -> None:
    Affiliate.objects.filter(pk=recruiter.pk).update(status=AffiliateStatus.PENDING)


def _merged_into_the_recruited(recruiter: Affiliate, recruited: Affiliate) -> None:
    Affiliate.objects.filter(pk=recruiter.pk).update(
        status=AffiliateStatus.SUSPENDED, merged_into=recruited
    )


@pytest.mark.parametrize("change", [_suspended, _pending, _merged_into_the_recruited])
def test_nobody_else_gets_a_share(change, recruiter, affiliate, order, till):
    change(recruiter, affiliate)

    till.pay()

    assert Commission.objects.get().affiliate == affiliate
    assert everything_found() == []


def test_recruiter_gets_nothing_of_its_own_order(recruiter, affiliate, till):
    order_of(affiliate, recruiter.user, order_ref="order-1", invoice_ref="invoice-1")

    till.pay()

    assert Commission.objects.get().affiliate == affiliate


def test_plan_without_a_share_gives_none(brand, affiliate, rival, order, till):
    CommissionPlanFactory(brand=brand, is_default=True)
    affiliate.recruiter = rival
    affiliate.save()

    till.pay()

    assert Commission.objects.get().affiliate == affiliate


def test_share_of_less_than_half_a_minor_unit_is_none(sale):
    sale("0.30")

    assert Commission.objects.get().amount == 3


def test_only_one_level_earns(sale, recruiter, brand, host):
    above = AffiliateFactory(
        brand=brand, user=host.client(brand, email="a@example.com")
    )
    Affiliate.objects.filter(pk=recruiter.pk).update(recruiter=above)

    sale()

    assert {one.affiliate_id for one in Commission.objects.all()} == {
        recruiter.pk,
        own().affiliate_id,
    }


def test_share_matures_with_its_commission(sale, recruiter, balance):
    sale()

    matured = mature_due(now=AFTER_HOLD)

    assert statuses() == (APPROVED, APPROVED)
    assert (matured.approved, matured.skipped) == (1, 0)
    assert balance(of=recruiter) == {Account.EXPENSE: -125, Account.PAYABLE: 125}
    assert history(share())[-1] == ("pending", "approved")
    assert everything_found() == []


def test_share_is_approved_at_once_where_nothing_is_held(
    brand, affiliate, rival, order, till, balance
):
    CommissionPlanFactory(
        brand=brand,
        is_default=True,
        hold_days=0,
        recruiter_percent=Decimal(20),
        joining_bonus={"EUR": "25.00"},
        cap_period="month",
        cap_amounts={"EUR": "6.00"},
    )
    affiliate.recruiter = rival
    affiliate.save()

    till.pay()

    # The cap bounds the share as well, and a share brings no joining bonus.
    assert balance() == {Account.EXPENSE: -3100, Account.PAYABLE: 3100}
    assert balance(of=rival) == {Account.EXPENSE: -120, Account.PAYABLE: 120}
    assert Adjustment.objects.get().affiliate == affiliate
    assert everything_found() == []


def test_staff_hold_release_and_reject_both(sale, recruiter, admin_user, balance):
    sale()
    ids = [own().pk]
    staff = {"actor_id": admin_user.pk, "reason": "Looked at.", "now": AFTER_HOLD}

    hold(commission_ids=ids, **staff)
    assert statuses() == (HELD, HELD)
    assert balance(of=recruiter) == {Account.EXPENSE: -125, Account.HELD: 125}

    release(commission_ids=ids, **staff)
    assert statuses() == (APPROVED, APPROVED)

    reject(commission_ids=ids, **staff)
    assert statuses() == (REJECTED, REJECTED)
    assert balance() == balance(of=recruiter) == {}
    assert everything_found() == []


def test_what_staff_do_to_a_share_is_left_to_them(sale, recruiter, admin_user):
    sale()
    staff = {"actor_id": admin_user.pk, "reason": "Looked at.", "now": AFTER_HOLD}
    suspend(
        [recruiter.pk],
        pending=WhatIsPending.HELD,
        reason="A doubt.",
        actor_id=admin_user.pk,
        now=PAID_AT,
    )
    mature_due(now=AFTER_HOLD)
    assert statuses() == (APPROVED, HELD)
    assert everything_found() == []

    release(commission_ids=[share().pk], **staff)

    assert statuses() == (APPROVED, APPROVED)
    assert everything_found() == []


def test_share_never_matures_before_its_commission(sale, admin_user):
    sale()
    staff = {"actor_id": admin_user.pk, "reason": "Looked at.", "now": PAID_AT}
    hold(commission_ids=[own().pk], **staff)

    release(commission_ids=[share().pk], **staff | {"now": AFTER_HOLD})
    mature_due(now=AFTER_HOLD)

    assert statuses() == (HELD, PENDING)
    release(commission_ids=[own().pk], **staff | {"now": AFTER_HOLD})
    assert statuses() == (APPROVED, APPROVED)
    assert everything_found() == []


def test_order_that_is_given_to_the_recruiter_takes_the_share_too(
    sale, order, recruiter, admin_user, balance
):
    sale()
    mature_due(now=AFTER_HOLD)

    override_attribution(
        referral_id=order.pk,
        affiliate_id=recruiter.pk,
        reason="Its own client.",
        actor_id=admin_user.pk,
        now=AFTER_HOLD,
    )

    assert share().status == REJECTED
    assert balance() == {}
    assert balance(of=recruiter) == {Account.EXPENSE: -1000, Account.PENDING: 1000}
    assert everything_found() == []


def test_held_sale_has_a_held_share(recruiter, affiliate, buyer, till):
    order_of(
        affiliate, buyer, order_ref="order-1", invoice_ref="invoice-1", is_self=True
    )

    till.pay()

    assert statuses() == (HELD, HELD)
    assert share().reason == FOLLOWS
    assert everything_found() == []


@pytest.mark.parametrize("percent", ["33.333", "7.1", "0.07"])
def test_share_of_an_odd_percentage_agrees(plan, recruiter, till, order, percent):
    plan.recruiter_percent = Decimal(percent)
    plan.save()
    publish_plan(plan, now=NOW - timedelta(days=1))

    till.pay()

    assert share().lines.get().receipt["inputs"]["percent"] == percent
    assert everything_found() == []


@in_steps(example=3, sweep=1)
def test_verification_names_what_is_wrong_with_a_share(
    step, sale, recruiter, affiliate
):
    sale()
    share_id, own_id = share().pk, own().pk

    def change(pk: int, **fields: object) -> Callable[[], object]:
        return lambda: Commission.objects.filter(pk=pk).update(**fields)

    @unguarded()
    def another_percent() -> None:
        receipt = CommissionLine.objects.get(commission=share_id).receipt
        receipt["inputs"]["percent"] = "13"
        CommissionLine.objects.filter(commission=share_id).update(receipt=receipt)

    cases = [
        (change(share_id, affiliate=affiliate), "for the affiliate who earned that."),
        (
            change(own_id, status="rejected"),
            f"commission {own_id}, which it is a share",
        ),
        (change(share_id, earned_at=AFTER_HOLD), f"or time than commission {own_id}"),
        (change(share_id, amount=126), "with amount 125, but 126 is on record."),
        (change(own_id, amount=999), "with commission of 1000, but 999 is on record."),
        (another_percent, "with percent 13, but 12.5 is on record."),
        (another_percent, "has a receipt that does not follow from its inputs."),
        (change(share_id, share_of=None), "is credited 2 times."),
    ]
    for corrupt, said in cases[::step]:
        assert any(said in one for one in found_after(corrupt)) or (
            said == "is credited 2 times."
            and found_after(corrupt) == ["Refused by the database."]
        ), said


@pytest.mark.django_db
def test_database_holds_who_may_have_recruited_whom(recruiter, affiliate, host):
    brand = BrandFactory(client_area="other.example.com")
    stranger = AffiliateFactory(brand=brand, user=host.client(brand, email="s@e.com"))

    for one, by in (
        (affiliate, affiliate),
        (affiliate, stranger),
        (recruiter, affiliate),
    ):
        with pytest.raises(IntegrityError), transaction.atomic():
            Affiliate.objects.filter(pk=one.pk).update(recruiter=by)
    with pytest.raises(IntegrityError), transaction.atomic():
        AffiliateFactory(
            brand=brand, user=host.client(brand, email="t@e.com"), recruiter=affiliate
        )


def test_another_recruiter_counts_from_then_on(sale, recruiter, affiliate, brand, host):
    sale()
    other = AffiliateFactory(
        brand=brand, user=host.client(brand, email="o@example.com")
    )
    Affiliate.objects.filter(pk=affiliate.pk).update(recruiter=other)

    sale(invoice="invoice-2", renewal=1, at=PAID_AT + timedelta(days=365))

    shares = Commission.objects.filter(share_of__isnull=False).order_by("pk")
    assert [one.affiliate for one in shares] == [recruiter, other]
    assert everything_found() == []
