"""Payouts through the simulated Wise: on bad days, and funded by a person."""

from __future__ import annotations

import json
from datetime import timedelta
from decimal import Decimal

import pytest
from django.test import Client

from affiliates.contrib.wise.group import AUTHENTICATION, FUND_PAGE
from affiliates.ledger.rules import Account
from affiliates.ledger.selectors import balance
from affiliates.outbox.http.types import CallFailed, FailureKind
from affiliates.payouts.papers.content import paper_of
from affiliates.payouts.sending.decisions import look_up_now
from affiliates.payouts.sending.services import LEASE
from affiliates.payouts.sending_models import PayoutSending
from affiliates.payouts.statement_models import PayoutStatement
from tests.portal.network.payout_day import BAD_DAYS
from tests.portal.network.wise_day import BalanceDay, WiseDay

MINUTE, DAY = timedelta(minutes=1), timedelta(days=1)
GBP = {"payout_currency": "GBP", "sort_code": "231470", "account_number": "28821822"}

DAY_BY = WiseDay

pytestmark = pytest.mark.django_db


def look_again(day: WiseDay) -> None:
    look_up_now(PayoutSending.objects.all(), now=day.at)
    day.work()


def test_a_batch_waits_for_its_owner_and_is_paid_once_funded(day):
    payouts = [day.approved(f"partner{at}", 1_000 + at) for at in range(3)]
    payouts.append(day.approved("Refused", 2_000))

    row = day.pay(*payouts)
    day.work()
    assert day.network.state.wise.transfers == {}
    day.work(after=MINUTE)

    row.refresh_from_db()
    assert row.detail == (
        f"Waits for you to fund it in Wise, as {row.batch.reference}: {FUND_PAGE}"
    )
    assert day.statuses() == {
        "partner0": "exported",
        "partner1": "exported",
        "partner2": "exported",
        "Refused": "rejected",
    }
    payouts[3].refresh_from_db()
    assert payouts[3].reason.endswith("The account number is not valid.")
    assert balance(payouts[3].affiliate_id, "EUR", Account.PAYABLE) == 2_000

    day.fund()
    day.work(after=DAY)

    assert set(day.statuses().values()) == {"paid", "rejected"}
    assert day.paid_by_us() == day.paid_there() == Decimal("30.03")
    row.refresh_from_db()
    assert (row.state, row.detail) == ("sent", "")


def test_a_payout_in_pounds_names_both_amounts(day):
    payout = day.approved("partner", 5_000, **GBP)
    row = day.pay(payout)
    for _ in range(3):
        day.work(after=MINUTE)
        day.fund()
    look_again(day)

    payout.refresh_from_db()
    [transfer] = day.transfers()
    assert (transfer.quote["targetAmount"], transfer.quote["targetCurrency"]) == (
        43.1,
        "GBP",
    )
    assert (payout.status, payout.amount, payout.currency) == ("paid", 5_000, "EUR")
    assert (payout.received_amount, payout.received_currency) == (4_310, "GBP")
    assert balance(payout.affiliate_id, "EUR", Account.PAID_OUT) == 5_000
    facts = {fact.name: fact for fact in paper_of(PayoutStatement.objects.get()).facts}
    assert (facts["received"].text, facts["received"].cell) == ("£43.10", "43.10 GBP")
    row.refresh_from_db()
    assert row.results[f"PAYOUT-{payout.pk}"]["received"] == 4_310


def test_money_that_comes_back_is_returned_when_wise_calls(day):
    payout = day.approved("Returned", 1_500)
    day.pay(payout)
    day.work()
    day.work(after=MINUTE)
    day.fund()
    look_again(day)
    assert day.statuses() == {"Returned": "paid"}

    day.at += 3 * DAY
    look_again(day)
    assert day.statuses() == {"Returned": "paid"}

    day.at += 3 * DAY
    payout.refresh_from_db()
    content = {"data": {"resource": {"id": int(payout.remote_ref)}}}
    path = f"/api/payout_providers/{day.sender.code}"
    Client().post(path, json.dumps(content), content_type="application/json")
    assert PayoutSending.objects.filter(next_at__isnull=False).exists()
    look_again(day)

    assert day.statuses() == {"Returned": "returned"}
    assert balance(payout.affiliate_id, "EUR", Account.PAYABLE) == 1_500


def test_what_nobody_funds_is_payable_again(day):
    payout = day.approved("partner", 1_500)
    day.pay(payout)
    day.work()
    day.work(after=MINUTE)
    day.work(after=15 * DAY)

    payout.refresh_from_db()
    assert (payout.status, payout.reason) == ("rejected", "Wise: cancelled.")
    day.fund()
    assert day.paid_there() == 0


def test_yen_are_paid_into_euros(day):
    payout = day.approved("partner", 5_000, "JPY")
    day.pay(payout)
    day.work()
    day.work(after=MINUTE)
    day.fund()
    look_again(day)

    payout.refresh_from_db()
    assert (payout.status, payout.received_amount, payout.received_currency) == (
        "paid",
        3_050,
        "EUR",
    )


def test_a_large_batch_is_read_by_pages(day):
    day.pay(*[day.approved(f"partner{at}", 100 + at) for at in range(45)])
    day.work()
    day.work(after=MINUTE)
    day.fund()
    day.network.state.log.clear()
    look_again(day)

    assert set(day.statuses().values()) == {"paid"}
    targets = [one.target for one in day.network.state.log]
    assert sum("limit=" in target for target in targets) == 2
    assert not [target for target in targets if target.startswith("/v1/transfers/")]


def test_a_batch_that_takes_longer_than_its_lease_goes_on(day, monkeypatch):
    day.pay(*[day.approved(f"partner{at}", 100 + at) for at in range(4)])
    day.work()
    calls, send = 0, day.transport.send

    def slowly(call):
        nonlocal calls
        calls += 1
        if calls % 8 == 0:
            raise CallFailed(FailureKind.NOT_SENT, "It took too long.")
        return send(call)

    monkeypatch.setattr(day.transport, "send", slowly)
    for _ in range(6):
        day.work(after=DAY)

    [group] = day.network.state.wise.groups.values()
    assert (group.status, len(group.transfers)) == ("COMPLETED", 4)
    assert timedelta(minutes=15) == LEASE


@pytest.mark.parametrize("on", WiseDay.faults)
@pytest.mark.parametrize("fault", BAD_DAYS)
@pytest.mark.parametrize("day", [BalanceDay], indirect=True)
def test_each_bad_day_ends_with_one_payment(day, on, fault):
    day.pay(day.approved("partner", 1_234))
    day.network.fault(on=on, **fault)

    for wait in (MINUTE, MINUTE, timedelta(hours=2), timedelta(hours=2), DAY, DAY):
        day.work(after=wait)

    assert day.statuses() == {"partner": "paid"}
    assert len(day.transfers()) == 1
    assert day.paid_there() == day.paid_by_us()


def test_wise_answers_late(day):
    day.network.settings.change({"wise_settles_after_s": 7_200})
    day.pay(day.approved("partner", 1_234))
    day.work()
    day.work(after=MINUTE)
    day.fund()

    day.work(after=timedelta(hours=1))
    assert day.statuses() == {"partner": "exported"}
    day.work(after=timedelta(hours=2))

    assert day.statuses() == {"partner": "paid"}


@pytest.mark.parametrize("day", [BalanceDay], indirect=True)
def test_where_wise_wants_authentication_a_person_funds(day):
    day.network.settings.change({"wise_wants_authentication": True})
    row = day.pay(day.approved("partner", 1_234))
    day.work()
    day.work(after=MINUTE)

    row.refresh_from_db()
    assert row.detail.startswith(f"{AUTHENTICATION} Waits for you to fund it in Wise")
    WiseDay.fund(day)
    look_again(day)

    assert day.statuses() == {"partner": "paid"}


def test_a_restored_database_pays_nothing_again(day):
    row = day.pay(day.approved("partner", 1_234))
    day.work()
    day.work(after=MINUTE)
    day.fund()
    # As it was before the number of the group was stored.
    PayoutSending.objects.filter(pk=row.pk).update(remote_id="", state="sending")
    day.at += MINUTE
    for wait in (timedelta(hours=1), MINUTE, DAY):
        day.work(after=wait)

    assert day.statuses() == {"partner": "paid"}
    assert len(day.transfers()) == 1
    statuses = sorted(one.status for one in day.network.state.wise.groups.values())
    assert statuses == ["CANCELLED", "COMPLETED"]
