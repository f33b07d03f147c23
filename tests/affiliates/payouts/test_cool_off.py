"""Payouts of an affiliate whose client's credentials were changed lately."""

from __future__ import annotations

from datetime import timedelta

import pytest

from affiliates.contrib.payout_runs.models import PayoutRun
from affiliates.contrib.payout_runs.services.approvals import approve_run
from affiliates.contrib.payout_runs.services.drafts import run_of_payouts
from affiliates.errors import StateConflict
from affiliates.payouts.models import PayoutBatch
from affiliates.payouts.rules import COOLS_OFF, PayoutStatus
from affiliates.payouts.services.batches import export_batch
from affiliates.payouts.services.confirmations import confirm_payout
from affiliates.payouts.services.decisions import approve_payouts
from affiliates.payouts.services.destinations import cool_off
from tests.database import nothing_written

pytestmark = pytest.mark.django_db
WEEK = timedelta(days=7)


@pytest.fixture
def confirm(staff):
    def confirm(payout, *, at):
        return confirm_payout(
            payout_id=payout.pk, reference="Transfer 7", actor_id=staff.pk, now=at
        )

    return confirm


def test_a_requested_one_may_be_approved_and_is_not_exported(
    requested, affiliate, staff, now
):
    payout = requested()
    cool_off(affiliate, now=now)
    approve_payouts(payout_ids=[payout.pk], actor_id=staff.pk, now=now)

    with nothing_written(), pytest.raises(StateConflict) as refused:
        export_batch(payout_ids=[payout.pk], actor_id=staff.pk, now=now)

    assert refused.value.code == "destination_cooling_off"
    assert refused.value.detail == f"Payout {payout.pk}: {COOLS_OFF.detail}"
    export_batch(payout_ids=[payout.pk], actor_id=staff.pk, now=now + WEEK)
    assert PayoutBatch.objects.count() == 1


def test_an_approved_one_is_not_confirmed_before(approved, affiliate, confirm, now):
    payout = approved(to="offline")
    cool_off(affiliate, now=now)

    with nothing_written(), pytest.raises(StateConflict) as refused:
        confirm(payout, at=now + WEEK - timedelta(seconds=1))

    assert refused.value.code == "destination_cooling_off"
    assert confirm(payout, at=now + WEEK).status == PayoutStatus.PAID


@pytest.mark.django_db(transaction=True)
def test_account_credit_is_not_asked_for_before(
    approved, affiliate, confirm, wallet, now
):
    payout = approved(to="wallet")
    cool_off(affiliate, now=now)

    with pytest.raises(StateConflict) as refused:
        confirm(payout, at=now)

    payout.refresh_from_db()
    assert refused.value.code == "destination_cooling_off"
    assert (payout.status, wallet.asked) == (PayoutStatus.APPROVED, [])


def test_what_a_file_has_left_with_is_confirmed(
    approved, affiliate, confirm, staff, now
):
    payout = approved()
    export_batch(payout_ids=[payout.pk], actor_id=staff.pk, now=now)
    cool_off(affiliate, now=now)

    assert confirm(payout, at=now).status == PayoutStatus.PAID


def test_a_run_gives_the_money_back_and_pays_the_others(
    requested, affiliate, rival, staff, now
):
    waits, paid = requested(), requested(owner=rival)
    run = run_of_payouts(payout_ids=[waits.pk, paid.pk], actor_id=staff.pk, now=now)
    cool_off(affiliate, now=now)

    approve_run(run_id=run.pk, actor_id=staff.pk, now=now)

    waits.refresh_from_db()
    paid.refresh_from_db()
    assert (waits.status, waits.reason) == (PayoutStatus.REJECTED, COOLS_OFF.detail)
    assert paid.status == PayoutStatus.EXPORTED
    assert PayoutRun.objects.get().status == "approved"
