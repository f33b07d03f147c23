"""A backup of before the sending is restored: nothing is sent by itself, or paid twice."""

from __future__ import annotations

from collections import Counter
from collections.abc import Callable, Iterator, Mapping
from contextlib import contextmanager
from datetime import timedelta
from io import StringIO
from itertools import product
from typing import Any
from unittest import mock

import pytest
import time_machine
from django.core.management import call_command

from affiliates.contrib.paypal.sender import CREATE
from affiliates.outbox.http.client import Transport
from affiliates.payouts.models import Payout
from affiliates.payouts.providers.references import payout_reference
from affiliates.payouts.rules import PayoutStatus
from affiliates.payouts.sending import services as sending
from affiliates.payouts.sending.decisions import look_up_now, release_account
from affiliates.payouts.sending.rules import TOO_LATE
from affiliates.payouts.sending.selectors import waits_for_person
from affiliates.payouts.sending_models import PayoutSending
from affiliates.payouts.services.confirmations import confirm_payout
from tests.affiliates.verification.finding import verify
from tests.lengths import times
from tests.portal.network.paypal_day import PayPalDay, day_of_sales
from tests.restoring import own_database
from tests.simulator import trusted_elsewhere

pytestmark = [pytest.mark.long, pytest.mark.django_db(transaction=True)]

MINUTE, HOUR, DAY = timedelta(minutes=1), timedelta(hours=1), timedelta(days=1)
BackUp = Callable[[str], None]

# What PayPal does to the first tries.
TRIES: Mapping[str, tuple[dict[str, Any], ...]] = {
    "taken": (),
    "taken, and the answer lost": ({"close_after_processing": True},),
    "refused": ({"status": 422, "body": "{}"},),
    "nobody knows, then refused": ({"status": 503}, {"status": 422, "body": "{}"}),
}
MOMENTS = (
    "requested",
    "approved",
    "in a batch",
    "first try begun",
    "first try ended",
    "one booked",
    "all booked",
)
# PayPal has forgotten a batch's number by the second. Briefly, some of each.
LATER = {"at once": MINUTE, "a month later": 31 * DAY}
CASES = list(product(MOMENTS, TRIES, LATER))[:: times(5, long=1)]


@pytest.fixture
def database(transactional_db, tmp_path):
    with own_database(tmp_path) as database:
        yield database


@pytest.fixture
def paypal(database, settings):
    with trusted_elsewhere(settings) as paypal:
        yield paypal


@pytest.mark.parametrize(("moment", "tries", "later"), CASES)
def test_a_restored_backup_pays_nothing_twice(database, paypal, moment, tries, later):
    day, payouts = day_of_sales(paypal, "first", "second", "last")
    *sent, unsent = payouts

    def back_up(name: str) -> None:
        if name == moment:
            database.back_up()

    with Transport(total_seconds=2) as day.transport:
        pay_until_booked(day, sent, TRIES[tries], back_up)
        paid = day.books()
        day.at += LATER[later]
        database.restore()
        run_after_restore(day)

        calls = creating_calls(day)
        # On the same day, numbers of batches that are lost are given again.
        for wait in (MINUTE, HOUR, HOUR):
            day.work(after=wait)
        assert (creating_calls(day), day.books()) == (calls, paid)

        compare(day)
        release_account(day.account.pk)
        day.work()
        day.work(after=MINUTE)
        compare(day)
        day.approve(unsent)
        day.pay(*Payout.objects.filter(status=PayoutStatus.APPROVED))
        day.work()
        day.work(after=MINUTE)

    items = Counter(row["sender_item_id"] for row in day.books("SUCCESS"))
    assert items == {payout_reference(payout.pk): 1 for payout in payouts}
    assert set(day.statuses().values()) == {"paid"}
    assert day.paid_by_us() == day.paid_there()
    lines, status = verify("--deep")
    assert status == 0, lines


def pay_until_booked(
    day: PayPalDay,
    payouts: list[Payout],
    faults: tuple[dict[str, Any], ...],
    back_up: BackUp,
) -> None:
    """Calls ``back_up`` at each of MOMENTS."""
    for fault in faults:
        day.caller.control("fault", on="paypal_create", **fault)
    back_up("requested")
    day.approve(*payouts)
    back_up("approved")
    day.pay(*payouts)
    back_up("in a batch")
    with backed_up_between(day, back_up):
        day.work()
        back_up("first try ended")
        for _ in range(4):
            day.work(after=MINUTE)
            day.give_back_unsent()
            approved = Payout.objects.filter(
                pk__in=[payout.pk for payout in payouts], status=PayoutStatus.APPROVED
            )
            if approved:
                day.pay(*approved)
    assert Counter(day.statuses().values()) == {"paid": 2, "requested": 1}
    back_up("all booked")


@contextmanager
def backed_up_between(day: PayPalDay, back_up: BackUp) -> Iterator[None]:
    """Backs up before the first call that may create a batch, and after a booking."""
    send, finish_payout = day.transport.send, sending.finish_payout
    begun: list[str] = []

    def backed_up_once(name: str) -> None:
        if name not in begun:
            begun.append(name)
            back_up(name)

    def watched_send(call: Any) -> Any:
        if call.url.endswith(CREATE):
            backed_up_once("first try begun")
        return send(call)

    def watched_finish(*args: Any, **values: Any) -> Any:
        payout = finish_payout(*args, **values)
        backed_up_once("one booked")
        return payout

    with (
        mock.patch.object(day.transport, "send", watched_send),
        mock.patch.object(sending, "finish_payout", watched_finish),
    ):
        yield


def run_after_restore(day: PayPalDay) -> None:
    with time_machine.travel(day.at, tick=False):
        call_command(
            "affiliates_after_restore", day.at.isoformat(), "--yes", stdout=StringIO()
        )


def creating_calls(day: PayPalDay) -> int:
    log = day.caller.shown("log")
    return sum(row["method"] == "POST" and row["target"] == CREATE for row in log)


def compare(day: PayPalDay) -> None:
    """Staff do what docs/how-to/after-a-restore.md says."""
    day.give_back_unsent()
    late = PayoutSending.objects.filter(detail=TOO_LATE)
    waiting = [row.pk for row in PayoutSending.objects.all() if waits_for_person(row)]
    look_up_now(
        PayoutSending.objects.filter(pk__in=waiting).exclude(pk__in=late), now=day.at
    )
    paid = {row["sender_item_id"]: row for row in day.books("SUCCESS")}
    undecided = Payout.objects.exclude(status=PayoutStatus.PAID)
    by_hand = undecided.filter(batch=None) | undecided.filter(batch__sending__in=late)
    for payout in by_hand.order_by("pk"):
        row = paid.get(payout_reference(payout.pk))
        if row is not None:
            day.approve(payout)
            confirm_payout(
                payout_id=payout.pk,
                reference=row["transaction_id"],
                actor_id=day.staff.pk,
                now=day.at,
            )
