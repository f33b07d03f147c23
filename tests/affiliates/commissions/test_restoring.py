"""A refund that is cancelled gives back what it took, and no more than that."""

from __future__ import annotations

from datetime import timedelta

import pytest

from affiliates.commissions.models import Adjustment, Commission, CommissionReversal
from affiliates.commissions.rules import CommissionStatus
from affiliates.commissions.services.maturing import mature_due
from affiliates.commissions.services.staff import approve, hold, reject, release
from affiliates.contracts import RefundKind
from affiliates.errors import InvalidInput
from affiliates.ledger.models import LedgerPosting
from affiliates.ledger.rules import Account
from affiliates.sales.models import RefundCancellation, SaleReversal
from tests.affiliates.till import AFTER_HOLD, PAID_AT, history
from tests.affiliates.verification.finding import everything_found
from tests.database import nothing_written
from tests.factories.commissions import bring_to, give_back, payout_of
from tests.factories.plans import CommissionPlanFactory
from tests.lengths import in_any_order

DAY = timedelta(days=1)


def amounts() -> list[int]:
    return list(
        CommissionReversal.objects.order_by("pk").values_list("amount", flat=True)
    )


@pytest.mark.parametrize(
    ("status", "at", "then", "account"),
    [
        ("pending", PAID_AT + 2 * DAY, "pending", Account.PENDING),
        ("pending", AFTER_HOLD, "approved", Account.PAYABLE),
        ("held", AFTER_HOLD, "held", Account.HELD),
        ("approved", AFTER_HOLD, "approved", Account.PAYABLE),
    ],
)
def test_commission_becomes_what_it_was(
    status, at, then, account, commission, till, staff, balance
):
    now = PAID_AT if status == "held" else AFTER_HOLD
    bring_to(commission, CommissionStatus(status), actor=staff, now=now)
    before = Commission.objects.get()
    till.refund("100.00")
    assert Commission.objects.get().status == "reversed"
    assert balance() == {}

    till.cancel(at=at)

    after = Commission.objects.get()
    assert after.status == then
    if status == then:
        assert (after.reason, after.reason_details) == (
            before.reason,
            before.reason_details,
        )
    assert amounts() == [-1000, 1000]
    assert balance() == {Account.EXPENSE: -1000, account: 1000}
    assert everything_found() == []


def test_what_it_was_for_is_kept_with_the_step(commission, till):
    till.refund("100.00", kind=RefundKind.CHARGEBACK)
    till.cancel()

    step = commission.events.last()

    assert (step.before, step.after, step.at) == (
        "reversed",
        "pending",
        PAID_AT + 2 * DAY,
    )
    assert step.reason_text == (
        "Chargeback refund-1 was cancelled, which gave €10.00 back."
    )
    posting = LedgerPosting.objects.get(kind="restored")
    reversal = SaleReversal.objects.get(cancellation__isnull=False)
    assert posting.key == f"commission:{commission.pk}:restored:{reversal.pk}"
    assert posting.posted_at == step.at


def test_what_staff_must_approve_waits_for_them_again(brand, order, till, staff):
    CommissionPlanFactory(brand=brand, is_default=True, approves_itself=False)
    till.pay()
    till.refund("100.00")

    till.cancel(at=AFTER_HOLD)

    assert Commission.objects.get().status == "matured"
    till.refund("100.00", ref="refund-2", at=AFTER_HOLD)
    till.cancel(ref="cancellation-2", refund="refund-2", at=AFTER_HOLD)
    commission = Commission.objects.get()
    assert (commission.status, commission.reason) == ("matured", "waits_for_staff")
    approve(
        commission_ids=[commission.pk],
        actor_id=staff.pk,
        reason="Fine.",
        now=AFTER_HOLD,
    )
    till.refund("100.00", ref="refund-3", at=AFTER_HOLD)
    till.cancel(ref="cancellation-3", refund="refund-3", at=AFTER_HOLD)
    assert Commission.objects.get().status == "approved"
    assert everything_found() == []


def test_what_the_host_must_be_asked_about_waits_for_the_worker(brand, order, till):
    CommissionPlanFactory(brand=brand, is_default=True, needs_active_service=True)
    till.pay()
    till.refund("100.00")

    till.cancel(at=AFTER_HOLD)

    assert Commission.objects.get().status == "pending"
    mature_due(now=AFTER_HOLD)
    assert Commission.objects.get().status == "approved"


def test_part_of_a_refund_keeps_the_status(commission, till, balance):
    till.refund("100.00")

    till.cancel("33.33")

    assert Commission.objects.get().status == "pending"
    assert amounts() == [-1000, 333]
    assert balance() == {Account.EXPENSE: -333, Account.PENDING: 333}
    till.cancel("33.33", ref="cancellation-2")
    till.cancel(ref="cancellation-3")
    assert amounts() == [-1000, 333, 334, 333]
    assert balance() == {Account.EXPENSE: -1000, Account.PENDING: 1000}
    assert everything_found() == []


def test_what_exceeded_the_payment_gives_nothing_back(commission, till):
    till.refund("100.00")
    till.refund("30.00", ref="refund-2")

    till.cancel(refund="refund-2")

    assert amounts() == [-1000, 0, 0]
    assert Commission.objects.get().status == "reversed"
    till.cancel(ref="cancellation-2")
    assert amounts() == [-1000, 0, 0, 1000]
    assert everything_found() == []


def test_what_is_paid_stays_so_and_the_balance_rises(commission, till, staff, balance):
    bring_to(commission, CommissionStatus.PAID, actor=staff, now=AFTER_HOLD)
    till.refund("100.00", at=AFTER_HOLD + DAY)
    assert balance()[Account.PAYABLE] == -1000

    till.cancel("60.00", at=AFTER_HOLD + 2 * DAY)

    assert Commission.objects.get().status == "paid"
    assert balance()[Account.PAYABLE] == -400
    till.cancel(ref="cancellation-2", at=AFTER_HOLD + 2 * DAY)
    assert balance().get(Account.PAYABLE, 0) == 0


def test_what_was_reversed_when_its_payout_was_rejected_is_approved_again(
    commission, till, staff, balance
):
    bring_to(commission, CommissionStatus.APPROVED, actor=staff, now=AFTER_HOLD)
    payout = payout_of(commission, now=AFTER_HOLD)
    till.refund("100.00", at=AFTER_HOLD + DAY)
    give_back(payout, now=AFTER_HOLD + DAY)
    assert Commission.objects.get().status == "reversed"

    till.cancel(at=AFTER_HOLD + 2 * DAY)

    again = Commission.objects.get()
    assert (again.status, again.payout_id) == ("approved", None)
    assert balance() == {Account.EXPENSE: -1000, Account.PAYABLE: 1000}


def test_what_is_rejected_stays_so(commission, till, staff, balance):
    till.refund("40.00")
    reject(commission_ids=[commission.pk], actor_id=staff.pk, reason="No.", now=PAID_AT)

    till.cancel()

    assert amounts() == [-400]
    assert Commission.objects.get().status == "rejected"
    assert balance() == {}
    assert everything_found() == []


def test_share_goes_back_with_its_commission(
    brand, affiliate, rival, order, till, staff
):
    CommissionPlanFactory(brand=brand, is_default=True, recruiter_percent=10)
    affiliate.change(recruiter=rival)
    till.pay()
    own = Commission.objects.get(share_of=None)
    by_staff = {"actor_id": staff.pk, "reason": "Looked at.", "now": PAID_AT}
    hold(commission_ids=[own.pk], **by_staff)
    till.refund("100.00")

    till.cancel()

    own, share = Commission.objects.order_by("pk")
    assert (own.status, share.status, share.reason) == ("held", "held", "follows")
    release(commission_ids=[own.pk], **by_staff)
    till.refund("100.00", ref="refund-2")
    till.cancel(ref="cancellation-2", refund="refund-2", at=AFTER_HOLD)
    own, share = Commission.objects.order_by("pk")
    assert (own.status, share.status) == ("approved", "approved")
    assert history(share)[-2:] == [("reversed", "pending"), ("pending", "approved")]
    assert amounts() == [-1000, -100, 1000, 100] * 2
    assert everything_found() == []


def test_share_that_staff_released_still_waits_for_its_held_commission(
    brand, affiliate, rival, order, till, staff
):
    CommissionPlanFactory(brand=brand, is_default=True, recruiter_percent=10)
    affiliate.change(recruiter=rival)
    till.pay()
    own, share = Commission.objects.order_by("pk")
    by_staff = {"actor_id": staff.pk, "reason": "Looked at.", "now": PAID_AT}
    hold(commission_ids=[own.pk], **by_staff)
    release(commission_ids=[share.pk], **by_staff)
    till.refund("100.00")

    till.cancel(at=AFTER_HOLD)

    own, share = Commission.objects.order_by("pk")
    assert (own.status, share.status) == ("held", "pending")
    assert everything_found() == []


FACTS = {
    "paid": lambda till: till.pay(at=PAID_AT),
    "refunded": lambda till: till.refund("60.00", at=PAID_AT + DAY),
    "rest": lambda till: till.refund("40.00", ref="refund-2", at=PAID_AT + DAY),
    "cancelled": lambda till: till.cancel("20.01", at=PAID_AT + 2 * DAY),
}


@in_any_order("facts", [*FACTS])
def test_facts_in_any_order_end_the_same(facts, plan, order, till, balance):
    for fact in facts:
        FACTS[fact](till)
    for fact in reversed(facts):
        FACTS[fact](till)

    assert sum(amounts()) == -800
    assert sum(one.net.amount for one in SaleReversal.objects.all()) * 100 == -7999
    assert Commission.objects.get().status == "pending"
    assert balance() == {Account.EXPENSE: -200, Account.PENDING: 200}
    assert everything_found() == []


@in_any_order("facts", ["paid", "refunded", "cancelled"])
def test_facts_in_any_order_leave_what_is_held_for_no_time_approved(
    facts, brand, order, till, balance
):
    CommissionPlanFactory(
        brand=brand, is_default=True, hold_days=0, joining_bonus={"EUR": "25.00"}
    )
    tell = {
        "paid": till.pay,
        "refunded": lambda: till.refund("100.00"),
        "cancelled": till.cancel,
    }

    for fact in facts:
        tell[fact]()

    assert Commission.objects.get().status == "approved"
    assert Adjustment.objects.count() == 1
    assert balance() == {Account.EXPENSE: -3500, Account.PAYABLE: 3500}
    assert everything_found() == []


def test_more_than_the_refund_kept_before_it_cancels_the_refund_and_no_more(
    plan, order, till
):
    till.pay()
    till.cancel("70.00")
    till.cancel("70.00", ref="cancellation-2")
    till.cancel("1", ref="cancellation-3", currency="USD")

    till.refund("100.00")

    assert amounts() == [-1000, 700, 300, 0]
    assert Commission.objects.get().status == "pending"
    assert everything_found() == []


@pytest.mark.parametrize(
    ("_case", "told", "code"),
    [
        ("more than the refund", {"gross": "60.01"}, "exceeds_refund"),
        ("another currency", {"gross": "60", "currency": "USD"}, "currency_mismatch"),
        ("nothing", {"gross": "0"}, "invalid_amount"),
        ("too little to be kept", {"gross": "0.0004"}, "invalid_amount"),
        ("a long reference", {"ref": "c" * 65}, "too_long"),
        (
            "the reference of another refund",
            {"ref": "known", "refund": "refund-2", "gross": "10.00"},
            "cancellation_exists",
        ),
        ("another amount", {"ref": "known", "gross": "9"}, "cancellation_exists"),
        ("more than is left", {"gross": "50.01"}, "exceeds_refund"),
    ],
)
def test_cancellation_that_cannot_be_is_refused(_case, told, code, commission, till):
    till.refund("60.00")
    till.refund("40.00", ref="refund-2")
    till.cancel("10.00", ref="known")

    with nothing_written(), pytest.raises(InvalidInput) as refused:
        till.cancel(**{"gross": None, **told})

    assert refused.value.code == code


@pytest.mark.parametrize(
    "told",
    [
        {"invoice": "invoice-2", "gross": "60.00"},
        {"gross": "60.01"},
        {"gross": "60.00", "kind": RefundKind.CHARGEBACK},
    ],
    ids=["another invoice", "another amount", "another kind"],
)
def test_reference_of_another_refund_is_refused(told, commission, till):
    till.refund("60.00")

    with nothing_written(), pytest.raises(InvalidInput) as refused:
        till.refund(**told)

    assert refused.value.code == "refund_exists"


def test_whole_cancellation_of_what_is_cancelled_changes_nothing(commission, till):
    till.refund("60.00")
    till.cancel()

    till.cancel(ref="cancellation-2")

    assert amounts() == [-600, 600, 0]
    assert RefundCancellation.objects.count() == 2
    assert everything_found() == []
