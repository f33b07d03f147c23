"""Staff approve and reject."""

from __future__ import annotations

import pytest

from affiliates.commissions.models import Commission
from affiliates.errors import InvalidInput, NotFound, StateConflict
from affiliates.payouts.services.batches import export_batch
from affiliates.payouts.services.confirmations import confirm_payout
from affiliates.payouts.services.decisions import (
    approve_payouts,
    reject_payout,
    reject_payouts,
)
from affiliates.payouts.services.requests import request_payout
from affiliates.program.rules import AffiliateStatus
from tests.affiliates.payouts.looking import standing, steps_of
from tests.database import nothing_written
from tests.factories.affiliates import AffiliateFactory
from tests.races import at_once, needs_postgresql


def approve(*payouts, staff, now):
    return approve_payouts(
        payout_ids=[payout.pk for payout in payouts], actor_id=staff.pk, now=now
    )


def reject(payout, *, staff, now, reason="Unknown account"):
    return reject_payout(payout_id=payout.pk, reason=reason, actor_id=staff.pk, now=now)


def test_approved_in_bulk(affiliate, brand, host, requested, staff, now):
    other = AffiliateFactory(
        brand=brand, user=host.client(brand, email="other@example.com")
    )
    payouts = [requested(), requested(owner=other)]

    outcome = approve(*payouts, staff=staff, now=now)

    assert (outcome.done, outcome.refused) == (2, ())
    for payout in payouts:
        payout.refresh_from_db()
        assert (payout.status, payout.finished_at) == ("approved", None)
        assert steps_of(payout) == [("", "requested"), ("requested", "approved")]
        assert payout.events.last().actor_id == staff.pk


def test_second_staff_is_told_who_was_first(requested, staff, affiliate, now):
    payout = requested()
    approve(payout, staff=staff, now=now)

    with nothing_written():
        outcome = approve(payout, staff=affiliate.user, now=now)

    assert outcome.done == 0
    assert outcome.refused == (f"Payout {payout.pk}: Approved already by {staff}.",)


def test_payout_of_an_affiliate_suspended_meanwhile_is_not_approved(
    affiliate, requested, staff, now
):
    payout = requested()
    affiliate.status = AffiliateStatus.SUSPENDED
    affiliate.save(update_fields=["status"])

    with nothing_written():
        outcome = approve(payout, staff=staff, now=now)

    assert outcome.refused == (
        f"Payout {payout.pk}: An affiliate that is pending or suspended is not paid.",
    )


@pytest.mark.parametrize("to", ["paypal", "wallet"])
def test_affiliate_suspended_after_the_approval_is_not_paid(
    affiliate, approved, staff, now, to
):
    payout = approved(to=to)
    affiliate.status = AffiliateStatus.SUSPENDED
    affiliate.save(update_fields=["status"])
    acting = {"actor_id": staff.pk, "now": now}
    pay = {
        "paypal": lambda: export_batch(payout_ids=[payout.pk], **acting),
        "wallet": lambda: confirm_payout(payout_id=payout.pk, reference="", **acting),
    }[to]

    with nothing_written(), pytest.raises(StateConflict) as refused:
        pay()

    assert refused.value.code == "affiliate_inactive"


def test_unknown_payout_is_nothing_to_approve(db, now):
    outcome = approve_payouts(payout_ids=[0], actor_id=None, now=now)

    assert (outcome.done, outcome.refused) == (0, ())


@pytest.mark.parametrize("is_approved", [False, True])
def test_rejected_money_is_payable_again(affiliate, requested, staff, now, is_approved):
    payout = requested()
    if is_approved:
        approve(payout, staff=staff, now=now)

    reject(payout, staff=staff, now=now)

    payout.refresh_from_db()
    assert (payout.status, payout.reason, payout.finished_at) == (
        "rejected",
        "Unknown account",
        now,
    )
    assert standing(affiliate) == (10_000, 0, 0)
    commission = Commission.objects.get()
    assert (commission.status, commission.payout) == ("approved", None)
    last = payout.events.last()
    assert (last.after, last.reason, last.actor_id) == (
        "rejected",
        "Unknown account",
        staff.pk,
    )


def test_exported_one_that_the_bank_returned_is_rejected_and_asked_for_anew(
    affiliate, approved, staff, now
):
    payout = approved()
    export_batch(payout_ids=[payout.pk], actor_id=staff.pk, now=now)

    reject(payout, staff=staff, now=now)
    again = request_payout(affiliate_id=affiliate.pk, currency="EUR", now=now)

    assert again.amount == 10_000
    assert standing(affiliate) == (0, 10_000, 0)


def test_repeated_rejection_changes_nothing(requested, staff, now):
    payout = requested()
    reject(payout, staff=staff, now=now)

    with nothing_written():
        reject(payout, staff=staff, now=now, reason="Another reason")


@pytest.mark.parametrize(
    ("code", "reason"),
    [("required", ""), ("required", "  "), ("max_length", "a" * 256)],
)
def test_rejection_needs_a_reason(requested, staff, now, code, reason):
    payout = requested()

    with nothing_written(), pytest.raises(InvalidInput) as refused:
        reject(payout, staff=staff, now=now, reason=reason)

    assert (refused.value.code, refused.value.field) == (code, "reason")


def test_paid_one_is_not_rejected(approved, staff, now):
    payout = approved()
    confirm_payout(payout_id=payout.pk, reference="PP-1", actor_id=staff.pk, now=now)

    with nothing_written(), pytest.raises(StateConflict) as refused:
        reject(payout, staff=staff, now=now)

    assert refused.value.code == "payout_paid"


def test_bulk_rejection_says_of_each_that_stays_why(approved, requested, staff, now):
    paid = approved()
    confirm_payout(payout_id=paid.pk, reference="PP-1", actor_id=staff.pk, now=now)
    payout = requested(currency="USD", to="wallet")

    outcome = reject_payouts(
        payout_ids=[payout.pk, paid.pk, 0],
        reason="Closed",
        actor_id=staff.pk,
        now=now,
    )

    assert outcome.done == 1
    assert outcome.refused == (
        "Payout 0: Not found.",
        f"Payout {paid.pk}: It is paid already.",
    )


def test_unknown_payout_is_not_found(db, staff, now):
    with pytest.raises(NotFound):
        reject_payout(payout_id=0, reason="x", actor_id=staff.pk, now=now)


@needs_postgresql
@pytest.mark.django_db(transaction=True)
def test_of_two_staff_at_once_one_approves_and_the_other_is_told(
    requested, staff, rival, now
):
    payout = requested()
    people = [staff, rival.user]

    outcomes = at_once(2, lambda number: approve(payout, staff=people[number], now=now))

    winner = [outcome.done for outcome in outcomes].index(1)
    assert [outcome.done for outcome in outcomes].count(1) == 1
    assert outcomes[1 - winner].refused == (
        f"Payout {payout.pk}: Approved already by {people[winner]}.",
    )
    assert steps_of(payout) == [("", "requested"), ("requested", "approved")]


@needs_postgresql
@pytest.mark.django_db(transaction=True)
def test_confirmed_and_rejected_at_once_is_one_of_both(approved, staff, affiliate, now):
    payout = approved()

    def act(number):
        try:
            if number % 2:
                reject(payout, staff=staff, now=now)
            else:
                confirm_payout(
                    payout_id=payout.pk, reference="PP-1", actor_id=staff.pk, now=now
                )
        except StateConflict:
            return "refused"
        return "done"

    at_once(10, act)

    payout.refresh_from_db()
    assert (
        standing(affiliate)
        == {
            "paid": (0, 0, 10_000),
            "rejected": (10_000, 0, 0),
        }[payout.status]
    )
    assert payout.postings.count() == 2
