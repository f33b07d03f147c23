"""Payouts through the simulated PayPal: on bad days, and with processes that die."""

from __future__ import annotations

from collections import Counter
from datetime import timedelta

import pytest

from affiliates.ledger.rules import Account
from affiliates.ledger.selectors import balance
from affiliates.payouts.sending.decisions import look_up_now
from affiliates.payouts.sending_models import PayoutSending
from affiliates.payouts.statement_models import PayoutStatement
from tests.portal.network.payout_day import BAD_DAYS
from tests.portal.network.paypal_day import PayPalDay

pytestmark = pytest.mark.django_db

MINUTE, DAY = timedelta(minutes=1), timedelta(days=1)


def test_a_run_of_twenty_with_each_fate(day):
    fates = ("unclaimed", "failed", "denied", "returned", "onhold")
    payouts = [day.approved(name, 1_000 + at) for at, name in enumerate(fates)]
    payouts += [day.approved(f"partner{at}", 2_000 + at) for at in range(15)]

    row = day.pay(*payouts)
    for _ in range(3):
        day.work(after=MINUTE)

    statuses = day.statuses()
    assert Counter(statuses.values()) == {"paid": 15, "exported": 3, "rejected": 2}
    assert {one for one in fates if statuses[one] == "rejected"} == {"failed", "denied"}
    assert day.paid_by_us() == day.paid_there()
    row.refresh_from_db()
    said = {one["detail"] for one in row.results.values()}
    assert "PayPal: UNCLAIMED. Receiver is unregistered" in said
    assert {one["fee"] for one in row.results.values()} == {"0.25 EUR"}

    day.work(after=31 * DAY)

    statuses = day.statuses()
    assert (statuses["unclaimed"], statuses["returned"]) == ("rejected", "rejected")
    assert statuses["onhold"] == "exported"
    [unclaimed] = [one for one in payouts if one.amount == 1_000]
    assert balance(unclaimed.affiliate_id, "EUR", Account.PAYABLE) == 1_000
    assert PayoutStatement.objects.count() == 15


def test_money_reversed_after_a_month_is_returned_when_paypal_calls(day, client):
    payout = day.approved("reversed", 1_500)
    row = day.pay(payout)
    day.work()
    day.work(after=MINUTE)
    assert day.statuses() == {"reversed": "paid"}
    day.at += 31 * DAY

    row.refresh_from_db()
    assert look_up_now(PayoutSending.objects.filter(pk=row.pk), now=day.at)
    day.work()

    assert day.statuses() == {"reversed": "returned"}
    assert balance(payout.affiliate_id, "EUR", Account.PAYABLE) == 1_500


def test_yen_have_no_decimals(day):
    day.pay(day.approved("partner", 5_000, "JPY"))
    day.work()
    day.work(after=MINUTE)

    assert day.statuses() == {"partner": "paid"}
    [batch] = day.network.state.paypal.batches.values()
    assert batch.items[0].sent["amount"] == {"currency": "JPY", "value": "5000"}


def test_five_hundred_are_read_by_pages(day):
    day.pay(*[day.approved(f"partner{at}", 100 + at) for at in range(60)])
    day.work()
    day.work(after=MINUTE)

    assert set(day.statuses().values()) == {"paid"}
    pages = [one for one in day.network.state.log if "page_size" in one.target]
    assert len(pages) == 3


@pytest.mark.parametrize("on", PayPalDay.faults)
@pytest.mark.parametrize("fault", BAD_DAYS)
def test_each_bad_day_ends_with_one_payment(day, on, fault):
    day.pay(day.approved("partner", 1_234))
    day.network.fault(on=on, **fault)

    for wait in (MINUTE, MINUTE, timedelta(hours=2), MINUTE, MINUTE):
        day.work(after=wait)

    assert day.statuses() == {"partner": "paid"}
    assert len(day.network.state.paypal.batches) == 1


def test_paypal_answers_late(day):
    day.network.settings.change({"paypal_settles_after_s": 7_200})
    row = day.pay(day.approved("partner", 1_234))

    day.work()
    day.work(after=MINUTE)
    row.refresh_from_db()
    assert (day.statuses(), row.state) == ({"partner": "exported"}, "unclear")
    for _ in range(4):
        day.work(after=timedelta(hours=1))

    assert day.statuses() == {"partner": "paid"}
