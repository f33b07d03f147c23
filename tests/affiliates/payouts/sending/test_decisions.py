"""What persons, providers that call and a restore decide."""

from __future__ import annotations

from datetime import timedelta

import pytest

from affiliates.errors import StateConflict
from affiliates.outbox.http.types import FailureKind
from affiliates.outbox.queue.rules import QueueState
from affiliates.outbox.types import OutcomeKind
from affiliates.payouts.providers.sender import BatchAnswer
from affiliates.payouts.sending.decisions import (
    RESTORED,
    doubt_batches,
    hold_accounts,
    look_up_now,
    release_account,
    resolve_unsent,
)
from affiliates.payouts.sending.rules import TOO_LATE
from affiliates.payouts.sending.services import DECIDED
from affiliates.payouts.sending_models import PayoutSending
from affiliates.payouts.services.batches import export_batch
from affiliates.payouts.services.confirmations import confirm_payout
from affiliates.payouts.services.decisions import reject_payout
from tests.affiliates.payouts.sending.conftest import state_of, status_of
from tests.database import nothing_written

pytestmark = pytest.mark.django_db

QUICK = timedelta(seconds=5)
DAY = timedelta(days=1)


def test_it_is_too_late_to_send_again_after_29_days(desk, approved, provider):
    payout = approved()
    sending = desk.send(payout)
    desk.line.failures = [FailureKind.NO_ANSWER]
    desk.work()

    assert desk.work(after=29 * DAY) == {"unclear": 1}

    assert provider.sends == 1
    assert (state_of(sending)[2], status_of(payout)) == (False, "exported")
    assert "too late to send it again" in sending.detail


def test_a_person_finds_that_nothing_was_sent(desk, approved, provider, staff):
    payout = approved()
    sending = desk.send(payout)
    desk.line.failures = [FailureKind.NO_ANSWER]
    desk.work()
    with nothing_written(), pytest.raises(StateConflict, match="waits for a person"):
        resolve_unsent(sending.pk, reason="Looked.", actor_id=staff.pk, now=desk.at)
    desk.work(after=29 * DAY)

    assert (
        resolve_unsent(sending.pk, reason="Looked.", actor_id=staff.pk, now=desk.at)
        == 1
    )

    assert (status_of(payout), payout.batch) == ("approved", None)
    assert state_of(sending)[0] == QueueState.NOT_SENT
    desk.send(payout)
    desk.work()
    desk.work(after=QUICK)
    assert status_of(payout) == "paid"


@pytest.mark.parametrize("tries", [0, 1])
def test_what_is_being_sent_is_neither_rejected_nor_confirmed_by_hand(
    desk, approved, staff, tries
):
    payout = approved()
    desk.send(payout)
    for _ in range(tries):
        desk.work()
    common = {"payout_id": payout.pk, "actor_id": staff.pk, "now": desk.at}

    with nothing_written():
        with pytest.raises(StateConflict) as rejected:
            reject_payout(**common, reason="No.")
        with pytest.raises(StateConflict) as confirmed:
            confirm_payout(**common, reference="By hand.")

    assert rejected.value.code == confirmed.value.code == "being_sent"


def test_nothing_new_is_sent_after_a_restore_until_somebody_has_compared(
    desk, approved, provider, account, now
):
    account.created_at = now - DAY
    account.save()
    sent, waits = approved(), None
    first = desk.send(sent)
    desk.work()

    assert hold_accounts(restored_at=now) == 1
    waits = approved(currency="USD")
    second = desk.send(waits)
    desk.work(after=QUICK)

    # What was sent is still looked up.
    assert (status_of(sent), status_of(waits)) == ("paid", "exported")
    assert (state_of(first)[0], state_of(second)[0]) == ("sent", "waiting")
    release_account(account.pk)
    desk.work()
    desk.work(after=QUICK)
    assert status_of(waits) == "paid"


@pytest.mark.parametrize("tries", [0, 1])
def test_an_unanswered_batch_waits_for_a_person_after_a_restore(
    desk, approved, provider, account, tries
):
    payout = approved()
    sending = desk.send(payout)
    for _ in range(tries):
        desk.line.failures = [FailureKind.NO_ANSWER]
        desk.work()

    assert doubt_batches(restored_at=desk.at) == 1

    assert desk.work(after=DAY) == {}
    assert (provider.sends, status_of(payout)) == (tries, "exported")
    assert state_of(sending) == (QueueState.UNCLEAR, RESTORED, False)
    # The person has looked, and the account is held all the same.
    hold_accounts(restored_at=sending.account.created_at)
    look_up_now(PayoutSending.objects.all(), now=desk.at)
    assert desk.work() == {}
    release_account(account.pk)
    assert desk.work() == {"unclear": 1}
    desk.work(after=2 * QUICK)
    assert (status_of(payout), len(provider.taken)) == ("paid", 1)


def test_no_refusal_is_final_after_a_restore(desk, approved, provider):
    payout = approved()
    sending = desk.send(payout)
    doubt_batches(restored_at=desk.at)
    look_up_now(PayoutSending.objects.all(), now=desk.at)
    provider.refuses = BatchAnswer(kind=OutcomeKind.REJECTED, detail="No funds.")

    assert desk.work() == {"unclear": 1}

    assert status_of(payout) == "exported"
    assert state_of(sending) == (QueueState.UNCLEAR, "No funds.", False)


def test_the_first_try_may_be_as_old_as_the_batch_after_a_restore(
    desk, approved, provider
):
    payout = approved()
    sending = desk.send(payout)
    doubt_batches(restored_at=desk.at)
    desk.at += 29 * DAY
    look_up_now(PayoutSending.objects.all(), now=desk.at)

    assert desk.work() == {"unclear": 1}

    assert (provider.sends, status_of(payout)) == (0, "exported")
    assert state_of(sending) == (QueueState.UNCLEAR, TOO_LATE, False)


@pytest.mark.parametrize("decide", [confirm_payout, reject_payout])
def test_a_batch_is_not_sent_again_once_a_payout_was_decided_by_hand(
    desk, approved, another, provider, staff, decide
):
    decided, waits = approved(), approved(owner=another())
    sending = desk.send(decided, waits)
    desk.line.failures = [FailureKind.NO_ANSWER]
    desk.work()
    provider.refuses = BatchAnswer(kind=OutcomeKind.REJECTED, detail="No funds.")
    desk.work(after=timedelta(minutes=1))
    why = {"reference": "T-1"} if decide is confirm_payout else {"reason": "No."}
    decide(payout_id=decided.pk, actor_id=staff.pk, now=desk.at, **why)
    provider.refuses = None

    look_up_now(PayoutSending.objects.all(), now=desk.at)
    assert desk.work() == {"unclear": 1}

    assert (provider.sends, provider.taken) == (2, {})
    assert state_of(sending) == (QueueState.UNCLEAR, DECIDED, False)
    count = resolve_unsent(sending.pk, reason="Looked.", actor_id=staff.pk, now=desk.at)
    assert (count, status_of(waits)) == (1, "approved")


def test_an_account_that_is_off_sends_nothing_and_files_are_written_again(
    desk, approved, provider, account, another
):
    payout = approved()
    sending = desk.send(payout)
    account.is_active = False
    account.save()

    assert desk.work(after=DAY) == {}

    assert state_of(sending)[0] == QueueState.WAITING
    other = approved(owner=another(), currency="USD")
    batch = export_batch(payout_ids=[other.pk], actor_id=desk.staff.pk, now=desk.at)
    assert not hasattr(batch, "sending")


def test_what_the_provider_paid_and_is_rejected_here_waits_for_a_person(
    desk, approved, provider, staff
):
    payout = approved()
    sending = desk.send(payout)
    desk.work()
    PayoutSending.objects.update(next_at=None)
    reject_payout(payout_id=payout.pk, reason="No.", actor_id=staff.pk, now=desk.at)

    assert look_up_now(PayoutSending.objects.filter(pk=sending.pk), now=desk.at)
    desk.work()

    assert status_of(payout) == "rejected"
    assert state_of(sending)[::2] == (QueueState.UNCLEAR, False)
    problem = sending.results[f"PAYOUT-{payout.pk}"]["problem"]
    assert problem == "The provider has paid it, and it is rejected here."
