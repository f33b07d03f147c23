"""Workers that die or hang with sales under way: nothing is lost, nothing is told twice."""

from __future__ import annotations

import json
import os
import random
import signal
import time
from collections import defaultdict
from urllib.parse import parse_qs, urlsplit

import pytest

from affiliates.outbox.models.delivery import DeliveryAttempt
from affiliates.outbox.queue.rules import QueueState
from affiliates.outbox.sending.begin import INTERRUPTED
from affiliates.outbox.types import Operation
from portal.demo.network.server import Simulator
from tests.faults.stand import (
    Shop,
    await_condition,
    environment,
    forks,
    open_deliveries,
    sales_by_order,
    states_of,
)
from tests.lengths import times
from tests.races import needs_postgresql

pytestmark = [
    pytest.mark.long,
    needs_postgresql,
    pytest.mark.django_db(transaction=True),
]

KILLS = times(5, long=100)
# The sales for each worker that is killed, and how long the tracker takes for one.
SALES_EACH = 10
ANSWER_SECONDS = 0.2


def test_a_worker_killed_again_and_again_loses_nothing_and_tells_nothing_twice(
    brand, integration, tracker
):
    shop = Shop(brand)
    tracker.fault(times=None, delay_s=ANSWER_SECONDS, on="sale")
    sold: list[str] = []
    chance = random.Random(20_260_301)  # noqa: S311 - moments, not secrets
    with forks(environment(tracker), "deliver") as fork:
        for _ in range(KILLS):
            # Those before may all be sent by now.
            sold += [shop.sell() for _ in range(SALES_EACH)]
            pid = fork()
            _await_sale_under_way(tracker)
            time.sleep(chance.uniform(0, 1.5 * ANSWER_SECONDS))
            os.kill(pid, signal.SIGKILL)
        tracker.clear_faults()
        fork()
        await_condition(lambda: not open_deliveries(), seconds=120)

    sales = sales_by_order(tracker)
    assert set(sales) == set(sold)
    assert set(sales.values()) == {1}
    assert _sent_identities(tracker).keys() == set(sold)
    assert {len(one) for one in _sent_identities(tracker).values()} == {1}
    # The kills met sales under way, several at a time.
    cut = DeliveryAttempt.objects.filter(operation=Operation.SALE, detail=INTERRUPTED)
    assert cut.values("delivery").distinct().count() > KILLS


def test_a_worker_that_hangs_beyond_its_lease_tells_nothing_twice(
    brand, integration, tracker
):
    """Its sales are taken over; when it goes on, it still believes them to be its own."""
    shop = Shop(brand)
    tracker.fault(times=None, delay_s=ANSWER_SECONDS, on="sale")
    sold = [shop.sell() for _ in range(SALES_EACH)]
    with forks(environment(tracker), "deliver") as fork:
        hanging = fork()
        # All of them: nothing can hold back one that hangs between its last look at the
        # lease and its call.
        await_condition(lambda: _sale_requests(tracker) >= SALES_EACH, seconds=60)
        os.kill(hanging, signal.SIGSTOP)
        fork()
        await_condition(lambda: not open_deliveries(), seconds=120)
        os.kill(hanging, signal.SIGCONT)
        sold += [shop.sell() for _ in range(SALES_EACH)]
        await_condition(lambda: not open_deliveries(), seconds=120)

    assert sales_by_order(tracker) == dict.fromkeys(sold, 1)
    assert states_of(Operation.SALE) == {QueueState.SENT}
    cut = DeliveryAttempt.objects.filter(operation=Operation.SALE, detail=INTERRUPTED)
    assert cut.exists()


def _await_sale_under_way(tracker: Simulator) -> None:
    """Until a sale arrives after now: its worker waits for the answer."""
    seen = _sale_requests(tracker)
    await_condition(lambda: _sale_requests(tracker) > seen, seconds=60)


def _sale_requests(tracker: Simulator) -> int:
    with tracker.state.lock:
        return sum(b"sale=" in one.body for one in tracker.state.log)


def _sent_identities(tracker: Simulator) -> dict[str, set[tuple[str, str]]]:
    """The visitor and the whole sale as they were sent, by order."""
    identities = defaultdict(set)
    for request in tracker.state.log:
        for text in parse_qs(request.body.decode()).get("sale", []):
            visitor = parse_qs(urlsplit(request.target).query)["visitorId"][0]
            for sale in json.loads(text):
                sent = json.dumps(sale, sort_keys=True)
                identities[sale["o"]].add((visitor, sent))
    return identities
