"""Processes die between any two steps of sending, looking up and booking."""

from __future__ import annotations

from datetime import timedelta
from random import Random
from typing import Any
from unittest import mock

import pytest

from affiliates.outbox.queue import services as queue
from affiliates.payouts.models import OPEN_STATUSES, Payout
from affiliates.payouts.rules import PayoutStatus
from affiliates.payouts.sending import services as sending
from affiliates.payouts.sending.decisions import look_up_now
from affiliates.payouts.sending_models import PayoutSending
from tests.lengths import times
from tests.portal.network.payout_day import BAD_DAYS, PayoutDay
from tests.portal.network.paypal_day import PayPalDay
from tests.portal.network.wise_day import BalanceDay, WiseDay

pytestmark = pytest.mark.django_db

REFUSALS = ({"status": 400, "body": "{}"}, {"status": 422, "body": "{}"})
MINUTE, DAY = timedelta(minutes=1), timedelta(days=1)


class Killed(BaseException):
    """As by kill -9: what was not committed is rolled back."""


def dying(random: Random, step: Any, share: float) -> Any:
    """The step, whose process sometimes dies before or after it."""

    def act(*args: Any, **values: Any) -> Any:
        if random.random() < share:
            raise Killed
        done = step(*args, **values)
        if random.random() < share:
            raise Killed
        return done

    return act


def work_or_die(day: PayoutDay, random: Random, share: float) -> None:
    with (
        mock.patch.multiple(
            queue,
            take=dying(random, queue.take, share),
            begin=dying(random, queue.begin, share),
            finish=dying(random, queue.finish, share),
        ),
        mock.patch.multiple(
            sending,
            finish_payout=dying(random, sending.finish_payout, share),
            give_back=dying(random, sending.give_back, share),
            reject_payout=dying(random, sending.reject_payout, share),
            return_payout=dying(random, sending.return_payout, share),
        ),
        mock.patch.object(
            day.transport, "send", dying(random, day.transport.send, share)
        ),
    ):
        try:
            day.work()
        except Killed:
            pass


def pay_some(day: PayoutDay, random: Random, share: float = 0.7) -> None:
    """Staff pay what is approved, also what the provider has refused before."""
    approved = Payout.objects.filter(status=PayoutStatus.APPROVED).order_by("pk")
    chosen = [one for one in approved if random.random() < share]
    if chosen:
        day.pay(*chosen)


@pytest.mark.parametrize("day", [PayPalDay, WiseDay, BalanceDay], indirect=True)
@pytest.mark.parametrize("seed", times(range(5), long=range(200)))
def test_processes_die_anywhere_and_each_payout_is_paid_once(day, seed):
    random = Random(seed)  # noqa: S311 - it is no secret
    payouts = [
        day.approved(
            f"{random.choice((*day.fates, 'partner'))}{at}", random.randint(1, 9_999)
        )
        for at in range(4)
    ]
    for _ in range(random.randint(4, 9)):
        pay_some(day, random)
        if random.random() < 0.4:
            fault = random.choice((*BAD_DAYS, *REFUSALS))
            day.network.fault(on=random.choice(day.faults), **fault)
        work_or_die(day, random, share=day.death)
        if random.random() < 0.5:
            day.fund()
        day.at += random.choice((MINUTE, timedelta(minutes=20), DAY))
    day.network.clear_faults()

    for wait in (DAY, DAY, DAY, 31 * DAY, DAY):
        day.work(after=wait)
        pay_some(day, random, share=1)
        # As a provider does for money that comes back, and staff for what waits for them.
        look_up_now(PayoutSending.objects.filter(next_at=None), now=day.at)
        day.work()
        day.fund()
        look_up_now(PayoutSending.objects.all(), now=day.at)
        day.work()

    sent = day.sent()
    assert len(sent) == len(set(sent))
    assert set(sent) <= {f"PAYOUT-{one.pk}" for one in payouts}
    assert day.paid_by_us() == day.paid_there()
    open_ones = Payout.objects.filter(status__in=OPEN_STATUSES)
    assert not open_ones.exists()
