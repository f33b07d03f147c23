"""A paid payout that came back is undone by what is added, never by an edit."""

from __future__ import annotations

from datetime import timedelta

import pytest

from affiliates.commissions.models import Commission
from affiliates.errors import InvalidInput, StateConflict
from affiliates.payouts.services.confirmations import confirm_payout
from affiliates.payouts.services.returns import return_payout, return_payouts
from tests.affiliates.payouts.looking import standing, steps_of
from tests.database import nothing_written
from tests.factories.payouts import take_back


@pytest.fixture
def paid(approved, staff, now):
    def paid(*args, **fields):
        payout = approved(*args, **fields)
        return confirm_payout(
            payout_id=payout.pk, reference="PP-1", actor_id=staff.pk, now=now
        )

    return paid


def return_it(payout, *, staff, now, reason="Wrong account"):
    return return_payout(payout_id=payout.pk, reason=reason, actor_id=staff.pk, now=now)


def test_its_money_is_payable_again(affiliate, paid, staff, now):
    payout = paid()
    later = now + timedelta(days=3)

    return_it(payout, staff=staff, now=later)

    payout.refresh_from_db()
    assert (payout.status, payout.reason, payout.finished_at) == (
        "returned",
        "Wrong account",
        later,
    )
    assert standing(affiliate) == (10_000, 0, 0)
    assert steps_of(payout)[-1] == ("paid", "returned")
    commission = Commission.objects.get()
    assert (commission.status, commission.payout_id, commission.reason) == (
        "approved",
        None,
        "payout_returned",
    )


def test_what_was_refunded_meanwhile_stays_owed(affiliate, paid, staff, now):
    payout = paid()
    take_back(affiliate, 2_500)

    return_it(payout, staff=staff, now=now)

    assert standing(affiliate) == (7_500, 0, 0)


def test_repeat_changes_nothing(paid, staff, now):
    payout = paid()
    return_it(payout, staff=staff, now=now)

    with nothing_written():
        return_it(payout, staff=staff, now=now + timedelta(days=1), reason="Again")


def test_only_a_paid_one_comes_back(approved, staff, now):
    payout = approved()

    with nothing_written(), pytest.raises(StateConflict) as refused:
        return_it(payout, staff=staff, now=now)

    assert refused.value.code == "payout_not_paid"


def test_account_credit_cannot_come_back(paid, staff, now):
    payout = paid("wallet")

    with nothing_written(), pytest.raises(StateConflict) as refused:
        return_it(payout, staff=staff, now=now)

    assert refused.value.code == "credit_added"


def test_returned_one_is_not_rejected_or_confirmed(paid, staff, now):
    payout = paid()
    return_it(payout, staff=staff, now=now)

    with nothing_written(), pytest.raises(StateConflict):
        confirm_payout(
            payout_id=payout.pk, reference="PP-2", actor_id=staff.pk, now=now
        )


def test_many_come_back_each_for_itself(paid, approved, staff, now):
    done, waiting = paid(), approved(currency="USD")

    outcome = return_payouts(
        payout_ids=[done.pk, waiting.pk], reason="Closed", actor_id=staff.pk, now=now
    )

    assert (outcome.done, outcome.refused) == (
        1,
        (f"Payout {waiting.pk}: Only a paid payout can come back.",),
    )
    with nothing_written(), pytest.raises(InvalidInput):
        return_payouts(payout_ids=[done.pk], reason=" ", actor_id=staff.pk, now=now)
