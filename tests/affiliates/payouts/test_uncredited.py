"""Account credit that the host refuses for good is rejected by whoever has looked."""

from __future__ import annotations

from datetime import timedelta

import pytest

from affiliates.commissions.models import Commission
from affiliates.errors import InvalidInput, NotFound, StateConflict
from affiliates.payouts.services.batches import export_batch
from affiliates.payouts.services.confirmations import confirm_payout
from affiliates.payouts.services.decisions import reject_payout
from tests.affiliates.payouts.looking import standing
from tests.database import nothing_written
from tests.races import at_once, needs_postgresql

WALLET = "wallet"


@pytest.fixture
def unclear(approved, staff, now, wallet):
    """A payout whose first try ended unseen, and which the host refuses since."""
    payout = approved(WALLET)
    wallet.failure = ConnectionError("the wallet is elsewhere and silent")
    with pytest.raises(ConnectionError):
        confirm(payout, staff=staff, now=now)
    wallet.failure = NotFound()
    payout.refresh_from_db()
    return payout


def confirm(payout, *, staff, now):
    return confirm_payout(payout_id=payout.pk, reference="", actor_id=staff.pk, now=now)


def reject_uncredited(payout, *, staff, now, reason="Looked: nothing was credited"):
    return reject_payout(
        payout_id=payout.pk,
        reason=reason,
        actor_id=staff.pk,
        now=now,
        is_uncredited=True,
    )


def test_credit_refused_for_good_is_rejected_by_whoever_has_looked(
    affiliate, host, unclear, staff, now, wallet
):
    refused_at = now + timedelta(minutes=2)
    with pytest.raises(NotFound):
        confirm(unclear, staff=staff, now=refused_at)
    later = refused_at + timedelta(minutes=2)
    with nothing_written(), pytest.raises(StateConflict) as refused:
        reject_payout(payout_id=unclear.pk, reason="Gone", actor_id=staff.pk, now=later)

    reject_uncredited(unclear, staff=staff, now=later)
    with nothing_written():
        reject_uncredited(unclear, staff=staff, now=later)

    assert refused.value.code == "credit_unclear"
    unclear.refresh_from_db()
    assert (unclear.status, unclear.finished_at) == ("rejected", later)
    last = unclear.events.last()
    assert (last.before, last.after, last.reason, last.actor_id, last.at) == (
        "exported",
        "rejected",
        "Looked: nothing was credited",
        staff.pk,
        later,
    )
    assert standing(affiliate) == (10_000, 0, 0)
    commission = Commission.objects.get()
    assert (commission.status, commission.payout) == ("approved", None)
    with nothing_written(), pytest.raises(StateConflict):
        confirm(unclear, staff=staff, now=later + timedelta(minutes=2))
    assert len(wallet.asked) == 2


def test_credit_under_way_is_not_rejected_as_not_credited(unclear, staff, now):
    with nothing_written(), pytest.raises(StateConflict) as refused:
        reject_uncredited(unclear, staff=staff, now=now + timedelta(seconds=119))

    assert refused.value.code == "credit_under_way"


def test_rejection_as_not_credited_needs_a_reason(unclear, staff, now):
    with nothing_written(), pytest.raises(InvalidInput) as refused:
        reject_uncredited(
            unclear, staff=staff, now=now + timedelta(minutes=2), reason=" "
        )

    assert (refused.value.code, refused.value.field) == ("required", "reason")


@pytest.mark.parametrize(
    ("_case", "to", "is_exported"),
    [
        ("approved", WALLET, False),
        ("in a file", "paypal", True),
    ],
)
def test_what_is_not_unclear_is_not_rejected_as_not_credited(
    approved, staff, now, _case, to, is_exported
):
    payout = approved(to)
    if is_exported:
        export_batch(payout_ids=[payout.pk], actor_id=staff.pk, now=now)

    with nothing_written(), pytest.raises(StateConflict) as refused:
        reject_uncredited(payout, staff=staff, now=now + timedelta(minutes=2))

    assert refused.value.code == "credit_not_unclear"


def test_paid_credit_is_not_rejected_as_not_credited(approved, staff, now):
    payout = approved(WALLET)
    confirm(payout, staff=staff, now=now)

    with nothing_written(), pytest.raises(StateConflict) as refused:
        reject_uncredited(payout, staff=staff, now=now + timedelta(minutes=2))

    assert refused.value.code == "credit_not_unclear"


@needs_postgresql
@pytest.mark.django_db(transaction=True)
def test_confirmed_and_rejected_as_not_credited_at_once_is_one_of_both(
    affiliate, host, unclear, staff, now, wallet
):
    wallet.failure = None
    later = now + timedelta(minutes=2)

    def act(number):
        do = reject_uncredited if number % 2 else confirm
        try:
            do(unclear, staff=staff, now=later)
        except StateConflict:
            return "refused"
        return "done"

    at_once(10, act)

    unclear.refresh_from_db()
    assert (standing(affiliate), host.wallet_balance(affiliate.user).amount) == {
        "paid": ((0, 0, 10_000), 100),
        "rejected": ((10_000, 0, 0), 0),
    }[unclear.status]
