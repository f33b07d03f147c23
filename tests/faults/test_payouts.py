"""Workers and staff killed while payouts are sent: each is paid once."""

from __future__ import annotations

import os
import random
import signal
import time
from collections import Counter

import pytest
from django.utils import timezone

from affiliates.outbox.queue.rules import QueueState
from affiliates.payouts.models import Payout
from affiliates.payouts.providers.references import payout_reference
from affiliates.payouts.rules import PayoutStatus
from affiliates.payouts.sending.decisions import look_up_now
from affiliates.payouts.sending_models import PayoutSending
from affiliates.worker.models import WorkerJob
from tests.affiliates.verification.finding import verify
from tests.faults.ledger_stand import await_no_session
from tests.faults.stand import await_condition, environment, forks
from tests.lengths import times
from tests.portal.network.payout_day import BAD_DAYS
from tests.portal.network.paypal_day import PayPalDay, day_of_sales
from tests.portal.network.test_payout_deaths import REFUSALS
from tests.races import needs_postgresql

pytestmark = [
    pytest.mark.long,
    needs_postgresql,
    pytest.mark.django_db(transaction=True),
]

KILLS = times(20, long=100)
FATES = {"failed": "rejected", "unclaimed": "exported", "partner": "paid"}
NAMES = (
    *(f"failed{number}" for number in range(3)),
    *(f"unclaimed{number}" for number in range(3)),
    *(f"partner{number}" for number in range(34)),
)
SECONDS = 60
# It answers so late, and a process is killed within some answers.
ANSWER_SECONDS = 0.05


def test_processes_killed_again_and_again_pay_each_payout_once(tracker):
    day, payouts = day_of_sales(tracker, *NAMES)
    day.at = timezone.now()
    tracker.settings.change({"clock": None})
    tracker.fault(times=None, delay_s=ANSWER_SECONDS)
    day.approve(*payouts)
    variables = {**environment(tracker), "EMAIL_URL": "dummymail://"}
    chance = random.Random(20_260_301)  # noqa: S311 - moments, not secrets
    interrupted = 0
    with (
        forks(variables, "affiliates_worker") as work,
        forks(variables, "tests.faults.payout_staff:pay_and_ask") as pay,
    ):
        for _ in range(KILLS):
            if chance.random() < 0.5:
                fault = chance.choice((*BAD_DAYS, *REFUSALS))
                tracker.fault(on=chance.choice(PayPalDay.faults), **fault)
            seen = len(tracker.state.log)
            pids = [work(), pay()]
            await_condition(
                lambda seen=seen: len(tracker.state.log) > seen, seconds=SECONDS
            )
            for pid in chance.sample(pids, 2):
                time.sleep(chance.uniform(0, 6 * ANSWER_SECONDS))
                os.kill(pid, signal.SIGKILL)
            await_no_session()
            interrupted += _pass_time()
        tracker.clear_faults()
        work()
        await_condition(lambda: _is_decided(day), seconds=SECONDS)

    # The kills met batches that were being sent or looked up.
    assert interrupted > KILLS // 4
    sent = Counter(row["sender_item_id"] for row in day.books())
    assert sent == {payout_reference(payout.pk): 1 for payout in payouts}
    assert day.paid_by_us() == day.paid_there()
    lines, status = verify("--deep")
    assert status == 0, lines


def _pass_time() -> int:
    """Ends all leases and waits. Returns the number of tries that nobody finished."""
    now = timezone.now()
    WorkerJob.objects.filter(name="payouts").update(lease_until=None, next_due_at=now)
    PayoutSending.objects.filter(next_at__gt=now).update(next_at=now)
    return PayoutSending.objects.filter(state=QueueState.SENDING).count()


def _is_decided(day: PayPalDay) -> bool:
    """Whether all is as PayPal says, with what staff do until then."""
    day.at = timezone.now()
    day.give_back_unsent()
    approved = Payout.objects.filter(status=PayoutStatus.APPROVED)
    if approved:
        day.pay(*approved)
    look_up_now(PayoutSending.objects.exclude(state=QueueState.SENT), now=day.at)
    WorkerJob.objects.filter(name="payouts").update(next_due_at=day.at)
    time.sleep(0.5)
    fates = {name: FATES[name.rstrip("0123456789")] for name in NAMES}
    return day.statuses() == fates
