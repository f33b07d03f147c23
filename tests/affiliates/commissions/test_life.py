"""Which step may follow which, and what each does to the money."""

from __future__ import annotations

from typing import Any

import pytest

from affiliates.commissions.models import Commission
from affiliates.commissions.rules import CommissionStatus
from affiliates.commissions.services.staff import approve, hold, reject, release
from affiliates.errors import InvalidInput
from affiliates.ledger.rules import Account
from tests.affiliates.till import AFTER_HOLD, PAID_AT, history, written
from tests.factories.commissions import bring_to, give_back, pay, payout_of
from tests.factories.plans import CommissionPlanFactory

ACTIONS = {
    "approve": approve,
    "hold": hold,
    "release": release,
    "reject": reject,
}
# What staff make of each status; an action that is left out is refused.
LIFE: dict[str, dict[str, tuple[str, dict[Account, int]]]] = {
    "pending": {
        "hold": ("held", {Account.HELD: 1000}),
        "reject": ("rejected", {}),
    },
    "matured": {
        "approve": ("approved", {Account.PAYABLE: 1000}),
        "hold": ("held", {Account.HELD: 1000}),
        "reject": ("rejected", {}),
    },
    "held": {
        "release": ("matured", {Account.PENDING: 1000}),
        "reject": ("rejected", {}),
    },
    "approved": {
        "hold": ("held", {Account.HELD: 1000}),
        "reject": ("rejected", {}),
    },
    "rejected": {},
    "paid": {},
    "reversed": {},
}
ALLOWED = [
    (status, action, *result)
    for status, actions in LIFE.items()
    for action, result in actions.items()
]
REFUSED = [
    (status, action)
    for status, actions in LIFE.items()
    for action in ACTIONS
    if action not in actions
]


@pytest.fixture
def plan(brand):
    """10 % of everything, held for 30 days, approved by staff."""
    return CommissionPlanFactory(brand=brand, is_default=True, approves_itself=False)


@pytest.fixture
def come_to(commission, till, staff):
    def come_to(status: str) -> Commission:
        if status == "reversed":
            till.refund("100.00")
        else:
            wanted = CommissionStatus(status)
            bring_to(commission, wanted, actor=staff, now=AFTER_HOLD)
        commission.refresh_from_db()
        assert commission.status == status
        return commission

    return come_to


def act(action: str, commission: Commission, staff: Any, reason: str = "Seen") -> int:
    return ACTIONS[action](
        commission_ids=[commission.pk],
        actor_id=staff.pk,
        reason=reason,
        now=AFTER_HOLD,
    )


@pytest.mark.parametrize(("status", "action", "result", "accounts"), ALLOWED)
def test_allowed_step(status, action, result, accounts, come_to, staff, balance):
    commission = come_to(status)

    assert act(action, commission, staff) == 1

    commission.refresh_from_db()
    assert commission.status == result
    expense = {Account.EXPENSE: -1000} if accounts else {}
    assert balance() == expense | accounts
    by_staff = commission.events.filter(actor=staff).last()
    assert (by_staff.before, by_staff.reason_text) == (status, "Seen")


@pytest.mark.parametrize(("status", "action"), REFUSED)
def test_refused_step_writes_nothing(status, action, come_to, staff):
    commission = come_to(status)
    before = written()

    assert act(action, commission, staff) == 0

    assert written() == before


@pytest.mark.parametrize("action", ACTIONS)
def test_nothing_is_done_to_what_is_in_a_payout(action, come_to, staff):
    commission = come_to("approved")
    payout_of(commission, now=AFTER_HOLD)
    before = written()

    assert act(action, commission, staff) == 0

    assert written() == before


@pytest.mark.parametrize(
    ("action", "reason", "code"),
    [
        *((action, "x" * 256, "max_length") for action in ACTIONS),
        *((action, "", "required") for action in ACTIONS if action != "approve"),
        *((action, "  ", "required") for action in ACTIONS if action != "approve"),
    ],
)
def test_step_without_a_fitting_reason_is_refused(
    action, reason, code, commission, staff
):
    before = written()

    with pytest.raises(InvalidInput) as refusal:
        act(action, commission, staff, reason)

    assert refusal.value.code == code
    assert written() == before


def test_sentence_for_the_affiliate_is_kept_with_the_step(commission, staff):
    acting = {"commission_ids": [commission.pk], "actor_id": staff.pk, "now": PAID_AT}
    before = written()
    with pytest.raises(InvalidInput) as refusal:
        reject(reason="Spam", for_affiliate="x" * 256, **acting)
    assert (refusal.value.field, written()) == ("for_affiliate", before)

    reject(reason="Spam", for_affiliate=" Sent by spam. ", **acting)

    commission.refresh_from_db()
    step = commission.events.last()
    details = {"note": "Spam", "for_affiliate": "Sent by spam."}
    assert (step.reason_details, commission.reason_details) == (details, details)
    assert step.reason_text == "Spam (To the affiliate: Sent by spam.)"


def test_approval_needs_no_reason(come_to, staff):
    commission = come_to("matured")

    assert act("approve", commission, staff, " ") == 1

    assert commission.events.latest("pk").reason_text == "Approved by staff."


def test_commission_that_changed_meanwhile_is_skipped_and_the_others_are_not(
    commission, rival, till, staff
):
    act("reject", commission, staff)

    assert act("reject", commission, staff) == 0
    assert history(commission) == [("", "pending"), ("pending", "rejected")]


def test_released_before_its_hold_is_over_goes_on_waiting(commission, staff):
    acting = {"commission_ids": [commission.pk], "actor_id": staff.pk, "now": PAID_AT}
    hold(reason="Odd", **acting)
    release(reason="Fine", **acting)

    commission.refresh_from_db()
    assert commission.status == "pending"
    assert history(commission)[1:] == [("pending", "held"), ("held", "pending")]


def test_only_what_refunds_left_moves_on(commission, till, staff, balance):
    till.refund("30.00")

    act("hold", commission, staff)

    assert balance() == {Account.EXPENSE: -700, Account.HELD: 700}


def test_payout_that_is_paid_makes_its_commissions_paid(come_to, staff, balance):
    commission = come_to("paid")

    assert commission.payout is not None
    assert history(commission)[-2:] == [("approved", "approved"), ("approved", "paid")]
    assert balance() == {Account.EXPENSE: -1000, Account.PAID_OUT: 1000}


def test_payout_that_is_rejected_gives_its_commissions_back(come_to, balance):
    commission = come_to("approved")
    payout = payout_of(commission, now=AFTER_HOLD)

    give_back(payout, now=AFTER_HOLD)

    commission.refresh_from_db()
    assert (commission.status, commission.payout) == ("approved", None)
    assert balance() == {Account.EXPENSE: -1000, Account.PAYABLE: 1000}


def test_taken_back_while_in_a_payout_is_reversed_when_that_is_rejected(
    come_to, till, balance
):
    commission = come_to("approved")
    payout = payout_of(commission, now=AFTER_HOLD)
    till.refund("100.00", at=AFTER_HOLD)
    commission.refresh_from_db()
    assert commission.status == "approved"

    give_back(payout, now=AFTER_HOLD)

    commission.refresh_from_db()
    assert (commission.status, commission.payout) == ("reversed", None)
    assert balance() == {}


def test_taken_back_while_in_a_payout_is_carried_when_that_is_paid(
    come_to, till, staff, balance
):
    commission = come_to("approved")
    payout = payout_of(commission, now=AFTER_HOLD)
    till.refund("40.00", at=AFTER_HOLD)

    pay(payout, actor=staff, now=AFTER_HOLD)

    commission.refresh_from_db()
    assert commission.status == "paid"
    assert balance() == {
        Account.EXPENSE: -600,
        Account.PAYABLE: -400,
        Account.PAID_OUT: 1000,
    }
